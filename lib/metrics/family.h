/* Metric tables: one row per family. A group says for which items (such as partitions, or endpoints) the families of a
 * table have samples, and which labels these have. A row says name, type, help and where the number is. For plain
 * numbers that is an offset, for others a small function. */
#pragma once

#include "cluster/cluster.h"
#include "events/job_events.h"
#include "metrics/exporter.h"
#include "metrics/exposition.h"
#include "model/scope.h"

/* How many series each node has: about 3, about 25, none. */
enum per_node { PER_NODE_DEFAULT, PER_NODE_FULL, PER_NODE_OFF };

/* Whose waits and run times are on the page, beside those of queues. */
enum owner_histograms { OWNER_HISTOGRAMS_ACCOUNTS, OWNER_HISTOGRAMS_USERS /* both */, OWNER_HISTOGRAMS_OFF };

/* What a page is made from; all borrowed. */
struct page_facts {
	const struct cluster *cluster;
	const struct exporter *exporter;
	const struct exporter_process *process; /* for pages of the process alone */
	struct text labels; /* of each sample, as on the page: `cluster="a"` */
	const struct job_events *events; /* NULL: nothing is counted */
	int64_t now; /* Unix seconds */
	enum per_node per_node;
	enum owner_histograms owner_histograms;
	const struct exporter_series *series; /* so far; the catalogue fills it */
	size_t series_count;
};

struct family;
typedef void family_emit_fn(struct exposition *out, const struct page_facts *facts, const struct family *family,
			    const void *item);

struct family {
	const char *name; /* "{X}" in name and help stands for cluster, partition, account, ... */
	enum family_type type;
	const char *labels; /* besides those of the group; for --list-metrics, and the label of a family of one text */
	const char *help;
	family_emit_fn *emit;
	size_t offset; /* of the uint64_t that the emit_number functions show */
	double divisor; /* of that number, 1e6 for µs; 0 and 1: none */
	unsigned kinds; /* bits of enum entity_kind; 0: all of the group's */
};

/* Called by a group for each of its items, after the base labels were set. */
struct family_sink {
	struct exposition *out;
	const struct page_facts *facts;
	const struct family *family;
};
void family_item(struct family_sink *sink, const void *item);

/* Which endpoint of slurmrestd a family comes from (NULL: from the exporter itself), and since which release of Slurm
 * (NULL: all that slurmscope reads). */
struct family_origin {
	const char *source, *since;
};

/* The parts that one can ask for alone: ?collect[]=nodes, /metrics/nodes. */
enum collected {
	COLLECT_CLUSTER,
	COLLECT_NODES,
	COLLECT_PARTITIONS,
	COLLECT_JOBS,
	COLLECT_JOB_ROWS,
	COLLECT_JOB_EVENTS,
	COLLECT_RESERVATIONS,
	COLLECT_LICENSES,
	COLLECT_SHARES,
	COLLECT_SCHEDULER,
	COLLECT_RPCS,
	COLLECT_ACCOUNTING,
	COLLECT_QOS,
	COLLECT_ASSOCIATIONS,
	COLLECT_EXPORTER,
	COLLECTED,
};
extern const char *const collected_names[COLLECTED];

struct family_group {
	enum collected collect;
	const struct family *families;
	size_t family_count;
	unsigned kinds; /* bits of enum entity_kind; 0: one family per row */
	const char *labels; /* of every item, where there are no kinds */
	const char *const *kind_labels; /* of every item, by kind; NULL: those of its entity */
	struct family_origin origin;
	unsigned owners; /* bits of enum scope_kind (scoped_samples.h); 0: only operators see it */
	enum job_rows job_rows;
	void (*each)(struct family_sink *sink, int kind); /* an enum entity_kind, or a group's */
};

extern const struct family_group cluster_group, controller_group, node_group, partition_group, job_group, demand_group,
	scheduler_group, endpoint_group, exporter_group, accounting_group, conf_group, fairshare_group,
	reservation_group, license_group, rpc_group, event_group, owner_group, queue_group, node_failure_group,
	holding_job_group, live_job_group, pending_job_group, ended_job_group, process_group, web_group, series_group;
extern const struct family_group node_row_group, node_detail_group, node_event_group, node_transition_group,
	outage_group, node_outage_group;

/* The family's own, or its group's. */
struct family_origin family_origin(const struct family_group *group, const char *name);

extern const struct family_group qos_group, association_group;

extern const char *const entity_kind_names[ENTITY_KINDS];
extern const char *const entity_kind_labels[ENTITY_KINDS];

/* Begins the row of an entity, or of a group, which the roster of its kind knows by `key`. The samples of what has no row
 * of its own are only counted. A user has two labels, a group up to three. */
void family_entity_row(struct family_sink *sink, int kind, struct text key, const struct text *label);

/* Begins the row `other`. */
void family_other_row(struct family_sink *sink, int kind);

/* Emits the uint64_t at the row's offset, divided by its divisor; nothing if it is not known. */
family_emit_fn emit_number;

void family_divided(struct exposition *out, const struct family *family, uint64_t number);

/* One sample per name with label `label`: all of the first `always`, others if their bit is set. */
void family_named(struct exposition *out, const char *label, const struct names *names, unsigned always, uint64_t seen,
		  const uint64_t *counts);

/* One sample per name of a closed set. */
void family_listed(struct exposition *out, const char *label, const char *const *names, unsigned count,
		   const uint64_t *values);

extern const char *const capacity_state_names[CAPACITY_STATES];

/* Emits the uint64_t[CAPACITY_STATES] at the row's offset, one sample per state of capacity. */
family_emit_fn emit_capacity;

/* One sample per state of one kind of GRES. */
void family_gres_kind(struct exposition *out, const struct gres_count *gres, const char *const *states, unsigned count);

/* Samples gres, type, state for each row of a map of struct gres_count. */
void family_gres(struct exposition *out, const struct map *map, const char *const *states, unsigned count);

/* For `owners`. */
#define OWNER_ACCOUNT (1u << SCOPE_ACCOUNT)
#define OWNER_USER (1u << SCOPE_USER)
#define OWNER_PARTITION (1u << SCOPE_PARTITION)
#define OWNER_ANY (OWNER_ACCOUNT | OWNER_USER | OWNER_PARTITION)

#define GROUP_FAMILIES(table) .families = table, .family_count = sizeof table / sizeof *table
