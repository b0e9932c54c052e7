/* Jobs that ended lately: who has a row, for how long, and what it says. */
#include "events_world.h"
#include "page.h"

enum { HOUR = 3600, END = BIRTH + 1000 };

static void start(struct world *world, uint64_t max)
{
	world_init(world, true);
	world->events->steps_max = 1000;
	recent_ends_limit(&world->events->recent, max, HOUR);
}

static struct job_end end_with(uint32_t id, const char *state, uint64_t cpus, int64_t seconds, int64_t end)
{
	return (struct job_end){
		.raw_id = id,
		.key = {id, RUN_NO_TASK, end - seconds - 10},
		.tasks = 1,
		.name = TEXT("sim"),
		.owner = {TEXT("bio"), TEXT("ann"), TEXT("cpu"), TEXT("low")},
		.state = text_of(state),
		.eligible_time = end - seconds - 5,
		.start_time = end - seconds,
		.end_time = end,
		.run_seconds = seconds,
		.time_limit = 600,
		.cpus = cpus,
		.memory = 1 << 20,
		.nodes = 1,
		.node_list = TEXT("n1"),
		.exit = text_equal(text_of(state), TEXT("failed")) ? JOB_EXIT_NONZERO : JOB_EXIT_ZERO,
		.exit_code = 3,
	};
}

static void tell(struct world *world, uint32_t id, const char *state, uint64_t cpus)
{
	const struct job_end end = end_with(id, state, cpus, 100, END);
	job_events_take_end(world->events, &end);
}

static int by_number(const void *left, const void *right)
{
	const uint32_t *a = left, *b = right;
	return *a < *b ? -1 : *a > *b;
}

/* Who has rows at that time: "1 2 3". */
static void check_rows(struct world *world, int64_t now, const char *what, const char *want)
{
	struct recent_ends *ends = &world->events->recent;
	uint32_t ids[50];
	char got[300] = "";
	size_t len = 0;
	check_row(what);
	recent_ends_settle(ends, now);
	CHECK(ends->count <= ends->max && ends->count <= 50);
	for (size_t i = 0; i < ends->count; i++)
		ids[i] = ends->items[i].raw_id;
	qsort(ids, ends->count, sizeof *ids, by_number);
	for (size_t i = 0; i < ends->count; i++)
		len += (size_t)snprintf(got + len, sizeof got - len, "%s%" PRIu32, len ? " " : "", ids[i]);
	CHECK_STRING(got, want);
}

static void test_who_has_rows(void)
{
	struct world world;
	start(&world, 0);
	tell(&world, 1, "failed", 1);
	check_rows(&world, END, "none, if none are wanted", "");
	CHECK_NUMBER(world.events->recent.left_out.jobs, 0);
	world_done(&world);
	start(&world, 4);
	check_rows(&world, END, "no job has ended", "");
	for (uint32_t id = 1; id <= 4; id++)
		tell(&world, id, "completed", id);
	check_rows(&world, END, "all fit", "1 2 3 4");
	tell(&world, 5, "completed", 5);
	tell(&world, 6, "completed", 4);
	tell(&world, 12, "completed", 3);
	check_rows(&world, END, "the largest, of equals the older", "3 4 5 6");
	tell(&world, 7, "failed", 1);
	tell(&world, 8, "timeout", 1);
	tell(&world, 9, "out_of_memory", 2);
	check_rows(&world, END, "half of the rows are for failures, however small", "4 5 7 9");
	tell(&world, 10, "cancelled", 100);
	check_rows(&world, END, "the other half for the others", "5 7 9 10");
	CHECK_NUMBER(world.events->recent.left_out.jobs, 7);
	world_done(&world);
	start(&world, 3);
	tell(&world, 1, "node_fail", 1);
	tell(&world, 2, "boot_fail", 3);
	tell(&world, 3, "deadline", 2);
	tell(&world, 4, "failed", 4);
	check_rows(&world, END, "failures alone have all", "2 3 4");
	world_done(&world);
}

static void test_what_weighs(void)
{
	struct world world;
	start(&world, 1);
	struct job_end end = end_with(1, "completed", 10, 100, END);
	job_events_take_end(world.events, &end);
	end = end_with(2, "completed", 4, 300, END);
	job_events_take_end(world.events, &end);
	check_rows(&world, END, "CPUs times seconds", "2");
	end = end_with(3, "completed", 1, 100, END);
	end.tres = TEXT("cpu=1,billing=13,gres/gpu=1");
	job_events_take_end(world.events, &end);
	check_rows(&world, END, "billing, if there is any", "3");
	end = end_with(4, "cancelled", 1000, 0, END);
	end.start_time = 0;
	job_events_take_end(world.events, &end);
	check_rows(&world, END, "one that never started used nothing", "3");
	end = end_with(5, "completed", 2000, 0, END);
	job_events_take_end(world.events, &end);
	check_rows(&world, END, "one that ran for no whole second used one", "5");
	world_done(&world);
}

static void test_window(void)
{
	struct world world;
	start(&world, 2);
	tell(&world, 1, "completed", 1);
	check_rows(&world, END + HOUR, "until the hour is over", "1");
	check_rows(&world, END + HOUR + 1, "and no longer", "");
	CHECK_NUMBER(world.events->recent.left_out.jobs, 0);
	const struct job_end late = end_with(2, "completed", 1, 100, END);
	job_events_take_end(world.events, &late);
	check_rows(&world, END + HOUR + 1, "an end that is told too late", "");
	for (uint32_t id = 10; id < 15; id++) {
		const struct job_end end = end_with(id, "completed", id, 100, END + 2 * HOUR);
		job_events_take_end(world.events, &end);
	}
	check_rows(&world, END + 2 * HOUR, "of five two", "13 14");
	CHECK_NUMBER(world.events->recent.left_out.jobs, 3);
	recent_ends_settle(&world.events->recent, END + 2 * HOUR + 3000);
	for (uint32_t id = 20; id < 23; id++) { /* in the part of the ring that had those of an hour ago */
		const struct job_end end =
			end_with(id, "completed", id, 100, END + 2 * HOUR + (RECENT_ENDS_PARTS + 2) * 60);
		job_events_take_end(world.events, &end);
	}
	check_rows(&world, END + 2 * HOUR + (RECENT_ENDS_PARTS + 2) * 60, "an hour later two of three", "21 22");
	CHECK_NUMBER(world.events->recent.left_out.jobs, 1);
	check_rows(&world, END + 4 * HOUR + 300, "after an hour nobody is left out either", "");
	CHECK_NUMBER(world.events->recent.left_out.jobs, 0);
	world_done(&world);
}

static void test_clock_set_back(void)
{
	struct world world;
	start(&world, 2);
	tell(&world, 1, "completed", 1);
	check_rows(&world, END - HOUR, "for an hour: it stays", "1");
	check_rows(&world, END - HOUR - 1, "for longer: it would stay for long, and goes", "");
	world_done(&world);
}

static void test_memory_is_bounded(void)
{
	struct world world;
	start(&world, 5);
	struct recent_ends *ends = &world.events->recent;
	check_row("many ends between two pages");
	for (uint32_t id = 1; id <= 20000; id++) {
		tell(&world, id, id % 3 ? "completed" : "failed", id % 1000);
		if (ends->count > 10)
			CHECK_NUMBER(ends->count, 10);
	}
	check_rows(&world, END, "the largest of all", "999 1999 2999 3999 4999");
	CHECK_NUMBER(ends->left_out.jobs, 19995);
	world_done(&world);
}

static void test_runs_of_a_job(void)
{
	static const struct {
		const char *what;
		int64_t ends[2]; /* in the order in which slurmdbd reports them */
		const char *states[2];
		const char *want;
		int64_t apart; /* by which the second one's submission is later than that of the same job */
	} rows[] = {
		{"requeued, then it completed", {END, END + 50}, {"requeued", "completed"}, "completed", 0},
		{"the earlier run is told later", {END + 50, END}, {"completed", "requeued"}, "completed", 0},
		{"an end that comes twice", {END, END}, {"failed", "failed"}, "failed", 0},
		{"the next run ends in the same second", {END, END}, {"requeued", "failed"}, "failed", 5},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct world world;
		struct cluster cluster;
		char series[200];
		cluster_init(&cluster);
		start(&world, 3);
		for (int told = 0; told < 2; told++) {
			struct job_end end = end_with(7, rows[i].states[told], 1, 10, rows[i].ends[told]);
			end.key.submit_time += told * rows[i].apart;
			job_events_take_end(world.events, &end);
		}
		check_rows(&world, END + 100, rows[i].what, "7");
		struct buf page = page_with(&cluster, world.events);
		const char *first = strstr(page.bytes, "\nslurm_ended_job_info{");
		CHECK(first && !strstr(first + 1, "\nslurm_ended_job_info{"));
		snprintf(series, sizeof series, "%.*s", first ? (int)strcspn(first + 1, "\n") : 0,
			 first ? first + 1 : "");
		CHECK(strstr(series, rows[i].want) != NULL);
		buf_done(&page);
		cluster_done(&cluster);
		world_done(&world);
	}
}

static void test_steps(void)
{
	struct world world;
	start(&world, 2);
	struct recent_ends *ends = &world.events->recent;
	tell(&world, 1, "completed", 1);
	tell(&world, 2, "completed", 2);
	tell(&world, 3, "completed", 3);
	check_rows(&world, END, "two of three", "2 3");
	for (uint32_t id = 1; id <= 3; id++) {
		const struct job_steps steps = {.raw_id = id,
						.key = {id, RUN_NO_TASK, END - 110},
						.start_time = END - 100,
						.end_time = END,
						.used_cpu_seconds = id == 3 ? -1 : 12.5,
						.peak_memory = id == 2 ? 0 : 1000,
						.energy = id == 3 ? 0 : 77};
		job_events_take_steps(world.events, &steps);
	}
	check_row("what is known of them");
	for (size_t i = 0; i < ends->count; i++) {
		const struct recent_end *end = &ends->items[i];
		CHECK_NUMBER(end->used_cpu_seconds, end->raw_id == 3 ? -1 : 12.5);
		CHECK(end->peak_memory == (end->raw_id == 2 ? NUMBER_UNSET : 1000));
		CHECK(end->energy == (end->raw_id == 3 ? NUMBER_UNSET : 77));
	}
	check_row("another run's steps are not this one's");
	recent_ends_take_steps(ends, 2, END + 1, &(struct job_steps){.used_cpu_seconds = 99});
	CHECK(ends->items[0].used_cpu_seconds < 99 && ends->items[1].used_cpu_seconds < 99);
	world_done(&world);
}

static void test_restart(void)
{
	struct world world;
	struct cluster cluster;
	cluster_init(&cluster);
	start(&world, 3);
	for (uint32_t id = 1; id <= 4; id++)
		tell(&world, id, id == 2 ? "failed" : "completed", id);
	check_rows(&world, END, "before", "2 3 4");
	memory_write(&world.memory, world.events, false);
	CHECK_NUMBER(world.memory.ended_count, 3);
	tell(&world, 5, "completed", 50);
	check_rows(&world, END, "one takes another's row", "2 4 5");
	struct buf before = page_with(&cluster, world.events);
	memory_write(&world.memory, world.events, false);
	CHECK_NUMBER(world.memory.ended_count, 3);
	restart(&world, false, END + 10);
	recent_ends_limit(&world.events->recent, 3, HOUR);
	check_rows(&world, END, "after", "2 4 5");
	struct buf after = page_with(&cluster, world.events);
	const char *series[] = {
		"slurm_ended_job_info{jobid=\"2\",user=\"ann\",account=\"bio\",partition=\"cpu\",qos=\"low\","
		"name=\"sim\",state=\"failed\",exit_code=\"3\"}",
		"slurm_ended_job_run_seconds{jobid=\"5\"}", "slurm_ended_job_allocated_cpus{jobid=\"5\"}"};
	for (size_t i = 0; i < sizeof series / sizeof *series; i++) {
		check_row(series[i]);
		CHECK(page_value(&before, series[i]) >= 1);
		CHECK_NUMBER(page_value(&after, series[i]), page_value(&before, series[i]));
	}
	tell(&world, 5, "completed", 50);
	check_rows(&world, END, "an end that is told again", "2 4 5");
	tell(&world, 6, "completed", 9);
	check_rows(&world, END, "rows that were restored weigh what they weighed", "2 5 6");
	memory_write(&world.memory, world.events, false);
	CHECK_NUMBER(world.memory.ended_count, 3);
	buf_done(&before);
	buf_done(&after);
	world_done(&world);
	cluster_done(&cluster);
}

/* What changed since a row was stored is stored, too. */
static void test_stored_changes(void)
{
	struct world world;
	start(&world, 1);
	tell(&world, 1, "requeued", 1);
	check_rows(&world, END, "stored", "1");
	memory_write(&world.memory, world.events, false);
	struct job_end end = end_with(1, "completed", 1, 100, END + 20);
	job_events_take_end(world.events, &end);
	memory_write(&world.memory, world.events, false);
	const struct job_steps steps = {
		.raw_id = 1, .key = end.key, .start_time = END - 80, .end_time = END + 20, .used_cpu_seconds = 12.5};
	job_events_take_steps(world.events, &steps);
	memory_write(&world.memory, world.events, false);
	check_row("its latest run, and what that used");
	CHECK_NUMBER(world.memory.ended_count, 1);
	CHECK_NUMBER(world.memory.ended->end.used_cpu_seconds, 12.5);
	end = end_with(2, "completed", 50, 100, END + 20);
	job_events_take_end(world.events, &end);
	check_rows(&world, END + 20, "another takes its row", "2");
	memory_write(&world.memory, world.events, false);
	CHECK_NUMBER(world.memory.ended_count, 1);
	CHECK_NUMBER(world.memory.ended->end.raw_id, 2);
	end = end_with(2, "completed", 50, 100, END + 30);
	job_events_take_end(world.events, &end);
	end = end_with(3, "completed", 90, 100, END + 30);
	job_events_take_end(world.events, &end);
	check_rows(&world, END + 30, "so does a third, before the second's latest run was stored", "3");
	memory_write(&world.memory, world.events, false);
	CHECK_NUMBER(world.memory.ended_count, 1);
	end = end_with(1, "completed", 99, 100, END + 40);
	job_events_take_end(world.events, &end);
	check_rows(&world, END + 40, "the first is back, and is not removed once more", "1");
	for (int again = 0; again < 2; again++) {
		memory_write(&world.memory, world.events, false);
		CHECK_NUMBER(world.memory.ended_count, 1);
	}
	world_done(&world);
}

/* Anybody may have written the state file. */
static void test_hostile_rows(void)
{
	struct world world;
	start(&world, 10);
	const struct ended_record right = {
		.end = {.raw_id = 1, .end_time = END, .cpus = NUMBER_UNSET, .used_cpu_seconds = -1},
		.state = TEXT("failed")};
	struct ended_record wrong[7];
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		wrong[i] = right;
		wrong[i].end.raw_id = 10 + (uint32_t)i;
	}
	wrong[0].name = TEXT("\xff");
	wrong[1].owner.user = TEXT("a\0b");
	wrong[2].end.end_time = UINT64_MAX - 9;
	wrong[3].end.used_cpu_seconds = INFINITY;
	wrong[4].end.cpus = UINT64_MAX / 2 + 1;
	wrong[5].end.start_time = (uint64_t)1 << 40;
	wrong[6].end.raw_id = 1; /* again */
	events_restore_ended(world.events, &right);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		events_restore_ended(world.events, &wrong[i]);
	CHECK_NUMBER(world.events->recent.count, 1);
	check_rows(&world, END, "what is right", "1");
	world_done(&world);
}

static void check_page(struct world *world, struct cluster *cluster, const struct page_sample *rows, size_t count)
{
	recent_ends_settle(&world->events->recent, END);
	struct buf page = page_with(cluster, world->events);
	for (size_t i = 0; i < count; i++) {
		check_row(rows[i].series);
		CHECK_NUMBER(page_value(&page, rows[i].series), rows[i].want);
	}
	buf_done(&page);
}

static void test_what_rows_say(void)
{
#define OF_ANN "user=\"ann\",account=\"bio\",partition=\"cpu\",qos=\"low\",name=\"sim\""
	static const struct page_sample rows[] = {
		{"slurm_ended_job_info{jobid=\"1\"," OF_ANN ",state=\"completed\",exit_code=\"0\"}", 1},
		{"slurm_ended_job_info{jobid=\"2\"," OF_ANN ",state=\"failed\",signal=\"11\"}", 1},
		{"slurm_ended_job_info{jobid=\"3\",sluid=\"s1\"," OF_ANN
		 ",array_job_id=\"2\",array_task_id=\"9\",state=\"node_fail\",failed_node=\"n7\"}",
		 1},
		{"slurm_ended_job_info{jobid=\"4\"," OF_ANN ",state=\"cancelled\"}", 1},
		{"slurm_ended_job_submit_timestamp_seconds{jobid=\"1\"}", END - 110},
		{"slurm_ended_job_eligible_timestamp_seconds{jobid=\"1\"}", END - 105},
		{"slurm_ended_job_start_timestamp_seconds{jobid=\"1\"}", END - 100},
		{"slurm_ended_job_end_timestamp_seconds{jobid=\"1\"}", END},
		{"slurm_ended_job_run_seconds{jobid=\"1\"}", 100},
		{"slurm_ended_job_time_limit_seconds{jobid=\"1\"}", 600},
		{"slurm_ended_job_time_limit_seconds{jobid=\"2\"}", NAN},
		{"slurm_ended_job_allocated_cpus{jobid=\"1\"}", 8},
		{"slurm_ended_job_allocated_memory_bytes{jobid=\"1\"}", 1 << 20},
		{"slurm_ended_job_allocated_nodes{jobid=\"1\"}", 1},
		{"slurm_ended_job_allocated_gres{jobid=\"1\",gres=\"gpu\",type=\"a100\"}", 2},
		{"slurm_ended_job_allocated_gres{jobid=\"1\",gres=\"gpu\"}", 1},
		{"slurm_ended_job_used_cpu_seconds{jobid=\"1\"}", NAN}, /* nobody has read its steps */
		{"slurm_ended_job_used_cpu_seconds{jobid=\"2\"}", 0},
		{"slurm_ended_job_used_cpu_seconds{jobid=\"3\"}", 12.5},
		{"slurm_ended_job_peak_memory_bytes{jobid=\"2\"}", NAN},
		{"slurm_ended_job_peak_memory_bytes{jobid=\"3\"}", 1000},
		{"slurm_ended_job_energy_joules{jobid=\"2\"}", NAN},
		{"slurm_ended_job_energy_joules{jobid=\"3\"}", 77},
		{"slurm_ended_job_end_timestamp_seconds{jobid=\"4\"}", END},
		{"slurm_ended_job_start_timestamp_seconds{jobid=\"4\"}", NAN}, /* it never started */
		{"slurm_ended_job_run_seconds{jobid=\"4\"}", NAN},
		{"slurm_ended_job_allocated_cpus{jobid=\"4\"}", NAN},
		{"slurm_ended_job_allocated_gres{jobid=\"4\",gres=\"gpu\"}", NAN},
	};
	struct world world;
	struct cluster cluster;
	cluster_init(&cluster);
	start(&world, 10);
	struct job_end ends[4];
	for (uint32_t id = 1; id <= 4; id++)
		ends[id - 1] = end_with(id, "completed", 8, 100, END);
	ends[0].tres = TEXT("cpu=8,billing=9,gres/gpu=3,gres/gpu:a100=2");
	ends[1].state = TEXT("failed");
	ends[1].exit = JOB_EXIT_SIGNAL;
	ends[1].exit_signal = 11;
	ends[1].time_limit = NUMBER_INFINITE;
	ends[2].state = TEXT("node_fail");
	ends[2].exit = ends[3].exit = JOB_EXIT_UNKNOWN;
	ends[2].failed_node = TEXT("n7");
	ends[2].sluid = TEXT("s1");
	ends[2].array_job_id = ends[2].key.id = 2;
	ends[2].key.task = 9;
	ends[3].state = TEXT("cancelled");
	ends[3].start_time = 0;
	ends[3].tres = TEXT("cpu=8,gres/gpu=1");
	for (int i = 0; i < 4; i++)
		job_events_take_end(world.events, &ends[i]);
	for (int i = 1; i < 3; i++) {
		struct job_steps steps = {.raw_id = ends[i].raw_id,
					  .key = ends[i].key,
					  .start_time = END - 100,
					  .end_time = END,
					  .used_cpu_seconds = 12.5,
					  .peak_memory = 1000,
					  .energy = 77};
		if (i == 1) /* it slept */
			steps.used_cpu_seconds = steps.peak_memory = steps.energy = 0;
		job_events_take_steps(world.events, &steps);
	}
	check_page(&world, &cluster, rows, sizeof rows / sizeof *rows);
	world_done(&world);
	cluster_done(&cluster);
}

/* With few rows each family has as many samples as with many, shown or not. */
static void test_what_is_counted(void)
{
	static const char *const families[] = {"info",
					       "submit_timestamp_seconds",
					       "eligible_timestamp_seconds",
					       "start_timestamp_seconds",
					       "end_timestamp_seconds",
					       "run_seconds",
					       "time_limit_seconds",
					       "allocated_cpus",
					       "allocated_memory_bytes",
					       "allocated_nodes",
					       "allocated_gres"};
	struct buf pages[2];
	for (int few = 0; few < 2; few++) {
		struct world world;
		struct cluster cluster;
		cluster_init(&cluster);
		start(&world, few ? 4 : 100);
		for (uint32_t id = 1; id <= 60; id++) {
			struct job_end end = end_with(id, id % 7 ? "completed" : "failed", id, 100, END - id * 10);
			end.start_time = id % 5 ? end.start_time : 0;
			end.eligible_time = id % 3 ? end.eligible_time : 0;
			end.time_limit = id % 4 ? 60 : NUMBER_INFINITE;
			end.tres = id % 2 ? TEXT("cpu=1,gres/gpu=4,gres/gpu:a100=2") : TEXT("cpu=1");
			job_events_take_end(world.events, &end);
		}
		recent_ends_settle(&world.events->recent, END);
		pages[few] = page_with(&cluster, world.events);
		world_done(&world);
		cluster_done(&cluster);
	}
	for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
		char shown[100], folded[100];
		check_row(families[i]);
		sprintf(shown, "slurmscope_series{family=\"slurm_ended_job_%s\"}", families[i]);
		sprintf(folded, "slurmscope_series_folded{family=\"slurm_ended_job_%s\"}", families[i]);
		CHECK(page_value(&pages[0], shown) > 30);
		CHECK_NUMBER(page_value(&pages[0], folded), 0);
		CHECK_NUMBER(page_value(&pages[1], shown) + page_value(&pages[1], folded),
			     page_value(&pages[0], shown));
	}
	buf_done(&pages[0]);
	buf_done(&pages[1]);
}

static void test_filters(void)
{
	static const struct page_sample rows[] = {
		{"slurm_ended_job_info{jobid=\"1\",user=\"other\",account=\"bio\",partition=\"cpu,other\",qos=\"low\","
		 "name=\"sim\",state=\"cancelled\"}",
		 1},
		{"slurm_ended_job_info{jobid=\"2\",user=\"other\",account=\"other\",partition=\"cpu\",qos=\"low\","
		 "name=\"sim\",state=\"completed\",exit_code=\"0\"}",
		 1},
	};
	struct world world;
	struct cluster cluster;
	struct error err;
	cluster_init(&cluster);
	start(&world, 10);
	CHECK(pattern_set(&cluster.caps.kinds[ENTITY_USER].deny, "ann", &err));
	CHECK(pattern_set(&cluster.caps.kinds[ENTITY_PARTITION].deny, "secret", &err));
	CHECK(pattern_set(&cluster.caps.kinds[ENTITY_ACCOUNT].deny, "hidden", &err));
	struct job_end end = end_with(1, "cancelled", 1, 0, END);
	end.start_time = 0;
	end.exit = JOB_EXIT_UNKNOWN;
	end.owner.partitions = TEXT("cpu,secret");
	job_events_take_end(world.events, &end);
	end = end_with(2, "completed", 1, 100, END);
	end.owner.user = TEXT("bob");
	end.owner.account = TEXT("hidden");
	job_events_take_end(world.events, &end);
	check_page(&world, &cluster, rows, sizeof rows / sizeof *rows);
	world_done(&world);
	cluster_done(&cluster);
}

/* Without slurmdbd the job table tells of ends; what its rows lack is among the extras. */
static void test_by_the_table(void)
{
	static const struct page_sample rows[] = {
		{"slurm_ended_job_info{jobid=\"5\",sluid=\"s5\",user=\"alice\",account=\"physics\",partition=\"cpu\","
		 "qos=\"normal\",name=\"train\",state=\"failed\",exit_code=\"42\"}",
		 1},
		{"slurm_ended_job_run_seconds{jobid=\"5\"}", 100},
		{"slurm_ended_job_allocated_cpus{jobid=\"5\"}", 2},
		{"slurm_ended_job_info{jobid=\"6\",user=\"alice\",account=\"physics\",partition=\"cpu\",qos=\"normal\","
		 "state=\"failed\"}",
		 1}, /* whose record nobody kept */
	};
	struct world world;
	struct cluster cluster;
	cluster_init(&cluster);
	start(&world, 10);
	world.events->ends_by_slurmdbd = false;
	world.table->extras.max[STAGE_ENDED] = 10;
	for (uint64_t id = 5; id <= 6; id++) {
		struct job job = running(id, BIRTH + 10, END - 100);
		put_and_look(&world, &job, END - 90);
		job.state = JOB_FAILED;
		job.end_time = END;
		job.exit_code = 42;
		job.name = TEXT("train");
		job.sluid = TEXT("s5");
		if (id == 5)
			job_extras_put(&world.table->extras, &job);
		put_and_look(&world, &job, END + 1);
	}
	check_page(&world, &cluster, rows, sizeof rows / sizeof *rows);
	world_done(&world);
	cluster_done(&cluster);
}

int main(void)
{
	test_who_has_rows();
	test_what_weighs();
	test_window();
	test_clock_set_back();
	test_memory_is_bounded();
	test_runs_of_a_job();
	test_steps();
	test_restart();
	test_stored_changes();
	test_hostile_rows();
	test_what_rows_say();
	test_what_is_counted();
	test_filters();
	test_by_the_table();
	return check_done();
}
