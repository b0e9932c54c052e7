#!/usr/bin/env python3
"""Daemons of a real Slurm are stopped, frozen and started again under a running slurmscope. What it
says of the controller stays true, the numbers stay, and everything comes back.
usage: test_faults.py CLUSTER    (with its workload, see `with`; SLURMSCOPE is the binary)"""
import re
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "e2e"))
from harness import ENDPOINTS, EVERY_SECOND, Daemon, asked_since, held, is_up  # noqa: E402
from real_slurm import Cluster, check  # noqa: E402

# What needs slurmctld and a token, and is asked on while it fails; the others wait for it.
AUTHENTICATED = ("diag",)
CONTROLLER = 'slurm_controller_up{controller="controller",role="primary"}'
# What moves by itself, and slurm_dbd_up, which is never held.
# Why jobs wait, too: the scheduler looks again at a job whose node is down, and forgets it again.
MOVES = re.compile(r"slurm_(\w+_(pending_jobs|oldest_pending_\w+)\{|pending_job_expected_start|"
                   r"(scheduler|backfill|controller|rpc|user_rpc|dbd)_|"
                   r"(account|user)_(usage|fairshare)|node_(load1|free_memory)|"
                   r"\w+_usage\{.*_seconds)")
# What fails after work may wait as long as this (BACK_OFF_MAX_S in lib/plan/trouble.c). A busy slurmrestd works for long on a
# request before it is stopped.
PATIENCE = 90 + 600


def all_is_up(page):
    """ping may be asked again after the others."""
    return all(is_up(page, e) for e in ENDPOINTS) and page.get(CONTROLLER) == 1


class Watched(Daemon):
    """A slurmscope on the real cluster that remembers what it showed when all was well."""

    def __init__(self):
        super().__init__(None, *EVERY_SECOND, "--interval.dbd_ping=1", "--slurmrestd.user=scope", url=SLURM.url,
                         token=SLURM.ask("token", "scope", 7200))

    def wait_for(self, accept, why="the page to change", seconds=PATIENCE):
        return super().wait_for(accept, why, seconds)

    def settled(self):
        """Its page when all was asked twice more: what is made of two answers is there."""
        self.wait_well()
        for _ in range(2):
            began = time.time()
            page = self.wait_for(lambda page: asked_since(page, began, ENDPOINTS), "all to be asked again")
        return page

    def wait_down(self, *endpoints):
        return self.wait_for(lambda page: all(is_up(page, e) == 0 for e in endpoints),
                             f"{endpoints} to be down")

    def check_numbers(self, title, before, page):
        """Gauges are held; what moves by itself is left out: cycles, queues, forecasts, RPCs, usage, load."""
        was, now = ({series: value for series, value in held(taken).items() if not MOVES.match(series)}
                    for taken in (before, page))
        different = {s: (was.get(s), now.get(s)) for s in was.keys() | now.keys()
                     if was.get(s) != now.get(s)}
        check(f"{title}: the {len(was)} numbers are what they were", was and not different,
              dict(list(different.items())[:10]))


def slurmdbd_away(daemon, before):
    with SLURM.without("slurmdbd"):
        began = time.time()
        page = daemon.wait_for(lambda page: asked_since(page, began, ("ping", "diag", "jobs")), "slurmctld to be asked")
        if SLURM.release != "22.05":  # which has no ping for slurmdbd
            page = daemon.wait_for(lambda page: page.get("slurm_dbd_up") == 0, "slurmdbd to be missed")
        check("slurmdbd away: slurmctld is not called down", page.get(CONTROLLER) == 1)
        daemon.check_numbers("slurmdbd away", before, page)
    daemon.wait_well()


def slurmctld_away(daemon, before):
    with SLURM.without("slurmctld"):
        page = daemon.wait_down(*AUTHENTICATED)
        daemon.check_numbers("slurmctld away", before, page)
        # Absent until something is asked after ping that needs slurmctld; on 22.05 ping fails, too, and it stays so.
        daemon.wait_for(lambda page: page.get(CONTROLLER, 0 if SLURM.release == "22.05" else None) == 0,
                        "slurmctld away: up is 0, or not said where ping fails too (22.05)")
    daemon.wait_for(all_is_up, "slurmctld back: up is 1")


def slurmrestd_away(daemon, before):
    with SLURM.without("slurmrestd"):
        page = daemon.wait_down("ping", *AUTHENTICATED)
        daemon.check_numbers("slurmrestd away", before, page)
        check("slurmrestd away: nothing is said of slurmctld", CONTROLLER not in page)
    daemon.wait_well()
    check("slurmrestd away: one warning per endpoint",
          len(daemon.log(msg="poll failed", endpoint="ping", result="unreachable")) == 1)


def bad_token(daemon, before):
    good = daemon.tokens[-1]
    daemon.write_token(good[:-6] + "AAAAAA")
    page = daemon.wait_down(*AUTHENTICATED)
    daemon.check_numbers("bad token", before, page)
    check("bad token: slurmctld is not called down, though ping says so",
          page.get(CONTROLLER) != 0, page.get(CONTROLLER))
    daemon.write_token(good)
    daemon.wait_for(all_is_up, "good token again: up is 1")


def expired_token(daemon, before):
    good = daemon.tokens[-1]
    daemon.write_token(SLURM.ask("token", "scope", 1))
    daemon.wait_down(*AUTHENTICATED)
    page = daemon.wait_for(lambda page: any(
        page.get(f'slurmscope_requests_total{{endpoint="{e}",result="unauthorized"}}')
        for e in AUTHENTICATED), "a request that is unauthorized")
    daemon.check_numbers("expired token", before, page)
    check("expired token: slurmctld is not called down", page.get(CONTROLLER) != 0)
    daemon.write_token(good)
    daemon.wait_well()


def main():
    with Watched() as daemon:
        for fault in (slurmdbd_away, bad_token, expired_token, slurmrestd_away, slurmctld_away):
            before = daemon.settled()
            check("all is well: slurmctld is up", before.get(CONTROLLER) == 1)
            fault(daemon, before)
    print(f"{SLURM.name}: all faults passed")


if __name__ == "__main__":
    SLURM = Cluster(sys.argv[1])
    main()
