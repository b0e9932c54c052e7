/* What an answer costs grows no faster than the answer, whatever is in it. Each row of each field table gets values
 * of several shapes, and each shape is decoded at two sizes. Ten times the size may cost twelve times the work and
 * memory. */
#include "counted.h"
#include "model/hostlist.h"
#include "model/tres.h"
#include "slurmrest/decode.h"

#include "base/buf.h"

static void repeat(struct buf *json, const char *unit, unsigned units)
{
	for (unsigned i = 0; i < units; i++)
		buf_add_string(json, unit);
}

/* A value of a member, of a size that grows with `units`. */
typedef void shape_fn(struct buf *json, const struct field *field, unsigned units);

static void text_shape(struct buf *json, const char *unit, unsigned units)
{
	buf_add_char(json, '"');
	repeat(json, unit, units);
	buf_add_char(json, '"');
}

static void words(struct buf *json, const struct field *field, unsigned units)
{
	(void)field;
	text_shape(json, "a,1-2,", units);
}

static void resources(struct buf *json, const struct field *field, unsigned units)
{
	(void)field;
	text_shape(json, "gres/a=1,gres/a:b=1,", units);
}

static void nuls(struct buf *json, const struct field *field, unsigned units)
{
	(void)field;
	text_shape(json, "\\u0000", units);
}

static void options(struct buf *json, const struct field *field, unsigned units)
{
	(void)field;
	text_shape(json, "-p -pa ", units);
}

static void list_of_words(struct buf *json, const struct field *field, unsigned units)
{
	(void)field;
	buf_add_string(json, "[\"a\"");
	repeat(json, ",\"b\",{},1,[]", units);
	buf_add_char(json, ']');
}

static void open_path(struct buf *json, const char *path)
{
	for (; *path; path++)
		if (*path == '.')
			buf_add_string(json, "\":{\"");
		else
			buf_add_char(json, *path);
}

static void close_path(struct buf *json, const char *path)
{
	for (; *path; path++)
		if (*path == '.')
			buf_add_char(json, '}');
}

static void list_of_objects(struct buf *json, const struct field *field, unsigned units)
{
	buf_add_string(json, "[null");
	for (unsigned i = 0; i < units; i++) {
		buf_add_string(json, ",{\"x\":1");
		for (const struct field *part = field->elements ? field->elements->fields : NULL; part && part->path;
		     part++) {
			buf_add_string(json, ",\"");
			open_path(json, part->path);
			buf_add_string(json, part->kind == FIELD_TEXT ? "\":\"ab\"" : "\":1");
			close_path(json, part->path);
		}
		buf_add_char(json, '}');
	}
	buf_add_char(json, ']');
}

static void number_object(struct buf *json, const struct field *field, unsigned units)
{
	(void)field;
	buf_add_char(json, '{');
	repeat(json, "\"set\":true,\"infinite\":false,\"number\":1,", units);
	buf_add_string(json, "\"set\":true}");
}

static const struct {
	const char *name;
	shape_fn *write;
} shapes[] = {{"words", words},		 {"resources", resources},	     {"NULs", nuls},
	      {"options", options},	 {"a list of words", list_of_words}, {"a list of objects", list_of_objects},
	      {"numbers", number_object}};

/* The record with all that makes it whole, and the member. Records are `records`, names of the member `names`. */
static void write_answer(struct buf *json, const struct record_type *type, const struct field *field, shape_fn *shape,
			 unsigned units, unsigned records, unsigned names)
{
	struct text other = text_of(type->list);
	char list[32];
	text_to_string(text_cut(&other, '|'), list, sizeof list);
	buf_clear(json);
	buf_add_char(json, '{');
	if (*list) {
		buf_add_char(json, '"');
		open_path(json, list);
		buf_add_string(json, type->is_single ? "\":" : "\":[");
	}
	for (unsigned record = 0; record < records; record++) {
		buf_add_string(json, record ? ",{" : *list ? "{" : "");
		buf_add_string(json, "\"job_id\":1,\"job_state\":\"PENDING\",\"name\":\"n\"");
		for (unsigned name = 0; name < names; name++) {
			buf_add_string(json, ",\"");
			open_path(json, field->path);
			buf_add_string(json, "\":");
			shape(json, field, units);
			close_path(json, field->path);
		}
		buf_add_string(json, *list ? "}" : "");
	}
	buf_add_string(json, *list && !type->is_single ? "]" : "");
	close_path(json, list);
	buf_add_char(json, '}');
}

static void take_nothing(void *context, const void *record)
{
	(void)context, (void)record;
}

static struct cost decode(const struct record_type *type, const struct buf *json)
{
	struct vocabulary vocabulary;
	struct error err = {""};
	vocabulary_init(&vocabulary);
	struct decoder *decoder = decoder_new(type, &vocabulary);
	spent = (struct cost){0};
	decoder_start(decoder, take_nothing, NULL);
	CHECK(decoder_feed(decoder, json->bytes, json->len, &err));
	CHECK(decoder_finish(decoder, &err));
	struct cost cost = spent;
	CHECK_STRING(err.text, "");
	decoder_free(decoder);
	vocabulary_done(&vocabulary);
	return cost;
}

static void check_answers(const struct record_type *type, const struct field *field, size_t shape)
{
	static const struct {
		const char *what;
		unsigned units, records, names; /* what is as large as it may be */
	} rows[] = {{"its size", SMALL, 1, 1}, {"records", 1, SMALL, 1}, {"names", 1, 1, SMALL}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct buf json = BUF_INIT;
		struct cost costs[2];
		char what[160];
		if (rows[i].records > 1 && (type->is_single || !*type->list))
			continue;
		for (unsigned large = 0; large < 2; large++) {
			unsigned times = large ? TIMES : 1;
			write_answer(&json, type, field, shapes[shape].write,
				     rows[i].units == SMALL ? SMALL * times : 1,
				     rows[i].records == SMALL ? SMALL * times : 1,
				     rows[i].names == SMALL ? SMALL * times : 1);
			costs[large] = decode(type, &json);
		}
		snprintf(what, sizeof what, "%s: %s: %s, %s", type->list, field->path, shapes[shape].name,
			 rows[i].what);
		check_cost(what, &costs[0], &costs[1]);
		buf_done(&json);
	}
}

static void test_answers(void)
{
	static const struct record_type *const types[] = {
		&job_record,	 &job_state_record, &job_run_record,	 &node_record, &partition_record,
		&ping_record,	 &diag_record,	    &dbd_diag_record,	 &conf_record, &fairshare_record,
		&license_record, &qos_record,	    &association_record, &user_record, &reservation_record};
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		for (const struct field *field = types[i]->fields; field->path; field++)
			for (size_t shape = 0; shape < sizeof shapes / sizeof *shapes; shape++)
				check_answers(types[i], field, shape);
}

static void count_name(void *context, struct text name)
{
	(void)name;
	++*(unsigned *)context;
}

static void read_hostlist(struct text list)
{
	unsigned count = 0;
	uint64_t left = 1000000;
	CHECK(hostlist_each(list, &left, count_name, &count));
	CHECK(count > 0);
}

static void read_gres(struct text list)
{
	struct gres gres;
	while (gres_next(&list, &gres))
		continue;
}

static void read_tres_gres(struct text list)
{
	struct gres gres[TRES_GRES_MAX];
	CHECK(tres_gres(list, gres) > 0);
}

/* What is made of texts of a record. Nodes come in two dimensions, too: `bracket` opens a second one, whose first has as many
 * nodes as there are units. */
static void test_texts(void)
{
	static const struct {
		const char *what;
		void (*read)(struct text list);
		const char *begin, *bracket, *unit, *end;
	} rows[] = {
		{"GRES of a job", read_tres_gres, "", NULL, "gres/a=1,", ""},
		{"GRES of a job, half of them typed", read_tres_gres, "", NULL, "gres/a:b=1,gres/c=1,", ""},
		{"GRES of a node", read_gres, "", NULL, "gpu:a100:4(S:0-1),", ""},
		{"GRES of a node that is all types", read_gres, "gpu", NULL, ":a", ""},
		{"GRES of a node that is all brackets", read_gres, "gpu", NULL, "(", ""},
		{"nodes", read_hostlist, "", NULL, "n1,", ""},
		{"nodes in brackets", read_hostlist, "n[", NULL, "1,", "1]"},
		{"a long name", read_hostlist, "n", "", "aaaa", ""},
		{"a long name before brackets", read_hostlist, "n", "", "aaaa", "[1]"},
		{"closing brackets", read_hostlist, "n", "", "]", ""},
		{"no range", read_hostlist, "n", "[", ",", "]"},
		{"a long number", read_hostlist, "n", "[", "0000", "1]"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct cost costs[2];
		check_row(rows[i].what);
		for (unsigned large = 0; large < 2; large++) {
			struct buf list = BUF_INIT;
			unsigned units = SMALL * (large ? TIMES : 1);
			buf_add_string(&list, rows[i].begin);
			if (rows[i].bracket)
				buf_printf(&list, "[1-%u]%s", 4 * units, rows[i].bracket);
			repeat(&list, rows[i].unit, units);
			buf_add_string(&list, rows[i].end);
			spent = (struct cost){0};
			rows[i].read(buf_text(&list));
			costs[large] = spent;
			buf_done(&list);
		}
		check_cost(rows[i].what, &costs[0], &costs[1]);
	}
}

int main(void)
{
	test_answers();
	test_texts();
	return check_done();
}
