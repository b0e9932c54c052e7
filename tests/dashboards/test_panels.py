"""What panels show of given series, as a promtool calculates it. Beside promtool's tests, panels.yml has the panel, the
column or legend if the panel has several queries, what is chosen, and to what values are rounded."""

import json
import tempfile
import unittest
from pathlib import Path

import yaml

import boards
from test_rules import HERE, TESTED, run

BUILT_IN = {"__rate_interval": "5m", "__interval": "1d", "__range": "1h", "cluster": ".*"}


def expression(board, title, query=None):
    panel, = (panel for panel in boards.panels(board) if panel["title"] == title)
    if query is None:
        target, = panel["targets"]
        return target["expr"]
    titles = [one["options"]["renameByName"] for one in panel.get("transformations", []) if one["id"] == "organize"]
    target, = (target for target in panel["targets"]
               if query in (target["legendFormat"], *(names.get(f"Value #{target['refId']}") for names in titles)))
    return target["expr"]


def shown(board, case):
    filled = boards.fill(expression(board, case["panel"], case.get("query")), BUILT_IN | case.get("chosen", {}))
    return {"expr": f"round({filled}, {case['round']})" if "round" in case else filled,
            "eval_time": case["at"], "exp_samples": case["shows"]}


class Panels(unittest.TestCase):
    def test_what_they_show(self):
        there = boards.load() | boards.of_groups()
        said = yaml.safe_load((HERE / "panels.yml").read_text())
        cases = 0
        for test in said["tests"]:
            test["promql_expr_test"] = [shown(there[f"{case['board']}.json"], case) for case in test.pop("panels")]
            cases += len(test["promql_expr_test"])
        self.assertGreater(cases, 10)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "panels.yml")
            path.write_text(json.dumps(said))  # which is YAML, too
            status, told = run(TESTED, "test", "rules", path)
            self.assertEqual(0, status, told)
        print(f"{cases} cases, {TESTED}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
