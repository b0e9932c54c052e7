/* The file of --web.config.file, in the format of Prometheus' exporter-toolkit: TLS, headers, users, rate limit. */
#pragma once

#include "web/passwords.h"
#include "web/tls.h"
#include "web/web_files.h"

enum { WEB_HEADERS_MAX = 5, WEB_USERS_MAX = 1000 };

struct web_config {
	struct document *document; /* the texts below are in it */
	struct tls *tls; /* NULL: plain HTTP */
	struct {
		const char *name, *value;
	} headers[WEB_HEADERS_MAX]; /* of every reply that does not have its own */
	unsigned header_count;
	struct web_user *users; /* none: no password is asked for */
	unsigned user_count;
	double interval_s; /* of the rate limit: a request may come, and `burst` at once; 0: no limit */
	uint64_t burst;
};

/* Borrows nothing of the files. */
struct web_config *web_config_read(const struct web_files *files, struct error *err);
void web_config_free(struct web_config *config); /* NULL is fine */

/* The rate limit: a bucket of `burst`, full at first. */
struct web_bucket {
	double tokens;
	uint64_t at_ns;
	bool is_used;
};
bool web_bucket_take(struct web_bucket *bucket, const struct web_config *config, uint64_t now_ns);
