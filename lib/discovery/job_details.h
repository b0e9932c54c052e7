/* Which jobs to ask job/{id} for: jobs that are new or changed their state, and in turn all that are alive. Reason,
 * partition, QOS and account change without any change of state. Of one thread; times are Unix seconds.
 *
 * The ID of an array's first record brings every record of the array, and its SLUID (26.05 and later) that record alone
 * (SLURMRESTD.md, "Arrays"). Many records are dear: without a SLUID the first record has turns of its own then. */
#pragma once

#include "jobs/job_table.h"

/* An array with more records than the first number is asked for by its ID only in turns of its own. With more than the
 * second one it is never asked for: at 9 kB each the answer would be a list of 36 MB. Lists are quadratic in slurmrestd:
 * 2,000 records took a 24.11 one second. */
enum { JOB_ARRAY_RECORDS_MAX = 1000, JOB_ARRAY_RECORDS_DEAR = 4000 };

enum { JOB_NAME_BYTES = 24 }; /* of an ID or a SLUID */

/* Is the row the rest of a large unsplit array? jobs/state lists all of its tasks, at a quadratic cost; job/{id} has one
 * record. So it has a turn of its own. */
bool job_details_is_large(const struct job_view *row);

enum job_queue {
	JOB_QUEUE_WANTED, /* jobs that are new or in another state; large rests whose list of tasks is not cut */
	JOB_QUEUE_REASONS, /* pending jobs; first those whose reason has most likely changed (job_reasons.h) */
	JOB_QUEUE_ROTATION, /* all jobs that are alive, the oldest details first */
	JOB_QUEUE_ARRAYS, /* first records of arrays with many records; large rests that jobs/state has to list */
	JOB_QUEUE_RESTS, /* after a start with jobs from before: large rests, which no round asks for */
	JOB_QUEUES
};

struct job_details {
	struct job_table *table; /* borrowed */
	struct job_id_list {
		struct job_turn { /* 8 bytes, since there is one for each job */
			uint32_t id;
			uint32_t details_time; /* Unix seconds; 0 and 1: none */
		} * items;
		size_t count, capacity, at;
	} queues[JOB_QUEUES];
	struct id_map records; /* array's ID -> how many of its records we have seen details of */
	struct id_map sluids; /* array's ID -> 1 + the place of its first record's SLUID */
	char (*sluid)[JOB_NAME_BYTES];
	size_t sluid_count, sluid_capacity;
	bool takes_sluids; /* job/{id} takes them (26.05 and later) */
	bool refuses_sluids; /* but slurmrestd refused one of a job that it has */
	uint64_t refused_sluid; /* of this job; 0: none was refused */
	uint64_t records_max; /* JOB_ARRAY_RECORDS_DEAR; tests set less */
	uint64_t untold; /* jobs of which nothing tells at present why they wait */
	struct id_map put_off; /* IDs whose details slurmctld has refused since the rotation began */
	struct id_map unrecorded; /* IDs that slurmdbd has had no record of since then */
	size_t unseen_end; /* jobs before it in JOB_QUEUE_WANTED lack details that slurmdbd may have */
	bool are_some_unrecorded; /* some IDs were added since JOB_QUEUE_WANTED was filled; the next filling has them */
};

void job_details_init(struct job_details *details, struct job_table *table);
void job_details_done(struct job_details *details);

/* Looks at all rows and fills the queue again; returns how many wait in it. */
uint64_t job_details_begin(struct job_details *details, enum job_queue queue);

/* Empties the queue: we learnt what it was to ask for in another way. */
void job_details_end(struct job_details *details, enum job_queue queue);

/* The next ID; 0: none is left. Passes over jobs whose details came with another's. */
uint64_t job_details_next(struct job_details *details, enum job_queue queue);
uint64_t job_details_peek(const struct job_details *details, enum job_queue queue); /* takes none */
uint64_t job_details_left(const struct job_details *details, enum job_queue queue); /* at most */

/* Jobs without any details come first in JOB_QUEUE_WANTED, and slurmdbd may have their details. The first function
 * returns an upper bound of how many are left; the second writes the next IDs, at most `max`, and returns their
 * number. */
uint64_t job_details_unseen(const struct job_details *details);
size_t job_details_next_unseen(struct job_details *details, uint64_t *ret_ids, size_t max);

/* Is there a job without any details left in JOB_QUEUE_WANTED? The others there only changed their state. */
bool job_details_are_lacking(const struct job_details *details);

/* Is the ID of JOB_QUEUE_ARRAYS for job/{id}, which brings this many records? 0: jobs/state lists the rest. */
uint64_t job_details_records(const struct job_details *details, uint64_t id);

/* What to ask job/{id} for: the ID or the SLUID. True: it is the SLUID. */
bool job_details_name(const struct job_details *details, uint64_t id, char ret_name[JOB_NAME_BYTES]);
/* slurmctld knows no such SLUID, or slurmrestd takes none. */
void job_details_forget_sluid(struct job_details *details, uint64_t id);

/* A record of an answer. */
void job_details_take(struct job_details *details, const struct job *job, int64_t now);

/* slurmctld knows no such job, or does not show it to this user (PrivateData; jobs/state shows it all the same). The
 * next rotation asks for it again (SLURMRESTD.md, "What a user sees"). */
void job_details_note_unknown(struct job_details *details, uint64_t id);

/* slurmdbd has answered for these IDs: from now on slurmctld is asked for those that still have no details. */
void job_details_note_recorded(struct job_details *details, const uint64_t *ids, size_t count);
