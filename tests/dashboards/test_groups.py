"""The dashboard of groups has each family that slurmscope has of them, whichever metrics a group has; and only sites that
define groups have it. What it shows of which series is in panels.yml."""

import subprocess
import tempfile
import unittest
from pathlib import Path

import boards
import lint
import promql

METRICS = "jobs", "cpus", "memory", "gpus", "ends", "waits", "runtimes", "use"


def families(config):
    """Those of groups that slurmscope lists."""
    return {name for name in lint.list_metrics(f"--config.file={config}")[0] if name.startswith("slurm_group_")}


def shown(board):
    """The names of series that panels ask for."""
    return {name for panel in boards.panels(board) for target in panel["targets"] for name, _ in promql.selectors(target["expr"])}


class Groups(unittest.TestCase):
    def test_each_metric(self):
        for metric in (*METRICS, None):
            with self.subTest(metric), tempfile.TemporaryDirectory() as folder:
                config = Path(folder, "slurmscope.yml")
                config.write_text("groups: [{name: g, by: [user]%s}]\n" % (f", metrics: [{metric}]" if metric else ""))
                there, asked = families(config), shown(boards.of_groups(config)["groups.json"])
                histograms = {name.removesuffix("_bucket") for name in there if name.endswith("_bucket")}
                self.assertEqual(set(), asked - there)
                self.assertEqual(set(), {name for name in there - asked if not any(name.startswith(each) for each in histograms)})
                self.assertEqual(set(), {each for each in histograms if f"{each}_bucket" not in asked})

    def test_none(self):
        self.assertNotIn("groups.json", boards.load())

    def test_mistakes(self):
        """Each stops dashboards/generate."""
        for group, said in (("{name: g, by: [user], metrics: [waist]}", "g has waist, which is none of cpus, ends"),
                            ("{name: g, by: [{label: datasource, from: comment}]}", "another variable datasource"),
                            ("{name: g}", "by")):
            with tempfile.TemporaryDirectory() as folder:
                config = Path(folder, "slurmscope.yml")
                config.write_text(f"groups: [{group}]\n")
                with self.assertRaises(subprocess.CalledProcessError) as failure:
                    boards.of_groups(config)
                self.assertIn(said, failure.exception.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
