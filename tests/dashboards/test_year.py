"""Two simulated months of a small site. Its jobs and outages, looked at one by one, add up to what Capacity and the Drain desk say
of its last 30 days. They know nothing of samples, counters and rules."""

import unittest

import yaml

import boards
import year
from test_rules import RULE_FILES
from week import DAY_S, HOUR_S, Victoria
from world import wait_until

BEGIN = year.END - 30 * DAY_S
CPUS = year.PARTITIONS["cpu"][1]


def part(start, end):
    """Seconds of it in the last 30 days."""
    return max(0, min(end, year.END) - max(start, BEGIN))


class Truth:
    def __init__(self, site):
        self.site = site
        self.cpu_nodes = site.partitions["cpu"].nodes
        still = [("cpu", one["kind"], one["cause"], one["start"], year.END + DAY_S) for one in site.partitions["cpu"].out.values()]
        self.outages = [one for one in [*site.outages, *still] if one[0] == "cpu" and part(one[3], one[4])]
        self.ended = [one for one in self.outages if one[4] <= year.END]

    def out_s(self, unplanned=False):
        return sum(part(*one[3:]) for one in self.outages if not unplanned or one[1] != "maintenance")

    def cpu_s(self, **of):
        return sum(job.cpus * part(job.start, job.end) for job in self.site.jobs if all(getattr(job, name) == value for name, value in of.items()))

    def waits(self):
        return sorted(job.start - job.eligible for job in self.site.jobs if job.partition.name == "cpu" and BEGIN < job.start <= year.END)


class Year(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.victoria = cls.enterClassContext(Victoria())
        wait_until(lambda: cls.victoria.get("labels")[0] is not None, cls.victoria.log.read_text)
        site = year.Site("hpc", 0.1, 62, maintenances=[(year.END - 20 * DAY_S, 10 * HOUR_S)])
        year.take(cls.victoria, site)
        groups = [group for group in yaml.safe_load(RULE_FILES[0].read_text())["groups"] if group["name"] in ("slurm_capacity", "slurm_outages")]
        cls.victoria.evaluate(year.END - 62 * DAY_S, year.END, groups, year.TICK)
        cls.boards, cls.truth = boards.load(), Truth(site)

    def shown(self, board, title, column, **labels):
        """What a column of a table, or one value of a stat, shows of the last 30 days."""
        panel = next(panel for panel in boards.panels(self.boards[f"{board}.json"]) if panel["title"] == title)
        names = next((one["options"]["renameByName"] for one in panel.get("transformations", ()) if one["id"] == "organize"), {})
        target = next(target for target in panel["targets"] if column in (target["legendFormat"], names.get(f"Value #{target['refId']}")))
        values = dict.fromkeys(("cluster", "partition", "cause", "account"), ".*") | {"__range": "30d", "__interval": "1d", "__rate_interval": "20m"}
        data, error = self.victoria.now(boards.fill(target["expr"], values), year.END)
        self.assertIsNone(error)
        found = [float(one["value"][1]) for one in data["result"] if all(one["metric"].get(name) == value for name, value in labels.items())]
        self.assertEqual(1, len(found), (title, column, labels, data))
        return found[0]

    def near(self, true, shown, by=0.01):
        self.assertGreater(true, 0)
        self.assertAlmostEqual(1, shown / true, delta=by)

    def test_accounts_held_what_their_jobs_held(self):
        for account in ("climate", "physics", "teaching"):
            with self.subTest(account):
                self.near(self.truth.cpu_s(account=account) / 3600, self.shown("capacity", "Accounts", "CPU hours", account=account))

    def test_partition_was_used_and_waited_for_as_its_jobs_say(self):
        of = {"partition": "cpu"}
        partition = self.truth.site.partitions["cpu"]
        held, all_ = self.truth.cpu_s(partition=partition), self.truth.cpu_nodes * CPUS * 30 * DAY_S
        usable = all_ - self.truth.out_s() * CPUS
        self.near(self.truth.cpu_nodes * CPUS, self.shown("capacity", "Partitions", "CPUs", **of))
        self.near(usable / (30 * DAY_S), self.shown("capacity", "Partitions", "Usable", **of))
        self.near(held / usable, self.shown("capacity", "Partitions", "Held", **of))
        self.near(held / (30 * DAY_S), self.shown("capacity", "Partitions", "Held by its jobs", **of))
        waits = self.truth.waits()
        self.near(len(waits), self.shown("capacity", "Partitions", "Starts", **of))
        for column, quantile in (("P50 wait", 0.5), ("P95 wait", 0.95)):
            true, shown = waits[int(quantile * len(waits))], self.shown("capacity", "Partitions", column, **of)
            above = next(bound for bound in year.WAITS if true <= bound)
            below = max((bound for bound in year.WAITS if bound < true), default=0)
            self.assertTrue(below <= shown <= above, (column, below, shown, above))

    def test_outages_add_up(self):
        of, ended = {"partition": "cpu"}, [one for one in self.truth.ended if one[1] != "maintenance"]
        self.assertGreater(len(ended), 2)
        self.assertGreater(len(self.truth.outages), len(ended))  # some are still out
        all_, out, unplanned = self.truth.cpu_nodes * 30 * DAY_S, self.truth.out_s(), self.truth.out_s(unplanned=True)
        self.near(1 - out / all_, self.shown("drain", "Partitions", "In service, last 30d", **of), 0.003)
        self.near(1 - unplanned / (all_ - out + unplanned), self.shown("drain", "Partitions", "Available, last 30d", **of), 0.003)
        self.near(unplanned / len(ended), self.shown("drain", "Partitions", "Time to repair", **of), 0.03)
        self.near((all_ - out) / len(ended), self.shown("drain", "Partitions", "Between failures", **of), 0.03)
        lost = self.shown("drain", "Lost, by partition and cause", "Node hours", partition="cpu", kind="drained", cause="memory") + \
            self.shown("drain", "Lost, by partition and cause", "Node hours", partition="cpu", kind="draining", cause="memory")
        self.near(sum(part(*one[3:]) for one in self.truth.outages if one[2] == "memory") / HOUR_S, lost)


if __name__ == "__main__":
    unittest.main(verbosity=2)
