/* A slurmctld for tests, as far as jobs/state and job/{id} show it (SLURMRESTD.md, "jobs/state",
 * and SLURMRESTD.md, "Arrays"): records with raw IDs, arrays that split, IDs that are counted up. */
#pragma once

#include "base/buf.h"
#include "model/job.h"
#include "model/job_task.h"
#include "model/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { RECORDS_MAX = 4000, CHAINS = 4096 };

struct record {
	uint64_t id, array; /* array 0: of none */
	uint64_t first, last; /* tasks of an unsplit rest; one task: both the same */
	bool is_rest;
	int state;
	uint64_t submit_time, started, ended, restarts;
};

struct controller_model {
	struct record records[RECORDS_MAX];
	uint16_t chains[CHAINS], next[RECORDS_MAX]; /* of records by ID: places from 1 on; 0 ends a chain */
	size_t count;
	uint64_t first_id, last_id, next_id;
	uint64_t now, random;
	uint64_t rows; /* that jobs/state answered, in all */
	uint64_t submitted, started; /* as diag counts them */
};

static inline uint64_t model_below(struct controller_model *model, uint64_t limit)
{
	model->random = model->random * 6364136223846793005u + 1442695040888963407u;
	return (model->random >> 33) % limit;
}

static inline struct record *model_find(struct controller_model *model, uint64_t id)
{
	size_t place = model->chains[id % CHAINS];
	while (place && model->records[place - 1].id != id)
		place = model->next[place - 1];
	return place ? &model->records[place - 1] : NULL;
}

static inline void model_link(struct controller_model *model, size_t index)
{
	uint16_t *chain = &model->chains[model->records[index].id % CHAINS];
	model->next[index] = *chain;
	*chain = (uint16_t)(index + 1);
}

static inline void model_unlink(struct controller_model *model, size_t index)
{
	uint16_t *at = &model->chains[model->records[index].id % CHAINS];
	while (*at != index + 1)
		at = &model->next[*at - 1];
	*at = model->next[index];
}

static inline uint64_t model_take_id(struct controller_model *model)
{
	for (;;) {
		uint64_t id = model->next_id;
		model->next_id = id >= model->last_id ? model->first_id : id + 1;
		if (!model_find(model, id))
			return id;
	}
}

static inline struct record *model_add(struct controller_model *model, struct record record)
{
	if (model->count == RECORDS_MAX)
		abort();
	model->records[model->count] = record;
	model_link(model, model->count);
	return &model->records[model->count++];
}

static inline uint64_t model_submit(struct controller_model *model, uint64_t id, uint64_t tasks)
{
	id = id ? id : model_take_id(model);
	model->submitted += tasks ? tasks : 1;
	model_add(model, (struct record){.id = id,
					 .array = tasks ? id : 0,
					 .last = tasks ? tasks - 1 : 0,
					 .is_rest = tasks > 1,
					 .state = JOB_PENDING,
					 .submit_time = model->now});
	return id;
}

/* Starts a job, or the first task of a rest: it gets an ID of its own, but the last one keeps the array's. */
static inline void model_start(struct controller_model *model, struct record *record)
{
	model->started++;
	if (record->is_rest && record->first < record->last) {
		struct record task = *record;
		task.id = model_take_id(model);
		task.last = task.first;
		task.is_rest = false;
		task.state = JOB_RUNNING;
		task.started = model->now;
		record->first++;
		model_add(model, task);
		return;
	}
	record->is_rest = false;
	record->state = JOB_RUNNING;
	record->started = model->now;
}

static inline void model_forget(struct controller_model *model, size_t index)
{
	model_unlink(model, index);
	if (index == --model->count)
		return;
	model_unlink(model, model->count);
	model->records[index] = model->records[model->count];
	model_link(model, index);
}

typedef void model_row_fn(void *context, const struct job_task *task);

static inline void model_rows_of(struct controller_model *model, const struct record *record, model_row_fn *take,
				 void *context)
{
	for (uint64_t task = record->first; task <= record->last; task++) {
		char name[64];
		snprintf(name, sizeof name, record->array ? "%" PRIu64 "_%" PRIu64 : "%" PRIu64, record->id, task);
		const struct job_task row = {text_of(name), record->id, record->state, 0};
		model->rows++;
		take(context, &row);
	}
}

static inline void model_states_of_task(struct controller_model *model, uint64_t array, uint64_t task,
					model_row_fn *take, void *context)
{
	for (size_t i = 0; i < model->count; i++) {
		const struct record *record = &model->records[i];
		if (record->array == array && task >= record->first && task <= record->last)
			model_rows_of(model, record, take, context);
	}
}

/* The first record of an array brings all: the newest, itself, then the others from the newest on. */
static inline void model_states_of(struct controller_model *model, uint64_t id, model_row_fn *take, void *context)
{
	const struct record *first = model_find(model, id);
	bool is_second = false;
	for (size_t i = model->count; first && first->array == id && i-- > 0;) {
		const struct record *record = &model->records[i];
		if (record->array != id || record == first)
			continue;
		model_rows_of(model, record, take, context);
		if (!is_second)
			model_rows_of(model, first, take, context);
		is_second = true;
	}
	if (first && !is_second)
		model_rows_of(model, first, take, context);
}

/* jobs/state with repeated job_id=; an empty query: all. */
static inline void model_states(struct controller_model *model, struct text query, model_row_fn *take, void *context)
{
	struct text item;
	for (size_t i = 0; !query.len && i < model->count; i++)
		model_rows_of(model, &model->records[i], take, context);
	while (text_next(&query, '&', &item)) {
		struct text number = item, task_text;
		uint64_t id, task = NUMBER_UNSET;
		text_cut(&number, '=');
		task_text = number;
		text_to_u64(text_cut(&task_text, '_'), &id);
		if (task_text.len)
			text_to_u64(task_text, &task);
		if (task == NUMBER_UNSET)
			model_states_of(model, id, take, context);
		else
			model_states_of_task(model, id, task, take, context);
	}
}

typedef void model_job_fn(void *context, const struct job *job);

/* job/{id}; how many records it brought. A SLUID brings one record: the model's are "s" and the ID. */
static inline size_t model_named(struct controller_model *model, uint64_t id, bool is_sluid, model_job_fn *take,
				 void *context)
{
	size_t brought = 0;
	for (size_t i = 0; i < model->count; i++) {
		const struct record *record = &model->records[i];
		if (record->id != id && (is_sluid || record->array != id || !model_find(model, id)))
			continue;
		char tasks[48], sluid[32];
		snprintf(sluid, sizeof sluid, "s%" PRIu64, record->id);
		snprintf(tasks, sizeof tasks, "%" PRIu64 "-%" PRIu64, record->first, record->last);
		const struct job job = {
			.id = record->id,
			.array_job_id = record->array,
			.array_task_id = record->array && !record->is_rest ? record->first : NUMBER_UNSET,
			.array_tasks = record->is_rest ? text_of(tasks) : TEXT(""),
			.user = TEXT("ann"),
			.account = TEXT("bio"),
			.partitions = TEXT("cpu"),
			.qos = TEXT("normal"),
			.state = record->state,
			.submit_time = record->submit_time,
			.start_time = record->started,
			.sluid = text_of(sluid),
			.restarts = record->restarts,
			.cpus = 1,
			.nodes = 1,
		};
		take(context, &job);
		brought++;
	}
	return brought;
}

static inline size_t model_job(struct controller_model *model, uint64_t id, model_job_fn *take, void *context)
{
	return model_named(model, id, false, take, context);
}
