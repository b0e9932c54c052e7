#include "events/count.h"

#include "model/hostlist.h"
#include "model/tres.h"

/* What is counted, and for which entities */

static void add(struct job_events *events, uint32_t owner, enum tally_what what, struct text detail, double amount)
{
	const struct owner_list *tallies = owners_tallies(&events->owners, owner, &events->tallies);
	for (size_t i = 0; i < tallies->count; i++)
		if (tally_has(tallies->items[i], what))
			tally_add(tallies->items[i], what, detail, amount);
}

/* Notes the job with the counter, as an exemplar: people who look at failures find one of them. */
static void add_end(struct job_events *events, const struct run *run, const struct job_end *end)
{
	const struct owner_list *tallies = owners_tallies(&events->owners, run->owner, &events->tallies);
	const struct tally_last last = {end->raw_id, (double)end->tasks, end->end_time};
	for (size_t i = 0; i < tallies->count; i++) {
		if (!tally_has(tallies->items[i], TALLY_ENDS))
			continue;
		struct tally_count *count = tally_add(tallies->items[i], TALLY_ENDS, end->state, (double)end->tasks);
		if (!text_equal(end->state, TEXT("completed")))
			tally_note(tallies->items[i], count, &last);
	}
}

static void observe(struct tally *tally, enum tally_what what, double value, uint32_t job, int64_t time)
{
	const struct tally_last last = {job, value, time};
	tally_note(tally, tally_observe(tally, what, value), &last);
}

/* In each row of its owner that has it. */
static void observe_of_owner(struct job_events *events, const struct run *run, enum tally_what what, double value,
			     int64_t time)
{
	const struct owner_list *tallies = owners_tallies(&events->owners, run->owner, &events->tallies);
	for (size_t i = 0; i < tallies->count; i++)
		if (tally_has(tallies->items[i], what))
			observe(tallies->items[i], what, value, run->raw_id, time);
}

/* In the queue, and in the groups that have it. */
static void observe_time(struct job_events *events, const struct run *run, struct tally *queue, enum tally_what what,
			 double seconds, int64_t time)
{
	observe(queue, what, seconds, run->raw_id, time);
	observe_of_owner(events, run, what, seconds, time);
}

static struct tally *partition_of(struct job_events *events, uint32_t owner)
{
	struct text partitions = owners_get(&events->owners, owner).partitions;
	return tallies_of(&events->tallies, ENTITY_PARTITION, text_cut(&partitions, ','), TEXT(""));
}

static struct tally *queue_of(struct job_events *events, uint32_t owner)
{
	struct job_owner names = owners_get(&events->owners, owner);
	return tallies_of(&events->tallies, TALLY_QUEUE, text_cut(&names.partitions, ','), text_cut(&names.qos, ','));
}

/* Does the event count? One that happened before this process looked is also counted as recovered. */
static bool counts(struct job_events *events, int64_t time, uint64_t tasks)
{
	if (time < events->birth)
		return false;
	if (time < events->woke)
		events->recovered += (double)tasks;
	return true;
}

struct held {
	uint64_t cpus, memory, billing; /* memory: bytes */
	struct text tres;
};

static struct held held_of(uint64_t cpus, uint64_t memory, struct text tres)
{
	return (struct held){cpus, memory, tres_count(tres, TEXT("billing")), tres};
}

static struct held held_by(const struct job_events *events, const struct run *run)
{
	return held_of(run->cpus, run->memory, text_pool_get(&events->texts, run->tres));
}

static uint64_t more_than(uint64_t held, uint64_t less)
{
	return held > less ? held - less : 0;
}

struct gres_list {
	struct gres gres[TRES_GRES_MAX];
	unsigned count;
};

static uint64_t gres_held(const struct gres_list *held, const struct gres *gres)
{
	for (unsigned i = 0; i < held->count; i++)
		if (text_equal(held->gres[i].name, gres->name) && text_equal(held->gres[i].type, gres->type))
			return held->gres[i].count;
	return 0;
}

static void count_gres_time(struct job_events *events, uint32_t owner, struct text tres, struct text less,
			    int64_t seconds)
{
	struct gres_list held, counted;
	struct buf detail = BUF_INIT;
	held.count = tres_gres(tres, held.gres);
	counted.count = tres_gres(less, counted.gres);
	for (unsigned i = 0; i < held.count; i++) {
		const struct gres *gres = &held.gres[i];
		uint64_t count = more_than(gres->count, gres_held(&counted, gres));
		if (!count)
			continue;
		buf_clear(&detail);
		buf_add_text(&detail, gres->name);
		buf_add_string(&detail, gres->type.len ? ":" : "");
		buf_add_text(&detail, gres->type);
		add(events, owner, TALLY_GRES_SECONDS, buf_text(&detail), (double)seconds * (double)count);
	}
	buf_done(&detail);
}

/* Counts what the run held beyond `less`, which is counted already for that time. */
static void count_time(struct job_events *events, uint32_t owner, const struct held *held, const struct held *less,
		       int64_t seconds)
{
	if (seconds <= 0)
		return;
	add(events, owner, TALLY_CPU_SECONDS, TEXT(""), (double)seconds * (double)more_than(held->cpus, less->cpus));
	add(events, owner, TALLY_MEMORY_BYTE_SECONDS, TEXT(""),
	    (double)seconds * (double)more_than(held->memory, less->memory));
	add(events, owner, TALLY_BILLING_SECONDS, TEXT(""),
	    (double)seconds * (double)more_than(held->billing, less->billing));
	if (held->tres.len &&
	    memmem(held->tres.bytes, held->tres.len, "gres/", 5)) /* most have none; parsing costs more */
		count_gres_time(events, owner, held->tres, less->tres, seconds);
}

static void count_run_time(struct job_events *events, const struct run *run, int64_t seconds)
{
	const struct held held = held_by(events, run);
	count_time(events, run->owner, &held, &(struct held){0}, seconds);
}

/* Submissions */

/* A task had been split from an array at `split_by`. Earlier numbers of tasks in the rest may include it, so only later
 * ones count. The last task takes over the record of the rest; then nothing that slurmdbd reports of the rest counts. */
static void note_split(struct job_events *events, struct run *rest, uint32_t array, int64_t split_by)
{
	if (rest && split_by > rest->began)
		rest->began = split_by;
	else if (!rest && split_by > id_map_find(&events->split, array))
		id_map_set(&events->split, array, (uint32_t)split_by);
}

/* A task that is split from an array was submitted with it, so it is counted if the rest was. Only the number of counted
 * tasks is known, not which. If this one was not among them, the rest later has more tasks than are counted, and
 * count_rest counts the difference. */
static bool was_submitted_with_its_array(struct job_events *events, const struct run_key *key, uint32_t raw_id,
					 int64_t split_by)
{
	const struct run_key rest_key = {key->id, RUN_NO_TASK, key->submit_time};
	if (key->task == RUN_NO_TASK)
		return false;
	struct run *rest = runs_find(&events->runs, &rest_key);
	note_split(events, rest, key->id, raw_id == key->id ? UINT32_MAX : split_by);
	if (!rest)
		return false;
	rest->bits |= RUN_IS_CHANGED;
	bool is_counted = rest->tasks > 0;
	rest->tasks -= is_counted;
	return is_counted;
}

static void count_submissions(struct job_events *events, uint32_t owner, int64_t time, uint64_t tasks)
{
	if (counts(events, time, tasks))
		add(events, owner, TALLY_SUBMISSIONS, TEXT(""), (double)tasks);
}

/* A job may have started, in one of the partitions that it named, before slurmscope saw it. */
static void count_named(struct job_events *events, const struct job_owner *owner, struct text named, int64_t time,
			uint64_t tasks)
{
	struct job_owner submitted = *owner;
	if (named.len)
		submitted.partitions = named;
	uint32_t number = owners_hold(&events->owners, &submitted);
	count_submissions(events, number, time, tasks);
	owners_release(&events->owners, number);
}

struct run *count_new_run(struct job_events *events, const struct run_key *key, uint32_t raw_id,
			  const struct job_owner *owner, struct text named, uint64_t tasks, int64_t split_by)
{
	bool is_known = was_submitted_with_its_array(events, key, raw_id, split_by);
	struct run *run = runs_add(&events->runs, key);
	run->raw_id = raw_id;
	run->owner = owners_hold(&events->owners, owner);
	run->bits = RUN_IS_CHANGED;
	if (!is_known)
		count_named(events, owner, named, key->submit_time, tasks);
	return run;
}

void count_rest(struct job_events *events, struct run *run, uint64_t tasks)
{
	if (tasks <= run->tasks)
		return;
	count_submissions(events, run->owner, run->key.submit_time, tasks - run->tasks);
	run->tasks = tasks;
	run->bits |= RUN_IS_CHANGED;
}

/* Starts */

static int64_t latest(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

void count_start(struct job_events *events, struct run *run, int64_t start, int64_t eligible, uint64_t nodes)
{
	run->bits |= RUN_STARTED | RUN_IS_CHANGED;
	unseen_starts_see(&events->unseen, start, 1);
	if (!counts(events, start, 1))
		return;
	add(events, run->owner, TALLY_STARTS, TEXT(""), 1);
	struct tally *queue = queue_of(events, run->owner);
	struct tally *partition = partition_of(events, run->owner);
	int64_t queued = start - run->key.submit_time;
	double waited = (double)latest(eligible ? start - eligible : queued, 0);
	observe_time(events, run, queue, TALLY_WAIT_SECONDS, waited, start);
	observe_time(events, run, queue, TALLY_QUEUE_SECONDS, (double)latest(queued, 0), start);
	observe_of_owner(events, run, TALLY_OWNER_WAIT_SECONDS, waited, start);
	tally_observe(partition, TALLY_SIZE_CPUS, (double)run->cpus);
	tally_observe(partition, TALLY_SIZE_NODES, (double)nodes);
	if (run->forecast > start)
		tally_observe(partition, TALLY_BEFORE_FORECAST_SECONDS, (double)(run->forecast - start));
	else if (run->forecast)
		tally_observe(partition, TALLY_AFTER_FORECAST_SECONDS, (double)(start - run->forecast));
}

/* Time */

int64_t ran_until(const struct run *run, int64_t until)
{
	return run->ran_before + until - run->began;
}

/* After a requeue that slurmscope did not see, too much is counted for the earlier run. Counters cannot go back, so the
 * later run counts that much less. When slurmdbd reports the end of the earlier run, the whole excess is known. Until
 * then it is only known that the earlier run ended before this one was submitted. */
static int64_t take_excess(struct job_events *events, const struct run *run)
{
	struct run *other = NULL;
	int64_t excess = 0;
	while ((other = runs_next(&events->runs, run->key.id, run->key.task, other))) {
		int64_t most = 0; /* the most that may be counted for it */
		if (!(other->bits & RUN_ENDED))
			most = ran_until(other, run->key.submit_time);
		if (other->key.submit_time >= run->key.submit_time || other->counted <= most)
			continue;
		excess += other->counted - most;
		other->counted = most;
		other->bits |= RUN_IS_CHANGED;
	}
	return excess;
}

static void pass_on_excess(struct job_events *events, struct run *run)
{
	struct run *other = NULL;
	while (run->counted && (other = runs_next(&events->runs, run->key.id, run->key.task, other))) {
		if (other->key.submit_time <= run->key.submit_time || other->bits & RUN_ENDED || !other->began)
			continue;
		other->counted += run->counted;
		other->bits |= RUN_IS_CHANGED;
		run->counted = 0;
	}
}

/* If a job was suspended before and after birth, nothing shows how long it was suspended before. It is assumed to have
 * run before birth as long as possible: too little is counted rather than too much. */
static int64_t seconds_before_birth(const struct job_events *events, const struct run_time *time)
{
	int64_t since_start = events->birth - time->start;
	if (since_start <= 0)
		return 0;
	if (time->since <= events->birth)
		return time->ran_before + (time->runs ? events->birth - time->since : 0);
	return time->ran_before < since_start ? time->ran_before : since_start;
}

void count_begin(struct job_events *events, struct run *run, const struct run_time *time)
{
	if (!run->began)
		run->counted = seconds_before_birth(events, time) + take_excess(events, run);
	uint32_t bits = (run->bits & ~(uint32_t)RUN_RUNS) | (time->runs ? RUN_RUNS : 0);
	if (bits == run->bits && run->began == time->since && run->ran_before == time->ran_before)
		return;
	run->began = time->since;
	run->ran_before = time->ran_before;
	run->bits = bits | RUN_IS_CHANGED;
}

void count_until(struct job_events *events, struct run *run, int64_t until)
{
	int64_t ran = ran_until(run, until);
	if (ran <= run->counted)
		return;
	count_run_time(events, run, ran - run->counted);
	run->counted = ran;
}

int64_t counted_until(const struct run *run)
{
	return run->began + run->counted - run->ran_before;
}

/* Ends */

/* What groups count it by stays as slurmctld told it: slurmdbd does not tell all of it (job.h: untold). What was not known
 * yet follows, for a group that a reload has brought. */
static void write_values(const struct job_events *events, const struct run *run, const struct job_end *end,
			 struct buf *out)
{
	const struct job_groups *groups = events->tallies.caps->groups;
	if (groups && run->owner)
		buf_add_text(out, owners_get(&events->owners, run->owner).values);
	if (groups && !job_groups_know(groups, buf_text(out)))
		buf_add_text(out, end->owner.values);
}

static void hold_what_it_held(struct job_events *events, struct run *run, const struct job_end *end)
{
	struct job_owner told = end->owner;
	struct buf values = BUF_INIT;
	write_values(events, run, end, &values);
	told.values = buf_text(&values);
	uint32_t owner = owners_hold(&events->owners, &told);
	buf_done(&values);
	uint32_t tres = text_pool_hold(&events->texts, end->tres);
	owners_release(&events->owners, run->owner);
	text_pool_release(&events->texts, run->tres);
	run->owner = owner;
	run->tres = tres;
	run->raw_id = end->raw_id;
	run->cpus = end->cpus;
	run->memory = end->memory;
}

/* Brings the count to exactly what the run used. An excess stays with the run, for the next run of the same job
 * (take_excess). */
static void settle(struct job_events *events, struct run *run, const struct job_end *end)
{
	int64_t before_birth = events->birth - end->start_time;
	if (!run->began) { /* slurmscope never saw it run */
		if (before_birth > end->run_seconds)
			before_birth = end->run_seconds;
		run->counted = (before_birth > 0 ? before_birth : 0) + take_excess(events, run);
	}
	int64_t rest = end->run_seconds - run->counted;
	count_run_time(events, run, rest);
	run->counted = rest < 0 ? -rest : 0;
	pass_on_excess(events, run);
}

/* Counts failures by node: a node that kills each job at once draws the next ones, as it is idle again. A job that fails
 * does so on its first node, where its script runs. If a job of several nodes lost one, only Slurm can tell which. */
static void count_node(struct job_events *events, const struct job_end *end)
{
	char scratch[HOSTLIST_NODE_MAX + 1];
	bool is_failure = text_equal(end->state, TEXT("failed")) || text_equal(end->state, TEXT("node_fail")) ||
			  text_equal(end->state, TEXT("boot_fail"));
	if (!is_failure)
		return;
	struct text node = end->failed_node.len ? end->failed_node : hostlist_first(end->node_list, scratch);
	bool is_sure = end->failed_node.len || end->nodes == 1 || text_equal(end->state, TEXT("failed"));
	if (!node.len || !is_sure)
		return;
	const struct tally_last last = {end->raw_id, 1, end->end_time};
	struct tally *tally = tallies_of(&events->tallies, TALLY_NODE, node, TEXT(""));
	tally_note(tally, tally_add(tally, TALLY_FAILURES, end->state, 1), &last);
}

static void count_how_it_ended(struct job_events *events, const struct run *run, const struct job_end *end)
{
	static const char *const classes[] = {
		[JOB_EXIT_ZERO] = "zero", [JOB_EXIT_NONZERO] = "nonzero", [JOB_EXIT_SIGNAL] = "signal"};
	struct tally *partition = partition_of(events, run->owner);
	double seconds = (double)end->run_seconds;
	observe_time(events, run, queue_of(events, run->owner), TALLY_RUN_SECONDS, seconds, end->end_time);
	observe_of_owner(events, run, TALLY_OWNER_RUN_SECONDS, seconds, end->end_time);
	if (number_is_known(end->time_limit) && end->time_limit)
		tally_observe(partition, TALLY_TIME_LIMIT_RATIO, seconds / (double)end->time_limit);
	if (end->exit != JOB_EXIT_UNKNOWN) {
		struct text class = text_of(classes[end->exit]);
		tally_add(partition, TALLY_EXITS, class, 1);
		tally_add(tallies_of(&events->tallies, ENTITY_CLUSTER, TEXT(""), TEXT("")), TALLY_EXITS, class, 1);
	}
	count_node(events, end);
}

static void count_unseen_start(struct job_events *events, struct run *run, const struct job_end *end, int64_t since)
{
	hold_what_it_held(events, run, end);
	if (!(run->bits & RUN_STARTED))
		count_start(events, run, end->start_time, end->eligible_time, end->nodes);
	count_begin(events, run, &(struct run_time){.start = since, .since = since, .runs = true});
	run->bits &= ~(uint32_t)RUN_RUNS; /* the job table did not show that it runs */
}

void count_size(struct job_events *events, struct run *run, const struct job_end *size)
{
	int64_t since = latest(size->start_time, size->key.submit_time);
	if (!run->began)
		count_unseen_start(events, run, size, since);
	const struct held now = held_by(events, run), then = held_of(size->cpus, size->memory, size->tres);
	int64_t until = counted_until(run), to = size->end_time, unseen = to - latest(until, run->began);
	since = latest(latest(since, events->birth), latest(run->began, run->size_since));
	count_time(events, run->owner, &then, &now, (until < to ? until : to) - since);
	count_time(events, run->owner, &then, &(struct held){0}, unseen);
	run->counted += latest(unseen, 0);
	run->size_since = latest(run->size_since, to);
	run->bits |= RUN_IS_CHANGED;
}

/* Tasks of an array ended without ever having been split from it. */
static void end_rest(struct job_events *events, struct run *rest, uint64_t tasks)
{
	count_rest(events, rest, tasks);
	rest->tasks -= tasks < rest->tasks ? tasks : rest->tasks;
}

void count_end(struct job_events *events, struct run *run, const struct job_end *end)
{
	bool has_started = end->start_time && end->start_time <= end->end_time;
	hold_what_it_held(events, run, end);
	if (run->bits & RUN_IS_REST)
		end_rest(events, run, end->tasks);
	if (has_started && !(run->bits & RUN_STARTED))
		count_start(events, run, end->start_time, end->eligible_time, end->nodes);
	run->bits = (run->bits & ~(uint32_t)RUN_RUNS) | RUN_ENDED | RUN_IS_CHANGED;
	run->end_time = end->end_time;
	if (!counts(events, end->end_time, end->tasks))
		return;
	add_end(events, run, end);
	recent_ends_add(&events->recent, end, run->key.submit_time);
	if (!has_started) {
		run->counted = 0;
		return;
	}
	settle(events, run, end);
	count_how_it_ended(events, run, end);
	count_wait_for_steps(events, run);
}
