#include "events/tally.h"

#include <stdio.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))
#define BOUNDS(array) .bounds = (array), .bound_count = LENGTH(array)

enum {
	EVERY = TALLY_ENTITIES,
	CLUSTER = 1 << ENTITY_CLUSTER,
	PARTITION = 1 << ENTITY_PARTITION,
	ACCOUNT = 1 << ENTITY_ACCOUNT,
	USER = 1 << ENTITY_USER,
	QUEUE = 1 << TALLY_QUEUE,
	NODE = 1 << TALLY_NODE,
	OF_ENDS = 1 << (TALLY_GROUP_SHIFT + GROUP_ENDS),
	OF_WAITS = 1 << (TALLY_GROUP_SHIFT + GROUP_WAITS),
	OF_RUNTIMES = 1 << (TALLY_GROUP_SHIFT + GROUP_RUNTIMES),
	OF_USE = 1 << (TALLY_GROUP_SHIFT + GROUP_USE),
};

static const char *const end_states[] = {"completed",	  "failed",    "cancelled", "timeout",
					 "out_of_memory", "node_fail", "preempted", "boot_fail",
					 "deadline",	  "requeued",  NULL};
static const char *const exit_classes[] = {"zero", "nonzero", "signal", NULL};
static const char *const none[] = {NULL};

/* 1 s to 30 d; twenty are too many for each of some hundred queues. */
static const double durations[] = {1, 10, 60, 300, 900, 1800, 3600, 7200, 14400, 28800, 86400, 172800, 604800, 2592000};
/* Some of those: accounts and users are many. */
static const double owner_durations[] = {60, 900, 3600, 14400, 86400, 604800};
static const double forecast_errors[] = {60, 600, 3600, 14400, 86400};
static const double ratios[] = {0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1, 1.1};
static const double sizes[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 65536};

const struct tally_row tally_table[TALLY_WHATS] = {
	[TALLY_SUBMISSIONS] = {"submissions", EVERY | OF_ENDS, NULL, NULL, 0, false},
	[TALLY_STARTS] = {"starts", EVERY | OF_ENDS, NULL, NULL, 0, false},
	[TALLY_ENDS] = {"ends", EVERY | OF_ENDS, end_states, NULL, 0, false},
	[TALLY_CPU_SECONDS] = {"cpu_seconds", EVERY | OF_USE, NULL, NULL, 0, false},
	[TALLY_MEMORY_BYTE_SECONDS] = {"memory_byte_seconds", EVERY | OF_USE, NULL, NULL, 0, false},
	[TALLY_BILLING_SECONDS] = {"billing_seconds", EVERY | OF_USE, NULL, NULL, 0, false},
	[TALLY_GRES_SECONDS] = {"gres_seconds", EVERY | OF_USE, none, NULL, 0, false},
	[TALLY_EXITS] = {"exits", CLUSTER | PARTITION, exit_classes, NULL, 0, false},
	[TALLY_FAILURES] = {"failures", NODE, none, NULL, 0, false},
	[TALLY_ALLOCATED_CPU_SECONDS] = {"ended_allocated_cpu_seconds", PARTITION | ACCOUNT | USER, NULL, NULL, 0,
					 false},
	[TALLY_USED_CPU_SECONDS] = {"ended_used_cpu_seconds", PARTITION | ACCOUNT | USER, NULL, NULL, 0, false},
	[TALLY_ALLOCATED_MEMORY_BYTE_SECONDS] = {"ended_allocated_memory_byte_seconds", PARTITION | ACCOUNT | USER,
						 NULL, NULL, 0, false},
	[TALLY_PEAK_MEMORY_BYTE_SECONDS] = {"ended_peak_memory_byte_seconds", PARTITION | ACCOUNT | USER, NULL, NULL, 0,
					    false},
	[TALLY_ENERGY_JOULES] = {"ended_energy_joules", CLUSTER | PARTITION | ACCOUNT | USER, NULL, NULL, 0, false},
	[TALLY_ALLOCATED_GPU_SECONDS] = {"ended_allocated_gpu_seconds", CLUSTER | PARTITION | ACCOUNT | USER, NULL,
					 NULL, 0, false},
	[TALLY_PEAK_GPU_MEMORY_BYTE_SECONDS] = {"ended_peak_gpu_memory_byte_seconds",
						CLUSTER | PARTITION | ACCOUNT | USER, NULL, NULL, 0, false},
	[TALLY_WAIT_SECONDS] = {"wait_seconds", QUEUE | OF_WAITS, NULL, BOUNDS(durations), true},
	[TALLY_QUEUE_SECONDS] = {"queue_seconds", QUEUE | OF_WAITS, NULL, BOUNDS(durations), true},
	[TALLY_RUN_SECONDS] = {"run_seconds", QUEUE | OF_RUNTIMES, NULL, BOUNDS(durations), true},
	[TALLY_OWNER_WAIT_SECONDS] = {"owner_wait_seconds", ACCOUNT | USER, NULL, BOUNDS(owner_durations), true},
	[TALLY_OWNER_RUN_SECONDS] = {"owner_run_seconds", ACCOUNT | USER, NULL, BOUNDS(owner_durations), true},
	[TALLY_TIME_LIMIT_RATIO] = {"time_limit_ratio", PARTITION, NULL, BOUNDS(ratios), false},
	[TALLY_SIZE_CPUS] = {"size_cpus", PARTITION, NULL, BOUNDS(sizes), false},
	[TALLY_SIZE_NODES] = {"size_nodes", PARTITION, NULL, BOUNDS(sizes)},
	[TALLY_AFTER_FORECAST_SECONDS] = {"after_forecast_seconds", PARTITION, NULL, BOUNDS(forecast_errors)},
	[TALLY_BEFORE_FORECAST_SECONDS] = {"before_forecast_seconds", PARTITION, NULL, BOUNDS(forecast_errors)},
	[TALLY_CPU_EFFICIENCY_RATIO] = {"cpu_efficiency_ratio", PARTITION, NULL, BOUNDS(ratios)},
	[TALLY_MEMORY_EFFICIENCY_RATIO] = {"memory_efficiency_ratio", PARTITION, NULL, BOUNDS(ratios)},
};

unsigned tally_kinds(const struct caps *caps, int kind)
{
	const struct job_group *group = caps_group(caps, kind);
	return group ? group->metrics << TALLY_GROUP_SHIFT : 1u << kind;
}

static struct buf key_of(struct text name, struct text detail)
{
	struct buf key = BUF_INIT;
	buf_add_text(&key, name);
	buf_add_char(&key, '\0');
	buf_add_text(&key, detail);
	return key;
}

static struct tally_count *count_of(struct tally *tally, struct text name, struct text detail, enum tally_what what)
{
	struct buf key = key_of(name, detail);
	size_t before = tally->counts.count;
	struct tally_count *count = map_add(&tally->counts, buf_text(&key));
	if (tally->counts.count != before) {
		struct text rest = tally->counts.entries[before].key;
		text_cut(&rest, '\0');
		*count = (struct tally_count){.what = what, .detail = rest};
	}
	buf_done(&key);
	return count;
}

static void add_buckets(struct tally *tally, enum tally_what what)
{
	const struct tally_row *row = &tally_table[what];
	char bound[32];
	for (unsigned i = 0; i < row->bound_count; i++) {
		snprintf(bound, sizeof bound, "%g", row->bounds[i]);
		count_of(tally, text_of(row->name), text_of(bound), what);
	}
	count_of(tally, text_of(row->name), TEXT("+Inf"), what);
	count_of(tally, text_of(row->name), TEXT("sum"), what);
}

void tally_init(struct tally *tally, struct arena *arena, unsigned kinds, struct text key)
{
	*tally = (struct tally){.kinds = kinds};
	group_key_labels(key, tally->label);
	map_init(&tally->counts, arena, sizeof(struct tally_count));
	for (enum tally_what what = 0; what < TALLY_WHATS; what++) {
		const struct tally_row *row = &tally_table[what];
		tally->first[what] = (uint32_t)tally->counts.count;
		if (!tally_has(tally, what))
			continue;
		if (row->bounds)
			add_buckets(tally, what);
		else if (!row->details)
			count_of(tally, text_of(row->name), TEXT(""), what);
		else if (kinds != USER) /* of users, who are many, only what happened */
			for (const char *const *detail = row->details; *detail; detail++)
				count_of(tally, text_of(row->name), text_of(*detail), what);
	}
}

void tally_done(struct tally *tally)
{
	map_done(&tally->counts);
	tally_natives_done(&tally->natives);
}

static void add(struct tally *tally, struct tally_count *count, double amount)
{
	if (!(amount > 0)) /* nothing goes back */
		return;
	count->value += amount;
	tally->is_changed = true;
}

/* Counts from a row of its own go on there. */
static bool may_grow(const struct tally *tally, struct text name, struct text label)
{
	if (tally->counts.count < TALLY_COUNTS_MAX)
		return true;
	struct buf key = key_of(name, label);
	bool is_known = map_find(&tally->counts, buf_text(&key));
	buf_done(&key);
	return is_known;
}

static struct tally_count *count_of_detail(struct tally *tally, enum tally_what what, struct text detail)
{
	struct text name = text_of(tally_table[what].name);
	char scratch[LABEL_MAX + 1];
	struct text label = label_of(detail, scratch);
	return count_of(tally, name, may_grow(tally, name, label) ? label : LABEL_OTHER, what);
}

struct tally_count *tally_add(struct tally *tally, enum tally_what what, struct text detail, double amount)
{
	struct tally_count *count = tally_table[what].details ? count_of_detail(tally, what, detail)
							      : tally->counts.entries[tally->first[what]].value;
	add(tally, count, amount);
	return count;
}

void tally_note(struct tally *tally, struct tally_count *count, const struct tally_last *last)
{
	if (!count->last)
		count->last = arena_new(tally->counts.arena, sizeof *count->last);
	if (last->time >= count->last->time)
		*count->last = *last;
}

int64_t tally_last_time(const struct tally *tally)
{
	int64_t time = 0;
	for (size_t i = 0; i < tally->counts.count; i++) {
		const struct tally_count *count = tally->counts.entries[i].value;
		if (count->last && count->last->time > time)
			time = count->last->time;
	}
	return time;
}

void tally_move(struct tally *to, struct tally *from)
{
	for (size_t i = 0; i < from->counts.count; i++) {
		const struct tally_count *count = from->counts.entries[i].value;
		struct text key = from->counts.entries[i].key, name = text_cut(&key, '\0');
		struct tally_count *copy = count_of(to, name, count->detail, count->what);
		copy->value = count->value;
		copy->stored = count->stored;
		if (count->last)
			tally_note(to, copy, count->last);
	}
	tally_natives_done(&to->natives);
	to->natives = from->natives;
	to->is_changed = from->is_changed;
	from->natives = (struct tally_natives){NULL, 0, 0};
	tally_done(from);
}

static unsigned bucket_of(const struct tally_row *row, double value)
{
	unsigned bucket = 0;
	while (bucket < row->bound_count && value > row->bounds[bucket])
		bucket++;
	return bucket;
}

struct tally_count *tally_observe(struct tally *tally, enum tally_what what, double value)
{
	const struct tally_row *row = &tally_table[what];
	const struct map_entry *entries = &tally->counts.entries[tally->first[what]];
	struct tally_count *bucket = entries[bucket_of(row, value)].value;
	add(tally, bucket, 1);
	add(tally, entries[row->bound_count + 1].value, value);
	if (row->has_native)
		tally_natives_observe(&tally->natives, what, value);
	return bucket;
}

static enum tally_what what_named(struct text name)
{
	enum tally_what what = 0;
	while (what < TALLY_WHATS && !text_equal(text_of(tally_table[what].name), name))
		what++;
	return what;
}

void tally_restore(struct tally *tally, struct text what, struct text detail, double value)
{
	enum tally_what known = what_named(what);
	if (known < TALLY_WHATS && tally_table[known].has_native &&
	    tally_natives_restore(&tally->natives, known, detail, value))
		return;
	struct tally_count *count = count_of(tally, what, detail, known);
	count->value = count->stored = value;
}

static void complete_natives(struct tally *tally, enum tally_what what)
{
	const struct tally_row *row = &tally_table[what];
	int32_t index = 0;
	double sum = 0;
	for (unsigned i = 0; i <= row->bound_count; i++) {
		bool is_last = i == row->bound_count;
		sum += tally_get(tally, what, i)->value;
		index = is_last ? index + 1 : tally_native_index(row->bounds[i]);
		tally->is_changed |=
			tally_natives_raise(&tally->natives, what, index, is_last ? INT32_MAX : index, sum);
	}
}

void tally_restored(struct tally *tally)
{
	for (enum tally_what what = TALLY_COUNTERS; what < TALLY_WHATS; what++)
		if (tally_table[what].has_native && tally_has(tally, what))
			complete_natives(tally, what);
}
