/* What slurmscope's user may see: by its AdminLevel, by PrivateData if Slurm reports it, and by what the answers
 * show. */
#include "doctor/examinations.h"

#include <inttypes.h>

static void take_user(void *context, const void *record)
{
	struct patient *patient = context;
	const struct user *user = record;
	if (patient_is_ours(patient, user->name))
		patient->level = user->level;
}

/* Names of PrivateData that are set, separated by commas. */
static void say_private(const struct patient *patient, struct buf *out)
{
	for (int i = 0; i < PRIVATE_DATA; i++)
		if (patient->conf.is_private[i])
			buf_printf(out, "%s%s", out->len ? "," : "", private_data_names[i]);
}

static void ask_level(struct patient *patient)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
	const char *user = patient_user(patient);
	const struct fetch fetch = {.endpoint = ENDPOINT_DBD_USER, .take = take_user, .context = patient, .item = user};
	if (user && *user && user[strspn(user, safe)] == '\0')
		patient_ask(patient, &fetch);
}

static void say_jobs(const struct patient *patient, const char *advice)
{
	const struct asked *list = &patient->asked[ENDPOINT_JOBS];
	uint64_t counted = patient->diag.jobs_pending + patient->diag.jobs_running;
	bool is_list = list->is_asked && fetch_succeeded(list->result);
	if (is_list && patient->listed_jobs < counted / 2)
		report(patient->report, VERDICT_FAIL, "sees", advice,
		       "jobs: %" PRIu64 " of the %" PRIu64
		       " that slurmctld counts are visible, because of PrivateData=jobs",
		       patient->listed_jobs, counted);
	else if (patient->sample_hidden && !patient->sample_others)
		report(patient->report, VERDICT_FAIL, "sees", advice,
		       "jobs: the details of %u of %u jobs are hidden, because of PrivateData=jobs",
		       patient->sample_hidden, patient->sample);
	else if (patient->sample_others || patient->others_jobs)
		report(patient->report, VERDICT_OK, "sees", NULL, "other users' jobs");
	else
		report(patient->report, VERDICT_OK, "sees", NULL, "jobs: no other user has a job to look at");
	if (patient->others_runs)
		report(patient->report, VERDICT_OK, "sees", NULL, "other users' ended jobs");
}

/* Does a list with rows of users have any of other users? */
static void say_list(const struct patient *patient, enum endpoint which, const char *what, uint64_t others,
		     const char *setting, const char *advice)
{
	const struct asked *asked = &patient->asked[which];
	if (!asked->is_asked || !fetch_succeeded(asked->result))
		return;
	if (others)
		report(patient->report, VERDICT_OK, "sees", NULL, "other users' %s", what);
	else
		report(patient->report, VERDICT_WARN, "sees", advice,
		       "no %s of other users: there are none, or PrivateData=%s hides them", what, setting);
}

/* An empty list is suspicious, since no cluster is without nodes and partitions. */
static void say_empty(const struct patient *patient, enum endpoint which, const char *advice)
{
	const struct asked *asked = &patient->asked[which];
	const char *name = endpoint_table[which].name;
	if (asked->is_asked && asked->result == FETCH_OK && !asked->answer.records)
		report(patient->report, VERDICT_FAIL, "sees", advice, "no %s: PrivateData=%s hides them", name, name);
}

static const char *level_name(enum admin_level level)
{
	return level == ADMIN_OPERATOR ? "Operator" : "Administrator";
}

static void say_level(const struct patient *patient, const char *user, const struct buf *private, const char *advice)
{
	if (patient->level >= ADMIN_OPERATOR)
		report(patient->report, VERDICT_OK, "AdminLevel", NULL,
		       "%s is %s: PrivateData hides nothing from it. It could also change Slurm; slurmscope only sends GET",
		       user, level_name(patient->level));
	else if (private->len)
		report(patient->report, VERDICT_FAIL, "AdminLevel", advice,
		       "%s has none, and PrivateData=%s hides the data of other users", user, private->bytes);
	else if (health_accounting_up(&patient->health, patient->dbd_responds) == UP_NO)
		report(patient->report, VERDICT_OK, "AdminLevel", NULL, "not known: slurmdbd does not answer");
	else
		report(patient->report, VERDICT_OK, "AdminLevel", NULL, "%s %s, and needs none%s", user,
		       patient->level == ADMIN_NONE ? "has none" : "is not known to slurmdbd",
		       patient->asked[ENDPOINT_CONF].result == FETCH_OK ? ": PrivateData is not set"
									: " while PrivateData is not set");
}

/* How the user gets to see all. Slurm's daemons look up its rights by name, so an Operator whom their hosts do not know
 * has none. */
static void advise(const struct patient *patient, const char *user, struct buf *out)
{
	if (patient->level == ADMIN_NOT_KNOWN)
		buf_printf(out, "sacctmgr add user %s account=root adminlevel=operator", user);
	else if (patient->level == ADMIN_NONE)
		buf_printf(out, "sacctmgr modify user %s set adminlevel=operator", user);
	else
		buf_printf(out, "%s is %s already, but the hosts of slurmctld and slurmdbd may not know the user", user,
			   level_name(patient->level));
}

void examine_visibility(struct patient *patient)
{
	struct buf private = BUF_INIT, advice = BUF_INIT;
	const char *user = patient_user(patient) ? patient_user(patient) : "slurmscope's user";
	ask_level(patient);
	say_private(patient, &private);
	advise(patient, user, &advice);
	say_level(patient, user, &private, advice.bytes);
	say_jobs(patient, advice.bytes);
	say_empty(patient, ENDPOINT_NODES, advice.bytes);
	say_empty(patient, ENDPOINT_PARTITIONS, advice.bytes);
	say_list(patient, ENDPOINT_ASSOCIATIONS, "associations", patient->others_associations, "accounts or users",
		 advice.bytes);
	say_list(patient, ENDPOINT_SHARES, "shares", patient->others_shares, "usage", advice.bytes);
	buf_done(&private);
	buf_done(&advice);
}
