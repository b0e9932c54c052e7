/* Which path is which endpoint, and which template and rows it is answered with. */
#pragma once

#include "slurmsim/view.h"

struct route {
	enum endpoint endpoint;
	bool is_db, has_id; /* of slurmdbd; the path goes on with an ID or a name */
	const char *path; /* below the version */
	const char *answer; /* the template */
	int since; /* the first version */
	struct rows (*rows)(const struct view *view);
};

/* NULL if that version does not serve the path; what comes after the path is put into *ret_id. */
const struct route *route_find(bool is_db, int version, const char *path, const char **ret_id);
