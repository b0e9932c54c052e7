#include "usage/report_print.h"

#include "base/memory.h"
#include "json/writer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const char *const amount_names[USAGE_AMOUNTS] = {
	[USAGE_STARTS] = "job_starts",
	[USAGE_ENDS] = "job_ends",
	[USAGE_CPU_SECONDS] = "allocated_cpu_seconds",
	[USAGE_MEMORY_BYTE_SECONDS] = "allocated_memory_byte_seconds",
	[USAGE_BILLING_SECONDS] = "allocated_billing_seconds",
	[USAGE_ENDED_CPU_SECONDS] = "ended_job_allocated_cpu_seconds",
	[USAGE_USED_CPU_SECONDS] = "ended_job_used_cpu_seconds",
	[USAGE_ENERGY_JOULES] = "ended_job_energy_joules",
};

/* A column of the table: what people read. */
struct column {
	const char *title;
	unsigned amount;
	double unit; /* the amount is divided by it */
	int digits;
};

#define HOUR 3600.0
#define GIB_HOUR (HOUR * 1073741824.0)

static const struct column columns[] = {
	{"starts", USAGE_STARTS, 1, 0},
	{"ends", USAGE_ENDS, 1, 0},
	{"CPU hours", USAGE_CPU_SECONDS, HOUR, 2},
	{"GiB hours", USAGE_MEMORY_BYTE_SECONDS, GIB_HOUR, 2},
	{"billing hours", USAGE_BILLING_SECONDS, HOUR, 2},
	{"kWh", USAGE_ENERGY_JOULES, 1000 * HOUR, 3},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* Cells of a table, row by row. */
struct grid {
	struct buf *cells;
	size_t count, capacity, width; /* width: of a row, in cells */
};

static struct buf *cell(struct grid *grid)
{
	GROW(grid->cells, grid->count, grid->capacity);
	grid->cells[grid->count] = (struct buf)BUF_INIT;
	return &grid->cells[grid->count++];
}

/* Control characters would move a terminal's cursor. */
static void put_plain(struct buf *out, struct text text)
{
	for (size_t i = 0; i < text.len; i++)
		buf_add_char(out, (unsigned char)text.bytes[i] < ' ' || text.bytes[i] == 0x7f ? '?' : text.bytes[i]);
}

static size_t width_of(const struct buf *text)
{
	size_t width = 0;
	for (size_t i = 0; i < text->len; i++)
		width += ((unsigned char)text->bytes[i] & 0xc0) != 0x80;
	return width;
}

static bool is_told(const struct grid *grid, size_t column)
{
	for (size_t i = grid->width + column; i < grid->count; i += grid->width)
		if (!text_equal(buf_text(&grid->cells[i]), TEXT("-")))
			return true;
	return false;
}

static size_t column_width(const struct grid *grid, size_t column)
{
	size_t width = 0;
	for (size_t i = column; i < grid->count; i += grid->width)
		if (width < width_of(&grid->cells[i]))
			width = width_of(&grid->cells[i]);
	return width;
}

static void print_cell(const struct buf *cell, size_t width, bool is_left, bool is_first, struct buf *out)
{
	int pad = (int)(width - width_of(cell));
	buf_add_string(out, is_first ? "" : "  ");
	if (!is_left)
		buf_printf(out, "%*s", pad, "");
	buf_add_text(out, buf_text(cell));
	if (is_left)
		buf_printf(out, "%*s", pad, "");
}

/* The first `left` columns are names. Of the others those are left out of which nothing is known. */
static void print_grid(struct grid *grid, size_t left, struct buf *out)
{
	size_t *widths = memory_new(grid->width * sizeof *widths);
	for (size_t at = 0; at < grid->width; at++)
		widths[at] = at < left || is_told(grid, at) ? column_width(grid, at) : 0;
	for (size_t i = 0; i < grid->count; i++) {
		size_t at = i % grid->width;
		if (widths[at])
			print_cell(&grid->cells[i], widths[at], at < left, at == 0, out);
		if (at + 1 == grid->width)
			buf_add_char(out, '\n');
		buf_done(&grid->cells[i]);
	}
	free(grid->cells);
	free(widths);
}

static void put_amount(struct grid *grid, double amount, double unit, int digits)
{
	struct buf *to = cell(grid);
	if (isnan(amount))
		buf_add_char(to, '-');
	else
		buf_printf(to, "%.*f", digits, amount / unit);
}

static void put_amounts(struct grid *grid, const struct usage *use, const struct usage_row *row)
{
	for (size_t i = 0; i < COLUMNS; i++)
		put_amount(grid, row->amounts[columns[i].amount], columns[i].unit, columns[i].digits);
	for (unsigned i = 0; i < use->gres_count; i++)
		put_amount(grid, row->amounts[USAGE_AMOUNTS + i], HOUR, 2);
	double held = row->amounts[USAGE_ENDED_CPU_SECONDS], used = row->amounts[USAGE_USED_CPU_SECONDS];
	struct buf *to = cell(grid);
	if (held > 0 && !isnan(used))
		buf_printf(to, "%.1f %%", 100 * used / held);
	else
		buf_add_char(to, '-');
}

static void put_titles(struct grid *grid, const struct usage *use)
{
	for (size_t i = 0; i < COLUMNS; i++)
		buf_add_string(cell(grid), columns[i].title);
	for (unsigned i = 0; i < use->gres_count; i++) {
		struct buf *to = cell(grid);
		put_plain(to, use->gres[i]);
		buf_add_string(to, " hours");
	}
	buf_add_string(cell(grid), "CPU used");
}

static void put_name(struct grid *grid, struct text name)
{
	put_plain(cell(grid), name.len ? name : TEXT("(none)"));
}

static bool has_used(const struct usage *use, const struct usage_row *row)
{
	for (unsigned i = 0; i < USAGE_AMOUNTS + use->gres_count; i++)
		if (row->amounts[i] > 0)
			return true;
	return false;
}

static void print_table(const struct usage *use, enum usage_by by, bool has_clusters, struct buf *out)
{
	size_t count, cluster_count, names = has_clusters + 1 + (by == USAGE_BY_USER);
	struct usage_row **rows = usage_sorted(use, by, &count);
	struct usage_row **clusters = usage_sorted(use, USAGE_BY_CLUSTER, &cluster_count);
	struct grid grid = {.width = names + COLUMNS + use->gres_count + 1};
	if (has_clusters)
		buf_add_string(cell(&grid), "cluster");
	buf_add_string(cell(&grid), by == USAGE_BY_CLUSTER ? "" : usage_by_names[by]);
	if (by == USAGE_BY_USER)
		buf_add_string(cell(&grid), "account");
	put_titles(&grid, use);
	for (size_t i = 0; by != USAGE_BY_CLUSTER && i < count; i++) {
		if (!has_used(use, rows[i]))
			continue;
		if (has_clusters)
			put_name(&grid, rows[i]->cluster);
		put_name(&grid, rows[i]->name);
		if (by == USAGE_BY_USER)
			put_name(&grid, rows[i]->account);
		put_amounts(&grid, use, rows[i]);
	}
	for (size_t i = 0; i < cluster_count; i++) {
		if (has_clusters)
			put_name(&grid, clusters[i]->cluster);
		buf_add_string(cell(&grid), "all");
		if (by == USAGE_BY_USER)
			cell(&grid);
		put_amounts(&grid, use, clusters[i]);
	}
	print_grid(&grid, names, out);
	free(rows);
	free(clusters);
}

static void put_time(int64_t at, struct buf *out)
{
	time_t time = at;
	struct tm broken;
	char text[64];
	localtime_r(&time, &broken);
	strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %Z", &broken);
	buf_add_string(out, text);
}

static bool has_clusters(const struct usage *use)
{
	for (size_t i = 0; i < use->rows.count; i++)
		if (((const struct usage_row *)use->rows.entries[i].value)->cluster.len)
			return true;
	return false;
}

static void print_tables(const struct usage *use, unsigned kinds, struct buf *out)
{
	buf_add_string(out, "Use from ");
	put_time(use->from, out);
	buf_add_string(out, " to ");
	put_time(use->to, out);
	buf_printf(out, ", counted by %s\n", use->source);
	for (enum usage_by by = 0; by < USAGE_BYS; by++)
		if (kinds & 1u << by) {
			buf_add_char(out, '\n');
			print_table(use, by, has_clusters(use), out);
		}
	if (use->note_count) {
		buf_add_char(out, '\n');
		report_print_notes(use, out);
	}
}

void report_print_notes(const struct usage *use, struct buf *out)
{
	for (unsigned i = 0; i < use->note_count; i++) {
		buf_add_string(out, "Note: ");
		put_plain(out, use->notes[i]);
		buf_add_char(out, '\n');
	}
	if (use->notes_left_out)
		buf_printf(out, "Note: %u more notes are left out\n", use->notes_left_out);
}

static void put_csv_text(struct buf *out, struct text text)
{
	buf_add_char(out, '"');
	for (size_t i = 0; i < text.len; i++) {
		if (text.bytes[i] == '"')
			buf_add_char(out, '"');
		buf_add_char(out, text.bytes[i]);
	}
	buf_add_char(out, '"');
}

/* With the fewest digits that are read back as the same number. */
static void put_number(struct buf *out, double number)
{
	char text[40];
	bool is_whole = fabs(number) < 1e15 && floor(number) == number;
	int digits = 15;
	snprintf(text, sizeof text, is_whole ? "%.0f" : "%.15g", number);
	while (!is_whole && digits < 17 && strtod(text, NULL) != number)
		snprintf(text, sizeof text, "%.*g", ++digits, number);
	buf_add_string(out, text);
}

static struct text name_if(const struct usage_row *row, enum usage_by by)
{
	return row->by == by ? row->name : TEXT("");
}

/* Rows of these kinds, one kind after the other. */
typedef void row_fn(const struct usage *use, const struct usage_row *row, void *to);

static void print_rows(const struct usage *use, unsigned kinds, row_fn *print, void *to)
{
	for (enum usage_by by = 0; by < USAGE_BYS; by++) {
		size_t count;
		struct usage_row **rows = usage_sorted(use, by, &count);
		for (size_t i = 0; (kinds & 1u << by) && i < count; i++)
			print(use, rows[i], to);
		free(rows);
	}
}

static void print_csv_row(const struct usage *use, const struct usage_row *row, void *to)
{
	struct buf *out = to;
	const struct text names[] = {text_of(usage_by_names[row->by]),
				     row->cluster,
				     name_if(row, USAGE_BY_PARTITION),
				     row->by == USAGE_BY_USER ? row->account : name_if(row, USAGE_BY_ACCOUNT),
				     name_if(row, USAGE_BY_USER),
				     name_if(row, USAGE_BY_QOS)};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		put_csv_text(out, names[i]);
		buf_add_char(out, ',');
	}
	for (unsigned i = 0; i < USAGE_AMOUNTS + use->gres_count; i++) {
		if (i)
			buf_add_char(out, ',');
		if (!isnan(row->amounts[i]))
			put_number(out, row->amounts[i]);
	}
	buf_add_string(out, "\r\n");
}

static void print_csv(const struct usage *use, unsigned kinds, struct buf *out)
{
	buf_add_string(out, "by,cluster,partition,account,user,qos");
	for (unsigned i = 0; i < USAGE_AMOUNTS; i++)
		buf_printf(out, ",%s", amount_names[i]);
	for (unsigned i = 0; i < use->gres_count; i++) {
		struct buf title = BUF_INIT;
		buf_add_string(&title, "allocated_gres_seconds:");
		buf_add_text(&title, use->gres[i]);
		buf_add_char(out, ',');
		put_csv_text(out, buf_text(&title));
		buf_done(&title);
	}
	buf_add_string(out, "\r\n");
	print_rows(use, kinds, print_csv_row, out);
}

static void put_json_text(struct json_writer *writer, const char *key, struct text text)
{
	char *string = memory_copy(text.bytes, text.len);
	writer_string(writer, key, string);
	free(string);
}

static void put_json_amount(struct json_writer *writer, const char *key, double amount)
{
	if (isnan(amount))
		writer_null(writer, key);
	else
		writer_number(writer, key, amount);
}

static void print_json_row(const struct usage *use, const struct usage_row *row, void *to)
{
	struct json_writer *writer = to;
	writer_open(writer, NULL, '{');
	writer_string(writer, "by", usage_by_names[row->by]);
	if (row->cluster.len)
		put_json_text(writer, "cluster", row->cluster);
	if (row->by != USAGE_BY_CLUSTER)
		put_json_text(writer, usage_by_names[row->by], row->name);
	if (row->by == USAGE_BY_USER)
		put_json_text(writer, "account", row->account);
	for (unsigned i = 0; i < USAGE_AMOUNTS; i++)
		put_json_amount(writer, amount_names[i], row->amounts[i]);
	writer_open(writer, "allocated_gres_seconds", '{');
	for (unsigned i = 0; i < use->gres_count; i++) {
		char *name = memory_copy(use->gres[i].bytes, use->gres[i].len);
		put_json_amount(writer, name, row->amounts[USAGE_AMOUNTS + i]);
		free(name);
	}
	writer_close(writer, '}');
	writer_close(writer, '}');
}

static void print_json(const struct usage *use, unsigned kinds, struct buf *out)
{
	struct json_writer writer = {.out = out};
	writer_open(&writer, NULL, '{');
	writer_integer(&writer, "from", (uint64_t)use->from);
	writer_integer(&writer, "to", (uint64_t)use->to);
	writer_string(&writer, "source", use->source);
	writer_bool(&writer, "complete", !use->is_incomplete);
	writer_open(&writer, "notes", '[');
	for (unsigned i = 0; i < use->note_count; i++)
		put_json_text(&writer, NULL, use->notes[i]);
	writer_close(&writer, ']');
	writer_open(&writer, "rows", '[');
	print_rows(use, kinds, print_json_row, &writer);
	writer_close(&writer, ']');
	writer_close(&writer, '}');
	buf_add_char(out, '\n');
}

void report_print(const struct usage *use, unsigned kinds, enum report_format format, struct buf *out)
{
	if (format == REPORT_CSV)
		print_csv(use, kinds, out);
	else if (format == REPORT_JSON)
		print_json(use, kinds, out);
	else
		print_tables(use, kinds, out);
}
