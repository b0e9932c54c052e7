#include "events/tallies.h"

#include "base/memory.h"

#include <stdlib.h>

/* Beyond the caps that the configuration gives. There may be ten times as many nodes. Those where jobs failed last have
 * rows, so a node that fails one job after the other is always among them. */
enum { QUEUES_MAX = 150, NODES_MAX = 1000, NODES_KEPT = 900 };
enum { FOLDED_MAX = 100000, GROUP_FOLDED_MAX = 10000 }; /* names that are only kept to count them */

void tallies_init(struct tallies *tallies, const struct caps *caps)
{
	*tallies = (struct tallies){.caps = caps};
	for (int kind = 0; kind < TALLY_KINDS; kind++) {
		map_init(&tallies->kinds[kind], &tallies->arenas[kind], sizeof(struct tally));
		map_init(&tallies->folded[kind], &tallies->arena, 1);
		map_init(&tallies->forgotten[kind], &tallies->forgotten_arena, sizeof(struct tally));
	}
	tallies_of(tallies, ENTITY_CLUSTER, TEXT(""), TEXT(""));
}

static void done_each(struct map *map)
{
	for (size_t i = 0; i < map->count; i++)
		tally_done(map->entries[i].value);
	map_done(map);
}

void tallies_done(struct tallies *tallies)
{
	for (int kind = 0; kind < TALLY_KINDS; kind++) {
		done_each(&tallies->kinds[kind]);
		done_each(&tallies->forgotten[kind]);
		map_done(&tallies->folded[kind]);
		arena_done(&tallies->arenas[kind]);
		if (tallies->others[kind])
			tally_done(tallies->others[kind]);
	}
	arena_done(&tallies->forgotten_arena);
	arena_done(&tallies->arena);
}

static bool has_two_names(int kind)
{
	return kind == ENTITY_USER || kind == TALLY_QUEUE;
}

/* A new one. */
static struct tally *add(const struct tallies *tallies, struct map *map, int kind, struct text key)
{
	struct tally *tally = map_add(map, key);
	tally_init(tally, map->arena, tally_kinds(tallies->caps, kind), map->entries[map->count - 1].key);
	return tally;
}

static size_t label_count(const struct tallies *tallies, int kind)
{
	const struct job_group *group = caps_group(tallies->caps, kind);
	return group ? group->label_count : has_two_names(kind) ? 2 : 1;
}

static struct tally *other(struct tallies *tallies, int kind)
{
	if (!tallies->others[kind]) {
		struct tally *tally = arena_new(&tallies->arena, sizeof *tally);
		tally_init(tally, &tallies->arena, tally_kinds(tallies->caps, kind), TEXT(""));
		for (size_t i = 0; i < label_count(tallies, kind); i++)
			tally->label[i] = LABEL_OTHER;
		tallies->others[kind] = tally;
	}
	return tallies->others[kind];
}

/* May its name be shown? A queue's may if those of its partition and its QOS may. */
static bool may_be_named(const struct tallies *tallies, int kind, struct text key)
{
	struct text label[2] = {TEXT(""), key};
	label[0] = text_cut(&label[1], '\0');
	const struct text qos[2] = {label[1]};
	const struct job_group *group = caps_group(tallies->caps, kind);
	if (group)
		return group_key_may_be_shown(group, tallies->caps, key);
	if (kind == ENTITY_CLUSTER || kind == TALLY_NODE)
		return true;
	if (kind == TALLY_QUEUE)
		return caps_allow(tallies->caps, ENTITY_PARTITION, label) && caps_allow(tallies->caps, ENTITY_QOS, qos);
	return caps_allow(tallies->caps, (enum entity_kind)kind, label);
}

static bool may_grow(const struct tallies *tallies, int kind)
{
	size_t count = tallies->kinds[kind].count;
	if (kind == ENTITY_CLUSTER || kind == TALLY_NODE)
		return true;
	return count < (kind == TALLY_QUEUE ? QUEUES_MAX : caps_rows(tallies->caps, kind));
}

static void note_folded(struct tallies *tallies, int kind, struct text key)
{
	bool is_group = kind >= ENTITY_KINDS && kind < JOB_KINDS;
	if (tallies->folded[kind].count < (is_group ? GROUP_FOLDED_MAX : FOLDED_MAX))
		map_add(&tallies->folded[kind], key);
}

static void forget_one(struct tallies *tallies, int kind, struct text key, struct tally *tally)
{
	struct map *forgotten = &tallies->forgotten[kind];
	note_folded(tallies, kind, key);
	if (map_find(forgotten, key)) /* nothing was stored since */
		tally_done(tally);
	else
		tally_move(add(tallies, forgotten, kind, key), tally);
}

/* All but those, by number. */
static void forget(struct tallies *tallies, int kind, const bool *is_kept)
{
	struct map *map = &tallies->kinds[kind], before = *map;
	struct arena arena = tallies->arenas[kind];
	tallies->arenas[kind] = (struct arena)ARENA_INIT;
	map_init(map, &tallies->arenas[kind], sizeof(struct tally));
	for (size_t i = 0; i < before.count; i++) {
		if (is_kept[i])
			tally_move(add(tallies, map, kind, before.entries[i].key), before.entries[i].value);
		else
			forget_one(tallies, kind, before.entries[i].key, before.entries[i].value);
	}
	map_done(&before);
	arena_done(&arena);
}

static int by_last_time(const void *a, const void *b, void *entries)
{
	const struct map_entry *all = entries;
	size_t left = *(const size_t *)a, right = *(const size_t *)b;
	int64_t x = tally_last_time(all[left].value), y = tally_last_time(all[right].value);
	return x != y ? (x > y) - (x < y) : (left > right) - (left < right);
}

static void forget_some_nodes(struct tallies *tallies)
{
	const struct map *map = &tallies->kinds[TALLY_NODE];
	bool *is_kept = memory_new(map->count * sizeof *is_kept);
	size_t *order = map_sorted(map);
	qsort_r(order, map->count, sizeof *order, by_last_time, map->entries);
	for (size_t i = map->count - NODES_KEPT; i < map->count; i++)
		is_kept[order[i]] = true;
	forget(tallies, TALLY_NODE, is_kept);
	free(order);
	free(is_kept);
}

void tallies_screen(struct tallies *tallies)
{
	for (int kind = 0; kind < TALLY_KINDS; kind++) {
		const struct map *map = &tallies->kinds[kind];
		bool *is_kept = memory_new(map->count * sizeof *is_kept), are_kept = true;
		for (size_t i = 0; i < map->count; i++) {
			is_kept[i] = may_be_named(tallies, kind, map->entries[i].key);
			are_kept &= is_kept[i];
		}
		if (!are_kept)
			forget(tallies, kind, is_kept);
		free(is_kept);
	}
}

bool tallies_have(const struct tallies *tallies, enum tally_what what)
{
	const struct tally *cluster = tallies->kinds[ENTITY_CLUSTER].entries[0].value;
	return tally_get(cluster, what, 0)->value > 0;
}

size_t tallies_folded(const struct tallies *tallies, int kind)
{
	const struct map *folded = &tallies->folded[kind];
	size_t count = 0;
	for (size_t i = 0; i < folded->count; i++)
		count += !map_find(&tallies->kinds[kind], folded->entries[i].key);
	return count;
}

void tallies_stored(struct tallies *tallies)
{
	for (int kind = 0; kind < TALLY_KINDS; kind++)
		done_each(&tallies->forgotten[kind]);
	arena_clear(&tallies->forgotten_arena);
}

static struct tally *make(struct tallies *tallies, int kind, struct text key)
{
	if (!may_grow(tallies, kind) || !may_be_named(tallies, kind, key)) {
		note_folded(tallies, kind, key);
		return other(tallies, kind);
	}
	if (kind == TALLY_NODE && tallies->kinds[kind].count >= NODES_MAX)
		forget_some_nodes(tallies);
	return add(tallies, &tallies->kinds[kind], kind, key);
}

struct tally *tallies_of(struct tallies *tallies, int kind, struct text name, struct text second)
{
	struct buf key = BUF_INIT;
	label_key(&key, name, has_two_names(kind) ? &second : NULL);
	struct tally *tally = map_find(&tallies->kinds[kind], buf_text(&key));
	if (!tally)
		tally = make(tallies, kind, buf_text(&key));
	buf_done(&key);
	return tally;
}

struct tally *tallies_of_group(struct tallies *tallies, int kind, struct text key)
{
	if (group_key_is_other(key))
		return other(tallies, kind);
	struct tally *tally = map_find(&tallies->kinds[kind], key);
	return tally ? tally : make(tallies, kind, key);
}

/* Forgets what the page does not show if what it shows has no room else. */
static bool make_room(struct tallies *tallies, int kind, const struct roster *roster)
{
	const struct map *map = &tallies->kinds[kind];
	bool *is_kept = memory_new(map->count * sizeof *is_kept);
	size_t kept = 0;
	for (size_t i = 0; i < map->count; i++)
		kept += is_kept[i] = roster_shows(roster, map->entries[i].key);
	bool is_full = kept < map->count && map->count + roster->shown.count - kept > caps_rows(tallies->caps, kind);
	if (is_full)
		forget(tallies, kind, is_kept);
	free(is_kept);
	return is_full;
}

static bool show_groups(struct tallies *tallies, const struct roster rosters[JOB_KINDS])
{
	bool has_forgotten = false;
	for (int kind = ENTITY_KINDS; kind < JOB_KINDS; kind++) {
		const struct map *shown = &rosters[kind].shown;
		if (!rosters[kind].is_chosen || !caps_group(tallies->caps, kind))
			continue;
		has_forgotten |= make_room(tallies, kind, &rosters[kind]);
		for (size_t i = 0; i < shown->count; i++)
			tallies_of_group(tallies, kind, shown->entries[i].key);
	}
	return has_forgotten;
}

bool tallies_show(struct tallies *tallies, const struct roster rosters[JOB_KINDS])
{
	for (int kind = ENTITY_PARTITION; kind < ENTITY_KINDS; kind++) {
		const struct map *shown = &rosters[kind].shown;
		for (size_t i = 0; rosters[kind].is_chosen && i < shown->count; i++) {
			struct text second = shown->entries[i].key, name = text_cut(&second, '\0');
			tallies_of(tallies, kind, name, second);
		}
	}
	return show_groups(tallies, rosters);
}

struct tally *tallies_restore_group(struct tallies *tallies, int kind, struct text key)
{
	if (group_key_is_other(key))
		return other(tallies, kind);
	struct tally *tally = map_find(&tallies->kinds[kind], key);
	return tally ? tally : add(tallies, &tallies->kinds[kind], kind, key);
}

struct tally *tallies_restore(struct tallies *tallies, int kind, struct text label, struct text second)
{
	if (text_equal(label, LABEL_OTHER))
		return other(tallies, kind);
	struct buf key = BUF_INIT;
	label_key(&key, label, has_two_names(kind) ? &second : NULL);
	struct tally *tally = map_find(&tallies->kinds[kind], buf_text(&key));
	if (!tally)
		tally = add(tallies, &tallies->kinds[kind], kind, buf_text(&key));
	buf_done(&key);
	return tally;
}
