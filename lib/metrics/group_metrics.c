/* Jobs by what the site chose: who waits and runs in each project, campaign or class of jobs, and what has become of theirs?
 * Of the same totals and tallies as those of accounts. */
#include "metrics/group_metrics.h"

static void each_group_tally(struct family_sink *sink, int kind)
{
	const struct job_group *group = caps_group(&sink->facts->cluster->caps, kind);
	const char *labels[GROUP_LABELS_MAX] = {NULL};
	for (size_t i = 0; i < group->label_count; i++)
		labels[i] = group->labels[i].name;
	each_tally(sink, kind, labels);
}

static const struct family_group present = {
	.collect = COLLECT_JOBS, .origin = {.source = "jobs"}, .each = each_job_usage};
static const struct family_group events = {
	.collect = COLLECT_JOB_EVENTS, .origin = {.source = "dbd_jobs"}, .each = each_group_tally};

const struct group_family group_families[] = {
	{GROUP_JOBS,
	 &present,
	 {"slurm_group_{X}_jobs", GAUGE, "state",
	  "Jobs of the group {X} by base state, each array task counted, without ended ones.", emit_live_states, 0, 0,
	  0}},
	{GROUP_CPUS,
	 &present,
	 {"slurm_group_{X}_job_cpus", GAUGE, "state",
	  "CPUs that running jobs of the group {X} hold and its pending jobs ask for.", emit_phases,
	  offsetof(struct job_usage, cpus), 0, 0}},
	{GROUP_MEMORY,
	 &present,
	 {"slurm_group_{X}_job_memory_bytes", GAUGE, "state",
	  "Memory that running jobs of the group {X} hold and its pending jobs ask for.", emit_phases,
	  offsetof(struct job_usage, memory), 0, 0}},
	{GROUP_GPUS,
	 &present,
	 {"slurm_group_{X}_job_gres", GAUGE, "gres,type,state",
	  "Generic resources that running jobs of the group {X} hold and its pending jobs ask for. Only what "
	  "AccountingStorageTRES names.",
	  emit_job_gres, 0, 0, 0}},
	{GROUP_ENDS,
	 &events,
	 {"slurm_group_{X}_job_submissions_total", COUNTER, NULL,
	  "Jobs of the group {X} that were submitted, each array task counted, requeues included.", emit_tally,
	  TALLY_SUBMISSIONS, 0, 0}},
	{GROUP_ENDS,
	 &events,
	 {"slurm_group_{X}_job_starts_total", COUNTER, NULL, "Jobs of the group {X} that started, requeues included.",
	  emit_tally, TALLY_STARTS, 0, 0}},
	{GROUP_ENDS,
	 &events,
	 {"slurm_group_{X}_job_ends_total", COUNTER, "state",
	  "Jobs of the group {X} that ended, by state; a job that was requeued counts as requeued.", emit_tally_details,
	  TALLY_ENDS, 0, 0}},
	{GROUP_WAITS,
	 &events,
	 {"slurm_group_{X}_job_eligible_wait_seconds", HISTOGRAM, NULL,
	  "How long jobs of the group {X} waited, from when they became eligible until they started.",
	  emit_tally_histogram, TALLY_WAIT_SECONDS, 0, 0}},
	{GROUP_WAITS,
	 &events,
	 {"slurm_group_{X}_job_submit_wait_seconds", HISTOGRAM, NULL,
	  "How long jobs of the group {X} waited, from submission until they started.", emit_tally_histogram,
	  TALLY_QUEUE_SECONDS, 0, 0}},
	{GROUP_RUNTIMES,
	 &events,
	 {"slurm_group_{X}_job_runtime_seconds", HISTOGRAM, NULL,
	  "How long ended jobs of the group {X} ran, without the time in which they were suspended.",
	  emit_tally_histogram, TALLY_RUN_SECONDS, 0, 0}},
	{GROUP_USE,
	 &events,
	 {"slurm_group_{X}_job_allocated_cpu_seconds_total", COUNTER, NULL,
	  "Time for which jobs of the group {X} held CPUs, times the number of CPUs; it grows while they run.",
	  emit_tally, TALLY_CPU_SECONDS, 0, 0}},
	{GROUP_USE,
	 &events,
	 {"slurm_group_{X}_job_allocated_gres_seconds_total", COUNTER, "gres,type",
	  "Time for which jobs of the group {X} held generic resources, times their number; it grows while they run.",
	  emit_tally_gres, TALLY_GRES_SECONDS, 0, 0}},
	{GROUP_USE,
	 &events,
	 {"slurm_group_{X}_job_allocated_memory_byte_seconds_total", COUNTER, NULL,
	  "Time for which jobs of the group {X} held memory, times its bytes; it grows while they run.", emit_tally,
	  TALLY_MEMORY_BYTE_SECONDS, 0, 0}},
	{GROUP_USE,
	 &events,
	 {"slurm_group_{X}_job_allocated_billing_seconds_total", COUNTER, NULL,
	  "Time for which jobs of the group {X} ran, times their billing TRES; it grows while they run.", emit_tally,
	  TALLY_BILLING_SECONDS, 0, 0}},
};
const size_t group_family_count = sizeof group_families / sizeof *group_families;
