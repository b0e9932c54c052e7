/* The store's contract, when nothing is wrong with the file. */
#include "check.h"
#include "store_rows.h"

#include "store/path.h"
#include "store/schema.h"

#include <math.h>

static char folder[] = "/tmp/test-store-XXXXXX", path[64];

static void fresh(const char *name)
{
	snprintf(path, sizeof path, "%s/%s", folder, name);
}

static void test_round_trip(void)
{
	fresh("rows");
	struct error err = {""};
	struct store *store = load_store(path, "c1", STORE_NEW);
	struct store_run run = run_of(UINT64_MAX, -1), other = run_of(1, 3), gone = run_of(1, 4);
	run.bits = UINT64_MAX;
	run.submit_time = INT64_MIN;
	run.user = TEXT("o'neill \"\\ \xc3\xa9 \xff");
	run.account = TEXT("a\0b");
	run.qos = (struct text){NULL, 0};
	other.end_time = 1700000300;
	other.gone_since = 1700000400;
	CHECK(store_begin(store, &err) == STORE_WANTS_ALL);
	store_put_run(store, &run);
	store_put_run(store, &other);
	store_put_run(store, &gone);
	put_counter(store, "debug", "FAILED", 0.1);
	put_counter(store, "debug", "COMPLETED", INFINITY);
	put_counter(store, "gone", "FAILED", 3);
	struct store_job job = job_of(7), rest = job_of(UINT64_MAX), left = job_of(9);
	job.user = TEXT("o'neill \"\\ \xff");
	job.account = TEXT("a\0b");
	rest.array_task_id = INT64_MIN;
	rest.tail = 41;
	rest.time_limit = UINT64_MAX - 1;
	rest.flags = rest.qos = (struct text){NULL, 0};
	store_put_job(store, &job);
	store_put_job(store, &rest);
	store_put_job(store, &left);
	const struct store_ended ended = {.raw_id = UINT32_MAX,
					  .array_task_id = -1,
					  .submit_time = 1,
					  .eligible_time = 2,
					  .start_time = 3,
					  .end_time = 4,
					  .run_seconds = 5,
					  .time_limit = UINT64_MAX - 1,
					  .cpus = 6,
					  .memory = 7,
					  .nodes = 8,
					  .exit_code = 9,
					  .exit_signal = 10,
					  .peak_memory = 11,
					  .energy = UINT64_MAX,
					  .used_cpu_seconds = -1,
					  .state = TEXT("failed"),
					  .name = TEXT("a\0b"),
					  .failed_node = TEXT("n1"),
					  .tres = TEXT("cpu=6"),
					  .account = TEXT("bio"),
					  .user = TEXT("ann"),
					  .partitions = TEXT("cpu"),
					  .qos = TEXT("low")};
	struct store_ended past = ended;
	past.raw_id = 8;
	store_put_ended(store, &ended);
	store_put_ended(store, &past);
	const struct store_outage outage = {TEXT("n1"), 1,	    2, TEXT("drained"), TEXT("down"), TEXT("disk"),
					    4,		UINT64_MAX, 6};
	struct store_outage over = outage;
	over.node = TEXT("n2");
	store_put_outage(store, &outage);
	store_put_outage(store, &over);
	store_put_mark(store, "cursor", INT64_MIN);
	CHECK(store_commit(store, &err));
	CHECK(store_begin(store, &err) == STORE_WANTS_CHANGES);
	store_remove_ended(store, 8);
	store_remove_outage(store, TEXT("n2"));
	store_remove_outage(store, TEXT("n2"));
	store_remove_ended(store, 8);
	put_counter(store, "debug", "FAILED", 1e300);
	store_remove_counter(
		store, &(struct store_counter){TEXT("partition"), TEXT("gone"), TEXT("jobs_ended"), TEXT("FAILED"), 0});
	store_remove_run(store, &gone);
	store_remove_run(store, &gone);
	store_remove_job(store, 9);
	store_remove_job(store, 9);
	CHECK(store_commit(store, &err));
	store_free(store);
	check_dump(path,
		   "partition|debug|jobs_ended|COMPLETED|inf\n"
		   "partition|debug|jobs_ended|FAILED|1.0000000000000001e+300\n"
		   "18446744073709551615_-1@-9223372036854775808 6 ffffffffffffffff 0"
		   " 1700000100-0 100 63 4294967296 7 0 1700000150 1700000160 cpu=4,mem=4G,node=1,billing=4,gres/gpu=1|"
		   "o'neill \"\\ \xc3\xa9 \xff|a\\0b|batch||\n"
		   "1_3@1700000000 8 5 0 1700000100-1700000300 100 1 4294967296 7 1700000400 1700000150 1700000160 "
		   "cpu=4,mem=4G,node=1,billing=4,gres/gpu=1|alice|physics|batch|normal|\n"
		   "cursor|-9223372036854775808\n"
		   "ended 4294967295 -1 -1 0 1 2 3 4 5 18446744073709551614 6 7 8 9 10 11 18446744073709551615 "
		   "failed|a\\0b||n1|cpu=6|bio|ann|cpu|low|\n"
		   "job 18446744073709551615 -9223372036854775808 41 18446744073709551612 1 1 2 63 4294967296 4"
		   " 1700000000 1700000001 18446744073709551614 2 5 1700000002 1700000003 1700000004 1700000006"
		   " 1700000007 running||None|cpu=4,mem=4G,node=1,billing=4,gres/gpu=1|maint|cn[01-04]|physics|"
		   "alice|batch||cpu=4,mem=4096M,gres/gpu=1|\n"
		   "job 7 3 -1 4 1 1 2 7 4294967296 4 1700000000 1700000001 18446744073709551615 2 5 1700000002"
		   " 1700000003 1700000004 1700000006 1700000007 running|configuring,stopped|None|"
		   "cpu=4,mem=4G,node=1,billing=4,gres/gpu=1|maint|cn[01-04]|a\\0b|"
		   "o'neill \"\\ \xff|batch|normal|cpu=4,mem=4096M,gres/gpu=1|\n"
		   "outage 1 2 4 18446744073709551615 6 n1|drained|down|disk|\n");
}

/* Where all rows are put again, those are gone that are not: of each table but that of the file itself. */
static void test_all_again(void)
{
	fresh("all");
	struct error err = {""};
	struct store *store = load_store(path, "", STORE_NEW);
	struct store_job job = job_of(7);
	struct store_run run = run_of(1, 3);
	CHECK(store_begin(store, &err) == STORE_WANTS_ALL);
	put_counter(store, "debug", "FAILED", 1);
	store_put_run(store, &run);
	store_put_job(store, &job);
	store_put_ended(store, &(struct store_ended){.raw_id = 8, .state = TEXT("failed")});
	store_put_outage(store, &(struct store_outage){.node = TEXT("n1")});
	store_put_mark(store, "a", 1);
	CHECK(store_commit(store, &err));
	store_want_all(store);
	save_mark(store, "b", 2, STORE_WANTS_ALL);
	store_free(store);
	check_dump(path, "b|2\n");
}

/* All rows of jobs go at once; nothing else does. */
static void test_remove_jobs(void)
{
	fresh("jobs");
	struct error err = {""};
	struct store *store = load_store(path, "", STORE_NEW);
	struct store_job job = job_of(7), other = job_of(8);
	CHECK(store_begin(store, &err) == STORE_WANTS_ALL);
	store_put_job(store, &job);
	store_put_mark(store, "a", 1);
	CHECK(store_commit(store, &err));
	CHECK(store_begin(store, &err) == STORE_WANTS_CHANGES);
	store_remove_jobs(store);
	store_put_job(store, &other);
	CHECK(store_commit(store, &err));
	store_free(store);
	char *dump = dump_of(path, NULL);
	CHECK(strstr(dump, "a|1\njob 8 ") && !strstr(dump, "job 7 "));
	free(dump);
	store = load_store(path, "", STORE_LOADED);
	store_want_all(store);
	save_mark(store, "b", 2, STORE_WANTS_ALL);
	store_free(store);
	check_dump(path, "b|2\n");
}

static void test_transactions(void)
{
	fresh("transactions");
	struct error err = {""};
	struct store *store = store_new(path, "");
	CHECK(store_begin(store, &err) == STORE_WANTS_NOTHING); /* else it would overwrite what is there */
	store_free(store);
	store = load_store(path, "", STORE_NEW);
	save_mark(store, "a", 1, STORE_WANTS_ALL);
	save_mark(store, "b", 2, STORE_WANTS_CHANGES);
	CHECK(store_begin(store, &err) == STORE_WANTS_CHANGES);
	store_put_mark(store, "a", 3);
	store_free(store); /* without a commit */
	check_dump(path, "a|1\nb|2\n");
}

static void test_file(void)
{
	struct stat status;
	char other[80];
	fresh("file");
	struct store *store = load_store(path, "", STORE_NEW);
	save_mark(store, "a", 1, STORE_WANTS_ALL);
	CHECK(stat(path, &status) == 0 && (status.st_mode & 0777) == 0600);
	snprintf(other, sizeof other, "%s-wal", path);
	CHECK(stat(other, &status) == 0 && (status.st_mode & 0777) == 0600);
	CHECK(store_bytes(store) > (uint64_t)status.st_size && status.st_size > 4096);
	store_free(store);
	CHECK(access(other, F_OK) != 0);
	chmod(path, 0644); /* a backup that was put back */
	snprintf(other, sizeof other, "%s/link", folder);
	CHECK(symlink("file", other) == 0);
	check_dump(other, "a|1\n");
	CHECK(stat(path, &status) == 0 && (status.st_mode & 0777) == 0600);
	CHECK(lstat(other, &status) == 0 && S_ISLNK(status.st_mode));
}

static void test_removed_while_open(void)
{
	fresh("removed");
	struct store *store = load_store(path, "", STORE_NEW);
	save_mark(store, "a", 1, STORE_WANTS_ALL);
	unlink(path);
	save_mark(store, "b", 2, STORE_WANTS_ALL);
	save_mark(store, "c", 3, STORE_WANTS_CHANGES);
	store_free(store);
	check_dump(path, "b|2\nc|3\n");
}

/* By a file that somebody put back while the first one is open. */
static void test_replaced_while_open(void)
{
	char other[80];
	fresh("replaced");
	snprintf(other, sizeof other, "%s/backup", folder);
	struct store *store = load_store(other, "", STORE_NEW);
	save_mark(store, "old", 1, STORE_WANTS_ALL);
	store_free(store);
	store = load_store(path, "", STORE_NEW);
	save_mark(store, "a", 1, STORE_WANTS_ALL);
	CHECK(rename(other, path) == 0);
	save_mark(store, "b", 2, STORE_WANTS_ALL);
	save_mark(store, "c", 3, STORE_WANTS_CHANGES);
	store_free(store);
	check_dump(path, "b|2\nc|3\n");
}

static void test_cluster(void)
{
	fresh("cluster");
	struct error err = {""};
	struct store *store = load_store(path, "", STORE_NEW);
	save_mark(store, "a", 1, STORE_WANTS_ALL);
	CHECK(store_claim(store, "c1", &err));
	save_mark(store, "b", 2, STORE_WANTS_CHANGES);
	CHECK(store_claim(store, "c1", &err));
	CHECK(!store_claim(store, "c2", &err)); /* as if somebody gave the daemon another address */
	CHECK(strstr(err.text, "c1") && strstr(err.text, "c2") && strstr(err.text, ".foreign-"));
	CHECK_NUMBER(store_set_aside_count(store), 1);
	save_mark(store, "c", 3, STORE_WANTS_ALL);
	store_free(store);
	check_dump(path, "c|3\n");
	store_free(load_store(path, "c2", STORE_LOADED));
	store = load_store(path, "c1", STORE_SET_ASIDE);
	CHECK_NUMBER(store_set_aside_count(store), 1);
	save_mark(store, "d", 4, STORE_WANTS_ALL);
	store_free(store);
	check_dump(path, "d|4\n");
}

static void test_without_wal(void)
{
	char wal[80];
	fresh("journal");
	snprintf(wal, sizeof wal, "%s-wal", path);
	for (int i = 0; i < 3; i++) { /* and it changes between both */
		struct store *store = store_new(path, "");
		struct buf dump = BUF_INIT;
		struct error err = {""};
		if (i % 2 == 0)
			store_share(store);
		CHECK(load_dump(store, &dump, &err) == (i ? STORE_LOADED : STORE_NEW));
		save_mark(store, i ? "again" : "a", i, i ? STORE_WANTS_CHANGES : STORE_WANTS_ALL);
		CHECK((access(wal, F_OK) == 0) == (i == 1));
		store_free(store);
		buf_done(&dump);
	}
	check_dump(path, "a|0\nagain|2\n");
	CHECK(!path_is_network(folder));
	CHECK(path_is_network("/nowhere/at/all"));
}

/* By f_type, as statfs(2) and the kernel's sources have it. */
static void test_file_systems(void)
{
	static const struct {
		const char *name;
		uint64_t type;
		bool is_network;
	} rows[] = {
		{"NFS", 0x6969, true},		{"SMB", 0x517b, true},
		{"CIFS", 0xff534d42, true},	{"CIFS, where f_type is signed", (uint64_t)(int32_t)0xff534d42, true},
		{"SMB 2", 0xfe534d42, true},	{"Lustre", 0x0bd00bd0, true},
		{"GPFS", 0x47504653, true},	{"BeeGFS", 0x19830326, true},
		{"Ceph", 0x00c36400, true},	{"9P", 0x01021997, true},
		{"FUSE", 0x65735546, true},	{"GFS2", 0x01161970, true},
		{"OCFS2", 0x7461636f, true},	{"OrangeFS", 0x20030528, true},
		{"WekaFS", 0x18031977, true},	{"ext4", 0xef53, false},
		{"XFS", 0x58465342, false},	{"btrfs", 0x9123683e, false},
		{"ZFS", 0x2fc12fc1, false},	{"tmpfs", 0x01021994, false},
		{"overlay", 0x794c7630, false},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		check_row(rows[i].name);
		CHECK(path_type_is_network(rows[i].type) == rows[i].is_network);
	}
	check_row(NULL);
}

struct row_of_tomorrow {
	struct text name, word;
	int64_t value;
};

/* A schema as it may be some versions on: the table of marks with columns that two versions brought. */
enum { TODAY = 7 }; /* store_schema.version */
static void migrate(const char *step, bool want)
{
	static const struct column columns[] = {
		{"name", offsetof(struct row_of_tomorrow, name), COLUMN_TEXT, 1},
		{"value", offsetof(struct row_of_tomorrow, value), COLUMN_INTEGER, 1},
		{"word", offsetof(struct row_of_tomorrow, word), COLUMN_TEXT, TODAY + 2},
	};
	const struct table table = {"mark", columns, 3, 1};
	const char *const steps[] = {[TODAY + 1] = step, "UPDATE mark SET word = 'w' || value"};
	const struct schema schema = {TODAY + 2, &table, 1, steps};
	struct row_of_tomorrow row = {0};
	struct buf sql = BUF_INIT;
	struct db *db = db_open(path);
	CHECK(schema_migrate(&schema, db, (int)db_number(db, "PRAGMA user_version")) == want);
	schema_select(&table, &sql);
	struct sqlite3_stmt *select = db_prepare(db, sql.bytes);
	CHECK((select && db_step(db, select)) == want);
	if (want) {
		schema_read(&table, select, &row);
		CHECK(text_equal(row.name, TEXT("a")) && text_equal(row.word, TEXT("w20")));
		CHECK_NUMBER(row.value, 20);
	}
	db_close(db, true);
	buf_done(&sql);
}

/* What undoes each version, to make a file as an older slurmscope wrote it. */
static const char *const undo[TODAY + 1] = {
	[2] = "ALTER TABLE run DROP COLUMN size_since; PRAGMA user_version = 1",
	[3] = "DROP TABLE job; PRAGMA user_version = 2",
	[4] = "DROP TABLE ended; ALTER TABLE run DROP COLUMN forecast; PRAGMA user_version = 3",
	[5] = "ALTER TABLE run DROP COLUMN group_values; ALTER TABLE job DROP COLUMN group_values; PRAGMA user_version = 4",
	[6] = "DROP TABLE outage; PRAGMA user_version = 5",
	[7] = "ALTER TABLE job DROP COLUMN node_need; PRAGMA user_version = 6",
};

static void make_older(int version)
{
	struct db *db = db_open(path);
	for (int newer = TODAY; newer > version; newer--)
		CHECK(db_run(db, undo[newer]));
	CHECK_NUMBER(db_number(db, "PRAGMA user_version"), version);
	db_close(db, true);
}

/* A file of each older version is read, and can be written from then on. */
static void test_older_files(void)
{
	struct error err = {""};
	for (int version = 1; version < TODAY; version++) {
		char name[16];
		snprintf(name, sizeof name, "version-%d", version);
		check_row(name);
		fresh(name);
		struct store *store = load_store(path, "", STORE_NEW);
		struct store_run run = run_of(1, -1);
		struct store_job job = job_of(7);
		CHECK_NUMBER(store_begin(store, &err), STORE_WANTS_ALL);
		store_put_run(store, &run);
		store_put_job(store, &job);
		CHECK(store_commit(store, &err));
		store_free(store);
		make_older(version);
		char *before = dump_of(path, NULL);
		CHECK(strstr(before, version < 2   ? " 0 0 cpu=4"
				     : version < 4 ? " 1700000150 0 cpu=4"
						   : " 1700000150 "));
		CHECK((strstr(before, "job") != NULL) == (version >= 3) && !strstr(before, "ended"));
		CHECK(strstr(before, "1_-1@1700000000 8 5 0 1700000100-0 100"));
		store = load_store(path, "", STORE_LOADED);
		check_row(name);
		CHECK_NUMBER(store_begin(store, &err), STORE_WANTS_CHANGES);
		store_put_job(store, &job);
		CHECK(store_commit(store, &err));
		store_free(store);
		char *after = dump_of(path, NULL);
		CHECK(strstr(after, "1_-1@1700000000 8 5 0 1700000100-0 100") && strstr(after, "job 7 3 -1 4"));
		free(before);
		free(after);
	}
	check_row(NULL);
}

static void test_migration(void)
{
	CHECK_NUMBER(store_schema.version, TODAY);
	fresh("migration");
	struct store *store = load_store(path, "", STORE_NEW);
	save_mark(store, "a", 2, STORE_WANTS_ALL);
	store_free(store);
	migrate("UPDATE mark SET value = 3; UPDATE nothing SET value = 4", false);
	check_dump(path, "a|2\n"); /* all of it or nothing */
	migrate("UPDATE mark SET value = 10 * value", true);
	migrate("UPDATE mark SET value = 0", true); /* has been done */
	store_free(load_store(path, "", STORE_UNUSABLE)); /* made by a newer one, for the present */
}

/* 10,000 changes a commit of 20,000 rows, which come and go. */
static void test_bounded(void)
{
	fresh("bounded");
	struct error err = {""};
	struct store *store = load_store(path, "", STORE_NEW);
	uint64_t largest = 0;
	for (uint64_t i = 0; i < 25; i++) {
		CHECK(store_begin(store, &err) != STORE_WANTS_NOTHING);
		for (uint64_t k = 0; k < 5000; k++) {
			struct store_run comes = run_of(i * 5000 + k, -1), goes = run_of(comes.id - 20000, -1);
			store_put_run(store, &comes);
			store_remove_run(store, &goes);
		}
		CHECK(store_commit(store, &err));
		largest = store_bytes(store) > largest ? store_bytes(store) : largest;
	}
	printf("20,000 runs, 10,000 changes a commit: %.1f MiB at most\n", (double)largest / (1 << 20));
	CHECK(largest < 3 * 20000 * 300 + (32 << 20));
	store_free(store);
}

/* Room that one commit needed beside the file, such as the first one of a large cluster, is given back. */
static void test_large_commit(void)
{
	char wal[80];
	struct stat large, after;
	fresh("large");
	snprintf(wal, sizeof wal, "%s-wal", path);
	struct error err = {""};
	struct store *store = load_store(path, "", STORE_NEW);
	CHECK(store_begin(store, &err) == STORE_WANTS_ALL);
	for (uint64_t i = 0; i < 200000; i++) {
		struct store_run run = run_of(i, -1);
		store_put_run(store, &run);
	}
	CHECK(store_commit(store, &err));
	CHECK(stat(wal, &large) == 0 && large.st_size > 16 << 20);
	save_mark(store, "a", 1, STORE_WANTS_CHANGES);
	save_mark(store, "b", 2, STORE_WANTS_CHANGES);
	CHECK(stat(wal, &after) == 0 && after.st_size <= 16 << 20);
	printf("200,000 runs in one commit: %.1f MiB beside the file, then %.1f\n", (double)large.st_size / (1 << 20),
	       (double)after.st_size / (1 << 20));
	store_free(store);
}

int main(void)
{
	CHECK(mkdtemp(folder));
	test_round_trip();
	test_all_again();
	test_remove_jobs();
	test_transactions();
	test_file();
	test_removed_while_open();
	test_replaced_while_open();
	test_cluster();
	test_without_wal();
	test_file_systems();
	test_older_files();
	test_migration();
	test_bounded();
	test_large_commit();
	char command[80];
	snprintf(command, sizeof command, "rm -r %s", folder);
	CHECK(system(command) == 0);
	return check_done();
}
