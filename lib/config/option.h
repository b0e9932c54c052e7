/* The table of options and their values, for what reads, writes and explains them. */
#pragma once

#include "config/config.h"

enum option_type {
	OPTION_STRING,
	OPTION_CHOICE,
	OPTION_SET, /* some of the choices, with commas between; a bit for each */
	OPTION_SECONDS,
	OPTION_ROWS,
	OPTION_ID,
	OPTION_DECIMAL,
	OPTION_DECIMAL_OR_0,
	OPTION_PATTERN,
	OPTION_FLAG,
	OPTION_LABELS,
	OPTION_LIST,
	OPTION_GROUP, /* the name of a group of options, or nothing */
};

struct option_row {
	const char *name; /* without the dashes; nested at its dots in a configuration file */
	enum option_type type;
	size_t offset;
	const char *initial; /* NULL: none */
	const char *value; /* what --help calls it, such as PERCENT; in brackets if it may be left out */
	const char *help;
	const char *const *choices;
};

extern const struct option_row option_table[];
extern const size_t option_count;

const struct option_row *option_find(const char *name, size_t len); /* NULL if there is none */

bool option_is_command(const struct option_row *row); /* such as --once; not in a configuration file */
bool option_is_of_process(const struct option_row *row); /* not of a cluster */
bool option_is_fixed(const struct option_row *row); /* takes effect only at the next start */

/* Reads the value as the command line has it; an OPTION_FLAG's is true or false. The text is borrowed. Errors do not name
 * the option. */
bool option_set(struct config *config, const struct option_row *row, const char *value, struct error *err);
bool option_add_label(struct config_labels *labels, struct text name, struct text value, struct error *err);

/* From now on the next value replaces a list, and is not added to it. */
void option_begin_lists(struct config *config);

const char *option_separator(const struct option_row *row); /* between name and value: "=", " " or nothing */

/* option_describe: its meaning and its choices. option_explain: these, and the default with its unit. */
void option_describe(const struct option_row *row, struct buf *out);
void option_explain(const struct option_row *row, struct buf *out);

bool option_has_value(const struct config *config, const struct option_row *row);
bool option_is_same(const struct config *a, const struct config *b, const struct option_row *row);
void option_write(const struct config *config, const struct option_row *row, struct buf *out); /* as YAML */
