"""Two simulated days of 500 nodes: each disaster tells whom it should, in time, and a calm site pages nobody."""

import unittest

from month import DAYS, HOUR, Site, fired

HOURS = 48
# Whom it pages, and within how many minutes; nothing else of these pages anybody.
PAGES = {
    "storm of one user": {},
    "black hole": {"SlurmBlackHoleNode": 20, "SlurmPartitionJobsFailing": 90},
    "file system fails": {"SlurmPartitionJobsFailing": 60},
    "file system hangs": {"SlurmNodesStuckCompleting": 120, "SlurmPartitionJobsTimingOut": 300},
}


class Month(unittest.TestCase):
    def test_disasters_page_and_calm_does_not(self):
        sites = [Site("500 disasters", 500, HOURS * HOUR, DAYS), Site("500 calm", 500, HOURS * HOUR, ())]
        told = fired(sites, HOURS)
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
