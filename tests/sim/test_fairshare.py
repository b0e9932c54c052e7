"""The simulator's fairshare is fair_tree's: each level is among siblings, and factors are ranks on the way down the tree."""

import unittest

from simulator import Simulator


def fair_tree(shares):
    """{(user, account): factor}, as fair_tree.c walks down: it sorts siblings by level, and tied accounts share their children."""
    def key(one):
        return (one["name"], one["parent"], one["type"][0] == "USER")
    below = {}
    for one in shares:
        below.setdefault(one["parent"], []).append(one)
    users = sum(one["type"] == ["USER"] for one in shares)
    level = {key(one): one["fairshare"]["level"] for one in shares}
    factors, state = {}, {"rank": users, "next": users}

    def walk(siblings, tied_above):
        siblings = sorted(siblings, key=lambda one: (-level[key(one)], one["type"] != ["USER"]))
        before, at = None, 0
        while at < len(siblings):
            one = siblings[at]
            tied = tied_above if at == 0 and tied_above else before == level[key(one)]
            if one["type"] == ["USER"]:
                if not tied:
                    state["rank"] = state["next"]
                factors[one["name"], one["parent"]] = state["rank"] / users
                state["next"] -= 1
            else:
                same = [other for other in siblings[at:] if level[key(other)] == level[key(one)]]
                walk([child for other in same for child in below.get(other["name"], [])], tied)
                at += len(same) - 1
            before = level[key(one)]
            at += 1
    walk(below["root"], False)
    return factors


class Fairshare(unittest.TestCase):
    def test_it_is_fair_tree(self):
        with Simulator("--release=26.05", "--nodes=20", "--users=40", "--jobs=200", "--run-seconds=60", "--min-job-age=20") as sim:
            sim.control("advance?seconds=3600")
            shares = sim.json("/slurm/v0.0.45/shares")["shares"]["shares"]
        for one in shares:
            for name in ("shares_normalized", "usage_normalized", "effective_usage"):
                one[name] = one[name]["number"] if isinstance(one[name], dict) else one[name]
            if isinstance(one["fairshare"]["level"], dict):
                one["fairshare"]["level"] = one["fairshare"]["level"]["number"]
        parents = {one["parent"] for one in shares if one["parent"]}
        self.assertGreater(len(parents), 4)
        used = {one["name"]: one["effective_usage"] for one in shares if one["type"] != ["USER"]}
        for parent in parents:
            siblings = [one for one in shares if one["parent"] == parent]
            self.assertAlmostEqual(1, sum(one["shares_normalized"] for one in siblings), 9)
            if used[parent]:
                self.assertAlmostEqual(1, sum(one["effective_usage"] for one in siblings), 9, parent)
        expected = fair_tree(shares)
        self.assertGreater(len(set(expected.values())), 10)
        for one in (one for one in shares if one["type"] == ["USER"]):
            factor = one["fairshare"]["factor"]
            self.assertAlmostEqual(expected[one["name"], one["parent"]], factor["number"] if isinstance(factor, dict) else factor, 9, one["name"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
