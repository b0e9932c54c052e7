/* A job table, the events of its jobs and what of them survives, for the tests that tell one story each. Counting
 * begins at BIRTH. */
#pragma once

#include "check.h"
#include "events_memory.h"

enum { BIRTH = 10000 };

struct world {
	struct caps caps;
	struct vocabulary vocabulary;
	struct job_table *table;
	struct job_events *events;
	struct memory memory;
};

static inline void world_init(struct world *world, bool by_slurmdbd)
{
	*world = (struct world){.table = job_table_new()};
	caps_init(&world->caps);
	for (int kind = 0; kind < ENTITY_KINDS; kind++)
		world->caps.kinds[kind].max = 100;
	vocabulary_init(&world->vocabulary);
	memory_init(&world->memory);
	world->events = job_events_new(&world->caps, &world->vocabulary, BIRTH);
	world->events->ends_by_slurmdbd = by_slurmdbd;
}

static inline void world_done(struct world *world)
{
	job_events_free(world->events);
	job_table_free(world->table);
	memory_done(&world->memory);
	vocabulary_done(&world->vocabulary);
	caps_done(&world->caps);
}

static inline struct job job_of(uint64_t id, int state, int64_t submit)
{
	return (struct job){.id = id,
			    .array_task_id = NUMBER_UNSET,
			    .state = state,
			    .user = TEXT("alice"),
			    .account = TEXT("physics"),
			    .partitions = TEXT("cpu"),
			    .qos = TEXT("normal"),
			    .submit_time = (uint64_t)submit,
			    .eligible_time = (uint64_t)submit,
			    .exit_code = NUMBER_UNSET,
			    .exit_signal = NUMBER_UNSET,
			    .time_limit = 1000,
			    .cpus = 2,
			    .nodes = 1,
			    .memory_per_node = 4096,
			    .memory_per_cpu = NUMBER_UNSET};
}

static inline struct job running(uint64_t id, int64_t submit, int64_t start)
{
	struct job job = job_of(id, JOB_RUNNING, submit);
	job.start_time = (uint64_t)start;
	job.node_list = TEXT("cn1");
	return job;
}

static inline struct job_end end_of(const struct job *job, const char *state, int64_t end)
{
	int64_t start = job->state == JOB_PENDING ? 0 : (int64_t)job->start_time;
	bool is_task = number_is_known(job->array_task_id);
	return (struct job_end){
		.raw_id = (uint32_t)job->id,
		.key = {(uint32_t)(job->array_job_id ? job->array_job_id : job->id),
			is_task ? (uint32_t)job->array_task_id : RUN_NO_TASK, (int64_t)job->submit_time},
		.tasks = 1,
		.owner = {job->account, job->user, job->partitions, job->qos},
		.state = text_of(state),
		.eligible_time = (int64_t)job->eligible_time,
		.start_time = start,
		.end_time = end,
		.run_seconds = start ? end - start : 0,
		.time_limit = job->time_limit,
		.cpus = job->cpus,
		.memory = job->memory_per_node,
		.nodes = job->nodes,
		.tres = job->tres_allocated,
		.node_list = start ? TEXT("cn1") : TEXT(""),
		.exit = start ? JOB_EXIT_ZERO : JOB_EXIT_UNKNOWN,
	};
}

static inline void put(struct world *world, const struct job *job, int64_t now)
{
	CHECK(job_table_put(world->table, job, now));
}

static inline void see(struct world *world, uint64_t id, int state, int64_t now)
{
	CHECK(job_table_set_state(world->table, id, state, 0, now));
}

static inline void look(struct world *world, int64_t until)
{
	job_table_note_now(world->table, until);
	job_events_look(world->events, world->table, until);
}

static inline void put_and_look(struct world *world, const struct job *job, int64_t now)
{
	put(world, job, now);
	look(world, now);
}

static inline void take_end(struct world *world, const struct job *job, const char *state, int64_t end)
{
	const struct job_end ended = end_of(job, state, end);
	job_events_take_end(world->events, &ended);
}

/* kill -9 after the last write, if it wrote; the job table is not kept. */
static inline void restart(struct world *world, bool wrote, int64_t now)
{
	if (wrote)
		memory_write(&world->memory, world->events, false);
	bool by_slurmdbd = world->events->ends_by_slurmdbd;
	job_events_free(world->events);
	world->events = memory_read(&world->memory, &world->caps, &world->vocabulary, now);
	world->events->ends_by_slurmdbd = by_slurmdbd;
	job_table_free(world->table);
	world->table = job_table_new();
}

static inline double count_of(const struct world *world, int kind, const char *name, const char *second,
			      enum tally_what what, const char *detail)
{
	struct tally *tally = tallies_of(&world->events->tallies, kind, text_of(name), text_of(second));
	for (size_t i = tally->first[what]; i < tally->counts.count; i++) {
		const struct tally_count *count = tally->counts.entries[i].value;
		if (count->what == what && text_equal(count->detail, text_of(detail)))
			return count->value;
	}
	return 0;
}

static inline double in_cluster(const struct world *world, enum tally_what what, const char *detail)
{
	return count_of(world, ENTITY_CLUSTER, "", "", what, detail);
}

static inline double in_partition(const struct world *world, const char *name, enum tally_what what, const char *detail)
{
	return count_of(world, ENTITY_PARTITION, name, "", what, detail);
}

static inline double in_queue(const struct world *world, enum tally_what what, const char *detail)
{
	return count_of(world, TALLY_QUEUE, "cpu", "normal", what, detail);
}

/* Submissions, starts, ends of any state, CPU seconds of the whole cluster. */
static inline void check_cluster(const struct world *world, double submissions, double starts, double ends,
				 double cpu_seconds)
{
	const struct tally *tally = tallies_of(&world->events->tallies, ENTITY_CLUSTER, TEXT(""), TEXT(""));
	double ended = 0;
	for (size_t i = 0; i < tally->counts.count; i++) {
		const struct tally_count *count = tally->counts.entries[i].value;
		ended += count->what == TALLY_ENDS ? count->value : 0;
	}
	CHECK_NUMBER(in_cluster(world, TALLY_SUBMISSIONS, ""), submissions);
	CHECK_NUMBER(in_cluster(world, TALLY_STARTS, ""), starts);
	CHECK_NUMBER(ended, ends);
	CHECK_NUMBER(in_cluster(world, TALLY_CPU_SECONDS, ""), cpu_seconds);
}
