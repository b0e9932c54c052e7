#pragma once

#include "slurmsim/sim.h"

/* Reads the command line; ends the process if it is wrong, or after --help. */
void options_parse(struct sim_options *options, int argc, char **argv);
