#include "cluster/cluster.h"

void cluster_init(struct cluster *cluster)
{
	*cluster = (struct cluster){0};
	vocabulary_init(&cluster->vocabulary);
}

void cluster_done(struct cluster *cluster)
{
	partitions_section_free(cluster->partitions);
	nodes_section_free(cluster->nodes);
	jobs_section_free(cluster->jobs);
	vocabulary_done(&cluster->vocabulary);
}

const struct map *cluster_partitions(const struct cluster *cluster)
{
	return cluster->partitions ? &cluster->partitions->partitions : NULL;
}
