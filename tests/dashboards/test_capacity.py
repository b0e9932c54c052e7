"""The capacity of a site that tells jobs by size: its rules record what its group exports, and its dashboard shows it."""

import json
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import yaml

import boards
import lint
from test_panels import shown
from test_rules import RULE_FILES, SLURMSCOPE, TESTED, run

MIXIN = boards.ROOT / "dashboards/mixin.libsonnet"
# As deploy/MANUAL.md has groups.
SITE = """
groups:
  - name: size
    by:
      - label: size
        from: cpus
    metrics: [cpus, waits, use]
    limit: 20
"""
BUCKETS = {"60": 6, "3600": 10, "+Inf": 10}


def made(own=""):
    """(the rules of capacity, the dashboard) of a site that sets this."""
    done = subprocess.run(["jsonnet", "-e", f"local made = (import '{MIXIN}') + {{ _config+:: {{ {own} }} }};"
                           " [[group for group in made.prometheusRules.groups if group.name == 'slurm_capacity'], made.grafanaDashboards['capacity.json']]"],
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def families_of_groups():
    """{family: labels} that slurmscope exports for this site."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "slurmscope.yml").write_text(SITE)
        status, said = run(SLURMSCOPE, f"--config.file={folder}/slurmscope.yml", "--list-metrics")
        assert not status, said
    rows = [line.split("\t") for line in said.splitlines()]
    return {row[0]: set(row[2].split(",")) for row in rows if row[0].startswith("slurm_group_")}


class Sizes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.groups, cls.board = made("capacity+: { sizeGroup: 'size' }")

    def test_others_have_none(self):
        groups, board = made()
        self.assertEqual(boards.load()["capacity.json"], board)
        self.assertFalse([text for text in boards.texts([groups, board]) if "slurm_group_" in text or "_size" in text])
        self.assertIn("By size of request", [panel["title"] for panel in self.board["panels"]])

    def test_families_are_exported(self):
        there, asked = families_of_groups(), {}
        for rule in self.groups[0]["rules"]:
            for name, labels in lint.promql.selectors(rule["expr"]):
                if name.startswith("slurm_group_"):
                    asked.setdefault(name.removesuffix("_bucket"), set()).update(labels)
        self.assertEqual(3, len(asked))
        for family, labels in asked.items():
            self.assertIn(family, there)
            self.assertLessEqual(labels | {"size"}, there[family] | {"le"})

    def test_lint(self):
        world = lint.World()
        world.boards["capacity.json"] = self.board
        world.records |= {rule["record"] for rule in self.groups[0]["rules"]}
        rules = [rule for name, rule in vars(lint).items() if name.startswith("rule_") and name != "rule_imported"]
        self.assertEqual([], [complaint for rule in rules for complaint in rule(self.board, world)])

    def test_recorded_and_shown(self):
        """Jobs of 4 to 7 CPUs: two CPUs held, eight waited for; twenty starts a minute, all within the hour."""
        of = 'cluster="c", size="4-7"'
        series = [('slurm_cluster_cpus{cluster="c", state="idle"}', "1x120"), ('slurm_cluster_cpus{cluster="c", state="allocated"}', "1x120"),
                  ('slurm_cluster_jobs{cluster="c", state="pending"}', "1x120"),
                  (f'slurm_group_size_job_cpus{{{of}, state="running"}}', "2x120"), (f'slurm_group_size_job_cpus{{{of}, state="pending"}}', "8x120"),
                  (f'slurm_group_size_job_allocated_cpu_seconds_total{{{of}}}', "0+120x120"),
                  *((f'slurm_group_size_job_eligible_wait_seconds_bucket{{{of}, le="{le}"}}', f"0+{starts}x120") for le, starts in BUCKETS.items())]
        shows = {("CPUs held by size", None): 2, ("CPUs waited for by size", None): 8, ("P95 wait by size", None): 3157.5,
                 ("Sizes of request", "P50 wait"): 50, ("Sizes of request", "P95 wait"): 3157.5}
        cases = [shown(self.board, {"panel": panel, "query": query, "at": "2h", "round": 0.5, "chosen": {"__range": "1m", "__interval": "1m"}, "shows": [
            {"labels": f"{{{of}}}" if query else '{size="4-7"}', "value": value}]}) for (panel, query), value in shows.items()]
        with tempfile.TemporaryDirectory() as folder:
            rules, tests = Path(folder, "rules.yml"), Path(folder, "tests.yml")
            rules.write_text(json.dumps({"groups": self.groups}))
            tests.write_text(json.dumps({"rule_files": ["rules.yml"], "evaluation_interval": "1m", "tests": [{
                "interval": "1m", "input_series": [{"series": name, "values": values} for name, values in series], "promql_expr_test": cases}]}))
            for command in (("check", "rules", rules), ("test", "rules", tests)):
                status, said = run(TESTED, *command)
                self.assertEqual(0, status, said)


class ForAYear(unittest.TestCase):
    def test_example_keeps_the_records(self):
        """All that the dashboard asks for, and nothing of other groups."""
        example = RULE_FILES[0].with_name("prometheus-capacity.yml")
        status, said = run(TESTED, "check", "config", example)
        self.assertEqual(0, status, said)
        match, = yaml.safe_load(example.read_text())["scrape_configs"][0]["params"]["match[]"]
        kept = re.fullmatch(r'{__name__=~"(.+)"}', match)[1]
        there = {(group["name"] == "slurm_capacity", rule["record"]) for group in yaml.safe_load(RULE_FILES[0].read_text())["groups"] for rule in group["rules"]}
        self.assertEqual({name for ours, name in there if ours}, {name for _, name in there if re.fullmatch(kept, name)})
        asked = {name for _, expression in boards.expressions(boards.load()["capacity.json"]) for name, _ in lint.promql.selectors(expression)}
        self.assertGreater(len(asked), 15)
        self.assertEqual([], [name for name in asked if not re.fullmatch(kept, name)])


if __name__ == "__main__":
    unittest.main(verbosity=2)
