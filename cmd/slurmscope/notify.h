/* Messages to systemd: sd_notify(3), a datagram to the socket that NOTIFY_SOCKET names. Without one nothing happens. */
#pragma once

#include <stdint.h>

/* Lines such as "READY=1". */
void notify(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* systemd expects WATCHDOG=1 once in this many nanoseconds (WATCHDOG_USEC); 0: it does not. */
uint64_t notify_watchdog_ns(void);
