#include "check.h"
#include "metrics/exposition.h"

#include <math.h>

static void test_histograms_of_a_family(void)
{
	static const double bounds[] = {1};
	const struct histogram histogram = {.bounds = bounds, .bound_count = 1, .buckets = {2}, .sum = 1};
	struct samples page = {.text = BUF_INIT};
	struct exposition out = {.to = &page, .constant = TEXT("c=\"d\"")};
	check_row("each has its own labels");
	exposition_family(&out, "h", HISTOGRAM, "x");
	for (int i = 1; i <= 3; i++) {
		exposition_label(&out, "x", i == 1 ? TEXT("longer") : TEXT("y"));
		exposition_histogram(&out, &histogram, NULL);
	}
#define ONE(x)                                                                                                         \
	"h_bucket{c=\"d\",x=\"" x "\",le=\"1\"} 2\nh_bucket{c=\"d\",x=\"" x "\",le=\"+Inf\"} 2\n"                      \
	"h_sum{c=\"d\",x=\"" x "\"} 1\nh_count{c=\"d\",x=\"" x "\"} 2\n"
	CHECK_STRING(page.text.bytes, "# HELP h x\n# TYPE h histogram\n" ONE("longer") ONE("y") ONE("y"));
	exposition_done(&out);
	samples_done(&page);
}

static void test_escaping(void)
{
	static const struct {
		const char *value, *want;
	} rows[] = {
		{"plain", "plain"},
		{"we\"ird", "we\\\"ird"},
		{"back\\slash", "back\\\\slash"},
		{"two\nlines", "two\\nlines"},
		{"tab\tand \xc3\xa9", "tab\tand \xc3\xa9"},
		{"{a=b},#", "{a=b},#"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct samples page = {.text = BUF_INIT};
		struct exposition out = {.to = &page};
		char want[256];
		check_row(rows[i].value);
		exposition_family(&out, "x", GAUGE, "A \\ and\na line.");
		exposition_label(&out, "l", text_of(rows[i].value));
		exposition_integer(&out, 1);
		snprintf(want, sizeof want, "# HELP x A \\\\ and\\na line.\n# TYPE x gauge\nx{l=\"%s\"} 1\n",
			 rows[i].want);
		CHECK_STRING(page.text.bytes, want);
		exposition_done(&out);
		samples_done(&page);
	}
}

static void test_numbers(void)
{
	static const struct {
		double value;
		const char *want;
	} rows[] = {
		{0, "0"},
		{-0.0, "-0"},
		{1, "1"},
		{0.1, "0.1"},
		{1.0 / 3, "0.3333333333333333"},
		{1e-6, "1e-06"},
		{0.1 + 0.2, "0.30000000000000004"}, /* the shortest that reads back as the same */
		{1795209515, "1795209515"},
		{1795209515.25, "1795209515.25"},
		{9007199254740991, "9007199254740991"},
		{1e300, "1e+300"},
		{INFINITY, "+Inf"},
		{-INFINITY, "-Inf"},
		{NAN, "NaN"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct samples page = {.text = BUF_INIT};
		struct exposition out = {.to = &page};
		check_row(rows[i].want);
		exposition_family(&out, "x", GAUGE, "h");
		exposition_number(&out, rows[i].value);
		const char *got = strrchr(page.text.bytes, ' ');
		char want[64];
		snprintf(want, sizeof want, " %s\n", rows[i].want);
		CHECK_STRING(got, want);
		exposition_done(&out);
		samples_done(&page);
	}
}

static void test_labels(void)
{
	check_row("labels");
	struct samples page = {.text = BUF_INIT};
	struct exposition out = {.to = &page};
	exposition_family(&out, "silent", GAUGE, "No sample, no header.");
	exposition_family(&out, "f", COUNTER, "h");
	exposition_base_label(&out, "p", TEXT("cpu"));
	exposition_label(&out, "s", TEXT("up"));
	exposition_integer(&out, UINT64_MAX);
	exposition_label(&out, "s", TEXT(""));
	exposition_integer(&out, 2);
	exposition_base(&out);
	exposition_integer(&out, 3);
	CHECK_STRING(page.text.bytes, "# HELP f h\n# TYPE f counter\n"
				      "f{p=\"cpu\",s=\"up\"} 18446744073709551615\n"
				      "f{p=\"cpu\"} 2\nf 3\n");
	CHECK_NUMBER(out.samples, 3);
	exposition_done(&out);
	CHECK_NUMBER(page.count, 1); /* no family without samples */
	samples_done(&page);
}

static void test_histogram(void)
{
	static const double bounds[] = {0.5, 1};
	struct histogram histogram = {.bounds = bounds, .bound_count = 2};
	histogram_observe(&histogram, 0.5); /* le is "less or equal" */
	histogram_observe(&histogram, 0.75);
	histogram_observe(&histogram, 7);
	check_row("histogram");
	struct samples page = {.text = BUF_INIT};
	struct exposition out = {.to = &page};
	exposition_family(&out, "h", HISTOGRAM, "x");
	exposition_base_label(&out, "e", TEXT("jobs"));
	exposition_histogram(&out, &histogram, NULL);
	CHECK_STRING(page.text.bytes, "# HELP h x\n# TYPE h histogram\n"
				      "h_bucket{e=\"jobs\",le=\"0.5\"} 1\n"
				      "h_bucket{e=\"jobs\",le=\"1\"} 2\n"
				      "h_bucket{e=\"jobs\",le=\"+Inf\"} 3\n"
				      "h_sum{e=\"jobs\"} 8.25\nh_count{e=\"jobs\"} 3\n");
	exposition_done(&out);
	samples_done(&page);
}

static void test_fold(void)
{
	const struct exemplar exemplar = {.job = 7};
	const struct native_bucket native = {1, 1};
	check_row("what is folded is counted, and nothing of it is written");
	struct samples page = {.text = BUF_INIT};
	struct exposition out = {.to = &page};
	exposition_family(&out, "f", COUNTER, "h");
	for (int i = 0; i < 4; i++) {
		exposition_fold(&out, i % 2);
		exposition_integer(&out, (uint64_t)i);
		exposition_exemplar(&out, &exemplar);
		exposition_native(&out, &native, 1);
	}
	CHECK_STRING(page.text.bytes, "# HELP f h\n# TYPE f counter\nf 0\nf 2\n");
	CHECK_NUMBER(out.folded, 2);
	CHECK_NUMBER(page.exemplar_count, 2);
	CHECK_NUMBER(page.native_count, 2);
	exposition_done(&out);
	samples_done(&page);
}

int main(void)
{
	test_histograms_of_a_family();
	test_escaping();
	test_numbers();
	test_labels();
	test_histogram();
	test_fold();
	return check_done();
}
