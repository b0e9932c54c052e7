/* Keeps each text once, however many hold it, and frees it when nobody does. A text is known by a number of 32 bits; 0
 * is the empty text. For names and strings that come and go with jobs. */
#pragma once

#include "base/text.h"

struct pooled_text {
	char *bytes; /* owned, NUL-terminated; NULL: the number is free */
	uint32_t len; /* of a free one: the next free number */
	uint32_t holds; /* how many hold it */
	uint32_t hash;
};

struct text_pool {
	struct pooled_text *texts; /* by number - 1 */
	size_t count, capacity; /* numbers ever given out */
	size_t held; /* different texts */
	size_t bytes; /* of all of them */
	uint32_t first_free; /* a number; 0: none */
	uint32_t *slots; /* open addressing: a number, or 0 */
	size_t slot_count;
};

/* The number of the text, which is copied if it is new (at most 4 GiB of it are kept). Call text_pool_release as often
 * as this. */
uint32_t text_pool_hold(struct text_pool *pool, struct text text);
bool text_pool_release(struct text_pool *pool, uint32_t number); /* true: nobody holds it any more */

/* Borrowed until the number is released for the last time. */
struct text text_pool_get(const struct text_pool *pool, uint32_t number);

size_t text_pool_bytes(const struct text_pool *pool); /* held from the system, about */
void text_pool_done(struct text_pool *pool); /* empty again, as when zeroed */
