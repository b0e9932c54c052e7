#include "page/edition.h"

#include "base/clock.h"
#include "base/memory.h"
#include "metrics/scoped_samples.h"
#include "page/gzip.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

/* What one scope has of an edition. */
struct scoped {
	struct text key; /* the scope's; owned */
	struct edition *edition; /* a reference */
	struct scoped *next;
};

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
	struct scoped *scoped; /* one reference each */
	size_t scoped_count;
	atomic_size_t *scoped_bytes; /* of what all scopes have: samples and renditions; borrowed */
	size_t own_bytes; /* of its samples, if it is a scope's; then total_bytes is what scoped_bytes is of the whole one */
};

/* Of its samples. */
static size_t size_of_pages(const struct edition *edition)
{
	size_t size = edition->process.text.len;
	for (size_t i = 0; i < edition->count; i++)
		size += edition->pages[i]->samples.text.len;
	return size;
}

struct edition *edition_new(struct page **pages, const char **clusters, size_t count, struct samples *process,
			    const struct edition_sums *sums)
{
	struct edition *edition = NEW(struct edition);
	edition->pages = pages;
	edition->clusters = clusters;
	edition->count = count;
	edition->process = *process;
	edition->total_bytes = sums->total;
	edition->scoped_bytes = sums->scoped;
	*process = (struct samples){.text = BUF_INIT};
	edition->parts_made_max = RENDITION_BYTES_MAX + EDITION_TIMES * size_of_pages(edition);
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

static void forget_scoped(struct edition *edition, struct scoped **at)
{
	struct scoped *scoped = *at;
	*at = scoped->next;
	edition->scoped_count--;
	edition_release(scoped->edition);
	free((char *)scoped->key.bytes);
	free(scoped);
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
	while (edition->scoped)
		forget_scoped(edition, &edition->scoped);
	atomic_fetch_sub(edition->total_bytes, edition->own_bytes);
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
		edition->parts_made += made + PART_BYTES_MIN;
	buf_shrink(&rendition->bytes);
	free(pages);
	return rendition;
}

/* What is made for some only. */
static bool is_bounded(const struct edition *edition, const struct rendition_options *options)
{
	return is_part(options) || edition->own_bytes;
}

static bool is_full(const struct edition *edition)
{
	return edition->own_bytes ? atomic_load(edition->total_bytes) - edition->own_bytes >= SCOPED_BYTES_MAX
				  : edition->part_bytes >= RENDITION_BYTES_MAX;
}

/* That nobody reads just now. */
static void forget_parts(struct edition *edition)
{
	for (struct rendition **at = &edition->renditions; *at;)
		if (is_bounded(edition, &(*at)->options) && atomic_load(&(*at)->readers) == 1)
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
		if (is_bounded(edition, options) && is_full(edition))
			forget_parts(edition);
		if (is_bounded(edition, options) && is_full(edition)) {
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

static bool lock(struct edition *edition, uint64_t deadline_ns, struct error *err)
{
	const struct timespec deadline = {.tv_sec = (time_t)(deadline_ns / 1000000000u),
					  .tv_nsec = (long)(deadline_ns % 1000000000u)};
	return pthread_mutex_clocklock(&edition->lock, CLOCK_MONOTONIC, &deadline) == 0 ||
	       error_set(err, "the server is busy with other scrapes: try again later");
}

struct rendition *edition_render(struct edition *edition, const struct rendition_options *options, uint64_t deadline_ns,
				 struct error *err)
{
	if (!lock(edition, deadline_ns, err))
		return NULL;
	struct rendition *rendition = find_or_make(edition, options, deadline_ns, err);
	pthread_mutex_unlock(&edition->lock);
	return rendition;
}

static struct edition *make_scoped(const struct edition *all, const struct scope *scope)
{
	struct page **pages = memory_new((all->count + 1) * sizeof *pages);
	const char **clusters = memory_new((all->count + 1) * sizeof *clusters);
	struct samples none = {.text = BUF_INIT};
	size_t count = 0;
	for (size_t i = 0; i < all->count; i++) {
		struct samples samples;
		const char *name = all->clusters[i] ? all->clusters[i] : all->pages[i]->status->name;
		if (!scope_has_cluster(scope, text_of(name)))
			continue;
		scoped_samples(&all->pages[i]->samples, scope, &samples);
		clusters[count] = all->clusters[i];
		pages[count++] = page_new(&samples, NULL);
	}
	const struct edition_sums sums = {all->scoped_bytes, all->scoped_bytes};
	struct edition *edition = edition_new(pages, clusters, count, &none, &sums);
	edition->own_bytes = sizeof *edition + size_of_pages(edition);
	edition->parts_made_max -= RENDITION_BYTES_MAX - SCOPED_PARTS_BYTES;
	atomic_fetch_add(edition->total_bytes, edition->own_bytes);
	return edition;
}

/* Of those that nobody reads just now. */
static void forget_scopes(struct edition *edition)
{
	for (struct scoped **at = &edition->scoped; *at;)
		if (atomic_load(&(*at)->edition->readers) == 1)
			forget_scoped(edition, at);
		else
			at = &(*at)->next;
}

/* Renditions do not count: else one client that does not read its own could keep all others out. */
static bool has_room(const struct edition *edition)
{
	size_t bytes = 0;
	for (const struct scoped *scoped = edition->scoped; scoped; scoped = scoped->next)
		bytes += scoped->edition->own_bytes;
	return edition->scoped_count < SCOPES_MAX && bytes < RENDITION_BYTES_MAX;
}

static struct edition *find_or_make_scoped(struct edition *edition, const struct scope *scope, struct error *err)
{
	struct text key = buf_text(&scope->key);
	if (atomic_load(edition->scoped_bytes) >= SCOPED_BYTES_MAX)
		forget_scopes(edition);
	struct scoped *scoped = edition->scoped;
	while (scoped && !text_equal(scoped->key, key))
		scoped = scoped->next;
	if (!scoped && !has_room(edition))
		forget_scopes(edition);
	if (!scoped && !has_room(edition)) {
		error_set(err, "clients read too many pages: try again later");
		return NULL;
	}
	if (!scoped) {
		scoped = NEW(struct scoped);
		*scoped = (struct scoped){.key = {memory_copy(key.bytes, key.len), key.len},
					  .edition = make_scoped(edition, scope),
					  .next = edition->scoped};
		edition->scoped = scoped;
		edition->scoped_count++;
	}
	return edition_hold(scoped->edition);
}

struct edition *edition_scoped(struct edition *edition, const struct scope *scope, uint64_t deadline_ns,
			       struct error *err)
{
	if (!lock(edition, deadline_ns, err))
		return NULL;
	struct edition *scoped = find_or_make_scoped(edition, scope, err);
	pthread_mutex_unlock(&edition->lock);
	return scoped;
}
