/* The options of one cluster, with those of the process: one table gives command line, configuration file,
 * default and --help (option.h). */
#pragma once

#include "base/buf.h"
#include "base/error.h"
#include "base/log.h"
#include "config/task.h"
#include "entities/job_groups.h"
#include "entities/node_outage.h"
#include "metrics/family.h"
#include "slurmrest/client.h"
#include "yaml/document.h"

enum jobs_read { JOBS_READ_AUTO, JOBS_READ_LIST };
enum jobs_ends { JOBS_ENDS_AUTO, JOBS_ENDS_SLURMDBD, JOBS_ENDS_SLURMCTLD };
enum ha { HA_OFF, HA_FOLLOW_CONTROLLER };
enum jobs_steps { JOBS_STEPS_READ, JOBS_STEPS_OFF };
enum sandbox_choice { SANDBOX_AUTO, SANDBOX_ON, SANDBOX_OFF };
enum manual { MANUAL_NONE, MANUAL_COMMAND, MANUAL_FILE, MANUAL_BASH, MANUAL_ZSH };

/* The paths that slurmscope serves beside the metrics: the metrics' path cannot be one of these. */
enum served {
	SERVED_PAGE,
	SERVED_STATUS,
	SERVED_PLAN,
	SERVED_JOBS,
	SERVED_JOBS_JSON,
	SERVED_STYLE,
	SERVED_ICON,
	SERVED_HEALTHY,
	SERVED_READY,
	SERVED_RELOAD,
	SERVED
};
extern const char *const served_paths[SERVED];

enum { OPTIONS_MAX = 128, CONFIG_LABELS_MAX = 16, CONFIG_LABEL_BYTES = 64, CONFIG_LIST_MAX = 16 };

struct config_labels {
	size_t count;
	struct config_label {
		char name[CONFIG_LABEL_BYTES], value[256];
	} items[CONFIG_LABELS_MAX];
};

struct config_list {
	const char *values[CONFIG_LIST_MAX];
	size_t count;
	bool is_whole; /* the list is from a source that was read before (default, file): the next value replaces it */
};

struct config {
	const char *name; /* of the cluster, where there are several; else NULL */
	struct config_labels labels;
	uint64_t ha; /* enum ha */
	const char *ha_host; /* of the slurmctld to follow; NULL: this machine */
	const char *slurmrestd_url;
	const char *ca_file; /* NULL: what the system trusts */
	const char *cert_file, *key_file; /* what we show; NULL: nothing; key_file NULL: it is in cert_file */
	const char *server_name; /* NULL: the URL's */
	const char *proxy; /* NULL: none */
	const char *slurmrestd_user; /* NULL: the token's */
	const char *api_version; /* NULL: found by asking */
	const char *token_file, *jwt_key_file; /* at most one; NULL if not given */
	uint64_t timeout_s;
	uint64_t interval_s[TASKS]; /* target intervals */
	const char *hash_key_file; /* NULL: names stay */
	uint64_t hashed; /* with it: a bit for each enum hashed; 0: not given */
	uint64_t limit[ENTITY_KINDS]; /* rows; not of the cluster */
	const char *allow[ENTITY_KINDS], *deny[ENTITY_KINDS]; /* well-formed; NULL if not given */
	uint64_t jobs_read; /* enum jobs_read */
	uint64_t job_rows, job_pending_rows, job_ended_rows, job_node_rows; /* of jobs by themselves; 0: none */
	uint64_t job_ended_minutes; /* for how long jobs that ended have rows */
	uint64_t steps_waiting_max; /* runs */
	uint64_t jobs_ends, jobs_steps; /* enum jobs_ends, enum jobs_steps */
	const char *state_path; /* NULL: what was counted is lost with the process */
	uint64_t accounting_from; /* if at least this many jobs are new, slurmdbd is asked for details; 0: never */
	uint64_t first_job_id, max_job_id, max_array_size; /* as slurm.conf has them; where conf does not tell */
	double slurmrestd_percent, slurmctld_percent, requests_per_s;
	double start_percent; /* of slurmrestd's time, after a start; without effect unless above slurmrestd_percent */
	uint64_t bulk_memory_mib;
	bool rate_limited; /* slurm.conf has rl_enable; where conf does not tell */
	struct config_list listen_addresses;
	const char *telemetry_path;
	bool systemd_socket; /* instead of the address */
	const char *web_config_file; /* NULL: none */
	uint64_t log_level, log_format; /* enum log_level, enum log_format */
	uint64_t per_node; /* enum per_node */
	struct config_list node_causes; /* each a name, = and a regular expression */
	uint64_t owner_histograms; /* enum owner_histograms */
	bool enable_lifecycle; /* POST /-/reload */
	bool audit_log;
	bool openmetrics_created;
	uint64_t sandbox; /* enum sandbox_choice */
	const char *config_file; /* NULL: none */
	uint64_t print_manual; /* enum manual */
	bool once, check_config, print_config, example_config, list_metrics, version;
	const struct yaml_node *groups; /* of the file, well-formed (config_groups.h); NULL: none */
	const char *hash_name; /* whose hashes to print; NULL: none */
	const char *help; /* the group of options to explain; "": all; NULL: none */
	const struct document *file; /* that was read; NULL: none */
	struct yaml_position positions[OPTIONS_MAX]; /* in it, by row of the table; line 0: not from there */
};

void config_defaults(struct config *config);

/* Reads the command line over what is set already; texts point into argv. */
bool config_arguments(struct config *config, int argc, char *const *argv, struct error *err);

/* Reads a configuration file likewise; texts are the document's. Leaves out what stands below `clusters`: *ret_clusters
 * is its map, or NULL. If `name` is set, reads the part of the file that is about that cluster. */
bool config_take(struct config *config, const struct yaml_node *map, const struct yaml_node **ret_clusters,
		 struct error *err);

/* Checks that the options fit together. Reads no files. */
bool config_makes_sense(const struct config *config, struct error *err);

/* Says what is wrong with the option, and where it was given; returns false. */
bool config_wrong(const struct config *config, const char *option, struct error *err, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Checks the options of the process: parses the addresses, reads the web configuration. Opens no socket. */
bool config_check_process(const struct config *config, struct error *err);
/* Checks the options of the cluster: reads the token and key files, checks the URL and certificates, and whether the
 * state could be written. Opens no connection. */
bool config_check(const struct config *config, struct error *err);

bool config_is_tls(const struct config *config); /* slurmrestd is asked by https:// */

/* How to connect as configured. The strings are borrowed; the token is new. */
struct client_options config_client(const struct config *config, const atomic_bool *stop);
struct token *config_token(const struct config *config);

uint64_t config_hashed(const struct config *config); /* which names a key hashes: a bit for each enum hashed */

/* Reads the key of names' hashes. *ret_hash: for name_hash_free; NULL: none is configured. */
bool config_name_hash(const struct config *config, struct name_hash **ret_hash, struct error *err);

/* The host whose slurmctld is followed: as configured, or this machine. */
void config_ha_host(const struct config *config, char *host, size_t size);

/* Sets the caps on rows; `caps` is initialised before and stays its owner's to free. */
bool config_caps(const struct config *config, struct caps *caps, struct error *err);

/* Adds the causes of nodes' outages that are configured; `causes` stays its owner's to free. */
bool config_causes(const struct config *config, struct node_causes *causes, struct error *err);

/* Makes the groups of jobs that are configured, of what is empty. The caller ends them with job_groups_done. */
void config_groups(const struct config *config, struct job_groups *ret_groups);

/* Writes the labels that all metrics of the cluster have, in the form that they have on a page. */
void config_labels(const struct config *config, struct buf *out);

/* The options that differ from those of `common` (NULL: all that have a value) as a configuration file has them. */
void config_print(const struct config *config, const struct config *common, unsigned indent, struct buf *out);
void config_example(struct buf *out);
