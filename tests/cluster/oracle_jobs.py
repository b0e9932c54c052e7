"""Jobs, as squeue counts them."""

import json
import re
from collections import Counter

from slurm_says import gres_counts, gres_labels, memory_bytes, tres

ENDED = ("completed", "cancelled", "failed", "timeout", "node_fail", "preempted", "boot_fail", "deadline",
         "out_of_memory")
LIVE_STATES = ("pending", "running", "suspended")
BASE_STATES = LIVE_STATES + ENDED

# What squeue prints in place of the base state. Behind COMPLETING can be any.
BASE_STATE_OF = {
    "CONFIGURING": "running", "RESIZING": "running", "SIGNALING": "running", "STOPPED": "suspended",
    "REQUEUED": "pending", "REQUEUE_FED": "pending", "REQUEUE_HOLD": "pending", "RESV_DEL_HOLD": "pending",
    "SPECIAL_EXIT": "pending",
}

# The reasons that squeue tells in other words, and the class of each.
REASON_SAID = {"job requeued in held state": "JobHeldUser", "Nodes required for job are DOWN": "Resources"}
REASON_CLASSES = (
    ("startable", r"None|Priority|Resources|Cleaning"),
    ("held", r"JobHeld.*|JobHoldMaxRequeue"),
    ("dependency", r"Dependency.*"),
    ("limit", r"QOS.*|Assoc.*|Licenses|JobArrayTaskLimit|Max.*Per(Account|Limit)|Partition(Node|Time)Limit"),
    ("other", r".*"),
)


def reason_of(said):
    """squeue prints blanks in it, scontrol _."""
    first = said.split(",")[0]
    return REASON_SAID.get(first.replace("_", " "), first)


def reason_class(reason):
    return next(name for name, pattern in REASON_CLASSES if re.fullmatch(pattern, reason))


def job_states(slurm):
    """Base state and flags by job ID, where squeue can tell them apart."""
    if slurm.release == "22.05":
        return {}
    jobs = json.loads(slurm.run("squeue", "-a", "-t", "all", "--json"))["jobs"]
    return {job["job_id"]: [state.lower() for state in job["job_state"]] for job in jobs}


def job_gres(resources):
    """The GRES of a job by type; without type is what no type accounts for."""
    counts = Counter()
    for name, count in resources.items():
        if name.startswith("gres/"):
            gres, _, kind = name[len("gres/"):].partition(":")
            counts[gres, kind] += int(count)
    for gres, kind in list(counts):
        if kind:
            counts[gres, ""] -= counts[gres, kind]
    return counts


def raw_jobs(slurm):
    """The records of scontrol: a dict, and what they say of CPUs, node by node. A name may hold a newline."""
    for line in re.split(r"\n(?=JobId=)", slurm.run("env", "SLURM_BITSTR_LEN=0", "scontrol", "-a", "-d", "-o", "show", "job").rstrip("\n")):
        fields = {name: value.strip() for name, value in re.findall(r"(\w+)=(.*?)(?=\s+[\w/:]+=|\s*$)", line, re.DOTALL)}
        if "JobId" in fields:  # else there are no jobs, which it says in words
            yield fields, re.findall(r"\bNodes=(\S+) CPU_IDs=(\S+)", line)


def named_gpus(text):
    """gres/gpu:4090:2, gres:gpu:2 (22.05), cpu=1,gres/gpu:4090=2 -> {type: count}"""
    counts = Counter()
    for one in (text or "").split(","):
        if match := re.fullmatch(r"gres[/:]gpu(?::([\w.-]*[^\W\d][\w.-]*|\w+(?=[:=])))?(?:[:=](\d+))?", one):
            counts[match[1] or ""] += int(match[2] or 1)
    return counts


def accounts_gpus(slurm):
    """If not, no TRES of a job names its GPUs."""
    return "gres/gpu" in slurm.config["AccountingStorageTRES"]


def asked_gpus(slurm, job):
    """By type, of a record of scontrol, where its TRES do not tell."""
    nodes, tasks = (int(re.match(r"\d*", job.get(field, ""))[0] or 1) for field in ("NumNodes", "NumTasks"))
    fields = (("TresPerJob", 1), ("TresPerNode", nodes), ("TresPerTask", tasks))
    asked = ({kind: count * times for kind, count in named_gpus(job.get(field)).items()} for field, times in fields)
    return {} if accounts_gpus(slurm) else next(filter(None, asked), {})


def held_gpus(slurm, job):
    held = {kind: count for (gres, kind), count in gres_counts(job.get("JOB_GRES", "")).items() if gres == "gpu"}
    return {} if accounts_gpus(slurm) else held


def with_gpus(resources, gpus):
    """TRES as they are where Slurm accounts GPUs."""
    if not sum(gpus.values()):
        return resources
    return resources | {"gres/gpu": sum(gpus.values())} | {f"gres/gpu:{kind}": count for kind, count in gpus.items() if kind}


def told(text):
    """Without slurmdbd jobs have no account and no QOS."""
    return "" if text in ("(null)", "N/A") else text


def user_of(name, number):
    """Slurm's commands call each user nobody that has no name. The page has the number."""
    return number if name == "nobody" else name


def entities_of(job):
    """Where a job counts, as (entity, labels)."""
    yield "cluster", {}
    for partition in dict.fromkeys(job["Partition"].split(",")):  # `sbatch -p cpu,cpu` stays so while it is pending
        yield "partition", {"partition": partition}
    account, qos = told(job["Account"]), told(job["QOS"])
    if account:
        yield "account", {"account": account}
    yield "user", {"user": user_of(job["UserName"], job["UserID"]), "account": account}
    for each in dict.fromkeys(qos.split(",") if qos else ()):
        yield "qos", {"qos": each}


def array_tasks(slurm):
    """How many tasks each unsplit array has, by job ID: squeue -r leaves out the last one of a range with a step."""
    jobs = slurm.run("env", "SLURM_BITSTR_LEN=0", "scontrol", "-a", "-o", "show", "job")
    arrays = re.findall(r"^JobId=(\d+) ArrayJobId=\d+ ArrayTaskId=(\S+)", jobs, re.MULTILINE)
    return {int(job): count_tasks(tasks.partition("%")[0]) for job, tasks in arrays}


def count_tasks(tasks):
    """1,5-7,20-30:2 -> 10"""
    count = 0
    for first, last, step in re.findall(r"(\d+)(?:-(\d+))?(?::(\d+))?", tasks):
        count += len(range(int(first), int(last or first) + 1, int(step or 1)))
    return count


def add_jobs(slurm, samples):
    fields = ("JobID", "Partition", "State", "Account", "UserName", "UserID", "QOS", "SubmitTime", "tres-alloc", "Reason")
    table = slurm.run("squeue", "-r", "-a", "-h", "-t", "all", "-O", ",".join(field + ":|" for field in fields))
    states, tasks = job_states(slurm), array_tasks(slurm)
    untold = {} if accounts_gpus(slurm) else {int(job["JobId"]): job for job, _ in raw_jobs(slurm)}
    for line in sorted(set(table.splitlines())):
        job = dict(zip(fields, line.split("|")))
        number, said = int(job["JobID"]), job["State"]
        base, *flags = states.get(number) or (
            [BASE_STATE_OF.get(said, said.lower())] + ([said.lower()] if said in (*BASE_STATE_OF, "COMPLETING") else []))
        if number in untold:
            job["GPUs"] = (asked_gpus if base == "pending" else held_gpus)(slurm, untold[number])
        for entity, labels in entities_of(job):
            add_job(samples, entity, labels, job, tasks.get(number, 1), base, flags)


def add_job(samples, entity, labels, job, tasks, base, flags):
    for state in BASE_STATES if entity == "cluster" else LIVE_STATES:
        samples.add(f"{entity}_jobs", 0, state=state, **labels)
    if entity == "cluster" or base in LIVE_STATES:
        samples.add(f"{entity}_jobs", tasks, state=base, **labels)
    for flag in flags:
        samples.add(f"{entity}_jobs_flagged", tasks, flag=flag, **labels)
    if base not in ("pending", "running"):
        return

    resources = with_gpus(tres(job["tres-alloc"]), job.get("GPUs", {}))
    samples.add(f"{entity}_job_cpus", tasks * int(resources["cpu"]), state=base, **labels)
    samples.add(f"{entity}_job_nodes", tasks * int(resources["node"]), state=base, **labels)
    samples.add(f"{entity}_job_memory_bytes", tasks * memory_bytes(resources.get("mem", "0")), state=base, **labels)
    for (gres, kind), count in job_gres(resources).items():
        samples.add(f"{entity}_job_gres", tasks * count, state=base, **gres_labels(gres, kind), **labels)
    if base != "pending":
        return

    reason = reason_of(job["Reason"])
    kind = reason_class(reason)
    samples.add(f"{entity}_pending_jobs", tasks, **{"class": kind}, reason=reason, **labels)
    samples.lower(f"{entity}_oldest_pending_timestamp_seconds", int(job["SubmitTime"]), **{"class": kind}, **labels)
    if entity == "partition" and kind == "startable":
        samples.raise_("partition_pending_job_max_nodes", int(resources["node"]), **labels)
