#include "cluster/fold.h"

#include "base/memory.h"
#include "jobs/reserved.h"
#include "model/fairshare.h"

#include <stdlib.h>

static void offer_jobs(struct cluster *cluster, int kind)
{
	const struct map *entities = &cluster->jobs->entities[kind];
	for (size_t i = 0; i < entities->count; i++) {
		const struct job_usage *usage = entities->entries[i].value;
		struct roster_use use = {
			.cpus = usage->cpus[PHASE_RUNNING] + usage->cpus[PHASE_PENDING],
			.ties = usage->jobs[JOB_RUNNING] + usage->jobs[JOB_PENDING] + usage->jobs[JOB_SUSPENDED],
		};
		if (kind >= ENTITY_KINDS || caps_allow(&cluster->caps, (enum entity_kind)kind, usage->label))
			roster_offer(&cluster->rosters[kind], entities->entries[i].key, use);
	}
}

/* Partitions without jobs are candidates, too, since people want to see that one is empty. */
static void offer_partitions(struct cluster *cluster, const struct map *partitions)
{
	for (size_t i = 0; partitions && i < partitions->count; i++) {
		const struct text label[2] = {partitions->entries[i].key};
		if (caps_allow(&cluster->caps, ENTITY_PARTITION, label))
			roster_offer(&cluster->rosters[ENTITY_PARTITION], label[0], (struct roster_use){0});
	}
}

/* Accounts and users without jobs are candidates, too, because of their fairshare. Those of the largest past use come
 * first. */
static void offer_shares(struct cluster *cluster)
{
	const struct record_list *shares = cluster->shares;
	struct buf key = BUF_INIT;
	for (size_t i = 0; shares && i < shares->count; i++) {
		const struct fairshare *share = &((const struct fairshare *)shares->items)[i];
		enum entity_kind kind = share->is_user ? ENTITY_USER : ENTITY_ACCOUNT;
		const struct text label[2] = {share->name, share->parent};
		if (!caps_allow(&cluster->caps, kind, label))
			continue;
		entity_key(&key, kind, share->name, share->parent);
		roster_offer(&cluster->rosters[kind], buf_text(&key),
			     (struct roster_use){.ties = number_is_known(share->usage) ? share->usage : 0});
	}
	buf_done(&key);
}

static void offer_idle(struct cluster *cluster, enum entity_kind kind, struct text name, struct text second)
{
	const struct text label[2] = {name, second};
	struct buf key = BUF_INIT;
	entity_key(&key, kind, name, second);
	if (caps_allow(&cluster->caps, kind, label))
		roster_offer(&cluster->rosters[kind], buf_text(&key), (struct roster_use){0});
	buf_done(&key);
}

/* QOS, accounts and users are candidates, too, if they have limits or use something that others limit. People want to
 * see a limit before there are jobs. */
static void offer_limited(struct cluster *cluster)
{
	const struct limits_use *limits = cluster->limits;
	for (size_t i = 0; limits && i < limits->qos.count; i++) {
		const struct limited *qos = limits->qos.entries[i].value;
		offer_idle(cluster, ENTITY_QOS, qos->label[0], TEXT(""));
	}
	for (size_t i = 0; limits && i < limits->associations.count; i++) {
		const struct limited *association = limits->associations.entries[i].value;
		struct text account = association->label[0], user = association->label[1];
		if (user.len)
			offer_idle(cluster, ENTITY_USER, user, account);
		else
			offer_idle(cluster, ENTITY_ACCOUNT, account, TEXT(""));
	}
}

/* Do we know any entities of the kind? If not, as in an outage, each keeps its row: nobody should lose a row because
 * slurmrestd was away. */
static bool is_told(const struct cluster *cluster, int kind)
{
	if (kind == ENTITY_PARTITION && (cluster->partitions || cluster->nodes))
		return true;
	if ((kind == ENTITY_ACCOUNT || kind == ENTITY_USER) && (cluster->shares || cluster->associations))
		return true;
	return cluster_detailed_jobs(cluster) || (kind == ENTITY_QOS && cluster->qos);
}

static void choose(struct cluster *cluster)
{
	offer_shares(cluster);
	offer_limited(cluster);
	offer_partitions(cluster, cluster_partitions(cluster));
	offer_partitions(cluster, cluster->nodes ? &cluster->nodes->partitions : NULL);
	for (int kind = ENTITY_PARTITION; kind < JOB_KINDS; kind++) {
		if (cluster_detailed_jobs(cluster))
			offer_jobs(cluster, kind);
		if (is_told(cluster, kind))
			roster_choose(&cluster->rosters[kind], caps_rows(&cluster->caps, kind));
	}
}

static void add_named(uint64_t *into, const uint64_t *from, size_t count)
{
	for (size_t i = 0; i < count; i++)
		into[i] += from[i];
}

static void add_gres(struct map *into, const struct map *from)
{
	for (size_t i = 0; i < from->count; i++) {
		const struct gres_count *gres = from->entries[i].value;
		uint128_add(gres_count_of(into, gres->name, gres->type)->count, gres->count, CAPACITY_STATES);
	}
}

static void add_job_usage(struct job_usage *into, const struct job_usage *from)
{
	add_named(into->jobs, from->jobs, NAMES_MAX);
	add_named(into->flagged, from->flagged, NAMES_MAX);
	into->flags_seen |= from->flags_seen;
	add_named(into->pending, from->pending, REASON_CLASSES);
	for (int class = 0; class < REASON_CLASSES; class ++) {
		uint64_t oldest = from->oldest_pending[class], *so_far = &into->oldest_pending[class];
		if (oldest && (!*so_far || oldest < *so_far))
			*so_far = oldest;
	}
	uint128_add(into->cpus, from->cpus, PHASES);
	uint128_add(into->memory, from->memory, PHASES);
	uint128_add(into->nodes, from->nodes, PHASES);
	if (from->max_startable_nodes > into->max_startable_nodes)
		into->max_startable_nodes = from->max_startable_nodes;
	for (size_t i = 0; i < from->reasons.count; i++)
		*reason_count_of(&into->reasons, from->reasons.entries[i].key) +=
			*(const uint64_t *)from->reasons.entries[i].value;
	add_gres(&into->gres, &from->gres);
}

/* The rows of the kind that are folded. */
static size_t fold_kind(struct job_totals *jobs, int kind, const struct roster *roster)
{
	const struct map *entities = &jobs->entities[kind];
	size_t folded = 0;
	for (size_t i = 0; i < entities->count; i++) {
		struct job_usage *usage = entities->entries[i].value;
		usage->is_folded = !roster_shows(roster, entities->entries[i].key);
		if (!usage->is_folded)
			continue;
		add_job_usage(job_totals_other(jobs, kind), usage);
		folded++;
	}
	if (!jobs->rests[kind])
		return folded;
	jobs->rests[kind]->is_folded = true;
	add_job_usage(job_totals_other(jobs, kind), jobs->rests[kind]);
	return folded + 1;
}

/* Takes the job off the row `other` of a kind as often as it counts there more than once. Rows of a kind are beside each
 * other. False: it counts in each of them once. */
static bool take_off_repeats(struct job_totals *jobs, const struct owner_list *usages,
			     const struct job_contribution *contribution)
{
	bool has_repeats = false;
	int folded = ENTITY_CLUSTER; /* the kind of the last folded row */
	for (size_t i = 0; i < usages->count; i++) {
		const struct job_usage *usage = usages->items[i];
		if (!usage->is_folded)
			continue;
		if (usage->kind == folded)
			job_usage_take_off(job_totals_other(jobs, folded), contribution);
		has_repeats |= usage->kind == folded;
		folded = usage->kind;
	}
	return has_repeats;
}

/* A job of several partitions, QOS or values of a group may count in several rows that are folded. In `other` it counts once. */
static void count_once(struct job_totals *jobs, const struct job_table *table)
{
	bool *is_once = memory_new((table->pools.groups.keys.count + 1) * sizeof *is_once); /* by owner */
	for (size_t i = 0; i < table->position_count; i++) {
		const struct job_row *row = &table->rows[i];
		if (!row->group || is_once[row->group])
			continue;
		const struct job_contribution contribution = job_row_contribution(row, &table->pools);
		const struct owner_list *usages = job_totals_of(jobs, &table->pools.groups, row->group);
		is_once[row->group] = !take_off_repeats(jobs, usages, &contribution);
	}
	free(is_once);
}

static void fold_jobs(struct job_totals *jobs, const struct roster *rosters, const struct job_table *table)
{
	bool may_repeat = false;
	job_totals_unfold(jobs);
	for (int kind = ENTITY_PARTITION; kind < JOB_KINDS; kind++) {
		size_t folded = fold_kind(jobs, kind, &rosters[kind]);
		may_repeat |= folded > 1 && kind != ENTITY_ACCOUNT && kind != ENTITY_USER;
	}
	if (may_repeat)
		count_once(jobs, table);
}

/* What jobs that could start ask for, and what others hold in reservations, of the jobs and nodes as they are now. */
static void work_out_demands(struct cluster *cluster)
{
	demands_free(cluster->demands);
	cluster->demands = cluster_detailed_jobs(cluster)
				   ? demands_new(cluster->job_table, &cluster->rosters[ENTITY_PARTITION])
				   : NULL;
	if (cluster->reservations)
		reserved_count(cluster->reservations, cluster->job_table);
	if (cluster->demands && cluster->nodes)
		demands_compare(cluster->demands, cluster->nodes);
}

void cluster_fold(struct cluster *cluster)
{
	cluster_settle(cluster);
	choose(cluster);
	if (cluster_detailed_jobs(cluster))
		each_job_choose(&cluster->each_job, cluster->job_table, cluster->nodes ? &cluster->nodes->table : NULL);
	if (cluster->jobs)
		fold_jobs(cluster->jobs, cluster->rosters, cluster->job_table);
	if (cluster->nodes)
		nodes_section_fold(cluster->nodes, &cluster->rosters[ENTITY_PARTITION]);
	work_out_demands(cluster);
}
