"""What slurmscope report says against what sacct and the page say."""

import json
import subprocess
from collections import Counter

from harness import PATIENCE, SLURMSCOPE

AMOUNTS = {"job_starts": "job_starts_total", "job_ends": "job_ends_total", "allocated_cpu_seconds": "job_allocated_cpu_seconds_total",
           "allocated_memory_byte_seconds": "job_allocated_memory_byte_seconds_total",
           "allocated_billing_seconds": "job_allocated_billing_seconds_total"}
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


def amounts_of(series):
    """The same of samples of slurmscope's families: {(family without "slurm_", {label: value}): value}."""
    amounts = Counter()
    for (family, labels), value in series.items():
        kind, _, rest = family.partition("_")
        whose = whose_of(kind, labels)
        if rest == "job_allocated_gres_seconds_total":
            amounts[(*whose, ":".join(filter(None, (labels["gres"], labels.get("type")))))] += value
        amounts.update({(*whose, name): value for name, family in AMOUNTS.items() if family == rest})
    return amounts


def differing(told, least, more):
    """{what: (report, the nearest that would be right)}"""
    wrong = {}
    for what in told.keys() | least.keys():
        shown, low = told.get(what, 0), least.get(what, 0)
        high = low + more.get(what, 0)
        if not low * (1 - 1e-9) <= shown <= high * (1 + 1e-9):
            wrong[what] = shown, high if shown > high else low
    return wrong
