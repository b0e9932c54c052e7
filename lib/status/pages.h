/* The pages that are made of the status of each cluster when somebody asks for them. */
#pragma once

#include "status/jobs_query.h"
#include "status/status.h"

/* A configuration that is read again while the process runs. */
struct status_configuration {
	bool is_there;
	bool is_newest; /* else the one before is still in force */
	double read; /* when the one in force was */
	const char *error; /* why the newest one is not taken; NULL: it is */
};

/* What is not of one cluster. All borrowed. */
struct status_site {
	double now;
	const char *version, *revision;
	const char *metrics_path; /* "/metrics" */
	struct status_configuration configuration, web_configuration;
	double certificate_expiry; /* of the server; 0: no TLS */
	bool refuses_calls; /* the sandbox, by seccomp */
	uint64_t landlock_abi; /* that it restricts writes by; 0: it does not */
	double started;
	double cpu_seconds;
	uint64_t resident_bytes;
	uint64_t scrapes;
	unsigned refresh_s; /* the browser is to ask again after so long; 0: never */
	const struct jobs_query *query; /* of the pages of jobs; NULL on others */
	const char *parameters; /* of this page besides cluster and refresh, quoted for a link; NULL: none */
	bool is_scoped; /* for somebody who may only see some jobs: nothing of the process, and no links to other pages */
	const char *chosen; /* the cluster that ?cluster= names, of several; NULL: none */
	const struct status *const *clusters;
	size_t cluster_count;
};

/* HTML: of all clusters, and of the only one. */
void pages_overview(const struct status_site *site, struct buf *out);
void pages_cluster(const struct status_site *site, struct buf *out);

void pages_json(const struct status_site *site, struct buf *out);
void pages_plan(const struct status_site *site, struct buf *out); /* plain text */

/* The jobs that `query` asks for. */
void pages_jobs(const struct status_site *site, struct buf *out);
void pages_jobs_json(const struct status_site *site, struct buf *out);

/* Writes in words what is missing of Slurm's answers; false: nothing. */
bool pages_not_ready(const struct status_site *site, struct buf *out);

extern const char pages_style[]; /* style.css */
extern const size_t pages_style_len;
extern const char pages_icon[]; /* icon.svg */
extern const size_t pages_icon_len;
/* What the pages may load: nothing but these two. */
extern const char pages_policy[];
