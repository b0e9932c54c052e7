"""The dashboards as they are committed, that of a site with groups, and what Grafana makes of them before it asks Prometheus."""

import functools
import json
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "dashboards/grafana"
GROUPS = Path(__file__).with_name("groups.yml")
VARIABLE = re.compile(r"\$(?:\{(\w+)(?::(\w+))?\}|(\w+))")
# what Grafana fills in by itself
BUILT_IN = {"__rate_interval", "__range", "__range_s", "__interval", "__url_time_range", "datasource"}


def load(folder=FOLDER):
    """{file name: dashboard}"""
    boards = {path.name: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}
    assert boards, f"no dashboards in {folder}"
    return boards


def of_site(own):
    """(dashboards, rules, alerts) of a site that sets this in the configuration."""
    made = subprocess.run(["jsonnet", "-e", f"local made = (import '{ROOT}/dashboards/mixin.libsonnet') + {{ _config+:: {{ {own} }} }};"
                           " [made.grafanaDashboards, made.prometheusRules, made.prometheusAlerts]"], capture_output=True, text=True, check=True)
    return json.loads(made.stdout)


@functools.cache
def with_groups(config):
    """JSON of {path in the repository: dashboard}, see dashboards.jsonnet: the dashboard of a site that has the groups of a file."""
    return subprocess.run(["jsonnet", "-e", f"""
        local mixin = (import '{ROOT}/dashboards/mixin.libsonnet') + {{ _config+:: {{ groups: std.parseYaml(importstr '{config}').groups }} }};
        local board = std.parseJson(std.toString(mixin.grafanaDashboards['groups.json']));
        (import '{ROOT}/dashboards/dashboards.jsonnet')({{ 'groups.json': board }})"""],
                          capture_output=True, text=True, check=True).stdout


def of_groups(config=GROUPS, form="grafana"):
    """{file name: dashboard} of what only sites with groups have: those of a configuration file."""
    return {"groups.json": json.loads(with_groups(config))[f"dashboards/{form}/groups.json"]}


def panels(board):
    """Those that show something, those of collapsed rows, too."""
    return [panel for row in board["panels"] for panel in (row, *row.get("panels", ())) if panel["type"] != "row"]


def variables(board):
    """Those that are asked of Prometheus, in the order of the dashboard."""
    return [variable for variable in board["templating"]["list"] if variable["type"] == "query"]


def given(board):
    """{variable: its value at first} of those that nobody is asked for."""
    return {variable["name"]: variable["current"]["value"] for variable in board["templating"]["list"] if variable["type"] in ("custom", "textbox")}


def names_in(text):
    """The variables that a text names."""
    return {whole or plain for whole, _, plain in VARIABLE.findall(text)}


def texts(value):
    """All strings in a piece of JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from texts(one)


def members(value):
    """(name, value) of all members in a piece of JSON."""
    if isinstance(value, dict):
        yield from value.items()
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from members(one)


DELETED = object()


def put(value, member, new):
    """Puts something wrong, or DELETED, into a piece of JSON, at e.g. panels.0.title."""
    *before, last = [int(part) if part.isdigit() else part for part in member.split(".")]
    for part in before:
        value = value[part]
    if new is DELETED:
        del value[last]
    else:
        value[last] = new


def fill(expression, values):
    """The expression with its variables' values; a list of values becomes a regular expression, as in Grafana."""
    def value(match):
        chosen = values[match[1] or match[3]]
        if isinstance(chosen, str):
            return chosen
        escaped = [re.sub(r"([\\^$*+?.()|\[\]{}/])", r"\\\\\1", one) for one in chosen]
        return escaped[0] if len(escaped) == 1 else "(" + "|".join(escaped) + ")"
    return VARIABLE.sub(value, expression)


def label_values(query):
    """(selector, label) of label_values(selector, label)."""
    return re.fullmatch(r"label_values\((.+), *(\w+)\)", query, re.S).groups()


def expressions(board):
    """(where, expression) of all that a dashboard asks of Prometheus."""
    for panel in panels(board):
        for target in panel["targets"]:
            yield panel["title"], target["expr"]
    for annotation in board["annotations"]["list"]:
        yield f"annotation {annotation['name']}", annotation["expr"]
    for variable in variables(board):
        if variable["name"] != "cluster":
            yield f"variable {variable['name']}", label_values(variable["query"]["query"])[0]
