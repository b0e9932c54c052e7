#include "entities/limits_use.h"

#include "base/buf.h"
#include "base/memory.h"
#include "entities/label.h"
#include "model/fairshare.h"
#include "model/partition.h"
#include "model/tres.h"

#include <math.h>
#include <stdlib.h>

enum { CHARGED_MAX = 64, ACCOUNT_DEPTH_MAX = 64 };

struct working {
	struct limits_use *result;
	const struct map *partitions;
	const struct associations_section *associations;
	const struct record_list *shares;
};

static bool ends_with(struct text text, struct text end)
{
	return text.len >= end.len && memcmp(text.bytes + text.len - end.len, end.bytes, end.len) == 0;
}

/* The use of the resource. False: jobs do not add up to it (decayed use, limits per job), or it is not known. */
static bool use_of(const struct use *use, struct text resource, double *ret_use)
{
	const struct text running = TEXT(LIMIT_RUNNING_SECONDS);
	struct text name = resource;
	if (text_equal(resource, TEXT("jobs")))
		*ret_use = (double)use->jobs;
	else if (text_equal(resource, TEXT("submitted_jobs")))
		*ret_use = (double)use->submitted_jobs;
	else if (text_equal(resource, TEXT("node"))) {
		*ret_use = (double)use_nodes(use);
		return !use->nodes.is_cut;
	} else if (ends_with(resource, running)) {
		name.len -= running.len;
		const struct tres_use *tres = map_find(&use->tres, name);
		*ret_use = tres ? tres->running_s : 0;
	} else if (ends_with(resource, TEXT(LIMIT_SECONDS)) /* wall_seconds, too */ ||
		   text_equal(resource, TEXT("accruing_jobs")) || text_equal(resource, TEXT("priority"))) {
		return false;
	} else {
		const struct tres_use *tres = map_find(&use->tres, name);
		*ret_use = tres ? (double)tres->count : 0;
	}
	return true;
}

static bool limits_per(const struct limits *limits, enum limit_scope scope)
{
	for (size_t i = 0; i < limits->count; i++)
		if (limits->items[i].scope == scope)
			return true;
	return false;
}

static struct limited *limited_add(struct limits_use *result, struct map *map, struct text key)
{
	struct limited *limited = map_add(map, key);
	use_init(&limited->use, &result->arena);
	map_init(&limited->usage, &result->arena, sizeof(double));
	map_init(&limited->users, &result->arena, sizeof(struct use));
	map_init(&limited->accounts, &result->arena, sizeof(struct use));
	return limited;
}

static void add_qos(struct limits_use *result, const struct qos_limits *qos)
{
	struct limited *limited = limited_add(result, &result->qos, qos->name);
	limited->label[0] = qos->name;
	limited->qos = qos;
	limited->limits = qos->limits;
}

/* The account above; NULL for root. */
static const struct association_limits *parent_of(const struct associations_section *associations,
						  const struct association_limits *association)
{
	if (association->user.len)
		return associations_find(associations, association->account, TEXT(""), TEXT(""));
	return association->parent.len ? associations_find(associations, association->parent, TEXT(""), TEXT(""))
				       : NULL;
}

/* Leaves out those of a user's limits that are the account's. */
static void add_association(struct limits_use *result, const struct association_limits *association,
			    const struct association_limits *account)
{
	struct limited *limited = limited_add(result, &result->associations, association->key);
	limited->label[0] = association->account;
	limited->label[1] = association->user;
	limited->label[2] = association->partition;
	limited->association = association;
	const struct limits *all = &association->limits;
	struct limits *own = &limited->limits;
	own->items = arena_new(&result->arena, all->count * sizeof *own->items);
	for (size_t i = 0; i < all->count; i++) {
		const struct limit *limit = &all->items[i];
		const struct limit *above = account && limit->scope != LIMIT_GROUP
						    ? limits_find(&account->limits, limit->scope, limit->resource)
						    : NULL;
		if (!above || above->value != limit->value)
			own->items[own->count++] = *limit;
	}
}

static struct use *use_add(struct map *map, struct text name)
{
	size_t before = map->count;
	struct use *use = map_add(map, name);
	if (map->count != before)
		use_init(use, map->arena);
	return use;
}

static void charge_qos(struct limited *limited, const struct charge *charge, double factor)
{
	use_merge(&limited->use, &charge->use, factor);
	if (limits_per(&limited->limits, LIMIT_PER_USER))
		use_merge(use_add(&limited->users, charge->user), &charge->use, factor);
	if (limits_per(&limited->limits, LIMIT_PER_ACCOUNT))
		use_merge(use_add(&limited->accounts, charge->account), &charge->use, factor);
}

/* The job's QOS; while it is pending, the one that Slurm would charge first. */
static struct limited *own_qos(const struct limits_use *result, const struct charge *charge)
{
	struct limited *own = NULL;
	struct text rest = charge->qos, name;
	while (text_next(&rest, ',', &name)) {
		struct limited *limited = map_find(&result->qos, name);
		if (!limited)
			continue;
		uint64_t priority = number_is_known(limited->qos->priority) ? limited->qos->priority : 0;
		if (!own || priority > own->qos->priority)
			own = limited;
	}
	return own;
}

static void charge_each_qos(const struct working *work, struct limited *own, const struct charge *charge, double factor)
{
	struct limited *charged[CHARGED_MAX] = {own};
	size_t count = own ? 1 : 0;
	struct text rest = charge->partitions, name;
	while (count < CHARGED_MAX && text_next(&rest, ',', &name)) {
		const struct partition *partition = map_find(work->partitions, name);
		char scratch[LABEL_MAX + 1];
		struct limited *limited =
			partition ? map_find(&work->result->qos, label_of(partition->qos, scratch)) : NULL;
		size_t i = 0;
		while (i < count && charged[i] != limited)
			i++;
		if (limited && i == count)
			charged[count++] = limited;
	}
	for (size_t i = 0; i < count; i++)
		charge_qos(charged[i], charge, factor);
}

static const struct association_limits *association_of(const struct associations_section *section,
						       const struct charge *charge)
{
	const struct association_limits *found =
		associations_find(section, charge->account, charge->user, charge->partitions);
	if (!found)
		found = associations_find(section, charge->account, charge->user, TEXT(""));
	return found ? found : associations_find(section, charge->account, TEXT(""), TEXT(""));
}

static void charge_associations(const struct working *work, const struct charge *charge, double factor)
{
	const struct association_limits *association = association_of(work->associations, charge);
	for (int depth = 0; association && depth < ACCOUNT_DEPTH_MAX; depth++) {
		struct limited *limited = map_find(&work->result->associations, association->key);
		use_merge(&limited->use, &charge->use, factor);
		association = parent_of(work->associations, association);
	}
}

static void charge(const struct working *work, const struct charge *charge)
{
	struct limited *own = own_qos(work->result, charge);
	double factor = own && !isnan(own->qos->usage_factor) ? own->qos->usage_factor : 1;
	charge_each_qos(work, own, charge, factor);
	if (work->associations)
		charge_associations(work, charge, factor);
}

static void show(struct limited *limited, struct text resource, bool is_limited)
{
	double use;
	if (use_of(&limited->use, resource, &use) && (is_limited || use > 0))
		*(double *)map_add(&limited->usage, resource) = use;
}

/* Users' associations show only the use of what is limited, since there may be many thousands of associations. */
static void show_usage(struct limited *limited)
{
	for (size_t i = 0; i < limited->limits.count; i++)
		if (limited->limits.items[i].scope == LIMIT_GROUP ||
		    (limited->label[1].len && limited->limits.items[i].scope == LIMIT_PER_USER))
			show(limited, limited->limits.items[i].resource, true);
	if (limited->label[1].len)
		return;
	show(limited, TEXT("jobs"), false);
	show(limited, TEXT("submitted_jobs"), false);
	for (size_t i = 0; i < limited->use.tres.count; i++) {
		struct buf running = BUF_INIT;
		buf_add_text(&running, limited->use.tres.entries[i].key);
		show(limited, buf_text(&running), false);
		buf_add_string(&running, LIMIT_RUNNING_SECONDS);
		show(limited, buf_text(&running), false);
		buf_done(&running);
	}
}

/* One row for each limit per user or per account whose use is summed. */
static void add_largest(struct limited *limited, struct arena *arena, const struct limits *limits)
{
	double use;
	limited->largest = arena_new(arena, limits->count * sizeof *limited->largest);
	for (size_t i = 0; i < limits->count; i++) {
		const struct limit *limit = &limits->items[i];
		if ((limit->scope == LIMIT_PER_USER || limit->scope == LIMIT_PER_ACCOUNT) &&
		    use_of(&limited->use, limit->resource, &use))
			limited->largest[limited->largest_count++] =
				(struct largest_use){.scope = limit->scope, .resource = limit->resource};
	}
}

/* Adds the use of a user, or of an account, to the rows of its limits. */
static void note_use(struct limited *limited, enum limit_scope scope, const struct use *use,
		     const struct limits *limits)
{
	for (size_t i = 0; i < limited->largest_count; i++) {
		struct largest_use *largest = &limited->largest[i];
		const struct limit *limit = limits_find(limits, scope, largest->resource);
		double held;
		if (largest->scope != scope || !use_of(use, largest->resource, &held))
			continue;
		if (held > largest->use)
			largest->use = held;
		largest->at_limit += limit && use->submitted_jobs && held >= limit->value;
	}
}

static void finish_qos(struct limits_use *result)
{
	for (size_t i = 0; i < result->qos.count; i++) {
		struct limited *limited = result->qos.entries[i].value;
		show_usage(limited);
		add_largest(limited, &result->arena, &limited->limits);
		for (size_t j = 0; j < limited->users.count; j++)
			note_use(limited, LIMIT_PER_USER, limited->users.entries[j].value, &limited->limits);
		for (size_t j = 0; j < limited->accounts.count; j++)
			note_use(limited, LIMIT_PER_ACCOUNT, limited->accounts.entries[j].value, &limited->limits);
	}
}

static void finish_associations(const struct working *work)
{
	struct map *items = &work->result->associations;
	for (size_t i = 0; i < items->count; i++) {
		struct limited *limited = items->entries[i].value;
		show_usage(limited);
		if (!limited->association->user.len)
			add_largest(limited, &work->result->arena, &limited->association->limits);
	}
	for (size_t i = 0; i < items->count; i++) {
		const struct limited *limited = items->entries[i].value;
		const struct association_limits *account =
			limited->association->user.len ? parent_of(work->associations, limited->association) : NULL;
		if (account)
			note_use(map_find(items, account->key), LIMIT_PER_USER, &limited->use,
				 &limited->association->limits);
	}
}

static struct limited *limited_of_share(const struct working *work, const struct fairshare *share)
{
	struct text account = share->is_user ? share->parent : share->name,
		    user = share->is_user ? share->name : TEXT("");
	const struct association_limits *association =
		associations_find(work->associations, account, user, share->partition);
	return association ? map_find(&work->result->associations, association->key) : NULL;
}

/* Slurm compares the decayed use with the limit (acct_policy.c), multiplied by the QOS's UsageFactor already. */
static void show_used_up(struct limited *limited, struct text used_up)
{
	const struct text seconds = TEXT(LIMIT_SECONDS), running = TEXT(LIMIT_RUNNING_SECONDS);
	for (size_t i = 0; i < limited->limits.count; i++) {
		struct text resource = limited->limits.items[i].resource, name = resource;
		if (limited->limits.items[i].scope != LIMIT_GROUP || !ends_with(resource, seconds) ||
		    ends_with(resource, running) || text_equal(resource, TEXT("wall_seconds")))
			continue;
		name.len -= seconds.len;
		*(double *)map_add(&limited->usage, resource) = tres_amount(used_up, name);
	}
}

static void add_used_up(const struct working *work)
{
	for (size_t i = 0; work->shares && work->associations && i < work->shares->count; i++) {
		const struct fairshare *share = &((const struct fairshare *)work->shares->items)[i];
		struct limited *limited = limited_of_share(work, share);
		if (limited)
			show_used_up(limited, share->tres_usage);
	}
}

struct limits_use *limits_use_new(const struct charges *charges, const struct map *partitions,
				  const struct qos_section *qos, const struct associations_section *associations,
				  const struct record_list *shares)
{
	struct limits_use *result = NEW(struct limits_use);
	const struct working work = {result, partitions, associations, shares};
	map_init(&result->qos, &result->arena, sizeof(struct limited));
	map_init(&result->associations, &result->arena, sizeof(struct limited));
	for (size_t i = 0; qos && i < qos->items.count; i++)
		add_qos(result, qos->items.entries[i].value);
	for (size_t i = 0; associations && i < associations->items.count; i++) {
		const struct association_limits *item = associations->items.entries[i].value;
		add_association(result, item, item->user.len ? parent_of(associations, item) : NULL);
	}
	add_used_up(&work);
	if (!charges || !partitions || !qos)
		return result;
	for (size_t i = 0; i < charges->items.count; i++)
		charge(&work, charges->items.entries[i].value);
	finish_qos(result);
	finish_associations(&work);
	return result;
}

static void limited_free(struct map *map)
{
	for (size_t i = 0; i < map->count; i++) {
		struct limited *limited = map->entries[i].value;
		for (size_t j = 0; j < limited->users.count; j++)
			use_done(limited->users.entries[j].value);
		for (size_t j = 0; j < limited->accounts.count; j++)
			use_done(limited->accounts.entries[j].value);
		map_done(&limited->users);
		map_done(&limited->accounts);
		map_done(&limited->usage);
		use_done(&limited->use);
	}
	map_done(map);
}

void limits_use_free(struct limits_use *use)
{
	if (!use)
		return;
	limited_free(&use->qos);
	limited_free(&use->associations);
	arena_done(&use->arena);
	free(use);
}
