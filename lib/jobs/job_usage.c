#include "jobs/job_usage.h"

#include "model/tres.h"

enum sign { ADDED, TAKEN_OFF };

void job_usage_init(struct job_usage *usage, struct arena *arena)
{
	map_init(&usage->reasons, arena, sizeof(uint64_t));
	map_init(&usage->gres, arena, sizeof(struct gres_count));
}

void job_usage_done(struct job_usage *usage)
{
	map_done(&usage->reasons);
	map_done(&usage->gres);
}

static void add_gres(struct job_usage *usage, struct text tres, enum job_phase phase, uint128 times)
{
	struct gres gres[TRES_GRES_MAX];
	unsigned count = tres_gres(tres, gres);
	for (unsigned i = 0; i < count; i++)
		gres_count_of(&usage->gres, gres[i].name, gres[i].type)->count[phase] += gres[i].count * times;
}

static void apply(struct job_usage *usage, const struct job_contribution *contribution, enum sign sign)
{
	/* Unsigned numbers wrap: adding the negative takes off exactly what was added. */
	const uint128 times = sign == ADDED ? contribution->tasks : -(uint128)contribution->tasks;
	const uint64_t jobs = (uint64_t)times;
	usage->rows += sign == ADDED ? 1 : UINT64_MAX;
	usage->jobs[contribution->state] += jobs;
	for (uint64_t flags = contribution->flags; flags; flags &= flags - 1)
		usage->flagged[__builtin_ctzll(flags)] += jobs;
	if (contribution->seen_time > usage->last_active)
		usage->last_active = contribution->seen_time;
	if (contribution->state != JOB_PENDING && contribution->state != JOB_RUNNING)
		return;
	if (contribution->state == JOB_PENDING && !job_usage_is_of_group(usage)) {
		usage->pending[contribution->class] += jobs;
		*reason_count_of(&usage->reasons, contribution->reason) += jobs;
	}
	enum job_phase phase = contribution->state == JOB_RUNNING ? PHASE_RUNNING : PHASE_PENDING;
	usage->cpus[phase] += contribution->cpus * times;
	usage->memory[phase] += contribution->memory * times;
	usage->nodes[phase] += contribution->nodes * times;
	add_gres(usage, contribution->tres, phase, times);
}

void job_usage_add(struct job_usage *usage, const struct job_contribution *contribution)
{
	apply(usage, contribution, ADDED);
	usage->flags_seen |= contribution->flags;
	job_usage_note_extremes(usage, contribution);
}

void job_usage_take_off(struct job_usage *usage, const struct job_contribution *contribution)
{
	apply(usage, contribution, TAKEN_OFF);
	if (contribution->state != JOB_PENDING || job_usage_is_of_group(usage))
		return;
	uint64_t oldest = usage->oldest_pending[contribution->class];
	usage->lacks_extremes |= contribution->submit_time && contribution->submit_time == oldest;
	usage->lacks_extremes |= contribution->class == REASON_STARTABLE && contribution->nodes &&
				 contribution->nodes == usage->max_startable_nodes;
}

void job_usage_forget_extremes(struct job_usage *usage)
{
	memset(usage->oldest_pending, 0, sizeof usage->oldest_pending);
	usage->max_startable_nodes = 0;
	usage->lacks_extremes = false;
}

void job_usage_note_extremes(struct job_usage *usage, const struct job_contribution *contribution)
{
	if (contribution->state != JOB_PENDING || job_usage_is_of_group(usage))
		return;
	uint64_t *oldest = &usage->oldest_pending[contribution->class];
	if (contribution->submit_time && (!*oldest || contribution->submit_time < *oldest))
		*oldest = contribution->submit_time;
	if (contribution->class == REASON_STARTABLE && contribution->nodes > usage->max_startable_nodes)
		usage->max_startable_nodes = contribution->nodes;
}

void job_usage_keep_seen(struct job_usage *usage, const struct job_usage *seen)
{
	usage->flags_seen = seen->flags_seen;
	usage->last_active = seen->last_active;
	for (size_t i = 0; i < seen->reasons.count; i++)
		reason_count_of(&usage->reasons, seen->reasons.entries[i].key);
	gres_count_keep(&usage->gres, &seen->gres);
}
