#include "poll/tasks.h"

#include "base/clock.h"
#include "slurmrest/api_version.h"

#include <math.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
#define WAYS(array) .ways = (array), .way_count = COUNT_OF(array)

/* A strategy without records_max asks for the whole list.
 *
 * Measured with Slurm 24.11 and 26.05 of Debian's packages, 10,000 nodes, up to 100,000 job records (SLURMRESTD.md, "Costs",
 * and SLURMRESTD.md, "Lists"); the planner learns how far a site is from that. Seconds of slurmrestd and of slurmctld, bytes. */
static const struct plan_way small[] = {{
	.name = "whole",
	.slurmrestd_s = {.request = 0.003},
	.slurmctld_s = {.request = 0.0002},
	.bytes_per_record = 5000,
}};
static const struct plan_way slurmdb[] = {{
	.name = "whole",
	.slurmrestd_s = {.request = 0.004, .record = 60e-6},
	.bytes_per_record = 3000,
}};
static const struct plan_way records[] = {{
	.name = "whole",
	.slurmrestd_s = {.request = 0.003, .record = 50e-6},
	.slurmctld_s = {.request = 0.0005, .record = 1e-6},
	.bytes_per_record = 1000,
}};
static const struct plan_way nodes[] = {{
	.name = "whole",
	.slurmrestd_s = {.request = 0.003, .record = 0.15e-3},
	.slurmctld_s = {.request = 0.0005, .record = 1.7e-6},
	.bytes_per_record = 2600,
	.memory_per_record = 38e3,
}};

#define JOBS_WHOLE(name_)                                                                                              \
	{                                                                                                              \
		.name = (name_), .slurmrestd_s = {.request = 0.003, .record = 0.45e-3, .square = 45e-9},               \
		.slurmctld_s = {.request = 0.001, .record = 10e-6}, .bytes_per_record = 7700,                          \
		.memory_per_record = 210e3,                                                                            \
	}
static const struct plan_way jobs[] = {
	[JOBS_LIST] = JOBS_WHOLE("whole"),
	[JOBS_LIST_22_05] = {.name = "whole",
			     .slurmrestd_s = {.request = 0.003, .record = 71e-6, .square = 4.7e-9},
			     .slurmctld_s = {.request = 0.001, .record = 42e-6},
			     .bytes_per_record = 3100,
			     .memory_per_record = 42e3},
};

/* Batches of about 500 rows cost least (SLURMRESTD.md, "Costs"). Larger ones are for sites that limit the request
 * rate. */
#define STATES_COST                                                                                                    \
	.slurmrestd_s = {.request = 0.0008, .record = 2e-6, .square = 1.6e-9},                                         \
	.slurmctld_s = {.request = 0.0001, .record = 0.3e-6}, .bytes_per_record = 90
static const struct plan_way job_states[] = {
	[STATES_BATCHES] = {.name = "batches", STATES_COST, .records_min = 100, .records_max = 500},
	[STATES_LARGE_BATCHES] = {.name = "large_batches", STATES_COST, .records_min = 1000, .records_max = 4000},
	[STATES_LIST] = {.name = "whole",
			 .slurmrestd_s = {.request = 0.001, .record = 10e-6, .square = 5e-9},
			 .slurmctld_s = {.request = 0.0005, .record = 64e-6},
			 .bytes_per_record = 90},
};
static const struct plan_way job_search[] = {
	{.name = "batches", STATES_COST, .records_min = 100, .records_max = 500},
	{.name = "large_batches", STATES_COST, .records_min = 1000, .records_max = 4000},
};
static const struct plan_way job_arrays[] = {
	[ARRAYS_STATES] = {.name = "states", STATES_COST},
	[ARRAYS_RECORDS] = JOBS_WHOLE("records"),
};
static const struct plan_way job_details[] = {
	[DETAILS_SINGLE] = {.name = "single",
			    .slurmrestd_s = {.record = 1.7e-3},
			    .slurmctld_s = {.record = 0.06e-3},
			    .bytes_per_record = 9000,
			    .records_min = 1,
			    .records_max = 1},
	[DETAILS_LIST] = JOBS_WHOLE("whole"),
	/* more IDs cost the same each, and slurmrestd keeps more memory for them (SLURMRESTD.md, "Costs") */
	[DETAILS_ACCOUNTING] = {.name = "accounting",
				.slurmrestd_s = {.request = 0.007, .record = 0.25e-3},
				.bytes_per_record = 4800,
				.records_min = 10,
				.records_max = ACCOUNTING_IDS_MAX},
};

/* slurmdbd's runs: one with three steps costs seven times as much as one without (SLURMRESTD.md, "Costs"). */
static const struct plan_way job_ends[] = {
	{.name = "windows", .slurmrestd_s = {.request = 0.005, .record = 0.5e-3}, .bytes_per_record = 5000}};
static const struct plan_way job_steps[] = {{.name = "batches",
					     .slurmrestd_s = {.request = 0.005, .record = 3.4e-3},
					     .bytes_per_record = 33000,
					     .memory_per_record = 620e3,
					     .records_min = 1,
					     .records_max = JOB_STEPS_BATCH_MAX}};

/* Weights divide a budget that is too small for everything (plan.h, rule 2). Job states and the search for jobs have
 * the largest, because all other numbers of jobs depend on them. Ends have more than most, because they must not fall
 * behind for ever. Nodes have a bound, so that large job queues do not take what nodes need. */
static const struct plan_task table[TASKS] = {
	[ENDPOINT_PING] = {.noun = "controllers", .is_probe = true, WAYS(small)},
	[ENDPOINT_DIAG] = {.noun = "records", .is_probe = true, WAYS(small)},
	[ENDPOINT_PARTITIONS] = {.noun = "partitions", WAYS(records)},
	[ENDPOINT_NODES] = {.noun = "nodes", .weight = 3, .bound_s = 300, WAYS(nodes)},
	[ENDPOINT_JOBS] = {.noun = "jobs", WAYS(jobs)},
	[ENDPOINT_RESERVATIONS] = {.noun = "reservations", WAYS(records)},
	[ENDPOINT_LICENSES] = {.noun = "licences", WAYS(records)},
	[ENDPOINT_SHARES] = {.noun = "shares", WAYS(records)},
	[ENDPOINT_CONF] = {.noun = "records", WAYS(small)},
	[ENDPOINT_DBD_PING] = {.noun = "hosts", .is_probe = true, WAYS(small)},
	[ENDPOINT_DBD_DIAG] = {.noun = "records", WAYS(small)},
	[ENDPOINT_QOS] = {.noun = "QOS", WAYS(slurmdb)},
	[ENDPOINT_ASSOCIATIONS] = {.noun = "associations", WAYS(slurmdb)},
	[TASK_JOB_STATES] =
		{.name = "job_states", .noun = "jobs", .weight = 16, .bound_s = JOB_STATES_BOUND_S, WAYS(job_states)},
	[TASK_JOB_SEARCH] = {.name = "job_search", .noun = "ids", .weight = 16, WAYS(job_search), .lends_share = true},
	[TASK_JOB_DETAILS] =
		{.name = "job_details", .noun = "jobs", WAYS(job_details), .is_spread = true, .lends_share = true},
	[TASK_JOB_ARRAYS] = {.name = "job_arrays", .noun = "records", .weight = 4, WAYS(job_arrays)},
	[TASK_JOB_ENDS] = {.name = "job_ends", .noun = "runs", .weight = 4, WAYS(job_ends)},
	[TASK_JOB_STEPS] = {.name = "job_steps", .noun = "runs", WAYS(job_steps)},
	[TASK_JOB_REASONS] = {.name = "job_reasons",
			      .noun = "jobs",
			      .weight = 4,
			      .ways = job_details,
			      .way_count = DETAILS_LIST + 1,
			      .is_spread = true},
	[TASK_JOB_ROTATION] = {.name = "job_rotation",
			       .noun = "jobs",
			       .weight = 2,
			       .ways = job_details,
			       .way_count = DETAILS_LIST + 1,
			       .is_spread = true},
};

void tasks_fill(struct plan_task tasks[TASKS], const struct config *config)
{
	for (size_t i = 0; i < TASKS; i++) {
		const struct endpoint_row *endpoint = &endpoint_table[task_endpoint(i, 0)];
		tasks[i] = table[i];
		tasks[i].target_s = (double)config->interval_s[i];
		tasks[i].needs_slurmctld = endpoint->asks_slurmctld;
		tasks[i].needs_slurmdbd = endpoint->is_slurmdb || endpoint->asks_slurmdbd;
		if (!tasks[i].name)
			tasks[i].name = endpoint->name;
	}
}

/* The bound pays for windows that follow each other as fast as time does. With the target ends catch up, too, and a lag that
 * grows is never on target. A lag that grows for ever is worse than states that come less often, so the weight is that of
 * states. */
void tasks_pace_ends(struct plan_task tasks[TASKS], const struct config *config, int64_t behind_s)
{
	struct plan_task *ends = &tasks[TASK_JOB_ENDS];
	ends->target_s = (double)config->interval_s[TASK_JOB_ENDS];
	ends->bound_s = behind_s ? (double)behind_s : ends->target_s;
	ends->weight = behind_s ? table[TASK_JOB_STATES].weight : table[TASK_JOB_ENDS].weight;
	if (behind_s)
		ends->target_s = fmin(ends->target_s, ends->bound_s / 2);
}

struct plan_options tasks_options(const struct config *config, bool is_start)
{
	struct plan_options options = plan_defaults;
	double percent = is_start ? config->start_percent : config->slurmrestd_percent;
	options.slurmrestd_duty = percent / 100;
	options.slurmctld_duty = config->slurmctld_percent / 100;
	options.requests_per_s = config->requests_per_s * percent / config->slurmrestd_percent;
	options.bulk_memory_max = (double)config->bulk_memory_mib * 1024 * 1024;
	return options;
}

struct plan *tasks_plan(struct plan_task tasks[TASKS], const struct config *config)
{
	const struct plan_options options = tasks_options(config, false);
	tasks_fill(tasks, config);
	return plan_new(tasks, TASKS, &options, (uint64_t)clock_now_s(), clock_monotonic_ns());
}

void tasks_choose_list(struct plan *plan, const struct api_version *version)
{
	bool is_22_05 = version && !*version->flags_query;
	plan_allow_way(plan, ENDPOINT_JOBS, JOBS_LIST, !is_22_05);
	plan_allow_way(plan, ENDPOINT_JOBS, JOBS_LIST_22_05, is_22_05);
}

enum endpoint task_endpoint(size_t task, size_t way)
{
	switch (task) {
	case TASK_JOB_STATES:
	case TASK_JOB_SEARCH:
	case TASK_JOB_ARRAYS:
		return ENDPOINT_JOB_STATES;
	case TASK_JOB_DETAILS:
	case TASK_JOB_REASONS:
	case TASK_JOB_ROTATION:
		return way == DETAILS_LIST	   ? ENDPOINT_JOBS
		       : way == DETAILS_ACCOUNTING ? ENDPOINT_DBD_JOBS
						   : ENDPOINT_JOB;
	case TASK_JOB_ENDS:
	case TASK_JOB_STEPS:
		return ENDPOINT_DBD_JOBS;
	default:
		return (enum endpoint)task;
	}
}
