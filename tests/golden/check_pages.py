#!/usr/bin/env python3
"""Recorded answers give the committed page, and the same cluster gives the same page in every API
version.  usage: check_pages.py MAKE_PAGE FIXTURES    (UPDATE_GOLDEN=1 rewrites the golden pages)

FIXTURES/answers/<release>/<version>/*.json were recorded one after the other while nothing changed. What
differs nevertheless, and why, is in DIFFERS. A release that is not there was recorded while jobs came and went
(FIXTURES/<release>), the newest version seconds later than the others. So what an older version's page has other
than the newest one's is committed, too.

FIXTURES/worlds/<release>-<seed>/<version>/*.json are of Slurms that a seed drew, when all numbers were those of Slurm's
commands (tests/worlds --record). What is not zero of their pages is committed."""
import collections
import difflib
import json
import os
import pathlib
import re
import subprocess
import sys

GOLDEN = pathlib.Path(__file__).parent

# family (regular expression) -> why versions may differ in it
DIFFERS = {
    "slurm_cluster_info": "names the version",
    "slurm_controller_ping_seconds": "measured anew for each ping, and not told before v0.0.40",
    "slurm_(scheduler|backfill|controller)_.*": "recorded at different moments, sums not in all",
    "slurm_pending_job_expected_start_.*": "a time that has passed is told as the present",
    "slurm_(user_|dbd_|dbd_user_)?rpc_.*": "count the recording itself",
}
DIFFERS_IN = {
    "v0.0.37": {"slurm_partition_default_time_seconds": "always 0 there",
                "slurm_licenses.*": "came with v0.0.38"},
    "v0.0.40": {"slurm_dbd_rollup_.*": "a list without names there"},
}
for version in range(40, 45):
    DIFFERS_IN.setdefault(f"v0.0.{version}", {})["slurm_partition_info"] = "default is not told"
for version in ("v0.0.40", "v0.0.41"):
    DIFFERS_IN[version][r'slurm_qos_(limit|usage){qos="[^"]*",(scope="group",)?'
                        r'resource="(submitted_jobs|[^"]*(?<!running)(?<!wall)_seconds)"}'] = \
        "GrpSubmitJobs and GrpTRESMins of a QOS came with v0.0.42"


def make_page(program, folder, *detail):
    run = subprocess.run([program, folder, folder.name, *detail], capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"{folder}: {run.stderr}")
    return run.stdout


def comparable(page, versions):
    ignored = list(DIFFERS) + [f for v in versions for f in DIFFERS_IN.get(v, {})]
    pattern = re.compile(r"(?:# (?:HELP|TYPE) )?(?:" + "|".join(ignored) + r")[ {]")
    if min(versions) < "v0.0.44":  # which came with sluid
        page = re.sub(r'sluid="[^"]*",', "", page)
    return [line for line in page.splitlines() if not pattern.match(line)]


def show_difference(title, want, got):
    diff = list(difflib.unified_diff(want, got, "want", "got", lineterm="", n=1))
    if diff:
        print(title, *diff[:60], sep="\n")
    return bool(diff)


def witnesses(folder):
    """{the beginning of series: their sum} by what the recording says elsewhere, and slurmscope does not make the page of."""
    def load(name):
        path = folder / f"{name}.json"
        text = path.read_bytes().decode("utf-8", "replace") if path.exists() else ""
        return json.loads(text)[name.partition("_")[0]] if text.startswith("{") else []
    told = {}
    for partition in load("partitions"):
        if "nodes" in partition and "total" in partition["nodes"]:
            told[f'slurm_partition_nodes{{partition="{partition["name"]}",'] = partition["nodes"]["total"]
            told[f'slurm_partition_cpus{{partition="{partition["name"]}",'] = partition["cpus"]["total"]
    states = collections.Counter(job["state"][0].lower() for job in {job["job_id"]: job for job in load("jobs_state")}.values())
    told |= {f'slurm_cluster_jobs{{state="{state}"}}': jobs for state, jobs in states.items()}
    return told


def show_lies(folder, page):
    lines = [line.rpartition(" ") for line in page.splitlines() if line[0] != "#"]
    told = witnesses(folder)
    lies = [f"{folder}: {series} adds up to {shown}, not {sum_}" for series, sum_ in told.items()
            if sum_ != (shown := sum(float(value) for name, _, value in lines if name.startswith(series)))]
    print(*lies, sep="\n", end="\n" if lies else "")
    return len(lies) + (not told)


def check_golden(title, name, got):
    golden = GOLDEN / name
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(got)
    return show_difference(title, golden.read_text().splitlines(), got.splitlines())


def main(program, fixtures):
    failed = compared = 0
    quiet = {folder.name: folder for folder in pathlib.Path(fixtures, "answers").iterdir()}
    all_of_them = {folder.name[:5]: folder for folder in pathlib.Path(fixtures).glob("[0-9]*")} | quiet
    for release, folder in sorted(all_of_them.items()):
        versions = sorted(folder.glob("v0.0.*"), key=lambda v: v.name)
        pages = {version.name: make_page(program, version, "full") for version in versions}
        if release not in quiet:
            failed += sum(show_lies(version, pages[version.name]) for version in versions)
        newest = versions[-1].name
        default = make_page(program, versions[-1])
        # what the full page has beyond the default one: nodes in detail, and jobs by themselves
        known = set(default.splitlines())
        details = "".join(f"{line}\n" for line in pages[newest].splitlines() if line not in known)
        for name, got in (f"{release}.txt", default), (f"{release}-full.txt", details):
            failed += check_golden(f"{name} and {newest} differ:", name, got)
        for version in list(pages)[:-1]:
            both = (version, newest)
            want, got = (comparable(pages[v], both) for v in (newest, version))
            if release not in quiet:
                changes = [f"{line}\n" for line in difflib.ndiff(want, got) if line[0] in "+-"]
                failed += check_golden(f"{release}: {version} differs otherwise from {newest}:",
                                       f"{release}-{version}.diff", "".join(changes))
            else:
                failed += show_difference(f"{release}: {version} differs from {newest}:", want, got)
            compared += len(got)
    worlds = sorted(pathlib.Path(fixtures, "worlds").iterdir())
    for world in worlds:
        version, = world.iterdir()
        page = make_page(program, version, "full").splitlines(keepends=True)
        shown = "".join(line for line in page if line[0] != "#" and not line.endswith(" 0\n"))
        failed += check_golden(f"{world.name} differs:", f"worlds/{world.name}.txt", shown)
    print(f"{compared} lines compared between versions, {len(worlds)} worlds, {failed} pages differ")
    return failed or not compared or not worlds or len(all_of_them) == len(quiet)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
