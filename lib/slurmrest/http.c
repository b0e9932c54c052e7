#include "slurmrest/http.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/memory.h"

#include <curl/curl.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum { CONNECT_TIMEOUT_S = 10, RECEIVE_BUFFER_BYTES = 64 * 1024 };

struct http {
	CURL *curl;
	char *base; /* "http://host:port" */
	struct curl_slist *connect_to; /* NULL: where the URL says */
	const atomic_bool *stop;
	http_body_fn *take;
	void *context;
	uint64_t bytes;
	int64_t date;
	char via[48], server[48]; /* sizes of http_reply's */
	bool is_refused; /* by `take` */
	char why[CURL_ERROR_SIZE];
};

static pthread_once_t curl_once = PTHREAD_ONCE_INIT;

/* libcurl makes the request, token and all, in buffers that it only frees. */
static void curl_start(void)
{
	curl_global_init_mem(CURL_GLOBAL_DEFAULT, malloc, memory_wiping_free, memory_wiping_realloc, strdup, calloc);
}

static size_t on_body(char *bytes, size_t size, size_t count, void *context)
{
	struct http *http = context;
	size_t len = size * count;
	long status = 0;
	curl_easy_getinfo(http->curl, CURLINFO_RESPONSE_CODE, &status);
	http->bytes += len;
	http->is_refused = !http->take(http->context, status, bytes, len);
	return http->is_refused ? 0 : len;
}

static bool is_named(struct text header, const char *name)
{
	return header.len == strlen(name) && !strncasecmp(header.bytes, name, header.len);
}

/* What libcurl has of headers by itself is too new for RHEL 9's. */
static size_t on_header(char *bytes, size_t size, size_t count, void *context)
{
	struct http *http = context;
	struct text value = {bytes, size * count}, name = text_cut(&value, ':');
	char string[64];
	while (value.len && strchr(" \t", *value.bytes))
		value = (struct text){value.bytes + 1, value.len - 1};
	while (value.len && strchr(" \t\r\n", value.bytes[value.len - 1]))
		value.len--;
	text_to_string(value, string, sizeof string);
	if (is_named(name, "Date")) {
		int64_t date = curl_getdate(string, NULL);
		http->date = date > 0 ? date : 0;
	} else if (is_named(name, "Via"))
		text_to_string(value, http->via, sizeof http->via);
	else if (is_named(name, "Server"))
		text_to_string(value, http->server, sizeof http->server);
	return size * count;
}

static int on_progress(void *context, curl_off_t total, curl_off_t now, curl_off_t up_total, curl_off_t up_now)
{
	(void)total, (void)now, (void)up_total, (void)up_now;
	const struct http *http = context;
	return http->stop && atomic_load(http->stop);
}

static const char *why_no_url(CURLUcode wrong)
{
#if LIBCURL_VERSION_NUM >= 0x075000
	return curl_url_strerror(wrong);
#else
	return wrong == CURLUE_UNSUPPORTED_SCHEME ? "unsupported URL scheme" : "not a URL";
#endif
}

/* A URL without a path of its own; false, and why, if it is none or has a user. */
static bool check_url(CURLU *parsed, const char *url, struct error *err)
{
	CURLUcode wrong = curl_url_set(parsed, CURLUPART_URL, url, 0);
	char *user = NULL;
	bool has_user = !wrong && curl_url_get(parsed, CURLUPART_USER, &user, 0) == CURLUE_OK;
	curl_free(user);
	if (wrong)
		return error_set(err, "%s: %s", url, why_no_url(wrong));
	return !has_user || error_set(err, "a URL must not contain a user or password");
}

static char *part_of(CURLU *parsed, CURLUPart part)
{
	char *text = NULL;
	curl_url_get(parsed, part, &text, CURLU_DEFAULT_PORT);
	return memory_checked(text);
}

/* libcurl copies it. Without memory it would keep what was set before, and so ask another URL, go through another proxy,
 * or believe other authorities. */
static void set_string(CURL *curl, CURLoption option, const char *value)
{
	if (curl_easy_setopt(curl, option, value) == CURLE_OUT_OF_MEMORY)
		memory_checked(NULL);
}

/* Asks for the name, in the handshake and of the certificate, but connects to the URL's host. */
static bool set_server_name(struct http *http, CURLU *parsed, const char *name, struct error *err)
{
	struct buf to = BUF_INIT;
	char *host = part_of(parsed, CURLUPART_HOST), *port = part_of(parsed, CURLUPART_PORT);
	buf_printf(&to, "%s:%s:%s:%s", name, port, host, port);
	http->connect_to = memory_checked(curl_slist_append(NULL, to.bytes));
	curl_easy_setopt(http->curl, CURLOPT_CONNECT_TO, http->connect_to);
	buf_done(&to);
	curl_free(host);
	curl_free(port);
	CURLUcode wrong = curl_url_set(parsed, CURLUPART_HOST, name, 0);
	if (wrong)
		return error_set(err, "%s: %s", name, why_no_url(wrong));
	char *url = part_of(parsed, CURLUPART_URL);
	free(http->base);
	size_t len = strlen(url);
	http->base = memory_copy(url, len - (len && url[len - 1] == '/'));
	curl_free(url);
	return true;
}

static bool set_unix_socket(struct http *http, const char *url, const char *path, struct error *err)
{
	while (path[0] == '/' && path[1] == '/')
		path++;
	if (*path != '/')
		return error_set(err, "%s: write a unix socket as unix:/path", url);
	set_string(http->curl, CURLOPT_UNIX_SOCKET_PATH, path);
	http->base = memory_copy("http://localhost", strlen("http://localhost"));
	return true;
}

static bool set_url(struct http *http, const struct http_options *options, struct error *err)
{
	static const char unix_scheme[] = "unix:";
	const char *url = options->url;
	if (strncasecmp(url, unix_scheme, sizeof unix_scheme - 1) == 0)
		return set_unix_socket(http, url, url + sizeof unix_scheme - 1, err);
	if (strncasecmp(url, "http://", 7) != 0 && strncasecmp(url, "https://", 8) != 0)
		return error_set(err, "%s: expected http://host:port, https://host:port or unix:/path", url);
	size_t len = strlen(url);
	while (len && url[len - 1] == '/')
		len--;
	http->base = memory_copy(url, len);
	CURLU *parsed = memory_checked(curl_url());
	bool is_set = check_url(parsed, http->base, err) &&
		      (!options->server_name || set_server_name(http, parsed, options->server_name, err));
	curl_url_cleanup(parsed);
	return is_set;
}

/* The environment's http_proxy and no_proxy are not asked. */
static bool set_proxy(struct http *http, const char *proxy, struct error *err)
{
	CURL *curl = http->curl;
	set_string(curl, CURLOPT_PROXY, proxy ? proxy : "");
	set_string(curl, CURLOPT_NOPROXY, "");
	if (!proxy)
		return true;
	if (strncasecmp(proxy, "http://", 7) != 0 && strncasecmp(proxy, "https://", 8) != 0)
		return error_set(err, "%s: expected http://host:port or https://host:port", proxy);
	CURLU *parsed = memory_checked(curl_url());
	bool is_url = check_url(parsed, proxy, err);
	curl_url_cleanup(parsed);
	curl_easy_setopt(curl, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	return is_url;
}

static void set_protocols(CURL *curl)
{
#if LIBCURL_VERSION_NUM >= 0x075500
	set_string(curl, CURLOPT_PROTOCOLS_STR, "http,https");
#else
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

static bool is_readable(const char *path, struct error *err)
{
	errno = 0;
	FILE *file = fopen(path, "re");
	bool has_bytes = file && getc(file) != EOF;
	if (!has_bytes)
		error_set(err, "%s: %s", path, errno ? strerror(errno) : "empty");
	if (file)
		fclose(file);
	return has_bytes;
}

/* Whose certificates are believed: those of this file, and no others. What we show. */
static bool set_certificates(CURL *curl, const struct http_options *options, struct error *err)
{
	const char *files[] = {options->ca_file, options->cert_file, options->key_file};
	for (size_t i = 0; i < sizeof files / sizeof *files; i++)
		if (files[i] && !is_readable(files[i], err))
			return false;
	/* At each handshake, so that the files may change: neither from a cache nor as of an earlier session. */
	curl_easy_setopt(curl, CURLOPT_SSL_SESSIONID_CACHE, 0L);
#if LIBCURL_VERSION_NUM >= 0x075700
	curl_easy_setopt(curl, CURLOPT_CA_CACHE_TIMEOUT, 0L);
#endif
	if (options->ca_file) {
		set_string(curl, CURLOPT_CAINFO, options->ca_file);
		set_string(curl, CURLOPT_CAPATH, NULL);
	}
	set_string(curl, CURLOPT_SSLCERT, options->cert_file);
	set_string(curl, CURLOPT_SSLKEY, options->key_file);
	return true;
}

struct http *http_new(const struct http_options *options, struct error *err)
{
	pthread_once(&curl_once, curl_start);
	struct http *http = NEW(struct http);
	http->curl = curl_easy_init();
	http->stop = options->stop;
	if (!http->curl) {
		error_set(err, "libcurl cannot start");
		http_free(http);
		return NULL;
	}
	if (!set_url(http, options, err) || !set_proxy(http, options->proxy, err) ||
	    !set_certificates(http->curl, options, err)) {
		http_free(http);
		return NULL;
	}
	CURL *curl = http->curl;
	set_protocols(curl);
	curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
#if LIBCURL_VERSION_NUM >= 0x075700
	curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L); /* else who gives up waits for a name lookup that hangs */
#endif
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_TIMEOUT_S);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT, options->timeout_s);
	curl_easy_setopt(curl, CURLOPT_BUFFERSIZE, (long)RECEIVE_BUFFER_BYTES);
	set_string(curl, CURLOPT_USERAGENT, "slurmscope");
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, http);
	curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(curl, CURLOPT_HEADERDATA, http);
	curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
	curl_easy_setopt(curl, CURLOPT_XFERINFODATA, http);
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, http->why);
	return http;
}

static struct curl_slist *header_list(const struct http_header *headers)
{
	struct curl_slist *list = memory_checked(curl_slist_append(NULL, "Accept: application/json"));
	for (; headers->name; headers++) {
		if (!headers->value)
			continue;
		struct buf line = BUF_INIT;
		buf_reserve(&line, strlen(headers->name) + strlen(headers->value) + 2); /* and never moves */
		buf_printf(&line, "%s: %s", headers->name, headers->value);
		list = memory_checked(curl_slist_append(list, line.bytes));
		explicit_bzero(line.bytes, line.len); /* may hold the token */
		buf_done(&line);
	}
	return list;
}

static void header_list_free(struct curl_slist *list)
{
	for (struct curl_slist *header = list; header; header = header->next)
		explicit_bzero(header->data, strlen(header->data));
	curl_slist_free_all(list);
}

static enum http_result result_of(const struct http *http, CURLcode code)
{
	switch (code) {
	case CURLE_OK:
		return HTTP_ANSWERED;
	case CURLE_OPERATION_TIMEDOUT:
		return HTTP_TIMEOUT;
	case CURLE_ABORTED_BY_CALLBACK:
		return HTTP_STOPPED;
	default:
		return http->is_refused ? HTTP_REFUSED : HTTP_UNREACHABLE;
	}
}

static enum http_trouble trouble_of(CURLcode code)
{
	switch (code) {
	case CURLE_OK:
		return HTTP_NO_TROUBLE;
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_RESOLVE_PROXY:
		return HTTP_NO_HOST;
	case CURLE_COULDNT_CONNECT:
		return HTTP_NO_CONNECTION;
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CERTPROBLEM:
	case CURLE_SSL_CIPHER:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_ISSUER_ERROR:
		return HTTP_NO_TLS;
	default:
		return HTTP_NO_ANSWER;
	}
}

/* Was it only the end of the kept-alive connection that was met? */
static bool is_stale_connection(const struct http *http, CURLcode code)
{
	if (code != CURLE_SEND_ERROR && code != CURLE_RECV_ERROR && code != CURLE_GOT_NOTHING)
		return false;
	long connects = 0, header_bytes = 0;
	curl_easy_getinfo(http->curl, CURLINFO_NUM_CONNECTS, &connects);
	curl_easy_getinfo(http->curl, CURLINFO_HEADER_SIZE, &header_bytes);
	return connects == 0 && header_bytes == 0 && http->bytes == 0;
}

/* libcurl asks again by itself, but before 8.17 it counts that over the life of a handle and fails
 * at the sixth time (curl pull request 19066). */
static CURLcode perform(struct http *http)
{
	CURLcode code = curl_easy_perform(http->curl);
	if (!is_stale_connection(http, code))
		return code;
	curl_easy_setopt(http->curl, CURLOPT_FRESH_CONNECT, 1L);
	http->why[0] = '\0';
	code = curl_easy_perform(http->curl);
	curl_easy_setopt(http->curl, CURLOPT_FRESH_CONNECT, 0L);
	return code;
}

enum http_result http_get(struct http *http, const char *path, const struct http_header *headers, http_body_fn *take,
			  void *context, struct http_reply *ret_reply, struct error *err)
{
	struct buf url = BUF_INIT;
	buf_printf(&url, "%s%s", http->base, path);
	struct curl_slist *list = header_list(headers);
	http->take = take;
	http->context = context;
	http->bytes = 0;
	http->is_refused = false;
	http->date = 0;
	http->via[0] = http->server[0] = http->why[0] = '\0';
	set_string(http->curl, CURLOPT_URL, url.bytes);
	curl_easy_setopt(http->curl, CURLOPT_HTTPHEADER, list);

	double computed = clock_thread_cpu();
	CURLcode code = perform(http);

	*ret_reply = (struct http_reply){
		.bytes = http->bytes, .date = http->date, .own_seconds = clock_thread_cpu() - computed};
	curl_easy_getinfo(http->curl, CURLINFO_RESPONSE_CODE, &ret_reply->status);
	curl_easy_getinfo(http->curl, CURLINFO_TOTAL_TIME, &ret_reply->seconds);
	ret_reply->trouble = trouble_of(code);
	text_to_string(text_of(*http->via ? http->via : http->server), ret_reply->server, sizeof ret_reply->server);
	curl_easy_setopt(http->curl, CURLOPT_HTTPHEADER, NULL);
	header_list_free(list);
	buf_done(&url);
	if (code)
		error_set(err, "%s", *http->why ? http->why : curl_easy_strerror(code));
	return result_of(http, code);
}

void http_free(struct http *http)
{
	if (!http)
		return;
	if (http->curl)
		curl_easy_cleanup(http->curl);
	curl_slist_free_all(http->connect_to);
	free(http->base);
	free(http);
}
