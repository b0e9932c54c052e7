/* States and flags by their Slurm names, in lower case, numbered.
 *
 * A list starts with the names known here, and learns the others that Slurm reports. So a state or flag of a later
 * release is passed through and is no error. Numbers do not change during the life of the list; a number fits a bit of
 * a uint64_t. When the list is full, and for names of absurd length, there is the name `other`. Used by one thread. */
#pragma once

#include "base/text.h"

enum { NAMES_MAX = 64 };

struct names {
	const char *name[NAMES_MAX]; /* the first `known` are static, the rest owned */
	unsigned count, known;
};

void names_init(struct names *names, const char *const *known); /* `known` ends with NULL */
int names_find(const struct names *names, struct text name); /* any case; -1 if absent */
int names_learn(struct names *names, struct text name); /* finds or adds; -1 if it is empty */
void names_done(struct names *names);
