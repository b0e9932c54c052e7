/* METRICS section 7, the basics: scheduler, backfill and slurmctld's own queues, as sdiag shows them. */
#include "metrics/family.h"

/* A row's offset is a number of enum sum. */
static void emit_sum(struct exposition *out, const struct view *view, const struct family *family,
		     const void *item)
{
	(void)view;
	uint64_t sum = scheduler_section_sum(item, (enum sum)family->offset);
	if (number_is_known(sum))
		family_divided(out, family, sum);
}

static void emit_backfill_active(struct exposition *out, const struct view *view,
				 const struct family *family, const void *item)
{
	(void)view, (void)family;
	exposition_integer(out, ((const struct scheduler_section *)item)->diag.backfill_is_active);
}

#define SUM(name, what, divisor, help) {name, COUNTER, NULL, help, emit_sum, what, divisor, 0}
#define DIAG(name, member, divisor, help)                                                            \
	{name, GAUGE, NULL, help, emit_number, offsetof(struct scheduler_section, diag.member),     \
	 divisor, 0}

static const struct family families[] = {
	SUM("slurm_scheduler_cycles_total", SUM_CYCLES, 1, "Cycles of the main scheduler."),
	SUM("slurm_scheduler_cycle_seconds_total", SUM_CYCLE_US, 1e6,
	    "Time spent in cycles of the main scheduler."),
	DIAG("slurm_scheduler_last_cycle_seconds", cycle_last_us, 1e6,
	     "Length of the main scheduler's last cycle."),
	DIAG("slurm_scheduler_max_cycle_seconds", cycle_max_us, 1e6,
	     "Length of the main scheduler's longest cycle since sdiag's last reset."),
	DIAG("slurm_scheduler_mean_depth", cycle_depth_mean, 1,
	     "Mean number of jobs that a cycle of the main scheduler looked at."),
	DIAG("slurm_scheduler_queue_length", queue_length, 1,
	     "Jobs in the queue of the main scheduler's last cycle."),
	SUM("slurm_backfill_cycles_total", SUM_BACKFILL_CYCLES, 1, "Cycles of the backfill scheduler."),
	SUM("slurm_backfill_cycle_seconds_total", SUM_BACKFILL_US, 1e6,
	    "Time spent in cycles of the backfill scheduler."),
	SUM("slurm_backfill_jobs_total", SUM_BACKFILL_JOBS, 1, "Jobs started by the backfill scheduler."),
	DIAG("slurm_backfill_last_cycle_seconds", backfill_last_us, 1e6,
	     "Length of the backfill scheduler's last cycle."),
	DIAG("slurm_backfill_max_cycle_seconds", backfill_max_us, 1e6,
	     "Length of the backfill scheduler's longest cycle since sdiag's last reset."),
	DIAG("slurm_backfill_mean_depth", backfill_depth_mean, 1,
	     "Mean number of jobs that a backfill cycle looked at."),
	DIAG("slurm_backfill_queue_length", backfill_queue_length, 1,
	     "Jobs in the queue of the last backfill cycle."),
	DIAG("slurm_backfill_table_size", backfill_table_size, 1,
	     "Entries of the backfill scheduler's node space table in its last cycle."),
	DIAG("slurm_backfill_last_cycle_timestamp_seconds", backfill_last_cycle_time, 1,
	     "When the last backfill cycle ran."),
	{"slurm_backfill_active", GAUGE, NULL, "Whether a backfill cycle is running.",
	 emit_backfill_active, 0, 0, 0},
	DIAG("slurm_controller_threads", threads, 1, "Threads of slurmctld that serve requests."),
	DIAG("slurm_controller_agent_queue", agent_queue, 1,
	     "Messages to nodes that wait in slurmctld's queue."),
	DIAG("slurm_controller_agents", agents, 1, "Agents of slurmctld that send to nodes."),
	DIAG("slurm_controller_dbd_queue", dbd_queue, 1,
	     "Messages to slurmdbd that wait in slurmctld's queue."),
};

static void each_scheduler(struct family_sink *sink, enum entity_kind kind)
{
	(void)kind;
	if (sink->view->cluster->scheduler.is_known)
		family_item(sink, &sink->view->cluster->scheduler);
}

const struct family_group scheduler_group = {GROUP_FAMILIES(families), .each = each_scheduler};
