#!/usr/bin/env python3
"""How the simulator behaves: tokens, IDs, update_time, connections, slurmdbd's windows, faults and controls,
each as it was measured on real slurmrestds (fixtures' http/ and outage/)."""

import contextlib
import http.client
import re
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from simulator import EPOCH, FIXTURES, PATIENCE, RELEASES, SLURMSIM, Simulator, newest, parse
from tokens import KEY, make_token

V = "v0.0.45"
WINDOW = "skip_steps=true&show_duplicates=true&disable_truncate_usage_time=true"


def states(sim, query="", version=V):
    return [(row["job_id"], row["state"]) for row in
            sim.json(f"/slurm/{version}/jobs/state/{query}")["jobs"]]


def recorded_status(release, name):
    raw = (FIXTURES / RELEASES[release][0] / "http" / f"{name}.raw").read_bytes()
    return int(raw.split(b" ", 2)[1])


def raw(sim, request):
    """All bytes until the other side closes."""
    host, port = sim.address.split(":")
    with socket.create_connection((host, int(port)), PATIENCE) as connection:
        connection.sendall(request)
        answer = b""
        while part := connection.recv(65536):
            answer += part
        return answer


class Tokens(unittest.TestCase):
    def test_tokens(self):
        bad = {"bad_token": "nonsense", "bad_signature": make_token(key=b"x" * 32),
               "expired_token": make_token(seconds=-60)}
        for release in RELEASES:
            version = newest(release)
            with Simulator(f"--release={release}", "--jobs=100", key=KEY) as sim, self.subTest(release=release):
                def status(path, **headers):
                    return sim.get(path, **headers)[0]
                good = make_token()
                self.assertEqual(status(f"/slurm/{version}/ping"), 401)
                self.assertEqual(sim.get(f"/slurm/{version}/ping")[2][:22], b"Authentication failure")
                self.assertEqual(status(f"/slurm/{version}/diag", X_SLURM_USER_TOKEN=good), 200)
                self.assertEqual(status(f"/slurm/{version}/diag", Authorization=f"Bearer {good}"),
                                 recorded_status(release, "bearer"))
                self.assertEqual(status(f"/slurm/{version}/diag", Authorization=f"Bearer {good}",
                                        X_SLURM_USER_TOKEN=good), 401)
                for what, token in bad.items():
                    self.assertEqual(status(f"/slurm/{version}/jobs", X_SLURM_USER_TOKEN=token),
                                     recorded_status(release, "expired_token_jobs"), what)
                    self.assertEqual(status(f"/slurmdb/{version}/qos", X_SLURM_USER_TOKEN=token),
                                     recorded_status(release, "expired_token_db"), what)
                    self.assertEqual(status(f"/slurm/{version}/job/x", X_SLURM_USER_TOKEN=token), recorded_status(release, "bad_job"))
                code, _, body = sim.get(f"/slurm/{version}/ping", X_SLURM_USER_TOKEN=bad["expired_token"])
                self.assertEqual(code, recorded_status(release, "expired_token_ping"))
                if code == 200:
                    ping = parse(body)["pings"][0]
                    self.assertIn(False, [ping.get("responding", ping.get("pinged") != "DOWN")])

    def test_tokens_of_its_own(self):
        """--print-token makes one that it takes, and diag tells whose calls they were."""
        with Simulator("--jobs=100", key=KEY) as sim:
            token = subprocess.run([SLURMSIM, f"--jwt-key-file={sim.key_file}", "--print-token=scope"],
                                   capture_output=True, text=True, check=True).stdout.strip()
            for _ in range(3):
                diag = sim.json(f"/slurm/{V}/diag", X_SLURM_USER_TOKEN=token)["statistics"]
            self.assertEqual([("scope", 2)], [(u["user"], u["count"]) for u in diag["rpcs_by_user"]])
            self.assertEqual([("REQUEST_STATS_INFO", 2)],
                             [(t["message_type"], t["count"]) for t in diag["rpcs_by_message_type"]])


class Ids(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stack = contextlib.ExitStack()
        cls.sim = cls.stack.enter_context(Simulator("--seed=3", "--jobs=1500", "--nodes=60", "--arrays=0.1"))
        cls.sim.control("advance?seconds=400")
        cls.jobs = cls.sim.json(f"/slurm/{V}/jobs")["jobs"]
        cls.by_id = {job["job_id"]: job for job in cls.jobs}

    @classmethod
    def tearDownClass(cls):
        cls.stack.close()

    def members(self, leader):
        return {job["job_id"] for job in self.jobs if job["array_job_id"]["number"] == leader}

    def split_leader(self):
        """An array of which some tasks run, and some are not split yet."""
        return next(job["job_id"] for job in self.jobs if job["array_task_string"]
                    and len(self.members(job["job_id"])) > 2)

    def test_whole_list(self):
        """A row per task; its raw ID and state are the record's."""
        rows = states(self.sim)
        self.assertEqual(len(rows), len({name for name, _ in rows}))
        counted = {}
        for name, state in rows:
            number = int(re.match(r"\d+", name)[0])
            self.assertEqual(state, self.by_id[number]["job_state"])
            counted[number] = counted.get(number, 0) + 1
        self.assertEqual(set(counted), set(self.by_id))
        truth = self.sim.truth()
        self.assertEqual(len(rows), sum(v for k, v in truth.items() if re.fullmatch("jobs/[A-Z_]+", k)))

    def test_task_names(self):
        """26_2 is record 26, task 2; in v0.0.40 the array's ID stands there."""
        task = next(job for job in self.jobs if job["array_task_id"]["set"] and
                    job["job_id"] != job["array_job_id"]["number"])
        name = f"{task['job_id']}_{task['array_task_id']['number']}"
        self.assertEqual([name], [row for row, _ in states(self.sim, f"?job_id={task['job_id']}")])
        array = task["array_job_id"]["number"]
        self.assertEqual([name], [row for row, _ in states(
            self.sim, f"?job_id={array}_{task['array_task_id']['number']}")])
        with Simulator("--release=24.11", "--seed=3", "--jobs=1500", "--nodes=60", "--arrays=0.1") as sim:
            rows = [row for row, _ in states(sim, version="v0.0.40")]
            leaders = {job["array_job_id"]["number"] for job in sim.json("/slurm/v0.0.40/jobs")["jobs"]}
            self.assertTrue(all(int(row.split("_")[0]) in leaders for row in rows if "_" in row))

    def test_leaders(self):
        """Asking for a leader brings all its members; leader and member asked together come twice."""
        leader = self.split_leader()
        members = self.members(leader)
        rows = [row for row, _ in states(self.sim, f"?job_id={leader}")]
        self.assertEqual({int(row.split("_")[0]) for row in rows}, members)
        self.assertEqual(len(rows), len(set(rows)))
        member = max(members - {leader})
        twice = [row for row, _ in states(self.sim, f"?job_id={leader}&job_id={member}")]
        self.assertEqual(len(twice), len(rows) + 1)
        self.assertEqual(set(twice), set(rows))
        records = self.sim.json(f"/slurm/{V}/job/{leader}")["jobs"]
        self.assertEqual({job["job_id"] for job in records}, members)
        self.assertEqual(1, len(self.sim.json(f"/slurm/{V}/job/{member}")["jobs"]))
        task = self.by_id[member]["array_task_id"]["number"]
        self.assertIn(member, {job["job_id"] for job in self.sim.json(f"/slurm/{V}/job/{leader}_{task}")["jobs"]})

    def test_het_jobs(self):
        leader = next(job["job_id"] for job in self.jobs if job["het_job_id"]["number"] == job["job_id"])
        self.assertEqual([f"{leader}+0", f"{leader + 1}+1"],
                         [row for row, _ in states(self.sim, f"?job_id={leader}")])
        self.assertEqual([f"{leader + 1}+1"],
                         [row for row, _ in states(self.sim, f"?job_id={leader}+1")])

    def test_unknown_and_repeated(self):
        known = next(job["job_id"] for job in self.jobs if not job["array_job_id"]["number"] and
                     not job["het_job_id"]["number"])
        rows = states(self.sim, f"?job_id=999999&job_id={known}&job_id=999998&job_id={known}")
        self.assertEqual([str(known)] * 2, [row for row, _ in rows])
        self.assertEqual([], states(self.sim, "?job_id=999999"))
        for refused in (f"?job_id={known},1", f"?job_id={known}%2C1", "?job_id=abc"):
            self.assertGreaterEqual(self.sim.get(f"/slurm/{V}/jobs/state/{refused}")[0], 400)
        many = "&".join(f"job_id={number}" for number in range(1, 5001))
        self.assertEqual({int(re.match(r"\d+", row)[0]) for row, _ in states(self.sim, f"?{many}")},
                         set(self.by_id))

    def test_unknown_job(self):
        for release in RELEASES:
            with Simulator(f"--release={release}", "--jobs=50") as sim, self.subTest(release=release):
                status, _, body = sim.get(f"/slurm/{newest(release)}/job/999999")
                self.assertEqual(status, recorded_status(release, "unknown_job"))
                self.assertEqual([2017], [error["error_number"] for error in parse(body)["errors"]])
                self.assertEqual([], parse(body)["jobs"])
                self.assertEqual(sim.get(f"/slurm/{newest(release)}/job/abc")[0],
                                 recorded_status(release, "bad_job"))
                self.assertEqual(sim.get(f"/slurm/{newest(release)}/node/nosuch")[0],
                                 recorded_status(release, "unknown_node"))
                self.assertEqual(sim.get("/slurm/v0.0.99/ping")[0], recorded_status(release, "unknown_version"))
                self.assertEqual(sim.get(f"//slurm//{newest(release)}/ping/")[0], 200)

    def test_cut_lists(self):
        """array_task_string ends at 64 characters with a comma and dots; jobs/state has all tasks."""
        cut = 0
        for seed in range(20):
            with Simulator(f"--seed={seed}", "--jobs=200", "--array-tasks=2000") as sim, \
                    Simulator(f"--seed={seed}", "--jobs=200", "--array-tasks=2000", "--bitstr-len=0") as whole:
                for job, full in zip(sim.json(f"/slurm/{V}/jobs")["jobs"], whole.json(f"/slurm/{V}/jobs")["jobs"]):
                    text, all_tasks = job["array_task_string"], full["array_task_string"]
                    if text == all_tasks:
                        continue
                    cut += 1
                    text, _, limit = text.partition("%")
                    self.assertLessEqual(len(text), 64)
                    self.assertTrue(text.endswith(",..."))
                    self.assertTrue(all_tasks.startswith(text[:-3]))
                    self.assertEqual(limit, all_tasks.partition("%")[2])
            if cut > 3:
                return
        self.fail("no list was long enough to be cut")


class UpdateTime(unittest.TestCase):
    def test_update_time(self):
        for release, (_, versions) in RELEASES.items():
            for number in versions:
                with Simulator(f"--release={release}", "--jobs=100") as sim, self.subTest(version=number):
                    sim.control("stand?still=1")
                    version = f"v0.0.{number}"
                    now = sim.truth()["now"]
                    answers = {name: sim.get(f"/slurm/{version}/{name}?update_time={now}")
                               for name in ("jobs", "nodes", "partitions", "reservations")}
                    if number in (40, 41):
                        self.assertEqual({422}, {status for status, _, _ in answers.values()})
                        continue
                    self.assertEqual(304, answers["nodes"][0])
                    self.assertEqual(304, answers["partitions"][0])
                    self.assertEqual(304, answers["reservations"][0])
                    if number < 40:
                        self.assertEqual(304, answers["jobs"][0])
                    else:
                        body = parse(answers["jobs"][2])
                        self.assertEqual((200, [], 0, 1), (answers["jobs"][0], body["jobs"],
                                         body["last_update"]["number"], len(body["warnings"])))
                    before = sim.json(f"/slurm/{version}/jobs?update_time={now - 100}")["jobs"]
                    self.assertEqual(len(before), sim.truth()["records"])

    def test_a_change_shows(self):
        with Simulator("--jobs=300") as sim:
            now = sim.truth()["now"]
            sim.control("advance?seconds=60")
            self.assertTrue(sim.json(f"/slurm/{V}/jobs?update_time={now}")["jobs"])
            self.assertEqual(200, sim.get(f"/slurm/{V}/nodes?update_time={now}")[0])


class Connections(unittest.TestCase):
    def test_keep_alive(self):
        with Simulator("--jobs=100") as sim, contextlib.closing(sim.connect()) as connection:
            sockets = set()
            for path in ("ping", "diag", "nodes", "jobs", "ping"):
                connection.request("GET", f"/slurm/{V}/{path}")
                answer = connection.getresponse()
                self.assertEqual((200, "application/json"), (answer.status, answer.headers["Content-Type"]))
                self.assertEqual(len(answer.read()), int(answer.headers["Content-Length"]))
                sockets.add(connection.sock.fileno())
            self.assertEqual(1, len(sockets))

    def test_errors_close(self):
        """Each error closes the connection; 26.05 sends most of them a second time, as plain text."""
        for release in RELEASES:
            with Simulator(f"--release={release}", "--jobs=50", key=KEY) as sim, self.subTest(release=release):
                token = make_token()
                for path, headers in ((f"/slurm/{newest(release)}/job/999999", f"X-SLURM-USER-TOKEN: {token}\r\n"),
                                      ("/nothing", ""), (f"/slurm/{newest(release)}/diag", "")):
                    answer = raw(sim, f"GET {path} HTTP/1.1\r\nHost: x\r\n{headers}\r\n".encode())
                    self.assertEqual(2 if release == "26.05" else 1, answer.count(b"HTTP/1.1 4") +
                                     answer.count(b"HTTP/1.1 5"), answer)
                    self.assertIn(b"Connection: Close", answer.title())
                    head = answer.partition(b"\r\n\r\n")[0].lower()
                    self.assertEqual(1, head.count(b"content-length:"), "newer libcurls refuse two")

    def test_a_long_answer(self):
        """Longer than what is made in one piece: whole, of one moment, while the clock goes."""
        with Simulator("--jobs=4000", "--nodes=300", "--speed=50", "--seed=9") as sim:
            time.sleep(1)
            body = sim.json(f"/slurm/{V}/jobs")
            running = [job for job in body["jobs"] if job["job_state"] == ["RUNNING"]]
            self.assertGreater(len(body["jobs"]), 2000)
            now = body["last_update"]["number"]
            self.assertFalse([job["job_id"] for job in running if job["start_time"]["number"] > now])
            self.assertEqual(len(body["jobs"]), len({job["job_id"] for job in body["jobs"]}))
            later = sim.truth()["now"]
            self.assertGreater(later, now)

    def test_unix_socket(self):
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder, "s"))
            with Simulator(f"--listen=unix:{path}", "--jobs=50") as sim:
                self.assertEqual(sim.url, f"unix:{path}")
                with socket.socket(socket.AF_UNIX) as connection:
                    connection.connect(path)
                    connection.sendall(f"GET /slurm/{V}/ping HTTP/1.1\r\nHost: x\r\n\r\n".encode())
                    self.assertIn(b"HTTP/1.1 200 OK", connection.recv(1000))

    def test_only_loopback(self):
        done = subprocess.run([SLURMSIM, "--listen=0.0.0.0:0"], capture_output=True, text=True, timeout=PATIENCE)
        self.assertNotEqual(0, done.returncode)
        self.assertIn("127.0.0.1", done.stderr)


class Slurmdbd(unittest.TestCase):
    def test_windows(self):
        with Simulator("--jobs=500", "--nodes=100", "--node-failures=50000", "--seed=4") as sim:
            sim.control("advance?seconds=1200")
            def runs(query):
                return sim.json(f"/slurmdb/{V}/jobs?{query}")["jobs"]
            everything = runs(WINDOW)
            ended = [run for run in everything if run["time"]["end"]]
            self.assertEqual(len(ended), sim.truth()["ended"])
            middle = EPOCH + 600
            window = f"{WINDOW}&start_time={EPOCH}&end_time={middle}"
            self.assertEqual(sum(run["time"]["end"] <= middle for run in ended),
                             len(runs(f"{window}&state=COMPLETED&state=FAILED&state=TIMEOUT&state=CANCELLED"
                                      "&state=NODE_FAIL&state=PREEMPTED&state=OUT_OF_MEMORY"
                                      "&state=DEADLINE&state=REQUEUED")))
            failed = [run for run in ended if run["state"]["current"] == ["FAILED"]]
            self.assertEqual(sorted(run["job_id"] for run in failed),
                             sorted(run["job_id"] for run in runs(f"{WINDOW}&state=FAILED&start_time={EPOCH}")))
            # without states all that was eligible before the window's last second, and not what became so with it
            def names(these):
                return {(run["job_id"], run["time"]["submission"]) for run in these}
            eligible = [run for run in everything if 0 < run["time"]["eligible"] < middle]
            self.assertEqual(names(eligible), names(runs(window)))
            last = max(run["time"]["eligible"] for run in eligible)
            self.assertNotIn(last, {run["time"]["eligible"] for run in runs(f"{WINDOW}&start_time={EPOCH}&end_time={last}")})
            requeued = [run for run in ended if "REQUEUED" in run["state"]["current"]]
            self.assertTrue(requeued)
            # any flag switches the default off: requeued runs vanish, times are cut
            some = runs(f"skip_steps=true&start_time={middle}&end_time={middle + 60}")
            self.assertFalse([run for run in some if "REQUEUED" in run["state"]["current"]])
            self.assertGreaterEqual(min(run["time"]["start"] for run in some if run["time"]["start"]), middle)
            user = everything[0]["user"]
            self.assertEqual({user}, {run["user"] for run in runs(f"{WINDOW}&users={user}")})
            steps = [run for run in runs("") if run["time"]["end"] and run["nodes"] != "None assigned"]
            self.assertEqual({1}, {len(run["steps"]) for run in steps})
            self.assertEqual({0}, {len(run["steps"]) for run in everything})
            for bad in ("state=FAILED%2CTIMEOUT", "state=NONSENSE", "state=A,B"):
                self.assertEqual(500, sim.get(f"/slurmdb/{V}/jobs?{bad}")[0])

    def test_late(self):
        """What slurmctld has not handed over yet has not ended for slurmdbd; diag counts it."""
        with Simulator("--jobs=500", "--nodes=100", "--seed=4") as sim:
            def waiting():
                return sim.json(f"/slurm/{V}/diag")["statistics"]["dbd_agent_queue_size"]
            def ended():
                runs = sim.json(f"/slurmdb/{V}/jobs?{WINDOW}&state=COMPLETED&state=FAILED&start_time={EPOCH}")["jobs"]
                return {(run["job_id"], run["time"]["end"]) for run in runs}
            sim.control("advance?seconds=600")
            self.assertEqual(0, waiting())
            sim.control("slurmdbd?late=100")
            before = ended()
            sim.control("advance?seconds=300")
            self.assertLess(before, ended())
            self.assertLessEqual(max(end for _, end in ended()), EPOCH + 800)
            self.assertGreater(waiting(), 0)
            live = sim.json(f"/slurmdb/{V}/jobs?{WINDOW}&start_time={EPOCH + 890}&state=RUNNING")["jobs"]
            self.assertTrue(live)
            self.assertFalse([run for run in live if run["time"]["end"] or run["time"]["start"] > EPOCH + 800])
            sim.control("slurmdbd?late=0")
            sim.control("advance?seconds=1")
            self.assertEqual(0, waiting())
            self.assertGreater(max(end for _, end in ended()), EPOCH + 800)

    def test_ids(self):
        """Those of jobs, and of arrays and het jobs for all of their records; live ones, and what ended since."""
        with Simulator("--jobs=500", "--nodes=100", "--seed=4") as sim:
            sim.control("advance?seconds=1200")
            def runs(query):
                return sim.json(f"/slurmdb/{V}/jobs?{WINDOW}&{query}")["jobs"]
            everything = runs("start_time=1")
            for name in ("array", "het"):
                leader = max({run[name]["job_id"] for run in everything})
                members = {run["job_id"] for run in everything if run[name]["job_id"] == leader}
                self.assertGreater(len(members), 1)
                self.assertEqual(members, {run["job_id"] for run in runs(f"step={leader}")})
            live = [run["job_id"] for run in everything if not run["time"]["end"]]
            single = [run["job_id"] for run in everything if not run["array"]["job_id"] and not run["het"]["job_id"]]
            ended = [job for job in single if job not in live]
            some = ended[:20] + [job for job in single if job in live][:20]
            steps = "&".join(f"step={job}" for job in some)
            self.assertEqual(set(some), {run["job_id"] for run in runs(steps)})
            self.assertEqual(set(some) & set(live),
                             {run["job_id"] for run in runs(f"{steps}&start_time={EPOCH + 1201}")})
            self.assertEqual([], runs("step=4000000000"))
            self.assertNotEqual(200, sim.get(f"/slurmdb/{V}/jobs?step=1%2C2")[0])
            # the unsplit rest of an array lists its tasks as a mask
            counted = sum(bin(int(run["array"]["task"], 16)).count("1") or 1
                          for run in everything if run["job_id"] in live and run["array"]["task"])
            rows = sim.json(f"/slurm/{V}/jobs/state/")["jobs"]
            pending = sum(row["state"] == ["PENDING"] for row in rows)  # slurmdbd has no run of what still completes
            alone = sum(run["state"]["current"] == ["PENDING"] and not run["array"]["task"] for run in everything)
            self.assertEqual(pending, counted + alone)
            self.assertGreater(counted, 10)
        with Simulator("--release=22.05", "--jobs=100") as sim:
            sim.control("advance?seconds=600")
            def old(query):
                return sim.json(f"/slurmdb/v0.0.38/jobs?skip_steps=true&{query}").get("jobs", [])
            first, second = [run["job_id"] for run in old("state=COMPLETED")
                             if not run["array"]["job_id"] and not run["het"]["job_id"]][:2]
            self.assertEqual({first, second}, {run["job_id"] for run in old(f"step={first}%2C{second}")})
            self.assertEqual({second}, {run["job_id"] for run in old(f"step={first}&step={second}")})
            self.assertEqual({"FAILED"}, {run["state"]["current"] for run in old("state=COMPLETED&state=FAILED")})
            self.assertEqual({"FAILED", "COMPLETED"},
                             {run["state"]["current"] for run in old("state=COMPLETED%2CFAILED")})
            self.assertIn("RUNNING", {run["state"]["current"] for run in old("state=COMPLETED%2CREQUEUED")})

    def test_old_times(self):
        with Simulator("--release=24.11", "--jobs=50") as sim:
            self.assertEqual(422, sim.get("/slurmdb/v0.0.41/jobs?start_time=1")[0])
            self.assertEqual(200, sim.get("/slurmdb/v0.0.41/jobs?start_time=uts1")[0])
        with Simulator("--release=22.05", "--jobs=50") as sim:
            body = sim.json("/slurmdb/v0.0.38/jobs?state=FAILED")
            self.assertEqual(([], [9003]), (body["jobs"], [e["error_number"] for e in body["errors"]]))


class Faults(unittest.TestCase):
    def test_faults(self):
        with Simulator("--jobs=200") as sim:
            path = f"/slurm/{V}/nodes"
            whole = sim.get(path)[2]
            for kind, wanted in (("unauthorized", 401), ("status", 503), ("unchanged", 304)):
                sim.control(f"fault?kind={kind}&endpoint=nodes&status=503&count=2")
                self.assertEqual(200, sim.get(f"/slurm/{V}/diag")[0], "the other endpoints are well")
                self.assertEqual([wanted, wanted, 200], [sim.get(path)[0] for _ in range(3)])
            sim.control("fault?kind=lie&count=1")
            body = sim.json(path)
            self.assertTrue(body["errors"])
            sim.control("fault?kind=garbage&count=1")
            status, _, body = sim.get(path)
            self.assertEqual(200, status)
            with self.assertRaises(ValueError):
                parse(body)
            sim.control("fault?kind=cut&count=1")
            with self.assertRaises((http.client.IncompleteRead, ConnectionResetError)) as cut:
                sim.get(path)
            if isinstance(cut.exception, http.client.IncompleteRead):
                self.assertTrue(whole.startswith(cut.exception.partial))
            sim.control("fault?kind=slow&seconds=1&count=1")
            begun = time.monotonic()
            self.assertEqual(whole, sim.get(path)[2])
            self.assertGreaterEqual(time.monotonic() - begun, 1)
            sim.control("fault?kind=freeze")
            with self.assertRaises(TimeoutError):
                with contextlib.closing(http.client.HTTPConnection(sim.address, timeout=1)) as connection:
                    connection.request("GET", path)
                    connection.getresponse()
            sim.control("fault?kind=none")
            self.assertEqual(200, sim.get(path)[0])
            self.assertEqual(400, sim.get("/sim/fault?kind=nonsense")[0])

    def test_daemons_down(self):
        for release in RELEASES:
            version = newest(release)
            with Simulator(f"--release={release}", "--jobs=50") as sim, self.subTest(release=release):
                sim.control("slurmctld?down=1")
                begun = time.monotonic()
                status, _, body = sim.get(f"/slurm/{version}/nodes")
                self.assertGreater(time.monotonic() - begun, 9)
                self.assertEqual(500 if release == "22.05" else 502, status)
                self.assertEqual([-1 if release == "22.05" else 1800],
                                 [error["error_number"] for error in parse(body)["errors"]])
                if release != "22.05":
                    ping = sim.json(f"/slurm/{version}/ping")["pings"][0]
                    self.assertFalse(ping["responding"])
                self.assertEqual(200, sim.get(f"/slurmdb/{version}/qos")[0])
                sim.control("slurmctld?down=0")
                sim.control("slurmdbd?down=1")
                self.assertEqual(200, sim.get(f"/slurm/{version}/nodes")[0])
                status, _, body = sim.get(f"/slurmdb/{version}/qos")
                self.assertEqual((500 if release == "22.05" else 502, [7000]),
                                 (status, [error["error_number"] for error in parse(body)["errors"]]))

    def test_restart(self):
        with Simulator("--jobs=200") as sim:
            sim.control("advance?seconds=300")
            before = sim.json(f"/slurm/{V}/diag")["statistics"]
            boot = sim.json(f"/slurm/{V}/conf")["slurm_conf_meta"]["BOOT_TIME"]
            jobs = sim.truth()["records"]
            sim.control("restart")
            after = sim.json(f"/slurm/{V}/diag")["statistics"]
            self.assertGreater(before["jobs_started"], after["jobs_started"])
            self.assertEqual([], after["rpcs_by_user"])
            self.assertGreater(sim.json(f"/slurm/{V}/conf")["slurm_conf_meta"]["BOOT_TIME"], boot)
            self.assertEqual(jobs, sim.truth()["records"])

    def test_refuse(self):
        with Simulator("--jobs=50") as sim:
            def answer():
                try:
                    return sim.get(f"/slurm/{V}/ping")[0]
                except ConnectionRefusedError:
                    return "refused"
                except OSError:  # it was about to be
                    return None
            sim.control("refuse?seconds=10")
            for wanted in "refused", 200:
                end = time.monotonic() + PATIENCE
                while (found := answer()) != wanted:
                    self.assertLess(time.monotonic(), end, f"{found}, not {wanted}")
                    time.sleep(0.1)

    def test_jobs_and_nodes(self):
        with Simulator("--jobs=300", "--nodes=100", "--arrivals=0", "--seed=8", "--node-failures=0") as sim:
            def job(number):
                return sim.json(f"/slurm/{V}/job/{number}")["jobs"][0]
            jobs = sim.json(f"/slurm/{V}/jobs")["jobs"]
            single = [one for one in jobs if not one["array_job_id"]["number"] and
                      not one["het_job_id"]["number"]]
            runs = [one["job_id"] for one in single if one["job_state"] == ["RUNNING"] and
                    one["end_time"]["number"] > sim.truth()["now"] + 600]
            sim.control(f"job?id={runs[0]}&do=requeue")
            now = job(runs[0])
            self.assertEqual((["PENDING", "COMPLETING"], 1), (now["job_state"], now["restart_cnt"]))
            sim.control("advance?seconds=10")
            now = job(runs[0])
            self.assertEqual((["PENDING"], "BeginTime"), (now["job_state"], now["state_reason"]))
            self.assertGreaterEqual(now["submit_time"]["number"], EPOCH)
            sim.control(f"job?id={runs[0]}&do=hold")
            self.assertEqual(("JobHeldUser", True), (job(runs[0])["state_reason"], job(runs[0])["hold"]))
            sim.control("advance?seconds=400")
            self.assertEqual("JobHeldUser", job(runs[0])["state_reason"])
            sim.control(f"job?id={runs[0]}&do=release")
            sim.control("advance?seconds=5")
            self.assertEqual(["RUNNING"], job(runs[0])["job_state"])
            sim.control(f"job?id={runs[0]}&do=cancel")
            self.assertEqual(["CANCELLED", "COMPLETING"], job(runs[0])["job_state"])
            node = job(runs[1])["batch_host"] if job(runs[1])["job_state"] == ["RUNNING"] else "n001"
            sim.control(f"node?name={node}&do=fail")
            state = sim.json(f"/slurm/{V}/node/{node}")["nodes"][0]["state"]
            self.assertEqual(("DOWN", True), (state[0], "NOT_RESPONDING" in state))
            self.assertFalse([one for one in sim.json(f"/slurm/{V}/jobs")["jobs"]
                              if one["job_state"] == ["RUNNING"] and one["nodes"] == node])
            sim.control("node?name=n002&do=drain")
            self.assertIn("DRAIN", sim.json(f"/slurm/{V}/node/n002")["nodes"][0]["state"])
            before = sim.truth()
            sim.control("storm?jobs=500")
            sim.control("advance?seconds=1")
            self.assertGreaterEqual(sim.truth()["submitted"], before["submitted"] + 500)
            for what in ("cpus", "memory_mib", "gpus"):
                self.assertEqual(sim.truth()[f"{what}/allocated"], sim.truth()[f"held/{what}"])

    def test_script(self):
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder, "script")
            script.write_text("# a day in the life\n10 storm?jobs=100\n20 slurmdbd?down=1\n30 slurmdbd?down=0\n")
            with Simulator(f"--script={script}", "--jobs=100") as sim:
                wanted = {5: 200, 15: 200, 25: 502, 35: 200}
                for second, status in wanted.items():
                    sim.control(f"advance?seconds={second - sim.truth()['second']}")
                    sim.get("/sim/truth")
                    self.assertEqual(status, sim.get(f"/slurmdb/{V}/qos")[0], second)


class Costs(unittest.TestCase):
    def test_costs_are_told(self):
        with Simulator("--jobs=5000", "--nodes=50", "--arrays=0") as sim:
            sim.get(f"/slurm/{V}/jobs?flags=ALL")
            bulk = sim.stats()
            self.assertEqual(sim.truth()["records"], bulk["endpoints"]["jobs"]["rows"])
            sim.get(f"/slurm/{V}/jobs?flags=ALL")
            ids = "&".join(f"job_id={number}" for number in range(1, 1001))
            sim.get(f"/slurm/{V}/jobs/state/?{ids}")
            after = sim.stats()
            self.assertAlmostEqual(2 * bulk["slurmrestd_seconds"],
                                   after["endpoints"]["jobs"]["slurmrestd_seconds"], 5)
            batch = after["endpoints"]["states"]
            self.assertLess(batch["slurmrestd_seconds"] * 50, bulk["slurmrestd_seconds"])
            self.assertGreater(after["slurmrestd_memory_bytes"], 500 << 20)

    def test_costs_are_felt(self):
        """As measured on the real one: 24.11 took 0.45 s for 1,000 jobs without details."""
        with Simulator("--release=24.11", "--real-cost", "--jobs=1000", "--arrays=0", "--nodes=20") as sim:
            begun = time.monotonic()
            sim.get("/slurm/v0.0.42/jobs?flags=ALL")
            took, cost = time.monotonic() - begun, sim.stats()["endpoints"]["jobs"]["slurmrestd_seconds"]
            self.assertGreater(cost, 0.4)
            self.assertLess(cost, 2)
            self.assertGreaterEqual(took, cost)


if __name__ == "__main__":
    unittest.main(verbosity=2)
