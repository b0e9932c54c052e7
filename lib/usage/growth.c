#include "usage/growth.h"

#include "base/memory.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* What is known of a series while its samples are gone through. */
struct seen {
	uint32_t series;
	double last_time; /* of its last sample among these */
	double value; /* of its latest so far; NAN: none yet */
};

/* Of one moment the one that is ahead comes first. */
static int compare(const void *left, const void *right)
{
	const struct sample *a = left, *b = right;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->value > b->value ? -1 : a->value < b->value;
}

static int compare_seen(const void *left, const void *right)
{
	const struct seen *a = left, *b = right;
	return a->series < b->series ? -1 : a->series > b->series;
}

static struct seen *seen_of(struct seen *all, size_t count, uint32_t series)
{
	const struct seen key = {.series = series};
	return bsearch(&key, all, count, sizeof *all, compare_seen);
}

/* One entry a series, by number: those of the samples, and the one that was ahead before them. */
static struct seen *seen_new(const struct growth *growth, const struct sample *samples, size_t count, size_t *ret_count)
{
	struct seen *all = memory_new((count + 1) * sizeof *all);
	size_t kept = 0;
	for (size_t i = 0; i < count; i++)
		all[i] = (struct seen){samples[i].series, samples[i].time, NAN};
	if (!isnan(growth->value))
		all[count++] = (struct seen){growth->series, growth->time, NAN};
	qsort(all, count, sizeof *all, compare_seen);
	for (size_t i = 0; i < count; i++) {
		if (kept && all[kept - 1].series == all[i].series)
			all[kept - 1].last_time = fmax(all[kept - 1].last_time, all[i].last_time);
		else
			all[kept++] = all[i];
	}
	*ret_count = kept;
	return all;
}

/* Another series that lives, and is ahead of the sample: the one that is farthest. */
static const struct seen *leader_besides(const struct seen *all, size_t count, const struct sample *sample)
{
	const struct seen *best = NULL;
	for (size_t i = 0; i < count; i++)
		if (all[i].series != sample->series && all[i].last_time >= sample->time - GROWTH_ALIVE_S &&
		    all[i].value > sample->value && (!best || all[i].value > best->value))
			best = &all[i];
	return best;
}

static void take(struct growth *growth, const struct sample *sample, const struct seen *all, size_t count, double begin)
{
	const struct seen *leader;
	if (isnan(growth->value)) {
		growth->total += sample->time > begin ? sample->value : 0;
	} else if (sample->value >= growth->value) {
		growth->total += sample->value - growth->value;
	} else if ((leader = leader_besides(all, count, sample))) {
		growth->series = leader->series;
		growth->time = leader->last_time;
		return;
	} else {
		growth->total += sample->value;
		growth->restarts++;
		growth->restart_time = sample->time;
	}
	growth->value = sample->value;
	growth->series = sample->series;
	growth->time = sample->time;
}

void growth_take(struct growth *growth, struct sample *samples, size_t count, double begin)
{
	size_t series_count;
	if (!count)
		return;
	qsort(samples, count, sizeof *samples, compare);
	struct seen *all = seen_new(growth, samples, count, &series_count);
	if (!isnan(growth->value))
		seen_of(all, series_count, growth->series)->value = growth->value;
	for (size_t i = 0; i < count; i++) {
		take(growth, &samples[i], all, series_count, begin);
		seen_of(all, series_count, samples[i].series)->value = samples[i].value;
	}
	free(all);
}
