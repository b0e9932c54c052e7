/* From an answer's bytes to records, one at a time.
 *
 * One decoder serves one endpoint for its whole life. Memory is that of the largest record; an answer with a record that
 * takes more than 16 MiB is wrong. While it is read, with a longest string that is not UTF-8, it takes at most 144 MiB
 * (tests/unit/test_record_memory.c). Work is linear in the answer. */
#pragma once

#include "slurmrest/field.h"

/* What kind of record an endpoint's answer holds: one row per decode_*.c. */
struct record_type {
	/* The answer's member that holds the records: "jobs"; "qos|QOS": either; "": the answer itself. */
	const char *list;
	bool is_single; /* that member is the one record itself, not a list of them */
	size_t size;
	const struct field *fields;
	/* Completes the record; false: it cannot be used (a required member is missing). */
	bool (*finish)(struct vocabulary *vocabulary, void *record);
	/* Before that: settles a name that no row can settle, because it depends on other members. `hash` NULL: names stay.
	 * NULL: there is none. */
	void (*name)(void *record, const struct name_hash *hash, struct arena *texts);
};

extern const struct record_type job_record, job_state_record, job_run_record, node_record, partition_record,
	ping_record, diag_record, dbd_diag_record, conf_record, fairshare_record, reservation_record, license_record;
extern const struct record_type qos_record, association_record, user_record;

/* What an answer says besides its records. */
struct answer {
	uint64_t records, skipped;
	bool has_list; /* the answer had the list, even if empty */
	uint64_t last_update; /* Unix seconds; unset where the version does not tell */
	uint64_t error_count, warning_count;
	uint64_t nothing_found; /* errors of number 9003: an empty result, not a failure (22.05) */
	uint64_t access_denied; /* errors of number 2002: the user may not see this */
	uint64_t unknown_jobs; /* errors of number 2017: slurmctld knows no such job */
	uint64_t unauthentic; /* errors of number 1007: the token is refused */
	char error_description[160], error[96]; /* of the first error: what failed, and why; names hashed: only why */
	bool is_compact; /* no whitespace after the first brace */
	char warning[256]; /* the first one, or empty; empty if names are hashed */
	char release[32]; /* "24.11.5" */
	char cluster[64]; /* empty before v0.0.40 */
};

/* Gets each record as it is complete; record and texts are borrowed during the call. */
typedef void record_fn(void *context, const void *record);

struct decoder;

/* Borrows both until decoder_free. */
struct decoder *decoder_new(const struct record_type *type, struct vocabulary *vocabulary);
/* Hashes names from now on, and leaves out slurmrestd's own descriptions of errors, which may name somebody. Borrows `hash`
 * until decoder_free; NULL: all stays. */
void decoder_hash(struct decoder *decoder, const struct name_hash *hash);
void decoder_start(struct decoder *decoder, record_fn *take, void *context);
bool decoder_feed(struct decoder *decoder, const char *bytes, size_t len, struct error *err);
bool decoder_finish(struct decoder *decoder, struct error *err);
const struct answer *decoder_answer(const struct decoder *decoder); /* as far as it was read */
void decoder_free(struct decoder *decoder); /* NULL is fine */
