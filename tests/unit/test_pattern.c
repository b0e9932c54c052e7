/* Patterns: whole names, the part in parentheses, what is refused, and that no name makes a match slow. */
#include "base/buf.h"
#include "base/clock.h"
#include "check.h"
#include "entities/pattern.h"

static struct text part_of(const char *regex, const char *name, bool *ret_matches)
{
	struct pattern pattern = {NULL, 0};
	struct error err;
	struct text part = TEXT("");
	CHECK(pattern_set(&pattern, regex, &err));
	*ret_matches = pattern_matches(&pattern, text_of(name), &part);
	pattern_done(&pattern);
	return part;
}

static void test_parts(void)
{
	static const struct {
		const char *regex, *name, *part; /* part NULL: no match */
	} rows[] = {
		{"([a-z]+)-[0-9]+.*", "climate-12-b", "climate"},
		{"([a-z]+)-[0-9]+.*", "climate", NULL},
		{"([a-z]+)-[0-9]+", "climate-12-b", NULL}, /* the whole name, not its beginning */
		{"[a-z]+", "abc", "abc"}, /* no parentheses: the name */
		{"a|ab", "ab", "ab"}, /* the longest counts, not the first */
		{"(x)?y", "y", ""}, /* parentheses that matched nothing */
		{"((a)b)c", "abc", "ab"}, /* the first that open */
		{".*", "", ""},
		{"", "", ""},
		{"a", "", NULL},
		{".*_(.*)", "a_b_c", "c"},
		{"(.+)", "\xc3\xa9\x01z", "\xc3\xa9\x01z"},
		{"[*?]+\\*?\\?", "*?**?", "*?**?"}, /* what looks like a repetition of nothing */
		{"(ab*)?c{2}", "abbcc", "abb"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		bool matches;
		struct text part = part_of(rows[i].regex, rows[i].name, &matches);
		CHECK_NUMBER(matches, rows[i].part != NULL);
		if (matches && rows[i].part)
			CHECK(text_equal(part, text_of(rows[i].part)));
	}
}

static void test_refused(void)
{
	static const char *const regexes[] = {"(",    "[a",  "a{2",   "(a)\\1", "(a*)*\\1b", "a{1,99999}", "secret.*?",
					      "a+?",  "a??", "a{2}?", "(a*?)",	"*",	     "*a",	   "a|*b",
					      "(+a)", "?",   "^*a",   "(?i)a",	"{2}"};
	for (size_t i = 0; i < sizeof regexes / sizeof *regexes; i++) {
		struct pattern pattern = {NULL, 0};
		struct error err = {""};
		CHECK(!pattern_set(&pattern, regexes[i], &err));
		CHECK(!pattern.code && strncmp(err.text, regexes[i], strlen(regexes[i])) == 0);
		CHECK(!pattern_matches(&pattern, TEXT("a"), NULL));
	}
}

static void test_size(void)
{
	static const struct {
		const char *regex;
		size_t size;
	} rows[] = {
		{"", 0},
		{"abc", 3},
		{"a*b+c?", 3},
		{"[abc]d", 2},
		{"[]a]b", 2},
		{"[[:alpha:]]{4}", 4},
		{"(ab){3}c", 7},
		{"((a{10}){10}){10}", 1000},
		{"a{2,5}", 5},
		{"a{2,}", 3},
		{"a|b|c", 3},
		{"\\(a\\)", 3},
		{"(a{9}|b){2}", 20},
		{"[^]x]", 1},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		CHECK_NUMBER(pattern_size(rows[i].regex), rows[i].size);
	CHECK(pattern_size("((((a{255}){255}){255}){255}){255}") > 1000000 - 1);
	struct buf deep = BUF_INIT;
	for (int i = 0; i < 200; i++)
		buf_add_char(&deep, '(');
	CHECK(pattern_size(deep.bytes) > 1000);
	buf_done(&deep);
}

/* Each of these takes a matcher that goes back in the name longer than the universe is old. */
static void test_hostile_names(void)
{
	static const char *const regexes[] = {"(a*)*b",	  "(a|a)*b",	   "(a|aa)+b",	    "((a*)*)*b",
					      "(a+a+)+b", ".*.*.*.*.*=.*", "(a?){30}a{30}b"};
	struct buf name = BUF_INIT;
	uint64_t begin = clock_monotonic_ns();
	for (int i = 0; i < 16384; i++)
		buf_add_char(&name, 'a');
	for (size_t i = 0; i < sizeof regexes / sizeof *regexes; i++) {
		struct pattern pattern = {NULL, 0};
		struct error err;
		CHECK(pattern_set(&pattern, regexes[i], &err));
		CHECK(!pattern_matches(&pattern, buf_text(&name), NULL));
		pattern_done(&pattern);
	}
	CHECK(clock_monotonic_ns() - begin < UINT64_C(60000000000));
	buf_done(&name);
}

int main(void)
{
	test_parts();
	test_refused();
	test_size();
	test_hostile_names();
	return check_done();
}
