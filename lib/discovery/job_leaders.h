/* Arrays' first records, the *leaders*, while a search looks for jobs. The ID of a leader brings the whole array. So a
 * search asks for it alone, and before it asks for the array's tasks one by one. A row of jobs/state does not name its
 * array, but job/{id} of a task does (SLURMRESTD.md, "Several leaders"). So a search asks for the details of one task
 * of each answer. A search goes down from the highest ID, so it meets an array's tasks before their leader, whose ID is
 * lower. Of one thread. */
#pragma once

#include "discovery/job_answer.h"

struct job_leaders {
	struct id_map known; /* array's ID -> 1 */
	uint32_t sample; /* a task whose array is to be learnt; 0: none */
	uint32_t *unasked; /* of these, those that the search has not asked for yet; it asks once */
	size_t unasked_count, unasked_capacity;
	uint64_t largest_task; /* of all rows since the search began */
};

void job_leaders_done(struct job_leaders *leaders);

/* A search begins: the arrays of the table's rows are known, and none is asked for. */
void job_leaders_begin(struct job_leaders *leaders, const struct job_table *table);

bool job_leaders_has(const struct job_leaders *leaders, uint64_t id);

/* A task's details say which array it belongs to. */
void job_leaders_learn(struct job_leaders *leaders, uint64_t array_job_id);

/* Chooses the sample of an answer that was applied: the highest task whose array is not known. The whole array comes with
 * its leader then, so that the next sample is of another one. `tails` has the leaders that the answer brought
 * (job_answer.h). */
void job_leaders_sample(struct job_leaders *leaders, const struct job_answer *answer, const struct id_map *tails,
			const struct job_table *table);

/* The task to ask job/{id} for, once; 0: none. */
uint64_t job_leaders_take_sample(struct job_leaders *leaders);

/* The next leader to ask for alone; 0: none is left. A leader is left out if a task's number is so high that the leader
 * might bring more rows than is safe. The search then finds its tasks by their own IDs. */
uint64_t job_leaders_next(struct job_leaders *leaders, const struct job_table *table);
