/* From answers' bytes to the page, without sockets: what only shows over several answers, and what a
 * recorded cluster would not say. */
#include "check.h"
#include "metrics/catalogue.h"
#include "poll/section.h"

static void nodes_answer(struct cluster *cluster, const char *json, size_t len)
{
	struct section_build build = {.cluster = cluster, .built = section_start(ENDPOINT_NODES, cluster, 0)};
	struct decoder *decoder = decoder_new(endpoint_table[ENDPOINT_NODES].record, &cluster->vocabulary);
	struct error err = {""};
	decoder_start(decoder, section_take(ENDPOINT_NODES), &build);
	CHECK(decoder_feed(decoder, json, len, &err) && decoder_finish(decoder, &err));
	CHECK_STRING(err.text, "");
	section_commit(ENDPOINT_NODES, cluster, build.built);
	decoder_free(decoder);
}

static bool page_has(const struct cluster *cluster, const char *line)
{
	struct samples page = {.text = BUF_INIT};
	const struct page_facts facts = {.cluster = cluster, .per_node = PER_NODE_FULL};
	catalogue_render_slurm(&facts, &page);
	bool has = page.text.len && strstr(page.text.bytes, line);
	samples_done(&page);
	return has;
}

static void test_node_transitions(void)
{
	static const struct {
		const char *answer; /* NULL: too old to be shown */
		const char *line;
	} rows[] = {
		{"{\"name\":\"n1\",\"state\":[\"IDLE\"],\"partitions\":[\"p\"]}",
		 "\nslurm_node_transitions_total{node=\"n1\",to=\"down\"} 0\n"},
		{"{\"name\":\"n1\",\"state\":[\"DOWN\",\"NOT_RESPONDING\"],\"partitions\":[\"p\"]}",
		 "\nslurm_node_transitions_total{node=\"n1\",to=\"down\"} 1\n"},
		{NULL, "\nslurm_node_transitions_total{node=\"n1\",to=\"down\"} 1\n"},
		{"{\"name\":\"n1\",\"state\":[\"IDLE\"],\"partitions\":[\"p\"]}",
		 "\nslurm_partition_node_transitions_total{partition=\"p\",to=\"idle\"} 1\n"},
		/* before v0.0.40 */
		{"{\"name\":\"n1\",\"state\":\"idle\",\"state_flags\":[\"FAIL\"],\"partitions\":[\"p\"]}",
		 "\nslurm_cluster_node_transitions_total{to=\"fail\"} 1\n"},
		{"{\"name\":\"n2\",\"state\":[\"IDLE\"],\"partitions\":[\"p\"]}", /* n1 is gone */
		 "\nslurm_node_transitions_total{node=\"n1\",to=\"fail\"} 1\n"},
	};
	struct cluster cluster;
	cluster_init(&cluster);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char json[300];
		check_row(rows[i].line);
		if (rows[i].answer) {
			int len = snprintf(json, sizeof json, "{\"nodes\":[%s]}", rows[i].answer);
			nodes_answer(&cluster, json, (size_t)len);
		} else {
			section_drop(ENDPOINT_NODES, &cluster);
			CHECK(!page_has(&cluster, "slurm_node_state"));
		}
		CHECK(page_has(&cluster, rows[i].line));
	}
	cluster_done(&cluster);
}

/* 1,000 bytes of each value in turn; those that JSON does not allow raw are escaped. */
static void test_hostile_reasons(void)
{
	for (unsigned byte = 0; byte < 256; byte++) {
		struct buf json = BUF_INIT;
		struct samples samples = {.text = BUF_INIT};
		struct cluster cluster;
		char name[16];
		snprintf(name, sizeof name, "byte 0x%02x", byte);
		check_row(name);
		buf_add_string(&json, "{\"nodes\":[{\"name\":\"n1\",\"state\":\"down\",\"reason\":\"");
		for (int i = 0; i < 1000; i++)
			if (byte < ' ' || byte == '"' || byte == '\\')
				buf_printf(&json, "\\u%04x", byte);
			else
				buf_add_char(&json, (char)byte);
		buf_add_string(&json, "\"}]}");
		cluster_init(&cluster);
		nodes_answer(&cluster, json.bytes, json.len);
		const struct page_facts facts = {.cluster = &cluster};
		catalogue_render_slurm(&facts, &samples);
		const struct buf page = samples.text;
		const char *sample = strstr(page.bytes, "\nslurm_node_reason_info{");
		const char *end = sample ? strchr(sample + 1, '\n') : NULL;
		CHECK(end && end - sample < 2 * NODE_TEXT_MAX + 60);
		CHECK(end && memcmp(end - 4, "\"} 1", 4) == 0);
		CHECK(strlen(page.bytes) == page.len);
		for (struct text rest = buf_text(&page); rest.len;) {
			size_t len = text_character(rest);
			if (!len) {
				CHECK(!"valid UTF-8");
				break;
			}
			rest.bytes += len;
			rest.len -= len;
		}
		cluster_done(&cluster);
		buf_done(&json);
		samples_done(&samples);
	}
}

int main(void)
{
	test_node_transitions();
	test_hostile_reasons();
	return check_done();
}
