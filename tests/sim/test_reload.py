#!/usr/bin/env python3
"""Two simulated clusters full of short jobs, one slurmscope whose configuration is changed again and again: addresses, state
files, schedules, limits, labels, mistakes. A cluster goes and comes back, as does another's slurmrestd. No counter ever goes
back, and when all jobs have ended each is what the simulators counted. Then a filter denies a user a row: the name leaves
page and state file.   usage: test_reload.py [SEED]"""

import contextlib
import http.client
import random
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

from simulator import SLURMSCOPE, Simulator
from test_events import COUNTED, compare, time_is_near

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "e2e"))
from harness import free_port, samples, wait_until  # noqa: E402

SECONDS, CHANGES, RATE = 25, 14, 20
NAMES = "alpha", "beta"
TASKS = ("diag", "job_states", "job_search", "job_details", "job_arrays", "job_ends")


def is_excess(truth, differs):
    """A job may be requeued and run again while nobody looks, because a poller hands over or slurmrestd is away. It is RUNNING
    before and after, which is all that jobs/state tells. So its first run is given the time in between until slurmdbd tells of
    its end. Its next run is given less by the same time, unless that run is shorter. The simulator starts the next run within
    seconds; slurmctld, as far as we know (not measured), after about two minutes. How often anything happened is exact."""
    return time_is_near(truth, differs, 0, 0.02) and all(
        "_seconds_total" in series and shown > true for series, (shown, true) in differs.items())


class Setup:
    """What the configuration file says."""

    def __init__(self, folder, sims, chance):
        self.folder, self.sims, self.chance = Path(folder), sims, chance
        self.hosts = {name: "127.0.0.1" for name in NAMES}
        self.states = {"alpha": str(self.folder / "state"), "beta": None}  # one at the start: the sandbox lets its folder be written to
        self.interval, self.per_node, self.written, self.denied, self.users_max = 1, "default", 0, None, 10000
        (self.folder / "token").write_text("unlooked-at")
        (self.folder / "token").chmod(0o600)

    def text(self):
        lines = [f"slurmrestd: {{token-file: {self.folder}/token, user: root}}",
                 f"nodes: {{per-node: {self.per_node}}}", "budget: {slurmrestd: 1000, slurmctld: 1000, requests: 1000}",
                 f"limit: {{users: {self.users_max}}}", *([f"filter: {{users-deny: {self.denied}}}"] if self.denied else []), "interval:", *(f"  {task}: {self.interval}s" for task in TASKS), "clusters:"]
        for name, sim in self.sims.items():
            port = sim.url.rpartition(":")[2]
            lines += [f"  {name}:", f"    slurmrestd: {{url: \"http://{self.hosts[name]}:{port}\"}}"]
            if self.states[name]:
                lines.append(f"    state: {{path: {self.states[name]}}}")
        return "\n".join(lines) + "\n"

    def write(self, text=None):
        (self.folder / "config.yml").write_text(text or self.text())

    def change(self):
        """What it was; whether it is right."""
        name = self.chance.choice(NAMES)
        kind = self.chance.choice(("url", "url", "state", "state", "interval", "per-node", "mistake"))
        if kind == "url":  # the same cluster under another name: a new poller
            self.hosts[name] = "localhost" if self.hosts[name] == "127.0.0.1" else "127.0.0.1"
        elif kind == "state":  # a file of its own, or none
            self.written += 1
            self.states[name] = self.chance.choice((None, str(self.folder / f"state-{self.written}")))
        elif kind == "interval":
            self.interval = self.chance.choice((1, 2))
        elif kind == "per-node":
            self.per_node = self.chance.choice(("off", "default", "full"))
        self.write(self.text() + "limits: {}\n" if kind == "mistake" else None)
        return kind, kind != "mistake"


class Daemon:
    def __init__(self, folder):
        self.port, self.log = free_port(), Path(folder, "log")
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen([SLURMSCOPE, f"--config.file={folder}/config.yml",
                                             f"--web.listen-address=127.0.0.1:{self.port}"],
                                            stderr=log, stdin=subprocess.DEVNULL)
        self.before, self.seen, self.denied = {}, 0, None

    def page(self):
        """None while there is none; no counter may have gone back."""
        assert self.process.poll() is None, f"it died: {self.log.read_text()[-3000:]}"
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=30) as answer:
                page = samples(answer.read().decode())
        except (OSError, http.client.HTTPException):
            return None
        fell = [series for series, value in self.before.items()
                if COUNTED.match(series) and page.get(series, 0) < value and f'user="{self.denied}"' not in series]
        assert not fell, f"they fell: {[(s, self.before[s], page.get(s)) for s in fell[:5]]}"
        self.before = page
        self.seen += 1
        return page

    def of(self, name):
        """The cluster's page."""
        page = wait_until(self.page, "a page")
        label = f'cluster="{name}"'
        return {re.sub(rf"{label},?", "", series).replace("{}", ""): value for series, value in page.items() if label in series}

    def reload(self, is_right):
        said = self.log.read_text().count("msg=\"the configuration")
        self.process.send_signal(signal.SIGHUP)
        wait_until(lambda: self.log.read_text().count("msg=\"the configuration") > said, "it is read again")

        def shows_it():  # the page comes after the log's line
            page = self.page()
            return page and page["slurmscope_config_last_reload_successful"] == is_right
        wait_until(shows_it, lambda: f"the page to show it: {self.log.read_text()[-1000:]}")


def harm(sim, chance, stop):
    """One of them is away now and then."""
    while not stop.wait(chance.uniform(2, 6)):
        with contextlib.suppress(ConnectionError, TimeoutError):
            sim.control(f"refuse?seconds={chance.randint(1, 3)}")


def live(sims, setup, daemon, chance):
    stop = threading.Event()
    harmer = threading.Thread(target=harm, args=(sims["alpha"], random.Random(chance.random()), stop), daemon=True)
    for sim in sims.values():
        sim.control(f"arrivals?rate={RATE}")
    harmer.start()
    changes = []
    for _ in range(CHANGES):
        end = time.monotonic() + chance.uniform(0.2, 1.8) * SECONDS / CHANGES
        while time.monotonic() < end:
            daemon.page()
            time.sleep(0.2)
        kind, is_right = setup.change()
        daemon.reload(is_right)
        changes.append(kind)
    setup.write()
    daemon.reload(True)
    stop.set()
    harmer.join()
    for sim in sims.values():
        wait_until(lambda sim=sim: calm(sim), "all jobs to end", 120)
    return changes


SWEEP_S = 900  # twenty windows of half a minute, and half as much again


def calm(sim):
    """Have all jobs ended?"""
    try:
        sim.control("arrivals?rate=0")
        sim.control("cancel")
        truth = sim.truth()
    except (ConnectionError, TimeoutError):
        return False
    time.sleep(0.5)
    return not truth.get("jobs/PENDING", 0) + truth.get("jobs/RUNNING", 0) + truth.get("completing", 0)


def submissions_of(sim, user):
    return sum(value for key, value in sim.truth().items() if re.fullmatch(rf"events/user/{user}/[^/]+/submissions", key))


def deny(setup, daemon, sim):
    """A user with a row of events is not to have one any more: nobody is to see the name, nor what was counted twice. What the
    user submits from then on is `other`'s."""
    name, series = "alpha", "slurm_user_job_submissions_total"
    rows = {key: value for key, value in daemon.of(name).items() if key.startswith(series)}
    user = re.search(r'user="([^"]+)"', max(rows, key=rows.get))[1]
    setup.denied = daemon.denied = user
    setup.write()
    daemon.reload(True)
    wait_until(lambda: not [key for key in daemon.of(name) if f'user="{user}"' in key], f"a page without {user}")
    page = daemon.of(name)
    assert page[f'slurmscope_series_folded{{family="{series}"}}'] >= 1, page
    before = submissions_of(sim, user)

    def has_submitted():
        sim.control("storm?jobs=50")
        sim.control("advance?seconds=1")
        return submissions_of(sim, user) >= before + 10
    wait_until(has_submitted, f"{user} to submit")
    other = f'{series}{{user="other",account="other"}}'
    # a sweep tells of the last ones that ended before anybody looked
    wait_until(lambda: daemon.of(name).get(other) == submissions_of(sim, user) - before,
               lambda: f"{submissions_of(sim, user) - before} submissions of others: {daemon.of(name).get(other)}", SWEEP_S)
    return user


def stored_users(path):
    with contextlib.closing(sqlite3.connect(path)) as db:
        return {name.split("\x1f")[0] for name, in db.execute("SELECT name FROM counter WHERE kind = 'user'")}


def main(seed):
    chance = random.Random(seed)
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        sims = {name: stack.enter_context(Simulator(
            "--speed=1", f"--epoch={int(time.time())}", f"--seed={seed + i}", "--nodes=100", "--jobs=0", "--arrivals=0",
            "--users=40", "--arrays=0.05", "--run-seconds=8", "--min-job-age=2")) for i, name in enumerate(NAMES)}
        for sim in sims.values():
            sim.catch_up()
        setup = Setup(folder, sims, chance)
        setup.write()
        daemon = Daemon(folder)
        stack.callback(daemon.process.kill)
        wait_until(lambda: all("slurm_cluster_job_submissions_total" in daemon.of(name) for name in NAMES), "both count")
        changes = live(sims, setup, daemon, chance)
        wrong, equal = {}, {}

        def is_right():
            wrong.clear()
            for name, sim in sims.items():
                truth = sim.truth()
                equal[name], differs = compare(truth, daemon.of(name))
                if not is_excess(truth, differs):
                    wrong.update({f"{name}: {series}": pair for series, pair in differs.items()})
            time.sleep(1)
            return not wrong
        with contextlib.suppress(AssertionError):
            wait_until(is_right, lambda: "the right numbers", 180)
        for series, (shown, true) in sorted(wrong.items())[:20]:
            print(f"differs: {series}: page {shown}, simulator {true}")
        runs = sum(sim.truth()["events/cluster/submissions"] for sim in sims.values())
        print(f"reload, seed {seed}: {runs:.0f} runs of jobs, {len(changes)} changes ({', '.join(changes)}), "
              f"{daemon.seen} pages, {sum(equal.values())} numbers equal, {len(wrong)} different")
        with urllib.request.urlopen(f"http://127.0.0.1:{daemon.port}/plan", timeout=30) as answer:
            plan = answer.read().decode()
        setup.states["alpha"] = str(Path(folder, "state-denied"))
        setup.write()
        daemon.reload(True)
        denied = deny(setup, daemon, sims["alpha"])
        daemon.process.terminate()
        status = daemon.process.wait(90)
        errors = [line for line in daemon.log.read_text().splitlines() if "level=error" in line and "limits: unknown" not in line]
        assert status == 0 and not errors, (status, errors)
        stored = stored_users(setup.states["alpha"])
        assert len(stored) > 10 and denied not in stored, (denied, stored)
        assert min(equal.values()) > 500, equal
        if wrong:
            print(plan)
            print(daemon.log.read_text()[-3000:])
            sys.exit(1)


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 1)
