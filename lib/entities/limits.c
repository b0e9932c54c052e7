#include "entities/limits.h"

#include "base/buf.h"
#include "base/memory.h"
#include "entities/label.h"

#include <stdlib.h>

enum { MEMORY_UNIT = 1 << 20, TIME_UNIT = 60 }; /* slurmdbd has MiB and minutes */

/* "gres", "gpu:a100" -> "gres/gpu:a100_running_seconds" */
static struct text resource_of(struct arena *arena, const struct tres_count *tres, const char *suffix)
{
	struct buf name = BUF_INIT;
	buf_add_text(&name, tres->type);
	if (tres->name.len)
		buf_add_char(&name, '/');
	buf_add_text(&name, tres->name);
	buf_add_string(&name, suffix);
	struct text resource = arena_copy(arena, buf_text(&name));
	buf_done(&name);
	return resource;
}

static int compare(const void *a, const void *b)
{
	const struct limit *x = a, *y = b;
	return x->scope != y->scope ? (x->scope > y->scope) - (x->scope < y->scope)
				    : text_compare(x->resource, y->resource);
}

static void add_list(struct limits *limits, struct arena *arena, const struct list *list,
		     const struct limit_tres_row *row)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct tres_count *tres = (const struct tres_count *)list->items + i;
		if (!number_is_known(tres->count) || !tres->type.len)
			continue;
		double unit = text_equal(tres->type, TEXT("mem")) ? MEMORY_UNIT : 1;
		unit *= *row->suffix ? TIME_UNIT : 1;
		limits->items[limits->count++] =
			(struct limit){row->scope, resource_of(arena, tres, row->suffix), (double)tres->count * unit};
	}
}

static int compare_values(const void *a, const void *b)
{
	const struct limit *x = a, *y = b;
	int order = compare(a, b);
	return order ? order : (x->value > y->value) - (x->value < y->value);
}

/* Each limit once, sorted. If an answer has one twice, the lower one counts: two samples with the same labels would be a
 * page that Prometheus refuses. */
static void settle(struct limits *limits)
{
	size_t count = 0;
	qsort(limits->items, limits->count, sizeof *limits->items, compare_values);
	for (size_t i = 0; i < limits->count; i++)
		if (!count || compare(&limits->items[count - 1], &limits->items[i]) != 0)
			limits->items[count++] = limits->items[i];
	limits->count = count;
}

static struct limits limits_of(struct arena *arena, const struct limit_set *set)
{
	size_t most = LIMIT_NUMBERS;
	for (int which = 0; which < LIMIT_LISTS; which++)
		most += set->tres[which].count;
	struct limits limits = {arena_new(arena, most * sizeof *limits.items), 0};
	for (int which = 0; which < LIMIT_NUMBERS; which++)
		if (number_is_known(set->numbers[which]))
			limits.items[limits.count++] =
				(struct limit){limit_number_rows[which].scope,
					       text_of(limit_number_rows[which].resource), (double)set->numbers[which]};
	for (int which = 0; which < LIMIT_LISTS; which++)
		add_list(&limits, arena, &set->tres[which], &limit_tres_rows[which]);
	settle(&limits);
	return limits;
}

const struct limit *limits_find(const struct limits *limits, enum limit_scope scope, struct text resource)
{
	const struct limit wanted = {scope, resource, 0};
	return limits->count ? bsearch(&wanted, limits->items, limits->count, sizeof wanted, compare) : NULL;
}

struct qos_section *qos_section_new(void)
{
	struct qos_section *section = NEW(struct qos_section);
	map_init(&section->items, &section->arena, sizeof(struct qos_limits));
	return section;
}

void qos_section_add(struct qos_section *section, const struct qos *qos)
{
	char scratch[LABEL_MAX + 1];
	struct text name = label_of(qos->name, scratch);
	struct qos_limits *item = map_add(&section->items, name);
	*item = (struct qos_limits){.name = arena_copy(&section->arena, name),
				    .priority = qos->priority,
				    .usage_factor = qos->usage_factor,
				    .limits = limits_of(&section->arena, &qos->limits)};
}

void qos_section_free(void *old)
{
	struct qos_section *section = old;
	if (!section)
		return;
	map_done(&section->items);
	arena_done(&section->arena);
	free(section);
}

struct associations_section *associations_section_new(void)
{
	struct associations_section *section = NEW(struct associations_section);
	map_init(&section->items, &section->arena, sizeof(struct association_limits));
	return section;
}

static struct buf key_of(struct text account, struct text user, struct text partition)
{
	char scratch[LABEL_MAX + 1];
	struct buf key = BUF_INIT;
	buf_add_text(&key, label_of(account, scratch));
	buf_add_char(&key, '\0');
	buf_add_text(&key, label_of(user, scratch));
	buf_add_char(&key, '\0');
	buf_add_text(&key, label_of(partition, scratch));
	return key;
}

void associations_section_add(struct associations_section *section, const struct association *association,
			      struct text cluster)
{
	struct arena *arena = &section->arena;
	if (!section->cluster.len)
		section->cluster = arena_copy(arena, cluster.len ? cluster : association->cluster);
	if (!text_equal(association->cluster, section->cluster))
		return;
	struct buf key = key_of(association->account, association->user, association->partition);
	struct association_limits *item = map_add(&section->items, buf_text(&key));
	*item = (struct association_limits){.key = arena_copy(arena, buf_text(&key)),
					    .account = arena_copy(arena, association->account),
					    .user = arena_copy(arena, association->user),
					    .partition = arena_copy(arena, association->partition),
					    .parent = arena_copy(arena, association->parent),
					    .limits = limits_of(arena, &association->limits)};
	buf_done(&key);
}

const struct association_limits *associations_find(const struct associations_section *section, struct text account,
						   struct text user, struct text partition)
{
	struct buf key = key_of(account, user, partition);
	const struct association_limits *found = map_find(&section->items, buf_text(&key));
	buf_done(&key);
	return found;
}

void associations_section_free(void *old)
{
	struct associations_section *section = old;
	if (!section)
		return;
	map_done(&section->items);
	arena_done(&section->arena);
	free(section);
}
