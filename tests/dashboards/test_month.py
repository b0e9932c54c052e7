"""Two simulated days of 500 nodes: each disaster tells whom it should, in time, and a calm site pages nobody. Of the
rules only those are evaluated that this takes: all that page, what they need, and two more."""

import json
import tempfile
import unittest
from pathlib import Path

import yaml

from month import DAYS, HOUR, RULES, Site, fired
from promql import needed

HOURS = 48
# Whom it pages, and within how many minutes; nothing else of these pages anybody.
PAGES = {
    "storm of one user": {},
    "black hole": {"SlurmBlackHoleNode": 20, "SlurmPartitionJobsFailing": 90},
    "file system fails": {"SlurmPartitionJobsFailing": 60},
    "file system hangs": {"SlurmNodesStuckCompleting": 120, "SlurmPartitionJobsTimingOut": 300},
}
OTHERS = ["SlurmUserJobsFailing", "SlurmNodeDown"]


def asked():
    """The alerts that page and OTHERS, with the records that they need."""
    groups = [group for path in RULES for group in yaml.safe_load(Path(path).read_text())["groups"]]
    pages = [rule["alert"] for group in groups for rule in group["rules"] if rule.get("labels", {}).get("audience") == "page"]
    assert len(pages) > 10, pages
    return {"groups": [group for group in needed(groups, pages + OTHERS) if group["rules"]]}


class Month(unittest.TestCase):
    def test_disasters_page_and_calm_does_not(self):
        sites = [Site("500 disasters", 500, HOURS * HOUR, DAYS), Site("500 calm", 500, HOURS * HOUR, ())]
        with tempfile.TemporaryDirectory(prefix="slurmscope-month-") as folder:
            rules = Path(folder, "asked.yml")
            rules.write_text(json.dumps(asked(), indent=1))  # which is YAML, too
            told = fired(sites, HOURS, [rules])
        self.assertEqual({("500 disasters", what) for what in PAGES} | {("500 calm", "nothing")}, set(told))
        for what, expected in PAGES.items():
            with self.subTest(what):
                pages = {alert: after for (audience, alert), (after, _) in told["500 disasters", what].items() if audience == "page"}
                self.assertEqual(set(expected), set(pages))
                for alert, after in pages.items():
                    self.assertLessEqual(after, expected[alert], alert)
        # the storm is for those who write to its user
        self.assertIn(("user_support", "SlurmUserJobsFailing"), told["500 disasters", "storm of one user"])
        calm = told["500 calm", "nothing"]
        self.assertEqual([], [alert for audience, alert in calm if audience == "page"])
        # it is not silent because nothing is evaluated: single nodes go down
        self.assertIn(("ticket", "SlurmNodeDown"), calm)


if __name__ == "__main__":
    unittest.main(verbosity=2)
