/* Reservations and licences. Texts are borrowed. */
#pragma once

#include "base/text.h"
#include "model/number.h"

struct reservation {
	struct text name, partition;
	struct text flags; /* Slurm's names, separated by commas */
	uint64_t start_time, end_time; /* Unix seconds */
	uint64_t nodes;
	uint64_t cores; /* 0 in reservations that have no node */
	struct text tres; /* "cpu=4" */
};

struct license {
	struct text name;
	uint64_t total, used, free, reserved;
};
