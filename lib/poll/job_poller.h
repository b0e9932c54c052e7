/* How jobs are read: their states by jobs/state, details of what is new or changed, and all details in turn. A search
 * looks for jobs that diag counts and we do not know. If Slurm cannot do that, or the option jobs.read says so, jobs
 * are read as one list. Tells the planner what there is to do, and does what it decides. Of the poller's thread. */
#pragma once

#include "poll/job_reader.h"

/* A search without a result looks at a million IDs and more. The pause after it doubles each time, because jobs that
 * diag counts may be hidden from us for ever. */
enum { JOB_SEARCH_PAUSE_S = 600 };

struct job_poller {
	struct job_reader reader;
	struct cluster *cluster;
	struct plan *plan;
	struct plan_task *tasks; /* its table */
	const struct api_version *version; /* what follows holds for this version */
	bool lacks_states; /* the version has no usable jobs/state, or Slurm refuses it */
	bool was_told_states; /* jobs/state was answered in this version */
	uint64_t refused_ns; /* since when jobs/state is refused; 0: it is not */
	bool reads_list; /* jobs are read as whole lists */
	bool tells_ends; /* jobs themselves must show ends, as slurmdbd does not; set by the caller */
	bool is_rate_limited; /* Slurm limits how often we may ask it (rl_enable) */
	bool needs_all; /* a round is not enough: it takes a list of all states, or a search */
	bool has_states; /* all jobs were found */
	bool has_details; /* and we have asked for all details */
	bool is_filling; /* many jobs lack their first details */
	bool fills_late; /* and one by one they take hours */
	double unverified_as_of; /* Unix seconds: the jobs are from before the start, as of then; 0: they are not */
	uint64_t round_began_ns;
	uint64_t round_ended_ns; /* the last round of states */
	uint64_t counted_ns; /* when diag told how many jobs were submitted */
	int64_t as_of; /* Unix seconds of slurmctld's clock: all jobs are known as of then or later; 0: not yet */
	uint64_t jobs_time; /* of diag's last count that we used */
	uint64_t doubted_time; /* of one that we did not, as many jobs were submitted after it */
	uint64_t next_job_id; /* in conf when we last used it */
	bool asks_slurmdbd; /* for the first details of many new jobs */
	uint64_t slurmdbd_after_ns; /* slurmdbd failed: ask it for details again after this moment */
	unsigned newest_asked; /* how many times slurmdbd was asked where Slurm gives IDs */
	uint64_t search_began_ns, search_after_ns;
	double search_pause_s;
};

/* Borrows all; `tasks` is the plan's table. */
void job_poller_init(struct job_poller *poller, struct asker *asker, struct plan *plan, struct plan_task tasks[TASKS]);
void job_poller_done(struct job_poller *poller);

/* The table has jobs from before the start, as of `as_of` (Unix seconds): asks for their states first. `has_details`:
 * all had details (warm.h). */
void job_poller_resume(struct job_poller *poller, double as_of, bool has_details);

/* Are the IDs a federation's? slurmrestd refuses job/{id} of them (SLURMRESTD.md, "Federations"): details come in
 * lists. */
bool job_poller_is_federated(const struct job_poller *poller);

/* May slurmdbd be asked about jobs? It is up, has not failed lately, and `jobs.accounting-from` is not 0. */
bool job_poller_may_ask_slurmdbd(const struct job_poller *poller);

/* To be called after every request: learns what diag, conf or the version say about jobs, and tells the planner what
 * there is to do. */
void job_poller_update(struct job_poller *poller);

/* One request for one of the tasks of jobs (ENDPOINT_JOBS, TASK_JOB_...), of at most action->records. Fills in the
 * outcome. */
void job_poller_poll(struct job_poller *poller, const struct plan_action *action, struct plan_outcome *outcome);

/* Reads all jobs without any budget, after ping and diag; for --once. False: something failed. */
bool job_poller_poll_all(struct job_poller *poller);

/* Have we found every job, and asked for its details? */
bool job_poller_is_complete(const struct job_poller *poller);

/* The same, and does slurmctld's answer say why each job waits? Details from slurmdbd do not. */
bool job_poller_knows_reasons(const struct job_poller *poller);
