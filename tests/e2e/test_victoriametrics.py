"""vmagent scrapes slurmscope and writes to a VictoriaMetrics, which then says what the page says. Two vmagents, as
deploy/victoriametrics has it, give no more than one. Of two VictoriaMetrics one may be away. vmalert evaluates the rules and
alerts, too."""

import base64
import contextlib
import json
import math
import os
import re
import signal
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

from fake_slurmrestd import Fake
from harness import EVERY_SECOND, PATIENCE, Daemon, free_port, wait_until

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("SLURMSCOPE_CACHE", "/var/cache/slurmscope"), "victoria-metrics/usr/bin")
LABELS = re.compile(r'(\w+)=("(?:\\.|[^"\\])*")')
RULES = [f"-rule={ROOT}/deploy/prometheus/slurmscope.{kind}.yml" for kind in ("rules", "alerts")]


@contextlib.contextmanager
def running(program, *options):
    with tempfile.TemporaryDirectory(prefix="slurmscope-vm-") as folder:
        log = Path(folder, "log")
        with open(log, "wb") as out:
            process = subprocess.Popen([BIN / program, *(option.format(folder=folder) for option in options)], stdout=out, stderr=out)
        try:
            yield log.read_text
            assert process.poll() is None, log.read_text()
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


class Victoria:
    def __init__(self, data="{folder}/data"):
        self.port = free_port()
        self.options = [f"-storageDataPath={data}", f"-httpListenAddr=127.0.0.1:{self.port}", "-search.latencyOffset=0s",
                        "-dedup.minScrapeInterval=1s", "-retentionPeriod=1d", "-search.disableCache"]
        self.url = f"http://127.0.0.1:{self.port}"

    def get(self, path, **query):
        try:
            with urllib.request.urlopen(f"{self.url}/api/v1/{path}?{urllib.parse.urlencode(query)}", timeout=PATIENCE) as answer:
                return answer.read().decode()
        except (urllib.error.URLError, ConnectionError):
            return ""

    def query(self, expression):
        answer = self.get("query", query=expression)
        return json.loads(answer)["data"]["result"] if answer else []

    def series(self, expression):
        """As the page names them: {series: value}"""
        found = {}
        for row in self.query(expression):
            labels = {name: value for name, value in row["metric"].items() if name not in ("__name__", "job", "instance")}
            found[row["metric"]["__name__"], frozenset(labels.items())] = float(row["value"][1])
        return found


def agent(daemon, *victorias):
    config = (ROOT / "deploy/victoriametrics/vmagent.yml").read_text()
    config = config.replace("127.0.0.1:9341", f"127.0.0.1:{daemon.port}").replace("30s", "1s")
    path = Path(daemon.folder.name, "vmagent.yml")
    path.write_text(config)
    return running("vmagent", f"-promscrape.config={path}", *(f"-remoteWrite.url={one.url}/api/v1/write" for one in victorias),
                   "-remoteWrite.tmpDataPath={folder}/data", "-remoteWrite.flushInterval=1s", f"-httpListenAddr=127.0.0.1:{free_port()}")


def of_page(page):
    """{(name, labels): value} of families that stand still when the cluster does."""
    found = {}
    for series, value in page.items():
        name, _, labels = series.partition("{")
        if name.startswith("slurm_") and "_seconds" not in name and not name.endswith(("_total", "_bucket", "_sum", "_count")):
            found[name, frozenset((label, json.loads(text)) for label, text in LABELS.findall(labels) if text != '""')] = value
    return found


class VictoriaMetrics(unittest.TestCase):
    def test_written_and_read_back(self):
        victoria = Victoria()
        with Fake("24.11.5") as fake, Daemon(fake, *EVERY_SECOND) as daemon, running("victoria-metrics", *victoria.options), \
                agent(daemon, victoria), agent(daemon, victoria):
            daemon.wait_well()
            up = wait_until(lambda: victoria.query("up"), "a scrape")
            self.assertEqual(["slurmscope"], [row["metric"]["job"] for row in up], "two agents, one target")
            wanted = of_page(daemon.page())
            self.assertGreater(len(wanted), 500)

            def differ():
                stored = victoria.series('{__name__=~"slurm_.*"}')
                return {key: (value, stored.get(key)) for key, value in wanted.items()
                        if not math.isclose(value, stored.get(key, math.nan), rel_tol=1e-11)}  # it keeps twelve digits and more
            wait_until(lambda: not differ(), lambda: list(differ().items())[:5])
            wait_until(lambda: [row for row in victoria.query("count_over_time(slurm_cluster_info[1h])") if float(row["value"][1]) > 8], "nine samples")
            count, = wait_until(lambda: victoria.query('count_over_time(slurm_cluster_info[5s])'), "samples")
            self.assertLessEqual(float(count["value"][1]), 6, "a sample a second, of two that scrape each second")
            self.assertTrue(wait_until(lambda: victoria.query("rate(slurmscope_requests_total[5s]) > 0"), "counters go on"))

    def test_two(self):
        """Each has everything; one may go, and gets what it missed when it is back. vmauth's example asks who is there."""
        with tempfile.TemporaryDirectory(prefix="slurmscope-vm-") as folder, contextlib.ExitStack() as all:
            one, other = [Victoria(f"{folder}/{name}") for name in "ab"]
            asked = Victoria()
            config = Path(folder, "vmauth.yml")
            config.write_text((ROOT / "deploy/victoriametrics/vmauth.yml").read_text()
                              .replace("http://victoria-a:8428", one.url).replace("http://victoria-b:8428", other.url))
            fake = all.enter_context(Fake("24.11.5"))
            daemon = all.enter_context(Daemon(fake, *EVERY_SECOND))
            all.enter_context(running("victoria-metrics", *other.options))
            first = contextlib.ExitStack()
            first.enter_context(running("victoria-metrics", *one.options))
            all.enter_context(running("vmauth", f"-auth.config={config}", f"-httpListenAddr=127.0.0.1:{asked.port}"))
            all.enter_context(agent(daemon, one, other))
            wait_until(lambda: asked.query("slurm_cluster_info"), "a scrape")
            wait_until(lambda: one.query("slurm_cluster_info"), "in the first")
            for path in "/api/v1/admin/tsdb/delete_series?match[]=up", "/api/v1/import/prometheus", "/api/v1/write":
                with self.assertRaises(urllib.error.HTTPError, msg=f"{path}: whoever asks may only read") as refused:
                    urllib.request.urlopen(urllib.request.Request(asked.url + path, data=b"x 1\n", method="POST"))
                self.assertIn(refused.exception.code, (400, 404), path)
            began = time.time()
            first.close()
            self.assertEqual([], one.query("slurm_cluster_info"))
            time.sleep(1)
            wait_until(lambda: (found := asked.query(f"count_over_time(slurm_cluster_info[{time.time() - began:.0f}s])")) and
                       float(found[0]["value"][1]) > 6, "the other one goes on")
            ended = time.time()
            with running("victoria-metrics", *one.options):
                def samples(victoria):
                    found = victoria.query(f"count_over_time(slurm_cluster_info[{ended - began:.0f}s] @ {ended:.0f})")
                    return float(found[0]["value"][1]) if found else 0
                wait_until(lambda: samples(one) == samples(other) > 3, lambda: (samples(one), samples(other)))

    def test_accounts(self):
        """vmauth-accounts.yml: who asks with the password of an account gets its series alone, whatever is asked and however."""
        victoria, port = Victoria(), free_port()
        lines = "".join(f'slurm_account_jobs{{account="{account}"}} 1\nslurm_user_jobs{{account="{account}",user="of_{account}"}} 2\n'
                        for account in ("physics", "chemistry")) + "slurm_cluster_nodes 3\n"
        with tempfile.TemporaryDirectory(prefix="slurmscope-vm-") as folder, running("victoria-metrics", *victoria.options):
            config = Path(folder, "vmauth.yml")
            config.write_text((ROOT / "deploy/victoriametrics/vmauth-accounts.yml").read_text().replace("http://victoria-a:8428", victoria.url)
                              .replace("%{PHYSICS_PASSWORD}", "p").replace("%{CHEMISTRY_PASSWORD}", "c"))

            def get(path, user="physics:p", data=None):
                request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data)
                request.add_header("Authorization", "Basic " + base64.b64encode(user.encode()).decode())
                try:
                    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                        return answer.status, answer.read().decode()
                except urllib.error.HTTPError as error:
                    with error:
                        return error.code, error.read().decode()

            def is_there():
                with contextlib.suppress(OSError):
                    urllib.request.urlopen(urllib.request.Request(f"{victoria.url}/api/v1/import/prometheus", lines.encode(), method="POST")).close()
                return len(victoria.query('{__name__=~"slurm_.*"}')) == 5

            wait_until(is_there, "the samples")
            with running("vmauth", f"-auth.config={config}", f"-httpListenAddr=127.0.0.1:{port}", f"-httpInternalListenAddr=127.0.0.1:{free_port()}"):
                def is_up():
                    with contextlib.suppress(OSError):
                        return get("/api/v1/query?query=1")[0] == 200
                wait_until(is_up, "vmauth")
                every = urllib.parse.quote('{__name__=~"slurm_.*"}')
                mine = urllib.parse.quote('{account="chemistry"}')
                for others in ("", "&extra_label=account=chemistry", f"&extra_filters[]={mine}", f"&extra_filters[]={every}"):
                    for path in (f"query?query={every}{others}", f"query_range?query={every}&start=-1h{others}", f"query?query={mine}{others}",
                                 f"series?match[]={every}{others}", f"label/user/values?match[]={every}{others}", f"label/account/values?x=1{others}",
                                 f"query?query=count({every})by(account,user){others}", f"query?query=slurm_cluster_nodes{others}"):
                        for prefix in ("", "/prometheus"):
                            status, text = get(f"{prefix}/api/v1/{path}")
                            self.assertEqual(200, status, text)
                            self.assertNotIn("chemistry", text, path)
                            self.assertNotIn("slurm_cluster_nodes", text, path)
                    status, text = get("/api/v1/query", data=f"query={every}{others}".encode())
                    self.assertEqual((200, False), (status, "chemistry" in text), text)
                self.assertIn("of_physics", get(f"/api/v1/query?query={every}")[1])
                self.assertIn("of_chemistry", get(f"/api/v1/query?query={every}", "chemistry:c")[1])
                self.assertNotIn("physics", get(f"/api/v1/query?query={every}", "chemistry:c")[1])
                for user in ("physics:c", "physics:", ":", "other:p"):
                    self.assertEqual(401, get(f"/api/v1/query?query={every}", user)[0], user)
                for path in ("/api/v1/status/tsdb", f"/api/v1/export?match[]={every}", f"/federate?match[]={every}", "/api/v1/rules", "/api/v1/alerts",
                             "/api/v1/import/prometheus", "/api/v1/admin/tsdb/delete_series?match[]=up", "/metrics", "/vmui/", "/api/v1/status/top_queries",
                             "/api/v1/query/../export?match[]=" + every):
                    status, text = get(path)
                    self.assertIn(status, (400, 404), path)
                    self.assertNotIn("chemistry", text)

    def test_rules(self):
        done = subprocess.run([BIN / "vmalert", "-dryRun", *RULES], capture_output=True, text=True)
        self.assertEqual(0, done.returncode, done.stderr)
        victoria = Victoria()
        with Fake("24.11.5") as fake, Daemon(fake, *EVERY_SECOND) as daemon, running("victoria-metrics", *victoria.options), \
                agent(daemon, victoria), \
                running("vmalert", *RULES, f"-datasource.url={victoria.url}", f"-remoteWrite.url={victoria.url}", "-notifier.blackhole",
                        "-evaluationInterval=1s", f"-httpListenAddr=127.0.0.1:{free_port()}") as log:
            daemon.wait_well()
            wait_until(lambda: victoria.query('{__name__=~"cluster.*:slurm_.*"}'), "what is recorded")
            self.assertNotRegex(log(), r"(?i)\berror\b.*(parse|unknown func|cannot)")
            # Each group of rules is evaluated by itself: not all alerts are there when the first is.
            wait_until(lambda: victoria.query('ALERTS{alertname="SlurmNodeDown"}'), "the alert, pending at least")


if __name__ == "__main__":
    unittest.main()
