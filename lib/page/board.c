#include "page/board.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/version.h"
#include "metrics/catalogue.h"
#include "page/edition.h"
#include "page/handover.h"
#include "web/http_server.h"

#include <stdlib.h>

static const char *const scrape_codes[SCRAPE_CODES] = {
	[SCRAPE_OK] = "200", [SCRAPE_BAD_REQUEST] = "400", [SCRAPE_NOT_READY] = "503"};

void page_board_init(struct page_board *board)
{
	*board = (struct page_board){
		.process = {.version = version_number, .revision = version_revision, .compiler = version_compiler}};
	pthread_mutex_init(&board->lock, NULL);
	process_open(&board->source);
}

void page_board_done(struct page_board *board)
{
	edition_release(board->edition);
	process_close(&board->source);
	pthread_mutex_destroy(&board->lock);
}

struct page **page_board_borrow(struct page_board *board, size_t *ret_count, bool *ret_is_whole)
{
	struct page **pages = NULL;
	size_t capacity = 0;
	*ret_count = 0;
	*ret_is_whole = true;
	pthread_mutex_lock(&board->lock);
	for (const struct page_slot *slot = board->first; slot; slot = slot->next) {
		*ret_is_whole &= slot->page != NULL;
		if (!slot->page)
			continue;
		GROW(pages, *ret_count, capacity);
		pages[(*ret_count)++] = page_hold(slot->page);
	}
	pthread_mutex_unlock(&board->lock);
	return pages;
}

/* To be called when something is newer than the edition; the caller holds the lock. Returns the reference to the
 * edition, which the caller gives back after unlocking. NULL: there is none, or it stays in use for a while. */
static struct edition *retire(struct page_board *board)
{
	struct edition *edition = board->edition;
	if (!edition)
		return NULL;
	board->edition_is_old = true; /* and page_board_borrow_edition tries again */
	if (atomic_load(&board->rendition_bytes) - edition_bytes(edition) >= RENDITION_BYTES_MAX)
		return NULL;
	board->edition = NULL;
	return edition;
}

void page_board_label(struct page_board *board, struct text labels)
{
	if (board->handover) {
		handover_labels(board->handover, labels);
		return;
	}
	pthread_mutex_lock(&board->lock);
	board->labels = labels;
	struct edition *edition = retire(board);
	pthread_mutex_unlock(&board->lock);
	edition_release(edition);
}

void page_board_note_reload(struct page_board *board, const struct error *why, double now)
{
	if (board->handover) {
		handover_reloaded(board->handover, why, now);
		return;
	}
	pthread_mutex_lock(&board->lock);
	board->process.config_is_loaded = !why;
	if (why)
		board->config_error = *why;
	else
		board->process.config_loaded = now;
	struct edition *edition = retire(board);
	pthread_mutex_unlock(&board->lock);
	edition_release(edition);
}

bool page_board_config(struct page_board *board, double *ret_read, struct error *ret_why)
{
	pthread_mutex_lock(&board->lock);
	bool is_newest = board->process.config_is_loaded;
	*ret_read = board->process.config_loaded;
	if (!is_newest)
		*ret_why = board->config_error;
	pthread_mutex_unlock(&board->lock);
	return is_newest;
}

void page_board_note_life(struct page_board *board)
{
	atomic_store(&board->life_ns, clock_monotonic_ns());
}

double page_board_silence_s(const struct page_board *board, uint64_t now_ns)
{
	uint64_t life_ns = atomic_load(&board->life_ns);
	bool is_silent = life_ns && now_ns > life_ns + PAGE_BOARD_LIFE_S * UINT64_C(1000000000);
	return is_silent ? (double)(now_ns - life_ns) / 1e9 : 0;
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

static void take_process(struct page_board *board, struct samples *ret_samples)
{
	struct exporter_process *process = &board->process;
	struct exporter_scrapes *row = process->scrapes;
	for (int format = 0; format < FORMATS; format++)
		for (int code = 0; code < SCRAPE_CODES; code++)
			*row++ = (struct exporter_scrapes){format_names[format], scrape_codes[code],
							   atomic_load(&board->scrapes[format][code])};
	process_read(&board->source, process);
	take_web(&process->web, atomic_load(&board->server));
	const struct page_facts facts = {.process = process, .labels = board->labels};
	catalogue_render_process(&facts, ret_samples);
}

static size_t page_count(const struct page_board *board)
{
	size_t count = 0;
	for (const struct page_slot *slot = board->first; slot; slot = slot->next)
		count += slot->page != NULL;
	return count;
}

/* NULL: there is no page. */
static struct edition *make_edition(struct page_board *board)
{
	size_t count = page_count(board), i = 0;
	if (!count)
		return NULL;
	struct page **pages = memory_new(count * sizeof *pages);
	const char **clusters = memory_new(count * sizeof *clusters);
	struct samples process = {.text = BUF_INIT};
	for (const struct page_slot *slot = board->first; slot; slot = slot->next) {
		if (!slot->page)
			continue;
		clusters[i] = slot->cluster;
		pages[i++] = page_hold(slot->page);
	}
	take_process(board, &process);
	board->edition_is_old = false;
	return edition_new(pages, clusters, count, &process,
			   &(struct edition_sums){&board->rendition_bytes, &board->scoped_bytes});
}

struct edition *page_board_borrow_edition(struct page_board *board)
{
	pthread_mutex_lock(&board->lock);
	struct edition *old = board->edition_is_old ? retire(board) : NULL;
	if (!board->edition)
		board->edition = make_edition(board);
	struct edition *edition = board->edition ? edition_hold(board->edition) : NULL;
	pthread_mutex_unlock(&board->lock);
	edition_release(old);
	return edition;
}

void page_board_count(struct page_board *board, enum format format, enum scrape_code code)
{
	atomic_fetch_add(&board->scrapes[format][code], 1);
	if (board->signs)
		atomic_fetch_add(&board->signs->scrapes, 1);
}

uint64_t page_board_scrapes(struct page_board *board)
{
	uint64_t sum = 0;
	if (board->handover)
		return handover_scrapes(board->handover);
	for (int format = 0; format < FORMATS; format++)
		for (int code = 0; code < SCRAPE_CODES; code++)
			sum += atomic_load(&board->scrapes[format][code]);
	return sum;
}

void page_slot_init(struct page_slot *slot, struct page_board *board, const char *cluster)
{
	*slot = (struct page_slot){.board = board, .cluster = cluster};
	if (board->handover) {
		slot->number = handover_add(board->handover, cluster);
		return;
	}
	pthread_mutex_lock(&board->lock);
	struct page_slot **end = &board->first;
	while (*end)
		end = &(*end)->next;
	*end = slot;
	pthread_mutex_unlock(&board->lock);
}

void page_slot_publish(struct page_slot *slot, struct page *page)
{
	struct page_board *board = slot->board;
	if (board->handover) {
		handover_page(board->handover, slot->number, page);
		page_release(page);
		return;
	}
	pthread_mutex_lock(&board->lock);
	struct page *old = slot->page;
	struct edition *edition = retire(board);
	slot->page = page;
	pthread_mutex_unlock(&board->lock);
	edition_release(edition);
	page_release(old);
}

void page_slot_done(struct page_slot *slot)
{
	struct page_board *board = slot->board;
	if (board->handover) {
		handover_remove(board->handover, slot->number);
		return;
	}
	page_slot_publish(slot, NULL);
	pthread_mutex_lock(&board->lock);
	struct page_slot **at = &board->first;
	while (*at != slot)
		at = &(*at)->next;
	*at = slot->next;
	pthread_mutex_unlock(&board->lock);
}
