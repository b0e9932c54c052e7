#include "config/group.h"

#include <string.h>

const struct option_group option_groups[OPTION_GROUPS] = {
	{"general", "configuration file, labels, fail-over, sandbox"},
	{"slurmrestd", "where slurmrestd is, and how slurmscope logs in"},
	{"web", "addresses and pages that slurmscope serves"},
	{"state", "what survives a restart"},
	{"jobs", "how slurmscope reads jobs, and which jobs have rows of their own"},
	{"nodes", "metrics of single nodes"},
	{"names", "hashes in place of names"},
	{"budget", "how much work slurmscope may cause"},
	{"interval", "how fresh the numbers are to be"},
	{"limit", "cardinality limits"},
	{"filter", "which users, accounts, partitions and QOS have rows of their own"},
	{"log", "log lines, which go to standard error"},
	{"commands", "show or check something, and exit"},
};

const struct option_group *group_named(const char *name)
{
	for (size_t i = 0; i < OPTION_GROUPS; i++)
		if (strcmp(option_groups[i].name, name) == 0)
			return &option_groups[i];
	return NULL;
}

const struct option_group *group_of(const char *option)
{
	static const char *const general[] = {"config.file", "labels", "ha", "ha-host", "sandbox"};
	size_t len = strcspn(option, ".");
	for (size_t i = 0; i < OPTION_GROUPS; i++)
		if (strlen(option_groups[i].name) == len && strncmp(option_groups[i].name, option, len) == 0)
			return &option_groups[i];
	for (size_t i = 0; i < sizeof general / sizeof *general; i++)
		if (strcmp(general[i], option) == 0)
			return group_named("general");
	return group_named("commands");
}
