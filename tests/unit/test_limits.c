/* Limits of QOS and associations, and who is charged how much. What is wanted here is what `scontrol
 * show assoc_mgr` said of the same jobs in 22.05, 24.11 and 26.05. */
#include "cluster/cluster.h"
#include "model/hostlist.h"
#include "page.h"
#include "poll/section.h"
#include "slurmrest/decode.h"

static struct vocabulary vocabulary;

static void decode(const struct record_type *type, const char *json, record_fn *take, void *context)
{
	struct error err = {""};
	struct decoder *decoder = decoder_new(type, &vocabulary);
	decoder_start(decoder, take, context);
	CHECK(decoder_feed(decoder, json, strlen(json), &err) && decoder_finish(decoder, &err));
	CHECK_STRING(err.text, "");
	CHECK_NUMBER(decoder_answer(decoder)->skipped, 0);
	decoder_free(decoder);
}

static void take_qos(void *context, const void *record)
{
	qos_section_add(context, record);
}

static void take_association(void *context, const void *record)
{
	associations_section_add(context, record, TEXT("c1"));
}

/* Writes a double quote for ', a number for N, and a TRES for T and M. It spells them as versions before v0.0.40 do, or
 * as those since. */
static void spell(const char *from, bool is_old, char *to, size_t size)
{
	size_t len = 0;
	for (; *from && len < size - 1; from++) {
		const char c[] = {*from == '\'' ? '"' : *from, '\0'};
		const char *text = c;
		if (*from == 'N')
			text = is_old ? "7" : "{\"set\":true,\"infinite\":false,\"number\":7}";
		else if (*from == 'T')
			text = "{\"type\":\"gres\",\"name\":\"gpu:a100\",\"id\":1002,\"count\":9}";
		else if (*from == 'M')
			text = is_old ? "{\"type\":\"mem\",\"name\":null,\"id\":2,\"count\":8}"
				      : "{\"type\":\"mem\",\"name\":\"\",\"id\":2,\"count\":8}";
		len += (size_t)snprintf(to + len, size - len, "%s", text);
	}
}

struct limit_row {
	const char *json; /* the members around the limit */
	enum limit_scope scope;
	const char *resource;
	double want;
};

/* The whole of what is limited must be this one limit. */
static void check_limit(const struct limits *limits, const struct limit_row *row)
{
	CHECK_NUMBER(limits->count, 1);
	const struct limit *limit = limits_find(limits, row->scope, text_of(row->resource));
	CHECK(limit);
	if (limit)
		CHECK_NUMBER(limit->value, row->want);
}

/* In both spellings: before v0.0.40 and since. */
static void test_qos_limits(void)
{
	static const struct limit_row rows[] = {
		{"'max':{'active_jobs':{'count':N}}", LIMIT_GROUP, "jobs", 7},
		{"'max':{'active_jobs':{'accruing':N}}", LIMIT_GROUP, "accruing_jobs", 7},
		{"'max':{'jobs':{'count':N}}", LIMIT_GROUP, "submitted_jobs", 7},
		{"'max':{'wall_clock':{'per':{'qos':N}}}", LIMIT_GROUP, "wall_seconds", 420},
		{"'max':{'wall_clock':{'per':{'job':N}}}", LIMIT_PER_JOB, "wall_seconds", 420},
		{"'max':{'jobs':{'per':{'user':N}}}", LIMIT_PER_USER, "submitted_jobs", 7},
		{"'max':{'jobs':{'per':{'account':N}}}", LIMIT_PER_ACCOUNT, "submitted_jobs", 7},
		{"'max':{'jobs':{'active_jobs':{'per':{'user':N}}}}", LIMIT_PER_USER, "jobs", 7},
		{"'max':{'jobs':{'active_jobs':{'per':{'account':N}}}}", LIMIT_PER_ACCOUNT, "jobs", 7},
		{"'max':{'accruing':{'per':{'user':N}}}", LIMIT_PER_USER, "accruing_jobs", 7},
		{"'max':{'accruing':{'per':{'account':N}}}", LIMIT_PER_ACCOUNT, "accruing_jobs", 7},
		{"'min':{'priority_threshold':N}", LIMIT_PER_JOB_MINIMUM, "priority", 7},
		{"'max':{'tres':{'total':[T]}}", LIMIT_GROUP, "gres/gpu:a100", 9},
		{"'max':{'tres':{'total':[M]}}", LIMIT_GROUP, "mem", 8 * 1048576.0},
		{"'max':{'tres':{'minutes':{'total':[T]}}}", LIMIT_GROUP, "gres/gpu:a100_seconds", 9 * 60},
		{"'max':{'tres':{'minutes':{'per':{'qos':[M]}}}}", LIMIT_GROUP, "mem_running_seconds",
		 8 * 1048576.0 * 60},
		{"'max':{'tres':{'minutes':{'per':{'job':[T]}}}}", LIMIT_PER_JOB, "gres/gpu:a100_seconds", 9 * 60},
		{"'max':{'tres':{'minutes':{'per':{'user':[T]}}}}", LIMIT_PER_USER, "gres/gpu:a100_running_seconds",
		 9 * 60},
		{"'max':{'tres':{'minutes':{'per':{'account':[T]}}}}", LIMIT_PER_ACCOUNT,
		 "gres/gpu:a100_running_seconds", 9 * 60},
		{"'max':{'tres':{'per':{'user':[T]}}}", LIMIT_PER_USER, "gres/gpu:a100", 9},
		{"'max':{'tres':{'per':{'account':[T]}}}", LIMIT_PER_ACCOUNT, "gres/gpu:a100", 9},
		{"'max':{'tres':{'per':{'job':[T]}}}", LIMIT_PER_JOB, "gres/gpu:a100", 9},
		{"'max':{'tres':{'per':{'node':[T]}}}", LIMIT_PER_NODE, "gres/gpu:a100", 9},
		{"'min':{'tres':{'per':{'job':[T]}}}", LIMIT_PER_JOB_MINIMUM, "gres/gpu:a100", 9},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (int is_old = 0; is_old < 2; is_old++) {
			char limits[512], json[600];
			spell(rows[i].json, is_old, limits, sizeof limits);
			snprintf(json, sizeof json, "{\"%s\":[{\"name\":\"q\",\"limits\":{%s}}]}",
				 is_old ? "QOS" : "qos", limits);
			check_row(rows[i].json);
			struct qos_section *section = qos_section_new();
			decode(&qos_record, json, take_qos, section);
			const struct qos_limits *qos = map_find(&section->items, TEXT("q"));
			CHECK(qos);
			if (qos)
				check_limit(&qos->limits, &rows[i]);
			qos_section_free(section);
		}
}

/* An answer may have a limit twice. On the page it is once, because Prometheus refuses two samples with the same labels. */
static void test_twice(void)
{
	static const char *const answers[] = {
		"[{\"type\":\"cpu\",\"count\":9},{\"type\":\"cpu\",\"count\":11}]",
		"[{\"type\":\"cpu\",\"count\":11},{\"type\":\"cpu\",\"count\":9}]",
		"[{\"type\":\"cpu\",\"count\":9},{\"type\":\"node\",\"count\":3},{\"type\":\"cpu\",\"count\":9}]",
		"[{\"type\":\"cpu\",\"count\":4294967305},{\"type\":\"cpu\",\"count\":9}]", /* the low words are alike */
		"[{\"type\":\"cpu\",\"count\":3221225472},{\"type\":\"cpu\",\"count\":9}]",
	};
	static const struct limit_row row = {NULL, LIMIT_PER_JOB, "cpu", 9};
	for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
		char json[300];
		snprintf(json, sizeof json,
			 "{\"qos\":[{\"name\":\"q\",\"limits\":{\"max\":{\"tres\":{\"per\":{\"job\":%s}}}}}]}",
			 answers[i]);
		check_row(answers[i]);
		struct qos_section *section = qos_section_new();
		decode(&qos_record, json, take_qos, section);
		struct qos_limits *qos = map_find(&section->items, TEXT("q"));
		CHECK(qos);
		if (qos && strstr(answers[i], "node")) {
			CHECK_NUMBER(qos->limits.count, 2);
			CHECK_STRING(qos->limits.items[1].resource.bytes, "node");
			qos->limits.count = 1;
		}
		if (qos)
			check_limit(&qos->limits, &row);
		qos_section_free(section);
	}
}

static void test_association_limits(void)
{
	static const struct limit_row rows[] = {
		{"'max':{'jobs':{'per':{'count':N}}}", LIMIT_GROUP, "jobs", 7},
		{"'max':{'jobs':{'per':{'submitted':N}}}", LIMIT_GROUP, "submitted_jobs", 7},
		{"'max':{'jobs':{'per':{'accruing':N}}}", LIMIT_GROUP, "accruing_jobs", 7},
		{"'max':{'jobs':{'per':{'wall_clock':N}}}", LIMIT_PER_JOB, "wall_seconds", 420},
		{"'max':{'per':{'account':{'wall_clock':N}}}", LIMIT_GROUP, "wall_seconds", 420},
		{"'max':{'jobs':{'active':N}}", LIMIT_PER_USER, "jobs", 7},
		{"'max':{'jobs':{'total':N}}", LIMIT_PER_USER, "submitted_jobs", 7},
		{"'max':{'jobs':{'accruing':N}}", LIMIT_PER_USER, "accruing_jobs", 7},
		{"'min':{'priority_threshold':N}", LIMIT_PER_JOB_MINIMUM, "priority", 7},
		{"'max':{'tres':{'total':[M]}}", LIMIT_GROUP, "mem", 8 * 1048576.0},
		{"'max':{'tres':{'group':{'minutes':[T]}}}", LIMIT_GROUP, "gres/gpu:a100_seconds", 9 * 60},
		{"'max':{'tres':{'group':{'active':[T]}}}", LIMIT_GROUP, "gres/gpu:a100_running_seconds", 9 * 60},
		{"'max':{'tres':{'per':{'job':[T]}}}", LIMIT_PER_JOB, "gres/gpu:a100", 9},
		{"'max':{'tres':{'per':{'node':[T]}}}", LIMIT_PER_NODE, "gres/gpu:a100", 9},
		{"'max':{'tres':{'minutes':{'per':{'job':[T]}}}}", LIMIT_PER_JOB, "gres/gpu:a100_seconds", 9 * 60},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (int is_old = 0; is_old < 2; is_old++) {
			char limits[512], json[700];
			spell(rows[i].json, is_old, limits, sizeof limits);
			snprintf(json, sizeof json,
				 "{\"associations\":[{\"account\":\"a\",\"cluster\":\"c2\"},"
				 "{\"account\":\"a\",\"user\":%s,\"cluster\":\"c1\",%s}]}",
				 is_old ? "null" : "\"\"", limits);
			check_row(rows[i].json);
			struct associations_section *section = associations_section_new();
			decode(&association_record, json, take_association, section);
			CHECK_NUMBER(section->items.count, 1);
			const struct association_limits *found =
				associations_find(section, TEXT("a"), TEXT(""), TEXT(""));
			CHECK(found);
			if (found)
				check_limit(&found->limits, &rows[i]);
			associations_section_free(section);
		}
}

static void test_unlimited(void)
{
	static const char *const values[] = {"null", "-1", "4294967295",
					     "{\"set\":false,\"infinite\":true,\"number\":0}",
					     "{\"set\":false,\"infinite\":false,\"number\":0}"};
	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		char json[256];
		snprintf(json, sizeof json,
			 "{\"qos\":[{\"name\":\"q\",\"limits\":{\"max\":{\"active_jobs\":{\"count\":%s}}}}]}",
			 values[i]);
		check_row(values[i]);
		struct qos_section *section = qos_section_new();
		decode(&qos_record, json, take_qos, section);
		const struct qos_limits *qos = map_find(&section->items, TEXT("q"));
		CHECK(qos && qos->limits.count == 0);
		qos_section_free(section);
	}
}

struct names_got {
	struct text list;
	char text[128];
};

static void append_name(void *context, struct text name)
{
	struct names_got *got = context;
	size_t len = strlen(got->text);
	CHECK(hostlist_has(got->list, name));
	snprintf(got->text + len, sizeof got->text - len, "%s%.*s", len ? " " : "", (int)name.len, name.bytes);
}

static void test_hostlists(void)
{
	static const struct {
		const char *list, *want;
	} rows[] = {
		{"", ""},
		{"cn01", "cn01"},
		{"cn[01-03,7],gn1", "cn01 cn02 cn03 cn7 gn1"},
		{"cn[098-101]", "cn098 cn099 cn100 cn101"},
		{"r[1-2]n[3-4]x", "r1n3x r1n4x r2n3x r2n4x"},
		{"cn[1-2", "cn[1-2"},
		{"cn[a-b]", "cna-b"},
		{"a,,b", "a b"},
		{"r[1-2]s[1-2]n[08-09]", "r1s1n08 r1s1n09 r1s2n08 r1s2n09 r2s1n08 r2s1n09 r2s2n08 r2s2n09"},
		{"cn[1,[2-3]]", "cn1] cn[2-3]"}, /* no list of Slurm's: some names, and no more */
		{"cn[]x", "cn"},
		{"cn[3-1],a", "cn3-1 a"},
		{"cn[1,,2]", "cn[1,,2]"},
		{"cn[,1]", "cn[,1]"},
		{"n[18446744073709551615-18446744073709551615]", "n18446744073709551615"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct names_got got = {text_of(rows[i].list), ""};
		check_row(rows[i].list);
		uint64_t left = 100;
		CHECK(hostlist_each(text_of(rows[i].list), &left, append_name, &got));
		CHECK_STRING(got.text, rows[i].want);
	}
}

static void test_not_in_hostlists(void)
{
	static const struct {
		const char *list, *name;
	} rows[] = {
		{"", ""},
		{"cn01", ""},
		{"", "cn01"},
		{"cn01", "cn1"},
		{"cn[01-03,7]", "cn1"},
		{"cn[01-03,7]", "cn04"},
		{"cn[01-03]", "cn"},
		{"cn[01-03]", "cn001"},
		{"cn[8-11]", "cn08"},
		{"cn[1-3]x", "cn2"},
		{"cn[]x", "cnx"},
		{"cn[1-2", "cn1"},
		{"cn[1,,2]", "cn1"},
		{"a,b", "a,b"},
		{"r[1-2]n3", "r3n3"},
		{"n[1-9]", "n18446744073709551617"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		check_row(rows[i].list);
		CHECK(!hostlist_has(text_of(rows[i].list), text_of(rows[i].name)));
	}
}

/* Where a name can be read in many ways, each place of it is looked at once for each bracket. */
static void test_hostile_names(void)
{
	struct buf list = BUF_INIT, name = BUF_INIT;
	for (int i = 0; i < 8; i++)
		buf_add_string(&list, "[0-99999999999999999]");
	buf_add_string(&list, "x");
	for (int i = 0; i < 100; i++)
		buf_add_char(&name, '1');
	check_row("digits upon digits");
	CHECK(!hostlist_has(buf_text(&list), buf_text(&name)));
	buf_add_char(&name, 'x');
	CHECK(hostlist_has(buf_text(&list), buf_text(&name)));
	for (int i = 0; i < 300; i++)
		buf_add_char(&name, 'x');
	CHECK(!hostlist_has(buf_text(&name), buf_text(&name)));
	buf_done(&list);
	buf_done(&name);
}

static void count_name(void *context, struct text name)
{
	(void)name;
	++*(unsigned *)context;
}

#define WORDS "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p"

/* Lists that nobody wrote to be read. */
static void test_hostile_hostlists(void)
{
	enum { MILLION = 1000000 };
	static const struct {
		const char *what, *unit, *end;
		unsigned units, most;
	} rows[] = {
		{"ranges upon ranges", "n[0-999]", "", 8, MILLION},
		{"words upon words", "n[" WORDS "," WORDS "]", "", 8, MILLION},
		{"words that end in nothing", "n[" WORDS "," WORDS "]", "[]", 7, MILLION},
		{"too many brackets", "n[1-2]", "", 100000, 1},
		{"open brackets", "[", "", 1000000, 1},
		{"many items", "n[0-9999],", "", 1000, MILLION},
		{"a long range", "n[1-99999999999999]", "", 1, MILLION},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct buf list = BUF_INIT;
		unsigned count = 0;
		uint64_t left = MILLION;
		for (unsigned unit = 0; unit < rows[i].units; unit++)
			buf_add_string(&list, rows[i].unit);
		buf_add_string(&list, rows[i].end);
		check_row(rows[i].what);
		CHECK(hostlist_each(buf_text(&list), &left, count_name, &count) == (left > 0));
		CHECK_NUMBER(left, MILLION - count);
		CHECK(count > 0 && count <= rows[i].most);
		buf_done(&list);
	}
}

/* The cluster of the rows below has two partitions, of which `capped` has a QOS of its own. Its accounts and users are
 * root > research > physics > alice, bob, alice in debug; root > industry > carol. Those below idle run nothing:
 * root > idle > dave, erin. */
static const char qos_json[] =
	"{\"qos\":["
	"{\"name\":\"normal\",\"priority\":0,\"usage_factor\":1.0},"
	"{\"name\":\"low\",\"priority\":0,\"usage_factor\":1.0},"
	"{\"name\":\"high\",\"priority\":1000,\"usage_factor\":2.0,\"limits\":{\"max\":"
	"{\"jobs\":{\"per\":{\"account\":12},\"active_jobs\":{\"per\":{\"user\":2,\"account\":9}}}}}},"
	"{\"name\":\"part\",\"priority\":0,\"usage_factor\":1.0,\"limits\":{\"max\":"
	"{\"tres\":{\"total\":[{\"type\":\"cpu\",\"name\":\"\",\"count\":2}]}}}}]}";
static const char associations_json[] =
	"{\"associations\":["
	"{\"cluster\":\"c1\",\"account\":\"root\"},"
	"{\"cluster\":\"c1\",\"account\":\"research\",\"parent_account\":\"root\"},"
	"{\"cluster\":\"c1\",\"account\":\"industry\",\"parent_account\":\"root\"},"
	"{\"cluster\":\"c1\",\"account\":\"physics\",\"parent_account\":\"research\","
	"\"max\":{\"jobs\":{\"active\":2,\"per\":{\"count\":5}},\"tres\":{\"group\":{\"minutes\":["
	"{\"type\":\"cpu\",\"name\":\"\",\"count\":100},{\"type\":\"mem\",\"name\":\"\",\"count\":100},"
	"{\"type\":\"gres\",\"name\":\"gpu\",\"count\":5}]}},\"per\":{\"account\":{\"wall_clock\":60}}}},"
	"{\"cluster\":\"c1\",\"account\":\"physics\",\"user\":\"alice\",\"max\":{\"jobs\":{\"active\":2}}},"
	"{\"cluster\":\"c1\",\"account\":\"physics\",\"user\":\"alice\",\"partition\":\"debug\","
	"\"max\":{\"jobs\":{\"active\":1}}},"
	"{\"cluster\":\"c1\",\"account\":\"physics\",\"user\":\"bob\",\"max\":{\"jobs\":{\"active\":2},"
	"\"tres\":{\"group\":{\"minutes\":[{\"type\":\"cpu\",\"name\":\"\",\"count\":30}]}}}},"
	"{\"cluster\":\"c1\",\"account\":\"industry\",\"user\":\"carol\"},"
	"{\"cluster\":\"c1\",\"account\":\"idle\",\"parent_account\":\"root\",\"max\":{\"jobs\":{\"active\":0}}},"
	"{\"cluster\":\"c1\",\"account\":\"idle\",\"user\":\"dave\",\"max\":{\"jobs\":{\"active\":0}}},"
	"{\"cluster\":\"c1\",\"account\":\"idle\",\"user\":\"erin\",\"max\":{\"jobs\":{\"active\":0}}}]}";

/* Bob has used nothing, and an association that slurmdbd does not have is in slurmctld's shares. */
static const char shares_json[] =
	"{\"shares\":{\"shares\":["
	"{\"name\":\"root\",\"parent\":\"\",\"type\":[\"ASSOCIATION\"],\"tres\":{\"usage\":["
	"{\"name\":\"cpu\",\"value\":900.5}]}},"
	"{\"name\":\"physics\",\"parent\":\"research\",\"type\":[\"ASSOCIATION\"],\"tres\":{\"usage\":["
	"{\"name\":\"cpu\",\"value\":61.999},{\"name\":\"mem\",\"value\":7.5},{\"name\":\"node\",\"value\":0.0},"
	"{\"name\":\"gres/gpu\",\"value\":{\"set\":true,\"infinite\":false,\"number\":3.0}}]}},"
	"{\"name\":\"bob\",\"parent\":\"physics\",\"type\":[\"USER\"],\"tres\":{\"usage\":["
	"{\"name\":\"cpu\",\"value\":0.0}]}},"
	"{\"name\":\"gone\",\"parent\":\"physics\",\"type\":[\"USER\"],\"tres\":{\"usage\":["
	"{\"name\":\"cpu\",\"value\":5.0}]}}]}}";

#define JOB(who, what, where, which, is)                                                                               \
	.user = TEXT(who), .account = TEXT(what), .partitions = TEXT(where), .qos = TEXT(which), .state = is,          \
	.start_time = 1000, .time_limit = 6000
static const struct job jobs[] = {
	{JOB("alice", "physics", "cpu", "normal", JOB_RUNNING), .tres_allocated = TEXT("cpu=2,mem=600M,node=2"),
	 .node_list = TEXT("cn[1-2]")},
	{JOB("alice", "physics", "cpu", "high", JOB_SUSPENDED), .tres_allocated = TEXT("cpu=1,node=1,gres/gpu=2"),
	 .node_list = TEXT("cn2")},
	{JOB("alice", "physics", "debug", "high", JOB_RUNNING), .tres_allocated = TEXT("cpu=1,node=1"),
	 .node_list = TEXT("cn3")},
	{JOB("bob", "physics", "capped", "normal", JOB_RUNNING), .tres_allocated = TEXT("cpu=2,node=1"),
	 .node_list = TEXT("cn3")},
	{JOB("bob", "physics", "cpu,capped", "low,high", JOB_PENDING), .array_tasks = TEXT("1-10%2")},
	{JOB("bob", "physics", "cpu", "normal,low", JOB_PENDING)},
	{JOB("carol", "industry", "capped", "part", JOB_PENDING)},
	{JOB("erin", "idle", "cpu", "low", JOB_PENDING)},
	{JOB("carol", "industry", "cpu", "normal", JOB_COMPLETED), .flags = 1 << JOB_FLAG_COMPLETING,
	 .tres_allocated = TEXT("cpu=4,node=1"), .node_list = TEXT("cn9")},
};

static void test_time_left(void)
{
	static const struct {
		const char *name;
		uint64_t limit, start, flags;
		double want; /* CPU-minutes of two CPUs at 1600 */
	} rows[] = {
		{"ten minutes of 100 have gone", 6000, 1000, 0, 180},
		{"beyond its limit", 300, 1000, 0, 0},
		{"unlimited", NUMBER_INFINITE, 1000, 0, 2.0 * UINT32_MAX - 20},
		{"unlimited, 22.05", NUMBER_UNSET, 1000, 0, 2.0 * UINT32_MAX - 20},
		{"starts in the future: the clocks differ", 6000, 1700, 0, 200},
		{"its nodes are being made ready", 6000, 1000, 1 << JOB_FLAG_CONFIGURING, 200},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct arena arena = ARENA_INIT;
		struct charges charges;
		struct job job = {.state = JOB_RUNNING,
				  .tres_allocated = TEXT("cpu=2"),
				  .time_limit = rows[i].limit,
				  .start_time = rows[i].start,
				  .flags = rows[i].flags};
		check_row(rows[i].name);
		charges_init(&charges, &arena);
		struct charge *charge = charges_of(&charges, TEXT("a"), TEXT("u"), TEXT("p"), TEXT("q"));
		charge_add_held(&charges, charge, &job, 1, 1600);
		const struct tres_use *cpu = map_find(&charge->use.tres, TEXT("cpu"));
		CHECK(cpu);
		if (cpu)
			CHECK_NUMBER(cpu->running_s / 60, rows[i].want);
		charges_done(&charges);
		arena_done(&arena);
	}
}

/* Of jobs on more nodes than can be looked at it is not known how many these are. */
static void test_too_many_nodes(void)
{
	static const struct job held = {
		.state = JOB_RUNNING, .tres_allocated = TEXT("cpu=2"), .node_list = TEXT("n[1-9]")};
	struct arena arena = ARENA_INIT;
	struct charges charges;
	struct use all;
	charges_init(&charges, &arena);
	use_init(&all, &arena);
	charges.nodes_left = 12;
	struct charge *first = charges_of(&charges, TEXT("a"), TEXT("u"), TEXT("p"), TEXT("q"));
	struct charge *second = charges_of(&charges, TEXT("b"), TEXT("u"), TEXT("p"), TEXT("q"));
	charge_add_held(&charges, first, &held, 1, 1600);
	charge_add_held(&charges, second, &held, 1, 1600);
	check_row("too many nodes");
	CHECK_NUMBER(use_nodes(&first->use), 9);
	CHECK(!first->use.nodes.is_cut);
	CHECK(second->use.nodes.is_cut);
	use_merge(&all, &first->use, 1);
	CHECK(!all.nodes.is_cut);
	use_merge(&all, &second->use, 1);
	CHECK(all.nodes.is_cut);
	use_done(&all);
	charges_done(&charges);
	arena_done(&arena);
}

static const struct limits_use *use_of_jobs(struct cluster *cluster)
{
	static const struct partition partitions[] = {
		{.name = TEXT("cpu")}, {.name = TEXT("debug")}, {.name = TEXT("capped"), .qos = TEXT("part")}};
	cluster_init(cluster);
	cluster->partitions = partitions_section_new();
	for (size_t i = 0; i < sizeof partitions / sizeof *partitions; i++)
		partitions_section_add(cluster->partitions, &partitions[i]);
	for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
		struct job job = jobs[i];
		job.id = i + 1;
		CHECK(job_table_put(cluster->job_table, &job, 1600));
	}
	cluster_show_jobs(cluster, true);
	cluster->qos = qos_section_new();
	decode(&qos_record, qos_json, take_qos, cluster->qos);
	cluster->associations = associations_section_new();
	decode(&association_record, associations_json, take_association, cluster->associations);
	struct section_build shares = {cluster, section_start(ENDPOINT_SHARES, cluster, 1600), 1600};
	decode(&fairshare_record, shares_json, section_take(ENDPOINT_SHARES), &shares);
	section_commit(ENDPOINT_SHARES, cluster, shares.built);
	cluster_settle(cluster);
	return cluster->limits;
}

/* A few jobs that name 4 million nodes: no QOS and no association says how many it has, and the rest is as it was. */
static void test_no_number_of_nodes(void)
{
	struct cluster cluster;
	use_of_jobs(&cluster);
	for (uint64_t id = 100; id < 105; id++) {
		struct job job = jobs[0];
		job.id = id;
		job.node_list = TEXT("cn[1-1000000]");
		CHECK(job_table_put(cluster.job_table, &job, 1600));
	}
	cluster_settle(&cluster);
	check_row("4 million nodes");
	const struct limited *root = map_find(&cluster.limits->associations, (struct text){"root\0\0", 6});
	CHECK(root && !map_find(&root->usage, TEXT("node")));
	const double *held = root ? map_find(&root->usage, TEXT("jobs")) : NULL;
	CHECK_NUMBER(held ? *held : -1, 9);
	cluster_done(&cluster);
}

static void test_usage(void)
{
	static const struct {
		const char *name; /* of the QOS, or of the association: account/user/partition */
		const char *resource;
		double want; /* -1: absent */
	} rows[] = {
		{"normal", "jobs", 2},
		{"normal", "submitted_jobs", 3}, /* of equal priority the first that is named */
		{"normal", "cpu", 4},
		{"normal", "mem", 600 * 1048576.0},
		{"normal", "cpu_running_seconds", 4 * 90 * 60},
		{"low", "submitted_jobs", 1},
		{"high", "jobs", 2}, /* a suspended one holds what it has */
		{"high", "submitted_jobs", 12}, /* of the QOS that a job names, the one with the highest priority */
		{"high", "cpu_running_seconds", 2 * 2 * 90 * 60}, /* by the usage factor */
		{"part", "jobs", 1},
		{"part", "cpu", 2},
		{"part", "submitted_jobs", 12}, /* each partition that is named; once if it is its own */
		{"root//", "jobs", 4},
		{"root//", "submitted_jobs", 17},
		{"root//", "node", 3}, /* different ones */
		{"root//", "node_running_seconds", (2 + 2 * 1 + 2 * 1 + 1) * 90 * 60},
		{"research//", "submitted_jobs", 15},
		{"physics//", "gres/gpu", 2},
		{"physics//", "gres/gpu_running_seconds", 2 * 2 * 90 * 60},
		{"physics/alice/", "jobs", -1}, /* its limit is the account's */
		{"physics/alice/debug", "jobs", 1},
		{"physics//", "cpu_seconds", 61}, /* GrpTRESMins and its use are whole */
		{"physics//", "mem_seconds", 7 * 1048576.0},
		{"physics//", "gres/gpu_seconds", 3},
		{"physics//", "wall_seconds", -1}, /* slurmrestd does not tell */
		{"physics/bob/", "cpu_seconds", 0},
		{"root//", "cpu_seconds", -1}, /* not limited */
		{"industry//", "jobs", -1}, /* zero, and no limit */
		{"industry//", "submitted_jobs", 1}, /* what is completing holds nothing */
		{"industry/carol/", "submitted_jobs", -1},
	};
	struct cluster cluster;
	const struct limits_use *use = use_of_jobs(&cluster);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char key[64];
		size_t len = strlen(rows[i].name);
		memcpy(key, rows[i].name, len + 1);
		bool is_qos = !strchr(key, '/');
		for (char *slash; !is_qos && (slash = memchr(key, '/', len));)
			*slash = '\0';
		check_row(rows[i].name);
		const struct limited *limited =
			map_find(is_qos ? &use->qos : &use->associations, (struct text){key, len});
		CHECK(limited);
		const double *got = limited ? map_find(&limited->usage, text_of(rows[i].resource)) : NULL;
		check_number(got ? *got : -1, rows[i].want, __FILE__, __LINE__, rows[i].resource);
	}
	cluster_done(&cluster);
}

static void check_largest(const struct limited *limited, enum limit_scope scope, const char *resource, double use,
			  uint64_t at_limit)
{
	size_t i = 0;
	while (i < limited->largest_count &&
	       (limited->largest[i].scope != scope || !text_equal(limited->largest[i].resource, text_of(resource))))
		i++;
	CHECK(i < limited->largest_count);
	if (i == limited->largest_count)
		return;
	CHECK_NUMBER(limited->largest[i].use, use);
	CHECK_NUMBER(limited->largest[i].at_limit, at_limit);
}

static void test_largest(void)
{
	struct cluster cluster;
	const struct limits_use *use = use_of_jobs(&cluster);
	check_row("high: two jobs of one user, who has reached MaxJobsPU");
	const struct limited *high = map_find(&use->qos, TEXT("high"));
	CHECK_NUMBER(high->largest_count, 3);
	check_largest(high, LIMIT_PER_USER, "jobs", 2, 1);
	check_largest(high, LIMIT_PER_ACCOUNT, "jobs", 2, 0);
	check_row("and those of both users of their account, which has reached its MaxSubmitJobs");
	check_largest(high, LIMIT_PER_ACCOUNT, "submitted_jobs", 12, 1);
	check_row("physics: alice has two of two jobs, in debug one of one");
	const struct limited *physics = map_find(&use->associations, (struct text){"physics\0\0", 9});
	CHECK_NUMBER(physics->largest_count, 1);
	CHECK_NUMBER(physics->largest[0].use, 2);
	CHECK_NUMBER(physics->largest[0].at_limit, 2);
	check_row("idle: a limit of 0 keeps erin's job from running; dave has none");
	const struct limited *idle = map_find(&use->associations, (struct text){"idle\0\0", 6});
	CHECK_NUMBER(idle->largest_count, 1);
	CHECK_NUMBER(idle->largest[0].use, 0);
	CHECK_NUMBER(idle->largest[0].at_limit, 1);
	for (int are_known = 0; are_known < 2; are_known++) {
		check_row(are_known ? "the jobs are known again"
				    : "nothing is said of use while the jobs are not known");
		cluster_show_jobs(&cluster, are_known);
		cluster_settle(&cluster);
		physics = map_find(&cluster.limits->associations, (struct text){"physics\0\0", 9});
		CHECK((map_find(&physics->usage, TEXT("jobs")) != NULL) == are_known);
	}
	check_row("nothing is said of use while the QOS are not known");
	qos_section_free(cluster.qos);
	cluster.qos = NULL;
	cluster_forget_limits(&cluster);
	cluster_settle(&cluster);
	physics = map_find(&cluster.limits->associations, (struct text){"physics\0\0", 9});
	CHECK_NUMBER(physics->usage.count, 3); /* of cpu, mem and gpu_seconds, which Slurm adds up itself */
	CHECK_NUMBER(physics->limits.count, 6);
	check_row("associations of another cluster");
	snprintf(cluster.name, sizeof cluster.name, "c2");
	cluster_forget_limits(&cluster);
	cluster_settle(&cluster);
	CHECK_NUMBER(cluster.limits->associations.count, 0);
	cluster_done(&cluster);
}

/* A thousand nodes of 256 GiB for a month: more than 2^64 byte-seconds. The alert on what is left must see both numbers. */
static void test_large_use(void)
{
	static const char associations[] =
		"{\"associations\":[{\"cluster\":\"c1\",\"account\":\"root\",\"max\":{\"tres\":{\"group\":{\"minutes\":["
		"{\"type\":\"mem\",\"name\":\"\",\"count\":20000000000000}]}}}}]}";
	static const char shares[] = "{\"shares\":{\"shares\":[{\"name\":\"root\",\"type\":[\"ASSOCIATION\"],\"tres\":"
				     "{\"usage\":[{\"name\":\"mem\",\"value\":680000000000000.0}]}}]}}";
	struct cluster cluster;
	cluster_init(&cluster);
	page_feed(&cluster, ENDPOINT_ASSOCIATIONS, associations, 0);
	page_feed(&cluster, ENDPOINT_SHARES, shares, 0);
	cluster_settle(&cluster);
	const struct limited *root = map_find(&cluster.limits->associations, (struct text){"root\0\0", 6});
	const double *use = root ? map_find(&root->usage, TEXT("mem_seconds")) : NULL;
	check_row("beyond 2^64");
	CHECK(use && *use == 6.8e14 * 0x1p20);
	CHECK(root && root->limits.count == 1 && root->limits.items[0].value == 2e13 * 60 * 0x1p20);
	cluster_done(&cluster);
}

static void test_who_is_gone(void)
{
	struct cluster cluster;
	use_of_jobs(&cluster);
	check_row("what is gone is charged no more");
	for (uint64_t id = 1; id < 100; id++)
		job_table_remove(cluster.job_table, id);
	cluster_settle(&cluster);
	const struct limited *root = map_find(&cluster.limits->associations, (struct text){"root\0\0", 6});
	const double *use = map_find(&root->usage, TEXT("jobs"));
	CHECK(!use || *use == 0);
	CHECK_NUMBER(root->use.submitted_jobs, 0);
	cluster_done(&cluster);
}

int main(void)
{
	vocabulary_init(&vocabulary);
	test_qos_limits();
	test_twice();
	test_association_limits();
	test_unlimited();
	test_hostlists();
	test_not_in_hostlists();
	test_hostile_names();
	test_hostile_hostlists();
	test_time_left();
	test_too_many_nodes();
	test_no_number_of_nodes();
	test_usage();
	test_largest();
	test_large_use();
	test_who_is_gone();
	vocabulary_done(&vocabulary);
	return check_done();
}
