#!/usr/bin/env python3
"""What a release promised of metrics stays: frozen.tsv has each family with its type and its labels, and --list-metrics keeps to it.
usage: frozen.py SLURMSCOPE    (UPDATE_GOLDEN=1 adds to frozen.tsv what is new)

A family that is to go is deprecated first: CONTRIBUTING.md, "Take a metric away". Its row stays when it is gone, so that no other
family takes its name. A label more is a change like a label less: it splits series, and joins by `on` or `ignoring` fail. Only
what ends in _info may get labels, because queries take these by name. All of this holds from the first release on that CHANGELOG.md
has. Until then UPDATE_GOLDEN=1 writes all of frozen.tsv again."""
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
FROZEN = Path(__file__).with_name("frozen.tsv")
HEAD = """# The families that stay, by tests/golden/frozen.py: family, type, labels. Of deprecated ones also: the release that deprecates it,
# the first release that may be without it, the family to use. No row is ever taken out.
"""
UPDATE = "UPDATE_GOLDEN=1 tests/golden/frozen.py build-dev/bin/slurmscope"
HOW = 'see CONTRIBUTING.md, "Take a metric away"'


class Row(NamedTuple):
    family: str
    kind: str
    labels: frozenset
    deprecated: str = ""
    goes: str = ""
    use: str = ""


def labels_of(text):
    return frozenset(filter(None, text.split(",")))


def read_rows(text):
    rows = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
    return {row[0]: Row(row[0], row[1], labels_of(row[2]), *row[3:]) for row in rows}


def read_listed(text):
    """{family: (what is promised of it, its help)} of --list-metrics"""
    rows = [line.split("\t") for line in text.splitlines()]
    return {row[0]: (Row(row[0], row[1], labels_of(row[2])), row[5]) for row in rows}


def write_rows(rows):
    def line(row):
        more = (row.deprecated, row.goes, row.use) if row.deprecated else ()
        return "\t".join((row.family, row.kind, ",".join(sorted(row.labels)), *more)) + "\n"
    return HEAD + "".join(line(rows[family]) for family in sorted(rows))


def minor(version):
    return tuple(map(int, version.split(".")[:2]))


class Project(NamedTuple):
    """What the project's other files say."""
    changelog: str
    migrating: str

    def released(self):
        return re.findall(r"^## \[(\d+\.\d+\.\d+)\]", self.changelog, re.M)

    def named(self, heading, family):
        """The releases that name the family under that heading; what comes next is Unreleased."""
        for part in re.split(r"^## ", self.changelog, flags=re.M)[1:]:
            release = re.match(r"\[([^\]]+)\]", part)
            under = re.search(rf"^### {heading}$(.*?)(?=^### |\Z)", part, re.M | re.S)
            if release and under and re.search(rf"\b{family}\b", under[1]):
                yield release[1]


def gone(row, project):
    """What is wrong with a family that is not there any more."""
    removed = list(project.named("Removed", row.family))
    if not row.deprecated:
        yield f"{row.family} is gone, or has another name. It was not deprecated: {HOW}"
    elif row.deprecated not in project.released():
        yield f"{row.family} is gone, but {row.deprecated}, which deprecates it, is not released: {HOW}"
    elif not removed:
        yield f'{row.family} is gone: CHANGELOG.md has to name it under "Removed"'
    elif any(release != "Unreleased" and minor(release) < minor(row.goes) for release in removed):
        yield f"{row.family} is gone in {removed[-1]}, but it stays until {row.goes}"


def changed(row, now):
    if now.kind != row.kind:
        yield f"{row.family} was a {row.kind} and is a {now.kind}: give that another name, and deprecate this one; {HOW}"
    for label in sorted(row.labels - now.labels):
        yield f"{row.family} has no label {label} any more: give that another name, and deprecate this one; {HOW}"
    for label in sorted(now.labels - row.labels):
        if row.family.endswith("_info"):
            yield f"{row.family} has a new label {label}: {UPDATE} adds it"
        else:
            yield f"{row.family} has a new label {label}, which splits its series: give that another name, and deprecate this one; {HOW}"


def deprecated(row, said, listed, project):
    """What is wrong with how a family is deprecated; `said` is its help, None if it is gone."""
    release = row.deprecated if row.deprecated in project.released() else "Unreleased"
    if release not in project.named("Deprecated", row.family):
        yield f'{row.family} is deprecated: CHANGELOG.md has to name it under "Deprecated" of {release}'
    if not minor(row.goes) > minor(row.deprecated):
        yield f"{row.family} stays for a minor version at least: it cannot go in {row.goes}, if {row.deprecated} deprecates it"
    if not re.search(rf"\b{row.family}\b", project.migrating):
        yield f"{row.family} is deprecated: dashboards/MIGRATING.md has to name it"
    if said is not None and not said.startswith(f"Deprecated: use {row.use}. "):
        yield f'the help of {row.family} has to begin with "Deprecated: use {row.use}. "'
    if said is not None and row.use not in listed:
        yield f"{row.family}: there is no {row.use} to use instead"


def faults(rows, listed, project):
    for family, row in rows.items():
        now, said = listed.get(family, (None, None))
        yield from changed(row, now) if now else gone(row, project)
        if row.deprecated:
            yield from deprecated(row, said, listed, project)
        elif now and said.startswith("Deprecated"):
            yield f"{family} says that it is deprecated, but frozen.tsv does not: {HOW}"
    for family in listed.keys() - rows.keys():
        yield f"{family} is new: {UPDATE} adds it"


def taken_out(rows, before):
    """Of what the last release had: rows that are not as they were."""
    for family, row in before.items():
        now = rows.get(family)
        if not now or now.kind != row.kind or not row.labels <= now.labels:
            yield f"frozen.tsv does not have {family} any more as a release had it: no row is ever taken out"


def at_tag(release):
    """frozen.tsv as it was released; None where git does not know."""
    shown = subprocess.run(["git", "show", f"v{release}:tests/golden/frozen.tsv"], cwd=ROOT, capture_output=True, text=True)
    return None if shown.returncode else shown.stdout


def update(rows, listed, project):
    """All of it before the first release; then only what is new is added."""
    if not project.released():
        return {family: now for family, (now, _) in listed.items()}
    more = {family: rows[family]._replace(labels=rows[family].labels | now.labels) for family, (now, _) in listed.items()
            if family in rows and family.endswith("_info")}
    return {family: now for family, (now, _) in listed.items()} | rows | more


def main(program):
    listed = read_listed(subprocess.run([program, "--list-metrics"], capture_output=True, text=True, check=True).stdout)
    project = Project((ROOT / "CHANGELOG.md").read_text(), (ROOT / "dashboards/MIGRATING.md").read_text())
    rows = read_rows(FROZEN.read_text()) if FROZEN.exists() else {}
    if os.environ.get("UPDATE_GOLDEN"):
        rows = update(rows, listed, project)
        FROZEN.write_text(write_rows(rows))
    wrong = sorted(faults(rows, listed, project))
    for release in project.released()[:1]:
        before = at_tag(release)
        wrong += taken_out(rows, read_rows(before or ""))
        print("" if before else f"There is no tag v{release} here: not compared with it. ", end="")
    print(f"{len(rows)} families, {len(wrong)} faults", *wrong, sep="\n")
    if not project.released():
        print(f"Not frozen yet: CHANGELOG.md has no release. {UPDATE} writes all of it again.")
    return bool(wrong) or not rows


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
