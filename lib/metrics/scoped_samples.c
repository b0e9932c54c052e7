#include "metrics/scoped_samples.h"

#include "base/memory.h"
#include "metrics/formats.h"

struct scoping {
	const struct samples *all;
	const struct scope *scope;
	struct samples *to;
	struct arena arena;
	struct map jobs[JOB_ROWS_KINDS]; /* IDs, as in the label, of the jobs that the scope has */
};

/* The next label of a line, its value as it is in the line. False: there is none. */
static bool next_label(struct text *rest, struct text *ret_name, struct text *ret_value)
{
	const char *quote = rest->len ? memchr(rest->bytes, '"', rest->len) : NULL;
	const char *end = rest->bytes + rest->len, *at = quote ? quote + 1 : end;
	while (at < end && *at != '"')
		at += *at == '\\' ? 2 : 1;
	if (at >= end)
		return false;
	*ret_name = (struct text){rest->bytes, (size_t)(quote - rest->bytes) - 1}; /* without = */
	*ret_value = (struct text){quote + 1, (size_t)(at - quote) - 1};
	at += at + 1 < end ? 2 : 1; /* the comma, too */
	*rest = (struct text){at, (size_t)(end - at)};
	return true;
}

/* As it was before exposition_write_label. */
static struct text unescaped(struct text value, struct buf *room)
{
	if (!memchr(value.bytes, '\\', value.len))
		return value;
	buf_clear(room);
	for (size_t i = 0; i < value.len; i++) {
		bool is_escape = value.bytes[i] == '\\' && i + 1 < value.len;
		char c = value.bytes[is_escape ? ++i : i];
		buf_add_char(room, is_escape && c == 'n' ? '\n' : c);
	}
	return buf_text(room);
}

/* Does a label say that the scope has it? *ret_job: the job's ID, if there is one. */
static bool is_owned(const struct scoping *scoping, const struct sample_family *family, struct text labels,
		     struct text *ret_job)
{
	struct text name, value;
	struct buf room = BUF_INIT;
	bool is_owned = false;
	*ret_job = (struct text){0};
	while (next_label(&labels, &name, &value)) {
		if (family->job_rows && text_equal(name, TEXT("jobid")))
			*ret_job = value;
		for (int kind = 0; !is_owned && kind < SCOPE_OWNERS; kind++)
			is_owned = family->owners >> kind & 1 && text_equal(name, text_of(scope_owner_labels[kind])) &&
				   scope_has(scoping->scope, (enum scope_kind)kind, unescaped(value, &room));
	}
	buf_done(&room);
	return is_owned;
}

/* Only the family that describes a job says whose it is. */
static void find_jobs(struct scoping *scoping, const struct family_part *part)
{
	struct sample_line line;
	struct text job;
	size_t at = part->family->samples;
	while (part_next_line(part, &at, &line))
		if (is_owned(scoping, part->family, line.labels, &job) && job.len)
			map_add(&scoping->jobs[part->family->job_rows], job);
}

static void copy_exemplar(struct scoping *scoping, const struct exemplar *exemplar)
{
	struct samples *to = scoping->to;
	GROW(to->exemplars, to->exemplar_count, to->exemplar_capacity);
	to->exemplars[to->exemplar_count] = *exemplar;
	to->exemplars[to->exemplar_count++].at = to->text.len;
}

static void copy_native(struct scoping *scoping, const struct native *native)
{
	struct samples *to = scoping->to;
	const size_t first = to->bucket_count;
	for (size_t i = 0; i < native->count; i++) {
		GROW(to->native_buckets, to->bucket_count, to->bucket_capacity);
		to->native_buckets[to->bucket_count++] = scoping->all->native_buckets[native->first + i];
	}
	GROW(to->natives, to->native_count, to->native_capacity);
	to->natives[to->native_count++] = (struct native){to->text.len, first, native->count};
}

static void copy_header(struct scoping *scoping, const struct sample_family *from, struct sample_family *to)
{
	*to = *from;
	to->begin = scoping->to->text.len;
	buf_add(&scoping->to->text, scoping->all->text.bytes + from->begin, from->samples - from->begin);
	to->samples = scoping->to->text.len;
	to->help = to->begin + (from->help - from->begin);
	to->first_exemplar = scoping->to->exemplar_count;
	to->first_native = scoping->to->native_count;
}

static void copy_family(struct scoping *scoping, const struct family_part *part)
{
	struct samples *to = scoping->to;
	struct sample_family family;
	struct sample_line line;
	struct text job;
	size_t at = part->family->samples, begin = at, count = 0;
	size_t exemplar = part->family->first_exemplar, native = part->family->first_native;
	for (; part_next_line(part, &at, &line); begin = at) {
		bool is_shown = is_owned(scoping, part->family, line.labels, &job) ||
				(job.len && map_find(&scoping->jobs[part->family->job_rows], job));
		if (is_shown && !count++)
			copy_header(scoping, part->family, &family);
		if (is_shown)
			buf_add(&to->text, scoping->all->text.bytes + begin, line.end - begin);
		for (; exemplar < part_exemplars_end(part) && scoping->all->exemplars[exemplar].at <= line.end;
		     exemplar++)
			if (is_shown)
				copy_exemplar(scoping, &scoping->all->exemplars[exemplar]);
		for (; native < part_natives_end(part) && scoping->all->natives[native].at <= line.end; native++)
			if (is_shown)
				copy_native(scoping, &scoping->all->natives[native]);
		if (is_shown)
			buf_add_char(&to->text, '\n');
	}
	if (!count)
		return;
	family.end = to->text.len;
	GROW(to->families, to->count, to->capacity);
	to->families[to->count++] = family;
	to->sample_count += count;
}

void scoped_samples(const struct samples *all, const struct scope *scope, struct samples *ret_samples)
{
	struct scoping scoping = {.all = all, .scope = scope, .to = ret_samples, .arena = ARENA_INIT};
	*ret_samples = (struct samples){.text = BUF_INIT};
	buf_reserve(&ret_samples->text,
		    all->text.len); /* what is not written of it is given back, and was never touched */
	for (int kind = 0; kind < JOB_ROWS_KINDS; kind++)
		map_init(&scoping.jobs[kind], &scoping.arena, 1);
	for (size_t i = 0; i < all->count; i++)
		if (all->families[i].job_rows)
			find_jobs(&scoping, &(struct family_part){all, &all->families[i]});
	for (size_t i = 0; i < all->count; i++)
		if (all->families[i].owners)
			copy_family(&scoping, &(struct family_part){all, &all->families[i]});
	for (int kind = 0; kind < JOB_ROWS_KINDS; kind++)
		map_done(&scoping.jobs[kind]);
	arena_done(&scoping.arena);
	buf_shrink(&ret_samples->text);
}
