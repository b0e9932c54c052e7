#include "cluster/usage.h"

#include "base/buf.h"

struct gres_count *gres_count_of(struct map *map, struct text name, struct text type)
{
	struct buf key = BUF_INIT;
	buf_add_text(&key, name);
	buf_add_char(&key, ':');
	buf_add_text(&key, type);
	size_t before = map->count;
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
