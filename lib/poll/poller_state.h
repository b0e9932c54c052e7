/* What the poller's own files share. */
#pragma once

#include "config/setup.h"
#include "page/board.h"
#include "poll/event_poller.h"
#include "poll/job_poller.h"
#include "poll/role.h"
#include "poll/start.h"

struct poller {
	struct setup *setup; /* held */
	const struct config *config;
	struct page_slot *slot;
	struct buf labels; /* of all samples of the cluster */
	struct name_hash *hash; /* NULL: names stay */
	struct arena user; /* its text is our user, as records name it */
	struct cluster cluster;
	struct exporter exporter;
	struct health health;
	struct asker asker;
	struct plan_task tasks[TASKS];
	struct plan *plan;
	struct start start; /* of this leader */
	struct job_poller jobs;
	struct event_poller events; /* of a leader */
	bool leads; /* it polls everything; else it stands by (poller_role.c) */
	struct role role; /* with ha */
	struct error waits_for; /* why it does not lead though it should; empty: no reason */
	bool was_unnamed; /* ping did not list our host at the last log line about that */
	uint64_t last_update[ENDPOINTS_POLLED]; /* of the numbers on the page; 0: Slurm did not say */
	const struct api_version *version; /* when the planner was last told */
	uint64_t scrapes; /* likewise */
	bool was_down_for_sure;
	bool was_ready; /* a page had all that Slurm tells */
	bool is_page_old; /* something happened since it was made */
	uint64_t news_since_ns; /* when the first of that happened */
	uint64_t next_page_ns; /* no page before this moment */
	atomic_bool stop;
	atomic_uint_fast64_t next_sign_ns; /* when the thread must have given a sign of life; 0: no thread */
	pthread_t thread;
	bool has_thread;
	struct job_events *counted_before; /* by an earlier poller, or by this one as earlier leader; NULL: nothing */
	uint64_t old_page_until_ns; /* an earlier poller's page stays until then; 0: there is none */
	pthread_mutex_t lock; /* of `wake`, and of what follows */
	pthread_cond_t wake;
	struct setup *next_setup; /* held; to be taken by the thread; NULL: none */
	const struct config *next_config;
};

/* Something happened that a page has to show. */
void poller_note_news(struct poller *poller);
