"""deploy/prometheus/prometheus-two-controllers.yml: over a fail-over and back, what Prometheus says that counters grew by is
what happened; without its relabelling it is more. And it has the families that two slurmscopes count in one state file."""

import contextlib
import os
import re
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import yaml

from harness import wait_until
from prometheus import Prometheus
from simulator import SLURMSCOPE
from test_failover import OF_LEADER, OF_PING, Follower, Pair, begin, simulator

EXAMPLE = Path(__file__).resolve().parents[2] / "deploy/prometheus/prometheus-two-controllers.yml"
CACHE = Path(os.environ.get("SLURMSCOPE_CACHE", "/var/cache/slurmscope"))
BIN = [CACHE / name / "usr/bin" for name in ("prometheus", "prometheus-forky")]
NATIVE = "--enable-feature=native-histograms"
SUBMISSIONS, STARTS = "slurm_cluster_job_submissions_total", "slurm_partition_job_eligible_wait_seconds"
QUERIES = {  # of a window and its end: what they ask for, and what the simulator calls it
    f"sum by (cluster) (increase({SUBMISSIONS}[{{w}}s] @ {{t}}))": "submissions",
    f"sum by (cluster) (increase({STARTS}_count[{{w}}s] @ {{t}}))": "starts",
    f'sum by (cluster) (increase({STARTS}_bucket{{{{le="+Inf"}}}}[{{w}}s] @ {{t}}))': "starts",
}
NATIVE_QUERY = {f"sum by (cluster) (histogram_count(increase({STARTS}[{{w}}s] @ {{t}})))": "starts"}


def example():
    config = yaml.safe_load(EXAMPLE.read_text())
    del config["rule_files"], config["alerting"]
    return config


def families():
    """(name, type, what they are asked of) of all."""
    listed = subprocess.run([SLURMSCOPE, "--list-metrics"], capture_output=True, text=True, check=True).stdout
    return [(name, kind, source) for name, kind, _, source, *_ in (line.split("\t") for line in listed.splitlines())]


class TwoControllers(unittest.TestCase):
    def test_example_is_valid(self):
        for folder in BIN:
            done = subprocess.run([folder / "promtool", "check", "config", EXAMPLE], capture_output=True, text=True)
            self.assertEqual(0, done.returncode, done.stdout + done.stderr)

    def test_one_instance_of_what_is_shared(self):
        """Of all that is in the state file and all that Slurm counts on over a fail-over; of nothing that both show."""
        rule, = example()["scrape_configs"][0]["metric_relabel_configs"]
        shared, own = set(), set()
        for name, kind, source in families():
            is_one = source in ("dbd_jobs", "dbd_diag") and kind != "gauge" or \
                name == "slurm_node_energy_joules_total" or name.startswith("slurmscope_job_events_")
            parts = ["_bucket", "_sum", "_count"] if kind == "histogram" else [""]
            (shared if is_one else own).update(name + part for part in parts)
            if OF_PING.match(name + "{"):
                self.assertNotRegex(name, f"^({rule['regex']})$")
            elif is_one and name.startswith("slurmscope_"):
                self.assertRegex(name, OF_LEADER)
        shared |= {f"slurm_partition_job_{name}_seconds" for name in ("eligible_wait", "submit_wait", "runtime")}  # native
        self.assertGreater(len(shared), 60)
        caught = {name for name in shared | own if re.fullmatch(rule["regex"], name)}
        self.assertEqual((set(), set()), (caught - shared, shared - caught))

    def test_sums(self):
        with contextlib.ExitStack() as stack:
            sim = stack.enter_context(simulator(1))
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="slurmscope-two-"))
            pair = Pair(*(Follower(sim.url, host, folder, f"{folder}/state") for host in ("ctl1", "ctl2")))
            stack.callback(pair.end)
            begin(sim, pair)
            together, apart, native = (stack.enter_context(self.prometheus(pair, *how)) for how in (
                (BIN[0], True), (BIN[0], False), (BIN[1], True, NATIVE)))
            self.happen(sim, pair)
            for prometheus in (together, apart, native):
                self.wait_for_last(prometheus, sim)
            start, before = time.time(), self.truth(sim)
            for prometheus in (together, apart, native):  # the window begins with what is true now
                wait_until(lambda prometheus=prometheus: (prometheus.value(f"max(timestamp({SUBMISSIONS}))") or 0) > start, "a scrape")
            self.happen(sim, pair)
            for down, leader in ((1, pair.both[1]), (0, pair.both[0])):
                sim.control(f"controllers?count=2&down={down}")
                wait_until(leader.leads, "the other one to lead")
                self.happen(sim, pair)
            for prometheus in (together, apart, native):
                self.wait_for_last(prometheus, sim)
            happened = {what: self.truth(sim)[what] - before[what] for what in before}
            self.assertGreater(min(happened.values()), 200)
            end = time.time()
            window = {"t": end, "w": int(end - start) + 1}
            self.compare(together, QUERIES, window, happened)
            self.compare(native, QUERIES | NATIVE_QUERY, window, happened)
            for query, what in QUERIES.items():
                found = apart.value(query.format(**window))
                self.assertGreater(found, 1.08 * happened[what], f"two series would do: {query}")
                print(f"{what} with two series: {found:.0f}")
            self.check_others(together)
            for one in pair.both:
                one.end(signal.SIGTERM)

    @staticmethod
    def prometheus(pair, folder, is_one, *flags):
        config = example()
        config["global"] = dict.fromkeys(("scrape_interval", "scrape_timeout", "evaluation_interval"), "1s")
        scrapes, = config["scrape_configs"]
        scrapes["static_configs"][0]["targets"] = [f"127.0.0.1:{one.port}" for one in pair.both]
        if not is_one:
            del scrapes["metric_relabel_configs"]
        if NATIVE in flags:
            scrapes["always_scrape_classic_histograms"] = True
        return Prometheus(folder / "prometheus", None, yaml.safe_dump(config), flags)

    @staticmethod
    def truth(sim):
        truth = sim.truth()
        return {what: truth.get(f"events/cluster/{what}", 0) for what in ("submissions", "starts")}

    def happen(self, sim, pair):
        """Hundreds of jobs come and end, and are counted. They are many the first time, too: increase() leaves out the first value
        of a series that begins later."""
        before = self.truth(sim)["submissions"]
        sim.control("arrivals?rate=20")
        wait_until(lambda: self.truth(sim)["submissions"] > before + 500, "jobs to come")
        sim.end_all()
        wait_until(lambda: (pair.leader() or {}).get(SUBMISSIONS) == self.truth(sim)["submissions"], "submissions")

    def wait_for_last(self, prometheus, sim):
        """It has read what is true now. (Who led before may have left a series that is less.)"""
        def has_read():
            truth = self.truth(sim)
            return [prometheus.value(f"max({name})") for name in (SUBMISSIONS, f"sum by (instance) ({STARTS}_count)")] == \
                [truth["submissions"], truth["starts"]]
        wait_until(has_read, lambda: f"{self.truth(sim)} {prometheus.query(SUBMISSIONS)} {prometheus.log.read_text()}")

    def compare(self, prometheus, queries, window, happened):
        for query, what in queries.items():
            found = prometheus.query(query.format(**window))
            self.assertEqual([(("cluster", "hpc"),)], list(found), query)
            value, = found.values()
            # increase() adds some of a scrape interval at either end
            self.assertAlmostEqual(happened[what], value, delta=0.04 * happened[what], msg=query)
            print(f"{what}: {value:.0f} of {happened[what]:.0f}")

    def check_others(self, prometheus):
        """What each of both says for itself has its instance."""
        for series in ("slurm_controller_ping_seconds", "slurmscope_leader", "slurmscope_requests_total", "up"):
            self.wait_for_count(prometheus, 2, series)
        self.wait_for_count(prometheus, 1, f'{SUBMISSIONS}{{instance="leader"}}')

    @staticmethod
    def wait_for_count(prometheus, count, series):
        """The last scrape of one of them may have been late."""
        query = f"count(count by (instance) ({series}))"
        wait_until(lambda: prometheus.value(query) == count, lambda: f"{query}: {prometheus.value(query)}, not {count}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
