#include "model/node.h"

#define BIT(flag) (UINT64_C(1) << NODE_FLAG_##flag)

/* With these flags an idle node is not simply "idle" in sinfo, or no job can get it. Powered down and powering up are
 * not among them, because Slurm wakes the nodes that it needs. */
static const uint64_t hindrances = BIT(DRAIN) | BIT(COMPLETING) | BIT(FAIL) | BIT(NOT_RESPONDING) | BIT(MAINT) |
				   BIT(RESERVED) | BIT(PLANNED) | BIT(POWERING_DOWN) | BIT(REBOOT_REQUESTED) |
				   BIT(REBOOT_ISSUED) | BIT(INVALID_REG) | BIT(POWER_DOWN) | BIT(POWER_DRAIN) |
				   BIT(BLOCKED) | BIT(EXTERNAL);

bool node_is_free(const struct node *node)
{
	return node->state == NODE_IDLE && !(node->flags & hindrances);
}

bool node_takes_jobs(const struct node *node)
{
	bool is_up = node->state == NODE_IDLE || node->state == NODE_MIXED || node->state == NODE_ALLOCATED;
	return is_up && !(node->flags & hindrances & ~(BIT(PLANNED) | BIT(COMPLETING)));
}
