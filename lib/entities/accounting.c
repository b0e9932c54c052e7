#include "entities/accounting.h"

#include <string.h>

void accounting_section_init(struct accounting_section *section)
{
	*section = (struct accounting_section){0};
	rpc_sums_init(&section->rpcs_by_type);
	rpc_sums_init(&section->rpcs_by_user);
}

void accounting_section_set(struct accounting_section *section, const struct dbd_diag *diag)
{
	bool tells_start = number_is_known(diag->start_time);
	bool is_reset = tells_start && section->start_time && diag->start_time != section->start_time;
	rpc_sums_set(&section->rpcs_by_type, &diag->rpcs_by_type, is_reset);
	rpc_sums_set(&section->rpcs_by_user, &diag->rpcs_by_user, is_reset);
	if (tells_start)
		section->start_time = diag->start_time;
	memcpy(section->rollups, diag->rollups, sizeof section->rollups);
	section->is_known = true;
}

void accounting_section_done(struct accounting_section *section)
{
	rpc_sums_done(&section->rpcs_by_type);
	rpc_sums_done(&section->rpcs_by_user);
}
