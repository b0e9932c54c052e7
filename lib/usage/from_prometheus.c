#include "usage/from_prometheus.h"

#include "base/buf.h"
#include "base/memory.h"
#include "base/words.h"
#include "usage/timeline.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define DAY_S INT64_C(86400)

/* One sample of each scrape of the largest site of which a whole day is asked for at once. */
enum { SAMPLES_MAX = 100000000, NOT_TOLD_YET_S = 900 };

struct family {
	unsigned column; /* an amount, or COLUMN_GRES */
	const char *suffix; /* of slurm_partition... */
	unsigned kinds; /* that have it: bits */
};

enum { COLUMN_GRES = USAGE_AMOUNTS };

#define EVERY_KIND ((1u << USAGE_BYS) - 1)
#define KINDS_OF_USE (1u << USAGE_BY_PARTITION | 1u << USAGE_BY_ACCOUNT | 1u << USAGE_BY_USER)

static const struct family families[] = {
	{USAGE_STARTS, "_job_starts_total", EVERY_KIND},
	{USAGE_ENDS, "_job_ends_total", EVERY_KIND},
	{USAGE_CPU_SECONDS, "_job_allocated_cpu_seconds_total", EVERY_KIND},
	{USAGE_MEMORY_BYTE_SECONDS, "_job_allocated_memory_byte_seconds_total", EVERY_KIND},
	{USAGE_BILLING_SECONDS, "_job_allocated_billing_seconds_total", EVERY_KIND},
	{COLUMN_GRES, "_job_allocated_gres_seconds_total", EVERY_KIND},
	{USAGE_ENDED_CPU_SECONDS, "_ended_job_allocated_cpu_seconds_total", KINDS_OF_USE},
	{USAGE_USED_CPU_SECONDS, "_ended_job_used_cpu_seconds_total", KINDS_OF_USE},
	{USAGE_ENERGY_JOULES, "_ended_job_energy_joules_total", KINDS_OF_USE},
};

/* A counter: all series that differ in their target alone. */
struct counter {
	struct text labels[SERIES_LABELS]; /* without the target's */
	struct growth growth;
	struct sample *samples; /* of the window that is being read */
	size_t count, capacity;
};

/* What all families of a report are read with. */
struct source {
	struct usage *use;
	struct prometheus *prometheus;
	const char *match;
	struct map timelines; /* struct timeline by cluster */
};

/* One family over all windows. */
struct reading {
	const struct source *source;
	const char *name;
	struct arena arena;
	struct map counters; /* struct counter, by labels */
	struct map targets; /* uint32_t, by instance: their numbers */
	uint64_t samples; /* of the window */
};

static void reading_init(struct reading *reading, const struct source *source, const char *name)
{
	*reading = (struct reading){.source = source, .name = name};
	map_init(&reading->counters, &reading->arena, sizeof(struct counter));
	map_init(&reading->targets, &reading->arena, sizeof(uint32_t));
}

static void reading_done(struct reading *reading)
{
	for (size_t i = 0; i < reading->counters.count; i++)
		free(((struct counter *)reading->counters.entries[i].value)->samples);
	map_done(&reading->counters);
	map_done(&reading->targets);
	arena_done(&reading->arena);
}

static struct counter *counter_of(struct reading *reading, const struct series *series)
{
	struct buf key = BUF_INIT;
	for (int i = 0; i < SERIES_LABELS; i++) {
		if (i != SERIES_INSTANCE)
			buf_add_text(&key, series->labels[i]);
		buf_add_char(&key, '\0');
	}
	size_t before = reading->counters.count;
	struct counter *counter = map_add(&reading->counters, buf_text(&key));
	buf_done(&key);
	if (reading->counters.count == before)
		return counter;
	counter->growth = GROWTH_INIT;
	for (int i = 0; i < SERIES_LABELS; i++)
		counter->labels[i] = arena_copy(&reading->arena, i == SERIES_INSTANCE ? TEXT("") : series->labels[i]);
	return counter;
}

static uint32_t target_of(struct reading *reading, struct text instance)
{
	uint32_t *number = map_add(&reading->targets, instance);
	if (!*number)
		*number = (uint32_t)reading->targets.count;
	return *number;
}

static bool take_series(void *context, const struct series *series, struct error *err)
{
	struct reading *reading = context;
	struct counter *counter = counter_of(reading, series);
	uint32_t target = target_of(reading, series->labels[SERIES_INSTANCE]);
	reading->samples += series->count;
	if (reading->samples > SAMPLES_MAX)
		return error_set(err, "%s has more than %d samples a day", reading->name, SAMPLES_MAX);
	for (size_t i = 0; i < series->count; i++) {
		GROW(counter->samples, counter->count, counter->capacity);
		counter->samples[counter->count] = series->samples[i];
		counter->samples[counter->count++].series = target;
	}
	return true;
}

static bool take_one(void *context, const struct series *series, struct error *err)
{
	(void)err;
	if (series->count)
		*(double *)context = series->samples[0].value;
	return true;
}

static void forget_samples(struct reading *reading)
{
	reading->samples = 0;
	for (size_t i = 0; i < reading->counters.count; i++)
		((struct counter *)reading->counters.entries[i].value)->count = 0;
}

/* From `before` to `end`, both included. */
static bool ask(struct reading *reading, const char *format, int64_t before, int64_t end, series_fn *take,
		void *context, struct error *err)
{
	struct buf inner = BUF_INIT, whole = BUF_INIT;
	buf_printf(&inner, "%s{%s}[%" PRId64 "s]", reading->name, reading->source->match, end - before);
	for (const char *c = format; *c; c++)
		if (*c == '%')
			buf_add_text(&whole, buf_text(&inner));
		else
			buf_add_char(&whole, *c);
	const struct source *source = reading->source;
	bool is_answered = prometheus_ask(source->prometheus, whole.bytes, end, take, context, err);
	if (*prometheus_warning(source->prometheus))
		usage_note(source->use, true, "Prometheus warns: %s", prometheus_warning(source->prometheus));
	buf_done(&inner);
	buf_done(&whole);
	return is_answered;
}

static double begin_of(const struct reading *reading, const struct counter *counter)
{
	const struct timeline *timeline = map_find(&reading->source->timelines, counter->labels[SERIES_CLUSTER]);
	return timeline ? timeline->begin : INFINITY;
}

/* Do the last values say all? Not if a counter has two series, or came from another target, or may have been there before the
 * first sample. */
static bool is_plain(const struct reading *reading, int64_t before)
{
	for (size_t i = 0; i < reading->counters.count; i++) {
		const struct counter *counter = reading->counters.entries[i].value;
		if (!counter->count)
			continue;
		bool is_known = !isnan(counter->growth.value);
		if (counter->count > 1 || (is_known && counter->growth.series != counter->samples[0].series) ||
		    (!is_known && begin_of(reading, counter) >= (double)before))
			return false;
	}
	return true;
}

static bool read_window(struct reading *reading, int64_t before, int64_t end, struct error *err)
{
	double restarts = 0;
	forget_samples(reading);
	if (!ask(reading, "last_over_time(%)", before, end, take_series, reading, err) ||
	    !ask(reading, "sum(resets(%))", before, end, take_one, &restarts, err))
		return false;
	if (restarts > 0 || !is_plain(reading, before)) {
		forget_samples(reading);
		if (!ask(reading, "%", before, end, take_series, reading, err))
			return false;
	}
	for (size_t i = 0; i < reading->counters.count; i++) {
		struct counter *counter = reading->counters.entries[i].value;
		growth_take(&counter->growth, counter->samples, counter->count, begin_of(reading, counter));
	}
	return true;
}

/* What it grew by before the span does not count; where it stood then does. */
static void begin_span(struct reading *reading)
{
	for (size_t i = 0; i < reading->counters.count; i++) {
		struct growth *growth = &((struct counter *)reading->counters.entries[i].value)->growth;
		growth->total = 0;
		growth->restarts = 0;
	}
}

/* Where the window that begins at `at` ends. */
static int64_t window_end(const struct usage *use, int64_t at)
{
	return at + DAY_S < use->to ? at + DAY_S : use->to;
}

/* The day before the span says where the counters stood. */
static bool read_family(struct reading *reading, struct error *err)
{
	const struct usage *use = reading->source->use;
	if (!read_window(reading, use->from - DAY_S, use->from, err))
		return false;
	begin_span(reading);
	for (int64_t at = use->from; at < use->to; at += DAY_S)
		if (!read_window(reading, at, window_end(use, at), err))
			return false;
	return true;
}

static void note_restarts(struct reading *reading, const struct counter *counter)
{
	if (counter->growth.restarts)
		usage_note(
			reading->source->use, true,
			"counters began again at about %s: what was counted between the last scrape before and that moment is missing",
			words_time(counter->growth.restart_time).text);
}

static const enum series_label name_labels[USAGE_BYS] = {
	[USAGE_BY_PARTITION] = SERIES_PARTITION,
	[USAGE_BY_ACCOUNT] = SERIES_ACCOUNT,
	[USAGE_BY_USER] = SERIES_USER,
	[USAGE_BY_QOS] = SERIES_QOS,
};

static void count(struct reading *reading, const struct counter *counter, enum usage_by by, unsigned column)
{
	const struct text *labels = counter->labels;
	const struct usage_name whose = {
		.by = by,
		.cluster = labels[SERIES_CLUSTER],
		.name = by == USAGE_BY_CLUSTER ? TEXT("") : labels[name_labels[by]],
		.account = by == USAGE_BY_USER ? labels[SERIES_ACCOUNT] : TEXT(""),
	};
	if (column == COLUMN_GRES &&
	    !usage_gres_column(reading->source->use, labels[SERIES_GRES], labels[SERIES_TYPE], &column))
		return;
	usage_add(reading->source->use, &whose, column, counter->growth.total);
}

static bool add_family(const struct source *source, const struct family *family, enum usage_by by, struct error *err)
{
	struct reading reading;
	struct buf name = BUF_INIT;
	buf_printf(&name, "slurm_%s%s", usage_by_names[by], family->suffix);
	reading_init(&reading, source, name.bytes);
	bool is_read = read_family(&reading, err);
	for (size_t i = 0; is_read && i < reading.counters.count; i++) {
		count(&reading, reading.counters.entries[i].value, by, family->column);
		note_restarts(&reading, reading.counters.entries[i].value);
	}
	reading_done(&reading);
	buf_done(&name);
	return is_read;
}

/* The counter of starts is on each page. */
static bool read_timelines(struct source *source, struct error *err)
{
	struct reading reading;
	struct usage *use = source->use;
	struct map *timelines = &source->timelines;
	bool is_read = true;
	reading_init(&reading, source, "slurm_cluster_job_starts_total");
	for (int64_t at = use->from - DAY_S; is_read && at < use->to; at += DAY_S) {
		forget_samples(&reading);
		is_read = ask(&reading, "%", at, window_end(use, at), take_series, &reading, err);
		for (size_t i = 0; is_read && i < reading.counters.count; i++) {
			struct counter *counter = reading.counters.entries[i].value;
			struct text cluster = counter->labels[SERIES_CLUSTER];
			timeline_take(map_add(timelines, cluster), use, cluster, counter->samples, counter->count);
		}
	}
	for (size_t i = 0; is_read && i < timelines->count; i++)
		timeline_end(timelines->entries[i].value, use, timelines->entries[i].key);
	if (is_read && !timelines->count)
		is_read =
			error_set(err, "Prometheus has no samples of slurm_cluster_job_starts_total%s%s%s in that time",
				  *source->match ? "{" : "", source->match, *source->match ? "}" : "");
	reading_done(&reading);
	return is_read;
}

static bool note_lost(const struct source *source, struct error *err)
{
	struct reading reading;
	reading_init(&reading, source, "slurmscope_job_events_lost_total");
	bool is_read = read_family(&reading, err);
	for (size_t i = 0; is_read && i < reading.counters.count; i++) {
		const struct counter *counter = reading.counters.entries[i].value;
		if (counter->growth.total > 0)
			usage_note(source->use, true, "%s%s lost: nobody could tell slurmscope how these jobs went on",
				   words_count((uint64_t)counter->growth.total, "event").text,
				   timeline_of(counter->labels[SERIES_CLUSTER]).text);
	}
	reading_done(&reading);
	return is_read;
}

/* What jobs used that had ended, but of which slurmdbd had not told yet, is counted later. */
static bool note_ends(const struct source *source, struct error *err)
{
	struct reading reading;
	struct usage *use = source->use;
	double known = NAN;
	reading_init(&reading, source, "slurmscope_job_ends_known_until_timestamp_seconds");
	bool is_read =
		ask(&reading, "min(last_over_time(%))", use->to - GROWTH_ALIVE_S, use->to, take_one, &known, err);
	if (is_read && !isnan(known) && (double)use->to - known > NOT_TOLD_YET_S)
		usage_note(use, true, "ends of jobs were known until %s alone", words_time(known).text);
	reading_done(&reading);
	return is_read;
}

bool usage_from_prometheus(struct usage *use, struct prometheus *prometheus, const char *match, unsigned kinds,
			   struct error *err)
{
	struct arena arena = ARENA_INIT;
	struct source source = {.use = use, .prometheus = prometheus, .match = match};
	map_init(&source.timelines, &arena, sizeof(struct timeline));
	kinds |= 1u << USAGE_BY_CLUSTER;
	bool is_read = read_timelines(&source, err);
	for (enum usage_by by = 0; is_read && by < USAGE_BYS; by++)
		for (size_t i = 0; is_read && i < sizeof families / sizeof *families; i++)
			if (kinds & families[i].kinds & 1u << by)
				is_read = add_family(&source, &families[i], by, err);
	is_read = is_read && note_lost(&source, err) && note_ends(&source, err);
	if (is_read)
		usage_check_sums(use);
	map_done(&source.timelines);
	arena_done(&arena);
	return is_read;
}
