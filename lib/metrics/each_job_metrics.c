/* Each job by itself: who has it, where it runs, what it holds and since when; or why it waits, and for what. For a user
 * or their advisor who asks about one job, joined with what exporters on the nodes say of it. From the job table and its
 * extras (jobs/each_job.h), for at most --jobs.rows jobs that hold nodes and --jobs.pending-rows that wait. */
#include "metrics/job_labels.h"
#include "model/hostlist.h"

/* One job, as the families below need it. */
struct job_item {
	const struct each_job_row *shown;
	const struct job_row *row;
	const struct job_extra *extra; /* NULL: not known yet */
	const struct job_table *table;
};

static void label_job(struct exposition *out, const struct page_facts *facts, const struct job_item *job)
{
	const struct job_owner owner = owners_get(&job->table->pools.groups, job->row->group);
	const struct job_names names = {
		.owner = &owner,
		.name = job->extra ? job->extra->name : TEXT(""),
		.sluid = job->extra ? job->extra->sluid : TEXT(""),
		.array_job_id = job->row->array_job_id,
		.array_task_id = job->row->array_task_id,
		.het_job_id = job->extra ? job->extra->het_job_id : 0,
	};
	job_labels(out, facts, &names);
}

static void emit_info(struct exposition *out, const struct page_facts *facts, const struct family *family,
		      const void *item)
{
	static const char *const exclusive[] = {[CPUS_NOT_KNOWN] = "", [CPUS_SOME] = "false", [CPUS_ALL] = "true"};
	(void)family;
	const struct job_item *job = item;
	label_job(out, facts, job);
	exposition_label(out, "exclusive", text_of(exclusive[job->shown->cpus]));
	exposition_integer(out, 1);
}

static void emit_pending_info(struct exposition *out, const struct page_facts *facts, const struct family *family,
			      const void *item)
{
	(void)family;
	const struct job_item *job = item;
	char scratch[LABEL_MAX + 1];
	label_job(out, facts, job);
	exposition_label(out, "reason", job_reason_label(job->table, job->row, scratch));
	exposition_label(out, "class", text_of(reason_class_names[job->row->class]));
	exposition_integer(out, 1);
}

/* One node of a job. */
static void node_sample(struct exposition *out, struct text name, uint64_t value)
{
	char scratch[LABEL_MAX + 1];
	exposition_label(out, "node", label_of(name, scratch));
	exposition_integer(out, value);
}

static void take_node(void *context, struct text name)
{
	node_sample(context, name, 1);
}

/* Does the job have rows of its nodes? If not, its samples are counted instead. */
static bool shows_nodes(struct exposition *out, const struct job_item *job)
{
	if (!job->shown->has_node_rows)
		exposition_left_out(out, job->shown->nodes);
	return job->shown->has_node_rows;
}

static void emit_nodes(struct exposition *out, const struct page_facts *facts, const struct family *family,
		       const void *item)
{
	(void)facts, (void)family;
	const struct job_item *job = item;
	uint64_t left = job->shown->nodes;
	if (shows_nodes(out, job))
		hostlist_each(text_pool_get(&job->table->pools.texts, job->row->node_list), &left, take_node, out);
}

struct whole_nodes {
	struct exposition *out;
	const struct node_table *nodes;
};

static void take_whole_node(void *context, struct text name)
{
	char scratch[LABEL_MAX + 1];
	const struct whole_nodes *whole = context;
	const struct node_row *node = map_find(&whole->nodes->rows, label_of(name, scratch));
	if (node)
		node_sample(whole->out, name, node_cpus_of_jobs(&node->node));
}

/* Three cases are known: the job has one node; it has all CPUs of its nodes; Slurm reports the CPUs of each node. */
static void emit_node_cpus(struct exposition *out, const struct page_facts *facts, const struct family *family,
			   const void *item)
{
	(void)family;
	const struct job_item *job = item;
	if (!shows_nodes(out, job))
		return;
	struct text list = text_pool_get(&job->table->pools.texts, job->row->node_list);
	uint64_t left = job->shown->nodes;
	char first[HOSTLIST_NODE_MAX + 1];
	struct whole_nodes whole = {out, facts->cluster->nodes ? &facts->cluster->nodes->table : NULL};
	if (job->shown->nodes == 1)
		node_sample(out, hostlist_first(list, first), job->row->cpus);
	else if (job->shown->cpus == CPUS_ALL && whole.nodes)
		hostlist_each(list, &left, take_whole_node, &whole);
	else if (job->extra && job->extra->node_count == job->shown->nodes)
		for (size_t i = 0; i < job->extra->node_count; i++)
			node_sample(out, job->extra->nodes[i].name, job->extra->nodes[i].cpus);
}

static void emit_state(struct exposition *out, const struct page_facts *facts, const struct family *family,
		       const void *item)
{
	(void)family;
	const struct job_row *row = ((const struct job_item *)item)->row;
	exposition_label(out, "state", text_of(facts->cluster->vocabulary.job_states.name[row->state]));
	exposition_integer(out, 1);
}

/* Of a pending array's rest these are one task's. What it asked for of memory may not be told. */
static void emit_memory(struct exposition *out, const struct page_facts *facts, const struct family *family,
			const void *item)
{
	(void)facts, (void)family;
	const struct job_row *row = ((const struct job_item *)item)->row;
	if (row->memory)
		exposition_integer(out, row->memory);
}

static void emit_requested_nodes(struct exposition *out, const struct page_facts *facts, const struct family *family,
				 const void *item)
{
	(void)facts, (void)family;
	exposition_integer(out, ((const struct job_item *)item)->row->nodes);
}

static void emit_gres(struct exposition *out, const struct page_facts *facts, const struct family *family,
		      const void *item)
{
	(void)facts, (void)family;
	const struct job_item *job = item;
	struct gres gres[TRES_GRES_MAX];
	job_gres_samples(out, gres, tres_gres(text_pool_get(&job->table->pools.texts, job->row->tres), gres));
}

static void emit_submit(struct exposition *out, const struct page_facts *facts, const struct family *family,
			const void *item)
{
	(void)facts, (void)family;
	const struct job_row *row = ((const struct job_item *)item)->row;
	if (row->submit_time)
		exposition_integer(out, row->submit_time);
}

static void emit_eligible(struct exposition *out, const struct page_facts *facts, const struct family *family,
			  const void *item)
{
	(void)facts, (void)family;
	const struct job_row *row = ((const struct job_item *)item)->row;
	if (row->eligible_time)
		exposition_integer(out, row->eligible_time);
}

static void emit_start(struct exposition *out, const struct page_facts *facts, const struct family *family,
		       const void *item)
{
	(void)facts, (void)family;
	const struct job_row *row = ((const struct job_item *)item)->row;
	if (number_is_known(row->start_time) && row->start_time)
		exposition_integer(out, row->start_time);
}

static void emit_forecast(struct exposition *out, const struct page_facts *facts, const struct family *family,
			  const void *item)
{
	(void)facts, (void)family;
	uint64_t time = each_job_forecast(((const struct job_item *)item)->row);
	if (time)
		exposition_integer(out, time);
}

static void emit_row_number(struct exposition *out, const struct page_facts *facts, const struct family *family,
			    const void *item)
{
	emit_number(out, facts, family, ((const struct job_item *)item)->row);
}

static void emit_time_limit(struct exposition *out, const struct page_facts *facts, const struct family *family,
			    const void *item)
{
	(void)facts, (void)family;
	uint64_t limit = ((const struct job_item *)item)->row->time_limit;
	if (number_is_known(limit))
		exposition_integer(out, limit);
}

static void emit_extra_number(struct exposition *out, const struct page_facts *facts, const struct family *family,
			      const void *item)
{
	const struct job_item *job = item;
	if (job->extra)
		emit_number(out, facts, family, job->extra);
}

static const struct family holding_families[] = {
	{"slurm_job_info", GAUGE,
	 "sluid,user,account,partition,qos,name,array_job_id,array_task_id,het_job_id,exclusive",
	 "Jobs that hold nodes: running, suspended or completing; always 1. The label exclusive says whether the job "
	 "holds all CPUs of its nodes, so that numbers of the nodes are numbers of the job.",
	 emit_info, 0, 0, 0},
	{"slurm_job_node_info", GAUGE, "node", "The nodes that the job holds; always 1.", emit_nodes, 0, 0, 0},
	{"slurm_job_node_cpus", GAUGE, "node",
	 "CPUs that the job holds on the node. A job that holds parts of several nodes has them only with at most 64 "
	 "nodes, and since Slurm 24.05.",
	 emit_node_cpus, 0, 0, 0},
	{"slurm_job_allocated_cpus", GAUGE, NULL, "CPUs that the job holds.", emit_row_number,
	 offsetof(struct job_row, cpus), 0, 0},
	{"slurm_job_allocated_memory_bytes", GAUGE, NULL, "Memory that the job holds.", emit_row_number,
	 offsetof(struct job_row, memory), 0, 0},
	{"slurm_job_allocated_gres", GAUGE, "gres,type",
	 "Generic resources that the job holds; those without a type were not typed. Only what "
	 "AccountingStorageTRES names.",
	 emit_gres, 0, 0, 0},
	{"slurm_job_start_timestamp_seconds", GAUGE, NULL,
	 "When the job started; absent for pending jobs, for which Slurm only has a forecast.", emit_start, 0, 0, 0},
};

static const struct family pending_families[] = {
	{"slurm_pending_job_info", GAUGE,
	 "sluid,user,account,partition,qos,name,array_job_id,array_task_id,het_job_id,reason,class",
	 "Jobs that wait, and why; always 1. The class is that of the reason, as in slurm_cluster_pending_jobs. Without "
	 "array_task_id it is an array's rest, whose tasks Slurm has not split yet.",
	 emit_pending_info, 0, 0, 0},
	{"slurm_pending_job_tasks", GAUGE, NULL, "Jobs that the row stands for: tasks of an array's rest, else 1.",
	 emit_row_number, offsetof(struct job_row, tasks), 0, 0},
	{"slurm_pending_job_requested_cpus", GAUGE, NULL,
	 "CPUs that the job asks for; each of its tasks, if it is an "
	 "array's rest.",
	 emit_row_number, offsetof(struct job_row, cpus), 0, 0},
	{"slurm_pending_job_requested_memory_bytes", GAUGE, NULL,
	 "Memory that the job asks for; each of its tasks, if it is an array's rest.", emit_memory, 0, 0, 0},
	{"slurm_pending_job_requested_nodes", GAUGE, NULL,
	 "Nodes that the job asks for; each of its tasks, if it is an array's rest.", emit_requested_nodes, 0, 0, 0},
	{"slurm_pending_job_requested_gres", GAUGE, "gres,type",
	 "Generic resources that the job asks for, each of its tasks, if it is an array's rest; those without a type may "
	 "be of any. Only what AccountingStorageTRES names.",
	 emit_gres, 0, 0, 0},
	{"slurm_pending_job_expected_start_timestamp_seconds", GAUGE, NULL,
	 "When the job will start, as slurmctld's scheduler last forecast it; absent without a forecast, and once that has passed.",
	 emit_forecast, 0, 0, 0},
};

static const struct family live_families[] = {
	{"slurm_job_state", GAUGE, "state", "The base state that the job is in; always 1.", emit_state, 0, 0, 0},
	{"slurm_job_submit_timestamp_seconds", GAUGE, NULL, "When the job was submitted.", emit_submit, 0, 0, 0},
	{"slurm_job_eligible_timestamp_seconds", GAUGE, NULL,
	 "When the job became, or will become, eligible to run; absent while that is not known.", emit_eligible, 0, 0,
	 0},
	{"slurm_job_time_limit_seconds", GAUGE, NULL, "The job's time limit; absent if unlimited.", emit_time_limit, 0,
	 0, 0},
	{"slurm_job_priority", GAUGE, NULL, "The job's priority; 0 if it is held.", emit_extra_number,
	 offsetof(struct job_extra, priority), 1, 0},
	{"slurm_job_restarts", GAUGE, NULL, "How often the job was requeued.", emit_extra_number,
	 offsetof(struct job_extra, restarts), 1, 0},
};

/* How many samples of the family the jobs without rows would have; most families have one of each job. */
static uint64_t samples_left_out(const struct family *family, const struct each_job_left_out *out)
{
	const struct {
		family_emit_fn *emit;
		uint64_t samples;
	} rows[] = {
		{emit_nodes, out->nodes},      {emit_node_cpus, out->nodes},   {emit_gres, out->gres},
		{emit_submit, out->submit},    {emit_eligible, out->eligible}, {emit_start, out->start},
		{emit_time_limit, out->limit}, {emit_memory, out->memory},     {emit_forecast, out->forecast},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].emit == family->emit)
			return rows[i].samples;
	return out->jobs;
}

static void each_of(struct family_sink *sink, enum job_stage stage)
{
	const struct cluster *cluster = sink->facts->cluster;
	const struct each_job_set *set = &cluster->each_job.sets[stage];
	const struct job_table *table = cluster->job_table;
	if (!set->max || !cluster_detailed_jobs(cluster))
		return;
	for (size_t i = 0; i < set->count; i++) {
		const struct job_row *row = &table->rows[set->rows[i].position];
		const struct job_item item = {&set->rows[i], row, job_extras_find(&table->extras, row->id), table};
		job_base_label(sink->out, row->id);
		family_item(sink, &item);
	}
	exposition_left_out(sink->out, samples_left_out(sink->family, &set->left_out));
}

static void each_holding(struct family_sink *sink, int kind)
{
	(void)kind;
	each_of(sink, STAGE_HOLDING);
}

static void each_pending(struct family_sink *sink, int kind)
{
	(void)kind;
	each_of(sink, STAGE_PENDING);
}

static void each_live(struct family_sink *sink, int kind)
{
	each_holding(sink, kind);
	each_pending(sink, kind);
}

#define JOB_GROUP(table, function)                                                                                     \
	{                                                                                                              \
		.collect = COLLECT_JOB_ROWS, GROUP_FAMILIES(table), .labels = "jobid", .origin = {.source = "jobs"},   \
		.owners = OWNER_ANY, .job_rows = JOB_ROWS_LIVE, .each = function                                       \
	}
const struct family_group holding_job_group = JOB_GROUP(holding_families, each_holding);
const struct family_group live_job_group = JOB_GROUP(live_families, each_live);
const struct family_group pending_job_group = JOB_GROUP(pending_families, each_pending);
