#include "events/tallies.h"

#include "base/memory.h"

#include <stdlib.h>

/* Beyond the caps that the configuration gives. */
enum { QUEUES_MAX = 150, NODES_MAX = 1000 };

void tallies_init(struct tallies *tallies, const struct caps *caps)
{
	*tallies = (struct tallies){.caps = caps};
	for (int kind = 0; kind < TALLY_KINDS; kind++)
		map_init(&tallies->kinds[kind], &tallies->arena, sizeof(struct tally));
	tallies_of(tallies, ENTITY_CLUSTER, TEXT(""), TEXT(""));
}

void tallies_done(struct tallies *tallies)
{
	for (int kind = 0; kind < TALLY_KINDS; kind++) {
		for (size_t i = 0; i < tallies->kinds[kind].count; i++)
			tally_done(tallies->kinds[kind].entries[i].value);
		map_done(&tallies->kinds[kind]);
		if (tallies->others[kind])
			tally_done(tallies->others[kind]);
	}
	arena_done(&tallies->arena);
}

static bool has_two_names(int kind)
{
	return kind == ENTITY_USER || kind == TALLY_QUEUE;
}

static struct tally *add(struct tallies *tallies, int kind, struct text key)
{
	struct tally *tally = map_add(&tallies->kinds[kind], key);
	const struct map *map = &tallies->kinds[kind];
	struct text rest = map->entries[map->count - 1].key, label = text_cut(&rest, '\0');
	tally_init(tally, &tallies->arena, kind, label, rest);
	return tally;
}

static struct tally *other(struct tallies *tallies, int kind)
{
	if (!tallies->others[kind]) {
		tallies->others[kind] = arena_new(&tallies->arena, sizeof(struct tally));
		tally_init(tallies->others[kind], &tallies->arena, kind, LABEL_OTHER,
			   has_two_names(kind) ? LABEL_OTHER : TEXT(""));
	}
	return tallies->others[kind];
}

/* May it have a tally of its own? A queue has one if its partition and its QOS may. */
static bool is_allowed(const struct tallies *tallies, int kind, const struct text label[2])
{
	const struct text qos[2] = {label[1]};
	const struct map *map = &tallies->kinds[kind];
	if (kind == ENTITY_CLUSTER)
		return true;
	if (kind == TALLY_NODE)
		return map->count < NODES_MAX;
	if (kind == TALLY_QUEUE)
		return map->count < QUEUES_MAX &&
		       caps_allow(tallies->caps, ENTITY_PARTITION, label) &&
		       caps_allow(tallies->caps, ENTITY_QOS, qos);
	return map->count < tallies->caps->kinds[kind].max &&
	       caps_allow(tallies->caps, (enum entity_kind)kind, label);
}

static void key_of(struct buf *key, int kind, struct text name, struct text second)
{
	char room[LABEL_MAX + 1];
	buf_clear(key);
	buf_add_text(key, label_of(name, room));
	if (!has_two_names(kind))
		return;
	buf_add_char(key, '\0');
	buf_add_text(key, label_of(second, room));
}

struct tally *tallies_of(struct tallies *tallies, int kind, struct text name, struct text second)
{
	struct buf key = BUF_INIT;
	key_of(&key, kind, name, second);
	struct tally *tally = map_find(&tallies->kinds[kind], buf_text(&key));
	if (!tally) {
		struct text label[2] = {TEXT(""), buf_text(&key)};
		label[0] = text_cut(&label[1], '\0');
		tally = is_allowed(tallies, kind, label) ? add(tallies, kind, buf_text(&key))
							 : other(tallies, kind);
	}
	buf_done(&key);
	return tally;
}

void tallies_show(struct tallies *tallies, const struct roster rosters[ENTITY_KINDS])
{
	for (int kind = ENTITY_PARTITION; kind < ENTITY_KINDS; kind++) {
		const struct map *shown = &rosters[kind].shown;
		for (size_t i = 0; rosters[kind].is_chosen && i < shown->count; i++) {
			struct text second = shown->entries[i].key, name = text_cut(&second, '\0');
			tallies_of(tallies, kind, name, second);
		}
	}
}

struct tally *tallies_restore(struct tallies *tallies, int kind, struct text label,
			      struct text second)
{
	if (text_equal(label, LABEL_OTHER))
		return other(tallies, kind);
	struct buf key = BUF_INIT;
	key_of(&key, kind, label, second);
	struct tally *tally = map_find(&tallies->kinds[kind], buf_text(&key));
	if (!tally)
		tally = add(tallies, kind, buf_text(&key));
	buf_done(&key);
	return tally;
}
