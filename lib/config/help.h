/* What --help shows, made of the table of options. */
#pragma once

#include "base/buf.h"

/* Columns of the terminal behind `fd`: COLUMNS, else what the terminal says, else 80. Never below 60. */
unsigned help_width(int fd);

/* All options by group, or those of the group with that name, which exists; "": all. */
void help_write(const char *group, unsigned width, struct buf *out);

/* Words at most `width` columns wide, as far as words are that short. Each line begins with `prefix`; ends with a line
 * feed. */
void help_wrap(struct text words, const char *prefix, unsigned width, struct buf *out);
