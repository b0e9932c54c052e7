"""What the stories of test_alerts.py happen under: the examples of deploy/prometheus in a hurry. Prometheus and
Alertmanager watch a slurmscope and tell a webhook."""

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path += [str(HERE.parent / "e2e"), str(HERE.parent / "dashboards")]
from alertmanager import Alertmanager  # noqa: E402
from harness import wait_until  # noqa: E402
from prometheus import Prometheus  # noqa: E402
from webhook import Webhook  # noqa: E402

EXAMPLES = ROOT / "deploy/prometheus"
RUNBOOKS = ROOT / "dashboards/runbooks"
ALWAYS = "SlurmscopeWatchdog"  # fires, whatever happens
CLUSTER = "alpha"  # as the scrape configuration calls it
PATIENCE = 300
# What Prometheus leaves in a text where a template failed.
NOT_FILLED_IN = ("{{", "}}", "%(", "%!", "<no value>", "<error", "NaN", "Inf")


def prometheus_config(rules, scrape, tell):
    config = yaml.safe_load((EXAMPLES / "prometheus.yml").read_text())
    config["global"] = {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"}
    config["rule_files"] = [str(rules / name) for name in config["rule_files"]]
    config["alerting"]["alertmanagers"][0]["static_configs"][0]["targets"] = [tell]
    config["scrape_configs"][0]["static_configs"] = [{"targets": [scrape], "labels": {"cluster": CLUSTER}}]
    return yaml.safe_dump(config)


def alertmanager_config(url):
    """Routes and inhibitions stay; every notification is sent at once."""
    config = yaml.safe_load((EXAMPLES / "alertmanager.yml").read_text())
    for route in (config["route"], *config["route"]["routes"]):
        route |= {"group_wait": "1s", "group_interval": "1s"}
    for receiver in config["receivers"]:
        if receiver["name"] == "dead-mans-switch":
            del receiver["webhook_configs"]
        else:
            receiver["webhook_configs"] = [{"url": url}]
    return yaml.safe_dump(config)


def check_texts(message):
    """They are there, filled in, and say of which cluster."""
    for text in message.annotations.values():
        assert not any(trace in text for trace in NOT_FILLED_IN), f"{message}: {text}"
    assert message.annotations["summary"].endswith("."), message
    assert f" of {CLUSTER}" in message.annotations["description"], f"{message}: {message.annotations}"
    assert (RUNBOOKS / message.annotations["runbook"].rpartition("/")[2]).is_file(), message


class Alerting(contextlib.ExitStack):
    """The three of them; what they say of the slurmscope."""

    def __init__(self, daemon):
        super().__init__()
        folder = Path(self.enter_context(tempfile.TemporaryDirectory(prefix="slurmscope-alerting-")))
        subprocess.run(["jsonnet", "--string", "--multi", folder, ROOT / "tests/dashboards/hurry.jsonnet"],
                       check=True, stdout=subprocess.DEVNULL)
        self.webhook = self.enter_context(Webhook())
        config = folder / "alertmanager.yml"
        config.write_text(alertmanager_config(self.webhook.url))
        self.alertmanager = self.enter_context(Alertmanager(config))
        self.prometheus = self.enter_context(Prometheus(
            os.environ.get("PROMETHEUS", "prometheus"), daemon,
            prometheus_config(folder, f"127.0.0.1:{daemon.port}", self.alertmanager.url.removeprefix("http://"))))

    def silenced(self):
        """{alert's name: whether all of it is inhibited} of those that fire now"""
        names = {}
        for alert in self.alertmanager.alerts():
            name = alert["labels"]["alertname"]
            if name == ALWAYS:
                continue
            names[name] = bool(alert["status"]["inhibitedBy"]) and names.get(name, True)
        return names

    def firing(self):
        """What the webhook knows to have begun and not ended; None while Prometheus or Alertmanager have more to say."""
        data = self.prometheus.get("alerts")
        if data is None or any(alert["state"] != "firing" for alert in data["alerts"]):
            return None
        fires = {frozenset(alert["labels"].items()) for alert in data["alerts"] if alert["labels"]["alertname"] != ALWAYS}
        told = {}
        for message in self.webhook.messages():
            told[frozenset(message.labels.items())] = message
        told = {labels: message for labels, message in told.items() if message.is_firing}
        silent = {frozenset(alert["labels"].items()) for alert in self.alertmanager.alerts()
                  if alert["status"]["inhibitedBy"]}
        return list(told.values()) if fires - silent == told.keys() - silent else None


class Story:
    """One trouble, from its beginning to its end, and the messages about it."""

    def __init__(self, alerting, title):
        self.alerting, self.title = alerting, title
        self.fired = []
        self.said = len(alerting.webhook.messages())
        self.begun = self.ended = time.monotonic()
        self.first_after = self.resolved_after = None
        print(f"\n{title}", flush=True)

    def say(self, since, at, text):
        print(f"  {at - since:6.1f} s  {text}", flush=True)

    def wait_for(self, is_wanted, what):
        def look():
            return next((m for m in self.alerting.webhook.messages()[self.said:] if is_wanted(m)), None)
        return wait_until(look, lambda: f"{what}; told of: {[str(m) for m in self.alerting.webhook.messages()]}; "
                          f"fire: {self.alerting.prometheus.get('alerts')}", PATIENCE)

    def fires(self, name, **labels):
        """The message that tells of it."""
        labels |= {"cluster": CLUSTER}
        message = self.wait_for(lambda m: m.is_firing and m.is_of(name, labels), f"{name} {labels}")
        check_texts(message)
        self.fired.append(message)
        self.first_after = self.first_after or message.at - self.begun
        self.say(self.begun, message.at, f"told of {message}: {message.annotations['description']}")
        return message

    def silences(self, *but, over):
        """Of all alerts that fire the webhook hears only of `but`; those of `over` are among the silent ones."""
        def look():
            silenced = self.alerting.silenced()
            return set(over) <= silenced.keys() and all(
                silent != (name in but) for name, silent in silenced.items()) and silenced
        silenced = wait_until(look, lambda: f"silence but for {but}: {self.alerting.silenced()}", PATIENCE)
        self.say(self.begun, time.monotonic(), f"silent meanwhile: {', '.join(sorted(silenced.keys() - set(but)))}")

    def mends(self):
        self.ended = time.monotonic()
        self.say(self.begun, self.ended, "mended")

    def resolves(self):
        """The webhook hears of the end of each alert that it heard of."""
        for fired in self.fired:
            message = self.wait_for(lambda m: not m.is_firing and (m.labels, m.begun) == (fired.labels, fired.begun),
                                    f"{fired} to end")
            self.say(self.ended, message.at, f"after that: {fired.name} is resolved")
            self.resolved_after = message.at - self.ended
