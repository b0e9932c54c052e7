#include "daemon/schedule.h"

#include <math.h>

/* slurmrestd works for us a twentieth of the time at most: an endpoint that takes long is asked
 * less often. It goes on computing what nobody waits for any more, so a timeout costs as well. */
#define DUTY 0.05
#define AGE_MAX_S 300.0
#define AGE_MAX_INTERVALS 3
/* ping and diag cost the same however large the cluster is: a slow one means trouble, not work. They are
 * the probes that tell when the trouble is over. */
#define PROBE_INTERVAL_MAX_S 60.0
/* What is not served or not allowed may be after an upgrade, or when the user became an operator. */
#define UNSUPPORTED_INTERVAL_S 3600.0
/* A slurmctld that is down makes slurmrestd answer within some 10 s; what takes longer was work. */
#define QUICK_S 15.0

static uint64_t in_ns(double seconds)
{
	return (uint64_t)(seconds * 1e9);
}

void schedule_init(struct schedule *schedule, const uint64_t interval_s[ENDPOINTS_POLLED])
{
	*schedule = (struct schedule){0};
	for (int i = 0; i < ENDPOINTS_POLLED; i++) {
		schedule->entries[i].wish_s = (double)interval_s[i];
		schedule->entries[i].interval_s = (double)interval_s[i];
	}
}

/* A probe is well again: what failed beside it is due at once, unless its own work may have been the
 * cause. If the probe timed out, too, the timeouts were none of work. */
static void retry_what_failed(struct schedule *schedule, enum fetch_result probe, uint64_t now_ns)
{
	for (int i = 0; i < ENDPOINTS_POLLED; i++) {
		struct schedule_entry *entry = &schedule->entries[i];
		bool was_work = entry->seconds >= QUICK_S &&
				!(entry->result == FETCH_TIMEOUT && probe == FETCH_TIMEOUT);
		if (entry->result != FETCH_OK && !was_work)
			entry->due_ns = now_ns;
	}
}

void schedule_note(struct schedule *schedule, enum endpoint endpoint, enum fetch_result result,
		   double seconds, uint64_t now_ns)
{
	struct schedule_entry *entry = &schedule->entries[endpoint];
	enum fetch_result before = entry->result;
	bool is_probe = endpoint == ENDPOINT_PING || endpoint == ENDPOINT_DIAG;
	double stretched = seconds / DUTY;
	if (is_probe)
		stretched = fmin(stretched, PROBE_INTERVAL_MAX_S);
	if (result == FETCH_UNSUPPORTED || result == FETCH_FORBIDDEN)
		stretched = UNSUPPORTED_INTERVAL_S;
	entry->interval_s = fmax(entry->wish_s, stretched);
	entry->due_ns = now_ns + in_ns(entry->interval_s);
	entry->seconds = seconds;
	entry->result = result;
	entry->tried_ns = now_ns;
	if (result == FETCH_OK) {
		double age_max = fmax(AGE_MAX_S, AGE_MAX_INTERVALS * entry->interval_s);
		entry->too_old_ns = now_ns + in_ns(age_max);
		entry->is_shown = true;
	}
	if (is_probe && result == FETCH_OK && before != FETCH_OK)
		retry_what_failed(schedule, before, now_ns);
}

bool schedule_expire(struct schedule *schedule, enum endpoint endpoint, uint64_t now_ns)
{
	struct schedule_entry *entry = &schedule->entries[endpoint];
	bool is_ping_failing = endpoint == ENDPOINT_PING && entry->result != FETCH_OK;
	if (!entry->is_shown || (now_ns < entry->too_old_ns && !is_ping_failing))
		return false;
	entry->is_shown = false;
	return true;
}

uint64_t schedule_next_ns(const struct schedule *schedule)
{
	uint64_t next = UINT64_MAX;
	for (int i = 0; i < ENDPOINTS_POLLED; i++) {
		const struct schedule_entry *entry = &schedule->entries[i];
		if (entry->due_ns < next)
			next = entry->due_ns;
		if (entry->is_shown && entry->too_old_ns < next)
			next = entry->too_old_ns;
	}
	return next;
}

void schedule_retry_unsupported(struct schedule *schedule, uint64_t now_ns)
{
	for (int i = 0; i < ENDPOINTS_POLLED; i++)
		if (schedule->entries[i].result == FETCH_UNSUPPORTED)
			schedule->entries[i].due_ns = now_ns;
}

/* Of one endpoint of slurmdbd: what its last result says of slurmdbd. */
static enum up told_by(const struct schedule_entry *entry)
{
	switch (entry->tried_ns ? entry->result : FETCH_UNSUPPORTED) {
	case FETCH_OK:
	case FETCH_FORBIDDEN: /* it was slurmdbd that said so */
		return UP_YES;
	case FETCH_HTTP_ERROR:
	case FETCH_SLURM_ERROR:
	case FETCH_TIMEOUT:
		return UP_NO;
	default:
		return UP_NOT_KNOWN;
	}
}

enum up schedule_accounting_up(const struct schedule *schedule, bool ping_says_up)
{
	const struct schedule_entry *entries = schedule->entries;
	enum up up = told_by(&entries[ENDPOINT_DBD_PING]);
	if (up == UP_NOT_KNOWN)
		up = told_by(&entries[ENDPOINT_DBD_DIAG]);
	else if (up == UP_YES && !ping_says_up)
		up = UP_NO;
	bool is_token_good = entries[ENDPOINT_DIAG].tried_ns &&
			     entries[ENDPOINT_DIAG].result == FETCH_OK;
	return up == UP_NO && !is_token_good ? UP_NOT_KNOWN : up;
}

bool schedule_is_down_for_sure(const struct schedule *schedule, bool before)
{
	bool is_sure = before;
	for (int i = 0; i < ENDPOINTS_POLLED; i++) {
		const struct schedule_entry *entry = &schedule->entries[i];
		if (!endpoint_table[i].asks_slurmctld ||
		    entry->tried_ns < schedule->entries[ENDPOINT_PING].tried_ns)
			continue;
		if (entry->result == FETCH_OK || entry->result == FETCH_UNAUTHORIZED)
			return false;
		is_sure = true;
	}
	return is_sure;
}
