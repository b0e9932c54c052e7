/* How jobs are read: their states by jobs/state, details of what is new or changed, and all details in turn. A search
 * looks for jobs that diag counts and we do not know. Where Slurm cannot do that, or the option jobs.read says so, jobs are
 * read as one whole list. Tells the planner what there is to do, and does what it decides. Of the poller's thread. */
#pragma once

#include "poll/job_reader.h"

/* A search in vain looks at a million ids and more. The pause after it doubles each time, since jobs that diag counts may be
 * hidden from us for good. */
enum { JOB_SEARCH_PAUSE_S = 600 };

struct job_poller {
	struct job_reader reader;
	struct cluster *cluster;
	struct plan *plan;
	struct plan_task *tasks; /* its table */
	const struct api_version *version; /* that the rest is about */
	bool lacks_states; /* the version has no jobs/state, or none of use, or it is refused */
	bool was_told_states; /* jobs/state was answered in this version */
	uint64_t refused_ns; /* since when jobs/state is refused; 0: it is not */
	bool reads_list; /* jobs are read as whole lists */
	bool tells_ends; /* slurmdbd does not: the caller sets it */
	bool is_rate_limited; /* Slurm limits how often we may ask it (rl_enable) */
	bool needs_all; /* a round does not suffice: a list of all states is needed, or a search */
	bool has_states; /* all jobs were found */
	bool has_details; /* and all were asked for their details */
	bool is_filling; /* many of them have come since, and lack their first details */
	double unverified_as_of; /* the jobs are from before the start, as they were then (Unix seconds); 0: they are not */
	uint64_t round_began_ns;
	uint64_t round_ended_ns; /* the last one of states */
	int64_t as_of; /* Unix seconds of slurmctld's clock: all jobs are known as they were then, or later; 0: not yet */
	uint64_t jobs_time; /* of the last count of diag that was looked at */
	uint64_t next_job_id; /* of conf, when it was last looked at */
	bool asks_slurmdbd; /* for the first details of many new jobs */
	uint64_t slurmdbd_after_ns; /* slurmdbd failed: it is asked for details again after this */
	unsigned newest_asked; /* how many times slurmdbd was asked where Slurm gives ids */
	uint64_t search_began_ns, search_after_ns;
	double search_pause_s;
};

/* Borrows all; `tasks` is the plan's table. */
void job_poller_init(struct job_poller *poller, struct asker *asker, struct plan *plan, struct plan_task tasks[TASKS]);
void job_poller_done(struct job_poller *poller);

/* The table has jobs from before the start, as they were then (Unix seconds): their states are asked for first. Did all have
 * details? (warm.h) */
void job_poller_resume(struct job_poller *poller, double as_of, bool has_details);

/* Are the ids a federation's? slurmrestd refuses job/{id} of them (SLURMRESTD.md, "Federations"): details come in lists. */
bool job_poller_is_federated(const struct job_poller *poller);

/* To be called after every request: what diag, conf or the version say of jobs, and so what there is to do. */
void job_poller_update(struct job_poller *poller);

/* One request for one of the tasks of jobs (ENDPOINT_JOBS, TASK_JOB_...), of at most action->records. Fills in the
 * outcome. */
void job_poller_poll(struct job_poller *poller, const struct plan_action *action, struct plan_outcome *outcome);

/* Reads all jobs without any budget, after ping and diag; for --once. False: something failed. */
bool job_poller_poll_all(struct job_poller *poller);

/* Was every job found and asked for its details? */
bool job_poller_is_complete(const struct job_poller *poller);

/* That, and did slurmctld tell why each job waits? slurmdbd, which may have told the details, does not know. */
bool job_poller_knows_reasons(const struct job_poller *poller);
