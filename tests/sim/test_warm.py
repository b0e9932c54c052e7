#!/usr/bin/env python3
"""A slurmscope that is killed and started again has all totals of jobs on its first page, as old as they are. It asks for
states before it believes them. Simulated jobs change meanwhile, or are another cluster's, or the state file has nonsense.
One that asks another slurmrestd of the cluster has all totals, too. No page shows new jobs before their owners are known."""

import contextlib
import json
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from simulator import SLURMSCOPE, WHOLE, Simulator, second_tier
from test_truth import FAMILIES, labels_of, truth_of

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "e2e"))
import harness  # noqa: E402
from harness import all_at_once, end_both, free_port, samples  # noqa: E402

JOBS = 5000 if WHOLE else 1000
OF_JOBS = {kind: row for kind, row in FAMILIES.items() if kind not in ("nodes", "partition_nodes", "partition_nodes_free", "cpus")}
LASTING = {kind: row for kind, row in OF_JOBS.items() if "reasons" not in kind}  # these change without a change of state
OF_STATES = {"jobs": FAMILIES["jobs"]}
AGE = 'slurmscope_endpoint_last_success_timestamp_seconds{endpoint="job_states"}'

PATIENCE = 600  # seconds: all 12,000 jobs are asked for, some of them one by one, and the machine is noisy


def wait_until(what, why):
    return harness.wait_until(what, why, PATIENCE)


class Exporter:
    def __init__(self, url, *options):
        self.folder = tempfile.TemporaryDirectory(prefix="warm-")
        self.state, self.log_path = Path(self.folder.name, "state"), Path(self.folder.name, "log")
        token = Path(self.folder.name, "token")
        token.write_text("unlooked-at")
        token.chmod(0o600)
        self.port = free_port()
        self.command = [SLURMSCOPE, f"--slurmrestd.url={url}", f"--slurmrestd.token-file={token}", "--slurmrestd.user=root",
                        f"--state.path={self.state}", f"--web.listen-address=127.0.0.1:{self.port}",
                        "--budget.slurmrestd=1000", "--budget.slurmctld=1000", "--limit.users=10000",
                        "--interval.job_states=2", "--interval.job_details=1", "--interval.diag=1", "--interval.job_rotation=30", *options]
        self.rate, self.process = 1000, None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, *_):
        self.end(signal.SIGTERM if kind is None else signal.SIGKILL)
        if kind is not None:
            print(self.log_path.read_text()[-5000:])
        self.folder.cleanup()

    def start(self):
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen([*self.command, f"--budget.requests={self.rate}"], stderr=log, stdin=subprocess.DEVNULL)

    def end(self, how=signal.SIGKILL):
        status = end_both(self.process, how)
        assert status == (0 if how == signal.SIGTERM else -how), f"status {status}: {self.log_path.read_text()[-5000:]}"

    def get(self, path):
        """(status, text); None while nobody listens."""
        assert self.process.poll() is None, f"it died: {self.log_path.read_text()[-5000:]}"
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=30) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()
        except OSError:
            return None

    def page(self):
        answer = self.get("/metrics")
        return samples(answer[1]) if answer and answer[0] == 200 else {}

    def status(self):
        return json.loads(self.get("/api/v1/status")[1])["clusters"][0]

    def first_page(self):
        return wait_until(self.page, "the first page")

    def wait_ready(self):
        wait_until(lambda: (self.get("/-/ready") or (0,))[0] == 200, lambda: f"ready: {self.get('/-/ready')}")

    def logged(self, what):
        return what in self.log_path.read_text()


def jobs_on(page, families=OF_JOBS):
    """{(family, {labels}): value}, without zeros."""
    wanted = {family for family, _, _ in families.values()}
    found = {}
    for series, value in page.items():
        name, _, labels = series.partition("{")
        if name in wanted and value:
            found[name, labels_of(labels)] = value
    return found


def differences(page, truth):
    return {key: (page.get(key), truth.get(key)) for key in page.keys() | truth.keys() if page.get(key) != truth.get(key)}


class Warm(unittest.TestCase):
    @contextlib.contextmanager
    def world(self, *options, release="24.11", scope=(), has_large_rest=True):
        with Simulator(f"--release={release}", f"--jobs={JOBS}", f"--nodes={JOBS // 12}", "--users=80", "--arrays=0.05", "--seed=5",
                       f"--epoch={int(time.time())}", *options) as sim:
            sim.control(f"array?tasks={JOBS // 6}")
            sim.control("advance?seconds=60")
            if has_large_rest:  # an unsplit rest that has a turn of its own
                sim.control("array?tasks=2100")
            with Exporter(sim.url, *scope) as exporter:
                exporter.wait_ready()
                self.wait_right(exporter, sim)
                yield sim, exporter

    def wait_right(self, exporter, sim, families=OF_JOBS):
        def wrong():
            return differences(jobs_on(exporter.page(), families), truth_of(sim.truth(), families))
        wait_until(lambda: not wrong(), lambda: f"wrong: {list(wrong().items())[:8]}")

    def wait_stored(self, exporter):
        """The page, which the file has as well: a round that was finished since has been committed, and has changed nothing."""
        series = "slurmscope_state_last_commit_timestamp_seconds"

        def stored():
            page, now = exporter.page(), time.time()
            wait_until(lambda: exporter.page().get(AGE, 0) > now and exporter.page()[series] > now, "a commit")
            return page if not differences(jobs_on(exporter.page()), jobs_on(page)) else None
        return wait_until(stored, "a page that stays")

    def edit(self, exporter, *statements):
        with contextlib.closing(sqlite3.connect(exporter.state)) as db:
            for statement in statements:
                db.execute(statement)
            db.commit()

    def requests(self, sim, endpoint):
        return sim.stats()["endpoints"].get(endpoint, {}).get("requests", 0)

    def is_unverified(self, exporter, page, before):
        """The page has the totals from before and says how old they are; nothing says that all is well."""
        self.assertEqual({}, differences(jobs_on(page), jobs_on(before)))
        self.assertGreater(len([key for key in jobs_on(page) if key[0] == "slurm_user_jobs"]), 100)
        self.assertEqual(503, exporter.get("/-/ready")[0])
        status = exporter.status()
        self.assertEqual(page[AGE], status["cluster"]["jobs"]["unverified_as_of_timestamp_seconds"])
        self.assertIn(status["exporter"]["verdict"], ("unknown", "warning"))
        self.assertTrue([f for f in status["exporter"]["findings"] if "before this start" in f["text"]], status["exporter"])

    def states(self, sim):
        return {job["job_id"]: tuple(job["state"]) for job in sim.json("/slurm/v0.0.42/jobs/state")["jobs"]}

    def change(self, sim):
        """What happens in a downtime: jobs end, start, come."""
        for number in list(self.states(sim))[:JOBS // 25]:
            with contextlib.suppress(AssertionError):
                sim.control(f"job?id={number}&do=cancel")
        sim.control(f"storm?jobs={JOBS // 15}")
        sim.control("advance?seconds=5")

    def restart(self, release, *options):
        with self.world(release=release, scope=(*options, "--interval.job_rotation=3600")) as (sim, exporter):
            states, before = self.states(sim), self.wait_stored(exporter)
            exporter.end()
            self.change(sim)
            changed = len(self.states(sim).items() - states.items())
            exporter.rate = 20  # else much is asked between two looks at it
            truth = truth_of(sim.truth(), OF_STATES)
            self.assertGreater(len(differences(jobs_on(before, OF_STATES), truth)), 3)
            sim.control("fault?kind=status&endpoint=states&status=503")
            sim.control("fault?kind=status&endpoint=jobs&status=503")
            sim.control("fault?kind=status&endpoint=job&status=503")  # the rests of large arrays are asked for before the round
            killed, asked = time.time(), {name: self.requests(sim, name) for name in ("states", "job", "jobs")}
            exporter.start()
            page = exporter.first_page()
            self.is_unverified(exporter, page, before)
            # A round may have ended since. The state file has whole seconds.
            self.assertTrue(int(before[AGE]) <= page[AGE] < killed, (before[AGE], page[AGE], killed))
            sim.control("fault?kind=none")
            exporter.wait_ready()
            made = {name: self.requests(sim, name) - count for name, count in asked.items()}
            print(f"{release}: {len(states)} records, of which {changed} changed; requests until they were verified: {made}")
            page = exporter.page()
            self.assertEqual({}, differences(jobs_on(page, OF_STATES), truth))
            self.assertGreater(page[AGE], killed)
            self.assertIsNone(exporter.status()["cluster"]["jobs"]["unverified_as_of_timestamp_seconds"])
            # A round has 60. The first 64 new jobs are asked for one by one. On a busy machine a second round may have begun
            # by now, and slurmrestd refused some requests before.
            self.assertLess(made["states"], 2 * 60 + 64)
            self.assertLess(made["job"], JOBS / 2)  # of what changed: they do not wait for details of all jobs
            self.assertEqual(0, made["jobs"])
            exporter.end(signal.SIGTERM)
            exporter.rate = 1000
            exporter.start()
            self.wait_right(exporter, sim)

    def test_restart_24_11(self):
        self.restart("24.11")

    @second_tier
    def test_restart_26_05(self):
        self.restart("26.05")

    def test_other_url(self):
        """The one that asks from then on has all that the one before knew: no page lacks a total."""
        with self.world() as (sim, exporter):
            port = sim.url.rpartition(":")[2]
            config = Path(exporter.folder.name, "config.yml")
            exporter.command = [word for word in exporter.command if not word.startswith("--slurmrestd.url")]
            exporter.command.append(f"--config.file={config}")
            config.write_text(f"slurmrestd: {{url: 'http://127.0.0.1:{port}'}}\n")
            exporter.end(signal.SIGTERM)
            exporter.start()
            exporter.wait_ready()
            before = self.wait_stored(exporter)
            took = "jobs are from the state file until slurmscope has read all their states"
            said = exporter.log_path.read_text().count(took)
            config.write_text(f"slurmrestd: {{url: 'http://localhost:{port}'}}\n")
            exporter.process.send_signal(signal.SIGHUP)

            def is_verified(since):
                page = exporter.page()
                self.assertEqual({}, differences(jobs_on(page, LASTING), jobs_on(before, LASTING)))
                return page.get(AGE, 0) > since
            wait_until(lambda: is_verified(0) and exporter.logged("the configuration was read again"), "the reload")
            reloaded = time.time()  # the one that asked before asks no more
            wait_until(lambda: is_verified(reloaded), "the states by the other URL")
            self.assertGreater(exporter.log_path.read_text().count(took), said)

    def test_start_ends_when_verified(self):
        """After a restart the start's budget ends with the first round, though slurmdbd never told why hundreds of jobs wait."""
        # each job/{id} fails: a large rest, which only that tells, would be waited for
        with self.world("--arrivals=0", scope=("--jobs.accounting-from=1",), has_large_rest=False) as (sim, exporter):
            sim.control("fault?kind=status&endpoint=job&status=503")
            sim.control(f"storm?jobs={JOBS // 10}")  # whose details come from slurmdbd
            sim.control("advance?seconds=1")
            wait_until(lambda: exporter.page().get('slurm_cluster_pending_jobs{class="unknown",reason="Unknown"}', 0) > JOBS / 50, "unknown reasons")
            exporter.wait_ready()
            self.wait_stored(exporter)
            exporter.end()
            exporter.command += ["--budget.slurmrestd=10", "--budget.start=100"]
            exporter.start()
            exporter.first_page()
            exporter.wait_ready()
            wait_until(lambda: exporter.status()["exporter"]["budgets"]["start_until_timestamp_seconds"] is None, "the usual budget")
            self.assertGreater(exporter.page().get('slurm_cluster_pending_jobs{class="unknown",reason="Unknown"}', 0), JOBS / 50)

    def test_old_file(self):
        """What is too old to be shown waits for the round, but for no details; what is older still is of no use."""
        with self.world() as (sim, exporter):
            self.wait_stored(exporter)
            exporter.end()
            self.edit(exporter, "UPDATE mark SET value = value - 1200 WHERE name = 'jobs_seen_at'")
            sim.control("fault?kind=status&endpoint=states&status=503")
            exporter.rate = 20  # else much is asked between two looks at it
            asked = self.requests(sim, "job")
            started = time.time()
            exporter.start()
            self.assertEqual({}, jobs_on(exporter.first_page()))
            sim.control("fault?kind=none")
            # a failure explains that jobs are not known, so /-/ready alone does not tell
            wait_until(lambda: exporter.page().get(AGE, 0) > started, "the states")
            exporter.wait_ready()
            self.assertEqual({}, differences(jobs_on(exporter.page(), LASTING), truth_of(sim.truth(), LASTING)))
            self.assertLess(self.requests(sim, "job") - asked, JOBS / 2)
            exporter.rate = 1000
            self.wait_stored(exporter)
            exporter.end()
            self.edit(exporter, "UPDATE mark SET value = value - 7200 WHERE name = 'jobs_seen_at'")
            sim.control("fault?kind=status&endpoint=states&status=503")
            exporter.start()
            self.assertEqual({}, jobs_on(exporter.first_page(), {"user_jobs": FAMILIES["user_jobs"]}))
            self.assertTrue(exporter.logged("are too old"))
            sim.control("fault?kind=none")
            self.wait_right(exporter, sim)

    def test_another_cluster(self):
        """Behind the same URL: its first answer is the end of what the file had."""
        address = f"--listen=127.0.0.1:{free_port()}"
        with self.world(address) as (sim, exporter):
            self.wait_stored(exporter)
            exporter.end()
            sim.control("fault?kind=none")
            sim.process.terminate()
            sim.process.wait(60)
            with Simulator("--release=24.11", "--cluster=another", "--jobs=700", "--seed=9", f"--epoch={int(time.time())}",
                           address) as other:
                exporter.start()
                exporter.wait_ready()
                page = exporter.page()
                self.assertEqual({}, differences(jobs_on(page, OF_STATES), truth_of(other.truth(), OF_STATES)))
                self.wait_right(exporter, other)
                self.assertEqual(1, len(list(exporter.state.parent.glob("state.foreign-*"))))

    @second_tier  # unit.job_keeper has nonsense, too
    def test_nonsense(self):
        """Whatever is in the file: it is not counted once slurmrestd has told the states, and nothing dies of it."""
        with self.world() as (sim, exporter):
            self.wait_stored(exporter)
            exporter.end()
            columns = "UPDATE job SET"
            some = "WHERE id % 97 = {}"
            self.edit(exporter, *(f"{columns} {what} {some.format(i)}" for i, what in enumerate((
                "tasks = 1 << 60", "state = 'nonsense'", "state = ''", "cpus = -1", "submit_time = -5", "user = x'ff00fe'",
                "array_task_id = 1 << 40", "flags = ',,\u00e9,'", "tail = 5", "bits = 1 << 20", "details_time = 1 << 50",
                "tasks = 'many'", "node_list = zeroblob(2000000)", "state = 'completed'", "bits = 0", "exit = 77"))),
                "INSERT INTO job (id, state, tasks, tasks_listed, bits, user) SELECT id + (1 << 32), 'running', 1, 1, 1, 'nobody' "
                "FROM job WHERE id % 97 = 50",
                "INSERT INTO job (id, state, tasks, tasks_listed, bits, user) SELECT id + 5000000, 'running', 1, 1, 1, 'nobody' "
                "FROM job WHERE id % 97 = 60",
                "INSERT INTO job (id, state) VALUES (-1, 'running'), (0, 'running'), (4294967295, 'running')")
            exporter.start()
            exporter.wait_ready()
            self.assertNotIn("nobody", str(jobs_on(exporter.page()).keys()))
            self.wait_right(exporter, sim)
            self.wait_stored(exporter)
            exporter.end()
            with contextlib.closing(sqlite3.connect(exporter.state)) as db:
                stored = db.execute("SELECT count(*) FROM job").fetchone()[0]
            self.assertEqual(sim.truth()["records"], stored)
            exporter.start()
            exporter.first_page()


class Pages(unittest.TestCase):
    def test_owners(self):
        """A round of states finds jobs with each turn. The page waits for their details, two seconds at most: on a busy machine
        these may take longer."""
        with Simulator("--jobs=200", "--arrivals=1", "--speed=1", f"--epoch={int(time.time())}") as sim:
            with Exporter(sim.url, "--interval.job_states=3", "--interval.diag=30") as exporter:
                exporter.wait_ready()
                wait_until(lambda: exporter.page().get("slurmscope_jobs_without_details") == 0, "all details")
                pages, begin = {}, time.monotonic()
                while len(pages) < 12 and time.monotonic() < begin + PATIENCE:
                    made = exporter.status()["made_timestamp_seconds"]
                    if made not in pages:
                        page = exporter.page()
                        waited = made - page['slurmscope_endpoint_last_success_timestamp_seconds{endpoint="job_states"}']
                        pages[made] = page["slurmscope_jobs_without_details"] if waited < 1.9 else 0
                    time.sleep(0.1)
                lacking = [count for count in pages.values() if count]
                print(f"pages: {len(pages)}, of which {len(lacking)} did not wait, and lack details of {lacking} jobs")
                self.assertGreaterEqual(len(pages), 12)
                self.assertLess(len(lacking), len(pages) / 10)


def load_tests(loader, tests, pattern):
    """They wait as long as they work."""
    return all_at_once(tests, 3)


if __name__ == "__main__":
    unittest.main(verbosity=2)
