#include "slurmsim/job_table.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* IDs come in sequence: a multiplicative hash spreads them. */
static size_t slot_of(const struct job_table *table, uint32_t id)
{
	return (size_t)((id * 0x9e3779b97f4a7c15u) >> 32) & (table->slot_count - 1);
}

static void slot_add(struct job_table *table, uint32_t id, size_t place)
{
	size_t slot = slot_of(table, id);
	while (table->slots[slot])
		slot = (slot + 1) & (table->slot_count - 1);
	table->slots[slot] = (uint32_t)place + 1;
}

static void index_again(struct job_table *table, size_t slot_count)
{
	free(table->slots);
	table->slot_count = slot_count;
	table->slots = memory_new(slot_count * sizeof *table->slots);
	for (size_t place = 0; place < table->end; place++)
		if (job_table_at(table, place)->id)
			slot_add(table, job_table_at(table, place)->id, place);
}

struct job *job_table_add(struct job_table *table, uint32_t id)
{
	if (table->end == table->chunk_count * JOB_CHUNK) {
		GROW(table->chunks, table->chunk_count, table->chunk_capacity);
		table->chunks[table->chunk_count++] = memory_new(JOB_CHUNK * sizeof(struct job));
	}
	if ((table->count + 1) * 2 > table->slot_count)
		index_again(table, table->slot_count ? table->slot_count * 2 : 1024);
	size_t place = table->end++;
	struct job *job = job_table_at(table, place);
	*job = (struct job){.id = id};
	slot_add(table, id, place);
	table->count++;
	return job;
}

static size_t slot_find(const struct job_table *table, uint32_t id)
{
	if (!table->slot_count || !id)
		return SIZE_MAX;
	for (size_t slot = slot_of(table, id); table->slots[slot]; slot = (slot + 1) & (table->slot_count - 1))
		if (job_table_at(table, table->slots[slot] - 1)->id == id)
			return slot;
	return SIZE_MAX;
}

struct job *job_table_find(const struct job_table *table, uint32_t id)
{
	size_t slot = slot_find(table, id);
	return slot == SIZE_MAX ? NULL : job_table_at(table, table->slots[slot] - 1);
}

size_t job_table_place(const struct job_table *table, uint32_t id)
{
	return table->slots[slot_find(table, id)] - 1;
}

void job_table_forget(struct job_table *table, struct job *job)
{
	size_t hole = slot_find(table, job->id), mask = table->slot_count - 1;
	if (job->node_count > 1)
		free(job->nodes);
	/* Linear probing without tombstones: what could not be found over the hole moves into it.
	 */
	for (size_t next = (hole + 1) & mask; table->slots[next]; next = (next + 1) & mask) {
		size_t wanted = slot_of(table, job_table_at(table, table->slots[next] - 1)->id);
		if (((next - wanted) & mask) >= ((next - hole) & mask)) {
			table->slots[hole] = table->slots[next];
			hole = next;
		}
	}
	table->slots[hole] = 0;
	*job = (struct job){0};
	table->count--;
}

void job_table_tidy(struct job_table *table)
{
	if (table->end - table->count < JOB_CHUNK || table->end < table->count + table->count / 4)
		return;
	size_t to = 0;
	for (size_t place = 0; place < table->end; place++) {
		struct job *job = job_table_at(table, place);
		if (!job->id)
			continue;
		if (place != to) {
			*job_table_at(table, to) = *job;
			job->id = 0;
		}
		to++;
	}
	table->end = to;
	while (table->chunk_count > to / JOB_CHUNK + 1)
		free(table->chunks[--table->chunk_count]);
	index_again(table, table->slot_count);
}

void job_table_done(struct job_table *table)
{
	for (size_t place = 0; place < table->end; place++) {
		struct job *job = job_table_at(table, place);
		if (job->id && job->node_count > 1)
			free(job->nodes);
	}
	for (size_t i = 0; i < table->chunk_count; i++)
		free(table->chunks[i]);
	free(table->chunks);
	free(table->slots);
}
