/* Beside what neither process may do (test_sandbox.c): what the one that polls may not, and the little that the one that
 * serves may. Each case is tried in a process of its own. */
#include "base/log.h"
#include "check.h"
#include "config/config.h"
#include "sandbox/sandbox.h"
#include "sandbox/sandbox_writes.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static struct config config;
static int listener, statm = -1; /* open before the sandbox, as those of the process that serves */
static struct sockaddr_in address; /* of the listener */

/* Each returns 0, or errno. */
static int done(long status)
{
	return status < 0 ? errno : 0;
}

static int done_with(int descriptor)
{
	int status = done(descriptor);
	if (descriptor >= 0)
		close(descriptor);
	return status;
}

static int read_file(void)
{
	return done_with(open("/etc/passwd", O_RDONLY | O_CLOEXEC));
}
static int read_file_at(void)
{
	return done_with(openat(AT_FDCWD, "/etc/passwd", O_RDONLY | O_CLOEXEC));
}
static int name_file(void)
{
	return done_with(open("/etc/passwd", O_PATH | O_CLOEXEC));
}
static int open_by_new_call(void)
{
	const uint64_t how[3] = {O_RDONLY | O_CLOEXEC, 0, 0};
	return done_with((int)syscall(SYS_openat2, AT_FDCWD, "/etc/passwd", how, sizeof how));
}
static int list_folder(void)
{
	return done_with(open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}
static int look_at_file(void)
{
	struct stat status;
	return done(stat("/etc/passwd", &status));
}
static int ask_for_access(void)
{
	return done(access("/etc/passwd", R_OK));
}
static int read_link(void)
{
	char to[64];
	return done(readlink("/proc/self/exe", to, sizeof to));
}
static int read_parent(void)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/environ", getppid());
	return done_with(open(path, O_RDONLY | O_CLOEXEC));
}
static int remove_file(void)
{
	return done(unlink("/tmp/slurmscope-there-is-none")) == ENOENT ? 0 : errno;
}
static int change_folder(void)
{
	return done(chdir("/"));
}
static int make_memory_file(void)
{
	return done_with(memfd_create("test", MFD_CLOEXEC));
}
static int watch_files(void)
{
	return done_with(inotify_init1(IN_CLOEXEC));
}
static int open_inet(void)
{
	return done_with(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
}
static int open_unix(void)
{
	return done_with(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
}
static int open_pair(void)
{
	int pair[2];
	return done(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair));
}
static int connect_listener(void)
{
	shutdown(listener, SHUT_RDWR);
	return done(connect(listener, (struct sockaddr *)&address, sizeof address)) == ECONNREFUSED ? 0 : errno;
}
/* A socket that listened until it was shut down is connected as it sends. */
static int connect_by_sending(void)
{
	shutdown(listener, SHUT_RDWR);
	int status = done(
		sendto(listener, "x", 1, MSG_FASTOPEN | MSG_NOSIGNAL, (struct sockaddr *)&address, sizeof address));
	return status == EINPROGRESS ? 0 : status;
}
static int bind_again(void)
{
	struct sockaddr_in any = {.sin_family = AF_INET};
	shutdown(listener, SHUT_RDWR);
	return done(bind(listener, (struct sockaddr *)&any, sizeof any)) == EINVAL ? 0 : errno;
}
static int listen_again(void)
{
	return done(listen(listener, 10));
}
static int set_filter(void)
{
	int off = 0;
	return done(setsockopt(listener, SOL_SOCKET, SO_KEEPALIVE, &off, sizeof off));
}
static int own_signals(void)
{
	return done(fcntl(listener, F_SETOWN, getppid()));
}
static int make_pipe(void)
{
	int pair[2];
	return done(pipe2(pair, O_CLOEXEC));
}
static int copy_descriptor(void)
{
	return done_with(dup(listener));
}

static int end_of(long child)
{
	int status = done(child);
	if (child == 0)
		_exit(0);
	if (child > 0)
		waitpid((pid_t)child, NULL, __WALL);
	return status;
}
static int make_process(void)
{
	return end_of(fork());
}
static int make_process_by_clone(void)
{
	return end_of(syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL));
}
/* That has our memory, as vfork makes it. */
static int make_process_with_memory(void)
{
	long child = syscall(SYS_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL, NULL, NULL, NULL);
	if (child == 0)
		syscall(SYS_exit, 0);
	return done(child);
}
#ifdef SYS_vfork
static int make_process_by_vfork(void)
{
	return end_of(syscall(SYS_vfork));
}
#endif
static int clone_by_memory(void)
{
	return done(syscall(SYS_clone3, NULL, 0));
}
static int start_program(void)
{
	char *const argv[] = {(char *)"true", NULL};
	return done(execve("/bin/true", argv, environ));
}
static int wait_for_other(void)
{
	return done(waitpid(-1, NULL, WNOHANG)) == ECHILD ? 0 : errno;
}
static int signal_parent(void)
{
	return done(kill(getppid(), 0));
}
static int signal_self_by_kill(void)
{
	return done(kill(getpid(), 0));
}
static int signal_thread_of_parent(void)
{
	return done(syscall(SYS_tgkill, getppid(), getppid(), 0));
}
static int signal_itself(void)
{
	return done(syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), 0));
}
static int trace_parent(void)
{
	return done(ptrace(PTRACE_SEIZE, getppid(), NULL, NULL));
}
static int hold_parent(void)
{
	return done_with((int)syscall(SYS_pidfd_open, getppid(), 0));
}
static int take_descriptor(void)
{
	return done(syscall(SYS_pidfd_getfd, -1, 0, 0));
}
static int read_memory_of_parent(void)
{
	return done(syscall(SYS_process_vm_readv, getppid(), NULL, 0L, NULL, 0L, 0L));
}
static int limit_parent(void)
{
	return done(syscall(SYS_prlimit64, getppid(), RLIMIT_NOFILE, NULL, NULL));
}
static int limit_itself(void)
{
	const struct rlimit limit = {100, 100};
	return done(setrlimit(RLIMIT_NOFILE, &limit));
}
static int pin_parent(void)
{
	return done(sched_setscheduler(getppid(), SCHED_OTHER, &(struct sched_param){0}));
}
static int be_dumpable(void)
{
	return done(prctl(PR_SET_DUMPABLE, 1L, 0L, 0L, 0L));
}
static int leave_session(void)
{
	return done(setsid());
}
static int share_memory(void)
{
	return done(shmget(IPC_PRIVATE, 1, 0600 | IPC_CREAT));
}
static int queue_messages(void)
{
	return done(msgget(IPC_PRIVATE, 0600 | IPC_CREAT));
}
static int map(int protection)
{
	void *memory = mmap(NULL, 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return memory == MAP_FAILED ? errno : done(munmap(memory, 4096));
}
static int map_code(void)
{
	return map(PROT_READ | PROT_EXEC);
}
static int map_memory(void)
{
	return map(PROT_READ | PROT_WRITE);
}
static int protect_as(int protection)
{
	void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return memory == MAP_FAILED ? ENOMEM : done(mprotect(memory, 4096, protection));
}
static int make_code(void)
{
	return protect_as(PROT_READ | PROT_EXEC);
}
static int protect_memory(void)
{
	return protect_as(PROT_READ);
}
static int accept_one(void)
{
	return done(accept(listener, NULL, NULL));
}
static int accept_one_of_now(void)
{
	return done(accept4(listener, NULL, NULL, SOCK_CLOEXEC));
}

static void *nothing(void *context)
{
	return context;
}
static int start_thread(void)
{
	pthread_t thread;
	int failure = pthread_create(&thread, NULL, nothing, NULL);
	return failure ? failure : pthread_join(thread, NULL);
}
static int wait_for_events(void)
{
	struct epoll_event event = {.events = EPOLLIN};
	int queue = epoll_create1(EPOLL_CLOEXEC), count = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
	uint64_t number;
	bool is_well = epoll_ctl(queue, EPOLL_CTL_ADD, count, &event) == 0 && epoll_wait(queue, &event, 1, -1) == 1 &&
		       read(count, &number, sizeof number) == sizeof number && poll(NULL, 0, 1) == 0;
	return is_well ? 0 : errno;
}
static int ask_of_itself(void)
{
	struct rlimit limit;
	struct rusage usage;
	clockid_t clock;
	struct timespec time;
	bool is_well = getrlimit(RLIMIT_NOFILE, &limit) == 0 && getrusage(RUSAGE_SELF, &usage) == 0 &&
		       clock_getcpuclockid(getppid(), &clock) == 0 && clock_gettime(clock, &time) == 0;
	return is_well ? 0 : errno;
}
static int read_what_is_open(void)
{
	char bytes[64];
	return pread(statm, bytes, sizeof bytes, 0) > 0 ? 0 : errno;
}
static int draw(void)
{
	char bytes[8];
	return done(getrandom(bytes, sizeof bytes, 0));
}
static int set_flags(void)
{
	int on = 1;
	bool is_well = fcntl(listener, F_SETFL, fcntl(listener, F_GETFL) | O_NONBLOCK) == 0 &&
		       setsockopt(listener, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0;
	return is_well ? 0 : errno;
}
static int write_log(void)
{
	log_setup(LOG_LEVEL_INFO, LOG_FORMAT_LOGFMT);
	log_line(LOG_LEVEL_INFO, "a line of the process that serves", NULL);
	return 0;
}
static int look_up(void)
{
	struct addrinfo *found;
	int code = getaddrinfo("localhost", "6820", NULL, &found);
	if (!code)
		freeaddrinfo(found);
	return code ? EHOSTUNREACH : 0;
}

enum held_by { NONE, BOTH, POLLER, SERVER };

/* What `try` says in a process of its own, which has its parent's listener for itself. */
static int outcome(int (*try)(void), enum held_by by)
{
	struct error err;
	struct sandbox sandbox;
	int status;
	socklen_t len = sizeof address;
	address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	CHECK(bind(listener, (struct sockaddr *)&address, sizeof address) == 0 && listen(listener, 10) == 0 &&
	      getsockname(listener, (struct sockaddr *)&address, &len) == 0);
	pid_t child = fork();
	if (child == 0) {
		bool is_entered = (by == NONE || sandbox_enter(&sandbox, &config, 1, &err)) &&
				  (by != POLLER || sandbox_enter_poller(&sandbox, &config, &err)) &&
				  (by != SERVER || sandbox_enter_server(&sandbox, &config, &err));
		_exit(is_entered ? try() : EXDEV);
	}
	waitpid(child, &status, 0);
	close(listener);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

struct row {
	const char *name;
	int (*try)(void);
};

#define ALL_OF(rows, by, want)                                                                                         \
	for (size_t i = 0; i < sizeof(rows) / sizeof *(rows); i++) {                                                   \
		check_row((rows)[i].name);                                                                             \
		CHECK_NUMBER(outcome((rows)[i].try, by), want);                                                        \
	}

static void test_poller(void)
{
	static const struct row refused[] = {
		{"accept", accept_one},
		{"accept4", accept_one_of_now},
#ifndef SLURMSCOPE_SANITIZED
		{"fork", make_process},
		{"clone", make_process_by_clone},
		{"clone with memory", make_process_with_memory},
#ifdef SYS_vfork
		{"vfork", make_process_by_vfork},
#endif
#endif
	};
	static const struct row needed[] = {
		{"threads", start_thread},
		{"files", read_file},
		{"sockets", open_inet},
		{"names", look_up},
		{"memory files", make_memory_file},
		{"events", wait_for_events},
		{"random", draw},
	};
	ALL_OF(refused, POLLER, EPERM)
	ALL_OF(needed, POLLER, 0)
}

/* Each row of the first two tables would do without this half, or without any: else it shows nothing. */
static void test_server(void)
{
	static const struct row refused[] = {
		{"open", read_file},
		{"openat", read_file_at},
		{"O_PATH", name_file},
		{"folder", list_folder},
		{"stat", look_at_file},
		{"access", ask_for_access},
		{"readlink", read_link},
		{"unlink", remove_file},
		{"chdir", change_folder},
		{"memfd_create", make_memory_file},
		{"inotify", watch_files},
		{"AF_INET", open_inet},
		{"AF_UNIX", open_unix},
		{"socketpair", open_pair},
		{"connect by sendto", connect_by_sending},
		{"option of a socket", set_filter},
		{"F_SETOWN", own_signals},
		{"pipe", make_pipe},
		{"dup", copy_descriptor},
		{"fork", make_process},
		{"clone", make_process_by_clone},
		{"clone with memory", make_process_with_memory},
		{"wait", wait_for_other},
		{"kill oneself", signal_self_by_kill},
		{"limits", limit_itself},
		{"limits of the parent", limit_parent},
		{"schedule the parent", pin_parent},
		{"be dumpable", be_dumpable},
		{"setsid", leave_session},
		{"shmget", share_memory},
		{"msgget", queue_messages},
		{"map code", map_code},
	};
	/* What holds both halves refuses these as well: some to everybody, some to all but root. */
	static const struct row refused_twice[] = {
		{"the parent's environment", read_parent},
		{"listen", listen_again},
		{"execve", start_program},
		{"signal the parent", signal_parent},
		{"signal its thread", signal_thread_of_parent},
		{"make code", make_code},
	};
	/* These depend on who runs the test, and where. */
	static const struct row refused_anyhow[] = {
		{"openat2", open_by_new_call},
		{"bind", bind_again},
		{"connect", connect_listener},
		{"pidfd_open", hold_parent},
		{"pidfd_getfd", take_descriptor},
		{"trace the parent", trace_parent},
		{"read its memory", read_memory_of_parent},
#ifdef SYS_vfork
		{"vfork", make_process_by_vfork},
#endif
	};
	static const struct row needed[] = {
		{"threads", start_thread},
		{"memory", map_memory},
		{"protect memory", protect_memory},
		{"events", wait_for_events},
		{"what it asks of itself", ask_of_itself},
		{"what is open", read_what_is_open},
		{"random", draw},
		{"flags", set_flags},
		{"log", write_log},
		{"signal itself", signal_itself},
	};
	ALL_OF(refused, BOTH, 0)
	ALL_OF(refused, SERVER, EPERM)
	ALL_OF(refused_twice, NONE, 0)
	ALL_OF(refused_twice, SERVER, EPERM)
	ALL_OF(refused_anyhow, SERVER, EPERM)
	check_row("clone3");
	CHECK_NUMBER(outcome(clone_by_memory, SERVER), ENOSYS);
	check_row("accept4");
	CHECK_NUMBER(outcome(accept_one_of_now, SERVER), EAGAIN);
	ALL_OF(needed, SERVER, 0)
}

/* The second line, where seccomp is not: Landlock's rights by its version. */
static void test_rights(void)
{
	enum { READ = 1 << 2 | 1 << 3, REFER = 1 << 13, TCP = 3, SCOPES = 3 };
	for (int abi = 1; abi < 9; abi++) {
		struct sandbox_rights rights = sandbox_rights_of_server(abi), of_both = sandbox_rights(abi, false);
		check_row("rights");
		CHECK_NUMBER(rights.handled, of_both.handled | READ | (abi >= 2 ? REFER : 0));
		CHECK_NUMBER(rights.allowed, 0);
		CHECK_NUMBER(rights.ports, abi >= 4 ? TCP : 0);
		CHECK_NUMBER(rights.scoped, abi >= 6 ? SCOPES : 0);
	}
}

static int read_without_seccomp(void)
{
	struct error err;
	int abi = sandbox_writes_abi(&err);
	prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L);
	int lowest = dup(statm);
	close(lowest);
	if (!abi)
		return EACCES;
	if (!sandbox_writes_of_server(abi, &err))
		return EXDEV;
	return dup(statm) == lowest ? read_file() : EMFILE; /* what it opened is closed */
}

static void test_landlock_alone(void)
{
	int status;
	pid_t child = fork();
	if (child == 0)
		_exit(read_without_seccomp());
	waitpid(child, &status, 0);
	check_row("Landlock alone");
	CHECK_NUMBER(WEXITSTATUS(status), EACCES);
}

int main(void)
{
	struct sandbox here;
	config_defaults(&config);
	statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	sandbox_look(&config, &here);
	if (here.has_calls) {
		test_poller();
		test_server();
	} else {
		printf("no filters here: %s\n", here.no_calls.text);
	}
	test_rights();
	test_landlock_alone();
	return check_done();
}
