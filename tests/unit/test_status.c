/* What people read: the words, the verdicts, and that no text of Slurm's becomes markup. */
#include "check.h"
#include "seen.h"

#include "base/quote.h"
#include "base/words.h"
#include "status/findings.h"
#include "status/frame.h"
#include "status/html.h"
#include "status/pages.h"

#include <math.h>
#include <stdlib.h>

static void test_words(void)
{
	static const struct {
		double seconds;
		const char *words;
	} times[] = {{-1, "0 ms"},   {0.0123, "12 ms"}, {1.54, "1.5 s"},     {9.96, "10 s"},	{119, "119 s"},
		     {420, "7 min"}, {7200, "2 h"},	{47 * 3600, "47 h"}, {4 * 86400, "4 d"}};
	for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
		check_row(times[i].words);
		CHECK_STRING(words_seconds(times[i].seconds).text, times[i].words);
	}
	check_row("words");
	CHECK_STRING(words_number(0).text, "0");
	CHECK_STRING(words_number(999).text, "999");
	CHECK_STRING(words_number(1000).text, "1,000");
	CHECK_STRING(words_number(UINT64_MAX).text, "18,446,744,073,709,551,615");
	CHECK_STRING(words_count(1, "job").text, "1 job");
	CHECK_STRING(words_count(1234, "job").text, "1,234 jobs");
	CHECK_STRING(words_bytes(512).text, "512 B");
	CHECK_STRING(words_bytes(1.5 * 1024).text, "1.5 KiB");
	CHECK_STRING(words_bytes(159e12).text, "145 TiB");
	CHECK_STRING(words_share(0).text, "0 %");
	CHECK_STRING(words_share(0.0012).text, "0.12 %");
	CHECK_STRING(words_share(0.996).text, "100 %");
	CHECK_STRING(words_time(1795219200).text, "2026-11-21 00:00:00 UTC");
}

static void test_quotes(void)
{
	static const struct {
		const char *name;
		struct text text;
		const char *json, *html;
	} rows[] = {
		{"plain", {"a b", 3}, "\"a b\"", "a b"},
		{"markup", {"<b>\"&'\\", 7}, "\"<b>\\\"&'\\\\\"", "&lt;b&gt;&#34;&amp;&#39;\\"},
		{"control", {"a\n\x01\x7f", 4}, "\"a\\u000a\\u0001\\u007f\"", "a\n\xef\xbf\xbd\xef\xbf\xbd"},
		{"tab", {"a\tb", 3}, "\"a\\u0009b\"", "a\tb"},
		{"NUL",
		 {"a\0b", 3},
		 "\"a\\u0000b\"",
		 "a\xef\xbf\xbd"
		 "b"},
		{"UTF-8", {"\xc3\xbc", 2}, "\"\xc3\xbc\"", "\xc3\xbc"},
		{"cut", {"\xc3", 1}, "\"\xef\xbf\xbd\"", "\xef\xbf\xbd"},
		{"surrogate",
		 {"\xed\xa0\x80!", 4},
		 "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd!\"",
		 "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd!"},
		{"empty", {"", 0}, "\"\"", NULL},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct buf json = BUF_INIT, html = BUF_INIT;
		check_row(rows[i].name);
		quote_json(&json, rows[i].text);
		quote_html(&html, rows[i].text);
		CHECK_STRING(json.bytes, rows[i].json);
		CHECK_STRING(html.bytes, rows[i].html);
		buf_done(&json);
		buf_done(&html);
	}
	struct buf html = BUF_INIT;
	HTML(&html, "<a href=\"%\">%</a>%", "x\"y", "<", "");
	CHECK_STRING(html.bytes, "<a href=\"x&#34;y\">&lt;</a>");
	buf_done(&html);
}

enum { NOW = 1800000000, ENDPOINT_COUNT = 3 };

/* A cluster and an exporter that are well. */
struct world {
	struct status *status;
	struct status_controller controllers[2];
	struct status_count states[2], flags[2];
	struct status_endpoint endpoints[ENDPOINT_COUNT];
	struct status_site site;
};

static void begin(struct world *world)
{
	static const char *const names[] = {"ping", "diag", "nodes"};
	*world = (struct world){
		.status = status_new(NOW - 5),
		.controllers = {{"ctl1", true, ANSWER_YES, 0.001}, {"ctl2", false, ANSWER_YES, -1}},
		.states = {{"idle", 990}, {"down", 0}},
		.flags = {{"drained", 0}, {"draining", 0}},
		.site = {.now = NOW,
			 .configuration = {true, true, NOW - 60, NULL},
			 .certificate_expiry = NOW + 30 * 86400},
	};
	struct status *status = world->status;
	for (int i = 0; i < ENDPOINT_COUNT; i++)
		world->endpoints[i] = (struct status_endpoint){.name = names[i],
							       .standing = STANDING_UP,
							       .is_kept = true,
							       .is_held = true,
							       .last_success = NOW - 30,
							       .held_until = NOW + 270};
	status->url = "http://rest:6820";
	status->controllers = world->controllers;
	status->controller_count = 2;
	status->is_accounting_up = ANSWER_YES;
	status->nodes = (struct status_nodes){
		.is_known = true, .total = 1000, .states = {world->states, 2}, .flags = {world->flags, 2}};
	status->jobs = (struct status_jobs){.is_known = true, .has_details = true, .oldest_startable = NOW - 60};
	status->scheduler = (struct status_scheduler){true, 4, 0, 0};
	status->endpoints = world->endpoints;
	status->endpoint_count = ENDPOINT_COUNT;
	status->token = (struct status_token){.source = "file", .user = "scope", .expiry = NOW + 3600};
	status->state_file.path = "/var/lib/state";
	status->coverage = 1;
}

static void fail_endpoint(struct world *world, int which, const char *error)
{
	struct status_endpoint *endpoint = &world->endpoints[which];
	endpoint->standing = STANDING_DOWN;
	endpoint->failing_since = endpoint->error_time = NOW - 120;
	endpoint->error = error;
}

static void well(struct world *world)
{
	(void)world;
}
static void backup_down(struct world *world)
{
	world->controllers[1].is_up = ANSWER_NO;
}
static void failed_over(struct world *world)
{
	world->controllers[0].is_up = ANSWER_NO;
}
static void all_down(struct world *world)
{
	world->controllers[0].is_up = world->controllers[1].is_up = ANSWER_NO;
}
static void not_known(struct world *world)
{
	world->controllers[0].is_up = world->controllers[1].is_up = ANSWER_UNKNOWN;
}
static void one_not_known(struct world *world)
{
	world->controllers[1].is_up = ANSWER_UNKNOWN;
}
static void nobody_said(struct world *world)
{
	world->status->controller_count = 0;
}
static void no_slurmdbd(struct world *world)
{
	world->status->is_accounting_up = ANSWER_NO;
}
static void few_down(struct world *world)
{
	world->states[1].count = 20;
}
static void many_down(struct world *world)
{
	world->states[1].count = 21;
}
static void nodes_down(struct world *world)
{
	world->states[1].count = 1000;
}
static void drained(struct world *world)
{
	world->flags[0].count = 1;
	world->flags[1].count = 2;
}
static void starving(struct world *world)
{
	world->status->jobs.oldest_startable = NOW - 4 * 86400;
}
static void starving_unknown(struct world *world)
{
	starving(world);
	world->status->jobs.has_details = false;
}
static void unverified(struct world *world)
{
	starving(world);
	world->status->jobs.unverified_as_of = NOW - 180;
}
static void no_threads(struct world *world)
{
	world->status->scheduler.threads = 240;
}
static void dbd_queue(struct world *world)
{
	world->status->scheduler.dbd_queue = 5000;
}

static void refused(struct world *world, double expiry)
{
	fail_endpoint(world, 1, "HTTP 511");
	world->endpoints[1].is_refused = true;
	world->status->token.expiry = expiry;
	world->status->not_ready = "x";
}
static void bad_token(struct world *world)
{
	refused(world, NOW + 3600);
}
static void expired(struct world *world)
{
	refused(world, NOW - 600);
}
static void no_token(struct world *world)
{
	refused(world, 0);
	world->status->token = (struct status_token){.source = "none"};
}
static void expires(struct world *world)
{
	world->status->token.expiry = NOW + 120;
}
static void expired_unnoticed(struct world *world)
{
	world->status->token.expiry = NOW - 120;
}
static void cut_off(struct world *world)
{
	fail_endpoint(world, 0, "Connection refused");
	fail_endpoint(world, 1, "Connection refused");
	world->status->is_cut_off = true;
}
static void one_fails(struct world *world)
{
	fail_endpoint(world, 2, "HTTP 500");
}
static void one_too_old(struct world *world)
{
	one_fails(world);
	world->endpoints[2].is_held = false;
}
static void one_never(struct world *world)
{
	one_fails(world);
	world->endpoints[2].last_success = 0;
}
static void answers_too_seldom(struct world *world)
{
	world->endpoints[2].is_too_old = true;
	world->endpoints[2].is_held = false;
}
static void forbidden(struct world *world)
{
	world->endpoints[2].standing = STANDING_NOT_ALLOWED;
}
static void not_served(struct world *world)
{
	world->endpoints[2].standing = STANDING_NOT_SERVED;
}
static void begun(struct world *world)
{
	world->status->not_ready = "not asked yet: nodes";
}
static void no_state(struct world *world)
{
	world->status->state_file.path = NULL;
}
static void state_hidden(struct world *world)
{
	world->status->state_file.is_failing = world->status->state_file.is_hidden = true;
	world->status->state_file.error = "held";
}
static void state_fails(struct world *world)
{
	world->status->state_file.is_failing = true;
	world->status->state_file.error = "disk full";
}
static void lost(struct world *world)
{
	world->status->events_lost = 1;
}
static void ends_behind(struct world *world)
{
	world->status->ends_known_until = NOW - 7200;
	world->status->endpoints[0].name = "dbd_jobs";
}
static void ends_behind_a_little(struct world *world)
{
	ends_behind(world);
	world->status->ends_known_until = NOW - 1200;
}
static void ends_behind_without_slurmdbd(struct world *world)
{
	world->status->ends_known_until = NOW - 7200;
}
static void slurmdbd_left(struct world *world)
{
	world->status->is_slurmdbd_left = true;
}
static void no_details(struct world *world)
{
	static struct status_count states[] = {{"pending", 11000}, {"running", 1000}};
	world->status->jobs.states = (struct status_counts){states, 2};
	world->status->jobs.without_details = 1200;
}
static void no_details_of_many(struct world *world)
{
	no_details(world);
	world->status->jobs.without_details = 1201;
}
static void low_coverage(struct world *world)
{
	world->status->coverage = 0.5;
}
static void no_coverage(struct world *world)
{
	world->status->coverage = -1;
}
static void follow(struct world *world, bool is_standby, const char *serving)
{
	world->status->role =
		(struct status_role){.follows = true, .is_standby = is_standby, .host = "ctl2", .serving = serving};
}
static void leads(struct world *world)
{
	follow(world, false, "ctl2");
}
static void stands_by(struct world *world)
{
	follow(world, true, "ctl1");
}
static void stands_by_blind(struct world *world)
{
	follow(world, true, NULL);
}
static void waits(struct world *world)
{
	follow(world, true, "ctl2");
	world->status->role.waits_for = "f: another process has it (ctl1)";
}
static void unnamed(struct world *world)
{
	follow(world, true, "ctl1");
	world->status->role.is_unnamed = true;
}
static void no_expiry(struct world *world)
{
	world->status->token.expiry = 0;
}
static void in_clear(struct world *world)
{
	world->status->token.is_in_clear = true;
}
static void in_clear_here(struct world *world)
{
	world->status->token.is_in_clear_here = true;
}
static void key_exposed(struct world *world)
{
	world->status->token.is_key_exposed = true;
}
static void no_certificate(struct world *world)
{
	world->site.certificate_expiry = 0;
}
static void busy(struct world *world)
{
	world->status->brake = 4;
}
static void bad_config(struct world *world)
{
	world->site.configuration = (struct status_configuration){true, false, NOW - 60, "line 3: no"};
}
static void bad_web_config(struct world *world)
{
	world->site.web_configuration = (struct status_configuration){true, false, NOW - 60, "no such file"};
}
static void certificate_expires(struct world *world)
{
	world->site.certificate_expiry = NOW + 86400;
}
static void certificate_expired(struct world *world)
{
	world->site.certificate_expiry = NOW - 60;
}

/* Nothing yet, but a little more would be. */
static void just_well(struct world *world)
{
	world->status->jobs.oldest_startable = NOW - 3 * 86400;
	world->status->scheduler.threads = 204;
	world->status->scheduler.dbd_queue = 1000;
	world->status->token.expiry = NOW + 240;
	world->site.certificate_expiry = NOW + 7 * 86400;
	world->status->coverage = 0.99;
	ends_behind(world);
	world->status->ends_known_until = NOW - 1800;
	world->status->brake = 1;
}
static void token_just_short(struct world *world)
{
	world->status->token.expiry = NOW + 239;
}
static void token_just_expired(struct world *world)
{
	world->status->token.expiry = NOW;
}
static void certificate_just_expired(struct world *world)
{
	world->site.certificate_expiry = NOW;
}
static void threads_just_short(struct world *world)
{
	world->status->scheduler.threads = 205;
}
static void one_in_error(struct world *world)
{
	world->states[1] = (struct status_count){"error", 1};
}
static void no_details_yet(struct world *world)
{
	no_details_of_many(world);
	begun(world);
}
static void state_hidden_nobody_knows_why(struct world *world)
{
	state_hidden(world);
	world->status->state_file.error = NULL;
}
static void no_web_config(struct world *world)
{
	world->site.web_configuration = (struct status_configuration){false, false, 0, "none"};
}

static void test_findings(void)
{
	static const struct {
		const char *name;
		void (*change)(struct world *world);
		const char *cluster, *exporter; /* the verdicts */
		const char *text; /* of a finding; NULL: there is none */
	} rows[] = {
		{"well", well, "well", "well", NULL},
		{"backup down", backup_down, "warning", "well", "The backup slurmctld on ctl2 is down."},
		{"failed over", failed_over, "warning", "well",
		 "The primary slurmctld on ctl1 is down; ctl2 has taken over."},
		{"slurmctld down", all_down, "bad", "well",
		 "No slurmctld answers: no job starts, and Slurm's commands fail."},
		{"nobody knows", not_known, "unknown", "well", "It is not known whether slurmctld is up."},
		{"of one nobody knows", one_not_known, "well", "well", NULL},
		{"nobody said", nobody_said, "unknown", "well", "It is not known whether slurmctld is up."},
		{"slurmdbd down", no_slurmdbd, "warning", "well",
		 "slurmdbd does not answer: there is no accounting, and the limits shown become old."},
		{"few nodes down", few_down, "well", "well", "20 of 1,000 nodes are down."},
		{"many nodes down", many_down, "warning", "well", "21 of 1,000 nodes are down."},
		{"all nodes down", nodes_down, "bad", "well", "All 1,000 nodes are down."},
		{"drained", drained, "well", "well", "1 node is drained."},
		{"draining", drained, "well", "well", "2 nodes are draining: still busy, and then out of use."},
		{"starving", starving, "warning", "well", "A job has waited 4 d only for its turn and free resources."},
		{"starving, as far as is known", starving_unknown, "well", "well", NULL},
		{"from before the start", unverified, "well", "unknown",
		 "The page shows jobs as they were 3 min ago, before this start: slurmscope has not read all their "
		 "states yet."},
		{"threads", no_threads, "warning", "well", "slurmctld is short of threads: 240 of 256 are busy."},
		{"queue", dbd_queue, "warning", "well",
		 "slurmctld has 5,000 messages that slurmdbd has not taken yet."},
		{"bad token", bad_token, "well", "bad", "slurmrestd does not accept the token of scope: HTTP 511"},
		{"expired token", expired, "well", "bad",
		 "The token of scope expired 10 min ago: slurmrestd refuses all requests until there is a new one."},
		{"no token", no_token, "well", "bad", "slurmrestd requires a token, and none is configured: HTTP 511"},
		{"token expires", expires, "well", "warning",
		 "The token of scope expires in 2 min, and there is no newer one."},
		{"token that says no end", no_expiry, "well", "well", NULL},
		{"token expired, nobody noticed", expired_unnoticed, "well", "warning",
		 "The token of scope expired 2 min ago, and there is no newer one."},
		{"token on a network", in_clear, "well", "warning",
		 "The token goes over the network in clear: anyone who reads it there can act as its user. "
		 "--slurmrestd.url should be https:// or unix:/path."},
		{"token on a port of this machine", in_clear_here, "well", "well",
		 "While slurmrestd does not run, any user of this machine can answer in its place, and get the token. "
		 "unix:/path in --slurmrestd.url prevents that."},
		{"key beside a listener", key_exposed, "well", "warning",
		 "slurmscope can read the key that signs tokens for everybody, and listens for other machines: "
		 "--slurmrestd.token-file is safer."},
		{"cut off", cut_off, "well", "bad",
		 "slurmrestd at http://rest:6820 has not answered for 2 min: Connection refused"},
		{"one fails", one_fails, "well", "warning",
		 "nodes has failed for 2 min; the page shows its last numbers for another 4 min: HTTP 500"},
		{"one answers, but too seldom", answers_too_seldom, "well", "warning",
		 "nodes answers, but its numbers are too old to show."},
		{"one fails for long", one_too_old, "well", "warning",
		 "nodes has failed for 2 min; the page does not show its numbers any more: HTTP 500"},
		{"one never answered", one_never, "well", "warning",
		 "nodes has failed for 2 min; it never answered: HTTP 500"},
		{"forbidden", forbidden, "well", "well", "nodes: the token's user may not see this."},
		{"not served", not_served, "well", "well", NULL},
		{"begun", begun, "well", "unknown", "slurmscope does not know everything yet: not asked yet: nodes."},
		{"no state file", no_state, "well", "well",
		 "Counters of job events begin at 0 with each start: no --state.path is set."},
		{"state file cannot be read", state_hidden, "well", "warning",
		 "The page has no counters of job events until slurmscope can read the state file: held"},
		{"state file fails", state_fails, "well", "warning",
		 "slurmscope cannot write the state file, and would lose the new counts at its end: disk full"},
		{"events lost", lost, "well", "well",
		 "slurmscope could not learn how 1 job ended, and does not count "
		 "that."},
		{"ends behind", ends_behind, "well", "warning",
		 "Jobs that ended within the last 2 h are not counted yet: more end than the budget can read (raise "
		 "--budget.slurmrestd), or slurmdbd learns of them late."},
		{"ends a little behind", ends_behind_a_little, "well", "well", NULL},
		{"ends behind, but nobody could tell of them", ends_behind_without_slurmdbd, "well", "well", NULL},
		{"slurmdbd is gone for hours", slurmdbd_left, "well", "warning",
		 "slurmdbd has not reported ends of jobs for hours: slurmscope counts them from slurmctld, and misses "
		 "the shortest jobs. It counts earlier ends if slurmdbd comes back within a week."},
		{"no details", no_details, "well", "well", "slurmscope knows only the state of 1,200 jobs so far."},
		{"no details of many", no_details_of_many, "well", "warning",
		 "Numbers by user, account, partition and QOS lack 1,201 jobs: slurmscope knows only their state, and "
		 "is asking for the details."},
		{"coverage", low_coverage, "well", "well",
		 "slurmscope knows 50 % of the jobs that slurmctld counts, and searches for the others."},
		{"coverage not known", no_coverage, "well", "well", NULL},
		{"bad configuration", bad_config, "well", "warning",
		 "The new configuration is invalid: line 3: no. slurmscope still uses the version that it read 60 s "
		 "ago."},
		{"bad web configuration", bad_web_config, "well", "warning",
		 "The new web configuration is invalid: no such file. slurmscope still uses the version that it read "
		 "60 s ago."},
		{"certificate expires", certificate_expires, "well", "warning",
		 "The certificate that slurmscope shows to scrapers expires in 24 h."},
		{"certificate expired", certificate_expired, "well", "bad",
		 "The certificate that slurmscope shows to scrapers expired 60 s ago."},
		{"no certificate", no_certificate, "well", "well", NULL},
		{"leads", leads, "well", "well", NULL},
		{"stands by", stands_by, "well", "well",
		 "This slurmscope, of ctl2, stands by: the slurmctld on ctl1 serves."},
		{"stands by, blind", stands_by_blind, "well", "unknown",
		 "This slurmscope, of ctl2, stands by: it is not known which slurmctld serves."},
		{"waits for the state file", waits, "well", "warning",
		 "This slurmscope should lead, and waits for the state file: f: another process has it (ctl1)."},
		{"unnamed", unnamed, "well", "bad",
		 "Ping names no controller ctl2: this slurmscope never leads. --ha-host says which host to follow."},
		{"busy", busy, "well", "well", "slurmctld is busy: slurmscope asks it 4 times less often."},
		{"just well", just_well, "well", "well", NULL},
		{"token just short", token_just_short, "well", "warning",
		 "The token of scope expires in 4 min, and there is no newer one."},
		{"token just expired", token_just_expired, "well", "warning",
		 "The token of scope expired 0 ms ago, and there is no newer one."},
		{"certificate just expired", certificate_just_expired, "well", "bad",
		 "The certificate that slurmscope shows to scrapers expired 0 ms ago."},
		{"threads just short", threads_just_short, "warning", "well",
		 "slurmctld is short of threads: 205 of 256 are busy."},
		{"in error", one_in_error, "well", "well", "1 of 1,000 nodes is down."},
		{"no details yet", no_details_yet, "well", "unknown",
		 "slurmscope does not know everything yet: not asked yet: nodes."},
		{"state file cannot be read, nobody knows why", state_hidden_nobody_knows_why, "well", "warning",
		 "The page has no counters of job events until slurmscope can read the state file: /var/lib/state"},
		{"no web configuration", no_web_config, "well", "well", NULL},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct world world;
		struct findings cluster = FINDINGS_INIT, exporter = FINDINGS_INIT;
		check_row(rows[i].name);
		begin(&world);
		rows[i].change(&world);
		findings_of_cluster(world.status, NOW, &cluster);
		findings_of_exporter(&world.site, world.status, &exporter);
		CHECK_STRING(findings_verdict(&cluster), rows[i].cluster);
		CHECK_STRING(findings_verdict(&exporter), rows[i].exporter);
		bool is_said = !rows[i].text && cluster.count + exporter.count == 0;
		for (size_t f = 0; f < cluster.count + exporter.count && rows[i].text; f++)
			is_said |=
				strcmp((f < cluster.count ? cluster.items[f] : exporter.items[f - cluster.count]).text,
				       rows[i].text) == 0;
		CHECK(is_said);
		if (!is_said)
			fprintf(stderr, "    said: %s / %s\n", cluster.count ? cluster.items[0].text : "",
				exporter.count ? exporter.items[0].text : "");
		findings_done(&cluster);
		findings_done(&exporter);
		status_free(world.status);
	}
}

static void test_order(void)
{
	struct world world;
	struct findings findings = FINDINGS_INIT;
	check_row("the worst comes first, and what one cause explains is said once");
	begin(&world);
	expired(&world);
	one_fails(&world);
	busy(&world);
	findings_of_exporter(&world.site, world.status, &findings);
	CHECK_NUMBER(findings.count, 3);
	for (size_t i = 1; i < findings.count; i++)
		CHECK(findings.items[i - 1].severity >= findings.items[i].severity);
	findings_done(&findings);
	cut_off(&world);
	one_fails(&world);
	world.endpoints[1].is_refused = false;
	world.status->brake = 1;
	findings_of_exporter(&world.site, world.status, &findings);
	world.status->not_ready = "x";
	findings_done(&findings);
	findings_of_exporter(&world.site, world.status, &findings);
	CHECK_NUMBER(findings.count, 2); /* and the token */
	findings_done(&findings);
	status_free(world.status);
}

static void test_order_of_equals(void)
{
	struct world world;
	struct findings findings = FINDINGS_INIT;
	check_row("what is as bad is said in the order of the page");
	begin(&world);
	backup_down(&world);
	starving(&world);
	drained(&world);
	dbd_queue(&world);
	findings_of_cluster(world.status, NOW, &findings);
	static const char *const begins[] = {"The backup ", "A job ", "slurmctld has ", "1 node ", "2 nodes "};
	CHECK_NUMBER(findings.count, sizeof begins / sizeof *begins);
	for (size_t i = 0; i < findings.count; i++)
		CHECK(strncmp(findings.items[i].text, begins[i], strlen(begins[i])) == 0);
	findings_done(&findings);
	status_free(world.status);
}

/* Lists that are cut, and what there is nothing of. */
static void test_page(void)
{
	static const struct {
		const char *name;
		double due;
	} dues[] = {{"t4", 40}, {"t2", 20}, {"t0", 0}, {"t3", 30}, {"asked", 1}, {"t9", 0}};
	struct status_task tasks[6];
	struct status_count reasons[13];
	char names[13][8];
	struct world world;
	begin(&world);
	for (size_t i = 0; i < 6; i++)
		tasks[i] = (struct status_task){.name = dues[i].name,
						.about = "",
						.endpoint = "nodes",
						.way = "",
						.reason = "",
						.text = "",
						.is_allowed = true,
						.has_work = true,
						.is_on_target = true,
						.due = i == 5 ? 0 : NOW + dues[i].due};
	for (size_t i = 0; i < 13; i++) {
		snprintf(names[i], sizeof names[i], "Why%zu", i);
		reasons[i] = (struct status_count){names[i], i == 4 ? 0 : 1}; /* of which one is nobody's */
	}
	struct status *status = world.status;
	status->made = NOW;
	status->tasks = tasks;
	status->task_count = 6;
	status->asking = dues[4].name;
	status->jobs_text = status->budgets_text = "";
	status->jobs.reasons = (struct status_counts){reasons, 13};
	const struct status *clusters[] = {status};
	const struct status_site site = {.now = NOW,
					 .version = "1",
					 .revision = "",
					 .metrics_path = "/metrics",
					 .started = NOW - 60,
					 .clusters = clusters,
					 .cluster_count = 1};
	struct buf html = BUF_INIT;
	pages_cluster(&site, &html);
	check_row("who is next, and who then");
	CHECK(strstr(html.bytes,
		     "<strong>asked</strong> is asked. Next: <strong>t0</strong> at once, then <strong>t2</strong> "
		     "in 20 s, then <strong>t3</strong> in 30 s.</p>"));
	check_row("ten of twelve reasons");
	CHECK(strstr(html.bytes, ">Why10<") && !strstr(html.bytes, ">Why11<") && !strstr(html.bytes, ">Why4<"));
	CHECK(strstr(html.bytes, "and 2 more"));
	check_row("of nothing nothing is in use");
	CHECK(strstr(html.bytes, "<strong>CPUs</strong> <span class=\"number\">0 %</span>"));
	buf_done(&html);
	status_free(status);
}

static void check_section(const struct status_site *site,
			  void (*write)(const struct status_site *site, struct buf *out), const char *begin,
			  const char *end, const char *want)
{
	struct buf page = BUF_INIT;
	write(site, &page);
	struct buf seen = seen_of(page.bytes, begin, end);
	check_row(begin);
	CHECK_STRING(seen.bytes, want);
	buf_done(&page);
	buf_done(&seen);
}

/* A standing of each kind, and of each pair of branches both. */
static void test_whole_page(void)
{
	static const struct status_task blank = {
		.endpoint = "nodes", .way = "", .reason = "r", .text = "t", .about = "a", .is_on_target = true};
	struct status_task tasks[7];
	struct world world, other;
	begin(&world);
	struct status *status = world.status;
	struct status_count states[] = {{"running", 3}, {"pending", 0}, {"suspended", 1}};
	struct status_count reasons[] = {{"Priority", 2}};
	struct status_gres gres[] = {{"gpu", "a100", {1, 2, 1}}, {"shard", "", {0, 0, 0}}};
	one_fails(&world);
	world.endpoints[0].error = "odd";
	world.endpoints[0].error_time = NOW - 50;
	world.endpoints[1].standing = STANDING_NOT_SERVED;
	world.endpoints[1].error = "old";
	for (size_t i = 0; i < 7; i++)
		tasks[i] = blank;
	tasks[0] = (struct status_task){"t0", "zero", "ping", "", "r",	    "slow",  true,
					true, false,  60,     30, NOW - 40, NOW + 5, 1};
	tasks[1].name = "t1", tasks[1].is_allowed = true, tasks[1].due = NOW - 4.6;
	tasks[2].name = "t2", tasks[2].endpoint = "diag", tasks[2].is_allowed = true, tasks[2].is_on_target = false;
	tasks[3].name = "t3", tasks[3].endpoint = "diag", tasks[3].due = NOW;
	tasks[4].name = "t4", tasks[4].endpoint = "ping";
	tasks[5].name = "t5", tasks[5].interval_s = 7, tasks[5].has_work = true;
	tasks[6].name = "t6", tasks[6].endpoint = "diag";
	status->tasks = tasks;
	status->task_count = 7;
	status->name = "c";
	status->jobs_text = "one\ntwo";
	status->budgets_text = "three";
	status->slurm_version = "25.11";
	status->api_version = "v0.0.45";
	status->nodes.cpus = (struct status_capacity){3, 1, 0};
	status->nodes.memory_bytes = (struct status_capacity){1 << 30, 1 << 30, 2u << 30};
	status->nodes.gres = gres;
	status->nodes.gres_count = 2;
	status->jobs.states = (struct status_counts){states, 3};
	status->jobs.reasons = (struct status_counts){reasons, 1};
	status->budgets[0] = (struct status_budget){"slurmrestd", 0.02, 0.01};
	status->budgets[1] = (struct status_budget){"slurmctld", 0.01, 0.04};
	status->requests_per_s = 0.5;
	status->series = 1000;
	status->ends_known_until = NOW - 300;
	status->state_file.last_commit = NOW - 20;
	world.controllers[1].is_up = ANSWER_NO;
	begin(&other);
	other.status->name = "d";
	other.status->url = "unix:/s";
	other.status->slurm_version = other.status->api_version = other.status->jobs_text = other.status->budgets_text =
		"";
	other.status->jobs = (struct status_jobs){.is_known = true};
	other.status->nodes.is_known = false;
	other.status->controller_count = 0;
	other.status->token.expiry = NOW - 120;
	other.status->state_file.is_failing = true;
	other.status->folded = 5;
	other.status->role = (struct status_role){.follows = true, .host = "ctl2", .serving = "ctl2", .waits_for = "w"};
	other.status->coverage = -1;
	const struct status *both[] = {status, other.status};
	struct status_site site = {.now = NOW,
				   .version = "1",
				   .revision = "",
				   .metrics_path = "/metrics",
				   .started = NOW - 60,
				   .clusters = both,
				   .cluster_count = 1,
				   .cpu_seconds = 2,
				   .scrapes = 6,
				   .chosen = "c",
				   .parameters = "x=1",
				   .configuration = {true, true, NOW - 60, NULL}};
	check_section(
		&site, pages_cluster, "<div class=\"verdicts\">", "<section id=\"exporter\"",
		"! The cluster needs a lookThe backup slurmctld on ctl2 is down.\n"
		"! The exporter needs a looknodes has failed for 2 min; the page shows its last numbers for another 4 min: HTTP 500\n"
		"\n"
		"Cluster\n"
		"\n"
		"Daemonsslurmctld on ctl1 primary|✓ up||slurmctld on ctl2 backup|✗ down||slurmdbd|✓ up||Slurm|25.11 API v0.0.45||||\n"
		"In useCPUs 75 %3 of 4 in use, 1 idleMemory 25 %1.0 GiB of 4.0 GiB in use, 1.0 GiB idle, 2.0 GiB out of usegpu:a100 25 %1 of 4 in use, 2 idle, 1 out of useshard 0 %0 of 0 in use, 0 idle\n"
		"Nodes 1,000by stateidle|990|||||\n"
		"Jobs 4by staterunning|3|||suspended|1|||||\n"
		"Why jobs waitby reasonPriority|2|||||The oldest that could start has waited for 60 s.\n"
		"\n"
		"\n");
	check_section(&site, pages_cluster, "<section id=\"exporter\"", "</main>",
		      " aria-labelledby=\"exporter-title\">Exporter\n"
		      "\n"
		      "slurmrestd|http://rest:6820 |\n"
		      "Token|scope from a file, for another 60 min|\n"
		      "Time of slurmrestd spent|2.0 % of at most 1.0 %|\n"
		      "Time of slurmctld spent|1.0 % of at most 4.0 %|\n"
		      "Requests to slurmrestd|0.5 a second |\n"
		      "Series|1,000 scraped 6 times|\n"
		      "Ends of jobs are counted until|5 min ago |\n"
		      "State file|/var/lib/state written 20 s ago|\n"
		      "|\n"
		      "\n"
		      "What is asked\n"
		      "As of 5 s ago: nothing is asked. Next: t1 at once, then t3 in 5 s, then t0 in 10 s.\n"
		      "What|Answer|Age|Every|||\n"
		      "t0 zero|✓ up|40 s|60 s target 30 s||\n"
		      "slow.Failed last 50 s ago: odd||\n"
		      "t1 a|✗ down|–|–||\n"
		      "Failing for 2 min: HTTP 500||\n"
		      "t2 a|nothing to do|–|–||\n"
		      "||\n"
		      "Not served here: t3, t6.\n"
		      "Not asked: switched off, or done in another way here: t4, t5.\n"
		      "onetwothree\n"
		      "\n");
	site.clusters = both + 1;
	check_section(&site, pages_cluster, "<section id=\"cluster\"", "</main>",
		      " aria-labelledby=\"cluster-title\">Cluster\n"
		      "\n"
		      "Daemonsslurmctld|? not known||slurmdbd|✓ up||||\n"
		      "In useNodes are not known.\n"
		      "Nodes Nodes are not known.\n"
		      "Jobs 0No jobs: the cluster is idle.\n"
		      "Why jobs waitNot known before the details of all jobs are.\n"
		      "\n"
		      "\n"
		      "Exporter\n"
		      "\n"
		      "Role|leader follows the slurmctld on ctl2; that on ctl2 serves|\n"
		      "slurmrestd|unix:/s |\n"
		      "Token|scope from a file, expired 2 min ago|\n"
		      "Requests to slurmrestd|0 a second |\n"
		      "Series|0 another 5 are summed up in rows “other”|\n"
		      "State file|/var/lib/state cannot be written|\n"
		      "|\n"
		      "\n"
		      "What is asked\n"
		      "As of 5 s ago: nothing is asked.\n"
		      "What|Answer|Age|Every|||\n"
		      "||\n"
		      "\n"
		      "\n");
	other.status->jobs.is_known = false;
	check_section(&site, pages_cluster, "<h3>Jobs", "</section>", " Jobs are not known.");
	other.status->jobs = (struct status_jobs){.is_known = true, .has_details = true};
	check_section(&site, pages_cluster, "<h3>Why jobs wait", "</section>", "by reasonnone||||");
	other.status->jobs.has_details = false;
	site.clusters = both;
	site.cluster_count = 2;
	check_section(&site, pages_overview, "<tbody>", "</tbody>",
		      "\n"
		      "c|! warning|! warning|1,000|75 %|3|0||\n"
		      "d|? unknown|! warning|–|–|0|0||\n");
	struct buf json = BUF_INIT;
	other.status->role.is_standby = other.status->role.is_unnamed = true;
	world.endpoints[1].is_held = false;
	pages_json(&site, &json);
	static const char *const wanted[] = {
		"\"sandbox\":{\"seccomp\":false,\"landlock_abi\":null}",
		"{\"host\":\"ctl2\",\"role\":\"backup\",\"up\":false,\"ping_seconds\":null}",
		"\"gres\":[{\"name\":\"gpu\",\"type\":\"a100\",\"allocated\":1,\"idle\":2,\"other\":1},{\"name\":\"shard\",\"type\":null,",
		"\"leader\":true,\"ha\":null,",
		"\"leader\":false,\"ha\":{\"host\":\"ctl2\",\"named\":false,\"serving\":\"ctl2\",\"waits_for\":\"w\"}",
		"\"failing_since_timestamp_seconds\":1799999880,\"last_error\":\"HTTP 500\"",
		"\"shown\":false,\"shown_until_timestamp_seconds\":null",
		"\"shown\":true,\"shown_until_timestamp_seconds\":1800000270",
		"\"interval_seconds\":60,\"target_interval_seconds\":30,",
		"\"text\":\"t\",\"interval_seconds\":null,\"target_interval_seconds\":0,",
		"\"pending_by_class\":null,\"pending_by_reason\":null,\"oldest_startable_submit_timestamp_seconds\":null",
		"\"slurmdbd_up\":true,\"nodes\":null",
		"\"coverage_ratio\":null",
	};
	check_row("JSON");
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		bool is_there = strstr(json.bytes, wanted[i]);
		CHECK(is_there);
		if (!is_there)
			fprintf(stderr, "    %s\n", wanted[i]);
	}
	CHECK(!strstr(json.bytes, "\"interval_seconds\":7,"));
	buf_done(&json);
	status_free(status);
	status_free(other.status);
}

/* How a page is asked for again, with all that was asked for. */
static void test_refresh(void)
{
	static const struct {
		const char *chosen, *parameters;
		unsigned refresh_s;
		const char *want;
	} rows[] = {
		{NULL, NULL, 0, ". <a href=\"?refresh=60\">Ask for it again every minute</a></p>"},
		{"c", NULL, 0, ". <a href=\"?cluster=c&amp;refresh=60\">Ask for it"},
		{NULL, "x=1", 0, ". <a href=\"?x=1&amp;refresh=60\">Ask for it"},
		{"c", "x=1", 0, ". <a href=\"?cluster=c&amp;x=1&amp;refresh=60\">Ask for it"},
		{"c", "x=1", 5, " and is asked for again every 5 s. <a href=\"?cluster=c&amp;x=1\">Let it stand</a>"},
		{NULL, NULL, 5, " and is asked for again every 5 s. <a href=\"?\">Let it stand</a>"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct status_site site = {.now = NOW,
						 .version = "1",
						 .revision = "",
						 .refresh_s = rows[i].refresh_s,
						 .chosen = rows[i].chosen,
						 .parameters = rows[i].parameters};
		struct buf out = BUF_INIT;
		check_row(rows[i].want);
		frame_end(&site, &out);
		CHECK(strstr(out.bytes, rows[i].want));
		buf_done(&out);
	}
}

/* Names that would break out, in each text that comes from outside. */
static void test_hostile(void)
{
	static const char evil[] = "<script>\"'&\xff\x01</script>";
	struct world world;
	begin(&world);
	one_fails(&world);
	struct status *status = world.status;
	struct status_gres gres = {evil, evil, {1, 2, 3}};
	struct status_task task = {.name = evil,
				   .about = evil,
				   .endpoint = "nodes",
				   .way = evil,
				   .reason = evil,
				   .text = evil,
				   .is_allowed = true,
				   .has_work = true,
				   .interval_s = 2,
				   .target_s = 1,
				   .due = NOW};
	world.controllers[0].host = world.states[0].name = world.flags[0].name = world.endpoints[2].error = evil;
	world.flags[0].count = 1;
	status->name = status->url = status->slurm_version = status->api_version = status->not_ready = evil;
	status->nodes.gres = &gres;
	status->nodes.gres_count = 1;
	status->jobs.states = status->jobs.reasons = status->nodes.states;
	status->tasks = &task;
	status->task_count = 1;
	status->asking = status->budgets_text = status->jobs_text = evil;
	status->token.user = status->state_file.path = evil;
	const struct status *clusters[] = {status, status};
	const struct status_site site = {.now = NOW,
					 .version = "1",
					 .revision = evil,
					 .metrics_path = "/metrics",
					 .started = NOW - 60,
					 .chosen = evil,
					 .clusters = clusters,
					 .cluster_count = 2};
	struct buf html = BUF_INIT, json = BUF_INIT;
	check_row("hostile texts");
	pages_cluster(&site, &html);
	pages_overview(&site, &html);
	pages_json(&site, &json);
	CHECK(strstr(html.bytes, "&lt;script&gt;&#34;&#39;&amp;\xef\xbf\xbd\xef\xbf\xbd&lt;/script&gt;") != NULL);
	CHECK(strstr(html.bytes, "<script") == NULL && strchr(html.bytes, '\'') == NULL);
	CHECK(strstr(html.bytes, "cluster=%3Cscript%3E%22%27%26%FF%01%3C%2Fscript%3E\"") != NULL);
	CHECK(strstr(json.bytes, "\"<script>\\\"'&\xef\xbf\xbd\\u0001</script>\"") != NULL);
	for (const char *c = json.bytes; *c; c++)
		if ((unsigned char)*c < 0x20 && c[1])
			CHECK(!"a control character in the JSON");
	buf_done(&html);
	buf_done(&json);
	status_free(status);
}

int main(void)
{
	test_words();
	test_quotes();
	test_findings();
	test_order();
	test_order_of_equals();
	test_page();
	test_whole_page();
	test_refresh();
	test_hostile();
	return check_done();
}
