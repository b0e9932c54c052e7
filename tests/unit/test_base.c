#include "base/buf.h"
#include "base/map.h"
#include "check.h"

#include <stdlib.h>

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
	CHECK_NUMBER(text_character(TEXT("\xf0\x9f\x98\x80")), 4);
	CHECK_NUMBER(text_character(TEXT("\xf0\x9f\x98")), 0);
	CHECK_NUMBER(text_character(TEXT("\xed\xa0\x80")), 0); /* a surrogate */
	CHECK_NUMBER(text_character(TEXT("\xc0\x80")), 0);     /* overlong */
	CHECK_NUMBER(text_character(TEXT("\xf5\x80\x80\x80")), 0);
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
	CHECK(arena_bytes(&arena) < 200000);
	CHECK(*(char *)arena_new(&arena, 8) == 0);
	arena_done(&arena);
	CHECK(arena_bytes(&arena) == 0);
}

int main(void)
{
	test_text();
	test_buf();
	test_map();
	test_arena();
	return check_done();
}
