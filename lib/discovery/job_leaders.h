/* Arrays' first records, the *leaders*, while a search looks for jobs. The id of a leader brings the whole array, so it is
 * asked for alone, and before the array's tasks are asked for one by one. A row of jobs/state does not name its array, but
 * job/{id} of a task does (SLURMRESTD.md, "Several leaders"). So a search asks for the details of one task of each answer.
 * From the highest id downwards it meets an array's tasks before their leader, whose id is lower. Of one thread. */
#pragma once

#include "discovery/job_answer.h"

struct job_leaders {
	struct id_map known; /* array's id -> 1 */
	uint32_t sample; /* a task whose array is to be learnt; 0: none */
	uint32_t *unasked; /* of these, those that the search has not asked for; it asks once */
	size_t unasked_count, unasked_capacity;
	uint64_t largest_task; /* of all rows since the search began */
};

void job_leaders_done(struct job_leaders *leaders);

/* A search begins: the arrays of the table's rows are known, and none is asked for. */
void job_leaders_begin(struct job_leaders *leaders, const struct job_table *table);

bool job_leaders_has(const struct job_leaders *leaders, uint64_t id);

/* The details of a task told its array. */
void job_leaders_learn(struct job_leaders *leaders, uint64_t array_job_id);

/* Chooses the sample of an answer that was applied: the highest task whose array is not known. The whole array comes with
 * its leader then, so that the next sample is of another one. `tails` has the leaders that the answer brought
 * (job_answer.h). */
void job_leaders_sample(struct job_leaders *leaders, const struct job_answer *answer, const struct id_map *tails,
			const struct job_table *table);

/* The task to ask job/{id} for, once; 0: none. */
uint64_t job_leaders_take_sample(struct job_leaders *leaders);

/* The next leader to ask for alone; 0: none, or it might bring more than is safe, as a task here has so high a number. Such
 * arrays' tasks are found by their own ids, and the leader is left out. */
uint64_t job_leaders_next(struct job_leaders *leaders, const struct job_table *table);
