/* When each endpoint is asked again, and how long what it said is shown. Pure: times are arguments
 * (monotonic nanoseconds). Fixed intervals, stretched by what an answer costs. */
#pragma once

#include "slurmrest/client.h"

struct schedule_entry {
	double wish_s;     /* the configured interval */
	double interval_s; /* the interval now */
	uint64_t due_ns;
	uint64_t tried_ns, succeeded_ns; /* 0: never */
	enum fetch_result result;        /* of the last try */
	bool is_shown;                   /* what it said is known, and not too old */
};

struct schedule {
	struct schedule_entry entries[ENDPOINTS];
};

/* Everything is due at once. */
void schedule_init(struct schedule *schedule, const uint64_t interval_s[ENDPOINTS]);

/* An answer, or none, came at `now_ns` after `seconds`. */
void schedule_note(struct schedule *schedule, enum endpoint endpoint, enum fetch_result result,
		   double seconds, uint64_t now_ns);

/* Is what the endpoint said too old to be shown? After max(5 min, 3 intervals); ping's at once when it
 * fails, since slurm_controller_up is never held. Clears is_shown when it says so. */
bool schedule_expire(struct schedule *schedule, enum endpoint endpoint, uint64_t now_ns);

/* The next moment at which an endpoint is due or what it said becomes too old. */
uint64_t schedule_next_ns(const struct schedule *schedule);

/* Ping said that every controller is down. Is it true? It says so of a bad token, too: only if something
 * that needs a token failed since, not for want of one, and nothing that needs one succeeded. */
bool schedule_is_down_for_sure(const struct schedule *schedule);
