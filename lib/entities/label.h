/* Names as label values. Names come from outside and may be of any length. A label value is at most LABEL_MAX bytes.
 * `other` is the row of all that have none of their own.
 *
 * The keys of maps are labels, not names, so that no two rows can ever have the same labels. Two names that became
 * equal, for example by the repair of invalid UTF-8, share a row. */
#pragma once

#include "base/buf.h"

enum { LABEL_MAX = 256 };

#define LABEL_OTHER TEXT("other")

/* Returns the name itself. If it is too long or is `other`, returns its beginning, "~" and 8 hexadecimal digits of the
 * whole name's hash. It writes these to `scratch`. A label stays as it is. */
struct text label_of(struct text name, char scratch[LABEL_MAX + 1]);

/* The labels of a list such as "a,b", each once, in the order of the list. Slurm keeps a list as it was given. A pending
 * job of `sbatch -p cpu,cpu` has the partition "cpu,cpu" (24.11), but it is one job in cpu. The result is in `once`. */
struct text labels_once(struct text names, struct buf *once);

/* The class of a size: "0", "1", "2-3", "4-7", ..., from a power of two to the next. */
enum { SIZE_CLASS_MAX = 48 };
struct text size_class(uint64_t size, char scratch[SIZE_CLASS_MAX]);

/* Writes the key of a row in a map to `key`, in place of what was there. It is the label, or, if there is a second
 * name, "label NUL label". No two keys can be the same, since no name has a NUL. */
void label_key(struct buf *key, struct text name, const struct text *second);
