#include "page/edition.h"

#include "base/memory.h"
#include "metrics/catalogue.h"
#include "page/gzip.h"
#include "page/process.h"
#include "web/http_server.h"

#include <stdlib.h>
#include <time.h>

struct edition {
	atomic_uint readers;
	struct page_board *board;
	bool is_old; /* the board has something newer; of its lock */
	struct page **pages; /* one reference each */
	const char **clusters;
	size_t count;
	struct samples process;
	pthread_mutex_t lock; /* of the renditions */
	struct rendition *renditions; /* one reference each */
	size_t part_bytes; /* of those that are not of the whole page */
	atomic_size_t bytes; /* of all of them */
};

static const char *const scrape_codes[SCRAPE_CODES] = {
	[SCRAPE_OK] = "200", [SCRAPE_BAD_REQUEST] = "400", [SCRAPE_NOT_READY] = "503"};

static void take_pages(struct edition *edition, struct page_board *board)
{
	size_t count = 0;
	for (const struct page_slot *slot = board->first; slot; slot = slot->next)
		count++;
	edition->pages = memory_new((count + 1) * sizeof *edition->pages);
	edition->clusters = memory_new((count + 1) * sizeof *edition->clusters);
	for (const struct page_slot *slot = board->first; slot; slot = slot->next) {
		if (!slot->page)
			continue;
		atomic_fetch_add(&slot->page->readers, 1);
		edition->clusters[edition->count] = slot->cluster;
		edition->pages[edition->count++] = slot->page;
	}
}

static void take_web(struct exporter_web *web, struct http_server *server)
{
	struct web_facts facts;
	*web = (struct exporter_web){.is_there = server != NULL};
	if (!server)
		return;
	http_server_facts(server, &facts);
	web->has_config = facts.has_config;
	web->is_config_good = facts.is_config_good;
	web->config_read = facts.config_read;
	web->certificate_expiry = facts.certificate_expiry;
	web->connections = facts.connections;
	web->dropped[0] = (struct exporter_count){"crowded", facts.crowded_out};
	web->dropped[1] = (struct exporter_count){"slow", facts.overdue};
	web->refused[0] = (struct exporter_count){"401", facts.refused};
	web->refused[1] = (struct exporter_count){"429", facts.limited};
	web->refused[2] = (struct exporter_count){"503", facts.busy};
}

static void take_process(struct edition *edition, struct page_board *board)
{
	struct exporter_process *process = &board->process;
	struct exporter_scrapes *row = process->scrapes;
	for (int format = 0; format < FORMATS; format++)
		for (int code = 0; code < SCRAPE_CODES; code++)
			*row++ = (struct exporter_scrapes){format_names[format], scrape_codes[code],
							   atomic_load(&board->scrapes[format][code])};
	process_read(process);
	take_web(&process->web, atomic_load(&board->server));
	const struct view view = {.process = process, .labels = board->labels};
	catalogue_render_process(&view, &edition->process);
}

static struct edition *edition_new(struct page_board *board)
{
	struct edition *edition = NEW(struct edition);
	edition->board = board;
	take_pages(edition, board);
	take_process(edition, board);
	pthread_mutex_init(&edition->lock, NULL);
	atomic_init(&edition->readers, 1);
	return edition;
}

static bool is_part(const struct rendition_options *options)
{
	return options->page || options->format.collect;
}

static size_t size_of(const struct rendition *rendition)
{
	return sizeof *rendition + rendition->bytes.len;
}

static bool has_pages(const struct page_board *board)
{
	const struct page_slot *slot = board->first;
	while (slot && !slot->page)
		slot = slot->next;
	return slot != NULL;
}

struct edition *edition_borrow(struct page_board *board)
{
	pthread_mutex_lock(&board->lock);
	struct edition *old = board->edition && board->edition->is_old ? edition_retire(board) : NULL;
	if (!board->edition && has_pages(board))
		board->edition = edition_new(board);
	struct edition *edition = board->edition;
	if (edition)
		atomic_fetch_add(&edition->readers, 1);
	pthread_mutex_unlock(&board->lock);
	edition_unref(old);
	return edition;
}

struct edition *edition_retire(struct page_board *board)
{
	struct edition *edition = board->edition;
	if (!edition)
		return NULL;
	edition->is_old = true; /* and edition_borrow tries again */
	if (atomic_load(&board->rendition_bytes) - atomic_load(&edition->bytes) >= RENDITION_BYTES_MAX)
		return NULL;
	board->edition = NULL;
	return edition;
}

static void forget(struct edition *edition, struct rendition **at)
{
	struct rendition *rendition = *at;
	*at = rendition->next;
	atomic_fetch_sub(&edition->bytes, size_of(rendition));
	if (is_part(&rendition->options))
		edition->part_bytes -= size_of(rendition);
	rendition_unref(rendition);
}

void edition_unref(void *borrowed)
{
	struct edition *edition = borrowed;
	if (!edition || atomic_fetch_sub(&edition->readers, 1) > 1)
		return;
	for (size_t i = 0; i < edition->count; i++)
		page_unref(edition->pages[i]);
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

void rendition_unref(void *borrowed)
{
	struct rendition *rendition = borrowed;
	if (!rendition || atomic_fetch_sub(&rendition->readers, 1) > 1)
		return;
	atomic_fetch_sub(&rendition->board->rendition_bytes, size_of(rendition));
	buf_done(&rendition->bytes);
	free(rendition);
}

static bool is_same(const struct rendition_options *a, const struct rendition_options *b)
{
	return a->format.format == b->format.format && a->format.collect == b->format.collect &&
	       a->format.has_created == b->format.has_created && a->is_gzip == b->is_gzip &&
	       a->page == b->page;
}

static void compress(void *gzip, struct buf *piece)
{
	if (piece->len)
		gzip_add(gzip, piece->bytes, piece->len);
	buf_clear(piece);
}

static struct rendition *rendition_new(const struct edition *edition, const struct rendition_options *options)
{
	struct rendition *rendition = NEW(struct rendition);
	const struct samples **pages = memory_new((edition->count + 1) * sizeof *pages);
	size_t count = 0;
	atomic_init(&rendition->readers, 1);
	rendition->board = edition->board;
	rendition->options = *options;
	for (size_t i = 0; i < edition->count; i++)
		if (!options->page || edition->pages[i] == options->page)
			pages[count++] = &edition->pages[i]->samples;
	if (!options->page)
		pages[count++] = &edition->process;
	if (options->is_gzip) {
		struct buf piece = BUF_INIT;
		const struct format_sink sink = {compress, gzip_new(&rendition->bytes)};
		format_write(&options->format, pages, count, &piece, &sink);
		gzip_end(sink.context);
		buf_done(&piece);
	} else {
		format_write(&options->format, pages, count, &rendition->bytes, NULL);
	}
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
	atomic_fetch_add(&edition->board->rendition_bytes, size);
	atomic_fetch_add(&edition->bytes, size);
	if (is_part(&rendition->options))
		edition->part_bytes += size;
	rendition->next = edition->renditions;
	edition->renditions = rendition;
}

static struct rendition *find_or_make(struct edition *edition, const struct rendition_options *options,
				      struct error *err)
{
	struct rendition *rendition = edition->renditions;
	while (rendition && !is_same(&rendition->options, options))
		rendition = rendition->next;
	if (!rendition) {
		if (is_part(options) && edition->part_bytes >= RENDITION_BYTES_MAX)
			forget_parts(edition);
		if (is_part(options) && edition->part_bytes >= RENDITION_BYTES_MAX) {
			error_set(err, "too many parts of the page are being read: try again later");
			return NULL;
		}
		rendition = rendition_new(edition, options);
		keep(edition, rendition);
	}
	atomic_fetch_add(&rendition->readers, 1);
	return rendition;
}

struct rendition *edition_render(struct edition *edition, const struct rendition_options *options,
				 uint64_t deadline_ns, struct error *err)
{
	const struct timespec deadline = {.tv_sec = (time_t)(deadline_ns / 1000000000u),
					  .tv_nsec = (long)(deadline_ns % 1000000000u)};
	if (pthread_mutex_clocklock(&edition->lock, CLOCK_MONOTONIC, &deadline) != 0) {
		error_set(err, "others are being served");
		return NULL;
	}
	struct rendition *rendition = find_or_make(edition, options, err);
	pthread_mutex_unlock(&edition->lock);
	return rendition;
}
