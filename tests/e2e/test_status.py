"""The page for people and /api/v1/status. In each state that a cluster and an exporter can be in, both say what is so, in the
same words. They are whole, quoted and free of anything from elsewhere."""

import contextlib
import json
import re
import time
import unittest
from pathlib import Path

import jsonschema

import fake_slurmrestd as fakes
from fake_slurmrestd import ENDPOINTS, KEY, MORE_ENDPOINTS, Fake, body, claims_of, edited, make_token
from harness import BACK_OFF, EVERY_SECOND, Daemon, all_at_once, wait_until
from html_page import Page

SCHEMA = json.loads(Path(__file__).with_name("status.schema.json").read_text())
POLICY = ("default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; "
          "frame-ancestors 'none'")
EVIL = "<script>alert('&')</script>\u202e\"x"
DENIED = {"errors": [{"error_number": 2002, "error": "Access/permission denied", "description": "", "source": "x"}],
          "warnings": [], "statistics": {}}


class Status(Daemon):
    """A daemon with its status as JSON and as a page, each held to what holds for all of them."""

    def __enter__(self):
        super().__enter__()
        try:  # it listens before there is anything to say
            wait_until(lambda: self.request("/api/v1/status")[0] == 200, self.log_text)
        except BaseException:
            self.process.kill()
            self.process.wait()
            raise
        return self

    def status(self):
        code, headers, text = self.request("/api/v1/status")
        assert (code, headers["Content-Type"], headers["Cache-Control"]) == (200, "application/json", "no-store")
        status = json.loads(text)
        jsonschema.validate(status, SCHEMA)
        return status

    def cluster(self):
        clusters = self.status()["clusters"]
        assert len(clusters) == 1, clusters
        return clusters[0]

    def people(self, path="/"):
        code, headers, text = self.request(path)
        assert (code, headers["Content-Type"]) == (200, "text/html; charset=utf-8"), (code, headers)
        assert headers["Content-Security-Policy"] == POLICY and headers["Cache-Control"] == "no-store", headers
        return Page(text.decode())

    def wait_status(self, accept, why):
        """The first status that `accept` likes, of the only cluster."""
        last = {}

        def look():
            last.clear()
            last.update(self.cluster())
            return accept(last)
        wait_until(look, lambda: f"{why}: {json.dumps(last)[:3000]}", BACK_OFF)
        return last

    def wait_verdict(self, part, verdict):
        return self.wait_status(lambda status: status[part]["verdict"] == verdict, f"the {part} is {verdict}")


def texts(part):
    return " ".join(finding["text"] for finding in part["findings"])


def by_name(rows):
    return {row["name"]: row for row in rows}


class States(unittest.TestCase):
    def assert_said(self, daemon, part, *wanted):
        """Both forms have a finding with these words."""
        status, page = daemon.cluster(), daemon.people()
        for words in wanted:
            self.assertIn(words, texts(status[part]))
            self.assertIn(words, page.under(f"The {part}"))

    def test_well(self):
        for release in ("22.05.8", "24.11.5", "26.05.5"):
            with self.subTest(release), Fake(release) as fake, Status(fake, *EVERY_SECOND) as daemon:
                daemon.wait_well()
                status = daemon.wait_status(lambda status: status["exporter"]["ready"], "it is ready")
                metrics, page = daemon.page(), daemon.people()
                self.check_numbers(daemon, status, metrics)
                self.check_page(status, page)
                self.assertEqual(status["exporter"]["verdict"], "well", texts(status["exporter"]))
                self.assertIn("The exporter is well", page.text)
                self.assertEqual((200, b"ready\n"), daemon.request("/-/ready")[::2])

    def check_numbers(self, daemon, status, metrics):
        """The same as on the page of metrics. (The fake's cluster stands still.)"""
        cluster = status["cluster"]
        for kind, name, label in (("by_state", "slurm_cluster_nodes", "state"), ("by_flag", "slurm_cluster_nodes_flagged", "flag"),
                                  ("cpus", "slurm_cluster_cpus", "state"), ("memory_bytes", "slurm_cluster_memory_bytes", "state")):
            self.assertEqual({value: metrics.get(f'{name}{{{label}="{value}"}}') for value in cluster["nodes"][kind]},
                             cluster["nodes"][kind], name)
        self.assertEqual(cluster["nodes"]["total"], sum(cluster["nodes"]["by_state"].values()))
        self.assertEqual({state: metrics.get(f'slurm_cluster_jobs{{state="{state}"}}') for state in cluster["jobs"]["by_state"]},
                         cluster["jobs"]["by_state"])
        reasons = {re.search(r'reason="(.*)"', series)[1]: value for series, value in metrics.items()
                   if series.startswith("slurm_cluster_pending_jobs{") and value}
        self.assertEqual(reasons, cluster["jobs"]["pending_by_reason"])
        self.assertGreater(cluster["jobs"]["by_state"]["pending"], 0)
        for kind in "pending_by_class", "pending_by_reason":
            self.assertEqual(cluster["jobs"]["by_state"]["pending"], sum(cluster["jobs"][kind].values()))
        for gres in cluster["nodes"]["gres"]:
            for state in ("allocated", "idle", "other"):
                label = f',type="{gres["type"]}"' if gres["type"] else ""
                self.assertEqual(metrics[f'slurm_cluster_gres{{gres="{gres["name"]}"{label},state="{state}"}}'], gres[state])
        self.assertEqual([True], [row["up"] for row in cluster["controllers"] if row["role"] == "primary"])
        for endpoint in status["exporter"]["endpoints"]:
            up = metrics.get(f'slurmscope_endpoint_up{{endpoint="{endpoint["name"]}"}}')
            self.assertEqual({1: "up", 0: "down"}.get(up), endpoint["standing"] if up is not None else None, endpoint)
        for task in status["exporter"]["tasks"]:
            interval = metrics.get(f'slurmscope_endpoint_interval_seconds{{endpoint="{task["name"]}"}}')
            if interval and task["interval_seconds"] is not None:
                self.assertEqual(1, task["target_interval_seconds"] if task["name"] in ENDPOINTS else 1)
        self.assertGreater(status["exporter"]["series"], 100)
        self.assertLess(status["exporter"]["series"], len(metrics))
        self.assertEqual("scope", status["exporter"]["token"]["user"])
        self.assertEqual(claims_of(daemon.tokens[-1])["exp"], status["exporter"]["token"]["expiry_timestamp_seconds"])

    def check_page(self, status, page):
        cluster = status["cluster"]
        self.assertIn(status["name"], page.title)
        self.assertIn(f"slurmctld on {cluster['controllers'][0]['host']}", page.under("Daemons"))
        for state, count in cluster["nodes"]["by_state"].items():
            (self.assertIn if count else self.assertNotIn)(f"{state} {count:,}", page.under("Nodes"))
        for state, count in cluster["jobs"]["by_state"].items():
            (self.assertIn if count else self.assertNotIn)(f"{state} {count:,}", page.under("Jobs"))
        asked = page.under("What is asked")
        for task in status["exporter"]["tasks"]:
            self.assertIn(task["name"], asked)

    def test_nothing_asked_yet(self):
        with Fake() as fake:
            fake.behave(fakes.hang, [*ENDPOINTS, *MORE_ENDPOINTS])
            with Status(fake, *EVERY_SECOND, "--slurmrestd.timeout=3600") as daemon:
                wait_until(lambda: fake.calls, "slurmrestd is asked")
                status = daemon.wait_status(lambda status: True, "")
                self.assertEqual(("unknown", "unknown"), (status["cluster"]["verdict"], status["exporter"]["verdict"]))
                self.assertEqual((None, None, [], None), (status["cluster"]["nodes"], status["cluster"]["jobs"],
                                                          status["cluster"]["controllers"], status["cluster"]["slurmdbd_up"]))
                self.assertEqual({"not_asked"}, {row["standing"] for row in status["exporter"]["endpoints"]})
                self.assert_said(daemon, "cluster", "It is not known whether slurmctld is up.")
                self.assert_said(daemon, "exporter", "not asked yet: ping, diag")
                page = daemon.people()
                self.assertIn("Nodes are not known.", page.text)
                self.assertIn("ping is asked.", page.under("What is asked"))
                code, _, text = daemon.request("/-/ready")
                self.assertEqual(503, code)
                self.assertTrue(text.startswith(b"not ready: not asked yet: ping, diag, "), text)
                self.assertEqual((200, b"healthy\n"), daemon.request("/-/healthy")[::2])

    def test_slurmrestd_down(self):
        with Fake() as fake:
            fake.refuse()
            with Status(fake, *EVERY_SECOND) as daemon:
                daemon.wait_verdict("exporter", "bad")
                self.assert_said(daemon, "exporter", f"slurmrestd at {fake.url} has not answered for", "connect to")
                self.assert_said(daemon, "cluster", "It is not known whether slurmctld is up: slurmrestd does not answer.")
                fake.open()
                daemon.wait_status(lambda status: status["exporter"]["verdict"] != "bad", "slurmrestd answers again")
                self.assertNotIn("has not answered", daemon.people().text)

    def test_slurmrestd_goes_down(self):
        """The last numbers stay, and it is said for how long."""
        with Fake() as fake, Status(fake, *EVERY_SECOND) as daemon:
            daemon.wait_well()
            before = daemon.wait_status(lambda status: status["exporter"]["ready"], "it is ready")
            fake.refuse()
            status = daemon.wait_verdict("exporter", "bad")
            self.assertEqual(before["cluster"]["nodes"], status["cluster"]["nodes"])
            self.assertEqual([], [row["up"] for row in status["cluster"]["controllers"] if row["up"] is not None])
            nodes = by_name(status["exporter"]["endpoints"])["nodes"]
            self.assertEqual(("down", True), (nodes["standing"], nodes["shown"]))
            self.assertAlmostEqual(300, nodes["shown_until_timestamp_seconds"] - nodes["last_success_timestamp_seconds"], delta=30)

    def test_bad_token(self):
        with Fake() as fake, Status(fake, *EVERY_SECOND) as daemon:
            daemon.wait_well()
            fake.behave(fakes.bad_token)
            daemon.wait_verdict("exporter", "bad")
            self.assert_said(daemon, "exporter", "slurmrestd does not accept the token of scope: GET /slurm/", "Protocol authentication error")
            # ping says that slurmctld is down, which is not to be believed
            self.assertNotIn("No slurmctld answers", texts(daemon.cluster()["cluster"]))
            fake.behave()
            daemon.wait_verdict("exporter", "well")

    def test_expired_token(self):
        with Fake(key=KEY) as fake, Status(fake, *EVERY_SECOND, token=make_token(-600)) as daemon:
            daemon.wait_verdict("exporter", "bad")
            self.assert_said(daemon, "exporter", "The token of scope expired 1", " min ago: slurmrestd refuses all requests until there is a new one.")
            self.assertRegex(daemon.people().under("Exporter"), "expired 1. min ago")
            daemon.write_token(make_token(200))
            daemon.wait_verdict("exporter", "warning")
            self.assert_said(daemon, "exporter", "The token of scope expires in ", "and there is no newer one")

    def test_no_token(self):
        with Fake() as fake:
            fake.behave(body(b"Authentication failure", "401 UNAUTHORIZED", "text/plain"), [*ENDPOINTS, *MORE_ENDPOINTS])
            with Status(None, *EVERY_SECOND, url=fake.url, credentials=[]) as daemon:
                daemon.wait_verdict("exporter", "bad")
                self.assert_said(daemon, "exporter", "slurmrestd requires a token, and none is configured: ")

    def test_slurmctld_down(self):
        away = {"errors": [{"error_number": 1800, "error": "Unable to contact slurm controller", "description": "Unable to query",
                            "source": "x"}], "warnings": []}

        def stopped(call):
            return (fakes.bad_token if call.endpoint == "ping" else
                    body(json.dumps({call.list: [], **away}).encode(), "500 INTERNAL ERROR"))(call)
        with Fake() as fake, Status(fake, *EVERY_SECOND) as daemon:
            daemon.wait_well()
            fake.behave(stopped, [*ENDPOINTS, "reservations", "licenses", "shares", "conf"])
            status = daemon.wait_verdict("cluster", "bad")
            self.assertEqual([False], [row["up"] for row in status["cluster"]["controllers"]])
            self.assert_said(daemon, "cluster", "No slurmctld answers")
            self.assertIn("✗ down", daemon.people().under("Daemons"))

    def test_one_fails(self):
        with Fake() as fake, Status(fake, *EVERY_SECOND) as daemon:
            daemon.wait_well()
            fake.behave(body(b"{}", "500 INTERNAL ERROR"), ["nodes"])
            daemon.wait_verdict("exporter", "warning")
            self.assert_said(daemon, "exporter", "nodes has failed for", "the page shows its last numbers for another", "HTTP 500")
            self.assertIn("Failing for", daemon.people().under("What is asked"))
            fake.behave()
            status = daemon.wait_verdict("exporter", "well")
            nodes = by_name(status["exporter"]["endpoints"])["nodes"]
            self.assertEqual(("up", None), (nodes["standing"], nodes["failing_since_timestamp_seconds"]))
            self.assertIn("HTTP 500", nodes["last_error"])
            self.assertIn("Failed last", daemon.people().under("What is asked"))

    def test_forbidden(self):
        with Fake() as fake:
            fake.behave(body(json.dumps(DENIED).encode(), "500 INTERNAL ERROR"), ["dbd_diag"])
            with Status(fake, *EVERY_SECOND) as daemon:
                daemon.wait_status(lambda status: by_name(status["exporter"]["endpoints"])["dbd_diag"]["standing"] == "not_allowed",
                                   "dbd_diag is not allowed")
                self.assert_said(daemon, "exporter", "dbd_diag: the token's user may not see this.")
                self.assertIn("Not for the token’s user to see: dbd_diag.", daemon.people().under("What is asked"))

    def test_state_file_cannot_be_written(self):
        with Fake() as fake, Status(fake, *EVERY_SECOND, "--state.path=/proc/self/no/state") as daemon:
            daemon.wait_status(lambda status: status["exporter"]["state_file"]["failing"], "it fails")
            self.assert_said(daemon, "exporter", "slurmscope cannot write the state file", "/proc/self/no")

    def test_jobs_too_many_to_read(self):
        """It says so, for as long as it is so."""
        with Fake() as fake, Status(fake, *EVERY_SECOND, "--budget.bulk-memory=1") as daemon:
            daemon.wait_status(lambda status: (status["exporter"]["not_ready_because"] or "").startswith("jobs: not asked"), "why jobs are not known")
            self.assertIn(b"not ready: jobs: not asked: slurmrestd serves no way to do it that is safe for its memory",
                          daemon.request("/-/ready")[2])

    def test_hostile_texts(self):
        def spoil(answer, name):
            for record in answer[name]:
                if "state_reason" in record:
                    record["state_reason"] = EVIL
                    record["job_state"] = ["PENDING"]
                for gres in ("gres", "gres_used"):
                    if gres in record:
                        record[gres] = f"gpu:{EVIL}:2"
                if name == "pings":
                    record["hostname"] = EVIL
        with Fake() as fake:
            fake.behave(edited(spoil), ["ping", "nodes", "jobs"])
            with Status(fake, *EVERY_SECOND) as daemon:
                status = daemon.wait_status(lambda status: status["exporter"]["ready"], "it is ready")
                page = daemon.people() # raises at a script
                self.assertIn(EVIL, status["cluster"]["jobs"]["pending_by_reason"])
                self.assertIn(EVIL, page.under("Why jobs wait"))
                self.assertIn(f"slurmctld on {EVIL}", page.under("Daemons"))


CLUSTERS = """interval: {ping: 1, diag: 1, partitions: 1, nodes: 1, jobs: 1}
slurmrestd: {token-file: {folder}/token}
clusters:
  alpha:
    slurmrestd: {url: "%s"}
  beta:
    slurmrestd: {url: "%s"}
"""


class Several(unittest.TestCase):
    def test_one_is_down(self):
        def parts():
            return {row["name"]: (row["exporter"]["verdict"], row["cluster"]["verdict"]) for row in daemon.status()["clusters"]}
        with Fake() as first, Fake() as second, contextlib.ExitStack() as stack:
            second.refuse()
            recent = int(time.time())  # a job that has waited for days is worth a warning; a run's submission never changes
            first.behave(edited(lambda answer, name: [job["submit_time"].update(number=recent) for job in answer[name]]), ["jobs"])
            daemon = stack.enter_context(Status(first, config=CLUSTERS % (first.url, second.url)))
            wait_until(lambda: parts() == {"alpha": ("well", "well"), "beta": ("bad", "unknown")}, parts)
            page = daemon.people()
            self.assertIn("Clusters", page.title)
            self.assertRegex(page.under("Clusters"), r"alpha ✓ well ✓ well \d+ \d+ % \d+ \d+ beta \? unknown ✗ bad – – – –")
            self.assertLessEqual({"?cluster=alpha", "?cluster=beta"}, set(page.links))
            page = daemon.people("/?cluster=beta")
            self.assertIn(f"slurmrestd at {second.url} has not answered", page.under("The exporter"))
            self.assertLessEqual({"./plan?cluster=beta", "./metrics?cluster=beta", "./api/v1/status?cluster=beta",
                                  "?cluster=beta&refresh=60"}, set(page.links))
            code, _, text = daemon.request("/api/v1/status?cluster=beta")
            self.assertEqual(["beta"], [row["name"] for row in json.loads(text)["clusters"]])
            self.assertEqual(404, daemon.request("/?cluster=gamma")[0])
            wait_until(lambda: daemon.request("/-/ready")[::2] == (200, b"ready\n"), "ready, with beta down")

    def test_one_is_not_ready(self):
        with Fake() as first, Fake() as second:
            second.behave(fakes.hang, [*ENDPOINTS, *MORE_ENDPOINTS])
            with Status(first, config=CLUSTERS % (first.url, second.url)) as daemon:
                wait_until(lambda: daemon.request("/-/ready")[2].startswith(b"not ready: beta: not asked yet: "),
                           lambda: daemon.request("/-/ready"))


class Paths(unittest.TestCase):
    def follow(self, daemon, page):
        """Every link leads to something."""
        for link in page.links:
            path = "/" + link.removeprefix("./")
            self.assertEqual(200, daemon.request(path)[0], link)

    def test_links_and_parts(self):
        with Fake() as fake, Status(fake, *EVERY_SECOND) as daemon:
            daemon.wait_well()
            wait_until(lambda: daemon.cluster()["exporter"]["ready"], "it is ready")
            self.follow(daemon, daemon.people())
            self.follow(daemon, daemon.people(f"/?cluster={daemon.cluster()['name']}"))
            for path, kind in (("/style.css", "text/css; charset=utf-8"), ("/icon.svg", "image/svg+xml")):
                code, headers, _ = daemon.request(path)
                self.assertEqual((200, kind, "max-age=3600"), (code, headers["Content-Type"], headers["Cache-Control"]))
            for path in ("/?cluster=nobody", "/?cluster=", "/api/v1/status?cluster=nobody", "/api/v1/", "/api/v1/status/"):
                self.assertEqual(404, daemon.request(path)[0], path)
            for path in ("/", "/api/v1/status", "/plan"):
                code, headers, text = daemon.request(path, "HEAD")
                self.assertEqual((200, b""), (code, text))
                self.assertEqual(405, daemon.request(path, "POST")[0])

    def test_refresh(self):
        with Fake() as fake, Status(fake, *EVERY_SECOND) as daemon:
            daemon.wait_well()
            for query, seconds in (("", None), ("?refresh=60", b"60"), ("?refresh=5", b"5"), ("?refresh=4", None), ("?refresh=3600", b"3600"),
                                   ("?refresh=3601", None), ("?refresh=1e2", None), ("?refresh=", None), ('?refresh=60"><script>', None)):
                text = daemon.request("/" + query)[2]
                self.assertEqual(seconds is not None, b"http-equiv" in text, query)
                if seconds:
                    self.assertIn(b'<meta http-equiv="refresh" content="' + seconds + b'">', text)
                Page(text.decode())

    def test_it_asks_slurm_nothing(self):
        with Fake() as fake, Status(fake) as daemon:
            daemon.wait_well()
            wait_until(lambda: daemon.cluster()["exporter"]["ready"], "it is ready")
            before = len(fake.calls)
            began = time.monotonic()
            for _ in range(50):
                for path in ("/", "/api/v1/status", "/plan", "/-/ready", "/-/healthy"):
                    self.assertEqual(200, daemon.request(path)[0])
            # of its own it asks for diag every 15 s and for less than five other things a second
            self.assertLess(len(fake.calls) - before, 5 + 5 * (time.monotonic() - began))


def load_tests(loader, tests, pattern):
    return all_at_once(tests)


if __name__ == "__main__":
    unittest.main()
