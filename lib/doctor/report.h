/* What doctor finds, a line each, printed as it is found. */
#pragma once

#include <stddef.h>
#include <stdio.h>

enum verdict {
	VERDICT_OK,
	VERDICT_WARN, /* it works, but not as well as it could */
	VERDICT_FAIL, /* metrics are missing on the page, or will be */
	VERDICTS,
};

struct report {
	FILE *out;
	unsigned counts[VERDICTS];
};

/* "FAIL  token  refused ... -> what to do": `about` is a word, `advice` may be NULL. The line may quote a server:
 * control characters are not printed. */
void report(struct report *report, enum verdict verdict, const char *about, const char *advice, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* Prints how many lines of each verdict there were. */
void report_end(struct report *report);
