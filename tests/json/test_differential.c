/* Recorded answers and mutations of them: json-c and our reader accept the same documents and read
 * the same values, in every chunk size.
 *
 *   test_differential <directory> [seed [mutations [largest]]]
 *
 * Recorded answers of more than `largest` bytes are left out, which is most of the time. */
#include "agree.h"
#include "base/memory.h"
#include "check.h"

#include <ftw.h>
#include <stdlib.h>

enum {
	DOCUMENTS_MIN = 300,
	MUTATIONS = 4000,
	SMALL = 24 << 10, /* documents up to this size are mutated and fed byte by byte */
	LARGE = 128 << 10 /* of documents beyond this size only some are compared */
};

static const size_t chunks[] = {1, 2, 3, 7, 13, 101, 4096, 0};
enum { CHUNKS = sizeof chunks / sizeof *chunks, FIRST_FAST_CHUNK = 6 };

struct documents {
	struct text *items; /* owned bytes */
	size_t count, capacity, found;
};
static struct documents documents; /* nftw() takes no context */

static uint64_t random_state;

static size_t random_below(size_t limit)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (size_t)((random_state >> 11) % limit);
}

/* ---- the recorded answers ---- */

static bool is_known(struct text document)
{
	for (size_t i = 0; i < documents.count; i++)
		if (text_equal(documents.items[i], document))
			return true;
	return false;
}

static void keep(struct text document)
{
	documents.found++;
	if (is_known(document)) {
		free((char *)document.bytes);
		return;
	}
	GROW(documents.items, documents.count, documents.capacity);
	documents.items[documents.count++] = document;
}

static int visit(const char *path, const struct stat *status, int type, struct FTW *place)
{
	(void)place;
	size_t len = strlen(path);
	if (type != FTW_F || len < 5 || strcmp(path + len - 5, ".json") != 0)
		return 0;
	FILE *file = fopen(path, "rb");
	if (!file)
		return 1;
	size_t size = (size_t)status->st_size;
	char *bytes = memory_resize(NULL, size, 1);
	bool complete = fread(bytes, 1, size, file) == size;
	fclose(file);
	keep((struct text){bytes, size});
	return complete ? 0 : 1;
}

/* ---- comparing ---- */

static int tally[DISAGREE + 1];

static void report(struct text document, const char *name, const char *why)
{
	const char *path = "differential-failure.json";
	FILE *file = fopen(path, "wb");
	if (file) {
		fwrite(document.bytes, 1, document.len, file);
		fclose(file);
	}
	check_row(name);
	check_report(false, __FILE__, __LINE__, why, path, "agreement with json-c");
}

/* Whole at first, so that everything else is compared with that. */
static void compare(struct text document, const char *name)
{
	struct buf why = BUF_INIT;
	buf_add(&why, "", 0);
	struct answer *answer = answer_new(document);
	enum agreement agreement = answer_compare(answer, document.len ? document.len : 1, 0, &why);
	size_t i = document.len <= SMALL ? 0 : document.len <= LARGE ? FIRST_FAST_CHUNK : CHUNKS - 1;
	for (; agreement != DISAGREE && i < CHUNKS; i++)
		agreement = answer_compare(answer, chunks[i], random_state, &why);
	tally[agreement]++;
	check_count++;
	if (agreement == DISAGREE)
		report(document, name, why.bytes);
	answer_free(answer);
	buf_done(&why);
}

/* ---- mutations ---- */

static const struct text tokens[] = {
	TEXT(","),
	TEXT("]"),
	TEXT("}"),
	TEXT("["),
	TEXT("{"),
	TEXT(":"),
	TEXT("\""),
	TEXT("\\"),
	TEXT("\\\""),
	TEXT("\\u"),
	TEXT("\\u00e9"),
	TEXT("\\ud83d"),
	TEXT("\\ude00"),
	TEXT("\\ud836\\udc01"),
	TEXT("\\/"),
	TEXT("\\n"),
	TEXT("\\x"),
	TEXT("\\u0000"),
	TEXT("NaN"),
	TEXT("Infinity"),
	TEXT("-Infinity"),
	TEXT("true"),
	TEXT("false"),
	TEXT("null"),
	TEXT("nul"),
	TEXT("True"),
	TEXT("-"),
	TEXT("0"),
	TEXT("1"),
	TEXT("."),
	TEXT("e"),
	TEXT("E+"),
	TEXT("01"),
	TEXT("1."),
	TEXT(".5"),
	TEXT("1e"),
	TEXT("-0"),
	TEXT("0.1"),
	TEXT("1e400"),
	TEXT("12345678901234567890123"),
	TEXT("9223372036854775808"),
	TEXT("18446744073709551616"),
	TEXT("-9223372036854775809"),
	TEXT("3.14159265358979323846"),
	TEXT("1e22"),
	TEXT("1.7976931348623157e308"),
	TEXT("\xff"),
	TEXT("\xe9"),
	TEXT("\xc3\xa9"),
	TEXT("\xed\xa0\x80"),
	TEXT("\xe2\x82"),
	TEXT("\xf0\x9f\x98\x80"),
	TEXT("\xf0\x9f"),
	TEXT("\xf4\x90\x80\x80"),
	TEXT("\xef\xbb\xbf"),
	TEXT("\0"),
	TEXT("\x1f"),
	TEXT("\x7f"),
	TEXT("\t"),
	TEXT("\n"),
	TEXT("\r"),
	TEXT(" "),
	TEXT("\f"),
	TEXT("                    "),
	TEXT("/**/"),
	TEXT("//"),
	TEXT("'"),
	TEXT("\"a\":"),
	TEXT("\"a\":1,\"a\":[2],"),
	TEXT("[[[[[[[[[[[[[[[["),
	TEXT("]]]]]]]]]]]]]]]]"),
	TEXT("\"\":{},"),
	TEXT("{},"),
	TEXT("[],"),
	TEXT("\"x\","),
	TEXT("0,"),
};

static void replace(struct buf *buf, size_t at, size_t len, struct text by)
{
	struct buf changed = BUF_INIT;
	buf_add(&changed, buf->bytes, at);
	buf_add_text(&changed, by);
	buf_add(&changed, buf->bytes + at + len, buf->len - at - len);
	buf_done(buf);
	*buf = changed;
}

static struct text random_piece(const struct buf *buf)
{
	size_t at = random_below(buf->len), left = buf->len - at;
	return (struct text){buf->bytes + at, random_below(left < 40 ? left : 40)};
}

static void mutate_once(struct buf *buf)
{
	if (buf->len == 0)
		return;
	size_t at = random_below(buf->len), left = buf->len - at;
	struct text token = tokens[random_below(sizeof tokens / sizeof *tokens)];
	switch (random_below(8)) {
	case 0:
		buf->bytes[at] ^= (char)(1 << random_below(8));
		break;
	case 1:
		replace(buf, at, 1 + random_below(left < 20 ? left : 20), (struct text){NULL, 0});
		break;
	case 2:
		replace(buf, at, 0, random_piece(buf));
		break;
	case 3:
		if (random_below(8) == 0)
			buf->len = at;
		break;
	case 4:
		replace(buf, at, 1, token);
		break;
	default:
		replace(buf, at, 0, token);
		break;
	}
}

/* Puts it where it has a chance to be accepted: into a string or behind a comma. */
static void splice(struct buf *buf)
{
	static const struct text places[] = {TEXT("\": \""), TEXT(",\n"), TEXT("["), TEXT("{"), TEXT("\": ")};
	struct text place = places[random_below(sizeof places / sizeof *places)];
	if (buf->len == 0)
		return;
	size_t from = random_below(buf->len);
	char *at = memmem(buf->bytes + from, buf->len - from, place.bytes, place.len);
	struct text token = tokens[random_below(sizeof tokens / sizeof *tokens)];
	if (at)
		replace(buf, (size_t)(at - buf->bytes) + place.len, 0, token);
}

static void test_recorded(size_t largest)
{
	int compared = 0;
	for (size_t i = 0; i < documents.count; i++) {
		char name[64];
		if (documents.items[i].len > largest)
			continue;
		compared++;
		snprintf(name, sizeof name, "document %zu of %zu bytes", i, documents.items[i].len);
		compare(documents.items[i], name);
	}
	check_row("recorded");
	CHECK(documents.found >= DOCUMENTS_MIN);
	/* an empty answer and an HTML page of an error may be among them, not more */
	CHECK(tally[BOTH_ACCEPT] * 10 > compared * 9);
}

/* A small one: what is wrong in one place of a large document is not more interesting, but slower.
 */
static struct text pick(void)
{
	struct text document = documents.items[random_below(documents.count)];
	while (document.len > SMALL || document.len == 0)
		document = documents.items[random_below(documents.count)];
	return document;
}

static void test_mutated(int mutations)
{
	memset(tally, 0, sizeof tally);
	for (int i = 0; i < mutations; i++) {
		char name[64];
		snprintf(name, sizeof name, "mutation %d", i);
		struct buf document = BUF_INIT;
		buf_add_text(&document, pick());
		for (size_t times = random_below(3); times > 0; times--)
			mutate_once(&document);
		for (size_t times = random_below(3); times > 0; times--)
			splice(&document);
		compare(buf_text(&document), name);
		buf_done(&document);
	}
	printf("%d mutations: %d accepted, %d refused by both, %d only accepted by json-c 0.16\n", mutations,
	       tally[BOTH_ACCEPT], tally[BOTH_REFUSE], tally[ONLY_JSON_C_ACCEPTS]);
	check_row("mutated");
	CHECK(tally[BOTH_ACCEPT] >= mutations / 10);
	CHECK(tally[BOTH_REFUSE] >= mutations / 10);
}

int main(int argc, char **argv)
{
	if (argc < 2 || nftw(argv[1], visit, 16, FTW_PHYS) != 0) {
		fprintf(stderr, "usage: test_differential <directory> [seed [mutations [largest]]]\n");
		return 2;
	}
	random_state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	test_recorded(argc > 4 ? strtoull(argv[4], NULL, 10) : SIZE_MAX);
	test_mutated(argc > 3 ? atoi(argv[3]) : MUTATIONS);
	for (size_t i = 0; i < documents.count; i++)
		free((char *)documents.items[i].bytes);
	free(documents.items);
	return check_done();
}
