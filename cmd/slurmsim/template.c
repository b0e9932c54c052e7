#include "slurmsim/template.h"

#include "base/memory.h"
#include "slurmsim/fatal.h"

#include <json-c/json.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum part { PART_TEXT, PART_PLAIN, PART_SET, PART_INFINITE, PART_NUMBER, PART_LIST, PART_ROWS, PART_ONE, PART_IF };

struct piece {
	enum part part;
	size_t value; /* its number in the kind */
	const struct template *rows; /* of the records of a list */
	char *text; /* to write as it is; of PART_ONE what to write when there is none */
	size_t len; /* of PART_IF how many pieces are left out if the value is unset */
	int depth;
};

struct template
{
	const struct kind *kind;
	bool compact, old;
	struct piece *pieces;
	size_t count, capacity;
};

struct template_set {
	struct json_object *source;
	bool compact, old;
	struct {
		const char *name;
		struct template *template;
	} * answers;
	size_t count, capacity;
};

struct compiler {
	struct template_set *set;
	struct template *template;
	struct buf text; /* that is not in a piece yet */
};

static const struct {
	const char *suffix;
	enum part part;
} suffixes[] = {
	{".set", PART_SET},
	{".infinite", PART_INFINITE},
	{".number", PART_NUMBER},
	{".list", PART_LIST},
};

static void add_newline(struct buf *out, bool compact, int depth)
{
	if (!compact)
		buf_printf(out, "\n%*s", 2 * depth, "");
}

static void add_string(struct buf *out, const char *text)
{
	buf_add_char(out, '"');
	for (const char *c = text; *c; c++) {
		if (*c == '"' || *c == '\\' || *c == '/')
			buf_add_char(out, '\\');
		if ((unsigned char)*c < ' ')
			buf_printf(out, "\\u%04x", (unsigned)*c);
		else
			buf_add_char(out, *c);
	}
	buf_add_char(out, '"');
}

static struct piece *add_piece(struct compiler *compiler, enum part part, int depth)
{
	struct template *template = compiler->template;
	GROW(template->pieces, template->count, template->capacity);
	struct piece *piece = &template->pieces[template->count++];
	*piece = (struct piece){.part = part, .depth = depth};
	return piece;
}

static void end_text(struct compiler *compiler)
{
	struct buf *text = &compiler->text;
	if (!text->len)
		return;
	struct piece *piece = add_piece(compiler, PART_TEXT, 0);
	piece->text = memory_copy(text->bytes, text->len);
	piece->len = text->len;
	buf_clear(text);
}

/* The number of the value; in an answer's frame everything that has no name of its own is its
 * records. */
static size_t find_value(const struct kind *kind, struct text name)
{
	for (size_t i = 0; i < kind->count; i++)
		if (text_equal(text_of(kind->names[i]), name))
			return i;
	if (strcmp(kind->name, "answer") != 0)
		fatal("template %s: nobody fills in %.*s", kind->name, (int)name.len, name.bytes);
	return 0;
}

static struct template *compile(struct template_set *set, const char *name, const char *kind_name, int depth);

static void compile_marker(struct compiler *compiler, const char *marker, int depth)
{
	end_text(compiler);
	struct text rest = text_of(marker + 1), name = text_cut(&rest, '@');
	enum part part = text_starts_with(name, "rows:")  ? PART_ROWS
			 : text_starts_with(name, "one:") ? PART_ONE
							  : PART_PLAIN;
	if (part != PART_PLAIN)
		text_cut(&name, ':');
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
		size_t len = strlen(suffixes[i].suffix);
		if (name.len > len && memcmp(name.bytes + name.len - len, suffixes[i].suffix, len) == 0) {
			part = suffixes[i].part;
			name.len -= len;
		}
	}
	struct piece *piece = add_piece(compiler, part, depth);
	piece->value = find_value(compiler->template->kind, name);
	piece->text = memory_copy(rest.bytes, rest.len);
	piece->len = rest.len;
	if (part == PART_ROWS || part == PART_ONE) {
		char kind[64];
		text_to_string(name, kind, sizeof kind);
		piece->rows = compile(compiler->set, kind, kind, depth + (part == PART_ROWS));
	}
}

static void compile_value(struct compiler *compiler, struct json_object *value, int depth);

static void compile_member(struct compiler *compiler, const char *key, struct json_object *member, int depth)
{
	struct buf *text = &compiler->text;
	add_newline(text, compiler->set->compact, depth);
	add_string(text, key);
	buf_add_string(text, compiler->set->compact ? ":" : ": ");
	compile_value(compiler, member, depth);
}

/* "@if:value@name"; never an object's first member. */
static void compile_if(struct compiler *compiler, const char *key, struct json_object *member, int depth)
{
	struct text rest = text_of(key + strlen("@if:")), name = text_cut(&rest, '@');
	end_text(compiler);
	size_t number = compiler->template->count;
	add_piece(compiler, PART_IF, 0)->value = find_value(compiler->template->kind, name);
	buf_add_char(&compiler->text, ',');
	compile_member(compiler, rest.bytes, member, depth);
	end_text(compiler);
	compiler->template->pieces[number].len = compiler->template->count - number - 1;
}

static void compile_object(struct compiler *compiler, struct json_object *object, int depth)
{
	struct buf *text = &compiler->text;
	bool compact = compiler->set->compact, is_first = true;
	buf_add_char(text, '{');
	json_object_object_foreach(object, key, member)
	{
		if (text_starts_with(text_of(key), "@if:")) {
			compile_if(compiler, key, member, depth + 1);
			continue;
		}
		if (!is_first)
			buf_add_char(text, ',');
		is_first = false;
		compile_member(compiler, key, member, depth + 1);
	}
	if (!is_first)
		add_newline(text, compact, depth);
	buf_add_char(text, '}');
}

static void compile_list(struct compiler *compiler, struct json_object *list, int depth)
{
	struct buf *text = &compiler->text;
	bool compact = compiler->set->compact;
	size_t count = json_object_array_length(list);
	buf_add_char(text, '[');
	for (size_t i = 0; i < count; i++) {
		if (i)
			buf_add_char(text, ',');
		add_newline(text, compact, depth + 1);
		compile_value(compiler, json_object_array_get_idx(list, i), depth + 1);
	}
	if (count || compiler->set->old)
		add_newline(text, compact, depth);
	buf_add_char(text, ']');
}

static void compile_value(struct compiler *compiler, struct json_object *value, int depth)
{
	const char *string = json_object_get_string(value);
	if (json_object_is_type(value, json_type_object))
		compile_object(compiler, value, depth);
	else if (json_object_is_type(value, json_type_array))
		compile_list(compiler, value, depth);
	else if (json_object_is_type(value, json_type_string) && *string == '@')
		compile_marker(compiler, string, depth);
	else if (json_object_is_type(value, json_type_string))
		add_string(&compiler->text, string);
	else
		buf_add_string(&compiler->text, value ? string : "null");
}

static struct template *compile(struct template_set *set, const char *name, const char *kind_name, int depth)
{
	struct json_object *source = NULL;
	struct template *template = NEW(struct template);
	*template = (struct template){.kind = kind_find(kind_name), .compact = set->compact, .old = set->old};
	if (!template->kind || !json_object_object_get_ex(set->source, name, &source))
		fatal("no template %s", name);
	struct compiler compiler = {set, template, BUF_INIT};
	compile_value(&compiler, source, depth);
	end_text(&compiler);
	buf_done(&compiler.text);
	return template;
}

struct template_set *template_set_new(const char *json, bool compact, bool old)
{
	struct template_set *set = NEW(struct template_set);
	*set = (struct template_set){.source = json_tokener_parse(json), .compact = compact, .old = old};
	if (!set->source)
		fatal("the templates are not JSON");
	json_object_object_foreach(set->source, name, source)
	{
		(void)source;
		if (!text_starts_with(text_of(name), "answer."))
			continue;
		GROW(set->answers, set->count, set->capacity);
		set->answers[set->count].name = name + strlen("answer.");
		set->answers[set->count++].template = compile(set, name, "answer", 0);
	}
	return set;
}

const struct template *template_find(const struct template_set *set, const char *name)
{
	for (size_t i = 0; i < set->count; i++)
		if (strcmp(set->answers[i].name, name) == 0)
			return set->answers[i].template;
	return NULL;
}

static void write_real(struct buf *out, double real)
{
	char text[40];
	snprintf(text, sizeof text, "%.17g", real);
	buf_add_string(out, text);
	if (!strpbrk(text, ".e"))
		buf_add_string(out, ".0");
}

static void write_plain(struct buf *out, const struct value *value)
{
	switch (value->kind) {
	case VALUE_NUMBER:
		buf_printf(out, "%lld", (long long)value->number);
		break;
	case VALUE_REAL:
		write_real(out, value->real);
		break;
	case VALUE_BOOL:
		buf_add_string(out, value->number ? "true" : "false");
		break;
	case VALUE_TEXT:
		add_string(out, value->text);
		break;
	case VALUE_WORDS:
		add_string(out, *value->words ? *value->words : "");
		break;
	case VALUE_INFINITE:
		buf_add_string(out, "-1");
		break; /* as 22.05 has it */
	case VALUE_UNSET:
	case VALUE_ROWS:
		buf_add_string(out, "null");
		break;
	}
}

static void write_words(const struct template *template, const struct piece *piece, const struct value *value,
			struct buf *out)
{
	const char *const *word = value->kind == VALUE_WORDS ? value->words : NULL;
	bool any = word && *word;
	buf_add_char(out, '[');
	for (; word && *word; word++) {
		add_newline(out, template->compact, piece->depth + 1);
		add_string(out, *word);
		if (word[1])
			buf_add_char(out, ',');
	}
	if (any || template->old)
		add_newline(out, template->compact, piece->depth);
	buf_add_char(out, ']');
}

static void write_piece(const struct template *template, const struct piece *piece, const struct value *values,
			struct buf *out, struct arena *scratch);

static void write_record(const struct template *template, const struct value *values, struct buf *out,
			 struct arena *scratch)
{
	for (size_t i = 0; i < template->count; i++) {
		const struct piece *piece = &template->pieces[i];
		if (piece->part != PART_IF)
			write_piece(template, piece, values, out, scratch);
		else if (values[piece->value].kind == VALUE_UNSET)
			i += piece->len;
	}
}

/* The next record of a list, with what stands before it; false at the list's end, which is written.
 */
static bool write_row(const struct template *template, const struct piece *piece, struct rows *rows, bool is_first,
		      struct buf *out, struct arena *scratch)
{
	struct value values[VALUES_MAX];
	memset(values, 0, piece->rows->kind->count * sizeof *values);
	bool is_one = piece->part == PART_ONE;
	if (!rows || !rows->next(rows, values, scratch)) {
		if (is_one) {
			buf_add(out, is_first ? piece->text : "", is_first ? piece->len : 0);
			return false;
		}
		if (is_first)
			buf_add_char(out, '[');
		if (!is_first || template->old)
			add_newline(out, template->compact, piece->depth);
		buf_add_char(out, ']');
		return false;
	}
	if (!is_one) {
		buf_add_char(out, is_first ? '[' : ',');
		add_newline(out, template->compact, piece->depth + 1);
	}
	write_record(piece->rows, values, out, scratch);
	return true;
}

static void write_piece(const struct template *template, const struct piece *piece, const struct value *values,
			struct buf *out, struct arena *scratch)
{
	const struct value *value = &values[piece->value];
	bool is_known = value->kind != VALUE_UNSET && value->kind != VALUE_INFINITE;
	switch (piece->part) {
	case PART_IF:
		break; /* write_record() */
	case PART_TEXT:
		buf_add(out, piece->text, piece->len);
		break;
	case PART_PLAIN:
		write_plain(out, value);
		break;
	case PART_SET:
		buf_add_string(out, is_known ? "true" : "false");
		break;
	case PART_INFINITE:
		buf_add_string(out, value->kind == VALUE_INFINITE ? "true" : "false");
		break;
	case PART_NUMBER:
		if (is_known)
			write_plain(out, value);
		else
			buf_add_char(out, '0');
		break;
	case PART_LIST:
		write_words(template, piece, value, out);
		break;
	case PART_ROWS:
	case PART_ONE:
		for (bool is_first = true;; is_first = false)
			if (!write_row(template, piece, value->kind == VALUE_ROWS ? value->rows : NULL, is_first, out,
				       scratch))
				break;
		break;
	}
}

bool writer_write(struct writer *writer, const struct value *values, struct buf *out, size_t budget)
{
	const struct template *template = writer->template;
	while (writer->piece < template->count && out->len <= budget) {
		const struct piece *piece = &template->pieces[writer->piece];
		arena_clear(&writer->scratch);
		if (piece->part != PART_ROWS) {
			write_piece(template, piece, values, out, &writer->scratch);
			writer->piece++;
			continue;
		}
		const struct value *value = &values[piece->value];
		writer->has_rows = write_row(template, piece, value->kind == VALUE_ROWS ? value->rows : NULL,
					     !writer->has_rows, out, &writer->scratch);
		if (!writer->has_rows)
			writer->piece++;
	}
	return writer->piece < template->count;
}

void writer_done(struct writer *writer)
{
	arena_done(&writer->scratch);
}

const char *scratch_printf(struct arena *scratch, const char *format, ...)
{
	char text[4096];
	va_list arguments;
	va_start(arguments, format);
	int len = vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	return arena_copy(scratch, (struct text){text, (size_t)len < sizeof text ? (size_t)len : sizeof text - 1})
		.bytes;
}
