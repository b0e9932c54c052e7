#include "doctor/listener.h"

#include "base/loopback.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { LINE_BYTES = 512, TCP_LISTEN = 0x0a };

/* The inode of the one listening socket on the port; 0: there is none. */
static unsigned long tcp_inode(const char *table, unsigned port)
{
	char line[LINE_BYTES];
	unsigned long found = 0, inode;
	unsigned local, state;
	FILE *file = fopen(table, "re");
	while (file && !found && fgets(line, sizeof line, file))
		if (sscanf(line, " %*[^:]: %*[^:]:%x %*s %x %*s %*s %*s %*s %*s %lu", &local, &state, &inode) == 3 &&
		    local == port && state == TCP_LISTEN)
			found = inode;
	if (file)
		fclose(file);
	return found;
}

static unsigned long unix_inode(const char *path)
{
	char line[LINE_BYTES], name[LINE_BYTES];
	unsigned long found = 0, inode;
	FILE *file = fopen("/proc/net/unix", "re");
	while (file && !found && fgets(line, sizeof line, file))
		if (sscanf(line, "%*s %*s %*s 00010000 %*s %*s %lu %511s", &inode, name) == 2 &&
		    strcmp(name, path) == 0)
			found = inode;
	if (file)
		fclose(file);
	return found;
}

static unsigned long inode_of(const char *url)
{
	if (strncasecmp(url, "unix:", 5) == 0)
		return unix_inode(url + 5 + strspn(url + 5, "/") - 1);
	const char *host = strstr(url, "://");
	const char *colon = host ? strrchr(host + 3, ':') : NULL;
	unsigned port = colon ? (unsigned)strtoul(colon + 1, NULL, 10) : 0;
	if (!is_loopback_url(url) || !port)
		return 0;
	unsigned long inode = tcp_inode("/proc/net/tcp", port);
	return inode ? inode : tcp_inode("/proc/net/tcp6", port);
}

static bool has_socket(const char *pid, unsigned long inode)
{
	char path[300], link[64], wanted[64];
	snprintf(path, sizeof path, "/proc/%s/fd", pid);
	snprintf(wanted, sizeof wanted, "socket:[%lu]", inode);
	DIR *folder = opendir(path);
	bool is_found = false;
	for (const struct dirent *entry; folder && !is_found && (entry = readdir(folder));) {
		ssize_t len = readlinkat(dirfd(folder), entry->d_name, link, sizeof link - 1);
		link[len > 0 ? len : 0] = '\0';
		is_found = strcmp(link, wanted) == 0;
	}
	if (folder)
		closedir(folder);
	return is_found;
}

int listener_of(const char *url)
{
	unsigned long inode = inode_of(url);
	DIR *folder = inode ? opendir("/proc") : NULL;
	int found = 0;
	for (const struct dirent *entry; folder && !found && (entry = readdir(folder));)
		if (atoi(entry->d_name) > 0 && has_socket(entry->d_name, inode))
			found = atoi(entry->d_name);
	if (folder)
		closedir(folder);
	return found;
}
