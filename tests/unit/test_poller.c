/* A poller's life in a time of its own: it passes when the poller waits. slurmrestd's answers, the clock and the board where pages
 * are left are replaced (CMakeLists.txt). */
#include "check.h"
#include "events/events_record.h"
#include "poll/poller.h"
#include "poll/poller_config.h"
#include "poll/poller_page.h"
#include "poll/poller_role.h"
#include "poll/poller_state.h"
#include "store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { STEPS_MAX = 9, PINGS_MAX = 500 }; /* steps: it leads at the end, and frees what it counted as a leader */

static struct {
	uint64_t now_ns;
	struct poller *poller;
	const char *serving; /* the controller that responds */
	uint32_t asked; /* a bit for each endpoint, since the step began */
	unsigned pings, step; /* pings: since the step began */
	const struct job_events *counts; /* of this leadership, once it is ready */
	unsigned first_pages; /* of leaderships */
	unsigned failures;
	bool was_standby;
	enum fetch_result of_nodes; /* what comes of asking for nodes */
} world;

static char folder[] = "/tmp/test-poller-XXXXXX", path[64];

uint64_t __wrap_clock_monotonic_ns(void);
int __wrap_pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until);
const struct api_version *__wrap_client_version(const struct client *client);
enum fetch_result __wrap_client_fetch(struct client *client, const struct fetch *fetch, struct answer *ret_answer,
				      struct http_reply *ret_reply, struct error *err);
void __wrap_page_slot_publish(struct page_slot *slot, struct page *page);

uint64_t __wrap_clock_monotonic_ns(void)
{
	return world.now_ns;
}

int __wrap_pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until)
{
	(void)cond, (void)mutex;
	uint64_t until_ns = (uint64_t)until->tv_sec * 1000000000 + (uint64_t)until->tv_nsec;
	world.now_ns = until_ns > world.now_ns ? until_ns : world.now_ns;
	return ETIMEDOUT;
}

const struct api_version *__wrap_client_version(const struct client *client)
{
	(void)client;
	return &api_versions[0];
}

static void answer_ping(const struct fetch *fetch)
{
	for (unsigned i = 0; i < 2; i++) {
		const char *host = i ? "ctl2" : "ctl1";
		const struct controller controller = {.host = text_of(host),
						      .is_primary = !i,
						      .is_up = strcmp(host, world.serving) == 0,
						      .latency_us = NUMBER_UNSET};
		fetch->take(fetch->context, &controller);
	}
	if (++world.pings == PINGS_MAX) /* what is waited for does not come */
		poller_tell_to_stop(world.poller);
}

enum fetch_result __wrap_client_fetch(struct client *client, const struct fetch *fetch, struct answer *ret_answer,
				      struct http_reply *ret_reply, struct error *err)
{
	(void)client;
	const struct diag diag = {.jobs_time = 1};
	world.now_ns += 1000000;
	world.asked |= UINT32_C(1) << fetch->endpoint;
	*ret_answer = (struct answer){.has_list = true, .last_update = 5};
	*ret_reply = (struct http_reply){.status = 200, .seconds = 0.001};
	bool is_gone = world.step % 4 == 1; /* each second time, until ping tells that another one serves */
	if (is_gone && fetch->endpoint != ENDPOINT_PING) {
		error_set(err, "slurmctld is gone");
		world.failures++;
		return FETCH_HTTP_ERROR;
	}
	if (fetch->endpoint == ENDPOINT_PING)
		answer_ping(fetch);
	else if (fetch->endpoint == ENDPOINT_DIAG)
		fetch->take(fetch->context, &diag);
	return fetch->endpoint == ENDPOINT_NODES ? world.of_nodes : FETCH_OK;
}

static void go_on(const char *serving)
{
	if (++world.step == STEPS_MAX)
		poller_tell_to_stop(world.poller);
	world.serving = serving;
	world.asked = 0;
	world.pings = 0;
	world.counts = NULL;
}

/* A slurmscope that has just taken over knows nothing but what ping said. It is ready when it has asked for
 * everything. */
static void look_at_leader(const struct status *status)
{
	const uint32_t all = (UINT32_C(1) << ENDPOINTS_POLLED) - 1 - (UINT32_C(1) << ENDPOINT_JOBS);
	const char *missing = status->not_ready ? status->not_ready : "nothing";
	for (int i = 0; world.was_standby && i < ENDPOINTS_POLLED; i++)
		CHECK(i == ENDPOINT_PING || i == ENDPOINT_JOBS || strstr(missing, endpoint_table[i].name));
	world.first_pages += world.was_standby;
	CHECK_NUMBER(status->budgets[0].limit, status->start_until > 0 ? 0.3 : 0.06);
	CHECK(status->start_until > 0 ? status->not_ready != NULL : !world.was_standby);
	if (status->not_ready || strcmp(world.serving, "ctl1") != 0)
		return;
	/* further pings say the same, and it goes on counting */
	world.counts = world.counts ? world.counts : world.poller->events.recorder.events;
	CHECK(world.poller->events.recorder.events == world.counts);
	if (world.pings < 4)
		return;
	CHECK_NUMBER(world.asked & all, all);
	go_on("ctl2");
}

static void look_at_standby(const struct status *status)
{
	CHECK(status->is_accounting_up == ANSWER_UNKNOWN);
	for (int i = 0; i < ENDPOINTS; i++) {
		CHECK(i == ENDPOINT_PING || !world.poller->exporter.endpoints[i].last_success);
		CHECK(i >= ENDPOINTS_POLLED || i == ENDPOINT_PING || !world.poller->last_update[i]);
	}
	for (size_t i = 0; i < status->endpoint_count; i++) {
		const struct status_endpoint *endpoint = &status->endpoints[i];
		if (strcmp(endpoint->name, "ping") == 0)
			continue;
		CHECK(endpoint->standing == STANDING_NOT_ASKED);
		CHECK_NUMBER(endpoint->failing_since, 0);
	}
	if (status->role.serving && !world.was_standby)
		go_on("ctl1");
}

void __wrap_page_slot_publish(struct page_slot *slot, struct page *page)
{
	(void)slot;
	if (!world.poller) /* the test does not look at pages */
		;
	else if (page->status->role.is_standby)
		look_at_standby(page->status);
	else
		look_at_leader(page->status);
	world.was_standby = page->status->role.is_standby;
	page_release(page);
}

static struct setup *setup_of(const char *const *more, int count)
{
	static const char *arguments[16] = {"slurmscope", "--slurmrestd.url=http://127.0.0.1:1",
					    "--slurmrestd.user=root"};
	struct error err = {""};
	bool is_read;
	for (int i = 0; i < count; i++)
		arguments[3 + i] = more[i];
	struct setup *setup = setup_new(3 + count, (char *const *)(uintptr_t)arguments, &is_read, &err);
	CHECK_STRING(err.text, "");
	return setup;
}

static struct poller *poller_of(struct setup *setup, struct page_board *board, struct page_slot *slot)
{
	struct error err = {""};
	page_board_init(board);
	page_slot_init(slot, board, NULL);
	struct poller *poller = poller_new(setup, &setup->clusters[0], slot, &err);
	CHECK_STRING(err.text, "");
	return poller;
}

static void test_takeovers(void)
{
	check_row("each time that it takes over all begins anew");
	static const char *const options[] = {"--ha=follow-controller", "--ha-host=ctl1", "--interval.ping=20",
					      "--interval.diag=1", "--budget.requests=1000"};
	struct page_board board;
	struct page_slot slot;
	struct error err;
	struct setup *setup = setup_of(options, 5);
	world.now_ns = UINT64_C(5000000000000);
	world.serving = "ctl1";
	world.poller = poller_of(setup, &board, &slot);
	CHECK(poller_start(world.poller, &err));
	pthread_join(world.poller->thread, NULL);
	world.poller->has_thread = false;
	CHECK_NUMBER(world.step, STEPS_MAX);
	CHECK_NUMBER(world.first_pages, (STEPS_MAX + 1) / 2);
	CHECK(world.failures > 0);
	poller_free(world.poller);
	setup_release(setup);
	page_slot_done(&slot);
	page_board_done(&board);
}

/* Outages go on until slurmctld last told of nodes, also if it told that nothing has changed. */
static void test_nodes_that_do_not_change(void)
{
	static const struct {
		const char *what;
		enum fetch_result result;
		bool is_renewed;
		uint64_t last_update; /* which the next answer may build on; 0: none */
	} rows[] = {{"all of them come", FETCH_OK, true, 5},
		    {"none has changed", FETCH_UNCHANGED, true, 7},
		    {"no answer", FETCH_HTTP_ERROR, false, 0}};
	world.now_ns = UINT64_C(5000000000000);
	world.serving = "ctl1";
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct page_board board;
		struct page_slot slot;
		struct setup *setup = setup_of(NULL, 0);
		struct poller *poller = poller_of(setup, &board, &slot);
		check_row(rows[i].what);
		poller->cluster.nodes_as_of = 1;
		poller->last_update[ENDPOINT_NODES] = 7;
		world.of_nodes = rows[i].result;
		poller_poll_all(poller);
		CHECK((poller->cluster.nodes_as_of > 1) == rows[i].is_renewed);
		CHECK_NUMBER(poller->last_update[ENDPOINT_NODES], rows[i].last_update);
		poller_free(poller);
		setup_release(setup);
		page_slot_done(&slot);
		page_board_done(&board);
	}
	world.of_nodes = FETCH_OK;
}

/* A page waits for the round that is under way, but the oldest news waits for no more than two seconds. */
static void test_how_long_a_page_waits(void)
{
	static const struct {
		const char *what;
		bool is_round;
		uint64_t round_began_s, news_since_s, next_page_s, want_s;
	} rows[] = {
		{"a round with all that is new", true, 100, 100, 90, 102},
		{"news of the round before, and no page could be made since", true, 100, 95, 99, 101},
		{"older news still", true, 100, 90, 80, 80},
		{"a slow commit: no page may be made yet", true, 100, 90, 110, 110},
		{"no round", false, 100, 100, 90, 90},
	};
	struct page_board board;
	struct page_slot slot;
	struct setup *setup = setup_of(NULL, 0);
	struct poller *poller = poller_of(setup, &board, &slot);
	const uint64_t second = 1000000000;
	poller->jobs.has_details = true;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		check_row(rows[i].what);
		poller->jobs.reader.rounds.is_open = rows[i].is_round;
		poller->jobs.round_began_ns = rows[i].round_began_s * second;
		poller->news_since_ns = rows[i].news_since_s * second;
		poller->next_page_ns = rows[i].next_page_s * second;
		CHECK_NUMBER(poller_next_page_ns(poller, 100 * second), rows[i].want_s * second);
	}
	check_row(NULL);
	poller_free(poller);
	setup_release(setup);
	page_slot_done(&slot);
	page_board_done(&board);
}

static void end_job(struct job_events *events, uint32_t id, const char *user)
{
	const struct job_end end = {.raw_id = id,
				    .key = {id, RUN_NO_TASK, events->birth + 1},
				    .tasks = 1,
				    .owner = {TEXT("physics"), text_of(user), TEXT("cpu"), TEXT("normal")},
				    .state = TEXT("completed"),
				    .end_time = events->birth + 2,
				    .time_limit = NUMBER_UNSET};
	job_events_take_end(events, &end);
}

struct stored {
	bool alice, bob;
};

static void note_counter(const struct store_counter *counter, void *context)
{
	struct stored *names = context;
	names->alice |= memmem(counter->name.bytes, counter->name.len, "alice", 5) != NULL;
	names->bob |= memmem(counter->name.bytes, counter->name.len, "bob", 3) != NULL;
}

static void ignore_run(const struct store_run *run, void *context)
{
	(void)run, (void)context;
}

static void ignore_mark(struct text name, int64_t value, void *context)
{
	(void)name, (void)value, (void)context;
}

/* Whose counters a copy of the state file has, as if the machine had died now. */
static struct stored names_stored(void)
{
	static const struct store_visitor visitor = {note_counter, ignore_run, ignore_mark, NULL, NULL, NULL};
	char command[160];
	struct error err;
	struct stored names = {false, false};
	snprintf(command, sizeof command, "cd %s && rm -f copy* && cp state copy && cp state-wal copy-wal", folder);
	CHECK(system(command) == 0);
	snprintf(command, sizeof command, "%s/copy", folder);
	struct store *store = store_new(command, "");
	CHECK(store_load(store, &visitor, &names, &err) == STORE_LOADED);
	store_free(store);
	return names;
}

/* Nothing happens on the cluster; the name goes from the state file nevertheless. */
static void test_denied_name(void)
{
	check_row("who is denied a row has none in the state file from then on");
	char state[80];
	snprintf(state, sizeof state, "--state.path=%s", path);
	const char *const options[] = {state, "--jobs.ends=slurmctld", "--filter.users-deny=alice"};
	struct page_board board;
	struct page_slot slot;
	struct setup *setup = setup_of(options, 2), *denies = setup_of(options, 3);
	struct poller *poller = poller_of(setup, &board, &slot);
	poller_begin(poller);
	end_job(poller->events.recorder.events, 1, "alice");
	end_job(poller->events.recorder.events, 2, "bob");
	poller->events.is_changed = true;
	poller_record(poller);
	struct stored names = names_stored();
	CHECK(names.alice && names.bob);
	poller_configure(poller, denies, &denies->clusters[0]);
	poller_take_next_config(poller);
	poller_record(poller);
	names = names_stored();
	CHECK(!names.alice && names.bob);
	poller_free(poller);
	setup_release(setup);
	setup_release(denies);
	page_slot_done(&slot);
	page_board_done(&board);
}

static void note_serving(struct poller *poller, const char *host)
{
	struct cluster *cluster = &poller->cluster;
	cluster->controller_count = 2;
	for (unsigned i = 0; i < 2; i++) {
		struct controller_state *controller = &cluster->controllers[i];
		snprintf(controller->host, sizeof controller->host, "ctl%u", i + 1);
		controller->is_up = strcmp(controller->host, host) == 0;
	}
	poller_follow(poller, true);
}

/* Another slurmscope has it, and goes. */
static void test_waits_for_the_file(void)
{
	static const struct {
		const char *what, *serving;
		bool is_held, leads, waits;
	} steps[] = {
		{"ping names this host, and the file is held", "ctl1", true, false, true},
		{"it is another host's turn", "ctl2", true, false, false},
		{"and again this one's", "ctl1", true, false, false},
		{"for the second time", "ctl1", true, false, true},
		{"it still waits", "ctl1", true, false, true},
		{"the file is free: it leads, and waits for nothing", "ctl1", false, true, false},
		{"it stands by", "ctl2", false, false, false},
		{"it is its turn again", "ctl1", false, false, false},
		{"for the second time", "ctl1", false, true, false},
	};
	char state[80], lock[80];
	snprintf(path, sizeof path, "%s/shared", folder);
	snprintf(state, sizeof state, "--state.path=%s", path);
	const char *const options[] = {state, "--ha=follow-controller", "--ha-host=ctl1"};
	static const struct store_visitor visitor = {note_counter, ignore_run, ignore_mark, NULL, NULL, NULL};
	struct stored names = {false, false};
	struct page_board board;
	struct page_slot slot;
	struct error err;
	struct setup *setup = setup_of(options, 3);
	struct store *holder = store_new(path, "");
	CHECK(store_load(holder, &visitor, &names, &err) != STORE_UNUSABLE);
	struct poller *poller = poller_of(setup, &board, &slot);
	poller_begin(poller);
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		check_row(steps[i].what);
		if (!steps[i].is_held) {
			store_free(holder);
			holder = NULL;
		}
		note_serving(poller, steps[i].serving);
		CHECK_NUMBER(poller->leads, steps[i].leads);
		CHECK_NUMBER(poller->start.until_ns > 0, steps[i].leads);
		CHECK_NUMBER(*poller->waits_for.text != '\0', steps[i].waits);
	}
	check_row("what it counted last is in the file when it stands by");
	end_job(poller->events.recorder.events, 1, "bob");
	poller->events.is_changed = true;
	note_serving(poller, "ctl2");
	holder = store_new(path, "");
	CHECK(store_load(holder, &visitor, &names, &err) == STORE_LOADED && names.bob);
	store_free(holder);
	check_row("another one takes the file while it leads: it stands by, and says for what it waits");
	note_serving(poller, "ctl1");
	note_serving(poller, "ctl1");
	CHECK(poller->leads);
	snprintf(lock, sizeof lock, "%s.lock", path);
	CHECK(unlink(path) == 0 && unlink(lock) == 0);
	holder = store_new(path, "");
	CHECK(store_load(holder, &visitor, &names, &err) == STORE_NEW);
	poller->events.is_changed = true;
	poller_record(poller);
	CHECK(!poller->leads && *poller->waits_for.text);
	note_serving(poller, "ctl1");
	CHECK(!poller->leads && *poller->waits_for.text);
	store_free(holder);
	note_serving(poller, "ctl1");
	CHECK(poller->leads && !*poller->waits_for.text);
	poller_free(poller);
	setup_release(setup);
	page_slot_done(&slot);
	page_board_done(&board);
}

/* What it counted as a leader, without a state file, goes to the poller that a reload puts in its place. */
static void test_another_poller_while_it_stands_by(void)
{
	static const char *const options[] = {"--ha=follow-controller", "--ha-host=ctl1"};
	for (int is_standby = 0; is_standby < 2; is_standby++) {
		struct page_board board;
		struct page_slot slot;
		struct error err = {""};
		struct setup *setup = setup_of(options, 2);
		struct poller *poller = poller_of(setup, &board, &slot);
		check_row(is_standby ? "another one while it stands by" : "another one while it leads");
		poller_begin(poller);
		note_serving(poller, "ctl1");
		CHECK(poller->leads);
		end_job(poller->events.recorder.events, 1, "bob");
		if (is_standby)
			note_serving(poller, "ctl2");
		CHECK_NUMBER(poller->leads, !is_standby);
		struct poller *next = poller_new(setup, &setup->clusters[0], &slot, &err);
		poller_continue(next, poller);
		poller_free(poller);
		poller_begin(next);
		note_serving(next, "ctl1");
		CHECK(next->leads);
		struct tallies *tallies = &next->events.recorder.events->tallies;
		const struct tally *bob = tallies_of(tallies, ENTITY_USER, TEXT("bob"), TEXT("physics"));
		CHECK_NUMBER(tally_get(bob, TALLY_SUBMISSIONS, 0)->value, 1);
		poller_free(next);
		setup_release(setup);
		page_slot_done(&slot);
		page_board_done(&board);
	}
}

int main(void)
{
	CHECK(mkdtemp(folder));
	log_setup(LOG_LEVEL_ERROR, LOG_FORMAT_LOGFMT);
	snprintf(path, sizeof path, "%s/state", folder);
	test_nodes_that_do_not_change();
	test_how_long_a_page_waits();
	test_takeovers();
	test_denied_name();
	test_waits_for_the_file();
	test_another_poller_while_it_stands_by();
	char command[80];
	snprintf(command, sizeof command, "rm -r %s", folder);
	CHECK(system(command) == 0);
	return check_done();
}
