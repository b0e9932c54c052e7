#!/usr/bin/env python3
"""Twelve simulated clusters in one slurmscope, and one that never answers. What the page says of each is that cluster's own;
one that is away, or dies, does not hold back the others."""

import contextlib
import re
import socket
import sys
import unittest
from pathlib import Path

from simulator import Simulator
from test_truth import FAMILIES, labels_of, truth_of

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "e2e"))
from harness import EVERY_SECOND, Daemon, wait_until  # noqa: E402

CLUSTERS = 12
SILENT = "silent"
UP, ANSWERED = "slurmscope_endpoint_up", "slurmscope_endpoint_last_success_timestamp_seconds"
SHOWN = {family for family, _, _ in FAMILIES.values()}


def config_of(urls):
    intervals = "".join(f"  {option.removeprefix('--interval.').replace('=', ': ')}\n"
                        for option in EVERY_SECOND if option.startswith("--interval."))
    clusters = "".join(f"  {name}: {{slurmrestd: {{url: \"{url}\"}}}}\n" for name, url in urls.items())
    return ("slurmrestd: {token-file: {folder}/token, user: root}\nbudget: {slurmrestd: 1000, slurmctld: 1000, requests: 1000}\n"
            f"interval:\n{intervals}clusters:\n{clusters}")


def by_cluster(page):
    """{cluster: {(family, {labels}): value}} of the families that simulators know, without zeros."""
    found = {}
    for series, value in page.items():
        fits = re.fullmatch(r"(\w+)\{(.*)\}", series)
        if fits and fits[1] in SHOWN and value:
            labels = dict(labels_of(fits[2]))
            found.setdefault(labels.pop("cluster"), {})[fits[1], frozenset(labels.items())] = value
    return found


def of_jobs(page, family):
    """{cluster: the family's value for the endpoint of jobs}"""
    return {dict(labels_of(series))["cluster"]: value for series, value in page.items()
            if series.startswith(family + "{") and 'endpoint="jobs"' in series}


class Fleet(unittest.TestCase):
    maxDiff = None

    def test_each_its_own(self):
        """Of different sizes, so that no two have the same numbers."""
        with contextlib.ExitStack() as stack:
            deaf = stack.enter_context(socket.create_server(("127.0.0.1", 0)))  # the kernel accepts, and nobody answers
            sims = {f"c{number:02}": stack.enter_context(Simulator(
                f"--cluster=c{number:02}", f"--seed={number}", f"--nodes={50 + number}", "--jobs=200", "--users=20", "--release=26.05"))
                for number in range(CLUSTERS - 1)}
            mortal = stack.enter_context(contextlib.ExitStack())
            sims["mortal"] = mortal.enter_context(Simulator("--cluster=mortal", "--nodes=80", "--jobs=200", "--users=20", "--release=26.05"))
            for sim in sims.values():
                sim.control("advance?seconds=3600")
            truths = {name: truth_of(sim.truth()) for name, sim in sims.items()}
            self.assertEqual(CLUSTERS, len({frozenset(truth.items()) for truth in truths.values()}))
            urls = {SILENT: f"http://127.0.0.1:{deaf.getsockname()[1]}"} | {name: sim.url for name, sim in sims.items()}
            with Daemon(None, config=config_of(urls)) as daemon:
                self.says_of_each(daemon, truths)
                self.goes_on_without(daemon, set(sims) - {"mortal"}, mortal.close)

    def says_of_each(self, daemon, truths):
        """Every number belongs to the right cluster; the silent one has none, and holds nobody back."""
        def differs():
            page = daemon.page()
            shown = by_cluster(page)
            return {name: set(shown.get(name, {}).items()) ^ set(truth.items()) for name, truth in truths.items() if shown.get(name) != truth}
        wait_until(lambda: not differs(), lambda: {name: sorted(rows, key=str)[:5] for name, rows in differs().items()})
        page = daemon.page()
        self.assertEqual(set(truths), set(by_cluster(page)))
        self.assertEqual(dict.fromkeys(truths, 1), {name: up for name, up in of_jobs(page, UP).items() if name != SILENT})
        self.assertFalse(of_jobs(page, UP).get(SILENT))

    def goes_on_without(self, daemon, others, kill):
        kill()
        page = daemon.wait_for(lambda page: of_jobs(page, UP)["mortal"] == 0, "the page says that one died")
        began = of_jobs(page, ANSWERED)
        page = daemon.wait_for(lambda page: all(of_jobs(page, ANSWERED)[name] > began[name] + 1 for name in others), "the others are asked on")
        self.assertEqual(began["mortal"], of_jobs(page, ANSWERED)["mortal"])
        self.assertEqual(dict.fromkeys(others, 1), {name: up for name, up in of_jobs(page, UP).items() if name in others})


if __name__ == "__main__":
    unittest.main()
