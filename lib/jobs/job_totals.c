#include "jobs/job_totals.h"

#include "base/buf.h"
#include "base/memory.h"

#include <stdlib.h>

enum {
	USER_SHOWN_S = 24 * 3600,
	ROWS_KEPT_TIMES = 10, /* a group's, of those that the page shows */
	ROWS_KEPT_MORE = 1000,
};

/* Finds or makes the row; its labels are the parts of its key. */
static struct job_usage *row_of(struct job_totals *totals, int kind, struct text key)
{
	struct map *map = &totals->entities[kind];
	size_t before = map->count;
	struct job_usage *usage = map_add(map, key);
	if (map->count != before) {
		job_usage_init(usage, &totals->arena);
		usage->kind = kind;
		group_key_labels(map->entries[before].key, usage->label);
	}
	return usage;
}

static struct job_usage *entity_of(struct job_totals *totals, enum entity_kind kind, struct text name,
				   struct text second)
{
	struct buf key = BUF_INIT;
	entity_key(&key, kind, name, second);
	struct job_usage *usage = row_of(totals, kind, buf_text(&key));
	buf_done(&key);
	return usage;
}

static size_t rows_kept(const struct job_totals *totals, int kind)
{
	return ROWS_KEPT_TIMES * caps_rows(totals->caps, kind) + ROWS_KEPT_MORE;
}

/* The row of a group. Values that come when it has all the rows that it may have share one. */
static struct job_usage *group_row_of(struct job_totals *totals, int kind, struct text key)
{
	struct map *map = &totals->entities[kind];
	struct job_usage *known = map_find(map, key), **rest = &totals->rests[kind];
	bool has_room = map->count < rows_kept(totals, kind) && !group_key_is_other(key);
	if (known || has_room)
		return known ? known : row_of(totals, kind, key);
	if (!*rest) {
		*rest = arena_new(&totals->arena, sizeof **rest);
		job_usage_init(*rest, &totals->arena);
		(*rest)->kind = kind;
	}
	return *rest;
}

bool job_totals_is_crowded(const struct job_totals *totals, int kind)
{
	enum { IDLE_MAX = 64 };
	const struct map *map = &totals->entities[kind];
	size_t idle = 0;
	for (size_t i = 0; kind >= ENTITY_KINDS && i < map->count; i++)
		idle += !((const struct job_usage *)map->entries[i].value)->rows;
	return idle > IDLE_MAX && idle > map->count / 2;
}

struct job_totals *job_totals_new(const struct caps *caps)
{
	struct job_totals *totals = NEW(struct job_totals);
	totals->caps = caps;
	for (int kind = 0; kind < JOB_KINDS; kind++)
		map_init(&totals->entities[kind], &totals->arena, sizeof(struct job_usage));
	entity_of(totals, ENTITY_CLUSTER, TEXT(""), TEXT(""));
	return totals;
}

static void list_append(struct owner_list *list, struct job_usage *usage)
{
	list->items = memory_resize(list->items, list->count + 1, sizeof *list->items);
	list->items[list->count++] = usage;
}

static void list_add(struct owner_list *list, struct job_totals *totals, enum entity_kind kind, struct text name,
		     struct text second)
{
	list_append(list, entity_of(totals, kind, name, second));
}

static void list_add_each(struct owner_list *list, struct job_totals *totals, enum entity_kind kind, struct text names)
{
	struct text name;
	while (text_next(&names, ',', &name))
		list_add(list, totals, kind, name, TEXT(""));
}

struct group_adding {
	struct owner_list *list;
	struct job_totals *totals;
	int kind;
};

static void add_group_row(void *context, struct text key)
{
	const struct group_adding *adding = context;
	list_append(adding->list, group_row_of(adding->totals, adding->kind, key));
}

static void list_add_groups(struct owner_list *list, struct job_totals *totals, const struct job_owner *owner)
{
	const struct job_groups *groups = totals->caps ? totals->caps->groups : NULL;
	const struct group_names names = owner_group_names(owner);
	for (size_t i = 0; groups && i < groups->count; i++) {
		struct group_adding adding = {list, totals, ENTITY_KINDS + (int)i};
		job_group_rows(&groups->items[i], totals->caps, &names, add_group_row, &adding);
	}
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
	list_add_groups(&list, totals, owner);
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

bool job_totals_keeps(int kind, const struct job_usage *usage, const struct map *partitions, int64_t now)
{
	if (usage->rows)
		return true;
	if (kind == ENTITY_USER)
		return now - usage->last_active < USER_SHOWN_S;
	if (kind == ENTITY_PARTITION && partitions)
		return map_find(partitions, usage->label[0]);
	return true;
}

static struct job_usage *copy_seen(struct job_totals *to, int kind, struct text key, const struct job_usage *from)
{
	struct job_usage *copy = row_of(to, kind, key);
	job_usage_keep_seen(copy, from);
	return copy;
}

/* As copy_seen, with the numbers. The rows of the maps have come in the same order. */
static void copy_usage(struct job_totals *to, int kind, struct text key, const struct job_usage *from)
{
	struct job_usage *copy = copy_seen(to, kind, key, from), seen = *copy;
	*copy = *from;
	memcpy(copy->label, seen.label, sizeof copy->label);
	copy->reasons = seen.reasons;
	copy->gres = seen.gres;
	for (size_t i = 0; i < from->reasons.count; i++)
		*(uint64_t *)copy->reasons.entries[i].value = *(const uint64_t *)from->reasons.entries[i].value;
	for (size_t i = 0; i < from->gres.count; i++)
		memcpy(((struct gres_count *)copy->gres.entries[i].value)->count,
		       ((const struct gres_count *)from->gres.entries[i].value)->count,
		       sizeof(uint128) * CAPACITY_STATES);
}

struct job_totals *job_totals_renew(const struct job_totals *totals, const struct map *partitions, int64_t now)
{
	struct job_totals *new = job_totals_new(totals->caps);
	for (int kind = 0; kind < JOB_KINDS; kind++) {
		for (size_t i = 0; i < totals->entities[kind].count; i++) {
			const struct map_entry *entry = &totals->entities[kind].entries[i];
			const struct job_usage *usage = entry->value;
			if (kind >= ENTITY_KINDS && usage->rows)
				copy_seen(new, kind, entry->key, usage);
			else if (kind < ENTITY_KINDS && job_totals_keeps(kind, usage, partitions, now))
				copy_usage(new, kind, entry->key, usage);
		}
	}
	new->records = totals->records;
	new->jobs = totals->jobs;
	new->jobs_without_details = totals->jobs_without_details;
	new->undercounted = totals->undercounted;
	return new;
}

struct job_totals *job_totals_zeroed(const struct job_totals *totals)
{
	struct job_totals *new = job_totals_new(totals->caps);
	for (int kind = 0; kind < JOB_KINDS; kind++)
		for (size_t i = 0; i < totals->entities[kind].count; i++) {
			const struct map_entry *entry = &totals->entities[kind].entries[i];
			copy_seen(new, kind, entry->key, entry->value);
		}
	return new;
}

void job_totals_unfold(struct job_totals *totals)
{
	for (int kind = 0; kind < JOB_KINDS; kind++) {
		if (totals->others[kind])
			job_usage_done(totals->others[kind]);
		totals->others[kind] = NULL;
	}
	arena_clear(&totals->others_arena);
}

struct job_usage *job_totals_other(struct job_totals *totals, int kind)
{
	struct job_usage **other = &totals->others[kind];
	if (!*other) {
		*other = arena_new(&totals->others_arena, sizeof **other);
		job_usage_init(*other, &totals->others_arena);
		for (size_t i = 0; i < GROUP_LABELS_MAX; i++)
			(*other)->label[i] = LABEL_OTHER;
	}
	return *other;
}

void job_totals_free(struct job_totals *totals)
{
	if (!totals)
		return;
	job_totals_unfold(totals);
	arena_done(&totals->others_arena);
	for (int kind = 0; kind < JOB_KINDS; kind++) {
		for (size_t i = 0; i < totals->entities[kind].count; i++)
			job_usage_done(totals->entities[kind].entries[i].value);
		if (totals->rests[kind])
			job_usage_done(totals->rests[kind]);
		map_done(&totals->entities[kind]);
	}
	arena_done(&totals->arena);
	free(totals);
}
