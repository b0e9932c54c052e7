/* Answers in, page out, and a sample of the page: for tests of the whole pipeline. */
#pragma once

#include "check.h"
#include "cluster/fold.h"
#include "metrics/catalogue.h"
#include "poll/section.h"

#include <math.h>
#include <stdlib.h>

/* Reads one endpoint's answer into the cluster; it must be whole and have its list. */
static inline void page_feed(struct cluster *cluster, enum endpoint endpoint, const char *json, int64_t now)
{
	struct section_build build = {.cluster = cluster, .now = now};
	struct error err = {""};
	struct decoder *decoder = decoder_new(endpoint_table[endpoint].record, &cluster->vocabulary);
	build.built = section_start(endpoint, cluster, now);
	decoder_start(decoder, section_take(endpoint), &build);
	CHECK(decoder_feed(decoder, json, strlen(json), &err) && decoder_finish(decoder, &err));
	CHECK_STRING(err.text, "");
	CHECK(decoder_answer(decoder)->has_list);
	section_commit(endpoint, cluster, build.built);
	decoder_free(decoder);
}

/* The page, with what the exporter says of it; to be given back by buf_done. */
static inline struct buf page_per_node(struct cluster *cluster, const struct job_events *events, enum per_node per_node)
{
	static const struct exporter exporter;
	const struct page_facts facts = {
		.cluster = cluster, .exporter = &exporter, .events = events, .per_node = per_node};
	struct samples page = {.text = BUF_INIT};
	cluster_fold(cluster);
	catalogue_render(&facts, &page);
	struct buf text = page.text;
	page.text = (struct buf)BUF_INIT;
	samples_done(&page);
	return text;
}

static inline struct buf page_with(struct cluster *cluster, const struct job_events *events)
{
	return page_per_node(cluster, events, PER_NODE_DEFAULT);
}

static inline struct buf page_of(struct cluster *cluster)
{
	return page_with(cluster, NULL);
}

/* The value of a series, written as on the page: "a_total{b=\"c\"}"; NAN if it is not there. */
static inline double page_value(const struct buf *page, const char *series)
{
	size_t len = strlen(series);
	const char *at = page->bytes;
	while ((at = strstr(at, series)) && ((at != page->bytes && at[-1] != '\n') || at[len] != ' '))
		at++;
	return at ? strtod(at + len, NULL) : NAN;
}

struct page_sample {
	const char *series;
	double want; /* NAN: it must not be there */
};

/* Checks each sample against the cluster's page. */
static inline void page_check(struct cluster *cluster, const struct page_sample *rows, size_t count)
{
	struct buf page = page_of(cluster);
	for (size_t i = 0; i < count; i++) {
		check_row(rows[i].series);
		CHECK_NUMBER(page_value(&page, rows[i].series), rows[i].want);
	}
	buf_done(&page);
}
