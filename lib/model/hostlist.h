/* Slurm's lists of nodes: "cn[01-03,7],rack[1-2]n[1-4],gn1". */
#pragma once

#include "base/text.h"

enum { HOSTLIST_NODE_MAX = 255 }; /* bytes of a name; longer ones are cut */

typedef void hostlist_fn(void *context, struct text node); /* the text is borrowed */

/* Calls back with each node's name, at most a million. A text that is not a list of nodes counts as a name. */
void hostlist_each(struct text list, hostlist_fn *fn, void *context);

/* The first node's name, written to `room`; empty if there is none. */
struct text hostlist_first(struct text list, char room[HOSTLIST_NODE_MAX + 1]);
