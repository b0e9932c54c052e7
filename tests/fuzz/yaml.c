/* The YAML reader: what is read can be written, and is then read as the same text. A document that is refused gives an
 * error that names it. */
#include "yaml/document.h"

#include "fuzz.h"

static void rewrite(const struct yaml_node *node)
{
	struct error err = {""};
	struct buf written = BUF_INIT;
	for (const struct yaml_node *item = node->first; item; item = item->next)
		rewrite(item);
	if (node->kind != YAML_SCALAR)
		return;
	yaml_write_text(&written, node->text.bytes);
	struct document *document = document_parse("written", buf_text(&written), &err);
	REQUIRE(document && text_equal(document_root(document)->text, node->text));
	document_free(document);
	buf_done(&written);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = {""};
	struct document *document = document_parse("f", (struct text){(const char *)data, size}, &err);
	REQUIRE(document || strncmp(err.text, "f:", 2) == 0);
	if (document && document_root(document))
		rewrite(document_root(document));
	document_free(document);
	return 0;
}
