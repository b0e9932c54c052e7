/* Names that try to break the page. Each arrives as a valid label, and no series appears twice (Prometheus drops the
 * whole scrape for less). */
#include "page.h"
#include "page_reader.h"

#include "base/text.h"

#define TIMES_10(text) text text text text text text text text text text
#define TIMES_250(text)                                                                                                \
	TIMES_10(TIMES_10(text))                                                                                       \
	TIMES_10(TIMES_10(text)) TIMES_10(text) TIMES_10(text) TIMES_10(text) TIMES_10(text) TIMES_10(text)

/* A name as Slurm might send it, and the label that it becomes, escaped as on the page. */
static const struct {
	const char *what, *name, *label;
} rows[] = {
	{"plain", "plain", "plain"},
	{"quotes", "a\"b", "a\\\"b"},
	{"backslashes", "a\\b\\", "a\\\\b\\\\"},
	{"backslash n is no newline", "a\\nb", "a\\\\nb"},
	{"newlines", "a\nb\n", "a\\nb\\n"},
	{"other control characters", "a\r\t\x1b[31m\x7f", "a\r\t\x1b[31m\x7f"},
	{"an injected sample", "x\"} 1\nslurm_fake{a=\"b", "x\\\"} 1\\nslurm_fake{a=\\\"b"},
	{"a comment", "# TYPE x gauge", "# TYPE x gauge"},
	{"blanks", " ", " "},
	{"UTF-8", "jos\xc3\xa9-\xe5\xb1\xb1-\xf0\x9f\x90\x8c", "jos\xc3\xa9-\xe5\xb1\xb1-\xf0\x9f\x90\x8c"},
	{"latin-1", "jos\xe9", "jos\xef\xbf\xbd"},
	{"overlong", "a\xc0\xaf", "a\xef\xbf\xbd\xef\xbf\xbd"},
	{"a surrogate", "a\xed\xa0\x80", "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
	{"the longest that is shown whole", TIMES_250("a") "aaaaaa", TIMES_250("a") "aaaaaa"},
	{"a byte too long", TIMES_250("a") "aaaaaaa", NULL},
	{"differs from the last beyond the cut", TIMES_250("a") "aaaaaab", NULL},
	{"1,000 characters", TIMES_10(TIMES_10("0123456789")), NULL},
	{"cut within a character", "x" TIMES_250("\xe5\xb1\xb1"), NULL},
	{"like the row of the rest", "other", NULL},
	{"nearly so", "Other", "Other"},
};
enum { ROWS = sizeof rows / sizeof *rows };

static void add_string(struct buf *json, const char *string)
{
	buf_add_char(json, '"');
	for (const char *c = string; *c; c++) {
		if ((unsigned char)*c < 0x20)
			buf_printf(json, "\\u%04x", *c);
		else if (*c == '"' || *c == '\\')
			buf_printf(json, "\\%c", *c);
		else
			buf_add_char(json, *c);
	}
	buf_add_char(json, '"');
}

static void add_member(struct buf *json, const char *name, const char *value)
{
	buf_printf(json, ",\"%s\":", name);
	add_string(json, value);
}

static void check_line(void *context, const struct page_line *line)
{
	(void)context;
	CHECK(text_starts_with(line->name, "slurm") || text_starts_with(line->name, "process_"));
	CHECK(!text_starts_with(line->name, "slurm_fake"));
	for (unsigned i = 0; i < line->label_count; i++)
		CHECK(line->labels[i].value.len <= LABEL_MAX);
}

static void count_line(void *context, const struct page_line *line)
{
	(void)line;
	++*(unsigned *)context;
}

static void check_page(const struct buf *page)
{
	unsigned lines = 0;
	CHECK_STRING(page_read(buf_text(page), check_line, NULL), NULL);
	page_read(buf_text(page), count_line, &lines);
	CHECK(lines > 40);
}

/* The sum of a family's samples that have the label, and how many there are. */
static double sum_of(const struct buf *page, const char *family, const char *label, unsigned *ret_samples)
{
	struct text rest = buf_text(page), line;
	double sum = 0;
	*ret_samples = 0;
	while (text_next(&rest, '\n', &line)) {
		if (!text_starts_with(line, family) || line.bytes[strlen(family)] != '{' ||
		    !memmem(line.bytes, line.len, label, strlen(label)))
			continue;
		const char *end = line.bytes + line.len;
		while (end[-1] != ' ')
			end--;
		sum += strtod(end, NULL);
		++*ret_samples;
	}
	return sum;
}

/* One pending job per row, whose every name is the row's. */
static void feed_jobs(struct cluster *cluster)
{
	static const char *const members[] = {"user_name", "account", "partition", "qos", "state_reason"};
	struct buf json = BUF_INIT, tres = BUF_INIT;
	buf_add_string(&json, "{\"jobs\":[");
	for (int i = 0; i < ROWS; i++) {
		buf_printf(&json, "%s{\"job_id\":%d,\"cpus\":1,\"job_state\":[\"PENDING\",", i ? "," : "", i + 1);
		add_string(&json, rows[i].name);
		buf_add_char(&json, ']');
		for (size_t m = 0; m < sizeof members / sizeof *members; m++)
			add_member(&json, members[m], rows[i].name);
		buf_clear(&tres);
		buf_printf(&tres, "cpu=1,gres/%s:%s=2", rows[i].name, rows[i].name);
		add_member(&json, "tres_req_str", tres.bytes);
		buf_add_char(&json, '}');
	}
	buf_add_string(&json, "]}");
	page_feed(cluster, ENDPOINT_JOBS, json.bytes, 1000);
	buf_done(&tres);
	buf_done(&json);
}

static void feed_rest(struct cluster *cluster)
{
	static const char *const members[] = {"reason", "reason_set_by_user", "version", "architecture",
					      "operating_system"};
	struct buf partitions = BUF_INIT, nodes = BUF_INIT, pings = BUF_INIT;
	buf_add_string(&partitions, "{\"partitions\":[{\"name\":\"first\"}");
	buf_add_string(&nodes, "{\"nodes\":[{\"name\":\"first\",\"state\":[\"IDLE\"]}");
	buf_add_string(&pings, "{\"pings\":[{\"hostname\":\"first\"}");
	for (int n = 0; n < 2 * ROWS; n++) { /* twice, as if Slurm had repeated itself */
		int i = n % ROWS;
		buf_add_string(&partitions, ",{\"partition\":{\"state\":[");
		add_string(&partitions, rows[i].name);
		buf_add_string(&partitions, "]}");
		add_member(&partitions, "name", rows[i].name);
		buf_add_char(&partitions, '}');
		buf_add_string(&nodes, ",{\"cpus\":1,\"state\":[");
		add_string(&nodes, rows[i].name);
		buf_add_char(&nodes, ',');
		add_string(&nodes, rows[ROWS - 1 - i].name);
		buf_add_string(&nodes, "],\"partitions\":[");
		add_string(&nodes, rows[i].name);
		buf_add_char(&nodes, ']');
		add_member(&nodes, "name", rows[i].name);
		add_member(&nodes, "gres", rows[i].name);
		for (size_t m = 0; m < sizeof members / sizeof *members; m++)
			add_member(&nodes, members[m], rows[i].name);
		buf_add_char(&nodes, '}');
		buf_add_string(&pings, ",{\"mode\":\"backup\"");
		add_member(&pings, "hostname", rows[i % 4].name);
		buf_add_char(&pings, '}');
	}
	buf_add_string(&partitions, "]}");
	buf_add_string(&nodes, "]}");
	buf_add_string(&pings, "]}");
	page_feed(cluster, ENDPOINT_PARTITIONS, partitions.bytes, 1000);
	page_feed(cluster, ENDPOINT_NODES, nodes.bytes, 1000);
	page_feed(cluster, ENDPOINT_PING, pings.bytes, 1000);
	cluster->controllers_are_sure = true;
	buf_done(&partitions);
	buf_done(&nodes);
	buf_done(&pings);
}

/* Everything twice, as if Slurm had repeated itself. */
static void feed_lists(struct cluster *cluster)
{
	struct buf reservations = BUF_INIT, licenses = BUF_INIT, shares = BUF_INIT;
	for (int i = 0; i < 2 * ROWS; i++) {
		const char *name = rows[i % ROWS].name, *comma = i ? "," : "";
		buf_printf(&reservations, "%s{\"start_time\":5", comma);
		add_member(&reservations, "name", name);
		add_member(&reservations, "partition", name);
		add_member(&reservations, "flags", name);
		buf_add_char(&reservations, '}');
		buf_printf(&licenses, "%s{\"Total\":5", comma);
		add_member(&licenses, "LicenseName", name);
		buf_add_char(&licenses, '}');
		for (int is_user = 0; is_user < 2; is_user++) {
			buf_printf(&shares, "%s{\"shares\":5,\"type\":[\"%s\"]", is_user ? "," : comma,
				   is_user ? "USER" : "ASSOCIATION");
			add_member(&shares, "name", name);
			add_member(&shares, "parent", name);
			buf_add_char(&shares, '}');
		}
	}
	struct buf json = BUF_INIT;
	buf_printf(&json, "{\"reservations\":[%s]}", reservations.bytes);
	page_feed(cluster, ENDPOINT_RESERVATIONS, json.bytes, 0);
	buf_clear(&json);
	buf_printf(&json, "{\"licenses\":[%s]}", licenses.bytes);
	page_feed(cluster, ENDPOINT_LICENSES, json.bytes, 0);
	buf_clear(&json);
	buf_printf(&json, "{\"shares\":{\"shares\":[%s]}}", shares.bytes);
	page_feed(cluster, ENDPOINT_SHARES, json.bytes, 0);
	buf_done(&json);
	buf_done(&reservations);
	buf_done(&licenses);
	buf_done(&shares);
}

/* QOS and associations with a limit, twice. */
static void feed_limits(struct cluster *cluster)
{
	static const char *const members[] = {"account", "user", "partition", "parent_account"};
	struct buf qos = BUF_INIT, associations = BUF_INIT;
	buf_add_string(&qos, "{\"qos\":[{\"name\":\"first\"}");
	buf_add_string(&associations, "{\"associations\":[{\"account\":\"first\"}");
	for (int i = 0; i < 2 * ROWS; i++) {
		buf_add_string(&qos, ",{\"limits\":{\"max\":{\"active_jobs\":{\"count\":5}}}");
		add_member(&qos, "name", rows[i % ROWS].name);
		buf_add_char(&qos, '}');
		for (size_t with = 1; with <= 4; with++) { /* of an account, a user, ... */
			buf_add_string(&associations, ",{\"max\":{\"jobs\":{\"per\":{\"count\":5}}}");
			for (size_t m = 0; m < with; m++)
				add_member(&associations, members[m], rows[i % ROWS].name);
			buf_add_char(&associations, '}');
		}
	}
	buf_add_string(&qos, "]}");
	buf_add_string(&associations, "]}");
	page_feed(cluster, ENDPOINT_QOS, qos.bytes, 0);
	page_feed(cluster, ENDPOINT_ASSOCIATIONS, associations.bytes, 0);
	buf_done(&qos);
	buf_done(&associations);
}

static const struct {
	const char *family, *before; /* the label in question and its name */
	bool is_list; /* a comma separates two names */
	unsigned idle; /* rows without jobs */
} places[] = {
	{"slurm_user_jobs", "user=\"", false, 0},	{"slurm_user_jobs", "account=\"", false, 0},
	{"slurm_account_jobs", "account=\"", false, 0}, {"slurm_partition_jobs", "partition=\"", true, 1},
	{"slurm_qos_jobs", "qos=\"", true, 0},
};

static void check_labels(const struct buf *page)
{
	for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
		unsigned samples;
		check_row(places[p].before);
		CHECK_NUMBER(sum_of(page, places[p].family, "state=\"pending\"", &samples), ROWS);
		CHECK_NUMBER(samples, ROWS + places[p].idle); /* none was merged with another */
		for (int i = 0; i < ROWS; i++) {
			struct buf label = BUF_INIT;
			check_row(rows[i].what);
			if (rows[i].label)
				buf_printf(&label, "%s%s\"", places[p].before, rows[i].label);
			if (rows[i].label)
				CHECK_NUMBER(sum_of(page, places[p].family, label.bytes, &samples), 1);
			buf_done(&label);
		}
	}
	unsigned samples;
	check_row("reasons");
	CHECK_NUMBER(sum_of(page, "slurm_cluster_pending_jobs", "reason=\"", &samples), ROWS);
	CHECK_NUMBER(samples, ROWS);
	check_row("limits");
	CHECK_NUMBER(sum_of(page, "slurm_qos_limit", "qos=\"", &samples), 5 * ROWS);
	sum_of(page, "slurm_association_limit", "account=\"", &samples);
	CHECK(samples >= 2 * ROWS);
}

static void test_pages(void)
{
	static const uint64_t maxima[] = {UINT64_MAX, 5, 0};
	struct cluster cluster;
	cluster_init(&cluster);
	feed_jobs(&cluster);
	feed_rest(&cluster);
	feed_lists(&cluster);
	feed_limits(&cluster);
	for (size_t i = 0; i < 3; i++) {
		for (int kind = 0; kind < ENTITY_KINDS; kind++)
			cluster.caps.kinds[kind].max = maxima[i];
		struct buf page = page_of(&cluster);
		check_row("the page");
		check_page(&page);
		if (i == 0)
			check_labels(&page);
		unsigned samples;
		CHECK_NUMBER(sum_of(&page, "slurm_user_jobs", "state=\"pending\"", &samples), ROWS);
		CHECK_NUMBER(samples, i == 0 ? ROWS : maxima[i] + 1);
		buf_done(&page);
	}
	cluster_done(&cluster);
}

static void test_collisions(void)
{
	static const struct {
		const char *what, *a, *b;
		unsigned rows;
	} pairs[] = {
		{"equal after the repair: one row", "jos\xe9", "jos\xe8", 1},
		{"equal up to the cut: two rows", TIMES_250("a") TIMES_10("b"), TIMES_250("a") TIMES_10("c"), 2},
		{"cut and repaired alike", TIMES_250("a") TIMES_10("\xe9"), TIMES_250("a") TIMES_10("\xe8"), 1},
		{"upper and lower case", "Ann", "ann", 2},
	};
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		struct cluster cluster;
		struct buf json = BUF_INIT;
		unsigned samples;
		check_row(pairs[i].what);
		cluster_init(&cluster);
		for (int second = 0; second < 2; second++) {
			buf_printf(&json, "%s{\"job_id\":%d,\"job_state\":[\"RUNNING\"]", second ? "," : "{\"jobs\":[",
				   second + 1);
			add_member(&json, "user_name", second ? pairs[i].b : pairs[i].a);
			buf_add_char(&json, '}');
		}
		buf_add_string(&json, "]}");
		page_feed(&cluster, ENDPOINT_JOBS, json.bytes, 0);
		struct buf page = page_of(&cluster);
		check_page(&page);
		CHECK_NUMBER(sum_of(&page, "slurm_user_jobs", "state=\"running\"", &samples), 2);
		CHECK_NUMBER(samples, pairs[i].rows);
		buf_done(&page);
		buf_done(&json);
		cluster_done(&cluster);
	}
}

static void test_labels(void)
{
	char room[LABEL_MAX + 1], again[LABEL_MAX + 1];
	for (int i = 0; i < ROWS; i++) {
		struct text name = text_of(rows[i].name), label = label_of(name, room);
		check_row(rows[i].what);
		CHECK(label.len <= LABEL_MAX);
		CHECK(!text_equal(label, LABEL_OTHER));
		CHECK(text_equal(label_of(label, again), label));
	}
	check_row("the same in each process");
	CHECK_STRING(label_of(TEXT("other"), room).bytes, "other~c8728734");
}

int main(void)
{
	test_labels();
	test_pages();
	test_collisions();
	return check_done();
}
