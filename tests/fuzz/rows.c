/* What a state file may hold, row by row: another program may have put anything into its rows. Counters, runs and jobs
 * that are read make a page that is right, and what is written of them is read as the same. The input is rows: a
 * table's number, then each column up to a byte 0xff, numbers in decimal. */
#include "world.h"

#include "base/clock.h"
#include "base/log.h"
#include "events/events_record.h"
#include "jobs/jobs_check.h"
#include "poll/recorder.h"
#include "store/schema.h"

int64_t __wrap_clock_now_s(void);
enum store_found __wrap_store_load(struct store *store, const struct store_visitor *visitor, void *context,
				   struct error *err);

static struct input rows;

int64_t __wrap_clock_now_s(void)
{
	return WORLD_NOW;
}

static void read_row(const struct table *table, void *row)
{
	for (size_t i = 0; i < table->count; i++) {
		char *member = (char *)row + table->columns[i].offset;
		char digits[40];
		switch (table->columns[i].type) {
		case COLUMN_INTEGER:
			*(int64_t *)member = input_number(&rows);
			break;
		case COLUMN_REAL:
			text_to_string(input_text(&rows), digits, sizeof digits);
			*(double *)member = strtod(digits, NULL);
			break;
		case COLUMN_TEXT:
			*(struct text *)member = input_text(&rows);
			break;
		}
	}
}

/* In place of the store's: it hands over the rows of the input. */
enum store_found __wrap_store_load(struct store *store, const struct store_visitor *visitor, void *context,
				   struct error *err)
{
	(void)store, (void)err;
	while (rows.at < rows.end) {
		int table = input_byte(&rows) % TABLES;
		union store_row row;
		read_row(&store_schema.tables[table], &row);
		if (table == TABLE_COUNTER && row.counter.value == row.counter.value) /* SQLite has no NaN */
			visitor->counter(&row.counter, context);
		else if (table == TABLE_RUN)
			visitor->run(&row.run, context);
		else if (table == TABLE_ENDED && row.ended.used_cpu_seconds == row.ended.used_cpu_seconds)
			visitor->ended(&row.ended, context);
		else if (table == TABLE_MARK)
			visitor->mark(row.mark.name, row.mark.value, context);
		else if (table == TABLE_JOB)
			visitor->job(&row.job, context);
		else if (table == TABLE_OUTAGE)
			visitor->outage(&row.outage, context);
	}
	return STORE_LOADED;
}

static void render(struct cluster *cluster, const struct job_events *events, struct buf *text)
{
	struct samples page = {.text = BUF_INIT};
	world_render(cluster, events, &page);
	for (int format = 0; format < FORMATS; format++) {
		struct buf bytes = world_format(&page, (enum format)format);
		if (format != FORMAT_PROTOBUF)
			world_require_right(buf_text(&bytes), NULL, NULL);
		buf_done(&bytes);
	}
	buf_add_text(text, buf_text(&page.text));
	samples_done(&page);
}

static void check_written(struct cluster *cluster, const struct job_events *events)
{
	struct buf before = BUF_INIT, after = BUF_INIT;
	struct job_events *again = job_events_new(&cluster->caps, &cluster->vocabulary, WORLD_NOW);
	events_continue(again, events, WORLD_NOW);
	recent_ends_limit(&again->recent, 100, UINT32_MAX);
	render(cluster, events, &before);
	render(cluster, again, &after);
	if (!text_equal(buf_text(&before), buf_text(&after)))
		fprintf(stderr, "%s\n-- after:\n%s\n", before.bytes, after.bytes);
	REQUIRE(text_equal(buf_text(&before), buf_text(&after)));
	job_events_free(again);
	buf_done(&before);
	buf_done(&after);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cluster cluster;
	struct job_rounds rounds;
	struct job_keeper keeper;
	struct recorder recorder;
	rows = input_of(data, size);
	log_setup(LOG_LEVEL_ERROR, LOG_FORMAT_LOGFMT);
	cluster_init(&cluster);
	job_rounds_init(&rounds, cluster.job_table, 1, 1000000);
	job_keeper_init(&keeper, &cluster, &rounds);
	recorder_init(&recorder, "/nowhere/state", "", false, &cluster.caps, &cluster.vocabulary, NULL, &keeper);
	if (keeper.found) {
		job_table_note_now(keeper.found, keeper.found_facts.as_of);
		job_table_take(cluster.job_table, keeper.found);
		keeper.found = NULL;
	}
	recent_ends_limit(&recorder.events->recent, 100, UINT32_MAX);
	check_written(&cluster, recorder.events);
	recorder_done(&recorder);
	job_keeper_done(&keeper);
	job_rounds_done(&rounds);
	cluster_done(&cluster);
	return 0;
}
