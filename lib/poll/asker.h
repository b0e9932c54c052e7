/* One request to slurmrestd: counted, timed, and logged when an endpoint begins to fail or is well
 * again. Of the poller's thread. */
#pragma once

#include "config/config.h"
#include "metrics/exporter.h"
#include "plan/plan.h"
#include "poll/health.h"

/* The last time that an endpoint failed though it should not have. */
struct ask_failure {
	struct error error;
	double time, since; /* Unix seconds; 0: never, and: it is well */
};

struct asker {
	const struct config *config;
	struct client *client;
	struct cluster *cluster; /* what any answer tells of it is kept there */
	struct health *health;
	struct exporter *exporter;
	const atomic_bool *stop;
	uint64_t last_update; /* of the last answer that counts: Unix seconds; 0: it did not say */
	bool is_compact; /* slurmrestd's JSON has no white space (deploy/slurmrestd), as far as was seen */
	double clock_ahead; /* seconds, that slurmctld's clock is ahead of ours, as far as diag has told */
	bool warned_of_file;
	struct ask_failure failures[ENDPOINTS];
};

/* Fetches and counts. *ret_outcome is what the planner is to know, but for task, way and whether the round is
 * done. What is given up because we stop is not counted. */
enum fetch_result asker_ask(struct asker *asker, const struct fetch *fetch, struct plan_outcome *ret_outcome);

/* A time by our clock, and now, by slurmctld's: Unix seconds. */
int64_t asker_time_s(const struct asker *asker, double ours);
int64_t asker_now_s(const struct asker *asker);

/* What the planner is to know of a request's end, but for task, way and whether the round is done. */
struct plan_outcome asker_outcome(const struct client *client, enum fetch_result result, const struct answer *answer,
				  const struct http_reply *reply);

/* A failure that needs no alarm: the release does not have it, or the user need not have it. */
bool asker_expects(enum endpoint which, enum fetch_result result);
