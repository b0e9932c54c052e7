#include "status/status_image.h"

#include "base/memory.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>

/* Rows of an array, or the one struct that all begins with. */
struct row_kind {
	size_t bytes;
	const struct member *members; /* those that point to something */
	size_t count;
};

struct member {
	size_t at;
	const struct row_kind *rows; /* it is an array of these; NULL: it is a text */
	size_t count_at; /* of the number of rows */
};

#define TEXT_MEMBER(type, member)                                                                                      \
	{                                                                                                              \
		offsetof(type, member), NULL, 0                                                                        \
	}
#define ARRAY_MEMBER(type, member, kind, number)                                                                       \
	{                                                                                                              \
		offsetof(type, member), &(kind), offsetof(type, number)                                                \
	}
#define ROW_KIND(type, table)                                                                                          \
	{                                                                                                              \
		sizeof(type), table, sizeof(table) / sizeof *(table)                                                   \
	}

static const struct member of_counts[] = {TEXT_MEMBER(struct status_count, name)};
static const struct row_kind counts = ROW_KIND(struct status_count, of_counts);

static const struct member of_controllers[] = {TEXT_MEMBER(struct status_controller, host)};
static const struct row_kind controllers = ROW_KIND(struct status_controller, of_controllers);

static const struct member of_gres[] = {TEXT_MEMBER(struct status_gres, name), TEXT_MEMBER(struct status_gres, type)};
static const struct row_kind gres = ROW_KIND(struct status_gres, of_gres);

static const struct member of_endpoints[] = {TEXT_MEMBER(struct status_endpoint, name),
					     TEXT_MEMBER(struct status_endpoint, error)};
static const struct row_kind endpoints = ROW_KIND(struct status_endpoint, of_endpoints);

static const struct member of_tasks[] = {
	TEXT_MEMBER(struct status_task, name),	   TEXT_MEMBER(struct status_task, about),
	TEXT_MEMBER(struct status_task, endpoint), TEXT_MEMBER(struct status_task, way),
	TEXT_MEMBER(struct status_task, reason),   TEXT_MEMBER(struct status_task, text),
};
static const struct row_kind tasks = ROW_KIND(struct status_task, of_tasks);

/* Without anything that points. */
static const struct row_kind single_jobs = {sizeof(struct status_job), NULL, 0}, characters = {1, NULL, 0};

static const struct member of_status[] = {
	TEXT_MEMBER(struct status, name),
	TEXT_MEMBER(struct status, url),
	TEXT_MEMBER(struct status, slurm_version),
	TEXT_MEMBER(struct status, api_version),
	TEXT_MEMBER(struct status, role.host),
	TEXT_MEMBER(struct status, role.serving),
	TEXT_MEMBER(struct status, role.waits_for),
	TEXT_MEMBER(struct status, not_ready),
	ARRAY_MEMBER(struct status, controllers, controllers, controller_count),
	ARRAY_MEMBER(struct status, nodes.states.rows, counts, nodes.states.count),
	ARRAY_MEMBER(struct status, nodes.flags.rows, counts, nodes.flags.count),
	ARRAY_MEMBER(struct status, nodes.gres, gres, nodes.gres_count),
	ARRAY_MEMBER(struct status, jobs.states.rows, counts, jobs.states.count),
	ARRAY_MEMBER(struct status, jobs.reasons.rows, counts, jobs.reasons.count),
	ARRAY_MEMBER(struct status, jobs.classes.rows, counts, jobs.classes.count),
	ARRAY_MEMBER(struct status, job_rows.sets[STATUS_PENDING].rows, single_jobs,
		     job_rows.sets[STATUS_PENDING].count),
	ARRAY_MEMBER(struct status, job_rows.sets[STATUS_HOLDING].rows, single_jobs,
		     job_rows.sets[STATUS_HOLDING].count),
	ARRAY_MEMBER(struct status, job_rows.sets[STATUS_ENDED].rows, single_jobs, job_rows.sets[STATUS_ENDED].count),
	ARRAY_MEMBER(struct status, job_rows.texts, characters, job_rows.texts_len),
	ARRAY_MEMBER(struct status, endpoints, endpoints, endpoint_count),
	ARRAY_MEMBER(struct status, tasks, tasks, task_count),
	TEXT_MEMBER(struct status, asking),
	TEXT_MEMBER(struct status, budgets_text),
	TEXT_MEMBER(struct status, jobs_text),
	TEXT_MEMBER(struct status, budgets[0].of),
	TEXT_MEMBER(struct status, budgets[1].of),
	TEXT_MEMBER(struct status, token.source),
	TEXT_MEMBER(struct status, token.user),
	TEXT_MEMBER(struct status, state_file.path),
	TEXT_MEMBER(struct status, state_file.error),
};
static const struct row_kind whole = ROW_KIND(struct status, of_status);

/* Where it is from then on. */
static size_t append(struct buf *to, const void *bytes, size_t len)
{
	static const char zeros[alignof(max_align_t)];
	buf_add(to, zeros, -to->len & (alignof(max_align_t) - 1));
	size_t at = to->len;
	buf_add(to, bytes, len);
	return at;
}

/* What the row's members point to comes behind it; in their place is where. 0, the place of the status: nothing. */
static void write_row(struct buf *to, size_t row, const struct row_kind *kind)
{
	for (size_t i = 0; i < kind->count; i++) {
		const struct member *member = &kind->members[i];
		const void *target;
		size_t at = 0, count = 0;
		memcpy(&target, to->bytes + row + member->at, sizeof target);
		if (member->rows)
			memcpy(&count, to->bytes + row + member->count_at, sizeof count);
		if (target && !member->rows)
			at = append(to, target, strlen(target) + 1);
		else if (target && count)
			at = append(to, target, count * member->rows->bytes);
		for (size_t next = 0; next < count && member->rows->count; next++)
			write_row(to, at + next * member->rows->bytes, member->rows);
		memcpy(to->bytes + row + member->at, &at, sizeof at);
	}
}

#ifdef SLURMSCOPE_CHECKS
/* A member without a row in the table: its pointer has come along. */
static void check_pointers(const struct status *status, const struct buf *image)
{
	for (size_t at = 0; at + sizeof(void *) <= image->len; at += sizeof(void *)) {
		const void *word;
		memcpy(&word, image->bytes + at, sizeof word);
		if (arena_has(&status->arena, word)) {
			fprintf(stderr, "status: a pointer at %zu of its image\n", at);
			abort();
		}
	}
}
#endif

void status_write(const struct status *status, struct buf *to)
{
	struct status copy = *status;
	copy.arena = (struct arena)ARENA_INIT;
	buf_add(to, &copy, sizeof copy);
	write_row(to, 0, &whole);
	buf_add_char(to, '\0');
#ifdef SLURMSCOPE_CHECKS
	check_pointers(status, to);
#endif
}

/* False: it would be outside. All texts end, for so do the bytes. */
static bool read_row(struct text image, size_t row, const struct row_kind *kind)
{
	char *bytes = (char *)image.bytes;
	for (size_t i = 0; i < kind->count; i++) {
		const struct member *member = &kind->members[i];
		size_t at, count = 0;
		memcpy(&at, bytes + row + member->at, sizeof at);
		if (member->rows)
			memcpy(&count, bytes + row + member->count_at, sizeof count);
		if (at >= image.len || at % alignof(max_align_t) ||
		    (member->rows && count && (!at || count > (image.len - at) / member->rows->bytes)))
			return false;
		for (size_t next = 0; next < count && member->rows->count; next++)
			if (!read_row(image, at + next * member->rows->bytes, member->rows))
				return false;
		const char *target = at ? bytes + at : NULL;
		memcpy(bytes + row + member->at, &target, sizeof target);
	}
	return true;
}

struct status *status_read(struct text bytes)
{
	if (bytes.len <= sizeof(struct status) || bytes.bytes[bytes.len - 1] != '\0')
		return NULL;
	struct status *status = memory_new(bytes.len);
	memcpy(status, bytes.bytes, bytes.len);
	status->arena = (struct arena)ARENA_INIT;
	if (read_row((struct text){(char *)status, bytes.len}, 0, &whole))
		return status;
	free(status);
	return NULL;
}
