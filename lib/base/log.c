#include "base/log.h"

#include "base/buf.h"

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

/* What Slurm and its users wrote ends up here: control characters never reach the terminal, and a text
 * that was cut in the middle of a character is still a valid line. */
static void add_quoted(struct buf *line, const char *value)
{
	struct text rest = text_of(value);
	buf_add_char(line, '"');
	while (rest.len) {
		size_t len = text_character(rest);
		char c = *rest.bytes;
		if (c == '"' || c == '\\')
			buf_printf(line, "\\%c", c);
		else if (len == 1 && ((unsigned char)c < 0x20 || c == 0x7f))
			buf_printf(line, "\\u%04x", (unsigned)c);
		else if (len)
			buf_add(line, rest.bytes, len);
		else
			buf_add_string(line, "\xef\xbf\xbd");
		rest.bytes += len ? len : 1;
		rest.len -= len ? len : 1;
	}
	buf_add_char(line, '"');
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
		add_quoted(line, value);
		return;
	}
	buf_printf(line, "%s%s=", line->len ? " " : "", key);
	if (is_plain(value))
		buf_add_string(line, value);
	else
		add_quoted(line, value);
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
