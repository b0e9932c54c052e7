/* Field tables: which JSON member goes into which member of a record, and in which unit.
 *
 * A table is read with all API versions. Readers are tolerant of shape (5, null, or
 * {"set":true,"infinite":false,"number":5}; "RUNNING" or ["RUNNING","COMPLETING"]), so a version
 * needs a row only where it renamed a key: a second row for the same member, with a comment. */
#pragma once

#include "base/arena.h"
#include "json/reader.h"
#include "model/vocabulary.h"

enum field_kind {
	FIELD_NUMBER, /* uint64_t: NUMBER_UNSET if absent, null or unset; times `scale` */
	FIELD_TEXT,   /* struct text: empty if absent; a list of strings is joined by commas */
	FIELD_BOOL,   /* bool */
	FIELD_NAME,   /* each string of a list, or the one string, goes to `take` */
};

/* Takes one name of a FIELD_NAME row; the text is borrowed. Empty: a list begins. */
typedef void field_name_fn(struct vocabulary *vocabulary, void *record, struct text name);

struct field {
	const char *path; /* below the record; NULL ends the table */
	enum field_kind kind;
	size_t offset;
	uint64_t scale;
	field_name_fn *take;
};

enum { SECONDS = 1, MINUTES = 60, BYTES = 1, MIB = 1 << 20, COUNT = 1 };

/* A row whose member has another type does not compile: the array's size would be negative. */
#define FIELD_TYPED(type, record, member)                                                          \
	(offsetof(record, member) +                                                                \
	 0 * sizeof(char[_Generic(((record *)0)->member, type: 1, default: -1)]))

#define NUMBER(record, member, path, unit)                                                         \
	{path, FIELD_NUMBER, FIELD_TYPED(uint64_t, record, member), unit, NULL}
#define TEXT_FIELD(record, member, path)                                                           \
	{path, FIELD_TEXT, FIELD_TYPED(struct text, record, member), 0, NULL}
#define BOOL(record, member, path) {path, FIELD_BOOL, FIELD_TYPED(bool, record, member), 0, NULL}
#define NAME(path, take) {path, FIELD_NAME, 0, 0, take}
#define END_OF_FIELDS {NULL, FIELD_NUMBER, 0, 0, NULL}

/* Reads the values of one record at a time, as the shape reports them. */
struct field_reader {
	const struct field *fields;
	struct vocabulary *vocabulary;
	struct arena *texts; /* where the record's texts are kept */
	void *record;
	/* The number object that is being read. */
	bool is_set, is_infinite;
	struct json_value number;
};

/* Adds the rows' paths to the shape, below `record_path`, from `first_id` on; returns the next id. */
int field_want(struct json_shape *shape, const char *record_path, const struct field *fields,
	       int first_id);

/* All NUMBER members become NUMBER_UNSET, the rest zero. */
void field_start(struct field_reader *reader, void *record, size_t size);

/* `id` is relative to field_want's first_id. */
void field_take(struct field_reader *reader, int id, const struct json_value *value);
