"""Reads OpenMetrics 1.0 (https://prometheus.io/docs/specs/om/open_metrics_spec/) and says which of its rules a page
breaks. Written from the specification, so that it knows nothing of slurmscope."""

import math
import re
from collections import namedtuple

SUFFIXES = {"counter": ("_total", "_created"), "gauge": ("",), "unknown": ("",), "info": ("_info",), "stateset": ("",),
            "histogram": ("_bucket", "_sum", "_count", "_created"),
            "gaugehistogram": ("_bucket", "_gsum", "_gcount"), "summary": ("", "_sum", "_count", "_created")}
NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
VALUE = r'"((?:[^"\\\n]|\\["\\n])*)"'
LABEL = rf"([a-zA-Z_][a-zA-Z0-9_]*)={VALUE}"
LABELS = rf"\{{(?:{LABEL}(?:,{LABEL})*)?\}}"
NUMBER = r"[+-]?(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|(?:[Ii][Nn][Ff](?:inity)?)|[Nn][Aa][Nn])"
SAMPLE = re.compile(rf"({NAME})({LABELS})? ({NUMBER})(?: ({NUMBER}))?"
                    rf"(?: # ({LABELS}) ({NUMBER})(?: ({NUMBER}))?)?")
HELP = re.compile(r'(?:[^"\\\n]|\\["\\n])*')
EXEMPLAR_MAX = 128
RULES = {
    "not UTF-8",
    "no end",
    "something after the end",
    "an empty line",
    "comment syntax",
    "no such type",
    "metadata twice",
    "metadata after samples",
    "the name does not end with its unit",
    "help escapes",
    "a unit of what has none",
    "sample syntax",
    "a label twice",
    "a family in two places",
    "a sample that its type has not",
    "a metric in two places",
    "a sample twice",
    "a counter without a total",
    "an info that is not 1",
    "a state that is not 0 or 1",
    "a negative or NaN count",
    "an exemplar where none may be",
    "a long exemplar",
    "a bucket without a bound",
    "a bound that is not canonical",
    "no bucket +Inf",
    "bounds that do not ascend",
    "buckets that are not cumulative",
    "no sum or count",
    "a count that is not the bucket +Inf",
    "an exemplar outside of its bucket",
    "names clash",
}

Exemplar = namedtuple("Exemplar", "labels value time")
Sample = namedtuple("Sample", "name labels value exemplar")


class Wrong(Exception):
    """A rule that was broken, and where."""


class Family:
    def __init__(self, name):
        self.name = name
        self.kind = self.unit = self.help = None
        self.samples = []

    def suffixes(self):
        return SUFFIXES[self.kind or "unknown"]

    def owns(self, name):
        return name in [self.name + suffix for suffix in self.suffixes()]


def unescape(text):
    return re.sub(r"\\(.)", lambda c: "\n" if c[1] == "n" else c[1], text)


def pairs(text):
    """((name, value), ...) of `{a="b"}`, as they come."""
    return tuple((name, unescape(value)) for name, value in re.findall(LABEL, text or ""))


def go_number(number):
    """As Go's FormatFloat(x, 'g', -1) with a decimal point, which is what the canonical numbers are."""
    if math.isinf(number):
        return "+Inf" if number > 0 else "-Inf"
    digits, exponent = f"{number!r}", 0 if not number else math.floor(math.log10(abs(number)))
    if number and not -4 <= exponent < 6:
        mantissa, exponent = next(f"{number:.{n}e}" for n in range(18) if float(f"{number:.{n}e}") == number).split("e")
        return f"{mantissa}e{int(exponent):+03d}"
    return digits


def demand(holds, rule, line):
    assert rule in RULES, rule
    if not holds:
        raise Wrong(f"{rule}: {line}")


def read_sample(line):
    match = SAMPLE.fullmatch(line)
    demand(match, "sample syntax", line)
    groups = match.groups()
    # what each repetition of LABELS captures is not used: pairs() finds names and values again
    name, labels, value = groups[0], groups[1], groups[6]
    exemplar_labels, exemplar_value, exemplar_time = groups[8], groups[13], groups[14]
    labels = pairs(labels)
    demand(len(dict(labels)) == len(labels), "a label twice", line)
    exemplar = None
    if exemplar_labels is not None:
        exemplar = Exemplar(pairs(exemplar_labels), float(exemplar_value),
                            float(exemplar_time) if exemplar_time else None)
    return Sample(name, labels, float(value), exemplar)


def read_metadata(line, families, current):
    match = re.fullmatch(rf"# (TYPE|UNIT|HELP) ({NAME}) (.*)", line)
    demand(match, "comment syntax", line)
    what, name, text = match.groups()
    if not current or current.name != name:
        demand(name not in families, "a family in two places", line)
        current = families[name] = Family(name)
    demand(not current.samples, "metadata after samples", line)
    if what == "TYPE":
        demand(current.kind is None, "metadata twice", line)
        demand(text in SUFFIXES, "no such type", line)
        current.kind = text
    elif what == "UNIT":
        demand(current.unit is None, "metadata twice", line)
        demand(name.endswith(f"_{text}"), "the name does not end with its unit", line)
        current.unit = text
    else:
        demand(current.help is None, "metadata twice", line)
        demand(HELP.fullmatch(text), "help escapes", line)
        current.help = unescape(text)
    return current


def check_value(family, sample):
    """What a single sample may be."""
    where = f"{sample.name} {sample.labels} {sample.value}"
    if family.kind == "info":
        demand(sample.value == 1, "an info that is not 1", where)
    if family.kind == "stateset":
        demand(sample.value in (0, 1), "a state that is not 0 or 1", where)
    if family.kind in ("counter", "histogram"):
        demand(sample.value >= 0, "a negative or NaN count", where)
    if sample.exemplar:
        takes = sample.name.endswith("_total") or sample.name.endswith("_bucket")
        demand(takes and family.kind in ("counter", "histogram"), "an exemplar where none may be", where)
        length = sum(len(name) + len(value) for name, value in sample.exemplar.labels)
        demand(length <= EXEMPLAR_MAX, "a long exemplar", where)


def check_histogram(family, labels, samples):
    where = f"{family.name} {labels}"
    buckets = [s for s in samples if s.name.endswith("_bucket")]
    count, = [s.value for s in samples if s.name.endswith("_count")] or [None]
    total = [s.value for s in samples if s.name.endswith("_sum")]
    bounds = [dict(s.labels).get("le") for s in buckets]
    demand(all(bounds), "a bucket without a bound", where)
    demand(all(bound == go_number(float(bound)) for bound in bounds), "a bound that is not canonical", f"{where} {bounds}")
    numbers = [float(bound) for bound in bounds]
    demand(numbers and numbers[-1] == math.inf, "no bucket +Inf", where)
    demand(numbers == sorted(set(numbers)), "bounds that do not ascend", where)
    values = [s.value for s in buckets]
    demand(values == sorted(values), "buckets that are not cumulative", where)
    demand(len(total) == 1 and count is not None, "no sum or count", where)
    demand(count == values[-1], "a count that is not the bucket +Inf", where)
    for lower, upper, sample in zip([-math.inf, *numbers], numbers, buckets):
        if sample.exemplar:
            demand(lower < sample.exemplar.value <= upper, "an exemplar outside of its bucket", where)


def check_family(family):
    demand(not (family.unit and family.kind in ("info", "stateset")), "a unit of what has none", family.name)
    metrics, order = {}, []
    for sample in family.samples:
        check_value(family, sample)
        own = tuple(sorted(p for p in sample.labels if p[0] not in ("le", "quantile" if family.kind == "summary" else "le")))
        if not order or order[-1] != own:
            demand(own not in metrics, "a metric in two places", f"{family.name} {own}")
            order.append(own)
        metrics.setdefault(own, []).append(sample)
    for labels, samples in metrics.items():
        series = [(s.name, tuple(sorted(s.labels))) for s in samples]
        demand(len(set(series)) == len(series), "a sample twice", f"{family.name} {labels}")
        if family.kind == "counter":
            demand(any(s.name.endswith("_total") for s in samples), "a counter without a total", family.name)
        if family.kind == "histogram":
            check_histogram(family, labels, samples)


def check_names(families):
    """No two families may have a sample name in common, nor one be called as another's sample."""
    taken = {}
    for family in families.values():
        for name in {family.name, *(family.name + suffix for suffix in family.suffixes())}:
            demand(name not in taken, "names clash", f"{family.name} and {taken.get(name)}")
            taken[name] = family.name


def read(page):
    """{name: Family} of a page in bytes; Wrong if it breaks a rule."""
    text = page.decode("utf-8", "surrogateescape")
    demand(not re.search("[\ud800-\udfff]", text), "not UTF-8", "")
    demand(text.endswith("# EOF\n"), "no end", text[-40:])
    families, current = {}, None
    for line in text.removesuffix("# EOF\n").split("\n")[:-1]:
        demand(line != "# EOF", "something after the end", line)
        demand(line and "\r" not in line, "an empty line", repr(line))
        if line.startswith("#"):
            current = read_metadata(line, families, current)
            continue
        sample = read_sample(line)
        if not current or not current.owns(sample.name):
            suffix = sample.name.removeprefix(current.name) if current else sample.name
            demand(suffix not in ("", "_total", "_sum", "_count", "_bucket"), "a sample that its type has not", line)
            demand(not any(family.owns(sample.name) for family in families.values()), "a family in two places", line)
            current = families[sample.name] = Family(sample.name)
        current.samples.append(sample)
    for family in families.values():
        check_family(family)
    check_names(families)
    return families
