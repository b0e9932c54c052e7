#include "status/status.h"

#include "base/memory.h"

#include <stdlib.h>

const char *const standing_names[STANDINGS] = {
	[STANDING_NOT_ASKED] = "not_asked",
	[STANDING_UP] = "up",
	[STANDING_DOWN] = "down",
	[STANDING_NOT_SERVED] = "not_served",
	[STANDING_NOT_ALLOWED] = "not_allowed",
};

struct status *status_new(double made)
{
	struct status *status = NEW(struct status);
	*status = (struct status){.arena = ARENA_INIT,
				  .made = made,
				  .name = "",
				  .url = "",
				  .slurm_version = "",
				  .api_version = "",
				  .budgets_text = "",
				  .jobs_text = "",
				  .brake = 1,
				  .coverage = -1,
				  .token = {.source = "none"}};
	return status;
}

void status_free(struct status *status)
{
	if (!status)
		return;
	arena_done(&status->arena);
	free(status);
}

const char *status_copy(struct status *status, struct text text)
{
	return arena_copy(&status->arena, text).bytes;
}
