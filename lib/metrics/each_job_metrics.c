/* Each job by itself: who has it, where it runs, what it holds and since when. For a user or their advisor who asks
 * about one job, joined with what exporters on the nodes say of it. From the job table and its extras
 * (jobs/each_job.h), for at most --jobs.rows jobs. */
#include "metrics/family.h"
#include "model/hostlist.h"
#include "model/tres.h"

#include <inttypes.h>
#include <stdio.h>

/* One job, as the families below need it. */
struct job_item {
	const struct each_job_row *shown;
	const struct job_row *row;
	const struct job_extra *extra; /* NULL: not known yet */
	const struct job_table *table;
};

/* The name if --filter.* allows it a row of its own; else empty. */
static struct text allowed(const struct page_facts *facts, enum entity_kind kind, struct text name, struct text account,
			   char scratch[LABEL_MAX + 1])
{
	const struct text label[2] = {label_of(name, scratch), account};
	return caps_allow(&facts->cluster->caps, kind, label) ? label[0] : LABEL_OTHER;
}

static void label_owner(struct exposition *out, const struct page_facts *facts, const struct job_owner *owner)
{
	char scratch[LABEL_MAX + 1];
	const struct {
		const char *label;
		enum entity_kind kind;
		struct text name;
	} rows[] = {
		{"user", ENTITY_USER, owner->user},
		{"account", ENTITY_ACCOUNT, owner->account},
		{"partition", ENTITY_PARTITION, owner->partitions},
		{"qos", ENTITY_QOS, owner->qos},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].name.len)
			exposition_label(out, rows[i].label,
					 allowed(facts, rows[i].kind, rows[i].name, owner->account, scratch));
}

static struct text decimal(uint64_t number, char scratch[24])
{
	return (struct text){scratch, (size_t)snprintf(scratch, 24, "%" PRIu64, number)};
}

static void label_job(struct exposition *out, const struct page_facts *facts, const struct job_item *job)
{
	static const char *const exclusive[] = {[CPUS_NOT_KNOWN] = "", [CPUS_SOME] = "false", [CPUS_ALL] = "true"};
	char digits[24];
	const struct job_owner owner = owners_get(&job->table->pools.groups, job->row->group);
	exposition_label(out, "sluid", job->extra ? job->extra->sluid : TEXT(""));
	label_owner(out, facts, &owner);
	exposition_label(out, "name", job->extra ? job->extra->name : TEXT(""));
	if (job->row->array_job_id)
		exposition_label(out, "array_job_id", decimal(job->row->array_job_id, digits));
	if (job->row->array_task_id != UINT32_MAX)
		exposition_label(out, "array_task_id", decimal(job->row->array_task_id, digits));
	if (job->extra && job->extra->het_job_id)
		exposition_label(out, "het_job_id", decimal(job->extra->het_job_id, digits));
	exposition_label(out, "exclusive", text_of(exclusive[job->shown->cpus]));
}

static void emit_info(struct exposition *out, const struct page_facts *facts, const struct family *family,
		      const void *item)
{
	(void)family;
	const struct job_item *job = item;
	if (!job->shown->holds_nodes)
		return;
	if (!out->is_folding)
		label_job(out, facts, job);
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
	if (!job->shown->holds_nodes || job->shown->has_node_rows)
		return job->shown->holds_nodes;
	exposition_fold(out, true);
	for (uint32_t i = 0; i < job->shown->nodes; i++)
		exposition_integer(out, 1);
	return false;
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
		node_sample(whole->out, name, node->node.cpus);
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

static void emit_held(struct exposition *out, const struct page_facts *facts, const struct family *family,
		      const void *item)
{
	(void)facts;
	const struct job_item *job = item;
	if (job->shown->holds_nodes)
		exposition_integer(out, *(const uint64_t *)((const char *)job->row + family->offset));
}

static void emit_gres(struct exposition *out, const struct page_facts *facts, const struct family *family,
		      const void *item)
{
	(void)facts, (void)family;
	const struct job_item *job = item;
	struct gres gres[TRES_GRES_MAX];
	unsigned count = tres_gres(text_pool_get(&job->table->pools.texts, job->row->tres), gres);
	char scratch[2][LABEL_MAX + 1];
	for (unsigned i = 0; job->shown->holds_nodes && i < count; i++) {
		exposition_label(out, "gres", label_of(gres[i].name, scratch[0]));
		exposition_label(out, "type", label_of(gres[i].type, scratch[1]));
		exposition_integer(out, gres[i].count);
	}
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

/* The start time of a pending job is a forecast. */
static void emit_start(struct exposition *out, const struct page_facts *facts, const struct family *family,
		       const void *item)
{
	(void)facts, (void)family;
	const struct job_item *job = item;
	if (job->shown->holds_nodes && number_is_known(job->row->start_time) && job->row->start_time)
		exposition_integer(out, job->row->start_time);
}

static void emit_row_number(struct exposition *out, const struct page_facts *facts, const struct family *family,
			    const void *item)
{
	emit_number(out, facts, family, ((const struct job_item *)item)->row);
}

static void emit_extra_number(struct exposition *out, const struct page_facts *facts, const struct family *family,
			      const void *item)
{
	const struct job_item *job = item;
	if (job->extra)
		emit_number(out, facts, family, job->extra);
}

static const struct family each_job_families[] = {
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
	{"slurm_job_state", GAUGE, "state", "The base state that the job is in; always 1.", emit_state, 0, 0, 0},
	{"slurm_job_allocated_cpus", GAUGE, NULL, "CPUs that the job holds.", emit_held, offsetof(struct job_row, cpus),
	 0, 0},
	{"slurm_job_allocated_memory_bytes", GAUGE, NULL, "Memory that the job holds.", emit_held,
	 offsetof(struct job_row, memory), 0, 0},
	{"slurm_job_allocated_gres", GAUGE, "gres,type",
	 "Generic resources that the job holds; those without a type were not typed. Only what "
	 "AccountingStorageTRES names.",
	 emit_gres, 0, 0, 0},
	{"slurm_job_submit_timestamp_seconds", GAUGE, NULL, "When the job was submitted.", emit_submit, 0, 0, 0},
	{"slurm_job_eligible_timestamp_seconds", GAUGE, NULL,
	 "When the job became, or will become, eligible to run; absent while that is not known.", emit_eligible, 0, 0,
	 0},
	{"slurm_job_start_timestamp_seconds", GAUGE, NULL,
	 "When the job started; absent for pending jobs, for which Slurm only has a forecast.", emit_start, 0, 0, 0},
	{"slurm_job_time_limit_seconds", GAUGE, NULL, "The job's time limit; absent if unlimited.", emit_row_number,
	 offsetof(struct job_row, time_limit), 1, 0},
	{"slurm_job_priority", GAUGE, NULL, "The job's priority; 0 if it is held.", emit_extra_number,
	 offsetof(struct job_extra, priority), 1, 0},
	{"slurm_job_restarts", GAUGE, NULL, "How often the job was requeued.", emit_extra_number,
	 offsetof(struct job_extra, restarts), 1, 0},
};

static void each_shown(struct family_sink *sink, const struct each_job *each, const struct job_table *table)
{
	for (size_t i = 0; i < each->count; i++) {
		const struct job_row *row = &table->rows[each->rows[i].position];
		const struct job_item item = {&each->rows[i], row, job_extras_find(&table->extras, row->id), table};
		char digits[24];
		exposition_fold(sink->out, false);
		exposition_base(sink->out);
		exposition_base_label(sink->out, "jobid", decimal(row->id, digits));
		family_item(sink, &item);
	}
}

/* Counts the samples that jobs without rows would have. */
static void each_cut_off(struct family_sink *sink, const struct each_job *each, const struct job_table *table)
{
	static const struct job_extra extra = {.id = 0};
	exposition_fold(sink->out, true);
	for (size_t i = 0; i < each->cut_off_count; i++) {
		const struct job_row *row = &table->rows[each->cut_off[i]];
		const struct each_job_row shown = {.position = each->cut_off[i],
						   .holds_nodes = job_rank_of(row->state, row->flags) != RANK_PENDING,
						   .nodes = (uint32_t)row->nodes};
		const struct job_item item = {&shown, row, &extra, table};
		family_item(sink, &item);
	}
}

static void each_job(struct family_sink *sink, enum entity_kind kind)
{
	(void)kind;
	const struct cluster *cluster = sink->facts->cluster;
	if (!cluster->each_job.max || !cluster_detailed_jobs(cluster))
		return;
	each_shown(sink, &cluster->each_job, cluster->job_table);
	each_cut_off(sink, &cluster->each_job, cluster->job_table);
}

const struct family_group each_job_group = {.collect = COLLECT_JOB_ROWS,
					    GROUP_FAMILIES(each_job_families),
					    .labels = "jobid",
					    .origin = {.source = "jobs"},
					    .each = each_job};
