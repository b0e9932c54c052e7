/* Slurm's lists of nodes: "cn[01-03,7],rack[1-2]n[1-4],gn1". */
#pragma once

#include "base/text.h"

enum { HOSTLIST_NODE_MAX = 255 }; /* bytes of a name; longer ones are cut */

typedef void hostlist_fn(void *context, struct text node); /* the text is borrowed */

/* For *left, where lists of a whole answer are read: more than the jobs of any cluster hold. */
#define HOSTLIST_ANSWER_MAX (UINT64_C(4) << 20)

/* Calls back with each node's name, and takes it off *left: a few bytes can stand for a million nodes. False: nothing is
 * left, and the list may be longer. A text that is not a list of nodes counts as one name. The work is linear in the
 * list and in the names. */
bool hostlist_each(struct text list, uint64_t *left, hostlist_fn *fn, void *context);

/* The first node's name, written to `room`; empty if there is none. */
struct text hostlist_first(struct text list, char room[HOSTLIST_NODE_MAX + 1]);

/* Does the list have this name? It names no other node, so the work is about the list's length, however many names it
 * stands for. Says what hostlist_each would, but for names that are cut. */
bool hostlist_has(struct text list, struct text node);
