/* The calls of the process that serves: libmicrohttpd, GnuTLS, zlib, memory, threads, clocks. No call takes a path,
 * makes a socket, connects one, or reaches another process. Every other call fails with EPERM, like one without
 * permission. */
#include "sandbox/filter.h"
#include "sandbox/sandbox_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static const char *const allowed[] = {
	/* connections, the link, the log, and files that were open before */
	"accept4",
	"shutdown",
	"getsockname",
	"getpeername",
	"getsockopt",
	"recv",
	"recvfrom",
	"recvmsg",
	"read",
	"readv",
	"pread64",
	"write",
	"writev",
	"lseek",
	"_llseek",
	"getdents64",
	"close",
	/* waiting */
	"poll",
	"ppoll",
	"ppoll_time64",
	"epoll_create1",
	"epoll_ctl",
	"epoll_wait",
	"epoll_pwait",
	"eventfd2",
	"nanosleep",
	"clock_nanosleep",
	"clock_nanosleep_time64",
	"restart_syscall",
	/* memory and threads */
	"brk",
	"munmap",
	"mremap",
	"madvise",
	"futex",
	"futex_time64",
	"futex_waitv",
	"membarrier",
	"set_robust_list",
	"rseq",
	"sched_yield",
	"sched_getaffinity",
	"getcpu",
	"rt_sigaction",
	"rt_sigprocmask",
	"rt_sigreturn",
	"sigaltstack",
	"exit",
	"exit_group",
	/* what it knows of itself and the machine */
	"getpid",
	"getppid",
	"gettid",
	"getuid",
	"geteuid",
	"getgid",
	"getegid",
	"getrlimit",
	"ugetrlimit",
	"getrusage",
	"uname",
	"sysinfo",
	"getrandom",
	"time",
	"gettimeofday",
	"clock_gettime",
	"clock_gettime64",
	"clock_getres",
	"clock_getres_time64",
#ifdef SLURMSCOPE_SANITIZED /* they look for leaks in a process that traces this one, and show where by files */
	"openat",
	"open",
	"readlink",
	"newfstatat",
	"fstat",
	"stat",
	"pipe",
	"pipe2",
	"prctl",
	"ptrace",
	"wait4",
	"clone",
	"process_vm_readv",
	"getdents",
	"arch_prctl",
	"kill",
#endif
};

static void allow_names(struct filter *filter)
{
	for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++) {
		int call = filter_call(allowed[i]);
		if (call != __NR_SCMP_ERROR)
			filter_allow(filter, call, 0, NULL);
	}
}

/* Flags without MSG_FASTOPEN: that connects a socket as it sends, also one that listened until it was shut down. */
static void allow_sending(struct filter *filter)
{
	const uint64_t others = ~(uint64_t)(MSG_NOSIGNAL | MSG_MORE | MSG_DONTWAIT);
	filter_allow(filter, SCMP_SYS(send), 1, &SCMP_A3_64(SCMP_CMP_MASKED_EQ, others, 0));
	filter_allow(filter, SCMP_SYS(sendto), 1, &SCMP_A3_64(SCMP_CMP_MASKED_EQ, others, 0));
	filter_allow(filter, SCMP_SYS(sendmsg), 1, &SCMP_A2_64(SCMP_CMP_MASKED_EQ, others, 0));
}

/* Not who gets its signals (F_SETOWN), nor copies and locks. */
static void allow_flags_of_descriptors(struct filter *filter)
{
	static const int commands[] = {F_GETFD, F_SETFD, F_GETFL, F_SETFL};
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
		filter_allow(filter, SCMP_SYS(fcntl), 1, &SCMP_A1_64(SCMP_CMP_EQ, (unsigned)commands[i], 0));
		filter_allow(filter, SCMP_SYS(fcntl64), 1, &SCMP_A1_64(SCMP_CMP_EQ, (unsigned)commands[i], 0));
	}
}

static void allow_options_of_sockets(struct filter *filter)
{
	static const unsigned options[] = {TCP_NODELAY, TCP_CORK};
	for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
		const struct scmp_arg_cmp arguments[] = {SCMP_A1_64(SCMP_CMP_EQ, IPPROTO_TCP, 0),
							 SCMP_A2_64(SCMP_CMP_EQ, options[i], 0)};
		filter_allow(filter, SCMP_SYS(setsockopt), 2, arguments);
	}
}

static void allow_memory_without_code(struct filter *filter)
{
	static const char *const names[] = {"mmap", "mmap2", "mprotect"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		int call = filter_call(names[i]);
		if (call != __NR_SCMP_ERROR)
			filter_allow(filter, call, 1, &SCMP_A2_64(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
	}
}

/* Threads and no processes; signals to itself, as abort sends them; its own limits, to look at. clone3 has its flags in
 * memory. If clone3 does not exist, the C library calls clone. */
static void allow_of_itself(struct filter *filter)
{
	const uint64_t name_spaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |
				     CLONE_NEWPID | CLONE_NEWNET;
	const struct scmp_arg_cmp limits[] = {SCMP_A0_64(SCMP_CMP_EQ, 0, 0), SCMP_A2_64(SCMP_CMP_EQ, 0, 0)};
	filter_allow(filter, SCMP_SYS(clone), 1,
		     &SCMP_CMP(CLONE_FLAGS_ARGUMENT, SCMP_CMP_MASKED_EQ, CLONE_THREAD | name_spaces, CLONE_THREAD));
	filter_reply(filter, ENOSYS, SCMP_SYS(clone3), 0, NULL);
	filter_allow(filter, SCMP_SYS(tgkill), 1, &SCMP_A0_64(SCMP_CMP_EQ, (uint64_t)getpid(), 0));
	filter_allow(filter, SCMP_SYS(prlimit64), 2, limits);
}

bool sandbox_calls_of_server(struct error *err)
{
	struct filter filter;
	if (!filter_begin(&filter, SCMP_ACT_ERRNO(EPERM), err))
		return false;
	allow_names(&filter);
	allow_sending(&filter);
	allow_flags_of_descriptors(&filter);
	allow_options_of_sockets(&filter);
	allow_memory_without_code(&filter);
	allow_of_itself(&filter);
	return filter_load(&filter, err);
}
