/* Random lives of nodes beside an exporter that is killed now and then. In the end all sums of outages equal what the nodes
 * went through, second by second. Each state lasts long enough for one look that is not lost; but a node may return and leave
 * again between two looks. The exporter writes after most looks.
 *
 *   test_outages_random [LIVES [FIRST_SEED]] */
#include "check.h"
#include "outages_world.h"

#include <math.h>

enum {
	NODES = 5,
	BIRTH = 100000,
	LIFE_S = 6000,
	LOOK_MAX_S = 20,
	UNWRITTEN_MAX = 3,
	DOWNTIME_MAX_S = 60,
	/* Longer than between two looks that are not lost. */
	STAYS_S = (UNWRITTEN_MAX + 2) * LOOK_MAX_S + DOWNTIME_MAX_S + 10,
	CPUS = 8,
};

/* A node as slurmctld has it. */
struct real {
	int state;
	uint64_t flags, reason_time, busy;
	const char *reason;
	int64_t began, next; /* of its outage; when it changes */
	enum outage_kind worst;
	bool leaves; /* at the next change */
};

struct life {
	struct world world;
	struct memory memory, truth; /* of truth: counters */
	uint64_t random;
	int64_t now; /* all before it has happened */
	struct real nodes[NODES];
	unsigned unwritten, kills;
};

static uint64_t below(struct life *life, uint64_t limit)
{
	life->random ^= life->random << 13;
	life->random ^= life->random >> 7;
	life->random ^= life->random << 17;
	return (life->random >> 11) % limit;
}

static const char *partitions_of(int node)
{
	static const char *const partitions[] = {"all", "all,gpu", "gpu"};
	return partitions[node % 3];
}

static struct node node_of(const struct life *life, int number)
{
	static const char *const names[NODES] = {"n0", "n1", "n2", "n3", "n4"};
	const struct real *real = &life->nodes[number];
	bool is_busy = real->state == NODE_ALLOCATED;
	return (struct node){.name = text_of(names[number]),
			     .partitions = text_of(partitions_of(number)),
			     .state = real->state,
			     .flags = real->flags,
			     .cpus = CPUS,
			     .allocated_cpus = is_busy ? CPUS : 0,
			     .memory = 100,
			     .allocated_memory = is_busy ? 100 : 0,
			     .reason = text_of(real->reason),
			     .reason_time = real->reason_time ? real->reason_time : NUMBER_UNSET,
			     .last_busy_time = real->busy};
}

/* The truth */

static struct text cause_of(const struct life *life, const struct node *node)
{
	return node_cause(node_cause_of_site(&life->world.causes, node->reason), node);
}

static void add(struct life *life, struct text partition, enum outage_kind kind, struct text cause, const char *what,
		double more)
{
	struct buf detail = BUF_INIT;
	buf_printf(&detail, "%s\x1f%.*s", outage_kind_names[kind], (int)cause.len, cause.bytes);
	const struct events_counter counter = {TEXT("outages"), partition, text_of(what), buf_text(&detail), 0};
	double *value = memory_counter(&life->truth, &counter);
	*value = (isnan(*value) ? 0 : *value) + more;
	buf_done(&detail);
}

static void add_to_all(struct life *life, int number, enum outage_kind kind, const char *what, double more)
{
	const struct node node = node_of(life, number);
	struct text rest = node.partitions, name, cause = cause_of(life, &node);
	while (text_next(&rest, ',', &name))
		add(life, name, kind, cause, what, more);
	add(life, TEXT(""), kind, cause, what, more);
}

static void live_second(struct life *life, int number)
{
	const struct node node = node_of(life, number);
	enum outage_kind kind = node_outage(&node);
	if (kind == OUTAGE_NONE || life->now < BIRTH)
		return;
	double rest = (double)(node.cpus - node.allocated_cpus);
	add_to_all(life, number, kind, "seconds", 1);
	add_to_all(life, number, kind, "cpu_seconds", rest);
	add_to_all(life, number, kind, "memory_byte_seconds", (double)(node.memory - node.allocated_memory));
}

static void end(struct life *life, int number)
{
	struct real *real = &life->nodes[number];
	double lasted = (double)(life->now - real->began);
	unsigned bucket = 0;
	char name[32];
	while (bucket < OUTAGE_BOUNDS && lasted > outage_bounds[bucket])
		bucket++;
	snprintf(name, sizeof name, "%g", bucket < OUTAGE_BOUNDS ? outage_bounds[bucket] : INFINITY);
	if (life->now < BIRTH)
		return;
	add_to_all(life, number, real->worst, "ended", 1);
	const struct node node = node_of(life, number);
	struct text cause = cause_of(life, &node);
	add(life, TEXT(""), real->worst, cause, name, 1);
	add(life, TEXT(""), real->worst, cause, "sum", lasted);
}

/* What happens */

static int64_t stays(struct life *life)
{
	return STAYS_S + (int64_t)below(life, 300);
}

static void set_reason(struct life *life, struct real *real)
{
	static const char *const reasons[] = {"Not responding", "NHC: disk", "Kill task failed", "ann's",
					      "gpu fell off"};
	real->reason = reasons[below(life, 5)];
	real->reason_time = (uint64_t)life->now;
}

static void go_out(struct life *life, struct real *real)
{
	bool is_down = !below(life, 3);
	set_reason(life, real);
	real->began = life->now;
	real->leaves = false;
	real->flags = is_down ? 0 : UINT64_C(1) << NODE_FLAG_DRAIN;
	if (is_down && real->state == NODE_ALLOCATED)
		real->busy = (uint64_t)life->now;
	if (is_down)
		real->state = NODE_DOWN;
}

static void change_in_service(struct life *life, struct real *real)
{
	if (below(life, 2)) {
		go_out(life, real);
	} else if (real->state == NODE_IDLE) {
		real->state = NODE_ALLOCATED;
	} else {
		real->state = NODE_IDLE;
		real->busy = (uint64_t)life->now;
	}
}

/* It may leave again sooner than anybody looks, as it is idle. */
static void come_back(struct life *life, int number)
{
	struct real *real = &life->nodes[number];
	end(life, number);
	*real = (struct real){.state = NODE_IDLE, .reason = "", .busy = (uint64_t)life->now};
	real->leaves = below(life, 2);
	real->next = life->now + (real->leaves ? 1 + (int64_t)below(life, 20) : stays(life));
}

static void change_out(struct life *life, int number)
{
	struct real *real = &life->nodes[number];
	uint64_t what = below(life, 6);
	if (what == 0) {
		set_reason(life, real);
	} else if (what == 1 && real->state != NODE_DOWN) {
		if (real->state == NODE_ALLOCATED)
			real->busy = (uint64_t)life->now;
		real->state = NODE_DOWN;
		set_reason(life, real);
	} else if (real->state == NODE_ALLOCATED) { /* its job ends */
		real->state = NODE_IDLE;
		real->busy = (uint64_t)life->now;
	} else {
		come_back(life, number);
	}
}

static enum outage_kind kind_of(const struct life *life, int number)
{
	const struct node node = node_of(life, number);
	return node_outage(&node);
}

static void change(struct life *life, int number)
{
	struct real *real = &life->nodes[number];
	real->next = life->now + stays(life);
	if (real->leaves)
		go_out(life, real);
	else if (kind_of(life, number) == OUTAGE_NONE)
		change_in_service(life, real);
	else
		change_out(life, number);
	if (kind_of(life, number) > real->worst)
		real->worst = kind_of(life, number);
}

/* `is_quiet`: only what has to be goes on. */
static void live_until(struct life *life, int64_t until, bool is_quiet)
{
	for (; life->now < until; life->now++)
		for (int i = 0; i < NODES; i++) {
			if (life->now >= life->nodes[i].next && (!is_quiet || life->nodes[i].leaves))
				change(life, i);
			live_second(life, i);
		}
}

/* The exporter */

static void look(struct life *life, int64_t as_of, bool is_last)
{
	struct node nodes[NODES];
	if (!is_last)
		live_until(life, as_of + (int64_t)below(life, 4), false); /* the answer takes a while */
	for (int i = 0; i < NODES; i++)
		nodes[i] = node_of(life, i);
	world_look(&life->world, nodes, NODES, as_of);
	if (life->unwritten++ == UNWRITTEN_MAX || is_last || below(life, 3)) {
		memory_write(&life->memory, life->world.events, false);
		life->unwritten = 0;
	}
	CHECK(!life->memory.fell);
}

static void check_same(const struct map *map, struct memory *got, struct memory *want)
{
	for (size_t i = 0; i < map->count; i++) {
		struct text key = map->entries[i].key, rest = key, kind = text_cut(&rest, '\0');
		const double *a = map_find(&got->counters, key), *b = map_find(&want->counters, key);
		double left = a && !isnan(*a) ? *a : 0, right = b && !isnan(*b) ? *b : 0;
		if (!text_equal(kind, TEXT("outages")))
			continue;
		CHECK_NUMBER(left, right);
		for (size_t j = 0; left != right && j < key.len; j++)
			fputc(key.bytes[j] < ' ' ? '/' : key.bytes[j], stderr);
		if (left != right)
			fputc('\n', stderr);
	}
}

static void live(uint64_t seed)
{
	struct life life = {
		.random = seed * 2654435761u + 88172645463325252u, .now = BIRTH - 2000, .unwritten = UNWRITTEN_MAX};
	struct error err;
	char name[32];
	world_init(&life.world);
	memory_init(&life.memory);
	memory_init(&life.truth);
	CHECK(node_causes_add(&life.world.causes, "health=NHC:.*", &err));
	snprintf(name, sizeof name, "seed %ju", (uintmax_t)seed);
	check_row(name);
	for (int i = 0; i < NODES; i++)
		life.nodes[i] = (struct real){.state = NODE_IDLE,
					      .reason = "",
					      .busy = (uint64_t)life.now,
					      .next = life.now + (int64_t)below(&life, 600)};
	live_until(&life, BIRTH, false);
	for (int i = 0; i < NODES; i++) /* Slurm does not tell of earlier reasons */
		life.nodes[i].began = (int64_t)life.nodes[i].reason_time;
	for (int64_t as_of = BIRTH; as_of < BIRTH + LIFE_S;) {
		live_until(&life, as_of, false);
		look(&life, as_of, false);
		if (!below(&life, 12)) {
			as_of += (int64_t)below(&life, DOWNTIME_MAX_S);
			world_restart(&life.world, &life.memory, as_of);
			life.kills++;
			life.unwritten = UNWRITTEN_MAX;
		}
		as_of += 4 + (int64_t)below(&life, LOOK_MAX_S - 4);
	}
	live_until(&life, life.now + STAYS_S, true);
	look(&life, life.now, true);
	check_same(&life.truth.counters, &life.memory, &life.truth);
	check_same(&life.memory.counters, &life.memory, &life.truth);
	CHECK(life.kills > 0);
	world_done(&life.world);
	memory_done(&life.memory);
	memory_done(&life.truth);
}

int main(int argc, char **argv)
{
	uint64_t lives = argc > 1 ? strtoull(argv[1], NULL, 10) : 5000,
		 first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	for (uint64_t seed = first; seed < first + lives; seed++)
		live(seed);
	return check_done();
}
