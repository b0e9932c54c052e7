#!/usr/bin/env python3
"""What a seed draws of a Slurm that is not like ours: configuration, accounts and jobs, as the shell variables that profile_world.sh
reads.

    world.py SEED RELEASE PORT

    cn01-04   4 cores each: partition cpu           sp01    something may be set aside for the system
    gn01-02   GPUs, if there are any: partition gpu bn01-02 partition busy, where jobs come and go (see stir in workload.sh)
    dead1-2, cloud1-2, fut1-2                       without a slurmd
"""

import random
import shlex
import sys
from collections import defaultdict
from typing import NamedTuple

NODES = "cn01 cn02 cn03 cn04 sp01 gn01 gn02 bn01 bn02".split()
USERS = "alice bob carol dave erin frank grace heidi ivan judy kim nina".split()


def gpus(*kinds):
    """Four GPUs a node, of these types: what is written, and how jobs ask for them."""
    each = 4 // len(kinds)
    names = [f"gpu:{kind}" if kind else "gpu" for kind in kinds]
    return {
        "GresTypes": ["gpu"], "gn": [f"{name}:{each}" for name in names],
        "gres": [f"NodeName=gn[01-02] Name=gpu {kind and f'Type={kind} '}File=/dev/gpu[{i * each}-{(i + 1) * each - 1}]"
                 for i, kind in enumerate(kinds)],
        "typed": [f"gres/gpu:{kind}" for kind in kinds if kind],
        "ask gpu": [*(f"--gres={name}:{count}" for name in names for count in (1, 2)), "--gres=gpu:1", "--gpus=2", "-n2 --gpus-per-task=1",
                    "-N2 --gpus-per-node=1", *(f"--gpus={kind}:1" for kind in kinds if kind)]}


def partition(line, ask=True, **more):
    return {"conf": [f"PartitionName={line}"], "partitions": [line.split()[0]] if ask else []} | more


def prio(mode):
    return {"conf": ["PreemptType=preempt/partition_prio", f"PreemptMode={mode}"]}


class Axis(NamedTuple):
    name: str
    least: int
    most: int  # so many of its values are drawn
    values: dict  # value: {what it adds to: what is added}


def conf(option, *values):
    return {value: {"conf": [f"{option}={value}"]} for value in values}


AXES = (
    Axis("gpus", 1, 1, {"none": {}, "untyped": gpus(""), "4090": gpus("4090"), "80G": gpus("80G"), "1g.10gb": gpus("1g.10gb"),
                        "two": gpus("a100", "3090"), "two_numbers": gpus("2080", "4090")}),
    Axis("shard", 1, 1, {"no": {}, "8": {"needs": "shared gres", "GresTypes": ["shard"], "gn": ["shard:8"],
                                         "gres": ["NodeName=gn[01-02] Name=shard Count=8"], "ask gpu": ["--gres=shard:1", "--gres=shard:3"]},
                        "mps": {"needs": "shared gres", "GresTypes": ["mps"], "gn": ["mps:400"], "gres": ["NodeName=gn[01-02] Name=mps Count=400"],
                                "ask gpu": ["--gres=mps:50"]}}),
    Axis("more_gres", 0, 2, {"nic": {"GresTypes": ["nic"], "gn": ["nic:2"], "gres": ["NodeName=gn[01-02] Name=nic Count=2"], "ask gpu": ["--gres=nic:1"]},
                             "no_consume": {"GresTypes": ["lustre"], "gn": ["lustre:no_consume:4G"],
                                            "gres": ["NodeName=gn[01-02] Name=lustre Count=4G"], "ask gpu": ["--gres=lustre:1G"]}}),
    Axis("tracked", 1, 1, {"nothing": {}, "gpu": {"needs": "gpus", "tres": ["gres/gpu"]},
                           "typed": {"needs": "gpus", "tres": ["gres/gpu", "typed"]},
                           "shard": {"needs": "shard", "tres": ["gres/gpu", "gres/shard"]}}),
    Axis("select", 1, 1, conf("SelectTypeParameters", "CR_CPU", "CR_CPU_Memory", "CR_Core", "CR_Core_Memory", "CR_Socket", "CR_Socket_Memory", "CR_Memory") |
         {"linear": {"conf": ["SelectType=select/linear", "SelectTypeParameters=CR_Memory"]}}),
    Axis("threads", 1, 1, {"1": {"cn": ["CPUs=4 CoresPerSocket=4"]}, "2": {"cn": ["CPUs=8 CoresPerSocket=4 ThreadsPerCore=2"]}}),
    Axis("aside", 1, 1, {"nothing": {}, "cores": {"sp": ["CoreSpecCount=1"]}, "memory": {"sp": ["MemSpecLimit=1500"]},
                         "cpus": {"sp": ["CpuSpecList=0,1 MemSpecLimit=700"]}}),
    Axis("shared", 1, 1, {share: {"default": [f"OverSubscribe={share}"]} for share in ("NO", "FORCE:4", "YES:2", "EXCLUSIVE")}),
    Axis("preempt", 1, 1, {"none": {"conf": ["PreemptType=preempt/none", "PreemptMode=OFF"]}, "qos": {"needs": "accounts"},
                           "requeue": prio("REQUEUE"), "suspend": prio("SUSPEND,GANG"), "cancel": prio("CANCEL")}),
    Axis("sched", 1, 1, conf("SchedulerType", "sched/backfill", "sched/builtin")),
    Axis("priority", 1, 1, conf("PriorityType", "priority/multifactor", "priority/basic")),
    Axis("max_array", 1, 1, conf("MaxArraySize", "1001", "10001", "100001")),
    Axis("min_job_age", 1, 1, conf("MinJobAge", "10", "300", "3600")),
    Axis("first_job", 1, 1, conf("FirstJobId", "1", "60000000")),
    Axis("nodes", 0, 5, {
        "cloud": {"nodes": ["NodeName=cloud[1-2] {host} Port=[{22}-{23}] CPUs=4 CoresPerSocket=4 RealMemory=16000 State=CLOUD"],
                  "conf": ["PartitionName=cloud Nodes=cloud[1-2]"], "steps": ["node cloud2 state=power_up"],
                  "jobs": ["sleeper bob -p cloud -N1 -w cloud1 -n1"]},
        "future": {"nodes": ["NodeName=fut[1-2] {host} Port=[{24}-{25}] CPUs=4 CoresPerSocket=4 RealMemory=16000 State=FUTURE"]},
        "dead": {"nodes": ["NodeName=dead[1-2] {host} Port=[{20}-{21}] CPUs=4 CoresPerSocket=4 RealMemory=16000"],
                 "conf": ["PartitionName=dead Nodes=dead[1-2],cn04"], "steps": ["node dead2 state=down reason='no power'"]},
        "drained": {"steps": ["node cn04 state=drain reason='bad DIMM'"]},
        "failing": {"steps": ["node gn02 state=fail reason=fan"]},
        "down": {"steps": ["node cn03 state=down reason='broken, \"ticket\" #7'"]}}),
    Axis("reservations", 0, 4, {
        "overlapping": {"steps": [f"scontrol create reservation reservationname={name} starttime=now duration=1-0 nodes={nodes} "
                                  "users=alice,bob flags=overlap" for name, nodes in (("ra", "cn01,cn02"), ("rb", "cn02,cn03"))],
                        "jobs": [f"long {user} {ask}" for user, ask in (("alice", "-n1 --reservation=ra,rb"), ("bob", "-N2 --reservation=rb,ra"),
                                                                         ("bob", "-n1 --reservation=rb"))]},
        "maintenance": {"steps": ["scontrol create reservation reservationname=maint_1 starttime=now duration=1-0 nodes=gn02 users=root flags=maint,ignore_jobs"]},
        "later": {"steps": ["scontrol create reservation reservationname=Later starttime=now+5days duration=4:00:00 nodes=cn01 users=kim"],
                  "jobs": ["long kim --reservation=Later -n1"]},
        "seats": {"needs": "licences", "steps": ["scontrol create reservation reservationname=seats starttime=now duration=1-0 licenses=matlab:2 users=leo flags=any_nodes"]}}),
    Axis("partitions", 0, 6, {
        "other": partition("other Nodes=cn[01-02],gn01 PriorityTier=5"), "Big_Mem": partition("Big_Mem Nodes=cn[03-04],sp01 PriorityTier=30"),
        "hidden": partition("hidden Nodes=sp01 Hidden=YES"), "empty": partition("empty", ask=False),
        "down": partition("down Nodes=cn03 State=DOWN"), "all": partition("all Nodes=ALL"), "x86_64": partition("x86_64 Nodes=sp01,bn01 RootOnly=NO MaxTime=2-0")}),
    Axis("features", 0, 1, {"two": {"cn": ["Feature=fast,ib_hdr"], "ask quoted": ["-C fast", "-C 'fast&ib_hdr'", "-C '[fast|slow]'"]}}),
    Axis("licences", 1, 1, {"none": {"conf": ["Licenses="]}, "two": {"conf": ["Licenses=matlab:10,a_B-1:4"], "ask": ["-L matlab:1", "-L a_B-1:2,matlab:1"]}}),
    Axis("accounts", 1, 1, {"many": {}, "many_": {}, "few": {"few": ["yes"]}, "none": {}}),
)

# How jobs ask for CPUs and memory.
ASKS = ("-n1", "-n1", "-n2", "-N1 -c2", "-N2", "-n1 --mem=300", "-n2 --mem-per-cpu=100", "-n1 --exclusive", "-n1 --nice=50", "-n1 --mem=0", "-n3 --ntasks-per-node=1")
# What they are, by kind: A is how they ask, U a user, P and Q are partitions.
KINDS = {
    **{f"long{i}": "long {U} -p {P} {A}" for i in range(6)}, "several": "long {U} -p {P},{Q} {A}", "held": "long {U} -p {P} {A} --hold",
    "later": "long {U} -p {P} {A} --begin=now+2days", "array": "long {U} -p {P} -n1 --array=0-{N}%2",
    "array_held": "long {U} -p {P} -n1 --array=1-{N}:3 --hold", "het": "long {U} -p {P} -n1 : -p {Q} -n1", "dependent": "long {U} -p {P} {A} -d afterany:$id",
    "never": "long {U} -p {P} {A} -d afterok:$failed", "ended": "submit {U} -p {P} -n1 --time=5 --wrap true",
    "failed": "submit {U} -p {P} -n1 --time=5 --wrap 'exit 3'",
    "named": "long {U} -p {P} {A} --comment='a \"b\" \\\\' --job-name='we\"ird {{a=b}}, #x é'", "deadline": "long {U} -p {P} {A} --deadline=now+9days",
    "killed": "submit {U} -p {P} -n1 --time=5 --array=1-3 --wrap 'kill -9 $$'"}
DONE_TO_RUNNING = ("scontrol suspend", "scontrol requeue", "scontrol requeuehold", "inside scancel")
JOBS = 40


class World:
    def __init__(self, seed, release, port):
        self.random, self.release, self.port = random.Random(seed), release, port
        self.parts = defaultdict(list)
        self.drawn = {}
        for axis in AXES:
            own = random.Random(f"{seed} {axis.name}")  # so that a new axis leaves the others as they are
            chosen = own.sample(list(axis.values), own.randint(axis.least, min(axis.most, len(axis.values))))
            self.drawn[axis.name] = [value.rstrip("_") for value in chosen]
        self.has = {"gpus": self.drawn["gpus"] != ["none"], "shard": self.drawn["shard"] == ["8"], "accounts": self.drawn["accounts"] != ["none"],
                    "licences": self.drawn["licences"] != ["none"]}
        self.has["shared gres"] = self.has["gpus"] and self.drawn["select"] != ["linear"]
        self.has["shard"] &= self.has["shared gres"]
        for axis in AXES:
            for value in list(self.drawn[axis.name]):
                self.take(axis, value)

    def take(self, axis, value):
        """A value that needs what was not drawn leaves its place to the first."""
        parts = axis.values[value]
        if not self.has.get(parts.get("needs"), True):
            self.drawn[axis.name].remove(value)
            if axis.least:
                value = next(iter(axis.values))
                self.drawn[axis.name].append(value)
                self.take(axis, value)
            return
        for name, more in parts.items():
            if name != "needs":
                self.parts[name] += more

    def slurm_conf(self):
        parts, host = self.parts, "NodeHostname=controller NodeAddr=127.0.0.1"
        tres = [name for entry in parts["tres"] for name in (parts["typed"] if entry == "typed" else [entry])]
        gres = f" Gres={','.join(parts['gn'])}" if parts["gn"] else ""
        yield f"GresTypes={','.join(parts['GresTypes'])}"
        yield f"AccountingStorageTRES={','.join(tres)}"
        yield "SchedulerTimeSlice=65533"  # else gangs take turns all the time
        yield from (line for line in parts["conf"] if not line.startswith("Partition"))
        yield "NodeName=DEFAULT Boards=1 SocketsPerBoard=1 ThreadsPerCore=1"
        yield f"NodeName=cn[01-04] {host} Port=[{self.port + 11}-{self.port + 14}] {' '.join(parts['cn'])} RealMemory=16000"
        yield f"NodeName=sp01 {host} Port={self.port + 15} CPUs=16 SocketsPerBoard=2 CoresPerSocket=4 ThreadsPerCore=2 RealMemory=32000 {' '.join(parts['sp'])}"
        yield f"NodeName=gn[01-02] {host} Port=[{self.port + 16}-{self.port + 17}] CPUs=8 CoresPerSocket=8 RealMemory=64000{gres}"
        yield f"NodeName=bn[01-02] {host} Port=[{self.port + 18}-{self.port + 19}] CPUs=8 CoresPerSocket=8 RealMemory=16000"
        for line in parts["nodes"]:
            yield line.replace("{host}", host).format(*(self.port + i for i in range(30)))
        yield f"PartitionName=DEFAULT {' '.join(parts['default'])}"
        yield "PartitionName=cpu Nodes=cn[01-04],sp01 Default=YES PriorityTier=10"
        yield "PartitionName=gpu Nodes=gn[01-02] PriorityTier=20"
        yield "PartitionName=busy Nodes=bn[01-02]"
        yield from (line for line in parts["conf"] if line.startswith("Partition"))

    def jobs(self):
        """Each is a command of workload.sh that prints its ID."""
        draw, parts = self.random, self.parts
        partitions = ["cpu", "cpu", "cpu", "gpu", "gpu", *parts["partitions"]]
        yield from parts["jobs"]
        for _ in range(JOBS):
            first, second = draw.choice(partitions), draw.choice(partitions)
            asks = [*ASKS, *parts["ask"], *parts["ask quoted"], *(2 * parts["ask gpu"] if first == "gpu" else [])]
            kind = draw.choice(list(KINDS))
            yield KINDS[kind].replace("$$", "\0").format(U=draw.choice(USERS), P=first, Q=second, A=draw.choice(asks), N=draw.choice((5, 40, 900))).replace("\0", "$$")

    def shell(self):
        yield "nodes", NODES
        yield "world_conf", list(self.slurm_conf())
        yield "world_gres", ["AutoDetect=off", *self.parts["gres"]] if self.parts["gres"] else [""]
        yield "world_accounts", self.drawn["accounts"]
        yield "world_tracks_gpus", ["yes"] if self.parts["tres"] else [""]
        yield "world_steps", self.parts["steps"]
        yield "world_jobs", list(self.jobs())
        yield "world_done_to_running", [f"{self.random.choice(DONE_TO_RUNNING)} {self.random.randint(1, 12)}" for _ in range(4)]
        yield "world_asks", ["", "", "--mem=50", "-n2", *self.parts["ask"]]

    def line(self):
        return " ".join(f"{axis}={','.join(values) or '-'}" for axis, values in self.drawn.items())


def main():
    seed, release, port = sys.argv[1:]
    world = World(seed, release, int(port))
    print(f"# {world.line()}")
    for name, values in world.shell():
        print(f"{name}=({' '.join(map(shlex.quote, values))})")


if __name__ == "__main__":
    main()
