/* A small file that holds a secret, such as a token or a key. Nothing is logged. */
#pragma once

#include "base/error.h"

#include <stddef.h>
#include <sys/stat.h>

/* The whole file, up to 16 KiB, NUL-terminated; *ret_stat says which file it was. NULL with *err set if it cannot be
 * read, or is empty or too large. For secret_free. */
char *secret_read(const char *path, size_t *ret_len, struct stat *ret_stat, struct error *err);

/* May others than its owner and its group read or write it? */
bool secret_is_open(const struct stat *file);

void secret_free(char *secret, size_t len); /* wipes it first; NULL is fine */
