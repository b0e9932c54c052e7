#include "cluster/cluster.h"

void cluster_init(struct cluster *cluster)
{
	*cluster = (struct cluster){0};
	vocabulary_init(&cluster->vocabulary);
	scheduler_section_init(&cluster->scheduler);
	accounting_section_init(&cluster->accounting);
	cluster->conf = (struct conf){NUMBER_UNSET, NUMBER_UNSET};
	caps_init(&cluster->caps);
	for (int kind = 0; kind < ENTITY_KINDS; kind++)
		roster_init(&cluster->rosters[kind]);
	node_events_init(&cluster->node_events);
}

void cluster_done(struct cluster *cluster)
{
	partitions_section_free(cluster->partitions);
	nodes_section_free(cluster->nodes);
	jobs_section_free(cluster->jobs);
	record_list_free(cluster->shares);
	record_list_free(cluster->reservations);
	record_list_free(cluster->licenses);
	scheduler_section_done(&cluster->scheduler);
	accounting_section_done(&cluster->accounting);
	caps_done(&cluster->caps);
	for (int kind = 0; kind < ENTITY_KINDS; kind++)
		roster_done(&cluster->rosters[kind]);
	node_events_done(&cluster->node_events);
	vocabulary_done(&cluster->vocabulary);
}

const struct map *cluster_partitions(const struct cluster *cluster)
{
	return cluster->partitions ? &cluster->partitions->partitions : NULL;
}
