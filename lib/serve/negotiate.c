#include "serve/negotiate.h"

#include <ctype.h>
#include <strings.h>

static struct text trim(struct text text)
{
	while (text.len && strchr(" \t", text.bytes[0]))
		text = (struct text){text.bytes + 1, text.len - 1};
	while (text.len && strchr(" \t", text.bytes[text.len - 1]))
		text.len--;
	return text;
}

static bool is(struct text text, const char *name)
{
	return text.len == strlen(name) && strncasecmp(text.bytes, name, text.len) == 0;
}

/* "0.5" is 500. What is not a weight is none at all: the range is passed over. */
static bool read_weight(struct text text, int *ret_weight)
{
	int weight = 0;
	if (!text.len || text.len > 5 || (text.bytes[0] != '0' && text.bytes[0] != '1') ||
	    (text.len > 1 && text.bytes[1] != '.'))
		return false;
	for (size_t i = 0; i < 5; i++) {
		char c = '0';
		if (i == 1)
			continue;
		if (i < text.len)
			c = text.bytes[i];
		if (!isdigit((unsigned char)c))
			return false;
		weight = weight * 10 + (c - '0');
	}
	*ret_weight = weight;
	return weight <= 1000;
}

/* One entry of a list: a name, and its parameters by name. */
struct range {
	struct text name, parameters;
	int weight; /* thousandths */
};

static struct text parameter(const struct range *range, const char *name)
{
	struct text rest = range->parameters, one;
	while (text_next(&rest, ';', &one)) {
		struct text key = trim(text_cut(&one, '='));
		one = trim(one);
		if (!is(key, name))
			continue;
		if (one.len >= 2 && one.bytes[0] == '"' && one.bytes[one.len - 1] == '"')
			return (struct text){one.bytes + 1, one.len - 2};
		return one;
	}
	return TEXT("");
}

static bool next_range(struct text *rest, struct range *ret_range)
{
	struct text entry;
	while (text_next(rest, ',', &entry)) {
		ret_range->name = trim(text_cut(&entry, ';'));
		ret_range->parameters = entry;
		ret_range->weight = 1000;
		struct text weight = parameter(ret_range, "q");
		if (!weight.len || read_weight(weight, &ret_range->weight))
			return true;
	}
	return false;
}

/* The formats that slurmscope can write. */
enum offer { TEXT_0_0_4, TEXT_1_0_0, OPENMETRICS_1_0_0, PROTOBUF, OFFERS };

/* Our names are the same whatever way of escaping is asked for; the first: none is. */
enum { WAYS = 5 };
static const char *const ways[WAYS] = {"", "allow-utf-8", "underscores", "dots", "values"};
#define IN_ALL_WAYS(type)                                                                                              \
	{                                                                                                              \
		type, type "; escaping=allow-utf-8", type "; escaping=underscores", type "; escaping=dots",            \
			type "; escaping=values"                                                                       \
	}

static const struct {
	enum format format;
	const char *types[WAYS];
} offers[OFFERS] = {
	[TEXT_0_0_4] = {FORMAT_TEXT, IN_ALL_WAYS("text/plain; version=0.0.4; charset=utf-8")},
	[TEXT_1_0_0] = {FORMAT_TEXT, IN_ALL_WAYS("text/plain; version=1.0.0; charset=utf-8")},
	[OPENMETRICS_1_0_0] = {FORMAT_OPENMETRICS,
			       IN_ALL_WAYS("application/openmetrics-text; version=1.0.0; charset=utf-8")},
	[PROTOBUF] = {FORMAT_PROTOBUF, IN_ALL_WAYS("application/vnd.google.protobuf; "
						   "proto=io.prometheus.client.MetricFamily; encoding=delimited")},
};

/* What a media range asks for. */
struct wish {
	enum offer offer;
	bool is_exact; /* not by a wildcard */
	int way, weight;
};

static int way_of(const struct range *range)
{
	struct text asked = parameter(range, "escaping");
	int way = WAYS - 1;
	while (way && !is(asked, ways[way]))
		way--;
	return way;
}

static bool read_wish(const struct range *range, struct wish *ret_wish)
{
	struct text version = parameter(range, "version");
	*ret_wish = (struct wish){TEXT_0_0_4, true, way_of(range), range->weight};
	if (is(range->name, "application/vnd.google.protobuf")) {
		ret_wish->offer = PROTOBUF;
		return is(parameter(range, "proto"), "io.prometheus.client.MetricFamily") &&
		       is(parameter(range, "encoding"), "delimited");
	}
	if (is(range->name, "application/openmetrics-text")) {
		ret_wish->offer = OPENMETRICS_1_0_0;
		return !version.len || is(version, "1.0.0");
	}
	if (is(range->name, "text/plain")) {
		ret_wish->offer = is(version, "1.0.0") ? TEXT_1_0_0 : TEXT_0_0_4;
		return !version.len || is(version, "1.0.0") || is(version, "0.0.4");
	}
	ret_wish->is_exact = false;
	return is(range->name, "*/*") || is(range->name, "text/*");
}

struct negotiated negotiate(const char *accept)
{
	struct wish best = {.offer = TEXT_0_0_4}, wish;
	struct text rest = text_of(accept);
	struct range range;
	while (next_range(&rest, &range)) {
		if (!read_wish(&range, &wish) || wish.weight < best.weight || !wish.weight)
			continue;
		/* of two that are as good the first, but one that is named before a wildcard */
		if (wish.weight > best.weight || (wish.is_exact && !best.is_exact))
			best = wish;
	}
	return (struct negotiated){offers[best.offer].format, offers[best.offer].types[best.way]};
}

bool negotiate_gzip(const char *accept_encoding)
{
	struct text rest = text_of(accept_encoding);
	struct range range;
	int named = -1, any = -1;
	while (next_range(&rest, &range)) {
		if (is(range.name, "gzip") || is(range.name, "x-gzip"))
			named = range.weight;
		else if (is(range.name, "*"))
			any = range.weight;
	}
	return named >= 0 ? named > 0 : any > 0;
}
