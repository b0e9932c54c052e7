"""Which metrics an expression of PromQL names, by which labels it selects them, and which rules it needs. Prometheus itself
checks its grammar."""

import re

KEYWORDS = {"and", "or", "unless", "bool", "offset", "by", "without", "on", "ignoring", "group_left", "group_right", "start",
            "end", "inf", "nan", "atan2"}
STRING = r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\''


def selectors(expression):
    """[(metric, {label: matcher's value})]"""
    strings = []

    def keep(match):
        strings.append(match[0])
        return f'"s{len(strings) - 1}"'
    text = re.sub(r"\$\w+", "0", re.sub(STRING, keep, re.sub(r"#[^\n]*", "", expression)))
    text = re.sub(r"\[[^\]]*\]", " ", text)
    text = re.sub(r"\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)", " ", text)
    found = []
    # without a name: {__name__=~"one|another"}
    for labels in re.findall(r"(?<![\w:])(?<![\w:] )\{([^}]*)\}", text):
        if fits := re.search(r'\b__name__\s*=~?\s*"s(\d+)"', labels):
            text = text.replace("{%s}" % labels, " ".join("%s{%s}" % (name, labels) for name in strings[int(fits[1])][1:-1].split("|")))
    for name, labels in re.findall(r"(?<![\w:\"])([a-zA-Z_:][\w:]*)\b(?!\s*\()\s*(\{[^}]*\})?", re.sub(r"\b\d\w*", " ", text)):
        if name.lower() in KEYWORDS:
            continue
        found.append((name, dict(re.findall(r"(\w+)\s*(?:=~|!~|!=|=)\s*\"s(\d+)\"", labels))))
    return [(name, {label: strings[int(number)][1:-1] for label, number in labels.items() if label != "__name__"})
            for name, labels in found]


def needed(groups, asked):
    """The groups of rules, without the rules that nothing asked for needs; some are empty then. `asked`: expressions, and
    names of alerts. One that asks for names by a pattern needs all that fit, and one for ALERTS of any name needs all alerts."""
    made = {}
    for rule in (rule for group in groups for rule in group["rules"]):
        made.setdefault(rule.get("record") or rule["alert"], []).append(rule)
    kept, look = set(), list(asked)
    for one in asked:
        for pattern in re.findall(r'__name__\s*=~\s*"([^"]*)"', one):
            look += [name for name in made if re.fullmatch(pattern, name)]
        if "ALERTS" in one and "alertname=" not in one:
            look += [name for name, rules in made.items() if "alert" in rules[0]]
    while look:
        names = set(re.findall(r"[\w:]+", look.pop())) & made.keys() - kept
        kept |= names
        look += [str(rule) for name in names for rule in made[name]]  # An alert's texts may ask, too.
    return [group | {"rules": [rule for rule in group["rules"] if (rule.get("record") or rule["alert"]) in kept]} for group in groups]


def levels(groups):
    """Groups of rules by what they need: first all rules that need no records, then those that need only records of these, ..."""
    of = {}
    for rule in (rule for group in groups for rule in group["rules"]):
        of.setdefault(rule.get("record", "ALERTS"), set()).update(name for name, _ in selectors(rule["expr"]))
    done = {}
    while len(done) < len(of):
        next_ = [name for name, needs in of.items() if name not in done and all(other in done or other not in of or other == name for other in needs)]
        assert next_, f"rules need each other: {of.keys() - done.keys()}"
        level = max(done.values(), default=-1) + 1
        done.update(dict.fromkeys(next_, level))
        yield [group | {"rules": rules} for group in groups if (rules := [rule for rule in group["rules"] if done.get(rule.get("record", "ALERTS")) == level])]
