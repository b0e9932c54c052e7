/* TRES of jobs and GRES of nodes: all texts lie within the list, reading ends, and the typed GRES with the rest make the
 * whole. */
#include "model/tres.h"

#include "fuzz.h"

static bool is_within(struct text part, struct text whole)
{
	return !part.len || (part.bytes >= whole.bytes && part.bytes + part.len <= whole.bytes + whole.len);
}

static void read_tres(struct text list)
{
	struct text rest = list;
	struct tres tres;
	size_t before = rest.len + 1;
	while (tres_next(&rest, &tres)) {
		REQUIRE(rest.len < before && is_within(tres.name, list));
		before = rest.len;
	}
}

static void read_gres(struct text list)
{
	struct text rest = list;
	struct gres gres;
	size_t before = rest.len + 1;
	while (gres_next(&rest, &gres)) {
		REQUIRE(rest.len < before && is_within(gres.name, list) && is_within(gres.type, list));
		before = rest.len;
	}
}

static void read_gres_of_tres(struct text list)
{
	struct gres gres[TRES_GRES_MAX];
	unsigned count = tres_gres(list, gres);
	REQUIRE(count <= TRES_GRES_MAX);
	for (unsigned i = 0; i < count; i++)
		REQUIRE(is_within(gres[i].name, list) && is_within(gres[i].type, list));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text list = {(const char *)data, size};
	read_tres(list);
	read_gres(list);
	read_gres_of_tres(list);
	return 0;
}
