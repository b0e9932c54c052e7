/* Whose reason is renewed first, and that nobody's is forgotten. */
#include "check.h"
#include "discovery/job_details.h"
#include "discovery/job_reasons.h"

#include <stdlib.h>

enum { NOW = 100000 };

static void put(struct job_table *table, uint64_t id, const char *reason, int64_t submit_time, int64_t now)
{
	const struct job job = {.id = id,
				.array_task_id = NUMBER_UNSET,
				.state = JOB_PENDING,
				.user = TEXT("ann"),
				.submit_time = (uint64_t)submit_time,
				.reason = text_of(reason)};
	CHECK(job_table_put(table, &job, now));
}

static void test_order(void)
{
	static const struct {
		const char *what;
		struct {
			const char *reason;
			int64_t submitted, told; /* seconds ago */
		} jobs[2]; /* the first is renewed before the second */
	} rows[] = {
		{"the older of two alike", {{"Priority", 9000, 60}, {"Priority", 9000, 50}}},
		{"one that can start before one that is held", {{"Resources", 9000, 40}, {"JobHeldUser", 9000, 60}}},
		{"but not for ever", {{"JobHeldUser", 9000, 90}, {"Resources", 9000, 40}}},
		{"one that slurmctld has not looked at", {{"None", 9000, 20}, {"Resources", 9000, 60}}},
		{"one of slurmdbd", {{"Unknown", 9000, 20}, {"Resources", 9000, 60}}},
		{"one whose reason is not told", {{"", 9000, 20}, {"Resources", 9000, 60}}},
		{"a new one once more", {{"Priority", 45, 30}, {"Priority", 9000, 50}}},
		{"one that is not new any more, and was told at its second just then",
		 {{"Priority", 9000, 50}, {"Priority", 90, 30}}},
		{"one that was told a second before that", {{"Priority", 89, 30}, {"Priority", 9000, 50}}},
		{"any before one that was told by a clock that was ahead",
		 {{"Priority", 9000, 1}, {"Priority", 9000, -500}}},
		{"one that was told late is not new any more", {{"Priority", 9000, 50}, {"Priority", 100, 30}}},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		check_row(rows[i].what);
		for (int turned = 0; turned < 2; turned++) {
			struct job_table *table = job_table_new();
			struct job_details details;
			job_details_init(&details, table);
			for (int job = 0; job < 2; job++)
				put(table, job == turned ? 1 : 2, rows[i].jobs[job].reason,
				    NOW - rows[i].jobs[job].submitted, NOW - rows[i].jobs[job].told);
			job_table_note_now(table, NOW);
			CHECK_NUMBER(job_details_begin(&details, JOB_QUEUE_REASONS), 2);
			CHECK_NUMBER(job_details_next(&details, JOB_QUEUE_REASONS), turned ? 2 : 1);
			job_details_done(&details);
			job_table_free(table);
		}
	}
}

static void test_who(void)
{
	struct job_table *table = job_table_new();
	struct job_details details;
	job_details_init(&details, table);
	for (uint64_t id = 1; id <= 4; id++)
		put(table, id, "Priority", NOW - 500, NOW - 100);
	job_table_set_state(table, 2, JOB_RUNNING, 0, NOW);
	job_table_set_state(table, 5, JOB_PENDING, 0, NOW);
	const struct job running = {.id = 6, .array_task_id = NUMBER_UNSET, .state = JOB_RUNNING, .user = TEXT("ann")};
	CHECK(job_table_put(table, &running, NOW - 100));
	job_details_note_unknown(&details, 3);
	check_row("not one that has begun since, that slurmctld hides, that has no details yet, or that runs");
	CHECK_NUMBER(job_details_begin(&details, JOB_QUEUE_REASONS), 2);
	CHECK_NUMBER(job_details_next(&details, JOB_QUEUE_REASONS), 1);
	check_row("nor one whose details came with another's");
	put(table, 4, "Priority", NOW - 500, NOW);
	CHECK_NUMBER(job_details_next(&details, JOB_QUEUE_REASONS), 0);
	job_details_done(&details);
	job_table_free(table);
}

static int compare(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
	return (left > right) - (left < right);
}

/* Of many in any order a round has the oldest, and in their order. */
static void test_choice(void)
{
	enum { JOBS = 7 * JOB_REASONS_MAX };
	struct job_table *table = job_table_new();
	struct job_details details;
	static uint32_t told[JOBS];
	uint64_t random = 88172645463325252u;
	job_details_init(&details, table);
	for (uint64_t id = 1; id <= JOBS; id++) {
		random ^= random << 13, random ^= random >> 7, random ^= random << 17;
		told[id - 1] = (uint32_t)(NOW - 1 - random % 50000);
		put(table, id, "Priority", 1, told[id - 1]);
	}
	job_table_note_now(table, NOW);
	qsort(told, JOBS, sizeof *told, compare);
	check_row("the oldest of seven thousand");
	CHECK_NUMBER(job_details_begin(&details, JOB_QUEUE_REASONS), JOB_REASONS_MAX);
	for (size_t i = 0; i < JOB_REASONS_MAX; i++) {
		struct job_view row;
		CHECK(job_table_find(table, job_details_next(&details, JOB_QUEUE_REASONS), &row));
		CHECK_NUMBER(row.details_time, told[i]);
	}
	job_details_done(&details);
	job_table_free(table);
}

/* A round a minute, as at a site with more of them than the budgets can renew: held jobs submitted first. */
static void test_nobody_is_forgotten(void)
{
	enum { JOBS = 20 * JOB_REASONS_MAX };
	struct job_table *table = job_table_new();
	struct job_details details;
	job_details_init(&details, table);
	for (uint64_t id = 1; id <= JOBS; id++)
		put(table, id, id <= JOBS / 2 ? "JobHeldUser" : "Priority", 1, NOW);
	int64_t now = NOW;
	for (int round = 0; round < 100; round++) {
		now += 60;
		job_table_note_now(table, now);
		CHECK_NUMBER(job_details_begin(&details, JOB_QUEUE_REASONS), JOB_REASONS_MAX);
		for (uint64_t id; (id = job_details_next(&details, JOB_QUEUE_REASONS));)
			put(table, id, id <= JOBS / 2 ? "JobHeldUser" : "Priority", 1, now);
	}
	int64_t oldest[2] = {now, now}; /* held, startable */
	for (uint64_t id = 1; id <= JOBS; id++) {
		struct job_view row;
		CHECK(job_table_find(table, id, &row));
		int64_t *of = &oldest[id > JOBS / 2];
		*of = row.details_time < *of ? row.details_time : *of;
	}
	check_row("twenty times as many as a round has: held ones wait for twice as long as those that can start");
	CHECK(now - oldest[0] <= 60 * 32);
	CHECK(now - oldest[1] <= 60 * 17);
	job_details_done(&details);
	job_table_free(table);
}

int main(void)
{
	test_order();
	test_who();
	test_choice();
	test_nobody_is_forgotten();
	return check_done();
}
