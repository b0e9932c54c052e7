"""Grafana's own components draw the panels, of what a Prometheus says of a simulated cluster. Nothing fails, plots are drawn,
and tables have the columns and the names that they should. @grafana/ui has stats, bars, tables and graphs; heatmaps and
timelines are in Grafana itself only. A site that has nothing to show gets no errors either."""

import copy
import json
import os
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "pages"))
import boards  # noqa: E402
from chromium import Chromium  # noqa: E402
from proof import Asked, busiest, jobs_of  # noqa: E402
from world import World  # noqa: E402

FETCH = HERE / "components/fetch"
COMPONENTS = Path(os.environ.get("SLURMSCOPE_CACHE", "/var/cache/slurmscope"), "components")
DRAWN = {"stat", "bargauge", "table", "timeseries"}
SECONDS = 60


class Drawing:
    """A page on which Grafana's components draw."""

    def __init__(self):
        self.folder, self.chromium = tempfile.TemporaryDirectory(prefix="slurmscope-components-"), Chromium()

    def __enter__(self):
        page = Path(self.folder.name, "page.html")
        scripts = "".join(f'<script src="{path.as_uri()}"></script>' for path in (COMPONENTS / "grafana.js", HERE / "components/render.js"))
        page.write_text(f'<!doctype html><meta charset="utf-8">{scripts}<body>')
        self.chromium.call("Emulation.setScriptExecutionDisabled", value=False)
        assert self.chromium.open(page.as_uri(), 1600, 1200) == []
        return self

    def __exit__(self, *failure):
        self.chromium.__exit__(*failure)
        self.folder.cleanup()

    def faults(self, board, answers, span):
        """How many panels were drawn, and what is wrong with them."""
        shown = self.chromium.evaluate(f"showAll({json.dumps(board)}, {json.dumps(span | {'panels': answers})})")
        drawn = [panel for panel in boards.panels(board) if panel["type"] in DRAWN]
        missing = [panel["title"] for panel in drawn if str(panel["id"]) not in shown]
        assert not missing and len(shown) == len(drawn), (board["uid"], missing, shown.keys())
        return len(drawn), [f"{board['uid']} / {panel['title']}: {fault}" for panel in drawn
                            for fault in wrong(panel, answers[panel["id"]], shown[str(panel["id"])])]


def in_words(panel, title, value):
    """What a column shows instead of a label's value."""
    mappings = [one["value"] for override in panel["fieldConfig"]["overrides"] if override["matcher"]["options"] == title
                for one in override["properties"] if one["id"] == "mappings"]
    return next((one["options"][value]["text"] for each in mappings for one in each if value in one["options"]), None)


def wrong(panel, answers, shown):
    if shown["errors"]:
        yield from shown["errors"]
        return
    if any(answers) and not shown["text"].strip():
        yield "shows nothing"
    if panel["type"] == "timeseries":
        if shown["plots"] != any(answers):
            yield f"{shown['plots']} plots"
        for name in {" ".join(name.split()) for name in shown["names"]} - set(shown["text"].split("\n")):
            yield f"no legend: {name}"
    if panel["type"] == "table":
        organize, = (one["options"] for one in panel["transformations"] if one["id"] == "organize")
        labels = {name for answer in answers for series in answer for name in series["metric"]}
        names = [name for name in sorted(organize["renameByName"], key=organize["indexByName"].get)
                 if (name in labels or name.startswith("Value")) and not organize["excludeByName"].get(name)]
        heads = [organize["renameByName"][name] for name in names]
        if shown["heads"] != heads and any(answers):
            yield f"has the columns {shown['heads']}, not {heads}"
            return
        if said := [cell for row in shown["rows"] for cell in row if cell == panel["fieldConfig"]["defaults"]["noValue"]]:
            yield f"{len(said)} empty cells say: {said[0]}"
        for column, name in enumerate(names):
            known = {series["metric"].get(name, "") for answer in answers for series in answer}
            known |= {words for one in known if (words := in_words(panel, organize["renameByName"][name], one))}
            for row in shown["rows"] if name in labels else ():
                if row[column] not in known:
                    yield f"{name} is drawn as {row[column]}"


class Components(unittest.TestCase):
    maxDiff = None

    def test_dashboards(self):
        count, found = 0, []
        with World(SECONDS, clusters=((), ("one", "two"))) as world, Drawing() as drawing:
            job = busiest(jobs_of(world))
            span = {"start": world.start, "end": world.end}
            for prometheus in world.prometheus:
                asked = Asked(world, prometheus)
                for file, board in (boards.load() | boards.of_groups()).items():
                    values = asked.choices(file, board)[0] | {"jobid": job}
                    answers = asked.answers(board, values | ({"user": asked.users()[0]} if values.get("user") == "" else {}))
                    nothing = {panel: [[] for _ in results] for panel, results in answers.items()}
                    for given in (answers, nothing):
                        drawn, faults = drawing.faults(board, given, span)
                        count += drawn
                        found += faults
        self.assertEqual(found, [])
        print(f"{count} panels drawn")

    def test_empty_label(self):
        """A row of a group by account and user that has no user is none of the account's others."""
        panel = {panel["title"]: panel for panel in boards.panels(boards.of_groups()["groups.json"])}["whose by account, user"]
        of_user = {"account": "x", "user": "u", "slurmscope_row": "x|u|"}
        of_none = {"account": "x", "slurmscope_row": "x||"}
        answers = [[{"metric": of_user, "value": [1000, "4"]}]] + [[{"metric": of_none, "value": [1000, "8"]}] for _ in panel["targets"][1:]]
        board = {"uid": "x", "panels": [panel]}
        with Drawing() as drawing:
            given = {"start": 1000, "end": 1010, "panels": {panel["id"]: answers}}
            shown = drawing.chromium.evaluate(f"showAll({json.dumps(board)}, {json.dumps(given)})")[str(panel["id"])]
        self.assertEqual([["x", "u", "4", "", "", "", ""], ["x", "", "", "8", "8", "8", "8 s"]], shown["rows"])

    def test_slips(self):
        """A job's number stays as it is, a transformation exists, a series has its legend, and an error comes through."""
        panels = {panel["title"]: panel for board in boards.load().values() for panel in boards.panels(board)}
        job = {"jobid": "1776", "user": "ada"}
        table = panels["Jobs that hold GPUs"], [[{"metric": job, "value": [1000, "4"]}]] + [[] for _ in range(4)]
        graph = panels["Jobs now"], [[{"metric": {"state": "running"}, "values": [[1000, "1"], [1010, "2"]]}]]
        with Drawing() as drawing:
            def said(panel, answers, member=None, value=None):
                panel = copy.deepcopy(panel)
                if member:
                    boards.put(panel, member, value)
                board = {"uid": "x", "panels": [panel]}
                return " ".join(drawing.faults(board, {panel["id"]: answers}, {"start": 1000, "end": 1010})[1])
            self.assertEqual(said(*table), "")
            self.assertEqual(said(*graph), "")
            self.assertIn("drawn as 1.78 K", said(*table, "fieldConfig.defaults.unit", "short"))
            self.assertIn("merges", said(*table, "transformations.0.id", "merges"))
            self.assertIn("has the columns", said(*table, "transformations.0", boards.DELETED))
            self.assertIn("no legend", said(*graph, "options.legend.showLegend", False))


if __name__ == "__main__":
    if not COMPONENTS.exists():
        print(f"skipped: {COMPONENTS} is not there; {FETCH} {COMPONENTS} gets it")
        sys.exit(77)
    unittest.main()
