/* Which process may have the state file: the one that locked a file beside it, PATH.lock. SQLite's lock is the state
 * file's own, so it does not protect a path whose file is replaced, set aside or copied. The lock belongs to one open file
 * (F_OFD_SETLK in fcntl(2)) and ends with the process or its machine. It also holds between the machines of a network
 * file system that has locks, such as NFSv4. The file says who has it. */
#pragma once

#include "base/error.h"

enum lease {
	LEASE_OURS,
	LEASE_OTHERS, /* another process has it; *err says which */
	LEASE_TROUBLE, /* the file cannot be opened or locked; *err says why */
};

/* Does not wait. After LEASE_OURS *ret_file is open, for lease_release; else it is -1. `path` is the state file's. */
enum lease lease_take(const char *path, int *ret_file, struct error *err);

/* Does no other process have it now, as far as can be told? Changes nothing. False: *err says which process has it. */
bool lease_is_free(const char *path, struct error *err);

void lease_release(int file); /* -1 is fine */
