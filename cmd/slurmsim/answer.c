#include "slurmsim/answer.h"

#include "base/clock.h"
#include "slurmsim/fairshare.h"
#include "slurmsim/kinds.h"
#include "slurmsim/routes.h"
#include "slurmsim/select.h"

#include <stdio.h>
#include <stdlib.h>

enum {
	WHOLE_MAX = 16 << 20, /* bytes: a larger answer is sent while it is written */
	PART_BYTES = 1 << 20,
};

static const char away[] = "Unable to contact slurm controller (connect failure)";
static const char not_found[] =
	"Unable to find requested URL endpoint. Please query the '/openapi/v3' endpoint or visit "
	"'https://slurm.schedmd.com/rest_api.html' for the OpenAPI specification which includes a "
	"list of "
	"all possible slurmrestd endpoints.";
static const char not_found_before[] = "Unable find requested URL. Please view /openapi/v3 for API reference.";

/* What is known of a request while it is being answered. */
struct call {
	struct sim *sim;
	const struct request *request;
	struct answer *answer;
	const struct route *route;
	char path[256]; /* without doubled slashes */
	const char *id; /* in it, after what the route says */
	struct template_set *templates;
	bool token_is_good;
};

static void plain(struct answer *answer, int status, const char *text)
{
	answer->status = status;
	answer->type = "text/plain";
	answer->plain = text;
	buf_add_string(&answer->body, text);
}

/* Begins to write; the world stands until answer_done(). */
static void begin(struct call *call, const char *name, struct rows rows)
{
	struct answer *answer = call->answer;
	struct view *view = &answer->view;
	struct value *values = answer->values;
	int64_t now = world_unix(view->world, view->world->now);
	bool is_unchanged = view->warning && !view->error;
	answer->rows = rows;
	answer->errors = view_error(view);
	answer->warnings = view_warning(view);
	answer->meta = view_conf_meta(view);
	values[ANSWER_records] = value_rows(&answer->rows);
	values[ANSWER_error] = value_rows(&answer->errors);
	values[ANSWER_warning] = value_rows(&answer->warnings);
	values[ANSWER_conf_meta] = value_rows(&answer->meta);
	values[ANSWER_last_update] = value_number(is_unchanged || view->error ? 0 : now);
	values[ANSWER_last_backfill] = values[ANSWER_last_update];
	values[ANSWER_cluster] = value_text(view->cluster);
	values[ANSWER_total_shares] = value_number(view->world->association_count);
	answer->type = "application/json";
	answer->writer = (struct writer){.template = template_find(call->templates, name)};
	answer->has_more = writer_write(&answer->writer, values, &answer->body, WHOLE_MAX);
	if (answer->has_more)
		call->sim->readers++;
}

static bool no_rows(struct rows *rows, struct value *values, struct arena *scratch)
{
	(void)rows, (void)values, (void)scratch;
	return false;
}

/* Whether an error's answer has the list too. Not if the query was not understood; else jobs have
 * it in all versions, and everything of slurmctld in 22.05. */
static bool keeps_list(const struct call *call, int64_t number)
{
	const struct route *route = call->route;
	if (number == 9000 || number == 9002 || number == 9202)
		return false;
	if (route->is_db)
		return number == 9003 || number == 9207;
	return strcmp(route->answer, "jobs") == 0 ||
	       (call->answer->view.old && route->endpoint != ENDPOINT_DIAG && route->endpoint != ENDPOINT_PING);
}

static void fail(struct call *call, int status, int64_t number, const char *error, const char *description,
		 const char *source)
{
	struct view *view = &call->answer->view;
	call->answer->status = status;
	call->answer->plain = error;
	view->error = error;
	view->error_number = number;
	view->error_description = description;
	view->error_source = source;
	begin(call,
	      keeps_list(call, number) ? call->route->answer
	      : call->route->is_db     ? "db_failed"
				       : "failed",
	      (struct rows){.next = no_rows});
}

/* "/slurm/v0.0.42/jobs/": slurmrestd takes doubled and trailing slashes. */
static bool parse_path(struct call *call, const char *path)
{
	char *clean = call->path;
	size_t len = 0;
	for (; *path && len + 1 < sizeof call->path; path++)
		if (*path != '/' || !len || clean[len - 1] != '/')
			clean[len++] = *path;
	clean[len] = '\0';
	int version, end = 0;
	char daemon[16];
	if (sscanf(clean, "/%15[a-z]/v0.0.%d/%n", daemon, &version, &end) != 2 || !end)
		return false;
	bool is_db = strcmp(daemon, "slurmdb") == 0;
	if (!is_db && strcmp(daemon, "slurm") != 0)
		return false;
	for (size_t i = 0; i < call->sim->version_count; i++)
		if (call->sim->versions[i].number == version)
			call->templates = call->sim->versions[i].templates;
	if (!call->templates)
		return false;
	call->route = route_find(is_db, version, clean + end, &call->id);
	call->answer->view.version = version;
	return call->route && template_find(call->templates, call->route->answer);
}

/* 401 before anything else is looked at: no token, or two. */
static bool has_token(const struct call *call)
{
	const struct request *request = call->request;
	if (!call->sim->key.len)
		return true;
	if (call->answer->view.old)
		return request->token && !request->bearer;
	return !request->token != !request->bearer;
}

static void check_token(struct call *call)
{
	const struct request *request = call->request;
	struct answer *answer = call->answer;
	const char *token = request->token ? request->token : request->bearer;
	snprintf(answer->user, sizeof answer->user, "root");
	call->token_is_good = !call->sim->key.len ||
			      auth_check(&call->sim->key, token, clock_now_s(), answer->user, sizeof answer->user);
}

/* slurmrestd's ping says 200 and DOWN, but that of 22.05. */
static bool refuse_token(struct call *call)
{
	struct view *view = &call->answer->view;
	if (call->token_is_good)
		return false;
	if (view->old)
		fail(call, 500, call->route->is_db ? 1007 : -1,
		     call->route->is_db ? "Protocol authentication error" : "Unspecified error", "request failed",
		     "slurm_load");
	else if (call->route->is_db)
		fail(call, 502, 7000, "Unable to connect to database", "Failed to open slurmdbd connection",
		     "openapi_get_db_conn");
	else if (call->route->endpoint == ENDPOINT_PING) {
		view->is_down = true;
		view->down_status = "Protocol authentication error";
		begin(call, "ping", view_ping(view));
	} else
		fail(call, 511, 1007, "Protocol authentication error", "request failed", "slurm_load");
	return true;
}

/* A call to a controller that is away blocks some ten seconds. */
static bool controller_is_away(struct call *call)
{
	struct sim *sim = call->sim;
	struct view *view = &call->answer->view;
	if (call->route->is_db) {
		if (!sim->dbd_down)
			return false;
		fail(call, view->old ? 500 : 502, 7000, "Unable to connect to database",
		     "Failed to open slurmdbd connection", "openapi_get_db_conn");
		return true;
	}
	if (!sim->ctld_down)
		return false;
	if (call->route->endpoint == ENDPOINT_PING && !view->old) {
		view->is_down = true;
		begin(call, "ping", view_ping(view));
		return true;
	}
	call->answer->delay_s = 10;
	fail(call, view->old ? 500 : 502, view->old ? -1 : 1800, view->old ? "Unspecified error" : away,
	     "request failed", "slurm_load");
	return true;
}

/* When the endpoint's answer last changed; TIME_NONE if it has no update_time. */
static int32_t changed_at(const struct call *call)
{
	const struct world *world = call->answer->view.world;
	switch (call->route->endpoint) {
	case ENDPOINT_JOBS:
		return world->jobs_changed;
	case ENDPOINT_NODES:
		return world->nodes_changed;
	case ENDPOINT_PARTITIONS:
	case ENDPOINT_RESERVATIONS:
		return world->boot;
	default:
		return TIME_NONE;
	}
}

/* Whether update_time answers the request already: nothing has changed, or the version refuses it.
 */
static bool is_unchanged(struct call *call)
{
	struct view *view = &call->answer->view;
	char text[32];
	int32_t changed = changed_at(call);
	if (changed == TIME_NONE || !query_get(call->request->query, "update_time", text, sizeof text))
		return false;
	if (view->version == 40 || view->version == 41) {
		fail(call, 422, 9202, "Unable to convert Data type", "Parsing of update_time failed", "#/update_time/");
		return true;
	}
	if (strtoll(text, NULL, 10) < world_unix(view->world, changed))
		return false;
	if (view->old || call->route->endpoint != ENDPOINT_JOBS) {
		call->answer->status = 304;
		return true;
	}
	snprintf(call->answer->warning, sizeof call->answer->warning, "No job changes since update_time[%s]", text);
	view->warning = call->answer->warning;
	view->warning_source = "op_handler_jobs";
	begin(call, "jobs", (struct rows){.next = no_rows});
	return true;
}

static bool refuse_ids(struct call *call)
{
	fail(call, call->answer->view.old ? 400 : 422, call->answer->view.old ? 9002 : 9000,
	     "Query empty or not RFC7320 compliant", "Rejecting request. Failure parsing parameters", "op_handler_job");
	return false;
}

/* Puts what is asked for into the view; false when the request is answered with an error. */
static bool select_records(struct call *call)
{
	struct view *view = &call->answer->view;
	const char *from = call->request->query, *why;
	char id[256];
	switch (call->route->endpoint) {
	case ENDPOINT_JOB:
		if (!select_job(view, call->id))
			return refuse_ids(call);
		if (view->selected_count)
			return true;
		fail(call, view->old ? 500 : 404, 2017, "Invalid job id specified", "Unable to query JobId",
		     "_handle_job_get");
		return false;
	case ENDPOINT_STATES:
		while (query_next(&from, "job_id", id, sizeof id))
			if (!select_job(view, id))
				return refuse_ids(call);
		return true;
	case ENDPOINT_NODES:
		if (!call->route->has_id || world_node_by_name(view->world, call->id, &view->node))
			return true;
		fail(call, view->old ? 500 : 200, view->old ? 2018 : 0,
		     view->old ? "Invalid node name specified" : "No error", "Failure to query node", "_dump_nodes");
		return false;
	case ENDPOINT_DB_JOBS:
		why = select_window(view, from);
		if (!why)
			return true;
		fail(call, view->old || why[0] == 'D' ? 500 : 422, why[0] == 'D' ? 9207 : 9202, why,
		     "Rejecting request", "slurmdb_jobs");
		return false;
	default:
		return true;
	}
}

/* How many records the answer will have. */
static uint64_t count_rows(const struct call *call)
{
	const struct view *view = &call->answer->view;
	const struct world *world = view->world;
	uint64_t count = 0;
	switch (call->route->endpoint) {
	case ENDPOINT_JOBS:
		return world->jobs.count;
	case ENDPOINT_JOB:
		return view->selected_count;
	case ENDPOINT_NODES:
		return view->node == NO_NODE ? world->options.nodes : 1;
	case ENDPOINT_SHARES:
	case ENDPOINT_DB_ASSOCIATIONS:
		return world->association_count;
	case ENDPOINT_DB_JOBS:
		return view_db_jobs_count(view);
	case ENDPOINT_STATES:
		break;
	default:
		return 0;
	}
	for (size_t i = 0; view->is_selected && i < view->selected_count; i++)
		count += view->selected[i].task != NO_TASK
				 ? 1
				 : job_tasks(job_table_at(&world->jobs, view->selected[i].place));
	for (size_t place = 0; !view->is_selected && place < world->jobs.end; place++)
		if (job_table_at(&world->jobs, place)->id)
			count += job_tasks(job_table_at(&world->jobs, place));
	return count;
}

/* 22.05 calls it an error when slurmdbd finds nothing. */
static bool found_nothing(struct call *call)
{
	struct view *view = &call->answer->view;
	struct value values[VALUES_MAX];
	struct arena scratch = ARENA_INIT;
	if (!view->old || call->route->endpoint != ENDPOINT_DB_JOBS)
		return false;
	struct rows rows = view_db_jobs(view);
	bool any = rows.next(&rows, values, &scratch);
	arena_done(&scratch);
	if (!any)
		fail(call, 200, 9003, "Nothing found with query", "Nothing found", "slurmdb_jobs_get");
	return !any;
}

/* Any flags take the place of SHOW_DETAIL, which is one of them. */
static bool wants_detail(const char *query)
{
	char flag[64];
	bool has_flags = false, is_wanted = false;
	while (query_next(&query, "flags", flag, sizeof flag)) {
		has_flags = true;
		is_wanted |= strcmp(flag, "DETAIL") == 0;
	}
	return is_wanted || !has_flags;
}

/* slurmrestd looks at a job's ID before it asks slurmctld, which looks at the token. */
static bool is_no_id(const struct call *call)
{
	return call->route->endpoint == ENDPOINT_JOB && !strchr("0123456789", *call->id);
}

static void answer_route(struct call *call)
{
	struct answer *answer = call->answer;
	struct view *view = &answer->view;
	view->detail = wants_detail(call->request->query);
	answer->endpoint = (int)call->route->endpoint;
	check_token(call);
	bool is_answered = (is_no_id(call) && !refuse_ids(call)) || refuse_token(call) || controller_is_away(call) ||
			   is_unchanged(call) || !select_records(call) || found_nothing(call);
	uint64_t rows = is_answered ? 0 : count_rows(call);
	int measured = view->release > RELEASE_26_05 ? RELEASE_26_05 : (int)view->release;
	struct cost cost = cost_of(call->route->endpoint, measured, rows, view->detail);
	if (!is_answered && call->route->endpoint == ENDPOINT_SHARES)
		view->fairshare = fairshare_new(view->world);
	if (!is_answered)
		begin(call, call->route->answer, call->route->rows(view));
	traffic_add(&call->sim->traffic, call->route->endpoint, answer->user, cost, rows, answer->body.len,
		    answer->status);
	if (call->sim->options.real_cost)
		answer->delay_s += cost.slurmrestd_s;
}

static bool asks_for_steps(const char *query, uint32_t run)
{
	char value[64];
	bool is_asked = query_get(query, "skip_steps", value, sizeof value) && strcmp(value, "false") == 0;
	while (is_asked && query_next(&query, "step", value, sizeof value))
		if (strtoul(value, NULL, 10) == run)
			return true;
	return false;
}

/* The first fault that the request meets; it may be spent then. */
static struct fault take_fault(struct sim *sim, int endpoint, const char *query)
{
	for (size_t i = 0; i < FAULTS_MAX; i++) {
		struct fault *fault = &sim->faults[i];
		if (fault->kind == FAULT_NONE || (fault->endpoint >= 0 && fault->endpoint != endpoint) ||
		    (fault->run && !asks_for_steps(query, fault->run)))
			continue;
		struct fault met = *fault;
		if (fault->left > 0 && --fault->left == 0)
			fault->kind = FAULT_NONE;
		return met;
	}
	return (struct fault){FAULT_NONE, -1, 0, 0, 0, 0};
}

/* Puts the fault in the place of what was to be answered, as far as it is about that. */
static void apply_fault(struct call *call)
{
	struct answer *answer = call->answer;
	switch (answer->fault.kind) {
	case FAULT_SLOW:
	case FAULT_FREEZE:
		answer->delay_s += answer->fault.seconds;
		return;
	case FAULT_UNAUTHORIZED:
		answer->status = 401;
		break;
	case FAULT_STATUS:
		answer->status = answer->fault.status;
		break;
	case FAULT_UNCHANGED:
		answer->status = 304;
		break;
	case FAULT_GARBAGE:
		answer->status = 200;
		break;
	default:
		return;
	}
	if (answer->has_more)
		call->sim->readers--;
	answer->has_more = false;
	buf_clear(&answer->body);
	if (answer->status == 304)
		return;
	answer->plain = NULL;
	answer->type = answer->fault.kind == FAULT_GARBAGE ? "application/json" : "text/plain";
	buf_add_string(&answer->body, answer->fault.kind == FAULT_GARBAGE ? "{\"jobs\": [{\"job_id\": 1,, \x01\xff]"
				      : answer->status == 401		  ? "Authentication failure"
									  : "fault");
}

static void make(struct call *call)
{
	struct sim *sim = call->sim;
	struct answer *answer = call->answer;
	const struct request *request = call->request;
	bool old = sim->release == RELEASE_22_05;
	if (strcmp(request->method, "GET") != 0 || !parse_path(call, request->path))
		plain(answer, 404, sim->release >= RELEASE_26_05 ? not_found : not_found_before);
	else if (strchr(request->query, ','))
		plain(answer, old ? 400 : 500, "Bad query");
	else if (request->accept && !strstr(request->accept, "*/*") && !strstr(request->accept, "application/json"))
		plain(answer, 415, "Accept content type is unknown");
	else if (!has_token(call))
		plain(answer, 401, "Authentication failure");
	else {
		/* by what is no ID clients look for the version: faults of single jobs are not about that */
		int endpoint = is_no_id(call) ? ENDPOINTS : (int)call->route->endpoint;
		answer->fault = take_fault(sim, endpoint, request->query);
		if (answer->fault.kind == FAULT_LIE)
			fail(call, 200, -1, "Unspecified error", "a scripted lie", "slurmsim");
		else
			answer_route(call);
		apply_fault(call);
	}
}

void answer_make(struct sim *sim, const struct request *request, struct answer *answer)
{
	*answer = (struct answer){.status = 200, .endpoint = -1, .sim = sim};
	struct call call = {.sim = sim, .request = request, .answer = answer};
	pthread_mutex_lock(&sim->lock);
	sim_advance(sim);
	answer->view = (struct view){.world = &sim->world,
				     .traffic = &sim->traffic,
				     .cluster = sim->options.cluster,
				     .release = sim->release,
				     .old = sim->release == RELEASE_22_05,
				     .controllers = sim->controllers ? sim->controllers : 1,
				     .controller_down = sim->controller_down,
				     .down_status = away,
				     .cut = sim->options.cut,
				     .node = NO_NODE};
	make(&call);
	pthread_mutex_unlock(&sim->lock);
}

bool answer_more(struct answer *answer)
{
	buf_clear(&answer->body);
	if (!answer->has_more)
		return false;
	pthread_mutex_lock(&answer->sim->lock);
	answer->has_more = writer_write(&answer->writer, answer->values, &answer->body, PART_BYTES);
	answer->sim->traffic.endpoints[answer->endpoint].bytes += answer->body.len;
	if (!answer->has_more)
		answer->sim->readers--;
	pthread_mutex_unlock(&answer->sim->lock);
	return true;
}

void answer_done(struct answer *answer)
{
	pthread_mutex_lock(&answer->sim->lock);
	answer->sim->readers -= answer->has_more;
	pthread_mutex_unlock(&answer->sim->lock);
	writer_done(&answer->writer);
	free(answer->view.selected);
	fairshare_free(answer->view.fairshare);
	id_map_done(&answer->view.window.jobs);
	buf_done(&answer->body);
}
