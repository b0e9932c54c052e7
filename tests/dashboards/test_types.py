"""Dashboards are what Grafana's own types say, of each Grafana from 10 to 13. Slips show that types/board.ts finds such.
The first tier has the oldest Grafana and the newest, and one dashboard as it is imported. long.dashboards.types (WHOLE)
has all."""

import copy
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import boards
from boards import DELETED

CHECK = Path(__file__).with_name("types") / "check.mjs"
TYPES = Path(os.environ.get("SLURMSCOPE_CACHE", "/var/cache/slurmscope"), "types")
IMPORTED = boards.FOLDER.with_name("import")
WHOLE = "WHOLE" in os.environ
GRAFANAS = ["10", "11", "12", "13"] if WHOLE else ["10", "13"]

# What is said of a panel of a kind: where, and what
OF_PANELS = [
    ("stat", "titel", "Nodes"),
    ("stat", "title", 1),
    ("stat", "type", "stats"),
    ("stat", "datasource", "prometheus"),
    ("stat", "gridPos.x", "0"),
    ("stat", "gridPos.z", 0),
    ("stat", "options.colorMode", "loud"),
    ("stat", "options.showUnfilled", True),
    ("stat", "options.reduceOptions.calc", ["last"]),
    ("stat", "options.reduceOptions.calcs", "last"),
    ("stat", "fieldConfig.defaults.units", "s"),
    ("stat", "fieldConfig.defaults.custom", {"lineWidth": 1}),
    ("stat", "fieldConfig.defaults.color.mode", "threshold"),
    ("stat", "fieldConfig.defaults.thresholds.mode", "relative"),
    ("stat", "fieldConfig.defaults.thresholds.steps.0.value", "0"),
    ("stat", "fieldConfig.defaults.thresholds.steps.0.colour", "red"),
    ("stat", "fieldConfig.defaults.links", [{"title": "Nodes", "uri": "/d/nodes"}]),
    ("stat", "fieldConfig.defaults.mappings", [{"type": "value", "options": {"0": {"text": "no", "colour": "red"}}}]),
    ("stat", "targets.0.expr", DELETED),
    ("stat", "targets.0.refId", DELETED),
    ("stat", "targets.0.instant", "true"),
    ("stat", "targets.0.legend", "{{node}}"),
    ("stat", "targets.0.datasource.uuid", "x"),
    ("bargauge", "options.displayMode", "colour"),
    ("bargauge", "options.minVizHeight", "12"),
    ("bargauge", "options.graphMode", "none"),
    ("timeseries", "options.legend.calcs", DELETED),
    ("timeseries", "options.legend.displayMode", "lists"),
    ("timeseries", "options.legend.colour", "red"),
    ("timeseries", "options.tooltip.sort", "up"),
    ("timeseries", "fieldConfig.defaults.custom.lineWith", 1),
    ("timeseries", "fieldConfig.defaults.custom.drawStyle", "lines"),
    ("timeseries", "fieldConfig.defaults.custom.stacking.mode", "sum"),
    ("timeseries", "fieldConfig.defaults.custom.stacking.groups", "A"),
    ("heatmap", "options.color.palette", "Oranges"),
    ("heatmap", "options.yAxis.axisPlacement", "middle"),
    ("heatmap", "options.filterValues.le", "0"),
    ("heatmap", "targets.0.format", "histogram"),
    ("state-timeline", "options.legend.calcs", DELETED),
    ("state-timeline", "options.rowHeight", "0.85"),
    ("table", "options.cellHeight", "small"),
    ("table", "options.sortBy.0.displayname", "Node"),
    ("table", "transformations.0.id", "merges"),
    ("table", "transformations.0.options", {"by": "node"}),
    ("table", "transformations.0.disable", True),
    ("table", "transformations.1.options.excludedByName", {"Time": True}),
    ("table", "transformations.1.options.excludeByName", ["Time"]),
    ("table", "fieldConfig.overrides.0.matcher.id", "byColumn"),
    ("table", "fieldConfig.overrides.0.matcher.options", 1),
    ("table", "fieldConfig.overrides.0.properties", [{"id": "units", "value": "s"}]),
    ("table", "fieldConfig.overrides.0.properties", [{"id": "unit", "value": 1}]),
    ("table", "fieldConfig.overrides.0.properties", [{"id": "custom.lineWidth", "value": 1}]),
    ("table", "fieldConfig.overrides.0.properties", [{"id": "custom.cellOptions", "value": {"type": "gauge", "mode": "loud"}}]),
    ("table", "fieldConfig.overrides.0.properties", [{"id": "custom.cellOptions", "value": {"type": "gauge", "modes": "basic"}}]),
    ("row", "collapse", True),
    ("row", "panels", [{"type": "stat", "options": {}, "fieldConfig": {"defaults": {}, "overrides": []}, "titel": "Nodes"}]),
]
OF_BOARDS = [
    ("titel", "Slurm"),
    ("schemaVersion", "39"),
    ("graphTooltip", 3),
    ("time.until", "now"),
    ("timepicker.refreshIntervals", ["1m"]),
    ("links.0.type", "dashboard"),
    ("links.0.keepTimes", True),
    ("templating.list.1.multy", True),
    ("templating.list.1.type", "queries"),
    ("templating.list.1.sort", 9),
    ("templating.list.1.query.expression", "up"),
    ("templating.list.1.current.choice", "All"),
    ("annotations.list.0.colour", "red"),
    ("annotations.list.0.target.expression", "up"),
    ("__inputs.0.plugin", "prometheus"),
    ("__requires.0.version", 10),
]


def faults(files):
    """[(Grafana, file's name, member, what is wrong)]"""
    done = subprocess.run(["node", CHECK, TYPES, ",".join(GRAFANAS), *files], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [(version.partition(".")[0], Path(file).name, member, wrong)
            for version, file, member, wrong in (line.split(": ", 3) for line in done.stdout.splitlines())]


def slips():
    """[(dashboard, member, what is put there)]"""
    board, imported = (boards.load(folder)["overview.json"] for folder in (boards.FOLDER, IMPORTED))
    of_type = {panel["type"]: panel for one in boards.load().values() for panel in one["panels"]}
    return [(board | {"panels": [of_type[kind]]}, f"panels.0.{member}", value) for kind, member, value in OF_PANELS] + \
        [(imported | {"panels": []}, member, value) for member, value in OF_BOARDS]


class Types(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        """All of them at once: each Grafana's types are read once."""
        cls.slips = {f"slip-{number}.json": slip for number, slip in enumerate(slips())}
        with tempfile.TemporaryDirectory() as folder:
            files = [*boards.FOLDER.glob("*.json"), *IMPORTED.glob("*.json" if WHOLE else "overview.json")]
            assert len(files) == len(boards.load()) + (len(boards.load()) if WHOLE else 1), files
            for form in ("grafana", "import") if WHOLE else ("grafana",):
                files.append(Path(folder, f"{form}-groups.json"))
                files[-1].write_text(json.dumps(boards.of_groups(form=form)["groups.json"]))
            for name, (base, member, value) in cls.slips.items():
                wrong = copy.deepcopy(base)
                boards.put(wrong, member, value)
                files.append(Path(folder, name))
                files[-1].write_text(json.dumps(wrong))
            cls.found = faults(files)

    def test_dashboards(self):
        self.assertEqual([], [fault for fault in self.found if fault[1] not in self.slips])

    def test_slips(self):
        for file, (_, member, value) in self.slips.items():
            where = member.rpartition(".")[0] if value is DELETED else member
            said = {grafana for grafana, name, at, _ in self.found if name == file and at.startswith(where)}
            self.assertEqual(sorted(said), GRAFANAS, member)


if __name__ == "__main__":
    if not TYPES.exists():
        print(f"skipped: {TYPES} is not there; tests/npm {CHECK.parent} {TYPES} gets it")
        sys.exit(77)
    unittest.main()
