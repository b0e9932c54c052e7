#include "sandbox/sandbox_calls.h"

#include "sandbox/filter.h"

#include <errno.h>
#include <linux/netlink.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

static const char *const refused[] = {
	/* other programs, and other processes' memory */
	"execve",
	"execveat",
	"process_vm_readv",
	"process_vm_writev",
	"process_madvise",
	"kcmp",
	"pidfd_getfd",
#ifndef SLURMSCOPE_SANITIZED /* that look for leaks by it */
	"ptrace",
#endif
	/* doors: those that are open stay open */
	"listen",
	/* parts of the kernel that are large, or have often been the way into it */
	"bpf",
	"perf_event_open",
	"userfaultfd",
	"io_uring_setup",
	"io_uring_enter",
	"io_uring_register",
	"add_key",
	"request_key",
	"keyctl",
	"fanotify_init",
	"modify_ldt",
	"vm86",
	"vm86old",
	"uselib",
	"personality",
	"kexec_load",
	"kexec_file_load",
	"init_module",
	"finit_module",
	"delete_module",
	"create_module",
	"lookup_dcookie",
	"syslog",
	/* other namespaces and other trees of files */
	"unshare",
	"setns",
	"chroot",
	"pivot_root",
	"mount",
	"umount",
	"umount2",
	"move_mount",
	"open_tree",
	"open_tree_attr",
	"fsopen",
	"fsconfig",
	"fsmount",
	"fspick",
	"mount_setattr",
	"open_by_handle_at",
	/* the machine and its clock */
	"reboot",
	"swapon",
	"swapoff",
	"acct",
	"quotactl",
	"quotactl_fd",
	"nfsservctl",
	"vhangup",
	"iopl",
	"ioperm",
	"pciconfig_read",
	"pciconfig_write",
	"sethostname",
	"setdomainname",
	"settimeofday",
	"stime",
	"adjtimex",
	"clock_settime",
	"clock_settime64",
	"clock_adjtime",
	"clock_adjtime64",
	/* other users */
	"setuid",
	"setuid32",
	"setgid",
	"setgid32",
	"setreuid",
	"setreuid32",
	"setregid",
	"setregid32",
	"setresuid",
	"setresuid32",
	"setresgid",
	"setresgid32",
	"setfsuid",
	"setfsuid32",
	"setfsgid",
	"setfsgid32",
	"setgroups",
	"setgroups32",
	"capset",
	/* what Landlock does not look at; of modes the state file's is set */
	"chown",
	"chown32",
	"lchown",
	"lchown32",
	"fchownat",
	"mknod",
	"mknodat",
	"setxattr",
	"lsetxattr",
	"fsetxattr",
	"setxattrat",
	"removexattr",
	"lremovexattr",
	"fremovexattr",
	"removexattrat",
};

static void refuse_names(struct filter *filter)
{
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		int call = filter_call(refused[i]);
		if (call != __NR_SCMP_ERROR)
			filter_reply(filter, EPERM, call, 0, NULL);
	}
}

/* Threads, but no namespaces. clone3 has its flags in memory, where no filter sees them. If clone3 does not exist, the
 * C library calls clone. */
static void refuse_name_spaces(struct filter *filter)
{
	static const uint64_t flags[] = {CLONE_NEWNS,	CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC,
					 CLONE_NEWUSER, CLONE_NEWPID,	 CLONE_NEWNET};
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		filter_reply(filter, EPERM, SCMP_SYS(clone), 1,
			     &SCMP_CMP(CLONE_FLAGS_ARGUMENT, SCMP_CMP_MASKED_EQ, flags[i], flags[i]));
	filter_reply(filter, ENOSYS, SCMP_SYS(clone3), 0, NULL);
}

/* But those that names are looked up by, and HTTP is spoken. */
static void refuse_socket_families(struct filter *filter)
{
	for (unsigned family = 0; family <= AF_NETLINK; family++)
		if (family != AF_UNIX && family != AF_INET && family != AF_INET6 && family != AF_NETLINK)
			filter_reply(filter, EAFNOSUPPORT, SCMP_SYS(socket), 1, &SCMP_A0_64(SCMP_CMP_EQ, family, 0));
	filter_reply(filter, EAFNOSUPPORT, SCMP_SYS(socket), 1, &SCMP_A0_64(SCMP_CMP_GT, AF_NETLINK, 0));
	/* the C library asks for the machine's addresses (NETLINK_ROUTE); the rest is for those who run the machine */
	const struct scmp_arg_cmp not_route[] = {SCMP_A0_64(SCMP_CMP_EQ, AF_NETLINK, 0),
						 SCMP_A2_64(SCMP_CMP_GT, NETLINK_ROUTE, 0)};
	filter_reply(filter, EPROTONOSUPPORT, SCMP_SYS(socket), 2, not_route);
}

/* Into the terminal that we were started from, where a shell would read it. The kernel looks at 32 bits of the request. */
static void refuse_typing(struct filter *filter)
{
	filter_reply(filter, EPERM, SCMP_SYS(ioctl), 1, &SCMP_A1_64(SCMP_CMP_MASKED_EQ, UINT32_MAX, TIOCSTI));
	filter_reply(filter, EPERM, SCMP_SYS(ioctl), 1, &SCMP_A1_64(SCMP_CMP_MASKED_EQ, UINT32_MAX, TIOCLINUX));
}

bool sandbox_calls_of_poller(struct error *err)
{
	struct filter filter;
	if (!filter_begin(&filter, SCMP_ACT_ALLOW, err))
		return false;
	filter_reply(&filter, EPERM, SCMP_SYS(accept), 0, NULL);
	filter_reply(&filter, EPERM, SCMP_SYS(accept4), 0, NULL);
#ifndef SLURMSCOPE_SANITIZED /* that look for leaks in a process */
	filter_reply(&filter, EPERM, SCMP_SYS(fork), 0, NULL);
	filter_reply(&filter, EPERM, SCMP_SYS(vfork), 0, NULL);
	filter_reply(&filter, EPERM, SCMP_SYS(clone), 1,
		     &SCMP_CMP(CLONE_FLAGS_ARGUMENT, SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
#endif
	return filter_load(&filter, err);
}

bool sandbox_calls_offered(struct error *err)
{
	return seccomp_api_get() > 1 ||
	       error_set(err, "seccomp: the kernel has no filters, or does not let us use them");
}

bool sandbox_calls_refuse(struct error *err)
{
	struct filter filter;
	if (!filter_begin(&filter, SCMP_ACT_ALLOW, err))
		return false;
	refuse_names(&filter);
	refuse_name_spaces(&filter);
	refuse_socket_families(&filter);
	refuse_typing(&filter);
	return filter_load(&filter, err);
}
