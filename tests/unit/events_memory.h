/* What is to survive a restart of job_events, kept in memory: each write is a transaction. */
#pragma once

#include "base/memory.h"
#include "events/events_record.h"

#include <math.h>
#include <stdlib.h>

struct memory {
	struct arena arena; /* the texts */
	struct map counters; /* "kind NUL name NUL what NUL detail" -> double */
	struct map marks; /* name -> int64_t */
	struct events_run *runs;
	size_t count, capacity;
	struct ended_record *ended;
	size_t ended_count, ended_capacity;
	struct outage *outages;
	size_t outage_count, outage_capacity;
	size_t removals; /* of runs that it was asked for */
	bool fell; /* a counter did */
};

static inline void memory_init(struct memory *memory)
{
	*memory = (struct memory){.count = 0};
	map_init(&memory->counters, &memory->arena, sizeof(double));
	map_init(&memory->marks, &memory->arena, sizeof(int64_t));
}

static inline void memory_done(struct memory *memory)
{
	map_done(&memory->counters);
	map_done(&memory->marks);
	arena_done(&memory->arena);
	free(memory->runs);
	free(memory->ended);
	free(memory->outages);
}

/* Where it is kept; NAN: it is not. */
static inline double *memory_counter(struct memory *memory, const struct events_counter *counter)
{
	const struct text parts[] = {counter->kind, counter->name, counter->what, counter->detail};
	struct buf key = BUF_INIT;
	for (size_t i = 0; i < 4; i++) {
		buf_add_text(&key, parts[i]);
		buf_add_char(&key, '\0');
	}
	double *value = map_find(&memory->counters, buf_text(&key));
	if (!value)
		*(value = map_add(&memory->counters, buf_text(&key))) = NAN;
	buf_done(&key);
	return value;
}

static inline void memory_put_counter(void *context, const struct events_counter *counter)
{
	struct memory *memory = context;
	double *value = memory_counter(memory, counter);
	memory->fell |= counter->value < *value;
	*value = counter->value;
}

static inline void memory_remove_counter(void *context, const struct events_counter *counter)
{
	*memory_counter(context, counter) = NAN;
}

static inline void memory_drop_run(struct memory *memory, const struct run_key *key)
{
	for (size_t i = 0; i < memory->count; i++) {
		const struct run_key *own = &memory->runs[i].run.key;
		if (own->id != key->id || own->task != key->task || own->submit_time != key->submit_time)
			continue;
		memory->runs[i] = memory->runs[--memory->count];
		return;
	}
}

static inline void memory_remove_run(void *context, const struct run_key *key)
{
	struct memory *memory = context;
	memory->removals++;
	memory_drop_run(memory, key);
}

static inline void memory_put_run(void *context, const struct events_run *run)
{
	struct memory *memory = context;
	memory_drop_run(memory, &run->run.key);
	GROW(memory->runs, memory->count, memory->capacity);
	struct events_run *own = &memory->runs[memory->count++];
	*own = *run;
	own->run.next = own->run.row = own->run.owner = own->run.tres = 0; /* not stored */
	struct text *const texts[] = {&own->owner.account, &own->owner.user,   &own->owner.partitions,
				      &own->owner.qos,	   &own->owner.values, &own->tres};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		*texts[i] = arena_copy(&memory->arena, *texts[i]);
}

static inline void memory_remove_ended(void *context, uint32_t raw_id)
{
	struct memory *memory = context;
	for (size_t i = memory->ended_count; i-- > 0;)
		if (memory->ended[i].end.raw_id == raw_id)
			memory->ended[i] = memory->ended[--memory->ended_count];
}

static inline void memory_put_ended(void *context, const struct ended_record *record)
{
	struct memory *memory = context;
	memory_remove_ended(memory, record->end.raw_id);
	GROW(memory->ended, memory->ended_count, memory->ended_capacity);
	struct ended_record *own = &memory->ended[memory->ended_count++];
	*own = *record;
	struct text *const texts[] = {&own->owner.account, &own->owner.user, &own->owner.partitions,
				      &own->owner.qos,	   &own->tres,	     &own->name,
				      &own->sluid,	   &own->state,	     &own->failed_node};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		*texts[i] = arena_copy(&memory->arena, *texts[i]);
}

static inline void memory_remove_outage(void *context, struct text node)
{
	struct memory *memory = context;
	for (size_t i = memory->outage_count; i-- > 0;)
		if (text_equal(memory->outages[i].node, node))
			memory->outages[i] = memory->outages[--memory->outage_count];
}

static inline void memory_put_outage(void *context, const struct outage *outage)
{
	struct memory *memory = context;
	memory_remove_outage(memory, outage->node);
	GROW(memory->outages, memory->outage_count, memory->outage_capacity);
	struct outage *own = &memory->outages[memory->outage_count++];
	*own = *outage;
	own->node = arena_copy(&memory->arena, own->node);
	own->cause = arena_copy(&memory->arena, own->cause);
}

static inline void memory_put_mark(void *context, const char *name, int64_t value)
{
	struct memory *memory = context;
	*(int64_t *)map_add(&memory->marks, text_of(name)) = value;
}

static inline void memory_write(struct memory *memory, struct job_events *events, bool all)
{
	static const struct events_writer writer = {memory_put_counter, memory_remove_counter, memory_put_run,
						    memory_remove_run,	memory_put_ended,      memory_remove_ended,
						    memory_put_mark,	memory_put_outage,     memory_remove_outage};
	events_write(events, all, &writer, memory);
	events_stored(events);
}

/* New job_events from what was written; NULL if nothing was. */
static inline struct job_events *memory_read(const struct memory *memory, const struct caps *caps,
					     const struct vocabulary *vocabulary, int64_t now)
{
	if (!memory->marks.count)
		return NULL;
	struct job_events *events = job_events_new(caps, vocabulary, now);
	for (size_t i = 0; i < memory->count; i++)
		events_restore_run(events, &memory->runs[i]);
	for (size_t i = 0; i < memory->ended_count; i++)
		events_restore_ended(events, &memory->ended[i]);
	for (size_t i = 0; i < memory->outage_count; i++)
		events_restore_outage(events, &memory->outages[i]);
	for (size_t i = 0; i < memory->counters.count; i++) {
		struct text rest = memory->counters.entries[i].key;
		struct events_counter counter = {.value = *(double *)memory->counters.entries[i].value};
		if (isnan(counter.value))
			continue;
		counter.kind = text_cut(&rest, '\0');
		counter.name = text_cut(&rest, '\0');
		counter.what = text_cut(&rest, '\0');
		counter.detail = text_cut(&rest, '\0');
		events_restore_counter(events, &counter);
	}
	for (size_t i = 0; i < memory->marks.count; i++)
		events_restore_mark(events, memory->marks.entries[i].key, *(int64_t *)memory->marks.entries[i].value);
	events_restored(events, now);
	return events;
}
