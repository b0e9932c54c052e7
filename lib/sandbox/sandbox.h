/* What our two processes may do once they serve. A systemd unit says so already; a container, another init or a shell
 * does not. From then on the kernel enforces it for all their threads, and it cannot be undone.
 *
 * Both, before there are two:
 * - Calls (seccomp, sandbox_calls.c): they start no program, read no other process's memory and open no further
 *   listening socket. Other services of the kernel are refused if only an intruder would need them.
 * - Writes (Landlock, sandbox_writes.c): files are made, changed and removed in the folders of the state files alone.
 *
 * The one that polls, then: it accepts no connection and makes no other process.
 * The one that serves: it may do what serving takes (sandbox_server.c): open no file, connect nowhere, reach nobody.
 *
 * A refused call fails with an error, like one without permission: nobody is killed. Reading is free to the one that
 * polls: the names service, TLS, and paths that a SIGHUP brings read more than a list could say. */
#pragma once

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct config;

enum { SANDBOX_FOLDERS_MAX = 64 };

struct sandbox {
	bool is_wanted;
	bool has_calls;
	int landlock_abi; /* that writes are restricted by; 0: they are not */
	struct error no_calls, no_writes; /* why */
	size_t folder_count; /* that may be written to */
	struct sandbox_folder {
		char *path; /* without symbolic links */
		uint64_t device, inode;
	} folders[SANDBOX_FOLDERS_MAX];
};

/* What the kernel offers; restricts nothing. */
void sandbox_look(const struct config *process, struct sandbox *sandbox);

/* Restricts the process to what these clusters need. To be called after the sockets are open and before the first
 * thread starts. Landlock holds the calling thread, those that it starts, and their processes. A kernel that offers
 * less is no failure, unless --sandbox=on requires it. */
bool sandbox_enter(struct sandbox *sandbox, const struct config *clusters, size_t count, struct error *err);

/* Beside that, in the process that polls, and in the one that serves; each has its own copy of the sandbox. Likewise. */
bool sandbox_enter_poller(struct sandbox *sandbox, const struct config *process, struct error *err);
bool sandbox_enter_server(struct sandbox *sandbox, const struct config *process, struct error *err);

/* Can the state files of these clusters be written? */
bool sandbox_allows(const struct sandbox *sandbox, const struct config *clusters, size_t count, struct error *err);

void sandbox_log(const struct sandbox *sandbox);
void sandbox_done(struct sandbox *sandbox); /* frees; nothing is allowed again */
