#!/usr/bin/env python3
"""Two controllers of a simulated cluster, each with a slurmscope that follows it. The leader changes again and again: at a
fail-over, and when processes are killed, stopped or cut off from slurmrestd. The two never lead at once, the standby tells
nothing of the cluster, and no counter of the pair goes back. When all jobs have ended each is what the simulator counted.
usage: test_failover.py [SEED]"""

import contextlib
import fcntl
import http.client
import json
import os
import pwd
import random
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import jsonschema
from simulator import SLURMSCOPE, WHOLE, Simulator
from test_events import COUNTED, compare

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
from harness import BACK_OFF, COMMIT, end_both, free_port, samples, wait_until  # noqa: E402

SCHEMA = json.loads((HERE.parent / "e2e" / "status.schema.json").read_text())
HA = HERE.parent.parent / "deploy" / "ha"
COPY_STATE = HA / "slurmscope-copy-state"
NOBODY = pwd.getpwnam("nobody")
TASKS = ("ping", "diag", "job_states", "job_search", "job_details", "job_arrays", "job_ends")
# all that a standby may tell of Slurm
OF_PING = re.compile(r"slurm_(cluster_info|controller_up|controller_ping_seconds)\{")
OF_LEADER = re.compile(r"slurmscope_(coverage_ratio|jobs_without_details|job_details_oldest\w*|job_events\w*|state\w*)( |\{|$)")


class Follower:
    """The slurmscope beside the controller `host`."""

    def __init__(self, url, host, folder, state):
        self.host, self.folder, self.state = host, Path(folder), Path(state)
        self.port = free_port()
        self.log_path = self.folder / f"log.{host}"
        token = self.folder / "token"
        token.write_text("unlooked-at")
        token.chmod(0o600)
        self.command = [SLURMSCOPE, f"--slurmrestd.url={url}", f"--slurmrestd.token-file={token}", "--slurmrestd.user=root",
                        "--ha=follow-controller", f"--ha-host={host}", f"--state.path={state}",
                        f"--web.listen-address=127.0.0.1:{self.port}", "--budget.slurmrestd=1000",
                        "--budget.slurmctld=1000", "--budget.requests=1000", "--limit.users=10000", "--log.format=json",
                        *(f"--interval.{task}=1" for task in TASKS)]
        self.process = None

    def be_nobody(self):
        program = shutil.copy(SLURMSCOPE, self.folder)  # whom the folder of the build may be closed to
        self.command = ["setpriv", f"--reuid={NOBODY.pw_uid}", f"--regid={NOBODY.pw_gid}", "--clear-groups", program, *self.command[1:]]
        for path in self.folder, self.folder / "token":
            os.chown(path, NOBODY.pw_uid, NOBODY.pw_gid)

    def start(self):
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(self.command, stderr=log, stdin=subprocess.DEVNULL)

    def end(self, how):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            status = end_both(self.process, how)
            assert status == 0 or how == signal.SIGKILL, f"status {status}: {self.log_path.read_text()[-3000:]}"

    def get(self, path):
        """(status, text); (0, "") if nobody answers, or is killed meanwhile."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=30) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as refused:
            return refused.code, refused.read().decode()
        except (OSError, http.client.HTTPException):
            return 0, ""

    def page(self):
        status, text = self.get("/metrics")
        return samples(text) if status == 200 else {}

    def leads(self):
        return self.page().get("slurmscope_leader") == 1

    def stands_by(self):
        return self.page().get("slurmscope_leader") == 0

    def status(self):
        wait_until(lambda: self.get("/api/v1/status")[0] == 200, "a page")
        status = json.loads(self.get("/api/v1/status")[1])
        jsonschema.validate(status, SCHEMA)
        return status["clusters"][0]["exporter"]

    def findings(self):
        return " ".join(finding["text"] for finding in self.status()["findings"])

    def log(self, words):
        return [line for line in map(json.loads, self.log_path.read_text().splitlines()) if words in line["msg"]]


class Pair:
    """Two followers, and what was seen of them."""

    def __init__(self, first, second):
        self.both = first, second
        self.seen = {}  # the most that each counter of either was
        self.stopped = None
        self.looks = self.led = 0

    def start(self):
        for one in self.both:
            one.start()

    def end(self):
        for one in self.both:
            one.end(signal.SIGKILL)

    def look(self):
        """Both pages; no counter of the pair has gone back, the standby tells nothing, and there is one leader at most."""
        pages = [{} if one is self.stopped else one.page() for one in self.both]
        self.looks += 1
        leaders = [page for page in pages if page.get("slurmscope_leader") == 1]
        # the first may have given way before the second was looked at
        assert len(leaders) < 2 or not self.both[0].leads() or not self.both[1].leads(), "both lead"
        self.led += len(leaders) > 0
        for page in pages:
            if page not in leaders or len(leaders) == 1:
                self.look_at(page)
        return pages

    def look_at(self, page):
        if page.get("slurmscope_leader") == 0:
            told = [series for series in page if series.startswith("slurm_") and not OF_PING.match(series) or
                    OF_LEADER.match(series)]
            asked = [series for series in page
                     if series.startswith("slurmscope_endpoint_up") and '"ping"' not in series]
            assert not told and not asked, f"a standby tells: {(told + asked)[:5]}"
        elif "slurm_cluster_job_submissions_total" in page:
            counters = {series: value for series, value in page.items() if COUNTED.match(series)}
            fell = [series for series, most in self.seen.items() if counters.get(series, 0) < most]
            assert not fell, f"they fell: {[(series, self.seen[series], counters.get(series)) for series in fell[:5]]}"
            self.seen |= counters

    def leader(self):
        pages = self.look()
        return next((page for page in pages if page.get("slurmscope_leader") == 1 and
                     "slurm_cluster_job_submissions_total" in page), None)


def requests(sim, endpoint):
    return sim.stats()["endpoints"].get(endpoint, {"requests": 0})["requests"]


def wait_for_polls(sim, count=4, endpoint="ping"):
    """Waits for `count` more requests of any slurmscope: what was not done by then is not going to be."""
    before = requests(sim, endpoint)
    wait_until(lambda: requests(sim, endpoint) >= before + count, f"{count} more requests of {endpoint}", BACK_OFF)


def short_of(sim, first, second):
    """Who leads and what the other one says, step by step."""
    first.start()
    second.start()
    wait_until(first.leads, "the first to lead")
    wait_until(lambda: second.get("/-/ready")[0] == 200 and second.status()["ha"]["serving"], "the second to stand by")
    assert second.stands_by() and second.status()["ha"] == {
        "host": "ctl2", "named": True, "serving": "ctl1", "waits_for": None}, second.status()["ha"]
    assert "stands by: the slurmctld on ctl1 serves" in second.findings()
    assert "standby" in second.get("/")[1] and "Nodes are not known" not in second.get("/")[1]
    wait_until(lambda: first.get("/-/ready")[0] == 200, "the leader to be ready")
    page = second.page()
    asked = {series for series in page if series.startswith("slurmscope_requests_total") and page[series]}
    assert asked == {'slurmscope_requests_total{endpoint="ping",result="ok"}'}, asked
    assert page['slurm_controller_up{controller="ctl2",role="backup"}'] == 1

    # frozen, it keeps the state file, so the other one must not count; afterwards it gives way
    first.process.send_signal(signal.SIGSTOP)
    sim.control("controllers?count=2&down=1")
    wait_until(lambda: second.status()["ha"]["waits_for"], "the second to wait")
    assert f"process {first.process.pid})" in second.findings() and second.stands_by()
    assert len(second.log("waits for the state file")) == 1
    first.process.send_signal(signal.SIGCONT)
    wait_until(second.leads, "the second to lead")
    wait_until(first.stands_by, "the first to stand by")
    wait_until(lambda: "slurm_cluster_nodes" in second.get("/metrics")[1], "the second to know nodes")
    assert not [series for series in first.page() if series.startswith("slurm_") and not OF_PING.match(series)]

    # neither a refused connection nor a ping without any answer changes who leads
    sim.control("fault?kind=status&endpoint=ping")
    wait_for_polls(sim)
    assert second.leads() and first.stands_by()
    sim.control("fault?kind=none")
    sim.control("controllers?count=2&down=0")
    wait_until(first.leads, "the first to lead again")
    wait_until(second.stands_by, "the second to stand by")
    for one in first, second:
        one.end(signal.SIGTERM)


def break_things(sim, pair, chance, seconds):
    """Fail-overs at all times, and what may happen to either process."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        one = chance.choice(pair.both)
        deed = chance.choice(("fail over", "fail over", "fail over", "kill", "stop", "both", "fault"))
        if deed == "fail over":
            sim.control(f"controllers?count=2&down={chance.choice((0, 1, 1))}")
        elif deed == "fault":
            sim.control(f"fault?kind={chance.choice(('status', 'cut', 'lie'))}&endpoint=ping&count=2")
        elif deed == "stop":
            pair.stopped = one
            one.process.send_signal(signal.SIGSTOP)
            time.sleep(chance.uniform(0.5, 3))
            one.process.send_signal(signal.SIGCONT)
            pair.stopped = None
        else:
            for each in pair.both if deed == "both" else (one,):
                each.end(signal.SIGKILL)
            time.sleep(chance.choice((0, 0, 2)))
            for each in pair.both if deed == "both" else (one,):
                each.start()
        time.sleep(chance.uniform(1, 6))
    sim.control("fault?kind=none")


def finish(sim, pair, what):
    """All jobs end; then the leader's page is right."""
    sim.end_all()
    truth, end, wrong = sim.truth(), time.monotonic() + 180, None
    while wrong != {} and time.monotonic() < end:
        time.sleep(0.5)
        if page := pair.leader():
            equal, wrong = compare(truth, page)
    assert wrong == {}, f"{what}: {len(wrong)} differ: {sorted(wrong.items())[:10]}"
    lost = page["slurmscope_job_events_lost_total"]
    print(f"{what}: {truth['events/cluster/submissions']:.0f} runs of jobs, {equal} numbers equal, {pair.looks} looks, "
          f"{pair.led} of them at a leader, {page['slurmscope_job_events_recovered_total']:.0f} events recovered, "
          f"{lost:.0f} lost", flush=True)
    assert not lost


def simulator(seed):
    return Simulator("--speed=1", f"--epoch={int(time.time())}", f"--seed={seed}", "--nodes=200", "--jobs=0", "--arrivals=0",
                     "--users=40", "--arrays=0.05", "--run-seconds=8", "--min-job-age=2")


def begin(sim, pair):
    """Both count from before the first job."""
    sim.catch_up()
    sim.control("controllers?count=2&down=0")
    pair.start()
    wait_until(pair.leader, "a leader")


def shared(seed, seconds=60 if WHOLE else 15):
    chance = random.Random(seed)
    with simulator(seed) as sim, tempfile.TemporaryDirectory() as folder:
        first, second = (Follower(sim.url, host, folder, f"{folder}/state") for host in ("ctl1", "ctl2"))
        pair = Pair(first, second)
        with contextlib.ExitStack() as stack:
            stack.callback(pair.end)
            sim.control("controllers?count=2&down=0")
            short_of(sim, first, second)
            begin(sim, pair)
            sim.control("arrivals?rate=20")
            breaker = threading.Thread(target=break_things, args=(sim, pair, chance, seconds))
            breaker.start()
            while breaker.is_alive():
                with contextlib.suppress(json.JSONDecodeError):
                    pair.look()
                time.sleep(0.02)
            finish(sim, pair, f"shared state, seed {seed}")
            for one in pair.both:
                one.end(signal.SIGTERM)
            assert not list(Path(folder).glob("state.*-*")), "a state file was set aside"


def totals_of(page):
    return {series: value for series, value in page.items() if re.match(r"slurm_(cluster|partition|account|user|qos)_jobs\{", series)}


def inherited(seed):
    """After a fail-over the other one's first page that tells anything has all totals of jobs."""
    with Simulator("--speed=0", f"--epoch={int(time.time())}", f"--seed={seed}", "--jobs=1000", "--users=40") as sim, \
            tempfile.TemporaryDirectory() as folder:
        sim.control("controllers?count=2&down=0")
        first, second = (Follower(sim.url, host, folder, f"{folder}/state") for host in ("ctl1", "ctl2"))
        pair = Pair(first, second)
        pair.start()
        try:
            wait_until(lambda: first.leads() and first.get("/-/ready")[0] == 200, "the first to be ready")
            wait_until(second.stands_by, "the second to stand by")
            known = time.time()
            wait_until(lambda: first.page().get(COMMIT, 0) > known, "a commit")
            before = totals_of(first.page())
            sim.control("controllers?count=2&down=1")
            page = wait_until(lambda: totals_of(second.page()), "the second to tell of jobs")
            assert page == before, list(page.items() ^ before.items())[:5]
            wait_until(lambda: second.get("/-/ready")[0] == 200, "the second to be ready")
            assert totals_of(second.page()) == before
            assert len(before) > 100 and second.log("jobs are from the state file")
            print(f"inherited: {len(before)} totals", flush=True)
        finally:
            pair.end()


def bring_copy(giver, taker, folder):
    """What slurmscope-copy-state@.service does, with both hosts and the user slurmscope played by this machine and nobody."""
    unit = (HA / "slurmscope-copy-state@.service").read_text()
    steps = re.findall(r"(?m)^ExecStart=(.*)$", unit)
    assert len(steps) == 2
    ssh = Path(folder, "ssh")
    ssh.write_text('#!/bin/sh\nshift\nexec sh -c "$*"\n')  # the host, and what a shell there is given
    ssh.chmod(0o755)
    for step in steps:
        for what, here in (("/usr/local/libexec", HA), ("copy-state slurmscope ", "copy-state nobody "), ("runuser -u slurmscope ", "runuser -u nobody "),
                           ("ssh -o BatchMode=yes", ssh), ("%i:/var/lib/slurmscope/state.db", f"there:{taker.state}"),
                           ("/var/lib/slurmscope/state.db", giver.state), ("/tmp/state.db", f"{folder}/copied")):
            step = step.replace(what, str(here))
        subprocess.run(shlex.split(step), check=True)
    assert Path(f"{taker.state}.copy").stat().st_uid == NOBODY.pw_uid


def brought_by_the_user():
    """On the other host not root writes the copy: where the user may not write, none comes."""
    with tempfile.TemporaryDirectory() as folder:
        state, theirs = Path(folder, "state"), Path(folder, "theirs")
        os.chmod(folder, 0o755)
        state.write_bytes(b"state")
        state.chmod(0o644)
        theirs.mkdir()
        with contextlib.suppress(subprocess.CalledProcessError):
            bring_copy(SimpleNamespace(state=state), SimpleNamespace(state=theirs / "state"), folder)
        assert Path(folder, "copied").exists() and not list(theirs.iterdir())
        print("brought by the user: nothing where it may not write", flush=True)


def die_as_it_writes(state):
    """Of a file that nobody has open: as if its machine had died within a transaction. What was in it does not count any more."""
    script = ("import os, sqlite3, sys; db = sqlite3.connect(sys.argv[1], isolation_level=None);"
              "db.executescript('PRAGMA cache_size = 1; BEGIN; UPDATE counter SET value = -1'); os._exit(0)")
    subprocess.run([sys.executable, "-c", script, state], check=True)
    assert Path(f"{state}-journal").stat().st_size


def copied(seed):
    """Each has a file of its own, of which a copy is brought to the other one now and then, while it is written."""
    with simulator(seed) as sim, tempfile.TemporaryDirectory() as folder:
        first, second = (Follower(sim.url, host, folder, f"{folder}/state.{host}") for host in ("ctl1", "ctl2"))
        pair, taken = Pair(first, second), 0
        for one in pair.both:
            one.be_nobody()
        with contextlib.ExitStack() as stack:
            stack.callback(pair.end)
            begin(sim, pair)
            sim.control("arrivals?rate=20")
            for down, giver, taker in ((1, first, second), (0, second, first)) * (2 if WHOLE else 1):
                for _ in range(3):
                    time.sleep(0.5)
                    bring_copy(giver, taker, folder)
                time.sleep(1.5)  # what is counted from here on the other one has to find by itself
                giver.end(signal.SIGKILL)
                die_as_it_writes(giver.state)
                sim.control(f"controllers?count=2&down={down}")
                wait_until(taker.leads, "the other one to lead")
                wait_until(lambda taker=taker: COMMIT in taker.page(), "it to write")  # so that its file is the newest
                taken += 1
                giver.start()
                pair.seen.clear()  # until then it shows what the copy has
            finish(sim, pair, f"copied state, seed {seed}")
            for one in pair.both:
                one.end(signal.SIGTERM)
            assert not list(Path(folder).glob("state.*.*-*")), "a copy was set aside"
            took = [len(one.log("replaced the state file")) for one in pair.both]
            assert sum(took) == taken, took


WRITER = """
import random, sqlite3, sys, time
db = sqlite3.connect(sys.argv[1], isolation_level=None)
for pragma in "locking_mode = EXCLUSIVE", "journal_mode = DELETE", "journal_size_limit = 16777216", "cache_size = 10":
    db.execute(f"PRAGMA {pragma}")
db.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER, rest TEXT)")
db.executemany("INSERT INTO t VALUES (?, 0, ?)", [(i, "x" * 500) for i in range(3000)])
print(flush=True)
while True:
    db.execute("BEGIN")
    for first in range(0, 3000, 100): # slowly, with a cache so small that it goes to the file at once
        db.execute("UPDATE t SET n = n + 1 WHERE id BETWEEN ? AND ?", (first, first + 99))
        time.sleep(0.003)
    db.execute("COMMIT")
    time.sleep(random.choice((0, 0.1, 0.2, 0.4, 2))) # a busy machine needs a long rest to copy
"""


def copies(count=20 if WHOLE else 10):
    """Whatever is written as the store writes, a copy is all of it as it was at one moment."""
    with tempfile.TemporaryDirectory() as folder:
        state, copy = Path(folder, "state"), Path(folder, "copy")
        with subprocess.Popen([sys.executable, "-c", WRITER, state], stdout=subprocess.PIPE) as writer:
            try:
                writer.stdout.readline()
                seen, end = [], time.monotonic() + 240
                while len(seen) < count or len(set(seen)) < 5:  # many may be of one rest
                    assert time.monotonic() < end, f"what was written was not seen: {seen}"
                    subprocess.run([COPY_STATE, "root", state, copy], check=True)
                    with contextlib.closing(sqlite3.connect(copy)) as db:
                        least, most = db.execute("SELECT min(n), max(n) FROM t").fetchone()
                        whole = db.execute("PRAGMA integrity_check").fetchone()
                    assert least == most and whole == ("ok",), f"a copy of two moments: {least}, {most}, {whole}"
                    seen.append(least)
                assert seen == sorted(seen), seen
            finally:
                writer.kill()
        assert not list(Path(folder).glob("copy.*"))
    print(f"{len(seen)} copies of {len(set(seen))} states", flush=True)


def linked():
    """Who may write beside the state gets no file copied that it may not read itself: as a link, a hard link, or a journal."""
    with tempfile.TemporaryDirectory() as folder:
        secret, place = Path(folder, "jwt_hs256.key"), Path(folder, "state")
        Path(folder).chmod(0o755)
        secret.write_text("signs tokens for root")
        secret.chmod(0o600)
        place.mkdir()
        state, copy = place / "state.db", Path(folder, "copy")
        state.write_text("counters")
        for path in place, state:
            os.chown(path, NOBODY.pw_uid, NOBODY.pw_gid)
        command = [COPY_STATE, "nobody", state, copy]
        subprocess.run(command, check=True)
        assert (copy.read_text(), copy.stat().st_mtime_ns) == ("counters", state.stat().st_mtime_ns)
        for link in os.symlink, os.link:
            state.unlink()
            link(secret, state)
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert copy.read_text() == "counters", f"{link.__name__}: it copied {copy.read_text()}"
            assert done.returncode == 1 and "is no file that nobody may read" in done.stderr, done.stderr
        assert {path.name for path in Path(folder).iterdir()} == {"jwt_hs256.key", "state", "copy"}
    print("linked: nothing was copied", flush=True)


def robbed(seed):
    """Another process has the state file when something is written just before slurmdbd is asked: it stands by, and asks
    no more."""
    with simulator(seed) as sim, tempfile.TemporaryDirectory() as folder:
        sim.catch_up()
        sim.control("controllers?count=2&down=0")
        sim.control("arrivals?rate=20")
        sim.control("fault?kind=slow&endpoint=db_jobs&seconds=1.2")  # so what happened is written before each such request
        one = Follower(sim.url, "ctl1", folder, f"{folder}/state")
        lock = Path(f"{one.state}.lock")
        one.start()
        try:
            for _ in range(4 if WHOLE else 2):
                wait_until(lambda: one.leads() and "slurm_cluster_job_submissions_total" in one.page(), "it to lead")
                wait_for_polls(sim, 3, "db_jobs")
                lock.unlink()
                with open(lock, "w", encoding="utf-8") as other:
                    fcntl.lockf(other, fcntl.LOCK_EX)
                    other.write("another")
                    other.flush()
                    one.state.unlink()
                    wait_until(lambda: one.stands_by() or one.process.poll() is not None, "it to stand by")
                    asked = requests(sim, "db_jobs")
                    wait_for_polls(sim)
                    assert one.process.poll() is None, f"it ended with {one.process.returncode}"
                    assert one.stands_by() and one.status()["ha"]["waits_for"]
                    assert requests(sim, "db_jobs") == asked
        finally:
            one.end(signal.SIGTERM)


def unnamed():
    """A slurmscope whose host is no controller's says so, once in the log."""
    with simulator(1) as sim, tempfile.TemporaryDirectory() as folder:
        one = Follower(sim.url, "ctl9", folder, f"{folder}/state")
        one.start()
        try:
            wait_until(lambda: one.log("ping names no controller of this host"), "it to be said")
            wait_until(lambda: "Ping names no controller ctl9" in one.findings(), "a finding")
            wait_for_polls(sim)
            assert one.stands_by() and len(one.log("ping names no controller of this host")) == 1
            assert not one.state.exists()
        finally:
            one.end(signal.SIGTERM)


def reloaded(seed):
    """A reload makes a running slurmscope follow a controller, and another one not; nothing that it counted is lost."""
    with simulator(seed) as sim, tempfile.TemporaryDirectory() as folder:
        sim.catch_up()
        sim.control("controllers?count=2&down=0")
        config = Path(folder, "config")
        one = Follower(sim.url, "ctl2", folder, f"{folder}/state")
        one.command = [word for word in one.command if not word.startswith("--ha")] + [f"--config.file={config}"]
        pair = Pair(one, one)
        config.write_text("ha: off\n")
        one.start()
        try:
            wait_until(one.leads, "it to lead")
            sim.control("arrivals?rate=20")
            for _ in range(2):
                time.sleep(2)
                for text, is_it in (("ha: follow-controller\nha-host: ctl2\n", one.stands_by), ("ha: off\n", one.leads)):
                    config.write_text(text)
                    one.process.send_signal(signal.SIGHUP)
                    wait_until(is_it, text)
                    pair.look_at(one.page())
            pair.both = (one,)
            finish(sim, pair, f"reloaded, seed {seed}")
        finally:
            one.end(signal.SIGTERM)


@contextlib.contextmanager
def mounted(folder, *options):
    """A folder, and where it is seen as a network's file system."""
    here, there = Path(folder, "here"), Path(folder, "there")
    here.mkdir()
    there.mkdir()
    subprocess.run(["bindfs", *options, here, there], check=True)
    try:
        yield here, there
    finally:
        subprocess.run(["umount", there], check=True)


@contextlib.contextmanager
def alone(sim, folder, there):
    one = Follower(sim.url, "ctl1", folder, there / "state")
    one.command = [word for word in one.command if not word.startswith("--ha")]
    try:
        one.start()
        wait_until(lambda: one.get("/-/ready")[0] == 200, "readiness")
        yield one
    finally:
        one.end(signal.SIGTERM)


def network(seed):
    """On a file system that is, as far as anybody can tell, a network's: no WAL, though ha is off."""
    with simulator(seed) as sim, tempfile.TemporaryDirectory() as folder, mounted(folder) as (here, there), \
            alone(sim, folder, there) as one:
        assert one.leads() and one.status()["ha"] is None
        written = (here / "state").read_bytes()[18:20]
        assert written == b"\x01\x01" and not (here / "state-wal").exists(), f"journal {written}"
        assert str(one.process.pid) in (here / "state.lock").read_text()


def slow_disk(seed):
    """Each write of the state takes seconds. It takes a quarter of the time at most, but the next page comes after half a minute."""
    with simulator(seed) as sim, tempfile.TemporaryDirectory() as folder, mounted(folder, "--write-rate=30000") as (here, there), \
            alone(sim, folder, there) as one:
        made = set()

        def look():
            cluster, = json.loads(one.get("/api/v1/status")[1])["clusters"]
            made.add(cluster["made_timestamp_seconds"])
            return len(made) > 2
        wait_until(look, lambda: f"pages to be made: {sorted(made)}", 240)


if __name__ == "__main__":
    SEED = int(sys.argv[1]) if sys.argv[1:] else 1
    with ThreadPoolExecutor(6) as pool:  # they mostly wait
        parts = [pool.submit(shared, SEED), pool.submit(copied, SEED),
                 *(pool.submit(part, SEED) for part in (slow_disk, reloaded, robbed, network, inherited)),
                 *map(pool.submit, (copies, linked, brought_by_the_user, unnamed))]
        for part in parts:
            part.result()
