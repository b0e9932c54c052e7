#include "base/quote.h"

#include <ctype.h>

static const char replacement[] = "\xef\xbf\xbd";

static bool is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f;
}

/* Cuts the next character off and returns its length. If it is not valid UTF-8, cuts one byte off and returns 0. */
static struct text next_character(struct text *rest)
{
	struct text character = {rest->bytes, text_character(*rest)};
	size_t cut = character.len ? character.len : 1;
	rest->bytes += cut;
	rest->len -= cut;
	return character;
}

void quote_json(struct buf *out, struct text text)
{
	buf_add_char(out, '"');
	while (text.len) {
		struct text character = next_character(&text);
		if (!character.len)
			buf_add_string(out, replacement);
		else if (*character.bytes == '"' || *character.bytes == '\\')
			buf_printf(out, "\\%c", *character.bytes);
		else if (is_control(*character.bytes))
			buf_printf(out, "\\u%04x", (unsigned)*character.bytes);
		else
			buf_add_text(out, character);
	}
	buf_add_char(out, '"');
}

void quote_html(struct buf *out, struct text text)
{
	while (text.len) {
		struct text character = next_character(&text);
		char c = character.len ? *character.bytes : '\0';
		if (c == '&')
			buf_add_string(out, "&amp;");
		else if (c == '<')
			buf_add_string(out, "&lt;");
		else if (c == '>')
			buf_add_string(out, "&gt;");
		else if (c == '"')
			buf_add_string(out, "&#34;");
		else if (c == '\'')
			buf_add_string(out, "&#39;");
		else if (is_control(c) && c != '\n' && c != '\t')
			buf_add_string(out, replacement);
		else
			buf_add_text(out, character);
	}
}

void quote_url(struct buf *out, struct text text)
{
	for (size_t i = 0; i < text.len; i++)
		if (isalnum((unsigned char)text.bytes[i]) || (text.bytes[i] && strchr("-._~", text.bytes[i])))
			buf_add_char(out, text.bytes[i]);
		else
			buf_printf(out, "%%%02X", (unsigned char)text.bytes[i]);
}
