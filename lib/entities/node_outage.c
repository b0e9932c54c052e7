#include "entities/node_outage.h"

#define BIT(flag) (UINT64_C(1) << NODE_FLAG_##flag)

const char *const outage_kind_names[OUTAGE_KINDS] = {
	[OUTAGE_NONE] = "none",		[OUTAGE_MAINTENANCE] = "maintenance",
	[OUTAGE_DRAINING] = "draining", [OUTAGE_DRAINED] = "drained",
	[OUTAGE_DOWN] = "down",
};

/* Slurm powers it down, or has done so. A reason of somebody else's, or that it did not come up again, outlasts that. */
static bool saves_power(const struct node *node)
{
	return node->flags & (BIT(POWER_DOWN) | BIT(POWER_DRAIN) | BIT(POWERING_DOWN) | BIT(POWERED_DOWN)) &&
	       (!node->reason.len || text_equal(node->reason, TEXT("POWER_DOWN_ASAP")));
}

enum outage_kind node_outage(const struct node *node)
{
	bool is_busy = node->state == NODE_ALLOCATED || node->state == NODE_MIXED || node->flags & BIT(COMPLETING);
	if (node->state == NODE_UNKNOWN)
		return OUTAGE_UNKNOWN;
	if (node->state == NODE_FUTURE)
		return OUTAGE_NONE;
	if (node->flags & BIT(MAINT))
		return OUTAGE_MAINTENANCE;
	if (saves_power(node))
		return OUTAGE_NONE;
	if (node->state == NODE_DOWN || node->state == NODE_ERROR)
		return OUTAGE_DOWN;
	if (node->flags & (BIT(DRAIN) | BIT(FAIL)))
		return is_busy ? OUTAGE_DRAINING : OUTAGE_DRAINED;
	return OUTAGE_NONE;
}

static bool is_name(struct text name)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz_0123456789";
	bool is_it = name.len && name.len <= NODE_CAUSE_NAME_MAX;
	for (size_t i = 0; is_it && i < name.len; i++)
		is_it = name.bytes[i] && strchr(allowed, name.bytes[i]);
	return is_it;
}

bool node_causes_add(struct node_causes *causes, const char *definition, struct error *err)
{
	struct text rest = text_of(definition), name = text_cut(&rest, '=');
	if (!is_name(name) || name.len == strlen(definition))
		return error_set(
			err,
			"%.300s is not a name, = and a regular expression; a name has small letters, digits and _, %d at most",
			definition, NODE_CAUSE_NAME_MAX);
	const char *regex = definition + name.len + 1;
	if (causes->count == NODE_CAUSES_MAX)
		return error_set(err, "more than %d causes", NODE_CAUSES_MAX);
	if (!*regex || strlen(regex) > NODE_CAUSE_REGEX_MAX || pattern_size(regex) > NODE_CAUSE_SIZE_MAX)
		return error_set(err, "%.*s: the expression is empty or too large", (int)name.len, name.bytes);
	struct node_cause *cause = &causes->items[causes->count];
	text_to_string(name, cause->name, sizeof cause->name);
	if (!pattern_set(&cause->pattern, regex, err))
		return false;
	causes->count++;
	return true;
}

void node_causes_done(struct node_causes *causes)
{
	for (size_t i = 0; i < causes->count; i++)
		pattern_done(&causes->items[i].pattern);
	causes->count = 0;
}

/* How reasons begin that slurmctld and slurmd give (SLURMRESTD.md, "Nodes out of service"). */
static const struct {
	const char *begin, *cause;
} of_slurm[] = {
	{"Not responding", "not_responding"},
	{"Node unexpectedly rebooted", "unexpected_reboot"},
	{"Kill task failed", "job_failure"},
	{"Job step not running", "job_failure"},
	{"Prolog error", "job_failure"},
	{"Epilog error", "job_failure"},
	{"Prolog/Epilog failure", "job_failure"},
	{"SlurmdSpoolDir is full", "job_failure"},
	{"switch_g_job_postfini failed", "job_failure"},
	{"Job env setup error", "job_failure"},
	{"batch job complete failure", "job_failure"},
	{"Duplicate jobid", "job_failure"},
	{"Low ", "registration"},
	{"gres/", "registration"},
	{"CoreSpec differ", "registration"},
	{"RestrictedCoresPerGPU", "registration"},
	{"Reported active features", "registration"},
	{"Could not unpack gres data", "registration"},
	{"Failed to parse dynamic_conf", "registration"},
	{"Failed to set topology", "registration"},
	{"Bad core count", "registration"},
	{"Invalid KNL modes", "registration"},
	{"NO NETWORK ADDRESS FOUND", "registration"},
	{"reboot ", "reboot"},
	{"Reboot ", "reboot"},
	{"ResumeTimeout reached", "power"},
	{"Powered down", "power"},
	{"POWER_DOWN_ASAP", "power"},
};

static struct text cause_by_slurm(const struct node *node)
{
	for (size_t i = 0; i < sizeof of_slurm / sizeof *of_slurm; i++)
		if (text_starts_with(node->reason, of_slurm[i].begin))
			return text_of(of_slurm[i].cause);
	if (node->flags & BIT(INVALID_REG))
		return TEXT("registration");
	if (node->flags & (BIT(REBOOT_REQUESTED) | BIT(REBOOT_ISSUED)))
		return TEXT("reboot");
	if (node->reason.len)
		return TEXT("other");
	return node->flags & BIT(MAINT) ? TEXT("reservation") : TEXT("none");
}

struct text node_cause_of_site(const struct node_causes *causes, struct text reason)
{
	for (size_t i = 0; i < causes->count && reason.len; i++)
		if (pattern_matches(&causes->items[i].pattern, reason, NULL))
			return text_of(causes->items[i].name);
	return TEXT("");
}

struct text node_cause(struct text of_site, const struct node *node)
{
	return of_site.len ? of_site : cause_by_slurm(node);
}
