#include "page/gzip.h"

#include "base/memory.h"

#include <stdlib.h>
#include <zlib.h>

/* Measured by tests/bench/bench_formats: the next levels take longer by far more than they save. */
enum { LEVEL = 1, WITH_GZIP_HEADER = 16, PIECE = 64 * 1024 };

struct gzip {
	z_stream stream;
	struct buf *to;
};

struct gzip *gzip_new(struct buf *to)
{
	struct gzip *gzip = NEW(struct gzip);
	gzip->to = to;
	if (deflateInit2(&gzip->stream, LEVEL, Z_DEFLATED, MAX_WBITS + WITH_GZIP_HEADER, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		memory_checked(NULL);
	return gzip;
}

static void deflate_all(struct gzip *gzip, int flush)
{
	z_stream *stream = &gzip->stream;
	do {
		stream->next_out = (Bytef *)buf_reserve(gzip->to, PIECE);
		stream->avail_out = PIECE;
		deflate(stream, flush);
		gzip->to->len += PIECE - stream->avail_out;
	} while (stream->avail_out == 0);
}

void gzip_add(struct gzip *gzip, const void *bytes, size_t len)
{
	gzip->stream.next_in = (Bytef *)bytes;
	gzip->stream.avail_in = (uInt)len;
	deflate_all(gzip, Z_NO_FLUSH);
}

void gzip_end(struct gzip *gzip)
{
	gzip->stream.next_in = NULL;
	gzip->stream.avail_in = 0;
	deflate_all(gzip, Z_FINISH);
	deflateEnd(&gzip->stream);
	free(gzip);
}
