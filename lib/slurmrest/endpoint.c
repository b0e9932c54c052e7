#include "slurmrest/endpoint.h"

/* flags=ALL on partitions is for hidden ones, which are left out otherwise; nodes must not have it: it
 * switches SHOW_MIXED off, and mixed nodes then say ALLOCATED (24.11). */
const struct endpoint_row endpoint_table[ENDPOINTS] = {
	[ENDPOINT_PING] = {.name = "ping", .path = "/ping", .interval_s = 30, .record = &ping_record},
	[ENDPOINT_DIAG] = {.name = "diag",
			   .path = "/diag",
			   .is_authenticated = true,
			   .interval_s = 30,
			   .record = &diag_record},
	[ENDPOINT_PARTITIONS] = {.name = "partitions",
				 .path = "/partitions",
				 .takes_flags = true,
				 .is_authenticated = true,
				 .interval_s = 300,
				 .record = &partition_record},
	[ENDPOINT_NODES] = {.name = "nodes",
			    .path = "/nodes",
			    .is_authenticated = true,
			    .interval_s = 60,
			    .record = &node_record},
	[ENDPOINT_JOBS] = {.name = "jobs",
			   .path = "/jobs",
			   .takes_flags = true,
			   .is_authenticated = true,
			   .interval_s = 60,
			   .record = &job_record},
	[ENDPOINT_JOB_STATES] = {.name = "job_states",
				 .path = "/jobs/state/",
				 .is_authenticated = true,
				 .is_optional = true, /* came with 23.11.7 */
				 .record = &job_state_record},
};
