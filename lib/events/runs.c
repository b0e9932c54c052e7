#include "events/runs.h"

#include "base/memory.h"

#include <stdlib.h>

/* The key of the list that a run is in; never 0. Runs of different IDs may share a list. */
static uint32_t head_of(uint32_t id, uint32_t task)
{
	uint32_t mixed = id ^ (task + 1) * 0x9e3779b1u;
	return mixed ? mixed : 1;
}

bool run_key_equal(const struct run_key *a, const struct run_key *b)
{
	return a->id == b->id && a->task == b->task && a->submit_time == b->submit_time;
}

struct run *runs_next(const struct runs *runs, uint32_t id, uint32_t task, const struct run *run)
{
	uint32_t at = run ? run->next : id_map_find(&runs->heads, head_of(id, task));
	while (at && (runs->items[at - 1].key.id != id || runs->items[at - 1].key.task != task))
		at = runs->items[at - 1].next;
	return at ? &runs->items[at - 1] : NULL;
}

struct run *runs_find(const struct runs *runs, const struct run_key *key)
{
	struct run *run = NULL;
	do
		run = runs_next(runs, key->id, key->task, run);
	while (run && !run_key_equal(&run->key, key));
	return run;
}

struct run *runs_add(struct runs *runs, const struct run_key *key)
{
	uint32_t head = head_of(key->id, key->task), at = runs->free;
	if (at) {
		runs->free = runs->items[at - 1].next;
	} else {
		GROW(runs->items, runs->count, runs->capacity);
		at = (uint32_t)++runs->count;
	}
	runs->used++;
	runs->items[at - 1] = (struct run){.key = *key, .next = id_map_find(&runs->heads, head), .is_used = true};
	id_map_set(&runs->heads, head, at);
	return &runs->items[at - 1];
}

static void unlink_run(struct runs *runs, const struct run *run)
{
	uint32_t head = head_of(run->key.id, run->key.task), at = id_map_find(&runs->heads, head);
	uint32_t own = (uint32_t)(run - runs->items) + 1;
	if (at == own) {
		id_map_set(&runs->heads, head, run->next);
		return;
	}
	while (runs->items[at - 1].next != own)
		at = runs->items[at - 1].next;
	runs->items[at - 1].next = run->next;
}

void runs_remove(struct runs *runs, struct run *run)
{
	unlink_run(runs, run);
	if (run->bits & RUN_IS_STORED) {
		GROW(runs->removed, runs->removed_count, runs->removed_capacity);
		runs->removed[runs->removed_count++] = run->key;
	}
	uint32_t free_before = runs->free;
	runs->free = (uint32_t)(run - runs->items) + 1;
	*run = (struct run){.next = free_before};
	runs->used--;
}

void runs_done(struct runs *runs)
{
	free(runs->items);
	free(runs->removed);
	id_map_done(&runs->heads);
	*runs = (struct runs){.count = 0};
}
