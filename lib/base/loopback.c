#include "base/loopback.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

bool is_loopback(struct text host)
{
	struct in_addr v4;
	struct in6_addr v6;
	char name[INET6_ADDRSTRLEN];
	bool has_brackets = host.len > 1 && host.bytes[0] == '[' && host.bytes[host.len - 1] == ']';
	if (has_brackets)
		host = (struct text){host.bytes + 1, host.len - 2};
	if (host.len >= sizeof name)
		return false;
	snprintf(name, sizeof name, "%.*s", (int)host.len, host.bytes);
	if (inet_pton(AF_INET6, name, &v6) == 1)
		return IN6_IS_ADDR_LOOPBACK(&v6);
	return strcasecmp(name, "localhost") == 0 ||
	       (inet_pton(AF_INET, name, &v4) == 1 && ntohl(v4.s_addr) >> 24 == 127);
}

bool is_loopback_address(const char *address)
{
	size_t brackets = *address == '[' ? strcspn(address, "]") : 0;
	return is_loopback((struct text){address, brackets + strcspn(address + brackets, ":/?#")});
}

bool is_loopback_url(const char *url)
{
	const char *address = strstr(url, "://");
	return address && is_loopback_address(address + strlen("://"));
}
