#!/usr/bin/env python3
"""deploy/METRICS.md is what --list-metrics says, and the golden pages' families have the labels that it says.
usage: metrics_table.py SLURMSCOPE    (UPDATE_GOLDEN=1 writes the table again)"""
import difflib
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[2]
TABLE = ROOT / "deploy" / "METRICS.md"
HEAD = """# Metrics

All families of this release, as `slurmscope --list-metrics` lists them; written by
`UPDATE_GOLDEN=1 tests/golden/metrics_table.py build/bin/slurmscope`. *Source* is the endpoint of slurmrestd
that tells; *since* is the first Slurm release whose slurmrestd does, where that is not every one that is read.

Users, accounts, partitions and QOS have rows of their own up to `--limit.*` and as `--filter.*` allows; all
others are added up in one row named `other` (users: `user="other",account="other"`), so that totals stay right:
sums are sums, the oldest is the oldest, the largest the largest. Those with the most CPUs, held by running jobs and
asked for by pending ones, have a row, and keep it until they are idle or another uses more than twice as much.
`slurmscope_series_folded` says how many samples were folded. Where there is nothing to add up (what a partition is
configured to be, fairshare) the row is left out.

Counters and histograms of events go to those that come first, and stay with them. slurmscope counts what happens to those that find no
room in the [row `other`](GLOSSARY.md#row-other). A filter that comes to deny a name takes its rows off the page and out of the state file at
once, with what was counted there; `other` counts for it from then on and does not jump. Of nodes where jobs failed 1,000
have a row, those where one failed last; who gives a row up begins at 0 again. Of rows that are missing
`slurmscope_series_folded` counts here as many samples as a row begins with (the ends of users' jobs: none), of those
that anything happened to since slurmscope was started.

Jobs have rows of their own (`slurm_job_...` with the label `jobid`, the raw job ID that cgroups and `SLURM_JOB_ID` have) only
with `--jobs.rows`. Users, accounts, partitions and QOS that filters allow no row are `other` there, too, and so is who gave a
node's reason; requests (`slurm_user_rpc_...`) of such users are left out.

A name longer than 256 bytes is cut and ends in `~` and 8 hexadecimal digits of its hash; one that is really called
`other` is shown as `other~c8728734`. Invalid UTF-8 is shown as U+FFFD.

| family | type | labels | source | since | |
|---|---|---|---|---|---|
"""


def families_on(pages):
    return {name for page in ROOT.glob(f"tests/golden/{pages}") for name in re.findall(r"^# TYPE (\w+)", page.read_text(), re.M)}


def table(listed):
    rows, optional = [], families_on("??.??-full.txt") - families_on("??.??.txt")
    for line in listed.splitlines():
        name, kind, labels, source, since, text = line.split("\t")
        text = re.sub(r"[|\\]", r"\\\g<0>", text)
        if name in optional:
            text += " Only with `jobs.rows`." if name.startswith("slurm_job_") else " Only with `nodes.per-node: full`."
        rows.append(f"| {name} | {kind} | {labels.replace(',', ', ')} | {source} | {since} | {text} |\n")
    return HEAD + "".join(rows)


def wrong_labels(families):
    """Those of the golden pages, of all together: an empty label is left out. The pages lack events and the exporter's own,
    which tests/formats looks at."""
    listed, seen = {name: set(filter(None, labels.split(","))) for name, _, labels, *_ in families}, {}
    for page in ROOT.glob("tests/golden/*.*.txt"):
        for name, labels in re.findall(r"^(\w+)(?:\{(.*)\})? ", page.read_text(), re.M):
            seen.setdefault(name, set()).update(re.findall(r'(\w+)="(?:[^"\\]|\\.)*"', labels))
    wrong = [f"{name}: has the labels {sorted(labels)}, not {sorted(listed[name])}" for name, labels in sorted(seen.items())
             if labels != listed[name]]
    return wrong + ([] if len(seen) > 150 else [f"the golden pages have only {len(seen)} families"])


def wrong_since(families):
    """A release's golden page has the families of that release and of those before it."""
    pages, wrong, dated = {}, [], 0
    for page in ROOT.glob("tests/golden/??.*.txt"):
        pages.setdefault(page.name[:5], set()).update(re.findall(r"^# TYPE (\w+)", page.read_text(), re.M))
    for name, _, _, _, since, *_ in families:
        first, *others = re.findall(r"\d\d\.\d\d", since) or [""]
        wanted = {release for release in pages if release >= first or release in others}
        shown = {release for release in pages if name in pages[release]}
        dated += bool(since and shown)
        if since and shown and shown != wanted:
            wrong.append(f"{name}: since {since}, but it is on the pages of {', '.join(sorted(shown))}")
    return wrong + ([] if dated > 30 else [f"only {dated} families are on a page and since a release"])


def main(program):
    listed = subprocess.run([program, "--list-metrics"], capture_output=True, text=True,
                            check=True).stdout
    wanted = table(listed)
    if os.environ.get("UPDATE_GOLDEN"):
        TABLE.write_text(wanted)
    wrong = list(difflib.unified_diff(TABLE.read_text().splitlines(), wanted.splitlines(),
                                      str(TABLE), "--list-metrics", lineterm="", n=0))
    families = [line.split("\t") for line in listed.splitlines()]
    wrong += [f"{name} does not say its source" for name, _, _, source, *_ in families
              if name.startswith("slurm_") and not source]
    wrong += wrong_labels(families) + wrong_since(families)
    dated = re.findall(r'{"(slurm_\w+)", {', (ROOT / "lib/metrics/origin.c").read_text())
    wrong += [f"origin.c: there is no {name}" for name in dated if name not in {f[0] for f in families}]
    print(f"{len(families)} families", *wrong, sep="\n")
    return bool(wrong) or not dated


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
