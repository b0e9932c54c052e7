/* Asks one slurmrestd: version, token, request, answer. One request at a time; used by one thread. */
#pragma once

#include "slurmrest/api_version.h"
#include "slurmrest/endpoint.h"
#include "slurmrest/http.h"
#include "slurmrest/token.h"

/* How a request ended; the label `result` of slurmscope_requests_total. */
enum fetch_result {
	FETCH_OK,
	FETCH_UNREACHABLE,
	FETCH_TIMEOUT,
	FETCH_UNAUTHORIZED, /* no token, or one that Slurm does not accept */
	FETCH_FORBIDDEN, /* the user may not see this (slurmdbd's diag is for operators) */
	FETCH_HTTP_ERROR, /* another status than 200 */
	FETCH_SLURM_ERROR, /* 200 with errors[] */
	FETCH_INVALID, /* not the JSON that was expected, or cut off */
	FETCH_EMPTY, /* an empty list that does not mean that there is nothing */
	FETCH_UNSUPPORTED, /* no API version that is understood, or it lacks the endpoint */
	FETCH_UNCHANGED, /* nothing changed since `since`: no records */
	FETCH_NOT_FOUND, /* slurmctld knows no such job: no records */
	FETCH_RESULTS,
};
extern const char *const fetch_result_names[FETCH_RESULTS];

struct client_options {
	struct http_options http;
	const char *user; /* NULL: the token's */
	const struct name_hash *hash; /* borrowed until client_free; NULL: names stay */
	const char *version; /* the only API version to use; NULL: the newest that both sides know */
};

struct client;

/* Takes the token; borrows the vocabulary until client_free. */
struct client *client_new(const struct client_options *options, struct token *token, struct vocabulary *vocabulary,
			  struct error *err);

/* Goes on with other options and another token, which it takes; false, and nothing is changed, if that cannot be.
 * What it knows of slurmrestd it keeps. */
bool client_configure(struct client *client, const struct client_options *options, struct token *token,
		      struct error *err);

/* Whether slurmrestd answered what was asked, be it "unchanged" or "no such job". */
static inline bool fetch_succeeded(enum fetch_result result)
{
	return result == FETCH_OK || result == FETCH_UNCHANGED || result == FETCH_NOT_FOUND;
}

/* One request: what is asked, and who gets the records as they come. They count only if the result is
 * FETCH_OK. */
struct fetch {
	enum endpoint endpoint;
	record_fn *take;
	void *context;
	const char *query; /* "?job_id=1", not with one that takes flags; NULL: none */
	bool with_detail; /* of that: what the job holds of each node, where the version tells */
	const char *item; /* of an endpoint that takes one: "17" */
	/* The last_update of an answer that is still at hand; 0: none. Only sent where endpoint and version
	 * take it: then the result may be FETCH_UNCHANGED. */
	uint64_t since;
};

/* Fetches one endpoint whole. *ret_answer and *ret_reply are set whatever the result. */
enum fetch_result client_fetch(struct client *client, const struct fetch *fetch, struct answer *ret_answer,
			       struct http_reply *ret_reply, struct error *err);

const struct api_version *client_version(const struct client *client); /* NULL while unknown */
const struct token *client_token(const struct client *client);
void client_free(struct client *client); /* NULL is fine */
