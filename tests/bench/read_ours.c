#include "bench.h"

#include "base/error.h"
#include "json/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { CHUNK = 16384 };

static bool add(void *context, int id, const struct json_value *value, struct error *err)
{
	(void)err;
	uint64_t *sum = context;
	if (value->type == JSON_STRING)
		sum_string(sum, (size_t)id, value->text.bytes, value->text.len);
	else if (value->type == JSON_NUMBER)
		sum_number(sum, (size_t)id, value->number);
	else if (value->type == JSON_BOOL)
		sum_number(sum, member_count + (size_t)id, value->boolean);
	return true;
}

static void want(struct json_shape *shape, size_t member)
{
	static const char *const tails[][2] = {
		[MEMBER_PLAIN] = {""},
		[MEMBER_LIST] = {"[]"},
		[MEMBER_SET] = {".set"},
		[MEMBER_NUMBER] = {".number"},
		[MEMBER_SET_AND_NUMBER] = {".set", ".number"},
	};
	const char *const *tail = tails[members[member].kind];
	for (int i = 0; i < 2 && tail[i]; i++) {
		char path[128];
		snprintf(path, sizeof path, "jobs[].%s%s", members[member].name, tail[i]);
		json_shape_want(shape, path, (int)member);
	}
}

static struct json_shape *job_shape(void)
{
	struct json_shape *shape = json_shape_new();
	for (size_t i = 0; i < member_count; i++)
		want(shape, i);
	return shape;
}

static void check(bool ok, const struct error *err)
{
	if (ok)
		return;
	fprintf(stderr, "bench_json: %s\n", err->text);
	exit(1);
}

uint64_t read_with_ours(const char *bytes, size_t len)
{
	uint64_t sum = 0;
	struct error err;
	struct json_shape *shape = job_shape();
	struct json_reader *reader = json_reader_new(shape, JSON_LIMITS_DEFAULT, add, &sum);
	for (size_t i = 0; i < len; i += CHUNK)
		check(json_reader_feed(reader, bytes + i, len - i < CHUNK ? len - i : CHUNK, &err), &err);
	check(json_reader_finish(reader, &err), &err);
	json_reader_free(reader);
	json_shape_free(shape);
	return sum;
}

uint64_t read_ours_from_input(void)
{
	static char chunk[CHUNK];
	uint64_t sum = 0;
	struct error err;
	struct json_shape *shape = job_shape();
	struct json_reader *reader = json_reader_new(shape, JSON_LIMITS_DEFAULT, add, &sum);
	ssize_t got;
	while ((got = read(STDIN_FILENO, chunk, sizeof chunk)) > 0)
		check(json_reader_feed(reader, chunk, (size_t)got, &err), &err);
	check(json_reader_finish(reader, &err), &err);
	json_reader_free(reader);
	json_shape_free(shape);
	return sum;
}
