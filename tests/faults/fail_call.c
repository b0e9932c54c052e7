/* Preloaded into a program: counts its calls of the C library by the place that they come from, or lets one of them fail
 * once. The results are in a file that is mapped before main: no sandbox is in the way, and a crash loses nothing.
 *
 *	FAIL_FILE   The file to count in, see struct sheet. It has to exist, with its full size.
 *	FAIL_KEY    The key of the place that fails, in hex. Without it nothing fails.
 *	FAIL_NTH    Which of its calls fails, from 1 on.
 *
 * A place is a return address. A library allocates in one function of its own, so for libraries a place is a path.
 * The path has the frames that led to the call, up to the program itself, at most FRAMES. Addresses count from the
 * beginning of their module, so that a place has the same key in each run. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <unwind.h>

enum { FRAMES = 10, PLACES = 16384, NAME_BYTES = 24 };

struct place {
	uint64_t key; /* 0: a free row */
	uint64_t offset; /* of the return address in its module */
	char call[NAME_BYTES];
	char module[NAME_BYTES]; /* the caller's; of what the C library calls itself: of who called that */
	uint64_t count;
};

struct sheet {
	atomic_uint_fast64_t struck; /* calls that were made to fail */
	uint64_t is_full;
	struct place places[PLACES]; /* by key, the next free row if it is taken */
};

static struct sheet *sheet;
static uint64_t wanted_key, wanted_nth;
static atomic_flag lock = ATOMIC_FLAG_INIT;
static _Thread_local bool is_inside __attribute__((tls_model("initial-exec")));

__attribute__((constructor)) static void start(void)
{
	const char *path = getenv("FAIL_FILE"), *key = getenv("FAIL_KEY"), *nth = getenv("FAIL_NTH");
	int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *map = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *sheet, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (map == MAP_FAILED) {
		fputs("fail_call: no FAIL_FILE\n", stderr);
		_exit(99);
	}
	close(file);
	wanted_key = key ? strtoull(key, NULL, 16) : 0;
	wanted_nth = nth ? strtoull(nth, NULL, 10) : 1;
	sheet = map;
}

static uint64_t mix(uint64_t key, const void *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		key = (key ^ ((const unsigned char *)bytes)[i]) * UINT64_C(1099511628211);
	return key;
}

static const char *module_name(const struct dl_find_object *found)
{
	const char *path = found->dlfo_link_map->l_name, *slash = strrchr(path, '/');
	return slash ? slash + 1 : path; /* the program's is empty */
}

static bool is_c_library(const char *module)
{
	return strncmp(module, "libc.so", 7) == 0;
}

struct walk {
	uint64_t key;
	int skip, frames;
	const char *module; /* the first that is not the C library */
};

/* Adds a frame to the key, until the program itself is met. */
static _Unwind_Reason_Code on_frame(struct _Unwind_Context *context, void *data)
{
	struct walk *walk = data;
	struct dl_find_object found;
	uintptr_t address = _Unwind_GetIP(context);
	if (walk->skip && walk->skip--)
		return _URC_NO_REASON;
	if (!address || _dl_find_object((void *)address, &found) != 0)
		return _URC_END_OF_STACK;
	uint64_t offset = address - (uintptr_t)found.dlfo_link_map->l_addr;
	const char *module = module_name(&found);
	if (is_c_library(walk->module))
		walk->module = module;
	walk->key = mix(mix(walk->key, &offset, sizeof offset), module, strlen(module));
	return !*module || ++walk->frames == FRAMES ? _URC_END_OF_STACK : _URC_NO_REASON;
}

/* The row of the place, made if it is new; NULL: the sheet is full. */
static struct place *find(uint64_t key, const char *call, const char *module, uint64_t offset)
{
	for (uint64_t i = 0, at = key % PLACES; i < PLACES; i++, at = (at + 1) % PLACES) {
		struct place *place = &sheet->places[at];
		if (place->key == key)
			return place;
		if (place->key)
			continue;
		*place = (struct place){.key = key, .offset = offset};
		strncpy(place->call, call, NAME_BYTES - 1);
		strncpy(place->module, module, NAME_BYTES - 1);
		return place;
	}
	sheet->is_full = 1;
	return NULL;
}

/* Counts the call, and says whether it has to fail. Not inlined: the walk skips this frame and the wrapper's. */
__attribute__((noinline)) static bool fails(const char *call, void *caller)
{
	struct dl_find_object found;
	if (!sheet || is_inside || _dl_find_object(caller, &found) != 0)
		return false;
	is_inside = true;
	const char *module = module_name(&found);
	uint64_t offset = (uintptr_t)caller - (uintptr_t)found.dlfo_link_map->l_addr;
	struct walk walk = {
		.key = mix(UINT64_C(14695981039346656037), call, strlen(call)), .skip = 2, .module = module};
	if (*module)
		_Unwind_Backtrace(on_frame, &walk);
	else
		walk.key = mix(walk.key, &offset, sizeof offset);
	while (atomic_flag_test_and_set(&lock))
		;
	struct place *place = find(walk.key, call, walk.module, offset);
	bool is_it = place && ++place->count == wanted_nth && walk.key == wanted_key;
	atomic_flag_clear(&lock);
	if (is_it)
		atomic_fetch_add(&sheet->struck, 1);
	is_inside = false;
	return is_it;
}

#define FAILS(name) __builtin_expect(fails(name, __builtin_return_address(0)), 0)

/* What it is called in the C library; no call is made before main that would need it in a thread. */
#define REAL(name)                                                                                                     \
	static __typeof__(&name) real;                                                                                 \
	if (!real)                                                                                                     \
	real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

#define EXPORT __attribute__((visibility("default")))

/* A call that fails with an errno, and has no effect. */
#define CALL(type, name, parameters, arguments, failure, number)                                                       \
	EXPORT type name parameters                                                                                    \
	{                                                                                                              \
		REAL(name);                                                                                            \
		if (FAILS(#name)) {                                                                                    \
			errno = number;                                                                                \
			return failure;                                                                                \
		}                                                                                                      \
		return real arguments;                                                                                 \
	}

/* Of memory: these are there before anything can be looked up. */
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

#define ALLOCATION(name, parameters, call)                                                                             \
	EXPORT void *name parameters                                                                                   \
	{                                                                                                              \
		if (FAILS(#name)) {                                                                                    \
			errno = ENOMEM;                                                                                \
			return NULL;                                                                                   \
		}                                                                                                      \
		return call;                                                                                           \
	}

ALLOCATION(malloc, (size_t size), __libc_malloc(size))
ALLOCATION(calloc, (size_t count, size_t size), __libc_calloc(count, size))
ALLOCATION(realloc, (void *old, size_t size), __libc_realloc(old, size))
ALLOCATION(aligned_alloc, (size_t align, size_t size), __libc_memalign(align, size))

EXPORT int posix_memalign(void **to, size_t align, size_t size)
{
	void *memory = FAILS("posix_memalign") ? NULL : __libc_memalign(align, size);
	if (memory)
		*to = memory;
	return memory ? 0 : ENOMEM;
}

CALL(void *, mmap, (void *at, size_t len, int prot, int flags, int fd, off_t offset),
     (at, len, prot, flags, fd, offset), MAP_FAILED, ENOMEM)
CALL(void *, mmap64, (void *at, size_t len, int prot, int flags, int fd, off64_t offset),
     (at, len, prot, flags, fd, offset), MAP_FAILED, ENOMEM)

/* Files */
static int mode_of(int flags, va_list arguments)
{
	return flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, int) : 0;
}

#define OPEN(name, parameters, arguments)                                                                              \
	EXPORT int name parameters                                                                                     \
	{                                                                                                              \
		REAL(name);                                                                                            \
		va_list rest;                                                                                          \
		va_start(rest, flags);                                                                                 \
		int mode = mode_of(flags, rest);                                                                       \
		va_end(rest);                                                                                          \
		if (FAILS(#name)) {                                                                                    \
			errno = EMFILE;                                                                                \
			return -1;                                                                                     \
		}                                                                                                      \
		return real arguments;                                                                                 \
	}

OPEN(open, (const char *path, int flags, ...), (path, flags, mode))
OPEN(open64, (const char *path, int flags, ...), (path, flags, mode))
OPEN(openat, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))
OPEN(openat64, (int folder, const char *path, int flags, ...), (folder, path, flags, mode))

#define CONTROL(name, parameters, arguments, number)                                                                   \
	EXPORT int name parameters                                                                                     \
	{                                                                                                              \
		REAL(name);                                                                                            \
		va_list rest;                                                                                          \
		va_start(rest, what);                                                                                  \
		void *argument = va_arg(rest, void *);                                                                 \
		va_end(rest);                                                                                          \
		if (FAILS(#name)) {                                                                                    \
			errno = number;                                                                                \
			return -1;                                                                                     \
		}                                                                                                      \
		return real arguments;                                                                                 \
	}

CONTROL(fcntl, (int fd, int what, ...), (fd, what, argument), ENOLCK)
CONTROL(fcntl64, (int fd, int what, ...), (fd, what, argument), ENOLCK)
CONTROL(ioctl, (int fd, unsigned long what, ...), (fd, what, argument), EIO)

CALL(FILE *, fopen, (const char *path, const char *mode), (path, mode), NULL, EMFILE)
CALL(FILE *, fopen64, (const char *path, const char *mode), (path, mode), NULL, EMFILE)
CALL(ssize_t, read, (int fd, void *to, size_t len), (fd, to, len), -1, EIO)
CALL(ssize_t, pread, (int fd, void *to, size_t len, off_t at), (fd, to, len, at), -1, EIO)
CALL(ssize_t, pread64, (int fd, void *to, size_t len, off64_t at), (fd, to, len, at), -1, EIO)
CALL(ssize_t, write, (int fd, const void *from, size_t len), (fd, from, len), -1, ENOSPC)
CALL(ssize_t, pwrite, (int fd, const void *from, size_t len, off_t at), (fd, from, len, at), -1, ENOSPC)
CALL(ssize_t, pwrite64, (int fd, const void *from, size_t len, off64_t at), (fd, from, len, at), -1, ENOSPC)
CALL(ssize_t, writev, (int fd, const struct iovec *from, int count), (fd, from, count), -1, ECONNRESET)
CALL(size_t, fwrite, (const void *from, size_t size, size_t count, FILE *file), (from, size, count, file), 0, ENOSPC)
CALL(int, fflush, (FILE * file), (file), EOF, ENOSPC)
CALL(int, fsync, (int fd), (fd), -1, EIO)
CALL(int, fdatasync, (int fd), (fd), -1, EIO)
CALL(int, ftruncate, (int fd, off_t len), (fd, len), -1, EIO)
CALL(int, ftruncate64, (int fd, off64_t len), (fd, len), -1, EIO)
CALL(int, rename, (const char *from, const char *to), (from, to), -1, EIO)
CALL(int, unlink, (const char *path), (path), -1, EIO)
CALL(int, stat, (const char *path, struct stat *to), (path, to), -1, EIO)
CALL(int, stat64, (const char *path, struct stat64 *to), (path, to), -1, EIO)
CALL(int, lstat, (const char *path, struct stat *to), (path, to), -1, EIO)
CALL(int, lstat64, (const char *path, struct stat64 *to), (path, to), -1, EIO)
CALL(int, fstat, (int fd, struct stat *to), (fd, to), -1, EIO)
CALL(int, fstat64, (int fd, struct stat64 *to), (fd, to), -1, EIO)
CALL(int, fchmod, (int fd, mode_t mode), (fd, mode), -1, EIO)
CALL(int, chmod, (const char *path, mode_t mode), (path, mode), -1, EIO)
CALL(char *, realpath, (const char *path, char *to), (path, to), NULL, EIO)

/* The kernel has given the descriptor back when close() fails. */
EXPORT int close(int fd)
{
	REAL(close);
	int status = real(fd);
	if (FAILS("close")) {
		errno = EIO;
		return -1;
	}
	return status;
}

/* Sockets */
CALL(int, socket, (int family, int type, int protocol), (family, type, protocol), -1, EMFILE)
CALL(int, socketpair, (int family, int type, int protocol, int to[2]), (family, type, protocol, to), -1, EMFILE)
CALL(int, connect, (int fd, const struct sockaddr *to, socklen_t len), (fd, to, len), -1, ENETUNREACH)
CALL(int, bind, (int fd, const struct sockaddr *to, socklen_t len), (fd, to, len), -1, EADDRINUSE)
CALL(int, listen, (int fd, int backlog), (fd, backlog), -1, EADDRINUSE)
CALL(int, accept, (int fd, struct sockaddr *from, socklen_t *len), (fd, from, len), -1, EMFILE)
CALL(int, accept4, (int fd, struct sockaddr *from, socklen_t *len, int flags), (fd, from, len, flags), -1, EMFILE)
CALL(ssize_t, send, (int fd, const void *from, size_t len, int flags), (fd, from, len, flags), -1, ECONNRESET)
CALL(ssize_t, sendto, (int fd, const void *from, size_t len, int flags, const struct sockaddr *to, socklen_t to_len),
     (fd, from, len, flags, to, to_len), -1, ECONNRESET)
CALL(ssize_t, sendmsg, (int fd, const struct msghdr *what, int flags), (fd, what, flags), -1, ECONNRESET)
CALL(ssize_t, sendfile, (int to, int from, off_t *at, size_t len), (to, from, at, len), -1, ECONNRESET)
CALL(ssize_t, recv, (int fd, void *to, size_t len, int flags), (fd, to, len, flags), -1, ECONNRESET)
CALL(ssize_t, recvfrom, (int fd, void *to, size_t len, int flags, struct sockaddr *from, socklen_t *from_len),
     (fd, to, len, flags, from, from_len), -1, ECONNRESET)
CALL(ssize_t, recvmsg, (int fd, struct msghdr *what, int flags), (fd, what, flags), -1, ECONNRESET)
CALL(int, setsockopt, (int fd, int level, int name, const void *value, socklen_t len), (fd, level, name, value, len),
     -1, ENOBUFS)
CALL(int, getsockopt, (int fd, int level, int name, void *value, socklen_t *len), (fd, level, name, value, len), -1,
     ENOBUFS)
CALL(int, getsockname, (int fd, struct sockaddr *to, socklen_t *len), (fd, to, len), -1, ENOBUFS)
CALL(int, getpeername, (int fd, struct sockaddr *to, socklen_t *len), (fd, to, len), -1, ENOTCONN)
CALL(int, shutdown, (int fd, int how), (fd, how), -1, ENOTCONN)
CALL(int, getaddrinfo, (const char *host, const char *port, const struct addrinfo *hints, struct addrinfo **to),
     (host, port, hints, to), EAI_AGAIN, 0)

/* Waiting, and threads */
CALL(int, poll, (struct pollfd * fds, nfds_t count, int ms), (fds, count, ms), -1, ENOMEM)
CALL(int, epoll_create1, (int flags), (flags), -1, EMFILE)
CALL(int, epoll_ctl, (int epoll, int what, int fd, struct epoll_event *event), (epoll, what, fd, event), -1, ENOMEM)
CALL(int, epoll_wait, (int epoll, struct epoll_event *to, int count, int ms), (epoll, to, count, ms), -1, EINTR)
CALL(int, eventfd, (unsigned value, int flags), (value, flags), -1, EMFILE)
CALL(int, pipe, (int to[2]), (to), -1, EMFILE)
CALL(int, pipe2, (int to[2], int flags), (to, flags), -1, EMFILE)
CALL(ssize_t, getrandom, (void *to, size_t len, unsigned flags), (to, len, flags), -1, EINTR)
CALL(int, pthread_create, (pthread_t * to, const pthread_attr_t *how, void *(*run)(void *), void *context),
     (to, how, run, context), EAGAIN, 0)

/* What the compiler makes of some where it knows the buffer's size */
extern ssize_t __read_chk(int, void *, size_t, size_t), __recv_chk(int, void *, size_t, size_t, int);
extern ssize_t __pread64_chk(int, void *, size_t, off64_t, size_t);
extern int __poll_chk(struct pollfd *, nfds_t, int, size_t);
CALL(ssize_t, __read_chk, (int fd, void *to, size_t len, size_t size), (fd, to, len, size), -1, EIO)
CALL(ssize_t, __recv_chk, (int fd, void *to, size_t len, size_t size, int flags), (fd, to, len, size, flags), -1,
     ECONNRESET)
CALL(ssize_t, __pread64_chk, (int fd, void *to, size_t len, off64_t at, size_t size), (fd, to, len, at, size), -1, EIO)
CALL(int, __poll_chk, (struct pollfd * fds, nfds_t count, int ms, size_t size), (fds, count, ms, size), -1, ENOMEM)
