#!/usr/bin/env python3
"""A busy site: 40 jobs end each second. slurmscope follows, reads each about once, tells how far it is, and counts each once.
It does so though slurmdbd hears of them late or is away for a while.   usage: test_ends.py [SEED]"""

import re
import sys
import tempfile
import time
from pathlib import Path

from simulator import WHOLE, Simulator
from test_events import Exporter, Watch, compare, time_is_near

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "e2e"))
from harness import wait_until  # noqa: E402

RATE = 40        # submissions a second
FOLLOWED, MEASURED, LATE, AWAY = (50, 75, 40, 40) if WHOLE else (5, 15, 5, 5)  # seconds; unit.end_pace has hours
READS_MAX = 1.6  # of each: 1.4 in test_end_pace, and a few that are asked for by name
LAG_MAX = 120    # seconds
PATIENCE = 900
TIME = re.compile("_seconds_(total|sum)$")
TIME_MORE_MAX = 0.005
KNOWN = "slurmscope_job_ends_known_until_timestamp_seconds"
READ = 'slurmscope_records_total{endpoint="dbd_jobs",result="used"}'


def ends(page):
    return sum(value for series, value in page.items() if series.startswith("slurm_cluster_job_ends_total"))


def wait_for(watch, is_so, what):
    """The page."""
    return wait_until(lambda: is_so(page := watch.page()) and page, what, PATIENCE)


def is_right(truth, page):
    """All is as it should be. On a busy machine two jobs once had 17 s too many. The likely cause, which nobody has proved, is
    that the simulator's clock fell behind. Up to 0.5 % of all time may be too much, and this prints it."""
    wrong = compare(truth, page)[1]
    if not wrong:
        return True
    is_time = all(TIME.search(series.partition("{")[0]) for series in wrong)
    if is_time and time_is_near(truth, wrong, 0, TIME_MORE_MAX):
        print(f"more time than there was: {wrong}", flush=True)
        return True
    return False


def main(seed):
    with (Simulator("--speed=1", f"--epoch={int(time.time())}", f"--seed={seed}", "--nodes=600", "--jobs=0", "--arrivals=0",
                    "--users=40", "--run-seconds=5", "--arrays=0", "--min-job-age=60") as sim,
          tempfile.TemporaryDirectory() as folder):
        sim.catch_up()
        exporter = Exporter(sim.url, folder, ["--jobs.steps=off", "--jobs.accounting-from=0", "--interval.diag=5",
                                                *([] if WHOLE else ["--interval.job_ends=5", "--budget.slurmrestd=50"])])
        watch = Watch(exporter)
        exporter.start()
        watch.page()
        sim.control(f"arrivals?rate={RATE}")
        first = wait_for(watch, lambda page: ends(page) > FOLLOWED * RATE, "ends to be followed")
        last = wait_for(watch, lambda page: ends(page) > ends(first) + MEASURED * RATE, "more ends")
        reads = (last[READ] - first[READ]) / (ends(last) - ends(first))
        lag = wait_for(watch, lambda page: time.time() - page[KNOWN] < LAG_MAX, "ends to be known soon")[KNOWN]
        print(f"{ends(last) - ends(first):.0f} ends, each read {reads:.2f} times, {time.time() - lag:.0f} s behind", flush=True)
        assert reads <= READS_MAX or not WHOLE, reads  # short windows overlap much
        sim.control("slurmdbd?late=20")
        wait_for(watch, lambda page: ends(page) > ends(last) + LATE * RATE, "ends that slurmdbd hears of late")
        sim.control("slurmdbd?late=0")
        sim.control("slurmdbd?down=1")
        time.sleep(AWAY)
        sim.control("slurmdbd?down=0")
        sim.end_all()
        truth = sim.truth()
        wait_until(lambda: is_right(truth, watch.page()), lambda: f"{compare(truth, watch.page())[1]}", PATIENCE)
        page = watch.page()
        exporter.end(15)
        assert not page["slurmscope_job_events_lost_total"]
        print(f"{ends(page):.0f} ends are counted once, none is lost", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 1)
