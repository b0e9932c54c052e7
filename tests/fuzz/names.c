/* Hostile names: each user, account, node and the rest stands on the page under exactly the name that Slurm gives it.
 * That holds in each format, and the name stands nowhere else. The input is names with a byte 0xff between them. They
 * come in through the decoders, as the names of everything that has one. */
#include "named_answers.h"
#include "world.h"

#include "entities/label.h"

#include <string.h>

enum { NAMES_MAX_HERE = 6 };

/* Label pairs, each once. */
struct pairs {
	struct arena arena;
	struct map map; /* keys "user=alice" */
	uint64_t digest;
};

static void pairs_init(struct pairs *pairs)
{
	*pairs = (struct pairs){.arena = ARENA_INIT};
	map_init(&pairs->map, &pairs->arena, sizeof(bool));
}

static void pairs_done(struct pairs *pairs)
{
	map_done(&pairs->map);
	arena_done(&pairs->arena);
}

static void pairs_add(struct pairs *pairs, struct text name, struct text value)
{
	struct buf key = BUF_INIT;
	REQUIRE(value.len <= LABEL_MAX);
	if (text_equal(name, TEXT("le"))) /* protobuf has bounds elsewhere */
		return;
	buf_add_text(&key, name);
	buf_add_char(&key, '=');
	buf_add_text(&key, value);
	bool *is_there = map_add(&pairs->map, buf_text(&key));
	if (!*is_there)
		pairs->digest ^= map_hash(buf_text(&key));
	*is_there = true;
	buf_done(&key);
}

static bool pairs_have(const struct pairs *pairs, const char *name, struct text value)
{
	struct buf key = BUF_INIT;
	buf_printf(&key, "%s=", name);
	buf_add_text(&key, value);
	bool is_there = map_find(&pairs->map, buf_text(&key));
	buf_done(&key);
	return is_there;
}

static void take_line(void *context, const struct page_line *line)
{
	for (unsigned i = 0; i < line->label_count; i++)
		pairs_add(context, line->labels[i].name, line->labels[i].value);
}

/* Protobuf: https://protobuf.dev/programming-guides/encoding/. Messages of MetricFamily, each behind its length. */

static uint64_t cut_varint(struct text *rest)
{
	uint64_t number = 0;
	unsigned char byte = 0x80;
	for (unsigned shift = 0; byte & 0x80; shift += 7) {
		REQUIRE(rest->len && shift < 64);
		byte = (unsigned char)*rest->bytes;
		*rest = (struct text){rest->bytes + 1, rest->len - 1};
		number |= (uint64_t)(byte & 0x7f) << shift;
	}
	return number;
}

static struct text cut_bytes(struct text *rest, uint64_t len)
{
	REQUIRE(len <= rest->len);
	struct text bytes = {rest->bytes, len};
	*rest = (struct text){rest->bytes + len, rest->len - len};
	return bytes;
}

/* The next member's number; its bytes, if it has a length, are *ret_bytes. */
static uint64_t cut_member(struct text *rest, struct text *ret_bytes)
{
	enum { VARINT, FIXED64, WITH_LENGTH };
	uint64_t key = cut_varint(rest);
	*ret_bytes = TEXT("");
	REQUIRE(key % 8 <= WITH_LENGTH);
	if (key % 8 == VARINT)
		cut_varint(rest);
	else
		*ret_bytes = cut_bytes(rest, key % 8 == FIXED64 ? 8 : cut_varint(rest));
	return key / 8;
}

static void read_pair(struct text rest, struct pairs *pairs)
{
	struct text bytes, texts[3] = {TEXT(""), TEXT(""), TEXT("")};
	while (rest.len) {
		uint64_t member = cut_member(&rest, &bytes);
		REQUIRE(member == 1 || member == 2);
		texts[member] = bytes;
	}
	REQUIRE(page_is_utf8(texts[2]) && texts[2].len);
	pairs_add(pairs, texts[1], texts[2]);
}

static void read_metric(struct text rest, struct pairs *pairs)
{
	enum { LABEL_MEMBER = 1 };
	struct text bytes;
	while (rest.len)
		if (cut_member(&rest, &bytes) == LABEL_MEMBER)
			read_pair(bytes, pairs);
}

static void read_protobuf(struct text rest, struct pairs *pairs)
{
	enum { METRIC = 4 };
	struct text bytes;
	while (rest.len) {
		struct text family = cut_bytes(&rest, cut_varint(&rest));
		while (family.len)
			if (cut_member(&family, &bytes) == METRIC)
				read_metric(bytes, pairs);
	}
}

/* What a name must become: U+FFFD stands for NUL and for each longest part of an invalid sequence (WHATWG's Encoding, "UTF-8
 * decoder"). */
static void repair(struct text raw, struct buf *to)
{
	for (size_t i = 0; i < raw.len;) {
		unsigned char lead = (unsigned char)raw.bytes[i], low = 0x80, high = 0xbf;
		size_t len = lead < 0x80 ? 1 : lead < 0xc2 || lead > 0xf4 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
		size_t have = 1;
		low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : low;
		high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : high;
		for (; have < len && i + have < raw.len; have++) {
			unsigned char byte = (unsigned char)raw.bytes[i + have];
			if (byte < low || byte > high)
				break;
			low = 0x80, high = 0xbf;
		}
		if (lead && have == len)
			buf_add(to, raw.bytes + i, len);
		else
			buf_add_string(to, "\xef\xbf\xbd");
		i += have;
	}
}

struct names_in {
	struct text raw[NAMES_MAX_HERE];
	struct buf repaired[NAMES_MAX_HERE];
	struct text label[NAMES_MAX_HERE];
	char room[NAMES_MAX_HERE][LABEL_MAX + 1];
	unsigned count;
};

static void read_names(struct names_in *names, struct input *input)
{
	memset(names, 0, sizeof *names);
	while (names->count < NAMES_MAX_HERE && input->at < input->end) {
		struct text raw = input_text(input);
		unsigned i = names->count;
		if (!raw.len)
			continue;
		names->raw[i] = raw;
		repair(raw, &names->repaired[i]);
		names->label[i] = label_of(buf_text(&names->repaired[i]), names->room[i]);
		REQUIRE(names->label[i].len <= LABEL_MAX);
		names->count++;
	}
}

static void feed(struct cluster *cluster, const struct names_in *names)
{
	for (size_t i = 0; i < NAMED_ANSWERS; i++) {
		struct buf json = BUF_INIT;
		named_answer(i, names->raw, names->count, &json);
		REQUIRE(world_feed(cluster, named_answers[i].endpoint, buf_text(&json)));
		buf_done(&json);
	}
}

/* Each name gives these labels, and nothing else does. Where there are no rows, as for the user who set a node's
 * reason, a name stands as it is, even if it is `other`. A name that is too long is cut. */
static const char *const exact[] = {"user", "account", "node", "license", "reservation"};

static bool is_one_of(const struct names_in *names, struct text value)
{
	for (unsigned n = 0; n < names->count; n++)
		if (text_equal(names->label[n], value) ||
		    text_equal(text_limit(buf_text(&names->repaired[n]), LABEL_MAX), value))
			return true;
	return false;
}

static void check_pairs(const struct pairs *pairs, const struct names_in *names)
{
	for (size_t e = 0; e < sizeof exact / sizeof *exact; e++) {
		size_t len = strlen(exact[e]) + 1;
		for (unsigned n = 0; n < names->count; n++)
			REQUIRE(pairs_have(pairs, exact[e], names->label[n]));
		for (size_t i = 0; i < pairs->map.count; i++) {
			struct text key = pairs->map.entries[i].key;
			bool is_its = text_starts_with(key, exact[e]) && key.len > len && key.bytes[len - 1] == '=';
			bool is_known = !is_its || is_one_of(names, (struct text){key.bytes + len, key.len - len});
			if (!is_known)
				fprintf(stderr, "no name is %.*s\n", (int)key.len, key.bytes);
			REQUIRE(is_known);
		}
	}
}

static void check_formats(const struct samples *page, const struct names_in *names)
{
	uint64_t digests[FORMATS];
	for (int format = 0; format < FORMATS; format++) {
		struct buf bytes = world_format(page, (enum format)format);
		struct pairs pairs;
		pairs_init(&pairs);
		if (format == FORMAT_PROTOBUF)
			read_protobuf(buf_text(&bytes), &pairs);
		else
			world_require_right(buf_text(&bytes), take_line, &pairs);
		check_pairs(&pairs, names);
		digests[format] = pairs.digest;
		pairs_done(&pairs);
		buf_done(&bytes);
	}
	REQUIRE(digests[FORMAT_TEXT] == digests[FORMAT_OPENMETRICS]);
	REQUIRE(digests[FORMAT_TEXT] == digests[FORMAT_PROTOBUF]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = input_of(data, size);
	struct names_in names;
	struct cluster cluster;
	struct samples page = {.text = BUF_INIT};
	read_names(&names, &input);
	cluster_init(&cluster);
	feed(&cluster, &names);
	cluster.controllers_are_sure = true;
	world_render(&cluster, NULL, &page);
	if (getenv("FUZZ_SHOW"))
		fwrite(page.text.bytes, 1, page.text.len, stderr);
	check_formats(&page, &names);
	samples_done(&page);
	cluster_done(&cluster);
	for (unsigned n = 0; n < names.count; n++)
		buf_done(&names.repaired[n]);
	return 0;
}
