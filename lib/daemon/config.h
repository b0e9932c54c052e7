/* The options: one table gives parser, default and --help. */
#pragma once

#include "base/buf.h"
#include "base/error.h"
#include "base/log.h"
#include "cluster/caps.h"
#include "metrics/family.h"
#include "daemon/task.h"

enum jobs_read { JOBS_READ_AUTO, JOBS_READ_LIST };
enum jobs_ends { JOBS_ENDS_AUTO, JOBS_ENDS_SLURMDBD, JOBS_ENDS_SLURMCTLD };
enum jobs_steps { JOBS_STEPS_READ, JOBS_STEPS_OFF };

struct config {
	const char *slurmrestd_url;
	const char *ca_file;         /* NULL: what the system trusts */
	const char *slurmrestd_user; /* NULL: the token's */
	const char *api_version;     /* NULL: found by asking */
	const char *token_file, *jwt_key_file; /* at most one; NULL if not given */
	uint64_t timeout_s;
	uint64_t interval_s[TASKS]; /* wished */
	uint64_t limit[ENTITY_KINDS]; /* rows; not of the cluster */
	const char *allow[ENTITY_KINDS], *deny[ENTITY_KINDS]; /* well-formed; NULL if not given */
	uint64_t jobs_read;                /* enum jobs_read */
	uint64_t job_rows, job_node_rows;  /* of jobs by themselves; 0: none */
	uint64_t jobs_ends, jobs_steps;    /* enum jobs_ends, enum jobs_steps */
	const char *state_path;            /* NULL: what was counted is lost with the process */
	uint64_t accounting_from; /* new jobs: their details are slurmdbd's; 0: never */
	uint64_t first_job_id, max_job_id; /* as slurm.conf has them; where conf does not tell */
	double slurmrestd_percent, slurmctld_percent, requests_per_s;
	uint64_t bulk_memory_mib;
	bool rate_limited; /* slurm.conf has rl_enable; where conf does not tell */
	const char *listen_address, *telemetry_path;
	bool systemd_socket;         /* instead of the address */
	const char *web_config_file; /* NULL: none */
	uint64_t log_level, log_format; /* enum log_level, enum log_format */
	uint64_t per_node; /* enum per_node */
	bool once, check_config, list_metrics, version, help;
};

/* Reads the command line; texts point into argv. The result is checked as far as it can be without
 * asking anybody: config_check looks at files. */
bool config_parse(struct config *config, int argc, char *const *argv, struct error *err);

/* Can this be run? Reads the token or key file, tries URL and address, looks whether the state could be
 * written; opens no connection. */
bool config_check(const struct config *config, struct error *err);

/* Sets the caps on rows; `caps` is initialised before and stays its owner's to free. */
bool config_caps(const struct config *config, struct caps *caps, struct error *err);

void config_help(struct buf *out);
