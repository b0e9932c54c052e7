/* All that was configured, by command line and file: the process, and each cluster. Immutable once it was read;
 * counted, because pollers go on with an older one's options until they have taken the new ones. */
#pragma once

#include "config/config.h"

#include <stdatomic.h>

enum { CLUSTERS_MAX = 64 };

struct setup {
	atomic_uint holders;
	int argc;
	char *const *argv;
	struct document *document; /* the file; NULL: none */
	struct config process; /* what holds for all clusters */
	struct config *clusters; /* each with what holds for all; at least one */
	size_t cluster_count;
	bool has_names; /* of clusters: else there is one, which the file does not name */
};

/* Reads options and file. Never NULL, so that it can be said in the wanted way what is wrong: *ret_is_read is false
 * then, and `process` holds what was understood. Texts point into argv. */
struct setup *setup_new(int argc, char *const *argv, bool *ret_is_read, struct error *err);

/* Reads the same options and the file anew, and checks all files. NULL: something is wrong. */
struct setup *setup_again(const struct setup *setup, struct error *err);

/* Logs each option that differs, but takes effect only at the next start. */
void setup_warn_of_fixed(const struct setup *before, const struct setup *setup);

/* Can this be run? Looks at all files that are named; opens no connection. */
bool setup_check(const struct setup *setup, struct error *err);

/* As a configuration file that says the same. */
void setup_print(const struct setup *setup, struct buf *out);

struct setup *setup_hold(struct setup *setup);
void setup_release(struct setup *setup); /* NULL is fine */
