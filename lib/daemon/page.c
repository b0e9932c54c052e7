#include "daemon/page.h"

#include "base/memory.h"

#include <stdlib.h>

struct page *page_new(struct buf *bytes, struct status *status)
{
	struct page *page = NEW(struct page);
	atomic_init(&page->readers, 1);
	page->bytes = bytes->bytes;
	page->len = bytes->len;
	page->status = status;
	*bytes = (struct buf)BUF_INIT;
	return page;
}

void page_unref(void *page)
{
	struct page *old = page;
	if (!old || atomic_fetch_sub(&old->readers, 1) > 1)
		return;
	free(old->bytes);
	status_free(old->status);
	free(old);
}

void page_slot_init(struct page_slot *slot)
{
	pthread_mutex_init(&slot->lock, NULL);
	slot->page = NULL;
	atomic_init(&slot->scrapes, 0);
}

void page_slot_publish(struct page_slot *slot, struct page *page)
{
	pthread_mutex_lock(&slot->lock);
	struct page *old = slot->page;
	slot->page = page;
	pthread_mutex_unlock(&slot->lock);
	page_unref(old);
}

struct page *page_slot_borrow(struct page_slot *slot)
{
	pthread_mutex_lock(&slot->lock);
	struct page *page = slot->page;
	if (page)
		atomic_fetch_add(&page->readers, 1);
	pthread_mutex_unlock(&slot->lock);
	return page;
}

void page_slot_done(struct page_slot *slot)
{
	page_unref(slot->page);
	pthread_mutex_destroy(&slot->lock);
}
