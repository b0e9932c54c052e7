/* The table of options in words: --help, the configuration in force, and an annotated one. */
#include "config/option.h"

enum { EXAMPLE_WIDTH = 100 };

void option_describe(const struct option_row *row, struct buf *out)
{
	buf_add_string(out, row->help);
	for (int c = 0; row->choices && row->choices[c]; c++)
		buf_printf(out, "%s%s", c ? ", " : " One of ", row->choices[c]);
	buf_add_string(out, row->choices ? "." : "");
}

void option_explain(const struct option_row *row, struct buf *out)
{
	option_describe(row, out);
	if (row->initial)
		buf_printf(out, " Default: %s.", row->initial);
}

void config_help(struct buf *out)
{
	buf_add_string(
		out,
		"slurmscope: Slurm's jobs, nodes, partitions, users and accounts for "
		"Prometheus, read from slurmrestd.\n\nUsage: slurmscope [options]\n"
		"       slurmscope doctor [--strict] [options]   look at all of it once, and say what does not work\n\n");
	for (size_t i = 0; i < option_count; i++) {
		const struct option_row *row = &option_table[i];
		buf_printf(out, "  --%s%s%s\n      ", row->name, row->value ? "=" : "", row->value ? row->value : "");
		option_explain(row, out);
		buf_add_char(out, '\n');
	}
}

struct printing {
	const struct config *config, *common; /* common NULL: all that has a value */
	bool is_example;
};

static void indent_to(struct buf *out, unsigned indent)
{
	buf_printf(out, "%*s", (int)indent, "");
}

/* The comment above an option of the example. */
static void write_comment(const struct option_row *row, unsigned indent, struct buf *out)
{
	struct buf words = BUF_INIT;
	option_describe(row, &words);
	struct text rest = buf_text(&words), word;
	size_t column = 0;
	while (text_next(&rest, ' ', &word)) {
		if (!column || column + 1 + word.len > EXAMPLE_WIDTH) {
			buf_printf(out, "%s%*s#", column ? "\n" : "", (int)indent, "");
			column = indent + 1;
		}
		buf_printf(out, " %.*s", (int)word.len, word.bytes);
		column += 1 + word.len;
	}
	buf_add_char(out, '\n');
	buf_done(&words);
}

static void print_option(const struct printing *printing, const struct option_row *row, const char *key,
			 unsigned indent, struct buf *out)
{
	bool has_value = option_has_value(printing->config, row);
	if (printing->is_example)
		write_comment(row, indent, out);
	else if (!has_value || (printing->common &&
				(option_is_of_process(row) || option_is_same(printing->config, printing->common, row))))
		return;
	indent_to(out, indent);
	buf_printf(out, "%s%s: ", has_value ? "" : "# ", key);
	if (has_value)
		option_write(printing->config, row, out);
	else
		buf_add_string(out, row->type == OPTION_LABELS ? "{NAME: VALUE, ...}" : row->value);
	buf_add_char(out, '\n');
}

/* Does a row before this one stand below the same key? */
static bool was_printed(const struct option_row *row, size_t len)
{
	for (const struct option_row *before = option_table; before < row; before++)
		if (strncmp(before->name, row->name, len) == 0 && before->name[len] == '.')
			return true;
	return false;
}

/* All that stands below a prefix such as "web.", in the order of the table. */
static void print_below(const struct printing *printing, const char *prefix, size_t prefix_len, unsigned indent,
			struct buf *out)
{
	for (size_t i = 0; i < option_count; i++) {
		const struct option_row *row = &option_table[i];
		if (strncmp(row->name, prefix, prefix_len) != 0 || option_is_command(row))
			continue;
		const char *key = row->name + prefix_len;
		size_t len = prefix_len + strcspn(key, ".");
		if (!row->name[len]) {
			if (printing->is_example && !indent && i)
				buf_add_char(out, '\n');
			print_option(printing, row, key, indent, out);
		} else if (!was_printed(row, len)) {
			struct buf below = BUF_INIT;
			print_below(printing, row->name, len + 1, indent + 2, &below);
			if (below.len) {
				if (printing->is_example && !indent)
					buf_add_char(out, '\n');
				indent_to(out, indent);
				buf_printf(out, "%.*s:\n", (int)strcspn(key, "."), key);
				buf_add_text(out, buf_text(&below));
			}
			buf_done(&below);
		}
	}
}

void config_print(const struct config *config, const struct config *common, unsigned indent, struct buf *out)
{
	const struct printing printing = {.config = config, .common = common};
	print_below(&printing, "", 0, indent, out);
}

void config_example(struct buf *out)
{
	struct config config;
	config_defaults(&config);
	const struct printing printing = {.config = &config, .is_example = true};
	buf_add_string(
		out,
		"# slurmscope's configuration (--config.file), as slurmscope --example-config shows it: all options with\n"
		"# their defaults. Whatever is as it should be can be left out. Options of the command line go before\n"
		"# these. Times are seconds, or written like 30s, 5m or 1h. After a change: slurmscope --check-config,\n"
		"# then SIGHUP.\n\n");
	print_below(&printing, "", 0, 0, out);
	buf_add_string(
		out,
		"\n# Several clusters in one process: each by its name, which is the label `cluster` of all that is said of\n"
		"# it. What stands above holds for all, what stands here for one; not what is of web, log and sandbox. Each\n"
		"# needs a state.path of its own.\n"
		"# clusters:\n"
		"#   alpha:\n"
		"#     slurmrestd: {url: \"https://alpha.example:6820\", token-file: /run/slurmscope/alpha.token}\n"
		"#     state: {path: /var/lib/slurmscope/alpha.db}\n"
		"#   beta:\n"
		"#     slurmrestd: {url: \"https://beta.example:6820\", token-file: /run/slurmscope/beta.token}\n"
		"#     state: {path: /var/lib/slurmscope/beta.db}\n"
		"#     interval: {nodes: 2m}\n");
}
