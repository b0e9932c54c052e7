/* The list of all metric groups: makes a page of them, or a list for people. */
#pragma once

#include "metrics/family.h"

/* Appends the whole page, text format 0.0.4. */
void catalogue_render(const struct view *view, struct buf *page);

/* Appends only what Slurm said, nothing of the exporter itself: the same answers give the same page. */
void catalogue_render_slurm(const struct view *view, struct buf *page);

/* Appends one line per family: name, type, labels, source, since, help, separated by tabs. */
void catalogue_list(struct buf *list);
