/* Nodes one by one: their GRES, their table. */
#include "check.h"
#include "cluster/cluster.h"

/* "gpu:a100 2/1/1" for each kind: allocated, idle, other. */
static void describe(const struct node_gres *list, char *to, size_t size)
{
	size_t len = 0;
	*to = '\0';
	for (size_t i = 0; i < list->count; i++) {
		const struct gres_count *row = &list->rows[i];
		len += (size_t)snprintf(to + len, size - len,
					"%s%.*s:%.*s %" PRIu64 "/%" PRIu64 "/%" PRIu64,
					len ? ", " : "", (int)row->name.len, row->name.bytes,
					(int)row->type.len, row->type.len ? row->type.bytes : "",
					row->count[SHARE_ALLOCATED], row->count[SHARE_IDLE],
					row->count[SHARE_OTHER]);
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
		 "gpu:nvidia_a100_3g.20gb:1(IDX:0),gpu:nvidia_a100_1g.5gb:2(IDX:2-3)",
		 "gpu:nvidia_a100_1g.5gb:3", 0,
		 "gpu:nvidia_a100_3g.20gb 1/1/0, gpu:nvidia_a100_1g.5gb 2/2/3"},
		{"gpu:a100:2,gpu:h100:2", "gpu:3", "gpu:1", 0,
		 "gpu:a100 2/0/0, gpu:h100 1/0/1"}, /* the type was told in one list only */
		{"gpu:4", "gpu:a100:1(IDX:0)", "N/A", 0, "gpu: 1/3/0"},
		{"gpu:(null):4", "gpu:(null):1(IDX:0)", "N/A", 0, "gpu: 1/3/0"},
		{"gpu:a100:1,gpu:1", "gpu:1", "N/A", 0, "gpu:a100 0/1/0, gpu: 1/0/0"},
		{"", "gpu:a100:2", "gpu:a100:1", 0, "gpu:a100 2/0/0"}, /* configured away while in use */
		{"license_server:4K", "license_server:1000", "", 0,
		 "license_server: 1000/3096/0"},
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
	CHECK_NUMBER(in_partition->count[SHARE_ALLOCATED], 6);
	CHECK_NUMBER(in_partition->count[SHARE_IDLE], 4);
	CHECK_NUMBER(in_cluster->count[SHARE_IDLE], 4);
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
	CHECK_NUMBER(first->cpus[SHARE_IDLE], 8);
	node_table_done(&table);
	arena_done(&arena);
}

int main(void)
{
	test_gres();
	test_clamped_per_node();
	test_table();
	return check_done();
}
