/* How many entities of a kind may have rows of their own, and which: by name. All others are folded
 * into the row `other`. */
#pragma once

#include "base/error.h"
#include "entities/usage.h"

#include <regex.h>

struct pattern {
	regex_t regex;
	bool is_set; /* else it matches nothing */
};

struct cap {
	uint64_t max; /* rows besides `other` */
	struct pattern allow, deny; /* allow: matches all if not set */
};

struct caps {
	struct cap kinds[ENTITY_KINDS];
};

/* Sets the pattern: POSIX extended, matches whole names. On failure it stays unset. */
bool pattern_set(struct pattern *pattern, const char *regex, struct error *err);
void pattern_done(struct pattern *pattern); /* unset again */

void caps_init(struct caps *caps); /* none */
void caps_done(struct caps *caps);

/* May the entity have a row? A user's row shows two names: both must be allowed. */
bool caps_allow(const struct caps *caps, enum entity_kind kind, const struct text label[2]);

/* May the name be shown by itself, a user's without an account? */
bool caps_allow_name(const struct caps *caps, enum entity_kind kind, struct text name);
