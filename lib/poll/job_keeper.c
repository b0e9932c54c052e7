#include "poll/job_keeper.h"

#include "base/clock.h"
#include "poll/stored_row.h"

enum {
	/* Rows older than this are not used. Most jobs are different ones by then, and Slurm may have begun its IDs
	 * again. A job with the same ID in the same state would have another one's details until its turn comes. */
	KEPT_S = 3600,
	AHEAD_S = 60, /* another machine may have written the file, and its clock may be this far ahead of ours */
};

static const char as_of_mark[] = "jobs_as_of", seen_at_mark[] = "jobs_seen_at",
		  has_details_mark[] = "jobs_have_details", are_listed_mark[] = "jobs_are_listed";

void job_keeper_init(struct job_keeper *keeper, struct cluster *cluster, struct job_rounds *rounds)
{
	*keeper = (struct job_keeper){.cluster = cluster, .rounds = rounds};
}

void job_keeper_forget(struct job_keeper *keeper)
{
	job_table_free(keeper->found);
	keeper->found = NULL;
	keeper->found_facts = (struct kept_facts){.as_of = 0};
	keeper->dropped = 0;
	id_map_done(&keeper->tails);
	id_map_done(&keeper->doubted);
}

void job_keeper_done(struct job_keeper *keeper)
{
	job_keeper_forget(keeper);
}

/* Reading */

void job_keeper_take_mark(struct job_keeper *keeper, struct text name, int64_t value)
{
	struct kept_facts *facts = &keeper->found_facts;
	if (text_equal(name, text_of(as_of_mark)))
		facts->as_of = value;
	else if (text_equal(name, text_of(seen_at_mark)))
		facts->seen_at = value;
	else if (text_equal(name, text_of(has_details_mark)))
		facts->has_details = value;
	else if (text_equal(name, text_of(are_listed_mark)))
		facts->are_listed = value;
}

/* False: so old that nobody knows which jobs are left, or of a time that has not come. */
static bool is_of_use(const struct kept_facts *facts)
{
	int64_t now = clock_now_s();
	bool is_known = facts->as_of > 0 && facts->as_of < UINT32_MAX && facts->seen_at > 0;
	return is_known && facts->seen_at >= now - KEPT_S && facts->seen_at <= now + AHEAD_S;
}

static struct job_table *new_table(const struct job_keeper *keeper)
{
	struct job_table *table = job_table_new();
	job_table_count_groups(table, &keeper->cluster->caps);
	return table;
}

void job_keeper_take(struct job_keeper *keeper, const struct store_job *job)
{
	struct vocabulary *vocabulary = &keeper->cluster->vocabulary;
	struct job_row row;
	if (!is_of_use(&keeper->found_facts)) {
		keeper->dropped++;
		return;
	}
	if (!keeper->found)
		keeper->found = new_table(keeper);
	if (job->bits & ROW_HAS_DETAILS && !stored_row_knows(job, &keeper->found->pools))
		keeper->found_facts.has_details = false; /* slurmctld has to tell what groups count it by */
	bool is_new = !stored_row_has_id(job) || !job_table_row(keeper->found, (uint32_t)job->id);
	if (is_new && stored_row_make(&row, &keeper->found->pools, vocabulary, job, keeper->found_facts.as_of)) {
		job_table_place(keeper->found, &row);
		id_map_set(&keeper->tails, row.id, (uint32_t)(job->tail + 1));
		return;
	}
	keeper->dropped++;
	if (stored_row_has_id(job))
		id_map_set(&keeper->doubted, (uint32_t)job->id, 1);
}

/* Writing */

static void put(const struct job_keeper *keeper, const struct job_row *row, struct store *store)
{
	struct buf flags = BUF_INIT;
	const struct cluster *cluster = keeper->cluster;
	uint32_t tail = id_map_find(&keeper->rounds->tails, row->id);
	const struct store_job job = stored_row_of(row, &cluster->job_table->pools, &cluster->vocabulary, tail, &flags);
	store_put_job(store, &job);
	buf_done(&flags);
}

static void put_rows(const struct job_keeper *keeper, struct store *store)
{
	const struct job_table *table = keeper->cluster->job_table;
	const struct job_unstored *unstored = &table->unstored;
	size_t count = table->position_count;
	if (!unstored->is_tracked)
		store_remove_jobs(store); /* other rows of the file would not fit to these */
	for (size_t i = 0; i < unstored->removed_count; i++)
		store_remove_job(store, unstored->removed[i]);
	for (size_t i = job_unstored_next(unstored, 0, count); i < count; i = job_unstored_next(unstored, i + 1, count))
		if (job_row_is_used(&table->rows[i]))
			put(keeper, &table->rows[i], store);
}

/* Does not write rows that no round has verified since the start: the file still has them. */
void job_keeper_write(struct job_keeper *keeper, struct store *store, bool all)
{
	const struct kept_facts *facts = &keeper->facts;
	if (all)
		job_unstored_end(&keeper->cluster->job_table->unstored);
	keeper->is_written = facts->as_of;
	if (!keeper->is_written)
		return;
	put_rows(keeper, store);
	store_put_mark(store, as_of_mark, facts->as_of);
	store_put_mark(store, seen_at_mark, facts->seen_at);
	store_put_mark(store, has_details_mark, facts->has_details);
	store_put_mark(store, are_listed_mark, facts->are_listed);
}

void job_keeper_note(struct job_keeper *keeper, bool is_safe)
{
	struct job_unstored *unstored = &keeper->cluster->job_table->unstored;
	if (!is_safe)
		job_unstored_end(unstored);
	else if (keeper->is_written)
		job_unstored_begin(unstored);
}
