/* Nodes, partitions, reservations and licences. */
#include "slurmsim/kinds.h"
#include "slurmsim/view.h"

static const char *const reasons[] = {"", "Not responding", "disk: needs a look"};

static const char *base_state(const struct node *node)
{
	return node->flags & NODE_DOWN		? "DOWN"
	       : node->cpus_alloc == 0		? "IDLE"
	       : node->cpus_alloc == node->cpus ? "ALLOCATED"
						: "MIXED";
}

static const char *lower_case(struct arena *scratch, const char *text)
{
	char *copy = (char *)scratch_printf(scratch, "%s", text);
	for (char *c = copy; *c; c++)
		*c = (char)(*c | ' ');
	return copy;
}

/* 22.05 has one word, which says nothing of mixed, and the flags in a list of their own. */
static void fill_state(const struct view *view, const struct node *node, struct value *values, struct arena *scratch)
{
	const char *flags[3] = {NULL}, *state = base_state(node);
	size_t count = 0;
	if (node->flags & NODE_DRAIN)
		flags[count++] = "DRAIN";
	if (node->flags & NODE_NOT_RESPONDING)
		flags[count++] = "NOT_RESPONDING";
	if (node->completing)
		flags[count++] = "COMPLETING";
	values[NODE_flags] = value_words(view_words(scratch, flags[0], flags[1], flags[2]));
	if (view->old) {
		values[NODE_state] = value_text(lower_case(scratch, state));
		return;
	}
	const char **words = arena_new(scratch, 5 * sizeof *words);
	words[0] = state;
	for (size_t i = 0; i < count; i++)
		words[i + 1] = flags[i];
	values[NODE_state] = value_words(words);
}

static void fill_resources(const struct node *node, struct value *values, struct arena *scratch)
{
	values[NODE_cpus] = values[NODE_effective_cpus] = values[NODE_cores] = value_number(node->cpus);
	values[NODE_alloc_cpus] = value_number(node->cpus_alloc);
	values[NODE_idle_cpus] = value_number(node->cpus - node->cpus_alloc);
	values[NODE_cpu_load] = value_number(node->cpus_alloc * 97);
	values[NODE_real_memory] = value_number(node->memory);
	values[NODE_alloc_memory] = value_number(node->memory_alloc);
	values[NODE_free_mem] = value_number(node->memory - node->memory_alloc / 2 - 1000);
	values[NODE_gres] = value_text(node->gpus ? scratch_printf(scratch, "gpu:a100:%u", node->gpus) : "");
	values[NODE_gres_used] =
		value_text(node->gpus ? scratch_printf(scratch, "gpu:a100:%u(IDX:N/A)", node->gpus_alloc) : "");
	values[NODE_gres_drained] = value_text("N/A");
	const char *tres = scratch_printf(scratch, "cpu=%u,mem=%uM,billing=%u", node->cpus, node->memory, node->cpus);
	const char *used = scratch_printf(scratch, "cpu=%u,mem=%uM", node->cpus_alloc, node->memory_alloc);
	if (node->gpus) {
		tres = scratch_printf(scratch, "%s,gres/gpu=%u,gres/gpu:a100=%u", tres, node->gpus, node->gpus);
		used = scratch_printf(scratch, "%s,gres/gpu=%u,gres/gpu:a100=%u", used, node->gpus_alloc,
				      node->gpus_alloc);
	}
	values[NODE_tres] = value_text(tres);
	values[NODE_tres_used] = value_text(node->cpus_alloc ? used : "");
	values[NODE_tres_weight] = value_real(node->cpus_alloc);
}

static const char *const *partitions_of(const struct world *world, uint32_t node, struct arena *scratch)
{
	const char **names = arena_new(scratch, (world->partition_count + 1) * sizeof *names);
	size_t count = 0;
	for (uint32_t i = 0; i < world->partition_count; i++)
		if (node - world->partitions[i].first < world->partitions[i].count)
			names[count++] = world->partitions[i].name;
	return names;
}

static void fill_node(const struct view *view, uint32_t number, struct value *values, struct arena *scratch)
{
	const struct world *world = view->world;
	const struct node *node = &world->nodes[number];
	char name[16];
	const char *copy = scratch_printf(scratch, "%s", world_node_name(world, number, name));
	values[NODE_name] = values[NODE_hostname] = values[NODE_address] = value_text(copy);
	fill_state(view, node, values, scratch);
	fill_resources(node, values, scratch);
	values[NODE_partitions] = value_words(partitions_of(world, number, scratch));
	values[NODE_boot_time] = value_number(world_unix(world, -86400 - (int32_t)(number % 1000)));
	values[NODE_slurmd_start_time] = value_number(world_unix(world, -86300 - (int32_t)(number % 1000)));
	values[NODE_last_busy] = value_number(world_unix(world, node->cpus_alloc ? world->now : node->last_busy));
	values[NODE_features] = value_words(view_words(scratch, node->gpus ? "a100" : "epyc", NULL, NULL));
	values[NODE_port] = value_number(6818);
	values[NODE_weight] = value_number(1 + node->gpus);
	values[NODE_reservation] = value_text("");
	values[NODE_comment] = value_text(number ? "" : "first of its rack");
	values[NODE_reason] = value_text(reasons[node->reason]);
	values[NODE_reason_changed_at] = value_number(node->reason ? world_unix(world, node->reason_time) : 0);
	if (node->reason)
		values[NODE_reason_set_by_user] = value_text("root");
	else if (!view->old)
		values[NODE_reason_set_by_user] = value_text("");
}

static bool next_node(struct rows *rows, struct value *values, struct arena *scratch)
{
	const struct view *view = rows->owner;
	if (view->node != NO_NODE) {
		if (rows->at++)
			return false;
		fill_node(view, view->node, values, scratch);
		return true;
	}
	if (rows->at == view->world->options.nodes)
		return false;
	fill_node(view, (uint32_t)rows->at++, values, scratch);
	return true;
}

struct rows view_nodes(const struct view *view)
{
	return (struct rows){.next = next_node, .owner = view};
}

static bool next_partition(struct rows *rows, struct value *values, struct arena *scratch)
{
	const struct view *view = rows->owner;
	const struct world *world = view->world;
	if (rows->at == world->partition_count)
		return false;
	const struct partition *partition = &world->partitions[rows->at++];
	uint64_t cpus = 0, memory = 0, gpus = 0;
	char first[16], last[16];
	for (uint32_t i = partition->first; i < partition->first + partition->count; i++) {
		cpus += world->nodes[i].cpus;
		memory += world->nodes[i].memory;
		gpus += world->nodes[i].gpus;
	}
	world_node_name(world, partition->first, first);
	world_node_name(world, partition->first + partition->count - 1, last);
	values[PARTITION_name] = value_text(partition->name);
	values[PARTITION_nodes] =
		value_text(partition->count > 1 ? scratch_printf(scratch, "n[%s-%s]", first + 1, last + 1)
						: scratch_printf(scratch, "%s", first));
	values[PARTITION_total_nodes] = value_number(partition->count);
	values[PARTITION_total_cpus] = value_number((int64_t)cpus);
	const char *tres =
		scratch_printf(scratch, "cpu=%lu,mem=%luM,node=%u,billing=%lu", cpus, memory, partition->count, cpus);
	if (gpus)
		tres = scratch_printf(scratch, "%s,gres/gpu=%lu,gres/gpu:a100=%lu", tres, gpus, gpus);
	values[PARTITION_tres] = value_text(tres);
	values[PARTITION_max_time] = value_number(partition->max_min);
	values[PARTITION_default_time] = value_number(partition->default_min);
	values[PARTITION_max_nodes].kind = VALUE_INFINITE;
	values[PARTITION_tier] = value_number(partition->tier);
	values[PARTITION_factor] = value_number(partition->factor);
	values[PARTITION_state] = value_words(view_words(scratch, "UP", NULL, NULL));
	const char *flag = !partition->is_default ? NULL : view->old ? "default" : "DEFAULT";
	values[PARTITION_flags] = value_words(view_words(scratch, flag, NULL, NULL));
	return true;
}

struct rows view_partitions(const struct view *view)
{
	return (struct rows){.next = next_partition, .owner = view};
}

/* Two reservations that hold nothing back. One is of the last CPU node, for an hour from tomorrow on. The other is of
 * the first, from an hour ago for a day. */
static bool next_reservation(struct rows *rows, struct value *values, struct arena *scratch)
{
	const struct view *view = rows->owner;
	const struct world *world = view->world;
	char name[16];
	if (rows->at == 2)
		return false;
	bool later = rows->at++ == 0;
	uint32_t node = later ? world->partitions[0].count - 1 : 0, cpus = world->nodes[node].cpus;
	int64_t epoch = world->options.epoch;
	int64_t start = later ? epoch - epoch % 86400 + 86400 : epoch - 3600;
	values[RESERVATION_name] = value_text(later ? "service" : "training");
	values[RESERVATION_start_time] = value_number(start);
	values[RESERVATION_end_time] = value_number(start + (later ? 3600 : 86400));
	values[RESERVATION_node_list] = value_text(scratch_printf(scratch, "%s", world_node_name(world, node, name)));
	values[RESERVATION_node_count] = value_number(1);
	values[RESERVATION_core_count] = value_number(cpus);
	values[RESERVATION_tres] = value_text(scratch_printf(scratch, "cpu=%u", cpus));
	values[RESERVATION_partition] = values[RESERVATION_accounts] = value_text("");
	values[RESERVATION_users] = value_text("root");
	values[RESERVATION_flags] = value_words(view_words(scratch, later ? "MAINT" : "FLEX", "SPEC_NODES", NULL));
	return true;
}

struct rows view_reservations(const struct view *view)
{
	return (struct rows){.next = next_reservation, .owner = view};
}

/* What running jobs have of it. */
static int64_t count_licenses(const struct world *world, const char *license)
{
	int64_t used = 0;
	for (size_t place = 0; place < world->jobs.end; place++) {
		const struct job *job = job_table_at(&world->jobs, place);
		const char *name = view_license(job);
		used += job->id && job->state == JOB_RUNNING && name && strcmp(name, license) == 0;
	}
	return used;
}

static bool next_license(struct rows *rows, struct value *values, struct arena *scratch)
{
	(void)scratch;
	static const struct {
		const char *name;
		int64_t total;
	} licenses[] = {{"matlab", 100}, {"ansys", 20}};
	if (rows->at == sizeof licenses / sizeof *licenses)
		return false;
	const struct view *view = rows->owner;
	const char *name = licenses[rows->at].name;
	int64_t total = licenses[rows->at++].total, used = count_licenses(view->world, name);
	used = used < total ? used : total;
	values[LICENSE_name] = value_text(name);
	values[LICENSE_total] = value_number(total);
	values[LICENSE_used] = value_number(used);
	values[LICENSE_free] = value_number(total - used);
	values[LICENSE_reserved] = value_number(0);
	return true;
}

struct rows view_licenses(const struct view *view)
{
	return (struct rows){.next = next_license, .owner = view};
}
