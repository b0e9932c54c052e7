/* From one process two, before there is a second thread, a token or a sandbox: this one polls, the new one serves. */
#pragma once

#include "config/setup.h"

/* Returns the exit status, in both. */
int split_and_run(struct setup *setup);
