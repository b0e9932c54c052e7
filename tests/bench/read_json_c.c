#include "bench.h"

#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_value(uint64_t *sum, size_t member, struct json_object *value)
{
	if (json_object_is_type(value, json_type_string))
		sum_string(sum, member, json_object_get_string(value), (size_t)json_object_get_string_len(value));
	else if (json_object_is_type(value, json_type_boolean))
		sum_number(sum, member_count + member, json_object_get_boolean(value));
	else if (value)
		sum_number(sum, member, json_object_get_double(value));
}

static void add_part(uint64_t *sum, size_t member, struct json_object *value, const char *part)
{
	struct json_object *inner;
	if (json_object_object_get_ex(value, part, &inner))
		add_value(sum, member, inner);
}

static void add_member(uint64_t *sum, size_t member, struct json_object *value)
{
	enum member_kind kind = members[member].kind;
	if (kind == MEMBER_PLAIN)
		add_value(sum, member, value);
	if (kind == MEMBER_LIST)
		for (size_t i = 0; i < json_object_array_length(value); i++)
			add_value(sum, member, json_object_array_get_idx(value, i));
	if (kind == MEMBER_SET || kind == MEMBER_SET_AND_NUMBER)
		add_part(sum, member, value, "set");
	if (kind == MEMBER_NUMBER || kind == MEMBER_SET_AND_NUMBER)
		add_part(sum, member, value, "number");
}

static void add_record(uint64_t *sum, struct json_tokener *tokener, const char *bytes, size_t len)
{
	struct json_object *job = json_tokener_parse_ex(tokener, bytes, (int)len);
	if (!job) {
		fputs("bench_json: json-c refuses a record\n", stderr);
		exit(1);
	}
	for (size_t i = 0; i < member_count; i++) {
		struct json_object *value;
		if (json_object_object_get_ex(job, members[i].name, &value))
			add_member(sum, i, value);
	}
	json_object_put(job);
	json_tokener_reset(tokener);
}

/* The first byte after the object that begins at `at`. */
static const char *record_end(const char *at, const char *end)
{
	int depth = 0;
	for (bool quoted = false; at < end; at++) {
		if (*at == '"')
			quoted = !quoted;
		else if (quoted && *at == '\\')
			at++;
		else if (!quoted && *at == '{')
			depth++;
		else if (!quoted && *at == '}' && --depth == 0)
			return at + 1;
	}
	return end;
}

uint64_t read_with_json_c(const char *bytes, size_t len)
{
	uint64_t sum = 0;
	const char *at = memchr(bytes, '[', len), *end = bytes + len;
	struct json_tokener *tokener = json_tokener_new_ex(64);
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
	for (; at < end && *at != ']'; at++) {
		if (*at != '{')
			continue;
		const char *stop = record_end(at, end);
		add_record(&sum, tokener, at, (size_t)(stop - at));
		at = stop - 1;
	}
	json_tokener_free(tokener);
	return sum;
}
