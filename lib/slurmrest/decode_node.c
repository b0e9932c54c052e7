#include "model/node.h"

#include "slurmrest/decode.h"
#include "slurmrest/state_names.h"

/* slurmrestd spells this one out; sinfo, scontrol and our page do not. */
static struct text flag_name(struct text name)
{
	return text_equal(name, TEXT("MAINTENANCE")) ? TEXT("MAINT") : name;
}

/* `state` counts from 1 while the record is being read, so that a zeroed record has none. */
static void take_state(struct vocabulary *vocabulary, void *record, struct text name)
{
	struct node *node = record;
	int state = node->state - 1;
	state_take(&vocabulary->node_states, &vocabulary->node_flags, &state, &node->flags,
		   flag_name(name));
	node->state = state + 1;
}

static void take_flag(struct vocabulary *vocabulary, void *record, struct text name)
{
	struct node *node = record;
	int flag = names_learn(&vocabulary->node_flags, flag_name(name));
	if (flag >= 0)
		node->flags |= UINT64_C(1) << flag;
}

static const struct field fields[] = {
	TEXT_FIELD(struct node, name, "name"),
	NAME("state", take_state),
	NAME("state_flags", take_flag), /* before v0.0.40 */
	TEXT_FIELD(struct node, partitions, "partitions"),
	NUMBER(struct node, cpus, "cpus", COUNT),
	NUMBER(struct node, allocated_cpus, "alloc_cpus", COUNT),
	NUMBER(struct node, memory, "real_memory", MIB),
	NUMBER(struct node, allocated_memory, "alloc_memory", MIB),
	TEXT_FIELD(struct node, gres, "gres"),
	TEXT_FIELD(struct node, gres_used, "gres_used"),
	END_OF_FIELDS,
};

/* IS_NODE_DRAINING and IS_NODE_DRAINED of Slurm's slurm_protocol_defs.h. */
static uint64_t drain_flags(const struct node *node)
{
	if (!(node->flags & UINT64_C(1) << NODE_FLAG_DRAIN))
		return 0;
	bool is_busy = node->state == NODE_ALLOCATED || node->state == NODE_MIXED ||
		       node->state == NODE_ERROR ||
		       node->flags & UINT64_C(1) << NODE_FLAG_COMPLETING;
	return UINT64_C(1) << (is_busy ? NODE_FLAG_DRAINING : NODE_FLAG_DRAINED);
}

static bool finish(struct vocabulary *vocabulary, void *record)
{
	(void)vocabulary;
	struct node *node = record;
	bool has_state = node->state;
	node->state = has_state ? node->state - 1 : NODE_UNKNOWN;
	node->flags |= drain_flags(node);
	return node->name.len && has_state;
}

const struct record_type node_record = {"nodes", false, sizeof(struct node), fields, finish};
