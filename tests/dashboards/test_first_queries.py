"""Each first query of deploy/METRICS.md is valid, and has an answer where the golden pages have its family: as a
promtool says that has read these pages. There each gauge keeps its value, and each counter grows by its value every hour. It is so
with one cluster without a label, and with two."""

import json
import math
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from test_rules import ROOT, SLURMSCOPE, TESTED, run

sys.path.append(str(ROOT / "tests/golden"))
import first_queries  # noqa: E402

MINUTES = 70
CLUSTERS = ((), ("one", "two"))  # what the label says; none: it is not there


class FirstQueries(unittest.TestCase):
    maxDiff = None
    @classmethod
    def setUpClass(cls):
        listed = subprocess.run([SLURMSCOPE, "--list-metrics"], capture_output=True, text=True, check=True).stdout
        cls.families = first_queries.read_families(listed)
        cls.entries = [entry for section in first_queries.read_sections() for entry in section.entries]
        cls.samples = first_queries.read_samples(cls.families)

    def valid_and_answered(self, entries):
        """What promtool complains of."""
        with tempfile.TemporaryDirectory() as folder:
            rules = Path(folder, "rules.yml")
            records = [{"record": f"first_query:{number}", "expr": entry.query} for number, entry in enumerate(entries)]
            rules.write_text(json.dumps({"groups": [{"name": "first queries", "rules": records}]}))  # which is YAML, too
            tests = Path(folder, "tests.yml")
            asked = [self.has_answer(entry) for entry in entries]
            named = {name for entry in entries for name in entry.names()}
            tests.write_text(json.dumps({"tests": [{"interval": "1m", "input_series": list(self.series(clusters, named)),
                                                    "promql_expr_test": asked} for clusters in CLUSTERS]}))
            for command in (("check", "rules", rules), ("test", "rules", tests)):
                status, said = run(TESTED, *command)
                if status:
                    yield f"{command[0]}: {said}"

    def series(self, clusters, named):
        targets = [f'job="slurmscope",cluster="{cluster}"}}' for cluster in clusters] or ['job="slurmscope"}']
        said = set()
        for family, samples in ((family, self.samples[family]) for family in self.samples.keys() & named):
            grows = self.families[family].kind != "gauge"
            for name, labels, value in samples:
                number = float(value)
                series = name + (f"{labels[:-1]}," if labels else "{")
                if series not in said and math.isfinite(number):
                    said.add(series)
                    values = f"{value}+{number / 60 if grows else 0:.9f}x{MINUTES}"
                    yield from ({"series": series + target, "values": values} for target in targets)

    def has_answer(self, entry):
        """Which is a number: what is not one does not equal itself."""
        there = any(name in self.samples for name in entry.names())
        return {"expr": f"count(({entry.query}) == ({entry.query})) > bool 0", "eval_time": f"{MINUTES}m",
                "exp_samples": [{"labels": "{}", "value": 1}] if there else []}

    def test_each(self):
        self.assertGreater(len(self.entries), 150)
        self.assertEqual([], list(self.valid_and_answered(self.entries)))
        print(f"{len(self.entries)} queries, {len(list(self.series(CLUSTERS[1], self.samples.keys())))} series, {TESTED}")

    def test_is_awake(self):
        """It finds what is no PromQL, and what has no answer."""
        entry = self.entries[0]
        for query in "topk(slurm_cluster_info)", 'slurm_cluster_info{name="nowhere"}', "0 * slurm_cluster_info / 0":
            with self.subTest(query):
                self.assertNotEqual([], list(self.valid_and_answered([entry._replace(query=query)])))


if __name__ == "__main__":
    unittest.main(verbosity=2)
