/* Tells whether a host is this machine: other machines do not see the bytes that are sent there. */
#pragma once

#include "base/text.h"

#include <stdbool.h>

/* localhost, 127.0.0.0/8 or ::1, with or without brackets. No name is looked up: another one is another machine's. */
bool is_loopback(struct text host);
