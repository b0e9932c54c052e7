/* A report as a table for people, or as CSV (RFC 4180) or JSON for programs. */
#pragma once

#include "base/buf.h"
#include "usage/usage.h"

enum report_format { REPORT_TABLE, REPORT_CSV, REPORT_JSON };

/* `kinds` (bits: 1 << USAGE_BY_...) have a table each, in this order; their last line is the cluster's own amounts. Tables have
 * hours, GiB hours and kWh; no lines for those who used nothing, no columns of which nothing is known. The others have
 * seconds, byte seconds and joules. CSV has no notes: they are for standard error. */
void report_print(const struct usage *use, unsigned kinds, enum report_format format, struct buf *out);

/* Each note as a line. */
void report_print_notes(const struct usage *use, struct buf *out);
