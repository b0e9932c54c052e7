/* What the exporter knows of itself. The daemon fills it in, and exporter_metrics.c writes it. */
#pragma once

#include "entities/histogram.h"

#include <stdbool.h>
#include <stdint.h>

enum { EXPORTER_ENDPOINTS_MAX = 17, EXPORTER_RESULTS_MAX = 16, EXPORTER_SCRAPE_ROWS = 9, EXPORTER_TASKS_MAX = 24 };

struct exporter_endpoint {
	const char *name;
	bool is_tried; /* false before its first request: then the page says only last_success */
	bool is_supported;
	bool is_up; /* the last answer was good, and its numbers are not too old for the page */
	bool is_optional; /* it may be missing or forbidden, and is then neither up nor down */
	bool is_forbidden;
	double last_success; /* Unix seconds; 0: never; an earlier process's while the page shows its numbers */
	double interval; /* seconds between polls now; 0: it is not polled */
	struct histogram request_seconds;
	uint64_t requests[EXPORTER_RESULTS_MAX]; /* by result */
	uint64_t response_bytes;
	uint64_t records_used, records_skipped;
};

/* One task of the planner, with its present strategy. */
struct exporter_task {
	const char *name, *strategy;
	bool is_in_use; /* else it has no row */
};

/* Shares of the time of the last ten minutes. */
struct exporter_duty {
	double slurmrestd, slurmctld;
	double slurmrestd_budget, slurmctld_budget;
};

struct exporter_scrapes {
	const char *format, *code;
	uint64_t count;
};

struct exporter_count {
	const char *label;
	uint64_t count;
};

enum { EXPORTER_WEB_DROPPED = 2, EXPORTER_WEB_REFUSED = 3 };

/* The HTTP server. */
struct exporter_web {
	bool is_there;
	bool has_config, is_config_good;
	double config_read; /* Unix seconds */
	int64_t certificate_expiry; /* Unix seconds; 0: no TLS */
	uint64_t connections;
	struct exporter_count dropped[EXPORTER_WEB_DROPPED], refused[EXPORTER_WEB_REFUSED];
};

/* Facts of this process, which belong to no cluster. */
struct exporter_process {
	const char *version, *revision, *compiler;
	struct exporter_scrapes scrapes[EXPORTER_SCRAPE_ROWS];
	bool config_is_loaded; /* whether the last attempt to load it succeeded */
	double config_loaded; /* Unix seconds: the last successful attempt */
	/* as client_golang's process collector names them */
	double cpu_seconds, start_time;
	uint64_t open_fds, max_fds, virtual_bytes, resident_bytes;
	struct exporter_web web;
};

/* Facts of one cluster's poller. */
struct exporter {
	double begin; /* Unix seconds: when its own counters were 0 */
	bool is_standby; /* another slurmscope leads: this one knows only what ping says */
	const char *const *result_names; /* of exporter_endpoint.requests */
	unsigned result_count;
	struct exporter_endpoint endpoints[EXPORTER_ENDPOINTS_MAX];
	unsigned endpoint_count;
	bool is_cut_off; /* slurmrestd does not answer: no endpoint is up */
	struct exporter_task tasks[EXPORTER_TASKS_MAX];
	unsigned task_count;
	struct exporter_duty duty;
	bool keeps_state; /* counters survive a restart */
	double state_commit; /* Unix seconds, of the last one; 0: never */
	uint64_t state_bytes; /* of the state file and what is beside it */
	uint64_t state_errors;
	double ends_known_until; /* Unix seconds: jobs that ended before are counted; 0: not known */
	double coverage; /* known jobs of those that diag counts, 0 to 1 */
	const char *user; /* that Slurm knows us as; NULL: unknown */
	int64_t token_expiry; /* Unix seconds; 0: none or unknown */
};

/* Samples of a family of the page being made. */
struct exporter_series {
	char name[96];
	uint64_t samples;
	uint64_t folded; /* samples of things that have no row of their own */
	bool has_folds; /* the family has a limit */
};
