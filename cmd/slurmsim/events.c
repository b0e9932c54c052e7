#include "slurmsim/events.h"

#include "base/memory.h"

static bool is_before(struct event a, struct event b)
{
	return a.at < b.at || (a.at == b.at && a.job < b.job);
}

void event_set(struct world *world, struct job *job, int32_t at)
{
	job->event = at;
	if (at == TIME_NONE)
		return; /* what is in the heap is stale now */
	GROW(world->events, world->event_count, world->event_capacity);
	struct event event = {at, job->id};
	size_t place = world->event_count++;
	for (; place && is_before(event, world->events[(place - 1) / 2]); place = (place - 1) / 2)
		world->events[place] = world->events[(place - 1) / 2];
	world->events[place] = event;
}

static struct event take_first(struct world *world)
{
	struct event first = world->events[0], last = world->events[--world->event_count];
	size_t place = 0, count = world->event_count;
	for (size_t child; (child = 2 * place + 1) < count; place = child) {
		if (child + 1 < count && is_before(world->events[child + 1], world->events[child]))
			child++;
		if (!is_before(world->events[child], last))
			break;
		world->events[place] = world->events[child];
	}
	if (count)
		world->events[place] = last;
	return first;
}

bool event_next(struct world *world, struct event *ret_event)
{
	while (world->event_count && world->events[0].at <= world->now) {
		*ret_event = take_first(world);
		struct job *job = job_table_find(&world->jobs, ret_event->job);
		if (job && job->event == ret_event->at)
			return true;
	}
	return false;
}
