/* The sandbox's second half: writes, by Landlock (https://docs.kernel.org/userspace-api/landlock.html). Nothing is executed,
 * files are made, changed and removed in the folders that are named and nowhere else; and what newer kernels add to that.
 * Not restricted: reading, and what Landlock does not know of: modes, times, before ABI 3 (Linux 6.2) cutting files to
 * nothing. Nor TCP ports (ABI 4): which ones to connect to is the names service's business as well, and sandbox_calls.c
 * refuses to listen. */
#pragma once

#include "base/error.h"

#include <stdint.h>

/* Landlock's version here; 0: there is none. */
int sandbox_writes_abi(struct error *err);

/* The rights that this version knows. `handled` ones are forbidden except where a folder allows them; folders allow
 * others. `scoped` says which processes we cannot reach. Bits as in <linux/landlock.h>; the kernel refuses those that
 * it does not know. Public for tests, which have one kernel and look at all versions. */
struct sandbox_rights {
	uint64_t handled, allowed, scoped, ports;
};
struct sandbox_rights sandbox_rights(int abi, bool notifies_abstract_socket);

/* A descriptor that stands for the rules; -1: failed. */
int sandbox_writes_begin(int abi, struct error *err);
bool sandbox_writes_allow(int rules, int abi, int folder); /* by its descriptor; else errno says why not */
bool sandbox_writes_restrict(int rules, struct error *err); /* needs PR_SET_NO_NEW_PRIVS */

/* What the process that serves may do with files, TCP ports and other processes: nothing of what that version of Landlock
 * knows. */
struct sandbox_rights sandbox_rights_of_server(int abi);
bool sandbox_writes_of_server(int abi, struct error *err); /* likewise */
