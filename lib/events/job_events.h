/* Each event of a job once: submissions, starts, ends, and the time that jobs hold what they hold.
 *
 * What happened before `birth`, when counting began, is not counted. Live jobs are looked at in the job table; ends
 * come from slurmdbd, which loses none, or from the job table too where there is no slurmdbd. Events that nobody saw
 * are found later from what is known of the run then; those of which nothing can be known are counted as lost.
 *
 * What is counted, and which runs it was counted of, is to be stored in one go (`events_record.h`); then nothing is
 * lost or counted twice whenever the process ends. Times are Unix seconds of slurmctld's clock. Of one thread. */
#pragma once

#include "events/owners.h"
#include "events/runs.h"
#include "events/tallies.h"
#include "jobs/job_table.h"

/* A run that ended. Texts are borrowed. */
struct job_end {
	uint32_t raw_id;
	struct run_key key;
	uint64_t tasks; /* of an array's rest that was cancelled unsplit; else 1 */
	struct job_owner owner;
	struct text state; /* "failed"; "requeued" */
	int64_t eligible_time, start_time; /* 0: it never was, or did not start; nobody knows when, if it held CPUs */
	int64_t end_time;      /* or when it was resized */
	int64_t run_seconds;   /* without those in which it was suspended */
	uint64_t time_limit;   /* seconds; unset or infinite if none */
	uint64_t cpus, memory, nodes; /* that it held; memory in bytes */
	struct text tres;      /* for the GRES */
	struct text node_list; /* "cn[01-03]" */
	struct text failed_node; /* that ended it; empty: not known */
	enum job_exit exit;
};

/* What the steps of an ended run used. */
struct job_steps {
	uint32_t raw_id;
	struct run_key key;
	int64_t start_time, end_time;
	double allocated_cpu_seconds, used_cpu_seconds; /* used: below 0 if not known */
	double allocated_memory, peak_memory; /* bytes; 0: not known */
};

struct job_events {
	const struct vocabulary *vocabulary; /* borrowed */
	struct tallies tallies;
	struct owners owners;
	struct text_pool texts; /* TRES of runs */
	struct runs runs;
	struct id_map split; /* array -> when tasks of it were split by that were seen before its rest */
	struct id_map completing; /* raw id -> when the table showed it COMPLETING last, of the last minute */
	int64_t birth;      /* what happened before is not counted */
	int64_t woke;       /* what happened between the last look before this and then was not seen as it happened */
	int64_t looked_until;  /* of all runs that have RUN_RUNS the time until then is counted */
	int64_t looked_at;     /* by the table's clock; 0: not yet */
	int64_t ends_known_until; /* of all ends before was told; slurmdbd is to be asked from there on */
	bool ends_by_slurmdbd; /* else by the job table */
	bool slurmdbd_told;    /* of ends, once at least */
	bool reads_steps;      /* ended runs wait for job_events_take_steps */
	double lost, recovered; /* events */
};

/* Counts what happens from `now` on. Borrows both. */
struct job_events *job_events_new(const struct caps *caps, const struct vocabulary *vocabulary,
				  int64_t now);
void job_events_free(struct job_events *events); /* NULL is fine */

/* The caps are others: what was counted of whom they do not let be named is forgotten. NULL is fine. */
void job_events_screen(struct job_events *events);

/* A round of the job table was finished: it tells all jobs as of `until` or later. */
void job_events_look(struct job_events *events, const struct job_table *table, int64_t until);

/* When the table showed the job COMPLETING last: Unix seconds; 0: not within the last minute. slurmdbd hears how it ended only
 * after that. */
int64_t job_events_completing(const struct job_events *events, uint32_t raw_id);

/* One that slurmdbd tells of; told twice it counts once. */
void job_events_take_end(struct job_events *events, const struct job_end *end);

/* One of the sizes that a run had, not the last: slurmdbd has such a row when it was resized. To be told before the run's end,
 * and in the order of their times; told twice it counts once. */
void job_events_take_size(struct job_events *events, const struct job_end *size);

/* slurmdbd was asked for all that ended before `until`. Forgets the runs that it will not be asked for again, and gives
 * up those of which it should have told. */
void job_events_end_window(struct job_events *events, int64_t until, int64_t asked_again_from);

/* Runs that ended before then and whose steps are to be read: how many, and the first `max`. */
size_t job_events_want_steps(const struct job_events *events, int64_t ended_before,
			     struct run_key *ret_keys, size_t max);
void job_events_take_steps(struct job_events *events, const struct job_steps *steps);
void job_events_no_steps(struct job_events *events, const struct run_key *key); /* there are none */
