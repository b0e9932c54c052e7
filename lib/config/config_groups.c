#include "config/config_groups.h"

#include <ctype.h>

struct reading {
	const struct document *file;
	struct job_groups *groups;
	struct error *err;
};

static bool wrong(const struct reading *reading, struct yaml_position position, const char *what)
{
	return document_wrong(reading->file, position, reading->err, "groups: %s", what);
}

/* A text in the file; NULL: the node is none. */
static const char *text_at(const struct yaml_node *node)
{
	return node->kind == YAML_SCALAR && !yaml_is_null(node) ? node->text.bytes : NULL;
}

/* -1: not among them. */
static int position_of(const char *name, const char *const *names, int count)
{
	for (int i = 0; i < count; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	return -1;
}

static bool wrong_choice(const struct reading *reading, const struct yaml_node *node, const char *what,
			 const char *const *names, int count)
{
	struct buf all = BUF_INIT;
	for (int i = 0; i < count; i++)
		buf_printf(&all, "%s%s", i ? ", " : "", names[i]);
	document_wrong(reading->file, node->position, reading->err, "groups: %s is not one of %s", what, all.bytes);
	buf_done(&all);
	return false;
}

/* Lower case letters, digits and _, the first a letter. */
static bool is_name(const char *name)
{
	bool is_right = islower((unsigned char)*name) && strlen(name) <= GROUP_NAME_MAX;
	for (const char *c = name; *c; c++)
		is_right &= islower((unsigned char)*c) || isdigit((unsigned char)*c) || *c == '_';
	return is_right;
}

static bool take_name(const struct reading *reading, const struct yaml_node *node, char to[GROUP_NAME_MAX + 1])
{
	const char *name = text_at(node);
	if (!name || !is_name(name))
		return wrong(reading, node->position,
			     "a name has up to 32 lower case letters, digits and _, and begins with a letter");
	memcpy(to, name, strlen(name) + 1);
	return true;
}

/* Labels */

static bool take_source(const struct reading *reading, const struct yaml_node *node, struct group_label *label)
{
	const char *name = text_at(node);
	int source = name ? position_of(name, group_source_names, GROUP_SOURCES) : -1;
	if (source < 0)
		return wrong_choice(reading, node, name ? name : "this", group_source_names, GROUP_SOURCES);
	label->from = (enum group_source)source;
	return true;
}

static bool take_regex(const struct reading *reading, const struct yaml_node *node, struct group_label *label)
{
	const char *regex = text_at(node);
	if (!regex || !*regex || strlen(regex) > GROUP_REGEX_MAX)
		return wrong(reading, node->position, "regex: expected a regular expression of up to 256 bytes");
	memcpy(label->regex, regex, strlen(regex) + 1);
	return true;
}

static bool take_label_members(const struct reading *reading, const struct yaml_node *map, struct group_label *label)
{
	for (const struct yaml_node *node = map->first; node; node = node->next) {
		bool is_taken =
			text_equal(node->key, TEXT("label"))  ? take_name(reading, node, label->name)
			: text_equal(node->key, TEXT("from")) ? take_source(reading, node, label)
			: text_equal(node->key, TEXT("regex"))
				? take_regex(reading, node, label)
				: wrong(reading, node->key_position, "by: the keys are `label`, `from` and `regex`");
		if (!is_taken)
			return false;
	}
	return true;
}

/* The families' own labels, and those that Prometheus or slurmscope add. */
static bool is_reserved(const char *name)
{
	static const char *const names[] = {"state", "gres", "type", "le", "quantile", "cluster", "job", "instance"};
	return position_of(name, names, sizeof names / sizeof *names) >= 0;
}

static bool label_makes_sense(const struct reading *reading, const struct yaml_node *node,
			      const struct job_group *group, struct group_label *label)
{
	struct error why;
	if (!*label->name)
		memcpy(label->name, group_source_names[label->from], strlen(group_source_names[label->from]) + 1);
	if (is_reserved(label->name))
		return document_wrong(reading->file, node->position, reading->err,
				      "groups: by: %s: metrics have another label of this name", label->name);
	for (const struct group_label *other = group->labels; other < label; other++)
		if (strcmp(other->name, label->name) == 0)
			return document_wrong(reading->file, node->position, reading->err,
					      "groups: by: %s: a label of this name stands above", label->name);
	return group_label_complete(label, &why) || wrong(reading, node->position, why.text);
}

static bool take_label(const struct reading *reading, const struct yaml_node *node, struct job_group *group)
{
	struct group_label *label = &group->labels[group->label_count];
	if (group->label_count == GROUP_LABELS_MAX)
		return wrong(reading, node->position, "by: more than three labels");
	if (node->kind == YAML_MAP && !yaml_find(node, "from"))
		return wrong(reading, node->position, "by: needs from, where the label's value comes from");
	bool is_taken =
		node->kind == YAML_MAP ? take_label_members(reading, node, label) : take_source(reading, node, label);
	if (!is_taken || !label_makes_sense(reading, node, group, label))
		return false;
	group->label_count++;
	return true;
}

static bool take_labels(const struct reading *reading, const struct yaml_node *node, struct job_group *group)
{
	if (node->kind != YAML_LIST || !node->first)
		return wrong(reading, node->position, "by: expected a list of one to three labels");
	for (const struct yaml_node *label = node->first; label; label = label->next)
		if (!take_label(reading, label, group))
			return false;
	return true;
}

/* Groups */

static bool take_metrics(const struct reading *reading, const struct yaml_node *node, struct job_group *group)
{
	if (node->kind != YAML_LIST || !node->first)
		return wrong(reading, node->position, "metrics: expected a list, such as [jobs, ends]");
	group->metrics = 0;
	for (const struct yaml_node *item = node->first; item; item = item->next) {
		const char *name = text_at(item);
		int metric = name ? position_of(name, group_metric_names, GROUP_METRICS) : -1;
		if (metric < 0)
			return wrong_choice(reading, item, name ? name : "this", group_metric_names, GROUP_METRICS);
		group->metrics |= 1u << metric;
	}
	return true;
}

static bool take_limit(const struct reading *reading, const struct yaml_node *node, struct job_group *group)
{
	const char *text = text_at(node);
	bool is_number = text && node->is_plain && text_to_u64(text_of(text), &group->max);
	return (is_number && group->max && group->max <= GROUP_LIMIT_MAX) ||
	       wrong(reading, node->position, "limit: expected a number of rows from 1 to 10000");
}

static bool take_member(const struct reading *reading, const struct yaml_node *node, struct job_group *group)
{
	if (text_equal(node->key, TEXT("name")))
		return take_name(reading, node, group->name);
	if (text_equal(node->key, TEXT("by")))
		return take_labels(reading, node, group);
	if (text_equal(node->key, TEXT("metrics")))
		return take_metrics(reading, node, group);
	if (text_equal(node->key, TEXT("limit")))
		return take_limit(reading, node, group);
	return wrong(reading, node->key_position, "the keys are name, by, metrics and limit");
}

static bool group_makes_sense(const struct reading *reading, const struct yaml_node *node,
			      const struct job_group *group)
{
	if (!*group->name || !group->label_count)
		return wrong(reading, node->position, "a group needs name and by");
	for (const struct job_group *other = reading->groups->items; other < group; other++)
		if (strcmp(other->name, group->name) == 0)
			return document_wrong(reading->file, yaml_find(node, "name")->position, reading->err,
					      "groups: %s: a group of this name stands above", group->name);
	return true;
}

static bool take_group(const struct reading *reading, const struct yaml_node *node)
{
	struct job_groups *groups = reading->groups;
	if (node->kind != YAML_MAP)
		return wrong(reading, node->position, "expected a group: name, by, metrics and limit");
	if (groups->count == JOB_GROUPS_MAX)
		return wrong(reading, node->position, "more than eight groups");
	struct job_group *group = &groups->items[groups->count++];
	*group = (struct job_group){.metrics = 1u << GROUP_JOBS | 1u << GROUP_ENDS, .max = GROUP_LIMIT};
	for (const struct yaml_node *member = node->first; member; member = member->next)
		if (!take_member(reading, member, group))
			return false;
	return group_makes_sense(reading, node, group);
}

bool config_groups_read(const struct document *file, const struct yaml_node *node, struct job_groups *ret_groups,
			struct error *err)
{
	const struct reading reading = {file, ret_groups, err};
	if (node->kind != YAML_LIST && !yaml_is_null(node))
		return wrong(&reading, node->position, "expected a list of groups");
	for (const struct yaml_node *group = node->first; group; group = group->next)
		if (!take_group(&reading, group))
			return false;
	return true;
}

bool config_groups_have_label(const struct job_groups *groups, const char *name)
{
	for (size_t i = 0; i < groups->count; i++)
		for (size_t label = 0; label < groups->items[i].label_count; label++)
			if (strcmp(groups->items[i].labels[label].name, name) == 0)
				return true;
	return false;
}

/* Writing */

static void write_label(const struct group_label *label, unsigned indent, struct buf *out)
{
	const char *source = group_source_names[label->from];
	buf_printf(out, "%*s- ", (int)indent, "");
	if (strcmp(label->name, source) == 0 && !*label->regex) {
		buf_printf(out, "%s\n", source);
		return;
	}
	buf_printf(out, "label: %s\n%*sfrom: %s\n", label->name, (int)indent + 2, "", source);
	if (!*label->regex)
		return;
	buf_printf(out, "%*sregex: ", (int)indent + 2, "");
	yaml_write_text(out, label->regex);
	buf_add_char(out, '\n');
}

static void write_group(const struct job_group *group, unsigned indent, struct buf *out)
{
	bool has_some = false;
	buf_printf(out, "%*s- name: %s\n%*sby:\n", (int)indent, "", group->name, (int)indent + 2, "");
	for (size_t i = 0; i < group->label_count; i++)
		write_label(&group->labels[i], indent + 4, out);
	buf_printf(out, "%*smetrics: [", (int)indent + 2, "");
	for (int metric = 0; metric < GROUP_METRICS; metric++) {
		if (!(group->metrics >> metric & 1))
			continue;
		buf_printf(out, "%s%s", has_some ? ", " : "", group_metric_names[metric]);
		has_some = true;
	}
	buf_printf(out, "]\n%*slimit: %ju\n", (int)indent + 2, "", (uintmax_t)group->max);
}

void config_groups_write(const struct job_groups *groups, unsigned indent, struct buf *out)
{
	if (groups->count)
		buf_printf(out, "%*sgroups:\n", (int)indent, "");
	for (size_t i = 0; i < groups->count; i++)
		write_group(&groups->items[i], indent + 2, out);
}
