/* Fairshare of accounts and users: shares, usage, factor and level. For users and those who grant shares: why does somebody
 * come first, and who used more than their share? From shares, which Slurm has from v0.0.40 on and renews every
 * PriorityCalcPeriod. */
#include "metrics/family.h"
#include "model/fairshare.h"

#include <math.h>

/* A row's offset is that of a double; NAN: Slurm gives none. */
static void emit_real(struct exposition *out, const struct page_facts *facts, const struct family *family,
		      const void *item)
{
	(void)facts;
	double number = *(const double *)((const char *)item + family->offset);
	if (!isnan(number))
		exposition_number(out, number);
}

#define SHARE(name, emit, member, help)                                                                                \
	{                                                                                                              \
		"slurm_{X}_" name, GAUGE, NULL, help, emit, offsetof(struct fairshare, member), 1, 0                   \
	}

static const struct family families[] = {
	SHARE("shares", emit_number, shares, "Shares of the {X} as configured; absent for root and FairShare=parent."),
	SHARE("shares_ratio", emit_real, shares_normalized,
	      "Shares of the {X} as part of its siblings' (sshare: NormShares)."),
	SHARE("usage_tres_seconds", emit_number, usage, "Decayed usage of the {X} in TRES seconds (sshare: RawUsage)."),
	SHARE("usage_ratio", emit_real, usage_normalized,
	      "Decayed usage of the {X} as part of the cluster's (sshare: NormUsage)."),
	SHARE("usage_effective_ratio", emit_real, usage_effective,
	      "Usage of the {X} as the priority counts it (sshare: EffectvUsage)."),
	SHARE("fairshare_factor", emit_real, factor, "Fairshare factor of the {X}, from 0 to 1 (sshare: FairShare)."),
	SHARE("fairshare_level", emit_real, level,
	      "Fairshare level of the {X}: shares by usage, +Inf without usage (sshare: LevelFS)."),
};

static const char *const share_labels[ENTITY_KINDS] = {
	[ENTITY_ACCOUNT] = "account,parent", [ENTITY_USER] = "user,account,partition"};

static void each_share(struct family_sink *sink, int kind)
{
	const struct cluster *cluster = sink->facts->cluster;
	const struct record_list *shares = cluster->shares;
	struct buf key = BUF_INIT;
	for (size_t i = 0; shares && i < shares->count; i++) {
		const struct fairshare *share = &((const struct fairshare *)shares->items)[i];
		if (share->is_user != (kind == ENTITY_USER))
			continue;
		entity_key(&key, kind, share->name, share->parent);
		exposition_fold(sink->out, !roster_shows(&cluster->rosters[kind], buf_text(&key)));
		exposition_base(sink->out);
		if (share->is_user) {
			exposition_base_label(sink->out, "user", share->name);
			exposition_base_label(sink->out, "account", share->parent);
			exposition_base_label(sink->out, "partition", share->partition);
		} else {
			exposition_base_label(sink->out, "account", share->name);
			exposition_base_label(sink->out, "parent", share->parent);
		}
		family_item(sink, share);
	}
	buf_done(&key);
}

const struct family_group fairshare_group = {
	.collect = COLLECT_SHARES,
	GROUP_FAMILIES(families),
	.kinds = 1u << ENTITY_ACCOUNT | 1u << ENTITY_USER,
	.kind_labels = share_labels,
	.origin = {"shares", "23.11"},
	.owners = OWNER_ACCOUNT | OWNER_USER,
	.each = each_share,
};
