#include "model/names.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

enum { NAME_LEN_MAX = 48 }; /* Slurm's longest is 19 */

void names_init(struct names *names, const char *const *known)
{
	*names = (struct names){0};
	while (known[names->count]) {
		names->name[names->count] = known[names->count];
		names->count++;
	}
	names->known = names->count;
}

int names_find(const struct names *names, struct text name)
{
	for (unsigned i = 0; i < names->count; i++)
		if (strlen(names->name[i]) == name.len && strncasecmp(names->name[i], name.bytes, name.len) == 0)
			return (int)i;
	return -1;
}

int names_learn(struct names *names, struct text name)
{
	int found = names_find(names, name);
	if (found >= 0)
		return found;
	if (!name.len)
		return -1;
	/* The last number is for all that cannot have one of their own. */
	if (names->count >= NAMES_MAX - 1 || name.len > NAME_LEN_MAX) {
		name = TEXT("other");
		if ((found = names_find(names, name)) >= 0)
			return found;
	}
	char *copy = memory_copy(name.bytes, name.len);
	for (char *c = copy; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	names->name[names->count] = copy;
	return (int)names->count++;
}

void names_done(struct names *names)
{
	for (unsigned i = names->known; i < names->count; i++)
		free((char *)names->name[i]);
	*names = (struct names){0};
}
