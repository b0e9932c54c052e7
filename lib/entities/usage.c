#include "entities/usage.h"

void entity_key(struct buf *key, enum entity_kind kind, struct text name, struct text second)
{
	label_key(key, name, kind == ENTITY_USER ? &second : NULL);
}

uint64_t *reason_count_of(struct map *map, struct text reason)
{
	char scratch[LABEL_MAX + 1];
	struct text label = label_of(reason, scratch);
	uint64_t *count = map->count < REASONS_MAX ? NULL : map_find(map, label);
	return count ? count : map_add(map, map->count < REASONS_MAX ? label : LABEL_OTHER);
}

struct gres_count *gres_count_of(struct map *map, struct text name, struct text type)
{
	char name_scratch[LABEL_MAX + 1], type_scratch[LABEL_MAX + 1];
	struct buf key = BUF_INIT;
	name = label_of(name, name_scratch);
	type = label_of(type, type_scratch);
	buf_add_text(&key, name);
	buf_add_char(&key, ':');
	buf_add_text(&key, type);
	size_t before = map->count;
	if (before >= GRES_MAX && !map_find(map, buf_text(&key))) {
		name = LABEL_OTHER;
		type = TEXT("");
		buf_clear(&key);
		buf_add_string(&key, "other:");
	}
	struct gres_count *gres = map_add(map, buf_text(&key));
	if (map->count != before) {
		gres->name = arena_copy(map->arena, name);
		gres->type = arena_copy(map->arena, type);
	}
	buf_done(&key);
	return gres;
}

void gres_count_keep(struct map *map, const struct map *seen)
{
	for (size_t i = 0; i < seen->count; i++) {
		const struct gres_count *gres = seen->entries[i].value;
		gres_count_of(map, gres->name, gres->type);
	}
}
