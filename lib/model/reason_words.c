#include "model/reason_words.h"

#include <stdio.h>

/* Reasons that are not limits. Many say how an earlier run ended, or why an administrator has to act. */
static const struct {
	const char *reason, *meaning, *advice;
} rows[] = {
	{"None", "The scheduler has not looked at the job yet, or looks again.", "Wait for its next cycle."},
	{"Priority", "Other jobs come first.",
	 "A shorter time limit lets the backfill scheduler start it earlier. squeue --start has a forecast, and "
	 "sprio -j JOBID says what makes its priority."},
	{"Resources", "It is first in line, and waits until enough is free.",
	 "It starts when other jobs end. Asking for less helps."},
	{"Dependency", "It waits for another job.", "It may start when that job has done what --dependency says."},
	{"DependencyNeverSatisfied", "It waits for a job that can no longer do what --dependency says.",
	 "It never starts as it is: cancel it, or change the dependency by scontrol update."},
	{"BeginTime", "It may not start before its --begin time, or runs again after a failure.",
	 "Wait. scontrol show job says from when on it is eligible."},
	{"JobHeldUser", "Its user or a coordinator holds it.", "scontrol release lets it go."},
	{"JobHeldAdmin", "An administrator holds it.", "Only an administrator can release it: ask."},
	{"JobHoldMaxRequeue", "It was started again so often that Slurm holds it.",
	 "See why it failed, then scontrol release lets it go."},
	{"Licenses", "Jobs that run have all licences that it asks for.", "It starts when they are given back."},
	{"JobArrayTaskLimit", "As many tasks of its array run as --array allows with %.",
	 "The next task starts when one ends. scontrol update ArrayTaskThrottle= changes the number."},
	{"PartitionNodeLimit", "It asks for more or fewer nodes than its partition allows, or for nodes that are down.",
	 "Change the number of nodes or the partition. sinfo shows which nodes are down."},
	{"PartitionTimeLimit", "Its time limit is longer than its partition allows.",
	 "It never starts as it is: shorten --time or choose another partition."},
	{"PartitionDown", "Its partition is down.", "Wait until an administrator sets it up, or choose another one."},
	{"PartitionInactive", "Its partition starts no jobs at present.",
	 "Wait until an administrator sets it up, or choose another one."},
	{"PartitionConfig", "Its partition does not allow what it asks for.",
	 "Compare scontrol show partition with what the job asks for."},
	{"AccountNotAllowed", "Its account may not use its partition.", "Choose another account or partition."},
	{"InvalidAccount", "Its account is gone or does not hold for its user.", "Choose one that you belong to."},
	{"InvalidQOS", "Its QOS is gone or does not hold for its user.", "Choose one that you may use."},
	{"AccountingPolicy", "A limit of accounting holds it.", "Ask an administrator which one."},
	{"MaxMemPerLimit", "It asks for more memory than a node or a CPU of its partition may give.",
	 "Ask for less memory, or for more CPUs or nodes."},
	{"Reservation", "It waits for its reservation to begin.", "scontrol show reservation says when."},
	{"ReservationDeleted", "Its reservation is gone.",
	 "It never starts as it is: cancel it, or change its reservation by scontrol update."},
	{"ReservationInvalid", "Its reservation does not hold for its user, account or time.",
	 "Change its reservation by scontrol update, or ask who made the reservation."},
	{"ReqNodeNotAvail", "A node that it needs is down, drained or reserved.",
	 "Maintenance may be planned: scontrol show reservation. A shorter time limit may fit in before."},
	{"NodeDown", "A node that it needs is down.", "Ask for other nodes, or wait for this one."},
	{"Constraints", "No free node has what --constraint asks for.", "Ask for fewer features, or wait."},
	{"BadConstraints", "No node of its partition has what it asks for.",
	 "It never starts as it is: change the features, GRES, memory or nodes that it asks for."},
	{"Cleaning", "Its last run is still being cleaned up.", "Wait. If it takes long, tell an administrator."},
	{"Prolog", "Its nodes are being made ready.", "It starts in a moment."},
	{"SchedDefer", "It must start at once, and this site starts no job at once.", "Leave --immediate out."},
	{"FedJobLock", "The clusters of the federation agree on who starts it.", "Wait."},
	{"DeadLine", "It can no longer end before its --deadline.", "Slurm cancels it."},
	{"BurstBufferResources", "The burst buffer is full.", "It starts when other jobs end."},
	{"BurstBufferStageIn", "Its files are being copied into the burst buffer.", "It starts when they are there."},
	{"BurstBufferOperation", "The burst buffer failed.", "Tell an administrator."},
	{"NvidiaImexChannels", "Jobs that run have all IMEX channels.", "It starts when they are given back."},
	{"MaxPoweredUpNodes", "As many nodes are on as the site allows.", "It starts when other nodes go off."},
	{"MpiPortsBusy", "Its nodes have no ports left for MPI.", "It starts when other jobs end."},
	{"JobLaunchFailure", "It could not be started, for example because its folder or program is missing.",
	 "Correct that, then scontrol release lets it go."},
	{"SystemFailure", "Slurm, a file system or the network failed.", "Tell an administrator."},
	{"NonZeroExitCode", "It failed with an exit code.", "See what it printed."},
	{"RaisedSignal", "A signal ended it.", "See what it printed."},
	{"TimeLimit", "It ran into its time limit.", "Ask for more time, or save its state and go on from there."},
	{"InactiveLimit", "Nothing was heard of it for too long.", "See whether its command still runs."},
	{"OutOfMemory", "It used more memory than it had asked for.", "Ask for more memory."},
};

static const char *const never = "It never starts as it is: ask for less, or for another QOS, by scontrol update.",
			 *const others_end = "It starts when other such jobs end.",
			 *const less = "It starts when other such jobs end. Asking for less helps.",
			 *const used_up = "Wait until an administrator raises the limit, or use decays.",
			 *const nearer =
				 "It starts when other such jobs have run for longer. A shorter time limit helps.";

/* A name that takes in several, of Slurm before limits had names of their own, or without a resource. */
static const struct {
	const char *reason, *meaning;
	const char *const *advice;
} whole[] = {
	{"QOSUsageThreshold", "Its account has used so much that its QOS lets it start nothing.", &used_up},
	{"QOSNotAllowed", "Its partition or reservation does not allow its QOS.", &never},
	{"QOSJobLimit", "As many jobs of its QOS run as may.", &others_end},
	{"QOSResourceLimit", "Jobs of its QOS hold as much as they may.", &less},
	{"QOSTimeLimit", "Its time limit is longer than its QOS allows.", &never},
	{"AssociationJobLimit", "As many jobs of its account or user run as may.", &others_end},
	{"AssociationResourceLimit", "Jobs of its account or user hold as much as they may.", &less},
	{"AssociationTimeLimit", "Its time limit is longer than its account or user may have.", &never},
};

static const struct resource {
	const char *name, *words, *of_minutes; /* of_minutes: before "minutes" */
	bool is_many; /* one can count them */
	bool are_jobs; /* it is jobs that are counted, not what they hold */
} resources[] = {
	{"CPU", "CPUs", "CPU ", true, false},
	{"Cpu", "CPUs", "CPU ", true, false},
	{"Memory", "memory", "memory ", false, false},
	{"Mem", "memory", "memory ", false, false},
	{"Node", "nodes", "node ", true, false},
	{"GRES", "GRES", "GRES ", true, false},
	{"License", "licences", "licence ", true, false},
	{"Billing", "billing units", "billing ", true, false},
	{"Energy", "energy", "energy ", false, false},
	{"BB", "burst buffer", "burst buffer ", false, false},
	{"Unknown", "of a resource", "", false, false},
	{"SubmitJobs", "run or wait", "", true, true},
	{"SubmitJob", "run or wait", "", true, true},
	{"Jobs", "run", "", true, true},
	{"WallDuration", "time", "", false, false},
	{"Wall", "time", "", false, false},
};

/* The name of a limit, taken apart: AssocGrpCPURunMinutesLimit, MaxGRESPerAccount. */
struct limit_name {
	bool is_of_qos;
	enum { OF_ALL, AT_MOST, AT_LEAST } how;
	const struct resource *resource;
	enum { AT_ONCE, MINUTES, RUN_MINUTES } measure;
	enum { OF_ITS_OWN, PER_JOB, PER_NODE, PER_USER, PER_ACCOUNT } scope;
};

static bool take(struct text *rest, const char *word)
{
	struct text front = text_of(word);
	if (!text_starts_with(*rest, word))
		return false;
	*rest = (struct text){rest->bytes + front.len, rest->len - front.len};
	return true;
}

static bool take_resource(struct text *rest, struct limit_name *name)
{
	for (size_t i = 0; i < sizeof resources / sizeof *resources; i++)
		if (take(rest, resources[i].name)) {
			name->resource = &resources[i];
			return true;
		}
	return false;
}

static bool take_apart(struct text reason, struct limit_name *name)
{
	struct text rest = reason;
	bool is_of_association = take(&rest, "Assoc");
	bool is_of_qos = !is_of_association && take(&rest, "QOS");
	bool is_bare = !is_of_association && !is_of_qos;
	*name = (struct limit_name){.is_of_qos = !is_of_association};
	if (!is_bare && take(&rest, "Grp"))
		name->how = OF_ALL;
	else if (take(&rest, "Max"))
		name->how = AT_MOST;
	else if (!is_bare && take(&rest, "Min"))
		name->how = AT_LEAST;
	else
		return false;
	if (!take_resource(&rest, name))
		return false;
	name->measure = take(&rest, "RunMinutes") || take(&rest, "RunMins") ? RUN_MINUTES
			: take(&rest, "Minutes")			    ? MINUTES
									    : AT_ONCE;
	name->scope = take(&rest, "PerJob")	  ? PER_JOB
		      : take(&rest, "PerNode")	  ? PER_NODE
		      : take(&rest, "PerUser")	  ? PER_USER
		      : take(&rest, "PerAccount") ? PER_ACCOUNT
						  : OF_ITS_OWN;
	if (is_bare && name->scope != PER_USER && name->scope != PER_ACCOUNT)
		return false; /* MaxMemPerLimit, MaxPoweredUpNodes */
	if (!take(&rest, "Limit"))
		take(&rest, "NotSatisfied");
	return rest.len == 0;
}

static bool is_of_time(const struct limit_name *name)
{
	return text_starts_with(text_of(name->resource->name), "Wall");
}

/* Is it the job's own request that the limit forbids, whatever others do? */
static bool is_of_the_request(const struct limit_name *name)
{
	bool is_wall = is_of_time(name) && name->how == AT_MOST;
	return name->how == AT_LEAST || name->scope == PER_JOB || name->scope == PER_NODE || is_wall;
}

static bool is_used_up(const struct limit_name *name)
{
	return name->measure == MINUTES || is_of_time(name);
}

static void write_limit(const struct limit_name *name, struct buf *out)
{
	const char *holder = name->is_of_qos ? "its QOS" : "its account or user";
	const char *jobs = name->scope == PER_USER	? "jobs of its user in its QOS"
			   : name->scope == PER_ACCOUNT ? "jobs of its account in its QOS"
			   : name->is_of_qos		? "jobs of its QOS"
							: "jobs of its account or user";
	bool is_many = name->resource->is_many || name->measure != AT_ONCE;
	char what[64];
	snprintf(what, sizeof what, "%s%s",
		 name->measure == AT_ONCE ? name->resource->words : name->resource->of_minutes,
		 name->measure == AT_ONCE ? "" : "minutes");
	if (is_of_the_request(name))
		buf_printf(out, "It asks for %s %s%s than %s %s.",
			   name->how == AT_MOST ? "more"
			   : is_many		? "fewer"
						: "less",
			   what, name->scope == PER_NODE ? " of a node" : "", holder,
			   name->how == AT_MOST ? "allows" : "requires");
	else if (name->resource->are_jobs)
		buf_printf(out, "As many %s %s as may.", jobs, what);
	else if (is_used_up(name))
		buf_printf(out, "All %s have used up the %s that they may use.", jobs, what);
	else if (name->measure == RUN_MINUTES)
		buf_printf(out, "Running %s may still use as many %s as is allowed.", jobs, what);
	else
		buf_printf(out, "Running %s hold as %s %s as they may.", jobs, is_many ? "many" : "much", what);
}

static const char *limit_advice(const struct limit_name *name)
{
	if (is_of_the_request(name))
		return never;
	if (name->resource->are_jobs)
		return others_end;
	if (name->measure == RUN_MINUTES)
		return nearer;
	return is_used_up(name) ? used_up : less;
}

bool reason_words_is_limit(struct text reason)
{
	struct limit_name name;
	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
		if (text_equal(reason, text_of(whole[i].reason)))
			return true;
	return take_apart(reason, &name);
}

/* The words of a reason with a row; NULL: it has none. */
static const char *row_of(struct text reason, bool is_advice)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (text_equal(reason, text_of(rows[i].reason)))
			return is_advice ? rows[i].advice : rows[i].meaning;
	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
		if (text_equal(reason, text_of(whole[i].reason)))
			return is_advice ? *whole[i].advice : whole[i].meaning;
	return NULL;
}

bool reason_words_meaning(struct text reason, struct buf *out)
{
	struct limit_name name;
	const char *words = row_of(reason, false);
	bool is_limit = !words && take_apart(reason, &name);
	if (words)
		buf_add_string(out, words);
	else if (is_limit)
		write_limit(&name, out);
	return words || is_limit;
}

bool reason_words_advice(struct text reason, struct buf *out)
{
	struct limit_name name;
	const char *words = row_of(reason, true);
	if (!words && take_apart(reason, &name))
		words = limit_advice(&name);
	if (words)
		buf_add_string(out, words);
	return words;
}
