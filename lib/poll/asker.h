/* One request to slurmrestd: counted, timed, and logged when an endpoint begins to fail or works again. Of the poller's
 * thread. */
#pragma once

#include "config/config.h"
#include "metrics/exporter.h"
#include "plan/plan.h"
#include "poll/health.h"

/* The last unexpected failure of an endpoint. */
struct ask_failure {
	struct error error;
	double time, since; /* Unix seconds; 0: never; 0: it works */
};

struct asker {
	const struct config *config;
	struct client *client;
	const struct name_hash *hash; /* borrowed; NULL: names stay */
	struct cluster *cluster; /* gets what any answer says of it */
	struct health *health;
	struct exporter *exporter;
	const atomic_bool *stop;
	uint64_t last_update; /* of the last answer that counts: Unix seconds; 0: it did not say */
	bool is_compact; /* slurmrestd's JSON had no whitespace so far (deploy/slurmrestd) */
	double clock_ahead; /* seconds that slurmctld's clock is ahead of ours, by diag's answers */
	bool warned_of_file;
	struct ask_failure failures[ENDPOINTS];
};

/* Sends the request and counts it. *ret_outcome is for the planner; the caller sets task, way and whether the round is
 * done. A request that is cancelled because we stop does not count. */
enum fetch_result asker_ask(struct asker *asker, const struct fetch *fetch, struct plan_outcome *ret_outcome);

/* A time by our clock, converted to slurmctld's, and the time now by slurmctld's; Unix seconds. */
int64_t asker_time_s(const struct asker *asker, double ours);
int64_t asker_now_s(const struct asker *asker);

/* What the planner needs of a request's end, without task, way and whether the round is done. */
struct plan_outcome asker_outcome(const struct client *client, enum fetch_result result, const struct answer *answer,
				  const struct http_reply *reply);

/* Is it a failure without need for an alarm? The release lacks the endpoint, or the user needs no right to it. */
bool asker_expects(enum endpoint which, enum fetch_result result);
