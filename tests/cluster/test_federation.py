#!/usr/bin/env python3
"""A federation of two real clusters on one slurmdbd, a slurmscope for each, while jobs of all kinds come to both. Most wait in
both, start in one, and are revoked in the other. Each slurmscope is killed now and then. Afterwards each counter of each
cluster is what its sacct says; sacct lists what was revoked as revoked. Nothing is lost, or waits to be called lost.
usage: test_federation.py CLUSTER [ROUNDS]    (RELEASE-federation, a new one, see `with`; SLURMSCOPE is the binary)"""
import contextlib
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "e2e"))
from events_oracle import COLUMNS, compare, sacct, wait_for_ends  # noqa: E402
from harness import wait_until  # noqa: E402
from slurm_says import Slurm, conclude  # noqa: E402
from test_events import LATE, Exporter, check_counters, page_of, without_ends, without_ends_now  # noqa: E402

ORIGIN_BITS = 26


class Member(Slurm):
    """One of the two clusters; its commands are asked of this one alone."""

    def __init__(self, name, number):
        self.number, self.conf = number, ("slurm.conf", "west.conf")[number - 1]
        super().__init__(name)

    @property
    def url(self):
        return self.ask("url").split()[self.number - 1]

    def run(self, *command):
        if command[0] == "sacct":
            command = ("sacct", "--local", *command[1:])
        return super().run("env", f"SLURM_CONF=/etc/slurm/{self.conf}", *command)

    def submit(self, user, script, *options):
        said = self.run("setpriv", "--reuid", user, "--regid", user, "--init-groups", "sbatch", "--parsable", "--chdir=/tmp",
                        "--output=/dev/null", *options, "--wrap", script)
        return said.strip().partition(";")[0]

    def insist(self, *command):
        """Until Slurm takes it: a job may be in a transitional state, or its origin be busy."""
        def is_taken():
            try:
                self.run(*command)
            except subprocess.CalledProcessError:
                return False
            return True
        wait_until(is_taken, " ".join(command))

    def state(self, job):
        return self.run("sh", "-c", f"squeue --local -h -a -t all -o %T -j {job} 2>/dev/null || true").strip()


def submit_all_kinds(member, user):
    """More than both clusters have room for, so that most jobs wait in both."""
    for _ in range(3):
        member.submit(user, "sleep 2", "--nodes=2", "--exclusive")
    for script in ("true", "exit 3", "sleep 3"):
        member.submit(user, script, "--cpus-per-task=2")
    member.submit(user, "sleep 1", f"--clusters={member.run('scontrol', 'show', 'config').split('ClusterName')[1].split()[1]}")
    member.submit(user, "sleep 1", "--array=1-3")
    member.submit(user, "sleep 1", "--partition=cpu,side")
    held = member.submit(user, "sleep 1", "--hold")
    later = member.submit(user, "true", "--begin=now+1hour")
    return held, later


def act(members, member, held, later):
    """What is held goes on, what waits for an hour is cancelled; what runs is requeued or cancelled where it runs. What was
    requeued waits for two minutes before it may start again, in either of them: `wait_for_ends` cancels it."""
    member.insist("scontrol", "release", held)
    runs = member.submit("alice", "sleep 60")

    def where():
        return next((m for m in members if m.state(runs) == "RUNNING"), None)
    runs_in = wait_until(where, f"a start of {runs}", 400)  # those before it have to end
    runs_in.insist(*(("scontrol", "requeue") if member.number == 1 else ("scancel",)), runs)
    member.insist("scancel", later)


def live(members, exporters, rounds):
    """The last pages."""
    pages = [wait_until(lambda e=e: page_of(e), "a page") for e in exporters]
    for number in range(rounds):
        member, exporter = members[number % 2], exporters[number % 2]
        told = [submit_all_kinds(m, user) for m, user in zip(members, ("bob", "carol"))]
        exporter.end(signal.SIGKILL)
        act(members, member, *told[number % 2])
        exporter.start()
        other = members[(number + 1) % 2]
        other.insist("scontrol", "release", told[(number + 1) % 2][0])
        for i, each in enumerate(exporters):
            page = wait_until(lambda e=each: page_with_details(e), "a page with the details of jobs")
            check_counters(pages[i], page)
            pages[i] = page
    return pages


def page_with_details(exporter):
    """Of all jobs but those that came within the last second."""
    page = page_of(exporter)
    return page if page and any(series.startswith("slurm_user_jobs{") for series in page) and \
        page["slurmscope_jobs_without_details"] == 0 else None


def foreign(rows, member):
    return sum(int(row["JobIDRaw"]) >> ORIGIN_BITS != member.number for row in rows)


def settle(member, exporter, before):
    """(page, equal, wrong, runs) when all is equal, or after a while."""
    end = time.monotonic() + LATE
    while True:
        page = wait_until(lambda: page_of(exporter), "a page")
        check_counters(before, page)
        equal, wrong, count = compare(member, page)
        is_well = not wrong and not without_ends_now(exporter.folder / "state")  # what was revoked is forgotten a little later
        if is_well or time.monotonic() > end:
            return page, equal, wrong, count
        before = page
        time.sleep(2)


def check(member, exporter, before):
    """Prints what differs; whether all is well."""
    page, equal, wrong, count = settle(member, exporter, before)
    revoked = sacct(member, COLUMNS, "-X", states=("revoked",))
    ended = sacct(member, COLUMNS, "-X")
    exporter.end(signal.SIGTERM)
    waiting = without_ends(exporter.folder / "state")
    lost = page["slurmscope_job_events_lost_total"]
    for series, (shown, true) in sorted(wrong.items())[:30]:
        print(f"differs: {series}: page {shown}, sacct {true}")
    conclude(f"{member.release} federation, cluster {member.number}: {count} runs of jobs, {foreign(ended, member)} of them submitted in "
             f"the other one, {len(revoked)} revoked, {equal} numbers equal, {len(wrong)} different, {lost:.0f} lost, "
             f"{len(waiting)} without an end")
    assert len(revoked) > 5 and foreign(ended, member) > 2, "hardly any job had a sibling"
    if wrong or lost or waiting:
        print((exporter.folder / "log").read_text()[-3000:], *waiting, sep="\n")
    return not (wrong or lost or waiting)


def main(name, rounds):
    members = [Member(name, number) for number in (1, 2)]
    with contextlib.ExitStack() as stack:
        exporters = []
        for member in members:
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            exporters.append(stack.enter_context(contextlib.closing(Exporter(member, folder))))
        for exporter in exporters:
            exporter.start()
        for exporter in exporters:
            wait_until(exporter.is_ready, "readiness")
        pages = live(members, exporters, rounds)
        for member in members:
            wait_for_ends(member)
        are_well = [check(*each) for each in zip(members, exporters, pages)]
        sys.exit(not all(are_well))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if sys.argv[2:] else 4)
