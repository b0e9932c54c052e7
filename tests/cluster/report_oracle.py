"""What slurmscope report says against what sacct and the page say."""

import json
import re
import subprocess
import time
from collections import Counter

from events_oracle import END_STATES, cpu_seconds, has_start, sacct
from harness import PATIENCE, SLURMSCOPE
from slurm_says import memory_bytes, tres

AMOUNTS = {"job_starts": "job_starts_total", "job_ends": "job_ends_total", "allocated_cpu_seconds": "job_allocated_cpu_seconds_total",
           "allocated_memory_byte_seconds": "job_allocated_memory_byte_seconds_total",
           "allocated_billing_seconds": "job_allocated_billing_seconds_total",
           "ended_job_energy_joules": "ended_job_energy_joules_total"}
KINDS = "cluster,partition,account,user,qos"


def ask(begin, *options):
    """{(kind, name, account, amount): value}, and the notes."""
    done = subprocess.run([SLURMSCOPE, "report", f"--from=@{begin}", f"--by={KINDS}", "--format=json", *options],
                          capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode in (0, 3), done.stderr
    told, amounts = json.loads(done.stdout), {}
    for row in told["rows"]:
        whose = row["by"], row.get(row["by"], ""), row["account"] if row["by"] == "user" else ""
        amounts |= {(*whose, name): row[name] for name in AMOUNTS if row[name] is not None}
        for gres, seconds in row["allocated_gres_seconds"].items():
            amounts[(*whose, gres)] = seconds or 0
    return amounts, told["notes"]


def whose_of(kind, labels):
    return kind, labels.get(kind, ""), labels["account"] if kind == "user" else ""


def amounts_of(samples):
    """The same of samples of slurmscope's families: {series: value}."""
    amounts = Counter()
    for series, value in samples.items():
        kind, rest, text = re.fullmatch(r"slurm_([a-z]+)_(\w+)(?:\{(.*)\})?", series).groups()
        labels = dict(re.findall(r'(\w+)="([^"]*)"', text or ""))
        whose = whose_of(kind, labels)
        if rest == "job_allocated_gres_seconds_total":
            amounts[(*whose, ":".join(filter(None, (labels["gres"], labels.get("type")))))] += value
        amounts.update({(*whose, name): value for name, family in AMOUNTS.items() if family == rest})
    return amounts


NAMES = {"cpu": ("allocated_cpu_seconds", 1), "mem": ("allocated_memory_byte_seconds", 1 << 20),
         "billing": ("allocated_billing_seconds", 1), "gres/gpu": ("gpu", 1)}


def held_while_suspended(slurm):
    """What sreport counts and sacct's elapsed time does not: a suspended job gives back its CPUs alone (as_mysql_rollup.c:
    _add_tres_time_2_list)."""
    amounts = Counter()
    for row in sacct(slurm, ("User", "Account", "Suspended", "AllocTRES"), "-X"):
        held, seconds = tres(row["AllocTRES"]), cpu_seconds(row["Suspended"])
        for kind in NAMES.keys() & held.keys() - {"cpu"} if seconds else ():
            name, _ = NAMES[kind]
            amounts["user", row["User"], row["Account"], name] += seconds * (memory_bytes(held[kind]) if kind == "mem" else int(held[kind]))
    return amounts


def sreport(slurm, begin):
    """The same of users, by sreport, after slurmdbd has rolled up the present hour: jobs have to have ended. sreport sums GRES up
    over their types, and knows no starts nor ends."""
    first, end = (time.strftime("%Y-%m-%dT%H:00:00", time.localtime(at)) for at in (begin, time.time() + 3600))
    slurm.run("sacctmgr", "-i", "rollup", first, end)
    rows = slurm.run("sreport", "-n", "-P", "-t", "seconds", "-T", "cpu,mem,billing,gres/gpu", "cluster", "AccountUtilizationByUser",
                       f"start={first}", f"end={end}", "format=Account,Login,TRESName,Used")
    amounts = Counter()
    for account, user, kind, used in (row.split("|") for row in rows.splitlines()):
        name, unit = NAMES[kind]
        if user:
            amounts["user", user, account, name] += int(used) * unit
    amounts.subtract(held_while_suspended(slurm))
    return amounts


def parts(begin, end, *edges):
    """[(first, last), ...] that make up the whole."""
    times = [begin, *sorted(edges), end]
    return list(zip(times, times[1:]))


def between(slurm, first, last):
    """What users held between two times by sacct, which cuts off what a job held before and after. First the least, then how
    much more it may be: slurmrestd does not tell when a job was suspended. Nothing runs any more."""
    suspended = {(row["JobIDRaw"], row["Submit"]) for row in sacct(slurm, ("JobIDRaw", "Submit", "Suspended"), "-X")
                 if cpu_seconds(row["Suspended"])}
    least, more = Counter(), Counter()
    for row in sacct(slurm, ("JobIDRaw", "User", "Account", "Submit", "Start", "End", "ElapsedRaw", "AllocTRES"), "-X", "-T",
                     states=(*END_STATES, "resizing", "running", "suspended"), since=f"uts{first}", until=f"uts{last}"):
        held = tres(row["AllocTRES"])
        is_exact = (row["JobIDRaw"], row["Submit"]) not in suspended
        for kind in NAMES.keys() & held.keys() if has_start(row) else ():
            name, unit = NAMES[kind]
            amount = memory_bytes(held[kind]) if kind == "mem" else int(held[kind]) * unit
            whose = "user", row["User"], row["Account"], name
            if is_exact:
                least[whose] += int(row["ElapsedRaw"]) * amount
            else:
                more[whose] += (int(row["End"]) - int(row["Start"])) * amount
    return least, more


def as_sreport(amounts):
    """What of a report sreport has, too."""
    users = Counter()
    for (kind, name, account, amount), value in amounts.items():
        gres = "gpu" if amount.partition(":")[0] == "gpu" else amount
        if kind == "user" and gres not in ("job_starts", "job_ends", "ended_job_energy_joules"):
            users[kind, name, account, gres] += value
    return users


def differing(told, least, more):
    """{what: (report, the nearest that would be right)}"""
    wrong = {}
    for what in told.keys() | least.keys():
        shown, low = told.get(what, 0), least.get(what, 0)
        high = low + more.get(what, 0)
        if not low * (1 - 1e-9) <= shown <= high * (1 + 1e-9):
            wrong[what] = shown, high if shown > high else low
    return wrong
