"""The example configurations are valid, and in a real Alertmanager causes silence what follows from them."""

import re
import time
import unittest

import yaml
from alertmanager import BIN, PATIENCE, Alertmanager
from test_rules import PROMTOOLS, ROOT, SEVERITIES, alerts, run

CONFIG = ROOT / "deploy/prometheus/alertmanager.yml"
FORGETS_AFTER = 120 * 3600  # Alertmanager's default of --data.retention


def inhibit_rules():
    return yaml.safe_load(CONFIG.read_text())["inhibit_rules"]


def matcher(text):
    label, operator, value = re.fullmatch(r'(\w+)(=|=~|!~|!=)"([^"]*)"', text).groups()
    if operator in ("=", "!="):
        value = re.escape(value)
    return lambda labels: bool(re.fullmatch(value, labels.get(label, ""))) == (operator[0] == "=")


def matched(matchers, kinds):
    tests = [matcher(text) for text in matchers]
    return [kind for kind in kinds if all(test(kind) for test in tests)]


def kinds():
    """One of each alert and severity, with what its labels may be."""
    for alert in alerts():
        labels = {"alertname": alert["alert"], **alert["labels"]}
        if alert["alert"] == "SlurmscopeDataStale":
            yield from (labels | {"endpoint": endpoint} for endpoint in ("nodes", "dbd_jobs", "qos"))
        else:
            yield labels


class Inhibition(unittest.TestCase):
    def test_examples_are_valid(self):
        status, said = run(BIN / "amtool", "check-config", CONFIG)
        self.assertEqual(0, status, said)
        for promtool in PROMTOOLS:
            status, said = run(promtool, "check", "config", ROOT / "deploy/prometheus/prometheus.yml")
            self.assertEqual(0, status, said)
            self.assertEqual(4, said.count("SUCCESS"), said)

    def test_names_exist(self):
        names = {alert["alert"] for alert in alerts()}
        for text in re.findall(r'alertname[=!]~?"([^"]*)"', CONFIG.read_text()):
            for name in text.split("|"):
                self.assertTrue(any(re.fullmatch(name, known) for known in names), name)

    def test_each_audience_has_a_receiver(self):
        """As Alertmanager routes it, and a message is repeated before it forgets that it was sent."""
        receivers = {}
        for audience in sorted({alert["labels"]["audience"] for alert in alerts()}):
            status, said = run(BIN / "amtool", "config", "routes", "test", f"--config.file={CONFIG}", f"audience={audience}")
            self.assertEqual(0, status, said)
            receivers[audience] = said.strip()
        self.assertEqual(set(SEVERITIES), set(receivers))
        self.assertEqual(len(SEVERITIES), len(set(receivers.values())), receivers)
        config = yaml.safe_load(CONFIG.read_text())
        for route in (config["route"], *config["route"]["routes"]):
            for name in ("group_interval", "repeat_interval"):
                if name in route:
                    number, unit = re.fullmatch(r"(\d+)([mh])", route[name]).groups()
                    self.assertLess(int(number) * {"m": 60, "h": 3600}[unit], FORGETS_AFTER, route)

    def test_nothing_less_silences_a_page(self):
        """Each page in a cluster of its own, beside all that is none, in a real Alertmanager. SlurmscopeAbsent is of no cluster."""
        pages = [kind for kind in kinds() if kind["audience"] == "page" and kind["alertname"] != "SlurmscopeAbsent"]
        others = [kind for kind in kinds() if kind["audience"] != "page"]
        self.assertTrue(pages and others)
        fired = [labels | {"cluster": f"c{number}"} for number, page in enumerate(pages) for labels in (page, *others)]
        with Alertmanager(CONFIG) as alertmanager:
            alertmanager.post(fired)
            inhibited = self.wait_for(alertmanager, {self.key(labels) for labels in fired})
        for labels in fired:
            if labels["audience"] in ("page", "watchdog"):
                with self.subTest(labels):
                    self.assertFalse(inhibited[self.key(labels)])

    def pairs(self):
        """(rule, cause, consequence) of all rules"""
        for rule in inhibit_rules():
            causes = matched(rule["source_matchers"], kinds())
            follow = matched(rule["target_matchers"], kinds())
            self.assertTrue(causes and follow, rule)
            for cause in causes:
                for consequence in follow:
                    same = all(cause.get(label) == consequence.get(label)
                               for label in rule.get("equal", []) if label != "cluster")
                    if same:
                        yield rule, cause, consequence

    def test_causes_silence_consequences(self):
        """Each pair in a cluster of its own, and each alert alone in another."""
        pairs = list(self.pairs())
        self.assertGreater(len(pairs), 80)
        for rule in inhibit_rules():
            self.assertIn(rule, [of for of, _, _ in pairs])
        together = []
        for number, (rule, cause, consequence) in enumerate(pairs):
            cluster = {"cluster": f"c{number}"}
            # what says that there is none has no cluster
            together.append((cause | cluster, consequence | (cluster if rule.get("equal") else {})))
        alone = [labels | {"cluster": f"alone{number}"} for number, labels in enumerate(kinds())
                 if labels["alertname"] != "SlurmscopeAbsent"]
        fired = [labels for pair in together for labels in pair] + alone
        with Alertmanager(CONFIG) as alertmanager:
            alertmanager.post(fired)
            inhibited = self.wait_for(alertmanager, {self.key(labels) for labels in fired})
        for cause, consequence in together:
            with self.subTest(cause=cause, consequence=consequence):
                self.assertTrue(inhibited[self.key(consequence)])
                self.assertFalse(inhibited[self.key(cause)])
        for labels in alone:
            with self.subTest(alone=labels):
                self.assertFalse(inhibited[self.key(labels)])
        print(f"{len(inhibit_rules())} inhibition rules, {len(pairs)} pairs")

    @staticmethod
    def key(labels):
        return tuple(sorted(labels.items()))

    def wait_for(self, alertmanager, expected):
        """{labels: whether it is inhibited}. Alertmanager looks for causes at one alert after the other. So when it has seen a last
        one, it has seen all."""
        cause, consequence = next((cause | {"cluster": "last"}, consequence | {"cluster": "last"})
                                  for rule, cause, consequence in self.pairs() if "cluster" in rule.get("equal", ()))
        alertmanager.post([cause, consequence])
        end = time.monotonic() + PATIENCE
        while True:
            now = {self.key(alert["labels"]): bool(alert["status"]["inhibitedBy"])
                   for alert in alertmanager.alerts()}
            if expected <= set(now) and now.get(self.key(consequence)):
                return now
            self.assertLess(time.monotonic(), end, expected - set(now))
            time.sleep(0.1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
