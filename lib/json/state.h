/* The reader's state between two bytes, and how its parts fail and report. Private to lib/json. */
#pragma once

#include "base/buf.h"
#include "json/reader.h"
#include "json/shape_node.h"
#include "json/string.h"

/* Where in the grammar the next byte that is not whitespace stands. */
enum grammar_state {
	AT_VALUE, /* the document, or a member's value */
	AT_FIRST_ELEMENT, /* after '[': an element or ']' */
	AT_ELEMENT, /* after a comma */
	AT_FIRST_NAME, /* after '{': a member's name or '}' */
	AT_NAME, /* after a comma */
	AT_COLON,
	AFTER_VALUE, /* a comma or the end of the container; at depth 0: nothing any more */
};

/* A token that the chunk's end cut. `carry` has its bytes so far; a literal needs none. */
enum cut { CUT_NOTHING, CUT_NAME, CUT_STRING, CUT_NUMBER, CUT_LITERAL };

struct frame {
	const struct shape_node *node; /* NULL: nothing in here is wanted */
	char closer; /* '}' or ']'; NUL in the frame that holds the document */
};

struct json_reader {
	json_value_fn *fn;
	void *context;
	struct json_limits limits;

	struct frame *frames; /* frames[0] holds the document, the innermost is frames[depth] */
	size_t depth, frames_capacity;
	enum grammar_state state;
	const struct shape_node *node; /* what is wanted of the value that is being read */
	uint64_t comma; /* the offset of the last one, if nothing came after it */

	const char *chunk; /* during feed: its first byte, which stands at offset `fed` */
	uint64_t fed;

	enum cut cut;
	uint64_t cut_at; /* offset of the token's first byte (a string's: after the quote) */
	struct buf carry;
	struct string_scan scan;
	const struct literal *literal; /* lex.c */
	size_t literal_seen; /* bytes of the literal that were right so far */

	struct buf unescaped;
	bool failed;
	struct error error;
};

static inline bool is_wanted(const struct shape_node *node)
{
	return node && node->id >= 0;
}

static inline uint64_t reader_offset(const struct json_reader *reader, const char *at)
{
	return reader->fed + (uint64_t)(at - reader->chunk);
}

/* Returns false if the consumer stops the reader. */
bool reader_report(struct json_reader *reader, const struct shape_node *node, const struct json_value *value);

/* The functions that read the chunk return where to go on, or NULL if the document is wrong. These do so, too: always
 * NULL, which is false as a bool. */
const char *reader_fail(struct json_reader *reader, const char *what, uint64_t offset);
const char *reader_unexpected(struct json_reader *reader, const char *wanted, const char *at);
const char *reader_too_long(struct json_reader *reader, const char *what, uint64_t max, uint64_t offset);
const char *reader_too_deep(struct json_reader *reader, const char *at);
