/* Of two controllers' slurmscopes, which asks Slurm and tells of it: the one beside the slurmctld that serves. Pure.
 *
 * Slurm's ping lists all SlurmctldHosts in slurm.conf's order, and a backup that waits answers it, too: "primary" only
 * says which is named first (Slurm's scontrol.c calls the one at offset 0 that, its backup.c answers REQUEST_PING while it
 * waits; tests/cluster/test_failover.py looks at both on a real pair). A controller takes over when those before it are gone and gives way when one of them is
 * back, so the one that serves is the first that responds. With a bad token none does (SLURMRESTD.md, "Tokens"), nor while
 * none is up: neither tells who should lead. */
#pragma once

#include "cluster/cluster.h"

struct role {
	bool is_known;	/* an answer told */
	bool leads;	/* we are to */
	unsigned first; /* answers in a row in which ours was the one that serves */
	bool is_named;	/* ping lists our host; before it answered this is not known, and true */
	char serving[256]; /* the host of the one that serves; empty: not known */
};

#define ROLE_INIT ((struct role){.is_named = true})

/* Ping answered: what it says of the controllers, in its order. Who does not serve any more gives way at once; who serves
 * takes over when two answers in a row say so, or the first one after the start. */
void role_note(struct role *role, const char *host, const struct controller_state *controllers,
	       unsigned count);

/* Ping failed: it stays as it is, but two answers are not in a row any more. */
void role_note_failure(struct role *role);

/* Are they the same host? Of full names, and in any case: slurm.conf and hostname(1) need not agree in that. */
bool role_is_host(const char *a, const char *b);
