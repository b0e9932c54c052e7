#!/usr/bin/env python3
"""Nodes of a simulated cluster fail and return, also while slurmscope is killed. Each second of an outage counts once, and an
outage that ended meanwhile has its true duration. A reload brings a cause by the site's pattern."""

import re
import signal
import tempfile
import time
import unittest
from pathlib import Path

from simulator import Simulator
from test_warm import Exporter, wait_until

SLACK = 2  # seconds, by which slurmscope may be wrong about slurmctld's clock, and what it rounds
HERE = ("--interval.nodes=1",)
SERIES = re.compile(r'slurm_cluster_node_outage_seconds_total\{kind="(\w+)",cause="(\w+)"\}')


class Outages(unittest.TestCase):
    def setUp(self):
        self.sim = self.enterContext(Simulator("--nodes=20", "--jobs=0", "--users=2", "--node-failures=0", "--speed=1",
                                               f"--epoch={int(time.time())}"))

    def seconds(self, scope, kind, cause):
        return scope.page().get(f'slurm_cluster_node_outage_seconds_total{{kind="{kind}",cause="{cause}"}}', 0)

    def wait_for(self, scope, node, is_out):
        wait_until(lambda: any("outage_start" in series and f'node="{node}"' in series for series in scope.page()) == is_out,
                   f"{node} to be {'out' if is_out else 'back'}")

    def now(self):
        """By the simulator's clock. All moments here are: no answer that takes long makes a span longer or shorter."""
        return self.sim.truth()["now"]

    def do(self, what, node):
        """Between which seconds it happened. The simulator's answers tell of no change in the second of the answer before."""
        self.sim.control("advance?seconds=2")
        before = self.now()
        self.sim.control(f"node?name={node}&do={what}")
        return before, self.now()

    def check_lasted(self, seconds, begin, end):
        """As long as from `begin` to `end`, which are spans."""
        self.assertGreaterEqual(seconds, end[0] - begin[1] - SLACK)
        self.assertLessEqual(seconds, end[1] - begin[0] + SLACK)

    def test_killed(self):
        with Exporter(self.sim.url, *HERE) as scope:
            wait_until(lambda: "slurm_cluster_nodes_free" in scope.page(), "nodes")
            begin = self.do("fail", "n03")
            self.wait_for(scope, "n03", True)
            scope.end(signal.SIGKILL)
            self.sim.control("advance?seconds=50")
            end = self.do("resume", "n03")
            second = self.do("drain", "n04")  # while nobody looks
            self.sim.control("advance?seconds=50")
            scope.start()
            self.wait_for(scope, "n03", False)
            self.wait_for(scope, "n04", True)
            down = self.seconds(scope, "down", "not_responding")
            self.check_lasted(down, begin, end)
            page = scope.page()
            labels = '{kind="down",cause="not_responding"}'
            self.assertEqual(page[f"slurm_cluster_node_outage_duration_seconds_count{labels}"], 1)
            self.check_lasted(page[f"slurm_cluster_node_outage_duration_seconds_sum{labels}"], begin, end)
            kind, cause = next(SERIES.fullmatch(series).groups() for series in page if 'kind="drained"' in series and SERIES.fullmatch(series))
            least = self.now() + 3 - second[1]
            wait_until(lambda: self.seconds(scope, kind, cause) >= least - SLACK, lambda: f"{least} s, not {self.seconds(scope, kind, cause)}")
            drained = self.seconds(scope, kind, cause)
            self.assertLessEqual(drained, self.now() - second[0] + SLACK)
            self.assertEqual(self.seconds(scope, "down", "not_responding"), down)

    def test_causes_of_the_site(self):
        config = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="outages-")), "scope.yml")
        config.write_text("nodes: {cause: ['gpu=.*Xid.*', 'switch=Not resp.*']}\n")
        with Exporter(self.sim.url, *HERE, f"--config.file={config}") as scope:
            wait_until(lambda: "slurm_cluster_nodes_free" in scope.page(), "nodes")
            self.do("fail", "n05")
            wait_until(lambda: self.seconds(scope, "down", "switch") >= 2, "seconds of that cause")
            config.write_text("nodes: {cause: 'network=Not.*'}\n")
            scope.process.send_signal(signal.SIGHUP)
            wait_until(lambda: self.seconds(scope, "down", "network") >= 2, "seconds of the new cause")
            before, more = self.seconds(scope, "down", "switch"), self.seconds(scope, "down", "network") + 2
            wait_until(lambda: self.seconds(scope, "down", "network") >= more, "more of them")
            self.assertEqual(self.seconds(scope, "down", "switch"), before)
            self.assertEqual(self.seconds(scope, "down", "not_responding"), 0)


if __name__ == "__main__":
    unittest.main()
