#include "page/edition.h"

#include "base/clock.h"
#include "base/memory.h"
#include "page/gzip.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct edition {
	atomic_uint readers;
	struct page **pages; /* one reference each */
	const char **clusters;
	size_t count;
	struct samples process;
	pthread_mutex_t lock; /* of the renditions */
	struct rendition *renditions; /* one reference each */
	size_t part_bytes; /* of those that are not of the whole page */
	size_t parts_made, parts_made_max; /* their bytes before compression, also of those that are gone */
	atomic_size_t bytes; /* of all of them */
	atomic_size_t *total_bytes; /* of those of all editions; borrowed */
};

struct edition *edition_new(struct page **pages, const char **clusters, size_t count, struct samples *process,
			    atomic_size_t *total_bytes)
{
	struct edition *edition = NEW(struct edition);
	edition->pages = pages;
	edition->clusters = clusters;
	edition->count = count;
	edition->process = *process;
	edition->total_bytes = total_bytes;
	*process = (struct samples){.text = BUF_INIT};
	size_t size = edition->process.text.len;
	for (size_t i = 0; i < count; i++)
		size += pages[i]->samples.text.len;
	edition->parts_made_max = RENDITION_BYTES_MAX + EDITION_TIMES * size;
	pthread_mutex_init(&edition->lock, NULL);
	atomic_init(&edition->readers, 1);
	return edition;
}

struct edition *edition_hold(struct edition *edition)
{
	atomic_fetch_add(&edition->readers, 1);
	return edition;
}

size_t edition_bytes(const struct edition *edition)
{
	return atomic_load(&edition->bytes);
}

static bool is_part(const struct rendition_options *options)
{
	return options->page || options->format.collect;
}

static size_t size_of(const struct rendition *rendition)
{
	return sizeof *rendition + rendition->bytes.len;
}

static void forget(struct edition *edition, struct rendition **at)
{
	struct rendition *rendition = *at;
	*at = rendition->next;
	atomic_fetch_sub(&edition->bytes, size_of(rendition));
	if (is_part(&rendition->options))
		edition->part_bytes -= size_of(rendition);
	rendition_release(rendition);
}

void edition_release(void *borrowed)
{
	struct edition *edition = borrowed;
	if (!edition || atomic_fetch_sub(&edition->readers, 1) > 1)
		return;
	for (size_t i = 0; i < edition->count; i++)
		page_release(edition->pages[i]);
	while (edition->renditions)
		forget(edition, &edition->renditions);
	samples_done(&edition->process);
	pthread_mutex_destroy(&edition->lock);
	free(edition->pages);
	free(edition->clusters);
	free(edition);
}

const struct page *edition_page(const struct edition *edition, struct text cluster)
{
	for (size_t i = 0; i < edition->count; i++)
		if (edition->clusters[i] && text_equal(text_of(edition->clusters[i]), cluster))
			return edition->pages[i];
	return NULL;
}

void rendition_release(void *borrowed)
{
	struct rendition *rendition = borrowed;
	if (!rendition || atomic_fetch_sub(&rendition->readers, 1) > 1)
		return;
	atomic_fetch_sub(rendition->total_bytes, size_of(rendition));
	buf_done(&rendition->bytes);
	free(rendition);
}

static bool is_same(const struct rendition_options *a, const struct rendition_options *b)
{
	return a->format.format == b->format.format && a->format.collect == b->format.collect &&
	       a->format.has_created == b->format.has_created && a->is_gzip == b->is_gzip && a->page == b->page;
}

struct compressor {
	struct gzip *gzip;
	size_t bytes; /* that it was given */
};

static void compress(void *context, struct buf *piece)
{
	struct compressor *compressor = context;
	if (piece->len)
		gzip_add(compressor->gzip, piece->bytes, piece->len);
	compressor->bytes += piece->len;
	buf_clear(piece);
}

static struct rendition *rendition_new(struct edition *edition, const struct rendition_options *options)
{
	struct rendition *rendition = NEW(struct rendition);
	const struct samples **pages = memory_new((edition->count + 1) * sizeof *pages);
	size_t count = 0, made;
	atomic_init(&rendition->readers, 1);
	rendition->total_bytes = edition->total_bytes;
	rendition->options = *options;
	for (size_t i = 0; i < edition->count; i++)
		if (!options->page || edition->pages[i] == options->page)
			pages[count++] = &edition->pages[i]->samples;
	if (!options->page)
		pages[count++] = &edition->process;
	if (options->is_gzip) {
		struct buf piece = BUF_INIT;
		struct compressor compressor = {.gzip = gzip_new(&rendition->bytes)};
		const struct format_sink sink = {compress, &compressor};
		format_write(&options->format, pages, count, &piece, &sink);
		gzip_end(compressor.gzip);
		buf_done(&piece);
		made = compressor.bytes;
	} else {
		format_write(&options->format, pages, count, &rendition->bytes, NULL);
		made = rendition->bytes.len;
	}
	if (is_part(options))
		edition->parts_made += made;
	buf_shrink(&rendition->bytes);
	free(pages);
	return rendition;
}

/* That nobody reads just now. */
static void forget_parts(struct edition *edition)
{
	for (struct rendition **at = &edition->renditions; *at;)
		if (is_part(&(*at)->options) && atomic_load(&(*at)->readers) == 1)
			forget(edition, at);
		else
			at = &(*at)->next;
}

static void keep(struct edition *edition, struct rendition *rendition)
{
	size_t size = size_of(rendition);
	atomic_fetch_add(edition->total_bytes, size);
	atomic_fetch_add(&edition->bytes, size);
	if (is_part(&rendition->options))
		edition->part_bytes += size;
	rendition->next = edition->renditions;
	edition->renditions = rendition;
}

static struct rendition *find_or_make(struct edition *edition, const struct rendition_options *options,
				      uint64_t deadline_ns, struct error *err)
{
	struct rendition *rendition = edition->renditions;
	while (rendition && !is_same(&rendition->options, options))
		rendition = rendition->next;
	if (!rendition && clock_monotonic_ns() >= deadline_ns) {
		error_set(err, "the server was busy with other scrapes until the timeout of this one was over");
		return NULL;
	}
	if (!rendition) {
		if (is_part(options) && edition->part_bytes >= RENDITION_BYTES_MAX)
			forget_parts(edition);
		if (is_part(options) && edition->part_bytes >= RENDITION_BYTES_MAX) {
			error_set(err, "clients read too many parts of the page: try again later");
			return NULL;
		}
		if (is_part(options) && edition->parts_made >= edition->parts_made_max) {
			error_set(err,
				  "clients ask for too many different parts of the page: try again in a few seconds");
			return NULL;
		}
		rendition = rendition_new(edition, options);
		keep(edition, rendition);
	}
	atomic_fetch_add(&rendition->readers, 1);
	return rendition;
}

struct rendition *edition_render(struct edition *edition, const struct rendition_options *options, uint64_t deadline_ns,
				 struct error *err)
{
	const struct timespec deadline = {.tv_sec = (time_t)(deadline_ns / 1000000000u),
					  .tv_nsec = (long)(deadline_ns % 1000000000u)};
	if (pthread_mutex_clocklock(&edition->lock, CLOCK_MONOTONIC, &deadline) != 0) {
		error_set(err, "the server is busy with other scrapes: try again later");
		return NULL;
	}
	struct rendition *rendition = find_or_make(edition, options, deadline_ns, err);
	pthread_mutex_unlock(&edition->lock);
	return rendition;
}
