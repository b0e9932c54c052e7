/* The store where something is wrong: with the file, its folder, the disk, or other processes. */
#include "check.h"
#include "store_rows.h"

#include "store/path.h"
#include "store/schema.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <math.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

enum { RUNS = 300, KILLS = 20 };

static char folder[] = "/tmp/test-store-XXXXXX", path[64];

static void fresh(const char *name)
{
	snprintf(path, sizeof path, "%s/%s", folder, name);
}

static void write_file(const void *bytes, size_t len)
{
	int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	CHECK(write(file, bytes, len) == (ssize_t)len);
	close(file);
}

static struct buf read_file(const char *name)
{
	struct buf bytes = BUF_INIT;
	char chunk[4096];
	ssize_t got;
	int file = open(name, O_RDONLY);
	while ((got = read(file, chunk, sizeof chunk)) > 0)
		buf_add(&bytes, chunk, (size_t)got);
	close(file);
	return bytes;
}

/* A file with some content, closed as is proper. */
static void make_file(void)
{
	struct error err;
	struct store *store = load_store(path, "c1", STORE_NEW);
	CHECK(store_begin(store, &err) == STORE_WANTS_ALL);
	for (uint64_t i = 0; i < RUNS; i++) {
		struct store_run run = run_of(i, -1);
		store_put_run(store, &run);
	}
	store_put_mark(store, "cursor", 42);
	CHECK(store_commit(store, &err));
	store_free(store);
}

/* The one file that was set aside holds these bytes; NULL: it may have been changed. It is removed. */
static void check_set_aside(const char *label, const struct buf *bytes)
{
	char pattern[96];
	glob_t found = {0};
	snprintf(pattern, sizeof pattern, "%s.%s-*[0-9]", path, label);
	CHECK(glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc == 1);
	if (found.gl_pathc) {
		struct buf got = read_file(found.gl_pathv[0]);
		CHECK(!bytes || text_equal(buf_text(&got), buf_text(bytes)));
		buf_done(&got);
		unlink(found.gl_pathv[0]);
	}
	globfree(&found);
}

/* Loads whatever there is; in any case it can be written and read again. */
static enum store_found load_any(char **ret_dump)
{
	struct buf dump = BUF_INIT;
	struct error err = {""};
	struct store *store = store_new(path, "c1");
	enum store_found found = load_dump(store, &dump, &err);
	CHECK(found != STORE_UNUSABLE);
	CHECK(found != STORE_SET_ASIDE || (strstr(err.text, path) && strstr(err.text, "moved to")));
	save_mark(store, "new", 1, found == STORE_LOADED ? STORE_WANTS_CHANGES : STORE_WANTS_ALL);
	store_free(store);
	if (found != STORE_LOADED)
		check_dump(path, "new|1\n");
	if (ret_dump)
		*ret_dump = dump.bytes;
	else
		buf_done(&dump);
	return found;
}

static void test_garbage(void)
{
	static const char zeros[8192];
	static const struct {
		const char *name, *bytes;
		size_t len;
		enum store_found want;
	} rows[] = {
		{"empty", "", 0, STORE_NEW},
		{"one byte", "x", 1, STORE_NEW}, /* to SQLite it is empty */
		{"text", "ControlMachine=head\nSlurmUser=slurm\n", 36, STORE_SET_ASIDE},
		{"zeros", zeros, sizeof zeros, STORE_SET_ASIDE},
		{"only the magic", "SQLite format 3\0", 16, STORE_SET_ASIDE},
	};
	fresh("garbage");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct buf bytes = BUF_INIT;
		buf_add(&bytes, rows[i].bytes, rows[i].len);
		write_file(rows[i].bytes, rows[i].len);
		check_row(rows[i].name);
		CHECK_NUMBER(load_any(NULL), rows[i].want);
		if (rows[i].want == STORE_SET_ASIDE)
			check_set_aside("damaged", &bytes);
		unlink(path);
		buf_done(&bytes);
	}
}

/* Cut off anywhere, or with any bytes overwritten: never a crash, and never less than there was without
 * a word. (A file cut to nothing is a new one.) */
static void test_mutilated(void)
{
	unsigned seed = 1;
	int set_aside = 0;
	fresh("mutilated");
	make_file();
	char *whole = dump_of(path, NULL), row[64];
	struct buf good = read_file(path);
	for (int i = 0; i < 150; i++) {
		struct buf bytes = BUF_INIT;
		char *dump = NULL;
		buf_add_text(&bytes, buf_text(&good));
		bool is_cut = i % 3 == 0;
		size_t at = 16 + (size_t)rand_r(&seed) % (good.len - 16), len = 1 + (size_t)rand_r(&seed) % 2000;
		snprintf(row, sizeof row, "%s at %zu, %zu", is_cut ? "cut" : "overwritten", at, len);
		for (size_t k = at; k < good.len && k < at + len; k++)
			bytes.bytes[k] = (char)rand_r(&seed);
		bytes.len = is_cut ? at : bytes.len;
		write_file(bytes.bytes, bytes.len);
		enum store_found found = load_any(&dump);
		check_row(row);
		CHECK(found == STORE_SET_ASIDE || found == STORE_LOADED);
		CHECK(!is_cut || found == STORE_SET_ASIDE || strcmp(dump, whole) == 0);
		set_aside += found == STORE_SET_ASIDE;
		unlink(path);
		buf_done(&bytes);
		free(dump);
	}
	printf("150 mutilated files: %d set aside, the others differ inside a row\n", set_aside);
	CHECK(set_aside > 100);
	buf_done(&good);
	free(whole);
}

/* Commits once more and dies, so that the last commit is in the WAL alone. */
static void die_with_wal(void)
{
	pid_t child = fork();
	if (child == 0) {
		save_mark(load_store(path, "c1", STORE_LOADED), "cursor", 43, STORE_WANTS_CHANGES);
		_exit(check_failures);
	}
	int status = 1;
	CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static void spoil(long from, int bytes)
{
	FILE *file = fopen(path, "r+");
	fseek(file, from, SEEK_SET);
	for (int i = 0; i < bytes; i++)
		putc(0xff, file);
	fclose(file);
}

/* Anyone who looks into a damaged file finds it as it was, and beside it its WAL with what the file lacks. */
static void test_damaged_with_wal(void)
{
	char wal[80], pattern[96];
	glob_t found = {0};
	fresh("damaged-with-wal");
	make_file();
	die_with_wal();
	snprintf(wal, sizeof wal, "%s-wal", path);
	snprintf(pattern, sizeof pattern, "%s.damaged-*-wal", path);
	char *whole = dump_of(path, NULL); /* the last commit can be had from both */
	CHECK(strstr(whole, "cursor|43\n") != NULL);
	free(whole);
	die_with_wal();
	spoil(4 * 4096, 4096);
	struct buf before = read_file(path), wal_before = read_file(wal);
	CHECK(wal_before.len > 4096);
	CHECK_NUMBER(load_any(NULL), STORE_SET_ASIDE);
	CHECK(glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc == 1);
	if (found.gl_pathc) {
		struct buf wal_after = read_file(found.gl_pathv[0]);
		CHECK(text_equal(buf_text(&wal_before), buf_text(&wal_after)));
		buf_done(&wal_after);
	}
	check_set_aside("damaged", &before);
	globfree(&found);
	buf_done(&before);
	buf_done(&wal_before);
}

/* Pages that are read again while the file is in use. */
static void test_damaged_while_open(void)
{
	fresh("rotting");
	struct error err = {""};
	struct store *store = load_store(path, "", STORE_NEW);
	CHECK(store_begin(store, &err) == STORE_WANTS_ALL);
	for (uint64_t i = 0; i < 120000; i++) { /* more than the cache holds */
		struct store_run run = run_of(i, -1);
		store_put_run(store, &run);
	}
	CHECK(store_commit(store, &err));
	store_free(store); /* from the WAL to the file */
	store = load_store(path, "", STORE_LOADED);
	spoil(8192, 10 << 20);
	CHECK(store_begin(store, &err) == STORE_WANTS_CHANGES);
	for (uint64_t i = 0; i < 120000; i += 100) {
		struct store_run run = run_of(i, -1);
		run.bits = 7;
		store_put_run(store, &run);
	}
	CHECK(!store_commit(store, &err));
	CHECK(strstr(err.text, "malformed") && strstr(err.text, "moved to"));
	CHECK_NUMBER(store_set_aside_count(store), 1);
	save_mark(store, "a", 1, STORE_WANTS_ALL);
	store_free(store);
	check_dump(path, "a|1\n");
}

static void run_sql(const char *sql)
{
	sqlite3 *handle;
	CHECK(sqlite3_open(path, &handle) == SQLITE_OK);
	CHECK(sqlite3_exec(handle, sql, NULL, NULL, NULL) == SQLITE_OK);
	sqlite3_close(handle);
}

static void test_not_ours(void)
{
	static const struct {
		const char *sql;
		enum store_found want;
		const char *label;
		bool is_noticed_late; /* when it was made a WAL's */
	} rows[] = {
		{"CREATE TABLE bookmarks (url)", STORE_SET_ASIDE, "foreign", false},
		{"CREATE TABLE counter (x); PRAGMA user_version = 1", STORE_SET_ASIDE, "foreign", false},
		{"PRAGMA application_id = 77", STORE_SET_ASIDE, "foreign", false},
		{"PRAGMA application_id = 1935896677; PRAGMA user_version = 1", STORE_SET_ASIDE, "damaged", true},
		{"PRAGMA application_id = 1935896677; PRAGMA user_version = -1", STORE_SET_ASIDE, "damaged", false},
		{"PRAGMA application_id = 1935896677; PRAGMA user_version = -2147483648", STORE_SET_ASIDE, "damaged",
		 false},
		{"PRAGMA application_id = 1935896677; CREATE TABLE run (x)", STORE_SET_ASIDE, "damaged", true},
		{"CREATE TABLE t (x); DROP TABLE t", STORE_NEW, NULL, false},
	};
	fresh("foreign");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		run_sql(rows[i].sql);
		struct buf bytes = read_file(path);
		CHECK_NUMBER(load_any(NULL), rows[i].want);
		check_row(rows[i].sql);
		if (rows[i].label)
			check_set_aside(rows[i].label, rows[i].is_noticed_late ? NULL : &bytes);
		unlink(path);
		buf_done(&bytes);
	}
}

/* Each table in turn is a view with rows without end, or has a trigger that undoes what is written. */
static void test_hostile_schema(void)
{
	static const char *const tables[] = {"counter", "mark", "run", "job", "ended", "outage"};
	char sql[512];
	fresh("hostile");
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		check_row(tables[i]);
		make_file();
		snprintf(sql, sizeof sql,
			 "ALTER TABLE %s RENAME TO old; CREATE VIEW %s AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL "
			 "SELECT i + 1 FROM n) SELECT old.* FROM n LEFT JOIN old",
			 tables[i], tables[i]);
		run_sql(sql);
		alarm(120);
		CHECK_NUMBER(load_any(NULL), STORE_SET_ASIDE);
		alarm(0);
		check_set_aside("damaged", NULL);
		unlink(path);
	}
	make_file();
	run_sql("CREATE TRIGGER undo AFTER INSERT ON mark BEGIN DELETE FROM mark; END");
	struct store *store = load_store(path, "c1", STORE_LOADED);
	save_mark(store, "cursor", 43, STORE_WANTS_CHANGES);
	store_free(store);
	char *dump;
	CHECK_NUMBER(load_any(&dump), STORE_LOADED);
	CHECK(strstr(dump, "cursor|43"));
	free(dump);
	unlink(path);
}

static void test_newer(void)
{
	fresh("newer");
	struct buf dump = BUF_INIT;
	struct error err = {""};
	char next[40];
	make_file();
	snprintf(next, sizeof next, "PRAGMA user_version = %d", store_schema.version + 1);
	run_sql(next);
	struct buf before = read_file(path);
	struct store *store = store_new(path, "");
	CHECK(load_dump(store, &dump, &err) == STORE_UNUSABLE);
	CHECK(strstr(err.text, "newer slurmscope"));
	CHECK(store_begin(store, &err) == STORE_WANTS_NOTHING);
	store_free(store);
	struct buf after = read_file(path);
	CHECK(text_equal(buf_text(&before), buf_text(&after)));
	buf_done(&before);
	buf_done(&after);
	buf_done(&dump);
}

/* A folder that is missing, or where nothing can be made; a file that can only be read. */
static void test_permissions(void)
{
	char missing[80];
	fresh("closed");
	snprintf(missing, sizeof missing, "%s/state.db", path);
	store_free(load_store(missing, "", STORE_UNUSABLE));
	struct error err = {""};
	CHECK(!store_check(missing, &err) && strstr(err.text, path));
	CHECK(mkdir(path, 0500) == 0);
	CHECK(!store_check(folder, &err) && strstr(err.text, folder));
	CHECK(store_check(missing, &err) || geteuid() != 0); /* access(2) is of the real user */
	store_free(load_store(folder, "", STORE_UNUSABLE)); /* is a folder */
	if (geteuid() == 0) /* whom no permission binds */
		CHECK(chown(path, 65534, 65534) == 0 && seteuid(65534) == 0);
	store_free(load_store(missing, "", STORE_UNUSABLE));
	chmod(path, 0700);
	struct store *store = load_store(missing, "", STORE_NEW);
	save_mark(store, "a", 1, STORE_WANTS_ALL);
	store_free(store);
	chmod(missing, 0400);
	store_free(load_store(missing, "", STORE_UNUSABLE));
	chmod(missing, 0600);
	store_free(load_store(missing, "", STORE_LOADED));
	if (getuid() == 0)
		CHECK(seteuid(0) == 0);
}

/* Files may not grow: what the disk says when it is full, but for the error's number. */
static void test_no_room(void)
{
	fresh("full");
	struct error err = {""};
	struct store *store = load_store(path, "", STORE_NEW);
	save_mark(store, "a", 1, STORE_WANTS_ALL);
	struct rlimit limit, small;
	getrlimit(RLIMIT_FSIZE, &limit);
	small = limit;
	small.rlim_cur = 32768;
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &small);
	for (int i = 0; i < 2; i++) {
		CHECK(store_begin(store, &err) == (i ? STORE_WANTS_ALL : STORE_WANTS_CHANGES));
		for (uint64_t k = 0; k < 1000; k++) {
			struct store_run run = run_of(k, -1);
			store_put_run(store, &run);
		}
		CHECK(!store_commit(store, &err) && strstr(err.text, path));
		check_dump(path, "a|1\n");
	}
	setrlimit(RLIMIT_FSIZE, &limit);
	save_mark(store, "b", 2, STORE_WANTS_ALL);
	CHECK_NUMBER(store_set_aside_count(store), 0);
	store_free(store);
	check_dump(path, "b|2\n");
}

/* Commits on and on, and says which. Two rows a commit, so that half of one would show. */
static void live(int told)
{
	struct buf dump = BUF_INIT;
	struct error err;
	struct store *store = store_new(path, "");
	if (load_dump(store, &dump, &err) == STORE_UNUSABLE)
		_exit(1);
	int64_t number = 0;
	if (dump.len)
		sscanf(dump.bytes, "a|%" SCNd64, &number);
	for (;; number++) {
		if (write(told, &number, sizeof number) < 0 || !store_begin(store, &err))
			_exit(1);
		store_put_mark(store, "a", number + 1);
		store_put_mark(store, "b", number + 1);
		if (!store_commit(store, &err))
			_exit(1);
	}
}

/* What a process that was killed had committed is there; as long as it lives nobody else gets the file. */
static void test_kills(void)
{
	fresh("killed");
	unsigned seed = 1;
	int64_t last = -1;
	for (int i = 0; i < KILLS; i++) {
		int64_t number = -1, a = 0, b = 0;
		int told[2];
		CHECK(pipe(told) == 0);
		pid_t child = fork();
		if (child == 0)
			live(told[1]);
		close(told[1]);
		CHECK(read(told[0], &number, sizeof number) == sizeof number && number >= last);
		if (i % 5 == 0) /* it would lose its lock if we opened the file without SQLite */
			store_free(load_store(path, "", STORE_UNUSABLE));
		usleep((useconds_t)rand_r(&seed) % 20000);
		kill(child, SIGKILL);
		CHECK(waitpid(child, NULL, 0) == child);
		while (read(told[0], &number, sizeof number) == sizeof number)
			last = number;
		close(told[0]);
		char *dump = dump_of(path, NULL);
		if (number)
			CHECK(sscanf(dump, "a|%" SCNd64 "\nb|%" SCNd64, &a, &b) == 2 && a == b);
		CHECK(a == number || a == number + 1);
		free(dump);
	}
	printf("%d kills, %" PRId64 " commits\n", KILLS, last);
	CHECK(last > 0);
}

/* What is in the folder when it is synced, which is what survives power loss: "state", or "state state-wal;state". */
static struct buf synced;
static int sync_error, sync_error_at, syncs;

int __real_fsync(int file);
int __wrap_fsync(int file);

static int compare_names(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

int __wrap_fsync(int file)
{
	struct stat status;
	CHECK(fstat(file, &status) == 0 && S_ISDIR(status.st_mode));
	char *names[8];
	size_t count = 0;
	DIR *dir = fdopendir(openat(file, ".", O_RDONLY | O_DIRECTORY));
	for (struct dirent *entry; (entry = readdir(dir)) && count < 8;)
		if (*entry->d_name != '.')
			names[count++] = strdup(entry->d_name);
	closedir(dir);
	qsort(names, count, sizeof *names, compare_names);
	for (size_t i = 0; i < count; i++) {
		buf_printf(&synced, "%s%s", i ? " " : "", names[i]);
		free(names[i]);
	}
	buf_add_char(&synced, ';');
	errno = sync_error;
	return ++syncs == sync_error_at ? -1 : __real_fsync(file);
}

/* The n-th sync fails, from now on. */
static void begin_syncs(int fail_at, int why)
{
	buf_clear(&synced);
	syncs = 0;
	sync_error_at = fail_at;
	sync_error = why;
}

static void check_syncs(const char *want)
{
	CHECK_STRING(synced.len ? synced.bytes : "", want);
}

/* What was made, or moved, is in its folder also after power loss. */
static void test_folder_is_synced(void)
{
	char other[80], name[80];
	struct error err = {""};
	fresh("synced");
	CHECK(mkdir(path, 0700) == 0);
	fresh("synced/state");
	check_row("a new file");
	begin_syncs(0, 0);
	free(path_make(path, &err));
	check_syncs("state;");
	check_row("one that was there");
	begin_syncs(0, 0);
	free(path_make(path, &err));
	check_syncs("");
	check_row("it cannot be synced");
	CHECK(unlink(path) == 0);
	begin_syncs(1, EIO);
	CHECK(path_make(path, &err) == NULL && strstr(err.text, strerror(EIO)));
	check_row("where that cannot be done, as on some network file systems");
	CHECK(unlink(path) == 0);
	begin_syncs(1, EINVAL);
	char *real = path_make(path, &err);
	CHECK(real != NULL);
	free(real);
	check_row("another one takes its place: first what was beside it is gone for good");
	snprintf(other, sizeof other, "%s/synced/x", folder);
	for (int fail_at = 1; fail_at <= 3; fail_at++) {
		snprintf(name, sizeof name, "%s-journal", path);
		close(open(name, O_WRONLY | O_CREAT, 0600));
		close(open(other, O_WRONLY | O_CREAT, 0600));
		begin_syncs(fail_at, EIO);
		CHECK(path_replace(path, other, &err) == (fail_at > 2));
		check_syncs(fail_at == 1 ? "state x;" : "state x;state;");
	}
	begin_syncs(0, 0);
	buf_done(&synced);
	synced = (struct buf)BUF_INIT;
	check_row(NULL);
}

static int descriptors(void)
{
	int count = 0;
	DIR *dir = opendir("/proc/self/fd");
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

/* A process that has the file until it is killed. */
static pid_t hold(void)
{
	int told[2];
	char word;
	CHECK(pipe(told) == 0);
	pid_t child = fork();
	if (child == 0) {
		struct buf dump = BUF_INIT;
		struct error err;
		struct store *store = store_new(path, "");
		word = load_dump(store, &dump, &err) == STORE_UNUSABLE ? 'n' : 'y';
		if (write(told[1], &word, 1) == 1)
			pause();
		_exit(0);
	}
	close(told[1]);
	CHECK(read(told[0], &word, 1) == 1 && word == 'y');
	close(told[0]);
	return child;
}

static void end(pid_t child)
{
	kill(child, SIGKILL);
	CHECK(waitpid(child, NULL, 0) == child);
}

/* One process has the file, on whatever machine, also when another file is put in its place. */
static void test_lease(void)
{
	char who[32], lock[80], link_path[80];
	struct error err = {""};
	struct buf dump = BUF_INIT;
	fresh("leased");
	CHECK(store_is_free(path, &err)); /* it is not there yet */
	snprintf(link_path, sizeof link_path, "%s/linked", folder);
	snprintf(lock, sizeof lock, "%s.lock", path);
	struct store *store = load_store(path, "", STORE_NEW);
	CHECK(symlink(path, link_path) == 0);
	CHECK(!store_is_free(path, &err)); /* not even for this process */
	save_mark(store, "a", 1, STORE_WANTS_ALL);
	store_free(store);
	int unused = descriptors();
	CHECK(store_is_free(path, &err) && store_is_free(link_path, &err));
	CHECK(unlink(lock) == 0); /* the file was restored without it */
	CHECK(store_is_free(path, &err));
	CHECK_NUMBER(descriptors(), unused);
	for (int i = 0; i < 3; i++) {
		pid_t child = hold();
		snprintf(who, sizeof who, "process %d)", (int)child);
		if (i == 1) { /* such as a copy; SQLite's own lock is the old one's */
			CHECK(unlink(path) == 0);
			write_file("", 0);
		}
		const char *name = i == 2 ? link_path : path;
		int before = descriptors();
		CHECK(!store_is_free(name, &err) && strstr(err.text, who));
		CHECK_NUMBER(descriptors(), before); /* a standby asks again and again */
		store = store_new(name, "");
		CHECK(load_dump(store, &dump, &err) == STORE_UNUSABLE && strstr(err.text, who));
		CHECK_NUMBER(descriptors(), before);
		CHECK(store_is_elsewhere(store));
		CHECK(store_begin(store, &err) == STORE_WANTS_NOTHING);
		end(child);
		CHECK(load_dump(store, &dump, &err) == (i == 1 ? STORE_NEW : STORE_LOADED));
		CHECK(!store_is_elsewhere(store));
		store_free(store);
	}
	buf_done(&dump);
	CHECK(unlink(lock) == 0 && mkdir(lock, 0700) == 0); /* no lease can be had */
	CHECK(store_is_free(path, &err));
	store = store_new(path, "");
	CHECK(load_dump(store, &dump, &err) == STORE_UNUSABLE && strstr(err.text, lock) && !store_is_elsewhere(store));
	store_free(store);
	buf_done(&dump);
	CHECK(rmdir(lock) == 0);
}

/* Makes a complete shared state file, which has this mark and nothing else. */
static void make_shared(const char *name, int64_t value)
{
	char lock[80];
	struct error err;
	struct buf dump = BUF_INIT;
	struct store *store = store_new(name, "c1");
	store_share(store);
	CHECK(load_dump(store, &dump, &err) == STORE_NEW);
	save_mark(store, "cursor", value, STORE_WANTS_ALL);
	store_free(store);
	buf_done(&dump);
	snprintf(lock, sizeof lock, "%s.lock", name);
	unlink(lock);
}

/* Dies when half of a transaction is in the file, as its machine may: the journal tells how to undo it. */
static void die_as_it_writes(void)
{
	char journal[80];
	pid_t child = fork();
	if (child == 0) {
		sqlite3 *handle;
		sqlite3_open(path, &handle);
		_exit(sqlite3_exec(handle,
				   "PRAGMA cache_size = 1; BEGIN; UPDATE mark SET value = 0;"
				   "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)"
				   "INSERT INTO mark SELECT 'mark ' || i, i FROM n",
				   NULL, NULL, NULL) != SQLITE_OK);
	}
	int status = 1;
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	snprintf(journal, sizeof journal, "%s-journal", path);
	CHECK(access(journal, F_OK) == 0);
}

/* Before the second in which the tests began: ages of 10.3 and 10.7 seconds lie in the same second. */
static void set_age(const char *name, double seconds)
{
	static time_t begin_s;
	if (!begin_s)
		begin_s = time(NULL);
	long whole = (long)ceil(seconds);
	struct timespec times[2];
	times[0] = times[1] = (struct timespec){begin_s - whole, (long)(((double)whole - seconds) * 1e9)};
	CHECK(utimensat(AT_FDCWD, name, times, 0) == 0);
}

/* What another machine has brought is taken if it is newer and whole; never with a journal of what was there before. */
static void test_copy(void)
{
	static const struct {
		const char *name, *bytes; /* of a copy that is not whole */
		double own_age, copy_age; /* seconds; -1: there is none of our own */
		bool is_alone; /* not shared with another machine */
		const char *sql; /* that makes it unusable */
		const char *want;
		enum store_copy what;
	} rows[] = {
		{"newer", NULL, 2000, 1000, false, NULL, "cursor|2\n", STORE_COPY_TAKEN},
		{"newer by a moment", NULL, 10.7, 10.3, false, NULL, "cursor|2\n", STORE_COPY_TAKEN},
		{"the only one", NULL, -1, 1000, false, NULL, "cursor|2\n", STORE_COPY_TAKEN},
		{"older", NULL, 1000, 2000, false, NULL, "cursor|1\n", STORE_COPY_NONE},
		{"older by a moment", NULL, 10.3, 10.7, false, NULL, "cursor|1\n", STORE_COPY_NONE},
		{"of one that is alone", NULL, 2000, 1000, true, NULL, "cursor|1\n", STORE_COPY_NONE},
		{"empty", "", 2000, 1000, false, NULL, "cursor|1\n", STORE_COPY_REFUSED},
		{"damaged", "SQLite format 3\n", 2000, 1000, false, NULL, "cursor|1\n", STORE_COPY_REFUSED},
		{"damaged inside", NULL, 2000, 1000, false,
		 "PRAGMA writable_schema = 1; UPDATE sqlite_master SET rootpage = 3", "cursor|1\n", STORE_COPY_REFUSED},
		{"foreign", NULL, 2000, 1000, false, "PRAGMA application_id = 77", "cursor|1\n", STORE_COPY_REFUSED},
		{"of a newer slurmscope", NULL, 2000, 1000, false, "PRAGMA user_version = 99", "cursor|1\n",
		 STORE_COPY_REFUSED},
	};
	char own[64], copy[72];
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct error err = {""}, story;
		struct buf dump = BUF_INIT;
		snprintf(own, sizeof own, "%s/own-%zu", folder, i);
		memcpy(path, own, sizeof path);
		snprintf(copy, sizeof copy, "%s.copy", own);
		check_row(rows[i].name);
		if (rows[i].own_age >= 0) {
			make_shared(own, 1);
			die_as_it_writes();
			set_age(own, rows[i].own_age);
		}
		make_shared(copy, 2);
		memcpy(path, copy, sizeof path);
		if (rows[i].bytes)
			write_file(rows[i].bytes, strlen(rows[i].bytes));
		if (rows[i].sql)
			run_sql(rows[i].sql);
		set_age(copy, rows[i].copy_age);
		struct store *store = store_new(own, "c1");
		if (!rows[i].is_alone)
			store_share(store);
		CHECK_NUMBER(load_dump(store, &dump, &err), STORE_LOADED);
		CHECK_STRING(dump.bytes, rows[i].want);
		CHECK_NUMBER(store_copy(store, &story), rows[i].what);
		CHECK((access(copy, F_OK) == 0) == (rows[i].what == STORE_COPY_NONE));
		if (rows[i].what == STORE_COPY_REFUSED) {
			CHECK(strstr(story.text, copy) && strstr(story.text, "moved to"));
			check_set_aside("unusable", NULL);
		}
		save_mark(store, "cursor", 3, STORE_WANTS_CHANGES);
		store_free(store);
		check_dump(own, "cursor|3\n");
		buf_done(&dump);
	}
}

/* A whole file with one mark, whose names are hashed as `names` says. */
static void make_named(const char *at, const char *names, int64_t value)
{
	struct buf dump = BUF_INIT;
	struct error err = {""};
	struct store *store = store_new(at, "c1");
	store_set_names(store, names);
	CHECK_NUMBER(load_dump(store, &dump, &err), STORE_NEW);
	save_mark(store, "cursor", value, STORE_WANTS_ALL);
	store_free(store);
	buf_done(&dump);
}

/* Nothing of it is left, neither here nor set aside. */
static void check_alone(const char *at)
{
	char command[400];
	snprintf(command, sizeof command, "ls %s* | grep -vxF -e %s -e %s.lock -e %s-wal | grep -q .", at, at, at, at);
	CHECK(system(command) != 0);
}

static void test_names(void)
{
	static const char *const names[] = {"", "one", "other"};
	for (size_t before = 0; before < 3; before++)
		for (size_t now = 0; now < 3; now++) {
			struct buf dump = BUF_INIT;
			struct error err = {""};
			bool is_same = before == now;
			char at[64];
			snprintf(at, sizeof at, "%s/named-%zu-%zu", folder, before, now);
			check_row(at);
			make_named(at, names[before], 7);
			struct store *store = store_new(at, "c1");
			store_set_names(store, names[now]);
			CHECK_NUMBER(load_dump(store, &dump, &err), is_same ? STORE_LOADED : STORE_REMOVED);
			CHECK_STRING(dump.len ? dump.bytes : "", is_same ? "cursor|7\n" : "");
			CHECK(is_same || (strstr(err.text, at) && strstr(err.text, "slurmscope removed it")));
			CHECK_NUMBER(store_set_aside_count(store), 0);
			save_mark(store, "next", 8, is_same ? STORE_WANTS_CHANGES : STORE_WANTS_ALL);
			check_alone(at);
			store_free(store);
			buf_clear(&dump);
			store = store_new(at, "c1");
			store_set_names(store, names[now]);
			CHECK_NUMBER(load_dump(store, &dump, &err), STORE_LOADED);
			CHECK_STRING(dump.bytes, is_same ? "cursor|7\nnext|8\n" : "next|8\n");
			store_free(store);
			buf_done(&dump);
		}
}

/* A copy that was written later is taken only if its names are hashed alike; else it is not kept, either. */
static void test_names_of_a_copy(void)
{
	for (int is_same = 0; is_same < 2; is_same++) {
		struct buf dump = BUF_INIT;
		struct error err = {""}, story;
		char own[64], copy[72];
		snprintf(own, sizeof own, "%s/named-copy-%d", folder, is_same);
		snprintf(copy, sizeof copy, "%s.copy", own);
		check_row(own);
		make_named(own, "one", 1);
		make_named(copy, is_same ? "one" : "other", 2);
		set_age(own, 1000);
		set_age(copy, 10);
		struct store *store = store_new(own, "c1");
		store_set_names(store, "one");
		store_share(store);
		CHECK_NUMBER(load_dump(store, &dump, &err), STORE_LOADED);
		CHECK_STRING(dump.bytes, is_same ? "cursor|2\n" : "cursor|1\n");
		CHECK_NUMBER(store_copy(store, &story), is_same ? STORE_COPY_TAKEN : STORE_COPY_REFUSED);
		CHECK(is_same || strstr(story.text, "hashed with another key"));
		CHECK(access(copy, F_OK) < 0);
		char aside[160];
		snprintf(aside, sizeof aside, "ls %s.unusable* >/dev/null 2>&1", copy);
		CHECK(system(aside) != 0);
		store_free(store);
		buf_done(&dump);
	}
}

/* An older copy is not taken. If the file is removed for its names, the copy is, too, and also where none is asked for. */
static void test_names_of_an_older_copy(void)
{
	for (int is_shared = 0; is_shared < 2; is_shared++) {
		struct buf dump = BUF_INIT;
		struct error err = {""};
		char own[64], copy[72];
		snprintf(own, sizeof own, "%s/named-older-%d", folder, is_shared);
		snprintf(copy, sizeof copy, "%s.copy", own);
		check_row(own);
		make_named(own, "", 1);
		make_named(copy, "", 2);
		set_age(own, 10);
		set_age(copy, 1000);
		struct store *store = store_new(own, "c1");
		store_set_names(store, "one");
		if (is_shared)
			store_share(store);
		CHECK_NUMBER(load_dump(store, &dump, &err), STORE_REMOVED);
		CHECK_STRING(dump.len ? dump.bytes : "", "");
		CHECK(strstr(
			err.text,
			"its names are not hashed; slurmscope removed it; a copy was beside it; slurmscope removed it"));
		CHECK(access(copy, F_OK) < 0);
		store_free(store);
		buf_done(&dump);
	}
}

/* Twice in a second: neither takes the place of the other. */
static void test_set_aside_twice(void)
{
	check_row("set aside twice");
	snprintf(path, sizeof path, "%s/twice", folder);
	for (int i = 0; i < 2; i++) {
		struct error err = {""};
		char aside[80];
		write_file("x", 1);
		CHECK(path_set_aside(path, "damaged", 1000, &err));
		snprintf(aside, sizeof aside, "%s.damaged-%d", path, 1000 + i);
		CHECK(strstr(err.text, aside) && access(aside, F_OK) == 0 && access(path, F_OK) != 0);
	}
	char first[80];
	snprintf(first, sizeof first, "%s.damaged-1000", path);
	CHECK(access(first, F_OK) == 0);
}

/* However old it is: an empty file is one that was only just made. What lies beside that belongs to no copy. */
static void test_copy_beside_an_empty_file(void)
{
	static const char *const companions[] = {"-wal", "-journal", "-shm"};
	struct error err = {""}, story;
	struct buf dump = BUF_INIT;
	char own[64], copy[72];
	check_row("a copy beside an empty file");
	snprintf(own, sizeof own, "%s/empty-own", folder);
	snprintf(copy, sizeof copy, "%s.copy", own);
	make_shared(copy, 2);
	set_age(copy, 1000);
	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof path, "%s%s", own, companions[i]);
		write_file("another one's", 13);
	}
	memcpy(path, own, sizeof own);
	write_file("", 0);
	struct store *store = store_new(own, "c1");
	store_share(store);
	CHECK_NUMBER(load_dump(store, &dump, &err), STORE_LOADED);
	CHECK_STRING(dump.bytes, "cursor|2\n");
	CHECK_NUMBER(store_copy(store, &story), STORE_COPY_TAKEN);
	for (size_t i = 0; i < 3; i++) {
		char name[72];
		struct stat status;
		snprintf(name, sizeof name, "%s%s", own, companions[i]);
		CHECK(stat(name, &status) < 0 || status.st_size != 13);
	}
	store_free(store);
	buf_done(&dump);
}

/* One that root alone may read, such as a copy that was not made ours. */
static void test_copy_of_root(void)
{
	char copy[72];
	struct error err = {""};
	struct buf dump = BUF_INIT;
	if (geteuid() != 0) /* whom no permission binds */
		return;
	fresh("ours/state");
	char *slash = strrchr(path, '/');
	*slash = '\0';
	CHECK(mkdir(path, 0700) == 0 && chown(path, 65534, 65534) == 0);
	*slash = '/';
	snprintf(copy, sizeof copy, "%s.copy", path);
	make_shared(copy, 2);
	CHECK(seteuid(65534) == 0);
	struct store *store = store_new(path, "c1");
	store_share(store);
	CHECK_NUMBER(load_dump(store, &dump, &err), STORE_NEW);
	CHECK_NUMBER(store_copy(store, &err), STORE_COPY_REFUSED);
	CHECK(strstr(err.text, copy));
	store_free(store);
	buf_done(&dump);
	CHECK(seteuid(0) == 0);
}

/* Root may open it first: the daemon has to open both. */
static void test_lockfile_of_root(void)
{
	char lock[80];
	struct stat status;
	if (geteuid() != 0) /* who alone may give files away */
		return;
	fresh("roots-lock");
	make_file();
	snprintf(lock, sizeof lock, "%s.lock", path);
	for (int is_there = 0; is_there < 2; is_there++) {
		check_row(is_there ? "a lockfile of root's" : "no lockfile");
		CHECK(is_there ? chown(lock, 0, 0) == 0 : unlink(lock) == 0);
		CHECK(chown(path, 65533, 65534) == 0);
		store_free(load_store(path, "c1", STORE_LOADED));
		CHECK(stat(lock, &status) == 0 && status.st_uid == 65533 && status.st_gid == 65534);
	}
}

int main(void)
{
	CHECK(mkdtemp(folder));
	chmod(folder, 0755);
	test_garbage();
	test_mutilated();
	test_damaged_with_wal();
	test_damaged_while_open();
	test_folder_is_synced();
	test_not_ours();
	test_hostile_schema();
	test_newer();
	test_permissions();
	test_no_room();
	test_kills();
	test_lease();
	test_copy();
	test_names();
	test_names_of_a_copy();
	test_names_of_an_older_copy();
	test_set_aside_twice();
	test_copy_beside_an_empty_file();
	test_copy_of_root();
	test_lockfile_of_root();
	char command[80];
	snprintf(command, sizeof command, "rm -r %s", folder);
	CHECK(system(command) == 0);
	return check_done();
}
