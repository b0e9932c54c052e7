/* A page in memory that another process reads and nobody can write any more (a sealed memfd): its samples stay there.
 * The status has pointers, so it is copied from there. */
#pragma once

#include "base/error.h"
#include "page/page.h"

/* A descriptor of the page's copy, which nobody can change any more; -1: it could not be made. */
int page_image_new(const struct page *page, struct error *err);

/* The page of such a descriptor, with one reference; the descriptor may be closed. It needs no call but lseek, mmap and
 * munmap. NULL: the bytes are no page, or there is no memory. */
struct page *page_image_open(int image, struct error *err);
