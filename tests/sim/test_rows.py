#!/usr/bin/env python3
"""Which users have a row of events after a reload, on a simulated cluster whose jobs go on running. A limit that SIGHUP raised,
and a filter that it took away, give names their rows. What those users submit from then on counts there, and `other` stays as
it was."""

import contextlib
import re
import tempfile
import time

from simulator import Simulator
from test_reload import Daemon, Setup, wait_until

NAME = "alpha"
FAMILY = "slurm_user_job_submissions_total"
OTHER = f'{FAMILY}{{user="other",account="other"}}'


def true_submissions(sim):
    """{series: how many the simulator counted}"""
    found = {re.fullmatch(r"events/user/([^/]+)/([^/]+)/submissions", key): value for key, value in sim.truth().items()}
    return {f'{FAMILY}{{user="{match[1]}",account="{match[2]}"}}': value for match, value in found.items() if match}


def shown_submissions(daemon):
    return {series: value for series, value in daemon.of(NAME).items() if series.startswith(FAMILY)}


def submit(sim, daemon, jobs, missing):
    """Submits that number of jobs, and waits until the page has all submissions but the missing ones, of a row that is gone.
    Returns {series: growth} by the simulator, and the page's series."""
    truth = true_submissions(sim)
    sim.control(f"storm?jobs={jobs}")
    wait_until(lambda: sum(true_submissions(sim).values()) >= sum(truth.values()) + jobs, "the storm")
    wanted = sum(true_submissions(sim).values()) - missing
    wait_until(lambda: sum(shown_submissions(daemon).values()) == wanted,
               lambda: f"{wanted} submissions of users: {shown_submissions(daemon)}")
    return ({series: value - truth.get(series, 0) for series, value in true_submissions(sim).items()},
            shown_submissions(daemon))


def check_growth(grew, before, page):
    """Each user's own row grew by what the user submitted, `other` not at all."""
    assert page[OTHER] == before[OTHER], (before, page)
    assert {series: page.get(series, 0) - before.get(series, 0) for series in grew} == grew, (grew, before, page)


def raise_limit(sim, setup, daemon):
    """From one row to 500: returns whose row there was."""
    _, before = submit(sim, daemon, 60, 0)
    own = before.keys() - {OTHER}
    assert len(own) == 1 and before[OTHER] > 10, before
    setup.users_max = 500
    setup.write()
    daemon.reload(True)
    grew, page = submit(sim, daemon, 60, 0)
    check_growth(grew, before, page)
    assert sum(value >= 5 for value in grew.values()) >= 3, grew
    return own.pop()


def relax_filter(sim, setup, daemon, own):
    """Denied, then not any more: the row begins again."""
    setup.denied = daemon.denied = re.search(r'user="([^"]+)"', own)[1]
    setup.write()
    daemon.reload(True)
    wait_until(lambda: own not in shown_submissions(daemon), "a page without the row")
    lost = true_submissions(sim)
    gone = sum(value for series, value in lost.items() if f'user="{setup.denied}"' in series)
    _, before = submit(sim, daemon, 60, gone)
    setup.denied = None
    setup.write()
    daemon.reload(True)
    grew, page = submit(sim, daemon, 200, gone)
    check_growth(grew, before, page)
    assert grew[own] >= 5, grew
    return page


def main():
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        sim = stack.enter_context(Simulator(
            "--speed=1", f"--epoch={int(time.time())}", "--nodes=500", "--jobs=0", "--arrivals=0", "--users=5", "--arrays=0",
            "--run-seconds=100000000", "--node-failures=0"))  # None is requeued meanwhile.
        sim.catch_up()
        setup = Setup(folder, {NAME: sim}, None)
        setup.users_max = 1
        setup.write()
        daemon = Daemon(folder)
        stack.callback(daemon.process.kill)
        wait_until(lambda: "slurm_cluster_job_submissions_total" in daemon.of(NAME), "it counts")
        own = raise_limit(sim, setup, daemon)
        page = relax_filter(sim, setup, daemon, own)
        daemon.process.terminate()
        assert daemon.process.wait(90) == 0, daemon.log.read_text()[-1000:]
        print(f"rows: {len(page)} rows of submissions, {sum(page.values()):.0f} in all")


if __name__ == "__main__":
    main()
