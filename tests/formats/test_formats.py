#!/usr/bin/env python3
"""All formats say the same, and clients can read them. OpenMetrics is read by its rules and by Prometheus' own python
reader, protobuf by Google's. A real Prometheus 3 asks for both by itself and reads them. The cluster is the simulator's,
with jobs that wait, end and fail."""

import contextlib
import gzip
import http.client
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import openmetrics
import protobuf
from prometheus_client.openmetrics.parser import text_string_to_metric_families

TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "sim"), str(TESTS / "e2e")]
from certificates import make_authority, make_certificate  # noqa: E402
from fake_slurmrestd import Fake  # noqa: E402
from harness import PATIENCE, Daemon, wait_until  # noqa: E402
from prometheus import Prometheus  # noqa: E402
from test_config import are_up as is_well, of, two  # noqa: E402
from test_web import HASH, KEY_PAIR  # noqa: E402
from simulator import SLURMSCOPE, Simulator  # noqa: E402
from test_events import Exporter, short  # noqa: E402

CACHE = Path(os.environ.get("SLURMSCOPE_CACHE", "/var/cache/slurmscope"))
PROMETHEUS = str(CACHE / "prometheus/usr/bin/prometheus")
PROMETHEUS3 = str(CACHE / "prometheus-forky/usr/bin/prometheus")
OPENMETRICS = "application/openmetrics-text;version=1.0.0"
PROTOBUF = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited"
NATIVE = ("slurm_partition_job_eligible_wait_seconds", "slurm_partition_job_submit_wait_seconds", "slurm_partition_job_runtime_seconds",
          "slurm_account_job_eligible_wait_seconds", "slurm_account_job_runtime_seconds")
SCRAPES = 12  # at which two ways to count the same are compared
QUANTILES = (0.5001, 0.9001, 0.9901)  # of less than 10,000 jobs none is just between two, where either is right
CONFIG = """
global: {{scrape_interval: 1s, scrape_timeout: 1s}}
scrape_configs:
- job_name: slurmscope
  {more}
  static_configs: [{{targets: ["127.0.0.1:{port}"]}}]
"""


def key_of(name, labels):
    """A series whatever way its bound is written."""
    return name, tuple(sorted((key, str(float(text)) if key == "le" else text) for key, text in labels))


def text_samples(page):
    found = {}
    for line in page.decode().splitlines():
        if not line.startswith("#"):
            sample = openmetrics.read_sample(line)
            found[key_of(sample.name, sample.labels)] = sample.value
    return found


def openmetrics_samples(families):
    return {key_of(s.name, s.labels): s.value for family in families.values() for s in family.samples
            if not s.name.endswith("_created")}


def reader_samples(page):
    return {key_of(s.name, s.labels.items()): s.value for family in text_string_to_metric_families(page.decode())
            for s in family.samples}


def protobuf_samples(families):
    found = {}
    for family in families:
        for metric in family.metric:
            labels = protobuf.labels(metric.label)
            if metric.HasField("histogram"):
                histogram = metric.histogram
                for bucket in histogram.bucket:
                    found[key_of(f"{family.name}_bucket", (*labels, ("le", str(bucket.upper_bound))))] = \
                        bucket.cumulative_count
                found[key_of(f"{family.name}_sum", labels)] = histogram.sample_sum
                found[key_of(f"{family.name}_count", labels)] = histogram.sample_count
            else:
                found[key_of(family.name, labels)] = \
                    metric.counter.value if metric.HasField("counter") else metric.gauge.value
    return found


def exemplars_of(families):
    """{series: (job, value, time)} of protobuf's."""
    found = {}
    for family in families:
        for metric in family.metric:
            labels = protobuf.labels(metric.label)
            if metric.HasField("counter"):
                samples = [(family.name, labels, metric.counter)]
            else:
                samples = [(f"{family.name}_bucket", (*labels, ("le", str(bucket.upper_bound))), bucket)
                           for bucket in metric.histogram.bucket]
            for name, own, sample in samples:
                if sample.HasField("exemplar"):
                    exemplar = sample.exemplar
                    found[key_of(name, own)] = (protobuf.labels(exemplar.label), exemplar.value,
                                                exemplar.timestamp.seconds + exemplar.timestamp.nanos / 1e9)
    return found


class Formats(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        life = short()
        cls.folder = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="slurmscope-formats-"))
        cls.sim = cls.enterClassContext(Simulator("--speed=1", "--nodes=100", "--arrivals=20", "--epoch=0", *life.sim))
        cls.exporter = Exporter(cls.sim.url, cls.folder, [*life.scope, "--web.openmetrics-created"])
        cls.exporter.start()
        cls.addClassCleanup(cls.exporter.end, 15)
        cls.messages = protobuf.load()
        rows = [line.split("\t") for line in subprocess.run(
            [SLURMSCOPE, "--list-metrics"], capture_output=True, text=True, check=True).stdout.splitlines()]
        cls.listed = {name: kind for name, kind, *_ in rows}
        cls.labels = {name: set(filter(None, labels.split(","))) for name, _, labels, *_ in rows}
        wait_until(cls.has_failures, "jobs that have failed, waited and ended")

    @classmethod
    def has_failures(cls):
        page = cls.exporter.page() or {}
        return page.get('slurm_cluster_job_ends_total{state="failed"}', 0) > 3 and \
            sum(v for k, v in page.items() if k.startswith("slurm_partition_job_eligible_wait_seconds_count")) > 50

    def get(self, path="/metrics", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.exporter.port, timeout=PATIENCE)
        self.addCleanup(connection.close)
        connection.request("GET", path, headers={k.replace("_", "-"): v for k, v in headers.items()})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()

    def of_one_edition(self, fetch):
        """What it fetches while there is no newer one."""
        stamps = []

        def look():
            first = self.get("/metrics/exporter")[2]
            found = fetch()
            stamps[:] = [[line for line in page.decode().splitlines() if line.startswith("process_cpu_seconds_total ")]
                         for page in (first, self.get("/metrics/exporter")[2])]
            return found if stamps[0] == stamps[1] else None
        return wait_until(look, lambda: f"no page stays long enough: {stamps}")

    def same_edition(self, *accepts, path="/metrics", **headers):
        """The bodies that these get of the same edition."""
        return self.of_one_edition(lambda: [self.get(path, Accept=accept, **headers) for accept in accepts])

    def test_same_numbers(self):
        (_, types, text), (_, om_types, om), (_, pb_types, pb) = self.same_edition("text/plain", OPENMETRICS, PROTOBUF)
        self.assertEqual("text/plain; version=0.0.4; charset=utf-8", types["Content-Type"])
        self.assertEqual("application/openmetrics-text; version=1.0.0; charset=utf-8", om_types["Content-Type"])
        self.assertTrue(pb_types["Content-Type"].startswith("application/vnd.google.protobuf; proto=io.prom"))
        wanted, families = text_samples(text), openmetrics.read(om)
        self.assertGreater(len(wanted), 3000)
        self.assertEqual(wanted, openmetrics_samples(families))
        self.assertEqual(wanted, {k: v for k, v in reader_samples(om).items() if not k[0].endswith("_created")})
        decoded = protobuf.read(pb, self.messages)
        self.assertEqual(wanted, protobuf_samples(decoded))
        self.check_types(families, decoded)
        self.check_created(families, decoded)
        self.check_exemplars(families, decoded)
        self.check_natives(decoded)

    def check_types(self, families, decoded):
        for family in families.values():
            name = family.samples[0].name if family.kind in ("gauge", "info") else \
                f"{family.name}_total" if family.kind == "counter" else family.name
            self.assertEqual(self.listed[name], "gauge" if family.kind == "info" else family.kind)
        self.assertIn("info", {family.kind for family in families.values()})
        for family in decoded:
            self.assertEqual(self.listed[family.name].upper(), self.messages.MetricType.Name(family.type))
            om = families.get(family.name.removesuffix("_total").removesuffix("_info"), families.get(family.name))
            self.assertEqual((om.help, om.unit or ""), (family.help, family.unit))
        self.assertEqual({"seconds", "bytes", "ratio", "byte_seconds", None},
                         {family.unit for family in families.values()} - {"joules", "watts"})

    def check_created(self, families, decoded):
        """The same moment in both, and before now; counters of Slurm's own have none."""
        counters = {family.name: family for family in decoded}
        found = 0
        for family in families.values():
            times = {s.value for s in family.samples if s.name.endswith("_created")}
            if family.kind not in ("counter", "histogram"):
                continue
            metric = counters.get(family.name, counters.get(f"{family.name}_total")).metric[0]
            told = metric.counter if family.kind == "counter" else metric.histogram
            self.assertEqual(bool(times), told.HasField("created_timestamp"), family.name)
            if times:
                stamp = told.created_timestamp
                self.assertAlmostEqual(times.pop(), stamp.seconds + stamp.nanos / 1e9, 3)
                found += 1
        self.assertGreater(found, 40)
        self.assertFalse([s for s in families["slurm_scheduler_cycles"].samples if s.name.endswith("_created")])

    def check_exemplars(self, families, decoded):
        """The same in both; of jobs that slurmdbd knows to have ended so."""
        told = {key_of(s.name, s.labels): (s.exemplar.labels, s.exemplar.value, s.exemplar.time)
                for family in families.values() for s in family.samples if s.exemplar}
        self.assertEqual(told, exemplars_of(decoded))
        names = {name for name, _ in told}
        self.assertLessEqual({"slurm_cluster_job_ends_total", "slurm_node_job_failures_total",
                              *(f"{name}_bucket" for name in NATIVE)}, names)
        (labels, value, time), = [e for (name, own), e in told.items() if name == "slurm_cluster_job_ends_total"
                                  and dict(own)["state"] == "failed"]
        self.assertIn((["FAILED"], time), self.ends_of(dict(labels)["jobid"]))
        self.assertEqual(1, value)
        self.assertFalse([own for name, own in told if dict(own).get("state") == "completed"])

    def ends_of(self, job):
        """[(state, when)] of all runs of a job, as slurmdbd has them."""
        return [(run["state"]["current"], run["time"]["end"])
                for run in self.sim.json(f"/slurmdb/v0.0.45/jobs?step={job}")["jobs"]]

    def check_natives(self, decoded):
        for family in decoded:
            self.assertEqual(family.name in NATIVE, any(m.histogram.HasField("schema") for m in family.metric))
            if family.name in NATIVE:
                for metric in family.metric:
                    self.check_native(metric.histogram)

    def check_native(self, histogram):
        """As many observations as the classic buckets, and no more below any bound than there are."""
        found = protobuf.natives(histogram)
        self.assertEqual((2, 2 ** -128), (histogram.schema, histogram.zero_threshold))
        self.assertEqual(histogram.sample_count, sum(found.values()))
        for bucket in histogram.bucket:
            below = sum(count for index, count in found.items() if index is None or 2 ** (index / 4) <= bucket.upper_bound)
            touched = sum(count for index, count in found.items()
                          if index is None or 2 ** ((index - 1) / 4) < bucket.upper_bound)
            self.assertLessEqual(below, bucket.cumulative_count)
            self.assertLessEqual(bucket.cumulative_count, touched)

    def test_labels_are_listed(self):
        """Also of events and of the exporter's own families, which the golden pages lack."""
        seen = {}
        for series in self.exporter.page():
            name, _, labels = series.partition("{")
            family = name if name in self.listed else re.sub("_(bucket|sum|count)$", "", name)
            seen.setdefault(family, set()).update(re.findall(r'(\w+)="(?:[^"\\]|\\.)*"', labels))
        for family, labels in seen.items():
            of_histograms = {"le"} if self.listed[family] == "histogram" else set()
            self.assertLessEqual(labels - of_histograms, self.labels[family], family)
        events = {family for family in seen if re.search("^slurm_.*job_(submissions|ends|eligible_wait|failures)", family)}
        self.assertEqual(13, len(events), events)
        for family in events:
            self.assertEqual(self.labels[family] | ({"le"} if "wait" in family else set()), seen[family], family)

    def test_gzip(self):
        for accept in ("text/plain", OPENMETRICS, PROTOBUF):
            (_, plain_headers, plain), = self.same_edition(accept)

            def look():
                (_, headers, packed), (_, _, again) = self.same_edition(accept, accept, Accept_Encoding="gzip")
                (_, _, body), = self.same_edition(accept)
                return (headers, packed, again, body) if gzip.decompress(packed) == body else None
            headers, packed, again, body = wait_until(look, "gzip and identity of one edition")
            self.assertEqual(packed, again)
            self.assertEqual("gzip", headers["Content-Encoding"])
            self.assertEqual("Accept, Accept-Encoding", headers["Vary"])
            self.assertIsNone(plain_headers["Content-Encoding"])
            self.assertLess(len(packed), len(body) / 4)

    def test_parts(self):
        names = "cluster nodes partitions jobs job_rows job_events reservations licenses shares scheduler rpcs " \
                "accounting qos associations exporter".split()
        by_path, by_query = [f"/metrics/{name}" for name in names], [f"/metrics?collect[]={name}" for name in names]
        both = "/metrics?collect[]=nodes&collect%5B%5D=shares"
        answers = self.of_one_edition(lambda: {path: self.get(path) for path in (*by_path, *by_query, "/metrics", both)})
        self.assertEqual({200}, {status for status, *_ in answers.values()})
        found = {path: {series for series, _ in text_samples(body)} for path, (_, _, body) in answers.items()}
        told, whole, two = {name: found[path] for name, path in zip(names, by_path)}, found["/metrics"], found[both]
        self.assertEqual(told, {name: found[path] for name, path in zip(names, by_query)})
        self.assertEqual(whole, set().union(*told.values()))
        self.assertEqual(len(whole), sum(len(part) for part in told.values()))
        self.assertIn("slurm_cluster_nodes", told["nodes"])
        self.assertIn("slurm_partition_job_eligible_wait_seconds_bucket", told["job_events"])
        self.assertIn("process_cpu_seconds_total", told["exporter"])
        self.assertEqual(told["nodes"] | told["shares"], two)
        families = openmetrics.read(self.get("/metrics/nodes", Accept=OPENMETRICS)[2])
        self.assertIn("slurm_cluster_nodes", families)
        for path in ("/metrics/job", "/metrics?collect[]=nodes&collect[]=", "/metrics/nodes?collect[]=x", "/metrics?cluster=x"):
            status, headers, body = self.get(path)
            self.assertEqual((400, "text/plain; charset=utf-8"), (status, headers["Content-Type"]), path)
            if "cluster" not in path:
                self.assertIn("cluster, nodes, partitions, jobs", body.decode())
        self.assertEqual(404, self.get("/metrics/")[0])
        self.assertEqual(404, self.get("/metricsnodes")[0])

    def prometheus(self, program, *features, more="", port=None):
        flags = [f"--enable-feature={','.join(features)}"] if features else []
        return Prometheus(program, None, CONFIG.format(port=port or self.exporter.port, more=more), flags)

    def scrapes(self, form):
        return (self.exporter.page() or {}).get(f'slurmscope_scrapes_total{{format="{form}",code="200"}}', 0)

    def test_prometheus_openmetrics(self):
        """Each Prometheus asks for OpenMetrics by itself."""
        for program in (PROMETHEUS, PROMETHEUS3):
            before = self.scrapes("openmetrics")
            with self.prometheus(program, "exemplar-storage") as prometheus:
                wait_until(lambda: prometheus.value("up") == 1, prometheus.log.read_text)
                wait_until(lambda: self.scrapes("openmetrics") > before + 3, "scrapes in OpenMetrics")
                self.check_read_exemplars(prometheus)
                metadata = prometheus.get("metadata", metric="slurm_cluster_job_ends") or \
                    prometheus.get("metadata", metric="slurm_cluster_job_ends_total")
                self.assertEqual("counter", next(iter(metadata.values()))[0]["type"])
                self.assertNotRegex(prometheus.log.read_text(), "(?i)duplicate|append failed|invalid")

    def check_read_exemplars(self, prometheus):
        def look(query):
            rows = prometheus.get("query_exemplars", query=query, start=0, end=2e9) or []
            return [(row["seriesLabels"], exemplar) for row in rows for exemplar in row["exemplars"]]
        series, exemplar = wait_until(lambda: look('slurm_cluster_job_ends_total{state="failed"}'), "exemplars")[-1]
        self.assertIn((["FAILED"], float(exemplar["timestamp"])), self.ends_of(exemplar["labels"]["jobid"]))
        for series, exemplar in wait_until(lambda: look("slurm_partition_job_eligible_wait_seconds_bucket"), "exemplars of waits"):
            self.assertLessEqual(float(exemplar["value"]), float(series["le"]))

    @contextlib.contextmanager
    def guarded(self):
        """Another exporter of the same cluster, behind TLS and a password; and how Prometheus gets in."""
        with tempfile.TemporaryDirectory(prefix="slurmscope-guarded-") as folder:
            make_authority(folder, "site")
            make_certificate(folder, "server", "site", "IP:127.0.0.1")
            web = Path(folder, "web.yml")
            web.write_text(f"{KEY_PAIR}basic_auth_users:\n  prometheus: {HASH}\n")
            exporter = Exporter(self.sim.url, folder, [*short().scope, f"--web.config.file={web}"])
            exporter.start()
            try:
                yield exporter, (f"scheme: https\n  tls_config: {{ca_file: {folder}/site.pem}}\n"
                                 "  basic_auth: {username: prometheus, password: secret}\n")
            finally:
                exporter.end(signal.SIGTERM)

    def test_prometheus_native(self):
        """Over TLS with a password. Prometheus 3.5 has them behind a feature flag, later ones by scrape_native_histograms."""
        of_protobuf = 'slurmscope_scrapes_total{format="protobuf", code="200"}'
        with self.guarded() as (exporter, more), \
                self.prometheus(PROMETHEUS3, "native-histograms", "created-timestamp-zero-ingestion", "exemplar-storage",
                                more=more + "  always_scrape_classic_histograms: true", port=exporter.port) as prometheus:
            wait_until(lambda: prometheus.value("up") == 1, prometheus.log.read_text)
            wait_until(lambda: (prometheus.value(of_protobuf) or 0) > 3, "scrapes in protobuf")
            for family in NATIVE:
                self.check_quantiles(prometheus, family)
            self.check_started_at_zero(prometheus)
            self.check_read_exemplars(prometheus)
            self.assertNotRegex(prometheus.log.read_text(), "(?i)duplicate|append failed|invalid|mismatch")

    def check_quantiles(self, prometheus, family):
        """The native quantile is in the classic bucket where the classic one is, at each scrape. rate() guesses what happened
        at the ends of its time, for each classic bucket by itself, and for native ones together. So near a bound the two may
        differ, now and then."""
        bounds = sorted(float(dict(labels)["le"]) for labels in prometheus.query(f"sum by (le) ({family}_bucket)"))
        for quantile in QUANTILES:
            # of a window of seconds the highest hundredth is but what rate() guesses
            of_rates = [("rate({}[5s])", SCRAPES // 4)] if quantile < 0.9 else []
            for what, most in ("{}", 0), *of_rates:
                native, classic = (what.format(f"{family}{suffix}") for suffix in ("", "_bucket"))
                both = f'label_replace(histogram_quantile({quantile}, sum({native})), "of", "native", "", "") or ' \
                       f'label_replace(histogram_quantile({quantile}, sum by (le) ({classic})), "of", "classic", "", "")'
                found = wait_until(lambda: self.at_scrapes(prometheus, both), f"numbers of {both}")
                wrong = [numbers for numbers in found if not self.agree(numbers, bounds)]
                self.assertLessEqual(len(wrong), most, (both, wrong))
        count = f"sum(histogram_count({family})) - sum({family}_count)"
        self.assertEqual(0, wait_until(lambda: prometheus.query(count), count).popitem()[1])

    @staticmethod
    def agree(found, bounds):
        upper = next(bound for bound in bounds if found["classic"] <= bound)
        lower = max([0, *(bound for bound in bounds if bound < found["classic"])])
        # An exponential bucket may reach over the bound. A sum has the widest buckets of its parts: the zero that Prometheus
        # puts before a new series has one for each power of two.
        return lower / 2 <= found["native"] <= upper * 2

    def at_scrapes(self, prometheus, query):
        """Both numbers at the moment of each scrape that has them, for the last SCRAPES of these; None: there are fewer yet."""
        scrapes = prometheus.get("query", query="up[1m]") or {"result": []}
        times = [at for row in scrapes["result"] for at, value in row["values"] if value == "1"]
        found = [numbers for at in times if (numbers := self.two_numbers(prometheus, query, at))]
        return found[-SCRAPES:] if len(found) >= SCRAPES else None

    @staticmethod
    def two_numbers(prometheus, query, at):
        rows = (prometheus.get("query", query=query, time=at) or {"result": []})["result"]
        found = {row["metric"]["of"]: float(row["value"][1]) for row in rows}
        return found if len(found) == 2 and all(map(math.isfinite, found.values())) else None

    def check_started_at_zero(self, prometheus):
        """By the created timestamp the first increase is seen, although the first scrape came later."""
        def look(series):
            data = prometheus.get("query", query=f"{series}[1h]") or {"result": []}
            return [row["values"] for row in data["result"]]
        values = wait_until(lambda: look("slurm_cluster_job_starts_total"), "starts")[0]
        (began, value), *_ = values
        self.assertEqual("0", value)
        self.assertNotIn(began, [at for at, _ in wait_until(lambda: look("scrape_duration_seconds"), "scrapes")[0]], "it was scraped")


class TwoClusters(unittest.TestCase):
    """Their pages are one: each family once, with the samples of both."""

    def get(self, daemon, path, accept):
        connection = http.client.HTTPConnection("127.0.0.1", daemon.port, timeout=PATIENCE)
        self.addCleanup(connection.close)
        connection.request("GET", path, headers={"Accept": accept})
        answer = connection.getresponse()
        return answer.status, answer.read()

    def test_merged(self):
        with Fake() as first, Fake() as second, Daemon(None, config=two(first.url, second.url)) as daemon:
            daemon.wait_for(lambda page: all(is_well(of(name, page)) for name in ("alpha", "beta")), "both")
            families = openmetrics.read(self.get(daemon, "/metrics", OPENMETRICS)[1])
            clusters = {dict(sample.labels).get("cluster") for family in families.values() for sample in family.samples}
            self.assertEqual({"alpha", "beta", None}, clusters)
            self.assertEqual({"alpha", "beta"}, {dict(s.labels)["cluster"] for s in families["slurm_cluster_jobs"].samples})
            decoded = protobuf.read(self.get(daemon, "/metrics", PROTOBUF)[1], protobuf.load())
            self.assertEqual(len({family.name for family in decoded}), len(decoded))
            for query in ("cluster", "target"):
                alone = openmetrics.read(self.get(daemon, f"/metrics/jobs?{query}=beta", OPENMETRICS)[1])
                self.assertEqual({"beta"}, {dict(s.labels).get("cluster") for f in alone.values() for s in f.samples})
            status, body = self.get(daemon, "/metrics?cluster=gamma", OPENMETRICS)
            self.assertEqual((400, b'there is no cluster "gamma", or slurmscope has no data of it yet\n'), (status, body))


if __name__ == "__main__":
    unittest.main()
