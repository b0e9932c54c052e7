#include "poll/health.h"

#include <math.h>

/* The page shows old numbers for a while, because a restart of slurmrestd should not leave holes in graphs. Numbers
 * that a budget renews seldom get three of their intervals, so that one failure does not remove them. */
#define AGE_MAX_S 300.0
#define AGE_MAX_INTERVALS 3

void health_note(struct health *health, enum endpoint endpoint, enum fetch_result result, uint64_t now_ns)
{
	health->entries[endpoint].result = result;
	health->entries[endpoint].tried_ns = now_ns;
}

static double age_max_s(double interval_s)
{
	return fmax(AGE_MAX_S, AGE_MAX_INTERVALS * interval_s);
}

void health_renew(struct health *health, enum endpoint endpoint, double interval_s, uint64_t as_of_ns)
{
	health->entries[endpoint].too_old_ns = as_of_ns + (uint64_t)(age_max_s(interval_s) * 1e9);
	health->entries[endpoint].is_shown = true;
}

void health_restore(struct health *health, enum endpoint endpoint, double interval_s, double age_s, uint64_t now_ns)
{
	double left_s = age_max_s(interval_s) - age_s;
	if (left_s <= 0)
		return;
	health->entries[endpoint].too_old_ns = now_ns + (uint64_t)(left_s * 1e9);
	health->entries[endpoint].is_shown = true;
}

bool health_expire(struct health *health, enum endpoint endpoint, uint64_t now_ns)
{
	struct health_entry *entry = &health->entries[endpoint];
	bool is_ping_failing = endpoint == ENDPOINT_PING && entry->result != FETCH_OK;
	if (!entry->is_shown || (now_ns < entry->too_old_ns && !is_ping_failing))
		return false;
	entry->is_shown = false;
	return true;
}

bool health_is_too_old(const struct health *health, enum endpoint endpoint)
{
	return health->entries[endpoint].too_old_ns && !health->entries[endpoint].is_shown;
}

uint64_t health_next_ns(const struct health *health)
{
	uint64_t next = UINT64_MAX;
	for (int i = 0; i < ENDPOINTS; i++) {
		const struct health_entry *entry = &health->entries[i];
		if (entry->is_shown && entry->too_old_ns < next)
			next = entry->too_old_ns;
	}
	return next;
}

static bool is_unanswered(const struct health_entry *entry)
{
	return entry->tried_ns && (entry->result == FETCH_UNREACHABLE || entry->result == FETCH_TIMEOUT ||
				   entry->result == FETCH_UNSUPPORTED);
}

bool health_is_cut_off(const struct health *health)
{
	return is_unanswered(&health->entries[ENDPOINT_PING]) && is_unanswered(&health->entries[ENDPOINT_DIAG]);
}

/* What the last result of an endpoint of slurmdbd's says about slurmdbd. */
static enum up told_by(const struct health_entry *entry)
{
	switch (entry->tried_ns ? entry->result : FETCH_UNSUPPORTED) {
	case FETCH_OK:
	case FETCH_FORBIDDEN: /* slurmdbd itself said so */
		return UP_YES;
	case FETCH_HTTP_ERROR:
	case FETCH_SLURM_ERROR:
	case FETCH_TIMEOUT:
		return UP_NO;
	default:
		return UP_NOT_KNOWN;
	}
}

enum up health_accounting_up(const struct health *health, bool ping_says_up)
{
	const struct health_entry *entries = health->entries;
	enum up up = told_by(&entries[ENDPOINT_DBD_PING]);
	if (up == UP_NOT_KNOWN)
		up = told_by(&entries[ENDPOINT_DBD_DIAG]);
	else if (up == UP_YES && !ping_says_up)
		up = UP_NO;
	bool is_token_good = entries[ENDPOINT_DIAG].tried_ns && entries[ENDPOINT_DIAG].result == FETCH_OK;
	return up == UP_NO && !is_token_good ? UP_NOT_KNOWN : up;
}

bool health_is_down_for_sure(const struct health *health, bool before)
{
	bool is_sure = before;
	for (int i = 0; i < ENDPOINTS; i++) {
		const struct health_entry *entry = &health->entries[i];
		if (!endpoint_table[i].asks_slurmctld || entry->tried_ns < health->entries[ENDPOINT_PING].tried_ns)
			continue;
		if (fetch_succeeded(entry->result) || entry->result == FETCH_UNAUTHORIZED)
			return false;
		is_sure = true;
	}
	return is_sure;
}
