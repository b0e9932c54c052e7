#!/usr/bin/env python3
"""Each event of a job is counted once. slurmscope is on a simulator full of short jobs, where everything breaks now and then,
and is killed again and again. When all jobs have ended each of its counters is what the simulator counted.
usage: test_events.py [SEED [RUNS LIVE [KILLS]]]    (with RUNS: a long life of RUNS runs, LIVE of them alive at once)"""

import atexit
import contextlib
import http.client
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from simulator import SLURMSCOPE, Simulator

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "e2e"))
from harness import end_both, free_port, samples, server_of, wait_until  # noqa: E402

MIB = 1 << 20
# what the simulator counts, of X: family, factor
COUNTERS = {"submissions": ("slurm_{}_job_submissions_total", 1), "starts": ("slurm_{}_job_starts_total", 1),
            "cpu_seconds": ("slurm_{}_job_allocated_cpu_seconds_total", 1),
            "billing_seconds": ("slurm_{}_job_allocated_billing_seconds_total", 1),
            "memory_mib_seconds": ("slurm_{}_job_allocated_memory_byte_seconds_total", MIB)}
SUMS = {"wait_seconds": "slurm_partition_job_eligible_wait_seconds", "queue_seconds": "slurm_partition_job_submit_wait_seconds",
        "run_seconds": "slurm_partition_job_runtime_seconds"}
# of partitions, accounts and users, when all have ended
USE = {"used_cpu_seconds": ("slurm_{}_ended_job_used_cpu_seconds_total", 1),
       "energy_joules": ("slurm_{}_ended_job_energy_joules_total", 1),
       "gpu_seconds": ("slurm_{}_ended_job_allocated_gpu_seconds_total", 1),
       "gpu_memory_gib_seconds": ("slurm_{}_ended_job_peak_gpu_memory_byte_seconds_total", 1 << 30)}
LABELS = {"cluster": (), "partition": ("partition",), "account": ("account",), "user": ("user", "account"),
          "qos": ("qos",), "queue": ("partition", "qos")}
FAMILIES = re.compile(r"slurm_([a-z]+_job_(submissions|starts|ends|allocated_(cpu|billing|gres|memory_byte)_seconds)_total|"
                      r"partition_job_(eligible_wait|submit_wait|runtime)_seconds_(sum|count))(\{|$)")
USE_FAMILIES = re.compile(r"slurm_[a-z]+_ended_job_(used_cpu_seconds|energy_joules|allocated_gpu_seconds|peak_gpu_memory_byte_seconds)_total\{")
COUNTED = re.compile(r"slurm_\w+_job_\w+_(total|bucket|sum|count)(\{|$)")  # never falls


@dataclass
class Life:
    """How much happens, and for how long."""
    seconds: float
    kills: int
    rate: float       # submissions a second
    storm: int        # submissions at once, at the beginning
    nodes: int
    settle: float     # seconds, at most, from one change of the page to the next, until it is right
    with_use: bool    # what ended jobs used is compared, too
    sim: list
    scope: list


def short():
    names = ("diag", "job_states", "job_search", "job_details", "job_arrays", "job_ends", "job_steps")
    return Life(seconds=25, kills=12, rate=30, storm=0, nodes=200, settle=180, with_use=True,
                sim=["--users=40", "--arrays=0.05", "--run-seconds=8", "--min-job-age=2"],
                scope=[f"--interval.{name}=1" for name in names])


def long(runs, alive, kills=12):
    """A tenth of the submissions are arrays of 57 tasks on average."""
    seconds, tasks = max(200, 1.5 * kills), 0.9 + 0.1 * 57
    return Life(seconds=seconds, kills=kills, rate=(runs - alive) / tasks / seconds, storm=int(alive / tasks), nodes=3000,
                settle=200, with_use=False, sim=["--users=500", "--arrays=0.1", "--run-seconds=30", "--min-job-age=60",
                                 f"--history={2 * runs}", "--compact"],
                scope=["--interval.job_ends=15", "--jobs.steps=off"])


class Exporter:
    """A slurmscope with a state file that can be killed and started again."""

    def __init__(self, url, folder, options):
        self.folder = Path(folder)
        self.port = free_port()
        token = self.folder / "token"
        token.write_text("unlooked-at")
        token.chmod(0o600)
        self.command = [SLURMSCOPE, f"--slurmrestd.url={url}", f"--slurmrestd.token-file={token}", "--slurmrestd.user=root",
                        f"--state.path={self.folder / 'state'}", f"--web.listen-address=127.0.0.1:{self.port}",
                        "--budget.slurmrestd=1000", "--budget.slurmctld=1000", "--budget.requests=1000",
                        "--limit.users=10000", *options]
        self.process = None
        atexit.register(self.close)  # ctest waits for whatever a test leaves behind

    def start(self):
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)

    def end(self, how):
        end_both(self.process, how)

    def close(self):
        """Nothing is left of it when the test fails."""
        if self.process and self.process.poll() is None:
            self.end(signal.SIGKILL)

    def why(self):
        """What became of it: for a test that waits without success."""
        status = Path(f"/proc/{self.process.pid}/status")
        states = re.findall(r"(?:State|VmRSS|SigPnd|ShdPnd|Threads):.*", status.read_text()) if status.exists() else []
        return (f"a page of process {self.process.pid}, status {self.process.poll()}, {states}, its server is "
                f"{server_of(self.process.pid)}; its log ends with\n{(self.folder / 'log').read_text()[-3000:]}")

    def page(self):
        """None while there is none."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=30) as answer:
                page = samples(answer.read().decode())
        except (OSError, http.client.HTTPException):
            return None
        return page if "slurm_cluster_job_submissions_total" in page else None


def labels(names, values):
    return "{" + ",".join(f'{name}="{value}"' for name, value in zip(names, values)) + "}" if names else ""


def expected(truth):
    """({series: value}, {series: how much more it may be}): a job's submission may count for each partition it named."""
    series, more = {}, {}
    for key, value in truth.items():
        if not key.startswith("events/"):
            continue
        kind, *rest = key.split("/")[1:]
        names = LABELS[kind]
        who, (what, *detail) = rest[:len(names)], rest[len(names):]
        if kind == "queue":
            if what in SUMS:
                series[f"{SUMS[what]}_sum{labels(names, who)}"] = value
            elif what == "starts":
                for family in SUMS.values():
                    series[f"{family}_count{labels(names, who)}"] = value
        elif what == "ends":
            series[f"slurm_{kind}_job_ends_total{labels((*names, 'state'), (*who, detail[0].lower()))}"] = value
        elif what == "gpu_seconds":
            series[f"slurm_{kind}_job_allocated_gres_seconds_total{labels((*names, 'gres', 'type'), (*who, 'gpu', 'a100'))}"] = value
        elif what == "named" and kind == "partition":
            more[f"slurm_partition_job_submissions_total{labels(names, who)}"] = value
        elif what in COUNTERS:
            family, factor = COUNTERS[what]
            series[f"{family.format(kind)}{labels(names, who)}"] = value * factor
    return series, more


def compare(truth, page):
    """(equal, {series: (page, truth)}): every sample of either."""
    series, more = expected(truth)
    mine = {name: value for name, value in page.items() if FAMILIES.match(name)}
    wrong = {}
    for name in mine.keys() | series.keys():
        shown, true = mine.get(name, 0), series.get(name, 0)
        if not -1e-9 * true <= shown - true <= more.get(name, 0) + 1e-9 * true:
            wrong[name] = shown, true
    return len(mine.keys() | series.keys()) - len(wrong), wrong


def compare_use(truth, page):
    """The same of what ended jobs used, which slurmscope asks for a minute after their ends."""
    true = {}
    for key, value in truth.items():
        kind, *who, what = key.split("/")[1:] if key.startswith("events/") else (None, None)
        if what in USE and kind in ("partition", "account", "user"):
            family, factor = USE[what]
            true[f"{family.format(kind)}{labels(LABELS[kind], who)}"] = value * factor
    mine = {name: value for name, value in page.items() if USE_FAMILIES.match(name)}
    pairs = {name: (mine.get(name, 0), true.get(name, 0)) for name in mine.keys() | true.keys()}
    wrong = {name: (shown, value) for name, (shown, value) in pairs.items() if abs(shown - value) > 1e-9 * value}
    return len(pairs) - len(wrong), wrong


def time_is_near(truth, wrong, least, most):
    """Of what compare() found: is each family of time, in all, off by no less than `least` and no more than `most` of the
    truth? And is it off by the same for accounts, users, partitions, QOSes and the cluster? Each of them counts the time of
    every run."""
    total, differs = Counter(), Counter()
    for series, value in expected(truth)[0].items():
        total[series.partition("{")[0]] += value
    for series, (shown, true) in wrong.items():
        differs[series.partition("{")[0]] += shown - true
    of_time = [family for family in total | differs if re.search("_seconds_(total|sum|count)$", family)]
    return all(least * total[family] <= differs[family] <= most * total[family] for family in of_time) and all(
        abs(differs[family] - differs[re.sub("^slurm_[a-z]+_", "slurm_cluster_", family)]) <= 1e-9 * total[family]
        for family in of_time if family.endswith("_total"))


class Watch:
    """Sees each page: no counter may have gone back, over a kill either. But 1,000 nodes have rows, those where jobs failed last:
    of more nodes, one may lose its row, and begin again at zero."""
    NODES_WITH_ROWS = 1000

    def __init__(self, exporter, nodes=0):
        self.exporter, self.before = exporter, {}
        self.may_end = ("slurm_node_",) if nodes > self.NODES_WITH_ROWS else ()
        self.rss = 0

    def page(self):
        page = wait_until(self.exporter.page, self.exporter.why, 300)
        fell = [name for name, value in self.before.items()
                if COUNTED.match(name) and page.get(name, 0) < value and not name.startswith(self.may_end)]
        assert not fell, f"they fell: {[(name, self.before[name], page.get(name)) for name in fell[:5]]}"
        self.before = page
        with contextlib.suppress(OSError):
            pid = self.exporter.process.pid
            both = [Path(f"/proc/{one}/status").read_text() for one in (pid, server_of(pid))]
            self.rss = max(self.rss, sum(int(re.search(r"VmHWM:\s+(\d+)", status)[1]) for status in both))
        return page


def break_things(sim, nodes, chance, stop):
    """One thing after the other; at the end all is well again."""
    def outage(daemon, least, most):
        sim.control(f"{daemon}?down=1")
        stop.wait(chance.uniform(least, most))
        sim.control(f"{daemon}?down=0")

    def late():
        sim.control(f"slurmdbd?late={chance.randint(1, 8)}")
        stop.wait(chance.uniform(2, 6))
        sim.control("slurmdbd?late=0")

    def fault():
        kind = chance.choice(("cut", "garbage", "status", "lie", "twice", "slow&seconds=1.5", "unauthorized"))
        endpoint = chance.choice(("db_jobs", "db_jobs", "job", "states", "diag"))
        sim.control(f"fault?kind={kind}&endpoint={endpoint}&count={chance.randint(1, 4)}")
        stop.wait(chance.uniform(0, 2))
        sim.control("fault?kind=none")

    def node():
        name = f"n{chance.randint(1, nodes):0{len(str(nodes))}}"
        sim.control(f"node?name={name}&do=fail")
        stop.wait(chance.uniform(0, 1))
        sim.control(f"node?name={name}&do=resume")

    deeds = [late, fault, fault, fault, node, node, node, lambda: outage("slurmdbd", 1, 6), lambda: sim.control("restart"),
             lambda: sim.control("storm?jobs=40"), lambda: sim.control(f"refuse?seconds={chance.randint(1, 2)}")]
    outage("slurmctld", 1, 2)
    while not stop.is_set():
        with contextlib.suppress(ConnectionError, TimeoutError):  # connections are refused for a while
            chance.choice(deeds)()
        stop.wait(chance.uniform(0, 1))
    time.sleep(3)

    def is_done(what):
        with contextlib.suppress(OSError):  # a refusal that is over later
            return sim.control(what) or True
    for what in "fault?kind=none", "slurmdbd?down=0", "slurmctld?down=0":
        wait_until(lambda what=what: is_done(what), f"the simulator to answer {what}")


def begin(sim, exporter, watch):
    """Counting begins with the first page, also when slurmscope is killed before it has seen any job."""
    sim.control("slurmctld?down=1")
    exporter.start()
    watch.page()
    exporter.end(signal.SIGKILL)
    sim.control("slurmctld?down=0")
    sim.control("storm?jobs=20")
    time.sleep(2)
    exporter.start()
    watch.page()


def live(sim, exporter, watch, life, chance):
    """Jobs, kills and faults; then no more jobs come, and all end."""
    stop = threading.Event()
    breaker = threading.Thread(target=break_things, args=(sim, life.nodes, chance, stop))
    sim.control(f"storm?jobs={life.storm}")
    sim.control(f"arrivals?rate={life.rate}")
    breaker.start()
    try:
        for _ in range(life.kills):
            time.sleep(chance.uniform(0.2, 1.6) * life.seconds / life.kills)
            exporter.end(signal.SIGKILL)
            time.sleep(chance.choice((0, 0, 0, 0.6 * life.seconds / life.kills)))
            exporter.start()
            watch.page()
    finally:  # a test that fails ends, too
        stop.set()
        breaker.join()
    sim.end_all()


def settle(sim, watch, seconds, with_use=False):
    """What compare() finds when all is equal, or when nothing has changed for that many seconds."""
    truth, last, since = sim.truth(), None, time.monotonic()
    while True:
        page = watch.page()
        equal, wrong = compare(truth, page)
        if with_use and not wrong:  # slurmscope asks for it a minute after the end, by slurmctld's clock
            sim.control("advance?seconds=5")
            use, wrong_use = compare_use(truth, page)
            equal, wrong = equal + use, wrong | wrong_use
        if wrong != last:
            last, since = wrong, time.monotonic()
        if not wrong or time.monotonic() > since + seconds:
            return equal, wrong
        time.sleep(1)


def main(life, seed):
    chance = random.Random(seed)
    with (Simulator("--speed=1", f"--epoch={int(time.time())}", f"--seed={seed}", f"--nodes={life.nodes}", "--jobs=0",
                    "--arrivals=0", *life.sim) as sim, tempfile.TemporaryDirectory() as folder,
          contextlib.closing(Exporter(sim.url, folder, life.scope)) as exporter):
        sim.catch_up()
        watch = Watch(exporter, life.nodes)
        begin(sim, exporter, watch)
        live(sim, exporter, watch, life, chance)
        truth = sim.truth()
        equal, wrong = settle(sim, watch, life.settle, life.with_use)
        page = watch.page()
        exporter.end(signal.SIGTERM)
        state = sum(os.path.getsize(path) for path in Path(folder).glob("state*"))
        report(life, seed, truth, page, equal, wrong, watch, state)
        if wrong or page["slurmscope_job_events_lost_total"]:
            print(Path(folder, "log").read_text()[-3000:])
            sys.exit(1)


def report(life, seed, truth, page, equal, wrong, watch, state):
    for series, (shown, true) in sorted(wrong.items())[:40]:
        print(f"differs: {series}: page {shown}, simulator {true}")
    doubled = sum(max(0, shown - true) for series, (shown, true) in wrong.items() if "cluster_job_ends" in series)
    print(f"simulator events, seed {seed}: {truth['events/cluster/submissions']:.0f} runs of jobs, {life.kills} kills, "
          f"{equal} numbers equal, {len(wrong)} different, {page['slurmscope_job_events_recovered_total']:.0f} events "
          f"recovered, {page['slurmscope_job_events_lost_total']:.0f} lost, {doubled:.0f} doubled; slurmscope's memory "
          f"{watch.rss / 1024:.0f} MiB, state file {state / 1e6:.1f} MB", flush=True)


if __name__ == "__main__":
    SEED = int(sys.argv[1]) if sys.argv[1:] else 1
    main(long(*map(int, sys.argv[2:])) if sys.argv[2:] else short(), SEED)
