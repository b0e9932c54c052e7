#include "base/log.h"

#include "base/quote.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

const char *const log_level_names[] = {"debug", "info", "warn", "error", NULL};
const char *const log_format_names[] = {"logfmt", "json", NULL};

static atomic_int threshold = LOG_LEVEL_INFO;
static atomic_int chosen = LOG_FORMAT_LOGFMT;
static _Thread_local const char *about; /* a cluster */

void log_setup(enum log_level level, enum log_format format)
{
	atomic_store(&threshold, level);
	atomic_store(&chosen, format);
}

void log_about(const char *cluster)
{
	about = cluster;
}

static bool is_plain(const char *value)
{
	const char *c = value;
	while (*c > ' ' && *c < 0x7f && *c != '"' && *c != '\\' && *c != '=')
		c++;
	return *value && !*c;
}

static void add_pair(struct buf *line, int format, const char *key, const char *value)
{
	bool is_json = format == LOG_FORMAT_JSON;
	if (is_json)
		buf_printf(line, "%s\"%s\":", line->len ? "," : "{", key);
	else
		buf_printf(line, "%s%s=", line->len ? " " : "", key);
	if (!is_json && is_plain(value))
		buf_add_string(line, value);
	else
		quote_json(line, text_of(value));
}

void log_line(enum log_level level, const char *message, ...)
{
	int format = atomic_load(&chosen); /* of the whole line */
	if ((int)level < atomic_load(&threshold))
		return;
	struct buf line = BUF_INIT;
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	struct tm utc;
	gmtime_r(&now.tv_sec, &utc);
	char stamp[64];
	size_t len = strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(stamp + len, sizeof stamp - len, ".%03ldZ", now.tv_nsec / 1000000);

	add_pair(&line, format, "ts", stamp);
	add_pair(&line, format, "level", log_level_names[level]);
	add_pair(&line, format, "msg", message);
	if (about)
		add_pair(&line, format, "cluster", about);
	va_list pairs;
	va_start(pairs, message);
	for (const char *key; (key = va_arg(pairs, const char *));)
		add_pair(&line, format, key, va_arg(pairs, const char *));
	va_end(pairs);
	buf_add_string(&line, format == LOG_FORMAT_JSON ? "}\n" : "\n");
	ssize_t written = write(STDERR_FILENO, line.bytes, line.len);
	(void)written; /* nobody left to tell */
	buf_done(&line);
}
