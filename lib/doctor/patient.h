/* What the examinations share: the connection, and what the answers said. */
#pragma once

#include "config/config.h"
#include "config/task.h"
#include "doctor/report.h"
#include "model/user.h"
#include "plan/plan.h"
#include "poll/health.h"

/* The last request to an endpoint. */
struct asked {
	bool is_asked;
	enum fetch_result result;
	struct error why; /* it failed */
	struct answer answer;
	struct http_reply reply;
};

struct patient {
	const struct config *config;
	struct report *report;
	struct vocabulary vocabulary;
	struct client *client;
	const struct api_version *version; /* that was found first; the client may look for another one later */
	struct plan_task tasks[TASKS];
	struct plan *plan;
	struct health health;
	struct asked asked[ENDPOINTS];
	char cluster[64], release[32]; /* from the answers; empty: not known yet */
	struct buf controllers; /* "ctl1 (up), ctl2 (down)" */
	bool any_up, all_up; /* of these controllers, by ping */
	struct controller_state pinged[CONTROLLERS_MAX];
	unsigned pinged_count;
	bool dbd_responds; /* by slurmdbd's ping */
	struct diag diag; /* its lists are empty */
	bool has_diag;
	double diag_began, diag_ended; /* by our clock, Unix seconds */
	struct conf conf;
	enum admin_level level;
	uint64_t others_associations, others_shares; /* rows of users other than ours */
	uint64_t listed_jobs; /* pending and running ones in a list of all, each task counted */
	uint64_t others_jobs; /* of these */
	bool has_gpus, has_untold_gpus; /* nodes; a job that we saw */
	uint64_t others_runs; /* that ended a moment ago, by slurmdbd */
	unsigned sample, sample_others, sample_hidden; /* jobs whose details were asked for */
};

/* The user name that Slurm knows us by; NULL: unknown. */
const char *patient_user(const struct patient *patient);

static inline bool patient_is_ours(const struct patient *patient, struct text user)
{
	const char *ours = patient_user(patient);
	return ours && text_equal(user, text_of(ours));
}

/* Sends one request; patient->asked has its result. */
enum fetch_result patient_ask(struct patient *patient, const struct fetch *fetch);
