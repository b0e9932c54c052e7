/* Allocation that does not fail: out of memory ends the process (the service manager restarts it). For our own small
 * structures only: the callers bound what comes from outside before they store it. */
#pragma once

#include <stddef.h>

void *memory_new(size_t size); /* zeroed; free() gives it back */
void *memory_resize(void *old, size_t count, size_t size); /* not zeroed; checks the product */
char *memory_copy(const char *bytes, size_t len); /* NUL-terminated copy; free() gives it back */

/* What a library allocated for us. NULL, which means that it had no memory, ends the process as above. */
void *memory_checked(void *memory);

/* For libraries that handle secrets and do not wipe what they free: these replace realloc and free. */
void *memory_wiping_realloc(void *old, size_t size);
void memory_wiping_free(void *memory);

#define NEW(type) ((type *)memory_new(sizeof(type)))

/* Makes room for one element more in a growing array {items, count, capacity}. */
#define GROW(items, count, capacity)                                                                                   \
	do {                                                                                                           \
		if ((count) == (capacity)) {                                                                           \
			(capacity) = (capacity) ? (capacity)*2 : 8;                                                    \
			(items) = memory_resize((items), (capacity), sizeof *(items));                                 \
		}                                                                                                      \
	} while (0)
