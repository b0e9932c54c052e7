/* What a part of the poller needs around it, for the tests of one part: a cluster, a plan, and an asker without a client. */
#pragma once

#include "check.h"
#include "poll/asker.h"
#include "poll/tasks.h"

struct polled {
	struct config config;
	struct cluster cluster;
	struct health health;
	struct exporter exporter;
	struct asker asker;
	struct plan_task tasks[TASKS];
	struct plan *plan;
};

/* It stays where it is: the asker borrows the others. */
static inline void polled_init(struct polled *polled)
{
	config_defaults(&polled->config);
	cluster_init(&polled->cluster);
	polled->asker = (struct asker){.config = &polled->config,
				       .cluster = &polled->cluster,
				       .health = &polled->health,
				       .exporter = &polled->exporter};
	polled->plan = tasks_plan(polled->tasks, &polled->config);
}

static inline void polled_done(struct polled *polled)
{
	plan_free(polled->plan);
	cluster_done(&polled->cluster);
}

static inline const struct api_version *version_of(const char *name)
{
	const struct api_version *row = api_versions;
	while (row->name && strcmp(row->name, name) != 0)
		row++;
	return row;
}
