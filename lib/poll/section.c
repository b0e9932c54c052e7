#include "poll/section.h"

#include "base/memory.h"
#include "jobs/job_batch.h"
#include "model/fairshare.h"
#include "model/reservation.h"

#include <stdlib.h>

/* ping */

struct ping_build {
	struct controller_state controllers[CONTROLLERS_MAX];
	unsigned count;
};

static void *ping_start(const struct cluster *cluster, int64_t now)
{
	(void)cluster, (void)now;
	return NEW(struct ping_build);
}

static void ping_take(void *context, const void *record)
{
	struct ping_build *ping = ((struct section_build *)context)->built;
	const struct controller *controller = record;
	if (ping->count == CONTROLLERS_MAX)
		return;
	struct controller_state *state = &ping->controllers[ping->count++];
	*state = (struct controller_state){.is_primary = controller->is_primary,
					   .is_up = controller->is_up,
					   .latency_us = controller->is_up ? controller->latency_us : NUMBER_UNSET};
	text_to_string(controller->host, state->host, sizeof state->host);
	for (unsigned i = 0; i + 1 < ping->count; i++)
		if (strcmp(ping->controllers[i].host, state->host) == 0) { /* one row for each host */
			ping->count--;
			break;
		}
}

static void ping_commit(struct cluster *cluster, void *built)
{
	const struct ping_build *ping = built;
	memcpy(cluster->controllers, ping->controllers, sizeof cluster->controllers);
	cluster->controller_count = ping->count;
	free(built);
}

static void ping_drop(struct cluster *cluster)
{
	cluster->controller_count = 0;
}

/* diag, of slurmctld and of slurmdbd, and conf: one record each, with lists of RPCs */

struct record_build {
	struct arena arena; /* the lists and their names */
	bool is_filled;
	union {
		struct diag diag;
		struct dbd_diag dbd_diag;
		struct conf conf;
	};
};

static void *record_start(const struct cluster *cluster, int64_t now)
{
	(void)cluster, (void)now;
	return NEW(struct record_build);
}

static struct record_build *record_fill(void *context)
{
	struct record_build *build = ((struct section_build *)context)->built;
	build->is_filled = true;
	return build;
}

static void record_discard(void *built)
{
	struct record_build *build = built;
	arena_done(&build->arena);
	free(build);
}

/* Lists and texts of a record are borrowed from the decoder. */
static void keep_rpcs(struct arena *arena, struct list *list)
{
	struct rpc *rpcs = arena_new(arena, list->count * sizeof *rpcs);
	for (size_t i = 0; i < list->count; i++) {
		rpcs[i] = ((const struct rpc *)list->items)[i];
		rpcs[i].name = arena_copy(arena, rpcs[i].name);
	}
	list->items = rpcs;
}

static void diag_take(void *context, const void *record)
{
	struct record_build *build = record_fill(context);
	build->diag = *(const struct diag *)record;
	keep_rpcs(&build->arena, &build->diag.rpcs_by_type);
	keep_rpcs(&build->arena, &build->diag.rpcs_by_user);
	keep_rpcs(&build->arena, &build->diag.pending_rpcs);
}

static void diag_commit(struct cluster *cluster, void *built)
{
	const struct record_build *build = built;
	if (build->is_filled)
		scheduler_section_set(&cluster->scheduler, &build->diag);
	record_discard(built);
}

static void diag_drop(struct cluster *cluster)
{
	cluster->scheduler.is_known = false;
}

static void dbd_diag_take(void *context, const void *record)
{
	struct record_build *build = record_fill(context);
	build->dbd_diag = *(const struct dbd_diag *)record;
	keep_rpcs(&build->arena, &build->dbd_diag.rpcs_by_type);
	keep_rpcs(&build->arena, &build->dbd_diag.rpcs_by_user);
}

static void dbd_diag_commit(struct cluster *cluster, void *built)
{
	const struct record_build *build = built;
	if (build->is_filled)
		accounting_section_set(&cluster->accounting, &build->dbd_diag);
	record_discard(built);
}

static void dbd_diag_drop(struct cluster *cluster)
{
	cluster->accounting.is_known = false;
}

static void conf_take(void *context, const void *record)
{
	record_fill(context)->conf = *(const struct conf *)record;
}

static void conf_drop(struct cluster *cluster)
{
	cluster->conf = CONF_UNKNOWN;
}

static void conf_commit(struct cluster *cluster, void *built)
{
	const struct record_build *build = built;
	if (build->is_filled)
		cluster->conf = build->conf;
	record_discard(built);
}

/* slurmdbd's ping: whether any of its hosts responds */

static void *dbd_ping_start(const struct cluster *cluster, int64_t now)
{
	(void)cluster, (void)now;
	return NEW(bool);
}

static void dbd_ping_take(void *context, const void *record)
{
	*(bool *)((struct section_build *)context)->built |= ((const struct controller *)record)->is_up;
}

static void dbd_ping_commit(struct cluster *cluster, void *built)
{
	cluster->dbd_responds = *(bool *)built;
	free(built);
}

static void dbd_ping_drop(struct cluster *cluster)
{
	cluster->dbd_responds = false;
}

/* shares, reservations, licences: the records as they are */

static void shares_take(void *context, const void *record)
{
	static const size_t texts[] = {offsetof(struct fairshare, name), offsetof(struct fairshare, parent),
				       offsetof(struct fairshare, partition), offsetof(struct fairshare, tres_usage),
				       SIZE_MAX};
	struct fairshare share = *(const struct fairshare *)record;
	struct text *const labels[] = {&share.name, &share.parent, &share.partition};
	char rooms[3][LABEL_MAX + 1];
	struct buf key = BUF_INIT;
	buf_add_char(&key, share.is_user ? 'u' : 'a');
	for (int i = 0; i < 3; i++) {
		*labels[i] = label_of(*labels[i], rooms[i]);
		buf_add_text(&key, *labels[i]);
		buf_add_char(&key, '\0');
	}
	record_list_add(((struct section_build *)context)->built, buf_text(&key), &share, texts);
	buf_done(&key);
}

static void reservations_take(void *context, const void *record)
{
	static const size_t texts[] = {offsetof(struct reservation, name),	offsetof(struct reservation, partition),
				       offsetof(struct reservation, flags),	offsetof(struct reservation, tres),
				       offsetof(struct reservation, node_list), SIZE_MAX};
	struct reservation reservation = *(const struct reservation *)record;
	char rooms[3][LABEL_MAX + 1];
	reservation.name = label_of(reservation.name, rooms[0]);
	reservation.partition = label_of(reservation.partition, rooms[1]);
	reservation.flags = label_of(reservation.flags, rooms[2]);
	record_list_add(((struct section_build *)context)->built, reservation.name, &reservation, texts);
}

static void licenses_take(void *context, const void *record)
{
	static const size_t texts[] = {offsetof(struct license, name), offsetof(struct license, nodes), SIZE_MAX};
	struct license license = *(const struct license *)record;
	char rooms[2][LABEL_MAX + 1];
	struct buf key = BUF_INIT;
	label_key(&key, license.name, &license.nodes);
	license.name = label_of(license.name, rooms[0]);
	license.nodes = label_of(license.nodes, rooms[1]);
	record_list_add(((struct section_build *)context)->built, buf_text(&key), &license, texts);
	buf_done(&key);
}

/* partitions */

static void *partitions_start(const struct cluster *cluster, int64_t now)
{
	(void)cluster, (void)now;
	return partitions_section_new();
}

static void partitions_take(void *context, const void *record)
{
	partitions_section_add(((struct section_build *)context)->built, record);
}

/* nodes */

static void *nodes_start(const struct cluster *cluster, int64_t now)
{
	(void)now;
	return nodes_section_new(cluster->nodes, cluster_partitions(cluster));
}

static void nodes_take(void *context, const void *record)
{
	nodes_section_add(((struct section_build *)context)->built, record);
}

static void nodes_commit(struct cluster *cluster, void *built)
{
	struct nodes_section *section = built;
	node_table_sort(&section->table);
	node_events_note(&cluster->node_events, &section->table);
	nodes_section_free(cluster->nodes);
	cluster->nodes = section;
}

/* QOS and associations */

static void *qos_start(const struct cluster *cluster, int64_t now)
{
	(void)cluster, (void)now;
	return qos_section_new();
}

static void qos_take(void *context, const void *record)
{
	qos_section_add(((struct section_build *)context)->built, record);
}

static void *associations_start(const struct cluster *cluster, int64_t now)
{
	(void)cluster, (void)now;
	return associations_section_new();
}

static void associations_take(void *context, const void *record)
{
	const struct section_build *build = context;
	associations_section_add(build->built, record, text_of(build->cluster->name));
}

/* jobs */

static void *jobs_start(const struct cluster *cluster, int64_t now)
{
	return job_batch_begin(cluster->job_table, now);
}

static void jobs_take(void *context, const void *record)
{
	struct section_build *build = context;
	const struct job *job = record;
	job_batch_put(build->built, job);
	/* before v0.0.40 only the jobs say the cluster's name */
	if (!*build->cluster->name)
		text_to_string(job->cluster, build->cluster->name, sizeof build->cluster->name);
}

static void jobs_commit(struct cluster *cluster, void *built)
{
	job_batch_commit(built);
	cluster_show_jobs(cluster, true);
}

static void jobs_drop(struct cluster *cluster)
{
	cluster_show_jobs(cluster, false);
}

/* How an endpoint's section is made. Most are a pointer in the cluster, which the new one replaces. */
static const struct section {
	void *(*start)(const struct cluster *cluster, int64_t now); /* NULL: a list of records */
	record_fn *take;
	void (*discard)(void *built); /* NULL is fine */
	size_t offset; /* of the pointer in struct cluster; not used with `commit` and `drop` */
	size_t record_size; /* of a list's records */
	bool is_of_limits; /* the use of limits depends on it */
	void (*commit)(struct cluster *cluster, void *built);
	void (*drop)(struct cluster *cluster);
} table[ENDPOINTS_POLLED] = {
	[ENDPOINT_PING] = {ping_start, ping_take, free, .commit = ping_commit, .drop = ping_drop},
	[ENDPOINT_DIAG] = {record_start, diag_take, record_discard, .commit = diag_commit, .drop = diag_drop},
	[ENDPOINT_PARTITIONS] = {partitions_start, partitions_take, partitions_section_free,
				 offsetof(struct cluster, partitions), .is_of_limits = true},
	[ENDPOINT_NODES] = {nodes_start, nodes_take, nodes_section_free, offsetof(struct cluster, nodes),
			    .commit = nodes_commit},
	[ENDPOINT_JOBS] = {jobs_start, jobs_take, job_batch_abort, .commit = jobs_commit, .drop = jobs_drop},
	[ENDPOINT_RESERVATIONS] = {NULL, reservations_take, record_list_free, offsetof(struct cluster, reservations),
				   sizeof(struct reservation)},
	[ENDPOINT_LICENSES] = {NULL, licenses_take, record_list_free, offsetof(struct cluster, licenses),
			       sizeof(struct license)},
	[ENDPOINT_SHARES] = {NULL, shares_take, record_list_free, offsetof(struct cluster, shares),
			     sizeof(struct fairshare), .is_of_limits = true},
	[ENDPOINT_CONF] = {record_start, conf_take, record_discard, .commit = conf_commit, .drop = conf_drop},
	[ENDPOINT_DBD_PING] = {dbd_ping_start, dbd_ping_take, free, .commit = dbd_ping_commit, .drop = dbd_ping_drop},
	[ENDPOINT_DBD_DIAG] = {record_start, dbd_diag_take, record_discard, .commit = dbd_diag_commit,
			       .drop = dbd_diag_drop},
	[ENDPOINT_QOS] = {qos_start, qos_take, qos_section_free, offsetof(struct cluster, qos), .is_of_limits = true},
	[ENDPOINT_ASSOCIATIONS] = {associations_start, associations_take, associations_section_free,
				   offsetof(struct cluster, associations), .is_of_limits = true},
};

void *section_start(enum endpoint which, const struct cluster *cluster, int64_t now)
{
	const struct section *section = &table[which];
	return section->start ? section->start(cluster, now) : record_list_new(section->record_size);
}

record_fn *section_take(enum endpoint which)
{
	return table[which].take;
}

/* Copies the pointer by memcpy, because each has a type of its own. */
static void replace(const struct section *section, struct cluster *cluster, void *built)
{
	char *pointer = (char *)cluster + section->offset;
	void *old;
	memcpy(&old, pointer, sizeof old);
	section->discard(old);
	memcpy(pointer, &built, sizeof built);
	if (section->is_of_limits)
		cluster_forget_limits(cluster);
}

void section_commit(enum endpoint which, struct cluster *cluster, void *built)
{
	const struct section *section = &table[which];
	if (section->commit)
		section->commit(cluster, built);
	else
		replace(section, cluster, built);
}

void section_discard(enum endpoint which, void *built)
{
	table[which].discard(built);
}

void section_drop(enum endpoint which, struct cluster *cluster)
{
	const struct section *section = &table[which];
	if (section->drop)
		section->drop(cluster);
	else
		replace(section, cluster, NULL);
}
