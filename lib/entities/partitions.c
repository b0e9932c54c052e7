#include "entities/partitions.h"

#include "base/memory.h"
#include "entities/label.h"

#include <stdlib.h>

struct partitions_section *partitions_section_new(void)
{
	struct partitions_section *section = NEW(struct partitions_section);
	map_init(&section->partitions, &section->arena, sizeof(struct partition));
	return section;
}

void partitions_section_add(struct partitions_section *section, const struct partition *partition)
{
	char scratch[LABEL_MAX + 1];
	struct text label = label_of(partition->name, scratch);
	struct partition *copy = map_add(&section->partitions, label);
	*copy = *partition;
	copy->name = arena_copy(&section->arena, label);
	copy->qos = arena_copy(&section->arena, partition->qos);
}

void partitions_section_free(void *old)
{
	struct partitions_section *section = old;
	if (!section)
		return;
	map_done(&section->partitions);
	arena_done(&section->arena);
	free(section);
}
