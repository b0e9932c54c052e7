"""What rules record and panels show where a site has prices, as a promtool calculates it. cost.yml has what the site sets,
and what is to be seen. Sites that make a mistake in their prices hear of it."""

import functools
import json
import subprocess
import tempfile
import unittest
from pathlib import Path

import yaml

import boards
import lint
from test_panels import BUILT_IN, expression
from test_rules import HERE, TESTED, run

MIXIN = boards.ROOT / "dashboards/mixin.libsonnet"
CHOSEN = BUILT_IN | {"__range": "31d", "account": ".*", "user": ".*"}


@functools.cache
def made(own):
    """(the rules of money, the dashboard) of a site that sets this."""
    done = subprocess.run(["jsonnet", "-e", f"local made = (import '{MIXIN}') + {{ _config+:: {{ {own} }} }};"
                           " [[group for group in made.prometheusRules.groups if group.name == 'slurm_cost'], made.grafanaDashboards['cost.json']]"], capture_output=True, text=True)
    if done.returncode:
        raise ValueError(done.stderr)
    return json.loads(done.stdout)


def shown(board, case):
    chosen = CHOSEN | ({"__range": "1h"} if case["at"].endswith("m") else {}) | case.get("chosen", {})
    return {"expr": f"round({boards.fill(expression(board, case['panel'], case.get('query')), chosen)}, {case['round']})",
            "eval_time": case["at"], "exp_samples": case["shows"]}


class Cost(unittest.TestCase):
    def test_money(self):
        cases = 0
        for site in yaml.safe_load((HERE / "cost.yml").read_text()):
            groups, board = made(site.pop("config"))
            for test in site["tests"]:
                test["promql_expr_test"] += [shown(board, case) for case in test.pop("panels")]
                cases += len(test["promql_expr_test"])
            with tempfile.TemporaryDirectory() as folder:
                rules, tests = Path(folder, "rules.yml"), Path(folder, "tests.yml")
                rules.write_text(json.dumps({"groups": groups}))
                tests.write_text(json.dumps(site | {"rule_files": ["rules.yml"]}))
                for command in (("check", "rules", rules), ("test", "rules", tests)):
                    status, said = run(TESTED, *command)
                    self.assertEqual(0, status, said)
        print(f"{cases} cases, {TESTED}")

    def test_lint(self):
        """What lint.py asks of the committed dashboards holds of one with prices."""
        site, *_ = yaml.safe_load((HERE / "cost.yml").read_text())
        groups, board = made(site["config"])
        world = lint.World()
        world.boards["cost.json"] = board
        world.records |= {rule["record"] for group in groups for rule in group["rules"]}
        for name in world.records:
            world.alike.setdefault(world.ending(name), set()).add(name)
        rules = [rule for name, rule in vars(lint).items() if name.startswith("rule_") and rule is not lint.rule_imported]
        self.assertGreater(len(rules), 20)
        self.assertEqual([], [f"{rule.__name__}: {complaint}" for rule in rules for complaint in rule(board, world)])

    def test_mistakes(self):
        """Each stops dashboards/generate."""
        for prices, said in ((["{ from: '2026-07-01', cpu: 1 }", "{ from: '2026-01-01', cpu: 1 }"], "2026-07-01 does not come before 2026-01-01"),
                             (["{ from: '2026-07-01', cpus: 1 }"], "an entry has cpus, which is none of"),
                             (["{ from: '2026-07-01', partitions: { p: { gpu: 1 } } }"], "p has gpu, which is none of"),
                             (["{ cpu: 1 }"], "from")):
            with self.assertRaisesRegex(ValueError, said):
                made(f"cost+: {{ prices: [{', '.join(prices)}] }}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
