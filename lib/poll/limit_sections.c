#include "poll/limit_sections.h"

void *qos_start(const struct cluster *cluster, int64_t now)
{
	(void)cluster, (void)now;
	return qos_section_new();
}

void qos_take(void *context, const void *record)
{
	qos_section_add(((struct section_build *)context)->built, record);
}

void qos_commit(struct cluster *cluster, void *built)
{
	qos_section_free(cluster->qos);
	cluster->qos = built;
	cluster_forget_limits(cluster);
}

void qos_discard(void *built)
{
	qos_section_free(built);
}

void qos_drop(struct cluster *cluster)
{
	qos_commit(cluster, NULL);
}

void *associations_start(const struct cluster *cluster, int64_t now)
{
	(void)cluster, (void)now;
	return associations_section_new();
}

void associations_take(void *context, const void *record)
{
	const struct section_build *build = context;
	associations_section_add(build->built, record, text_of(build->cluster->name));
}

void associations_commit(struct cluster *cluster, void *built)
{
	associations_section_free(cluster->associations);
	cluster->associations = built;
	cluster_forget_limits(cluster);
}

void associations_discard(void *built)
{
	associations_section_free(built);
}

void associations_drop(struct cluster *cluster)
{
	associations_commit(cluster, NULL);
}
