#include "web/config_map.h"

bool web_wrong(struct web_reading *reading, const struct yaml_node *node, const char *text)
{
	return document_wrong(reading->document, node->position, reading->err, "%s%s%s",
			      node->key.bytes ? node->key.bytes : "", node->key.bytes ? ": " : "", text);
}

bool web_read_map(struct web_reading *reading, const struct yaml_node *map, const struct web_key *keys, size_t count,
		  void *to)
{
	if (!map || yaml_is_null(map))
		return true;
	if (map->kind != YAML_MAP)
		return web_wrong(reading, map, "expected keys and values");
	for (const struct yaml_node *node = map->first; node; node = node->next) {
		size_t i = 0;
		while (i < count && strcmp(keys[i].name, node->key.bytes) != 0)
			i++;
		if (i == count)
			return document_wrong(reading->document, node->key_position, reading->err, "%s: unknown key",
					      node->key.bytes);
		if (!yaml_is_null(node) && !keys[i].read(reading, node, (char *)to + keys[i].offset))
			return false;
	}
	return true;
}

bool web_read_list(struct web_reading *reading, const struct yaml_node *node, web_take_text *take, void *context)
{
	if (node->kind != YAML_LIST)
		return web_wrong(reading, node, "expected a list");
	for (const struct yaml_node *item = node->first; item; item = item->next) {
		const char *why = item->kind == YAML_SCALAR ? take(context, item->text.bytes) : "expected a text";
		if (why && item->kind == YAML_SCALAR)
			return document_wrong(reading->document, item->position, reading->err, "%s: %s",
					      item->text.bytes, why);
		if (why)
			return web_wrong(reading, item, why);
	}
	return true;
}
