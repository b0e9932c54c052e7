#include "model/controller.h"

const char *const exit_names[EXITS] = {"end_job_queue", "default_queue_depth", "max_job_start",
				       "max_rpc_cnt",	"max_sched_time",      "licenses"};

const char *const backfill_exit_names[BACKFILL_EXITS] = {"end_job_queue", "bf_max_job_start",	"bf_max_job_test",
							 "bf_max_time",	  "bf_node_space_size", "state_changed"};

const char *const rollup_triggers[ROLLUPS] = {[ROLLUP_BY_SLURMDBD] = "slurmdbd", [ROLLUP_BY_REQUEST] = "request"};

const char *const private_data_names[PRIVATE_DATA] = {
	[PRIVATE_ACCOUNTS] = "accounts", [PRIVATE_EVENTS] = "events",	      [PRIVATE_JOBS] = "jobs",
	[PRIVATE_NODES] = "nodes",	 [PRIVATE_PARTITIONS] = "partitions", [PRIVATE_RESERVATIONS] = "reservations",
	[PRIVATE_USAGE] = "usage",	 [PRIVATE_USERS] = "users",
};
