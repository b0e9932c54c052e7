#include "slurmrest/job_runs_query.h"

#include "base/quote.h"
#include "model/number.h"

#include <inttypes.h>

/* REVOKED rows are not among them: jobs of another cluster. */
const char *const job_run_end_states[] = {
	"COMPLETED", "CANCELLED", "FAILED",   "TIMEOUT",       "NODE_FAIL",
	"PREEMPTED", "BOOT_FAIL", "DEADLINE", "OUT_OF_MEMORY", NULL,
};

/* A raw comma or blank in a query is refused (PARAMS.md, "Bad values"). */
static void begin(const struct job_runs_query *query, struct buf *out)
{
	buf_printf(out, "?skip_steps=%s%s", query->with_steps ? "false" : "true", query->version->runs_query);
	if (*query->cluster) {
		buf_add_string(out, "&cluster=");
		quote_url(out, text_of(query->cluster));
	}
}

/* Of a list's values, each is a parameter of its own, or all are one (PARAMS.md, "Lists of values"). */
static void begin_value(const struct job_runs_query *query, const char *name, bool is_first, struct buf *out)
{
	if (is_first || query->version->repeats_lists)
		buf_printf(out, "&%s=", name);
	else
		buf_add_string(out, "%2C");
}

void job_runs_query_names(const struct job_runs_query *query, const struct job_runs_name *names, size_t count,
			  uint64_t since, struct buf *ret_query)
{
	begin(query, ret_query);
	buf_printf(ret_query, "&start_time=%s%" PRIu64, query->version->time_prefix, since);
	for (size_t i = 0; i < count; i++) {
		begin_value(query, "step", i == 0, ret_query);
		buf_printf(ret_query, "%" PRIu64, names[i].id);
		if (number_is_known(names[i].task))
			buf_printf(ret_query, "_%" PRIu64, names[i].task);
	}
}

static void add_state(const struct job_runs_query *query, const char *state, struct buf *ret_query)
{
	begin_value(query, "state", false, ret_query);
	buf_add_string(ret_query, state);
}

/* v0.0.38 refuses RESIZING: rows come with all that lived, which may be after the run's end. */
bool job_runs_query_tells_sizes(const struct job_runs_query *query)
{
	return *query->version->runs_query;
}

/* Without states the window means: whatever lived in it (SLURMRESTD.md, "slurmdbd's jobs"). */
void job_runs_query_lived(const struct job_runs_query *query, uint64_t first, uint64_t last, struct buf *ret_query)
{
	const char *prefix = query->version->time_prefix;
	begin(query, ret_query);
	buf_printf(ret_query, "&start_time=%s%" PRIu64 "&end_time=%s%" PRIu64, prefix, first, prefix, last);
}

void job_runs_query_ended(const struct job_runs_query *query, uint64_t first, uint64_t last, bool with_requeued,
			  struct buf *ret_query)
{
	bool knows_requeued = *query->version->flags_query;
	bool is_early =
		with_requeued && !knows_requeued && first; /* RUNNING leaves out what ended with the first second */
	job_runs_query_lived(query, first - is_early, last, ret_query);
	for (size_t i = 0; job_run_end_states[i]; i++) {
		begin_value(query, "state", i == 0, ret_query);
		buf_add_string(ret_query, job_run_end_states[i]);
	}
	if (job_runs_query_tells_sizes(query))
		add_state(query, "RESIZING", ret_query);
	if (with_requeued)
		add_state(query, knows_requeued ? "REQUEUED" : "RUNNING", ret_query);
}
