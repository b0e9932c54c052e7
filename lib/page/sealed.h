/* Memory that goes to another process as a descriptor: written once, then sealed (memfd_create, F_ADD_SEALS). */
#pragma once

#include "base/error.h"
#include "base/text.h"

/* Where the piece behind one that ends at `at` begins. */
size_t sealed_aligned(size_t at);

/* A descriptor of these pieces, each at an aligned place; -1: there is no memory. */
int sealed_new(const struct text *pieces, size_t count, struct error *err);

/* All of it, to read; munmap gives it back. Empty: it cannot be had. Calls nothing but lseek and mmap. */
struct text sealed_map(int descriptor, struct error *err);
