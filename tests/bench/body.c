#include "bench.h"

#include "base/buf.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>

/* Elements added to the node allocation of a running job, which brings the whole to the real body's
 * 15.5 kB per job. */
enum { RUNNING_EVERY = 4, ALLOCATION_COPIES = 22, RECORDS_MAX = 1000 };

struct records {
	struct text items[RECORDS_MAX];
	size_t count;
};

const struct member members[] = {
	{"job_id", MEMBER_PLAIN},
	{"array_job_id", MEMBER_SET_AND_NUMBER},
	{"array_task_id", MEMBER_SET_AND_NUMBER},
	{"array_task_string", MEMBER_PLAIN},
	{"user_name", MEMBER_PLAIN},
	{"account", MEMBER_PLAIN},
	{"partition", MEMBER_PLAIN},
	{"qos", MEMBER_PLAIN},
	{"job_state", MEMBER_LIST},
	{"state_reason", MEMBER_PLAIN},
	{"submit_time", MEMBER_NUMBER},
	{"eligible_time", MEMBER_NUMBER},
	{"start_time", MEMBER_NUMBER},
	{"end_time", MEMBER_NUMBER},
	{"cpus", MEMBER_NUMBER},
	{"node_count", MEMBER_NUMBER},
	{"memory_per_node", MEMBER_SET_AND_NUMBER},
	{"memory_per_cpu", MEMBER_SET_AND_NUMBER},
	{"tres_req_str", MEMBER_PLAIN},
	{"tres_alloc_str", MEMBER_PLAIN},
	{"time_limit", MEMBER_SET_AND_NUMBER},
	{"restart_cnt", MEMBER_PLAIN},
	{"het_job_id", MEMBER_NUMBER},
	{"priority", MEMBER_NUMBER},
	{"nodes", MEMBER_PLAIN},
};
const size_t member_count = sizeof members / sizeof *members;

static void die(const char *what, const char *path)
{
	fprintf(stderr, "bench_json: %s %s\n", what, path);
	exit(1);
}

struct body body_load(const char *path)
{
	FILE *file = fopen(path, "rb");
	if (!file || fseek(file, 0, SEEK_END))
		die("cannot read", path);
	struct body body = {.len = (size_t)ftell(file)};
	rewind(file);
	body.bytes = memory_resize(NULL, body.len + BODY_PADDING, 1);
	if (fread(body.bytes, 1, body.len, file) != body.len)
		die("cannot read", path);
	memset(body.bytes + body.len, 0, BODY_PADDING);
	fclose(file);
	return body;
}

/* slurmrestd indents a job by four blanks and the jobs list by two. */
static const char record_begin[] = "    {\n", record_end[] = "\n    }";

static void split(struct body recorded, struct records *running, struct records *others)
{
	const char *at = recorded.bytes, *end = at + recorded.len;
	while ((at = memmem(at, (size_t)(end - at), record_begin, strlen(record_begin)))) {
		const char *stop = memmem(at, (size_t)(end - at), record_end, strlen(record_end));
		stop += strlen(record_end);
		struct text record = {at, (size_t)(stop - at)};
		bool runs = memmem(at, record.len, "\"allocation\": [", 15);
		struct records *to = runs ? running : others;
		if (to->count < RECORDS_MAX)
			to->items[to->count++] = record;
		at = stop;
	}
}

static struct text find(struct text in, const char *what)
{
	char *at = memmem(in.bytes, in.len, what, strlen(what));
	if (!at)
		die("recorded jobs have no", what);
	at += strlen(what);
	return (struct text){at, in.len - (size_t)(at - in.bytes)};
}

static void add_until(struct buf *out, struct text *rest, struct text stop)
{
	size_t len = (size_t)(stop.bytes - rest->bytes);
	buf_add(out, rest->bytes, len);
	*rest = stop;
}

/* Puts another number in the place of the one at the beginning of *rest. */
static void add_number(struct buf *out, struct text *rest, size_t number)
{
	size_t len = strspn(rest->bytes, "0123456789");
	rest->bytes += len;
	rest->len -= len;
	buf_printf(out, "%zu", number);
}

static void add_allocation(struct buf *out, struct text *rest)
{
	struct text list = find(*rest, "\"allocation\": [");
	add_until(out, rest, list);
	size_t len = (size_t)(find(list, "\n          ]").bytes - list.bytes) - 12;
	for (int i = 0; i < ALLOCATION_COPIES; i++) {
		buf_add(out, list.bytes, len);
		buf_add_char(out, ',');
	}
}

static void add_job(struct buf *out, struct text record, bool runs, size_t i)
{
	struct text rest = record;
	add_until(out, &rest, find(rest, "\"job_id\": "));
	add_number(out, &rest, 1000000 + i);
	if (runs)
		add_allocation(out, &rest);
	add_until(out, &rest, find(rest, "\n      \"name\": \""));
	buf_printf(out, "run-%zu-", i % 977);
	add_until(out, &rest, find(find(rest, "\"submit_time\": {"), "\"number\": "));
	add_number(out, &rest, 1795200000 + i * 7 % 9000);
	buf_add_text(out, rest);
}

struct body body_make(const char *fixtures, size_t jobs)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/26.05.5/v0.0.45/jobs.json", fixtures);
	struct body recorded = body_load(path);
	static struct records running, others;
	running.count = others.count = 0;
	split(recorded, &running, &others);
	if (!running.count || !others.count)
		die("no running or no other jobs in", path);
	struct buf out = BUF_INIT;
	buf_add_string(&out, "{\n  \"jobs\": [\n");
	for (size_t i = 0; i < jobs; i++) {
		bool runs = i % RUNNING_EVERY == 0;
		const struct records *from = runs ? &running : &others;
		add_job(&out, from->items[i % from->count], runs, i);
		buf_add_string(&out, i + 1 < jobs ? ",\n" : "\n");
	}
	buf_add_string(&out, "  ],\n  \"errors\": [\n  ]\n}\n");
	memset(buf_reserve(&out, BODY_PADDING), 0, BODY_PADDING);
	free(recorded.bytes);
	return (struct body){out.bytes, out.len};
}
