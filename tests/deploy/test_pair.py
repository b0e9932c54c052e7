"""Two Prometheus and two Alertmanagers as deploy/prometheus/prometheus-pair.yml has them, on one slurmscope. Both know the
same, Slurm gets no more requests, and people get each message once. That still holds when one of each is gone."""

import collections
import contextlib
import math
import os
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import yaml

from alertmanager import Alertmanager
from fake_slurmrestd import Fake, edited
from harness import EVERY_SECOND, Daemon, free_port, wait_until
from prometheus import Prometheus
from webhook import Webhook

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "deploy/prometheus"
CACHE = Path(os.environ.get("SLURMSCOPE_CACHE", "/var/cache/slurmscope"))
BIN = [CACHE / name / "usr/bin" for name in ("prometheus", "prometheus-forky")]
# Seconds that the second Alertmanager gives the first to report a message. The default of 15 may be too short on a slow
# machine.
PEER_TIMEOUT = 60
ALERT = "SlurmNodeDown"


class Posts(Webhook):
    """Also counts equal messages: {(turn, alerts with their states): messages}. When a scrape fails, alerts end and begin
    again: each change is another turn."""

    def __init__(self):
        super().__init__()
        self.messages_of = collections.Counter()
        self.turn, self.states = 0, set()

    def note(self, alerts):
        super().note(alerts)
        of_interest = [(alert["fingerprint"], alert["status"]) for alert in alerts if alert["labels"]["alertname"] == ALERT]
        if of_interest:
            with self.lock:
                states = {now for _, now in of_interest}
                self.turn += states != self.states
                self.states = states
                self.messages_of[self.turn, tuple(sorted(of_interest))] += 1

    def counts(self, status):
        with self.lock:
            return {key: count for key, count in self.messages_of.items() if all(now == status for _, now in key[1])}

    def last(self, status):
        """Does the last message have this status?"""
        with self.lock:
            return self.states == {status}


class Pair(contextlib.ExitStack):
    def __init__(self, daemon, knows_each_other=True):
        super().__init__()
        folder = Path(self.enter_context(tempfile.TemporaryDirectory(prefix="slurmscope-pair-")))
        subprocess.run(["jsonnet", "--string", "--multi", folder, ROOT / "tests/dashboards/hurry.jsonnet"],
                       check=True, stdout=subprocess.DEVNULL)
        self.webhook = self.enter_context(Posts())
        config = yaml.safe_load((EXAMPLES / "alertmanager.yml").read_text())
        for route in (config["route"], *config["route"]["routes"]):
            route |= {"group_wait": "1s", "group_interval": "1s"}
        for receiver in config["receivers"]:
            receiver["webhook_configs"][0]["url"] = self.webhook.url
        (folder / "alertmanager.yml").write_text(yaml.safe_dump(config))
        gossip = [f"127.0.0.1:{free_port()}" for _ in range(2)]
        self.alertmanagers = [self.enter_context(Alertmanager(folder / "alertmanager.yml", *(
            [f"--cluster.listen-address={mine}", f"--cluster.advertise-address={mine}", f"--cluster.peer={other}", f"--cluster.peer-timeout={PEER_TIMEOUT}s"]
            if knows_each_other else ["--cluster.listen-address="]))) for mine, other in (gossip, reversed(gossip))]

        config = yaml.safe_load((EXAMPLES / "prometheus-pair.yml").read_text())
        config["global"] |= {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"}
        config["rule_files"] = [str(folder / name) for name in config["rule_files"]]
        tell = config["alerting"]["alertmanagers"][0]["static_configs"][0]
        assert len(tell["targets"]) == 2
        tell["targets"] = [manager.url.removeprefix("http://") for manager in self.alertmanagers]
        config["scrape_configs"][0]["static_configs"][0]["targets"] = [f"127.0.0.1:{daemon.port}"]
        self.prometheus = [self.enter_context(Prometheus(BIN[1] / "prometheus", daemon, yaml.safe_dump(config),
                                                         environment={"PROMETHEUS_REPLICA": name})) for name in "ab"]

    def alerts(self):
        return [{alert["fingerprint"]: alert["labels"] for alert in manager.alerts() if alert["labels"]["alertname"] == ALERT}
                for manager in self.alertmanagers]


def idle(answer, name):
    for node in answer["nodes"]:
        node["state"] = ["IDLE"]


class Pairs(unittest.TestCase):
    def test_example_is_valid(self):
        for folder in BIN:
            done = subprocess.run([folder / "promtool", "check", "config", EXAMPLES / "prometheus-pair.yml"], capture_output=True, text=True)
            self.assertEqual(0, done.returncode, done.stdout + done.stderr)

    def test_pair(self):
        with Fake("24.11.5") as fake, Daemon(fake, *EVERY_SECOND) as daemon:
            daemon.wait_well()
            with Pair(daemon) as pair:
                self.check_same(pair)
                self.check_asked(fake, daemon)
                self.check_told_once(pair)
                self.check_one_of_each(fake, pair)

    def check_same(self, pair):
        def series(prometheus):
            return {key: value for key, value in prometheus.query('{__name__=~"slurm_.+",__name__!~".*_(total|bucket|sum|count)|.*_seconds.*"}').items()}

        def differ():
            one, other = map(series, pair.prometheus)
            return len(one) < 500 or {key for key in one.keys() | other.keys()
                                      if not math.isclose(one.get(key, math.nan), other.get(key, math.nan))}
        wait_until(lambda: not differ(), lambda: differ() is True or list(differ())[:5])
        replicas = [prometheus.get("status/config")["yaml"] for prometheus in pair.prometheus]
        self.assertEqual([True, True], [f"prometheus_replica: {name}" in text for name, text in zip("ab", replicas)])

    def check_asked(self, fake, daemon):
        """Two scrapers are seen, and Slurm is asked what the intervals say."""
        def scrapes():
            return sum(value for series, value in daemon.page().items() if series.startswith("slurmscope_scrapes_total"))

        def look():
            begun, before, asked = time.monotonic(), scrapes(), fake.count("ping")
            wait_until(lambda: fake.count("ping") > asked + 8, "nine pings more")
            more, pings = scrapes() - before, fake.count("ping") - asked
            passed = time.monotonic() - begun
            self.assertLess(pings, passed + 3)
            print(f"{more:.0f} scrapes and {pings} pings in {passed:.0f} s")
            return more > 1.3 * passed
        wait_until(look, "two scrapers, each once a second")

    def check_told_once(self, pair):
        def both():
            one, other = pair.alerts()
            return one if one and one.keys() == other.keys() else None
        alerts = wait_until(both, lambda: f"the alerts of both Prometheus are the same: {pair.alerts()}")
        self.assertNotIn("prometheus_replica", set().union(*alerts.values()))
        wait_until(lambda: pair.webhook.last("firing"), "nobody is told")
        # the one that has not sent the begin hears that the other one did; later it sends the end without it
        wait_until(lambda: any(manager.hears_of_its_peer() for manager in pair.alertmanagers), "neither hears what the other one told")

    def check_one_of_each(self, fake, pair):
        for one in (pair.prometheus[0], pair.alertmanagers[0]):
            one.process.kill()
            one.process.wait()
        fake.behave(edited(idle), ["nodes"])
        wait_until(lambda: pair.webhook.last("resolved"), lambda: f"the end is not told: {pair.webhook.messages_of}")
        for status in "firing", "resolved":
            self.assertEqual({1}, set(pair.webhook.counts(status).values()), pair.webhook.messages_of)

    def test_strangers(self):
        """Two Alertmanagers that do not know each other tell everything twice: so would the first test see it."""
        with Fake("24.11.5") as fake, Daemon(fake, *EVERY_SECOND) as daemon:
            daemon.wait_well()
            with Pair(daemon, knows_each_other=False) as pair:
                wait_until(lambda: 2 in pair.webhook.counts("firing").values(), lambda: str(pair.webhook.messages_of))


if __name__ == "__main__":
    unittest.main(verbosity=2)
