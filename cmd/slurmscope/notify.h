/* What systemd is told: sd_notify(3), a datagram to the socket that NOTIFY_SOCKET names. Without one nothing happens. */
#pragma once

#include <stdint.h>

/* Lines such as "READY=1". */
void notify(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Within so many nanoseconds WATCHDOG=1 is awaited each time (WATCHDOG_USEC); 0: it is not. */
uint64_t notify_watchdog_ns(void);
