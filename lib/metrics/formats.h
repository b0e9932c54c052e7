/* What scrapers read, made of one or more pages. */
#pragma once

#include "metrics/samples.h"

enum format { FORMAT_TEXT, FORMAT_OPENMETRICS, FORMAT_PROTOBUF, FORMATS };
extern const char *const format_names[FORMATS];

struct format_options {
	enum format format;
	uint32_t collect; /* bits of enum collected; 0: all */
	bool has_created; /* OpenMetrics: with a _created sample per counter and histogram */
};

/* Called with each piece of the output, which it may take away or leave in the buffer. NULL: all of it stays. */
struct format_sink {
	void (*take)(void *context, struct buf *piece);
	void *context;
};

/* The pages' families in the order of the catalogue, each once, with the samples of all of them. Appends to `to`. */
void format_write(const struct format_options *options, const struct samples *const *pages, size_t count,
		  struct buf *to, const struct format_sink *sink);

/* One family of a page while it is written. Only for the formats. */
struct family_part {
	const struct samples *page;
	const struct sample_family *family;
};
void openmetrics_header(const struct family_part *part, struct buf *to);
void openmetrics_samples(const struct family_part *part, bool has_created, struct buf *to);
void protobuf_header(const struct family_part *part, struct buf *to);
void protobuf_samples(const struct family_part *part, struct buf *to);

/* The unit that the name ends with, without its `_`; empty if it has none. */
struct text family_unit(struct text name);
/* Without _total. */
struct text family_base_name(const struct family_part *part);

/* The end of its exemplars and of its native histograms: where the next family's begin. */
size_t part_exemplars_end(const struct family_part *part);
size_t part_natives_end(const struct family_part *part);

/* One line of a page: `name{labels} value`, and where it ends. */
struct sample_line {
	struct text name, labels, value;
	size_t end; /* offset of the newline in the page */
};
bool part_next_line(const struct family_part *part, size_t *at, struct sample_line *ret_line);

/* Whether it is the last of its metric: a histogram's count. */
static inline bool line_is_last(const struct family_part *part, const struct sample_line *line)
{
	size_t suffix = sizeof "_count" - 1; /* longer than _sum, and not equal to _bucket */
	return part->family->type != HISTOGRAM || line->name.len == part->family->name_len + suffix;
}

/* Takes le="..." off a bucket's labels and returns its value. */
struct text line_take_le(struct sample_line *line);
