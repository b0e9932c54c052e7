#include "entities/caps.h"

static bool allows(const struct cap *cap, struct text name)
{
	return (!cap->allow.code || pattern_matches(&cap->allow, name, NULL)) &&
	       !pattern_matches(&cap->deny, name, NULL);
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
