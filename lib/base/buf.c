#include "base/buf.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>

char *buf_reserve(struct buf *buf, size_t more)
{
	if (buf->capacity - buf->len <= more) {
		size_t capacity = buf->capacity ? buf->capacity * 2 : 256;
		if (capacity - buf->len <= more)
			capacity = buf->len + more + 1;
		buf->bytes = memory_resize(buf->bytes, capacity, 1);
		buf->capacity = capacity;
	}
	return buf->bytes + buf->len;
}

void buf_add(struct buf *buf, const void *bytes, size_t len)
{
	char *to = buf_reserve(buf, len);
	if (len)
		memcpy(to, bytes, len);
	to[len] = '\0';
	buf->len += len;
}

void buf_add_text(struct buf *buf, struct text text)
{
	buf_add(buf, text.bytes, text.len);
}

void buf_add_string(struct buf *buf, const char *string)
{
	buf_add(buf, string, strlen(string));
}

void buf_add_char(struct buf *buf, char c)
{
	buf_add(buf, &c, 1);
}

void buf_vprintf(struct buf *buf, const char *format, va_list args)
{
	va_list again;
	va_copy(again, args);
	int len = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (len <= 0)
		return;
	vsnprintf(buf_reserve(buf, (size_t)len), (size_t)len + 1, format, args);
	buf->len += (size_t)len;
}

void buf_printf(struct buf *buf, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	buf_vprintf(buf, format, args);
	va_end(args);
}

void buf_shrink(struct buf *buf)
{
	if (!buf->bytes)
		return;
	buf->capacity = buf->len + 1;
	buf->bytes = memory_resize(buf->bytes, buf->capacity, 1);
}

void buf_clear(struct buf *buf)
{
	buf->len = 0;
	if (buf->bytes)
		buf->bytes[0] = '\0';
}

void buf_done(struct buf *buf)
{
	free(buf->bytes);
	*buf = (struct buf)BUF_INIT;
}
