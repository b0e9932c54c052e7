#include "model/partition.h"

#include "slurmrest/decode.h"

#include <strings.h>

/* `state` counts from 1 while the record is being read, so that a zeroed record has none. */
static void take_state(struct vocabulary *vocabulary, void *record, struct text name)
{
	struct partition *partition = record;
	if (name.len)
		partition->state = names_learn(&vocabulary->partition_states, name) + 1;
}

static void take_flag(struct vocabulary *vocabulary, void *record, struct text name)
{
	(void)vocabulary;
	struct partition *partition = record;
	partition->has_flags = true;
	if (name.len == 7 && strncasecmp(name.bytes, "default", 7) == 0)
		partition->is_default = true;
}

static const struct field fields[] = {
	TEXT_FIELD(struct partition, name, "name"),
	NAME("state", take_state), /* before v0.0.40 */
	NAME("partition.state", take_state), /* since */
	NAME("flags", take_flag), /* not in v0.0.40 to v0.0.44 */
	NUMBER(struct partition, max_time, "max_time_limit", MINUTES),
	NUMBER(struct partition, max_time, "maximums.time", MINUTES),
	NUMBER(struct partition, default_time, "default_time_limit", MINUTES),
	NUMBER(struct partition, default_time, "defaults.time", MINUTES),
	NUMBER(struct partition, max_nodes, "maximum_nodes_per_job", COUNT),
	NUMBER(struct partition, max_nodes, "maximums.nodes", COUNT),
	NUMBER(struct partition, priority_tier, "priority_tier", COUNT),
	NUMBER(struct partition, priority_tier, "priority.tier", COUNT),
	NUMBER(struct partition, priority_job_factor, "priority_job_factor", COUNT),
	NUMBER(struct partition, priority_job_factor, "priority.job_factor", COUNT),
	TEXT_FIELD(struct partition, qos, "qos"), /* before v0.0.40 */
	TEXT_FIELD(struct partition, qos, "qos.assigned"), /* since */
	END_OF_FIELDS,
};

static bool finish(struct vocabulary *vocabulary, void *record)
{
	(void)vocabulary;
	struct partition *partition = record;
	partition->state--;
	if (partition->default_time == 0) /* v0.0.37 does not know it */
		partition->default_time = NUMBER_UNSET;
	return partition->name.len;
}

const struct record_type partition_record = {"partitions", false, sizeof(struct partition), fields, finish, NULL};
