#include "slurmsim/kinds.h"

#include "slurmsim/template.h"

#include <assert.h>

#define NAME(name) #name,
#define NAMES(kind, LIST) static const char *const kind##_names[] = {LIST(NAME)};
KINDS(NAMES)

#define KIND(kind, LIST) {#kind, kind##_names, sizeof kind##_names / sizeof *kind##_names},
static const struct kind kinds[] = {KINDS(KIND)};

#define FITS(kind, LIST) static_assert(sizeof kind##_names / sizeof *kind##_names <= VALUES_MAX, #kind " is too large");
KINDS(FITS)

const struct kind *kind_find(const char *name)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	return NULL;
}
