#include "poll/asker.h"

#include "base/clock.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

bool asker_expects(enum endpoint which, enum fetch_result result)
{
	return endpoint_table[which].is_optional && (result == FETCH_UNSUPPORTED || result == FETCH_FORBIDDEN);
}

/* Logs one line when an endpoint begins to fail, fails in another way, or works again. */
static void log_change(const struct asker *asker, enum endpoint which, enum fetch_result result,
		       const struct error *err)
{
	const struct health_entry *entry = &asker->health->entries[which];
	bool is_first = !entry->tried_ns, is_well = fetch_succeeded(result);
	bool is_same = is_well ? fetch_succeeded(entry->result) : result == entry->result;
	bool is_served = !(result == FETCH_UNSUPPORTED && endpoint_table[which].is_optional);
	if ((is_same && !is_first) || !is_served)
		return;
	const char *name = endpoint_table[which].name;
	if (!is_well)
		log_line(asker_expects(which, result) ? LOG_LEVEL_INFO : LOG_LEVEL_WARN, "poll failed", "endpoint",
			 name, "result", fetch_result_names[result], "error", err->text, NULL);
	else if (!is_first)
		log_line(LOG_LEVEL_INFO, "the endpoint answers again", "endpoint", name, NULL);
}

static void note_failure(struct asker *asker, enum endpoint which, enum fetch_result result, const struct error *err)
{
	struct ask_failure *failure = &asker->failures[which];
	if (fetch_succeeded(result) || asker_expects(which, result)) {
		failure->since = 0;
		return;
	}
	failure->error = *err;
	failure->time = clock_now();
	if (!failure->since)
		failure->since = failure->time;
}

static void warn_of_token_file(struct asker *asker)
{
	const struct config *config = asker->config;
	const char *warning = token_file_warning(client_token(asker->client));
	if (warning && !asker->warned_of_file)
		log_line(LOG_LEVEL_WARN, warning, "file",
			 config->token_file ? config->token_file : config->jwt_key_file, NULL);
	asker->warned_of_file = warning;
}

static void count(struct asker *asker, enum endpoint which, enum fetch_result result, const struct answer *answer,
		  const struct http_reply *reply)
{
	struct exporter_endpoint *endpoint = &asker->exporter->endpoints[which];
	endpoint->is_tried = true;
	endpoint->is_supported = result != FETCH_UNSUPPORTED && (reply->status != 404 || result == FETCH_NOT_FOUND);
	endpoint->is_forbidden = result == FETCH_FORBIDDEN;
	endpoint->requests[result]++;
	endpoint->response_bytes += reply->bytes;
	histogram_observe(&endpoint->request_seconds, reply->seconds);
	if (!fetch_succeeded(result))
		return;
	/* states take several requests, and a list of jobs may be for reasons alone: job_poller.c renews these */
	if (which != ENDPOINT_JOB_STATES && which != ENDPOINT_JOBS)
		endpoint->last_success = clock_now();
	if (result != FETCH_OK)
		return;
	endpoint->records_used += answer->records;
	endpoint->records_skipped += answer->skipped;
}

/* Notes what any answer says of the cluster. */
static void note_envelope(struct asker *asker, const struct answer *answer)
{
	struct cluster *cluster = asker->cluster;
	if (*answer->release)
		snprintf(cluster->slurm_version, sizeof cluster->slurm_version, "%s", answer->release);
	if (*answer->cluster)
		snprintf(cluster->name, sizeof cluster->name, "%s", answer->cluster);
	const struct api_version *version = client_version(asker->client);
	if (!version || strcmp(version->name, cluster->api_version) == 0)
		return;
	snprintf(cluster->api_version, sizeof cluster->api_version, "%s", version->name);
	if (version->is_newer)
		log_line(LOG_LEVEL_WARN,
			 "slurmrestd serves only API versions that are newer than slurmscope knows: metrics whose "
			 "fields were renamed are missing; install a newer slurmscope",
			 "api_version", version->name, NULL);
	log_line(LOG_LEVEL_INFO, "reading slurmrestd", "api_version", version->name, "slurm_version",
		 cluster->slurm_version, "url", asker->config->slurmrestd_url, NULL);
}

/* The result as the planner has it. Until a version is found, nothing is known to be unsupported. */
static enum plan_result plan_result_of(const struct client *client, enum fetch_result result)
{
	switch (result) {
	case FETCH_OK:
	case FETCH_NOT_FOUND:
		return PLAN_OK;
	case FETCH_UNCHANGED:
		return PLAN_UNCHANGED;
	case FETCH_TIMEOUT:
		return PLAN_TIMED_OUT;
	case FETCH_UNSUPPORTED:
	case FETCH_FORBIDDEN:
		return client_version(client) ? PLAN_UNSUPPORTED : PLAN_FAILED;
	default:
		return PLAN_FAILED;
	}
}

struct plan_outcome asker_outcome(const struct client *client, enum fetch_result result, const struct answer *answer,
				  const struct http_reply *reply)
{
	return (struct plan_outcome){.result = plan_result_of(client, result),
				     .seconds = fmax(reply->seconds - reply->own_seconds, 0),
				     .bytes = (double)reply->bytes,
				     .records = answer->records};
}

int64_t asker_time_s(const struct asker *asker, double ours)
{
	return (int64_t)floor(ours + asker->clock_ahead);
}

int64_t asker_now_s(const struct asker *asker)
{
	return asker_time_s(asker, clock_now());
}

static void log_answer(enum endpoint which, enum fetch_result result, const struct http_reply *reply)
{
	char seconds[32], bytes[32];
	snprintf(seconds, sizeof seconds, "%.3f", reply->seconds);
	snprintf(bytes, sizeof bytes, "%" PRIu64, reply->bytes);
	log_line(LOG_LEVEL_DEBUG, "asked slurmrestd", "endpoint", endpoint_table[which].name, "result",
		 fetch_result_names[result], "seconds", seconds, "bytes", bytes, NULL);
}

enum fetch_result asker_ask(struct asker *asker, const struct fetch *fetch, struct plan_outcome *ret_outcome)
{
	struct error err = {""};
	struct answer answer;
	struct http_reply reply;
	enum fetch_result result = client_fetch(asker->client, fetch, &answer, &reply, &err);
	*ret_outcome = asker_outcome(asker->client, result, &answer, &reply);
	if (!fetch_succeeded(result) && atomic_load(asker->stop))
		return result; /* cancelled because we stop: nothing to report */
	warn_of_token_file(asker);
	log_change(asker, fetch->endpoint, result, &err);
	note_failure(asker, fetch->endpoint, result, &err);
	count(asker, fetch->endpoint, result, &answer, &reply);
	log_answer(fetch->endpoint, result, &reply);
	health_note(asker->health, fetch->endpoint, result, clock_monotonic_ns());
	if (result != FETCH_OK)
		return result;
	asker->is_compact = answer.is_compact;
	asker->last_update = number_is_known(answer.last_update) ? answer.last_update : 0;
	note_envelope(asker, &answer);
	return result;
}
