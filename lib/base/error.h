/* Why something failed, in words that can be logged as they are.
 *
 * Convention of the whole project: a function that can fail for a reason returns bool and takes a
 * `struct error *` last; it is untouched on success. Running out of memory for our own small
 * structures aborts (base/memory.h); input that is too large is an error. */
#pragma once

#include <stdbool.h>

struct error {
	char text[512];
};

/* Sets the text and returns false, so that `return error_set(err, ...)` reads well. */
bool error_set(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts `prefix: ` before the text; returns false. */
bool error_prefix(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
