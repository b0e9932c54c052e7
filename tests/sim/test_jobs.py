#!/usr/bin/env python3
"""The pages of jobs on a simulated cluster: /api/v1/jobs has the jobs, names and numbers that the page of metrics has of the
same moment. /jobs is well-formed, and its links lead to pages."""

import json
import re
import sys
import time
import unittest
from pathlib import Path

import jsonschema

from simulator import Simulator
E2E = Path(__file__).resolve().parent.parent / "e2e"
sys.path.insert(0, str(E2E))
from harness import EVERY_SECOND, Daemon, wait_until  # noqa: E402
from html_page import Page  # noqa: E402

SCHEMA = json.loads((E2E / "jobs.schema.json").read_text())
ROWS = 40
STAGES = {"pending": "slurm_pending_job_", "running": "slurm_job_", "ended": "slurm_ended_job_"}
# Families that only some stages have under another name than the member's.
RENAMED = {("pending", "cpus"): "requested_cpus", ("pending", "memory_bytes"): "requested_memory_bytes",
           ("pending", "nodes"): "requested_nodes", ("running", "cpus"): "allocated_cpus",
           ("running", "memory_bytes"): "allocated_memory_bytes", ("ended", "cpus"): "allocated_cpus",
           ("ended", "memory_bytes"): "allocated_memory_bytes", ("ended", "nodes"): "allocated_nodes"}
LIVE = ("priority", "restarts", "submit_timestamp_seconds", "eligible_timestamp_seconds", "time_limit_seconds")
OF_JSON = {"nodes", "node_list", "run_seconds", "failure", "cpu_efficiency_ratio", "meaning", "advice", "gres", "id", "state", "gpus"}


def labels_of(text):
    plain = {"\\\\": "\\", "\\n": "\n", '\\"': '"'}
    return {name: re.sub(r'\\[\\n"]', lambda found: plain[found[0]], value)
            for name, value in re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', text)}


def samples_of(text):
    """{family: {jobid: [(labels, value)]}}"""
    found = {}
    for line in text.splitlines():
        if match := re.fullmatch(r"(slurm_(?:pending_|ended_)?job_\w+)\{(.*)\} (\S+)", line):
            labels = labels_of(match[2])
            if "jobid" in labels:
                found.setdefault(match[1], {}).setdefault(int(labels["jobid"]), []).append((labels, float(match[3])))
    return found


class Jobs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.sim = cls.enterClassContext(Simulator(
            "--nodes=300", "--jobs=4000", "--users=20", "--release=26.05", "--speed=10", f"--epoch={int(time.time())}"))
        cls.daemon = cls.enterClassContext(Daemon(
            None, *EVERY_SECOND, f"--jobs.rows={ROWS}", f"--jobs.pending-rows={ROWS}", f"--jobs.ended-rows={ROWS}",
            "--filter.users-deny=u0000[0-3]", url=cls.sim.url))
        wait_until(lambda: cls.daemon.request("/-/ready")[0] == 200, cls.daemon.log_text)
        wait_until(lambda: all(len(stage["jobs"]) == ROWS for stage in cls.stages(cls).values()), lambda: cls.daemon.request("/api/v1/jobs")[2][-3000:])

    def json(self, query=""):
        code, headers, text = self.daemon.request("/api/v1/jobs" + query)
        assert (code, headers["Content-Type"], headers["Cache-Control"]) == (200, "application/json", "no-store"), text
        answer = json.loads(text)
        jsonschema.validate(answer, SCHEMA)
        return answer["clusters"][0]

    def stages(self, query=""):
        answer = Jobs.json(self, query)
        return {name: answer[name] for name in STAGES if name in answer}

    def moment(self):
        """JSON and metrics of one page."""
        while True:
            with self.daemon.standing():
                before = self.json()
                metrics = self.daemon.request("/metrics")[2].decode()
                after = self.json()
            if after["made_timestamp_seconds"] == before["made_timestamp_seconds"]:
                return before, samples_of(metrics)

    def expect_one(self, stage, job, samples, member, family):
        """The member is what the family's sample says; neither is there without the other."""
        rows = samples.get(family, {}).get(job["id"], [])
        self.assertEqual([job[member]] if member in job else [], [value for _, value in rows], f"{stage} {job['id']} {member} {family}")

    def check_job(self, stage, job, samples):
        info, = samples[STAGES[stage] + "info"][job["id"]]
        for name, value in info[0].items():
            if name != "jobid":
                self.assertEqual(value, str(job.get(name)).lower() if name == "exclusive" else str(job.get(name)), (stage, job["id"], name))
        for member in SCHEMA["$defs"][stage]["properties"]:
            if member in info[0] or member in OF_JSON and (stage, member) not in RENAMED:
                continue
            prefix = "slurm_job_" if member in LIVE and stage != "ended" else STAGES[stage]
            family = prefix + RENAMED.get((stage, member), member)
            if family in samples or member in job:
                self.expect_one(stage, job, samples, member, family)
        kind = "requested" if stage == "pending" else "allocated"
        gres = sorted((labels["gres"], labels.get("type"), value) for labels, value in samples.get(f"{STAGES[stage]}{kind}_gres", {}).get(job["id"], []))
        self.assertEqual(gres, sorted((one["name"], one.get("type"), one["count"]) for one in job["gres"]))
        if stage != "ended":
            self.assertEqual([job["state"]], [labels["state"] for labels, _ in samples["slurm_job_state"][job["id"]]])

    def test_same_as_the_metrics(self):
        answer, samples = self.moment()
        for stage, prefix in STAGES.items():
            rows = answer[stage]
            self.assertEqual(set(samples[prefix + "info"]), {job["id"] for job in rows["jobs"]})
            self.assertEqual((ROWS, ROWS, None), (rows["rows"], rows["rows_max"], rows["no_rows_because"]))
            self.assertGreater(rows["left_out"], 0)
            for job in rows["jobs"]:
                self.check_job(stage, job, samples)
        users = {job["user"] for stage in STAGES for job in answer[stage]["jobs"]}
        self.assertIn("other", users)
        self.assertFalse({user for user in users if re.fullmatch("u0000[0-3]", user)})

    def test_filters(self):
        """A filter takes in those of all rows that say so."""
        for _ in range(20):  # the cluster goes on
            with self.daemon.standing():
                before = self.json()
                chosen = before["running"]["jobs"][0]
                got = {name: self.json(f"?{name}={chosen[name]}") for name in ("user", "account", "partition", "qos")}
                after = self.json()
            if after["made_timestamp_seconds"] == before["made_timestamp_seconds"]:
                break
        for name, answer in got.items():
            for stage in STAGES:
                self.assertEqual([job["id"] for job in before[stage]["jobs"] if chosen[name] in job.get(name, "").split(",")],
                                 [job["id"] for job in answer[stage]["jobs"]], (name, stage))
        self.assertEqual(0, self.json("?user=u00001")["running"]["matching"])  # denied: as if nobody had that name

    def test_nodes(self):
        held = {node for labels in samples_of(self.daemon.request("/metrics")[2].decode())["slurm_job_node_info"].values() for node in
                (one["node"] for one, _ in labels)}
        node = sorted(held)[0]
        wait_until(lambda: self.json(f"?node={node}&state=running")["running"]["matching"] >= 1, f"jobs on {node}")
        self.assertEqual(0, self.json(f"?node={node}x")["running"]["matching"])

    def test_pages_are_well_formed(self):
        jobs = self.json()
        one = [jobs[stage]["jobs"][0]["id"] for stage in STAGES]
        paths = {"/jobs", "/jobs?state=failed&sort=cpus", "/jobs?state=pending&sort=reason&order=desc", "/jobs?page=2&refresh=60",
                 *(f"/jobs?id={number}" for number in one)}
        seen = set()
        for path in sorted(paths):
            code, headers, text = self.daemon.request(path)
            self.assertEqual((200, "text/html; charset=utf-8"), (code, headers["Content-Type"]), path)
            page = Page(text.decode())
            self.assertIn("Jobs of", page.title)
            seen |= {link for link in page.links if link.startswith("?") or "jobs" in link}
        self.assertGreater(len(seen), 100)
        for link in sorted(seen)[::7]:
            path = "/jobs" + link if link.startswith("?") else "/" + link.removeprefix("./")
            self.assertEqual(200, self.daemon.request(path)[0], link)
        self.assertIn(f"{ROWS} largest of", Page(self.daemon.request("/jobs")[2].decode()).text)
        self.assertIn("./jobs?state=pending", Page(self.daemon.request("/")[2].decode()).links)

    def test_wrong_queries(self):
        for query in ("state=waiting", "sort=size", "order=up", "page=0", "id=x", "id=1_"):
            for path in ("/jobs", "/api/v1/jobs"):
                code, headers, text = self.daemon.request(f"{path}?{query}")
                self.assertEqual((400, "text/plain; charset=utf-8"), (code, headers["Content-Type"]), text)
        self.assertEqual(404, self.daemon.request("/jobs?cluster=nobody")[0])
        self.assertEqual(405, self.daemon.request("/jobs", "POST")[0])


if __name__ == "__main__":
    unittest.main()
