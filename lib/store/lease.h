/* Who may have the state file: a lock on a file beside it, PATH.lock, which stays when the state is replaced, set aside or
 * copied. It is of one open file (F_OFD_SETLK in fcntl(2)), goes with the process or its machine, and holds between the
 * machines of a network file system that knows locks, such as NFSv4. Says in the file who has it. */
#pragma once

#include "base/error.h"

enum lease {
	LEASE_OURS,
	LEASE_OTHERS,  /* another process has it; *err says which */
	LEASE_TROUBLE, /* there can be none, as *err says */
};

/* *ret_file is open after LEASE_OURS, else -1. Does not wait. */
enum lease lease_take(const char *path, int *ret_file, struct error *err);

/* Does no other process have it now, as far as can be told? Leaves no trace. False: *err says which one has. */
bool lease_is_free(const char *path, struct error *err);

void lease_release(int file); /* -1 is fine */
