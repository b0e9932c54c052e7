#include "model/fairshare.h"

#include "slurmrest/decode.h"

#include <math.h>
#include <stdio.h>

static void take_type(struct vocabulary *vocabulary, void *record, struct text name)
{
	(void)vocabulary;
	if (text_equal(name, TEXT("USER")))
		((struct fairshare *)record)->is_user = true;
}

struct share_use {
	struct text name;
	double seconds;
};

/* Whole seconds (sshare's GrpTRESRaw has minutes); of mem MiB-seconds. */
static void take_use(void *record, const void *element, struct arena *texts)
{
	const struct share_use *use = element;
	struct text *list = &((struct fairshare *)record)->tres_usage;
	char seconds[32];
	if (!(use->seconds >= 1 && use->seconds < 0x1p63) || !use->name.len)
		return;
	snprintf(seconds, sizeof seconds, "%.0f", floor(use->seconds));
	arena_append(texts, list, ',', use->name);
	arena_append(texts, list, '=', text_of(seconds));
}

static const struct field use_fields[] = {
	TEXT_FIELD(struct share_use, name, "name"),
	REAL(struct share_use, seconds, "value"),
	END_OF_FIELDS,
};
static const struct field_elements uses = {sizeof(struct share_use), use_fields, take_use};

static const struct field fields[] = {
	TEXT_FIELD(struct fairshare, name, "name"),
	HASHED_TEXT(struct fairshare, parent, "parent", HASHED_ACCOUNTS),
	TEXT_FIELD(struct fairshare, partition, "partition"),
	NAME("type", take_type),
	NUMBER(struct fairshare, shares, "shares", COUNT),
	REAL(struct fairshare, shares_normalized, "shares_normalized"),
	NUMBER(struct fairshare, usage, "usage", SECONDS),
	EACH("tres.usage", &uses),
	REAL(struct fairshare, usage_normalized, "usage_normalized"),
	REAL(struct fairshare, usage_effective, "effective_usage"),
	REAL(struct fairshare, factor, "fairshare.factor"),
	REAL(struct fairshare, level, "fairshare.level"),
	END_OF_FIELDS,
};

/* SLURMDB_FS_USE_PARENT: FairShare=parent has no shares of its own. */
#define SHARES_OF_PARENT 0x7fffffff

/* No usage makes the level infinite, which each release spells otherwise (SLURMRESTD.md, "Fairshare"). Root has none:
 * NO_VAL in v0.0.40. */
static double level_of(double level)
{
	if (level == (double)(UINT32_MAX - 1))
		return NAN;
	return level >= 0x1p64 ? INFINITY : level;
}

/* Only the whole record says whose name it is. */
static void name_share(void *record, const struct name_hash *hash, struct arena *texts)
{
	struct fairshare *share = record;
	share->name = name_hash(hash, share->is_user ? HASHED_USERS : HASHED_ACCOUNTS, share->name, texts);
}

static bool finish(struct vocabulary *vocabulary, void *record)
{
	(void)vocabulary;
	struct fairshare *share = record;
	if (share->shares == SHARES_OF_PARENT)
		share->shares = NUMBER_UNSET;
	/* Without shares of its own (FairShare=parent, and root) sshare prints no level; REST says
	 * infinite or nothing. */
	share->level = number_is_known(share->shares) ? level_of(share->level) : NAN;
	/* With the fair tree only users have a factor; accounts say 0, and sshare nothing. */
	if (!share->is_user && share->factor == 0)
		share->factor = NAN;
	return share->name.len;
}

const struct record_type fairshare_record = {"shares.shares", false,  sizeof(struct fairshare),
					     fields,	      finish, name_share};
