/* One row of the job table. It is compact, because there may be millions. Texts and the group are numbers in the
 * table's pools; the row holds a reference to each. */
#pragma once

#include "entities/job_groups.h"
#include "jobs/job_usage.h"
#include "jobs/owners.h"

struct job_pools {
	struct text_pool texts; /* reasons, TRES, reservations, node lists */
	struct owners groups; /* rows of the same account, user, partitions, QOS and values */
	const struct caps *caps; /* whose groups the jobs count in; borrowed; NULL: in none */
};

/* The state file has these numbers: they never change (poll/stored_row.c). */
enum job_row_bit {
	ROW_HAS_DETAILS = 1 << 0,
	ROW_WANTS_DETAILS = 1 << 1,
	ROW_IS_UNSPLIT = 1 << 2,
	ROW_IS_CUT = 1 << 3, /* Slurm cut the task list */
	ROW_IS_COUNTED = 1 << 4, /* `tasks` is from job_table_set_tasks, not from a list */
	ROW_HAS_GRES = 1 << 5,
	ROW_IS_USED = 1 << 6,
	ROW_IS_LENT = 1 << 7, /* its details are another task's; its own task number is not known */
};

struct job_row {
	uint64_t flags;
	uint64_t tasks;
	uint64_t start_time; /* or a number that is not known */
	uint64_t time_limit; /* likewise; or infinite */
	uint64_t cpus, memory; /* of one task: what it holds, or, before its start, what it asked for */
	uint32_t nodes; /* likewise */
	uint32_t named; /* text: partitions that it named, if it started in one of several; lost at a restart */
	uint32_t id;
	uint32_t array_job_id; /* 0: none */
	uint32_t array_task_id; /* UINT32_MAX: none */
	uint32_t tasks_listed;
	uint32_t group;
	uint32_t reason, tres, reservation, node_list; /* tres as cpus, memory and nodes */
	uint32_t node_need; /* text (node_need.h) of a pending job; empty: not known */
	uint32_t details_time, seen_time; /* Unix seconds */
	uint32_t submit_time, eligible_time, end_time; /* likewise; 0: not known */
	uint32_t suspend_time; /* when it was last suspended, or resumed; 0: never */
	uint32_t ran_before; /* seconds that it had run by then */
	uint8_t state;
	uint8_t class; /* enum reason_class */
	uint8_t bits; /* enum job_row_bit */
	uint8_t exit; /* enum job_exit */
};

static inline bool job_row_is_used(const struct job_row *row)
{
	return row->bits & ROW_IS_USED;
}

/* What the job holds, or held until it ended; if it has not started, what it asked for. */
struct text job_tres(const struct job *job);

/* Makes a row of the record. False: its IDs cannot be Slurm's, and the row holds no references. */
bool job_row_make(struct job_row *row, struct job_pools *pools, const struct job *job, int64_t now);

/* Takes over the number of tasks from the known row of the record (NULL: none), if job_table_set_tasks gave it and it
 * can still be right. */
void job_row_keep_count(struct job_row *row, const struct job_row *known);

void job_row_release(const struct job_row *row, struct job_pools *pools); /* what it holds */

/* Do the records say the same? seen_time and details_time do not matter. */
bool job_row_equal(const struct job_row *a, const struct job_row *b);

/* What the row adds to an entity; borrows from the pools. */
struct job_contribution job_row_contribution(const struct job_row *row, const struct job_pools *pools);

/* The record, as far as charge_add_held needs it; borrows from the pools. */
struct job job_row_job(const struct job_row *row, const struct job_pools *pools);
