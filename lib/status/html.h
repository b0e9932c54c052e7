/* Pieces of HTML. What is put into a form is quoted, so no text of Slurm's becomes markup. */
#pragma once

#include "base/buf.h"

/* Appends the form with each % replaced by the next of the C strings, at least one. */
#define HTML(out, form, ...) html_fill(out, form, (const char *const[]){__VA_ARGS__, NULL})
void html_fill(struct buf *out, const char *form, const char *const *values);

/* A bar that is filled by the two shares of the whole, one after the other: `used`, then `out` of use. What it shows stands
 * beside it in words, so it is nothing to read out. */
void html_bar(struct buf *out, double whole, double used, double out_of_use);
