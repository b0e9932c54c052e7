/* What a tenant of the web configuration sees, in Slurm's terms. */
#pragma once

#include "model/scope.h"
#include "web/tenants.h"

/* Names become labels, as on the page: so no tenant can name the row `other`. To be given back by scope_done. */
void tenant_scope(const struct web_tenant *tenant, struct scope *ret_scope);
