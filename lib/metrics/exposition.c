#include "metrics/exposition.h"

#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void add_escaped(struct buf *to, struct text text, bool quotes_too)
{
	size_t start = 0; /* of the part that needs no escape */
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

/* Removes a family without samples. */
static void end_family(struct exposition *out)
{
	struct samples *to = out->to;
	if (!out->name || !out->samples)
		return;
	out->family.end = to->text.len;
	GROW(to->families, to->count, to->capacity);
	to->families[to->count++] = out->family;
}

void exposition_family(struct exposition *out, const char *name, enum family_type type, const char *help)
{
	end_family(out);
	out->name = name;
	out->help = help;
	out->family = (struct sample_family){.type = type};
	out->samples = out->folded = 0;
	out->is_folding = out->has_folds = false;
	exposition_base(out);
}

void exposition_created(struct exposition *out, double time)
{
	out->family.created = time;
}

void exposition_fold(struct exposition *out, bool is_folding)
{
	out->is_folding = is_folding;
	out->has_folds = true;
}

void exposition_left_out(struct exposition *out, uint64_t samples)
{
	out->folded += samples;
	out->has_folds = true;
}

static void header(struct exposition *out)
{
	struct buf *page = &out->to->text;
	struct sample_family *family = &out->family;
	family->begin = page->len;
	buf_printf(page, "# HELP %s ", out->name);
	family->help = page->len;
	family->name_len = (uint32_t)strlen(out->name);
	add_escaped(page, text_of(out->help), false);
	family->help_len = (uint32_t)(page->len - family->help);
	buf_printf(page, "\n# TYPE %s %s\n", out->name, family_type_names[family->type]);
	family->samples = page->len;
	family->first_exemplar = out->to->exemplar_count;
	family->first_native = out->to->native_count;
}

void exposition_base(struct exposition *out)
{
	buf_clear(&out->labels);
	buf_add_text(&out->labels, out->constant);
	out->base_labels = out->labels.len;
}

void exposition_write_label(struct buf *labels, const char *name, struct text value)
{
	if (labels->len)
		buf_add_char(labels, ',');
	buf_add_string(labels, name);
	buf_add_string(labels, "=\"");
	add_escaped(labels, value, true);
	buf_add_char(labels, '"');
}

void exposition_label(struct exposition *out, const char *name, struct text value)
{
	if (value.len && !out->is_folding)
		exposition_write_label(&out->labels, name, value);
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

/* Pages have hundreds of thousands of samples, so each is written in one piece of memory. */
static void sample(struct exposition *out, const char *suffix, struct text number)
{
	if (out->is_folding) {
		out->folded++;
		return;
	}
	if (!out->samples++)
		header(out);
	struct text name = text_of(out->name), end = text_of(suffix), labels = buf_text(&out->labels);
	char *begin = buf_reserve(&out->to->text, name.len + end.len + labels.len + number.len + 5);
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
	out->to->text.len += (size_t)(to - begin);
	out->labels.len = out->base_labels;
}

void exposition_print(char *to, size_t size, double value)
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
	exposition_print(number, sizeof number, value);
	sample(out, "", text_of(number));
}

void exposition_exemplar(struct exposition *out, const struct exemplar *exemplar)
{
	struct samples *to = out->to;
	if (!exemplar->job || out->is_folding)
		return;
	GROW(to->exemplars, to->exemplar_count, to->exemplar_capacity);
	to->exemplars[to->exemplar_count] = *exemplar;
	to->exemplars[to->exemplar_count++].at = to->text.len - 1;
}

void exposition_native(struct exposition *out, const struct native_bucket *buckets, size_t count)
{
	struct samples *to = out->to;
	if (out->is_folding)
		return;
	GROW(to->natives, to->native_count, to->native_capacity);
	to->natives[to->native_count++] = (struct native){to->text.len - 1, to->bucket_count, count};
	for (size_t i = 0; i < count; i++) {
		GROW(to->native_buckets, to->bucket_count, to->bucket_capacity);
		to->native_buckets[to->bucket_count++] = buckets[i];
	}
}

void exposition_histogram(struct exposition *out, const struct histogram *histogram, const struct exemplar *last)
{
	char number[32], bound[32];
	size_t base = out->base_labels;
	out->base_labels = out->labels.len;
	uint64_t total = 0;
	for (unsigned i = 0; i <= histogram->bound_count; i++) {
		total += histogram->buckets[i];
		exposition_print(bound, sizeof bound, i < histogram->bound_count ? histogram->bounds[i] : INFINITY);
		exposition_label(out, "le", text_of(bound));
		snprintf(number, sizeof number, "%" PRIu64, total);
		sample(out, "_bucket", text_of(number));
		if (last)
			exposition_exemplar(out, &last[i]);
	}
	exposition_print(number, sizeof number, histogram->sum);
	sample(out, "_sum", text_of(number));
	snprintf(number, sizeof number, "%" PRIu64, total);
	sample(out, "_count", text_of(number));
	out->base_labels = out->labels.len = base;
}

void exposition_done(struct exposition *out)
{
	end_family(out);
	buf_done(&out->labels);
}
