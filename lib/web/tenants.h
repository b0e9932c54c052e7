/* Who may see what: `tenants` of a web configuration. A client is known by its user where there are passwords, else by its
 * certificate. This room does not know what the names mean that a tenant sees. */
#pragma once

#include "base/map.h"
#include "web/passwords.h"
#include "web/rate.h"

/* Answers under way: more of one tenant are refused, so that no tenant's slow clients hold what is for all. */
enum { TENANTS_MAX = 1000, TENANT_NAMES_MAX = 1000, TENANT_ANSWERS_MAX = 16 };

enum tenant_names {
	TENANT_USERS, /* these two: who it is */
	TENANT_CERTIFICATES,
	TENANT_SEES_ACCOUNTS, /* these three: what it sees */
	TENANT_SEES_USERS,
	TENANT_SEES_PARTITIONS,
	TENANT_SEES_CLUSTERS, /* that only in these; none: in all */
	TENANT_NAMES
};

struct web_names {
	const char **names; /* owned; the texts are the document's */
	unsigned count, capacity;
};

struct web_tenant {
	const char *name;
	bool sees_everything;
	struct web_names names[TENANT_NAMES];
	struct web_rate rate; /* of all its clients together */
	struct web_bucket bucket; /* the server's thread's */
};

enum { TENANT_WHO = TENANT_SEES_ACCOUNTS };

struct web_tenants {
	struct web_tenant *items; /* owned */
	unsigned count, capacity;
	struct arena arena;
	struct map who[TENANT_WHO]; /* name -> unsigned: whose it is, an index of `items` */
};

/* Reads the value of `tenants`; member: struct web_tenants. */
web_read tenants_read;

/* By what the server knows its clients. */
struct tenants_clients {
	const struct web_user *users;
	unsigned user_count; /* 0: there are no passwords */
	bool have_certificates; /* that are verified */
};

/* Is each of them somebody who can be known, and nobody two of them? `node` is the value of `tenants`. To be called once,
 * before tenants_find. */
bool tenants_check(struct web_tenants *tenants, const struct yaml_node *node, const struct tenants_clients *clients,
		   struct web_reading *reading);

/* Whose list of that kind has the name; NULL: nobody's. */
struct web_tenant *tenants_find(const struct web_tenants *tenants, enum tenant_names kind, struct text name);

void tenants_done(struct web_tenants *tenants);
