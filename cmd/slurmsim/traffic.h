/* What clients cost: requests and their predicted costs, by endpoint, message type and user. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum endpoint {
	ENDPOINT_PING,
	ENDPOINT_DIAG,
	ENDPOINT_PARTITIONS,
	ENDPOINT_NODES,
	ENDPOINT_JOBS,
	ENDPOINT_JOB,
	ENDPOINT_STATES,
	ENDPOINT_RESERVATIONS,
	ENDPOINT_LICENSES,
	ENDPOINT_SHARES,
	ENDPOINT_CONF,
	ENDPOINT_DB_JOBS,
	ENDPOINT_DB_QOS,
	ENDPOINT_DB_ASSOCIATIONS,
	ENDPOINT_DB_DIAG,
	ENDPOINT_DB_PING,
	ENDPOINTS
};
extern const char *const endpoint_names[];

enum { TRAFFIC_USERS = 16 };

struct sum {
	uint64_t count;
	double seconds;
};

struct traffic {
	struct {
		uint64_t requests, failures, bytes, rows;
		double slurmrestd_s, slurmctld_s;
	} endpoints[ENDPOINTS];
	uint64_t memory_peak; /* slurmrestd's, with one arena */
	struct sum types[ENDPOINTS]; /* of slurmctld, since its start */
	struct {
		char name[64];
		struct sum sum;
	} users[TRAFFIC_USERS];
};

struct cost {
	double slurmrestd_s, slurmctld_s;
	uint64_t memory; /* bytes */
};

/* Of an answer with `rows` records; `release` as in view.h. */
struct cost cost_of(enum endpoint endpoint, int release, uint64_t rows, bool detail);

void traffic_add(struct traffic *traffic, enum endpoint endpoint, const char *user, struct cost cost, uint64_t rows,
		 uint64_t bytes, int status);
void traffic_reset(struct traffic *traffic); /* slurmctld's sums only: it was restarted */

/* slurmctld's message that the endpoint costs it; NULL for none. */
const char *endpoint_message(enum endpoint endpoint, int *ret_type);
