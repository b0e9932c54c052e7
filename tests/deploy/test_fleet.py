"""The examples of deploy/fleet. One slurmscope has two clusters, which are targets of their own. A Prometheus federates from two
others, one of which writes to a VictoriaMetrics. KEDA's queries and the configuration of an OpenTelemetry Collector are examined.
Prometheus, VictoriaMetrics and slurmscope are real, the clusters are simulated."""

import contextlib
import json
import os
import re
import subprocess
import unittest
from collections import Counter
from pathlib import Path

import yaml

import boards
from harness import EVERY_SECOND, SLURMSCOPE, Daemon, wait_until
from kubernetes import read
from prometheus import Prometheus
from simulator import Simulator
from test_victoriametrics import Victoria, running

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "deploy/fleet"
CACHE = Path(os.environ.get("SLURMSCOPE_CACHE", "/var/cache/slurmscope"))
BIN = [CACHE / name / "usr/bin" for name in ("prometheus", "prometheus-forky")]
TAKEN = re.compile(r"cluster(_state|_version)?:slurm.+|ALERTS(_FOR_STATE)?")
LOOK_BACK_S = 10  # instead of five minutes: federated samples have times of their own, so nothing says that a series has ended
BUILT_IN = {"__rate_interval": "15s", "__interval": "15s", "__range": "10m", "cluster": ".*"}
STARTABLE = ("None", "Priority", "Resources")


def example(name):
    """As the example has it, but each second."""
    config = yaml.safe_load((EXAMPLES / name).read_text())
    config["global"] |= {"scrape_interval": "1s", "scrape_timeout": "1s"}
    if "rule_files" in config:
        config["global"]["evaluation_interval"] = "1s"
        config["rule_files"] = [str((EXAMPLES / path).resolve()) for path in config["rule_files"]]
    return config


def prometheus(config, *flags):
    return Prometheus(BIN[0] / "prometheus", None, json.dumps(config), flags)


def names(found):
    return {dict(labels)["__name__"] for labels in found}


def by_cluster(found):
    return {dict(labels)["cluster"]: value for labels, value in found.items()}


def simulated(name, nodes, seed):
    """More jobs wait than run, and than have rows of their own; some are arrays."""
    return Simulator(f"--cluster={name}", f"--nodes={nodes}", f"--seed={seed}", "--jobs=1500", "--users=20", "--arrays=0.03", "--release=26.05")


def two(urls):
    intervals = "".join(f"  {option.removeprefix('--interval.').replace('=', ': ')}\n" for option in EVERY_SECOND)
    return "slurmrestd: {token-file: {folder}/token, user: root}\n" + f"interval:\n{intervals}clusters:\n" + "".join(
        f"  {name}: {{slurmrestd: {{url: \"{url}\"}}}}\n" for name, url in urls.items())


def tasks_of(tasks):
    """1-9,20%3 -> 10; one for a job that is no array's rest"""
    ranges = re.findall(r"(\d+)(?:-(\d+))?", tasks.partition("%")[0])
    return sum(int(last or first) - int(first) + 1 for first, last in ranges) or 1


class World(contextlib.ExitStack):
    """alpha and beta in one slurmscope, gamma in another one; a Prometheus for each of these, and one above both."""

    def __enter__(self):
        super().__enter__()
        try:
            self.sims = {name: self.enter_context(simulated(name, nodes, seed)) for seed, (name, nodes) in
                         enumerate((("alpha", 60), ("beta", 70), ("gamma", 80)), 1)}
            for sim in self.sims.values():
                sim.control("advance?seconds=3600")
                sim.control("node?name=n05&do=fail")
            self.many = self.enter_context(Daemon(None, config=two({name: self.sims[name].url for name in ("alpha", "beta")})))
            self.single = self.enter_context(Daemon(None, *EVERY_SECOND, url=self.sims["gamma"].url))
            self.victoria = Victoria()
            self.enter_context(running("victoria-metrics", *self.victoria.options))
            self.site = self.enter_context(prometheus(self.of_many()))
            self.ending = self.enter_context(contextlib.ExitStack())
            self.other = self.ending.enter_context(prometheus(self.of_one()))
            self.above = self.enter_context(prometheus(self.of_all(), f"--query.lookback-delta={LOOK_BACK_S}s"))
        except BaseException:
            self.close()
            raise
        return self

    def of_many(self):
        config = example("prometheus-clusters.yml")
        return json.loads(json.dumps(config).replace("127.0.0.1:9341", f"127.0.0.1:{self.many.port}"))

    def of_one(self):
        config = example("prometheus-remote-write.yml")
        config["global"]["external_labels"]["cluster"] = "gamma"
        config["scrape_configs"][0]["static_configs"][0]["targets"] = [f"127.0.0.1:{self.single.port}"]
        config["remote_write"][0]["url"] = f"{self.victoria.url}/api/v1/write"
        return config

    def of_all(self):
        config = example("prometheus-global.yml")
        config["scrape_configs"][0]["static_configs"][0]["targets"] = [f"127.0.0.1:{one.port}" for one in (self.site, self.other)]
        return config

    def nodes(self):
        """{cluster: how many it has}, by the simulators"""
        return {name: sum(value for key, value in sim.truth().items() if key.startswith("nodes/")) for name, sim in self.sims.items()}


def columns(board):
    """{column of the table: its expression}"""
    table, = (panel for panel in boards.panels(board) if panel["title"] == "Each of them")
    named = next(one["options"]["renameByName"] for one in table["transformations"] if one["id"] == "organize")
    return {named[f"Value #{target['refId']}"]: boards.fill(target["expr"], BUILT_IN) for target in table["targets"]}


class Examples(unittest.TestCase):
    def test_valid(self):
        for folder in BIN:
            for path in sorted(EXAMPLES.glob("prometheus-*.yml")):
                done = subprocess.run([folder / "promtool", "check", "config", path], capture_output=True, text=True)
                self.assertEqual(0, done.returncode, done.stdout + done.stderr)

    def test_same_records(self):
        """/federate and remote write take the same."""
        (federate,) = example("prometheus-global.yml")["scrape_configs"]
        (write,) = example("prometheus-remote-write.yml")["remote_write"]
        (rule,) = write["write_relabel_configs"]
        records, alerts = [re.search(r'__name__=~"([^"]+)"', match)[1] for match in federate["params"]["match[]"]]
        self.assertEqual("cluster(_state|_version)?:slurm.+", records)
        for name in ("cluster:slurm_nodes:sum", "cluster_state:slurm_cpus:sum", "cluster_partition:slurm_job_starts:increase1h", "up", "slurm_cluster_info"):
            self.assertEqual(bool(re.fullmatch(records, name)), bool(re.fullmatch(rule["regex"], f"{name};")), name)
        for name in ("ALERTS", "ALERTS_FOR_STATE"):
            self.assertTrue(re.fullmatch(alerts, name) and re.fullmatch(rule["regex"], f"{name};SlurmNodeDown"), name)
            self.assertFalse(re.fullmatch(rule["regex"], f"{name};Watchdog"), name)

    def test_collector(self):
        """All that pipelines name is there and used. promtool takes the scrape. Names stay different ones."""
        config, = read((EXAMPLES / "otel-collector.yml").read_text())
        pipeline = config["service"]["pipelines"]["metrics"]
        for kind in ("receivers", "processors", "exporters"):
            self.assertEqual(set(config[kind]), set(pipeline[kind]), kind)
        scrape = json.dumps(config["receivers"]["prometheus"]["config"]).replace("$$", "$")
        done = subprocess.run([BIN[1] / "promtool", "check", "config", "/dev/stdin"], input=scrape, capture_output=True, text=True)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        statements = config["processors"]["transform"]["metric_statements"][0]["statements"]
        patterns = [re.fullmatch(r'replace_pattern\(name, "([^"]+)", "([^"]+)"\)', one).groups() for one in statements]
        listed = subprocess.run([SLURMSCOPE, "--list-metrics"], capture_output=True, text=True, check=True).stdout
        families = [line.split("\t")[0] for line in listed.splitlines()]
        renamed = Counter(self.renamed(name, patterns) for name in families if not name.startswith("process_"))
        self.assertGreater(len(renamed), 200)
        self.assertEqual([], [name for name, count in renamed.items() if count > 1 or not re.fullmatch(r"slurm(scope)?(\.[a-z][a-z0-9_]*)+", name)])

    @staticmethod
    def renamed(name, patterns):
        for pattern, by in patterns:
            name = re.sub(pattern, by.replace("$$", "\\"), name)
        return name


class Fleet(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = cls.enterClassContext(World())
        cls.board = boards.load()["fleet.json"]

    def test_1_targets(self):
        """Each cluster is a target. The process shows once what it says of itself."""
        site = self.world.site
        wait_until(lambda: len(site.query("slurm_cluster_info")) == 2, site.log.read_text)
        self.assertEqual({"alpha": 1.0, "beta": 1.0}, by_cluster(site.query('up{cluster!=""}')))
        wait_until(lambda: len(site.query("process_resident_memory_bytes")) == 1, "the process's memory")
        self.assertEqual({}, site.query('{exported_cluster!=""}'))
        wanted = {name: count for name, count in self.world.nodes().items() if name != "gamma"}
        wait_until(lambda: by_cluster(site.query("sum by (cluster) (slurm_cluster_nodes)")) == wanted, lambda: site.query("slurm_cluster_nodes"))
        joined = "process_resident_memory_bytes and on (instance, job) slurmscope_leader"
        self.assertEqual(1, len(wait_until(lambda: site.query(joined), "dashboards find the process")))

    def test_2_federated(self):
        above = self.world.above
        wait_until(lambda: by_cluster(above.query("cluster:slurm_nodes:sum")) == self.world.nodes(), lambda: above.query("cluster:slurm_nodes:sum"))
        wait_until(lambda: above.query('ALERTS{alertname="SlurmNodeDown"}'), "an alert, pending at least")
        found = above.query('{__name__=~".+",__name__!~"up|scrape_.+"}')
        self.assertGreater(len(found), 50)
        self.assertEqual([], [name for name in names(found) if not TAKEN.fullmatch(name)])
        print(f"{len(found)} series of {len(self.world.sims)} clusters are federated")

    def test_3_board(self):
        """The dashboard shows three rows of what is federated, and each query is right."""
        shown = columns(self.board)

        def everywhere(title):
            return by_cluster(self.world.above.query(shown[title])).keys() == self.world.sims.keys()
        for title in ("slurmctld", "Oldest answer", "Nodes", "Down", "Drained", "CPUs in use", "GPUs in use", "Running", "Pending", "Could start"):
            wait_until(lambda: everywhere(title), lambda: f"{title}: {self.world.above.query(shown[title])}")
        self.assertEqual(dict.fromkeys(self.world.sims, 1), by_cluster(self.world.above.query(shown["slurmctld"])))
        self.assertEqual(self.world.nodes(), by_cluster(self.world.above.query(shown["Nodes"])))
        for where, expression in boards.expressions(self.board):
            self.assertIsNotNone(self.world.above.get("query", query=boards.fill(expression, BUILT_IN | {"__range": "1m"})), where)

    def test_4_written(self):
        """remote write: the same records in VictoriaMetrics, and nothing else of slurmscope."""
        victoria = self.world.victoria
        wanted = {"gamma": self.world.nodes()["gamma"]}

        def stored():
            return {row["metric"].get("cluster"): float(row["value"][1]) for row in victoria.query("cluster:slurm_nodes:sum")}
        wait_until(lambda: stored() == wanted, stored)
        wait_until(lambda: victoria.query('ALERTS{alertname="SlurmNodeDown",cluster="gamma"}'), "an alert")
        there = {row["metric"]["__name__"] for row in victoria.query('{__name__!=""}')}
        self.assertEqual([], [name for name in there if not TAKEN.fullmatch(name)])

    def test_5_scaled(self):
        """What KEDA's queries say is what the cluster's records add up to; without answers they say nothing."""
        objects = read((EXAMPLES / "keda-scaledobject.yaml").read_text())
        sim, site = self.world.sims["gamma"], self.world.other
        jobs = [job for job in sim.json("/slurm/v0.0.45/jobs")["jobs"]
                if job["job_state"] == ["PENDING"] and job["state_reason"] in STARTABLE]
        batch = Counter(partition for job in jobs for partition in job["partition"].split(",") if partition != "gpu").most_common(1)[0][0]
        held = {"gpu": sim.truth()["gpus/allocated"],
                batch: wait_until(lambda: site.value(f'sum(slurm_partition_cpus{{partition="{batch}", state="allocated"}})'), "CPUs")}
        asked = {"gpu": sum(self.asked(job, "gres/gpu") for job in jobs if "gpu" in job["partition"].split(",")),
                 batch: sum(self.asked(job, "cpu") for job in jobs
                            if batch in job["partition"].split(",") and not self.asked(job, "gres/gpu"))}
        rows = {"gpu": 'slurm_pending_job_requested_gres{gres="gpu"}', batch: "slurm_pending_job_requested_cpus"}
        for partition in asked:
            of_it = f'slurm_pending_job_info{{class="startable", partition=~"(.+,)?{partition}(,.+)?"}}'
            seen = site.value(f"sum({rows[partition]} * on (jobid) group_left () slurm_pending_job_tasks and on (jobid) {of_it}) or vector(0)")
            self.assertGreater(asked[partition], seen, f"{partition}: single jobs have rows for all that wait")
        queries = {}
        for one, partition in zip(objects, ("gpu", batch), strict=True):
            self.assertEqual(("keda.sh/v1alpha1", "ScaledObject"), (one["apiVersion"], one["kind"]))
            (trigger,) = one["spec"]["triggers"]
            self.assertTrue(all(isinstance(value, str) for value in trigger["metadata"].values()), "KEDA takes texts")
            queries[partition] = trigger["metadata"]["query"].replace("batch", partition)
            wait_until(lambda: site.value(queries[partition]) == held[partition] + asked[partition],
                       lambda: f"{partition}: {site.query(queries[partition])}, but {held[partition]} + {asked[partition]}")
            self.assertEqual([()], list(site.query(queries[partition])), "one value, without labels")
        sim.control("fault?kind=status&status=500&endpoint=nodes")
        for query in queries.values():
            wait_until(lambda: site.query("slurmscope_endpoint_up == 0") and not site.query(query), "no value")
        sim.control("fault?kind=none")
        wait_until(lambda: site.query(queries["gpu"]), "a value again")

    @staticmethod
    def asked(job, resource):
        amounts = dict(pair.split("=") for pair in job["tres_req_str"].split(","))
        return tasks_of(job["array_task_string"]) * float(amounts.get(resource, 0))

    def test_6_a_site_goes(self):
        """Its cluster keeps its row on the dashboard, and is not read."""
        slurmctld = columns(self.board)["slurmctld"]
        self.world.ending.close()
        wait_until(lambda: by_cluster(self.world.above.query(slurmctld)) == {"alpha": 1, "beta": 1, "gamma": -1},
                   lambda: self.world.above.query(slurmctld))


if __name__ == "__main__":
    unittest.main()
