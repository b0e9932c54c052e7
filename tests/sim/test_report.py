#!/usr/bin/env python3
"""slurmscope report from slurmdbd, of a span that is cut where jobs become eligible, start and end. Its parts add up to the
whole, which is what the simulator knows.   usage: test_report.py [SEED]"""

import json
import random
import subprocess
import sys
import unittest
from collections import Counter

from simulator import EPOCH, PATIENCE, RELEASES, SLURMSCOPE, Simulator, newest

SPAN = 2400  # seconds
LAST = 200  # of these; twice
WINDOW = "skip_steps=true&show_duplicates=true&disable_truncate_usage_time=true"
SEED = int(sys.argv.pop()) if sys.argv[-1].isdigit() else random.randrange(10**6)


def report(sim, first, last):
    """{(kind, name, account, column): value}"""
    done = subprocess.run([SLURMSCOPE, "report", "--slurmdbd", f"--slurmrestd.url={sim.url}", f"--from=@{first}", f"--to=@{last}",
                           "--by=cluster,partition,account,user,qos", "--format=json"],
                          capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr + done.stdout
    told = Counter()
    for row in json.loads(done.stdout)["rows"]:
        whose = row["by"], row.get(row["by"], ""), row.get("account", "")
        numbers = row | row.pop("allocated_gres_seconds")
        told.update({(*whose, column): value for column, value in numbers.items() if isinstance(value, (int, float)) and value})
    return told


def moments(sim, version):
    """When jobs became eligible and started at once, and when jobs ended."""
    query = "" if version == "v0.0.38" else WINDOW
    rows = [row["time"] for row in sim.json(f"/slurmdb/{version}/jobs?{query}")["jobs"]]
    at_once = {row["start"] for row in rows if row["start"] == row["eligible"]}
    ends = {row["end"] for row in rows}
    return [sorted(time for time in times if EPOCH < time < EPOCH + SPAN) for times in (at_once, ends)]


def requeue_some(sim, version):
    """The last of the span. Some runs that it has seen begin end by requeue in it; a moment between the two."""
    sim.control(f"advance?seconds={SPAN - 2 * LAST}")
    running = [job["job_id"] for job in sim.json(f"/slurm/{version}/jobs")["jobs"] if "RUNNING" in job["job_state"]][:60]
    sim.control(f"advance?seconds={LAST}")
    requeued = [job for job in running if sim.get(f"/sim/job?id={job}&do=requeue")[0] == 200]
    assert len(requeued) > 5, "too few jobs ran on"
    sim.control(f"advance?seconds={LAST}")
    return EPOCH + SPAN - 2 * LAST + 1


class Report(unittest.TestCase):
    def in_parts(self, release, version):
        chance = random.Random(SEED)
        with Simulator("--jobs=400", "--nodes=200", "--node-failures=50000", f"--seed={SEED}", f"--release={release}") as sim:
            requeued_later = requeue_some(sim, version)
            at_once, ends = moments(sim, version)
            edges = {*chance.sample(at_once, 3), *chance.sample(ends, 3), EPOCH + chance.randrange(1, SPAN), requeued_later}
            times = [EPOCH, *sorted(edges), EPOCH + SPAN]
            parts, whole = Counter(), report(sim, EPOCH, EPOCH + SPAN)
            for first, last in zip(times, times[1:]):
                parts.update(report(sim, first, last))
            for what in whole.keys() | parts.keys():
                self.assertAlmostEqual(whole[what], parts[what], delta=1e-9 * whole[what], msg=f"{what}, cut at {times}, seed {SEED}")
            self.assertEqual(whole["cluster", "", "", "job_ends"], sim.truth()["ended"])

    def test_in_parts(self):
        for release in RELEASES:
            with self.subTest(release):
                self.in_parts(release, newest(release))


if __name__ == "__main__":
    unittest.main()
