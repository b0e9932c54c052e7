/* What the reader reports: values of every form, in every chunk size. */
#include "check.h"
#include "transcript.h"

#include <stdlib.h>

#define PATHS(...) ((const char *const[]){__VA_ARGS__, NULL})

struct row {
	const char *name;
	const char *const *paths;
	struct text document;
	const char *events;
};

static void check_rows(const struct row *rows, size_t count)
{
	struct buf events = BUF_INIT;
	for (size_t i = 0; i < count; i++) {
		struct run run = {.paths = rows[i].paths, .limits = JSON_LIMITS_DEFAULT};
		for (; run.chunk <= rows[i].document.len; run.chunk++) {
			struct error err = {"untouched"};
			check_row(rows[i].name);
			buf_clear(&events);
			buf_add(&events, "", 0);
			CHECK(transcript(&run, rows[i].document, &events, &err));
			CHECK_STRING(events.bytes, rows[i].events);
			CHECK_STRING(err.text, "untouched");
		}
	}
	buf_done(&events);
}

static void test_values(void)
{
	static const char *const top[] = {"", NULL};
	const struct row rows[] = {
		{"null", top, TEXT("null"), "0=null"},
		{"true", top, TEXT(" true\r\n"), "0=true"},
		{"false", top, TEXT("\tfalse"), "0=false"},
		{"zero", top, TEXT("0"), "0=0"},
		{"minus zero", top, TEXT("-0"), "0=-0"},
		{"int", top, TEXT("1795209484"), "0=1795209484"},
		{"negative", top, TEXT("-12 "), "0=-12"},
		{"int64 max", top, TEXT("9223372036854775807"), "0=9223372036854775807"},
		{"uint64 max", top, TEXT("18446744073709551615"), "0=18446744073709551615"},
		{"beyond uint64", top, TEXT("18446744073709551616"), "0=1.8446744073709552e+19"},
		{"far beyond uint64", top, TEXT("1000000000000000000000"), "0=1e+21"},
		{"int64 min", top, TEXT("-9223372036854775808"), "0=-9223372036854775808"},
		{"fraction", top, TEXT("1.5"), "0=1.5"},
		{"whole fraction", top, TEXT("-3.0"), "0=-3"},
		{"0.1", top, TEXT("0.1"), "0=0.10000000000000001"},
		{"many digits", top, TEXT("0.1234567890123456789012345"), "0=0.12345678901234568"},
		{"exponent", top, TEXT("1e3"), "0=1000"},
		{"exponent and sign", top, TEXT("-12.5E-2"), "0=-0.125"},
		{"exponent plus", top, TEXT("2e+0"), "0=2"},
		{"beyond double", top, TEXT("1e400"), "0=inf"},
		{"below double", top, TEXT("1e-400"), "0=0"},
		{"NaN", top, TEXT("NaN"), "0=nan"},
		{"Infinity", top, TEXT("Infinity"), "0=inf"},
		{"-Infinity", top, TEXT("-Infinity"), "0=-inf"},
		{"nan", top, TEXT("nan"), "0=nan"},
		{"-nan", top, TEXT("-nan"), "0=nan"},
		{"inf", top, TEXT("inf"), "0=inf"},
		{"-inf", top, TEXT("-inf"), "0=-inf"},
		{"string", top, TEXT("\"abc\""), "0=\"abc\""},
		{"empty string", top, TEXT("\"\""), "0=\"\""},
		{"object", top, TEXT("{ }"), "0={ 0=end"},
		{"array", top, TEXT("[\n]"), "0=[ 0=end"},
		{"nothing below is wanted", top, TEXT("[{\"a\":[1,\"\\n\"]},[],{}]"), "0=[ 0=end"},
	};
	check_rows(rows, sizeof rows / sizeof *rows);
}

static bool keep_number(void *context, int id, const struct json_value *value, struct error *err)
{
	(void)id;
	(void)err;
	*(double *)context = value->number;
	return true;
}

static double read_number(struct json_shape *shape, const char *digits)
{
	double number = -1;
	struct error err;
	struct json_reader *reader = json_reader_new(shape, JSON_LIMITS_DEFAULT, keep_number, &number);
	CHECK(json_reader_feed(reader, digits, strlen(digits), &err));
	CHECK(json_reader_finish(reader, &err));
	json_reader_free(reader);
	return number;
}

/* The short ways of reading a number give the same double as strtod, to the last bit. */
static void test_numbers_exactly(void)
{
	struct json_shape *shape = json_shape_new();
	json_shape_want(shape, "", 0);
	uint64_t random = 88172645463325252;
	for (int i = 0; i < 20000; i++) {
		char digits[128];
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		uint64_t whole = i & 1 ? random >> random % 64 : random % 10;
		snprintf(digits, sizeof digits, "%s%" PRIu64 ".%0*" PRIu64, i & 2 ? "-" : "", whole, i % 40 + 1,
			 random >> (random >> 8) % 64);
		check_row(digits);
		CHECK_NUMBER(read_number(shape, digits), strtod(digits, NULL));
	}
	char digits[200] = "0."; /* too long for a small copy */
	memset(digits + 2, '3', 150);
	CHECK_NUMBER(read_number(shape, digits), 1 / 3.0);
	json_shape_free(shape);
}

static void test_strings(void)
{
	static const char *const top[] = {"", NULL};
	const struct row rows[] = {
		{"escapes", top, TEXT("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""), "0=\"\"\\/\b\f\n\r\t\""},
		{"slashes", top, TEXT("\"\\/opt\\/w\\/sleep.sh\""), "0=\"/opt/w/sleep.sh\""},
		{"unicode", top, TEXT("\"\\u0041\\u00e9\\u20AC\""), "0=\"A\xc3\xa9\xe2\x82\xac\""},
		{"pair", top, TEXT("\"\\ud83d\\uDE00!\""), "0=\"\xf0\x9f\x98\x80!\""},
		{"pair that json-c mistakes", top, TEXT("\"\\ud836\\udc00\\ud837\\ude00\""),
		 "0=\"\xf0\x9d\xa0\x80\xf0\x9d\xb8\x80\""},
		{"last", top, TEXT("\"\\udbff\\udfff\""), "0=\"\xf4\x8f\xbf\xbf\""},
		{"lone high", top, TEXT("\"a\\ud83db\""),
		 "0=\"a\xef\xbf\xbd"
		 "b\""},
		{"lone high at the end", top, TEXT("\"\\ud83d\""), "0=\"\xef\xbf\xbd\""},
		{"lone low", top, TEXT("\"\\ude00\""), "0=\"\xef\xbf\xbd\""},
		{"low low", top, TEXT("\"\\ude00\\ude01\""), "0=\"\xef\xbf\xbd\xef\xbf\xbd\""},
		{"high high low", top, TEXT("\"\\ud83d\\ud83d\\ude00\""), "0=\"\xef\xbf\xbd\xf0\x9f\x98\x80\""},
		{"high and what follows the low ones", top, TEXT("\"\\ud83d\\ue000\\ud83d\\uffff\""),
		 "0=\"\xef\xbf\xbd\xee\x80\x80\xef\xbf\xbd\xef\xbf\xbf\""},
		{"high and letter", top, TEXT("\"\\ud83d\\u0041\""),
		 "0=\"\xef\xbf\xbd"
		 "A\""},
		{"high and escape", top, TEXT("\"\\ud83d\\n\""), "0=\"\xef\xbf\xbd\n\""},
		{"delete is plain", top, TEXT("\"\x7f\""), "0=\"\x7f\""},
		{"utf-8", top, TEXT("\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\""),
		 "0=\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\""},
		{"latin-1", top, TEXT("\"caf\xe9 cr\xe8me\""), "0=\"caf\xef\xbf\xbd cr\xef\xbf\xbdme\""},
		{"latin-1, then long", top, TEXT("\"\xe9 0123456789abcdef0123456789abcdef\""),
		 "0=\"\xef\xbf\xbd 0123456789abcdef0123456789abcdef\""},
		{"cut sequence", top, TEXT("\"\xe2\x82\""), "0=\"\xef\xbf\xbd\""},
		{"cut by an escape", top, TEXT("\"\xe2\x82\\u00ac\""), "0=\"\xef\xbf\xbd\xc2\xac\""},
		{"maximal subparts", top, TEXT("\"\xf0\x80\x80\x41\xf1\x80\x80\x41\""),
		 "0=\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
		 "A\xef\xbf\xbd"
		 "A\""},
		{"surrogate in utf-8", top, TEXT("\"\xed\xa0\x80\""), "0=\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
		{"overlong", top, TEXT("\"\xc0\xaf\xe0\x80\xbf\""),
		 "0=\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
		{"beyond unicode", top, TEXT("\"\xf4\x90\x80\x80\xff\""),
		 "0=\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
		{"long", top, TEXT("\"0123456789abcdef0123456789abcdef\\\"0123456789abcdef\xe9\""),
		 "0=\"0123456789abcdef0123456789abcdef\"0123456789abcdef\xef\xbf\xbd\""},
	};
	check_rows(rows, sizeof rows / sizeof *rows);
}

static void test_shapes(void)
{
	const struct row rows[] = {
		{"members", PATHS("a", "b.c"), TEXT("{\"a\":1,\"x\":{\"c\":9},\"b\":{\"c\":2,\"a\":3}}"), "0=1 1=2"},
		{"elements", PATHS("a[].b", "a[]", "a"), TEXT("{\"a\": [ {\"b\": 1}, {\"c\": 2, \"b\": 3}, 4, [5] ] }"),
		 "2=[ 1={ 0=1 1=end 1={ 0=3 1=end 1=4 1=[ 1=end 2=end"},
		{"top array", PATHS("[].a", "[][]"), TEXT("[{\"a\":1},[2,[3]],{\"a\":[]}]"),
		 "0=1 1=2 1=[ 1=end 0=[ 0=end"},
		{"a name twice", PATHS("a", "a.b"), TEXT("{\"a\":1,\"a\":{\"b\":2,\"b\":3}}"), "0=1 0={ 1=2 1=3 0=end"},
		{"ends in order", PATHS("", "a", "a[]"), TEXT("{\"a\":[{},[[]]]}"),
		 "0={ 1=[ 2={ 2=end 2=[ 2=end 1=end 0=end"},
		{"other type than expected", PATHS("a.b", "c[]", "d"),
		 TEXT("{\"a\":[1,{\"b\":2}],\"c\":{\"x\":1},\"d\":null}"), "2=null"},
		{"same length and letters", PATHS("abcd", "acbd", "abxd", "bacd"),
		 TEXT("{\"acbd\":1,\"abcd\":2,\"aXbd\":3,\"abxd\":4,\"bacd\":5,\"abcdd\":6,\"\":"
		      "7}"),
		 "1=1 0=2 2=4 3=5"},
		{"prefixes", PATHS("job", "job_id"), TEXT("{\"job_i\":1,\"job_id\":2,\"jo\":3,\"job\":4}"), "1=2 0=4"},
		{"escaped name", PATHS("a/b", "tres"),
		 TEXT("{\"a\\/b\":1,\"\\u0074res\":2,\"\\u0074res\\u0000\":3,\"a\\\\/b\":4}"), "0=1 1=2"},
		{"name of bad utf-8", PATHS("caf\xef\xbf\xbd"), TEXT("{\"caf\xe9\":1,\"caf\":2}"), "0=1"},
		{"long name", PATHS("a_name_that_is_longer_than_any_vector_of_sixteen_bytes"),
		 TEXT("{\"a_name_that_is_longer_than_any_vector_of_sixteen_byteS\":1,"
		      "\"a_name_that_is_longer_than_any_vector_of_sixteen_bytes\":2}"),
		 "0=2"},
		{"pretty-printed", PATHS("jobs[].submit_time.number", "jobs[].job_state[]"),
		 TEXT("{\n  \"jobs\": [\n    {\n      \"submit_time\": {\n        \"set\": true,\n"
		      "        \"number\": 1795209484\n      },\r\n\t\"job_state\": [\n"
		      "                                        \"RUNNING\"\n      ]\n    }\n  "
		      "]\n}\n"),
		 "0=1795209484 1=\"RUNNING\""},
	};
	check_rows(rows, sizeof rows / sizeof *rows);
}

/* More members than a small table holds. */
static void test_many_members(void)
{
	enum { MEMBERS = 500 };
	static char names[MEMBERS][16];
	const char *paths[MEMBERS + 1] = {NULL};
	struct buf document = BUF_INIT, events = BUF_INIT, want = BUF_INIT;
	for (int i = 0; i < MEMBERS; i++) {
		snprintf(names[i], sizeof names[i], "member_%d", i * 7);
		paths[i] = names[i];
		buf_printf(&document, "%s\"member_%d\":%d,\"member_%d\":0", i ? "," : "{", i * 7, i, i * 7 + 1);
		buf_printf(&want, "%s%d=%d", i ? " " : "", i, i);
	}
	buf_add_char(&document, '}');
	check_row("many members");
	struct error err;
	struct run run = {.paths = paths, .limits = JSON_LIMITS_DEFAULT};
	CHECK(transcript(&run, buf_text(&document), &events, &err));
	CHECK_STRING(events.bytes, want.bytes);
	buf_done(&document);
	buf_done(&events);
	buf_done(&want);
}

struct borrowed {
	const char *begin, *end;
	bool inside;
};

static bool see_text(void *context, int id, const struct json_value *value, struct error *err)
{
	(void)id;
	(void)err;
	struct borrowed *chunk = context;
	chunk->inside = value->text.bytes >= chunk->begin && value->text.bytes < chunk->end;
	return true;
}

static void test_borrows_the_chunk(void)
{
	static const char plain[] = "[\"caf\xc3\xa9 plain\"]", escaped[] = "[\"\\n\"]";
	struct json_shape *shape = json_shape_new();
	json_shape_want(shape, "[]", 1);
	struct borrowed chunk = {plain, plain + sizeof plain, false};
	struct error err;
	struct json_reader *reader = json_reader_new(shape, JSON_LIMITS_DEFAULT, see_text, &chunk);
	check_row("borrows");
	CHECK(json_reader_feed(reader, plain, sizeof plain - 1, &err));
	CHECK(chunk.inside);
	CHECK(json_reader_finish(reader, &err));
	CHECK_NUMBER(json_reader_bytes(reader), sizeof plain - 1);
	json_reader_free(reader);
	chunk = (struct borrowed){escaped, escaped + sizeof escaped, true};
	reader = json_reader_new(shape, JSON_LIMITS_DEFAULT, see_text, &chunk);
	CHECK(json_reader_feed(reader, escaped, sizeof escaped - 1, &err));
	CHECK(json_reader_feed(reader, NULL, 0, &err));
	CHECK(!chunk.inside);
	json_reader_free(reader);
	json_reader_free(NULL);
	json_shape_free(shape);
	json_shape_free(NULL);
}

static void test_callback_stops(void)
{
	struct buf events = BUF_INIT;
	check_row("callback stops");
	static const char *const wants[] = {
		"", "0={", "0={ 1=1", "0={ 1=1 2=\"x\"", "0={ 1=1 2=\"x\" 3=[", "0={ 1=1 2=\"x\" 3=[ 3=end"};
	for (size_t chunk = 0; chunk < 8; chunk++) {
		for (int stop = 1; stop <= 6; stop++) {
			struct run run = {.paths = PATHS("", "a", "b", "c"),
					  .limits = JSON_LIMITS_DEFAULT,
					  .chunk = chunk,
					  .stop_at = stop};
			struct error err;
			char want[64];
			snprintf(want, sizeof want, "stopped at value %d", stop);
			buf_add(&events, "", 0);
			CHECK(!transcript(&run, TEXT("{\"a\":1,\"b\":\"x\",\"c\":[]}"), &events, &err));
			CHECK_STRING(err.text, want);
			CHECK_STRING(events.bytes, wants[stop - 1]);
		}
	}
	buf_done(&events);
}

int main(void)
{
	test_values();
	test_numbers_exactly();
	test_strings();
	test_shapes();
	test_many_members();
	test_borrows_the_chunk();
	test_callback_stops();
	return check_done();
}
