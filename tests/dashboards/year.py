#!/usr/bin/env python3
"""A site that has lived for a year. It has days and nights, weekends, holidays, growth, an extension and two maintenances. Nodes and
GPUs fail, an account grows, storms of submissions come, and at last nodes are lost one by one. Jobs are simulated one by one, nodes by
their outages, and their families are written as slurmscope exports them. VictoriaMetrics takes them, a sample each five minutes.
vmalert evaluates the rules and alerts of a site that has prices and groups. Four more clusters are there for their last days.

    tests/dashboards/year.py FOLDER    makes the year's database in FOLDER, and says how large it is

`tests/dashboards/picture --year FOLDER` draws dashboards from it. SEED and END are fixed, so the year is the same each time."""

import argparse
import heapq
import itertools
import json
import math
import random
import time
import urllib.parse
import urllib.request
from collections import Counter, defaultdict, deque
from datetime import datetime, timezone
from pathlib import Path

import boards
from month import WELL, busy, poisson
from world import wait_until  # which knows where week finds what it needs
from week import DAY_S, HOUR_S, Victoria

SEED = "year"
END = datetime(2025, 11, 26, 15, tzinfo=timezone.utc).timestamp()  # A Wednesday.
TICK = 300  # From sample to sample.
WARM_S = 5 * DAY_S  # Before the first sample: the cluster is not empty then.
DETAIL_S = 45 * DAY_S  # Before the end users, groups and single nodes have rows.
RECORDS_S = 62 * DAY_S  # Before the end all rules are evaluated, those of capacity for the whole year.
ALERTS_S = 8 * DAY_S
FROM_NODES = {"slurm_jobs", "slurm_job_io", "slurm_gpus", "slurm_job_owners"}  # groups of rules that need exporters on nodes
# What the site sets.
OWN = """
  cost+: { prices: [
    { from: '2024-01-01', cpu: 0.02, gres: { 'gpu:a100': 0.9, 'gpu:h100': 2.4 } },
    { from: '2025-11-10', cpu: 0.025, gres: { 'gpu:a100': 0.9, 'gpu:h100': 2.2 } },
  ] },
  capacity+: { sizeGroup: 'size' },
  groups: [
    { name: 'app', by: [{ label: 'app', from: 'name', regex: '([a-z]+).*' }], metrics: ['jobs', 'cpus', 'gpus', 'ends', 'waits', 'runtimes', 'use'] },
    { name: 'size', by: [{ label: 'size', from: 'cpus' }], metrics: ['cpus', 'waits', 'use'] },
  ],
"""
# Partition: nodes; CPUs, GPUs, their type and the memory of a node. Then the part of its CPUs, or GPUs, that jobs ask for when the
# year begins. Last how much more of it when the year ends.
PARTITIONS = {"cpu": (240, 64, 0, "", 256, 0.58, 0.30), "bigmem": (16, 128, 0, "", 2048, 0.45, 0.05),
              "gpu": (40, 64, 4, "a100", 512, 0.62, 0.22), "h100": (12, 96, 8, "h100", 1024, 0.70, 0.0)}
EXTENSION = 200 * DAY_S, "cpu", 40  # when, and how many nodes more the partition has then
ACCOUNTS = {"physics": 10, "chemistry": 8, "genomics": 7, "materials": 6, "astro": 5, "engineering": 4, "medicine": 4, "economics": 1,
            "geology": 2, "linguistics": 1, "teaching": 1, "climate": 5}
GROWS = "climate", 4  # what it asks for when the year ends, of what it asked for first
USERS = 4  # of each account
APPS = {"gromacs": 5, "vasp": 4, "python": 4, "openfoam": 3, "nextflow": 3, "lammps": 2, "matlab": 1, "icon": 2}
GPU_APPS = {"train": 5, "gromacs": 2, "infer": 2, "python": 1}
QOS = {"normal": 8, "low": 2, "urgent": 1}
CPUS = {1: 8, 4: 8, 16: 10, 32: 8, 64: 10, 128: 6, 256: 3, 512: 1.5, 1024: 0.4}
GPUS = {1: 10, 2: 5, 4: 5, 8: 2, 16: 0.5}
LIMITS = [hours * HOUR_S for hours in (1, 4, 12, 24, 48)]
OUTCOMES = {"completed": 0.86, "failed": 0.07, "timeout": 0.03, "cancelled": 0.03, "out_of_memory": 0.01}
# Begins, ends: months and days. How much is submitted then, of what is usual.
HOLIDAYS = (((12, 21), (12, 32), 0.3), ((1, 1), (1, 5), 0.4), ((4, 17), (4, 21), 0.5), ((8, 4), (8, 24), 0.7))
MAINTENANCES = tuple((END - days * DAY_S - 9 * HOUR_S, 10 * HOUR_S) for days in (230, 48))
STORMS = tuple(END - days * DAY_S + hours * HOUR_S for days, hours in ((330, 0), (270, 5), (190, 8), (120, -3), (60, 0), (20, 4), (2, -6)))
STORM_JOBS = 1500
# Days before the end, the partition, and hours. From then on a node is drained every 30 hours, and stays out.
LOSS = 24, "cpu", 30
# Outages: how many a node has in a year, kind, cause, reason, and who says so. Then the hours that they last at least, and the mean
# of an exponential that comes on top.
OUTAGES = {"": ((0.5, "down", "not_responding", "Not responding", "slurm", 0.3, 3), (0.3, "down", "unexpected_reboot", "Node unexpectedly rebooted", "slurm", 0.2, 2),
                (0.5, "drained", "memory", "mcelog: corrected memory errors", "root", 4, 40), (0.4, "drained", "file_system", "NHC: check_fs_mount: /scratch not mounted", "root", 0.3, 4),
                (0.6, "drained", "job_failure", "Kill task failed", "root", 0.3, 6), (0.15, "drained", "other", "firmware of the board, see ticket", "anna", 6, 60)),
           "gpu": ((2.0, "drained", "gpu", "dcgm: Xid 79, GPU has fallen off the bus", "root", 1, 30),)}
LOST = "memory", "mcelog: uncorrected memory errors, no spare part", "anna"
WAITS = (1, 10, 60, 300, 900, 1800, 3600, 7200, 14400, 28800, 86400, 172800, 604800, 2592000)
OWNER_WAITS = (60, 900, 3600, 14400, 86400, 604800)
OUTAGE_LENGTHS = (60, 300, 900, 3600, 10800, 21600, 43200, 86400, 259200, 604800, 2592000)
SCAN = 300  # jobs of a queue that the scheduler looks at
NEVER = math.inf


def holiday(moment):
    day = moment.month, moment.day
    return next((factor for begin, end, factor in HOLIDAYS if begin <= day < end), 1)


def size_of(cpus):
    """Of a group by size: from a power of two to the next."""
    low = 1 << (cpus.bit_length() - 1)
    return str(low) if low == 1 else f"{low}-{2 * low - 1}"


class Job:
    __slots__ = ("account", "app", "cpus", "eligible", "end", "gpus", "limit", "memory", "partition", "qos", "run", "start", "state", "submit", "user")


class Partition:
    def __init__(self, name, scale):
        nodes, self.cpus, self.gpus, self.type, memory, self.load, self.more = PARTITIONS[name]
        self.name, self.nodes, self.memory = name, max(1, round(nodes * scale)), memory * 2**30
        self.held = self.held_gpus = self.held_memory = self.waited = self.waited_gpus = 0
        self.queue, self.out, self.later = deque(), {}, 0
        self.submitted = 0

    def unit(self):
        """How many of what it is there for."""
        return self.nodes * (self.gpus or self.cpus)


class Site:
    """One cluster. `row(family, labels...)` is the present value of a series; `rows` are those of each tick since they were taken."""

    def __init__(self, name, scale=1, days=365, version="25.11.3", silent_s=0, down_s=0, maintenances=MAINTENANCES):
        """`silent_s`, `down_s`: for so long before the end it has not been read, and its slurmctld has not answered."""
        self.version, self.until, self.down_from = version, END - silent_s, END - down_s if down_s else NEVER
        self.maintenances = [one for one in maintenances if one[0] > END - days * DAY_S]
        self.name, self.random = name, random.Random(f"{SEED} {name}")
        self.begin, self.detail = END - days * DAY_S, max(END - DETAIL_S, END - days * DAY_S)
        self.partitions = {one: Partition(one, scale) for one in PARTITIONS}
        self.users = {account: [f"{account[:3]}{number}" for number in range(USERS)] for account in ACCOUNTS}
        self.efficiency = {user: self.random.betavariate(6, 2) for users in self.users.values() for user in users}
        self.running, self.waking, self.events = [], [], []  # heaps
        self.order = itertools.count()
        self.now, self.rows, self.times = {}, [], []
        self.jobs, self.outages = [], []  # the truth
        self.ended_lately, self.week, self.messages = deque(), 1.0, 20.0
        self.rates = {one.name: self.rate(one) for one in self.partitions.values()}
        for partition in self.partitions.values():
            partition.down = {}
            for what in (*OUTAGES[""], *(OUTAGES["gpu"] if partition.gpus else ())):
                self.plan_outage(partition, what, self.begin - WARM_S)

    # What happens.

    def draw(self, partition):
        """CPUs, GPUs, and how long a job runs."""
        run = min(self.random.lognormvariate(math.log(2.5 * HOUR_S), 1.2), 47 * HOUR_S)
        if partition.gpus:
            gpus = self.random.choices(list(GPUS), GPUS.values())[0]
            return gpus * partition.cpus // partition.gpus // self.random.choice((1, 1, 2)), gpus, run
        return min(self.random.choices(list(CPUS), CPUS.values())[0], partition.cpus * partition.nodes // 4), 0, run

    def rate(self, partition):
        """Jobs a second that would hold all of it."""
        asked = [self.draw(partition) for _ in range(20_000)]
        return partition.unit() / (sum((gpus or cpus) * run for cpus, gpus, run in asked) / len(asked))

    def at(self, when, what, *arguments):
        heapq.heappush(self.events, (when, next(self.order), what, arguments))

    def plan_outage(self, partition, what, after):
        a_year = what[0] * partition.nodes
        self.at(after + self.random.expovariate(a_year / (365 * DAY_S)), self.node_out, partition, what)

    def node_out(self, at, partition, what):
        _, kind, cause, reason, user, least, more = what
        self.plan_outage(partition, what, at)
        self.outage(at, partition, kind, cause, reason, user, (least + self.random.expovariate(1 / more)) * HOUR_S)

    def outage(self, at, partition, kind, cause, reason, user, lasts):
        node = next((number for number in self.random.sample(range(partition.nodes), min(20, partition.nodes)) if number not in partition.out), None)
        if node is None:
            return
        draining = 0 if kind == "down" else min(self.random.expovariate(1 / (3 * HOUR_S)), lasts / 2)
        out = partition.out[node] = {"kind": "draining" if draining else kind, "cause": cause, "reason": reason, "user": user, "start": at, "node": f"{partition.name}{node + 1:03}"}
        self.transition(partition, "down" if kind == "down" else "drain")
        for kind_ in {kind, out["kind"]}:
            self.ends(partition, 0, kind_, cause)
        if draining:
            self.at(at + draining, self.drained, out)
        elif self.running:
            self.kill_on(at, partition)
        if cause == "unexpected_reboot":
            self.transition(partition, "reboot")
        if lasts < NEVER:
            self.at(at + lasts, self.node_back, partition, node)

    def drained(self, _, out):
        out["kind"] = "drained"

    def node_back(self, at, partition, node):
        out = partition.out.pop(node)
        self.transition(partition, "idle")
        self.outages.append((partition.name, out["kind"], out["cause"], out["start"], at))
        self.ends(partition, 1, out["kind"], out["cause"], at - out["start"])

    def ends(self, partition, number, kind, cause, lasted=0):
        """Outages that ended: there are series of 0 from the beginning of the first."""
        self.count("slurm_partition_node_outages_ended_total", number, partition=partition.name, kind=kind, cause=cause)
        self.observe("slurm_cluster_node_outage_duration_seconds", OUTAGE_LENGTHS, lasted, number, kind=kind, cause=cause)

    def transition(self, partition, to):
        self.count("slurm_cluster_node_transitions_total", 1, to=to)
        self.count("slurm_partition_node_transitions_total", 1, partition=partition.name, to=to)

    def kill_on(self, at, partition):
        """What ran on a node that is down: some job of the partition."""
        job = next((entry[2] for entry in self.random.sample(self.running, min(30, len(self.running))) if entry[2].partition is partition), None)
        if job and job.end > at:
            job.state, job.end = "node_fail", at
            heapq.heappush(self.running, (at, next(self.order), job))  # the entry of its old end finds it ended

    def lose(self, at, left):
        _, name, hours = LOSS
        cause, reason, user = LOST
        self.outage(at, self.partitions[name], "drained", cause, reason, user, NEVER)
        if left > 1:
            self.at(at + hours * HOUR_S, self.lose, left - 1)

    def maintain(self, at, until):
        for partition in self.partitions.values():
            for node in range(partition.nodes):
                if node not in partition.out:
                    partition.out[node] = {"kind": "maintenance", "cause": "reservation", "reason": "", "user": "", "start": at, "node": f"{partition.name}{node + 1:03}"}
                    self.at(until, self.node_back, partition, node)

    def extend(self, _):
        _, name, nodes = EXTENSION
        self.partitions[name].nodes += nodes

    def storm(self, at, _):
        for _ in range(STORM_JOBS // 24):
            self.submit(at, self.partitions["cpu"], "genomics", 4, 0, self.random.uniform(300, 2400))

    def submit(self, at, partition, account, cpus, gpus, run):
        job = Job()
        job.partition, job.account, job.cpus, job.gpus, job.run = partition, account, cpus, gpus, run
        job.user = self.random.choices(self.users[account], (8, 4, 2, 1))[0]
        names = GPU_APPS if gpus else APPS
        job.app = "icon" if account == "climate" and not gpus else self.random.choices(list(names), names.values())[0]
        job.memory = cpus * self.random.choice((2, 3, 4)) * 2**30
        job.limit = next(limit for limit in LIMITS if limit > run)
        if self.random.random() < 0.5:
            job.limit = min(4 * job.limit, LIMITS[-1])
        job.qos = self.random.choices(list(QOS), QOS.values())[0]
        job.state = self.random.choices(list(OUTCOMES), OUTCOMES.values())[0]
        if job.state == "timeout":
            job.run = job.limit
        elif job.state in ("failed", "cancelled"):
            job.run *= self.random.random()
        job.submit = job.eligible = at
        job.start = job.end = None
        partition.submitted += 1
        partition.waited += cpus
        partition.waited_gpus += gpus
        self.wait(job, 1)
        self.count("slurm_cluster_job_submissions_total", 1)
        self.count("slurm_partition_job_submissions_total", 1, partition=partition.name)
        if self.detailed:
            self.count("slurm_group_app_job_submissions_total", 1, app=job.app)
        if self.random.random() < 0.06:
            job.eligible = at + self.random.expovariate(1 / (4 * HOUR_S))
            partition.later += 1
            heapq.heappush(self.waking, (job.eligible, next(self.order), job))
        else:
            partition.queue.append(job)

    def arrivals(self, at):
        moment = datetime.fromtimestamp(at, timezone.utc)
        part = min(1, max(0, (at - (END - 365 * DAY_S)) / (365 * DAY_S)))
        activity = 1.19 * busy(moment.hour + moment.minute / 60, moment.weekday()) * holiday(moment) * self.week
        weights = {account: weight * (1 + (GROWS[1] - 1) * part if account == GROWS[0] else 1) for account, weight in ACCOUNTS.items()}
        for partition in self.partitions.values():
            # who sees a long queue submits less
            patience = 1 / (1 + partition.waited / (3 * partition.cpus * partition.nodes))
            mean = self.rates[partition.name] * (partition.load + partition.more * part) * activity * patience * TICK
            for _ in range(poisson(self.random, mean)):
                account = self.random.choices(list(weights), weights.values())[0]
                self.submit(at, partition, account, *self.draw(partition))

    def start(self, at, job):
        partition = job.partition
        job.start, job.end = at, at + math.ceil(job.run / TICK) * TICK  # so that samples tell all of it
        partition.held += job.cpus
        partition.held_gpus += job.gpus
        partition.held_memory += job.memory
        partition.waited -= job.cpus
        partition.waited_gpus -= job.gpus
        self.wait(job, -1)
        self.take(job, 1)
        heapq.heappush(self.running, (job.end, next(self.order), job))
        wait = at - job.eligible
        self.observe("slurm_partition_job_eligible_wait_seconds", WAITS, wait, partition=partition.name, qos=job.qos)
        if self.detailed:
            self.observe("slurm_user_job_eligible_wait_seconds", OWNER_WAITS, wait, user=job.user, account=job.account)
            self.observe("slurm_group_app_job_eligible_wait_seconds", WAITS, wait, app=job.app)
            self.observe("slurm_group_app_job_submit_wait_seconds", WAITS, at - job.submit, app=job.app)
            self.count("slurm_group_app_job_starts_total", 1, app=job.app)
        self.observe("slurm_group_size_job_eligible_wait_seconds", WAITS, wait, size=size_of(job.cpus))
        self.jobs.append(job)

    def wait(self, job, sign):
        """What pending jobs ask for, by who asks."""
        for key in ((job.account, job.user), ("app", job.app), ("size", size_of(job.cpus))):
            self.pending[key] += sign * job.cpus
            self.pending_jobs[key] += sign

    def take(self, job, sign):
        """What running jobs hold, by who asked for it."""
        type_ = job.partition.type if job.gpus else ""
        for key in ((job.account, job.user), ("app", job.app), ("size", size_of(job.cpus)), ("partition", job.partition.name), ("qos", job.qos)):
            held = self.held[key]
            held["jobs"] += sign
            held["cpu"] += sign * job.cpus
            held["memory_byte"] += sign * job.memory
            held["billing"] += sign * (job.cpus + 20 * job.gpus)
            if type_:
                held[type_] += sign * job.gpus

    def end(self, at, job):
        partition = job.partition
        partition.held -= job.cpus
        partition.held_gpus -= job.gpus
        partition.held_memory -= job.memory
        self.take(job, -1)
        self.ended_lately.append(at)
        ran = job.end - job.start
        self.count("slurm_cluster_job_ends_total", 1, state=job.state)
        self.count("slurm_partition_job_ends_total", 1, partition=partition.name, state=job.state)
        self.count("slurm_account_job_ends_total", 1, account=job.account, state=job.state)
        if not self.detailed:
            return
        self.count("slurm_user_job_ends_total", 1, user=job.user, account=job.account, state=job.state)
        self.count("slurm_group_app_job_ends_total", 1, app=job.app, state=job.state)
        self.observe("slurm_user_job_runtime_seconds", OWNER_WAITS, ran, user=job.user, account=job.account)
        self.observe("slurm_group_app_job_runtime_seconds", WAITS, ran, app=job.app)
        used = min(1, self.efficiency[job.user] * self.random.uniform(0.85, 1.1))
        memory = job.memory * ran * self.random.uniform(0.2, 0.8)
        for owner in ({"user": job.user, "account": job.account}, {"account": job.account}, {"partition": partition.name}):
            family = f"slurm_{next(iter(owner))}_ended_job"
            for what, amount in (("allocated_cpu_seconds", job.cpus * ran), ("used_cpu_seconds", job.cpus * ran * used), ("energy_joules", ran * (job.cpus * 5 + job.gpus * 300)),
                                 ("allocated_memory_byte_seconds", job.memory * ran), ("peak_memory_byte_seconds", memory)):
                self.count(f"{family}_{what}_total", amount, **owner)

    def schedule(self, at):
        closing = next((begin for begin, _ in self.maintenances if begin > at), NEVER)
        for partition in self.partitions.values():
            usable = partition.nodes - len(partition.out)
            free, free_gpus = usable * partition.cpus - partition.held, usable * partition.gpus - partition.held_gpus
            kept, queue = [], partition.queue
            for _ in range(min(SCAN, len(queue))):
                if free <= 0 or kept and at - kept[0].eligible > DAY_S:  # who waits for so long is not overtaken any more
                    break
                job = queue.popleft()
                if job.cpus <= free and job.gpus <= free_gpus and at + job.limit <= closing:
                    free -= job.cpus
                    free_gpus -= job.gpus
                    self.start(at, job)
                else:
                    kept.append(job)
            queue.extendleft(reversed(kept))

    # What its series say.

    @property
    def detailed(self):
        return self.clock >= self.detail

    def count(self, family, amount, **labels):
        key = (family, *labels.items())
        self.now[key] = self.now.get(key, 0) + amount

    def set(self, family, value, **labels):
        self.now[family, *labels.items()] = value

    def observe(self, family, bounds, value, number=1, **labels):
        for bound in bounds:
            self.count(f"{family}_bucket", number * (value <= bound), **labels, le=str(bound))
        self.count(f"{family}_bucket", number, **labels, le="+Inf")
        self.count(f"{family}_count", number, **labels)
        self.count(f"{family}_sum", number * value, **labels)

    def by_entity(self, partition, family, value, **labels):
        """Of the partition, and added up of the cluster."""
        self.set(f"slurm_partition_{family}", value, partition=partition.name, **labels)
        key = f"slurm_cluster_{family}", *labels.items()
        self.sums[key] = self.sums.get(key, 0) + value

    def tell(self, at):
        self.sums = {}
        for family, value, labels in WELL:
            self.set(family, value, **labels)
        self.set("slurm_controller_up", int(at < self.down_from), controller="ctl1", role="primary")
        self.set("slurmscope_endpoint_last_success_timestamp_seconds", at - 20, endpoint="nodes")
        self.set("slurm_backfill_last_cycle_timestamp_seconds", at - 30)
        self.set("slurm_dbd_rollup_timestamp_seconds", at // HOUR_S * HOUR_S, trigger="slurmdbd")
        self.count("slurm_scheduler_cycles_total", 5)
        self.set("slurm_cluster_info", 1, name=self.name, slurm_version=self.version, api_version="v0.0.44")
        for partition in self.partitions.values():
            self.tell_partition(partition, at)
        self.now |= self.sums
        while self.ended_lately and self.ended_lately[0] < at - 300:
            self.ended_lately.popleft()
        running = sum(held["jobs"] for (kind, _), held in self.held.items() if kind == "app")
        waiting = sum(len(partition.queue) + partition.later for partition in self.partitions.values())
        self.set("slurm_cluster_jobs", running, state="running")
        self.set("slurm_cluster_jobs", waiting, state="pending")
        self.set("slurm_controller_job_records", running + waiting + len(self.ended_lately))
        self.set("slurm_controller_max_job_records", 10_000)
        self.set("slurm_controller_start_timestamp_seconds", max([begin + lasts for begin, lasts in self.maintenances if begin + lasts <= at], default=self.begin - WARM_S))
        self.set("slurm_cluster_job_memory_bytes", sum(partition.held_memory for partition in self.partitions.values()), state="running")
        self.messages = 0.95 * self.messages + self.random.expovariate(1)
        self.set("slurm_dbd_agent_queue", int(self.messages))
        oldest = min((partition.queue[0].eligible for partition in self.partitions.values() if partition.queue), default=None)
        self.set("slurm_cluster_oldest_pending_timestamp_seconds", oldest, **{"class": "startable"})
        self.tell_owners(at)

    def tell_partition(self, partition, at):
        name, out = partition.name, partition.out.values()
        self.set("slurm_partition_info", 1, partition=name, default=str(name == "cpu").lower())
        self.set("slurm_partition_state", 1, partition=name, state="up")
        gone = sum(one["kind"] != "draining" for one in out)
        for what, each, held in (("cpus", partition.cpus, partition.held), ("gres", partition.gpus, partition.held_gpus)):
            if each:
                all_, idle = partition.nodes * each, max(0, (partition.nodes - len(out)) * each - held)
                labels = {"gres": "gpu", "type": partition.type} if what == "gres" else {}
                held = min(held, all_)
                for state, value in (("allocated", held), ("idle", idle), ("other", max(0, all_ - held - idle))):
                    self.by_entity(partition, what, value, **labels, state=state)
        for state, cpus, gpus in (("running", partition.held, partition.held_gpus), ("pending", partition.waited, partition.waited_gpus)):
            self.by_entity(partition, "job_cpus", cpus, state=state)
            if partition.gpus:
                self.by_entity(partition, "job_gres", gpus, gres="gpu", type=partition.type, state=state)
        down = sum(one["kind"] == "down" for one in out)
        busy_nodes = min(partition.nodes - gone, math.ceil(partition.held / partition.cpus))
        for state, value in (("allocated", int(busy_nodes * 0.8)), ("mixed", busy_nodes - int(busy_nodes * 0.8)), ("down", down), ("idle", partition.nodes - busy_nodes - down)):
            self.by_entity(partition, "nodes", value, state=state)
        for flag in ("drained", "draining"):
            self.by_entity(partition, "nodes_flagged", sum(one["kind"] == flag for one in out), flag=flag)
        self.by_entity(partition, "nodes_flagged", poisson(self.random, 0.3), flag="completing")
        for class_, reason, jobs in (("startable", "Resources", min(1, len(partition.queue))), ("startable", "Priority", max(0, len(partition.queue) - 1)), ("dependency", "Dependency", partition.later)):
            self.by_entity(partition, "pending_jobs", jobs, **{"class": class_}, reason=reason)
        for one in out:
            for what, amount in (("seconds", 1), *((("cpu_seconds", partition.cpus), ("gpu_seconds", partition.gpus), ("memory_byte_seconds", partition.memory)) if one["kind"] != "draining" else ())):
                for entity in ({}, {"partition": name}):
                    if amount:
                        self.count(f"slurm_{'partition' if entity else 'cluster'}_node_outage_{what}_total", amount * TICK, **entity, kind=one["kind"], cause=one["cause"])
        if self.detailed:
            self.tell_nodes(partition)

    def tell_nodes(self, partition):
        there = {}
        for one in partition.out.values():
            node = one["node"]
            labels = {"node": node}
            for family, value, more in (("slurm_node_outage_start_timestamp_seconds", one["start"], {"kind": one["kind"], "cause": one["cause"]}),
                                        ("slurm_node_reason_info", 1, {"reason": one["reason"], "user": one["user"]}), ("slurm_node_reason_timestamp_seconds", one["start"], {}),
                                        ("slurm_node_state", 1, {"state": "down" if one["kind"] == "down" else "idle"}), ("slurm_node_partition_info", 1, {"partition": partition.name}),
                                        ("slurm_node_cpus", partition.cpus, {"state": "other"}), ("slurm_node_boot_timestamp_seconds", self.begin - WARM_S, {})):
                there[(family, *(labels | more).items())] = value
        for key in partition.down:
            if key not in there:
                self.now[key] = None
        self.now |= there
        partition.down = there

    def tell_owners(self, at):
        for account, users in self.users.items():
            sums = Counter()
            for user in users:
                held = self.held[account, user]
                sums.update(held)
                sums["waited"] += self.pending[account, user]
                if self.detailed:
                    self.tell_owner("user", held, self.pending[account, user], user=user, account=account)
                    self.set("slurm_user_jobs", held["jobs"], user=user, account=account, state="running")
                    self.set("slurm_user_jobs", self.pending_jobs[account, user], user=user, account=account, state="pending")
            self.tell_owner("account", sums, sums["waited"], account=account)
            budget = BUDGETS.get(account)
            if budget:
                key = "slurm_association_usage", ("account", account), ("user", ""), ("partition", ""), ("resource", "cpu_seconds")
                new_year = datetime.fromtimestamp(at, timezone.utc).timetuple()[1:6] < (1, 1, 0, 5, 0)
                self.now[key] = (0 if new_year else self.now.get(key, 0)) + sums["cpu"] * TICK
                self.set("slurm_association_limit", budget * 3600, account=account, user="", partition="", scope="group", resource="cpu_seconds")
        for entity in ("partition", "qos"):
            for name in {kind[1] for kind in self.held if kind[0] == entity}:
                self.use(f"slurm_{entity}", self.held[entity, name], **{entity: name})
        for users in self.users.values():
            self.count("slurm_user_rpc_seconds_total", TICK * 0.01 * self.random.lognormvariate(0, 1), user=users[0])
        for size in {kind[1] for kind in self.held if kind[0] == "size"}:
            held = self.held["size", size]
            self.set("slurm_group_size_job_cpus", held["cpu"], size=size, state="running")
            self.set("slurm_group_size_job_cpus", self.pending["size", size], size=size, state="pending")
            self.use("slurm_group_size", held, size=size)
        if self.detailed:
            for app in {kind[1] for kind in self.held if kind[0] == "app"}:
                held = self.held["app", app]
                self.set("slurm_group_app_jobs", held["jobs"], app=app, state="running")
                self.set("slurm_group_app_jobs", self.pending_jobs["app", app], app=app, state="pending")
                self.set("slurm_group_app_job_cpus", held["cpu"], app=app, state="running")
                self.set("slurm_group_app_job_cpus", self.pending["app", app], app=app, state="pending")
                for type_ in ("a100", "h100"):
                    if app in GPU_APPS:
                        self.set("slurm_group_app_job_gres", held[type_], app=app, gres="gpu", type=type_, state="running")
                self.use("slurm_group_app", held, app=app)

    def tell_owner(self, entity, held, waited, **labels):
        self.set(f"slurm_{entity}_job_cpus", held["cpu"], **labels, state="running")
        self.set(f"slurm_{entity}_job_cpus", waited, **labels, state="pending")
        self.use(f"slurm_{entity}", held, **labels)

    def use(self, family, held, **labels):
        for what in ("cpu", "memory_byte", "billing"):
            self.count(f"{family}_job_allocated_{what}_seconds_total", held[what] * TICK, **labels)
        for type_ in ("a100", "h100"):
            key = (f"{family}_job_allocated_gres_seconds_total", *labels.items(), ("gres", "gpu"), ("type", type_))
            if held[type_] or key in self.now:
                self.now[key] = self.now.get(key, 0) + held[type_] * TICK

    # Time passes.

    def prepare(self):
        self.held = defaultdict(Counter)
        self.pending, self.pending_jobs = Counter(), Counter()
        for begin, lasts in self.maintenances:
            self.at(begin, self.maintain, begin + lasts)
        if self.name == "hpc":
            for begin in STORMS:
                for batch in range(24):
                    self.at(begin + batch * TICK, self.storm, None)
            days, _, hours = LOSS
            self.at(END - days * DAY_S, self.lose, days * 24 // hours)
            self.at(END - 365 * DAY_S + EXTENSION[0], self.extend)

    def live(self):
        """Yields rows of a day: (families and labels, times, values of each time)."""
        self.clock = self.begin - WARM_S
        self.prepare()
        while self.clock <= self.until:
            at = self.clock
            if at % (7 * DAY_S) < TICK:
                self.week = self.random.lognormvariate(0, 0.07)
            while self.events and self.events[0][0] <= at:
                when, _, what, arguments = heapq.heappop(self.events)
                what(when, *arguments)
            while self.running and self.running[0][0] <= at:
                end, _, job = heapq.heappop(self.running)
                if job.end == end:
                    self.end(at, job)
            while self.waking and self.waking[0][0] <= at:
                job = heapq.heappop(self.waking)[2]
                job.partition.later -= 1
                job.partition.queue.append(job)
            self.arrivals(at)
            self.schedule(at)
            if at >= self.begin:
                self.tell(at)
                self.times.append(round(at * 1000))
                self.rows.append(list(self.now.values()))
            self.clock += TICK
            if self.rows and (len(self.rows) == DAY_S // TICK or self.clock > self.until):
                yield list(self.now), self.times, self.rows
                self.now = {key: value for key, value in self.now.items() if value is not None}
                self.rows, self.times = [], []


# CPU hours of accounts from New Year on.
BUDGETS = {"climate": 20_500_000, "physics": 19_000_000, "teaching": 2_600_000}


def lines(cluster, keys, times, rows):
    """Of VictoriaMetrics' import: a series of a day in each."""
    for key, values in zip(keys, itertools.zip_longest(*rows)):
        there = [(at, value) for at, value in zip(times, values, strict=True) if value is not None]
        if there:
            metric = {"__name__": key[0], "cluster": cluster, "job": "slurmscope", "instance": f"{cluster}:9341", **dict(key[1:])}
            yield json.dumps({"metric": metric, "values": [round(value, 3) for _, value in there], "timestamps": [at for at, _ in there]})


def sites():
    yield Site("hpc")
    yield Site("ai", 0.3, 4)
    yield Site("bio", 0.15, 4, "24.11.5")
    yield Site("teaching", 0.05, 4, "24.11.5", down_s=1800)
    yield Site("old", 0.1, 4, "23.11.10", silent_s=2400)


def post(victoria, path, body):
    urllib.request.urlopen(f"{victoria.url}/{path}", body, timeout=600).close()


def take(victoria, site):
    for keys, times, rows in site.live():
        post(victoria, "api/v1/import", "\n".join(lines(site.name, keys, times, rows)).encode())
    victoria.flush()


def evaluate(victoria, begin):
    """The rules of capacity from then on, all others and the alerts at the end."""
    _, rules, alerts = boards.of_site(OWN)
    capacity = [group for group in rules["groups"] if group["name"] == "slurm_capacity"]
    others = [group for group in rules["groups"] if group not in capacity and group["name"] not in FROM_NODES]
    for groups, since in ((capacity, begin), (others, max(begin, END - RECORDS_S)), (alerts["groups"], max(begin, END - ALERTS_S))):
        victoria.evaluate(since, END, groups, TICK)


def bytes_of(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def settled_bytes(victoria):
    """Of a database that has merged what it has."""
    for path in ("force_flush", "force_merge"):
        post(victoria, f"internal/{path}", b"")
    before = -1
    while before != (before := bytes_of(victoria.data)):
        time.sleep(15)
    return before


def capacity_alone(victoria):
    """(series, samples, bytes) of the records that a store keeps for years, in a database of their own."""
    with Victoria() as other:
        wait_until(lambda: other.get("labels")[0] is not None, other.log.read_text)
        query = urllib.parse.urlencode({"match[]": '{__name__=~".+:slurm_capacity_.+",cluster="hpc"}'})
        with urllib.request.urlopen(f"{victoria.url}/api/v1/export?{query}", timeout=600) as answer:
            series = samples = 0
            for line in answer:
                series, samples = series + 1, samples + len(json.loads(line)["values"])
                post(other, "api/v1/import", line)
        return series, samples, settled_bytes(other)


def make(folder):
    folder.mkdir(parents=True)
    with Victoria(folder) as victoria:
        wait_until(lambda: victoria.get("labels")[0] is not None, victoria.log.read_text)
        for site in sites():
            take(victoria, site)
            print(f"{site.name}: {len(site.jobs)} jobs started, {len(site.outages)} outages ended", flush=True)
        evaluate(victoria, END - 365 * DAY_S)
        print(f"{settled_bytes(victoria)} bytes in VictoriaMetrics")
        print("of them records of capacity, by themselves: {} series, {} samples, {} bytes".format(*capacity_alone(victoria)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="which is not there yet")
    make(parser.parse_args().folder)


if __name__ == "__main__":
    main()
