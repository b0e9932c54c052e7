#!/usr/bin/env python3
"""`with` runs tests that break their cluster, leave processes behind, or are killed. The next test gets a whole cluster, and
`with` says why that took longer.
usage: test_with.py RELEASE"""
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
from harness import wait_until  # noqa: E402
from real_slurm import Cluster  # noqa: E402

SLEEP = "sleep 98765"  # as nobody else sleeps


def sleepers():
    return subprocess.run(["pgrep", "-fx", SLEEP], capture_output=True, text=True).stdout.split()


class With(unittest.TestCase):
    def with_cluster(self, script, status=0, slurm=None):
        """What `with` says, and keeps for the end of all tests."""
        name = (slurm or SLURM).name
        with tempfile.NamedTemporaryFile("r") as summary:
            done = subprocess.run([HERE / "with", name, "sh", "-c", script], capture_output=True, text=True,
                                  env=os.environ | {"ORACLE_SUMMARY": summary.name, "CLUSTER": HERE / "cluster", "NAME": name})
            self.assertEqual(status, done.returncode, done.stdout + done.stderr)
            return done.stdout, summary.read()

    def check_whole(self):
        """It is used as it is."""
        said, kept = self.with_cluster("true")
        self.assertEqual(("", ""), (said, kept))

    def test_left_well(self):
        self.with_cluster("true")
        before = SLURM.ask("status")
        self.check_whole()
        self.assertEqual(before, SLURM.ask("status"), "the same processes")

    def test_a_job_ends_soon(self):
        """Its time limit would end it during a test that has begun, and numbers would move."""
        self.with_cluster('id=$("$CLUSTER" exec "$NAME" squeue -h -p debug -t RUNNING -o %A); '
                          '"$CLUSTER" exec "$NAME" scontrol update jobid=$id endtime=now+30minutes')
        said, _ = self.with_cluster("true")
        self.assertIn("ends within an hour", said)
        self.check_whole()

    def test_put_up_for_one(self):
        """A profile's cluster that somebody put up is there for one test, and only if it lives."""
        slurm = Cluster(SLURM.name + "-events")
        slurm.ask("up")
        self.assertEqual(("", ""), self.with_cluster("true", slurm=slurm))
        self.assertEqual(f"{slurm.name} is down", slurm.ask("status"))
        slurm.ask("up")
        slurm.ask("kill", "slurmdbd")
        said, _ = self.with_cluster('"$CLUSTER" exec "$NAME" sacctmgr -n show stats', slurm=slurm)
        self.assertRegex(said, r"put up in \d+ s")

    def test_status_is_the_test_s(self):
        self.with_cluster("exit 3", status=3)
        self.check_whole()

    def test_left_broken(self):
        said, kept = self.with_cluster('"$CLUSTER" stop "$NAME" slurmdbd')
        self.assertIn("left in another state by sh -c", kept)
        self.assertIn("is:  daemon slurmdbd does not run", said)
        said, _ = self.with_cluster("true")
        self.assertRegex(said, r"put up in \d+ s")
        self.check_whole()

    def test_died(self):
        """A test that fails tells which daemon of Slurm had died; one that can live with it lets it start again."""
        kill = 'kill -KILL "$("$CLUSTER" status "$NAME" | sed -n "s/^slurmdbd runs as //p")"; '
        said, _ = self.with_cluster(kill + "exit 3", status=3)
        self.assertIn("slurmdbd has ended by itself", said)
        said, kept = self.with_cluster(kill + '"$CLUSTER" revive "$NAME"')
        self.assertIn("slurmdbd has ended by itself", said)
        self.assertEqual("", kept, "it runs again")
        self.check_whole()

    def test_restarted(self):
        """The state is as before, as far as anybody can see, but slurmctld counts differently from then on."""
        _, kept = self.with_cluster('"$CLUSTER" restart "$NAME" slurmctld')
        self.assertEqual("", kept)
        said, _ = self.with_cluster("true")
        self.assertRegex(said, r"slurmctld was started again[^$]*put up in \d+ s")
        self.check_whole()

    def test_killed(self):
        """By somebody who gives it no time to put anything back."""
        test = subprocess.Popen([HERE / "with", SLURM.name, "sh", "-c", f'"$CLUSTER" pause "$NAME" slurmrestd; {SLEEP}; true'],
                                env=os.environ | {"CLUSTER": HERE / "cluster", "NAME": SLURM.name}, start_new_session=True)
        wait_until(sleepers, "the test to have begun", 600)
        for process in subprocess.run(["pgrep", "-s", str(test.pid), "-f", "cluster/with"], capture_output=True,
                                      text=True).stdout.split():
            os.kill(int(process), signal.SIGKILL)
        test.wait()
        self.assertTrue(sleepers(), "the test lives on")
        said, kept = self.with_cluster("true")
        self.assertIn(f"ends what a test left behind: {SLEEP}", said)
        self.assertIn("is:  daemon slurmrestd is stopped by a signal", said)
        self.assertRegex(said, r"put up in \d+ s")
        self.assertEqual("", kept, "nobody knows which test it was")
        self.assertFalse(sleepers())


if __name__ == "__main__":
    SLURM = Cluster(sys.argv.pop(1))
    unittest.main(verbosity=2)
