#include "cluster/jobs.h"

#include "base/buf.h"
#include "base/memory.h"
#include "model/tres.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { USER_SHOWN_S = 24 * 3600 };

/* One record's contribution to each entity it belongs to. */
struct addition {
	const struct job *job;
	uint64_t count; /* jobs that the record stands for */
	int phase;      /* enum job_phase, or -1 */
	enum reason_class class;
	uint64_t cpus, memory, nodes; /* of all of them */
	int64_t now;
};

static void usage_init(struct job_usage *usage, struct arena *arena, struct text label,
		       struct text second)
{
	usage->label[0] = label;
	usage->label[1] = second;
	map_init(&usage->reasons, arena, sizeof(uint64_t));
	map_init(&usage->gres, arena, sizeof(struct gres_count));
}

/* Finds or makes the entity; its labels are the parts of its key. */
static struct job_usage *entity(struct jobs_section *section, enum entity_kind kind,
				struct text name, struct text second)
{
	struct map *map = &section->entities[kind];
	struct buf key = BUF_INIT;
	entity_key(&key, kind, name, second);
	size_t before = map->count;
	struct job_usage *usage = map_add(map, buf_text(&key));
	if (map->count != before) {
		struct text rest = map->entries[before].key, label = text_cut(&rest, '\0');
		usage_init(usage, &section->arena, label, rest);
	}
	buf_done(&key);
	return usage;
}

static void keep_seen(struct jobs_section *section, enum entity_kind kind,
		      const struct job_usage *seen)
{
	struct job_usage *usage = entity(section, kind, seen->label[0], seen->label[1]);
	usage->flags_seen = seen->flags_seen;
	usage->last_active = seen->last_active;
	for (size_t i = 0; i < seen->reasons.count; i++)
		reason_count_of(&usage->reasons, seen->reasons.entries[i].key);
	gres_count_keep(&usage->gres, &seen->gres);
}

static bool stays(enum entity_kind kind, const struct job_usage *seen, const struct map *partitions,
		  int64_t now)
{
	if (kind == ENTITY_USER)
		return now - seen->last_active < USER_SHOWN_S;
	if (kind == ENTITY_PARTITION && partitions)
		return map_find(partitions, seen->label[0]);
	return true;
}

struct jobs_section *jobs_section_new(const struct jobs_section *previous,
				      const struct map *partitions, int64_t now)
{
	struct jobs_section *section = NEW(struct jobs_section);
	for (int kind = 0; kind < ENTITY_KINDS; kind++) {
		map_init(&section->entities[kind], &section->arena, sizeof(struct job_usage));
		for (size_t i = 0; previous && i < previous->entities[kind].count; i++) {
			const struct job_usage *seen = previous->entities[kind].entries[i].value;
			if (stays((enum entity_kind)kind, seen, partitions, now))
				keep_seen(section, (enum entity_kind)kind, seen);
		}
	}
	map_init(&section->split_pending, &section->arena, sizeof(uint64_t));
	map_init(&section->reservation_cpus, &section->arena, sizeof(uint64_t));
	charges_init(&section->charges, &section->arena);
	entity(section, ENTITY_CLUSTER, TEXT(""), TEXT(""));
	for (size_t i = 0; partitions && i < partitions->count; i++)
		entity(section, ENTITY_PARTITION, partitions->entries[i].key, TEXT(""));
	return section;
}

/* CPUs, memory and nodes as the TRES string has them; it rounds on some releases, but it is what the
 * job holds. Without one (a pending job of an old release): the request's own members. */
static void measure(struct addition *addition)
{
	const struct job *job = addition->job;
	struct text rest = addition->phase == PHASE_RUNNING ? job->tres_allocated
							     : job->tres_requested;
	struct tres tres;
	uint64_t cpus = number_is_known(job->cpus) ? job->cpus : 0;
	uint64_t nodes = number_is_known(job->nodes) ? job->nodes : 0;
	uint64_t memory = number_is_known(job->memory_per_node)  ? job->memory_per_node * nodes
			  : number_is_known(job->memory_per_cpu) ? job->memory_per_cpu * cpus
								 : 0;
	while (tres_next(&rest, &tres)) {
		if (text_equal(tres.name, TEXT("cpu")))
			cpus = tres.count;
		else if (text_equal(tres.name, TEXT("node")))
			nodes = tres.count;
		else if (text_equal(tres.name, TEXT("mem")))
			memory = tres.count;
	}
	addition->cpus = cpus * addition->count;
	addition->nodes = nodes * addition->count;
	addition->memory = memory * addition->count;
}

/* gres/gpu=4,gres/gpu:a100=2 means four GPUs, two of them a100: the untyped row gets the rest. */
static void add_gres(struct job_usage *usage, const struct addition *addition)
{
	bool is_running = addition->phase == PHASE_RUNNING;
	struct text all = is_running ? addition->job->tres_allocated : addition->job->tres_requested;
	struct text rest = all, name, type;
	struct tres tres;
	while (tres_next(&rest, &tres)) {
		if (!tres_is_gres(tres.name, &name, &type))
			continue;
		uint64_t count = tres.count;
		struct text others = all, other_name, other_type;
		struct tres other;
		while (!type.len && tres_next(&others, &other))
			if (tres_is_gres(other.name, &other_name, &other_type) && other_type.len &&
			    text_equal(name, other_name))
				count -= other.count < count ? other.count : count;
		if (count)
			gres_count_of(&usage->gres, name, type)->count[addition->phase] +=
				count * addition->count;
	}
}

static void add_pending(struct job_usage *usage, const struct addition *addition)
{
	const struct job *job = addition->job;
	enum reason_class class = addition->class;
	usage->pending[class] += addition->count;
	if (number_is_known(job->submit_time) && job->submit_time &&
	    (!usage->oldest_pending[class] || job->submit_time < usage->oldest_pending[class]))
		usage->oldest_pending[class] = job->submit_time;
	struct text reason = job->reason.len ? job->reason : TEXT("None");
	*reason_count_of(&usage->reasons, reason) += addition->count;
	uint64_t nodes = addition->count ? addition->nodes / addition->count : 0;
	if (class == REASON_STARTABLE && nodes > usage->max_startable_nodes)
		usage->max_startable_nodes = nodes;
}

static void add_to(struct job_usage *usage, const struct addition *addition)
{
	const struct job *job = addition->job;
	usage->last_active = addition->now;
	usage->jobs[job->state] += addition->count;
	usage->flags_seen |= job->flags;
	for (uint64_t flags = job->flags; flags; flags &= flags - 1)
		usage->flagged[__builtin_ctzll(flags)] += addition->count;
	if (job->state == JOB_PENDING)
		add_pending(usage, addition);
	if (addition->phase < 0)
		return;
	usage->cpus[addition->phase] += addition->cpus;
	usage->memory[addition->phase] += addition->memory;
	usage->nodes[addition->phase] += addition->nodes;
	add_gres(usage, addition);
}

static void add_to_each(struct jobs_section *section, enum entity_kind kind, struct text names,
			const struct addition *addition)
{
	struct text name;
	while (text_next(&names, ',', &name))
		add_to(entity(section, kind, name, TEXT("")), addition);
}

/* A user that the controller cannot resolve goes by the number, as in squeue. */
static void add_to_user(struct jobs_section *section, const struct addition *addition)
{
	const struct job *job = addition->job;
	char number[24];
	struct text user = job->user;
	if (!user.len && number_is_known(job->user_id)) {
		snprintf(number, sizeof number, "%" PRIu64, job->user_id);
		user = text_of(number);
	}
	if (user.len)
		add_to(entity(section, ENTITY_USER, user, job->account), addition);
}

static struct text id_key(const uint64_t *id)
{
	return (struct text){(const char *)id, sizeof *id};
}

static void add(struct jobs_section *section, const struct job *job, uint64_t count, int64_t now)
{
	struct addition addition = {
		.job = job,
		.count = count,
		.phase = job->state == JOB_RUNNING   ? PHASE_RUNNING
			 : job->state == JOB_PENDING ? PHASE_PENDING
						     : -1,
		.class = reason_class_of(job->reason),
		.now = now,
	};
	section->records++;
	section->jobs += count;
	charges_add(&section->charges, job, count, now);
	if (addition.phase >= 0)
		measure(&addition);
	add_to(entity(section, ENTITY_CLUSTER, TEXT(""), TEXT("")), &addition);
	add_to_each(section, ENTITY_PARTITION, job->partitions, &addition);
	add_to_each(section, ENTITY_QOS, job->qos, &addition);
	if (job->account.len)
		add_to(entity(section, ENTITY_ACCOUNT, job->account, TEXT("")), &addition);
	add_to_user(section, &addition);
	if (number_is_known(job->array_task_id) && job->state == JOB_PENDING)
		*(uint64_t *)map_add(&section->split_pending, id_key(&job->array_job_id)) += count;
	if (job->reservation.len && job->state == JOB_RUNNING)
		*(uint64_t *)map_add(&section->reservation_cpus, job->reservation) += addition.cpus;
}

static void keep_aside(struct jobs_section *section, const struct job *job)
{
	GROW(section->cut, section->cut_count, section->cut_capacity);
	section->cut[section->cut_count] = (struct cut_array){.job = *job};
	struct job *copy = &section->cut[section->cut_count++].job;
	struct text *const texts[] = {&copy->array_tasks, &copy->user, &copy->account,
				      &copy->partitions, &copy->qos, &copy->reason,
				      &copy->tres_requested, &copy->tres_allocated, &copy->cluster};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		*texts[i] = arena_copy(&section->arena, *texts[i]);
}

void jobs_section_add(struct jobs_section *section, const struct job *job, int64_t now)
{
	bool is_cut;
	uint64_t count = job_count(job, &is_cut);
	if (is_cut)
		keep_aside(section, job);
	else
		add(section, job, count, now);
}

void jobs_section_settle(struct jobs_section *section, uint64_t count, int64_t now)
{
	struct cut_array *array = &section->cut[section->cut_settled++];
	bool is_cut;
	uint64_t seen = job_count(&array->job, &is_cut);
	section->undercounted += count < seen;
	array->tasks = count < seen ? 0 : count;
	add(section, &array->job, count < seen ? seen : count, now);
}

uint64_t jobs_section_split_pending(const struct jobs_section *section, uint64_t array_job_id)
{
	const uint64_t *count = map_find(&section->split_pending, id_key(&array_job_id));
	return count ? *count : 0;
}

uint64_t jobs_section_cut_tasks(const struct jobs_section *section, uint64_t job_id)
{
	for (size_t i = 0; section && i < section->cut_count; i++)
		if (section->cut[i].job.id == job_id)
			return section->cut[i].tasks;
	return 0;
}

void jobs_section_unfold(struct jobs_section *section)
{
	for (int kind = 0; kind < ENTITY_KINDS; kind++) {
		if (!section->others[kind])
			continue;
		map_done(&section->others[kind]->reasons);
		map_done(&section->others[kind]->gres);
		section->others[kind] = NULL;
	}
	arena_clear(&section->others_arena);
}

struct job_usage *jobs_section_other(struct jobs_section *section, enum entity_kind kind)
{
	struct job_usage **other = &section->others[kind];
	if (!*other) {
		*other = arena_new(&section->others_arena, sizeof **other);
		usage_init(*other, &section->others_arena, LABEL_OTHER, LABEL_OTHER);
	}
	return *other;
}

void jobs_section_free(struct jobs_section *section)
{
	if (!section)
		return;
	jobs_section_unfold(section);
	arena_done(&section->others_arena);
	for (int kind = 0; kind < ENTITY_KINDS; kind++) {
		for (size_t i = 0; i < section->entities[kind].count; i++) {
			struct job_usage *usage = section->entities[kind].entries[i].value;
			map_done(&usage->reasons);
			map_done(&usage->gres);
		}
		map_done(&section->entities[kind]);
	}
	map_done(&section->split_pending);
	map_done(&section->reservation_cpus);
	charges_done(&section->charges);
	arena_done(&section->arena);
	free(section->cut);
	free(section);
}
