"""The exporters on some nodes of the simulated cluster: samples/, filled in with the jobs that slurmscope's page says are there."""

import contextlib
import math
import re
import string
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

SAMPLES = Path(__file__).with_name("samples")
# What runs where: sites mix them. n56 and above have four GPUs each.
NODES = {"n01": ("cgroup_exporter", "node_exporter"), "n02": ("cgroup_exporter_sluid", "node_exporter"),
         "n03": ("slurm-job-exporter", "node_exporter"), "n04": ("ceems", "node_exporter"), "n05": ("cgroup_exporter_path", "lustre"),
         "n56": ("cgroup_exporter", "dcgm", "node_exporter"), "n57": ("cgroup_exporter_sluid", "dcgm", "node_exporter"),
         "n58": ("ceems", "nvidia_smi", "node_exporter"), "n59": ("slurm-job-exporter", "nvidia_gpu", "node_exporter")}
PORTS = {"node_exporter": 9100, "dcgm": 9400, "nvidia_gpu": 9445, "slurm-job-exporter": 9798, "ceems": 9010,
         "nvidia_smi": 9835, "lustre": 9169}
GPUS = 4


def labels_of(series):
    return dict(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', series))


class Jobs:
    """{node: [{job, sluid, cpus, memory, gpus}, ...]} of a page of slurmscope, those first that run the longest."""

    def __init__(self, page):
        facts = {"slurm_job_allocated_memory_bytes": {}, "slurm_job_allocated_gres": {}, "slurm_job_node_cpus": {},
                 "slurm_job_start_timestamp_seconds": {}}
        sluids, self.on = {}, {}
        for series, value in page.items():
            name = series.partition("{")[0]
            if not name.startswith("slurm_job_"):
                continue
            labels = labels_of(series)
            if name == "slurm_job_info":
                sluids[labels["jobid"]] = labels.get("sluid", "")
            elif name == "slurm_job_node_info":
                self.on.setdefault(labels["node"], []).append(labels["jobid"])
            elif name in facts:
                facts[name][labels["jobid"], labels.get("node", "")] = value
        for node, jobs in self.on.items():
            self.on[node] = [{"job": job, "sluid": sluids.get(job, ""), "cpus": facts["slurm_job_node_cpus"].get((job, node), 0),
                              "memory": facts["slurm_job_allocated_memory_bytes"].get((job, ""), 0),
                              "gpus": facts["slurm_job_allocated_gres"].get((job, ""), 0)} for job in
                             sorted(jobs, key=lambda job: facts["slurm_job_start_timestamp_seconds"].get((job, ""), math.inf))]


def number(text, seconds):
    """A product, of seconds as well if it grows."""
    product, grows, _ = text.partition("/s")
    return math.prod(map(float, product.split("*"))) * (seconds if grows else 1)


def hand_out(holders, jobs):
    """Who has which GPU; a job keeps those that it has."""
    wants = {job["job"]: int(job["gpus"]) for job in jobs}
    for gpu, holder in enumerate(holders):
        holders[gpu] = holder if holders[:gpu].count(holder) < wants.get(holder, 0) else 0
    for job, number in wants.items():
        for gpu in [gpu for gpu, holder in enumerate(holders) if not holder][:max(0, number - holders.count(job))]:
            holders[gpu] = job


def page_of(kind, node, jobs, holders, seconds):
    gpus = [{"gpu": gpu, "holder": holder, "owner": holder, "busy": int(bool(holder)), "each": 1 - 0.06 * gpu} for gpu, holder in enumerate(holders)]
    page = []
    for line in (SAMPLES / kind).read_text().splitlines():
        each = [gpu for gpu in gpus if gpu["owner"]] if "$owner" in line else gpus if "$gpu" in line else jobs if "$job" in line or "$sluid" in line else [{}]
        for values in each:
            series, value = string.Template(line).substitute(values, node=node).rsplit(" ", 1)
            page.append(f"{series} {number(value, seconds):.17g}\n")
    return "".join(page)


class Exporters:
    def __init__(self, read_page):
        self.read_page, self.jobs, self.begun = read_page, Jobs({}), time.monotonic()
        self.holders = {node: [0] * GPUS for node in NODES}
        self.stopped, self.rests = threading.Event(), False
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                _, kind, node = self.path.split("/")
                body = page_of(kind, node, outer.jobs.on.get(node, []), outer.holders[node], time.monotonic() - outer.begun).encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/plain; version=0.0.4")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                with contextlib.suppress(BrokenPipeError):  # who asked did not wait: the machine is busy
                    self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        self.threads = [threading.Thread(target=self.server.serve_forever), threading.Thread(target=self.follow)]

    def follow(self):
        while not self.stopped.wait(2):
            if self.rests:
                continue
            self.jobs = Jobs(self.read_page())
            for node, holders in self.holders.items():
                hand_out(holders, self.jobs.on.get(node, []))

    @staticmethod
    def targets():
        """(instance, path)"""
        return [(f"{node}:{PORTS.get(kind, 9306)}", f"/{kind}/{node}") for node, kinds in NODES.items() for kind in kinds]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.stopped.set()
        self.server.shutdown()
        for thread in self.threads:
            thread.join()
        self.server.server_close()
