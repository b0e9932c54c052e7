/* What was counted, between memory and a state file that cannot be used now and then. The clock is the test's: its function is
 * replaced (CMakeLists.txt). */
#include "check.h"
#include "ended_numbers.h"
#include "events/events_record.h"
#include "poll/recorder.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int64_t now_s = 1800000000;

int64_t __wrap_clock_now_s(void);

int64_t __wrap_clock_now_s(void)
{
	return now_s;
}

struct world {
	struct caps caps;
	struct vocabulary vocabulary;
	char folder[64], elsewhere[80], path[80];
	struct recorder recorder;
};

static void world_init(struct world *world)
{
	*world = (struct world){.folder = "/tmp/test_recorder-XXXXXX"};
	CHECK(mkdtemp(world->folder) != NULL);
	snprintf(world->elsewhere, sizeof world->elsewhere, "%s-away", world->folder);
	snprintf(world->path, sizeof world->path, "%s/state", world->folder);
	caps_init(&world->caps);
	vocabulary_init(&world->vocabulary);
}

static void start(struct world *world, struct recorder *recorder, struct job_events *before)
{
	recorder_init(recorder, world->path, "", false, &world->caps, &world->vocabulary, before, NULL);
}

static void world_done(struct world *world)
{
	char command[128];
	recorder_done(&world->recorder);
	snprintf(command, sizeof command, "rm -r %s", world->folder);
	CHECK(system(command) == 0);
	vocabulary_done(&world->vocabulary);
	caps_done(&world->caps);
}

/* `jobs` jobs were submitted and ended, all since counting began. */
static void count(struct recorder *recorder, uint32_t first, uint32_t jobs, const char *state)
{
	for (uint32_t id = first; id < first + jobs; id++) {
		const int64_t birth = recorder->events->birth;
		const struct job_end end = {.raw_id = id,
					    .key = {id, RUN_NO_TASK, birth + 1},
					    .tasks = 1,
					    .owner = {TEXT("physics"), TEXT("alice"), TEXT("cpu"), TEXT("normal")},
					    .state = text_of(state),
					    .end_time = birth + 2,
					    .time_limit = NUMBER_UNSET};
		job_events_take_end(recorder->events, &end);
	}
}

static double ends(const struct recorder *recorder)
{
	const struct tally *cluster = tallies_of(&recorder->events->tallies, ENTITY_CLUSTER, TEXT(""), TEXT(""));
	double sum = 0;
	for (size_t i = 0; i < cluster->counts.count; i++) {
		const struct tally_count *count = cluster->counts.entries[i].value;
		sum += count->what == TALLY_ENDS ? count->value : 0;
	}
	return sum;
}

static bool write_down(struct recorder *recorder)
{
	now_s += 10;
	recorder_write(recorder, "c");
	return !recorder->is_failing;
}

static void test_held_at_the_start(void)
{
	struct world w;
	struct recorder other;
	world_init(&w);
	start(&w, &other, NULL);
	CHECK(!other.is_hidden);
	count(&other, 1, 7, "cancelled");
	CHECK(write_down(&other));
	check_row("another process has the file: what is counted beside it is not shown");
	start(&w, &w.recorder, NULL);
	CHECK(w.recorder.is_failing && w.recorder.is_hidden);
	CHECK(recorder_is_elsewhere(&w.recorder) && !recorder_is_elsewhere(&other));
	count(&w.recorder, 100, 2, "cancelled");
	CHECK(!write_down(&w.recorder));
	CHECK(w.recorder.is_hidden);
	recorder_done(&other);
	check_row("it can be read: what it holds is shown");
	CHECK(write_down(&w.recorder));
	CHECK(!w.recorder.is_hidden);
	CHECK_NUMBER(ends(&w.recorder), 7);
	world_done(&w);
}

static void test_nothing_there(void)
{
	struct world w;
	world_init(&w);
	check_row("no folder, no file: there is nothing that could come later");
	CHECK(rmdir(w.folder) == 0);
	start(&w, &w.recorder, NULL);
	CHECK(w.recorder.is_failing && !w.recorder.is_hidden);
	count(&w.recorder, 1, 3, "cancelled");
	CHECK(mkdir(w.folder, 0700) == 0);
	CHECK(write_down(&w.recorder));
	CHECK_NUMBER(ends(&w.recorder), 3);
	world_done(&w);
}

/* As poller_continue does. */
static struct job_events *take_on(const struct world *world, const struct recorder *recorder)
{
	struct job_events *events = job_events_new(&world->caps, &world->vocabulary, 0);
	events_continue(events, recorder->events, recorder->events->looked_until);
	return events;
}

static void test_held_while_it_goes_on(void)
{
	struct world w;
	struct recorder other;
	world_init(&w);
	start(&w, &w.recorder, NULL);
	count(&w.recorder, 1, 2, "cancelled");
	CHECK(write_down(&w.recorder));
	struct job_events *before = take_on(&w, &w.recorder);
	recorder_done(&w.recorder);
	start(&w, &other, NULL);
	CHECK(!other.is_failing);
	check_row("another process has the file, but what it held is known here");
	start(&w, &w.recorder, before);
	CHECK(w.recorder.is_failing && !w.recorder.is_hidden);
	CHECK_NUMBER(ends(&w.recorder), 2);
	uint64_t errors = w.recorder.errors;
	CHECK(!write_down(&w.recorder) && !write_down(&w.recorder));
	CHECK_NUMBER(w.recorder.errors, errors + 2); /* each time it was tried */
	recorder_done(&other);
	world_done(&w);
}

static void test_goes_on(void)
{
	struct world w;
	struct recorder next;
	world_init(&w);
	start(&w, &w.recorder, NULL);
	count(&w.recorder, 1, 2, "cancelled");
	CHECK(write_down(&w.recorder));
	check_row("it could not be written for a while, then another poller goes on");
	CHECK(rename(w.folder, w.elsewhere) == 0);
	count(&w.recorder, 10, 5, "timeout");
	CHECK(!write_down(&w.recorder));
	struct job_events *before = take_on(&w, &w.recorder);
	recorder_done(&w.recorder);
	CHECK(rename(w.elsewhere, w.folder) == 0);
	start(&w, &next, before);
	CHECK_NUMBER(ends(&next), 7);
	CHECK(!next.is_failing && !next.is_hidden);
	count(&next, 20, 1, "cancelled");
	CHECK(write_down(&next));
	check_row("while it still cannot be written what was shown before is shown");
	before = take_on(&w, &next);
	recorder_done(&next);
	CHECK(rename(w.folder, w.elsewhere) == 0);
	start(&w, &next, before);
	CHECK(next.is_failing && !next.is_hidden);
	count(&next, 30, 1, "cancelled");
	CHECK(rename(w.elsewhere, w.folder) == 0);
	CHECK(write_down(&next));
	CHECK_NUMBER(ends(&next), 9);
	recorder_done(&next);
	check_row("all of it was kept");
	start(&w, &w.recorder, NULL);
	CHECK_NUMBER(ends(&w.recorder), 9);
	check_row("what another process counted since is taken from the file");
	before = take_on(&w, &w.recorder);
	w.recorder.events->looked_until += 10;
	count(&w.recorder, 40, 1, "cancelled");
	CHECK(write_down(&w.recorder));
	recorder_done(&w.recorder);
	start(&w, &w.recorder, before);
	CHECK_NUMBER(ends(&w.recorder), 10);
	check_row(NULL);
	world_done(&w);
}

/* While the file cannot be written, what is forgotten is not remembered for it: all is written next. Else new names in each
 * minute of a full disk would add up. */
static void test_forgotten_while_it_fails(void)
{
	struct world w;
	struct error err = {""};
	world_init(&w);
	start(&w, &w.recorder, NULL);
	count(&w.recorder, 1, 1, "failed");
	CHECK(write_down(&w.recorder));
	struct tallies *tallies = &w.recorder.events->tallies;
	CHECK(pattern_set(&w.caps.kinds[ENTITY_USER].deny, ".*", &err));
	tallies_screen(tallies);
	CHECK_NUMBER(tallies->forgotten[ENTITY_USER].count, 1);
	CHECK(rename(w.folder, w.elsewhere) == 0);
	struct job_events *events = w.recorder.events;
	runs_remove(&events->runs, &events->runs.items[0]);
	map_add(&events->outages.over, TEXT("cn1"));
	CHECK_NUMBER(events->runs.removed_count, 1);
	CHECK(!write_down(&w.recorder));
	CHECK_NUMBER(tallies->forgotten[ENTITY_USER].count, 0);
	CHECK_NUMBER(events->runs.removed_count, 0);
	CHECK_NUMBER(events->outages.over.count, 0);
	CHECK(rename(w.elsewhere, w.folder) == 0);
	CHECK(write_down(&w.recorder));
	recorder_done(&w.recorder);
	pattern_done(&w.caps.kinds[ENTITY_USER].deny);
	start(&w, &w.recorder, NULL);
	CHECK_NUMBER(w.recorder.events->tallies.kinds[ENTITY_USER].count, 0);
	CHECK_NUMBER(ends(&w.recorder), 1);
	world_done(&w);
}

/* A disk that is full, or a file that another one has, is not asked again with each page. */
static void test_when_it_is_tried_again(void)
{
	struct world w;
	world_init(&w);
	start(&w, &w.recorder, NULL);
	check_row("while all is well it is written each time");
	recorder_write(&w.recorder, "c");
	uint64_t errors = w.recorder.errors;
	for (int i = 1; i < 4; i++) {
		CHECK(rename(w.folder, w.elsewhere) == 0);
		double written = w.recorder.last_commit;
		recorder_write(&w.recorder, "c");
		CHECK(w.recorder.is_failing && w.recorder.errors == errors + 1);
		CHECK(written > 0 && w.recorder.last_commit == written);
		CHECK(rename(w.elsewhere, w.folder) == 0);
		check_row("what has failed is left alone for ten seconds");
		now_s += 9;
		recorder_write(&w.recorder, "c");
		CHECK(w.recorder.is_failing && w.recorder.errors == errors + 1);
		check_row("then it is tried again");
		now_s += 1;
		recorder_write(&w.recorder, "c");
		CHECK(!w.recorder.is_failing && w.recorder.errors == errors + 1);
		errors = w.recorder.errors;
	}
	check_row(NULL);
	world_done(&w);
}

/* A process with a job table; the file of `world` is its own. */
struct process {
	struct cluster cluster;
	struct job_rounds rounds;
	struct job_keeper keeper;
	struct recorder recorder;
};

static struct process *process_new(const struct world *world)
{
	struct process *process = calloc(1, sizeof *process);
	cluster_init(&process->cluster);
	job_rounds_init(&process->rounds, process->cluster.job_table, 1, 1000);
	job_keeper_init(&process->keeper, &process->cluster, &process->rounds);
	recorder_init(&process->recorder, world->path, "", false, &world->caps, &world->vocabulary, NULL,
		      &process->keeper);
	return process;
}

static void process_free(struct process *process)
{
	recorder_done(&process->recorder);
	job_keeper_done(&process->keeper);
	job_rounds_done(&process->rounds);
	cluster_done(&process->cluster);
	free(process);
}

/* A round has found job `id`, and no other. */
static bool tell(struct process *process, uint64_t id)
{
	struct job_table *table = process->cluster.job_table;
	for (uint64_t other = 1; other < 10; other++)
		if (other != id)
			job_table_remove(table, other);
	job_table_set_state(table, id, JOB_RUNNING, 0, now_s);
	process->keeper.facts = (struct kept_facts){.as_of = now_s, .seen_at = now_s};
	return write_down(&process->recorder);
}

static void check_found(const struct process *process, uint64_t id)
{
	struct job_view view;
	CHECK(process->keeper.found != NULL);
	CHECK_NUMBER(job_table_counts(process->keeper.found).jobs, 1);
	CHECK(job_table_find(process->keeper.found, id, &view));
}

static void test_jobs(void)
{
	struct world w;
	world_init(&w);
	start(&w, &w.recorder, NULL);
	recorder_done(&w.recorder);
	struct process *process = process_new(&w);
	check_row("jobs are kept with what was counted");
	CHECK(process->keeper.found == NULL && tell(process, 3));
	process_free(process);
	process = process_new(&w);
	check_found(process, 3);
	CHECK(tell(process, 4) && tell(process, 5));
	check_row("what could not be written for a while is written then");
	CHECK(rename(w.folder, w.elsewhere) == 0);
	CHECK(!tell(process, 6) && !tell(process, 7));
	CHECK_NUMBER(process->cluster.job_table->unstored.removed_count, 0);
	CHECK(rename(w.elsewhere, w.folder) == 0);
	CHECK(tell(process, 8));
	check_row("who cannot read it at the start does not take its jobs for news later");
	struct process *next = process_new(&w);
	CHECK(next->recorder.is_failing && !next->keeper.found);
	CHECK(!tell(next, 2));
	process_free(process);
	CHECK(tell(next, 2));
	CHECK(!next->keeper.found && !next->recorder.is_failing);
	process_free(next);
	process = process_new(&w);
	check_found(process, 2);
	check_row("of another cluster: said once");
	CHECK(recorder_claim(&process->recorder, ""));
	CHECK(!recorder_claim(&process->recorder, "another"));
	CHECK(recorder_claim(&process->recorder, "another"));
	now_s += 10;
	recorder_write(&process->recorder, "another");
	process_free(process);
	process = process_new(&w);
	CHECK(process->keeper.found == NULL);
	process_free(process);
	start(&w, &w.recorder, NULL);
	check_row(NULL);
	world_done(&w);
}

#define SAME(member) CHECK_NUMBER(got->member, want->member)
#define SAME_TEXT(got, want) CHECK(text_equal(got, want))

static void check_outage(const struct outage *got, const struct outage *want)
{
	CHECK(got);
	if (!got)
		return;
	SAME_TEXT(got->cause, want->cause);
	SAME(began);
	SAME(since);
	SAME(kind);
	SAME(worst);
	SAME(cpus);
	SAME(memory);
	SAME(gpus);
}

static void check_owner(const struct job_owner *got, const struct job_owner *want)
{
	SAME_TEXT(got->account, want->account);
	SAME_TEXT(got->user, want->user);
	SAME_TEXT(got->partitions, want->partitions);
	SAME_TEXT(got->qos, want->qos);
	SAME_TEXT(got->values, want->values);
}

static void check_run(const struct job_events *events, const struct events_run *row)
{
	const struct run *want = &row->run, *got = runs_find(&events->runs, &want->key);
	CHECK(got);
	if (!got)
		return;
	const struct job_owner owner = owners_get(&events->owners, got->owner);
	check_owner(&owner, &row->owner);
	SAME_TEXT(text_pool_get(&events->texts, got->tres), row->tres);
	CHECK_NUMBER(got->bits & ~(unsigned)RUN_IS_STORED, want->bits);
	SAME(raw_id);
	SAME(tasks);
	SAME(cpus);
	SAME(memory);
	SAME(began);
	SAME(ran_before);
	SAME(counted);
	SAME(end_time);
	SAME(gone_since);
	SAME(size_since);
	SAME(forecast);
}

static void check_ended(const struct job_events *events, const struct ended_record *record)
{
	const struct recent_end *want = &record->end, *got = events->recent.items;
	CHECK_NUMBER(events->recent.count, 1);
	if (!events->recent.count)
		return;
	const struct job_owner owner = owners_get(&events->owners, got->owner);
	check_owner(&owner, &record->owner);
	SAME_TEXT(text_pool_get(&events->texts, got->tres), record->tres);
	SAME_TEXT(text_pool_get(&events->texts, got->name), record->name);
	SAME_TEXT(text_pool_get(&events->texts, got->sluid), record->sluid);
	SAME_TEXT(text_pool_get(&events->texts, got->state), record->state);
	SAME_TEXT(text_pool_get(&events->texts, got->failed_node), record->failed_node);
	SAME(raw_id);
	SAME(array_job_id);
	SAME(array_task_id);
	SAME(submit_time);
	SAME(eligible_time);
	SAME(start_time);
	SAME(end_time);
	SAME(run_seconds);
	SAME(time_limit);
	SAME(cpus);
	SAME(memory);
	SAME(nodes);
	SAME(exit_code);
	SAME(exit_signal);
	SAME(peak_memory);
	SAME(energy);
	SAME(used_cpu_seconds);
}

/* Each member of what is kept comes back as itself: they all differ. */
static void test_each_member(void)
{
	const int64_t birth = now_s;
	const struct outage outage = {.node = TEXT("cn1"),
				      .began = birth + 1,
				      .since = birth + 2,
				      .kind = OUTAGE_DRAINED,
				      .worst = OUTAGE_DOWN,
				      .cause = TEXT("disk"),
				      .cpus = 3,
				      .memory = 4,
				      .gpus = 5};
	const struct events_run run = {.run = {.key = {11, 12, birth + 13},
					       .raw_id = 14,
					       .bits = RUN_STARTED | RUN_RUNS,
					       .tasks = 15,
					       .cpus = 16,
					       .memory = 17,
					       .began = birth + 18,
					       .ran_before = 19,
					       .counted = 20,
					       .end_time = birth + 21,
					       .gone_since = birth + 22,
					       .size_since = birth + 23,
					       .forecast = birth + 24},
				       .owner = {TEXT("account"), TEXT("user"), TEXT("part"), TEXT("qos"), TEXT("")},
				       .tres = TEXT("cpu=16")};
	const struct ended_record ended = {.end = ended_numbers((uint64_t)birth),
					   .owner = run.owner,
					   .tres = TEXT("cpu=40"),
					   .name = TEXT("name"),
					   .sluid = TEXT("sluid"),
					   .state = TEXT("failed"),
					   .failed_node = TEXT("cn2")};
	struct world w;
	world_init(&w);
	check_row("each member");
	start(&w, &w.recorder, NULL);
	struct job_events *events = w.recorder.events;
	recent_ends_limit(&events->recent, 10, 3600);
	events_restore_outage(events, &outage);
	events_restore_run(events, &run);
	events_restore_ended(events, &ended);
	store_want_all(w.recorder.store);
	CHECK(write_down(&w.recorder));
	recorder_done(&w.recorder);
	start(&w, &w.recorder, NULL);
	events = w.recorder.events;
	check_outage(map_find(&events->outages.open, TEXT("cn1")), &outage);
	check_run(events, &run);
	check_ended(events, &ended);
	check_row(NULL);
	world_done(&w);
}

int main(void)
{
	test_each_member();
	test_jobs();
	test_held_at_the_start();
	test_when_it_is_tried_again();
	test_forgotten_while_it_fails();
	test_nothing_there();
	test_held_while_it_goes_on();
	test_goes_on();
	return check_done();
}
