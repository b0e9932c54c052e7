#!/usr/bin/env python3
"""This machine's clock is an hour ahead of slurmctld's, or behind it: all is counted all the same, by slurmctld's clock.
usage: test_clocks.py [SEED]"""

import contextlib
import signal
import sqlite3
import sys
import time

from test_events import compare
from test_takeover import SETTLE, Stage, at_once

APART = 3600
SECONDS = 50  # of traffic: several sweeps, one of which is to know no more than slurmctld can have told


def begin(stage, behind):
    """Counting began by slurmctld's clock: by ours nothing of the first hour would count, or what was before it."""
    stage.sim.control("slurmctld?down=1")
    stage.start()
    stage.exporter.end(signal.SIGTERM)
    with contextlib.closing(sqlite3.connect(stage.state, isolation_level=None)) as state:
        state.execute("UPDATE mark SET value = value - ? WHERE name IN ('birth', 'looked_until', 'ends_known_until')",
                      (behind + 60,))
    stage.sim.control("slurmctld?down=0")
    stage.start()


def live(seed, behind):
    with contextlib.ExitStack() as stack:
        stage = Stage(seed, stack, behind)
        stage.choose("auto")
        begin(stage, behind)
        stage.sim.control("arrivals?rate=10")
        stage.live(SECONDS)
        stage.sim.end_all()
        truth, end = stage.sim.truth(), time.monotonic() + SETTLE
        while (differs := compare(truth, stage.watch.page())[1]) and time.monotonic() < end:
            time.sleep(1)
        ends = truth["events/cluster/submissions"]
        lost = stage.watch.page()["slurmscope_job_events_lost_total"]
        stage.exporter.end(signal.SIGTERM)
        for series, (shown, true) in sorted(differs.items())[:20]:
            print(f"differs: {series}: page {shown}, simulator {true}")
        print(f"slurmctld {behind:+} s behind: {ends:.0f} runs of jobs, {len(differs)} numbers different, {lost:.0f} lost")
        assert ends > 300, "too few"
        if differs or lost:
            print(stage.log.read_text()[-3000:])
            sys.exit(1)


if __name__ == "__main__":
    at_once(lambda behind: live(int(sys.argv[1]) if sys.argv[1:] else 1, behind), (APART, -APART))
