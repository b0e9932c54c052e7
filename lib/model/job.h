/* A job record of slurmctld: one job, one component of a het job, one array task, or the not yet split rest of an
 * array. Texts are borrowed from the maker of the record. */
#pragma once

#include "base/arena.h"
#include "model/list.h"
#include "model/number.h"
#include "model/vocabulary.h"

/* In a federation the six bits of an ID above the 26th are the number of the job's origin, the cluster where it was
 * submitted. Otherwise they are 0 (SLURMRESTD.md, "Federations"). */
#define JOB_LOCAL_ID_MASK ((UINT64_C(1) << 26) - 1)
enum { JOB_ORIGINS = 64 };

static inline unsigned job_origin(uint64_t id)
{
	return (unsigned)(id >> 26) % JOB_ORIGINS;
}

/* What the record may lack because nobody told it, not because the job has none. slurmctld tells all
 * (FIELDS.md, "What jobs ask for"). */
enum job_untold { JOB_LICENSES_UNTOLD = 1, JOB_RESERVATION_UNTOLD = 2, JOB_COMMENT_UNTOLD = 4 };

/* What a job holds of one of its nodes. */
struct job_node {
	struct text name;
	uint64_t cpus;
};

struct job {
	uint64_t id; /* the raw record ID; always known */
	uint64_t array_job_id; /* 0 or unset: not of an array */
	uint64_t array_task_id; /* unset on an array's unsplit rest */
	struct text array_tasks; /* tasks of the unsplit rest, "1-9,20", cut at 64 characters by default; or "0x1f" */
	struct text user, account;
	uint64_t user_id;
	struct text partitions; /* one; of a pending job one or several, separated by commas */
	struct text partitions_named; /* all that it named, if it has started in one of several; else empty */
	struct text submit_line; /* the command, while the record is being read; empty where Slurm does not report it */
	struct text qos; /* as partitions */
	int state; /* a number of vocabulary.job_states */
	uint64_t flags; /* bits: numbers of vocabulary.job_flags */
	struct text reason;
	uint64_t submit_time, eligible_time, start_time, end_time; /* Unix seconds, 0 if none */
	uint64_t suspend_time; /* when it was last suspended, or resumed; 0: never */
	uint64_t ran_before; /* seconds that it had run then */
	uint64_t exit_code; /* of the batch script; unset if it has none */
	uint64_t exit_signal; /* that ended it; unset or 0: none */
	uint64_t wait_status; /* before v0.0.40, where the two above are made from it */
	uint64_t cpus, nodes; /* requested while pending, held while running */
	uint64_t memory_per_node, memory_per_cpu; /* requested, bytes */
	uint64_t nodes_max; /* requested; 0: as many as it takes */
	uint64_t cpus_per_node; /* requested: the least that each node must have idle */
	struct text gres_per_node; /* requested: "gres/gpu:a100:2", or "gres:gpu:a100:2" */
	/* Only while the record is decoded (slurmrest/untold_gpus.h): */
	struct text gres_per_job, gres_per_task, gres_per_socket;
	uint64_t tasks, sockets_per_node; /* requested */
	struct text gres_held; /* of each node, "gpu:a100:2(IDX:0-1)" */
	struct text tres_requested, tres_allocated;
	struct text reservation; /* that it is in; empty: none */
	struct text node_list; /* that it runs on, "cn[01-03],gn1"; empty while pending */
	struct text failed_node; /* whose failure ended it; empty: none, or not reported */
	uint64_t time_limit; /* seconds, may be infinite */
	struct text features, licenses; /* that it asked for: "fast&nvme", "matlab:6,ansys" */
	struct text wckey; /* slurmctld puts "*" before a default one */
	struct text comment; /* the user's */
	unsigned untold; /* bits of enum job_untold */
	struct text cluster; /* name; empty in some releases */
	struct text name, sluid; /* sluid: empty before v0.0.44 */
	uint64_t het_job_id; /* of its first component; 0 or unset: not of a het job */
	uint64_t priority, restarts;
	struct list nodes_held; /* struct job_node; empty where Slurm does not say */
	bool has_untold_gpus; /* ours: no TRES of Slurm's names its GPUs, and we added them (slurmrest/untold_gpus.h) */
	bool is_lent; /* ours: it has the details of another task of its array */
	bool is_detailed; /* ours: what it holds of each node was asked for */
};

/* How the batch script of a job that ended by itself did so. One that Slurm ended is UNKNOWN: slurmctld reports its end at
 * once, with code 0, and keeps the script's signal to itself. slurmdbd gets that only if slurmctld is restarted soon
 * (24.11: _job_complete and job_mgr_load_job_state), so it depends on chance. */
enum job_exit { JOB_EXIT_UNKNOWN, JOB_EXIT_ZERO, JOB_EXIT_NONZERO, JOB_EXIT_SIGNAL };
enum job_exit job_exit_of(const struct job *job);

/* A copy whose texts are in the arena. */
struct job job_copy(const struct job *job, struct arena *arena);

/* Is it at most one name, of `partitions` or `qos`? */
bool job_is_one_name(struct text list);

/* Settles `partitions_named` of a record that was read. Since v0.0.42, and where priorities have several factors,
 * slurmctld reports a priority in each partition: then they are set already. Otherwise the command names them. Either
 * counts only if the job's own partition is among them, because the job may have been moved. */
void job_settle_named(struct job *job);

/* How many jobs the record stands for: the tasks of an array's unsplit rest, else 1. *ret_is_cut says that Slurm cut
 * the list ("1-3,5,..."): the number is then only a lower bound. */
uint64_t job_count(const struct job *job, bool *ret_is_cut);

/* The highest task of an unsplit rest as slurmdbd lists it ("0x3F80": 13), which is the last to be split; unset if
 * there is none. */
uint64_t job_last_task(const struct job *job);
