/* The rows of an answer of jobs/state. They are kept aside while the answer comes, and applied to the table only if it
 * was complete. An answer that breaks off would look as if jobs had gone. Of one thread. */
#pragma once

#include "jobs/job_table.h"
#include "model/job_task.h"

struct job_answer {
	struct job_seen {
		uint64_t id, task; /* task: unset if none */
		uint64_t flags;
		int state;
	} * rows; /* by ID, then task, once they are applied */
	size_t count, capacity;
};

void job_answer_take(struct job_answer *answer, const struct job_task *task);

/* Brings each record into the table. An array's unsplit rest comes as one row for each task. The last of them goes into
 * `tails` (array's ID -> task plus 1), so that the rest can be asked for alone by that task. So does the task of what
 * looks like an array's first record, since it brought records that nobody asked for. `asked` are the IDs of the
 * request, with 1 as their value; NULL: it had none. `now` is in Unix seconds. */
void job_answer_apply(struct job_answer *answer, struct job_table *table, struct id_map *asked, struct id_map *tails,
		      int64_t now);

bool job_answer_has(const struct job_answer *answer, uint64_t id); /* once applied */
