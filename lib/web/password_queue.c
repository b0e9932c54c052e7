#include "web/password_queue.h"

#include <string.h>

enum { PLACES = 2 * PASSWORD_QUEUE_MAX };

static bool comes_before(const struct password_job *a, const struct password_job *b)
{
	return a->turn != b->turn ? a->turn < b->turn : a->number < b->number;
}

/* NULL: none is in that state. */
static struct password_job *first_in(struct password_queue *queue, int state)
{
	struct password_job *first = NULL;
	for (struct password_job *at = queue->places; at < queue->places + PLACES; at++)
		if ((int)at->state == state && (!first || comes_before(at, first)))
			first = at;
	return first;
}

struct crowd {
	unsigned waiting;
	uint64_t next_turn; /* of the source */
	struct password_job *last; /* NULL: none waits */
};

static struct crowd look_around(struct password_queue *queue, uint64_t source)
{
	struct crowd crowd = {.next_turn = queue->turn};
	for (struct password_job *at = queue->places; at < queue->places + PLACES; at++) {
		if (at->state == PASSWORD_PLACE_IS_FREE || at->state == PASSWORD_IS_DONE)
			continue;
		if (at->source == source && at->turn >= crowd.next_turn)
			crowd.next_turn = at->turn + 1;
		if (at->state != PASSWORD_WAITS)
			continue;
		crowd.waiting++;
		if (!crowd.last || comes_before(crowd.last, at))
			crowd.last = at;
	}
	return crowd;
}

bool password_queue_add(struct password_queue *queue, const struct password_job *job)
{
	struct password_job *place = first_in(queue, PASSWORD_PLACE_IS_FREE);
	struct crowd crowd = look_around(queue, job->source);
	bool is_full = crowd.waiting >= PASSWORD_QUEUE_MAX;
	if (!place || (is_full && crowd.last->turn <= crowd.next_turn))
		return false;
	if (is_full) {
		crowd.last->state = PASSWORD_IS_DONE;
		crowd.last->verdict = PASSWORD_BUSY;
	}
	*place = *job;
	place->state = PASSWORD_WAITS;
	place->turn = crowd.next_turn;
	place->number = queue->number++;
	return true;
}

struct password_job *password_queue_begin(struct password_queue *queue)
{
	struct password_job *job = first_in(queue, PASSWORD_WAITS);
	if (!job)
		return NULL;
	job->state = PASSWORD_IS_COMPARED;
	queue->turn = job->turn;
	return job;
}

struct password_job *password_queue_done(struct password_queue *queue)
{
	return first_in(queue, PASSWORD_IS_DONE);
}

struct password_job *password_queue_any(struct password_queue *queue)
{
	struct password_job *at = queue->places;
	while (at < queue->places + PLACES && at->state == PASSWORD_PLACE_IS_FREE)
		at++;
	return at < queue->places + PLACES ? at : NULL;
}

void password_queue_release(struct password_job *job)
{
	explicit_bzero(job, sizeof *job);
}
