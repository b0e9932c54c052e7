/* The decoders of all endpoints: any answer gives the same records and the same words about itself, in whatever pieces it
 * comes. The first byte chooses the endpoint, the second the size of the pieces. */
#include "slurmrest/endpoint.h"

#include "fuzz.h"

#include <math.h>

enum { MANY_BYTES = 1 << 20 }; /* no record of a small answer takes as much */

static struct decoder *decoders[ENDPOINTS]; /* each serves its endpoint for the whole life, as in the daemon */
static struct vocabulary vocabulary;

static uint64_t mix(uint64_t hash, const void *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3;
	return hash;
}

static uint64_t mix_text(uint64_t hash, struct text text)
{
	hash = mix(hash, &text.len, sizeof text.len);
	REQUIRE(!text.len || !memchr(text.bytes, '\0', text.len));
	return mix(hash, text.bytes, text.len);
}

static uint64_t mix_record(uint64_t hash, const struct field *fields, const char *record)
{
	for (const struct field *field = fields; field->path; field++) {
		const char *member = record + field->offset;
		const struct list *list = (const struct list *)member;
		switch (field->kind) {
		case FIELD_NUMBER:
		case FIELD_REAL:
			hash = mix(hash, member, sizeof(uint64_t));
			break;
		case FIELD_BOOL:
			hash = mix(hash, member, sizeof(bool));
			break;
		case FIELD_TEXT:
			hash = mix_text(hash, *(const struct text *)member);
			break;
		case FIELD_LIST:
			for (size_t i = 0; i < list->count; i++)
				hash = mix_record(hash, field->elements->fields,
						  (const char *)list->items + i * field->elements->size);
			break;
		case FIELD_NAME:
		case FIELD_EACH:
			break;
		}
	}
	return hash;
}

struct taking {
	const struct record_type *type;
	uint64_t hash, records;
};

static void take(void *context, const void *record)
{
	struct taking *taking = context;
	taking->hash = mix_record(taking->hash, taking->type->fields, record);
	taking->records++;
}

static uint64_t mix_answer(uint64_t hash, const struct answer *answer)
{
	const uint64_t numbers[] = {answer->records,	   answer->skipped,	  answer->has_list,
				    answer->last_update,   answer->error_count,	  answer->warning_count,
				    answer->nothing_found, answer->access_denied, answer->unknown_jobs,
				    answer->unauthentic,   answer->is_compact};
	const char *const texts[] = {answer->error_description, answer->error, answer->warning, answer->release,
				     answer->cluster};
	hash = mix(hash, numbers, sizeof numbers);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		hash = mix_text(hash, text_of(texts[i]));
	return hash;
}

/* What is read of it, in pieces of that size; whether it is right is in the hash. */
static uint64_t read_answer(enum endpoint endpoint, struct text json, size_t piece)
{
	struct decoder *decoder = decoders[endpoint];
	struct taking taking = {.type = endpoint_table[endpoint].record};
	struct error err = {""};
	bool is_right = true;
	vocabulary_done(&vocabulary);
	vocabulary_init(&vocabulary);
	decoder_start(decoder, take, &taking);
	for (size_t at = 0; is_right && at < json.len; at += piece) {
		size_t len = json.len - at < piece ? json.len - at : piece;
		char *copy = malloc(len); /* of its size, so that nobody reads beyond it unseen */
		REQUIRE(copy);
		memcpy(copy, json.bytes + at, len);
		is_right = decoder_feed(decoder, copy, len, &err);
		free(copy);
	}
	is_right = is_right && decoder_finish(decoder, &err);
	REQUIRE(is_right == !*err.text);
	REQUIRE(decoder_answer(decoder)->records == taking.records);
	taking.hash = mix(taking.hash, &is_right, sizeof is_right);
	taking.hash = mix_text(taking.hash, text_of(err.text));
	return is_right ? mix_answer(taking.hash, decoder_answer(decoder)) : taking.hash;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	vocabulary_init(&vocabulary);
	for (int i = 0; i < ENDPOINTS; i++)
		decoders[i] = decoder_new(endpoint_table[i].record, &vocabulary);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = input_of(data, size);
	enum endpoint endpoint = input_byte(&input) % ENDPOINTS;
	size_t piece = 1 + input_byte(&input) % 64;
	struct text json = input_rest(&input);
	uint64_t whole = read_answer(endpoint, json, MANY_BYTES), pieces = read_answer(endpoint, json, piece);
	REQUIRE(whole == pieces);
	return 0;
}
