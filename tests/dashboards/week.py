"""A cluster that has lived for a week, at the intervals of production. slurmsim's clock goes some hundred times as fast, and
libfaketime lets slurmscope's go along. VictoriaMetrics takes a page each minute, with the time at which it was read. vmalert
evaluates all rules and alerts over that past. Users submit by day more than at night, and less at weekends."""

import contextlib
import http.client
import json
import os
import re
import subprocess
import tempfile
import time
import types
import urllib.error
import urllib.request
from datetime import datetime, timedelta, timezone
from pathlib import Path

import yaml

import promql
from exporters import GPUS, NODES, Exporters, Jobs, hand_out, page_of
from harness import PATIENCE, free_port, samples, wait_until
from month import busy
from simulator import SLURMSCOPE, Simulator
from world import RULES, Prometheus

CACHE = Path(os.environ.get("SLURMSCOPE_CACHE", "/var/cache/slurmscope"))
FAKETIME = CACHE / "faketime/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"
VICTORIA = CACHE / "victoria-metrics/usr/bin"
SCRAPE_S = 60
HOUR_S = 3600
DAY_S = 24 * HOUR_S
RULE_FILES = tuple(RULES / f"slurmscope.{kind}.yml" for kind in ("rules", "alerts"))
START_S = 120  # of the simulator's, until slurmscope listens.
# Hours before the end, and what happens then: to a node, by its place in the cluster, or to Slurm.
EVENTS = ((150, 0.12, "fail"), (147, 0.12, "resume"), (100, 0.13, "drain"), (98, 0.14, "drain"), (60, None, "array?tasks=3000"),
          (52, 0.14, "resume"), (30, 0.5, "fail"), (27, 0.5, "resume"), (24, None, "restart"), (9, 0.3, "fail"), (5.5, 0.13, "resume"),
          (5, 0.95, "drain"), (4, None, "array?tasks=1500"), (3.2, 0.2, "fail"), (2.1, 0.3, "resume"), (2, None, "restart"),
          (1.5, 0.6, "drain"), (0.7, 0.61, "drain"))


def end_of_week():
    """The last Wednesday afternoon."""
    now = datetime.now(timezone.utc)
    return (now - timedelta(days=(now.weekday() - 2) % 7 or 7)).replace(hour=15, minute=0, second=0, microsecond=0)


class Victoria(Prometheus):
    """Says what Prometheus would."""

    clusters = ()

    def __init__(self, data=None):
        """`data`: a folder that stays."""
        self.folder = tempfile.TemporaryDirectory(prefix="slurmscope-week-")
        self.data = Path(data or self.folder.name, "data")
        self.port = free_port()
        self.log = Path(self.folder.name, "log")
        self.url = f"http://127.0.0.1:{self.port}"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [VICTORIA / "victoria-metrics", f"-storageDataPath={self.data}", f"-httpListenAddr=127.0.0.1:{self.port}",
                 "-retentionPeriod=100y", "-search.latencyOffset=0s", "-search.disableCache", "-search.maxQueryDuration=10m",
                 "-memory.allowedPercent=30", "-search.maxUniqueTimeseries=5000000"], stdout=log, stderr=log)

    def take(self, page, at, **labels):
        extra = "".join(f"&extra_label={name}={value}" for name, value in labels.items())
        body = page + "up 1\n"
        urllib.request.urlopen(urllib.request.Request(f"{self.url}/api/v1/import/prometheus?timestamp={int(at * 1000)}{extra}", body.encode()),
                               timeout=PATIENCE).close()

    def flush(self):
        """What was taken can be asked for."""
        urllib.request.urlopen(f"{self.url}/internal/force_flush", timeout=PATIENCE).close()

    def evaluate(self, start, end, groups=None, every=SCRAPE_S):
        """Groups of rules, or all rules and then all alerts, as if they had been there. Those that need no others come first: a
        rule's records are there when others ask for them."""
        times = [f"-replay.time{name}={datetime.fromtimestamp(at, timezone.utc):%FT%TZ}" for name, at in (("From", start), ("To", end))]
        for number, level in enumerate(promql.levels(groups or [group for file in RULE_FILES for group in yaml.safe_load(file.read_text())["groups"]])):
            rules = Path(self.folder.name, f"{number}.yml")
            rules.write_text(json.dumps({"groups": level}))  # which is YAML, too
            done = subprocess.run(
                [VICTORIA / "vmalert", f"-rule={rules}", f"-datasource.url={self.url}", f"-remoteWrite.url={self.url}", *times,
                 "-replay.disableProgressBar", "-replay.rulesDelay=0s", f"-replay.maxDatapointsPerQuery={DAY_S // SCRAPE_S}",
                 "-disableAlertgroupLabel", f"-evaluationInterval={every}s", "-httpListenAddr=127.0.0.1:0"], capture_output=True, text=True)
            assert not done.returncode, "\n".join(line for line in done.stderr.split("\n") if "info" not in line)[-5000:]
            self.flush()


class Week:
    """As World, for Asked: start, end, prometheus, exporters. `hours` are its length, `speed` how fast they go."""

    def __init__(self, nodes, users, jobs, hours, speed):
        self.nodes, self.hours, self.speed = nodes, hours, speed
        self.end = end_of_week().timestamp()
        self.start = self.end - hours * HOUR_S
        # submissions a second; with twice as many the queue of slurmsim's jobs grows for ever
        self.rate = nodes / 1900
        self.options = ["--release=26.05", f"--nodes={nodes}", f"--users={users}", f"--jobs={jobs}", "--arrays=0.05", "--queue=200",
                        "--node-failures=4", "--compact", f"--epoch={int(self.start - START_S)}", f"--speed={speed}"]

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            self.folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="slurmscope-week-"))
            self.sim = stack.enter_context(Simulator(*self.options))
            self.begun = time.monotonic()
            self.sim.control(f"arrivals?rate={self.rate}")
            scope = stack.enter_context(self.slurmscope())
            victoria = stack.enter_context(Victoria())
            self.prometheus = [victoria]
            wait_until(lambda: victoria.get("labels")[0] is not None, victoria.log.read_text)
            self.exporters = types.SimpleNamespace(jobs=Jobs({}))
            missed = self.live(victoria)
            assert scope.poll() is None and missed < self.hours, f"{missed} scrapes failed: {self.log.read_text()}"
            victoria.evaluate(self.start, self.end)
            self.stack = stack.pop_all()
        return self

    def __exit__(self, *error):
        return self.stack.__exit__(*error)

    def now(self):
        """By the clock of the simulator."""
        return self.start - START_S + (time.monotonic() - self.begun) * self.speed

    @contextlib.contextmanager
    def slurmscope(self):
        """With the intervals that a site has; budgets would see that each answer takes hundreds of times as long."""
        self.port = free_port()
        self.log = Path(self.folder, "log")
        at = datetime.fromtimestamp(self.now(), timezone.utc)
        with open(self.log, "wb") as log:
            process = subprocess.Popen(
                [SLURMSCOPE, f"--slurmrestd.url={self.sim.url}", f"--state.path={self.folder}/state", "--nodes.per-node=full",
                 f"--web.listen-address=127.0.0.1:{self.port}", "--slurmrestd.timeout=1h", "--jobs.rows=200",
                 *(f"--budget.{what}=1000" for what in ("slurmrestd", "slurmctld", "requests"))], stderr=log, stdin=subprocess.DEVNULL,
                env=os.environ | {"LD_PRELOAD": str(FAKETIME), "TZ": "UTC", "FAKETIME": f"@{at:%F %T} x{self.speed}"})
        try:
            yield process
        finally:
            process.terminate()
            process.wait(PATIENCE)

    def page(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=PATIENCE) as answer:
            return answer.read().decode()

    def events(self):
        """(when, control)"""
        digits = len(str(self.nodes))
        for hours, place, what in EVENTS:
            yield self.end - hours * HOUR_S, what if place is None else f"node?name=n{int(place * self.nodes) + 1:0{digits}}&do={what}"
        for hour in range(int(self.hours) + 1):
            at = datetime.fromtimestamp(self.start + hour * HOUR_S, timezone.utc)
            yield at.timestamp(), f"arrivals?rate={self.rate * busy(at.hour, at.weekday())}"

    def live(self, victoria):
        """How many scrapes failed: slurmscope waits only some seconds for who reads its page, and they pass fast."""
        events = sorted(event for event in self.events() if event[0] > self.start)
        holders = {node: [0] * GPUS for node in NODES}
        at, missed = self.start, 0
        while at <= self.end:
            time.sleep(max(0, (at - self.now()) / self.speed))
            at = max(at, self.now() // SCRAPE_S * SCRAPE_S)  # a scrape that comes late is left out, as Prometheus does
            while events and events[0][0] <= at:
                self.sim.control(events.pop(0)[1])
            try:
                page = self.page()
            except (urllib.error.URLError, ConnectionError, http.client.HTTPException):
                missed, at = missed + 1, at + SCRAPE_S
                continue
            victoria.take(page, at, job="slurmscope", instance="localhost:9341")
            rows = "".join(re.findall(r"(?m)^slurm_job_.*\n", page))
            jobs = self.exporters.jobs = Jobs(samples(rows) if rows else {})
            for instance, path in Exporters.targets():
                _, kind, node = path.split("/")
                hand_out(holders[node], jobs.on.get(node, []))
                victoria.take(page_of(kind, node, jobs.on.get(node, []), holders[node], at - self.start), at, job="nodes", instance=instance)
            at += SCRAPE_S
        return missed
