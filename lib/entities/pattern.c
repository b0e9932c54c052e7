#include "entities/pattern.h"

#include "base/memory.h"

#include <stdlib.h>
#include <tre/tre.h>

struct pattern_code {
	regex_t regex;
};

/* The bracket's end, or the end of the text: "[]abc]", "[^]]", "[[:alpha:]]". */
static const char *skip_bracket(const char *at)
{
	at += at[1] == '^' ? 2 : 1;
	if (*at == ']')
		at++;
	while (*at && *at != ']') {
		const char *end = *at == '[' && at[1] && strchr(":.=", at[1]) ? strchr(at + 2, ']') : NULL;
		at = end ? end + 1 : at + 1;
	}
	return at;
}

/* What libtre takes and POSIX does not define. It takes `a*?` for the shortest match, so it would not match whole names, and
 * a filter would let names pass. NULL: nothing. */
static const char *fault_of(const char *regex)
{
	enum { BEGINS, PART, REPEATED } before = BEGINS;
	for (const char *at = regex; *at; at++) {
		if (strchr("*+?{", *at) && before == BEGINS)
			return "nothing stands before the repetition";
		if (*at == '?' && before == REPEATED)
			return "`?` behind a repetition is not supported";
		before = strchr("(|", *at) || (*at == '^' && before == BEGINS) ? BEGINS
			 : strchr("*+?}", *at)				       ? REPEATED
									       : PART;
		if (*at == '[')
			at = skip_bracket(at);
		else if (*at == '\\' && at[1])
			at++;
		if (!*at)
			break;
	}
	return NULL;
}

bool pattern_set(struct pattern *pattern, const char *regex, struct error *err)
{
	struct pattern_code *code = NEW(struct pattern_code);
	int result = tre_regncomp(&code->regex, regex, strlen(regex), REG_EXTENDED);
	if (result != REG_OK) {
		char why[128];
		tre_regerror(result, &code->regex, why, sizeof why);
		free(code);
		return error_set(err, "%s: %s", regex, why);
	}
	*pattern = (struct pattern){code, code->regex.re_nsub};
	const char *fault =
		tre_have_backrefs(&code->regex) ? "back references such as \\1 are not supported" : fault_of(regex);
	if (!fault)
		return true;
	pattern_done(pattern);
	return error_set(err, "%s: %s", regex, fault);
}

void pattern_done(struct pattern *pattern)
{
	if (pattern->code)
		tre_regfree(&pattern->code->regex);
	free(pattern->code);
	*pattern = (struct pattern){NULL, 0};
}

/* POSIX requires the leftmost match, and of several the longest one. So if the pattern matches the whole name, that is
 * the match it returns, and the pattern needs no ^ and $. */
bool pattern_matches(const struct pattern *pattern, struct text name, struct text *ret_part)
{
	regmatch_t match[2] = {{-1, -1}, {-1, -1}};
	const char *bytes = name.len ? name.bytes : "";
	if (!pattern->code ||
	    tre_regnexec(&pattern->code->regex, bytes, name.len, ret_part ? 2 : 1, match, 0) != REG_OK ||
	    match[0].rm_so != 0 || (size_t)match[0].rm_eo != name.len)
		return false;
	if (ret_part && !pattern->captures)
		*ret_part = name;
	else if (ret_part)
		*ret_part = match[1].rm_so < 0
				    ? TEXT("")
				    : (struct text){bytes + match[1].rm_so, (size_t)(match[1].rm_eo - match[1].rm_so)};
	return true;
}

/* The size of a regular expression */

enum { DEPTH_MAX = 64, SIZE_MAX_COUNTED = 1 << 20 };

struct sizing {
	size_t sum[DEPTH_MAX]; /* of each open parenthesis: what stands in it so far, without its last part */
	size_t last[DEPTH_MAX];
	unsigned depth;
};

static size_t bounded(size_t size)
{
	return size < SIZE_MAX_COUNTED ? size : SIZE_MAX_COUNTED;
}

static void add_part(struct sizing *sizing, size_t size)
{
	sizing->sum[sizing->depth] = bounded(sizing->sum[sizing->depth] + sizing->last[sizing->depth]);
	sizing->last[sizing->depth] = size;
}

/* "{3}", "{2,5}", "{2,}": the last part stands there that often. */
static const char *count_repeats(struct sizing *sizing, const char *at)
{
	size_t times = 0, number = 0;
	for (at++; *at && *at != '}'; at++) {
		number = *at >= '0' && *at <= '9' ? bounded(number * 10 + (size_t)(*at - '0')) : 0;
		times = number > times ? number : times;
		times += *at == ',';
	}
	sizing->last[sizing->depth] = bounded(sizing->last[sizing->depth] * (times ? times : 1));
	return at;
}

size_t pattern_size(const char *regex)
{
	struct sizing sizing = {.depth = 0};
	for (const char *at = regex; *at; at++) {
		if (*at == '(') {
			if (sizing.depth + 1 == DEPTH_MAX)
				return SIZE_MAX_COUNTED;
			sizing.depth++;
			sizing.sum[sizing.depth] = sizing.last[sizing.depth] = 0;
		} else if (*at == ')' && sizing.depth) {
			size_t size = bounded(sizing.sum[sizing.depth] + sizing.last[sizing.depth]);
			sizing.depth--;
			add_part(&sizing, size);
		} else if (*at == '{') {
			at = count_repeats(&sizing, at);
		} else if (*at == '[') {
			at = skip_bracket(at);
			add_part(&sizing, 1);
		} else if (!strchr("*+?|", *at)) {
			at += *at == '\\' && at[1];
			add_part(&sizing, 1);
		}
		if (!*at)
			break;
	}
	return bounded(sizing.sum[0] + sizing.last[0]);
}
