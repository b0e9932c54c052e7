#!/usr/bin/env python3
"""Every answer of the simulator against the recorded one of the same API version, member by member. It has
the same members, in both directions, and only JSON types that were recorded."""

import os
import unittest

from simulator import ANSWERED, FIXTURES, Simulator, parse

# path below the version, recorded answer, their list
ANSWERS = [
    ("/slurm/{}/ping", "ping"), ("/slurm/{}/diag", "diag"), ("/slurm/{}/partitions", "partitions"),
    ("/slurm/{}/nodes", "nodes"), ("/slurm/{}/jobs", "jobs"), ("/slurm/{}/jobs/state/", "jobs_state"),
    ("/slurm/{}/reservations", "reservations"), ("/slurm/{}/licenses", "licenses"),
    ("/slurm/{}/shares", "shares"), ("/slurm/{}/conf", "conf"), ("/slurm/{}/job/{leader}", "job_one"),
    ("/slurmdb/{}/ping", "db_ping"), ("/slurmdb/{}/diag", "db_diag"), ("/slurmdb/{}/qos", "db_qos"),
    ("/slurmdb/{}/associations", "db_associations"), ("/slurmdb/{}/jobs", "db_jobs"),
    ("/slurmdb/{}/jobs?skip_steps=true&start_time=1", "db_jobs_skip_steps"),
]
NUMBERS = {"int", "float"}


def types(value, path="", found=None):
    """{path: types}; the elements of a list share one path, as do the keys of a map by number."""
    found = {} if found is None else found
    kind = type(value).__name__
    found.setdefault(path, set()).add(kind)
    if isinstance(value, dict):
        for key, member in value.items():
            types(member, f"{path}.{'0' if key.isdigit() else key}", found)
    elif isinstance(value, list):
        for member in value:
            types(member, f"{path}[]", found)
    return found


def differences(recorded, simulated):
    """What is in one and not in the other, as lines."""
    def is_below_absent(path, other):
        """Below a list without elements, or a record that was null throughout."""
        while path:
            path = path[:max(path.rfind("."), path.rfind("[]"), 0)]
            kinds = other.get(path, set())
            if kinds and (kinds == {"list"} and f"{path}[]" not in other or "dict" not in kinds
                          and "list" not in kinds):
                return True
        return False
    lines = []
    for path, kinds in sorted(recorded.items()):
        if path not in simulated and not is_below_absent(path, simulated):
            lines.append(f"only recorded: {path} {sorted(kinds)}")
    for path, kinds in sorted(simulated.items()):
        if path not in recorded:
            if not is_below_absent(path, recorded):
                lines.append(f"only simulated: {path} {sorted(kinds)}")
        elif not kinds <= recorded[path] and not kinds | recorded[path] <= NUMBERS:
            lines.append(f"{path}: {sorted(kinds)}, recorded {sorted(recorded[path])}")
    return lines


class Shapes(unittest.TestCase):
    maxDiff = None

    def compare(self, release, seed, options=()):
        folder, versions = ANSWERED[release]
        with Simulator(f"--release={release}", f"--seed={seed}", "--nodes=60", "--jobs=800",
                       *options) as sim:
            sim.control("advance?seconds=400")  # ends, failures, forgotten jobs
            for version in (f"v0.0.{number}" for number in versions):
                jobs = sim.json(f"/slurm/{version}/jobs")["jobs"]
                leader = next(job["job_id"] for job in jobs if job["array_task_string"])
                for path, name in ANSWERS:
                    with self.subTest(release=release, version=version, answer=name):
                        recorded = FIXTURES / folder / version / f"{name}.json"
                        url = path.format(version, leader=leader)
                        status, _, body = sim.get(url)
                        head = recorded.with_suffix(".json.headers").read_text()
                        self.assertEqual(status, int(head.split()[1]), url)
                        if b"json" not in head.encode():
                            self.assertEqual(body, recorded.read_bytes())
                            continue
                        wanted = types(parse(recorded.read_bytes()))
                        if name == "job_one":  # one job cannot have all that jobs can
                            types(parse(recorded.with_name("jobs.json").read_bytes()), "", wanted)
                        self.assertEqual([], differences(wanted, types(parse(body))), url)

    def test_22_05(self):
        self.compare("22.05", 1)

    def test_24_11(self):
        self.compare("24.11", 2)

    def test_26_05(self):
        self.compare("26.05", 3)

    def test_26_11(self):
        self.compare("26.11", 4)

    def test_compact_is_the_same(self):
        """--compact takes whitespace away and nothing else."""
        for release in ANSWERED:
            version = f"v0.0.{ANSWERED[release][1][-1]}"
            answers = []
            for options in ((), ("--compact",)):
                with Simulator(f"--release={release}", *options) as sim:
                    answers.append([sim.get(f"/slurm/{version}/{path}")[2] for path in
                                    ("jobs", "nodes", "diag", "partitions")])
            for pretty, compact in zip(*answers):
                self.assertEqual(parse(pretty), parse(compact))
                self.assertNotIn(b"\n", compact)
                self.assertLess(len(compact), len(pretty))

    def test_pretty_is_laid_out_as_recorded(self):
        """The first job of an answer has the indentation of the recorded one, line by line."""
        def margins(body):
            lines = body.decode("utf-8", "replace").split("\n")
            return {(len(line) - len(line.lstrip()), line.strip().split(":")[0])
                    for line in lines if '":' in line}
        for release, (folder, versions) in ANSWERED.items():
            version = f"v0.0.{versions[-1]}"
            with Simulator(f"--release={release}") as sim:
                recorded = (FIXTURES / folder / version / "nodes.json").read_bytes()
                self.assertEqual(margins(sim.get(f"/slurm/{version}/nodes")[2]), margins(recorded))


if __name__ == "__main__":
    os.chdir(os.path.dirname(os.path.abspath(__file__)) + "/../..")
    unittest.main(verbosity=2)
