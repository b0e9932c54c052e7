/* What work costs, without a clock. The code under test is built a second time so that each basic block counts (gcc's
 * trace-pc). What libc's functions copy, look at or give out is counted in bytes. Only one file of a test may include
 * this header: it defines what the linker puts in the place of libc's functions (CMakeLists.txt). */
#pragma once

#include "check.h"

#include <stdlib.h>

enum { SMALL = 50, TIMES = 10, TIMES_MAX = 12 };

struct cost {
	uint64_t work; /* basic blocks, and bytes that libc's functions touch */
	uint64_t memory; /* bytes that were asked for, whether given back or not */
};

static struct cost spent;

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void)
{
	spent.work++;
}

#define COUNTED(type, name, parameters, arguments, cost, member)                                                       \
	type __real_##name parameters;                                                                                 \
	type __wrap_##name parameters;                                                                                 \
	type __wrap_##name parameters                                                                                  \
	{                                                                                                              \
		spent.member += (cost);                                                                                \
		return __real_##name arguments;                                                                        \
	}

COUNTED(void *, malloc, (size_t size), (size), size, memory)
COUNTED(void *, calloc, (size_t count, size_t size), (count, size), count *size, memory)
COUNTED(void *, realloc, (void *old, size_t size), (old, size), size, memory)
COUNTED(void *, memcpy, (void *to, const void *from, size_t len), (to, from, len), len, work)
COUNTED(void *, memmove, (void *to, const void *from, size_t len), (to, from, len), len, work)
COUNTED(void *, memset, (void *to, int byte, size_t len), (to, byte, len), len, work)
COUNTED(int, memcmp, (const void *a, const void *b, size_t len), (a, b, len), len, work)

/* As far as it looks. */
void *__real_memchr(const void *from, int byte, size_t len);
void *__wrap_memchr(const void *from, int byte, size_t len);
void *__wrap_memchr(const void *from, int byte, size_t len)
{
	const char *found = __real_memchr(from, byte, len);
	spent.work += found ? (size_t)(found - (const char *)from) : len;
	return (void *)found;
}

/* `bytes` of room are of no account: a first block, a buffer. */
static void check_cost(const char *what, const struct cost *small, const struct cost *large)
{
	enum { BLOCK_BYTES = 32 * 1024 };
	check_row(what);
	CHECK(small->work > 0);
	CHECK(large->work <= TIMES_MAX * small->work);
	CHECK(large->memory <= TIMES_MAX * (small->memory + BLOCK_BYTES));
}
