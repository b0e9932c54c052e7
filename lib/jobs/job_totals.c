#include "jobs/job_totals.h"

#include "base/buf.h"
#include "base/memory.h"

#include <stdlib.h>

enum { USER_SHOWN_S = 24 * 3600 };

/* Finds or makes the entity; its labels are the parts of its key. */
static struct job_usage *entity_of(struct job_totals *totals, enum entity_kind kind, struct text name,
				   struct text second)
{
	struct map *map = &totals->entities[kind];
	struct buf key = BUF_INIT;
	entity_key(&key, kind, name, second);
	size_t before = map->count;
	struct job_usage *usage = map_add(map, buf_text(&key));
	if (map->count != before) {
		struct text rest = map->entries[before].key, label = text_cut(&rest, '\0');
		job_usage_init(usage, &totals->arena, label, rest);
	}
	buf_done(&key);
	return usage;
}

struct job_totals *job_totals_new(void)
{
	struct job_totals *totals = NEW(struct job_totals);
	for (int kind = 0; kind < ENTITY_KINDS; kind++)
		map_init(&totals->entities[kind], &totals->arena, sizeof(struct job_usage));
	map_init(&totals->reservation_cpus, &totals->arena, sizeof(uint64_t));
	entity_of(totals, ENTITY_CLUSTER, TEXT(""), TEXT(""));
	return totals;
}

static void list_add(struct owner_list *list, struct job_totals *totals, enum entity_kind kind, struct text name,
		     struct text second)
{
	list->items = memory_resize(list->items, list->count + 1, sizeof *list->items);
	list->items[list->count++] = entity_of(totals, kind, name, second);
}

static void list_add_each(struct owner_list *list, struct job_totals *totals, enum entity_kind kind, struct text names)
{
	struct text name;
	while (text_next(&names, ',', &name))
		list_add(list, totals, kind, name, TEXT(""));
}

struct owner_list job_totals_entities(struct job_totals *totals, const struct job_owner *owner)
{
	struct owner_list list = {NULL, 0};
	list_add(&list, totals, ENTITY_CLUSTER, TEXT(""), TEXT(""));
	list_add_each(&list, totals, ENTITY_PARTITION, owner->partitions);
	list_add_each(&list, totals, ENTITY_QOS, owner->qos);
	if (owner->account.len)
		list_add(&list, totals, ENTITY_ACCOUNT, owner->account, TEXT(""));
	if (owner->user.len)
		list_add(&list, totals, ENTITY_USER, owner->user, owner->account);
	return list;
}

const struct owner_list *job_totals_of(struct job_totals *totals, const struct owners *owners, uint32_t number)
{
	struct owner_list *list = owners_list(owners, number);
	if (!list->items) {
		const struct job_owner owner = owners_get(owners, number);
		*list = job_totals_entities(totals, &owner);
	}
	return list;
}

void job_totals_add_partitions(struct job_totals *totals, const struct map *partitions)
{
	for (size_t i = 0; partitions && i < partitions->count; i++)
		entity_of(totals, ENTITY_PARTITION, partitions->entries[i].key, TEXT(""));
}

bool job_totals_keeps(enum entity_kind kind, const struct job_usage *usage, const struct map *partitions, int64_t now)
{
	if (usage->rows)
		return true;
	if (kind == ENTITY_USER)
		return now - usage->last_active < USER_SHOWN_S;
	if (kind == ENTITY_PARTITION && partitions)
		return map_find(partitions, usage->label[0]);
	return true;
}

static struct job_usage *copy_seen(struct job_totals *to, enum entity_kind kind, const struct job_usage *from)
{
	struct job_usage *copy = entity_of(to, kind, from->label[0], from->label[1]);
	job_usage_keep_seen(copy, from);
	return copy;
}

/* As copy_seen, with the numbers. The rows of the maps have come in the same order. */
static void copy_usage(struct job_totals *to, enum entity_kind kind, const struct job_usage *from)
{
	struct job_usage *copy = copy_seen(to, kind, from), seen = *copy;
	*copy = *from;
	memcpy(copy->label, seen.label, sizeof copy->label);
	copy->reasons = seen.reasons;
	copy->gres = seen.gres;
	for (size_t i = 0; i < from->reasons.count; i++)
		*(uint64_t *)copy->reasons.entries[i].value = *(const uint64_t *)from->reasons.entries[i].value;
	for (size_t i = 0; i < from->gres.count; i++)
		memcpy(((struct gres_count *)copy->gres.entries[i].value)->count,
		       ((const struct gres_count *)from->gres.entries[i].value)->count,
		       sizeof(uint64_t) * CAPACITY_STATES);
}

struct job_totals *job_totals_renew(const struct job_totals *totals, const struct map *partitions, int64_t now)
{
	struct job_totals *new = job_totals_new();
	for (int kind = 0; kind < ENTITY_KINDS; kind++) {
		for (size_t i = 0; i < totals->entities[kind].count; i++) {
			const struct job_usage *usage = totals->entities[kind].entries[i].value;
			if (job_totals_keeps((enum entity_kind)kind, usage, partitions, now))
				copy_usage(new, (enum entity_kind)kind, usage);
		}
	}
	for (size_t i = 0; i < totals->reservation_cpus.count; i++) {
		const struct map_entry *entry = &totals->reservation_cpus.entries[i];
		uint64_t cpus = *(const uint64_t *)entry->value;
		if (cpus)
			*(uint64_t *)map_add(&new->reservation_cpus, entry->key) = cpus;
	}
	new->records = totals->records;
	new->jobs = totals->jobs;
	new->jobs_without_details = totals->jobs_without_details;
	new->undercounted = totals->undercounted;
	return new;
}

struct job_totals *job_totals_zeroed(const struct job_totals *totals)
{
	struct job_totals *new = job_totals_new();
	for (int kind = 0; kind < ENTITY_KINDS; kind++)
		for (size_t i = 0; i < totals->entities[kind].count; i++)
			copy_seen(new, (enum entity_kind)kind, totals->entities[kind].entries[i].value);
	return new;
}

void job_totals_unfold(struct job_totals *totals)
{
	for (int kind = 0; kind < ENTITY_KINDS; kind++) {
		if (totals->others[kind])
			job_usage_done(totals->others[kind]);
		totals->others[kind] = NULL;
	}
	arena_clear(&totals->others_arena);
}

struct job_usage *job_totals_other(struct job_totals *totals, enum entity_kind kind)
{
	struct job_usage **other = &totals->others[kind];
	if (!*other) {
		*other = arena_new(&totals->others_arena, sizeof **other);
		job_usage_init(*other, &totals->others_arena, LABEL_OTHER, LABEL_OTHER);
	}
	return *other;
}

void job_totals_free(struct job_totals *totals)
{
	if (!totals)
		return;
	job_totals_unfold(totals);
	arena_done(&totals->others_arena);
	for (int kind = 0; kind < ENTITY_KINDS; kind++) {
		for (size_t i = 0; i < totals->entities[kind].count; i++)
			job_usage_done(totals->entities[kind].entries[i].value);
		map_done(&totals->entities[kind]);
	}
	map_done(&totals->reservation_cpus);
	arena_done(&totals->arena);
	free(totals);
}
