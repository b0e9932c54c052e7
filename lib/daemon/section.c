#include "daemon/section.h"

#include "base/memory.h"

#include <stdlib.h>

/* ping */

struct ping_build {
	struct controller_state controllers[CONTROLLERS_MAX];
	unsigned count;
};

static void *ping_start(const struct cluster *cluster, int64_t now)
{
	(void)cluster, (void)now;
	return NEW(struct ping_build);
}

static void ping_take(void *context, const void *record)
{
	struct ping_build *ping = ((struct section_build *)context)->built;
	const struct controller *controller = record;
	if (ping->count == CONTROLLERS_MAX)
		return;
	struct controller_state *state = &ping->controllers[ping->count++];
	*state = (struct controller_state){.is_primary = controller->is_primary,
					   .is_up = controller->is_up,
					   .latency_us = controller->is_up
								 ? controller->latency_us
								 : NUMBER_UNSET};
	text_to_string(controller->host, state->host, sizeof state->host);
}

static void ping_commit(struct cluster *cluster, void *built)
{
	const struct ping_build *ping = built;
	memcpy(cluster->controllers, ping->controllers, sizeof cluster->controllers);
	cluster->controller_count = ping->count;
	free(built);
}

static void ping_drop(struct cluster *cluster)
{
	cluster->controller_count = 0;
}

/* diag */

static void *diag_start(const struct cluster *cluster, int64_t now)
{
	(void)cluster, (void)now;
	return NEW(struct diag);
}

static void diag_take(void *context, const void *record)
{
	*(struct diag *)((struct section_build *)context)->built = *(const struct diag *)record;
}

static void diag_commit(struct cluster *cluster, void *built)
{
	scheduler_section_set(&cluster->scheduler, built);
	free(built);
}

static void diag_drop(struct cluster *cluster)
{
	cluster->scheduler.is_known = false;
}

/* partitions */

static void *partitions_start(const struct cluster *cluster, int64_t now)
{
	(void)cluster, (void)now;
	return partitions_section_new();
}

static void partitions_take(void *context, const void *record)
{
	partitions_section_add(((struct section_build *)context)->built, record);
}

static void partitions_commit(struct cluster *cluster, void *built)
{
	partitions_section_free(cluster->partitions);
	cluster->partitions = built;
}

static void partitions_discard(void *built)
{
	partitions_section_free(built);
}

static void partitions_drop(struct cluster *cluster)
{
	partitions_commit(cluster, NULL);
}

/* nodes */

static void *nodes_start(const struct cluster *cluster, int64_t now)
{
	(void)now;
	return nodes_section_new(cluster->nodes, cluster_partitions(cluster));
}

static void nodes_take(void *context, const void *record)
{
	nodes_section_add(((struct section_build *)context)->built, record);
}

static void nodes_commit(struct cluster *cluster, void *built)
{
	nodes_section_free(cluster->nodes);
	cluster->nodes = built;
}

static void nodes_discard(void *built)
{
	nodes_section_free(built);
}

static void nodes_drop(struct cluster *cluster)
{
	nodes_commit(cluster, NULL);
}

/* jobs */

static void *jobs_start(const struct cluster *cluster, int64_t now)
{
	return jobs_section_new(cluster->jobs, cluster_partitions(cluster), now);
}

static void jobs_take(void *context, const void *record)
{
	struct section_build *build = context;
	const struct job *job = record;
	jobs_section_add(build->built, job, build->now);
	/* before v0.0.40 only the jobs say the cluster's name */
	if (!*build->cluster->name)
		text_to_string(job->cluster, build->cluster->name, sizeof build->cluster->name);
}

static void jobs_commit(struct cluster *cluster, void *built)
{
	jobs_section_free(cluster->jobs);
	cluster->jobs = built;
}

static void jobs_discard(void *built)
{
	jobs_section_free(built);
}

static void jobs_drop(struct cluster *cluster)
{
	jobs_commit(cluster, NULL);
}

const struct section section_table[ENDPOINTS_POLLED] = {
	[ENDPOINT_PING] = {ping_start, ping_take, ping_commit, free, ping_drop},
	[ENDPOINT_DIAG] = {diag_start, diag_take, diag_commit, free, diag_drop},
	[ENDPOINT_PARTITIONS] = {partitions_start, partitions_take, partitions_commit,
				 partitions_discard, partitions_drop},
	[ENDPOINT_NODES] = {nodes_start, nodes_take, nodes_commit, nodes_discard, nodes_drop},
	[ENDPOINT_JOBS] = {jobs_start, jobs_take, jobs_commit, jobs_discard, jobs_drop},
};
