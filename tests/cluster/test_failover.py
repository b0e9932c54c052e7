#!/usr/bin/env python3
"""A real pair of slurmctld, each with a slurmrestd and a slurmscope beside it. While jobs of all outcomes come and go the
primary is stopped and comes back, again and again. The slurmscope of the slurmctld that serves leads, and no counter of the
pair goes back. At the end each counter and each bucket is what sacct says. A slurmctld that is killed may start jobs a second
time because it had not written down their first start. slurmdbd has their last start then, the page the first.
usage: test_failover.py RELEASE-pair [JOBS [ROUNDS [stop|kill]]]    (a new one, see `with`; SLURMSCOPE is the binary)"""
import contextlib
import http.client
import json
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "e2e"))
from events_oracle import FAMILIES, resizes, wait_for_ends  # noqa: E402
from harness import wait_until  # noqa: E402
from slurm_says import Slurm, conclude  # noqa: E402
from test_events import Exporter, compare_all, settle, traffic, without_ends, without_ends_now, without_forgotten  # noqa: E402

HOSTS = "controller", "controller2"
PATIENCE = 400  # seconds for a fail-over: a request that waits for the backup may hang for two minutes
OF_PING = ("slurm_cluster_info", "slurm_controller_")


class Follower(Exporter):
    """The slurmscope of one of the hosts; both have the same state file."""

    def __init__(self, slurm, folder, host, url):
        home = Path(folder, host)
        home.mkdir()
        super().__init__(slurm, home, f"--slurmrestd.url={url}", "--ha=follow-controller", f"--ha-host={host}",
                         f"--state.path={folder}/state", "--interval.ping=2")
        self.host = host

    def look(self):
        try:
            return self.page()
        except subprocess.CalledProcessError:
            return {}

    def leads(self):
        return self.look().get("slurmscope_leader") == 1

    def stands_by(self):
        return self.look().get("slurmscope_leader") == 0


class Pair:
    """Looks at both all the time."""

    def __init__(self, followers):
        self.followers = followers
        self.seen, self.faults, self.looks = {}, [], 0
        self.stop, self.lock = threading.Event(), threading.Lock()
        self.thread = threading.Thread(target=self.watch)

    def look(self):
        """The leader's page; None if there is none, or it has no counters yet."""
        with self.lock:
            return self.look_at_both()

    def look_at_both(self):
        self.looks += 1
        pages = [one.look() for one in self.followers]
        leaders = [page for page in pages if page.get("slurmscope_leader") == 1]
        if len(leaders) > 1 and all(one.leads() for one in self.followers):
            self.faults.append("both lead")
        for page in pages:
            if page.get("slurmscope_leader") == 0:
                self.faults += [f"a standby tells {series}" for series in page
                                if series.startswith("slurm_") and not series.startswith(OF_PING)][:3]
        if len(leaders) != 1 or "slurm_cluster_job_submissions_total" not in leaders[0]:
            return None
        counters = {series: value for series, value in leaders[0].items() if FAMILIES.match(series)}
        self.faults += [f"{series} fell from {most} to {counters.get(series)}" for series, most in self.seen.items()
                        if counters.get(series, 0) < most][:3]
        self.seen |= counters
        return leaders[0]

    def page(self):
        """As test_events.settle asks for it."""
        return self.look() or {}

    def watch(self):
        while not self.stop.wait(0.3):
            self.look()

    def __enter__(self):
        for one in self.followers:
            one.start()
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()
        for one in self.followers:
            one.close()

    def logs(self):
        return "\n".join(f"{one.host}:\n{(one.folder / 'log').read_text()[-3000:]}" for one in self.followers)


def pings(slurm, url):
    """[(host, primary, responding)], as slurmrestd lists them."""
    request = urllib.request.Request(f"{url}/slurm/v0.0.42/ping", headers={
        "X-SLURM-USER-NAME": "scope", "X-SLURM-USER-TOKEN": slurm.ask("token", "scope")})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return [(ping["hostname"], ping["primary"], ping["responding"]) for ping in json.load(answer)["pings"]]


def check_pings(slurm, urls, first_is_up):
    """Both slurmrestds list both controllers, the primary first whichever serves; the backup responds while it waits, too."""
    wanted = [("controller", True, first_is_up), ("controller2", False, True)]

    def told(url):
        try:
            return pings(slurm, url)
        except (OSError, ValueError, KeyError, http.client.HTTPException, AssertionError) as error:
            return error  # it takes over at this moment
    for url in urls:
        wait_until(lambda: told(url) == wanted, lambda: told(url), PATIENCE)


def change_over(slurm, urls, verb, leader, standby):
    """How long it takes until the leader leads and the other stands by."""
    began = time.monotonic()
    slurm.ask(verb, "slurmctld")
    wait_until(leader.leads, f"the slurmscope of {leader.host} to lead", PATIENCE)
    wait_until(standby.stands_by, f"the slurmscope of {standby.host} to stand by", PATIENCE)
    check_pings(slurm, urls, verb == "start")
    return time.monotonic() - began


def counts_on(pair):
    """Until the leader has counted more."""
    def ends():
        return sum(value for series, value in (pair.look() or {}).items() if series.startswith("slurm_cluster_job_ends_total"))
    before = wait_until(ends, "a page of the leader", PATIENCE)
    wait_until(lambda: ends() > before, "more ends", PATIENCE)


def fail_over(slurm, urls, pair, end):
    """How long it took until the second led, and until the first did again."""
    first, second = pair.followers
    taken = change_over(slurm, urls, end, second, first)
    counts_on(pair)
    back = change_over(slurm, urls, "start", first, second)
    return taken, back


def main(jobs, rounds, end):
    slurm = Slurm(CLUSTER)
    urls = slurm.url, slurm.url.replace("127.0.0.1", "127.0.0.2")
    check_pings(slurm, urls, True)
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder, "state")
        with Pair([Follower(slurm, folder, host, url) for host, url in zip(HOSTS, urls)]) as pair:
            try:
                took = live(slurm, pair, urls, jobs, rounds, end)
                wait_for_ends(slurm)
                page, equal, wrong, count = settle(slurm, pair, {}, partial(compare_all, slurm),
                                                    lambda wrong: without_forgotten(wrong, without_ends_now(state)))
            except BaseException:
                print(pair.logs())
                raise
        forgotten = without_ends(state)
        with contextlib.closing(sqlite3.connect(state)) as db:
            journal = db.execute("PRAGMA journal_mode").fetchone()[0]
        wrong = without_forgotten(wrong, forgotten)
        report(slurm, page, equal, wrong, count, took, pair, forgotten)
        if wrong or pair.faults or journal != "delete" or page["slurmscope_job_events_lost_total"]:
            print(*pair.faults[:20], f"journal {journal}", pair.logs(), *forgotten, sep="\n")
            sys.exit(1)


def live(slurm, pair, urls, jobs, rounds, end):
    first, second = pair.followers
    wait_until(lambda: first.leads() and first.is_ready(), "the first slurmscope to lead and be ready", PATIENCE)
    wait_until(second.stands_by, "the second slurmscope to stand by")
    done, took = threading.Event(), []

    def let_jobs_come():
        traffic(slurm, jobs)
        while not done.is_set():
            traffic(slurm, jobs // 10)
    worker = threading.Thread(target=let_jobs_come)
    worker.start()
    try:
        for _ in range(rounds):
            counts_on(pair)
            took.append(fail_over(slurm, urls, pair, end))
    finally:
        done.set()
        worker.join()
    return took


def report(slurm, page, equal, wrong, count, took, pair, forgotten):
    for series, (shown, true) in sorted(wrong.items())[:30]:
        print(f"differs: {series}: page {shown}, sacct {true}")
    if wrong:
        print("sacct of jobs that were resized:", *resizes(slurm), sep="\n")
    line = (f"{slurm.release} failover: {count} runs of jobs, fail-overs took "
            f"{', '.join(f'{taken:.0f} s and {back:.0f} s back' for taken, back in took)}; {equal} numbers equal, "
            f"{len(wrong)} different, {pair.looks} looks at both, {len(pair.faults)} faults, "
            f"{page['slurmscope_job_events_recovered_total']:.0f} events recovered, "
            f"{page['slurmscope_job_events_lost_total']:.0f} lost, {len(forgotten)} jobs forgotten by slurmctld")
    conclude(line)


if __name__ == "__main__":
    CLUSTER = sys.argv[1]
    main(int(sys.argv[2]) if sys.argv[2:] else 200, int(sys.argv[3]) if sys.argv[3:] else 2, *(sys.argv[4:] or ["stop"]))
