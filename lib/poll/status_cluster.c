#include "poll/status_cluster.h"

#include "model/number.h"

#include <stdlib.h>

static enum status_answer answer_of(enum up up)
{
	return up == UP_YES ? ANSWER_YES : up == UP_NO ? ANSWER_NO : ANSWER_UNKNOWN;
}

static void gather_controllers(struct status *status, const struct cluster *cluster)
{
	status->controller_count = cluster->controller_count;
	status->controllers = arena_new(&status->arena, (cluster->controller_count + 1) * sizeof *status->controllers);
	for (unsigned i = 0; i < cluster->controller_count; i++) {
		const struct controller_state *controller = &cluster->controllers[i];
		status->controllers[i] = (struct status_controller){
			.host = status_copy(status, text_of(controller->host)),
			.is_primary = controller->is_primary,
			.is_up = !cluster->controllers_are_sure ? ANSWER_UNKNOWN
				 : controller->is_up		? ANSWER_YES
								: ANSWER_NO,
			.ping_s = number_is_known(controller->latency_us) ? (double)controller->latency_us * 1e-6 : -1,
		};
	}
}

/* A row per name, even if its number is 0: the first `always` names, others if their bit is set. */
static struct status_counts named(struct status *status, const struct names *names, unsigned always, uint64_t seen,
				  const uint64_t *counts)
{
	struct status_counts list = {arena_new(&status->arena, (names->count + 1) * sizeof *list.rows), 0};
	for (unsigned i = 0; i < names->count; i++)
		if (i < always || counts[i] || (seen >> i & 1))
			list.rows[list.count++] =
				(struct status_count){status_copy(status, text_of(names->name[i])), counts[i]};
	return list;
}

static struct status_capacity share_of(const uint64_t shares[CAPACITY_STATES])
{
	return (struct status_capacity){shares[CAPACITY_ALLOCATED], shares[CAPACITY_IDLE], shares[CAPACITY_OTHER]};
}

static void gather_nodes(struct status *status, const struct cluster *cluster)
{
	const struct vocabulary *vocabulary = &cluster->vocabulary;
	if (!cluster->nodes)
		return;
	const struct node_usage *usage = &cluster->nodes->cluster;
	struct status_nodes *nodes = &status->nodes;
	nodes->is_known = true;
	nodes->states = named(status, &vocabulary->node_states, NODE_STATES, 0, usage->nodes);
	nodes->flags = named(status, &vocabulary->node_flags, 0, usage->flags_seen, usage->flagged);
	for (size_t i = 0; i < nodes->states.count; i++)
		nodes->total += nodes->states.rows[i].count;
	nodes->cpus = share_of(usage->cpus);
	nodes->memory_bytes = share_of(usage->memory);
	nodes->gres = arena_new(&status->arena, (usage->gres.count + 1) * sizeof *nodes->gres);
	size_t *order = map_sorted(&usage->gres);
	for (size_t i = 0; i < usage->gres.count; i++) {
		const struct gres_count *gres = usage->gres.entries[order[i]].value;
		uint64_t counts[CAPACITY_STATES];
		for (int state = 0; state < CAPACITY_STATES; state++)
			counts[state] = uint128_shown(gres->count[state]);
		nodes->gres[nodes->gres_count++] = (struct status_gres){
			status_copy(status, gres->name), status_copy(status, gres->type), share_of(counts)};
	}
	free(order);
}

static int compare_counts(const void *a, const void *b)
{
	const struct status_count *left = a, *right = b;
	if (left->count != right->count)
		return left->count < right->count ? 1 : -1;
	return strcmp(left->name, right->name);
}

static struct status_counts reasons_of(struct status *status, const struct map *reasons)
{
	struct status_counts list = {arena_new(&status->arena, (reasons->count + 1) * sizeof *list.rows), 0};
	for (size_t i = 0; i < reasons->count; i++) {
		uint64_t count = *(const uint64_t *)reasons->entries[i].value;
		if (count)
			list.rows[list.count++] =
				(struct status_count){status_copy(status, reasons->entries[i].key), count};
	}
	qsort(list.rows, list.count, sizeof *list.rows, compare_counts);
	return list;
}

static void gather_jobs(struct status *status, const struct cluster *cluster)
{
	if (!cluster->jobs)
		return;
	const struct job_usage *usage = job_totals_cluster(cluster->jobs);
	struct status_jobs *jobs = &status->jobs;
	jobs->is_known = true;
	jobs->has_details = !cluster->jobs_lack_details;
	jobs->states = named(status, &cluster->vocabulary.job_states, JOB_STATES, 0, usage->jobs);
	jobs->without_details = cluster->jobs->jobs_without_details;
	jobs->reasons = reasons_of(status, &usage->reasons);
	jobs->classes = (struct status_counts){arena_new(&status->arena, REASON_CLASSES * sizeof *jobs->classes.rows),
					       REASON_CLASSES};
	for (int class = 0; class < REASON_CLASSES; class ++)
		jobs->classes.rows[class] = (struct status_count){reason_class_names[class], usage->pending[class]};
	jobs->oldest_startable = (double)usage->oldest_pending[REASON_STARTABLE];
}

static uint64_t or_zero(uint64_t number)
{
	return number_is_known(number) ? number : 0;
}

void status_gather_cluster(struct status *status, const struct cluster *cluster)
{
	const struct diag *diag = &cluster->scheduler.diag;
	status->slurm_version = status_copy(status, text_of(cluster->slurm_version));
	status->api_version = status_copy(status, text_of(cluster->api_version));
	gather_controllers(status, cluster);
	status->is_accounting_up = answer_of(cluster->accounting_up);
	gather_nodes(status, cluster);
	gather_jobs(status, cluster);
	if (cluster->scheduler.is_known)
		status->scheduler = (struct status_scheduler){true, or_zero(diag->threads), or_zero(diag->agent_queue),
							      or_zero(diag->dbd_queue)};
}
