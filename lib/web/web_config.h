/* The file of --web.config.file, in the format of Prometheus' exporter-toolkit: TLS, headers, users, rate limit. Tenants are
 * slurmscope's own. */
#pragma once

#include "web/passwords.h"
#include "web/tenants.h"
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
	struct web_rate rate;
	struct web_tenants tenants; /* whose buckets the server's thread fills */
};

/* Borrows nothing of the files. */
struct web_config *web_config_read(const struct web_files *files, struct error *err);
void web_config_free(struct web_config *config); /* NULL is fine */
