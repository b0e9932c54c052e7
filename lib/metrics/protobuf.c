/* io.prometheus.client.MetricFamily, each message preceded by its length: what Prometheus reads native histograms from
 * (https://github.com/prometheus/client_model). The numbers are those of that schema's members. */
#include "metrics/formats.h"

#include <stdlib.h>

enum wire { VARINT = 0, DOUBLE = 1, BYTES = 2 };

enum { FAMILY_NAME = 1, FAMILY_HELP, FAMILY_TYPE, FAMILY_METRIC, FAMILY_UNIT };
enum { METRIC_LABEL = 1, METRIC_GAUGE = 2, METRIC_COUNTER = 3, METRIC_HISTOGRAM = 7 };
enum { LABEL_NAME = 1, LABEL_VALUE };
enum { VALUE = 1, COUNTER_EXEMPLAR = 2, COUNTER_CREATED = 3 };
enum { EXEMPLAR_LABEL = 1, EXEMPLAR_VALUE, EXEMPLAR_TIME };
enum { TIME_SECONDS = 1, TIME_NANOSECONDS };
enum { BUCKET_COUNT = 1, BUCKET_BOUND, BUCKET_EXEMPLAR };
enum { SPAN_OFFSET = 1, SPAN_LENGTH };
enum {
	HISTOGRAM_COUNT = 1,
	HISTOGRAM_SUM = 2,
	HISTOGRAM_BUCKET = 3,
	HISTOGRAM_SCHEMA = 5,
	HISTOGRAM_ZERO_THRESHOLD = 6,
	HISTOGRAM_ZERO_COUNT = 7,
	HISTOGRAM_POSITIVE_SPAN = 12,
	HISTOGRAM_POSITIVE_DELTA = 13,
	HISTOGRAM_CREATED = 15,
};

static const uint64_t type_numbers[] = {[COUNTER] = 0, [GAUGE] = 1, [HISTOGRAM] = 4};

/* client_golang's. */
#define ZERO_THRESHOLD 0x1p-128

static void varint(struct buf *to, uint64_t number)
{
	char *bytes = buf_reserve(to, 10);
	size_t len = 0;
	for (; number > 0x7f; number >>= 7)
		bytes[len++] = (char)((number & 0x7f) | 0x80);
	bytes[len++] = (char)number;
	to->len += len;
}

static void key(struct buf *to, unsigned member, enum wire wire)
{
	varint(to, member << 3 | (unsigned)wire);
}

static void add_unsigned(struct buf *to, unsigned member, uint64_t number)
{
	key(to, member, VARINT);
	varint(to, number);
}

/* Encodes small negative numbers as short ones. */
static uint64_t zigzag(int64_t number)
{
	return (uint64_t)number << 1 ^ (number < 0 ? UINT64_MAX : 0);
}

static void add_double(struct buf *to, unsigned member, double number)
{
	uint64_t bits;
	char *bytes;
	memcpy(&bits, &number, sizeof bits);
	key(to, member, DOUBLE);
	bytes = buf_reserve(to, 8);
	for (int i = 0; i < 8; i++)
		bytes[i] = (char)(bits >> 8 * i);
	to->len += 8;
}

static void add_bytes(struct buf *to, unsigned member, struct text bytes)
{
	key(to, member, BYTES);
	varint(to, bytes.len);
	buf_add_text(to, bytes);
}

/* Everything from `begin` on is the member's message: puts its number and length before it. */
static void end_message(struct buf *to, unsigned member, size_t begin)
{
	char head[20];
	struct buf message = {head, 0, sizeof head};
	size_t len = to->len - begin;
	key(&message, member, BYTES);
	varint(&message, len);
	buf_reserve(to, message.len);
	memmove(to->bytes + begin + message.len, to->bytes + begin, len);
	memcpy(to->bytes + begin, head, message.len);
	to->len += message.len;
}

static void add_label(struct buf *to, unsigned member, struct text name, struct text value)
{
	size_t begin = to->len;
	add_bytes(to, LABEL_NAME, name);
	add_bytes(to, LABEL_VALUE, value);
	end_message(to, member, begin);
}

/* Takes one `name="value"` off the front, and removes the escapes from the value. */
static void take_label(struct text *labels, struct buf *value, struct buf *to)
{
	struct text name = text_cut(labels, '=');
	const char *at = labels->bytes + 1, *end = labels->bytes + labels->len;
	buf_clear(value);
	for (; at < end && *at != '"'; at++) {
		if (*at == '\\' && at + 1 < end)
			at++, buf_add_char(value, *at == 'n' ? '\n' : *at);
		else
			buf_add_char(value, *at);
	}
	add_label(to, METRIC_LABEL, name, buf_text(value));
	at += at + 1 < end ? 2 : 1; /* the quote, and the comma */
	*labels = at < end ? (struct text){at, (size_t)(end - at)} : TEXT("");
}

static void add_labels(struct buf *to, struct text labels)
{
	struct buf value = BUF_INIT;
	while (labels.len)
		take_label(&labels, &value, to);
	buf_done(&value);
}

static void add_time(struct buf *to, unsigned member, double time)
{
	size_t begin = to->len;
	int64_t seconds = (int64_t)time;
	uint64_t nanoseconds = (uint64_t)((time - (double)seconds) * 1e9);
	add_unsigned(to, TIME_SECONDS, (uint64_t)seconds);
	if (nanoseconds)
		add_unsigned(to, TIME_NANOSECONDS, nanoseconds);
	end_message(to, member, begin);
}

static void add_exemplar(struct buf *to, unsigned member, const struct exemplar *exemplar)
{
	char digits[16], *end = digits + sizeof digits, *first = end;
	uint32_t job = exemplar->job;
	size_t begin = to->len;
	do
		*--first = (char)('0' + job % 10);
	while (job /= 10);
	add_label(to, EXEMPLAR_LABEL, TEXT("jobid"), (struct text){first, (size_t)(end - first)});
	add_double(to, EXEMPLAR_VALUE, exemplar->value);
	add_time(to, EXEMPLAR_TIME, exemplar->time);
	end_message(to, member, begin);
}

static double number_of(struct text text)
{
	char number[32];
	text_to_string(text, number, sizeof number);
	return strtod(number, NULL);
}

void protobuf_header(const struct family_part *part, struct buf *to)
{
	struct text unit = family_unit(family_base_name(part));
	add_bytes(to, FAMILY_NAME, family_name(part->page, part->family));
	struct text help = family_help(part->page, part->family);
	add_bytes(to, FAMILY_HELP, help);
	add_unsigned(to, FAMILY_TYPE, type_numbers[part->family->type]);
	if (unit.len)
		add_bytes(to, FAMILY_UNIT, unit);
}

/* The next exemplar and native histogram of a family. */
struct notes {
	size_t exemplar, exemplars, native, natives;
};

static void add_exemplar_at(struct buf *to, const struct family_part *part, struct notes *notes, unsigned member,
			    size_t line_end)
{
	const struct exemplar *exemplars = part->page->exemplars;
	if (notes->exemplar < notes->exemplars && exemplars[notes->exemplar].at == line_end)
		add_exemplar(to, member, &exemplars[notes->exemplar++]);
}

static void add_simple(struct buf *to, const struct family_part *part, struct notes *notes,
		       const struct sample_line *line)
{
	bool is_counter = part->family->type == COUNTER;
	size_t begin = to->len;
	add_double(to, VALUE, number_of(line->value));
	if (is_counter) {
		add_exemplar_at(to, part, notes, COUNTER_EXEMPLAR, line->end);
		if (part->family->created > 0)
			add_time(to, COUNTER_CREATED, part->family->created);
	}
	end_message(to, is_counter ? METRIC_COUNTER : METRIC_GAUGE, begin);
}

/* Consecutive indexes form a span; each count is written as the difference to the one before. */
static void add_native(struct buf *to, const struct native_bucket *buckets, size_t count)
{
	uint64_t zeros = 0;
	struct buf deltas = BUF_INIT;
	if (count && buckets->index == NATIVE_ZERO) {
		zeros = buckets->count;
		buckets++;
		count--;
	}
	add_unsigned(to, HISTOGRAM_SCHEMA, zigzag(NATIVE_SCHEMA));
	add_double(to, HISTOGRAM_ZERO_THRESHOLD, ZERO_THRESHOLD);
	add_unsigned(to, HISTOGRAM_ZERO_COUNT, zeros);
	int64_t next = 0, before = 0;
	for (size_t i = 0, length; i < count; i += length) {
		size_t begin = to->len;
		length = 0;
		while (i + length < count && buckets[i + length].index == buckets[i].index + (int64_t)length) {
			int64_t now = (int64_t)buckets[i + length++].count;
			varint(&deltas, zigzag(now - before));
			before = now;
		}
		add_unsigned(to, SPAN_OFFSET, zigzag(buckets[i].index - next));
		add_unsigned(to, SPAN_LENGTH, length);
		end_message(to, HISTOGRAM_POSITIVE_SPAN, begin);
		next = buckets[i].index + (int64_t)length;
	}
	if (deltas.len)
		add_bytes(to, HISTOGRAM_POSITIVE_DELTA, buf_text(&deltas));
	buf_done(&deltas);
}

static uint64_t count_of(const struct sample_line *line)
{
	uint64_t count = 0;
	text_to_u64(line->value, &count);
	return count;
}

/* The lines from the first bucket to the count. */
static void add_histogram(struct buf *to, const struct family_part *part, struct notes *notes, struct sample_line line,
			  size_t *at)
{
	const struct samples *page = part->page;
	size_t begin = to->len;
	struct text le;
	do {
		le = line_take_le(&line);
		if (le.len) {
			size_t bucket = to->len;
			add_unsigned(to, BUCKET_COUNT, count_of(&line));
			add_double(to, BUCKET_BOUND, number_of(le));
			add_exemplar_at(to, part, notes, BUCKET_EXEMPLAR, line.end);
			end_message(to, HISTOGRAM_BUCKET, bucket);
		} else if (line_is_last(part, &line)) {
			add_unsigned(to, HISTOGRAM_COUNT, count_of(&line));
			break;
		} else {
			add_double(to, HISTOGRAM_SUM, number_of(line.value));
		}
	} while (part_next_line(part, at, &line));
	if (notes->native < notes->natives && page->natives[notes->native].at == line.end) {
		const struct native *native = &page->natives[notes->native++];
		add_native(to, &page->native_buckets[native->first], native->count);
	}
	if (part->family->created > 0)
		add_time(to, HISTOGRAM_CREATED, part->family->created);
	end_message(to, METRIC_HISTOGRAM, begin);
}

void protobuf_samples(const struct family_part *part, struct buf *to)
{
	const struct sample_family *family = part->family;
	struct notes notes = {family->first_exemplar, part_exemplars_end(part), family->first_native,
			      part_natives_end(part)};
	struct sample_line line;
	for (size_t at = family->samples; part_next_line(part, &at, &line);) {
		size_t begin = to->len;
		struct sample_line own = line;
		if (family->type == HISTOGRAM)
			line_take_le(&own);
		add_labels(to, own.labels);
		if (family->type == HISTOGRAM)
			add_histogram(to, part, &notes, line, &at);
		else
			add_simple(to, part, &notes, &line);
		end_message(to, FAMILY_METRIC, begin);
	}
}
