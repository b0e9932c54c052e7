#include "base/buf.h"
#include "base/clock.h"
#include "base/id_map.h"
#include "base/log.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/text_pool.h"
#include "base/words.h"
#include "check.h"

#include <malloc.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void test_text(void)
{
	static const struct {
		const char *text;
		bool ok;
		uint64_t want;
	} numbers[] = {
		{"0", true, 0},
		{"007", true, 7},
		{"18446744073709551615", true, UINT64_MAX},
		{"18446744073709551616", false, 0},
		{"99999999999999999999", false, 0},
		{"", false, 0},
		{"-1", false, 0},
		{"1 ", false, 0},
		{"0x1", false, 0},
	};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		uint64_t got = 0;
		check_row(numbers[i].text);
		CHECK(text_to_u64(text_of(numbers[i].text), &got) == numbers[i].ok);
		if (numbers[i].ok)
			CHECK(got == numbers[i].want);
	}
	check_row("lists");
	struct text rest = TEXT(",a,,bc,"), item;
	CHECK(text_next(&rest, ',', &item) && text_equal(item, TEXT("a")));
	CHECK(text_next(&rest, ',', &item) && text_equal(item, TEXT("bc")));
	CHECK(!text_next(&rest, ',', &item));
	rest = TEXT("name=a=b");
	CHECK(text_equal(text_cut(&rest, '='), TEXT("name")));
	CHECK(text_equal(rest, TEXT("a=b")));
	check_row("cutting and characters");
	char cut[4];
	text_to_string(TEXT("ab\xc3\xa9"), cut, sizeof cut);
	CHECK_STRING(cut, "ab");
	text_to_string(TEXT("a\xc3\xa9z"), cut, sizeof cut);
	CHECK_STRING(cut, "a\xc3\xa9");
	static const size_t whole[] = {0, 1, 1, 1, 4, 4, 4, 4, 8, 8}; /* bytes; the index is the limit */
	for (size_t max = 0; max < sizeof whole / sizeof *whole; max++)
		CHECK_NUMBER(text_limit(TEXT("a\xe2\x82\xac\xf0\x9f\x98\x80"), max).len, whole[max]);
	CHECK_NUMBER(text_character(TEXT("\xf0\x9f\x98\x80")), 4);
	CHECK_NUMBER(text_character(TEXT("\xf0\x9f\x98")), 0);
	CHECK_NUMBER(text_character(TEXT("\xed\xa0\x80")), 0); /* a surrogate */
	CHECK_NUMBER(text_character(TEXT("\xc0\x80")), 0); /* overlong */
	CHECK_NUMBER(text_character(TEXT("\xf5\x80\x80\x80")), 0);
	CHECK_NUMBER(text_character(TEXT("\xc1\xbf")), 0); /* as long as its letter needs not be */
	CHECK_NUMBER(text_character(TEXT("\xe0\x9f\xbf")), 0);
	CHECK_NUMBER(text_character(TEXT("\xed\x9f\xbf")), 3); /* the last before the surrogates */
	CHECK_NUMBER(text_character(TEXT("\xed\xbf\xbf")), 0);
	CHECK_NUMBER(text_character(TEXT("\xf4\x8f\xbf\xbf")), 4); /* the last of all */
	CHECK_NUMBER(text_character(TEXT("\xf4\x90\x80\x80")), 0);
	CHECK(text_is_clean(TEXT("")) && text_is_clean(TEXT("a\x1f\xc3\xa9")));
	CHECK(!text_is_clean(TEXT("\0a")) && !text_is_clean(TEXT("a\0")) && !text_is_clean(TEXT("a\xc3")));
	CHECK(text_compare(TEXT("a"), TEXT("ab")) < 0);
	CHECK(text_compare(TEXT("b"), TEXT("ab")) > 0);
	CHECK(text_compare(TEXT(""), TEXT("")) == 0);
}

static void test_buf(void)
{
	check_row("buf");
	struct buf buf = BUF_INIT;
	struct buf want = BUF_INIT;
	for (int i = 0; i < 1000; i++) {
		buf_printf(&buf, "%d,", i);
		char number[16];
		snprintf(number, sizeof number, "%d,", i);
		buf_add_string(&want, number);
	}
	CHECK(text_equal(buf_text(&buf), buf_text(&want)));
	CHECK(buf.bytes[buf.len] == '\0');
	buf_clear(&buf);
	CHECK(buf.len == 0 && buf.bytes[0] == '\0');
	buf_done(&buf);
	buf_done(&want);
}

static void test_map(void)
{
	check_row("map");
	struct arena arena = ARENA_INIT;
	struct map map;
	map_init(&map, &arena, sizeof(uint64_t));
	CHECK(map_find(&map, TEXT("absent")) == NULL);
	for (uint64_t i = 0; i < 5000; i++) {
		char key[32];
		snprintf(key, sizeof key, "user%lu", (unsigned long)(i % 2500));
		*(uint64_t *)map_add(&map, text_of(key)) += i;
	}
	CHECK_NUMBER(map.count, 2500);
	const uint64_t *seven = map_find(&map, TEXT("user7"));
	CHECK(seven && *seven == 7 + 2507);
	CHECK(map_find(&map, TEXT("user2500")) == NULL);
	/* keys are bytes: NUL and the empty key are keys like others */
	*(uint64_t *)map_add(&map, (struct text){"a\0b", 3}) = 1;
	*(uint64_t *)map_add(&map, (struct text){"a\0c", 3}) = 2;
	*(uint64_t *)map_add(&map, TEXT("")) = 3;
	CHECK(*(uint64_t *)map_find(&map, (struct text){"a\0c", 3}) == 2);
	CHECK(*(uint64_t *)map_find(&map, TEXT("")) == 3);
	size_t *order = map_sorted(&map);
	for (size_t i = 1; i < map.count; i++)
		CHECK(text_compare(map.entries[order[i - 1]].key, map.entries[order[i]].key) < 0);
	free(order);
	map_done(&map);
	arena_done(&arena);
}

static void test_arena(void)
{
	check_row("arena");
	struct arena arena = ARENA_INIT;
	for (size_t size = 1; size < 100000; size = size * 3 + 1) {
		unsigned char *memory = arena_new(&arena, size);
		CHECK((uintptr_t)memory % 16 == 0);
		CHECK(memory[0] == 0 && memory[size - 1] == 0);
		memset(memory, 0xff, size);
	}
	struct text copy = arena_copy(&arena, TEXT("abc"));
	CHECK_STRING(copy.bytes, "abc");
	arena_clear(&arena);
	CHECK(arena.bytes < 200000);
	CHECK(*(char *)arena_new(&arena, 8) == 0);
	check_row("an arena that is cleared does not grow");
	size_t bytes = arena.bytes;
	for (int i = 0; i < 1000; i++) {
		for (int j = 0; j < 3; j++) /* more than a block has */
			arena_new(&arena, 10000);
		arena_clear(&arena);
	}
	CHECK(arena.bytes <= bytes);
	arena_done(&arena);
	CHECK(arena.bytes == 0);
}

/* Of every length, with something else behind it. */
static void test_append(void)
{
	struct arena arena = ARENA_INIT;
	struct text text = TEXT("");
	char want[400] = "";
	check_row("append");
	arena_append(&arena, &text, ',', TEXT(""));
	CHECK_NUMBER(text.len, 0);
	for (size_t len = 1; len < sizeof want - 3; len = strlen(want)) {
		strcat(want, len == 1 ? "abc" : len % 5 ? ",x" : ",");
		arena_append(&arena, &text, ',', len == 1 ? TEXT("abc") : len % 5 ? TEXT("x") : TEXT(""));
		memset(arena_new(&arena, 1), 'Z', 1);
		CHECK_NUMBER(text.len, strlen(want));
		CHECK_STRING(text.bytes, want);
		len = strlen(want);
	}
	arena_done(&arena);
}

enum { IDS = 500, STEPS = 20000 };

static uint32_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*state >> 33);
}

static void test_id_map(void)
{
	check_row("ids come and go, the others stay");
	struct id_map map = {0};
	uint32_t want[IDS] = {0};
	uint64_t random = 1;
	CHECK(!id_map_find(&map, 7));
	id_map_set(&map, 7, 0);
	for (int step = 0; step < STEPS; step++) {
		uint32_t id = next_random(&random) % IDS;
		want[id] = next_random(&random) % 3;
		id_map_set(&map, id, want[id]);
		if (step % 100)
			continue;
		size_t count = 0, wrong = 0;
		for (uint32_t i = 0; i < IDS; i++) {
			wrong += id_map_find(&map, i) != want[i];
			count += want[i] != 0;
		}
		CHECK_NUMBER(wrong, 0);
		CHECK_NUMBER(map.count, count);
	}
	id_map_set(&map, UINT32_MAX, UINT32_MAX);
	CHECK_NUMBER(id_map_find(&map, UINT32_MAX), UINT32_MAX);
	id_map_done(&map);
}

static void test_text_pool(void)
{
	check_row("a text is kept while it is held, and once");
	struct text_pool pool = {0};
	uint32_t held[IDS] = {0}, holds[IDS] = {0};
	uint64_t random = 2;
	for (int step = 0; step < STEPS; step++) {
		char text[32];
		uint32_t which = next_random(&random) % IDS;
		snprintf(text, sizeof text, "text %u", which);
		if (holds[which] && next_random(&random) % 2) {
			bool is_last = --holds[which] == 0;
			CHECK(text_pool_release(&pool, held[which]) == is_last);
		} else {
			uint32_t number = text_pool_hold(&pool, text_of(text));
			CHECK(!holds[which] || number == held[which]);
			held[which] = number;
			holds[which]++;
		}
		if (holds[which])
			CHECK(text_equal(text_pool_get(&pool, held[which]), text_of(text)));
	}
	size_t different = 0;
	for (int i = 0; i < IDS; i++)
		different += holds[i] != 0;
	CHECK_NUMBER(pool.held, different);
	CHECK(pool.count <= IDS); /* numbers are used again */
	text_pool_done(&pool);
	check_row("the empty text is 0");
	CHECK_NUMBER(text_pool_hold(&pool, TEXT("")), 0);
	CHECK_NUMBER(text_pool_get(&pool, 0).len, 0);
	CHECK(!text_pool_release(&pool, 0));
}

static void test_words(void)
{
	static const double kib = 1024;
	check_row("words");
	CHECK_STRING(words_number(0).text, "0");
	CHECK_STRING(words_number(999).text, "999");
	CHECK_STRING(words_number(123456).text, "123,456");
	CHECK_STRING(words_number(UINT64_MAX).text, "18,446,744,073,709,551,615");
	CHECK_STRING(words_count(0, "job").text, "0 jobs");
	CHECK_STRING(words_count(1, "job").text, "1 job");
	CHECK_STRING(words_count(1234, "job").text, "1,234 jobs");
	CHECK_STRING(words_bytes(kib - 1).text, "1023 B");
	CHECK_STRING(words_bytes(kib).text, "1.0 KiB");
	CHECK_STRING(words_bytes(kib * kib).text, "1.0 MiB");
	CHECK_STRING(words_bytes(20 * kib * kib).text, "20 MiB");
}

/* Another clock shows whole seconds, and somewhere between two readings of ours: that leaves a range. */
static void test_clock_ahead(void)
{
	static const struct {
		const char *name;
		double before;
		uint64_t second;
		double began, ended, want;
	} rows[] = {
		{"what was thought is possible", 0, 100, 100.5, 100.5, 0},
		{"until the end of its second", 0.25, 100, 100.5, 100.5, 0.25},
		{"it is no further ahead than at that end", 3, 100, 100.5, 100.5, 0.5},
		{"nor further behind than at the second's begin", -3, 100, 100.5, 100.5, -0.5},
		{"an answer that took long tells less", 3, 100, 90, 110, 3},
		{"and bounds both ways", 30, 100, 90, 110, 11},
		{"behind", 0, 40, 100, 100, -59},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		check_row(rows[i].name);
		CHECK_NUMBER(clock_ahead(rows[i].before, rows[i].second, rows[i].began, rows[i].ended), rows[i].want);
	}
}

/* What the lines say from " level=" on, or "," of JSON: before it is the time. */
static void logged(int file, struct buf *to)
{
	char bytes[4096];
	ssize_t len = pread(file, bytes, sizeof bytes - 1, 0);
	struct text rest = {bytes, len > 0 ? (size_t)len : 0}, line;
	buf_clear(to);
	while (text_next(&rest, '\n', &line)) {
		const char *from = memmem(line.bytes, line.len, "level", 5);
		buf_add(to, from, (size_t)(line.bytes + line.len - from));
		buf_add_char(to, '\n');
	}
}

static void test_log(void)
{
	struct buf got = BUF_INIT;
	int file = memfd_create("log", MFD_CLOEXEC), before = dup(STDERR_FILENO);
	dup2(file, STDERR_FILENO);
	log_line(LOG_LEVEL_DEBUG, "below the level", NULL);
	log_line(LOG_LEVEL_INFO, "plain", "url", "http://[::1]:6820/", "empty", "", "space", "a b", NULL);
	log_line(LOG_LEVEL_WARN, "odd", "pair", "a=b", "quote", "\"", "slash", "\\", "line", "a\nb", NULL);
	log_setup(LOG_LEVEL_WARN, LOG_FORMAT_JSON);
	log_about("east");
	log_line(LOG_LEVEL_INFO, "below it now", NULL);
	log_line(LOG_LEVEL_WARN, "at it", "pair", "a=b", NULL);
	log_about(NULL);
	log_setup(LOG_LEVEL_INFO, LOG_FORMAT_LOGFMT);
	dup2(before, STDERR_FILENO);
	check_row("log");
	logged(file, &got);
	CHECK_STRING(got.bytes, "level=info msg=plain url=http://[::1]:6820/ empty=\"\" space=\"a b\"\n"
				"level=warn msg=odd pair=\"a=b\" quote=\"\\\"\" slash=\"\\\\\" line=\"a\\u000ab\"\n"
				"level\":\"warn\",\"msg\":\"at it\",\"cluster\":\"east\",\"pair\":\"a=b\"}\n");
	buf_done(&got);
	close(before);
	close(file);
}

/* The linker has the rooms call this one. */
static struct {
	const void *memory;
	size_t len;
} wiped;
void __real_explicit_bzero(void *memory, size_t len);
void __wrap_explicit_bzero(void *memory, size_t len);

void __wrap_explicit_bzero(void *memory, size_t len)
{
	wiped.memory = memory;
	wiped.len = len;
	__real_explicit_bzero(memory, len);
}

static void test_wiping(void)
{
	check_row("what is freed is wiped, all of it");
	char *memory = memory_wiping_realloc(NULL, 1000);
	CHECK(!wiped.memory);
	memset(memory, 's', 1000);
	void *old = memory;
	size_t had = malloc_usable_size(memory);
	memory = memory_wiping_realloc(memory, 100000);
	CHECK(wiped.memory == old && wiped.len == had);
	CHECK(memory[0] == 's' && memory[999] == 's');
	had = malloc_usable_size(memory);
	old = memory;
	memory = memory_wiping_realloc(memory, 10);
	CHECK(wiped.memory == old && wiped.len == had);
	CHECK(memory[0] == 's' && memory[9] == 's');
	had = malloc_usable_size(memory);
	old = memory;
	memory_wiping_free(memory);
	CHECK(wiped.memory == old && wiped.len == had);
	memory_wiping_free(NULL);
}

int main(void)
{
	test_words();
	test_clock_ahead();
	test_log();
	test_wiping();
	test_id_map();
	test_text_pool();
	test_text();
	test_buf();
	test_map();
	test_arena();
	test_append();
	return check_done();
}
