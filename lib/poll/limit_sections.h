/* The sections of QOS and associations, for section_table. */
#pragma once

#include "poll/section.h"

void *qos_start(const struct cluster *cluster, int64_t now);
void qos_take(void *context, const void *record);
void qos_commit(struct cluster *cluster, void *built);
void qos_discard(void *built);
void qos_drop(struct cluster *cluster);

void *associations_start(const struct cluster *cluster, int64_t now);
void associations_take(void *context, const void *record);
void associations_commit(struct cluster *cluster, void *built);
void associations_discard(void *built);
void associations_drop(struct cluster *cluster);
