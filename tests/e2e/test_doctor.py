"""`slurmscope doctor`: what it says of a slurmrestd that is well, and of one thing after the other that is not."""

import contextlib
import itertools
import json
import os
import re
import socket
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

import fake_slurmrestd as fakes
from fake_slurmrestd import ENDPOINTS, FIXTURES, MORE_ENDPOINTS, OF_SLURMDBD, Fake, body, edited, make_token
from harness import COMMIT, PATIENCE, SLURMSCOPE, Daemon, all_at_once, free_port

HTML = b"<!DOCTYPE html><html><body>It works!</body></html>"


def clock(seconds=0, also=lambda answer: None):
    """diag by a clock that is so far ahead."""
    def edit(answer, name):
        now = int(time.time() + seconds)
        old = answer[name]["req_time"]
        answer[name]["req_time"] = {**old, "number": now} if isinstance(old, dict) else now
        also(answer[name])
    return edited(edit)


def compact(call):
    return call.reply(json.dumps(json.loads(call.body), separators=(",", ":")).encode())


def private(*names):
    def edit(answer, name):
        answer["slurm_conf"]["PrivateData"] = list(names)
    return edited(edit)


def hidden_job():
    return body(json.dumps({"jobs": [], "errors": [{"error_number": 2017, "error": "Invalid job id specified"}]}).encode(),
                "404 NOT FOUND")


def nobody_elses(answer, name):
    """As slurmdbd answers whom PrivateData keeps from others. Rows of accounts are nobody's."""
    rows = answer[name] if isinstance(answer[name], list) else answer[name]["shares"]
    rows[:] = [row for row in rows if not row.get("user") and "USER" not in row.get("type", ())]
    assert rows, name


class Findings:
    def __init__(self, done, token=None):
        self.status, self.text = done.returncode, done.stdout
        assert not done.stderr, done.stderr
        self.lines = [re.fullmatch(r"(ok|warn|FAIL) +(\w+) +(.+?)(?: -> (.+))?", line)
                      for line in self.text.splitlines()[:-1]]
        assert all(self.lines), self.text
        counts = r"\d+ ok, (1 warning|(?!1 )\d+ warnings), (1 failure|(?!1 )\d+ failures)"
        assert re.fullmatch(counts, self.text.splitlines()[-1]), self.text
        assert max(map(len, self.text.splitlines())) < 400, self.text
        for part in (token or "").split(".")[1:]:
            assert part not in self.text

    def of(self, verdict):
        return [(line[2], line[3] + (" -> " + line[4] if line[4] else "")) for line in self.lines if line[1] == verdict]


class Doctor(unittest.TestCase):
    @contextlib.contextmanager
    def cluster(self, release="26.05.5", **more):
        """One that is well."""
        with Fake(release, **more) as fake:
            fake.behave(clock(), ["diag"])
            fake.behave(compact, ["nodes"])
            yield fake

    def look(self, fake, *options, token=..., mode=0o600, state=True, url=None, words=(), address=None):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "token")
            token = make_token(7200) if token is ... else token
            if token:
                file.write_text(token)
                file.chmod(mode)
                options = (f"--slurmrestd.token-file={file}", *options)
            if state:
                options = (f"--state.path={folder}/state", *options)
            done = subprocess.run(
                [SLURMSCOPE, "doctor", *words, f"--slurmrestd.url={url or fake.url}",
                 f"--web.listen-address=127.0.0.1:{address or free_port()}", *options],
                capture_output=True, text=True, timeout=3 * PATIENCE,
                env=os.environ | {"RES_OPTIONS": "timeout:1 attempts:1"})  # where no resolver answers
        return Findings(done, token)

    def says(self, findings, verdict, about, text):
        self.assertTrue(any(what == about and re.search(text, line) for what, line in findings.of(verdict)),
                        f"{verdict} {about} {text!r} is not in:\n{findings.text}")

    def test_well(self):
        for release, endpoints in (("26.05.5", ENDPOINTS + MORE_ENDPOINTS), ("24.11.5", ENDPOINTS + MORE_ENDPOINTS)):
            with self.subTest(release), self.cluster(release) as fake:
                # on a busy machine an answer may come late enough for a warning
                findings = self.look(fake, "--budget.slurmrestd=1000")
                self.assertEqual(([], []), (findings.of("warn"), findings.of("FAIL")), findings.text)
                self.assertEqual(0, findings.status)
                for about, text in (("version", f"Slurm {re.escape(release)}, API version {fakes.RELEASES[release][-1]}"),
                                    ("token", r"for scope, and expires at .* \(in 2\.0 h\)"), ("login", "as scope"),
                                    ("url", "answers in"), ("nodes", r"nodes: 13, .* kB in .* s; every 45 s"),
                                    ("job_states", r"states of jobs: \d+,"), ("job", "a job's details: 1"),
                                    ("dbd_jobs", "ended in the last minute: 0"), ("sees", "other users' jobs"), ("sees", "other users' associations"), ("clock", "agree"),
                                    ("MinJobAge", "300 s"), ("slurmdbd", "answers"), ("memory", "compact")):
                    self.says(findings, "ok", about, text)
                asked = {call.endpoint for call in fake.calls}
                self.assertEqual(set(endpoints) - {"jobs"}, asked - {"probe", "job", "job_states", "dbd_jobs", "dbd_user"})
                self.assertNotIn("jobs", asked)
                self.assertEqual([], fake.complaints)
                self.assertEqual(1, sum(call.token is None for call in fake.calls), "only the first look is without a token")

    def test_own_jobs_alone(self):
        """Whether others' are hidden cannot be told then."""
        def ours(answer, name):
            for job in answer[name]:
                job["user_name"] = "scope"
        with self.cluster() as fake:
            fake.behave(edited(ours), ["job"])
            self.says(self.look(fake), "ok", "sees", "jobs: no other user has a job")

    def test_old_release(self):
        with self.cluster("22.05.8") as fake:
            findings = self.look(fake)
            self.assertEqual([], findings.of("FAIL"), findings.text)
            self.says(findings, "warn", "version", "one whole list")
            self.says(findings, "ok", "jobs", "jobs: 88")
            self.says(findings, "ok", "sees", "other users' jobs")
            self.assertEqual((0, []), (findings.status, fake.complaints))
            self.assertEqual(1, self.look(fake, words=["--strict"]).status)
            findings = self.look(fake, "--budget.bulk-memory=1")
            self.says(findings, "FAIL", "jobs", "not asked: .*memory.*1 MiB")
            self.assertEqual(1, findings.status)

    def test_more_jobs_are_counted_than_shown(self):
        """Jobs come and go between slurmctld's count and its list; that more than half are missing has another reason."""
        def count(jobs):
            return clock(also=lambda answer: answer.update(jobs_pending=jobs, jobs_running=0))
        with self.cluster("22.05.8") as fake:
            fake.behave(count(1000), ["diag"])
            findings = self.look(fake)
            self.says(findings, "FAIL", "sees", r"jobs: \d+ of the 1000 that slurmctld counts are visible, because of PrivateData=jobs -> sacctmgr")
            shown = int(re.search(r"jobs: (\d+) of the 1000", findings.text)[1])
            fake.behave(count(shown * 3 // 2), ["diag"])
            findings = self.look(fake)
            self.says(findings, "ok", "sees", "other users' jobs")
            self.assertEqual([], findings.of("FAIL"), findings.text)

    def test_share_of_slurmrestds_time(self):
        """It follows from the two numbers before it: how long the answer took, and how often it is asked for."""
        def slow_and_well(call):
            call.rest(0.2)
            return compact(call)
        with self.cluster() as fake:
            fake.behave(slow_and_well, ["nodes"])
            findings = self.look(fake, "--budget.slurmrestd=1000")
            costs = {about: (float(seconds), float(every), share) for about, seconds, every, share in re.findall(
                r" (\w+) +\w.* in (\S+) s; every (\S+) s this takes (.+) % of slurmrestd's time", findings.text)}
            for about, (seconds, every, share) in costs.items():
                percent = 100 * seconds / every
                with self.subTest(about, seconds=seconds, every=every):
                    if share == "less than 0.01":
                        self.assertLess(percent, 0.0101)
                    else:
                        self.assertAlmostEqual(1, float(share) / percent, delta=0.1)
            self.assertGreater(costs["nodes"][0], 0.19)  # so that its share has a number

    def test_wrong_url(self):
        def serve(answer):
            listener = socket.create_server(("127.0.0.1", 0))
            self.addCleanup(listener.close)
            self.addCleanup(listener.shutdown, socket.SHUT_RDWR)

            def run():
                with contextlib.suppress(OSError):
                    while True:
                        connection, _ = listener.accept()
                        with connection, contextlib.suppress(OSError):
                            seen.append(connection.recv(65536))
                            connection.sendall(answer)
            threading.Thread(target=run, daemon=True).start()
            return f"http://127.0.0.1:{listener.getsockname()[1]}"

        def page(status, headers="", html=HTML):
            return (f"HTTP/1.1 {status}\r\nConnection: close\r\nContent-Type: text/html\r\n{headers}"
                    f"Content-Length: {len(html)}\r\n\r\n").encode() + html
        seen = []
        for url, text in (
                (f"http://127.0.0.1:{free_port()}", "Couldn't connect.*is slurmrestd running"),
                ("http://no-such-host.invalid:6820", "Could not resolve host.*correct the host"),
                ("unix:/nonexistent/slurmrestd.sock", "slurmrestd running with this socket"),
                (serve(page("200 OK", "Server: nginx/1.22.1\r\n")), "HTTP 200 from nginx/1.22.1, which is not slurmrestd"),
                (serve(page("404 Not Found")), r"HTTP 404 from \(unnamed\), which is not slurmrestd"),
                (serve(page("200 OK", html=HTML * 1000)), r"HTTP 200 from \(unnamed\), which is not slurmrestd"),
                (serve(page("502 Bad Gateway", "Via: 1.1 gate\r\n")), "HTTP 502 from the proxy 1.1 gate, not from slurmrestd"),
                (serve(page("504 Gateway Timeout")), r"HTTP 504 from the proxy \(unnamed\), not from slurmrestd"),
                (serve(page("407 Proxy Authentication Required")), r"HTTP 407 from the proxy \(unnamed\), not from slurmrestd"),
                (serve(page("505 HTTP Version Not Supported")), r"HTTP 505 from \(unnamed\), which is not slurmrestd"),
                (serve(page("302 Found", "Location: /login\r\n")), "HTTP 302 .*not slurmrestd"),
                (serve(b"SSH-2.0-OpenSSH_9.2p1\r\n"), "HTTP/0.9.*check that slurmrestd listens there"),
                (serve(b"").replace("http:", "https:"), "TLS|SSL")):
            with self.subTest(url=url, text=text):
                findings = self.look(None, url=url)
                self.says(findings, "FAIL", "url", text)
                self.assertEqual((1, 1), (findings.status, len(findings.of("FAIL"))), findings.text)
        for request in seen:
            self.assertNotIn(b"TOKEN", request.upper())

    def test_plain_where_tls_is_asked_for(self):
        with self.cluster() as fake:
            findings = self.look(fake, url=fake.url.replace("http:", "https:"))
            self.says(findings, "FAIL", "url", "does not speak TLS, use http://")

    def test_through_a_proxy(self):
        """The doctor reports the proxy's clock, too."""
        def through(call):
            if not call.token:
                call.send(b"HTTP/1.1 401 UNAUTHORIZED\r\nVia: 1.1 gate\r\nContent-Length: 22\r\n\r\n" + fakes.NO_TOKEN)
                return True
            date = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 100))
            answer = json.loads(call.body)
            if call.endpoint == "diag":
                answer["statistics"]["req_time"]["number"] = int(time.time())
            text = json.dumps(answer).encode()
            call.send(f"HTTP/1.1 200 OK\r\nVia: 1.1 gate\r\nDate: {date}\r\nContent-Length: {len(text)}\r\n\r\n".encode() + text)
            return True
        with self.cluster("24.11.5", wants_token=False) as fake:
            fake.behave(through, ["ping", "diag"])
            findings = self.look(fake)
            self.says(findings, "ok", "url", "through 1.1 gate")
            self.says(findings, "ok", "clock", "slurmctld")
            self.says(findings, "FAIL", "clock", r"1\.1 gate's clock is (9\d|10\d) s ahead")

    def test_token(self):
        unlimited = fakes.encode(b'{"alg":"HS256"}') + b"." + fakes.encode(b'{"sun":"scope"}') + b".c2lnbmF0dXJl"
        with self.cluster() as fake:
            for token, mode, verdict, text in (
                    (make_token(300), 0o600, "warn", r"expires in \d+ s.*slurmscope-token"),
                    (make_token(7200), 0o644, "warn", "can be read or written by others"),
                    (unlimited.decode(), 0o600, "warn", "does not say when it expires"),
                    (make_token(7200, iat=int(time.time()) + 600), 0o600, "warn", r"issued \d{3} s in the future"),
                    ("two words", 0o600, "FAIL", "does not hold a token")):
                with self.subTest(text):
                    findings = self.look(fake, token=token, mode=mode)
                    self.says(findings, verdict, "token", text)
                    self.assertEqual(verdict == "FAIL", bool(findings.status))
            findings = self.look(fake, token=make_token(7200))  # on a port of this machine
            self.says(findings, "ok", "token", "any user of this machine can answer in its place.*unix socket")
            findings = self.look(fake, "--slurmrestd.url=http://192.0.2.1:6820", "--slurmrestd.timeout=1", token=make_token(7200))
            self.says(findings, "warn", "token", "over the network in clear")
            findings = self.look(fake, "--slurmrestd.token-file=/nonexistent/token", token=None)
            self.says(findings, "FAIL", "token", "/nonexistent/token: No such file")
            self.says(findings, "FAIL", "login", "no token")
            findings = self.look(fake, token=None)
            self.says(findings, "FAIL", "login", "requires a token, and slurmscope has none")

    def test_names(self):
        with self.cluster() as fake, tempfile.TemporaryDirectory() as folder:
            key = Path(folder, "key")
            for content, mode, verdict, text in ((b"k" * 32, 0o640, "ok", f"they are hashed with {key}"),
                                                 (b"k" * 32, 0o644, "warn", "others may read or write the key.*chmod o="),
                                                 (b"k" * 31, 0o600, "FAIL", "31 bytes.*openssl rand -out FILE 32")):
                with self.subTest(text):
                    key.write_bytes(content)
                    key.chmod(mode)
                    findings = self.look(fake, f"--names.hash-key-file={key}")
                    self.says(findings, verdict, "names", text)
                    self.assertEqual(verdict == "FAIL", bool(findings.status))
            self.assertNotIn("names", {about for verdict in ("ok", "warn", "FAIL") for about, _ in self.look(fake).of(verdict)})

    def test_refused(self):
        """As each release answers, byte for byte; nothing but what tells is asked of a slurmrestd that leaks for each."""
        def refuse(call):
            kind = "db" if call.endpoint in OF_SLURMDBD else {"ping": "ping"}.get(call.endpoint, "diag")
            call.send((FIXTURES / call.fake.release / "http" / f"expired_token_{kind}.raw").read_bytes())
        for release in fakes.RELEASES:
            for token, text in ((make_token(-600), "has expired"), (make_token(), "valid by this machine's clock")):
                with self.subTest(release, text=text), self.cluster(release) as fake:
                    fake.behave(refuse, (*ENDPOINTS, *MORE_ENDPOINTS))
                    findings = self.look(fake, token=token)
                    self.says(findings, "FAIL", "login", text)
                    self.assertEqual("expired" in text, any(about == "token" for about, _ in findings.of("FAIL")))
                    if "expired" in text:
                        self.says(findings, "FAIL", "token", r"expired at .*, 1\d minutes ago")
                    self.assertFalse(any(about == "controllers" for about, _ in findings.of("FAIL")), findings.text)
                    if release >= "24":
                        self.says(findings, "ok", "controllers", "doctor ignores it")
                    self.assertLessEqual({call.endpoint for call in fake.calls}, {"probe", "ping", "diag", "qos"})
                    self.assertLess(len(fake.served_calls), 5)

    def test_slurmctld_is_down(self):
        for release in "24.11.5", "26.05.5":
            with self.subTest(release), self.cluster(release) as fake:
                fake.behave(fakes.recorded("outage/ctld_stopped_slurm_{endpoint}.json"))
                findings = self.look(fake)
                self.says(findings, "FAIL", "controllers", "down")
                self.says(findings, "FAIL", "slurmctld", "Unable to contact slurm controller")

    def test_two_controllers(self):
        def pair(*up):
            return edited(lambda answer, name: answer.update({name: [
                {**answer[name][0], "hostname": host, "primary": host == "ctl1", "responding": host in up}
                for host in ("ctl1", "ctl2")]}))
        for host, up, verdict, text in (
                ("ctl1", ("ctl1", "ctl2"), "ok", "leads on this host: the slurmctld on ctl1 is active"),
                ("ctl2", ("ctl1", "ctl2"), "ok", "stands by on this host: the slurmctld on ctl1 is active, not the one on ctl2"),
                ("ctl2.example", ("ctl2",), "ok", "leads on this host"),
                ("ctl3", ("ctl1", "ctl2"), "FAIL", "no controller ctl3: .* -> name one of these hosts with --ha-host")):
            with self.subTest(host, up=up), self.cluster() as fake:
                fake.behave(pair(*up), ["ping"])
                findings = self.look(fake, "--ha=follow-controller", f"--ha-host={host}")
                self.says(findings, verdict, "ha", text)
                self.assertEqual(verdict == "FAIL", bool(findings.status))
        with self.cluster() as fake:
            fake.behave(pair("ctl1"), ["ping"])
            self.assertNotIn("ha ", self.look(fake).text)

    def test_state_in_use(self):
        with self.cluster() as fake, tempfile.TemporaryDirectory() as folder:
            state = f"--state.path={folder}/state"
            with Daemon(fake, state) as daemon:
                daemon.wait_for(lambda page: COMMIT in page)
                self.says(self.look(fake, state, state=False), "ok", "state", rf"another process has it \(.*, process {daemon.pid}\)")
            before = sorted(path.name for path in Path(folder).iterdir())
            self.says(self.look(fake, state, state=False), "ok", "state", "can be written")
            self.assertEqual(before, sorted(path.name for path in Path(folder).iterdir()))

    def test_no_slurmdbd(self):
        def stopped(call):
            name = OF_SLURMDBD[call.endpoint]
            path = FIXTURES / call.fake.release / "outage" / f"dbd_stopped_slurmdb_{name}.json"
            head = Path(f"{path}.headers").read_text().splitlines()[0]
            return call.reply(path.read_bytes(), head.partition(" ")[2])
        for release in fakes.RELEASES:
            with self.subTest(release), self.cluster(release) as fake:
                fake.behave(stopped, [endpoint for endpoint in OF_SLURMDBD
                                      if (FIXTURES / release / "outage" / f"dbd_stopped_slurmdb_{OF_SLURMDBD[endpoint]}.json").exists()])
                findings = self.look(fake)
                self.says(findings, "FAIL", "slurmdbd", "does not answer.*sacctmgr show stats")
                self.assertEqual(1, findings.status)
        with self.cluster() as fake:
            for key in [key for key in fake.answers if key[1] in OF_SLURMDBD]:
                del fake.answers[key]
            findings = self.look(fake)
            self.says(findings, "warn", "slurmdbd", "does not use slurmdbd")
            self.assertEqual(0, findings.status)
            findings = self.look(fake, "--jobs.ends=slurmdbd")
            self.says(findings, "FAIL", "slurmdbd", "does not use slurmdbd")

    def test_gpus_that_slurm_does_not_account(self):
        """Since 26.05 slurm.conf says so; before, a job whose TRES lack what it asks for."""
        line = "Slurm does not account GPUs: .* -> add gres/gpu to AccountingStorageTRES in slurm.conf"
        for release, version, endpoint in (("26.05.5", "v0.0.45", "conf"), ("24.11.5", "v0.0.42", "jobs"), ("22.05.8", "v0.0.38", "jobs")):
            with self.subTest(release), self.cluster(release, versions=[version]) as fake:
                self.assertNotIn("Slurm does not account GPUs", self.look(fake, "--jobs.read=list").text)
                told = fake.answers[version, endpoint]
                fake.answers[version, endpoint] = (re.sub(rb',?gres\\/gpu[^,"]*=[^,"]*', b"", told) if endpoint == "jobs"
                                                   else told.replace(rb"gres\/gpu", rb"gres\/nic"))
                self.assertNotEqual(told, fake.answers[version, endpoint])
                self.says(self.look(fake, "--jobs.read=list"), "warn", "gpus", line)

    def test_more_ends_than_the_budget_pays_for(self):
        with self.cluster() as fake:
            runs = [{"job_id": 1000 + i, "user": "a", "account": "b", "cluster": "c", "state": {"current": ["COMPLETED"]},
                     "time": {"submission": 1, "start": 2, "end": 3, "elapsed": 1}} for i in range(300)]
            answer = body(json.dumps({"jobs": runs, "errors": []}).encode())

            def slow_answer(call):
                call.rest(1)
                return answer(call)
            fake.behave(slow_answer, ["dbd_jobs"])
            line = "300 jobs ended in the last minute; .*ends will be counted late.* -> raise --budget.slurmrestd"
            self.says(self.look(fake, "--budget.slurmrestd=2"), "warn", "dbd_jobs", line)
            self.assertNotIn("counted late", self.look(fake, "--budget.slurmrestd=1000").text)

    def test_private_data(self):
        with self.cluster() as fake:
            fake.behave(private("jobs", "usage", "users", "accounts"), ["conf"])
            fake.behave(edited(nobody_elses), ["associations", "shares"])
            fake.behave(hidden_job(), ["job"])
            findings = self.look(fake)
            advice = "sacctmgr add user scope .*adminlevel=operator"
            self.says(findings, "FAIL", "AdminLevel", f"PrivateData=accounts,jobs,usage,users hides.*{advice}")
            self.says(findings, "FAIL", "sees", f"jobs: the details of 8 of 8 jobs are hidden.*{advice}")
            self.says(findings, "warn", "sees", "no associations of other users")
            self.says(findings, "warn", "sees", "no shares of other users")
            self.assertEqual(1, findings.status)
            fake.behave(edited(lambda answer, name: answer.update({name: []})), ["partitions"])
            self.says(self.look(fake), "FAIL", "sees", f"no partitions: PrivateData=partitions hides them.*{advice}")

    def test_a_job_that_ends_meanwhile(self):
        """Its details are not to be had any more, as if they were hidden; but others' are."""
        gone, calls = hidden_job(), itertools.count()
        with self.cluster() as fake:
            fake.behave(lambda call: call.reply(call.body) if next(calls) else gone(call), ["job"])
            findings = self.look(fake)
            self.assertGreater(next(calls), 2)
            self.says(findings, "ok", "sees", "other users' jobs")
            self.assertEqual(0, findings.status, findings.text)

    def test_ends_that_slurmctld_forgets(self):
        """Without slurmdbd states have to be read some times before."""
        for age, ends, verdict in ((59, "slurmctld", "warn"), (60, "slurmctld", "ok"), (59, "auto", "ok")):
            with self.subTest(age=age, ends=ends), self.cluster() as fake:
                fake.behave(edited(lambda answer, name: answer["slurm_conf"].update({"MinJobAge": age})), ["conf"])
                self.says(self.look(fake, f"--jobs.ends={ends}", "--interval.job_states=15"), verdict, "MinJobAge", f"after {age} s")

    def test_operator(self):
        def promote(answer, name):
            answer["users"] = [{"name": "scope", "administrator_level": ["Operator"]}]
        with self.cluster() as fake:
            fake.behave(private("jobs"), ["conf"])
            fake.behave(edited(promote), ["dbd_user"])
            findings = self.look(fake)
            self.says(findings, "ok", "AdminLevel", "scope is Operator: PrivateData hides nothing")
            self.assertEqual(0, findings.status)
            fake.behave(hidden_job(), ["job"])
            advice = "scope is Operator already, but the hosts of slurmctld and slurmdbd may not know"
            self.says(self.look(fake), "FAIL", "sees", f"jobs: the details of 8 of 8 jobs are hidden.*{advice}")

    def test_clock(self):
        with self.cluster() as fake:
            for seconds, verdict, text in ((30, "warn", r"slurmctld's clock is (2\d|30) s ahead of"),
                                           (-300, "FAIL", r"slurmctld's clock is (29\d|30\d) s behind")):
                with self.subTest(seconds):
                    fake.behave(clock(seconds), ["diag"])
                    findings = self.look(fake)
                    self.says(findings, verdict, "clock", text)
                    self.assertEqual(verdict == "FAIL", bool(findings.status))

    def test_here(self):
        """A running slurmscope is recognised, and so is who is none; a state that cannot be written."""
        with self.cluster() as fake, Daemon(fake) as daemon, socket.create_server(("127.0.0.1", 0)) as other:
            daemon.wait_well()
            self.says(self.look(fake, address=daemon.port), "ok", "address", "is served by a slurmscope")
            at_path = f"--web.listen-address=unix:{daemon.folder.name}/web.sock,mode=600"
            self.says(self.look(fake, at_path), "ok", "address", "mode=600: no slurmscope serves there now")
            with Daemon(fake, at_path) as another:
                another.wait_well()
                self.says(self.look(fake, at_path), "ok", "address", "mode=600 is served by a slurmscope")
            findings = self.look(fake, "--state.path=/nonexistent/state", state=False, address=other.getsockname()[1])
            self.says(findings, "warn", "address", "another program uses")
            self.says(findings, "FAIL", "state", "/nonexistent")
            self.says(self.look(fake, state=False), "warn", "state", "begin at 0")

    def test_one_endpoint_fails(self):
        """What Slurm says is shown, without what a terminal would obey."""
        with self.cluster() as fake:
            fake.behave(body(b'{"nodes":[],"errors":[{"error_number":1,"error":"\\u001b[31mBad\\nluck"}]}',
                             "500 INTERNAL ERROR"), ["nodes"])
            findings = self.look(fake)
            self.says(findings, "FAIL", "nodes", r"HTTP 500: \?\[31mBad\?luck")
            self.assertEqual(["nodes"], [about for about, _ in findings.of("FAIL")], "an answer that failed does not look empty")

    def test_several_clusters(self):
        """Each under its name; what is the process's is looked at once."""
        with self.cluster() as well, self.cluster("24.11.5") as ill, tempfile.TemporaryDirectory() as folder:
            ill.behave(clock(-300), ["diag"])
            token, config = Path(folder, "token"), Path(folder, "slurmscope.yml")
            token.write_text(make_token(7200))
            token.chmod(0o600)
            config.write_text(f"slurmrestd: {{token-file: {token}}}\nweb: {{listen-address: '127.0.0.1:{free_port()}'}}\n"
                              f"clusters:\n  alpha: {{slurmrestd: {{url: '{well.url}'}}}}\n"
                              f"  beta: {{slurmrestd: {{url: '{ill.url}'}}}}\n")
            done = subprocess.run([SLURMSCOPE, "doctor", f"--config.file={config}"], capture_output=True, text=True,
                                  timeout=3 * PATIENCE)
        self.assertEqual((1, ""), (done.returncode, done.stderr))
        process, alpha, beta = re.fullmatch(r"(.*\n)alpha\n(.*\n)beta\n(.*\n).*\n", done.stdout, re.DOTALL).groups()
        self.assertRegex(process, r"ok +address ")
        self.assertNotIn("address", alpha + beta)
        self.assertIn("Slurm 26.05.5", alpha)
        self.assertNotIn("FAIL", process + alpha)
        self.assertIn("Slurm 24.11.5", beta)
        self.assertRegex(beta, "FAIL +clock")

    def test_usage(self):
        for options in (["--no-such-option"], ["--strict=1"], ["strict"]):
            done = subprocess.run([SLURMSCOPE, "doctor", *options], capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual((2, ""), (done.returncode, done.stdout))
            self.assertIn(options[0].partition("=")[0], done.stderr)


def load_tests(loader, tests, pattern):
    return all_at_once(tests, 6)


if __name__ == "__main__":
    unittest.main()
