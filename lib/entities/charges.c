#include "entities/charges.h"

#include "base/buf.h"
#include "model/hostlist.h"
#include "model/tres.h"

void use_init(struct use *use, struct arena *arena)
{
	*use = (struct use){0};
	map_init(&use->tres, arena, sizeof(struct tres_use));
}

void use_done(struct use *use)
{
	map_done(&use->tres);
	id_map_done(&use->nodes.words);
}

static void node_set_add(struct node_set *set, uint32_t word, uint32_t bits)
{
	id_map_set(&set->words, word, id_map_find(&set->words, word) | bits);
}

uint64_t use_nodes(const struct use *use)
{
	uint64_t nodes = 0;
	for (size_t i = 0; i < use->nodes.words.slot_count; i++)
		nodes += (uint64_t)__builtin_popcount(id_map_slot(&use->nodes.words, i)->value);
	return nodes;
}

void use_merge(struct use *use, const struct use *more, double usage_factor)
{
	use->jobs += more->jobs;
	use->submitted_jobs += more->submitted_jobs;
	for (size_t i = 0; i < more->tres.count; i++) {
		const struct tres_use *from = more->tres.entries[i].value;
		struct tres_use *to = map_add(&use->tres, more->tres.entries[i].key);
		to->count += from->count;
		to->running_s += from->running_s * usage_factor;
	}
	use->nodes.is_cut |= more->nodes.is_cut;
	for (size_t i = 0; i < more->nodes.words.slot_count; i++) {
		const struct id_slot *slot = id_map_slot(&more->nodes.words, i);
		if (slot->value)
			node_set_add(&use->nodes, slot->id, slot->value);
	}
}

void charges_init(struct charges *charges, struct arena *arena)
{
	charges->arena = arena;
	charges->nodes_left = HOSTLIST_ANSWER_MAX;
	map_init(&charges->items, arena, sizeof(struct charge));
	map_init(&charges->nodes, arena, sizeof(uint32_t));
}

void charges_done(struct charges *charges)
{
	for (size_t i = 0; i < charges->items.count; i++)
		use_done(&((struct charge *)charges->items.entries[i].value)->use);
	map_done(&charges->items);
	map_done(&charges->nodes);
}

static void add_key(struct buf *key, struct text part)
{
	buf_add_text(key, part);
	buf_add_char(key, '\0');
}

struct charge *charges_of(struct charges *charges, struct text account, struct text user, struct text partitions,
			  struct text qos)
{
	struct buf key = BUF_INIT;
	add_key(&key, account);
	add_key(&key, user);
	add_key(&key, partitions);
	add_key(&key, qos);
	size_t before = charges->items.count;
	struct charge *charge = map_add(&charges->items, buf_text(&key));
	buf_done(&key);
	if (charges->items.count == before)
		return charge;
	charge->account = arena_copy(charges->arena, account);
	charge->user = arena_copy(charges->arena, user);
	charge->partitions = arena_copy(charges->arena, partitions);
	charge->qos = arena_copy(charges->arena, qos);
	use_init(&charge->use, charges->arena);
	return charge;
}

struct node_taker {
	struct charges *charges;
	struct node_set *set;
};

static void take_node(void *context, struct text name)
{
	const struct node_taker *taker = context;
	struct map *nodes = &taker->charges->nodes;
	uint32_t *number = map_add(nodes, name);
	if (!*number)
		*number = (uint32_t)nodes->count;
	node_set_add(taker->set, *number / 32, UINT32_C(1) << *number % 32);
}

/* Slurm treats an unlimited job as one of 2^32 - 1 minutes (22.05 reports no limit), and its time runs on while the job
 * is suspended. */
static double seconds_left(const struct job *job, int64_t now)
{
	double left = number_is_known(job->time_limit) ? (double)job->time_limit : (double)UINT32_MAX * 60;
	/* Slurm subtracts nothing while it prepares the nodes (24.11: GrpTRESRunMins) */
	bool is_configuring = job->flags & UINT64_C(1) << JOB_FLAG_CONFIGURING;
	if (!is_configuring && number_is_known(job->start_time) && now > (int64_t)job->start_time)
		left -= (double)(now - (int64_t)job->start_time);
	return left > 0 ? left : 0;
}

void charge_add_held(struct charges *charges, struct charge *charge, const struct job *job, uint64_t count, int64_t now)
{
	charge->use.jobs += count;
	double left = seconds_left(job, now);
	struct text rest = job->tres_allocated;
	struct tres tres;
	while (tres_next(&rest, &tres)) {
		struct tres_use *use = map_add(&charge->use.tres, tres.name);
		use->count += tres.count;
		use->running_s += (double)tres.count * left;
	}
	struct node_taker taker = {charges, &charge->use.nodes};
	charge->use.nodes.is_cut |= !hostlist_each(job->node_list, &charges->nodes_left, take_node, &taker);
}
