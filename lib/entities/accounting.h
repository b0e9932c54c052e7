/* The accounting section: what slurmdbd says of itself. */
#pragma once

#include "entities/rpc_sums.h"
#include "model/controller.h"

struct accounting_section {
	bool is_known; /* dbd_diag's answer is young enough */
	uint64_t start_time; /* when slurmdbd's sums began, Unix seconds; 0: not known yet */
	struct rpc_sums rpcs_by_type, rpcs_by_user;
	struct rollup rollups[ROLLUPS];
};

void accounting_section_init(struct accounting_section *section);
void accounting_section_set(struct accounting_section *section, const struct dbd_diag *diag);
void accounting_section_done(struct accounting_section *section);
