#include "base/memory.h"

#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *memory_checked(void *memory)
{
	if (!memory) {
		fputs("out of memory\n", stderr);
		abort();
	}
	return memory;
}

void *memory_new(size_t size)
{
	return memory_checked(calloc(1, size ? size : 1));
}

void *memory_resize(void *old, size_t count, size_t size)
{
	if (size && count > SIZE_MAX / size)
		return memory_checked(NULL);
	return memory_checked(realloc(old, count && size ? count * size : 1));
}

char *memory_copy(const char *bytes, size_t len)
{
	char *copy = memory_checked(malloc(len + 1));
	if (len)
		memcpy(copy, bytes, len);
	copy[len] = '\0';
	return copy;
}

void memory_wiping_free(void *memory)
{
	if (memory)
		explicit_bzero(memory, malloc_usable_size(memory));
	free(memory);
}

/* Does not use realloc, which leaves the old bytes behind when it moves a block. */
void *memory_wiping_realloc(void *old, size_t size)
{
	size_t had = old ? malloc_usable_size(old) : 0;
	void *memory = malloc(size ? size : 1);
	if (!memory)
		return NULL;
	if (had)
		memcpy(memory, old, had < size ? had : size);
	memory_wiping_free(old);
	return memory;
}
