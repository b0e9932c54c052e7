#include "slurmscope/notify.h"

#include "base/text.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void notify(const char *format, ...)
{
	char text[512];
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const char *path = getenv("NOTIFY_SOCKET");
	size_t len = path ? strlen(path) : 0;
	if (len < 2 || len >= sizeof address.sun_path || (*path != '/' && *path != '@'))
		return;
	memcpy(address.sun_path, path, len);
	if (*path == '@')
		address.sun_path[0] = '\0'; /* an abstract one */
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
	/* if it cannot be told systemd will say so itself */
	(void)!sendto(fd, text, strlen(text), MSG_NOSIGNAL, (const struct sockaddr *)&address, size);
	close(fd);
}

static uint64_t number_in(const char *name)
{
	uint64_t number;
	const char *text = getenv(name);
	return text && text_to_u64(text_of(text), &number) ? number : 0;
}

uint64_t notify_watchdog_ns(void)
{
	uint64_t whose = number_in("WATCHDOG_PID"), us = number_in("WATCHDOG_USEC");
	bool is_ours = !getenv("WATCHDOG_PID") || whose == (uint64_t)getpid();
	return is_ours && us < UINT64_MAX / 1000 ? us * 1000 : 0;
}
