/* Jobs now: how many are in which state, why they wait, what they hold and ask for. There are rows for the cluster and
 * each partition, account, user and QOS. For operators and users: who waits, for what, and who holds the machine? From
 * the totals of the job table (jobs/job_totals.h). */
#include "metrics/group_metrics.h"

#include <stdlib.h>

static const char *const phase_names[PHASES] = {[PHASE_RUNNING] = "running", [PHASE_PENDING] = "pending"};

static void emit_states(struct exposition *out, const struct page_facts *facts, const struct family *family,
			const void *item)
{
	(void)family;
	const struct job_usage *usage = item;
	family_named(out, "state", &facts->cluster->vocabulary.job_states, JOB_STATES, 0, usage->jobs);
}

/* An owner's jobs that have ended are counted as ends. Here they would be gone after MinJobAge, and most states at zero. A
 * state that slurmscope does not know may be one of live jobs. */
void emit_live_states(struct exposition *out, const struct page_facts *facts, const struct family *family,
		      const void *item)
{
	(void)family;
	const struct job_usage *usage = item;
	const struct names *states = &facts->cluster->vocabulary.job_states;
	for (unsigned state = 0; state < states->count; state++) {
		bool is_live = job_state_is_live((int)state);
		if (!is_live && (state < JOB_STATES || !usage->jobs[state]))
			continue;
		exposition_label(out, "state", text_of(states->name[state]));
		exposition_integer(out, usage->jobs[state]);
	}
}

static void emit_flags(struct exposition *out, const struct page_facts *facts, const struct family *family,
		       const void *item)
{
	(void)family;
	const struct job_usage *usage = item;
	family_named(out, "flag", &facts->cluster->vocabulary.job_flags, 0, usage->flags_seen, usage->flagged);
}

static void emit_pending(struct exposition *out, const struct page_facts *facts, const struct family *family,
			 const void *item)
{
	(void)facts, (void)family;
	const struct map *reasons = &((const struct job_usage *)item)->reasons;
	size_t *order = map_sorted(reasons);
	for (size_t i = 0; i < reasons->count; i++) {
		struct text reason = reasons->entries[order[i]].key;
		exposition_label(out, "class", text_of(reason_class_names[reason_class_of(reason)]));
		exposition_label(out, "reason", reason);
		exposition_integer(out, *(const uint64_t *)reasons->entries[order[i]].value);
	}
	free(order);
}

void emit_phases(struct exposition *out, const struct page_facts *facts, const struct family *family, const void *item)
{
	(void)facts;
	const uint128 *sums = (const void *)((const char *)item + family->offset);
	const uint64_t shown[PHASES] = {uint128_shown(sums[PHASE_RUNNING]), uint128_shown(sums[PHASE_PENDING])};
	family_listed(out, "state", phase_names, PHASES, shown);
}

void emit_job_gres(struct exposition *out, const struct page_facts *facts, const struct family *family,
		   const void *item)
{
	(void)facts, (void)family;
	family_gres(out, &((const struct job_usage *)item)->gres, phase_names, PHASES);
}

static void emit_oldest(struct exposition *out, const struct page_facts *facts, const struct family *family,
			const void *item)
{
	(void)facts, (void)family;
	const struct job_usage *usage = item;
	for (int class = 0; class < REASON_CLASSES; class ++) {
		if (!usage->oldest_pending[class])
			continue;
		exposition_label(out, "class", text_of(reason_class_names[class]));
		exposition_integer(out, usage->oldest_pending[class]);
	}
}

enum { OWNERS = (1 << ENTITY_KINDS) - 1 - (1 << ENTITY_CLUSTER) };

static const struct family job_families[] = {
	{"slurm_{X}_jobs", GAUGE, "state",
	 "Jobs of the {X} by base state, each array task counted; ended ones only as long as slurmctld "
	 "remembers them (MinJobAge).",
	 emit_states, 0, 0, 1 << ENTITY_CLUSTER},
	{"slurm_{X}_jobs", GAUGE, "state",
	 "Jobs of the {X} by base state, each array task counted, without ended ones.", emit_live_states, 0, 0, OWNERS},
	{"slurm_{X}_jobs_flagged", GAUGE, "flag",
	 "Jobs of the {X} that have the flag, such as completing or configuring.", emit_flags, 0, 0, 0},
	{"slurm_{X}_pending_jobs", GAUGE, "class,reason",
	 "Pending jobs of the {X} by Slurm's reason, and its class: startable, held, dependency, limit, other, unknown.",
	 emit_pending, 0, 0, 0},
	{"slurm_{X}_job_cpus", GAUGE, "state", "CPUs that the {X}'s running jobs hold and its pending jobs ask for.",
	 emit_phases, offsetof(struct job_usage, cpus), 0, 0},
	{"slurm_{X}_job_memory_bytes", GAUGE, "state",
	 "Memory that the {X}'s running jobs hold and its pending jobs ask for.", emit_phases,
	 offsetof(struct job_usage, memory), 0, 0},
	{"slurm_{X}_job_nodes", GAUGE, "state",
	 "Nodes that the {X}'s running jobs hold and its pending jobs ask for; a shared node counts for "
	 "each job.",
	 emit_phases, offsetof(struct job_usage, nodes), 0, 0},
	{"slurm_{X}_job_gres", GAUGE, "gres,type,state",
	 "Generic resources that the {X}'s running jobs hold and its pending jobs ask for; those without "
	 "a type were not typed. Only what AccountingStorageTRES names.",
	 emit_job_gres, 0, 0, 0},
	{"slurm_{X}_oldest_pending_timestamp_seconds", GAUGE, "class", "Submit time of the {X}'s longest waiting job.",
	 emit_oldest, 0, 0, 0},
	{"slurm_{X}_pending_job_max_nodes", GAUGE, NULL,
	 "The largest node request among the {X}'s startable pending jobs.", emit_number,
	 offsetof(struct job_usage, max_startable_nodes), 1, 1 << ENTITY_PARTITION},
};

/* Is the entity's row complete? While details are missing, only the cluster's states are. */
static bool is_known(const struct family_sink *sink, int kind)
{
	bool needs_states = sink->family->emit == emit_states || sink->family->emit == emit_flags;
	return cluster_detailed_jobs(sink->facts->cluster) || (kind == ENTITY_CLUSTER && needs_states);
}

void each_job_usage(struct family_sink *sink, int kind)
{
	const struct job_totals *jobs = sink->facts->cluster->jobs;
	if (!jobs || !is_known(sink, kind))
		return;
	const struct map *entities = &jobs->entities[kind];
	size_t *order = map_sorted(entities);
	for (size_t i = 0; i < entities->count; i++) {
		const struct job_usage *usage = entities->entries[order[i]].value;
		family_entity_row(sink, kind, entities->entries[order[i]].key, usage->label);
		family_item(sink, usage);
	}
	free(order);
	if (jobs->others[kind]) {
		family_other_row(sink, kind);
		family_item(sink, jobs->others[kind]);
	}
}

const struct family_group job_group = {
	.collect = COLLECT_JOBS,
	GROUP_FAMILIES(job_families),
	.kinds = 1u << ENTITY_CLUSTER | 1u << ENTITY_PARTITION | 1u << ENTITY_ACCOUNT | 1u << ENTITY_USER |
		 1u << ENTITY_QOS,
	.origin = {.source = "jobs"},
	.owners = OWNER_ANY,
	.each = each_job_usage,
};
