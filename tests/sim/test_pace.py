#!/usr/bin/env python3
"""slurmscope beside a simulated slurmrestd that is slow, or refuses, for a while: nothing that it knew is lost, and it goes on
soon after."""

import time
import unittest

from simulator import Simulator, second_tier
from test_planner import EAGER, Planner, Scope, all_at_once


class Pace(Planner):
    def test_a_proxy_that_refuses_for_a_minute(self):
        """jobs/state answers 404, twice and more. There are too many jobs for a list, so they are read by their states as soon
        as jobs/state is served again. Before, that took an hour."""
        with Simulator("--jobs=1500", "--nodes=100", "--arrays=0") as sim, \
                Scope(sim, *EAGER, "--budget.bulk-memory=125", "--interval.job_rotation=2") as scope:
            self.settle(sim, scope, "the start")
            refused = "slurmscope_requests_total", frozenset({("endpoint", "job_states"), ("result", "unsupported")})
            sim.control("fault?kind=status&status=404&endpoint=states")
            scope.wait(lambda: scope.samples().get(refused, 0) >= 2, "two refusals")
            sim.control("advance?seconds=300")
            sim.control("fault?kind=none")
            begun = time.monotonic()
            self.settle(sim, scope, "jobs/state is served again")
            self.assertLess(time.monotonic() - begun, 600)
            self.assertNotIn("jobs", sim.stats()["endpoints"])

    def test_a_proxy_that_refuses_everything(self):
        """ping, too: no version is found for a moment."""
        with Simulator("--jobs=600", "--nodes=50") as sim, \
                Scope(sim, *EAGER, "--interval.ping=1", "--interval.job_rotation=2") as scope:
            self.settle(sim, scope, "the start")
            whole = sim.stats()["endpoints"]["states"]["requests"]
            sim.control("fault?kind=status&status=404")
            scope.wait(lambda: scope.samples().get(("slurmscope_endpoint_up", frozenset({("endpoint", "ping")}))) == 0,
                       "ping is refused")
            sim.control("advance?seconds=300")
            sim.control("fault?kind=none")
            self.settle(sim, scope, "it is served again")
            self.assertGreater(sim.stats()["endpoints"]["states"]["requests"], whole)
            self.assertNotIn("jobs", sim.stats()["endpoints"])

    @second_tier
    def test_an_answer_that_takes_a_minute(self):
        """It is shorter than the default timeout, so it counts."""
        with Simulator("--jobs=50", "--nodes=50") as sim:
            sim.control("fault?kind=slow&endpoint=nodes&seconds=60")
            with Scope(sim) as scope:
                def is_known():
                    name = "slurmscope_endpoint_last_success_timestamp_seconds"
                    return (name, frozenset({("endpoint", "nodes")})) in scope.samples()
                scope.wait(is_known, "the nodes")
                page = scope.samples()
                timeouts = "slurmscope_requests_total", frozenset({("endpoint", "nodes"), ("result", "timeout")})
                self.assertEqual(0, page.get(timeouts, 0))


def load_tests(loader, tests, pattern):
    """They mostly wait. Those of Planner itself run where it is."""
    own = unittest.TestSuite(Pace(name) for name in loader.getTestCaseNames(Pace) if Pace.__dict__.get(name))
    return all_at_once(own, 3)


if __name__ == "__main__":
    unittest.main(verbosity=2)
