#include "model/association.h"
#include "model/qos.h"
#include "model/user.h"

#include "slurmrest/decode.h"

static const struct field tres_fields[] = {
	TEXT_FIELD(struct tres_count, type, "type"),
	TEXT_FIELD(struct tres_count, name, "name"),
	NUMBER(struct tres_count, count, "count", COUNT),
	END_OF_FIELDS,
};
static const struct field_elements tres_elements = {sizeof(struct tres_count), tres_fields, NULL};

#define LIMIT(which, path, unit) NUMBER(struct qos, limits.numbers[which], "limits." path, unit)
#define LIMIT_LIST(which, path) LIST(struct qos, limits.tres[which], "limits.max.tres." path, &tres_elements)

static const struct field qos_fields[] = {
	TEXT_FIELD(struct qos, name, "name"),
	NUMBER(struct qos, priority, "priority", COUNT),
	REAL(struct qos, usage_factor, "usage_factor"),
	LIMIT(LIMIT_GROUP_JOBS, "max.active_jobs.count", COUNT),
	LIMIT(LIMIT_GROUP_SUBMITTED, "max.jobs.count", COUNT), /* since v0.0.42 */
	LIMIT(LIMIT_GROUP_ACCRUING, "max.active_jobs.accruing", COUNT),
	LIMIT(LIMIT_GROUP_WALL, "max.wall_clock.per.qos", MINUTES),
	LIMIT(LIMIT_USER_JOBS, "max.jobs.active_jobs.per.user", COUNT),
	LIMIT(LIMIT_USER_SUBMITTED, "max.jobs.per.user", COUNT),
	LIMIT(LIMIT_USER_ACCRUING, "max.accruing.per.user", COUNT),
	LIMIT(LIMIT_ACCOUNT_JOBS, "max.jobs.active_jobs.per.account", COUNT),
	LIMIT(LIMIT_ACCOUNT_SUBMITTED, "max.jobs.per.account", COUNT),
	LIMIT(LIMIT_ACCOUNT_ACCRUING, "max.accruing.per.account", COUNT),
	LIMIT(LIMIT_JOB_WALL, "max.wall_clock.per.job", MINUTES),
	LIMIT(LIMIT_JOB_PRIORITY, "min.priority_threshold", COUNT),
	LIMIT_LIST(LIMIT_GROUP_TRES, "total"),
	LIMIT_LIST(LIMIT_GROUP_MINUTES, "minutes.total"), /* since v0.0.42 */
	LIMIT_LIST(LIMIT_GROUP_RUNNING_MINUTES, "minutes.per.qos"),
	LIMIT_LIST(LIMIT_USER_TRES, "per.user"),
	LIMIT_LIST(LIMIT_USER_RUNNING_MINUTES, "minutes.per.user"),
	LIMIT_LIST(LIMIT_ACCOUNT_TRES, "per.account"),
	LIMIT_LIST(LIMIT_ACCOUNT_RUNNING_MINUTES, "minutes.per.account"),
	LIMIT_LIST(LIMIT_JOB_TRES, "per.job"),
	LIMIT_LIST(LIMIT_JOB_MINUTES, "minutes.per.job"),
	LIMIT_LIST(LIMIT_NODE_TRES, "per.node"),
	LIST(struct qos, limits.tres[LIMIT_JOB_MINIMUM], "limits.min.tres.per.job", &tres_elements),
	END_OF_FIELDS,
};

#undef LIMIT
#undef LIMIT_LIST
#define LIMIT(which, path, unit) NUMBER(struct association, limits.numbers[which], path, unit)
#define LIMIT_LIST(which, path) LIST(struct association, limits.tres[which], "max.tres." path, &tres_elements)

/* max.tres.minutes.total is left out: it is MaxTRESRunMins, which sacctmgr sets and Slurm ignores. */
static const struct field association_fields[] = {
	TEXT_FIELD(struct association, cluster, "cluster"),
	HASHED_TEXT(struct association, account, "account", HASHED_ACCOUNTS),
	HASHED_TEXT(struct association, user, "user", HASHED_USERS),
	TEXT_FIELD(struct association, partition, "partition"),
	HASHED_TEXT(struct association, parent, "parent_account", HASHED_ACCOUNTS),
	LIMIT(LIMIT_GROUP_JOBS, "max.jobs.per.count", COUNT),
	LIMIT(LIMIT_GROUP_SUBMITTED, "max.jobs.per.submitted", COUNT),
	LIMIT(LIMIT_GROUP_ACCRUING, "max.jobs.per.accruing", COUNT),
	LIMIT(LIMIT_GROUP_WALL, "max.per.account.wall_clock", MINUTES),
	LIMIT(LIMIT_USER_JOBS, "max.jobs.active", COUNT),
	LIMIT(LIMIT_USER_SUBMITTED, "max.jobs.total", COUNT),
	LIMIT(LIMIT_USER_ACCRUING, "max.jobs.accruing", COUNT),
	LIMIT(LIMIT_JOB_WALL, "max.jobs.per.wall_clock", MINUTES),
	LIMIT(LIMIT_JOB_PRIORITY, "min.priority_threshold", COUNT),
	LIMIT_LIST(LIMIT_GROUP_TRES, "total"),
	LIMIT_LIST(LIMIT_GROUP_MINUTES, "group.minutes"),
	LIMIT_LIST(LIMIT_GROUP_RUNNING_MINUTES, "group.active"),
	LIMIT_LIST(LIMIT_JOB_TRES, "per.job"),
	LIMIT_LIST(LIMIT_JOB_MINUTES, "minutes.per.job"),
	LIMIT_LIST(LIMIT_NODE_TRES, "per.node"),
	END_OF_FIELDS,
};

static bool finish_qos(struct vocabulary *vocabulary, void *record)
{
	(void)vocabulary;
	return ((struct qos *)record)->name.len;
}

/* NUMBER_UNSET is what a row sets; an association has none for the limits per account. */
static bool finish_association(struct vocabulary *vocabulary, void *record)
{
	(void)vocabulary;
	struct association *association = record;
	for (int which = LIMIT_ACCOUNT_JOBS; which <= LIMIT_ACCOUNT_ACCRUING; which++)
		association->limits.numbers[which] = NUMBER_UNSET;
	return association->account.len;
}

const struct record_type qos_record = {
	"qos|QOS" /* the latter before v0.0.40 */, false, sizeof(struct qos), qos_fields, finish_qos, NULL};
const struct record_type association_record = {
	"associations", false, sizeof(struct association), association_fields, finish_association, NULL};

static void take_admin_level(struct vocabulary *vocabulary, void *record, struct text word)
{
	(void)vocabulary;
	struct user *user = record;
	if (text_equal(word, TEXT("None")))
		user->level = ADMIN_NONE;
	else if (text_equal(word, TEXT("Operator")))
		user->level = ADMIN_OPERATOR;
	else if (text_starts_with(word, "Admin")) /* 22.05: Administrator */
		user->level = ADMIN_ADMINISTRATOR;
}

static const struct field user_fields[] = {
	HASHED_TEXT(struct user, name, "name", HASHED_USERS),
	NAME("administrator_level", take_admin_level),
	END_OF_FIELDS,
};

static bool finish_user(struct vocabulary *vocabulary, void *record)
{
	(void)vocabulary;
	return ((struct user *)record)->name.len;
}

const struct record_type user_record = {"users", false, sizeof(struct user), user_fields, finish_user, NULL};
