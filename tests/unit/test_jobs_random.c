/* Random lives of a job table. After each step its totals equal a recount. In the end they equal those of a fresh
 * table, and what a plain sum over the model says. The seeds are fixed. */
#include "check.h"
#include "jobs/job_batch.h"
#include "jobs/job_totals_same.h"
#include "jobs/jobs_check.h"

enum { IDS_MAX = 400 };

/* What is known of an ID: its details as they came, and what jobs/state said since. */
struct model_job {
	bool is_there, has_details;
	struct job job;
	int state;
	uint64_t flags;
	uint64_t told; /* tasks; 0: not told */
};

struct model {
	struct model_job jobs[IDS_MAX]; /* by ID */
	struct job_table *table;
	struct arena arena;
	struct map partitions;
	uint64_t random;
	size_t ids;
	int64_t now;
};

static uint64_t below(struct model *model, uint64_t limit)
{
	model->random = model->random * 6364136223846793005u + 1442695040888963407u;
	return (model->random >> 33) % limit;
}

#define PICK(model, list) text_of((list)[below((model), sizeof(list) / sizeof *(list))])

static struct job random_job(struct model *model, uint64_t id)
{
	static const char *const
		users[] = {"ann", "bob", "cai", "dev", "", "eve"},
		*const accounts[] = {"bio", "geo", ""}, *const partitions[] = {"cpu",	  "gpu",	 "cpu,gpu",
									       "old,cpu", "cpu,gpu,cpu", "old",
									       ""},
		*const qos[] = {"normal", "high", "low,high", ""}, *const reasons[] = {"Priority",
										       "Resources",
										       "JobHeldUser",
										       "Dependency",
										       "QOSMaxJobsPerUserLimit",
										       "None",
										       ""},
		*const tasks[] = {"1-10", "0-99%5", "1,3,...", "1-7,9-12,...%2", "4"},
		*const tres[] = {"cpu=4,mem=1G,node=2,billing=4", "cpu=1", "cpu=8,node=1,gres/gpu=4,gres/gpu:a100=2",
				 "cpu=2,gres/gpu=1", ""},
		*const reservations[] = {"", "", "maint", "course"};
	static const int states[] = {JOB_PENDING, JOB_PENDING,	 JOB_PENDING,	JOB_RUNNING,
				     JOB_RUNNING, JOB_SUSPENDED, JOB_COMPLETED, JOB_FAILED};
	struct job job = {.id = id,
			  .array_task_id = NUMBER_UNSET,
			  .user = PICK(model, users),
			  .user_id = 1000 + below(model, 3),
			  .account = PICK(model, accounts),
			  .partitions = PICK(model, partitions),
			  .qos = PICK(model, qos),
			  .state = states[below(model, sizeof states / sizeof *states)],
			  .flags = below(model, 4) ? 0 : below(model, 1 << 6),
			  .reason = PICK(model, reasons),
			  .submit_time = below(model, 40),
			  .start_time = below(model, 1000),
			  .time_limit = below(model, 5000),
			  .cpus = below(model, 9),
			  .nodes = below(model, 5),
			  .memory_per_node = below(model, 2) ? below(model, 99) : NUMBER_UNSET,
			  .memory_per_cpu = below(model, 99),
			  .tres_requested = PICK(model, tres),
			  .tres_allocated = PICK(model, tres),
			  .reservation = PICK(model, reservations),
			  .node_list = TEXT("cn[1-3]")};
	uint64_t kind = below(model, 8);
	if (kind < 2) {
		job.array_job_id = id;
		job.array_tasks = PICK(model, tasks);
	} else if (kind < 4) {
		job.array_job_id = 1 + below(model, 5);
		job.array_task_id = below(model, 10);
	}
	return job;
}

/* The rules of job_table_put, said once more. */
static void model_put(struct model *model, const struct job *job)
{
	struct model_job *known = &model->jobs[job->id];
	bool is_cut;
	uint64_t listed = job_count(job, &is_cut);
	bool is_same = known->is_there && (!known->has_details || known->job.submit_time == job->submit_time);
	uint64_t told = is_cut && is_same && known->told >= listed ? known->told : 0;
	*known = (struct model_job){true, true, *job, job->state, job->flags, told};
}

static void put(struct model *model, uint64_t id)
{
	struct job job = random_job(model, id);
	CHECK(job_table_put(model->table, &job, model->now));
	model_put(model, &job);
}

static void set_state(struct model *model, uint64_t id)
{
	struct model_job *known = &model->jobs[id];
	known->state = (int)below(model, JOB_STATES);
	known->flags = below(model, 3) ? 0 : below(model, 1 << 6);
	if (!known->is_there)
		known->has_details = false, known->told = 0;
	known->is_there = true;
	CHECK(job_table_set_state(model->table, id, known->state, known->flags, model->now));
}

static void set_tasks(struct model *model, uint64_t id)
{
	struct model_job *known = &model->jobs[id];
	uint64_t tasks = below(model, 4) ? below(model, 200) : 0;
	bool takes = known->is_there && !(known->has_details && number_is_known(known->job.array_task_id));
	CHECK(job_table_set_tasks(model->table, id, tasks) == takes);
	if (takes)
		known->told = tasks;
}

static void remove_job(struct model *model, uint64_t id)
{
	CHECK(job_table_remove(model->table, id) == model->jobs[id].is_there);
	model->jobs[id].is_there = false;
}

/* A whole list: most of the jobs as they were, some others, some new, some gone. */
static void batch(struct model *model, bool is_complete)
{
	struct job_batch *list = job_batch_begin(model->table, model->now);
	for (uint64_t id = 1; id < model->ids; id++) {
		struct model_job *known = &model->jobs[id];
		uint64_t kind = below(model, 10);
		struct job job = known->is_there && known->has_details && kind < 7 ? known->job : random_job(model, id);
		bool is_listed = known->is_there ? kind < 9 : kind < 2;
		if (is_listed)
			CHECK(job_batch_put(list, &job));
		if (is_listed && is_complete)
			model_put(model, &job);
		else if (is_complete)
			known->is_there = false;
	}
	if (is_complete)
		job_batch_commit(list);
	else
		job_batch_abort(list);
}

static void step(struct model *model)
{
	uint64_t id = 1 + below(model, model->ids - 1), kind = below(model, 100);
	model->now += (int64_t)(below(model, 50) ? below(model, 60) : below(model, 100000));
	if (kind < 45)
		put(model, id);
	else if (kind < 70)
		set_state(model, id);
	else if (kind < 80)
		set_tasks(model, id);
	else if (kind < 96)
		remove_job(model, id);
	else
		batch(model, kind < 98);
}

static uint64_t tasks_of(const struct model_job *known)
{
	bool is_cut;
	return known->told ? known->told : known->has_details ? job_count(&known->job, &is_cut) : 1;
}

static void check_sums(const struct model *model)
{
	uint64_t states[JOB_STATES] = {0}, records = 0, without_details = 0, running_in_gpu = 0;
	for (uint64_t id = 1; id < model->ids; id++) {
		const struct model_job *known = &model->jobs[id];
		if (!known->is_there)
			continue;
		records++;
		states[known->state] += tasks_of(known);
		without_details += known->has_details ? 0 : tasks_of(known);
		bool is_in_gpu =
			known->has_details && memmem(known->job.partitions.bytes, known->job.partitions.len, "gpu", 3);
		running_in_gpu += is_in_gpu && known->state == JOB_RUNNING ? tasks_of(known) : 0;
	}
	const struct job_totals *totals = model->table->totals;
	for (int state = 0; state < JOB_STATES; state++)
		CHECK_NUMBER(job_totals_cluster(totals)->jobs[state], states[state]);
	CHECK_NUMBER(totals->records, records);
	CHECK_NUMBER(totals->jobs_without_details, without_details);
	const struct job_usage *gpu = map_find(&totals->entities[ENTITY_PARTITION], TEXT("gpu"));
	CHECK_NUMBER(gpu ? gpu->jobs[JOB_RUNNING] : 0, running_in_gpu);
}

/* Limits are charged the same, whatever the rows' places. */
static void check_charges(const struct job_table *got, const struct job_table *want)
{
	struct arena arena = ARENA_INIT;
	struct charges a, b;
	charges_init(&a, &arena);
	charges_init(&b, &arena);
	job_table_charge(got, &a);
	job_table_charge(want, &b);
	CHECK_NUMBER(a.items.count, b.items.count);
	for (size_t i = 0; i < a.items.count; i++) {
		const struct use *use = &((const struct charge *)a.items.entries[i].value)->use;
		const struct charge *other = map_find(&b.items, a.items.entries[i].key);
		const struct tres_use *cpu = map_find(&use->tres, TEXT("cpu")), *other_cpu;
		CHECK(other);
		if (!other)
			continue;
		other_cpu = map_find(&other->use.tres, TEXT("cpu"));
		CHECK_NUMBER(use->jobs, other->use.jobs);
		CHECK_NUMBER(use->submitted_jobs, other->use.submitted_jobs);
		CHECK_NUMBER(use_nodes(use), use_nodes(&other->use));
		CHECK_NUMBER(cpu ? cpu->running_s : -1, other_cpu ? other_cpu->running_s : -1);
	}
	charges_done(&a);
	charges_done(&b);
	arena_done(&arena);
}

static void check_against_fresh(struct model *model)
{
	struct job_table *fresh = job_table_new();
	struct error err = {""};
	for (uint64_t id = model->ids; --id;) {
		const struct model_job *known = &model->jobs[id];
		if (known->is_there && known->has_details)
			job_table_put(fresh, &known->job, model->now);
		if (known->is_there)
			job_table_set_state(fresh, id, known->state, known->flags, model->now);
		if (known->is_there && known->told)
			job_table_set_tasks(fresh, id, known->told);
	}
	job_table_note_now(fresh, model->now);
	job_table_note_now(model->table, model->now);
	job_table_settle(fresh, NULL);
	job_table_settle(model->table, NULL);
	CHECK(job_totals_same(model->table->totals, fresh->totals, &err));
	CHECK_STRING(err.text, "");
	check_charges(model->table, fresh);
	job_table_free(fresh);
}

static void live(struct model *model, unsigned steps)
{
	for (unsigned i = 0; i < steps && !check_failures; i++) {
		struct error err = {""};
		step(model);
		if (below(model, 4) == 0) /* several changes between two pages */
			continue;
		job_table_settle(model->table, below(model, 2) ? &model->partitions : NULL);
		CHECK(jobs_check(model->table, &err));
		CHECK_STRING(err.text, "");
		if (i % 50 == 0)
			check_sums(model);
		if (i % 200 == 0)
			check_against_fresh(model);
	}
	check_sums(model);
	check_against_fresh(model);
}

int main(void)
{
	static const struct {
		const char *name;
		uint64_t seed;
		size_t ids;
		unsigned steps;
	} rows[] = {
		{"a handful of jobs, all of the time other ones", 1, 4, 3000},
		{"ten", 2, 10, 3000},
		{"thirty", 3, 30, 2000},
		{"a hundred", 4, 100, 1500},
		{"many", 5, IDS_MAX, 600},
		{"many others", 6, IDS_MAX, 600},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		static struct model model;
		check_row(rows[i].name);
		model = (struct model){.random = rows[i].seed, .ids = rows[i].ids};
		model.table = job_table_new();
		map_init(&model.partitions, &model.arena, 1);
		map_add(&model.partitions, TEXT("cpu"));
		map_add(&model.partitions, TEXT("empty"));
		live(&model, rows[i].steps);
		job_table_free(model.table);
		map_done(&model.partitions);
		arena_done(&model.arena);
	}
	return check_done();
}
