/* What is asked for after an answer was lost: the same IDs, and of those that may bring any number of rows one at first. */
#include "check.h"
#include "discovery/job_rounds.h"

#include <stdlib.h>

enum { LAST_ID = 100000, ROWS_MAX = 500 };

struct world {
	struct job_table *table;
	struct job_rounds rounds;
	struct buf query;
};

static void world_start(struct world *world)
{
	*world = (struct world){.table = job_table_new(), .query = BUF_INIT};
	job_rounds_init(&world->rounds, world->table, 1, LAST_ID);
}

static void world_end(struct world *world)
{
	job_rounds_done(&world->rounds);
	job_table_free(world->table);
	buf_done(&world->query);
}

static size_t ids_asked(const struct world *world, uint64_t *ret_first)
{
	size_t count = 0;
	for (const char *at = world->query.len ? strchr(world->query.bytes, '=') : NULL; at; at = strchr(at + 1, '=')) {
		uint64_t id = strtoul(at + 1, NULL, 10);
		*ret_first = count++ ? *ret_first : id;
	}
	return count;
}

/* Each ID that was asked for has a job. */
static void answer(struct world *world)
{
	for (const char *at = strchr(world->query.bytes, '='); at; at = strchr(at + 1, '=')) {
		char name[24];
		uint64_t id = strtoul(at + 1, NULL, 10);
		snprintf(name, sizeof name, "%" PRIu64, id);
		const struct job_task task = {.name = text_of(name), .id = id, .state = JOB_PENDING};
		job_rounds_take(&world->rounds, &task);
	}
	job_rounds_apply(&world->rounds, 1000);
}

static void ask_search(struct world *world)
{
	buf_clear(&world->query);
	job_rounds_ask_search(&world->rounds, ROWS_MAX, &world->query);
}

static void test_search(void)
{
	struct world world;
	uint64_t first = 0, again = 0;
	check_row("a search");
	world_start(&world);
	job_rounds_note_count(&world.rounds, LAST_ID);
	job_search_begin(&world.rounds.search, &world.rounds.frontiers, world.table);
	for (ask_search(&world); ids_asked(&world, &first) < 8; ask_search(&world))
		answer(&world);
	job_rounds_forget(&world.rounds);
	ask_search(&world);
	CHECK_NUMBER(ids_asked(&world, &again), 1);
	CHECK_NUMBER(again, first);
	answer(&world);
	ask_search(&world);
	CHECK(ids_asked(&world, &again) > 1);
	world_end(&world);
}

static size_t ask_round(struct world *world, uint64_t *ret_first)
{
	buf_clear(&world->query);
	job_rounds_ask(&world->rounds, ROWS_MAX, &world->query);
	return ids_asked(world, ret_first);
}

static void test_frontier(void)
{
	struct world world;
	uint64_t first = 0, again = 0;
	check_row("ids above a frontier");
	world_start(&world);
	job_rounds_note_last(&world.rounds, 1000);
	job_rounds_begin(&world.rounds);
	while (ask_round(&world, &first) < 8)
		answer(&world);
	job_rounds_forget(&world.rounds);
	CHECK(world.rounds.is_open);
	CHECK_NUMBER(ask_round(&world, &again), 1);
	CHECK_NUMBER(again, first);
	check_row("known ids beside them come again, all");
	job_rounds_forget(&world.rounds);
	job_rounds_begin(&world.rounds);
	uint64_t rows = job_rounds_work(&world.rounds);
	CHECK(ask_round(&world, &first) > 1);
	job_rounds_forget(&world.rounds);
	CHECK_NUMBER(job_rounds_work(&world.rounds), rows);
	world_end(&world);
}

int main(void)
{
	test_search();
	test_frontier();
	return check_done();
}
