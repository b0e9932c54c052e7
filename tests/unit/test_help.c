/* --help: wrapped at the terminal's width, grouped, and complete; values and defaults say their units. */
#include "check.h"
#include "config/group.h"
#include "config/help.h"
#include "config/option.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void test_wrap(void)
{
	static const struct {
		const char *words, *prefix;
		unsigned width;
		const char *want;
	} rows[] = {
		{"one two three", "", 7, "one two\nthree\n"},
		{"one two three", "", 6, "one\ntwo\nthree\n"},
		{"one two three", "  # ", 11, "  # one two\n  # three\n"},
		{"one unbreakable two", "> ", 6, "> one\n> unbreakable\n> two\n"},
		{"one", "  ", 80, "  one\n"},
		{"one  two ", "", 80, "one two\n"},
		{"", "  ", 80, "\n"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct buf out = BUF_INIT;
		check_row(rows[i].want);
		help_wrap(text_of(rows[i].words), rows[i].prefix, rows[i].width, &out);
		CHECK_STRING(out.bytes, rows[i].want);
		buf_done(&out);
	}
}

/* A terminal that reports a width of `columns`. */
static int terminal(unsigned short columns)
{
	const struct winsize size = {.ws_row = 24, .ws_col = columns};
	int fd = posix_openpt(O_RDWR | O_NOCTTY);
	CHECK(fd >= 0 && ioctl(fd, TIOCSWINSZ, &size) == 0);
	return fd;
}

static void test_width(void)
{
	static const struct {
		const char *columns; /* of the environment; NULL: unset */
		int terminal; /* its columns; -1: a pipe */
		unsigned want;
	} rows[] = {
		{NULL, -1, 80},	    {NULL, 0, 80},    {NULL, 132, 132}, {NULL, 20, 60},		  {NULL, 60, 60},
		{"100", 132, 100},  {"100", -1, 100}, {"40", 132, 60},	{"", 132, 132},		  {"0", 132, 132},
		{"wide", 132, 132}, {"-5", -1, 80},   {"61", -1, 61},	{"4294967376", -1, 1000},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		int pipe_ends[2] = {-1, -1};
		check_row(rows[i].columns ? rows[i].columns : "unset");
		if (rows[i].columns)
			setenv("COLUMNS", rows[i].columns, 1);
		else
			unsetenv("COLUMNS");
		CHECK(rows[i].terminal >= 0 || pipe(pipe_ends) == 0);
		int fd = rows[i].terminal < 0 ? pipe_ends[1] : terminal((unsigned short)rows[i].terminal);
		CHECK_NUMBER(help_width(fd), rows[i].want);
		close(fd);
		close(pipe_ends[0]);
	}
}

static struct buf help_of(const char *group, unsigned width)
{
	struct buf out = BUF_INIT;
	help_write(group, width, &out);
	return out;
}

static size_t longest_line(const char *text)
{
	size_t longest = 0;
	for (const char *end; (end = strchr(text, '\n')); text = end + 1)
		if ((size_t)(end - text) > longest)
			longest = (size_t)(end - text);
	return longest;
}

/* How often the option's own line stands there. */
static unsigned count_of(const char *help, const struct option_row *row)
{
	struct buf line = BUF_INIT;
	unsigned count = 0;
	buf_printf(&line, "\n  --%s%s%s\n", row->name, option_separator(row), row->value ? row->value : "");
	for (const char *at = help; (at = strstr(at, line.bytes)); at++)
		count++;
	buf_done(&line);
	return count;
}

static void test_all(void)
{
	static const unsigned widths[] = {60, 80, 133};
	for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
		struct buf help = help_of("", widths[i]);
		size_t longest = longest_line(help.bytes);
		check_row("width");
		CHECK(longest <= widths[i] && longest > widths[i] - 6);
		for (size_t o = 0; o < option_count; o++) {
			check_row(option_table[o].name);
			CHECK_NUMBER(count_of(help.bytes, &option_table[o]), 1);
		}
		buf_done(&help);
	}
}

static void test_groups(void)
{
	struct buf all = help_of("", 80);
	const char *after = all.bytes;
	size_t shown = 0;
	for (size_t g = 0; g < OPTION_GROUPS; g++) {
		struct buf help = help_of(option_groups[g].name, 80);
		check_row(option_groups[g].name);
		CHECK(group_named(option_groups[g].name) == &option_groups[g]);
		CHECK(strncmp(help.bytes, option_groups[g].name, strlen(option_groups[g].name)) == 0);
		after = strstr(after, help.bytes); /* as in the whole, in its turn */
		CHECK(after != NULL);
		size_t before = shown;
		for (size_t o = 0; o < option_count; o++) {
			bool is_member = group_of(option_table[o].name) == &option_groups[g];
			CHECK_NUMBER(count_of(help.bytes, &option_table[o]), is_member);
			shown += is_member;
		}
		CHECK(shown > before);
		buf_done(&help);
		if (!after)
			break;
	}
	CHECK_NUMBER(shown, option_count);
	CHECK(group_named("") == NULL && group_named("slurm") == NULL && group_named("slurmrestd.url") == NULL);
	buf_done(&all);
}

static void test_group_of(void)
{
	static const char *const rows[][2] = {{"slurmrestd.url", "slurmrestd"},
					      {"web.config.file", "web"},
					      {"config.file", "general"},
					      {"ha", "general"},
					      {"ha-host", "general"},
					      {"budget.start", "budget"},
					      {"once", "commands"},
					      {"help", "commands"},
					      {"filter.users-deny", "filter"}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		check_row(rows[i][0]);
		CHECK_STRING(group_of(rows[i][0])->name, rows[i][1]);
	}
}

static void test_units(void)
{
	static const char *const rows[][2] = {{"budget.slurmrestd", " Default: 6%."},
					      {"budget.start", " Default: 30%."},
					      {"budget.requests", " Default: 50 per second."},
					      {"budget.bulk-memory", " Default: 1024 MiB."},
					      {"limit.users", " Default: 500 rows."},
					      {"jobs.accounting-from", " Default: 1000 jobs."},
					      {"interval.ping", " Default: 30s."},
					      {"slurmrestd.timeout", " Default: 2m."},
					      {"log.level", " Default: info."},
					      {"jobs.max-array-size", " Default: 1001 tasks."}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct buf words = BUF_INIT;
		check_row(rows[i][0]);
		option_explain(option_find(rows[i][0], strlen(rows[i][0])), &words);
		size_t len = strlen(rows[i][1]);
		CHECK(words.len > len);
		CHECK_STRING(words.bytes + words.len - len, rows[i][1]);
		buf_done(&words);
	}
}

static void test_arguments(void)
{
	static const struct {
		const char *arguments[3];
		const char *want; /* the group, or the error */
		bool is_error, is_once;
	} rows[] = {
		{{"--help"}, "", false, false},
		{{"--help="}, "", false, false},
		{{"--help", "web"}, "web", false, false},
		{{"--help=web"}, "web", false, false},
		{{"--help", "--once"}, "", false, true},
		{{"--once", "--help", "log"}, "log", false, true},
		{{"--once"}, NULL, false, true},
		{{"--help", "logs"},
		 "--help: logs is not a group of options; the groups are general, slurmrestd, web, state, jobs, nodes, names, budget, "
		 "interval, limit, filter, log, commands",
		 true,
		 false},
		{{"--no-help"}, "--no-help: unknown option; see --help", true, false},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char *argv[5] = {(char *)"slurmscope"};
		int argc = 1;
		for (; argc < 4 && rows[i].arguments[argc - 1]; argc++)
			argv[argc] = (char *)rows[i].arguments[argc - 1];
		struct config config;
		struct error err = {""};
		check_row(rows[i].want ? rows[i].want : "no help");
		config_defaults(&config);
		CHECK(config_arguments(&config, argc, argv, &err) == !rows[i].is_error);
		CHECK_STRING(rows[i].is_error ? err.text : config.help, rows[i].want);
		CHECK(config.once == rows[i].is_once);
	}
}

int main(void)
{
	test_wrap();
	test_width();
	test_all();
	test_groups();
	test_group_of();
	test_units();
	test_arguments();
	return check_done();
}
