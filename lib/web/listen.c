#include "web/listen.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 4096, FIRST_INHERITED = 3, UNSENT_BYTES = 256 * 1024, RETRY_MS = 50 };

struct address {
	char host[256]; /* empty: all addresses, IPv6 and IPv4 */
	char port[8];
	struct sockaddr_un unix_path; /* else of this, if it is a path */
	bool is_unix;
	mode_t mode;
};

static bool parse_unix(const char *address, struct address *to, struct error *err)
{
	static const char mode_mark[] = ",mode=";
	const char *path = address + strlen("unix:"), *mark = strstr(path, mode_mark);
	size_t len = mark ? (size_t)(mark - path) : strlen(path);
	to->is_unix = true;
	to->mode = 0660;
	if (*path != '/' || len >= sizeof to->unix_path.sun_path)
		return error_set(err, "%s: expected unix:/path of at most %zu bytes", address,
				 sizeof to->unix_path.sun_path - 1);
	if (mark) {
		char *end;
		const char *digits = mark + strlen(mode_mark);
		unsigned long mode = strtoul(digits, &end, 8);
		if (*digits < '0' || *digits > '7' || *end || mode > 0777)
			return error_set(err, "%s: the mode is not an octal number such as 660", address);
		to->mode = (mode_t)mode;
	}
	to->unix_path.sun_family = AF_UNIX;
	memcpy(to->unix_path.sun_path, path, len);
	return true;
}

static bool parse(const char *address, struct address *to, struct error *err)
{
	*to = (struct address){0};
	if (text_starts_with(text_of(address), "unix:"))
		return parse_unix(address, to, err);
	const char *colon = strrchr(address, ':');
	uint64_t port;
	if (!colon || !text_to_u64(text_of(colon + 1), &port) || port > 65535)
		return error_set(err, "%s: expected :port, host:port, [address]:port or unix:/path", address);
	struct text host = {address, (size_t)(colon - address)};
	bool is_bracketed = host.len >= 2 && host.bytes[0] == '[' && host.bytes[host.len - 1] == ']';
	if (is_bracketed)
		host.bytes++, host.len -= 2;
	else if (memchr(host.bytes, ':', host.len))
		return error_set(err, "%s: write an IPv6 address in brackets, such as [::1]:9341", address);
	if (host.len >= sizeof to->host)
		return error_set(err, "%s: too long", address);
	memcpy(to->host, host.bytes, host.len);
	snprintf(to->port, sizeof to->port, "%u", (unsigned)port);
	return true;
}

bool listen_check(const char *address, struct error *err)
{
	struct address parsed;
	return parse(address, &parsed, err);
}

static int close_for(int listener)
{
	int why = errno;
	close(listener);
	errno = why;
	return -1;
}

/* Connections inherit it: of a page of megabytes only so much is copied ahead for a client that does not read. */
static void limit_unsent(int listener)
{
	int bytes = UNSENT_BYTES;
	setsockopt(listener, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &bytes, sizeof bytes);
}

static int open_inet(const struct addrinfo *info)
{
	int on = 1, off = 0;
	int listener = socket(info->ai_family, info->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, info->ai_protocol);
	if (listener < 0)
		return -1;
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (info->ai_family == AF_INET6) /* :: is for IPv4 too */
		setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
	limit_unsent(listener);
	bool listens = bind(listener, info->ai_addr, info->ai_addrlen) == 0 && listen(listener, BACKLOG) == 0;
	return listens ? listener : close_for(listener);
}

/* -1: errno says why, too. */
static int open_host(const struct address *address, struct error *err)
{
	struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *found,
			*info;
	const char *host = *address->host ? address->host : NULL;
	int listener = -1;
	for (int family = host ? AF_UNSPEC : AF_INET6; listener < 0; family = AF_INET) {
		hints.ai_family = family;
		int code = getaddrinfo(host, address->port, &hints, &found);
		if (code) {
			error_set(err, "%s: %s", address->host, gai_strerror(code));
			errno = ENOENT;
			return -1;
		}
		for (info = found; info && listener < 0; info = info->ai_next)
			listener = open_inet(info);
		freeaddrinfo(found);
		if (host || family == AF_INET)
			break;
	}
	if (listener < 0)
		error_set(err, "listen on %s:%s: %s", address->host, address->port, strerror(errno));
	return listener;
}

/* A socket's file outlives the process that made it, so that bind fails. If nobody answers there it is in the way. */
static bool remove_stale(const struct sockaddr_un *path)
{
	struct stat status;
	if (lstat(path->sun_path, &status) != 0)
		return errno == ENOENT;
	errno = EEXIST;
	if (!S_ISSOCK(status.st_mode))
		return false;
	int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	bool is_stale =
		probe >= 0 && connect(probe, (const struct sockaddr *)path, sizeof *path) != 0 && errno == ECONNREFUSED;
	if (probe >= 0)
		close(probe);
	errno = EADDRINUSE;
	return is_stale && unlink(path->sun_path) == 0;
}

/* -1: errno says why, too. */
static int open_unix(const struct address *address, struct error *err)
{
	const struct sockaddr_un *path = &address->unix_path;
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	/* Nobody can connect between bind and listen, so no client finds the socket with another mode. */
	if (listener >= 0 && (!remove_stale(path) || bind(listener, (const struct sockaddr *)path, sizeof *path) != 0 ||
			      chmod(path->sun_path, address->mode) != 0 || listen(listener, BACKLOG) != 0))
		listener = close_for(listener);
	if (listener < 0)
		error_set(err, "listen on unix:%s: %s", path->sun_path, strerror(errno));
	return listener;
}

bool listen_open(struct listeners *listeners, const char *address, unsigned patience_ms, struct error *err)
{
	struct address parsed;
	if (!parse(address, &parsed, err))
		return false;
	if (listeners->count == LISTENERS_MAX)
		return error_set(err, "%s: more than %d addresses", address, LISTENERS_MAX);
	int listener;
	for (unsigned waited_ms = 0;; waited_ms += RETRY_MS) {
		listener = parsed.is_unix ? open_unix(&parsed, err) : open_host(&parsed, err);
		if (listener >= 0 || errno != EADDRINUSE || waited_ms >= patience_ms)
			break;
		usleep(RETRY_MS * 1000);
	}
	if (listener < 0)
		return false;
	listeners->sockets[listeners->count++] = listener;
	return true;
}

static bool environment_number(const char *name, uint64_t *ret_number)
{
	const char *value = getenv(name);
	return value && text_to_u64(text_of(value), ret_number);
}

static bool is_listening(int socket)
{
	int type = 0, listens = 0;
	socklen_t type_len = sizeof type, listens_len = sizeof listens;
	return getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &type_len) == 0 && type == SOCK_STREAM &&
	       getsockopt(socket, SOL_SOCKET, SO_ACCEPTCONN, &listens, &listens_len) == 0 && listens;
}

/* sd_listen_fds(3), without libsystemd. */
bool listen_inherit(struct listeners *listeners, struct error *err)
{
	uint64_t pid, count;
	if (!environment_number("LISTEN_PID", &pid) || !environment_number("LISTEN_FDS", &count) ||
	    pid != (uint64_t)getpid() || !count)
		return error_set(
			err, "systemd passed no socket: --web.systemd-socket needs a .socket unit of the same name");
	if (count > LISTENERS_MAX - listeners->count)
		return error_set(err, "systemd passed more than %d sockets", LISTENERS_MAX);
	for (int socket = FIRST_INHERITED; socket < FIRST_INHERITED + (int)count; socket++) {
		if (!is_listening(socket))
			return error_set(
				err,
				"file descriptor %d from systemd is not a listening stream socket: its .socket "
				"unit needs ListenStream= and Accept=no",
				socket);
		limit_unsent(socket); /* fails for unix sockets, which hold little */
		fcntl(socket, F_SETFD, FD_CLOEXEC);
		fcntl(socket, F_SETFL, fcntl(socket, F_GETFL) | O_NONBLOCK);
		listeners->sockets[listeners->count++] = socket;
	}
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	return true;
}

void listen_name(int listener, char *to, size_t size)
{
	struct sockaddr_storage address = {0};
	socklen_t len = sizeof address;
	char host[128] = "?", port[16] = "?";
	if (getsockname(listener, (struct sockaddr *)&address, &len) == 0 && address.ss_family == AF_UNIX) {
		snprintf(to, size, "unix:%s", ((struct sockaddr_un *)&address)->sun_path);
		return;
	}
	getnameinfo((struct sockaddr *)&address, len, host, sizeof host, port, sizeof port,
		    NI_NUMERICHOST | NI_NUMERICSERV);
	snprintf(to, size, address.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
}

void listen_close(struct listeners *listeners)
{
	while (listeners->count)
		close(listeners->sockets[--listeners->count]);
}
