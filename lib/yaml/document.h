/* A strict reader of one YAML document, such as a configuration file; the only user of libyaml.
 *
 * The document becomes a tree of scalars, lists and maps, each with its position, so that messages can say where
 * something is wrong. What makes YAML surprising is an error: anchors and aliases, tags, directives, several documents,
 * duplicate keys, and keys that are not strings. So is a document that is too large. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"

enum { YAML_BYTES_MAX = 1024 * 1024, YAML_DEPTH_MAX = 32, YAML_NODES_MAX = 100000 };

enum yaml_kind { YAML_SCALAR, YAML_LIST, YAML_MAP };

struct yaml_position {
	unsigned line, column; /* from 1; column in characters */
};

struct yaml_node {
	enum yaml_kind kind;
	struct yaml_position position;
	struct text text; /* of a scalar; NUL-terminated, without NUL within */
	bool is_plain; /* a scalar without quotes: null, true and 5 mean what they look like */
	struct yaml_node *first; /* of a list or map, in the order of the file */
	struct yaml_node *next; /* in the same list or map; NULL: the last */
	struct text key; /* of a map's member; NUL-terminated likewise */
	struct yaml_position key_position;
};

struct document;

/* `name` is what errors call it, such as the file's path; it is copied. The caller may free the bytes afterwards.
 * Errors are "NAME:LINE:COLUMN: what". Public for tests and the fuzzer, which write no files. */
struct document *document_parse(const char *name, struct text bytes, struct error *err);
struct document *document_read(const char *path, struct error *err);
void document_free(struct document *document); /* NULL is fine */

/* NULL: there is nothing in it but comments. */
const struct yaml_node *document_root(const struct document *document);

/* "NAME:LINE:COLUMN: " and the text; returns false. */
bool document_wrong(const struct document *document, struct yaml_position position, struct error *err,
		    const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The map's member with that key; NULL if there is none, or if the node is not a map. */
const struct yaml_node *yaml_find(const struct yaml_node *map, const char *key);

/* Is the value empty, ~ or null? */
bool yaml_is_null(const struct yaml_node *node);

/* Reads true or false, as YAML 1.2 and Go write them. Otherwise sets nothing and returns false. */
bool yaml_to_bool(const struct yaml_node *node, bool *ret_value);

/* Appends the text as a scalar that reads back as the same text, without quotes if possible. */
void yaml_write_text(struct buf *to, const char *text);
