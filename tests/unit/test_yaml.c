/* The strict YAML reader: what it makes of documents, what it refuses and where, and hostile ones. */
#include "check.h"
#include "yaml/document.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* The tree as text: scalars 'so', "so" if they were quoted; places of scalars. */
static void show(struct buf *to, const struct yaml_node *node)
{
	if (!node) {
		buf_add_string(to, "nothing");
		return;
	}
	if (node->kind == YAML_SCALAR) {
		buf_printf(to, node->is_plain ? "%s" : "\"%s\"", node->text.bytes);
		return;
	}
	buf_add_char(to, node->kind == YAML_LIST ? '[' : '{');
	for (const struct yaml_node *item = node->first; item; item = item->next) {
		if (node->kind == YAML_MAP)
			buf_printf(to, "%s:", item->key.bytes);
		show(to, item);
		buf_add_string(to, item->next ? "," : "");
	}
	buf_add_char(to, node->kind == YAML_LIST ? ']' : '}');
}

static void test_documents(void)
{
	static const struct {
		struct text document;
		const char *want;
	} rows[] = {
		{TEXT(""), "nothing"},
		{TEXT("# only a comment\n"), "nothing"},
		{TEXT("---\n"), ""},
		{TEXT("a: 1\nb: two words\n"), "{a:1,b:two words}"},
		{TEXT("--- # begin\na: 1\n...\n# after\n"), "{a:1}"},
		{TEXT("a: \"1\"\nb: '2'\n\"c\": |\n  text\n  more\n"), "{a:\"1\",b:\"2\",c:\"text\nmore\n\"}"},
		{TEXT("a: [1, 2,]\nb: {c: d, e: }\n"), "{a:[1,2],b:{c:d,e:}}"},
		{TEXT("a:\n  - b: 1\n    c: 2\n  - d\n  -\n"), "{a:[{b:1,c:2},d,]}"},
		{TEXT("url: http://host:6820\nat: :9341\n"), "{url:http://host:6820,at::9341}"},
		{TEXT("\xef\xbb\xbf"
		      "a: \xc3\xa4\n"),
		 "{a:\xc3\xa4}"},
		{TEXT("\xff\xfe"
		      "a\0:\0 \0b\0"),
		 "{a:b}"}, /* UTF-16 */
		{TEXT("a: b # comment\r\nc: d#e\r\n"), "{a:b,c:d#e}"},
		{TEXT("<<: x\n"), "{<<:x}"}, /* a key like any other */
		{TEXT("1: one\nnull: none\n"), "{1:one,null:none}"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct error err = {""};
		struct buf got = BUF_INIT;
		check_row(rows[i].document.bytes);
		struct document *document = document_parse("f", rows[i].document, &err);
		CHECK_STRING(err.text, "");
		buf_add_string(&got, "");
		if (document)
			show(&got, document_root(document));
		CHECK_STRING(got.bytes ? got.bytes : "", rows[i].want);
		buf_done(&got);
		document_free(document);
	}
}

static void test_refused(void)
{
	static const struct {
		struct text document;
		const char *want;
	} rows[] = {
		{TEXT("a: 1\nb: 2\na: 3\n"), "f.yml:3:1: a: given twice"},
		{TEXT("x:\n  a: 1\n  'a': 3\n"), "f.yml:3:3: a: given twice"},
		{TEXT("{a: 1, b: {c: 1, c: 2}}"), "f.yml:1:18: c: given twice"},
		{TEXT("a: &x 1\nb: *x\n"), "f.yml:1:4: anchors (&name) are not read"},
		{TEXT("a: &x\n  b: 1\n"), "f.yml:1:4: anchors (&name) are not read"},
		{TEXT("a: &x [1]\n"), "f.yml:1:4: anchors (&name) are not read"},
		{TEXT("&k a: 1\n"), "f.yml:1:1: anchors (&name) are not read"},
		{TEXT("a: *x\n"), "f.yml:1:4: aliases (*name) are not read"},
		{TEXT("a: !!str 1\n"), "f.yml:1:4: tags (!name) are not read"},
		{TEXT("a: !include other.yml\n"), "f.yml:1:4: tags (!name) are not read"},
		{TEXT("!!map {a: 1}\n"), "f.yml:1:1: tags (!name) are not read"},
		{TEXT("a: !!seq [1]\n"), "f.yml:1:4: tags (!name) are not read"},
		{TEXT("%YAML 1.1\n---\na: 1\n"), "f.yml:1:1: directives (%) are not read"},
		{TEXT("%TAG ! tag:x,2000:\n---\na: 1\n"), "f.yml:1:1: directives (%) are not read"},
		{TEXT("a: 1\n---\nb: 1\n"), "f.yml:2:1: a second document"},
		{TEXT("a: 1\n...\n---\n"), "f.yml:3:1: a second document"},
		{TEXT("? [a, b]\n: 1\n"), "f.yml:1:3: a key has to be a text"},
		{TEXT("? {a: b}\n: 1\n"), "f.yml:1:3: a key has to be a text"},
		{TEXT("a: \"x\\0y\"\n"), "f.yml:1:4: a text with a NUL in it"},
		{TEXT("\"a\\0\": x\n"), "f.yml:1:1: a text with a NUL in it"},
		{TEXT("a: \0\n"), "f.yml: byte 3: control characters are not allowed"},
		{TEXT("a: \xff\n"), "f.yml: byte 3: invalid leading UTF-8 octet"},
		{TEXT("a: \xed\xa0\x80\n"), "f.yml: byte 3: invalid Unicode character"},
		{TEXT("a: 1\n\tb: 2\n"),
		 "f.yml:2:1: found a tab character that violates indentation, while scanning a plain scalar"},
		{TEXT("a: [1, 2\nb: 3\n"),
		 "f.yml:2:2: did not find expected ',' or ']', while parsing a flow sequence"},
		{TEXT("a: 'open\n"), "f.yml:2:1: found unexpected end of stream, while scanning a quoted scalar"},
		{TEXT("a: 1\n b: 2\n"), "f.yml:2:3: mapping values are not allowed in this context"},
		{TEXT("a: b: c\n"), "f.yml:1:5: mapping values are not allowed in this context"},
		{TEXT("a: @x\n"),
		 "f.yml:1:4: found character that cannot start any token, while scanning for the next token"},
		{TEXT("text\nb: 1\n"), "f.yml:2:2: mapping values are not allowed in this context"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct error err = {""};
		check_row(rows[i].document.bytes);
		struct document *document = document_parse("f.yml", rows[i].document, &err);
		CHECK(!document);
		CHECK_STRING(err.text, rows[i].want);
		document_free(document);
	}
}

static void repeat(struct buf *to, const char *what, size_t count)
{
	while (count--)
		buf_add_string(to, what);
}

/* Each is refused or read, at once and in bounded memory. */
static void test_hostile(void)
{
	static const struct {
		const char *name, *begin, *again;
		size_t count;
		const char *want; /* in the error; NULL: it is read */
	} rows[] = {
		{"deep lists", "", "[", 100000, "too deep"},
		{"deep maps", "", "{a: ", 100000, "too deep"},
		{"deep blocks", "", "- ", 500000, "too deep"},
		{"many items", "", "- x\n", 200000, "too many values"},
		{"one long text", "a: ", "x", 1000000, NULL},
		{"one long key", "", "k", 100000, NULL},
		{"many words", "a: ", "x ", 500000, NULL},
		{"many lines", "", "\n", 1000000, NULL},
		{"open questions", "", "? ", 500000, "a key has to be a text"},
		{"quotes", "a: '", "''", 400000, "unexpected end"},
		{"escapes", "a: \"", "\\x41", 200000, "unexpected end"},
		{"unfinished keys", "{", "a b,", 250000, "given twice"},
		{"anchors", "", "&a ", 300000, "anchor"},
		{"documents", "", "---\n", 250000, "a second document"},
		{"too large", "", "# comment\n", 110000, "larger than"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct error err = {""};
		struct buf bytes = BUF_INIT;
		check_row(rows[i].name);
		buf_add_string(&bytes, rows[i].begin);
		repeat(&bytes, rows[i].again, rows[i].count);
		clock_t begin = clock();
		struct document *document = document_parse("f", buf_text(&bytes), &err);
		double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
		CHECK((document != NULL) == (rows[i].want == NULL));
		CHECK(!rows[i].want || strstr(err.text, rows[i].want));
		if (seconds > 5 || (rows[i].want && !strstr(err.text, rows[i].want)))
			fprintf(stderr, "%s: %.1f s, %s\n", rows[i].name, seconds, err.text);
		CHECK(seconds < 5);
		document_free(document);
		buf_done(&bytes);
	}
}

/* As much as may be is read, and one more is not. */
static void test_limits(void)
{
	static const struct {
		const char *name, *begin, *again, *end; /* `end`: once for each `again` */
		size_t most;
		const char *want;
	} rows[] = {
		{"depth", "", "[", "]", YAML_DEPTH_MAX, "too deep"},
		{"depth of maps", "", "{a: ", "}", YAML_DEPTH_MAX - 1, "too deep"}, /* and what is in the last one */
		{"values", "", "- x\n", "", YAML_NODES_MAX - 1, "too many values"}, /* and their list */
		{"bytes", "x", "#", "", YAML_BYTES_MAX - 1, "larger than"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (size_t more = 0; more < 2; more++) {
			struct error err = {""};
			struct buf bytes = BUF_INIT;
			check_row(rows[i].name);
			buf_add_string(&bytes, rows[i].begin);
			repeat(&bytes, rows[i].again, rows[i].most + more);
			repeat(&bytes, rows[i].end, rows[i].most + more);
			struct document *document = document_parse("f", buf_text(&bytes), &err);
			CHECK((document != NULL) == !more);
			CHECK(!more == !strstr(err.text, rows[i].want));
			document_free(document);
			buf_done(&bytes);
		}
}

/* All keys are different: finding the one that is not takes no square time. */
static void test_many_keys(void)
{
	struct error err = {""};
	struct buf bytes = BUF_INIT;
	check_row("many keys");
	for (int i = 0; i < 90000; i++)
		buf_printf(&bytes, "k%d:\n", i);
	struct document *document = document_parse("f", buf_text(&bytes), &err);
	CHECK_STRING(err.text, "");
	CHECK(document && yaml_find(document_root(document), "k89999"));
	document_free(document);
	buf_done(&bytes);
}

/* Any bytes put into a good document, any cut: no crash, and an error whenever there is no document. */
static void test_random(void)
{
	static const char good[] = "a: [1, {b: c, d: 'e'}]\nf:\n  - g: \"h\\n\"\n    i: |\n      j\n  - k\n# l\nm: n\n";
	static const char odd[] = "\0\t\r\n\"'[]{}:,-?*&!|>%@#~\\ \xff\xc3\xa4";
	unsigned seed = 1;
	int read = 0;
	for (int round = 0; round < 20000; round++) {
		char bytes[sizeof good];
		memcpy(bytes, good, sizeof good);
		size_t len = sizeof good - 1 - (round % 3 ? 0 : (size_t)rand_r(&seed) % sizeof good);
		if (len > sizeof good)
			len = 0;
		for (int change = rand_r(&seed) % 4; change > 0; change--)
			bytes[(size_t)rand_r(&seed) % sizeof good] = odd[(size_t)rand_r(&seed) % sizeof odd];
		struct error err = {""};
		struct document *document = document_parse("f", (struct text){bytes, len}, &err);
		CHECK(document != NULL || strncmp(err.text, "f:", 2) == 0);
		read += document != NULL;
		document_free(document);
	}
	CHECK(read > 1000 && read < 19000);
}

static void test_places(void)
{
	struct error err = {""};
	check_row("places");
	struct document *document = document_parse("f", TEXT("# c\na:\n  b: 1\n  \xc3\xa4: [x,  y]\n"), &err);
	const struct yaml_node *a = yaml_find(document_root(document), "a"), *b = yaml_find(a, "b");
	const struct yaml_node *list = yaml_find(a, "\xc3\xa4");
	CHECK_NUMBER(a->key_position.line, 2);
	CHECK_NUMBER(a->key_position.column, 1);
	CHECK_NUMBER(b->key_position.line, 3);
	CHECK_NUMBER(b->position.column, 6);
	CHECK_NUMBER(list->first->next->position.column, 11); /* characters, not bytes */
	CHECK(!yaml_find(a, "c") && !yaml_find(b, "c") && !yaml_find(NULL, "c") && !yaml_find(list, "x"));
	CHECK(!document_wrong(document, b->position, &err, "%s", "no"));
	CHECK_STRING(err.text, "f:3:6: no");
	document_free(document);
}

static void test_scalars(void)
{
	struct error err = {""};
	struct document *document = document_parse("f", TEXT("[true, False, 'true', yes, 1, null, '', ~, , x]"), &err);
	CHECK(!document); /* an empty item of a list in brackets */
	document = document_parse("f", TEXT("[true, False, 'true', yes, 1, null, '', ~, x]"), &err);
	static const int want_bool[] = {1, 0, -1, -1, -1, -1, -1, -1, -1};
	static const bool want_null[] = {0, 0, 0, 0, 0, 1, 0, 1, 0};
	const struct yaml_node *node = document_root(document)->first;
	for (size_t i = 0; i < sizeof want_null; i++, node = node->next) {
		bool value = false;
		check_row(node->text.bytes);
		CHECK_NUMBER(yaml_to_bool(node, &value) ? value : -1, want_bool[i]);
		CHECK(yaml_is_null(node) == want_null[i]);
	}
	CHECK(node == NULL);
	document_free(document);
}

static void test_write(void)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{"/var/lib/x-1.db", "/var/lib/x-1.db"},
		{"60", "60"},
		{"", "\"\""},
		{"yes", "\"yes\""},
		{"null", "\"null\""},
		{"-x", "\"-x\""},
		{"...", "\"...\""},
		{":9341", "\":9341\""},
		{"a b", "\"a b\""},
		{"a\"b\\c\n\t\x7f", "\"a\\\"b\\\\c\\x0a\\x09\\x7f\""},
		{"\xc3\xa4", "\"\xc3\xa4\""},
		{"^(a|b).*$", "\"^(a|b).*$\""},
		{"a\xc2\x85"
		 "b\xc2\x9f",
		 "\"a\\x85b\\x9f\""},
		{"\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa", "\"\\u2028\\u2029\xe2\x80\xaa\""},
		{"# no comment", "\"# no comment\""},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct error err = {""};
		struct buf got = BUF_INIT;
		check_row(rows[i].text);
		yaml_write_text(&got, rows[i].text);
		CHECK_STRING(got.bytes, rows[i].want);
		struct document *document = document_parse("f", buf_text(&got), &err);
		CHECK_STRING(document ? document_root(document)->text.bytes : NULL, rows[i].text);
		document_free(document);
		buf_done(&got);
	}
}

static void test_files(void)
{
	char path[] = "/tmp/test-yaml-XXXXXX";
	struct error err = {""};
	check_row("files");
	int file = mkstemp(path);
	CHECK(write(file, "a: 1\n", 5) == 5);
	close(file);
	struct document *document = document_read(path, &err);
	CHECK(document && yaml_find(document_root(document), "a"));
	document_free(document);
	unlink(path);
	CHECK(!document_read(path, &err));
	CHECK(strncmp(err.text, path, strlen(path)) == 0 && strstr(err.text, "No such file"));
	CHECK(!document_read("/tmp", &err));
	CHECK_STRING(err.text, "/tmp: Is a directory");
	CHECK(!document_read("/dev/zero", &err));
	CHECK(strstr(err.text, "larger than"));
}

int main(void)
{
	test_documents();
	test_refused();
	test_hostile();
	test_limits();
	test_many_keys();
	test_random();
	test_places();
	test_scalars();
	test_write();
	test_files();
	return check_done();
}
