/* How much counters grew, when their samples are missing, and how a report is written. What Prometheus answers is
 * tests/e2e/test_report.py's subject. */
#include "check.h"
#include "usage/growth.h"
#include "usage/report_print.h"
#include "usage/span.h"
#include "usage/timeline.h"
#include "usage/vector.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { SCRAPE_S = 60 };

/* A letter and a number are a sample of that series. A blank is the time between two scrapes. Samples of one scrape stand
 * together: "A5B4". A scrape with a dash has none. A bar ends a window. */
static struct growth growth_of(const char *words, double begin)
{
	struct growth growth = GROWTH_INIT;
	struct sample samples[64];
	size_t count = 0;
	double time = 0;
	for (const char *c = words; *c;) {
		if (*c == ' ') {
			time += SCRAPE_S;
			c++;
		} else if (*c == '-') {
			c++;
		} else if (*c == '|') {
			growth_take(&growth, samples, count, begin);
			count = 0;
			c++;
		} else {
			char *end;
			uint32_t series = (uint32_t)*c;
			double value = strtod(c + 1, &end);
			samples[count++] = (struct sample){time, value, series};
			c = end;
		}
	}
	growth_take(&growth, samples, count, begin);
	return growth;
}

static void grows(void)
{
	static const struct {
		const char *what, *words;
		double begin; /* of what is known of the cluster */
		double total;
		unsigned restarts;
	} rows[] = {
		{"nothing is known", "", 0, 0, 0},
		{"it is older than what we know", "A100 A103 A107", 0, 7, 0},
		{"it is new", "- - A3 A5", 0, 5, 0},
		{"it stands still", "A4 A4 A4", 0, 0, 0},
		{"it began again", "A100 A110 A2 A5", 0, 15, 1},
		{"it began again twice", "A100 A2 A1", 0, 3, 2},
		{"a gap changes nothing", "A1 - - - - - - - - - - A9", 0, 8, 0},
		{"in windows", "A1 A3 | A5 A8 |A8 A9", 0, 8, 0},
		{"it begins again between windows", "A50 A60 | A5 A8", 0, 18, 1},
		{"another target goes on", "A1 A3 B5 B6", 0, 5, 0},
		{"in another window", "A1 A3 | B5 B6", 0, 5, 0},
		{"another target goes on from an older copy", "A1 A10 B8 B9 B12", 0, 11, 0},
		{"in another window, too", "A1 A10 | B8 B9 B12", 0, 11, 0},
		{"another target begins anew: known after five minutes", "A1 A10 B0 B1 B2 B3 B4 B5 B6", 0, 15, 1},
		{"or much later", "A1 A10 - - - - - - - - - - B2 B3", 0, 12, 1},
		{"two at once, one lags", "A10B8 A12B10 A13B12 A14B13", 0, 4, 0},
		{"they take turns in being ahead", "A10B9 A11B12 A14B13 A15B16", 0, 6, 0},
		{"the one ahead begins again, the other goes on", "A10B9 A12B11 A0B12 A1B13 A2B14", 0, 4, 0},
		{"and windows end between", "A10B9 A12B11 |A0B11 |A1", 0, 2, 0},
		{"the one that lags begins again", "A10B9 A12B0 A13B1 A14B2", 0, 4, 0},
		{"at five minutes it is not known yet", "A1 A10 B0 B1 B2 B3 B4", 0, 9, 0},
		{"both begin again", "A10B9 A12B11 A0B0 A1B2 A3B2 A4B3 A5B5 A6B6 A7B7", 0, 9, 1},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		check_row(rows[i].what);
		struct growth growth = growth_of(rows[i].words, rows[i].begin);
		CHECK_NUMBER(growth.total, rows[i].total);
		CHECK_NUMBER(growth.restarts, rows[i].restarts);
	}
	check_row(NULL);
}

static void nothing_comes(void)
{
	struct growth growth = GROWTH_INIT;
	growth_take(&growth, NULL, 0, 0);
	CHECK(isnan(growth.value) && growth.total == 0);
}

/* Whatever the windows are, the sum is the same. */
static void windows_do_not_matter(void)
{
	srand(7);
	for (int round = 0; round < 2000; round++) {
		struct sample samples[100], again[100];
		struct growth whole = GROWTH_INIT, parts = GROWTH_INIT;
		double value = 1000;
		for (size_t i = 0; i < 100; i++) {
			value = rand() % 40 ? value + rand() % 9 : rand() % 5;
			samples[i] = (struct sample){.time = (double)i * SCRAPE_S, .value = value};
		}
		memcpy(again, samples, sizeof samples);
		growth_take(&whole, again, 100, 0);
		for (size_t at = 0; at < 100;) {
			size_t count = 1 + (size_t)rand() % (100 - at);
			memcpy(again, samples + at, count * sizeof *samples);
			growth_take(&parts, again, count, 0);
			at += count;
		}
		CHECK(whole.total == parts.total && whole.restarts == parts.restarts);
	}
}

static void timelines(void)
{
	struct usage use;
	struct timeline timeline = {0};
	struct sample samples[300];
	size_t count = 0;
	usage_init(&use, "Prometheus", 6000, 12000);
	for (int minute = 90; minute < 200; minute++)
		samples[count++] = (struct sample){.time = minute * 60};
	timeline_take(&timeline, &use, TEXT(""), samples, count);
	timeline_end(&timeline, &use, TEXT(""));
	CHECK(!use.note_count && !use.is_incomplete);
	usage_done(&use);

	/* gaps: over the begin, within, at the end */
	usage_init(&use, "Prometheus", 6000, 12000);
	timeline = (struct timeline){0};
	count = 0;
	for (int minute = 60; minute < 180; minute++) /* that from 70 to 80 is none of the span's */
		if ((minute <= 70 || minute >= 80) && (minute <= 95 || minute >= 110) &&
		    (minute <= 130 || minute >= 150))
			samples[count++] = (struct sample){.time = minute * 60};
	timeline_take(&timeline, &use, TEXT("alpha"), samples, count);
	timeline_end(&timeline, &use, TEXT("alpha"));
	CHECK(use.note_count == 3 && use.is_incomplete);
	CHECK_STRING(
		use.notes[0].bytes,
		"no samples of alpha from 1970-01-01 01:35:00 UTC to 1970-01-01 01:50:00 UTC (15 min): what was used in all this time counts here, though it began before");
	CHECK_STRING(
		use.notes[1].bytes,
		"no samples of alpha from 1970-01-01 02:10:00 UTC to 1970-01-01 02:30:00 UTC (20 min): what was used in it is counted, but nobody knows when");
	CHECK_STRING(use.notes[2].bytes,
		     "no samples of alpha after 1970-01-01 02:59:00 UTC: what was used in the last 21 min is missing");
	usage_done(&use);

	/* gaps of just five minutes are some, shorter ones are none; one may begin with the span */
	for (int shorter = 0; shorter < 2; shorter++) {
		usage_init(&use, "Prometheus", 6000, 12000);
		timeline = (struct timeline){0};
		const double times[] = {6300 - shorter, 6400, 6700 - shorter, 11700 + shorter};
		for (size_t i = 0; i < 4; i++)
			samples[i].time = times[i];
		timeline_take(&timeline, &use, TEXT(""), samples, shorter ? 3 : 4);
		timeline.last = times[3];
		timeline_end(&timeline, &use, TEXT(""));
		CHECK_NUMBER(use.note_count, shorter ? 0 : 4);
		usage_done(&use);
	}
	usage_init(&use, "Prometheus", 6000, 12000);
	timeline = (struct timeline){.begin = 5000, .last = 6000};
	samples[0].time = 11900;
	timeline_take(&timeline, &use, TEXT(""), samples, 1);
	CHECK(use.note_count == 1 && !use.is_incomplete);
	usage_done(&use);

	usage_init(&use, "Prometheus", 6000, 12000);
	timeline = (struct timeline){0};
	samples[0].time = 9000;
	timeline_take(&timeline, &use, TEXT(""), samples, 1);
	CHECK(use.note_count == 1 && use.is_incomplete);
	CHECK_STRING(use.notes[0].bytes,
		     "no samples before 1970-01-01 02:30:00 UTC: what was used in the first 50 min is missing");
	usage_done(&use);
}

static void spans(void)
{
	static const struct {
		const char *text;
		int64_t time; /* -1: refused */
	} rows[] = {
		{"2026-11-01", 1793487600},
		{"2026-11-01T00:00", 1793487600},
		{"2026-11-01T00:00:05", 1793487605},
		{"2026-11-01T00:00Z", 1793491200},
		{"2026-11-01Z", 1793491200},
		{"@1793491200", 1793491200},
		{"2026-02-30", -1},
		{"2026-11-01T00:00:60", -1},
		{"2026-13-01", -1},
		{"yesterday", -1},
		{"", -1},
		{"@", -1},
		{"@-5", -1},
		{"2026-11-01 00:00", -1},
		{"2026-11-01T00:00ZZ", -1},
		{"@99999999999999999999", -1},
		{"@214748364700", 214748364700},
		{"@214748364701", -1},
	};
	struct error err;
	int64_t from, to;
	setenv("TZ", "Europe/Berlin", 1);
	tzset();
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		check_row(rows[i].text);
		bool is_read = span_time(rows[i].text, &from, &err);
		CHECK_NUMBER(is_read ? from : -1, rows[i].time);
	}
	check_row(NULL);
	/* a month with an hour more than others */
	CHECK(span_month("2026-10", 0, &from, &to, &err) && from == 1790805600 && to - from == (31 * 24 + 1) * 3600);
	CHECK(span_month("2026-12", 0, &from, &to, &err) && to - from == 31 * 86400);
	CHECK(span_month("last", 1767225600 + 7 * 86400, &from, &to, &err) && from == 1764543600 && to == 1767222000);
	CHECK(span_month("this", 1793491200, &from, &to, &err) && from == 1793487600 && to == 1793491200);
	CHECK(span_month("2026-11", 1793491200, &from, &to, &err) && from == 1793487600 && to == 1793491200);
	CHECK(!span_month("2026-1x", 0, &from, &to, &err) && !span_month("2026-13", 0, &from, &to, &err));
}

static void put(struct usage *use, enum usage_by by, struct text name, struct text account, double cpu_hours)
{
	const struct usage_name whose = {.by = by, .name = name, .account = account};
	usage_add(use, &whose, USAGE_CPU_SECONDS, cpu_hours * 3600);
	usage_add(use, &whose, USAGE_STARTS, 2);
}

static void reports(void)
{
	struct usage use;
	struct buf out = BUF_INIT;
	unsigned column;
	setenv("TZ", "UTC", 1);
	tzset();
	usage_init(&use, "Prometheus", 0, 3600);
	put(&use, USAGE_BY_CLUSTER, TEXT(""), TEXT(""), 10);
	put(&use, USAGE_BY_USER, TEXT("a\"b,\n=1"), TEXT("x"), 3);
	put(&use, USAGE_BY_USER, TEXT("\xc3\xa9mile"), TEXT("x"), 1e15 / 3);
	CHECK(usage_gres_column(&use, TEXT("gpu"), TEXT("a100"), &column) && column == USAGE_AMOUNTS);
	usage_add(&use, &(struct usage_name){.by = USAGE_BY_CLUSTER}, column, 1800);
	usage_check_sums(&use);
	CHECK(use.note_count == 1 && !use.is_incomplete);
	report_print(&use, 1u << USAGE_BY_USER, REPORT_CSV, &out);
	CHECK_STRING(out.bytes,
		     "by,cluster,partition,account,user,qos,job_starts,job_ends,allocated_cpu_seconds,"
		     "allocated_memory_byte_seconds,allocated_billing_seconds,ended_job_allocated_cpu_seconds,"
		     "ended_job_used_cpu_seconds,ended_job_energy_joules,\"allocated_gres_seconds:gpu:a100\"\r\n"
		     "\"user\",\"\",\"\",\"x\",\"a\"\"b,\n=1\",\"\",2,,10800,,,,,,\r\n"
		     "\"user\",\"\",\"\",\"x\",\"\xc3\xa9mile\",\"\",2,,1.2e+18,,,,,,\r\n");
	buf_clear(&out);
	report_print(&use, 1u << USAGE_BY_USER, REPORT_TABLE, &out);
	CHECK_STRING(
		out.bytes,
		"Use from 1970-01-01 00:00:00 UTC to 1970-01-01 01:00:00 UTC, counted by Prometheus\n\n"
		"user     account  starts           CPU hours  gpu:a100 hours\n"
		"a\"b,?=1  x             2                3.00               -\n"
		"\xc3\xa9mile    x             2  333333333333333.31               -\n"
		"all                    2               10.00            0.50\n\n"
		"Note: rows by user add up to 1200000000000010752 of the cluster's 36000 CPU seconds: not all jobs have a row there\n");
	buf_done(&out);
	usage_done(&use);
}

/* All columns, of two clusters; of one of them hardly anything is known. */
static void full_reports(void)
{
	static const double amounts[] = {4, 3, 7200, 3 * 1073741824.0 * 3600, 5400, 2000, 500, 7200000};
	struct usage use;
	struct buf out = BUF_INIT;
	unsigned column;
	usage_init(&use, "slurmdbd", 3600, 7200);
	CHECK(usage_gres_column(&use, TEXT("shard"), TEXT(""), &column));
	for (int cluster = 0; cluster < 2; cluster++) {
		struct usage_name whose = {.cluster = cluster ? TEXT("beta") : TEXT("")};
		for (int by = 0; by < 2; by++) {
			whose.by = by ? USAGE_BY_USER : USAGE_BY_CLUSTER;
			whose.name = whose.account = by ? TEXT("\177a") : TEXT("");
			for (unsigned i = 0; i < USAGE_AMOUNTS && cluster; i++)
				usage_add(&use, &whose, i, amounts[i]);
			usage_add(&use, &whose, column, cluster ? 0.1 + 0.2 : 3600);
		}
	}
	for (int i = 0; i <= USAGE_NOTES_MAX; i++)
		usage_note(&use, i == USAGE_NOTES_MAX, "%d", i);
	CHECK(use.notes_left_out == 1);
	use.note_count = 1;
	report_print(&use, 1u << USAGE_BY_USER, REPORT_JSON, &out);
	CHECK_STRING(
		out.bytes,
		"{\"from\":3600,\"to\":7200,\"source\":\"slurmdbd\",\"complete\":false,\"notes\":[\"0\"],\"rows\":[{\"by\":\"user\",\"user\":\"\\u007fa\",\"account\":\"\\u007fa\",\"job_starts\":null,\"job_ends\":null,\"allocated_cpu_seconds\":null,\"allocated_memory_byte_seconds\":null,"
		"\"allocated_billing_seconds\":null,\"ended_job_allocated_cpu_seconds\":null,"
		"\"ended_job_used_cpu_seconds\":null,\"ended_job_energy_joules\":null,\"allocated_gres_seconds\":{\"shard\":3600}},"
		"{\"by\":\"user\",\"cluster\":\"beta\",\"user\":\"\\u007fa\",\"account\":\"\\u007fa\",\"job_starts\":4,\"job_ends\":3,\"allocated_cpu_seconds\":7200,\"allocated_memory_byte_seconds\":11596411699200,"
		"\"allocated_billing_seconds\":5400,\"ended_job_allocated_cpu_seconds\":2000,"
		"\"ended_job_used_cpu_seconds\":500,\"ended_job_energy_joules\":7200000,\"allocated_gres_seconds\":{\"shard\":0.3}}]}\n");
	use.is_incomplete = false;
	buf_clear(&out);
	report_print(&use, 1u << USAGE_BY_CLUSTER, REPORT_JSON, &out);
	CHECK_STRING(
		out.bytes,
		"{\"from\":3600,\"to\":7200,\"source\":\"slurmdbd\",\"complete\":true,\"notes\":[\"0\"],\"rows\":[{\"by\":\"cluster\",\"job_starts\":null,\"job_ends\":null,\"allocated_cpu_seconds\":null,\"allocated_memory_byte_seconds\":null,"
		"\"allocated_billing_seconds\":null,\"ended_job_allocated_cpu_seconds\":null,"
		"\"ended_job_used_cpu_seconds\":null,\"ended_job_energy_joules\":null,\"allocated_gres_seconds\":{\"shard\":3600}},"
		"{\"by\":\"cluster\",\"cluster\":\"beta\",\"job_starts\":4,\"job_ends\":3,\"allocated_cpu_seconds\":7200,\"allocated_memory_byte_seconds\":11596411699200,"
		"\"allocated_billing_seconds\":5400,\"ended_job_allocated_cpu_seconds\":2000,"
		"\"ended_job_used_cpu_seconds\":500,\"ended_job_energy_joules\":7200000,\"allocated_gres_seconds\":{\"shard\":0.3}}]}\n");
	buf_clear(&out);
	report_print(&use, 1u << USAGE_BY_CLUSTER, REPORT_CSV, &out);
	CHECK_STRING(
		out.bytes,
		"by,cluster,partition,account,user,qos,job_starts,job_ends,allocated_cpu_seconds,allocated_memory_byte_seconds,allocated_billing_seconds,ended_job_allocated_cpu_seconds,ended_job_used_cpu_seconds,ended_job_energy_joules,\"allocated_gres_seconds:shard\"\r\n"
		"\"cluster\",\"\",\"\",\"\",\"\",\"\",,,,,,,,,3600\r\n"
		"\"cluster\",\"beta\",\"\",\"\",\"\",\"\",4,3,7200,11596411699200,5400,2000,500,7200000,0.30000000000000004\r\n");
	usage_add(&use, &(struct usage_name){USAGE_BY_USER, TEXT("beta"), TEXT("idle"), TEXT("a")}, USAGE_CPU_SECONDS,
		  0);
	usage_add(&use, &(struct usage_name){USAGE_BY_USER, TEXT("beta"), TEXT("none"), TEXT("a")},
		  USAGE_USED_CPU_SECONDS, 1);
	buf_clear(&out);
	report_print(&use, 1u << USAGE_BY_USER | 1u << USAGE_BY_CLUSTER, REPORT_TABLE, &out);
	CHECK_STRING(
		out.bytes,
		"Use from 1970-01-01 01:00:00 UTC to 1970-01-01 02:00:00 UTC, counted by slurmdbd\n"
		"\n"
		"cluster       starts  ends  CPU hours  GiB hours  billing hours    kWh  shard hours  CPU used\n"
		"(none)   all       -     -          -          -              -      -         1.00         -\n"
		"beta     all       4     3       2.00       3.00           1.50  2.000         0.00    25.0 %\n"
		"\n"
		"cluster  user  account  starts  ends  CPU hours  GiB hours  billing hours    kWh  shard hours  CPU used\n"
		"(none)   ?a    ?a            -     -          -          -              -      -         1.00         -\n"
		"beta     none  a             -     -          -          -              -      -            -         -\n"
		"beta     ?a    ?a            4     3       2.00       3.00           1.50  2.000         0.00    25.0 %\n"
		"(none)   all                 -     -          -          -              -      -         1.00         -\n"
		"beta     all                 4     3       2.00       3.00           1.50  2.000         0.00    25.0 %\n"
		"\n"
		"Note: 0\n"
		"Note: 1 more notes are left out\n");
	buf_done(&out);
	usage_done(&use);
}

/* Each cluster has its own sum, from which rows may differ by what additions of doubles lose. */
static void sums(void)
{
	static const struct {
		double whole, alice, bob, more;
		unsigned notes;
	} rows[] = {
		{3600e6, 2600e6, 1000e6, 0, 0},
		{3600e6, 2600e6, 1000e6, 3, 0},
		{3600e6, 2600e6, 1000e6, -3, 0},
		{3600e6, 2600e6, 1000e6, 4, 1},
		{3600e6, 2600e6, 1000e6, -4, 1},
		{0, 0, 0, 0, 0},
		{0, 0, 0, 0.001, 1},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct usage use;
		size_t count;
		char name[24];
		snprintf(name, sizeof name, "sum %zu", i);
		check_row(name);
		usage_init(&use, "Prometheus", 0, 3600);
		for (int cluster = 0; cluster < 2; cluster++) {
			struct usage_name whose = {.cluster = cluster ? TEXT("b") : TEXT("a")};
			usage_add(&use, &whose, USAGE_CPU_SECONDS, rows[i].whole);
			whose.by = USAGE_BY_USER;
			whose.name = TEXT("bob");
			whose.account = TEXT("x");
			usage_add(&use, &whose, USAGE_CPU_SECONDS, rows[i].bob + cluster * rows[i].more);
			whose.name = TEXT("alice");
			whose.account = TEXT("y");
			usage_add(&use, &whose, USAGE_CPU_SECONDS, rows[i].alice / 2);
			whose.account = TEXT("x");
			usage_add(&use, &whose, USAGE_CPU_SECONDS, rows[i].alice / 2);
		}
		usage_check_sums(&use);
		CHECK_NUMBER(use.note_count, rows[i].notes);
		struct usage_row **sorted = usage_sorted(&use, USAGE_BY_USER, &count);
		CHECK_NUMBER(count, 6);
		for (size_t at = 0; at < count; at++) {
			CHECK(text_equal(sorted[at]->cluster, at < 3 ? TEXT("a") : TEXT("b")));
			CHECK(text_equal(sorted[at]->name, at % 3 < 2 ? TEXT("alice") : TEXT("bob")));
			CHECK(text_equal(sorted[at]->account, at % 3 == 1 ? TEXT("y") : TEXT("x")));
		}
		free(sorted);
		usage_done(&use);
	}
}

static void many_kinds_of_gres(void)
{
	struct usage use;
	unsigned column;
	usage_init(&use, "slurmdbd", 0, 1);
	for (int i = 0; i < TRES_GRES_MAX; i++) {
		char type[8];
		snprintf(type, sizeof type, "t%d", i);
		CHECK(usage_gres_column(&use, TEXT("gpu"), text_of(type), &column) &&
		      column == USAGE_AMOUNTS + (unsigned)i);
	}
	CHECK(usage_gres_column(&use, TEXT("gpu"), TEXT("t5"), &column) && column == USAGE_AMOUNTS + 5);
	for (int i = 0; i < 3; i++)
		CHECK(!usage_gres_column(&use, TEXT("gpu"), TEXT("more"), &column));
	CHECK(use.note_count == 1 && use.is_incomplete);
	for (int i = 0; i < 500; i++)
		usage_note(&use, false, "note %d", i);
	CHECK(use.note_count == USAGE_NOTES_MAX && use.notes_left_out == 401 && use.is_incomplete);
	usage_done(&use);
}

static bool take_all(void *context, const struct series *series, struct error *err)
{
	(void)err;
	buf_add_text(context, series->labels[SERIES_USER]);
	buf_add_text(context, series->labels[SERIES_ACCOUNT]);
	for (size_t i = 0; i < series->count; i++)
		buf_printf(context, " %g=%g", series->samples[i].time, series->samples[i].value);
	buf_add_char(context, ';');
	return true;
}

/* Each series has its own labels and samples alone. */
static void answers(void)
{
#define RESULT(series) "\"data\":{\"result\":[" series "]}}"
#define OK "{\"status\":\"success\","
#define VALUE(value) OK RESULT("{\"value\":[5,\"" value "\"]}")
#define DIGITS "00000000000000000000000000000000000000000000000000000000000000"
	static const struct {
		const char *answer, *want, *error, *warning; /* error NULL: it is read */
	} rows[] = {
		{OK RESULT("{\"metric\":{\"user\":\"a\"},\"values\":[[5,\"2\"],[6,\"3\"]]},"
			   "{\"metric\":{\"account\":\"b\"},\"values\":[[7,\"1.5\"]]},{\"metric\":{}}"),
		 "a 5=2 6=3;b 7=1.5;;", NULL, ""},
		{VALUE("NaN"), ";", NULL, ""},
		{VALUE("+Inf"), ";", NULL, ""},
		{VALUE("2x"), NULL, "a sample is no number: 2x", ""},
		{VALUE(""), NULL, "a sample is no number", ""},
		{VALUE("1" DIGITS), " 5=1e+62;", NULL, ""},
		{VALUE("10" DIGITS), NULL, "a sample is no number", ""},
		{OK "\"isPartial\":false," RESULT(""), NULL, NULL, ""},
		{OK "\"isPartial\":true," RESULT(""), NULL, NULL, "the answer is partial"},
		{OK "\"warnings\":[\"a store is away\"]," RESULT(""), NULL, NULL, "a store is away"},
		{"{\"status\":\"error\",\"error\":\"bad\"}", NULL, "bad", ""},
		{"{\"status\":\"error\"}", NULL, "it has no status", ""},
		{"{\"status\":true}", NULL, "it has no status", ""},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct buf got = BUF_INIT;
		struct error err = {""};
		bool is_refusal;
		check_row(rows[i].answer);
		struct vector_reader *reader = vector_reader_new(take_all, &got);
		vector_reader_feed(reader, rows[i].answer, strlen(rows[i].answer));
		CHECK(vector_reader_finish(reader, &is_refusal, &err) == !rows[i].error);
		CHECK(is_refusal == (rows[i].error && strcmp(rows[i].error, "bad") == 0));
		CHECK_STRING(got.bytes, rows[i].want);
		CHECK(!rows[i].error || strstr(err.text, rows[i].error));
		CHECK_STRING(vector_reader_warning(reader), rows[i].warning);
		vector_reader_free(reader);
		buf_done(&got);
	}
}

static bool take_user(void *context, const struct series *series, struct error *err)
{
	(void)err;
	text_to_string(series->labels[SERIES_USER], context, 32);
	return true;
}

/* Prometheus takes U+0000 in a label. Nothing that is printed may end there. */
static void names_without_nul(void)
{
	static const char answer[] = "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":["
				     "{\"metric\":{\"user\":\"a\\u0000b\"},\"value\":[5,\"2\"]}]}}";
	char user[32] = "";
	bool is_refusal;
	struct error err;
	struct vector_reader *reader = vector_reader_new(take_user, user);
	CHECK(vector_reader_feed(reader, answer, strlen(answer)));
	CHECK(vector_reader_finish(reader, &is_refusal, &err));
	CHECK_STRING(user, "a\xef\xbf\xbd"
			   "b");
	vector_reader_free(reader);
}

int main(void)
{
	grows();
	windows_do_not_matter();
	nothing_comes();
	timelines();
	spans();
	reports();
	full_reports();
	sums();
	many_kinds_of_gres();
	answers();
	names_without_nul();
	return check_done();
}
