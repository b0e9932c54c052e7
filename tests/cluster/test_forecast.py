#!/usr/bin/env python3
"""When will it start, and when did it? A job waits for two nodes whose jobs have long time limits. slurmctld forecasts its start.
slurmscope sees that, and is killed. Then the nodes become free early. How wrong the forecast was is what scontrol and sacct say.
usage: test_forecast.py CLUSTER    (with its workload, see `with`; SLURMSCOPE is the binary)"""
import contextlib
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "e2e"))
from harness import wait_until  # noqa: E402
from slurm_says import Slurm, conclude  # noqa: E402
from test_events import Exporter, page_of  # noqa: E402

ALL = ("--partition=busy", "--nodes=2", "--exclusive")
EXPECTED = 'slurm_pending_job_expected_start_timestamp_seconds{jobid="%s"}'
SUM = 'slurm_partition_job_start_before_forecast_seconds_sum{partition="busy"}'
COUNT = 'slurm_partition_job_start_%s_forecast_seconds_count{partition="busy"}'
NEW_PLAN_S = 5  # A planner run that is later by a moment may forecast a start that is later by as much.


def forecast(slurm, job):
    """As scontrol says it; 0: none yet."""
    said = next(slurm.records("job", job))["StartTime"]
    return int(said) if said.isdigit() and int(said) > time.time() else 0


def start_in_sacct(slurm, job):
    """Seconds as a text; None while sacct does not know it."""
    said = slurm.table("sacct", "-X", "-P", "-j", job, "-o", "Start")[0]["Start"]
    return said if said.isdigit() else None


def counts(page):
    return [page.get(COUNT % when, 0) for when in ("before", "after")]


def main(slurm):
    with tempfile.TemporaryDirectory() as folder, contextlib.closing(Exporter(slurm, folder)) as exporter:
        slurm.pause()
        exporter.start()
        wait_until(exporter.is_ready, "readiness")
        holder = slurm.submit("alice", "sleep 600", *ALL, "--time=20")
        wait_until(lambda: next(slurm.records("job", holder))["JobState"] == "RUNNING", "the job that holds the nodes")
        job = slurm.submit("bob", "sleep 1", *ALL, "--time=5")
        wait_until(lambda: forecast(slurm, job), "a forecast")
        shown = wait_until(lambda: (page_of(exporter) or {}).get(EXPECTED % job), "the forecast on the page")
        said = forecast(slurm, job)
        before = counts(page_of(exporter))
        exporter.end(signal.SIGKILL)
        exporter.start()
        wait_until(exporter.is_ready, "readiness")
        subprocess.run(slurm.command("exec", "scancel", holder), check=True)
        wait_until(lambda: counts(page_of(exporter) or {})[0] > before[0], "its start on the page")
        page = page_of(exporter)
        start = int(wait_until(lambda: start_in_sacct(slurm, job), "its start in sacct"))
        wrong = abs(shown - said) > NEW_PLAN_S or abs(page[SUM] - (said - start)) > NEW_PLAN_S
        wrong |= counts(page) != [before[0] + 1, before[1]]
        conclude(f"{slurm.release} forecast: of job {job} the page says {shown:.0f}, scontrol {said}; it started at {start}, "
                 f"{page[SUM]:.0f} s earlier: {'different' if wrong else 'equal'}")
        if wrong:
            print(before, counts(page), Path(folder, "log").read_text()[-2000:])
            sys.exit(1)


if __name__ == "__main__":
    main(Slurm(sys.argv[1]))
