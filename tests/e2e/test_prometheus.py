"""A real Prometheus reads the daemon, and promtool finds nothing to say about its pages."""

import json
import os
import re
import subprocess
import unittest
from pathlib import Path

import yaml

import fake_slurmrestd as fakes
from fake_slurmrestd import ALL_RELEASES, ENDPOINTS, Fake, edited
from harness import EVERY_SECOND, PATIENCE, Daemon, all_at_once, run, wait_until
from prometheus import Prometheus

EXAMPLES = Path(__file__).resolve().parents[2] / "deploy/prometheus"


def series_of(page):
    """{labels as Prometheus has them: value} of a page."""
    found = {}
    for series, value in page.items():
        name, _, labels = series.partition("{")
        pairs = re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', labels)
        plain = {key: re.sub(r"\\(.)", lambda c: "\n" if c[1] == "n" else c[1], text)
                 for key, text in pairs}
        # Prometheus leaves out labels without a value
        found[same_bound({"__name__": name, **{key: text for key, text in plain.items() if text}}.items())] = value
    return found


def same_bound(pairs):
    """Labels as a sorted tuple; bounds are written in two ways (1, 1.0), by the format that was asked for."""
    return tuple(sorted((key, str(float(text)) if key == "le" else text) for key, text in pairs))


def hostile(answer, name):
    """What users may call things; a whole scrape is lost if one of them is not escaped."""
    names = ['quote"', "back\\slash", "new\nline", "tab\t", "\x7f\x1b[2J", "\udcff\udcfe",
             "nul\0nul", '{a="b"} 1', "ünï ∞ 🐟", "x" * 3000, "# TYPE x gauge", ""]
    for number, job in enumerate(answer["jobs"]):
        for key in ("user_name", "account", "partition", "qos", "name", "state_reason"):
            job[key] = names[number % len(names)]


class Scrapes(unittest.TestCase):
    def scrape(self, program, behaviour=fakes.normal):
        with Fake() as fake:
            fake.behave(behaviour, ["jobs"])
            with Daemon(fake, *EVERY_SECOND) as daemon:
                daemon.wait_well()
                with Prometheus(program, daemon) as prometheus:
                    self.check_page(daemon, prometheus)
                    self.check_outage(fake, prometheus)

    def check_page(self, daemon, prometheus):
        wait_until(lambda: prometheus.value("up") == 1, prometheus.log.read_text)
        target = {"instance": f"127.0.0.1:{daemon.port}", "job": "slurmscope"}

        def is_same():
            self.mine = {key: value for key, value in series_of(daemon.page()).items()
                         if key[0][1].startswith("slurm_")}
            self.theirs = {same_bound(pair for pair in key if pair not in target.items()): value
                           for key, value in prometheus.query('{__name__=~"slurm_.+"}').items()}
            return self.theirs == self.mine
        wait_until(is_same, lambda: str(dict(list(self.theirs.items() ^ self.mine.items())[:8])))
        self.assertGreater(len(self.mine), 300)
        self.assertGreater(sum(value for key, value in self.mine.items()
                               if ("__name__", "slurm_cluster_jobs") in key), 10)

        def counts_are_same():
            page = len(daemon.page())
            return page == prometheus.value("scrape_samples_scraped") == \
                prometheus.value("scrape_samples_post_metric_relabeling") == \
                prometheus.value('count({__name__=~"slurm.*|process_.*"})')
        wait_until(counts_are_same, "as many samples as on the page")

        def health():
            target, = prometheus.get("targets")["activeTargets"]
            return target["health"], target["lastError"]
        wait_until(lambda: health() == ("up", ""), health)
        self.assertEqual([], prometheus.get("rules")["groups"])
        self.assertNotRegex(prometheus.log.read_text(), "(?i)duplicate|out of order|append failed")

    def check_outage(self, fake, prometheus):
        up = f'slurmscope_endpoint_up{{endpoint=~"{"|".join(ENDPOINTS)}"}}'
        fake.refuse()
        wait_until(lambda: prometheus.value(f"sum({up})") == 0, "endpoints down")
        wait_until(lambda: prometheus.value("up") == 1 and prometheus.value(f"count({up})") == len(ENDPOINTS) and
                   prometheus.value("slurm_cluster_jobs") is not None, "scraped all the same")
        wait_until(lambda: prometheus.value("slurm_controller_up") is None, "controller unknown")
        fake.open()
        wait_until(lambda: prometheus.value(f"sum({up})") == len(ENDPOINTS),
                   "endpoints up")
        # but for those that took their second, as any may when the machine pauses
        failed = "max_over_time((up == 0 and scrape_duration_seconds < 0.9)[1h:250ms])"
        self.assertEqual(1, prometheus.value(f"max_over_time(up[1h]) unless {failed}"))


class SeveralClusters(unittest.TestCase):
    """The example, with a label `cluster` of the target, and a slurmscope that has them, too."""
    def test_honor_labels(self):
        config = "".join(f"  {name}: {{slurmrestd: {{url: '{{url}}', token-file: '{{folder}}/token'}}}}\n" for name in ("alpha", "beta"))
        example = (EXAMPLES / "prometheus.yml").read_text()
        with Fake() as fake, Daemon(fake, *EVERY_SECOND, config="clusters:\n" + config.replace("{url}", fake.url)) as daemon:
            for line, names in ("  # honor_labels: true", {"alpha", "beta"}), ("", {"target"}):
                text = example.replace("# labels: {cluster: alpha}", "labels: {cluster: target}").replace(line, line.replace("# ", ""))
                scrape, = yaml.safe_load(text)["scrape_configs"]
                self.assertEqual(bool(line), scrape.get("honor_labels", False))
                scrape |= {"scrape_interval": "1s", "scrape_timeout": "1s"}
                scrape["static_configs"][0]["targets"] = [f"127.0.0.1:{daemon.port}"]
                with Prometheus("prometheus", daemon, json.dumps({"scrape_configs": [scrape]})) as prometheus:
                    found = wait_until(lambda: len(found := prometheus.query("slurm_cluster_info")) == 2 and found, prometheus.log.read_text)
                    self.assertEqual(names, {dict(labels)["cluster"] for labels in found})


for variable, default in (("PROMETHEUS", "prometheus"), ("PROMETHEUS3", None)):
    if path := os.environ.get(variable, default):
        for what, behaviour in (("recorded", fakes.normal), ("hostile", edited(hostile))):
            setattr(Scrapes, f"test_{variable.lower()}_{what}",
                    lambda self, path=path, behaviour=behaviour: self.scrape(path, behaviour))


class Promtool(unittest.TestCase):
    def check(self, release, version, behaviour=fakes.normal):
        with Fake(release, [version], wants_token=False) as fake:
            fake.behave(behaviour, ["jobs"])
            page = run("--once", f"--slurmrestd.url={fake.url}")
        self.assertEqual(0, page.returncode, page.stderr)
        self.assertGreater(len(page.stdout), 10_000)
        checked = subprocess.run(["promtool", "check", "metrics"], input=page.stdout, text=True,
                                 capture_output=True, timeout=PATIENCE)
        self.assertEqual((0, "", ""), (checked.returncode, checked.stdout, checked.stderr))

    def test_hostile_names(self):
        self.check("26.05.5", "v0.0.45", edited(hostile))

    def test_no_jobs(self):
        self.check("26.05.5", "v0.0.45", edited(lambda answer, name: answer.update({name: []})))


for release, versions in ALL_RELEASES.items():
    for version in versions:
        setattr(Promtool, f"test_{release}_{version}".replace(".", "_"),
                lambda self, at=(release, version): self.check(*at))


def load_tests(loader, tests, pattern):
    return all_at_once(tests)


if __name__ == "__main__":
    unittest.main()
