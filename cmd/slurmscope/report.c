#include "slurmscope/report.h"

#include "base/clock.h"
#include "base/memory.h"
#include "config/help.h"
#include "config/report_options.h"
#include "config/setup.h"
#include "usage/from_prometheus.h"
#include "usage/from_slurmdbd.h"
#include "usage/report_print.h"
#include "usage/span.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_USAGE = 2, EXIT_INCOMPLETE = 3, ANSWER_TIMEOUT_S = 300 };

/* What the options say: texts of argv, NULL where one is not given. One that takes no value has "". */
struct order {
	const char *values[REPORT_OPTIONS];
};

static void write_help(struct buf *out)
{
	unsigned width = help_width(STDOUT_FILENO);
	buf_add_string(out, "Usage: slurmscope report --prometheus.url=URL --from=TIME [--to=TIME] [OPTIONS]\n"
			    "       slurmscope report --slurmdbd --from=TIME [--to=TIME] [OPTIONS of slurmscope]\n\n");
	help_wrap(
		TEXT("slurmscope report says who used what in a span of time: starts and ends of jobs, and what they held. The "
		     "exit status is 3 if something is missing, which the report says."),
		"", width, out);
	buf_add_char(out, '\n');
	for (size_t i = 0; i < REPORT_OPTIONS; i++) {
		const struct report_option *option = &report_options[i];
		buf_printf(out, "  --%s%s%s\n", option->name, option->value ? "=" : "",
			   option->value ? option->value : "");
		help_wrap(text_of(option->help), "      ", width, out);
	}
}

/* How many words of argv the option takes; 0: it is none of ours; -1: wrong. */
static int take_option(struct order *order, int argc, char **argv, struct error *err)
{
	for (size_t i = 0; i < REPORT_OPTIONS; i++) {
		const struct report_option *option = &report_options[i];
		size_t len = strlen(option->name);
		if (strncmp(argv[0], "--", 2) != 0 || strncmp(argv[0] + 2, option->name, len) != 0)
			continue;
		const char *after = argv[0] + 2 + len;
		if (!*after && !option->value) {
			order->values[i] = "";
			return 1;
		}
		if (*after == '=' && option->value) {
			order->values[i] = after + 1;
			return 1;
		}
		if (*after)
			continue;
		if (argc < 2) {
			error_set(err, "--%s: value missing", option->name);
			return -1;
		}
		order->values[i] = argv[1];
		return 2;
	}
	return 0;
}

/* Takes ours out of argv; the others stay. */
static bool take_options(struct order *order, int *argc, char **argv, struct error *err)
{
	int kept = 0;
	for (int i = 0; i < *argc;) {
		int words = take_option(order, *argc - i, argv + i, err);
		if (words < 0)
			return false;
		if (!words)
			argv[kept++] = argv[i++];
		i += words;
	}
	*argc = kept;
	return true;
}

static bool read_kinds(const char *by, unsigned *ret_kinds, struct error *err)
{
	struct text rest = text_of(by), name;
	*ret_kinds = 0;
	while (text_next(&rest, ',', &name)) {
		unsigned kind = 0;
		while (kind < USAGE_BYS && !text_equal(name, text_of(usage_by_names[kind])))
			kind++;
		if (kind == USAGE_BYS)
			return error_set(err, "--by: %.*s is none of cluster, partition, account, user, qos",
					 (int)name.len, name.bytes);
		*ret_kinds |= 1u << kind;
	}
	return *ret_kinds || error_set(err, "--by: no kind of rows");
}

static bool read_format(const char *text, enum report_format *ret_format, struct error *err)
{
	static const char *const names[] = {[REPORT_TABLE] = "table", [REPORT_CSV] = "csv", [REPORT_JSON] = "json"};
	for (*ret_format = REPORT_TABLE; *ret_format <= REPORT_JSON; (*ret_format)++)
		if (strcmp(text, names[*ret_format]) == 0)
			return true;
	return error_set(err, "--format: %s is none of table, csv, json", text);
}

static bool read_span(const struct order *order, int64_t *ret_from, int64_t *ret_to, struct error *err)
{
	int64_t now = clock_now_s();
	*ret_to = now;
	if (order->values[REPORT_MONTH] && (order->values[REPORT_FROM] || order->values[REPORT_TO]))
		return error_set(err, "--month says from when to when: without --from and --to");
	if (!order->values[REPORT_MONTH] && !order->values[REPORT_FROM])
		return error_set(err, "--from or --month is missing");
	bool is_read = order->values[REPORT_MONTH] ? span_month(order->values[REPORT_MONTH], now, ret_from, ret_to, err)
						   : span_time(order->values[REPORT_FROM], ret_from, err) &&
							     (!order->values[REPORT_TO] ||
							      span_time(order->values[REPORT_TO], ret_to, err));
	if (!is_read)
		return false;
	if (*ret_to > now)
		return error_set(err, "the span ends in the future");
	return *ret_from < *ret_to || error_set(err, "the span ends before it begins");
}

static bool check_source(const struct order *order, int argc, char **argv, struct error *err)
{
	if (order->values[REPORT_SLURMDBD] && order->values[REPORT_URL])
		return error_set(err, "--slurmdbd and --prometheus.url: one of the two");
	if (!order->values[REPORT_SLURMDBD] && !order->values[REPORT_URL])
		return error_set(err, "--prometheus.url is missing, or --slurmdbd");
	return order->values[REPORT_SLURMDBD] || !argc ||
	       error_set(err, "%s: not an option of report; see --help", argv[0]);
}

static bool ask_prometheus(const struct order *order, struct usage *use, unsigned kinds, struct error *err)
{
	const struct prometheus_options options = {order->values[REPORT_URL], order->values[REPORT_CA_FILE],
						   order->values[REPORT_AUTHORIZATION_FILE], ANSWER_TIMEOUT_S};
	struct prometheus *prometheus = prometheus_new(&options, err);
	bool is_answered =
		prometheus &&
		usage_from_prometheus(use, prometheus, order->values[REPORT_MATCH] ? order->values[REPORT_MATCH] : "",
				      kinds, err);
	prometheus_free(prometheus);
	return is_answered;
}

/* argv is what slurmscope's own options take it to be: a name goes first. */
static bool ask_slurmdbd(int argc, char **argv, struct usage *use, unsigned kinds, struct error *err)
{
	bool is_read;
	char **words = memory_new(((size_t)argc + 2) * sizeof *words);
	words[0] = (char[]){"slurmscope"};
	memcpy(words + 1, argv, (size_t)argc * sizeof *words);
	struct setup *setup = setup_new(argc + 1, words, &is_read, err);
	bool is_answered =
		is_read && (setup->cluster_count == 1 ||
			    error_set(err, "the configuration has several clusters: give the options of one"));
	if (is_answered) {
		struct vocabulary vocabulary;
		const struct config *config = &setup->clusters[0];
		struct client_options options = config_client(config, NULL);
		struct name_hash *hash;
		vocabulary_init(&vocabulary);
		bool has_key = config_name_hash(config, &hash, err);
		options.hash = hash;
		struct client *client = has_key ? client_new(&options, config_token(config), &vocabulary, err) : NULL;
		is_answered = client && usage_from_slurmdbd(use, client, kinds, err);
		client_free(client);
		name_hash_free(hash);
		vocabulary_done(&vocabulary);
	}
	setup_release(setup);
	free(words);
	return is_answered;
}

static int say(const char *what, int status)
{
	fprintf(stderr, "slurmscope report: %s\n", what);
	return status;
}

static int print(struct buf *text, FILE *to)
{
	bool is_whole = fwrite(text->bytes, 1, text->len, to) == text->len && fflush(to) == 0;
	buf_done(text);
	return is_whole ? EXIT_SUCCESS : say(strerror(errno), EXIT_FAILURE);
}

static int print_report(const struct usage *use, unsigned kinds, enum report_format format)
{
	struct buf out = BUF_INIT, notes = BUF_INIT;
	report_print(use, kinds, format, &out);
	int status = print(&out, stdout);
	if (format == REPORT_CSV)
		report_print_notes(use, &notes);
	if (notes.len)
		print(&notes, stderr);
	return status;
}

static int write_csv(const struct usage *use, unsigned kinds, const char *path)
{
	struct buf out = BUF_INIT;
	report_print(use, kinds, REPORT_CSV, &out);
	FILE *file = fopen(path, "we");
	bool is_written = file && fwrite(out.bytes, 1, out.len, file) == out.len;
	if (file && fclose(file) != 0)
		is_written = false;
	buf_done(&out);
	if (is_written)
		return EXIT_SUCCESS;
	fprintf(stderr, "slurmscope report: cannot write %s: %s\n", path, strerror(errno));
	return EXIT_FAILURE;
}

int report_main(int argc, char **argv)
{
	struct error err;
	struct usage use;
	struct order order = {.values = {[REPORT_BY] = "account", [REPORT_FORMAT] = "table"}};
	struct buf help = BUF_INIT;
	unsigned kinds;
	enum report_format format;
	int64_t from, to;
	bool is_read = take_options(&order, &argc, argv, &err);
	if (is_read && order.values[REPORT_HELP]) {
		write_help(&help);
		return print(&help, stdout);
	}
	if (!is_read || !read_kinds(order.values[REPORT_BY], &kinds, &err) ||
	    !read_format(order.values[REPORT_FORMAT], &format, &err) || !read_span(&order, &from, &to, &err) ||
	    !check_source(&order, argc, argv, &err))
		return say(err.text, EXIT_USAGE);
	usage_init(&use, order.values[REPORT_SLURMDBD] ? "slurmdbd" : "Prometheus", from, to);
	bool is_answered = order.values[REPORT_SLURMDBD] ? ask_slurmdbd(argc, argv, &use, kinds, &err)
							 : ask_prometheus(&order, &use, kinds, &err);
	int status = is_answered ? print_report(&use, kinds, format) : say(err.text, EXIT_FAILURE);
	if (!status && order.values[REPORT_CSV_FILE])
		status = write_csv(&use, kinds, order.values[REPORT_CSV_FILE]);
	if (!status && use.is_incomplete)
		status = EXIT_INCOMPLETE;
	usage_done(&use);
	return status;
}
