/* What was spent in any of the last hours, in slots of ten seconds. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define LEDGER_SLOT_S 10

struct ledger {
	size_t slots;    /* how far back it goes */
	uint64_t slot;   /* the newest */
	double total;
	double *before;  /* [slot % slots]: the total when the slot began */
};

void ledger_init(struct ledger *ledger, double span_s, uint64_t now_ns);
void ledger_done(struct ledger *ledger);
void ledger_add(struct ledger *ledger, uint64_t now_ns, double amount);

/* Spent in the last `window_s` seconds (at most the span), and since the slot began that they begin in. */
double ledger_spent(const struct ledger *ledger, uint64_t now_ns, double window_s);
