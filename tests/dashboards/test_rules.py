"""Rules and alerts: valid, tested by both generations of promtool, and about metrics that exist."""

import functools
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import boards
import yaml

from promql import needed, selectors

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.append(str(ROOT / "tests/golden"))
from check_names import SHARED  # noqa: E402

CACHE = Path(os.environ.get("SLURMSCOPE_CACHE", "/var/cache/slurmscope"))
SLURMSCOPE = os.environ.get("SLURMSCOPE", ROOT / "build/bin/slurmscope")
# of Debian 12 (2.42) and of forky (3.5); tests/run unpacks both
PROMTOOLS = [CACHE / "prometheus/usr/bin/promtool", CACHE / "prometheus-forky/usr/bin/promtool"]
TESTED = PROMTOOLS[int(os.environ.get("PROMTOOL", 0))]  # the first tier tests with one, and the second with the other
RULE_FILES = [ROOT / f"deploy/prometheus/{name}.yml" for name in ("slurmscope.rules", "slurmscope.alerts")]
VPENSO = ROOT / "deploy/prometheus/vpenso.rules.yml"
OLD_NAMES = ROOT / "deploy/prometheus/old-names.rules.yml"
RUNBOOKS = ROOT / "dashboards/runbooks"
INSTALLED = "/usr/share/slurmscope/dashboards/runbooks/{}.md"  # see tests/package
SEVERITIES = {"page": "critical", "ticket": "warning", "user_support": "info", "report": "info", "watchdog": "none"}
MIGRATING = ROOT / "dashboards/MIGRATING.md"
TEST_FILES = sorted((HERE / "rules").glob("*.yml"))


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
    return done.returncode, done.stdout + done.stderr


@functools.cache
def groups_of(path):
    return yaml.load(path.read_text(), yaml.CSafeLoader)["groups"]


def rules(*paths):
    for path in paths or (*RULE_FILES, VPENSO):
        for group in groups_of(path):
            yield from group["rules"]


def alerts():
    return [rule for rule in rules() if "alert" in rule]


@functools.cache
def cases_of(path):
    return yaml.load(path.read_text(), yaml.CSafeLoader)


def cases():
    """(alert, what is expected of it) of all alert_rule_tests."""
    for path in TEST_FILES:
        for test in cases_of(path)["tests"]:
            for case in test.get("alert_rule_test", ()):
                yield case["alertname"], case["exp_alerts"]


def with_what_they_need(path, folder):
    """Files, one for each test of the file. promtool evaluates all rules it is given, so each has those that its test asks for.
    It draws the order of groups by lot, unless it is given one; so each has an order, of names that no two groups have."""
    whole = cases_of(path)
    files = [groups_of((path.parent / file).resolve()) for file in whole["rule_files"]]
    for number, test in enumerate(whole["tests"]):
        asked = [case["expr"] for case in test.get("promql_expr_test", ())]
        asked += [case["alertname"] for case in test.get("alert_rule_test", ())]
        kept = needed([group for groups in files for group in groups], asked)
        kept = [group | {"name": f"{order} {group['name']}"} for order, group in enumerate(kept)]
        own = whole | {"rule_files": [], "tests": [test], "group_eval_order": [group["name"] for group in kept]}
        for groups in files:
            own["rule_files"].append(f"{path.stem}-{number}-{len(own['rule_files'])}.rules.json")
            Path(folder, own["rule_files"][-1]).write_text(json.dumps({"groups": kept[:len(groups)]}))
            kept = kept[len(groups):]
        made = folder / f"{path.stem}-{number}.json"
        made.write_text(json.dumps(own))
        yield made


LONGER_IN_A_HURRY = {"SlurmBlackHoleNode": "30s", "SlurmscopeCutOff": "30s", "SlurmSchedulerStuck": "90s"}


class Promtool(unittest.TestCase):
    def test_rules_are_valid(self):
        for promtool in PROMTOOLS:
            status, said = run(promtool, "check", "rules", *RULE_FILES, VPENSO, OLD_NAMES)
            self.assertEqual(0, status, said)
            self.assertEqual(4, said.count("SUCCESS"), said)

    def test_rules_in_a_hurry(self):
        """What end-to-end tests use is valid, and the same but for the times."""
        with tempfile.TemporaryDirectory() as folder:
            status, said = run("jsonnet", "--string", "--multi", folder, HERE / "hurry.jsonnet")
            self.assertEqual(0, status, said)
            quick = [Path(folder, path.name) for path in RULE_FILES]
            status, said = run(TESTED, "check", "rules", *quick)
            self.assertEqual(0, status, said)
            hurried = [rule for rule in rules(*quick) if "alert" in rule]
        self.assertEqual([(alert["alert"], alert["labels"]) for alert in alerts()],
                         [(alert["alert"], alert["labels"]) for alert in hurried])
        for alert in hurried:
            self.assertIn(alert.get("for"), (None, LONGER_IN_A_HURRY.get(alert["alert"], "5s")))
            self.assertNotRegex(alert["expr"], r"\[\d+[hdw]\]|\[([3-9]|\d\d)m\]")

    def test_what_a_site_sets(self):
        """What the limit of slurmdbd's messages is, and that a late start is critical here."""
        own = ("{ runbookBase: 'https://wiki.example/slurm', accountingQueue+: { max: 30000 },"
               " jobTable+: { max: 5000 }, nodeQuiet: 'RMA.*',"
               " waitSlo+: { partitions: { debug: 600, long: null }, fast+: { audience: 'page' } } }")
        status, said = run("jsonnet", "-e", f"((import '{ROOT}/dashboards/mixin.libsonnet') + {{ _config+:: {own} }}).prometheusAlerts")
        self.assertEqual(0, status, said)
        made = {(rule["alert"], rule["labels"]["severity"]): rule for group in json.loads(said)["groups"] for rule in group["rules"]}
        filling = made["SlurmAccountingQueueFilling", "critical"]
        self.assertRegex(filling["expr"], r"predict_linear\([^)]*\)\) > \(\s*30000\s*\)\s*$")
        self.assertIn("they exceed MaxDBDMsgs within", filling["annotations"]["description"])
        self.assertEqual("https://wiki.example/slurm/SlurmAccountingQueueFilling.md", filling["annotations"]["runbook_url"])
        self.assertIn(("SlurmWaitBudgetBurning", "critical"), made)
        self.assertRegex(made["SlurmJobTableFilling", "critical"]["expr"], r"job_records\) / 5000 > ")
        self.assertIn('unless on (cluster, node) slurm_node_reason_info{reason=~"RMA.*"}', made["SlurmNodeDown", "warning"]["expr"])
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "rules.yml")
            path.write_text(said)
            status, told = run(TESTED, "check", "rules", path)
            self.assertEqual(0, status, told)

    def test_partitions_have_goals_of_their_own(self):
        """One in twelve starts of `debug` is within ten minutes, all are within the goal of the others; `long` has none."""
        own = "waitSlo+: { partitions: { debug: 600, long: null } }"
        with tempfile.TemporaryDirectory() as folder:
            status, said = run("jsonnet", "-e", f"((import '{ROOT}/dashboards/mixin.libsonnet') + {{ _config+:: {{ {own} }} }}).prometheusRules")
            self.assertEqual(0, status, said)
            Path(folder, "rules.yml").write_text(said)
            family = "slurm_partition_job_eligible_wait_seconds"
            series = [{"series": f'{family}_{part}{{partition="{partition}", qos="q"{le}}}', "values": f"0+{rate}x60"}
                      for partition in ("debug", "long", "other")
                      for part, le, rate in (("bucket", ', le="600"', 1), ("bucket", ', le="14400"', 12), ("count", "", 12))]
            late = "cluster_partition:slurm_job_late_starts_per_start:ratio_rate1h"
            expected = [{"labels": f'{{partition="{partition}"}}', "value": value} for partition, value in (("debug", 0.917), ("other", 0))]
            Path(folder, "test.yml").write_text(json.dumps({"rule_files": ["rules.yml"], "evaluation_interval": "1m", "tests": [
                {"interval": "1m", "input_series": series, "promql_expr_test": [
                    {"expr": f"round({late}, 0.001)", "eval_time": "1h", "exp_samples": expected}]}]}))
            status, said = run(TESTED, "test", "rules", Path(folder, "test.yml"))
            self.assertEqual(0, status, said)

    def test_rules_do_what_they_say(self):
        self.assertGreater(len(TEST_FILES), 5)
        with tempfile.TemporaryDirectory() as folder:
            files = [path for file in TEST_FILES for path in with_what_they_need(file, Path(folder))]
            status, said = run(TESTED, "test", "rules", *files, env=os.environ | {"GOGC": "800"})  # memory for time
        self.assertEqual(0, status, said)
        self.assertEqual(len(files), said.count("SUCCESS"), said)
        print(f"{len(alerts())} alerts, {len(list(rules())) - len(alerts())} records, "
              f"{len(list(cases()))} cases, {TESTED}")

    def test_groups_that_need_others_come_after_them(self):
        """In the file, whose order the cases have. If evaluations are further apart than a query looks back, a rule does not find
        what another group records after it."""
        groups = {group["name"]: group["rules"] for group in groups_of(RULE_FILES[0])}
        recorder = {rule["record"]: name for name, made in groups.items() for rule in made}
        needs = {(recorder[word], name) for name, made in groups.items() for rule in made
                 for word in re.findall(r"[\w:]+", rule["expr"]) if recorder.get(word, name) != name}
        self.assertIn(("slurm_gpus", "slurm_cost"), needs)
        self.assertEqual(set(), needs - set(itertools.combinations(groups, 2)))

    def test_each_has_an_audience(self):
        for alert in alerts():
            self.assertEqual(SEVERITIES[alert["labels"]["audience"]], alert["labels"]["severity"], alert)

    def test_each_alert_has_cases(self):
        """One in which it fires, with its texts, per severity; one in which it does not."""
        fires = {(name, alert["exp_labels"]["severity"]) for name, expected in cases()
                 for alert in expected if alert["exp_annotations"]["description"]}
        silent = {name for name, expected in cases() if not expected}
        for alert in alerts():
            self.assertIn((alert["alert"], alert["labels"]["severity"]), fires)
            if alert["labels"]["audience"] != "watchdog":
                self.assertIn(alert["alert"], silent)
        self.assertLessEqual(silent | {name for name, _ in fires},
                             {alert["alert"] for alert in alerts()})


def metrics_of(expr):
    return {name for name, _ in selectors(expr)}


def exported():
    """Names of all samples that slurmscope exports."""
    status, listed = run(SLURMSCOPE, "--list-metrics")
    assert status == 0, listed
    for family, kind in (line.split("\t")[:2] for line in listed.splitlines()):
        yield family
        if kind == "histogram":
            yield from (f"{family}_{part}" for part in ("bucket", "count", "sum"))


def foreign():
    lines = (HERE / "foreign_metrics.txt").read_text().splitlines()
    return dict(line.split(None, 1) for line in lines if line and not line.startswith("#"))


def table(text=None):
    """(their names, ours) of the rows of MIGRATING.md"""
    for line in (text or MIGRATING.read_text()).splitlines():
        if line.startswith("| slurm"):
            yield line.strip("| ").split(" | ")


# Values of states that no recorded cluster was in.
OF_NO_RECORDED_PAGE = {
    ("slurm_cluster_jobs_flagged", "flag", "launch_failed"), ("slurm_cluster_pending_jobs", "reason", "JobHoldMaxRequeue"),
    ("slurm_controller_up", "role", "backup"), ("slurm_node_flag", "flag", "invalid_reg"),
    ("slurm_node_state", "state", "error"), ("slurm_association_limit", "resource", "mem_.*"), ("slurm_qos_limit", "resource", "mem_.*"),
    ("slurm_association_largest_usage", "resource", "mem_.*"), ("slurm_association_largest_usage", "resource", "mem|mem_.*"),
    ("slurm_association_largest_usage", "resource", "mem|mem_.*|.*_seconds"), ("slurm_qos_largest_usage", "resource", "mem_.*"),
    ("slurm_node_outage_start_timestamp_seconds", "cause", "unexpected_reboot"),
    *(("slurm_node_outage_start_timestamp_seconds", "kind", kind) for kind in ("drained", "draining", "maintenance")),
    *((f"slurm_{entity}_node_outage_{what}seconds_total", "kind", "maintenance") for entity in ("cluster", "partition") for what in ("", "cpu_", "gpu_")),
}


def values_on_pages():
    """{(family, label): values}"""
    there = {}
    for page in (ROOT / "tests/golden").glob("*.txt"):
        for family, labels in re.findall(r"^(slurm\w+?)(?:_bucket|_sum|_count)?\{(.*)\} ", page.read_text(errors="replace"), re.M):
            for label, value in re.findall(r'(\w+)="((?:\\.|[^"\\])*)"', labels):
                there.setdefault((family, label), set()).add(value)
    return there


def values_without_pages(there, expressions):
    """{(family, label, value)}: selected by, and on no page. A label that is on none is another test's."""
    missing = set()
    for expression in expressions:
        for name, labels in selectors(expression):
            family = re.sub("_(bucket|sum|count)$", "", name)
            for label, value in labels.items():
                known = there.get((family, label))
                if known and value and "$" not in value and not any(re.fullmatch(value, one) for one in known):
                    missing.add((family, label, value))
    return missing


class Names(unittest.TestCase):
    def setUp(self):
        self.known = set(exported())
        self.assertGreater(len(self.known), 200)

    def test_of_rules(self):
        recorded = {rule["record"] for rule in rules() if "record" in rule}
        used = {name: rule for rule in rules() for name in metrics_of(rule["expr"])}
        self.assertGreater(len(used), 100)
        unknown = set(used) - self.known - recorded - set(foreign())
        self.assertEqual(set(), unknown)
        self.assertEqual(set(), set(foreign()) - set(used), "foreign metrics that no rule uses")
        others = {name for name, of in foreign().items() if of != "slurmscope"}
        self.assertEqual(set(), others & self.known, "names that others own")

    def test_values_of_labels(self):
        """What a rule, an alert or a dashboard selects by is on a page, or is known to be on none of the recorded ones."""
        there = values_on_pages()
        expressions = [rule["expr"] for rule in rules()]
        expressions += [target["expr"] for board in boards.load().values() for panel in boards.panels(board)
                        for target in panel.get("targets", ())]
        self.assertEqual(OF_NO_RECORDED_PAGE, values_without_pages(there, expressions))
        self.assertEqual({("slurm_dbd_rollup_seconds", "trigger", "hour")},
                         values_without_pages(there, ['slurm_dbd_rollup_seconds{trigger="hour"} > 2']))

    def test_records_are_not_exported(self):
        recorded = [rule["record"] for rule in rules() if "record" in rule]
        self.assertEqual(len(recorded), len(set(recorded)))
        self.assertEqual(set(), set(recorded) & self.known)

    def test_shared(self):
        """Since 25.11 slurmctld has families of these names, too, but without states."""
        asked = [(name, "state" in labels) for rule in rules() for name, labels in selectors(rule["expr"]) if name in SHARED]
        self.assertEqual([], [name for name, has_state in asked if not has_state])
        self.assertTrue(asked)

    def test_of_texts(self):
        """Runbooks and the table for those who come from elsewhere name only what exists."""
        recorded = {rule["record"] for rule in rules(*RULE_FILES) if "record" in rule}
        known = self.known | recorded | {name for name, of in foreign().items() if of == "slurmscope"}
        for page in RUNBOOKS.glob("*.md"):
            for name in re.findall(r"`((?:slurm_|slurmscope_|slurm:|cluster\w*:)[a-z_:0-9]+)", page.read_text()):
                self.assertTrue(name in known, f"{page.name}: {name}")
        for theirs, ours in table():
            for name in re.findall(r"\b(?:slurm_|slurmscope_|slurm:|cluster:)[a-z_:0-9]+", ours):
                self.assertTrue(name in known, f"{theirs}: {name}")

    def test_vpenso_is_complete(self):
        """What the table has under vpenso is recorded, nothing else is, under no name of our own."""
        recorded = {rule["record"] for rule in rules(VPENSO)}
        named = set()
        section = MIGRATING.read_text().split("\n## ")[1]
        for theirs, _ in table(section):
            first, *more = re.findall(r"\b(?:slurm)?_[a-z_]+", theirs)
            named |= {first} | {name if name.startswith("slurm") else self.like(first, name, recorded) for name in more}
        self.assertEqual(recorded, named)

    def test_old_names(self):
        """Each is recorded from a name that exists, and the page has it."""
        section = MIGRATING.read_text().split("## slurmscope before 0.1.0")[1]
        told = {name for theirs, _ in table(section) for name in theirs.split(", ")}
        recorded = set()
        for rule in rules(OLD_NAMES):
            self.assertNotIn(rule["record"], self.known)
            self.assertEqual(set(), set(metrics_of(rule["expr"])) - self.known)
            name = re.sub("_(bucket|sum|count)$", "", rule["record"])
            recorded.add(re.sub("^slurm_(partition|account|user|qos)_job_", "slurm_cluster_job_", name))
        self.assertEqual(told, recorded)

    def like(self, first, suffix, recorded):
        """slurm_nodes_alloc and _idle: slurm_nodes_idle"""
        words = first.split("_")
        return next((name for n in range(len(words), 0, -1) if (name := "_".join(words[:n]) + suffix) in recorded),
                    first + suffix)


# Rules of `mixtool lint` (https://github.com/monitoring-mixins/mixtool) for alerts: what each asks
GUIDELINES = {
    "alert-name-camelcase": lambda rule: re.fullmatch("([A-Z]+[a-z0-9]+)+", rule["alert"]),
    "alert-name-length": lambda rule: len(rule["alert"]) <= 40,
    # the watchdog's is Prometheus' own custom
    "alert-severity-rule": lambda rule: rule["labels"].get("severity") in
                                        (["none"] if rule["alert"] == "SlurmscopeWatchdog" else ["info", "warning", "critical"]),
    "alert-description-missing-rule": lambda rule: "description" in rule["annotations"],
    # nothing is there to name
    "alert-description-templating": lambda rule: "{{" in rule["annotations"]["description"] or
                                                   rule["alert"] in ("SlurmscopeAbsent", "SlurmscopeWatchdog"),
    "alert-summary-missing-rule": lambda rule: "summary" in rule["annotations"],
    "alert-summary-templating": lambda rule: "{{" not in rule["annotations"]["summary"],
    # a daemon's name begins with no capital
    "alert-summary-style": lambda rule: re.fullmatch(r"([A-Z]|slurm(ctl|db|)d ).+\.", rule["annotations"]["summary"]),
}
GROUP_GUIDELINES = {
    "alert-group-rule-count": lambda group: len(group["rules"]) <= 20,
    "alert-group-name-length": lambda group: len(group["name"]) <= 40,
}


class Mixtool(unittest.TestCase):
    def test_alerts(self):
        for alert in alerts():
            self.assertEqual([], [name for name, holds in GUIDELINES.items() if not holds(alert)], alert["alert"])
        groups = [group for path in RULE_FILES for group in groups_of(path) if "alert" in group["rules"][0]]
        self.assertGreater(len(groups), 3)
        for group in groups:
            self.assertEqual([], [name for name, holds in GROUP_GUIDELINES.items() if not holds(group)], group["name"])


class Runbooks(unittest.TestCase):
    def test_each_alert_has_one(self):
        names = {alert["alert"] for alert in alerts()}
        self.assertEqual(names, {page.stem for page in RUNBOOKS.glob("*.md")})
        for alert in alerts():
            self.assertEqual(INSTALLED.format(alert["alert"]), alert["annotations"]["runbook"])
            self.assertNotIn("runbook_url", alert["annotations"])  # it is nowhere, unless the site has published it

    def test_each_says_what_it_should(self):
        for page in RUNBOOKS.glob("*.md"):
            heads = re.findall(r"^#+ (.*)$", page.read_text(), re.M)
            self.assertEqual([page.stem, "Meaning", "Impact", "Look", "Do"], heads)
            for part in re.split(r"^#+ .*$", page.read_text(), flags=re.M)[2:]:
                self.assertGreater(len(part.split()), 3, page.name)


if __name__ == "__main__":
    unittest.main(verbosity=2)
