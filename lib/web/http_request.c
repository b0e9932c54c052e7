#include "web/server.h"

#include "base/clock.h"

#include <string.h>

const char *web_request_header(const struct web_request *request, const char *name)
{
	return MHD_lookup_connection_value(request->connection, MHD_HEADER_KIND, name);
}

struct nth_value {
	const char *name, *value;
	unsigned left;
};

static enum MHD_Result find_nth(void *context, enum MHD_ValueKind kind, const char *name,
				const char *value)
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

static void release_nothing(void *owner)
{
	(void)owner;
}

static enum MHD_Result send_reply(struct MHD_Connection *connection, const struct web_reply *reply)
{
	struct MHD_Response *response = MHD_create_response_from_buffer_with_free_callback_cls(
		reply->len, (void *)reply->bytes, reply->release ? reply->release : release_nothing,
		reply->owner);
	if (!response) {
		if (reply->release)
			reply->release(reply->owner);
		return MHD_NO;
	}
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, reply->type);
	MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
	if (reply->encoding)
		MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, reply->encoding);
	for (int i = 0; i < WEB_REPLY_HEADERS_MAX && reply->headers[i].name; i++)
		MHD_add_response_header(response, reply->headers[i].name, reply->headers[i].value);
	enum MHD_Result result = MHD_queue_response(connection, reply->status, response);
	MHD_destroy_response(response);
	return result;
}

static bool has_body_to_skip(const char *method)
{
	return strcmp(method, MHD_HTTP_METHOD_GET) == 0 || strcmp(method, MHD_HTTP_METHOD_HEAD) == 0 ||
	       strcmp(method, MHD_HTTP_METHOD_POST) == 0;
}

struct connection *http_request_connection(struct MHD_Connection *connection)
{
	return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

enum MHD_Result http_request(void *context, struct MHD_Connection *handle, const char *url,
			     const char *method, const char *version, const char *upload,
			     size_t *upload_size, void **request_context)
{
	(void)version, (void)upload, (void)request_context;
	struct http_server *server = context;
	struct connection *connection = http_request_connection(handle);
	/* The first call comes when the headers are read. An answer then closes the connection: right for
	 * methods whose bodies nobody wants to read. */
	if (!connection->has_begun && has_body_to_skip(method)) {
		connection->has_begun = true;
		return MHD_YES;
	}
	if (*upload_size) { /* a body: not looked at */
		*upload_size = 0;
		return MHD_YES;
	}
	connections_enter(&server->connections, connection, CONNECTION_READS, clock_monotonic_ns());
	struct web_request request = {method, url, handle};
	struct web_reply reply = {.status = MHD_HTTP_OK};
	server->respond(server->context, &request, &reply);
	return send_reply(handle, &reply);
}
