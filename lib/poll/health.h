/* What the results of requests say about the daemons, and for how long the page shows an endpoint's numbers. Pure:
 * times are arguments (monotonic nanoseconds). Of the poller's thread. */
#pragma once

#include "cluster/cluster.h"
#include "slurmrest/client.h"

struct health_entry {
	uint64_t tried_ns; /* 0: never */
	enum fetch_result result; /* of the last try */
	bool is_shown; /* its numbers are known, and not too old */
	uint64_t too_old_ns; /* when its numbers become, or became, too old; 0: never shown */
};

struct health {
	struct health_entry entries[ENDPOINTS];
};

/* A request ended, one way or another. */
void health_note(struct health *health, enum endpoint endpoint, enum fetch_result result, uint64_t now_ns);

/* The endpoint's numbers are those that Slurm had at `as_of_ns`, and are renewed every `interval_s`. They are too old
 * after max(5 min, 3 intervals). */
void health_renew(struct health *health, enum endpoint endpoint, double interval_s, uint64_t as_of_ns);

/* The endpoint's numbers are from before the start, and `age_s` seconds old. The page does not show them if they are
 * too old. */
void health_restore(struct health *health, enum endpoint endpoint, double interval_s, double age_s, uint64_t now_ns);

/* Are the endpoint's numbers too old for the page? Ping's are as soon as ping fails, because an old slurm_controller_up
 * would hide an outage. Clears is_shown if it returns true. */
bool health_expire(struct health *health, enum endpoint endpoint, uint64_t now_ns);

/* Were the endpoint's numbers shown once, and are they missing since they became too old? */
bool health_is_too_old(const struct health *health, enum endpoint endpoint);

/* The next moment at which something becomes too old; UINT64_MAX: never. */
uint64_t health_next_ns(const struct health *health);

/* Is slurmrestd away? It is if neither ping nor diag got an answer in an API version that we know. */
bool health_is_cut_off(const struct health *health);

/* Is slurmdbd up? Its ping says so (`ping_says_up` is its last answer), or its diag if there is no ping. It counts as
 * down only while slurmctld's diag succeeds: otherwise slurmrestd or the token may be the cause. */
enum up health_accounting_up(const struct health *health, bool ping_says_up);

/* Ping said that every controller is down. Is it true? With a bad token ping says the same. So it is true only if a
 * request that needs a token has failed since then, though not because of the token, and none succeeded. While there
 * was no request since, `before` (the last verdict) stands. */
bool health_is_down_for_sure(const struct health *health, bool before);
