/* Answers without a tree: a recorded record with markers (templates/, tests/sim/make_templates.py)
 * is compiled once into pieces of text and the values between them, and then written as often as
 * wanted. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"

/* What a marker stands for. An unset value is zeroed. */
struct value {
	enum {
		VALUE_UNSET,
		VALUE_INFINITE,
		VALUE_NUMBER,
		VALUE_REAL,
		VALUE_BOOL,
		VALUE_TEXT,
		VALUE_WORDS,
		VALUE_ROWS
	} kind;
	union {
		int64_t number;
		double real;
		const char *text; /* borrowed until the record is written */
		const char *const *words; /* NULL at the end; borrowed likewise */
		struct rows *rows; /* likewise */
	};
};

/* Records of one kind, one after the other. */
struct rows {
	/* Fills in the next record's values, or returns false. Text goes into the scratch arena,
	 * which is cleared for each record of the outermost list. */
	bool (*next)(struct rows *rows, struct value *values, struct arena *scratch);
	const void *owner, *record; /* these four are for next() to use */
	uint64_t at, part;
};

struct kind {
	const char *name; /* the template's */
	const char *const *names; /* the markers', in the order of the values */
	size_t count;
};

enum { VALUES_MAX = 80 }; /* of one kind */

struct template;
struct template_set;

/* The kind of that name; NULL if there is none. Of kinds.c, which needs to know what a kind is, as this file needs to find
 * one. */
const struct kind *kind_find(const char *name);

/* Compiles what is in the text of templates/RELEASE-VERSION.json; ends the process if it is wrong.
 * `old` lists: 22.05 writes an empty list as two lines. */
struct template_set *template_set_new(const char *json, bool compact, bool old);
const struct template *template_find(const struct template_set *set, const char *name); /* or NULL */

/* Where writing stands, so that a long answer can be written part by part. Begins as {template}. */
struct writer {
	const struct template *template;
	size_t piece; /* that comes next */
	bool has_rows; /* a record of its list is written */
	struct arena scratch;
};

/* Writes on until done or until `out` holds more than `budget` bytes; false when all is written. */
bool writer_write(struct writer *writer, const struct value *values, struct buf *out, size_t budget);
void writer_done(struct writer *writer);

/* Makers of values. */
static inline struct value value_number(int64_t number)
{
	return (struct value){VALUE_NUMBER, {.number = number}};
}

static inline struct value value_real(double real)
{
	return (struct value){VALUE_REAL, {.real = real}};
}

static inline struct value value_bool(bool is_true)
{
	return (struct value){VALUE_BOOL, {.number = is_true}};
}

static inline struct value value_text(const char *text)
{
	return (struct value){VALUE_TEXT, {.text = text}};
}

static inline struct value value_words(const char *const *words)
{
	return (struct value){VALUE_WORDS, {.words = words}};
}

static inline struct value value_rows(struct rows *rows)
{
	return (struct value){VALUE_ROWS, {.rows = rows}};
}

const char *scratch_printf(struct arena *scratch, const char *format, ...) __attribute__((format(printf, 2, 3)));
