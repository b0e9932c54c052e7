#include "agree.h"

#include "base/memory.h"
#include "json/reader.h"
#include "tree.h"

#include <ctype.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>

struct answer {
	struct text document; /* borrowed */
	bool accepted; /* by json-c */
	bool only_lax; /* and that without JSON_TOKENER_STRICT */
	bool comparable; /* json-c has not lost anything that matters */
	struct json_object *tree; /* what json-c read, made valid UTF-8 */
	struct paths *paths;
	struct json_shape *shape;
	uint64_t events; /* a hash of what our reader reported at first; 0: not yet run */
	struct error refusal;
};

/* json-c tells a complete number from a cut one only by a NUL behind it. */
static bool parse_with_json_c(struct text document, int flags, struct json_object **ret_tree)
{
	struct json_tokener *tokener = json_tokener_new_ex(TREE_DEPTH + 1);
	json_tokener_set_flags(tokener, flags);
	*ret_tree = json_tokener_parse_ex(tokener, document.bytes, (int)document.len);
	enum json_tokener_error why = json_tokener_get_error(tokener);
	size_t end = json_tokener_get_parse_end(tokener);
	if (why == json_tokener_continue) {
		*ret_tree = json_tokener_parse_ex(tokener, "", 1);
		why = json_tokener_get_error(tokener);
	}
	json_tokener_free(tokener);
	if (why == json_tokener_success && end == document.len)
		return true;
	json_object_put(*ret_tree);
	*ret_tree = NULL;
	return false;
}

/* A strict json-c 0.18 refuses some documents that are right. It takes bytes from 0x80 for control characters where
 * char is signed (json-c issue 892), and refuses integers beyond 64 bits. It reads such documents without
 * JSON_TOKENER_STRICT. Then it shows what they say, and the test does not compare whether they are right. */
static bool is_misjudged(struct text document)
{
	size_t digits = 0;
	if (json_c_version_num() < (0 << 16 | 18 << 8))
		return false;
	for (size_t i = 0; i < document.len; i++) {
		digits = isdigit((unsigned char)document.bytes[i]) ? digits + 1 : 0;
		if (digits > 18 || (unsigned char)document.bytes[i] >= 0x80)
			return true;
	}
	return false;
}

/* json-c takes some pairs of escapes for a lone surrogate: those of U+1D800 to U+1DFFF, U+2D800 and so on. It looks at
 * the low 16 bits only (json-c pull request 893, open in 2026). */
static bool has_mistaken_pair(struct text document)
{
	const char *at = document.bytes, *end = at + document.len;
	for (; (at = memmem(at, (size_t)(end - at), "\\u", 2)); at += 2) {
		char pair[13] = "";
		unsigned high, low;
		memcpy(pair, at, (size_t)(end - at) < 12 ? (size_t)(end - at) : 12);
		if (sscanf(pair, "\\u%4x\\u%4x", &high, &low) == 2 && high >> 10 == 0xd800 >> 10 &&
		    low >> 10 == 0xdc00 >> 10 && (high & 0x3f) >= 0x36 && (high & 0x3f) <= 0x37)
			return true;
	}
	return false;
}

/* json-c cuts names at "\u0000". */
static bool is_comparable(struct text document)
{
	return !memmem(document.bytes, document.len, "\\u0000", 6) && !has_mistaken_pair(document);
}

struct answer *answer_new(struct text document)
{
	struct answer *answer = NEW(struct answer);
	struct json_object *raw = NULL;
	answer->document = document;
	answer->accepted = document.len && parse_with_json_c(document, JSON_TOKENER_STRICT, &raw);
	if (!answer->accepted && is_misjudged(document))
		answer->accepted = answer->only_lax = parse_with_json_c(document, 0, &raw);
	answer->comparable = document.len && is_comparable(document);
	answer->shape = json_shape_new();
	answer->paths = paths_new(answer->shape);
	if (!answer->accepted)
		return answer;
	if (!tree_copy(raw, &answer->tree))
		answer->comparable = false;
	json_object_put(raw);
	if (answer->comparable)
		paths_want(answer->paths, answer->tree);
	return answer;
}

void answer_free(struct answer *answer)
{
	json_object_put(answer->tree);
	paths_free(answer->paths);
	json_shape_free(answer->shape);
	free(answer);
}

static size_t random_size(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return 1 + (size_t)(*state >> 33) % (size_t)(1 << (*state >> 40) % 14);
}

static bool feed(struct answer *answer, struct json_reader *reader, size_t chunk, uint64_t seed, struct error *err)
{
	struct text rest = answer->document;
	bool ok = true;
	while (ok && rest.len) {
		size_t len = chunk ? chunk : random_size(&seed);
		if (len > rest.len)
			len = rest.len;
		char *copy = malloc(len); /* so that a sanitizer sees any access beyond it */
		memcpy(copy, rest.bytes, len);
		ok = json_reader_feed(reader, copy, len, err);
		free(copy);
		rest.bytes += len;
		rest.len -= len;
	}
	return ok && json_reader_finish(reader, err);
}

/* ---- the ways in which json-c 0.16 is laxer, each proved on the document ---- */

static bool is_bad_number(struct text document, size_t at)
{
	static const char characters[] = "0123456789+-.eE";
	size_t begin = at, end = at;
	while (begin > 0 && memchr(characters, document.bytes[begin - 1], sizeof characters - 1))
		begin--;
	while (end < document.len && memchr(characters, document.bytes[end], sizeof characters - 1))
		end++;
	char *token = memory_copy(document.bytes + begin, end - begin);
	regex_t right;
	regcomp(&right, "^-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][-+]?[0-9]+)?$", REG_EXTENDED | REG_NOSUB);
	bool bad = regexec(&right, token, 0, NULL, 0) != 0;
	regfree(&right);
	free(token);
	return bad;
}

static bool is_laxer(struct text document, const struct error *refusal)
{
	const char *last = strrchr(refusal->text, ' ');
	size_t at = last ? strtoul(last, NULL, 10) : SIZE_MAX;
	if (at >= document.len)
		/* "01" and "1." are complete for json-c */
		return at == document.len && strstr(refusal->text, "number") && is_bad_number(document, at);
	unsigned char c = (unsigned char)document.bytes[at];
	if (strncmp(refusal->text, "raw control character", 21) == 0)
		return c > 0 && c < 0x20;
	if (strncmp(refusal->text, "bad number", 10) == 0)
		return is_bad_number(document, at);
	return strncmp(refusal->text, "expected a name in double quotes", 32) == 0 && c == '\'';
}

/* ---- */

static enum agreement judge(struct answer *answer, bool ours, struct builder *builder, const struct error *err,
			    struct buf *why)
{
	if (!ours && (!answer->accepted || answer->only_lax))
		return BOTH_REFUSE;
	if (!ours) {
		if (is_laxer(answer->document, err))
			return ONLY_JSON_C_ACCEPTS;
		buf_printf(why, "only ours refuses: %s", err->text);
		return DISAGREE;
	}
	if (!answer->accepted) {
		buf_add_string(why, "only json-c refuses");
		return DISAGREE;
	}
	if (answer->comparable && !tree_equal(answer->tree, builder_tree(builder), why))
		return DISAGREE;
	return BOTH_ACCEPT;
}

enum agreement answer_compare(struct answer *answer, size_t chunk, uint64_t seed, struct buf *why)
{
	struct error err = {""};
	struct builder *builder = builder_new(answer->paths, answer->events == 0);
	struct json_limits limits = JSON_LIMITS_DEFAULT;
	limits.depth_max = TREE_DEPTH;
	struct json_reader *reader = json_reader_new(answer->shape, limits, builder_add, builder);
	bool ours = feed(answer, reader, chunk, seed, &err);
	enum agreement agreement;
	if (answer->events == 0) {
		answer->events = builder_hash(builder);
		answer->refusal = err;
		agreement = judge(answer, ours, builder, &err, why);
	} else if (strcmp(answer->refusal.text, err.text) != 0) {
		buf_printf(why, "chunks of %zu: '%s', before '%s'", chunk, err.text, answer->refusal.text);
		agreement = DISAGREE;
	} else if (answer->events != builder_hash(builder)) {
		buf_printf(why, "chunks of %zu: other events than before", chunk);
		agreement = DISAGREE;
	} else {
		agreement = ours				    ? BOTH_ACCEPT
			    : answer->accepted && !answer->only_lax ? ONLY_JSON_C_ACCEPTS
								    : BOTH_REFUSE;
	}
	json_reader_free(reader);
	builder_free(builder);
	return agreement;
}
