/* Who may do what, and the shares that follow from it. */
#include "slurmsim/fairshare.h"
#include "slurmsim/kinds.h"
#include "slurmsim/view.h"

static struct value unlimited(const struct view *view)
{
	return (struct value){.kind = view->old ? VALUE_UNSET : VALUE_INFINITE};
}

static struct value limit(const struct view *view, uint32_t most)
{
	return most ? value_number(most) : unlimited(view);
}

static int64_t all_cpus(const struct world *world)
{
	int64_t cpus = 0;
	for (uint32_t i = 0; i < world->options.nodes; i++)
		cpus += world->nodes[i].cpus;
	return cpus;
}

static void fill_cpus(const struct view *view, struct value *values, int64_t count)
{
	values[TRES_type] = value_text("cpu");
	values[TRES_id] = value_number(1);
	values[TRES_count] = value_number(count);
	if (!view->old)
		values[TRES_name] = value_text("");
}

/* The limit of a group that has one: all CPUs of the cluster. */
static bool next_group_limit(struct rows *rows, struct value *values, struct arena *scratch)
{
	(void)scratch;
	const struct view *view = rows->owner;
	if (rows->at++)
		return false;
	fill_cpus(view, values, all_cpus(view->world));
	return true;
}

/* The CPU minutes that an account below a department may use up: a part of what the cluster has in 30 days. Nothing holds
 * jobs back that would use more. */
static bool next_budget(struct rows *rows, struct value *values, struct arena *scratch)
{
	(void)scratch;
	enum { MINUTES = 30 * 24 * 60 };
	const struct view *view = rows->owner;
	const struct association *association = rows->record;
	if (rows->at++)
		return false;
	int64_t groups = view->world->options.users / 10 + 1;
	fill_cpus(view, values, all_cpus(view->world) * MINUTES * (3 + association->account % 8) / 10 / groups);
	return true;
}

static struct value group_limits(const struct view *view, struct arena *scratch)
{
	return value_rows(view_rows_new(scratch, (struct rows){.next = next_group_limit, .owner = view}));
}

static bool next_qos(struct rows *rows, struct value *values, struct arena *scratch)
{
	const struct view *view = rows->owner;
	if (rows->at == view->world->qos_count)
		return false;
	const struct qos *qos = &view->world->qos[rows->at++];
	values[QOS_name] = value_text(qos->name);
	values[QOS_id] = value_number(qos->id);
	values[QOS_priority] = value_number(qos->priority);
	values[QOS_max_jobs_per_user] = limit(view, qos->max_jobs_per_user);
	values[QOS_max_submit_per_user] = unlimited(view);
	values[QOS_max_wall] = limit(view, qos->max_wall_min);
	if (qos->max_jobs_per_user)
		values[QOS_tres] = group_limits(view, scratch);
	values[QOS_preempt] = value_words(view_words(scratch, qos->priority ? "low" : NULL, NULL, NULL));
	return true;
}

struct rows view_db_qos(const struct view *view)
{
	return (struct rows){.next = next_qos, .owner = view};
}

static const char *const all_qos[] = {"normal", "high", "low", "debug", NULL};

static bool parent_is_root(const struct world *world, uint32_t account)
{
	return account && !world->accounts[account].parent;
}

static bool next_association(struct rows *rows, struct value *values, struct arena *scratch)
{
	const struct view *view = rows->owner;
	const struct world *world = view->world;
	if (rows->at == world->association_count)
		return false;
	const struct association *association = &world->associations[rows->at];
	const struct account *account = &world->accounts[association->account];
	bool is_user = association->user != NO_USER, is_default = false;
	const char *parent = is_user || !association->account ? "" : world->accounts[account->parent].name;
	if (is_user)
		is_default = world->users[association->user].association == rows->at;
	values[ASSOCIATION_id] = value_number((int64_t)++rows->at);
	values[ASSOCIATION_account] = value_text(account->name);
	values[ASSOCIATION_cluster] = value_text(view->cluster);
	values[ASSOCIATION_is_default] = view->old ? value_number(is_default) : value_bool(is_default);
	values[ASSOCIATION_lineage] = value_text(scratch_printf(scratch, "/%s/", account->name));
	values[ASSOCIATION_max_jobs] = unlimited(view);
	if (!is_user && parent_is_root(world, association->account)) {
		values[ASSOCIATION_max_jobs] = value_number(2 * (int64_t)world->options.jobs);
		values[ASSOCIATION_tres] = group_limits(view, scratch);
	}
	if (!is_user && account->parent)
		values[ASSOCIATION_tres_budget] = value_rows(view_rows_new(
			scratch, (struct rows){.next = next_budget, .owner = view, .record = association}));
	values[ASSOCIATION_qos] = value_words(all_qos);
	values[ASSOCIATION_shares_raw] = value_number(association->shares);
	if (!view->old || *parent)
		values[ASSOCIATION_parent_account] = value_text(parent);
	if (!view->old || is_user)
		values[ASSOCIATION_user] = value_text(is_user ? world->users[association->user].name : "");
	return true;
}

struct rows view_db_associations(const struct view *view)
{
	return (struct rows){.next = next_association, .owner = view};
}

static double part_of(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

/* What an association used up of each TRES, in TRES seconds: here of CPUs. */
static bool next_share_use(struct rows *rows, struct value *values, struct arena *scratch)
{
	(void)scratch;
	const struct view *view = rows->owner;
	const struct association *association = rows->record;
	if (rows->at++)
		return false;
	values[SHARE_USE_name] = value_text("cpu");
	values[SHARE_USE_value] = value_real(
		association->user != NO_USER ? association->usage : view->fairshare->usage[association->account]);
	return true;
}

static bool next_share(struct rows *rows, struct value *values, struct arena *scratch)
{
	const struct view *view = rows->owner;
	const struct world *world = view->world;
	if (rows->at == world->association_count)
		return false;
	uint32_t number = (uint32_t)rows->at++;
	const struct association *association = &world->associations[number];
	const struct account *account = &world->accounts[association->account];
	bool is_user = association->user != NO_USER, is_root = !is_user && !association->account;
	const struct fairshare *fairshare = view->fairshare;
	uint32_t parent = is_user ? association->account : account->parent;
	double usage = is_user ? association->usage : fairshare->usage[association->account];
	double part = is_root ? 1 : part_of(association->shares, fairshare->level_shares[parent]);
	double used = is_root ? 1 : part_of(usage, fairshare->usage[parent]);
	values[SHARE_id] = value_number(number + 1);
	values[SHARE_cluster] = value_text(view->cluster);
	values[SHARE_name] = value_text(is_user ? world->users[association->user].name : account->name);
	values[SHARE_parent] = value_text(is_user   ? account->name
					  : is_root ? ""
						    : world->accounts[account->parent].name);
	if (!is_root)
		values[SHARE_shares] = value_number(association->shares);
	values[SHARE_shares_normalized] = value_real(part);
	values[SHARE_usage] = value_number((int64_t)usage);
	values[SHARE_usage_normalized] = value_real(part_of(usage, fairshare->usage[0]));
	values[SHARE_effective_usage] = value_real(used);
	values[SHARE_factor] = value_real(fairshare->factors[number]);
	if (used > 0)
		values[SHARE_level] = value_real(part / used);
	else if (view->release == RELEASE_26_05)
		values[SHARE_level] = value_real(0x1p64);
	else if (view->version >= 42)
		values[SHARE_level].kind = VALUE_INFINITE;
	else
		values[SHARE_level] = value_real(1.7976931348623157e308);
	values[SHARE_share_use] = value_rows(
		view_rows_new(scratch, (struct rows){.next = next_share_use, .owner = view, .record = association}));
	values[SHARE_type] = value_words(view_words(scratch, is_user ? "USER" : "ASSOCIATION", NULL, NULL));
	return true;
}

struct rows view_shares(const struct view *view)
{
	return (struct rows){.next = next_share, .owner = view};
}
