/* What one record of an answer may take: whatever is in it, a seventh of what the service's unit allows (MemoryMax=1G). A
 * row of each kind of the field tables gets the longest strings and lists, in pieces as they come from the network. */
#include "check.h"
#include "slurmrest/endpoint.h"

#include "base/buf.h"

#include <malloc.h>
#include <stdlib.h>

enum { MIB_BYTES = 1 << 20, PIECE_BYTES = 16 << 10 };
enum { VALUE_BYTES = 16 * MIB_BYTES - 64, PEAK_BYTES = 144 * MIB_BYTES };

static size_t live, peak;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *memory);

static void *note(void *memory)
{
	live += malloc_usable_size(memory);
	peak = live > peak ? live : peak;
	return memory;
}

void *__wrap_malloc(size_t size)
{
	return note(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
	return note(__real_calloc(count, size));
}

/* Old and new are there together while bytes are copied. */
void *__wrap_realloc(void *old, size_t size)
{
	size_t before = malloc_usable_size(old);
	void *memory = note(__real_realloc(old, size));
	live -= before;
	return memory;
}

void __wrap_free(void *memory)
{
	live -= malloc_usable_size(memory);
	__real_free(memory);
}

static void take_nothing(void *context, const void *record)
{
	(void)context, (void)record;
}

static bool say(struct decoder *decoder, const char *text)
{
	struct error err;
	return decoder_feed(decoder, text, strlen(text), &err);
}

static void say_path(struct decoder *decoder, const char *path, const char *between)
{
	for (; *path; path++) {
		char letter[2] = {*path, '\0'};
		say(decoder, *path == '.' ? between : letter);
	}
}

/* A member that repeats `unit` for VALUE_BYTES, or for as many bytes as the decoder takes. */
static void read_record(const struct record_type *type, const struct field *field, const char *begin, const char *unit)
{
	static char piece[PIECE_BYTES];
	struct vocabulary vocabulary;
	struct text other = text_of(type->list);
	struct error err;
	char list[32];
	size_t len = strlen(unit), fill = sizeof piece / len * len, fed = 0;
	text_to_string(text_cut(&other, '|'), list, sizeof list);
	vocabulary_init(&vocabulary);
	struct decoder *decoder = decoder_new(type, &vocabulary);
	for (size_t i = 0; i < fill; i += len)
		memcpy(piece + i, unit, len);
	peak = live;
	size_t before = live;
	decoder_start(decoder, take_nothing, NULL);
	say(decoder, *list ? "{\"" : "{");
	say_path(decoder, list, "\":{\"");
	say(decoder, !*list ? "\"" : type->is_single ? "\":{\"" : "\":[{\"");
	say_path(decoder, field->path, "\":{\"");
	CHECK(say(decoder, "\":") && say(decoder, begin));
	while (fed < VALUE_BYTES && decoder_feed(decoder, piece, fill, &err))
		fed += fill;
	if (*begin == '"')
		say(decoder, "\"");
	CHECK(fed > MIB_BYTES);
	if (peak - before > PEAK_BYTES)
		fprintf(stderr, "%s: %s: %zu MiB of %s\n", type->list, field->path, (peak - before) / MIB_BYTES, unit);
	CHECK(peak - before <= PEAK_BYTES);
	decoder_free(decoder);
	vocabulary_done(&vocabulary);
}

int main(void)
{
	static const struct {
		const char *begin, *unit;
	} shapes[] = {
		{"\"", "a"}, {"\"", "\xff"}, {"\"", "\\u0000"}, {"[\"a\"", ",\"bcdefgh\""}, {"[{}", ",{\"x\":1}"}};
	static const struct record_type *const types[] = {&job_record, &job_run_record};
	unsigned seen = 0; /* kinds: all rows of one are read alike */
	for (size_t t = 0; t < sizeof types / sizeof *types; t++)
		for (const struct field *field = types[t]->fields; field->path; field++) {
			bool is_long =
				field->kind != FIELD_NUMBER && field->kind != FIELD_REAL && field->kind != FIELD_BOOL;
			check_row(field->path);
			for (size_t i = 0; is_long && !(seen >> field->kind & 1) && i < sizeof shapes / sizeof *shapes;
			     i++)
				read_record(types[t], field, shapes[i].begin, shapes[i].unit);
			seen |= 1u << field->kind;
		}
	return check_done();
}
