/* OpenMetrics 1.0 (https://prometheus.io/docs/specs/om/open_metrics_spec/). What differs from the text format: a
 * counter's family is named without _total, units, canonical bounds, exemplars, and the type info. (States are
 * gauges: a stateset has the family's name as the label of its states, and ours are labelled `state`.) */
#include "metrics/exposition.h"
#include "metrics/formats.h"

#include <stdio.h>
#include <stdlib.h>

static bool is_info(const struct family_part *part, struct text *name)
{
	struct text suffix = TEXT("_info");
	if (part->family->type != GAUGE || name->len <= suffix.len ||
	    memcmp(name->bytes + name->len - suffix.len, suffix.bytes, suffix.len) != 0)
		return false;
	name->len -= suffix.len;
	return true;
}

/* Escapes quotes, too; the rest is as in the text format. */
static void add_help(struct buf *to, struct text help)
{
	for (size_t i = 0; i < help.len; i++) {
		if (help.bytes[i] == '"')
			buf_add_char(to, '\\');
		buf_add_char(to, help.bytes[i]);
	}
}

static void add_metadata(struct buf *to, const char *what, struct text name)
{
	buf_add_string(to, what);
	buf_add_text(to, name);
	buf_add_char(to, ' ');
}

void openmetrics_header(const struct family_part *part, struct buf *to)
{
	struct text name = family_base_name(part);
	const char *type = is_info(part, &name) ? "info" : family_type_names[part->family->type];
	struct text unit = family_unit(name);
	add_metadata(to, "# TYPE ", name);
	buf_add_string(to, type);
	if (unit.len && strcmp(type, "info") != 0) {
		add_metadata(to, "\n# UNIT ", name);
		buf_add_text(to, unit);
	}
	add_metadata(to, "\n# HELP ", name);
	add_help(to, family_help(part->page, part->family));
	buf_add_char(to, '\n');
}

/* Writes the bound as Go prints it, so that the series is the same, no matter which program normalised it. Go prints
 * the fewest digits that read back as the same number. It uses an exponent below 1e-4 and from 1e6 on, and otherwise
 * always a decimal point. */
static void add_bound(struct buf *to, struct text bound)
{
	char text[32], number[32];
	text_to_string(bound, text, sizeof text);
	double value = strtod(text, NULL);
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(number, sizeof number, "%.*g", digits < 6 ? 6 : digits, value);
		if (value >= 1e6 || value < 1e-4)
			snprintf(number, sizeof number, "%.*e", digits - 1, value);
		if (strtod(number, NULL) == value)
			break;
	}
	bool is_infinite = text_equal(bound, TEXT("+Inf"));
	buf_add_string(to, is_infinite ? "+Inf" : value == 0 ? "0.0" : number);
	if (!is_infinite && value != 0 && !strpbrk(number, ".e"))
		buf_add_string(to, ".0");
}

static void add_number(struct buf *to, double value)
{
	char number[32];
	exposition_print(number, sizeof number, value);
	buf_add_string(to, number);
}

static void add_exemplar(struct buf *to, const struct exemplar *exemplar)
{
	buf_printf(to, " # {jobid=\"%u\"} ", exemplar->job);
	add_number(to, exemplar->value);
	buf_add_char(to, ' ');
	add_number(to, exemplar->time);
}

static void add_created(struct buf *to, const struct family_part *part, struct text labels)
{
	buf_add_text(to, family_base_name(part));
	buf_add_string(to, "_created");
	if (labels.len) {
		buf_add_char(to, '{');
		buf_add_text(to, labels);
		buf_add_char(to, '}');
	}
	buf_add_char(to, ' ');
	add_number(to, part->family->created);
	buf_add_char(to, '\n');
}

static void add_line(struct buf *to, const struct family_part *part, struct sample_line line)
{
	struct text le = part->family->type == HISTOGRAM ? line_take_le(&line) : TEXT("");
	buf_add_text(to, line.name);
	if (line.labels.len || le.len) {
		buf_add_char(to, '{');
		buf_add_text(to, line.labels);
		if (le.len) {
			buf_add_string(to, line.labels.len ? ",le=\"" : "le=\"");
			add_bound(to, le);
			buf_add_char(to, '"');
		}
		buf_add_char(to, '}');
	}
	buf_add_char(to, ' ');
	buf_add_text(to, line.value);
}

void openmetrics_samples(const struct family_part *part, bool has_created, struct buf *to)
{
	const struct sample_family *family = part->family;
	size_t exemplar = family->first_exemplar, exemplars = part_exemplars_end(part);
	bool is_created = has_created && family->created > 0 && family->type != GAUGE;
	if (family->type != HISTOGRAM && exemplar == exemplars && !is_created) { /* most of a page */
		buf_add(to, part->page->text.bytes + family->samples, family->end - family->samples);
		return;
	}
	struct sample_line line;
	for (size_t at = family->samples; part_next_line(part, &at, &line);) {
		add_line(to, part, line);
		if (exemplar < exemplars && part->page->exemplars[exemplar].at == line.end)
			add_exemplar(to, &part->page->exemplars[exemplar++]);
		buf_add_char(to, '\n');
		if (is_created && line_is_last(part, &line))
			add_created(to, part, line.labels);
	}
}
