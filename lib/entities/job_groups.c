#include "entities/job_groups.h"

#include "model/tres.h"

#include <inttypes.h>
#include <stdio.h>

/* A job's values: for each way to find some its key, as eight hexadecimal digits, then the values, each behind a
 * BEFORE_VALUE. AFTER_VALUES ends them. */
#define BEFORE_VALUE '\x1e'
#define AFTER_VALUES '\x1f'
enum { KEY_DIGITS = 8 };

/* The value of what nobody told (job.h: untold). */
#define LABEL_UNKNOWN TEXT("unknown")

const char *const group_source_names[GROUP_SOURCES] = {
	[GROUP_PARTITION] = "partition",
	[GROUP_ACCOUNT] = "account",
	[GROUP_USER] = "user",
	[GROUP_QOS] = "qos",
	[GROUP_NAME] = "name",
	[GROUP_COMMENT] = "comment",
	[GROUP_FEATURE] = "feature",
	[GROUP_LICENSE] = "license",
	[GROUP_RESERVATION] = "reservation",
	[GROUP_WCKEY] = "wckey",
	[GROUP_ASKED_NODES] = "nodes",
	[GROUP_ASKED_CPUS] = "cpus",
	[GROUP_ASKED_GPUS] = "gpus",
};

const char *const group_metric_names[GROUP_METRICS] = {
	[GROUP_JOBS] = "jobs", [GROUP_CPUS] = "cpus",	[GROUP_MEMORY] = "memory",     [GROUP_GPUS] = "gpus",
	[GROUP_ENDS] = "ends", [GROUP_WAITS] = "waits", [GROUP_RUNTIMES] = "runtimes", [GROUP_USE] = "use",
};

/* Definitions */

/* FNV-1a: it gives the same in every process, because the state file has it. */
static uint32_t hash_add(uint32_t hash, const char *string)
{
	for (; *string; string++)
		hash = (hash ^ (unsigned char)*string) * UINT32_C(0x01000193);
	return (hash ^ 0xff) * UINT32_C(0x01000193); /* so that "ab" and "c" are not "a" and "bc" */
}
#define HASH_BEGIN UINT32_C(0x811c9dc5)

bool group_label_complete(struct group_label *label, struct error *err)
{
	label->key = hash_add(hash_add(HASH_BEGIN, group_source_names[label->from]), label->regex);
	if (!*label->regex)
		return true;
	if (pattern_size(label->regex) > GROUP_REGEX_SIZE_MAX)
		return error_set(err, "%s: with its counts worked out this is longer than %d characters", label->regex,
				 GROUP_REGEX_SIZE_MAX);
	return pattern_set(&label->pattern, label->regex, err);
}

void job_groups_done(struct job_groups *groups)
{
	for (size_t i = 0; i < groups->count; i++)
		for (size_t label = 0; label < groups->items[i].label_count; label++)
			pattern_done(&groups->items[i].labels[label].pattern);
	*groups = (struct job_groups){.count = 0};
}

uint64_t caps_rows(const struct caps *caps, int kind)
{
	if (kind < ENTITY_KINDS)
		return caps->kinds[kind].max;
	const struct job_group *group = caps_group(caps, kind);
	return group ? group->max : 0;
}

void job_group_identity(const struct job_group *group, struct buf *out)
{
	uint32_t hash = HASH_BEGIN;
	for (size_t i = 0; i < group->label_count; i++) {
		const struct group_label *label = &group->labels[i];
		hash = hash_add(hash_add(hash_add(hash, label->name), group_source_names[label->from]), label->regex);
	}
	buf_clear(out);
	buf_printf(out, "group %s %08" PRIx32, group->name, hash);
}

/* Values */

/* What one value of a source becomes as a label: nothing if the expression does not match it. */
static struct text label_value(const struct group_label *label, struct text value, char scratch[LABEL_MAX + 1])
{
	if (*label->regex && (value.len > GROUP_VALUE_MAX || !pattern_matches(&label->pattern, value, &value)))
		return TEXT("");
	if (!text_is_clean(value)) /* a pattern sees bytes, and may have cut a character */
		return TEXT("");
	if (label->from < GROUP_READ || !text_equal(value, LABEL_UNKNOWN))
		return label_of(value, scratch);
	snprintf(scratch, LABEL_MAX + 1, "unknown~");
	return text_of(scratch);
}

struct value_list {
	struct text items[GROUP_VALUES_MAX];
	size_t count;
	char scratches[GROUP_VALUES_MAX][LABEL_MAX + 1];
};

static void add_shown(struct value_list *list, struct text shown)
{
	for (size_t i = 0; i < list->count; i++)
		if (text_equal(list->items[i], shown))
			return;
	if (shown.len && list->count < GROUP_VALUES_MAX)
		list->items[list->count++] = shown;
}

static void add_value(struct value_list *list, const struct group_label *label, struct text value)
{
	if (list->count < GROUP_VALUES_MAX && value.len)
		add_shown(list, label_value(label, value, list->scratches[list->count]));
}

static void add_each(struct value_list *list, const struct group_label *label, struct text text, const char *separators,
		     char before_count)
{
	while (text.len) {
		size_t len = 0;
		while (len < text.len && !strchr(separators, text.bytes[len]))
			len++;
		struct text item = {text.bytes, len};
		add_value(list, label, text_cut(&item, before_count));
		len += len < text.len;
		text = (struct text){text.bytes + len, text.len - len};
	}
}

/* A label has one size, so the list has room. */
static void add_size(struct value_list *list, const struct group_label *label, uint64_t size)
{
	if (size)
		add_value(list, label, size_class(size, list->scratches[list->count]));
}

static unsigned untold_bit(enum group_source from)
{
	return from == GROUP_COMMENT	   ? JOB_COMMENT_UNTOLD
	       : from == GROUP_LICENSE	   ? JOB_LICENSES_UNTOLD
	       : from == GROUP_RESERVATION ? JOB_RESERVATION_UNTOLD
					   : 0;
}

static void find_values(struct value_list *list, const struct group_label *label, const struct job *job)
{
	struct text wckey = job->wckey;
	switch (label->from) {
	case GROUP_NAME:
		add_value(list, label, job->name);
		break;
	case GROUP_COMMENT:
		add_value(list, label, job->comment);
		break;
	case GROUP_FEATURE: /* "[rack1*2&rack2*4]", "fast|(nvme&new)" */
		add_each(list, label, job->features, "&|,[](){}", '*');
		break;
	case GROUP_LICENSE: /* "matlab:6,ansys@server" */
		add_each(list, label, job->licenses, ",;|", ':');
		break;
	case GROUP_RESERVATION:
		add_each(list, label, job->reservation, ",", ',');
		break;
	case GROUP_WCKEY:
		if (text_starts_with(wckey, "*"))
			text_cut(&wckey, '*');
		add_value(list, label, wckey);
		break;
	case GROUP_ASKED_NODES:
		add_size(list, label, tres_count(job->tres_requested, TEXT("node")));
		break;
	case GROUP_ASKED_CPUS:
		add_size(list, label, tres_count(job->tres_requested, TEXT("cpu")));
		break;
	case GROUP_ASKED_GPUS:
		add_size(list, label, tres_gpus(job->tres_requested));
		break;
	default:
		break;
	}
	bool is_untold = label->from >= GROUP_ASKED_NODES ? !job->tres_requested.len
							  : (job->untold & untold_bit(label->from)) != 0;
	if (!list->count && is_untold)
		list->items[list->count++] = LABEL_UNKNOWN;
}

static void key_digits(const struct group_label *label, char digits[KEY_DIGITS + 1])
{
	snprintf(digits, KEY_DIGITS + 1, "%08" PRIx32, label->key);
}

/* The values that a text has for the label; false: it has none of it. */
static bool find_part(struct text values, const struct group_label *label, struct text *ret_part)
{
	char digits[KEY_DIGITS + 1];
	key_digits(label, digits);
	while (values.len) {
		*ret_part = text_cut(&values, AFTER_VALUES);
		if (!text_starts_with(*ret_part, digits))
			continue;
		ret_part->bytes += KEY_DIGITS;
		ret_part->len -= KEY_DIGITS;
		return true;
	}
	return false;
}

static void write_value(struct buf *values, struct text value)
{
	buf_add_char(values, BEFORE_VALUE);
	for (size_t i = 0; i < value.len; i++)
		buf_add_char(values, (unsigned char)value.bytes[i] < ' ' ? '?' : value.bytes[i]);
}

static void read_label(const struct group_label *label, const struct job *job, struct buf *values)
{
	struct value_list list = {.count = 0};
	char digits[KEY_DIGITS + 1];
	struct text known;
	if (label->from < GROUP_READ || find_part(buf_text(values), label, &known))
		return;
	find_values(&list, label, job);
	key_digits(label, digits);
	buf_add_string(values, digits);
	for (size_t i = 0; i < list.count; i++)
		write_value(values, list.items[i]);
	buf_add_char(values, AFTER_VALUES);
}

void job_groups_read(const struct job_groups *groups, const struct job *job, struct buf *values)
{
	for (size_t i = 0; i < groups->count; i++)
		for (size_t label = 0; label < groups->items[i].label_count; label++)
			read_label(&groups->items[i].labels[label], job, values);
}

bool job_groups_lack(const struct job_groups *groups, const struct job *job)
{
	for (size_t i = 0; i < groups->count; i++)
		for (size_t label = 0; label < groups->items[i].label_count; label++)
			if (job->untold & untold_bit(groups->items[i].labels[label].from))
				return true;
	return false;
}

bool job_groups_know(const struct job_groups *groups, struct text values)
{
	struct text part;
	for (size_t i = 0; i < groups->count; i++)
		for (size_t label = 0; label < groups->items[i].label_count; label++)
			if (groups->items[i].labels[label].from >= GROUP_READ &&
			    !find_part(values, &groups->items[i].labels[label], &part))
				return false;
	return true;
}

/* Rows */

static enum entity_kind kind_of(enum group_source from)
{
	static const enum entity_kind kinds[] = {[GROUP_PARTITION] = ENTITY_PARTITION,
						 [GROUP_ACCOUNT] = ENTITY_ACCOUNT,
						 [GROUP_USER] = ENTITY_USER,
						 [GROUP_QOS] = ENTITY_QOS};
	return kinds[from];
}

static void add_name(struct value_list *list, const struct group_label *label, const struct caps *caps,
		     struct text name)
{
	char scratch[LABEL_MAX + 1];
	if (caps_allow_name(caps, kind_of(label->from), label_of(name, scratch)))
		add_value(list, label, name);
	else
		add_shown(list, LABEL_OTHER);
}

static void add_names(struct value_list *list, const struct group_label *label, const struct caps *caps,
		      struct text names)
{
	struct text name;
	while (text_next(&names, ',', &name))
		add_name(list, label, caps, name);
}

static void add_read(struct value_list *list, const struct group_label *label, struct text values)
{
	struct text part, value;
	if (!find_part(values, label, &part)) {
		list->items[list->count++] = LABEL_UNKNOWN;
		return;
	}
	while (list->count < GROUP_VALUES_MAX && text_next(&part, BEFORE_VALUE, &value))
		add_shown(list, label_of(value, list->scratches[list->count]));
}

/* The values of a label in the order in which the job has them; one empty one if it has none. */
static void list_values(struct value_list *list, const struct group_label *label, const struct caps *caps,
			const struct group_names *names)
{
	list->count = 0;
	if (label->from == GROUP_ACCOUNT || label->from == GROUP_USER) {
		struct text name = label->from == GROUP_ACCOUNT ? names->account : names->user;
		if (name.len)
			add_name(list, label, caps, name);
	} else if (label->from == GROUP_PARTITION || label->from == GROUP_QOS) {
		add_names(list, label, caps, label->from == GROUP_PARTITION ? names->partitions : names->qos);
	} else {
		add_read(list, label, names->values);
	}
	if (!list->count)
		list->items[list->count++] = TEXT("");
}

void job_group_rows(const struct job_group *group, const struct caps *caps, const struct group_names *names,
		    group_row_fn *take, void *context)
{
	struct value_list lists[GROUP_LABELS_MAX];
	struct buf key = BUF_INIT;
	size_t rows = 1;
	for (size_t i = 0; i < group->label_count; i++) {
		list_values(&lists[i], &group->labels[i], caps, names);
		rows *= lists[i].count;
	}
	for (size_t row = 0; row < rows && row < GROUP_ROWS_MAX; row++) {
		size_t rest = row;
		buf_clear(&key);
		for (size_t i = 0; i < group->label_count; i++) {
			if (i)
				buf_add_char(&key, '\0');
			buf_add_text(&key, lists[i].items[rest % lists[i].count]);
			rest /= lists[i].count;
		}
		take(context, buf_text(&key));
	}
	buf_done(&key);
}

void group_key_labels(struct text key, struct text ret_labels[GROUP_LABELS_MAX])
{
	for (size_t i = 0; i < GROUP_LABELS_MAX; i++)
		ret_labels[i] = text_cut(&key, '\0');
}

bool group_key_is_other(struct text key)
{
	bool is_last;
	do {
		is_last = !key.len || !memchr(key.bytes, '\0', key.len);
		if (!text_equal(text_cut(&key, '\0'), LABEL_OTHER))
			return false;
	} while (!is_last);
	return true;
}

bool group_key_may_be_shown(const struct job_group *group, const struct caps *caps, struct text key)
{
	struct text labels[GROUP_LABELS_MAX];
	group_key_labels(key, labels);
	for (size_t i = 0; i < group->label_count; i++) {
		const struct group_label *label = &group->labels[i];
		bool is_name = label->from < GROUP_READ && !*label->regex && labels[i].len &&
			       !text_equal(labels[i], LABEL_OTHER);
		if (is_name && !caps_allow_name(caps, kind_of(label->from), labels[i]))
			return false;
	}
	return true;
}
