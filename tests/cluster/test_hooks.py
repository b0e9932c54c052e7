#!/usr/bin/env python3
"""Alerts act on a real Slurm: Alertmanager tells Debian's webhook, and webhook runs slurmscope-hook. That drains a node and requeues
a job, as a user whom Slurm lets do so. A dry run changes nothing, and undo brings all of it back.
usage: test_hooks.py CLUSTER    (with its workload, see `with`)"""
import contextlib
import re
import shlex
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE.parent / name) for name in ("dashboards", "deploy", "e2e")]
from alertmanager import Alertmanager  # noqa: E402
from harness import free_port, wait_until  # noqa: E402
from hooks import ROOT, Site, Webhook, alert, alertmanager_config  # noqa: E402
from slurm_says import Slurm, conclude  # noqa: E402
from webhook import Webhook as People  # noqa: E402

EXAMPLES = ROOT / "deploy/prometheus"
PATIENCE = 300
NODE = "bn01"
OWNER, OTHER, ADMIN = "bob", "carol", "warden"  # of the job; another user; one with AdminLevel Admin
RULES = """
[rule black-hole]
alert = SlurmBlackHoleNode
labels = audience=page, step={step}
action = drain
nodes = bn*
partitions = busy
armed = {armed}
[rule gpu-lost]
alert = SiteGPULost
labels = step={step}
action = requeue
partitions = busy
armed = {armed}
[action drain]
again-hours = 0
per-hour = 10
[action requeue]
again-hours = 0
per-hour = 10
"""


class Bench(contextlib.ExitStack):
    """The cluster, what acts on it, and the alerts that were fired."""

    def __init__(self, slurm):
        super().__init__()
        self.slurm, self.fired = slurm, 0
        self.site = self.enter_context(Site(""))
        self.be(ADMIN, armed="no")
        folder = Path(self.enter_context(tempfile.TemporaryDirectory(prefix="slurmscope-hooks-")))
        self.people = self.enter_context(People())
        webhook = self.enter_context(Webhook(self.site.folder, self.site.config, free_port()))
        (folder / "secret").write_text(webhook.secret)
        config = folder / "alertmanager.yml"
        text = re.sub(r"http://127\.0\.0\.1:9095/\S*", self.people.url, (EXAMPLES / "alertmanager.yml").read_text())
        config.write_text(alertmanager_config(text, (EXAMPLES / "alertmanager-hooks.yml").read_text(), webhook.url, folder / "secret"))
        self.alertmanager = self.enter_context(Alertmanager(config))

    def be(self, user, armed):
        """Whose rights slurmscope-hook has in the cluster, and whether it may do what it would."""
        for name in "scontrol", "squeue":
            inside = ["env", "SLURM_TIME_FORMAT=%s", "setpriv", "--reuid", user, "--regid", user, "--init-groups", name]
            script = self.site.folder / name
            script.write_text(f'#!/bin/sh\nexec {shlex.join(map(str, self.slurm.command("exec", *inside)))} "$@"\n')
            script.chmod(0o755)
        self.step = {"no": "dry", "yes": "real"}[armed]
        self.site.configure(RULES.format(armed=armed, step=self.step))

    def reason(self):
        """Of the node."""
        return next(self.slurm.records("node", NODE)).get("Reason")

    def drained(self):
        return {record["NodeName"] for record in self.slurm.records("node") if "DRAIN" in record["State"]}

    def job(self, job):
        return self.slurm.run("squeue", "-h", "-r", "-t", "all", "-j", job, "-o", "%T %r").strip()

    def fire(self, name, **labels):
        """As Prometheus does for a new alert, which a label makes it. What was fired for dry rules fits no armed one."""
        self.fired += 1
        self.alertmanager.post([{"alertname": name, "cluster": "alpha", "audience": "page", "severity": "critical",
                                 "step": self.step, "number": str(self.fired), **labels}])

    def acted(self):
        """What `list` has: [[number, state, action, target]]"""
        status, out, said = self.site.run("list")
        assert status == 0, said
        return [[row[0], *row[3:6]] for row in map(str.split, out.splitlines())]

    def wait_for(self, *row):
        """Its number."""
        return wait_until(lambda: next((found[0] for found in self.acted() if found[1:] == list(row)), None),
                          lambda: f"{row}: {self.acted()}, {self.alertmanager.said()[-2000:]}", PATIENCE)

    def undo(self, number):
        status, _, said = self.site.run("undo", number)
        assert status == 0, said


def dry_run(bench, job):
    before = bench.reason(), bench.drained(), bench.job(job)
    bench.fire("SlurmBlackHoleNode", node=NODE)
    bench.fire("SiteGPULost", jobid=job)
    bench.wait_for("dry", "drain", NODE)
    bench.wait_for("dry", "requeue", job)
    assert before == (bench.reason(), bench.drained(), bench.job(job)), before


@contextlib.contextmanager
def operator(slurm):
    """The other user is one meanwhile."""
    slurm.run("sacctmgr", "-i", "modify", "user", OTHER, "set", "adminlevel=operator")
    try:
        yield
    finally:
        slurm.run("sacctmgr", "-i", "modify", "user", OTHER, "set", "adminlevel=none")


def rights(bench, job):
    """What Slurm refuses is an error that Alertmanager hears of, and changes nothing. It sends its message again, until somebody has
    the right: an operator may requeue, and an administrator drain."""
    bench.be(OTHER, armed="yes")
    before = bench.reason(), bench.drained(), bench.job(job)
    bench.fire("SlurmBlackHoleNode", node=NODE)
    bench.fire("SiteGPULost", jobid=job)
    drain = bench.wait_for("begun", "drain", NODE)
    bench.wait_for("begun", "requeue", job)
    wait_until(lambda: "unexpected status code 500" in bench.alertmanager.said(), bench.alertmanager.said, PATIENCE)
    assert before == (bench.reason(), bench.drained(), bench.job(job)), before
    with operator(bench.slurm):
        number = bench.wait_for("done", "requeue", job)
        assert bench.job(job).startswith("PENDING"), bench.job(job)
        assert [drain, "begun", "drain", NODE] in bench.acted(), bench.acted()
        bench.undo(number)
        wait_until(lambda: bench.job(job).startswith("RUNNING"), lambda: bench.job(job), PATIENCE)
    bench.be(ADMIN, armed="yes")
    assert drain == bench.wait_for("done", "drain", NODE)
    assert NODE in bench.drained() and bench.reason().startswith(f"slurmscope-hook {drain}: SlurmBlackHoleNode [{ADMIN}@"), bench.reason()
    wait_until(lambda: NODE in [told.labels.get("node") for told in bench.people.messages()], "people hear of it, too", PATIENCE)
    bench.undo(drain)
    assert before[:2] == (bench.reason(), bench.drained()), (before, bench.reason(), bench.drained())


def another_run(bench, job):
    """The alert is of the run that was requeued."""
    status, said = bench.site.receive(alert("SiteGPULost", jobid=job, step="real"))
    assert status == 0 and f"job {job} started after the alert began" in said[0], said


def nobody_knows(bench):
    """Names that Slurm has not, has for many, or has outside the rule: after them comes one that is good."""
    before = bench.drained()
    for name in ("bn99", "ALL", "bn[01-02]", "cn01", "bn02 state=down", "$(reboot)"):
        bench.fire("SlurmBlackHoleNode", node=name)
    bench.fire("SlurmBlackHoleNode", node="bn02")
    number = bench.wait_for("done", "drain", "bn02")
    bench.undo(number)
    assert bench.drained() == before, (before, bench.drained())
    assert {row[3] for row in bench.acted() if row[2] == "drain"} == {NODE, "bn02"}, bench.acted()


def main():
    slurm = Slurm(CLUSTER)
    job = slurm.submit(OWNER, "sleep 3000", "--partition=busy", "--time=55", "--requeue")
    try:
        wait_until(lambda: "RUNNING" in slurm.run("squeue", "-h", "-o", "%T", "-j", job), "its run", PATIENCE)
        with Bench(slurm) as bench:
            dry_run(bench, job)
            rights(bench, job)
            another_run(bench, job)
            nobody_knows(bench)
            conclude(f"{slurm.name} hooks: {len(bench.acted())} actions: {bench.acted()}")
    finally:
        slurm.run("scancel", job)
    wait_until(lambda: slurm.has_ended(job), "its end", PATIENCE)


if __name__ == "__main__":
    CLUSTER = sys.argv[1]
    main()
