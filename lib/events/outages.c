#include "events/outages.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT_MAX 9e18 /* beyond it a number of outages would not fit */
enum { AHEAD_S = 300 }; /* Slurm's times are no later than this after the look: an answer may take as long */

#define SEPARATOR '\x1f'

const double outage_bounds[OUTAGE_BOUNDS] = {60,    300,   900,	   3600,   10800,   21600,
					     43200, 86400, 259200, 604800, 2592000, 7776000};

static const char *const count_names[OUTAGE_COUNTS] = {
	[OUTAGE_SECONDS] = "seconds",
	[OUTAGE_CPU_SECONDS] = "cpu_seconds",
	[OUTAGE_GPU_SECONDS] = "gpu_seconds",
	[OUTAGE_MEMORY_BYTE_SECONDS] = "memory_byte_seconds",
	[OUTAGE_ENDED] = "ended",
};

static void map_begin(struct arena **arena, struct map *map, size_t value_size)
{
	*arena = NEW(struct arena);
	map_init(map, *arena, value_size);
}

static void map_end(struct arena *arena, struct map *map)
{
	map_done(map);
	arena_done(arena);
	free(arena);
}

void outages_init(struct outages *outages)
{
	*outages = (struct outages){.born = 0};
	map_begin(&outages->open_arena, &outages->open, sizeof(struct outage));
	map_begin(&outages->over_arena, &outages->over, 1);
	map_init(&outages->causes, &outages->arena, sizeof(struct text));
	map_init(&outages->sums, &outages->arena, sizeof(struct outage_sums));
}

void outages_done(struct outages *outages)
{
	map_end(outages->open_arena, &outages->open);
	map_end(outages->over_arena, &outages->over);
	map_done(&outages->causes);
	map_done(&outages->sums);
	arena_done(&outages->arena);
}

/* The same text for as long as the outages live. */
static struct text cause_of(struct outages *outages, struct text name)
{
	if (outages->causes.count >= OUTAGE_CAUSES_MAX && !map_find(&outages->causes, name))
		name = LABEL_OTHER;
	size_t before = outages->causes.count;
	struct text *cause = map_add(&outages->causes, name);
	if (outages->causes.count != before)
		*cause = outages->causes.entries[before].key;
	return *cause;
}

/* Counting */

static struct outage_sums *sums_of(struct outages *outages, struct text partition, struct text kind, struct text cause)
{
	struct buf key = BUF_INIT;
	buf_add_text(&key, partition);
	buf_add_char(&key, '\0');
	buf_add_text(&key, kind);
	buf_add_char(&key, '\0');
	buf_add_text(&key, cause);
	size_t before = outages->sums.count;
	struct outage_sums *sums = map_add(&outages->sums, buf_text(&key));
	if (outages->sums.count != before) {
		struct text rest = outages->sums.entries[before].key;
		sums->partition = text_cut(&rest, '\0');
		sums->kind = text_cut(&rest, '\0');
		sums->cause = rest;
		sums->durations = (struct histogram){.bounds = outage_bounds, .bound_count = OUTAGE_BOUNDS};
	}
	buf_done(&key);
	return sums;
}

static void add(struct outage_sums *sums, const double more[OUTAGE_COUNTS])
{
	for (int i = 0; i < OUTAGE_COUNTS; i++)
		sums->counts[i] += more[i];
	sums->is_changed = true;
}

/* Adds to the cluster's sums, which are returned, and to those of each of the partitions. */
static struct outage_sums *count(struct outages *outages, struct text partitions, enum outage_kind kind,
				 struct text cause, const double more[OUTAGE_COUNTS])
{
	struct text kind_name = text_of(outage_kind_names[kind]), name;
	while (text_next(&partitions, ',', &name))
		add(sums_of(outages, name, kind_name, cause), more);
	struct outage_sums *cluster = sums_of(outages, TEXT(""), kind_name, cause);
	add(cluster, more);
	return cluster;
}

/* Looking */

struct looking {
	struct outages *outages;
	const struct node_causes *causes;
	const struct map *before; /* what was open */
	int64_t from, now; /* the last look and this one */
	int64_t counted; /* seconds before do not count, or have counted */
	struct map reasons; /* -> struct text, what the site calls it */
};

/* Counts the outage's time until then, as far as that has not counted. */
static void count_until(struct looking *looking, struct text partitions, const struct outage *outage, int64_t until)
{
	int64_t from = outage->since > looking->counted ? outage->since : looking->counted;
	double seconds = until > from ? (double)(until - from) : 0;
	const double more[OUTAGE_COUNTS] = {
		[OUTAGE_SECONDS] = seconds,
		[OUTAGE_CPU_SECONDS] = seconds * (double)outage->cpus,
		[OUTAGE_GPU_SECONDS] = seconds * (double)outage->gpus,
		[OUTAGE_MEMORY_BYTE_SECONDS] = seconds * (double)outage->memory,
	};
	count(looking->outages, partitions, outage->kind, outage->cause, more);
}

/* The time, if it is known and can be one between the two looks, or a moment after this one; else 0. */
static int64_t within(const struct looking *looking, uint64_t time)
{
	bool is_it = number_is_known(time) && time <= INT64_MAX && (int64_t)time >= looking->from &&
		     (int64_t)time <= looking->now + AHEAD_S;
	return is_it ? (int64_t)time : 0;
}

/* What no job holds of it. */
static uint64_t rest_of(const uint64_t states[CAPACITY_STATES])
{
	return states[CAPACITY_IDLE] + states[CAPACITY_OTHER];
}

static uint64_t gpus_of(const struct node_row *row)
{
	uint128 gpus = 0;
	for (size_t i = 0; i < row->gres.count; i++) {
		const struct gres_count *gres = &row->gres.rows[i];
		if (text_equal(gres->name, TEXT("gpu")))
			gpus += gres->count[CAPACITY_IDLE] + gres->count[CAPACITY_OTHER];
	}
	return uint128_shown(gpus);
}

static struct text cause_now(struct looking *looking, const struct node *node)
{
	size_t before = looking->reasons.count;
	struct text *of_site = map_add(&looking->reasons, node->reason);
	if (looking->reasons.count != before)
		*of_site = node_cause_of_site(looking->causes, node->reason);
	return cause_of(looking->outages, node_cause(*of_site, node));
}

static struct outage outage_of(struct looking *looking, const struct node_row *row, enum outage_kind kind,
			       int64_t since)
{
	return (struct outage){.began = since,
			       .since = since,
			       .kind = kind,
			       .worst = kind,
			       .cause = cause_now(looking, &row->node),
			       .cpus = rest_of(row->cpus),
			       .memory = rest_of(row->memory),
			       .gpus = gpus_of(row),
			       .is_changed = true};
}

static void keep(struct outages *outages, struct text node, const struct outage *outage)
{
	size_t place = outages->open.count;
	struct outage *kept = map_add(&outages->open, node);
	*kept = *outage;
	kept->node = outages->open.entries[place].key;
}

/* A drain sets a reason. If jobs ended since, the node was draining until the last one did. What they held until then is not
 * known. */
static void begin(struct looking *looking, const struct node_row *row, enum outage_kind kind, int64_t from)
{
	const struct node *node = &row->node;
	int64_t told = kind == OUTAGE_MAINTENANCE ? 0 : within(looking, node->reason_time);
	int64_t since = told && told >= from ? told : looking->now;
	struct outage outage = outage_of(looking, row, kind, since);
	int64_t emptied = kind == OUTAGE_DRAINED ? within(looking, node->last_busy_time) : 0;
	if (emptied > since) {
		struct outage draining = outage;
		draining.kind = OUTAGE_DRAINING;
		draining.cpus = draining.memory = draining.gpus = 0;
		count_until(looking, node->partitions, &draining, emptied);
		outage.since = emptied;
	}
	count_until(looking, node->partitions, &outage, looking->now);
	keep(looking->outages, node->name, &outage);
}

static void end(struct looking *looking, const struct node_row *row, const struct outage *outage, int64_t at)
{
	static const double one[OUTAGE_COUNTS] = {[OUTAGE_ENDED] = 1};
	double lasted = at > outage->began ? (double)(at - outage->began) : 0;
	count_until(looking, row->node.partitions, outage, at);
	struct outage_sums *cluster = count(looking->outages, row->node.partitions, outage->worst, outage->cause, one);
	histogram_observe(&cluster->durations, lasted);
}

/* When the node became what it is now, and was something else at the last look. Nothing in its record tells when a
 * reservation begins or ends. */
static int64_t changed_at(const struct looking *looking, const struct outage *before, const struct node *node,
			  enum outage_kind kind)
{
	if (kind == OUTAGE_MAINTENANCE || before->kind == OUTAGE_MAINTENANCE)
		return looking->now;
	bool was_emptied = kind == OUTAGE_DRAINED && before->kind != OUTAGE_DRAINED;
	bool has_returned = kind == OUTAGE_NONE;
	int64_t busy = was_emptied || has_returned ? within(looking, node->last_busy_time) : 0;
	int64_t told = has_returned ? 0 : within(looking, node->reason_time);
	return busy ? busy : told ? told : looking->now;
}

static void go_on(struct looking *looking, const struct node_row *row, const struct outage *before,
		  enum outage_kind kind)
{
	struct outage outage = outage_of(looking, row, kind, before->since);
	bool is_same = kind == before->kind && text_equal(outage.cause, before->cause);
	int64_t at = is_same ? looking->now : changed_at(looking, before, &row->node, kind);
	count_until(looking, row->node.partitions, before, at);
	outage.began = before->began;
	outage.worst = kind > before->worst ? kind : before->worst;
	outage.is_changed = before->is_changed || !is_same || outage.cpus != before->cpus ||
			    outage.memory != before->memory || outage.gpus != before->gpus;
	if (!is_same) {
		outage.since = at;
		count_until(looking, row->node.partitions, &outage, looking->now);
	}
	keep(looking->outages, row->node.name, &outage);
}

/* The node is out now, and was at the last look. When was it back in between? 0: it was not, as far as one can tell. Only
 * what returns to service is called busy while no job is on it. Only what leaves it gets a reason. */
static int64_t returned_between(const struct looking *looking, const struct outage *before, const struct node *node)
{
	int64_t busy = within(looking, node->last_busy_time), reason = within(looking, node->reason_time);
	bool was_idle = before->kind == OUTAGE_DRAINED || before->kind == OUTAGE_DOWN;
	return was_idle && busy > before->since && reason > busy ? busy : 0;
}

static void look_at(struct looking *looking, const struct node_row *row)
{
	const struct outage *before = map_find(looking->before, row->node.name);
	enum outage_kind kind = node_outage(&row->node);
	if (kind == OUTAGE_UNKNOWN)
		kind = before ? before->kind : OUTAGE_NONE;
	int64_t returned = before && kind != OUTAGE_NONE ? returned_between(looking, before, &row->node) : 0;
	if (before && (kind == OUTAGE_NONE || returned))
		end(looking, row, before, returned ? returned : changed_at(looking, before, &row->node, kind));
	if (kind != OUTAGE_NONE && (!before || returned))
		begin(looking, row, kind, returned);
	else if (kind != OUTAGE_NONE)
		go_on(looking, row, before, kind);
}

void outages_look(struct outages *outages, const struct node_table *table, const struct node_causes *causes,
		  int64_t now)
{
	if (now <= outages->looked_until)
		return;
	struct arena *old_arena = outages->open_arena;
	struct map old = outages->open;
	struct looking looking = {.outages = outages,
				  .causes = causes,
				  .before = &old,
				  .from = outages->looked_until,
				  .now = now,
				  .counted = outages->born ? outages->looked_until : now};
	struct arena arena = ARENA_INIT;
	map_init(&looking.reasons, &arena, sizeof(struct text));
	map_begin(&outages->open_arena, &outages->open, sizeof(struct outage));
	for (size_t i = 0; i < table->rows.count; i++)
		look_at(&looking, table->rows.entries[i].value);
	for (size_t i = 0; i < old.count; i++)
		if (!map_find(&outages->open, old.entries[i].key))
			map_add(&outages->over, old.entries[i].key); /* Slurm may even know nothing of it any more */
	map_end(old_arena, &old);
	map_done(&looking.reasons);
	arena_done(&arena);
	if (!outages->born)
		outages->born = now;
	outages->looked_until = now;
}

/* What survives a restart */

enum { BUCKET_NAME = 32 };

/* In the store: never changed. */
static void name_bucket(unsigned bucket, char name[BUCKET_NAME])
{
	snprintf(name, BUCKET_NAME, "%g", bucket < OUTAGE_BOUNDS ? outage_bounds[bucket] : INFINITY);
}

static void write_sums(const struct outage_sums *sums, const struct outages_writer *writer, void *context)
{
	struct buf detail = BUF_INIT;
	buf_add_text(&detail, sums->kind);
	buf_add_char(&detail, SEPARATOR);
	buf_add_text(&detail, sums->cause);
	for (int i = 0; i < OUTAGE_COUNTS; i++)
		writer->sum(context, sums->partition, count_names[i], buf_text(&detail), sums->counts[i]);
	for (unsigned i = 0; i <= OUTAGE_BOUNDS && !sums->partition.len; i++) {
		char what[BUCKET_NAME];
		name_bucket(i, what);
		writer->sum(context, sums->partition, what, buf_text(&detail), (double)sums->durations.buckets[i]);
	}
	if (!sums->partition.len)
		writer->sum(context, sums->partition, "sum", buf_text(&detail), sums->durations.sum);
	buf_done(&detail);
}

void outages_write(const struct outages *outages, bool all, const struct outages_writer *writer, void *context)
{
	for (size_t i = 0; i < outages->over.count && !all; i++)
		writer->remove_outage(context, outages->over.entries[i].key);
	for (size_t i = 0; i < outages->open.count; i++) {
		const struct outage *outage = outages->open.entries[i].value;
		if (all || outage->is_changed)
			writer->outage(context, outage);
	}
	for (size_t i = 0; i < outages->sums.count; i++) {
		const struct outage_sums *sums = outages->sums.entries[i].value;
		if (all || sums->is_changed)
			write_sums(sums, writer, context);
	}
}

void outages_forget_over(struct outages *outages)
{
	map_end(outages->over_arena, &outages->over);
	map_begin(&outages->over_arena, &outages->over, 1);
}

void outages_stored(struct outages *outages)
{
	for (size_t i = 0; i < outages->open.count; i++)
		((struct outage *)outages->open.entries[i].value)->is_changed = false;
	for (size_t i = 0; i < outages->sums.count; i++)
		((struct outage_sums *)outages->sums.entries[i].value)->is_changed = false;
	if (outages->over.count)
		outages_forget_over(outages);
}

enum outage_kind outage_kind_named(struct text name)
{
	int kind = OUTAGE_NONE + 1;
	while (kind < OUTAGE_KINDS && !text_equal(text_of(outage_kind_names[kind]), name))
		kind++;
	return (enum outage_kind)kind;
}

static void restore_duration(struct histogram *durations, struct text what, double value)
{
	if (text_equal(what, TEXT("sum")))
		durations->sum = value;
	for (unsigned i = 0; i <= OUTAGE_BOUNDS; i++) {
		char name[BUCKET_NAME];
		name_bucket(i, name);
		if (text_equal(what, text_of(name)))
			durations->buckets[i] = (uint64_t)value;
	}
}

void outages_restore_sum(struct outages *outages, struct text partition, struct text what, struct text detail,
			 double value)
{
	struct text cause = detail, kind = text_cut(&cause, SEPARATOR);
	bool is_label = partition.len <= LABEL_MAX && cause.len && cause.len <= LABEL_MAX;
	if (outage_kind_named(kind) == OUTAGE_UNKNOWN || !is_label || value > COUNT_MAX)
		return;
	struct outage_sums *sums = sums_of(outages, partition, kind, cause_of(outages, cause));
	restore_duration(&sums->durations, what, value);
	for (int i = 0; i < OUTAGE_COUNTS; i++)
		if (text_equal(what, text_of(count_names[i])))
			sums->counts[i] = value;
}

void outages_restore(struct outages *outages, const struct outage *outage)
{
	struct outage restored = *outage;
	restored.cause = cause_of(outages, outage->cause);
	restored.is_changed = false;
	if (outage->node.len <= LABEL_MAX && outage->cause.len && outage->cause.len <= LABEL_MAX &&
	    outage->kind < OUTAGE_KINDS && outage->worst < OUTAGE_KINDS && !map_find(&outages->open, outage->node))
		keep(outages, outage->node, &restored);
}
