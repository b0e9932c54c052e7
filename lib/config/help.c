#include "config/help.h"

#include "config/group.h"
#include "config/option.h"

#include <stdlib.h>
#include <sys/ioctl.h>

enum { WIDTH_MIN = 60, WIDTH_MAX = 1000, WIDTH_UNKNOWN = 80 };

unsigned help_width(int fd)
{
	struct winsize size = {.ws_col = 0};
	const char *set = getenv("COLUMNS");
	uint64_t columns = 0;
	if ((!set || !text_to_u64(text_of(set), &columns) || !columns) && ioctl(fd, TIOCGWINSZ, &size) == 0)
		columns = size.ws_col;
	if (!columns)
		columns = WIDTH_UNKNOWN;
	return columns < WIDTH_MIN ? WIDTH_MIN : columns > WIDTH_MAX ? WIDTH_MAX : (unsigned)columns;
}

void help_wrap(struct text words, const char *prefix, unsigned width, struct buf *out)
{
	struct text word;
	size_t column = 0;
	while (text_next(&words, ' ', &word)) {
		bool begins_line = !column || column + 1 + word.len > width;
		if (begins_line) {
			buf_printf(out, "%s%s", column ? "\n" : "", prefix);
			column = strlen(prefix);
		} else {
			buf_add_char(out, ' ');
			column++;
		}
		buf_add_text(out, word);
		column += word.len;
	}
	buf_add_char(out, '\n');
}

static void write_option(const struct option_row *row, unsigned width, struct buf *out)
{
	struct buf words = BUF_INIT;
	buf_printf(out, "  --%s%s%s\n", row->name, option_separator(row), row->value ? row->value : "");
	option_explain(row, &words);
	help_wrap(buf_text(&words), "      ", width, out);
	buf_done(&words);
}

static void write_group(const struct option_group *group, unsigned width, struct buf *out)
{
	struct buf title = BUF_INIT;
	buf_printf(&title, "%s: %s", group->name, group->title);
	help_wrap(buf_text(&title), "", width, out);
	for (size_t i = 0; i < option_count; i++)
		if (group_of(option_table[i].name) == group)
			write_option(&option_table[i], width, out);
	buf_done(&title);
}

void help_write(const char *group, unsigned width, struct buf *out)
{
	if (*group) {
		write_group(group_named(group), width, out);
		return;
	}
	help_wrap(TEXT("slurmscope exports metrics of Slurm clusters to Prometheus. It reads them from slurmrestd."),
		  "", width, out);
	buf_add_string(out, "\nUsage: slurmscope [OPTIONS]\n"
			    "       slurmscope doctor [--strict] [OPTIONS]\n"
			    "       slurmscope report [OPTIONS of report]\n"
			    "       slurmscope --help GROUP\n\n");
	help_wrap(
		TEXT("slurmscope doctor tests everything that slurmscope needs, and says what fails and what to do. With "
		     "--strict a warning counts as a failure."),
		"", width, out);
	buf_add_char(out, '\n');
	help_wrap(
		TEXT("slurmscope report says who used what in a span of time. slurmscope report --help lists its options."),
		"", width, out);
	buf_add_char(out, '\n');
	help_wrap(
		TEXT("Write --NAME=VALUE or --NAME VALUE; --no-NAME switches off an option that takes no value. A DURATION "
		     "is a number of seconds, or a time such as 30s, 5m or 1h30m."),
		"", width, out);
	for (size_t i = 0; i < OPTION_GROUPS; i++) {
		buf_add_char(out, '\n');
		write_group(&option_groups[i], width, out);
	}
}
