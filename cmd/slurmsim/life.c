#include "slurmsim/life.h"

#include "base/memory.h"
#include "slurmsim/events.h"
#include "slurmsim/happened.h"
#include "slurmsim/jobs.h"
#include "slurmsim/nodes.h"
#include "slurmsim/schedule.h"
#include "slurmsim/submit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	PAST_S = 7200, /* how long ago the oldest job of a new world was submitted */
	BATCHES = 50,
};

static void make_qos(struct world *world)
{
	static const struct qos qos[] = {
		{"normal", 1, 0, 0, 0},
		{"high", 2, 1000, 200, 0},
		{"low", 3, 0, 0, 0},
		{"debug", 4, 500, 4, 60},
	};
	world->qos_count = sizeof qos / sizeof *qos;
	world->qos = memory_new(sizeof qos);
	memcpy(world->qos, qos, sizeof qos);
}

/* root, departments below it, groups below them; a user has one group, and one in five a second. */
static void make_accounts(struct world *world)
{
	static const char *const departments[] = {"physics", "chemistry", "biology", "engineering", "industry"};
	enum { DEPARTMENTS = 5 };
	uint32_t users = world->options.users, groups = users / 10 + 1;
	world->account_count = 1 + DEPARTMENTS + groups;
	world->accounts = memory_new(world->account_count * sizeof *world->accounts);
	world->users = memory_new(users * sizeof *world->users);
	world->associations = memory_new((world->account_count + 2 * users) * sizeof *world->associations);
	strcpy(world->accounts[0].name, "root");
	for (uint32_t i = 1; i < world->account_count; i++) {
		struct account *account = &world->accounts[i];
		uint32_t department = i <= DEPARTMENTS ? i - 1 : (i - 1) % DEPARTMENTS;
		account->parent = i <= DEPARTMENTS ? 0 : department + 1;
		if (i <= DEPARTMENTS)
			strcpy(account->name, departments[department]);
		else
			snprintf(account->name, sizeof account->name, "%.11s%u", departments[department], i);
	}
	for (uint32_t i = 0; i < world->account_count; i++)
		world->associations[world->association_count++] = (struct association){i, NO_USER, 10 + i % 7, 0};
	for (uint32_t i = 0; i < users; i++) {
		struct user *user = &world->users[i];
		snprintf(user->name, sizeof user->name, "u%05u", i + 1);
		user->uid = 10001 + i;
		user->association = world->association_count;
		user->associations = 1 + random_chance(&world->random, 0.2);
		for (uint32_t j = 0; j < user->associations; j++)
			world->associations[world->association_count++] = (struct association){
				1 + DEPARTMENTS + (i + j) % groups, i, 1 + i % 3, random_unit(&world->random) * 1e6};
	}
}

/* CPU nodes, then large ones, then some with GPUs. */
static void make_nodes(struct world *world)
{
	uint32_t count = world->options.nodes, large = count * 85 / 100, gpus = count * 93 / 100;
	world->nodes = memory_new(count * sizeof *world->nodes);
	for (uint32_t i = 0; i < count; i++) {
		struct node *node = &world->nodes[i];
		node->cpus = i < large || i >= gpus ? 64 : 128;
		node->memory = i < large ? 256000 : i < gpus ? 2048000 : 512000;
		node->gpus = i < gpus ? 0 : 4;
		node->last_busy = -PAST_S;
	}
	struct partition partitions[] = {
		{.name = "cpu", .count = large, .default_min = 60, .max_min = 2880, .is_default = true},
		{.name = "long", .count = large / 2 + 1, .default_min = 1440, .max_min = 10080},
		{.name = "debug", .count = large / 50 + 1, .default_min = 10, .max_min = 60, .tier = 10},
		{.name = "gpu", .first = gpus, .count = count - gpus, .default_min = 60, .max_min = 2880},
		{.name = "large", .first = large, .count = gpus - large, .default_min = 60, .max_min = 2880},
	};
	world->partition_count = sizeof partitions / sizeof *partitions;
	world->partitions = memory_new(sizeof partitions);
	for (uint32_t i = 0; i < world->partition_count; i++) {
		partitions[i].tier += 1;
		partitions[i].factor = i + 1;
		world->partitions[i] = partitions[i];
	}
	for (uint32_t i = 0; i < count / 100; i++)
		node_drain(world, random_below(&world->random, count), true);
	for (uint32_t i = 0; i < count / 200; i++)
		node_fail(world, random_below(&world->random, count));
}

static void start_what_fits(struct world *world)
{
	uint64_t before;
	do {
		before = world->counters.started;
		schedule_pass(world);
	} while (world->counters.started > before);
}

/* The queue of a world that has been there for a while: what fits has been running, for various
 * times. */
static void make_jobs(struct world *world)
{
	const struct world_options *options = &world->options;
	if (options->array_tasks)
		world_submit_array(world, -PAST_S, options->array_tasks);
	/* In batches: what starts splits arrays, which makes records too. */
	for (uint32_t batch = 1; batch <= BATCHES; batch++) {
		while (world->jobs.count < (uint64_t)options->jobs * batch / BATCHES) {
			world->now = (int32_t)(-PAST_S + PAST_S * (int64_t)world->jobs.count / options->jobs);
			world_submit(world, world->now < 0 ? world->now : -1);
		}
		world->now = 0;
		start_what_fits(world);
	}
	for (size_t place = 0; place < world->jobs.end; place++) {
		struct job *job = job_table_at(&world->jobs, place);
		if (job->state != JOB_RUNNING)
			continue;
		uint32_t passed = random_below(&world->random, job->run_s), waited = (uint32_t)-job->submit;
		job->start = -(int32_t)(passed < waited ? passed : waited);
		event_set(world, job, job->start + (int32_t)job->run_s);
	}
}

void world_init(struct world *world, const struct world_options *options)
{
	*world = (struct world){.options = *options, .random = {options->seed}};
	world->next_id = options->first_job_id;
	world->boot = -PAST_S;
	make_qos(world);
	make_accounts(world);
	make_nodes(world);
	world->happened = happened_new(world);
	make_jobs(world);
	world->counters.since = options->epoch;
}

void world_done(struct world *world)
{
	job_table_done(&world->jobs);
	for (size_t i = 0; i < world->ended_count; i++) {
		struct job *row = world_ended(world, i);
		if (row->node_count > 1)
			free(row->nodes);
	}
	for (uint32_t i = 0; i < world->partition_count; i++)
		free(world->partitions[i].queue);
	free(world->ended);
	free(world->happened);
	free(world->events);
	free(world->partitions);
	free(world->nodes);
	free(world->associations);
	free(world->users);
	free(world->accounts);
	free(world->qos);
}

static void arrivals(struct world *world)
{
	const struct world_options *options = &world->options;
	double mean = options->arrivals;
	if (mean < 0)
		mean = world->jobs.count < options->jobs ? (options->jobs - (double)world->jobs.count) / 10 : 0;
	uint32_t count = random_poisson(&world->random, mean) + world->storm;
	world->storm = 0;
	while (count--)
		world_submit(world, world->now);
}

/* sdiag's counts begin again at midnight UTC. */
static void reset_counters(struct world *world)
{
	world->counters = (struct counters){.since = world_unix(world, world->now)};
}

void world_advance(struct world *world, int32_t now)
{
	struct event event;
	while (world->now < now) {
		world->now++;
		while (event_next(world, &event))
			job_due(world, job_table_find(&world->jobs, event.job));
		nodes_live(world);
		arrivals(world);
		schedule_pass(world);
		jobs_hand_over(world);
		if (world_unix(world, world->now) % 86400 == 0)
			reset_counters(world);
		job_table_tidy(&world->jobs);
	}
}
