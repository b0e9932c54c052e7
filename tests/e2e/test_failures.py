"""Whatever slurmrestd does, the numbers on the page stay true and the log says once what is wrong.

Each row of FAILURES is two tests: the failure on one endpoint, and on all. The first tier has one of the second kind for
each result. If all fail, only the probes go on, and the other endpoints are not asked until the probes are well. Each
test has a fake and a daemon of its own.
"""

import contextlib
import json
import os
import re
import sqlite3
import tempfile
import time
import unittest
from pathlib import Path
from typing import NamedTuple

import fake_slurmrestd as fakes
from fake_slurmrestd import ENDPOINTS, FIXTURES, MORE_ENDPOINTS, OF_SLURMDBD, Fake, body, edited, endless, make_token, raw, recorded
from harness import BACK_OFF, COMMIT, EVERY_SECOND, Daemon, all_at_once, held, is_sanitized, is_up, let_ask, results, wait_until

SHORT = ["--slurmrestd.timeout=25"]  # more than a healthy answer takes on a busy machine, less than a dripping ping
PROBES = ("ping", "diag")
GOOD = ("ok", "unchanged")
HTML = b"<!DOCTYPE html><html><body>Please log in</body></html>"
EMPTY_304 = b"HTTP/1.1 304 NOT MODIFIED\r\n\r\n"
FRONT_END = "text/html"
EVENT = re.compile(r"slurm_\w+_job_(submissions|starts|ends)_total|slurm_partition_job_runtime|slurmscope_job_events")


def drop_list(answer, name):
    del answer[name]


def add_error(answer, name):
    answer["errors"] = [{"description": "Unable to query", "error_number": 1800, "source": "x",
                         "error": "Unable to contact slurm controller"}]


def add_two_errors(answer, name):
    """One of them says "nothing found", but not the other."""
    add_error(answer, name)
    answer["errors"].append({"error_number": 9003, "error": "Nothing found"})
    answer[name] = {} if isinstance(answer[name], dict) else []


def cripple(answer, name):
    records = answer[name] if isinstance(answer[name], list) else [answer[name]]
    for record in records:
        for key in ("job_id", "name", "hostname", "req_time_start"):
            record.pop(key, None)


class Failure(NamedTuple):
    name: str
    behaviour: object
    result: str
    text: str              # In the error of the log line.
    one: str = "jobs"      # The endpoint that fails alone.
    all: bool = True       # Whether all of them can fail in this way.
    polls: int = 2         # Failed polls to wait for: one log line for all of them.
    options: list = []


FAILURES = [
    Failure("hang", fakes.hang, "timeout", r"timed out", polls=1, options=SHORT),
    Failure("drip", fakes.drip, "timeout", r"timed out", polls=1, options=SHORT),
    Failure("endless_list", endless(b'{"%s":[', b'{"x":1},'), "timeout", r"timed out",
            polls=1, options=SHORT),
    Failure("endless_string", endless(b'{"%s":[{"name":"', b"x"), "timeout|invalid", r"",
            polls=1, options=SHORT),
    Failure("closed_at_once", fakes.close_unanswered, "unreachable", r"Empty reply"),
    Failure("cut_off", fakes.cut_off, "unreachable", r"closed with \d+ bytes remaining", "nodes"),
    Failure("reset", fakes.reset, "unreachable", r"(?i)reset|closed with \d+ bytes"),
    Failure("garbage", raw(bytes(range(256)) * 8), "unreachable", r"HTTP/0\.9", "diag"),
    Failure("html", body(HTML, kind=FRONT_END), "invalid", r"byte 0\b", "partitions"),
    Failure("truncated_json", body(lambda call: call.body[:-2]), "invalid", r"(?i)end|complete"),
    Failure("trailing_bytes", body(lambda call: call.body + b"\n{}"), "invalid", r"byte \d+"),
    Failure("nothing", body(b""), "invalid", r"(?i)empty|end|complete", "diag"),
    Failure("empty_object", body(b"{}"), "invalid", r"no records", "nodes"),
    Failure("empty_array", body(b"[]"), "invalid", r"no records"),
    Failure("null", body(b"null"), "invalid", r"no records", "ping"),
    Failure("no_list", edited(drop_list), "invalid", r"no records", "partitions"),
    Failure("deep", body(lambda call: b'{"%s":' % call.list.encode() + b"[" * 100_000), "invalid",
            r"(?i)deep|nest"),
    Failure("useless_records", edited(cripple), "invalid", r"none of the \d+ records", "nodes"),
    Failure("errors", edited(add_error), "slurm_error", r"Unable to contact", "diag"),
    Failure("two_errors", edited(add_two_errors), "slurm_error", r"Unable to query"),
    Failure("500_whole", body(lambda call: call.body, "500 INTERNAL ERROR"), "http_error",
            r"HTTP 500", "partitions"),
    Failure("502", recorded("outage/ctld_stopped_slurm_{endpoint}.json"), "http_error",
            r"HTTP 502: .*Unable to contact slurm controller", "diag", all=False),
    Failure("503", body(HTML, "503 Service Unavailable", FRONT_END), "http_error", r"HTTP 503$"),
    Failure("504", recorded("outage/ctld_hung_{endpoint}.json"), "http_error",
            r"HTTP 504", "diag", all=False),
    Failure("404", body(fakes.NOT_FOUND, "404 NOT FOUND", "text/plain"), "http_error",
            r"HTTP 404", all=False),
    Failure("401", body(b"Authentication failure", "401 UNAUTHORIZED", "text/plain"),
            "unauthorized", r"HTTP 401"),
    Failure("511_twice", fakes.twice("511 Network Authentication Required", "Not authentic"),
            "unauthorized", r"HTTP 511: .*Not authentic"),
    Failure("500_twice", fakes.twice("500 INTERNAL ERROR", "Bad luck", 1800), "http_error",
            r"HTTP 500: .*Bad luck"),
    Failure("302", fakes.redirect, "http_error", r"HTTP 302"),
    Failure("304", raw(EMPTY_304), "http_error", r"HTTP 304", "diag"), # which has no update_time
]


def run_failure(row, failing):
    with Fake() as fake, Daemon(fake, *EVERY_SECOND, *row.options) as daemon:
        before = daemon.wait_well()
        lines, informed = len(daemon.log()), len(daemon.log(level="info"))
        fake.behave(row.behaviour, failing)
        counted = re.compile(row.result).fullmatch

        def failures(page, endpoint):
            return sum(number for result, number in results(page, endpoint).items()
                       if counted(result))
        asked_on = failing if len(failing) == 1 else PROBES
        page = daemon.wait_for(lambda page: all(failures(page, endpoint) >= row.polls
                                                for endpoint in asked_on),
                               f"{row.result} of {asked_on}", BACK_OFF)
        seen = {endpoint: fake.count(endpoint) for endpoint in ENDPOINTS}
        cut_off = all({"timeout", "unreachable"} & set(results(page, probe)) for probe in PROBES)
        failed = [endpoint for endpoint in failing if failures(page, endpoint)]
        for endpoint in ENDPOINTS:
            ok = endpoint not in failed and not cut_off
            assert is_up(page, endpoint) == ok, f"endpoint_up of {endpoint}"
            others = {result for result in results(page, endpoint)
                      if result not in GOOD and not (counted(result) and not ok)}
            assert not others, f"{endpoint}: {others}"
        hidden = ("slurm_controller_up", "slurm_controller_ping") if "ping" in failing else ()
        assert held(page, *hidden) == held(before, *hidden), "the numbers changed"
        # slurm_controller_up is never held
        assert any(series.startswith("slurm_controller_up") for series in page) != bool(hidden)

        told = daemon.log()[lines:]
        warned = [line["endpoint"] for line in told]
        assert len(set(warned)) == len(warned) and set(failed) <= set(warned) <= set(failing), told
        for line in told:
            assert line["level"] == "warn" and counted(line["result"]), line
            assert re.search(row.text, line["error"]), line
            assert f"/{line['endpoint']}" in line["error"], line
            assert len(line["error"]) < 500, line
        for endpoint in set(ENDPOINTS) - set(failing):
            wait_until(lambda: fake.count(endpoint) > seen[endpoint], f"{endpoint} is asked on")

        fake.behave()
        after = daemon.wait_well(BACK_OFF)
        assert held(after) == held(before), "not as before"
        wait_until(lambda: sorted(line["endpoint"] for line in daemon.log(level="info")[informed:]) ==
                   sorted({line["endpoint"] for line in daemon.log(level="warn")}),
                   lambda: f"each is well again, once: {daemon.log_text()}")


class Failures(unittest.TestCase):
    """One test for each row and scope. All endpoints fail in one way for each result, or in each way if EVERY_ROW is set."""


for number, failure in enumerate(FAILURES):
    setattr(Failures, f"test_{failure.name}_one",
            lambda self, row=failure: run_failure(row, [row.one]))
    before = {row.result for row in FAILURES[:number] if row.all}
    if failure.all and (os.environ.get("EVERY_ROW") or failure.result not in before):
        setattr(Failures, f"test_{failure.name}_all",
                lambda self, row=failure: run_failure(row, ENDPOINTS))


class Others(unittest.TestCase):
    """What is no failure although it looks like one, and failures with a course of their own."""

    def run_changed(self, behaviour, endpoints=("jobs",), release="26.05.5", versions=None):
        """The first page after every endpoint was asked again with the behaviour."""
        with Fake(release, versions) as fake:
            fake.behave(behaviour, endpoints)
            with Daemon(fake, *EVERY_SECOND) as daemon:
                page = daemon.wait_well()
                daemon.wait_for(lambda page: all(results(page, endpoint)["ok"] > 1
                                                 for endpoint in ENDPOINTS), "a second poll")
                self.assertEqual([], daemon.log(level="warn"))
                self.calls, self.served_calls = list(fake.calls), fake.served_calls
                return page

    def jobs(self, page, **labels):
        wanted = [f'{key}="{value}"' for key, value in labels.items()]
        return sum(value for series, value in page.items() if
                   series.startswith("slurm_cluster_jobs{") and all(w in series for w in wanted))

    def test_every_version(self):
        for release, versions in fakes.ALL_RELEASES.items():
            for version in versions:
                with self.subTest(release=release, version=version):
                    page = self.run_changed(fakes.normal, release=release, versions=[version])
                    self.assertGreater(self.jobs(page, state="running"), 0)
                    probes = [call.version for call in self.calls if call.is_probe]
                    self.assertEqual(sorted(set(probes), reverse=True),
                                     sorted(probes[:len(set(probes))], reverse=True))
                    self.assertEqual(fakes.NEWEST, probes[0])
                    self.assertEqual(version, probes[-1])
                    self.assertEqual(1, sum(f'"{version}"' in series for series in page
                                            if series.startswith("slurm_cluster_info{")))

    def test_connection_ends_between_polls(self):
        """Each request on a used connection fails; libcurl by itself repairs the first five of them."""
        for behaviour in fakes.close_after, fakes.close_when_reused, fakes.reset_when_reused:
            with self.subTest(behaviour.__name__):
                page = self.run_changed(behaviour, ENDPOINTS)
                self.assertTrue(all(call.served == 0 for call in self.calls) or
                                sum(call.served > 0 for call in self.calls) > 5)
                self.assertEqual({"ok"}, {result for endpoint in ENDPOINTS
                                          for result in results(page, endpoint)})

    def test_connection_is_kept(self):
        self.run_changed(fakes.normal)
        self.assertEqual(1, sum(call.served == 0 for call in self.served_calls))

    def test_empty_lists_are_true(self):
        def nothing_found(answer, name):
            answer[name] = []
            answer["errors"] = [{"error_number": 9003, "error": "Nothing found with query",
                                 "description": "Nothing found"}]

        def clear(answer, name):
            answer[name] = []
        for release, edit in (("26.05.5", clear), ("22.05.8", clear), ("22.05.8", nothing_found)):
            with self.subTest(release=release, edit=edit.__name__):
                with Fake(release) as fake, Daemon(fake, *EVERY_SECOND) as daemon:
                    self.assertGreater(self.jobs(daemon.wait_well()), 0)
                    fake.behave(edited(edit), ["jobs", "nodes"])
                    page = daemon.wait_for(lambda page: self.jobs(page) == 0, "no job")
                    states = [series for series in page
                              if series.startswith(("slurm_cluster_jobs{", "slurm_cluster_nodes{"))]
                    self.assertGreater(len(states), 15)
                    daemon.wait_for(lambda page: not any(page[series] for series in states))
                    self.assertTrue(is_up(daemon.page(), "jobs"))
                    self.assertEqual([], daemon.log(level="warn"))

    def test_empty_list_with_a_warning_but_a_time(self):
        """A warning alone does not make an empty list doubtful."""
        def clear(answer, name):
            answer.update({name: [], "warnings": [{"description": "Mind the gap"}]})
        page = self.run_changed(edited(clear))
        self.assertEqual(0, self.jobs(page))

    def cut(self, answer, name):
        """As slurmrestd does it to task lists of more than 64 characters."""
        for job in answer[name]:
            if job["array_task_string"] == "1-199":
                job["array_task_string"] = "1-60,62,..."

    def test_cut_arrays_are_counted(self):
        for release in "24.11.5", "26.05.5":
            with self.subTest(release):
                whole = self.run_changed(fakes.normal, release=release)
                page = self.run_changed(edited(self.cut), release=release)
                self.assertEqual(held(whole), held(page))
                self.assertEqual({"84"}, {call.query.partition("=")[2] for call in self.calls
                                          if call.endpoint == "job_states"})

    def test_cut_arrays_that_cannot_be_counted(self):
        """The numbers are too low then, which is said once; all else is as it was."""
        for release, behaviour in (("22.05.8", fakes.normal), ("26.05.5", fakes.close_unanswered),
                                   ("26.05.5", body(fakes.NOT_FOUND, "404 NOT FOUND"))):
            with self.subTest(release), Fake(release) as fake:
                fake.behave(edited(self.cut), ["jobs"])
                fake.behave(behaviour, ["job_states"])
                with Daemon(fake, *EVERY_SECOND) as daemon:
                    page = daemon.wait_well()
                    self.assertGreater(self.jobs(page, state="pending"), 60)
                    daemon.wait_for(lambda page: results(page, "jobs")["ok"] > 2, "more polls")
                    told = daemon.log(level="warn")
                    self.assertEqual(1, sum("too low" in line["msg"] for line in told), told)
                    self.assertLessEqual(len(told), 2, told)

    def test_records_without_id_or_state_are_skipped(self):
        def cripple_some(answer, name):
            for job in answer[name][:3]:
                del job["job_id"]
            for job in answer[name][3:5]:
                del job["job_state"]
        for release in "26.05.5", "22.05.8":
            with self.subTest(release):
                whole = self.run_changed(fakes.normal, release=release)
                page = self.run_changed(edited(cripple_some), release=release)
                used, skipped = (f'slurmscope_records_total{{endpoint="jobs",result="{result}"}}'
                                 for result in ("used", "skipped"))
                polls = results(page, "jobs")["ok"]
                self.assertEqual(polls * whole[used] / results(whole, "jobs")["ok"],
                                 page[used] + page[skipped])
                self.assertEqual(polls * 5, page[skipped])
                self.assertLess(self.jobs(page), self.jobs(whole))

    def test_unknown_names_pass_through(self):
        def invent(answer, name):
            first, second, third = answer[name][:3]
            for record in answer[name]:
                record["brand_new_member"] = {"deep": [[[{"job_id": 1, "name": "x"}]]]}
            if name == "jobs":
                first["job_state"], second["job_state"] = ["HIBERNATING"], ["RUNNING", "LEVITATING"]
                first["state_reason"], third["job_state"] = "BecauseOfTheMoon", ["PENDING"]
                third["state_reason"] = "BecauseOfTheMoon"
            else:
                first["state"], second["state"] = ["ASLEEP"], ["IDLE", "HAUNTED"]
        page = self.run_changed(edited(invent), ["jobs", "nodes"])
        for series in ('slurm_cluster_jobs{state="hibernating"}',
                       'slurm_cluster_jobs_flagged{flag="levitating"}',
                       'slurm_cluster_pending_jobs{class="other",reason="BecauseOfTheMoon"}',
                       'slurm_cluster_nodes{state="asleep"}',
                       'slurm_cluster_nodes_flagged{flag="haunted"}'):
            self.assertEqual(1, page.get(series), series)

    def test_hostile_names(self):
        """Users' text, as users might choose it; what becomes a label is escaped, valid UTF-8."""
        names = ['quote"', "back\\slash", "new\nline", "tab\t", "nul\0nul", "\x7f\x1b[2J",
                 "\udcff\udcfe", "cut\udce2\udc82", "{a=\"b\"} 1", "ünï ∞ 🐟", "x" * 5000, ",", ""]

        def rename(answer, name):
            for number, job in enumerate(answer[name]):
                hostile = names[number % len(names)]
                for key in ("user_name", "account", "partition", "qos", "name", "comment"):
                    job[key] = hostile
                job["state_reason"] = hostile
        page = self.run_changed(edited(rename))
        labels = " ".join(page)
        for shown in (r'user="quote\""', r'account="back\\slash"', r'user="new\nline"',
                      'user="\ufffd\ufffd"', r'account="{a=\"b\"} 1"', 'qos="ünï ∞ 🐟"'):
            self.assertIn(shown, labels)

    def test_hostile_states(self):
        names = ['A"B', "A\\B", "A\nB", "A\0B", "A\0C", "\udcff", "X" * 300] + \
            [f"STATE_{number}" for number in range(100)]

        def rename(answer, name):
            for number, job in enumerate(answer[name]):
                job["job_state"] = [names[number % len(names)], "RUNNING"]
        plain = self.run_changed(fakes.normal)
        page = self.run_changed(edited(rename))
        self.assertEqual(self.jobs(plain) > 0, self.jobs(page) > 0)
        self.assertIn(r'state="a\"b"', " ".join(page))

    def test_log_survives_hostile_errors(self):
        """The error's text is as long and as foreign as it likes; each line stays valid JSON."""
        text = 'a"b\\c\nd\x1b[2J\udcff' + "é∞" * 500

        def complain(answer, name):
            answer["errors"] = [{"error": text, "description": text, "error_number": 1}]
        with Fake() as fake, Daemon(fake, *EVERY_SECOND) as daemon:
            fake.behave(edited(complain), ["diag"])
            wait_until(lambda: b"slurm_error" in daemon.log_path.read_bytes(), "a log line")
            self.assertEqual(1, len(daemon.log(endpoint="diag")))
            self.assertNotIn("\x1b", daemon.log_text())

    def test_slow_answers_are_asked_for_less(self):
        with Fake() as fake:
            fake.behave(fakes.slow, ["nodes"])
            with Daemon(fake, *EVERY_SECOND, "--budget.slurmrestd=5") as daemon:
                interval = 'slurmscope_endpoint_interval_seconds{endpoint="nodes"}'
                page = daemon.wait_for(lambda page: page.get(interval, 0) >= 3.9, seconds=90)
                self.assertEqual({"ok"}, set(results(page, "nodes")) - {"unchanged"})

    def test_unchanged_is_not_empty(self):
        """What says that nothing changed is an answer only if there was something to change."""
        with Fake() as fake:
            fake.behave(recorded("v0.0.45/jobs_update_time.json"), ["jobs"])
            with Daemon(fake, *EVERY_SECOND) as daemon:
                page = daemon.wait_for(lambda page: results(page, "jobs").get("empty", 0) > 1)
                self.assertEqual((0, 0), (is_up(page, "jobs"), self.jobs(page)))
                self.assertIn("No job changes since", daemon.log(level="warn")[0]["error"])
                fake.behave()
                before = daemon.wait_well()
                fake.behave(recorded("v0.0.45/jobs_update_time.json"), ["jobs"])
                page = daemon.wait_for(lambda page: results(page, "jobs").get("unchanged", 0) > 1)
                self.assertEqual(1, is_up(page, "jobs"))
                self.assertEqual(held(before), held(page))

    def test_refused(self):
        with Fake() as fake, Daemon(fake, *EVERY_SECOND) as daemon:
            before = daemon.wait_well()
            lines, informed = len(daemon.log()), len(daemon.log(level="info"))
            fake.refuse()
            page = daemon.wait_for(lambda page: all(
                results(page, endpoint).get("unreachable", 0) > 1 for endpoint in PROBES))
            hidden = ("slurm_controller_up", "slurm_controller_ping", "slurm_dbd_up")
            self.assertEqual(held(before, *hidden), held(page, "slurm_dbd_up"))
            self.assertFalse(any(is_up(page, endpoint) for endpoint in ENDPOINTS))
            told = daemon.log()[lines:]
            failed = [line["endpoint"] for line in told]
            self.assertEqual(len(set(failed)), len(failed))
            self.assertTrue(set(PROBES) <= set(failed), failed)
            cut = [line for line in told if re.search("transfer closed|Empty reply", line["error"])]
            self.assertLessEqual(len(cut), 1)  # the answer that was under way
            for line in told:
                if line not in cut:
                    self.assertRegex(line["error"], f"127.0.0.1 port {fake.port}.*refused|[Cc]onnect")
            fake.open()
            self.assertEqual(held(before, "slurm_dbd_up"),
                             held(daemon.wait_well(), "slurm_dbd_up"))

            def endpoints(level, skip):
                return sorted(line["endpoint"] for line in daemon.log(level=level)[skip:])
            # each once, also those that failed first after `told` was read
            wait_until(lambda: endpoints("info", informed) == endpoints("warn", 0) == sorted(set(endpoints("warn", 0))), daemon.log_text)

    def test_state_file_is_garbage(self):
        with Fake() as fake, tempfile.TemporaryDirectory() as folder:
            state = Path(folder, "state")
            state.write_bytes(b"not a database" * 1000)
            with Daemon(fake, *EVERY_SECOND, f"--state.path={state}") as daemon:
                page = daemon.wait_for(lambda page: COMMIT in page, "the state to be written")
                self.assertEqual(1, page["slurmscope_state_errors_total"])
                self.assertEqual(1, len(daemon.log(level="error")))
                self.assertEqual(b"not a database" * 1000, next(state.parent.glob("state.damaged-*")).read_bytes())

    def test_state_file_comes_late(self):
        """Counting goes on in memory; when the folder is there it is written, and another slurmscope keeps off."""
        with Fake() as fake, tempfile.TemporaryDirectory() as folder:
            state = Path(folder, "later", "state")
            with Daemon(fake, *EVERY_SECOND, f"--state.path={state}") as daemon:
                page = daemon.wait_for(lambda page: page.get("slurmscope_state_errors_total", 0) > 0)
                self.assertNotIn(COMMIT, page)
                self.assertIn("slurm_cluster_job_submissions_total", page)
                state.parent.mkdir()
                daemon.wait_for(lambda page: COMMIT in page, "the state to be written")
                self.assertEqual(1, len(daemon.log(level="error")))
                with Daemon(fake, *EVERY_SECOND, f"--state.path={state}") as other:
                    other.wait_for(lambda page: page.get("slurmscope_state_errors_total", 0) > 0)

    def test_state_file_cannot_be_read_at_the_start(self):
        """As long as a backup has it nothing is shown beside what it holds: no counter begins at 0 and then jumps."""
        submissions = "slurm_cluster_job_submissions_total"
        with Fake() as fake, tempfile.TemporaryDirectory() as folder:
            state = Path(folder, "state")
            with Daemon(fake, *EVERY_SECOND, f"--state.path={state}") as daemon:
                daemon.wait_for(lambda page: COMMIT in page, "the state to be written")
            with contextlib.closing(sqlite3.connect(state, isolation_level=None)) as backup:
                backup.execute("REPLACE INTO counter VALUES ('cluster', '', 'submissions', '', 10000000)")
                backup.execute("BEGIN EXCLUSIVE")
                with Daemon(fake, *EVERY_SECOND, f"--state.path={state}") as daemon:
                    page = daemon.wait_for(lambda page: page.get("slurmscope_state_errors_total", 0) > 0 and is_up(page, "nodes"))
                    self.assertEqual([], [series for series in page if EVENT.match(series)])
                    self.assertIn("no counters of job events", daemon.log(level="error")[0]["msg"])
                    backup.execute("COMMIT")
                    backup.close()
                    page = daemon.wait_for(lambda page: submissions in page, "counters are shown")
                    self.assertGreaterEqual(page[submissions], 10000000)
                    self.assertEqual(1, len(daemon.log(level="error")))

    def test_ends_wait_for_a_look_at_jobs(self):
        """slurmdbd hears how a job ended at once, and of a requeue when its processes are gone. Whether they are only slurmctld
        tells; that it was asked before we were killed says nothing of that."""
        ends = 'slurm_cluster_job_ends_total{state="timeout"}'
        with Fake() as fake, tempfile.TemporaryDirectory() as folder:
            state = Path(folder, "state")
            with Daemon(fake, *EVERY_SECOND, f"--state.path={state}") as daemon:
                daemon.wait_for(lambda page: COMMIT in page and is_up(page, "jobs"), "the state to be written")
            end = int(time.time())
            with contextlib.closing(sqlite3.connect(state)) as db, db:
                db.execute("UPDATE mark SET value = ? WHERE name = 'looked_until'", (end + 5,))
            for version, endpoint in fake.answers:
                if endpoint == "dbd_jobs":
                    text = (FIXTURES / f"job_runs/26.05/{version}.json").read_text()
                    told = json.loads(text.replace("cluster2605", "lab26"))
                    told["jobs"] = [run for run in told["jobs"] if run["job_id"] == 2]
                    told["jobs"][0]["time"] |= {"submission": end - 5, "eligible": end - 5, "start": end - 5, "end": end}
                    fake.answers[version, endpoint] = json.dumps(told).encode()
            fake.behave(body(b"", "500 INTERNAL ERROR"), ["jobs"])
            with Daemon(fake, *EVERY_SECOND, "--interval.job_ends=1", f"--state.path={state}") as daemon:
                page = daemon.wait_for(lambda page: time.time() > end + 15 and is_up(page, "jobs") == 0, "jobs to be missed")
                asked = results(page, "dbd_jobs")["ok"]
                page = daemon.wait_for(lambda page: results(page, "dbd_jobs")["ok"] > asked + 3, "slurmdbd to be asked again")
                self.assertEqual(0, page.get(ends, 0))
                fake.behave(fakes.normal, ["jobs"])
                daemon.wait_for(lambda page: page.get(ends) == 1, "the end is counted", BACK_OFF)

    def test_slurmrestd_comes_late(self):
        with Fake() as fake:
            fake.refuse()
            with Daemon(fake, *EVERY_SECOND) as daemon:
                page = daemon.wait_for(lambda page: is_up(page, "diag") == 0)
                # but what it has counted itself: nothing yet
                self.assertEqual({0}, set(held(page).values()))
                self.assertEqual({}, held(page, "slurm_cluster_job_"))
                fake.open()
                self.assertGreater(self.jobs(daemon.wait_well()), 0)

    def test_page_does_not_wait_for_the_round(self):
        """The first answer for jobs may take minutes; the others are on the page meanwhile."""
        with Fake() as fake:
            fake.behave(fakes.hang, ["jobs"])
            with Daemon(fake, *EVERY_SECOND, "--slurmrestd.timeout=3600") as daemon:
                page = daemon.wait_for(lambda page: is_up(page, "nodes"), "nodes are shown")
                self.assertIsNone(is_up(page, "jobs"))

    def test_interval_after_a_timeout(self):
        """An outage is over for us within a minute of its end. By its cost alone, 16 s at 1 %, we would wait for 1,600 s."""
        options = ("--slurmrestd.timeout=16", "--budget.slurmrestd=1", "--budget.start=0")
        with Fake() as fake, Daemon(fake, *EVERY_SECOND, *options) as daemon:
            fake.behave(fakes.hang, ["diag"])
            page = daemon.wait_for(lambda page: results(page, "diag").get("timeout"), "a timeout")
            self.assertEqual(60, page['slurmscope_endpoint_interval_seconds{endpoint="diag"}'])

    def upgrade(self, before, after):
        """slurmrestd becomes another one, which does not serve the version in use."""
        with Fake(*before) as fake, Daemon(fake, *EVERY_SECOND) as daemon:
            daemon.wait_well()
            fake.serve(*after)

            def is_new(page):
                return any(f'api_version="{after[1][-1]}"' in series and
                           f'slurm_version="{after[0]}"' in series for series in page)
            page = daemon.wait_for(is_new, "the new version")
            daemon.wait_well()
            self.assertEqual(1, sum(series.startswith("slurm_cluster_info") for series in page))
            told = [line["api_version"] for line in daemon.log(msg="reading slurmrestd")]
            self.assertEqual([before[1][-1], after[1][-1]], told)
            probes = [call.version for call in fake.calls if call.is_probe]
            self.assertNotIn("openapi", " ".join(call.target for call in fake.calls))
            self.assertIn(fakes.NEWEST, probes[1:])
            return daemon.log(level="warn")

    def test_upgrade(self):
        warnings = self.upgrade(("24.11.5", ["v0.0.42"]), ("26.05.5", ["v0.0.43", "v0.0.45"]))
        self.assertLessEqual(len(warnings), 1)

    def test_upgrade_that_serves_the_old_version_too(self):
        with Fake("24.11.5", ["v0.0.40"]) as fake, Daemon(fake, *EVERY_SECOND) as daemon:
            daemon.wait_well()
            fake.serve("24.11.5", ["v0.0.40", "v0.0.42"])
            probed = len([call for call in fake.calls if call.version == fakes.NEWEST])
            let_ask(fake)  # nobody says that there is anything new
            self.assertEqual(probed, len([call for call in fake.calls if call.version == fakes.NEWEST]))
            fake.serve("26.05.5", ["v0.0.42", "v0.0.43"])
            fake.answers |= {(version.replace("42", "40"), endpoint): answer
                             for (version, endpoint), answer in fake.answers.items() if version == "v0.0.42"}
            daemon.wait_for(lambda page: any('api_version="v0.0.43"' in series for series in page), "the new version")
            daemon.wait_well()
            self.assertEqual([], daemon.log(level="warn"))
            self.assertEqual(["v0.0.40", "v0.0.43"], [line["api_version"] for line in daemon.log(msg="reading slurmrestd")])

    def test_downgrade(self):
        self.upgrade(("26.05.5", ["v0.0.45"]), ("22.05.8", ["v0.0.38"]))

    def test_no_known_version(self):
        with Fake() as fake, Daemon(fake, *EVERY_SECOND) as daemon:
            before = daemon.wait_well()
            fake.answers.clear()
            page = daemon.wait_for(lambda page: all("unsupported" in results(page, endpoint)
                                                    for endpoint in PROBES))
            hidden = "slurm_controller_", "slurm_dbd_up"
            self.assertEqual(held(before, *hidden), held(page, *hidden))
            self.assertFalse(any(is_up(page, endpoint) for endpoint in ENDPOINTS))
            self.assertRegex(daemon.log(result="unsupported")[0]["error"], "no API version")
            fake.serve("24.11.5")
            daemon.wait_well()

    def up(self, page):
        """slurm_controller_up; None if absent."""
        return {int(value) for series, value in page.items()
                if series.startswith("slurm_controller_up{")}.pop() \
            if any(series.startswith("slurm_controller_up{") for series in page) else None

    def test_ping_that_says_down_to_a_bad_token(self):
        for release in fakes.ALL_RELEASES:
            with self.subTest(release):
                with Fake(release) as fake, Daemon(fake, *EVERY_SECOND) as daemon:
                    self.assertEqual(1, self.up(daemon.wait_well()))
                    fake.behave(fakes.bad_token, ["ping"])
                    page = daemon.wait_for(lambda page: self.up(page) is None, "up absent")
                    self.assertTrue(is_up(page, "ping"))
                    fake.behave()
                    daemon.wait_for(lambda page: self.up(page) == 1, "up 1")

    def test_bad_token_for_all(self):
        with Fake() as fake, Daemon(fake, *EVERY_SECOND) as daemon:
            daemon.wait_well()
            fake.behave(fakes.bad_token)
            daemon.wait_for(lambda page: self.up(page) is None and
                            "unauthorized" in results(page, "diag"), "up absent")

    def test_slurmctld_is_down(self):
        with Fake() as fake, Daemon(fake, *EVERY_SECOND) as daemon:
            daemon.wait_well()
            fake.behave(recorded("outage/ctld_stopped_slurm_{endpoint}.json"))
            page = daemon.wait_for(lambda page: self.up(page) == 0, "up 0")
            self.assertGreater(self.jobs(page), 0)
            fake.behave()
            daemon.wait_for(lambda page: self.up(page) == 1, "up 1")

    def test_expired_token(self):
        for release in "26.05.5", "22.05.8":
            with self.subTest(release), Fake(release, key=fakes.KEY) as fake, Daemon(fake, *EVERY_SECOND) as daemon:
                before = daemon.wait_well()
                daemon.write_token(make_token(3))
                page = daemon.wait_for(
                    lambda page: results(page, "diag").get("unauthorized", 0) > 1, "unauthorized")
                hidden = "slurm_controller_", "slurm_dbd_up"
                self.assertEqual(held(before, *hidden), held(page, *hidden))
                expiry = "slurmscope_token_expiry_timestamp_seconds"
                self.assertLess(page[expiry], time.time())
                daemon.write_token(make_token(user="scope2"))
                page = daemon.wait_well()
                self.assertGreater(page[expiry], time.time())
                told = [line["endpoint"] for line in daemon.log(level="warn")]
                self.assertEqual(sorted(set(told)), sorted(told))
                self.assertTrue({"diag"} <= set(told) <= {*ENDPOINTS[1:], *MORE_ENDPOINTS, *OF_SLURMDBD}, told)
                self.assertEqual("scope2", fake.calls[-1].header("x-slurm-user-name"))

    def fails_alone(self, failing):
        every_second = [f"--interval.{endpoint}=1" for endpoint in MORE_ENDPOINTS]
        with Fake() as fake, Daemon(fake, *EVERY_SECOND, *every_second) as daemon:
            before = daemon.wait_well()
            fake.behave(body(b"no", "500 INTERNAL ERROR", "text/plain"), [failing])
            page = daemon.wait_for(lambda page: results(page, failing).get("http_error", 0) > 1)
            self.assertEqual(0, is_up(page, failing))
            self.assertEqual(held(before, "slurm_dbd_up"), held(page, "slurm_dbd_up"))
            self.assertEqual(1, len(daemon.log(level="warn")))
            fake.behave(endpoints=[failing])
            daemon.wait_for(lambda page: is_up(page, failing) == 1, seconds=BACK_OFF)

    def test_newer_version(self):
        """A version that nobody has seen is read as the newest one that was."""
        with Fake() as fake:
            for (version, endpoint), answer in list(fake.answers.items()):
                del fake.answers[version, endpoint]
                if version == "v0.0.45":
                    fake.answers["v0.0.47", endpoint] = answer
            with Daemon(fake, *EVERY_SECOND) as daemon:
                page = daemon.wait_well()
                self.assertEqual(245, page['slurm_cluster_jobs{state="pending"}'])
                self.assertRegex(daemon.log(level="warn")[0]["msg"], "newer")

    def test_memory_stays_small(self):
        """Whatever comes without an end, a second of it is about 30 MB. The rest of a wrong answer is not read."""
        for begin, again, right in ((b'{"%s":[', b'{"x":1},', True),
                                    (b'{"%s":[{"name":"', b"x", True), (b'{"%s":', b" ", True),
                                    (b"%s", b"x", False), (b'{"%s":', b"[", False)):
            with self.subTest(begin=begin), Fake() as fake:
                fake.behave(endless(begin, again), ["jobs"])
                with Daemon(fake, *EVERY_SECOND, "--slurmrestd.timeout=2") as daemon:
                    def read(page):
                        return page['slurmscope_response_bytes_total{endpoint="jobs"}']
                    page = daemon.wait_for(lambda page: is_up(page, "jobs") == 0 and read(page) > (1e6 if right else 0))
                    self.assertTrue(right or read(page) < 1e6, read(page))
                    self.assertLess(daemon.peak_bytes(), 80_000 * 1024 + is_sanitized() * 300e6)


for further in MORE_ENDPOINTS:
    setattr(Others, f"test_{further}_fails_alone",
            lambda self, endpoint=further: self.fails_alone(endpoint))


def load_tests(loader, tests, pattern):
    return all_at_once(tests)


if __name__ == "__main__":
    unittest.main()
