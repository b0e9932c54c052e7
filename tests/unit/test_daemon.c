#include "check.h"
#include "daemon/config.h"
#include "daemon/listen.h"
#include "daemon/page.h"
#include "daemon/schedule.h"

#define S UINT64_C(1000000000)

static void test_config(void)
{
	static const struct {
		const char *arguments[5];
		const char *want; /* error; NULL: none */
	} rows[] = {
		{{NULL}, NULL},
		{{"--log.level=debug", "--once"}, NULL},
		{{"--log.level", "debug"}, NULL},
		{{"--log.level=loud"}, "--log.level: loud is none of debug, info, warn, error"},
		{{"--nodes.per-node=full"}, NULL},
		{{"--nodes.per-node=some"},
		 "--nodes.per-node: some is none of default, full, off"},
		{{"--log.level"}, "--log.level: needs a value (LEVEL)"},
		{{"--once=yes"}, "--once: takes no value"},
		{{"--nonsense=1"}, "--nonsense: unknown option; see --help"},
		{{"once"}, "once: not an option; see --help"},
		{{"--"}, "--: not an option; see --help"},
		{{"--interval.jobs=0"},
		 "--interval.jobs: 0 is not a number of seconds from 1 to 86400"},
		{{"--interval.jobs=1e3"},
		 "--interval.jobs: 1e3 is not a number of seconds from 1 to 86400"},
		{{"--limit.users=0", "--filter.users=[a-z]+", "--filter.users-deny", "root|test.*"},
		 NULL},
		{{"--limit.users=many"}, "--limit.users: many is not a number from 0 to 1000000"},
		{{"--limit.qos=1000001"}, "--limit.qos: 1000001 is not a number from 0 to 1000000"},
		{{"--filter.users=[a-"}, "--filter.users: [a-: Unmatched [, [^, [:, [., or [="},
		{{"--filter.users="}, "--filter.users: empty"},
		{{"--filter.qos-deny=(a"}, "--filter.qos-deny: (a: Unmatched ( or \\("},
		{{"--filter.accounts=a)(b"}, "--filter.accounts: a)(b: Unmatched ( or \\("},
		{{"--filter.partitions=*"},
		 "--filter.partitions: *: Invalid preceding regular expression"},
		{{"--slurmrestd.url="}, "--slurmrestd.url: empty"},
		{{"--slurmrestd.token-file=a", "--slurmrestd.jwt-key-file=b"},
		 "--slurmrestd.token-file and --slurmrestd.jwt-key-file: only one of them"},
		{{"--slurmrestd.jwt-key-file=b"}, "--slurmrestd.jwt-key-file needs --slurmrestd.user"},
		{{"--slurmrestd.jwt-key-file=b", "--slurmrestd.user=u"}, NULL},
		{{"--slurmrestd.api-version=v0.0.42"}, NULL},
		{{"--slurmrestd.api-version=0.0.42"},
		 "--slurmrestd.api-version: 0.0.42 is not known"},
		{{"--web.telemetry-path=metrics"},
		 "--web.telemetry-path: metrics is not a path of its own, such as /metrics"},
		{{"--web.telemetry-path=/"},
		 "--web.telemetry-path: / is not a path of its own, such as /metrics"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char *argv[7] = {(char *)"slurmscope"};
		int argc = 1;
		for (; argc < 6 && rows[i].arguments[argc - 1]; argc++)
			argv[argc] = (char *)rows[i].arguments[argc - 1];
		struct config config;
		struct error err = {""};
		check_row(rows[i].arguments[0]);
		bool ok = config_parse(&config, argc, argv, &err);
		CHECK(ok == !rows[i].want);
		CHECK_STRING(err.text, rows[i].want ? rows[i].want : "");
	}
	char *none[] = {(char *)"slurmscope", NULL};
	struct config config;
	struct error err;
	check_row("defaults");
	CHECK(config_parse(&config, 1, none, &err));
	CHECK_STRING(config.listen_address, ":9341");
	CHECK_STRING(config.telemetry_path, "/metrics");
	CHECK_NUMBER(config.limit[ENTITY_USER], 500);
	CHECK_NUMBER(config.log_level, LOG_LEVEL_INFO);
	CHECK_NUMBER(config.interval_s[ENDPOINT_JOBS], endpoint_table[ENDPOINT_JOBS].interval_s);
	for (int i = 0; i < ENDPOINTS_POLLED; i++)
		CHECK_NUMBER(config.interval_s[i], endpoint_table[i].interval_s);
}

static void test_listen(void)
{
	static const struct {
		const char *address, *host, *port; /* NULL host: refused */
	} rows[] = {
		{":9341", "", "9341"},
		{"127.0.0.1:0", "127.0.0.1", "0"},
		{"[::1]:9341", "::1", "9341"},
		{"localhost:80", "localhost", "80"},
		{"9341", NULL, NULL},
		{"::1:9341", NULL, NULL},
		{"host:", NULL, NULL},
		{":65536", NULL, NULL},
		{":-1", NULL, NULL},
		{":http", NULL, NULL},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct listen_address address;
		struct error err;
		check_row(rows[i].address);
		bool ok = listen_parse(rows[i].address, &address, &err);
		CHECK(ok == (rows[i].host != NULL));
		if (ok && rows[i].host) {
			CHECK_STRING(address.host, rows[i].host);
			CHECK_STRING(address.port, rows[i].port);
		}
	}
}

static void test_page(void)
{
	check_row("page");
	struct page_slot slot;
	page_slot_init(&slot);
	CHECK(page_slot_borrow(&slot) == NULL);
	struct buf bytes = BUF_INIT;
	buf_add_string(&bytes, "first");
	page_slot_publish(&slot, page_new(&bytes, false));
	struct page *first = page_slot_borrow(&slot);
	buf_add_string(&bytes, "second");
	page_slot_publish(&slot, page_new(&bytes, true));
	struct page *second = page_slot_borrow(&slot);
	CHECK_STRING(first->bytes, "first"); /* still whole for who holds it */
	CHECK_STRING(second->bytes, "second");
	CHECK(!first->is_complete && second->is_complete);
	page_unref(first);
	page_unref(second);
	page_unref(NULL);
	page_slot_done(&slot);
}

static void schedule_with(struct schedule *schedule)
{
	static const uint64_t intervals[ENDPOINTS_POLLED] = {30,  30,  300, 60, 60, 120,
							      120, 300, 600, 30, 60};
	schedule_init(schedule, intervals);
}

static void test_intervals(void)
{
	struct schedule schedule;
	schedule_with(&schedule);
	check_row("everything is due at once");
	CHECK_NUMBER(schedule_next_ns(&schedule), 0);
	check_row("a cheap answer keeps the interval, a dear one stretches it to a twentieth");
	schedule_note(&schedule, ENDPOINT_JOBS, FETCH_OK, 0.5, 1000 * S);
	CHECK_NUMBER(schedule.entries[ENDPOINT_JOBS].due_ns / S, 1060);
	schedule_note(&schedule, ENDPOINT_JOBS, FETCH_OK, 28, 1100 * S);
	CHECK_NUMBER(schedule.entries[ENDPOINT_JOBS].interval_s, 560);
	CHECK_NUMBER(schedule.entries[ENDPOINT_JOBS].due_ns / S, 1660);
	schedule_note(&schedule, ENDPOINT_JOBS, FETCH_TIMEOUT, 120, 2000 * S);
	CHECK_NUMBER(schedule.entries[ENDPOINT_JOBS].due_ns / S, 4400);
}

static void test_recovery(void)
{
	struct schedule schedule;
	schedule_with(&schedule);
	schedule_note(&schedule, ENDPOINT_PING, FETCH_TIMEOUT, 120, 1000 * S);
	check_row("ping and diag are asked every minute at least");
	CHECK_NUMBER(schedule.entries[ENDPOINT_PING].due_ns / S, 1060);
	schedule_note(&schedule, ENDPOINT_NODES, FETCH_HTTP_ERROR, 10, 1000 * S);
	schedule_note(&schedule, ENDPOINT_JOBS, FETCH_UNREACHABLE, 60, 1000 * S);
	schedule_note(&schedule, ENDPOINT_PARTITIONS, FETCH_OK, 1, 1000 * S);
	schedule_note(&schedule, ENDPOINT_PING, FETCH_OK, 0.01, 1020 * S);
	check_row("when ping is well again, what failed quickly is due, what took long is not");
	CHECK_NUMBER(schedule.entries[ENDPOINT_NODES].due_ns / S, 1020);
	CHECK_NUMBER(schedule.entries[ENDPOINT_JOBS].due_ns / S, 2200);
	CHECK_NUMBER(schedule.entries[ENDPOINT_PARTITIONS].due_ns / S, 1300);
	static const struct {
		const char *name;
		enum fetch_result probe;
		double want_s;
	} rows[] = {
		{"everything timed out: slurmrestd was frozen", FETCH_TIMEOUT, 3000},
		{"jobs timed out alone: they were too much", FETCH_HTTP_ERROR, 3400},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		check_row(rows[i].name);
		schedule_with(&schedule);
		schedule_note(&schedule, ENDPOINT_JOBS, FETCH_TIMEOUT, 120, 1000 * S);
		schedule_note(&schedule, ENDPOINT_DIAG, rows[i].probe, 1, 1100 * S);
		schedule_note(&schedule, ENDPOINT_DIAG, FETCH_OK, 0.01, 3000 * S);
		CHECK_NUMBER(schedule.entries[ENDPOINT_JOBS].due_ns / S, rows[i].want_s);
	}
}

static void test_ages(void)
{
	struct schedule schedule;
	schedule_with(&schedule);
	for (int i = 0; i < ENDPOINTS_POLLED; i++)
		schedule_note(&schedule, (enum endpoint)i, FETCH_OK, 0.01, 1000 * S);
	check_row("old numbers are held for 5 minutes, or 3 intervals if that is longer");
	for (int i = 0; i < ENDPOINTS_POLLED; i++)
		if (i != ENDPOINT_PING)
			schedule_note(&schedule, (enum endpoint)i, FETCH_UNREACHABLE, 0, 1290 * S);
	CHECK(!schedule_expire(&schedule, ENDPOINT_JOBS, 1299 * S));
	CHECK(schedule_expire(&schedule, ENDPOINT_JOBS, 1300 * S));
	CHECK(!schedule_expire(&schedule, ENDPOINT_JOBS, 1301 * S)); /* said once */
	CHECK(!schedule_expire(&schedule, ENDPOINT_PARTITIONS, 1899 * S));
	CHECK(schedule_expire(&schedule, ENDPOINT_PARTITIONS, 1900 * S));
	check_row("the poller wakes for what becomes too old, too");
	schedule_with(&schedule);
	for (int i = 0; i < ENDPOINTS_POLLED; i++)
		schedule_note(&schedule, (enum endpoint)i, FETCH_OK, 0.01, 1000 * S);
	for (int i = 0; i < ENDPOINTS_POLLED; i++)
		schedule.entries[i].due_ns = 9999 * S;
	CHECK_NUMBER(schedule_next_ns(&schedule) / S, 1300);
	check_row("ping is not held when it fails");
	CHECK(!schedule_expire(&schedule, ENDPOINT_PING, 1001 * S));
	schedule_note(&schedule, ENDPOINT_PING, FETCH_HTTP_ERROR, 0.01, 1002 * S);
	CHECK(schedule_expire(&schedule, ENDPOINT_PING, 1002 * S));
}

static void test_accounting_up(void)
{
	static const struct {
		const char *name;
		enum fetch_result ping, diag, slurmctld; /* FETCH_RESULTS: not tried */
		bool ping_says_up;
		enum up want;
	} rows[] = {
		{"ping says up", FETCH_OK, FETCH_OK, FETCH_OK, true, UP_YES},
		{"ping says down", FETCH_OK, FETCH_HTTP_ERROR, FETCH_OK, false, UP_NO},
		{"ping says down, of a bad token", FETCH_OK, FETCH_HTTP_ERROR, FETCH_UNAUTHORIZED,
		 false, UP_NOT_KNOWN},
		{"no ping in this version", FETCH_UNSUPPORTED, FETCH_OK, FETCH_OK, false, UP_YES},
		{"diag has errors (22.05)", FETCH_UNSUPPORTED, FETCH_SLURM_ERROR, FETCH_OK, false,
		 UP_NO},
		{"diag is for operators", FETCH_UNSUPPORTED, FETCH_FORBIDDEN, FETCH_OK, false, UP_YES},
		{"slurmrestd is away", FETCH_UNREACHABLE, FETCH_UNREACHABLE, FETCH_UNREACHABLE, true,
		 UP_NOT_KNOWN},
		{"slurmrestd has no slurmdbd", FETCH_UNSUPPORTED, FETCH_UNSUPPORTED, FETCH_OK, true,
		 UP_NOT_KNOWN},
		{"nothing was asked", FETCH_RESULTS, FETCH_RESULTS, FETCH_RESULTS, false,
		 UP_NOT_KNOWN},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct schedule schedule;
		schedule_with(&schedule);
		check_row(rows[i].name);
		if (rows[i].ping != FETCH_RESULTS) {
			schedule_note(&schedule, ENDPOINT_DIAG, rows[i].slurmctld, 0.01, 1 * S);
			schedule_note(&schedule, ENDPOINT_DBD_PING, rows[i].ping, 0.01, 2 * S);
			schedule_note(&schedule, ENDPOINT_DBD_DIAG, rows[i].diag, 0.01, 3 * S);
		}
		CHECK_NUMBER(schedule_accounting_up(&schedule, rows[i].ping_says_up), rows[i].want);
	}
	check_row("what is not served is asked once an hour, or after an upgrade");
	struct schedule schedule;
	schedule_with(&schedule);
	schedule_note(&schedule, ENDPOINT_CONF, FETCH_UNSUPPORTED, 0.01, 100 * S);
	CHECK_NUMBER(schedule.entries[ENDPOINT_CONF].due_ns / S, 3700);
	schedule_retry_unsupported(&schedule, 200 * S);
	CHECK_NUMBER(schedule.entries[ENDPOINT_CONF].due_ns / S, 200);
}

static void test_down_for_sure(void)
{
	struct schedule untried;
	check_row("the last verdict stands while nothing was asked since");
	schedule_with(&untried);
	schedule_note(&untried, ENDPOINT_DIAG, FETCH_TIMEOUT, 0.01, 999 * S);
	schedule_note(&untried, ENDPOINT_PING, FETCH_OK, 0.01, 1000 * S);
	CHECK(schedule_is_down_for_sure(&untried, true));
	CHECK(!schedule_is_down_for_sure(&untried, false));
	static const struct {
		const char *name;
		enum fetch_result diag;
		uint64_t diag_s; /* ping was at 1000 */
		bool want;
	} rows[] = {
		{"nothing else was asked since", FETCH_HTTP_ERROR, 990, false},
		{"another call succeeded: ping had a bad token", FETCH_OK, 1001, false},
		{"another call wants a better token", FETCH_UNAUTHORIZED, 1001, false},
		{"another call failed too", FETCH_HTTP_ERROR, 1001, true},
		{"another call timed out", FETCH_TIMEOUT, 1001, true},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct schedule schedule;
		schedule_with(&schedule);
		schedule_note(&schedule, ENDPOINT_JOBS, FETCH_OK, 0.01, 500 * S);
		schedule_note(&schedule, ENDPOINT_PING, FETCH_OK, 0.01, 1000 * S);
		schedule_note(&schedule, ENDPOINT_DIAG, rows[i].diag, 0.01, rows[i].diag_s * S);
		check_row(rows[i].name);
		CHECK(schedule_is_down_for_sure(&schedule, false) == rows[i].want);
	}
}

int main(void)
{
	test_config();
	test_listen();
	test_page();
	test_intervals();
	test_recovery();
	test_ages();
	test_accounting_up();
	test_down_for_sure();
	return check_done();
}
