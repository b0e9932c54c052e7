#include "entities/caps.h"

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

/* POSIX requires the leftmost match, and of several the longest one. So if the pattern matches the whole name, that is
 * the match it returns, and the pattern needs no ^ and $. */
static bool matches(const struct pattern *pattern, struct text name)
{
	regmatch_t match = {.rm_so = 0, .rm_eo = (regoff_t)name.len};
	return pattern->is_set && regexec(&pattern->regex, name.len ? name.bytes : "", 1, &match, REG_STARTEND) == 0 &&
	       match.rm_so == 0 && (size_t)match.rm_eo == name.len;
}

static bool allows(const struct cap *cap, struct text name)
{
	return (!cap->allow.is_set || matches(&cap->allow, name)) && !matches(&cap->deny, name);
}

void caps_init(struct caps *caps)
{
	*caps = (struct caps){0};
	for (int kind = 0; kind < ENTITY_KINDS; kind++)
		caps->kinds[kind].max = UINT64_MAX;
}

void caps_done(struct caps *caps)
{
	for (int kind = 0; kind < ENTITY_KINDS; kind++) {
		pattern_done(&caps->kinds[kind].allow);
		pattern_done(&caps->kinds[kind].deny);
	}
}

bool caps_allow_name(const struct caps *caps, enum entity_kind kind, struct text name)
{
	return allows(&caps->kinds[kind], name);
}

bool caps_allow(const struct caps *caps, enum entity_kind kind, const struct text label[2])
{
	return allows(&caps->kinds[kind], label[0]) &&
	       (kind != ENTITY_USER || allows(&caps->kinds[ENTITY_ACCOUNT], label[1]));
}
