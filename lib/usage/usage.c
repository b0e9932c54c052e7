#include "usage/usage.h"

#include "base/buf.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

const char *const usage_by_names[USAGE_BYS] = {"cluster", "partition", "account", "user", "qos"};

void usage_init(struct usage *use, const char *source, int64_t from, int64_t to)
{
	*use = (struct usage){.from = from, .to = to, .source = source};
	map_init(&use->rows, &use->arena, sizeof(struct usage_row));
}

/* Texts of labels have no NUL, so nothing else has this key. */
static void put_key(const struct usage_name *whose, struct buf *key)
{
	const struct text parts[] = {whose->cluster, whose->name, whose->account};
	buf_add_char(key, (char)('0' + whose->by));
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		buf_add_text(key, parts[i]);
		buf_add_char(key, '\0');
	}
}

static struct usage_row *row_of(struct usage *use, const struct usage_name *whose)
{
	struct buf key = BUF_INIT;
	put_key(whose, &key);
	size_t before = use->rows.count;
	struct usage_row *row = map_add(&use->rows, buf_text(&key));
	buf_done(&key);
	if (use->rows.count == before)
		return row;
	row->by = whose->by;
	row->cluster = arena_copy(&use->arena, whose->cluster);
	row->name = arena_copy(&use->arena, whose->name);
	row->account = arena_copy(&use->arena, whose->account);
	for (unsigned i = 0; i < USAGE_COLUMNS_MAX; i++)
		row->amounts[i] = NAN;
	return row;
}

void usage_add(struct usage *use, const struct usage_name *whose, unsigned column, double amount)
{
	double *to = &row_of(use, whose)->amounts[column];
	*to = isnan(*to) ? amount : *to + amount;
}

bool usage_gres_column(struct usage *use, struct text name, struct text type, unsigned *ret_column)
{
	struct buf both = BUF_INIT;
	buf_add_text(&both, name);
	if (type.len) {
		buf_add_char(&both, ':');
		buf_add_text(&both, type);
	}
	unsigned i = 0;
	while (i < use->gres_count && !text_equal(use->gres[i], buf_text(&both)))
		i++;
	bool has_room = i < TRES_GRES_MAX;
	if (!has_room)
		usage_note(use, true, "more than %d kinds of GRES: %s has no column", TRES_GRES_MAX, both.bytes);
	else if (i == use->gres_count)
		use->gres[use->gres_count++] = arena_copy(&use->arena, buf_text(&both));
	buf_done(&both);
	*ret_column = USAGE_AMOUNTS + i;
	return has_room;
}

void usage_note(struct usage *use, bool is_missing, const char *format, ...)
{
	struct buf note = BUF_INIT;
	va_list args;
	va_start(args, format);
	buf_vprintf(&note, format, args);
	va_end(args);
	use->is_incomplete |= is_missing;
	bool is_known = false;
	for (unsigned i = 0; i < use->note_count && !is_known; i++)
		is_known = text_equal(use->notes[i], buf_text(&note));
	if (!is_known && use->note_count < USAGE_NOTES_MAX)
		use->notes[use->note_count++] = arena_copy(&use->arena, buf_text(&note));
	else
		use->notes_left_out += !is_known;
	buf_done(&note);
}

static int compare_rows(const void *left, const void *right)
{
	const struct usage_row *a = *(struct usage_row *const *)left, *b = *(struct usage_row *const *)right;
	int order = text_compare(a->cluster, b->cluster);
	if (!order)
		order = text_compare(a->name, b->name);
	return order ? order : text_compare(a->account, b->account);
}

struct usage_row **usage_sorted(const struct usage *use, enum usage_by by, size_t *ret_count)
{
	struct usage_row **rows = memory_new((use->rows.count + 1) * sizeof(struct usage_row *));
	size_t count = 0;
	for (size_t i = 0; i < use->rows.count; i++) {
		struct usage_row *row = use->rows.entries[i].value;
		if (row->by == by)
			rows[count++] = row;
	}
	qsort(rows, count, sizeof *rows, compare_rows);
	*ret_count = count;
	return rows;
}

static double sum_of(struct usage_row *const *rows, size_t count, struct text cluster, enum usage_amount amount)
{
	double sum = NAN;
	for (size_t i = 0; i < count; i++)
		if (text_equal(rows[i]->cluster, cluster) && !isnan(rows[i]->amounts[amount]))
			sum = isnan(sum) ? rows[i]->amounts[amount] : sum + rows[i]->amounts[amount];
	return sum;
}

/* One of the additions of doubles may be off by a little, and each page is made in a moment of its own. */
static bool differs(double sum, double whole)
{
	return fabs(sum - whole) > 1e-9 * fabs(whole) + 1e-6;
}

void usage_check_sums(struct usage *use)
{
	size_t clusters, count;
	struct usage_row **whole = usage_sorted(use, USAGE_BY_CLUSTER, &clusters);
	for (enum usage_by by = USAGE_BY_PARTITION; by < USAGE_BYS; by++) {
		struct usage_row **rows = usage_sorted(use, by, &count);
		for (size_t i = 0; count && i < clusters; i++) {
			double all = whole[i]->amounts[USAGE_CPU_SECONDS];
			double sum = sum_of(rows, count, whole[i]->cluster, USAGE_CPU_SECONDS);
			if (!isnan(sum) && !isnan(all) && differs(sum, all))
				usage_note(
					use, false,
					"rows by %s add up to %.0f of the cluster's %.0f CPU seconds: not all jobs have a row there",
					usage_by_names[by], sum, all);
		}
		free(rows);
	}
	free(whole);
}

void usage_done(struct usage *use)
{
	map_done(&use->rows);
	arena_done(&use->arena);
}
