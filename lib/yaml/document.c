#include "yaml/document.h"

#include "base/map.h"
#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <yaml.h>

struct document {
	struct arena arena;
	const char *name;
	struct yaml_node *root;
};

struct document_reading {
	struct document *document;
	yaml_parser_t parser;
	yaml_event_t event; /* the current one; deleted when the next one is read */
	unsigned depth, nodes;
	struct error *err;
};

static struct yaml_position position_of(yaml_mark_t mark)
{
	return (struct yaml_position){(unsigned)mark.line + 1, (unsigned)mark.column + 1};
}

bool document_wrong(const struct document *document, struct yaml_position position, struct error *err,
		    const char *format, ...)
{
	struct buf text = BUF_INIT;
	va_list arguments;
	char what[sizeof err->text];
	va_start(arguments, format);
	vsnprintf(what, sizeof what, format, arguments);
	va_end(arguments);
	buf_printf(&text, "%s:%u:%u: %s", document->name, position.line, position.column, what);
	error_set(err, "%s", text.bytes);
	buf_done(&text);
	return false;
}

#define WRONG(reading, ...)                                                                                            \
	document_wrong((reading)->document, position_of((reading)->event.start_mark), (reading)->err, __VA_ARGS__)

static bool parser_failed(struct document_reading *reading)
{
	const yaml_parser_t *parser = &reading->parser;
	const char *what = parser->problem ? parser->problem : "it cannot be read";
	if (parser->error == YAML_READER_ERROR) /* the marks are not set yet */
		return error_set(reading->err, "%s: byte %zu: %s", reading->document->name, parser->problem_offset,
				 what);
	return document_wrong(reading->document, position_of(parser->problem_mark), reading->err, "%s%s%s", what,
			      parser->context ? ", " : "", parser->context ? parser->context : "");
}

static bool next(struct document_reading *reading)
{
	yaml_event_delete(&reading->event);
	return yaml_parser_parse(&reading->parser, &reading->event) || parser_failed(reading);
}

/* What is unsupported about the current event, in words; NULL: it is supported. */
static const char *surprise(const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_ALIAS_EVENT:
		return "aliases (*name) are not read";
	case YAML_SCALAR_EVENT:
		return event->data.scalar.anchor ? "anchors (&name) are not read"
		       : event->data.scalar.tag	 ? "tags (!name) are not read"
						 : NULL;
	case YAML_SEQUENCE_START_EVENT:
		return event->data.sequence_start.anchor ? "anchors (&name) are not read"
		       : event->data.sequence_start.tag	 ? "tags (!name) are not read"
							 : NULL;
	case YAML_MAPPING_START_EVENT:
		return event->data.mapping_start.anchor ? "anchors (&name) are not read"
		       : event->data.mapping_start.tag	? "tags (!name) are not read"
							: NULL;
	default:
		return NULL;
	}
}

static bool take_text(struct document_reading *reading, struct text *ret_text)
{
	struct text text = {(const char *)reading->event.data.scalar.value, reading->event.data.scalar.length};
	if (text.len && memchr(text.bytes, '\0', text.len))
		return WRONG(reading, "a text with a NUL in it");
	*ret_text = arena_copy(&reading->document->arena, text);
	return true;
}

static struct yaml_node *take_node(struct document_reading *reading);

static bool take_list(struct document_reading *reading, struct yaml_node *list)
{
	struct yaml_node **end = &list->first;
	for (;;) {
		if (!next(reading))
			return false;
		if (reading->event.type == YAML_SEQUENCE_END_EVENT)
			return true;
		if (!(*end = take_node(reading)))
			return false;
		end = &(*end)->next;
	}
}

static bool take_member(struct document_reading *reading, struct map *keys, struct yaml_node **ret_member)
{
	struct yaml_position position = position_of(reading->event.start_mark);
	const char *what = surprise(&reading->event);
	struct text key;
	if (what || reading->event.type != YAML_SCALAR_EVENT)
		return WRONG(reading, "%s", what ? what : "a key has to be a text");
	if (!take_text(reading, &key))
		return false;
	bool *is_known = map_add(keys, key);
	if (*is_known)
		return WRONG(reading, "%s: given twice", key.bytes);
	*is_known = true;
	if (!next(reading) || !(*ret_member = take_node(reading)))
		return false;
	(*ret_member)->key = key;
	(*ret_member)->key_position = position;
	return true;
}

static bool take_map(struct document_reading *reading, struct yaml_node *map)
{
	struct yaml_node **end = &map->first;
	struct map keys;
	bool is_whole = false;
	map_init(&keys, &reading->document->arena, sizeof(bool));
	while (next(reading)) {
		is_whole = reading->event.type == YAML_MAPPING_END_EVENT;
		if (is_whole || !take_member(reading, &keys, end))
			break;
		end = &(*end)->next;
	}
	map_done(&keys);
	return is_whole;
}

/* Reads the whole node that the current event begins; NULL: there is an error. */
static struct yaml_node *take_node(struct document_reading *reading)
{
	const char *what = surprise(&reading->event);
	if (!what && reading->depth == YAML_DEPTH_MAX)
		what = "too deep";
	if (!what && reading->nodes == YAML_NODES_MAX)
		what = "too many values";
	if (what) {
		WRONG(reading, "%s", what);
		return NULL;
	}
	struct yaml_node *node = arena_new(&reading->document->arena, sizeof *node);
	bool is_taken = true;
	node->position = position_of(reading->event.start_mark);
	reading->nodes++;
	reading->depth++;
	if (reading->event.type == YAML_SCALAR_EVENT) {
		node->kind = YAML_SCALAR;
		node->is_plain = reading->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
		is_taken = take_text(reading, &node->text);
	} else if (reading->event.type == YAML_SEQUENCE_START_EVENT) {
		node->kind = YAML_LIST;
		is_taken = take_list(reading, node);
	} else {
		node->kind = YAML_MAP;
		is_taken = take_map(reading, node);
	}
	reading->depth--;
	return is_taken ? node : NULL;
}

/* Reads the start of the stream, at most one document, and the end of the stream. */
static bool take_document(struct document_reading *reading)
{
	if (!next(reading) || !next(reading))
		return false;
	if (reading->event.type == YAML_STREAM_END_EVENT)
		return true;
	if (reading->event.data.document_start.version_directive ||
	    reading->event.data.document_start.tag_directives.start !=
		    reading->event.data.document_start.tag_directives.end)
		return WRONG(reading, "directives (%%) are not read");
	if (!next(reading) || !(reading->document->root = take_node(reading)))
		return false;
	if (!next(reading) || !next(reading)) /* the document's end, and what follows */
		return false;
	return reading->event.type == YAML_STREAM_END_EVENT || WRONG(reading, "a second document");
}

struct document *document_parse(const char *name, struct text bytes, struct error *err)
{
	if (bytes.len > YAML_BYTES_MAX) {
		error_set(err, "%s: larger than %d bytes", name, YAML_BYTES_MAX);
		return NULL;
	}
	struct document *document = NEW(struct document);
	struct document_reading reading = {.document = document, .err = err};
	document->name = arena_copy(&document->arena, text_of(name)).bytes;
	if (!yaml_parser_initialize(&reading.parser))
		memory_checked(NULL);
	yaml_parser_set_input_string(&reading.parser, (const unsigned char *)(bytes.len ? bytes.bytes : ""), bytes.len);
	bool is_read = take_document(&reading);
	yaml_event_delete(&reading.event);
	yaml_parser_delete(&reading.parser);
	if (is_read)
		return document;
	document_free(document);
	return NULL;
}

struct document *document_read(const char *path, struct error *err)
{
	struct buf bytes = BUF_INIT;
	FILE *file = fopen(path, "re");
	struct document *document = NULL;
	/* Reads one byte more than is allowed, which shows that a file is too large. */
	if (file)
		bytes.len = fread(buf_reserve(&bytes, YAML_BYTES_MAX + 1), 1, YAML_BYTES_MAX + 1, file);
	if (!file || ferror(file))
		error_set(err, "%s: %s", path, strerror(errno));
	else
		document = document_parse(path, buf_text(&bytes), err);
	if (file)
		fclose(file);
	buf_done(&bytes);
	return document;
}

void document_free(struct document *document)
{
	if (!document)
		return;
	arena_done(&document->arena);
	free(document);
}

const struct yaml_node *document_root(const struct document *document)
{
	return document->root;
}

const struct yaml_node *yaml_find(const struct yaml_node *map, const char *key)
{
	const struct yaml_node *member = map && map->kind == YAML_MAP ? map->first : NULL;
	while (member && strcmp(member->key.bytes, key) != 0)
		member = member->next;
	return member;
}
