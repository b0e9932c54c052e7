/* The options: their names, types, defaults, and what --help, the manual and the example say of them. */
#include "config/option.h"

#include <assert.h>

#define INTERVAL(endpoint, initial, what)                                                                              \
	{                                                                                                              \
		"interval." endpoint, OPTION_SECONDS,                                                                  \
			offsetof(struct config, interval_s) + sizeof(uint64_t) * (size_t)what, initial, "DURATION",    \
			"Wished time between polls of " endpoint "; longer where a budget does not allow it.", NULL    \
	}

#define LIMIT(kind, what, initial)                                                                                     \
	{                                                                                                              \
		"limit." what, OPTION_ROWS, offsetof(struct config, limit[kind]), initial, "ROWS",                     \
			"Most " what " that have rows of their own; the others are added up in the row `other`.", NULL \
	}
#define FILTER(kind, what)                                                                                             \
	{"filter." what,                                                                                               \
	 OPTION_PATTERN,                                                                                               \
	 offsetof(struct config, allow[kind]),                                                                         \
	 NULL,                                                                                                         \
	 "REGEX",                                                                                                      \
	 "Only " what " whose whole name matches have rows of their own (POSIX extended).",                            \
	 NULL},                                                                                                        \
	{                                                                                                              \
		"filter." what "-deny", OPTION_PATTERN, offsetof(struct config, deny[kind]), NULL, "REGEX",            \
			"Not those " what " whose whole name matches.", NULL                                           \
	}
static const char *const jobs_read_names[] = {[JOBS_READ_AUTO] = "auto", [JOBS_READ_LIST] = "list", NULL};
static const char *const jobs_ends_names[] = {
	[JOBS_ENDS_AUTO] = "auto", [JOBS_ENDS_SLURMDBD] = "slurmdbd", [JOBS_ENDS_SLURMCTLD] = "slurmctld", NULL};
static const char *const ha_names[] = {[HA_OFF] = "off", [HA_FOLLOW_CONTROLLER] = "follow-controller", NULL};
static const char *const jobs_steps_names[] = {[JOBS_STEPS_READ] = "read", [JOBS_STEPS_OFF] = "off", NULL};
static const char *const sandbox_wish_names[] = {
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
	{"labels", OPTION_LABELS, offsetof(struct config, labels), NULL, "NAME=VALUE,...",
	 "Labels that all metrics have, such as the cluster's name; of several clusters each has the label "
	 "`cluster`.",
	 NULL},
	{"ha", OPTION_CHOICE, offsetof(struct config, ha), "off", "HOW",
	 "Where there are several controllers, each with a slurmscope: follow-controller has the one lead whose host's "
	 "slurmctld serves; the others stand by, ask for ping alone and tell nothing of the cluster but that.",
	 ha_names},
	{"ha-host", OPTION_STRING, offsetof(struct config, ha_host), NULL, "HOST",
	 "With ha: the SlurmctldHost beside this slurmscope, as ping names it; without it this machine's host name.",
	 NULL},
	{"slurmrestd.url", OPTION_STRING, offsetof(struct config, slurmrestd_url), "http://127.0.0.1:6820", "URL",
	 "Where slurmrestd listens: http://host:port, https://host:port or unix:/path.", NULL},
	{"slurmrestd.ca-file", OPTION_STRING, offsetof(struct config, ca_file), NULL, "FILE",
	 "Certificates (PEM) that an https:// slurmrestd's must come from, instead of the system's.", NULL},
	{"slurmrestd.cert-file", OPTION_STRING, offsetof(struct config, cert_file), NULL, "FILE",
	 "Certificate (PEM) to show to an https:// slurmrestd, or a proxy before it, that wants one.", NULL},
	{"slurmrestd.key-file", OPTION_STRING, offsetof(struct config, key_file), NULL, "FILE",
	 "Its private key (PEM, without a password); without it the certificate's file must have it.", NULL},
	{"slurmrestd.server-name", OPTION_STRING, offsetof(struct config, server_name), NULL, "NAME",
	 "Name that the certificate of an https:// slurmrestd must have, instead of the URL's host.", NULL},
	{"slurmrestd.proxy", OPTION_STRING, offsetof(struct config, proxy), NULL, "URL",
	 "HTTP proxy to ask slurmrestd through; none without it, whatever the environment says.", NULL},
	{"slurmrestd.user", OPTION_STRING, offsetof(struct config, slurmrestd_user), NULL, "USER",
	 "The Slurm user to be; needed with a key file, else the token's own.", NULL},
	{"slurmrestd.api-version", OPTION_STRING, offsetof(struct config, api_version), NULL, "VERSION",
	 "Use only this API version, such as v0.0.42, instead of the newest that both sides know.", NULL},
	{"slurmrestd.token-file", OPTION_STRING, offsetof(struct config, token_file), NULL, "FILE",
	 "File with the JWT (or what scontrol token prints); read again when it changes.", NULL},
	{"slurmrestd.jwt-key-file", OPTION_STRING, offsetof(struct config, jwt_key_file), NULL, "FILE",
	 "The cluster's jwt_hs256.key: short-lived tokens are signed with it.", NULL},
	{"slurmrestd.timeout", OPTION_SECONDS, offsetof(struct config, timeout_s), "2m", "DURATION",
	 "How long to wait for an answer (slurmrestd goes on computing one that nobody waits for).", NULL},
	INTERVAL("ping", "30s", ENDPOINT_PING),
	INTERVAL("diag", "15s", ENDPOINT_DIAG),
	INTERVAL("partitions", "45s", ENDPOINT_PARTITIONS),
	INTERVAL("nodes", "45s", ENDPOINT_NODES),
	INTERVAL("jobs", "1m", ENDPOINT_JOBS),
	INTERVAL("job_states", "15s", TASK_JOB_STATES),
	INTERVAL("job_search", "15s", TASK_JOB_SEARCH),
	INTERVAL("job_details", "30s", TASK_JOB_DETAILS),
	INTERVAL("job_reasons", "30s", TASK_JOB_REASONS),
	INTERVAL("job_rotation", "10m", TASK_JOB_ROTATION),
	INTERVAL("job_arrays", "1m", TASK_JOB_ARRAYS),
	INTERVAL("job_ends", "30s", TASK_JOB_ENDS),
	INTERVAL("job_steps", "1m", TASK_JOB_STEPS),
	INTERVAL("reservations", "1m", ENDPOINT_RESERVATIONS),
	INTERVAL("licenses", "2m", ENDPOINT_LICENSES),
	INTERVAL("shares", "5m", ENDPOINT_SHARES),
	INTERVAL("conf", "10m", ENDPOINT_CONF),
	INTERVAL("dbd_ping", "30s", ENDPOINT_DBD_PING),
	INTERVAL("dbd_diag", "1m", ENDPOINT_DBD_DIAG),
	{"jobs.read", OPTION_CHOICE, offsetof(struct config, jobs_read), "auto", "HOW",
	 "How jobs are read: by their states and the details of what changed (where slurmrestd has "
	 "jobs/state: Slurm 24.05 and later), or always as one whole list, which is dear from a few "
	 "thousand jobs on.",
	 jobs_read_names},
	{"jobs.ends", OPTION_CHOICE, offsetof(struct config, jobs_ends), "auto", "SOURCE",
	 "Who tells how jobs ended: slurmdbd, which loses none, or slurmctld, which forgets them after "
	 "MinJobAge; auto: slurmdbd, if it ever answers.",
	 jobs_ends_names},
	{"jobs.steps", OPTION_CHOICE, offsetof(struct config, jobs_steps), "read", "HOW",
	 "Whether the steps of ended jobs are read from slurmdbd for what they used of their CPUs and "
	 "memory.",
	 jobs_steps_names},
	{"jobs.steps-waiting", OPTION_ROWS, offsetof(struct config, steps_waiting_max), "100000", "JOBS",
	 "Most ended jobs that wait for their steps to be read. If more end than slurmrestd may tell the steps of, the "
	 "oldest are given up, and the efficiency of those is not known.",
	 NULL},
	{"jobs.rows", OPTION_ROWS, offsetof(struct config, job_rows), "0", "ROWS",
	 "Most jobs that have rows of their own (slurm_job_...; some 15 series a running job), running "
	 "ones first: for joins with what exporters on the nodes say of jobs. 0: none.",
	 NULL},
	{"jobs.node-rows", OPTION_ROWS, offsetof(struct config, job_node_rows), "10000", "ROWS",
	 "Most nodes of such jobs that have rows (slurm_job_node_...; two series for each node of a job).", NULL},
	{"state.path", OPTION_STRING, offsetof(struct config, state_path), NULL, "FILE",
	 "Where counters of job events are kept, so that none is lost or counted twice when slurmscope "
	 "or the machine stops; without it they begin at 0 each time.",
	 NULL},
	{"jobs.accounting-from", OPTION_ROWS, offsetof(struct config, accounting_from), "1000", "JOBS",
	 "From so many new jobs on their details are read from slurmdbd, at an eighth of the cost; why they "
	 "wait is Unknown until their turn comes. 0: never.",
	 NULL},
	{"jobs.first-id", OPTION_ID, offsetof(struct config, first_job_id), "1", "ID",
	 "FirstJobId of slurm.conf; 26.05 tells it itself.", NULL},
	{"jobs.max-id", OPTION_ID, offsetof(struct config, max_job_id), "67043328", "ID",
	 "MaxJobId of slurm.conf; 26.05 tells it itself.", NULL},
	{"jobs.max-array-size", OPTION_ROWS, offsetof(struct config, max_array_size), "1001", "TASKS",
	 "MaxArraySize of slurm.conf, so that no request brings too many of its tasks; 26.05 tells it itself.", NULL},
	{"budget.slurmrestd", OPTION_DECIMAL, offsetof(struct config, slurmrestd_percent), "6", "PERCENT",
	 "How much of the time slurmrestd may work for the exporter; what does not fit is asked less "
	 "often.",
	 NULL},
	{"budget.start", OPTION_DECIMAL_OR_0, offsetof(struct config, start_percent), "30", "PERCENT",
	 "How much of the time slurmrestd may work after a start, until all jobs, their details and why they wait are known, for ten "
	 "minutes at most; budget.requests grows with it, budget.slurmctld does not. 0: no more than budget.slurmrestd.",
	 NULL},
	{"budget.slurmctld", OPTION_DECIMAL, offsetof(struct config, slurmctld_percent), "1", "PERCENT",
	 "How much of the time slurmctld may work for the exporter, by its own account.", NULL},
	{"budget.requests", OPTION_DECIMAL, offsetof(struct config, requests_per_s), "50", "PER_SECOND",
	 "Most requests in a second.", NULL},
	{"budget.rate-limited", OPTION_FLAG, offsetof(struct config, rate_limited), NULL, NULL,
	 "slurm.conf has rl_enable: ask with fewer, larger requests; 26.05 tells it itself.", NULL},
	{"budget.bulk-memory", OPTION_ROWS, offsetof(struct config, bulk_memory_mib), "1024", "MIB",
	 "No list is asked for that slurmrestd is predicted to grow by more for.", NULL},
	LIMIT(ENTITY_USER, "users", "500"),
	LIMIT(ENTITY_ACCOUNT, "accounts", "300"),
	LIMIT(ENTITY_PARTITION, "partitions", "200"),
	LIMIT(ENTITY_QOS, "qos", "200"),
	FILTER(ENTITY_USER, "users"),
	FILTER(ENTITY_ACCOUNT, "accounts"),
	FILTER(ENTITY_PARTITION, "partitions"),
	FILTER(ENTITY_QOS, "qos"),
	{"nodes.per-node", OPTION_CHOICE, offsetof(struct config, per_node), "default", "DETAIL",
	 "What is said of each node by itself: its state, flags, version and reason (some 3 series a "
	 "node), everything (some 25, transitions and 3 for each kind of GRES among them), or nothing.",
	 per_node_names},
	INTERVAL("qos", "10m", ENDPOINT_QOS),
	INTERVAL("associations", "10m", ENDPOINT_ASSOCIATIONS),
	{"web.listen-address", OPTION_LIST, offsetof(struct config, listen_addresses), ":9341", "ADDRESS",
	 "Address to serve on: :port, host:port, [address]:port or unix:/path (for user and group; "
	 "unix:/path,mode=666 for everybody). May be given several times.",
	 NULL},
	{"web.systemd-socket", OPTION_FLAG, offsetof(struct config, systemd_socket), NULL, NULL,
	 "Serve on the sockets that systemd has opened (a .socket unit), not on an address.", NULL},
	{"web.config.file", OPTION_STRING, offsetof(struct config, web_config_file), NULL, "FILE",
	 "TLS, users and passwords, headers and rate limit of the server, in the format that Prometheus and "
	 "its exporters share; read again when it changes.",
	 NULL},
	{"web.telemetry-path", OPTION_STRING, offsetof(struct config, telemetry_path), "/metrics", "PATH",
	 "Path of the metrics page.", NULL},
	{"web.enable-lifecycle", OPTION_FLAG, offsetof(struct config, enable_lifecycle), NULL, NULL,
	 "Read the configuration again at POST /-/reload, too, not only at SIGHUP.", NULL},
	{"web.openmetrics-created", OPTION_FLAG, offsetof(struct config, openmetrics_created), NULL, NULL,
	 "OpenMetrics pages say since when counters count, in samples of their own (..._created). Protobuf always does.",
	 NULL},
	{"log.level", OPTION_CHOICE, offsetof(struct config, log_level), "info", "LEVEL", "Least level that is logged.",
	 log_level_names},
	{"log.format", OPTION_CHOICE, offsetof(struct config, log_format), "logfmt", "FORMAT",
	 "How log lines are written.", log_format_names},
	{"sandbox", OPTION_CHOICE, offsetof(struct config, sandbox), "auto", "HOW",
	 "Let the kernel refuse what slurmscope has no need of (seccomp, Landlock): starting programs, writing outside the "
	 "folders of the state files, and more. auto: as far as the kernel can; on: do not start where it cannot; "
	 "off: no.",
	 sandbox_wish_names},
	{"config.file", OPTION_STRING, offsetof(struct config, config_file), NULL, "FILE",
	 "Configuration file (YAML) with these options, nested at their dots, and several clusters; options "
	 "given here go before it. Read again at SIGHUP. See --example-config.",
	 NULL},
	{"once", OPTION_FLAG, offsetof(struct config, once), NULL, NULL,
	 "Poll everything once, print the page, and exit (not 0 if an endpoint failed).", NULL},
	{"check-config", OPTION_FLAG, offsetof(struct config, check_config), NULL, NULL,
	 "Check the options and the files that they name, and exit.", NULL},
	{"print-config", OPTION_FLAG, offsetof(struct config, print_config), NULL, NULL,
	 "Show the configuration in force as a configuration file, and exit.", NULL},
	{"example-config", OPTION_FLAG, offsetof(struct config, example_config), NULL, NULL,
	 "Show a configuration file with all options, their defaults and what they mean, and exit.", NULL},
	{"print-manual", OPTION_CHOICE, offsetof(struct config, print_manual), NULL, "PAGE",
	 "Show a manual page, or what a shell completes, and exit.", manual_names},
	{"list-metrics", OPTION_FLAG, offsetof(struct config, list_metrics), NULL, NULL,
	 "List all metric families (name, type, labels, source, since, help), and exit.", NULL},
	{"version", OPTION_FLAG, offsetof(struct config, version), NULL, NULL, "Show the version, and exit.", NULL},
	{"help", OPTION_GROUP, offsetof(struct config, help), NULL, "[GROUP]",
	 "Show this help, or one group of it, and exit.", NULL},
};
const size_t option_count = sizeof option_table / sizeof *option_table;

static_assert(sizeof option_table / sizeof *option_table <= OPTIONS_MAX, "places of options");
