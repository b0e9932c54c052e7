#include "slurmrest/endpoint.h"

#include <stdio.h>
#include <string.h>

/* Slurm's cluster names are in lower case; another one is not asked for by name. */
static const char url_safe[] = "abcdefghijklmnopqrstuvwxyz0123456789-_.";

void endpoint_cluster_query(enum endpoint which, const char *cluster, char *to, size_t size)
{
	bool is_asked_for =
		endpoint_table[which].takes_cluster && *cluster && cluster[strspn(cluster, url_safe)] == '\0';
	*to = '\0';
	if (is_asked_for)
		snprintf(to, size, "?cluster=%s", cluster);
}

/* flags=ALL makes slurmrestd list hidden partitions, too. Nodes must not have it: it switches SHOW_MIXED off, and mixed
 * nodes then say ALLOCATED (SLURMRESTD.md, "Nodes"). */
const struct endpoint_row endpoint_table[ENDPOINTS] = {
	[ENDPOINT_PING] = {.name = "ping", .path = "/ping", .interval_s = 30, .record = &ping_record},
	[ENDPOINT_DIAG] =
		{.name = "diag", .path = "/diag", .asks_slurmctld = true, .interval_s = 15, .record = &diag_record},
	[ENDPOINT_PARTITIONS] = {.name = "partitions",
				 .path = "/partitions",
				 .takes_update_time = true,
				 .takes_flags = true,
				 .asks_slurmctld = true,
				 .asks_slurmdbd = true, /* for TRES (SLURMRESTD.md, "Partitions") */
				 .interval_s = 45,
				 .record = &partition_record},
	[ENDPOINT_NODES] = {.name = "nodes",
			    .path = "/nodes",
			    .update_time_since =
				    "26.05.3", /* before, 500 now and then (SLURMRESTD.md, "update_time") */
			    .takes_update_time = true,
			    .asks_slurmctld = true,
			    .interval_s = 45,
			    .record = &node_record},
	[ENDPOINT_JOBS] = {.name = "jobs",
			   .path = "/jobs",
			   .takes_update_time = true,
			   .takes_flags = true,
			   .asks_slurmctld = true,
			   .interval_s = 60,
			   .record = &job_record},
	[ENDPOINT_RESERVATIONS] = {.name = "reservations",
				   .path = "/reservations",
				   .takes_update_time = true,
				   .asks_slurmctld = true,
				   .interval_s = 60,
				   .record = &reservation_record},
	[ENDPOINT_LICENSES] = {.name = "licenses",
			       .path = "/licenses",
			       .asks_slurmctld = true,
			       .is_optional = true, /* came with v0.0.38 */
			       .interval_s = 120,
			       .record = &license_record},
	[ENDPOINT_SHARES] = {.name = "shares",
			     .path = "/shares",
			     .asks_slurmctld = true,
			     .is_optional = true, /* came with v0.0.40 */
			     .interval_s = 300, /* PriorityCalcPeriod: not renewed more often */
			     .record = &fairshare_record},
	[ENDPOINT_CONF] = {.name = "conf",
			   .path = "/conf",
			   .asks_slurmctld = true,
			   .is_optional = true, /* came with v0.0.45 */
			   .interval_s = 600,
			   .record = &conf_record},
	[ENDPOINT_DBD_PING] = {.name = "dbd_ping",
			       .path = "/ping",
			       .is_slurmdb = true,
			       .is_optional = true, /* came with v0.0.42 */
			       .interval_s = 30,
			       .record = &ping_record},
	[ENDPOINT_DBD_DIAG] = {.name = "dbd_diag",
			       .path = "/diag",
			       .is_slurmdb = true,
			       .is_optional = true, /* slurmrestd may run without slurmdbd */
			       .interval_s = 60,
			       .record = &dbd_diag_record},
	[ENDPOINT_QOS] = {.name = "qos",
			  .path = "/qos",
			  .is_slurmdb = true,
			  .is_optional = true, /* slurmrestd may run without slurmdbd */
			  .interval_s = 600,
			  .record = &qos_record},
	[ENDPOINT_ASSOCIATIONS] = {.name = "associations",
				   .path = "/associations",
				   .is_slurmdb = true,
				   .takes_cluster = true,
				   .is_optional = true,
				   .interval_s = 600,
				   .record = &association_record},
	[ENDPOINT_JOB_STATES] = {.name = "job_states",
				 .path = "/jobs/state/",
				 .asks_slurmctld = true,
				 .is_optional = true, /* came with 23.11.7 */
				 .record = &job_state_record},
	[ENDPOINT_JOB] = {.name = "job",
			  .path = "/job/",
			  .takes_flags = true,
			  .takes_item = true,
			  .asks_slurmctld = true,
			  .record = &job_record},
	[ENDPOINT_DBD_JOBS] = {.name = "dbd_jobs",
			       .path = "/jobs",
			       .is_slurmdb = true,
			       .is_optional = true, /* slurmrestd may run without slurmdbd */
			       .record = &job_run_record},
	[ENDPOINT_DBD_USER] = {.name = "dbd_user",
			       .path = "/user/",
			       .is_slurmdb = true,
			       .takes_item = true,
			       .is_optional = true,
			       .record = &user_record},
};
