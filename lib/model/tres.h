/* Trackable resources as Slurm writes them: in TRES strings of jobs ("cpu=4,mem=62.50G,
 * gres/gpu:a100=2") and in GRES strings of nodes ("gpu:a100:4(S:0-1),shard:8"). */
#pragma once

#include "base/text.h"

struct tres {
	struct text name; /* "cpu", "mem", "node", "gres/gpu:a100" */
	uint64_t count; /* memory in bytes */
};

/* The next entry of a TRES string; it skips entries without a readable count. False at the end. */
bool tres_next(struct text *rest, struct tres *ret_tres);

/* How many of `name` a TRES string lists; 0: none. What does not fit is 2^63: an amount has no such bound. */
uint64_t tres_count(struct text list, struct text name);
double tres_amount(struct text list, struct text name);

struct gres {
	struct text name, type; /* "gpu" and "a100"; type is empty if none was named */
	uint64_t count;
};

/* No site has nearly as many kinds of GRES. */
enum { TRES_GRES_MAX = 64 };

/* The GRES of a TRES string; returns how many there are. "gres/gpu=4,gres/gpu:a100=2" means four GPUs, two of them a100:
 * the untyped entry gets the rest, and is skipped if nothing is left. Entries after the first TRES_GRES_MAX are not
 * looked at, so that the cost is linear in the string. Those that are listed twice are added up. */
unsigned tres_gres(struct text list, struct gres ret_gres[TRES_GRES_MAX]);

/* Adds one to a list of `count`, or to the entry of that name and type. Returns how many there are; a full list stays. */
unsigned gres_add(struct gres list[TRES_GRES_MAX], unsigned count, const struct gres *gres);

uint64_t tres_gpus(struct text list); /* of all types, likewise */

/* The next GRES that a job asks for, in any of its spellings: "gres/gpu:a100:2", "gres:gpu:a100:2", "gres/gpu:a100=2". What is
 * no GRES is passed over. */
bool gres_next_asked(struct text *rest, struct gres *ret_gres);

/* The next of a node's GRES string, as tres_next. It skips brackets, sockets and indices. Only the last word of an entry is
 * its count (Slurm's gres.c), which may have a suffix ("4K"); no count means one. */
bool gres_next(struct text *rest, struct gres *ret_gres);
