#include "slurmrest/decode.h"

#include "base/memory.h"
#include "model/number.h"

#include <stdio.h>
#include <stdlib.h>

/* IDs of the envelope, before those of the record's fields. */
enum {
	ID_LIST,
	ID_RECORD,
	ID_ERROR,
	ID_ERROR_NUMBER,
	ID_ERROR_TEXT,
	ID_ERROR_DESCRIPTION,
	ID_WARNING,
	ID_WARNING_DESCRIPTION,
	ID_LAST_UPDATE,
	ID_RELEASE,
	ID_RELEASE_22_05,
	ID_CLUSTER,
	ID_FIELDS,
};

/* ESLURM_REST_EMPTY_RESULT, ESLURM_ACCESS_DENIED, ESLURM_INVALID_JOB_ID and SLURM_PROTOCOL_AUTHENTICATION_ERROR; when they
 * come: SLURMRESTD.md, "Status and errors" */
enum {
	ERROR_NOTHING_FOUND = 9003,
	ERROR_ACCESS_DENIED = 2002,
	ERROR_UNKNOWN_JOB = 2017,
	ERROR_UNAUTHENTIC = 1007,
};

/* The largest real record is a job's on 65,536 nodes, each of which v0.0.40 names: about 8 MiB. */
enum { RECORD_BYTES_MAX = 16 << 20 };

struct decoder {
	const struct record_type *type;
	struct json_shape *shape;
	struct json_reader *reader;
	struct vocabulary *vocabulary;
	struct field_reader *fields;
	const struct name_hash *hash; /* NULL: names stay */
	struct arena texts;
	void *record;
	bool is_in_record; /* between its begin and its end */
	uint64_t fed; /* bytes */
	struct answer answer;
	record_fn *take;
	void *context;
};

struct decoder *decoder_new(const struct record_type *type, struct vocabulary *vocabulary)
{
	struct decoder *decoder = NEW(struct decoder);
	struct json_shape *shape = json_shape_new();
	struct text other_names = text_of(type->list);
	char list[32], record_path[40];
	text_to_string(text_cut(&other_names, '|'), list, sizeof list);
	snprintf(record_path, sizeof record_path, type->is_single ? "%s" : "%s[]", list);
	if (!type->is_single)
		json_shape_want(shape, list, ID_LIST);
	json_shape_want(shape, record_path, ID_RECORD);
	json_shape_want(shape, "errors[]", ID_ERROR);
	json_shape_want(shape, "errors[].error_number", ID_ERROR_NUMBER);
	json_shape_want(shape, "errors[].error", ID_ERROR_TEXT);
	json_shape_want(shape, "errors[].description", ID_ERROR_DESCRIPTION);
	json_shape_want(shape, "warnings[]", ID_WARNING);
	json_shape_want(shape, "warnings[].description", ID_WARNING_DESCRIPTION);
	json_shape_want(shape, "last_update.number", ID_LAST_UPDATE);
	json_shape_want(shape, "meta.slurm.release", ID_RELEASE);
	json_shape_want(shape, "meta.Slurm.release", ID_RELEASE_22_05);
	json_shape_want(shape, "meta.slurm.cluster", ID_CLUSTER);
	decoder->fields = field_reader_new(shape, record_path, ID_FIELDS, type->fields, vocabulary, &decoder->texts);
	if (other_names.len)
		json_shape_alias(shape, list, other_names.bytes);
	decoder->vocabulary = vocabulary;
	decoder->type = type;
	decoder->shape = shape;
	decoder->record = memory_new(type->size);
	return decoder;
}

static void copy_text(char *to, size_t size, const struct json_value *value)
{
	text_to_string(value->type == JSON_STRING ? value->text : TEXT(""), to, size);
}

static void record_event(struct decoder *decoder, const struct json_value *value)
{
	if (value->type == JSON_OBJECT) {
		decoder->answer.has_list = true;
		arena_clear(&decoder->texts);
		field_reader_start(decoder->fields, decoder->record, decoder->type->size);
		decoder->is_in_record = true;
		return;
	}
	if (value->type == JSON_END && !decoder->is_in_record)
		return; /* of what was no object */
	bool is_whole = decoder->is_in_record;
	decoder->is_in_record = false;
	field_reader_finish(decoder->fields);
	if (is_whole && decoder->type->name)
		decoder->type->name(decoder->record, decoder->hash, &decoder->texts);
	if (is_whole && decoder->type->finish(decoder->vocabulary, decoder->record)) {
		decoder->answer.records++;
		decoder->take(decoder->context, decoder->record);
	} else {
		decoder->answer.skipped++;
	}
}

static void error_event(struct decoder *decoder, int id, const struct json_value *value)
{
	struct answer *answer = &decoder->answer;
	bool is_first = answer->error_count <= 1; /* the cause of the others */
	if (id == ID_ERROR) {
		answer->error_count += value->type != JSON_END;
	} else if (id == ID_ERROR_NUMBER) {
		uint64_t number = value->is_integer ? value->magnitude : 0;
		answer->nothing_found += number == ERROR_NOTHING_FOUND;
		answer->access_denied += number == ERROR_ACCESS_DENIED;
		answer->unknown_jobs += number == ERROR_UNKNOWN_JOB;
		answer->unauthentic += number == ERROR_UNAUTHENTIC;
	} else if (id == ID_ERROR_DESCRIPTION && is_first && !decoder->hash) {
		copy_text(answer->error_description, sizeof answer->error_description, value);
	} else if (id == ID_ERROR_TEXT && is_first) {
		copy_text(answer->error, sizeof answer->error, value);
	}
}

static bool on_value(void *context, int id, const struct json_value *value, struct error *err)
{
	struct decoder *decoder = context;
	struct answer *answer = &decoder->answer;
	switch (id) {
	case ID_LIST:
		answer->has_list |= value->type == JSON_ARRAY;
		break;
	case ID_RECORD:
		record_event(decoder, value);
		break;
	case ID_ERROR:
	case ID_ERROR_NUMBER:
	case ID_ERROR_TEXT:
	case ID_ERROR_DESCRIPTION:
		error_event(decoder, id, value);
		break;
	case ID_WARNING:
		answer->warning_count += value->type != JSON_END;
		break;
	case ID_WARNING_DESCRIPTION:
		if (answer->warning_count == 1 && !decoder->hash)
			copy_text(answer->warning, sizeof answer->warning, value);
		break;
	case ID_LAST_UPDATE:
		answer->last_update = value->is_integer ? value->magnitude : NUMBER_UNSET;
		break;
	case ID_RELEASE:
	case ID_RELEASE_22_05:
		copy_text(answer->release, sizeof answer->release, value);
		break;
	case ID_CLUSTER:
		copy_text(answer->cluster, sizeof answer->cluster, value);
		break;
	default:
		field_reader_take(decoder->fields, id, value);
		if (decoder->texts.bytes > RECORD_BYTES_MAX)
			return error_set(err, "a record takes more than %d MiB", RECORD_BYTES_MAX >> 20);
	}
	return true;
}

void decoder_hash(struct decoder *decoder, const struct name_hash *hash)
{
	decoder->hash = hash;
	field_reader_hash(decoder->fields, hash);
}

void decoder_start(struct decoder *decoder, record_fn *take, void *context)
{
	json_reader_free(decoder->reader);
	decoder->reader = json_reader_new(decoder->shape, JSON_LIMITS_DEFAULT, on_value, decoder);
	decoder->answer = (struct answer){.last_update = NUMBER_UNSET};
	decoder->take = take;
	decoder->context = context;
	decoder->is_in_record = false;
	decoder->fed = 0;
	/* Until the record begins nothing is below it, but a wrong body may say otherwise. */
	field_reader_start(decoder->fields, decoder->record, decoder->type->size);
}

bool decoder_feed(struct decoder *decoder, const char *bytes, size_t len, struct error *err)
{
	if (decoder->fed < 2 && decoder->fed + len > 1)
		decoder->answer.is_compact = !strchr(" \n\r\t", bytes[1 - decoder->fed]);
	decoder->fed += len;
	return json_reader_feed(decoder->reader, bytes, len, err);
}

bool decoder_finish(struct decoder *decoder, struct error *err)
{
	return json_reader_finish(decoder->reader, err);
}

const struct answer *decoder_answer(const struct decoder *decoder)
{
	return &decoder->answer;
}

void decoder_free(struct decoder *decoder)
{
	if (!decoder)
		return;
	json_reader_free(decoder->reader);
	field_reader_free(decoder->fields);
	json_shape_free(decoder->shape);
	arena_done(&decoder->texts);
	free(decoder->record);
	free(decoder);
}
