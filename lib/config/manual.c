#include "config/manual.h"

#include "base/version.h"
#include "config/group.h"
#include "config/option.h"
#include "config/report_options.h"

/* Escapes text for man(7): no line is taken for a request, and readers can copy what they are to type. */
static void put(struct buf *out, const char *text)
{
	for (const char *c = text; *c; c++) {
		bool begins_line = !out->len || out->bytes[out->len - 1] == '\n';
		if (begins_line && (*c == '.' || *c == '\''))
			buf_add_string(out, "\\&");
		if (*c == '\\')
			buf_add_string(out, "\\e");
		else if (*c == '-')
			buf_add_string(out, "\\-");
		else if (*c == '\'' || *c == '`')
			buf_add_string(out, *c == '\'' ? "\\(aq" : "\\(ga");
		else
			buf_add_char(out, *c);
	}
}

static void put_title(struct buf *out, const char *name, const char *section, const char *about)
{
	buf_printf(out, ".\\\" Made by slurmscope --print-manual.\n.TH %s %s \"\" \"slurmscope %s\" \"slurmscope\"\n",
		   name, section, version_number);
	buf_add_string(out, ".SH NAME\n");
	put(out, name);
	buf_add_string(out, " \\- ");
	put(out, about);
	buf_add_char(out, '\n');
}

static void put_section(struct buf *out, const char *title)
{
	buf_printf(out, ".SH %s\n", title);
}

static void put_paragraph(struct buf *out, const char *text)
{
	buf_add_string(out, ".PP\n");
	put(out, text);
	buf_add_char(out, '\n');
}

/* The head of an entry: its name in bold, then its value in italics. */
static void put_item(struct buf *out, const char *name, const char *between, const char *value, const char *text)
{
	buf_add_string(out, ".TP\n\\fB");
	put(out, name);
	buf_add_string(out, "\\fR");
	if (value) {
		put(out, between);
		buf_add_string(out, "\\fI");
		put(out, value);
		buf_add_string(out, "\\fR");
	}
	buf_add_char(out, '\n');
	put(out, text);
	buf_add_char(out, '\n');
}

static void put_option(struct buf *out, const struct option_row *row, bool is_command_line)
{
	const char *before = is_command_line ? "--" : "", *between = is_command_line ? option_separator(row) : ": ";
	struct buf name = BUF_INIT, text = BUF_INIT;
	buf_printf(&name, "%s%s", before, row->name);
	option_explain(row, &text);
	bool is_flag = row->type == OPTION_FLAG && !is_command_line;
	put_item(out, name.bytes, between, is_flag ? "true|false" : row->value, text.bytes);
	buf_done(&name);
	buf_done(&text);
}

/* All options by group, as the command line has them or as the file has them. */
static void put_groups(struct buf *out, bool is_command_line)
{
	for (const struct option_group *group = option_groups; group < option_groups + OPTION_GROUPS; group++) {
		bool has_title = false;
		for (size_t i = 0; i < option_count; i++) {
			const struct option_row *row = &option_table[i];
			if (group_of(row->name) != group || (option_is_command(row) && !is_command_line))
				continue;
			if (!has_title) {
				buf_printf(out, ".SS \"%s: ", group->name);
				put(out, group->title);
				buf_add_string(out, "\"\n");
			}
			has_title = true;
			put_option(out, row, is_command_line);
		}
	}
}

static void write_command(struct buf *out)
{
	put_title(out, "slurmscope", "1", "Slurm's metrics for Prometheus");
	put_section(out, "SYNOPSIS");
	buf_add_string(out, ".B slurmscope\n[\\fIOPTIONS\\fR]\n.br\n.B slurmscope doctor\n[\\fB\\-\\-strict\\fR] "
			    "[\\fIOPTIONS\\fR]\n.br\n.B slurmscope report\n[\\fIOPTIONS OF REPORT\\fR]\n");
	put_section(out, "DESCRIPTION");
	put_paragraph(
		out,
		"slurmscope reads jobs, nodes, partitions, fairshare, QOS and the daemons' statistics from "
		"slurmrestd, and "
		"serves them to Prometheus. It asks only as often as the budgets allow. Scrapes never reach Slurm.");
	put_paragraph(out,
		      "slurmscope doctor connects as configured, tests everything that slurmscope needs, and says what "
		      "fails and what to do. It looks at the token, at what the token's user may see, and at what each "
		      "endpoint costs. With --strict a warning counts as a failure.");
	put_paragraph(
		out,
		"slurmscope report says who used what in a span of time. It asks the Prometheus that scrapes slurmscope, "
		"or slurmdbd. If something is missing, the report says what, and its exit status is 3.");
	put_section(out, "OPTIONS");
	put_paragraph(
		out,
		"Write --name=value or --name value; --no-name switches off an option that takes no value. A DURATION "
		"is a "
		"number of seconds, or a time such as 30s, 5m or 1h30m. All options except --config.file and the "
		"commands can "
		"stand in a configuration file, see slurmscope.yml(5). slurmscope --help GROUP shows one group.");
	put_groups(out, true);
	put_section(out, "OPTIONS OF REPORT");
	for (size_t i = 0; i < REPORT_OPTIONS; i++) {
		const struct report_option *option = &report_options[i];
		struct buf name = BUF_INIT;
		buf_printf(&name, "--%s", option->name);
		put_item(out, name.bytes, option->value ? "=" : NULL, option->value, option->help);
		buf_done(&name);
	}
	put_section(out, "PATHS");
	put_item(out, "/metrics", NULL, NULL,
		 "The metrics, for Prometheus. /metrics/nodes and ?collect[]=nodes give a part of them, ?cluster= one "
		 "cluster.");
	put_item(out, "/", NULL, NULL,
		 "For people: whether the cluster and slurmscope are well, and how old each number is.");
	put_item(out, "/api/v1/status", NULL, NULL, "The same as JSON.");
	put_item(out, "/jobs", NULL, NULL,
		 "For people: the jobs that have rows of their own. ?user=, ?state= and others choose among them.");
	put_item(out, "/api/v1/jobs", NULL, NULL, "The same as JSON.");
	put_item(out, "/plan", NULL, NULL, "What slurmscope asks Slurm, with which strategy, how often, and why.");
	put_item(out, "/-/healthy, /-/ready", NULL, NULL, "For probes. They never ask Slurm.");
	put_item(out, "/-/reload", NULL, NULL, "POST does the same as SIGHUP, if --web.enable-lifecycle is set.");
	put_section(out, "SIGNALS");
	put_item(out, "SIGHUP", NULL, NULL,
		 "slurmscope reads the configuration again. An invalid one changes nothing.");
	put_item(out, "SIGTERM, SIGINT", NULL, NULL, "slurmscope stops.");
	put_section(out, "ENVIRONMENT");
	put_item(out, "NOTIFY_SOCKET, WATCHDOG_USEC", NULL, NULL,
		 "systemd sets them, see sd_notify(3). slurmscope feeds the watchdog while each cluster's poller makes "
		 "progress.");
	put_item(out, "LISTEN_FDS", NULL, NULL, "With --web.systemd-socket: the sockets that systemd opened.");
	put_section(out, "EXIT STATUS");
	put_paragraph(
		out,
		"0: success. 1: slurmscope could not run, or doctor or --once found something that fails. 2: doctor "
		"or report got invalid options. 3: a report lacks something, which it says.");
	put_section(out, "SEE ALSO");
	put_paragraph(out, "slurmscope.yml(5), slurmrestd(8), scontrol(1)");
}

static void write_file(struct buf *out)
{
	put_title(out, "slurmscope.yml", "5", "configuration of slurmscope");
	put_section(out, "DESCRIPTION");
	put_paragraph(
		out,
		"The file that slurmscope --config.file names is YAML. Its keys are the options of slurmscope(1), "
		"nested at their "
		"dots. Options of the command line override the file. A key that is unknown, has a value of the wrong "
		"kind or "
		"stands there twice is an error; the message gives line and column. slurmscope --example-config "
		"prints a whole "
		"file, slurmscope --check-config checks one.");
	put_paragraph(
		out,
		"At SIGHUP slurmscope reads the file again, and applies it as a whole or not at all. Options of web "
		"and sandbox "
		"take effect at the next start.");
	put_section(out, "EXAMPLE");
	buf_add_string(out, ".PP\n.nf\n.RS 4\n");
	put(out, "slurmrestd:\n  url: unix:/run/slurmscope-slurmrestd/socket\n  token-file: /run/slurmscope/token\n"
		 "state:\n  path: /var/lib/slurmscope/state.db\n");
	buf_add_string(out, ".RE\n.fi\n");
	put_section(out, "KEYS");
	put_groups(out, false);
	put_section(out, "CLUSTERS");
	put_item(out, "clusters", NULL, NULL,
		 "One process can read several clusters. Each stands below this key by its name, which is the label "
		 "`cluster` of all "
		 "its metrics. Keys below a name hold for that cluster alone; those of web, log and sandbox cannot "
		 "stand there. "
		 "Each cluster needs its own state.path.");
	put_section(out, "SEE ALSO");
	put_paragraph(out, "slurmscope(1)");
}

static bool is_file(const char *value)
{
	return value && strcmp(value, "FILE") == 0;
}

static void put_bash_files(struct buf *out, const char *name)
{
	buf_printf(out, "\t--%s) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$value\") ;;\n", name);
}

static void put_choices(struct buf *out, const struct option_row *row)
{
	for (const char *const *choice = row->choices; choice && *choice; choice++)
		buf_printf(out, "%s%s", choice == row->choices ? "" : " ", *choice);
}

static void put_group_names(struct buf *out)
{
	for (size_t i = 0; i < OPTION_GROUPS; i++)
		buf_printf(out, "%s%s", i ? " " : "", option_groups[i].name);
}

static void write_bash(struct buf *out)
{
	buf_add_string(
		out,
		"# Made by slurmscope --print-manual=bash.\n_slurmscope()\n{\n\tlocal words='doctor --strict report");
	for (size_t i = 0; i < REPORT_OPTIONS; i++)
		if (i != REPORT_HELP)
			buf_printf(out, " --%s%s", report_options[i].name, report_options[i].value ? "=" : "");
	for (size_t i = 0; i < option_count; i++)
		buf_printf(out, " --%s%s", option_table[i].name, *option_separator(&option_table[i]) == '=' ? "=" : "");
	buf_add_string(out, "'\n\tlocal line=${COMP_LINE:0:COMP_POINT} cur name "
			    "value\n\tcur=${line##*[[:space:]]}\n\tname=${cur%%=*}\n"
			    "\tCOMPREPLY=()\n\tif [[ $line =~ --help[[:space:]]+[^-[:space:]]*$ ]]; then\n"
			    "\t\tmapfile -t COMPREPLY < <(compgen -W '");
	put_group_names(out);
	buf_add_string(
		out,
		"' -- \"$cur\")\n\t\treturn\n\tfi\n\tif [[ $cur != *=* ]]; then\n\t\tmapfile -t COMPREPLY < <(compgen "
		"-W \"$words\" -- \"$cur\")\n"
		"\t\t[[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace\n\t\treturn\n\tfi\n\tvalue=${cur#*=}\n\tcase "
		"$name in\n");
	for (size_t i = 0; i < option_count; i++) {
		const struct option_row *row = &option_table[i];
		if (is_file(row->value))
			put_bash_files(out, row->name);
		if (!row->choices)
			continue;
		buf_printf(out, "\t--%s) mapfile -t COMPREPLY < <(compgen -W '", row->name);
		put_choices(out, row);
		buf_add_string(out, "' -- \"$value\") ;;\n");
	}
	for (size_t i = 0; i < REPORT_OPTIONS; i++)
		if (is_file(report_options[i].value))
			put_bash_files(out, report_options[i].name);
	buf_add_string(out, "\tesac\n}\ncomplete -F _slurmscope slurmscope\n");
}

/* Within single quotes, and what _arguments would take for its own. */
static void put_zsh(struct buf *out, const char *text)
{
	for (const char *c = text; *c; c++) {
		if (*c == '\'')
			buf_add_string(out, "'\\''");
		else if (strchr("[]:\\", *c))
			buf_printf(out, "\\%c", *c);
		else
			buf_add_char(out, *c);
	}
}

static void write_zsh(struct buf *out)
{
	buf_add_string(out, "#compdef slurmscope\n# Made by slurmscope --print-manual=zsh.\n_arguments \\\n");
	for (size_t i = 0; i < option_count; i++) {
		const struct option_row *row = &option_table[i];
		bool is_optional = *option_separator(row) == ' ';
		buf_printf(out, "\t'--%s%s[", row->name, row->value && !is_optional ? "=" : "");
		put_zsh(out, row->help);
		buf_add_char(out, ']');
		if (row->value) {
			buf_add_string(out, is_optional ? "::" : ":");
			put_zsh(out, row->value);
			buf_add_string(out, is_file(row->value) ? ":_files" : row->choices || is_optional ? ":(" : ":");
			put_choices(out, row);
			if (is_optional)
				put_group_names(out);
			buf_add_string(out, row->choices || is_optional ? ")" : "");
		}
		buf_add_string(out, "' \\\n");
	}
	for (size_t i = 0; i < REPORT_OPTIONS; i++) {
		const struct report_option *option = &report_options[i];
		if (i == REPORT_HELP)
			continue;
		buf_printf(out, "\t'--%s%s[", option->name, option->value ? "=" : "");
		put_zsh(out, "with report: ");
		put_zsh(out, option->help);
		buf_printf(out, "]%s%s%s' \\\n", option->value ? ":" : "", option->value ? option->value : "",
			   is_file(option->value) ? ":_files"
			   : option->value	  ? ":"
						  : "");
	}
	buf_add_string(
		out, "\t'--strict[with doctor\\: a warning counts as a failure]' \\\n\t'1:command:(doctor report)'\n");
}

void manual_write(enum manual manual, struct buf *out)
{
	static void (*const writers[])(struct buf * out) = {[MANUAL_COMMAND] = write_command,
							    [MANUAL_FILE] = write_file,
							    [MANUAL_BASH] = write_bash,
							    [MANUAL_ZSH] = write_zsh};
	writers[manual](out);
}
