/* The options: their names, types, defaults, and what --help, the manual and the example say of them. */
#include "config/option.h"

#include <assert.h>

#define INTERVAL(name, initial, what, between)                                                                         \
	{                                                                                                              \
		"interval." name, OPTION_SECONDS,                                                                      \
			offsetof(struct config, interval_s) + sizeof(uint64_t) * (size_t)what, initial, "DURATION",    \
			"Target interval between " between "; longer if the budget requires.", NULL                    \
	}
#define LIMIT(kind, name, what, initial)                                                                               \
	{                                                                                                              \
		"limit." name, OPTION_ROWS, offsetof(struct config, limit[kind]), initial, "ROWS",                     \
			"At most this many " what " have rows of their own; the others share the row `other`.", NULL   \
	}
#define FILTER(kind, name, what)                                                                                       \
	{"filter." name,                                                                                               \
	 OPTION_PATTERN,                                                                                               \
	 offsetof(struct config, allow[kind]),                                                                         \
	 NULL,                                                                                                         \
	 "REGEX",                                                                                                      \
	 "Only " what " whose whole name matches this POSIX extended regular expression have rows of their own.",      \
	 NULL},                                                                                                        \
	{                                                                                                              \
		"filter." name "-deny", OPTION_PATTERN, offsetof(struct config, deny[kind]), NULL, "REGEX",            \
			"Of these, " what " whose whole name matches this one have no rows of their own.", NULL        \
	}

static const char *const jobs_read_names[] = {[JOBS_READ_AUTO] = "auto", [JOBS_READ_LIST] = "list", NULL};
static const char *const jobs_ends_names[] = {
	[JOBS_ENDS_AUTO] = "auto", [JOBS_ENDS_SLURMDBD] = "slurmdbd", [JOBS_ENDS_SLURMCTLD] = "slurmctld", NULL};
static const char *const ha_names[] = {[HA_OFF] = "off", [HA_FOLLOW_CONTROLLER] = "follow-controller", NULL};
static const char *const jobs_steps_names[] = {[JOBS_STEPS_READ] = "read", [JOBS_STEPS_OFF] = "off", NULL};
static const char *const owner_histogram_names[] = {[OWNER_HISTOGRAMS_ACCOUNTS] = "accounts",
						    [OWNER_HISTOGRAMS_USERS] = "users",
						    [OWNER_HISTOGRAMS_OFF] = "off",
						    NULL};
static const char *const sandbox_choice_names[] = {
	[SANDBOX_AUTO] = "auto", [SANDBOX_ON] = "on", [SANDBOX_OFF] = "off", NULL};
static const char *const manual_names[] = {[MANUAL_NONE] = "none",
					   [MANUAL_COMMAND] = "slurmscope.1",
					   [MANUAL_FILE] = "slurmscope.yml.5",
					   [MANUAL_BASH] = "bash",
					   [MANUAL_ZSH] = "zsh",
					   NULL};
static const char *const per_node_names[] = {
	[PER_NODE_DEFAULT] = "default", [PER_NODE_FULL] = "full", [PER_NODE_OFF] = "off", NULL};

const struct option_row option_table[] = {
	{"config.file", OPTION_STRING, offsetof(struct config, config_file), NULL, "FILE",
	 "Configuration file (YAML). It has these options, nested at their dots, and can name several clusters. "
	 "Options of the command line override it. slurmscope reads it again at SIGHUP. See --example-config.",
	 NULL},
	{"labels", OPTION_LABELS, offsetof(struct config, labels), NULL, "NAME=VALUE,...",
	 "Labels to add to all metrics, such as cluster=alpha. If the configuration file names several clusters, "
	 "slurmscope adds the label `cluster` itself.",
	 NULL},
	{"ha", OPTION_CHOICE, offsetof(struct config, ha), "off", "HOW",
	 "What to do if there are several controllers, each with a slurmscope beside it. follow-controller: the "
	 "slurmscope leads whose host runs the active slurmctld. Standbys only ask for ping, and only export ping "
	 "metrics.",
	 ha_names},
	{"ha-host", OPTION_STRING, offsetof(struct config, ha_host), NULL, "HOST",
	 "With ha: the SlurmctldHost beside this slurmscope, by the name that ping reports. Without it: this "
	 "machine's host name.",
	 NULL},
	{"slurmrestd.url", OPTION_STRING, offsetof(struct config, slurmrestd_url), "http://127.0.0.1:6820", "URL",
	 "Where slurmrestd listens: http://host:port, https://host:port or unix:/path.", NULL},
	{"slurmrestd.ca-file", OPTION_STRING, offsetof(struct config, ca_file), NULL, "FILE",
	 "Certificates (PEM) of the authorities that may sign the certificate of an https:// slurmrestd, instead of "
	 "those that the system trusts.",
	 NULL},
	{"slurmrestd.cert-file", OPTION_STRING, offsetof(struct config, cert_file), NULL, "FILE",
	 "Client certificate (PEM), if an https:// slurmrestd or a proxy in front of it asks for one.", NULL},
	{"slurmrestd.key-file", OPTION_STRING, offsetof(struct config, key_file), NULL, "FILE",
	 "Private key (PEM, without a password) of slurmrestd.cert-file. Without this option that file must contain "
	 "the key, too.",
	 NULL},
	{"slurmrestd.server-name", OPTION_STRING, offsetof(struct config, server_name), NULL, "NAME",
	 "Name that the certificate of an https:// slurmrestd must have, instead of the URL's host.", NULL},
	{"slurmrestd.proxy", OPTION_STRING, offsetof(struct config, proxy), NULL, "URL",
	 "HTTP proxy through which to reach slurmrestd. Without it slurmscope uses no proxy, whatever the environment "
	 "says.",
	 NULL},
	{"slurmrestd.user", OPTION_STRING, offsetof(struct config, slurmrestd_user), NULL, "USER",
	 "Slurm user to log in as. slurmrestd.jwt-key-file needs it; else the token decides.", NULL},
	{"slurmrestd.api-version", OPTION_STRING, offsetof(struct config, api_version), NULL, "VERSION",
	 "Use only this API version, such as v0.0.42, instead of the newest that both sides know.", NULL},
	{"slurmrestd.token-file", OPTION_STRING, offsetof(struct config, token_file), NULL, "FILE",
	 "File with the token (JWT), or with what `scontrol token` prints. slurmscope reads it again when it changes.",
	 NULL},
	{"slurmrestd.jwt-key-file", OPTION_STRING, offsetof(struct config, jwt_key_file), NULL, "FILE",
	 "The cluster's jwt_hs256.key. slurmscope signs its own short-lived tokens with it.", NULL},
	{"slurmrestd.timeout", OPTION_SECONDS, offsetof(struct config, timeout_s), "2m", "DURATION",
	 "How long to wait for an answer. slurmrestd goes on computing an answer even if nobody waits for it any "
	 "more.",
	 NULL},
	{"web.listen-address", OPTION_LIST, offsetof(struct config, listen_addresses), ":9341", "ADDRESS",
	 "Address to serve on: :port, host:port, [address]:port or unix:/path. Only user and group can connect to a "
	 "unix socket; everybody can with unix:/path,mode=666. Can be given several times.",
	 NULL},
	{"web.systemd-socket", OPTION_FLAG, offsetof(struct config, systemd_socket), NULL, NULL,
	 "Serve on the sockets that systemd opened (a .socket unit), instead of web.listen-address.", NULL},
	{"web.config.file", OPTION_STRING, offsetof(struct config, web_config_file), NULL, "FILE",
	 "File with TLS, users and passwords, HTTP headers and rate limit, in the format that Prometheus and its "
	 "exporters share. slurmscope's own is `tenants`: who sees only some rows. slurmscope reads the file again when it "
	 "changes.",
	 NULL},
	{"web.audit-log", OPTION_FLAG, offsetof(struct config, audit_log), NULL, NULL,
	 "Log who asks for what: at most 60 requests a minute of each user, and how many more there were. They are lines "
	 "of level info.",
	 NULL},
	{"web.telemetry-path", OPTION_STRING, offsetof(struct config, telemetry_path), "/metrics", "PATH",
	 "Path of the metrics page.", NULL},
	{"web.enable-lifecycle", OPTION_FLAG, offsetof(struct config, enable_lifecycle), NULL, NULL,
	 "Read the configuration again at POST /-/reload, not only at SIGHUP.", NULL},
	{"web.openmetrics-created", OPTION_FLAG, offsetof(struct config, openmetrics_created), NULL, NULL,
	 "Add samples to OpenMetrics pages that say when each counter began (..._created). Protobuf always has these "
	 "times.",
	 NULL},
	{"state.path", OPTION_STRING, offsetof(struct config, state_path), NULL, "FILE",
	 "File that keeps counters of job events, so that no event is lost or counted twice when slurmscope or the "
	 "machine stops. Without it the counters begin at 0 at each start.",
	 NULL},
	{"jobs.read", OPTION_CHOICE, offsetof(struct config, jobs_read), "auto", "HOW",
	 "How to read jobs. auto: the states of all jobs in batches, and the details of changed jobs, if slurmrestd "
	 "has jobs/state (Slurm 24.05 and later). list: always one list of all jobs, which is expensive from a few "
	 "thousand jobs on.",
	 jobs_read_names},
	{"jobs.ends", OPTION_CHOICE, offsetof(struct config, jobs_ends), "auto", "SOURCE",
	 "Where the ends of jobs come from. slurmdbd loses none; slurmctld forgets ended jobs after MinJobAge. auto: "
	 "slurmdbd if it ever answers, else slurmctld.",
	 jobs_ends_names},
	{"jobs.steps", OPTION_CHOICE, offsetof(struct config, jobs_steps), "read", "HOW",
	 "Whether to read the steps of ended jobs from slurmdbd. They tell how much of their CPUs and memory the jobs "
	 "used.",
	 jobs_steps_names},
	{"jobs.steps-waiting", OPTION_ROWS, offsetof(struct config, steps_waiting_max), "100000", "JOBS",
	 "At most this many ended jobs wait until slurmscope reads their steps. If jobs end faster than the budget lets it "
	 "read steps, slurmscope gives up the oldest: their efficiency stays unknown.",
	 NULL},
	{"jobs.accounting-from", OPTION_ROWS, offsetof(struct config, accounting_from), "1000", "JOBS",
	 "If at least this many new jobs wait for their details, slurmscope reads these from slurmdbd, at an eighth "
	 "of the cost. Why such a job waits is Unknown until slurmscope asks slurmctld for it. 0: never.",
	 NULL},
	{"jobs.histograms", OPTION_CHOICE, offsetof(struct config, owner_histograms), "accounts", "WHOSE",
	 "Whose waits and run times have histograms of their own, beside those by partition and QOS: 18 series an account "
	 "or user. users: accounts and users.",
	 owner_histogram_names},
	{"jobs.rows", OPTION_ROWS, offsetof(struct config, job_rows), "200", "ROWS",
	 "At most this many jobs that hold nodes have rows of their own (slurm_job_...), about 15 series a job. Jobs with "
	 "most resources come first, by their TRES billing. The rows are for joins with what exporters on the nodes say "
	 "of jobs. 0: none.",
	 NULL},
	{"jobs.pending-rows", OPTION_ROWS, offsetof(struct config, job_pending_rows), "200", "ROWS",
	 "At most this many jobs that wait have rows of their own (slurm_job_..., slurm_pending_job_...), about 12 series a "
	 "job. Jobs that ask for most resources come first, by their TRES billing. 0: none.",
	 NULL},
	{"jobs.ended-rows", OPTION_ROWS, offsetof(struct config, job_ended_rows), "200", "ROWS",
	 "At most this many jobs that ended have rows of their own (slurm_ended_job_...), about 15 series a job. Half of the "
	 "rows are for jobs that failed. Jobs that used most resources, by their TRES billing and their run time, come first. "
	 "0: none.",
	 NULL},
	{"jobs.ended-minutes", OPTION_ROWS, offsetof(struct config, job_ended_minutes), "60", "MINUTES",
	 "Jobs that ended have their rows for this long.", NULL},
	{"jobs.node-rows", OPTION_ROWS, offsetof(struct config, job_node_rows), "10000", "ROWS",
	 "At most this many nodes of these jobs have rows (slurm_job_node_...); each node of a job has two series.",
	 NULL},
	{"jobs.first-id", OPTION_ID, offsetof(struct config, first_job_id), "1", "ID",
	 "FirstJobId of slurm.conf. Slurm 26.05 and later report it themselves.", NULL},
	{"jobs.max-id", OPTION_ID, offsetof(struct config, max_job_id), "67043328", "ID",
	 "MaxJobId of slurm.conf. Slurm 26.05 and later report it themselves.", NULL},
	{"jobs.max-array-size", OPTION_ROWS, offsetof(struct config, max_array_size), "1001", "TASKS",
	 "MaxArraySize of slurm.conf, so that no request asks for too many tasks of an array. Slurm 26.05 and later "
	 "report it themselves.",
	 NULL},
	{"nodes.per-node", OPTION_CHOICE, offsetof(struct config, per_node), "default", "DETAIL",
	 "Which metrics each node has. default: state, flags, version and reason (about 3 series a node). full: "
	 "everything (about 25 series a node, including transitions, and 3 for each kind of GRES). off: none.",
	 per_node_names},
	{"nodes.cause", OPTION_LIST, offsetof(struct config, node_causes), NULL, "NAME=REGEX",
	 "A cause of nodes' outages: NAME is their label `cause` if the regular expression (POSIX extended) matches the "
	 "whole reason of the node. The first that matches decides. Can be given 16 times. What none matches has one of "
	 "Slurm's own causes.",
	 NULL},
	{"names.hash-key-file", OPTION_STRING, offsetof(struct config, hash_key_file), NULL, "FILE",
	 "Key of at least 32 bytes. With it pages, the log and the state file have keyed hashes in place of names, such as "
	 "u-e5dac78553933b24. The same key gives the same hashes everywhere. A name's hash: --hash-name.",
	 NULL},
	{"names.hashed", OPTION_SET, offsetof(struct config, hashed), NULL, "KINDS",
	 "Which names are hashed with names.hash-key-file, with commas between; users,reservations if not given. Slurm names a reservation after its first "
	 "user or account if nobody names it. reasons: why nodes are down or drained.",
	 hashed_names},
	{"budget.slurmrestd", OPTION_DECIMAL, offsetof(struct config, slurmrestd_percent), "6", "PERCENT",
	 "Share of time that requests may occupy slurmrestd. slurmscope asks less often for what does not fit.", NULL},
	{"budget.start", OPTION_DECIMAL_OR_0, offsetof(struct config, start_percent), "30", "PERCENT",
	 "Share of time that requests may occupy slurmrestd after a start. It ends when all jobs, their details and why "
	 "they wait are known, and after ten minutes at most. budget.requests grows with it, budget.slurmctld does "
	 "not. 0: no more than budget.slurmrestd.",
	 NULL},
	{"budget.slurmctld", OPTION_DECIMAL, offsetof(struct config, slurmctld_percent), "1", "PERCENT",
	 "Share of time that requests may occupy slurmctld, by slurmctld's own account.", NULL},
	{"budget.requests", OPTION_DECIMAL, offsetof(struct config, requests_per_s), "50", "PER_SECOND",
	 "At most this many requests per second.", NULL},
	{"budget.rate-limited", OPTION_FLAG, offsetof(struct config, rate_limited), NULL, NULL,
	 "slurm.conf has rl_enable: send fewer, larger requests. Slurm 26.05 and later report it themselves.", NULL},
	{"budget.bulk-memory", OPTION_ROWS, offsetof(struct config, bulk_memory_mib), "1024", "MIB",
	 "Do not ask for a list if slurmrestd is predicted to grow by more than this because of it.", NULL},
	INTERVAL("ping", "30s", ENDPOINT_PING, "pings of the controllers"),
	INTERVAL("diag", "15s", ENDPOINT_DIAG, "reads of slurmctld's statistics (sdiag)"),
	INTERVAL("partitions", "45s", ENDPOINT_PARTITIONS, "reads of partitions"),
	INTERVAL("nodes", "45s", ENDPOINT_NODES, "reads of nodes"),
	INTERVAL("jobs", "1m", ENDPOINT_JOBS, "reads of the list of all jobs, if jobs are read that way (jobs.read)"),
	INTERVAL("job_states", "15s", TASK_JOB_STATES, "reads of the states of all known jobs, and of new jobs"),
	INTERVAL("job_search", "15s", TASK_JOB_SEARCH,
		 "searches for jobs that slurmctld counts but slurmscope does not know"),
	INTERVAL("job_details", "30s", TASK_JOB_DETAILS, "reads of the details of new and changed jobs"),
	INTERVAL("job_reasons", "30s", TASK_JOB_REASONS, "reads of why a job waits"),
	INTERVAL("job_rotation", "10m", TASK_JOB_ROTATION,
		 "reads of the details of the same job, even if it did not change"),
	INTERVAL("job_arrays", "30s", TASK_JOB_ARRAYS, "reads of large arrays: how many of their tasks wait, and why"),
	INTERVAL("job_ends", "30s", TASK_JOB_ENDS, "reads of ended jobs from slurmdbd"),
	INTERVAL("job_steps", "1m", TASK_JOB_STEPS, "reads of the steps of ended jobs from slurmdbd"),
	INTERVAL("reservations", "1m", ENDPOINT_RESERVATIONS, "reads of reservations"),
	INTERVAL("licenses", "2m", ENDPOINT_LICENSES, "reads of licences"),
	INTERVAL("shares", "5m", ENDPOINT_SHARES, "reads of fairshare"),
	INTERVAL("conf", "10m", ENDPOINT_CONF, "reads of slurmctld's configuration (Slurm 26.05 and later)"),
	INTERVAL("dbd_ping", "30s", ENDPOINT_DBD_PING, "pings of slurmdbd"),
	INTERVAL("dbd_diag", "1m", ENDPOINT_DBD_DIAG, "reads of slurmdbd's statistics"),
	INTERVAL("qos", "10m", ENDPOINT_QOS, "reads of QOS and their limits"),
	INTERVAL("associations", "10m", ENDPOINT_ASSOCIATIONS,
		 "reads of associations: accounts, users and their limits"),
	LIMIT(ENTITY_USER, "users", "users", "500"),
	LIMIT(ENTITY_ACCOUNT, "accounts", "accounts", "250"),
	LIMIT(ENTITY_PARTITION, "partitions", "partitions", "200"),
	LIMIT(ENTITY_QOS, "qos", "QOS", "200"),
	FILTER(ENTITY_USER, "users", "users"),
	FILTER(ENTITY_ACCOUNT, "accounts", "accounts"),
	FILTER(ENTITY_PARTITION, "partitions", "partitions"),
	FILTER(ENTITY_QOS, "qos", "QOS"),
	{"log.level", OPTION_CHOICE, offsetof(struct config, log_level), "info", "LEVEL",
	 "Lowest level to log; debug has a line for each answer of slurmrestd and each page.", log_level_names},
	{"log.format", OPTION_CHOICE, offsetof(struct config, log_format), "logfmt", "FORMAT", "Format of log lines.",
	 log_format_names},
	{"sandbox", OPTION_CHOICE, offsetof(struct config, sandbox), "auto", "HOW",
	 "Let the kernel (seccomp, Landlock) refuse what slurmscope does not need, such as starting programs and "
	 "writing outside the folders of the state files. auto: as far as the kernel can. on: do not start if it "
	 "cannot. off: no sandbox.",
	 sandbox_choice_names},
	{"once", OPTION_FLAG, offsetof(struct config, once), NULL, NULL,
	 "Poll everything once, print the page, and exit. The exit status is 1 if an endpoint failed.", NULL},
	{"check-config", OPTION_FLAG, offsetof(struct config, check_config), NULL, NULL,
	 "Check the options and the files that they name, and exit.", NULL},
	{"print-config", OPTION_FLAG, offsetof(struct config, print_config), NULL, NULL,
	 "Print the configuration in force as a configuration file, and exit.", NULL},
	{"example-config", OPTION_FLAG, offsetof(struct config, example_config), NULL, NULL,
	 "Print a configuration file with all options, their defaults and their descriptions, and exit.", NULL},
	{"print-manual", OPTION_CHOICE, offsetof(struct config, print_manual), NULL, "PAGE",
	 "Print a manual page or a completion script for a shell, and exit.", manual_names},
	{"hash-name", OPTION_STRING, offsetof(struct config, hash_name), NULL, "NAME",
	 "Print what stands in place of this name with names.hash-key-file, for each kind of names.hashed, and exit.",
	 NULL},
	{"list-metrics", OPTION_FLAG, offsetof(struct config, list_metrics), NULL, NULL,
	 "List all metric families (name, type, labels, source, since, help), and exit.", NULL},
	{"version", OPTION_FLAG, offsetof(struct config, version), NULL, NULL, "Print the version, and exit.", NULL},
	{"help", OPTION_GROUP, offsetof(struct config, help), NULL, "[GROUP]",
	 "Print this help, or one group of it, and exit.", NULL},
};
const size_t option_count = sizeof option_table / sizeof *option_table;

static_assert(sizeof option_table / sizeof *option_table <= OPTIONS_MAX, "places of options");
