/* Whose jobs and rows somebody may see: those of some accounts, users and partitions. A scope without names takes in
 * nothing. Names are as in labels (entities/label.h). Filled by one thread; then any may ask. */
#pragma once

#include "base/buf.h"
#include "base/map.h"

enum scope_kind { SCOPE_ACCOUNT, SCOPE_USER, SCOPE_PARTITION, SCOPE_CLUSTER, SCOPE_KINDS };

/* What makes something belong to somebody: kinds whose names are in labels of these names. */
enum { SCOPE_OWNERS = SCOPE_CLUSTER };
extern const char *const scope_owner_labels[SCOPE_OWNERS];

struct scope {
	struct arena arena;
	struct map names[SCOPE_KINDS];
	struct buf key; /* the same for scopes with the same names in the same order */
};

void scope_init(struct scope *scope);
void scope_done(struct scope *scope);
void scope_add(struct scope *scope, enum scope_kind kind, struct text name);

/* Is it what this account, user or partition owns? Of partitions it may be a list, as that of a job that waits in several:
 * one of them is enough. */
bool scope_has(const struct scope *scope, enum scope_kind kind, struct text name);

/* Does it take in anything of this cluster? Where it names no clusters, it means all. */
bool scope_has_cluster(const struct scope *scope, struct text name);
