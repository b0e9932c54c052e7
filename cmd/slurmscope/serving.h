/* The process that serves: sockets, TLS, passwords, pages that the other one hands over (polling.h). It has no token, may open
 * no file, connects nowhere, and ends with the other one. */
#pragma once

#include "config/setup.h"
#include "page/process.h"
#include "page/signs.h"
#include "sandbox/sandbox.h"

struct serving {
	const struct setup *setup;
	int link; /* to the process that polls */
	struct serving_signs *signs;
	struct sandbox *sandbox; /* of both processes; borrowed; it becomes that of this one */
	const struct process_source *parent; /* of that process */
	struct listeners *listeners; /* taken */
	struct web_files *web_files; /* of the web configuration; taken; no file: there is none */
};

/* Until the other process ends; returns the exit status. */
int serving_run(const struct serving *serving);
