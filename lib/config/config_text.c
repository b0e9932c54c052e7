/* The table of options in words: what an option means, the current configuration, and an annotated one. */
#include "config/config_groups.h"
#include "config/help.h"
#include "config/option.h"

enum { EXAMPLE_WIDTH = 100 };

void option_describe(const struct option_row *row, struct buf *out)
{
	buf_add_string(out, row->help);
	const char *before = row->type == OPTION_SET ? " Some of " : " One of ";
	for (int c = 0; row->choices && row->choices[c]; c++)
		buf_printf(out, "%s%s", c ? ", " : before, row->choices[c]);
	buf_add_string(out, row->choices ? "." : "");
}

/* What follows the number in a default; the name of the value, such as PERCENT, gives it. */
static const char *unit_of(const struct option_row *row)
{
	static const char *const units[][2] = {{"PERCENT", "%"},  {"MIB", " MiB"},   {"PER_SECOND", " per second"},
					       {"ROWS", " rows"}, {"JOBS", " jobs"}, {"TASKS", " tasks"}};
	for (size_t i = 0; row->value && i < sizeof units / sizeof *units; i++)
		if (strcmp(row->value, units[i][0]) == 0)
			return units[i][1];
	return "";
}

const char *option_separator(const struct option_row *row)
{
	return !row->value ? "" : *row->value == '[' ? " " : "=";
}

void option_explain(const struct option_row *row, struct buf *out)
{
	option_describe(row, out);
	if (row->initial)
		buf_printf(out, " Default: %s%s.", row->initial, unit_of(row));
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
	struct buf words = BUF_INIT, prefix = BUF_INIT;
	option_describe(row, &words);
	buf_printf(&prefix, "%*s# ", (int)indent, "");
	help_wrap(buf_text(&words), prefix.bytes, EXAMPLE_WIDTH, out);
	buf_done(&prefix);
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

/* Is there a row before this one below the same key? */
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
			if (printing->is_example && !indent)
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
	struct job_groups groups = {.count = 0};
	print_below(&printing, "", 0, indent, out);
	if (common && common->groups == config->groups)
		return;
	config_groups(config, &groups);
	if (common && !groups.count)
		buf_printf(out, "%*sgroups: []\n", (int)indent, "");
	config_groups_write(&groups, indent, out);
	job_groups_done(&groups);
}

void config_example(struct buf *out)
{
	struct config config;
	config_defaults(&config);
	const struct printing printing = {.config = &config, .is_example = true};
	buf_add_string(
		out,
		"# A configuration file of slurmscope (--config.file) with all options and their defaults, printed by\n"
		"# slurmscope --example-config. Omit options whose default suits you. Options of the command line override\n"
		"# the file. Times are seconds, or such as 30s, 5m or 1h. After a change, run slurmscope --check-config,\n"
		"# then send SIGHUP.\n");
	print_below(&printing, "", 0, 0, out);
	buf_add_string(
		out,
		"\n# Groups: up to eight sets of families of your own, such as slurm_group_project_jobs. `by` has one to\n"
		"# three labels: partition, account, user, qos, name, comment, feature, license, reservation, wckey,\n"
		"# nodes, cpus or gpus. The last three are classes of how many a job asks for, such as 4-7. A label can\n"
		"# have another name. With `regex` (POSIX extended, over the whole value) its value is what the first\n"
		"# parentheses match; else it is the value itself. `metrics` are of jobs, cpus, memory, gpus, ends, waits,\n"
		"# runtimes and use; without it jobs and ends. Values beyond the limit, 100 by default, share the row\n"
		"# `other`. See deploy/MANUAL.md, \"Groups\".\n"
		"# groups:\n"
		"#   - name: project\n"
		"#     by:\n"
		"#       - partition\n"
		"#       - label: campaign\n"
		"#         from: name\n"
		"#         regex: ([a-z]+)-[0-9]+.*\n"
		"#     metrics: [jobs, cpus, memory, gpus, ends, waits, runtimes, use]\n"
		"#     limit: 100\n");
	buf_add_string(
		out,
		"\n# One process can read several clusters. Name each one here: all its metrics have the name in the label\n"
		"# `cluster`. Options above hold for all clusters, options below a name for that cluster alone. Options of\n"
		"# web, log and sandbox cannot stand below a name. Each cluster needs its own state.path.\n"
		"# clusters:\n"
		"#   alpha:\n"
		"#     slurmrestd: {url: \"https://alpha.example:6820\", token-file: /run/slurmscope/alpha.token}\n"
		"#     state: {path: /var/lib/slurmscope/alpha.db}\n"
		"#   beta:\n"
		"#     slurmrestd: {url: \"https://beta.example:6820\", token-file: /run/slurmscope/beta.token}\n"
		"#     state: {path: /var/lib/slurmscope/beta.db}\n"
		"#     interval: {nodes: 2m}\n");
}
