/* Does a slurmrestd listen at the URL? The request has no token, because the URL may lead to a stranger. */
#include "doctor/examinations.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { START_BYTES = 512, PATIENCE_S = 30 };

struct start {
	char bytes[START_BYTES + 1]; /* of the body */
	size_t len;
};

static bool take_start(void *context, long status, const char *bytes, size_t len)
{
	(void)status;
	struct start *start = context;
	size_t left = START_BYTES - start->len, part = len < left ? len : left;
	memcpy(start->bytes + start->len, bytes, part);
	start->len += part;
	return true;
}

/* slurmrestd says 401 before it looks at the path. If it needs no token, it sends JSON, or its words for an unknown
 * path. */
static bool is_slurmrestd(const struct start *start)
{
	return strstr(start->bytes, "Authentication failure") || strstr(start->bytes, "find requested URL") ||
	       (start->bytes[0] == '{' && strstr(start->bytes, "\"ping"));
}

static const char *advice_for(enum http_trouble trouble, const char *url, const char *why)
{
	bool is_https = strncasecmp(url, "https:", 6) == 0;
	bool is_unix = strncasecmp(url, "unix:", 5) == 0;
	switch (trouble) {
	case HTTP_NO_HOST:
		return "correct the host in --slurmrestd.url, or this machine's name resolution (DNS, /etc/hosts)";
	case HTTP_NO_CONNECTION:
		return is_unix ? "is slurmrestd running with this socket, and may this user write to it?"
			       : "is slurmrestd running (systemctl status slurmrestd), does it listen there (ss -ltn), and "
				 "is no firewall in between?";
	case HTTP_NO_TLS:
		return !strstr(why, "certificate")
			       ? "if the server there does not speak TLS, use http:// instead of https://"
			       : "set --slurmrestd.ca-file to the authority of that certificate, and --slurmrestd.url or "
				 "--slurmrestd.server-name to its name";
	default:
		return is_https ? "check that slurmrestd listens there"
				: "check that slurmrestd listens there, and whether it expects https://";
	}
}

static bool judge(struct patient *patient, const struct http_reply *reply, const struct start *start)
{
	const char *url = patient->config->slurmrestd_url;
	const char *server = *reply->server ? reply->server : "(unnamed)";
	if (*reply->server && is_slurmrestd(start))
		report(patient->report, VERDICT_OK, "url", NULL,
		       "%s: slurmrestd answers in %.0f ms, through %s, which must pass on X-SLURM-USER-TOKEN and "
		       "wait minutes for an answer",
		       url, reply->seconds * 1e3, server);
	else if (is_slurmrestd(start))
		report(patient->report, VERDICT_OK, "url", NULL, "%s: slurmrestd answers in %.0f ms", url,
		       reply->seconds * 1e3);
	else if (reply->status == 407 || (reply->status >= 502 && reply->status <= 504))
		report(patient->report, VERDICT_FAIL, "url",
		       "the proxy cannot reach slurmrestd, or rejects slurmscope: see its log, or connect without it",
		       "%s: HTTP %ld from the proxy %s, not from slurmrestd", url, reply->status, server);
	else
		report(patient->report, VERDICT_FAIL, "url",
		       "correct --slurmrestd.url: slurmrestd's default port is 6820",
		       "%s: HTTP %ld from %s, which is not slurmrestd", url, reply->status, server);
	return is_slurmrestd(start);
}

bool examine_connection(struct patient *patient)
{
	struct error err = {""};
	struct start start = {.len = 0};
	struct http_reply reply;
	const struct http_header none = {NULL, NULL};
	struct client_options options = config_client(patient->config, NULL);
	options.http.timeout_s = options.http.timeout_s < PATIENCE_S ? options.http.timeout_s : PATIENCE_S;
	struct http *http = http_new(&options.http, &err);
	if (!http) {
		report(patient->report, VERDICT_FAIL, "url", "correct the option", "%s", err.text);
		return false;
	}
	enum http_result result = http_get(http, "/slurm/v0.0.40/ping", &none, take_start, &start, &reply, &err);
	http_free(http);
	if (result == HTTP_ANSWERED)
		return judge(patient, &reply, &start);
	const char *url = patient->config->slurmrestd_url;
	if (result == HTTP_TIMEOUT)
		report(patient->report, VERDICT_FAIL, "url",
		       "check for a firewall that drops packets, and whether slurmrestd is overloaded",
		       "%s: no answer after %.0f s", url, reply.seconds);
	else
		report(patient->report, VERDICT_FAIL, "url", advice_for(reply.trouble, url, err.text), "%s: %s", url,
		       err.text);
	return false;
}
