/* What happened to jobs, each event once: submissions, starts, ends and their kinds, waits, run times, and what jobs used.
 * For a site's operator: do jobs fail, how long do they wait, who used how much? From the tallies (events/tally.h), which
 * slurmdbd's runs and the job table feed and which survive restarts. A family's offset is the enum tally_what. */
#include "metrics/group_metrics.h"

#include <assert.h>
#include <stdlib.h>

static_assert(NATIVE_SCHEMA == (int)TALLY_NATIVE_SCHEMA, "buckets are passed on as they are");

static enum tally_what what_of(const struct family *family)
{
	return (enum tally_what)family->offset;
}

void emit_tally(struct exposition *out, const struct page_facts *facts, const struct family *family, const void *item)
{
	(void)facts;
	exposition_number(out, tally_get(item, what_of(family), 0)->value);
}

/* What not every site measures is absent where it is not, for all rows. Where it is, each row begins at zero. */
static void emit_measured(struct exposition *out, const struct page_facts *facts, const struct family *family,
			  const void *item)
{
	if (tallies_have(&facts->events->tallies, what_of(family)))
		emit_tally(out, facts, family, item);
}

static struct exemplar exemplar_of(const struct tally_count *count)
{
	if (!count->last)
		return (struct exemplar){0};
	return (struct exemplar){
		.job = count->last->job, .value = count->last->value, .time = (double)count->last->time};
}

/* One sample for each detail, also for details that Slurm added later. */
void emit_tally_details(struct exposition *out, const struct page_facts *facts, const struct family *family,
			const void *item)
{
	(void)facts;
	const struct tally *tally = item;
	for (size_t i = 0; i < tally->counts.count; i++) {
		const struct tally_count *count = tally->counts.entries[i].value;
		if (count->what != what_of(family))
			continue;
		exposition_label(out, family->labels, count->detail);
		exposition_number(out, count->value);
		const struct exemplar exemplar = exemplar_of(count);
		exposition_exemplar(out, &exemplar);
	}
}

void emit_tally_gres(struct exposition *out, const struct page_facts *facts, const struct family *family,
		     const void *item)
{
	(void)facts, (void)family;
	const struct tally *tally = item;
	for (size_t i = 0; i < tally->counts.count; i++) {
		const struct tally_count *count = tally->counts.entries[i].value;
		struct text type = count->detail, name = text_cut(&type, ':');
		if (count->what != TALLY_GRES_SECONDS)
			continue;
		exposition_label(out, "gres", name);
		exposition_label(out, "type", type);
		exposition_number(out, count->value);
	}
}

/* Leaves them out if their sum is not the histogram's count, because Prometheus would refuse the whole page. */
static void emit_natives(struct exposition *out, const struct tally *tally, enum tally_what what, uint64_t total)
{
	enum { NATIVES_MAX = 260 }; /* more than the powers of 2^(1/4) up to 2^63 */
	struct native_bucket buckets[NATIVES_MAX];
	const struct tally_native *natives;
	size_t count = tally_natives_of(&tally->natives, what, &natives);
	if (!tally_table[what].has_native || count > NATIVES_MAX)
		return;
	for (size_t i = 0; i < count; i++) {
		bool is_zero = natives[i].index == TALLY_NATIVE_ZERO;
		buckets[i] = (struct native_bucket){is_zero ? NATIVE_ZERO : natives[i].index, natives[i].count};
		total -= natives[i].count;
	}
	if (!total)
		exposition_native(out, buckets, count);
}

void emit_tally_histogram(struct exposition *out, const struct page_facts *facts, const struct family *family,
			  const void *item)
{
	(void)facts;
	const struct tally_row *row = &tally_table[what_of(family)];
	struct histogram histogram = {.bounds = row->bounds, .bound_count = row->bound_count};
	struct exemplar last[HISTOGRAM_BUCKETS_MAX + 1];
	uint64_t total = 0;
	for (unsigned i = 0; i <= row->bound_count; i++) {
		histogram.buckets[i] = (uint64_t)tally_get(item, what_of(family), i)->value;
		last[i] = exemplar_of(tally_get(item, what_of(family), i));
		total += histogram.buckets[i];
	}
	histogram.sum = tally_get(item, what_of(family), row->bound_count + 1)->value;
	exposition_histogram(out, &histogram, last);
	emit_natives(out, item, what_of(family), total);
}

enum {
	ENDED_OF = 1 << ENTITY_PARTITION | 1 << ENTITY_ACCOUNT | 1 << ENTITY_USER,
	EXITS_OF = 1 << ENTITY_CLUSTER | 1 << ENTITY_PARTITION,
	OF_PARTITION = 1 << ENTITY_PARTITION,
};

static const struct family event_families[] = {
	{"slurm_{X}_job_submissions_total", COUNTER, NULL,
	 "Jobs of the {X} that were submitted, each array task counted, requeues included.", emit_tally,
	 TALLY_SUBMISSIONS, 0, 0},
	{"slurm_{X}_job_starts_total", COUNTER, NULL, "Jobs of the {X} that started, requeues included.", emit_tally,
	 TALLY_STARTS, 0, 0},
	{"slurm_{X}_job_ends_total", COUNTER, "state",
	 "Jobs of the {X} that ended, by state; a job that was requeued counts as requeued.", emit_tally_details,
	 TALLY_ENDS, 0, 0},
	{"slurm_{X}_job_allocated_cpu_seconds_total", COUNTER, NULL,
	 "Time for which the {X}'s jobs held CPUs, times the number of CPUs; it grows while they run.", emit_tally,
	 TALLY_CPU_SECONDS, 0, 0},
	{"slurm_{X}_job_allocated_gres_seconds_total", COUNTER, "gres,type",
	 "Time for which the {X}'s jobs held generic resources, times their number; it grows while they run.",
	 emit_tally_gres, TALLY_GRES_SECONDS, 0, 0},
	{"slurm_{X}_job_allocated_memory_byte_seconds_total", COUNTER, NULL,
	 "Time for which the {X}'s jobs held memory, times its bytes; it grows while they run.", emit_tally,
	 TALLY_MEMORY_BYTE_SECONDS, 0, 0},
	{"slurm_{X}_job_allocated_billing_seconds_total", COUNTER, NULL,
	 "Time for which the {X}'s jobs ran, times their billing TRES (by the partition's TRESBillingWeights; else "
	 "their CPUs); it grows while they run.",
	 emit_tally, TALLY_BILLING_SECONDS, 0, 0},
	{"slurm_{X}_job_exits_total", COUNTER, "class",
	 "Jobs of the {X} that completed, failed or ran out of memory, by how the script exited: zero, nonzero, signal.",
	 emit_tally_details, TALLY_EXITS, 0, EXITS_OF},
	{"slurm_{X}_ended_job_allocated_cpu_seconds_total", COUNTER, NULL,
	 "CPU time that the {X}'s ended jobs held, counting jobs whose use is known.", emit_tally,
	 TALLY_ALLOCATED_CPU_SECONDS, 0, ENDED_OF},
	{"slurm_{X}_ended_job_used_cpu_seconds_total", COUNTER, NULL, "CPU time that the {X}'s ended jobs used.",
	 emit_tally, TALLY_USED_CPU_SECONDS, 0, ENDED_OF},
	{"slurm_{X}_ended_job_allocated_memory_byte_seconds_total", COUNTER, NULL,
	 "Memory that the {X}'s ended jobs held, times how long they ran, counting jobs whose use is known.",
	 emit_tally, TALLY_ALLOCATED_MEMORY_BYTE_SECONDS, 0, ENDED_OF},
	{"slurm_{X}_ended_job_peak_memory_byte_seconds_total", COUNTER, NULL,
	 "Peak memory that the {X}'s ended jobs used, times how long they ran.", emit_tally,
	 TALLY_PEAK_MEMORY_BYTE_SECONDS, 0, ENDED_OF},
	{"slurm_{X}_ended_job_energy_joules_total", COUNTER, NULL,
	 "Energy in joules that the nodes of the {X}'s ended jobs consumed while these ran, as Slurm accounts it; absent "
	 "where nobody measures it.",
	 emit_measured, TALLY_ENERGY_JOULES, 0, ENDED_OF},
	{"slurm_{X}_ended_job_allocated_gpu_seconds_total", COUNTER, NULL,
	 "Time for which the {X}'s ended jobs held GPUs, times their number, counting jobs whose GPU memory is known; absent "
	 "where nobody measures that.",
	 emit_measured, TALLY_ALLOCATED_GPU_SECONDS, 0, ENDED_OF},
	{"slurm_{X}_ended_job_peak_gpu_memory_byte_seconds_total", COUNTER, NULL,
	 "Peak memory that the {X}'s ended jobs used on their GPUs, times how long they ran; absent where nobody measures it.",
	 emit_measured, TALLY_PEAK_GPU_MEMORY_BYTE_SECONDS, 0, ENDED_OF},
	{"slurm_partition_job_time_limit_ratio", HISTOGRAM, NULL,
	 "Run time of ended jobs as a share of their time limit.", emit_tally_histogram, TALLY_TIME_LIMIT_RATIO, 0,
	 OF_PARTITION},
	{"slurm_partition_job_size_cpus", HISTOGRAM, NULL, "CPUs of jobs that started.", emit_tally_histogram,
	 TALLY_SIZE_CPUS, 0, OF_PARTITION},
	{"slurm_partition_job_size_nodes", HISTOGRAM, NULL, "Nodes of jobs that started.", emit_tally_histogram,
	 TALLY_SIZE_NODES, 0, OF_PARTITION},
	{"slurm_partition_job_start_after_forecast_seconds", HISTOGRAM, NULL,
	 "How much later than forecast jobs started, 0 included. The forecast is the first one that slurmctld made of the "
	 "job and slurmscope saw.",
	 emit_tally_histogram, TALLY_AFTER_FORECAST_SECONDS, 0, OF_PARTITION},
	{"slurm_partition_job_start_before_forecast_seconds", HISTOGRAM, NULL,
	 "How much earlier than forecast jobs started, of those that did. The forecast is the first one that slurmctld made "
	 "of the job and slurmscope saw.",
	 emit_tally_histogram, TALLY_BEFORE_FORECAST_SECONDS, 0, OF_PARTITION},
	{"slurm_partition_job_cpu_efficiency_ratio", HISTOGRAM, NULL,
	 "CPU time that ended jobs used, as a share of what they held.", emit_tally_histogram,
	 TALLY_CPU_EFFICIENCY_RATIO, 0, OF_PARTITION},
	{"slurm_partition_job_memory_efficiency_ratio", HISTOGRAM, NULL,
	 "Peak memory that ended jobs used, as a share of what they held.", emit_tally_histogram,
	 TALLY_MEMORY_EFFICIENCY_RATIO, 0, OF_PARTITION},
};

static void emit_row(struct family_sink *sink, const char *const labels[GROUP_LABELS_MAX], const struct tally *tally)
{
	exposition_base(sink->out);
	for (int label = 0; label < GROUP_LABELS_MAX && labels[label]; label++)
		exposition_base_label(sink->out, labels[label], tally->label[label]);
	family_item(sink, tally);
}

/* Counts what entities without a row would have: each as many samples as a row begins with. A node's row begins with a
 * failure. */
static void fold_rows(struct family_sink *sink, int kind)
{
	struct arena arena = ARENA_INIT;
	struct tally row;
	tally_init(&row, &arena, tally_kinds(&sink->facts->cluster->caps, kind), TEXT(""));
	if (kind == TALLY_NODE)
		tally_add(&row, TALLY_FAILURES, TEXT("failed"), 1);
	exposition_fold(sink->out, true);
	size_t rest = tallies_folded(&sink->facts->events->tallies, kind);
	uint64_t before = sink->out->folded;
	if (rest) {
		family_item(sink, &row);
		exposition_left_out(sink->out, (rest - 1) * (sink->out->folded - before));
	}
	tally_done(&row);
	arena_done(&arena);
}

/* In the order of their names, `other` last. */
void each_tally(struct family_sink *sink, int kind, const char *const labels[GROUP_LABELS_MAX])
{
	if (!sink->facts->events)
		return;
	const struct tallies *tallies = &sink->facts->events->tallies;
	exposition_created(sink->out, (double)sink->facts->events->birth);
	const struct map *map = &tallies->kinds[kind];
	size_t *order = map_sorted(map);
	for (size_t i = 0; i < map->count; i++)
		emit_row(sink, labels, map->entries[order[i]].value);
	free(order);
	if (tallies->others[kind])
		emit_row(sink, labels, tallies->others[kind]);
	if (kind != ENTITY_CLUSTER)
		fold_rows(sink, kind);
}

static void each_entity(struct family_sink *sink, int kind)
{
	const char *const labels[GROUP_LABELS_MAX] = {kind == ENTITY_CLUSTER ? NULL : entity_kind_names[kind],
						      kind == ENTITY_USER ? entity_kind_names[ENTITY_ACCOUNT] : NULL};
	each_tally(sink, kind, labels);
}

const struct family_group event_group = {
	.collect = COLLECT_JOB_EVENTS,
	GROUP_FAMILIES(event_families),
	.kinds = TALLY_ENTITIES,
	.origin = {.source = "dbd_jobs"},
	.owners = OWNER_ANY,
	.each = each_entity,
};

static const struct family owner_families[] = {
	{"slurm_{X}_job_eligible_wait_seconds", HISTOGRAM, NULL,
	 "How long jobs of the {X} waited, from when they became eligible until they started.", emit_tally_histogram,
	 TALLY_OWNER_WAIT_SECONDS, 0, 0},
	{"slurm_{X}_job_runtime_seconds", HISTOGRAM, NULL,
	 "How long ended jobs of the {X} ran, without the time in which they were suspended.", emit_tally_histogram,
	 TALLY_OWNER_RUN_SECONDS, 0, 0},
};

static void each_owner(struct family_sink *sink, int kind)
{
	enum owner_histograms whose = sink->facts->owner_histograms;
	if (whose == OWNER_HISTOGRAMS_USERS || (whose == OWNER_HISTOGRAMS_ACCOUNTS && kind == ENTITY_ACCOUNT))
		each_entity(sink, kind);
}

const struct family_group owner_group = {
	.collect = COLLECT_JOB_EVENTS,
	GROUP_FAMILIES(owner_families),
	.kinds = 1 << ENTITY_ACCOUNT | 1 << ENTITY_USER,
	.origin = {.source = "dbd_jobs"},
	.owners = OWNER_ACCOUNT | OWNER_USER,
	.each = each_owner,
};

static const struct family queue_families[] = {
	{"slurm_partition_job_eligible_wait_seconds", HISTOGRAM, NULL,
	 "How long jobs waited, from when they became eligible until they started.", emit_tally_histogram,
	 TALLY_WAIT_SECONDS, 0, 0},
	{"slurm_partition_job_submit_wait_seconds", HISTOGRAM, NULL,
	 "How long jobs waited, from submission until they started.", emit_tally_histogram, TALLY_QUEUE_SECONDS, 0, 0},
	{"slurm_partition_job_runtime_seconds", HISTOGRAM, NULL,
	 "How long ended jobs ran, without the time in which they were suspended.", emit_tally_histogram,
	 TALLY_RUN_SECONDS, 0, 0},
};

static void each_queue(struct family_sink *sink, int kind)
{
	(void)kind;
	each_tally(sink, TALLY_QUEUE, (const char *const[GROUP_LABELS_MAX]){"partition", "qos"});
}

const struct family_group queue_group = {
	.collect = COLLECT_JOB_EVENTS,
	GROUP_FAMILIES(queue_families),
	.labels = "partition,qos",
	.origin = {.source = "dbd_jobs"},
	.owners = OWNER_PARTITION,
	.each = each_queue,
};

static const struct family failure_families[] = {
	{"slurm_node_job_failures_total", COUNTER, "kind",
	 "Jobs that failed on the node, where it was their first or the one that failed: failed, node_fail, "
	 "boot_fail.",
	 emit_tally_details, TALLY_FAILURES, 0, 0},
};

static void each_node(struct family_sink *sink, int kind)
{
	(void)kind;
	each_tally(sink, TALLY_NODE, (const char *const[GROUP_LABELS_MAX]){"node"});
}

const struct family_group node_failure_group = {
	.collect = COLLECT_JOB_EVENTS,
	GROUP_FAMILIES(failure_families),
	.labels = "node",
	.origin = {.source = "dbd_jobs"},
	.each = each_node,
};
