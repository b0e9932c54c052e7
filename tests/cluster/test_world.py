#!/usr/bin/env python3
"""One world (see world.py): the page against Slurm's own commands, at rest and while jobs come and go. If slurmdbd is part of it, each
counter is compared with sacct, too. slurmscope is killed and started again on the way.

    test_world.py CLUSTER [SECONDS]        (a new one, see `with`; $WORLD is the seed, $SLURMSCOPE the binary; SECONDS of stir,
                                            0: at rest alone)

$RECORD: a folder for the answers of the newest API version, if nothing differs. The golden pages of worlds are made of these.
"""

import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from functools import partial
from pathlib import Path

from events_oracle import compare, wait_for_ends
from oracle_jobs import accounts_gpus
from real_slurm import HERE, NEWEST
from slurm_says import LABEL_OF_OTHER, Slurm, conclude
from test_events import SLURMSCOPE, Exporter, page_of, settle, wait_until, without_ends, without_ends_now, without_forgotten
from world import World


# What is asked, as lib/slurmrest/endpoint.c asks it.
ANSWERS = {"slurm": ("ping", "diag", "partitions", "nodes", "jobs", "reservations", "licenses", "shares", "conf"),
           "slurmdb": ("ping", "diag", "qos", "associations")}


def record(slurm, folder):
    version, token = NEWEST[slurm.release], slurm.ask("token", "scope").rpartition("=")[2]
    folder = folder / f"{slurm.release}-{os.environ['WORLD']}" / version
    folder.mkdir(parents=True)
    for part, name in ((part, name) for part, names in ANSWERS.items() for name in names):
        query = f"?cluster={slurm.config['ClusterName']}" if name == "associations" else \
            "?flags=ALL" if name in ("partitions", "jobs") and version > "v0.0.38" else ""
        request = urllib.request.Request(f"{slurm.url}/{part}/{version}/{name}{query}",
                                         headers={"X-SLURM-USER-NAME": "scope", "X-SLURM-USER-TOKEN": token})
        with contextlib.suppress(urllib.error.HTTPError), urllib.request.urlopen(request) as answer:  # some are not served
            (folder / f"{'dbd_' if part == 'slurmdb' and name in ANSWERS['slurm'] else ''}{name}.json").write_bytes(answer.read())


def oracle(cluster, *options):
    """(equal, different, left out, whether all is well) of an oracle_test, whose words are printed."""
    done = subprocess.run([HERE / "oracle_test", "--odd", *options, cluster, SLURMSCOPE], capture_output=True, text=True, check=False)
    figures = re.findall(r"(\d+) numbers equal, (\d+) different, (\d+) left out", done.stdout)
    print("\n".join(line for line in done.stdout.splitlines() if not re.search(r"^no oracle for |: \d+ equal, 0 different$", line)))
    if done.returncode:
        print(done.stderr[-3000:])
    return [sum(map(int, column)) for column in zip(*figures)] or [0, 0, 0], not done.returncode


def restart(exporter):
    exporter.end(signal.SIGKILL)
    exporter.start()
    wait_until(lambda: page_of(exporter), "a page")


def compare_page(slurm, page):
    """Where Slurm does not account GPUs, sacct does not tell of them. Nor does it tell which QOS a job named that ran in one."""
    untold = [] if accounts_gpus(slurm) else [r'_allocated_gres_seconds_total\{.*gres="gpu"']
    if World(os.environ["WORLD"], slurm.release).drawn["qos"] == ["several"]:
        untold.append("^slurm_qos_job_submissions_total")
    equal, wrong, count = compare(slurm, {series.replace(LABEL_OF_OTHER, "other"): value for series, value in page.items()})
    return equal, {series: pair for series, pair in wrong.items() if not any(re.search(pattern, series) for pattern in untold)}, count


def events(slurm, exporter):
    """(equal, different, left out) of the counters, when all jobs have ended. slurmdbd never hears of a task that was cancelled before
    any other of its array began: it was submitted all the same."""
    page, state = wait_until(lambda: page_of(exporter), "a page"), exporter.folder / "state"
    slurm.run("sh", "-c", "squeue -h -a -o %F | sort -u | xargs -r scancel || true")
    wait_for_ends(slurm)
    _, equal, wrong, count = settle(slurm, exporter, page, partial(compare_page, slurm),
                                    lambda wrong: without_forgotten(wrong, without_ends_now(state)))
    exporter.end(signal.SIGTERM)
    different = without_forgotten(wrong, without_ends(state))
    for series, (shown, true) in sorted(different.items())[:30]:
        print(f"differs: {series}: page {shown}, sacct {true}")
    print(f"{slurm.name} events: {count} runs of jobs, {equal} numbers equal, {len(different)} different")
    return equal, len(different), len(wrong) - len(different)


def main(cluster, seconds):
    slurm, numbers, is_well = Slurm(cluster), [0, 0, 0], True
    with tempfile.TemporaryDirectory() as folder, contextlib.closing(Exporter(slurm, folder)) as exporter:
        exporter.start()
        wait_until(exporter.is_ready, "readiness")
        print(slurm.ask("workload"), flush=True)
        for options in ((), ("--moving", str(seconds))) if seconds else ((),):
            figures, went_well = oracle(cluster, *options)
            numbers = [sum(pair) for pair in zip(numbers, figures)]
            is_well &= went_well
            if is_well and not options and "RECORD" in os.environ:
                record(slurm, Path(os.environ["RECORD"]))
            restart(exporter)
        if seconds and slurm.has_slurmdbd:
            figures = events(slurm, exporter)
            numbers = [sum(pair) for pair in zip(numbers, figures)]
            is_well &= not figures[1]
        if not is_well:
            print((exporter.folder / "log").read_text()[-3000:])
    equal, different, left_out = numbers
    conclude(f"{cluster} world: {equal + different} numbers compared, {different} different, {left_out} left out")
    sys.exit(not is_well)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if sys.argv[2:] else 60)
