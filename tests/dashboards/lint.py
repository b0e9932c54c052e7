#!/usr/bin/env python3
"""What a dashboard has to be, as far as that can be checked without Grafana and Prometheus. It follows the rules of Grafana's
linter for dashboards: see HELD and EXCLUDED. Its names exist: of metrics and their labels, of variables, of dashboards that
links lead to. Each rule is a function that yields what it has to complain of."""

import copy
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import jsonschema

import boards
import promql

sys.path.append(str(boards.ROOT / "tests/golden"))
from check_names import SHARED  # noqa: E402

SLURMSCOPE = os.path.abspath(os.environ.get("SLURMSCOPE", "build/bin/slurmscope"))
RULES = sorted((boards.ROOT / "deploy/prometheus").glob("*.rules.yml"))
SAMPLES = Path(__file__).with_name("samples")
SCHEMA = Path(__file__).with_name("dashboard.schema.json")
CHANGES = ("rate", "irate", "increase", "changes", "resets", "delta")
UNITS = {"string", "short", "locale", "s", "bytes", "Bps", "percentunit", "celsius", "watt", "dateTimeFromNow", "dateTimeAsIso", "ops",
         "kwatth", "massg"}
MONEY = ("currency:", "prefix:")  # and what the site calls it
GAUGES = {"slurm_job_threads_count"}  # of others, in spite of their names
OF_NOW = {"stat", "table", "bargauge"}  # panels that show one moment
SOURCE = {"type": "prometheus", "uid": "${datasource}"}
COLOUR = re.compile("((super-light|light|semi-dark|dark)-)?(red|orange|yellow|green|blue|purple)|gray|text|transparent")

# What counts the same by one more label has the same name after this.
ENTITY = re.compile(r"slurm_(?:cluster|partition|account|user|qos|node)_(\w+)|cluster(?:_\w+?)?:(slurm_\w+:\w+)")
OF_NODES = {"nodes": "slurm_node_state", "nodes_flagged": "slurm_node_flag", "node_transitions_total": "slurm_node_transitions_total"}
# Labels whose values are names in a cluster; others (states, types of messages) mean the same in each.
OF_A_CLUSTER = {"partition", "qos", "account", "user", "node", "reservation", "license", "controller", "endpoint", "family",
                "Hostname", "instance"}
OF_ALL = {"state", "gres", "type"}  # Labels of groups' families that are none of the site's
# Endpoints that tell of what not every site has, and a word of it.
OPTIONAL = {"licenses": "licence", "reservations": "reservation", "associations": "slurmdbd", "qos": "slurmdbd", "shares": "slurmdbd",
            "dbd_diag": "slurmdbd", "dbd_ping": "slurmdbd"}


def rule_schema(board, world):
    for error in jsonschema.Draft7Validator(json.loads(SCHEMA.read_text())).iter_errors(board):
        yield f"{'.'.join(map(str, error.absolute_path))}: {error.message[:200]}"


def rule_unique(board, world):
    """A uid is one dashboard's, and a title one panel's in it."""
    for member in ("uid", "title"):
        if sum(other[member] == board[member] for other in world.boards.values()) > 1:
            yield f"{board[member]} is another's {member}, too"
    titles = [panel["title"].strip() for panel in boards.panels(board)]
    for title in {title for title in titles if titles.count(title) > 1}:
        yield f"{title} is several panels"


def rule_datasource(board, world):
    sources = [(one["name"], one["label"], one["query"]) for one in board["templating"]["list"] if one["type"] == "datasource"]
    if sources != [("datasource", "Data source", "prometheus")]:
        yield f"data sources are {sources}"
    for panel in boards.panels(board):
        if any(source != SOURCE for source in [panel["datasource"], *(target["datasource"] for target in panel["targets"])]):
            yield f"{panel['title']}: not from the data source that is chosen"


def rule_descriptions(board, world):
    for panel in boards.panels(board):
        if not re.fullmatch(r"\S.{15,}\.", panel["description"]):
            yield f"{panel['title']}: no sentence: {panel['description']}"


def rule_empty(board, world):
    """Each says what it means that it has nothing to show. It names what not every site has, if no query can do without."""
    for panel in boards.panels(board):
        says = panel["fieldConfig"]["defaults"].get("noValue", "No data")
        if says == "No data":
            yield f"{panel['title']}: does not say why it has no data"
        needs = set.intersection(*(
            {word for name, labels in promql.selectors(either) for word in world.needs(name, labels)}
            for target in panel["targets"] for either in re.split(r"\bor\b", target["expr"])))
        for word in (word for word in needs if word not in says):
            yield f"{panel['title']}: says {says!r}, and needs: {word}"


def rule_units(board, world):
    for panel in boards.panels(board):
        units = [panel["fieldConfig"]["defaults"]["unit"], *(
            one["value"] for override in panel["fieldConfig"]["overrides"] for one in override["properties"] if one["id"] == "unit")]
        if panel["type"] == "heatmap" and panel["options"]["yAxis"]["unit"] != units[0]:
            yield f"{panel['title']}: another unit at its axis"
        for unit in {unit for unit in units if not unit.startswith(MONEY)} - UNITS:
            yield f"{panel['title']}: no unit: {unit}"


def rule_colours(board, world):
    """Those that Grafana has names for: dark and light themes draw them differently."""
    for name, value in boards.members([board["panels"], board["annotations"]]):
        if name in ("color", "fixedColor", "iconColor", "fill") and isinstance(value, str) and not COLOUR.fullmatch(value):
            yield f"no colour: {value}"


def rule_units_of_limits(board, world):
    """A resource is memory, time or something to count: nothing shows limits of all of them in one unit."""
    for panel in boards.panels(board):
        units = {one["matcher"]["options"]: {each["id"]: each["value"] for each in one["properties"]}.get("unit")
                 for one in panel["fieldConfig"]["overrides"]}
        names = next((one["options"]["renameByName"] for one in panel.get("transformations", []) if one["id"] == "organize"), {})
        for target in panel["targets"]:
            unit = units.get(names.get(f"Value #{target['refId']}"), panel["fieldConfig"]["defaults"]["unit"])
            found = [labels for name, labels in promql.selectors(target["expr"]) if name.endswith(("_limit", "_usage"))
                     and "resource" in world.families.get(name, ("", ()))[1] and not name.endswith("_at_limit")]
            if found and unit != "percentunit" and not any("resource" in labels for labels in found):
                yield f"{panel['title']}: all resources in {unit}"


def rule_columns(board, world):
    """Overrides and sorting name columns that a table has, and each query has one."""
    for panel in boards.panels(board):
        if panel["type"] != "table":
            continue
        organize, = (one["options"] for one in panel["transformations"] if one["id"] == "organize")
        named = organize["renameByName"]
        shown = {title for name, title in named.items() if not organize["excludeByName"].get(name)}
        wanted = {override["matcher"]["options"] for override in panel["fieldConfig"]["overrides"]
                  if override["matcher"]["id"] == "byName"}
        wanted |= {one["displayName"] for one in panel["options"]["sortBy"]}
        for name in wanted - shown:
            yield f"{panel['title']}: no column {name}"
        refs = ["Value #" + target["refId"] for target in panel["targets"]]
        if sorted(name for name in named if name.startswith("Value")) != (refs if len(refs) > 1 else ["Value"]):
            yield f"{panel['title']}: columns are not queries"


def rule_grid(board, world):
    """What a collapsed row has lies over what is below it, until it is opened."""
    ids = [panel["id"] for panel in board["panels"]] + [panel["id"] for row in board["panels"] for panel in row.get("panels", ())]
    if len(ids) != len(set(ids)):
        yield "two panels have the same id"
    yield from overlaps(board["panels"])
    for row in (one for one in board["panels"] if one["type"] == "row"):
        if row["collapsed"] != bool(row["panels"]):
            yield f"{row['title']}: collapsed around nothing, or around what is shown"
        yield from overlaps(row["panels"])


def overlaps(panels):
    taken = {}
    for panel in panels:
        at = panel["gridPos"]
        if at["x"] + at["w"] > 24:
            yield f"{panel['title']}: outside"
        for cell in ((x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])):
            if cell in taken:
                yield f"{panel['title']} lies on {taken[cell]}"
                break
            taken[cell] = panel["title"]


def rule_variables(board, world):
    """Each one that is named is there, and the other way round; one names only those before it, and they know the time shown."""
    there = boards.BUILT_IN | boards.given(board).keys()
    for variable in boards.variables(board):
        if missing := boards.names_in(variable["query"]["query"]) - there:
            yield f"{variable['name']} needs {missing}"
        if variable["refresh"] != 2 or variable["definition"] != variable["query"]["query"]:
            yield f"{variable['name']}: not asked for when the time changes, or defined in two ways"
        there.add(variable["name"])
    cells = re.compile(r"\$\{__(value|field|data)[^}]*\}")  # of links, filled in by Grafana
    named = set()
    for text in boards.texts([board["panels"], board["annotations"], [one.get("definition") for one in boards.variables(board)]]):
        named |= boards.names_in(cells.sub("", text))
    for name in named - there:
        yield f"${name} is not there"
    for name in there - named - boards.BUILT_IN:
        yield f"${name} is not used"


def rule_links(board, world):
    """To dashboards that exist, and with variables that these have."""
    uids = {other["uid"]: {one["name"] for one in other["templating"]["list"]} for other in world.boards.values()}
    for text in boards.texts([board["panels"], board["links"]]):
        if fits := re.fullmatch(r"/d/([\w-]+)\?(.+)", text):
            if fits[1] not in uids:
                yield f"a link to {fits[1]}"
            elif missing := set(re.findall(r"var-(\w+)=", fits[2])) - uids[fits[1]]:
                yield f"a link to {fits[1]} with {missing}"


def rule_clusters(board, world):
    """All is of the clusters chosen, and needs no label that tells them apart."""
    cluster = board["templating"]["list"][1]
    if (cluster["name"], cluster["allValue"], cluster["current"]["value"]) != ("cluster", ".*", ["$__all"]):
        yield "no choice of clusters that is right without any"
    for panel, expression in boards.expressions(board):
        for name, labels in promql.selectors(expression):
            # what is said of a process that tells of several clusters has none, nor have alerts of it
            of_process = name.startswith("process_") or name in ("slurmscope_build_info", "slurmscope_scrapes_total", "ALERTS", "ALERTS_FOR_STATE")
            if labels.get("cluster") != ("$cluster|" if of_process else "$cluster"):
                yield f"{panel}: {name} of any cluster"


def rule_legends(board, world):
    """Of several clusters each has the same names: where a label of theirs is shown, so is the cluster, and nothing is added up."""
    for panel in boards.panels(board):
        for target in (target for target in panel["targets"] if target.get("format") not in ("table", "heatmap")):
            groups = [set(re.findall(r"\w+", by)) for by in re.findall(r"\bby \(([^)]*)\)", target["expr"])]
            shown = set(re.findall(r"{{(\w+)}}", target["legendFormat"]))
            if bool(shown & world.of_a_cluster) != ("cluster" in shown) and shown != {"cluster"}:
                yield f"{panel['title']}: the legend {target['legendFormat']} names no cluster, or for nothing"
            if "cluster" in shown and any("cluster" not in group for group in groups if group & shown):
                yield f"{panel['title']}: adds up what is called {target['legendFormat']} in each cluster"
            if shown and "cluster" not in shown and any("cluster" in group and group & shown for group in groups):
                yield f"{panel['title']}: repeats {target['legendFormat']} for each cluster"


def rule_names(board, world):
    for panel, expression in boards.expressions(board):
        for name, labels in promql.selectors(expression):
            if name in world.records or name in world.foreign:
                continue
            if name not in world.families:
                yield f"{panel}: nobody exports {name}"
            elif unknown := set(labels) - world.families[name][1] - {"cluster", "le", "instance", "job"}:
                yield f"{panel}: {name} has no label {unknown}"


def rule_choices(board, world):
    """No query ignores a choice that it could follow. It could if its family has the label, or if one has that counts
    the same. That one needs the labels that are shown, too."""
    offered = [one for one in boards.variables(board) if one["name"] != "cluster" and not one["hide"]]
    # who chooses one job has chosen its user
    follows = {one["name"]: boards.names_in(one["query"]["query"]) for one in offered if not one["includeAll"]}
    for panel in boards.panels(board):
        for target in panel["targets"]:
            named = boards.names_in(target["expr"])
            named |= set().union(*(follows.get(name, set()) for name in named))
            shown = set(re.findall(r"\w+", " ".join(re.findall(r"\bby \(([^)]*)\)", target["expr"])))) - {"le"}
            for variable in ({one["name"] for one in offered} | boards.given(board).keys()) - named:
                could = {other for name, _ in promql.selectors(target["expr"]) for other in world.siblings(name)
                         if shown - {"cluster"} | {variable} <= world.labels(other)}
                if could:
                    yield f"{panel['title']}: ignores ${variable}, which {min(could)} has"


def rule_shared(board, world):
    """Since 25.11 slurmctld has families of these names, too, but without states."""
    for panel, expression in boards.expressions(board):
        for name, labels in promql.selectors(expression):
            if name in SHARED and "state" not in labels:
                yield f"{panel}: {name} may be slurmctld's"


def rule_counters(board, world):
    """Counters are read by how they change, nothing else is."""
    for panel, expression in boards.expressions(board):
        flat = re.sub(promql.STRING, '""', expression)
        for name, _ in promql.selectors(expression):
            if name in world.records:
                continue
            is_counter = world.families[name][0] == "counter" if name in world.families else \
                re.search("_(total|bucket|count)$", name) and name not in GAUGES
            for before, beside in re.findall(r"(\w*\(\s*)?\b%s\b(?:\{[^}]*\})?\s*(unless\b|offset\b)?" % re.escape(name), flat):
                function = before.rstrip("( \n")
                if beside:
                    continue  # whether there was a series then
                if is_counter and function not in CHANGES or not is_counter and function in ("rate", "irate", "increase"):
                    yield f"{panel}: {function}({name})"


def rule_windows(board, world):
    """Rates over time fit the dashboard's resolution. Panels that show a moment ask for that moment, because the last value
    of a range may be that of a series that is gone."""
    for panel in boards.panels(board):
        now = panel["type"] in OF_NOW
        for target in panel["targets"]:
            if (target["instant"], target["range"]) != (now, not now):
                yield f"{panel['title']}: the wrong kind of query"
            flat = re.sub(promql.STRING, '""', target["expr"])
            if re.search(r"\bi?rate\([^\[]*\[(?!\$__rate_interval\])", flat):
                yield f"{panel['title']}: a rate over something else than $__rate_interval"
            for window in re.findall(r"\[([^\]]*)\]", flat):
                if not (now and re.fullmatch(r"\$__range(:\d+[smhd])?|\d+[smhd]", window) or window == "$__rate_interval" or
                        window == "$__interval" and "interval" in panel or  # its points are as far apart
                        window == "$__range" and "@ end()" in target["expr"]):
                    yield f"{panel['title']}: over [{window}]"


def rule_rankings(board, world):
    """Who is shown over time is the same at each moment: what is ranked at each moment flickers."""
    for panel in boards.panels(board):
        for target in (target for target in panel["targets"] if target["range"]):
            for function, rest in re.findall(r"\b(topk|bottomk)\((.*)", target["expr"], re.S):
                depth, end = 1, 0
                while depth:
                    depth += {"(": 1, ")": -1}.get(rest[end], 0)
                    end += 1
                if "[$__range] @ end()" not in rest[:end]:
                    yield f"{panel['title']}: {function} at each moment"


def rule_bounds(board, world):
    """There may be 10,000 nodes: what has a row or a line for each shows the first of them."""
    for panel in boards.panels(board):
        named = [one["options"]["renameByName"] for one in panel.get("transformations", []) if one["id"] == "organize"]
        for target in panel["targets"]:
            if "{{node}}" in target["legendFormat"] or any("node" in names for names in named):
                if not re.search(r"\b(topk|bottomk)\(", target["expr"]):
                    yield f"{panel['title']}: any number of nodes"


def rule_imported(board, world):
    """The importable form asks for the data source, and is else the same."""
    form = json.loads(json.dumps(world.imported.get(board["uid"], {})))
    asked, needs, source = form.pop("__inputs", None), form.pop("__requires", []), form.get("templating", {}).get("list", [{}])[0]
    kinds = {one["id"] for one in needs if one["type"] == "panel"}
    if not asked or source["current"].get("value") != "${%s}" % asked[0]["name"] or form.pop("id", 0) is not None:
        yield "no importable form"
    elif kinds != {panel["type"] for panel in boards.panels(board)}:
        yield f"the importable form requires {kinds}"
    else:
        source["current"] = {}
        if form != board:
            yield "the importable form is another dashboard"


# Rules of https://github.com/grafana/dashboard-linter, which mixtool runs, too. Its slips in a dashboard or a panel, and who
# finds them here.
HELD = [
    ("template-datasource-rule", rule_datasource, "board.templating.list.0.name", "source"),
    ("template-datasource-rule", rule_datasource, "board.templating.list.0.label", "Source"),
    ("template-on-time-change-reload-rule", rule_variables, "board.templating.list.1.refresh", 1),
    ("panel-datasource-rule", rule_datasource, "panel.datasource.uid", "prometheus"),
    ("panel-title-description-rule", rule_schema, "panel.title", ""),
    ("panel-title-description-rule", rule_descriptions, "panel.description", ""),
    ("panel-units-rule", rule_units, "panel.fieldConfig.defaults.unit", "seconds"),
    ("panel-no-targets-rule", rule_schema, "panel.targets", []),
    ("target-rate-interval-rule", rule_windows, "panel.targets.0.expr", 'rate(slurm_cluster_job_submissions_total{cluster=~"$cluster"}[5m])'),
    ("target-counter-agg-rule", rule_counters, "panel.targets.0.expr", 'slurm_cluster_job_submissions_total{cluster=~"$cluster"}'),
    ("uneditable-dashboard", rule_schema, "board.editable", True),
    ("mixtool: a dashboard has a title", rule_schema, "board.title", ""),
    ("mixtool: a dashboard has a UID", rule_schema, "board.uid", ""),
]
OF_TARGETS = "job and instance are of slurmscope's process, and two may watch a cluster. One chooses a cluster: rule_clusters"
EXCLUDED = {
    "template-job-rule": OF_TARGETS,
    "template-instance-rule": OF_TARGETS,
    "target-job-rule": OF_TARGETS,
    "target-instance-rule": OF_TARGETS,
    "template-label-promql-rule": "proof.py asks a Prometheus",
    "target-promql-rule": "proof.py asks a Prometheus",
    "target-logql-rule": "no dashboard asks Loki: rule_datasource",
    "target-logql-auto-rule": "no dashboard asks Loki: rule_datasource",
}


def asleep(world):
    """Rules that do not find a slip of theirs."""
    for name, rule, member, slip in HELD:
        board = copy.deepcopy(world.boards["overview.json"])
        panel = next(panel for panel in board["panels"] if panel["type"] == "timeseries")
        before = set(rule(board, world))
        boards.put({"board": board, "panel": panel}, member, slip)
        if set(rule(board, world)) <= before:
            yield f"{rule.__name__} does not hold {name}: {member}"


def list_metrics(*options):
    """({name of a series: (kind, labels)}, {name of a series: endpoints})"""
    families, sources = {}, {}
    for line in subprocess.run([SLURMSCOPE, *options, "--list-metrics"], capture_output=True, text=True, check=True).stdout.splitlines():
        name, kind, labels, source = line.split("\t")[:4]
        for suffix in ("_bucket", "_sum", "_count") if kind == "histogram" else ("",):
            families[name + suffix] = ("counter" if kind == "histogram" else kind, set(labels.split(",")))
            sources[name + suffix] = source
    return families, sources


class World:
    def __init__(self):
        self.boards = boards.load() | boards.of_groups()
        imported = boards.load(boards.FOLDER.with_name("import")) | boards.of_groups(form="import")
        self.imported = {board["uid"]: board for board in imported.values()}
        self.records = {name for path in RULES for name in re.findall(r'"?record"?: "?([\w:]+)', path.read_text())}
        self.records |= {"ALERTS", "ALERTS_FOR_STATE"}  # Prometheus' own
        # of other exporters: what the proof has samples of
        self.foreign = {re.match(r"\w+", line)[0] for path in SAMPLES.iterdir() for line in path.read_text().splitlines()
                        if path.name != "README"}
        self.families, self.sources = list_metrics(f"--config.file={boards.GROUPS}")
        self.of_a_cluster = OF_A_CLUSTER.union(*(self.families[name][1] for name in self.families if name.startswith("slurm_group_"))) - OF_ALL
        self.alike = {}  # what a name ends in: names
        for name in {*self.families, *self.records}:
            self.alike.setdefault(self.ending(name), set()).add(name)

    @staticmethod
    def ending(name):
        found = ENTITY.fullmatch(name)
        return found[1] or found[2] if found else name

    def siblings(self, name):
        """Those that count the same by other labels, and itself."""
        ending = self.ending(name)
        return self.alike.get(ending, set()) | ({OF_NODES[ending]} if ending in OF_NODES else set())

    def needs(self, name, labels):
        """What not every site has: a word of it."""
        if labels.get("gres") == "gpu" or name.startswith(("DCGM_", "nvidia_", "slurm:job:gpu")):
            yield "GPU"
        if "_ended_job_" in name:
            yield "slurmdbd"
        for source in self.sources.get(name, "").split(", "):
            if source in OPTIONAL:
                yield OPTIONAL[source]

    def labels(self, name):
        """As --list-metrics has them; a record's level is what it is by."""
        return self.families[name][1] if name in self.families else set(name.partition(":")[0].split("_"))


def main():
    world = World()
    rules = [function for name, function in sorted(globals().items()) if name.startswith("rule_")]
    complaints = [f"{file}: {rule.__name__.removeprefix('rule_')}: {complaint}"
                  for file, board in world.boards.items() for rule in rules for complaint in rule(board, world)]
    complaints += asleep(world)
    print("\n".join(complaints))
    print(f"{len(world.boards)} dashboards, {sum(len(boards.panels(board)) for board in world.boards.values())} panels, "
          f"{len(rules)} rules, {len({name for name, *_ in HELD})} of other linters, {len(EXCLUDED)} excluded, "
          f"{len(complaints)} complaints")
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main())
