/* The partitions section: each partition's configuration. */
#pragma once

#include "base/map.h"
#include "model/partition.h"

struct partitions_section {
	struct arena arena;
	struct map partitions; /* name -> struct partition, its texts in the arena */
};

struct partitions_section *partitions_section_new(void);
void partitions_section_add(struct partitions_section *section, const struct partition *partition);
void partitions_section_free(void *section); /* NULL is fine; void for callbacks */
