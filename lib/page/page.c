#include "page/page.h"

#include "base/memory.h"

#include <stdlib.h>
#include <sys/mman.h>

struct page *page_new(struct samples *samples, struct status *status)
{
	struct page *page = NEW(struct page);
	atomic_init(&page->readers, 1);
	page->samples = *samples;
	page->status = status;
	*samples = (struct samples){.text = BUF_INIT};
	return page;
}

struct page *page_hold(struct page *page)
{
	atomic_fetch_add(&page->readers, 1);
	return page;
}

void page_release(void *page)
{
	struct page *old = page;
	if (!old || atomic_fetch_sub(&old->readers, 1) > 1)
		return;
	if (old->image.len)
		munmap((void *)old->image.bytes, old->image.len);
	else
		samples_done(&old->samples);
	status_free(old->status);
	free(old);
}
