/* What people see of one cluster and of the exporter that reads it. It is gathered with each page of metrics, never
 * changed, and rendered when somebody asks. It depends on no poller: these are the facts, and findings.h and the pages
 * add the words.
 *
 * All texts and arrays are in the arena. Moments are Unix seconds, 0: never or not known; what may be unknown says how. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "status/status_jobs.h"

enum status_answer { ANSWER_UNKNOWN, ANSWER_NO, ANSWER_YES };

/* What is in use, what is free, and what is out of use. */
struct status_capacity {
	uint64_t allocated, idle, other;
};

struct status_count {
	const char *name;
	uint64_t count;
};

struct status_counts {
	struct status_count *rows;
	size_t count;
};

static inline uint64_t status_sum(const struct status_counts *counts)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < counts->count; i++)
		sum += counts->rows[i].count;
	return sum;
}

struct status_controller {
	const char *host;
	bool is_primary;
	enum status_answer is_up;
	double ping_s; /* below 0: not known */
};

struct status_gres {
	const char *name, *type; /* type may be empty */
	struct status_capacity units;
};

struct status_nodes {
	bool is_known;
	uint64_t total;
	struct status_counts states; /* the sum is the total */
	struct status_counts flags; /* of some: drained, maint, ... */
	struct status_capacity cpus, memory_bytes;
	struct status_gres *gres;
	size_t gres_count;
};

struct status_jobs {
	bool is_known; /* the states */
	bool has_details; /* and the rest of this */
	struct status_counts states;
	struct status_counts reasons; /* of the pending ones, most frequent first */
	struct status_counts classes; /* likewise: startable, held, ... */
	uint64_t without_details;
	double unverified_as_of; /* all of this is from the state file, as of then, not yet from Slurm; 0: from Slurm */
	double oldest_startable; /* submit time of the oldest pending job that could start */
};

struct status_scheduler {
	bool is_known;
	uint64_t threads, agent_queue, dbd_queue;
};

enum standing {
	STANDING_NOT_ASKED, /* yet */
	STANDING_UP,
	STANDING_DOWN,
	STANDING_NOT_SERVED,
	STANDING_NOT_ALLOWED,
	STANDINGS,
};
extern const char *const standing_names[STANDINGS];

struct status_endpoint {
	const char *name;
	enum standing standing;
	bool is_refused; /* because there is no good token */
	double last_success;
	double failing_since; /* 0: it is not */
	const char *error; /* the last one, in words; NULL: there was none */
	double error_time;
	bool is_kept; /* what it says is shown until it is too old */
	bool is_held; /* it is shown now */
	bool is_too_old; /* its numbers were shown, became too old, and are still missing */
	double held_until; /* if it is: then it is too old */
	uint64_t requests;
};

struct status_task {
	const char *name;
	const char *about; /* what the task keeps fresh, in a few words */
	const char *endpoint; /* that is asked for it */
	const char *way; /* "" if none may be used */
	const char *reason; /* why the interval is what it is: plan_reason_names */
	const char *text; /* the same in a sentence */
	bool is_allowed, has_work, is_on_target;
	double interval_s, target_s;
	double fresh; /* when the last finished round began */
	double due; /* when it is asked next; 0: not before something changes */
	uint64_t failures; /* in a row */
};

struct status_token {
	const char *source; /* "none", "file" or "key" */
	const char *user; /* NULL: not known */
	double expiry; /* 0: it does not say */
	bool is_in_clear; /* on a network */
	bool is_in_clear_here; /* on this machine alone */
	bool is_key_exposed; /* other machines can send to this process, which can read the signing key */
};

struct status_budget {
	const char *of; /* the daemon */
	double spent, limit; /* shares of the time of the last ten minutes */
};

struct status_state_file {
	const char *path; /* NULL: nothing is kept */
	bool is_failing;
	bool is_hidden; /* it could not be read yet, and no counters of events are shown */
	double last_commit;
	uint64_t errors;
	const char *error; /* the last one, in words; NULL: there was none */
};

/* Of several slurmscopes of one cluster each follows the slurmctld of its host; all 0: it is alone, and leads. */
struct status_role {
	bool follows, is_standby;
	bool is_unnamed; /* ping does not list the host: it never leads */
	const char *host; /* whose slurmctld it follows */
	const char *serving; /* the host of the one that serves; NULL: not known */
	const char *waits_for; /* why it does not lead though it should; NULL: nothing */
};

struct status {
	struct arena arena;
	double made; /* when all of this was so */
	const char *name; /* the cluster's; "" while unknown */
	const char *url; /* of slurmrestd */
	const char *slurm_version, *api_version; /* "" while unknown */
	struct status_role role;
	const char *not_ready; /* why what Slurm tells is not all there yet; NULL: it is */

	struct status_controller *controllers;
	size_t controller_count;
	enum status_answer is_accounting_up;
	struct status_nodes nodes;
	struct status_jobs jobs;
	struct status_job_rows job_rows;
	struct status_scheduler scheduler;

	bool is_cut_off; /* slurmrestd does not answer */
	struct status_endpoint *endpoints;
	size_t endpoint_count;
	struct status_task *tasks;
	size_t task_count;
	const char *asking; /* the task that is asked as this is shown; NULL: none */
	const char *budgets_text,
		*jobs_text; /* what is spent, and how jobs and their ends are read: sentences, one a line */
	struct status_budget budgets[2];
	double start_until; /* slurmrestd's budget is larger until then, at the latest; 0: it is the usual one */
	double requests_per_s;
	double brake; /* slurmctld is busy: factor that makes intervals longer */
	bool is_idle, is_rate_limited;
	struct status_token token;
	struct status_state_file state_file;
	double coverage; /* share of the jobs that slurmctld counts which are known; below 0: not known */
	uint64_t events_lost, events_recovered;
	bool is_slurmdbd_left; /* it was gone for hours: slurmctld says how jobs end */
	double ends_known_until; /* jobs that ended before are counted; 0: not known */
	uint64_t series, folded; /* samples on the page of metrics, and those that a row `other` has the sum of */
};

/* Empty, with nothing known; `made` is now. */
struct status *status_new(double made);
void status_free(struct status *status); /* NULL is fine */

const char *status_copy(struct status *status, struct text text); /* into its arena */
