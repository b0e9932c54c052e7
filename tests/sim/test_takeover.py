#!/usr/bin/env python3
"""slurmctld tells how jobs end until slurmdbd takes over: by another configuration, over a restart or without one, or because
it comes late. slurmctld has forgotten many by then, slurmdbd tells of all: each is counted once.   usage: test_takeover.py [SEED]"""

import contextlib
import re
import signal
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from simulator import WHOLE, Simulator
from test_events import Exporter, Watch, compare, time_is_near

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "e2e"))
from harness import wait_until  # noqa: E402

TASKS = "diag", "job_states", "job_search", "job_details", "job_arrays", "job_ends"
RATE = 10        # submissions a second
MIN_JOB_AGE = 15 # so that slurmctld forgets
LIFE = 40 if WHOLE else 20  # seconds, before slurmdbd takes over and after: longer than slurmctld remembers
AWAITED = 120    # event_poller.c: SLURMDBD_GIVE_UP_S
SETTLE = 180


def ends(page):
    return sum(value for series, value in page.items() if series.startswith("slurm_cluster_job_ends_total"))


def is_all_that_slurmctld_told(truth, wrong):
    """What differs because slurmctld never tells how a run ended whose job was started again, nor how long it was. It counts
    as requeued, and its time as far as it was seen."""
    ends = Counter()
    for series, (shown, true) in wrong.items():
        if "_job_ends_total" in series:
            ends[re.sub(r',?state="(requeued|preempted|node_fail)"', "", series)] += shown - true
        elif "_seconds_total" not in series and "job_runtime_seconds" not in series or shown > true:
            return False
    return not any(ends.values()) and time_is_near(truth, wrong, -0.02, 0)


class Stage:
    """A simulator with jobs, and a slurmscope that counts them."""

    def __init__(self, seed, stack, behind=0):
        """The simulator's clock lags by `behind` seconds."""
        self.sim = stack.enter_context(Simulator(
            "--speed=1", f"--epoch={int(time.time()) - behind}", f"--seed={seed}", "--nodes=200", "--jobs=0", "--arrivals=0",
            "--users=40", "--arrays=0.05", "--run-seconds=8", f"--min-job-age={MIN_JOB_AGE}"))
        if not behind:
            self.sim.catch_up()
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        self.config, self.log, self.state = Path(folder, "config.yml"), Path(folder, "log"), Path(folder, "state")
        self.exporter = Exporter(self.sim.url, folder, [f"--config.file={self.config}",
                                                        *(f"--interval.{task}=1" for task in TASKS)])
        self.watch = Watch(self.exporter)

    def choose(self, source):
        self.config.write_text(f"jobs: {{ends: {source}}}\n")

    def start(self):
        self.exporter.start()
        self.watch.page()

    def live(self, seconds):
        """The last page. Now and then it is looked at: no counter falls."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            page = self.watch.page()
            time.sleep(1)
        return page

    def settle(self, name):
        self.sim.end_all()
        truth, end = self.sim.truth(), time.monotonic() + SETTLE
        while not is_all_that_slurmctld_told(truth, wrong := compare(truth, self.watch.page())[1]) and time.monotonic() < end:
            time.sleep(1)
        page = self.watch.page()
        self.exporter.end(signal.SIGTERM)
        lost = page["slurmscope_job_events_lost_total"]
        is_right = is_all_that_slurmctld_told(truth, wrong) and not lost
        for series, (shown, true) in sorted(wrong.items())[:0 if is_right else 20]:
            print(f"differs: {series}: page {shown}, simulator {true}")
        print(f"slurmdbd takes over, {name}: {ends(page):.0f} ends, {truth['events/cluster/submissions']:.0f} submissions, "
              f"{len(wrong)} numbers less for want of slurmctld's word on requeues, {lost:.0f} lost",
              flush=True)
        if not is_right:
            print(self.log.read_text()[-3000:])
            sys.exit(1)


def by_restart(stage):
    stage.choose("slurmctld")
    stage.start()
    stage.sim.control(f"arrivals?rate={RATE}")
    assert ends(stage.live(LIFE)) > RATE, "slurmctld tells of ends"
    stage.exporter.end(signal.SIGKILL)
    stage.choose("auto")
    stage.start()
    stage.live(LIFE)


def by_reload(stage):
    stage.choose("slurmctld")
    stage.start()
    stage.sim.control(f"arrivals?rate={RATE}")
    assert ends(stage.live(LIFE)) > RATE, "slurmctld tells of ends"
    stage.choose("slurmdbd")
    stage.exporter.process.send_signal(signal.SIGHUP)
    wait_until(lambda: "msg=\"the configuration" in stage.log.read_text(), "it is read again")
    stage.live(LIFE)


def late(stage):
    """It is waited for, until ends are taken from slurmctld, which knows all since then and some from before."""
    stage.choose("auto")
    stage.sim.control("slurmdbd?down=1")
    stage.start()
    stage.live(AWAITED - MIN_JOB_AGE + 5)
    stage.sim.control(f"arrivals?rate={RATE}")
    assert ends(stage.live(MIN_JOB_AGE + LIFE)) > RATE, "slurmctld tells of ends where slurmdbd never answered"
    stage.sim.control("slurmdbd?down=0")
    stage.live(LIFE)


def take_over(seed, way):
    with contextlib.ExitStack() as stack:
        stage = Stage(seed, stack)
        way(stage)
        stage.settle(way.__name__.replace("_", " "))


def at_once(do, each):
    """They mostly wait."""
    with ThreadPoolExecutor() as pool:
        list(pool.map(do, each))


def main(seed):
    at_once(lambda way: take_over(seed, way), (by_restart, by_reload, *((late,) if WHOLE else ())))


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 1)
