/* A planted hole, in a test binary alone (tests/e2e/CMakeLists.txt): who asks the server for its icon with ?try=NAME makes
 * it do what an intruder would who runs code of his own in it. The answer is the error's number (0: it worked) and what
 * was had. test_hole.py asks. */
#include "base/buf.h"
#include "page/link.h"
#include "serve/status_routes.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DESCRIPTORS = 1024 };

static int take_all(int file, struct buf *ret_had)
{
	if (file < 0)
		return errno;
	char bytes[4096];
	ssize_t len = read(file, bytes, sizeof bytes);
	int failure = len < 0 ? errno : 0;
	if (len > 0)
		buf_add(ret_had, bytes, (size_t)len);
	close(file);
	return failure;
}

static int read_file(const char *path, struct buf *ret_had)
{
	return take_all((int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY), ret_had);
}

static int read_by_newer_call(const char *path, struct buf *ret_had)
{
	const uint64_t how[3] = {O_RDONLY, 0, 0};
	return take_all((int)syscall(SYS_openat2, AT_FDCWD, path, how, sizeof how), ret_had);
}

/* By the way up from a folder that is open. */
static int read_from_folder(const char *path, struct buf *ret_had)
{
	char up[512];
	int failure = EPERM;
	snprintf(up, sizeof up, "../../../../../../../..%s", path);
	for (int folder = 0; folder < DESCRIPTORS && failure; folder++) {
		int why = take_all((int)syscall(SYS_openat, folder, up, O_RDONLY), ret_had);
		failure = why == EBADF ? failure : why;
	}
	return failure;
}

static int read_parent(const char *name, struct buf *ret_had)
{
	char path[128];
	snprintf(path, sizeof path, "/proc/%d/%s", getppid(), name);
	return read_file(path, ret_had);
}

static int write_file(const char *path, struct buf *ret_had)
{
	(void)ret_had;
	int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT, 0600);
	return file < 0 ? errno : 0;
}

static int remove_file(const char *path, struct buf *ret_had)
{
	(void)ret_had;
	return syscall(SYS_unlinkat, AT_FDCWD, path, 0) < 0 ? errno : 0;
}

static struct sockaddr_in at_port(const char *port)
{
	return (struct sockaddr_in){.sin_family = AF_INET,
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				    .sin_port = htons((uint16_t)atoi(port))};
}

static int connect_to(const char *port, struct buf *ret_had)
{
	(void)ret_had;
	const struct sockaddr_in address = at_port(port);
	int client = socket(AF_INET, SOCK_STREAM, 0);
	return client < 0 || connect(client, (const struct sockaddr *)&address, sizeof address) < 0 ? errno : 0;
}

static int connect_to_path(const char *path, struct buf *ret_had)
{
	(void)ret_had;
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int client = socket(AF_UNIX, SOCK_STREAM, 0);
	strncpy(address.sun_path, path, sizeof address.sun_path - 1);
	return client < 0 || connect(client, (const struct sockaddr *)&address, sizeof address) < 0 ? errno : 0;
}

static int listener(void)
{
	for (int file = 0; file < DESCRIPTORS; file++) {
		int listens = 0;
		socklen_t len = sizeof listens;
		if (getsockopt(file, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len) == 0 && listens)
			return file;
	}
	return -1;
}

/* The server's own socket stops listening and becomes a client. */
static int connect_listener(const char *port, struct buf *ret_had)
{
	(void)ret_had;
	const struct sockaddr_in address = at_port(port);
	int file = listener();
	shutdown(file, SHUT_RDWR);
	if (connect(file, (const struct sockaddr *)&address, sizeof address) == 0 || errno == EINPROGRESS)
		return 0;
	ssize_t sent = sendto(file, "x", 1, MSG_FASTOPEN, (const struct sockaddr *)&address, sizeof address);
	return sent > 0 || errno == EINPROGRESS ? 0 : errno;
}

static int start_program(const char *path, struct buf *ret_had)
{
	(void)ret_had;
	char *const argv[] = {(char *)"touch", (char *)path, NULL};
	pid_t child = fork();
	if (child < 0) /* then in this process's place */
		return execve("/usr/bin/touch", argv, environ), errno;
	if (child == 0)
		_exit(execve("/usr/bin/touch", argv, environ) ? errno : 0);
	int status;
	waitpid(child, &status, 0);
	return WEXITSTATUS(status);
}

static int make_process(const char *unused, struct buf *ret_had)
{
	(void)unused, (void)ret_had;
	long child = syscall(SYS_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, NULL, NULL, NULL, NULL);
	if (child == 0)
		syscall(SYS_exit, 0);
	return child < 0 ? errno : 0;
}

static int run_code(const char *unused, struct buf *ret_had)
{
	(void)unused, (void)ret_had;
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
		       ? errno
		       : 0;
}

static int signal_parent(const char *unused, struct buf *ret_had)
{
	(void)unused, (void)ret_had;
	return kill(getppid(), 0) < 0 ? errno : 0;
}

static int trace_parent(const char *unused, struct buf *ret_had)
{
	(void)unused, (void)ret_had;
	return ptrace(PTRACE_SEIZE, getppid(), NULL, NULL) < 0 ? errno : 0;
}

/* What is at our own address there, for the program is the same. */
static int read_memory(const char *unused, struct buf *ret_had)
{
	(void)unused;
	char bytes[64];
	const struct iovec here = {bytes, sizeof bytes}, there = {(void *)(uintptr_t)read_memory, sizeof bytes};
	ssize_t len = process_vm_readv(getppid(), &here, 1, &there, 1, 0);
	if (len > 0)
		buf_add(ret_had, bytes, (size_t)len);
	return len < 0 ? errno : 0;
}

/* Pages that were handed over. */
static int change_pages(const char *unused, struct buf *ret_had)
{
	(void)unused, (void)ret_had;
	return syscall(SYS_memfd_create, "x", 0) < 0 ? errno : 0;
}

/* What is no message, on every socket: the link is one of them. */
static int say_nonsense(const char *unused, struct buf *ret_had)
{
	(void)unused, (void)ret_had;
	static const char nonsense[4096] = "nonsense";
	for (int file = 0; file < DESCRIPTORS; file++) {
		int type = 0;
		socklen_t len = sizeof type;
		if (getsockopt(file, SOL_SOCKET, SO_TYPE, &type, &len) == 0 && type == SOCK_SEQPACKET)
			return send(file, nonsense, sizeof nonsense, MSG_NOSIGNAL) < 0 ? errno : 0;
	}
	return ENOENT;
}

/* A message that is one, but nobody enabled it. */
static int ask_to_reload(const char *unused, struct buf *ret_had)
{
	(void)unused, (void)ret_had;
	const struct link_message message = {.kind = LINK_RELOAD, .descriptor = -1};
	for (int file = 0; file < DESCRIPTORS; file++) {
		int type = 0;
		socklen_t len = sizeof type;
		if (getsockopt(file, SOL_SOCKET, SO_TYPE, &type, &len) == 0 && type == SOCK_SEQPACKET)
			return link_say(file, &message) ? 0 : errno;
	}
	return ENOENT;
}

static int die(const char *how, struct buf *ret_had)
{
	(void)ret_had;
	if (strcmp(how, "abort") == 0)
		abort();
	_exit(atoi(how));
}

static int hang(const char *unused, struct buf *ret_had)
{
	(void)unused, (void)ret_had;
	while (sched_yield() == 0)
		continue;
	return errno;
}

static const struct {
	const char *name;
	int (*try)(const char *with, struct buf *ret_had);
} attempts[] = {
	{"read", read_file},
	{"openat2", read_by_newer_call},
	{"from-folder", read_from_folder},
	{"parent", read_parent},
	{"write", write_file},
	{"remove", remove_file},
	{"connect", connect_to},
	{"connect-path", connect_to_path},
	{"connect-listener", connect_listener},
	{"start", start_program},
	{"process", make_process},
	{"code", run_code},
	{"signal", signal_parent},
	{"trace", trace_parent},
	{"memory", read_memory},
	{"memfd", change_pages},
	{"nonsense", say_nonsense},
	{"reload", ask_to_reload},
	{"die", die},
	{"hang", hang},
};

void __real_status_respond_icon(struct routes *routes, const struct web_request *request, struct web_reply *reply);
void __wrap_status_respond_icon(struct routes *routes, const struct web_request *request, struct web_reply *reply);
void __wrap_status_respond_icon(struct routes *routes, const struct web_request *request, struct web_reply *reply)
{
	const char *name = web_request_query(request, "try", 0), *with = web_request_query(request, "with", 0);
	struct buf had = BUF_INIT, text = BUF_INIT;
	for (size_t i = 0; name && i < sizeof attempts / sizeof *attempts; i++) {
		if (strcmp(attempts[i].name, name) != 0)
			continue;
		buf_printf(&text, "%d ", attempts[i].try(with ? with : "", &had));
		buf_add_text(&text, buf_text(&had));
		buf_done(&had);
		web_reply_text(reply, 200, text.bytes);
		reply->len = text.len;
		reply->owner = text.bytes;
		reply->release = free;
		return;
	}
	__real_status_respond_icon(routes, request, reply);
}
