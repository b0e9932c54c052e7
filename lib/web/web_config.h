/* The file of --web.config.file, in the format of Prometheus' exporter-toolkit: TLS, headers, users, rate limit. */
#pragma once

#include "web/passwords.h"
#include "web/tls.h"

#include <sys/types.h>
#include <time.h>

enum { WEB_HEADERS_MAX = 5, WEB_USERS_MAX = 1000, WEB_FILES_MAX = 4 };

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

/* What was read, and which version of it: the file itself, certificate, key, client CA. */
struct web_files {
	struct web_file {
		char *path;
		dev_t device; /* all 0: it could not be read */
		ino_t inode;
		off_t size;
		struct timespec changed;
	} files[WEB_FILES_MAX];
	unsigned count;
};

/* `files` is told also of what made it fail. */
struct web_config *web_config_read(const char *path, struct web_files *files, struct error *err);
void web_config_free(struct web_config *config); /* NULL is fine */

/* Is any of them another one by now? */
bool web_files_changed(const struct web_files *files);
void web_files_done(struct web_files *files);

/* The rate limit: a bucket of `burst`, full at first. */
struct web_bucket {
	double tokens;
	uint64_t at_ns;
	bool is_used;
};
bool web_bucket_take(struct web_bucket *bucket, const struct web_config *config, uint64_t now_ns);
