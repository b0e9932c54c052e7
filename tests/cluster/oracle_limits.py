"""Shares, limits and their use, as sshare, sacctmgr and scontrol show assoc_mgr say."""

import re

from slurm_says import ANYTHING, About, memory_bytes, printed, seconds, tres

SHARES = (
    ("shares", "RawShares"), ("shares_ratio", "NormShares"), ("usage_tres_seconds", "RawUsage"),
    ("usage_ratio", "NormUsage"), ("usage_effective_ratio", "EffectvUsage"),
    ("fairshare_factor", "FairShare"), ("fairshare_level", "LevelFS"),
)

# sacctmgr's columns: the scope of a limit, and the resource if it is not a list of TRES.
QOS_LIMITS = {
    "GrpTRES": ("group", ""), "GrpTRESMins": ("group", "seconds"), "GrpTRESRunMins": ("group", "running_seconds"),
    "GrpJobs": ("group", "jobs"), "GrpSubmit": ("group", "submitted_jobs"), "GrpWall": ("group", "wall_seconds"),
    "MaxTRES": ("per_job", ""), "MaxTRESMins": ("per_job", "seconds"), "MaxWall": ("per_job", "wall_seconds"),
    "MaxTRESPerNode": ("per_node", ""), "MinTRES": ("per_job_minimum", ""),
    "MaxTRESPU": ("per_user", ""), "MaxTRESRunMinsPU": ("per_user", "running_seconds"),
    "MaxJobsPU": ("per_user", "jobs"), "MaxSubmitPU": ("per_user", "submitted_jobs"),
    "MaxTRESPA": ("per_account", ""), "MaxTRESRunMinsPA": ("per_account", "running_seconds"),
    "MaxJobsPA": ("per_account", "jobs"), "MaxSubmitPA": ("per_account", "submitted_jobs"),
}
ASSOCIATION_LIMITS = {
    **{column: limit for column, limit in QOS_LIMITS.items() if limit[0] in ("group", "per_job", "per_node")},
    "MaxJobs": ("per_user", "jobs"), "MaxSubmit": ("per_user", "submitted_jobs"),
}

# The association manager's names of jobs, submitted jobs, TRES and running TRES minutes.
NAMES = {
    "group": ("GrpJobs", "GrpSubmitJobs", "GrpTRES", "GrpTRESRunMins"),
    "per_account": ("MaxJobsPA", "MaxSubmitJobsPA", "MaxTRESPA", "MaxTRESRunMinsPA"),
    "per_user": ("MaxJobsPU", "MaxSubmitJobsPU", "MaxTRESPU", "MaxTRESRunMinsPU"),
}

# A job without a time limit counts as that many minutes for as long as it runs.
INFINITE = 2**32 - 1
# PriorityCalcPeriod is a minute; on a busy machine slurmctld comes to it some seconds late.
CALCULATED_AFTER = 70 / 60
# The page of a slurmscope that runs is made from states that are some seconds old: more minutes are left on it.
PAGE_AGE = 20 / 60


def add_shares(slurm, samples):
    """The tree is printed by indentation; accounts come with their parents. What was used up of a limit over time is in whole
    minutes."""
    columns = ["Account", "User", "Partition", "GrpTRESRaw"] + [column for _, column in SHARES]
    limited = limited_resources(associations(slurm))
    path = []
    for row in slurm.table("sshare", "-a", "-l", "-P", "-m", "-o", ",".join(columns)):
        account = row["Account"].lstrip()
        if row["User"]:
            entity, labels = "user", {"user": row["User"], "account": account, "partition": row["Partition"]}
        else:
            path[len(row["Account"]) - len(account):] = [account]
            entity, labels = "account", {"account": account, "parent": path[-2] if path[1:] else ""}
        for name, used in tres(row["GrpTRESRaw"]).items() if slurm.release != "22.05" else ():
            if (account, row["User"], row["Partition"], f"{name}_seconds") in limited:
                unit = 60 * 2**20 if name == "mem" else 60
                samples.put("association_usage", About((int(used) + 0.5) * unit, unit / 2), account=account, user=row["User"],
                            partition=row["Partition"], resource=f"{name}_seconds")
        for family, column in SHARES:
            value = None if row[column] == "parent" else printed(row[column])
            if value is not None:
                samples.put(f"{entity}_{family}", value, **labels)


def limits_of(row, columns):
    """(scope, resource) -> value of one row of sacctmgr."""
    for column, (scope, what) in columns.items():
        said = row.get(column, "")
        if what in ("jobs", "submitted_jobs") and said:
            yield scope, what, int(said)
        elif what == "wall_seconds" and said:
            yield scope, what, seconds(said)
        elif what not in ("jobs", "submitted_jobs", "wall_seconds"):
            for name, count in tres(said).items():
                value = memory_bytes(count) if name == "mem" else int(count)
                yield scope, f"{name}_{what}" if what else name, value * 60 if what else value


def add_limits(slurm, samples):
    for row in slurm.database("qos", "-P"):
        samples.put("qos_priority", int(row["Priority"]), qos=row["Name"])
        samples.put("qos_usage_factor", float(row["UsageFactor"]), qos=row["Name"])
        for scope, resource, value in limits_of(row, QOS_LIMITS):
            samples.put("qos_limit", value, qos=row["Name"], scope=scope, resource=resource)
    for row in associations(slurm):
        for scope, resource, value in limits_of(row, ASSOCIATION_LIMITS):
            samples.put("association_limit", value, scope=scope, resource=resource, **names_of(row))


def this_cluster(slurm):
    """slurmdbd may have the associations of others."""
    return f"cluster={slurm.config['ClusterName']}"


def associations(slurm):
    """Limits that an account hands down are listed for accounts only; users have their own."""
    every = slurm.database("assoc", "-P", this_cluster(slurm))
    columns = ",".join(["Account", "User", "Partition", *ASSOCIATION_LIMITS])
    own = slurm.database("assoc", "WOPLimits", "-P", this_cluster(slurm), f"format={columns}")
    return [row for row in every if not row["User"]] + [row for row in own if row["User"]]


def names_of(row):
    return {"account": row["Account"], "user": row["User"], "partition": row["Partition"]}


def limited_resources(rows):
    """Of associations: account, user, partition, resource."""
    return {(*names_of(row).values(), resource) for row in rows for scope, resource, _ in limits_of(row, ASSOCIATION_LIMITS)
            if scope != "per_job" and scope != "per_node"}


def uses_of(slurm, text, names):
    """(resource, use) of what the association manager prints as LIMIT(USE) in the fields of these names.

    It takes what has run from the running minutes now and then only, and prints whole ones. Of nodes it counts minutes for
    each job, but use once where jobs share one: of each node a job has a CPU at least. Without priority/multifactor nothing is taken
    off before a job ends.
    """
    fields = dict(re.findall(r"(\w+)=(\S*)", text))
    for field, resource in zip(names, ("jobs", "submitted_jobs")):
        yield resource, int(re.search(r"\((\d+)\)", fields[field])[1])
    counts = {}
    for name, use in re.findall(r"([^=,]+)=\w+\((\d+)\)", fields[names[2]]):
        counts[name] = int(use)
        yield name, int(use) * (2**20 if name == "mem" else 1)
    for name, use in re.findall(r"([^=,]+)=\w+\((\d+)\)", fields.get(names[3], "")):
        if int(use) >= INFINITE or not slurm.has_factors:
            yield f"{name}_running_seconds", ANYTHING
            continue
        unit = 60 * 2**20 if name == "mem" else 60
        each_minute = counts["cpu" if name == "node" else name]
        least, most = int(use) - each_minute * CALCULATED_AFTER, int(use) + 1 + each_minute * PAGE_AGE
        yield f"{name}_running_seconds", About((least + most) / 2 * unit, (most - least) / 2 * unit)


def charged_for_het_jobs(slurm):
    """The QOS and accounts of which Slurm 26.05 has lost count.

    What a het job that cannot start at once asks for is taken off there although nothing was added, each time.
    """
    if slurm.release != "26.05":
        return set()
    parents = {row["Account"]: row["ParentName"] for row in
               slurm.database("assoc", "-P", this_cluster(slurm), "format=Account,User,ParentName") if not row["User"]}
    charged = set()
    for line in slurm.run("squeue", "-h", "-a", "-t", "all", "-O", "HetJobID:|,QOS:|,Account:").splitlines():
        het_job, qos, account = (column.strip() for column in line.split("|"))
        if het_job.isdigit() and het_job != "0":
            charged.add(("qos", qos))
            while account:
                charged.add(("account", account))
                account = parents.get(account)
    return charged


def add_use(slurm, samples):
    """All uses of QOS and accounts; of users those that are limited."""
    every = associations(slurm)
    limited = limited_resources(every)
    qos_limits = {row["Name"]: list(limits_of(row, QOS_LIMITS)) for row in slurm.database("qos", "-P")}
    of_users, charged = {}, charged_for_het_jobs(slurm)
    for record in slurm.run("scontrol", "-o", "show", "assoc_mgr", "flags=assoc,qos").splitlines():
        group, _, rest = record.partition(" Account Limits=")
        if found := re.match(r"QOS=(\S+?)\(\d+\) ", record):
            wrong = ("qos", found[1]) in charged
            for resource, use in uses_of(slurm, group, NAMES["group"]):
                samples.put("qos_usage", ANYTHING if wrong else use, qos=found[1], resource=resource)
            accounts, _, users = rest.partition(" User Limits=")
            for scope, text in (("per_account", accounts), ("per_user", users)):
                uses = [dict(uses_of(slurm, each, NAMES[scope])) for each in re.findall(r"\S+?=\{(.*?)\}", text)]
                add_largest(samples, "qos", uses, [limit for limit in qos_limits[found[1]] if limit[0] == scope], wrong, qos=found[1])
        elif found := re.match(r"ClusterName=\S+ Account=(\S+) UserName=([^ (]*)\S* Partition=(\S*) ", record):
            account, user, partition = found.groups()
            wrong = ("account", account) in charged
            uses = dict(uses_of(slurm, group, NAMES["group"]))
            if user:
                of_users.setdefault(account, []).append(uses)
            for resource, use in uses.items():
                if not user or (account, user, partition, resource) in limited:
                    samples.put("association_usage", ANYTHING if wrong else use, account=account, user=user,
                                partition=partition, resource=resource)
    for account, user, partition, resource in limited:
        # add_shares says how much; it decays from minute to minute
        key = samples.key("association_usage", {"account": account, "user": user, "partition": partition, "resource": resource})
        if re.fullmatch(r"(?!wall_seconds|.*_running_seconds).*_seconds", resource) and slurm.release != "22.05":
            samples.setdefault(key, ANYTHING)
    for row in every:
        limits = [limit for limit in limits_of(row, ASSOCIATION_LIMITS) if limit[0] == "per_user" and not row["User"]]
        add_largest(samples, "association", of_users.get(row["Account"], []), limits, ("account", row["Account"]) in charged,
                    account=row["Account"])


AT_LIMIT = {"qos": "qos_entities_at_limit", "association": "association_users_at_limit"}


def add_largest(samples, family, uses, limits, wrong, **labels):
    """Limits that are per user or account: the largest use, and how many have reached it. `wrong`: Slurm's own books are."""
    for scope, resource, limit in limits:
        counts = [use.get(resource, 0) for use in uses]
        if not any(isinstance(count, About) for count in counts):
            labels |= {"scope": scope, "resource": resource}
            samples.put(f"{family}_largest_usage", ANYTHING if wrong else max(counts, default=0), **labels)
            samples.put(AT_LIMIT[family], ANYTHING if wrong else sum(count >= limit for count in counts), **labels)
