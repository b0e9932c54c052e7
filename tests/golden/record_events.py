#!/usr/bin/env python3
"""Writes events.txt: of a simulated cluster, the families that the golden pages do not have, or have with 0 alone. Recorded answers
have no events, and make_page says nothing of slurmscope. Jobs run, fail and wait on that cluster, and nodes fail. deploy/METRICS.md
takes samples from there.
usage: SLURMSIM=build-dev/bin/slurmsim SLURMSCOPE=build-dev/bin/slurmscope tests/golden/record_events.py    (it takes two minutes)"""
import re
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "sim"), str(TESTS / "e2e"), str(TESTS / "dashboards")]
from certificates import make_authority, make_certificate  # noqa: E402
from harness import PATIENCE, free_port, wait_until  # noqa: E402
from simulator import SLURMSCOPE, Simulator  # noqa: E402
from tokens import KEY, make_token  # noqa: E402

PAGE = Path(__file__).with_name("events.txt")
GOLDEN = ("26.05.txt", "26.05-full.txt")
PAST_S = 300  # before slurmscope looks
SECONDS = 90  # what ended jobs used is asked for a minute after their ends
WEB = "tls_server_config: {cert_file: web.pem, key_file: web.key}\n"
SIMULATION = ("--release=26.05", "--cluster=hpc", "--nodes=12", "--users=4", "--jobs=160", "--run-seconds=40", "--min-job-age=20",
              "--arrays=0.05", "--node-failures=0", "--speed=1", "--seed=3")


def options(folder, url, port):
    token = Path(folder, "token")
    token.write_text(make_token(key=KEY))
    token.chmod(0o600)
    make_authority(folder, "ca")
    make_certificate(folder, "web", "ca", "IP:127.0.0.1")
    Path(folder, "web.yml").write_text(WEB)
    Path(folder, "scope.yml").write_text("nodes: {per-node: full}\njobs: {histograms: users}\n")
    intervals = {f"{name}=1" for name in re.findall(
        r"--interval\.\w+", subprocess.run([SLURMSCOPE, "--help"], capture_output=True, text=True, check=True).stdout)}
    return [f"--config.file={folder}/scope.yml", f"--slurmrestd.url={url}", f"--slurmrestd.token-file={token}",
            f"--state.path={folder}/state", f"--web.listen-address=127.0.0.1:{port}", f"--web.config.file={folder}/web.yml",
            "--budget.slurmrestd=1000", "--budget.slurmctld=1000", "--budget.requests=1000", "--limit.users=2", "--jobs.rows=100", "--jobs.ended-rows=20",
            *sorted(intervals), "--interval.job_rotation=3"]


def scrape(port):
    try:
        with urllib.request.urlopen(f"https://127.0.0.1:{port}/metrics", timeout=PATIENCE,
                                    context=ssl._create_unverified_context()) as answer:
            return answer.read().decode()
    except (urllib.error.URLError, ConnectionError):
        return ""


def known():
    return {name for page in GOLDEN for name in re.findall(r"^(\w+)(?:\{.*\})? (?!0$)", PAGE.with_name(page).read_text(), re.M)}


def record():
    with tempfile.TemporaryDirectory(prefix="slurmscope-events-") as folder, \
            Simulator(*SIMULATION, f"--epoch={int(time.time()) - PAST_S}", key=KEY) as sim:
        sim.control(f"advance?seconds={PAST_S}")
        port = free_port()
        with open(Path(folder, "log"), "wb") as log:
            scope = subprocess.Popen([SLURMSCOPE, *options(folder, sim.url, port)], stderr=log, stdin=subprocess.DEVNULL)
        try:
            wait_until(lambda: "slurm_cluster_job_starts_total" in scrape(port), Path(folder, "log").read_text)
            sim.control("storm?jobs=300")  # More than there is room for: some wait, are forecast, and start.
            sim.control("node?name=n12&do=fail")  # it has GPUs, and returns
            for node in ("n07", "n08"):
                time.sleep(SECONDS / 3)
                sim.control(f"node?name={node}&do=fail")
            sim.control("node?name=n12&do=resume")
            time.sleep(SECONDS / 3)
            return scrape(port)
        finally:
            scope.terminate()
            scope.wait(PATIENCE)


def main():
    there = known()
    lines = [line for line in record().splitlines(True)
             if (re.match(r"# (?:HELP|TYPE) (\w+)", line) or re.match(r"(\w+)", line))[1] not in there]
    PAGE.write_text("".join(lines))
    print(f"{len(lines)} lines")


if __name__ == "__main__":
    sys.exit(main())
