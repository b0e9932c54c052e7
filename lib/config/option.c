#include "config/option.h"

#include "config/group.h"

#include <stdlib.h>

enum { DECIMAL_MAX = 1000, SECONDS_MAX = 24 * 3600 };

const struct option_row *option_find(const char *name, size_t len)
{
	for (size_t i = 0; i < option_count; i++)
		if (strlen(option_table[i].name) == len && strncmp(option_table[i].name, name, len) == 0)
			return &option_table[i];
	return NULL;
}

static bool begins_with(const struct option_row *row, const char *prefix)
{
	return strncmp(row->name, prefix, strlen(prefix)) == 0;
}

bool option_is_command(const struct option_row *row)
{
	bool is_setting =
		strchr(row->name, '.') || row->type == OPTION_LABELS || row->initial || begins_with(row, "ha-");
	return !is_setting || begins_with(row, "config.");
}

bool option_is_of_process(const struct option_row *row)
{
	return option_is_command(row) || option_is_fixed(row) || begins_with(row, "log.");
}

bool option_is_fixed(const struct option_row *row)
{
	return begins_with(row, "web.") || begins_with(row, "sandbox");
}

static bool set_choice(uint64_t *member, const struct option_row *row, const char *value, struct error *err)
{
	struct buf all = BUF_INIT;
	for (uint64_t i = 0; row->choices[i]; i++) {
		if (strcmp(row->choices[i], value) == 0) {
			*member = i;
			buf_done(&all);
			return true;
		}
		buf_printf(&all, "%s%s", i ? ", " : "", row->choices[i]);
	}
	error_set(err, "%s is not one of %s", value, all.bytes);
	buf_done(&all);
	return false;
}

static bool set_bits(uint64_t *member, const struct option_row *row, const char *value, struct error *err)
{
	struct text rest = text_of(value), item;
	uint64_t bits = 0;
	while (text_next(&rest, ',', &item)) {
		char name[32];
		uint64_t choice;
		text_to_string(item, name, sizeof name);
		if (!set_choice(&choice, row, name, err))
			return false;
		bits |= UINT64_C(1) << choice;
	}
	*member = bits;
	return bits || error_set(err, "must not be empty");
}

/* "90", "90s" or "1m30s": seconds, minutes and hours, the larger first, as Prometheus writes them. */
static bool to_seconds(const char *text, uint64_t *ret_seconds)
{
	static const struct {
		char unit;
		uint64_t seconds;
	} units[] = {{'d', 86400}, {'h', 3600}, {'m', 60}, {'s', 1}};
	if (text_to_u64(text_of(text), ret_seconds))
		return true;
	*ret_seconds = 0;
	for (size_t i = 0; i < sizeof units / sizeof *units && *text; i++) {
		size_t digits = strspn(text, "0123456789");
		uint64_t number;
		if (text[digits] != units[i].unit)
			continue;
		if (!text_to_u64((struct text){text, digits}, &number) || number > SECONDS_MAX)
			return false;
		*ret_seconds += number * units[i].seconds;
		text += digits + 1;
	}
	return !*text;
}

static bool set_seconds(uint64_t *member, const char *value, struct error *err)
{
	uint64_t seconds;
	if (!to_seconds(value, &seconds) || !seconds || seconds > SECONDS_MAX)
		return error_set(err, "%s is not a time from 1 to 86400 seconds, such as 90, 90s or 5m", value);
	*member = seconds;
	return true;
}

static bool set_number(uint64_t *member, const char *value, uint64_t least, uint64_t most, const char *what,
		       struct error *err)
{
	uint64_t number;
	if (!text_to_u64(text_of(value), &number) || number < least || number > most)
		return error_set(err, "%s is not %s", value, what);
	*member = number;
	return true;
}

static bool set_decimal(double *member, const char *value, bool may_be_0, struct error *err)
{
	char *end;
	double number = strtod(value, &end);
	bool is_large_enough = number > 0 || (may_be_0 && number == 0);
	if (end == value || *end || !is_large_enough || number > DECIMAL_MAX)
		return error_set(err, "%s is not a number %s, up to %d", value, may_be_0 ? "from 0 on" : "above 0",
				 DECIMAL_MAX);
	*member = number;
	return true;
}

static bool set_pattern(const char **member, const char *value, struct error *err)
{
	struct pattern pattern = {NULL, 0};
	if (!*value)
		return error_set(err, "must not be empty");
	if (!pattern_set(&pattern, value, err))
		return false;
	pattern_done(&pattern);
	*member = value;
	return true;
}

static bool is_label_name(struct text name)
{
	static const char first[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
	static const char more[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
	bool is_name = name.len && name.len < CONFIG_LABEL_BYTES && strchr(first, name.bytes[0]);
	for (size_t i = 0; is_name && i < name.len; i++)
		is_name = name.bytes[i] && strchr(more, name.bytes[i]);
	return is_name && !text_starts_with(name, "__");
}

static bool is_utf8(struct text text)
{
	for (size_t len; text.len; text.bytes += len, text.len -= len)
		if (!(len = text_character(text)))
			return false;
	return true;
}

/* Replaces a label of the same name. */
bool option_add_label(struct config_labels *labels, struct text name, struct text value, struct error *err)
{
	struct config_label *label = labels->items, *end = label + labels->count;
	if (!is_label_name(name))
		return error_set(err, "%.*s is not the name of a label", (int)name.len, name.bytes);
	if (!value.len || value.len >= sizeof label->value || !is_utf8(value))
		return error_set(err, "%.*s: the value is empty, too long or not UTF-8", (int)name.len, name.bytes);
	while (label < end && !text_equal(text_of(label->name), name))
		label++;
	if (label == labels->items + CONFIG_LABELS_MAX)
		return error_set(err, "more than %d labels", CONFIG_LABELS_MAX);
	text_to_string(name, label->name, sizeof label->name);
	text_to_string(value, label->value, sizeof label->value);
	labels->count += label == end;
	return true;
}

static bool set_labels(struct config_labels *labels, const char *value, struct error *err)
{
	struct text rest = text_of(value), item;
	while (text_next(&rest, ',', &item)) {
		struct text label = item, name = text_cut(&label, '=');
		if (name.len == item.len)
			return error_set(err, "%.*s is not NAME=VALUE", (int)item.len, item.bytes);
		if (!option_add_label(labels, name, label, err))
			return false;
	}
	return *value || error_set(err, "must not be empty");
}

static bool set_list(struct config_list *list, const char *value, struct error *err)
{
	if (list->is_whole)
		*list = (struct config_list){.count = 0};
	if (!*value)
		return error_set(err, "must not be empty");
	if (list->count == CONFIG_LIST_MAX)
		return error_set(err, "more than %d values", CONFIG_LIST_MAX);
	list->values[list->count++] = value;
	return true;
}

static bool set_group(const char **member, const char *value, struct error *err)
{
	struct buf all = BUF_INIT;
	for (size_t i = 0; i < OPTION_GROUPS; i++)
		buf_printf(&all, "%s%s", i ? ", " : "", option_groups[i].name);
	bool is_known = !*value || group_named(value);
	if (is_known)
		*member = value;
	else
		error_set(err, "%s is not a group of options; the groups are %s", value, all.bytes);
	buf_done(&all);
	return is_known;
}

void option_begin_lists(struct config *config)
{
	for (size_t i = 0; i < option_count; i++)
		if (option_table[i].type == OPTION_LIST)
			((struct config_list *)((char *)config + option_table[i].offset))->is_whole = true;
}

bool option_set(struct config *config, const struct option_row *row, const char *value, struct error *err)
{
	void *member = (char *)config + row->offset;
	switch (row->type) {
	case OPTION_STRING:
		*(const char **)member = value;
		return *value || error_set(err, "must not be empty");
	case OPTION_CHOICE:
		return set_choice(member, row, value, err);
	case OPTION_SET:
		return set_bits(member, row, value, err);
	case OPTION_SECONDS:
		return set_seconds(member, value, err);
	case OPTION_ROWS:
		return set_number(member, value, 0, 1000000, "a number from 0 to 1000000", err);
	case OPTION_ID:
		return set_number(member, value, 1, UINT32_MAX, "a job ID", err);
	case OPTION_DECIMAL:
	case OPTION_DECIMAL_OR_0:
		return set_decimal(member, value, row->type == OPTION_DECIMAL_OR_0, err);
	case OPTION_PATTERN:
		return set_pattern(member, value, err);
	case OPTION_FLAG:
		*(bool *)member = strcmp(value, "true") == 0;
		return true;
	case OPTION_LABELS:
		return set_labels(member, value, err);
	case OPTION_LIST:
		return set_list(member, value, err);
	case OPTION_GROUP:
		return set_group(member, value, err);
	}
	return false;
}

bool option_has_value(const struct config *config, const struct option_row *row)
{
	const void *member = (const char *)config + row->offset;
	if (row->type == OPTION_STRING || row->type == OPTION_PATTERN || row->type == OPTION_GROUP)
		return *(const char *const *)member != NULL;
	if (row->type == OPTION_SET)
		return *(const uint64_t *)member != 0;
	if (row->type == OPTION_LIST)
		return ((const struct config_list *)member)->count;
	return row->type != OPTION_LABELS || ((const struct config_labels *)member)->count;
}

static void write_seconds(struct buf *out, uint64_t seconds)
{
	if (seconds % 3600 == 0)
		buf_printf(out,
			   "%ju"
			   "h",
			   (uintmax_t)seconds / 3600);
	else if (seconds % 60 == 0)
		buf_printf(out, "%jum", (uintmax_t)seconds / 60);
	else
		buf_printf(out, "%jus", (uintmax_t)seconds);
}

static void write_labels(struct buf *out, const struct config_labels *labels)
{
	for (size_t i = 0; i < labels->count; i++) {
		buf_printf(out, "%s%s: ", i ? ", " : "{", labels->items[i].name);
		yaml_write_text(out, labels->items[i].value);
	}
	buf_add_string(out, labels->count ? "}" : "{}");
}

static void write_bits(struct buf *out, const char *const *choices, uint64_t bits)
{
	bool is_first = true;
	for (size_t i = 0; choices[i]; i++)
		if (bits >> i & 1) {
			buf_printf(out, "%s%s", is_first ? "" : ",", choices[i]);
			is_first = false;
		}
}

static void write_list(struct buf *out, const struct config_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		buf_add_string(out, i ? ", " : list->count > 1 ? "[" : "");
		yaml_write_text(out, list->values[i]);
	}
	buf_add_string(out, list->count > 1 ? "]" : "");
}

void option_write(const struct config *config, const struct option_row *row, struct buf *out)
{
	const void *member = (const char *)config + row->offset;
	switch (row->type) {
	case OPTION_STRING:
	case OPTION_PATTERN:
	case OPTION_GROUP:
		yaml_write_text(out, *(const char *const *)member);
		break;
	case OPTION_CHOICE:
		yaml_write_text(out, row->choices[*(const uint64_t *)member]);
		break;
	case OPTION_SET:
		write_bits(out, row->choices, *(const uint64_t *)member);
		break;
	case OPTION_SECONDS:
		write_seconds(out, *(const uint64_t *)member);
		break;
	case OPTION_ROWS:
	case OPTION_ID:
		buf_printf(out, "%ju", (uintmax_t) * (const uint64_t *)member);
		break;
	case OPTION_DECIMAL:
	case OPTION_DECIMAL_OR_0:
		buf_printf(out, "%.15g", *(const double *)member);
		break;
	case OPTION_FLAG:
		buf_add_string(out, *(const bool *)member ? "true" : "false");
		break;
	case OPTION_LABELS:
		write_labels(out, member);
		break;
	case OPTION_LIST:
		write_list(out, member);
		break;
	}
}

bool option_is_same(const struct config *a, const struct config *b, const struct option_row *row)
{
	struct buf texts[2] = {BUF_INIT, BUF_INIT};
	const struct config *both[2] = {a, b};
	for (int i = 0; i < 2; i++)
		if (option_has_value(both[i], row))
			option_write(both[i], row, &texts[i]);
	bool is_same = text_equal(buf_text(&texts[0]), buf_text(&texts[1]));
	buf_done(&texts[0]);
	buf_done(&texts[1]);
	return is_same;
}
