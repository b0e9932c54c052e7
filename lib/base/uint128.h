/* Sums of products of 64-bit numbers. 4,000,001 tasks that ask for 5 TiB each ask for more bytes than 64 bits have. */
#pragma once

#include <stddef.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 uint128;

/* What a page says of it: 2^64 - 1 stands for more than that. */
static inline uint64_t uint128_shown(uint128 sum)
{
	return sum < UINT64_MAX ? (uint64_t)sum : UINT64_MAX;
}

static inline void uint128_add(uint128 *into, const uint128 *more, size_t count)
{
	for (size_t i = 0; i < count; i++)
		into[i] += more[i];
}
