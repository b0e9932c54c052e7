/* Reads keys and values of a web configuration by tables. */
#pragma once

#include "yaml/document.h"

struct web_reading {
	struct document *document;
	struct error *err;
};

/* Reads a value into what a table's offset is of. False: *reading->err says where and why. */
typedef bool web_read(struct web_reading *reading, const struct yaml_node *node, void *member);

struct web_key {
	const char *name;
	web_read *read;
	size_t offset; /* in what is read */
};

/* "FILE:LINE:COLUMN: key: text"; false. */
bool web_wrong(struct web_reading *reading, const struct yaml_node *node, const char *text);

/* A map whose keys are all in the table; nothing is a map without any. */
bool web_read_map(struct web_reading *reading, const struct yaml_node *map, const struct web_key *keys, size_t count,
		  void *to);

/* Each text of a list. `take` returns NULL, or what is wrong with it. */
typedef const char *web_take_text(void *context, const char *text);
bool web_read_list(struct web_reading *reading, const struct yaml_node *node, web_take_text *take, void *context);
