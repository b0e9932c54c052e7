/* The oracle: sums made by walking the world, by code that makes no answers. */
#include "slurmsim/happened.h"
#include "slurmsim/sim.h"

#include "base/map.h"

#include <stdio.h>
#include <stdlib.h>

struct truth {
	struct arena arena;
	struct map sums; /* "kind,name,...": a number */
};

static void add(struct truth *truth, double number, const char *format, ...) __attribute__((format(printf, 3, 4)));

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
			add(truth, tasks, "partition_reasons/%s/%s", partition, job_reason_names[job->reason]);
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

static void add_time(struct truth *truth, const struct world *world, const struct job *job, const char *what,
		     int32_t at)
{
	if (at != TIME_NONE)
		add(truth, (double)world_unix(world, at), "job_%s/%u", what, job->id);
}

static void walk_held_nodes(struct truth *truth, const struct world *world, const struct job *job,
			    bool *ret_is_exclusive)
{
	const uint32_t *nodes = job->node_count > 1 ? job->nodes : &job->node;
	char name[16];
	*ret_is_exclusive = true;
	for (uint32_t i = 0; i < job->node_count; i++) {
		uint32_t cpus = job->cpus / job->node_count;
		world_node_name(world, nodes[i], name);
		add(truth, 1, "job_node/%u/%s", job->id, name);
		add(truth, cpus, "job_node_cpus/%u/%s", job->id, name);
		*ret_is_exclusive &= world->nodes[nodes[i]].cpus == cpus;
	}
}

/* The names of what slurm_job_info says of it, but its own; an empty name is none. */
static void add_info(struct truth *truth, const struct world *world, const struct job *job, bool is_exclusive)
{
	const struct association *association = world_association(world, job);
	char array[32] = "/", het[16] = "";
	if (job->array_id)
		snprintf(array, sizeof array, job->task == NO_TASK ? "%u/" : "%u/%u", job->array_id, job->task);
	if (job->het_id)
		snprintf(het, sizeof het, "%u", job->het_id);
	add(truth, 1, "job_info/%u/%s/%s/%s/%s/%s/%s/%s", job->id, world->users[association->user].name,
	    world->accounts[association->account].name, world->partitions[job->partition].name,
	    world->qos[job->qos].name, array, het, is_exclusive ? "true" : "false");
}

/* A job by itself. */
static void walk_each(struct truth *truth, const struct world *world, const struct job *job)
{
	bool completes = job->flags & JOB_COMPLETING, is_exclusive;
	if (job->state > JOB_RUNNING && !completes)
		return;
	add(truth, 1, "job_state/%u/%s", job->id, job_state_names[job->state]);
	add_time(truth, world, job, "submit", job->submit);
	add_time(truth, world, job, "eligible", job->eligible);
	add(truth, job->limit_min * 60.0, "job_limit/%u", job->id);
	add(truth, job->priority, "job_priority/%u", job->id);
	add(truth, job->restarts, "job_restarts/%u", job->id);
	if (job->state == JOB_PENDING) {
		add(truth, completes, "job_requeued/%u", job->id); /* COMPLETING is all that 22.05 says */
		return;
	}
	add_time(truth, world, job, "start", job->start);
	walk_held_nodes(truth, world, job, &is_exclusive);
	add_info(truth, world, job, is_exclusive);
	add(truth, job->cpus, "job_cpus_held/%u", job->id);
	add(truth, view_memory(job), "job_memory_held_mib/%u", job->id);
	if (job->gpus)
		add(truth, job->gpus * job->node_count, "job_gres/%u/gpu/a100", job->id);
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
	bool is_free = !is_out && !node->cpus_alloc && !node->completing && !(node->flags & NODE_NOT_RESPONDING);
	add(truth, is_free, "nodes_free");
	for (uint32_t i = 0; i < world->partition_count; i++) {
		if (number - world->partitions[i].first >= world->partitions[i].count)
			continue;
		add(truth, 1, "partition_nodes/%s/%s", world->partitions[i].name, state);
		add(truth, is_free, "partition_nodes_free/%s", world->partitions[i].name);
	}
}

/* What jobs hold, to be compared with what nodes say is held. */
static void walk_held(struct truth *truth, const struct job *job)
{
	bool holds = job->state == JOB_RUNNING || job->flags & JOB_COMPLETING;
	add(truth, holds ? job->cpus : 0, "held/cpus");
	add(truth, holds ? view_memory(job) : 0, "held/memory_mib");
	add(truth, holds ? job->gpus * job->node_count : 0, "held/gpus");
}

/* "events/KIND/NAME.../WHAT", or "groups/..." */
static void add_happened(struct truth *truth, const struct happened *happened, const char *root, const char *whose)
{
	const struct {
		const char *what;
		uint64_t number;
	} rows[] = {
		{"submissions", happened->submissions},
		{"named", happened->named},
		{"starts", happened->starts},
		{"wait_seconds", happened->wait_s},
		{"queue_seconds", happened->queue_s},
		{"run_seconds", happened->run_s},
		{"cpu_seconds", happened->cpu_s},
		{"memory_mib_seconds", happened->memory_s},
		{"gpu_seconds", happened->gpu_s},
		{"used_cpu_seconds", happened->used_cpu_s},
		{"billing_seconds", happened->billing_s},
		{"energy_joules", happened->energy_j},
		{"gpu_memory_gib_seconds", happened->gpu_memory_gib_s},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].number)
			add(truth, (double)rows[i].number, "%s/%s/%s", root, whose, rows[i].what);
	for (int state = 0; state < JOB_STATES; state++)
		if (happened->ends[state])
			add(truth, (double)happened->ends[state], "%s/%s/ends/%s", root, whose,
			    state ? job_state_names[state] : "REQUEUED");
}

/* Rows of groups: by account, QOS and name, by partition and name, and by licence, which the name decides. Names have their
 * numbers here, because they hold any character. */
static void add_to_groups(struct truth *truth, const struct happened *happened, const char *account, const char *in,
			  const char *by, uint32_t name)
{
	const char *license = view_license(&(struct job){.name = (uint8_t)name});
	char whose[128];
	snprintf(whose, sizeof whose, "who/%s/%s/%u", account, by, name);
	add_happened(truth, happened, "groups", whose);
	snprintf(whose, sizeof whose, "kind/%s/%u", in, name);
	add_happened(truth, happened, "groups", whose);
	snprintf(whose, sizeof whose, "app/%s", license ? license : "");
	add_happened(truth, happened, "groups", whose);
}

static void add_to_entities(struct truth *truth, const struct world *world, const struct happened *happened,
			    uint32_t number, uint32_t partition, uint32_t qos, uint32_t name)
{
	const struct association *association = &world->associations[number];
	const char *account = world->accounts[association->account].name;
	const char *in = world->partitions[partition].name, *by = world->qos[qos].name;
	char whose[128];
	add_happened(truth, happened, "events", "cluster");
	snprintf(whose, sizeof whose, "partition/%s", in);
	add_happened(truth, happened, "events", whose);
	snprintf(whose, sizeof whose, "qos/%s", by);
	add_happened(truth, happened, "events", whose);
	snprintf(whose, sizeof whose, "queue/%s/%s", in, by);
	add_happened(truth, happened, "events", whose);
	snprintf(whose, sizeof whose, "account/%s", account);
	add_happened(truth, happened, "events", whose);
	add_to_groups(truth, happened, account, in, by, name);
	if (association->user == NO_USER)
		return;
	snprintf(whose, sizeof whose, "user/%s/%s", world->users[association->user].name, account);
	add_happened(truth, happened, "events", whose);
}

static void walk_happened(struct truth *truth, const struct world *world)
{
	for (uint32_t i = 0; i < world->association_count; i++)
		for (uint32_t partition = 0; partition < world->partition_count; partition++)
			for (uint32_t place = 0; place < world->qos_count * JOB_NAMES; place++) {
				uint32_t qos = place / JOB_NAMES, name = place % JOB_NAMES;
				const struct happened *happened = happened_to(world, i, partition, qos, name);
				if (happened->submissions || happened->named)
					add_to_entities(truth, world, happened, i, partition, qos, name);
			}
}

/* What runs has used so much until now. */
static void walk_run(struct truth *truth, const struct world *world, const struct job *job)
{
	struct happened happened = {0};
	if (job->state != JOB_RUNNING)
		return;
	happened_add_run(&happened, job, world->now);
	happened.used_cpu_s = 0; /* its steps have not ended */
	happened.run_s = 0;
	add_to_entities(truth, world, &happened, job->association, job->partition, job->qos, job->name);
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

void truth_write(const struct sim *sim, bool with_each_job, struct buf *out)
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
		if (with_each_job)
			walk_each(&truth, world, job);
		walk_held(&truth, job);
		walk_run(&truth, world, job);
		lowest = job->id < lowest ? job->id : lowest;
		highest = job->id > highest ? job->id : highest;
	}
	walk_happened(&truth, world);
	for (uint32_t i = 0; i < world->options.nodes; i++)
		walk_node(&truth, world, i);
	buf_printf(out,
		   "{\n  \"now\": %lld,\n  \"second\": %d,\n  \"records\": %zu,\n  \"lowest_id\": "
		   "%u,\n"
		   "  \"highest_id\": %u,\n  \"next_id\": %u,\n  \"submitted\": %lu,\n  "
		   "\"started\": %lu,\n"
		   "  \"ended\": %zu",
		   (long long)world_unix(world, world->now), world->now, world->jobs.count, highest ? lowest : 0,
		   highest, world->next_id, world->counters.submitted, world->counters.started, world->ended_count);
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
			   traffic->endpoints[i].failures, traffic->endpoints[i].rows, traffic->endpoints[i].bytes,
			   traffic->endpoints[i].slurmrestd_s, traffic->endpoints[i].slurmctld_s);
	}
	buf_printf(out,
		   "\n  },\n  \"slurmrestd_seconds\": %.6f,\n  \"slurmctld_seconds\": %.6f,\n"
		   "  \"slurmrestd_memory_bytes\": %lu\n}\n",
		   slurmrestd_s, slurmctld_s, traffic->memory_peak);
}
