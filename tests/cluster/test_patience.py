"""Which steps of a workload are tried again, and which ones end it. Slurm's words are those of squeue, scontrol and sbatch."""

import subprocess
import tempfile
import unittest
from pathlib import Path

WORKLOAD = Path(__file__).resolve().parent / "workload.sh"

# A step that is refused twice, then taken; it says so.
SCRIPT = """
set -euo pipefail
cluster=test patience=60
die() { echo "$*" >&2; exit 9; }
sleep() { :; }
. "$1"
step() {
	local tries
	tries=$(wc -l <"$3")
	echo >>"$3"
	[ "$tries" -ge 2 ] || { echo "$2" >&2; return 1; }
	echo taken
}
patiently step '' "$2" "$3"
"""


class Patience(unittest.TestCase):
    def step(self, refusal):
        """How a step that Slurm refuses twice with these words ended, what it said, and how often it was tried."""
        with tempfile.NamedTemporaryFile() as tries:
            done = subprocess.run(["bash", "-c", SCRIPT, "bash", WORKLOAD, refusal, tries.name], capture_output=True, text=True)
            return done.returncode, done.stdout.strip(), done.stderr, len(tries.read())

    def test_refused_for_a_while(self):
        for refusal in ("Invalid time specified for job 2", "slurm_update error: Job update not available right now, try again",
                        "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation",
                        "Unable to contact slurm controller (connect failure)", "Job is pending execution"):
            with self.subTest(refusal):
                status, said, _, tries = self.step(refusal)
                self.assertEqual((0, "taken", 3), (status, said, tries))

    def test_refused_for_good(self):
        status, said, words, tries = self.step("Invalid account or account/partition combination specified")
        self.assertEqual((9, "", 1), (status, said, tries))
        self.assertIn("Invalid account", words)


if __name__ == "__main__":
    unittest.main()
