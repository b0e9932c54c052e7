/* The scripted side: what tests and demos tell the simulator to do. */
#include "base/clock.h"
#include "slurmsim/jobs.h"
#include "slurmsim/life.h"
#include "slurmsim/nodes.h"
#include "slurmsim/sim.h"
#include "slurmsim/submit.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const fault_names[FAULT_KINDS] = {"none",   "slow", "cut",	    "garbage", "unauthorized",
						     "status", "lie",  "unchanged", "freeze",  "twice"};

static int32_t sim_second(const struct sim *sim)
{
	double passed = (double)(clock_monotonic_ns() - sim->begun_ns) / 1e9 * sim->options.speed;
	return (int32_t)passed + sim->advanced;
}

static int number_of(const char *name, const char *const *names, int count)
{
	for (int i = 0; i < count; i++)
		if (strcmp(name, names[i]) == 0)
			return i;
	return -1;
}

static double number(const char *query, const char *name, double otherwise)
{
	char text[64];
	return query_get(query, name, text, sizeof text) ? atof(text) : otherwise;
}

static bool refuse(struct buf *out, const char *why)
{
	buf_printf(out, "%s\n", why);
	return false;
}

/* fault?kind=K [endpoint=E] [count=N] [seconds=S] [status=N] [run=ID]; kind=none ends all. */
static bool do_fault(struct sim *sim, const char *query, struct buf *out)
{
	char kind[32] = "", endpoint[32] = "";
	query_get(query, "kind", kind, sizeof kind);
	query_get(query, "endpoint", endpoint, sizeof endpoint);
	struct fault fault = {
		.endpoint = *endpoint ? number_of(endpoint, endpoint_names, ENDPOINTS) : -1,
		.left = (int64_t)number(query, "count", -1),
		.seconds = number(query, "seconds", 3600),
		.status = (int)number(query, "status", 500),
		.run = (uint32_t)number(query, "run", 0),
	};
	int found = number_of(kind, fault_names, FAULT_KINDS);
	if (found < 0 || (*endpoint && fault.endpoint < 0))
		return refuse(out, "no such fault or endpoint");
	fault.kind = (enum fault_kind)found;
	if (fault.kind == FAULT_NONE) {
		memset(sim->faults, 0, sizeof sim->faults);
		return true;
	}
	for (size_t i = 0; i < FAULTS_MAX; i++)
		if (sim->faults[i].kind == FAULT_NONE) {
			sim->faults[i] = fault;
			return true;
		}
	return refuse(out, "too many faults at once");
}

/* slurmctld is started again: the jobs stay, and sdiag's counts begin again. */
static bool do_restart(struct sim *sim, const char *query, struct buf *out)
{
	(void)query, (void)out;
	struct world *world = &sim->world;
	world->boot = world->jobs_changed = world->nodes_changed = world->now;
	world->counters = (struct counters){.since = world_unix(world, world->now)};
	traffic_reset(&sim->traffic);
	return true;
}

static bool do_slurmctld(struct sim *sim, const char *query, struct buf *out)
{
	(void)out;
	sim->ctld_down = number(query, "down", 0) != 0;
	return true;
}

/* controllers?count=N&down=M: there are N. Number M, from 1 on, does not respond (0: all do). If it is the first, the
 * next one serves. */
static bool do_controllers(struct sim *sim, const char *query, struct buf *out)
{
	(void)out;
	sim->controllers = (unsigned)number(query, "count", 2);
	sim->controller_down = (unsigned)number(query, "down", 0);
	return true;
}

/* slurmdbd?down=1: it does not answer; ?late=N: it hears of ends N seconds later. */
static bool do_slurmdbd(struct sim *sim, const char *query, struct buf *out)
{
	(void)out;
	sim->dbd_down = sim->world.dbd_is_away = number(query, "down", 0) != 0;
	sim->world.dbd_late = (int32_t)number(query, "late", 0);
	return true;
}

static bool do_refuse(struct sim *sim, const char *query, struct buf *out)
{
	(void)out;
	sim->refuse_s = number(query, "seconds", 1);
	return true;
}

static bool do_storm(struct sim *sim, const char *query, struct buf *out)
{
	(void)out;
	sim->world.storm += (uint32_t)number(query, "jobs", 1000);
	return true;
}

static bool do_arrivals(struct sim *sim, const char *query, struct buf *out)
{
	(void)out;
	sim->world.options.arrivals = number(query, "rate", 0);
	return true;
}

/* Cancels all that waits. */
static bool do_cancel(struct sim *sim, const char *query, struct buf *out)
{
	(void)query, (void)out;
	struct world *world = &sim->world;
	for (size_t place = 0; place < world->jobs.end; place++) {
		struct job *job = job_table_at(&world->jobs, place);
		if (job->id && job->state == JOB_PENDING && !(job->flags & JOB_COMPLETING))
			job_end(world, job, JOB_CANCELLED, world->now);
	}
	return true;
}

static bool do_array(struct sim *sim, const char *query, struct buf *out)
{
	struct job *job = world_submit_array(&sim->world, sim->world.now, (uint32_t)number(query, "tasks", 100));
	buf_printf(out, "%u\n", job->id);
	return true;
}

static bool do_stand(struct sim *sim, const char *query, struct buf *out)
{
	(void)out;
	sim->world.stands = number(query, "still", 1) != 0;
	return true;
}

/* Moves the clock; in a script the next line is read at the new time. */
static bool do_advance(struct sim *sim, const char *query, struct buf *out)
{
	sim->advanced += (int32_t)number(query, "seconds", 1);
	world_advance(&sim->world, sim_second(sim));
	buf_printf(out, "%d\n", sim->world.now);
	return true;
}

/* job?id=N&do=hold|release|requeue|cancel|end */
static bool do_job(struct sim *sim, const char *query, struct buf *out)
{
	struct world *world = &sim->world;
	char what[32] = "";
	struct job *job = job_table_find(&world->jobs, (uint32_t)number(query, "id", 0));
	query_get(query, "do", what, sizeof what);
	if (!job || job->flags & JOB_COMPLETING)
		return refuse(out, "no such job, or it is completing");
	bool is_pending = job->state == JOB_PENDING, runs = job->state == JOB_RUNNING;
	if (strcmp(what, "hold") == 0 && is_pending)
		job_hold(world, job, REASON_HELD_USER);
	else if (strcmp(what, "release") == 0 && is_pending)
		job_release(world, job);
	else if (strcmp(what, "requeue") == 0 && runs)
		job_requeue(world, job, JOB_PENDING);
	else if (strcmp(what, "cancel") == 0 && (runs || is_pending))
		job_end(world, job, JOB_CANCELLED, world->now);
	else if (strcmp(what, "end") == 0 && runs)
		job_end(world, job, JOB_COMPLETED, world->now);
	else
		return refuse(out, "not with a job in that state");
	return true;
}

/* node?name=N&do=fail|drain|resume */
static bool do_node(struct sim *sim, const char *query, struct buf *out)
{
	char name[32] = "", what[32] = "";
	uint32_t node;
	query_get(query, "name", name, sizeof name);
	query_get(query, "do", what, sizeof what);
	if (!world_node_by_name(&sim->world, name, &node))
		return refuse(out, "no such node");
	if (strcmp(what, "fail") == 0)
		node_fail(&sim->world, node);
	else if (strcmp(what, "drain") == 0 || strcmp(what, "resume") == 0)
		node_drain(&sim->world, node, *what == 'd');
	else
		return refuse(out, "a node can fail, drain or resume");
	return true;
}

static const struct {
	const char *name;
	bool (*act)(struct sim *sim, const char *query, struct buf *out);
} controls[] = {
	{"controllers", do_controllers},
	{"fault", do_fault},
	{"restart", do_restart},
	{"slurmctld", do_slurmctld},
	{"slurmdbd", do_slurmdbd},
	{"refuse", do_refuse},
	{"storm", do_storm},
	{"arrivals", do_arrivals},
	{"cancel", do_cancel},
	{"array", do_array},
	{"stand", do_stand},
	{"advance", do_advance},
	{"job", do_job},
	{"node", do_node},
};

bool control_do(struct sim *sim, const char *path, struct buf *out)
{
	struct text rest = text_of(path), name = text_cut(&rest, '?');
	for (size_t i = 0; i < sizeof controls / sizeof *controls; i++)
		if (text_equal(name, text_of(controls[i].name)))
			return controls[i].act(sim, rest.len ? rest.bytes : "", out);
	return refuse(out, "no such control");
}

/* A script is lines of "SECOND control?...", in order of the world's seconds. */
void control_run_script(struct sim *sim)
{
	struct buf out = BUF_INIT;
	while (sim->script && *sim->script) {
		char *line = sim->script, *path;
		long at = strtol(line, &path, 10);
		if (path != line && at > sim->world.now)
			break;
		size_t len = strcspn(line, "\n");
		sim->script = line + len + (line[len] == '\n');
		line[len] = '\0';
		while (*path == ' ' || *path == '\t')
			path++;
		if (*path && *path != '#' && !control_do(sim, path, &out))
			fprintf(stderr, "slurmsim: script: %s: %s", path, out.bytes);
		buf_clear(&out);
	}
	buf_done(&out);
}

void sim_advance(struct sim *sim)
{
	if (sim->readers)
		return; /* what is being written must not change; the world catches up afterwards */
	world_advance(&sim->world, sim_second(sim));
	control_run_script(sim);
}
