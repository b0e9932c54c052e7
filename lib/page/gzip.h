/* Compresses what is sent; the only user of zlib. */
#pragma once

#include "base/buf.h"

struct gzip;

struct gzip *gzip_new(struct buf *to); /* appends to it */
void gzip_add(struct gzip *gzip, const void *bytes, size_t len);
void gzip_end(struct gzip *gzip); /* all of it is there; frees */
