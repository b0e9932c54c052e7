/* What the parts of bench_json share: the body, the members that are read of each job, and the sum
 * over what was read. Equal sums prove that the readers read the same. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct body {
	char *bytes; /* owned; BODY_PADDING more bytes may be read (simdjson) */
	size_t len;
};
enum { BODY_PADDING = 64 };

/* A jobs list like the one that a real slurmrestd 26.05 wrote for 20,000 jobs (311 MB; a quarter of
 * the jobs run and hold a long job_resources), from the records of a recorded answer. */
struct body body_make(const char *fixtures, size_t jobs);
struct body body_load(const char *path);

enum member_kind { MEMBER_PLAIN, MEMBER_LIST, MEMBER_SET, MEMBER_NUMBER, MEMBER_SET_AND_NUMBER };

struct member {
	const char *name;
	enum member_kind kind; /* a value; a list of strings; members of {set, infinite, number} */
};
extern const struct member members[];
extern const size_t member_count;

static inline void sum_number(uint64_t *sum, size_t member, double number)
{
	*sum += (member + 1) * (uint64_t)(int64_t)number;
}

static inline void sum_string(uint64_t *sum, size_t member, const char *bytes, size_t len)
{
	uint64_t hash = 14695981039346656037u;
	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)bytes[i]) * 1099511628211u;
	*sum += (member + 1) * hash;
}

uint64_t read_with_ours(const char *bytes, size_t len); /* in chunks, as curl gives them */
uint64_t read_with_json_c(const char *bytes, size_t len); /* one record's DOM at a time */
uint64_t read_with_simdjson(const char *bytes, size_t len); /* On-Demand over the whole body */

/* Reads the body in chunks from standard input; read_with_ours is the same from memory. */
uint64_t read_ours_from_input(void);

#ifdef __cplusplus
}
#endif
