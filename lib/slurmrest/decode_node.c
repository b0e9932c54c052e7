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
	state_take(&vocabulary->node_states, &vocabulary->node_flags, &state, &node->flags, flag_name(name));
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
	NUMBER(struct node, effective_cpus, "effective_cpus", COUNT), /* these two since v0.0.40 */
	NUMBER(struct node, effective_memory, "specialized_memory", MIB),
	TEXT_FIELD(struct node, gres, "gres"),
	TEXT_FIELD(struct node, gres_used, "gres_used"),
	TEXT_FIELD(struct node, gres_drained, "gres_drained"),
	NUMBER(struct node, free_memory, "free_memory", MIB), /* before v0.0.40 */
	NUMBER(struct node, free_memory, "free_mem", MIB),
	NUMBER(struct node, load, "cpu_load", COUNT),
	TEXT_FIELD(struct node, version, "slurmd_version"), /* before v0.0.40 */
	TEXT_FIELD(struct node, version, "version"),
	TEXT_FIELD(struct node, architecture, "architecture"),
	TEXT_FIELD(struct node, os, "operating_system"),
	HASHED_TEXT(struct node, reason, "reason", HASHED_REASONS),
	HASHED_TEXT(struct node, reason_user, "reason_set_by_user", HASHED_USERS),
	HASHED_TEXT(struct node, reservation, "reservation", HASHED_RESERVATIONS), /* since v0.0.39 */
	HASHED_TEXT(struct node, comment, "comment", HASHED_REASONS),
	TEXT_FIELD(struct node, features, "features"),
	TEXT_FIELD(struct node, active_features, "active_features"),
	NUMBER(struct node, reason_time, "reason_changed_at", TIME),
	NUMBER(struct node, boot_time, "boot_time", TIME),
	NUMBER(struct node, slurmd_start_time, "slurmd_start_time", TIME),
	NUMBER(struct node, last_busy_time, "last_busy", TIME),
	NUMBER(struct node, energy_time, "energy.last_collected", TIME), /* since v0.0.40 */
	NUMBER(struct node, power_watts, "energy.current_watts", COUNT),
	NUMBER(struct node, energy_joules, "energy.consumed_energy", COUNT),
	END_OF_FIELDS,
};

/* IS_NODE_DRAINING and IS_NODE_DRAINED of Slurm's slurm_protocol_defs.h. */
static uint64_t drain_flags(const struct node *node)
{
	if (!(node->flags & UINT64_C(1) << NODE_FLAG_DRAIN))
		return 0;
	bool is_busy = node->state == NODE_ALLOCATED || node->state == NODE_MIXED || node->state == NODE_ERROR ||
		       node->flags & UINT64_C(1) << NODE_FLAG_COMPLETING;
	return UINT64_C(1) << (is_busy ? NODE_FLAG_DRAINING : NODE_FLAG_DRAINED);
}

/* Unsets numbers for which Slurm writes 0 because it has no value. */
static void unset_what_is_not_known(struct node *node)
{
	if (!number_is_known(node->slurmd_start_time)) /* it never registered, so nobody measured */
		node->load = NUMBER_UNSET;
	/* Without AcctGatherEnergyType all of `energy` is 0. */
	if (!number_is_known(node->energy_time) && !node->power_watts && !node->energy_joules)
		node->power_watts = node->energy_joules = NUMBER_UNSET;
}

/* The record has what the system keeps for itself, so far. */
static void take_off_specialized(struct node *node)
{
	uint64_t *memory = &node->effective_memory;
	if (number_is_known(*memory) && number_is_known(node->memory))
		*memory = node->memory > *memory ? node->memory - *memory : 0;
	else
		*memory = NUMBER_UNSET;
}

static bool finish(struct vocabulary *vocabulary, void *record)
{
	(void)vocabulary;
	struct node *node = record;
	bool has_state = node->state;
	node->state = has_state ? node->state - 1 : NODE_UNKNOWN;
	node->flags |= drain_flags(node);
	take_off_specialized(node);
	unset_what_is_not_known(node);
	return node->name.len && has_state;
}

const struct record_type node_record = {"nodes", false, sizeof(struct node), fields, finish, NULL};
