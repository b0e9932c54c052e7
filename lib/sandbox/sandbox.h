/* What our two processes may do once they serve, whoever started them: a unit of systemd's says so already, a container,
 * another init or a shell does not. The kernel holds them to that from then on, all their threads, and for good.
 *
 * Both, before there are two:
 * - Calls (seccomp, sandbox_calls.c): no program is started, nobody else's memory is read, nothing more is listened on, and
 *   of the kernel's other services those are refused that only intruders want of an exporter.
 * - Writes (Landlock, sandbox_writes.c): files are made, changed and removed in the folders of the state files alone.
 *
 * The one that polls, then: it accepts no connection and makes no other process.
 * The one that serves: it may do what serving takes (sandbox_server.c): open no file, connect nowhere, reach nobody.
 *
 * What is refused fails with an error, as it would for want of a permission: nobody is killed. Reading is free to the one that
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

/* Restricts the process to what these clusters need. To be called after the sockets are open, and before the first thread
 * is started: Landlock holds the calling thread and those that it starts, and their processes. Where the kernel offers less
 * than all that is no failure, unless it was asked for (--sandbox=on). */
bool sandbox_enter(struct sandbox *sandbox, const struct config *clusters, size_t count, struct error *err);

/* Beside that, in the process that polls, and in the one that serves; each has its own copy of the sandbox. Likewise. */
bool sandbox_enter_poller(struct sandbox *sandbox, const struct config *process, struct error *err);
bool sandbox_enter_server(struct sandbox *sandbox, const struct config *process, struct error *err);

/* Can the state files of these clusters be written? */
bool sandbox_allows(const struct sandbox *sandbox, const struct config *clusters, size_t count, struct error *err);

void sandbox_log(const struct sandbox *sandbox);
void sandbox_done(struct sandbox *sandbox); /* frees; nothing is allowed again */
