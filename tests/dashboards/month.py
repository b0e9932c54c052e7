#!/usr/bin/env python3
"""What the alerts say of simulated sites of 10, 500 and 10,000 nodes in a month with disasters, and in a calm one. Prometheus' own
engine evaluates all rules (promtool test rules), every four minutes; each site and month is a cluster of its own.

    tests/dashboards/month.py > tests/figures/month.txt       prints what fired, for whom, when first, and how often
    tests/dashboards/month.py --short                         two days of 500 nodes: the test of the first tier

Jobs end at random, with nights and weekends. Single nodes go down, and come back after three hours. Users, partitions and the
cluster are modelled in full. A node has rows of its own only while something happens to it. The failures of the others are in the
row `other`, as slurmscope has it beyond its limit of rows."""

import argparse
import itertools
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CACHE = Path(os.environ.get("SLURMSCOPE_CACHE", "/var/cache/slurmscope"))
PROMTOOL = CACHE / "prometheus/usr/bin/promtool"
RULES = [str(ROOT / f"deploy/prometheus/slurmscope.{kind}.yml") for kind in ("rules", "alerts")]
STEP = 4  # minutes; a recorded series is looked for in the last five
HOUR = 60 // STEP
STATES = ("completed", "failed", "timeout", "node_fail")
# Nodes: users, and jobs that end in an hour. Jobs that a storm ends in an hour, and that a black hole fails. Nodes lost in a day.
SITES = {10: (4, 2, 60, 60, 1), 500: (25, 60, 600, 240, 8), 10_000: (40, 3000, 2000, 1200, 60)}
# (what happens, hours from the beginning, hours that it lasts)
MONTH = (("storm of one user", 58, 4), ("maintenance", 152, 10), ("black hole", 254, 2), ("file system fails", 338, 4),
         ("file system hangs", 452, 14), ("slow loss of nodes", 504, 144))
DAYS = (("storm of one user", 4, 3), ("black hole", 12, 2), ("file system fails", 20, 3), ("file system hangs", 30, 10))
# What fires, and what began to; queries over ALERTS of all nodes would need more samples than promtool takes.
FIRING = 'ALERTS{alertstate="firing", audience!="watchdog"}'
COUNTED = {"month:firing": f"count by (cluster, audience, alertname) ({FIRING})",
           "month:begun": f"count by (cluster, audience, alertname) ({FIRING} unless {FIRING} offset {STEP}m)"}
PIECE = 12  # Hours that one query looks at.
NODE_ROWS = 100  # Of nodes that failed jobs. Of more, a rule for a day takes more samples than promtool has.
TAIL = 8  # Hours after a disaster in which what fires is its consequence, too
ENDPOINTS = ("diag", "nodes", "dbd_jobs")
# What a slurmscope and a slurmctld tell that are well: families, values and labels.
WELL = (("up", 1, {"job": "slurmscope", "instance": "s:9341"}), ("slurmscope_build_info", 1, {"job": "slurmscope", "instance": "s:9341"}),
        ("slurm_controller_up", 1, {"controller": "ctl1", "role": "primary"}), ("slurm_controller_ping_seconds", 0.002, {"controller": "ctl1"}),
        ("slurm_dbd_up", 1, {}), ("slurmscope_coverage_ratio", 1, {}), ("slurm_controller_threads", 5, {}), ("slurm_controller_agent_queue", 0, {}),
        ("slurm_rpc_dropped_total", 0, {"message_type": "REQUEST_JOB_INFO"}),
        *((f"slurmscope_endpoint_{what}", value, {"endpoint": endpoint}) for what, value in (("up", 1), ("interval_seconds", 60)) for endpoint in ENDPOINTS))


def poisson(random_, mean):
    if mean > 50:
        return max(0, round(random_.gauss(mean, math.sqrt(mean))))
    count, product, limit = 0, random_.random(), math.exp(-mean)
    while product > limit:
        count, product = count + 1, product * random_.random()
    return count


def busy(hour, weekday):
    """How many submit, of the mean: by day more than at night, and less at weekends."""
    return (0.4 + 1.2 * math.exp(-((hour - 14) / 6) ** 2)) * (0.6 if weekday > 4 else 1)


def notation(values):
    """Of promtool: what repeats is one word; None is no sample."""
    words, before = [], None
    for value, run in ((value, len(list(same))) for value, same in itertools.groupby(values)):
        if value is None and before is not None:
            words.append("stale")
            run -= 1
        text = "_" if value is None else value
        words += [f"{text}x{run}" if value is None else f"{text}x{run - 1}"] if run else []
        before = value
    return " ".join(words)


class Cluster:
    """Series of one cluster, of samples at each step."""

    def __init__(self, name, nodes, steps):
        self.name, self.nodes, self.steps = name, nodes, steps
        self.random = random.Random(name)
        self.series = {}

    def values(self, family, **labels):
        text = ", ".join(f'{name}="{value}"' for name, value in {"cluster": self.name, **labels}.items())
        return self.series.setdefault(f"{family}{{{text}}}", [None] * self.steps)

    def always(self, family, value, **labels):
        self.values(family, **labels)[:] = [value] * self.steps

    def lines(self):
        return [{"series": name, "values": notation(values)} for name, values in self.series.items()]


class Site(Cluster):
    def __init__(self, name, nodes, steps, disasters):
        super().__init__(name, nodes, steps)
        self.users, self.ends, self.storm, self.hole, self.loss = SITES[nodes]
        self.disasters = disasters
        self.rows = 0

    def during(self, what, at):
        """Steps since it began, if it goes on."""
        for name, begin, hours in self.disasters:
            if name == what and begin * HOUR <= at < (begin + hours) * HOUR:
                return at - begin * HOUR
        return None

    def goes_down(self, at, steps):
        """A node that nobody has drained, from then on."""
        self.rows += 1
        rows = self.values("slurm_node_state", node=f"n{self.rows}", state="down")
        for step in range(at, min(at + steps, self.steps)):
            rows[step] = 1
        return f"n{self.rows}"

    def many(self, share, least, most):
        return math.ceil(min(max(share * self.nodes, least), most))

    def is_well(self):
        clock = [step * STEP * 60 for step in range(self.steps)]
        for family, value, labels in WELL:
            self.always(family, value, **labels)
        self.always("slurm_cluster_nodes", self.nodes, state="allocated")
        self.always("slurm_cluster_nodes_free", 0)
        self.always("slurm_dbd_agent_queue", 1)
        self.always("slurm_controller_job_records", 2000)
        self.always("slurm_cluster_pending_jobs", 40, reason="Priority")
        for endpoint in ENDPOINTS:
            self.values("slurmscope_endpoint_last_success_timestamp_seconds", endpoint=endpoint)[:] = clock
        self.values("slurm_backfill_last_cycle_timestamp_seconds")[:] = clock
        self.values("slurm_scheduler_cycles_total")[:] = [step * STEP for step in range(self.steps)]
        self.values("slurm_dbd_rollup_timestamp_seconds", trigger="slurmdbd")[:] = [step // HOUR * 3600 for step in range(self.steps)]
        for partition in ("cpu", "gpu"):
            self.always("slurm_partition_jobs", 20, partition=partition, state="pending")
            self.values("slurm_partition_state", partition=partition, state="up")[:] = [
                None if self.during("maintenance", step) is not None else 1 for step in range(self.steps)]
            self.values("slurm_partition_state", partition=partition, state="down")[:] = [
                1 if self.during("maintenance", step) is not None else None for step in range(self.steps)]

    def make(self):
        self.is_well()
        shares = [1 / (rank + 2) for rank in range(self.users)]
        shares = [share / sum(shares) for share in shares]
        ends = {}  # of partition, user, state
        drained = went_down = 0
        lost_on = {}

        def job_ends(at, partition, user, state, jobs, node="other"):
            ends[partition, user, state] = ends.get((partition, user, state), 0) + jobs
            if state in ("failed", "node_fail") and jobs:
                kind = "node_fail" if state == "node_fail" else "failed"
                lost_on[node, kind] = lost_on.pop((node, kind), 0) + jobs
                if len(lost_on) > NODE_ROWS:  # as slurmscope does: those that have not grown for the longest are forgotten
                    del lost_on[next(key for key in lost_on if key[0] != "other")]

        for at in range(self.steps):
            activity = busy(at / HOUR % 24, at // (24 * HOUR) % 7)
            fails, hangs = self.during("file system fails", at), self.during("file system hangs", at)
            storm, hole = self.during("storm of one user", at), self.during("black hole", at)
            pause, loss = self.during("maintenance", at), self.during("slow loss of nodes", at)
            for user, share in enumerate(shares):
                for partition, part in (("cpu", 0.8), ("gpu", 0.2)):
                    mean = self.ends / HOUR * activity * share * part
                    rates = {"completed": 0.87, "failed": 0.08, "timeout": 0.05}
                    if pause is not None:
                        rates = {}
                    elif fails is not None:  # each job that starts fails at once, and the next one starts
                        rates = {"failed": 5}
                    elif hangs is not None:  # none goes on; their limits come
                        rates = {"timeout": 0.5}
                    for state, rate in rates.items():
                        job_ends(at, partition, f"u{user}", state, poisson(self.random, mean * rate))
                    if hole is not None and partition == "cpu":
                        job_ends(at, partition, f"u{user}", "failed", poisson(self.random, self.hole / HOUR * share), "bad")
            if storm is not None:
                job_ends(at, "cpu", "u1", "failed", poisson(self.random, self.storm / HOUR))
            # a node fails every three years; an hour later somebody looks, and two hours later it is back
            down = poisson(self.random, self.nodes / (3 * 365 * 24 * HOUR))
            if loss is not None:
                down += poisson(self.random, self.loss / 24 / HOUR)
            for _ in range(down):
                node = self.goes_down(at, self.steps if loss is not None else 3 * HOUR)
                job_ends(at, "cpu", f"u{self.random.randrange(self.users)}", "node_fail", self.random.randint(1, 3), node)
                went_down += 1
            if pause == 0:
                drained += self.many(0.1, 4, 10_000)
            if hangs == HOUR:  # the first reach their limit, and cannot be killed
                for number in range(self.many(0.1, 4, 300)):
                    flag = self.values("slurm_node_flag", node=f"c{number}", flag="completing")
                    flag[at:at + 12 * HOUR] = [1] * len(flag[at:at + 12 * HOUR])
            sums = {}
            for (partition, user, state), jobs in ends.items():
                number = int(user[1:])
                for key in (("slurm_partition_job_ends_total", ("partition", partition), ("state", state)),
                            ("slurm_user_job_ends_total", ("user", user), ("account", f"a{number % 3}"), ("state", state)),
                            ("slurm_account_job_ends_total", ("account", f"a{number % 3}"), ("state", state)),
                            ("slurm_cluster_job_ends_total", ("state", state))):
                    sums[key] = sums.get(key, 0) + jobs
            for (family, *labels), jobs in sums.items():
                self.values(family, **dict(labels))[at] = jobs
            for (node, kind), jobs in lost_on.items():
                self.values("slurm_node_job_failures_total", node=node, kind=kind)[at] = jobs
            self.values("slurm_cluster_job_submissions_total")[at] = at
            self.values("slurm_cluster_node_transitions_total", to="down")[at] = went_down
            self.values("slurm_cluster_node_transitions_total", to="drain")[at] = drained
        return self.lines()


def ask(series, queries, rules, step=STEP, every=STEP):
    """(query's key, [(labels, value)]): what a promtool complains of that expects nothing. `rules` are paths.
    The series have samples each `step` minutes, and the rules are evaluated `every` number of minutes."""
    tests = [{"expr": expr, "eval_time": f"{at}m", "exp_samples": []} for at, expr in queries.values()]
    order = list(dict.fromkeys(name for path in rules for name in re.findall(r'(?m)"name": "(\w+)"', Path(path).read_text())))
    with tempfile.TemporaryDirectory(prefix="slurmscope-month-") as folder:
        path = Path(folder, "month.yml")
        path.write_text(json.dumps({"rule_files": list(map(str, rules)), "group_eval_order": order, "evaluation_interval": f"{every}m", "tests": [
            {"interval": f"{step}m", "input_series": series, "promql_expr_test": tests}]}))
        begun = time.monotonic()
        done = subprocess.run([PROMTOOL, "test", "rules", path], capture_output=True, text=True, env=os.environ | {"GOGC": "400"})
    said = done.stdout + done.stderr
    print(f"{len(series)} series: {time.monotonic() - begun:.0f} s", file=sys.stderr)
    answers = re.findall(r'expr: "((?:[^"\\]|\\.)*)", time: (\S+),\s*exp: nil\s*got: (.*)', said)
    found = {(expr.replace('\\"', '"'), when): got for expr, when, got in answers}
    if not found or ", err: " in said:
        sys.exit(said[-3000:])
    for key, (at, expr) in queries.items():
        got = found.get((expr, duration(at)), "")
        yield key, [(dict(re.findall(r'(\w+)="([^"]*)"', labels)), float(value)) for labels, value in re.findall(r"\{([^}]*)\} (\S+?)(?:, |$)", got)]


def duration(minutes):
    """As Prometheus writes it."""
    days, rest = divmod(minutes, 1440)
    hours, left = divmod(rest, 60)
    return "".join(f"{number}{unit}" for number, unit in ((days, "d"), (hours, "h"), (left, "m")) if number) or "0s"


def fired(sites, hours, rules=RULES):
    """{(site, what happened): {(audience, alert): (minutes until it fired first, how often it began)}}"""
    queries = {}
    for site in sites:
        spans = site.disasters or (("nothing", 0, hours),)
        for (what, begin, length), (_, following, _) in zip(spans, (*spans[1:], ("", hours, 0))):
            of = f'{{cluster="{site.name}"}}'
            # promtool takes 10,000 samples a query
            for hour in range(begin, min(begin + length + TAIL, following), PIECE):
                end = min(hour + PIECE, begin + length + TAIL, following) * 60 - STEP
                minutes = end - hour * 60
                queries[site, what, "first", hour] = end, f"min_over_time(timestamp(month:firing{of})[{minutes}m:{STEP}m])"
                queries[site, what, "begins", hour] = end, f"sum_over_time(month:begun{of}[{minutes + 1}m])"
    told = {}
    with tempfile.TemporaryDirectory(prefix="slurmscope-counted-") as folder:
        counted = Path(folder, "counted.yml")
        counted.write_text(json.dumps({"groups": [{"name": "month", "rules": [
            {"record": name, "expr": expr} for name, expr in COUNTED.items()]}]}))
        answers = list(ask([one for site in sites for one in site.make()], queries, [*rules, counted]))
    for (site, what, kind, _), samples in answers:
        begin = next((begin for name, begin, _ in site.disasters if name == what), 0)
        here = told.setdefault((site.name, what), {})
        for labels, value in samples:
            key = labels["audience"], labels["alertname"]
            first, begins = here.get(key, (None, 0))
            after = value / 60 - begin * 60
            here[key] = (after if first is None else min(first, after), begins) if kind == "first" else (first, begins + int(value))
    return told


AUDIENCES = ("page", "ticket", "user_support", "report")


def table(told):
    yield f"{'site':<14} {'what happens':<20} {'audience':<13} {'alert':<30} {'after':>7} {'times':>6}"
    for (site, what), alerts in told.items():
        rows = sorted(alerts.items(), key=lambda row: (AUDIENCES.index(row[0][0]), row[1][0]))
        for (audience, alert), (first, begins) in rows or [(("-", "-"), (None, 0))]:
            after = "-" if first is None else f"{first:.0f} min" if first < 600 else f"{first / 60:.0f} h"
            yield f"{site:<14} {what:<20} {audience:<13} {alert:<30} {after:>7} {begins:>6}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("nodes", type=int, nargs="*", default=list(SITES), help="of which sites; all of them")
    options = parser.parse_args()
    hours, sizes, disasters = (48, (500,), DAYS) if options.short else (30 * 24, options.nodes, MONTH)
    sites = [Site(f"{nodes} {kind}", nodes, hours * HOUR, of) for nodes in sizes for kind, of in (("disasters", disasters), ("calm", ()))]
    for line in table(fired(sites, hours)):
        print(line)


if __name__ == "__main__":
    main()
