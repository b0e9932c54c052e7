#!/usr/bin/env python3
"""Rows of jobs that ended in all ways, and slurmscope is killed meanwhile. Each label and each number is what sacct says of
the job's latest run.
usage: test_ended.py CLUSTER    (with its workload, see `with`; SLURMSCOPE is the binary)"""
import contextlib
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "e2e"))
from events_oracle import compare_ended, compare_use_of_jobs  # noqa: E402
from harness import wait_until  # noqa: E402
from slurm_says import Slurm, conclude  # noqa: E402
from test_events import LATE, Exporter, page_of, revive  # noqa: E402

ROWS = ("--jobs.ended-rows=100000", "--jobs.ended-minutes=1440")
SCRIPTS = (  # what ends in many ways, with options
    ("true",), ("sleep 3",), ("exit 3",), ("exit 255",), ("kill -SEGV $$",), ("kill -KILL $$",), ("sleep 2; exit 1",),
    ("sleep 4", "--nodes=2", "--ntasks=2"), ("exit 7", "--array=1-5"), ("sleep 1", "--array=2-9:3"),
    ("exit 1", "--partition=gpu", "--gres=gpu:1"), ("sleep 5", "--job-name=a \"b\" \\c"), ("sleep 5", "--time=10"),
    ("i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done", "--mem=100"))
HELD = (("sleep 60", "--begin=now+1hour"), ("sleep 60", "--hold"), ("sleep 60", "--hold", "--array=1-7"))


def cancel(slurm, *jobs):
    """Some may have ended."""
    subprocess.run(slurm.command("exec", "scancel", *jobs), check=False)


def submit_all(slurm):
    """The jobs. Some of them are cancelled, one runs twice."""
    jobs = [slurm.submit("alice", script, "--partition=busy", *options) for script, *options in SCRIPTS]
    waiting = [slurm.submit("bob", script, *options) for script, *options in HELD]
    twice, killed = (slurm.submit("carol", "sleep 600", "--partition=busy", "--time=10", "--requeue") for _ in range(2))
    wait_until(lambda: slurm.run("squeue", "-h", "-o", "%T", "-j", f"{twice},{killed}").split() == 2 * ["RUNNING"], "two jobs to run", 400)
    cancel(slurm, *waiting, killed)
    slurm.run("scontrol", "requeue", twice)
    return [*jobs, twice]


def live(slurm):
    """Likewise, while others come and go."""
    with ThreadPoolExecutor() as pool:
        others = pool.submit(slurm.ask, "stir", 20)
        jobs = submit_all(slurm)
        others.result()
    return jobs


def difference(slurm, exporter, begin):
    page = page_of(exporter)
    if page is None:
        return 0, {"the page": ("is not there", "")}, 0
    try:
        equal, wrong, jobs = compare_ended(slurm, page, begin)
        used, wrong_use = compare_use_of_jobs(slurm, page, begin)
    except subprocess.CalledProcessError:
        revive(slurm)
        return 0, {"sacct": ("", "does not answer")}, 0
    return equal + used, wrong | wrong_use, jobs


def main(slurm):
    with tempfile.TemporaryDirectory() as folder, contextlib.closing(Exporter(slurm, folder, *ROWS)) as exporter:
        exporter.start()
        wait_until(exporter.is_ready, "readiness")
        time.sleep(1)
        begin = int(time.time())
        jobs = live(slurm)
        exporter.end(signal.SIGKILL)
        jobs += live(slurm)
        cancel(slurm, *jobs)  # those that found no room
        exporter.start()
        wait_until(exporter.is_ready, "readiness")
        end, seen = time.monotonic() + LATE, None
        while time.monotonic() < end:
            seen = difference(slurm, exporter, begin)
            if seen[2] > 30 and not seen[1]:
                break
            time.sleep(5)
        equal, wrong, jobs = seen
        for series, (shown, said) in sorted(wrong.items())[:30]:
            print(f"differs: {series}: page {shown}, sacct {said}")
        conclude(f"{slurm.release} rows of jobs that ended: {jobs} jobs, {equal} numbers equal, {len(wrong)} different")
        if wrong or jobs <= 30:
            print(Path(folder, "log").read_text()[-2000:])
            sys.exit(1)


if __name__ == "__main__":
    main(Slurm(sys.argv[1]))
