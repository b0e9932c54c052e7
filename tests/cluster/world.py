#!/usr/bin/env python3
"""What a seed draws of a Slurm that is not like ours: configuration, accounts and jobs, as the shell variables that profile_world.sh
reads.

    world.py SEED RELEASE PORT

    cn01-04   4 cores each: partition cpu                sp01     something may be set aside for the system
    gn01-02   GPUs, if there are any: partition gpu      bn01-02  partition busy, where jobs come and go (stir in workload.sh)
    dead1-2, cloud1-2, fut1-2                            without a slurmd
"""

import random
import re
import shlex
import sys
from collections import defaultdict
from typing import NamedTuple

NODES = "cn01 cn02 cn03 cn04 sp01 gn01 gn02 bn01 bn02".split()
USERS = "alice bob carol dave erin frank grace heidi ivan judy kim nina".split()


class Axis(NamedTuple):
    """`values`: what each adds to the parts of a world. What `needs` something that was not drawn gives way to the first."""
    name: str
    least: int  # how many of its values are drawn
    most: int
    values: dict
    chances: list = None


def one_of(name, values, chances=None):
    return Axis(name, 1, 1, values, chances)


def conf(*lines):
    """Of slurm.conf. An option without a value is taken away."""
    return {"conf": list(lines)}


def option(name, *values):
    return {value: conf(f"{name}={value}") for value in values}


def gpus(*kinds):
    """Four GPUs a node, of these types: what is written, and how jobs ask for them."""
    each = 4 // len(kinds)
    names = [f"gpu:{kind}" if kind else "gpu" for kind in kinds]
    return {"gres types": ["gpu"], "gn": [f"{name}:{each}" for name in names],
            "gres": [f"NodeName=gn[01-02] Name=gpu {kind and f'Type={kind} '}File=/dev/gpu[{i * each}-{(i + 1) * each - 1}]"
                     for i, kind in enumerate(kinds)],
            "typed": [f"gres/gpu:{kind}" for kind in kinds if kind],
            "ask gpu": [*(f"--gres={name}:{count}" for name in names for count in (1, 2)), "--gres=gpu:1", "--gpus=2",
                        "-n2 --gpus-per-task=1", "-N2 --gpus-per-node=1", *(f"--gpus={kind}:1" for kind in kinds if kind)]}


def gres(name, count, *asks, flags="", needs=None):
    """One without files."""
    return {"needs": needs, "gres types": [name], "gn": [f"{name}:{flags}{count}"],
            "gres": [f"NodeName=gn[01-02] Name={name} Count={count}"], "ask gpu": [f"--gres={name}:{ask}" for ask in asks]}


def more_nodes(names, ports, state=""):
    return f"NodeName={names} {{host}} Port=[{ports}] CPUs=4 CoresPerSocket=4 RealMemory=16000{state}"


def partition(line, is_asked=True):
    return conf(f"PartitionName={line}") | {"partitions": [line.split()[0]] if is_asked else []}


def reservation(name, what, start="now", duration="1-0"):
    return f"scontrol create reservation reservationname={name} starttime={start} duration={duration} {what}"


AXES = (
    one_of("gpus", {"none": {}, "untyped": gpus(""), "4090": gpus("4090"), "80G": gpus("80G"), "1g.10gb": gpus("1g.10gb"),
                    "two": gpus("a100", "3090"), "two_numbers": gpus("2080", "4090")}),
    one_of("shard", {"no": {}, "8": gres("shard", 8, 1, 3, needs="shared gres"), "mps": gres("mps", 400, 50, needs="shared gres")}),
    Axis("more_gres", 0, 2, {"nic": gres("nic", 2, 1), "no_consume": gres("lustre", "4G", "1G", flags="no_consume:")}),
    one_of("tracked", {"nothing": {}, "gpu": {"needs": "gpus", "tres": ["gres/gpu"]},
                       "typed": {"needs": "gpus", "tres": ["gres/gpu", "typed"]},
                       "shard": {"needs": "shard", "tres": ["gres/gpu", "gres/shard"]}}),
    one_of("select", option("SelectTypeParameters", "CR_CPU", "CR_CPU_Memory", "CR_Core", "CR_Core_Memory", "CR_Socket", "CR_Socket_Memory",
                            "CR_Core_Memory,CR_ONE_TASK_PER_CORE") | {"linear": conf("SelectType=select/linear", "SelectTypeParameters=CR_Memory")}),
    one_of("threads", {"1": {"cn": ["CPUs=4 CoresPerSocket=4"]}, "2": {"cn": ["CPUs=8 CoresPerSocket=4 ThreadsPerCore=2"]}}),
    one_of("aside", {"nothing": {}, "cores": {"sp": ["CoreSpecCount=1"]}, "memory": {"sp": ["MemSpecLimit=1500"]},
                     "cpus": {"sp": ["CpuSpecList=0,1 MemSpecLimit=700"]}}),
    one_of("shared", {share: {"default": [f"OverSubscribe={share}"]} for share in ("NO", "FORCE:4", "YES:2", "EXCLUSIVE")}),
    one_of("preempt", {"none": conf("PreemptType=preempt/none", "PreemptMode=OFF"), "qos": {"needs": "accounts"},
                       **{word: conf("PreemptType=preempt/partition_prio", f"PreemptMode={mode}") for word, mode in
                          (("requeue", "REQUEUE"), ("suspend", "SUSPEND,GANG"), ("cancel", "CANCEL"))}}),
    one_of("sched", option("SchedulerType", "sched/backfill", "sched/builtin")),
    one_of("priority", option("PriorityType", "priority/multifactor", "priority/basic")),
    one_of("max_array", option("MaxArraySize", "1001", "10001", "100001")),
    one_of("min_job_age", option("MinJobAge", "10", "300", "3600")),
    one_of("first_job", option("FirstJobId", "1", "60000000")),
    Axis("nodes", 0, 5, {
        "cloud": {"nodes": [more_nodes("cloud[1-2]", "{22}-{23}", " State=CLOUD")], "conf": ["PartitionName=cloud Nodes=cloud[1-2]"],
                  "steps": ["node cloud2 state=power_up"], "jobs": ["sleeper bob -p cloud -N1 -w cloud1 -n1"]},
        "future": {"nodes": [more_nodes("fut[1-2]", "{24}-{25}", " State=FUTURE")]},
        "dead": {"nodes": [more_nodes("dead[1-2]", "{20}-{21}")], "conf": ["PartitionName=dead Nodes=dead[1-2],cn04"],
                 "steps": ["node dead2 state=down reason='no power'"]},
        "drained": {"steps": ["node cn04 state=drain reason='bad DIMM'"]},
        "failing": {"steps": ["node gn02 state=fail reason=fan"]},
        "dynamic": {"needs": "cons_tres", "conf": ["MaxNodeCount=40"], "steps": [f"scontrol create nodename=dyn{i} cpus=4 realmemory=16000 state={state}"
                                                           for i, state in ((1, "cloud"), (2, "future"), (3, "cloud"))]
                    + ["scontrol delete nodename=dyn3"]},
        "down": {"steps": ["node cn03 state=down reason='broken, \"ticket\" #7'"]}}),
    Axis("reservations", 0, 4, {
        "overlapping": {"steps": [reservation("ra", "nodes=cn01,cn02 users=alice,bob flags=overlap"),
                                  reservation("rb", "nodes=cn02,cn03 users=alice,bob flags=overlap")],
                        "jobs": ["long alice -n1 --reservation=ra,rb", "long bob -N2 --reservation=rb,ra",
                                 "long bob -n1 --reservation=rb"]},
        "maintenance": {"steps": [reservation("maint_1", "nodes=gn02 users=root flags=maint,ignore_jobs")]},
        "later": {"steps": [reservation("Later", "nodes=cn01 users=kim", "now+5days", "4:00:00")],
                  "jobs": ["long kim --reservation=Later -n1"]},
        "seats": {"needs": "licences", "steps": [reservation("seats", "licenses=matlab:2 users=leo flags=any_nodes")]}}),
    Axis("partitions", 0, 6, {
        "other": partition("other Nodes=cn[01-02],gn01 PriorityTier=5"),
        "Big_Mem": partition("Big_Mem Nodes=cn[03-04],sp01 PriorityTier=30"),
        "hidden": partition("hidden Nodes=sp01 Hidden=YES"), "empty": partition("empty", is_asked=False),
        "down": partition("down Nodes=cn03 State=DOWN"), "all": partition("all Nodes=ALL"),
        "x86_64": partition("x86_64 Nodes=sp01,bn01 RootOnly=NO MaxTime=2-0")}),
    Axis("features", 0, 1, {"two": {"cn": ["Feature=fast,ib_hdr"], "ask quoted": ["-C fast", "-C 'fast&ib_hdr'", "-C '[fast|slow]'"]}}),
    one_of("licences", {"none": conf("Licenses="),
                        "two": {"conf": ["Licenses=matlab:10,a_B-1:4"], "ask": ["-L matlab:1", "-L a_B-1:2,matlab:1"],
                                "ask quoted": ["-L 'matlab:1|a_B-1:1'", "-L ansys@flexlm:2"]}}),
    one_of("accounts", {"many": {}, "few": {}, "none": {}}, [2, 1, 1]),  # see profile_world.sh
    # Where QOS have limits, no command tells which of several QOS a job is charged to (SLURMRESTD.md, "Limits").
    one_of("qos", {"one": {}, "several": {"needs": "few accounts", "kinds": 3 * ["long U -p P A --qos=normal,short"]}}),
    one_of("topology", {"default": {}, "tree": conf("TopologyPlugin=topology/tree") | {"needs": "cons_tres", "topology": [
        "SwitchName=leaf1 Nodes=cn[01-04],sp01", "SwitchName=leaf2 Nodes=gn[01-02],bn[01-02]", "SwitchName=root Switches=leaf[1-2]"]},
        "block": conf("TopologyPlugin=topology/block") | {"needs": "23.11", "topology": [
            "BlockName=b1 Nodes=cn[01-04]", "BlockName=b2 Nodes=gn[01-02],bn[01-02]", "BlockSizes=4"]}}),
    # Who sees all there may ask for all.
    one_of("private", {"nothing": {}, "all": conf("PrivateData=accounts,cloud,jobs,nodes,partitions,reservations,usage,users")
                       | {"needs": "accounts", "sacctmgr": ["add user scope account={account} adminlevel=operator"]}}),
    one_of("clusters", {"one": {}, "two": {"needs": "accounts", "sacctmgr": [
        "add cluster elsewhere", "add account Far cluster=elsewhere", "add user alice,root account=Far cluster=elsewhere",
        "add qos far_1 MaxJobsPerUser=1", "modify user alice where cluster=elsewhere set GrpJobs=7"]}}),
)

# How jobs ask for CPUs and memory.
ASKS = ("-n1", "-n1", "-n2", "-N1 -c2", "-N2", "-n1 --mem=300", "-n2 --mem-per-cpu=100", "-n1 --exclusive", "-n1 --nice=50", "-n1 --mem=0",
        "-n3 --ntasks-per-node=1")
# What they are, as commands of workload.sh that print an ID: A is how they ask, U a user, P and Q are partitions.
KINDS = 6 * ("long U -p P A",) + (
    "long U -p P,Q A", "long U -p P A --hold", "long U -p P A --begin=now+2days", "long U -p P -n1 --array=0-N%2",
    "long U -p P -n1 --array=1-N:3 --hold", "long U -p P -n1 : -p Q -n1", "long U -p P A -d afterany:$id",
    "long U -p P A -d afterok:$failed", "submit U -p P -n1 --time=5 --wrap true", "submit U -p P -n1 --time=5 --wrap 'exit 3'",
    "long U -p P A --qos=short --time=9", "nameless -p P A",
    "long U -p P A --comment='a \"b\" \\\\' --job-name='we\"ird {a=b}, #x é'", "long U -p P A --deadline=now+9days",
    "submit U -p P -n1 --time=5 --array=1-3 --wrap 'kill -9 $$'")
DONE_TO_RUNNING = ("scontrol suspend", "scontrol requeue", "scontrol requeuehold", "inside scancel", "shrink")
JOBS = 40


class World:
    def __init__(self, seed, release):
        self.random, self.parts = random.Random(seed), defaultdict(list)
        drawn = {}
        for axis in AXES:
            own = random.Random(f"{seed} {axis.name}")  # so that a new axis leaves the others as they are
            count = own.randint(axis.least, min(axis.most, len(axis.values)))
            drawn[axis.name] = own.sample(list(axis.values), count, counts=axis.chances)
        has_gpus = drawn["gpus"] != ["none"]
        has_shared = has_gpus and drawn["select"] != ["linear"]  # slurmctld refuses these together
        has = {None: True, "gpus": has_gpus, "cons_tres": drawn["select"] != ["linear"], "shared gres": has_shared, "shard": has_shared and drawn["shard"] == ["8"],
               "accounts": drawn["accounts"] != ["none"], "few accounts": drawn["accounts"] == ["few"],
               "licences": drawn["licences"] != ["none"], "23.11": release >= "23.11"}
        self.drawn = {axis.name: [value for value in drawn[axis.name] if has[axis.values[value].get("needs")]]
                      or list(axis.values)[:axis.least] for axis in AXES}
        for axis in AXES:
            for value in self.drawn[axis.name]:
                for part, more in axis.values[value].items():
                    if part != "needs":
                        self.parts[part] += more

    def slurm_conf(self, port):
        parts, host = self.parts, "NodeHostname=controller NodeAddr=127.0.0.1"
        tres = [name for entry in parts["tres"] for name in (parts["typed"] if entry == "typed" else [entry])]
        of_gpus = f" Gres={','.join(parts['gn'])}" if parts["gn"] else ""
        yield f"GresTypes={','.join(parts['gres types'])}"
        yield f"AccountingStorageTRES={','.join(tres)}"
        yield "SchedulerTimeSlice=65533"  # else gangs take turns all the time
        yield from (line for line in parts["conf"] if not line.startswith("Partition"))
        yield "NodeName=DEFAULT Boards=1 SocketsPerBoard=1 ThreadsPerCore=1"
        for line in (
                f"NodeName=cn[01-04] {{host}} Port=[{{11}}-{{14}}] {' '.join(parts['cn'])} RealMemory=16000",
                "NodeName=sp01 {host} Port={15} CPUs=16 SocketsPerBoard=2 CoresPerSocket=4 ThreadsPerCore=2 RealMemory=32000 "
                + " ".join(parts["sp"]),
                f"NodeName=gn[01-02] {{host}} Port=[{{16}}-{{17}}] CPUs=8 CoresPerSocket=8 RealMemory=64000{of_gpus}",
                "NodeName=bn[01-02] {host} Port=[{18}-{19}] CPUs=8 CoresPerSocket=8 RealMemory=16000", *parts["nodes"]):
            yield line.format(*range(port, port + 30), host=host)
        yield f"PartitionName=DEFAULT {' '.join(parts['default'])}"
        yield "PartitionName=cpu Nodes=cn[01-04],sp01 Default=YES PriorityTier=10"
        yield "PartitionName=gpu Nodes=gn[01-02] PriorityTier=20"
        yield "PartitionName=busy Nodes=bn[01-02]"
        yield from (line for line in parts["conf"] if line.startswith("Partition"))

    def jobs(self):
        draw, parts = self.random, self.parts
        gpus = parts["ask gpu"]
        if self.drawn["select"] == ["linear"]:  # it takes the other options, and gives no GPUs
            gpus = [ask for ask in gpus if ask.startswith("--gres")]
        partitions = ["cpu", "cpu", "cpu", "gpu", "gpu", *parts["partitions"]]
        yield from parts["jobs"]
        for _ in range(JOBS):
            first, second = draw.choice(partitions), draw.choice(partitions)
            asks = [*ASKS, *parts["ask"], *parts["ask quoted"], *(2 * gpus if first == "gpu" else [])]
            kind = draw.choice([*KINDS, *parts["kinds"]])
            words = {"U": draw.choice(USERS), "P": first, "Q": second, "A": draw.choice(asks), "N": str(draw.choice((5, 40, 900)))}
            yield re.sub(r"\b[UPQAN]\b", lambda match: words[match[0]], kind)

    def shell(self, port):
        yield "nodes", NODES
        yield "world_conf", self.slurm_conf(port)
        yield "world_gres", ["AutoDetect=off", *self.parts["gres"]] if self.parts["gres"] else [""]
        yield "world_accounts", self.drawn["accounts"]
        yield "world_tracks_gpus", ["yes"] if self.parts["tres"] else [""]
        yield "world_topology", self.parts["topology"]
        yield "world_sacctmgr", [line.format(account={"many": "unused"}.get(self.drawn["accounts"][0], "Bio_1"))
                                 for line in self.parts["sacctmgr"]]
        yield "world_steps", self.parts["steps"]
        yield "world_jobs", self.jobs()
        yield "world_done_to_running", [f"{self.random.choice(DONE_TO_RUNNING)} {self.random.randint(1, 12)}" for _ in range(4)]
        yield "world_asks", ["", "", "--mem=50", "-n2", *self.parts["ask"]]

    def __str__(self):
        return " ".join(f"{axis}={','.join(values) or '-'}" for axis, values in self.drawn.items())


def main():
    seed, release, port = sys.argv[1:]
    world = World(seed, release)
    print(f"# {world}")
    for name, values in world.shell(int(port)):
        print(f"{name}=({' '.join(map(shlex.quote, values))})")


if __name__ == "__main__":
    main()
