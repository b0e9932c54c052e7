/* RPCs of slurmctld and slurmdbd by type and user, slurmdbd's roll-ups, and how full slurmctld's job table is. For Slurm's
 * administrator: who asks the daemons for what, do they keep up, and is there room for more jobs? From diag of both,
 * the job table, and conf where the version has it. */
#include "metrics/family.h"

#include <stdlib.h>

typedef void row_fn(struct exposition *out, const struct family *family, const void *row);

/* `caps`: for rows of users, because --filter.users may hide some; NULL: the rows are of something else. */
static void each_row(struct exposition *out, const struct family *family, const char *label, const struct map *rows,
		     const struct caps *caps, row_fn *emit)
{
	size_t *order = map_sorted(rows);
	for (size_t i = 0; i < rows->count; i++) {
		if (caps)
			exposition_fold(out, !caps_allow_name(caps, ENTITY_USER, rows->entries[order[i]].key));
		exposition_label(out, label, rows->entries[order[i]].key);
		emit(out, family, rows->entries[order[i]].value);
		exposition_unlabel(out);
	}
	free(order);
}

static void emit_count(struct exposition *out, const struct family *family, const void *row)
{
	(void)family;
	exposition_integer(out, running_sum_total(&((const struct rpc_sum *)row)->count));
}

static void emit_seconds(struct exposition *out, const struct family *family, const void *row)
{
	family_divided(out, family, running_sum_total(&((const struct rpc_sum *)row)->time_us));
}

static void emit_dropped(struct exposition *out, const struct family *family, const void *row)
{
	(void)family;
	const struct rpc_sum *sum = row;
	if (sum->has_dropped)
		exposition_integer(out, running_sum_total(&sum->dropped));
}

static void emit_queued(struct exposition *out, const struct family *family, const void *row)
{
	(void)family;
	const struct rpc_sum *sum = row;
	if (number_is_known(sum->queued))
		exposition_integer(out, sum->queued);
}

static void emit_pending_row(struct exposition *out, const struct family *family, const void *row)
{
	(void)family;
	exposition_integer(out, *(const uint64_t *)row);
}

/* The families of one table of rows: by message type or by user. A row's offset is that of the map. */
#define ROWS_EMITTER(name, label, caps, emit_row)                                                                      \
	static void name(struct exposition *out, const struct page_facts *facts, const struct family *family,          \
			 const void *item)                                                                             \
	{                                                                                                              \
		(void)facts;                                                                                           \
		each_row(out, family, label, (const struct map *)((const char *)item + family->offset), caps,          \
			 emit_row);                                                                                    \
	}
ROWS_EMITTER(emit_type_count, "message_type", NULL, emit_count)
ROWS_EMITTER(emit_type_seconds, "message_type", NULL, emit_seconds)
ROWS_EMITTER(emit_type_dropped, "message_type", NULL, emit_dropped)
ROWS_EMITTER(emit_type_queued, "message_type", NULL, emit_queued)
ROWS_EMITTER(emit_type_pending, "message_type", NULL, emit_pending_row)
ROWS_EMITTER(emit_user_count, "user", &facts->cluster->caps, emit_count)
ROWS_EMITTER(emit_user_seconds, "user", &facts->cluster->caps, emit_seconds)

#define OF_CLUSTER(member) offsetof(struct cluster, member)

static const struct family rpc_families[] = {
	{"slurm_rpc_requests_total", COUNTER, "message_type", "Requests that slurmctld served.", emit_type_count,
	 OF_CLUSTER(scheduler.rpcs_by_type.rows), 1, 0},
	{"slurm_rpc_seconds_total", COUNTER, "message_type",
	 "Time that slurmctld spent on requests, waiting for locks included.", emit_type_seconds,
	 OF_CLUSTER(scheduler.rpcs_by_type.rows), 1e6, 0},
	{"slurm_rpc_queued", GAUGE, "message_type", "Requests in slurmctld's queue for the type.", emit_type_queued,
	 OF_CLUSTER(scheduler.rpcs_by_type.rows), 1, 0},
	{"slurm_rpc_dropped_total", COUNTER, "message_type", "Requests that slurmctld dropped.", emit_type_dropped,
	 OF_CLUSTER(scheduler.rpcs_by_type.rows), 1, 0},
	{"slurm_rpc_pending", GAUGE, "message_type", "Messages of slurmctld to nodes that wait.", emit_type_pending,
	 OF_CLUSTER(scheduler.pending_rpcs), 1, 0},
	{"slurm_user_rpc_requests_total", COUNTER, "user", "Requests that slurmctld served for the user.",
	 emit_user_count, OF_CLUSTER(scheduler.rpcs_by_user.rows), 1, 0},
	{"slurm_user_rpc_seconds_total", COUNTER, "user", "Time that slurmctld spent on requests of the user.",
	 emit_user_seconds, OF_CLUSTER(scheduler.rpcs_by_user.rows), 1e6, 0},
};

static void each_cluster_with_diag(struct family_sink *sink, int kind)
{
	(void)kind;
	if (sink->facts->cluster->scheduler.is_known)
		family_item(sink, sink->facts->cluster);
}

const struct family_group rpc_group = {.collect = COLLECT_RPCS,
				       GROUP_FAMILIES(rpc_families),
				       .origin = {"diag", "22.05"},
				       .owners = OWNER_USER,
				       .each = each_cluster_with_diag};

static void emit_rollup_seconds(struct exposition *out, const struct page_facts *facts, const struct family *family,
				const void *item)
{
	(void)facts;
	const struct rollup *rollups = ((const struct cluster *)item)->accounting.rollups;
	for (int i = 0; i < ROLLUPS; i++) {
		if (!number_is_known(rollups[i].last_run))
			continue;
		exposition_label(out, "trigger", text_of(rollup_triggers[i]));
		family_divided(out, family, rollups[i].last_duration_us);
	}
}

static void emit_rollup_time(struct exposition *out, const struct page_facts *facts, const struct family *family,
			     const void *item)
{
	(void)facts, (void)family;
	const struct rollup *rollups = ((const struct cluster *)item)->accounting.rollups;
	for (int i = 0; i < ROLLUPS; i++) {
		if (!number_is_known(rollups[i].last_run))
			continue;
		exposition_label(out, "trigger", text_of(rollup_triggers[i]));
		exposition_integer(out, rollups[i].last_run);
	}
}

static const struct family accounting_families[] = {
	{"slurm_dbd_rpc_requests_total", COUNTER, "message_type", "Requests that slurmdbd served.", emit_type_count,
	 OF_CLUSTER(accounting.rpcs_by_type.rows), 1, 0},
	{"slurm_dbd_rpc_seconds_total", COUNTER, "message_type", "Time that slurmdbd spent on requests.",
	 emit_type_seconds, OF_CLUSTER(accounting.rpcs_by_type.rows), 1e6, 0},
	{"slurm_dbd_user_rpc_requests_total", COUNTER, "user", "Requests that slurmdbd served for the user.",
	 emit_user_count, OF_CLUSTER(accounting.rpcs_by_user.rows), 1, 0},
	{"slurm_dbd_user_rpc_seconds_total", COUNTER, "user", "Time that slurmdbd spent on requests of the user.",
	 emit_user_seconds, OF_CLUSTER(accounting.rpcs_by_user.rows), 1e6, 0},
	{"slurm_dbd_rollup_seconds", GAUGE, "trigger",
	 "How long slurmdbd's last roll-up took, by who wanted it: slurmdbd itself, each hour, or a request (sacctmgr rollup).",
	 emit_rollup_seconds, 0, 1e6, 0},
	{"slurm_dbd_rollup_timestamp_seconds", GAUGE, "trigger", "When slurmdbd last rolled up, by who wanted it.",
	 emit_rollup_time, 0, 0, 0},
};

static void each_cluster_with_dbd(struct family_sink *sink, int kind)
{
	(void)kind;
	if (sink->facts->cluster->accounting.is_known)
		family_item(sink, sink->facts->cluster);
}

const struct family_group accounting_group = {.collect = COLLECT_ACCOUNTING,
					      GROUP_FAMILIES(accounting_families),
					      .origin = {.source = "dbd_diag"},
					      .owners = OWNER_USER,
					      .each = each_cluster_with_dbd};

static void emit_job_records(struct exposition *out, const struct page_facts *facts, const struct family *family,
			     const void *item)
{
	(void)facts, (void)family;
	const struct job_totals *jobs = ((const struct cluster *)item)->jobs;
	if (jobs)
		exposition_integer(out, jobs->records);
}

static void emit_accounting_up(struct exposition *out, const struct page_facts *facts, const struct family *family,
			       const void *item)
{
	(void)facts, (void)family;
	enum up up = ((const struct cluster *)item)->accounting_up;
	if (up != UP_NOT_KNOWN)
		exposition_integer(out, up == UP_YES);
}

static const struct family conf_families[] = {
	{"slurm_dbd_up", GAUGE, NULL, "Whether slurmdbd answers (sacctmgr ping); absent when that is not known.",
	 emit_accounting_up, 0, 0, 0},
	{"slurm_controller_job_records", GAUGE, NULL,
	 "Job records in slurmctld: an array's tasks that are not split off are one.", emit_job_records, 0, 0, 0},
	{"slurm_controller_max_job_records", GAUGE, NULL, "MaxJobCount of slurm.conf.", emit_number,
	 OF_CLUSTER(conf.max_job_count), 1, 0},
	{"slurm_controller_start_timestamp_seconds", GAUGE, NULL, "When slurmctld started.", emit_number,
	 OF_CLUSTER(conf.boot_time), 1, 0},
};

static void each_cluster(struct family_sink *sink, int kind)
{
	(void)kind;
	family_item(sink, sink->facts->cluster);
}

const struct family_group conf_group = {
	.collect = COLLECT_CLUSTER, GROUP_FAMILIES(conf_families), .origin = {"conf", "26.05"}, .each = each_cluster};
