/* What people see of a page. */
#pragma once

#include "base/buf.h"
#include "check.h"

/* Of a part of a page: what a reader sees, with a bar after each cell. */
static inline struct buf seen_of(const char *page, const char *begin, const char *end)
{
	struct buf seen = BUF_INIT;
	const char *at = strstr(page, begin), *last = at ? strstr(at, end) : NULL;
	CHECK(last != NULL);
	for (at = last ? at + strlen(begin) : NULL; at && at < last; at++) {
		if (*at != '<') {
			buf_add_char(&seen, *at);
			continue;
		}
		bool is_cell = strncmp(at, "</t", 3) == 0 || strncmp(at, "</d", 3) == 0;
		if (is_cell && strncmp(at, "</div", 5) != 0)
			buf_add_char(&seen, '|');
		at = strchr(at, '>');
	}
	return seen;
}
