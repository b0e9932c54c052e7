#!/usr/bin/env python3
"""What the alerts about the unusual (dashboards/alerts/ahead.libsonnet) say of simulated sites of 10, 500 and 10,000 nodes.
Each site has a calm quarter, and one with what they are to find. Four weeks of history come before. Prometheus' own engine
evaluates the alerts (promtool test rules) every hour.

    tests/dashboards/quarter.py > tests/figures/quarter.txt   the table: precision, recall and delay of each alert at each site
    tests/dashboards/quarter.py --seeds a b                   other quarters; those of the table are named in SEEDS
    tests/dashboards/quarter.py --episodes                    when which alert began, and whether that was right

A calm quarter has days, nights, weekends, two weeks of holidays in which little happens, and a maintenance of ten hours. Jobs come
in batches, of which most have one job and some have thousands. Weeks and days differ by chance, as do the jobs' run times. Single nodes go down for hours, and
some of them for days. A quarter with troubles has all of that, too."""

import argparse
import json
import math
import statistics
import tempfile
from pathlib import Path

import yaml

from month import RULES, Cluster, ask, busy, poisson
from promql import needed

STEP = 30  # minutes from sample to sample
EVERY = 60  # minutes from evaluation to evaluation
HOUR = 60 // STEP
DAY, WEEK = 24 * HOUR, 7 * 24 * HOUR
HISTORY, WEEKS = 4, 13
SEEDS = ("spring", "summer", "autumn", "winter")
# Nodes: batches in an hour, the largest batch, MaxJobCount, and how much the mix of jobs differs from day to day.
SITES = {10: (1, 200, 10_000, 0.2), 500: (30, 5000, 50_000, 0.1), 10_000: (300, 20_000, 200_000, 0.05)}
USERS = 4  # that ask slurmctld for much
# What is planted: the alert that is to find it, and other alerts that may follow from it.
FINDS = {
    "storm of submissions": ("SlurmSubmissionsUnusual", ("SlurmJobTableSoonFull",)),
    "storm of requests": ("SlurmUserRPCUnusual", ()),
    "more failures": ("SlurmFailuresRising", ()),
    "more memory": ("SlurmJobMemoryRising", ()),
    "loss of nodes": ("SlurmCapacityShrinking", ("SlurmThroughputFalling",)),
    "loss of throughput": ("SlurmThroughputFalling", ("SlurmJobTableSoonFull",)),
}
# In weeks of the quarter: when it begins (and by how much that varies), and how long it lasts.
SLOW = {"loss of nodes": (1, 0.5, 2), "more failures": (4, 0.5, 3), "more memory": (4.5, 0.5, 3), "loss of throughput": (9.5, 0.3, 3)}
STORMS = {"storm of submissions": 6, "storm of requests": 4}
HOLIDAYS, MAINTENANCE = 7.5, 3.8  # weeks of the quarter
TAIL = {"storm of submissions": 4 * HOUR, "storm of requests": 4 * HOUR}  # What lasts for weeks is seen for a week after its end.


class Quarter(Cluster):
    """One site's quarter; `troubles`: [(what, first step, step after the last)]."""

    def __init__(self, nodes, seed, troubled, weeks=WEEKS):
        super().__init__(f"{nodes} {seed}{' troubled' if troubled else ''}", nodes, (HISTORY + weeks) * WEEK)
        self.batches, self.largest, self.most, self.mix = SITES[nodes]
        self.troubles = sorted(self.planted(weeks), key=lambda one: one[1]) if troubled else []
        self.maintenance = int((HISTORY + MAINTENANCE) * WEEK), int((HISTORY + MAINTENANCE) * WEEK) + 10 * HOUR
        self.holidays = int((HISTORY + HOLIDAYS) * WEEK), int((HISTORY + HOLIDAYS + 2) * WEEK)

    def planted(self, weeks):
        for what, (begin, varies, length) in SLOW.items():
            at = int((HISTORY + begin + self.random.uniform(0, varies)) * WEEK)
            if at + length * WEEK <= self.steps:
                yield what, at, at + length * WEEK
        for what, times in STORMS.items():
            times = max(1, times * weeks // WEEKS)
            for number in range(times):  # at any hour, one in each part of the quarter
                at = int((HISTORY + weeks * (number + self.random.random() * 0.8) / times) * WEEK)
                yield what, at, min(at + self.random.randint(3, 6) * HOUR, self.steps)

    def part(self, what, at):
        """How much of it has passed, of 0 to 1; None: it does not go on."""
        for name, begin, end in self.troubles:
            if name == what and begin <= at < end:
                return (at - begin) / (end - begin)
        return None

    def batch(self):
        """Jobs that come together: Pareto's, of which one in twenty has more than ten."""
        return min(int(self.random.paretovariate(1.3)), self.largest)

    def make(self):
        random_ = self.random
        capacity = 1.6 * self.batches * 0.8 * sum(self.batch() for _ in range(20_000)) / 20_000  # jobs that can end in an hour
        queue, submitted, week, day, mix, length = 10.0, 0, 1.0, 1.0, 1.0, 1.0
        ends, repaired = {"completed": 0, "failed": 0}, []  # when nodes that are down come back
        asked = [0.0] * USERS
        for at in range(self.steps):
            if at % WEEK == 0:
                week = random_.lognormvariate(0, 0.15)
            if at % DAY == 0:
                day, mix = random_.lognormvariate(0, 0.2), random_.lognormvariate(0, self.mix)
                length = random_.lognormvariate(0, self.mix)  # how long jobs run, of the mean
                odd = random_.random() < 0.05  # somebody's jobs fail all day long
            activity = week * day * busy(at / HOUR % 24, at // DAY % 7)
            if self.holidays[0] <= at < self.holidays[1]:
                activity *= 0.25
            pause = self.maintenance[0] <= at < self.maintenance[1]
            # submissions
            jobs = sum(self.batch() for _ in range(poisson(random_, self.batches * activity / HOUR)))
            if self.part("storm of submissions", at) is not None:
                jobs += poisson(random_, max(150, 40 * self.batches) / HOUR)
            submitted += jobs
            # nodes; one in five needs a part
            down = poisson(random_, self.nodes / (3 * 365 * DAY))
            repaired += [at + (random_.randint(2 * DAY, 5 * DAY) if random_.random() < 0.2 else 3 * HOUR) for _ in range(down)]
            repaired = [until for until in repaired if until > at]
            lost = self.part("loss of nodes", at)
            out = len(repaired) + (0 if lost is None else math.floor(lost * max(0.06 * self.nodes, 3)))
            out = self.nodes if pause else min(out, self.nodes)
            # the queue, and what ends of it
            slow = self.part("loss of throughput", at)
            can = capacity / HOUR / length * (1 - out / self.nodes) * (1 if slow is None else max(0.35, 1 - 1.2 * slow))
            done = min(queue + jobs, poisson(random_, can))
            queue += jobs - done
            worse = self.part("more failures", at)
            rate = (0.3 if odd else 0.07) + (0 if worse is None else 0.25 * worse)
            if random_.random() < 0.02:  # a batch that fails as a whole
                rate = 0.7
            failed = min(done, poisson(random_, done * rate))
            ends["failed"] += failed
            ends["completed"] += done - failed
            used = 0 if pause else min(1, done / max(can, 1e-9)) * (1 - out / self.nodes)
            leak = self.part("more memory", at)
            memory = 4 * 2**30 * mix * random_.lognormvariate(0, self.mix / 2) * (1 if leak is None else 1 + leak)
            self.tell(at, submitted, queue, ends, done, out, used, memory)
            for user in range(USERS):
                load = 0.01 * activity * random_.lognormvariate(0, 1)
                if user == 1 and self.part("storm of requests", at) is not None:
                    load += random_.uniform(0.3, 0.6)
                asked[user] += min(load, 1) * STEP * 60
                self.values("slurm_user_rpc_seconds_total", user=f"u{user}")[at] = round(asked[user], 2)
        return self.lines()

    def tell(self, at, submitted, queue, ends, done, out, used, memory):
        cpus = 64 * self.nodes
        held = max(1, round(used * cpus))
        self.values("slurm_cluster_job_submissions_total")[at] = submitted
        self.values("slurm_cluster_pending_jobs", reason="Priority")[at] = round(queue)
        for state, jobs in ends.items():
            self.values("slurm_cluster_job_ends_total", state=state)[at] = round(jobs)
        self.values("slurm_cluster_nodes", state="idle")[at] = self.nodes
        for state, number in (("allocated", held), ("idle", max(0, cpus - held - 64 * out)), ("other", 64 * out)):
            self.values("slurm_cluster_cpus", state=state)[at] = number
        self.values("slurm_cluster_job_cpus", state="running")[at] = None if out == self.nodes else held
        self.values("slurm_cluster_job_memory_bytes", state="running")[at] = None if out == self.nodes else round(held * memory)
        self.values("slurm_controller_job_records")[at] = round(min(queue + 2 * done, self.most))
        self.values("slurm_controller_max_job_records")[at] = self.most

    def right(self, alert, at):
        """The trouble that the alert is right about, if it begins now."""
        for what, begin, end in self.troubles:
            finds, follow = FINDS[what]
            if alert in (finds, *follow) and begin <= at < end + TAIL.get(what, WEEK):
                return what, begin
        return None


def unusual():
    """The alerts about the unusual, and the records that they need."""
    groups = [group for path in RULES for group in yaml.safe_load(Path(path).read_text())["groups"]]
    alerts = next(group["rules"] for group in groups if group["name"] == "slurm_unusual")
    kept = needed(groups, [rule["alert"] for rule in alerts])
    return {"groups": [group for group in kept if group["rules"]]}


def episodes(sites):
    """{site's name: [(alert, step at which it began to fire)]}, in the quarter, not its history. A pause of a day ends one."""
    steps = max(site.steps for site in sites)
    queries = {at: (at * STEP, 'ALERTS{alertstate="firing"}') for at in range(HISTORY * WEEK, steps, EVERY // STEP)}
    with tempfile.TemporaryDirectory(prefix="slurmscope-quarter-") as folder:
        rules = Path(folder, "quarter.yml")
        rules.write_text(json.dumps(unusual(), indent=1))
        answers = list(ask([line for site in sites for line in site.make()], queries, [rules], STEP, EVERY))
    found, last = {site.name: [] for site in sites}, {}
    for at, samples in answers:
        for labels, _ in samples:
            key = labels["cluster"], labels["alertname"]
            if at - last.get(key, -2 * DAY) > DAY:
                found[key[0]].append((key[1], at))
            last[key] = at
    return found


def table(sites, found):
    """Rows by size and alert: how many were planted and found, how many alerts there were, in troubles and when it was calm."""
    yield f"{'nodes':>5}  {'alert':<24} {'to find':<21} {'planted':>7} {'recall':>6} {'alerts':>6} {'precision':>9} {'calm':>5} {'delay, median':>14}"
    for nodes in sorted({site.nodes for site in sites}):
        for alert in (*(finds for finds, _ in FINDS.values()), "SlurmJobTableSoonFull"):
            what = next((what for what, (finds, _) in FINDS.items() if finds == alert), None)
            planted, hit, told, true, calm = {}, {}, 0, 0, 0
            for site in (site for site in sites if site.nodes == nodes):
                planted |= {(site.name, begin): what for name, begin, _ in site.troubles if name == what}
                for name, at in found[site.name]:
                    if name == alert:
                        right = site.right(alert, at)
                        told, true, calm = told + 1, true + bool(right), calm + (not site.troubles)
                        if right and right[0] == what:
                            hit.setdefault((site.name, right[1]), at - right[1])
            delay = statistics.median(hit.values()) / HOUR if hit else None
            yield (f"{nodes:>5}  {alert:<24} {what or '-':<21} {len(planted):>7} {f'{len(hit) / len(planted):.2f}' if planted else '-':>6} {told:>6} "
                   f"{f'{true / told:.2f}' if told else '-':>9} {calm:>5} "
                   f"{'-' if delay is None else f'{delay:.1f} h' if delay < 48 else f'{delay / 24:.1f} d':>14}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nodes", type=int, nargs="*", default=list(SITES), help="of which sites; all of them")
    parser.add_argument("--seeds", nargs="*", default=SEEDS)
    parser.add_argument("--episodes", action="store_true")
    options = parser.parse_args()
    sites, found = [], {}
    for nodes in options.nodes:
        for seed in options.seeds:
            pair = [Quarter(nodes, seed, troubled) for troubled in (False, True)]
            found |= episodes(pair)
            sites += pair
    if options.episodes:
        for site in sites:
            for what, begin, end in site.troubles:
                print(f"{site.name}: {what} from week {begin / WEEK - HISTORY:.2f} to {end / WEEK - HISTORY:.2f}")
            for alert, at in found[site.name]:
                print(f"{site.name}: {alert} at week {at / WEEK - HISTORY:.2f}: {site.right(alert, at) or 'false'}")
    for line in table(sites, found):
        print(line)


if __name__ == "__main__":
    main()
