/* The process that polls, which systemd knows: it has the token or the key, the state file and the configuration, asks
 * slurmrestd, and answers nobody. The other one serves (serving.h). */
#pragma once

#include "config/setup.h"
#include "page/signs.h"
#include "sandbox/sandbox.h"

#include <signal.h>
#include <sys/types.h>

struct polling {
	struct setup *setup; /* of the start, borrowed */
	int link; /* to the process that serves */
	pid_t server; /* that process */
	const struct serving_signs *signs;
	struct sandbox *sandbox; /* of both processes; borrowed; it becomes that of this one */
	struct web_files *web_files; /* that the server begins with; taken; no file: there is no web configuration */
	const char *const *addresses; /* it serves at, for the log; up to NULL */
};

/* The signals that polling_run acts on: SIGINT, SIGTERM and SIGHUP. The caller blocks them, in every thread. */
void polling_signals(sigset_t *ret_signals);

/* Until a signal or the end of the other process; returns the exit status. */
int polling_run(const struct polling *polling);
