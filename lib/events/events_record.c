#include "events/events_record.h"

#include "events/count.h"

#include <math.h>

#define SEPARATOR '\x1f'
#define KIND_OUTAGES TEXT("outages")

const char *const events_mark_names[EVENTS_MARKS] = {
	[EVENTS_BIRTH] = "birth",
	[EVENTS_LOOKED_UNTIL] = "looked_until",
	[EVENTS_ENDS_KNOWN_UNTIL] = "ends_known_until",
	[EVENTS_SLURMDBD_TOLD] = "slurmdbd_told",
	[EVENTS_LOST] = "lost",
	[EVENTS_RECOVERED] = "recovered",
	[EVENTS_STEPS_GIVEN_UP] = "steps_given_up",
	[EVENTS_TOLD_FROM] = "told_from",
	[EVENTS_TOLD_UNTIL] = "told_until",
	[EVENTS_TOLD_ID] = "told_id",
	[EVENTS_STARTS_SINCE] = "starts_since",
	[EVENTS_STARTS_FROM] = "starts_from",
	[EVENTS_STARTS_TOLD] = "starts_told",
	[EVENTS_STARTS_SEEN] = "starts_seen",
	[EVENTS_STARTS_FOUND] = "starts_found",
	[EVENTS_OUTAGES_BORN] = "outages_born",
	[EVENTS_OUTAGES_UNTIL] = "outages_until",
};

static const char *const kind_names[TALLY_KINDS] = {
	[ENTITY_CLUSTER] = "cluster", [ENTITY_PARTITION] = "partition",
	[ENTITY_ACCOUNT] = "account", [ENTITY_USER] = "user",
	[ENTITY_QOS] = "qos",	      [TALLY_QUEUE] = "partition_qos",
	[TALLY_NODE] = "node",
};

/* Writing */

struct writing {
	const struct events_writer *writer;
	void *context;
	bool all;
	void (*counter)(void *context, const struct events_counter *counter); /* writes or removes it */
	const struct caps *caps;
};

static void write_natives(const struct writing *writing, struct text kind, struct text name, const struct tally *tally)
{
	char detail[32];
	for (size_t i = 0; i < tally->natives.count; i++) {
		const struct tally_native *native = &tally->natives.items[i];
		if (!writing->all && native->count == native->stored)
			continue;
		tally_native_detail(native, detail, sizeof detail);
		const struct events_counter counter = {kind, name, text_of(tally_table[native->what].name),
						       text_of(detail), (double)native->count};
		writing->counter(writing->context, &counter);
	}
}

/* Of a group one that changes with its definition. */
static struct text kind_name(const struct caps *caps, int kind, struct buf *scratch)
{
	const struct job_group *group = caps_group(caps, kind);
	if (!group)
		return text_of(kind_names[kind]);
	job_group_identity(group, scratch);
	return buf_text(scratch);
}

static void write_name(const struct caps *caps, int kind, const struct tally *tally, struct buf *name)
{
	const struct job_group *group = caps_group(caps, kind);
	size_t labels = group ? group->label_count : tally->label[1].len ? 2 : 1;
	for (size_t i = 0; i < labels; i++) {
		if (i)
			buf_add_char(name, SEPARATOR);
		buf_add_text(name, tally->label[i]);
	}
}

static void write_tally(const struct writing *writing, int kind, const struct tally *tally)
{
	struct buf name = BUF_INIT, of_group = BUF_INIT;
	if (!writing->all && !tally->is_changed)
		return;
	const struct text kind_text = kind_name(writing->caps, kind, &of_group);
	write_name(writing->caps, kind, tally, &name);
	for (size_t i = 0; i < tally->counts.count; i++) {
		const struct tally_count *count = tally->counts.entries[i].value;
		struct text key = tally->counts.entries[i].key;
		const struct events_counter counter = {kind_text, buf_text(&name), text_cut(&key, '\0'), count->detail,
						       count->value};
		if (writing->all || count->value != count->stored)
			writing->counter(writing->context, &counter);
	}
	write_natives(writing, kind_text, buf_text(&name), tally);
	buf_done(&of_group);
	buf_done(&name);
}

static void remove_forgotten(const struct writing *writing, const struct tallies *tallies)
{
	const struct writing removing = {writing->writer, writing->context, true, writing->writer->remove_counter,
					 writing->caps};
	for (int kind = 0; kind < TALLY_KINDS; kind++)
		for (size_t i = 0; i < tallies->forgotten[kind].count; i++)
			write_tally(&removing, kind, tallies->forgotten[kind].entries[i].value);
}

static void write_tallies(const struct writing *writing, const struct tallies *tallies)
{
	if (!writing->all)
		remove_forgotten(writing, tallies); /* first, for some may be back */
	for (int kind = 0; kind < TALLY_KINDS; kind++) {
		const struct map *map = &tallies->kinds[kind];
		for (size_t i = 0; i < map->count; i++)
			write_tally(writing, kind, map->entries[i].value);
		if (tallies->others[kind])
			write_tally(writing, kind, tallies->others[kind]);
	}
}

static void write_runs(const struct writing *writing, const struct job_events *events)
{
	const struct runs *runs = &events->runs;
	for (size_t i = 0; i < runs->removed_count; i++)
		if (!writing->all)
			writing->writer->remove_run(writing->context, &runs->removed[i]);
	for (size_t i = 0; i < runs->count; i++) {
		const struct run *run = &runs->items[i];
		if (!run->is_used || (!writing->all && !(run->bits & RUN_IS_CHANGED)))
			continue;
		const struct events_run row = {*run, owners_get(&events->owners, run->owner),
					       text_pool_get(&events->texts, run->tres)};
		writing->writer->run(writing->context, &row);
	}
}

static void write_ended(const struct writing *writing, const struct recent_ends *ends)
{
	for (size_t i = 0; i < ends->removed_count && !writing->all; i++)
		writing->writer->remove_ended(writing->context, ends->removed[i]);
	for (size_t i = 0; i < ends->count; i++) {
		const struct ended_record record = recent_ends_record(ends, i);
		if (writing->all || record.end.is_changed)
			writing->writer->ended(writing->context, &record);
	}
}

static void write_outage_sum(void *context, struct text partition, const char *what, struct text detail, double value)
{
	const struct writing *writing = context;
	const struct events_counter counter = {KIND_OUTAGES, partition, text_of(what), detail, value};
	writing->writer->counter(writing->context, &counter);
}

static void write_outage(void *context, const struct outage *outage)
{
	const struct writing *writing = context;
	writing->writer->outage(writing->context, outage);
}

static void remove_outage(void *context, struct text node)
{
	const struct writing *writing = context;
	writing->writer->remove_outage(writing->context, node);
}

void events_write(const struct job_events *events, bool all, const struct events_writer *writer, void *context)
{
	struct writing writing = {writer, context, all, writer->counter, events->tallies.caps};
	const int64_t marks[EVENTS_MARKS] = {
		[EVENTS_BIRTH] = events->birth,
		[EVENTS_LOOKED_UNTIL] = events->looked_until,
		[EVENTS_ENDS_KNOWN_UNTIL] = events->ends_known_until,
		[EVENTS_SLURMDBD_TOLD] = events->slurmdbd_told,
		[EVENTS_LOST] = (int64_t)events->lost,
		[EVENTS_RECOVERED] = (int64_t)events->recovered,
		[EVENTS_STEPS_GIVEN_UP] = (int64_t)events->steps_given_up,
		[EVENTS_TOLD_FROM] = events->told.from,
		[EVENTS_TOLD_UNTIL] = events->told.until,
		[EVENTS_TOLD_ID] = events->told.id,
		[EVENTS_STARTS_SINCE] = events->unseen.from.since,
		[EVENTS_STARTS_FROM] = events->unseen.from.time,
		[EVENTS_STARTS_TOLD] = (int64_t)events->unseen.from.started,
		[EVENTS_STARTS_SEEN] = (int64_t)events->unseen.seen,
		[EVENTS_STARTS_FOUND] = (int64_t)events->unseen.found,
		[EVENTS_OUTAGES_BORN] = events->outages.born,
		[EVENTS_OUTAGES_UNTIL] = events->outages.looked_until,
	};
	static const struct outages_writer outages = {write_outage_sum, write_outage, remove_outage};
	write_tallies(&writing, &events->tallies);
	write_runs(&writing, events);
	write_ended(&writing, &events->recent);
	outages_write(&events->outages, all, &outages, &writing);
	for (int mark = 0; mark < EVENTS_MARKS; mark++)
		writer->mark(context, events_mark_names[mark], marks[mark]);
}

static void note_stored(struct tally *tally)
{
	for (size_t i = 0; tally && tally->is_changed && i < tally->counts.count; i++) {
		struct tally_count *count = tally->counts.entries[i].value;
		count->stored = count->value;
	}
	for (size_t i = 0; tally && tally->is_changed && i < tally->natives.count; i++)
		tally->natives.items[i].stored = tally->natives.items[i].count;
	if (tally)
		tally->is_changed = false;
}

void events_stored(struct job_events *events)
{
	for (int kind = 0; kind < TALLY_KINDS; kind++) {
		const struct map *map = &events->tallies.kinds[kind];
		for (size_t i = 0; i < map->count; i++)
			note_stored(map->entries[i].value);
		note_stored(events->tallies.others[kind]);
	}
	tallies_stored(&events->tallies);
	for (size_t i = 0; i < events->runs.count; i++) {
		struct run *run = &events->runs.items[i];
		if (run->is_used && run->bits & RUN_IS_CHANGED)
			run->bits = (run->bits & ~(uint32_t)RUN_IS_CHANGED) | RUN_IS_STORED;
	}
	events->runs.removed_count = 0;
	recent_ends_stored(&events->recent);
	outages_stored(&events->outages);
}

/* Reading */

/* Slurm's times are of 32 bits. Beyond them sums of a run's times might not fit, nor a page's numbers. */
static bool is_time(int64_t seconds)
{
	return seconds >= 0 && seconds <= UINT32_MAX;
}

static bool are_times_right(const struct run *run)
{
	return is_time(run->key.submit_time) && is_time(run->began) && is_time(run->end_time) &&
	       is_time(run->gone_since) && is_time(run->size_since) && is_time(run->forecast) &&
	       is_time(run->ran_before) && run->counted >= -(int64_t)UINT32_MAX && run->counted <= UINT32_MAX;
}

static bool is_owner_right(const struct job_owner *owner)
{
	return text_is_clean(owner->account) && text_is_clean(owner->user) && text_is_clean(owner->partitions) &&
	       text_is_clean(owner->qos) && text_is_clean(owner->values);
}

static bool is_group_of(const struct job_group *group, struct text kind)
{
	struct buf identity = BUF_INIT;
	job_group_identity(group, &identity);
	bool is_it = text_equal(buf_text(&identity), kind);
	buf_done(&identity);
	return is_it;
}

/* TALLY_KINDS: none that is defined now. */
static int kind_named(const struct caps *caps, struct text name)
{
	int kind = 0;
	for (size_t i = 0; caps->groups && i < caps->groups->count; i++)
		if (is_group_of(&caps->groups->items[i], name))
			return ENTITY_KINDS + (int)i;
	while (kind < TALLY_KINDS && !(kind_names[kind] && text_equal(text_of(kind_names[kind]), name)))
		kind++;
	return kind;
}

/* NULL: it has not as many labels as the group. */
static struct tally *group_tally(struct job_events *events, int kind, struct text name)
{
	size_t labels = 1;
	struct buf key = BUF_INIT;
	buf_add_text(&key, name);
	for (size_t i = 0; i < key.len; i++)
		if (key.bytes[i] == SEPARATOR) {
			key.bytes[i] = '\0';
			labels++;
		}
	struct tally *tally = labels == caps_group(events->tallies.caps, kind)->label_count
				      ? tallies_restore_group(&events->tallies, kind, buf_text(&key))
				      : NULL;
	buf_done(&key);
	return tally;
}

static bool has_number(const struct events_counter *counter)
{
	return counter->value >= 0 && isfinite(counter->value);
}

static void restore_outage_sum(struct job_events *events, const struct events_counter *counter)
{
	if (has_number(counter) && text_is_clean(counter->name) && text_is_clean(counter->detail))
		outages_restore_sum(&events->outages, counter->name, counter->what, counter->detail, counter->value);
}

void events_restore_counter(struct job_events *events, const struct events_counter *counter)
{
	if (text_equal(counter->kind, KIND_OUTAGES)) {
		restore_outage_sum(events, counter);
		return;
	}
	struct text second = counter->name, label = text_cut(&second, SEPARATOR);
	int kind = kind_named(events->tallies.caps, counter->kind);
	bool is_one_more = kind == ENTITY_CLUSTER && counter->name.len; /* of which a page has but one */
	events->has_old_groups |= kind == TALLY_KINDS && text_starts_with(counter->kind, "group ");
	if (kind == TALLY_KINDS || is_one_more || !has_number(counter) || !text_is_clean(counter->name) ||
	    !text_is_clean(counter->detail))
		return;
	struct tally *tally = caps_group(events->tallies.caps, kind)
				      ? group_tally(events, kind, counter->name)
				      : tallies_restore(&events->tallies, kind, label, second);
	if (tally)
		tally_restore(tally, counter->what, counter->detail, counter->value);
}

void events_restore_run(struct job_events *events, const struct events_run *row)
{
	const struct run_key key = row->run.key;
	if (runs_find(&events->runs, &key) || !are_times_right(&row->run) || !is_owner_right(&row->owner) ||
	    !text_is_clean(row->tres))
		return;
	struct run *run = runs_add(&events->runs, &key);
	uint32_t next = run->next;
	*run = row->run;
	run->next = next;
	run->row = 0;
	run->is_used = true;
	run->bits = (run->bits & ~(uint32_t)RUN_IS_CHANGED) | RUN_IS_STORED;
	run->owner = owners_hold(&events->owners, &row->owner);
	run->tres = text_pool_hold(&events->texts, row->tres);
}

static bool is_number_right(uint64_t number)
{
	return !number_is_known(number) || number <= INT64_MAX;
}

void events_restore_ended(struct job_events *events, const struct ended_record *record)
{
	const struct recent_end *end = &record->end;
	const uint64_t times[] = {end->submit_time, end->eligible_time, end->start_time};
	const uint64_t numbers[] = {end->run_seconds, end->cpus,	end->memory,	  end->nodes,
				    end->exit_code,   end->exit_signal, end->peak_memory, end->energy};
	const struct text texts[] = {record->tres, record->name, record->sluid, record->state, record->failed_node};
	bool is_right =
		is_owner_right(&record->owner) && is_time((int64_t)end->end_time) && isfinite(end->used_cpu_seconds);
	for (size_t i = 0; i < sizeof times / sizeof *times; i++)
		is_right &= !number_is_known(times[i]) || is_time((int64_t)times[i]);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		is_right &= is_number_right(numbers[i]);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		is_right &= text_is_clean(texts[i]);
	if (is_right)
		recent_ends_restore(&events->recent, record);
}

void events_restore_outage(struct job_events *events, const struct outage *outage)
{
	bool is_right = is_time(outage->began) && is_time(outage->since) && is_number_right(outage->cpus) &&
			is_number_right(outage->memory) && is_number_right(outage->gpus);
	if (is_right && outage->node.len && text_is_clean(outage->node) && text_is_clean(outage->cause))
		outages_restore(&events->outages, outage);
}

void events_restore_mark(struct job_events *events, struct text name, int64_t value)
{
	int mark = 0;
	while (mark < EVENTS_MARKS && !text_equal(text_of(events_mark_names[mark]), name))
		mark++;
	switch ((enum events_mark)mark) {
	case EVENTS_BIRTH:
		events->birth = value;
		break;
	case EVENTS_LOOKED_UNTIL:
		events->looked_until = value;
		break;
	case EVENTS_ENDS_KNOWN_UNTIL:
		events->ends_known_until = value;
		break;
	case EVENTS_SLURMDBD_TOLD:
		events->slurmdbd_told = value != 0;
		break;
	case EVENTS_LOST:
		events->lost = (double)value;
		break;
	case EVENTS_RECOVERED:
		events->recovered = (double)value;
		break;
	case EVENTS_STEPS_GIVEN_UP:
		events->steps_given_up = (double)value;
		break;
	case EVENTS_TOLD_FROM:
		events->told.from = value;
		break;
	case EVENTS_TOLD_UNTIL:
		events->told.until = value;
		break;
	case EVENTS_TOLD_ID:
		events->told.id = (uint32_t)value;
		break;
	case EVENTS_STARTS_SINCE:
		events->unseen.from.since = value;
		break;
	case EVENTS_STARTS_FROM:
		events->unseen.from.time = value;
		break;
	case EVENTS_STARTS_TOLD:
		events->unseen.from.started = (uint64_t)value;
		break;
	case EVENTS_STARTS_SEEN:
		events->unseen.seen = (uint64_t)value;
		break;
	case EVENTS_STARTS_FOUND:
		events->unseen.found = (uint64_t)value;
		break;
	case EVENTS_OUTAGES_BORN:
		events->outages.born = value;
		break;
	case EVENTS_OUTAGES_UNTIL:
		events->outages.looked_until = value;
		break;
	case EVENTS_MARKS:
		break;
	}
}

/* The seconds that a run which went on running has had counted were not written each time. */
void events_restored(struct job_events *events, int64_t now)
{
	events->woke = now;
	for (int kind = 0; kind < TALLY_KINDS; kind++) {
		const struct map *map = &events->tallies.kinds[kind];
		for (size_t i = 0; i < map->count; i++)
			tally_restored(map->entries[i].value);
		if (events->tallies.others[kind])
			tally_restored(events->tallies.others[kind]);
	}
	job_events_screen(events);
	count_find_waits(events);
	for (size_t i = 0; i < events->runs.count; i++) {
		struct run *run = &events->runs.items[i];
		int64_t ran = ran_until(run, events->looked_until);
		if (run->is_used && run->bits & RUN_RUNS && ran > run->counted)
			run->counted = ran;
	}
}

static void continue_counter(void *events, const struct events_counter *counter)
{
	events_restore_counter(events, counter);
}

static void continue_run(void *events, const struct events_run *run)
{
	events_restore_run(events, run);
}

static void continue_ended(void *events, const struct ended_record *record)
{
	events_restore_ended(events, record);
}

static void continue_outage(void *events, const struct outage *outage)
{
	events_restore_outage(events, outage);
}

static void continue_mark(void *events, const char *name, int64_t value)
{
	events_restore_mark(events, text_of(name), value);
}

void events_continue(struct job_events *events, const struct job_events *from, int64_t now)
{
	static const struct events_writer writer = {.counter = continue_counter,
						    .run = continue_run,
						    .ended = continue_ended,
						    .mark = continue_mark,
						    .outage = continue_outage};
	events_write(from, true, &writer, events);
	events_restored(events, now);
}
