"""The sections and entries of deploy/METRICS.md: first_queries.tsv has them, and golden pages have samples of their families."""
import re
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
KINDS = ("cluster", "partition", "account", "user", "qos")
# Recorded answers of the newest release that was recorded busy, and events of a simulated cluster (record_events.py)
PAGES = ("26.05.txt", "26.05-full.txt", "events.txt")
NO_SAMPLE = {
    "slurm_node_power_watts": "no recorded cluster has a plugin that measures energy",
    "slurm_node_energy_joules_total": "no recorded cluster has a plugin that measures energy",
    "slurm_rpc_pending": "no message waited on the recorded cluster",
}
SAMPLE = re.compile(r"(\w+)(\{.*\})? (\S+)")


class Family(NamedTuple):
    name: str
    kind: str
    labels: list
    source: str
    since: str
    help: str


class Entry(NamedTuple):
    key: str
    question: str
    query: str

    def names(self):
        return [self.key.replace("*", kind) for kind in KINDS] if "*" in self.key else [self.key]


class Section(NamedTuple):
    title: str
    text: str
    entries: list


def read_families(listed):
    rows = [line.split("\t") for line in listed.splitlines()]
    return {name: Family(name, kind, labels.split(",") if labels else [], source, since, text)
            for name, kind, labels, source, since, text in rows}


def read_sections(text=None):
    parts = re.split(r"^## (.*)\n", text or (HERE / "first_queries.tsv").read_text(), flags=re.M)[1:]
    for title, part in zip(parts[::2], parts[1::2]):
        lines = part.strip().splitlines()
        yield Section(title, "\n".join(line for line in lines if "\t" not in line),
                      [Entry(*line.split("\t")) for line in lines if "\t" in line])


def family_of(series, families):
    """A histogram's series have names of their own."""
    return series if series in families else re.sub("_(bucket|sum|count)$", "", series)


def read_samples(families):
    """{family: its lines on the golden pages}"""
    found = {}
    for page in PAGES:
        for name, labels, value in SAMPLE.findall(re.sub("^#.*\n", "", (HERE / page).read_text(), flags=re.M)):
            found.setdefault(family_of(name, families), []).append((name, labels, value))
    return found


def best_sample(samples):
    """One that says something: not 0, of somebody who has a row, and of a histogram a bucket."""
    def worth(sample):
        name, labels, value = sample
        return (name.endswith("_bucket") and '"+Inf"' not in labels, value not in ("0", "+Inf"), '"other"' not in labels and
                '"root"' not in labels, len(re.findall(r'\w+="', labels)))
    return "{}{} {}".format(*max(samples, key=worth))


def faults(families, sections):
    """Each family has an entry, with a question, a query of it and a sample; and there is no entry without a family."""
    entries = [entry for section in sections for entry in section.entries]
    named = [name for entry in entries for name in entry.names() if name in families]
    samples = read_samples(families)
    for name in families.keys() - set(named):
        yield f"{name} has no first query in first_queries.tsv"
    for name in {name for name in named if named.count(name) > 1}:
        yield f"{name} has several first queries"
    for entry in entries:
        there = [name for name in entry.names() if name in families]
        if not there:
            yield f"{entry.key} has a first query, but there is no such family"
        elif not any(name in samples or name in NO_SAMPLE for name in there):
            yield f"{entry.key} has no sample on {', '.join(PAGES)}: record_events.py records the last one again"
        if not re.fullmatch(r"[A-Z].*\?( [A-Z].*\.)?", entry.question):
            yield f"{entry.key}: no question: {entry.question}"
    for section in sections:
        if not section.text or not section.entries:
            yield f"the section {section.title} is empty"
    for name in NO_SAMPLE.keys() & samples.keys():
        yield f"{name} is said to have no sample, but has one"
    for name in samples.keys() - families.keys():
        yield f"{name} has a sample, but there is no such family: record_events.py records events.txt again"


def query_faults(families, sections, selectors):
    """A query is about its entry's family, uses the labels that families have, and asks counters how they grow."""
    kinds = {}
    for family in families.values():
        suffixes = ("_bucket", "_sum", "_count") if family.kind == "histogram" else ("",)
        kinds.update({family.name + suffix: (family, family.kind != "gauge") for suffix in suffixes})
    for entry in (entry for section in sections for entry in section.entries):
        used = selectors(entry.query)
        known = [kinds[name][0] for name, _ in used if name in kinds]
        labels = {label for family in known for label in family.labels} | {"cluster", "instance", "job", "le"}
        if not any(family.name in entry.names() for family in known):
            yield f"{entry.key}: its query is about something else: {entry.query}"
        for name, matchers in used:
            if name not in kinds:
                yield f"{entry.key}: nobody exports {name}"
                continue
            family, counts = kinds[name]
            if unknown := set(matchers) - set(family.labels) - {"job", "le"}:
                yield f"{entry.key}: {name} has no label {sorted(unknown)}"
            if counts != bool(re.search(rf"\b(rate|increase)\({name}\b", entry.query)):
                yield f"{entry.key}: {name} is {'' if counts else 'not '}to be read by rate or increase: {entry.query}"
        for words in re.findall(r"\b(?:by|without|on|ignoring|group_left|group_right) ?\(([^)]*)\)", entry.query):
            if unknown := set(re.findall(r"\w+", words)) - labels:
                yield f"{entry.key}: none of its families has a label {sorted(unknown)}"
