/* Nodes one by one: their GRES, their table, what happens to them, and what the page says of them. */
#include "check.h"
#include "cluster/cluster.h"
#include "metrics/catalogue.h"

/* "gpu:a100 2/1/1" for each kind: allocated, idle, other. */
static void describe(const struct node_gres *list, char *to, size_t size)
{
	size_t len = 0;
	*to = '\0';
	for (size_t i = 0; i < list->count; i++) {
		const struct gres_count *row = &list->rows[i];
		len += (size_t)snprintf(
			to + len, size - len, "%s%.*s:%.*s %" PRIu64 "/%" PRIu64 "/%" PRIu64, len ? ", " : "",
			(int)row->name.len, row->name.bytes, (int)row->type.len, row->type.len ? row->type.bytes : "",
			uint128_shown(row->count[CAPACITY_ALLOCATED]), uint128_shown(row->count[CAPACITY_IDLE]),
			uint128_shown(row->count[CAPACITY_OTHER]));
	}
}

static void test_gres(void)
{
	static const struct {
		const char *configured, *used, *drained;
		uint64_t flags;
		const char *want;
	} rows[] = {
		{"", "", "N/A", 0, ""},
		{"", "gpu:0,nic:0", "N/A", 0, ""}, /* 22.05 */
		{"gpu:a100:4(S:0)", "gpu:a100:1(IDX:0)", "N/A", 0, "gpu:a100 1/3/0"},
		{"gpu:a100:4", "gpu:a100:1", "N/A", 1 << NODE_FLAG_DRAIN, "gpu:a100 1/0/3"},
		{"gpu:a100:4", "gpu:a100:1(IDX:0)", "gpu:a100:1", 0, "gpu:a100 1/2/1"},
		{"gpu:a100:4", "gpu:a100:1", "gpu:a100:1", 1 << NODE_FLAG_DRAIN, "gpu:a100 1/0/3"},
		{"gpu:a100:4", "gpu:a100:4", "gpu:a100:1", 0, "gpu:a100 4/0/0"}, /* drained, still used */
		{"gpu:a100:2(S:0),gpu:a100:2(S:1),shard:8", "gpu:a100:3(IDX:0-2),shard:0(0/8)", "", 0,
		 "gpu:a100 3/1/0, shard: 0/8/0"},
		{"gpu:nvidia_a100_3g.20gb:2,gpu:nvidia_a100_1g.5gb:7",
		 "gpu:nvidia_a100_3g.20gb:1(IDX:0),gpu:nvidia_a100_1g.5gb:2(IDX:2-3)", "gpu:nvidia_a100_1g.5gb:3", 0,
		 "gpu:nvidia_a100_3g.20gb 1/1/0, gpu:nvidia_a100_1g.5gb 2/2/3"},
		{"gpu:a100:2,gpu:h100:2", "gpu:3", "gpu:1", 0,
		 "gpu:a100 2/0/0, gpu:h100 1/0/1"}, /* only one list names the type */
		{"gpu:4", "gpu:a100:1(IDX:0)", "N/A", 0, "gpu: 1/3/0"},
		{"gpu:(null):4", "gpu:(null):1(IDX:0)", "N/A", 0, "gpu: 1/3/0"},
		{"gpu:a100:1,gpu:1", "gpu:1", "N/A", 0, "gpu:a100 0/1/0, gpu: 1/0/0"},
		{"", "gpu:a100:2", "gpu:a100:1", 0, "gpu:a100 2/0/0"}, /* configured away while in use */
		{"license_server:4K", "license_server:1000", "", 0, "license_server: 1000/3096/0"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct arena arena = ARENA_INIT;
		char got[256];
		const struct node node = {.state = NODE_MIXED,
					  .flags = rows[i].flags,
					  .gres = text_of(rows[i].configured),
					  .gres_used = text_of(rows[i].used),
					  .gres_drained = text_of(rows[i].drained)};
		const struct node_gres list = node_gres_read(&arena, &node);
		describe(&list, got, sizeof got);
		check_row(rows[i].configured);
		CHECK_STRING(got, rows[i].want);
		arena_done(&arena);
	}
}

static void test_clamped_per_node(void)
{
	check_row("one node's excess is not taken from another's rest");
	struct nodes_section *section = nodes_section_new(NULL, NULL);
	struct node node = {.name = TEXT("n1"),
			    .state = NODE_IDLE,
			    .partitions = TEXT("gpu,all"),
			    .gres = TEXT("gpu:4"),
			    .gres_used = TEXT("gpu:0")};
	nodes_section_add(section, &node);
	node.name = TEXT("n2");
	node.gres_used = TEXT("gpu:6"); /* after a reconfiguration with fewer */
	nodes_section_add(section, &node);
	const struct node_usage *all = map_find(&section->partitions, TEXT("all"));
	const struct gres_count *in_partition = map_find(&all->gres, TEXT("gpu:")),
				*in_cluster = map_find(&section->cluster.gres, TEXT("gpu:"));
	CHECK_NUMBER(in_partition->count[CAPACITY_ALLOCATED], 6);
	CHECK_NUMBER(in_partition->count[CAPACITY_IDLE], 4);
	CHECK_NUMBER(in_cluster->count[CAPACITY_IDLE], 4);
	nodes_section_free(section);
}

/* Slurm names each partition once. tests/fuzz/names.c found what came of a list that does not. */
static void test_partition_named_twice(void)
{
	check_row("a partition named twice");
	struct nodes_section *section = nodes_section_new(NULL, NULL);
	struct node node = {.name = TEXT("n1"), .state = NODE_IDLE, .partitions = TEXT("gpu,all,gpu,all,gpu")};
	nodes_section_add(section, &node);
	node.name = TEXT("n2");
	nodes_section_add(section, &node);
	const struct node_usage *gpu = map_find(&section->partitions, TEXT("gpu"));
	const struct node_row *row = map_find(&section->table.rows, TEXT("n2"));
	CHECK_NUMBER(gpu->nodes[NODE_IDLE], 2);
	CHECK(text_equal(row->node.partitions, TEXT("gpu,all")));
	nodes_section_free(section);
}

static void test_table(void)
{
	check_row("a table's texts are its own, shared ones kept once, long ones cut");
	struct arena arena = ARENA_INIT;
	struct node_table table;
	char name[8], os[] = "Linux", reason[1001];
	memset(reason, 'x', sizeof reason);
	memcpy(reason + NODE_TEXT_MAX - 1, "\xc3\xa9", 2);
	node_table_init(&table, &arena);
	for (int i = 3; i > 0; i--) {
		snprintf(name, sizeof name, "n%d", i);
		const struct node node = {.name = text_of(name),
					  .os = text_of(os),
					  .reason = {reason, 1000},
					  .cpus = 8,
					  .allocated_cpus = NUMBER_UNSET};
		node_table_add(&table, &node);
	}
	memset(os, '?', sizeof os - 1);
	node_table_sort(&table);
	CHECK_NUMBER(table.rows.count, 3);
	CHECK_NUMBER(table.texts.count, 2);
	const struct node_row *first = node_table_at(&table, 0);
	CHECK_STRING(first->node.name.bytes, "n1");
	CHECK_STRING(first->node.os.bytes, "Linux");
	CHECK_NUMBER(first->node.reason.len, NODE_TEXT_MAX - 1);
	CHECK_NUMBER(first->cpus[CAPACITY_IDLE], 8);
	node_table_done(&table);
	arena_done(&arena);
}

enum {
	DRAIN = 1 << NODE_FLAG_DRAIN,
	FAIL = 1 << NODE_FLAG_FAIL,
	DOWN_BIT = 1 << TO_DOWN,
	DRAIN_BIT = 1 << TO_DRAIN,
	FAIL_BIT = 1 << TO_FAIL,
	IDLE_BIT = 1 << TO_IDLE,
	REBOOT_BIT = 1 << TO_REBOOT,
};

static void test_transitions(void)
{
	static const struct {
		const char *name;
		struct node_condition before, after;
		unsigned want;
	} rows[] = {
		{"nothing", {0, 100, NODE_IDLE}, {0, 100, NODE_IDLE}, 0},
		{"jobs come", {0, 100, NODE_IDLE}, {0, 100, NODE_MIXED}, 0},
		{"jobs end", {0, 100, NODE_ALLOCATED}, {0, 100, NODE_IDLE}, 0},
		{"down", {0, 100, NODE_MIXED}, {0, 100, NODE_DOWN}, DOWN_BIT},
		{"still down", {0, 100, NODE_DOWN}, {0, 100, NODE_DOWN}, 0},
		{"drained while busy", {0, 100, NODE_MIXED}, {DRAIN, 100, NODE_MIXED}, DRAIN_BIT},
		{"its jobs end", {DRAIN, 100, NODE_MIXED}, {DRAIN, 100, NODE_IDLE}, 0},
		{"resumed", {DRAIN, 100, NODE_IDLE}, {0, 100, NODE_IDLE}, IDLE_BIT},
		{"resumed while busy", {DRAIN, 100, NODE_MIXED}, {0, 100, NODE_MIXED}, 0},
		{"drained and down at once", {0, 100, NODE_IDLE}, {DRAIN, 100, NODE_DOWN}, DOWN_BIT | DRAIN_BIT},
		{"down, up, still drained", {DRAIN, 100, NODE_DOWN}, {DRAIN, 100, NODE_IDLE}, 0},
		{"set to fail", {0, 100, NODE_IDLE}, {FAIL, 100, NODE_IDLE}, FAIL_BIT},
		{"no longer failing", {FAIL, 100, NODE_IDLE}, {0, 100, NODE_IDLE}, IDLE_BIT},
		{"registered", {0, NUMBER_UNSET, NODE_UNKNOWN}, {0, 100, NODE_IDLE}, IDLE_BIT},
		{"rebooted", {0, 1000, NODE_DOWN}, {0, 2000, NODE_IDLE}, IDLE_BIT | REBOOT_BIT},
		{"a crash nobody saw", {0, 1000, NODE_IDLE}, {0, 2000, NODE_IDLE}, REBOOT_BIT},
		{"boot time told anew", {0, 1000, NODE_IDLE}, {0, 1002, NODE_IDLE}, 0},
		{"the clock was put back", {0, 5000, NODE_IDLE}, {0, 1000, NODE_IDLE}, 0},
		{"boot time not known", {0, 1000, NODE_IDLE}, {0, NUMBER_UNSET, NODE_IDLE}, 0},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		check_row(rows[i].name);
		CHECK_NUMBER(node_transitions(&rows[i].before, &rows[i].after), rows[i].want);
	}
}

/* One answer: nodes "n<first>" to "n<first + count - 1>", all in one condition. */
static void note_flagged(struct node_events *events, unsigned first, unsigned count, int state, uint64_t flags,
			 uint64_t boot_time)
{
	struct arena arena = ARENA_INIT;
	struct node_table table;
	node_table_init(&table, &arena);
	for (unsigned i = first; i < first + count; i++) {
		char name[16];
		snprintf(name, sizeof name, "n%u", i);
		const struct node node = {.name = text_of(name),
					  .state = state,
					  .flags = flags,
					  .boot_time = boot_time,
					  .partitions = i % 2 ? TEXT("odd,all") : TEXT("all")};
		node_table_add(&table, &node);
	}
	node_table_sort(&table);
	node_events_note(events, &table);
	node_table_done(&table);
	arena_done(&arena);
}

static void note(struct node_events *events, unsigned first, unsigned count, int state, uint64_t boot_time)
{
	note_flagged(events, first, count, state, 0, boot_time);
}

static uint64_t partition_count(const struct node_events *events, const char *name, enum node_transition which)
{
	const struct node_counts *counts = map_find(&events->partitions, text_of(name));
	return counts ? counts->counts[which] : NUMBER_UNSET;
}

static void test_events(void)
{
	struct node_events events;
	node_events_init(&events);
	check_row("the first answer counts nothing, but all counters are there");
	note(&events, 0, 4, NODE_DOWN, 1000);
	CHECK_NUMBER(partition_count(&events, "odd", TO_DOWN), 0);
	CHECK_NUMBER(events.nodes.count, 4);
	check_row("a node of two partitions counts in both, once in the cluster");
	note(&events, 0, 4, NODE_IDLE, NUMBER_UNSET);
	note(&events, 0, 4, NODE_DOWN, 1001);
	CHECK_NUMBER(events.cluster.counts[TO_DOWN], 4);
	CHECK_NUMBER(events.cluster.counts[TO_IDLE], 4);
	CHECK_NUMBER(partition_count(&events, "odd", TO_DOWN), 2);
	CHECK_NUMBER(partition_count(&events, "all", TO_DOWN), 4);
	check_row("a boot time that was not told for a while");
	CHECK_NUMBER(events.cluster.counts[TO_REBOOT], 0);
	note(&events, 0, 4, NODE_DOWN, NUMBER_UNSET);
	note(&events, 0, 4, NODE_DOWN, 2000);
	CHECK_NUMBER(events.cluster.counts[TO_REBOOT], 4);
	check_row("who vanishes and returns keeps its counters");
	note(&events, 1, 3, NODE_DOWN, 2000);
	note(&events, 0, 4, NODE_IDLE, 2000);
	const struct node_history *n0 = map_find(&events.nodes, TEXT("n0"));
	CHECK(n0 && n0->counts[TO_IDLE] == 2);
	check_row("ever new names do not fill the memory, and totals never fall");
	for (unsigned i = 0; i < 100; i++)
		note(&events, 10 + 300 * i, 300, NODE_IDLE, 2000);
	CHECK(events.nodes.count >= 300 && events.nodes.count <= 300 + 1000);
	CHECK(!map_find(&events.nodes, TEXT("n0")));
	CHECK_NUMBER(events.cluster.counts[TO_DOWN], 4);
	note(&events, 10 + 300 * 99, 300, NODE_DOWN, 2000);
	CHECK_NUMBER(events.cluster.counts[TO_DOWN], 304);
	for (size_t i = 0; i < events.nodes.count; i++)
		CHECK(((const struct node_history *)events.nodes.entries[i].value)->name.bytes ==
		      events.nodes.entries[i].key.bytes);
	for (size_t i = 1; i < events.nodes.count; i++)
		CHECK(text_compare(events.nodes.entries[events.order[i - 1]].key,
				   events.nodes.entries[events.order[i]].key) < 0);
	node_events_done(&events);
}

static void check_counts(const struct node_events *events, unsigned down, unsigned drain, unsigned idle,
			 unsigned reboot)
{
	CHECK_NUMBER(events->cluster.counts[TO_DOWN], down);
	CHECK_NUMBER(events->cluster.counts[TO_DRAIN], drain);
	CHECK_NUMBER(events->cluster.counts[TO_IDLE], idle);
	CHECK_NUMBER(events->cluster.counts[TO_REBOOT], reboot);
}

static void test_on_purpose(void)
{
	enum {
		REQUESTED = 1 << NODE_FLAG_REBOOT_REQUESTED,
		ISSUED = 1 << NODE_FLAG_REBOOT_ISSUED,
		MAINT = 1 << NODE_FLAG_MAINT,
	};
	struct node_events events;
	node_events_init(&events);
	check_row("scontrol reboot ASAP, as 24.11 shows it");
	note(&events, 0, 2, NODE_MIXED, 1000);
	note_flagged(&events, 0, 2, NODE_MIXED, DRAIN | REQUESTED, 1000);
	note_flagged(&events, 0, 2, NODE_DOWN, DRAIN | ISSUED, 1000);
	note(&events, 0, 2, NODE_IDLE, 2000);
	check_counts(&events, 0, 0, 0, 2);
	CHECK_NUMBER(partition_count(&events, "all", TO_DOWN), 0);
	check_row("one that does not come back is down when its time is over");
	note_flagged(&events, 0, 2, NODE_DOWN, ISSUED, 2000);
	note(&events, 0, 1, NODE_DOWN, 2000);
	check_counts(&events, 1, 0, 0, 2);
	note(&events, 0, 2, NODE_IDLE, 3000);
	check_counts(&events, 1, 0, 1, 4);
	check_row("what was drained before the maintenance is not drained anew after it; what is down then went down");
	note_flagged(&events, 0, 2, NODE_IDLE, DRAIN, 3000);
	check_counts(&events, 1, 2, 1, 4);
	note_flagged(&events, 0, 2, NODE_IDLE, DRAIN | MAINT, 3000);
	note_flagged(&events, 0, 2, NODE_DOWN, DRAIN | MAINT, 3000);
	check_counts(&events, 1, 2, 1, 4);
	note_flagged(&events, 0, 1, NODE_IDLE, DRAIN, 4000);
	note_flagged(&events, 1, 1, NODE_DOWN, DRAIN, 3000);
	check_counts(&events, 2, 2, 1, 5);
	node_events_done(&events);
}

/* "f00,f00,f01,...,f99": more than a page shows, the first one twice. */
static struct text many_features(void)
{
	static char features[405] = "f00,";
	for (int i = 0; i < 100; i++)
		snprintf(features + 4 + 4 * i, 5, "f%02d%s", i, i == 99 ? "" : ",");
	return text_of(features);
}

/* The page of a cluster of `count` nodes like those of a large site. */
static void render(struct buf *page, unsigned count, enum per_node per_node)
{
	struct cluster cluster;
	const struct page_facts facts = {.cluster = &cluster, .per_node = per_node};
	cluster_init(&cluster);
	cluster.nodes = nodes_section_new(NULL, NULL);
	for (unsigned i = 0; i < count; i++) {
		char name[16];
		snprintf(name, sizeof name, "node%05u", i);
		const struct node node = {.name = text_of(name),
					  .state = i % 50 ? NODE_MIXED : NODE_DOWN,
					  .flags = i % 20 ? UINT64_C(1) << NODE_FLAG_COMPLETING
							  : UINT64_C(1) << NODE_FLAG_DRAIN | 1 << NODE_FLAG_DRAINING,
					  .partitions = TEXT("cpu,long"),
					  .cpus = 128,
					  .allocated_cpus = 40,
					  .memory = UINT64_C(1) << 40,
					  .allocated_memory = UINT64_C(1) << 39,
					  .free_memory = UINT64_C(1) << 38,
					  .load = 4012,
					  .gres = i % 10 ? TEXT("") : TEXT("gpu:a100:4"),
					  .version = TEXT("24.11.5"),
					  .architecture = TEXT("x86_64"),
					  .os = TEXT("Linux 6.1.0-28-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.119-1"),
					  .reason = i % 20 ? TEXT("") : TEXT("a \"bad\" DIMM\n\\"),
					  .reason_user = TEXT("root"),
					  .reservation = i ? TEXT("") : TEXT("upkeep"),
					  .comment = i ? TEXT("") : TEXT("left \"door\""),
					  .features = i ? TEXT("") : many_features(),
					  .active_features = i ? TEXT("") : TEXT("f01,f0"),
					  .reason_time = 1795218617,
					  .boot_time = 1795214967,
					  .slurmd_start_time = 1795218617,
					  .last_busy_time = 1795218617,
					  .power_watts = 400,
					  .energy_joules = 123456789};
		nodes_section_add(cluster.nodes, &node);
	}
	node_table_sort(&cluster.nodes->table);
	node_events_note(&cluster.node_events, &cluster.nodes->table);
	struct samples samples = {.text = *page};
	catalogue_render_slurm(&facts, &samples);
	*page = samples.text;
	samples.text = (struct buf)BUF_INIT;
	samples_done(&samples);
	cluster_done(&cluster);
}

static size_t series(const struct buf *page)
{
	size_t count = 0;
	struct text rest = buf_text(page), line;
	while (text_next(&rest, '\n', &line))
		count += line.bytes[0] != '#';
	return count;
}

static void test_pages(void)
{
	struct buf page = BUF_INIT;
	check_row("hostile text arrives as one label");
	render(&page, 1, PER_NODE_DEFAULT);
	CHECK(strstr(page.bytes, "\nslurm_node_reason_info{node=\"node00000\",reason=\"a "
				 "\\\"bad\\\" DIMM\\n\\\\\",user=\"root\"} 1\n"));
	CHECK(!strstr(page.bytes, "slurm_node_load1"));
	CHECK(!strstr(page.bytes, "slurm_node_transitions_total"));
	buf_clear(&page);
	check_row("full");
	render(&page, 1, PER_NODE_FULL);
	CHECK(strstr(page.bytes, "\nslurm_node_load1{node=\"node00000\"} 40.12\n"));
	CHECK(strstr(page.bytes, "\nslurm_node_energy_joules_total{node=\"node00000\"} 123456789\n"));
	CHECK(strstr(page.bytes, "\nslurm_node_transitions_total{node=\"node00000\",to=\"fail\"} 0\n"));
	CHECK(strstr(page.bytes, "\nslurm_node_reservation_info{node=\"node00000\",reservation=\"upkeep\"} 1\n"));
	CHECK(strstr(page.bytes, "\nslurm_node_comment_info{node=\"node00000\",comment=\"left \\\"door\\\"\"} 1\n"));
	const char *first = strstr(page.bytes, "feature=\"f00\",active=\"false\"} 1\n");
	CHECK(first && !strstr(first + 1, "feature=\"f00\""));
	CHECK(strstr(page.bytes, "feature=\"f01\",active=\"true\"} 1\n"));
	CHECK(strstr(page.bytes, "feature=\"f63\"") && !strstr(page.bytes, "feature=\"f64\""));
	buf_clear(&page);
	check_row("off");
	render(&page, 1, PER_NODE_OFF);
	CHECK(!strstr(page.bytes, "slurm_node_"));
	CHECK(strstr(page.bytes, "slurm_cluster_node_transitions_total{to=\"down\"} 0\n"));
	buf_clear(&page);
	check_row("10,000 nodes");
	render(&page, 10000, PER_NODE_DEFAULT);
	printf("10,000 nodes: %zu series in %zu bytes by default, ", series(&page), page.len);
	CHECK(series(&page) < 60000);
	buf_clear(&page);
	render(&page, 10000, PER_NODE_FULL);
	printf("%zu in %zu in full\n", series(&page), page.len);
	buf_done(&page);
}

int main(void)
{
	test_gres();
	test_clamped_per_node();
	test_partition_named_twice();
	test_table();
	test_transitions();
	test_events();
	test_on_purpose();
	test_pages();
	return check_done();
}
