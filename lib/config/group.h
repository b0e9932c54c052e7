/* Groups of options, for --help and the manual: most are named as the prefix of their options. */
#pragma once

#include <stddef.h>

struct option_group {
	const char *name;
	const char *title;
};

enum { OPTION_GROUPS = 13 };
extern const struct option_group option_groups[OPTION_GROUPS]; /* in the order in which they are shown */

const struct option_group *group_named(const char *name); /* NULL: there is none */
const struct option_group *group_of(const char *option); /* never NULL; `option` without its dashes */
