/* Spans of time as people write them, in the local time zone. Pure but for the zone. */
#pragma once

#include "base/error.h"

#include <stdint.h>

/* "2026-11-01", "2026-11-01T08:30", "2026-11-01T08:30:00", each in UTC with a Z after it, or "@1793491200" (Unix seconds). */
bool span_time(const char *text, int64_t *ret_time, struct error *err);

/* "2026-11", "last" or "this": from the month's first second to the next month's, or to `now` if that is in it. */
bool span_month(const char *text, int64_t now, int64_t *ret_from, int64_t *ret_to, struct error *err);
