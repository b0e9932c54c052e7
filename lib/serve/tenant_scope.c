#include "serve/tenant_scope.h"

#include "entities/label.h"

void tenant_scope(const struct web_tenant *tenant, struct scope *ret_scope)
{
	static const struct {
		enum tenant_names names;
		enum scope_kind kind;
	} table[] = {
		{TENANT_SEES_ACCOUNTS, SCOPE_ACCOUNT},
		{TENANT_SEES_USERS, SCOPE_USER},
		{TENANT_SEES_PARTITIONS, SCOPE_PARTITION},
		{TENANT_SEES_CLUSTERS, SCOPE_CLUSTER},
	};
	scope_init(ret_scope);
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		for (unsigned n = 0; n < tenant->names[table[i].names].count; n++) {
			char room[LABEL_MAX + 1];
			struct text name = text_of(tenant->names[table[i].names].names[n]);
			scope_add(ret_scope, table[i].kind,
				  table[i].kind == SCOPE_CLUSTER ? name : label_of(name, room));
		}
}
