#!/usr/bin/env python3
"""Jobs by groups that the site defines, on a simulator full of short jobs, where things break and slurmscope is killed. When
all jobs have ended each counter of three groups is what the simulator counted. On each page the groups' jobs add up to those of
their partitions and accounts. Then SIGHUP brings other groups: one goes on, one begins again, one goes, one comes.
usage: test_groups.py [SEED]"""

import contextlib
import os
import random
import re
import signal
import sqlite3
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

from simulator import Simulator
from test_events import Exporter, break_things, labels, short

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "e2e"))
from harness import wait_until  # noqa: E402

MIB = 1 << 20
ALL = "metrics: [jobs, cpus, memory, gpus, ends, waits, runtimes, use], limit: 1000"
WHO = f"  - {{name: who, by: [account, qos, {{label: kind, from: name, regex: '([a-z]+).*'}}], {ALL}}}"
KIND = f"  - {{name: kind, by: [partition, name], {ALL}}}"
APP = f"  - {{name: app, by: [license], {ALL}}}"
# cmd/slurmsim/view_jobs.c has them; U+FFFD stands where one is not UTF-8
NAMES = ["train", "relax", "md_run", "blast", "post", '\\"quoted\\"', "a/b", "größe", "x86 build", "sweep", "test", "latin\ufffd",
         "interactive", "nightly", "sim", "wrap"]
KINDS = [(re.fullmatch("([a-z]+).*", name) or ["", ""])[1] for name in NAMES]
COUNTERS = {"submissions": ("submissions_total", 1), "starts": ("starts_total", 1),
            "cpu_seconds": ("allocated_cpu_seconds_total", 1), "billing_seconds": ("allocated_billing_seconds_total", 1),
            "memory_mib_seconds": ("allocated_memory_byte_seconds_total", MIB)}
SUMS = {"wait_seconds": "eligible_wait_seconds", "queue_seconds": "submit_wait_seconds", "run_seconds": "runtime_seconds"}
EVENTS = re.compile(r"slurm_group_(\w+)_job_(\w+_total|\w+_seconds_(sum|count))(\{|$)")
COUNTED = re.compile(r"slurm_\w+_job_\w+_(total|bucket|sum|count)(\{|$)")  # never falls


def row_of(group, who):
    """[(label, value)], without labels that are empty"""
    values = {"who": lambda: (who[0], who[1], KINDS[int(who[2])]), "kind": lambda: (who[0], NAMES[int(who[1])]),
              "app": lambda: who}[group]()
    names = {"who": ("account", "qos", "kind"), "kind": ("partition", "name"), "app": ("license",)}[group]
    return [(name, value) for name, value in zip(names, values) if value]


def series_of(family, row, *more):
    pairs = [*row, *more]
    return family + labels([name for name, _ in pairs], [value for _, value in pairs])


def expected(truth):
    """({series: value}, {series: how much more it may be}), as test_events has it"""
    series, more = Counter(), Counter()
    for key, value in truth.items():
        if not key.startswith("groups/"):
            continue
        group, *rest = key.split("/")[1:]
        size = {"who": 3, "kind": 2, "app": 1}[group]
        row, (what, *detail) = row_of(group, rest[:size]), rest[size:]
        family = f"slurm_group_{group}_job_"
        if what == "ends":
            series[series_of(family + "ends_total", row, ("state", detail[0].lower()))] += value
        elif what == "gpu_seconds":
            series[series_of(family + "allocated_gres_seconds_total", row, ("gres", "gpu"), ("type", "a100"))] += value
        elif what == "named" and group == "kind":
            more[series_of(family + "submissions_total", row)] += value
        elif what in COUNTERS:
            name, factor = COUNTERS[what]
            series[series_of(family + name, row)] += value * factor
        elif what in SUMS:
            series[series_of(f"{family}{SUMS[what]}_sum", row)] += value
        if what == "starts":
            for name in SUMS.values():
                series[series_of(f"{family}{name}_count", row)] += value
    return series, more


def compare(truth, page):
    series, more = expected(truth)
    mine = {name: value for name, value in page.items() if EVENTS.match(name)}
    wrong = {}
    for name in mine.keys() | series.keys():
        shown, true = mine.get(name, 0), series.get(name, 0)
        if not -1e-9 * true <= shown - true <= more.get(name, 0) + 1e-9 * true:
            wrong[name] = shown, true
    return len(mine.keys() | series.keys()) - len(wrong), wrong


def added(page, family, keep):
    """The family's samples, added up by these labels."""
    sums = Counter()
    for series, value in page.items():
        if series.partition("{")[0] == family and value:
            found = dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', series))
            sums[tuple(found.get(label, "") for label in keep)] += value
    return sums


def check_present(page):
    """What jobs hold and ask for now: the same by any label."""
    for what in "jobs", "job_cpus", "job_memory_bytes", "job_gres":
        more = ("gres", "type", "state") if what == "job_gres" else ("state",)
        for group, label in ("kind", "partition"), ("who", "account"):
            by_group = added(page, f"slurm_group_{group}_{what}", (label, *more))
            by_entity = added(page, f"slurm_{label}_{what}", (label, *more))
            assert by_group == by_entity, (group, what, by_group - by_entity, by_entity - by_group)
        apps = added(page, f"slurm_group_app_{what}", more)
        assert apps == added(page, f"slurm_cluster_{what}", more) or what == "jobs", (what, apps)


class Watch:
    """Sees each page: no counter may have gone back, and present numbers add up."""

    def __init__(self, exporter):
        self.exporter, self.before, self.seen = exporter, {}, 0

    def page(self):
        page = wait_until(self.exporter.page, self.exporter.why, 300)
        fell = [name for name, value in self.before.items() if COUNTED.match(name) and page.get(name, 0) < value]
        assert not fell, f"they fell: {[(name, self.before[name], page.get(name)) for name in fell[:5]]}"
        if "slurm_partition_jobs" in str(page):
            check_present(page)
            self.seen += 1
        self.before = page
        return page


def settled(watch, what, seconds=180):
    """What `what` finds on a page when it finds nothing wrong, or nothing new for that long."""
    last, since = None, time.monotonic()
    while True:
        equal, wrong = what(watch.page())
        if wrong != last:
            last, since = wrong, time.monotonic()
        if not wrong or time.monotonic() > since + seconds:
            return equal, wrong
        time.sleep(1)


def define(folder, *groups):
    Path(folder, "groups.yml").write_text("groups:\n" + "\n".join(groups) + "\n")


def reload(folder, exporter):
    log = Path(folder, "log")
    said = log.read_text().count('msg="the configuration')
    exporter.process.send_signal(signal.SIGHUP)
    wait_until(lambda: log.read_text().count('msg="the configuration') > said, "it is read again")


def growth(after, before):
    return {series: value - before.get(series, 0) for series, value in after.items() if value != before.get(series, 0)}


def redefine(sim, folder, exporter, watch):
    """who goes on, kind begins again with other labels, app goes, own comes."""
    before, truth = watch.page(), expected(sim.truth())[0]
    define(folder, WHO, f"  - {{name: kind, by: [partition, {{label: name, from: name, regex: '(.).*'}}], {ALL}}}",
           "  - {name: own, by: [user]}")
    reload(folder, exporter)
    watch.before = {series: value for series, value in before.items() if not re.match("slurm_group_(kind|app)", series)}
    wait_until(lambda: not any("slurm_group_app" in series for series in exporter.page() or ["slurm_group_app"]),
               "a page without the group that went")
    page = exporter.page()
    assert not [s for s, value in page.items() if s.startswith("slurm_group_kind_job_") and value and EVENTS.match(s)], page
    submitted = sim.truth()["events/cluster/submissions"]
    sim.control("storm?jobs=100")
    wait_until(lambda: sim.truth()["events/cluster/submissions"] >= submitted + 100, "the storm")
    time.sleep(5)
    sim.end_all()
    wanted = growth(expected(sim.truth())[0], truth)

    def compare_growth(now):
        grew = growth({s: v for s, v in now.items() if s.startswith("slurm_group_who") and EVENTS.match(s)}, before)
        want = {series: value for series, value in wanted.items() if series.startswith("slurm_group_who")}
        wrong = {s: (grew.get(s), want.get(s)) for s in grew.keys() | want.keys() if abs(grew.get(s, 0) - want.get(s, 0)) > 1e-6 * abs(want.get(s, 0))}
        anew = sum(v for s, v in now.items() if re.match(r'slurm_group_kind_job_starts_total\{.*name="."', s))
        own = sum(v for s, v in now.items() if s.startswith("slurm_group_own_job_ends_total{user="))
        starts = sum(value for series, value in want.items() if "_starts_total" in series)
        ends = sum(value for series, value in want.items() if "_ends_total" in series)
        named = sum(v for s, v in now.items() if s.startswith("slurm_group_kind_job_starts_total"))
        if named != starts or anew == 0 or own != ends:
            wrong["new groups"] = (named, anew, own), (starts, ends)
        return len(want), wrong

    def seen():
        page = wait_until(exporter.page, exporter.why, 300)
        return page
    last, since = None, time.monotonic()
    while True:
        equal, wrong = compare_growth(seen())
        if wrong != last:
            last, since = wrong, time.monotonic()
        if not wrong or time.monotonic() > since + 120:
            return equal, wrong
        time.sleep(1)


def kinds_stored(folder):
    with contextlib.closing(sqlite3.connect(Path(folder, "state"))) as db:
        return {kind.split()[1] for kind, in db.execute("SELECT DISTINCT kind FROM counter WHERE kind LIKE 'group %'")}


def main(seed):
    chance, life = random.Random(seed), short()
    with (Simulator("--speed=1", f"--epoch={int(time.time())}", f"--seed={seed}", f"--nodes={life.nodes}", "--jobs=0",
                    "--arrivals=0", *life.sim) as sim, tempfile.TemporaryDirectory() as folder,
          contextlib.closing(Exporter(sim.url, folder, [*life.scope, f"--config.file={folder}/groups.yml"])) as exporter):
        define(folder, WHO, KIND, APP)
        sim.catch_up()
        exporter.start()
        watch = Watch(exporter)
        watch.page()
        stop = threading.Event()
        breaker = threading.Thread(target=break_things, args=(sim, life.nodes, chance, stop))
        sim.control(f"arrivals?rate={life.rate}")
        breaker.start()
        try:
            for _ in range(6):
                time.sleep(chance.uniform(1, 3))
                watch.page()
                exporter.end(signal.SIGKILL)
                time.sleep(chance.choice((0, 0, 2)))
                exporter.start()
                watch.page()
        finally:
            stop.set()
            breaker.join()
        sim.end_all()
        truth = sim.truth()
        equal, wrong = settled(watch, lambda page: compare(truth, page))
        assert not wrong, (equal, sorted(wrong.items())[:10], Path(folder, "log").read_text()[-2000:])
        folded = {s: v for s, v in watch.page().items() if s.startswith("slurmscope_series_folded") and "group_" in s and v}
        assert not folded, folded
        grew, wrong = redefine(sim, folder, exporter, watch)
        assert not wrong, (grew, sorted(wrong.items())[:10], Path(folder, "log").read_text()[-2000:])
        exporter.end(signal.SIGTERM)
        assert kinds_stored(folder) == {"who", "kind", "own"}, kinds_stored(folder)
        print(f"groups, seed {seed}: {truth['events/cluster/submissions']:.0f} runs of jobs, 6 kills, {equal} numbers equal; "
              f"{watch.seen} pages add up; defined anew: {grew} numbers equal")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else int.from_bytes(os.urandom(2), "big"))
