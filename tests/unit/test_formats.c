/* What scrapers are given: the format they asked for, of one page and of several, and what it has beyond the text. */
#include "check.h"
#include "events/events_record.h"
#include "metrics/catalogue.h"
#include "page/board.h"
#include "page/edition.h"
#include "serve/negotiate.h"
#include "serve/routes.h"
#include "serve/tenant_scope.h"
#include "web/tenants.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define PROTOBUF "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited"
#define PROTOBUF_TYPE "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited"
#define OPENMETRICS_TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"
#define TEXT_TYPE "text/plain; version=0.0.4; charset=utf-8"
#define NEWER_TEXT_TYPE "text/plain; version=1.0.0; charset=utf-8"
#define UTF8 "; escaping=allow-utf-8"

static void test_negotiation(void)
{
	static const struct {
		const char *accept, *type;
	} rows[] = {
		{NULL, TEXT_TYPE},
		{"", TEXT_TYPE},
		/* Prometheus 2.42, 3.5, 3.5 with native histograms, vmagent, curl, a browser */
		{"application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
		 "text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
		 OPENMETRICS_TYPE},
		{"application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
		 "application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;"
		 "escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
		 OPENMETRICS_TYPE UTF8},
		{PROTOBUF ";q=0.6,application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,"
			  "application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;"
			  "escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1",
		 PROTOBUF_TYPE},
		{"text/plain;version=0.0.4;q=1,*/*;q=0.1", TEXT_TYPE},
		{"*/*", TEXT_TYPE},
		{"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", TEXT_TYPE},
		/* weights */
		{"application/openmetrics-text;version=1.0.0;q=0,text/plain;q=0.1", TEXT_TYPE},
		{"application/openmetrics-text;version=1.0.0;q=0.000", TEXT_TYPE},
		{"text/plain;q=0.5,application/openmetrics-text;q=0.501", OPENMETRICS_TYPE},
		{"*/*,application/openmetrics-text", OPENMETRICS_TYPE},
		{"text/plain , application/openmetrics-text", TEXT_TYPE},
		{" application/openmetrics-text ; version = \"1.0.0\" ; q = 1.000 ", OPENMETRICS_TYPE},
		{"APPLICATION/OPENMETRICS-TEXT;VERSION=1.0.0", OPENMETRICS_TYPE},
		/* versions and escapings */
		{"application/openmetrics-text;version=0.0.1", TEXT_TYPE},
		{"application/openmetrics-text;version=2.0.0,text/plain;q=0.1", TEXT_TYPE},
		{"text/plain;version=1.0.0;escaping=underscores", NEWER_TEXT_TYPE "; escaping=underscores"},
		{"text/plain;escaping=dots", TEXT_TYPE "; escaping=dots"},
		{"text/plain;version=0.0.5,application/openmetrics-text;q=0.1", OPENMETRICS_TYPE},
		{"application/openmetrics-text;escaping=values", OPENMETRICS_TYPE "; escaping=values"},
		{"application/openmetrics-text;escaping=\r\nx", OPENMETRICS_TYPE},
		{PROTOBUF ";escaping=allow-utf-8", PROTOBUF_TYPE UTF8},
		{"application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=text", TEXT_TYPE},
		{"application/vnd.google.protobuf", TEXT_TYPE},
		/* what is no weight, and what is nothing at all */
		{"application/openmetrics-text;q=2,text/plain;q=0.1", TEXT_TYPE},
		{"application/openmetrics-text;q=-1,text/plain;q=0.1", TEXT_TYPE},
		{"application/openmetrics-text;q=0.1234,text/plain;q=0.1", TEXT_TYPE},
		{"application/openmetrics-text;q=1.001,text/plain;q=0.1", TEXT_TYPE},
		{"application/openmetrics-text;q=high", TEXT_TYPE},
		{"application/json", TEXT_TYPE},
		{",;,=;=,/;q;", TEXT_TYPE},
		{";q=", TEXT_TYPE},
		{"\"", TEXT_TYPE},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		check_row(rows[i].accept ? rows[i].accept : "no Accept");
		CHECK_STRING(negotiate(rows[i].accept).type, rows[i].type);
	}
}

/* Headers of pieces that mean something, and of any bytes: the answer is always one of those that there are, with an
 * escaping or none. */
static void test_any_header(void)
{
	static const char *const pieces[] = {"application/openmetrics-text",
					     "text/plain",
					     "*/*",
					     "text/*",
					     PROTOBUF,
					     "version=1.0.0",
					     "version=0.0.4",
					     "q=0.5",
					     "q=0",
					     "q=",
					     "q=1.0000",
					     "escaping=dots",
					     "escaping=",
					     "=",
					     ";",
					     ";",
					     ";",
					     ",",
					     ",",
					     " ",
					     "\"",
					     "\t"};
	static const char *const types[] = {TEXT_TYPE, NEWER_TEXT_TYPE, OPENMETRICS_TYPE, PROTOBUF_TYPE};
	uint64_t state = 1, seen = 0;
	check_row("any header");
	for (int turn = 0; turn < 200000; turn++) {
		char header[400] = "";
		size_t len = 0;
		for (int i = 0; i < 12 && len < 250; i++) {
			state = state * 6364136223846793005u + 1442695040888963407u;
			if (state >> 33 & 1)
				len += (size_t)sprintf(header + len, "%s", pieces[(state >> 34) % 22]);
			else
				header[len++] = (char)(1 + (state >> 34) % 255);
			header[len] = '\0';
		}
		const char *type = negotiate(header).type;
		unsigned which = 0;
		while (which < 4 && strncmp(type, types[which], strlen(types[which])) != 0)
			which++;
		const char *rest = which < 4 ? type + strlen(types[which]) : "?";
		if (*rest && strncmp(rest, "; escaping=", 11) != 0)
			CHECK_STRING(header, "a type that there is");
		seen |= UINT64_C(1) << which;
		negotiate_gzip(header);
	}
	CHECK_NUMBER(seen, 1 << 0 | 1 << 1 | 1 << 2 | 1 << 3);
}

static void test_gzip_negotiation(void)
{
	static const struct {
		const char *accept;
		bool want;
	} rows[] = {
		{NULL, false},	     {"", false},
		{"gzip", true},	     {"x-gzip", true},
		{"GZIP", true},	     {"*", true},
		{"gzip;q=0", false}, {"gzip;q=0,*", false},
		{"*;q=0", false},    {"deflate, gzip;q=0.5", true},
		{"zstd,br", false},  {"identity", false},
		{"gzip;q=x", false}, {"gzipped", false},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		check_row(rows[i].accept ? rows[i].accept : "no Accept-Encoding");
		CHECK_NUMBER(negotiate_gzip(rows[i].accept), rows[i].want);
	}
}

/* A page of all kinds of families, as renderers write it. */
static struct samples page_of(const char *cluster, double value)
{
	static const double bounds[] = {1e-5, 0.5, 1, 3600, 1e6, 2592000};
	struct samples page = {.text = BUF_INIT};
	struct exposition out = {.to = &page, .constant = text_of(cluster)};
	const struct exemplar job = {.job = 7, .value = 0.75, .time = 1800000000.5};
	const struct exemplar last[7] = {[2] = job};
	const struct native_bucket natives[] = {{NATIVE_ZERO, 1}, {-1, 1}, {0, 2}, {5, 3}};
	struct histogram histogram = {.bounds = bounds, .bound_count = 6, .buckets = {0, 2, 2, 3}, .sum = 9};
	const char *const names[] = {"a_bytes", "b_info", "c_total", "d_byte_seconds_total", "e_seconds"};
	const enum family_type types[] = {GAUGE, GAUGE, COUNTER, COUNTER, HISTOGRAM};
	for (uint32_t i = 0; i < 5; i++) {
		exposition_family(&out, names[i], types[i], "A \"quoted\" \\ text.");
		out.family.order = i;
		out.family.group = (uint8_t)i;
		exposition_created(&out, 1700000000.25);
		exposition_base(&out);
		exposition_label(&out, "x", TEXT("a\"b\\c\nd} 1,le=\"2\" "));
		if (types[i] == HISTOGRAM) {
			exposition_histogram(&out, &histogram, last);
			exposition_native(&out, natives, 4);
		} else if (i == 3) {
			exposition_number(&out, value);
			exposition_label(&out, "role", TEXT("2"));
			exposition_number(&out, 1);
			exposition_exemplar(&out, &job);
		} else {
			exposition_number(&out, value);
		}
	}
	exposition_done(&out);
	return page;
}

#define HELP(name) "# HELP " name " A \\\"quoted\\\" \\\\ text.\n"
#define X "x=\"a\\\"b\\\\c\\nd} 1,le=\\\"2\\\" \""

static void test_openmetrics(void)
{
	check_row("OpenMetrics");
	struct samples page = page_of("", 2.5);
	const struct samples *pages[] = {&page};
	const struct format_options options = {.format = FORMAT_OPENMETRICS, .has_created = true};
	struct buf got = BUF_INIT;
	format_write(&options, pages, 1, &got, NULL);
	CHECK_STRING(
		got.bytes,
		"# TYPE a_bytes gauge\n# UNIT a_bytes bytes\n" HELP(
			"a_bytes") "a_bytes{" X "} 2.5\n"
				   "# TYPE b info\n" HELP(
					   "b") "b_info{" X "} 2.5\n"
						"# TYPE c counter\n" HELP(
							"c") "c_total{" X "} 2.5\nc_created{" X "} 1700000000.25\n"
							     "# TYPE d_byte_seconds counter\n# UNIT d_byte_seconds byte_seconds\n" HELP(
								     "d_byte_seconds") "d_byte_seconds_total{" X
										       "} 2.5\nd_byte_seconds_created{" X
										       "} 1700000000.25\n"
										       "d_byte_seconds_total{role=\"2\"} 1 # {jobid=\"7\"} 0.75 1800000000.5\n"
										       "d_byte_seconds_created{role=\"2\"} 1700000000.25\n"
										       "# TYPE e_seconds histogram\n# UNIT e_seconds seconds\n" HELP(
											       "e_seconds") "e_seconds_bucket{" X
													    ",le=\"1e-05\"} 0\n"
													    "e_seconds_bucket{" X
													    ",le=\"0.5\"} 2\n"
													    "e_seconds_bucket{" X
													    ",le=\"1.0\"} 4 # {jobid=\"7\"} 0.75 1800000000.5\n"
													    "e_seconds_bucket{" X
													    ",le=\"3600.0\"} 7\n"
													    "e_seconds_bucket{" X
													    ",le=\"1e+06\"} 7\n"
													    "e_seconds_bucket{" X
													    ",le=\"2.592e+06\"} 7\n"
													    "e_seconds_bucket{" X
													    ",le=\"+Inf\"} 7\n"
													    "e_seconds_sum{" X
													    "} 9\ne_seconds_count{" X
													    "} 7\ne_seconds_created{" X
													    "} 1700000000.25\n"
													    "# EOF\n");
	buf_done(&got);
	samples_done(&page);
}

static uint64_t take_varint(struct text *rest)
{
	uint64_t number = 0;
	for (int shift = 0; rest->len; shift += 7) {
		unsigned char byte = (unsigned char)*rest->bytes++;
		rest->len--;
		number |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return number;
	}
	CHECK(!"a number that does not end");
	return 0;
}

static struct text take_bytes(struct text *rest, uint64_t len)
{
	CHECK(len <= rest->len);
	struct text bytes = {rest->bytes, len <= rest->len ? len : rest->len};
	*rest = (struct text){rest->bytes + bytes.len, rest->len - bytes.len};
	return bytes;
}

/* What a member with a length is, by the numbers on the way to it. */
static bool is_one_of(const char *const *paths, const char *path)
{
	while (*paths && strcmp(*paths, path) != 0)
		paths++;
	return *paths;
}

/* As "1:7 2=0.5 3\"text\" 4{...} 13[1 -1]": numbers, doubles, texts, messages, packed differences. */
static void show_message(struct buf *to, const char *path, struct text rest)
{
	static const char *const messages[] = {".4",	     ".4.1",	".4.2",	   ".4.3",   ".4.3.2",	 ".4.3.2.1",
					       ".4.3.2.3",   ".4.3.3",	".4.7",	   ".4.7.3", ".4.7.3.3", ".4.7.3.3.1",
					       ".4.7.3.3.3", ".4.7.12", ".4.7.15", NULL};
	static const char *const packed[] = {".4.7.13", NULL};
	while (rest.len) {
		uint64_t key = take_varint(&rest);
		char own[64];
		snprintf(own, sizeof own, "%s.%u", path, (unsigned)(key >> 3));
		buf_printf(to, "%s%u", to->len && to->bytes[to->len - 1] != '{' ? " " : "", (unsigned)(key >> 3));
		if ((key & 7) == 0) {
			buf_printf(to, ":%" PRIu64, take_varint(&rest));
		} else if ((key & 7) == 1) {
			double number = 0;
			memcpy(&number, take_bytes(&rest, sizeof number).bytes, sizeof number);
			buf_printf(to, "=%.15g", number);
		} else {
			struct text bytes = take_bytes(&rest, take_varint(&rest));
			bool is_packed = is_one_of(packed, own), is_message = is_one_of(messages, own);
			buf_add_string(to, is_packed ? "[" : is_message ? "{" : "\"");
			while (is_packed && bytes.len) {
				uint64_t zigzag = take_varint(&bytes);
				buf_printf(to, "%s%" PRId64, to->bytes[to->len - 1] == '[' ? "" : " ",
					   (int64_t)(zigzag >> 1) ^ -(int64_t)(zigzag & 1));
			}
			if (is_message)
				show_message(to, own, bytes);
			else
				buf_add_text(to, bytes);
			buf_add_string(to, is_packed ? "]" : is_message ? "}" : "\"");
		}
	}
}

/* All families of the page, one a line. */
static void show_protobuf(struct buf *to, const struct samples *page)
{
	const struct samples *pages[] = {page};
	const struct format_options options = {.format = FORMAT_PROTOBUF};
	struct buf got = BUF_INIT, one = BUF_INIT;
	format_write(&options, pages, 1, &got, NULL);
	for (struct text rest = buf_text(&got); rest.len;) {
		buf_clear(&one);
		show_message(&one, "", take_bytes(&rest, take_varint(&rest)));
		buf_add_text(to, buf_text(&one));
		buf_add_char(to, '\n');
	}
	buf_done(&got);
	buf_done(&one);
}

#define PLAIN_HELP "A \"quoted\" \\\\ text."
#define PLAIN_X "1{1\"x\" 2\"a\"b\\c\nd} 1,le=\"2\" \"}"
#define CREATED "{1:1700000000 2:250000000}"
#define JOB "{1{1\"jobid\" 2\"7\"} 2=0.75 3{1:1800000000 2:500000000}}"

static void test_protobuf(void)
{
	struct samples page = page_of("", 2.5);
	struct buf got = BUF_INIT;
	check_row("protobuf");
	show_protobuf(&got, &page);
	CHECK_STRING(got.bytes,
		     "1\"a_bytes\" 2\"" PLAIN_HELP "\" 3:1 5\"bytes\" 4{" PLAIN_X " 2{1=2.5}}\n"
		     "1\"b_info\" 2\"" PLAIN_HELP "\" 3:1 4{" PLAIN_X " 2{1=2.5}}\n"
		     "1\"c_total\" 2\"" PLAIN_HELP "\" 3:0 4{" PLAIN_X " 3{1=2.5 3" CREATED "}}\n"
		     "1\"d_byte_seconds_total\" 2\"" PLAIN_HELP "\" 3:0 5\"byte_seconds\" 4{" PLAIN_X
		     " 3{1=2.5 3" CREATED "}} 4{1{1\"role\" 2\"2\"} 3{1=1 2" JOB " 3" CREATED "}}\n"
		     "1\"e_seconds\" 2\"" PLAIN_HELP "\" 3:4 5\"seconds\" 4{" PLAIN_X
		     " 7{3{1:0 2=1e-05} 3{1:2 2=0.5} 3{1:4 2=1 3" JOB
		     "} 3{1:7 2=3600} 3{1:7 2=1000000} 3{1:7 2=2592000}"
		     " 3{1:7 2=inf} 2=9 1:7 5:4 6=2.93873587705572e-39 7:1 12{1:1 2:2} 12{1:8 2:1} 13[1 1 1] 15" CREATED
		     "}}\n");
	samples_done(&page);
	buf_clear(&got);
	check_row("lengths on both sides of a byte more");
	for (size_t len = 126; len <= 129; len++) {
		char value[130] = "", want[300];
		struct exposition out = {.to = &page};
		page = (struct samples){.text = BUF_INIT};
		memset(value, 'v', len);
		exposition_family(&out, "a", GAUGE, "Help.");
		exposition_label(&out, "x", text_of(value));
		exposition_number(&out, 1);
		exposition_done(&out);
		buf_clear(&got);
		show_protobuf(&got, &page);
		snprintf(want, sizeof want, "1\"a\" 2\"Help.\" 3:1 4{1{1\"x\" 2\"%s\"} 2{1=1}}\n", value);
		CHECK_STRING(got.bytes, want);
		samples_done(&page);
	}
	buf_done(&got);
}

static void test_merging(void)
{
	check_row("several pages");
	struct samples one = page_of("cluster=\"one\"", 1), two = page_of("cluster=\"two\"", 2),
		       none = {.text = BUF_INIT};
	const struct samples *pages[] = {&one, &none, &two};
	struct format_options options = {.format = FORMAT_TEXT, .collect = 1u << 0 | 1u << 2};
	struct buf got = BUF_INIT;
	format_write(&options, pages, 3, &got, NULL);
	CHECK_STRING(got.bytes, "# HELP a_bytes A \"quoted\" \\\\ text.\n# TYPE a_bytes gauge\n"
				"a_bytes{cluster=\"one\"," X "} 1\na_bytes{cluster=\"two\"," X "} 2\n"
				"# HELP c_total A \"quoted\" \\\\ text.\n# TYPE c_total counter\n"
				"c_total{cluster=\"one\"," X "} 1\nc_total{cluster=\"two\"," X "} 2\n");
	buf_clear(&got);
	options.collect = 0;
	format_write(&options, pages, 1, &got, NULL);
	CHECK_NUMBER(got.len, one.text.len); /* of one page it is the text itself */
	CHECK(memcmp(got.bytes, one.text.bytes, got.len) == 0);
	buf_clear(&got);
	format_write(&options, pages, 0, &got, NULL);
	CHECK_NUMBER(got.len, 0);
	options.format = FORMAT_OPENMETRICS;
	format_write(&options, pages, 0, &got, NULL);
	CHECK_STRING(got.bytes, "# EOF\n");
	buf_done(&got);
	samples_done(&one);
	samples_done(&two);
}

static void publish(struct page_slot *slot, const char *cluster, double value)
{
	struct samples samples = page_of(cluster, value);
	page_slot_publish(slot, page_new(&samples, status_new(1)));
}

static void test_editions(void)
{
	check_row("editions");
	struct page_board board;
	struct page_slot slots[2];
	struct error err;
	const struct rendition_options text = {0}, gzip = {.is_gzip = true};
	page_board_init(&board);
	page_slot_init(&slots[0], &board, "one");
	page_slot_init(&slots[1], &board, "two");
	CHECK(page_board_borrow_edition(&board) == NULL);
	publish(&slots[0], "cluster=\"one\"", 1);
	struct edition *first = page_board_borrow_edition(&board);
	CHECK(edition_page(first, TEXT("one")) && !edition_page(first, TEXT("two")));
	struct rendition *a = edition_render(first, &text, UINT64_MAX, &err);
	struct rendition *b = edition_render(first, &text, UINT64_MAX, &err);
	struct rendition *c = edition_render(first, &gzip, UINT64_MAX, &err);
	CHECK(a == b && a != c); /* made once, and shared */
	CHECK(strstr(a->bytes.bytes, "c_total{cluster=\"one\"") && !strstr(a->bytes.bytes, "cluster=\"two\""));
	CHECK(strstr(a->bytes.bytes, "\nprocess_start_time_seconds "));
	CHECK(c->bytes.len > 18 && c->bytes.len < a->bytes.len / 2);
	publish(&slots[1], "cluster=\"two\"", 2);
	struct edition *second = page_board_borrow_edition(&board);
	CHECK(second != first);
	struct rendition_options only = {.page = edition_page(second, TEXT("two"))};
	struct rendition *d = edition_render(second, &text, UINT64_MAX, &err);
	struct rendition *e = edition_render(second, &only, UINT64_MAX, &err);
	CHECK(strstr(d->bytes.bytes, "c_total{cluster=\"one\"") && strstr(d->bytes.bytes, "c_total{cluster=\"two\""));
	CHECK(!strstr(e->bytes.bytes, "cluster=\"one\"") && !strstr(e->bytes.bytes, "process_"));
	for (uint32_t part = 1; part < 32; part++) {
		const struct rendition_options parts = {.format.collect = part};
		struct rendition *one = edition_render(second, &parts, UINT64_MAX, &err);
		CHECK((strstr(one->bytes.bytes ? one->bytes.bytes : "", "a_bytes{") != NULL) == (part & 1));
		rendition_release(one);
	}
	edition_release(first);
	edition_release(second);
	rendition_release(a);
	page_slot_done(&slots[0]); /* a cluster goes, what was made of its page stays for who reads it */
	CHECK(strstr(b->bytes.bytes, "c_total{cluster=\"one\""));
	rendition_release(b);
	rendition_release(c);
	rendition_release(d);
	rendition_release(e);
	struct edition *third = page_board_borrow_edition(&board);
	CHECK(!edition_page(third, TEXT("one")) && edition_page(third, TEXT("two")));
	edition_release(third);
	page_slot_done(&slots[1]);
	page_board_done(&board);
}

static struct rendition *read_page(struct page_board *board, const struct rendition_options *options, struct error *err)
{
	struct edition *edition = page_board_borrow_edition(board);
	struct rendition *rendition = edition_render(edition, options, UINT64_MAX, err);
	edition_release(edition);
	return rendition;
}

enum { READERS = 61 };

/* Clients that never come to the end of a page hold little more than RENDITION_BYTES_MAX of older pages. The others get
 * the page that is there. */
static void test_unread_pages(struct page_board *board, struct page_slot *slot, const char *cluster)
{
	check_row("pages that nobody reads");
	const struct rendition_options text = {0};
	struct rendition *held[READERS];
	struct error err;
	size_t sum = 0;
	for (int i = 0; i < READERS; i++) {
		publish(slot, cluster, i);
		held[i] = read_page(board, &text, &err);
		sum += i && held[i] == held[i - 1] ? 0 : held[i]->bytes.len;
	}
	size_t size = held[0]->bytes.len;
	CHECK(READERS * size > 2 * RENDITION_BYTES_MAX);
	CHECK(sum > RENDITION_BYTES_MAX && sum < RENDITION_BYTES_MAX + 3 * size);
	for (int i = 0; i < READERS; i++)
		rendition_release(held[i]);
	struct rendition *newest = read_page(board, &text, &err);
	CHECK(strstr(newest->bytes.bytes, "} 60\n"));
	rendition_release(newest);
	CHECK(atomic_load(&board->rendition_bytes) < 2 * size);
}

/* There are more parts than could be kept: some are refused, and the whole page is not. */
static void test_unread_parts(struct page_board *board)
{
	check_row("parts that nobody reads");
	struct rendition *held[2 * 31], *other;
	struct error err = {""};
	size_t count = 0, sum = 0;
	for (uint32_t i = 0; i < 2 * 31; i++) {
		const struct rendition_options part = {
			.format = {.format = (enum format)(i % 2), .collect = 1 + i / 2}};
		if (!(held[count] = read_page(board, &part, &err)))
			break;
		CHECK((other = read_page(board, &part, &err)) == held[count]); /* made once, and shared */
		rendition_release(other);
		sum += held[count++]->bytes.len;
	}
	CHECK(count < 2 * 31);
	CHECK_STRING(err.text, "clients read too many parts of the page: try again later");
	CHECK(sum > RENDITION_BYTES_MAX - sizeof *other * count && sum < 3 * (RENDITION_BYTES_MAX / 2));
	const struct rendition_options part = {.format.collect = 31}, whole = {.is_gzip = true};
	CHECK(!read_page(board, &part, &err));
	CHECK((other = read_page(board, &whole, &err)) != NULL);
	rendition_release(other);
	while (count)
		rendition_release(held[--count]);
	CHECK((other = read_page(board, &part, &err)) != NULL); /* those that nobody reads any more make room */
	CHECK(atomic_load(&board->rendition_bytes) < RENDITION_BYTES_MAX / 2);
	rendition_release(other);
}

/* A client that reads part after part gets so much work done for one edition, compressed or not. The next edition
 * begins with nothing done. What is made already can still be had. */
static void test_many_parts(struct page_board *board, struct page_slot *slot, const char *cluster, bool is_gzip)
{
	check_row(is_gzip ? "one part after the other, compressed" : "one part after the other");
	const struct rendition_options whole = {0};
	struct rendition *rendition, *first = NULL;
	struct error err = {""};
	publish(slot, cluster, 0);
	rendition = read_page(board, &whole, &err);
	size_t size = rendition->bytes.len, made = 0, tries = 0;
	rendition_release(rendition);
	for (;; tries++) {
		const struct rendition_options part = {.is_gzip = is_gzip,
						       .format = {.collect = 1 + tries % 31,
								  .format = (enum format)(tries / 31 % 2),
								  .has_created = tries / 62 % 2}};
		rendition = read_page(board, &part, &err);
		if (!rendition || tries > 31 * READERS)
			break;
		made += is_gzip || (first && tries % 124 == 0) ? 0 : rendition->bytes.len;
		if (first)
			rendition_release(rendition);
		else
			first = rendition;
	}
	CHECK(!rendition);
	CHECK_STRING(err.text, "clients ask for too many different parts of the page: try again in a few seconds");
	CHECK(is_gzip || (made >= RENDITION_BYTES_MAX && made < RENDITION_BYTES_MAX + (EDITION_TIMES + 2) * size));
	const struct rendition_options held = {.is_gzip = is_gzip, .format.collect = 1}, other = {.format.collect = 30};
	CHECK((rendition = read_page(board, &held, &err)) == first);
	rendition_release(rendition);
	rendition_release(first);
	CHECK((rendition = read_page(board, &whole, &err)) != NULL);
	rendition_release(rendition);
	publish(slot, cluster, 1);
	CHECK((rendition = read_page(board, &other, &err)) != NULL);
	rendition_release(rendition);
}

static void test_unread(void)
{
	struct page_board board;
	struct page_slot slot;
	char *cluster = malloc(256 * 1024 + 12); /* some MB a page */
	sprintf(cluster, "cluster=\"%0*d\"", 256 * 1024, 0);
	page_board_init(&board);
	page_slot_init(&slot, &board, NULL);
	test_unread_pages(&board, &slot, cluster);
	test_unread_parts(&board);
	test_many_parts(&board, &slot, cluster, false);
	test_many_parts(&board, &slot, cluster, true);
	page_slot_done(&slot);
	page_board_done(&board);
	CHECK_NUMBER(atomic_load(&board.rendition_bytes), 0);
	free(cluster);
}

/* A scraper's requests have one header at most, the clock stands, and another thread may have the edition: the functions that
 * tell are replaced (CMakeLists.txt). */
static const char *timeout_header;
static const char *asked_name, *asked_cluster; /* the only parameter of the request, and its value */
static const uint64_t now_ns = UINT64_C(5000000000000);
static bool is_busy;
static uint64_t waited_until_ns;

uint64_t __wrap_clock_monotonic_ns(void);
const char *__wrap_web_request_header(const struct web_request *request, const char *name);
const char *__wrap_web_request_query(const struct web_request *request, const char *name, unsigned nth);
int __real_pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *deadline);
int __wrap_pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *deadline);

const char *__wrap_web_request_header(const struct web_request *request, const char *name)
{
	(void)request;
	return strcmp(name, "X-Prometheus-Scrape-Timeout-Seconds") == 0 ? timeout_header : NULL;
}

const char *__wrap_web_request_query(const struct web_request *request, const char *name, unsigned nth)
{
	(void)request;
	return asked_name && strcmp(name, asked_name) == 0 && !nth ? asked_cluster : NULL;
}

uint64_t __wrap_clock_monotonic_ns(void)
{
	return now_ns;
}

int __wrap_pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *deadline)
{
	waited_until_ns = (uint64_t)deadline->tv_sec * 1000000000 + (uint64_t)deadline->tv_nsec;
	CHECK_NUMBER(clock, CLOCK_MONOTONIC);
	return is_busy ? ETIMEDOUT : __real_pthread_mutex_clocklock(mutex, clock, deadline);
}

static void test_named_clusters(void)
{
	struct page_board board;
	struct page_slot slot;
	page_board_init(&board);
	page_slot_init(&slot, &board, "one");
	publish(&slot, "cluster=\"one\"", 1);
	const struct scrape_options options = {.board = &board};
	const struct web_request request = {
		.sees_everything = true, .method = "GET", .path = "/metrics", .arrived_ns = now_ns};
	static const struct {
		const char *name, *cluster;
		unsigned want;
	} clusters[] = {{"cluster", "one", 200},
			{"target", "one", 200},
			{"cluster", "two", 400},
			{"target", "two", 400},
			{"other", "two", 200}};
	for (size_t i = 0; i < sizeof clusters / sizeof *clusters; i++) {
		struct web_reply reply = {.status = 200};
		check_row(clusters[i].name);
		asked_name = clusters[i].name;
		asked_cluster = clusters[i].cluster;
		scrape_respond(&options, &request, TEXT(""), &reply);
		CHECK_NUMBER(reply.status, clusters[i].want);
		reply.release(reply.owner);
	}
	asked_name = NULL;
	page_slot_done(&slot);
	page_board_done(&board);
	check_row(NULL);
}

/* A reply that comes when the scraper has given up is of no use: who cannot be served learns it before. */
static void test_deadlines(void)
{
	static const struct {
		const char *header;
		double want_s;
	} rows[] = {
		{"10", 9},   {"0.5", 0.45}, {"60.000", 54}, {"3599", 3239.1}, {NULL, 9},  {"", 9},
		{"soon", 9}, {"0", 9},	    {"-3", 9},	    {"3600", 9},      {"nan", 9}, {"inf", 9},
	};
	struct page_board board;
	struct page_slot slot;
	page_board_init(&board);
	page_slot_init(&slot, &board, NULL);
	const struct scrape_options options = {.board = &board};
	const struct web_request request = {
		.sees_everything = true, .method = "GET", .path = "/metrics", .arrived_ns = now_ns};
	struct web_reply none = {.status = 200};
	check_row("no page yet");
	scrape_respond(&options, &request, TEXT(""), &none);
	CHECK_NUMBER(none.status, 503);
	publish(&slot, "cluster=\"one\"", 1);
	is_busy = true;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct web_reply reply = {.status = 200};
		check_row(rows[i].header ? rows[i].header : "no header");
		timeout_header = rows[i].header;
		scrape_respond(&options, &request, TEXT(""), &reply);
		CHECK(fabs((double)(waited_until_ns - now_ns) / 1e9 - rows[i].want_s) < 1e-6);
		CHECK_NUMBER(reply.status, 503);
		CHECK_STRING(reply.bytes, "the server is busy with other scrapes: try again later\n");
		reply.release(reply.owner);
	}
	CHECK_NUMBER(atomic_load(&board.scrapes[FORMAT_TEXT][SCRAPE_NOT_READY]), 1 + sizeof rows / sizeof *rows);
	is_busy = false;
	timeout_header = NULL;
	static const struct {
		const char *what;
		uint64_t ago_s;
		unsigned want;
	} arrivals[] = {
		{"it waited for longer than the scraper does: nothing is made for it", 10, 503},
		{"in time", 8, 200},
		{"too late, but there it is", 10, 200},
	};
	for (size_t i = 0; i < sizeof arrivals / sizeof *arrivals; i++) {
		struct web_reply reply = {.status = 200};
		const struct web_request late = {.sees_everything = true,
						 .arrived_ns = now_ns - arrivals[i].ago_s * 1000000000};
		check_row(arrivals[i].what);
		scrape_respond(&options, &late, TEXT(""), &reply);
		CHECK_NUMBER(reply.status, arrivals[i].want);
		reply.release(reply.owner);
	}
	check_row("of a tenant, and of a part that there is not");
	struct web_tenant tenant = {.name = "nobody"};
	const struct web_request scoped = {.tenant = &tenant, .arrived_ns = now_ns};
	for (int is_part = 0; is_part < 2; is_part++) {
		struct web_reply reply = {.status = 200};
		scrape_respond(&options, &scoped, is_part ? TEXT("no-part") : TEXT(""), &reply);
		CHECK_NUMBER(reply.status, is_part ? 400 : 200);
		reply.release(reply.owner);
	}
	check_row("each is counted, and nothing is kept of it");
	CHECK_NUMBER(board.scrapes[FORMAT_TEXT][SCRAPE_OK], 3);
	CHECK_NUMBER(board.scrapes[FORMAT_TEXT][SCRAPE_BAD_REQUEST], 1);
	CHECK_NUMBER(board.scrapes[FORMAT_TEXT][SCRAPE_NOT_READY], 1 + sizeof rows / sizeof *rows + 1);
	page_slot_done(&slot);
	CHECK_NUMBER(board.rendition_bytes, 0);
	CHECK_NUMBER(board.scoped_bytes, 0);
	page_board_done(&board);
	check_row(NULL);
}

/* Pages for people: each is made for one client, and there are 16 MiB of them at most until they are read. */
static void test_pages_for_people(void)
{
	enum { MIB = 1 << 20, PAGES = 16 };
	struct page_board board;
	struct page_slot slot;
	const struct sandbox sandbox = {.landlock_abi = 0};
	struct samples samples = {.text = BUF_INIT};
	struct routes routes = {.scrape = {.board = &board}, .telemetry_path = "/metrics", .sandbox = &sandbox};
	const struct web_request request = {.sees_everything = true, .method = "GET", .path = "/plan"};
	struct buf large = BUF_INIT;
	memset(buf_reserve(&large, MIB), 'x', MIB);
	large.len = MIB;
	struct status *status = status_new(1);
	status->budgets_text = status_copy(status, buf_text(&large));
	status->jobs_text = status_copy(status, TEXT(""));
	page_board_init(&board);
	page_slot_init(&slot, &board, NULL);
	page_slot_publish(&slot, page_new(&samples, status));
	routes_init(&routes);
	for (int again = 0; again < 2; again++) {
		struct web_reply replies[PAGES + 1] = {{.status = 200}};
		check_row(again ? "they are read, and there is room again" : "nobody reads them");
		for (int i = 0; i <= PAGES; i++) {
			replies[i].status = 200;
			routes_respond(&routes, &request, &replies[i]);
			CHECK_NUMBER(replies[i].status, i < PAGES ? 200 : 503);
		}
		CHECK(routes.made_bytes > PAGES * MIB);
		for (int i = 0; i < PAGES; i++)
			if (replies[i].release)
				replies[i].release(replies[i].owner);
		CHECK_NUMBER(routes.made_bytes, 0);
	}
	buf_done(&large);
	page_slot_done(&slot);
	page_board_done(&board);
	check_row(NULL);
}

/* A page for people of a cluster in which an account's user has a job. */
static struct status *status_with_job(const char *cluster, const char *user)
{
	struct status *status = status_new(1);
	struct status_job_rows *jobs = &status->job_rows;
	struct buf texts = BUF_INIT;
	buf_add_char(&texts, '\0');
	buf_printf(&texts, "bio%c%s%crunning", 0, user, 0);
	status->name = status_copy(status, text_of(cluster));
	status->budgets_text = status->jobs_text = status_copy(status, TEXT(""));
	status->jobs.is_known = status->jobs.has_details = true;
	jobs->texts_len = texts.len + 1;
	jobs->texts = arena_new(&status->arena, jobs->texts_len);
	memcpy(jobs->texts, texts.bytes, texts.len);
	struct status_job *job = arena_new(&status->arena, sizeof *job);
	*job = (struct status_job){.id = 1, .array_task_id = UINT32_MAX, .account = 1, .user = 5, .tasks = 1};
	job->state = (uint32_t)(5 + strlen(user) + 1);
	for (int stage = 0; stage < STATUS_STAGES; stage++)
		jobs->sets[stage] = (struct status_job_set){.is_known = true, .max = 10};
	jobs->sets[STATUS_HOLDING].rows = job;
	jobs->sets[STATUS_HOLDING].count = 1;
	buf_done(&texts);
	return status;
}

/* An account of the same name in two clusters may be two people's: who sees one cluster sees nothing of the other. */
static void test_clusters_of_a_tenant(void)
{
	static const char *names[] = {"one", "two", "three"}, *accounts[] = {"bio"};
	static const struct {
		const char *what;
		unsigned first, count; /* of `names`, that it sees */
		unsigned status;
		bool ann, bob;
	} rows[] = {
		{"all clusters", 0, 0, 200, true, true},
		{"the first", 0, 1, 200, true, false},
		{"the second", 1, 1, 200, false, true},
		{"both", 0, 2, 200, true, true},
		{"one that is not there", 2, 1, 404, false, false},
	};
	struct page_board board;
	struct page_slot slots[2];
	const struct sandbox sandbox = {.landlock_abi = 0};
	struct routes routes = {.scrape = {.board = &board}, .telemetry_path = "/metrics", .sandbox = &sandbox};
	page_board_init(&board);
	for (int i = 0; i < 2; i++) {
		struct samples samples = {.text = BUF_INIT};
		page_slot_init(&slots[i], &board, names[i]);
		page_slot_publish(&slots[i], page_new(&samples, status_with_job(names[i], i ? "bob" : "ann")));
	}
	routes_init(&routes);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		static const char *const paths[] = {"/jobs", "/api/v1/jobs"};
		for (size_t path = 0; path < 2; path++) {
			struct web_tenant tenant = {.name = "t"};
			const struct web_request request = {.tenant = &tenant, .method = "GET", .path = paths[path]};
			struct web_reply reply = {.status = 200};
			tenant.names[TENANT_SEES_ACCOUNTS] = (struct web_names){accounts, 1, 1};
			tenant.names[TENANT_SEES_CLUSTERS] =
				(struct web_names){names + rows[i].first, rows[i].count, rows[i].count};
			check_row(rows[i].what);
			routes_respond(&routes, &request, &reply);
			CHECK_NUMBER(reply.status, rows[i].status);
			CHECK((memmem(reply.bytes, reply.len, "ann", 3) != NULL) == rows[i].ann);
			CHECK((memmem(reply.bytes, reply.len, "bob", 3) != NULL) == rows[i].bob);
			if (reply.release)
				reply.release(reply.owner);
		}
	}
	for (int i = 0; i < 2; i++)
		page_slot_done(&slots[i]);
	page_board_done(&board);
	check_row(NULL);
}

/* Names of accounts, users and partitions are labels, among which `other` is the rest of all. A cluster's name is as it
 * is. */
static void test_scope_of_a_tenant(void)
{
	static const char *other[] = {"other"};
	static const enum tenant_names sees[] = {TENANT_SEES_ACCOUNTS, TENANT_SEES_USERS, TENANT_SEES_PARTITIONS};
	for (int kind = 0; kind < SCOPE_OWNERS; kind++) {
		struct web_tenant tenant = {.name = "t"};
		struct scope scope;
		tenant.names[sees[kind]] = tenant.names[TENANT_SEES_CLUSTERS] = (struct web_names){other, 1, 1};
		check_row(scope_owner_labels[kind]);
		tenant_scope(&tenant, &scope);
		CHECK_NUMBER(scope.names[kind].count, 1);
		CHECK(!scope_has(&scope, (enum scope_kind)kind, LABEL_OTHER));
		CHECK(scope_has_cluster(&scope, TEXT("other")));
		scope_done(&scope);
	}
	check_row(NULL);
}

static struct edition *scoped_of(struct edition *all, int number, struct error *err)
{
	struct scope scope;
	char name[16];
	snprintf(name, sizeof name, "n%d", number);
	scope_init(&scope);
	scope_add(&scope, SCOPE_ACCOUNT, text_of(name));
	struct edition *scoped = edition_scoped(all, &scope, UINT64_MAX, err);
	scope_done(&scope);
	return scoped;
}

/* Each scope has its own edition, once. There may be SCOPES_MAX; then those that nobody reads make room. */
static void test_scopes(void)
{
	static struct edition *held[SCOPES_MAX];
	struct page_board board;
	struct page_slot slot;
	struct error err = {""};
	page_board_init(&board);
	page_slot_init(&slot, &board, NULL);
	publish(&slot, "cluster=\"one\"", 1);
	struct edition *all = page_board_borrow_edition(&board);
	for (int i = 0; i < SCOPES_MAX; i++) {
		held[i] = scoped_of(all, i, &err);
		CHECK(held[i]);
	}
	struct edition *again = scoped_of(all, 7, &err);
	CHECK(again == held[7]);
	edition_release(again);
	size_t bytes = atomic_load(&board.scoped_bytes);
	CHECK(bytes > 0 && atomic_load(&board.rendition_bytes) == 0);
	CHECK(!scoped_of(all, SCOPES_MAX, &err));
	CHECK_STRING(err.text, "clients read too many pages: try again later");
	edition_release(held[3]);
	held[3] = scoped_of(all, SCOPES_MAX, &err);
	CHECK(held[3]);
	CHECK_NUMBER(atomic_load(&board.scoped_bytes), bytes);
	/* What is read outlives the edition, and its page. */
	const struct rendition_options options = {.format.format = FORMAT_TEXT};
	struct rendition *rendition = edition_render(held[5], &options, UINT64_MAX, &err);
	CHECK(rendition && rendition->bytes.len == 0);
	edition_release(all);
	page_slot_done(&slot);
	for (int i = 0; i < SCOPES_MAX; i++)
		edition_release(held[i]);
	CHECK(atomic_load(&board.scoped_bytes) > 0);
	rendition_release(rendition);
	CHECK_NUMBER(atomic_load(&board.scoped_bytes), 0);
	page_board_done(&board);
}

static uint64_t native_count(const struct job_events *events, const char *queue, int32_t index, uint64_t *ret_total)
{
	const struct tally_native *natives;
	struct text second = text_of(queue), first = text_cut(&second, '/');
	struct tally *tally = tallies_of((struct tallies *)&events->tallies, TALLY_QUEUE, first, second);
	size_t count = tally_natives_of(&tally->natives, TALLY_WAIT_SECONDS, &natives);
	uint64_t found = 0;
	*ret_total = 0;
	for (size_t i = 0; i < count; i++) {
		*ret_total += natives[i].count;
		found += natives[i].index == index ? natives[i].count : 0;
	}
	return found;
}

/* Has the wait of the partition's queue an exponential histogram on the page? */
static bool is_native_shown(const struct cluster *cluster, const struct job_events *events, const char *partition)
{
	static const struct exporter exporter;
	const struct page_facts facts = {.cluster = cluster, .exporter = &exporter, .events = events};
	struct samples page = {.text = BUF_INIT};
	bool is_shown = false;
	catalogue_render(&facts, &page);
	for (size_t i = 0; i < page.native_count; i++) {
		const char *end = page.text.bytes + page.natives[i].at, *begin = end;
		while (begin[-1] != '\n')
			begin--;
		struct text line = {begin, (size_t)(end - begin)};
		is_shown |= text_starts_with(line, "slurm_partition_job_eligible_wait_seconds") &&
			    memmem(begin, line.len, partition, strlen(partition));
	}
	samples_done(&page);
	return is_shown;
}

/* A state file of a release that had only classic buckets, or of one that was used for a while in between. Prometheus would
 * refuse a page whose exponential buckets count more than the classic ones, as nobody writes them. */
static void test_older_state(void)
{
	static const struct bucket {
		const char *detail;
		double value;
	} older[] = {{"60", 3}, {"300", 2}, {"+Inf", 4}, {"sum", 1e7}},
	  between[] = {{"60", 3},
		       {"300", 2},
		       {"+Inf", 4},
		       {"sum", 1e7},
		       {"2^(21/4)", 2},
		       {"2^(30/4)", 1},
		       {"0", 1},
		       {"2^(4294967317/4)", 5}, /* no bucket: in 32 bits it would be 21 */
		       {"2^(99999999999999999999/4)", 5}}, /* nor is this one */
		nonsense[] = {{"60", 3}, {"2^(21/4)", 4}};
	struct cluster cluster;
	cluster_init(&cluster);
	const struct {
		const char *queue;
		size_t count;
	} queues[] = {{"cpu\x1fhigh", 4}, {"gpu\x1fhigh", 9}, {"odd\x1fhigh", 2}};
	struct job_events *events = job_events_new(&cluster.caps, &cluster.vocabulary, 1000);
	for (size_t queue = 0; queue < 3; queue++)
		for (size_t i = 0; i < queues[queue].count; i++) {
			const struct bucket *bucket = &(queue == 2 ? nonsense : queue ? between : older)[i];
			const struct events_counter counter = {TEXT("partition_qos"), text_of(queues[queue].queue),
							       TEXT("wait_seconds"), text_of(bucket->detail),
							       bucket->value};
			events_restore_counter(events, &counter);
		}
	events_restored(events, 2000);
	uint64_t total;
	check_row("none before");
	CHECK_NUMBER(native_count(events, "cpu/high", 24, &total), 3); /* 2^(24/4) is the first from 60 on */
	CHECK_NUMBER(total, 9);
	CHECK_NUMBER(native_count(events, "cpu/high", 33, &total), 2); /* 300 */
	CHECK_NUMBER(native_count(events, "cpu/high", 87, &total), 4); /* above 30 days */
	check_row("some before");
	CHECK_NUMBER(native_count(events, "gpu/high", 21, &total), 2);
	CHECK_NUMBER(total, 9);
	CHECK_NUMBER(native_count(events, "gpu/high", 33, &total), 1);
	check_row("on the page");
	CHECK(is_native_shown(&cluster, events, "\"cpu\""));
	CHECK(is_native_shown(&cluster, events, "\"gpu\""));
	CHECK(!is_native_shown(&cluster, events, "\"odd\""));
	job_events_free(events);
	cluster_done(&cluster);
}

int main(void)
{
	test_negotiation();
	test_any_header();
	test_gzip_negotiation();
	test_openmetrics();
	test_protobuf();
	test_merging();
	test_editions();
	test_unread();
	test_deadlines();
	test_named_clusters();
	test_pages_for_people();
	test_clusters_of_a_tenant();
	test_scope_of_a_tenant();
	test_scopes();
	test_older_state();
	return check_done();
}
