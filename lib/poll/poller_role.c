#include "poll/poller_role.h"

#include "base/clock.h"
#include "events/events_record.h"
#include "poll/poller_config.h"
#include "poll/poller_state.h"
#include "poll/section.h"
#include "poll/warm.h"
#include "store/store.h"

static bool follows(const struct poller *poller)
{
	return poller->config->ha != HA_OFF;
}

/* Allows the tasks of a leader, or only ping. The pollers of jobs and events restrict theirs further. */
static void allow(struct poller *poller, bool all)
{
	for (size_t i = 0; i < TASKS; i++)
		plan_allow_task(poller->plan, i, all || i == ENDPOINT_PING);
}

/* Takes the counters of when this poller led before without a state file. It finds later what happened since. */
static struct job_events *take_counted(struct poller *poller)
{
	struct job_events *before = poller->counted_before;
	poller->counted_before = NULL;
	if (!before)
		return NULL;
	struct job_events *events = job_events_new(&poller->cluster.caps, &poller->cluster.vocabulary, clock_now_s());
	events_continue(events, before, clock_now_s());
	job_events_free(before);
	return events;
}

void poller_lead(struct poller *poller)
{
	allow(poller, true);
	start_begin(&poller->start, clock_monotonic_ns());
	poller_set_budgets(poller);
	event_poller_init(&poller->events, &poller->asker, poller->plan, &poller->jobs.reader.rounds,
			  take_counted(poller));
	if (!poller->config->once) /* --once shows what Slurm says now, or nothing */
		warm_begin(&poller->jobs, &poller->events.jobs);
	poller->start.is_warm = poller->jobs.unverified_as_of > 0;
	poller->waits_for.text[0] = '\0';
	poller->leads = true;
	poller_note_news(poller);
	poller->next_page_ns = 0;
}

/* The poller is a standby from now on, which sends only ping. */
static void ask_for_ping(struct poller *poller)
{
	allow(poller, false);
	for (int i = 0; i < ENDPOINTS; i++)
		if (i != ENDPOINT_PING)
			poller->exporter.endpoints[i].is_tried = false;
}

static void forget_endpoint(struct poller *poller, enum endpoint endpoint)
{
	poller->health.entries[endpoint] = (struct health_entry){0};
	poller->exporter.endpoints[endpoint].last_success = 0;
}

static void forget_jobs(struct poller *poller)
{
	job_poller_done(&poller->jobs);
	cluster_forget_jobs(&poller->cluster);
	job_poller_init(&poller->jobs, &poller->asker, poller->plan, poller->tasks);
}

static void forget_cluster(struct poller *poller)
{
	for (int i = 0; i < ENDPOINTS; i++) {
		if (i == ENDPOINT_PING)
			continue;
		if (i < ENDPOINTS_POLLED)
			section_drop(i, &poller->cluster);
		forget_endpoint(poller, (enum endpoint)i);
		poller->asker.failures[i] = (struct ask_failure){.since = 0};
	}
	poller->cluster.accounting_up = UP_NOT_KNOWN; /* judged after a request, and no page waits for one */
	memset(poller->last_update, 0, sizeof poller->last_update);
	forget_jobs(poller);
}

static void record(struct poller *poller)
{
	warm_keep(&poller->jobs, &poller->events.jobs);
	event_poller_record(&poller->events, poller->jobs.as_of);
}

static void stand_by(struct poller *poller)
{
	struct recorder *recorder = &poller->events.recorder;
	record(poller);
	if (!recorder->store) {
		poller->counted_before = recorder->events;
		recorder->events = NULL;
	}
	event_poller_done(&poller->events); /* from now on another slurmscope has the state file */
	poller->events = (struct event_poller){0};
	forget_cluster(poller);
	ask_for_ping(poller);
	poller->start.until_ns = 0;
	poller_set_budgets(poller);
	poller->leads = false;
	poller_note_news(poller);
	poller->next_page_ns = 0; /* at once */
}

void poller_begin(struct poller *poller)
{
	poller->role = ROLE_INIT;
	if (follows(poller))
		ask_for_ping(poller);
	else
		poller_lead(poller);
}

static void say_role(const struct poller *poller, const char *host, const char *what)
{
	const char *serving = *poller->role.serving ? poller->role.serving : "unknown";
	log_line(LOG_LEVEL_INFO, what, "host", host, "serving", serving, NULL);
}

/* Leads, unless another slurmscope still has the state file: that one may not have noticed yet. So no two count the
 * same. */
static void try_to_lead(struct poller *poller, const char *host)
{
	const char *path = poller->config->state_path;
	bool has_waited = *poller->waits_for.text;
	if (!path || store_is_free(path, &poller->waits_for)) {
		poller_lead(poller);
		say_role(poller, host, "this slurmscope leads: the slurmctld of its host serves");
	} else if (!has_waited) {
		log_line(LOG_LEVEL_WARN, "this slurmscope should lead and waits for the state file", "error",
			 poller->waits_for.text, NULL);
	}
}

static void say_unnamed(struct poller *poller, const char *host)
{
	bool is_unnamed = !poller->role.is_named;
	if (is_unnamed && !poller->was_unnamed)
		log_line(LOG_LEVEL_ERROR,
			 "ping names no controller of this host: this slurmscope never leads; set ha-host", "host",
			 host, NULL);
	poller->was_unnamed = is_unnamed;
}

void poller_follow(struct poller *poller, bool has_answered)
{
	char host[256];
	const struct cluster *cluster = &poller->cluster;
	bool was_known = poller->role.is_known;
	if (!follows(poller))
		return;
	config_ha_host(poller->config, host, sizeof host);
	if (has_answered)
		role_note(&poller->role, host, cluster->controllers, cluster->controller_count);
	else
		role_note_failure(&poller->role);
	say_unnamed(poller, host);
	if (poller->role.leads && !poller->leads)
		try_to_lead(poller, host);
	if (poller->role.leads)
		return;
	poller->waits_for.text[0] = '\0';
	bool gives_way = poller->leads;
	if (gives_way)
		stand_by(poller);
	if (gives_way || (!was_known && poller->role.is_known))
		say_role(poller, host, "this slurmscope stands by");
}

void poller_judge_jobs(struct poller *poller)
{
	if (!poller->leads || event_poller_claim(&poller->events))
		return;
	forget_endpoint(poller, ENDPOINT_JOBS);
	forget_endpoint(poller, ENDPOINT_JOB_STATES);
	forget_jobs(poller);
}

void poller_record(struct poller *poller)
{
	if (!poller->leads)
		return;
	record(poller);
	if (!follows(poller) || !recorder_is_elsewhere(&poller->events.recorder))
		return;
	poller->waits_for = poller->events.recorder.error;
	log_line(LOG_LEVEL_ERROR, "this slurmscope stands by: another one took the state file", "error",
		 poller->waits_for.text, NULL);
	stand_by(poller);
}
