/* The list of all metric groups: makes a page of them, or a list for people. */
#pragma once

#include "metrics/family.h"

/* Writes all families of a cluster. A standby has only those from ping, and those of the exporter itself. */
void catalogue_render(const struct page_facts *facts, struct samples *page);

/* Writes only what Slurm said, and nothing of the exporter itself: the same answers give the same page. */
void catalogue_render_slurm(const struct page_facts *facts, struct samples *page);

/* Writes the families of the process. Reads only `process` and `labels` of the facts. */
void catalogue_render_process(const struct page_facts *facts, struct samples *page);

/* Appends one line per family: name, type, labels, source, since, help, separated by tabs. */
void catalogue_list(struct buf *list);

/* Likewise those of the site's groups. */
void catalogue_list_groups(const struct job_groups *groups, struct buf *list);

/* Does any family have a label of that name? */
bool catalogue_has_label(const char *name);
