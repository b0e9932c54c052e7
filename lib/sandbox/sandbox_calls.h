/* The sandbox's first half: system calls, by seccomp (libseccomp).
 *
 * For both processes, and for the one that polls, the list says what is refused. What they need is mostly what
 * libraries, the C library and the names service's modules need. That differs with each release and architecture. A
 * list of allowed calls that lacks one fails in the field, at the call of a libc that nobody has tried. The price is
 * that calls which Linux gets later are not refused. Where systemd starts us its unit has a list of what is allowed.
 *
 * The process that serves looks up no names and opens nothing, and speaks with strangers. It has a list of what is allowed
 * (sandbox_server.c). */
#pragma once

#include "base/error.h"

bool sandbox_calls_offered(struct error *err); /* can the kernel do it? */

/* For all threads there are and will be. These need PR_SET_NO_NEW_PRIVS. */
bool sandbox_calls_refuse(struct error *err); /* what neither process needs */
bool sandbox_calls_of_poller(struct error *err); /* beside that: it accepts no connection and makes no other process */
bool sandbox_calls_of_server(struct error *err); /* it may do what its list allows */
