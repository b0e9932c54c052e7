#include "jobs/job_totals_same.h"

#include <inttypes.h>

/* The numbers of a job_usage, each a uint64_t, or two of a uint128. */
struct member {
	const char *name;
	size_t offset, count;
};
#define MEMBER(name)                                                                                                   \
	{                                                                                                              \
#name, offsetof(struct job_usage, name), sizeof(((struct job_usage *)NULL)->name) / (sizeof(uint64_t)) \
	}

static const struct member members[] = {
	MEMBER(rows),	 MEMBER(jobs),		 MEMBER(flagged),
	MEMBER(pending), MEMBER(oldest_pending), MEMBER(max_startable_nodes),
	MEMBER(cpus),	 MEMBER(memory),	 MEMBER(nodes),
};

static bool same(const char *what, uint64_t got, uint64_t want, struct error *err)
{
	return got == want || error_set(err, "%s: %" PRIu64 " instead of %" PRIu64, what, got, want);
}

/* Compares the `numbers` of each row of a map with those of the other map. */
static bool same_rows(const struct map *got, const struct map *want, size_t offset, size_t numbers, struct error *err)
{
	for (size_t i = 0; i < got->count; i++) {
		const struct map_entry *entry = &got->entries[i];
		const char *row = entry->value, *other = map_find(want, entry->key);
		for (size_t j = 0; j < numbers; j++) {
			const size_t at = offset + j * sizeof(uint64_t);
			if (!same(entry->key.bytes, *(const uint64_t *)(row + at),
				  other ? *(const uint64_t *)(other + at) : 0, err))
				return false;
		}
	}
	return true;
}

static bool same_maps(const struct map *got, const struct map *want, size_t offset, size_t numbers, struct error *err)
{
	return same_rows(got, want, offset, numbers, err) && same_rows(want, got, offset, numbers, err);
}

static bool same_usage(const struct job_usage *got, const struct job_usage *want, struct error *err)
{
	for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
		const uint64_t *a = (const void *)((const char *)got + members[i].offset);
		const uint64_t *b = (const void *)((const char *)want + members[i].offset);
		for (size_t j = 0; j < members[i].count; j++)
			if (!same(members[i].name, a[j], b[j], err))
				return error_prefix(err, "number %zu", j);
	}
	return same_maps(&got->reasons, &want->reasons, 0, 1, err) &&
	       same_maps(&got->gres, &want->gres, offsetof(struct gres_count, count),
			 PHASES * sizeof(uint128) / sizeof(uint64_t), err);
}

/* Compares each of these entities with the other's, or with zeros if there is none. */
static bool same_entities(const struct map *got, const struct map *want, struct error *err)
{
	static const struct job_usage none;
	for (size_t i = 0; i < got->count; i++) {
		const struct map_entry *entry = &got->entries[i];
		const struct job_usage *other = map_find(want, entry->key);
		if (!same_usage(entry->value, other ? other : &none, err))
			return error_prefix(err, "\"%s\"", entry->key.bytes);
	}
	return true;
}

static bool same_rests(const struct job_usage *got, const struct job_usage *want, struct error *err)
{
	static const struct job_usage none;
	return same_usage(got ? got : &none, want ? want : &none, err) || error_prefix(err, "rest");
}

bool job_totals_same(const struct job_totals *got, const struct job_totals *want, struct error *err)
{
	for (int kind = 0; kind < JOB_KINDS; kind++)
		if (!same_rests(got->rests[kind], want->rests[kind], err) ||
		    !same_entities(&got->entities[kind], &want->entities[kind], err) ||
		    !same_entities(&want->entities[kind], &got->entities[kind], err))
			return error_prefix(err, "kind %d", kind);
	return same("records", got->records, want->records, err) && same("jobs", got->jobs, want->jobs, err) &&
	       same("jobs without details", got->jobs_without_details, want->jobs_without_details, err) &&
	       same("undercounted", got->undercounted, want->undercounted, err);
}
