/* A cluster that is made of answers, and its page in all formats: for targets that look at pages. */
#pragma once

#include "fuzz.h"
#include "page_reader.h"

#include "cluster/fold.h"
#include "metrics/catalogue.h"
#include "metrics/formats.h"
#include "poll/section.h"

enum { WORLD_NOW = 1800000000 };

/* Each endpoint's decoder, as in the daemon, but for names that were learned: these go with the cluster. */
static inline bool world_feed(struct cluster *cluster, enum endpoint endpoint, struct text json)
{
	struct section_build build = {.cluster = cluster, .now = WORLD_NOW};
	struct error err = {""};
	struct decoder *decoder = decoder_new(endpoint_table[endpoint].record, &cluster->vocabulary);
	build.built = section_start(endpoint, cluster, WORLD_NOW);
	decoder_start(decoder, section_take(endpoint), &build);
	bool is_right = decoder_feed(decoder, json.bytes, json.len, &err) && decoder_finish(decoder, &err) &&
			decoder_answer(decoder)->has_list;
	if (is_right)
		section_commit(endpoint, cluster, build.built);
	else
		section_discard(endpoint, build.built);
	decoder_free(decoder);
	return is_right;
}

static inline void world_render(struct cluster *cluster, const struct job_events *events, struct samples *page)
{
	static const struct exporter exporter;
	const struct page_facts facts = {.cluster = cluster,
					 .exporter = &exporter,
					 .events = events,
					 .now = WORLD_NOW,
					 .per_node = PER_NODE_FULL};
	cluster_fold(cluster);
	catalogue_render(&facts, page);
}

static inline void world_require_right(struct text page, page_line_fn *take, void *context)
{
	const char *wrong = page_read(page, take, context);
	if (wrong)
		fprintf(stderr, "the page is wrong: %s\n%.*s\n", wrong, (int)page.len, page.bytes);
	REQUIRE(!wrong);
}

/* The page as scrapers get it; to be given back by buf_done. */
static inline struct buf world_format(const struct samples *page, enum format format)
{
	const struct format_options options = {.format = format, .has_created = true};
	struct buf bytes = BUF_INIT;
	format_write(&options, &page, 1, &bytes, NULL);
	return bytes;
}
