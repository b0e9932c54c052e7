/* Writes JSON: members with commas where they belong. Whoever opens closes. */
#pragma once

#include "base/buf.h"

struct json_writer {
	struct buf *out; /* borrowed */
	bool has_member; /* of what is open: the next one needs a comma */
};

/* `key` is NULL for the members of an array, and for what is outermost. */
void json_open(struct json_writer *writer, const char *key, char bracket); /* '{' or '[' */
void json_close(struct json_writer *writer, char bracket);		    /* '}' or ']' */

void json_string(struct json_writer *writer, const char *key, const char *value); /* NULL: null */
void json_number(struct json_writer *writer, const char *key, double value); /* not finite: null */
void json_integer(struct json_writer *writer, const char *key, uint64_t value);
void json_bool(struct json_writer *writer, const char *key, bool value);
void json_null(struct json_writer *writer, const char *key);
