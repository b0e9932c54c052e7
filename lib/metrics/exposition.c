#include "metrics/exposition.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *const family_type_names[] = {
	[GAUGE] = "gauge", [COUNTER] = "counter", [HISTOGRAM] = "histogram"};

static void add_escaped(struct buf *to, struct text text, bool quotes_too)
{
	size_t start = 0; /* of what needs no escape */
	for (size_t i = 0; i < text.len; i++) {
		char c = text.bytes[i];
		if (c != '\\' && c != '\n' && !(c == '"' && quotes_too))
			continue;
		buf_add(to, text.bytes + start, i - start);
		buf_add_char(to, '\\');
		buf_add_char(to, c == '\n' ? 'n' : c);
		start = i + 1;
	}
	if (text.len > start)
		buf_add(to, text.bytes + start, text.len - start);
}

void exposition_family(struct exposition *out, const char *name, enum family_type type,
		       const char *help)
{
	out->name = name;
	out->type = type;
	out->help = help;
	out->samples = out->folded = 0;
	out->is_folding = out->has_folds = false;
	exposition_base(out);
}

void exposition_fold(struct exposition *out, bool is_folding)
{
	out->is_folding = is_folding;
	out->has_folds = true;
}

static void header(struct exposition *out)
{
	buf_printf(out->page, "# HELP %s ", out->name);
	add_escaped(out->page, text_of(out->help), false);
	buf_printf(out->page, "\n# TYPE %s %s\n", out->name, family_type_names[out->type]);
}

void exposition_base(struct exposition *out)
{
	out->base_labels = 0;
	buf_clear(&out->labels);
}

void exposition_label(struct exposition *out, const char *name, struct text value)
{
	if (!value.len || out->is_folding)
		return;
	if (out->labels.len)
		buf_add_char(&out->labels, ',');
	buf_add_string(&out->labels, name);
	buf_add_string(&out->labels, "=\"");
	add_escaped(&out->labels, value, true);
	buf_add_char(&out->labels, '"');
}

void exposition_base_label(struct exposition *out, const char *name, struct text value)
{
	exposition_label(out, name, value);
	out->base_labels = out->labels.len;
}

void exposition_unlabel(struct exposition *out)
{
	out->labels.len = out->base_labels;
}

static char *put(char *to, struct text text)
{
	if (text.len)
		memcpy(to, text.bytes, text.len);
	return to + text.len;
}

/* Pages have hundreds of thousands: one piece of memory each. */
static void sample(struct exposition *out, const char *suffix, struct text number)
{
	if (out->is_folding) {
		out->folded++;
		return;
	}
	if (!out->samples++)
		header(out);
	struct text name = text_of(out->name), end = text_of(suffix), labels = buf_text(&out->labels);
	char *begin = buf_reserve(out->page, name.len + end.len + labels.len + number.len + 5);
	char *to = put(put(begin, name), end);
	if (labels.len) {
		*to++ = '{';
		to = put(to, labels);
		*to++ = '}';
	}
	*to++ = ' ';
	to = put(to, number);
	*to++ = '\n';
	*to = '\0';
	out->page->len += (size_t)(to - begin);
	out->labels.len = out->base_labels;
}

/* The shortest decimal that reads back as the same number. */
static void print_number(char *to, size_t size, double value)
{
	if (isnan(value))
		snprintf(to, size, "NaN");
	else if (isinf(value))
		snprintf(to, size, value > 0 ? "+Inf" : "-Inf");
	else if (value == floor(value) && fabs(value) < 0x1p53)
		snprintf(to, size, "%.0f", value);
	else
		for (int digits = 15; digits <= 17; digits++) {
			snprintf(to, size, "%.*g", digits, value);
			if (strtod(to, NULL) == value)
				break;
		}
}

void exposition_integer(struct exposition *out, uint64_t value)
{
	char digits[20], *end = digits + sizeof digits, *first = end;
	do
		*--first = (char)('0' + value % 10);
	while (value /= 10);
	sample(out, "", (struct text){first, (size_t)(end - first)});
}

void exposition_number(struct exposition *out, double value)
{
	char number[32];
	if (value >= 0 && value < 0x1p53 && value == floor(value) && !signbit(value)) {
		exposition_integer(out, (uint64_t)value);
		return;
	}
	print_number(number, sizeof number, value);
	sample(out, "", text_of(number));
}

void exposition_histogram(struct exposition *out, const struct histogram *histogram)
{
	char number[32], bound[32];
	size_t base = out->base_labels;
	out->base_labels = out->labels.len;
	uint64_t total = 0;
	for (unsigned i = 0; i <= histogram->bound_count; i++) {
		total += histogram->buckets[i];
		print_number(bound, sizeof bound,
			     i < histogram->bound_count ? histogram->bounds[i] : INFINITY);
		exposition_label(out, "le", text_of(bound));
		snprintf(number, sizeof number, "%" PRIu64, total);
		sample(out, "_bucket", text_of(number));
	}
	print_number(number, sizeof number, histogram->sum);
	sample(out, "_sum", text_of(number));
	snprintf(number, sizeof number, "%" PRIu64, total);
	sample(out, "_count", text_of(number));
	out->base_labels = out->labels.len = base;
}

void exposition_done(struct exposition *out)
{
	buf_done(&out->labels);
}
