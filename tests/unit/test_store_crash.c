/* A crash at every single change of the store's files, or at every Nth: test_store_crash N. Afterwards the store finds
 * what the last commit that returned true left, or the one in flight. It heals after errors that pass. */
#include "check.h"
#include "faulty_vfs.h"
#include "store/db.h"
#include "store_rows.h"

#include <sys/stat.h>

enum { COUNTERS = 30, RUNS = 150, STEPS = 8, RESTART_AT = 4 };

/* What a caller has in memory. */
struct memory {
	double counters[COUNTERS];
	int64_t counted[RUNS]; /* 0: there is no such run */
	int64_t cursor;
	bool counter_changed[COUNTERS], run_changed[RUNS];
};

static char folder[64], path[96];
static int stride = 1, turn; /* of N changes in a row each kind of failure takes another one */
static sqlite3 *handle; /* the connection opened last */
static char *wanted[STEPS + 1]; /* dumps; the index is the number of steps */

static int on_connect(sqlite3 *connection, const char **ret_error, const struct sqlite3_api_routines *api)
{
	(void)ret_error, (void)api;
	handle = connection;
	return SQLITE_OK;
}

static void step(struct memory *memory, int number)
{
	memset(memory->counter_changed, 0, sizeof memory->counter_changed);
	memset(memory->run_changed, 0, sizeof memory->run_changed);
	for (int i = number % 3; i < COUNTERS; i += 3) {
		memory->counters[i] += number + i;
		memory->counter_changed[i] = true;
	}
	for (int i = 0; i < RUNS; i++) {
		bool begins = i / 25 == number, ends = i / 25 == number - 4 && i % 2;
		if (begins || ends || (i % 7 == number % 7 && memory->counted[i])) {
			memory->counted[i] = ends ? 0 : 1000 + number;
			memory->run_changed[i] = true;
		}
	}
	memory->cursor = number + 1;
}

static struct store_run run_number(const struct memory *memory, int i)
{
	struct store_run run = run_of(5000 + (uint64_t)i, i % 3 - 1);
	run.counted = memory->counted[i];
	return run;
}

/* Its record in the job table comes, changes and goes with it. */
static struct store_job job_number(const struct store_run *run)
{
	struct store_job job = job_of(run->id);
	job.end_time = (uint64_t)run->counted;
	return job;
}

static struct store_counter counter_number(const struct memory *memory, int i, char name[16])
{
	snprintf(name, 16, "p%02d", i);
	return (struct store_counter){TEXT("partition"), text_of(name), TEXT("jobs_ended"), TEXT("FAILED"),
				      memory->counters[i]};
}

static void offer(struct store *store, const struct memory *memory, bool all)
{
	char name[16];
	for (int i = 0; i < COUNTERS; i++) {
		struct store_counter counter = counter_number(memory, i, name);
		if (all || memory->counter_changed[i])
			store_put_counter(store, &counter);
	}
	for (int i = 0; i < RUNS; i++) {
		struct store_run run = run_number(memory, i);
		if (run.counted && (all || memory->run_changed[i]))
			store_put_run(store, &run);
		else if (memory->run_changed[i])
			store_remove_run(store, &run);
		const struct store_job job = job_number(&run);
		if (run.counted && (all || memory->run_changed[i]))
			store_put_job(store, &job);
		else if (memory->run_changed[i])
			store_remove_job(store, job.id);
	}
	store_put_mark(store, "cursor", memory->cursor);
}

static bool save(struct store *store, const struct memory *memory)
{
	struct error err;
	enum store_wants wants = store_begin(store, &err);
	if (wants == STORE_WANTS_NOTHING)
		return false;
	sqlite3_wal_autocheckpoint(handle, 12); /* else a test would be too short for one */
	offer(store, memory, wants == STORE_WANTS_ALL);
	return store_commit(store, &err);
}

static void remember(const struct memory *memory)
{
	struct buf dump = BUF_INIT;
	char name[16];
	for (int i = 0; i < COUNTERS; i++) {
		struct store_counter counter = counter_number(memory, i, name);
		dump_counter(&counter, &dump);
	}
	for (int i = 0; i < RUNS; i++) {
		struct store_run run = run_number(memory, i);
		if (run.counted)
			dump_run(&run, &dump);
	}
	dump_mark(TEXT("cursor"), memory->cursor, &dump);
	for (int i = 0; i < RUNS; i++) {
		const struct store_run run = run_number(memory, i);
		const struct store_job job = job_number(&run);
		if (run.counted)
			dump_job(&job, &dump);
	}
	wanted[memory->cursor] = dump.bytes;
}

static void remember_all(void)
{
	struct memory memory = {0};
	wanted[0] = strdup("");
	for (int i = 0; i < STEPS; i++) {
		step(&memory, i);
		remember(&memory);
	}
}

/* The change or allocation before the first one to fail. */
static int begin_at(void)
{
	return turn++ % stride + 1 - stride;
}

static struct store *open_store(bool avoid_wal)
{
	struct store *store = store_new(path, "c1");
	if (avoid_wal)
		store_share(store);
	return store;
}

/* Lives until the first failure, with a restart on the way; returns how many steps were committed. */
static int live(bool avoid_wal)
{
	struct memory memory = {0};
	struct error err;
	struct store *store = NULL;
	int done = 0;
	for (bool goes_on = true; goes_on && done < STEPS; done += goes_on) {
		if (done == 0 || done == RESTART_AT) {
			struct buf dump = BUF_INIT;
			store_free(store);
			store = open_store(avoid_wal);
			goes_on = load_dump(store, &dump, &err) != STORE_UNUSABLE;
			buf_done(&dump);
		}
		step(&memory, done);
		goes_on = goes_on && save(store, &memory);
	}
	store_free(store);
	return done;
}

static void remove_files(void)
{
	static const char *const suffixes[] = {"", "-wal", "-journal"};
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
		char name[128];
		snprintf(name, sizeof name, "%s%s", path, suffixes[i]);
		unlink(name);
	}
}

static void check_goes_on(struct store *store)
{
	struct error err;
	CHECK(store_begin(store, &err) != STORE_WANTS_NOTHING);
	store_put_mark(store, "another", 1);
	CHECK(store_commit(store, &err));
}

/* After the crash: is it one of the neighbours, and can it be written? */
static void check_neighbour(int done, bool avoid_wal)
{
	struct buf dump = BUF_INIT;
	struct error err = {"?"};
	struct store *store = open_store(avoid_wal);
	enum store_found found = load_dump(store, &dump, &err);
	const char *got = dump.len ? dump.bytes : "";
	CHECK(found == STORE_LOADED || (found == STORE_NEW && done == 0));
	CHECK(strcmp(got, wanted[done]) == 0 || (done < STEPS && strcmp(got, wanted[done + 1]) == 0));
	check_goes_on(store);
	store_free(store);
	buf_done(&dump);
}

static void test_deaths(enum fault_kind kind, bool avoid_wal, const char *name)
{
	int at = begin_at(), changes;
	do {
		char row[64];
		snprintf(row, sizeof row, "%s at %d%s", name, at += stride, avoid_wal ? ", rollback" : "");
		check_row(row);
		remove_files();
		faulty_start(kind, at);
		int done = live(avoid_wal);
		changes = faulty.change_count;
		faulty_restart();
		check_neighbour(done, avoid_wal);
		CHECK(done == STEPS || changes >= at);
	} while (changes >= at);
	printf("%s%s: at one in %d of %d changes\n", name, avoid_wal ? ", rollback journal" : "", stride, changes);
	CHECK(at > 100);
}

/* Goes on in memory while the store fails, and offers everything when asked to. */
static void live_through(bool avoid_wal, int mended_at)
{
	struct memory memory = {0};
	struct error err;
	struct store *store = open_store(avoid_wal);
	bool is_loaded = false, is_saved = false;
	for (int i = 0; i < STEPS; i++) {
		struct buf dump = BUF_INIT;
		if (i == mended_at)
			faulty.kind = FAULT_NEVER;
		step(&memory, i);
		is_loaded = is_loaded || load_dump(store, &dump, &err) != STORE_UNUSABLE;
		is_saved = is_loaded && save(store, &memory);
		buf_done(&dump);
	}
	CHECK(is_loaded && (is_saved || save(store, &memory)));
	CHECK(store_set_aside_count(store) == 0);
	store_free(store);
}

static void test_healing(enum fault_kind kind, bool avoid_wal, const char *name)
{
	int at = begin_at(), changes;
	do {
		char row[64];
		struct buf dump = BUF_INIT;
		struct error err = {""};
		snprintf(row, sizeof row, "%s at %d%s", name, at += stride, avoid_wal ? ", rollback" : "");
		check_row(row);
		remove_files();
		faulty_start(kind, at);
		live_through(avoid_wal, kind == FAULT_FULL ? STEPS - 2 : -1);
		changes = faulty.change_count;
		faulty_restart();
		struct store *store = open_store(avoid_wal);
		CHECK(load_dump(store, &dump, &err) == STORE_LOADED);
		CHECK_STRING(dump.bytes, wanted[STEPS]);
		store_free(store);
		buf_done(&dump);
	} while (changes >= at);
	printf("%s%s: at one in %d of %d changes\n", name, avoid_wal ? ", rollback journal" : "", stride, changes);
}

/* Reads the file while something fails once: now, or when it is tried again. All of it is there, nothing was set aside. */
static bool is_late(bool avoid_wal)
{
	struct buf dump = BUF_INIT;
	struct error err = {""};
	struct store *store = open_store(avoid_wal);
	enum store_found found = load_dump(store, &dump, &err);
	CHECK(found == STORE_LOADED || found == STORE_UNUSABLE);
	if (found == STORE_UNUSABLE) {
		buf_clear(&dump);
		CHECK(load_dump(store, &dump, &err) == STORE_LOADED);
	}
	CHECK_STRING(dump.bytes, wanted[STEPS]);
	CHECK(store_set_aside_count(store) == 0);
	store_free(store);
	buf_done(&dump);
	return found == STORE_UNUSABLE;
}

/* SQLite calls a file damaged if one read of it fails. It must not be set aside for that. */
static void test_unreadable(bool avoid_wal)
{
	int at = 0, waits = 0;
	do {
		char row[64];
		snprintf(row, sizeof row, "unreadable at %d%s", ++at, avoid_wal ? ", rollback" : "");
		check_row(row);
		remove_files();
		faulty_start(FAULT_NEVER, 0);
		live_through(avoid_wal, -1);
		faulty_start(FAULT_UNREAD, at);
		waits += is_late(avoid_wal);
	} while (faulty.read_count >= at);
	CHECK(waits > 3);
	printf("unreadable%s: at each of %d reads\n", avoid_wal ? ", rollback journal" : "", at - 1);
}

static struct {
	sqlite3_mem_methods real;
	int count, fails_at;
} memory_of_sqlite;

static bool has_memory(void)
{
	return ++memory_of_sqlite.count != memory_of_sqlite.fails_at;
}

static void *get_memory(int size)
{
	return has_memory() ? memory_of_sqlite.real.xMalloc(size) : NULL;
}

static void *resize_memory(void *old, int size)
{
	return has_memory() ? memory_of_sqlite.real.xRealloc(old, size) : NULL;
}

/* Before SQLite's first use. */
static void make_memory_scarce(void)
{
	sqlite3_config(SQLITE_CONFIG_GETMALLOC, &memory_of_sqlite.real);
	sqlite3_mem_methods scarce = memory_of_sqlite.real;
	scarce.xMalloc = get_memory;
	scarce.xRealloc = resize_memory;
	CHECK(sqlite3_config(SQLITE_CONFIG_MALLOC, &scarce) == SQLITE_OK);
}

/* SQLite's check calls a file damaged if it has no memory for one of its pages. */
static void test_check_without_memory(void)
{
	int at = begin_at(), failures = 0;
	remove_files();
	faulty_start(FAULT_NEVER, 0);
	live_through(false, -1);
	do {
		char row[64];
		snprintf(row, sizeof row, "no memory at %d", at += stride);
		check_row(row);
		struct db *db = db_open(path);
		db_run(db, "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA cache_size = -8192");
		memory_of_sqlite.count = 0;
		memory_of_sqlite.fails_at = at;
		failures += !db_check(db);
		memory_of_sqlite.fails_at = 0;
		CHECK(!db_is_damaged(db));
		db_close(db, false);
	} while (memory_of_sqlite.count >= at);
	CHECK(failures > 3);
	printf("no memory: at one in %d of %d allocations\n", stride, memory_of_sqlite.count);
}

int main(int argc, char **argv)
{
	stride = argc > 1 ? atoi(argv[1]) : stride;
	/* Where there is memory for files, nothing waits for a disk; power failures are ours to make. */
	snprintf(folder, sizeof folder, "/dev/shm/test-store-XXXXXX");
	if (!mkdtemp(folder)) {
		snprintf(folder, sizeof folder, "/tmp/test-store-XXXXXX");
		CHECK(mkdtemp(folder));
	}
	snprintf(path, sizeof path, "%s/state.db", folder);
	make_memory_scarce();
	faulty_install();
	sqlite3_auto_extension((void (*)(void))on_connect);
	remember_all();
	for (int avoid_wal = 0; avoid_wal < 2; avoid_wal++) {
		test_deaths(FAULT_DEATH, avoid_wal, "death");
		test_deaths(FAULT_TORN_DEATH, avoid_wal, "death in a write");
		test_deaths(FAULT_POWER, avoid_wal, "power loss");
		test_deaths(FAULT_POWER_SOME, avoid_wal, "power loss, part written");
		test_healing(FAULT_ONCE, avoid_wal, "an I/O error");
		test_healing(FAULT_FULL, avoid_wal, "disk full for a while");
		test_unreadable(avoid_wal);
	}
	test_check_without_memory();
	remove_files();
	rmdir(folder);
	for (int i = 0; i <= STEPS; i++)
		free(wanted[i]);
	return check_done();
}
