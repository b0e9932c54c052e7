"""The Containerfile is well written, and what it makes serves a page of a simulated Slurm. It runs as the pod that the chart
renders, with its volumes as the kubelet mounts them, its security context and its probes. Without IMAGE the image's files are
those of this machine (deploy/container/collect is the Containerfile's own step). build_image lets an engine make it."""

import http.client
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from container import CONTAINERFILE, Container, Image, Volume, instructions
from harness import free_port, samples, server_of, wait_until
from kubernetes import NODE, ROOT, TOOLS, of_name, only, render
from simulator import SLURMSCOPE, Simulator
from tokens import KEY, make_token

LINTER = TOOLS / "node_modules/dockerlinter/bin/dockerfilelinter.js"
# Versions of packages are not pinned: Debian 12 has one of each, the one with its fixes.
NOT_LINTED = "ER0012"


def lint(text):
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(text)
        file.flush()
        return subprocess.run([NODE, LINTER, "-f", file.name, "-e", "info", "-i", NOT_LINTED], capture_output=True, text=True)


class Containerfile(unittest.TestCase):
    def test_lint(self):
        done = lint(CONTAINERFILE.read_text())
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        for good, bad in (("--no-install-recommends ", ""), (" && rm -rf /var/lib/apt/lists/*", ""), ("USER 65532:65532", "USER root"),
                          ("debian:12-slim", "debian"), ("cmake -S /src", "cd /src\nRUN cmake -S"), ('["/usr/bin/slurmscope"]', "slurmscope")):
            text = CONTAINERFILE.read_text().replace(good, bad)
            self.assertNotEqual(text, CONTAINERFILE.read_text())
            self.assertEqual(1, lint(text.replace("${BASE}", "debian") if good == "debian:12-slim" else text).returncode, good)

    def test_packages(self):
        """They are those that deploy/demo installs."""
        wanted = re.search(r"^packages=\((.*?)^\)", (ROOT / "deploy/demo").read_text(), re.M | re.S)[1].split()
        install, = [rest for name, rest in instructions() if name == "RUN" and "apt-get install" in rest]
        self.assertEqual({*wanted, "libc6-dev"} - {"curl"}, set(re.findall(r"(?<= )[a-z][\w.+-]+", install.split("recommends")[1].split("&&")[0])))


class ImageOfThis(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="slurmscope-image-"))
        os.chmod(cls.folder, 0o755)
        built = os.environ.get("IMAGE")
        cls.image = Image.built(built) if built else Image.of_this_machine(f"{cls.folder}/root", SLURMSCOPE)

    def test_what_is_in_it(self):
        root = self.image.root
        files = {f"/{path.relative_to(root)}" for path in root.rglob("*") if path.is_file()}
        programs = {file for file in files if os.access(root / file[1:], os.X_OK) and not re.search(r"/lib[^/]*[.]so[.\w]*$", file)}
        self.assertEqual({"/usr/bin/slurmscope"}, {file for file in programs if "/ld-linux" not in file})
        self.assertLess(len(files), 170, "its libraries, their licences, and little more")
        self.assertFalse([path for path in root.rglob("*") if path.lstat().st_mode & 0o6000], "setuid")
        writable = {f"/{path.relative_to(root)}": path.lstat().st_mode & 0o7777 for path in root.rglob("*")
                    if path.lstat().st_uid != 0 or path.lstat().st_mode & 0o022 and not path.is_symlink()}
        self.assertEqual({"/tmp": 0o1777, "/var/lib/slurmscope": 0o1777}, writable)
        for package in ("libc6", "libcurl4"):
            self.assertIn(f"Package: {package}\n", (root / f"var/lib/dpkg/status.d/{package}").read_text())
            self.assertTrue((root / f"usr/share/doc/{package}/copyright").stat().st_size)
        self.assertIn("BEGIN CERTIFICATE", (root / "etc/ssl/certs/ca-certificates.crt").read_text())
        print(f"{len(files)} files, {sum(path.stat().st_size for path in root.rglob('*') if path.is_file()) / 2**20:.1f} MiB")

    def test_config(self):
        config = self.image.config
        pod = only(render(), "StatefulSet")["spec"]["template"]["spec"]
        context, container = pod["securityContext"], pod["containers"][0]
        self.assertEqual(f"{context['runAsUser']}:{context['runAsGroup']}", config["User"])
        self.assertIn(f":{context['runAsUser']}:{context['runAsGroup']}:", (self.image.root / "etc/passwd").read_text())
        self.assertEqual(["/usr/bin/slurmscope"], config["Entrypoint"])
        self.assertEqual(container["args"], config["Cmd"])
        self.assertEqual({f"{container['ports'][0]['containerPort']}/tcp"}, set(config["ExposedPorts"]))
        self.assertLessEqual(set(config["Volumes"]), {mount["mountPath"] for mount in container["volumeMounts"]})
        self.assertEqual("SIGTERM", config["StopSignal"])

    def test_serves(self):
        own = (self.image.root / "var/lib/slurmscope").stat()
        group = only(render(), "StatefulSet")["spec"]["template"]["spec"]["securityContext"]["fsGroup"]
        for what, owner in {"claim": (0, group, 0o2770), "volume of an engine": (own.st_uid, own.st_gid, own.st_mode & 0o7777)}.items():
            with self.subTest(state=what):
                self.serve(*owner)

    def serve(self, owner, state_group, mode):
        """The pod, with its state in a volume of this owner, group and mode."""
        port = free_port()
        with Simulator("--nodes=20", "--jobs=100", key=KEY) as sim:
            documents = render("--set", f"config.slurmrestd.url={sim.url.replace('127.0.0.1', 'localhost')}",
                               "--set", f"config.web.listen-address=127.0.0.1:{port}")
            pod = only(documents, "StatefulSet")["spec"]["template"]["spec"]
            container, = pod["containers"]
            group = pod["securityContext"]["fsGroup"]
            folder = Path(tempfile.mkdtemp(dir=self.folder))
            folder.chmod(0o755)
            state = folder / "state"
            state.mkdir()
            os.chown(state, owner, state_group)
            state.chmod(mode)
            secret, = [volume["secret"] for volume in pod["volumes"] if volume["name"] == "token"]
            token = Volume(folder / "token", {"SLURM_JWT": make_token(600)}, secret["defaultMode"], group)
            volumes = {"state": state, "token": token.folder,
                       "config": Volume(folder / "config", of_name(documents, "ConfigMap", "slurmscope")["data"], group=group).folder}
            mounts = [(volumes[mount["name"]], mount["mountPath"], "ro" if mount.get("readOnly") else "rw")
                      for mount in container["volumeMounts"]]
            mounts += [(path, path, "ro") for path in ("/etc/hosts", "/etc/resolv.conf")]  # the kubelet's, too
            before = self.listing()
            user = f"{pod['securityContext']['runAsUser']}:{pod['securityContext']['runAsGroup']}"
            with Container(self.image, container["args"], user, mounts, folder / "log") as running:
                def ask(path):
                    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
                    try:
                        connection.request("GET", path)
                        answer = connection.getresponse()
                        return answer.status, answer.read().decode()
                    except ConnectionRefusedError:
                        assert running.unshare.poll() is None, running.log.read_text()
                        return None, ""
                    finally:
                        connection.close()
                for probe in ("livenessProbe", "readinessProbe"):
                    wait_until(lambda: ask(container[probe]["httpGet"]["path"])[0] == 200, running.log.read_text)
                page = samples(ask("/metrics")[1])
                self.assertEqual(20, sum(count for series, count in page.items() if series.startswith("slurm_cluster_nodes{state=")), page)
                self.check_process(running.pid, 1)
                self.check_process(server_of(running.pid))

                expires = page["slurmscope_token_expiry_timestamp_seconds"]
                token.write({"SLURM_JWT": make_token(7200)})
                wait_until(lambda: samples(ask("/metrics")[1])["slurmscope_token_expiry_timestamp_seconds"] > expires + 6000,
                           "the renewed token is not read")
                self.assertEqual(1, samples(ask("/metrics")[1])['slurmscope_endpoint_up{endpoint="ping"}'])
                self.assertEqual(0, running.stop(), running.log.read_text())
            self.assertIn("state.db", os.listdir(state))
            self.assertEqual(int(user.split(":")[0]), (state / "state.db").stat().st_uid)
            self.assertEqual(before, self.listing())

    def listing(self):
        """What is in the image, without what a runtime makes to mount things on."""
        made = {"/proc", "/run/slurmscope", "/run/slurmscope/token", "/etc/hosts", "/etc/resolv.conf"}
        return {f"/{path.relative_to(self.image.root)}" for path in self.image.root.rglob("*")} - made

    def check_process(self, pid, number=None):
        status = dict(line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
        self.assertEqual(["65532"] * 4, status["Uid"].split())
        self.assertEqual(["65532"] * 4, status["Gid"].split())
        self.assertEqual("0" * 16, status["CapEff"])
        self.assertEqual("0" * 16, status["CapPrm"])
        self.assertEqual("1", status["NoNewPrivs"])
        if number:
            self.assertEqual(str(number), status["NSpid"].split()[-1])
        self.assertEqual("ro", [line.split()[5] for line in Path(f"/proc/{pid}/mountinfo").read_text().splitlines()
                                if line.split()[4] == "/"][0].split(",")[0])


if __name__ == "__main__":
    unittest.main(verbosity=2)
