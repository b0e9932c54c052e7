/* When each endpoint is asked again, and how long what it said is shown. Pure: times are arguments
 * (monotonic nanoseconds). Fixed intervals, stretched by what an answer costs. */
#pragma once

#include "cluster/cluster.h"
#include "slurmrest/client.h"

struct schedule_entry {
	double wish_s;     /* the configured interval */
	double interval_s; /* the interval now */
	double seconds;    /* that the last request took */
	uint64_t due_ns;
	uint64_t tried_ns;    /* 0: never */
	uint64_t too_old_ns;  /* when what it said last becomes too old */
	enum fetch_result result;        /* of the last try */
	bool is_shown;                   /* what it said is known, and not too old */
};

struct schedule {
	struct schedule_entry entries[ENDPOINTS_POLLED];
};

/* Everything is due at once. */
void schedule_init(struct schedule *schedule, const uint64_t interval_s[ENDPOINTS_POLLED]);

/* An answer, or none, came at `now_ns` after `seconds`. What failed is due again as soon as ping
 * or diag is well again, unless it took long and they did not: then it waits for its interval. */
void schedule_note(struct schedule *schedule, enum endpoint endpoint, enum fetch_result result,
		   double seconds, uint64_t now_ns);

/* Is what the endpoint said too old to be shown? After max(5 min, 3 intervals of when it succeeded);
 * ping's at once when it fails, since slurm_controller_up is never held. Clears is_shown when it says
 * so. */
bool schedule_expire(struct schedule *schedule, enum endpoint endpoint, uint64_t now_ns);

/* The next moment at which an endpoint is due or what it said becomes too old. */
uint64_t schedule_next_ns(const struct schedule *schedule);

/* slurmrestd was upgraded: what it did not serve is due again. */
void schedule_retry_unsupported(struct schedule *schedule, uint64_t now_ns);

/* Is slurmdbd up? By its ping (whose last answer is given), else by its diag. It is only called down
 * while slurmctld's diag shows that slurmrestd and the token are well. */
enum up schedule_accounting_up(const struct schedule *schedule, bool ping_says_up);

/* Ping said that every controller is down. Is it true? It says so of a bad token, too: only if something
 * that needs a token failed since, not for want of one, and nothing that needs one succeeded. While
 * nothing was asked since, `before` (the last verdict) stands. */
bool schedule_is_down_for_sure(const struct schedule *schedule, bool before);
