/* The groups of jobs that a configuration file defines (entities/job_groups.h), from YAML and back. */
#pragma once

#include "entities/job_groups.h"
#include "yaml/document.h"

/* Reads the list below the key `groups` into an empty *ret_groups, which the caller ends with job_groups_done. False: *err
 * says what is wrong, and where in the file. */
bool config_groups_read(const struct document *file, const struct yaml_node *node, struct job_groups *ret_groups,
			struct error *err);

/* As a configuration file has them, the key included; nothing if there are none. */
void config_groups_write(const struct job_groups *groups, unsigned indent, struct buf *out);

/* Do they have a label of that name? */
bool config_groups_have_label(const struct job_groups *groups, const char *name);
