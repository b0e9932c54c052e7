/* A configuration file: what its keys mean is looked up in the table of options. */
#include "config/config_groups.h"
#include "config/option.h"

static const char maps_only[] = "expected keys and values";

struct taking {
	struct config *config;
	const struct yaml_node *clusters;
	struct error *err;
};

static bool wrong(const struct taking *taking, struct yaml_position position, const char *key, const char *what)
{
	return document_wrong(taking->config->file, position, taking->err, "%s: %s", key, what);
}

static bool take_labels(struct taking *taking, const struct option_row *row, const struct yaml_node *map)
{
	void *labels = (char *)taking->config + row->offset;
	if (map->kind != YAML_MAP)
		return wrong(taking, map->position, row->name, "expected names and values");
	for (const struct yaml_node *label = map->first; label; label = label->next) {
		struct error err;
		if (label->kind != YAML_SCALAR || yaml_is_null(label))
			return wrong(taking, label->position, row->name, "expected a text");
		if (!option_add_label(labels, label->key, label->text, &err))
			return wrong(taking, label->key_position, row->name, err.text);
	}
	return true;
}

static bool take_list(struct taking *taking, const struct option_row *row, const struct yaml_node *list)
{
	for (const struct yaml_node *item = list->first; item; item = item->next) {
		struct error err;
		if (item->kind != YAML_SCALAR || yaml_is_null(item))
			return wrong(taking, item->position, row->name, "expected a text");
		if (!option_set(taking->config, row, item->text.bytes, &err))
			return wrong(taking, item->position, row->name, err.text);
	}
	return list->first || wrong(taking, list->position, row->name, "must not be empty");
}

/* A list, too, may say which of the choices. */
static bool take_set(struct taking *taking, const struct option_row *row, const struct yaml_node *list)
{
	struct error err;
	struct buf names = BUF_INIT;
	bool is_taken = true;
	for (const struct yaml_node *item = list->first; is_taken && item; item = item->next) {
		is_taken = item->kind == YAML_SCALAR || wrong(taking, item->position, row->name, "expected a text");
		buf_printf(&names, "%s%s", names.len ? "," : "", is_taken ? item->text.bytes : "");
	}
	if (is_taken)
		is_taken = option_set(taking->config, row, names.len ? names.bytes : "", &err) ||
			   wrong(taking, list->position, row->name, err.text);
	buf_done(&names);
	return is_taken;
}

/* What is wrong with the form of an option's value; NULL: nothing. */
static const char *shape_wanted(const struct option_row *row, const struct yaml_node *node)
{
	bool is_number = row->type == OPTION_ROWS || row->type == OPTION_ID || row->type == OPTION_DECIMAL ||
			 row->type == OPTION_DECIMAL_OR_0,
	     flag;
	if (row->type == OPTION_FLAG)
		return yaml_to_bool(node, &flag) ? NULL : "expected true or false";
	if (node->kind != YAML_SCALAR)
		return node->kind == YAML_LIST ? "expected a single value, not a list"
					       : "expected a single value, not keys and values";
	if (yaml_is_null(node))
		return "needs a value";
	return is_number && !node->is_plain ? "expected a number, not a text in quotes" : NULL;
}

static bool take_value(struct taking *taking, const struct option_row *row, const struct yaml_node *node)
{
	struct error err;
	if (taking->config->name && option_is_of_process(row))
		return wrong(taking, node->key_position, row->name,
			     "holds for the whole process and cannot be set for one cluster");
	taking->config->positions[row - option_table] = node->position;
	if (row->type == OPTION_LABELS)
		return take_labels(taking, row, node);
	if (row->type == OPTION_LIST && node->kind == YAML_LIST)
		return take_list(taking, row, node);
	if (row->type == OPTION_SET && node->kind == YAML_LIST)
		return take_set(taking, row, node);
	const char *wanted = shape_wanted(row, node);
	if (wanted)
		return wrong(taking, node->position, row->name, wanted);
	bool is_true = false;
	yaml_to_bool(node, &is_true);
	const char *value = row->type == OPTION_FLAG ? (is_true ? "true" : "false") : node->text.bytes;
	return option_set(taking->config, row, value, &err) || wrong(taking, node->position, row->name, err.text);
}

static bool is_beginning_of_some(struct text name)
{
	for (size_t i = 0; i < option_count; i++)
		if (!option_is_command(&option_table[i]) && strncmp(option_table[i].name, name.bytes, name.len) == 0 &&
		    option_table[i].name[name.len] == '.')
			return true;
	return false;
}

static bool take_map(struct taking *taking, struct text prefix, const struct yaml_node *map);

static bool take_member(struct taking *taking, struct text name, const struct yaml_node *node)
{
	const struct option_row *row = option_find(name.bytes, name.len);
	bool has_dot = strchr(node->key.bytes, '.') !=
		       NULL; /* refused: the same option could stand there twice, nested and with a dot */
	if (row && !option_is_command(row) && !has_dot)
		return take_value(taking, row, node);
	if (!has_dot && is_beginning_of_some(name))
		return node->kind == YAML_MAP ? take_map(taking, name, node)
		       : yaml_is_null(node)   ? true /* a key whose members are all commented out */
					      : wrong(taking, node->position, name.bytes, maps_only);
	return wrong(taking, node->key_position, name.bytes, "unknown key; slurmscope --example-config shows all keys");
}

static bool take_groups(struct taking *taking, const struct yaml_node *node)
{
	struct job_groups groups = {.count = 0};
	bool is_taken = config_groups_read(taking->config->file, node, &groups, taking->err);
	taking->config->groups = groups.count ? node : NULL;
	job_groups_done(&groups);
	return is_taken;
}

static bool take_map(struct taking *taking, struct text prefix, const struct yaml_node *map)
{
	bool is_taken = true;
	for (const struct yaml_node *node = map->first; is_taken && node; node = node->next) {
		struct buf name = BUF_INIT;
		buf_printf(&name, "%s%s%s", prefix.len ? prefix.bytes : "", prefix.len ? "." : "", node->key.bytes);
		bool is_clusters = !prefix.len && !taking->config->name && text_equal(node->key, TEXT("clusters"));
		if (is_clusters)
			taking->clusters = node;
		else if (!prefix.len && text_equal(node->key, TEXT("groups")))
			is_taken = take_groups(taking, node);
		else
			is_taken = take_member(taking, text_of(name.len ? name.bytes : ""), node);
		buf_done(&name);
	}
	return is_taken;
}

bool config_take(struct config *config, const struct yaml_node *map, const struct yaml_node **ret_clusters,
		 struct error *err)
{
	struct taking taking = {.config = config, .err = err};
	option_begin_lists(config);
	bool is_taken = map->kind == YAML_MAP ? take_map(&taking, (struct text){NULL, 0}, map)
			: yaml_is_null(map)   ? true
			: config->name	      ? wrong(&taking, map->position, config->name, maps_only)
					      : document_wrong(config->file, map->position, err, "%s", maps_only);
	*ret_clusters = taking.clusters;
	return is_taken;
}
