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
// Without what panels ask for: no colour depends on it, and it is most of a dashboard.
local shown(panel) = panel { targets:: [] } + if panel.type == 'row' then { panels: std.map(shown, panel.panels) } else {};
local made = (mixin + { _config:: changed(mixin._config) }).grafanaDashboards;
{ [name]: { panels: std.map(shown, made[name].panels) } for name in std.objectFields(made) }
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
        def links(made):
            """Those of each dashboard, and of the cells of one."""
            return {tuple(one["url"] for one in board["links"] if one["type"] == "link" and not one["url"].startswith("/d/")) for board in made.values()}, \
                {url for url in boards.texts(made["overview.json"]["panels"]) if url.endswith(".md")}
        self.assertEqual(({()}, set()), links(boards.load()))
        self.assertEqual(({("http://s:9341/", "http://s:9341/plan", "https://wiki/slurm")}, {"https://wiki/slurm/${__value.text}.md"}), links(jsonnet("""
            local made = ((import '%s') + {_config+:: {runbookBase: 'https://wiki/slurm', boards+: {slurmscope: 'http://s:9341'}}}).grafanaDashboards;
            {[name]: {links: made[name].links, [if name == 'overview.json' then 'panels']: made[name].panels} for name in std.objectFields(made)}""" % MIXIN)))

    def test_planned_causes(self):
        """They count apart, and no alert tells of such a node by itself; without any, reservations alone do."""
        def made(own):
            (available,), alerts = jsonnet("""local made = (import '%s') + {_config+:: {%s}};
                [[rule.expr for group in made.prometheusRules.groups for rule in group.rules if rule.record == 'cluster_partition:slurm_node_availability:ratio7d'],
                 [[rule.alert, rule.expr] for group in made.prometheusAlerts.groups for rule in group.rules]]""" % (MIXIN, own))
            return available, {alert for alert, expr in alerts if 'unless on (cluster, node) slurm_node_outage_start_timestamp_seconds{cause=~"' in expr}
        available, quiet = made("")
        self.assertIn('increase1h{kind!="maintenance"}[7d:1h]', available)
        self.assertEqual(set(), quiet)
        available, quiet = made("outages+: {plannedCauses: 'upgrade|50%'}")
        self.assertIn('increase1h{kind!="maintenance", cause!~"upgrade|50%"}[7d:1h]', available)
        self.assertEqual({"SlurmNodeDown", "SlurmNodeOutForLong", "SlurmNodeInvalid", "SlurmNodeFlapping", "SlurmNodeRebootsAgain"},
                         {alert for alert in quiet if not alert.startswith("SlurmGPU")})

    def test_prices(self):
        """Without any, rules and board know no money, and a row says how to set them. Else rules, panels and columns have it."""
        def cost(own):
            made = jsonnet("""local made = (import '%s') + {_config+:: {%s}};
                [group.rules for group in made.prometheusRules.groups if group.name == 'slurm_cost'] + [made.grafanaDashboards['cost.json']]""" % (MIXIN, own))
            rules, board = made
            titles = {panel["title"] for panel in board["panels"]}
            columns = {name for panel in boards.panels(board) for name in boards.texts(panel.get("transformations", [])) if "ost" in name}
            return {(rule["record"].split(":")[1], *rule.get("labels", {}).values()) for rule in rules}, titles, columns, set(boards.texts(board))
        said = "No prices: to see what use costs, set cost.prices in dashboards/config.libsonnet and run dashboards/generate"
        rules, titles, columns, texts = cost("")
        self.assertEqual({("slurm_job_gpus_idle",)}, rules)
        self.assertIn(said, titles)
        self.assertEqual(set(), columns | {title for title in titles if "Cost" in title or "arbon" in title})
        self.assertFalse([text for text in texts if "€" in text or "_cost:" in text])
        rules, titles, columns, texts = cost("cost+: {currency: 'kr', gramsPerKwh: 30, prices: [{from: '2026-01-01', cpu: 0.025, gres: {gpu: 1.5}}]}")
        self.assertEqual({("slurm_job_gpus_idle",), ("slurm_job_gpus_idle_cost",), ("slurm_job_cost", "0.025", "cpu", "2026-01-01"),
                          ("slurm_job_cost", "1.5", "gres/gpu", "2026-01-01"), ("slurm_ended_job_allocated_cost", "0.025", "cpu", "2026-01-01"),
                          ("slurm_ended_job_used_cost", "0.025", "cpu", "2026-01-01"), ("slurm_node_outage_cost", "0.025", "cpu", "2026-01-01"),
                          ("slurm_node_outage_cost", "1.5", "gres/gpu", "2026-01-01")}, rules)
        self.assertLessEqual({"Cost", "Cost of wasted hours", "Cost of idle GPUs", "Cost, in a day", "Carbon"}, titles)
        self.assertNotIn(said, titles)
        self.assertEqual({"Cost", "Cost of these", "Cost of idle GPUs"}, columns)
        self.assertLessEqual({"currency:kr", "prefix:kr", "CO2 of that energy, at 30 g for a kilowatt-hour."}, texts)
        # of billing alone nobody knows what a core or a GPU costs
        rules, titles, columns, texts = cost("cost+: {prices: [{from: 0, billing: 1}]}")
        self.assertEqual({("slurm_job_gpus_idle",), ("slurm_job_cost", "1", "billing", "0")}, rules)
        self.assertEqual({"Cost", "Cost, in a day"}, {title for title in titles if "Cost" in title and "use" not in title})
        self.assertEqual({"Cost"}, columns)

    def test_findings(self):
        """The page for people has its numbers compiled in."""
        defined = dict(re.findall(r"^#define (\w+) (.+)$", Path(FINDINGS).read_text(), re.M))
        self.assertEqual(defined.keys(), OF_FINDINGS.keys() | OF_NO_ALERT.keys())
        for name, (value, there) in jsonnet("local c = (import '%s')._config; {%s}" % (
                MIXIN, ", ".join(f"{name}: [{code}, {defined[name]}]" for name, code in OF_FINDINGS.items()))).items():
            self.assertEqual(there, value, name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
