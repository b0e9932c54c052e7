/* Reads a page in the text format or in OpenMetrics at least as strictly as Prometheus does. A page that passes reaches
 * any scraper whole, with each series once. For tests and fuzz targets. */
#pragma once

#include "base/buf.h"
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE_LABELS_MAX = 32 };

struct page_label {
	struct text name, value; /* the value without its escapes; borrowed during the call */
};

struct page_line {
	struct text family, name; /* of the header before it, and of the sample */
	struct page_label labels[PAGE_LABELS_MAX];
	unsigned label_count;
	double value;
};

typedef void page_line_fn(void *context, const struct page_line *line);

struct page_reading {
	page_line_fn *take;
	void *context;
	struct arena texts;
	struct map series, families;
	struct text family, type;
	struct buf values; /* of one line's labels */
	bool is_at_end; /* OpenMetrics: its last line was read */
	const char *wrong; /* NULL: nothing so far */
};

static inline bool page_is_wrong(struct page_reading *reading, const char *what)
{
	if (!reading->wrong)
		reading->wrong = what;
	return false;
}

static inline bool page_is_utf8(struct text text)
{
	for (size_t len; text.len; text = (struct text){text.bytes + len, text.len - len})
		if (!(len = text_character(text)))
			return false;
	return true;
}

/* Cuts a name of metrics or labels off the front. */
static inline struct text page_cut_name(struct text *rest)
{
	static const char begins[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
	size_t len = 0;
	while (len < rest->len && rest->bytes[len] &&
	       (strchr(begins, rest->bytes[len]) || (len && strchr("0123456789", rest->bytes[len]))))
		len++;
	struct text name = {rest->bytes, len};
	*rest = (struct text){rest->bytes + len, rest->len - len};
	return name;
}

static inline bool page_cut(struct text *rest, const char *what)
{
	if (!text_starts_with(*rest, what))
		return false;
	*rest = (struct text){rest->bytes + strlen(what), rest->len - strlen(what)};
	return true;
}

/* `rest` begins behind the opening quote, and then behind the closing one. */
static inline bool page_cut_value(struct text *rest, struct buf *value)
{
	for (; rest->len && *rest->bytes != '"'; *rest = (struct text){rest->bytes + 1, rest->len - 1}) {
		char c = *rest->bytes;
		if (c == '\\') {
			if (rest->len < 2 || !rest->bytes[1] || !strchr("\\\"n", rest->bytes[1]))
				return false;
			*rest = (struct text){rest->bytes + 1, rest->len - 1};
			c = *rest->bytes == 'n' ? '\n' : *rest->bytes;
		}
		buf_add_char(value, c);
	}
	return page_cut(rest, "\"");
}

/* `{a="b",c="d"}`, in which no name comes twice and no value is empty. */
static inline bool page_cut_labels(struct page_reading *reading, struct text *rest, struct page_line *line)
{
	size_t ends[PAGE_LABELS_MAX];
	buf_clear(&reading->values);
	line->label_count = 0;
	if (!page_cut(rest, "{"))
		return true;
	do {
		if (line->label_count == PAGE_LABELS_MAX)
			return page_is_wrong(reading, "too many labels");
		struct text name = page_cut_name(rest);
		size_t begin = reading->values.len;
		for (unsigned i = 0; i < line->label_count; i++)
			if (text_equal(line->labels[i].name, name))
				return page_is_wrong(reading, "a label comes twice");
		if (!name.len || !page_cut(rest, "=\"") || !page_cut_value(rest, &reading->values))
			return page_is_wrong(reading, "a label has no valid form");
		if (reading->values.len == begin)
			return page_is_wrong(reading, "a label is empty");
		ends[line->label_count] = reading->values.len;
		line->labels[line->label_count++].name = name;
	} while (page_cut(rest, ","));
	for (unsigned i = 0; i < line->label_count; i++) {
		size_t begin = i ? ends[i - 1] : 0;
		line->labels[i].value = (struct text){reading->values.bytes + begin, ends[i] - begin};
	}
	return page_cut(rest, "}") || page_is_wrong(reading, "labels without an end");
}

static inline bool page_cut_number(struct text *rest, double *ret_number)
{
	char digits[64], *end;
	struct text number = text_cut(rest, ' ');
	if (!number.len || number.len >= sizeof digits)
		return false;
	text_to_string(number, digits, sizeof digits);
	*ret_number = strtod(digits, &end);
	return !*end && !strchr(" \t", *digits);
}

/* Is the sample's name one that its family's samples have? */
static inline bool page_fits(const struct page_reading *reading, struct text name)
{
	static const char *const suffixes[] = {"", "_total", "_created", "_info", "_bucket", "_sum", "_count"};
	bool is_histogram = text_equal(reading->type, TEXT("histogram"));
	if (!reading->family.len || !reading->type.len)
		return false;
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
		size_t len = strlen(suffixes[i]);
		if (name.len == reading->family.len + len &&
		    memcmp(name.bytes, reading->family.bytes, reading->family.len) == 0 &&
		    memcmp(name.bytes + reading->family.len, suffixes[i], len) == 0)
			return is_histogram ? i == 2 || i > 3 : i < 4;
	}
	return false;
}

static inline bool page_read_exemplar(struct page_reading *reading, struct text rest)
{
	struct page_line exemplar = {.label_count = 0};
	double number;
	if (!page_cut_labels(reading, &rest, &exemplar) || !page_cut(&rest, " ") || !page_cut_number(&rest, &number))
		return page_is_wrong(reading, "an exemplar has no valid form");
	return !rest.len || page_cut_number(&rest, &number) ||
	       page_is_wrong(reading, "an exemplar's time is no number");
}

static inline bool page_read_sample(struct page_reading *reading, struct text text)
{
	struct page_line line = {.family = reading->family};
	struct text rest = text;
	line.name = page_cut_name(&rest);
	if (!page_fits(reading, line.name))
		return page_is_wrong(reading, "a sample is not of the family before it");
	if (!page_cut_labels(reading, &rest, &line))
		return false;
	bool *is_there = map_add(&reading->series, (struct text){text.bytes, text.len - rest.len});
	if (*is_there)
		return page_is_wrong(reading, "a series comes twice");
	*is_there = true;
	if (!page_cut(&rest, " ") || !page_cut_number(&rest, &line.value))
		return page_is_wrong(reading, "a sample has no number");
	if (reading->take)
		reading->take(reading->context, &line);
	return !rest.len || (page_cut(&rest, "# ") ? page_read_exemplar(reading, rest)
						   : page_is_wrong(reading, "something follows a sample's number"));
}

/* A family begins; each comes once. */
static inline bool page_begin_family(struct page_reading *reading, struct text name)
{
	if (text_equal(reading->family, name))
		return true;
	bool *is_there = map_add(&reading->families, name);
	if (*is_there || !name.len)
		return page_is_wrong(reading, "a family comes twice, or has no name");
	*is_there = true;
	reading->family = name;
	reading->type = TEXT("");
	return true;
}

static inline bool page_read_header(struct page_reading *reading, struct text rest)
{
	if (text_equal(rest, TEXT("# EOF"))) {
		reading->is_at_end = true;
		return true;
	}
	bool is_type = page_cut(&rest, "# TYPE ");
	if (!is_type && !page_cut(&rest, "# HELP ") && !page_cut(&rest, "# UNIT "))
		return page_is_wrong(reading, "a comment that is no header");
	if (!page_begin_family(reading, page_cut_name(&rest)))
		return false;
	if (is_type && page_cut(&rest, " "))
		reading->type = rest;
	return true;
}

/* NULL: the page is right, and `take` (NULL: nobody) got each of its samples; else what is wrong with it. */
static inline const char *page_read(struct text page, page_line_fn *take, void *context)
{
	struct page_reading reading = {.take = take, .context = context, .texts = ARENA_INIT};
	struct text line;
	map_init(&reading.series, &reading.texts, sizeof(bool));
	map_init(&reading.families, &reading.texts, sizeof(bool));
	if (!page_is_utf8(page))
		page_is_wrong(&reading, "it is not UTF-8");
	if (page.len && page.bytes[page.len - 1] != '\n')
		page_is_wrong(&reading, "its last line has no end");
	while (!reading.wrong && page.len) {
		line = text_cut(&page, '\n');
		if (reading.is_at_end)
			page_is_wrong(&reading, "something follows its end");
		else if (line.len && *line.bytes == '#')
			page_read_header(&reading, line);
		else
			page_read_sample(&reading, line);
	}
	map_done(&reading.series);
	map_done(&reading.families);
	arena_done(&reading.texts);
	buf_done(&reading.values);
	return reading.wrong;
}
