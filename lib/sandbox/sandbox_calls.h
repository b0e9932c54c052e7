/* The sandbox's first half: system calls, by seccomp (libseccomp).
 *
 * A list of what is refused, not of what is allowed: what an exporter needs is mostly what its libraries, the C library and
 * the names service's modules need, and that is another list on each release and architecture. One that is a call short
 * fails in the field, at the call of a libc that nobody has tried. The price is that calls which Linux gets later
 * are not refused. Where systemd starts us its unit has a list of what is allowed. */
#pragma once

#include "base/error.h"

bool sandbox_calls_offered(struct error *err); /* can the kernel do it? */

/* For all threads there are and will be. Needs PR_SET_NO_NEW_PRIVS. */
bool sandbox_calls_refuse(struct error *err);
