/* The audit log: who asked for what. One log line for each request, but of each user at most AUDIT_LINES a minute, and of
 * all whom nobody knows by name together likewise. Further ones are counted, and the next minute begins with a line that
 * says how many. So nobody can flood the log, nor hide somebody else's request. Of the server's thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { AUDIT_LINES = 60, AUDIT_NAMES_MAX = 2000 };

struct audit_entry {
	const char *who; /* the user, or the name of its certificate; NULL: not known */
	const char *tenant; /* NULL: none */
	const char *source; /* its address */
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
