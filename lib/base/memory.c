#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *memory)
{
	if (!memory) {
		fputs("out of memory\n", stderr);
		abort();
	}
	return memory;
}

void *memory_new(size_t size)
{
	return checked(calloc(1, size ? size : 1));
}

void *memory_resize(void *old, size_t count, size_t size)
{
	if (size && count > SIZE_MAX / size)
		return checked(NULL);
	return checked(realloc(old, count && size ? count * size : 1));
}

char *memory_copy(const char *bytes, size_t len)
{
	char *copy = checked(malloc(len + 1));
	if (len)
		memcpy(copy, bytes, len);
	copy[len] = '\0';
	return copy;
}
