#!/usr/bin/env python3
"""slurmscope report asks real Prometheuses and a VictoriaMetrics. They hold days of clusters whose truth is known: idle ones,
restarted ones, two slurmscopes, gaps. Its amounts have to be the truth, or it has to say what is missing."""

import contextlib
import csv
import email
import email.policy
import io
import json
import os
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

from harness import PATIENCE, SLURMSCOPE, free_port, wait_until
from prometheus import Prometheus
from test_victoriametrics import Victoria, running

CACHE = Path(os.environ.get("SLURMSCOPE_CACHE", "/var/cache/slurmscope"))
SCRAPE_S, DAY_S = 60, 86400
FROM = int(time.time()) // DAY_S * DAY_S - 4 * DAY_S  # VictoriaMetrics refuses what is older than its retention
TO = FROM + 2 * DAY_S + 7200  # two windows, and a part of one
MONTH = time.strftime("%Y-%m", time.gmtime(FROM + DAY_S // 2))
REPORT = Path(__file__).resolve().parents[2] / "deploy/report/slurmscope-report"
BEGIN = FROM - 6 * 3600  # of what there is
COMPLETE, INCOMPLETE = 0, 3


class Counter:
    """Of one slurmscope: what an account used, by a rate of its own, since the slurmscope began."""

    def __init__(self, rate, since=BEGIN, at_first=0):
        self.rate, self.since, self.at_first = rate, since, at_first

    def at(self, time_s):
        return self.at_first + int(self.rate * (time_s - self.since))


class Cluster:
    """Slurmscopes (instances), each with the times when it was scraped, and where the accounts stood."""

    def __init__(self, name, *slurmscopes, truth, status=COMPLETE, notes=(), is_one_target=False):
        self.name, self.slurmscopes, self.truth, self.status, self.notes = name, slurmscopes, truth, status, notes
        self.is_one_target = is_one_target

    def lines(self):
        for instance, (first, end, holes, accounts) in enumerate(self.slurmscopes):
            target = f'cluster="{self.name}",instance="ctl{instance * (not self.is_one_target)}:9341",job="slurmscope"'
            for time_s in range(first, end + 1, SCRAPE_S):
                if any(hole < time_s < until for hole, until in holes):
                    continue
                alive = {account: counter.at(time_s) for account, counter in accounts.items() if time_s >= counter.since}
                yield "slurm_cluster_job_starts_total", target, sum(alive.values()) // 100, time_s
                yield "slurm_cluster_job_allocated_cpu_seconds_total", target, sum(alive.values()), time_s
                yield "slurmscope_job_events_lost_total", target, 3 if self.name == "lossy" and time_s > FROM + 5000 else 0, time_s
                for account, value in alive.items():
                    of = f'account="{account}",{target}'
                    yield "slurm_account_job_allocated_cpu_seconds_total", of, value, time_s
                    yield "slurm_account_job_allocated_gres_seconds_total", f'gres="gpu",type="a100",{of}', 2 * value, time_s
                    yield "slurm_account_job_allocated_memory_byte_seconds_total", of, value << 33, time_s


def grown(rate, first=FROM, end=TO, since=BEGIN):
    """Of an account from one moment to another, by the last scrape at or before each."""
    counter = Counter(rate, since)

    def seen(time_s):
        return counter.at(since + (time_s - since) // SCRAPE_S * SCRAPE_S)
    return seen(end) - seen(first)


NOON = FROM + DAY_S // 2
END = TO + 3600
USUAL = {"a": Counter(1), "b": Counter(3.7)}
CLUSTERS = [
    Cluster("plain", (BEGIN, END, (), USUAL), truth={"a": grown(1), "b": grown(3.7)}),
    Cluster("idle", (BEGIN, END, (), {"a": Counter(0, at_first=10**9)}), truth={"a": 0}),
    Cluster("newcomer", (BEGIN, END, (), USUAL | {"c": Counter(2, since=NOON, at_first=500)}),
            truth={"a": grown(1), "b": grown(3.7), "c": 500 + grown(2, NOON, TO, NOON)}),
    # no state file: what it had counted is gone, and begins at 0 ten seconds before it is scraped again
    Cluster("forgetful", (BEGIN, NOON, (), {"a": Counter(1)}), (NOON + 60, END, (), {"a": Counter(1, since=NOON + 60, at_first=10)}), is_one_target=True, truth={"a": grown(1, FROM, NOON) + 10 + grown(1, NOON + 60, TO, NOON + 60)},
            status=INCOMPLETE, notes=["counters began again at about"]),
    Cluster("failover", (BEGIN, NOON, (), USUAL), (NOON + 120, END, (), USUAL), truth={"a": grown(1), "b": grown(3.7)}),
    # at a moment in which a window ends, from a copy that is five minutes old, and the old one lives a little longer
    Cluster("takeover", (BEGIN, FROM + DAY_S + 60, (), {"a": Counter(1)}),
            (FROM + DAY_S, END, (), {"a": Counter(1, at_first=-300)}), truth={"a": grown(1) - 300}),
    # so does this one, on another host, between two windows; and it has counted more than the old one when the next window ends
    Cluster("replaced", (BEGIN, FROM + DAY_S, (), {"a": Counter(0.01)}), (FROM + DAY_S + 60, END, (), {"a": Counter(1, since=FROM + DAY_S + 60)}),
            truth={"a": grown(0.01, FROM, FROM + DAY_S) + grown(1, FROM + DAY_S + 60, TO, FROM + DAY_S + 60)},
            status=INCOMPLETE, notes=["counters began again at about"]),
    Cluster("pair", (BEGIN, END, (), USUAL), (BEGIN + 7, END, (), {"a": Counter(1, at_first=-20), "b": Counter(3.7, at_first=-60)}),
            truth={"a": grown(1), "b": grown(3.7)}),
    Cluster("gap", (BEGIN, END, [(NOON, NOON + 7200)], USUAL), truth={"a": grown(1), "b": grown(3.7)}, notes=[
        r"no samples of gap from \S+ 12:00:00 UTC to \S+ 14:00:00 UTC \(2 h\): what was used in it is counted, but nobody knows when"]),
    Cluster("early-gap", (BEGIN, END, [(FROM - 1800, FROM + 1800)], {"a": Counter(1)}), truth={"a": grown(1, FROM - 1800)},
            status=INCOMPLETE, notes=["no samples of early-gap from .*: what was used in all this time counts here"]),
    Cluster("late-gap", (BEGIN, TO - 1800, (), {"a": Counter(1)}), truth={"a": grown(1, FROM, TO - 1800)},
            status=INCOMPLETE, notes=[r"no samples of late-gap after .*: what was used in the last 30 min is missing"]),
    # Prometheus is younger than slurmscope: how much of the first value is of the span is not known
    Cluster("young", (NOON, END, (), {"a": Counter(1, at_first=10**6)}), truth={"a": grown(1, NOON)},
            status=INCOMPLETE, notes=["no samples of young before .*: what was used in the first 12 h is missing"]),
    Cluster("lossy", (BEGIN, END, (), {"a": Counter(1)}), truth={"a": grown(1)}, status=INCOMPLETE, notes=["3 events of lossy lost"]),
    Cluster("two words", (BEGIN, END, (), {'q"\\': Counter(1)}), truth={'q"\\': grown(1)}),
]


def escaped(labels):
    """Of the one account that needs it."""
    return labels.replace('q"\\', 'q\\"\\\\')


def samples():
    """{family: [(labels, value, Unix seconds)]}"""
    families = {}
    for cluster in CLUSTERS:
        for family, labels, value, time_s in cluster.lines():
            families.setdefault(family, []).append((escaped(labels), value, time_s))
    return families


def report(*options, status=None):
    done = subprocess.run([SLURMSCOPE, "report", *options], capture_output=True, text=True, timeout=PATIENCE, env=os.environ | {"TZ": "UTC"})
    if status is not None:
        assert done.returncode == status, (done.returncode, done.stdout[-2000:], done.stderr)
    return done


class Smtp(threading.Thread):
    """Takes one mail."""

    def __init__(self):
        super().__init__(daemon=True)
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"smtp://127.0.0.1:{self.socket.getsockname()[1]}"
        self.start()

    def run(self):
        connection, _ = self.socket.accept()
        with connection, connection.makefile("rwb", buffering=0) as line:
            line.write(b"220 here\r\n")
            while command := line.readline():
                if command.startswith(b"DATA"):
                    line.write(b"354 go on\r\n")
                    self.mail = b"".join(iter(line.readline, b".\r\n"))
                line.write(b"250 well\r\n")
                if command.startswith(b"QUIT"):
                    return

    def message(self):
        self.join(PATIENCE)
        self.socket.close()
        return email.message_from_bytes(self.mail, policy=email.policy.default)


class Report(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.stack = contextlib.ExitStack()
        families = samples()
        folder = Path(cls.stack.enter_context(tempfile.TemporaryDirectory(prefix="slurmscope-report-")))
        with open(folder / "openmetrics", "w") as out:
            for family, rows in families.items():
                out.write(f"# TYPE {family.removesuffix('_total')} counter\n")
                out.writelines(f"{family}{{{labels}}} {value} {time_s}\n" for labels, value, time_s in rows)
            out.write("# EOF\n")
        cls.urls = {}
        subprocess.run([CACHE / "prometheus/usr/bin/promtool", "tsdb", "create-blocks-from", "openmetrics", folder / "openmetrics", folder / "blocks"],
                       check=True, capture_output=True)
        for name in "prometheus", "prometheus-forky":
            program = CACHE / name / "usr/bin"
            shutil.copytree(folder / "blocks", folder / name)  # The newer one reads blocks of the older one.
            server = cls.stack.enter_context(Prometheus(
                program / "prometheus", None, config="global: {}", data=folder / name, flags=["--web.route-prefix=/behind/this"]))
            url = f"http://127.0.0.1:{server.port}/behind/this"
            wait_until(lambda url=url: cls.is_ready(f"{url}/-/ready"), f"{name} is ready")
            cls.urls[name] = url
        victoria = Victoria()
        victoria.options = [option.replace("=1d", "=60d") for option in victoria.options]
        cls.stack.enter_context(running("victoria-metrics", *victoria.options))
        wait_until(lambda: victoria.get("query", query="1"), "VictoriaMetrics answers")
        for family, rows in families.items():
            body = "".join(f"{family}{{{labels}}} {value} {time_s}000\n" for labels, value, time_s in rows)
            urllib.request.urlopen(f"{victoria.url}/api/v1/import/prometheus", body.encode(), timeout=PATIENCE).close()
        urllib.request.urlopen(f"{victoria.url}/internal/force_flush", timeout=PATIENCE).close()
        cls.urls["VictoriaMetrics"] = victoria.url

    @classmethod
    def tearDownClass(cls):
        cls.stack.close()

    @staticmethod
    def is_ready(url):
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=PATIENCE):
            return True

    def ask(self, name, *options, status=None):
        return report(f"--prometheus.url={self.urls[name]}/", f"--from=@{FROM}", f"--to=@{TO}", *options, status=status)

    def test_clusters(self):
        for name in self.urls:
            for cluster in CLUSTERS:
                with self.subTest(server=name, cluster=cluster.name):
                    done = self.ask(name, f'--prometheus.match=cluster="{cluster.name}"', "--format=json", status=cluster.status)
                    told = json.loads(done.stdout)
                    rows = {row["account"]: row for row in told["rows"]}
                    self.assertEqual(cluster.truth, {account: row["allocated_cpu_seconds"] for account, row in rows.items()})
                    self.assertEqual({cluster.name}, {row["cluster"] for row in rows.values()})
                    for account, cpu_seconds in cluster.truth.items():
                        self.assertEqual({"gpu:a100": 2 * cpu_seconds}, rows[account]["allocated_gres_seconds"])
                        self.assertAlmostEqual(1, ((cpu_seconds << 33) or 1) / (rows[account]["allocated_memory_byte_seconds"] or 1), 12)
                        self.assertIsNone(rows[account]["allocated_billing_seconds"])
                    self.assertEqual(cluster.status == COMPLETE, told["complete"])
                    self.assertEqual(len(cluster.notes), len(told["notes"]), told["notes"])
                    for wanted, note in zip(cluster.notes, told["notes"]):
                        self.assertRegex(note, wanted)

    def test_all_clusters_at_once(self):
        """They are kept apart without being told to."""
        for name in self.urls:
            done = self.ask(name, "--format=csv", "--by=account,cluster", status=INCOMPLETE)
            rows = list(csv.DictReader(io.StringIO(done.stdout, newline="")))
            truth = {(cluster.name, account): str(value) for cluster in CLUSTERS for account, value in cluster.truth.items()}
            self.assertEqual(truth, {(row["cluster"], row["account"]): row["allocated_cpu_seconds"] for row in rows if row["by"] == "account"})
            whole = {row["cluster"]: int(row["allocated_cpu_seconds"]) for row in rows if row["by"] == "cluster"}
            self.assertEqual({cluster.name: sum(cluster.truth.values()) for cluster in CLUSTERS}, whole)
            self.assertIn("Note: 3 events of lossy lost", done.stderr)

    def test_months_add_up(self):
        """What one span leaves out the next one has, gaps and fail-overs included."""
        edges = [FROM, FROM + 3600 + 17, NOON - 1, NOON + 61, NOON + 3600, FROM + DAY_S, TO]
        truth = {(cluster.name, account): used for cluster in CLUSTERS if cluster.name in ("plain", "newcomer", "failover", "pair", "gap")
                 for account, used in cluster.truth.items()}
        names = "|".join(sorted({cluster for cluster, _ in truth}))
        for name in self.urls:
            sums = dict.fromkeys(truth, 0)
            for first, end in zip(edges, edges[1:]):
                done = report(f"--prometheus.url={self.urls[name]}", f"--from=@{first}", f"--to=@{end}", "--format=json",
                              f'--prometheus.match=cluster=~"{names}"')
                for row in json.loads(done.stdout)["rows"]:
                    sums[row["cluster"], row["account"]] += row["allocated_cpu_seconds"]
            self.assertEqual(truth, sums, name)

    def test_table(self):
        done = self.ask("prometheus", '--prometheus.match=cluster="plain"', status=COMPLETE)
        self.assertIn("counted by Prometheus", done.stdout)
        cells = {words[1]: words for words in (line.split() for line in done.stdout.splitlines()) if words[:1] == ["plain"]}
        self.assertEqual({"a", "b", "all"}, set(cells))
        self.assertEqual(f"{grown(3.7) / 3600:.2f}", cells["b"][3])
        self.assertEqual(f"{(grown(1) + grown(3.7)) / 3600:.2f}", cells["all"][3])

    def test_csv_file(self):
        """The same rows as on standard output, from one question; notes are in the report that is printed."""
        for cluster, status in ("plain", COMPLETE), ("lossy", INCOMPLETE):
            match = f'--prometheus.match=cluster="{cluster}"'
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, "use.csv")
                path.write_text("what was there before\n" * 1000)
                table = self.ask("prometheus", match, f"--csv-file={path}", status=status)
                self.assertEqual(self.ask("prometheus", match, "--format=csv", status=status).stdout, path.read_text())
                self.assertEqual(self.ask("prometheus", match, status=status).stdout, table.stdout)
                self.assertEqual("", table.stderr)
                # a report that cannot be made leaves the old one
                self.ask("prometheus", "--prometheus.match=cluster=", f"--csv-file={path}", status=1)
                self.assertIn("by,cluster,", path.read_text())
        for path, why in ("/nowhere/use.csv", "No such file or directory"), ("/dev/full", "No space left on device"):
            done = self.ask("prometheus", match, f"--csv-file={path}", status=1)
            self.assertEqual((table.stdout, f"slurmscope report: cannot write {path}: {why}\n"), (done.stdout, done.stderr))
        with open("/dev/full", "w") as full:
            done = subprocess.run([SLURMSCOPE, "report", f"--prometheus.url={self.urls['prometheus']}", f"--from=@{FROM}", f"--to=@{TO}"],
                                  stdout=full, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
        self.assertEqual((1, f"slurmscope report: {why}\n"), (done.returncode, done.stderr))

    def mail(self, cluster, status, **more):
        """What deploy/report sends of a cluster; it ends with that status."""
        smtp = Smtp()
        environment = {"PATH": f"{Path(SLURMSCOPE).parent}:/usr/bin:/bin", "TZ": "UTC", "PROMETHEUS_URL": self.urls["prometheus"], "MAIL_TO":
                       "head@example.org", "MAIL_FROM": "scope@example.org", "SMTP_URL": smtp.url, "MONTH": MONTH} | more
        done = subprocess.run([REPORT, f'--prometheus.match=cluster="{cluster}"'], env=environment, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual((status, ""), (done.returncode, done.stderr))
        message = smtp.message()
        self.assertEqual(("head@example.org", "scope@example.org"), (message["To"], message["From"]))
        return message["Subject"], [part.get_content() for part in message.iter_parts()]

    def test_mail(self):
        """Of that month there are two days: the mail says so."""
        subject, (text, rows) = self.mail("plain", 0)
        self.assertRegex(subject, r"^Slurm: who used what, month [\d-]+, incomplete$")
        self.assertIn("counted by Prometheus", text)
        self.assertIn("Note: no samples of plain after", text)
        self.assertEqual({"a", "b"}, {row["account"] for row in csv.DictReader(io.StringIO(rows))})
        subject, (text,) = self.mail("nobody", 1)
        self.assertEqual(f"Slurm: no report of month {MONTH}", subject)
        self.assertIn("Prometheus has no samples of", text)

    def test_wrong_options(self):
        url = f"--prometheus.url={self.urls['prometheus']}"
        for options, why in (
                ([url], "--from or --month is missing"),
                ([url, "--from=2026-02-30"], "not a time"),
                ([url, "--from=@5", "--to=@5"], "ends before it begins"),
                ([url, "--from=@5", "--to=@99999999999"], "ends in the future"),
                ([url, "--from=@5", "--month=last"], "--month says from when to when"),
                ([url, "--from=@5", "--by=users"], "none of cluster, partition"),
                ([url, "--from=@5", "--by="], "no kind of rows"),
                ([url, "--from=@5", "--format=pdf"], "none of table, csv, json"),
                ([url, "--from=@5", "--web.listen-address=:1"], "not an option of report"),
                ([url, "--from=@5", "--slurmdbd"], "one of the two"),
                (["--from=@5"], "--prometheus.url is missing"),
                ([url, "--from"], "value missing")):
            self.assertIn(why, report(*options, status=2).stderr)
        self.assertIn("--prometheus.match=MATCHERS", report("--help", status=0).stdout)

    def test_no_data(self):
        done = report(f"--prometheus.url={self.urls['prometheus']}", "--from=@86400", "--to=@90000", status=1)
        self.assertIn("has no samples of slurm_cluster_job_starts_total in that time", done.stderr)
        done = self.ask("prometheus", "--prometheus.match=cluster=", status=1)
        self.assertIn("Prometheus refuses: ", done.stderr)

    def test_strange_servers(self):
        """Not Prometheus, or one that is broken off: a reason, no report."""
        vector = b'{"status":"success","data":{"resultType":"vector","result":[{"metric":{"cluster":"x"},"value":[1,%s]}]}}'
        answers = {
            "html": (200, b"<html>hello</html>", "not an answer of Prometheus"),
            "empty": (200, b"", "not an answer of Prometheus"),
            "no status": (200, b"{}", "it has no status"),
            "gateway": (502, b"<html>bad gateway</html>", "HTTP status 502"),
            "unauthorized": (401, b"Unauthorized", "HTTP status 401"),
            "cut": (200, vector[:40], "not an answer of Prometheus"),
            "text": (200, vector % b'"many"', "a sample is no number"),
            "deep": (200, b"[" * 100000, "not an answer of Prometheus"),
            "a scalar": (200, b'{"status":"success","data":{"resultType":"scalar","result":[1,"2"]}}', "not a vector"),
        }
        seen = []

        class Strange(BaseHTTPRequestHandler):
            def do_GET(self):
                status, body, _ = answers[answer]
                seen.append(self.headers["Authorization"])
                self.send_response(status)
                self.send_header("Content-Length", str(len(body) + (answer == "cut") * 10))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass
        server = HTTPServer(("127.0.0.1", free_port()), Strange)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with tempfile.NamedTemporaryFile("w") as secret:
            secret.write("Bearer none-of-your-business\n")
            secret.flush()
            for answer in answers:
                done = report(f"--prometheus.url=http://127.0.0.1:{server.server_port}", f"--from=@{FROM}", f"--to=@{TO}",
                              f"--prometheus.authorization-file={secret.name}", status=1)
                wanted = "Prometheus: " if answer == "cut" else answers[answer][2]
                self.assertIn(wanted, done.stderr, answer)
                self.assertEqual("", done.stdout)
        self.assertEqual({"Bearer none-of-your-business"}, set(seen))
        server.shutdown()
        server.server_close()
        done = report(f"--prometheus.url=http://127.0.0.1:{server.server_port}", f"--from=@{FROM}", f"--to=@{TO}", status=1)
        self.assertIn("Prometheus: ", done.stderr)
        done = report("--prometheus.url=ftp://x", f"--from=@{FROM}", f"--to=@{TO}", status=1)
        self.assertIn("expected http://host:port", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
