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
	rpc_sums_set(&section->rpcs_by_type, &diag->rpcs_by_type);
	rpc_sums_set(&section->rpcs_by_user, &diag->rpcs_by_user);
	memcpy(section->rollups, diag->rollups, sizeof section->rollups);
	section->is_known = true;
}

void accounting_section_done(struct accounting_section *section)
{
	rpc_sums_done(&section->rpcs_by_type);
	rpc_sums_done(&section->rpcs_by_user);
}
