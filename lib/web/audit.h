/* The audit log: who asked for what. One log line for each request, but of each user at most AUDIT_LINES a minute. Of
 * clients that have no name here there are at most AUDIT_SOURCE_LINES of each source, of AUDIT_SOURCES_MAX sources; those
 * of all others together are AUDIT_LINES. Further ones are counted, and the next minute begins with lines that say how
 * many. So nobody can flood the log, nor hide what a user asks for. Of the server's thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { AUDIT_LINES = 60, AUDIT_NAMES_MAX = 2000, AUDIT_SOURCE_LINES = 10, AUDIT_SOURCES_MAX = 100 };

struct audit_entry {
	const char *who; /* the user, or the name of its certificate; NULL: not known */
	const char *tenant; /* NULL: none */
	const char *source; /* its address */
	uint64_t source_key; /* connections_source */
	const char *method, *target; /* what it asked for, with the query */
	unsigned status;
	uint64_t bytes; /* of the answer */
};

struct audit;

struct audit *audit_new(void);
void audit_free(struct audit *audit); /* says what is left to be said; NULL is fine */
void audit_note(struct audit *audit, const struct audit_entry *entry, uint64_t now_ns);

/* Begins a minute if it is time for one. To be called now and then while audit_waits. */
void audit_tick(struct audit *audit, uint64_t now_ns);
bool audit_waits(const struct audit *audit); /* it counts requests that it has not told of */
