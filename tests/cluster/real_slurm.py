"""A real Slurm that `cluster` has put up: what a test does to it, and puts back."""

import contextlib
import os
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
NEWEST = {"22.05": "v0.0.38", "24.11": "v0.0.42", "26.05": "v0.0.45"}  # API version of each release


def check(title, condition, detail=""):
    print(f"{'ok  ' if condition else 'FAIL'} {title}", flush=True)
    if not condition:
        raise SystemExit(f"{title}: {detail}")


def drop_in():
    """The environment of slurmrestd that deploy/slurmrestd has, as `cluster` takes it."""
    lines = (HERE.parent.parent / "deploy/slurmrestd/slurmscope.conf").read_text().splitlines()
    return " ".join(line.partition("=")[2] for line in lines if line.startswith("Environment="))


class Cluster:
    """Its name is RELEASE or RELEASE-PROFILE."""

    def __init__(self, name):
        self.name, self.release = name, name.partition("-")[0]

    def command(self, verb, *arguments):
        return [HERE / "cluster", verb, self.name, *map(str, arguments)]

    def ask(self, verb, *arguments, **environment):
        """What `cluster VERB` prints; it fails with Slurm's words."""
        done = subprocess.run(self.command(verb, *arguments), capture_output=True, text=True, env=os.environ | environment)
        if done.returncode:
            raise AssertionError(f"cluster {verb} {self.name} {arguments}: {done.stderr.strip() or done.stdout.strip()}")
        return done.stdout.strip()

    def try_to(self, verb, *arguments):
        """Whether it went well; Slurm may refuse it."""
        return subprocess.run(self.command(verb, *arguments), capture_output=True).returncode == 0

    @property
    def url(self):
        return self.ask("url")

    @property
    def root(self):
        return Path(self.ask("root"))

    @contextlib.contextmanager
    def without(self, daemon):
        """Stops it, and starts it again whatever happens."""
        self.ask("stop", daemon)
        try:
            yield
        finally:
            self.ask("start", daemon)

    def has_ended(self, job):
        """squeue refuses a job that was forgotten; until then it has it as ended."""
        done = subprocess.run(self.command("exec", "squeue", "-h", "-o", "%T", "-t", "all", "-j", job), capture_output=True, text=True)
        states = set(done.stdout.split())
        return "Invalid job id" in done.stderr if done.returncode else not states & {
            "PENDING", "RUNNING", "SUSPENDED", "CONFIGURING", "COMPLETING", "RESIZING"}

    def submit(self, user, script, *options):
        """Returns the job's ID."""
        return self.ask("exec", "setpriv", "--reuid", user, "--regid", user, "--init-groups", "sbatch", "--parsable",
                        "--chdir=/tmp", "--output=/dev/null", *options, "--wrap", script)
