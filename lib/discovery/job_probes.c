#include "discovery/job_probes.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdlib.h>

/* 500 rows cost slurmrestd as much as 1,000 to 1,200 IDs without a job. Such IDs cost least with 500 to 1,000 in a
 * request (SLURMRESTD.md, "Empty IDs"). */
enum {
	QUERY_BYTES_MAX = 60 * 1000, /* what slurmrestd takes: SLURMRESTD.md, "Connections" */
	EMPTY_IDS_A_ROW = 2,
};

void job_probes_done(struct job_probes *probes)
{
	free(probes->ids);
}

void job_probes_add(struct job_probes *probes, uint64_t id)
{
	GROW(probes->ids, probes->count, probes->capacity);
	probes->ids[probes->count++] = id;
}

uint64_t job_probes_next(uint64_t at_once, uint64_t asked, uint64_t rows, uint64_t rows_max, uint64_t array_rows)
{
	uint64_t most = 2 * (asked > at_once ? asked : at_once);
	uint64_t weight = EMPTY_IDS_A_ROW * rows > asked ? EMPTY_IDS_A_ROW * rows : asked;
	uint64_t fitting = rows_max < UINT32_MAX ? EMPTY_IDS_A_ROW * rows_max * asked / weight : most;
	uint64_t next = asked < at_once && fitting > at_once ? at_once : fitting < most ? fitting : most;
	bool needs_care = rows && array_rows && rows_max < JOB_ROWS_SAFE;
	if (needs_care && next > JOB_ROWS_SAFE / array_rows)
		next = JOB_ROWS_SAFE / array_rows;
	return next > 0 ? next : 1;
}

bool job_query_add(struct buf *query, uint64_t id)
{
	if (query->len > QUERY_BYTES_MAX)
		return false;
	buf_printf(query, "%cjob_id=%" PRIu64, query->len ? '&' : '?', id);
	return true;
}
