#include "slurmrest/field.h"

#include "model/number.h"

#include <math.h>
#include <stdio.h>

/* Each row owns this many ids: its value and the parts that the value may have. */
enum part { PART_VALUE, PART_SET, PART_INFINITE, PART_NUMBER, PART_ELEMENT, PARTS };

static void want(struct json_shape *shape, const char *record_path, const char *path,
		 const char *suffix, int id)
{
	char whole[160];
	snprintf(whole, sizeof whole, "%s.%s%s", record_path, path, suffix);
	json_shape_want(shape, whole, id);
}

int field_want(struct json_shape *shape, const char *record_path, const struct field *fields,
	       int first_id)
{
	int id = first_id;
	for (const struct field *field = fields; field->path; field++, id += PARTS) {
		want(shape, record_path, field->path, "", id + PART_VALUE);
		if (field->kind == FIELD_NUMBER) {
			want(shape, record_path, field->path, ".set", id + PART_SET);
			want(shape, record_path, field->path, ".infinite", id + PART_INFINITE);
			want(shape, record_path, field->path, ".number", id + PART_NUMBER);
		} else if (field->kind != FIELD_BOOL) {
			want(shape, record_path, field->path, "[]", id + PART_ELEMENT);
		}
	}
	return id;
}

void field_start(struct field_reader *reader, void *record, size_t size)
{
	reader->record = record;
	memset(record, 0, size);
	for (const struct field *field = reader->fields; field->path; field++)
		if (field->kind == FIELD_NUMBER)
			*(uint64_t *)((char *)record + field->offset) = NUMBER_UNSET;
}

/* NO_VAL and INFINITE of 32 and 64 bits leak out of 22.05 as plain numbers (4294967294, -2), and -1
 * means unlimited there: SLURM_NO_VAL and SLURM_INFINITE in slurm.h. */
static uint64_t number_of(const struct json_value *value, uint64_t scale)
{
	if (value->type != JSON_NUMBER || isnan(value->number))
		return NUMBER_UNSET;
	if (value->is_integer && value->is_negative && value->magnitude)
		return value->magnitude == 1 ? NUMBER_INFINITE : NUMBER_UNSET;
	if (value->is_integer &&
	    (value->magnitude == UINT32_MAX - 1 || value->magnitude == UINT64_MAX - 1))
		return NUMBER_UNSET;
	if (value->is_integer && (value->magnitude == UINT32_MAX || value->magnitude == UINT64_MAX))
		return NUMBER_INFINITE;
	if (value->is_integer && value->magnitude < NUMBER_UNSET / scale)
		return value->magnitude * scale;
	double scaled = value->number * (double)scale;
	if (scaled >= 0x1p64)
		return NUMBER_INFINITE;
	return scaled >= 0 ? (uint64_t)scaled : NUMBER_UNSET;
}

static void take_number(struct field_reader *reader, const struct field *field, enum part part,
			const struct json_value *value)
{
	uint64_t *member = (uint64_t *)((char *)reader->record + field->offset);
	switch (part) {
	case PART_SET:
		reader->is_set = value->type == JSON_BOOL && value->boolean;
		break;
	case PART_INFINITE:
		reader->is_infinite = value->type == JSON_BOOL && value->boolean;
		break;
	case PART_NUMBER:
		reader->number = *value;
		break;
	default:
		if (value->type == JSON_OBJECT) {
			reader->is_set = reader->is_infinite = false;
			reader->number.type = JSON_NULL;
		} else if (value->type == JSON_END) {
			*member = reader->is_infinite ? NUMBER_INFINITE
				  : reader->is_set    ? number_of(&reader->number, field->scale)
						      : NUMBER_UNSET;
		} else {
			*member = number_of(value, field->scale);
		}
	}
}

/* U+0000 is valid in JSON, but ends a C string and is no part of any name: U+FFFD takes its place. */
static struct text copy_without_nul(struct arena *arena, struct text text)
{
	size_t nuls = 0;
	for (size_t i = 0; i < text.len; i++)
		nuls += !text.bytes[i];
	if (!nuls)
		return arena_copy(arena, text);
	char *copy = arena_new(arena, text.len + 2 * nuls + 1), *to = copy;
	for (size_t i = 0; i < text.len; i++)
		if (text.bytes[i])
			*to++ = text.bytes[i];
		else
			to = (char *)memcpy(to, "\xef\xbf\xbd", 3) + 3;
	return (struct text){copy, (size_t)(to - copy)};
}

static void take_text(struct field_reader *reader, const struct field *field, enum part part,
		      const struct json_value *value)
{
	struct text *member = (struct text *)((char *)reader->record + field->offset);
	if (value->type != JSON_STRING)
		return;
	if (part == PART_VALUE || !member->len) {
		*member = copy_without_nul(reader->texts, value->text);
		return;
	}
	struct text more = copy_without_nul(reader->texts, value->text);
	size_t len = member->len + 1 + more.len;
	char *joined = arena_new(reader->texts, len + 1);
	memcpy(joined, member->bytes, member->len);
	joined[member->len] = ',';
	memcpy(joined + member->len + 1, more.bytes, more.len);
	*member = (struct text){joined, len};
}

void field_take(struct field_reader *reader, int id, const struct json_value *value)
{
	const struct field *field = &reader->fields[id / PARTS];
	enum part part = (enum part)(id % PARTS);
	switch (field->kind) {
	case FIELD_NUMBER:
		take_number(reader, field, part, value);
		break;
	case FIELD_TEXT:
		take_text(reader, field, part, value);
		break;
	case FIELD_BOOL:
		*(bool *)((char *)reader->record + field->offset) =
			value->type == JSON_BOOL && value->boolean;
		break;
	case FIELD_NAME:
		if (value->type == JSON_STRING)
			field->take(reader->vocabulary, reader->record,
				    copy_without_nul(reader->texts, value->text));
		else if (value->type == JSON_ARRAY)
			field->take(reader->vocabulary, reader->record, TEXT(""));
		break;
	}
}
