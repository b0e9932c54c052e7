#include "slurmsim/sim.h"

#include <stdlib.h>

static void decode(const char *from, size_t len, char *to, size_t size)
{
	size_t out = 0;
	for (size_t i = 0; i < len && out + 1 < size; i++) {
		char hex[3] = {0};
		if (from[i] == '%' && i + 2 < len) {
			memcpy(hex, from + i + 1, 2);
			to[out++] = (char)strtol(hex, NULL, 16);
			i += 2;
		} else
			to[out++] = from[i]; /* a plus is one: 48+1 */
	}
	to[out] = '\0';
}

bool query_next(const char **from, const char *name, char *ret_value, size_t size)
{
	size_t name_len = strlen(name);
	while (**from) {
		const char *start = *from;
		size_t len = strcspn(start, "&");
		*from = start + len + (start[len] == '&');
		if (len > name_len && start[name_len] == '=' && memcmp(start, name, name_len) == 0) {
			decode(start + name_len + 1, len - name_len - 1, ret_value, size);
			return true;
		}
	}
	return false;
}

bool query_get(const char *query, const char *name, char *ret_value, size_t size)
{
	return query_next(&query, name, ret_value, size);
}
