/* A QOS, as `sacctmgr show qos` has it. Texts and lists are borrowed. */
#pragma once

#include "model/limit.h"

struct qos {
	struct text name;
	uint64_t priority;
	double usage_factor; /* factor on the TRES-minutes of its jobs; NAN: not known */
	struct limit_set limits;
};
