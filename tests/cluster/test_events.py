#!/usr/bin/env python3
"""Jobs of all outcomes on a real Slurm while slurmscope is killed again and again, and Slurm's daemons are restarted and
stopped for a while. Afterwards each counter and each bucket of a histogram is what sacct says. Nothing measures energy or the
memory of GPUs here: triggers in slurmdbd's database give jobs and steps some when they end, as slurmctld would.
usage: test_events.py CLUSTER [JOBS [KILLS]]    (a new one, see `with`; SLURMSCOPE is the binary)"""
import contextlib
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "e2e"))
import report_oracle  # noqa: E402
from events_oracle import (FAMILIES, Truth, compare, compare_gpu_memory, compare_p95, compare_use, has_start,  # noqa: E402
                           of_several_partitions, runs, wait_for_ends)
from harness import SLURMSCOPE, end_both, free_port, samples, wait_until  # noqa: E402
from prometheus import Prometheus  # noqa: E402
from slurm_says import Slurm, conclude  # noqa: E402

INTERVALS = [f"--interval.{name}=1" for name in ("diag", "jobs", "job_states", "job_details", "job_ends")]
ENDED = 4  # One of a run's bits in the state file.
NO_GPU_MEMORY = "22.05"
NOT_RESIZED = ("22.05",)  # Its slurmrestd does not report the sizes that a job had.
STAYS = 30  # Seconds. What slurmdbd hears late may be late for a moment.
LATE = 600  # Seconds until slurmdbd knows everything, a sweep was done since, and steps were read: 330, and more on a busy machine.


# TRES 3 is energy. A quarter of the jobs have none, and a size that was not the last has none (8192: JOB_RESIZING).
ENERGY = """CREATE TRIGGER energy BEFORE UPDATE ON {table} FOR EACH ROW SET NEW.tres_alloc = IF(
    NEW.time_end > 0 AND NEW.time_start > 0 AND NEW.nodelist NOT IN ('', 'None assigned') AND (NEW.state & 8192) = 0
        AND NEW.id_job % 4 > 0,
    CONCAT(REGEXP_REPLACE(NEW.tres_alloc, ',3=[0-9]+', ''), ',3=', 1 + (NEW.id_job * 7919 + NEW.time_submit) % 100000000),
    NEW.tres_alloc)"""
# gres/gpumem, which 22.05 does not know. A fifth of the steps used none, and of a third of the jobs nobody tells.
GPU_MEMORY = """CREATE TRIGGER gpu_memory BEFORE UPDATE ON {table} FOR EACH ROW SET NEW.tres_usage_in_tot = IF(
    NEW.time_end > 0 AND NEW.job_db_inx % 3 > 0,
    CONCAT_WS(',', NULLIF(REGEXP_REPLACE(NEW.tres_usage_in_tot, '(^|,){tres}=[0-9]+', ''), ''),
              CONCAT('{tres}=', (NEW.job_db_inx + ABS(NEW.id_step)) % 5 * 1234567890)),
    NEW.tres_usage_in_tot)"""


class Exporter:
    """A slurmscope with a state file that can be killed and started again."""

    def __init__(self, slurm, folder, *options):
        self.slurm, self.folder = slurm, Path(folder)
        self.options = options
        self.log = open(self.folder / "log", "ab")
        self.port = free_port()
        self.process = None

    def to_slurmrestd(self):
        return [f"--slurmrestd.url={self.slurm.url}", "--slurmrestd.user=scope",
                f"--slurmrestd.jwt-key-file={self.slurm.ask('key')}"]

    def start(self):
        self.process = subprocess.Popen(
            [SLURMSCOPE, *self.to_slurmrestd(), f"--state.path={self.folder / 'state'}",
             f"--web.listen-address=127.0.0.1:{self.port}", "--budget.slurmrestd=1000", "--budget.slurmctld=1000",
             "--budget.requests=1000", "--jobs.histograms=users", *INTERVALS, *self.options], stderr=self.log, stdin=subprocess.DEVNULL)

    def end(self, how):
        end_both(self.process, how)

    def close(self):
        """Nothing is left of it when the test fails."""
        if self.process and self.process.poll() is None:
            self.end(signal.SIGKILL)

    def is_ready(self):
        return subprocess.run(["curl", "-sf", f"http://127.0.0.1:{self.port}/-/ready"],
                              capture_output=True, check=False).returncode == 0

    def page(self):
        command = ["curl", "-sf", f"http://127.0.0.1:{self.port}/metrics"]
        return samples(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def measure(slurm):
    """From now on slurmdbd has energy of jobs that end, and memory of GPUs of steps."""
    def sql(statement):
        return slurm.run("mariadb", "-N", "slurm_acct_db", "-e", statement)
    jobs, steps = sql(r"SHOW TABLES WHERE tables_in_slurm_acct_db RLIKE '_(job|step)_table$'").split()
    sql(ENERGY.format(table=jobs))
    if tres := sql("SELECT id FROM tres_table WHERE type = 'gres' AND name = 'gpumem'").strip():
        sql(GPU_MEMORY.format(table=steps, tres=tres))


def check_counters(before, after, families=FAMILIES):
    """No counter may have gone back, over a kill either."""
    fell = [series for series, value in before.items() if families.match(series) and after.get(series, 0) < value]
    assert not fell, f"they fell: {fell[:5]}"


def restart_daemons(slurm, stop):
    """One after the other, now and then for a while."""
    for daemon in ("slurmctld", "slurmdbd", "slurmrestd") * 10:
        if stop.wait(random.uniform(3, 8)):
            return
        with slurm.without(daemon):
            stop.wait(random.choice((0, 0, 5, 12)))


def traffic(slurm, jobs):
    """Storms of short jobs, and comings and goings of all kinds between them, as far as slurmctld is there."""
    for _ in range(max(1, min(4, jobs // 50))):
        slurm.try_to("storm", min(jobs, max(50, jobs // 4)))
        slurm.try_to("stir", max(8, jobs // 40))
        for seconds in 2, 5, 9:
            with contextlib.suppress(AssertionError):
                slurm.submit("alice", f"sleep {seconds}", "--partition=gpu", f"--gres=gpu:{seconds // 2}", "--mem=100")
        if slurm.release not in NOT_RESIZED:
            slurm.try_to("resize")


def live(slurm, exporter, jobs, kills):
    """Jobs, kills and outages; the last page."""
    worker = threading.Thread(target=traffic, args=(slurm, jobs))
    stop = threading.Event()
    breaker = threading.Thread(target=restart_daemons, args=(slurm, stop))
    worker.start()
    breaker.start()
    killed, before = 0, {}
    while worker.is_alive() or killed < kills:
        time.sleep(random.uniform(1, 6))
        if killed < kills:
            exporter.end(signal.SIGKILL)
            killed += 1
            time.sleep(random.choice((0, 0, 2, 8)))
            exporter.start()
        page = wait_until(lambda: page_of(exporter), "a page")
        check_counters(before, page)
        before = page
    worker.join()
    stop.set()
    breaker.join()
    exporter.end(signal.SIGKILL)
    for _ in range(5):  # one after the other: a trigger gives memory of GPUs to three of them at least
        slurm.submit("alice", "sleep 2", "--partition=gpu", "--gres=gpu:1", "--mem=100")
    if slurm.release in NOT_RESIZED:
        exporter.start()
        return before
    with ThreadPoolExecutor() as pool:
        nobody_sees, late = pool.map(partial(slurm.ask, "resize"), (1, 250))
    wait_until(lambda: slurm.has_ended(nobody_sees), f"the end of {nobody_sees}")
    exporter.start()  # nobody saw the first size of the other one
    wait_until(lambda: any(series.startswith(f'slurm_job_info{{jobid="{late}"') for series in page_of(exporter) or ()), f"job {late} on the page")
    slurm.run("scancel", late)
    return before


def revive(slurm):
    """Whether a daemon of Slurm had ended by itself; it runs again. Which one, and its last words, are kept with the figures."""
    if said := slurm.ask("revive"):
        conclude(said)
    return bool(said)


def settle(slurm, exporter, before, compare_page, remaining):
    """Compares until all is equal: (page, equal, wrong, runs). It stops, too, if what differs stays so and nothing of it is
    `remaining`, or if it will never be equal. `compare_page` takes a page, and returns the rest of these."""
    end = time.monotonic() + LATE
    last, since = None, 0
    while True:
        page = wait_until(lambda: page_of(exporter), "a page")
        check_counters(before, page)
        before = page
        try:
            equal, wrong, count = compare_page(page)
        except subprocess.CalledProcessError:
            if time.monotonic() > end or not revive(slurm):
                raise
            continue
        if wrong != last:
            last, since = wrong, time.monotonic()
        stays = time.monotonic() > since + STAYS and not remaining(wrong)
        if not wrong or stays or time.monotonic() > end:
            return page, equal, wrong, count
        time.sleep(3)


def compare_all(slurm, page):
    equal, wrong, count = compare(slurm, page)
    wrong |= {f"CPU time used by {account}": pair for account, pair in compare_use(slurm, page).items()}
    return equal, wrong | compare_gpu_memory(slurm, page), count


def without_ends(path):
    """What has not ended by a state file: (user, account, partitions, QOS, tasks) of each."""
    with contextlib.closing(sqlite3.connect(path)) as state:
        return list(state.execute("select user, account, partitions, qos, max(tasks, 1) from run "
                                  f"where not bits & {ENDED} or tasks > 0"))


def without_ends_now(state):
    """Likewise, while slurmscope runs, which lets nobody else open it; nothing if the copy is torn."""
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(sqlite3.DatabaseError):
        for end in "", "-wal":
            if Path(f"{state}{end}").exists():
                shutil.copy(f"{state}{end}", f"{folder}/state{end}")
        return without_ends(f"{folder}/state")
    return []


def counted_too_long(slurm, path):
    """What Slurm says of each run that more time was counted for than it ran: sacct's lines, and slurmctld's log of the job."""
    with contextlib.closing(sqlite3.connect(path)) as state:
        excess = list(state.execute("select id, task, submit_time, raw_id, counted, end_time, user, partitions from run "
                                    f"where bits & {ENDED} and counted > 0"))
    log = Path(slurm.ask("root"), "var/log/slurm/slurmctld.log").read_text(errors="replace").splitlines()
    for *run, raw_id, counted, end_time, user, partitions in excess[:20]:
        yield f"counted {counted} s too long: {run}, raw id {raw_id}, ended {end_time}, of {user} in {partitions}"
        yield slurm.run("sacct", "-D", "-P", "-S", "now-1day", "-j", str(raw_id), "-o",
                        "JobIDRaw,JobID,State,Submit,Start,End,ElapsedRaw,Suspended,AllocTRES,SubmitLine")
        yield from [line for line in log if re.search(rf"\b{raw_id}\b", line)][-40:]


def without_forgotten(wrong, forgotten):
    """What slurmctld forgot when it was stopped, jobs and tasks of arrays, was submitted all the same; sacct never
    heard of it."""
    allowed = Counter()
    for user, account, partitions, qos, tasks in forgotten:
        for labels in ("cluster", f'account{{account="{account}"}}', f'user{{user="{user}",account="{account}"}}',
                       f'qos{{qos="{qos}"}}', *(f'partition{{partition="{p}"}}' for p in partitions.split(","))):
            entity, brace, rest = labels.partition("{")
            allowed[f"slurm_{entity}_job_submissions_total{brace}{rest}"] += tasks
    return {series: pair for series, pair in wrong.items()
            if not 0 < pair[0] - pair[1] <= allowed[series]}


def compare_parts(slurm, exporter, begin, end, whole):
    """(numbers, {(source, what): (report, what would be right)}): a span is cut where jobs run. Each part is what sacct
    says of it, and all parts add up to the whole."""
    running = [(int(row["Start"]), int(row["End"])) for row in runs(slurm) if has_start(row) and int(row["End"]) - int(row["Start"]) > 1]
    edges = {random.randrange(first + 1, last) for first, last in random.sample(running, 3)}
    total, count, wrong = Counter(), 0, {}
    for first, last in report_oracle.parts(begin, end, *edges):
        told, _ = report_oracle.ask(first, f"--to=@{last}", "--slurmdbd", *exporter.to_slurmrestd())
        total.update(told)
        least, more = report_oracle.between(slurm, first, last)
        differing = report_oracle.differing(report_oracle.as_sreport(told), least, more)
        wrong |= {(f"slurmdbd, from @{first} to @{last}", what): pair for what, pair in differing.items()}
        count += len(least)
    wrong |= {("slurmdbd, in parts", what): pair for what, pair in report_oracle.differing(total, whole, {}).items()}
    return count + len(whole), wrong


def compare_reports(slurm, exporter, prometheus, page, begin):
    """(numbers, {(source, what): (report, what would be right)}): by slurmdbd as sacct and sreport say, by
    Prometheus as the page does."""
    truth = Truth(slurm.release)
    for row in runs(slurm):
        truth.add(row)
    least, more = map(report_oracle.amounts_of, (truth.samples, truth.more))
    by_slurmdbd, notes = report_oracle.ask(begin, "--slurmdbd", *exporter.to_slurmrestd())
    wrong = {("slurmdbd", what): pair for what, pair in report_oracle.differing(by_slurmdbd, least, more).items()}
    by_sreport = report_oracle.sreport(slurm, begin)
    assert by_sreport, "sreport knows of no use"
    wrong |= {("slurmdbd, to sreport", what): pair for what, pair in
              report_oracle.differing(report_oracle.as_sreport(by_slurmdbd), by_sreport, {}).items()}
    in_parts, wrong_in_parts = compare_parts(slurm, exporter, begin, int(time.time()), by_slurmdbd)
    wrong |= wrong_in_parts
    counted = {series: value for series, value in page.items() if FAMILIES.match(series)}

    def by_prometheus():
        told, _ = report_oracle.ask(begin, f"--prometheus.url=http://127.0.0.1:{prometheus.port}")
        return report_oracle.differing(told, report_oracle.amounts_of(counted), {})
    with contextlib.suppress(AssertionError):  # the last scrape may have failed
        wait_until(lambda: not by_prometheus(), "a report as the page")
    wrong |= {("Prometheus", what): pair for what, pair in by_prometheus().items()}
    return len(by_slurmdbd) + len(by_sreport) + in_parts, wrong, notes


def main(jobs, kills):
    slurm = Slurm(CLUSTER)
    with tempfile.TemporaryDirectory() as folder, contextlib.closing(Exporter(slurm, folder)) as exporter, \
            Prometheus(os.environ.get("PROMETHEUS", "prometheus"), exporter) as prometheus:
        begin = int(time.time())
        measure(slurm)
        exporter.start()
        wait_until(lambda: exporter.is_ready(), "readiness")
        wait_until(lambda: prometheus.value("slurm_cluster_job_starts_total") is not None, "a scrape")
        page = live(slurm, exporter, jobs, kills)
        revive(slurm)
        wait_for_ends(slurm)
        state = exporter.folder / "state"
        page, equal, wrong, count = settle(slurm, exporter, page, partial(compare_all, slurm),
                                           lambda wrong: without_forgotten(wrong, without_ends_now(state)))
        with contextlib.suppress(AssertionError):  # the last scrape may have failed
            wait_until(lambda: not compare_p95(slurm, prometheus)[1], "P95 as sacct has it")
        queues, wrong_p95 = compare_p95(slurm, prometheus)
        reported, wrong_reports, notes = compare_reports(slurm, exporter, prometheus, page, begin)
        exporter.end(signal.SIGTERM)
        forgotten = without_ends(state)
        wrong = without_forgotten(wrong, forgotten)
        resized = sum(len(row["Held"]) > 1 for row in runs(slurm))
        assert resized or slurm.release in NOT_RESIZED, "no job was resized"
        for series, (shown, true) in sorted(wrong.items())[:30]:
            print(f"differs: {series}: page {shown}, sacct {true}")
        for partition, value, lower, upper in wrong_p95:
            print(f"differs: P95 of the wait in {partition}: PromQL {value}, sacct from {lower} to {upper}")
        for (source, what), (shown, true) in sorted(wrong_reports.items())[:30]:
            print(f"differs: report by {source} of {what}: {shown}, should be {true}", *notes)
        energy = sum(value for series, value in page.items() if series.startswith("slurm_account_ended_job_energy_joules_total"))
        gpu_memory = sum(value for series, value in page.items() if "account_ended_job_peak_gpu_memory_byte_seconds" in series)
        assert energy and (gpu_memory or slurm.release == NO_GPU_MEMORY), "nothing was counted that a trigger gave"
        lost, recovered = page["slurmscope_job_events_lost_total"], page["slurmscope_job_events_recovered_total"]
        line = (f"{slurm.release} events: {count} runs of jobs, {resized} of them resized, {kills} kills, {equal} numbers equal, {len(wrong)} different, "
                f"{energy:.0f} J, {gpu_memory:.3g} byte seconds of GPUs, {recovered:.0f} events recovered, {lost:.0f} lost, "
                f"{len(forgotten)} jobs forgotten by slurmctld; P95 of {queues} partitions by PromQL, {len(wrong_p95)} out of its bucket; "
                f"reports: {reported} numbers, {len(wrong_reports)} different")
        conclude(line)
        if wrong or lost or wrong_p95 or wrong_reports:
            print((exporter.folder / "log").read_text()[-3000:], *forgotten, *counted_too_long(slurm, state), sep="\n")
            if any("_submissions_" in series for series in wrong):
                print("sacct of jobs of several partitions:", *of_several_partitions(slurm), sep="\n")
            sys.exit(1)


def page_of(exporter):
    try:
        page = exporter.page()
    except subprocess.CalledProcessError:
        return None
    return page if "slurm_cluster_job_submissions_total" in page else None


if __name__ == "__main__":
    CLUSTER = sys.argv[1]
    main(int(sys.argv[2]) if sys.argv[2:] else 300, int(sys.argv[3]) if sys.argv[3:] else 5)
