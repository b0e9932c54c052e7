/* How jobs are read, as the version and what it serves change. The clock is the test's, and so is the version that the client
 * has found: both functions are replaced (CMakeLists.txt). */
#include "check.h"
#include "daemon/job_poller.h"

#include <stdlib.h>

static uint64_t now_ns = UINT64_C(5000000000000);
static const struct api_version *version;

uint64_t __wrap_clock_monotonic_ns(void);
const struct api_version *__wrap_client_version(const struct client *client);

uint64_t __wrap_clock_monotonic_ns(void)
{
	return now_ns;
}

const struct api_version *__wrap_client_version(const struct client *client)
{
	(void)client;
	return version;
}

struct life {
	struct config config;
	struct cluster cluster;
	struct asker asker;
	struct plan_task tasks[TASKS];
	struct plan *plan;
	struct job_poller poller;
};

static struct life *life_new(void)
{
	struct life *life = calloc(1, sizeof *life);
	config_defaults(&life->config);
	cluster_init(&life->cluster);
	life->asker = (struct asker){.config = &life->config, .cluster = &life->cluster};
	life->plan = tasks_plan(life->tasks, &life->config);
	job_poller_init(&life->poller, &life->asker, life->plan, life->tasks);
	return life;
}

static void life_free(struct life *life)
{
	job_poller_done(&life->poller);
	plan_free(life->plan);
	cluster_done(&life->cluster);
	free(life);
}

static void pass(struct life *life, uint64_t seconds)
{
	now_ns += seconds * UINT64_C(1000000000);
	plan_next(life->plan, now_ns);
	job_poller_update(&life->poller);
}

/* jobs/state is 404 or 403, whichever way it is asked. */
static void refuse_states(struct life *life)
{
	for (size_t way = STATES_BATCHES; way <= STATES_LIST && plan_is_allowed(life->plan, TASK_JOB_STATES); way++) {
		plan_note(life->plan, now_ns,
			  &(struct plan_outcome){.task = TASK_JOB_STATES, .way = way, .result = PLAN_UNSUPPORTED});
		job_poller_update(&life->poller);
	}
}

static bool reads_states(const struct life *life)
{
	bool by_list = plan_is_allowed(life->plan, ENDPOINT_JOBS);
	CHECK(by_list == life->poller.reads_list && by_list != plan_is_allowed(life->plan, TASK_JOB_STATES));
	return !by_list;
}

static const struct api_version *version_of(const char *name)
{
	const struct api_version *row = api_versions;
	while (row->name && strcmp(row->name, name) != 0)
		row++;
	return row;
}

static void test_lists_are_for_an_hour(void)
{
	check_row("where jobs/state is refused jobs are read as lists, and it is tried again");
	struct life *life = life_new();
	version = version_of("v0.0.42");
	pass(life, 1);
	CHECK(reads_states(life));
	for (int again = 0; again < 3; again++) {
		refuse_states(life);
		CHECK(!reads_states(life));
		pass(life, 3590);
		CHECK(!reads_states(life));
		pass(life, 80);
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

int main(void)
{
	test_lists_are_for_an_hour();
	test_versions();
	return check_done();
}
