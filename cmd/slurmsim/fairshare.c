#include "slurmsim/fairshare.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

enum { DEEPEST = 8 };

/* LevelFS of a user, and of all that is above, from the root on. Above 1 they have had less than their share. */
struct way {
	double levels[DEEPEST];
	size_t count;
	uint32_t association;
};

static void add_up(struct fairshare *fairshare, const struct world *world)
{
	for (uint32_t i = 0; i < world->association_count; i++) {
		const struct association *one = &world->associations[i];
		bool is_user = one->user != NO_USER;
		uint32_t account = one->account;
		if (!is_user)
			fairshare->shares[account] = one->shares;
		if (is_user || account)
			fairshare->level_shares[is_user ? account : world->accounts[account].parent] += one->shares;
		fairshare->usage[account] += one->usage;
		while (account) {
			account = world->accounts[account].parent;
			fairshare->usage[account] += one->usage;
		}
	}
}

static double level_of(const struct fairshare *fairshare, double shares, double usage, uint32_t parent)
{
	double used = fairshare->usage[parent] > 0 ? usage / fairshare->usage[parent] : 0;
	double part = fairshare->level_shares[parent] > 0 ? shares / fairshare->level_shares[parent] : 0;
	return used > 0 ? part / used : (double)INFINITY;
}

static struct way way_to(const struct fairshare *fairshare, const struct world *world, uint32_t association)
{
	const struct association *user = &world->associations[association];
	struct way way = {.association = association};
	double upwards[DEEPEST];
	upwards[way.count++] = level_of(fairshare, user->shares, user->usage, user->account);
	for (uint32_t account = user->account; account && way.count < DEEPEST;) {
		uint32_t parent = world->accounts[account].parent;
		upwards[way.count++] =
			level_of(fairshare, fairshare->shares[account], fairshare->usage[account], parent);
		account = parent;
	}
	for (size_t i = 0; i < way.count; i++)
		way.levels[i] = upwards[way.count - 1 - i];
	return way;
}

/* The best first: on the way down the first level that differs decides. */
static int compare(const void *left, const void *right)
{
	const struct way *a = left, *b = right;
	for (size_t i = 0; i < a->count && i < b->count; i++)
		if (a->levels[i] < b->levels[i] || a->levels[i] > b->levels[i])
			return a->levels[i] < b->levels[i] ? 1 : -1;
	return (a->count > b->count) - (a->count < b->count);
}

/* Equal levels give the same rank. */
static void rank(struct fairshare *fairshare, const struct world *world)
{
	struct way *ways = memory_new(world->association_count * sizeof *ways);
	size_t users = 0, ahead = 0;
	for (uint32_t i = 0; i < world->association_count; i++)
		if (world->associations[i].user != NO_USER)
			ways[users++] = way_to(fairshare, world, i);
	qsort(ways, users, sizeof *ways, compare);
	for (size_t i = 0; i < users; i++) {
		if (i && compare(&ways[i - 1], &ways[i]))
			ahead = i;
		fairshare->factors[ways[i].association] = (double)(users - ahead) / (double)users;
	}
	free(ways);
}

struct fairshare *fairshare_new(const struct world *world)
{
	struct fairshare *fairshare = NEW(struct fairshare);
	size_t size = world->account_count * sizeof(double);
	fairshare->usage = memory_new(size);
	fairshare->shares = memory_new(size);
	fairshare->level_shares = memory_new(size);
	fairshare->factors = memory_new(world->association_count * sizeof(double));
	add_up(fairshare, world);
	rank(fairshare, world);
	return fairshare;
}

void fairshare_free(struct fairshare *fairshare)
{
	if (!fairshare)
		return;
	free(fairshare->usage);
	free(fairshare->shares);
	free(fairshare->level_shares);
	free(fairshare->factors);
	free(fairshare);
}
