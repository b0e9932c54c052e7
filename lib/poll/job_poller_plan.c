#include "poll/job_poller.h"

#include "base/clock.h"
#include "discovery/job_reasons.h"
#include "model/number.h"

#include <math.h>
#include <string.h>

/* What there is to do, for the planner. */

enum {
	FIRST_WEIGHT = 64, /* at a start nothing else is of use before all jobs are found */
	SEARCH_WEIGHT = 16, /* as job states (tasks.c): a job that we did not find has no state */
	FILLING_WEIGHT = 64, /* while details are missing, most totals wait for them */
	DETAILS_WEIGHT = 8,
	SEARCH_WORK = 10000, /* IDs to look at, at least: it is not known how many IDs lie between those of jobs */
	/* Records. A list costs slurmrestd less than half of what single jobs do, and slurmctld a hundredth. But it
	 * takes 143 kB a record of slurmrestd's memory, which slurmrestd keeps (SLURMRESTD.md, "Lists"). */
	REASONS_LIST_MAX = 2000,
	MIN_JOB_AGE_S = 300, /* the default of MinJobAge */
	LIST_MISSING_MAX = 500, /* jobs; if more are missing, a list may be far longer than diag's count of them */
	LOOKS_AT_ENDED = 3, /* one may fail, and a job may end just after another */
	REFUSED_MAX_S = 300, /* how long Slurm may refuse jobs/state, after having answered it, before we read lists */
};

/* Part of the records without details. Above the first value details come before states, until at most the second value
 * is left. */
#define FILLING_PART 0.1
#define FILLED_PART 0.01
/* Seconds. If all first details take longer than this one by one, states do not wait for them. */
#define FILLING_MAX_S 7200
/* The part of ten minutes' budget that the first search may spend at once. Before it ends, little else is of use. On a
 * real 26.05 requests waited for slurmctld's locks, so a search seemed to cost 1.4 s of slurmctld, and took 166 s. */
#define FIRST_BURST 0.3
/* The same for the first details, on which most totals wait: at a start those of 10,000 jobs or more come at once. */
#define FIRST_DETAILS_BURST 0.1

/* Is it time for lists? A proxy that reloads refuses jobs/state for a moment, too, and lists of many jobs cost too much
 * memory. So if Slurm answered jobs/state before, we wait some minutes, in which the planner tries it again. */
static bool are_states_refused(struct job_poller *poller)
{
	uint64_t now = clock_monotonic_ns();
	if (poller->reads_list || plan_is_allowed(poller->plan, TASK_JOB_STATES))
		return false;
	if (!poller->refused_ns)
		poller->refused_ns = now;
	return !poller->was_told_states || now - poller->refused_ns >= REFUSED_MAX_S * UINT64_C(1000000000);
}

/* Chooses how to read jobs. It is by their states if the API version has jobs/state and names records by their own IDs
 * there. Else it is by lists, until the planner tries jobs/state again. While slurmrestd is away and no version is
 * found, nothing changes. */
static void choose(struct job_poller *poller)
{
	const struct api_version *version = client_version(poller->reader.asker->client);
	bool is_known = version != NULL, is_other = version != poller->version;
	if (!is_known && poller->version)
		return;
	bool is_time = is_known && poller->lacks_states && !plan_refused_until_ns(poller->plan, TASK_JOB_STATES);
	if (is_other || is_time)
		poller->lacks_states = is_known && !version->task_ids_are_raw;
	else if (are_states_refused(poller))
		poller->lacks_states = true;
	bool reads_list =
		!is_known || poller->lacks_states || poller->reader.asker->config->jobs_read == JOBS_READ_LIST;
	if (version == poller->version && reads_list == poller->reads_list)
		return;
	if (is_other) {
		poller->was_told_states = false;
		poller->refused_ns = 0;
	}
	poller->version = version;
	poller->reads_list = reads_list;
	poller->needs_all = !poller->reader.rounds.is_unverified; /* a round verifies them, and finds younger ones */
	poller->reader.last_update = 0;
	plan_allow_task(poller->plan, ENDPOINT_JOBS, is_known && reads_list);
	tasks_choose_list(poller->plan, version);
	for (size_t task = TASK_JOB_STATES; task <= TASK_JOB_ARRAYS; task++)
		plan_allow_task(poller->plan, task, is_known && !reads_list);
}

/* diag's first count may be half a minute old. If far more jobs were submitted since, a list is longer than anybody
 * expects. On a real 26.05 that had counted none, five arrays of 20,000 had been split meanwhile, and the list took
 * slurmrestd 112 s. So if many were submitted that have not started, this waits for the next count. Cancelled jobs are
 * among those, so the count may be right all the same. */
static bool is_doubtful(struct job_poller *poller, const struct diag *diag)
{
	bool is_first = !poller->jobs_time && (!poller->doubted_time || poller->doubted_time == diag->jobs_time);
	bool is_told = number_is_known(diag->jobs_submitted) && number_is_known(diag->jobs_started);
	if (!is_first || !is_told ||
	    diag->jobs_submitted <= diag->jobs_started + diag->jobs_pending + JOB_STATES_LIST_MAX)
		return false;
	poller->doubted_time = diag->jobs_time;
	return true;
}

/* Does diag count jobs that are not known? */
static void note_count(struct job_poller *poller)
{
	const struct scheduler_section *scheduler = &poller->cluster->scheduler;
	const struct diag *diag = &scheduler->diag;
	struct job_rounds *rounds = &poller->reader.rounds;
	if (!scheduler->is_known || !number_is_known(diag->jobs_pending) || !number_is_known(diag->jobs_running) ||
	    diag->jobs_time == poller->jobs_time || is_doubtful(poller, diag))
		return;
	poller->jobs_time = diag->jobs_time;
	bool are_missing = job_rounds_note_count(rounds, diag->jobs_pending + diag->jobs_running);
	if (!rounds->search.misses && !rounds->search.few_misses)
		poller->search_pause_s = JOB_SEARCH_PAUSE_S;
	are_missing &= !rounds->is_unverified; /* jobs that have ended since prove nothing */
	poller->needs_all |= are_missing && clock_monotonic_ns() >= poller->search_after_ns;
}

static void note_conf(struct job_poller *poller)
{
	const struct conf *conf = &poller->cluster->conf;
	struct job_frontiers *frontiers = &poller->reader.rounds.frontiers;
	if (number_is_known(conf->first_job_id) && conf->first_job_id)
		frontiers->first_id = conf->first_job_id;
	if (number_is_known(conf->max_job_id) && conf->max_job_id)
		frontiers->last_id = conf->max_job_id;
	uint64_t array_size = number_is_known(conf->max_array_size) ? conf->max_array_size
								    : poller->reader.asker->config->max_array_size;
	poller->reader.rounds.search.array_size = array_size;
	poller->reader.rounds.search.is_size_told =
		number_is_known(conf->max_array_size) || array_size != JOB_ARRAY_SIZE_DEFAULT;
	bool is_news = conf->next_job_id != poller->next_job_id;
	poller->next_job_id = conf->next_job_id;
	if (is_news && number_is_known(conf->next_job_id) && conf->next_job_id > frontiers->first_id)
		job_rounds_note_last(&poller->reader.rounds, conf->next_job_id - 1);
	poller->is_rate_limited = poller->reader.asker->config->rate_limited || conf->limits_rates;
	poller->reader.details.takes_sluids = strverscmp(poller->cluster->slurm_version, "26.05") >= 0;
	plan_set_rate_limited(poller->plan, poller->is_rate_limited);
}

/* Do details need the budget more than states, because many jobs lack their first ones? That is so after a start, and
 * when a great many jobs come at once. Without slurmdbd slurmctld's budget pays for details, and they may take hours.
 * States do not wait for those. */
static bool are_details_filling(struct job_poller *poller, uint64_t whole)
{
	struct job_counts counts = job_table_counts(poller->cluster->job_table);
	double part = counts.rows ? (double)counts.rows_without_details / (double)counts.rows : 0;
	poller->is_filling = part > (poller->is_filling ? FILLED_PART : FILLING_PART);
	poller->fills_late =
		poller->is_filling &&
		(poller->fills_late ||
		 plan_show(poller->plan, clock_monotonic_ns(), TASK_JOB_DETAILS).interval_s > FILLING_MAX_S);
	bool is_worth_it = poller->asks_slurmdbd || !poller->fills_late;
	return poller->has_states && whole > JOB_STATES_LIST_MAX && (!poller->has_details || poller->is_filling) &&
	       is_worth_it;
}

/* The states of all jobs come in one list or, if they are too many for that, by a search among all IDs. Neither is
 * tried before diag has counted the jobs, because a list of too many would cost minutes of slurmrestd. Later, if many
 * are missing, they are searched for, too: on a real 26.05 that was filled diag had counted 9,433 jobs, slurmctld
 * answered a minute later, and the list had 110,000 (62 s of slurmrestd). A cluster that never had a job has no IDs to
 * ask for, so each round asks for its list. */
static void plan_states(struct job_poller *poller, uint64_t whole)
{
	struct plan *plan = poller->plan;
	bool is_counted = number_is_known(poller->reader.rounds.search.expected);
	uint64_t missing = whole - job_table_counts(poller->cluster->job_table).jobs;
	bool is_list_of_known = !poller->has_states || missing <= LIST_MISSING_MAX;
	bool needs_list = (poller->needs_all && is_list_of_known) || !job_rounds_work(&poller->reader.rounds);
	bool by_list = needs_list && is_counted && whole <= JOB_STATES_LIST_MAX;
	bool by_search = poller->needs_all && is_counted && !by_list;
	bool is_filling = are_details_filling(poller, whole);
	double target_s = (double)poller->reader.asker->config->interval_s[TASK_JOB_STATES];
	poller->tasks[TASK_JOB_STATES].target_s = is_filling ? fmax(target_s, JOB_STATES_FILLING_S) : target_s;
	poller->tasks[TASK_JOB_STATES].bound_s = is_filling ? JOB_STATES_FILLING_S : JOB_STATES_BOUND_S;
	poller->tasks[TASK_JOB_DETAILS].weight = is_filling ? FILLING_WEIGHT : DETAILS_WEIGHT;
	poller->tasks[TASK_JOB_DETAILS].burst = poller->has_details ? 0 : FIRST_DETAILS_BURST;
	plan_set_whole(plan, TASK_JOB_STATES, whole);
	plan_allow_way(plan, TASK_JOB_STATES, STATES_LIST, by_list);
	plan_allow_way(plan, TASK_JOB_STATES, STATES_BATCHES, !by_list);
	plan_allow_way(plan, TASK_JOB_STATES, STATES_LARGE_BATCHES, !by_list);
	bool is_first = by_search && !poller->has_states; /* the first search brings the states, too */
	poller->tasks[TASK_JOB_SEARCH].weight = is_first ? FIRST_WEIGHT : SEARCH_WEIGHT;
	poller->tasks[TASK_JOB_SEARCH].burst = is_first ? FIRST_BURST : 0;
	plan_set_work(plan, TASK_JOB_STATES, is_first ? 0 : by_list ? whole : job_rounds_work(&poller->reader.rounds));
	plan_set_work(plan, TASK_JOB_SEARCH, !by_search ? 0 : missing > SEARCH_WORK ? missing : SEARCH_WORK);
}

/* slurmrestd refuses job/{id} of a federation's IDs (SLURMRESTD.md, "Federations"): details come in lists there. */
bool job_poller_is_federated(const struct job_poller *poller)
{
	return job_frontiers_top(&poller->reader.rounds.frontiers) > JOB_LOCAL_ID_MASK;
}

bool job_poller_may_ask_slurmdbd(const struct job_poller *poller)
{
	return poller->reader.asker->config->accounting_from && poller->cluster->accounting_up == UP_YES &&
	       clock_monotonic_ns() >= poller->slurmdbd_after_ns;
}

/* Details from slurmdbd cost an eighth, but do not say why jobs wait. So we ask it only if many jobs are new, and then
 * until none is left. */
static void choose_slurmdbd(struct job_poller *poller)
{
	uint64_t unseen = job_details_unseen(&poller->reader.details);
	bool are_many = unseen >= poller->reader.asker->config->accounting_from;
	poller->asks_slurmdbd = job_poller_may_ask_slurmdbd(poller) && unseen && (poller->asks_slurmdbd || are_many);
	plan_allow_way(poller->plan, TASK_JOB_DETAILS, DETAILS_ACCOUNTING, poller->asks_slurmdbd);
	plan_allow_way(poller->plan, TASK_JOB_DETAILS, DETAILS_SINGLE,
		       !poller->asks_slurmdbd && !job_poller_is_federated(poller));
}

/* Without the environment of deploy/slurmrestd each list makes slurmrestd grow further (24.11: 2,000 jobs, 4.4 GiB
 * after 40 lists). No answer mentions the environment, but with it JSON has no whitespace. */
static bool may_list_reasons(const struct job_poller *poller, uint64_t records)
{
	const struct asker *asker = poller->reader.asker;
	return poller->is_rate_limited || job_poller_is_federated(poller) ||
	       (asker->is_compact && records <= REASONS_LIST_MAX);
}

static void plan_reasons(struct job_poller *poller)
{
	struct plan *plan = poller->plan;
	struct job_counts counts = job_table_counts(poller->cluster->job_table);
	uint64_t left = job_details_left(&poller->reader.details, JOB_QUEUE_REASONS);
	uint64_t next = counts.rows_pending < JOB_REASONS_MAX ? counts.rows_pending : JOB_REASONS_MAX;
	plan_allow_way(plan, TASK_JOB_REASONS, DETAILS_LIST, may_list_reasons(poller, counts.rows));
	plan_allow_way(plan, TASK_JOB_REASONS, DETAILS_SINGLE, !job_poller_is_federated(poller));
	plan_set_whole(plan, TASK_JOB_REASONS, counts.rows);
	plan_set_work(plan, TASK_JOB_REASONS, !job_poller_is_complete(poller) ? 0 : left ? left : next);
}

static void plan_details(struct job_poller *poller, uint64_t whole)
{
	struct plan *plan = poller->plan;
	const struct job_details *details = &poller->reader.details;
	uint64_t turns = job_details_left(details, JOB_QUEUE_ROTATION);
	if (!turns)
		turns = job_table_counts(poller->cluster->job_table).rows;
	/* A list costs slurmrestd hardly less than single jobs, and 200 kB a job that it never gives back. It is better only
	 * where Slurm limits the request rate. */
	const size_t tasks[] = {TASK_JOB_DETAILS, TASK_JOB_ROTATION};
	for (size_t i = 0; i < 2; i++) {
		plan_set_whole(plan, tasks[i], whole);
		plan_allow_way(plan, tasks[i], DETAILS_LIST,
			       poller->is_rate_limited || job_poller_is_federated(poller));
		plan_allow_way(plan, tasks[i], DETAILS_SINGLE, !job_poller_is_federated(poller));
	}
	choose_slurmdbd(poller);
	plan_reasons(poller);
	plan_set_work(plan, TASK_JOB_DETAILS, job_details_left(details, JOB_QUEUE_WANTED));
	plan_set_work(plan, TASK_JOB_ROTATION, job_poller_is_complete(poller) ? turns : 0);
	struct job_view array;
	uint64_t id = job_details_peek(details, JOB_QUEUE_ARRAYS);
	bool is_there = id && job_table_find(poller->cluster->job_table, id, &array);
	uint64_t records = job_details_records(details, id), rows = records ? records : is_there ? array.tasks : 0;
	plan_allow_way(plan, TASK_JOB_ARRAYS, ARRAYS_STATES, !records);
	plan_allow_way(plan, TASK_JOB_ARRAYS, ARRAYS_RECORDS, records);
	plan_set_whole(plan, TASK_JOB_ARRAYS, rows ? rows : 1);
	plan_set_work(plan, TASK_JOB_ARRAYS, rows);
}

/* Without slurmdbd nothing says how a job ended once slurmctld has forgotten it. So we read jobs before that, and
 * earlier than other tasks' target intervals want, as far as the budgets allow. */
static void plan_ends(struct job_poller *poller)
{
	static const size_t tasks[] = {ENDPOINT_JOBS, TASK_JOB_STATES};
	uint64_t age_s = poller->cluster->conf.min_job_age;
	double within_s = (double)(number_is_known(age_s) && age_s ? age_s : MIN_JOB_AGE_S) / LOOKS_AT_ENDED;
	for (size_t i = 0; i < 2 && poller->tells_ends; i++) {
		struct plan_task *task = &poller->tasks[tasks[i]];
		task->target_s = fmin(task->target_s, within_s);
		task->bound_s = task->bound_s > 0 ? fmin(task->bound_s, within_s) : within_s;
	}
}

void job_poller_update(struct job_poller *poller)
{
	choose(poller);
	note_conf(poller);
	note_count(poller);
	uint64_t expected = poller->reader.rounds.search.expected;
	uint64_t whole = job_table_counts(poller->cluster->job_table).jobs;
	if (number_is_known(expected) && expected > whole)
		whole = expected;
	plan_set_whole(poller->plan, ENDPOINT_JOBS, whole);
	plan_set_work(poller->plan, ENDPOINT_JOBS, whole ? whole : 1);
	poller->tasks[ENDPOINT_JOBS].target_s = (double)poller->reader.asker->config->interval_s[ENDPOINT_JOBS];
	poller->tasks[ENDPOINT_JOBS].bound_s = 0;
	plan_states(poller, whole ? whole : 1);
	plan_details(poller, whole ? whole : 1);
	plan_ends(poller);
}
