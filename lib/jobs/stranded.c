/* What is idle on nodes where no job that could start fits. It asks only whether a job finds on the node what it needs there
 * at least. What else may keep a job from a node, such as a feature, makes it fit fewer nodes; so never too much counts. */
#include "jobs/demand.h"

static bool is_gpu(const struct gres_count *gres)
{
	return text_equal(gres->name, TEXT("gpu"));
}

/* A GPU without a type may be of any. */
static bool is_of_type(const struct gres_count *gpu, struct text type)
{
	return !type.len || !gpu->type.len || text_equal(gpu->type, type);
}

static uint64_t idle_gpus(const struct node_row *node, struct text type)
{
	uint64_t gpus = 0;
	for (size_t i = 0; i < node->gres.count; i++)
		if (is_gpu(&node->gres.rows[i]) && is_of_type(&node->gres.rows[i], type))
			gpus += node->gres.rows[i].count[CAPACITY_IDLE];
	return gpus;
}

static bool fits(const struct node_need *need, const struct node_row *node)
{
	return need->cpus <= node->available_cpus && need->memory <= node->available_memory &&
	       (!need->gpus || need->gpus <= idle_gpus(node, need->gpu_type));
}

static bool is_of_use(const struct node_needs *needs, const struct node_row *node)
{
	for (size_t i = 0; i < needs->count; i++)
		if (fits(&needs->items[i], node))
			return true;
	return false;
}

static bool is_gpu_of_use(const struct node_needs *needs, const struct node_row *node, const struct gres_count *gpu)
{
	for (size_t i = 0; i < needs->count; i++)
		if (is_of_type(gpu, needs->items[i].gpu_type) && fits(&needs->items[i], node))
			return true;
	return false;
}

static uint128 *stranded_gpus_of(struct demand *demand, const struct gres_count *gpu)
{
	return &gres_count_of(&demand->stranded_gpus, gpu->name, gpu->type)->count[CAPACITY_IDLE];
}

/* Nothing is stranded yet of any type that the partition has. */
static void begin(struct demand *demand, const struct node_usage *usage)
{
	demand->is_compared = true;
	demand->are_gpus_compared = demand->gpu_needs.count > 0;
	for (size_t i = 0; usage && i < usage->gres.count; i++)
		if (is_gpu(usage->gres.entries[i].value))
			stranded_gpus_of(demand, usage->gres.entries[i].value);
}

static void compare(struct demand *demand, const struct node_row *node)
{
	if (!is_of_use(&demand->needs, node))
		demand->stranded_cpus += node->available_cpus;
	for (size_t i = 0; demand->are_gpus_compared && i < node->gres.count; i++) {
		const struct gres_count *gres = &node->gres.rows[i];
		if (is_gpu(gres) && gres->count[CAPACITY_IDLE] && !is_gpu_of_use(&demand->gpu_needs, node, gres))
			*stranded_gpus_of(demand, gres) += gres->count[CAPACITY_IDLE];
	}
}

void demands_compare(struct demands *demands, const struct nodes_section *nodes)
{
	for (size_t i = 0; i < demands->partitions.count; i++)
		begin(demands->partitions.entries[i].value,
		      map_find(&nodes->partitions, demands->partitions.entries[i].key));
	if (demands->other)
		begin(demands->other, nodes->has_other ? &nodes->other : NULL);
	for (size_t i = 0; i < nodes->table.rows.count; i++) {
		const struct node_row *node = nodes->table.rows.entries[i].value;
		struct text partitions = node->node.partitions, name;
		char scratch[LABEL_MAX + 1];
		bool is_in_other = false;
		while (node_takes_jobs(&node->node) && text_next(&partitions, ',', &name)) {
			struct demand *demand = demands_find(demands, label_of(name, scratch));
			if (demand && (demand != demands->other || !is_in_other))
				compare(demand, node);
			is_in_other |= demand == demands->other;
		}
	}
}
