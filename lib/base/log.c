#include "base/log.h"

#include "base/quote.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

const char *const log_level_names[] = {"debug", "info", "warn", "error", NULL};
const char *const log_format_names[] = {"logfmt", "json", NULL};

static enum log_level threshold = LOG_LEVEL_INFO; /* set once by log_setup */
static enum log_format chosen = LOG_FORMAT_LOGFMT;

void log_setup(enum log_level level, enum log_format format)
{
	threshold = level;
	chosen = format;
}

static bool is_plain(const char *value)
{
	const char *c = value;
	while (*c > ' ' && *c < 0x7f && *c != '"' && *c != '\\' && *c != '=')
		c++;
	return *value && !*c;
}

static void add_pair(struct buf *line, const char *key, const char *value)
{
	if (chosen == LOG_FORMAT_JSON) {
		buf_printf(line, "%s\"%s\":", line->len ? "," : "{", key);
		quote_json(line, text_of(value));
		return;
	}
	buf_printf(line, "%s%s=", line->len ? " " : "", key);
	if (is_plain(value))
		buf_add_string(line, value);
	else
		quote_json(line, text_of(value));
}

void log_line(enum log_level level, const char *message, ...)
{
	if (level < threshold)
		return;
	struct buf line = BUF_INIT;
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	struct tm utc;
	gmtime_r(&now.tv_sec, &utc);
	char stamp[64];
	size_t len = strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(stamp + len, sizeof stamp - len, ".%03ldZ", now.tv_nsec / 1000000);

	add_pair(&line, "ts", stamp);
	add_pair(&line, "level", log_level_names[level]);
	add_pair(&line, "msg", message);
	va_list pairs;
	va_start(pairs, message);
	for (const char *key; (key = va_arg(pairs, const char *));)
		add_pair(&line, key, va_arg(pairs, const char *));
	va_end(pairs);
	buf_add_string(&line, chosen == LOG_FORMAT_JSON ? "}\n" : "\n");
	ssize_t written = write(STDERR_FILENO, line.bytes, line.len);
	(void)written; /* nobody left to tell */
	buf_done(&line);
}
