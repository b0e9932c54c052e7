/* What is installed beside the program, made of the table of options: manual pages, and what shells complete. */
#pragma once

#include "base/buf.h"

enum manual { MANUAL_NONE, MANUAL_COMMAND, MANUAL_FILE, MANUAL_BASH, MANUAL_ZSH };
extern const char *const manual_names[]; /* as --print-manual takes them; NULL at the end */

void manual_write(enum manual manual, struct buf *out);
