"""Whatever is judged by a number, here or on the page for people, has it from config.libsonnet."""

import json
import re
import subprocess
import unittest
from pathlib import Path

import boards

MIXIN = boards.ROOT / "dashboards/mixin.libsonnet"
FINDINGS = boards.ROOT / "lib/status/findings.c"
# The alert that has the number, in jsonnet; or why no alert has.
OF_FINDINGS = {
    "NODES_DOWN_SHARE": "c.nodesBurst.share",
    "STARVING_S": "c.starving.seconds",
    "THREADS_MANY": "c.threads.max * c.threads.share",
    "DBD_QUEUE_LONG": "c.accountingQueue.messages",
    "ENDS_BEHIND_S": "c.endsBehind.seconds",
    "TOKEN_SHORT_S": "c.token.seconds",
    "COVERAGE_LOW": "c.boards.thresholds.coverage[0]",
}
OF_NO_ALERT = {"CERTIFICATE_SHORT_S": "slurmscope alone knows its certificate",
               "WITHOUT_DETAILS_MANY": "what slurmscope does not know yet it says itself"}
# Each number of the configuration, changed.
CHANGED = """
local mixin = import '%s';
local changed(value) =
  if std.isNumber(value) then value * 1.0625 else if std.isArray(value) then std.map(changed, value)
  else if std.isObject(value) then std.mapWithKey(function(name, one) changed(one), value) else value;
(mixin + { _config:: changed(mixin._config) }).grafanaDashboards
""" % MIXIN


def jsonnet(code):
    return json.loads(subprocess.run(["jsonnet", "-e", code], capture_output=True, text=True, check=True).stdout)


def thresholds(value):
    """Of a piece of a dashboard: all numbers at which a colour changes."""
    if isinstance(value, dict):
        if value.get("mode") == "absolute":
            yield from (step["value"] for step in value["steps"] if step["value"] is not None)
    if isinstance(value, (dict, list)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from thresholds(one)


class Config(unittest.TestCase):
    def test_thresholds_of_panels(self):
        there, changed, count = boards.load(), jsonnet(CHANGED), 0
        for name, board in there.items():
            for panel, other in zip(boards.panels(board), boards.panels(changed[name]), strict=True):
                pairs = list(zip(thresholds(panel), thresholds(other), strict=True))
                count += len(pairs)
                for value, with_others in pairs:
                    self.assertAlmostEqual(1.0625, with_others / value, 9, f"{name}: {panel['title']}: {value} is not from config.libsonnet")
        self.assertGreater(count, 60)
        print(f"{count} thresholds")

    def test_wait_goals(self):
        """Of partitions that have one of their own the board says so."""
        panels = jsonnet("((import '%s') + {_config+:: {waitSlo+: {partitions: {debug: 600, long: null}}}}).grafanaDashboards['queue.json'].panels" % MIXIN)
        self.assertIn("Service level: starts within 4 hours (debug: 10 minutes, long: no goal)", [panel["title"] for panel in panels])

    def test_links(self):
        """To slurmscope's pages and to runbooks: of sites that have them."""
        def links(of, base):
            """Those of each dashboard, and of the cells of one."""
            found = jsonnet("""local made = ((import '%s') + {_config+:: {runbookBase: %s, boards+: {slurmscope: %s}}}).grafanaDashboards;
                {each: [made[name].links for name in std.objectFields(made)], cells: made['overview.json'].panels}""" % (MIXIN, base, of))
            return {tuple(one["url"] for one in links if one["type"] == "link") for links in found["each"]}, \
                {url for url in boards.texts(found["cells"]) if url.endswith(".md")}
        self.assertEqual(({()}, set()), links("null", "null"))
        self.assertEqual(({("http://s:9341/", "http://s:9341/plan", "https://wiki/slurm")}, {"https://wiki/slurm/${__value.text}.md"}),
                         links("'http://s:9341'", "'https://wiki/slurm'"))

    def test_findings(self):
        """The page for people has its numbers compiled in."""
        defined = dict(re.findall(r"^#define (\w+) (.+)$", Path(FINDINGS).read_text(), re.M))
        self.assertEqual(defined.keys(), OF_FINDINGS.keys() | OF_NO_ALERT.keys())
        for name, value in jsonnet("local c = (import '%s')._config; {%s}" % (
                MIXIN, ", ".join(f"{name}: {code}" for name, code in OF_FINDINGS.items()))).items():
            self.assertEqual(jsonnet(defined[name]), value, name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
