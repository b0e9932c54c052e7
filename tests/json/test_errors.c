/* What the reader refuses, why, and at which byte: the same words in every chunk size. */
#include "check.h"
#include "transcript.h"

static const char *const everything[] = {"", "a", "a[]", "[]", "[].a", NULL};
static const char *const nothing[] = {"x.y", NULL};

struct row {
	struct text document;
	const char *error;
};

static void check_refused(struct text document, const char *want, struct run run)
{
	struct buf events = BUF_INIT;
	for (run.chunk = 0; run.chunk <= document.len; run.chunk++) {
		struct error err = {"none"};
		char name[128];
		snprintf(name, sizeof name, "%.*s in chunks of %zu", (int)document.len, document.bytes, run.chunk);
		check_row(name);
		CHECK(!transcript(&run, document, &events, &err));
		CHECK_STRING(err.text, want);
	}
	buf_done(&events);
}

static void check_rows(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct run run = {.paths = everything, .limits = JSON_LIMITS_DEFAULT};
		check_refused(rows[i].document, rows[i].error, run);
		run.paths = nothing;
		check_refused(rows[i].document, rows[i].error, run);
	}
}

static void test_structure(void)
{
	const struct row rows[] = {
		{TEXT("[1,]"), "trailing comma at byte 2"},
		{TEXT("[1 ,\n ]"), "trailing comma at byte 3"},
		{TEXT("{\"a\":1,}"), "trailing comma at byte 6"},
		{TEXT("{\"a\":[{},{\"b\":2 , }]}"), "trailing comma at byte 16"},
		{TEXT("[,1]"), "expected a value, got ',' at byte 1"},
		{TEXT("[1,,2]"), "expected a value, got ',' at byte 3"},
		{TEXT("{,}"), "expected a name in double quotes, got ',' at byte 1"},
		{TEXT("{\"a\":1,,}"), "expected a name in double quotes, got ',' at byte 7"},
		{TEXT("{a:1}"), "expected a name in double quotes, got 'a' at byte 1"},
		{TEXT("{'a':1}"), "expected a name in double quotes, got ''' at byte 1"},
		{TEXT("{1:1}"), "expected a name in double quotes, got '1' at byte 1"},
		{TEXT("{\"a\" 1}"), "expected ':', got '1' at byte 5"},
		{TEXT("{\"a\"}"), "expected ':', got '}' at byte 4"},
		{TEXT("{\"a\"::1}"), "expected a value, got ':' at byte 5"},
		{TEXT("{\"a\":}"), "expected a value, got '}' at byte 5"},
		{TEXT("{\"a\":1 \"b\":2}"), "expected ',' or '}', got '\"' at byte 7"},
		{TEXT("[1 2]"), "expected ',' or ']', got '2' at byte 3"},
		{TEXT("[1}"), "expected ',' or ']', got '}' at byte 2"},
		{TEXT("{\"a\":1]"), "expected ',' or '}', got ']' at byte 6"},
		{TEXT("[}"), "expected a value, got '}' at byte 1"},
		{TEXT("{]"), "expected a name in double quotes, got ']' at byte 1"},
		{TEXT("]"), "expected a value, got ']' at byte 0"},
		{TEXT("[\"a\":1]"), "expected ',' or ']', got ':' at byte 4"},
		{TEXT("['a']"), "expected a value, got ''' at byte 1"},
		{TEXT("[/* */1]"), "expected a value, got '/' at byte 1"},
		{TEXT("[1] x"), "expected the end of the document, got 'x' at byte 4"},
		{TEXT("[1][2]"), "expected the end of the document, got '[' at byte 3"},
		{TEXT("{},"), "expected the end of the document, got ',' at byte 2"},
		{TEXT("1 // c"), "expected the end of the document, got '/' at byte 2"},
		{TEXT("\"a\"\""), "expected the end of the document, got '\"' at byte 3"},
		{TEXT("[1]\0"), "expected the end of the document, got byte 0x00 at byte 3"},
		{TEXT("[\0]"), "expected a value, got byte 0x00 at byte 1"},
		{TEXT("[1\f]"), "expected ',' or ']', got byte 0x0c at byte 2"},
		{TEXT("\v1"), "expected a value, got byte 0x0b at byte 0"},
		{TEXT("\xef\xbb\xbf[]"), "expected a value, got byte 0xef at byte 0"},
		{TEXT("[\xc3\xa9]"), "expected a value, got byte 0xc3 at byte 1"},
	};
	check_rows(rows, sizeof rows / sizeof *rows);
}

static void test_numbers_and_literals(void)
{
	const struct row rows[] = {
		{TEXT("01"), "bad number at byte 1"},
		{TEXT("[01]"), "bad number at byte 2"},
		{TEXT("[00]"), "bad number at byte 2"},
		{TEXT("[-01]"), "bad number at byte 3"},
		{TEXT("[1.]"), "bad number at byte 3"},
		{TEXT("[1.e5]"), "bad number at byte 3"},
		{TEXT("[-.5]"), "bad number at byte 2"},
		{TEXT("[.5]"), "expected a value, got '.' at byte 1"},
		{TEXT("[+1]"), "expected a value, got '+' at byte 1"},
		{TEXT("[-]"), "bad number at byte 2"},
		{TEXT("[--1]"), "bad number at byte 2"},
		{TEXT("[1e]"), "bad number at byte 3"},
		{TEXT("[1e+]"), "bad number at byte 4"},
		{TEXT("[1E-x]"), "bad number at byte 4"},
		{TEXT("[1.5.5]"), "bad number at byte 4"},
		{TEXT("[1-2]"), "bad number at byte 2"},
		{TEXT("[1e5e5]"), "bad number at byte 4"},
		{TEXT("[1e5.5]"), "bad number at byte 4"},
		{TEXT("[-a]"), "bad number at byte 2"},
		{TEXT("[0x10]"), "expected ',' or ']', got 'x' at byte 2"},
		{TEXT("[12a]"), "expected ',' or ']', got 'a' at byte 3"},
		{TEXT("[tru]"), "bad literal at byte 4"},
		{TEXT("[trUe]"), "bad literal at byte 3"},
		{TEXT("[True]"), "expected a value, got 'T' at byte 1"},
		{TEXT("[NULL]"), "bad literal at byte 2"},
		{TEXT("[nab]"), "bad literal at byte 3"},
		{TEXT("[nulan]"), "bad literal at byte 4"},
		{TEXT("[-nul]"), "bad literal at byte 3"},
		{TEXT("[-Na]"), "bad number at byte 2"},
		{TEXT("[nullx]"), "expected ',' or ']', got 'x' at byte 5"},
		{TEXT("truefalse"), "expected the end of the document, got 'f' at byte 4"},
		{TEXT("[Infinite]"), "bad literal at byte 8"},
		{TEXT("[-Inf]"), "bad literal at byte 5"},
		{TEXT("[1-Infinity]"), "bad number at byte 2"},
		{TEXT("infinity"), "expected the end of the document, got 'i' at byte 3"},
		{TEXT("1inf"), "expected the end of the document, got 'i' at byte 1"},
	};
	check_rows(rows, sizeof rows / sizeof *rows);
}

static void test_strings(void)
{
	const struct row rows[] = {
		{TEXT("\"a\tb\""), "raw control character in a string at byte 2"},
		{TEXT("[\"a\nb\"]"), "raw control character in a string at byte 3"},
		{TEXT("[\"\x1f\"]"), "raw control character in a string at byte 2"},
		{TEXT("[\"a\x1fz\"]                "), "raw control character in a string at byte 3"},
		{TEXT("[\"\0\"]"), "raw control character in a string at byte 2"},
		{TEXT("{\"a\rb\":1}"), "raw control character in a string at byte 3"},
		{TEXT("[\"0123456789abcdef0123\001\"]"), "raw control character in a string at byte 22"},
		{TEXT("\"\\x\""), "bad escape in a string at byte 2"},
		{TEXT("\"\\'\""), "bad escape in a string at byte 2"},
		{TEXT("\"\\\0\""), "bad escape in a string at byte 2"},
		{TEXT("\"\\U0041\""), "bad escape in a string at byte 2"},
		{TEXT("\"\\u12\""), "bad escape in a string at byte 5"},
		{TEXT("\"\\u12G4\""), "bad escape in a string at byte 5"},
		{TEXT("{\"\\u00\\n\":1}"), "bad escape in a string at byte 6"},
		{TEXT("\"\\u123\""), "bad escape in a string at byte 6"},
		{TEXT("\"\\u123x\""), "bad escape in a string at byte 6"},
		{TEXT("\"\\ud83d\\u12\""), "bad escape in a string at byte 11"},
		{TEXT("\"\\n\\x\n\""), "bad escape in a string at byte 4"},
	};
	check_rows(rows, sizeof rows / sizeof *rows);
}

static void test_cut_documents(void)
{
	const struct row rows[] = {
		{TEXT(""), "no value before the end at byte 0"},
		{TEXT("  \n"), "no value before the end at byte 3"},
		{TEXT("["), "ends in the middle of an array at byte 1"},
		{TEXT("{"), "ends in the middle of an object at byte 1"},
		{TEXT("[[1],"), "ends in the middle of an array at byte 5"},
		{TEXT("[{\"a\":1}"), "ends in the middle of an array at byte 8"},
		{TEXT("[{\"a\":1"), "ends in the middle of a number at byte 7"},
		{TEXT("{\"a\""), "ends in the middle of an object at byte 4"},
		{TEXT("{\"a\": "), "ends in the middle of an object at byte 6"},
		{TEXT("{\"a"), "ends in the middle of a name at byte 3"},
		{TEXT("[\""), "ends in the middle of a string at byte 2"},
		{TEXT("[\"abc\\"), "ends in the middle of a string at byte 6"},
		{TEXT("\"\\u00"), "ends in the middle of a string at byte 5"},
		{TEXT("tru"), "ends in the middle of a literal at byte 3"},
		{TEXT("[-Inf"), "ends in the middle of a literal at byte 5"},
		{TEXT("-"), "ends in the middle of a number at byte 1"},
		{TEXT("1."), "ends in the middle of a number at byte 2"},
		{TEXT("1e+"), "ends in the middle of a number at byte 3"},
		{TEXT("1E2E"), "bad number at byte 3"},
		{TEXT("[01"), "bad number at byte 2"},
		{TEXT("[12"), "ends in the middle of a number at byte 3"},
	};
	check_rows(rows, sizeof rows / sizeof *rows);
}

static void test_limits(void)
{
	struct run run = {.paths = everything, .limits = JSON_LIMITS_DEFAULT};
	run.limits.depth_max = 3;
	check_refused(TEXT("[[[[]]]]"), "nested deeper than 3 at byte 3", run);
	check_refused(TEXT("{\"a\":[{\"b\":{}}]}"), "nested deeper than 3 at byte 11", run);
	run.limits = JSON_LIMITS_DEFAULT;
	run.limits.token_bytes_max = 4;
	check_refused(TEXT("[\"abcde\"]"), "string longer than 4 bytes at byte 2", run);
	check_refused(TEXT("[\"abcd\\n\"]"), "string longer than 4 bytes at byte 2", run);
	check_refused(TEXT("[\"abcde\n\"]"), "string longer than 4 bytes at byte 2", run);
	check_refused(TEXT("{\"abcde\":1}"), "string longer than 4 bytes at byte 2", run);
	check_refused(TEXT("[12345]"), "number longer than 4 bytes at byte 1", run);
	check_refused(TEXT("[12345.]"), "number longer than 4 bytes at byte 1", run);
	check_refused(TEXT("[1.1.1111]"), "bad number at byte 4", run);
	run.limits = JSON_LIMITS_DEFAULT;
	run.limits.document_bytes_max = 6;
	check_refused(TEXT("[1,2,3]"), "document longer than 6 bytes at byte 6", run);
	check_refused(TEXT("[1,2] \n"), "document longer than 6 bytes at byte 6", run);
	check_refused(TEXT("[1,2  ,]"), "document longer than 6 bytes at byte 6", run);
	check_refused(TEXT("[1,]  ]"), "trailing comma at byte 2", run);
}

static void test_just_within_limits(void)
{
	struct run run = {.paths = everything,
			  .limits = {.depth_max = 3, .token_bytes_max = 4, .document_bytes_max = 18}};
	struct buf events = BUF_INIT;
	check_row("just within limits");
	for (; run.chunk < 20; run.chunk++) {
		struct error err = {"none"};
		CHECK(transcript(&run, TEXT("[[[1234,\"\\\"ab\"]]]\n"), &events, &err));
		CHECK_STRING(err.text, "none");
	}
	buf_done(&events);
}

static void test_deep(void)
{
	enum { DEPTH = 100000 };
	static char document[2 * DEPTH];
	memset(document, '[', DEPTH);
	memset(document + DEPTH, ']', DEPTH);
	struct run run = {.paths = everything, .limits = JSON_LIMITS_DEFAULT, .chunk = 1000};
	struct buf events = BUF_INIT;
	struct error err;
	check_row("deep");
	CHECK(!transcript(&run, (struct text){document, sizeof document}, &events, &err));
	CHECK_STRING(err.text, "nested deeper than 64 at byte 64");
	run.limits.depth_max = DEPTH;
	CHECK(transcript(&run, (struct text){document, sizeof document}, &events, &err));
	CHECK(transcript(&run, (struct text){document + DEPTH - 64, 128}, &events, &err));
	buf_done(&events);
}

static bool ignore(void *context, int id, const struct json_value *value, struct error *err)
{
	(void)context;
	(void)id;
	(void)value;
	(void)err;
	return true;
}

static void test_stays_failed(void)
{
	struct json_shape *shape = json_shape_new();
	struct json_reader *reader = json_reader_new(shape, JSON_LIMITS_DEFAULT, ignore, NULL);
	struct error err;
	check_row("stays failed");
	CHECK(!json_reader_feed(reader, "[1,]", 4, &err));
	for (int i = 0; i < 2; i++) {
		err.text[0] = '\0';
		CHECK(!json_reader_feed(reader, "[]", 2, &err));
		CHECK_STRING(err.text, "trailing comma at byte 2");
		CHECK(!json_reader_finish(reader, &err));
		CHECK_STRING(err.text, "trailing comma at byte 2");
	}
	json_reader_free(reader);
	json_shape_free(shape);
}

/* What never ends is refused when it is too long, not when it ends. */
static void test_endless_tokens(void)
{
	static const struct {
		const char *begin, *again, *want;
	} rows[] = {
		{"[1", "2", "number longer than 1000 bytes at byte 1"},
		{"[1.5", "0", "number longer than 1000 bytes at byte 1"},
		{"[\"", "a", "string longer than 1000 bytes at byte 2"},
		{"[\"", "\\n", "string longer than 1000 bytes at byte 2"},
		{"{\"", "a", "string longer than 1000 bytes at byte 2"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct json_shape *shape = json_shape_new();
		struct json_limits limits = JSON_LIMITS_DEFAULT;
		struct error err = {"none"};
		limits.token_bytes_max = 1000;
		struct json_reader *reader = json_reader_new(shape, limits, ignore, NULL);
		bool ok = json_reader_feed(reader, rows[i].begin, strlen(rows[i].begin), &err);
		for (int piece = 0; ok && piece < 1001; piece++)
			ok = json_reader_feed(reader, rows[i].again, strlen(rows[i].again), &err);
		check_row(rows[i].begin);
		CHECK(!ok);
		CHECK_STRING(err.text, rows[i].want);
		json_reader_free(reader);
		json_shape_free(shape);
	}
}

/* A token that arrives byte by byte must not be looked at again from its beginning each time. Otherwise this test would
 * run for minutes. */
static void test_long_token_by_bytes(void)
{
	enum { LEN = 4 << 20 };
	static char string[LEN + 2], number[LEN];
	memset(string, 'a', sizeof string);
	string[0] = string[LEN + 1] = '"';
	memset(number, '7', sizeof number);
	struct json_shape *shape = json_shape_new();
	json_shape_want(shape, "[]", 0);
	struct json_reader *reader = json_reader_new(shape, JSON_LIMITS_DEFAULT, ignore, NULL);
	struct error err = {"none"};
	check_row("long token by bytes");
	bool ok = json_reader_feed(reader, "[", 1, &err);
	for (size_t i = 0; ok && i < sizeof string; i++)
		ok = json_reader_feed(reader, string + i, 1, &err);
	ok = ok && json_reader_feed(reader, ",", 1, &err);
	for (size_t i = 0; ok && i < sizeof number; i++)
		ok = json_reader_feed(reader, number + i, 1, &err);
	ok = ok && json_reader_feed(reader, "]", 1, &err) && json_reader_finish(reader, &err);
	CHECK_STRING(err.text, "none");
	CHECK(ok);
	json_reader_free(reader);
	json_shape_free(shape);
}

int main(void)
{
	test_structure();
	test_numbers_and_literals();
	test_strings();
	test_cut_documents();
	test_limits();
	test_just_within_limits();
	test_deep();
	test_stays_failed();
	test_endless_tokens();
	test_long_token_by_bytes();
	return check_done();
}
