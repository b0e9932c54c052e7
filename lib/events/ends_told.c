/* Which ends are known, if two daemons reported them, or a clock went through the same hour twice. */
#include "events/count.h"

enum {
	AWAITED_S = 7 * 86400, /* slurmdbd, after it was left */
	SET_BACK_S = 600, /* the clock may have been set back this long before that is seen */
};

static int64_t latest(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static bool was_told(const struct job_events *events, int64_t end)
{
	return end >= events->told.from && end < events->told.until;
}

bool count_may_be_forgotten(const struct job_events *events, int64_t end)
{
	return end < events->ends_known_until || was_told(events, end);
}

bool job_events_may_take(const struct job_events *events, const struct job_end *end)
{
	if (end->end_time < events->ends_known_until)
		return false;
	return !was_told(events, end->end_time) || end->raw_id > events->told.id || runs_find(&events->runs, &end->key);
}

void count_ends_known(struct job_events *events, int64_t until)
{
	events->ends_known_until = latest(events->ends_known_until, until);
	if (events->ends_known_until >= events->told.until)
		events->told = (struct ends_told){0};
}

void count_ends_seen(struct job_events *events, int64_t until)
{
	if (!events->told.until)
		count_ends_known(events, until);
	else if (until - events->ends_known_until > AWAITED_S)
		count_ends_known(events, latest(events->told.until, until)); /* slurmdbd will not report the others */
	else
		events->told.until = latest(events->told.until, until);
}

void job_events_leave_slurmdbd(struct job_events *events, int64_t now)
{
	events->slurmdbd_told = false;
	if (!events->told.until)
		events->told.from = now;
	events->told.until = latest(events->told.until, now + 1);
	events->told.id = UINT32_MAX;
}

static uint32_t newest_id(const struct job_events *events)
{
	uint32_t id = events->told.until ? events->told.id : 0;
	for (size_t i = 0; i < events->runs.count; i++)
		if (events->runs.items[i].is_used && events->runs.items[i].raw_id > id)
			id = events->runs.items[i].raw_id;
	return id;
}

/* slurmdbd reports the ends of the time that comes again beside those that were counted the first time and forgotten.
 * The run distinguishes them if it still lives, or else an ID that only new jobs have. */
void job_events_set_back(struct job_events *events, int64_t now)
{
	int64_t known = latest(events->ends_known_until, events->told.until), from = now - SET_BACK_S;
	if (known > from) {
		events->told.id = newest_id(events);
		events->ends_known_until = least(events->ends_known_until, from);
		events->told.from = events->told.until ? least(events->told.from, from) : from;
		events->told.until = known;
	}
	events->looked_until = least(events->looked_until, now);
	events->birth = least(events->birth, now);
	events->woke = least(events->woke, now);
}
