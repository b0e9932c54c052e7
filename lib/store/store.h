/* What survives a restart: counters, live runs, job records, outages of nodes and marks in one SQLite file. Of one thread.
 *
 * The caller keeps all of it in memory as well and offers changes once per poll. Rows hold absolute values,
 * never increments, so that offering one twice does no harm:
 *
 *	switch (store_begin(store, &err)) {
 *	case STORE_WANTS_NOTHING: ...cannot be written now: log, count, go on in memory, try again next poll
 *	case STORE_WANTS_CHANGES: ...put and remove what changed since the last commit that returned true
 *	case STORE_WANTS_ALL: ...put every row there is; what is not put is gone
 *	}
 *	store_commit(store, &err);
 *
 * After a failure the next begin opens the file again and wants all, so nobody needs to remember what was not written.
 * kill -9 or power loss may come at any moment. The file then holds what the last successful commit left, or what the
 * commit under way would leave. The store does not notice a disk that alters bytes inside a row.
 *
 * The file is SQLite's (https://sqlite.org/lockingv3.html, /wal.html) with synchronous=FULL. It has a WAL. On network
 * file systems it has a rollback journal, because SQLite's authors advise against WAL there. It is locked as long as it
 * is open, also for readers such as sqlite3(1). So is PATH.lock beside it (lease.h): one process, on whatever machine,
 * has the state. A symbolic link is followed. The file is made with mode 0600; its folder is not made. File, WAL and
 * journal together stay below 32 MiB plus three times the largest content there ever was. A row takes about 160 bytes,
 * a job record 240. */
#pragma once

#include "base/error.h"
#include "base/text.h"

/* A counter or a bucket of a histogram: one number of one entity. */
struct store_counter {
	struct text kind, name; /* "partition", "debug" */
	struct text what, detail; /* "jobs_ended", "FAILED" */
	double value; /* not NaN */
};

/* A run that is alive, or that ended and whose accounting is not settled. Times are Unix seconds, 0: none. To add a
 * column: a member here, a row in store/schema.c. */
struct store_run {
	/* the key */
	uint64_t id; /* the array's job ID, or the job ID */
	int64_t task; /* -1: none */
	int64_t submit_time;

	uint64_t raw_id;
	uint64_t bits; /* which of its events are counted: the caller's */
	uint64_t tasks; /* of an array's unsplit rest, whose submissions are counted */
	uint64_t cpus, memory; /* that it holds; bytes */
	int64_t began, ran_before; /* when it began to run, and the seconds that it had run before */
	int64_t counted; /* seconds of its run time */
	int64_t end_time, gone_since;
	int64_t forecast; /* when it was to start; 0: not known */
	int64_t size_since; /* it has held what it holds for as long as that is counted */
	struct text tres, account, user, partitions, qos;
	struct text group_values; /* the caller's: what the groups that the site defines count it by */
};

/* A record of the job table, as slurmctld was last known to have it. Times are Unix seconds; numbers that are not known are
 * the caller's. */
struct store_job {
	uint64_t id; /* the key: the raw job ID */

	uint64_t array_job_id; /* 0: none */
	int64_t array_task_id; /* -1: none */
	int64_t tail; /* the task by which an array's rest is asked for; -1: its ID */
	struct text state, flags; /* by name; flags with commas between */
	uint64_t bits; /* what is known of it: the caller's */
	uint64_t tasks, tasks_listed;
	uint64_t cpus, memory, nodes; /* of one task; bytes */
	uint64_t submit_time, start_time, time_limit;
	uint64_t eligible_time, end_time, suspend_time, ran_before;
	uint64_t details_time, seen_time; /* when its details came, when Slurm last said that it exists; or earlier */
	uint64_t exit; /* how it ended: the caller's */
	struct text reason, tres, reservation, node_list, node_need;
	struct text account, user, partitions, qos, group_values;
};

/* A job that ended lately. Numbers that are not known are the caller's. */
struct store_ended {
	uint64_t raw_id; /* the key */

	uint64_t array_job_id; /* 0: none */
	int64_t array_task_id; /* -1: none */
	uint64_t submit_time, eligible_time, start_time, end_time, run_seconds, time_limit;
	uint64_t cpus, memory, nodes; /* that it held; bytes */
	uint64_t exit_code, exit_signal;
	uint64_t peak_memory, energy; /* joules */
	double used_cpu_seconds;
	struct text state, name, sluid, failed_node, tres, account, user, partitions, qos;
};

/* A node that is out of service. Times are Unix seconds. */
struct store_outage {
	struct text node; /* the key */

	int64_t began, since; /* since: what follows is so */
	struct text kind, worst, cause;
	uint64_t cpus, memory, gpus; /* that are lost; bytes */
};

struct store;

/* Could a store be opened and written there? As far as one can find out without changing anything. Folder and file must
 * be there, and we must be allowed to write them. */
bool store_check(const char *path, struct error *err);

/* True: no other process has it now, as far as one can find out. Changes nothing. */
bool store_is_free(const char *path, struct error *err);

/* The folder that is written to, without symbolic links; where it is not there yet, the nearest above it that is. For
 * free(); NULL: there is none. */
char *store_folder(const char *path);

/* Opens nothing yet. `cluster` is the cluster's name, empty as long as it is unknown; both are copied. */
struct store *store_new(const char *path, const char *cluster);

/* Another machine may be the next to use the file, or a copy of it. So it has a rollback journal everywhere: one file
 * holds all of it then. If another machine brought PATH.copy, store_load may put it in the file's place: if it was
 * written later and is whole. A bad copy is set aside as PATH.copy.unusable-<Unix time>. To be called before store_load. */
void store_share(struct store *store);

/* How names in the rows are hashed; "" is the default: they are not. Copied. Names that are hashed otherwise must not be
 * kept, so a file or a copy that has such is removed. To be called before store_load. */
void store_set_names(struct store *store, const char *names);

enum store_found {
	STORE_UNUSABLE, /* it cannot be opened or written now, another process has it, or a newer slurmscope made
			  * it: it is untouched. Call store_load again later. What the file holds then is older
			  * than the caller's memory, but right: its marks tell from where on to read events again */
	STORE_NEW, /* it was not there, or empty */
	STORE_LOADED,
	STORE_REMOVED, /* its names were hashed otherwise, or not at all; a new file is begun */
	STORE_SET_ASIDE, /* it was damaged, another program's, or another cluster's. It is PATH.damaged-<Unix time>
			  * or PATH.foreign-<Unix time> now, and a new file is begun */
};

/* Takes the rows; the texts are borrowed for the call. Jobs come after all marks. Rows may hold anything, because
 * anybody may have written the file. */
struct store_visitor {
	void (*counter)(const struct store_counter *counter, void *context);
	void (*run)(const struct store_run *run, void *context);
	void (*mark)(struct text name, int64_t value, void *context);
	void (*job)(const struct store_job *job, void *context); /* NULL: they are not wanted; likewise: */
	void (*ended)(const struct store_ended *ended, void *context);
	void (*outage)(const struct store_outage *outage, void *context);
};

/* Opens the file, checks all of it, migrates an older one and hands over each row once. If it returns STORE_UNUSABLE,
 * STORE_REMOVED or STORE_SET_ASIDE, *err says what is wrong, and the caller has to forget what the visitor got. */
enum store_found store_load(struct store *store, const struct store_visitor *visitor, void *context, struct error *err);

enum store_copy { STORE_COPY_NONE, STORE_COPY_TAKEN, STORE_COPY_REFUSED };

/* What the last store_load did with PATH.copy; *ret_story says why it was refused. */
enum store_copy store_copy(const struct store *store, struct error *ret_story);

/* The cluster's name is known now; kept from the next commit on. False: what was loaded is another
 * cluster's; it was set aside, and the caller forgets it: the next begin wants all. */
bool store_claim(struct store *store, const char *cluster, struct error *err);

enum store_wants { STORE_WANTS_NOTHING, STORE_WANTS_CHANGES, STORE_WANTS_ALL };

/* May its file hold something? False: there is none, or it is empty. */
bool store_may_have_content(const struct store *store);

/* The caller goes on with other counters than were loaded: the next begin wants all. */
void store_want_all(struct store *store);

/* Begins the poll's transaction. *err is set if it returns STORE_WANTS_NOTHING. It does so until store_load has
 * succeeded, while the file cannot be written, and once after it set the file aside. */
enum store_wants store_begin(struct store *store, struct error *err);

/* Between a begin that wants something and its commit. A row with the same key is replaced; removing what
 * is not there is fine. Failures show in the commit. */
void store_put_counter(struct store *store, const struct store_counter *counter);
void store_remove_counter(struct store *store, const struct store_counter *counter); /* by its four texts */
void store_put_run(struct store *store, const struct store_run *run);
void store_remove_run(struct store *store, const struct store_run *run); /* by its key */
void store_put_ended(struct store *store, const struct store_ended *ended);
void store_remove_ended(struct store *store, uint64_t raw_id);
void store_put_outage(struct store *store, const struct store_outage *outage);
void store_remove_outage(struct store *store, struct text node);
void store_put_job(struct store *store, const struct store_job *job);
void store_remove_job(struct store *store, uint64_t id);
void store_remove_jobs(struct store *store); /* all of them */
void store_put_mark(struct store *store, const char *name, int64_t value);

/* True: all of it survives power loss. False: all of it or nothing is in the file, and the next begin wants
 * all. Takes at most two fsyncs, or four when the WAL is written back (each 16 MiB). */
bool store_commit(struct store *store, struct error *err);

bool store_is_elsewhere(const struct store *store); /* it could not be opened, for another process has it */
unsigned store_set_aside_count(const struct store *store); /* files, since store_new; for tests */
uint64_t store_bytes(const struct store *store); /* of the file with its WAL or journal */

void store_free(struct store *store); /* NULL is fine; an open transaction is forgotten */
