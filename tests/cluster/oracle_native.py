#!/usr/bin/env python3
"""Compares slurmscope's page with slurmctld's own OpenMetrics endpoint, which came with 25.11.

    oracle_native.py URL -- slurmscope --once ...

Where that is right both must say the same. Where it is wrong, it is wrong in a way that has a name below. It must still be
wrong, so that we learn when Slurm repairs it.
"""

import re
import sys
import urllib.request
from collections import defaultdict

from oracle import parse_page, run, text_of
from oracle_jobs import ENDED

PAGES = ("jobs", "nodes", "partitions", "jobs-users-accts", "scheduler")
ROUNDS = 12
MIB = 2**20

JOB_STATES = {"node_fail": "node_failed", "boot_fail": "bootfail", "out_of_memory": "outofmemory"}
JOB_FLAGS = {"power_up_node": "powerup_node", "stage_out": "stageout"}
NODE_STATES = {"allocated": "alloc"}
NODE_FLAGS = {"reserved": "resv", "dynamic_norm": "dyn_normal", "dynamic_future": "dyn_future"}
CLUSTER_NODE_FLAGS = {**NODE_FLAGS, "not_responding": "noresp", "reboot_requested": "reboot_req"}
PARTITION_NODE_FLAGS = {**NODE_FLAGS, "not_responding": "no_resp", "completing": "cg"}

SCHEDULER = {  # their name: our family and the unit
    "schedule_cycle_cnt": ("scheduler_cycles_total", 1), "schedule_cycle_tot": ("scheduler_cycle_seconds_total", 1e6),
    "schedule_cycle_last": ("scheduler_last_cycle_seconds", 1e6),
    "schedule_cycle_max": ("scheduler_max_cycle_seconds", 1e6),
    "schedule_cycle_depth": ("scheduler_depth_total", 1), "schedule_queue_len": ("scheduler_queue_length", 1),
    "bf_cycle_cnt": ("backfill_cycles_total", 1), "bf_cycle_tot": ("backfill_cycle_seconds_total", 1e6),
    "bf_cycle_last": ("backfill_last_cycle_seconds", 1e6), "bf_cycle_max": ("backfill_max_cycle_seconds", 1e6),
    "bf_depth_tot": ("backfill_depth_total", 1), "bf_depth_try_tot": ("backfill_depth_tried_total", 1),
    "bf_queue_len": ("backfill_last_queue_length", 1), "bf_queue_len_tot": ("backfill_queue_length_total", 1),
    "bf_table_size": ("backfill_last_table_size", 1), "bf_table_size_tot": ("backfill_table_size_total", 1),
    "bf_when_last_cycle": ("backfill_last_cycle_timestamp_seconds", 1), "bf_active": ("backfill_active", 1),
    "backfilled_jobs": ("backfill_jobs_total", 1), "backfilled_het_jobs": ("backfill_het_jobs_total", 1),
    "agent_queue_size": ("controller_agent_queue", 1), "slurmdbd_queue_size": ("dbd_agent_queue", 1),
}


# What is wrong with theirs: its name, where, and how their value then relates to ours.
WRONG = (
    ("memory is MiB where they say bytes", r"slurm_\w+_(memory_alloc|mem_alloc|mem_tot|mem_avail)\{",
     lambda theirs, our, suspended: theirs * MIB in (our, our + suspended * SUSPENDED_MEMORY)),
    ("CPUs of suspended jobs are counted as allocated", r"slurm_\w*jobs_cpus_alloc\{",
     lambda theirs, our, suspended: suspended and theirs == our + suspended),
    ("an array is one job in the total, and once cancelled", r"slurm_(\w*jobs_cancelled|jobs|\w+_jobs)\{",
     lambda theirs, our, suspended: theirs < our),
    ("a job that waits in several partitions is in one of them only", r"slurm_partition_jobs_pending\{",
     lambda theirs, our, suspended: theirs < our),
    ("bits of a reason's number are tested", r"slurm_partition_jobs_wait_part_node_limit\{",
     lambda theirs, our, suspended: theirs > our),
    ("drain leaves out what is draining", r"slurm_(partition_)?nodes_drain\{",
     lambda theirs, our, suspended: theirs < our),
    ("powering_up is filled from powering_down", r"slurm_nodes_powering_up\{",
     lambda theirs, our, suspended: theirs == 0),
    ("CPUs of drained and down nodes are idle", r"slurm_partition_nodes_cpus_idle\{",
     lambda theirs, our, suspended: theirs > our),
    ("nodes that are FUTURE are counted, unlike by sinfo",
     r'slurm_nodes(_future)?\{|slurm_partition_nodes\w*\{partition="cloud"',
     lambda theirs, our, suspended: theirs > our or theirs * MIB > our > MIB),
)
NOT_OPENMETRICS = "text/plain without an # EOF"
SUSPENDED_MEMORY = 500 * MIB  # of each suspended job of the workload, which has one CPU


def in_their_names(page):
    """Our page in the names of theirs, added up."""
    said = defaultdict(float)
    for (family, labels), value in page.items():
        labels = dict(labels)
        found = re.fullmatch("slurm_(cluster|partition|account|user)_(.*)", family)
        if not found:
            continue
        entity, what = found.groups()
        prefix = "slurm_" if entity == "cluster" else f"slurm_{entity}_"
        key = {"cluster": "", "user": "username"}.get(entity, entity)
        owner = ((key, labels.get(entity, "")),) if key else ()
        nodes = PARTITION_NODE_FLAGS if entity == "partition" else CLUSTER_NODE_FLAGS
        state, flag = labels.get("state", ""), labels.get("flag", "")
        if what == "jobs":
            said[prefix + "jobs", owner] += value
            said[prefix + "jobs_" + JOB_STATES.get(state, state), owner] += value
        elif what == "jobs_flagged":
            said[prefix + "jobs_" + JOB_FLAGS.get(flag, flag), owner] += value
        elif what == "job_cpus" and state == "running":
            said[prefix + "jobs_cpus_alloc", owner] += value
        elif what == "job_memory_bytes" and state == "running":
            said[prefix + "jobs_memory_alloc", owner] += value
        elif what == "job_gres" and state == "running" and labels["gres"] == "gpu":
            said[prefix + "jobs_gpus_alloc", owner] += value
        elif what == "pending_jobs" and labels["reason"] == "PartitionNodeLimit":
            said[prefix + "jobs_wait_part_node_limit", owner] += value
        elif what == "nodes":
            said[prefix + "nodes", owner] += value
            said[prefix + "nodes_" + NODE_STATES.get(state, state), owner] += value
        elif what == "nodes_flagged":
            said[prefix + "nodes_" + nodes.get(flag, flag), owner] += value
            if flag in ("drained", "draining"):
                said[prefix + "nodes_drain", owner] += value
        elif what == "cpus" and entity == "partition":
            if state in ("allocated", "idle"):
                said[prefix + "nodes_cpus_" + NODE_STATES.get(state, state), owner] += value
        elif what == "effective_cpus" and entity == "partition":
            said[prefix + "nodes_cpus_efctv", owner] += value
        elif what == "effective_memory_bytes" and entity == "partition":
            said[prefix + "nodes_mem_avail", owner] += value
        elif what == "memory_bytes" and entity == "partition":
            said[prefix + "nodes_mem_tot", owner] += value
            if state == "allocated":
                said[prefix + "nodes_mem_alloc", owner] += value
        elif what == "gres" and entity == "partition" and labels["gres"] == "gpu":
            said[prefix + "gpus", owner] += value
    for name, (family, unit) in SCHEDULER.items():
        said["slurm_" + name, ()] = page.get(("slurm_" + family, ()), 0) * unit
    return said


def without_ended(samples):
    """Ours of partitions, accounts and users are the live jobs."""
    def ended(family, owner):
        return sum(samples.get((f"{family}_{JOB_STATES.get(state, state)}", owner), 0) for state in ENDED)
    return {(family, owner): value - ended(family, owner) if owner and family.endswith("_jobs") else value
            for (family, owner), value in samples.items()}


def read(url):
    samples, texts = {}, []
    for name in PAGES:
        with urllib.request.urlopen(f"{url}/metrics/{name}") as answer:
            text = answer.read().decode()
            texts.append((answer.headers["Content-Type"], text))
            samples |= parse_page(text)
    return without_ended(samples), texts


def is_equal(theirs, our):
    """Microseconds, and whole numbers."""
    return abs(theirs - our) <= 0.5


def main():
    url, command = sys.argv[1], sys.argv[3:]
    pairs = {}
    after, texts = read(url)
    for _ in range(ROUNDS):
        before, ours = after, in_their_names(parse_page(run(*command)))
        after, _ = read(url)
        names = {family for family, _ in ours}
        for key, value in before.items():  # our page is made between two of theirs, in which something may begin and end
            if key[0] in names and after.get(key) == value and not is_equal(*pairs.get(key, (0, 1))[:2]):
                pairs[key] = value, ours.get(key, 0), ours.get((re.sub("_jobs_.*", "_jobs_suspended", key[0]), key[1]), 0)

    failed, seen, equal = False, set(), 0
    for key, (theirs, our, suspended) in sorted(pairs.items()):
        if is_equal(theirs, our):
            equal += 1
            continue
        names = [name for name, where, relation in WRONG
                 if re.match(where, text_of(key)) and relation(theirs, our, suspended)]
        seen.update(names)
        if not names:
            failed = True
            print(f"DIFFERS from slurmctld's own: {text_of(key)}: page {our}, slurmctld {theirs}")
    if all(kind.startswith("text/plain") and not text.endswith("# EOF\n") for kind, text in texts):
        seen.add(NOT_OPENMETRICS)
    for name in [name for name, _, _ in WRONG] + [NOT_OPENMETRICS]:
        print(f"slurmctld's own, {'still' if name in seen else 'no longer'} wrong: {name}")
        failed = failed or name not in seen
    print(f"slurmctld's own metrics: {equal} of {len(pairs)} numbers equal, {len(WRONG) + 1} known faults of theirs")
    sys.exit(failed or equal < 500)


if __name__ == "__main__":
    main()
