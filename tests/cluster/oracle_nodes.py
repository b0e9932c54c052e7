"""Nodes and partitions, as sinfo and scontrol say."""

import re
from collections import defaultdict

from oracle_jobs import LIVE_STATES
from slurm_says import UNITS, gres_counts, gres_labels, seconds

NODE_FLAG_NAMES = {"maintenance": "maint"}
# Of an idle node that not every job may have.
HINDRANCES = {"drain", "completing", "fail", "not_responding", "maint", "reserved", "planned", "powering_down",
              "reboot_requested", "reboot_issued", "invalid_reg", "power_down", "power_drain", "blocked", "external"}

# What scontrol show node says of one node, where it is a number.
SINGLE_NODE = (
    ("node_load1", "CPULoad", 1),
    ("node_free_memory_bytes", "FreeMem", UNITS["M"]),
    ("node_power_watts", "CurrentWatts", 1),
    ("node_boot_timestamp_seconds", "BootTime", 1),
    ("node_slurmd_start_timestamp_seconds", "SlurmdStartTime", 1),
    ("node_last_busy_timestamp_seconds", "LastBusyTime", 1),
)


def add_nodes(slurm, samples):
    # Only sinfo says how it divides the CPUs.
    cpus, partitions = {}, defaultdict(set)
    for line in slurm.run("sinfo", "-a", "-h", "-N", "-o", "%N|%R|%C").splitlines():
        node, partition, counts = line.split("|")
        cpus[node] = [int(count) for count in counts.split("/")]
        partitions[node].add(partition)
    for node in slurm.records("node"):
        name = node["NodeName"]
        for partition in partitions[name]:
            samples.put("node_partition_info", 1, node=name, partition=partition)
        cpus.setdefault(name, of_no_partition(node))
        add_single_node(samples, node, cpus[name])
        entities = [("cluster", {})] + [("partition", {"partition": partition}) for partition in partitions[name]]
        for entity, labels in entities:
            add_node(samples, entity, labels, node, cpus[name])


def is_out(base, flags):
    return base == "down" or "drain" in flags


def of_no_partition(node):
    """sinfo does not list it: its CPUs, divided as sinfo divides those of others."""
    held, total = int(node["CPUAlloc"]), int(node["CPUTot"])
    return [held, 0, total - held, total] if is_out(*flags_of(node)) else [held, total - held, 0, total]


def flags_of(node):
    """The base state and the flags; DRAIN is also told apart by whether there still are jobs."""
    base, *flags = node["State"].lower().split("+")
    flags = {NODE_FLAG_NAMES.get(flag, flag) for flag in flags}
    if "drain" in flags:
        flags.add("draining" if base in ("allocated", "mixed") or "completing" in flags else "drained")
    return base, flags


def add_node(samples, entity, labels, node, cpus):
    base, flags = flags_of(node)
    samples.add(f"{entity}_nodes", 1, state=base, **labels)
    samples.add(f"{entity}_nodes_free", base == "idle" and not flags & HINDRANCES, **labels)
    for flag in flags - {"drain"}:
        samples.add(f"{entity}_nodes_flagged", 1, flag=flag, **labels)
    add_capacity(samples, entity, labels, node, cpus, "memory_bytes")
    for family, value in effective(node).items():
        samples.add(f"{entity}_{family}", value, **labels)


def effective(node):
    """What jobs can get."""
    return {"effective_cpus": int(node.get("CPUEfctv", node["CPUTot"])),
            "effective_memory_bytes": (int(node["RealMemory"]) - int(node.get("MemSpecLimit", 0))) * UNITS["M"]}


def add_capacity(samples, entity, labels, node, cpus, memory):
    allocated, idle, other, _ = cpus
    for state, count in (("allocated", allocated), ("idle", idle), ("other", other)):
        samples.add(f"{entity}_cpus", count, state=state, **labels)

    # The rest is idle or other as sinfo says of the CPUs.
    base, flags = flags_of(node)
    free = "other" if is_out(base, flags) else "idle"
    used = int(node["AllocMem"])
    samples.add(f"{entity}_{memory}", used * UNITS["M"], state="allocated", **labels)
    samples.add(f"{entity}_{memory}", (int(node["RealMemory"]) - used) * UNITS["M"], state=free, **labels)
    in_use = gres_counts(node.get("GresUsed", ""))
    for (gres, kind), count in gres_counts(node["Gres"]).items():
        used = in_use[gres, kind]
        samples.add(f"{entity}_gres", used, state="allocated", **gres_labels(gres, kind), **labels)
        samples.add(f"{entity}_gres", count - used, state=free, **gres_labels(gres, kind), **labels)


def words(text):
    return [] if text in (None, "(null)") else text.split(",")


def add_single_node(samples, node, cpus):
    name = {"node": node["NodeName"]}
    base, flags = flags_of(node)
    samples.put("node_state", 1, state=base, **name)
    for flag in flags - {"drain"}:
        samples.put("node_flag", 1, flag=flag, **name)
    samples.put("node_info", 1, slurm_version=node.get("Version", ""), arch=node.get("Arch", ""),
                os=node.get("OS", ""), **name)
    if reason := re.fullmatch(r"(.*) \[(.*)@(\d+)\]", node.get("Reason", "")):
        samples.put("node_reason_info", 1, reason=reason[1], user=reason[2], **name)
        samples.put("node_reason_timestamp_seconds", int(reason[3]), **name)
    if node.get("ReservationName"):
        samples.put("node_reservation_info", 1, reservation=node["ReservationName"], **name)
    if node.get("Comment"):
        samples.put("node_comment_info", 1, comment=node["Comment"], **name)
    active = words(node.get("ActiveFeatures"))
    for feature in words(node.get("AvailableFeatures")):
        samples.put("node_feature_info", 1, feature=feature, active=str(feature in active).lower(), **name)
    add_capacity(samples, "node", name, node, cpus, "real_memory_bytes")
    for family, value in effective(node).items():
        samples.put(f"node_{family}", value, **name)
    for family, field, unit in SINGLE_NODE:
        if re.fullmatch(r"[\d.]+", node.get(field, "")):
            samples.put(family, float(node[field]) * unit, **name)
    # These read 0 where they are not known: no sensor, no slurmd yet.
    if node.get("CurrentWatts") == "0":
        samples.drop("node_power_watts", **name)
    if not node.get("SlurmdStartTime", "").isdigit():
        samples.drop("node_load1", **name)


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
        for state in LIVE_STATES:
            samples.add("partition_jobs", 0, state=state, **name)
