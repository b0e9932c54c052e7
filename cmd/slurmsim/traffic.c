#include "slurmsim/traffic.h"

#include <stdio.h>
#include <string.h>

const char *const endpoint_names[ENDPOINTS] = {"ping",	 "diag",    "partitions",   "nodes",	       "jobs",
					       "job",	 "states",  "reservations", "licenses",	       "shares",
					       "conf",	 "db_jobs", "db_qos",	    "db_associations", "db_diag",
					       "db_ping"};

/* Per release 22.05, 24.11, 26.05: seconds of slurmrestd are a + b rows + c rows². For jobs,
 * states, nodes and slurmdb's jobs that is fitted to what was measured on the real ones (1,000 to
 * 100,000 rows; states of 24.11 up to 20,000, for 100,000 take it minutes, which nobody asks for: SLURMRESTD.md, "Costs",
 * and SLURMRESTD.md, "Lists"); the rest is small, and guessed from their size. slurmctld's time and the memory are linear. */
static const struct {
	const char *message;
	int type;
	double a, b[3], c[3];
	double ctld_a, ctld_b; /* seconds of slurmctld, and per row */
	double bytes[3]; /* of slurmrestd's memory per row */
} costs[ENDPOINTS] = {
	[ENDPOINT_PING] = {"REQUEST_PING", 1008, 0.001, {0}, {0}, 0.0001, 0, {0}},
	[ENDPOINT_DIAG] = {"REQUEST_STATS_INFO", 2035, 0.002, {0}, {0}, 0.0002, 0, {0}},
	[ENDPOINT_PARTITIONS] = {"REQUEST_PARTITION_INFO", 2009, 0.002, {0}, {0}, 0.0001, 0, {0}},
	[ENDPOINT_NODES] =
		{"REQUEST_NODE_INFO", 2007, 0.002, {6e-5, 1.2e-4, 1.2e-4}, {0}, 0.0002, 2e-6, {10e3, 25e3, 25e3}},
	[ENDPOINT_JOBS] = {"REQUEST_JOB_INFO",
			   2003,
			   0.002,
			   {7e-5, 4.5e-4, 4.5e-4},
			   {4.7e-9, 4.5e-8, 3.2e-8},
			   0.001,
			   1e-5,
			   {43e3, 210e3, 150e3}},
	[ENDPOINT_JOB] = {"REQUEST_JOB_INFO_SINGLE",
			  2021,
			  0.0004,
			  {1e-4, 4.5e-4, 4.5e-4},
			  {4.7e-9, 4.5e-8, 3.2e-8},
			  0.0005,
			  1e-4,
			  {43e3, 210e3, 150e3}},
	[ENDPOINT_STATES] =
		{"REQUEST_JOB_STATE", 2057, 0.0003, {0, 9e-6, 4e-6}, {0, 1.6e-9, 1.2e-9}, 0.0001, 8e-7, {0, 3e3, 3e3}},
	[ENDPOINT_RESERVATIONS] = {"REQUEST_RESERVATION_INFO", 2024, 0.001, {0}, {0}, 0.0001, 0, {0}},
	[ENDPOINT_LICENSES] = {"REQUEST_LICENSE_INFO", 1021, 0.001, {0}, {0}, 0.0001, 0, {0}},
	[ENDPOINT_SHARES] = {"REQUEST_SHARE_INFO", 2022, 0.001, {0, 3e-4, 3e-4}, {0}, 0.0002, 2e-6, {0, 60e3, 60e3}},
	[ENDPOINT_CONF] = {"REQUEST_BUILD_INFO", 2001, 0.002, {0}, {0}, 0.0001, 0, {0}},
	[ENDPOINT_DB_JOBS] = {NULL, 0, 0.005, {2e-4, 5e-4, 5e-4}, {1e-9, 5e-9, 5e-9}, 0, 0, {30e3, 100e3, 100e3}},
	[ENDPOINT_DB_QOS] = {NULL, 0, 0.003, {0}, {0}, 0, 0, {0}},
	[ENDPOINT_DB_ASSOCIATIONS] = {NULL, 0, 0.003, {1e-5, 5e-5, 5e-5}, {0}, 0, 0, {5e3, 10e3, 10e3}},
	[ENDPOINT_DB_DIAG] = {NULL, 0, 0.002, {0}, {0}, 0, 0, {0}},
	[ENDPOINT_DB_PING] = {NULL, 0, 0.001, {0}, {0}, 0, 0, {0}},
};

struct cost cost_of(enum endpoint endpoint, int release, uint64_t rows, bool detail)
{
	double n = (double)rows, weight = detail ? 1.8 : 1; /* DETAIL is most of the bytes */
	return (struct cost){
		.slurmrestd_s = costs[endpoint].a +
				weight * (costs[endpoint].b[release] * n + costs[endpoint].c[release] * n * n),
		.slurmctld_s = costs[endpoint].ctld_a + costs[endpoint].ctld_b * n,
		.memory = (uint64_t)(weight * costs[endpoint].bytes[release] * n) + (8 << 20),
	};
}

const char *endpoint_message(enum endpoint endpoint, int *ret_type)
{
	*ret_type = costs[endpoint].type;
	return costs[endpoint].message;
}

static struct sum *sum_of_user(struct traffic *traffic, const char *user)
{
	size_t i = 0;
	while (i + 1 < TRAFFIC_USERS && *traffic->users[i].name && strcmp(traffic->users[i].name, user) != 0)
		i++;
	if (!*traffic->users[i].name)
		snprintf(traffic->users[i].name, sizeof traffic->users[i].name, "%s", user);
	return &traffic->users[i].sum;
}

void traffic_add(struct traffic *traffic, enum endpoint endpoint, const char *user, struct cost cost, uint64_t rows,
		 uint64_t bytes, int status)
{
	traffic->endpoints[endpoint].requests++;
	traffic->endpoints[endpoint].failures += status >= 400;
	traffic->endpoints[endpoint].rows += rows;
	traffic->endpoints[endpoint].bytes += bytes;
	traffic->endpoints[endpoint].slurmrestd_s += cost.slurmrestd_s;
	traffic->endpoints[endpoint].slurmctld_s += cost.slurmctld_s;
	if (traffic->memory_peak < cost.memory)
		traffic->memory_peak = cost.memory;
	if (!costs[endpoint].message)
		return;
	struct sum *sum = sum_of_user(traffic, user);
	traffic->types[endpoint].count++;
	traffic->types[endpoint].seconds += cost.slurmctld_s;
	sum->count++;
	sum->seconds += cost.slurmctld_s;
}

void traffic_reset(struct traffic *traffic)
{
	memset(traffic->types, 0, sizeof traffic->types);
	memset(traffic->users, 0, sizeof traffic->users);
}
