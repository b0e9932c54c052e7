#include "jobs/owners.h"

#include "base/buf.h"
#include "base/memory.h"
#include "entities/label.h"
#include "model/job.h"

#include <stdlib.h>

/* A key: the lengths of the five texts, then the texts. */
enum { NAMES = sizeof(struct job_owner) / sizeof(struct text) };

static struct text each_once(struct text names, struct buf *once, char scratch[LABEL_MAX + 1])
{
	return job_is_one_name(names) ? label_of(names, scratch) : labels_once(names, once);
}

static uint32_t hold_key(struct text_pool *pool, const struct job_owner *owner)
{
	struct buf key = BUF_INIT, partitions = BUF_INIT, qos = BUF_INIT;
	char scratch[4][LABEL_MAX + 1];
	const struct text names[NAMES] = {label_of(owner->account, scratch[0]), label_of(owner->user, scratch[1]),
					  each_once(owner->partitions, &partitions, scratch[2]),
					  each_once(owner->qos, &qos, scratch[3]), owner->values};
	for (int i = 0; i < NAMES; i++)
		buf_add(&key, &names[i].len, sizeof names[i].len);
	for (int i = 0; i < NAMES; i++)
		buf_add_text(&key, names[i]);
	uint32_t number = text_pool_hold(pool, buf_text(&key));
	buf_done(&qos);
	buf_done(&partitions);
	buf_done(&key);
	return number;
}

uint32_t owners_hold(struct owners *owners, const struct job_owner *owner)
{
	uint32_t number = hold_key(&owners->keys, owner);
	size_t had = owners->capacity;
	if (owners->keys.capacity == had)
		return number;
	owners->capacity = owners->keys.capacity;
	owners->lists = memory_resize(owners->lists, owners->capacity, sizeof *owners->lists);
	memset(owners->lists + had, 0, (owners->capacity - had) * sizeof *owners->lists);
	return number;
}

static void forget(struct owner_list *list)
{
	free(list->items);
	*list = (struct owner_list){NULL, 0};
}

void owners_release(struct owners *owners, uint32_t number)
{
	if (text_pool_release(&owners->keys, number))
		forget(owners_list(owners, number));
}

struct job_owner owners_get(const struct owners *owners, uint32_t number)
{
	struct text names[NAMES] = {{NULL, 0}};
	struct text key = text_pool_get(&owners->keys, number);
	const char *bytes = key.bytes + NAMES * sizeof names[0].len;
	for (int i = 0; i < NAMES; i++) {
		memcpy(&names[i].len, key.bytes + (size_t)i * sizeof names[i].len, sizeof names[i].len);
		names[i].bytes = bytes;
		bytes += names[i].len;
	}
	return (struct job_owner){names[0], names[1], names[2], names[3], names[4]};
}

void owners_forget_lists(struct owners *owners)
{
	for (size_t i = 0; i < owners->keys.count; i++)
		forget(&owners->lists[i]);
}

size_t owners_bytes(const struct owners *owners)
{
	size_t bytes = text_pool_bytes(&owners->keys) + owners->capacity * sizeof *owners->lists;
	for (size_t i = 0; i < owners->keys.count; i++)
		bytes += owners->lists[i].count * sizeof *owners->lists[i].items;
	return bytes;
}

void owners_done(struct owners *owners)
{
	owners_forget_lists(owners);
	free(owners->lists);
	text_pool_done(&owners->keys);
	*owners = (struct owners){.capacity = 0};
}
