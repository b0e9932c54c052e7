#include "daemon/config.h"

#include "base/clock.h"
#include "daemon/routes.h"
#include "web/listen.h"
#include "slurmrest/client.h"
#include "store/store.h"

#include <stdlib.h>
#include <strings.h>

enum option_type { STRING, CHOICE, SECONDS_OPTION, ROWS_OPTION, ID, DECIMAL, PATTERN, FLAG };

struct option_row {
	const char *name; /* without the dashes */
	enum option_type type;
	size_t offset;
	const char *initial; /* NULL: none */
	const char *value;   /* what --help calls it */
	const char *help;
	const char *const *choices;
};

#define INTERVAL(endpoint, initial, what)                                                          \
	{"interval." endpoint, SECONDS_OPTION,                                                     \
	 offsetof(struct config, interval_s) +                                                     \
		 sizeof(uint64_t) * (size_t)what,                                                  \
	 initial, "SECONDS", "Wished time between polls of " endpoint                              \
	 "; longer where a budget does not allow it.", NULL}

#define LIMIT(kind, what, initial)                                                                 \
	{"limit." what, ROWS_OPTION, offsetof(struct config, limit[kind]), initial, "NUMBER",      \
	 "Most " what " that have rows of their own; the others are added up in the row `other`.", \
	 NULL}
#define FILTER(kind, what)                                                                         \
	{"filter." what, PATTERN, offsetof(struct config, allow[kind]), NULL, "REGEX",             \
	 "Only " what " whose whole name matches have rows of their own (POSIX extended).", NULL}, \
	{                                                                                          \
		"filter." what "-deny", PATTERN, offsetof(struct config, deny[kind]), NULL,        \
			"REGEX", "Not those " what " whose whole name matches.", NULL              \
	}
static const char *const jobs_read_names[] = {
	[JOBS_READ_AUTO] = "auto", [JOBS_READ_LIST] = "list", NULL};
static const char *const jobs_ends_names[] = {[JOBS_ENDS_AUTO] = "auto",
					      [JOBS_ENDS_SLURMDBD] = "slurmdbd",
					      [JOBS_ENDS_SLURMCTLD] = "slurmctld", NULL};
static const char *const jobs_steps_names[] = {
	[JOBS_STEPS_READ] = "read", [JOBS_STEPS_OFF] = "off", NULL};
static const char *const per_node_names[] = {
	[PER_NODE_DEFAULT] = "default", [PER_NODE_FULL] = "full", [PER_NODE_OFF] = "off", NULL};

static const struct option_row rows[] = {
	{"slurmrestd.url", STRING, offsetof(struct config, slurmrestd_url), "http://127.0.0.1:6820",
	 "URL", "Where slurmrestd listens: http://host:port, https://host:port or unix:/path.", NULL},
	{"slurmrestd.ca-file", STRING, offsetof(struct config, ca_file), NULL, "FILE",
	 "Certificates (PEM) that an https:// slurmrestd's must come from, instead of the system's.",
	 NULL},
	{"slurmrestd.user", STRING, offsetof(struct config, slurmrestd_user), NULL, "USER",
	 "The Slurm user to be; needed with a key file, else the token's own.", NULL},
	{"slurmrestd.api-version", STRING, offsetof(struct config, api_version), NULL, "VERSION",
	 "Use only this API version, such as v0.0.42, instead of the newest that both sides know.",
	 NULL},
	{"slurmrestd.token-file", STRING, offsetof(struct config, token_file), NULL, "FILE",
	 "File with the JWT (or what scontrol token prints); read again when it changes.", NULL},
	{"slurmrestd.jwt-key-file", STRING, offsetof(struct config, jwt_key_file), NULL, "FILE",
	 "The cluster's jwt_hs256.key: short-lived tokens are signed with it.", NULL},
	{"slurmrestd.timeout", SECONDS_OPTION, offsetof(struct config, timeout_s), "120", "SECONDS",
	 "How long to wait for an answer (slurmrestd goes on computing one that nobody waits for).",
	 NULL},
	INTERVAL("ping", "30", ENDPOINT_PING),
	INTERVAL("diag", "15", ENDPOINT_DIAG),
	INTERVAL("partitions", "300", ENDPOINT_PARTITIONS),
	INTERVAL("nodes", "60", ENDPOINT_NODES),
	INTERVAL("jobs", "60", ENDPOINT_JOBS),
	INTERVAL("job_states", "15", TASK_JOB_STATES),
	INTERVAL("job_search", "15", TASK_JOB_SEARCH),
	INTERVAL("job_details", "30", TASK_JOB_DETAILS),
	INTERVAL("job_rotation", "600", TASK_JOB_ROTATION),
	INTERVAL("job_arrays", "60", TASK_JOB_ARRAYS),
	INTERVAL("job_ends", "30", TASK_JOB_ENDS),
	INTERVAL("job_steps", "60", TASK_JOB_STEPS),
	INTERVAL("reservations", "120", ENDPOINT_RESERVATIONS),
	INTERVAL("licenses", "120", ENDPOINT_LICENSES),
	INTERVAL("shares", "300", ENDPOINT_SHARES),
	INTERVAL("conf", "600", ENDPOINT_CONF),
	INTERVAL("dbd_ping", "30", ENDPOINT_DBD_PING),
	INTERVAL("dbd_diag", "60", ENDPOINT_DBD_DIAG),
	{"jobs.read", CHOICE, offsetof(struct config, jobs_read), "auto", "HOW",
	 "How jobs are read: by their states and the details of what changed (where slurmrestd has "
	 "jobs/state: Slurm 24.05 and later), or always as one whole list, which is dear from a few "
	 "thousand jobs on.",
	 jobs_read_names},
	{"jobs.ends", CHOICE, offsetof(struct config, jobs_ends), "auto", "SOURCE",
	 "Who tells how jobs ended: slurmdbd, which loses none, or slurmctld, which forgets them after "
	 "MinJobAge; auto: slurmdbd, if it ever answers.",
	 jobs_ends_names},
	{"jobs.steps", CHOICE, offsetof(struct config, jobs_steps), "read", "HOW",
	 "Whether the steps of ended jobs are read from slurmdbd for what they used of their CPUs and "
	 "memory.",
	 jobs_steps_names},
	{"jobs.rows", ROWS_OPTION, offsetof(struct config, job_rows), "0", "NUMBER",
	 "Most jobs that have rows of their own (slurm_job_...; some 15 series a running job), running "
	 "ones first: for joins with what exporters on the nodes say of jobs. 0: none.",
	 NULL},
	{"jobs.node-rows", ROWS_OPTION, offsetof(struct config, job_node_rows), "10000", "NUMBER",
	 "Most nodes of such jobs that have rows (slurm_job_node_...; two series for each node of a job).",
	 NULL},
	{"state.path", STRING, offsetof(struct config, state_path), NULL, "FILE",
	 "Where counters of job events are kept, so that none is lost or counted twice when slurmscope "
	 "or the machine stops; without it they begin at 0 each time.",
	 NULL},
	{"jobs.accounting-from", ROWS_OPTION, offsetof(struct config, accounting_from), "1000", "JOBS",
	 "From so many new jobs on their details are read from slurmdbd, at an eighth of the cost; why they "
	 "wait is Unknown until their turn comes. 0: never.",
	 NULL},
	{"jobs.first-id", ID, offsetof(struct config, first_job_id), "1", "ID",
	 "FirstJobId of slurm.conf; 26.05 tells it itself.", NULL},
	{"jobs.max-id", ID, offsetof(struct config, max_job_id), "67043328", "ID",
	 "MaxJobId of slurm.conf; 26.05 tells it itself.", NULL},
	{"budget.slurmrestd", DECIMAL, offsetof(struct config, slurmrestd_percent), "5", "PERCENT",
	 "How much of the time slurmrestd may work for the exporter; what does not fit is asked less "
	 "often.",
	 NULL},
	{"budget.slurmctld", DECIMAL, offsetof(struct config, slurmctld_percent), "1", "PERCENT",
	 "How much of the time slurmctld may work for the exporter, by its own account.", NULL},
	{"budget.requests", DECIMAL, offsetof(struct config, requests_per_s), "50", "NUMBER",
	 "Most requests in a second.", NULL},
	{"budget.rate-limited", FLAG, offsetof(struct config, rate_limited), NULL, NULL,
	 "slurm.conf has rl_enable: ask with fewer, larger requests; 26.05 tells it itself.", NULL},
	{"budget.bulk-memory", ROWS_OPTION, offsetof(struct config, bulk_memory_mib), "1024", "MIB",
	 "No list is asked for that slurmrestd is predicted to grow by more for.", NULL},
	LIMIT(ENTITY_USER, "users", "500"),
	LIMIT(ENTITY_ACCOUNT, "accounts", "300"),
	LIMIT(ENTITY_PARTITION, "partitions", "200"),
	LIMIT(ENTITY_QOS, "qos", "200"),
	FILTER(ENTITY_USER, "users"),
	FILTER(ENTITY_ACCOUNT, "accounts"),
	FILTER(ENTITY_PARTITION, "partitions"),
	FILTER(ENTITY_QOS, "qos"),
	{"nodes.per-node", CHOICE, offsetof(struct config, per_node), "default", "DETAIL",
	 "What is said of each node by itself: its state, flags, version and reason (some 3 series a "
	 "node), everything (some 25, transitions and 3 for each kind of GRES among them), or nothing.",
	 per_node_names},
	INTERVAL("qos", "600", ENDPOINT_QOS),
	INTERVAL("associations", "600", ENDPOINT_ASSOCIATIONS),
	{"web.listen-address", STRING, offsetof(struct config, listen_address), ":9341", "ADDRESS",
	 "Address to serve on: :port, host:port or [address]:port.", NULL},
	{"web.telemetry-path", STRING, offsetof(struct config, telemetry_path), "/metrics", "PATH",
	 "Path of the metrics page.", NULL},
	{"log.level", CHOICE, offsetof(struct config, log_level), "info", "LEVEL",
	 "Least level that is logged.", log_level_names},
	{"log.format", CHOICE, offsetof(struct config, log_format), "logfmt", "FORMAT",
	 "How log lines are written.", log_format_names},
	{"once", FLAG, offsetof(struct config, once), NULL, NULL,
	 "Poll everything once, print the page, and exit (not 0 if an endpoint failed).", NULL},
	{"check-config", FLAG, offsetof(struct config, check_config), NULL, NULL,
	 "Check the options and the files that they name, and exit.", NULL},
	{"list-metrics", FLAG, offsetof(struct config, list_metrics), NULL, NULL,
	 "List all metric families (name, type, labels, source, since, help), and exit.", NULL},
	{"version", FLAG, offsetof(struct config, version), NULL, NULL, "Show the version, and exit.",
	 NULL},
	{"help", FLAG, offsetof(struct config, help), NULL, NULL, "Show this help, and exit.", NULL},
};
enum { ROWS = sizeof rows / sizeof *rows, DECIMAL_MAX = 1000 };

static bool set_choice(uint64_t *member, const struct option_row *row, const char *value,
		       struct error *err)
{
	struct buf all = BUF_INIT;
	for (uint64_t i = 0; row->choices[i]; i++) {
		if (strcmp(row->choices[i], value) == 0) {
			*member = i;
			buf_done(&all);
			return true;
		}
		buf_printf(&all, "%s%s", i ? ", " : "", row->choices[i]);
	}
	error_set(err, "--%s: %s is none of %s", row->name, value, all.bytes);
	buf_done(&all);
	return false;
}

static bool set_decimal(double *member, const struct option_row *row, const char *value,
			struct error *err)
{
	char *end;
	*member = strtod(value, &end);
	if (end == value || *end || !(*member > 0) || *member > DECIMAL_MAX)
		return error_set(err, "--%s: %s is not a number above 0, up to %d", row->name, value,
				 DECIMAL_MAX);
	return true;
}

static bool set_pattern(const char **member, const struct option_row *row, const char *value,
			struct error *err)
{
	struct pattern pattern = {.is_set = false};
	if (!*value)
		return error_set(err, "--%s: empty", row->name);
	if (!pattern_set(&pattern, value, err))
		return error_prefix(err, "--%s", row->name);
	pattern_done(&pattern);
	*member = value;
	return true;
}

static bool set(struct config *config, const struct option_row *row, const char *value,
		struct error *err)
{
	void *member = (char *)config + row->offset;
	switch (row->type) {
	case STRING:
		if (!*value)
			return error_set(err, "--%s: empty", row->name);
		*(const char **)member = value;
		return true;
	case CHOICE:
		return set_choice(member, row, value, err);
	case SECONDS_OPTION:
		if (!text_to_u64(text_of(value), member) || !*(uint64_t *)member ||
		    *(uint64_t *)member > 24 * 3600)
			return error_set(err, "--%s: %s is not a number of seconds from 1 to 86400",
					 row->name, value);
		return true;
	case ROWS_OPTION:
		if (!text_to_u64(text_of(value), member) || *(uint64_t *)member > 1000000)
			return error_set(err, "--%s: %s is not a number from 0 to 1000000",
					 row->name, value);
		return true;
	case ID:
		if (!text_to_u64(text_of(value), member) || !*(uint64_t *)member ||
		    *(uint64_t *)member > UINT32_MAX)
			return error_set(err, "--%s: %s is not a job id", row->name, value);
		return true;
	case DECIMAL:
		return set_decimal(member, row, value, err);
	case PATTERN:
		return set_pattern(member, row, value, err);
	case FLAG:
		*(bool *)member = true;
		return true;
	}
	return false;
}

static const struct option_row *find(const char *name, size_t len)
{
	for (int i = 0; i < ROWS; i++)
		if (strlen(rows[i].name) == len && strncmp(rows[i].name, name, len) == 0)
			return &rows[i];
	return NULL;
}

/* "--name=value", or "--name value" with the value in the next argument. */
static bool parse_one(struct config *config, char *const *argv, int *at, struct error *err)
{
	const char *argument = argv[*at];
	if (strncmp(argument, "--", 2) != 0 || !argument[2])
		return error_set(err, "%s: not an option; see --help", argument);
	const char *name = argument + 2, *equals = strchr(name, '=');
	const struct option_row *row = find(name, equals ? (size_t)(equals - name) : strlen(name));
	if (!row)
		return error_set(err, "%.*s: unknown option; see --help",
				 equals ? (int)(equals - argument) : (int)strlen(argument), argument);
	if (row->type == FLAG && equals)
		return error_set(err, "--%s: takes no value", row->name);
	if (row->type == FLAG)
		return set(config, row, "", err);
	const char *value = equals ? equals + 1 : argv[++*at];
	if (!value)
		return error_set(err, "--%s: needs a value (%s)", row->name, row->value);
	return set(config, row, value, err);
}

bool config_parse(struct config *config, int argc, char *const *argv, struct error *err)
{
	*config = (struct config){0};
	for (int i = 0; i < ROWS; i++)
		if (rows[i].initial && !set(config, &rows[i], rows[i].initial, err))
			return false;
	for (int at = 1; at < argc; at++)
		if (!parse_one(config, argv, &at, err))
			return false;
	if (config->token_file && config->jwt_key_file)
		return error_set(err, "--slurmrestd.token-file and --slurmrestd.jwt-key-file: "
				      "only one of them");
	if (config->jwt_key_file && !config->slurmrestd_user)
		return error_set(err, "--slurmrestd.jwt-key-file needs --slurmrestd.user");
	if (config->first_job_id >= config->max_job_id)
		return error_set(err, "--jobs.first-id: not below --jobs.max-id");
	if (config->ca_file && strncasecmp(config->slurmrestd_url, "https://", 8) != 0)
		return error_set(err, "--slurmrestd.ca-file: %s is not https://",
				 config->slurmrestd_url);
	if (config->api_version && !api_version_is_known(config->api_version))
		return error_set(err, "--slurmrestd.api-version: %s is not known", config->api_version);
	if (*config->telemetry_path != '/' || !config->telemetry_path[1] ||
	    strncmp(config->telemetry_path, "/-/", 3) == 0 || routes_has(config->telemetry_path))
		return error_set(err, "--web.telemetry-path: %s is not a path of its own, such as "
				      "/metrics", config->telemetry_path);
	return true;
}

bool config_check(const struct config *config, struct error *err)
{
	if (!listen_check(config->listen_address, err))
		return error_prefix(err, "--web.listen-address");
	struct http *http =
		http_new(config->slurmrestd_url, NULL, (long)config->timeout_s, NULL, err);
	if (!http)
		return error_prefix(err, "--slurmrestd.url");
	http_free(http);
	http = http_new(config->slurmrestd_url, config->ca_file, (long)config->timeout_s, NULL, err);
	if (!http)
		return error_prefix(err, "--slurmrestd.ca-file");
	http_free(http);
	if (config->state_path && !store_check(config->state_path, err))
		return error_prefix(err, "--state.path");
	struct token *token = config->token_file ? token_from_file(config->token_file)
			      : config->jwt_key_file
				      ? token_from_key(config->jwt_key_file, config->slurmrestd_user)
				      : token_none();
	bool is_usable = token_refresh(token, clock_now_s(), err);
	token_free(token);
	return is_usable;
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

void config_help(struct buf *out)
{
	buf_add_string(out, "slurmscope: Slurm's jobs, nodes, partitions, users and accounts for "
			    "Prometheus, read from slurmrestd.\n\nUsage: slurmscope [options]\n\n");
	for (int i = 0; i < ROWS; i++) {
		const struct option_row *row = &rows[i];
		buf_printf(out, "  --%s%s%s\n      %s", row->name, row->value ? "=" : "",
			   row->value ? row->value : "", row->help);
		for (int c = 0; row->choices && row->choices[c]; c++)
			buf_printf(out, "%s%s", c ? ", " : " One of ", row->choices[c]);
		if (row->initial)
			buf_printf(out, "%s Default: %s.", row->choices ? "." : "", row->initial);
		buf_add_char(out, '\n');
	}
}
