#!/usr/bin/env python3
"""slurmscope on the simulator: what its page says has to be what the simulator finds by walking its world.
They are compared series by series and in both directions, in every API version, at several moments of several worlds."""

import re
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

from simulator import ANSWERED, PATIENCE, SLURMSCOPE, WHOLE, Simulator

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "e2e"))
from harness import all_at_once  # noqa: E402

MIB = 1 << 20
# kind of sum: family, its labels in the order of the sum's names, factor
FAMILIES = {
    "jobs": ("slurm_cluster_jobs", ("state",), 1),
    "partition_jobs": ("slurm_partition_jobs", ("partition", "state"), 1),
    "account_jobs": ("slurm_account_jobs", ("account", "state"), 1),
    "user_jobs": ("slurm_user_jobs", ("user", "account", "state"), 1),
    "qos_jobs": ("slurm_qos_jobs", ("qos", "state"), 1),
    "reasons": ("slurm_cluster_pending_jobs", ("reason",), 1),
    "partition_reasons": ("slurm_partition_pending_jobs", ("partition", "reason"), 1),
    "job_cpus": ("slurm_cluster_job_cpus", ("state",), 1),
    "user_cpus": ("slurm_user_job_cpus", ("user", "account", "state"), 1),
    "job_memory_mib": ("slurm_cluster_job_memory_bytes", ("state",), MIB),
    "job_nodes": ("slurm_cluster_job_nodes", ("state",), 1),
    "nodes": ("slurm_cluster_nodes", ("state",), 1),
    "partition_nodes": ("slurm_partition_nodes", ("partition", "state"), 1),
    "partition_nodes_free": ("slurm_partition_nodes_free", ("partition",), 1),
    "cpus": ("slurm_cluster_cpus", ("state",), 1),
}
MOMENTS = (0, 200, 1000) if WHOLE else (0, 1000)
OF_LIVE_JOBS = [f"slurm_{entity}_jobs" for entity in ("partition", "account", "user", "qos")]
# of each job by itself
JOB_FAMILIES = {
    "job_info": ("slurm_job_info", ("jobid", "user", "account", "partition", "qos", "array_job_id", "array_task_id",
                                    "het_job_id", "exclusive"), 1),
    "job_node": ("slurm_job_node_info", ("jobid", "node"), 1),
    "job_node_cpus": ("slurm_job_node_cpus", ("jobid", "node"), 1),
    "job_state": ("slurm_job_state", ("jobid", "state"), 1),
    "job_cpus_held": ("slurm_job_allocated_cpus", ("jobid",), 1),
    "job_memory_held_mib": ("slurm_job_allocated_memory_bytes", ("jobid",), MIB),
    "job_gres": ("slurm_job_allocated_gres", ("jobid", "gres", "type"), 1),
    "job_submit": ("slurm_job_submit_timestamp_seconds", ("jobid",), 1),
    "job_eligible": ("slurm_job_eligible_timestamp_seconds", ("jobid",), 1),
    "job_start": ("slurm_job_start_timestamp_seconds", ("jobid",), 1),
    "job_limit": ("slurm_job_time_limit_seconds", ("jobid",), 1),
    "job_priority": ("slurm_job_priority", ("jobid",), 1),
    "job_restarts": ("slurm_job_restarts", ("jobid",), 1),
}


def labels_of(text):
    """Without the class of a reason, which the simulator does not tell: tests/unit/test_model.c looks at classes."""
    return frozenset(pair for pair in re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', text) if pair[0] != "class")


def page_of(sim, version, *options, families=FAMILIES):
    """{(family, {labels}): value} of these families, without zeros."""
    with tempfile.TemporaryDirectory() as folder:
        token = Path(folder, "token")
        token.write_text("unlooked-at")
        token.chmod(0o600)
        done = subprocess.run(
            [SLURMSCOPE, "--once", f"--slurmrestd.url={sim.url}", f"--slurmrestd.api-version={version}",
             f"--slurmrestd.token-file={token}", "--slurmrestd.user=root", "--log.level=error", *options],
            capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    wanted = {family for family, _, _ in families.values()}
    page = {}
    for line in done.stdout.splitlines():
        fits = re.fullmatch(r"(\w+)\{(.*)\} (\S+)", line)
        if fits and fits[1] in wanted and float(fits[3]):
            page[fits[1], labels_of(fits[2])] = float(fits[3])
    return page


def truth_of(sums, families=FAMILIES):
    """The same, of what the simulator says."""
    page = {}
    for key, value in sums.items():
        kind, *names = key.split("/")
        if kind not in families or not names or not value:
            continue
        family, labels, factor = families[kind]
        values = [name.lower() if label == "state" else name for label, name in zip(labels, names)]
        if family in OF_LIVE_JOBS and values[-1] not in ("pending", "running", "suspended"):
            continue
        page[family, frozenset(pair for pair in zip(labels, values) if pair[1])] = value * factor
    return page


def without_own_names(page):
    """Jobs' names and SLUIDs, which the simulator makes up as it answers."""
    return {(family, frozenset(pair for pair in labels if pair[0] not in ("name", "sluid"))): value
            for (family, labels), value in page.items()}


def without_jobs(page, ids):
    return {(family, labels): value for (family, labels), value in page.items() if dict(labels)["jobid"] not in ids}


def as_told(truth, version):
    """Before v0.0.41 there are no CPUs of a job on each node, but of one on one node, or with all of their CPUs."""
    if version >= 41:
        return truth
    infos = [dict(labels) for family, labels in truth if family == "slurm_job_info"]
    nodes = Counter(dict(labels)["jobid"] for family, labels in truth if family == "slurm_job_node_info")
    parts = {job["jobid"] for job in infos if job["exclusive"] == "false" and nodes[job["jobid"]] > 1}
    return {(family, labels): value for (family, labels), value in truth.items()
            if family != "slurm_job_node_cpus" or dict(labels)["jobid"] not in parts}


class Truth(unittest.TestCase):
    maxDiff = None

    def consistent(self, truth):
        """The world agrees with itself: what nodes give is what jobs hold."""
        for what in ("cpus", "gpus", "memory_mib"):
            self.assertEqual(truth[f"{what}/allocated"], truth[f"held/{what}"])

    def compare(self, release, seed, seconds):
        options = ["--nodes=200", "--jobs=1500", "--users=80", "--node-failures=20000"]
        if release == "22.05":  # which has no jobs/state to count the tasks of a list that is cut
            options.append("--bitstr-len=0")
        with Simulator(f"--release={release}", f"--seed={seed}", *options) as sim:
            for second in seconds:
                sim.control(f"advance?seconds={second}")
                truth = sim.truth()
                self.consistent(truth)
                for version in ANSWERED[release][1]:
                    with self.subTest(release=release, seed=seed, second=truth["second"], version=version):
                        page = page_of(sim, f"v0.0.{version}")
                        self.assertGreater(len(page), 200)
                        self.assertEqual(truth_of(truth), page)

    def compare_jobs(self, release, seed):
        """Each job by itself."""
        options = ["--nodes=300", "--jobs=1500", "--users=80", "--node-failures=20000"]
        seen, parts = Counter(), 0
        with Simulator(f"--release={release}", f"--seed={seed}", *options) as sim:
            for seconds in (300, 900):
                sim.control(f"advance?seconds={seconds}")
                sums = sim.truth(with_jobs=True)
                truth = truth_of(sums, JOB_FAMILIES)
                requeued = {key.split("/")[1] for key, value in sums.items() if key.startswith("job_requeued/") and value}
                seen.update(family for family, _ in truth)
                parts += len(truth) - len(as_told(truth, 40))
                for version in ANSWERED[release][1][:: 1 if WHOLE else 3]:
                    with self.subTest(release=release, seed=seed, seconds=seconds, version=version):
                        page = without_own_names(page_of(sim, f"v0.0.{version}", "--jobs.rows=10000", "--jobs.pending-rows=10000",
                                                         families=JOB_FAMILIES))
                        told = as_told(truth, version)
                        if version < 40:  # where a job that is requeued and completes is said to be ended
                            told, page = without_jobs(told, requeued), without_jobs(page, requeued)
                        wrong = {key: (told.get(key), page.get(key)) for key in told.keys() | page.keys()
                                 if told.get(key) != page.get(key)}
                        self.assertEqual({}, dict(list(wrong.items())[:10]), f"{len(wrong)} differ")
        for family, _, _ in JOB_FAMILIES.values():
            self.assertGreater(seen[family], 5, family)
        self.assertGreater(parts, 5)  # some hold parts of several nodes

    def test_jobs_22_05(self):
        self.compare_jobs("22.05", 21)

    def test_jobs_24_11(self):
        self.compare_jobs("24.11", 22)

    def test_jobs_26_05(self):
        self.compare_jobs("26.05", 23)

    def test_jobs_26_11(self):
        self.compare_jobs("26.11", 24)

    def test_22_05(self):
        self.compare("22.05", 11, MOMENTS)

    def test_24_11(self):
        self.compare("24.11", 12, MOMENTS)

    def test_26_05(self):
        self.compare("26.05", 13, (0, 200, 1000))

    def test_26_11(self):
        self.compare("26.11", 14, MOMENTS)

    def test_same_seed_same_world(self):
        """And another seed, another; however the time passes."""
        def world(seed, *steps):
            with Simulator(f"--seed={seed}", "--jobs=500", "--node-failures=20000") as sim:
                for step in steps:
                    sim.control(f"advance?seconds={step}")
                return sim.truth(), sim.get("/slurm/v0.0.45/jobs")[2]
        first = world(5, 600)
        self.assertEqual(first, world(5, 1, 99, 500))
        self.assertNotEqual(first, world(6, 600))

    def test_ids_wrap(self):
        """IDs begin again at FirstJobId, and none is given twice."""
        with Simulator("--first-job-id=1000", "--max-job-id=3500", "--jobs=700", "--nodes=100",
                       "--min-job-age=30", "--arrays=0") as sim:
            seen_wrap = False
            for _ in range(12):
                sim.control("storm?jobs=250")
                sim.control("advance?seconds=120")
                ids = [job["job_id"] for job in sim.json("/slurm/v0.0.45/jobs?flags=ALL")["jobs"]]
                self.assertEqual(len(ids), len(set(ids)))
                self.assertGreaterEqual(min(ids), 1000)
                self.assertLessEqual(max(ids), 3500)
                truth = sim.truth()
                self.assertEqual(truth["records"], len(ids))
                seen_wrap |= truth["next_id"] < truth["highest_id"]
            self.assertTrue(seen_wrap)
            self.consistent(sim.truth())

    def test_jobs_are_forgotten(self):
        """slurmctld lists an ended job for MinJobAge, and no longer; slurmdbd keeps its run."""
        with Simulator("--jobs=300", "--nodes=50") as sim:
            sim.control("advance?seconds=600")
            now = sim.truth()["now"]
            for job in sim.json("/slurm/v0.0.45/jobs")["jobs"]:
                if job["job_state"][0] not in ("PENDING", "RUNNING"):
                    self.assertGreaterEqual(job["end_time"]["number"], now - 310)
            ends = {(run["job_id"], run["time"]["end"]) for run in sim.json(
                "/slurmdb/v0.0.45/jobs?skip_steps=true&show_duplicates=true&disable_truncate_usage_time=true")[
                    "jobs"] if run["time"]["end"]}
            self.assertEqual(len(ends), sim.truth()["ended"])


def load_tests(loader, tests, pattern):
    """test_26_05 is sim.quick."""
    names = [name for name in loader.getTestCaseNames(Truth) if WHOLE or name != "test_26_05"]
    return all_at_once(unittest.TestSuite(map(Truth, names)), 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
