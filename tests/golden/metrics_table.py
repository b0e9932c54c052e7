#!/usr/bin/env python3
"""deploy/METRICS.md is what --list-metrics, first_queries.tsv and the golden pages say, and these agree.
usage: metrics_table.py SLURMSCOPE    (UPDATE_GOLDEN=1 writes the page again)"""
import difflib
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import first_queries
import frozen

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "tests/dashboards"))
from promql import selectors  # noqa: E402

PAGE = ROOT / "deploy/METRICS.md"
COLUMNS = 120
# Labels that no recorded cluster has: hierarchical resources need a resources.yaml.
UNRECORDED = {"slurm_licenses": {"nodes"}, "slurm_licenses_configured": {"nodes"}}
OF_AN_ENTITY = re.compile(r"\b(cluster|partition|account|user|QOS)\b")
HEAD = """# Metrics

For those who write queries, alerts and dashboards: all families of this release, by subject.

{contents}
## How to read this page
An entry names a family with its labels, and shows a sample: a line of the page of a recorded or simulated cluster.
Where there is the same of partitions, accounts, users or QOS, one entry has all of their names. *From* is the endpoint
of slurmrestd that tells. *Since* is the first Slurm release whose slurmrestd does, where that is not every one that
slurmscope reads; [RELEASES.md](RELEASES.md) has more.

Each entry ends with a question and the query that answers it, in PromQL. To ask for accounts instead of partitions,
take the other name of the same entry, and the label `account`. The queries also work with several clusters, if the
label `cluster` tells these apart. Change windows such as `[1d]` as you like; a window has at least four scrapes.

The link to a family is `#` and its name, such as [#slurm_partition_jobs](#slurm_partition_jobs). Names, types, labels
and these links stay. A family that is to go is first deprecated in a release, and its entry says so.

Families of your own are in [MANUAL.md](MANUAL.md#groups), "Groups".

`slurmscope --list-metrics` prints the same list for programs. `UPDATE_GOLDEN=1 tests/golden/metrics_table.py
build/bin/slurmscope` writes this page.

## Who has a row
Users, accounts, partitions and QOS have rows of their own up to `--limit.*` and as `--filter.*` allows; all
others are added up in one row named `other` (users: `user="other",account="other"`), so that totals stay right:
sums are sums, the oldest is the oldest, the largest the largest. A job or node of several of them counts there once.
Those with the most CPUs, held by running jobs and
asked for by pending ones, have a row, and keep it until they are idle or another uses more than twice as much.
[`slurmscope_series_folded`](#slurmscope_series_folded) says how many samples were folded. Where there is nothing to add
up (what a partition is configured to be, fairshare) the row is left out.

Counters and histograms of events go to those that come first, and stay with them. slurmscope counts what happens to
those that find no room in the [row `other`](GLOSSARY.md#row-other). A filter that comes to deny a name takes its rows
off the page and out of the state file at once, with what was counted there; `other` counts for it from then on and
does not jump. Of nodes where jobs failed 1,000 have a row, those where one failed last; who gives a row up begins at 0
again. Of rows that are missing `slurmscope_series_folded` counts here as many samples as a row begins with (the ends of
users' jobs: none), of those that anything happened to since slurmscope was started.

The largest jobs have [rows of their own](MANUAL.md#jobs-by-themselves) (`slurm_job_...` and its like), up to
`--jobs.rows`, `--jobs.pending-rows` and `--jobs.ended-rows`. Their label `jobid` is the raw job ID that cgroups and
`SLURM_JOB_ID` have. Users, accounts, partitions and QOS that filters allow no row are `other` there, too, and so is who
gave a node's reason; requests (`slurm_user_rpc_...`) of such users are left out.

A name longer than 256 bytes is cut and ends in `~` and 8 hexadecimal digits of its hash; one that is really called
`other` is shown as `other~c8728734`. Invalid UTF-8 is shown as U+FFFD.
"""


def families_on(pages):
    return {name for page in ROOT.glob(f"tests/golden/{pages}") for name in re.findall(r"^# TYPE (\w+)", page.read_text(), re.M)}


def wrap(text):
    return textwrap.fill(text, COLUMNS, break_long_words=False, break_on_hyphens=False) + "\n"


def series(family, first):
    """The name with its labels; GitHub makes an anchor of headings alone."""
    anchor = "" if family.name == first else f'<a id="{family.name}"></a>'
    return f"{anchor}`{family.name}" + (f"{{{', '.join(family.labels)}}}`" if family.labels else "`")


def facts(family, optional, rows):
    said = [family.kind] + ([f"from `{family.source}`"] if family.source else [])
    said += [f"since Slurm {family.since}"] if family.since else []
    if family.name in optional:
        said.append("only of jobs with rows" if re.match("slurm_(pending_|ended_)?job_", family.name) else "only with `--nodes.per-node=full`")
    if re.fullmatch("slurm_user_job_(eligible_wait|runtime)_seconds", family.name):
        said.append("only with `--jobs.histograms=users`")
    row = rows.get(family.name)
    if row and row.deprecated:
        said.append(f"deprecated since {row.deprecated}, may go in {row.goes}")
    return ", ".join(said)


def broken(query, operators, deepest):
    """With operators at the beginning of lines."""
    depth, lines = 0, [""]
    for part in re.split(r"([()]| (?:and|-|/) )", query):
        depth += {"(": 1, ")": -1}.get(part, 0)
        if depth <= deepest and part.strip() in operators:
            lines.append(4 * depth * " " + part[1:])
        else:
            lines[-1] += part
    return lines


def readable(query):
    """Broken where it holds together least, if it is long."""
    ways = [broken(query, *way) for way in (((), 0), (("and",), 0), (("-", "/"), 0), (("and",), 1), (("-", "/"), 1))]
    return "\n".join(next((lines for lines in ways if max(map(len, lines)) <= COLUMNS - 20), ways[-1]))


def sample_text(entry, families, samples):
    """Of a family that its query asks for, if there is one."""
    asked = [first_queries.family_of(name, families) for name, _ in selectors(entry.query)]
    names = [name for name in entry.names() if name in families]
    shown = [name for name in names if name in samples]
    if not shown:
        return f"no sample: {first_queries.NO_SAMPLE[names[0]]}"
    return f"sample: `{first_queries.best_sample(samples[next((name for name in shown if name in asked), shown[0])])}`"


def entry_text(entry, families, samples, optional, rows):
    there = [families[name] for name in entry.names() if name in families]
    first, alike = there[0].name, {}
    for family in there:  # what is said of the cluster is said of the others, too
        alike.setdefault((OF_AN_ENTITY.sub("", family.help), facts(family, optional, rows)), []).append(family)
    yield f"### {first}\n"
    last = list(alike.values())[-1][0]
    for (_, fact), group in alike.items():
        yield wrap(re.sub(r"([*<\\])", r"\\\1", group[0].help))
        yield f"\n- {fact}\n"
        yield from (f"- {series(family, first)}\n" for family in group)
        yield "\n" if group[0] is not last else ""
    yield f"- {sample_text(entry, families, samples)}\n\n{entry.question}\n```promql\n{readable(entry.query)}\n```\n\n"


def contents(titles):
    """Links in some lines, none of which is broken."""
    return wrap(", ".join(f"[{title}](#{title.lower().replace(' ', '-')})".replace(" ", "\0") for title in titles) + ".").replace("\0", " ")


def page(families, sections):
    samples, rows = first_queries.read_samples(families), frozen.read_rows(frozen.FROZEN.read_text())
    optional = families_on("??.??-full.txt") - families_on("??.??.txt")
    titles = ["How to read this page", "Who has a row"] + [section.title for section in sections]
    yield HEAD.format(contents=contents(titles))
    for section in sections:
        yield f"\n## {section.title}\n{section.text}\n\n"
        text = "".join(part for entry in section.entries for part in entry_text(entry, families, samples, optional, rows))
        yield text.rstrip("\n") + "\n"


def wrong_labels(families):
    """Those of the golden pages, of all together: an empty label is left out."""
    seen = {}
    for path in [*ROOT.glob("tests/golden/*.*.txt"), ROOT / "tests/golden/events.txt"]:
        for name, labels in re.findall(r"^(\w+)(?:\{(.*)\})? ", path.read_text(), re.M):
            name = first_queries.family_of(name, families)
            seen.setdefault(name, set()).update(re.findall(r'(\w+)="(?:[^"\\]|\\.)*"', labels))
    wrong = [f"{name}: has the labels {sorted(labels)}, not {sorted(families[name].labels)}" for name, labels in sorted(seen.items())
             if name in families and labels - {"le"} != set(families[name].labels) - UNRECORDED.get(name, set())]
    return wrong + ([] if len(seen) > 150 else [f"the golden pages have only {len(seen)} families"])


def wrong_since(families):
    """A release's golden page has the families of that release and of those before it."""
    pages, wrong, dated = {}, [], 0
    for path in ROOT.glob("tests/golden/??.*.txt"):
        pages.setdefault(path.name[:5], set()).update(re.findall(r"^# TYPE (\w+)", path.read_text(), re.M))
    for name, since in ((family.name, family.since) for family in families.values()):
        first, *others = re.findall(r"\d\d\.\d\d", since) or [""]
        wanted = {release for release in pages if release >= first or release in others}
        shown = {release for release in pages if name in pages[release]}
        dated += bool(since and shown)
        if since and shown and shown != wanted:
            wrong.append(f"{name}: since {since}, but it is on the pages of {', '.join(sorted(shown))}")
    return wrong + ([] if dated > 30 else [f"only {dated} families are on a page and since a release"])


def wrong_anchors(families, text):
    """A link to a family leads to its entry."""
    anchors = re.findall(r'^#+ (\w+)$|<a id="(\w+)">', text, re.M)
    found = [heading.lower() or other for heading, other in anchors]
    return [f"{name} has {found.count(name)} anchors" for name in families if found.count(name) != 1]


def main(program):
    listed = subprocess.run([program, "--list-metrics"], capture_output=True, text=True, check=True).stdout
    families, sections = first_queries.read_families(listed), list(first_queries.read_sections())
    wrong = [*first_queries.faults(families, sections), *first_queries.query_faults(families, sections, selectors)]
    if not wrong:  # else there is no such page
        wanted = "".join(page(families, sections))
        if os.environ.get("UPDATE_GOLDEN"):
            PAGE.write_text(wanted)
        wrong += difflib.unified_diff(PAGE.read_text().splitlines(), wanted.splitlines(), str(PAGE), "as it should be", lineterm="", n=0)
        wrong += wrong_anchors(families, wanted)
    wrong += [f"{name} does not say its source" for name, family in families.items() if name.startswith("slurm_") and not family.source]
    wrong += wrong_labels(families) + wrong_since(families)
    dated = re.findall(r'{"(slurm_\w+)", {', (ROOT / "lib/metrics/origin.c").read_text())
    wrong += [f"origin.c: there is no {name}" for name in dated if name not in families]
    print(f"{len(families)} families, {sum(len(section.entries) for section in sections)} entries", *wrong, sep="\n")
    return bool(wrong) or not dated


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
