#include "config/config.h"

#include "base/clock.h"
#include "config/option.h"
#include "metrics/catalogue.h"
#include "slurmrest/client.h"
#include "store/store.h"
#include "web/http_server.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#define INTERVAL(endpoint, initial, what)                                                                              \
	{                                                                                                              \
		"interval." endpoint, OPTION_SECONDS,                                                                  \
			offsetof(struct config, interval_s) + sizeof(uint64_t) * (size_t)what, initial, "DURATION",    \
			"Wished time between polls of " endpoint "; longer where a budget does not allow it.", NULL    \
	}

#define LIMIT(kind, what, initial)                                                                                     \
	{                                                                                                              \
		"limit." what, OPTION_ROWS, offsetof(struct config, limit[kind]), initial, "NUMBER",                   \
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

const char *const served_paths[SERVED] = {
	[SERVED_PAGE] = "/",	       [SERVED_STATUS] = "/api/v1/status", [SERVED_PLAN] = "/plan",
	[SERVED_STYLE] = "/style.css", [SERVED_ICON] = "/icon.svg",	   [SERVED_HEALTHY] = "/-/healthy",
	[SERVED_READY] = "/-/ready",   [SERVED_RELOAD] = "/-/reload"};

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
	{"slurmrestd.timeout", OPTION_SECONDS, offsetof(struct config, timeout_s), "120", "DURATION",
	 "How long to wait for an answer (slurmrestd goes on computing one that nobody waits for).", NULL},
	INTERVAL("ping", "30", ENDPOINT_PING),
	INTERVAL("diag", "15", ENDPOINT_DIAG),
	INTERVAL("partitions", "45", ENDPOINT_PARTITIONS),
	INTERVAL("nodes", "45", ENDPOINT_NODES),
	INTERVAL("jobs", "60", ENDPOINT_JOBS),
	INTERVAL("job_states", "15", TASK_JOB_STATES),
	INTERVAL("job_search", "15", TASK_JOB_SEARCH),
	INTERVAL("job_details", "30", TASK_JOB_DETAILS),
	INTERVAL("job_reasons", "30", TASK_JOB_REASONS),
	INTERVAL("job_rotation", "600", TASK_JOB_ROTATION),
	INTERVAL("job_arrays", "60", TASK_JOB_ARRAYS),
	INTERVAL("job_ends", "30", TASK_JOB_ENDS),
	INTERVAL("job_steps", "60", TASK_JOB_STEPS),
	INTERVAL("reservations", "60", ENDPOINT_RESERVATIONS),
	INTERVAL("licenses", "120", ENDPOINT_LICENSES),
	INTERVAL("shares", "300", ENDPOINT_SHARES),
	INTERVAL("conf", "600", ENDPOINT_CONF),
	INTERVAL("dbd_ping", "30", ENDPOINT_DBD_PING),
	INTERVAL("dbd_diag", "60", ENDPOINT_DBD_DIAG),
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
	{"jobs.steps-waiting", OPTION_ROWS, offsetof(struct config, steps_waiting_max), "100000", "NUMBER",
	 "Most ended jobs that wait for their steps to be read. If more end than slurmrestd may tell the steps of, the "
	 "oldest are given up, and the efficiency of those is not known.",
	 NULL},
	{"jobs.rows", OPTION_ROWS, offsetof(struct config, job_rows), "0", "NUMBER",
	 "Most jobs that have rows of their own (slurm_job_...; some 15 series a running job), running "
	 "ones first: for joins with what exporters on the nodes say of jobs. 0: none.",
	 NULL},
	{"jobs.node-rows", OPTION_ROWS, offsetof(struct config, job_node_rows), "10000", "NUMBER",
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
	{"jobs.max-array-size", OPTION_ROWS, offsetof(struct config, max_array_size), "1001", "NUMBER",
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
	{"budget.requests", OPTION_DECIMAL, offsetof(struct config, requests_per_s), "50", "NUMBER",
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
	INTERVAL("qos", "600", ENDPOINT_QOS),
	INTERVAL("associations", "600", ENDPOINT_ASSOCIATIONS),
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
	{"help", OPTION_FLAG, offsetof(struct config, help), NULL, NULL, "Show this help, and exit.", NULL},
};
const size_t option_count = sizeof option_table / sizeof *option_table;

static_assert(sizeof option_table / sizeof *option_table <= OPTIONS_MAX, "places of options");

static const struct option_row *row_of(const char *argument)
{
	return option_find(argument, strcspn(argument, "="));
}

/* "--name=value", or "--name value" with the value in the next argument; "--name" and "--no-name" of what is on
 * or off. */
static bool parse_one(struct config *config, char *const *argv, int *at, struct error *err)
{
	const char *argument = argv[*at];
	if (strncmp(argument, "--", 2) != 0 || !argument[2])
		return error_set(err, "%s: not an option; see --help", argument);
	const char *name = argument + 2, *equals = strchr(name, '=');
	const struct option_row *row = row_of(name);
	bool is_off = !row && strncmp(name, "no-", 3) == 0 && (row = row_of(name + 3)) && row->type == OPTION_FLAG;
	if (!row || (row->type != OPTION_FLAG && row_of(name) != row))
		return error_set(err, "--%.*s: unknown option; see --help", (int)strcspn(name, "="), name);
	if (row->type == OPTION_FLAG && equals)
		return error_set(err, "--%s: takes no value", row->name);
	const char *value = row->type == OPTION_FLAG ? (is_off ? "false" : "true") : equals ? equals + 1 : argv[++*at];
	if (!value)
		return error_set(err, "--%s: needs a value (%s)", row->name, row->value);
	config->positions[row - option_table] = (struct yaml_position){0};
	return option_set(config, row, value, err) || error_prefix(err, "--%s", row->name);
}

void config_defaults(struct config *config)
{
	struct error err;
	*config = (struct config){0};
	for (size_t i = 0; i < option_count; i++)
		if (option_table[i].initial && !option_set(config, &option_table[i], option_table[i].initial, &err))
			abort();
}

bool config_arguments(struct config *config, int argc, char *const *argv, struct error *err)
{
	option_begin_lists(config);
	for (int at = 1; at < argc; at++)
		if (!parse_one(config, argv, &at, err))
			return false;
	return true;
}

bool config_wrong(const struct config *config, const char *option, struct error *err, const char *format, ...)
{
	const struct option_row *row = option_find(option, strlen(option));
	struct yaml_position position = config->positions[row - option_table];
	char what[sizeof err->text];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(what, sizeof what, format, arguments);
	va_end(arguments);
	if (position.line)
		return document_wrong(config->file, position, err, "%s: %.300s", option, what);
	error_set(err, "--%s: %.400s", option, what);
	return config->name ? error_prefix(err, "cluster %s", config->name) : false;
}

static bool labels_make_sense(const struct config *config, struct error *err)
{
	for (size_t i = 0; i < config->labels.count; i++) {
		const char *name = config->labels.items[i].name;
		if (catalogue_has_label(name))
			return config_wrong(config, "labels", err, "%s: metrics have a label of that name", name);
	}
	return true;
}

bool config_is_tls(const struct config *config)
{
	return strncasecmp(config->slurmrestd_url, "https://", 8) == 0;
}

/* Options of https:// alone, or of what has a network between. */
static bool connection_makes_sense(const struct config *config, struct error *err)
{
	const struct {
		const char *option, *value;
	} rows[] = {{"slurmrestd.ca-file", config->ca_file},
		    {"slurmrestd.cert-file", config->cert_file},
		    {"slurmrestd.key-file", config->key_file},
		    {"slurmrestd.server-name", config->server_name}};
	bool is_tls = config_is_tls(config);
	for (size_t i = 0; !is_tls && i < sizeof rows / sizeof *rows; i++)
		if (rows[i].value)
			return config_wrong(config, rows[i].option, err, "%s is not https://", config->slurmrestd_url);
	if (config->proxy && strncasecmp(config->slurmrestd_url, "unix:", 5) == 0)
		return config_wrong(config, "slurmrestd.proxy", err, "%s is a socket", config->slurmrestd_url);
	if (config->key_file && !config->cert_file)
		return config_wrong(config, "slurmrestd.key-file", err, "needs slurmrestd.cert-file");
	return true;
}

static bool is_served(const char *path)
{
	size_t i = 0;
	while (i < SERVED && strcmp(path, served_paths[i]) != 0)
		i++;
	return i < SERVED;
}

bool config_makes_sense(const struct config *config, struct error *err)
{
	if (config->token_file && config->jwt_key_file)
		return config_wrong(config, "slurmrestd.jwt-key-file", err, "not together with slurmrestd.token-file");
	if (config->jwt_key_file && !config->slurmrestd_user)
		return config_wrong(config, "slurmrestd.jwt-key-file", err, "needs slurmrestd.user");
	if (config->ha_host && config->ha == HA_OFF)
		return config_wrong(config, "ha-host", err, "needs ha");
	if (config->first_job_id >= config->max_job_id)
		return config_wrong(config, "jobs.first-id", err, "not below jobs.max-id");
	if (config->api_version && !api_version_is_known(config->api_version))
		return config_wrong(config, "slurmrestd.api-version", err, "%s is not known", config->api_version);
	if (*config->telemetry_path != '/' || !config->telemetry_path[1] ||
	    strncmp(config->telemetry_path, "/-/", 3) == 0 || is_served(config->telemetry_path))
		return config_wrong(config, "web.telemetry-path", err, "%s is not a path of its own, such as /metrics",
				    config->telemetry_path);
	return connection_makes_sense(config, err) && labels_make_sense(config, err);
}

bool config_check_process(const struct config *config, struct error *err)
{
	struct error why;
	for (size_t i = 0; i < config->listen_addresses.count; i++)
		if (!listen_check(config->listen_addresses.values[i], &why))
			return config_wrong(config, "web.listen-address", err, "%s", why.text);
	return !config->web_config_file || http_server_check_config(config->web_config_file, &why) ||
	       config_wrong(config, "web.config.file", err, "%s", why.text);
}

/* The URL first, then what goes with it: so it is known which of them is wrong. */
static bool is_connection(const struct config *config, struct error *err)
{
	const struct {
		const char *option, *value;
		struct http_options options;
	} rows[] = {
		{"slurmrestd.url", config->slurmrestd_url, {0}},
		{"slurmrestd.ca-file", config->ca_file, {.ca_file = config->ca_file}},
		{"slurmrestd.cert-file", config->cert_file, {.cert_file = config->cert_file}},
		{"slurmrestd.key-file", config->key_file, {.key_file = config->key_file}},
		{"slurmrestd.server-name", config->server_name, {.server_name = config->server_name}},
		{"slurmrestd.proxy", config->proxy, {.proxy = config->proxy}},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct error why;
		struct http_options options = rows[i].options;
		if (!rows[i].value)
			continue;
		options.url = config->slurmrestd_url;
		struct http *http = http_new(&options, &why);
		if (!http)
			return config_wrong(config, rows[i].option, err, "%s", why.text);
		http_free(http);
	}
	return true;
}

struct token *config_token(const struct config *config)
{
	return config->token_file     ? token_from_file(config->token_file)
	       : config->jwt_key_file ? token_from_key(config->jwt_key_file, config->slurmrestd_user)
				      : token_none();
}

struct client_options config_client(const struct config *config, const atomic_bool *stop)
{
	return (struct client_options){
		.http = {.url = config->slurmrestd_url,
			 .ca_file = config->ca_file,
			 .cert_file = config->cert_file,
			 .key_file = config->key_file,
			 .server_name = config->server_name,
			 .proxy = config->proxy,
			 .timeout_s = (long)config->timeout_s,
			 .stop = stop},
		.user = config->slurmrestd_user,
		.version = config->api_version,
	};
}

bool config_check(const struct config *config, struct error *err)
{
	struct error why;
	if (!is_connection(config, err))
		return false;
	if (config->state_path && !store_check(config->state_path, &why))
		return config_wrong(config, "state.path", err, "%s", why.text);
	struct token *token = config_token(config);
	bool is_usable = token_refresh(token, clock_now_s(), &why);
	token_free(token);
	return is_usable ||
	       config_wrong(config, config->token_file ? "slurmrestd.token-file" : "slurmrestd.jwt-key-file", err, "%s",
			    why.text);
}

void config_labels(const struct config *config, struct buf *out)
{
	if (config->name)
		exposition_write_label(out, "cluster", text_of(config->name));
	for (size_t i = 0; i < config->labels.count; i++)
		exposition_write_label(out, config->labels.items[i].name, text_of(config->labels.items[i].value));
}

void config_ha_host(const struct config *config, char *host, size_t size)
{
	if (config->ha_host || gethostname(host, size) != 0)
		snprintf(host, size, "%s", config->ha_host ? config->ha_host : "");
	host[size - 1] = '\0';
}

bool config_caps(const struct config *config, struct caps *caps, struct error *err)
{
	for (int kind = ENTITY_PARTITION; kind < ENTITY_KINDS; kind++) {
		struct cap *cap = &caps->kinds[kind];
		cap->max = config->limit[kind];
		if ((config->allow[kind] && !pattern_set(&cap->allow, config->allow[kind], err)) ||
		    (config->deny[kind] && !pattern_set(&cap->deny, config->deny[kind], err)))
			return false;
	}
	return true;
}
