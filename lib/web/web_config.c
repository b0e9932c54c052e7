#include "web/web_config.h"

#include "base/memory.h"
#include "yaml/document.h"

#include <stdlib.h>

struct web_config_reading {
	struct web_reading base;
	struct web_config *config;
	const struct web_files *files;
	struct tls_settings tls;
	/* Of tls_server_config; NULL: not given, or empty. */
	const struct yaml_node *cert, *key, *client_ca, *cert_file, *key_file, *client_ca_file, *client_auth;
	const struct yaml_node *sans;
};

static struct web_config_reading *whole(struct web_reading *reading)
{
	return (struct web_config_reading *)reading; /* whose first member it is */
}

/* Remembers the node of a text that is not empty. */
static bool read_text(struct web_reading *reading, const struct yaml_node *node, void *member)
{
	if (node->kind != YAML_SCALAR)
		return web_wrong(reading, node, "expected a text");
	if (node->text.len)
		*(const struct yaml_node **)member = node;
	return true;
}

/* All spellings that YAML 1.1, which exporter-toolkit uses, has for true and false. */
static bool read_bool(struct web_reading *reading, const struct yaml_node *node, void *member)
{
	static const char *const yes[] = {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON", "y", "Y"};
	static const char *const no[] = {"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF", "n", "N"};
	for (size_t i = 0; node->kind == YAML_SCALAR && node->is_plain && i < sizeof yes / sizeof *yes; i++) {
		*(bool *)member = strcmp(node->text.bytes, yes[i]) == 0;
		if (*(bool *)member || strcmp(node->text.bytes, no[i]) == 0)
			return true;
	}
	return web_wrong(reading, node, "expected true or false");
}

static bool read_client_choice(struct web_reading *reading, const struct yaml_node *node, void *member)
{
	bool prefers_server;
	if (!read_bool(reading, node, &prefers_server))
		return false;
	*(bool *)member = !prefers_server;
	return true;
}

/* HTTP/2 is never spoken: clients take 1.1 then. */
static bool read_ignored_bool(struct web_reading *reading, const struct yaml_node *node, void *member)
{
	bool ignored;
	(void)member;
	return read_bool(reading, node, &ignored);
}

struct taken_names {
	struct tls_names *names;
	bool (*is_known)(const char *name); /* NULL: any is */
	const char *unknown; /* what one is that is not */
};

static const char *take_name(void *context, const char *text)
{
	const struct taken_names *taken = context;
	if (taken->is_known && !taken->is_known(text))
		return taken->unknown;
	if (taken->names->count == TLS_NAMES_MAX)
		return "too many";
	taken->names->names[taken->names->count++] = text;
	return NULL;
}

static bool read_ciphers(struct web_reading *reading, const struct yaml_node *node, void *member)
{
	struct taken_names taken = {member, tls_is_cipher, "unknown cipher"};
	return web_read_list(reading, node, take_name, &taken);
}

static bool read_curves(struct web_reading *reading, const struct yaml_node *node, void *member)
{
	struct taken_names taken = {member, tls_is_curve, "unknown curve"};
	return web_read_list(reading, node, take_name, &taken);
}

static bool read_sans(struct web_reading *reading, const struct yaml_node *node, void *member)
{
	struct taken_names taken = {.names = member};
	whole(reading)->sans = node;
	if (node->kind == YAML_LIST && !node->first)
		return web_wrong(reading, node,
				 "no name would let nobody in: name those who may, or leave the key out");
	return web_read_list(reading, node, take_name, &taken);
}

static bool read_version(struct web_reading *reading, const struct yaml_node *node, void *member)
{
	static const char *const names[TLS_VERSIONS] = {"TLS10", "TLS11", "TLS12", "TLS13"};
	for (int i = 0; node->kind == YAML_SCALAR && i < TLS_VERSIONS; i++) {
		if (strcmp(names[i], node->text.bytes) != 0)
			continue;
		*(enum tls_version *)member = (enum tls_version)i;
		return true;
	}
	return web_wrong(reading, node, "unknown TLS version: expected one of TLS10, TLS11, TLS12, TLS13");
}

#define TLS_KEY(name, read, member)                                                                                    \
	{                                                                                                              \
		name, read, offsetof(struct web_config_reading, member)                                                \
	}
static bool read_tls(struct web_reading *reading, const struct yaml_node *node, void *member)
{
	(void)member;
	static const struct web_key keys[] = {
		TLS_KEY("cert", read_text, cert),
		TLS_KEY("key", read_text, key),
		TLS_KEY("client_ca", read_text, client_ca),
		TLS_KEY("cert_file", read_text, cert_file),
		TLS_KEY("key_file", read_text, key_file),
		TLS_KEY("client_ca_file", read_text, client_ca_file),
		TLS_KEY("client_auth_type", read_text, client_auth),
		TLS_KEY("client_allowed_sans", read_sans, tls.client_sans),
		TLS_KEY("min_version", read_version, tls.min),
		TLS_KEY("max_version", read_version, tls.max),
		TLS_KEY("cipher_suites", read_ciphers, tls.ciphers),
		TLS_KEY("prefer_server_cipher_suites", read_client_choice, tls.clients_choose),
		TLS_KEY("curve_preferences", read_curves, tls.curves),
	};
	return web_read_map(reading, node, keys, sizeof keys / sizeof *keys, reading);
}

/* A header's value: what may be in it, if that is known. */
static bool read_header(struct web_reading *reading, const struct yaml_node *node, const char *const *values)
{
	struct web_config *config = whole(reading)->config;
	if (node->kind != YAML_SCALAR)
		return web_wrong(reading, node, "expected a text");
	for (const char *c = node->text.bytes; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return web_wrong(reading, node, "control characters cannot be in a header");
	struct buf all = BUF_INIT;
	bool fits = !values;
	for (int i = 0; values && values[i]; i++) {
		fits = fits || strcmp(values[i], node->text.bytes) == 0;
		buf_printf(&all, "%s%s", i ? " or " : "invalid value: expected ", values[i]);
	}
	if (!fits)
		web_wrong(reading, node, all.bytes);
	buf_done(&all);
	if (!fits || !node->text.len)
		return fits;
	config->headers[config->header_count].name = node->key.bytes;
	config->headers[config->header_count++].value = node->text.bytes;
	return true;
}

static bool read_any_header(struct web_reading *reading, const struct yaml_node *node, void *member)
{
	(void)member;
	return read_header(reading, node, NULL);
}

static bool read_nosniff(struct web_reading *reading, const struct yaml_node *node, void *member)
{
	static const char *const values[] = {"nosniff", NULL};
	(void)member;
	return read_header(reading, node, values);
}

static bool read_frame_options(struct web_reading *reading, const struct yaml_node *node, void *member)
{
	static const char *const values[] = {"deny", "sameorigin", NULL};
	(void)member;
	return read_header(reading, node, values);
}

static bool read_headers(struct web_reading *reading, const struct yaml_node *node, void *member)
{
	static const struct web_key keys[WEB_HEADERS_MAX] = {
		{"Content-Security-Policy", read_any_header, 0},   {"X-Frame-Options", read_frame_options, 0},
		{"X-Content-Type-Options", read_nosniff, 0},	   {"X-XSS-Protection", read_any_header, 0},
		{"Strict-Transport-Security", read_any_header, 0},
	};
	return web_read_map(reading, node, keys, WEB_HEADERS_MAX, member);
}

static bool read_http(struct web_reading *reading, const struct yaml_node *node, void *member)
{
	static const struct web_key keys[] = {{"http2", read_ignored_bool, 0}, {"headers", read_headers, 0}};
	return web_read_map(reading, node, keys, sizeof keys / sizeof *keys, member);
}

static bool read_users(struct web_reading *reading, const struct yaml_node *map, void *member)
{
	(void)member;
	struct web_config *config = whole(reading)->config;
	unsigned capacity = 0;
	if (map->kind != YAML_MAP)
		return web_wrong(reading, map, "expected names and bcrypt hashes");
	for (const struct yaml_node *node = map->first; node; node = node->next) {
		struct error why;
		if (config->user_count == WEB_USERS_MAX)
			return web_wrong(reading, node, "too many users");
		if (node->kind != YAML_SCALAR)
			return web_wrong(reading, node, "expected a bcrypt hash");
		if (!password_hash_check(node->text.bytes,
					 &why)) /* it does not repeat the text: it may be a password */
			return web_wrong(reading, node, why.text);
		GROW(config->users, config->user_count, capacity);
		config->users[config->user_count++] = (struct web_user){node->key.bytes, node->text.bytes};
	}
	return true;
}

/* What a key says in the file that another one names, or itself; empty if neither is given. */
static bool read_pem(struct web_config_reading *reading, const struct yaml_node *named, const struct yaml_node *pem,
		     struct text *to)
{
	*to = pem ? pem->text : (struct text){0};
	if (!named)
		return true;
	struct error why;
	const struct web_file *file = web_files_find(reading->files, named->text.bytes);
	const char *what = !file				  ? "it was not read"
			   : file->error			  ? file->error
			   : !file->bytes.len			  ? "empty"
			   : file->bytes.len > WEB_FILE_BYTES_MAX ? "too large"
								  : NULL;
	if (what) {
		error_set(&why, "%s: %s", file ? file->path : named->text.bytes, what);
		return web_wrong(&reading->base, named, why.text);
	}
	*to = buf_text(&file->bytes);
	return true;
}

static bool set_client_auth(struct web_config_reading *reading)
{
	static const struct {
		const char *name;
		enum tls_client_auth auth;
	} table[] = {
		{"NoClientCert", TLS_CLIENT_NONE},
		{"RequestClientCert", TLS_CLIENT_REQUEST},
		{"RequireAnyClientCert", TLS_CLIENT_REQUIRE_ANY},
		{"RequireClientCert", TLS_CLIENT_REQUIRE_ANY}, /* its old name */
		{"VerifyClientCertIfGiven", TLS_CLIENT_VERIFY_IF_GIVEN},
		{"RequireAndVerifyClientCert", TLS_CLIENT_REQUIRE_AND_VERIFY},
	};
	const struct yaml_node *node = reading->client_auth;
	size_t count = sizeof table / sizeof *table, i = 0;
	while (node && i < count && strcmp(table[i].name, node->text.bytes) != 0)
		i++;
	if (i == count)
		return web_wrong(&reading->base, node,
				 "expected one of NoClientCert, RequestClientCert, RequireAnyClientCert, "
				 "VerifyClientCertIfGiven, RequireAndVerifyClientCert");
	reading->tls.client_auth = table[i].auth;
	const struct yaml_node *ca = reading->client_ca_file ? reading->client_ca_file : reading->client_ca;
	if (ca && reading->tls.client_auth == TLS_CLIENT_NONE)
		return web_wrong(&reading->base, ca, "a client CA needs a client_auth_type that asks for certificates");
	if (reading->sans && reading->tls.client_auth != TLS_CLIENT_REQUIRE_ANY &&
	    reading->tls.client_auth != TLS_CLIENT_REQUIRE_AND_VERIFY)
		return web_wrong(&reading->base, reading->sans,
				 "needs client_auth_type RequireAnyClientCert or "
				 "RequireAndVerifyClientCert");
	return true;
}

static bool set_tls(struct web_config_reading *reading, const struct yaml_node *root)
{
	const struct yaml_node *node = yaml_find(root, "tls_server_config");
	const struct tls_settings *tls = &reading->tls;
	struct error why;
	if (!reading->cert && !reading->cert_file && !reading->key && !reading->key_file && !reading->client_ca &&
	    !reading->client_ca_file && !reading->client_auth)
		return true; /* versions and ciphers alone do not ask for TLS */
	if (!reading->cert && !reading->cert_file)
		return web_wrong(&reading->base, node, "missing one of cert or cert_file");
	if (!reading->key && !reading->key_file)
		return web_wrong(&reading->base, node, "missing one of key or key_file");
	if (tls->min > tls->max)
		return web_wrong(&reading->base, node, "min_version is above max_version");
	if (!read_pem(reading, reading->cert_file, reading->cert, &reading->tls.cert) ||
	    !read_pem(reading, reading->key_file, reading->key, &reading->tls.key) ||
	    !read_pem(reading, reading->client_ca_file, reading->client_ca, &reading->tls.client_ca) ||
	    !set_client_auth(reading))
		return false;
	const struct web_file *trusted = web_files_find(reading->files, WEB_SYSTEM_TRUST);
	if (trusted && !reading->tls.client_ca.len)
		reading->tls.client_ca = buf_text(&trusted->bytes);
	reading->config->tls = tls_new(tls, &why);
	return reading->config->tls || web_wrong(&reading->base, node, why.text);
}

static bool read_rate_limit(struct web_reading *reading, const struct yaml_node *node, void *member)
{
	return web_rate_read(reading, node, &((struct web_config_reading *)member)->config->rate);
}

static bool read_tenants(struct web_reading *reading, const struct yaml_node *node, void *member)
{
	return tenants_read(reading, node, &((struct web_config_reading *)member)->config->tenants);
}

/* A key without a value must not mean that everybody sees everything. */
static bool set_tenants(struct web_config_reading *reading, const struct yaml_node *node)
{
	struct web_config *config = reading->config;
	const struct tenants_clients clients = {config->users, config->user_count, tls_verifies(config->tls)};
	return !node || tenants_check(&config->tenants, node, &clients, &reading->base);
}

static bool read_root(struct web_config_reading *reading)
{
	static const struct web_key keys[] = {
		{"tls_server_config", read_tls, 0},  {"http_server_config", read_http, 0},
		{"basic_auth_users", read_users, 0}, {"rate_limit", read_rate_limit, 0},
		{"tenants", read_tenants, 0},
	};
	const struct yaml_node *root = document_root(reading->config->document);
	return web_read_map(&reading->base, root, keys, sizeof keys / sizeof *keys, reading) &&
	       set_tls(reading, root) && set_tenants(reading, yaml_find(root, "tenants"));
}

struct web_config *web_config_read(const struct web_files *files, struct error *err)
{
	const struct web_file *file = &files->files[0];
	struct web_config *config = NEW(struct web_config);
	struct web_config_reading reading = {
		.base = {.err = err},
		.config = config,
		.files = files,
		.tls = {.min = TLS_VERSION_12, .max = TLS_VERSION_13},
	};
	if (file->error)
		error_set(err, "%s: %s", file->path, file->error);
	else
		config->document = document_parse(file->path, buf_text(&file->bytes), err);
	reading.base.document = config->document;
	if (config->document && read_root(&reading))
		return config;
	web_config_free(config);
	return NULL;
}

void web_config_free(struct web_config *config)
{
	if (!config)
		return;
	document_free(config->document);
	tls_release(config->tls);
	free(config->users);
	tenants_done(&config->tenants);
	free(config);
}
