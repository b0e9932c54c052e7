/* Is the cluster well, and is the exporter? What the facts mean, in sentences. Pure. */
#pragma once

#include "status/pages.h"

enum severity {
	SEVERITY_NONE,
	SEVERITY_NOTE, /* worth knowing, nothing is wrong */
	SEVERITY_UNKNOWN, /* not known (yet) */
	SEVERITY_WARNING,
	SEVERITY_BAD,
	SEVERITIES,
};
extern const char *const severity_names[SEVERITIES];

struct finding {
	enum severity severity;
	char *text; /* owned */
};

struct findings {
	struct finding *items;
	size_t count, capacity;
	enum severity worst;
};

#define FINDINGS_INIT                                                                                                  \
	{                                                                                                              \
		NULL, 0, 0, SEVERITY_NONE                                                                              \
	}

/* The verdict that follows from the worst finding: "well", "unknown", "warning" or "bad". */
const char *findings_verdict(const struct findings *findings);

/* Both add to what is there, the worst first. `now` is in Unix seconds, and so is that of the site. */
void findings_of_cluster(const struct status *status, double now, struct findings *findings);
void findings_of_exporter(const struct status_site *site, const struct status *status, struct findings *findings);
void findings_done(struct findings *findings);
