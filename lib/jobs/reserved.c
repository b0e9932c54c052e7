#include "jobs/reserved.h"

#include "entities/label.h"
#include "model/hostlist.h"
#include "model/job.h"
#include "model/reservation.h"

static struct reservation *find(const struct map *by_label, struct text name)
{
	char scratch[LABEL_MAX + 1];
	struct reservation *const *found = map_find(by_label, label_of(name, scratch));
	return found ? *found : NULL;
}

static bool has_begun(const struct reservation *reservation, int64_t now)
{
	return number_is_known(reservation->start_time) && (int64_t)reservation->start_time <= now;
}

struct having {
	struct text reserved;
	bool has_all;
};

static void look_for_node(void *context, struct text node)
{
	struct having *having = context;
	having->has_all = having->has_all && hostlist_has(having->reserved, node);
}

/* Does the reservation have all of the job's nodes? Of a large job the first ones tell. */
static bool has_nodes(const struct reservation *reservation, struct text nodes)
{
	uint64_t left = 256;
	struct having having = {reservation->node_list, true};
	hostlist_each(nodes, &left, look_for_node, &having);
	return having.has_all;
}

/* To those that have the nodes and have begun; `nodes` empty: to all. Are there any? */
static bool add_to_each(const struct map *by_label, struct text names, struct text nodes, int64_t now, uint64_t cpus)
{
	struct text name;
	bool is_there = false;
	while (text_next(&names, ',', &name)) {
		struct reservation *reservation = find(by_label, name);
		if (!reservation || (nodes.len && !(has_begun(reservation, now) && has_nodes(reservation, nodes))))
			continue;
		reservation->allocated_cpus += cpus;
		is_there = true;
	}
	return is_there;
}

static void add(const struct map *by_label, struct text names, struct text nodes, int64_t now, uint64_t cpus)
{
	if (job_is_one_name(names))
		nodes = TEXT("");
	if (!add_to_each(by_label, names, nodes, now, cpus) && nodes.len)
		add_to_each(by_label, names, TEXT(""), now, cpus);
}

void reserved_count(struct record_list *reservations, const struct job_table *table)
{
	struct arena arena = ARENA_INIT;
	struct map by_label;
	map_init(&by_label, &arena, sizeof(struct reservation *));
	for (size_t i = 0; i < reservations->count; i++) {
		struct reservation *reservation = (struct reservation *)reservations->items + i;
		reservation->allocated_cpus = 0;
		*(struct reservation **)map_add(&by_label, reservation->name) = reservation;
	}
	const struct text_pool *texts = &table->pools.texts;
	for (size_t i = 0; i < table->position_count; i++) {
		const struct job_row *row = &table->rows[i];
		if (row->reservation && row->state == JOB_RUNNING)
			add(&by_label, text_pool_get(texts, row->reservation), text_pool_get(texts, row->node_list),
			    table->now, row->cpus * row->tasks);
	}
	map_done(&by_label);
	arena_done(&arena);
}
