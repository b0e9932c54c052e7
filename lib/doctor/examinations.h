/* The examinations, one a file, in the order in which they are made. */
#pragma once

#include "doctor/patient.h"

void examine_here(const struct config *config, struct report *report); /* this machine, whatever the cluster */

void examine_state(struct patient *patient); /* the state file */
void examine_names(struct patient *patient); /* the key of their hashes */
void examine_token(struct patient *patient); /* its file, its user and its expiry */
bool examine_connection(struct patient *patient); /* false: the other examinations are no use */
bool examine_slurm(struct patient *patient); /* likewise: version, controllers, whether slurmrestd accepts the token */
void examine_endpoints(struct patient *patient); /* all of them, and what they cost */
void examine_jobs(struct patient *patient); /* likewise, the endpoints for single jobs */
void examine_times(struct patient *patient); /* clocks, MinJobAge */
void examine_accounting(struct patient *patient); /* slurmdbd */
void examine_visibility(struct patient *patient); /* what slurmscope's user may see */
void examine_memory(struct patient *patient); /* of slurmrestd */
