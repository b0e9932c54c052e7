/* Field tables: which JSON member goes into which member of a record, and in which unit.
 *
 * All API versions share a table. Readers accept several shapes: 5, null, or {"set":true,"infinite":false,"number":5};
 * "RUNNING" or ["RUNNING","COMPLETING"]. So a version needs a row only if it renamed a key: a second row for the same
 * member, with a comment. */
#pragma once

#include "base/arena.h"
#include "json/reader.h"
#include "model/list.h"
#include "model/vocabulary.h"
#include "slurmrest/name_hash.h"

enum field_kind {
	FIELD_NUMBER, /* uint64_t: NUMBER_UNSET if absent, null or unset; times `scale` */
	FIELD_REAL, /* double: NAN if absent, null or unset, INFINITY if infinite */
	FIELD_TEXT, /* struct text: empty if absent; a list of strings is joined by commas */
	FIELD_BOOL, /* bool */
	FIELD_NAME, /* each string of a list, or the one string, goes to `take` */
	FIELD_LIST, /* struct list: one element per object of a list, read by `elements` */
	FIELD_EACH, /* the same, but no list is kept: each element goes to its `take` */
};

/* Takes one name of a FIELD_NAME row; the text is borrowed. Empty: a list begins. */
typedef void field_name_fn(struct vocabulary *vocabulary, void *record, struct text name);

/* Takes an element that is complete; texts that the record is to keep are in the arena, or go there. */
typedef void field_element_fn(void *record, const void *element, struct arena *texts);

/* What a list's elements are: a table of their own, which holds no FIELD_LIST, but may hold FIELD_EACH. */
struct field_elements {
	size_t size;
	const struct field *fields;
	field_element_fn *take; /* of FIELD_EACH; NULL with FIELD_LIST */
};

struct field {
	const char *path; /* below the record; NULL ends the table */
	enum field_kind kind;
	size_t offset;
	uint64_t scale;
	field_name_fn *take;
	const struct field_elements *elements;
	int hashed; /* of FIELD_TEXT: enum hashed; HASHED_NONE: the text stays */
};

enum { HASHED_NONE = -1 };

/* TIME: Unix seconds, for which Slurm writes 0 where there is none. */
enum { SECONDS = 1, MINUTES = 60, BYTES = 1, MIB = 1 << 20, COUNT = 1, TIME = 0 };

/* A row whose member has another type does not compile: the array's size would be negative. */
#define FIELD_TYPED(type, record, member)                                                                              \
	(offsetof(record, member) + 0 * sizeof(char[_Generic(((record *)0)->member, type : 1, default : -1)]))

#define NUMBER(record, member, path, unit)                                                                             \
	{                                                                                                              \
		path, FIELD_NUMBER, FIELD_TYPED(uint64_t, record, member), unit, NULL, NULL, HASHED_NONE               \
	}
#define TEXT_FIELD(record, member, path)                                                                               \
	{                                                                                                              \
		path, FIELD_TEXT, FIELD_TYPED(struct text, record, member), 0, NULL, NULL, HASHED_NONE                 \
	}
/* A name of a person, or that a person gave: name_hash.h. */
#define HASHED_TEXT(record, member, path, kind)                                                                        \
	{                                                                                                              \
		path, FIELD_TEXT, FIELD_TYPED(struct text, record, member), 0, NULL, NULL, kind                        \
	}
#define BOOL(record, member, path)                                                                                     \
	{                                                                                                              \
		path, FIELD_BOOL, FIELD_TYPED(bool, record, member), 0, NULL, NULL, HASHED_NONE                        \
	}
#define REAL(record, member, path)                                                                                     \
	{                                                                                                              \
		path, FIELD_REAL, FIELD_TYPED(double, record, member), 0, NULL, NULL, HASHED_NONE                      \
	}
#define NAME(path, take)                                                                                               \
	{                                                                                                              \
		path, FIELD_NAME, 0, 0, take, NULL, HASHED_NONE                                                        \
	}
#define LIST(record, member, path, elements)                                                                           \
	{                                                                                                              \
		path, FIELD_LIST, FIELD_TYPED(struct list, record, member), 0, NULL, elements, HASHED_NONE             \
	}
#define EACH(path, elements)                                                                                           \
	{                                                                                                              \
		path, FIELD_EACH, 0, 0, NULL, elements, HASHED_NONE                                                    \
	}
#define END_OF_FIELDS                                                                                                  \
	{                                                                                                              \
		NULL, FIELD_NUMBER, 0, 0, NULL, NULL, HASHED_NONE                                                      \
	}

/* Reads the values of one record at a time, as the shape reports them. */
struct field_reader;

/* Adds the rows' paths to the shape, below `record_path`, with IDs from `first_id` on. Texts are kept in
 * the arena; everything is borrowed until field_reader_free. */
struct field_reader *field_reader_new(struct json_shape *shape, const char *record_path, int first_id,
				      const struct field *fields, struct vocabulary *vocabulary, struct arena *texts);

/* All NUMBER members become NUMBER_UNSET, REAL ones NAN, the rest zero. */
void field_reader_start(struct field_reader *reader, void *record, size_t size);

/* A value that the shape reported with an ID of this reader's. */
void field_reader_take(struct field_reader *reader, int id, const struct json_value *value);

/* The record is complete: its lists are in place until the next start. */
void field_reader_finish(struct field_reader *reader);

/* Hashes names from now on, also those in lists. Borrows `hash`; NULL: they stay. */
void field_reader_hash(struct field_reader *reader, const struct name_hash *hash);

void field_reader_free(struct field_reader *reader); /* NULL is fine */
