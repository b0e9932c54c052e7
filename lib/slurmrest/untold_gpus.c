#include "slurmrest/untold_gpus.h"

#include "model/number.h"
#include "model/tres.h"

#include <inttypes.h>
#include <stdio.h>

struct gpus {
	struct gres types[TRES_GRES_MAX];
	unsigned count;
};

static bool is_gpu(const struct gres *gres)
{
	return gres->count && text_equal(gres->name, TEXT("gpu"));
}

static void add(struct gpus *gpus, const struct gres *gres, uint64_t times)
{
	struct gres all = *gres;
	if (is_gpu(gres) && !__builtin_mul_overflow(gres->count, times, &all.count))
		gpus->count = gres_add(gpus->types, gpus->count, &all);
}

static uint64_t at_least_one(uint64_t number)
{
	return number_is_known(number) && number ? number : 1;
}

/* The first of these that names GPUs. */
static void find_asked(const struct job *job, struct gpus *gpus)
{
	uint64_t nodes = at_least_one(job->nodes);
	const struct {
		struct text list;
		uint64_t times;
	} rows[] = {{job->gres_per_job, 1},
		    {job->gres_per_node, nodes},
		    {job->gres_per_task, at_least_one(job->tasks)},
		    {job->gres_per_socket, nodes * at_least_one(job->sockets_per_node)}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows && !gpus->count; i++) {
		struct text rest = rows[i].list;
		struct gres gres;
		while (gres_next_asked(&rest, &gres))
			add(gpus, &gres, rows[i].times);
	}
}

/* Does Slurm tell? A job that is suspended under select/linear has "gpu:a100:0": it holds none of those that it asked for. */
static bool find_held(const struct job *job, struct gpus *gpus)
{
	struct text rest = job->gres_held;
	struct gres gres;
	bool is_told = false;
	while (gres_next(&rest, &gres)) {
		is_told |= text_equal(gres.name, TEXT("gpu"));
		add(gpus, &gres, 1);
	}
	return is_told;
}

/* "gres/gpu" and its types, but not "gres/gpumem". */
static bool names_gpus(struct text list)
{
	struct tres tres;
	while (tres_next(&list, &tres))
		if (text_starts_with(tres.name, "gres/gpu") && (tres.name.len == 8 || tres.name.bytes[8] == ':'))
			return true;
	return false;
}

/* As Slurm lists them: all, and those of each type. */
static void append(struct text *list, const struct gpus *gpus, struct arena *texts)
{
	char number[32];
	uint64_t all = 0;
	for (unsigned i = 0; i < gpus->count; i++)
		all += gpus->types[i].count;
	if (!all)
		return;
	snprintf(number, sizeof number, "gres/gpu=%" PRIu64, all);
	struct text told = *list;
	*list = TEXT(""); /* arena_append appends to its own */
	arena_append(texts, list, ',', told);
	arena_append(texts, list, ',', text_of(number));
	for (unsigned i = 0; i < gpus->count; i++) {
		if (!gpus->types[i].type.len)
			continue;
		arena_append(texts, list, ',', TEXT("gres/gpu"));
		arena_append(texts, list, ':', gpus->types[i].type);
		snprintf(number, sizeof number, "%" PRIu64, gpus->types[i].count);
		arena_append(texts, list, '=', text_of(number));
	}
}

void untold_gpus_tell(struct job *job, struct arena *texts)
{
	struct gpus asked = {.count = 0}, held = {.count = 0};
	bool holds = job->node_list.len && !names_gpus(job->tres_allocated);
	if (!names_gpus(job->tres_requested))
		find_asked(job, &asked);
	bool is_told = holds && find_held(job, &held);
	job->has_untold_gpus = asked.count || held.count;
	append(&job->tres_requested, &asked, texts);
	if (holds)
		append(&job->tres_allocated, is_told ? &held : &asked, texts);
	job->gres_per_job = job->gres_per_task = job->gres_per_socket = job->gres_held = TEXT("");
}
