"""The daemons, reservations and licences: scontrol, sdiag and sacctmgr show stats."""

import re
from collections import Counter

from oracle_each_job import host_names
from slurm_says import About, tres

MICROSECONDS = 1e-6

# sdiag's lines, in its scheduler ("Main") and its backfill section: family, line, unit.
SCHEDULER = (
    ("scheduler_cycles_total", "Total cycles", 1),
    ("scheduler_last_cycle_seconds", "Last cycle", MICROSECONDS),
    ("scheduler_max_cycle_seconds", "Max cycle", MICROSECONDS),
    ("scheduler_queue_length", "Last queue length", 1),
)
BACKFILL = (
    ("backfill_jobs_total", "Total backfilled jobs (since last slurm start)", 1),
    ("backfill_het_jobs_total", "Total backfilled heterogeneous job components", 1),
    ("backfill_cycles_total", "Total cycles", 1),
    ("backfill_last_cycle_seconds", "Last cycle", MICROSECONDS),
    ("backfill_max_cycle_seconds", "Max cycle", MICROSECONDS),
    ("backfill_last_cycle_timestamp_seconds", "Last cycle when", 1),
    ("backfill_last_depth", "Last depth cycle", 1),
    ("backfill_last_depth_tried", "Last depth cycle (try sched)", 1),
    ("backfill_last_queue_length", "Last queue length", 1),
    ("backfill_last_table_size", "Last table size", 1),
)
# Sums, of which sdiag prints the mean over the cycles without its fraction: family, line, unit.
SUMS = {
    "scheduler": (("scheduler_cycle_seconds_total", "Mean cycle", MICROSECONDS),
                  ("scheduler_depth_total", "Mean depth cycle", 1)),
    "backfill": (("backfill_cycle_seconds_total", "Mean cycle", MICROSECONDS),
                 ("backfill_depth_total", "Depth Mean", 1),
                 ("backfill_depth_tried_total", "Depth Mean (try depth)", 1),
                 ("backfill_queue_length_total", "Queue length mean", 1),
                 ("backfill_table_size_total", "Mean table size", 1)),
}
# The names that slurmrestd gives to sdiag's reasons.
EXITS = {
    "End of job queue": "end_job_queue", "Hit default_queue_depth": "default_queue_depth",
    "Hit sched_max_job_start": "max_job_start", "Blocked on licenses": "licenses", "Hit max_rpc_cnt": "max_rpc_cnt",
    "Timeout (max_sched_time)": "max_sched_time", "Hit bf_max_job_start": "bf_max_job_start",
    "Hit bf_max_job_test": "bf_max_job_test", "System state changed": "state_changed",
    "Hit table size limit (bf_node_space_size)": "bf_node_space_size", "Timeout (bf_max_time)": "bf_max_time",
}


def add_controller(slurm, samples):
    samples.add("cluster_info", 1, name=slurm.config["ClusterName"], slurm_version=slurm.config["SLURM_VERSION"])
    for role, host, state in re.findall(r"Slurmctld\((\w+)\) at (\S+) is (\w+)", slurm.run("scontrol", "ping")):
        samples.add("controller_up", state == "UP", controller=host, role=role)
    if not slurm.has_slurmdbd:
        return
    # sacctmgr can ping since 23.11; that it gets an answer says as much.
    up = slurm.release == "22.05" or "is UP" in slurm.run("sacctmgr", "ping")
    samples.add("dbd_up", bool(up and slurm.run("sacctmgr", "-n", "show", "cluster")))


def values(section):
    """Label: value lines; a time is what stands in brackets."""
    return {name: int(number or time) for name, number, time in
            re.findall(r"^\s*([A-Z][^:\n]*):\s*(?:(\d+)$|\S.* \((\d+)\)$)", section, re.MULTILINE)}


def mean(told, line):
    """sdiag prints no means until there was a cycle: after a start, and after midnight UTC, when slurmctld begins its
    statistics again."""
    return told[line] if told["Total cycles"] else 0


def add_scheduler(slurm, samples):
    said = slurm.run("sdiag")
    head, rest = said.split("Main schedule statistics")
    scheduler, backfill = rest.split("Backfilling stats")
    backfill, rpcs = backfill.split("Remote Procedure Call statistics by message type")

    samples.put("controller_threads", values(head)["Server thread count"])
    samples.put("controller_agents", values(head)["Agent count"])
    samples.put("controller_agent_queue", values(head)["Agent queue size"])
    samples.put("dbd_agent_queue", values(head)["DBD Agent queue size"])
    for name, section, families in (("scheduler", scheduler, SCHEDULER), ("backfill", backfill, BACKFILL)):
        told = values(section)
        for family, line, unit in families:
            if line in told:  # "Last cycle when" is no time until there was one
                samples.put(family, told[line] * unit)
        cycles = told["Total cycles"]
        for family, line, unit in SUMS[name]:
            samples.put(family, About((mean(told, line) + 0.5) * cycles * unit, 0.51 * cycles * unit))
        for line, reason in EXITS.items():
            if line in told:
                samples.put(f"{name}_exits_total", told[line], reason=reason)
    samples.put("backfill_active", "Backfilling stats (WARNING" in said)

    by_type, rest = rpcs.split("Remote Procedure Call statistics by user")
    by_user, _, pending = rest.partition("Pending RPC statistics")
    add_rpcs(samples, "rpc", "message_type", by_type)
    add_rpcs(samples, "user_rpc", "user", by_user)
    for message_type, count in re.findall(r"^\s+(\w+)\s+\(\s*\d+\)\s+count:(\d+)", pending, re.MULTILINE):
        samples.put("rpc_pending", int(count), message_type=message_type)


def add_rpcs(samples, family, label, section):
    for name, count, total in re.findall(r"^\s+(\S+)\s+\(\s*\d+\)\s+count:(\d+)\s+.*total_time:(\d+)$", section,
                                         re.MULTILINE):
        samples.put(f"{family}_requests_total", int(count), **{label: name})
        samples.put(f"{family}_seconds_total", int(total) * MICROSECONDS, **{label: name})


def add_slurmdbd(slurm, samples):
    rollups, rest = slurm.run("sacctmgr", "show", "stats").split("Remote Procedure Call statistics by message type")
    by_type, by_user = rest.split("Remote Procedure Call statistics by user")
    add_rpcs(samples, "dbd_rpc", "message_type", by_type)
    add_rpcs(samples, "dbd_user_rpc", "user", by_user)
    own = rollups.partition("\nCluster '")[0]
    for trigger, words in ("slurmdbd", "Internal DBD rollup"), ("request", "User RPC rollup call"):
        if last_run := re.search(rf"{words} last ran .*\((\d+)\)\n\s*Last cycle:\s*(\d+)", own):
            samples.put("dbd_rollup_timestamp_seconds", int(last_run[1]), trigger=trigger)
            samples.put("dbd_rollup_seconds", int(last_run[2]) * MICROSECONDS, trigger=trigger)


def reserved_cpus(slurm, reservations):
    """CPUs that running jobs hold, by reservation. A job that asked for several is in those that have begun and have all of its
    nodes, or, if there is none, in each. `squeue -R` knows a job only by all that it asked for."""
    rows = [line.split("|") for line in slurm.run("squeue", "-h", "-r", "-a", "-t", "running", "-o", "%v|%N|%C").splitlines()]
    begun = {one["ReservationName"]: one["Nodes"] for one in reservations if one["State"] == "ACTIVE"}
    names = host_names(slurm, [*begun.values(), *(nodes for _, nodes, _ in rows)])
    cpus = Counter()
    for asked, nodes, count in rows:
        several = asked.split(",")
        held = set(names.get(nodes, ()))
        inside = [name for name in several if name in begun and held <= set(names.get(begun[name], ()))]
        for name in inside if several[1:] and inside else several:
            cpus[name] += int(count)
    return cpus


def add_reservations(slurm, samples):
    reservations = [each for each in slurm.records("reservation") if "ReservationName" in each]
    allocated = reserved_cpus(slurm, reservations)
    for reservation in reservations:
        name = {"reservation": reservation["ReservationName"]}
        partition = reservation["PartitionName"].replace("(null)", "")
        samples.put("reservation_info", 1, flags=reservation["Flags"], partition=partition, **name)
        samples.put("reservation_start_timestamp_seconds", int(reservation["StartTime"]), **name)
        samples.put("reservation_end_timestamp_seconds", int(reservation["EndTime"]), **name)
        samples.put("reservation_nodes", int(reservation["NodeCnt"]), **name)
        samples.put("reservation_cpus", int(tres(reservation["TRES"]).get("cpu", 0)), **name)
        samples.put("reservation_active", reservation["State"] == "ACTIVE", **name)
        samples.put("reservation_cpus_allocated", allocated[name["reservation"]], **name)


def add_licenses(slurm, samples):
    for line in slurm.records("license"):
        if "LicenseName" not in line:  # there are none, which it says in words
            continue
        name = {"license": line["LicenseName"]} | ({"nodes": line["Nodes"]} if line.get("Nodes") else {})
        samples.put("licenses_configured", int(line["Total"]), **name)
        for state in ("used", "free", "reserved"):
            samples.put("licenses", int(line[state.capitalize()]), state=state, **name)
