/* Which reservation running jobs are in. Made again for each page, from one look at each job. */
#pragma once

#include "entities/record_list.h"
#include "jobs/job_table.h"

/* Sets allocated_cpus of each struct reservation.
 *
 * A job may ask for several reservations, and slurmctld keeps that list while the job runs (job_scheduler.c:
 * job_queue_rec_resv_list). Then it is in the one that has begun and has its nodes. It counts in each of several such, and
 * in each of its list if there is none. */
void reserved_count(struct record_list *reservations, const struct job_table *table);
