/* Log lines on standard error, one write each, as logfmt or JSON. Only the daemon and main log above
 * debug; the other rooms return errors. Any thread may log. */
#pragma once

#include <stdbool.h>

enum log_level { LOG_LEVEL_DEBUG, LOG_LEVEL_INFO, LOG_LEVEL_WARN, LOG_LEVEL_ERROR };
enum log_format { LOG_FORMAT_LOGFMT, LOG_FORMAT_JSON };

/* The names of both, in order, NULL at the end: what the options accept. */
extern const char *const log_level_names[];
extern const char *const log_format_names[];

/* Applies to lines that begin afterwards. */
void log_setup(enum log_level level, enum log_format format);

/* All lines of this thread name that cluster from now on; the name is borrowed. NULL: none. */
void log_about(const char *cluster);

/* One line: a sentence, then key and value pairs (strings) up to NULL:
 * log_line(LOG_LEVEL_WARN, "poll failed", "endpoint", "jobs", "error", err.text, NULL). */
void log_line(enum log_level level, const char *message, ...) __attribute__((sentinel));
