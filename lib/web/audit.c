#include "web/audit.h"

#include "base/log.h"
#include "base/map.h"
#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const uint64_t minute_ns = UINT64_C(60000000000);

struct tally {
	uint64_t lines, untold;
	const char *source; /* of those without a name */
};

struct audit {
	uint64_t minute_began_ns;
	struct arena arena;
	struct map names, sources; /* -> struct tally; of this minute */
	struct tally others; /* of all that are not in the map */
	uint64_t untold;
};

static void begin_maps(struct audit *audit)
{
	map_init(&audit->names, &audit->arena, sizeof(struct tally));
	map_init(&audit->sources, &audit->arena, sizeof(struct tally));
}

static void end_maps(struct audit *audit)
{
	map_done(&audit->names);
	map_done(&audit->sources);
}

struct audit *audit_new(void)
{
	struct audit *audit = NEW(struct audit);
	begin_maps(audit);
	return audit;
}

static void say_untold(const char *who, const struct tally *tally)
{
	char requests[24];
	snprintf(requests, sizeof requests, "%" PRIu64, tally->untold);
	if (tally->untold)
		log_line(LOG_LEVEL_INFO, "audit: further requests of that minute", "user", who, "source",
			 tally->source ? tally->source : "", "requests", requests, NULL);
}

static void begin_minute(struct audit *audit, uint64_t now_ns)
{
	for (size_t i = 0; i < audit->names.count; i++)
		say_untold(audit->names.entries[i].key.bytes, audit->names.entries[i].value);
	for (size_t i = 0; i < audit->sources.count; i++)
		say_untold("", audit->sources.entries[i].value);
	say_untold("", &audit->others);
	end_maps(audit);
	arena_clear(&audit->arena);
	begin_maps(audit);
	audit->others = (struct tally){0, 0, NULL};
	audit->untold = 0;
	audit->minute_began_ns = now_ns;
}

void audit_free(struct audit *audit)
{
	if (!audit)
		return;
	begin_minute(audit, 0);
	end_maps(audit);
	arena_done(&audit->arena);
	free(audit);
}

void audit_tick(struct audit *audit, uint64_t now_ns)
{
	if (now_ns - audit->minute_began_ns >= minute_ns)
		begin_minute(audit, now_ns);
}

bool audit_waits(const struct audit *audit)
{
	return audit && audit->untold;
}

static struct tally *tally_in(struct audit *audit, struct map *map, size_t max, struct text key)
{
	if (map->count < max)
		return map_add(map, key);
	struct tally *tally = map_find(map, key);
	return tally ? tally : &audit->others;
}

static struct tally *tally_of(struct audit *audit, const struct audit_entry *entry)
{
	struct text name = text_of(entry->who);
	if (name.len)
		return tally_in(audit, &audit->names, AUDIT_NAMES_MAX, name);
	const struct text source = {(const char *)&entry->source_key, sizeof entry->source_key};
	struct tally *tally = tally_in(audit, &audit->sources, AUDIT_SOURCES_MAX, source);
	if (!tally->source && tally != &audit->others)
		tally->source = arena_copy(&audit->arena, text_of(entry->source)).bytes;
	return tally;
}

void audit_note(struct audit *audit, const struct audit_entry *entry, uint64_t now_ns)
{
	char status[12], bytes[24];
	audit_tick(audit, now_ns);
	struct tally *tally = tally_of(audit, entry);
	if (tally->lines == (tally->source ? AUDIT_SOURCE_LINES : AUDIT_LINES)) {
		tally->untold++;
		audit->untold++;
		return;
	}
	tally->lines++;
	snprintf(status, sizeof status, "%u", entry->status);
	snprintf(bytes, sizeof bytes, "%" PRIu64, entry->bytes);
	log_line(LOG_LEVEL_INFO, "audit: request", "user", entry->who ? entry->who : "", "tenant",
		 entry->tenant ? entry->tenant : "", "source", entry->source, "method", entry->method, "target",
		 entry->target, "status", status, "bytes", bytes, NULL);
}
