/* The simulator as a whole: a world, how it is shown, and what is wrong with it at the moment. */
#pragma once

#include "slurmsim/auth.h"
#include "slurmsim/view.h"

#include <pthread.h>

struct sim_options {
	struct world_options world;
	const char *listen, *release, *versions, *cluster, *key_file, *script, *print_token;
	double speed; /* of the world's clock; 0: it stands and moves by /sim/advance only */
	bool compact, real_cost;
	uint32_t cut; /* SLURM_BITSTR_LEN */
};

enum { VERSIONS_MAX = 6, FAULTS_MAX = 16 };

enum fault_kind {
	FAULT_NONE,
	FAULT_SLOW,
	FAULT_CUT,
	FAULT_GARBAGE,
	FAULT_UNAUTHORIZED,
	FAULT_STATUS,
	FAULT_LIE,
	FAULT_UNCHANGED,
	FAULT_FREEZE,
	FAULT_TWICE,
	FAULT_KINDS
};

struct fault {
	enum fault_kind kind;
	int endpoint; /* -1: all */
	int64_t left; /* requests that it still meets; -1: no end */
	double seconds; /* of FAULT_SLOW and FAULT_FREEZE */
	int status; /* of FAULT_STATUS */
	uint32_t run; /* only requests for the steps of this one; 0: all */
};

struct sim {
	struct sim_options options;
	pthread_mutex_t lock; /* of everything below */
	struct world world;
	struct traffic traffic;
	struct auth_key key;
	enum release release;
	struct {
		int number;
		struct template_set *templates;
	} versions[VERSIONS_MAX];
	size_t version_count;
	uint64_t begun_ns; /* of the monotonic clock: the world's second 0 */
	int32_t advanced; /* seconds that /sim/advance added */
	unsigned readers; /* answers that are being written */
	bool ctld_down, dbd_down;
	unsigned controllers, controller_down; /* as in the view; 0: one, and none */
	double refuse_s; /* asked for: no connections for so long */
	struct fault faults[FAULTS_MAX];
	char *script; /* what is left of it; the text is owned by main */
};

/* Lets the world live up to now. Called with the lock held. */
void sim_advance(struct sim *sim);

/* Does what a control path such as "fault?kind=slow&seconds=2" says; the lock is held. Returns
 * false and says why in `out` if it cannot be done; else `out` is the answer. */
bool control_do(struct sim *sim, const char *path, struct buf *out);
void control_run_script(struct sim *sim);

/* /sim/truth and /sim/stats: what is, by walking the world, as JSON. */
void truth_write(const struct sim *sim, bool with_each_job, struct buf *out);
void stats_write(const struct sim *sim, struct buf *out);

/* The value of a query parameter, decoded, from `*from` on, which moves past it; NULL: no more. */
bool query_next(const char **from, const char *name, char *ret_value, size_t size);
bool query_get(const char *query, const char *name, char *ret_value, size_t size);
