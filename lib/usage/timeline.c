#include "usage/timeline.h"

#include "base/words.h"

#include <stdio.h>
#include <stdlib.h>

static int compare(const void *left, const void *right)
{
	const struct sample *a = left, *b = right;
	return a->time < b->time ? -1 : a->time > b->time;
}

struct timeline_of timeline_of(struct text cluster)
{
	struct timeline_of of = {""};
	char name[257];
	text_to_string(cluster, name, sizeof name);
	if (*name)
		snprintf(of.text, sizeof of.text, " of %s", name);
	return of;
}

static void note_gap(struct usage *use, struct text cluster, double from, double to)
{
	bool is_at_begin = from < (double)use->from;
	usage_note(use, is_at_begin, "no samples%s from %s to %s (%s): %s", timeline_of(cluster).text,
		   words_time(from).text, words_time(to).text, words_seconds(to - from).text,
		   is_at_begin ? "what was used in all this time counts here, though it began before"
			       : "what was used in it is counted, but nobody knows when");
}

static void take(struct timeline *timeline, struct usage *use, struct text cluster, double time)
{
	double begin = (double)use->from;
	if (!timeline->begin) {
		timeline->begin = time;
		if (time - begin >= GROWTH_ALIVE_S)
			usage_note(use, true, "no samples%s before %s: what was used in the first %s is missing",
				   timeline_of(cluster).text, words_time(time).text, words_seconds(time - begin).text);
	} else if (time - timeline->last >= GROWTH_ALIVE_S && time > begin) {
		note_gap(use, cluster, timeline->last, time);
	}
	timeline->last = time;
}

void timeline_take(struct timeline *timeline, struct usage *use, struct text cluster, struct sample *samples,
		   size_t count)
{
	if (count)
		qsort(samples, count, sizeof *samples, compare);
	for (size_t i = 0; i < count; i++)
		take(timeline, use, cluster, samples[i].time);
}

void timeline_end(const struct timeline *timeline, struct usage *use, struct text cluster)
{
	double left = (double)use->to - timeline->last;
	if (left >= GROWTH_ALIVE_S)
		usage_note(use, true, "no samples%s after %s: what was used in the last %s is missing",
			   timeline_of(cluster).text, words_time(timeline->last).text, words_seconds(left).text);
}
