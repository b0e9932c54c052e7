"""What the oracle is made of: Slurm's commands, the samples that are made of what they print, and how it is read."""

import functools
import os
import re
import shlex
import subprocess
import threading
import time
from collections import Counter, defaultdict, namedtuple

from real_slurm import Cluster

PATIENCE = 60  # seconds until nothing happens any more

UNITS = {"": 2**20, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40, "P": 2**50}

# A number that was printed rounded, or that moves by itself: anything within the slack is right.
About = namedtuple("About", "value slack")
# Of what Slurm calls other. The label "other" is of all that have no row of their own (lib/entities/label.h).
LABEL_OF_OTHER = "other~c8728734"
ANYTHING = About(0, float("inf"))  # what Slurm says is no number


def conclude(line):
    """A test's figures: printed, and kept in $ORACLE_SUMMARY, with which tests/run ends."""
    print(line, flush=True)
    if summary := os.environ.get("ORACLE_SUMMARY"):
        with open(summary, "a", encoding="utf-8") as file:
            file.write(line + "\n")


class Slurm(Cluster):
    """A cluster whose commands are read. A shell inside runs them all: to enter a cluster takes longer than most of them."""

    END = b"end of output, status "

    def __init__(self, name):
        super().__init__(name)
        self.lock = threading.Lock()
        self.shell = subprocess.Popen(self.command("exec", "env", "SLURM_TIME_FORMAT=%s", "sh"),
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def run(self, *command):
        """Times are printed as seconds since 1970."""
        with self.lock:
            self.shell.stdin.write(f"{shlex.join(command)} </dev/null; printf '\\n{self.END.decode()}%d\\n' $?\n".encode())
            self.shell.stdin.flush()
            output = []
            while not (line := self.shell.stdout.readline()).startswith(self.END):
                assert line, f"the shell in {self.name} has ended"
                output.append(line)
        if status := int(line.removeprefix(self.END)):
            raise subprocess.CalledProcessError(status, command)
        return b"".join(output)[:-1].decode("utf-8", "replace")

    def records(self, *what):
        """The records of scontrol -o show, as dicts."""
        for line in self.run("scontrol", "-a", "-d", "-o", "show", *what).splitlines():
            yield {name: value.strip() for name, value in re.findall(r"(\w+)=(.*?)(?= \w+=|\s*$)", line)}

    @functools.cached_property
    def config(self):
        """slurm.conf, as scontrol says."""
        return dict(re.findall(r"^(\w+)\s*= (.*)$", self.run("scontrol", "show", "config"), re.MULTILINE))

    @property
    def has_slurmdbd(self):
        return self.config["AccountingStorageType"] == "accounting_storage/slurmdbd"

    @property
    def has_factors(self):
        """Else neither sprio nor sshare says anything."""
        return self.config["PriorityType"] == "priority/multifactor"

    @functools.cache
    def database(self, *command):
        """The same of sacctmgr, asked once: what it says of limits stays as it is."""
        return self.table("sacctmgr", "show", *command)

    def table(self, *command, delimiter="|"):
        """The rows of a table that is printed with a delimiter between its columns, as dicts."""
        names, *rows = [line.split(delimiter) for line in self.run(*command).split("\n") if line]
        return [dict(zip(names, row)) for row in rows]

    def job_picture(self):
        """All jobs and what they do: while it stays the same none came, went or changed.

        While a job waits its times are forecasts.
        """
        fields = ("JobID", "State", "Reason", "RestartCnt", "StartTime", "EndTime")
        table = self.run("squeue", "-r", "-a", "-h", "-t", "all", "-O", ",".join(field + ":|" for field in fields))
        rows = [line.split("|") for line in table.splitlines()]
        return sorted(row[:4] if row[1] == "PENDING" else row for row in rows)

    def pause(self):
        """Lets no more happen than does by itself (see stir in workload.sh), and waits for the end of that."""
        self.run("touch", "/run/slurm/pause")
        for _ in range(PATIENCE):
            before = self.job_picture()
            time.sleep(1)
            if self.job_picture() == before:
                return

    def go_on(self):
        self.run("rm", "-f", "/run/slurm/pause")
        time.sleep(1)


class Samples(defaultdict):
    """(family, labels) -> value, added up; labels are sorted pairs, an empty one is none."""

    def __init__(self):
        super().__init__(float)

    @staticmethod
    def key(family, labels):
        return "slurm_" + family, tuple(sorted((name, value) for name, value in labels.items() if value))

    def add(self, family, value, **labels):
        self[self.key(family, labels)] += value

    def put(self, family, value, **labels):
        self[self.key(family, labels)] = value

    def drop(self, family, **labels):
        self.pop(self.key(family, labels), None)

    def lower(self, family, value, **labels):
        key = self.key(family, labels)
        self[key] = min(self.get(key, value), value)

    def raise_(self, family, value, **labels):
        key = self.key(family, labels)
        self[key] = max(self.get(key, value), value)


def printed(text):
    """A decimal number, which is exact to half of its last digit; None if nothing was printed."""
    if text in ("", "inf"):
        return float(text) if text else None
    digits = len(text.partition(".")[2])
    return About(float(text), 0.51 * 10**-digits if digits else 0)


def memory_bytes(text):
    number, unit = re.fullmatch(r"([\d.]+)([KMGTP]?)", text).groups()
    return float(number) * UNITS[unit]


def tres(text):
    return dict(item.split("=") for item in text.split(",") if "=" in item)


def gres_counts(text):
    """gpu:a100:4(S:0-1),nic:2,lustre:no_consume:4G -> {("gpu", "a100"): 4, ("nic", ""): 2, ("lustre", ""): 2**32}"""
    counts = Counter()
    for name, kind, count, unit in re.findall(r"(\w+)(?::(?!no_consume:)([\w.-]*))?(?::no_consume)?:(\d+)([KMGTP]?)",
                                              re.sub(r"\([^)]*\)", "", text)):
        counts[name, kind] += int(count) * (UNITS[unit] if unit else 1)
    return counts


def gres_labels(gres, kind):
    return {"gres": gres, "type": kind} if kind else {"gres": gres}


def seconds(text):
    """2-00:00:00, 00:30:00"""
    days, _, clock = text.rpartition("-")
    hours, minutes, secs = map(int, clock.split(":"))
    return int(days or 0) * 86400 + hours * 3600 + minutes * 60 + secs
