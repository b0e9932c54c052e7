#include "web/listen.h"

#include "base/text.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 256 };

bool listen_parse(const char *address, struct listen_address *ret_address, struct error *err)
{
	const char *colon = strrchr(address, ':');
	uint64_t port;
	if (!colon || !text_to_u64(text_of(colon + 1), &port) || port > 65535)
		return error_set(err, "%s: expected :port, host:port or [address]:port", address);
	struct text host = {address, (size_t)(colon - address)};
	bool is_bracketed = host.len >= 2 && host.bytes[0] == '[' && host.bytes[host.len - 1] == ']';
	if (is_bracketed)
		host.bytes++, host.len -= 2;
	else if (memchr(host.bytes, ':', host.len))
		return error_set(err, "%s: an IPv6 address is written in brackets, [::1]:9341", address);
	if (host.len >= sizeof ret_address->host)
		return error_set(err, "%s: too long", address);
	*ret_address = (struct listen_address){0};
	memcpy(ret_address->host, host.bytes, host.len);
	snprintf(ret_address->port, sizeof ret_address->port, "%u", (unsigned)port);
	return true;
}

static int open_one(const struct addrinfo *info)
{
	int on = 1, off = 0;
	int listener = socket(info->ai_family, info->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
			      info->ai_protocol);
	if (listener < 0)
		return -1;
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (info->ai_family == AF_INET6) /* :: is for IPv4 too */
		setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
	if (bind(listener, info->ai_addr, info->ai_addrlen) == 0 && listen(listener, BACKLOG) == 0)
		return listener;
	int why = errno;
	close(listener);
	errno = why;
	return -1;
}

int listen_open(const struct listen_address *address, struct error *err)
{
	struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM,
				 .ai_flags = AI_PASSIVE}, *found, *info;
	const char *host = *address->host ? address->host : NULL;
	int listener = -1;
	for (int family = host ? AF_UNSPEC : AF_INET6; listener < 0; family = AF_INET) {
		hints.ai_family = family;
		int code = getaddrinfo(host, address->port, &hints, &found);
		if (code) {
			error_set(err, "%s: %s", address->host, gai_strerror(code));
			return -1;
		}
		for (info = found; info && listener < 0; info = info->ai_next)
			listener = open_one(info);
		freeaddrinfo(found);
		if (host || family == AF_INET)
			break;
	}
	if (listener < 0)
		error_set(err, "listen on %s:%s: %s", address->host, address->port, strerror(errno));
	return listener;
}

void listen_name(int listener, char *to, size_t size)
{
	struct sockaddr_storage address = {0};
	socklen_t len = sizeof address;
	char host[128] = "?", port[16] = "?";
	if (getsockname(listener, (struct sockaddr *)&address, &len) == 0)
		getnameinfo((struct sockaddr *)&address, len, host, sizeof host, port, sizeof port,
			    NI_NUMERICHOST | NI_NUMERICSERV);
	snprintf(to, size, address.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
}
