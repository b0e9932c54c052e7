/* Writes JSON, with commas between members. Each writer_open needs its writer_close. */
#pragma once

#include "base/buf.h"

struct json_writer {
	struct buf *out; /* borrowed */
	bool has_member; /* of what is open: the next one needs a comma */
};

/* `key` is NULL for the members of an array, and for what is outermost. */
void writer_open(struct json_writer *writer, const char *key, char bracket); /* '{' or '[' */
void writer_close(struct json_writer *writer, char bracket); /* '}' or ']' */

void writer_string(struct json_writer *writer, const char *key, const char *value); /* NULL: null */
void writer_number(struct json_writer *writer, const char *key, double value); /* not finite: null */
void writer_integer(struct json_writer *writer, const char *key, uint64_t value);
void writer_bool(struct json_writer *writer, const char *key, bool value);
void writer_null(struct json_writer *writer, const char *key);
