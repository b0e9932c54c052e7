/* The endpoints of slurmrestd that are asked. */
#pragma once

#include "slurmrest/decode.h"

enum endpoint {
	ENDPOINT_PING,
	ENDPOINT_DIAG,
	ENDPOINT_PARTITIONS,
	ENDPOINT_NODES,
	ENDPOINT_JOBS,
	ENDPOINT_RESERVATIONS,
	ENDPOINT_LICENSES,
	ENDPOINT_SHARES,
	ENDPOINT_CONF,
	ENDPOINT_DBD_PING,
	ENDPOINT_DBD_DIAG,
	ENDPOINT_QOS,
	ENDPOINT_ASSOCIATIONS,
	ENDPOINTS_POLLED, /* the ones above are polled, those below asked when needed */
	ENDPOINT_JOB_STATES = ENDPOINTS_POLLED, /* of all jobs, or of those named by job_id= */
	ENDPOINT_JOB, /* one record, or all of an array or het job whose leader it is */
	ENDPOINT_DBD_JOBS, /* runs of jobs: job_runs_query.h */
	ENDPOINT_DBD_USER, /* one, by name: of doctor */
	ENDPOINTS,
};

struct endpoint_row {
	const char *name; /* the label and option value */
	const char *path; /* below /slurm/v0.0.NN, or /slurmdb/v0.0.NN */
	bool is_slurmdb; /* slurmdbd answers */
	bool takes_flags; /* the version's flags_query is appended */
	bool asks_slurmctld; /* so it fails without slurmctld or a valid token (ping does not) */
	bool asks_slurmdbd; /* an endpoint below /slurm that asks slurmdbd, too, and so may fail without it */
	bool takes_cluster; /* "?cluster=" is appended once the cluster's name is known */
	bool takes_update_time; /* where the version does */
	const char *update_time_since; /* release of Slurm in which it works; NULL: all */
	bool takes_item; /* the path goes on with what is asked for: a job's ID */
	bool is_optional; /* not served by every release that serves the version */
	unsigned interval_s; /* the default; 0 if it is not polled */
	const struct record_type *record;
};

/* The query that asks for this cluster's records alone, "" where the endpoint takes none or the name is not known. */
void endpoint_cluster_query(enum endpoint which, const char *cluster, char *to, size_t size);

extern const struct endpoint_row endpoint_table[ENDPOINTS]; /* in the order of a first poll */
