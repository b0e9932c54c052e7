/* What the sandbox forbids is refused, by the kernel and not only by ourselves, and what slurmscope needs is not. Each
 * case is tried in a child, first without the sandbox where that tells anything, and then in it. */
#include "check.h"
#include "config/config.h"
#include "sandbox/sandbox.h"
#include "sandbox/sandbox_writes.h"
#include "store/store.h"

#include "sandbox/sandbox_calls.c" /* for its table */

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <linux/netlink.h>
#include <netdb.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/test-sandbox-XXXXXX"; /* with "state" in it, which may be written, and "elsewhere" */
static struct config config;

static const char *in_folder(const char *name)
{
	static _Thread_local char paths[4][256]; /* four can be in use at once */
	static _Thread_local unsigned turn;
	char *path = paths[turn++ % 4];
	snprintf(path, sizeof paths[0], "%s/%s", folder, name);
	return path;
}

/* Landlock's rights by its version, as the kernel's documentation numbers them. */
static void test_rights(void)
{
	enum {
		EXECUTE = 1 << 0,
		WRITE_FILE = 1 << 1,
		READ_FILE = 1 << 2,
		READ_DIR = 1 << 3,
		REMOVE_DIR = 1 << 4,
		REMOVE_FILE = 1 << 5,
		MAKE_REG = 1 << 8,
		TRUNCATE = 1 << 14,
		IOCTL_DEV = 1 << 15,
		MAKE_ANY = 0x7f << 6,
		ABSTRACT = 1,
		SIGNALS = 2
	};
	static const unsigned first = EXECUTE | WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_ANY;
	static const unsigned state = WRITE_FILE | REMOVE_FILE | MAKE_REG;
	static const struct {
		const char *name;
		int abi;
		bool notifies;
		unsigned handled, allowed, scoped;
	} rows[] = {
		{"1", 1, false, first, state, 0},
		{"2: Debian 12", 2, false, first, state, 0},
		{"3", 3, false, first | TRUNCATE, state | TRUNCATE, 0},
		{"4", 4, false, first | TRUNCATE, state | TRUNCATE, 0},
		{"5", 5, false, first | TRUNCATE | IOCTL_DEV, state | TRUNCATE, 0},
		{"6", 6, false, first | TRUNCATE | IOCTL_DEV, state | TRUNCATE, ABSTRACT | SIGNALS},
		{"6, systemd's socket has no path", 6, true, first | TRUNCATE | IOCTL_DEV, state | TRUNCATE, SIGNALS},
		{"one to come", 99, false, first | TRUNCATE | IOCTL_DEV, state | TRUNCATE, ABSTRACT | SIGNALS},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct sandbox_rights rights = sandbox_rights(rows[i].abi, rows[i].notifies);
		check_row(rows[i].name);
		CHECK_NUMBER(rights.handled, rows[i].handled);
		CHECK_NUMBER(rights.allowed, rows[i].allowed);
		CHECK_NUMBER(rights.scoped, rows[i].scoped);
		CHECK(!(rights.handled & (READ_FILE | READ_DIR))); /* reading is free */
		CHECK(!(rights.allowed & ~rights.handled));
	}
}

/* Each returns 0, or errno. */
static int done(long status)
{
	return status < 0 ? errno : 0;
}

static int open_for(const char *path, int flags)
{
	int file = open(path, flags | O_CLOEXEC, 0600);
	int status = done(file);
	if (file >= 0)
		close(file);
	return status;
}

static int start_program(void)
{
	char *const argv[] = {(char *)"true", NULL};
	return done(execve("/bin/true", argv, environ));
}
static int start_program_at(void)
{
	char *const argv[] = {(char *)"true", NULL};
	return done(syscall(SYS_execveat, AT_FDCWD, "/bin/true", argv, environ, 0));
}
#ifndef SLURMSCOPE_SANITIZED
static int trace(void)
{
	return done(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
}
#endif
static int read_other_memory(void)
{
	return done(syscall(SYS_process_vm_readv, getppid(), NULL, 0L, NULL, 0L, 0L));
}
static int load_bpf(void)
{
	return done(syscall(SYS_bpf, 0, NULL, 0));
}
static int set_up_ring(void)
{
	return done(syscall(SYS_io_uring_setup, 1, NULL));
}
static int handle_faults(void)
{
	return done(syscall(SYS_userfaultfd, -1));
}
static int count_events(void)
{
	return done(syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0));
}
static int add_key(void)
{
	return done(syscall(SYS_add_key, NULL, NULL, NULL, 0, 0));
}
static int insert_module(void)
{
	return done(syscall(SYS_init_module, NULL, 0, ""));
}
static int mount_there(void)
{
	return done(mount("none", "/dev/null/none", "none", 0, NULL));
}
static int change_root(void)
{
	return done(chroot("/dev/null"));
}
static int leave_name_space(void)
{
	return done(unshare(CLONE_NEWUSER));
}
static int join_name_space(void)
{
	return done(setns(-1, 0));
}
static int clone_name_space(void)
{
	long child = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL);
	if (child == 0)
		_exit(0);
	return done(child);
}
static int clone_by_memory(void)
{
	return done(syscall(SYS_clone3, NULL, 0));
}
static int set_clock(void)
{
	return done(clock_settime(CLOCK_MONOTONIC, &(struct timespec){0, 0}));
}
static int name_host(void)
{
	return done(syscall(SYS_sethostname, NULL, -1));
}
static int become_user(void)
{
	return done(setresuid(getuid(), getuid(), getuid()));
}
static int give_away(void)
{
	return done(chown(in_folder("elsewhere/file"), getuid(), getgid()));
}
static int make_pipe_device(void)
{
	return done(mknod(in_folder("state/fifo"), S_IFIFO | 0600, 0));
}
static int type_in(void)
{
	return done(ioctl(STDIN_FILENO, TIOCSTI, NULL));
}
static int type_in_high(void)
{
	return sizeof(long) > 4
		       ? done(syscall(SYS_ioctl, STDIN_FILENO, TIOCSTI | (unsigned long)1 << (sizeof(long) * 4), NULL))
		       : EPERM;
}
static int type_into_console(void)
{
	return done(ioctl(STDIN_FILENO, TIOCLINUX, NULL));
}
static int open_socket(int family)
{
	int file = socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int status = done(file);
	if (file >= 0)
		close(file);
	return status;
}
static int open_unix(void)
{
	return open_socket(AF_UNIX);
}
static int open_inet(void)
{
	return open_socket(AF_INET);
}
static int open_inet6(void)
{
	return open_socket(AF_INET6);
}
static int open_netlink(void)
{
	return open_socket(AF_NETLINK);
}
static int open_netlink_of(int protocol)
{
	int file = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol);
	int status = done(file);
	if (file >= 0)
		close(file);
	return status;
}
static int open_audit(void)
{
	return open_netlink_of(NETLINK_AUDIT);
}
static int open_diagnosis(void)
{
	return open_netlink_of(NETLINK_SOCK_DIAG);
}
static int open_packet(void)
{
	return open_socket(AF_PACKET);
}
static int open_alg(void)
{
	return open_socket(AF_ALG);
}
static int open_vsock(void)
{
	return open_socket(AF_VSOCK);
}
static int open_none(void)
{
	return open_socket(AF_UNSPEC);
}
static int open_high(void)
{
	return done(syscall(SYS_socket, (unsigned long)1 << (sizeof(long) * 4) | AF_ALG, SOCK_SEQPACKET, 0));
}
static int listen_there(void)
{
	int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int status = file < 0 ? errno : done(listen(file, 1));
	close(file);
	return status;
}
#ifdef __x86_64__
static int call_x32(void)
{
	return done(syscall(0x40000000 | SYS_getpid));
}
#endif

static int write_elsewhere(void)
{
	return open_for(in_folder("elsewhere/file"), O_WRONLY);
}
static int make_elsewhere(void)
{
	return open_for(in_folder("elsewhere/new"), O_WRONLY | O_CREAT | O_EXCL);
}
static int empty_elsewhere(void)
{
	return open_for(in_folder("elsewhere/file"), O_RDONLY | O_TRUNC);
}
static int remove_elsewhere(void)
{
	return done(unlink(in_folder("elsewhere/file")));
}
static int move_out(void)
{
	return done(rename(in_folder("state/file"), in_folder("elsewhere/moved")));
}
static int move_in(void)
{
	return done(rename(in_folder("elsewhere/file"), in_folder("state/moved")));
}
static int link_in(void)
{
	return done(link(in_folder("elsewhere/file"), in_folder("state/linked")));
}
static int make_folder(void)
{
	return done(mkdir(in_folder("state/folder"), 0700));
}
static int link_by_name(void)
{
	return done(symlink("/etc/passwd", in_folder("state/symlink")));
}
static int write_beside(void)
{
	return open_for(in_folder("state2"), O_WRONLY | O_CREAT);
}
static int open_memory(void)
{
	return open_for("/proc/self/mem", O_RDWR);
}
static int signal_other(void)
{
	return done(kill(getppid(), 0));
}
static int connect_to(const char *name, size_t len)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	memcpy(address.sun_path, name, len);
	int status = file < 0
			     ? errno
			     : done(connect(file, (struct sockaddr *)&address, (socklen_t)(sizeof(sa_family_t) + len)));
	close(file);
	return status;
}
static int connect_to_abstract(void)
{
	char name[64] = "";
	int len = snprintf(name + 1, sizeof name - 1, "%s", folder);
	return connect_to(name, (size_t)len + 1);
}

static int connect_to_path(void)
{
	return connect_to(in_folder("socket"), strlen(in_folder("socket")) + 1);
}
static int read_file(void)
{
	return open_for(in_folder("elsewhere/file"), O_RDONLY);
}
static int read_configuration(void)
{
	return open_for("/etc/nsswitch.conf", O_RDONLY);
}
static int list_descriptors(void)
{
	return open_for("/proc/self/fd", O_RDONLY | O_DIRECTORY);
}
static int make_state(void)
{
	return open_for(in_folder("state/new"), O_WRONLY | O_CREAT | O_EXCL);
}
static int write_state(void)
{
	return open_for(in_folder("state/file"), O_RDWR | O_TRUNC);
}
static int set_aside(void)
{
	return done(rename(in_folder("state/file"), in_folder("state/file.damaged")));
}
static int remove_state(void)
{
	return done(unlink(in_folder("state/file")));
}
static int signal_self(void)
{
	return done(kill(getpid(), 0));
}

static void *try_in_thread(void *try)
{
	int (*const *function)(void) = try;
	return (void *)(intptr_t)(*function)();
}
static int in_thread(int (*try)(void))
{
	pthread_t thread;
	void *status;
	int failure = pthread_create(&thread, NULL, try_in_thread, &try);
	if (!failure)
		pthread_join(thread, &status);
	return failure ? failure : (int)(intptr_t)status;
}
static int start_thread(void)
{
	return in_thread(signal_self);
}
static int write_in_thread(void)
{
	return in_thread(write_elsewhere);
}
static int become_in_thread(void)
{
	return in_thread(become_user);
}

/* Names of the machine itself, and one that only a name server could know: it fails, but in no other way. */
static int look_up(void)
{
	static const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	struct addrinfo *found;
	if (getaddrinfo("localhost", "6820", &hints, &found) != 0)
		return EHOSTUNREACH;
	freeaddrinfo(found);
	int code = getaddrinfo("slurmctld.invalid", "6820", &hints, &found);
	return code == EAI_NONAME || code == EAI_AGAIN ? 0 : EPROTO;
}

static void take_mark(struct text name, int64_t value, void *context)
{
	(void)name, (void)value, (void)context;
}

/* Begun in WAL mode, with a journal, and once it is damaged: all the ways in which files are made, changed and renamed. */
static int use_store(void)
{
	static const enum store_found want[] = {STORE_NEW, STORE_LOADED, STORE_SET_ASIDE};
	const struct store_visitor none = {NULL, NULL, take_mark, NULL, NULL, NULL};
	struct error err = {""};
	for (int i = 0; i < 3; i++) {
		const char *path = in_folder("state/events.db");
		if (i == 2 && done(truncate(path, 100)))
			return EIO;
		struct store *store = store_new(path, "alpha");
		if (i == 1)
			store_share(store);
		bool is_well = store_load(store, &none, NULL, &err) == want[i] &&
			       store_begin(store, &err) != STORE_WANTS_NOTHING;
		if (is_well)
			store_put_mark(store, "mark", i);
		is_well = is_well && store_commit(store, &err);
		store_free(store);
		if (!is_well)
			return fprintf(stderr, "%d: %s\n", i, err.text), EIO;
	}
	return 0;
}

static void make_files(void)
{
	static const char *const folders[] = {"state", "elsewhere"}, *const files[] = {"state/file", "elsewhere/file"};
	for (int i = 0; i < 2; i++) {
		mkdir(in_folder(folders[i]), 0700);
		CHECK_NUMBER(open_for(in_folder(files[i]), O_WRONLY | O_CREAT), 0);
	}
}

/* Anew for each case: what was made, moved and removed. */
static void remove_files(void)
{
	char command[128];
	snprintf(command, sizeof command, "rm -rf %s/state* %s/elsewhere", folder, folder);
	CHECK_NUMBER(system(command), 0);
}

/* A name that libseccomp does not know is passed over: it must be for its age alone. */
static void test_names(void)
{
	static const char newer[] = " open_tree_attr setxattrat removexattrat ";
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		char name[64];
		snprintf(name, sizeof name, " %s ", refused[i]);
		check_row(refused[i]);
		CHECK(seccomp_syscall_resolve_name(refused[i]) != __NR_SCMP_ERROR || strstr(newer, name));
	}
}

enum held_by { NOTHING, WRITES_ALONE, ALL };

static bool enter(enum held_by by, struct sandbox *sandbox, struct error *err)
{
	if (by == ALL)
		return sandbox_enter(sandbox, &config, 1, err);
	int abi = by == WRITES_ALONE ? sandbox_writes_abi(err) : 0;
	int rules = abi ? sandbox_writes_begin(abi, err) : -1;
	return by == NOTHING ||
	       (prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) == 0 && sandbox_writes_restrict(rules, err));
}

/* What `try` says in a process of its own. */
static int outcome(int (*try)(void), enum held_by by)
{
	struct error err;
	struct sandbox sandbox;
	int status;
	make_files();
	pid_t child = fork();
	if (child == 0)
		_exit(enter(by, &sandbox, &err) ? try() : EXDEV);
	waitpid(child, &status, 0);
	remove_files();
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static unsigned count_descriptors(void)
{
	unsigned count = 0;
	for (int i = 0; i < 256; i++)
		count += fcntl(i, F_GETFD) >= 0;
	return count;
}

/* Whole families: of each the kernel has a call more than people think of. None does harm with such arguments. */
static int call_each(void)
{
	static const char *const names[] = {
		"setuid",
		"setgid",
		"setreuid",
		"setregid",
		"setresuid",
		"setresgid",
		"setfsuid",
		"setfsgid",
		"setgroups",
		"capset",
		"chown",
		"lchown",
		"fchownat",
		"mknod",
		"mknodat",
		"setxattr",
		"lsetxattr",
		"fsetxattr",
		"removexattr",
		"lremovexattr",
		"fremovexattr",
		"process_vm_readv",
		"process_vm_writev",
		"process_madvise",
		"pidfd_getfd",
		"kcmp",
		"io_uring_setup",
		"io_uring_enter",
		"io_uring_register",
		"add_key",
		"request_key",
		"keyctl",
		"mount",
		"umount2",
		"pivot_root",
		"move_mount",
		"open_tree",
		"fsopen",
		"fsconfig",
		"fsmount",
		"fspick",
		"mount_setattr",
		"open_by_handle_at",
		"finit_module",
		"delete_module",
		"settimeofday",
		"adjtimex",
		"clock_settime",
		"clock_adjtime",
		"setdomainname",
		"swapon",
		"swapoff",
		"acct",
		"quotactl",
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		int call = seccomp_syscall_resolve_name(names[i]);
		if (call >= 0 && (syscall(call, -1L, -1L, -1L, -1L) != -1 || errno != EPERM)) {
			fprintf(stderr, "%s is not refused\n", names[i]);
			return 0;
		}
	}
	return EPERM;
}

enum { ANY = -1 }; /* it depends on who runs the test, and where */

static void test_calls(void)
{
	static const struct {
		const char *name;
		int (*try)(void);
		int outside, inside;
	} rows[] = {
		{"execve", start_program, 0, EPERM},
		{"execveat", start_program_at, ANY, EPERM},
#ifndef SLURMSCOPE_SANITIZED
		{"ptrace", trace, 0, EPERM},
#endif
		{"process_vm_readv", read_other_memory, 0, EPERM},
		{"bpf", load_bpf, ANY, EPERM},
		{"io_uring_setup", set_up_ring, ANY, EPERM},
		{"userfaultfd", handle_faults, ANY, EPERM},
		{"perf_event_open", count_events, ANY, EPERM},
		{"add_key", add_key, ANY, EPERM},
		{"init_module", insert_module, ANY, EPERM},
		{"mount", mount_there, ANY, EPERM},
		{"chroot", change_root, ANY, EPERM},
		{"unshare", leave_name_space, ANY, EPERM},
		{"setns", join_name_space, EBADF, EPERM},
		{"clone", clone_name_space, ANY, EPERM},
		{"clone3", clone_by_memory, EINVAL, ENOSYS},
		{"clock_settime", set_clock, ANY, EPERM},
		{"sethostname", name_host, ANY, EPERM},
		{"setresuid", become_user, 0, EPERM},
		{"in a thread", become_in_thread, 0, EPERM},
		{"chown", give_away, 0, EPERM},
		{"mknod", make_pipe_device, 0, EPERM},
		{"listen", listen_there, 0, EPERM},
		{"TIOCSTI", type_in, ANY, EPERM},
		{"TIOCSTI, more bits", type_in_high, ANY, EPERM},
		{"TIOCLINUX", type_into_console, ANY, EPERM},
		{"NETLINK_AUDIT", open_audit, ANY, EPROTONOSUPPORT},
		{"NETLINK_SOCK_DIAG", open_diagnosis, ANY, EPROTONOSUPPORT},
		{"AF_PACKET", open_packet, ANY, EAFNOSUPPORT},
		{"AF_ALG", open_alg, ANY, EAFNOSUPPORT},
		{"AF_VSOCK", open_vsock, ANY, EAFNOSUPPORT},
		{"AF_UNSPEC", open_none, EAFNOSUPPORT, EAFNOSUPPORT},
		{"AF_ALG, more bits", open_high, ANY, EAFNOSUPPORT},
#ifdef __x86_64__
		{"x32", call_x32, ANY, ENOSYS},
#endif
	};
	struct error why;
	bool is_offered = sandbox_calls_offered(&why);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		check_row(rows[i].name);
		int outside = outcome(rows[i].try, NOTHING), inside = outcome(rows[i].try, ALL);
		if (rows[i].outside != ANY)
			CHECK_NUMBER(outside, rows[i].outside);
		CHECK_NUMBER(inside, is_offered ? rows[i].inside : outside);
	}
	check_row("each call of a family");
	if (is_offered)
		CHECK_NUMBER(outcome(call_each, ALL), EPERM);
}

static void *become_later(void *waits)
{
	char byte;
	ssize_t got = read(*(int *)waits, &byte, 1);
	return (void *)(intptr_t)(got == 1 ? become_user() : EIO);
}

/* 255: there is no sandbox. */
static int become_in_earlier_thread(void)
{
	struct error err;
	struct sandbox sandbox;
	pthread_t thread;
	void *status;
	int ends[2];
	if (pipe(ends) != 0 || pthread_create(&thread, NULL, become_later, &ends[0]) != 0 ||
	    !sandbox_enter(&sandbox, &config, 1, &err) || write(ends[1], "x", 1) != 1)
		return 255;
	pthread_join(thread, &status);
	return (int)(intptr_t)status;
}

/* A thread that was there before is held, too. */
static void test_earlier_thread(void)
{
	struct error why;
	int status;
	make_files();
	pid_t child = fork();
	if (child == 0)
		_exit(become_in_earlier_thread());
	waitpid(child, &status, 0);
	remove_files();
	check_row("a thread from before");
	CHECK_NUMBER(WEXITSTATUS(status), sandbox_calls_offered(&why) ? EPERM : 0);
}

/* Memory that was written becomes no code: the kernel refuses it since Linux 6.3. */
static int make_code(void)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return page == MAP_FAILED ? ENOMEM : done(mprotect(page, 4096, PROT_READ | PROT_EXEC));
}

static void test_memory(void)
{
	enum { GET_MDWE = 66 };
	bool is_offered = prctl(GET_MDWE, 0L, 0L, 0L, 0L) >= 0;
	check_row(is_offered ? "the kernel has PR_SET_MDWE" : "the kernel lacks PR_SET_MDWE");
	CHECK_NUMBER(outcome(make_code, NOTHING), 0);
	CHECK_NUMBER(outcome(make_code, ALL), is_offered ? EACCES : 0);
}

/* Anybody may do it outside. Which version of Landlock is the first to refuse it? */
static void test_writes(void)
{
	static const struct {
		const char *name;
		int (*try)(void);
		int abi, refusal;
	} rows[] = {
		{"write", write_elsewhere, 1, EACCES},
		{"make", make_elsewhere, 1, EACCES},
		{"remove", remove_elsewhere, 1, EACCES},
		{"move out", move_out, 1, EACCES},
		{"move in", move_in, 1, EACCES},
		{"link in", link_in, 1, EXDEV},
		{"folder", make_folder, 1, EACCES},
		{"symbolic link", link_by_name, 1, EACCES},
		{"a name that begins like the folder's", write_beside, 1, EACCES},
		{"in a thread", write_in_thread, 1, EACCES},
		{"/proc/self/mem", open_memory, 1, EACCES},
		{"empty", empty_elsewhere, 3, EACCES},
		{"signal", signal_other, 6, EPERM},
		{"abstract socket", connect_to_abstract, 6, EPERM},
	};
	struct error why = {""};
	int abi = sandbox_writes_abi(&why);
	printf("Landlock: %s, ABI %d\n", abi ? "there" : why.text, abi);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		check_row(rows[i].name);
		CHECK_NUMBER(outcome(rows[i].try, NOTHING), 0);
		CHECK_NUMBER(outcome(rows[i].try, ALL), abi >= rows[i].abi ? rows[i].refusal : 0);
	}
	check_row("execute, without seccomp");
	CHECK_NUMBER(outcome(start_program, WRITES_ALONE), abi ? EACCES : EXDEV);
}

static void test_what_is_needed(void)
{
	static const struct {
		const char *name;
		int (*try)(void);
	} rows[] = {
		{"state file is made", make_state},
		{"written", write_state},
		{"set aside", set_aside},
		{"removed", remove_state},
		{"SQLite", use_store},
		{"files are read", read_file},
		{"configuration", read_configuration},
		{"/proc/self", list_descriptors},
		{"threads", start_thread},
		{"names", look_up},
		{"AF_UNIX", open_unix},
		{"AF_INET", open_inet},
		{"AF_INET6", open_inet6},
		{"AF_NETLINK", open_netlink},
		{"connect to a path", connect_to_path},
		{"SIGHUP to oneself", signal_self},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		check_row(rows[i].name);
		CHECK_NUMBER(outcome(rows[i].try, ALL), 0);
	}
}

/* What a reload may bring, as the kernel will look at it. */
static int check_allows(void)
{
	static const struct {
		const char *path;
		bool is_allowed;
	} rows[] = {
		{"state/events.db", true}, {"state/other.db", true}, {"state/new/deep/state.db", true},
		{"alias/state.db", true},  {"state/out", false},     {"elsewhere/state.db", false},
		{"state2", false},	   {"elsewhere/in", true},
	};
	struct sandbox sandbox;
	struct error err = {""};
	int before = check_failures;
	unsigned descriptors = count_descriptors();
	if (!sandbox_enter(&sandbox, &config, 1, &err))
		return 1;
	check_row("what it opens it closes");
	CHECK_NUMBER(count_descriptors(), descriptors);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct config other = {.state_path = in_folder(rows[i].path)};
		check_row(rows[i].path);
		CHECK(sandbox_allows(&sandbox, &other, 1, &err) == (rows[i].is_allowed || !sandbox.landlock_abi));
		if (!rows[i].is_allowed && sandbox.landlock_abi)
			CHECK(strstr(err.text, "--state.path: /tmp/") && strstr(err.text, ": restart slurmscope"));
	}
	check_row("none");
	CHECK(sandbox_allows(&sandbox, &(struct config){.state_path = NULL}, 1, &err));
	check_row("folders");
	CHECK_NUMBER(sandbox.folder_count, sandbox.landlock_abi ? 1 : 0);
	check_row("a folder of another disk with the same number");
	for (size_t i = 0; i < sandbox.folder_count; i++)
		sandbox.folders[i].device++;
	CHECK(sandbox_allows(&sandbox, &config, 1, &err) == !sandbox.folder_count);
	sandbox_done(&sandbox);
	return check_failures - before;
}

static void test_allows(void)
{
	int status;
	make_files();
	CHECK(symlink(in_folder("state"), in_folder("alias")) == 0);
	CHECK(symlink(in_folder("elsewhere/file"), in_folder("state/out")) == 0);
	CHECK(symlink(in_folder("state/file"), in_folder("elsewhere/in")) == 0);
	pid_t child = fork();
	if (child == 0)
		_exit(check_allows());
	waitpid(child, &status, 0);
	CHECK_NUMBER(status, 0);
	CHECK_NUMBER(unlink(in_folder("alias")), 0);
	remove_files();
}

/* Which folder is it that a state file's writes go to? */
static void test_folder(void)
{
	static const struct {
		const char *path, *want;
	} rows[] = {
		{"state/events.db", "/state"},	    {"state/no/such/folder/events.db", "/state"},
		{"alias/events.db", "/state"},	    {"state/out", "/elsewhere"},
		{"state/file/events.db", "/state"}, {"no/such/events.db", ""},
	};
	make_files();
	CHECK(symlink(in_folder("state"), in_folder("alias")) == 0);
	CHECK(symlink(in_folder("elsewhere/file"), in_folder("state/out")) == 0);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char *got = store_folder(in_folder(rows[i].path));
		check_row(rows[i].path);
		CHECK_STRING(got && strlen(got) >= strlen(folder) ? got + strlen(folder) : got, rows[i].want);
		free(got);
	}
	char *root = store_folder("/no/such/events.db"), *here = store_folder("events.db"), *cwd = realpath(".", NULL);
	check_row("/");
	CHECK_STRING(root, "/");
	check_row(".");
	CHECK_STRING(here, cwd);
	free(root), free(here), free(cwd);
	CHECK_NUMBER(unlink(in_folder("alias")), 0);
	remove_files();
}

/* With --sandbox=on a part that is missing is an error, whichever it is. */
static void test_on(void)
{
	static const struct {
		const char *name;
		bool has_calls;
		int abi;
		bool is_on, want;
	} rows[] = {
		{"neither", false, 0, true, false},	      {"Landlock alone", false, 1, true, false},
		{"filters alone", true, 0, true, false},      {"both", true, 1, true, true},
		{"neither is needed", false, 0, false, true},
	};
	typedef bool enter_fn(struct sandbox * sandbox, const struct config *process, struct error *err);
	enum { ROWS = sizeof rows / sizeof *rows };
	struct sandbox here;
	sandbox_look(&config, &here);
	for (size_t turn = 0; turn < 2 * ROWS; turn++) {
		size_t i = turn % ROWS;
		bool is_server = turn >= ROWS;
		enter_fn *enter_half = is_server ? sandbox_enter_server : sandbox_enter_poller;
		int status;
		struct config process = config;
		struct error err = {""};
		if ((rows[i].has_calls && !here.has_calls) || (is_server && rows[i].abi && !here.landlock_abi))
			continue;
		process.sandbox = rows[i].is_on ? SANDBOX_ON : config.sandbox;
		check_row(rows[i].name);
		pid_t child = fork();
		if (child == 0) {
			struct sandbox sandbox = {
				.is_wanted = true, .has_calls = rows[i].has_calls, .landlock_abi = rows[i].abi};
			prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L); /* as sandbox_enter does before */
			bool is_in = enter_half(&sandbox, &process, &err);
			if (is_in != rows[i].want)
				fprintf(stderr, "%s: %s\n", rows[i].name, err.text);
			_exit(is_in);
		}
		waitpid(child, &status, 0);
		CHECK_NUMBER(WIFEXITED(status) ? WEXITSTATUS(status) : -1, rows[i].want);
	}
	check_row(NULL);
	sandbox_done(&here);
}

static void listen_for_tests(const char *name, size_t len)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	memcpy(address.sun_path, name, len);
	CHECK(bind(listener, (struct sockaddr *)&address, (socklen_t)(sizeof(sa_family_t) + len)) == 0);
	CHECK(listen(listener, 100) == 0);
}

int main(void)
{
	char abstract[64] = "";
	if (!mkdtemp(folder))
		return 1;
	config_defaults(&config);
	config.state_path = strdup(in_folder("state/events.db"));
	listen_for_tests(in_folder("socket"), strlen(in_folder("socket")) + 1);
	int len = snprintf(abstract + 1, sizeof abstract - 1, "%s", folder);
	listen_for_tests(abstract, (size_t)len + 1);
	test_rights();
	test_names();
	test_calls();
	test_earlier_thread();
	test_memory();
	test_writes();
	test_what_is_needed();
	test_allows();
	test_folder();
	test_on();
	unlink(in_folder("socket"));
	rmdir(folder);
	free((char *)config.state_path);
	return check_done();
}
