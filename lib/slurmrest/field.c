#include "slurmrest/field.h"

#include "base/memory.h"
#include "model/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Each row owns this many IDs: its value and the parts that the value may have. */
enum part { PART_VALUE, PART_SET, PART_INFINITE, PART_NUMBER, PART_ELEMENT, PARTS };

/* A number object that is being read. */
struct number_parts {
	bool is_set, is_infinite;
	struct json_value number;
};

struct field_reader {
	const struct field *fields;
	int rows;
	struct vocabulary *vocabulary;
	struct arena *texts;
	const struct name_hash *hash; /* NULL: names stay */
	int first_id, next_id; /* its own and those of its lists lie between */
	char *record;
	struct number_parts *numbers; /* one for each row: an object may have others in it */
	/* One for each row, NULL where it is no list; and what a list's reader has read so far. */
	struct field_reader **lists;
	char *element;
	char *items; /* in the arena of texts */
	size_t element_size, item_count, item_capacity;
	field_element_fn *take; /* NULL: elements are kept as items */
};

static int row_count(const struct field *fields)
{
	int rows = 0;
	while (fields[rows].path)
		rows++;
	return rows;
}

static void want(struct json_shape *shape, const char *record_path, const char *path, const char *suffix, int id)
{
	char whole[200];
	snprintf(whole, sizeof whole, "%s%s%s%s", record_path, *record_path ? "." : "", path, suffix);
	json_shape_want(shape, whole, id);
}

static void want_row(struct json_shape *shape, const char *record_path, const struct field *field, int id)
{
	switch (field->kind) {
	case FIELD_NUMBER:
	case FIELD_REAL:
		want(shape, record_path, field->path, ".set", id + PART_SET);
		want(shape, record_path, field->path, ".infinite", id + PART_INFINITE);
		want(shape, record_path, field->path, ".number", id + PART_NUMBER);
		break;
	case FIELD_TEXT:
	case FIELD_NAME:
	case FIELD_LIST:
	case FIELD_EACH:
		want(shape, record_path, field->path, "[]", id + PART_ELEMENT);
		break;
	case FIELD_BOOL:
		break;
	}
	want(shape, record_path, field->path, "", id + PART_VALUE);
}

/* The reader of a list's elements; its IDs follow those that are in use. */
static struct field_reader *list_reader_new(struct field_reader *reader, struct json_shape *shape,
					    const char *record_path, const struct field *field)
{
	char path[160];
	snprintf(path, sizeof path, "%s%s%s[]", record_path, *record_path ? "." : "", field->path);
	struct field_reader *list = field_reader_new(shape, path, reader->next_id, field->elements->fields,
						     reader->vocabulary, reader->texts);
	list->element_size = field->elements->size;
	list->element = memory_new(list->element_size);
	list->take = field->elements->take;
	reader->next_id = list->next_id;
	return list;
}

struct field_reader *field_reader_new(struct json_shape *shape, const char *record_path, int first_id,
				      const struct field *fields, struct vocabulary *vocabulary, struct arena *texts)
{
	struct field_reader *reader = NEW(struct field_reader);
	int rows = row_count(fields);
	*reader = (struct field_reader){.fields = fields,
					.rows = rows,
					.vocabulary = vocabulary,
					.texts = texts,
					.first_id = first_id,
					.next_id = first_id + rows * PARTS};
	reader->numbers = memory_new((size_t)rows * sizeof *reader->numbers);
	reader->lists = memory_new((size_t)rows * sizeof *reader->lists);
	for (int row = 0; row < rows; row++) {
		want_row(shape, record_path, &fields[row], first_id + row * PARTS);
		if (fields[row].elements)
			reader->lists[row] = list_reader_new(reader, shape, record_path, &fields[row]);
	}
	return reader;
}

void field_reader_hash(struct field_reader *reader, const struct name_hash *hash)
{
	reader->hash = hash;
	for (int row = 0; row < reader->rows; row++)
		if (reader->lists[row])
			field_reader_hash(reader->lists[row], hash);
}

void field_reader_start(struct field_reader *reader, void *record, size_t size)
{
	reader->record = record;
	memset(record, 0, size);
	for (int row = 0; row < reader->rows; row++) {
		char *member = reader->record + reader->fields[row].offset;
		if (reader->fields[row].kind == FIELD_NUMBER)
			*(uint64_t *)member = NUMBER_UNSET;
		else if (reader->fields[row].kind == FIELD_REAL)
			*(double *)member = NAN;
		else if (reader->lists[row])
			reader->lists[row]->item_count = reader->lists[row]->item_capacity = 0;
	}
}

void field_reader_finish(struct field_reader *reader)
{
	for (int row = 0; row < reader->rows; row++) {
		const struct field_reader *list = reader->lists[row];
		if (list && !list->take)
			*(struct list *)(reader->record + reader->fields[row].offset) =
				(struct list){list->items, list->item_count};
	}
}

void field_reader_free(struct field_reader *reader)
{
	if (!reader)
		return;
	for (int row = 0; row < reader->rows; row++)
		field_reader_free(reader->lists[row]);
	free(reader->numbers);
	free(reader->lists);
	free(reader->element);
	free(reader);
}

/* NO_VAL and INFINITE of 32 and 64 bits leak out of 22.05 as plain numbers (4294967294, -2), and -1
 * means unlimited there: SLURM_NO_VAL and SLURM_INFINITE in slurm.h (FIELDS.md, "Numbers"). */
static uint64_t number_of(const struct json_value *value, uint64_t scale)
{
	if (value->type != JSON_NUMBER || isnan(value->number))
		return NUMBER_UNSET;
	if (value->is_integer && value->is_negative && value->magnitude)
		return value->magnitude == 1 ? NUMBER_INFINITE : NUMBER_UNSET;
	if (value->is_integer && (value->magnitude == UINT32_MAX - 1 || value->magnitude == UINT64_MAX - 1))
		return NUMBER_UNSET;
	if (value->is_integer && (value->magnitude == UINT32_MAX || value->magnitude == UINT64_MAX))
		return NUMBER_INFINITE;
	if (scale == TIME && !value->number)
		return NUMBER_UNSET;
	scale = scale == TIME ? SECONDS : scale;
	if (value->is_integer && value->magnitude < NUMBER_UNSET / scale)
		return value->magnitude * scale;
	double scaled = value->number * (double)scale;
	if (scaled >= 0x1p64)
		return NUMBER_INFINITE;
	return scaled >= 0 ? (uint64_t)scaled : NUMBER_UNSET;
}

static double real_of(const struct json_value *value)
{
	return value->type == JSON_NUMBER ? value->number : NAN;
}

/* A plain number, or the parts of {"set":true,"infinite":false,"number":5}. */
static void take_number(struct field_reader *reader, int row, enum part part, const struct json_value *value)
{
	const struct field *field = &reader->fields[row];
	struct number_parts *parts = &reader->numbers[row];
	void *member = reader->record + field->offset;
	struct json_value number = *value;
	bool is_infinite = false;
	switch (part) {
	case PART_SET:
		parts->is_set = value->type == JSON_BOOL && value->boolean;
		return;
	case PART_INFINITE:
		parts->is_infinite = value->type == JSON_BOOL && value->boolean;
		return;
	case PART_NUMBER:
		parts->number = *value;
		return;
	default:
		if (value->type == JSON_OBJECT || value->type == JSON_ARRAY) { /* a list has no parts, but ends, too */
			parts->is_set = parts->is_infinite = false;
			parts->number.type = JSON_NULL;
			return;
		}
		if (value->type == JSON_END) {
			is_infinite = parts->is_infinite;
			number = parts->number;
			if (!parts->is_set)
				number.type = JSON_NULL;
		}
	}
	if (field->kind == FIELD_REAL)
		*(double *)member = is_infinite ? INFINITY : real_of(&number);
	else
		*(uint64_t *)member = is_infinite ? NUMBER_INFINITE : number_of(&number, field->scale);
}

static void grow_items(struct field_reader *list)
{
	list->item_capacity = list->item_capacity ? 2 * list->item_capacity : 16;
	char *grown = arena_new(list->texts, list->item_capacity * list->element_size);
	if (list->item_count)
		memcpy(grown, list->items, list->item_count * list->element_size);
	list->items = grown;
}

/* An object of a list begins or ends; whatever else is in the list is passed over. */
static void take_element(struct field_reader *reader, struct field_reader *list, const struct json_value *value)
{
	if (value->type == JSON_OBJECT) {
		field_reader_start(list, list->element, list->element_size);
	} else if (value->type == JSON_END && list->record) {
		list->record = NULL;
		if (list->take) {
			list->take(reader->record, list->element, reader->texts);
			return;
		}
		if (list->item_count == list->item_capacity)
			grow_items(list);
		memcpy(list->items + list->item_count++ * list->element_size, list->element, list->element_size);
	}
}

static void take_text(struct field_reader *reader, const struct field *field, enum part part,
		      const struct json_value *value)
{
	struct text *member = (struct text *)(reader->record + field->offset);
	if (value->type == JSON_ARRAY && part == PART_VALUE)
		*member = TEXT(""); /* arena_append appends to its own */
	if (value->type != JSON_STRING)
		return;
	struct text clean = arena_without_nul(reader->texts, value->text);
	if (field->hashed != HASHED_NONE)
		clean = name_hash(reader->hash, (enum hashed)field->hashed, clean, reader->texts);
	if (part == PART_ELEMENT)
		arena_append(reader->texts, member, ',', clean);
	else
		*member = arena_copy(reader->texts, clean);
}

static void take_row(struct field_reader *reader, int row, enum part part, const struct json_value *value)
{
	const struct field *field = &reader->fields[row];
	switch (field->kind) {
	case FIELD_NUMBER:
	case FIELD_REAL:
		take_number(reader, row, part, value);
		break;
	case FIELD_TEXT:
		take_text(reader, field, part, value);
		break;
	case FIELD_BOOL:
		*(bool *)(reader->record + field->offset) = value->type == JSON_BOOL && value->boolean;
		break;
	case FIELD_NAME:
		if (value->type == JSON_STRING)
			field->take(reader->vocabulary, reader->record, arena_without_nul(reader->texts, value->text));
		else if (value->type == JSON_ARRAY)
			field->take(reader->vocabulary, reader->record, TEXT(""));
		break;
	case FIELD_LIST:
	case FIELD_EACH:
		if (part == PART_ELEMENT)
			take_element(reader, reader->lists[row], value);
		break;
	}
}

void field_reader_take(struct field_reader *reader, int id, const struct json_value *value)
{
	int row = (id - reader->first_id) / PARTS;
	if (row < reader->rows) {
		take_row(reader, row, (enum part)((id - reader->first_id) % PARTS), value);
		return;
	}
	for (row = reader->rows - 1; row >= 0; row--) { /* the last list whose IDs begin at or before it */
		struct field_reader *list = reader->lists[row];
		if (list && list->first_id <= id) {
			if (list->record)
				field_reader_take(list, id, value);
			return;
		}
	}
}
