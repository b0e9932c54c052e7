#!/usr/bin/env python3
"""What the records of capacity take on disk: those of slurmscope.rules.yml for a site of 20 partitions, 4 types of GPU in half of
them, and 200 accounts, half of which use GPUs. Values are random, all digits of them, so that nothing compresses better than a
site's. Prometheus' blocks are as large as its compaction makes them, VictoriaMetrics merges what it has.
usage: capacity_bytes.py [DAYS]"""

import itertools
import random
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import yaml

from test_rules import PROMTOOLS, RULE_FILES
from world import wait_until  # which knows where week finds what it needs
from week import DAY_S, HOUR_S, Victoria

PARTITIONS, ACCOUNTS = [f"partition{i}" for i in range(20)], [f"account{i}" for i in range(200)]
TYPES = ["a100", "h100", "l40s", "v100"]
STATES = {"cpus": ["allocated", "idle", "other"], "gpus": ["allocated", "idle", "other"], "job_cpus": ["pending", "running"],
          "job_gpus": ["pending", "running"],
          "nodes": ["idle", "mixed", "allocated", "down", "error", "unknown", "future"]}
REASONS = [("startable", "Priority"), ("startable", "Resources"), ("held", "JobHeldUser"), ("dependency", "Dependency"),
           ("limit", "AssocGrpCpuLimit"), ("limit", "QOSMaxCpuPerUserLimit"), ("limit", "Licenses"), ("other", "BeginTime")]
BUCKETS = [60 * 2 ** i for i in range(14)] + ["+Inf"]


def series(record):
    """Of one record: a series for each value of its labels."""
    level, metric, _ = record.split(":")
    labels = level.split("_")[1:]
    values = {"partition": PARTITIONS, "account": ACCOUNTS, "type": TYPES, "le": BUCKETS, "class": ["of the reason"],
              "reason": [reason for _, reason in REASONS], "state": STATES.get(metric.removeprefix("slurm_capacity_"), [])}
    if "type" in labels and "partition" in labels:
        values["partition"] = PARTITIONS[::2]
    if "type" in labels and "account" in labels:
        values["account"] = ACCOUNTS[::2]
    for chosen in itertools.product(*(values[label] for label in labels)):
        pairs = dict(zip(labels, chosen))
        if "class" in pairs:
            pairs["class"] = dict((reason, kind) for kind, reason in REASONS)[pairs["reason"]]
        yield record + "{" + ",".join(f'{name}="{value}"' for name, value in {"cluster": "hpc", **pairs}.items()) + "}"


def records():
    groups = yaml.safe_load(RULE_FILES[0].read_text())["groups"]
    return [rule["record"] for group in groups if group["name"] == "slurm_capacity" for rule in group["rules"]]


def bytes_of(folder):
    return sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())


def main(days=365):
    end = int(time.time()) // HOUR_S * HOUR_S
    there = [one for record in records() for one in series(record)]
    samples = len(there) * days * 24
    print(f"{len(there)} series, {days} days, {samples} samples")
    with tempfile.TemporaryDirectory() as folder, Victoria() as victoria:
        text, blocks = Path(folder, "text"), Path(folder, "blocks")
        with open(text, "w") as out:
            for one in there:
                level = random.expovariate(1 / 500)
                out.writelines(f"{one} {level * random.gauss(1, 0.1)} {at}\n" for at in range(end - days * DAY_S, end, HOUR_S))
            out.write("# EOF\n")
        done = subprocess.run([PROMTOOLS[1], "tsdb", "create-blocks-from", "openmetrics", "--max-block-duration=744h", "--quiet", text, blocks],
                              capture_output=True, text=True)
        assert not done.returncode, done.stderr
        said = bytes_of(blocks)
        print(f"Prometheus: {said} bytes, {said / samples:.2f} a sample, in {len(list(blocks.iterdir()))} blocks")
        wait_until(lambda: victoria.get("labels")[0] is not None, victoria.log.read_text)
        with open(text) as lines:
            while chunk := list(itertools.islice((f"{line.rstrip()}000\n" for line in lines if line[0] != "#"), 100000)):
                urllib.request.urlopen(f"{victoria.url}/api/v1/import/prometheus", "".join(chunk).encode(), timeout=600).close()
        for path in ("internal/force_flush", "internal/force_merge"):
            urllib.request.urlopen(f"{victoria.url}/{path}", timeout=600).close()
        data = victoria.data
        before = -1
        while before != (before := bytes_of(data)):
            time.sleep(15)
        stored = victoria.get("query", query=f'sum(count_over_time({{__name__=~".+:slurm_capacity_.+"}}[{days + 1}d]))')[0]["result"]
        assert int(stored[0]["value"][1]) == samples, stored
        print(f"VictoriaMetrics: {before} bytes, {before / samples:.2f} a sample")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
