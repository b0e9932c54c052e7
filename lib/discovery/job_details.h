/* Whose details are asked for by job/{id}: jobs that are new or changed their state, and in turn all that live,
 * since reason, partition, QOS and account change without any change of state.
 *
 * The id of an array's first record brings every record of the array (SLURMRESTD.md, "Arrays"). That is welcome while they
 * are few: then it counts a large unsplit rest, too. Of an array with many records the first one's details are
 * taken from another task's. */
#pragma once

#include "jobs/job_table.h"

/* An array with more records is never asked for by its first one. */
enum { JOB_ARRAY_RECORDS_MAX = 1000 };

/* Is the row the rest of a large unsplit array? jobs/state lists all of its tasks, at a cost that is quadratic, where
 * job/{id} has one record. So it has a turn of its own. */
bool job_details_is_large(const struct job_view *row);

enum job_queue {
	JOB_QUEUE_WANTED,   /* new, or in another state; large rests that have a list of tasks which is not cut */
	JOB_QUEUE_ROTATION, /* all that live, the oldest details first */
	JOB_QUEUE_ARRAYS,   /* the other large rests: not for job/{id}, jobs/state has to list them */
	JOB_QUEUES
};

struct job_details {
	struct job_table *table; /* borrowed */
	struct job_id_list {
		struct job_turn { /* one for each job there is, hence small */
			uint32_t id;
			uint32_t details_time; /* Unix seconds; 0 and 1: none */
		} *items;
		size_t count, capacity, at;
	} queues[JOB_QUEUES];
	struct id_map records; /* array's id -> its records, as far as their details were seen */
	struct id_map put_off; /* ids that slurmctld would not tell of since the rotation began */
	struct id_map unrecorded; /* ids that slurmdbd did not tell of since then */
	size_t unseen_end;        /* before it in JOB_QUEUE_WANTED: whose first details slurmdbd may have */
	bool are_some_unrecorded; /* since that queue was filled: they are in it when it is filled anew */
};

void job_details_init(struct job_details *details, struct job_table *table);
void job_details_done(struct job_details *details);

/* Looks at all rows and fills the queue anew; returns how many wait in it. */
uint64_t job_details_begin(struct job_details *details, enum job_queue queue);

/* The next id, 0: none is left. Those whose details came by another's are passed over. */
uint64_t job_details_next(struct job_details *details, enum job_queue queue);
uint64_t job_details_peek(const struct job_details *details, enum job_queue queue); /* takes none */
uint64_t job_details_left(const struct job_details *details, enum job_queue queue); /* at most */

/* Those without any details, which slurmdbd may have: they come first in JOB_QUEUE_WANTED. How many are left,
 * at most; and the next ids, `max` at most, returns how many. */
uint64_t job_details_unseen(const struct job_details *details);
size_t job_details_next_unseen(struct job_details *details, uint64_t *ret_ids, size_t max);

/* Is somebody in JOB_QUEUE_WANTED left without any details? Others there only changed their state. */
bool job_details_are_lacking(const struct job_details *details);

/* A record of an answer. */
void job_details_take(struct job_details *details, const struct job *job, int64_t now);

/* slurmctld knows no such job, or does not show it to this user (PrivateData; jobs/state shows it all the same).
 * It is asked for again when the next rotation begins (SLURMRESTD.md, "What a user sees"). */
void job_details_note_unknown(struct job_details *details, uint64_t id);

/* slurmdbd was asked: ids that have no details yet are slurmctld's to tell from now on. */
void job_details_note_recorded(struct job_details *details, const uint64_t *ids, size_t count);
