"""What tests of deploy/hooks share: a folder with slurmscope-hook's configuration and state, a Slurm of two scripts, messages,
and Debian's webhook before it."""

import json
import os
import re
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
HOOKS = ROOT / "deploy/hooks"
PROGRAM = HOOKS / "slurmscope-hook"
WEBHOOK = Path(os.environ.get("SLURMSCOPE_CACHE", "/var/cache/slurmscope")) / "webhook/usr/bin/webhook"  # unpacked by tests/run
STARTS = "2026-11-27T14:00:00.123456789Z"
BLACK_HOLE = "SlurmBlackHoleNode"
PATIENCE = 90
# One that any user may start, if there is one
PYTHON = next((path for path in ("/usr/bin/python3",) if os.path.exists(path)), sys.executable)

# scontrol and squeue in one, which keep their cluster in a file. Nobody keeps two of them from writing it at once: who calls
# them has to. `fail` and `cut` in it are what the next change does: fails before it is done, or after.
FAKE = """#!{python} -IS
import json, os, sys, time
path = {world!r}
def keep(world):
    with open(path + ".new", "w") as new:
        json.dump(world, new)
    os.replace(path + ".new", path)  # a test reads it meanwhile
world = json.load(open(path))
name, arguments = os.path.basename(sys.argv[0]), sys.argv[1:]
with open(path + ".calls", "a") as calls:
    calls.write(json.dumps([name, *arguments, [os.getresuid(), os.getresgid(), os.getgroups()]]) + "\\n")
if world.get("away"):
    sys.exit("slurm_load_node error: Unable to contact slurm controller (connect failure)")
if name == "squeue":
    for job in world["jobs"]:
        if arguments[arguments.index("--jobs") + 1] in (job["id"], job["name"], job["name"].partition("_")[0]):
            print("|".join(job[field] for field in ("id", "name", "state", "partition", "user", "start")))
            world["found"] = True
    sys.exit(None if world.get("found") else "slurm_load_jobs error: Invalid job id specified")
if arguments[0] == "ping":
    sys.exit(print("Slurmctld(primary) at controller is UP"))
if "show" in arguments:
    names = arguments[-1].split(",")
    for one in names:
        node = world["nodes"].get(one)
        print(f"NodeName={{one}} Arch=x86_64 State={{node['state']}} Weight=1 Partitions={{node['partitions']}} "
              f"Reason={{node['reason']}} [root@2026-11-27T13:00:00]" if node else f"Node {{one}} not found")
    sys.exit(any(one not in world["nodes"] for one in names))
time.sleep(world.get("slow", 0))
if world.pop("fail", None):
    keep(world)
    sys.exit("slurm_update error: Socket timed out on send/recv operation")
if arguments[0] == "update":
    fields = dict(argument.split("=", 1) for argument in arguments[1:])
    node = world["nodes"][fields["nodename"]]
    if fields["state"] == "undrain":
        node.update(state=node["state"].replace("+DRAIN", ""), reason="")
    else:
        node.update(state=node["state"] + "+DRAIN", reason=fields["reason"])
else:
    job = next(job for job in world["jobs"] if job["name"] == arguments[1])
    job["state"] = "PENDING"
    job["held"] = dict(requeuehold=True, requeue=False, release=False)[arguments[0]]
cut = world.pop("cut", None)
keep(world)
sys.exit(cut and "slurm_update error: Zero Bytes were transmitted or received")
"""


def alert(name=BLACK_HOLE, status="firing", starts=STARTS, annotations=None, **labels):
    return {"status": status, "startsAt": starts, "annotations": annotations or {},
            "labels": {"alertname": name, "cluster": "alpha", **labels}}


def node(name, **labels):
    return alert(node=name, audience="page", **labels)


class Site:
    """A configuration of `rules`, beside what every one needs, and a small cluster."""

    def __init__(self, rules, settings=""):
        self.temporary = tempfile.TemporaryDirectory(prefix="slurmscope-hooks-")
        self.folder = Path(self.temporary.name)
        self.state = self.folder / "state/actions.db"
        self.state.parent.mkdir()
        self.world = self.folder / "world"
        self.write({"nodes": {f"cn0{number}": {"state": "IDLE", "partitions": "cpu,all", "reason": "(null)"} for number in range(1, 10)}
                    | {"gn01": {"state": "MIXED", "partitions": "gpu", "reason": "(null)"}}, "jobs": []})
        for name in "scontrol", "squeue":
            script = self.folder / name
            script.write_text(FAKE.format(python=PYTHON, world=str(self.world)))
            script.chmod(0o755)
        self.config = self.folder / "hooks.conf"
        self.configure(rules, settings)

    def configure(self, rules, settings=""):
        self.config.write_text(f"[hooks]\ncluster = alpha\nstate = {self.state}\nlog = {self.folder}/log\n"
                               f"scontrol = {self.folder}/scontrol\nsqueue = {self.folder}/squeue\n{settings}\n{rules}")
        self.config.chmod(0o644)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.temporary.cleanup()

    def read(self):
        return json.loads(self.world.read_text())

    def write(self, world):
        new = self.folder / "world.changed"
        new.write_text(json.dumps(world))
        new.replace(self.world)  # scontrol reads it meanwhile

    def change(self, **members):
        self.write(self.read() | members)

    def set_node(self, name, **members):
        world = self.read()
        world["nodes"][name] |= members
        self.write(world)

    def set_job(self, name, **members):
        job = {"id": name, "name": name, "state": "RUNNING", "partition": "gpu", "user": "alice", "start": "1000"} | members
        self.change(jobs=[other for other in self.read()["jobs"] if other["name"] != name] + [job])

    def job(self, name):
        return next(job for job in self.read()["jobs"] if job["name"] == name)

    def calls(self):
        file = Path(f"{self.world}.calls")
        return [json.loads(line)[:-1] for line in file.read_text().splitlines()] if file.exists() else []

    def changes(self):
        """What it asked Slurm to do."""
        return [call[1:] for call in self.calls() if call[0] == "scontrol" and "show" not in call and call[1] != "ping"]

    def drained(self):
        return sorted(name for name, one in self.read()["nodes"].items() if "DRAIN" in one["state"])

    def start(self, *arguments, **environment):
        return subprocess.Popen([PYTHON, "-B", PROGRAM, "--config", self.config, *map(str, arguments)], text=True,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ | environment)

    def run(self, *arguments, given="", **environment):
        """(status, standard output, [lines of its log])"""
        process = self.start(*arguments, **environment)
        out, said = process.communicate(given, PATIENCE)
        return process.returncode, out, said.splitlines()

    def receive(self, *alerts, options=()):
        """(status, [lines of its log]) of a message about them"""
        status, _, said = self.run("receive", *options, given=json.dumps({"version": "4", "alerts": alerts}))
        return status, said

    def let_pass(self, seconds):
        """As if all that was done had been done earlier."""
        with sqlite3.connect(self.state) as state:
            state.execute("UPDATE actions SET at = at - ?", (seconds,))


class Webhook:
    """Debian's webhook as the unit starts it, but for paths and the port. It runs slurmscope-hook with the configuration."""

    def __init__(self, folder, config, port, secret="a-secret"):
        self.folder, self.port, self.secret = Path(folder), port, secret
        self.url = f"http://127.0.0.1:{port}/hooks/slurmscope"
        wrapper = self.folder / "slurmscope-hook"
        wrapper.write_text(f'#!/bin/sh\nexec {PYTHON} -B {PROGRAM} --config {config} "$@"\n')
        wrapper.chmod(0o755)
        hooks = self.folder / "webhook.yml"
        hooks.write_text((HOOKS / "webhook.yml").read_text().replace("/usr/local/sbin/slurmscope-hook", str(wrapper)))
        unit = (HOOKS / "slurmscope-hooks.service").read_text()
        options = re.search(r"(?m)^ExecStart=/usr/bin/webhook (.*)$", unit)[1]
        self.command = [WEBHOOK, *options.replace("/etc/slurmscope-hooks/webhook.yml", str(hooks)).replace("9346", str(port)).split()]

    def start(self):
        # its files of messages go to TMPDIR
        environment = {"PATH": os.environ["PATH"], "TMPDIR": str(self.folder), "SLURMSCOPE_HOOKS_SECRET": self.secret}
        return subprocess.Popen(self.command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def __enter__(self):
        self.process = self.start()
        end = time.monotonic() + PATIENCE
        while True:
            assert self.process.poll() is None and time.monotonic() < end, self.process.stdout.read()
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return self
            except OSError:
                time.sleep(0.05)

    def __exit__(self, *_):
        self.process.terminate()
        self.process.communicate(timeout=PATIENCE)

    def post(self, body, authorization=None, method="POST", **headers):
        """(status, body) of the answer"""
        headers = {"Content-Type": "application/json", "Authorization": authorization or f"Bearer {self.secret}"} | headers
        request = urllib.request.Request(self.url, body if method == "POST" else None, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as answer:
            return answer.code, answer.read().decode()


def alertmanager_config(text, example, webhook, secret_file):
    """alertmanager.yml with the example's route and receiver put in as its first lines say, and in a hurry."""
    import yaml  # what slurmscope-hook alone needs has only Python's own modules
    whole, hooks = yaml.safe_load(text), yaml.safe_load(example)
    whole["route"]["routes"][:0] = hooks["route"]["routes"]
    whole["receivers"] += [receiver for receiver in hooks["receivers"] if receiver["name"] == "slurmscope-hooks"]
    for one in whole["receivers"][-1]["webhook_configs"]:
        one["url"] = webhook
        one["http_config"]["authorization"]["credentials_file"] = str(secret_file)
    return re.sub(r"(group_wait|group_interval|repeat_interval): \d+[mhs]", r"\1: 1s", yaml.safe_dump(whole))
