#include "model/job.h"

/* "7", "1-9", "1-399:2"; 0 if it is none of these. */
static uint64_t count_range(struct text range)
{
	uint64_t first, last, step = 1;
	struct text steps = range;
	struct text bounds = text_cut(&steps, ':');
	struct text upper = bounds;
	struct text lower = text_cut(&upper, '-');
	if (!text_to_u64(lower, &first))
		return 0;
	if (lower.len == bounds.len)
		return 1;
	if (!text_to_u64(upper, &last) || last < first)
		return 0;
	if (steps.len && (!text_to_u64(steps, &step) || !step))
		return 0;
	return (last - first) / step + 1;
}

/* 0 if it is none. */
static unsigned hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *digit = strchr(digits, c | 0x20);
	return digit && *digit ? (unsigned)(digit - digits) : 0;
}

/* slurmdbd's list, a hexadecimal number: a bit for each task. */
static bool is_mask(struct text tasks)
{
	return text_starts_with(tasks, "0x");
}

static uint64_t count_mask(struct text mask)
{
	uint64_t count = 0;
	for (size_t i = 2; i < mask.len; i++)
		count += (uint64_t)__builtin_popcount(hex_digit(mask.bytes[i]));
	return count;
}

uint64_t job_count(const struct job *job, bool *ret_is_cut)
{
	uint64_t count = 0;
	struct text rest = job->array_tasks, range;
	rest = text_cut(&rest, '%'); /* "1-10%2": the limit of running tasks */
	*ret_is_cut = false;
	if (is_mask(rest))
		count = count_mask(rest), rest.len = 0;
	while (text_next(&rest, ',', &range)) {
		/* The cut ends in "...": what stands before the dots may itself be half a range. */
		if (range.len >= 3 && memcmp(range.bytes + range.len - 3, "...", 3) == 0) {
			*ret_is_cut = true;
			break;
		}
		count += count_range(range);
	}
	return count ? count : 1;
}

uint64_t job_last_task(const struct job *job)
{
	struct text rest = job->array_tasks, mask = text_cut(&rest, '%');
	if (!is_mask(mask))
		return NUMBER_UNSET;
	for (size_t i = 2; i < mask.len; i++)
		for (unsigned bit = 4; bit--;)
			if (hex_digit(mask.bytes[i]) >> bit & 1)
				return (mask.len - i - 1) * 4 + bit;
	return NUMBER_UNSET;
}

static bool has_ended_by_itself(const struct job *job)
{
	return job->state == JOB_COMPLETED || job->state == JOB_FAILED || job->state == JOB_OUT_OF_MEMORY;
}

enum job_exit job_exit_of(const struct job *job)
{
	if (!has_ended_by_itself(job))
		return JOB_EXIT_UNKNOWN;
	if (number_is_known(job->exit_signal) && job->exit_signal)
		return JOB_EXIT_SIGNAL;
	if (!number_is_known(job->exit_code)) /* 22.05's slurmdbd reports only 0 */
		return job->state == JOB_FAILED ? JOB_EXIT_NONZERO : JOB_EXIT_UNKNOWN;
	return job->exit_code ? JOB_EXIT_NONZERO : JOB_EXIT_ZERO;
}

bool job_is_one_name(struct text list)
{
	text_cut(&list, ',');
	return !list.len;
}

static struct text after(struct text text, size_t len)
{
	return (struct text){text.bytes + len, text.len - len};
}

/* "-H" or "--hold", whose value, if it takes one, is the next word; neither "-pa" nor "--partition=a". */
static bool is_alone(struct text option)
{
	bool is_short = option.len == 2 && option.bytes[0] == '-';
	return is_short || (text_starts_with(option, "--") && !memchr(option.bytes, '=', option.len));
}

/* "-p a,b", "-pa,b", "--partition a,b" or "--partition=a,b": the last list before the script, as getopt has it.
 * Slurm joins the words by spaces and quotes none. So what looks like the script can be the second word of a value.
 * If no list came before it, the first one after it counts. */
static struct text named_by(struct text command, struct text name)
{
	struct text word, before = text_cut(&command, ' '), named = TEXT("");
	bool is_script = false;
	for (; text_next(&command, ' ', &word); before = word) {
		bool is_value = is_alone(before);
		is_script |= !is_value && word.bytes[0] != '-';
		bool is_next = text_equal(before, TEXT("-p")) || text_equal(before, TEXT("--partition"));
		struct text list = is_next				    ? word
				   : text_starts_with(word, "--partition=") ? after(word, strlen("--partition="))
				   : text_starts_with(word, "-p")	    ? after(word, strlen("-p"))
									    : TEXT("");
		if (text_lists(list, name) && !(is_script && named.len))
			named = list;
	}
	return named;
}

void job_settle_named(struct job *job)
{
	bool waits = job->state == JOB_PENDING && !job->flags;
	struct text named = job->partitions_named;
	if (!text_lists(named, job->partitions))
		named = named_by(job->submit_line, job->partitions);
	job->partitions_named = waits || job_is_one_name(named) || !job_is_one_name(job->partitions) ? TEXT("") : named;
	job->submit_line = TEXT("");
}

struct job job_copy(const struct job *job, struct arena *arena)
{
	struct job copy = *job;
	struct text *const texts[] = {
		&copy.array_tasks,   &copy.user,	&copy.account,		&copy.partitions,
		&copy.qos,	     &copy.reason,	&copy.tres_requested,	&copy.tres_allocated,
		&copy.gres_per_node, &copy.reservation, &copy.node_list,	&copy.features,
		&copy.licenses,	     &copy.wckey,	&copy.comment,		&copy.cluster,
		&copy.name,	     &copy.sluid,	&copy.partitions_named, &copy.failed_node};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		*texts[i] = arena_copy(arena, *texts[i]);
	struct job_node *nodes = arena_new(arena, copy.nodes_held.count * sizeof *nodes);
	for (size_t i = 0; i < copy.nodes_held.count; i++) {
		nodes[i] = ((const struct job_node *)job->nodes_held.items)[i];
		nodes[i].name = arena_copy(arena, nodes[i].name);
	}
	copy.nodes_held.items = nodes;
	return copy;
}
