"""What the end-to-end tests share: the daemon under test, its page and its log."""

import contextlib
import ctypes
import fcntl
import glob
import http.client
import json
import os
import random
import re
import signal
import socket
import subprocess
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fake_slurmrestd import ENDPOINTS, MORE_ENDPOINTS, make_token

SLURMSCOPE = os.path.abspath(os.environ.get("SLURMSCOPE", "build/bin/slurmscope"))
PATIENCE = 90  # seconds: the machine is noisy, and slow is not wrong.
# Under ThreadSanitizer all waits may be longer.
SLOWER = 5 if os.path.isfile(SLURMSCOPE) and b"__tsan_init" in Path(SLURMSCOPE).read_bytes() else 1
BACK_OFF = 330  # seconds that the planner may wait after six failures. Even on a busy machine a test ends within six.
# The fake has one list of jobs, and no part of it costs too much. Other tests, with the simulator and with real
# Slurms, read jobs by their states and have budgets.
AT_ANY_COST = ["--jobs.read=list", "--budget.slurmrestd=1000", "--budget.slurmctld=1000",
               "--budget.requests=1000"]
COMMIT = "slurmscope_state_last_commit_timestamp_seconds"  # absent until the state is written
PTRACE_DETACH, PTRACE_SEIZE, PTRACE_INTERRUPT, WALL = 17, 0x4206, 0x4207, 0x40000000
EVERY_SECOND = [f"--interval.{endpoint}=1" for endpoint in ENDPOINTS]


def wait_until(what, why, seconds=PATIENCE):
    """The first true value of what(). To look takes a fortieth of the time at most: many wait beside one another."""
    seconds *= SLOWER
    end = time.monotonic() + seconds
    while True:
        began = time.monotonic()
        if value := what():
            return value
        now = time.monotonic()
        if began >= end:
            raise AssertionError(f"waited {seconds} s in vain: {why() if callable(why) else why}")
        time.sleep(min(max(0.05, 39 * (now - began)), 1))


def let_ask(fake, endpoints=("ping", "diag"), times=3):
    """Waits until each of these got as many more requests as `times` says: what must not follow has had its chance."""
    before = {endpoint: fake.count(endpoint) for endpoint in endpoints}
    wait_until(lambda: all(fake.count(endpoint) >= before[endpoint] + times for endpoint in endpoints),
               lambda: f"asked no more: {before}")


def best(measure, limit, tries=4):
    """The least of what is measured, once that is below the limit: what the machine does to one of them is not ours."""
    times = []
    while len(times) < tries and min(times, default=limit) >= limit:
        times.append(measure())
    return min(times)


def all_at_once(tests, workers=16):
    """Starts all tests of a suite together; each then only waits for its own end.

    They run in instances of their own, where subTest() does not touch the result.
    """
    pool = ThreadPoolExecutor(workers)

    def whole(test, name):
        test.setUp()
        try:
            getattr(test, name)()
        finally:
            test.tearDown()
            test.doCleanups()

    def start(suite):
        for test in suite:
            if isinstance(test, unittest.TestSuite):
                start(test)
            else:
                name = test.id().rpartition(".")[2]
                setattr(test, name, pool.submit(whole, type(test)(name), name).result)
                test.setUp = test.tearDown = lambda: None
    start(tests)
    return tests


def run(*options, wrapper=(), stdout=subprocess.PIPE, cwd=None, **environment):
    return subprocess.run([*wrapper, SLURMSCOPE, *AT_ANY_COST, *options], stdout=stdout, stderr=subprocess.PIPE,
                          text=True, timeout=PATIENCE, cwd=cwd, env=os.environ | environment)


PORTS = Path(tempfile.gettempdir(), f"slurmscope-ports-{os.getuid()}")
held_ports = []  # files whose locks say which ports this process was given


def free_port(host="127.0.0.1"):
    """A port that this process alone is given, of those that neither the kernel gives to who binds to port 0 nor tests/cluster has."""
    PORTS.mkdir(exist_ok=True)
    while True:
        port = random.randrange(10000, 20000)
        lock = open(PORTS / str(port), "w")
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe, contextlib.suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            probe.bind((host, port))
            held_ports.append(lock)
            return port
        lock.close()


def is_sanitized():
    """AddressSanitizer keeps 256 MB of what was freed, ThreadSanitizer notes on all memory."""
    return re.search(b"__[at]san_init", Path(SLURMSCOPE).read_bytes()) is not None


def server_of(pid):
    """The process that serves, of the one that polls; None while there is none, or any more."""
    with contextlib.suppress(OSError):
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return int(children[0]) if children else None
    return None


class Frozen:
    """A thread of a process, while the others go on."""

    def __init__(self, thread):
        self.libc, self.thread = ctypes.CDLL(None, use_errno=True), thread

    def ptrace(self, request):
        assert self.libc.ptrace(request, self.thread, None, None) == 0, os.strerror(ctypes.get_errno())

    def __enter__(self):
        self.ptrace(PTRACE_SEIZE)
        self.ptrace(PTRACE_INTERRUPT)
        os.waitpid(self.thread, WALL)

    def __exit__(self, *_):
        self.ptrace(PTRACE_DETACH)


def poller_of(process):
    """The thread that asks slurmrestd: the one whose CPU time grows while nobody scrapes."""
    def times():
        return {int(task.name): int((task / "schedstat").read_text().split()[2]) for task in Path(f"/proc/{process}/task").iterdir()}
    before = times()

    def busiest():
        return max((turns - before.get(task, 0), task) for task, turns in times().items() if task != process)
    wait_until(lambda: busiest()[0] > 3, "one that works")
    return busiest()[1]


def end_both(process, how, seconds=PATIENCE):
    """Sends the signal, and waits until the process that serves is gone, too: then its port is free. Returns the status."""
    server = server_of(process.pid)
    process.send_signal(how)
    status = process.wait(seconds)

    def is_gone():  # also those of its threads that outlive the first one, and what they have open
        with contextlib.suppress(OSError):
            return all(Path(stat).read_text().rpartition(")")[2].split()[0] in "ZX"
                       for stat in glob.glob(f"/proc/{server}/task/*/stat"))
        return False
    wait_until(is_gone, "the process that serves lives on")
    return status


def listening_port(pid):
    """The port that slurmscope listens on, from /proc; None while there is none. It listens before it serves: then it has
    nobody's connections yet, and they wait."""
    mine = set()
    for fd in glob.glob(f"/proc/{server_of(pid) or pid}/fd/*"):
        with contextlib.suppress(OSError):
            mine.add(os.readlink(fd))
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            field = line.split()
            if field[3] == "0A" and f"socket:[{field[9]}]" in mine:
                return int(field[1].rpartition(":")[2], 16)
    return None


SERIES = re.compile(r'\w+(?:\{(?:\w+="(?:[^"\\\n]|\\["\\n])*",?)*\})?')
known_series = set()  # most of a page was on the one before


def samples(text):
    """{"name{labels}": value}; a line that is neither comment nor sample is an error."""
    page = {}
    for line in text.removesuffix("\n").split("\n"):
        if line.startswith("#"):
            continue
        series, _, value = line.rpartition(" ")
        if series not in known_series:
            assert SERIES.fullmatch(series), f"not a sample: {line[:300]!r}, of {len(text)} bytes"
            known_series.add(series)
        if series in page:
            raise AssertionError(f"twice on the page: {series}")
        page[series] = float(value)
    return page


GROWS = re.compile(r"slurm_[a-z]+_(job_allocated_(cpu|billing|gres|memory_byte)|node_outage|node_outage_(cpu|gpu|memory_byte))_seconds_total")


def held(page, *but):
    """What the page says of the cluster, and so has to survive a failing endpoint.

    What running jobs may still use is left out, because it shrinks with the clock from poll to poll. What they have used
    is left out, because it grows, and so does the time for which nodes are out.
    """
    return {series: value for series, value in page.items()
            if series.startswith("slurm_") and not series.startswith(but or "-")
            and "running_seconds" not in series and not GROWS.match(series)}


def logfmt(line):
    """{key: value} of a logfmt line; anything that is not logfmt is an error."""
    pair = r'(\w+)=([^\s"=]+|"(?:[^"\\\x00-\x1f]|\\.)*")'
    if not re.fullmatch(f"{pair}(?: {pair})*", line):
        raise AssertionError(f"not logfmt: {line!r}")
    return {key: json.loads(value) if value[0] == '"' else value
            for key, value in re.findall(pair, line)}


class Daemon:
    """A slurmscope that reads `fake`. Leaving the context ends it, and it has to end well.

    With `config`, the text of a configuration file in which {folder} is that of token_file, it reads what that says.
    """

    def __init__(self, fake, *options, address="127.0.0.1:0", token=None, url=None, log="json",
                 credentials=None, config=None, environment=None, wrapper=(), pass_fds=(), waits_for=None):
        self.fake = fake
        self.folder = tempfile.TemporaryDirectory(prefix="slurmscope-e2e-")
        self.token_file = Path(self.folder.name, "token")
        self.tokens = []
        if credentials is None:
            self.write_token(token or make_token())
            credentials = [f"--slurmrestd.token-file={self.token_file}"]
        self.config_file = Path(self.folder.name, "slurmscope.yml")
        connection = [f"--slurmrestd.url={url or (fake and fake.url)}", *credentials]
        if config is not None:
            self.write_config(config)
            connection = [f"--config.file={self.config_file}"]
        self.log_path = Path(self.folder.name, "log")
        with open(self.log_path, "wb") as log_file:
            self.process = subprocess.Popen(
                [*wrapper, SLURMSCOPE, *connection,
                 f"--web.listen-address={address}", *([f"--log.format={log}", "--log.level=debug"] if log else []),
                 *AT_ANY_COST, *options], stderr=log_file, stdin=subprocess.DEVNULL, pass_fds=pass_fds,
                env=os.environ | (environment or {}))
        self.pid = self.process.pid
        self.waits_for = waits_for  # the path of a socket; else it has a port
        self.parse = json.loads if log == "json" else logfmt

    def write_token(self, token, wrap="{}\n", mode=0o600):
        """In one step, as a careful administrator does it."""
        self.tokens.append(token)
        new = self.token_file.with_suffix(".new")
        new.write_text(wrap.format(token))
        new.chmod(mode)
        new.rename(self.token_file)

    def write_config(self, text):
        self.config_file.write_text(text.replace("{folder}", self.folder.name))

    def reload(self, text):
        """The page after another configuration file was read, well or not."""
        lines, began = len(self.log()), time.time()
        self.write_config(text)
        self.process.send_signal(signal.SIGHUP)
        said = wait_until(lambda: [line["msg"] for line in self.log()[lines:] if "the configuration" in line["msg"]],
                          "nothing is said of the configuration")[0]
        loaded = "slurmscope_config_last_reload_success"

        def is_told(page):
            """The process that polls has said so; the one that serves hears it."""
            values = {series.partition("{")[0]: value for series, value in page.items() if series.startswith(loaded)}
            return not page or (values[loaded + "ful"] == 0 if "invalid" in said else
                                values[loaded + "_timestamp_seconds"] >= began)
        return self.wait_for(is_told, "the page says so")

    def __enter__(self):
        try:
            self.port = wait_until(lambda: self.process.poll() is not None or
                                   (os.path.exists(self.waits_for) and bool(self.log(msg="serving"))
                                    if self.waits_for else listening_port(self.pid)), "it does not listen")
            assert self.process.poll() is None, f"it ended: {self.log_text()}"
        except BaseException:
            self.process.kill()
            self.process.wait()
            raise
        return self

    def __exit__(self, kind, *_):
        try:
            alive = self.process.poll() is None
            status = self.stop()
            if kind is None:
                assert alive, f"it died: status {status}, log {self.log_text()}"
                assert status == 0, f"status {status} at SIGTERM, log {self.log_text()}"
                self.check_no_secrets()
        finally:
            self.process.kill()
            self.process.wait()
            self.folder.cleanup()

    @contextlib.contextmanager
    def standing(self):
        """The process that polls is stopped, so the other one goes on to serve one and the same page."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)

    def check_no_secrets(self):
        for token in self.tokens:
            assert token.rpartition(".")[2] not in self.log_text(), "a token in the log"
        if self.fake:
            assert not self.fake.complaints, self.fake.complaints[:5]

    def log_text(self):
        return self.log_path.read_bytes().decode("utf-8", "surrogateescape")

    def log(self, **wanted):
        """The log's whole lines, parsed, that have these values; of debug's only if these are wanted."""
        lines = [self.parse(line) for line in self.log_path.read_bytes().decode().split("\n")[:-1]]
        return [line for line in lines if (line["level"] != "debug" or wanted.get("level") == "debug")
                and all(line.get(key) == value for key, value in wanted.items())]

    def told_text(self):
        """The log above debug, which has a line for each answer."""
        return "\n".join(line for line in self.log_text().split("\n") if "debug" not in line)

    def server(self):
        """The process that serves; self.pid is the one that polls."""
        return wait_until(lambda: server_of(self.pid), "there is no process that serves")

    def peak_bytes(self):
        """The most that was resident, of both processes."""
        return 1024 * sum(int(re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[1])
                          for pid in (self.pid, self.server()))

    def connect(self, seconds=PATIENCE):
        return socket.create_connection(("127.0.0.1", self.port), seconds)

    def request(self, path, method="GET", body=None, host="127.0.0.1", headers={}):
        """(status, headers, body)"""
        connection = http.client.HTTPConnection(host, self.port, timeout=PATIENCE)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def page(self):
        status, _, text = self.request("/metrics")
        return samples(text.decode()) if status == 200 else {}

    def wait_for(self, accept, why="the page to change", seconds=PATIENCE):
        """The first page that `accept` likes."""
        last = {}

        def look():
            last.clear()
            last.update(self.page())
            return accept(last)
        wait_until(look, lambda: f"{why() if callable(why) else why}; {self.why_down(last)}; log {self.told_text()[-6000:]}", seconds)
        return dict(last)

    def why_down(self, page):
        """The endpoints that are not up, and what slurmscope plans, if it still answers."""
        down = [endpoint for endpoint in ENDPOINTS if not is_up(page, endpoint)]
        plan = self.request("/plan")[2].decode() if down and self.process.poll() is None else ""
        return f"down {down}; {plan}"

    def wait_well(self, *seconds):
        """The first page on which every endpoint is up, or asked at least where versions lack it."""
        return self.wait_for(lambda page: all(is_up(page, endpoint) for endpoint in ENDPOINTS) and
                             all(f'slurmscope_endpoint_supported{{endpoint="{endpoint}"}}' in page
                                 for endpoint in MORE_ENDPOINTS), "all is well", *seconds)


def is_up(page, endpoint):
    return page.get(f'slurmscope_endpoint_up{{endpoint="{endpoint}"}}')


def asked_since(page, began, endpoints):
    """Whether each of them is up and has answered after that moment."""
    return all(is_up(page, endpoint) and
               page.get(f'slurmscope_endpoint_last_success_timestamp_seconds{{endpoint="{endpoint}"}}', 0) > began
               for endpoint in endpoints)


def results(page, endpoint):
    """{result: requests} of one endpoint, without zeros."""
    found = {}
    for series, value in page.items():
        fits = re.fullmatch(rf'slurmscope_requests_total\{{endpoint="{endpoint}",'
                            r'result="(\w+)"\}', series)
        if fits and value:
            found[fits[1]] = value
    return found
