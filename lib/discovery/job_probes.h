/* IDs that a request asks for without knowing whether they are jobs, or how many rows they bring. The ID of an array's
 * first record brings a row for each task, and the cost of rows grows faster than their square
 * (SLURMRESTD.md, "Several leaders"). So the first request asks for one such ID. Later ones ask for as many as the rows
 * that came allow. Of one thread. */
#pragma once

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct job_probes {
	uint64_t *ids;
	size_t count, capacity;
};

void job_probes_done(struct job_probes *probes);
void job_probes_add(struct job_probes *probes, uint64_t id);

/* Rows that one answer may have without slurmrestd taking more than some seconds: 20,000 took 1.2 s, 40,000 took 6.8 s
 * (SLURMRESTD.md, "Several leaders"). */
enum { JOB_ROWS_SAFE = 20000 };

/* How many IDs the next request may ask for: at most twice as many as before. The last one was allowed `at_once`, asked
 * for `asked` (at least 1), and brought `rows`; an answer should have about `rows_max`. IDs that brought nothing count
 * as half a row. If IDs had jobs, each of the next ones may be an array of `array_rows` rows. All of them together may
 * then bring JOB_ROWS_SAFE, or `rows_max` if that is more; 0: arrays need no care. */
uint64_t job_probes_next(uint64_t at_once, uint64_t asked, uint64_t rows, uint64_t rows_max, uint64_t array_rows);

/* Writes "?job_id=17", or with & if it is not the first. Writes nothing and returns false if the URL is long enough. */
bool job_query_add(struct buf *query, uint64_t id);
