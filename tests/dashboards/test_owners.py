"""A real Alertmanager with deploy/prometheus/alertmanager-owners.yml put into alertmanager.yml, as it says: each user gets one
message about all of the own jobs, at the own address. What is no login name gets none: user support hears of that."""

import re
import tempfile
import time
import unittest
from pathlib import Path

import yaml
from alertmanager import BIN, PATIENCE, Alertmanager
from mail import Mail
from test_rules import ROOT, alerts, run
from webhook import Webhook

EXAMPLES = ROOT / "deploy/prometheus"
OWNERS = EXAMPLES / "alertmanager-owners.yml"
NOBODY = ("other", "root", "", "u-e5dac78553933b24", "eve,bob@example.com", "Eve <eve", "eve@evil", "eve\nBcc: bob", "x" * 33, "-f")


def merged():
    """As its first lines say."""
    whole, owners = (yaml.safe_load((EXAMPLES / name).read_text()) for name in ("alertmanager.yml", OWNERS.name))
    whole["global"] = owners["global"]
    whole["route"]["routes"][:0] = owners["route"]["routes"]
    whole["receivers"] += [receiver for receiver in owners["receivers"] if receiver["name"] == "owner"]
    return whole


def fired(name, **labels):
    of_alert = next(alert["labels"] for alert in alerts() if alert["alert"] == name)
    return {"alertname": name, **of_alert, **{name: text for name, text in labels.items() if text}}


class Owners(unittest.TestCase):
    def test_is_valid(self):
        for text in (OWNERS.read_text(), yaml.safe_dump(merged())):
            with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
                file.write(text)
                file.flush()
                status, said = run(BIN / "amtool", "check-config", file.name)
                self.assertEqual(0, status, said)

    def test_dashboard_is_there(self):
        uid = re.search(r"/d/([\w-]+)\?var-user", OWNERS.read_text())[1]
        self.assertIn(f'"uid": "{uid}"', (ROOT / "dashboards/grafana/myjobs.json").read_text())

    def test_who_gets_what(self):
        config = merged()
        with Mail() as mail, Webhook() as support, tempfile.TemporaryDirectory() as folder:
            config["global"]["smtp_smarthost"] = mail.address
            for receiver in config["receivers"]:
                for hook in receiver.get("webhook_configs", ()):
                    hook["url"] = support.url
            text = yaml.safe_dump(config)
            for name in ("group_wait", "group_interval"):
                text = re.sub(rf"{name}: \d+[mhs]", f"{name}: 1s", text)
            file = Path(folder, "alertmanager.yml")
            file.write_text(text)
            with Alertmanager(file) as alertmanager:
                alertmanager.post([fired("SlurmUserJobsFailing", user="alice", cluster="c1"),
                                   fired("SlurmUserJobsFailing", user="alice", cluster="c2"),
                                   fired("SlurmGPUsIdle", user="alice", cluster="c1"),
                                   fired("SlurmGPUsIdle", user="bob_2", cluster="c1"),
                                   fired("SlurmUserJobsFailing", user="carol", cluster="c9") | {"audience": "ticket"},
                                   *(fired("SlurmUserJobsFailing", user=name, cluster=f"d{number}") for number, name in enumerate(NOBODY))],
                                  {"summary": "A summary.", "description": "What to do."})
                end = time.monotonic() + PATIENCE
                told = set()
                while len(mail.letters()) < 2 or len(told) <= len(NOBODY):
                    told = {message.labels["cluster"] + message.labels["audience"] for message in support.messages()}
                    self.assertLess(time.monotonic(), end, (mail.letters(), told, alertmanager.said()[-3000:]))
                    time.sleep(0.1)
        letters = mail.letters()
        self.assertEqual([["alice@example.org"], ["bob_2@example.org"]], sorted(to for to, _ in letters))
        for to, letter in letters:
            body = letter.get_body(("plain",)).get_content()
            self.assertEqual(3 if to == ["alice@example.org"] else 1, body.count("\n- "), body)
            self.assertIn("- A summary. What to do.", body)
            self.assertIn("A summary.", letter["Subject"])
            self.assertIn(f"var-user={to[0].partition('@')[0]}", body)
            self.assertEqual("support@example.org", letter["Reply-To"])
        self.assertEqual({f"d{number}user_support" for number in range(len(NOBODY))} | {"c9ticket"}, told)


if __name__ == "__main__":
    unittest.main(verbosity=2)
