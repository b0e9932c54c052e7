/* What an answer is about and how its release puts things: the rows that the templates are filled
 * with. All rows belong to a view (rows->owner), which the caller keeps until the answer is
 * written. */
#pragma once

#include "base/id_map.h"
#include "slurmsim/template.h"
#include "slurmsim/traffic.h"
#include "slurmsim/world.h"

/* Only answers of 26.11 were recorded: its cost and its other manners are 26.05's. */
enum release { RELEASE_22_05, RELEASE_24_11, RELEASE_26_05, RELEASE_26_11 };

/* One record that was asked for by ID, and which of its tasks: NO_TASK all. */
struct selected {
	size_t place;
	uint32_t task;
};

/* What slurmdb/jobs is asked for. */
struct window {
	int64_t start, end; /* Unix seconds; 0: not said */
	uint32_t states; /* bits of enum job_state, and REQUEUED_BIT; 0: not said */
	char user[64]; /* empty: all */
	struct id_map jobs; /* owned; IDs of jobs, arrays and het jobs; empty: all */
	bool with_steps, duplicates, whole_times;
};
#define SLUID_PREFIX "s7ZHM" /* before the ID of a record */
#define REQUEUED_BIT (1u << 31)
#define UNKNOWN_BIT (1u << 30) /* a state that no job of this world is in */

struct view {
	const struct world *world;
	const struct traffic *traffic;
	const char *cluster;
	enum release release;
	int version; /* 45 for v0.0.45 */
	bool old; /* 22.05 */
	bool detail; /* SHOW_DETAIL: also if no flags were given */
	uint32_t cut; /* characters of array_task_string; 0: all */
	bool is_down; /* ping says that all controllers are */
	unsigned controllers, controller_down; /* how many there are; which of them, from 1 on, does not respond */
	const char *down_status;
	struct selected *selected; /* owned */
	size_t selected_count;
	struct fairshare *fairshare; /* owned; NULL: nobody asks for shares */
	bool is_selected;
	uint32_t node; /* NO_NODE: all */
	struct window window;
	const char *error, *error_description, *error_source; /* NULL: none */
	int64_t error_number;
	const char *warning, *warning_source;
};

/* These begin a list; the world must not move until it has been written. */
struct rows view_jobs(const struct view *view);
struct rows view_job_states(const struct view *view);
struct rows view_nodes(const struct view *view);
struct rows view_partitions(const struct view *view);
struct rows view_reservations(const struct view *view);
struct rows view_licenses(const struct view *view);
struct rows view_shares(const struct view *view);
struct rows view_diag(const struct view *view);
struct rows view_ping(const struct view *view);
struct rows view_conf(const struct view *view);
struct rows view_conf_meta(const struct view *view);
struct rows view_db_jobs(const struct view *view);
uint64_t view_db_jobs_count(const struct view *view);
struct rows view_db_qos(const struct view *view);
struct rows view_db_associations(const struct view *view);
struct rows view_db_diag(const struct view *view);
struct rows view_db_ping(const struct view *view);
struct rows view_error(const struct view *view);
struct rows view_warning(const struct view *view);

/* Shared by the files that fill in records. */
extern const char *const job_state_names[], *const job_reason_names[];
const char *view_nodes_text(const struct world *world, const struct job *job, struct arena *scratch);
const char *view_failed_node(const struct world *world, const struct job *job, struct arena *scratch);
const char *view_tres_text(const struct job *job, struct arena *scratch);
const char *view_job_name(const struct job *job);
const char *view_license(const struct job *job); /* that it needs one of; NULL: none */
bool view_is_reserved(const struct job *job);
bool view_has_run(const struct job *job); /* it has nodes, and they are not a plan */
uint32_t view_memory(const struct job *job); /* MiB in all */
const char *const *view_words(struct arena *scratch, const char *first, const char *second, const char *third);
void view_exit(const struct job *job, struct arena *scratch, struct value *status, struct value *code,
	       struct value *signal, struct value *signal_name);
struct rows *view_rows_new(struct arena *scratch, struct rows rows);
