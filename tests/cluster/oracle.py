#!/usr/bin/env python3
"""Compares a page of slurmscope with what Slurm's own commands say.

    oracle.py --release 24.11 --page FILE_OR_URL
    oracle.py --release 24.11 -- slurmscope --once ...

The commands (squeue, sinfo, scontrol) are asked right before and right after
the page is taken. If they differ, something happened in between, and all is
taken again. Every number of the families below is compared, for every entity
and state; a difference, or a group in which nothing was compared, is a failure.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
import urllib.request
from collections import Counter, defaultdict

ATTEMPTS = 5

# Which families belong to which group; X stands for the five entities.
GROUPS = {
    "jobs": ["X_jobs"],
    "job flags": ["X_jobs_flagged"],
    "waiting": ["X_pending_jobs", "X_pending_reason_jobs", "X_oldest_pending_timestamp_seconds",
                "partition_pending_job_max_nodes"],
    "job resources": ["X_job_cpus", "X_job_nodes", "X_job_memory_bytes", "X_job_gres"],
    "nodes": ["X_nodes", "X_nodes_flagged"],
    "capacity": ["X_cpus", "X_memory_bytes", "X_gres"],
    "partitions": ["partition_info", "partition_state", "partition_max_time_seconds",
                   "partition_default_time_seconds", "partition_max_nodes",
                   "partition_priority_tier", "partition_priority_job_factor"],
    "controller": ["cluster_info", "controller_up"],
}
ENTITIES = ("cluster", "partition", "account", "user", "qos")

# Here a sample that is missing is not the same as 0.
UNSET_IS_ABSENT = re.compile(r"slurm_(partition_(max|default|priority)_.*|.*_timestamp_seconds|partition_(info|state)|"
                             r"cluster_info|controller_up)")

ENDED = ("completed", "cancelled", "failed", "timeout", "node_fail", "preempted", "boot_fail", "deadline",
         "out_of_memory")
BASE_STATES = ("pending", "running", "suspended") + ENDED

# What squeue prints in place of the base state. Behind COMPLETING can be any.
BASE_STATE_OF = {
    "CONFIGURING": "running", "RESIZING": "running", "SIGNALING": "running", "STOPPED": "suspended",
    "REQUEUED": "pending", "REQUEUE_FED": "pending", "REQUEUE_HOLD": "pending", "RESV_DEL_HOLD": "pending",
    "SPECIAL_EXIT": "pending",
}

# The reasons that squeue tells in other words, and the class of each.
REASON_SAID = {"job requeued in held state": "JobHeldUser"}
REASON_CLASSES = (
    ("startable", r"None|Priority|Resources|Cleaning"),
    ("held", r"JobHeld.*|JobHoldMaxRequeue"),
    ("dependency", r"Dependency.*"),
    ("limit", r"QOS.*|Assoc.*|Licenses|JobArrayTaskLimit|Max.*Per(Account|Limit)|Partition(Node|Time)Limit"),
    ("other", r".*"),
)

NODE_FLAG_NAMES = {"maintenance": "maint"}
UNITS = {"": 2**20, "M": 2**20, "G": 2**30, "T": 2**40, "P": 2**50}


class Slurm:
    """The commands of one release, run inside its cluster."""

    def __init__(self, release):
        self.release = release
        self.program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "cluster")

    def run(self, *command):
        result = subprocess.run([self.program, "exec", self.release, *command], stdout=subprocess.PIPE, check=True)
        return result.stdout.decode("latin-1")

    def records(self, *what):
        """The records of scontrol -o show, as dicts."""
        for line in self.run("scontrol", "-a", "-d", "-o", "show", *what).splitlines():
            yield dict(re.findall(r"(\w+)=(.*?)(?= \w+=|\s*$)", line))


class Samples(defaultdict):
    """(family, labels) -> value, added up; labels are sorted pairs."""

    def __init__(self):
        super().__init__(float)

    def add(self, family, value, **labels):
        self["slurm_" + family, tuple(sorted(labels.items()))] += value

    def lower(self, family, value, **labels):
        key = "slurm_" + family, tuple(sorted(labels.items()))
        self[key] = min(self.get(key, value), value)

    def raise_(self, family, value, **labels):
        key = "slurm_" + family, tuple(sorted(labels.items()))
        self[key] = max(self.get(key, value), value)


def memory_bytes(text):
    number, unit = re.fullmatch(r"([\d.]+)([MGTP]?)", text).groups()
    return float(number) * UNITS[unit]


def tres(text):
    return dict(item.split("=") for item in text.split(",") if "=" in item)


def gres_counts(text):
    """gpu:a100:4(S:0-1),nic:2 -> {("gpu", "a100"): 4, ("nic", ""): 2}"""
    counts = Counter()
    for name, kind, count in re.findall(r"(\w+)(?::(\w+))?:(\d+)", re.sub(r"\([^)]*\)", "", text)):
        counts[name, kind] += int(count)
    return counts


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


def gres_labels(gres, kind):
    return {"gres": gres, "type": kind} if kind else {"gres": gres}


def reason_class(reason):
    return next(name for name, pattern in REASON_CLASSES if re.fullmatch(pattern, reason))


def seconds(text):
    """2-00:00:00, 00:30:00"""
    days, _, clock = text.rpartition("-")
    hours, minutes, secs = map(int, clock.split(":"))
    return int(days or 0) * 86400 + hours * 3600 + minutes * 60 + secs


def job_states(slurm):
    """Base state and flags by job id, where squeue can tell them apart."""
    if slurm.release == "22.05":
        return {}
    jobs = json.loads(slurm.run("squeue", "-a", "-t", "all", "--json"))["jobs"]
    return {job["job_id"]: [state.lower() for state in job["job_state"]] for job in jobs}


def entities_of(job):
    """Where a job counts, as (entity, labels)."""
    yield "cluster", {}
    for partition in job["Partition"].split(","):
        yield "partition", {"partition": partition}
    yield "account", {"account": job["Account"]}
    yield "user", {"user": job["UserName"], "account": job["Account"]}
    for qos in job["QOS"].split(","):
        yield "qos", {"qos": qos}


def array_tasks(slurm):
    """How many tasks each unsplit array has, by job id: squeue -r leaves out the last one of a range with a step."""
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
    fields = ("JobID", "Partition", "State", "Account", "UserName", "QOS", "SubmitTime", "tres-alloc", "Reason")
    table = slurm.run("env", "SLURM_TIME_FORMAT=%s", "squeue", "-r", "-a", "-h", "-t", "all", "-O",
                      ",".join(field + ":|" for field in fields))
    states, tasks = job_states(slurm), array_tasks(slurm)
    for line in sorted(set(table.splitlines())):
        job = dict(zip(fields, line.split("|")))
        number, said = int(job["JobID"]), job["State"]
        base, *flags = states.get(number) or (
            [BASE_STATE_OF.get(said, said.lower())] + ([said.lower()] if said in (*BASE_STATE_OF, "COMPLETING") else []))
        for entity, labels in entities_of(job):
            add_job(samples, entity, labels, job, tasks.get(number, 1), base, flags)


def add_job(samples, entity, labels, job, tasks, base, flags):
    if entity != "user":
        for state in BASE_STATES:
            samples.add(f"{entity}_jobs", 0, state=state, **labels)
    samples.add(f"{entity}_jobs", tasks, state=base, **labels)
    for flag in flags:
        samples.add(f"{entity}_jobs_flagged", tasks, flag=flag, **labels)
    if base not in ("pending", "running"):
        return

    resources = tres(job["tres-alloc"])
    samples.add(f"{entity}_job_cpus", tasks * int(resources["cpu"]), state=base, **labels)
    samples.add(f"{entity}_job_nodes", tasks * int(resources["node"]), state=base, **labels)
    samples.add(f"{entity}_job_memory_bytes", tasks * memory_bytes(resources["mem"]), state=base, **labels)
    for (gres, kind), count in job_gres(resources).items():
        samples.add(f"{entity}_job_gres", tasks * count, state=base, **gres_labels(gres, kind), **labels)
    if base != "pending":
        return

    reason = REASON_SAID.get(job["Reason"], job["Reason"].split(",")[0])
    kind = reason_class(reason)
    if entity in ("cluster", "partition"):
        samples.add(f"{entity}_pending_reason_jobs", tasks, reason=reason, **labels)
    else:
        samples.add(f"{entity}_pending_jobs", tasks, **{"class": kind}, **labels)
    samples.lower(f"{entity}_oldest_pending_timestamp_seconds", int(job["SubmitTime"]), **{"class": kind}, **labels)
    if entity == "partition" and kind == "startable":
        samples.raise_("partition_pending_job_max_nodes", int(resources["node"]), **labels)


def add_nodes(slurm, samples):
    # Only sinfo says how it divides the CPUs.
    cpus, partitions = {}, defaultdict(set)
    for line in slurm.run("sinfo", "-a", "-h", "-N", "-o", "%N|%R|%C").splitlines():
        node, partition, counts = line.split("|")
        cpus[node] = [int(count) for count in counts.split("/")]
        partitions[node].add(partition)
    for node in slurm.records("node"):
        name = node["NodeName"]
        entities = [("cluster", {})] + [("partition", {"partition": partition}) for partition in partitions[name]]
        for entity, labels in entities:
            add_node(samples, entity, labels, node, cpus[name])


def add_node(samples, entity, labels, node, cpus):
    base, *flags = node["State"].lower().split("+")
    flags = {NODE_FLAG_NAMES.get(flag, flag) for flag in flags}
    if "drain" in flags:
        flags.add("draining" if base in ("allocated", "mixed") or "completing" in flags else "drained")
    samples.add(f"{entity}_nodes", 1, state=base, **labels)
    for flag in flags:
        samples.add(f"{entity}_nodes_flagged", 1, flag=flag, **labels)

    allocated, idle, other, _ = cpus
    for state, count in (("allocated", allocated), ("idle", idle), ("other", other)):
        samples.add(f"{entity}_cpus", count, state=state, **labels)

    # The rest is idle or other as sinfo says of the CPUs.
    free = "other" if base == "down" or "drain" in flags else "idle"
    used = int(node["AllocMem"])
    samples.add(f"{entity}_memory_bytes", used * UNITS["M"], state="allocated", **labels)
    samples.add(f"{entity}_memory_bytes", (int(node["RealMemory"]) - used) * UNITS["M"], state=free, **labels)
    in_use = gres_counts(node.get("GresUsed", ""))
    for (gres, kind), count in gres_counts(node["Gres"]).items():
        used = in_use[gres, kind]
        samples.add(f"{entity}_gres", used, state="allocated", **gres_labels(gres, kind), **labels)
        samples.add(f"{entity}_gres", count - used, state=free, **gres_labels(gres, kind), **labels)


def add_partitions(slurm, samples):
    for partition in slurm.records("partition"):
        name = {"partition": partition["PartitionName"]}
        default = "true" if partition["Default"] == "YES" else "false"
        samples.add("partition_info", 1, default=default, **name)
        samples.add("partition_state", 1, state=partition["State"].lower(), **name)
        samples.add("partition_priority_tier", int(partition["PriorityTier"]), **name)
        samples.add("partition_priority_job_factor", int(partition["PriorityJobFactor"]), **name)
        if partition["MaxTime"] != "UNLIMITED":
            samples.add("partition_max_time_seconds", seconds(partition["MaxTime"]), **name)
        if partition["DefaultTime"] != "NONE":
            samples.add("partition_default_time_seconds", seconds(partition["DefaultTime"]), **name)
        if partition["MaxNodes"] != "UNLIMITED":
            samples.add("partition_max_nodes", int(partition["MaxNodes"]), **name)
        for state in BASE_STATES:
            samples.add("partition_jobs", 0, state=state, **name)


def add_controller(slurm, samples):
    config = dict(re.findall(r"^(\w+)\s*= (.*)$", slurm.run("scontrol", "show", "config"), re.MULTILINE))
    samples.add("cluster_info", 1, name=config["ClusterName"], slurm_version=config["SLURM_VERSION"])
    for role, host, state in re.findall(r"Slurmctld\((\w+)\) at (\S+) is (\w+)", slurm.run("scontrol", "ping")):
        samples.add("controller_up", state == "UP", controller=host, role=role)


def ask_slurm(slurm):
    samples = Samples()
    for add in (add_jobs, add_nodes, add_partitions, add_controller):
        add(slurm, samples)
    return dict(samples)


def parse_page(text):
    samples = {}
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        family, inner, value = re.fullmatch(r"(\w+)(?:\{(.*)\})? (\S+)", line).groups()
        labels = {name: re.sub(r"\\(.)", lambda match: "\n" if match[1] == "n" else match[1], content)
                  for name, content in re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', inner or "")}
        samples[family, tuple(sorted(labels.items()))] = float(value)
    return samples


def without_label(samples, family, name):
    return {(key[0], tuple(pair for pair in key[1] if key[0] != family or pair[0] != name)): value
            for key, value in samples.items()}


def group_of(family):
    for group, patterns in GROUPS.items():
        for pattern in patterns:
            if re.fullmatch("slurm_" + pattern.replace("X", f"({'|'.join(ENTITIES)})"), family):
                return group
    return None


def fold_hidden(samples, oracle):
    """Up to v0.0.38 slurmrestd, like squeue, says COMPLETING and not how the job has ended: where there is such a
    job only the sum of the ended states is known."""
    hidden = {(family[:-len("_flagged")], tuple(pair for pair in labels if pair[0] != "flag"))
              for family, labels in oracle if ("flag", "completing") in labels and family.endswith("_jobs_flagged")}
    folded = defaultdict(float)
    for (family, labels), value in samples.items():
        state = dict(labels).get("state")
        entity = family, tuple(pair for pair in labels if pair[0] != "state")
        if entity in hidden and state in (*ENDED, "completing"):
            labels = tuple(sorted({**dict(labels), "state": "ended"}.items()))
        folded[family, labels] += value
    return dict(folded)


def text_of(key):
    family, labels = key
    return family + "{" + ",".join(f'{name}="{value}"' for name, value in labels) + "}"


def compare(page, oracle):
    """Prints what differs; returns how many numbers of each group agreed and differed."""
    agreed, differed = Counter(), Counter()
    for key in sorted(set(page) | set(oracle)):
        group = group_of(key[0])
        if group is None:
            continue
        absent = None if UNSET_IS_ABSENT.fullmatch(key[0]) or must_exist(key) else 0
        said, true = page.get(key, absent), oracle.get(key, 0 if absent == 0 else None)
        if said == true:
            agreed[group] += 1
        else:
            differed[group] += 1
            print(f"DIFFERS {text_of(key)}: page {said}, Slurm {true}")
    return agreed, differed


def must_exist(key):
    """The closed sets of which even zeros are on the page."""
    family, labels = key
    return re.fullmatch(r"slurm_(cluster|partition|account|qos)_jobs", family) and dict(labels)["state"] in BASE_STATES


def take_page(arguments):
    if arguments.command:
        result = subprocess.run(arguments.command, stdout=subprocess.PIPE, check=False)
        if result.returncode:
            sys.exit(f"no page: {arguments.command[0]} exited with {result.returncode}")
        return result.stdout.decode()
    if "://" in arguments.page:
        with urllib.request.urlopen(arguments.page) as answer:
            return answer.read().decode()
    with open(arguments.page, encoding="utf-8") as file:
        return file.read()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--release", required=True)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--page", help="file or URL")
    source.add_argument("command", nargs="*", default=[], help="prints the page")
    arguments = parser.parse_args()

    slurm = Slurm(arguments.release)
    for _ in range(ATTEMPTS):
        before = ask_slurm(slurm)
        page = parse_page(take_page(arguments))
        oracle = ask_slurm(slurm)
        if before == oracle:
            break
        for key in sorted(set(before) | set(oracle)):
            if before.get(key) != oracle.get(key):
                print(f"moved: {text_of(key)}: {before.get(key)} -> {oracle.get(key)}")
        time.sleep(2)
    else:
        sys.exit(f"the cluster has not been quiet in {ATTEMPTS} attempts")

    # What only slurmrestd can say, and what it does not say.
    page = without_label(page, "slurm_cluster_info", "api_version")
    if arguments.release == "22.05":
        page, oracle = fold_hidden(page, oracle), fold_hidden(oracle, oracle)
    if arguments.release == "24.11":
        page = without_label(page, "slurm_partition_info", "default")
        oracle = without_label(oracle, "slurm_partition_info", "default")
    agreed, differed = compare(page, oracle)
    for group in GROUPS:
        print(f"{group}: {agreed[group]} equal, {differed[group]} different")
    empty = [group for group in GROUPS if not agreed[group] + differed[group]]
    if empty:
        sys.exit("nothing was compared of: " + ", ".join(empty))
    sys.exit(1 if differed else 0)


if __name__ == "__main__":
    main()
