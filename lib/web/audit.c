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
};

struct audit {
	uint64_t minute_began_ns;
	struct arena arena;
	struct map names; /* -> struct tally; of this minute */
	struct tally others; /* of all that are not in the map */
	uint64_t untold;
};

struct audit *audit_new(void)
{
	struct audit *audit = NEW(struct audit);
	map_init(&audit->names, &audit->arena, sizeof(struct tally));
	return audit;
}

static void say_untold(const char *who, const struct tally *tally)
{
	char requests[24];
	snprintf(requests, sizeof requests, "%" PRIu64, tally->untold);
	if (tally->untold)
		log_line(LOG_LEVEL_INFO, "audit: further requests of that minute", "user", who, "requests", requests,
			 NULL);
}

static void begin_minute(struct audit *audit, uint64_t now_ns)
{
	for (size_t i = 0; i < audit->names.count; i++)
		say_untold(audit->names.entries[i].key.bytes, audit->names.entries[i].value);
	say_untold("", &audit->others);
	map_done(&audit->names);
	arena_clear(&audit->arena);
	map_init(&audit->names, &audit->arena, sizeof(struct tally));
	audit->others = (struct tally){0, 0};
	audit->untold = 0;
	audit->minute_began_ns = now_ns;
}

void audit_free(struct audit *audit)
{
	if (!audit)
		return;
	begin_minute(audit, 0);
	map_done(&audit->names);
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

static struct tally *tally_of(struct audit *audit, const char *who)
{
	struct text name = text_of(who);
	if (!name.len)
		return &audit->others;
	if (audit->names.count < AUDIT_NAMES_MAX)
		return map_add(&audit->names, name);
	struct tally *tally = map_find(&audit->names, name);
	return tally ? tally : &audit->others;
}

void audit_note(struct audit *audit, const struct audit_entry *entry, uint64_t now_ns)
{
	char status[12], bytes[24];
	audit_tick(audit, now_ns);
	struct tally *tally = tally_of(audit, entry->who);
	if (tally->lines == AUDIT_LINES) {
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
