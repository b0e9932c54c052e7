#include "jobs/demand.h"

#include "base/memory.h"
#include "model/tres.h"

#include <stdlib.h>

struct known_need {
	bool is_known;
	size_t shape;
	struct node_need need; /* its text is in the arena */
};

struct known_partitions {
	struct demand **items; /* NULL: not looked up yet */
	size_t count;
};

/* What is looked up once for many jobs. */
struct look {
	const struct job_table *table;
	struct demands *demands;
	struct known_need *needs; /* by the number of its text; 0: what is not known */
	uint64_t *gpus; /* likewise, of TRES: their number + 1; 0: not read yet */
	struct known_partitions *partitions; /* by owner - 1 */
};

static bool is_startable(const struct job_row *row)
{
	return row->group && row->state == JOB_PENDING && row->class == REASON_STARTABLE;
}

/* Its position; what comes when there are too many shares one. */
static size_t shape_of(struct demands *demands, struct text type, uint64_t gpus)
{
	char scratch[SIZE_CLASS_MAX];
	struct text class = size_class(gpus, scratch);
	struct buf key = BUF_INIT;
	label_key(&key, type, &class);
	if (demands->shapes.count >= DEMAND_SHAPES_MAX && !map_find(&demands->shapes, buf_text(&key))) {
		type = LABEL_OTHER;
		class = LABEL_OTHER;
		label_key(&key, type, &class);
	}
	struct demand_shape *shape = map_add(&demands->shapes, buf_text(&key));
	if (!shape->gpus.len)
		*shape = (struct demand_shape){arena_copy(&demands->arena, type), arena_copy(&demands->arena, class)};
	buf_done(&key);
	size_t position = 0;
	while (demands->shapes.entries[position].value != shape)
		position++;
	return position;
}

static uint64_t gpus_of(struct look *look, const struct job_row *row)
{
	uint64_t *known = &look->gpus[row->tres];
	if (!(row->bits & ROW_HAS_GRES))
		return 0;
	if (!*known)
		*known = tres_gpus(text_pool_get(&look->table->pools.texts, row->tres)) + 1;
	return *known - 1;
}

/* Until slurmctld has told what a job needs, it is what any job needs: a CPU, and a GPU if it asks for any. */
static struct node_need need_of(struct look *look, const struct job_row *row)
{
	char scratch[LABEL_MAX + 1];
	if (!row->node_need)
		return (struct node_need){.cpus = 1, .gpus = gpus_of(look, row) > 0};
	struct node_need need = node_need_read(text_pool_get(&look->table->pools.texts, row->node_need));
	need.gpu_type = arena_copy(&look->demands->arena, label_of(need.gpu_type, scratch));
	return need;
}

static const struct known_need *known_need_of(struct look *look, const struct job_row *row)
{
	struct known_need *known = &look->needs[row->node_need];
	if (known->is_known)
		return known;
	known->need = need_of(look, row);
	known->shape = shape_of(look->demands, known->need.gpu_type, known->need.gpus);
	known->is_known = row->node_need != 0;
	return known;
}

struct demand *demands_find(const struct demands *demands, struct text name)
{
	return roster_shows(demands->shown, name) ? map_find(&demands->partitions, name) : demands->other;
}

static struct demand *demand_of(struct demands *demands, struct text partition)
{
	struct demand *demand = demands_find(demands, partition);
	if (demand)
		return demand;
	if (roster_shows(demands->shown, partition)) {
		size_t position = demands->partitions.count;
		demand = map_add(&demands->partitions, partition);
		demand->label = demands->partitions.entries[position].key;
	} else {
		demand = demands->other = arena_new(&demands->arena, sizeof *demand);
		demand->label = LABEL_OTHER;
	}
	map_init(&demand->stranded_gpus, &demands->arena, sizeof(struct gres_count));
	return demand;
}

static const struct known_partitions *partitions_of(struct look *look, uint32_t owner)
{
	struct known_partitions *known = &look->partitions[owner - 1];
	struct text names = owners_get(&look->table->pools.groups, owner).partitions, name;
	if (known->items || !names.len)
		return known;
	known->items = memory_new((names.len / 2 + 1) * sizeof *known->items); /* names, and commas between */
	bool is_in_other = false;
	while (text_next(&names, ',', &name)) {
		struct demand *demand = demand_of(look->demands, name);
		if (demand != look->demands->other || !is_in_other)
			known->items[known->count++] = demand;
		is_in_other |= demand == look->demands->other;
	}
	return known;
}

static void add_job(struct look *look, const struct job_row *row)
{
	const struct known_need *known = known_need_of(look, row);
	const struct known_partitions *partitions = partitions_of(look, row->group);
	uint64_t gpus = gpus_of(look, row);
	uint128 per_node = (uint128)known->need.gpus * row->nodes;
	for (size_t i = 0; i < partitions->count; i++) {
		struct demand *demand = partitions->items[i];
		struct demand_row *sum = &demand->rows[known->shape];
		sum->jobs += row->tasks;
		sum->nodes += (uint128)row->tasks * row->nodes;
		sum->cpus += (uint128)row->tasks * row->cpus;
		sum->memory += (uint128)row->tasks * row->memory;
		sum->gpus += (uint128)row->tasks * (gpus > per_node ? gpus : per_node);
		node_needs_add(&demand->needs, &known->need);
		if (known->need.gpus)
			node_needs_add(&demand->gpu_needs, &known->need);
	}
}

struct demands *demands_new(const struct job_table *table, const struct roster *shown)
{
	size_t texts = table->pools.texts.count + 1, owners = table->pools.groups.keys.count;
	struct demands *demands = NEW(struct demands);
	struct look look = {table, demands, memory_new(texts * sizeof *look.needs),
			    memory_new(texts * sizeof *look.gpus), memory_new((owners + 1) * sizeof *look.partitions)};
	demands->shown = shown;
	map_init(&demands->shapes, &demands->arena, sizeof(struct demand_shape));
	map_init(&demands->partitions, &demands->arena, sizeof(struct demand));
	for (size_t i = 0; i < table->position_count; i++)
		if (is_startable(&table->rows[i]))
			add_job(&look, &table->rows[i]);
	for (size_t i = 0; i < owners; i++)
		free(look.partitions[i].items);
	free(look.partitions);
	free(look.gpus);
	free(look.needs);
	return demands;
}

void demands_free(struct demands *demands)
{
	if (!demands)
		return;
	for (size_t i = 0; i < demands->partitions.count; i++)
		map_done(&((struct demand *)demands->partitions.entries[i].value)->stranded_gpus);
	if (demands->other)
		map_done(&demands->other->stranded_gpus);
	map_done(&demands->partitions);
	map_done(&demands->shapes);
	arena_done(&demands->arena);
	free(demands);
}
