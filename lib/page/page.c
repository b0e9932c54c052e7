#include "page/page.h"

#include "base/memory.h"
#include "base/version.h"
#include "page/edition.h"

#include <stdlib.h>

struct page *page_new(struct samples *samples, struct status *status)
{
	struct page *page = NEW(struct page);
	atomic_init(&page->readers, 1);
	page->samples = *samples;
	page->status = status;
	*samples = (struct samples){.text = BUF_INIT};
	return page;
}

void page_unref(void *page)
{
	struct page *old = page;
	if (!old || atomic_fetch_sub(&old->readers, 1) > 1)
		return;
	samples_done(&old->samples);
	status_free(old->status);
	free(old);
}

void page_board_init(struct page_board *board)
{
	*board = (struct page_board){.process = {.version = version_number,
						 .revision = version_revision,
						 .compiler = version_compiler}};
	pthread_mutex_init(&board->lock, NULL);
}

void page_board_done(struct page_board *board)
{
	edition_unref(board->edition);
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
		atomic_fetch_add(&slot->page->readers, 1);
		GROW(pages, *ret_count, capacity);
		pages[(*ret_count)++] = slot->page;
	}
	pthread_mutex_unlock(&board->lock);
	return pages;
}

void page_board_label(struct page_board *board, struct text labels)
{
	pthread_mutex_lock(&board->lock);
	board->labels = labels;
	struct edition *edition = edition_retire(board);
	pthread_mutex_unlock(&board->lock);
	edition_unref(edition);
}

void page_board_note_reload(struct page_board *board, const struct error *why, double now)
{
	pthread_mutex_lock(&board->lock);
	board->process.config_is_loaded = !why;
	if (why)
		board->config_error = *why;
	else
		board->process.config_loaded = now;
	struct edition *edition = edition_retire(board);
	pthread_mutex_unlock(&board->lock);
	edition_unref(edition);
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

uint64_t page_board_scrapes(struct page_board *board)
{
	uint64_t sum = 0;
	for (int format = 0; format < FORMATS; format++)
		for (int code = 0; code < SCRAPE_CODES; code++)
			sum += atomic_load(&board->scrapes[format][code]);
	return sum;
}

void page_slot_init(struct page_slot *slot, struct page_board *board, const char *cluster)
{
	*slot = (struct page_slot){.board = board, .cluster = cluster};
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
	pthread_mutex_lock(&board->lock);
	struct page *old = slot->page;
	struct edition *edition = edition_retire(board);
	slot->page = page;
	pthread_mutex_unlock(&board->lock);
	edition_unref(edition);
	page_unref(old);
}

struct page *page_slot_borrow(struct page_slot *slot)
{
	pthread_mutex_lock(&slot->board->lock);
	struct page *page = slot->page;
	if (page)
		atomic_fetch_add(&page->readers, 1);
	pthread_mutex_unlock(&slot->board->lock);
	return page;
}

void page_slot_done(struct page_slot *slot)
{
	struct page_board *board = slot->board;
	page_slot_publish(slot, NULL);
	pthread_mutex_lock(&board->lock);
	struct page_slot **at = &board->first;
	while (*at != slot)
		at = &(*at)->next;
	*at = slot->next;
	pthread_mutex_unlock(&board->lock);
}
