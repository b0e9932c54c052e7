"""A large Slurm that `cluster` has put up (profile scale): how it is filled, and how a later run finds it filled."""

import contextlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
from harness import wait_until  # noqa: E402
from real_slurm import NEWEST  # noqa: E402

ARRAY = 10_000    # tasks of each array that fill() submits
USER = "alice"    # whose jobs fill it
SUBMITTER = "/run/slurmrestd/submitter.sock"


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=300)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(str(self.path))


class LargeSlurm:
    """Jobs that fill it are pending for good: its partition `large` is down."""

    def __init__(self, release, memory, environment):
        self.name, self.memory = f"{release}-scale", int(memory * 2**30)
        self.version = NEWEST[release]
        self.tasks = self.records = 0    # that fill it; each split task is a record, each rest of an array one
        os.environ["SLURMRESTD_ENVIRONMENT"] = environment
        self.root = Path(self.run("root"))
        self.filling = self.root / "var/filled.json"

    def run(self, verb, *arguments, within=()):
        done = subprocess.run([*within, HERE / "cluster", verb, self.name, *map(str, arguments)], check=True, text=True,
                              stdout=subprocess.PIPE)
        return done.stdout.strip()

    def put_up(self, nodes, first_job_id, without_slurmdbd=False):
        os.environ |= {"SCALE_NODES": str(nodes), "SCALE_FIRST_JOB_ID": str(first_job_id),
                       "SCALE_WITHOUT_SLURMDBD": "1" if without_slurmdbd else ""}
        self.nodes = nodes
        self.run("install")
        self.run("up")
        self.url = self.run("url")

    def attach(self):
        """To the one that a run with --keep has left."""
        if not self.filling.exists() or not re.search("^slurmctld runs as", self.run("status"), re.MULTILINE):
            sys.exit(f"no filled {self.name} is up; fill one with --keep and without --reuse")
        filled = json.loads(self.filling.read_text())
        self.nodes, self.tasks, self.records = filled["nodes"], filled["tasks"], filled["records"]
        self.url = self.run("url")

    def note_filled(self, tasks, records):
        self.tasks, self.records = self.tasks + tasks, self.records + records
        self.filling.write_text(json.dumps({"nodes": self.nodes, "tasks": self.tasks, "records": self.records}))

    def pids(self):
        """{daemon: process}, of those that run."""
        return {name: int(pid) for name, pid in re.findall(r"^(\w+) runs as (\d+)$", self.run("status"), re.MULTILINE)}

    def fresh_slurmrestd(self):
        self.run("restart", "slurmrestd", within=["prlimit", f"--as={self.memory}"])

    def settle(self):
        """Waits until slurmctld has told slurmdbd of all."""
        wait_until(lambda: "DBD Agent queue size: 0" in self.run("exec", "sdiag"), "slurmdbd is late", 900)

    def account(self, user):
        """slurmctld's own account of what the user has cost it, in seconds."""
        found = re.search(rf"^\s+{user}\s+\(.*total_time:(\d+)$", self.run("exec", "sdiag"), re.MULTILINE)
        return int(found[1]) / 1e6 if found else 0

    def submit(self, user, *options):
        """Returns the job's ID."""
        return self.run("exec", "setpriv", "--reuid", user, "--regid", user, "--init-groups", "sbatch", "--parsable",
                        "--chdir=/tmp", "--output=/dev/null", *options)

    def submit_array(self, tasks):
        return self.submit(USER, "--partition=large", f"--array=0-{tasks - 1}", "--wrap=true")

    def split(self, job, tasks):
        """A change to all tasks but the last gives each a record of its own."""
        if tasks > 1:
            self.run("exec", "scontrol", "update", f"jobid={job}_[0-{tasks - 2}]", "nice=5")

    def fill(self, records):
        """Fills it up to that number of records, with arrays that are split one after the other."""
        while self.records < records:
            self.fill_arrays(1, min(ARRAY, records - self.records))

    def fill_arrays(self, arrays, tasks):
        """All are submitted before the first is split, so that their leaders' IDs are neighbours."""
        jobs = [self.submit_array(tasks) for _ in range(arrays)]
        for job in jobs:
            self.split(job, tasks)
        self.note_filled(arrays * tasks, arrays * tasks)

    def fill_unsplit(self, tasks):
        self.submit_array(tasks)
        self.note_filled(tasks, 1)

    @contextlib.contextmanager
    def submitter(self):
        """A slurmrestd that takes submissions alone: the one that is measured has slurmscope's requests alone."""
        path = self.root / SUBMITTER[1:]
        path.unlink(missing_ok=True)
        process = subprocess.Popen(
            [HERE / "cluster", "exec", self.name, "SLURM_JWT=daemon",
             "SLURMRESTD_SECURITY=disable_unshare_files,disable_unshare_sysv",
             "setpriv", "--reuid", "slurmrestd", "--regid", "slurmrestd", "--init-groups",
             "slurmrestd", "-s", "slurmctld", "-a", "rest_auth/jwt", f"unix:{SUBMITTER}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            wait_until(path.exists, "no slurmrestd for submissions")
            yield UnixConnection(path)
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(60)

    def fill_singles(self, count):
        """3 ms each with 100 nodes. With 10,000 slurmctld takes 15, one at a time."""
        job = {"name": "single", "partition": "large", "environment": ["PATH=/bin"],
               "current_working_directory": "/tmp", "standard_output": "/dev/null"}
        body = json.dumps({"script": "#!/bin/sh\ntrue\n", "job": job})
        headers = {"X-SLURM-USER-TOKEN": self.run("token", USER), "Content-Type": "application/json"}
        with self.submitter() as connection:
            for _ in range(count):
                connection.request("POST", f"/slurm/{self.version}/job/submit", body, headers)
                answer = connection.getresponse()
                said = answer.read()
                if answer.status != 200:
                    sys.exit(f"a submission failed: {said.decode()}")
        self.note_filled(count, count)


class Churn(threading.Thread):
    """Some jobs run all the time, and every few seconds one comes and goes."""

    def __init__(self, cluster):
        super().__init__(daemon=True)
        self.cluster, self.ended = cluster, threading.Event()
        cluster.submit("bob", "--array=0-49", "--mem=10", "--time=UNLIMITED", "--wrap=sleep 100000")
        self.start()

    def run(self):
        while not self.ended.wait(5):
            self.cluster.submit("bob", "--job-name=short", "--mem=10", "--wrap=sleep 12")

    def pause(self):
        """Until none comes or goes any more."""
        self.ended.set()
        self.join()
        wait_until(lambda: not self.cluster.run("exec", "squeue", "-h", "--name=short"), "short jobs do not end", 120)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.join()
        self.cluster.run("exec", "scancel", "--user=bob")
