/* A piece of text that somebody else owns: pointer and length, not NUL-terminated, may hold NUL. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct text {
	const char *bytes; /* borrowed; NULL only when len is 0 */
	size_t len;
};

#define TEXT(literal) ((struct text){"" literal, sizeof(literal) - 1})

static inline struct text text_of(const char *string)
{
	return (struct text){string, string ? strlen(string) : 0};
}

static inline bool text_equal(struct text a, struct text b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.bytes, b.bytes, a.len) == 0);
}

bool text_starts_with(struct text text, const char *prefix);

/* Cuts what stands before the next separator off the front of *rest and returns it. If no separator is left, returns
 * the whole rest, and *rest becomes empty. */
struct text text_cut(struct text *rest, char separator);

/* The next item of a list such as "a,b": false at its end. Empty items are skipped. */
bool text_next(struct text *rest, char separator, struct text *ret_item);

/* Is `name` an item of a list such as "a,b"? The empty one is none. */
bool text_lists(struct text list, struct text name);

/* A decimal number that fills the whole text; false if it is anything else or too large. */
bool text_to_u64(struct text text, uint64_t *ret_number);

/* The text, or the longest part of its front that fits into `max` bytes without cutting a UTF-8 character. */
struct text text_limit(struct text text, size_t max);

/* Copies what fits into a C string of `size` bytes, as text_limit does. */
void text_to_string(struct text text, char *to, size_t size);

/* The length of the valid UTF-8 character that the text begins with; 0 if it begins with none. */
size_t text_character(struct text text);

/* Is it valid UTF-8 without NUL, as all texts are that the decoders let through? */
bool text_is_clean(struct text text);

/* Orders as memcmp does, the shorter first. */
int text_compare(struct text a, struct text b);
