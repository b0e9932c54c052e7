#!/usr/bin/env python3
"""What tests/freshness takes for a change, and what for a mistake of the page, on pages that are made up."""
import importlib.machinery
import importlib.util
import math
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
TOOL = importlib.machinery.SourceFileLoader("freshness", str(Path(__file__).resolve().parent.parent / "freshness"))
freshness = importlib.util.module_from_spec(importlib.util.spec_from_loader("freshness", TOOL))
TOOL.exec_module(freshness)


def jobs(state, user, account, partition):
    return freshness.Rows(f'slurm_user_jobs{{user="job01",account="job01",state="{state}"}} {user}\n'
                          f'slurm_account_jobs{{account="job01",state="{state}"}} {account}\n'
                          f'slurm_partition_jobs{{partition="job01",state="{state}"}} {partition}\n')


def reasons(reason, reason_class):
    return freshness.Rows(f'slurm_partition_pending_jobs{{partition="why01",class="{reason_class}",reason="{reason}"}} 1\n'
                          f'slurm_user_pending_jobs{{user="why01",account="why01",class="{reason_class}",reason="{reason}"}} 1\n')


class Attribution(unittest.TestCase):
    def setUp(self):
        self.run = freshness.Run.__new__(freshness.Run)
        self.run.watch = freshness.Watch()
        self.wrongs = self.run.watch.wrongs

    def test_all_rows_have_to_change(self):
        live, *_ = self.run.of_job_slot("job01")
        change = live.expect("submit", {"pending": 1})
        live.look(jobs("pending", 0, 0, 0), 1)
        self.assertFalse(self.wrongs or change.is_seen.is_set())
        live.look(jobs("pending", 1, 1, 0), 2)
        self.assertTrue(self.wrongs)
        self.assertFalse(change.is_seen.is_set())
        live.look(jobs("pending", 1, 1, 1), 3)
        self.assertEqual(3, change.seen)

    def test_another_state(self):
        live, *_ = self.run.of_job_slot("job01")
        change = live.expect("submit", {"pending": 1})
        live.look(jobs("running", 1, 1, 1), 1)
        self.assertTrue(self.wrongs)
        self.assertFalse(change.is_seen.is_set())

    def test_what_nobody_did(self):
        live, *_ = self.run.of_job_slot("job01")
        live.look(jobs("pending", 2, 2, 2), 1)
        self.assertTrue(self.wrongs)

    def test_reason_and_class(self):
        watched = self.run.of_why_slot("why01")
        change = watched.expect("release (reason)", self.run.startable)
        watched.look(reasons("Resources", "held"), 1)
        self.assertTrue(self.wrongs)
        watched.look(reasons("None", "startable"), 2)
        self.assertEqual(2, change.seen)

    def test_never_seen(self):
        change = freshness.Change("hold (reason)", "why01", None)
        change.happened = 1
        self.assertFalse(change.wait(0))
        self.assertEqual(math.inf, change.age)

    def test_seen_too_early(self):
        change = freshness.Change("hold (reason)", "why01", None)
        change.happened, change.seen = 10, 9
        change.is_seen.set()
        self.assertTrue(change.is_early)

    def test_percentile(self):
        self.assertEqual((99, "p99"), freshness.percentile(range(1, 101)))
        self.assertEqual((math.inf, "max"), freshness.percentile([math.inf, 1]))


if __name__ == "__main__":
    unittest.main()
