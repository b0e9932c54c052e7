/* Jobs that ended lately, each by itself: how, when, and what it made of what it held. For a user or their advisor who asks
 * what became of a job. From the ends that events count (events/recent_ends.h), for at most --jobs.ended-rows jobs. */
#include "metrics/job_labels.h"

static struct text text_in(const struct page_facts *facts, uint32_t number)
{
	return text_pool_get(&facts->events->texts, number);
}

static void label_number(struct exposition *out, const char *label, uint64_t number)
{
	char digits[24];
	if (number_is_known(number))
		exposition_label(out, label, job_decimal(number, digits));
}

static void emit_info(struct exposition *out, const struct page_facts *facts, const struct family *family,
		      const void *item)
{
	(void)family;
	const struct recent_end *end = item;
	const struct job_owner owner = owners_get(&facts->events->owners, end->owner);
	const struct job_names names = {
		&owner, text_in(facts, end->name), text_in(facts, end->sluid), end->array_job_id, end->array_task_id,
		0};
	job_labels(out, facts, &names);
	exposition_label(out, "state", text_in(facts, end->state));
	label_number(out, "exit_code", end->exit_code);
	label_number(out, "signal", end->exit_signal);
	exposition_label(out, "failed_node", text_in(facts, end->failed_node));
	exposition_integer(out, 1);
}

static void emit_gres(struct exposition *out, const struct page_facts *facts, const struct family *family,
		      const void *item)
{
	(void)family;
	struct gres gres[TRES_GRES_MAX];
	unsigned count = tres_gres(text_in(facts, ((const struct recent_end *)item)->tres), gres);
	job_gres_samples(out, gres, count);
}

static void emit_used_cpus(struct exposition *out, const struct page_facts *facts, const struct family *family,
			   const void *item)
{
	(void)facts, (void)family;
	const struct recent_end *end = item;
	if (end->used_cpu_seconds >= 0)
		exposition_number(out, end->used_cpu_seconds);
}

#define NUMBER_OF(member) emit_number, offsetof(struct recent_end, member), 0, 0

static const struct family ended_families[] = {
	{"slurm_ended_job_info", GAUGE,
	 "sluid,user,account,partition,qos,name,array_job_id,array_task_id,state,exit_code,signal,failed_node",
	 "Jobs that ended lately, and how; always 1. Without exit_code and signal Slurm ended the job itself: what its "
	 "script said then is not reliable. A job that ran several times has its latest end.",
	 emit_info, 0, 0, 0},
	{"slurm_ended_job_submit_timestamp_seconds", GAUGE, NULL, "When the job was submitted.",
	 NUMBER_OF(submit_time)},
	{"slurm_ended_job_eligible_timestamp_seconds", GAUGE, NULL, "When the job became eligible to run.",
	 NUMBER_OF(eligible_time)},
	{"slurm_ended_job_start_timestamp_seconds", GAUGE, NULL, "When the job started; absent if it never did.",
	 NUMBER_OF(start_time)},
	{"slurm_ended_job_end_timestamp_seconds", GAUGE, NULL, "When the job ended.", NUMBER_OF(end_time)},
	{"slurm_ended_job_run_seconds", GAUGE, NULL, "For how long the job ran, without suspensions.",
	 NUMBER_OF(run_seconds)},
	{"slurm_ended_job_time_limit_seconds", GAUGE, NULL, "The job's time limit; absent if unlimited.",
	 NUMBER_OF(time_limit)},
	{"slurm_ended_job_allocated_cpus", GAUGE, NULL, "CPUs that the job held.", NUMBER_OF(cpus)},
	{"slurm_ended_job_allocated_memory_bytes", GAUGE, NULL, "Memory that the job held.", NUMBER_OF(memory)},
	{"slurm_ended_job_allocated_nodes", GAUGE, NULL, "Nodes that the job held.", NUMBER_OF(nodes)},
	{"slurm_ended_job_allocated_gres", GAUGE, "gres,type",
	 "Generic resources that the job held; those without a type were not typed. Only what AccountingStorageTRES names.",
	 emit_gres, 0, 0, 0},
	{"slurm_ended_job_used_cpu_seconds", GAUGE, NULL,
	 "CPU time that the job's processes used, user and system; absent until slurmscope has read the job's steps.",
	 emit_used_cpus, 0, 0, 0},
	{"slurm_ended_job_peak_memory_bytes", GAUGE, NULL,
	 "Memory that the job used at most: of the step that used most, the highest of each of its tasks added up.",
	 NUMBER_OF(peak_memory)},
	{"slurm_ended_job_energy_joules", GAUGE, NULL, "Energy that Slurm measured of the job's nodes.",
	 NUMBER_OF(energy)},
};

/* How many samples of the family the jobs without rows would have. Their steps are not known. */
static uint64_t samples_left_out(const struct family *family, const struct ends_left_out *out)
{
	if (family->emit == emit_gres)
		return out->gres;
	if (family->emit == emit_info)
		return out->jobs;
	switch (family->emit == emit_number ? family->offset : 0) {
	case offsetof(struct recent_end, submit_time):
	case offsetof(struct recent_end, end_time):
		return out->jobs;
	case offsetof(struct recent_end, eligible_time):
		return out->eligible;
	case offsetof(struct recent_end, time_limit):
		return out->limit;
	case offsetof(struct recent_end, start_time):
	case offsetof(struct recent_end, run_seconds):
	case offsetof(struct recent_end, cpus):
	case offsetof(struct recent_end, memory):
	case offsetof(struct recent_end, nodes):
		return out->start;
	}
	return 0;
}

static void each_ended(struct family_sink *sink, int kind)
{
	(void)kind;
	const struct job_events *events = sink->facts->events;
	if (!events || !events->recent.max)
		return;
	for (size_t i = 0; i < events->recent.count; i++) {
		job_base_label(sink->out, events->recent.items[i].raw_id);
		family_item(sink, &events->recent.items[i]);
	}
	exposition_left_out(sink->out, samples_left_out(sink->family, &events->recent.left_out));
}

const struct family_group ended_job_group = {.collect = COLLECT_JOB_ROWS,
					     GROUP_FAMILIES(ended_families),
					     .labels = "jobid",
					     .origin = {.source = "dbd_jobs"},
					     .owners = OWNER_ANY,
					     .job_rows = JOB_ROWS_ENDED,
					     .each = each_ended};
