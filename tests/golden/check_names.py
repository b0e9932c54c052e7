#!/usr/bin/env python3
"""No family takes a name that another exporter of the same cluster has: slurmctld's own endpoint
(25.11+), as captured from 26.05, and slurm-job-exporter. Two exporters of one name with another unit or
label set give wrong sums.  usage: check_names.py SLURMSCOPE CAPTURED..."""
import pathlib
import re
import subprocess
import sys

# Unit and type agree, and ours have a `state`, by which all our queries select (rule_shared of tests/dashboards/lint.py). Of nodes and
# CPUs our sum over it is their value; they count ended jobs, too.
SHARED = {"slurm_partition_jobs", "slurm_account_jobs", "slurm_user_jobs", "slurm_partition_nodes",
          "slurm_partition_cpus", "slurm_node_cpus"}
JOB_EXPORTER = re.compile(r"slurm_job_(memory_.*|core_usage_total|process_.*|threads_count|.*_gpu)")
SUFFIXES = {"counter": ("_total", "_created"), "gauge": ("",), "info": ("_info",),
            "histogram": ("_bucket", "_sum", "_count", "_created")}


def forms(name, kind):
    """All names that the family has in text form, in OpenMetrics form, or as a family of either."""
    base = re.sub(r"_(total|info)$", "", name) if kind == "counter" or name.endswith("_info") else name
    as_info = SUFFIXES["info"] if name.endswith("_info") else ()
    return {name, base} | {base + suffix for suffix in SUFFIXES[kind] + as_info}


def families(text):
    """Lines of --list-metrics, or `# TYPE` lines of a page."""
    for line in text.splitlines():
        fields = line.split("\t") if "\t" in line else line.split()[2:] if line.startswith("# TYPE") else []
        if fields:
            yield fields[0], fields[1]


def main(program, *captured):
    ours = dict(families(subprocess.run([program, "--list-metrics"], capture_output=True, text=True,
                                        check=True).stdout))
    theirs = {}
    for path in captured:
        theirs.update(families(pathlib.Path(path).read_text()))
    taken = {form: name for name, kind in theirs.items() for form in forms(name, kind)}
    wrong = []
    for name, kind in ours.items():
        clashes = {taken[form] for form in forms(name, kind) if form in taken}
        if name in SHARED and theirs.get(name, kind) != kind:
            wrong.append(f"{name} is a {kind} here and a {theirs[name]} in slurmctld")
        elif clashes and not (name in SHARED and clashes == {name}):
            wrong.append(f"{name} is slurmctld's {', '.join(sorted(clashes))}")
        if any(JOB_EXPORTER.fullmatch(form) for form in forms(name, kind)):
            wrong.append(f"{name} is slurm-job-exporter's")
    bases = {}
    for name, kind in ours.items():  # OpenMetrics has a family named without its suffix once
        base = re.sub("_total$" if kind == "counter" else "_info$", "", name)
        if base in bases:
            wrong.append(f"{name} and {bases[base]} are one family in OpenMetrics")
        bases[base] = name
    print(f"{len(ours)} families against {len(theirs)} of slurmctld, {len(wrong)} clash", *wrong, sep="\n")
    return bool(wrong) or len(theirs) < 200 or len(ours) < 50


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
