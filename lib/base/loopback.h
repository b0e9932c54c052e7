/* Tells whether a host is this machine: other machines do not see the bytes that are sent there. */
#pragma once

#include "base/text.h"

#include <stdbool.h>

/* localhost, 127.0.0.0/8 or ::1, with or without brackets. No name is looked up: another one is another machine's. */
bool is_loopback(struct text host);
/* Of an address "HOST:PORT", and of a URL "scheme://HOST:PORT/path". Port and path may be missing. */
bool is_loopback_address(const char *address);
bool is_loopback_url(const char *url);
