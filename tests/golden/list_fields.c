/* The rows of the field tables, a line each: endpoint, where its records are, path below the record, kind, and a name.
 * Rows for the same member share the name, because one table may read several endpoints, or several lists of one. */
#include "slurmrest/decode.h"
#include "slurmrest/endpoint.h"

#include <stdio.h>

static const char *const kinds[] = {
	[FIELD_NUMBER] = "number", [FIELD_REAL] = "number", [FIELD_TEXT] = "text", [FIELD_BOOL] = "bool",
	[FIELD_NAME] = "text",	   [FIELD_LIST] = "list",   [FIELD_EACH] = "list",
};

static bool is_same_member(const struct field *a, const struct field *b)
{
	return a->take == b->take && a->elements == b->elements && a->offset == b->offset;
}

static void list(const char *head, const char *below, const struct field *fields)
{
	for (int row = 0, first; fields[row].path; row++) {
		char path[160];
		for (first = 0; !is_same_member(&fields[first], &fields[row]);)
			first++;
		printf("%s\t%s%s\t%s\t%p\n", head, below, fields[row].path, kinds[fields[row].kind],
		       (const void *)&fields[first]);
		snprintf(path, sizeof path, "%s%s[].", below, fields[row].path);
		if (fields[row].elements)
			list(head, path, fields[row].elements->fields);
	}
}

int main(void)
{
	for (int i = 0; i < ENDPOINTS; i++) {
		const struct endpoint_row *row = &endpoint_table[i];
		char head[160];
		snprintf(head, sizeof head, "%s\t%s%s", row->name, row->record->list,
			 row->record->is_single ? "" : "[]");
		list(head, "", row->record->fields);
	}
	return 0;
}
