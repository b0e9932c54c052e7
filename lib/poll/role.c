#include "poll/role.h"

#include <stdio.h>
#include <strings.h>

/* A single answer may come from the middle of a fail-over. Taking over late costs a poll; two leaders ask Slurm
 * twice. */
enum { FIRST_IN_A_ROW = 2 };

/* Are they the same host? Compares up to the first dot, whatever the case: slurm.conf and hostname(1) may differ in both. */
static bool is_host(const char *a, const char *b)
{
	size_t len = strcspn(a, ".");
	return len && len == strcspn(b, ".") && strncasecmp(a, b, len) == 0;
}

void role_note(struct role *role, const char *host, const struct controller_state *controllers, unsigned count)
{
	const struct controller_state *serving = NULL;
	role->is_named = false;
	for (unsigned i = 0; i < count; i++) {
		role->is_named |= is_host(controllers[i].host, host);
		if (!serving && controllers[i].is_up)
			serving = &controllers[i];
	}
	snprintf(role->serving, sizeof role->serving, "%s", serving ? serving->host : "");
	if (!serving) {
		role->first = 0;
		return;
	}
	bool is_ours = is_host(serving->host, host);
	role->first = is_ours ? role->first + 1 : 0;
	if (!is_ours || !role->is_known || role->first >= FIRST_IN_A_ROW)
		role->leads = is_ours;
	role->is_known = true;
}

void role_note_failure(struct role *role)
{
	role->first = 0;
}
