/* The test framework: checks that print what they got and go on, and an exit status at the end.
 * A row of a table names itself with check_row(); failures print "file:line: [row] ...". */
#pragma once

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static _Atomic int check_failures, check_count; /* a thread that a test starts may check, too */
static const char *check_row_name = "";

static inline void check_row(const char *name)
{
	check_row_name = name ? name : "";
}

static inline void check_report(bool ok, const char *file, int line, const char *what, const char *got,
				const char *want)
{
	check_count++;
	if (ok)
		return;
	check_failures++;
	fprintf(stderr, "%s:%d: [%s] %s\n    got  %s\n    want %s\n", file, line, check_row_name, what, got, want);
}

static inline void check_number(double got, double want, const char *file, int line, const char *what)
{
	char g[64], w[64];
	snprintf(g, sizeof g, "%.17g", got);
	snprintf(w, sizeof w, "%.17g", want);
	check_report(got == want || (got != got && want != want), file, line, what, g, w);
}

static inline void check_string(const char *got, const char *want, const char *file, int line, const char *what)
{
	bool ok = got && want ? strcmp(got, want) == 0 : got == want;
	check_report(ok, file, line, what, got ? got : "(null)", want ? want : "(null)");
}

#define CHECK(condition) check_report((condition), __FILE__, __LINE__, #condition, "false", "true")
#define CHECK_NUMBER(got, want) check_number((double)(got), (double)(want), __FILE__, __LINE__, #got)
#define CHECK_STRING(got, want) check_string((got), (want), __FILE__, __LINE__, #got)

static inline int check_done(void)
{
	printf("%d checks, %d failed\n", check_count, check_failures);
	return check_failures || !check_count;
}
