#include "poll/warm.h"

#include "base/clock.h"
#include "base/log.h"

#include <inttypes.h>
#include <stdio.h>

static void say(const char *what, uint64_t jobs, uint64_t dropped, int64_t age_s)
{
	char of_use[24], of_no_use[24], age[24];
	snprintf(of_use, sizeof of_use, "%" PRIu64, jobs);
	snprintf(of_no_use, sizeof of_no_use, "%" PRIu64, dropped);
	snprintf(age, sizeof age, "%" PRId64, age_s);
	log_line(LOG_LEVEL_INFO, what, "jobs", of_use, "dropped", of_no_use, "age_seconds", age, NULL);
}

/* Puts totals on the page if they are young enough. They vanish when those of a running process would. */
static void show(struct job_poller *poller, const struct kept_facts *facts, int64_t age_s)
{
	struct asker *asker = poller->reader.asker;
	enum endpoint endpoint = facts->are_listed ? ENDPOINT_JOBS : ENDPOINT_JOB_STATES;
	double interval_s =
		(double)asker->config->interval_s[facts->are_listed ? (size_t)ENDPOINT_JOBS : TASK_JOB_STATES];
	asker->exporter->endpoints[endpoint].last_success = (double)facts->seen_at;
	health_restore(asker->health, endpoint, interval_s, (double)age_s, clock_monotonic_ns());
}

void warm_begin(struct job_poller *poller, struct job_keeper *keeper)
{
	const struct kept_facts facts = keeper->found_facts;
	struct job_table *table = poller->cluster->job_table;
	int64_t age_s = clock_now_s() - facts.seen_at;
	uint64_t dropped = keeper->dropped;
	if (!keeper->found) {
		if (dropped)
			say("the jobs of the state file are too old: slurmscope asks Slurm for all jobs", 0, dropped,
			    age_s);
		job_keeper_forget(keeper);
		return;
	}
	job_table_note_now(keeper->found, facts.as_of);
	job_table_take(table, keeper->found);
	keeper->found = NULL;
	if (!dropped) /* else the next write has to remove rows of the file */
		job_unstored_begin(&table->unstored);
	job_rounds_resume(&poller->reader.rounds, &keeper->tails, &keeper->doubted);
	job_poller_resume(poller, (double)facts.seen_at, facts.has_details);
	show(poller, &facts, age_s > 0 ? age_s : 0);
	job_keeper_forget(keeper);
	say("jobs are from the state file until slurmscope has read all their states", job_table_counts(table).jobs,
	    dropped, age_s);
}

void warm_keep(const struct job_poller *poller, struct job_keeper *keeper)
{
	const struct asker *asker = poller->reader.asker;
	keeper->facts = (struct kept_facts){
		.as_of = poller->as_of,
		.seen_at = poller->as_of - (int64_t)asker->clock_ahead,
		.has_details = poller->has_details,
		.are_listed = poller->reads_list,
	};
}
