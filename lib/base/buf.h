/* A growing buffer of bytes. Appending never fails (base/memory.h); the bytes are always followed
 * by a NUL that is not counted, so that `bytes` can be printed. */
#pragma once

#include "base/text.h"

#include <stdarg.h>

struct buf {
	char *bytes; /* owned; NULL while nothing was appended */
	size_t len;
	size_t capacity;
};

#define BUF_INIT                                                                                                       \
	{                                                                                                              \
		NULL, 0, 0                                                                                             \
	}

char *buf_reserve(struct buf *buf, size_t more); /* room for `more` bytes; returns where to write */
void buf_add(struct buf *buf, const void *bytes, size_t len);
void buf_add_text(struct buf *buf, struct text text);
void buf_add_string(struct buf *buf, const char *string);
void buf_add_char(struct buf *buf, char c);
void buf_printf(struct buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *buf, const char *format, va_list args) __attribute__((format(printf, 2, 0)));
void buf_shrink(struct buf *buf); /* gives back what was reserved and not used */
void buf_clear(struct buf *buf); /* empties, keeps the memory */
void buf_done(struct buf *buf); /* gives the memory back; BUF_INIT again */

static inline struct text buf_text(const struct buf *buf)
{
	return (struct text){buf->bytes, buf->len};
}
