/* The oracle: sums made by walking the world, by code that makes no answers. */
#include "slurmsim/sim.h"

#include "base/map.h"

#include <stdio.h>
#include <stdlib.h>

struct truth {
	struct arena arena;
	struct map sums; /* "kind,name,...": a number */
};

static void add(struct truth *truth, double number, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void add(struct truth *truth, double number, const char *format, ...)
{
	char key[256];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(key, sizeof key, format, arguments);
	va_end(arguments);
	*(double *)map_add(&truth->sums, text_of(key)) += number;
}

static void walk_job(struct truth *truth, const struct world *world, const struct job *job)
{
	const struct association *association = world_association(world, job);
	const char *user = world->users[association->user].name;
	const char *account = world->accounts[association->account].name;
	const char *state = job_state_names[job->state], *qos = world->qos[job->qos].name;
	double tasks = job_tasks(job);
	add(truth, tasks, "jobs/%s", state);
	add(truth, tasks, "account_jobs/%s/%s", account, state);
	add(truth, tasks, "user_jobs/%s/%s/%s", user, account, state);
	add(truth, tasks, "qos_jobs/%s/%s", qos, state);
	uint8_t partitions[] = {job->partition, job->other_partition};
	for (size_t i = 0; i < 2 && partitions[i] != NO_PARTITION; i++) {
		const char *partition = world->partitions[partitions[i]].name;
		add(truth, tasks, "partition_jobs/%s/%s", partition, state);
		if (job->state == JOB_PENDING)
			add(truth, tasks, "partition_reasons/%s/%s", partition,
			    job_reason_names[job->reason]);
	}
	if (job->flags & JOB_COMPLETING)
		add(truth, tasks, "completing");
	if (job->state == JOB_PENDING)
		add(truth, tasks, "reasons/%s", job_reason_names[job->reason]);
	if (job->state > JOB_RUNNING)
		return;
	add(truth, tasks * job->cpus, "job_cpus/%s", state);
	add(truth, tasks * view_memory(job), "job_memory_mib/%s", state);
	add(truth, tasks * job->node_count, "job_nodes/%s", state);
	add(truth, tasks * job->gpus * job->node_count, "job_gpus/%s", state);
	add(truth, tasks * job->cpus, "user_cpus/%s/%s/%s", user, account, state);
}

static void walk_node(struct truth *truth, const struct world *world, uint32_t number)
{
	const struct node *node = &world->nodes[number];
	bool is_out = node->flags & (NODE_DOWN | NODE_DRAIN);
	const char *state = node->flags & NODE_DOWN	     ? "DOWN"
			    : node->cpus_alloc == node->cpus ? "ALLOCATED"
			    : node->cpus_alloc		     ? "MIXED"
							     : "IDLE";
	double idle = node->cpus - node->cpus_alloc;
	add(truth, 1, "nodes/%s", state);
	add(truth, node->cpus_alloc, "cpus/allocated");
	add(truth, is_out ? 0 : idle, "cpus/idle");
	add(truth, is_out ? idle : 0, "cpus/other");
	add(truth, node->gpus_alloc, "gpus/allocated");
	add(truth, node->memory_alloc, "memory_mib/allocated");
	if (node->flags & NODE_DRAIN)
		add(truth, 1, "nodes_flagged/DRAIN");
	if (node->flags & NODE_NOT_RESPONDING)
		add(truth, 1, "nodes_flagged/NOT_RESPONDING");
	for (uint32_t i = 0; i < world->partition_count; i++)
		if (number - world->partitions[i].first < world->partitions[i].count)
			add(truth, 1, "partition_nodes/%s/%s", world->partitions[i].name, state);
}

/* What jobs hold, to be compared with what nodes say is held. */
static void walk_held(struct truth *truth, const struct job *job)
{
	bool holds = job->state == JOB_RUNNING || job->flags & JOB_COMPLETING;
	add(truth, holds ? job->cpus : 0, "held/cpus");
	add(truth, holds ? view_memory(job) : 0, "held/memory_mib");
	add(truth, holds ? job->gpus * job->node_count : 0, "held/gpus");
}

static void write_sums(const struct truth *truth, struct buf *out)
{
	size_t *order = map_sorted(&truth->sums);
	for (size_t i = 0; i < truth->sums.count; i++) {
		const struct map_entry *entry = &truth->sums.entries[order[i]];
		buf_printf(out, ",\n  \"%s\": %.17g", entry->key.bytes, *(double *)entry->value);
	}
	free(order);
}

void truth_write(const struct sim *sim, struct buf *out)
{
	const struct world *world = &sim->world;
	struct truth truth = {.arena = ARENA_INIT};
	map_init(&truth.sums, &truth.arena, sizeof(double));
	uint32_t lowest = UINT32_MAX, highest = 0;
	for (size_t place = 0; place < world->jobs.end; place++) {
		const struct job *job = job_table_at(&world->jobs, place);
		if (!job->id)
			continue;
		walk_job(&truth, world, job);
		walk_held(&truth, job);
		lowest = job->id < lowest ? job->id : lowest;
		highest = job->id > highest ? job->id : highest;
	}
	for (uint32_t i = 0; i < world->options.nodes; i++)
		walk_node(&truth, world, i);
	buf_printf(out,
		   "{\n  \"now\": %lld,\n  \"second\": %d,\n  \"records\": %zu,\n  \"lowest_id\": "
		   "%u,\n"
		   "  \"highest_id\": %u,\n  \"next_id\": %u,\n  \"submitted\": %lu,\n  "
		   "\"started\": %lu,\n"
		   "  \"ended\": %zu",
		   (long long)world_unix(world, world->now), world->now, world->jobs.count,
		   highest ? lowest : 0, highest, world->next_id, world->counters.submitted,
		   world->counters.started, world->ended_count);
	write_sums(&truth, out);
	buf_add_string(out, "\n}\n");
	map_done(&truth.sums);
	arena_done(&truth.arena);
}

void stats_write(const struct sim *sim, struct buf *out)
{
	const struct traffic *traffic = &sim->traffic;
	double slurmrestd_s = 0, slurmctld_s = 0;
	buf_add_string(out, "{\n  \"endpoints\": {");
	for (int i = 0, written = 0; i < ENDPOINTS; i++) {
		if (!traffic->endpoints[i].requests)
			continue;
		slurmrestd_s += traffic->endpoints[i].slurmrestd_s;
		slurmctld_s += traffic->endpoints[i].slurmctld_s;
		buf_printf(out,
			   "%s\n    \"%s\": {\"requests\": %lu, \"failures\": %lu, \"rows\": %lu, "
			   "\"bytes\": %lu, \"slurmrestd_seconds\": %.6f, \"slurmctld_seconds\": "
			   "%.6f}",
			   written++ ? "," : "", endpoint_names[i], traffic->endpoints[i].requests,
			   traffic->endpoints[i].failures, traffic->endpoints[i].rows,
			   traffic->endpoints[i].bytes, traffic->endpoints[i].slurmrestd_s,
			   traffic->endpoints[i].slurmctld_s);
	}
	buf_printf(out,
		   "\n  },\n  \"slurmrestd_seconds\": %.6f,\n  \"slurmctld_seconds\": %.6f,\n"
		   "  \"slurmrestd_memory_bytes\": %lu\n}\n",
		   slurmrestd_s, slurmctld_s, traffic->memory_peak);
}
