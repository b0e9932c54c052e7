#include "web/tenants.h"

#include "base/memory.h"

#include <stdlib.h>

static const char *take_name(void *context, const char *text)
{
	struct web_names *names = context;
	if (!*text)
		return "expected a name";
	if (names->count == TENANT_NAMES_MAX)
		return "too many";
	GROW(names->names, names->count, names->capacity);
	names->names[names->count++] = text;
	return NULL;
}

static bool read_names(struct web_reading *reading, const struct yaml_node *node, void *member)
{
	return web_read_list(reading, node, take_name, member);
}

/* No name would mean all clusters, perhaps not to the person who left the list empty. */
static bool names_clusters(const struct yaml_node *sees)
{
	const struct yaml_node *clusters = yaml_find(sees, "clusters");
	return !clusters || (!yaml_is_null(clusters) && (clusters->kind != YAML_LIST || clusters->first));
}

/* `everything`, or names. */
static bool read_sees(struct web_reading *reading, const struct yaml_node *node, void *member)
{
	struct web_tenant *tenant = member;
	static const struct web_key keys[] = {
		{"accounts", read_names, offsetof(struct web_tenant, names[TENANT_SEES_ACCOUNTS])},
		{"users", read_names, offsetof(struct web_tenant, names[TENANT_SEES_USERS])},
		{"partitions", read_names, offsetof(struct web_tenant, names[TENANT_SEES_PARTITIONS])},
		{"clusters", read_names, offsetof(struct web_tenant, names[TENANT_SEES_CLUSTERS])},
	};
	tenant->sees_everything = node->kind == YAML_SCALAR && strcmp(node->text.bytes, "everything") == 0;
	if (node->kind == YAML_SCALAR && !tenant->sees_everything)
		return web_wrong(reading, node, "expected `everything`, or accounts, users or partitions");
	if (!names_clusters(node))
		return web_wrong(reading, node, "clusters: name some, or leave the key out");
	return tenant->sees_everything || web_read_map(reading, node, keys, sizeof keys / sizeof *keys, tenant);
}

static bool read_rate(struct web_reading *reading, const struct yaml_node *node, void *member)
{
	return web_rate_read(reading, node, &((struct web_tenant *)member)->rate);
}

static bool read_tenant(struct web_reading *reading, const struct yaml_node *node, struct web_tenants *tenants)
{
	static const struct web_key keys[] = {
		{"users", read_names, offsetof(struct web_tenant, names[TENANT_USERS])},
		{"certificates", read_names, offsetof(struct web_tenant, names[TENANT_CERTIFICATES])},
		{"sees", read_sees, 0},
		{"rate_limit", read_rate, 0},
	};
	if (tenants->count == TENANTS_MAX)
		return web_wrong(reading, node, "too many tenants");
	GROW(tenants->items, tenants->count, tenants->capacity);
	struct web_tenant *tenant = &tenants->items[tenants->count++];
	*tenant = (struct web_tenant){.name = node->key.bytes};
	return web_read_map(reading, node, keys, sizeof keys / sizeof *keys, tenant);
}

bool tenants_read(struct web_reading *reading, const struct yaml_node *node, void *member)
{
	if (node->kind != YAML_MAP)
		return web_wrong(reading, node, "expected names of tenants, and what each sees");
	for (const struct yaml_node *tenant = node->first; tenant; tenant = tenant->next)
		if (!read_tenant(reading, tenant, member))
			return false;
	return true;
}

struct web_tenant *tenants_find(const struct web_tenants *tenants, enum tenant_names kind, struct text name)
{
	const unsigned *index = tenants->count ? map_find(&tenants->who[kind], name) : NULL;
	return index ? &tenants->items[*index] : NULL;
}

static bool is_user(const struct tenants_clients *clients, const char *name)
{
	for (unsigned i = 0; i < clients->user_count; i++)
		if (strcmp(clients->users[i].name, name) == 0)
			return true;
	return false;
}

/* Notes whose the name is. Returns what is wrong with it; NULL: nothing. */
static const char *take_who(struct web_tenants *tenants, unsigned index, enum tenant_names kind, const char *name,
			    const struct tenants_clients *clients)
{
	if (kind == TENANT_USERS && !is_user(clients, name))
		return "no such user in basic_auth_users";
	if (kind == TENANT_CERTIFICATES && clients->user_count)
		return "certificates say who a client is only where there are no basic_auth_users";
	if (kind == TENANT_CERTIFICATES && !clients->have_certificates)
		return "certificates need client_auth_type RequireAndVerifyClientCert or VerifyClientCertIfGiven";
	if (map_find(&tenants->who[kind], text_of(name)))
		return "named twice";
	*(unsigned *)map_add(&tenants->who[kind], text_of(name)) = index;
	return NULL;
}

static bool sees_something(const struct web_tenant *tenant)
{
	return tenant->sees_everything || tenant->names[TENANT_SEES_ACCOUNTS].count ||
	       tenant->names[TENANT_SEES_USERS].count || tenant->names[TENANT_SEES_PARTITIONS].count;
}

static bool check(struct web_tenants *tenants, unsigned index, const struct yaml_node *node,
		  const struct tenants_clients *clients, struct web_reading *reading)
{
	const struct web_tenant *tenant = &tenants->items[index];
	if (!sees_something(tenant))
		return web_wrong(reading, node, "`sees` needs accounts, users or partitions, or is `everything`");
	if (!tenant->names[TENANT_USERS].count && !tenant->names[TENANT_CERTIFICATES].count)
		return web_wrong(reading, node, "who is it? It has no users and no certificates");
	for (enum tenant_names kind = 0; kind < (enum tenant_names)TENANT_WHO; kind++)
		for (unsigned i = 0; i < tenant->names[kind].count; i++) {
			const char *name = tenant->names[kind].names[i];
			const char *fault = take_who(tenants, index, kind, name, clients);
			if (fault)
				return document_wrong(reading->document, node->position, reading->err, "%s: %s: %s",
						      tenant->name, name, fault);
		}
	return true;
}

bool tenants_check(struct web_tenants *tenants, const struct yaml_node *node, const struct tenants_clients *clients,
		   struct web_reading *reading)
{
	const struct yaml_node *value = node->kind == YAML_MAP ? node->first : NULL;
	if (!value)
		return web_wrong(reading, node,
				 "without a tenant nobody would see anything: name one, or leave the key out");
	for (int kind = 0; kind < TENANT_WHO; kind++)
		map_init(&tenants->who[kind], &tenants->arena, sizeof(unsigned));
	for (unsigned i = 0; i < tenants->count; i++, value = value->next)
		if (!check(tenants, i, value, clients, reading))
			return false;
	return true;
}

void tenants_done(struct web_tenants *tenants)
{
	for (unsigned i = 0; i < tenants->count; i++)
		for (int kind = 0; kind < TENANT_NAMES; kind++)
			free(tenants->items[i].names[kind].names);
	for (int kind = 0; kind < TENANT_WHO; kind++)
		map_done(&tenants->who[kind]);
	arena_done(&tenants->arena);
	free(tenants->items);
	*tenants = (struct web_tenants){.items = NULL};
}
