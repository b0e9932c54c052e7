/* The jobs that have rows of their own on the page of metrics, with the same names and numbers, for the pages of jobs.
 *
 * A job takes 224 bytes, and its texts about 55. Measured with a release build: 600 jobs are 0.17 MB in each process, and
 * 0.3 ms for each page of metrics; 100,000 jobs are 28 MB, and 80 ms. All work on them is linear, and n log n where they are
 * sorted: /jobs of 600 takes 0.3 ms, of 100,000 up to 13 ms. */
#pragma once

#include "model/number.h"

#include <stddef.h>

/* In each of these other things can be said of a job, and each has its own limit on rows. */
enum status_stage { STATUS_PENDING, STATUS_HOLDING, STATUS_ENDED, STATUS_STAGES };

/* Numbers may be unset, and the limit infinite. Moments are Unix seconds. A text is a number for status_job_text; 0: empty.
 * Of an array's rest, numbers are those of one task. */
struct status_job {
	uint64_t tasks; /* jobs that the row stands for */
	uint64_t cpus, memory_bytes, nodes; /* held, or asked for by those that wait */
	uint64_t gpus;
	uint64_t submit, eligible;
	uint64_t start; /* while it waits: slurmctld's forecast */
	uint64_t end;
	uint64_t limit_s;
	uint64_t run_s; /* without suspensions; of those that hold nodes: until `runs_since`, if that is set */
	uint64_t runs_since;
	uint64_t priority, restarts;
	uint64_t exit_code, exit_signal;
	uint64_t peak_memory_bytes, energy_joules;
	double used_cpu_s; /* below 0: not known */
	uint32_t id, array_job_id, het_job_id; /* 0: none */
	uint32_t array_task_id; /* UINT32_MAX: none */
	uint32_t user, account, partition, qos; /* as in labels; partition and qos may be lists */
	uint32_t name, sluid, state;
	uint32_t reason, class;
	uint32_t tres; /* for the GRES */
	uint32_t node_list, failed_node;
	bool is_failure;
	bool is_array_rest; /* tasks that Slurm has not split yet */
	enum status_cpus { STATUS_CPUS_NOT_KNOWN, STATUS_CPUS_SOME, STATUS_CPUS_ALL } of_nodes; /* that it holds */
};

struct status_job_set {
	bool is_known;
	uint64_t max; /* rows that there may be */
	uint64_t left_out; /* jobs without a row; an array's rest is one. Where `is_scoped`: 1 if there are any */
	struct status_job *rows;
	size_t count;
};

struct status_job_rows {
	bool is_scoped; /* only the rows that somebody may see are here (scoped_status.h) */
	struct status_job_set sets[STATUS_STAGES];
	uint64_t ended_s; /* for so long those that ended have rows */
	char *texts; /* one after the other, each with its NUL; the first is empty */
	size_t texts_len;
};

static inline const char *status_job_text(const struct status_job_rows *jobs, uint32_t text)
{
	return text < jobs->texts_len ? jobs->texts + text : "";
}
