/* The clocks. What can be tested takes the time as an argument instead of asking here. */
#pragma once

#include <stdint.h>

int64_t clock_now_s(void); /* wall clock, Unix seconds */
double clock_now(void); /* wall clock, Unix seconds with fraction */
uint64_t clock_monotonic_ns(void); /* for durations and waiting: never steps */
double clock_thread_cpu(void); /* seconds that the calling thread has computed */

/* Another clock showed the whole second `second` at some moment while ours went from `began` to `ended`. Returns how
 * many seconds it is ahead of ours: the value nearest to the last one that fits. */
double clock_ahead(double before, uint64_t second, double began, double ended);
