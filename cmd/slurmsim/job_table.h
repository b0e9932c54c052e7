/* The job records of slurmctld, in the order in which it lists them. A record is found by its raw
 * ID; pointers are good until it is forgotten or the table is tidied. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum job_state {
	JOB_PENDING,
	JOB_RUNNING,
	JOB_COMPLETED,
	JOB_CANCELLED,
	JOB_FAILED,
	JOB_TIMEOUT,
	JOB_NODE_FAIL,
	JOB_PREEMPTED,
	JOB_OUT_OF_MEMORY,
	JOB_DEADLINE,
	JOB_STATES
};

enum job_reason {
	REASON_NONE,
	REASON_PRIORITY,
	REASON_RESOURCES,
	REASON_DEPENDENCY,
	REASON_BEGIN_TIME,
	REASON_HELD_USER,
	REASON_HELD_ADMIN,
	REASON_ARRAY_LIMIT,
	REASON_QOS_JOBS,
	REASON_NONZERO_EXIT,
	REASON_SIGNAL,
	REASON_TIME_LIMIT,
	REASON_NODE_DOWN,
	REASON_OUT_OF_MEMORY,
	REASONS
};

enum {
	JOB_COMPLETING = 1,
	JOB_REQUEUED = 2, /* goes back to the queue when it has completed */
	JOB_DOOMED = 4, /* its event is that it is cancelled */
	JOB_SPARSE = 8, /* an array with holes: its tasks are 0,1,3,4,6,7,... */
	JOB_PER_NODE = 16, /* memory is asked for by node */
};

#define TIME_NONE INT32_MIN
#define NO_TASK UINT32_MAX
#define NO_NODE UINT32_MAX

enum { JOB_NAMES = 16 };

struct job {
	uint32_t id;
	uint32_t array_id, task; /* array_id 0: none; task NO_TASK: an unsplit rest */
	uint32_t rest_at, rest_end; /* the unsplit tasks, as ranks in the array */
	uint32_t het_id; /* the leader, 0: none */
	uint32_t next_member, previous_member; /* of the array, split records; 0: none */
	int32_t submit, eligible, start, end, event; /* seconds of the world, or TIME_NONE */
	uint32_t dependency;
	uint32_t cpus, memory; /* in all; MiB per CPU, or per node */
	uint32_t run_s, limit_min;
	uint32_t association, priority;
	union {
		uint32_t node; /* node_count 1 */
		uint32_t *nodes; /* node_count > 1: owned, sorted; NULL if not placed */
	};
	uint16_t node_count, restarts, array_limit, array_running; /* array_running: of the rest */
	uint8_t gpus; /* per node */
	uint8_t state, flags, reason, partition, other_partition, qos, name; /* name: below JOB_NAMES */
	uint8_t outcome, exit_code, signal, het_offset, het_size;
};
#define NO_PARTITION 255

enum { JOB_CHUNK = 4096 };

struct job_table {
	struct job **chunks;
	size_t chunk_count, chunk_capacity;
	size_t end, count; /* places used, with holes (ID 0); records */
	uint32_t *slots; /* open addressing by ID: place + 1, or 0 */
	size_t slot_count;
};

struct job *job_table_add(struct job_table *table, uint32_t id);
struct job *job_table_find(const struct job_table *table, uint32_t id);
size_t job_table_place(const struct job_table *table, uint32_t id); /* of a record that is there */
void job_table_forget(struct job_table *table, struct job *job);
void job_table_tidy(struct job_table *table); /* closes holes if there are many */
void job_table_done(struct job_table *table);

/* The place's record; its ID is 0 if it is a hole. */
static inline struct job *job_table_at(const struct job_table *table, size_t place)
{
	return &table->chunks[place / JOB_CHUNK][place % JOB_CHUNK];
}

/* How many jobs the record stands for. */
static inline uint32_t job_tasks(const struct job *job)
{
	return job->array_id && job->task == NO_TASK ? job->rest_end - job->rest_at : 1;
}

/* Its billing TRES, where partitions have TRESBillingWeights="CPU=1.0,GRES/gpu=8.0". */
static inline uint32_t job_billing(const struct job *job)
{
	return job->cpus + 8u * job->gpus * job->node_count;
}

/* The task ID of a rank in the array. */
static inline uint32_t job_task_id(const struct job *job, uint32_t rank)
{
	return job->flags & JOB_SPARSE ? rank / 2 * 3 + rank % 2 : rank;
}
