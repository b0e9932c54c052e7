#include "web/server.h"

#include "base/clock.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { BODY_BYTES_MAX = 1024 * 1024 }; /* no path takes a body */

const char *web_request_header(const struct web_request *request, const char *name)
{
	return MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND, name);
}

struct nth_value {
	const char *name, *value;
	unsigned left;
};

static enum MHD_Result find_nth(void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
	(void)kind;
	struct nth_value *wanted = context;
	if (strcmp(name, wanted->name) != 0 || wanted->left--)
		return MHD_YES;
	wanted->value = value ? value : "";
	return MHD_NO;
}

const char *web_request_query(const struct web_request *request, const char *name, unsigned nth)
{
	struct nth_value wanted = {name, NULL, nth};
	MHD_get_connection_values(request->connection, MHD_GET_ARGUMENT_KIND, find_nth, &wanted);
	return wanted.value;
}

void web_reply_text(struct web_reply *reply, unsigned status, const char *text)
{
	reply->status = status;
	reply->type = "text/plain; charset=utf-8";
	reply->bytes = text;
	reply->len = strlen(text);
}

void web_reply_header(struct web_reply *reply, const char *name, const char *value)
{
	for (int i = 0; i < WEB_REPLY_HEADERS_MAX; i++) {
		if (reply->headers[i].name)
			continue;
		reply->headers[i].name = name;
		reply->headers[i].value = value;
		return;
	}
}

static void set_header(struct MHD_Response *response, const char *name, const char *value)
{
	if (!MHD_get_response_header(response, name))
		MHD_add_response_header(response, name, value);
}

/* The reply's own headers count more than the configured ones. */
static void set_headers(struct MHD_Response *response, const struct web_reply *reply, const struct web_config *config)
{
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, reply->type);
	if (reply->encoding)
		MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, reply->encoding);
	for (int i = 0; i < WEB_REPLY_HEADERS_MAX && reply->headers[i].name; i++)
		MHD_add_response_header(response, reply->headers[i].name, reply->headers[i].value);
	for (unsigned i = 0; config && i < config->header_count; i++)
		set_header(response, config->headers[i].name, config->headers[i].value);
	set_header(response, "X-Content-Type-Options", "nosniff");
	set_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
}

#if MHD_VERSION >= 0x00097302
static void release_nothing(void *owner)
{
	(void)owner;
}

static struct MHD_Response *response_of(const struct web_reply *reply)
{
	return MHD_create_response_from_buffer_with_free_callback_cls(
		reply->len, (void *)reply->bytes, reply->release ? reply->release : release_nothing, reply->owner);
}
#else /* RHEL 9's cannot be lent what has an owner, and copies it as it sends */
static ssize_t copy_body(void *context, uint64_t from, char *to, size_t max)
{
	const struct web_reply *reply = context;
	memcpy(to, reply->bytes + from, max);
	return (ssize_t)max;
}

static void release_body(void *context)
{
	struct web_reply *reply = context;
	if (reply->release)
		reply->release(reply->owner);
	free(reply);
}

static struct MHD_Response *response_of(const struct web_reply *reply)
{
	enum { BLOCK_BYTES = 64 * 1024 };
	struct web_reply *kept = NEW(struct web_reply);
	*kept = *reply;
	struct MHD_Response *response =
		MHD_create_response_from_callback(reply->len, BLOCK_BYTES, copy_body, kept, release_body);
	if (!response)
		free(kept);
	return response;
}
#endif

static enum MHD_Result send_reply(const struct http_server *server, struct MHD_Connection *connection,
				  const struct web_reply *reply)
{
	struct MHD_Response *response = response_of(reply);
	if (!response) {
		if (reply->release)
			reply->release(reply->owner);
		return MHD_NO;
	}
	set_headers(response, reply, server->config);
	enum MHD_Result result = MHD_queue_response(connection, reply->status, response);
	MHD_destroy_response(response);
	return result;
}

struct connection *http_request_connection(struct MHD_Connection *connection)
{
	return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

static enum password_verdict limit(struct http_server *server, struct web_reply *reply)
{
	server->facts.limited++;
	web_reply_text(reply, MHD_HTTP_TOO_MANY_REQUESTS, "too many requests: try again later\n");
	return PASSWORD_WRONG;
}

static const char *authorization_of(const struct connection *connection)
{
	return MHD_lookup_connection_value(connection->handle, MHD_HEADER_KIND, MHD_HTTP_HEADER_AUTHORIZATION);
}

/* Checks rate limit and password. If it refuses the request, the reply says why. */
static enum password_verdict admit(struct http_server *server, struct connection *connection, struct web_reply *reply)
{
	if (connection->is_checked && connection->generation == server->generation)
		return connection->verdict;
	const struct web_config *config = server->config;
	connection->generation = server->generation;
	if (!config)
		return PASSWORD_RIGHT;
	if (!web_bucket_take(&server->bucket, &config->rate, clock_monotonic_ns()))
		return limit(server, reply);
	return config->user_count ? passwords_look(server->passwords, config->users, config->user_count,
						   authorization_of(connection), connection->source, connection)
				  : PASSWORD_RIGHT;
}

/* Whom the server knows a client to be. */
struct identity {
	struct buf name; /* of the user, or of the certificate; empty: it has none */
	struct web_tenant *tenant; /* NULL: none */
	bool has_several; /* the certificate has names of several */
};

struct naming {
	const struct web_config *config;
	struct identity *identity;
};

static void take_certificate_name(void *context, struct text name)
{
	const struct naming *naming = context;
	struct identity *identity = naming->identity;
	struct web_tenant *tenant = tenants_find(&naming->config->tenants, TENANT_CERTIFICATES, name);
	if (tenant ? !identity->tenant : !identity->name.len) {
		buf_clear(&identity->name);
		buf_add_text(&identity->name, name);
	}
	identity->has_several |= tenant && identity->tenant && identity->tenant != tenant;
	identity->tenant = tenant ? tenant : identity->tenant;
}

/* The password was right, if there are passwords. A certificate that another configuration verified is nobody's. */
static struct identity identify(const struct http_server *server, const struct connection *connection)
{
	const struct web_config *config = server->config;
	struct identity identity = {.name = BUF_INIT};
	struct naming naming = {config, &identity};
	const union MHD_ConnectionInfo *info;
	bool is_asked_for = config && (config->tenants.count || server->audit);
	if (!is_asked_for)
		return identity;
	if (config->user_count && passwords_user(authorization_of(connection), &identity.name))
		identity.tenant = tenants_find(&config->tenants, TENANT_USERS, buf_text(&identity.name));
	else if (!config->user_count && connection->client.tls && connection->client.tls == config->tls &&
		 (info = MHD_get_connection_info(connection->handle, MHD_CONNECTION_INFO_GNUTLS_SESSION)))
		tls_client_names(connection->client.tls, info->tls_session, take_certificate_name, &naming);
	if (identity.has_several)
		identity.tenant = NULL;
	return identity;
}

/* Answers a request that may be answered. */
static void answer(struct http_server *server, struct connection *connection, const struct identity *identity,
		   struct web_request *request, struct web_reply *reply)
{
	struct web_tenant *tenant = identity->tenant;
	request->tenant = tenant;
	connection->tenant = tenant ? map_hash(text_of(tenant->name)) | 1 : 0;
	request->sees_everything =
		!server->config || !server->config->tenants.count || (tenant && tenant->sees_everything);
	bool reads_much = tenant && !tenant->sees_everything &&
			  connections_reading(&server->connections, connection->tenant) > TENANT_ANSWERS_MAX;
	if (reads_much || (tenant && !web_bucket_take(&tenant->bucket, &tenant->rate, clock_monotonic_ns())))
		limit(server, reply);
	else
		server->setup.respond(server->setup.context, request, reply);
}

static void audit(struct http_server *server, const struct connection *connection, const struct identity *identity,
		  const char *method, const struct web_reply *reply)
{
	char address[CONNECTION_ADDRESS_BYTES], who[128], verb[16]; /* the client's texts may be long */
	if (!server->audit)
		return;
	connections_address(connection->socket, address);
	text_to_string(buf_text(&identity->name), who, sizeof who);
	text_to_string(text_of(method), verb, sizeof verb);
	const struct audit_entry entry = {
		.who = who,
		.tenant = identity->tenant ? identity->tenant->name : NULL,
		.source = address,
		.source_key = connection->source,
		.method = verb,
		.target = connection->target,
		.status = reply->status,
		.bytes = reply->len,
	};
	audit_note(server->audit, &entry, clock_monotonic_ns());
}

static void refuse(struct http_server *server, enum password_verdict verdict, struct web_reply *reply)
{
	if (verdict == PASSWORD_BUSY) {
		server->facts.busy++;
		web_reply_text(reply, MHD_HTTP_SERVICE_UNAVAILABLE, "too many passwords to check: try again later\n");
	} else if (!reply->bytes) {
		server->facts.refused++;
		web_reply_text(reply, MHD_HTTP_UNAUTHORIZED, "unauthorized\n");
		web_reply_header(reply, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Basic realm=\"metrics\"");
	}
}

enum MHD_Result http_request(void *context, struct MHD_Connection *handle, const char *url, const char *method,
			     const char *version, const char *upload, size_t *upload_size, void **request_context)
{
	(void)version, (void)upload, (void)request_context;
	struct http_server *server = context;
	struct connection *connection = http_request_connection(handle);
	/* The first call comes when the headers are read. An answer then would close the connection. */
	if (!connection->has_begun) {
		connection->has_begun = true;
		connection->arrived_ns = atomic_load(&server->progress->busy_since_ns);
		return MHD_YES;
	}
	if (*upload_size) { /* a body: not looked at */
		connection->body_bytes += *upload_size;
		*upload_size = 0;
		return connection->body_bytes <= BODY_BYTES_MAX ? MHD_YES : MHD_NO;
	}
	struct web_request request = {
		.method = method, .path = url, .arrived_ns = connection->arrived_ns, .connection = handle};
	struct web_reply reply = {.status = MHD_HTTP_OK};
	enum password_verdict verdict = admit(server, connection, &reply);
	if (verdict == PASSWORD_LATER) {
		connections_enter(&server->connections, connection, CONNECTION_WAITS, clock_monotonic_ns());
		MHD_suspend_connection(handle);
		return MHD_YES;
	}
	connections_enter(&server->connections, connection, CONNECTION_READS, clock_monotonic_ns());
	struct identity identity = {.name = BUF_INIT};
	if (verdict == PASSWORD_RIGHT) {
		identity = identify(server, connection);
		answer(server, connection, &identity, &request, &reply);
	} else {
		refuse(server, verdict, &reply);
	}
	audit(server, connection, &identity, method, &reply);
	buf_done(&identity.name);
	return send_reply(server, handle, &reply);
}
