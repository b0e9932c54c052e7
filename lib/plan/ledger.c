#include "plan/ledger.h"

#include "base/memory.h"

#include <stdlib.h>

static uint64_t slot_of(uint64_t now_ns)
{
	return now_ns / (LEDGER_SLOT_S * UINT64_C(1000000000));
}

void ledger_init(struct ledger *ledger, double span_s, uint64_t now_ns)
{
	ledger->slots = (size_t)(span_s / LEDGER_SLOT_S) + 2;
	ledger->before = memory_new(ledger->slots * sizeof *ledger->before);
	ledger->slot = slot_of(now_ns);
	ledger->total = 0;
}

void ledger_done(struct ledger *ledger)
{
	free(ledger->before);
	*ledger = (struct ledger){0};
}

void ledger_add(struct ledger *ledger, uint64_t now_ns, double amount)
{
	uint64_t slot = slot_of(now_ns);
	if (slot > ledger->slot + ledger->slots)
		ledger->slot = slot - ledger->slots;
	while (ledger->slot < slot)
		ledger->before[++ledger->slot % ledger->slots] = ledger->total;
	ledger->total += amount;
}

double ledger_spent(const struct ledger *ledger, uint64_t now_ns, double window_s)
{
	uint64_t slot = slot_of(now_ns), back = (uint64_t)(window_s / LEDGER_SLOT_S);
	uint64_t first = slot > back ? slot - back : 0;
	if (first > ledger->slot)
		return 0;
	if (ledger->slot - first >= ledger->slots)
		first = ledger->slot - ledger->slots + 1;
	return ledger->total - ledger->before[first % ledger->slots];
}
