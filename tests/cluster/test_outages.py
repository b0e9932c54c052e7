#!/usr/bin/env python3
"""Nodes of a real Slurm are drained, set down and resumed while slurmscope is killed. Then each node's seconds, by kind, are those of
its events in slurmdbd (sacctmgr show event), and so are number and duration of its outages. Each node has a cause of its own, by its
reasons, so that the page's sums are of single nodes. slurmdbd has no events of draining nodes and of maintenance: these are
compared with when the test asked for them.
usage: test_outages.py CLUSTER [KILLS]    (a new one, see `with`; SLURMSCOPE is the binary)"""
import contextlib
import random
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "e2e"))
from harness import wait_until  # noqa: E402
from slurm_says import Slurm, conclude  # noqa: E402
from test_events import Exporter, check_counters, page_of  # noqa: E402

NODES = {"cn01": 4, "cn02": 4, "cn03": 4, "cn04": 4, "cn05": 4, "cn06": 4}  # and their CPUs
IN_MAINTENANCE = "cn08"
CAUSES = [f"--nodes.cause={node}=.* {node}" for node in NODES]
WHEN_DOWN = ("power", "dimm")  # Reasons. sacctmgr calls a node drained that is down and drained.
STAYS = 20  # Seconds. Longer than slurmscope is away, so that it sees each state at least once.
AWAY = 5
ASKED = 2  # Seconds between a command of the test and what slurmctld noted, at most, on a busy machine.
LOOKS = 4  # Seconds between two answers about nodes, at most, while slurmscope is there.
FLAGGED = 8  # Seconds until slurmctld notices that a reservation has begun.


class Operator:
    """What is done to one node."""

    def __init__(self, slurm, node, chance):
        self.slurm, self.node, self.chance, self.draining = slurm, node, chance, []

    def set(self, state, what="disk"):
        self.slurm.run("scontrol", "update", f"nodename={self.node}", f"state={state}",
                       *([] if state == "resume" else [f"reason={what} {self.node}"]))

    def stay(self):
        time.sleep(STAYS + self.chance.uniform(0, 5))

    def drain(self):
        self.set("drain")
        self.stay()
        self.set("resume")

    def down(self):
        self.set("down", "power")
        self.stay()
        self.set("resume")

    def drain_then_down(self):
        self.set("drain")
        self.stay()
        self.set("down", "dimm")
        self.stay()
        self.set("resume")

    def drain_again(self):
        """The same kind for another reason: slurmdbd begins another event."""
        self.set("drain")
        self.stay()
        self.set("drain", "fan")
        self.stay()
        self.set("resume")

    def back_for_a_moment(self):
        """In service for less time than slurmscope may be away."""
        self.set("drain")
        self.stay()
        self.set("resume")
        time.sleep(2.5)
        self.set("down", "power")
        self.stay()
        self.set("resume")

    def drain_with_job(self):
        job = self.slurm.submit("alice", f"sleep {STAYS + 3}", "--partition=cpu", f"--nodelist={self.node}", "--mem=100")
        wait_until(lambda: f"NODES={self.node}" in self.slurm.run("squeue", "-h", "-j", job, "-t", "R", "-o", "NODES=%N"), "the job to run")
        begin = time.time()
        self.set("drain")
        wait_until(lambda: self.slurm.has_ended(job), "the end of the job")
        self.draining.append(begin)
        self.stay()
        self.set("resume")

    EPISODES = (drain, down, drain_then_down, drain_again, back_for_a_moment, drain_with_job)

    def live(self):
        for episode in self.chance.sample(self.EPISODES, 4):
            episode(self)
            self.stay()


def maintain(slurm):
    """When the reservation began and ended."""
    slurm.run("scontrol", "create", "reservation=upkeep", "starttime=now", "duration=10", "flags=maint,ignore_jobs", "users=root",
              f"nodes={IN_MAINTENANCE}")
    begin = time.time()
    time.sleep(2 * STAYS)
    slurm.run("scontrol", "delete", "reservation=upkeep")
    return begin, time.time()


def events_of(slurm, since):
    """By node: (begin, end, kind) in their order."""
    rows = slurm.table("sacctmgr", "-P", "show", "event", "start=now-2hours", "format=nodename,timestart,timeend,state,reason")
    events = {node: [] for node in NODES}
    for row in rows:
        if row["NodeName"] in events and int(row["TimeStart"]) >= since:
            is_down = "DOWN" in row["State"] or row["Reason"].startswith(WHEN_DOWN)
            kind = "down" if is_down else "drained"
            events[row["NodeName"]].append((int(row["TimeStart"]), int(row["TimeEnd"]), kind))
    return {node: sorted(of_node) for node, of_node in events.items()}


def outages_of(events, draining):
    """(begin, end, worst kind): events that follow each other, and what drained before."""
    outages = []
    for begin, end, kind in events:
        began = [at for at in draining if begin - 2 * STAYS < at < begin]
        if outages and outages[-1][1] == begin:
            outages[-1] = (outages[-1][0], end, "down" if "down" in (kind, outages[-1][2]) else kind)
        else:
            outages.append((min([begin, *began]), end, kind))
    return outages


def value_of(page, family, cause, **labels):
    parts = ",".join(f'{name}="{value}"' for name, value in {**labels, "cause": cause}.items())
    return page.get(f"{family}{{{parts}}}", 0)


def compare(page, events, operators):
    """How many numbers are equal; name -> (page, slurmdbd) of those that are not."""
    wanted = {}
    for operator in operators:
        node, of_node = operator.node, events[operator.node]
        seconds, drained_at = Counter(), [begin for begin, _, kind in of_node if kind == "drained"]
        for begin, end, kind in of_node:
            seconds[kind] += end - begin
        for kind in ("down", "drained"):
            for family, times in (("seconds", 1), ("cpu_seconds", NODES[node])):
                wanted[f"slurm_cluster_node_outage_{family}_total", node, kind] = seconds[kind] * times, 0
            wanted["slurm_partition_node_outage_seconds_total", node, kind] = seconds[kind], 0
        drains = [(min(at for at in drained_at if at >= begin - 1) - begin) for begin in operator.draining]
        wanted["slurm_cluster_node_outage_seconds_total", node, "draining"] = sum(drains), ASKED * len(drains)
        outages = outages_of(of_node, operator.draining)
        for kind in ("down", "drained"):
            of_kind = [end - begin for begin, end, worst in outages if worst == kind]
            wanted["slurm_cluster_node_outage_duration_seconds_count", node, kind] = len(of_kind), 0
            wanted["slurm_cluster_node_outage_duration_seconds_sum", node, kind] = sum(of_kind), ASKED * len(drains)
            wanted["slurm_partition_node_outages_ended_total", node, kind] = len(of_kind), 0
    wrong = {}
    for (family, node, kind), (value, slack) in wanted.items():
        shown = value_of(page, family, node, **({"partition": "cpu"} if "partition" in family else {}), kind=kind)
        if abs(shown - value) > slack:
            wrong[f"{family} {node} {kind}"] = shown, value
    return len(wanted) - len(wrong), wrong


def kill_now_and_then(exporter, stop, kills, chance):
    killed, before = 0, {}
    while killed < kills and not stop.wait(chance.uniform(8, 15)):
        before = page_of(exporter) or before
        exporter.end(signal.SIGKILL)
        killed += 1
        time.sleep(chance.uniform(0, AWAY))
        exporter.start()
        wait_until(lambda: page_of(exporter), "a page")
        wait_until(lambda: "slurm_cluster_nodes_free" in page_of(exporter), "nodes")
        check_counters(before, page_of(exporter))
    return killed


def live(slurm, exporter, operators, kills, chance):
    stop, result = threading.Event(), []
    threads = [threading.Thread(target=operator.live) for operator in operators]
    breaker = threading.Thread(target=lambda: result.append(kill_now_and_then(exporter, stop, kills, chance)))
    for thread in (*threads, breaker):
        thread.start()
    for thread in threads:
        thread.join()
    stop.set()
    breaker.join()
    return result[0] if result else -1


def main(kills):
    slurm, chance = Slurm(CLUSTER), random.Random()
    with tempfile.TemporaryDirectory() as folder, \
            contextlib.closing(Exporter(slurm, folder, "--interval.nodes=1", *CAUSES)) as exporter:
        exporter.start()
        wait_until(exporter.is_ready, "readiness")
        for node in (*NODES, IN_MAINTENANCE):
            assert "State=IDLE " in slurm.run("scontrol", "-o", "show", "node", node), f"{node} is not in service"
        since = int(time.time())
        begin, end = maintain(slurm)
        operators = [Operator(slurm, node, random.Random(chance.random())) for node in NODES]
        killed = live(slurm, exporter, operators, kills, chance)
        wait_until(lambda: not any("outage_start" in series and f'node="{node}"' in series for node in NODES for series in page_of(exporter)),
                   "all nodes to be in service")
        time.sleep(LOOKS)  # the last of slurmdbd's events
        page, events = page_of(exporter), events_of(slurm, since)
        equal, wrong = compare(page, events, operators)
        shown = value_of(page, "slurm_cluster_node_outage_seconds_total", "reservation", kind="maintenance")
        if abs(shown - (end - begin)) > LOOKS + FLAGGED:
            wrong["maintenance"] = shown, end - begin
        exporter.end(signal.SIGTERM)
        for name, (got, want) in sorted(wrong.items()):
            print(f"differs: {name}: page {got}, slurmdbd {want}")
        count = sum(map(len, events.values()))
        conclude(f"{slurm.release} outages: {count} events of {len(NODES)} nodes, {killed} kills, {equal} numbers equal, "
                 f"{len(wrong)} different; maintenance {shown:.0f} s of {end - begin:.0f}")
        if wrong or killed < kills:
            print(events)
            print((exporter.folder / "log").read_text()[-3000:])
            sys.exit(1)


if __name__ == "__main__":
    CLUSTER = sys.argv[1]
    main(int(sys.argv[2]) if len(sys.argv) > 2 else 6)
