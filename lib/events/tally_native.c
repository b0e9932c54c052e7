/* Exponential buckets. Their bounds are those of every other slurmscope, so that they can be added up. */
#include "base/memory.h"
#include "events/tally.h"

#include <math.h>
#include <stdio.h>

static int32_t native_index(double value)
{
	return value > 0 ? (int32_t)ceil(log2(value) * (1 << TALLY_NATIVE_SCHEMA)) : TALLY_NATIVE_ZERO;
}

/* The first that does not come before it. */
static size_t native_place(const struct tally *tally, enum tally_what what, int32_t index)
{
	size_t low = 0, high = tally->native_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct tally_native *native = &tally->natives[middle];
		bool is_before = native->what != what ? native->what < what : native->index < index;
		if (is_before)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct tally_native *native_of(struct tally *tally, enum tally_what what, int32_t index)
{
	size_t at = native_place(tally, what, index);
	const struct tally_native *found = at < tally->native_count ? &tally->natives[at] : NULL;
	if (found && found->what == what && found->index == index)
		return &tally->natives[at];
	GROW(tally->natives, tally->native_count, tally->native_capacity);
	struct tally_native *native = &tally->natives[at];
	memmove(native + 1, native, (tally->native_count++ - at) * sizeof *native);
	*native = (struct tally_native){.what = what, .index = index};
	return native;
}

size_t tally_natives(const struct tally *tally, enum tally_what what, const struct tally_native **ret_first)
{
	size_t first = native_place(tally, what, INT32_MIN);
	*ret_first = tally->native_count ? tally->natives + first : NULL;
	return native_place(tally, what + 1, INT32_MIN) - first;
}

void tally_native_observe(struct tally *tally, enum tally_what what, double value)
{
	native_of(tally, what, native_index(value))->count++;
}

void tally_native_detail(const struct tally_native *native, char *to, size_t size)
{
	if (native->index == TALLY_NATIVE_ZERO)
		snprintf(to, size, "0");
	else
		snprintf(to, size, "2^(%d/%d)", (int)native->index, 1 << TALLY_NATIVE_SCHEMA);
}

bool tally_native_restore(struct tally *tally, enum tally_what what, struct text detail, double value)
{
	struct tally_native read = {.what = what, .index = TALLY_NATIVE_ZERO};
	char text[32], same[32];
	int index;
	if (what == TALLY_WHATS || !tally_table[what].has_native)
		return false;
	text_to_string(detail, text, sizeof text);
	if (sscanf(text, "2^(%d/", &index) == 1)
		read.index = index;
	tally_native_detail(&read, same, sizeof same);
	if (!text_equal(detail, text_of(same)))
		return false;
	struct tally_native *native = native_of(tally, what, read.index);
	native->count = native->stored = (uint64_t)value;
	return true;
}

static void add_missing(struct tally *tally, enum tally_what what, int32_t index, double missing)
{
	if (!(missing > 0))
		return;
	native_of(tally, what, index)->count += (uint64_t)missing;
	tally->is_changed = true;
}

/* How many are in the buckets up to that one. */
static double natives_until(const struct tally *tally, enum tally_what what, int32_t index)
{
	const struct tally_native *natives;
	size_t count = tally_natives(tally, what, &natives);
	double sum = 0;
	for (size_t i = 0; i < count && natives[i].index <= index; i++)
		sum += (double)natives[i].count;
	return sum;
}

void tally_restored(struct tally *tally, int kind)
{
	for (enum tally_what what = TALLY_COUNTERS; what < TALLY_WHATS; what++) {
		const struct tally_row *row = &tally_table[what];
		int32_t index = 0;
		double sum = 0;
		if (!row->has_native || !tally_has(kind, what))
			continue;
		for (unsigned i = 0; i <= row->bound_count; i++) {
			sum += tally_get(tally, what, i)->value;
			index = i < row->bound_count ? native_index(row->bounds[i]) : index + 1;
			bool is_last = i == row->bound_count;
			add_missing(tally, what, index,
				    sum - natives_until(tally, what, is_last ? INT32_MAX : index));
		}
	}
}
