/* What was spent in any window of the last hours, in slots of ten seconds: six hours are 2,160 numbers. Of one thread. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define LEDGER_SLOT_S 10

struct ledger {
	size_t slots; /* how far back it goes */
	uint64_t slot; /* the newest */
	double total;
	double *before; /* [slot % slots]: the total when the slot began */
};

void ledger_init(struct ledger *ledger, double span_s, uint64_t now_ns);
void ledger_done(struct ledger *ledger);
void ledger_add(struct ledger *ledger, uint64_t now_ns, double amount);

/* What was spent in the last `window_s` seconds (at most the span). The first slot counts as a whole, so the result
 * covers up to ten seconds too much, never too little. */
double ledger_spent(const struct ledger *ledger, uint64_t now_ns, double window_s);
