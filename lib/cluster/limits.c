#include "cluster/limits.h"

bool pattern_set(struct pattern *pattern, const char *regex, struct error *err)
{
	int code = regcomp(&pattern->regex, regex, REG_EXTENDED);
	pattern->is_set = code == 0;
	if (pattern->is_set)
		return true;
	char why[128];
	regerror(code, &pattern->regex, why, sizeof why);
	return error_set(err, "%s: %s", regex, why);
}

void pattern_done(struct pattern *pattern)
{
	if (pattern->is_set)
		regfree(&pattern->regex);
	pattern->is_set = false;
}

/* The match that POSIX wants is the leftmost, and of those the longest: if the whole name matches, it is
 * the whole name. */
static bool matches(const struct pattern *pattern, struct text name)
{
	regmatch_t match = {.rm_so = 0, .rm_eo = (regoff_t)name.len};
	return pattern->is_set &&
	       regexec(&pattern->regex, name.len ? name.bytes : "", 1, &match, REG_STARTEND) == 0 &&
	       match.rm_so == 0 && (size_t)match.rm_eo == name.len;
}

static bool allows(const struct limit *limit, struct text name)
{
	return (!limit->allow.is_set || matches(&limit->allow, name)) &&
	       !matches(&limit->deny, name);
}

void limits_init(struct limits *limits)
{
	*limits = (struct limits){0};
	for (int kind = 0; kind < ENTITY_KINDS; kind++)
		limits->kinds[kind].max = UINT64_MAX;
}

void limits_done(struct limits *limits)
{
	for (int kind = 0; kind < ENTITY_KINDS; kind++) {
		pattern_done(&limits->kinds[kind].allow);
		pattern_done(&limits->kinds[kind].deny);
	}
}

bool limits_allow(const struct limits *limits, enum entity_kind kind, const struct text label[2])
{
	return allows(&limits->kinds[kind], label[0]) &&
	       (kind != ENTITY_USER || allows(&limits->kinds[ENTITY_ACCOUNT], label[1]));
}
