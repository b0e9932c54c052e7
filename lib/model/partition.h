/* A partition, as `scontrol show partition` has it. Texts are borrowed. */
#pragma once

#include "model/number.h"
#include "model/vocabulary.h"

struct partition {
	struct text name;
	int state; /* a number of vocabulary.partition_states */
	bool has_flags; /* the version tells them; v0.0.40 to v0.0.44 do not */
	bool is_default; /* if has_flags */
	uint64_t max_time, default_time; /* seconds */
	uint64_t max_nodes; /* per job */
	uint64_t priority_tier, priority_job_factor;
	struct text qos; /* its own QOS, which its jobs are charged to as well; empty: none */
};
