#include "jobs/job_unstored.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { WORD_BITS = 64 };

static void make_room(struct job_unstored *unstored, size_t word)
{
	size_t had = unstored->word_count;
	if (word < had)
		return;
	unstored->word_count = word < 2 * had ? 2 * had : word + 1;
	unstored->words = memory_resize(unstored->words, unstored->word_count, sizeof *unstored->words);
	memset(unstored->words + had, 0, (unstored->word_count - had) * sizeof *unstored->words);
}

void job_unstored_note(struct job_unstored *unstored, size_t position)
{
	if (!unstored->is_tracked)
		return;
	make_room(unstored, position / WORD_BITS);
	unstored->words[position / WORD_BITS] |= UINT64_C(1) << position % WORD_BITS;
}

void job_unstored_note_removed(struct job_unstored *unstored, uint32_t id)
{
	if (!unstored->is_tracked)
		return;
	GROW(unstored->removed, unstored->removed_count, unstored->removed_capacity);
	unstored->removed[unstored->removed_count++] = id;
}

static size_t next_bit(const struct job_unstored *unstored, size_t from, size_t count)
{
	for (size_t word = from / WORD_BITS; word < unstored->word_count; word++) {
		uint64_t bits = unstored->words[word];
		if (word == from / WORD_BITS)
			bits &= UINT64_MAX << from % WORD_BITS;
		if (bits)
			return word * WORD_BITS + (size_t)__builtin_ctzll(bits);
	}
	return count;
}

size_t job_unstored_next(const struct job_unstored *unstored, size_t from, size_t count)
{
	size_t next = unstored->is_tracked ? next_bit(unstored, from, count) : from;
	return next < count ? next : count;
}

void job_unstored_begin(struct job_unstored *unstored)
{
	unstored->is_tracked = true;
	unstored->removed_count = 0;
	if (unstored->word_count)
		memset(unstored->words, 0, unstored->word_count * sizeof *unstored->words);
}

void job_unstored_end(struct job_unstored *unstored)
{
	free(unstored->words);
	free(unstored->removed);
	*unstored = (struct job_unstored){.is_tracked = false};
}
