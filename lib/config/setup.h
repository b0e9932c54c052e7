/* All that was configured, by command line and file: for the process, and for each cluster. Immutable once read.
 * Reference-counted, because pollers use the old options until they have taken the new ones. */
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

/* Reads options and file. Never returns NULL: if something is wrong, *ret_is_read is false, and `process` holds the
 * options that were understood, such as the log's format. Texts point into argv. */
struct setup *setup_new(int argc, char *const *argv, bool *ret_is_read, struct error *err);

/* Reads the same options and the file again, and checks all files. NULL: something is wrong. */
struct setup *setup_again(const struct setup *setup, struct error *err);

/* Logs who else could come by the token or the key of a cluster. */
void setup_log_exposure(const struct setup *setup);

/* Logs each option that differs, but takes effect only at the next start. */
void setup_warn_of_fixed(const struct setup *before, const struct setup *setup);

/* Can slurmscope run with this? Reads all files that it names; opens no connection. */
bool setup_check(const struct setup *setup, struct error *err);

/* Lists all families, those of groups included, one a line (metrics/catalogue.h). */
void setup_list_metrics(const struct setup *setup, struct buf *out);

/* Writes it as a configuration file. */
void setup_print(const struct setup *setup, struct buf *out);

struct setup *setup_hold(struct setup *setup);
void setup_release(struct setup *setup); /* NULL is fine */
