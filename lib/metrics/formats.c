#include "metrics/formats.h"

#include "base/memory.h"

#include <stdlib.h>

const char *const format_names[FORMATS] = {
	[FORMAT_TEXT] = "text", [FORMAT_OPENMETRICS] = "openmetrics", [FORMAT_PROTOBUF] = "protobuf"};

static bool ends_with(struct text text, struct text end)
{
	return text.len > end.len && memcmp(text.bytes + text.len - end.len, end.bytes, end.len) == 0;
}

struct text family_unit(struct text name)
{
	static const char *const units[] = {"byte_seconds", "seconds", "bytes", "ratio", "joules", "watts"};
	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		struct text unit = text_of(units[i]);
		if (ends_with(name, unit) && name.bytes[name.len - unit.len - 1] == '_')
			return unit;
	}
	return TEXT("");
}

struct text family_base_name(const struct family_part *part)
{
	struct text name = family_name(part->page, part->family), total = TEXT("_total");
	if (part->family->type == COUNTER && ends_with(name, total))
		name.len -= total.len;
	return name;
}

static const struct sample_family *next_family(const struct family_part *part)
{
	const struct sample_family *next = part->family + 1;
	return next < part->page->families + part->page->count ? next : NULL;
}

size_t part_exemplars_end(const struct family_part *part)
{
	const struct sample_family *next = next_family(part);
	return next ? next->first_exemplar : part->page->exemplar_count;
}

size_t part_natives_end(const struct family_part *part)
{
	const struct sample_family *next = next_family(part);
	return next ? next->first_native : part->page->native_count;
}

/* Label values may contain braces and spaces, but the last ones in the line are the sample's own. */
bool part_next_line(const struct family_part *part, size_t *at, struct sample_line *ret_line)
{
	if (*at >= part->family->end)
		return false;
	const char *begin = part->page->text.bytes + *at;
	const char *end = memchr(begin, '\n', part->family->end - *at);
	const char *space = memrchr(begin, ' ', (size_t)(end - begin));
	const char *brace = memchr(begin, '{', (size_t)(space - begin));
	const char *name_end = brace ? brace : space;
	*ret_line = (struct sample_line){
		.name = {begin, (size_t)(name_end - begin)},
		.labels = brace ? (struct text){brace + 1, (size_t)(space - brace - 2)} : TEXT(""),
		.value = {space + 1, (size_t)(end - space - 1)},
		.end = (size_t)(end - part->page->text.bytes),
	};
	*at = ret_line->end + 1;
	return true;
}

struct text line_take_le(struct sample_line *line)
{
	static const char label[] = "le=\"";
	size_t label_len = sizeof label - 1;
	struct text labels = line->labels;
	if (labels.len <= label_len || labels.bytes[labels.len - 1] != '"')
		return TEXT("");
	const char *quote = memrchr(labels.bytes, '"', labels.len - 1); /* bounds have none inside */
	const char *begin = quote + 1 - label_len;
	bool is_label = begin == labels.bytes || (begin > labels.bytes && begin[-1] == ',');
	if (!is_label || memcmp(begin, label, label_len) != 0)
		return TEXT("");
	struct text value = {quote + 1, (size_t)(labels.bytes + labels.len - 1 - (quote + 1))};
	line->labels.len = (size_t)(begin - labels.bytes);
	if (line->labels.len) /* the comma before it */
		line->labels.len--;
	return value;
}

static void add_part(struct buf *to, const struct family_part *part, size_t begin, size_t end)
{
	buf_add(to, part->page->text.bytes + begin, end - begin);
}

static void begin_family(const struct format_options *options, const struct family_part *part, struct buf *to)
{
	switch (options->format) {
	case FORMAT_OPENMETRICS:
		openmetrics_header(part, to);
		break;
	case FORMAT_PROTOBUF:
		protobuf_header(part, to);
		break;
	default:
		add_part(to, part, part->family->begin, part->family->samples);
	}
}

static void add_samples(const struct format_options *options, const struct family_part *part, struct buf *to)
{
	switch (options->format) {
	case FORMAT_OPENMETRICS:
		openmetrics_samples(part, options->has_created, to);
		break;
	case FORMAT_PROTOBUF:
		protobuf_samples(part, to);
		break;
	default:
		add_part(to, part, part->family->samples, part->family->end);
	}
}

/* A message is preceded by its length, which is known at its end. */
static void end_family(const struct format_options *options, struct buf *message, struct buf *to)
{
	char length[10];
	size_t len = 0;
	if (options->format != FORMAT_PROTOBUF)
		return;
	for (uint64_t rest = message->len; len == 0 || rest; rest >>= 7)
		length[len++] = (char)((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
	buf_add(to, length, len);
	buf_add(to, message->bytes, message->len);
	buf_clear(message);
}

/* Families of the same place and name are one. */
static int compare(const struct family_part *a, const struct family_part *b)
{
	if (a->family->order != b->family->order)
		return a->family->order < b->family->order ? -1 : 1;
	return text_compare(family_name(a->page, a->family), family_name(b->page, b->family));
}

/* The page's next family; `family` is NULL if it has no more. */
static struct family_part part_at(const struct samples *page, size_t at)
{
	return (struct family_part){page, at < page->count ? &page->families[at] : NULL};
}

/* The next family to write, as the first page that has it. */
static struct family_part next_part(const struct samples *const *pages, const size_t *at, size_t count)
{
	struct family_part next = {NULL, NULL};
	for (size_t i = 0; i < count; i++) {
		const struct family_part part = part_at(pages[i], at[i]);
		if (part.family && (!next.family || compare(&part, &next) < 0))
			next = part;
	}
	return next;
}

static void write_family(const struct format_options *options, const struct samples *const *pages, size_t *at,
			 size_t count, const struct family_part *family, struct buf *to)
{
	bool has_begun = false;
	for (size_t i = 0; i < count; i++) {
		const struct family_part part = part_at(pages[i], at[i]);
		if (!part.family || compare(&part, family) != 0)
			continue;
		at[i]++;
		if (options->collect && !(options->collect >> part.family->group & 1))
			continue;
		if (!has_begun)
			begin_family(options, &part, to);
		has_begun = true;
		add_samples(options, &part, to);
	}
}

void format_write(const struct format_options *options, const struct samples *const *pages, size_t count,
		  struct buf *to, const struct format_sink *sink)
{
	struct buf message = BUF_INIT;
	struct buf *family = options->format == FORMAT_PROTOBUF ? &message : to;
	size_t *at = memory_new((count + 1) * sizeof *at);
	struct family_part next;
	while ((next = next_part(pages, at, count)).family) {
		write_family(options, pages, at, count, &next, family);
		if (family->len)
			end_family(options, &message, to);
		if (sink)
			sink->take(sink->context, to);
	}
	if (options->format == FORMAT_OPENMETRICS)
		buf_add_string(to, "# EOF\n");
	if (sink)
		sink->take(sink->context, to);
	free(at);
	buf_done(&message);
}
