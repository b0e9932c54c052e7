#include "events/unseen_starts.h"

static bool is_same_period(const struct starts_told *before, const struct starts_told *now)
{
	return before->since == now->since && before->time <= now->time && before->started <= now->started;
}

static int64_t next_sample(const struct unseen_starts *starts)
{
	const struct starts_told *last = starts->count ? &starts->samples[starts->count - 1].told : &starts->from;
	return last->time + UNSEEN_SAMPLE_EVERY_S;
}

void unseen_starts_note(struct unseen_starts *starts, const struct starts_told *told)
{
	bool goes_on =
		is_same_period(&starts->from, told) && (!starts->last.since || is_same_period(&starts->last, told));
	if (!told->since || !goes_on)
		*starts = (struct unseen_starts){.from = *told};
	else if (starts->count < UNSEEN_SAMPLES && told->time >= next_sample(starts))
		starts->samples[starts->count++] = (struct starts_sample){.told = *told};
	starts->last = *told;
}

void unseen_starts_see(struct unseen_starts *starts, int64_t start, uint64_t count)
{
	if (!starts->from.since || start < starts->from.time)
		return;
	starts->seen += count;
	for (size_t i = 0; i < starts->count; i++)
		if (start > starts->samples[i].told.time)
			starts->samples[i].later += count;
}

static bool is_old(const struct starts_sample *sample, int64_t until)
{
	return sample->told.time + UNSEEN_AFTER_S <= until;
}

bool unseen_starts_may_find(const struct unseen_starts *starts, int64_t until)
{
	return starts->count && is_old(&starts->samples[0], until);
}

/* The samples that are old enough are dropped; the last of them is left in *ret_last. False: none is. */
static bool take_old(struct unseen_starts *starts, int64_t until, struct starts_sample *ret_last)
{
	size_t old = 0;
	while (old < starts->count && is_old(&starts->samples[old], until))
		old++;
	if (!old)
		return false;
	*ret_last = starts->samples[old - 1];
	starts->count -= old;
	for (size_t i = 0; i < starts->count; i++)
		starts->samples[i] = starts->samples[old + i];
	return true;
}

uint64_t unseen_starts_find(struct unseen_starts *starts, int64_t until, uint64_t waiting)
{
	struct starts_sample last;
	if (!take_old(starts, until, &last))
		return 0;
	uint64_t known = starts->seen - last.later + waiting + starts->found;
	uint64_t started = last.told.started - starts->from.started;
	uint64_t more = started > known ? started - known : 0;
	starts->found += more;
	return more;
}
