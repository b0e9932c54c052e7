#!/usr/bin/env python3
"""Tenants, as an attacker would try them: on each path, in each format, with each parameter, a client sees its own rows
and nothing else. What it may see is worked out here from the page of somebody who sees everything, by the names of
families alone."""

import crypt
import gzip
import http.client
import json
import re
import ssl
import sys
import tempfile
import threading
import time
import unittest
from base64 import b64encode
from pathlib import Path
from urllib.parse import quote

import jsonschema

from simulator import Simulator
from test_jobs import SCHEMA, labels_of
E2E = Path(__file__).resolve().parent.parent / "e2e"
sys.path.insert(0, str(E2E))
from certificates import make_authority, make_certificate  # noqa: E402
from harness import EVERY_SECOND, Daemon, wait_until  # noqa: E402

FORMATS = {"text": "text/plain; version=0.0.4", "openmetrics": "application/openmetrics-text; version=1.0.0",
           "protobuf": "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited"}
PARTS = ("cluster nodes partitions jobs job_rows job_events reservations licenses shares scheduler rpcs accounting qos "
         "associations exporter").split()
# Which labels make a sample whose, by the beginning of the family's name: the first that fits.
OWNED = [("slurm_account_", {"account"}), ("slurm_association_", {"account", "user"}), ("slurm_partition_", {"partition"}),
         ("slurm_user_rpc", {"user"}), ("slurm_dbd_user_", {"user"}), ("slurm_user_", {"account", "user"}),
         ("slurm_pending_job_", {"jobid"}), ("slurm_ended_job_", {"jobid"}), ("slurm_job_", {"jobid"})]
LINE = re.compile(r'(\w+)(?:\{((?:\w+="(?:[^"\\]|\\.)*",?)*)\})? (\S+)')
ROWS = 60


def lines_of(page):
    """(family or series name, labels, the whole line)"""
    for line in page.splitlines():
        if not line.startswith("#"):
            match = LINE.match(line)
            assert match, line
            yield match[1], labels_of(match[2] or ""), line


def has(sees, labels):
    return any(name in sees.get(kind + "s", ()) for kind in ("account", "user", "partition") if kind in labels
               for name in (labels[kind].split(",") if kind == "partition" else [labels[kind]]) if name != "other")


def expected(page, sees):
    """The lines of the page that somebody sees who sees these accounts, users and partitions."""
    own, found = set(), []
    for name, labels, _ in lines_of(page):
        if re.fullmatch(r"slurm_(pending_|ended_)?job_info", name) and has(sees, labels):
            own.add(("ended" if "ended" in name else "live", labels["jobid"]))
    for name, labels, line in lines_of(page):
        whose = next((whose for begin, whose in OWNED if name.startswith(begin)), set())
        if whose == {"jobid"}:
            is_own = ("ended" if "ended" in name else "live", labels["jobid"]) in own
        else:
            is_own = has(sees, {kind: labels[kind] for kind in whose if kind in labels})
        if is_own:
            found.append(line)
    return found


def series_of(line):
    """Without the value; bounds of buckets as numbers, which the formats write in their own ways."""
    return re.sub(r'le="([^"]*)"', lambda le: f"le={float(le[1])}", line.rpartition(" ")[0])


def fields_of(message):
    """[(number, bytes or None)] of a protobuf message."""
    fields, at = [], 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at, value, shift = at + 1, value | (byte & 0x7f) << shift, shift + 7
            if byte < 0x80:
                return value
    while at < len(message):
        key = number()
        if key & 7 == 2:
            length = number()
            fields.append((key >> 3, message[at:at + length]))
            at += length
        else:
            fields.append((key >> 3, None))
            at += {0: 0, 1: 8, 5: 4}[key & 7]
            if key & 7 == 0:
                number()
    return fields


def metrics_of(body):
    """[(family, [each metric's bytes])] of delimited messages."""
    found = []
    while body:
        length = shift = at = 0
        while True:
            length, shift, at = length | (body[at] & 0x7f) << shift, shift + 7, at + 1
            if body[at - 1] < 0x80:
                break
        fields = fields_of(body[at:at + length])
        found.append((dict(fields)[1].decode(), [value for number, value in fields if number == 4]))
        body = body[at + length:]
    return found


class Client:
    """Somebody with a name and a password, or with a certificate."""

    def __init__(self, daemon, name=None, context=None, source="127.0.0.1"):
        self.port, self.name, self.context, self.source = daemon.port, name, context, source

    def ask(self, path, method="GET", **headers):
        """(status, headers, body), the body as it was before compression."""
        kind = http.client.HTTPSConnection if self.context else http.client.HTTPConnection
        connection = kind("127.0.0.1", self.port, timeout=120, source_address=(self.source, 0),
                          **({"context": self.context} if self.context else {}))
        if self.name:
            headers["Authorization"] = "Basic " + b64encode(f"{self.name}:{self.name}".encode()).decode()
        try:
            connection.request(method, path, headers={key.replace("_", "-"): value for key, value in headers.items()})
            answer = connection.getresponse()
            body = answer.read()
            if answer.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            return answer.status, answer.headers, body
        finally:
            connection.close()

    def page(self, path="/metrics", **headers):
        status, _, body = self.ask(path, **headers)
        assert status == 200, (self.name, path, status, body[:300])
        return body.decode()


def web_config(tenants, users, more=""):
    hashes = "".join(f"  '{user}': {crypt.crypt(user, '$2b$04$' + 'abcdefghijklmnopqrstuu')}\n" for user in users)
    lines = [f"  {name}: {json.dumps(value)}" for name, value in tenants.items()]
    return f"{more}" + (f"basic_auth_users:\n{hashes}" if users else "") + "tenants:\n" + "\n".join(lines) + "\n"


class Passwords(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.sim = cls.enterClassContext(Simulator(
            "--nodes=100", "--jobs=600", "--users=40", "--release=26.05", "--speed=10", f"--epoch={int(time.time())}"))
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="slurmscope-tenants-")))
        cls.config = cls.folder / "web.yml"
        cls.users = ["operator", "physicist", "member", "second", "queue", "both", "absent", "others", "unbound", "limited", "elsewhere"]
        cls.config.write_text(web_config({"operators": {"users": ["operator"], "sees": "everything"}}, cls.users))
        cls.daemon = cls.enterClassContext(Daemon(
            None, *EVERY_SECOND, f"--jobs.rows={ROWS}", f"--jobs.pending-rows={ROWS}", f"--jobs.ended-rows={ROWS}",
            "--limit.users=8", "--filter.users-deny=u00002", "--nodes.per-node=full", "--web.audit-log",
            "--web.enable-lifecycle", f"--web.config.file={cls.config}", url=cls.sim.url))
        cls.operator = Client(cls.daemon, "operator")
        wait_until(lambda: cls.operator.ask("/-/ready")[0] == 200, cls.daemon.log_text)
        wait_until(lambda: all(f"slurm_{stage}job_info" in cls.operator.page() for stage in ("", "pending_", "ended_")),
                   lambda: cls.operator.page()[-3000:])
        wait_until(lambda: "slurm_account_fairshare" in cls.operator.page() and "slurm_association_usage" in cls.operator.page()
                   and "slurm_user_rpc" in cls.operator.page(), "an endpoint is missing")
        page = cls.operator.page()
        cls.names = {kind: sorted({labels[kind] for name, labels, _ in lines_of(page)
                                   if kind in labels and name == f"slurm_{kind}_jobs"} - {"other"})
                     for kind in ("account", "user", "partition")}
        accounts, users, partitions = (cls.names[kind] for kind in ("account", "user", "partition"))
        assert len(accounts) > 2 and len(users) > 3 and len(partitions) > 2, cls.names
        cls.sees = {"physicist": {"accounts": accounts[:1]}, "member": {"users": users[:1]}, "second": {"users": users[1:2]},
                    "queue": {"partitions": partitions[:1]},
                    "both": {"accounts": accounts[1:2], "users": [users[1], "root"], "partitions": partitions[1:2]},
                    "absent": {"accounts": ["no-such-account"], "users": ['"}\n'], "partitions": [""]},
                    "others": {"accounts": ["other"], "users": ["other"], "partitions": ["other"]},
                    "limited": {"accounts": accounts[:1]}, "elsewhere": {"accounts": accounts[:1], "clusters": ["another"]}}
        cls.sees["absent"]["partitions"] = ["x,y"]
        cls.bind(cls, {name: {"users": [name], "sees": sees} |
                       ({"rate_limit": {"interval": "1h", "burst": 3}} if name == "limited" else {})
                       for name, sees in cls.sees.items()})

    def bind(self, tenants):
        """Gives the daemon these tenants, and waits until they count."""
        began = len(self.daemon.log(msg="the web configuration was read again"))
        text = web_config({"operators": {"users": ["operator"], "sees": "everything"}} | tenants, self.users)
        new = self.config.with_suffix(".new")
        new.write_text(text)
        new.rename(self.config)
        wait_until(lambda: len(self.daemon.log(msg="the web configuration was read again")) > began, self.daemon.log_text)

    def clients(self):
        return {name: Client(self.daemon, name) for name in self.sees if name not in ("limited", "elsewhere")}

    def moment(self, ask):
        """What ask() says, and the operator's page of the same moment."""
        for _ in range(20):  # what was sent before the stop may come after the first page
            with self.daemon.standing():
                before = self.operator.page()
                got = ask()
                after = self.operator.page()
            stable = [[line for line in page.splitlines() if not line.startswith(("slurmscope_", "process_"))]
                      for page in (before, after)]
            if stable[0] == stable[1]:
                return got, before
        raise AssertionError("the page never stayed the same")

    def test_text(self):
        """Exactly its own lines, in the order of the whole page, each family with its header once."""
        seen = set()
        for name, client in self.clients().items():
            got, page = self.moment(client.page)
            with self.subTest(name):
                lines = [line for line in got.splitlines() if not line.startswith("#")]
                self.assertEqual(expected(page, self.sees[name]), lines)
                headers = [line.split()[2] for line in got.splitlines() if line.startswith("# TYPE ")]
                self.assertEqual(len(headers), len(set(headers)))
                self.assertEqual([], [line for line in got.splitlines() if line.startswith("#") and
                                      line not in page.splitlines()])
                if name in ("absent", "others"):
                    self.assertEqual("", got)
                else:
                    self.assertTrue(lines)
                seen |= {family for family, _, _ in lines_of(got)}
        for family in ("slurm_account_jobs", "slurm_user_jobs", "slurm_partition_jobs", "slurm_job_info", "slurm_job_node_info",
                       "slurm_pending_job_info", "slurm_ended_job_info", "slurm_account_shares_ratio", "slurm_user_fairshare_factor",
                       "slurm_user_job_ends_total", "slurm_partition_job_eligible_wait_seconds_bucket",
                       "slurm_association_usage", "slurm_user_rpc_requests_total", "slurm_partition_nodes"):
            self.assertIn(family, seen)
        self.assertEqual(set(), {family for family in seen if re.match(r"slurm_(cluster|qos|node|reservation|rpc)_|slurmscope_|process_", family)})

    def foreign(self, name, page):
        """Names of others that nothing of this client's may have."""
        sees = self.sees[name]
        kinds = [kind for kind in ("account", "user", "partition") if set(sees) == {kind + "s"}]
        return {f'"{other}"' for kind in kinds for other in self.names[kind] if other not in sees[kind + "s"]}, kinds

    def test_formats(self):
        """The other formats have the same samples, also compressed. Exemplars and exponential buckets are those that the
        operator gets of them."""
        natives = 0
        for name, client in self.clients().items():
            for compressed in ("identity", "gzip"):
                def ask(client=client, compressed=compressed):
                    return [{kind: who.ask("/metrics", Accept=accept, Accept_Encoding=compressed)[2]
                             for kind, accept in FORMATS.items()} for who in (client, self.operator)]
                (got, whole), page = self.moment(ask)
                with self.subTest(name, encoding=compressed):
                    want = expected(page, self.sees[name])
                    self.assertEqual(want, [line for line in got["text"].decode().splitlines() if line[0] != "#"])
                    lines = got["openmetrics"].decode().splitlines()
                    self.assertEqual([series_of(line) for line in want],
                                     [series_of(line.split(" # ")[0]) for line in lines if line[0] != "#"])
                    self.assertLessEqual(set(lines), set(whole["openmetrics"].decode().splitlines()))
                    self.assertEqual("# EOF", lines[-1])
                    mine, all_metrics = metrics_of(got["protobuf"]), metrics_of(whole["protobuf"])
                    self.assertEqual([line.split()[2] for line in got["text"].decode().splitlines() if line.startswith("# TYPE ")],
                                     [family for family, _ in mine])
                    for family, metrics in mine:
                        self.assertLessEqual(set(metrics), set(dict(all_metrics)[family]))
                        ends = re.compile(rf"{family}(_count)?( |{{)")
                        self.assertEqual(len([line for line in want if ends.match(line)]), len(metrics))
                        natives += sum(len(metric) for metric in metrics if family.endswith("_wait_seconds"))
        self.assertGreater(natives, 0)

    def test_parts(self):
        """A part, whichever way it is asked for, is a part of what the client sees."""
        whole = {part: self.operator.page(f"/metrics/{part}") for part in PARTS}
        for name, client in self.clients().items():
            parts, page = self.moment(lambda client=client: {part: [
                client.page(path) for path in (f"/metrics/{part}", f"/metrics?collect[]={part}", f"/metrics/{part}?x=1")] for part in PARTS})
            want = set(expected(page, self.sees[name]))
            for part, got in parts.items():
                with self.subTest(name, part=part):
                    for text in got:
                        lines = [line for line in text.splitlines() if not line.startswith("#")]
                        self.assertLessEqual(set(lines), want)
                        self.assertEqual(got[0], text)
                    if part in ("cluster", "nodes", "qos", "exporter", "scheduler", "licenses") and "partition" not in str(self.sees[name]):
                        self.assertEqual("", got[0])
                    self.assertTrue(whole[part] or part == "reservations")

    def test_all_parts_are_the_whole(self):
        client = self.clients()["both"]
        got, page = self.moment(lambda: [client.page(f"/metrics/{part}") for part in PARTS])
        lines = sorted(line for text in got for line in text.splitlines() if not line.startswith("#"))
        self.assertEqual(sorted(expected(page, self.sees["both"])), lines)

    def jobs(self, client, query=""):
        status, _, body = client.ask("/api/v1/jobs" + query)
        self.assertEqual(200, status, body)
        answer = json.loads(body)
        jsonschema.validate(answer, SCHEMA)
        return answer["clusters"]

    def test_jobs(self):
        """JSON and HTML have the jobs that the page of metrics has for this client, with each parameter."""
        for name, client in self.clients().items():
            got, page = self.moment(lambda client=client: (self.jobs(client), client.ask("/jobs")[2].decode(), client.page()))
            with self.subTest(name):
                answer, html, metrics = got
                want = {(stage, int(labels["jobid"])) for stage, begin in
                        (("pending", "slurm_pending_job_info"), ("running", "slurm_job_info"), ("ended", "slurm_ended_job_info"))
                        for family, labels, _ in lines_of(metrics) if family == begin}
                for cluster in answer:
                    found = {(stage, job["id"]) for stage in ("pending", "running", "ended") for job in cluster[stage]["jobs"]}
                    self.assertEqual(want, found)
                    self.assertNotIn("without_details", cluster)
                    for stage in ("pending", "running", "ended"):
                        self.assertNotIn("left_out", cluster[stage])
                        self.assertEqual(len([one for one in want if one[0] == stage]), cluster[stage]["rows"])
                        self.assertEqual(cluster[stage]["rows"], cluster[stage]["matching"])
                for pattern in ("Status", "./plan", "./api/v1/status", "of CPU time", "Ahead of it"):
                    self.assertNotIn(pattern, html)
                own = {job.get(key) for cluster in answer for stage in ("pending", "running", "ended")
                       for job in cluster[stage]["jobs"] for key in ("id", "array_job_id", "het_job_id")}
                self.assertLessEqual({int(one) for one in re.findall(r'[?&;]id=(\d+)', html)}, own)

    def test_others_jobs(self):
        """Filters and IDs do not lead to jobs of others."""
        client = Client(self.daemon, "member")
        everything = self.jobs(self.operator)[0]
        mine = self.sees["member"]["users"][0]
        others = [job for stage in ("pending", "running", "ended") for job in everything[stage]["jobs"] if job["user"] != mine]
        self.assertTrue(others)
        for job in others[::7]:
            for query in (f"?id={job['id']}", f"?user={job['user']}", f"?user={job['user']}&state=running",
                          f"?name={quote(job.get('name', 'x'))}&user={job['user']}", f"?id={job['id']}&cluster=sim"):
                with self.subTest(query):
                    status, _, body = client.ask("/api/v1/jobs" + query)
                    self.assertIn(status, (200, 404))
                    for cluster in json.loads(body)["clusters"] if status == 200 else []:
                        for stage in ("pending", "running", "ended"):
                            self.assertEqual([], [one for one in cluster.get(stage, {"jobs": []})["jobs"] if one["user"] != mine])
                    status, _, html = client.ask("/jobs" + query)
                    self.assertIn(status, (200, 404))
                    if "id=" in query:
                        self.assertNotIn("<dl", html.decode())
                    self.assertNotIn(f">{job['user']}</a>", html.decode())
        for query in ("?sort=user", "?sort=submit&order=desc&page=2", "?state=failed", "?page=99", "?user=" + mine):
            for cluster in self.jobs(client, query):
                for stage in ("pending", "running", "ended"):
                    for job in cluster.get(stage, {"jobs": []})["jobs"]:
                        self.assertEqual(mine, job["user"])

    def test_paths(self):
        """What tells of the cluster or of slurmscope is for those who see everything."""
        member, unbound, nobody = Client(self.daemon, "member"), Client(self.daemon, "unbound"), Client(self.daemon)
        for path, of_member, of_unbound in (
                ("/", 303, 403), ("/api/v1/status", 403, 403), ("/plan", 403, 403), ("/-/ready", 403, 403), ("/-/healthy", 200, 200),
                ("/style.css", 200, 200), ("/icon.svg", 200, 200), ("/jobs", 200, 403), ("/api/v1/jobs", 200, 403),
                ("/metrics", 200, 403), ("/metrics/jobs", 200, 403), ("/metrics?collect[]=jobs", 200, 403),
                ("/metrics?cluster=no", 400, 403), ("/metrics?target=no", 400, 403), ("/api/v1/jobs?cluster=no", 404, 403),
                ("/no", 404, 404), ("//metrics", 404, 404), ("/metrics/", 404, 404), ("/./plan", 404, 404), ("/plan?x", 403, 403),
                ("/%70lan", 403, 403), ("/jobs/../plan", 404, 404)):
            for method in ("GET", "HEAD"):
                with self.subTest(path, method=method):
                    self.assertEqual((200 if path not in ("/no", "//metrics", "/metrics/", "/./plan", "/jobs/../plan") and "=no" not in path
                                      else self.operator.ask(path, method)[0]), self.operator.ask(path, method)[0])
                    self.assertEqual(of_member, member.ask(path, method)[0])
                    self.assertEqual(of_unbound, unbound.ask(path, method)[0])
                    self.assertEqual(401, nobody.ask(path, method)[0])
        self.assertEqual("./jobs", member.ask("/")[1]["Location"])
        for method in ("POST", "PUT", "DELETE", "NONSENSE"):
            for path in ("/-/reload", "/plan", "/"):
                self.assertIn(member.ask(path, method)[0], (303, 403))
                self.assertEqual(403, unbound.ask(path, method)[0])
        self.assertEqual(405, member.ask("/metrics", "POST")[0])
        self.assertEqual(200, self.operator.ask("/-/reload", "POST")[0])

    def test_another_cluster(self):
        """Who is bound in another cluster sees nothing of this one."""
        client = Client(self.daemon, "elsewhere")
        self.assertEqual("", client.page())
        self.assertEqual(404, client.ask("/api/v1/jobs")[0])
        self.assertEqual(404, client.ask("/jobs")[0])
        self.assertEqual(400, client.ask("/metrics?cluster=sim")[0])

    def test_headers_are_no_names(self):
        """Only the password says who a client is."""
        member = Client(self.daemon, "member")
        for header in ("X_Remote_User", "X_Forwarded_User", "X_Scope_OrgID", "X_WEBAUTH_USER", "X_Grafana_User", "Tenant"):
            got, page = self.moment(lambda header=header: member.page(**{header: "operator"}))
            self.assertEqual(expected(page, self.sees["member"]), [line for line in got.splitlines() if line[0] != "#"])

    def test_rate(self):
        limited, other = Client(self.daemon, "limited"), Client(self.daemon, "physicist")
        codes = [limited.ask("/metrics/jobs")[0] for _ in range(6)]
        self.assertEqual([200] * 3 + [429] * 3, codes)
        self.assertEqual([200] * 4, [other.ask("/metrics/jobs")[0] for _ in range(4)])

    def test_everybody_at_once(self):
        """While pages change and all ask, everybody gets only lines with names of their own."""
        wrong, asked, stop = [], [0], time.monotonic() + 8

        def ask(name, client, number):
            sees = self.sees.get(name)
            while time.monotonic() < stop and not wrong:
                for kind, accept in FORMATS.items():
                    status, _, body = client.ask("/metrics" if number % 2 else "/metrics?collect[]=jobs&collect[]=job_rows",
                                                 Accept=accept, Accept_Encoding="gzip" if number % 3 else "identity")
                    asked[0] += status == 200
                    if status != 200:
                        wrong.append((name, status, body[:200]))
                    elif sees and kind == "text":
                        page = body.decode()
                        wrong.extend([(name, line)] for line in set(page.splitlines()) - set(expected(page, sees))
                                     if not line.startswith("#"))
                    elif sees and any(family in body for family in (b"\nslurm_cluster_", b"\nslurmscope_", b"slurm_cluster_jobs")):
                        wrong.append((name, kind))
        everybody = list((self.clients() | {"operator": self.operator}).items())
        threads = [threading.Thread(target=ask, args=(*everybody[number % len(everybody)], number))
                   for number in range(3 * len(everybody))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual([], wrong[:3])
        self.assertGreater(asked[0], 50)

    def test_audit(self):
        """Who asked for what is in the log; who asks too often does not fill it, nor hide others."""
        def lines(user, **wanted):
            return self.daemon.log(msg="audit: request", user=user, **wanted)
        physicist, member = Client(self.daemon, "both"), Client(self.daemon, "others")
        before = len(lines("both"))
        for number in range(150):
            physicist.ask(f"/no-{number}?quote=\"%0A")
        Client(self.daemon).ask("/plan?secret=1")
        self.assertEqual(403, member.ask("/plan?why")[0])
        told = lines("both")[before:]
        self.assertTrue(0 < len(told) <= 120, len(told))  # of two minutes, if one began meanwhile
        self.assertEqual("/no-0?quote=\"%0A", [one["target"] for one in told if one["status"] == "404"][0])
        self.assertEqual([("others", "others", "127.0.0.1", "GET", "403")],
                         [(one["user"], one["tenant"], one["source"], one["method"], one["status"])
                          for one in lines("others", target="/plan?why")])
        self.assertTrue(lines("", status="401"))
        for number in range(30):
            Client(self.daemon, source="127.0.0.2").ask(f"/guess-{number}", "M" * 3000)
        Client(self.daemon, source="127.0.0.3").ask("/who-is-this?" + "x" * 300 + "&user=bob")
        told = lines("", source="127.0.0.2")
        self.assertTrue(0 < len(told) <= 20, told)
        self.assertEqual("M" * 15, told[0]["method"])
        hidden = lines("", source="127.0.0.3")
        self.assertEqual(["/who-is-this?" + "x" * 239 + "..."], [one["target"] for one in hidden])
        self.assertFalse([line for line in self.daemon.log_text().splitlines() if "Basic " in line])

    def test_zz_loses_it(self):
        """Another configuration counts at once: who is bound to something else, and who to nothing."""
        member, physicist = Client(self.daemon, "member"), Client(self.daemon, "physicist")
        other = self.names["user"][2]
        self.bind({"member": {"users": ["member"], "sees": {"users": [other]}}})
        got, page = self.moment(member.page)
        self.assertEqual(expected(page, {"users": [other]}), [line for line in got.splitlines() if line[0] != "#"])
        self.assertEqual(403, physicist.ask("/metrics")[0])
        self.config.write_text(self.config.read_text().replace("tenants:", "tenants: {}\nold:"))
        wait_until(lambda: "slurmscope_web_config_last_reload_successful 0" in self.operator.page(), self.daemon.log_text)
        self.assertEqual(403, physicist.ask("/metrics")[0])


class Certificates(unittest.TestCase):
    def test_names(self):
        """A certificate's names say whose it is: of one tenant, perhaps twice, of none, of two; and none at all."""
        with Simulator("--nodes=20", "--jobs=100", "--users=5", "--release=24.11", "--speed=10",
                       f"--epoch={int(time.time())}") as sim, \
                tempfile.TemporaryDirectory(prefix="slurmscope-tenants-") as folder:
            make_authority(folder, "ca")
            make_certificate(folder, "server", "ca", "DNS:localhost,IP:127.0.0.1")
            for name, names in {"prometheus": "DNS:prometheus.example", "one": "DNS:x.example,URI:spiffe://site/one,IP:10.9.9.9",
                                "address": "IP:10.1.2.3", "names": "IP:10.1.2.3,DNS:y.example", "none": "DNS:else.example",
                                "two": "DNS:y.example,email:a@b.example"}.items():
                make_certificate(folder, name, "ca", names)
            tenants = {"operators": {"certificates": ["prometheus.example"], "sees": "everything"},
                       "one": {"certificates": ["spiffe://site/one", "a@b.example"], "sees": {"partitions": ["cpu"]}},
                       "address": {"certificates": ["10.1.2.3", "y.example"], "sees": {"accounts": ["no"]}}}
            config = Path(folder, "web.yml")
            config.write_text(web_config(tenants, [], "tls_server_config: {cert_file: server.pem, key_file: server.key, "
                                         "client_ca_file: ca.pem, client_auth_type: VerifyClientCertIfGiven}\n"))
            with Daemon(None, *EVERY_SECOND, "--web.audit-log", f"--web.config.file={config}", url=sim.url) as daemon:
                def client(name=None):
                    context = ssl.create_default_context(cafile=f"{folder}/ca.pem")
                    if name:
                        context.load_cert_chain(f"{folder}/{name}.pem", f"{folder}/{name}.key")
                    return Client(daemon, context=context)
                operator = client("prometheus")
                wait_until(lambda: operator.ask("/-/ready")[0] == 200, daemon.log_text)
                partitions = {labels["partition"] for name, labels, _ in lines_of(operator.page()) if name == "slurm_partition_jobs"}
                self.assertIn("cpu", partitions)
                page = client("one").page()
                self.assertEqual({"cpu"}, {part for name, labels, _ in lines_of(page) if "partition" in labels and
                                           not name.startswith("slurm_pending") for part in [labels["partition"]]})
                self.assertEqual([], [name for name, _, _ in lines_of(page) if name.startswith("slurm_cluster_")])
                self.assertEqual(["", ""], [client(name).page() for name in ("address", "names")])
                for name in ("none", "two", None):
                    with self.subTest(name):
                        self.assertEqual(403, client(name).ask("/metrics")[0])
                        self.assertEqual(403, client(name).ask("/jobs")[0])
                self.assertTrue(daemon.log(msg="audit: request", user="spiffe://site/one", tenant="one", status="200"))
                self.assertTrue(daemon.log(msg="audit: request", user="else.example", tenant="", status="403"))


class SeveralClusters(unittest.TestCase):
    def test_each_its_own(self):
        """An account of the same name in two clusters may be two people's."""
        options = ("--nodes=20", "--jobs=150", "--users=5", "--release=26.05", "--speed=10", f"--epoch={int(time.time())}")
        with Simulator(*options, "--cluster=alpha") as alpha, Simulator(*options, "--cluster=beta", "--seed=2") as beta, \
                tempfile.TemporaryDirectory(prefix="slurmscope-tenants-") as folder:
            with open(f"{folder}/web.yml", "w") as file:
                file.write(web_config({"operators": {"users": ["operator"], "sees": "everything"}}, ["operator", "alpha", "all"]))
            intervals = "".join(f"  {option[11:].replace('=', ': ')}\n" for option in EVERY_SECOND if option.startswith("--interval."))
            text = ("slurmrestd: {token-file: {folder}/token, user: root}\nbudget: {slurmrestd: 1000, slurmctld: 1000, requests: 1000}\n"
                    f"interval:\n{intervals}clusters:\n" +
                    "".join(f"  {name}: {{slurmrestd: {{url: \"{sim.url.replace('127.0.0.1', host)}\"}}}}\n"
                            for name, sim, host in (("alpha", alpha, "127.0.0.1"), ("beta", beta, "localhost"))))
            with Daemon(None, f"--web.config.file={folder}/web.yml", config=text) as daemon:
                operator, one, both = (Client(daemon, name) for name in ("operator", "alpha", "all"))
                wait_until(lambda: operator.ask("/-/ready")[0] == 200, daemon.log_text)
                names = {labels["account"] for name, labels, _ in lines_of(operator.page())
                         if name == "slurm_account_jobs" and labels["cluster"] == "alpha"} & \
                        {labels["account"] for name, labels, _ in lines_of(operator.page())
                         if name == "slurm_account_jobs" and labels["cluster"] == "beta"}
                account = sorted(names - {"other"})[0]
                began = len(daemon.log(msg="the web configuration was read again"))
                Path(folder, "web.yml").write_text(web_config(
                    {"operators": {"users": ["operator"], "sees": "everything"},
                     "one": {"users": ["alpha"], "sees": {"accounts": [account], "clusters": ["alpha"]}},
                     "both": {"users": ["all"], "sees": {"accounts": [account]}}}, ["operator", "alpha", "all"]))
                wait_until(lambda: len(daemon.log(msg="the web configuration was read again")) > began, daemon.log_text)
                for client, want in ((one, {"alpha"}), (both, {"alpha", "beta"})):
                    with self.subTest(want=want):
                        self.assertEqual(want, {labels["cluster"] for _, labels, _ in lines_of(client.page())})
                        answer = json.loads(client.ask("/api/v1/jobs")[2])
                        self.assertEqual(want, {cluster["name"] for cluster in answer["clusters"]})
                        self.assertEqual({account}, {job["account"] for cluster in answer["clusters"]
                                                     for stage in ("pending", "running", "ended") for job in cluster[stage]["jobs"]})
                for path in ("/metrics?cluster=beta", "/metrics?target=beta"):
                    self.assertEqual(400, one.ask(path)[0])
                    self.assertEqual({"beta"}, {labels["cluster"] for _, labels, _ in lines_of(both.page(path))})
                for path in ("/jobs?cluster=beta", "/api/v1/jobs?cluster=beta"):
                    self.assertEqual(404, one.ask(path)[0])
                    self.assertEqual(200, both.ask(path)[0])
                self.assertNotIn(b"beta", one.ask("/jobs")[2])


if __name__ == "__main__":
    unittest.main()
