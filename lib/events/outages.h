/* How long nodes were out of service, in which way and why, each second counted once.
 *
 * An outage lasts from when a node leaves service until it is back, or Slurm forgets the node. On its way it may be of several
 * kinds and causes (entities/node_outage.h); seconds count for those of their time. When it ends, it counts for its worst
 * kind and its last cause. What stands in several partitions counts in each of them, and once in the cluster.
 *
 * Slurm tells when a reason was set and when a node was busy last. These times say when outages began, changed and ended, also
 * between two answers and while slurmscope was down. Where they say nothing, the first answer that shows the change does.
 * Seconds from before the first answer do not count. README.md has the rules.
 *
 * Open outages, sums and `looked_until` are to be stored in one transaction (events_record.h). Times are Unix seconds of
 * slurmctld's clock. Of one thread. */
#pragma once

#include "entities/histogram.h"
#include "entities/node_outage.h"
#include "entities/node_table.h"

struct outage {
	struct text node; /* its label */
	int64_t began, since; /* and since when its kind and cause are what they are */
	enum outage_kind kind, worst;
	struct text cause;
	uint64_t cpus, memory, gpus; /* that no job holds; bytes */
	bool is_changed; /* since it was stored */
};

enum outage_count {
	OUTAGE_SECONDS, /* of nodes */
	OUTAGE_CPU_SECONDS, /* of what no job holds, likewise: */
	OUTAGE_GPU_SECONDS,
	OUTAGE_MEMORY_BYTE_SECONDS,
	OUTAGE_ENDED, /* outages */
	OUTAGE_COUNTS,
};
/* How long outages lasted that ended. */
enum { OUTAGE_BOUNDS = 12 };
extern const double outage_bounds[OUTAGE_BOUNDS];

/* What counted for one partition, or for the cluster, of one kind and one cause. */
struct outage_sums {
	struct text partition; /* empty: the cluster */
	struct text kind, cause;
	double counts[OUTAGE_COUNTS];
	struct histogram durations; /* of ended ones, of the cluster alone; seconds */
	bool is_changed; /* since they were stored */
};

struct outages {
	struct arena *open_arena; /* owned; replaced by each look */
	struct map open; /* node -> struct outage */
	struct arena *over_arena; /* owned */
	struct map over; /* nodes whose outages ended since they were stored */
	struct arena arena;
	struct map causes; /* as many as ever were, OUTAGE_CAUSES_MAX at most */
	struct map sums; /* "partition NUL kind NUL cause" -> struct outage_sums; as many as ever were */
	int64_t born; /* when the first look was; 0: there was none yet */
	int64_t looked_until; /* all seconds of open outages count until then */
};

enum { OUTAGE_CAUSES_MAX = 64 }; /* a reload may bring others; further ones count as `other` */

void outages_init(struct outages *outages);
void outages_done(struct outages *outages);

/* An answer about all nodes was complete. They were so at `now` or a moment later. A look at an earlier time than the last
 * one does nothing: slurmctld's clock was set back, and that time has counted. */
void outages_look(struct outages *outages, const struct node_table *table, const struct node_causes *causes,
		  int64_t now);

/* What survives a restart. Texts are borrowed for the call. */
struct outages_writer {
	void (*sum)(void *context, struct text partition, const char *what, struct text detail, double value);
	void (*outage)(void *context, const struct outage *outage);
	void (*remove_outage)(void *context, struct text node); /* if it is there */
};
void outages_write(const struct outages *outages, bool all, const struct outages_writer *writer, void *context);
void outages_stored(struct outages *outages); /* what was written last is safe */
void outages_forget_over(struct outages *outages); /* everything will be written again */

/* Into new ones, in any order. They skip what they do not understand. Numbers are not negative. */
void outages_restore_sum(struct outages *outages, struct text partition, struct text what, struct text detail,
			 double value);
void outages_restore(struct outages *outages, const struct outage *outage);
enum outage_kind outage_kind_named(struct text name); /* OUTAGE_UNKNOWN: none is called so */
