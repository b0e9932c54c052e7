#include "cluster/fold.h"

#include "jobs/reserved.h"
#include "model/fairshare.h"

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
		add_named(gres_count_of(into, gres->name, gres->type)->count, gres->count, CAPACITY_STATES);
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
	add_named(into->cpus, from->cpus, PHASES);
	add_named(into->memory, from->memory, PHASES);
	add_named(into->nodes, from->nodes, PHASES);
	if (from->max_startable_nodes > into->max_startable_nodes)
		into->max_startable_nodes = from->max_startable_nodes;
	for (size_t i = 0; i < from->reasons.count; i++)
		*reason_count_of(&into->reasons, from->reasons.entries[i].key) +=
			*(const uint64_t *)from->reasons.entries[i].value;
	add_gres(&into->gres, &from->gres);
}

static void add_node_usage(struct node_usage *into, const struct node_usage *from)
{
	add_named(into->nodes, from->nodes, NAMES_MAX);
	into->free += from->free;
	add_named(into->flagged, from->flagged, NAMES_MAX);
	into->flags_seen |= from->flags_seen;
	add_named(into->cpus, from->cpus, CAPACITY_STATES);
	add_named(into->memory, from->memory, CAPACITY_STATES);
	into->effective_cpus += from->effective_cpus;
	into->effective_memory += from->effective_memory;
	add_gres(&into->gres, &from->gres);
}

static void fold_jobs(struct job_totals *jobs, const struct roster *rosters)
{
	job_totals_unfold(jobs);
	for (int kind = ENTITY_PARTITION; kind < JOB_KINDS; kind++) {
		const struct map *entities = &jobs->entities[kind];
		for (size_t i = 0; i < entities->count; i++)
			if (!roster_shows(&rosters[kind], entities->entries[i].key))
				add_job_usage(job_totals_other(jobs, kind), entities->entries[i].value);
		if (jobs->rests[kind])
			add_job_usage(job_totals_other(jobs, kind), jobs->rests[kind]);
	}
}

static void fold_nodes(struct nodes_section *nodes, const struct roster *roster)
{
	nodes_section_unfold(nodes);
	for (size_t i = 0; i < nodes->partitions.count; i++)
		if (!roster_shows(roster, nodes->partitions.entries[i].key))
			add_node_usage(nodes_section_other(nodes), nodes->partitions.entries[i].value);
}

/* What jobs that could start ask for, and what others hold in reservations, of the jobs and nodes as they are now. */
static void work_out_demands(struct cluster *cluster)
{
	demands_free(cluster->demands);
	cluster->demands = cluster_detailed_jobs(cluster) ? demands_new(cluster->job_table) : NULL;
	if (cluster->reservations)
		reserved_count(cluster->reservations, cluster->job_table);
	if (!cluster->demands)
		return;
	if (cluster->nodes)
		demands_compare(cluster->demands, cluster->nodes);
	const struct map *partitions = &cluster->demands->partitions;
	for (size_t i = 0; i < partitions->count; i++)
		if (!roster_shows(&cluster->rosters[ENTITY_PARTITION], partitions->entries[i].key))
			demands_fold(cluster->demands, partitions->entries[i].value);
}

void cluster_fold(struct cluster *cluster)
{
	cluster_settle(cluster);
	choose(cluster);
	if (cluster_detailed_jobs(cluster))
		each_job_choose(&cluster->each_job, cluster->job_table, cluster->nodes ? &cluster->nodes->table : NULL);
	if (cluster->jobs)
		fold_jobs(cluster->jobs, cluster->rosters);
	if (cluster->nodes)
		fold_nodes(cluster->nodes, &cluster->rosters[ENTITY_PARTITION]);
	work_out_demands(cluster);
}
