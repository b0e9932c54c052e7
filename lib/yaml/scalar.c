/* What plain scalars mean, and how to write a text so that no reader takes it for something else. */
#include "yaml/document.h"

#include <string.h>

static bool is_one_of(struct text text, const char *const *words)
{
	for (; *words; words++)
		if (text_equal(text, text_of(*words)))
			return true;
	return false;
}

bool yaml_is_null(const struct yaml_node *node)
{
	static const char *const words[] = {"", "~", "null", "Null", "NULL", NULL};
	return node->kind == YAML_SCALAR && node->is_plain && is_one_of(node->text, words);
}

bool yaml_to_bool(const struct yaml_node *node, bool *ret_value)
{
	static const char *const yes[] = {"true", "True", "TRUE", NULL};
	static const char *const no[] = {"false", "False", "FALSE", NULL};
	if (node->kind != YAML_SCALAR || !node->is_plain)
		return false;
	bool is_yes = is_one_of(node->text, yes);
	if (!is_yes && !is_one_of(node->text, no))
		return false;
	*ret_value = is_yes;
	return true;
}

/* Only a text that looks like a name, a path or a number. It must not be a word that some reader of YAML takes for
 * something else. */
static bool can_be_plain(const char *text)
{
	static const char *const words[] = {"null", "Null", "NULL", "true", "True", "TRUE", "false", "False", "FALSE",
					    "yes",  "Yes",  "YES",  "no",   "No",   "NO",   "on",    "On",    "ON",
					    "off",  "Off",  "OFF",  "y",    "Y",    "n",    "N",     NULL};
	static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-";
	return *text && !strchr(".-_", *text) && text[strspn(text, safe)] == '\0' && !is_one_of(text_of(text), words);
}

/* Writes the first character, escaped if it would mean something else; returns its bytes. */
static size_t write_character(struct buf *to, const char *text)
{
	const unsigned char *bytes = (const unsigned char *)text;
	if (bytes[0] == '"' || bytes[0] == '\\')
		buf_printf(to, "\\%c", bytes[0]);
	else if (bytes[0] < ' ' || bytes[0] == 0x7f)
		buf_printf(to, "\\x%02x", bytes[0]);
	else if (bytes[0] == 0xc2 && bytes[1] < 0xa0) /* controls; U+0085 breaks lines */
		buf_printf(to, "\\x%02x", bytes[1]);
	else if (strncmp(text, "\u2028", 3) == 0 || strncmp(text, "\u2029", 3) == 0)
		buf_printf(to, "\\u20%02x", bytes[2] - 0x80);
	else
		buf_add_char(to, *text);
	return bytes[0] == 0xc2 && bytes[1] < 0xa0						? 2
	       : bytes[0] == 0xe2 && bytes[1] == 0x80 && (bytes[2] == 0xa8 || bytes[2] == 0xa9) ? 3
												: 1;
}

void yaml_write_text(struct buf *to, const char *text)
{
	if (can_be_plain(text)) {
		buf_add_string(to, text);
		return;
	}
	buf_add_char(to, '"');
	while (*text)
		text += write_character(to, text);
	buf_add_char(to, '"');
}
