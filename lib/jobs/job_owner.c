#include "jobs/job_owner.h"

#include "base/buf.h"

/* A key: the lengths of the four names, then the names. */
enum { NAMES = sizeof(struct job_owner) / sizeof(struct text) };

uint32_t job_owner_hold(struct text_pool *pool, const struct job_owner *owner)
{
	const struct text names[NAMES] = {owner->account, owner->user, owner->partitions,
					  owner->qos};
	struct buf key = BUF_INIT;
	for (int i = 0; i < NAMES; i++)
		buf_add(&key, &names[i].len, sizeof names[i].len);
	for (int i = 0; i < NAMES; i++)
		buf_add_text(&key, names[i]);
	uint32_t number = text_pool_hold(pool, buf_text(&key));
	buf_done(&key);
	return number;
}

struct job_owner job_owner_get(const struct text_pool *pool, uint32_t number)
{
	struct text names[NAMES] = {{NULL, 0}};
	struct text key = text_pool_get(pool, number);
	const char *bytes = key.bytes + NAMES * sizeof names[0].len;
	for (int i = 0; i < NAMES; i++) {
		memcpy(&names[i].len, key.bytes + (size_t)i * sizeof names[i].len,
		       sizeof names[i].len);
		names[i].bytes = bytes;
		bytes += names[i].len;
	}
	return (struct job_owner){names[0], names[1], names[2], names[3]};
}
