/* The exporter itself: each endpoint and what it cost, budgets, what is not known yet, events that were lost, the
 * process. For slurmscope's administrator: can the other numbers be trusted, and what does Slurm pay for them? From
 * `struct exporter`, which the poller fills in for each page, and from slurmctld's own account in diag. */
#include "metrics/family.h"

static void emit_supported(struct exposition *out, const struct page_facts *facts, const struct family *family,
			   const void *item)
{
	(void)facts, (void)family;
	exposition_integer(out, ((const struct exporter_endpoint *)item)->is_supported);
}

static void emit_up(struct exposition *out, const struct page_facts *facts, const struct family *family,
		    const void *item)
{
	(void)family;
	const struct exporter_endpoint *endpoint = item;
	bool is_of_use = endpoint->is_supported && !endpoint->is_forbidden;
	if (is_of_use || !endpoint->is_optional)
		exposition_integer(out, endpoint->is_up && !facts->exporter->is_cut_off);
}

static void emit_last_success(struct exposition *out, const struct page_facts *facts, const struct family *family,
			      const void *item)
{
	(void)facts, (void)family;
	const struct exporter_endpoint *endpoint = item;
	if (endpoint->last_success > 0)
		exposition_number(out, endpoint->last_success);
}

static void emit_interval(struct exposition *out, const struct page_facts *facts, const struct family *family,
			  const void *item)
{
	(void)facts, (void)family;
	const struct exporter_endpoint *endpoint = item;
	if (endpoint->interval > 0)
		exposition_number(out, endpoint->interval);
}

static void emit_request_seconds(struct exposition *out, const struct page_facts *facts, const struct family *family,
				 const void *item)
{
	(void)facts, (void)family;
	exposition_histogram(out, &((const struct exporter_endpoint *)item)->request_seconds, NULL);
}

static void emit_requests(struct exposition *out, const struct page_facts *facts, const struct family *family,
			  const void *item)
{
	(void)family;
	const struct exporter_endpoint *endpoint = item;
	for (unsigned i = 0; i < facts->exporter->result_count; i++) {
		exposition_label(out, "result", text_of(facts->exporter->result_names[i]));
		exposition_integer(out, endpoint->requests[i]);
	}
}

static void emit_records(struct exposition *out, const struct page_facts *facts, const struct family *family,
			 const void *item)
{
	(void)facts, (void)family;
	const struct exporter_endpoint *endpoint = item;
	exposition_label(out, "result", TEXT("used"));
	exposition_integer(out, endpoint->records_used);
	exposition_label(out, "result", TEXT("skipped"));
	exposition_integer(out, endpoint->records_skipped);
}

static const struct family endpoint_families[] = {
	{"slurmscope_endpoint_supported", GAUGE, NULL,
	 "Whether slurmrestd serves the endpoint in the API version that is read.", emit_supported, 0, 0, 0},
	{"slurmscope_endpoint_up", GAUGE, NULL,
	 "Whether the last request to the endpoint gave a usable answer, and its numbers are not too old to show. "
	 "Absent where slurmrestd does not serve the endpoint, or the user may not ask it.",
	 emit_up, 0, 0, 0},
	{"slurmscope_endpoint_last_success_timestamp_seconds", GAUGE, NULL,
	 "When the endpoint last gave a usable answer. For job_states: the time for which the states of all jobs are "
	 "known.",
	 emit_last_success, 0, 0, 0},
	{"slurmscope_endpoint_interval_seconds", GAUGE, NULL, "Interval between polls of the endpoint now.",
	 emit_interval, 0, 0, 0},
	{"slurmscope_request_seconds", HISTOGRAM, NULL, "How long slurmrestd took to answer, up to the last byte.",
	 emit_request_seconds, 0, 0, 0},
	{"slurmscope_requests_total", COUNTER, "result", "Requests to slurmrestd, by result.", emit_requests, 0, 0, 0},
	{"slurmscope_response_bytes_total", COUNTER, NULL, "Bytes of slurmrestd's answers.", emit_number,
	 offsetof(struct exporter_endpoint, response_bytes), 1, 0},
	{"slurmscope_records_total", COUNTER, "result",
	 "Records in slurmrestd's answers: used, or skipped because a required member was missing.", emit_records, 0, 0,
	 0},
};

static void each_endpoint(struct family_sink *sink, int kind)
{
	(void)kind;
	const struct exporter *exporter = sink->facts->exporter;
	for (unsigned i = 0; i < exporter->endpoint_count; i++) {
		const struct exporter_endpoint *endpoint = &exporter->endpoints[i];
		bool is_restored = sink->family->emit == emit_last_success && endpoint->last_success > 0;
		if (!endpoint->is_tried && !is_restored)
			continue;
		exposition_created(sink->out, exporter->begin);
		exposition_base(sink->out);
		exposition_base_label(sink->out, "endpoint", text_of(endpoint->name));
		family_item(sink, endpoint);
	}
}

const struct family_group endpoint_group = {
	.collect = COLLECT_EXPORTER, GROUP_FAMILIES(endpoint_families), .labels = "endpoint", .each = each_endpoint};

static void emit_build_info(struct exposition *out, const struct page_facts *facts, const struct family *family,
			    const void *item)
{
	(void)facts, (void)family;
	const struct exporter_process *process = item;
	exposition_label(out, "version", text_of(process->version));
	exposition_label(out, "revision", text_of(process->revision));
	exposition_label(out, "compiler", text_of(process->compiler));
	exposition_integer(out, 1);
}

static void emit_token_expiry(struct exposition *out, const struct page_facts *facts, const struct family *family,
			      const void *item)
{
	(void)facts, (void)family;
	const struct exporter *exporter = item;
	if (exporter->token_expiry > 0)
		exposition_integer(out, (uint64_t)exporter->token_expiry);
}

/* What we cost slurmctld, by its own statistics. */
static const struct rpc_sum *own_rpcs(const struct page_facts *facts)
{
	const struct scheduler_section *scheduler = &facts->cluster->scheduler;
	if (!facts->exporter->user || !scheduler->is_known)
		return NULL;
	return map_find(&scheduler->rpcs_by_user.rows, text_of(facts->exporter->user));
}

static void emit_own_requests(struct exposition *out, const struct page_facts *facts, const struct family *family,
			      const void *item)
{
	(void)family, (void)item;
	const struct rpc_sum *sum = own_rpcs(facts);
	if (sum)
		exposition_integer(out, running_sum_total(&sum->count));
}

static void emit_own_seconds(struct exposition *out, const struct page_facts *facts, const struct family *family,
			     const void *item)
{
	(void)item;
	const struct rpc_sum *sum = own_rpcs(facts);
	if (sum)
		family_divided(out, family, running_sum_total(&sum->time_us));
}

static void emit_plan(struct exposition *out, const struct page_facts *facts, const struct family *family,
		      const void *item)
{
	(void)facts, (void)family;
	const struct exporter *exporter = item;
	for (unsigned i = 0; i < exporter->task_count; i++) {
		const struct exporter_task *task = &exporter->tasks[i];
		if (!task->is_in_use)
			continue;
		exposition_label(out, "endpoint", text_of(task->name));
		exposition_label(out, "strategy", text_of(task->strategy));
		exposition_integer(out, 1);
	}
}

static void emit_leader(struct exposition *out, const struct page_facts *facts, const struct family *family,
			const void *item)
{
	(void)facts, (void)family;
	exposition_integer(out, !((const struct exporter *)item)->is_standby);
}

static void emit_coverage(struct exposition *out, const struct page_facts *facts, const struct family *family,
			  const void *item)
{
	(void)facts, (void)family;
	const struct exporter *exporter = item;
	if (!exporter->is_standby)
		exposition_number(out, exporter->coverage);
}

static void emit_without_details(struct exposition *out, const struct page_facts *facts, const struct family *family,
				 const void *item)
{
	(void)family, (void)item;
	struct job_counts counts = job_table_counts(facts->cluster->job_table);
	if (!facts->exporter->is_standby)
		exposition_integer(out, counts.jobs_without_details);
}

static void emit_oldest_details(struct exposition *out, const struct page_facts *facts, const struct family *family,
				const void *item)
{
	(void)family, (void)item;
	int64_t oldest = job_table_oldest_details(facts->cluster->job_table);
	if (oldest > 0)
		exposition_integer(out, (uint64_t)oldest);
}

static void emit_recovered(struct exposition *out, const struct page_facts *facts, const struct family *family,
			   const void *item)
{
	(void)family, (void)item;
	if (!facts->events)
		return;
	exposition_created(out, (double)facts->events->birth);
	exposition_number(out, facts->events->recovered);
}

static void emit_lost(struct exposition *out, const struct page_facts *facts, const struct family *family,
		      const void *item)
{
	(void)family, (void)item;
	if (!facts->events)
		return;
	exposition_created(out, (double)facts->events->birth);
	exposition_number(out, facts->events->lost);
}

static void emit_steps_given_up(struct exposition *out, const struct page_facts *facts, const struct family *family,
				const void *item)
{
	(void)family, (void)item;
	if (!facts->events)
		return;
	exposition_created(out, (double)facts->events->birth);
	exposition_number(out, facts->events->steps_given_up);
}

static void emit_ends_known(struct exposition *out, const struct page_facts *facts, const struct family *family,
			    const void *item)
{
	(void)facts, (void)family;
	const struct exporter *exporter = item;
	if (exporter->ends_known_until > 0 && !exporter->is_standby)
		exposition_number(out, exporter->ends_known_until);
}

static void emit_commit(struct exposition *out, const struct page_facts *facts, const struct family *family,
			const void *item)
{
	(void)facts, (void)family;
	const struct exporter *exporter = item;
	if (exporter->state_commit > 0)
		exposition_number(out, exporter->state_commit);
}

static void emit_state_bytes(struct exposition *out, const struct page_facts *facts, const struct family *family,
			     const void *item)
{
	(void)facts, (void)family;
	const struct exporter *exporter = item;
	if (exporter->state_bytes)
		exposition_integer(out, exporter->state_bytes);
}

static void emit_state_errors(struct exposition *out, const struct page_facts *facts, const struct family *family,
			      const void *item)
{
	(void)facts, (void)family;
	const struct exporter *exporter = item;
	if (!exporter->keeps_state)
		return;
	exposition_created(out, exporter->begin);
	exposition_integer(out, exporter->state_errors);
}

static void emit_scrapes(struct exposition *out, const struct page_facts *facts, const struct family *family,
			 const void *item)
{
	(void)facts, (void)family;
	const struct exporter_process *process = item;
	for (int i = 0; i < EXPORTER_SCRAPE_ROWS; i++) {
		const struct exporter_scrapes *scrapes = &process->scrapes[i];
		if (!scrapes->format)
			continue;
		exposition_label(out, "format", text_of(scrapes->format));
		exposition_label(out, "code", text_of(scrapes->code));
		exposition_integer(out, scrapes->count);
	}
}

static void emit_series(struct exposition *out, const struct page_facts *facts, const struct family *family,
			const void *item)
{
	(void)family;
	const struct exporter_series *series = item;
	for (size_t i = 0; i < facts->series_count; i++) {
		if (!series[i].samples)
			continue;
		exposition_label(out, "family", text_of(series[i].name));
		exposition_integer(out, series[i].samples);
	}
}

static void emit_folded(struct exposition *out, const struct page_facts *facts, const struct family *family,
			const void *item)
{
	(void)family;
	const struct exporter_series *series = item;
	for (size_t i = 0; i < facts->series_count; i++) {
		if (!series[i].has_folds)
			continue;
		exposition_label(out, "family", text_of(series[i].name));
		exposition_integer(out, series[i].folded);
	}
}

static void emit_double(struct exposition *out, const struct page_facts *facts, const struct family *family,
			const void *item)
{
	(void)facts;
	exposition_number(out, *(const double *)((const char *)item + family->offset));
}

static void emit_config_is_loaded(struct exposition *out, const struct page_facts *facts, const struct family *family,
				  const void *item)
{
	(void)facts, (void)family;
	exposition_integer(out, ((const struct exporter_process *)item)->config_is_loaded);
}

#define EXPORTER_DOUBLE(name, member, help)                                                                            \
	{                                                                                                              \
		name, GAUGE, NULL, help, emit_double, offsetof(struct exporter, member), 1, 0                          \
	}
#define PROCESS(name, type, emit, member, help)                                                                        \
	{                                                                                                              \
		name, type, NULL, help, emit, offsetof(struct exporter_process, member), 1, 0                          \
	}

static const struct family exporter_families[] = {
	{"slurmscope_leader", GAUGE, NULL,
	 "Whether this slurmscope leads, and so exports the cluster's metrics; 0: it is a standby (option ha).",
	 emit_leader, 0, 0, 0},
	{"slurmscope_token_expiry_timestamp_seconds", GAUGE, NULL,
	 "When the token in use expires; absent if the token does not say.", emit_token_expiry, 0, 0, 0},
	{"slurmscope_slurmctld_rpc_requests_total", COUNTER, NULL,
	 "Requests that slurmctld served for slurmscope's user: the load that slurmscope causes.", emit_own_requests, 0,
	 0, 0},
	{"slurmscope_slurmctld_rpc_seconds_total", COUNTER, NULL,
	 "Time that slurmctld spent on requests of slurmscope's user.", emit_own_seconds, 0, 1e6, 0},
	{"slurmscope_plan_info", GAUGE, "endpoint,strategy",
	 "The strategy by which slurmscope asks for each thing now; always 1. /plan says it in words.", emit_plan, 0, 0,
	 0},
	EXPORTER_DOUBLE("slurmscope_duty_ratio", duty.slurmrestd,
			"Share of the last ten minutes that slurmscope's requests occupied slurmrestd."),
	EXPORTER_DOUBLE("slurmscope_duty_budget_ratio", duty.slurmrestd_budget,
			"Share of time that slurmscope's requests may occupy slurmrestd."),
	EXPORTER_DOUBLE("slurmscope_slurmctld_duty_ratio", duty.slurmctld,
			"Share of the last ten minutes that slurmscope's requests occupied slurmctld."),
	EXPORTER_DOUBLE("slurmscope_slurmctld_duty_budget_ratio", duty.slurmctld_budget,
			"Share of time that slurmscope's requests may occupy slurmctld."),
	{"slurmscope_jobs_without_details", GAUGE, NULL,
	 "Jobs of which slurmscope knows only the state: they are new, or Slurm hides them from slurmscope's user. "
	 "Only the cluster's job states count them.",
	 emit_without_details, 0, 0, 0},
	{"slurmscope_job_details_oldest_timestamp_seconds", GAUGE, NULL,
	 "When slurmscope read the oldest details that it has of a pending, running or suspended job.",
	 emit_oldest_details, 0, 0, 0},
	{"slurmscope_coverage_ratio", GAUGE, NULL,
	 "Pending and running jobs that slurmscope knows, as a share of those that slurmctld counts.", emit_coverage, 0,
	 0, 0},
	{"slurmscope_job_events_recovered_total", COUNTER, NULL,
	 "Job events that happened while slurmscope did not look, and that it found and counted afterwards.",
	 emit_recovered, 0, 0, 0},
	{"slurmscope_job_events_lost_total", COUNTER, NULL,
	 "Jobs whose end slurmscope could not find out; no counter of ends has them.", emit_lost, 0, 0, 0},
	{"slurmscope_job_steps_given_up_total", COUNTER, NULL,
	 "Ended jobs whose steps slurmscope did not read, because too many waited (option jobs.steps-waiting) or slurmdbd did "
	 "not have them: no counter has what these jobs used.",
	 emit_steps_given_up, 0, 0, 0},
	{"slurmscope_job_ends_known_until_timestamp_seconds", GAUGE, NULL,
	 "Time until which slurmscope has counted all ends of jobs; it has yet to read later ones. Usually minutes ago, but "
	 "hours ago if more jobs end than the budget lets it read (option budget.slurmrestd).",
	 emit_ends_known, 0, 0, 0},
	{"slurmscope_state_last_commit_timestamp_seconds", GAUGE, NULL,
	 "When slurmscope last wrote its counters to the state file.", emit_commit, 0, 0, 0},
	{"slurmscope_state_bytes", GAUGE, NULL, "Size of the state file with its write-ahead log or journal.",
	 emit_state_bytes, 0, 0, 0},
	{"slurmscope_state_errors_total", COUNTER, NULL,
	 "Failed writes of the state file, and unusable state files that slurmscope set aside.", emit_state_errors, 0,
	 0, 0},
};

static void each_exporter(struct family_sink *sink, int kind)
{
	(void)kind;
	family_item(sink, sink->facts->exporter);
}

const struct family_group exporter_group = {
	.collect = COLLECT_EXPORTER, GROUP_FAMILIES(exporter_families), .each = each_exporter};

static const struct family process_families[] = {
	{"slurmscope_build_info", GAUGE, "version,revision,compiler", "What this exporter was built from; always 1.",
	 emit_build_info, 0, 0, 0},
	{"slurmscope_scrapes_total", COUNTER, "format,code",
	 "Requests for the metrics page, counted until the page was made.", emit_scrapes, 0, 0, 0},
	{"slurmscope_config_last_reload_successful", GAUGE, NULL,
	 "Whether the last attempt to reload the configuration succeeded; if not, slurmscope uses the one before.",
	 emit_config_is_loaded, 0, 0, 0},
	PROCESS("slurmscope_config_last_reload_success_timestamp_seconds", GAUGE, emit_double, config_loaded,
		"When slurmscope read the configuration that it uses."),
	PROCESS("process_cpu_seconds_total", COUNTER, emit_double, cpu_seconds,
		"Total user and system CPU time spent in seconds, the sum of both processes."),
	PROCESS("process_open_fds", GAUGE, emit_number, open_fds,
		"Number of open file descriptors of the process that serves."),
	PROCESS("process_max_fds", GAUGE, emit_number, max_fds,
		"Maximum number of open file descriptors of the process that serves."),
	PROCESS("process_virtual_memory_bytes", GAUGE, emit_number, virtual_bytes,
		"Virtual memory size in bytes, the sum of both processes."),
	PROCESS("process_resident_memory_bytes", GAUGE, emit_number, resident_bytes,
		"Resident memory size in bytes of both processes; what they share counts once."),
	PROCESS("process_start_time_seconds", GAUGE, emit_double, start_time,
		"Start time of the process since unix epoch in seconds."),
};

static void each_process(struct family_sink *sink, int kind)
{
	(void)kind;
	exposition_created(sink->out, sink->facts->process->start_time);
	family_item(sink, sink->facts->process);
}

const struct family_group process_group = {
	.collect = COLLECT_EXPORTER, GROUP_FAMILIES(process_families), .each = each_process};

static const struct family series_families[] = {
	{"slurmscope_series_folded", GAUGE, "family",
	 "Samples that a limit or filter keeps off this page, by family. Gauges that can be added up have them in the "
	 "row other.",
	 emit_folded, 0, 0, 0},
	{"slurmscope_series", GAUGE, "family", "Samples on this page, by family.", emit_series, 0, 0, 0},
};

static void each_family(struct family_sink *sink, int kind)
{
	(void)kind;
	family_item(sink, sink->facts->series);
}

const struct family_group series_group = {
	.collect = COLLECT_EXPORTER, GROUP_FAMILIES(series_families), .each = each_family};
