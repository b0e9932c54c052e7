/* How jobs are read, as the version and what it serves change, and when they are searched for. The clock is the test's, and so
 * are the version that the client has found and all answers: these functions are replaced (CMakeLists.txt). */
#include "base/clock.h"
#include "model/job_run.h"
#include "poll/job_poller.h"
#include "poll/warm.h"
#include "polled.h"

#include <math.h>
#include <stdlib.h>

enum { JOBS = 12000 }; /* too many for one list */

static uint64_t now_ns = UINT64_C(5000000000000);
static const struct api_version *version;
/* The IDs that jobs/state knows: none if the oldest is above the newest. */
static uint64_t oldest_id = 1, newest_id = JOBS;
static size_t failures_left; /* how many of the next requests for states fail */
static enum plan_result failure = PLAN_FAILED;
static uint64_t ids_told; /* that answers of jobs/state had */
static size_t requests, requests_of_all; /* for states: those that name IDs, and those that do not */
/* Do jobs have details? Then why they wait; and how many requests were for one job's, and for those of all. */
static const char *reason;
static size_t requests_of_one, requests_of_list;
/* When slurmdbd's run ended; 0: it has none. */
static uint64_t ended_ago_s;
static bool are_runs_refused;
static double seconds_of_one = 0.0017; /* that slurmrestd takes for one job's details */
static double seconds_of_state; /* that slurmrestd takes for each, beside the request */
static size_t requests_of_runs;

uint64_t __wrap_clock_monotonic_ns(void);
const struct api_version *__wrap_client_version(const struct client *client);
enum fetch_result __wrap_asker_ask(struct asker *asker, const struct fetch *fetch, struct plan_outcome *ret_outcome);

static bool was_with_detail; /* the last request */

uint64_t __wrap_clock_monotonic_ns(void)
{
	return now_ns;
}

const struct api_version *__wrap_client_version(const struct client *client)
{
	(void)client;
	return version;
}

/* How often all rows were looked at for jobs whose details are wanted. */
static size_t looks;
uint64_t __real_job_details_begin(struct job_details *details, enum job_queue queue);
uint64_t __wrap_job_details_begin(struct job_details *details, enum job_queue queue);

uint64_t __wrap_job_details_begin(struct job_details *details, enum job_queue queue)
{
	looks += queue == JOB_QUEUE_WANTED;
	return __real_job_details_begin(details, queue);
}

static void take_id(const struct fetch *fetch, uint64_t id, struct plan_outcome *outcome)
{
	if (id < oldest_id || id > newest_id)
		return;
	char name[24];
	snprintf(name, sizeof name, "%" PRIu64, id);
	const struct job_task task = {.name = text_of(name), .id = id, .state = JOB_PENDING};
	fetch->take(fetch->context, &task);
	outcome->records++;
}

static void take_details(const struct fetch *fetch, uint64_t id, struct plan_outcome *outcome)
{
	const struct job job = {.id = id,
				.array_task_id = NUMBER_UNSET,
				.state = JOB_PENDING,
				.user = TEXT("ann"),
				.submit_time = 1000,
				.reason = text_of(reason)};
	fetch->take(fetch->context, &job);
	outcome->records++;
}

static bool tell_details(const struct fetch *fetch, struct plan_outcome *outcome)
{
	bool is_one = fetch->endpoint == ENDPOINT_JOB, is_list = fetch->endpoint == ENDPOINT_JOBS;
	requests_of_one += is_one;
	requests_of_list += is_list;
	if (is_one)
		take_details(fetch, strtoul(fetch->item, NULL, 10), outcome);
	for (uint64_t id = oldest_id; is_list && id <= newest_id; id++)
		take_details(fetch, id, outcome);
	return is_one || is_list;
}

/* slurmdbd has one run, whose ID is near the newest. */
static void tell_runs(const struct fetch *fetch, struct plan_outcome *outcome)
{
	const char *first = strstr(fetch->query, "start_time=");
	uint64_t window_s = (uint64_t)clock_now_s() - strtoul(first + strlen("start_time="), NULL, 10);
	requests_of_runs++;
	if (!ended_ago_s || window_s < ended_ago_s)
		return;
	const struct job_run run = {.job = {.id = newest_id - 50, .state = JOB_COMPLETED, .submit_time = 1000}};
	fetch->take(fetch->context, &run);
	outcome->records++;
}

enum fetch_result __wrap_asker_ask(struct asker *asker, const struct fetch *fetch, struct plan_outcome *ret_outcome)
{
	(void)asker;
	*ret_outcome = (struct plan_outcome){.result = PLAN_OK, .seconds = 0.001};
	was_with_detail = fetch->with_detail;
	if (reason && tell_details(fetch, ret_outcome)) {
		ret_outcome->seconds =
			fetch->endpoint == ENDPOINT_JOB ? seconds_of_one : 0.4e-3 * (double)(newest_id - oldest_id + 1);
		return FETCH_OK;
	}
	if (fetch->endpoint == ENDPOINT_DBD_JOBS && are_runs_refused) {
		ret_outcome->result = PLAN_FAILED;
		requests_of_runs++;
		return FETCH_SLURM_ERROR;
	}
	if (fetch->endpoint == ENDPOINT_DBD_JOBS)
		tell_runs(fetch, ret_outcome);
	if (fetch->endpoint != ENDPOINT_JOB_STATES)
		return FETCH_OK;
	if (failures_left) {
		failures_left--;
		ret_outcome->result = failure;
		return failure == PLAN_FAILED ? FETCH_HTTP_ERROR : FETCH_UNSUPPORTED;
	}
	const char *at = fetch->query ? strchr(fetch->query, '=') : NULL;
	++*(at ? &requests : &requests_of_all);
	for (uint64_t id = oldest_id; !at && id <= newest_id; id++)
		take_id(fetch, id, ret_outcome);
	for (; at; at = strchr(at + 1, '='))
		take_id(fetch, strtoul(at + 1, NULL, 10), ret_outcome);
	ret_outcome->seconds += seconds_of_state * (double)ret_outcome->records;
	ids_told += ret_outcome->records;
	return FETCH_OK;
}

struct life {
	struct polled polled;
	struct job_poller poller;
};

static struct life *life_new(void)
{
	struct life *life = calloc(1, sizeof *life);
	polled_init(&life->polled);
	job_poller_init(&life->poller, &life->polled.asker, life->polled.plan, life->polled.tasks);
	return life;
}

static void life_free(struct life *life)
{
	job_poller_done(&life->poller);
	polled_done(&life->polled);
	free(life);
}

static void pass(struct life *life, uint64_t seconds)
{
	now_ns += seconds * UINT64_C(1000000000);
	plan_next(life->polled.plan, now_ns);
	job_poller_update(&life->poller);
}

/* jobs/state is 404 or 403, whichever way it is asked. */
static void refuse_states(struct life *life)
{
	for (size_t way = STATES_BATCHES; way <= STATES_LIST && plan_is_allowed(life->polled.plan, TASK_JOB_STATES);
	     way++) {
		plan_note(life->polled.plan, now_ns,
			  &(struct plan_outcome){.task = TASK_JOB_STATES, .way = way, .result = PLAN_UNSUPPORTED});
		job_poller_update(&life->poller);
	}
}

static bool reads_states(const struct life *life)
{
	bool by_list = plan_is_allowed(life->polled.plan, ENDPOINT_JOBS);
	CHECK(by_list == life->poller.reads_list && by_list != plan_is_allowed(life->polled.plan, TASK_JOB_STATES));
	return !by_list;
}

static void test_lists_where_states_are_refused(void)
{
	check_row("where jobs/state is refused jobs are read as lists, and it is tried again, each time later");
	struct life *life = life_new();
	version = version_of("v0.0.42");
	pass(life, 1);
	CHECK(reads_states(life));
	for (uint64_t pause_s = 60; pause_s < 20000; pause_s *= 2) {
		uint64_t least_s = pause_s < 3600 ? pause_s : 3600;
		refuse_states(life);
		CHECK(!reads_states(life));
		pass(life, least_s - 5);
		CHECK(!reads_states(life));
		pass(life, 10);
		CHECK(reads_states(life));
		CHECK(life->poller.needs_all);
	}
	pass(life, 20000);
	CHECK(reads_states(life));
	life_free(life);
}

static void test_versions(void)
{
	check_row("not where it is of no use");
	struct life *life = life_new();
	version = version_of("v0.0.40");
	pass(life, 1);
	CHECK(!reads_states(life));
	pass(life, 20000);
	CHECK(!reads_states(life));
	check_row("but of another version it may be");
	version = version_of("v0.0.45");
	pass(life, 1);
	CHECK(reads_states(life));
	life_free(life);
}

/* diag has counted this number of jobs. */
static void count_jobs(struct life *life, uint64_t jobs)
{
	struct scheduler_section *scheduler = &life->polled.cluster.scheduler;
	scheduler->is_known = true;
	scheduler->diag.jobs_pending = jobs;
	scheduler->diag.jobs_running = 0;
	scheduler->diag.jobs_time++;
	job_poller_update(&life->poller);
}

static bool is_search_wanted(const struct life *life)
{
	return plan_show(life->polled.plan, now_ns, TASK_JOB_SEARCH).work > 0;
}

/* How long it takes until a search is wanted, if diag counts `jobs` jobs every `every_s` seconds. */
static uint64_t wait_for_search(struct life *life, uint64_t jobs, uint64_t every_s)
{
	uint64_t seconds = 0;
	do {
		pass(life, every_s);
		count_jobs(life, jobs);
		seconds += every_s;
	} while (!is_search_wanted(life) && seconds < 1000000);
	return seconds;
}

static void search(struct life *life, bool is_whole)
{
	const struct plan_action action = {.task = TASK_JOB_SEARCH, .way = STATES_BATCHES, .records = 4000};
	struct plan_outcome outcome;
	do {
		job_poller_poll(&life->poller, &action, &outcome);
		struct job_search *ids = &life->poller.reader.rounds.search;
		if (!is_whole) /* else it takes a million IDs above */
			ids->span = ids->span_count;
	} while (!outcome.is_round_done);
	job_poller_update(&life->poller);
	CHECK(!is_search_wanted(life));
}

/* The first search has found all jobs that jobs/state knows, and diag has counted as many. */
static struct life *life_of_search(void)
{
	struct life *life = life_new();
	version = version_of("v0.0.45");
	pass(life, 1);
	CHECK(!is_search_wanted(life));
	count_jobs(life, JOBS);
	CHECK(is_search_wanted(life));
	search(life, true);
	CHECK_NUMBER(job_table_counts(life->polled.cluster.job_table).jobs, JOBS);
	count_jobs(life, JOBS);
	CHECK(!is_search_wanted(life));
	return life;
}

static void test_pauses_of_the_search(void)
{
	static const uint64_t pauses[] = {600, 1200, 2400, 4800, 9600, 19200, 6 * 3600, 6 * 3600};
	struct life *life = life_of_search();
	check_row("a search that found all is followed by the next after three counts");
	CHECK_NUMBER(wait_for_search(life, JOBS + 100, 30), 90);
	search(life, false);
	check_row("a search in vain doubles the pause before the next one, up to six hours");
	for (size_t i = 0; i < sizeof pauses / sizeof *pauses; i++) {
		CHECK_NUMBER(wait_for_search(life, JOBS + 100, 30), pauses[i]);
		search(life, false);
	}
	check_row("none is missed any more: the next pause but the one under way is short again");
	count_jobs(life, JOBS);
	CHECK_NUMBER(wait_for_search(life, JOBS + 100, 30), 6 * 3600);
	search(life, false);
	CHECK_NUMBER(wait_for_search(life, JOBS + 100, 30), 600);
	life_free(life);
}

static void test_counts_before_a_search(void)
{
	struct life *life = life_of_search();
	check_row("three counts in a row, also after a search in vain, when the pause is long over");
	for (int again = 0; again < 3; again++) {
		CHECK_NUMBER(wait_for_search(life, JOBS + 100, 7200), 3 * 7200);
		search(life, false);
	}
	life_free(life);
}

/* One job of 12,000: more than that come and go between two counts. */
static void test_pauses_of_the_search_for_few(void)
{
	struct life *life = life_of_search();
	check_row("one that stays missing is searched for after twenty counts");
	CHECK_NUMBER(wait_for_search(life, JOBS + 1, 30), 600);
	search(life, false);
	check_row("a search in vain doubles the pause");
	CHECK_NUMBER(wait_for_search(life, JOBS + 1, 30), 600);
	search(life, false);
	CHECK_NUMBER(wait_for_search(life, JOBS + 1, 30), 1200);
	search(life, false);
	check_row("none is missed any more: the next pause but the one under way is short again");
	count_jobs(life, JOBS);
	CHECK_NUMBER(wait_for_search(life, JOBS + 1, 30), 2400);
	search(life, false);
	CHECK_NUMBER(wait_for_search(life, JOBS + 1, 30), 600);
	life_free(life);
}

static void ask(struct life *life, const struct plan_action *action)
{
	struct plan_outcome outcome = {.task = action->task, .way = action->way, .records = action->records};
	bool is_of_jobs =
		action->task == ENDPOINT_JOBS || (action->task >= TASK_JOB_STATES && action->task <= TASK_JOB_ARRAYS);
	outcome.is_round_done = !is_of_jobs;
	if (is_of_jobs)
		job_poller_poll(&life->poller, action, &outcome);
	plan_note(life->polled.plan, now_ns, &outcome);
	job_poller_update(&life->poller);
}

/* One request, or one wait. */
static void step(struct life *life)
{
	plan_note_scraped(life->polled.plan, now_ns);
	struct plan_action action = plan_next(life->polled.plan, now_ns);
	if (action.kind == PLAN_ASK)
		ask(life, &action);
	else
		now_ns = action.until_ns;
}

/* Lets the planner choose for so long. Returns the greatest age that the states had, in seconds. */
static double live(struct life *life, uint64_t seconds)
{
	double oldest_s = 0;
	requests = requests_of_all = 0;
	for (uint64_t end_ns = now_ns + seconds * UINT64_C(1000000000); now_ns < end_ns;) {
		step(life);
		oldest_s = fmax(oldest_s, plan_show(life->polled.plan, now_ns, TASK_JOB_STATES).age_s);
	}
	return oldest_s;
}

static bool are_states_shown(const struct life *life)
{
	struct health health = *life->polled.asker.health;
	return health.entries[ENDPOINT_JOB_STATES].is_shown && !health_expire(&health, ENDPOINT_JOB_STATES, now_ns);
}

static uint64_t known(const struct life *life)
{
	return job_table_counts(life->polled.cluster.job_table).jobs;
}

static const struct job_rounds *rounds_of(const struct life *life)
{
	return &life->poller.reader.rounds;
}

/* Lives until `ids` IDs are answered in the round of states that is about to begin; if that is 0, until a round has
 * ended. Returns how many IDs were answered. */
static uint64_t live_in_round(struct life *life, uint64_t ids)
{
	if (!ids)
		life->poller.as_of = 0;
	while (ids ? ids_told < ids : !life->poller.as_of)
		step(life);
	return ids_told;
}

static void begin_round(struct life *life)
{
	while (rounds_of(life)->is_open)
		step(life);
	ids_told = 0;
}

static void test_a_lost_batch(void)
{
	struct life *life = life_of_search();
	live(life, 300);
	begin_round(life);
	uint64_t whole = live_in_round(life, 0);
	CHECK(whole >= JOBS);
	check_row("one lost batch does not cost the round");
	begin_round(life);
	live_in_round(life, JOBS / 2);
	failures_left = 1;
	CHECK(live_in_round(life, 0) < whole + 600);
	check_row("two in a row do: what the round was told is too old by then");
	begin_round(life);
	live_in_round(life, JOBS / 2);
	failures_left = 2;
	while (failures_left)
		step(life);
	CHECK(!rounds_of(life)->is_open);
	CHECK(live_in_round(life, 0) > whole + JOBS / 3);
	life_free(life);
}

/* A proxy says 404 for `seconds`. After that, how long is it until a round of states is complete again? */
static double refuse_for(struct life *life, uint64_t seconds, bool *ret_reads_list)
{
	uint64_t end_ns = now_ns + seconds * UINT64_C(1000000000);
	*ret_reads_list = false;
	failure = PLAN_UNSUPPORTED;
	for (failures_left = SIZE_MAX; now_ns < end_ns; step(life))
		*ret_reads_list |= life->poller.reads_list;
	failures_left = 0;
	failure = PLAN_FAILED;
	begin_round(life);
	live_in_round(life, 0);
	CHECK(!life->poller.reads_list);
	return (double)(now_ns - end_ns) / 1e9;
}

static void test_refused_for_a_minute(void)
{
	struct life *life = life_of_search();
	bool reads_list;
	live(life, 300);
	check_row("a proxy that says 404 for a minute costs minutes, not an hour, and no list");
	CHECK(refuse_for(life, 60, &reads_list) <= 300);
	CHECK(!reads_list);
	CHECK(!is_search_wanted(life));
	CHECK_NUMBER(known(life), JOBS);
	check_row("where it goes on jobs are read as lists");
	live(life, 600);
	CHECK(refuse_for(life, 1000, &reads_list) <= 1000);
	CHECK(reads_list);
	life_free(life);
}

/* slurmrestd is away behind a proxy that says 404 to everything, ping, too. */
static void test_a_version_that_is_not_found_for_a_moment(void)
{
	struct life *life = life_of_search();
	check_row("no version is found for a moment: nothing is forgotten");
	live(life, 300);
	failures_left = 1;
	while (failures_left)
		step(life);
	CHECK_NUMBER(plan_show(life->polled.plan, now_ns, TASK_JOB_STATES).failures, 1);
	version = NULL;
	job_poller_update(&life->poller);
	version = version_of("v0.0.45");
	job_poller_update(&life->poller);
	CHECK_NUMBER(plan_show(life->polled.plan, now_ns, TASK_JOB_STATES).failures, 1);
	CHECK(reads_states(life));
	CHECK(!is_search_wanted(life));
	life_free(life);
}

static void test_a_search_in_vain_looks_at_no_rows(void)
{
	struct life *life = life_of_search();
	check_row("a search in vain does not look at all rows with each request");
	reason = "Priority";
	while (!job_poller_is_complete(&life->poller) ||
	       job_details_left(&life->poller.reader.details, JOB_QUEUE_WANTED))
		step(life);
	wait_for_search(life, JOBS + 100, 30);
	const struct plan_action action = {.task = TASK_JOB_SEARCH, .way = STATES_BATCHES, .records = 500};
	struct plan_outcome outcome;
	requests = looks = 0;
	for (int i = 0; i < 100; i++)
		job_poller_poll(&life->poller, &action, &outcome);
	CHECK_NUMBER(requests, 100);
	CHECK_NUMBER(looks, 0);
	check_row("but what it finds gets its details at once");
	newest_id = JOBS + 1000000;
	job_poller_poll(&life->poller, &action, &outcome);
	CHECK_NUMBER(looks, 1);
	CHECK(job_details_left(&life->poller.reader.details, JOB_QUEUE_WANTED) > 0);
	newest_id = JOBS;
	reason = NULL;
	life_free(life);
}

static void test_no_jobs(void)
{
	check_row("a cluster that never had a job is asked for ever, and has its zeros");
	struct life *life = life_new();
	version = version_of("v0.0.45");
	oldest_id = 1, newest_id = 0;
	life->polled.cluster.conf.next_job_id = 1;
	pass(life, 1);
	count_jobs(life, 0);
	CHECK(live(life, 1800) < 60);
	CHECK(are_states_shown(life));
	CHECK(requests_of_all > 60);
	check_row("the first job on it is seen, though diag never counted one");
	newest_id = 3;
	live(life, 60);
	CHECK_NUMBER(known(life), 3);
	check_row("when all are gone, the ids above them are asked for in each round");
	oldest_id = 4;
	CHECK(live(life, 1800) < 60);
	CHECK(are_states_shown(life));
	CHECK_NUMBER(known(life), 0);
	CHECK(requests > 60);
	CHECK_NUMBER(requests_of_all, 0);
	newest_id = 5;
	live(life, 60);
	CHECK_NUMBER(known(life), 2);
	oldest_id = 1, newest_id = JOBS;
	life_free(life);
}

/* Jobs whose details are known: `jobs` of them, from `first_id` on. */
static struct life *life_of_waiting_from(uint64_t first_id, uint64_t jobs, bool is_compact)
{
	struct life *life = life_new();
	version = version_of("v0.0.45");
	oldest_id = first_id, newest_id = first_id + jobs - 1;
	reason = "Priority";
	life->polled.asker.is_compact = is_compact;
	pass(life, 1);
	count_jobs(life, jobs);
	live(life, 240);
	CHECK(job_poller_is_complete(&life->poller));
	CHECK_NUMBER(job_table_counts(life->polled.cluster.job_table).rows_pending, jobs);
	return life;
}

static struct life *life_of_waiting(uint64_t jobs, bool is_compact)
{
	return life_of_waiting_from(1, jobs, is_compact);
}

/* All details take 10 s of slurmrestd here, and the requests for them 3 s. */
static void test_a_start(void)
{
	check_row("after a start nothing waits for a budget that is unspent");
	struct life *life = life_new();
	const struct plan_options options = tasks_options(&life->polled.config, true);
	plan_set_options(life->polled.plan, now_ns, &options);
	version = version_of("v0.0.45");
	newest_id = 1000;
	reason = "Priority";
	seconds_of_one = 0.01;
	pass(life, 1);
	count_jobs(life, newest_id);
	live(life, 6);
	CHECK_NUMBER(job_table_counts(life->polled.cluster.job_table).rows, newest_id);
	CHECK(job_poller_is_complete(&life->poller));
	seconds_of_one = 0.0017;
	reason = NULL;
	newest_id = JOBS;
	life_free(life);
}

/* Lets all reasons change, and returns for how many seconds some job still has the old one. */
static double reason_is_old_s(struct life *life, const char *changed)
{
	const struct job_table *table = life->polled.cluster.job_table;
	uint64_t began_ns = now_ns;
	reason = changed;
	for (uint64_t id = oldest_id; id <= newest_id; id++)
		while (!text_equal(job_table_reason(table, id), text_of(changed)) &&
		       now_ns < began_ns + UINT64_C(7200000000000))
			live(life, 1);
	return (double)(now_ns - began_ns) / 1e9;
}

static void test_reasons(void)
{
	static const struct {
		const char *what;
		uint64_t jobs;
		bool is_compact;
		double age_max_s; /* of the oldest reason */
		bool by_list;
	} rows[] = {
		{"twenty jobs", 20, false, 32, false},
		{"some hundred, one by one", 300, false, 40, false},
		{"a thousand, one by one", 1000, false, 80, false},
		{"some hundred in a list, where that leaves slurmrestd's memory as it is", 300, true, 32, true},
		{"a thousand in a list", 1000, true, 32, true},
		{"more in no list", 2001, true, 300, false},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		check_row(rows[i].what);
		struct life *life = life_of_waiting(rows[i].jobs, rows[i].is_compact);
		pass(life, 60);
		live(life, 120);
		requests_of_one = requests_of_list = 0;
		CHECK(reason_is_old_s(life, "Dependency") <= rows[i].age_max_s);
		CHECK((requests_of_list > 0) == rows[i].by_list);
		CHECK(rows[i].by_list || requests_of_one >= rows[i].jobs);
		CHECK_NUMBER(known(life), rows[i].jobs);
		reason = NULL;
		life_free(life);
	}
	oldest_id = 1, newest_id = JOBS;
}

/* On a real 26.05 that was empty and got 110,000 records, 105,510 had no details after 20 minutes. States came every
 * 24 s, as often as the budget allowed, and left none of it for details. */
static void test_many_new_jobs(void)
{
	check_row("details of many jobs that come to a cluster that is known take half an hour, by single requests");
	seconds_of_state = 60e-6; /* a round of all takes 1.2 s */
	struct life *life = life_of_waiting(1000, false);
	newest_id = 20000;
	count_jobs(life, newest_id);
	CHECK(live(life, 1800) < 180);
	CHECK_NUMBER(job_table_counts(life->polled.cluster.job_table).rows, newest_id);
	CHECK_NUMBER(job_table_counts(life->polled.cluster.job_table).rows_without_details, 0);
	check_row("and then states are as young as they can be");
	live(life, 600);
	CHECK(live(life, 600) < 60);
	seconds_of_state = 0;
	reason = NULL;
	oldest_id = 1, newest_id = JOBS;
	life_free(life);
}

/* For two minutes diag counts `missing` jobs more than there are. Returns the number of lists of all states that were asked
 * for, and the greatest age of states. */
static size_t lists_while_missing(struct life *life, uint64_t missing, double *ret_oldest_s)
{
	size_t lists = 0;
	*ret_oldest_s = 0;
	for (int i = 0; i < 8; i++) {
		count_jobs(life, newest_id + missing);
		*ret_oldest_s = fmax(*ret_oldest_s, live(life, 15));
		lists += requests_of_all;
	}
	return lists;
}

/* On a real 26.05 that was filled one list of states took 62 s: diag had counted 9,433 jobs, and 110,000 came. */
static void test_lists_on_a_cluster_that_fills(void)
{
	struct life *life = life_of_waiting(2000, false);
	double oldest_s;
	check_row("a few are missing: they come with the list of all");
	CHECK(lists_while_missing(life, 22, &oldest_s) > 0);
	check_row("many are missing: they are searched for, and states are asked for meanwhile");
	CHECK_NUMBER(lists_while_missing(life, 3000, &oldest_s), 0);
	CHECK(requests > 0 && oldest_s < 60);
	reason = NULL;
	oldest_id = 1, newest_id = JOBS;
	life_free(life);
}

/* select/linear takes the GPUs of a suspended job away. Where no TRES names GPUs, only DETAIL tells that. */
static void test_suspended_jobs_of_untold_gpus(void)
{
	static const struct {
		const char *name;
		int state;
		bool has_untold_gpus, is_asked_with_detail;
	} rows[] = {
		{"a suspended job", JOB_SUSPENDED, true, true},
		{"one that runs", JOB_RUNNING, true, false},
		{"one without GPUs, or whose TRES tell", JOB_SUSPENDED, false, false},
	};
	for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
		struct life *life = life_new();
		struct job_table *table = life->polled.cluster.job_table;
		struct plan_outcome outcome;
		const struct job job = {.id = 5,
					.array_task_id = NUMBER_UNSET,
					.state = rows[row].state,
					.nodes = 1,
					.has_untold_gpus = rows[row].has_untold_gpus};
		check_row(rows[row].name);
		table->extras.max[job_stage_of(job.state, 0)] = 10;
		job_table_put(table, &job, 1000);
		job_extras_put(&table->extras, &job);
		for (int again = 0; again < 2; again++) {
			job_reader_job(&life->poller.reader, job.id, &outcome);
			CHECK(was_with_detail == rows[row].is_asked_with_detail);
		}
		life_free(life);
	}
}

static bool is_expected(const struct life *life, uint64_t jobs)
{
	return life->poller.reader.rounds.search.expected == jobs;
}

/* slurmscope starts within half a minute of a burst of submissions. */
static void test_a_burst_before_the_start(void)
{
	static const struct {
		const char *name;
		uint64_t pending, submitted, started;
		bool is_believed;
	} rows[] = {
		{"more wait than a list of states should have", 0, JOB_STATES_LIST_MAX + 1, 0, false},
		{"as many as it may", 0, JOB_STATES_LIST_MAX, 0, true},
		{"those that wait are counted", 5, JOB_STATES_LIST_MAX + 5, 0, true},
		{"most have started", 0, 50000, 45000, true},
		{"diag does not tell what was submitted", 0, NUMBER_UNSET, NUMBER_UNSET, true},
	};
	for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
		struct life *life = life_new();
		struct diag *diag = &life->polled.cluster.scheduler.diag;
		check_row(rows[row].name);
		version = version_of("v0.0.45");
		pass(life, 1);
		diag->jobs_submitted = rows[row].submitted;
		diag->jobs_started = rows[row].started;
		count_jobs(life, rows[row].pending);
		CHECK(is_expected(life, rows[row].is_believed ? rows[row].pending : NUMBER_UNSET));
		job_poller_update(&life->poller); /* the same count again */
		CHECK(is_expected(life, rows[row].is_believed ? rows[row].pending : NUMBER_UNSET));
		count_jobs(life, rows[row].pending); /* the next one: the others were cancelled */
		CHECK(is_expected(life, rows[row].pending));
		diag->jobs_submitted = 1000000;
		count_jobs(life, 70000); /* later ones are believed, whatever was submitted */
		CHECK(is_expected(life, 70000));
		life_free(life);
	}
}

/* On a real 26.05 without slurmdbd a job's details cost slurmctld 1 to 4 ms, most of it waiting for its locks: 110,000
 * would have taken eight hours. */
static void test_details_that_take_hours(void)
{
	check_row("where a job's details cost slurmctld much, states do not wait for the details of all");
	struct life *life = life_of_waiting(1000, false);
	double sum = 0;
	uint64_t count = 0;
	seconds_of_one = 0.016;
	newest_id = 20000;
	count_jobs(life, newest_id);
	for (int i = 0; i < 120; i++) {
		requests_of_one = 0;
		live(life, 15);
		sum += 0.015 * (double)requests_of_one;
		count += requests_of_one;
		plan_note_slurmctld(life->polled.plan, now_ns, sum, count + 1);
	}
	CHECK(job_table_counts(life->polled.cluster.job_table).rows_without_details > 10000);
	CHECK(live(life, 600) < 60);
	seconds_of_one = 0.0017;
	reason = NULL;
	oldest_id = 1, newest_id = JOBS;
	life_free(life);
}

static void test_where_ids_are(void)
{
	static const struct {
		const char *what;
		enum up up;
		bool is_refused;
		uint64_t ended_ago_s;
		size_t asked; /* slurmdbd, how many times */
		bool is_found; /* soon */
	} rows[] = {
		{"a job that ended just now", UP_YES, false, 3, 1, true},
		{"one that ended an hour ago", UP_YES, false, 3500, 4, true},
		{"one that ended days ago", UP_YES, false, 500000, 6, true},
		{"none that ended lately", UP_YES, false, 0, 6, false},
		{"slurmdbd fails", UP_NOT_KNOWN, true, 3, 1, false},
		{"it was not asked for its health yet", UP_NOT_KNOWN, false, 3, 1, true},
		{"it is down", UP_NO, false, 3, 0, false},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		check_row(rows[i].what);
		struct life *life = life_new();
		version = version_of("v0.0.42");
		oldest_id = 20000000, newest_id = oldest_id + JOBS - 1;
		ended_ago_s = rows[i].ended_ago_s, are_runs_refused = rows[i].is_refused;
		life->polled.cluster.accounting_up = rows[i].up;
		pass(life, 1);
		count_jobs(life, JOBS);
		requests_of_runs = 0;
		struct plan_action action = {.task = TASK_JOB_SEARCH, .way = STATES_BATCHES, .records = 500};
		for (int request = 0; request < 2000 && is_search_wanted(life); request++)
			ask(life, &action);
		CHECK_NUMBER(requests_of_runs, rows[i].asked);
		CHECK_NUMBER(known(life), rows[i].is_found ? JOBS : 0);
		CHECK_NUMBER(plan_show(life->polled.plan, now_ns, TASK_JOB_SEARCH).failures, 0);
		life_free(life);
	}
	oldest_id = 1, newest_id = JOBS, are_runs_refused = false;
}

static void test_unknown_reasons(void)
{
	check_row("a start is not over while nobody has told why a job waits");
	struct life *life = life_of_waiting(300, false);
	CHECK(job_poller_knows_reasons(&life->poller));
	reason = "Unknown";
	job_reader_details(&life->poller.reader, &(struct plan_outcome){.result = PLAN_OK});
	CHECK(job_poller_is_complete(&life->poller));
	CHECK(!job_poller_knows_reasons(&life->poller));
	reason = "Priority";
	live(life, 120);
	CHECK(job_poller_knows_reasons(&life->poller));
	reason = NULL;
	oldest_id = 1, newest_id = JOBS;
	life_free(life);
}

static void test_what_slurm_configures(void)
{
	struct life *life = life_new();
	version = version_of("v0.0.45");
	life->polled.config.max_array_size = 5001;
	life->polled.cluster.conf = CONF_UNKNOWN;
	pass(life, 1);
	check_row("how large arrays may be says the configuration, until Slurm's own does");
	CHECK_NUMBER(life->poller.reader.rounds.search.array_size, 5001);
	life->polled.cluster.conf.max_array_size = 20001;
	pass(life, 1);
	CHECK_NUMBER(life->poller.reader.rounds.search.array_size, 20001);
	check_row("and so it is with the first and the last ID; 0 is none");
	life->polled.cluster.conf.first_job_id = life->polled.cluster.conf.max_job_id = 0;
	const struct job_frontiers *frontiers = &life->poller.reader.rounds.frontiers;
	pass(life, 1);
	CHECK(frontiers->first_id == 1 && frontiers->last_id == 67043328);
	life->polled.cluster.conf.first_job_id = 1000;
	life->polled.cluster.conf.max_job_id = 5000;
	pass(life, 1);
	CHECK(frontiers->first_id == 1000 && frontiers->last_id == 5000);
	life_free(life);
}

static void test_hidden_jobs(void)
{
	check_row("a job that the list hides stays, for jobs/state has it");
	struct life *life = life_of_waiting(300, true);
	struct plan_action action = {.kind = PLAN_ASK, .task = TASK_JOB_REASONS, .way = DETAILS_LIST, .records = 300};
	newest_id = 299;
	ask(life, &action);
	CHECK_NUMBER(known(life), 300);
	check_row("until jobs/state has it no more");
	live(life, 60);
	CHECK_NUMBER(known(life), 299);
	reason = NULL;
	oldest_id = 1, newest_id = JOBS;
	life_free(life);
}

static void test_federation(void)
{
	static const uint64_t sizes[] = {20, 3000};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		check_row("a federation's jobs have their details from lists, as slurmrestd tells none of one");
		requests_of_one = requests_of_list = 0;
		struct life *life = life_of_waiting_from(UINT64_C(2) << 26 | 1, sizes[i], false);
		CHECK(reason_is_old_s(life, "Dependency") <= 300);
		CHECK_NUMBER(known(life), sizes[i]);
		CHECK_NUMBER(requests_of_one, 0);
		CHECK(requests_of_list > 1);
		reason = NULL;
		life_free(life);
	}
	oldest_id = 1, newest_id = JOBS;
}

static void test_how_long_ended_jobs_are_known(void)
{
	static const struct {
		const char *what;
		bool tells_ends;
		uint64_t min_job_age;
		double list_target_s, list_bound_s, states_target_s, states_bound_s;
	} rows[] = {
		{"slurmdbd tells of ends", false, NUMBER_UNSET, 300, 0, 24, JOB_STATES_BOUND_S},
		{"without it three looks before slurmctld forgets, after five minutes by default", true, NUMBER_UNSET,
		 100, 100, 24, JOB_STATES_BOUND_S},
		{"or when conf says", true, 60, 20, 20, 20, 20},
		{"slurmdbd is there, whatever conf says", false, 60, 300, 0, 24, JOB_STATES_BOUND_S},
	};
	struct life *life = life_new();
	life->polled.config.interval_s[ENDPOINT_JOBS] = 300;
	life->polled.config.interval_s[TASK_JOB_STATES] = 24;
	version = version_of("v0.0.45");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		check_row(rows[i].what);
		life->poller.tells_ends = rows[i].tells_ends;
		life->polled.cluster.conf.min_job_age = rows[i].min_job_age;
		job_poller_update(&life->poller);
		const struct plan_task *list = &life->polled.tasks[ENDPOINT_JOBS],
				       *states = &life->polled.tasks[TASK_JOB_STATES];
		CHECK_NUMBER(list->target_s, rows[i].list_target_s);
		CHECK_NUMBER(list->bound_s, rows[i].list_bound_s);
		CHECK_NUMBER(states->target_s, rows[i].states_target_s);
		CHECK_NUMBER(states->bound_s, rows[i].states_bound_s);
	}
	life_free(life);
}

/* A start with jobs 1 to JOBS of a state file, as they were `age_s` seconds ago. Number 7's row is of no use. */
static struct life *life_of_file(int64_t age_s)
{
	struct life *life = life_new();
	struct job_keeper keeper;
	int64_t then = clock_now_s() - age_s;
	version = version_of("v0.0.45");
	job_keeper_init(&keeper, &life->polled.cluster, &life->poller.reader.rounds);
	job_keeper_take_mark(&keeper, TEXT("jobs_as_of"), then);
	job_keeper_take_mark(&keeper, TEXT("jobs_seen_at"), then);
	job_keeper_take_mark(&keeper, TEXT("jobs_have_details"), 1);
	for (uint64_t id = 1; id <= JOBS; id++) {
		const struct store_job job = {.id = id,
					      .array_task_id = -1,
					      .tail = -1,
					      .state = TEXT("pending"),
					      .bits = ROW_HAS_DETAILS,
					      .tasks = id == 7 ? 0 : 1,
					      .tasks_listed = 1,
					      .submit_time = 1700000000 + id,
					      .user = TEXT("alice")};
		job_keeper_take(&keeper, &job);
	}
	warm_begin(&life->poller, &keeper);
	CHECK(!keeper.found && !keeper.doubted.slots);
	job_keeper_done(&keeper);
	return life;
}

static bool is_known(const struct life *life, uint64_t id)
{
	struct job_view view;
	return job_table_find(life->polled.cluster.job_table, id, &view);
}

/* Lives until the jobs of the file are verified. Returns how long that took, in seconds. */
static double verify(struct life *life)
{
	uint64_t began_ns = now_ns;
	while (life->poller.unverified_as_of > 0 && now_ns < began_ns + UINT64_C(600000000000))
		step(life);
	CHECK(life->poller.unverified_as_of == 0);
	return (double)(now_ns - began_ns) / 1e9;
}

static void test_warm_start(void)
{
	check_row("a start with jobs of a state file shows them, as old as they are");
	struct life *life = life_of_file(60);
	struct health *health = life->polled.asker.health;
	double then = (double)(clock_now_s() - 60);
	CHECK_NUMBER(known(life), JOBS - 1);
	CHECK(are_states_shown(life));
	CHECK(fabs(life->poller.unverified_as_of - then) < 3);
	CHECK_NUMBER(life->polled.exporter.endpoints[ENDPOINT_JOB_STATES].last_success, life->poller.unverified_as_of);
	check_row("and no longer than a process that had gone on");
	double left_s = (double)(health->entries[ENDPOINT_JOB_STATES].too_old_ns - now_ns) / 1e9;
	CHECK(left_s <= 240 && left_s > 235);
	check_row("nothing is counted of what nobody has verified");
	CHECK(!life->poller.as_of && !job_poller_is_complete(&life->poller) && life->poller.has_details);
	check_row("what diag counts tells nothing before");
	pass(life, 1);
	count_jobs(life, 3 * JOBS);
	CHECK(!is_search_wanted(life) && !life->poller.needs_all);
	count_jobs(life, JOBS);
	check_row("who ended is gone after one round, who came is found, and who was lost comes back");
	oldest_id = 6, newest_id = JOBS + 900;
	requests_of_all = 0;
	CHECK(verify(life) < 45);
	CHECK_NUMBER(known(life), JOBS + 895);
	CHECK(!is_known(life, 5) && is_known(life, 6) && is_known(life, 7) && is_known(life, JOBS + 900));
	CHECK_NUMBER(requests_of_all, 0);
	CHECK(life->poller.as_of >= (int64_t)then + 50 && job_poller_is_complete(&life->poller));
	CHECK(are_states_shown(life));
	life_free(life);
	check_row("too old to show: after the round all are");
	life = life_of_file(1200);
	CHECK(!are_states_shown(life) && life->poller.unverified_as_of > 0);
	pass(life, 1);
	verify(life);
	CHECK(are_states_shown(life) && job_poller_is_complete(&life->poller));
	life_free(life);
	check_row("too old to be of use: all begins anew");
	life = life_of_file(3700);
	CHECK_NUMBER(known(life), 0);
	CHECK(!are_states_shown(life) && life->poller.unverified_as_of == 0 && life->poller.needs_all);
	life_free(life);
	oldest_id = 1, newest_id = JOBS;
}

/* Behind a gap of IDs there may be jobs that the round does not find. */
static void test_missed_while_away(void)
{
	check_row("the count that diag gave before is looked at again when the jobs are verified");
	struct life *life = life_of_file(60);
	pass(life, 1);
	oldest_id = JOBS + 5000, newest_id = 3 * JOBS;
	count_jobs(life, 2 * JOBS - 4999);
	verify(life);
	CHECK_NUMBER(known(life), 0);
	job_poller_update(&life->poller);
	CHECK(life->poller.needs_all && is_search_wanted(life));
	check_row("and so is what conf says of the next id");
	life->polled.cluster.conf.next_job_id = 3 * JOBS;
	job_poller_update(&life->poller);
	CHECK_NUMBER(job_frontiers_top(&life->poller.reader.rounds.frontiers), 3 * JOBS);
	life_free(life);
	check_row("which before would have the round pass over jobs");
	life = life_of_file(60);
	life->polled.cluster.conf.next_job_id = JOBS + 2500;
	pass(life, 1);
	oldest_id = 1, newest_id = JOBS + 499;
	count_jobs(life, JOBS + 499);
	verify(life);
	CHECK_NUMBER(known(life), JOBS + 499);
	job_poller_update(&life->poller);
	CHECK_NUMBER(job_frontiers_top(&life->poller.reader.rounds.frontiers), JOBS + 2500);
	oldest_id = 1, newest_id = JOBS;
	life_free(life);
}

/* Where jobs/state is refused a list verifies them. */
static void test_warm_lists(void)
{
	check_row("a list verifies them as well");
	struct life *life = life_of_file(60);
	version = version_of("v0.0.40");
	pass(life, 1);
	CHECK(!reads_states(life) && life->poller.unverified_as_of > 0);
	const struct plan_action action = {.task = ENDPOINT_JOBS, .way = WAY_ONLY};
	ask(life, &action);
	CHECK(life->poller.unverified_as_of == 0);
	CHECK_NUMBER(known(life), 0);
	life_free(life);
}

int main(void)
{
	test_a_start();
	test_reasons();
	test_many_new_jobs();
	test_lists_on_a_cluster_that_fills();
	test_suspended_jobs_of_untold_gpus();
	test_a_burst_before_the_start();
	test_details_that_take_hours();
	test_hidden_jobs();
	test_federation();
	test_how_long_ended_jobs_are_known();
	test_what_slurm_configures();
	test_unknown_reasons();
	test_where_ids_are();
	test_warm_start();
	test_missed_while_away();
	test_warm_lists();
	test_a_lost_batch();
	test_a_search_in_vain_looks_at_no_rows();
	test_refused_for_a_minute();
	test_a_version_that_is_not_found_for_a_moment();
	test_no_jobs();
	test_lists_where_states_are_refused();
	test_versions();
	test_pauses_of_the_search();
	test_pauses_of_the_search_for_few();
	test_counts_before_a_search();
	return check_done();
}
