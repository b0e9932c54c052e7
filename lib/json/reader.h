/* Reads a JSON document that arrives in chunks of any size and reports only its wanted values.
 *
 * Strict: it refuses what json-c refuses (JSON_TOKENER_STRICT, the authority on the grammar). It does so anywhere in
 * the document, wanted or not, and names the offset of the byte. Memory: the deepest nesting plus the largest single
 * string or number, whatever the document's size. Strings that are not valid UTF-8 (Slurm sends job names raw) do not
 * fail; they are made valid (U+FFFD) before they are reported. Not thread-safe; one reader per document at a time.
 *
 * It is stricter than Debian 12's json-c 0.16, which accepts some texts that RFC 8259 forbids. These are raw control
 * characters in strings, names in single quotes, and numbers like `1.` `-.5` `-01` `00`. Like every json-c it takes
 * NaN, Infinity and -Infinity, which json-c also writes. Unlike json-c it takes what printf writes, too: nan, -nan, inf
 * and -inf. (json-c has an `enum json_type` too: a file includes either its headers or this one.) */
#pragma once

#include "base/error.h"
#include "base/text.h"
#include "json/shape.h"

enum json_type {
	JSON_NULL,
	JSON_BOOL,
	JSON_NUMBER,
	JSON_STRING,
	JSON_OBJECT, /* a wanted object begins; its wanted members follow, then JSON_END */
	JSON_ARRAY, /* the same for an array */
	JSON_END, /* the wanted object or array with this ID is complete */
};

struct json_value {
	enum json_type type;
	bool boolean; /* JSON_BOOL */
	bool is_integer; /* JSON_NUMBER: no fraction, no exponent, and `magnitude` holds it exactly */
	bool is_negative; /* JSON_NUMBER with is_integer */
	uint64_t magnitude; /* JSON_NUMBER with is_integer: the absolute value */
	double number; /* JSON_NUMBER: always set; NaN and infinite too, 1e400 for one */
	struct text text; /* JSON_STRING: unescaped valid UTF-8, borrowed during the callback */
};

/* Called for each wanted value in document order. A duplicate name in an object is reported twice; the last one counts.
 * Returning false (with *err set) stops the reader with that error. */
typedef bool json_value_fn(void *context, int id, const struct json_value *value, struct error *err);

struct json_limits {
	size_t depth_max; /* open objects and arrays */
	size_t token_bytes_max; /* one string or number */
	uint64_t document_bytes_max;
};
#define JSON_LIMITS_DEFAULT                                                                                            \
	(struct json_limits)                                                                                           \
	{                                                                                                              \
		.depth_max = 64, .token_bytes_max = 16u << 20, .document_bytes_max = UINT64_C(4) << 30                 \
	}

struct json_reader;

/* Borrows the shape and the context until json_reader_free. */
struct json_reader *json_reader_new(const struct json_shape *shape, struct json_limits limits, json_value_fn *fn,
				    void *context);

/* Takes the next bytes. False once the document is known to be wrong; the reader then stays failed
 * with the same error. */
bool json_reader_feed(struct json_reader *reader, const char *bytes, size_t len, struct error *err);

/* Ends the document: false if it is not complete, or was wrong before. */
bool json_reader_finish(struct json_reader *reader, struct error *err);

uint64_t json_reader_bytes(const struct json_reader *reader); /* fed so far */

void json_reader_free(struct json_reader *reader); /* NULL is fine */
