#include "slurmrest/client.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/memory.h"
#include "model/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

const char *const fetch_result_names[FETCH_RESULTS] = {
	[FETCH_OK] = "ok",
	[FETCH_UNREACHABLE] = "unreachable",
	[FETCH_TIMEOUT] = "timeout",
	[FETCH_UNAUTHORIZED] = "unauthorized",
	[FETCH_FORBIDDEN] = "forbidden",
	[FETCH_HTTP_ERROR] = "http_error",
	[FETCH_SLURM_ERROR] = "slurm_error",
	[FETCH_INVALID] = "invalid",
	[FETCH_EMPTY] = "empty",
	[FETCH_UNSUPPORTED] = "unsupported",
	[FETCH_UNCHANGED] = "unchanged",
	[FETCH_NOT_FOUND] = "not_found",
};

struct client {
	struct http *http;
	struct token *token;
	char *user; /* NULL: the token's */
	char *only_version; /* NULL: any */
	const struct api_version *version; /* NULL while unknown */
	char release[sizeof((struct answer *)0)->release]; /* of the last answer that counted; empty: none yet */
	bool is_other_release; /* than when the version was found: there may be a newer one */
	struct decoder *decoders[ENDPOINTS];
};

static char *copy(const char *text)
{
	return text ? memory_copy(text, strlen(text)) : NULL;
}

static bool is_same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

bool client_configure(struct client *client, const struct client_options *options, struct token *token,
		      struct error *err)
{
	struct http *http = http_new(&options->http, err);
	if (!http) {
		token_free(token);
		return false;
	}
	if (!is_same(client->only_version, options->version))
		client->version = NULL;
	http_free(client->http);
	token_free(client->token);
	free(client->user);
	free(client->only_version);
	client->http = http;
	client->token = token;
	client->user = copy(options->user);
	client->only_version = copy(options->version);
	for (int i = 0; i < ENDPOINTS; i++)
		decoder_hash(client->decoders[i], options->hash);
	return true;
}

struct client *client_new(const struct client_options *options, struct token *token, struct vocabulary *vocabulary,
			  struct error *err)
{
	struct client *client = NEW(struct client);
	for (int i = 0; i < ENDPOINTS; i++)
		client->decoders[i] = decoder_new(endpoint_table[i].record, vocabulary);
	if (client_configure(client, options, token, err))
		return client;
	client_free(client);
	return NULL;
}

/* One request's way through the decoder. */
struct transfer {
	struct decoder *decoder;
	bool is_json;
	struct error why;
};

static bool take_body(void *context, long status, const char *bytes, size_t len)
{
	struct transfer *transfer = context;
	if (transfer->is_json)
		transfer->is_json = decoder_feed(transfer->decoder, bytes, len, &transfer->why);
	return transfer->is_json || status != 200; /* the text of an error need not be JSON */
}

/* The first byte of the body, if there is any. */
static bool take_first(void *context, long status, const char *bytes, size_t len)
{
	char *first = context;
	(void)status;
	if (!*first && len)
		*first = *bytes;
	return true;
}

/* `value` is the token that is shown; NULL: none. */
static enum http_result get(struct client *client, const char *path, const char *value, http_body_fn *take,
			    void *context, struct http_reply *ret_reply, struct error *err)
{
	const char *user = client->user ? client->user : token_user(client->token);
	const struct http_header headers[] = {
		{"X-SLURM-USER-NAME", value ? user : NULL}, /* 22.05 wants it: SLURMRESTD.md, "Tokens" */
		{"X-SLURM-USER-TOKEN", value},
		{NULL, NULL},
	};
	return http_get(client->http, path, headers, take, context, ret_reply, err);
}

static bool is_auth_status(long status)
{
	return status == 401 || status == 403 || status == 511;
}

static bool is_expired(const struct client *client)
{
	int64_t expiry = token_expiry(client->token);
	return expiry && expiry <= clock_now_s();
}

/* 22.05 says 500 where later releases say 511, and may not say why (SLURMRESTD.md, "Tokens"); an expired token explains it. */
static bool is_token_refused(const struct client *client, const struct answer *answer)
{
	return answer->unauthentic || is_expired(client);
}

static enum fetch_result unanswered_result(enum http_result result)
{
	return result == HTTP_TIMEOUT ? FETCH_TIMEOUT : FETCH_UNREACHABLE;
}

/* Does slurmrestd serve this version? It answers a job that is no number at once, with JSON, whatever the token is; an
 * unknown version with text (SLURMRESTD.md, "API versions"). FETCH_OK: yes, FETCH_NOT_FOUND: no. */
static enum fetch_result probe(struct client *client, const struct api_version *version, const char *token,
			       struct error *err)
{
	char path[64], first = '\0';
	struct http_reply reply;
	snprintf(path, sizeof path, "/slurm/%s/job/x", version->name);
	enum http_result result = get(client, path, token, take_first, &first, &reply, err);
	if (result != HTTP_ANSWERED)
		return unanswered_result(result);
	if (first == '{' && !is_auth_status(reply.status))
		return FETCH_OK;
	if (reply.status == 404)
		return FETCH_NOT_FOUND;
	error_set(err, "GET %s: HTTP %ld%s", path, reply.status,
		  is_auth_status(reply.status) ? "" : ", and not as slurmrestd answers");
	return is_auth_status(reply.status) ? FETCH_UNAUTHORIZED : FETCH_INVALID;
}

/* The token is for slurmrestd, and something else may answer at the URL. So we send no token until an answer looks like
 * slurmrestd's, or a proxy before it requires a token. */
static enum fetch_result probe_without_token(struct client *client, const struct api_version *version,
					     struct error *err)
{
	const char *token = token_value(client->token);
	enum fetch_result result = probe(client, version, token ? "none" : NULL, err);
	return result == FETCH_UNAUTHORIZED && token ? probe(client, version, token, err) : result;
}

static enum fetch_result say_unsupported(struct client *client, struct error *err)
{
	static const struct api_version unread = {.name = "v0.0.39"};
	if (client->only_version)
		error_set(err, "slurmrestd does not serve %s", client->only_version);
	else if (probe_without_token(client, &unread, err) == FETCH_OK)
		error_set(
			err,
			"slurmrestd serves %s alone, which slurmscope does not read: start it without -d and -s, so that it "
			"serves all that it has",
			unread.name);
	else
		error_set(
			err,
			"slurmrestd serves no API version that slurmscope reads (v0.0.37, v0.0.38, v0.0.40 and later)");
	return FETCH_UNSUPPORTED;
}

/* Finds the newest API version that both sides speak, from the newest known one downwards (why not /openapi:
 * SLURMRESTD.md, "API versions"). */
static enum fetch_result discover(struct client *client, struct error *err)
{
	if (!token_refresh(client->token, clock_now_s(), err))
		return FETCH_UNAUTHORIZED;
	for (const struct api_version *version = api_versions; version->name; version++) {
		if (client->only_version && strcmp(client->only_version, version->name) != 0)
			continue;
		enum fetch_result result = probe_without_token(client, version, err);
		if (result == FETCH_NOT_FOUND)
			continue;
		if (result == FETCH_OK) {
			client->version = version;
			client->is_other_release = false;
		}
		return result;
	}
	client->version = NULL;
	return say_unsupported(client, err);
}

/* "what: description: error", as far as the answer says. */
static void explain(const struct answer *answer, const char *what, struct error *err)
{
	const char *description = answer->error_description, *error = answer->error;
	error_set(err, "%s%s%s%s%s", what, *description ? ": " : "", description, *error ? ": " : "", error);
}

/* Judges a complete answer: does it count? `is_since`: the request was only for what changed. */
static enum fetch_result judge(const struct client *client, const struct transfer *transfer,
			       const struct answer *answer, const struct http_reply *reply, bool is_since,
			       struct error *err)
{
	if (reply->status == 304 && is_since)
		return FETCH_UNCHANGED;
	/* 404 or 500; all say so in errors[] (SLURMRESTD.md, "Status and errors", also of what follows) */
	if (transfer->is_json && answer->unknown_jobs && answer->unknown_jobs == answer->error_count)
		return FETCH_NOT_FOUND;
	if (reply->status != 200) {
		char what[32];
		snprintf(what, sizeof what, "HTTP %ld", reply->status);
		explain(answer, what, err);
		if (transfer->is_json && answer->access_denied)
			return FETCH_FORBIDDEN;
		return is_auth_status(reply->status) || is_token_refused(client, answer) ? FETCH_UNAUTHORIZED
											 : FETCH_HTTP_ERROR;
	}
	if (!transfer->is_json) {
		*err = transfer->why;
		return FETCH_INVALID;
	}
	/* 22.05: 200 with error 9003 says only that nothing was found */
	if (answer->error_count > answer->nothing_found) {
		explain(answer, "200 with errors", err);
		return answer->access_denied		  ? FETCH_FORBIDDEN
		       : is_token_refused(client, answer) ? FETCH_UNAUTHORIZED
							  : FETCH_SLURM_ERROR;
	}
	if (!answer->has_list) {
		error_set(err, "the answer has no records");
		return FETCH_INVALID;
	}
	/* an empty list, last_update 0 and a warning mean "unchanged", not "empty" (SLURMRESTD.md, "An empty list") */
	if (!answer->records && answer->warning_count && answer->last_update == 0) {
		if (is_since)
			return FETCH_UNCHANGED;
		error_set(err, "an empty list with a warning: %s", answer->warning);
		return FETCH_EMPTY;
	}
	if (answer->skipped && !answer->records) {
		error_set(err, "none of the %lu records can be used", (unsigned long)answer->skipped);
		return FETCH_INVALID;
	}
	return FETCH_OK;
}

static bool is_conditional(const struct client *client, const struct fetch *fetch)
{
	return fetch->since && endpoint_table[fetch->endpoint].takes_update_time && client->version->takes_update_time;
}

static void path_of(const struct client *client, const struct fetch *fetch, struct buf *path)
{
	const struct endpoint_row *row = &endpoint_table[fetch->endpoint];
	const char *flags = fetch->with_detail ? client->version->item_detail_query
			    : row->takes_item  ? client->version->item_flags_query
					       : client->version->flags_query;
	buf_printf(path, "/%s/%s%s%s%s%s", row->is_slurmdb ? "slurmdb" : "slurm", client->version->name, row->path,
		   row->takes_item ? fetch->item : "", row->takes_flags ? flags : "", fetch->query ? fetch->query : "");
	if (is_conditional(client, fetch))
		buf_printf(path, "%cupdate_time=%" PRIu64, strchr(path->bytes, '?') ? '&' : '?', fetch->since);
}

/* A path with a thousand IDs is shortened for a message. */
static void name_request(const struct buf *path, struct error *err)
{
	enum { SHOWN = 100 };
	error_prefix(err, "GET %.*s%s", SHOWN, path->bytes, path->len > SHOWN ? "..." : "");
}

/* slurmrestd changed: the version that is found next belongs to the release that answers next. */
static void forget_version(struct client *client)
{
	client->version = NULL;
	client->release[0] = '\0';
}

static enum fetch_result fetch_once(struct client *client, const struct fetch *fetch, struct answer *ret_answer,
				    struct http_reply *ret_reply, struct error *err)
{
	const struct endpoint_row *row = &endpoint_table[fetch->endpoint];
	struct transfer transfer = {.decoder = client->decoders[fetch->endpoint], .is_json = true};
	struct buf path = BUF_INIT;
	bool is_since = is_conditional(client, fetch);
	path_of(client, fetch, &path);
	decoder_start(transfer.decoder, fetch->take, fetch->context);
	enum http_result got =
		get(client, path.bytes, token_value(client->token), take_body, &transfer, ret_reply, err);
	if (got == HTTP_ANSWERED && transfer.is_json)
		transfer.is_json = decoder_finish(transfer.decoder, &transfer.why);
	*ret_answer = *decoder_answer(transfer.decoder);
	enum fetch_result result = got == HTTP_ANSWERED || got == HTTP_REFUSED
					   ? judge(client, &transfer, ret_answer, ret_reply, is_since, err)
					   : unanswered_result(got);
	if (ret_reply->status == 404 && !row->is_optional && result != FETCH_NOT_FOUND)
		forget_version(client);
	else if (ret_reply->status == 404 && !ret_answer->has_list)
		result = FETCH_UNSUPPORTED; /* an unknown path has no JSON, an unknown job has */
	if (!fetch_succeeded(result))
		name_request(&path, err);
	buf_done(&path);
	return result;
}

/* An upgrade that still serves the version in use may serve a newer one, which tells more. */
static void note_release(struct client *client, const char *release)
{
	struct error ignored; /* another answer will do */
	if (*release && strcmp(release, client->release) != 0) {
		client->is_other_release = *client->release;
		snprintf(client->release, sizeof client->release, "%s", release);
	}
	if (client->is_other_release)
		discover(client, &ignored);
}

static enum fetch_result attempt(struct client *client, const struct fetch *fetch, struct answer *ret_answer,
				 struct http_reply *ret_reply, struct error *err)
{
	*ret_answer = (struct answer){.last_update = NUMBER_UNSET};
	*ret_reply = (struct http_reply){0};
	if (!token_refresh(client->token, clock_now_s(), err))
		return FETCH_UNAUTHORIZED;
	if (!client->version) {
		enum fetch_result result = discover(client, err);
		if (result != FETCH_OK)
			return result;
	}
	enum fetch_result result = fetch_once(client, fetch, ret_answer, ret_reply, err);
	if (result == FETCH_OK)
		note_release(client, ret_answer->release);
	return result;
}

enum fetch_result client_fetch(struct client *client, const struct fetch *fetch, struct answer *ret_answer,
			       struct http_reply *ret_reply, struct error *err)
{
	enum fetch_result result = attempt(client, fetch, ret_answer, ret_reply, err);
	/* Once more with a token that was rotated a moment ago, or the version that slurmrestd serves
	 * since it was upgraded. */
	bool is_other_token =
		result == FETCH_UNAUTHORIZED && !ret_answer->records && token_renew(client->token, clock_now_s());
	bool is_other_version = result == FETCH_HTTP_ERROR && !client->version;
	if (is_other_token || is_other_version)
		result = attempt(client, fetch, ret_answer, ret_reply, err);
	return result;
}

const struct api_version *client_version(const struct client *client)
{
	return client->version;
}

const struct token *client_token(const struct client *client)
{
	return client->token;
}

void client_free(struct client *client)
{
	if (!client)
		return;
	for (int i = 0; i < ENDPOINTS; i++)
		decoder_free(client->decoders[i]);
	http_free(client->http);
	token_free(client->token);
	free(client->user);
	free(client->only_version);
	free(client);
}
