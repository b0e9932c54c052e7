/* What a request of a search without success costs slurmscope, beside 10,000 jobs and beside a million. A search asks
 * up to 50 times a second, so the cost must not grow with the jobs.
 *
 *   bench_search
 *
 * Exits with 1 when a request takes more than six times as long beside a million jobs. Maps are slower then, but no
 * request looks at all rows. */
#include "poll/job_poller.h"
#include "polled.h"

#include <stdlib.h>
#include <time.h>

enum { REQUESTS = 2000, A_SECOND = 50 };
static const double ratio_max = 6;

const struct api_version *__wrap_client_version(const struct client *client);
enum fetch_result __wrap_asker_ask(struct asker *asker, const struct fetch *fetch, struct plan_outcome *ret_outcome);

const struct api_version *__wrap_client_version(const struct client *client)
{
	(void)client;
	return version_of("v0.0.45");
}

enum fetch_result __wrap_asker_ask(struct asker *asker, const struct fetch *fetch, struct plan_outcome *ret_outcome)
{
	(void)asker, (void)fetch;
	*ret_outcome = (struct plan_outcome){.result = PLAN_OK, .seconds = 0.001};
	return FETCH_OK;
}

static double cpu_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void put_jobs(struct job_table *table, uint64_t jobs)
{
	for (uint64_t id = 1; id <= jobs; id++) {
		const struct job job = {.id = id,
					.array_job_id = NUMBER_UNSET,
					.array_task_id = NUMBER_UNSET,
					.state = JOB_PENDING,
					.user = TEXT("ann"),
					.submit_time = 1000,
					.reason = TEXT("Priority")};
		job_table_put(table, &job, 2000);
	}
}

/* Seconds of CPU that a request takes, with what the poller looks at after it. */
static double request_s(uint64_t jobs)
{
	struct polled *polled = calloc(1, sizeof *polled);
	struct job_poller poller;
	polled_init(polled);
	job_poller_init(&poller, &polled->asker, polled->plan, polled->tasks);
	put_jobs(polled->cluster.job_table, jobs);
	job_rounds_note_list(&poller.reader.rounds);
	job_rounds_note_count(&poller.reader.rounds, 2 * jobs);
	const struct plan_action action = {.task = TASK_JOB_SEARCH, .way = STATES_BATCHES, .records = 500};
	struct plan_outcome outcome;
	double begun_s = cpu_s();
	for (int i = 0; i < REQUESTS; i++) {
		job_poller_poll(&poller, &action, &outcome);
		job_poller_update(&poller);
	}
	double seconds = (cpu_s() - begun_s) / REQUESTS;
	job_poller_done(&poller);
	polled_done(polled);
	free(polled);
	return seconds;
}

int main(void)
{
	double few_s = request_s(10000), many_s = request_s(1000000);
	printf("a request of a search in vain: %.1f us beside 10,000 jobs, %.1f us beside 1,000,000 (%.2f times)\n",
	       few_s * 1e6, many_s * 1e6, many_s / few_s);
	printf("%d a second beside 1,000,000 jobs: %.3f %% of a core\n", A_SECOND, many_s * A_SECOND * 100);
	return many_s > ratio_max * few_s;
}
