"""A cluster to look at: a simulator in which jobs run, fail and wait, and nodes go down and are drained. With it come
slurmscope with all that can be switched on, and exporters on some of the nodes. One or more Prometheus read all of it every
other second."""

import contextlib
import json
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request
from datetime import datetime
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "sim"), str(HERE.parent / "e2e")]
from boards import GROUPS  # noqa: E402
from exporters import Exporters  # noqa: E402
from harness import PATIENCE, free_port, samples, wait_until  # noqa: E402
from simulator import SLURMSCOPE, Simulator  # noqa: E402
from tokens import KEY, make_token  # noqa: E402

RULES = HERE.parents[1] / "deploy/prometheus"
# 60 nodes: five have four GPUs each. Short runs, so that many end while we look; a few nodes that trouble comes to.
SIMULATION = ["--release=26.05", "--nodes=60", "--users=30", "--jobs=500", "--run-seconds=200", "--min-job-age=20",
              "--arrays=0.05", "--node-failures=0"]
SETTLED = {'slurm_cluster_cpus{state="allocated"}': "cpus/allocated", 'slurm_cluster_jobs{state="running"}': "jobs/RUNNING",
           'slurm_cluster_jobs{state="pending"}': "jobs/PENDING", 'slurm_cluster_job_cpus{state="running"}': "job_cpus/RUNNING",
           'slurm_cluster_nodes{state="down"}': "nodes/DOWN"}
SCRAPE_S = 2
RATE_S = 10 * SCRAPE_S  # what five minutes are here
EVALUATE_S = 6  # all rules at once: at each scrape they would take most of a processor
CLUSTER_GPUS = 20
PAST_S = 300  # before we begin to look
TROUBLE = {3: "node?name=n07&do=fail", 5: "node?name=n08&do=drain", 6: "node?name=n58&do=drain", 10: "array?tasks=300",
           14: "node?name=n09&do=fail", 18: "node?name=n10&do=drain", 20: "storm?jobs=150", 26: "node?name=n07&do=resume",
           30: "restart", 34: "node?name=n10&do=resume", 40: "node?name=n11&do=fail",
           45: "fault?kind=status&status=500&endpoint=licenses&count=2", 50: "fault?kind=cut&endpoint=reservations&count=1"}


class Clock:
    """The simulator's clock, driven along with ours. It can be stopped, and then nothing changes any more."""

    def __init__(self, sim):
        self.sim, self.stopped, self.begun = sim, threading.Event(), time.time()
        self.thread = threading.Thread(target=self.run)

    def run(self):
        second = 0
        while not self.stopped.wait(0.2):
            while second < int(time.time() - self.begun):
                second += 1
                self.sim.control("advance?seconds=1")
                if second in TROUBLE:
                    self.sim.control(TROUBLE[second])

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self.stopped.set()
        self.thread.join()


class Scope:
    """A slurmscope that reads everything each second and tells all it can."""

    def __init__(self, url, folder):
        self.port = free_port()
        token = Path(folder, "token")
        token.write_text(make_token(key=KEY))
        token.chmod(0o600)
        known = subprocess.run([SLURMSCOPE, "--help"], capture_output=True, text=True, check=True).stdout
        options = [f"{option}=1" for option in re.findall(r"--interval\.\w+", known)] + ["--interval.job_rotation=3"]
        options += [option for option in ("--jobs.rows=1000", "--jobs.pending-rows=1000", "--jobs.histograms=users") if option.partition("=")[0] in known]
        self.log = Path(folder, "log")
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [SLURMSCOPE, f"--config.file={GROUPS}", f"--slurmrestd.url={url}", f"--slurmrestd.token-file={token}", f"--state.path={folder}/state",
                 f"--web.listen-address=127.0.0.1:{self.port}", "--budget.slurmrestd=1000", "--budget.slurmctld=1000",
                 "--budget.requests=1000", "--nodes.per-node=full", *options], stderr=log, stdin=subprocess.DEVNULL)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(PATIENCE)

    def page(self):
        """{series: value}; empty while there is none."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=PATIENCE) as answer:
                return samples(answer.read().decode())
        except (urllib.error.URLError, ConnectionError):
            assert self.process.poll() is None, self.log.read_text()
            return {}


class Prometheus:
    """On loopback. `clusters`: what the targets' label says, each of them the same cluster; none: they have no label."""

    def __init__(self, clusters, scope, exporters, rules):
        self.clusters = clusters
        self.folder = tempfile.TemporaryDirectory(prefix="slurmscope-prometheus-")
        self.port = free_port()
        folder = Path(self.folder.name)
        config = {
            "global": dict.fromkeys(("scrape_interval", "scrape_timeout"), f"{SCRAPE_S}s") | {"evaluation_interval": f"{EVALUATE_S}s"},
            "rule_files": [str(self.hastened(path)) for path in rules],
            "scrape_configs": [
                {"job_name": "slurmscope", "static_configs": [self.target(scope.port, cluster=name) for name in clusters or [None]]},
                {"job_name": "nodes", "static_configs": [
                    self.target(exporters.port, cluster=(clusters or [None])[0], instance=instance, __metrics_path__=path)
                    for instance, path in exporters.targets()]},
            ],
        }
        self.config, self.path = config, folder / "prometheus.yml"
        self.path.write_text(json.dumps(config))  # which is YAML, too
        self.log = folder / "log"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                ["prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
                 f"--web.listen-address=127.0.0.1:{self.port}"], stdout=log, stderr=log)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(PATIENCE)
        self.folder.cleanup()

    @staticmethod
    def target(port, **labels):
        return {"targets": [f"127.0.0.1:{port}"], "labels": {name: value for name, value in labels.items() if value}}

    def hastened(self, path):
        """A copy in which all groups have the same interval, and five minutes are some seconds: as short is the world's life.
        Alerts fire soon."""
        copy = Path(self.folder.name, path.name)
        copy.write_text(re.sub(r'(?m)^( *"?for"?:).*$', rf'\1 "{2 * SCRAPE_S}s"', re.sub(r'(?m)^([- ]*"?interval"?:).*$', rf'\1 "{EVALUATE_S}s"', path.read_text())).replace("[5m]", f"[{RATE_S}s]"))
        return copy

    def get(self, path, **query):
        """(data, error)"""
        url = f"http://127.0.0.1:{self.port}/api/v1/{path}?{urllib.parse.urlencode(query, doseq=True)}"
        try:
            with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
                return json.load(answer)["data"], None
        except urllib.error.HTTPError as error:
            is_json = error.headers.get_content_type() == "application/json"  # not while Prometheus opens its database
            return None, json.load(error)["error"] if is_json else error.read().decode()
        except (urllib.error.URLError, ConnectionError):
            assert self.process.poll() is None, self.log.read_text()
            return None, "it does not listen yet"

    def rests(self, does):
        """Scrapes nothing and evaluates no rules any more; or all again. What it has read stays."""
        self.path.write_text(json.dumps({"global": self.config["global"]} if does else self.config))
        self.process.send_signal(signal.SIGHUP)
        wait_until(lambda: (told := self.get("rules")[0]) and bool(told["groups"]) != does, self.log.read_text)

    def now(self, expression, at):
        return self.get("query", query=expression, time=at)

    def counts(self):
        """Has it read what slurmscope counts?"""
        data, _ = self.now("slurm_cluster_job_submissions_total", time.time())
        return data and data["result"]

    def has_scraped(self, since):
        """Was the last scrape of each target good, and later than that?"""
        data, _ = self.now("min(timestamp(up)) unless count(up == 0)", time.time())
        return data and data["result"] and float(data["result"][0]["value"][1]) > since

    def has_reckoned(self, since):
        """Were all rules evaluated later than that?"""
        data, _ = self.get("rules")
        return data and all(datetime.fromisoformat(group["lastEvaluation"]).timestamp() > since for group in data["groups"])

    def over(self, expression, start, end, step=1):
        return self.get("query_range", query=expression, start=start, end=end, step=step)


class World:
    """All of it, after it has lived for `seconds`; with its clock stopped, and the last of it scraped."""

    def __init__(self, seconds, *options, clusters=((),)):
        self.seconds, self.options, self.clusters = seconds, options, clusters

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="slurmscope-boards-"))
            self.sim = stack.enter_context(Simulator(*SIMULATION, *self.options, f"--epoch={int(time.time()) - PAST_S}", key=KEY))
            self.sim.control(f"advance?seconds={PAST_S}")
            self.scope = stack.enter_context(Scope(self.sim.url, folder))
            clock = stack.enter_context(Clock(self.sim))
            self.exporters = stack.enter_context(Exporters(self.scope.page))
            rules = sorted(RULES.glob("*.rules.yml")) + sorted(RULES.glob("*.alerts.yml"))
            self.prometheus = [stack.enter_context(Prometheus(clusters, self.scope, self.exporters, rules)) for clusters in self.clusters]
            wait_until(lambda: self.scope.page().get("slurm_cluster_job_starts_total"), self.scope.log.read_text)
            # what comes after this is new: somebody counted before
            wait_until(lambda: all(one.counts() for one in self.prometheus), "a scrape of what is counted")
            self.start, self.before = time.time(), self.sim.truth()
            time.sleep(self.seconds)
            clock.stop()
            wait_until(lambda: not self.amiss(), self.amiss)
            self.wait_for_scrapes()
            self.end = wait_until(self.good_moment, "a moment at which all targets are up")
            self.stack = stack.pop_all()
        return self

    def wait_for_scrapes(self):
        """All that is true now is scraped, and the rules are evaluated."""
        for _ in range(2):  # the exporters' first look may have begun before
            looked = self.exporters.jobs
            wait_until(lambda looked=looked: self.exporters.jobs is not looked, "the exporters to look")
        now = time.time()
        wait_until(lambda: all(one.has_scraped(now) for one in self.prometheus), "good scrapes of all targets")
        scraped = time.time()  # some rules are of others: twice
        wait_until(lambda: all(one.has_reckoned(scraped + EVALUATE_S) for one in self.prometheus), "the rules")

    @contextlib.contextmanager
    def resting(self):
        """Only what Prometheus has read is asked for: to go on meanwhile would take more than all before."""
        processes = self.scope.process, self.sim.process
        for one in self.prometheus:
            one.rests(True)
        self.exporters.rests = True
        for process in processes:
            process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            for process in processes:
                process.send_signal(signal.SIGCONT)
            self.exporters.rests = False
            for one in self.prometheus:
                one.rests(False)

    def look_again(self):
        """Another moment, so long after a rest that no rate looks back to it."""
        now = time.time()
        wait_until(lambda: all(one.has_scraped(now + RATE_S) for one in self.prometheus), "scrapes after the rest")
        self.wait_for_scrapes()
        self.end = wait_until(self.good_moment, "another moment at which all targets are up")

    def good_moment(self):
        now = time.time()
        time.sleep(SCRAPE_S + 1)  # scrapes that had begun have ended
        return now if all(one.now("up == 0", now) == ({"resultType": "vector", "result": []}, None) for one in self.prometheus) else None

    def amiss(self):
        """What slurmscope does not know yet. (The simulator stands still while it answers, and catches up.)"""
        self.truth, page = self.sim.truth(), self.scope.page()
        return [f"{series} is {page.get(series)}, not {self.truth.get(key, 0)}" for series, key in SETTLED.items()
                if page.get(series) != self.truth.get(key, 0)]

    def __exit__(self, *error):
        return self.stack.__exit__(*error)
