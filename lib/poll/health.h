/* What the results of requests say of the daemons, and how long what an endpoint said is shown. Pure:
 * times are arguments (monotonic nanoseconds). */
#pragma once

#include "cluster/cluster.h"
#include "slurmrest/client.h"

struct health_entry {
	uint64_t tried_ns;        /* 0: never */
	enum fetch_result result; /* of the last try */
	bool is_shown;            /* what it said is known, and not too old */
	uint64_t too_old_ns;      /* while is_shown: when it becomes too old */
};

struct health {
	struct health_entry entries[ENDPOINTS];
};

/* A request ended, one way or another. */
void health_note(struct health *health, enum endpoint endpoint, enum fetch_result result,
		 uint64_t now_ns);

/* What is shown of the endpoint is as Slurm had it at `as_of_ns`, and is renewed every `interval_s`: it is
 * too old after max(5 min, 3 intervals). */
void health_renew(struct health *health, enum endpoint endpoint, double interval_s,
		  uint64_t as_of_ns);

/* Is what the endpoint said too old to be shown? Ping's is at once when it fails, since
 * slurm_controller_up is never held. Clears is_shown when it says so. */
bool health_expire(struct health *health, enum endpoint endpoint, uint64_t now_ns);

/* The next moment at which something becomes too old. */
uint64_t health_next_ns(const struct health *health);

/* Neither ping nor diag got an answer, or one of an API version that is known: slurmrestd is away. */
bool health_is_cut_off(const struct health *health);

/* Is slurmdbd up? By its ping (whose last answer is given), else by its diag. It is only called down
 * while slurmctld's diag shows that slurmrestd and the token are well. */
enum up health_accounting_up(const struct health *health, bool ping_says_up);

/* Ping said that every controller is down. Is it true? It says so of a bad token, too: only if something
 * that needs a token failed since, not for want of one, and nothing that needs one succeeded. While
 * nothing was asked since, `before` (the last verdict) stands. */
bool health_is_down_for_sure(const struct health *health, bool before);
