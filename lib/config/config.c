#include "config/config.h"

#include "base/clock.h"
#include "base/log.h"
#include "config/config_groups.h"
#include "config/option.h"
#include "metrics/catalogue.h"
#include "slurmrest/client.h"
#include "store/store.h"
#include "web/http_server.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

const char *const served_paths[SERVED] = {
	[SERVED_PAGE] = "/",	      [SERVED_STATUS] = "/api/v1/status",  [SERVED_PLAN] = "/plan",
	[SERVED_JOBS] = "/jobs",      [SERVED_JOBS_JSON] = "/api/v1/jobs", [SERVED_STYLE] = "/style.css",
	[SERVED_ICON] = "/icon.svg",  [SERVED_HEALTHY] = "/-/healthy",	   [SERVED_READY] = "/-/ready",
	[SERVED_RELOAD] = "/-/reload"};

static const struct option_row *row_of(const char *argument)
{
	return option_find(argument, strcspn(argument, "="));
}

/* The next argument; an option's value that may be left out does not begin with a dash. */
static const char *next_value(const struct option_row *row, char *const *argv, int *at)
{
	const char *next = argv[*at + 1];
	bool is_left_out = row->type == OPTION_GROUP && (!next || *next == '-');
	return is_left_out ? "" : argv[++*at];
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
	const char *value = row->type == OPTION_FLAG ? (is_off ? "false" : "true")
			    : equals		     ? equals + 1
						     : next_value(row, argv, at);
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

void config_groups(const struct config *config, struct job_groups *ret_groups)
{
	struct error err;
	if (config->groups && !config_groups_read(config->file, config->groups, ret_groups, &err))
		abort(); /* it was read before */
}

static bool groups_have_label(const struct config *config, const char *name)
{
	struct job_groups groups = {.count = 0};
	config_groups(config, &groups);
	bool have_it = config_groups_have_label(&groups, name);
	job_groups_done(&groups);
	return have_it;
}

static bool labels_make_sense(const struct config *config, struct error *err)
{
	for (size_t i = 0; i < config->labels.count; i++) {
		const char *name = config->labels.items[i].name;
		if (groups_have_label(config, name))
			return config_wrong(config, "labels", err, "%s: a group has a label of this name", name);
		if (catalogue_has_label(name))
			return config_wrong(config, "labels", err, "%s: metrics already have a label of this name",
					    name);
	}
	return true;
}

bool config_is_tls(const struct config *config)
{
	return strncasecmp(config->slurmrestd_url, "https://", 8) == 0;
}

/* Options that make sense only with https://, or only with a network connection. */
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
			return config_wrong(config, rows[i].option, err,
					    "is for https:// only, and slurmrestd.url is %s", config->slurmrestd_url);
	if (config->proxy && strncasecmp(config->slurmrestd_url, "unix:", 5) == 0)
		return config_wrong(config, "slurmrestd.proxy", err,
				    "is for http:// and https:// only, and slurmrestd.url is %s",
				    config->slurmrestd_url);
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

static bool causes_make_sense(const struct config *config, struct error *err)
{
	struct node_causes causes = {.count = 0};
	struct error why;
	bool make_sense =
		config_causes(config, &causes, &why) || config_wrong(config, "nodes.cause", err, "%s", why.text);
	node_causes_done(&causes);
	return make_sense;
}

bool config_makes_sense(const struct config *config, struct error *err)
{
	if (config->token_file && config->jwt_key_file)
		return config_wrong(config, "slurmrestd.jwt-key-file", err,
				    "cannot be used together with slurmrestd.token-file");
	if (config->jwt_key_file && !config->slurmrestd_user)
		return config_wrong(config, "slurmrestd.jwt-key-file", err, "needs slurmrestd.user");
	if (config->hashed && !config->hash_key_file)
		return config_wrong(config, "names.hashed", err, "needs names.hash-key-file");
	if (config->ha_host && config->ha == HA_OFF)
		return config_wrong(config, "ha-host", err, "needs ha: follow-controller");
	if (config->audit_log && config->log_level > LOG_LEVEL_INFO)
		return config_wrong(config, "web.audit-log", err, "needs log.level info or debug");
	if (config->first_job_id >= config->max_job_id)
		return config_wrong(config, "jobs.first-id", err, "must be less than jobs.max-id");
	if (config->api_version && !api_version_is_known(config->api_version))
		return config_wrong(config, "slurmrestd.api-version", err, "slurmscope does not know %s",
				    config->api_version);
	if (*config->telemetry_path != '/' || !config->telemetry_path[1] ||
	    strncmp(config->telemetry_path, "/-/", 3) == 0 || is_served(config->telemetry_path))
		return config_wrong(config, "web.telemetry-path", err,
				    "%s must begin with / and differ from the paths of other pages",
				    config->telemetry_path);
	return connection_makes_sense(config, err) && labels_make_sense(config, err) && causes_make_sense(config, err);
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

/* Tries the URL alone first, then with each option that belongs to it, to tell which of them is wrong. */
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

uint64_t config_hashed(const struct config *config)
{
	const uint64_t by_default = UINT64_C(1) << HASHED_USERS | UINT64_C(1) << HASHED_RESERVATIONS;
	return config->hashed ? config->hashed : by_default;
}

bool config_name_hash(const struct config *config, struct name_hash **ret_hash, struct error *err)
{
	struct error why;
	*ret_hash = config->hash_key_file ? name_hash_new(config->hash_key_file, config_hashed(config), &why) : NULL;
	return *ret_hash || !config->hash_key_file || config_wrong(config, "names.hash-key-file", err, "%s", why.text);
}

static bool is_name_key(const struct config *config, struct error *err)
{
	struct name_hash *hash;
	bool is_read = config_name_hash(config, &hash, err);
	name_hash_free(hash);
	return is_read;
}

bool config_check(const struct config *config, struct error *err)
{
	struct error why;
	if (!is_connection(config, err))
		return false;
	if (config->state_path && !store_check(config->state_path, &why))
		return config_wrong(config, "state.path", err, "%s", why.text);
	if (!is_name_key(config, err))
		return false;
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

bool config_causes(const struct config *config, struct node_causes *causes, struct error *err)
{
	for (size_t i = 0; i < config->node_causes.count; i++)
		if (!node_causes_add(causes, config->node_causes.values[i], err))
			return false;
	return true;
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
