/* What is installed beside the program, made of the table of options: manual pages, and what shells complete. */
#pragma once

#include "config/config.h"

void manual_write(enum manual manual, struct buf *out);
