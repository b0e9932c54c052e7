"""What the simulator's tests share: a slurmsim that runs, and its answers."""

import contextlib
import http.client
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path

SLURMSIM = os.path.abspath(os.environ.get("SLURMSIM", "build/bin/slurmsim"))
SLURMSCOPE = os.path.abspath(os.environ.get("SLURMSCOPE", "build/bin/slurmscope"))
FIXTURES = Path(os.environ.get("FIXTURES", "build/fixtures"))
RELEASES = {"22.05": ("22.05.8", (37, 38)), "24.11": ("24.11.5", (40, 41, 42)),
            "26.05": ("26.05.5", (42, 43, 44, 45))}
ANSWERED = RELEASES | {"26.11": ("26.11.0rc1", (46,))}  # of which only answers were recorded
EPOCH = 1795209600  # a midnight UTC
PATIENCE = 60
WHOLE = "WHOLE" in os.environ  # tests/run --all: long.sim.NAME is all of a test, sim.NAME is what fits into a minute


def second_tier(test):
    """Only long.sim.NAME has it."""
    return test if WHOLE else None


def parse(body):
    """JSON as slurmrestd sends it: job names may be anything."""
    return json.loads(body.decode("utf-8", "replace"))


class Simulator:
    """A slurmsim whose clock stands, unless another speed is given."""

    def __init__(self, *options, key=None):
        self.folder = tempfile.TemporaryDirectory(prefix="slurmsim-")
        defaults = [] if any(o.startswith("--speed") for o in options) else ["--speed=0"]
        if not any(o.startswith("--epoch") for o in options):
            defaults.append(f"--epoch={EPOCH}")
        if key:
            self.key_file = Path(self.folder.name, "key")
            self.key_file.write_bytes(key)
            defaults.append(f"--jwt-key-file={self.key_file}")
        self.process = subprocess.Popen([SLURMSIM, *defaults, *options], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()
        if not self.url:
            raise AssertionError(f"slurmsim does not start: {self.process.stderr.read()}")
        self.address = self.url.removeprefix("http://")

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        try:
            self.process.terminate()
            status = self.process.wait(PATIENCE)
            errors = self.process.stderr.read()
            if kind is None:
                assert status == 0, f"slurmsim ended with {status}: {errors}"
        finally:
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
            self.process.stderr.close()
            self.folder.cleanup()

    def connect(self):
        return http.client.HTTPConnection(self.address, timeout=PATIENCE)

    def get(self, path, **headers):
        """(status, headers, body)"""
        with contextlib.closing(self.connect()) as connection:
            connection.request("GET", path, headers={k.replace("_", "-"): v for k, v in headers.items()})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()

    def json(self, path, **headers):
        status, _, body = self.get(path, **headers)
        assert status == 200, f"{path}: {status} {body[:300]}"
        return parse(body)

    def control(self, what):
        status, _, body = self.get(f"/sim/{what}")
        assert status == 200, f"/sim/{what}: {body}"
        return body.decode()

    def catch_up(self):
        """Advances its clock, which is behind by the time of its start, to this machine's. slurmscope does not count what
        happened before it began by its own clock."""
        behind = int(time.time()) - self.truth()["now"]
        if behind > 0:
            self.control(f"advance?seconds={behind}")

    def end_all(self):
        """No more jobs arrive; all that are there have ended."""
        self.control("arrivals?rate=0")
        alive, end = True, time.monotonic() + 120
        while alive:
            assert time.monotonic() < end, f"{alive} jobs do not end"
            self.control("cancel")
            truth = self.truth()
            alive = truth.get("jobs/PENDING", 0) + truth.get("jobs/RUNNING", 0) + truth.get("completing", 0)
            time.sleep(0.5)

    def truth(self, with_jobs=False):
        return self.json("/sim/truth?jobs" if with_jobs else "/sim/truth")

    def stats(self):
        return self.json("/sim/stats")


def newest(release):
    return f"v0.0.{RELEASES[release][1][-1]}"
