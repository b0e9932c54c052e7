#include "base/clock.h"

#include <time.h>

int64_t clock_now_s(void)
{
	return (int64_t)time(NULL);
}

double clock_now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

uint64_t clock_monotonic_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

double clock_thread_cpu(void)
{
	struct timespec used;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (double)used.tv_sec + (double)used.tv_nsec / 1e9;
}

double clock_ahead(double before, uint64_t second, double began, double ended)
{
	double least = (double)second - ended, most = (double)second + 1 - began;
	return before < least ? least : before > most ? most : before;
}
