#!/usr/bin/env python3
"""slurmscope as a daemon, with its planner, on the simulator. After whatever happened the page says what the simulator finds
by walking its world, and what was asked kept to the budgets."""

import contextlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from collections import Counter
from pathlib import Path

from simulator import SLURMSCOPE, WHOLE, Simulator, second_tier
from test_truth import FAMILIES, JOB_FAMILIES, labels_of, truth_of, without_own_names

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "e2e"))
from harness import all_at_once, wait_until  # noqa: E402

PATIENCE = 900  # seconds: a search that failed on a slow machine is begun again after ten minutes
JOBS = 1200 if WHOLE else 300
OF_JOBS = {kind: row for kind, row in FAMILIES.items() if "job" in kind or "reasons" in kind or kind == "user_cpus"}
# Everything may be asked for at once; then only what is asked matters.
EAGER = ["--budget.slurmrestd=1000", "--budget.slurmctld=1000", "--budget.requests=1000", "--interval.diag=1",
         "--interval.job_states=1", "--interval.job_search=1", "--interval.job_details=1"]


class Scope:
    """A slurmscope that reads the simulator."""

    def __init__(self, sim, *options):
        self.folder = tempfile.TemporaryDirectory(prefix="slurmscope-")
        token = Path(self.folder.name, "token")
        token.write_text("unlooked-at")
        token.chmod(0o600)
        self.log_path = Path(self.folder.name, "log")
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(
                [SLURMSCOPE, f"--slurmrestd.url={sim.url}", f"--slurmrestd.token-file={token}",
                 "--slurmrestd.user=root", "--web.listen-address=127.0.0.1:0", *options], stderr=log,
                stdin=subprocess.DEVNULL)
        self.address = self.wait(lambda: re.search(r"msg=serving .*address=(\S+)", self.log()), "it serves")[1]
        self.wait(self.plan, "a page")

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.process.send_signal(signal.SIGCONT)
        self.process.terminate()
        try:
            status = self.process.wait(PATIENCE)
            assert kind or status == 0, f"slurmscope ended with {status}: {self.log()}"
        finally:
            self.process.kill()
            self.process.wait()
            self.folder.cleanup()

    def log(self):
        return self.log_path.read_text()

    def wait(self, what, why):
        def look():
            value = what()
            assert value or self.process.poll() is None, self.log()
            return value
        return wait_until(look, lambda: f"{why() if callable(why) else why}\n{self.log()}\n{self.plan()}", PATIENCE)

    def get(self, path):
        with urllib.request.urlopen(f"http://{self.address}{path}", timeout=PATIENCE) as answer:
            return answer.read().decode()

    def plan(self):
        """Empty until there is one."""
        try:
            return self.get("/plan")
        except urllib.error.HTTPError as error:
            if error.code != 503:
                raise
            return ""

    def samples(self, families=None):
        """Of all families, or of these."""
        found = re.findall(r"^(\w+)(?:\{(.*)\})? (\S+)$", self.get("/metrics"), re.M)
        return {(name, labels_of(labels)): float(value)
                for name, labels, value in found if families is None or name in families}

    def one(self, name):
        return self.samples({name}).get((name, frozenset()))

    def jobs(self, families=None):
        """The families of jobs, without zeros."""
        wanted = {family for family, _, _ in (families or OF_JOBS).values()}
        return {key: value for key, value in without_own_names(self.samples(wanted)).items() if value}


def jobs_of(truth, families=None):
    families = families or OF_JOBS
    return truth_of({key: value for key, value in truth.items() if key.partition("/")[0] in families}, families)


def with_ends_added_up(samples):
    """slurmrestd 22.05 does not say how jobs end while they complete."""
    added = Counter()
    for (family, labels), value in samples.items():
        is_end = family == "slurm_cluster_jobs" and dict(labels)["state"] not in ("pending", "running", "suspended")
        added["ended" if is_end else (family, labels)] += value
    return dict(added)


class Planner(unittest.TestCase):
    @staticmethod
    def when_back(scope, ask):
        """Its answer, as soon as the simulator is there."""
        def look():
            with contextlib.suppress(OSError):
                return ask()
        return scope.wait(look, "the simulator")

    def truth(self, sim, scope, families):
        return self.when_back(scope, lambda: jobs_of(sim.truth(with_jobs=bool(families)), families))

    def settle(self, sim, scope, why, families=None, seen_as=dict):
        """Waits until the page is what the simulator, whose clock stands, says. While jobs are missed the clock goes on by a
        second now and then: slurmctld updates what diag counts every half minute."""
        last = {"truth": self.truth(sim, scope, families), "ticked": time.monotonic()}

        def is_same():
            last["page"] = scope.jobs(families)
            is_missing = scope.one("slurmscope_coverage_ratio") < 1
            if is_missing and time.monotonic() > last["ticked"] + 2:
                last["ticked"] = time.monotonic()
                with contextlib.suppress(OSError):  # slurmrestd is away
                    sim.control("advance?seconds=1")
                    last["truth"] = jobs_of(sim.truth(with_jobs=bool(families)), families)
            return seen_as(last["page"]) == seen_as(last["truth"])
        scope.wait(is_same, lambda: f"{why}: (page, truth) differ in " + str(
            {key: (last["page"].get(key), last["truth"].get(key)) for key in set(last["truth"]) | set(last["page"])
             if last["page"].get(key) != last["truth"].get(key)})[:2000])

    def test_each_job(self):
        """Jobs by themselves, as they come, start, are requeued and end."""
        with Simulator("--seed=23", "--nodes=100", f"--jobs={JOBS // 2}", "--arrays=0.1", "--users=60",
                       "--node-failures=20000") as sim, \
                Scope(sim, *EAGER, "--interval.job_rotation=2", "--interval.nodes=2", "--jobs.rows=5000",
                      "--jobs.pending-rows=5000") as scope:
            for step in range(4):
                self.settle(sim, scope, f"step {step}", JOB_FAMILIES)
                sim.control("advance?seconds=300")
            self.settle(sim, scope, "at the end", JOB_FAMILIES)

    def test_rows_of_jobs(self):
        """As many as may have rows of those that hold nodes and of those that wait. No job that has ended is among them. The
        others are counted."""
        with Simulator("--seed=24", "--nodes=100", "--jobs=1000", "--users=60") as sim, \
                Scope(sim, *EAGER, "--jobs.rows=50", "--jobs.pending-rows=5", "--jobs.node-rows=30") as scope:
            for step in range(4):
                truth = sim.truth(with_jobs=True)
                states = [key.split("/")[1:] for key in truth if key.startswith("job_state/")]
                pending = {job for job, state in states if state == "PENDING"}
                holding = {job for job, _ in states} - pending
                self.assertGreater(len(holding), 60)
                self.assertGreater(len(pending), 10)

                def is_right():
                    page = scope.samples()
                    rows = {(dict(labels)["jobid"], dict(labels)["state"]) for family, labels in page
                            if family == "slurm_job_state"}
                    named, waiting = ({dict(labels)["jobid"] for family, labels in page
                                       if family == info and "name" in dict(labels)}
                                      for info in ("slurm_job_info", "slurm_pending_job_info"))
                    nodes = sum(family == "slurm_job_node_info" for family, _ in page)
                    folded = page.get(("slurmscope_series_folded", frozenset([("family", "slurm_job_state")])))
                    return (len(rows) == 55 and len(named) == 50 and len(waiting) == 5 and named <= holding
                            and waiting <= pending and {job for job, _ in rows} == named | waiting
                            and 27 < nodes <= 30 and folded == len(states) - 55)
                scope.wait(is_right, f"rows of jobs, step {step}")
                sim.control("advance?seconds=120")

    def test_deltas(self):
        """Jobs of all kinds come, start, are requeued and held, end and go: never asked for as a list."""
        for seed in (21, 22) if WHOLE else (21,):
            with Simulator(f"--seed={seed}", "--nodes=100", f"--jobs={JOBS}", "--arrays=0.1", "--users=60",
                           "--node-failures=20000") as sim, \
                    Scope(sim, *EAGER, "--interval.job_rotation=2") as scope:
                self.settle(sim, scope, "the start")
                for seconds in (1, 20, 20, 100, 400, 3600) if WHOLE else (1, 20, 400, 1200):
                    sim.control(f"advance?seconds={seconds}")
                    self.settle(sim, scope, f"{seconds} s later")
                # jobs that came and ended within the hour count among the states alone: their details may come last
                scope.wait(lambda: scope.one("slurmscope_jobs_without_details") == 0, "details of all jobs")
                self.assertEqual(1, scope.one("slurmscope_coverage_ratio"))
                self.assertNotIn("jobs", sim.stats()["endpoints"])

    def test_first_details_from_slurmdbd(self):
        """Most of them; of reasons, and what it does not have, slurmctld tells afterwards, and all when it is away."""
        for is_down in False, True:
            with Simulator("--nodes=100", f"--jobs={5 * JOBS // 2}", "--arrays=0.1", "--seed=6") as sim:
                sim.control(f"slurmdbd?down={is_down:d}")
                with Scope(sim, *EAGER, "--jobs.accounting-from=10", "--interval.job_rotation=2") as scope:
                    self.settle(sim, scope, "the start")
                    endpoints = sim.stats()["endpoints"]
                    if is_down:
                        asked = endpoints.get("db_jobs", {"requests": 0, "failures": 0})
                        self.assertEqual(asked["requests"], asked["failures"])
                        continue
                    self.assertLess(endpoints["db_jobs"]["requests"], 100)
                    self.assertEqual(0, endpoints["db_jobs"]["failures"])
                    for seconds in 20, 400:
                        sim.control(f"storm?jobs={JOBS // 4}")
                        sim.control(f"advance?seconds={seconds}")
                        self.settle(sim, scope, f"{seconds} s later")
                    self.assertGreater(sim.stats()["endpoints"]["db_jobs"]["requests"],
                                       endpoints["db_jobs"]["requests"])

    def test_an_array_of_many_tasks(self):
        """Its list is cut, so jobs/state has to count it: in turns of its own, not in every round."""
        with Simulator("--array-tasks=30000", "--jobs=100", "--nodes=20") as sim, \
                Scope(sim, *EAGER, "--interval.job_arrays=4", "--interval.job_rotation=2") as scope:
            self.settle(sim, scope, "the start")
            for seconds in 30, 60, 600:
                sim.control(f"advance?seconds={seconds}")
                self.settle(sim, scope, f"{seconds} s later")
            begun, before = time.monotonic(), sim.stats()["endpoints"]["states"]

            def since():
                after = sim.stats()["endpoints"]["states"]
                return {key: after[key] - before[key] for key in ("requests", "rows")}
            scope.wait(lambda: time.monotonic() > begun + 10 and since()["requests"] > 6, lambda: f"more rounds: {since()}")
            # one turn every four seconds, and one that had begun
            self.assertLess(since()["rows"], (1 + (time.monotonic() - begun) / 4) * 30000 + 15000)

    def test_many_new_jobs(self):
        """A round that meets many new jobs asks diag how many tasks were submitted. They are few, so it asks for hundreds of
        IDs at once, and not for one or twenty."""
        options = ["--interval.diag=3600", *(o for o in EAGER if "diag" not in o)]
        with Simulator("--jobs=500", "--arrays=0", "--nodes=100") as sim, Scope(sim, *options) as scope:
            scope.wait(lambda: scope.jobs() and scope.one("slurmscope_jobs_without_details") == 0, "the start")
            before = sim.stats()["endpoints"]
            sim.control("storm?jobs=3000")
            sim.control("advance?seconds=30")

            def found():
                return sum(value for (name, _), value in scope.samples().items() if name == "slurm_cluster_jobs")
            scope.wait(lambda: found() >= 3500, lambda: f"the new jobs to be found: {found()}")
            after = sim.stats()["endpoints"]
            asked = {name: after[name]["requests"] - before[name]["requests"] for name in ("diag", "states")}
            self.assertGreater(asked["diag"], 0)
            self.assertLess(asked["states"], 120, asked)  # 21; 219 where diag did not tell

    @second_tier  # unit.event_poller has it
    def test_short_jobs_where_there_were_none(self):
        """Jobs that diag never sees alive, on a cluster that knows no other: slurmdbd tells where their IDs are. If diag saw that
        records wait for slurmdbd, slurmscope takes what ended five minutes later: here it does not ask diag again."""
        options = ["--interval.diag=3600", "--interval.conf=3600", *(o for o in EAGER if "diag" not in o)]
        with Simulator("--speed=1", f"--epoch={int(time.time())}", "--jobs=0", "--arrivals=0", "--nodes=100",
                       "--run-seconds=2") as sim:
            sim.catch_up()
            with Scope(sim, *options, "--interval.job_ends=1") as scope:
                scope.wait(lambda: "slurm_cluster_job_ends_total" in str(scope.samples()), "all to be known")
                sim.control("storm?jobs=20")

                def ends():
                    return sum(value for (name, _), value in scope.samples().items() if name == "slurm_cluster_job_ends_total")
                scope.wait(lambda: ends() > 10, "jobs that ended")

    def test_a_run_of_too_many_steps(self):
        """Its steps are never told: it is found among the others and given up, and they are read. Not so while slurmdbd
        answers nothing."""
        with Simulator("--speed=1", f"--epoch={int(time.time())}", "--jobs=0", "--arrivals=0", "--nodes=100",
                       "--arrays=0", "--run-seconds=2") as sim:
            sim.catch_up()
            with Scope(sim, *EAGER, "--interval.job_ends=1", "--interval.job_steps=1", "--interval.dbd_ping=2") as scope:
                scope.wait(lambda: scope.one("slurmscope_coverage_ratio") == 1 and "submissions" in str(scope.samples()),
                           "the start")
                sim.control("storm?jobs=30")

                def total(name):
                    return sum(value for (family, _), value in scope.samples().items() if family == name)

                def told(least):
                    """Have all ended, `least` of them or more, and is that on the page? (Some have parts, or are requeued.)"""
                    truth = sim.truth()
                    alive = sum(truth.get(key, 0) for key in ("jobs/PENDING", "jobs/RUNNING", "completing"))
                    ends = sum(value for key, value in truth.items() if key.startswith("events/cluster/ends/"))
                    return not alive and ends >= least and total("slurm_cluster_job_ends_total") == ends
                scope.wait(lambda: told(30), "all to end")

                def measured():
                    runs = sim.json("/slurmdb/v0.0.45/jobs?skip_steps=false&show_duplicates=true")["jobs"]
                    return sorted(run["job_id"] for run in runs if any(
                        step["time"]["total"]["seconds"] + step["time"]["total"]["microseconds"] for step in run["steps"]))
                with_use = measured()
                once = [job for job in with_use if with_use.count(job) == 1]
                bad = once[len(once) // 2]
                sim.control(f"fault?kind=cut&endpoint=db_jobs&run={bad}")

                def later(what):
                    """slurmscope asks a minute after the end, by slurmctld's clock."""
                    sim.control("advance?seconds=5")
                    return what()
                scope.wait(lambda: later(lambda: total("slurm_partition_job_cpu_efficiency_ratio_count") == len(with_use) - 1), "the other ones")
                scope.wait(lambda: "job_steps: nothing to do" in scope.plan(), "it to be given up")
                self.assertEqual([str(bad)], re.findall(r"gives up what a job used.*job=(\d+)", scope.log()))
                sim.control("storm?jobs=5")
                scope.wait(lambda: told(35), "the others to end")
                sim.control("slurmdbd?down=1")
                scope.wait(lambda: later(lambda: re.search("job_steps: .*failed", scope.plan())), "it to be asked in vain")
                sim.control("slurmdbd?down=0")
                scope.wait(lambda: total("slurm_partition_job_cpu_efficiency_ratio_count") == len(measured()) - 1, "the rest")
                self.assertEqual(1, scope.log().count("gives up what a job used"))

    def test_ids_begin_anew(self):
        last, jobs, storms = (3500, 700, 7) if WHOLE else (2700, 300, 5)
        with Simulator("--first-job-id=1000", f"--max-job-id={last}", f"--jobs={jobs}", "--nodes=100", "--min-job-age=30",
                       "--arrays=0") as sim, \
                Scope(sim, *EAGER, "--jobs.first-id=1000", f"--jobs.max-id={last}", "--interval.job_rotation=2") as scope:
            wrapped = False
            for _ in range(storms):
                sim.control("storm?jobs=400")
                sim.control("advance?seconds=300")
                self.settle(sim, scope, "a storm")
                truth = sim.truth()
                wrapped |= truth["next_id"] < truth["highest_id"]
            self.assertTrue(wrapped)

    @second_tier
    def test_rounds_beside_a_search(self):
        """IDs begin again where nobody expects them, and the search goes a long way, for a minute by its budget. States get
        their part of the requests meanwhile."""
        with Simulator("--release=24.11", "--first-job-id=50000", "--max-job-id=68000", "--jobs=8000", "--nodes=500",
                       "--min-job-age=30", "--arrays=0") as sim, \
                Scope(sim, *(o for o in EAGER if "requests" not in o), "--budget.requests=12",
                      "--jobs.ends=slurmctld") as scope:
            scope.wait(lambda: scope.jobs() and scope.one("slurmscope_jobs_without_details") == 0, "the start")
            scope.process.send_signal(signal.SIGSTOP)
            while sim.truth()["next_id"] >= sim.truth()["highest_id"]:
                sim.control("storm?jobs=500")
                sim.control("advance?seconds=600")
            sim.control("storm?jobs=7000")
            scope.process.send_signal(signal.SIGCONT)

            def is_searching():
                sim.control("advance?seconds=1")
                return "job_search: every" in scope.plan()
            scope.wait(is_searching, "the search")
            before, looks = scope.samples(), 0  # looks that found it searching: on a busy machine it rests now and then
            until = time.monotonic() + PATIENCE
            while looks < 60:
                looks += is_searching()
                self.assertLess(time.monotonic(), until, f"{looks} looks found it searching")
                time.sleep(0.5)
            page = scope.samples()
            asked = {key[1]: page[key] - before.get(key, 0) for key in page if key[0] == "slurmscope_requests_total"}
            of_states = asked[frozenset([("endpoint", "job_states"), ("result", "ok")])]
            # Two fifths to three, measured. How old states are then depends on the machine.
            self.assertGreater(of_states / sum(asked.values()), 1 / 4, asked)

    def test_a_day_of_downtime(self):
        """The exporter stands still; all IDs that it knew are gone when it goes on."""
        with Simulator(f"--jobs={2 * JOBS // 3}", "--nodes=100", "--min-job-age=30") as sim, \
                Scope(sim, *EAGER, "--interval.job_rotation=2") as scope:
            self.settle(sim, scope, "the start")
            scope.process.send_signal(signal.SIGSTOP)
            sim.control(f"advance?seconds={86400 if WHOLE else 7200}")
            scope.process.send_signal(signal.SIGCONT)
            self.settle(sim, scope, "a day later")

    def test_outage(self):
        """slurmrestd, then slurmctld, are away for a while, and jobs go on."""
        with Simulator(f"--jobs={JOBS // 2}", "--nodes=50") as sim, \
                Scope(sim, *EAGER, "--interval.ping=1", "--interval.job_rotation=2") as scope:
            self.settle(sim, scope, "the start")
            sim.control("refuse?seconds=8")
            self.when_back(scope, lambda: sim.control("advance?seconds=500"))
            self.settle(sim, scope, "slurmrestd is back")
            sim.control("fault?kind=status&status=500&endpoint=states&count=3")
            sim.control("advance?seconds=500")
            self.settle(sim, scope, "jobs/state works again")

    @second_tier  # unit.plan_simulation keeps to budgets for hours, test_start for a minute
    def test_budgets(self):
        """A large cluster with real costs: the first minute and all that follow stay within what is allowed. slurmscope never
        asks for lists, and the page says how far it is. Without budgets far more is done in the same time."""
        large = ("--jobs=20000", "--arrays=0", "--nodes=2000", "--real-cost", "--speed=1", "--compact")
        lifted = ("--budget.slurmrestd=1000", "--budget.slurmctld=1000", "--budget.requests=1000")
        with Simulator(*large) as sim, Simulator(*large) as other:
            for world in sim, other:
                world.control("advance?seconds=900")  # from its beginning, when all jobs start at once and end at once
            begun = time.monotonic()

            def allowed(share):
                """Seconds of work: of a budget for ten minutes a tenth may be spent at once, the rest as time passes."""
                return share * (60 + time.monotonic() - begun)
            with Scope(sim, "--budget.start=0") as scope, Scope(other, *lifted) as unbound:
                scope.wait(lambda: scope.one("slurmscope_jobs_without_details"), "the page says how far it is")
                # by its own account, which a busy machine does not make smaller
                unbound.wait(lambda: (unbound.one("slurmscope_duty_ratio") or 0) * 600 > 1.3 * allowed(0.06), "much more than 6 %")
                stats = sim.stats()
                self.assertLess(stats["slurmrestd_seconds"], allowed(0.06))
                self.assertLess(stats["slurmctld_seconds"], allowed(0.01))
                self.assertNotIn("jobs", stats["endpoints"])
                self.assertIn("of the pending and running jobs", scope.plan())
                # a list of all jobs takes 4 GB; ten jobs end a second, and each takes 166 kB
                self.assertLess(stats["slurmrestd_memory_bytes"], 1e9)

    def test_start(self):
        """Until all is known slurmrestd may work more, and slurmctld may not; /plan and the status say so. From then on
        the usual budgets hold."""
        large = ("--jobs=20000", "--arrays=0", "--nodes=2000", "--real-cost", "--speed=1", "--compact")
        with Simulator(*large) as sim:
            begun = time.monotonic()
            with Scope(sim) as scope:
                scope.wait(lambda: "After a start the budget" in scope.plan(), "the start is said")
                self.assertIn("(budget: 30 %)", scope.plan())
                scope.wait(lambda: (scope.one("slurmscope_duty_ratio") or 0) * 600 > 1.2 * 0.06 * (60 + time.monotonic() - begun),
                           "more than the usual budget")
                stats = sim.stats()
                self.assertLess(stats["slurmrestd_seconds"], 0.3 * (60 + time.monotonic() - begun))
                self.assertLess(stats["slurmctld_seconds"], 0.01 * (60 + time.monotonic() - begun))
        with Simulator("--jobs=50", "--nodes=20") as sim, Scope(sim) as scope:
            scope.wait(lambda: "(budget: 6 %)" in scope.plan(), "the start is over")
            self.assertNotIn("After a start the budget", scope.plan())

    def test_first_seconds(self):
        """The page for people says how many jobs are known of how many, and one line of the log that all are."""
        with Simulator("--jobs=600", "--nodes=20", "--arrays=0") as sim:
            for endpoint in ("states", "job", "db_jobs"):
                sim.control(f"fault?kind=slow&endpoint={endpoint}&seconds=5")
            truth = sim.truth()
            count = truth["jobs/PENDING"] + truth["jobs/RUNNING"]
            with Scope(sim) as scope:
                scope.wait(lambda: f"slurmscope knows 0 of {count} jobs, and all in about " in scope.get("/"), "none is known")
                scope.wait(lambda: re.search(rf"knows the details of \d+ of {count} jobs, and all in about ", scope.get("/")),
                           "their states are known")
                self.assertNotIn("ready: ", scope.log())
                sim.control("fault?kind=none")
                scope.wait(lambda: "ready: the page has all that Slurm tells" in scope.log(), "all are known")
                scope.wait(lambda: ", and all in about " not in scope.get("/"), "the page for people says so, too")
                self.assertIn(f"jobs={count} ", scope.log())
                self.settle(sim, scope, "the start is over")
                self.assertEqual(1, scope.log().count("ready: "))

    def test_reasons_by_list(self):
        """Where slurmrestd has the environment of deploy/slurmrestd a list tells why jobs wait. It may end at any time, so it
        makes no promise how fresh the list is."""
        with Simulator("--jobs=300", "--nodes=20", "--compact") as sim, \
                Scope(sim, *EAGER, "--interval.job_reasons=2") as scope:
            scope.wait(lambda: sim.stats()["endpoints"].get("jobs", {}).get("requests"), "a list for reasons")
            def names():
                return {name for name, labels in scope.samples() if ("endpoint", "jobs") in labels}
            scope.wait(lambda: "slurmscope_requests_total" in names(), "the list is on the page")
            self.settle(sim, scope, "after lists")
            self.assertNotIn("slurmscope_endpoint_last_success_timestamp_seconds", names())
            if not WHOLE:  # a list is given up after minutes
                return
            sim.control("fault?kind=status&status=500&endpoint=jobs")
            scope.wait(lambda: "job_reasons: every" in scope.plan() and "by `single`" in
                       re.search("job_reasons: .*", scope.plan())[0], "single requests, as lists fail")
            self.assertEqual(1, scope.samples()["slurmscope_endpoint_up", frozenset({("endpoint", "jobs")})])

    def test_lists_with_what_they_bring(self):
        """What it takes to count the tasks of arrays is charged with the list that cuts them."""
        with Simulator("--array-tasks=3000", "--jobs=50", "--nodes=20") as sim:
            sim.control("fault?kind=slow&endpoint=states&seconds=1")
            with Scope(sim, "--jobs.read=list", "--interval.jobs=2", "--budget.slurmrestd=90") as scope:
                scope.wait(lambda: sum(scope.jobs().values()) > 3000, "all to be counted")
                self.assertGreater(scope.one("slurmscope_duty_ratio") * 600, 1)
                # by 3,000 tasks, not by the records that list them
                scope.wait(lambda: re.search(r"^jobs: every [234](\.\d)? s", scope.plan(), re.M), "their price")

    def test_too_large_a_list(self):
        """Without jobs/state there are only lists: none is asked for that slurmrestd would take too much memory for."""
        with Simulator("--release=22.05", "--jobs=12000", "--nodes=100") as sim, \
                Scope(sim, *EAGER, "--budget.bulk-memory=400") as scope:
            scope.wait(lambda: "memory" in scope.plan(), "the plan says why")
            asked = sim.stats()["endpoints"]["diag"]["requests"]
            scope.wait(lambda: sim.stats()["endpoints"]["diag"]["requests"] > asked + 2, "diag to be asked on")
            self.assertNotIn("jobs", sim.stats()["endpoints"])
            self.assertEqual({}, scope.jobs())
        with Simulator("--release=22.05", "--jobs=2000", "--nodes=100", "--bitstr-len=0") as sim, \
                Scope(sim, *EAGER, "--interval.jobs=1") as scope:
            while not sim.truth().get("completing"):
                sim.control("advance?seconds=1")
            self.settle(sim, scope, "lists", seen_as=with_ends_added_up)


def load_tests(loader, tests, pattern):
    """They mostly wait, but some work hard."""
    return all_at_once(tests, 4)


if __name__ == "__main__":
    unittest.main(verbosity=2)
