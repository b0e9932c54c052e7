/* Groups of jobs that a site defines: in which rows a job counts, and what survives restarts and new definitions. No name
 * that a user chooses makes them large or wrong. */
#include "check.h"
#include "cluster/fold.h"
#include "config/config_groups.h"
#include "events_world.h"
#include "metrics/catalogue.h"

#include <stdlib.h>

/* Ends with job_groups_done. */
static void define(struct job_groups *groups, const char *yaml)
{
	struct error err = {""};
	struct document *document = document_parse("groups", text_of(yaml), &err);
	*groups = (struct job_groups){.count = 0};
	CHECK(document && config_groups_read(document, document_root(document), groups, &err));
	CHECK_STRING(err.text, "");
	document_free(document);
}

struct rows {
	char text[16384]; /* "a|b c|d": rows with spaces between, labels with | between */
	size_t count;
};

static void note_row(void *context, struct text key)
{
	struct rows *rows = context;
	size_t len = strlen(rows->text);
	rows->count++;
	snprintf(rows->text + len, sizeof rows->text - len, "%s", len ? " " : "");
	for (size_t i = 0; i < key.len && (len = strlen(rows->text)) + 2 < sizeof rows->text; i++) {
		rows->text[len] = key.bytes[i] ? key.bytes[i] : '|';
		rows->text[len + 1] = '\0';
	}
}

static struct rows rows_of(const struct job_groups *groups, const struct caps *caps, const struct job *job)
{
	struct buf values = BUF_INIT;
	struct rows rows = {.count = 0};
	job_groups_read(groups, job, &values);
	CHECK(job_groups_know(groups, buf_text(&values)));
	const struct group_names names = {job->account, job->user, job->partitions, job->qos, buf_text(&values)};
	job_group_rows(&groups->items[0], caps, &names, note_row, &rows);
	buf_done(&values);
	return rows;
}

static void test_rows(void)
{
	static const struct {
		const char *name, *by;
		struct job job;
		const char *want;
	} rows[] = {
		{"as it is", "[account]", {.account = TEXT("bio")}, "bio"},
		{"each partition",
		 "[partition, user]",
		 {.partitions = TEXT("a,b"), .user = TEXT("ann")},
		 "a|ann b|ann"},
		{"lists by lists",
		 "[partition, feature]",
		 {.partitions = TEXT("a,b"), .features = TEXT("x&y")},
		 "a|x b|x a|y b|y"},
		{"features", "[feature]", {.features = TEXT("[rack1*2&rack2*4]|(fast&rack1)")}, "rack1 rack2 fast"},
		{"licences", "[license]", {.licenses = TEXT("matlab:6,ansys@host:2|matlab:1")}, "matlab ansys@host"},
		{"a default wckey", "[wckey]", {.wckey = TEXT("*wk1")}, "wk1"},
		{"no wckey", "[wckey]", {.wckey = TEXT("*")}, ""},
		{"nothing", "[name, wckey]", {.name = TEXT("n")}, "n|"},
		{"a part",
		 "[{label: c, from: name, regex: '([a-z]+)-[0-9]+.*'}]",
		 {.name = TEXT("climate-7-b")},
		 "climate"},
		{"no match", "[{label: c, from: name, regex: '([a-z]+)-[0-9]+.*'}]", {.name = TEXT("climate")}, ""},
		{"two parts of one name",
		 "[{label: c, from: name, regex: '([a-z]+)-.*'}, {label: n, from: name, regex: '.*-([0-9]+)'}]",
		 {.name = TEXT("climate-7")},
		 "climate|7"},
		{"a part of each", "[{from: partition, regex: '(.).*'}]", {.partitions = TEXT("gpu1,gpu2,cpu")}, "g c"},
		{"other is the row of all others", "[name]", {.name = TEXT("other")}, "other~c8728734"},
		{"unknown is what nobody told", "[name]", {.name = TEXT("unknown")}, "unknown~"},
		{"not told", "[comment]", {.untold = JOB_COMMENT_UNTOLD}, "unknown"},
		{"told", "[comment]", {.comment = TEXT("c"), .untold = JOB_LICENSES_UNTOLD}, "c"},
		{"separators within a name",
		 "[name, comment]",
		 {.name = TEXT("a\x1e\x1f"
			       "b"),
		  .comment = TEXT("\n")},
		 "a??b|?"},
		{"one node", "[nodes]", {.tres_requested = TEXT("cpu=8,mem=4G,node=1,billing=8")}, "1"},
		{"sizes are classes",
		 "[nodes, cpus, gpus]",
		 {.tres_requested = TEXT("cpu=128,mem=4G,node=3,billing=8,gres/gpu=7")},
		 "2-3|128-255|4-7"},
		{"GPUs of two types",
		 "[gpus]",
		 {.tres_requested = TEXT("cpu=1,node=1,gres/gpu:a100=1,gres/gpu:h100=2,gres/shard=9")},
		 "2-3"},
		{"no GPUs", "[gpus]", {.tres_requested = TEXT("cpu=1,node=1")}, ""},
		{"nobody told of sizes", "[gpus, nodes]", {.cpus = 4}, "unknown|unknown"},
		{"the largest size",
		 "[cpus]",
		 {.tres_requested = TEXT("cpu=9007199254740993")},
		 "9007199254740992-18014398509481983"},
		{"a class of one's own",
		 "[{label: size, from: nodes, regex: '(.).*'}]",
		 {.tres_requested = TEXT("node=40")},
		 "3"},
		{"half a character", "[{from: name, regex: '(.).*'}]", {.name = TEXT("\xc3\xa9")}, ""},
	};
	struct caps caps;
	caps_init(&caps);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct job_groups groups;
		struct buf yaml = BUF_INIT;
		check_row(rows[i].name);
		buf_printf(&yaml, "[{name: g, by: %s}]", rows[i].by);
		define(&groups, yaml.bytes);
		CHECK_STRING(rows_of(&groups, &caps, &rows[i].job).text, rows[i].want);
		job_groups_done(&groups);
		buf_done(&yaml);
	}
	caps_done(&caps);
	check_row(NULL);
}

/* Names that a filter hides are `other`, and so is their row if it has no other label. */
static void test_hidden_names(void)
{
	struct job_groups groups;
	struct caps caps;
	struct error err;
	caps_init(&caps);
	CHECK(pattern_set(&caps.kinds[ENTITY_USER].deny, "ann|secret.*", &err));
	CHECK(pattern_set(&caps.kinds[ENTITY_PARTITION].deny, "secret.*", &err));
	define(&groups, "[{name: g, by: [user, partition]}]");
	struct job job = {.user = TEXT("ann"), .partitions = TEXT("cpu,secret1,secret2")};
	CHECK_STRING(rows_of(&groups, &caps, &job).text, "other|cpu other|other");
	CHECK(group_key_is_other(TEXT("other\0other")) && !group_key_is_other(TEXT("other\0cpu")));
	CHECK(group_key_is_other(TEXT("other")) && !group_key_is_other(TEXT("other\0")));
	CHECK(!group_key_is_other(TEXT("other\0other\0")) && !group_key_is_other(TEXT("")));
	CHECK(!group_key_may_be_shown(&groups.items[0], &caps, TEXT("ann\0cpu")));
	CHECK(group_key_may_be_shown(&groups.items[0], &caps, TEXT("other\0cpu")));
	CHECK(group_key_may_be_shown(&groups.items[0], &caps, TEXT("bob\0")));
	job_groups_done(&groups);
	check_row("what an expression makes of a name is no name");
	define(&groups, "[{name: g, by: [{from: user, regex: '[a-z]*-(.*)'}]}]");
	job.user = TEXT("x-ann");
	CHECK_STRING(rows_of(&groups, &caps, &job).text, "ann");
	CHECK(group_key_may_be_shown(&groups.items[0], &caps, TEXT("ann")));
	job_groups_done(&groups);
	caps_done(&caps);
}

/* However long and many, they have bounds. */
static void test_bounds(void)
{
	struct job_groups groups;
	struct caps caps;
	struct buf long_name = BUF_INIT, list = BUF_INIT;
	caps_init(&caps);
	for (int i = 0; i < 100000; i++)
		buf_add_char(&long_name, 'a');
	for (int i = 0; i < 5000; i++)
		buf_printf(&list, "%sf%d", i ? "&" : "", i);
	define(&groups, "[{name: g, by: [name, feature, {label: c, from: comment, regex: '(a*)*'}]},"
			" {name: h, by: [feature, {label: l, from: license, regex: '.*'}]}]");
	struct job job = {.name = buf_text(&long_name), .features = buf_text(&list), .comment = buf_text(&long_name)};
	struct buf values = BUF_INIT;
	job_groups_read(&groups, &job, &values);
	CHECK(values.len < 2000);
	struct rows rows = rows_of(&groups, &caps, &job);
	CHECK_NUMBER(rows.count, GROUP_VALUES_MAX);
	CHECK(strstr(rows.text, "~") && strstr(rows.text, "|f15|"));
	job_groups_done(&groups);
	define(&groups, "[{name: g, by: [feature, license, partition]}]");
	job = (struct job){.features = buf_text(&list), .licenses = TEXT("a,b,c,d,e"), .partitions = TEXT("p,q,r")};
	CHECK_NUMBER(rows_of(&groups, &caps, &job).count, GROUP_ROWS_MAX);
	job_groups_done(&groups);
	buf_done(&values);
	buf_done(&long_name);
	buf_done(&list);
	caps_done(&caps);
}

/* Values of other definitions are not taken for those of these. */
static void test_new_definitions(void)
{
	struct job_groups before, after;
	struct buf values = BUF_INIT, identities[2] = {BUF_INIT, BUF_INIT};
	struct job job = {.name = TEXT("climate-7"), .comment = TEXT("c")};
	static const struct {
		const char *before, *after;
		bool are_known, is_same;
	} rows[] = {
		{"[{name: g, by: [name]}]", "[{name: g, by: [name], limit: 7, metrics: [use]}]", true, true},
		{"[{name: g, by: [name]}]", "[{name: h, by: [name]}]", true, false},
		{"[{name: g, by: [name]}]", "[{name: g, by: [{label: n, from: name}]}]", true, false},
		{"[{name: g, by: [name]}]", "[{name: g, by: [comment]}]", false, false},
		{"[{name: g, by: [name]}]", "[{name: g, by: [{from: name, regex: '(.).*'}]}]", false, false},
		{"[{name: g, by: [{from: name, regex: '.(.).*'}]}]", "[{name: g, by: [{from: name, regex: '(.).*'}]}]",
		 false, false},
		{"[{name: g, by: [name]}, {name: h, by: [comment]}]", "[{name: g, by: [name]}]", true, true},
		{"[{name: g, by: [name]}]", "[{name: g, by: [name]}, {name: h, by: [comment]}]", false, true},
		{"[{name: g, by: [account]}]", "[{name: g, by: [account, user]}]", true, false},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		check_row(rows[i].after);
		define(&before, rows[i].before);
		define(&after, rows[i].after);
		buf_clear(&values);
		job_groups_read(&before, &job, &values);
		CHECK_NUMBER(job_groups_know(&after, buf_text(&values)), rows[i].are_known);
		job_group_identity(&before.items[0], &identities[0]);
		job_group_identity(&after.items[0], &identities[1]);
		CHECK_NUMBER(text_equal(buf_text(&identities[0]), buf_text(&identities[1])), rows[i].is_same);
		job_groups_done(&before);
		job_groups_done(&after);
	}
	check_row(NULL);
	buf_done(&values);
	buf_done(&identities[0]);
	buf_done(&identities[1]);
}

/* Jobs now */

static struct job_usage *usage_of(const struct job_totals *totals, const char *key, size_t len)
{
	return map_find(&totals->entities[ENTITY_KINDS], (struct text){key, len});
}

/* However many values jobs have, the group has as many rows as it may, and no job is lost. */
static void test_many_values(void)
{
	enum { JOBS = 5000, KEPT = 1000 + 10 * 7 };
	struct job_groups groups;
	struct cluster cluster;
	define(&groups, "[{name: g, by: [name], limit: 7}]");
	cluster_init(&cluster);
	cluster.caps.groups = &groups;
	for (uint64_t id = 1; id <= JOBS; id++) {
		char name[24];
		snprintf(name, sizeof name, "job-%05" PRIu64, id);
		struct job job = job_of(id, id <= 100 ? JOB_RUNNING : JOB_PENDING, BIRTH);
		job.name = text_of(name);
		job.cpus = id == 77 ? 1000 : 2;
		CHECK(job_table_put(cluster.job_table, &job, BIRTH));
	}
	cluster_show_jobs(&cluster, true);
	for (uint64_t round = 0, left = 10; round < 3; round++, left *= 10) {
		cluster_fold(&cluster); /* counts all again, too (jobs_check) */
		const struct map *rows = &cluster.jobs->entities[ENTITY_KINDS];
		uint64_t running = 0, pending = 0, shown = 0;
		for (size_t i = 0; i < rows->count; i++) {
			const struct job_usage *usage = rows->entries[i].value;
			bool is_shown = roster_shows(&cluster.rosters[ENTITY_KINDS], rows->entries[i].key);
			shown += is_shown;
			running += is_shown ? usage->jobs[JOB_RUNNING] : 0;
			pending += is_shown ? usage->jobs[JOB_PENDING] : 0;
		}
		const struct job_usage *other = cluster.jobs->others[ENTITY_KINDS];
		const uint64_t *all = job_totals_cluster(cluster.jobs)->jobs;
		CHECK(rows->count <= KEPT);
		CHECK_NUMBER(shown, 7);
		CHECK(round || roster_shows(&cluster.rosters[ENTITY_KINDS], TEXT("job-00077")));
		CHECK_NUMBER(running + other->jobs[JOB_RUNNING], all[JOB_RUNNING]);
		CHECK_NUMBER(pending + other->jobs[JOB_PENDING], all[JOB_PENDING]);
		/* most go: those that are left get rows of their own */
		for (uint64_t id = 1; id <= JOBS; id++)
			if (id % left)
				job_table_remove(cluster.job_table, id);
	}
	cluster_done(&cluster);
	job_groups_done(&groups);
}

static void test_present(void)
{
	struct job_groups groups;
	struct cluster cluster;
	define(&groups, "[{name: g, by: [partition, {label: c, from: name, regex: '([a-z]+)-.*'}]}]");
	cluster_init(&cluster);
	cluster.caps.groups = &groups;
	struct job job = job_of(1, JOB_PENDING, BIRTH);
	job.name = TEXT("climate-1");
	job.partitions = TEXT("cpu,gpu");
	job.array_tasks = TEXT("1-5");
	job.array_job_id = 1;
	CHECK(job_table_put(cluster.job_table, &job, BIRTH));
	job = running(2, BIRTH, BIRTH);
	job.name = TEXT("climate-2");
	CHECK(job_table_put(cluster.job_table, &job, BIRTH));
	cluster_show_jobs(&cluster, true);
	cluster_fold(&cluster);
	const struct job_usage *in_cpu = usage_of(cluster.jobs, "cpu\0climate", 11);
	const struct job_usage *in_gpu = usage_of(cluster.jobs, "gpu\0climate", 11);
	CHECK(in_cpu && in_gpu);
	CHECK_NUMBER(in_cpu->jobs[JOB_PENDING], 5);
	CHECK_NUMBER(in_cpu->jobs[JOB_RUNNING], 1);
	CHECK_NUMBER(in_cpu->cpus[PHASE_PENDING], 10);
	CHECK_NUMBER(in_gpu->jobs[JOB_PENDING], 5);
	CHECK(text_equal(in_gpu->label[0], TEXT("gpu")) && text_equal(in_gpu->label[1], TEXT("climate")));
	cluster_done(&cluster);
	job_groups_done(&groups);
}

/* The row of all others has each of the group's labels. */
static void test_page(void)
{
	static const char *const by[] = {"[account]", "[account, user]", "[account, user, name]"};
	static const char *const want[] = {
		"slurm_group_g_jobs{account=\"other\",state=\"running\"} 2\n",
		"slurm_group_g_jobs{account=\"other\",user=\"other\",state=\"running\"} 2\n",
		"slurm_group_g_jobs{account=\"other\",user=\"other\",name=\"other\",state=\"running\"} 2\n",
	};
	static const struct exporter exporter;
	for (size_t i = 0; i < sizeof by / sizeof *by; i++) {
		struct job_groups groups;
		struct cluster cluster;
		struct samples page = {.text = BUF_INIT};
		struct buf yaml = BUF_INIT;
		check_row(by[i]);
		buf_printf(&yaml, "[{name: g, by: %s, limit: 1}]", by[i]);
		define(&groups, yaml.bytes);
		cluster_init(&cluster);
		cluster.caps.groups = &groups;
		for (uint64_t id = 1; id <= 3; id++) {
			char account[8];
			struct job job = running(id, BIRTH, BIRTH);
			snprintf(account, sizeof account, "a%d", (int)id);
			job.account = text_of(account);
			job.name = TEXT("n");
			CHECK(job_table_put(cluster.job_table, &job, BIRTH));
		}
		cluster_show_jobs(&cluster, true);
		cluster_fold(&cluster);
		const struct page_facts facts = {.cluster = &cluster, .exporter = &exporter, .now = BIRTH};
		catalogue_render_slurm(&facts, &page);
		CHECK(strstr(page.text.bytes, want[i]));
		samples_done(&page);
		cluster_done(&cluster);
		job_groups_done(&groups);
		buf_done(&yaml);
	}
	check_row(NULL);
}

/* What happens to jobs */

static double in_group(struct world *world, struct text key, enum tally_what what, const char *detail)
{
	const struct tally *tally = tallies_of_group(&world->events->tallies, ENTITY_KINDS, key);
	for (size_t i = tally->first[what]; i < tally->counts.count; i++) {
		const struct tally_count *count = tally->counts.entries[i].value;
		if (count->what == what && text_equal(count->detail, text_of(detail)))
			return count->value;
	}
	return 0;
}

/* Of a world that has none. */
static void define_in(struct world *world, struct job_groups *groups, const char *yaml)
{
	define(groups, yaml);
	world->caps.groups = groups;
	job_table_count_groups(world->table, &world->caps);
}

/* As a reload does: other definitions, and the job table is read again. */
static void redefine(struct world *world, struct job_groups *groups, const char *yaml, int64_t now)
{
	struct job_groups before = *groups;
	memory_write(&world->memory, world->events, false);
	job_events_free(world->events);
	job_table_free(world->table);
	world->table = job_table_new();
	job_groups_done(&before);
	define_in(world, groups, yaml);
	world->events = memory_read(&world->memory, &world->caps, &world->vocabulary, now);
	world->events->ends_by_slurmdbd = true;
}

/* Clusters may have different groups: pages of several can only be joined if each has its families in one order. */
static void test_order(void)
{
	struct job_groups groups;
	struct buf list = BUF_INIT;
	char before[128] = "";
	define(&groups, "[{name: z, by: [user]}, {name: b, by: [account]}]");
	catalogue_list_groups(&groups, &list);
	struct text rest = buf_text(&list), line;
	unsigned count = 0;
	for (; text_next(&rest, '\n', &line); count++) {
		char name[sizeof before];
		text_to_string(text_cut(&line, '\t'), name, sizeof name);
		check_row(name);
		CHECK(strcmp(before, name) < 0);
		strcpy(before, name);
	}
	CHECK(count > 4);
	buf_done(&list);
	job_groups_done(&groups);
}

static void test_events(void)
{
	struct world w;
	struct job_groups groups;
	world_init(&w, true);
	define_in(&w, &groups,
		  "[{name: g, by: [account, {label: c, from: name, regex: '([a-z]+)-.*'}],"
		  " metrics: [ends, waits, runtimes, use]}]");
	struct job job = running(1, BIRTH + 10, BIRTH + 20);
	job.name = TEXT("climate-1");
	const struct text climate = TEXT("physics\0climate");
	put_and_look(&w, &job, BIRTH + 20);
	look(&w, BIRTH + 30);
	CHECK_NUMBER(in_group(&w, climate, TALLY_SUBMISSIONS, ""), 1);
	CHECK_NUMBER(in_group(&w, climate, TALLY_STARTS, ""), 1);
	CHECK_NUMBER(in_group(&w, climate, TALLY_CPU_SECONDS, ""), 20);
	CHECK_NUMBER(in_group(&w, climate, TALLY_WAIT_SECONDS, "sum"), 10);
	check_row("over a restart");
	restart(&w, true, BIRTH + 40);
	job_table_count_groups(w.table, &w.caps);
	CHECK_NUMBER(in_group(&w, climate, TALLY_CPU_SECONDS, ""), 20);
	check_row("an end that slurmdbd tells, without the name: it stays where it started");
	take_end(&w, &job, "completed", BIRTH + 60);
	CHECK_NUMBER(in_group(&w, climate, TALLY_ENDS, "completed"), 1);
	CHECK_NUMBER(in_group(&w, climate, TALLY_CPU_SECONDS, ""), 80);
	CHECK_NUMBER(in_group(&w, climate, TALLY_RUN_SECONDS, "sum"), 40);
	CHECK_NUMBER(in_cluster(&w, TALLY_CPU_SECONDS, ""), 80);
	check_row("one that only slurmdbd tells of");
	struct job other = running(2, BIRTH + 10, BIRTH + 20);
	take_end(&w, &other, "failed", BIRTH + 30);
	CHECK_NUMBER(in_group(&w, TEXT("physics\0unknown"), TALLY_ENDS, "failed"), 1);
	struct buf values = BUF_INIT;
	other.id = 3;
	other.name = TEXT("climate-9");
	job_groups_read(&groups, &other, &values);
	struct job_end end = end_of(&other, "failed", BIRTH + 30);
	end.owner.values = buf_text(&values);
	job_events_take_end(w.events, &end);
	CHECK_NUMBER(in_group(&w, climate, TALLY_ENDS, "failed"), 1);
	buf_done(&values);
	check_row(NULL);
	world_done(&w);
	job_groups_done(&groups);
}

static void test_reload(void)
{
	struct world w;
	struct job_groups groups;
	world_init(&w, true);
	define_in(&w, &groups, "[{name: g, by: [name], metrics: [ends, use]}]");
	struct job job = running(1, BIRTH + 10, BIRTH + 20);
	job.name = TEXT("climate-1");
	put_and_look(&w, &job, BIRTH + 20);
	look(&w, BIRTH + 30);
	CHECK_NUMBER(in_group(&w, TEXT("climate-1"), TALLY_CPU_SECONDS, ""), 20);
	check_row("one group more: the first goes on, the second begins when slurmctld has told the name");
	redefine(&w, &groups, "[{name: g, by: [name], metrics: [ends, use]}, {name: h, by: [comment], metrics: [use]}]",
		 BIRTH + 40);
	job.comment = TEXT("c");
	put_and_look(&w, &job, BIRTH + 50);
	CHECK_NUMBER(in_group(&w, TEXT("climate-1"), TALLY_CPU_SECONDS, ""), 60);
	const struct tally *of_h = tallies_of_group(&w.events->tallies, ENTITY_KINDS + 1, TEXT("c"));
	CHECK_NUMBER(tally_get(of_h, TALLY_CPU_SECONDS, 0)->value, 40);
	CHECK_NUMBER(w.events->tallies.kinds[ENTITY_KINDS + 1].count, 1);
	check_row("another definition: it begins anew");
	redefine(&w, &groups, "[{name: g, by: [{from: name, regex: '([a-z]+).*'}], metrics: [ends, use]}]", BIRTH + 60);
	CHECK(w.events->has_old_groups);
	put_and_look(&w, &job, BIRTH + 70);
	CHECK_NUMBER(in_group(&w, TEXT("climate"), TALLY_CPU_SECONDS, ""), 40);
	CHECK_NUMBER(in_group(&w, TEXT("climate"), TALLY_STARTS, ""), 0);
	CHECK_NUMBER(w.events->tallies.kinds[ENTITY_KINDS].count, 1);
	CHECK_NUMBER(in_cluster(&w, TALLY_CPU_SECONDS, ""), 100);
	check_row("no groups");
	redefine(&w, &groups, "[]", BIRTH + 80);
	put_and_look(&w, &job, BIRTH + 90);
	CHECK_NUMBER(in_cluster(&w, TALLY_CPU_SECONDS, ""), 140);
	check_row(NULL);
	world_done(&w);
	job_groups_done(&groups);
}

/* Values without jobs keep what was counted for as long as there is room for those with jobs. */
static void test_room(void)
{
	static const struct {
		const char *what, *name;
		bool forgets;
		double one; /* starts of l1, which has no jobs any more */
	} rows[] = {{"one more fits", "l3", false, 1}, {"another one does not", "l4", true, 0}};
	struct world w;
	struct job_groups groups;
	struct roster rosters[JOB_KINDS];
	world_init(&w, true);
	define_in(&w, &groups, "[{name: g, by: [license], limit: 3}]");
	for (uint64_t id = 1; id <= 2; id++) {
		struct job job = running(id, BIRTH + 10, BIRTH + 20);
		job.licenses = id == 1 ? TEXT("l1") : TEXT("l2");
		put_and_look(&w, &job, BIRTH + 20);
	}
	for (int kind = 0; kind < JOB_KINDS; kind++)
		roster_init(&rosters[kind]);
	roster_offer(&rosters[ENTITY_KINDS], TEXT("l2"), (struct roster_use){1, 1});
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		check_row(rows[i].what);
		roster_offer(&rosters[ENTITY_KINDS], TEXT("l2"), (struct roster_use){1, 1});
		roster_offer(&rosters[ENTITY_KINDS], TEXT("l3"), (struct roster_use){1, 1});
		roster_offer(&rosters[ENTITY_KINDS], text_of(rows[i].name), (struct roster_use){1, 1});
		roster_choose(&rosters[ENTITY_KINDS], 3);
		CHECK_NUMBER(tallies_show(&w.events->tallies, rosters), rows[i].forgets);
		owners_forget_lists(&w.events->owners);
		CHECK_NUMBER(in_group(&w, TEXT("l2"), TALLY_STARTS, ""), 1);
		CHECK_NUMBER(in_group(&w, TEXT("l1"), TALLY_STARTS, ""), rows[i].one);
	}
	for (int kind = 0; kind < JOB_KINDS; kind++)
		roster_done(&rosters[kind]);
	check_row(NULL);
	world_done(&w);
	job_groups_done(&groups);
}

/* More values than rows: what has no row counts in `other`, once. Values that go make room. */
static void test_other(void)
{
	struct world w;
	struct job_groups groups;
	struct roster rosters[JOB_KINDS];
	world_init(&w, true);
	define_in(&w, &groups, "[{name: g, by: [license], limit: 2}]");
	for (uint64_t id = 1; id <= 3; id++) {
		struct job job = running(id, BIRTH + 10, BIRTH + 20);
		job.licenses = id == 3 ? TEXT("l3,l4,l1") : id == 2 ? TEXT("l2") : TEXT("l1");
		put_and_look(&w, &job, BIRTH + 20);
	}
	CHECK_NUMBER(in_group(&w, TEXT("l1"), TALLY_STARTS, ""), 2);
	CHECK_NUMBER(in_group(&w, TEXT("l2"), TALLY_STARTS, ""), 1);
	CHECK_NUMBER(in_group(&w, TEXT("other"), TALLY_STARTS, ""), 1);
	CHECK_NUMBER(tallies_folded(&w.events->tallies, ENTITY_KINDS), 2);
	memory_write(&w.memory, w.events, false);
	for (int kind = 0; kind < JOB_KINDS; kind++)
		roster_init(&rosters[kind]);
	roster_offer(&rosters[ENTITY_KINDS], TEXT("l1"), (struct roster_use){2, 2});
	roster_offer(&rosters[ENTITY_KINDS], TEXT("l3"), (struct roster_use){1, 1});
	roster_choose(&rosters[ENTITY_KINDS], 2);
	CHECK(tallies_show(&w.events->tallies, rosters));
	owners_forget_lists(&w.events->owners);
	CHECK_NUMBER(in_group(&w, TEXT("l1"), TALLY_STARTS, ""), 2);
	CHECK_NUMBER(in_group(&w, TEXT("l3"), TALLY_STARTS, ""), 0);
	CHECK(!tallies_show(&w.events->tallies, rosters));
	restart(&w, true, BIRTH + 40);
	CHECK_NUMBER(w.events->tallies.kinds[ENTITY_KINDS].count, 1); /* l2 is not in the file any more, l3 not yet */
	CHECK_NUMBER(in_group(&w, TEXT("l1"), TALLY_STARTS, ""), 2);
	CHECK_NUMBER(in_group(&w, TEXT("other"), TALLY_STARTS, ""), 1);
	for (int kind = 0; kind < JOB_KINDS; kind++)
		roster_done(&rosters[kind]);
	world_done(&w);
	job_groups_done(&groups);
}

/* A job of several values counts in `other` once, of however many rows it is folded. So does one of several partitions and QOS. */
static void test_present_other(void)
{
	enum { VALUES = 3000 }; /* more than the group keeps */
	struct job_groups groups;
	struct cluster cluster;
	define(&groups, "[{name: g, by: [license], limit: 1}, {name: h, by: [partition], limit: 1}]");
	cluster_init(&cluster);
	cluster.caps.groups = &groups;
	cluster.caps.kinds[ENTITY_PARTITION].max = 1;
	cluster.caps.kinds[ENTITY_QOS].max = 1;
	struct buf many = BUF_INIT;
	for (int i = 0; i < VALUES; i++) {
		char name[16];
		snprintf(name, sizeof name, "%sm%d", i ? "," : "", i);
		buf_add_string(&many, name);
	}
	const struct {
		struct text licenses, partitions, qos;
		uint64_t cpus, other[4]; /* of its jobs: in the groups, the partitions and the QOS */
	} jobs[] = {
		{TEXT("l1"), TEXT("p1"), TEXT("q1"), 100, {0, 0, 0, 0}}, /* these have the rows */
		{TEXT("l2,l3,l4"), TEXT("p2,p3"), TEXT("q2,q3,q4"), 2, {1, 1, 1, 1}},
		{TEXT("l1,l2"), TEXT("p1,p3"), TEXT("q4"), 3, {1, 1, 1, 1}},
		{buf_text(&many), TEXT("p2,p1,p3"), TEXT("q1"), 4, {1, 1, 1, 0}}, /* the group's rest and folded ones */
		{TEXT(""), TEXT("p1"), TEXT("q1,q3"), 5, {1, 0, 0, 1}}, /* no licence has no row, either */
	};
	for (int again = 0; again < 2; again++) {
		uint64_t count[4] = {0}, cpus[4] = {0};
		const int kinds[] = {ENTITY_KINDS, ENTITY_KINDS + 1, ENTITY_PARTITION, ENTITY_QOS};
		for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
			struct job job = job_of(i + 1, JOB_PENDING, BIRTH + i);
			job.licenses = jobs[i].licenses;
			job.partitions = jobs[i].partitions;
			job.qos = jobs[i].qos;
			job.cpus = jobs[i].cpus;
			CHECK(job_table_put(cluster.job_table, &job, BIRTH));
			for (int kind = 0; kind < 4; kind++) {
				count[kind] += jobs[i].other[kind];
				cpus[kind] += jobs[i].other[kind] * jobs[i].cpus;
			}
		}
		cluster_show_jobs(&cluster, true);
		cluster_fold(&cluster);
		for (int kind = 0; kind < 4; kind++) {
			const struct job_usage *other = cluster.jobs->others[kinds[kind]];
			CHECK(other);
			CHECK_NUMBER(other->jobs[JOB_PENDING], count[kind]);
			CHECK_NUMBER(other->cpus[PHASE_PENDING], cpus[kind]);
		}
		CHECK_NUMBER(cluster.jobs->others[ENTITY_QOS]->oldest_pending[REASON_STARTABLE], BIRTH + 1);
	}
	buf_done(&many);
	cluster_done(&cluster);
	job_groups_done(&groups);
}

/* Its events, too. */
static void test_events_other(void)
{
	struct world w;
	world_init(&w, true);
	w.caps.kinds[ENTITY_PARTITION].max = 1;
	struct job job = running(1, BIRTH + 10, BIRTH + 20);
	job.partitions = TEXT("p1");
	put_and_look(&w, &job, BIRTH + 20);
	job = job_of(2, JOB_PENDING, BIRTH + 10);
	job.partitions = TEXT("p1,p2,p3");
	put_and_look(&w, &job, BIRTH + 20);
	CHECK_NUMBER(in_partition(&w, "p1", TALLY_SUBMISSIONS, ""), 2);
	CHECK_NUMBER(in_partition(&w, "other", TALLY_SUBMISSIONS, ""), 1);
	world_done(&w);
}

int main(void)
{
	test_rows();
	test_hidden_names();
	test_bounds();
	test_new_definitions();
	test_present();
	test_page();
	test_order();
	test_many_values();
	test_events();
	test_reload();
	test_room();
	test_other();
	test_present_other();
	test_events_other();
	return check_done();
}
