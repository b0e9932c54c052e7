#include "events/tally_native.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tally_natives_done(struct tally_natives *natives)
{
	free(natives->items);
	*natives = (struct tally_natives){NULL, 0, 0};
}

int32_t tally_native_index(double value)
{
	return value > 0 ? (int32_t)ceil(log2(value) * (1 << TALLY_NATIVE_SCHEMA)) : TALLY_NATIVE_ZERO;
}

/* The first item that does not come before it. */
static size_t position_of(const struct tally_natives *natives, int what, int32_t index)
{
	size_t low = 0, high = natives->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct tally_native *native = &natives->items[middle];
		bool is_before = native->what != what ? native->what < what : native->index < index;
		if (is_before)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct tally_native *native_of(struct tally_natives *natives, int what, int32_t index)
{
	size_t at = position_of(natives, what, index);
	const struct tally_native *found = at < natives->count ? &natives->items[at] : NULL;
	if (found && found->what == what && found->index == index)
		return &natives->items[at];
	GROW(natives->items, natives->count, natives->capacity);
	struct tally_native *native = &natives->items[at];
	memmove(native + 1, native, (natives->count++ - at) * sizeof *native);
	*native = (struct tally_native){.what = what, .index = index};
	return native;
}

size_t tally_natives_of(const struct tally_natives *natives, int what, const struct tally_native **ret_first)
{
	size_t first = position_of(natives, what, INT32_MIN);
	*ret_first = natives->count ? natives->items + first : NULL;
	return position_of(natives, what + 1, INT32_MIN) - first;
}

void tally_natives_observe(struct tally_natives *natives, int what, double value)
{
	native_of(natives, what, tally_native_index(value))->count++;
}

void tally_native_detail(const struct tally_native *native, char *to, size_t size)
{
	if (native->index == TALLY_NATIVE_ZERO)
		snprintf(to, size, "0");
	else
		snprintf(to, size, "2^(%d/%d)", (int)native->index, 1 << TALLY_NATIVE_SCHEMA);
}

bool tally_natives_restore(struct tally_natives *natives, int what, struct text detail, double value)
{
	struct tally_native read = {.what = what, .index = TALLY_NATIVE_ZERO};
	char text[32], same[32];
	text_to_string(detail, text, sizeof text);
	if (strncmp(text, "2^(", 3) == 0) {
		long index = strtol(text + 3, NULL, 10);
		if (index <= TALLY_NATIVE_ZERO || index > INT32_MAX)
			return false;
		read.index = (int32_t)index;
	}
	tally_native_detail(&read, same, sizeof same);
	if (!text_equal(detail, text_of(same)))
		return false;
	struct tally_native *native = native_of(natives, what, read.index);
	native->count = native->stored = (uint64_t)value;
	return true;
}

/* The sum of the buckets up to that one. */
static double count_until(const struct tally_natives *natives, int what, int32_t index)
{
	const struct tally_native *first;
	size_t count = tally_natives_of(natives, what, &first);
	double sum = 0;
	for (size_t i = 0; i < count && first[i].index <= index; i++)
		sum += (double)first[i].count;
	return sum;
}

bool tally_natives_raise(struct tally_natives *natives, int what, int32_t index, int32_t until, double sum)
{
	double missing = sum - count_until(natives, what, until);
	if (!(missing > 0))
		return false;
	native_of(natives, what, index)->count += (uint64_t)missing;
	return true;
}
