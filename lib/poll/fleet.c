#include "poll/fleet.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "poll/poller.h"
#include "poll/poller_config.h"

#include <stdlib.h>

struct member {
	const char *name; /* in the fleet's arena; NULL: the only cluster has none */
	struct setup *setup; /* held: the poller's options until it takes others */
	const struct config *config;
	struct poller *poller;
	struct page_slot slot;
	struct poller *next_poller; /* the one that will take its place */
	bool stays, is_to_start;
	bool is_refused; /* there was no thread for it, and the log says so */
	struct member *next;
};

struct fleet {
	struct page_board *board;
	struct member *members;
	struct arena names; /* also of clusters that are gone: a scrape under way may still compare them */
	struct setup *setup; /* held; the one taken last */
	struct buf labels; /* of the process's own samples */
};

struct fleet *fleet_new(struct page_board *board)
{
	struct fleet *fleet = NEW(struct fleet);
	fleet->board = board;
	return fleet;
}

static bool is_same_name(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static struct member *find(const struct fleet *fleet, const char *name)
{
	struct member *member = fleet->members;
	while (member && !is_same_name(member->name, name))
		member = member->next;
	return member;
}

static struct member *add(struct fleet *fleet, const char *name)
{
	struct member *member = NEW(struct member), **end = &fleet->members;
	member->name = name ? arena_copy(&fleet->names, text_of(name)).bytes : NULL;
	page_slot_init(&member->slot, fleet->board, member->name);
	while (*end)
		end = &(*end)->next;
	*end = member;
	return member;
}

/* Stops its poller and forgets it. */
static void take_off(struct fleet *fleet, struct member *member)
{
	struct member **at = &fleet->members;
	while (*at != member)
		at = &(*at)->next;
	*at = member->next;
	if (member->poller)
		poller_stop(member->poller);
	poller_free(member->poller);
	poller_free(member->next_poller);
	page_slot_done(&member->slot);
	setup_release(member->setup);
	free(member);
}

/* Makes the new pollers: the part that can fail. */
static bool prepare(struct fleet *fleet, struct setup *setup, struct error *err)
{
	for (size_t i = 0; i < setup->cluster_count; i++) {
		const struct config *config = &setup->clusters[i];
		struct member *member = find(fleet, config->name);
		if (!member)
			member = add(fleet, config->name);
		if (member->poller && poller_can_take(member->config, config) && poller_has_key(member->poller, config))
			continue;
		member->next_poller = poller_new(setup, config, &member->slot, err);
		if (!member->next_poller)
			return config->name ? error_prefix(err, "cluster %s", config->name) : false;
	}
	return true;
}

static void take_back(struct fleet *fleet)
{
	for (struct member *member = fleet->members, *next; member; member = next) {
		next = member->next;
		poller_free(member->next_poller);
		member->next_poller = NULL;
		if (!member->poller)
			take_off(fleet, member);
	}
}

/* The old poller ends and closes its files before any new one starts. */
static void replace(struct member *member)
{
	if (member->poller) {
		poller_stop(member->poller);
		poller_continue(member->next_poller, member->poller);
		poller_free(member->poller);
	}
	member->poller = member->next_poller;
	member->next_poller = NULL;
	member->is_to_start = true;
}

/* Tells all pollers that end before it waits for any: each takes up to a second. */
static void tell_to_stop(struct fleet *fleet)
{
	for (struct member *member = fleet->members; member; member = member->next)
		if (member->poller && (!member->stays || member->next_poller))
			poller_tell_to_stop(member->poller);
}

static void hand_out(struct fleet *fleet, struct setup *setup)
{
	for (size_t i = 0; i < setup->cluster_count; i++) {
		struct member *member = find(fleet, setup->clusters[i].name);
		member->stays = true;
		if (!member->next_poller)
			poller_configure(member->poller, setup, &setup->clusters[i]);
		setup_release(member->setup);
		member->setup = setup_hold(setup);
		member->config = &setup->clusters[i];
	}
	tell_to_stop(fleet);
	for (struct member *member = fleet->members, *next; member; member = next) {
		next = member->next;
		if (!member->stays)
			take_off(fleet, member);
		else if (member->next_poller)
			replace(member);
	}
	for (struct member *member = fleet->members; member; member = member->next)
		member->stays = false;
}

bool fleet_start(struct fleet *fleet)
{
	bool are_started = true;
	struct error err;
	for (struct member *member = fleet->members; member; member = member->next) {
		if (!member->is_to_start)
			continue;
		member->is_to_start = !poller_start(member->poller, &err);
		if (member->is_to_start && !member->is_refused) {
			log_about(member->name);
			log_line(LOG_LEVEL_ERROR, "slurmscope cannot poll the cluster yet, and tries again", "error",
				 err.text, NULL);
			log_about(NULL);
		}
		member->is_refused = member->is_to_start;
		are_started &= !member->is_to_start;
	}
	return are_started;
}

bool fleet_take(struct fleet *fleet, struct setup *setup, struct error *err)
{
	if (!prepare(fleet, setup, err)) {
		take_back(fleet);
		return false;
	}
	hand_out(fleet, setup);
	setup_release(fleet->setup);
	fleet->setup = setup_hold(setup);
	struct buf labels = BUF_INIT;
	config_labels(&setup->process, &labels);
	page_board_label(fleet->board, buf_text(&labels));
	buf_done(&fleet->labels);
	fleet->labels = labels;
	return true;
}

bool fleet_makes_progress(const struct fleet *fleet)
{
	uint64_t now = clock_monotonic_ns();
	const struct member *member = fleet->members;
	while (member && poller_makes_progress(member->poller, now))
		member = member->next;
	return !member;
}

bool fleet_poll_all(struct fleet *fleet)
{
	bool all_answered = true;
	for (struct member *member = fleet->members; member; member = member->next)
		all_answered &= poller_poll_all(member->poller);
	return all_answered;
}

void fleet_free(struct fleet *fleet)
{
	if (!fleet)
		return;
	tell_to_stop(fleet);
	while (fleet->members)
		take_off(fleet, fleet->members);
	setup_release(fleet->setup);
	arena_done(&fleet->names);
	buf_done(&fleet->labels);
	free(fleet);
}
