/* Regular expressions that the site configures, POSIX extended, over names that users choose; the only user of libtre. No
 * match goes back in the name: its time grows with the name's length times the pattern's size, whatever the name is.
 * Patterns see bytes. Of one thread. */
#pragma once

#include "base/error.h"
#include "base/text.h"

struct pattern_code;

struct pattern {
	struct pattern_code *code; /* owned; NULL: it is not set, and matches nothing */
	size_t captures; /* how many parts are in parentheses */
};

/* On failure it stays unset, and *err says why. Back references are refused: they cannot be matched in that time. */
bool pattern_set(struct pattern *pattern, const char *regex, struct error *err);
void pattern_done(struct pattern *pattern); /* unset again */

/* How many single characters, brackets and dots a match has to follow, with counts such as {3} worked out. For bounds
 * on what a pattern may cost; it says nothing about whether the pattern is right. */
size_t pattern_size(const char *regex);

/* Does it match the whole name? *ret_part (may be NULL) is what its first parentheses matched, or, if it has none, the
 * name. It is empty if they matched nothing. */
bool pattern_matches(const struct pattern *pattern, struct text name, struct text *ret_part);
