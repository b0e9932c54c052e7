#include "poll/start.h"

/* Of 100,000 records with 10,000 nodes a real 24.11 tells all details in some six minutes at 30 %. A start that takes
 * longer than this is no short exception any more, which is what an admin was promised. */
#define START_S UINT64_C(600)

void start_begin(struct start *start, uint64_t now_ns)
{
	start->until_ns = now_ns + START_S * UINT64_C(1000000000);
}

bool start_goes_on(struct start *start, bool is_complete, uint64_t now_ns)
{
	if (is_complete || now_ns >= start->until_ns)
		start->until_ns = 0;
	return start->until_ns != 0;
}

double start_left_s(const struct start *start, uint64_t now_ns)
{
	return start->until_ns > now_ns ? (double)(start->until_ns - now_ns) / 1e9 : 0;
}
