#include "daemon/poller.h"

#include "base/clock.h"
#include "base/memory.h"
#include "cluster/fold.h"
#include "daemon/process.h"
#include "daemon/schedule.h"
#include "daemon/section.h"
#include "daemon/version.h"
#include "metrics/catalogue.h"
#include "model/job_task.h"
#include "slurmrest/client.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const double request_bounds[] = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
					1,     2.5,  5,    10,   30,  60,   120};

struct poller {
	const struct config *config;
	struct page_slot *slot;
	struct client *client;
	struct cluster cluster;
	struct exporter exporter;
	struct schedule schedule;
	enum fetch_result results[ENDPOINTS]; /* of the last request */
	bool warned_of_file, warned_of_cut_arrays;
	bool was_down_for_sure;
	atomic_bool stop;
	pthread_t thread;
	bool has_thread;
	pthread_mutex_t lock; /* only for waiting on `wake` */
	pthread_cond_t wake;
};

static struct token *token_of(const struct config *config)
{
	return config->token_file     ? token_from_file(config->token_file)
	       : config->jwt_key_file ? token_from_key(config->jwt_key_file, config->slurmrestd_user)
				      : token_none();
}

static void exporter_init(struct exporter *exporter)
{
	exporter->version = version_number;
	exporter->revision = version_revision;
	exporter->compiler = version_compiler;
	exporter->result_names = fetch_result_names;
	exporter->result_count = FETCH_RESULTS;
	exporter->endpoint_count = ENDPOINTS;
	for (int i = 0; i < ENDPOINTS; i++) {
		struct exporter_endpoint *endpoint = &exporter->endpoints[i];
		endpoint->name = endpoint_table[i].name;
		endpoint->is_optional = endpoint_table[i].is_optional;
		endpoint->request_seconds.bounds = request_bounds;
		endpoint->request_seconds.bound_count = sizeof request_bounds / sizeof *request_bounds;
	}
	exporter->scrapes[0] = (struct exporter_scrapes){"text", "200", 0};
}

struct poller *poller_new(const struct config *config, struct page_slot *slot, struct error *err)
{
	struct poller *poller = NEW(struct poller);
	poller->config = config;
	poller->slot = slot;
	cluster_init(&poller->cluster);
	exporter_init(&poller->exporter);
	schedule_init(&poller->schedule, config->interval_s);
	pthread_condattr_t monotonic;
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&poller->wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	pthread_mutex_init(&poller->lock, NULL);
	const struct client_options options = {
		.url = config->slurmrestd_url,
		.ca_file = config->ca_file,
		.user = config->slurmrestd_user,
		.version = config->api_version,
		.timeout_s = (long)config->timeout_s,
		.stop = &poller->stop,
	};
	poller->client =
		client_new(&options, token_of(config), &poller->cluster.vocabulary, err);
	if (poller->client && config_caps(config, &poller->cluster.caps, err))
		return poller;
	poller_free(poller);
	return NULL;
}

/* Not a failure: the release does not have it, or the user need not have it. */
static bool is_to_be_expected(enum endpoint which, enum fetch_result result)
{
	return endpoint_table[which].is_optional &&
	       (result == FETCH_UNSUPPORTED || result == FETCH_FORBIDDEN);
}

/* One line when an endpoint begins to fail, fails in another way, or is well again. */
static void log_change(const struct poller *poller, enum endpoint which, enum fetch_result result,
		       const struct error *err)
{
	bool is_first = !poller->exporter.endpoints[which].is_tried;
	bool is_served = !(result == FETCH_UNSUPPORTED && endpoint_table[which].is_optional);
	if ((result == poller->results[which] && !is_first) || !is_served)
		return;
	const char *name = endpoint_table[which].name;
	if (result != FETCH_OK)
		log_line(is_to_be_expected(which, result) ? LOG_LEVEL_INFO : LOG_LEVEL_WARN,
			 "poll failed", "endpoint", name, "result",
			 fetch_result_names[result], "error", err->text, NULL);
	else if (!is_first)
		log_line(LOG_LEVEL_INFO, "poll succeeds again", "endpoint", name, NULL);
}

/* What any answer tells of the cluster. */
static void note_envelope(struct poller *poller, const struct answer *answer)
{
	struct cluster *cluster = &poller->cluster;
	if (*answer->release)
		snprintf(cluster->slurm_version, sizeof cluster->slurm_version, "%s",
			 answer->release);
	if (*answer->cluster)
		snprintf(cluster->name, sizeof cluster->name, "%s", answer->cluster);
	const struct api_version *version = client_version(poller->client);
	if (!version || strcmp(version->name, cluster->api_version) == 0)
		return;
	snprintf(cluster->api_version, sizeof cluster->api_version, "%s", version->name);
	if (version->is_newer)
		log_line(LOG_LEVEL_WARN,
			 "slurmrestd serves only API versions newer than this exporter knows: it is read "
			 "as the newest known one; what was renamed will be missing",
			 "api_version", version->name, NULL);
	poller->exporter.endpoints[ENDPOINT_JOB_STATES].is_tried = false; /* may be served now */
	schedule_retry_unsupported(&poller->schedule, clock_monotonic_ns());
	log_line(LOG_LEVEL_INFO, "reading slurmrestd", "api_version", version->name, "slurm_version",
		 cluster->slurm_version, "url", poller->config->slurmrestd_url, NULL);
}

static void warn_of_token_file(struct poller *poller)
{
	const char *warning = token_file_warning(client_token(poller->client));
	if (warning && !poller->warned_of_file)
		log_line(LOG_LEVEL_WARN, warning, "file",
			 poller->config->token_file ? poller->config->token_file
						    : poller->config->jwt_key_file,
			 NULL);
	poller->warned_of_file = warning;
}

static void count(struct exporter_endpoint *endpoint, enum fetch_result result,
		  const struct answer *answer, const struct http_reply *reply)
{
	endpoint->is_tried = true;
	endpoint->is_up = result == FETCH_OK;
	endpoint->is_supported = reply->status != 404 && result != FETCH_UNSUPPORTED;
	endpoint->is_forbidden = result == FETCH_FORBIDDEN;
	endpoint->requests[result]++;
	endpoint->response_bytes += reply->bytes;
	histogram_observe(&endpoint->request_seconds, reply->seconds);
	if (result != FETCH_OK)
		return;
	endpoint->records_used += answer->records;
	endpoint->records_skipped += answer->skipped;
	endpoint->last_success = clock_now();
}

/* One request, counted and, if it changed anything, logged. */
static enum fetch_result ask(struct poller *poller, const struct fetch *fetch,
			     struct answer *ret_answer, struct http_reply *ret_reply)
{
	struct error err = {""};
	enum fetch_result result =
		client_fetch(poller->client, fetch, ret_answer, ret_reply, &err);
	if (result != FETCH_OK && atomic_load(&poller->stop))
		return result; /* given up because we stop: nothing to report */
	warn_of_token_file(poller);
	log_change(poller, fetch->endpoint, result, &err);
	count(&poller->exporter.endpoints[fetch->endpoint], result, ret_answer, ret_reply);
	poller->results[fetch->endpoint] = result;
	return result;
}

/* How many arrays with a cut task list are asked for at the most; each costs slurmrestd a row per
 * task. */
enum { CUT_ARRAYS_ASKED_MAX = 100 };

struct task_count {
	uint64_t id, pending;
};

static void count_task(void *context, const void *record)
{
	struct task_count *tasks = context;
	const struct job_task *task = record;
	/* the leader's own rows are the unsplit rest; split tasks have ids of their own */
	tasks->pending += task->id == tasks->id && task->state == JOB_PENDING;
}

/* Counts the pending tasks of the array's unsplit rest; false if slurmrestd does not tell. */
static bool count_tasks(struct poller *poller, uint64_t job_id, uint64_t *ret_count)
{
	struct task_count tasks = {.id = job_id};
	char query[48];
	snprintf(query, sizeof query, "?job_id=%" PRIu64, job_id);
	const struct fetch fetch = {ENDPOINT_JOB_STATES, count_task, &tasks, .query = query};
	struct answer answer;
	struct http_reply reply;
	bool is_told = ask(poller, &fetch, &answer, &reply) == FETCH_OK;
	const struct api_version *version = client_version(poller->client);
	uint64_t split = job_table_split_pending(poller->cluster.job_table, job_id);
	if (version && !version->task_ids_are_raw)
		tasks.pending -= split < tasks.pending ? split : tasks.pending;
	*ret_count = tasks.pending;
	return is_told;
}

/* Those that cannot be counted have as many tasks as last time, or as their lists show. */
static void settle_cut_arrays(struct poller *poller)
{
	struct job_table *table = poller->cluster.job_table;
	const struct exporter_endpoint *endpoint =
		&poller->exporter.endpoints[ENDPOINT_JOB_STATES];
	bool is_told = !endpoint->is_tried || endpoint->is_supported;
	struct job_view row;
	unsigned asked = 0;
	for (size_t i = 0; is_told && i < table->position_count; i++) {
		uint64_t tasks;
		if (!job_table_at(table, i, &row) || !row.is_cut || asked++ >= CUT_ARRAYS_ASKED_MAX)
			continue;
		is_told = count_tasks(poller, row.id, &tasks);
		if (is_told)
			job_table_set_tasks(table, row.id, tasks < row.tasks_listed ? 0 : tasks);
	}
	uint64_t undercounted = table->totals->undercounted;
	if (undercounted && !poller->warned_of_cut_arrays)
		log_line(LOG_LEVEL_WARN,
			 "slurmrestd cuts the task lists of pending arrays, and not all could be counted "
			 "by jobs/state: their jobs are counted too low; set SLURM_BITSTR_LEN=0 in "
			 "slurmrestd's environment",
			 NULL);
	poller->warned_of_cut_arrays = undercounted;
}

/* Slurm's cluster names are in lower case; another one is not asked for by name. */
static const char url_safe[] = "abcdefghijklmnopqrstuvwxyz0123456789-_.";

static bool poll_endpoint(struct poller *poller, enum endpoint which)
{
	const struct section *section = &section_table[which];
	struct section_build build = {.cluster = &poller->cluster, .now = clock_now_s()};
	char query[96] = "";
	const char *name = poller->cluster.name;
	if (endpoint_table[which].takes_cluster && name[strspn(name, url_safe)] == '\0' && *name)
		snprintf(query, sizeof query, "?cluster=%s", name);
	const struct fetch fetch = {which, section->take, &build, .query = query};
	struct answer answer;
	struct http_reply reply;

	build.built = section->start(&poller->cluster, build.now);
	enum fetch_result result = ask(poller, &fetch, &answer, &reply);
	schedule_note(&poller->schedule, which, result, reply.seconds, clock_monotonic_ns());
	if (result != FETCH_OK) {
		section->discard(build.built);
		return is_to_be_expected(which, result);
	}
	note_envelope(poller, &answer);
	section->commit(&poller->cluster, build.built);
	if (which == ENDPOINT_JOBS)
		settle_cut_arrays(poller);
	return true;
}

static void drop_what_is_not_known(struct poller *poller)
{
	struct cluster *cluster = &poller->cluster;
	uint64_t now = clock_monotonic_ns();
	for (int i = 0; i < ENDPOINTS_POLLED; i++)
		if (schedule_expire(&poller->schedule, (enum endpoint)i, now))
			section_table[i].drop(cluster);
	bool any_up = false;
	for (unsigned i = 0; i < cluster->controller_count; i++)
		any_up |= cluster->controllers[i].is_up;
	poller->was_down_for_sure =
		!any_up && schedule_is_down_for_sure(&poller->schedule, poller->was_down_for_sure);
	cluster->controllers_are_sure = any_up || poller->was_down_for_sure;
	cluster->accounting_up = schedule_accounting_up(&poller->schedule, cluster->dbd_responds);
}

static void publish(struct poller *poller)
{
	struct exporter *exporter = &poller->exporter;
	bool is_complete = true;
	drop_what_is_not_known(poller);
	for (int i = 0; i < ENDPOINTS_POLLED; i++) {
		const struct schedule_entry *entry = &poller->schedule.entries[i];
		exporter->endpoints[i].interval = entry->interval_s;
		is_complete &= entry->tried_ns != 0;
	}
	const struct token *token = client_token(poller->client);
	exporter->user = poller->config->slurmrestd_user ? poller->config->slurmrestd_user
							  : token_user(token);
	exporter->token_expiry = token_expiry(token);
	exporter->scrapes[0].count = atomic_load(&poller->slot->scrapes);
	process_read(&exporter->process);
	cluster_fold(&poller->cluster);
	struct buf bytes = BUF_INIT;
	const struct view view = {&poller->cluster, exporter, clock_now_s(),
				  (enum per_node)poller->config->per_node};
	catalogue_render(&view, &bytes);
	page_slot_publish(poller->slot, page_new(&bytes, is_complete));
}

bool poller_poll_all(struct poller *poller)
{
	bool all_answered = true;
	for (int i = 0; i < ENDPOINTS_POLLED && !atomic_load(&poller->stop); i++) {
		all_answered &= poll_endpoint(poller, (enum endpoint)i);
		publish(poller);
	}
	return all_answered;
}

static void wait_until(struct poller *poller, uint64_t moment_ns)
{
	struct timespec moment = {.tv_sec = (time_t)(moment_ns / 1000000000u),
				  .tv_nsec = (long)(moment_ns % 1000000000u)};
	pthread_mutex_lock(&poller->lock);
	while (!atomic_load(&poller->stop) && clock_monotonic_ns() < moment_ns)
		pthread_cond_timedwait(&poller->wake, &poller->lock, &moment);
	pthread_mutex_unlock(&poller->lock);
}

static void *run(void *context)
{
	struct poller *poller = context;
	publish(poller); /* nothing is known yet, but a scrape finds the exporter itself */
	poller_poll_all(poller);
	while (!atomic_load(&poller->stop)) {
		wait_until(poller, schedule_next_ns(&poller->schedule));
		for (int i = 0; i < ENDPOINTS_POLLED && !atomic_load(&poller->stop); i++) {
			if (poller->schedule.entries[i].due_ns > clock_monotonic_ns())
				continue;
			poll_endpoint(poller, (enum endpoint)i);
			publish(poller);
		}
		publish(poller); /* also when nothing was due: something became too old */
	}
	return NULL;
}

bool poller_start(struct poller *poller, struct error *err)
{
	int code = pthread_create(&poller->thread, NULL, run, poller);
	poller->has_thread = code == 0;
	return poller->has_thread || error_set(err, "a thread to poll in: %s", strerror(code));
}

void poller_stop(struct poller *poller)
{
	pthread_mutex_lock(&poller->lock);
	atomic_store(&poller->stop, true);
	pthread_cond_signal(&poller->wake);
	pthread_mutex_unlock(&poller->lock);
	if (poller->has_thread)
		pthread_join(poller->thread, NULL);
	poller->has_thread = false;
}

void poller_free(struct poller *poller)
{
	if (!poller)
		return;
	client_free(poller->client);
	cluster_done(&poller->cluster);
	pthread_cond_destroy(&poller->wake);
	pthread_mutex_destroy(&poller->lock);
	free(poller);
}
