#include "check.h"
#include "config/config.h"
#include "page/board.h"
#include "poll/health.h"

#include <stdlib.h>

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
		{{"--log.level=loud"}, "--log.level: loud is not one of debug, info, warn, error"},
		{{"--nodes.per-node=full"}, NULL},
		{{"--nodes.per-node=some"}, "--nodes.per-node: some is not one of default, full, off"},
		{{"--log.level"}, "--log.level: needs a value (LEVEL)"},
		{{"--once=yes"}, "--once: takes no value"},
		{{"--nonsense=1"}, "--nonsense: unknown option; see --help"},
		{{"once"}, "once: not an option; see --help"},
		{{"--"}, "--: not an option; see --help"},
		{{"--interval.jobs=0"},
		 "--interval.jobs: 0 is not a time from 1 to 86400 seconds, such as 90, 90s or 5m"},
		{{"--interval.jobs=1e3"},
		 "--interval.jobs: 1e3 is not a time from 1 to 86400 seconds, such as 90, 90s or 5m"},
		{{"--limit.users=0", "--filter.users=[a-z]+", "--filter.users-deny", "root|test.*"}, NULL},
		{{"--limit.users=many"}, "--limit.users: many is not a number from 0 to 1000000"},
		{{"--limit.qos=1000001"}, "--limit.qos: 1000001 is not a number from 0 to 1000000"},
		{{"--filter.users=[a-"}, "--filter.users: [a-: Invalid character range"},
		{{"--filter.users="}, "--filter.users: must not be empty"},
		{{"--filter.qos-deny=(a"}, "--filter.qos-deny: (a: Missing ')'"},
		{{"--filter.accounts=a)(b"}, "--filter.accounts: a)(b: Missing ')'"},
		{{"--filter.partitions=*"}, "--filter.partitions: *: nothing stands before the repetition"},
		{{"--filter.partitions=a{2"}, "--filter.partitions: a{2: Missing '}'"},
		{{"--filter.partitions=(a)\\1"},
		 "--filter.partitions: (a)\\1: back references such as \\1 are not supported"},
		{{"--slurmrestd.url="}, "--slurmrestd.url: must not be empty"},
		{{"--slurmrestd.token-file=a", "--slurmrestd.jwt-key-file=b"},
		 "--slurmrestd.jwt-key-file: cannot be used together with slurmrestd.token-file"},
		{{"--slurmrestd.jwt-key-file=b"}, "--slurmrestd.jwt-key-file: needs slurmrestd.user"},
		{{"--slurmrestd.jwt-key-file=b", "--slurmrestd.user=u"}, NULL},
		{{"--slurmrestd.api-version=v0.0.42"}, NULL},
		{{"--slurmrestd.api-version=0.0.42"}, "--slurmrestd.api-version: slurmscope does not know 0.0.42"},
		{{"--web.telemetry-path=metrics"},
		 "--web.telemetry-path: metrics must begin with / and differ from the paths of other pages"},
		{{"--web.telemetry-path=/"},
		 "--web.telemetry-path: / must begin with / and differ from the paths of other pages"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char *argv[7] = {(char *)"slurmscope"};
		int argc = 1;
		for (; argc < 6 && rows[i].arguments[argc - 1]; argc++)
			argv[argc] = (char *)rows[i].arguments[argc - 1];
		struct config config;
		struct error err = {""};
		check_row(rows[i].arguments[0]);
		config_defaults(&config);
		bool ok = config_arguments(&config, argc, argv, &err) && config_makes_sense(&config, &err);
		CHECK(ok == !rows[i].want);
		CHECK_STRING(err.text, rows[i].want ? rows[i].want : "");
	}
	struct config config;
	struct error err;
	check_row("defaults");
	config_defaults(&config);
	CHECK(config_makes_sense(&config, &err));
	CHECK_NUMBER(config.listen_addresses.count, 1);
	CHECK_STRING(config.listen_addresses.values[0], ":9341");
	CHECK_STRING(config.telemetry_path, "/metrics");
	CHECK_NUMBER(config.limit[ENTITY_USER], 500);
	CHECK_NUMBER(config.log_level, LOG_LEVEL_INFO);
	CHECK_NUMBER(config.interval_s[ENDPOINT_JOBS], endpoint_table[ENDPOINT_JOBS].interval_s);
	for (int i = 0; i < ENDPOINTS_POLLED; i++)
		CHECK_NUMBER(config.interval_s[i], endpoint_table[i].interval_s);
}

/* With a reference; NULL before the first. */
static struct page *borrow_page(struct page_board *board)
{
	size_t count;
	bool is_whole;
	struct page **pages = page_board_borrow(board, &count, &is_whole), *page = count ? pages[0] : NULL;
	CHECK(is_whole == (count == 1));
	free(pages);
	return page;
}

static void test_page(void)
{
	check_row("page");
	struct page_board board;
	struct page_slot slot;
	page_board_init(&board);
	page_slot_init(&slot, &board, NULL);
	CHECK(borrow_page(&board) == NULL);
	struct samples samples = {.text = BUF_INIT};
	buf_add_string(&samples.text, "first");
	page_slot_publish(&slot, page_new(&samples, status_new(1)));
	struct page *first = borrow_page(&board);
	buf_add_string(&samples.text, "second");
	page_slot_publish(&slot, page_new(&samples, status_new(2)));
	struct page *second = borrow_page(&board);
	CHECK_STRING(first->samples.text.bytes, "first"); /* still whole for who holds it */
	CHECK_STRING(second->samples.text.bytes, "second");
	CHECK(first->status->made == 1 && second->status->made == 2);
	page_release(first);
	page_release(second);
	page_release(NULL);
	page_slot_done(&slot);
	page_board_done(&board);
}

static void test_ages(void)
{
	static const struct {
		const char *name;
		double interval_s;
		uint64_t too_old_s;
	} rows[] = {
		{"old numbers are held for 5 minutes", 60, 1300},
		{"or 3 intervals if that is longer", 300, 1900},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct health health = {0};
		check_row(rows[i].name);
		health_renew(&health, ENDPOINT_NODES, rows[i].interval_s, 1000 * S);
		health_note(&health, ENDPOINT_NODES, FETCH_UNREACHABLE, 1290 * S);
		CHECK_NUMBER(health_next_ns(&health) / S, rows[i].too_old_s);
		CHECK(!health_expire(&health, ENDPOINT_NODES, (rows[i].too_old_s - 1) * S));
		CHECK(!health_is_too_old(&health, ENDPOINT_NODES));
		CHECK(health_expire(&health, ENDPOINT_NODES, rows[i].too_old_s * S));
		CHECK(health_is_too_old(&health, ENDPOINT_NODES));
		CHECK(!health_expire(&health, ENDPOINT_NODES, 9999 * S)); /* said once */
		CHECK(health_next_ns(&health) == UINT64_MAX);
	}
	check_row("ping is not held when it fails");
	struct health health = {0};
	health_note(&health, ENDPOINT_PING, FETCH_OK, 1000 * S);
	health_renew(&health, ENDPOINT_PING, 30, 1000 * S);
	CHECK(!health_expire(&health, ENDPOINT_PING, 1001 * S));
	health_note(&health, ENDPOINT_PING, FETCH_HTTP_ERROR, 1002 * S);
	CHECK(health_expire(&health, ENDPOINT_PING, 1002 * S));
}

static void test_cut_off(void)
{
	static const struct {
		const char *name;
		enum fetch_result ping, diag; /* FETCH_RESULTS: not tried */
		bool want;
	} rows[] = {
		{"nothing was asked", FETCH_RESULTS, FETCH_RESULTS, false},
		{"both got no answer", FETCH_UNREACHABLE, FETCH_TIMEOUT, true},
		{"ping got one", FETCH_OK, FETCH_TIMEOUT, false},
		{"no version is known", FETCH_UNSUPPORTED, FETCH_UNSUPPORTED, true},
		{"an error is an answer", FETCH_UNREACHABLE, FETCH_HTTP_ERROR, false},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct health health = {0};
		check_row(rows[i].name);
		if (rows[i].ping != FETCH_RESULTS) {
			health_note(&health, ENDPOINT_PING, rows[i].ping, 1 * S);
			health_note(&health, ENDPOINT_DIAG, rows[i].diag, 2 * S);
		}
		CHECK(health_is_cut_off(&health) == rows[i].want);
	}
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
		{"ping says down, of a bad token", FETCH_OK, FETCH_HTTP_ERROR, FETCH_UNAUTHORIZED, false, UP_NOT_KNOWN},
		{"no ping in this version", FETCH_UNSUPPORTED, FETCH_OK, FETCH_OK, false, UP_YES},
		{"diag has errors (22.05)", FETCH_UNSUPPORTED, FETCH_SLURM_ERROR, FETCH_OK, false, UP_NO},
		{"diag is for operators", FETCH_UNSUPPORTED, FETCH_FORBIDDEN, FETCH_OK, false, UP_YES},
		{"slurmrestd is away", FETCH_UNREACHABLE, FETCH_UNREACHABLE, FETCH_UNREACHABLE, true, UP_NOT_KNOWN},
		{"slurmrestd has no slurmdbd", FETCH_UNSUPPORTED, FETCH_UNSUPPORTED, FETCH_OK, true, UP_NOT_KNOWN},
		{"nothing was asked", FETCH_RESULTS, FETCH_RESULTS, FETCH_RESULTS, false, UP_NOT_KNOWN},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct health health;
		health = (struct health){0};
		check_row(rows[i].name);
		if (rows[i].ping != FETCH_RESULTS) {
			health_note(&health, ENDPOINT_DIAG, rows[i].slurmctld, 1 * S);
			health_note(&health, ENDPOINT_DBD_PING, rows[i].ping, 2 * S);
			health_note(&health, ENDPOINT_DBD_DIAG, rows[i].diag, 3 * S);
		}
		CHECK_NUMBER(health_accounting_up(&health, rows[i].ping_says_up), rows[i].want);
	}
}

static void test_down_for_sure(void)
{
	struct health untried;
	check_row("the last verdict stands while nothing was asked since");
	untried = (struct health){0};
	health_note(&untried, ENDPOINT_DIAG, FETCH_TIMEOUT, 999 * S);
	health_note(&untried, ENDPOINT_PING, FETCH_OK, 1000 * S);
	CHECK(health_is_down_for_sure(&untried, true));
	CHECK(!health_is_down_for_sure(&untried, false));
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
		struct health health;
		health = (struct health){0};
		health_note(&health, ENDPOINT_JOBS, FETCH_OK, 500 * S);
		health_note(&health, ENDPOINT_PING, FETCH_OK, 1000 * S);
		health_note(&health, ENDPOINT_DIAG, rows[i].diag, rows[i].diag_s * S);
		check_row(rows[i].name);
		CHECK(health_is_down_for_sure(&health, false) == rows[i].want);
	}
}

int main(void)
{
	test_config();
	test_page();
	test_ages();
	test_cut_off();
	test_accounting_up();
	test_down_for_sure();
	return check_done();
}
