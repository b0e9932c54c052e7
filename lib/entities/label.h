/* Names as label values. Names come from outside and may be of any length; a label value is at most
 * LABEL_MAX bytes, and `other` is the row of all that have none of their own.
 *
 * Maps are keyed by labels, not by names, so that no two rows can ever have the same labels: two names
 * that became equal (by the repair of invalid UTF-8, say) share a row. */
#pragma once

#include "base/buf.h"

enum { LABEL_MAX = 256 };

#define LABEL_OTHER TEXT("other")

/* The name itself; or, if it is too long or is `other`, its beginning, "~" and 8 hexadecimal digits of
 * the whole name's hash, written to `scratch`. What is a label stays as it is. */
struct text label_of(struct text name, char scratch[LABEL_MAX + 1]);

/* The key of a row in a map: its label, or, where there is a second name, "label NUL label", so that no two can be mixed up
 * (NUL is in no name). Replaces what is in `key`. */
void label_key(struct buf *key, struct text name, const struct text *second);
