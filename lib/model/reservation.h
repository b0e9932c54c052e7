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
	struct text node_list; /* "cn[01-04]" */
	uint64_t allocated_cpus; /* that running jobs hold: jobs/reserved.h */
};

/* A hierarchical resource has one for each of its layers, all of the same name (Slurm's hres.c). */
struct license {
	struct text name, nodes; /* the layer's nodes; empty: no layer */
	uint64_t total, used, free, reserved;
};
