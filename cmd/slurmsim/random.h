/* One stream of numbers per world: the same seed makes the same world. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct random {
	uint64_t state; /* splitmix64 (Steele, Lea, Flood 2014): any seed will do */
};

static inline uint64_t random_next(struct random *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static inline double random_unit(struct random *random) /* from 0 to below 1 */
{
	return (double)(random_next(random) >> 11) * 0x1p-53;
}

static inline uint32_t random_below(struct random *random, uint32_t limit) /* limit > 0 */
{
	return (uint32_t)(((random_next(random) >> 32) * limit) >> 32);
}

static inline bool random_chance(struct random *random, double probability)
{
	return random_unit(random) < probability;
}

static inline uint32_t random_pick(struct random *random, const uint32_t *from, uint32_t count)
{
	return from[random_below(random, count)];
}
#define RANDOM_PICK(random, ...)                                                                                       \
	random_pick(random, (const uint32_t[]){__VA_ARGS__}, sizeof(uint32_t[]){__VA_ARGS__} / sizeof(uint32_t))

uint32_t random_poisson(struct random *random, double mean);
