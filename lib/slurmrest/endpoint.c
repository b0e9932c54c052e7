#include "slurmrest/endpoint.h"

const struct endpoint_row endpoint_table[ENDPOINTS] = {
	[ENDPOINT_PING] = {"ping", "/ping", false, false, 30, &ping_record},
	[ENDPOINT_DIAG] = {"diag", "/diag", false, true, 30, &diag_record},
	[ENDPOINT_PARTITIONS] = {"partitions", "/partitions", false, true, 300, &partition_record},
	[ENDPOINT_NODES] = {"nodes", "/nodes", false, true, 60, &node_record},
	[ENDPOINT_JOBS] = {"jobs", "/jobs", true, true, 60, &job_record},
};
