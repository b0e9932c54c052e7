/* What does not follow each change of a job table: it takes a look at all rows. */
#include "base/memory.h"
#include "jobs/jobs_check.h"

#include <stdio.h>
#include <stdlib.h>

void job_table_highest_ids(const struct job_table *table, uint64_t ret_ids[JOB_ORIGINS])
{
	memset(ret_ids, 0, JOB_ORIGINS * sizeof *ret_ids);
	for (size_t i = 0; i < table->position_count; i++) {
		uint64_t id = table->rows[i].id;
		if (job_row_is_used(&table->rows[i]) && id > ret_ids[job_origin(id)])
			ret_ids[job_origin(id)] = id;
	}
}

int64_t job_table_oldest_details(const struct job_table *table)
{
	int64_t oldest = 0;
	for (size_t i = 0; i < table->position_count; i++) {
		const struct job_row *row = &table->rows[i];
		if (job_row_is_used(row) && job_state_is_live(row->state) && row->details_time &&
		    (!oldest || row->details_time < oldest))
			oldest = row->details_time;
	}
	return oldest;
}

/* The charge of a group's jobs; each group looks it up once. */
static struct charge *charge_of(const struct job_table *table, struct charges *charges, struct charge **of_groups,
				uint32_t group)
{
	struct charge **charge = &of_groups[group - 1];
	if (!*charge) {
		const struct job_owner owner = owners_get(&table->pools.groups, group);
		*charge = charges_of(charges, owner.account, owner.user, owner.partitions, owner.qos);
	}
	return *charge;
}

void job_table_charge(const struct job_table *table, struct charges *charges)
{
	struct charge **of_groups = memory_new(table->pools.groups.keys.count * sizeof *of_groups);
	for (size_t i = 0; i < table->position_count; i++) {
		const struct job_row *row = &table->rows[i];
		if (!row->group || !job_state_is_live(row->state))
			continue;
		struct charge *charge = charge_of(table, charges, of_groups, row->group);
		charge->use.submitted_jobs += row->tasks;
		if (row->state == JOB_PENDING)
			continue;
		const struct job job = job_row_job(row, &table->pools);
		charge_add_held(charges, charge, &job, row->tasks, table->now);
	}
	free(of_groups);
}

struct unsettled {
	bool has_stale; /* there is an entity that is not shown any more */
	bool lacks_extremes;
};

static struct unsettled look_at_entities(const struct job_table *table, const struct map *partitions)
{
	struct unsettled found = {false, false};
	const struct job_totals *totals = table->totals;
	for (int kind = 0; kind < JOB_KINDS; kind++) {
		for (size_t i = 0; i < totals->entities[kind].count; i++) {
			const struct job_usage *usage = totals->entities[kind].entries[i].value;
			found.has_stale |=
				kind < ENTITY_KINDS && !job_totals_keeps(kind, usage, partitions, table->now);
			found.lacks_extremes |= usage->lacks_extremes;
		}
		found.has_stale |= job_totals_is_crowded(totals, kind);
		found.lacks_extremes |= totals->rests[kind] && totals->rests[kind]->lacks_extremes;
	}
	return found;
}

static void find_extremes(struct job_table *table)
{
	for (int kind = 0; kind < JOB_KINDS; kind++) {
		const struct map *entities = &table->totals->entities[kind];
		if (table->totals->rests[kind])
			job_usage_forget_extremes(table->totals->rests[kind]);
		for (size_t i = 0; i < entities->count; i++) {
			struct job_usage *usage = entities->entries[i].value;
			if (usage->lacks_extremes)
				job_usage_forget_extremes(usage);
		}
	}
	for (size_t i = 0; i < table->position_count; i++) {
		const struct job_row *row = &table->rows[i];
		if (!row->group || row->state != JOB_PENDING)
			continue;
		const struct job_contribution contribution = job_row_contribution(row, &table->pools);
		const struct owner_list *usages = job_totals_of(table->totals, &table->pools.groups, row->group);
		for (size_t j = 0; j < usages->count; j++)
			job_usage_note_extremes(usages->items[j], &contribution);
	}
}

/* Which rows a group has may have changed, so that its jobs count in others now. */
static void count_groups_again(struct job_table *table)
{
	for (size_t i = 0; i < table->position_count; i++) {
		const struct job_row *row = &table->rows[i];
		if (!row->group)
			continue;
		const struct job_contribution contribution = job_row_contribution(row, &table->pools);
		const struct owner_list *usages = job_totals_of(table->totals, &table->pools.groups, row->group);
		for (size_t j = 0; j < usages->count; j++)
			if (job_usage_is_of_group(usages->items[j]))
				job_usage_add(usages->items[j], &contribution);
	}
}

struct job_totals *job_table_settle(struct job_table *table, const struct map *partitions)
{
	job_totals_add_partitions(table->totals, partitions);
	const struct unsettled found = look_at_entities(table, partitions);
	if (found.has_stale) {
		struct job_totals *old = table->totals;
		table->totals = job_totals_renew(old, partitions, table->now);
		owners_forget_lists(&table->pools.groups);
		job_totals_free(old);
		if (table->pools.caps && table->pools.caps->groups)
			count_groups_again(table);
	}
	if (found.lacks_extremes)
		find_extremes(table);
#ifdef SLURMSCOPE_CHECKS
	struct error err = {""};
	if (!jobs_check(table, &err)) {
		fprintf(stderr, "job table: %s\n", err.text);
		abort();
	}
#endif
	return table->totals;
}

size_t job_table_bytes(const struct job_table *table)
{
	size_t slots = table->positions.slot_count + table->split_pending.slot_count;
	return sizeof *table + table->position_count * sizeof *table->rows + slots * sizeof(struct id_slot) +
	       text_pool_bytes(&table->pools.texts) + owners_bytes(&table->pools.groups) +
	       job_extras_bytes(&table->extras) + table->unstored.word_count * sizeof *table->unstored.words +
	       table->unstored.removed_capacity * sizeof *table->unstored.removed;
}
