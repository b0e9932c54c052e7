#!/usr/bin/env python3
"""Every query of every panel, every variable and annotation, every recording rule and alert is asked of a Prometheus that has
read slurmscope on a busy simulator and exporters on nodes: none may fail, and each has data or is in empty.json with the
reason why it may be empty; what is there and has data is an error, too. Some values are compared with what the simulator
knows. All of it once with targets that have no label for the cluster, once with the same cluster under two names.
usage: proof.py [SECONDS]"""

import json
import math
import re
import sys
from pathlib import Path

import boards
from world import World, wait_until

SECONDS = 95  # what ended jobs used is asked for a minute after their ends
EMPTY = json.loads(Path(__file__).with_name("empty.json").read_text())
JOBS = 6  # of the Job dashboard: as many as it takes until all kinds of exporters have had theirs


class Asked:
    """One Prometheus' answers."""

    def __init__(self, world, prometheus):
        self.world, self.prometheus = world, prometheus
        self.start, self.end = world.start, world.end
        self.fixed = {"__rate_interval": "15s", "__range": f"{int(self.end - self.start)}s", "__range_s": str(int(self.end - self.start)),
                      "__interval": "1s"}
        self.errors, self.empty, self.full = [], set(), set()

    def label_values(self, query, values):
        selector, label = boards.label_values(boards.fill(query, values))
        found, error = self.prometheus.get(f"label/{label}/values", **{"match[]": selector}, start=self.start, end=self.end)
        return found, error

    def choices(self, board):
        """Values of a board's variables: all chosen where that can be, and then one of each."""
        everything, one = dict(self.fixed), dict(self.fixed)
        for variable in boards.variables(board):
            name, query = variable["name"], variable["query"]["query"]
            found, error = self.label_values(query, everything)
            found = sorted(found or [])
            if name == "cluster":
                assert (found, error) == (sorted(self.prometheus.clusters), None), f"clusters are {found}, {error}"
            else:
                self.note(board, f"variable {name}", found, error)
            everything[name] = ".*" if variable["includeAll"] else (found or [""])[0]
            one[name] = found[len(found) // 2:][:1] or [""]
        return everything, one

    def note(self, board, where, found, error, must=True):
        key = f"{board['uid'].partition('-')[2]} / {where}"
        if error:
            self.errors.append(f"{key}: {error}")
        elif found:
            self.full.add(key)
        elif must:
            self.empty.add(key)

    @staticmethod
    def has_data(result):
        """What is not a number shows nothing."""
        return any(not math.isnan(float(value)) for series in result
                   for _, value in series.get("values", [series.get("value")]))

    def ask(self, board, values, must=True):
        for panel in boards.panels(board):
            for target in panel["targets"]:
                expression = boards.fill(target["expr"], values)
                data, error = self.prometheus.now(expression, self.end) if target["instant"] else \
                    self.prometheus.over(expression, self.start, self.end)
                where = panel["title"] + (f" / {target['legendFormat'] or target['refId']}" if len(panel["targets"]) > 1 else "")
                self.note(board, where, not error and self.has_data(data["result"]), error, must)
        for annotation in board["annotations"]["list"]:
            data, error = self.prometheus.over(boards.fill(annotation["expr"], values), self.start, self.end)
            self.note(board, f"annotation {annotation['name']}", not error and data["result"], error, must)

    def rules(self):
        data, error = self.prometheus.get("rules")
        assert not error, error
        for rule in (rule for group in data["groups"] for rule in group["rules"]):
            board = {"uid": f"x-{rule['type']}"}
            if rule.get("lastError"):
                self.errors.append(f"{rule['name']}: {rule['lastError']}")
            elif rule["type"] == "recording":
                found, error = self.prometheus.now(rule["name"], self.end)
                self.note(board, rule["name"], found["result"], error)
            else:
                self.full.add(f"alerting / {rule['name']}")


def jobs_of(world):
    """Jobs that the exporters know, one per node and way of telling them apart."""
    return [jobs[0]["job"] for node, jobs in sorted(world.exporters.jobs.on.items()) if jobs and world.exporters.knows(node)]


def ask(world, prometheus):
    asked = Asked(world, prometheus)
    for board in boards.load().values():
        everything, one = asked.choices(board)
        if "jobid" in everything:
            for job in jobs_of(world):
                asked.ask(board, everything | {"jobid": job})
        else:
            asked.ask(board, everything)
        asked.ask(board, one, must=False)
    asked.rules()
    asked.empty -= asked.full
    return asked


def number(asked, title, name, board, cluster=".*"):
    """The value of a panel's query."""
    board = boards.load()[board]
    panel, = (panel for panel in boards.panels(board) if panel["title"] == title)
    target, = (target for target in panel["targets"] if target["legendFormat"] == name)
    values = asked.fixed | {variable["name"]: ".*" for variable in boards.variables(board)} | {"cluster": cluster}
    expression = boards.fill(target["expr"], values)
    data, error = asked.prometheus.now(expression, asked.end)
    assert not error, error
    rows = [float(row["value"][1]) for row in data["result"]]
    return rows[0] if len(rows) == 1 else rows


def compare(world, asked, cluster):
    """(what, shown, true) of what the simulator knows. Its clock stands."""
    truth = world.sim.truth()
    value = lambda name: truth.get(name, 0)  # noqa: E731
    cpus = sum(value(f"cpus/{state}") for state in ("allocated", "idle", "other"))
    return [(f"{board} / {title} / {name}", number(asked, title, name, board + ".json", cluster), true) for board, title, name, true in (
        ("overview", "In use", "CPUs", value("cpus/allocated") / cpus),
        ("overview", "Nodes out of service", "down", value("nodes/DOWN")),
        ("queue", "Oldest startable job", "age", None),
    ) if true is not None]


def report(kind, keys):
    return f"{len(keys)} {kind}"


def main(seconds=SECONDS):
    failures = []
    with World(seconds, clusters=((), ("one", "two"))) as world:
        for prometheus in world.prometheus:
            asked = ask(world, prometheus)
            name = "two clusters" if prometheus.clusters else "no label"
            failures += [f"{name}: {error}" for error in asked.errors]
            failures += [f"{name}: no data: {key}" for key in sorted(asked.empty - EMPTY.keys())]
            failures += [f"{name}: has data, but is said to be empty: {key}" for key in sorted(asked.full & EMPTY.keys())]
            failures += [f"{name}: is said to be empty, but nobody asks: {key}" for key in sorted(EMPTY.keys() - asked.full - asked.empty)]
            compared = compare(world, asked, "one" if prometheus.clusters else ".*")
            failures += [f"{name}: {what}: {shown}, but it is {true}" for what, shown, true in compared
                         if not isinstance(shown, float) or not math.isclose(shown, true, rel_tol=1e-9)]
            total = len(asked.full | asked.empty)
            print(f"{name}: {total} queries executed, {len(asked.full)} with data, {len(asked.empty & EMPTY.keys())} legitimately empty; "
                  f"{len(compared)} values compared with the simulator's")
    print("\n".join(failures))
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
