#include "jobs/node_need.h"

#include "model/tres.h"

#include <inttypes.h>

static void add_gpus(struct node_need *need, struct text type, uint64_t count)
{
	bool has_other = need->gpus && !text_equal(need->gpu_type, type);
	need->gpus += count;
	need->gpu_type = has_other ? TEXT("") : type;
}

static void add_gpus_per_node(struct node_need *need, struct text list)
{
	struct gres gres;
	while (gres_next_asked(&list, &gres))
		if (text_equal(gres.name, TEXT("gpu")))
			add_gpus(need, gres.type, gres.count);
}

/* Of those that it may spread, Slurm gives it at least one of each type on each node. */
static void add_gpus_of_all_nodes(struct node_need *need, struct text list, bool is_one_node)
{
	struct gres gres[TRES_GRES_MAX];
	unsigned count = tres_gres(list, gres);
	for (unsigned i = 0; i < count; i++)
		if (text_equal(gres[i].name, TEXT("gpu")))
			add_gpus(need, gres[i].type, is_one_node ? gres[i].count : 1);
}

static uint64_t told(uint64_t number)
{
	return number_is_known(number) ? number : 0;
}

struct node_need node_need_of(const struct job *job, uint64_t cpus)
{
	bool is_one_node = job->nodes_max == 1;
	uint64_t of_cpus, least = is_one_node ? cpus : told(job->cpus_per_node);
	struct node_need need = {.cpus = least ? least : 1, .memory = told(job->memory_per_node)};
	if (!__builtin_mul_overflow(told(job->memory_per_cpu), need.cpus, &of_cpus) && of_cpus > need.memory)
		need.memory = of_cpus;
	add_gpus_per_node(&need, job->gres_per_node);
	if (!need.gpus)
		add_gpus_of_all_nodes(&need, job->tres_requested, is_one_node);
	return need;
}

void node_need_write(const struct node_need *need, struct buf *text)
{
	buf_printf(text, "cpu=%" PRIu64 ",mem=%" PRIu64 "M", need->cpus, need->memory >> 20);
	if (!need->gpus)
		return;
	buf_add_string(text, need->gpu_type.len ? ",gres/gpu:" : ",gres/gpu");
	buf_add_text(text, need->gpu_type);
	buf_printf(text, "=%" PRIu64, need->gpus);
}

struct node_need node_need_read(struct text text)
{
	struct node_need need = {.cpus = tres_count(text, TEXT("cpu")), .memory = tres_count(text, TEXT("mem"))};
	add_gpus_of_all_nodes(&need, text, true);
	return need;
}

/* Does a node that suits b suit a? */
static bool is_within(const struct node_need *a, const struct node_need *b)
{
	bool takes_its_gpus = !a->gpus || !a->gpu_type.len || text_equal(a->gpu_type, b->gpu_type);
	return a->cpus <= b->cpus && a->memory <= b->memory && a->gpus <= b->gpus && takes_its_gpus;
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static struct node_need least_of(const struct node_need *a, const struct node_need *b)
{
	return (struct node_need){
		.cpus = lesser(a->cpus, b->cpus),
		.memory = lesser(a->memory, b->memory),
		.gpus = lesser(a->gpus, b->gpus),
		.gpu_type = text_equal(a->gpu_type, b->gpu_type) ? a->gpu_type : TEXT(""),
	};
}

/* Is one of the needs within this one? That comes first then: it is likely to be within the next one, too. */
static bool have_less(struct node_needs *needs, const struct node_need *need)
{
	for (size_t i = 0; i < needs->count; i++) {
		if (!is_within(&needs->items[i], need))
			continue;
		const struct node_need found = needs->items[i];
		needs->items[i] = needs->items[0];
		needs->items[0] = found;
		return true;
	}
	return false;
}

void node_needs_add(struct node_needs *needs, const struct node_need *need)
{
	size_t kept = 0;
	if (have_less(needs, need))
		return;
	for (size_t i = 0; i < needs->count; i++)
		if (!is_within(need, &needs->items[i]))
			needs->items[kept++] = needs->items[i];
	needs->count = kept;
	if (kept < NODE_NEEDS_MAX)
		needs->items[needs->count++] = *need;
	else
		needs->items[0] = least_of(&needs->items[0], need);
}
