"""The chart as Helm renders it: held to Kubernetes' schemas, to a cluster's policies, to itself, and to slurmscope."""

import copy
import gzip
import os
import re
import tempfile
import unittest
from pathlib import Path

import yaml

from kubernetes import CHART, HELM, HERE, ROOT, faults, of_name, only, read, render, run, schema_faults, template

SLURMSCOPE = os.environ.get("SLURMSCOPE", ROOT / "build/bin/slurmscope")
CACHE = Path(os.environ.get("SLURMSCOPE_CACHE", "/var/cache/slurmscope"))
PROMTOOLS = [CACHE / name / "usr/bin/promtool" for name in ("prometheus", "prometheus-forky")]
CASES = {"default": (), **{path.stem: ("-f", path) for path in sorted((HERE / "values").glob("*.yaml"))}}
PLAIN = ROOT / "deploy/kubernetes/slurmscope.yaml"


def pod(documents):
    return only(documents, "StatefulSet")["spec"]["template"]["spec"]


def container(documents):
    return pod(documents)["containers"][0]


def config(documents):
    return of_name(documents, "ConfigMap", only(documents, "StatefulSet")["metadata"]["name"])


def rules(documents):
    return of_name(documents, "PrometheusRule", "slurmscope-rules")["spec"]["groups"]


# What is broken in the documents, and who has to notice: the schemas, or the policies.
BREAK_SCHEMA = {
    "unknown_member": lambda all: container(all).update(readOnlyRootFileSystem=True),
    "unknown_deep": lambda all: container(all)["livenessProbe"]["httpGet"].update(uri="/"),
    "wrong_type": lambda all: only(all, "StatefulSet")["spec"].update(replicas="1"),
    "text_for_map": lambda all: config(all).update(data="slurmscope.yml"),
    "number_as_label": lambda all: only(all, "Service")["metadata"]["labels"].update(version=1),
    "not_one_of": lambda all: only(all, "StatefulSet")["spec"].update(podManagementPolicy="Serial"),
    "missing": lambda all: only(all, "StatefulSet")["spec"].pop("selector"),
    "quantity": lambda all: container(all)["resources"]["limits"].update(memory="much"),
    "rule_member": lambda all: rules(all)[0]["rules"][0].update(severity="x"),
    "rule_duration": lambda all: rules(all)[0].update(interval="often"),
    "monitor_member": lambda all: only(all, "ServiceMonitor")["spec"]["endpoints"][0].update(interval_seconds=1),
    "monitor_missing": lambda all: only(all, "ServiceMonitor")["spec"].pop("endpoints"),
    "token_member": lambda all: only(all, "Token")["spec"].update(user="root"),
}
BREAK_POLICY = {
    "root": lambda all: pod(all)["securityContext"].update(runAsUser=0),
    "root_container": lambda all: container(all)["securityContext"].update(runAsUser=0),
    "may_be_root": lambda all: pod(all)["securityContext"].pop("runAsNonRoot"),
    "writable": lambda all: container(all)["securityContext"].pop("readOnlyRootFilesystem"),
    "privileged": lambda all: container(all)["securityContext"].update(privileged=True),
    "capable": lambda all: container(all)["securityContext"].update(capabilities={"drop": ["ALL"], "add": ["NET_ADMIN"]}),
    "unconfined": lambda all: pod(all)["securityContext"].update(seccompProfile={"type": "Unconfined"}),
    "of_the_host": lambda all: pod(all)["volumes"].__setitem__(-1, {"name": "ca", "hostPath": {"path": "/"}}),
    "token": lambda all: pod(all).update(automountServiceAccountToken=True),
    "open_secret": lambda all: pod(all)["volumes"][1]["secret"].pop("defaultMode"),
    "unlimited": lambda all: container(all)["resources"].pop("limits"),
    "latest": lambda all: container(all).update(image="slurmscope:latest"),
    "twice": lambda all: only(all, "StatefulSet")["spec"].update(replicas=2),
    "selector": lambda all: only(all, "Service")["spec"]["selector"].update(app="other"),
    "policy_selector": lambda all: only(all, "NetworkPolicy")["spec"]["podSelector"].update(matchLabels={}),
    "port": lambda all: container(all)["readinessProbe"]["httpGet"].update(port="http"),
    "volume": lambda all: container(all)["volumeMounts"].pop(),
    "other_token": lambda all: only(all, "Token")["spec"]["secretRef"].update(name="other"),
    "until_ready": lambda all: only(all, "Service")["spec"].pop("publishNotReadyAddresses"),
    "monitored_port": lambda all: only(all, "ServiceMonitor")["spec"]["endpoints"][0].update(port="http"),
}


class Kubernetes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cases = {name: render(*options) for name, options in CASES.items()}

    def test_lint(self):
        done = run(HELM, "lint", "--strict", CHART)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)

    def test_documents(self):
        documents = {f"{case}-{number}-{document['kind']}": document
                     for case, all in self.cases.items() for number, document in enumerate(all)}
        self.assertGreater(len(documents), 25)
        self.assertEqual({}, dict(schema_faults(documents)))
        for case, all in self.cases.items():
            self.assertEqual([], faults(all), case)
        print(f"{len(documents)} documents of {len(self.cases)} cases, kinds {sorted({one['kind'] for one in documents.values()})}")

    def test_schemas_notice(self):
        """Each of these has one fault, which is found, and in the document that has it."""
        broken = {}
        for name, break_it in BREAK_SCHEMA.items():
            all = copy.deepcopy(self.cases["everything"])
            before = copy.deepcopy(all)
            break_it(all)
            broken[name], = [document for document, was in zip(all, before) if document != was]
        found = schema_faults(broken)
        self.assertEqual(set(BREAK_SCHEMA), set(found))

    def test_policies_notice(self):
        for name, break_it in BREAK_POLICY.items():
            all = copy.deepcopy(self.cases["everything"])
            self.assertEqual([], faults(all))
            break_it(all)
            self.assertEqual(1, len(faults(all)), (name, faults(all)))

    def test_values_are_checked(self):
        for wrong in ("replicas=2", "service.port=0", "persistence.size=much", "token.slinky.spec.refresh=false", "token.secret=A B",
                      "config.web.listen-address=:80", "persistence.accessModes[0]=ReadWriteMany", "image.repository=",
                      "livenessProbe.httpGet=x", "extraArgs[0]=x"):
            done = template("--set", wrong)
            self.assertNotEqual(0, done.returncode, wrong)
            self.assertIn("values don't meet the specifications of the schema", done.stderr, wrong)

    def test_names_are_text(self):
        """That look like a number, or like a word that YAML knows."""
        for name in "2024", "on", "0x1f", "null":
            monitor = only(render("--set=serviceMonitor.enabled=true", "--set-string", f"serviceMonitor.cluster={name}",
                                  "--set-string", f"fullnameOverride=s{name}"), "ServiceMonitor")
            self.assertEqual(["slurmscope", f"s{name}", name],
                             [rule["replacement"] for rule in monitor["spec"]["endpoints"][0]["relabelings"]])

    def test_configuration(self):
        """slurmscope takes what is in the ConfigMap, once the files that it names are there."""
        for case, all in self.cases.items():
            text = config(all)["data"]["slurmscope.yml"]
            with tempfile.TemporaryDirectory(prefix="slurmscope-chart-") as folder:
                for secret in ("SLURM_JWT", "alpha", "beta"):
                    Path(folder, secret).write_text("a.b.c\n")
                Path(folder, "key").write_bytes(os.urandom(32))
                Path(folder, "key").chmod(0o600)
                Path(folder, "slurmscope.yml").write_text(text.replace("/run/slurmscope/token", folder)
                                                          .replace("/etc/slurmscope-names", folder)
                                                          .replace("/var/lib/slurmscope", folder))
                done = run(SLURMSCOPE, "--check-config", f"--config.file={folder}/slurmscope.yml")
                listed = run(SLURMSCOPE, "--list-metrics", f"--config.file={folder}/slurmscope.yml").stdout
            self.assertEqual(0, done.returncode, (case, text, done.stderr))
            self.assertEqual(case == "everything", "slurm_group_project_jobs\tgauge\tpartition,campaign,state\t" in listed, case)

    def test_restarts_with_its_configuration(self):
        def sum_of(*options):
            template = only(render(*options), "StatefulSet")["spec"]["template"]
            return template["metadata"]["annotations"]["checksum/config"]
        self.assertEqual(sum_of(), sum_of("--set=service.port=80"))
        self.assertNotEqual(sum_of(), sum_of("--set=config.jobs.rows=5"))

    def test_token_is_renewed_before_anybody_is_told(self):
        """Slinky renews a token when 80 % of its life is over; SlurmscopeTokenExpiring has not waited so long then."""
        token = only(render("--set=token.slinky.create=true"), "Token")
        lifetime = 3600 * int(re.fullmatch(r"(\d+)h", token["spec"]["lifetime"])[1])
        alerts = (ROOT / "deploy/prometheus/slurmscope.alerts.yml").read_text()
        left, unchanged = map(int, re.search(r"token_expiry\S+ - time\(\) > 0 < (\d+)\s+and changes\(\S+\[(\d+)m\]\)", alerts).groups())
        self.assertTrue(0.2 * lifetime > left or 0.8 * lifetime < 60 * unchanged, (lifetime, left, unchanged))

    def test_ports_are_those_of_the_urls(self):
        def ports(*options):
            return [port["port"] for rule in only(render(*options), "NetworkPolicy")["spec"]["egress"][1:] for port in rule["ports"]]
        self.assertEqual([6820], ports())
        self.assertEqual([6820, 8443], ports(*CASES["elsewhere"]))
        for url, want in (("https://a", [443]), ("http://a/", [80]), ("https://[::1]:8443", [8443]), ("unix:/run/x/socket", [])):
            self.assertEqual(want, ports("--set", f"config.slurmrestd.url={url}"), url)
        self.assertEqual([1, 2], ports("--set=networkPolicy.ports={1,2}"))

    def test_what_a_site_sets(self):
        made = self.cases["everything"]
        self.assertEqual({"kube-prometheus-stack"}, {one["metadata"]["labels"].get("release") for one in made
                                                     if one["kind"] in ("ServiceMonitor", "PrometheusRule")})
        self.assertIn("--log.level=debug", container(made)["args"])
        self.assertEqual([{"name": "TZ", "value": "UTC"}], container(made)["env"])
        self.assertEqual((4711, 4711, 65532), (pod(made)["securityContext"]["fsGroup"], container(made)["securityContext"]["runAsUser"],
                                               pod(made)["securityContext"]["runAsUser"]))
        self.assertEqual((5, 5), (container(made)["livenessProbe"]["failureThreshold"],
                                  container(made)["readinessProbe"]["initialDelaySeconds"]))

    def test_rules(self):
        for case, kinds in (("everything", ("rules", "alerts")), ("elsewhere", ("rules",))):
            made = [one for one in self.cases[case] if one["kind"] == "PrometheusRule"]
            self.assertEqual(len(kinds), len(made))
            for kind, document in zip(kinds, made):
                self.assertEqual(yaml.safe_load((ROOT / f"deploy/prometheus/slurmscope.{kind}.yml").read_text()), document["spec"])
                with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
                    yaml.safe_dump(document["spec"], file)
                    file.flush()
                    for promtool in PROMTOOLS:
                        done = run(promtool, "check", "rules", file.name)
                        self.assertEqual(0, done.returncode, done.stdout + done.stderr)

    def test_dashboards(self):
        maps = {one["metadata"]["name"]: one for one in self.cases["everything"] if "grafana_dashboard" in one["metadata"]["labels"]}
        files = sorted((ROOT / "dashboards/grafana").glob("*.json"))
        self.assertEqual({f"slurmscope-{file.stem}" for file in files}, set(maps))
        for file in files:
            (name, text), = maps[f"slurmscope-{file.stem}"]["data"].items()
            self.assertEqual((f"slurmscope-{file.name}", file.read_text().strip()), (name, text.strip()))
            self.assertLess(len(text), 256 * 1024)  # what `kubectl apply` can keep in an annotation

    def test_package(self):
        """A packaged chart has what the links lead to, and what Helm keeps of a release fits in a Secret."""
        with tempfile.TemporaryDirectory() as folder:
            done = run(HELM, "package", CHART, "--destination", folder)
            self.assertEqual(0, done.returncode, done.stderr)
            package, = Path(folder).glob("*.tgz")
            made = run(HELM, "template", "slurmscope", package, "--namespace=slurm", *CASES["everything"])
            self.assertEqual(template(*CASES["everything"]).stdout, made.stdout)
            kept = len(gzip.compress(made.stdout.encode())) + 4 / 3 * package.stat().st_size
        self.assertLess(4 / 3 * kept, 2 ** 20 / 2)

    def test_plain_manifest(self):
        """What is committed for those without Helm is what the chart makes: deploy/kubernetes/generate."""
        with tempfile.TemporaryDirectory() as folder:
            done = run(ROOT / "deploy/kubernetes/generate", f"{folder}/made.yaml", env=os.environ | {"HELM": str(HELM)})
            self.assertEqual(0, done.returncode, done.stderr)
            self.assertEqual(Path(folder, "made.yaml").read_text(), PLAIN.read_text())
        documents = read(PLAIN.read_text())
        self.assertEqual([], faults(documents))
        self.assertNotIn("Helm", PLAIN.read_text().split("\n", 2)[2])


if __name__ == "__main__":
    unittest.main(verbosity=2)
