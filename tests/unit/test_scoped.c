/* What somebody sees who may not see all: of a page of metrics, by its labels. tests/sim/test_tenants.py does it with
 * pages as they are; here are labels and names that no cluster has. */
#include "check.h"
#include "metrics/exposition.h"
#include "metrics/scoped_samples.h"

#include <stdlib.h>

enum { ACCOUNT = 1 << SCOPE_ACCOUNT, USER = 1 << SCOPE_USER, PARTITION = 1 << SCOPE_PARTITION };

struct label {
	const char *name, *value;
};

/* Not all samples have something beside them, so that no number of one kind is that of the other. */
static bool has_exemplar(unsigned long number)
{
	return number > 4;
}

static bool has_native(unsigned long number)
{
	return number % 2;
}

static void add_sample(struct exposition *out, const struct label *labels, unsigned value)
{
	for (; labels->name; labels++)
		exposition_label(out, labels->name, text_of(labels->value));
	exposition_integer(out, value);
	if (has_exemplar(value))
		exposition_exemplar(out, &(struct exemplar){.job = value});
	if (has_native(value))
		exposition_native(out, &(struct native_bucket){0, value}, 1);
}

static void begin_family(struct exposition *out, const char *name, unsigned owners, enum job_rows rows)
{
	exposition_family(out, name, GAUGE, "Help.");
	out->family.owners = (uint8_t)owners;
	out->family.job_rows = (uint8_t)rows;
}

#define SAMPLE(out, value, ...) add_sample(out, (const struct label[]){__VA_ARGS__, {NULL, NULL}}, value)

/* Each sample has a number of its own, which its exemplar and its exponential bucket have, too. */
static void make_page(struct samples *page)
{
	struct exposition out = {.to = page, .constant = TEXT("cluster=\"ours\"")};
	begin_family(&out, "accounts", ACCOUNT, JOB_ROWS_NONE);
	SAMPLE(&out, 1, {"account", "physics"}, {"user", "carol"}, {"partition", "gpu"});
	SAMPLE(&out, 2, {"account", "other"}, {"parent", "physics"});
	SAMPLE(&out, 3, {"account", "a\"},account=\"physics\\\n"});
	SAMPLE(&out, 4, {"state", "account=\"physics\""});
	begin_family(&out, "users", ACCOUNT | USER, JOB_ROWS_NONE);
	SAMPLE(&out, 5, {"user", "carol"}, {"account", "chemistry"}, {"partition", "gpu"});
	SAMPLE(&out, 6, {"user", "dave"}, {"account", "physics"});
	SAMPLE(&out, 7, {"user", "carols"}, {"account", "physics2"});
	begin_family(&out, "partitions", PARTITION, JOB_ROWS_NONE);
	SAMPLE(&out, 8, {"partition", "gpu"}, {"user", "carol"});
	SAMPLE(&out, 9, {"partition", "cpu,gpu"});
	SAMPLE(&out, 10, {"partition", "gpu2,xgpu"});
	begin_family(&out, "nobody", 0, JOB_ROWS_NONE);
	SAMPLE(&out, 11, {"account", "physics"}, {"user", "carol"}, {"partition", "gpu"});
	begin_family(&out, "job_info", ACCOUNT | USER | PARTITION, JOB_ROWS_LIVE);
	SAMPLE(&out, 12, {"jobid", "1"}, {"account", "physics"}, {"user", "eve"});
	SAMPLE(&out, 13, {"jobid", "2"}, {"account", "chemistry"}, {"user", "eve"}, {"partition", "cpu"});
	begin_family(&out, "job_cpus", ACCOUNT | USER | PARTITION, JOB_ROWS_LIVE);
	SAMPLE(&out, 14, {"jobid", "1"});
	SAMPLE(&out, 15, {"jobid", "2"});
	SAMPLE(&out, 16, {"name", "jobid=\"1\""}, {"jobid", "2"});
	begin_family(&out, "ended_job_cpus", ACCOUNT | USER | PARTITION, JOB_ROWS_ENDED);
	SAMPLE(&out, 17, {"jobid", "1"});
	SAMPLE(&out, 18, {"jobid", "2"});
	/* The family that says whose they are comes last. */
	begin_family(&out, "ended_job_info", ACCOUNT | USER | PARTITION, JOB_ROWS_ENDED);
	SAMPLE(&out, 19, {"jobid", "1"}, {"account", "chemistry"});
	SAMPLE(&out, 20, {"jobid", "2"}, {"account", "physics"});
	exposition_done(&out);
}

/* The numbers of the samples that are there. */
static void numbers_of(const struct samples *samples, char *to, size_t size)
{
	size_t len = 0;
	*to = '\0';
	for (size_t i = 0; i < samples->count; i++) {
		const char *at = samples->text.bytes + samples->families[i].samples;
		const char *end = samples->text.bytes + samples->families[i].end;
		for (; at < end; at = strchr(at, '\n') + 1) {
			const char *line_end = strchr(at, '\n'), *space = line_end;
			while (*space != ' ')
				space--;
			len += (size_t)snprintf(to + len, size - len, "%s%.*s", len ? " " : "",
						(int)(line_end - space - 1), space + 1);
		}
	}
}

/* Of the sample whose line ends there. */
static unsigned long number_before(const struct samples *samples, size_t line_end)
{
	const char *at = samples->text.bytes + line_end;
	CHECK(*at == '\n');
	while (at[-1] != ' ')
		at--;
	return strtoul(at, NULL, 10);
}

/* Nothing stands beside a sample that is another one's. */
static void check_beside(const struct samples *samples)
{
	size_t exemplars = 0, natives = 0;
	for (size_t i = 0; i < samples->count; i++) {
		const struct sample_family *family = &samples->families[i];
		CHECK_NUMBER(family->first_exemplar, exemplars);
		CHECK_NUMBER(family->first_native, natives);
		for (size_t at = family->samples, end; at < family->end; at = end + 1) {
			end = (size_t)(strchr(samples->text.bytes + at, '\n') - samples->text.bytes);
			unsigned long number = number_before(samples, end);
			if (has_exemplar(number) && exemplars++ < samples->exemplar_count) {
				const struct exemplar *exemplar = &samples->exemplars[exemplars - 1];
				CHECK_NUMBER(exemplar->at, end);
				CHECK_NUMBER(exemplar->job, number);
			}
			if (has_native(number) && natives++ < samples->native_count) {
				const struct native *native = &samples->natives[natives - 1];
				CHECK_NUMBER(native->at, end);
				CHECK_NUMBER(native->count, 1);
				CHECK_NUMBER(samples->native_buckets[native->first].count, number);
			}
		}
	}
	CHECK_NUMBER(samples->exemplar_count, exemplars);
	CHECK_NUMBER(samples->native_count, natives);
	CHECK_NUMBER(samples->bucket_count, natives);
}

static void test_labels(void)
{
	static const struct {
		const char *what;
		enum scope_kind kind;
		const char *name, *want;
	} rows[] = {
		{"an account", SCOPE_ACCOUNT, "physics", "1 6 12 14 18 20"},
		{"another one", SCOPE_ACCOUNT, "chemistry", "5 13 15 16 17 19"},
		{"a name that looks like labels", SCOPE_ACCOUNT, "a\"},account=\"physics\\\n", "3"},
		{"a name as it is on the page", SCOPE_ACCOUNT, "a\\\"},account=\\\"physics\\\\\\n", ""},
		{"a part of a name", SCOPE_ACCOUNT, "phys", ""},
		{"an account in a list", SCOPE_ACCOUNT, "physics,chemistry", ""},
		{"the row other, which no name of a tenant becomes", SCOPE_ACCOUNT, "other", "2"},
		{"a user", SCOPE_USER, "carol", "5"},
		{"a user of jobs", SCOPE_USER, "eve", "12 13 14 15 16"},
		{"a partition, also in lists", SCOPE_PARTITION, "gpu", "8 9"},
		{"a partition of a job", SCOPE_PARTITION, "cpu", "9 13 15 16"},
		{"a list of partitions", SCOPE_PARTITION, "cpu,gpu", "9"},
		{"nobody", SCOPE_USER, "", ""},
		{"a cluster is nobody", SCOPE_CLUSTER, "ours", ""},
	};
	struct samples page = {.text = BUF_INIT};
	make_page(&page);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct scope scope;
		struct samples scoped;
		char got[200];
		check_row(rows[i].what);
		scope_init(&scope);
		scope_add(&scope, rows[i].kind, text_of(rows[i].name));
		scoped_samples(&page, &scope, &scoped);
		numbers_of(&scoped, got, sizeof got);
		CHECK_STRING(got, rows[i].want);
		check_beside(&scoped);
		for (size_t f = 0; f < scoped.count; f++)
			CHECK(text_starts_with(family_help(&scoped, &scoped.families[f]), "Help.") &&
			      scoped.families[f].begin < scoped.families[f].samples);
		samples_done(&scoped);
		scope_done(&scope);
	}
	check_row(NULL);
	samples_done(&page);
}

/* Pages are kept by key: scopes that take in different things have different ones. */
static void test_keys(void)
{
	static const struct {
		enum scope_kind kind;
		const char *first, *second;
	} rows[] = {
		{SCOPE_ACCOUNT, "a", NULL},  {SCOPE_USER, "a", NULL},	{SCOPE_PARTITION, "a", NULL},
		{SCOPE_CLUSTER, "a", NULL},  {SCOPE_ACCOUNT, "a", "b"}, {SCOPE_ACCOUNT, "a0b", NULL},
		{SCOPE_ACCOUNT, "ab", NULL},
	};
	enum { ROWS = sizeof rows / sizeof *rows };
	struct scope scopes[ROWS];
	for (size_t i = 0; i < ROWS; i++) {
		scope_init(&scopes[i]);
		scope_add(&scopes[i], rows[i].kind, text_of(rows[i].first));
		if (rows[i].second)
			scope_add(&scopes[i], rows[i].kind, text_of(rows[i].second));
		check_row(rows[i].first);
		for (size_t other = 0; other < i; other++)
			CHECK(!text_equal(buf_text(&scopes[other].key), buf_text(&scopes[i].key)));
	}
	for (size_t i = 0; i < ROWS; i++)
		scope_done(&scopes[i]);
	check_row(NULL);
}

static void test_clusters(void)
{
	struct scope scope;
	scope_init(&scope);
	CHECK(scope_has_cluster(&scope, TEXT("a")));
	scope_add(&scope, SCOPE_CLUSTER, TEXT("a"));
	CHECK(scope_has_cluster(&scope, TEXT("a")) && !scope_has_cluster(&scope, TEXT("b")));
	CHECK(!scope_has_cluster(&scope, TEXT("")));
	scope_done(&scope);
}

int main(void)
{
	test_labels();
	test_keys();
	test_clusters();
	return check_done();
}
