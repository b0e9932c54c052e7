#!/usr/bin/env python3
"""A site without slurmdbd, where slurmctld forgets jobs sooner than slurmscope looks, and where slurmscope is away for a
while. Jobs that nobody saw are in no counter, but in slurmscope_job_events_lost_total.   usage: test_unseen.py [SEED]

slurmctld's time goes eight times as fast as ours: what is awaited for minutes comes soon."""

import signal
import sys
import tempfile
import time
from pathlib import Path

from simulator import Simulator
from test_ends import ends
from test_events import Exporter, Watch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "e2e"))
from harness import wait_until  # noqa: E402

SPEED, RATE = 8, 1    # submissions in each of slurmctld's seconds
PATIENCE = 300
MISSING_MAX = 0.1    # of all: jobs that were cancelled before they started, unseen. diag's number of those is not exact
PENDING = 'slurm_cluster_jobs{state="pending"}'
LOST = "slurmscope_job_events_lost_total"


class Account:
    """The jobs that ended according to slurmctld, and what the page has of it."""

    def __init__(self, sim, watch):
        self.sim, self.watch = sim, watch

    def true(self):
        return sum(value for name, value in self.sim.truth().items() if name.startswith("events/cluster/ends/"))

    def missing(self):
        """Ends that are neither counted nor lost."""
        page = self.watch.page()
        return self.true() - ends(page) - page[LOST]

    def pass_by(self, seconds):
        """slurmctld's time goes on, and slurmscope sees it twice: what it says of jobs that nobody saw takes minutes."""
        self.sim.control(f"advance?seconds={seconds}")
        before = self.asked()
        wait_until(lambda: self.asked() >= before + 2, "diag to be asked", PATIENCE)

    def asked(self):
        return self.sim.stats()["endpoints"].get("diag", {"requests": 0})["requests"]

    def live(self, more):
        """Until that number of further jobs have ended."""
        self.sim.control(f"arrivals?rate={RATE}")
        least = self.true() + more
        wait_until(lambda: self.true() >= least, f"{more} ends", PATIENCE)

    def sees_what_waits(self):
        return self.watch.page().get(PENDING, 0) == self.sim.truth().get("jobs/PENDING", 0)

    def settle(self, what):
        """No more jobs come, and all end. Returns the last page."""
        self.sim.control("arrivals?rate=0")
        # a busy machine looks seldom: what is cancelled before slurmscope saw it wait is in no number of slurmctld's
        wait_until(self.sees_what_waits, lambda: f"{what}: {self.watch.page().get(PENDING)} wait, it says", PATIENCE)
        self.sim.end_all()
        most = MISSING_MAX * self.true()
        wait_until(lambda: self.pass_by(75) or self.missing() <= most, lambda: f"{what}: {self.missing()} ends are missing", PATIENCE)
        for _ in range(3):
            self.pass_by(120)
            assert self.missing() >= 0, f"{what}: {-self.missing()} more are lost than there were"
        page = self.watch.page()
        print(f"{what}: of {self.true():.0f} ends {ends(page):.0f} are counted, {page[LOST]:.0f} are lost", flush=True)
        return page


def main(seed):
    with (Simulator(f"--speed={SPEED}", f"--epoch={int(time.time())}", f"--seed={seed}", "--nodes=300", "--jobs=0",
                    "--arrivals=0", "--users=20", "--run-seconds=8", "--arrays=0", "--min-job-age=2") as sim,
          tempfile.TemporaryDirectory() as folder):
        sim.catch_up()
        exporter = Exporter(sim.url, folder, ["--jobs.ends=slurmctld", "--interval.diag=1", "--interval.job_states=2"])
        account = Account(sim, Watch(exporter))
        exporter.start()
        account.watch.page()
        account.live(100)
        wait_until(lambda: ends(account.watch.page()), "an end to be seen", PATIENCE)
        page = account.settle("slurmscope looks too seldom")
        assert page[LOST]

        exporter.end(signal.SIGKILL)
        account.live(70)
        sim.control("arrivals?rate=0")
        sim.end_all()
        exporter.start()
        account.settle("slurmscope was away")
        exporter.end(15)


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 1)
