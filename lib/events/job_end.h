/* What slurmdbd or the job table says of a run that ended. */
#pragma once

#include "events/runs.h"
#include "jobs/owners.h"
#include "model/job.h"

/* A run that ended. Texts are borrowed. */
struct job_end {
	uint32_t raw_id;
	struct run_key key;
	uint64_t tasks; /* how many, if an array's rest was cancelled unsplit; else 1 */
	uint32_t array_job_id; /* 0: none */
	struct text name, sluid; /* empty: not known */
	struct job_owner owner;
	struct text named; /* partitions that it named, if it has started in one of several; else empty */
	struct text state; /* "failed"; "requeued" */
	int64_t eligible_time, start_time; /* 0: never. CPUs without a start: it is not known when it started */
	int64_t end_time; /* or when it was resized */
	int64_t run_seconds; /* without those in which it was suspended */
	uint64_t time_limit; /* seconds; unset or infinite if none */
	uint64_t cpus, memory, nodes; /* what it held; memory in bytes */
	struct text tres; /* for the GRES */
	struct text node_list; /* "cn[01-03]" */
	struct text failed_node; /* the node whose failure ended it; empty: not known */
	enum job_exit exit;
	uint64_t exit_code, exit_signal; /* valid where `exit` says so */
};

/* What the steps of an ended run used. */
struct job_steps {
	uint32_t raw_id;
	struct run_key key;
	int64_t start_time, end_time;
	double run_seconds;
	double allocated_cpu_seconds, used_cpu_seconds; /* used: below 0 if not known */
	double allocated_memory, peak_memory; /* bytes; 0: not known */
	double energy; /* joules; 0: not known */
	double allocated_gpus, peak_gpu_memory; /* peak: bytes, of all of them; below 0 if not known */
};
