/* Which of two controllers' slurmscopes polls Slurm and exports its metrics: the one beside the slurmctld that serves.
 * Pure; of the poller's thread.
 *
 * Slurm's ping lists all SlurmctldHosts in slurm.conf's order. A backup that waits answers ping, too (Slurm's backup.c
 * answers REQUEST_PING), and "primary" only says which host is named first (scontrol.c: the one at offset 0).
 * The test cluster/test_failover.py looks at both on a real pair. A controller takes over when those before it are gone,
 * and gives way when one of them is back. So the one that serves is the first that responds. If none responds, the token
 * may be bad (SLURMRESTD.md, "Tokens") or all may be down; neither tells who should lead. */
#pragma once

#include "cluster/cluster.h"

struct role {
	bool is_known; /* an answer has told who serves */
	bool leads; /* this slurmscope is to lead */
	unsigned first; /* answers in a row in which our slurmctld was the one that serves */
	bool is_named; /* ping lists our host; true before ping has answered */
	char serving[256]; /* the host whose slurmctld serves; empty: not known */
};

#define ROLE_INIT ((struct role){.is_named = true})

/* Ping answered: what it says of the controllers, in its order. If our controller does not serve any more, we give way at
 * once. If it serves, we take over when two answers in a row say so, or the first answer after the start. */
void role_note(struct role *role, const char *host, const struct controller_state *controllers, unsigned count);

/* Ping failed: who leads stays as it is, and the count of answers in a row begins again. */
void role_note_failure(struct role *role);
