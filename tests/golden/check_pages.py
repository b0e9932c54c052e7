#!/usr/bin/env python3
"""Recorded answers give the committed page, and the same cluster gives the same page in every API
version.  usage: check_pages.py MAKE_PAGE FIXTURES    (UPDATE_GOLDEN=1 rewrites the golden pages)

FIXTURES/<release>/<version>/*.json were recorded one after the other while nothing changed; what
differs nevertheless, and why, is in DIFFERS."""
import difflib
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
                        r'resource="(submitted_jobs|[^"]*(?<!running)_minutes)"}'] = \
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


def main(program, fixtures):
    failed = compared = 0
    for release in sorted(pathlib.Path(fixtures).iterdir()):
        versions = sorted(release.iterdir(), key=lambda v: v.name)
        pages = {version.name: make_page(program, version, "full") for version in versions}
        newest = versions[-1].name
        default = make_page(program, versions[-1])
        # what the full page has beyond the default one: nodes in detail, and jobs by themselves
        known = set(default.splitlines())
        details = "".join(f"{line}\n" for line in pages[newest].splitlines() if line not in known)
        for name, got in (f"{release.name}.txt", default), (f"{release.name}-full.txt", details):
            golden = GOLDEN / name
            if os.environ.get("UPDATE_GOLDEN"):
                golden.write_text(got)
            failed += show_difference(f"{name} and {newest} differ:",
                                      golden.read_text().splitlines(), got.splitlines())
        for version in list(pages)[:-1]:
            both = (version, newest)
            want, got = (comparable(pages[v], both) for v in (newest, version))
            failed += show_difference(f"{release.name}: {version} differs from {newest}:", want, got)
            compared += len(got)
    print(f"{compared} lines compared between versions, {failed} pages differ")
    return failed or not compared


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
