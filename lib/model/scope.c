#include "model/scope.h"

const char *const scope_owner_labels[SCOPE_OWNERS] = {
	[SCOPE_ACCOUNT] = "account", [SCOPE_USER] = "user", [SCOPE_PARTITION] = "partition"};

void scope_init(struct scope *scope)
{
	*scope = (struct scope){.arena = ARENA_INIT, .key = BUF_INIT};
	for (int kind = 0; kind < SCOPE_KINDS; kind++)
		map_init(&scope->names[kind], &scope->arena, 1);
}

void scope_done(struct scope *scope)
{
	for (int kind = 0; kind < SCOPE_KINDS; kind++)
		map_done(&scope->names[kind]);
	arena_done(&scope->arena);
	buf_done(&scope->key);
}

void scope_add(struct scope *scope, enum scope_kind kind, struct text name)
{
	map_add(&scope->names[kind], name);
	buf_printf(&scope->key, "%d", (int)kind);
	buf_add_text(&scope->key, name);
	buf_add_char(&scope->key, '\0');
}

bool scope_has(const struct scope *scope, enum scope_kind kind, struct text name)
{
	const struct map *names = &scope->names[kind];
	struct text one;
	if (!names->count || !name.len)
		return false;
	if (map_find(names, name))
		return true;
	while (kind == SCOPE_PARTITION && text_next(&name, ',', &one))
		if (map_find(names, one))
			return true;
	return false;
}

bool scope_has_cluster(const struct scope *scope, struct text name)
{
	const struct map *names = &scope->names[SCOPE_CLUSTER];
	return !names->count || map_find(names, name);
}
