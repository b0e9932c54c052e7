"""What is run while one of its calls fails: slurmscope, once and as a daemon, beside a simulated cluster."""

import contextlib
import http.client
import os
import re
import shutil
import signal
import sqlite3
import ssl
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "sim"), str(HERE.parent / "e2e")]
from certificates import make_authority, make_certificate  # noqa: E402
from harness import listening_port, samples  # noqa: E402
from simulator import SLURMSCOPE, Simulator  # noqa: E402
from tokens import KEY  # noqa: E402
from sheet import ALLOCATIONS  # noqa: E402

PATIENCE = 120  # seconds until a run hangs
CALM_S = 200  # Then all jobs have ended, and requeued ones, too.
EVENTS = re.compile(r"slurm_(\w+_job_(submissions|starts|ends)_total|partition_job_runtime_seconds_count)(\{|$)")
HASH = "$2b$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW"  # "secret", at the least cost
WEB = f"tls_server_config: {{cert_file: server.pem, key_file: server.key}}\nbasic_auth_users: {{prometheus: {HASH}}}\n"
SECRET = {"Authorization": "Basic cHJvbWV0aGV1czpzZWNyZXQ="}
REASON = re.compile(r"level=(warn|error) |^out of memory$|^\S+: error while loading shared libraries", re.M)


def family(series):
    return series.partition("{")[0]


def events_of(page):
    return {series: value for series, value in page.items() if EVENTS.match(series)}


def told(out):
    """What whole lines of a page say of Slurm."""
    lines = out[:out.rfind("\n") + 1]
    return {series: value for series, value in samples(lines).items() if series.startswith("slurm_")} if lines else {}


# Where a library of Debian 12 is what dies: nothing of ours can prevent that, and systemd starts slurmscope again.
OF_LIBRARIES = {
    "alloc at (libseccomp|libjansson|libcrypto|libjson-c|libtasn1)": "uses the memory that it was not given, or frees it twice",
    "alloc at (libgmp|libgnutls)": "aborts; GMP says why",
    "epoll_ctl at libmicrohttpd": "ends the process, and says so, if it cannot take back a descriptor that it watches",
}
# What grows with the time that jobs run, and counts our own requests
MOVES = re.compile(r"running_seconds|_rpc_")


class Wrong(Exception):
    """What a run did that it must not do."""


class Died(Wrong):
    """By a signal that it did not send to itself, or it hangs."""


class World:
    """A cluster in which jobs came, started and ended since the state file was written. Its clock stands, or goes on while no job
    comes, starts or ends."""

    def __init__(self, goes_on=False):
        self.stack = contextlib.ExitStack()
        self.folder = Path(self.stack.enter_context(tempfile.TemporaryDirectory(prefix="slurmscope-faults-")))
        self.sim = self.stack.enter_context(Simulator(
            "--release=26.05", "--nodes=12", "--jobs=60", "--users=6", "--run-seconds=30", "--compact",
            f"--speed={int(goes_on)}", f"--epoch={int(time.time()) - 90 - goes_on * CALM_S}", key=KEY))
        self.key = self.folder / "key"
        shutil.copy(self.sim.key_file, self.key)
        self.key.chmod(0o600)
        make_authority(self.folder, "ca")
        make_certificate(self.folder, "server", "ca", "DNS:localhost,IP:127.0.0.1")
        self.tls = ssl.create_default_context(cafile=self.folder / "ca.pem")
        self.options = [f"--slurmrestd.jwt-key-file={self.key}", "--slurmrestd.user=root",
                        *(f"--budget.{what}=1000" for what in ("slurmrestd", "slurmctld", "requests")),
                        *(f"--interval.{name}=1" for name in ("ping", "diag", "job_states", "job_search", "job_details", "job_ends"))]
        self.state = self.folder / "state"
        self.sim.control("advance?seconds=30")
        with tempfile.TemporaryDirectory() as folder, Daemon(self, folder) as daemon:
            daemon.wait_for(lambda page: "slurmscope_state_last_commit_timestamp_seconds" in page and daemon.is_ready(), "a first state")
            assert daemon.stop() == 0, daemon.said()
            shutil.copy(daemon.state, self.state)
        before = self.submitted()
        self.sim.control("arrivals?rate=1")
        self.sim.control("advance?seconds=60")
        if goes_on:
            self.sim.control("arrivals?rate=0")
            self.sim.control(f"advance?seconds={CALM_S}")
        self.missed = self.submitted() - before

    def submitted(self):
        return self.sim.truth()["events/cluster/submissions"]

    def __enter__(self):
        return self

    def __exit__(self, *why):
        return self.stack.__exit__(*why)


@contextlib.contextmanager
def said_with(said):
    """Adds the log to what is wrong."""
    try:
        yield
    except Wrong as wrong:
        raise type(wrong)(f"{wrong}\n{said()[-2500:]}") from None


def check_end(status, said, place):
    """That the program ended as it may: well, or with a reason. It aborts where there is no memory, and says so."""
    is_memory = place and place.call in (*ALLOCATIONS, "mmap", "mmap64")
    if status == -signal.SIGABRT and is_memory and re.search("^out of memory$", said, re.M):
        return
    if status < 0:
        raise Died(f"ended by signal {-status}")
    if status and not REASON.search(said):
        raise Wrong(f"status {status} without a reason")


class Once:
    """`slurmscope --once`: its page is right, or what is missing on it has a reason."""

    def __init__(self, world):
        self.world = world
        pages = []
        for _ in range(3):
            status, out, said = self.run({})
            assert status == 0, said
            pages.append(told(out))
            time.sleep(1.1)
        self.moves = {family(series) for page in pages for series, value in page.items()
                      if any(other.get(series) != value for other in pages)}
        self.page = self.still(pages[0])
        assert len(self.page) > 500, (len(self.page), self.moves)

    def still(self, page):
        """Without nodes it is not known whether a job holds all CPUs of its own: then its row does not say."""
        return {re.sub(',exclusive="(true|false)"', "", series): value for series, value in page.items()
                if family(series) not in self.moves and not MOVES.search(series)}

    def run(self, environment):
        command = [SLURMSCOPE, "--once", f"--slurmrestd.url={self.world.sim.url}", *self.world.options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, env=os.environ | environment)
        return done.returncode, done.stdout, done.stderr

    def reference(self, sheet):
        status, _, said = self.run(sheet.environment())
        assert status == 0, said

    def try_one(self, sheet, place, nth):
        try:
            status, out, said = self.run(sheet.environment(place, nth))
        except subprocess.TimeoutExpired as late:
            raise Died(f"hangs: {late.stderr}") from None
        with said_with(lambda: said):
            check_end(status, said, place)
            page = self.still(told(out))
            other = {series: (value, self.page.get(series)) for series, value in page.items() if self.page.get(series) != value}
            if other:
                raise Wrong(f"other numbers: {list(other.items())[:5]}")
            missing = self.page.keys() - page.keys()
            if status == 0 and missing:
                raise Wrong(f"missing, and nothing said: {sorted(missing)[:5]}")


class Daemon:
    """A slurmscope with a state file, TLS and passwords."""

    def __init__(self, world, folder, environment=None):
        self.world, self.folder = world, Path(folder)
        self.log, self.state = self.folder / "log", self.folder / "state"
        if world.state.exists():
            shutil.copy(world.state, self.state)
        for name in "server.pem", "server.key":
            shutil.copy(world.folder / name, self.folder / name)
        (self.folder / "web.yml").write_text(WEB)
        (self.folder / "slurmscope.yml").write_text(f"slurmrestd: {{url: '{world.sim.url}'}}\n")
        self.environment = os.environ | (environment or {})

    def __enter__(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [SLURMSCOPE, f"--config.file={self.folder / 'slurmscope.yml'}", f"--state.path={self.state}",
                 f"--web.config.file={self.folder / 'web.yml'}", "--web.listen-address=127.0.0.1:0", "--web.enable-lifecycle",
                 *self.world.options], stderr=log, stdin=subprocess.DEVNULL, env=self.environment)
        return self

    def __exit__(self, *why):
        self.process.kill()
        self.process.wait()

    def said(self):
        return self.log.read_text(errors="replace")

    def port(self):
        """None while it does not listen, or when it has ended."""
        with contextlib.suppress(OSError):
            return listening_port(self.process.pid)

    def wait(self, what, why):
        """The first true value of what(); None if the process ends before."""
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            began = time.monotonic()
            if value := what():
                return value
            if time.monotonic() > end:
                raise Died(f"waited in vain: {why}")
            time.sleep(min(max(0.05, 9 * (time.monotonic() - began)), 1))  # a page over TLS takes more than a test's rest
        return None

    def ask(self, path, method="GET"):
        """(status, text); None where the connection broke."""
        port = self.port()
        try:
            with contextlib.closing(http.client.HTTPSConnection("localhost", port or 1, timeout=PATIENCE, context=self.world.tls)) as asked:
                asked.request(method, path, headers=SECRET)
                answer = asked.getresponse()
                return answer.status, answer.read().decode()
        except (OSError, http.client.HTTPException):
            return None

    def asked_well(self, path, method="GET"):
        answer = self.ask(path, method)
        return answer if answer and answer[0] == 200 else None

    def is_ready(self):
        return self.asked_well("/-/ready")

    def wait_for(self, accept, why):
        """The first page that `accept` likes; None if the process ends before."""
        def look():
            answer = self.asked_well("/metrics")
            page = answer and samples(answer[1])
            return page if page and accept(page) else None
        return self.wait(self.port, "it serves") and self.wait(look, why)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise Died("hangs at SIGTERM") from None

    def counters(self):
        """Of job events, as they survive a restart."""
        with contextlib.closing(sqlite3.connect(f"file:{self.state}?mode=ro", uri=True)) as db:
            return dict(((kind, name, what, detail), value) for kind, name, what, detail, value in
                        db.execute("SELECT kind, name, what, detail, value FROM counter") if what in ("submissions", "starts", "ends"))


class Serving:
    """The daemon: it finds the events that it missed, is scraped, reloaded and stopped. None of them is lost. The clock goes on: after
    a fault some are found only when slurmscope reads the next ends from slurmdbd."""

    def __init__(self, world):
        self.world, self.events = world, {}
        with tempfile.TemporaryDirectory() as folder, Daemon(world, folder) as daemon:
            self.events = self.settled(daemon)
            self.live(daemon)
            assert daemon.stop() == 0, daemon.said()
            self.counters = daemon.counters()
        assert sum(self.counters.values()) > 300, self.counters
        assert self.events["slurm_cluster_job_submissions_total"] == world.missed, (self.events, world.missed)

    def settled(self, daemon):
        """What is counted when all is known: it stays for ten seconds."""
        last = [None, 0]

        def look(page):
            events = events_of(page)
            if events != last[0]:
                last[:] = events, time.monotonic()
            return daemon.is_ready() and time.monotonic() > last[1] + 10
        return events_of(daemon.wait_for(look, "events are found"))

    def is_right(self, page):
        events = events_of(page)
        more = {series: value for series, value in events.items() if value > self.events.get(series, 0)}
        if more:
            raise Wrong(f"counted too often: {list(more.items())[:5]}")
        return events == self.events

    def live(self, daemon):
        """All of a daemon's life but its end; it may end by itself at any point."""
        daemon.wait_for(self.is_right, "all events on the page")
        for path in "/", "/api/v1/status", "/plan":
            daemon.wait(lambda: daemon.asked_well(path), path)
        lines = daemon.said().count("the configuration ")
        daemon.process.send_signal(signal.SIGHUP)
        daemon.wait(lambda: daemon.said().count("the configuration ") > lines, "it was told to reload")
        daemon.ask("/-/reload", "POST")
        now = time.time()
        daemon.wait_for(lambda page: page.get("slurmscope_state_last_commit_timestamp_seconds", 0) > now, "the state is written")

    def reference(self, sheet):
        with tempfile.TemporaryDirectory() as folder, Daemon(self.world, folder, sheet.environment()) as daemon:
            self.live(daemon)
            assert daemon.stop() == 0, daemon.said()

    def try_one(self, sheet, place, nth):
        with tempfile.TemporaryDirectory() as folder:
            with Daemon(self.world, folder, sheet.environment(place, nth)) as daemon, said_with(daemon.said):
                self.live(daemon)
                check_end(daemon.stop(), daemon.said(), place)
            with contextlib.suppress(sqlite3.Error):
                if daemon.counters() == self.counters:
                    return
            with daemon, said_with(daemon.said):
                if not daemon.wait_for(self.is_right, "all events after a start without faults"):
                    raise Wrong(f"does not start again: {daemon.process.returncode}")
