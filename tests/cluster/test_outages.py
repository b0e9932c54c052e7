#!/usr/bin/env python3
"""Nodes of a real Slurm are drained, set down and resumed while slurmscope is killed. Then each node's seconds, by kind, are those of
its events in slurmdbd (sacctmgr show event), and so are number and duration of its outages. Each node has a cause of its own, by its
reasons, so that the page's sums are of single nodes. slurmdbd has no events of draining nodes and of maintenance. The first
began at the reason's time, by scontrol. The others lasted as long as the test's commands and looks allow.
usage: test_outages.py CLUSTER [KILLS]    (a new one, see `with`; SLURMSCOPE is the binary)"""
import contextlib
import itertools
import random
import re
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "e2e"))
from harness import wait_until  # noqa: E402
from slurm_says import Slurm, conclude  # noqa: E402
from test_events import Exporter, check_counters, page_of  # noqa: E402

NODES = {"cn01": 4, "cn02": 4, "cn03": 4, "cn04": 4, "cn05": 4, "cn06": 4}  # and their CPUs
IN_MAINTENANCE = "cn08"
CAUSES = [f"--nodes.cause={node}=.* {node}" for node in NODES]
WHEN_DOWN = ("power", "dimm")  # Reasons. sacctmgr calls a node drained that is down and drained.
EPISODES = 4  # Of each node, at least.
AWAY = 5  # Seconds, at most, from a kill to the next start.
PATIENCE = 120  # Seconds until slurmscope shows something, or slurmdbd hears of it.
ROUNDING = 2  # Seconds. slurmctld's times are whole ones, and so are those of looks.


class Operator:
    """What is done to one node."""

    def __init__(self, slurm, exporter, node, chance):
        self.slurm, self.exporter, self.node, self.chance, self.draining = slurm, exporter, node, chance, []

    def set(self, state, what="disk"):
        self.reason = "" if state == "resume" else f"{what} {self.node}"
        self.slurm.run("scontrol", "update", f"nodename={self.node}", f"state={state}", *([f"reason={self.reason}"] if self.reason else []))

    def stay(self, kind=""):
        """Until slurmscope has seen the node so, and a little longer: a change within the same second is none for Slurm."""
        wait_until(lambda: is_shown(page_of(self.exporter), self.node, kind, self.reason), f"{self.node} {kind or 'in service'}", PATIENCE)
        time.sleep(self.chance.uniform(1.1, 3))

    def resume(self):
        self.set("resume")
        self.stay()

    def drain(self):
        self.set("drain")
        self.stay("drained")

    def down(self):
        self.set("down", "power")
        self.stay("down")

    def drain_then_down(self):
        self.drain()
        self.set("down", "dimm")
        self.stay("down")

    def drain_again(self):
        """The same kind for another reason: slurmdbd begins another event."""
        self.drain()
        self.set("drain", "fan")
        self.stay("drained")

    def back_for_a_moment(self):
        """In service for less time than slurmscope may be away."""
        self.drain()
        self.set("resume")
        time.sleep(2.5)
        self.down()

    def drain_with_job(self):
        job = self.slurm.submit("alice", "until [ -e /run/slurm/drained.$SLURM_JOB_ID ]; do sleep 0.2; done", "--partition=cpu",
                                f"--nodelist={self.node}", "--mem=100")
        wait_until(lambda: f"NODES={self.node}" in self.slurm.run("squeue", "-h", "-j", job, "-t", "R", "-o", "NODES=%N"),
                   "the job to run", PATIENCE)
        self.set("drain")
        self.draining.append(int(re.search(r"@(\d+)\]", next(self.slurm.records("node", self.node))["Reason"])[1]))
        self.stay("draining")
        self.slurm.run("touch", f"/run/slurm/drained.{job}")
        self.stay("drained")

    ALL = (drain, down, drain_then_down, drain_again, back_for_a_moment, drain_with_job)

    def live(self, is_over):
        episodes = self.chance.sample(self.ALL, len(self.ALL))
        for i, episode in enumerate(itertools.cycle(episodes)):
            if i >= EPISODES and is_over.is_set():
                break
            episode(self)
            self.resume()


def is_shown(page, node, kind, reason=""):
    """Whether the page has the node out of service in that way and for that reason; no kind: in service."""
    outage = [series for series in page or () if series.startswith(f'slurm_node_outage_start_timestamp_seconds{{node="{node}"')]
    if not kind:
        return page is not None and not outage
    has_reason = not reason or any(series.startswith("slurm_node_reason_info{") and f'node="{node}",reason="{reason}"' in series
                                   for series in page or ())
    return has_reason and any(f'kind="{kind}"' in series for series in outage)


@contextlib.contextmanager
def maintenance(slurm, exporter):
    """While it lasts. Then the least and the most seconds of it that slurmscope may have seen."""
    span, node = [], IN_MAINTENANCE
    asked = time.time()
    slurm.run("scontrol", "create", "reservation=upkeep", "starttime=now", "duration=60", "flags=maint,ignore_jobs", "users=root",
              f"nodes={node}")
    wait_until(lambda: is_shown(page_of(exporter), node, "maintenance"), f"maintenance of {node}", PATIENCE)
    shown = time.time()
    yield span
    ending = time.time()
    slurm.run("scontrol", "delete", "reservation=upkeep")
    wait_until(lambda: is_shown(page_of(exporter), node, ""), f"the end of {node}'s maintenance", PATIENCE)
    span += [ending - shown - ROUNDING, time.time() - asked + ROUNDING]


def events_of(slurm, since):
    """By node: (begin, end, kind) in their order; the end of one that lasts is 0."""
    rows = slurm.table("sacctmgr", "-P", "show", "event", "start=now-2hours", "format=nodename,timestart,timeend,state,reason")
    events = {node: [] for node in NODES}
    for row in rows:
        if row["NodeName"] in events and int(row["TimeStart"]) >= since:
            is_down = "DOWN" in row["State"] or row["Reason"].startswith(WHEN_DOWN)
            end = int(row["TimeEnd"]) if row["TimeEnd"].isdigit() else 0
            events[row["NodeName"]].append((int(row["TimeStart"]), end, "down" if is_down else "drained"))
    return {node: sorted(of_node) for node, of_node in events.items()}


def drained_since(events, draining):
    """{when slurmdbd has a node drained: when it began to drain}"""
    return {min((begin for begin, _, kind in events if kind == "drained" and begin >= at), default=at): at for at in draining}


def outages_of(events, draining):
    """(begin, end, worst kind): events that follow each other, and what drained before."""
    outages, began = [], drained_since(events, draining)
    for begin, end, kind in events:
        if outages and outages[-1][1] == begin:
            outages[-1] = (outages[-1][0], end, "down" if "down" in (kind, outages[-1][2]) else kind)
        else:
            outages.append((began.get(begin, begin), end, kind))
    return outages


def value_of(page, family, cause, **labels):
    parts = ",".join(f'{name}="{value}"' for name, value in {**labels, "cause": cause}.items())
    return page.get(f"{family}{{{parts}}}", 0)


def compare(page, events, operators):
    """How many numbers are equal; name -> (page, slurmdbd) of those that are not."""
    wanted = {}
    for operator in operators:
        node, of_node, seconds = operator.node, events[operator.node], Counter()
        for begin, end, kind in of_node:
            seconds[kind] += end - begin
        for kind in ("down", "drained"):
            for family, times in (("seconds", 1), ("cpu_seconds", NODES[node])):
                wanted[f"slurm_cluster_node_outage_{family}_total", node, kind] = seconds[kind] * times
            wanted["slurm_partition_node_outage_seconds_total", node, kind] = seconds[kind]
        drains = drained_since(of_node, operator.draining)
        wanted["slurm_cluster_node_outage_seconds_total", node, "draining"] = sum(drains) - sum(drains.values())
        outages = outages_of(of_node, operator.draining)
        for kind in ("down", "drained"):
            of_kind = [end - begin for begin, end, worst in outages if worst == kind]
            wanted["slurm_cluster_node_outage_duration_seconds_count", node, kind] = len(of_kind)
            wanted["slurm_cluster_node_outage_duration_seconds_sum", node, kind] = sum(of_kind)
            wanted["slurm_partition_node_outages_ended_total", node, kind] = len(of_kind)
    wrong = {}
    for (family, node, kind), value in wanted.items():
        shown = value_of(page, family, node, **({"partition": "cpu"} if "partition" in family else {}), kind=kind)
        if shown != value:
            wrong[f"{family} {node} {kind}"] = shown, value
    return len(wanted) - len(wrong), wrong


def kill_now_and_then(exporter, kills, chance):
    before = {}
    for _ in range(kills):
        time.sleep(chance.uniform(1, 6))
        before = page_of(exporter) or before
        exporter.end(signal.SIGKILL)
        time.sleep(chance.uniform(0, AWAY))
        exporter.start()
        wait_until(lambda: "slurm_cluster_nodes_free" in (page_of(exporter) or ()), "nodes", PATIENCE)
        check_counters(before, page_of(exporter) or before)


def live(exporter, operators, kills, chance):
    """The operators go on while there are kills. Their errors are raised here."""
    is_over = threading.Event()
    with ThreadPoolExecutor(len(operators)) as pool:
        lives = [pool.submit(operator.live, is_over) for operator in operators]
        try:
            kill_now_and_then(exporter, kills, chance)
        finally:
            is_over.set()
    for life in lives:
        life.result()


def main(kills):
    slurm, chance = Slurm(CLUSTER), random.Random()
    with tempfile.TemporaryDirectory() as folder, \
            contextlib.closing(Exporter(slurm, folder, "--interval.nodes=1", *CAUSES)) as exporter:
        exporter.start()
        wait_until(exporter.is_ready, "readiness")
        for node in (*NODES, IN_MAINTENANCE):
            assert "State=IDLE " in slurm.run("scontrol", "-o", "show", "node", node), f"{node} is not in service"
        since = int(time.time())
        operators = [Operator(slurm, exporter, node, random.Random(chance.random())) for node in NODES]
        with maintenance(slurm, exporter) as span:
            live(exporter, operators, kills, chance)
        page = page_of(exporter)
        with contextlib.suppress(AssertionError):  # slurmdbd hears of the last ones a little later
            wait_until(lambda: not compare(page, events_of(slurm, since), operators)[1], "the same", PATIENCE)
        events = events_of(slurm, since)
        equal, wrong = compare(page, events, operators)
        shown = value_of(page, "slurm_cluster_node_outage_seconds_total", "reservation", kind="maintenance")
        if not span[0] <= shown <= span[1]:
            wrong["maintenance"] = shown, span
        exporter.end(signal.SIGTERM)
        for name, (got, want) in sorted(wrong.items()):
            print(f"differs: {name}: page {got}, slurmdbd {want}")
        count = sum(map(len, events.values()))
        conclude(f"{slurm.release} outages: {count} events of {len(NODES)} nodes, {kills} kills, {equal} numbers equal, "
                 f"{len(wrong)} different; maintenance {shown:.0f} s, of {span[0]:.0f} to {span[1]:.0f}")
        if wrong:
            print(events)
            print((exporter.folder / "log").read_text()[-3000:])
            sys.exit(1)


if __name__ == "__main__":
    CLUSTER = sys.argv[1]
    main(int(sys.argv[2]) if len(sys.argv) > 2 else 6)
