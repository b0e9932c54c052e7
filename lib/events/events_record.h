/* What survives a restart of job_events: written after each poll in one transaction, and read once. */
#pragma once

#include "events/job_events.h"

/* Texts are borrowed for the call. The names of kinds and whats never change. */
struct events_counter {
	struct text kind; /* "user" */
	struct text name; /* its labels, a user's account or a queue's QOS behind a 0x1f */
	struct text what, detail;
	double value;
};

struct events_run {
	struct run run; /* but for its numbers of pools */
	struct job_owner owner;
	struct text tres;
};

/* Single numbers, such as when counting began, and until when the job table was seen. */
enum events_mark {
	EVENTS_BIRTH,
	EVENTS_LOOKED_UNTIL,
	EVENTS_ENDS_KNOWN_UNTIL,
	EVENTS_SLURMDBD_TOLD,
	EVENTS_LOST,
	EVENTS_RECOVERED,
	EVENTS_STEPS_GIVEN_UP,
	EVENTS_TOLD_FROM,
	EVENTS_TOLD_UNTIL,
	EVENTS_TOLD_ID,
	EVENTS_STARTS_SINCE,
	EVENTS_STARTS_FROM,
	EVENTS_STARTS_TOLD,
	EVENTS_STARTS_SEEN,
	EVENTS_STARTS_FOUND,
	EVENTS_OUTAGES_BORN,
	EVENTS_OUTAGES_UNTIL,
	EVENTS_MARKS,
};
extern const char *const events_mark_names[EVENTS_MARKS];

struct events_writer {
	void (*counter)(void *context, const struct events_counter *counter);
	void (*remove_counter)(void *context,
			       const struct events_counter *counter); /* by its four texts; if it is there */
	void (*run)(void *context, const struct events_run *run);
	void (*remove_run)(void *context, const struct run_key *key);
	void (*ended)(void *context, const struct ended_record *record);
	void (*remove_ended)(void *context, uint32_t raw_id);
	void (*mark)(void *context, const char *name, int64_t value);
	void (*outage)(void *context, const struct outage *outage);
	void (*remove_outage)(void *context, struct text node);
};

/* Writes what changed since events_stored, or all. */
void events_write(const struct job_events *events, bool all, const struct events_writer *writer, void *context);
void events_stored(struct job_events *events); /* what was written last is safe */

/* Into new job_events, in any order, then events_restored. It skips what it does not understand. */
void events_restore_counter(struct job_events *events, const struct events_counter *counter);
void events_restore_run(struct job_events *events, const struct events_run *run);
void events_restore_ended(struct job_events *events, const struct ended_record *record);
void events_restore_outage(struct job_events *events, const struct outage *outage);
void events_restore_mark(struct job_events *events, struct text name, int64_t value);

/* Goes on where `from` is, with caps and names of its own: new job_events, at once. */
void events_continue(struct job_events *events, const struct job_events *from, int64_t now);

/* Events between the last write and `now` are found later, if at all. */
void events_restored(struct job_events *events, int64_t now);
