#include "config/setup.h"

#include "base/memory.h"
#include "config/exposure.h"
#include "config/option.h"
#include "metrics/catalogue.h"

#include <stdlib.h>

struct setup_reading {
	struct setup *setup;
	struct error *err;
};

/* The command line overrides the file. */
static bool take_arguments(struct setup_reading *reading, struct config *config)
{
	return config_arguments(config, reading->setup->argc, reading->setup->argv, reading->err);
}

/* Characters of Slurm's ClusterName, and others that need no escape in a label or a URL. */
static bool is_cluster_name(struct text name)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
	return name.len && name.len <= 64 && strspn(name.bytes, allowed) == name.len;
}

static bool read_cluster(struct setup_reading *reading, const struct yaml_node *node)
{
	struct setup *setup = reading->setup;
	struct config *config = &setup->clusters[setup->cluster_count++];
	const struct yaml_node *none;
	*config = setup->process;
	config->name = node->key.bytes;
	if (!is_cluster_name(node->key))
		return document_wrong(setup->document, node->key_position, reading->err,
				      "clusters: %s: a name may have only letters, digits, - _ and .", config->name);
	if (!config_take(config, node, &none, reading->err) || !take_arguments(reading, config) ||
	    !config_makes_sense(config, reading->err))
		return false;
	for (size_t i = 0; i < config->labels.count; i++)
		if (strcmp(config->labels.items[i].name, "cluster") == 0)
			return config_wrong(config, "labels", reading->err,
					    "cluster: slurmscope sets this label itself if there are several clusters");
	return true;
}

/* Two clusters that write to one file would overwrite each other's counters. */
static bool states_are_apart(const struct setup_reading *reading)
{
	const struct setup *setup = reading->setup;
	for (size_t i = 0; i < setup->cluster_count; i++)
		for (size_t before = 0; before < i; before++) {
			const struct config *a = &setup->clusters[before], *b = &setup->clusters[i];
			if (a->state_path && b->state_path && strcmp(a->state_path, b->state_path) == 0)
				return config_wrong(b, "state.path", reading->err,
						    "%s is also that of cluster %s; each cluster needs its own",
						    b->state_path, a->name);
		}
	return true;
}

static bool read_clusters(struct setup_reading *reading, const struct yaml_node *map)
{
	struct setup *setup = reading->setup;
	size_t count = 0;
	if (map->kind != YAML_MAP || !map->first)
		return document_wrong(setup->document, map->position, reading->err,
				      "clusters: expected names of clusters, each with its options");
	for (const struct yaml_node *node = map->first; node; node = node->next)
		count++;
	if (count > CLUSTERS_MAX)
		return document_wrong(setup->document, map->position, reading->err, "clusters: more than %d clusters",
				      CLUSTERS_MAX);
	setup->has_names = true;
	setup->clusters = memory_new(count * sizeof *setup->clusters);
	for (const struct yaml_node *node = map->first; node; node = node->next)
		if (!read_cluster(reading, node))
			return false;
	return states_are_apart(reading);
}

static bool read_file(struct setup_reading *reading, const struct yaml_node **ret_clusters)
{
	struct config *process = &reading->setup->process;
	reading->setup->document = document_read(process->config_file, reading->err);
	process->file = reading->setup->document;
	const struct yaml_node *root = process->file ? document_root(process->file) : NULL;
	return process->file && (!root || config_take(process, root, ret_clusters, reading->err));
}

static bool is_to_run(const struct config *config)
{
	return !config->help && !config->version && !config->example_config && !config->print_manual;
}

static bool read_all(struct setup_reading *reading)
{
	struct setup *setup = reading->setup;
	const struct yaml_node *clusters = NULL;
	config_defaults(&setup->process);
	if (!take_arguments(reading, &setup->process))
		return false;
	if (setup->process.config_file && is_to_run(&setup->process) &&
	    (!read_file(reading, &clusters) || !take_arguments(reading, &setup->process)))
		return false;
	if (clusters)
		return read_clusters(reading, clusters);
	setup->clusters = NEW(struct config);
	setup->clusters[0] = setup->process;
	setup->cluster_count = 1;
	return config_makes_sense(&setup->process, reading->err);
}

struct setup *setup_new(int argc, char *const *argv, bool *ret_is_read, struct error *err)
{
	struct setup *setup = NEW(struct setup);
	struct setup_reading reading = {setup, err};
	atomic_init(&setup->holders, 1);
	setup->argc = argc;
	setup->argv = argv;
	*ret_is_read = read_all(&reading);
	return setup;
}

bool setup_check(const struct setup *setup, struct error *err)
{
	if (!config_check_process(&setup->process, err))
		return false;
	for (size_t i = 0; i < setup->cluster_count; i++)
		if (!config_check(&setup->clusters[i], err))
			return false;
	return true;
}

struct setup *setup_again(const struct setup *setup, struct error *err)
{
	bool is_read;
	struct setup *again = setup_new(setup->argc, setup->argv, &is_read, err);
	if (is_read && setup_check(again, err))
		return again;
	setup_release(again);
	return NULL;
}

void setup_log_exposure(const struct setup *setup)
{
	for (size_t i = 0; i < setup->cluster_count; i++)
		exposure_log(&setup->clusters[i]);
}

void setup_warn_of_fixed(const struct setup *before, const struct setup *setup)
{
	for (size_t i = 0; i < option_count; i++) {
		const struct option_row *row = &option_table[i];
		if (option_is_fixed(row) && !option_is_same(&before->process, &setup->process, row))
			log_line(LOG_LEVEL_WARN, "a change of this option takes effect at the next start", "option",
				 row->name, NULL);
	}
}

void setup_print(const struct setup *setup, struct buf *out)
{
	config_print(&setup->process, NULL, 0, out);
	if (!setup->has_names)
		return;
	buf_add_string(out, "clusters:\n");
	for (size_t i = 0; i < setup->cluster_count; i++) {
		size_t before = out->len;
		buf_printf(out, "  %s:\n", setup->clusters[i].name);
		size_t empty = out->len;
		config_print(&setup->clusters[i], &setup->process, 4, out);
		if (out->len == empty) {
			out->len = before;
			buf_printf(out, "  %s: {}\n", setup->clusters[i].name);
		}
	}
}

static bool are_listed(const struct setup *setup, size_t cluster)
{
	for (size_t i = 0; i < cluster; i++)
		if (setup->clusters[i].groups == setup->clusters[cluster].groups)
			return true;
	return false;
}

void setup_list_metrics(const struct setup *setup, struct buf *out)
{
	catalogue_list(out);
	for (size_t i = 0; i < setup->cluster_count; i++) {
		struct job_groups groups = {.count = 0};
		if (are_listed(setup, i))
			continue;
		config_groups(&setup->clusters[i], &groups);
		catalogue_list_groups(&groups, out);
		job_groups_done(&groups);
	}
}

struct setup *setup_hold(struct setup *setup)
{
	atomic_fetch_add(&setup->holders, 1);
	return setup;
}

void setup_release(struct setup *setup)
{
	if (!setup || atomic_fetch_sub(&setup->holders, 1) > 1)
		return;
	document_free(setup->document);
	free(setup->clusters);
	free(setup);
}
