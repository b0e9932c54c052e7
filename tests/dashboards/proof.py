#!/usr/bin/env python3
"""Asks a Prometheus every query of every panel, every variable and annotation, every recording rule and alert. That Prometheus
has read slurmscope on a busy simulator, and exporters on nodes. No query may fail. Each has data, or is in empty.json with the
reason why it may be empty. One that is there and has data is an error, too. Where the reason begins with "perhaps", it may
have some. Some values are compared with what the simulator knows and the exporters say. All of it runs twice: with targets that
have no label for the cluster, and with the same cluster under two names. It also runs with all that can be chosen, and with one
of each.
usage: proof.py [--short] [SECONDS]    (how long it lives before it is asked; --short: two names, and all that can be chosen)"""

import argparse
import json
import math
import sys
from pathlib import Path

import boards
from exporters import NODES
from world import CLUSTER_GPUS, SCRAPE_S, World

SECONDS = 95  # what ended jobs used is asked for a minute after their ends
BOARDS = boards.load() | boards.of_groups()
EMPTY = json.loads(Path(__file__).with_name("empty.json").read_text())
# What the exporters' samples say that a job uses of what it holds.
USED = {"cgroup_exporter": {"CPUs": 0.8, "memory": 0.5}, "cgroup_exporter_sluid": {"CPUs": 0.8, "memory": 0.5},
        "slurm-job-exporter": {"CPUs": 0.6, "memory": 0.3}, "ceems": {"CPUs": 0.55, "memory": 0.6},
        "cgroup_exporter_path": {"CPUs": 0.7, "memory": 0.4}, "lustre": {}, "dcgm": {"GPUs": 0.87},
        "nvidia_gpu": {"GPUs": 0.64}, "nvidia_smi": {"GPUs": 0.7}, "node_exporter": {}}


def has_number(result):
    """What is not a number shows nothing."""
    return any(not math.isnan(float(value)) for series in result for _, value in series.get("values", [series.get("value")]))


class Asked:
    """What one Prometheus answers."""

    def __init__(self, world, prometheus, step=SCRAPE_S, rate_interval="15s"):
        self.world, self.prometheus, self.start, self.end, self.step = world, prometheus, world.start, world.end, step
        seconds = int(self.end - self.start)
        self.built_in = {"__rate_interval": rate_interval, "__interval": rate_interval, "__range": f"{seconds}s", "__range_s": str(seconds)}
        self.errors, self.empty, self.full = [], set(), set()

    def note(self, key, found, error, must=True):
        """What has data once, of all that is chosen, has data."""
        if error:
            self.errors.append(f"{key}: {error}")
        elif found:
            self.full.add(key)
        elif must:
            self.empty.add(key)

    def query(self, expression, instant):
        data, error = self.prometheus.now(expression, self.end) if instant else \
            self.prometheus.over(expression, self.start, self.end, self.step)
        return (data or {"result": []})["result"], error

    def choices(self, name, board, **given):
        """Values of a board's variables: of all, where that can be chosen, else what is given; and one of each."""
        everything, one = ({**self.built_in, **boards.given(board)} for _ in range(2))
        for variable in boards.variables(board):
            selector, label = boards.label_values(boards.fill(variable["query"]["query"], everything))
            found, error = self.prometheus.get(f"label/{label}/values", **{"match[]": selector}, start=self.start, end=self.end)
            found = sorted(found or [])
            if label == "cluster":
                if found != sorted(self.prometheus.clusters):
                    self.errors.append(f"{name}: the clusters are {found}, {error}")
            else:
                self.note(f"{name} / variable {variable['name']}", found, error)
            everything[variable["name"]] = ".*" if variable["includeAll"] else given.get(variable["name"], (found or [""])[0])
            one[variable["name"]] = found[len(found) // 2:][:1] or [""]
        return everything, one

    def others(self):
        """Jobs that do not run: one that waits, some that ended. What it used is known of one, and one failed."""
        for query in ('slurm_pending_job_info and on (jobid) slurm_pending_job_requested_gres', "slurm_ended_job_used_cpu_seconds",
                      'slurm_ended_job_info{failed_node!=""}', 'slurm_ended_job_allocated_gres{gres="gpu"}'):
            result, error = self.query(query, True)
            assert result, (query, error)
            yield result[0]["metric"]["jobid"]

    def users(self):
        """Some whose jobs wait and fail."""
        result, error = self.query("topk(5, count by (user) (slurm_pending_job_info) * on (user) count by (user) (slurm_ended_job_info{state='failed'}))", True)
        assert result, error
        return [one["metric"]["user"] for one in result]

    def answers(self, board, values):
        """{panel: what Prometheus says to each of its queries}"""
        return {panel["id"]: [self.query(boards.fill(target["expr"], values), target["instant"])[0] for target in panel["targets"]]
                for panel in boards.panels(board)}

    def board(self, name, board, values, must=True):
        for panel in boards.panels(board):
            for target in panel["targets"]:
                which = f" / {target['legendFormat'] or target['refId']}" if len(panel["targets"]) > 1 else ""
                result, error = self.query(boards.fill(target["expr"], values), target["instant"])
                self.note(f"{name} / {panel['title']}{which}", has_number(result), error, must)
        for annotation in board["annotations"]["list"]:
            result, error = self.query(boards.fill(annotation["expr"], values), False)
            self.note(f"{name} / annotation {annotation['name']}", result, error, must)

    def boards(self, jobs, is_short):
        for file, board in BOARDS.items():
            name = file.removesuffix(".json")
            everything, one = self.choices(name, board, jobid=next(filter(None, jobs.values())))
            if "jobid" in everything:
                for job in (*jobs.values(), *self.others()):
                    self.board(name, board, everything | {"jobid": job})
            elif everything.get("user") == "":
                for user in self.users():
                    self.board(name, board, everything | {"user": user})
            else:
                self.board(name, board, everything)
            if not is_short:
                self.board(name, board, one, must=False)

    def rules(self, groups):
        """What each has recorded at any moment: on a busy machine the last start of a job is long ago when we ask."""
        for rule in (rule for group in groups["groups"] for rule in group["rules"]):
            if rule.get("lastError"):
                self.errors.append(f"rule {rule['name']}: {rule['lastError']}")
            elif rule["type"] == "alerting":
                self.note(f"alert {rule['name']}", True, None)
            else:
                self.note(f"rule {rule['name']}", *self.query(rule["name"], False))

    def value(self, name, title, legend, **chosen):
        """What a panel shows, of one cluster."""
        target = next(target for panel in boards.panels(BOARDS[f"{name}.json"]) if panel["title"] == title
                      for target in panel["targets"] if target["legendFormat"] == legend)
        values = self.built_in | dict.fromkeys(("partition", "qos", "account", "user", "node"), ".*") | {
            "cluster": "|".join(self.prometheus.clusters[:1]) or ".*"}
        result, error = self.query(boards.fill(target["expr"], values | chosen), True)
        return float(result[0]["value"][1]) if len(result) == 1 and not error else f"{result or error}"


def jobs_of(world):
    """{node: a job that runs there and nowhere else, the oldest} of the nodes that have exporters."""
    on = world.exporters.jobs.on
    homes = {}
    for node, jobs in on.items():
        for job in jobs:
            homes.setdefault(job["job"], []).append(node)
    return {node: next((job["job"] for job in on.get(node, []) if len(homes[job["job"]]) == 1), "") for node in NODES}


def busiest(jobs):
    """A job that has GPUs."""
    return next(jobs[node] for node, kinds in NODES.items() if "dcgm" in kinds and jobs[node])


def compare(world, asked, jobs):
    """(what, shown, true, how far it may be off)"""
    truth = world.truth

    def all_of(kind):
        return sum(value for key, value in truth.items() if key.startswith(kind + "/"))

    def since(*keys):
        """Events since we look."""
        return sum(truth.get(f"events/cluster/{key}", 0) - world.before.get(f"events/cluster/{key}", 0) for key in keys)
    failed = since("ends/FAILED", "ends/NODE_FAIL", "ends/OUT_OF_MEMORY", "ends/BOOT_FAIL")
    rows = [
        ("overview", "In use", "CPUs", truth["cpus/allocated"] / all_of("cpus"), 0),
        ("overview", "Nodes out of service", "down", truth["nodes/DOWN"], 0),
        # increase() goes by the scrapes, and ends come in bursts
        ("overview", "Job failure rate", "failed", failed / (failed + since("ends/COMPLETED")), 0.07),
        ("queue", "Pending", "jobs", truth["jobs/PENDING"], 0),
        ("nodes", "Nodes", "nodes", all_of("nodes"), 0),
        ("nodes", "Nodes", "free", truth["nodes_free"], 0),
        ("gpus", "Occupancy", "allocated", truth["gpus/allocated"] / CLUSTER_GPUS, 0),
    ]
    for name, title, legend, true, off in rows:
        yield f"{name} / {title} / {legend}", asked.value(name, title, legend), true, off
    for node, job in jobs.items():
        for what, true in (pair for kind in NODES[node] for pair in USED[kind].items()):
            # a rate over a few scrapes, some of which come late on a busy machine
            off = 0.15 if what == "CPUs" else 0
            yield f"job / Efficiency / {what} on {node}", asked.value("job", "Efficiency", what, jobid=job), true, off


def wrong(world, asked, jobs):
    """What is not as it should be; and how many values were compared."""
    found = list(asked.errors)
    found += [f"no data: {key}" for key in sorted(asked.empty - asked.full - EMPTY.keys())]
    found += [f"has data, but is said to have none: {key}" for key in sorted(asked.full & EMPTY.keys())
              if not EMPTY[key].startswith("perhaps")]
    found += [f"is said to have no data, but is not there: {key}" for key in sorted(EMPTY.keys() - asked.full - asked.empty)]
    compared = list(compare(world, asked, jobs))
    found += [f"{what}: {shown}, but it is {true}" for what, shown, true, off in compared
              if isinstance(shown, str) or abs(shown - true) > off + 1e-9 * abs(true)]
    return found, len(compared)


def counts(asked):
    """By panel: one has data if all its queries have, and may be empty if one of them may."""
    def panels(keys):
        return {" / ".join(key.split(" / ")[:2]) for key in keys if " / " in key and " / variable " not in key and " / annotation " not in key}
    every, empty = panels(asked.full | asked.empty), panels(asked.empty - asked.full)
    queries, rules = asked.full | asked.empty, [key for key in asked.full if key.startswith(("rule ", "alert "))]
    return f"{len(every)} panels executed, {len(every - empty)} with data, {len(empty)} legitimately empty in part or whole; " \
           f"{len(queries) - len(rules)} queries, {len(rules)} rules and alerts"


def ask(world, prometheus, jobs, is_short):
    groups, error = prometheus.get("rules")
    assert not error, error
    asked = Asked(world, prometheus)
    with world.resting():
        asked.boards(jobs, is_short)
        asked.rules(groups)
        return asked, *wrong(world, asked, jobs)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--short", action="store_true")
    parser.add_argument("seconds", type=int, nargs="?", default=SECONDS)
    options = parser.parse_args()
    failed = False
    with World(options.seconds, clusters=(("one", "two"),) if options.short else ((), ("one", "two"))) as world:
        jobs = jobs_of(world)
        for prometheus in world.prometheus:
            asked, found, compared = ask(world, prometheus, jobs, options.short)
            name = "two clusters" if prometheus.clusters else "no label for the cluster"
            if found:  # of a wrong query it is so at each moment; scrapes that came late on a busy machine lie behind the next
                print("".join(f"{name}, looked at once more: {one}\n" for one in found), end="", flush=True)
                world.look_again()
                asked, found, compared = ask(world, prometheus, jobs, options.short)
            print(f"{name}: {counts(asked)}; {compared} values compared")
            print("".join(f"{name}: {one}\n" for one in found), end="")
            failed |= bool(found)
    return failed


if __name__ == "__main__":
    sys.exit(main())
