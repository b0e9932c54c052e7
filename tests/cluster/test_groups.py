#!/usr/bin/env python3
"""Groups that the site defines, on a real Slurm: jobs of many kinds run and end while slurmscope is killed and Slurm's daemons
are restarted. Then jobs that wait and run are counted as squeue -r shows them. When all have ended, each counter and each
bucket of three groups is what sacct says.
usage: test_groups.py CLUSTER [JOBS [KILLS]]    (a new one, see `with`; SLURMSCOPE is the binary)"""
import contextlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "e2e"))
from events_oracle import wait_for_ends  # noqa: E402
from groups_oracle import CONFIG, FAMILIES, NO_LICENSES, compare_events, compare_present  # noqa: E402
from harness import wait_until  # noqa: E402
from slurm_says import Slurm, conclude  # noqa: E402
from test_events import LATE, Exporter, check_counters, page_of, restart_daemons, revive, settle, without_ends_now  # noqa: E402

NAMES = ("climate-1", "climate-22-b", "fluid-7", "fluid", "Climate-1", "a b", "x-9;y", "gr\u00f6\u00dfe-5", "other", "unknown")
CHOICES = ((), (), ("--constraint=fast",), ("--constraint=fast&nvme",), ("-L", "matlab:1"), ("-L", "matlab:2,fluent:1"),
           ("--comment=grant=X42 and more",), ("--comment=none",), ("--wckey=wk1",))
PLACES = (("-p", "cpu"), ("-p", "cpu,busy"), ("-p", "debug"), ("-p", "gpu", "--gres=gpu:1"), ("-p", "busy", "-q", "short"))
USERS = ("alice", "bob", "carol", "dave", "grace")


def some_job(slurm, chance, script, *options):
    """One of any kind; slurmctld may be away, or not take it."""
    kind = [option for _ in range(2) for option in chance.choice(CHOICES)]
    with contextlib.suppress(AssertionError, subprocess.CalledProcessError):
        return slurm.submit(chance.choice(USERS), script, f"--job-name={chance.choice(NAMES)}", "--time=5", "--mem=100",
                            *chance.choice(PLACES), *kind, *options)
    return None


def some_jobs(slurm, chance, jobs):
    for _ in range(jobs):
        what = chance.randrange(8)
        if what < 4:
            some_job(slurm, chance, f"sleep {chance.choice((0, 1, 3, 8))}")
        elif what < 6:
            some_job(slurm, chance, "sleep 1; exit $((SLURM_ARRAY_TASK_ID % 2))", "--array=0-5%3")
        elif what < 7:
            some_job(slurm, chance, "exit 3")
        elif job := some_job(slurm, chance, "sleep 40"):
            time.sleep(chance.choice((0, 2)))
            with contextlib.suppress(subprocess.CalledProcessError):
                slurm.run("sh", "-c", f"{chance.choice(('scancel', 'scontrol requeue'))} {job} || true")


def live(slurm, exporter, chance, jobs, kills):
    workers = [threading.Thread(target=some_jobs, args=(slurm, random.Random(chance.random()), jobs // 2)) for _ in range(2)]
    stop = threading.Event()
    breaker = threading.Thread(target=restart_daemons, args=(slurm, stop))
    for thread in (*workers, breaker):
        thread.start()
    slurm.try_to("storm", 40)
    killed, before = 0, {}
    while killed < kills or any(worker.is_alive() for worker in workers):
        time.sleep(chance.uniform(1, 6))
        if killed < kills:
            exporter.end(signal.SIGKILL)
            killed += 1
            time.sleep(chance.choice((0, 0, 3)))
            exporter.start()
        page = wait_until(lambda: page_of(exporter), "a page")
        check_counters(before, page, FAMILIES)
        before = page
    for worker in workers:
        worker.join()
    stop.set()
    breaker.join()
    return before


def check_present(slurm, exporter, chance):
    """Jobs that wait and run, and do nothing else."""
    for _ in range(16):
        some_job(slurm, chance, "sleep 1000", "--array=0-3", "--time=60", *chance.choice(((), ("--hold",))))
    end, last = time.monotonic() + LATE, None
    while True:
        before = slurm.job_picture()
        page = wait_until(lambda: page_of(exporter), "a page")
        equal, wrong = compare_present(slurm, page)
        if not wrong and slurm.job_picture() == before:
            return equal
        last = wrong or last
        assert time.monotonic() < end, f"differs from squeue: {sorted(last.items())[:10]}"
        time.sleep(2)


def without_forgotten(slurm, state, wrong):
    """What slurmctld forgot when it was stopped was submitted all the same; sacct never heard of it."""
    forgotten = sum(tasks for *_, tasks in without_ends_now(state))
    allowed = {series: pair for series, pair in wrong.items()
               if "_submissions_total" in series and 0 < pair[0] - pair[1] <= forgotten}
    if slurm.release == NO_LICENSES:  # which nobody tells of what slurmscope did not see
        allowed |= {series: pair for series, pair in wrong.items() if series.startswith("slurm_group_app_")}
    return {series: pair for series, pair in wrong.items() if series not in allowed}


def main(jobs, kills):
    slurm, chance = Slurm(CLUSTER), random.Random()
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder, "groups.yml")
        config.write_text(CONFIG)
        with contextlib.closing(Exporter(slurm, folder, f"--config.file={config}")) as exporter:
            slurm.run("scontrol", "update", "nodename=cn[01-10],bn[01-02]", "AvailableFeatures=fast,nvme")
            exporter.start()
            wait_until(lambda: exporter.is_ready(), "readiness")
            page = live(slurm, exporter, chance, jobs, kills)
            revive(slurm)
            now = check_present(slurm, exporter, chance)
            slurm.run("sh", "-c", "scancel -p cpu -p busy -p debug -p gpu || true; squeue -h -o %A | xargs -r scancel || true")
            wait_for_ends(slurm)
            remaining = partial(without_forgotten, slurm, exporter.folder / "state")
            page, equal, wrong, count = settle(slurm, exporter, page, partial(compare_events, slurm), remaining)
            wrong = remaining(wrong)
            exporter.end(signal.SIGTERM)
            for series, (shown, true) in sorted(wrong.items())[:30]:
                print(f"differs: {series}: page {shown}, sacct {true}")
            unknown = sum(value for series, value in page.items() if "unknown" in series and "_ends_total" in series and "unknown~" not in series)
            lost = page["slurmscope_job_events_lost_total"]
            conclude(f"{slurm.release} groups: {count} runs of jobs, {kills} kills, {equal} numbers of sacct equal, {len(wrong)} "
                     f"different, {now} of squeue equal, {unknown:.0f} ends of unknown rows, {lost:.0f} lost")
            if wrong or lost:
                print((exporter.folder / "log").read_text()[-3000:])
                sys.exit(1)
    assert re.search('slurm_group_project_job_starts_total{[^}]*campaign="climate"', str(page)), "no job was of a campaign"


if __name__ == "__main__":
    CLUSTER = sys.argv[1]
    main(int(sys.argv[2]) if sys.argv[2:] else 120, int(sys.argv[3]) if sys.argv[3:] else 4)
