/* An answer of each endpoint that has names, with a record for each name: for tests of what names do to a page. */
#pragma once

#include "base/buf.h"
#include "slurmrest/endpoint.h"

static inline void named_add_string(struct buf *json, struct text raw)
{
	buf_add_char(json, '"');
	for (size_t i = 0; i < raw.len; i++) {
		unsigned char c = (unsigned char)raw.bytes[i];
		if (c < 0x20 || c == '"' || c == '\\')
			buf_printf(json, "\\u%04x", c);
		else
			buf_add_char(json, raw.bytes[i]);
	}
	buf_add_char(json, '"');
}

/* An endpoint's records, one for each name: @ stands for the name, # for its number. */
static const struct {
	enum endpoint endpoint;
	const char *begin, *record, *end;
} named_answers[] = {
	{ENDPOINT_JOBS, "{\"jobs\":[",
	 "{\"job_id\":#,\"job_state\":[\"PENDING\",@],\"state_reason\":@,\"user_name\":@,\"account\":@,\"partition\":@,"
	 "\"qos\":@,\"name\":@,\"resv_name\":@,\"tres_req_str\":@,\"cpus\":1}",
	 "]}"},
	{ENDPOINT_PARTITIONS, "{\"partitions\":[", "{\"name\":@,\"partition\":{\"state\":[@]},\"flags\":[@]}", "]}"},
	{ENDPOINT_NODES, "{\"nodes\":[",
	 "{\"name\":@,\"state\":[\"DOWN\",@],\"partitions\":[@],\"reason\":@,\"reason_set_by_user\":@,\"gres\":@,"
	 "\"version\":@,\"architecture\":@,\"operating_system\":@,\"cpus\":1}",
	 "]}"},
	{ENDPOINT_PING, "{\"pings\":[", "{\"hostname\":@,\"mode\":\"backup#\",\"pinged\":@}", "]}"},
	{ENDPOINT_RESERVATIONS, "{\"reservations\":[",
	 "{\"name\":@,\"partition\":@,\"flags\":[@],\"tres\":@,\"start_time\":5,\"node_count\":1}", "]}"},
	{ENDPOINT_LICENSES, "{\"licenses\":[", "{\"LicenseName\":@,\"Total\":5,\"Used\":1}", "]}"},
	{ENDPOINT_SHARES, "{\"shares\":{\"shares\":[",
	 "{\"name\":@,\"parent\":@,\"partition\":@,\"type\":[\"USER\"],\"shares\":5},"
	 "{\"name\":@,\"parent\":@,\"type\":[\"ASSOCIATION\"],\"shares\":5}",
	 "]}}"},
	{ENDPOINT_QOS, "{\"qos\":[", "{\"name\":@,\"limits\":{\"max\":{\"active_jobs\":{\"count\":5}}}}", "]}"},
	{ENDPOINT_ASSOCIATIONS, "{\"associations\":[",
	 "{\"account\":@,\"user\":@,\"partition\":@,\"parent_account\":@,\"max\":{\"jobs\":{\"per\":{\"count\":5}}}}",
	 "]}"},
	{ENDPOINT_DIAG, "{\"statistics\":{\"rpcs_by_user\":[",
	 "{\"user\":@,\"user_id\":#,\"count\":1,\"total_time\":1}", "]}}"},
};

enum { NAMED_ANSWERS = sizeof named_answers / sizeof *named_answers };

static inline void named_answer(size_t which, const struct text *names, size_t count, struct buf *json)
{
	buf_add_string(json, named_answers[which].begin);
	for (size_t n = 0; n < count; n++) {
		buf_add_string(json, n ? "," : "");
		for (const char *c = named_answers[which].record; *c; c++)
			if (*c == '@')
				named_add_string(json, names[n]);
			else if (*c == '#')
				buf_printf(json, "%zu", n + 1);
			else
				buf_add_char(json, *c);
	}
	buf_add_string(json, named_answers[which].end);
}
