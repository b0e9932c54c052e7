/* Random lives of a cluster beside an exporter that is killed now and then. In the end every counter of every entity
 * equals what the runs add up to. events_model.h says what is drawn. The exporter works as in the daemon. It reads the
 * states of all jobs round by round and details later, and its windows of ends overlap. It writes after most polls.
 *
 *   test_job_events_random [LIVES [FIRST_SEED [JOBS]]] */
#include "check.h"
#include "events_memory.h"
#include "events_model.h"

#include <math.h>

static const struct model_kind kinds[] = {
	{"slurmdbd tells of ends", true, 300, true, false, false, false, 300, false, false},
	{"slurmctld forgets jobs after 2 s", true, 2, true, false, true, false, 300, false, false},
	{"lists of jobs are read", true, 300, true, false, true, true, 100, false, false},
	{"requeues that nobody sees", true, 2, true, true, false, false, 100, false, false},
	{"without slurmdbd", false, 300, false, false, true, false, 100, false, false},
	{"without slurmdbd, by lists", false, 300, false, false, false, true, 100, false, false},
	{"without slurmdbd, and much is missed", false, 2, true, false, false, false, 300, true, false},
	{"slurmdbd takes over", false, 300, false, false, true, false, 100, false, true},
};

struct life {
	struct model model;
	struct caps caps;
	struct vocabulary vocabulary;
	struct job_table *table;
	struct job_events *events;
	struct memory memory;
	int64_t now, known_until, woke;
	bool by_slurmdbd;
	unsigned kills;
};

/* The job table */

static void put_details(struct life *life, const struct model_record *record)
{
	char list[64] = "";
	const struct job job = job_of(&life->model, record, life->now, list);
	job_table_put(life->table, &job, life->now);
}

static void count_rest(struct life *life, const struct model_record *record)
{
	struct job_view view;
	if (!job_table_find(life->table, record->id, &view))
		return;
	uint64_t tasks = record->kind == RECORD_REST ? tasks_left(record, life->now) : 1;
	if (tasks > 1 || view.is_unsplit)
		job_table_set_tasks(life->table, record->id, tasks);
}

static void remove_unseen(struct life *life)
{
	struct job_view view;
	for (size_t i = 0; i < life->table->position_count; i++)
		if (job_table_at(life->table, i, &view) && view.seen_time < life->now)
			job_table_remove(life->table, view.id);
}

static void read_all(struct life *life)
{
	uint64_t flags;
	for (size_t i = 0; i < life->model.record_count; i++) {
		const struct model_record *record = &life->model.records[i];
		if (!is_shown(record, life->now))
			continue;
		if (life->model.kind->lists) {
			put_details(life, record);
		} else {
			int state = state_of(&life->model, record, life->now, &flags);
			job_table_set_state(life->table, record->id, state, flags, life->now);
		}
		if (!life->model.kind->lists || life->model.kind->cuts_lists)
			count_rest(life, record);
	}
	job_table_note_now(life->table, life->now);
	remove_unseen(life);
}

/* Of most that are wanted and some others; all that are wanted before it is too late. */
static void read_details(struct life *life, bool all)
{
	struct job_view view;
	for (size_t i = 0; i < life->table->position_count; i++) {
		if (!job_table_at(life->table, i, &view))
			continue;
		bool is_asked = view.details_wanted ? all || below(&life->model, 4) : !below(&life->model, 10);
		const struct model_record *record = record_of(&life->model, view.id, life->now);
		if (is_asked && record)
			put_details(life, record);
		life->now += !below(&life->model, 30);
	}
}

/* The exporter's side */

/* A submission counts for the partitions that its job was first seen with. */
static void note_submissions(struct life *life)
{
	for (size_t i = 0; i < life->model.run_count; i++) {
		struct model_run *run = &life->model.runs[i];
		const struct run *known = run->submitted ? NULL : runs_find(&life->events->runs, &run->key);
		if (!known)
			continue;
		struct text names = owners_get(&life->events->owners, known->owner).partitions;
		bool is_one = memchr(names.bytes, ',', names.len) == NULL;
		run->submitted = is_one ? SUBMITTED_AS_RUN : SUBMITTED_AS_ASKED;
	}
}

static double cpu_seconds_until(const struct model *model, int64_t until)
{
	double sum = 0;
	for (size_t i = 0; i < model->run_count; i++)
		sum += (double)ran_until(&model->runs[i], BIRTH, until) * (double)model->runs[i].cpus;
	return sum;
}

static void look(struct life *life, int64_t until)
{
	const struct tally *cluster = tallies_of(&life->events->tallies, ENTITY_CLUSTER, TEXT(""), TEXT(""));
	job_events_look(life->events, life->table, until);
	note_submissions(life);
	if (!life->model.kind->unseen_requeues)
		CHECK(tally_get(cluster, TALLY_CPU_SECONDS, 0)->value <= cpu_seconds_until(&life->model, life->now));
}

static void ask_for_ends(struct life *life)
{
	bool waits = false;
	for (size_t i = 0; i < life->model.run_count; i++) {
		const struct model_run *run = &life->model.runs[i];
		waits |= run->end <= life->now && run->told > life->now;
		if (run->end < life->known_until || run->told > life->now)
			continue;
		const struct job_end end = end_of(run);
		job_events_take_end(life->events, &end);
		note_submissions(life);
	}
	if (!waits && life->now - 60 > life->known_until)
		life->known_until = life->now - 60;
	job_events_end_window(life->events, life->known_until, life->known_until);
}

static void write_state(struct life *life)
{
	bool all = !below(&life->model, 10);
	if (all) { /* the store was damaged, say */
		memory_done(&life->memory);
		memory_init(&life->memory);
	}
	memory_write(&life->memory, life->events, all);
	CHECK(!life->memory.fell);
	for (size_t i = 0; i < life->model.run_count; i++)
		life->model.runs[i].submitted_stored = life->model.runs[i].submitted;
}

/* slurmdbd also reports the end of a job that is in its epilog at birth. */
static int64_t known_until(const struct life *life)
{
	int64_t until = life->events->ends_known_until;
	return until > BIRTH ? until : BIRTH - 60;
}

static void kill_exporter(struct life *life)
{
	life->kills++;
	life->now += (int64_t)below(&life->model, (uint64_t)life->model.kind->downtime_max_s);
	life->woke = life->now;
	job_table_free(life->table);
	job_events_free(life->events);
	life->table = job_table_new();
	life->events = memory_read(&life->memory, &life->caps, &life->vocabulary, life->now);
	life->events->ends_by_slurmdbd = life->by_slurmdbd;
	life->known_until = known_until(life);
	for (size_t i = 0; i < life->model.run_count; i++)
		life->model.runs[i].submitted = life->model.runs[i].submitted_stored;
}

static void choose_source(struct life *life)
{
	if (!life->by_slurmdbd)
		life->known_until = known_until(life);
	life->by_slurmdbd |= life->model.kind->takes_over && !below(&life->model, 15);
	life->events->ends_by_slurmdbd = life->by_slurmdbd;
}

static void poll_once(struct life *life, bool is_last)
{
	struct model *model = &life->model;
	bool details_first = is_last || below(model, 2);
	/* without slurmdbd it has to be there now and then while slurmctld still knows */
	bool may_die = life->by_slurmdbd || model->kind->may_lose || life->now > life->woke + 150;
	bool is_killed = !is_last && may_die && !below(model, 15);
	choose_source(life);
	life->now += between(model, 1, GAP_MAX_S - 10);
	int64_t until = life->now;
	life->now += (int64_t)below(model, 3);
	read_all(life);
	if (details_first)
		read_details(life, is_last || !below(model, 4));
	look(life, until);
	if (!details_first)
		read_details(life, false);
	if (life->by_slurmdbd && (is_last || below(model, 2)))
		ask_for_ends(life);
	if (is_last || below(model, 4))
		write_state(life);
	if (is_killed)
		kill_exporter(life);
}

/* The truth */

static double *of_tally(struct map *map, struct text tally, const char *what, const char *detail)
{
	struct buf key = BUF_INIT;
	buf_add_text(&key, tally);
	buf_add_string(&key, what);
	buf_add_char(&key, '\0');
	buf_add_string(&key, detail);
	buf_add_char(&key, '\0');
	double *value = map_add(map, buf_text(&key));
	buf_done(&key);
	return value;
}

static double *truth_of(struct map *truth, const char *kind, struct text name, struct text second, const char *what,
			const char *detail)
{
	struct buf key = BUF_INIT;
	buf_add_string(&key, kind);
	buf_add_char(&key, '\0');
	buf_add_text(&key, name);
	if (second.len) {
		buf_add_char(&key, '\x1f');
		buf_add_text(&key, second);
	}
	buf_add_char(&key, '\0');
	double *value = of_tally(truth, buf_text(&key), what, detail);
	buf_done(&key);
	return value;
}

static void add_to_all(struct map *truth, const struct model_run *run, const char *partitions, const char *what,
		       const char *detail, double amount)
{
	struct text none = TEXT(""), rest = text_of(partitions), name;
	*truth_of(truth, "cluster", none, none, what, detail) += amount;
	*truth_of(truth, "account", text_of(run->account), none, what, detail) += amount;
	*truth_of(truth, "user", text_of(run->user), text_of(run->account), what, detail) += amount;
	*truth_of(truth, "qos", text_of(run->qos), none, what, detail) += amount;
	while (text_next(&rest, ',', &name))
		*truth_of(truth, "partition", name, none, what, detail) += amount;
}

static void observe(struct map *truth, const char *kind, const struct model_run *run, enum tally_what what,
		    double value)
{
	const struct tally_row *row = &tally_table[what];
	bool is_user = !strcmp(kind, "user"), is_owner = is_user || !strcmp(kind, "account");
	struct text name = text_of(is_user ? run->user : is_owner ? run->account : run->partition);
	struct text second = is_user			     ? text_of(run->account)
			     : strcmp(kind, "partition_qos") ? TEXT("")
							     : text_of(run->qos);
	char bound[32] = "+Inf";
	for (unsigned i = row->bound_count; i-- && value <= row->bounds[i];)
		snprintf(bound, sizeof bound, "%g", row->bounds[i]);
	*truth_of(truth, kind, name, second, row->name, bound) += 1;
	*truth_of(truth, kind, name, second, row->name, "sum") += value;
	int index = 0;
	while (pow(2, index / 4.0) < value)
		index++;
	snprintf(bound, sizeof bound, value > 0 ? "2^(%d/4)" : "0", index);
	if (row->has_native) /* of whole seconds, so none is below 1 */
		*truth_of(truth, kind, name, second, row->name, bound) += 1;
}

static void add_time(struct map *truth, const struct model_run *run)
{
	double seconds = (double)ran_until(run, BIRTH, INT64_MAX);
	add_to_all(truth, run, run->partition, "cpu_seconds", "", seconds * (double)run->cpus);
	add_to_all(truth, run, run->partition, "memory_byte_seconds", "", seconds * (double)run->memory);
	add_to_all(truth, run, run->partition, "billing_seconds", "", seconds * (double)billing_of(run));
	if (!run->gpus)
		return;
	add_to_all(truth, run, run->partition, "gres_seconds", "gpu", seconds);
	add_to_all(truth, run, run->partition, "gres_seconds", "gpu:a100", seconds * (double)(run->gpus - 1));
}

static void add_start(struct map *truth, const struct model_run *run)
{
	add_to_all(truth, run, run->partition, "starts", "", 1);
	observe(truth, "partition_qos", run, TALLY_WAIT_SECONDS, (double)(run->start - run->eligible));
	observe(truth, "account", run, TALLY_OWNER_WAIT_SECONDS, (double)(run->start - run->eligible));
	observe(truth, "user", run, TALLY_OWNER_WAIT_SECONDS, (double)(run->start - run->eligible));
	observe(truth, "partition_qos", run, TALLY_QUEUE_SECONDS, (double)(run->start - run->key.submit_time));
	observe(truth, "partition", run, TALLY_SIZE_CPUS, (double)run->cpus);
	observe(truth, "partition", run, TALLY_SIZE_NODES, (double)run->nodes);
}

static void add_end(struct map *truth, const struct model_run *run)
{
	char state[32], room[HOSTLIST_NODE_MAX + 1];
	struct text none = TEXT("");
	text_to_string(run->ended, state, sizeof state);
	add_to_all(truth, run, run->start ? run->partition : run->asked, "ends", state, (double)run->tasks);
	if (!run->start)
		return;
	double seconds = (double)ran_until(run, 0, INT64_MAX);
	observe(truth, "partition_qos", run, TALLY_RUN_SECONDS, seconds);
	observe(truth, "account", run, TALLY_OWNER_RUN_SECONDS, seconds);
	observe(truth, "user", run, TALLY_OWNER_RUN_SECONDS, seconds);
	observe(truth, "partition", run, TALLY_TIME_LIMIT_RATIO, seconds / (double)run->time_limit);
	if (exit_of(run) != JOB_EXIT_UNKNOWN) {
		const char *class = exit_of(run) == JOB_EXIT_ZERO ? "zero" : "nonzero";
		*truth_of(truth, "cluster", none, none, "exits", class) += 1;
		*truth_of(truth, "partition", text_of(run->partition), none, "exits", class) += 1;
	}
	struct text node = hostlist_first(text_of(run->node_list), room);
	if (!strcmp(state, "failed") || (!strcmp(state, "node_fail") && run->nodes == 1))
		*truth_of(truth, "node", node, none, "failures", state) += 1;
}

static void add_up(struct map *truth, const struct model *model)
{
	for (size_t i = 0; i < model->run_count; i++) {
		const struct model_run *run = &model->runs[i];
		bool as_asked = !run->start || run->submitted == SUBMITTED_AS_ASKED;
		if (run->key.submit_time >= BIRTH)
			add_to_all(truth, run, as_asked ? run->asked : run->partition, "submissions", "",
				   (double)run->tasks);
		if (run->start >= BIRTH)
			add_start(truth, run);
		if (run->end < BIRTH)
			continue;
		add_end(truth, run);
		add_time(truth, run);
	}
}

/* The end */

static double value_in(const struct map *map, struct text key)
{
	const double *value = map_find(map, key);
	return value ? *value : 0;
}

static void check_same(const struct map *map, const struct map *got, const struct map *want, bool may_lose)
{
	for (size_t i = 0; i < map->count; i++) {
		struct text key = map->entries[i].key;
		double a = value_in(got, key), b = value_in(want, key), slack = fabs(b) * 1e-9;
		bool is_well = may_lose ? a <= b + slack : fabs(a - b) <= slack;
		CHECK(is_well);
		for (size_t j = 0; !is_well && j < key.len; j++)
			fputc(key.bytes[j] ? key.bytes[j] == '\x1f' ? '/' : key.bytes[j] : ' ', stderr);
		if (!is_well)
			fprintf(stderr, ": %.17g instead of %.17g\n", a, b);
	}
}

/* How many forecasts were seen depends on when slurmscope looked. Each is as late as show_run makes it. */
static void take_forecasts(struct map *truth, const struct map *got)
{
	static const char sum[] = "before_forecast_seconds\0sum";
	for (size_t i = 0; i < got->count; i++) {
		struct text key = got->entries[i].key;
		if (key.len < sizeof sum || memcmp(key.bytes + key.len - sizeof sum, sum, sizeof sum))
			continue;
		const struct text tally = {key.bytes, key.len - sizeof sum};
		double seconds = value_in(got, key), seen = seconds / FORECAST_ERROR_S;
		CHECK(seen <= *of_tally(truth, tally, "starts", ""));
		*of_tally(truth, tally, sum, "sum") = seconds;
		*of_tally(truth, tally, sum, "60") = seen;
	}
}

static double sum_of(const struct life *life, enum tally_what what)
{
	const struct tally *cluster = tallies_of(&life->events->tallies, ENTITY_CLUSTER, TEXT(""), TEXT(""));
	double sum = 0;
	for (size_t i = 0; i < cluster->counts.count; i++) {
		const struct tally_count *count = cluster->counts.entries[i].value;
		sum += count->what == what ? count->value : 0;
	}
	return sum;
}

/* Where much is missed: nothing that did not happen, and of all that was submitted how it ended, or that it is lost. */
static void check_what_was_missed(const struct life *life, const struct map *truth)
{
	static const enum tally_what whats[] = {TALLY_SUBMISSIONS, TALLY_STARTS, TALLY_CPU_SECONDS,
						TALLY_MEMORY_BYTE_SECONDS, TALLY_BILLING_SECONDS};
	for (size_t i = 0; i < sizeof whats / sizeof *whats; i++) {
		const char *what = tally_table[whats[i]].name;
		CHECK(sum_of(life, whats[i]) <=
		      *truth_of((struct map *)truth, "cluster", TEXT(""), TEXT(""), what, ""));
	}
	CHECK_NUMBER(sum_of(life, TALLY_SUBMISSIONS), sum_of(life, TALLY_ENDS) + life->events->lost);
	CHECK(life->events->lost > 0);
}

static void check_the_end(struct life *life)
{
	struct arena arena = ARENA_INIT;
	struct memory all;
	struct map truth;
	map_init(&truth, &arena, sizeof(double));
	memory_init(&all);
	add_up(&truth, &life->model);
	memory_write(&all, life->events, true);
	if (life->model.kind->may_lose) {
		check_what_was_missed(life, &truth);
	} else {
		take_forecasts(&truth, &all.counters);
		check_same(&truth, &all.counters, &truth, false);
		check_same(&all.counters, &all.counters, &truth, false);
		check_same(&all.counters, &life->memory.counters, &all.counters, false);
		CHECK_NUMBER(life->events->lost, 0);
	}
	CHECK_NUMBER(life->events->runs.used, 0);
	CHECK_NUMBER(life->memory.count, 0);
	memory_done(&all);
	map_done(&truth);
	arena_done(&arena);
}

static void live(struct life *life)
{
	life->now = life->woke = BIRTH;
	life->known_until = known_until(life);
	write_state(life);
	while (life->now < life->model.over)
		poll_once(life, false);
	for (int i = 0; i < 5; i++) /* the rest is reported, and what was reported is forgotten */
		poll_once(life, true);
	life->now += 2 * 3600; /* about which there are no reports */
	poll_once(life, true);
	check_the_end(life);
}

static unsigned live_one(const struct model_kind *kind, uint64_t seed, size_t jobs)
{
	static struct life life;
	life = (struct life){.table = job_table_new()};
	model_draw(&life.model, kind, seed, jobs);
	caps_init(&life.caps);
	vocabulary_init(&life.vocabulary);
	memory_init(&life.memory);
	life.events = job_events_new(&life.caps, &life.vocabulary, BIRTH);
	life.by_slurmdbd = life.events->ends_by_slurmdbd = kind->by_slurmdbd;
	live(&life);
	job_table_free(life.table);
	job_events_free(life.events);
	memory_done(&life.memory);
	vocabulary_done(&life.vocabulary);
	caps_done(&life.caps);
	return life.kills;
}

int main(int argc, char **argv)
{
	uint64_t lives = argc > 1 ? strtoull(argv[1], NULL, 10) : 210;
	uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	size_t jobs = argc > 3 ? strtoull(argv[3], NULL, 10) : 100, kill_count = 0;
	for (uint64_t seed = first; seed < first + lives && !check_failures; seed++) {
		const struct model_kind *kind = &kinds[seed % (sizeof kinds / sizeof *kinds)];
		check_row(kind->name);
		kill_count += live_one(kind, seed, jobs);
		if (check_failures)
			fprintf(stderr, "seed %" PRIu64 " (%s), %zu jobs\n", seed, kind->name, jobs);
	}
	printf("%" PRIu64 " lives of %zu jobs and arrays, %zu kills\n", lives, jobs, kill_count);
	return check_done();
}
