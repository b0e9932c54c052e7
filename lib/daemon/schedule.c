#include "daemon/schedule.h"

#include <math.h>

/* slurmrestd works for us a twentieth of the time at most: an endpoint that takes long is asked
 * less often. */
#define DUTY 0.05
#define AGE_MAX_S 300.0
#define AGE_MAX_INTERVALS 3

static uint64_t in_ns(double seconds)
{
	return (uint64_t)(seconds * 1e9);
}

void schedule_init(struct schedule *schedule, const uint64_t interval_s[ENDPOINTS])
{
	*schedule = (struct schedule){0};
	for (int i = 0; i < ENDPOINTS; i++) {
		schedule->entries[i].wish_s = (double)interval_s[i];
		schedule->entries[i].interval_s = (double)interval_s[i];
	}
}

void schedule_note(struct schedule *schedule, enum endpoint endpoint, enum fetch_result result,
		   double seconds, uint64_t now_ns)
{
	struct schedule_entry *entry = &schedule->entries[endpoint];
	entry->result = result;
	entry->tried_ns = now_ns;
	if (result == FETCH_OK) {
		entry->succeeded_ns = now_ns;
		entry->is_shown = true;
	}
	entry->interval_s = fmax(entry->wish_s, seconds / DUTY);
	entry->due_ns = now_ns + in_ns(entry->interval_s);
}

static uint64_t too_old_at(const struct schedule_entry *entry)
{
	return entry->succeeded_ns + in_ns(fmax(AGE_MAX_S, AGE_MAX_INTERVALS * entry->interval_s));
}

bool schedule_expire(struct schedule *schedule, enum endpoint endpoint, uint64_t now_ns)
{
	struct schedule_entry *entry = &schedule->entries[endpoint];
	bool is_ping_failing = endpoint == ENDPOINT_PING && entry->result != FETCH_OK;
	if (!entry->is_shown || (now_ns < too_old_at(entry) && !is_ping_failing))
		return false;
	entry->is_shown = false;
	return true;
}

uint64_t schedule_next_ns(const struct schedule *schedule)
{
	uint64_t next = UINT64_MAX;
	for (int i = 0; i < ENDPOINTS; i++) {
		const struct schedule_entry *entry = &schedule->entries[i];
		if (entry->due_ns < next)
			next = entry->due_ns;
		if (entry->is_shown && too_old_at(entry) < next)
			next = too_old_at(entry);
	}
	return next;
}

bool schedule_is_down_for_sure(const struct schedule *schedule)
{
	bool has_failed = false;
	for (int i = 0; i < ENDPOINTS; i++) {
		const struct schedule_entry *entry = &schedule->entries[i];
		if (!endpoint_table[i].is_authenticated ||
		    entry->tried_ns < schedule->entries[ENDPOINT_PING].tried_ns)
			continue;
		if (entry->result == FETCH_OK || entry->result == FETCH_UNAUTHORIZED)
			return false;
		has_failed = true;
	}
	return has_failed;
}
