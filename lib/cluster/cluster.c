#include "cluster/cluster.h"

void cluster_init(struct cluster *cluster)
{
	*cluster = (struct cluster){0};
	vocabulary_init(&cluster->vocabulary);
	scheduler_section_init(&cluster->scheduler);
	accounting_section_init(&cluster->accounting);
	cluster->job_table = job_table_new();
	job_table_count_groups(cluster->job_table, &cluster->caps);
	cluster->conf = CONF_UNKNOWN;
	caps_init(&cluster->caps);
	for (int kind = 0; kind < JOB_KINDS; kind++)
		roster_init(&cluster->rosters[kind]);
	node_events_init(&cluster->node_events);
}

void cluster_done(struct cluster *cluster)
{
	partitions_section_free(cluster->partitions);
	nodes_section_free(cluster->nodes);
	job_table_free(cluster->job_table);
	record_list_free(cluster->shares);
	record_list_free(cluster->reservations);
	record_list_free(cluster->licenses);
	scheduler_section_done(&cluster->scheduler);
	accounting_section_done(&cluster->accounting);
	caps_done(&cluster->caps);
	job_groups_done(&cluster->groups);
	node_causes_done(&cluster->causes);
	for (int kind = 0; kind < JOB_KINDS; kind++)
		roster_done(&cluster->rosters[kind]);
	node_events_done(&cluster->node_events);
	each_job_done(&cluster->each_job);
	demands_free(cluster->demands);
	qos_section_free(cluster->qos);
	associations_section_free(cluster->associations);
	limits_use_free(cluster->limits);
	vocabulary_done(&cluster->vocabulary);
}

void cluster_set_job_rows(struct cluster *cluster, const struct job_rows_max *max)
{
	memcpy(cluster->job_table->extras.max, max->jobs, sizeof max->jobs);
	for (int stage = 0; stage < STAGE_ENDED; stage++)
		cluster->each_job.sets[stage].max = max->jobs[stage];
	cluster->each_job.node_rows_max = max->nodes;
}

void cluster_forget_jobs(struct cluster *cluster)
{
	struct job_rows_max max = {.nodes = cluster->each_job.node_rows_max};
	memcpy(max.jobs, cluster->job_table->extras.max, sizeof max.jobs);
	cluster_show_jobs(cluster, false);
	each_job_done(&cluster->each_job);
	job_table_free(cluster->job_table);
	cluster->job_table = job_table_new();
	job_table_count_groups(cluster->job_table, &cluster->caps);
	cluster_set_job_rows(cluster, &max);
}

void cluster_forget_limits(struct cluster *cluster)
{
	limits_use_free(cluster->limits);
	cluster->limits = NULL;
}

void cluster_show_jobs(struct cluster *cluster, bool are_shown)
{
	if (are_shown == (cluster->jobs != NULL))
		return;
	cluster->jobs = are_shown ? cluster->job_table->totals : NULL;
	cluster_forget_limits(cluster);
}

static void work_out_limits(struct cluster *cluster)
{
	struct arena arena = ARENA_INIT;
	struct charges charges;
	const struct associations_section *associations = cluster->associations;
	/* They were read before the cluster's name was known, and belong to another cluster. */
	if (associations && *cluster->name && !text_equal(associations->cluster, text_of(cluster->name)))
		associations = NULL;
	bool has_charges = cluster_detailed_jobs(cluster) && cluster->partitions && cluster->qos;
	charges_init(&charges, &arena);
	if (has_charges)
		job_table_charge(cluster->job_table, &charges);
	cluster_forget_limits(cluster);
	cluster->limits = limits_use_new(has_charges ? &charges : NULL, cluster_partitions(cluster), cluster->qos,
					 associations, cluster->shares);
	cluster->limits_changes = cluster->job_table->changes;
	charges_done(&charges);
	arena_done(&arena);
}

void cluster_settle(struct cluster *cluster)
{
	if (cluster->jobs)
		cluster->jobs = job_table_settle(cluster->job_table, cluster_partitions(cluster));
	bool has_changed = cluster->jobs && cluster->limits_changes != cluster->job_table->changes;
	if (!cluster->limits || has_changed)
		work_out_limits(cluster);
}

const struct map *cluster_partitions(const struct cluster *cluster)
{
	return cluster->partitions ? &cluster->partitions->partitions : NULL;
}
