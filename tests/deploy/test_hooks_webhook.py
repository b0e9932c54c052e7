"""Debian's webhook, and a real Alertmanager before it, with what deploy/hooks and deploy/prometheus have for them. Slurm is two
scripts; tests/cluster/test_hooks.py has a real one."""

import json
import re
import time
import unittest

from alertmanager import BIN, Alertmanager
from harness import free_port
from hooks import PATIENCE, ROOT, Site, Webhook, alertmanager_config, node
from test_hooks import DRAIN
from test_rules import run
from webhook import Webhook as People

EXAMPLES = ROOT / "deploy/prometheus"


def message(*alerts):
    return json.dumps({"version": "4", "alerts": alerts}).encode()


class Door(unittest.TestCase):
    def setUp(self):
        self.site = Site(DRAIN)
        self.addCleanup(self.site.temporary.cleanup)

    def webhook(self, **options):
        return Webhook(self.site.folder, self.site.config, free_port(), **options)

    def test_secret(self):
        with self.webhook() as webhook:
            for authorization in ("Bearer wrong", "Bearer ", "Bearer a-secret2", "bearer a-secret", "Basic a-secret", "a-secret"):
                self.assertEqual(403, webhook.post(message(node("cn01")), authorization)[0], authorization)
            self.assertEqual(405, webhook.post(None, method="GET")[0])
            self.assertEqual([], self.site.calls())
            status, said = webhook.post(message(node("cn01")))
            self.assertEqual((200, True), (status, "msg=done" in said))
        self.assertEqual(["cn01"], self.site.drained())

    def test_without_a_secret(self):
        """It does not start, rather than let everybody in."""
        process = self.webhook(secret="").start()
        said, _ = process.communicate(timeout=PATIENCE)
        self.assertNotEqual(0, process.returncode)
        self.assertIn("couldn't load any hooks", said)

    def test_other_kinds_of_bodies(self):
        """What the client calls the body changes nothing."""
        with self.webhook() as webhook:
            for number, kind in enumerate(("multipart/form-data; boundary=x", "application/x-www-form-urlencoded", "text/xml"), 1):
                status, said = webhook.post(message(node(f"cn0{number}")), **{"Content-Type": kind})
                self.assertEqual((200, "refused" if number > 2 else "done"), (status, re.search(r"msg=(\w+)", said)[1]), kind)
            for body in b"", b"--x\r\n", b"{", message(node("cn01", x="y" * (1 << 20))):
                self.assertEqual(500, webhook.post(body)[0], body[:20])
            self.assertIn("label node names none", webhook.post(message(node("$(touch /tmp/x); `id` & \n")))[1])
        self.assertEqual(["cn01", "cn02"], self.site.drained())
        self.assertEqual([], [path.name for path in self.site.folder.glob("SLURMSCOPE_HOOK_MESSAGE*")], "left behind")

    def test_trouble_is_an_error(self):
        self.site.change(away=True)
        with self.webhook() as webhook:
            self.assertEqual(500, webhook.post(message(node("cn01")))[0])
            self.site.change(away=False)
            self.assertEqual(200, webhook.post(message(node("cn01")))[0])


class Alerts(unittest.TestCase):
    def test_example_is_valid(self):
        status, said = run(BIN / "amtool", "check-config", EXAMPLES / "alertmanager-hooks.yml")
        self.assertEqual(0, status, said)

    def test_alertmanager(self):
        """It sends again what failed, and repeats what was done: the node is drained once, and people hear of the alert as well."""
        with Site(DRAIN) as site, People() as people, Webhook(site.folder, site.config, free_port()) as webhook:
            secret = site.folder / "secret"
            secret.write_text(webhook.secret)
            text = re.sub(r"http://127\.0\.0\.1:9095/\S*", people.url, (EXAMPLES / "alertmanager.yml").read_text())
            config = site.folder / "alertmanager.yml"
            config.write_text(alertmanager_config(text, (EXAMPLES / "alertmanager-hooks.yml").read_text(), webhook.url, secret))
            site.change(away=True)
            with Alertmanager(config) as alertmanager:
                alertmanager.post([node("cn01")["labels"] | {"severity": "critical"}, node("cn02", cluster="beta")["labels"]])
                self.wait_for(lambda: len(site.calls()) > 2, alertmanager)
                site.change(away=False)
                self.wait_for(site.drained, alertmanager)
                notified = self.notified(alertmanager)
                self.wait_for(lambda: self.notified(alertmanager) > notified + 2, alertmanager)
            self.assertEqual(["cn01"], site.drained())
            self.assertEqual([["update", "nodename=cn01", "state=drain", "reason=slurmscope-hook 1: SlurmBlackHoleNode"]], site.changes())
            self.assertIn("cn01", [told.labels["node"] for told in people.messages()])

    @staticmethod
    def notified(alertmanager):
        """How many messages its webhooks have taken."""
        _, said = run("curl", "-s", f"{alertmanager.url}/metrics")
        sent, failed = (int(re.search(rf'alertmanager_notifications_{kind}total{{integration="webhook"}} (\d+)', said)[1]) for kind in ("", "failed_"))
        return sent - failed

    def wait_for(self, what, alertmanager):
        end = time.monotonic() + PATIENCE
        while not what():
            self.assertLess(time.monotonic(), end, alertmanager.said()[-3000:])
            time.sleep(0.1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
