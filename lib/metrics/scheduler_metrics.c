/* The scheduler, backfill and slurmctld's own queues, as sdiag shows them. For Slurm's administrator: does scheduling
 * keep up, how deep does it look, what cuts it short? From diag; sums continue over its resets at midnight
 * (entities/running_sum.h). */
#include "metrics/family.h"

/* A row's offset is a number of enum sum. */
static void emit_sum(struct exposition *out, const struct page_facts *facts, const struct family *family,
		     const void *item)
{
	(void)facts;
	uint64_t sum = scheduler_section_sum(item, (enum sum)family->offset);
	if (number_is_known(sum))
		family_divided(out, family, sum);
}

static void emit_backfill_active(struct exposition *out, const struct page_facts *facts, const struct family *family,
				 const void *item)
{
	(void)facts, (void)family;
	exposition_integer(out, ((const struct scheduler_section *)item)->diag.backfill_is_active);
}

/* One sample per reason; the family's offset is that of the first reason's sum. */
static void emit_exit_sums(struct exposition *out, const struct page_facts *facts, const struct family *family,
			   const void *item)
{
	(void)facts;
	bool is_backfill = family->offset == SUM_BACKFILL_EXITS;
	const char *const *names = is_backfill ? backfill_exit_names : exit_names;
	for (size_t i = 0; i < (is_backfill ? BACKFILL_EXITS : EXITS); i++) {
		uint64_t sum = scheduler_section_sum(item, (enum sum)(family->offset + i));
		if (!number_is_known(sum))
			continue;
		exposition_label(out, "reason", text_of(names[i]));
		exposition_integer(out, sum);
	}
}

#define SUM(name, what, divisor, help)                                                                                 \
	{                                                                                                              \
		name, COUNTER, NULL, help, emit_sum, what, divisor, 0                                                  \
	}
#define DIAG(name, member, divisor, help)                                                                              \
	{                                                                                                              \
		name, GAUGE, NULL, help, emit_number, offsetof(struct scheduler_section, diag.member), divisor, 0      \
	}

static const struct family families[] = {
	SUM("slurm_scheduler_cycles_total", SUM_CYCLES, 1, "Cycles of the main scheduler."),
	SUM("slurm_scheduler_cycle_seconds_total", SUM_CYCLE_US, 1e6, "Time spent in cycles of the main scheduler."),
	DIAG("slurm_scheduler_last_cycle_seconds", cycle_last_us, 1e6, "Length of the main scheduler's last cycle."),
	DIAG("slurm_scheduler_max_cycle_seconds", cycle_max_us, 1e6,
	     "Length of the main scheduler's longest cycle since sdiag's last reset."),
	DIAG("slurm_scheduler_queue_length", queue_length, 1, "Jobs in the queue of the main scheduler's last cycle."),
	SUM("slurm_scheduler_depth_total", SUM_DEPTH, 1, "Jobs that cycles of the main scheduler looked at."),
	{"slurm_scheduler_exits_total", COUNTER, "reason", "Cycles of the main scheduler by why they ended.",
	 emit_exit_sums, SUM_EXITS, 1, 0},
	SUM("slurm_backfill_depth_total", SUM_BACKFILL_DEPTH, 1, "Jobs that backfill cycles looked at."),
	SUM("slurm_backfill_depth_tried_total", SUM_BACKFILL_DEPTH_TRIED, 1,
	    "Jobs that backfill cycles tried to start."),
	SUM("slurm_backfill_queue_length_total", SUM_BACKFILL_QUEUE_LENGTH, 1,
	    "Sum of the queue's length over backfill cycles."),
	SUM("slurm_backfill_table_size_total", SUM_BACKFILL_TABLE_SIZE, 1,
	    "Sum of the node space table's size over backfill cycles."),
	SUM("slurm_backfill_het_jobs_total", SUM_BACKFILL_HET_JOBS, 1,
	    "Components of heterogeneous jobs started by the backfill scheduler."),
	{"slurm_backfill_exits_total", COUNTER, "reason", "Backfill cycles by why they ended.", emit_exit_sums,
	 SUM_BACKFILL_EXITS, 1, 0},
	DIAG("slurm_backfill_last_depth", backfill_last_depth, 1, "Jobs that the last backfill cycle looked at."),
	DIAG("slurm_backfill_last_depth_tried", backfill_last_depth_tried, 1,
	     "Jobs that the last backfill cycle tried to start."),
	SUM("slurm_backfill_cycles_total", SUM_BACKFILL_CYCLES, 1, "Cycles of the backfill scheduler."),
	SUM("slurm_backfill_cycle_seconds_total", SUM_BACKFILL_US, 1e6,
	    "Time spent in cycles of the backfill scheduler."),
	SUM("slurm_backfill_jobs_total", SUM_BACKFILL_JOBS, 1, "Jobs started by the backfill scheduler."),
	DIAG("slurm_backfill_last_cycle_seconds", backfill_last_us, 1e6,
	     "Length of the backfill scheduler's last cycle."),
	DIAG("slurm_backfill_max_cycle_seconds", backfill_max_us, 1e6,
	     "Length of the backfill scheduler's longest cycle since sdiag's last reset."),
	DIAG("slurm_backfill_last_queue_length", backfill_queue_length, 1,
	     "Jobs in the queue of the last backfill cycle."),
	DIAG("slurm_backfill_last_table_size", backfill_table_size, 1,
	     "Entries of the backfill scheduler's node space table in its last cycle."),
	DIAG("slurm_backfill_last_cycle_timestamp_seconds", backfill_last_cycle_time, 1,
	     "When the last backfill cycle ran."),
	{"slurm_backfill_active", GAUGE, NULL, "Whether a backfill cycle is running.", emit_backfill_active, 0, 0, 0},
	DIAG("slurm_controller_threads", threads, 1, "Threads of slurmctld that serve requests."),
	DIAG("slurm_controller_agent_queue", agent_queue, 1, "Messages to nodes that wait in slurmctld's queue."),
	DIAG("slurm_controller_agents", agents, 1, "Agents of slurmctld that send to nodes."),
	DIAG("slurm_dbd_agent_queue", dbd_queue, 1, "Messages to slurmdbd that wait in slurmctld's queue."),
};

static void each_scheduler(struct family_sink *sink, int kind)
{
	(void)kind;
	if (sink->facts->cluster->scheduler.is_known)
		family_item(sink, &sink->facts->cluster->scheduler);
}

const struct family_group scheduler_group = {
	.collect = COLLECT_SCHEDULER, GROUP_FAMILIES(families), .origin = {.source = "diag"}, .each = each_scheduler};
