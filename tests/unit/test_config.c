/* Configuration files: what they set, what is wrong with them and where, and several clusters. A configuration that is
 * printed says the same. */
#include "check.h"
#include "config/exposure.h"
#include "config/option.h"
#include "config/setup.h"

#include <stdlib.h>
#include <unistd.h>

static char path[] = "/tmp/test-config-XXXXXX";

static void write_file(const char *text)
{
	FILE *file = fopen(path, "w");
	CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* Options besides the file's, up to a NULL. The error is without the file's name. */
static struct setup *setup_of(const char *text, const char *const *more, bool *ret_is_read, struct error *err)
{
	char option[64];
	char *argv[8] = {(char *)"slurmscope", option, NULL};
	int argc = 2;
	snprintf(option, sizeof option, "--config.file=%s", path);
	for (; more && *more; more++)
		argv[argc++] = (char *)*more;
	write_file(text);
	err->text[0] = '\0';
	struct setup *setup = setup_new(argc, argv, ret_is_read, err);
	size_t len = strlen(path);
	if (strncmp(err->text, path, len) == 0)
		memmove(err->text, err->text + len, strlen(err->text + len) + 1);
	return setup;
}

static void test_refused(void)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{"slurmrestd:\n  uri: x\n",
		 ":2:3: slurmrestd.uri: unknown key; slurmscope --example-config shows all keys"},
		{"slurmrest:\n  url: x\n", ":1:1: slurmrest: unknown key; slurmscope --example-config shows all keys"},
		{"slurmrestd.url: x\n",
		 ":1:1: slurmrestd.url: unknown key; slurmscope --example-config shows all keys"},
		{"web: {config.file: x}\n",
		 ":1:7: web.config.file: unknown key; slurmscope --example-config shows all keys"},
		{"once: true\n", ":1:1: once: unknown key; slurmscope --example-config shows all keys"},
		{"config: {file: x}\n", ":1:1: config: unknown key; slurmscope --example-config shows all keys"},
		{"'': x\n", ":1:1: : unknown key; slurmscope --example-config shows all keys"},
		{"slurmrestd: http://x\n", ":1:13: slurmrestd: expected keys and values"},
		{"slurmrestd: []\n", ":1:13: slurmrestd: expected keys and values"},
		{"- slurmrestd\n", ":1:1: expected keys and values"},
		{"slurmrestd\n", ":1:1: expected keys and values"},
		{"slurmrestd:\n  url:\n", ":2:7: slurmrestd.url: needs a value"},
		{"slurmrestd:\n  url: ~\n", ":2:8: slurmrestd.url: needs a value"},
		{"slurmrestd:\n  url: ''\n", ":2:8: slurmrestd.url: must not be empty"},
		{"slurmrestd:\n  url: [a]\n", ":2:8: slurmrestd.url: expected a single value, not a list"},
		{"slurmrestd:\n  url: {a: b}\n", ":2:8: slurmrestd.url: expected a single value, not keys and values"},
		{"limit:\n  users: many\n", ":2:10: limit.users: many is not a number from 0 to 1000000"},
		{"limit:\n  users: '5'\n", ":2:10: limit.users: expected a number, not a text in quotes"},
		{"limit:\n  users: 1e3\n", ":2:10: limit.users: 1e3 is not a number from 0 to 1000000"},
		{"limit:\n  users: -1\n", ":2:10: limit.users: -1 is not a number from 0 to 1000000"},
		{"budget:\n  slurmctld: 0\n", ":2:14: budget.slurmctld: 0 is not a number above 0, up to 1000"},
		{"budget:\n  slurmctld: .nan\n", ":2:14: budget.slurmctld: .nan is not a number above 0, up to 1000"},
		{"budget:\n  rate-limited: yes\n", ":2:17: budget.rate-limited: expected true or false"},
		{"budget:\n  rate-limited: 'true'\n", ":2:17: budget.rate-limited: expected true or false"},
		{"budget:\n  rate-limited:\n", ":2:16: budget.rate-limited: expected true or false"},
		{"nodes:\n  per-node: some\n", ":2:13: nodes.per-node: some is not one of default, full, off"},
		{"filter:\n  users: '('\n", ":2:10: filter.users: (: Missing ')'"},
		{"interval:\n  nodes: 5 m\n",
		 ":2:10: interval.nodes: 5 m is not a time from 1 to 86400 seconds, such as 90, 90s or 5m"},
		{"interval:\n  nodes: 25h\n",
		 ":2:10: interval.nodes: 25h is not a time from 1 to 86400 seconds, such as 90, 90s or 5m"},
		{"interval:\n  nodes: 1\n  nodes: 2\n", ":3:3: nodes: given twice"},
		{"interval:\n  nodes: 1\ninterval:\n  diag: 2\n", ":3:1: interval: given twice"},
		{"jobs:\n  first-id: 5\n  max-id: 5\n", ":2:13: jobs.first-id: must be less than jobs.max-id"},
		{"slurmrestd:\n  token-file: a\n  jwt-key-file: b\n  user: u\n",
		 ":3:17: slurmrestd.jwt-key-file: cannot be used together with slurmrestd.token-file"},
		{"slurmrestd:\n  ca-file: a\n",
		 ":2:12: slurmrestd.ca-file: is for https:// only, and slurmrestd.url is http://127.0.0.1:6820"},
		{"slurmrestd:\n  url: https://a\n  key-file: b\n",
		 ":3:13: slurmrestd.key-file: needs slurmrestd.cert-file"},
		{"slurmrestd:\n  url: unix:/a\n  proxy: http://b\n",
		 ":3:10: slurmrestd.proxy: is for http:// and https:// only, and slurmrestd.url is unix:/a"},
		{"labels: [a]\n", ":1:9: labels: expected names and values"},
		{"labels:\n  a: [b]\n", ":2:6: labels: expected a text"},
		{"labels:\n  a:\n", ":2:5: labels: expected a text"},
		{"labels:\n  a-b: c\n", ":2:3: labels: a-b is not the name of a label"},
		{"labels:\n  __a: c\n", ":2:3: labels: __a is not the name of a label"},
		{"labels:\n  a: ''\n", ":2:3: labels: a: the value is empty, too long or not UTF-8"},
		{"labels:\n  partition: x\n", ":2:3: labels: partition: metrics already have a label of this name"},
		{"labels:\n  le: x\n", ":2:3: labels: le: metrics already have a label of this name"},
		{"clusters:\n", ":1:10: clusters: expected names of clusters, each with its options"},
		{"clusters: [a]\n", ":1:11: clusters: expected names of clusters, each with its options"},
		{"clusters: {a b: {}}\n", ":1:12: clusters: a b: a name may have only letters, digits, - _ and ."},
		{"clusters:\n  a: x\n", ":2:6: a: expected keys and values"},
		{"clusters:\n  a: {clusters: {}}\n",
		 ":2:7: clusters: unknown key; slurmscope --example-config shows all keys"},
		{"clusters:\n  a:\n    web: {telemetry-path: /m}\n",
		 ":3:11: web.telemetry-path: holds for the whole process and cannot be set for one cluster"},
		{"clusters:\n  a: {}\n  a: {}\n", ":3:3: a: given twice"},
		{"clusters:\n  a: {labels: {cluster: b}}\n",
		 ":2:15: labels: cluster: slurmscope sets this label itself if there are several clusters"},
		{"labels: {cluster: b}\nclusters:\n  a: {}\n",
		 ":1:9: labels: cluster: slurmscope sets this label itself if there are several clusters"},
		{"state: {path: /s}\nclusters:\n  a: {}\n  b: {}\n",
		 ":1:15: state.path: /s is also that of cluster a; each cluster needs its own"},
		{"clusters:\n  a: {}\n  b:\n    jobs: {first-id: 0}\n", ":4:22: jobs.first-id: 0 is not a job ID"},
		{"budget: {start: -1}\n", ":1:17: budget.start: -1 is not a number from 0 on, up to 1000"},
		{"budget: {slurmrestd: 0}\n", ":1:22: budget.slurmrestd: 0 is not a number above 0, up to 1000"},
		{"budget: {slurmrestd: 5%}\n", ":1:22: budget.slurmrestd: 5% is not a number above 0, up to 1000"},
		{"ha: on\n", ":1:5: ha: on is not one of off, follow-controller"},
		{"ha: {host: a}\n", ":1:5: ha: expected a single value, not keys and values"},
		{"ha-host: a\n", ":1:10: ha-host: needs ha: follow-controller"},
		{"ha: follow-controller\nclusters:\n  a: {ha: off, ha-host: b}\n",
		 ":3:25: ha-host: needs ha: follow-controller"},
		{"groups: 5\n", ":1:9: groups: expected a list of groups"},
		{"groups: {name: a}\n", ":1:9: groups: expected a list of groups"},
		{"groups: [a]\n", ":1:10: groups: expected a group: name, by, metrics and limit"},
		{"groups: [{by: [user]}]\n", ":1:10: groups: a group needs name and by"},
		{"groups: [{name: a}]\n", ":1:10: groups: a group needs name and by"},
		{"groups: [{name: A, by: [user]}]\n",
		 ":1:17: groups: a name has up to 32 lower case letters, digits and _, and begins with a letter"},
		{"groups: [{name: _a, by: [user]}]\n",
		 ":1:17: groups: a name has up to 32 lower case letters, digits and _, and begins with a letter"},
		{"groups: [{name: a23456789012345678901234567890123, by: [user]}]\n",
		 ":1:17: groups: a name has up to 32 lower case letters, digits and _, and begins with a letter"},
		{"groups: [{name: [a], by: [user]}]\n",
		 ":1:17: groups: a name has up to 32 lower case letters, digits and _, and begins with a letter"},
		{"groups:\n  - {name: a, by: [user]}\n  - {name: a, by: [qos]}\n",
		 ":3:12: groups: a: a group of this name stands above"},
		{"groups: [{name: a, by: [user], size: 5}]\n",
		 ":1:32: groups: the keys are name, by, metrics and limit"},
		{"groups: [{name: a, by: user}]\n", ":1:24: groups: by: expected a list of one to three labels"},
		{"groups: [{name: a, by: []}]\n", ":1:24: groups: by: expected a list of one to three labels"},
		{"groups: [{name: a, by: [user, qos, account, partition]}]\n",
		 ":1:45: groups: by: more than three labels"},
		{"groups: [{name: a, by: [users]}]\n",
		 ":1:25: groups: users is not one of partition, account, user, qos, name, comment, feature, license, reservation, wckey, nodes, cpus, gpus"},
		{"groups: [{name: a, by: [{label: b}]}]\n",
		 ":1:25: groups: by: needs from, where the label's value comes from"},
		{"groups: [{name: a, by: [{from: name, regexp: b}]}]\n",
		 ":1:38: groups: by: the keys are `label`, `from` and `regex`"},
		{"groups: [{name: a, by: [{from: name, label: state}]}]\n",
		 ":1:25: groups: by: state: metrics have another label of this name"},
		{"groups: [{name: a, by: [{from: name, label: cluster}]}]\n",
		 ":1:25: groups: by: cluster: metrics have another label of this name"},
		{"groups: [{name: a, by: [user, {from: name, label: user}]}]\n",
		 ":1:31: groups: by: user: a label of this name stands above"},
		{"groups: [{name: a, by: [{from: name, regex: '('}]}]\n", ":1:25: groups: (: Missing ')'"},
		{"groups: [{name: a, by: [{from: name, regex: '(a)\\1'}]}]\n",
		 ":1:25: groups: (a)\\1: back references such as \\1 are not supported"},
		{"groups: [{name: a, by: [{from: name, regex: ''}]}]\n",
		 ":1:45: groups: regex: expected a regular expression of up to 256 bytes"},
		{"groups: [{name: a, by: [{from: name, regex: '((a{99}){99}){99}'}]}]\n",
		 ":1:25: groups: ((a{99}){99}){99}: with its counts worked out this is longer than 400 characters"},
		{"groups: [{name: a, by: [user], metrics: []}]\n",
		 ":1:41: groups: metrics: expected a list, such as [jobs, ends]"},
		{"groups: [{name: a, by: [user], metrics: [cpu]}]\n",
		 ":1:42: groups: cpu is not one of jobs, cpus, memory, gpus, ends, waits, runtimes, use"},
		{"groups: [{name: a, by: [user], limit: 0}]\n",
		 ":1:39: groups: limit: expected a number of rows from 1 to 10000"},
		{"groups: [{name: a, by: [user], limit: 10001}]\n",
		 ":1:39: groups: limit: expected a number of rows from 1 to 10000"},
		{"groups: [{name: a, by: [user], limit: '5'}]\n",
		 ":1:39: groups: limit: expected a number of rows from 1 to 10000"},
		{"groups: [{name: a, by: [user], by: [qos]}]\n", ":1:32: by: given twice"},
		{"labels: {project: x}\ngroups: [{name: a, by: [{label: project, from: name}]}]\n",
		 ":1:9: labels: project: a group has a label of this name"},
		{"clusters:\n  a: {groups: [{name: A, by: [user]}]}\n",
		 ":2:23: groups: a name has up to 32 lower case letters, digits and _, and begins with a letter"},
		{"groups: [{name: g0, by: [user]}, {name: g1, by: [user]}, {name: g2, by: [user]}, {name: g3, by: [user]}, {name: g4, by: [user]}, {name: g5, by: [user]}, {name: g6, by: [user]}, {name: g7, by: [user]}, {name: g8, by: [user]}]\n",
		 ":1:202: groups: more than eight groups"},
		{"names: {hashed: users}\n", ":1:17: names.hashed: needs names.hash-key-file"},
		{"names: {hashed: [users, reservations]}\n", ":1:17: names.hashed: needs names.hash-key-file"},
		{"names: {hashed: jobs}\nclusters:\n  a: {names: {hash-key-file: k}}\n  b: {}\n",
		 ":1:17: names.hashed: needs names.hash-key-file"},
		{"clusters:\n  a: {slurmrestd: {jwt-key-file: x}}\n",
		 ":2:34: slurmrestd.jwt-key-file: needs slurmrestd.user"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct error err;
		bool is_read;
		check_row(rows[i].text);
		struct setup *setup = setup_of(rows[i].text, NULL, &is_read, &err);
		CHECK(!is_read);
		CHECK_STRING(err.text, rows[i].want);
		setup_release(setup);
	}
}

/* What is printed reads back as the same; a cluster's own groups take the place of those of all. */
static void test_groups(void)
{
	static const char text[] = "groups:\n"
				   "  - name: project\n"
				   "    by:\n"
				   "      - partition\n"
				   "      - label: campaign\n"
				   "        from: name\n"
				   "        regex: \"([a-z]+)-[0-9]+.*\"\n"
				   "    metrics: [jobs, waits]\n"
				   "    limit: 7\n"
				   "  - name: wk\n"
				   "    by:\n"
				   "      - wckey\n"
				   "      - label: account\n"
				   "        from: account\n"
				   "        regex: \"(.)[a-z]*\"\n"
				   "      - label: kind\n"
				   "        from: comment\n"
				   "    metrics: [jobs, ends]\n"
				   "    limit: 100\n";
	struct buf whole = BUF_INIT, printed = BUF_INIT, list = BUF_INIT;
	struct error err;
	bool is_read;
	buf_printf(&whole, "%sclusters: {a: {}, b: {groups: [{name: own, by: [user]}]}, c: {groups: []}}\n", text);
	struct setup *setup = setup_of(whole.bytes, NULL, &is_read, &err);
	CHECK(is_read && setup->cluster_count == 3);
	setup_print(setup, &printed);
	CHECK(strstr(printed.bytes, text) && strstr(printed.bytes, "\n  a: {}\n"));
	CHECK(strstr(printed.bytes, "\n    groups:\n      - name: own\n        by:\n          - user\n"));
	CHECK(strstr(printed.bytes, "\n  c:\n    groups: []\n"));
	setup_list_metrics(setup, &list);
	CHECK(strstr(list.bytes,
		     "\nslurm_group_project_jobs\tgauge\tpartition,campaign,state\tjobs\t\tJobs of the group project"));
	CHECK(strstr(list.bytes, "\nslurm_group_own_job_ends_total\tcounter\tuser,state\tdbd_jobs\t"));
	CHECK(!strstr(list.bytes, "slurm_group_project_job_cpus"));
	struct setup *again = setup_of(printed.bytes, NULL, &is_read, &err);
	CHECK(is_read);
	buf_clear(&whole);
	setup_print(again, &whole);
	CHECK_STRING(whole.bytes, printed.bytes);
	setup_release(again);
	setup_release(setup);
	buf_done(&whole);
	buf_done(&printed);
	buf_done(&list);
}

static void test_values(void)
{
	struct error err;
	bool is_read;
	static const char *const more[] = {"--interval.diag=7", "--no-budget.rate-limited", "--labels=rack=z", NULL};
	check_row("values");
	struct setup *setup = setup_of("slurmrestd:\n  url: https://host:1\n  ca-file: \"/a b\"\n"
				       "interval: {diag: 5m, nodes: 1h30m, jobs: 90, shares: '2m'}\n"
				       "budget: {rate-limited: true, slurmctld: 0.5}\n"
				       "labels: {site: \"x,y\", rack: q}\n"
				       "jobs: {steps: off}\nfilter: {users: 'a|b'}\n"
				       "limit: \n" /* all below is commented out */
				       "log: {level: debug}\nweb: {telemetry-path: /m}\n",
				       more, &is_read, &err);
	CHECK_STRING(err.text, "");
	CHECK(is_read && setup->cluster_count == 1 && !setup->has_names);
	const struct config *config = &setup->clusters[0];
	CHECK_STRING(config->name, NULL);
	CHECK_STRING(config->slurmrestd_url, "https://host:1");
	CHECK_STRING(config->ca_file, "/a b");
	CHECK_NUMBER(config->interval_s[ENDPOINT_DIAG], 7); /* the command line's */
	CHECK_NUMBER(config->interval_s[ENDPOINT_NODES], 5400);
	CHECK_NUMBER(config->interval_s[ENDPOINT_JOBS], 90);
	CHECK_NUMBER(config->interval_s[ENDPOINT_SHARES], 120);
	CHECK_NUMBER(config->interval_s[ENDPOINT_PING], 30); /* the default */
	CHECK(!config->rate_limited);
	CHECK_NUMBER(config->slurmctld_percent, 0.5);
	CHECK_NUMBER(config->labels.count, 2);
	CHECK_STRING(config->labels.items[1].value, "x,y");
	CHECK_STRING(config->labels.items[0].value, "z");
	CHECK_NUMBER(config->jobs_steps, JOBS_STEPS_OFF);
	CHECK_STRING(config->allow[ENTITY_USER], "a|b");
	CHECK_NUMBER(config->log_level, LOG_LEVEL_DEBUG);
	CHECK_STRING(config->telemetry_path, "/m");
	CHECK(!setup_check(setup, &err));
	CHECK(strstr(err.text, ":3:12: slurmrestd.ca-file: /a b: No such file"));
	setup_release(setup);
}

static void test_empty(void)
{
	static const char *const rows[] = {"",	   "# nothing\n",	  "---\n",
					   "{}\n", "clusters: {a: {}}\n", "clusters:\n  a:\n"};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct error err;
		bool is_read;
		check_row(rows[i]);
		struct setup *setup = setup_of(rows[i], NULL, &is_read, &err);
		CHECK_STRING(err.text, "");
		CHECK_NUMBER(setup->clusters[0].interval_s[ENDPOINT_JOBS], 60);
		setup_release(setup);
	}
}

static void test_clusters(void)
{
	struct error err;
	bool is_read;
	static const char *const more[] = {"--limit.users=3", NULL};
	check_row("clusters");
	struct setup *setup =
		setup_of("interval: {nodes: 10}\nlabels: {site: s}\nlimit: {users: 1, qos: 1}\n"
			 "clusters:\n"
			 "  b-1:\n    interval: {nodes: 20}\n    labels: {rack: r}\n    limit: {users: 2}\n"
			 "  A.2: {state: {path: /x}, ha: follow-controller, ha-host: h}\n",
			 more, &is_read, &err);
	CHECK_STRING(err.text, "");
	CHECK(is_read && setup->has_names);
	CHECK_NUMBER(setup->cluster_count, 2);
	const struct config *b = &setup->clusters[0], *a = &setup->clusters[1];
	CHECK_STRING(b->name, "b-1");
	CHECK_STRING(a->name, "A.2");
	char host[256];
	CHECK(a->ha == HA_FOLLOW_CONTROLLER && b->ha == HA_OFF);
	config_ha_host(a, host, sizeof host);
	CHECK_STRING(host, "h");
	config_ha_host(b, host, sizeof host); /* this machine */
	CHECK(*host);
	CHECK_NUMBER(b->interval_s[ENDPOINT_NODES], 20);
	CHECK_NUMBER(a->interval_s[ENDPOINT_NODES], 10);
	CHECK_NUMBER(b->labels.count, 2);
	CHECK_NUMBER(a->labels.count, 1);
	CHECK_NUMBER(setup->process.labels.count, 1);
	CHECK_NUMBER(b->limit[ENTITY_USER], 3); /* the command line goes before all */
	CHECK_NUMBER(b->limit[ENTITY_QOS], 1);
	CHECK_STRING(a->state_path, "/x");
	CHECK(!b->state_path);
	setup_release(setup);
}

/* As many as may be are read, and one more is refused. */
static void test_as_many_as_may_be(void)
{
	static const struct {
		const char *what, *head, *one, *tail; /* `one` may have its number */
		size_t most;
		const char *want;
	} rows[] = {
		{"addresses", "web:\n  listen-address:\n", "  - :9%03zu\n", "", CONFIG_LIST_MAX, "more than 16 values"},
		{"labels", "labels:\n", "  l%zu: x\n", "", CONFIG_LABELS_MAX, "more than 16 labels"},
		{"a label's name", "labels: {", "a", ": x}\n", CONFIG_LABEL_BYTES - 1, "is not the name of a label"},
		{"a label's value", "labels: {a: ", "b", "}\n", 255, "the value is empty, too long"},
		{"clusters", "clusters:\n", "  c%zu: {}\n", "", CLUSTERS_MAX, "more than 64 clusters"},
		{"a cluster's name", "clusters: {", "a", ": {}}\n", 64, "a name may have only letters"},
		{"groups", "groups:\n", "  - {name: g%zu, by: [user]}\n", "", JOB_GROUPS_MAX, "more than eight groups"},
		{"a group's name", "groups: [{name: ", "a", ", by: [user]}]\n", GROUP_NAME_MAX, "a name has up to 32"},
		{"a group's labels", "groups:\n  - name: a\n    by:\n", "      - {label: l%zu, from: user}\n", "",
		 GROUP_LABELS_MAX, "more than three labels"},
		{"a regex", "groups: [{name: a, by: [{label: l, from: name, regex: (", "a", ")}]}]\n",
		 GROUP_REGEX_MAX - 2, "of up to 256 bytes"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (size_t more = 0; more < 2; more++) {
			struct error err;
			bool is_read;
			struct buf text = BUF_INIT;
			buf_add_string(&text, rows[i].head);
			for (size_t number = 0; number < rows[i].most + more; number++) {
				const char *at = strchr(rows[i].one, '%');
				char one[64];
				snprintf(one, sizeof one, "%zu", number);
				buf_add(&text, rows[i].one, at ? (size_t)(at - rows[i].one) : strlen(rows[i].one));
				buf_add_string(&text, at ? one : "");
				buf_add_string(&text, at ? at + 3 : "");
			}
			buf_add_string(&text, rows[i].tail);
			check_row(rows[i].what);
			struct setup *setup = setup_of(text.bytes, NULL, &is_read, &err);
			CHECK(is_read == !more);
			CHECK(more ? strstr(err.text, rows[i].want) != NULL : !*err.text);
			setup_release(setup);
			buf_done(&text);
		}
}

/* The largest and the least that may be. */
static void test_edges(void)
{
	static const char *const rows[][2] = {
		{"limit: {users: 1000000}\n", ""},
		{"limit: {users: 0}\n", ""},
		{"limit: {users: 1000001}\n", ":1:16: limit.users: 1000001 is not a number from 0 to 1000000"},
		{"budget: {slurmctld: 1000, start: 0}\n", ""},
		{"budget: {slurmctld: 1000.1}\n",
		 ":1:21: budget.slurmctld: 1000.1 is not a number above 0, up to 1000"},
		{"groups: [{name: a, by: [user], limit: 10000}]\n", ""},
		{"groups: [{name: a, by: [user], limit: 10001}]\n",
		 ":1:39: groups: limit: expected a number of rows from 1 to 10000"},
		{"jobs: {first-id: 1, max-id: 4294967295}\n", ""},
		{"jobs: {max-id: 4294967296}\n", ":1:16: jobs.max-id: 4294967296 is not a job ID"},
		{"web: {audit-log: true}\nlog: {level: info}\n", ""},
		{"web: {audit-log: true}\nlog: {level: warn}\n", ":1:18: web.audit-log: needs log.level info or debug"},
		{"web: {telemetry-path: /m}\n", ""},
		{"web: {telemetry-path: /}\n",
		 ":1:23: web.telemetry-path: / must begin with / and differ from the paths of other pages"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct error err;
		bool is_read;
		check_row(rows[i][0]);
		struct setup *setup = setup_of(rows[i][0], NULL, &is_read, &err);
		CHECK(is_read == !*rows[i][1]);
		CHECK_STRING(err.text, rows[i][1]);
		setup_release(setup);
	}
}

/* What is hashed is what is named, and nothing that is not. */
static void test_hashed(void)
{
	static const struct {
		const char *hashed;
		unsigned bits;
	} rows[] = {
		{"", 1 << HASHED_USERS | 1 << HASHED_RESERVATIONS},
		{", hashed: jobs", 1 << HASHED_JOBS},
		{", hashed: [accounts, users]", 1 << HASHED_ACCOUNTS | 1 << HASHED_USERS},
		{", hashed: 'jobs,reasons'", 1 << HASHED_JOBS | 1 << HASHED_REASONS},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (int again = 0; again < 2; again++) {
			static struct buf printed = BUF_INIT;
			char text[100];
			struct error err;
			bool is_read;
			check_row(rows[i].hashed);
			snprintf(text, sizeof text, "names: {hash-key-file: k%s}\n", rows[i].hashed);
			struct setup *setup = setup_of(again ? printed.bytes : text, NULL, &is_read, &err);
			CHECK_STRING(err.text, "");
			CHECK_NUMBER(config_hashed(&setup->clusters[0]), rows[i].bits);
			buf_clear(&printed);
			if (!again)
				setup_print(setup, &printed);
			else
				buf_done(&printed);
			setup_release(setup);
		}
}

static void test_whose_value_is_wrong(void)
{
	static const char text[] = "jobs: {first-id: 5, max-id: 5}\n";
	static const char *const more[] = {"--jobs.first-id=20", NULL};
	struct error err;
	bool is_read;
	check_row("the file's");
	setup_release(setup_of(text, NULL, &is_read, &err));
	CHECK_STRING(err.text, ":1:18: jobs.first-id: must be less than jobs.max-id");
	check_row("the command line's, which goes before it");
	setup_release(setup_of(text, more, &is_read, &err));
	CHECK_STRING(err.text, "--jobs.first-id: must be less than jobs.max-id");
}

/* Everything that has a value, and that is none of the defaults. */
static const char *const whole =
	"labels: {a: b, c: \"d, e\"}\n"
	"slurmrestd: {url: \"https://x:1\", ca-file: a, cert-file: b, key-file: c, server-name: d, proxy: http://e,\n"
	"  user: u, api-version: v0.0.42, token-file: t, timeout: 61}\n"
	"jobs: {read: list, ends: slurmctld, steps: off, rows: 9, first-id: 2, max-id: 3}\n"
	"state: {path: \"/with \\\"quotes\\\"\\n\"}\n"
	"budget: {slurmrestd: 0.1, slurmctld: 33.333333, rate-limited: true}\n"
	"filter: {users: \"^(a|b)$\", users-deny: '#', qos: \"a: b\"}\n"
	"interval: {nodes: 86400, diag: 3601}\n"
	"web: {listen-address: \"[::1]:1\"}\nlog: {format: json}\n"
	"clusters:\n  one: {interval: {nodes: 5s}, state: {path: o}, labels: {c: x}}\n  two: {}\n";

static void test_print(void)
{
	struct error err;
	bool is_read;
	struct buf first = BUF_INIT, second = BUF_INIT;
	check_row("print");
	struct setup *setup = setup_of(whole, NULL, &is_read, &err);
	CHECK_STRING(err.text, "");
	setup_print(setup, &first);
	struct setup *again = setup_of(first.bytes, NULL, &is_read, &err);
	CHECK_STRING(err.text, "");
	setup_print(again, &second);
	CHECK_STRING(second.bytes, first.bytes);
	for (size_t i = 0; i < option_count; i++) {
		check_row(option_table[i].name);
		CHECK(option_is_command(&option_table[i]) ||
		      option_is_same(&setup->process, &again->process, &option_table[i]));
		for (size_t c = 0; c < 2; c++)
			CHECK(option_is_command(&option_table[i]) ||
			      option_is_same(&setup->clusters[c], &again->clusters[c], &option_table[i]));
	}
	check_row("print");
	static const char *const wanted[] = {"slurmctld: 33.333333\n",
					     "slurmrestd: 0.1\n",
					     "rate-limited: true\n",
					     "timeout: 61s\n",
					     "url: \"https://x:1\"\n",
					     "read: list\n",
					     "rows: 9\n",
					     "first-id: 2\n",
					     "labels: {a: b, c: \"d, e\"}\n"};
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
		CHECK(strstr(first.bytes, wanted[i]));
	CHECK(!strstr(first.bytes, "groups"));
	CHECK(strstr(first.bytes, "  diag: 3601s\n") && strstr(first.bytes, "  nodes: 24h\n"));
	CHECK(strstr(first.bytes, "\nclusters:\n  one:\n    labels: {a: b, c: x}\n    state:\n      path: o\n"
				  "    interval:\n      nodes: 5s\n  two: {}\n"));
	buf_done(&first);
	buf_done(&second);
	setup_release(setup);
	setup_release(again);
}

/* The example says the defaults, and every option stands in it. */
static void test_example(void)
{
	struct error err;
	bool is_read;
	struct buf example = BUF_INIT, got = BUF_INIT, want = BUF_INIT;
	check_row("example");
	config_example(&example);
	struct setup *setup = setup_of(example.bytes, NULL, &is_read, &err);
	CHECK_STRING(err.text, "");
	setup_print(setup, &got);
	setup_release(setup);
	setup = setup_of("", NULL, &is_read, &err);
	setup_print(setup, &want);
	CHECK_STRING(got.bytes, want.bytes);
	for (size_t i = 0; i < option_count; i++) {
		const char *last = strrchr(option_table[i].name, '.');
		char line[64];
		check_row(option_table[i].name);
		if (last)
			snprintf(line, sizeof line, " %s: ", last + 1);
		else
			snprintf(line, sizeof line, "%s: ", option_table[i].name);
		CHECK(option_is_command(&option_table[i]) || strstr(example.bytes, line));
	}
	for (const char *at = example.bytes, *end; (end = strchr(at, '\n')); at = end + 1)
		CHECK(end - at <= 110 && (end == at || end[-1] != ' '));
	setup_release(setup);
	buf_done(&example);
	buf_done(&got);
	buf_done(&want);
}

static void test_times(void)
{
	static const struct {
		const char *text;
		uint64_t seconds; /* 0: refused */
	} rows[] = {
		{"1", 1},
		{"1s", 1},
		{"90s", 90},
		{"5m", 300},
		{"1h", 3600},
		{"1d", 86400},
		{"24h", 86400},
		{"1h1m1s", 3661},
		{"86400", 86400},
		{"86401", 0},
		{"0", 0},
		{"0s", 0},
		{"", 0},
		{"s", 0},
		{"1s1m", 0},
		{"1m1m", 0},
		{"-1", 0},
		{"1.5m", 0},
		{"5M", 0},
		{"1w", 0},
		{" 1", 0},
		{"1 ", 0},
		{"1s ", 0},
		{"18446744073709551617s", 0},
		{"99999999999d", 0},
		{"213503982334602d", 0}, /* 61184 in 64 bits */
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct config config = {.timeout_s = 0};
		struct error err;
		const struct option_row *row = option_find("slurmrestd.timeout", strlen("slurmrestd.timeout"));
		check_row(rows[i].text);
		CHECK(option_set(&config, row, rows[i].text, &err) == (rows[i].seconds != 0));
		CHECK_NUMBER(config.timeout_s, rows[i].seconds);
	}
}

static void test_no_file(void)
{
	struct error err = {""};
	bool is_read;
	char *argv[] = {(char *)"slurmscope", (char *)"--config.file=/nowhere/x.yml", NULL, NULL};
	check_row("no file");
	struct setup *setup = setup_new(2, argv, &is_read, &err);
	CHECK(!is_read);
	CHECK_STRING(err.text, "/nowhere/x.yml: No such file or directory");
	setup_release(setup);
	argv[2] = (char *)"--help"; /* tells in spite of it */
	setup = setup_new(3, argv, &is_read, &err);
	CHECK(is_read && setup->process.help);
	setup_release(setup);
}

/* Who else could come by the token, and by the key. */
static void test_exposure(void)
{
#define TOKEN "token-file: /t"
#define KEY "jwt-key-file: /k, user: u"
	static const struct {
		const char *url, *secret, *web;
		enum exposure token;
		bool key;
	} rows[] = {
		{"unix:/run/s", TOKEN, "", EXPOSURE_NONE, false},
		{"https://rest:6820", TOKEN, "", EXPOSURE_NONE, false},
		{"http://rest:6820", "timeout: 5", "", EXPOSURE_NONE, false},
		{"http://rest:6820", TOKEN, "", EXPOSURE_NETWORK, false},
		{"HTTP://rest/", TOKEN, "", EXPOSURE_NETWORK, false},
		{"http://10.0.0.1:6820", TOKEN, "", EXPOSURE_NETWORK, false},
		{"http://localhost.example:6820", TOKEN, "", EXPOSURE_NETWORK, false},
		{"http://127.example:6820", TOKEN, "", EXPOSURE_NETWORK, false},
		{"http://[2001:db8::1]:6820", TOKEN, "", EXPOSURE_NETWORK, false},
		{"http://127.0.0.1:6820", TOKEN, "", EXPOSURE_MACHINE, false},
		{"http://127.8.8.8", TOKEN, "", EXPOSURE_MACHINE, false},
		{"http://LocalHost:6820/", TOKEN, "", EXPOSURE_MACHINE, false},
		{"http://[::1]:6820", TOKEN, "", EXPOSURE_MACHINE, false},
		{"http://localhost", TOKEN, "", EXPOSURE_MACHINE, false},
		{"http://localhost/slurm", TOKEN, "", EXPOSURE_MACHINE, false},
		{"http://127.0.0.1?x=:1", TOKEN, "", EXPOSURE_MACHINE, false},
		{"http://127.0.0.1#:1", TOKEN, "", EXPOSURE_MACHINE, false},
		{"http://[::1]/slurm", TOKEN, "", EXPOSURE_MACHINE, false},
		{"http://rest/localhost:1", TOKEN, "", EXPOSURE_NETWORK, false},
		{"http://localhost:6820", TOKEN ", proxy: 'http://gate:3128'", "", EXPOSURE_NETWORK, false},
		{"http://localhost:6820", TOKEN ", proxy: 'http://localhost:3128'", "", EXPOSURE_MACHINE, false},
		{"http://rest:6820", TOKEN ", proxy: 'http://localhost:3128'", "", EXPOSURE_NETWORK, false},
		{"http://rest:6820", KEY, "", EXPOSURE_NETWORK, true},
		{"unix:/run/s", KEY, "", EXPOSURE_NONE, true},
		{"unix:/run/s", KEY, "listen-address: ['unix:/w', '127.0.0.1:1', '[::1]:1']", EXPOSURE_NONE, false},
		{"unix:/run/s", KEY, "listen-address: ['unix:/w', '[::]:1']", EXPOSURE_NONE, true},
		{"unix:/run/s", KEY, "listen-address: 'ctl1:1'", EXPOSURE_NONE, true},
		{"unix:/run/s", KEY, "systemd-socket: true", EXPOSURE_NONE, false},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char text[512];
		struct error err;
		bool is_read;
		check_row(rows[i].url);
		snprintf(text, sizeof text, "slurmrestd: {url: '%s', %s}\nweb: {%s}\n", rows[i].url, rows[i].secret,
			 rows[i].web);
		struct setup *setup = setup_of(text, NULL, &is_read, &err);
		CHECK_STRING(err.text, "");
		CHECK_NUMBER(exposure_of_token(&setup->clusters[0]), rows[i].token);
		CHECK_NUMBER(exposure_of_key(&setup->clusters[0]), rows[i].key);
		setup_release(setup);
	}
	check_row("--once serves nobody, but sends its token all the same");
	static const char text[] = "slurmrestd: {url: 'http://rest:6820', " KEY "}\nweb: {listen-address: 'ctl1:1'}\n";
	struct error err;
	bool is_read;
	struct setup *setup = setup_of(text, (const char *const[]){"--once", NULL}, &is_read, &err);
	CHECK_STRING(err.text, "");
	CHECK_NUMBER(exposure_of_token(&setup->clusters[0]), EXPOSURE_NETWORK);
	CHECK(!exposure_of_key(&setup->clusters[0]));
	setup_release(setup);
}

int main(void)
{
	close(mkstemp(path));
	test_refused();
	test_groups();
	test_values();
	test_empty();
	test_clusters();
	test_as_many_as_may_be();
	test_edges();
	test_hashed();
	test_whose_value_is_wrong();
	test_print();
	test_example();
	test_times();
	test_no_file();
	test_exposure();
	unlink(path);
	return check_done();
}
