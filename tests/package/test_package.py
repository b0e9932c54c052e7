#!/usr/bin/env python3
"""What deploy/package/build makes, on this machine. It has the same bytes wherever it is built, all that belongs in it and
nothing else. A bill names what it is linked with. tests/package/chroots installs it in fresh systems."""

import gzip
import json
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
import threading
import unittest
from pathlib import Path

import jsonschema

SOURCE = Path(__file__).resolve().parent.parent.parent
SHARED = ("dashboards/grafana", "dashboards/import", "dashboards/runbooks", "deploy/prometheus", "deploy/victoriametrics", "deploy/fleet",
          "deploy/grafana", "deploy/hooks", "deploy/slurmrestd/slurmscope.conf", "deploy/slurmrestd/port.conf")
# of the deb: [file] = what it is a copy of, if it is
FILES = {
    "etc/slurmscope/slurmscope.yml": "deploy/package/slurmscope.yml",
    "usr/bin/slurmscope": None,
    "usr/lib/systemd/system/slurmscope-copy-state@.service": None,
    "usr/lib/systemd/system/slurmscope-copy-state@.timer": "deploy/ha/slurmscope-copy-state@.timer",
    "usr/lib/systemd/system/slurmscope-report.service": None,
    "usr/lib/systemd/system/slurmscope-report.timer": "deploy/report/slurmscope-report.timer",
    "usr/lib/systemd/system/slurmscope-slurmrestd.service": "deploy/slurmrestd/slurmscope-slurmrestd.service",
    "usr/lib/systemd/system/slurmscope-token.service": None,
    "usr/lib/systemd/system/slurmscope-token.timer": "deploy/token/slurmscope-token.timer",
    "usr/lib/systemd/system/slurmscope.service": "deploy/systemd/slurmscope.service",
    "usr/lib/sysusers.d/slurmscope.conf": "deploy/systemd/slurmscope.sysusers.conf",
    "usr/lib/tmpfiles.d/slurmscope.conf": "deploy/systemd/slurmscope.tmpfiles.conf",
    "usr/libexec/slurmscope-copy-state": "deploy/ha/slurmscope-copy-state",
    "usr/libexec/slurmscope-report": "deploy/report/slurmscope-report",
    "usr/libexec/slurmscope-token": "deploy/token/slurmscope-token",
    "usr/share/bash-completion/completions/slurmscope": None,
    "usr/share/doc/slurmscope/changelog.gz": None,
    "usr/share/doc/slurmscope/copyright": "deploy/package/deb/copyright",
    "usr/share/doc/slurmscope/dashboards/pictures/overview.png": "dashboards/pictures/overview.png",
    "usr/share/doc/slurmscope/examples/slurmscope.yml": "deploy/slurmscope.yml",
    "usr/share/doc/slurmscope/slurmscope.cdx.json": None,
    "usr/share/man/man1/slurmscope.1.gz": None,
    "usr/share/man/man5/slurmscope.yml.5.gz": None,
    "usr/share/zsh/vendor-completions/_slurmscope": None,
}
# pages for those who run slurmscope, without links to what is not installed
PAGES = ["README.md", "SECURITY.md", *sorted(str(page.relative_to(SOURCE)) for pattern in ("deploy/*.md", "deploy/*/README.md", "dashboards/*.md")
                                             for page in SOURCE.glob(pattern))]
FILES |= {f"usr/share/doc/slurmscope/{page}": None for page in PAGES}
PROGRAMS = {"usr/bin/slurmscope", "usr/share/slurmscope/hooks/slurmscope-hook",
            *(f"usr/libexec/slurmscope-{job}" for job in ("copy-state", "report", "token"))}
UNITS = ["slurmscope.service", "slurmscope-token.service", "slurmscope-token.timer", "slurmscope-slurmrestd.service",
         "slurmscope-copy-state@ctl2.service", "slurmscope-copy-state@ctl2.timer", "slurmscope-report.service", "slurmscope-report.timer"]
# what lintian may say: it knows no manual pages of libexec, and INSTALL.md begins after the installation
REMARKS = {"no-manual-page", "package-contains-upstream-installation-documentation"}
FAILING = {"systemctl", "deb-systemd-invoke"}


def said(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


def shared_files():
    """{file of the package: of the source}"""
    found = {}
    for place in SHARED:
        path = SOURCE / place
        for file in filter(Path.is_file, path.rglob("*") if path.is_dir() else [path]):
            found[f"usr/share/slurmscope/{file.relative_to(SOURCE)}".replace("slurmscope/deploy/", "slurmscope/")] = file
    return found


def built(folder, names):
    return [name for name in names if re.match("build|__pycache__", name) and Path(folder, name).is_dir()]


class Build(threading.Thread):
    """Of a copy of the source elsewhere."""

    def __init__(self, folder, target, **environment):
        super().__init__()
        self.folder, self.target, self.environment = Path(folder), target, environment
        self.done = None
        shutil.copytree(SOURCE, self.folder, symlinks=True, ignore=built,
                        copy_function=shutil.copy if environment else shutil.copy2)
        subprocess.run(["chmod", "-R", "go=" if environment else "go=rX", self.folder], check=True)
        self.start()

    def run(self):
        self.done = subprocess.run(["deploy/package/build", self.target, "DEB", "RPM"], cwd=self.folder,
                                   env=os.environ | self.environment, umask=0o077 if self.environment else -1,
                                   capture_output=True, text=True, check=False)

    def file(self, end):
        """The one file of that name that was named."""
        self.join()
        assert self.done.returncode == 0, self.done.stderr
        found = [Path(line) for line in self.done.stdout.splitlines() if line.endswith(end)]
        assert len(found) == 1, self.done.stdout
        return found[0]


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="slurmscope-package-")
        cls.addClassCleanup(cls.temporary.cleanup)
        folder = cls.folder = Path(cls.temporary.name)
        cls.one = Build(folder / "one", str(folder / "made"))
        cls.other = Build(folder / "another/a longer name", "../../far/from/here", TZ="Asia/Kathmandu", LC_ALL="C",
                          HOME=str(folder / "nobody"))
        cls.addClassCleanup(cls.other.join)
        cls.deb, cls.rpm, cls.bill = (cls.one.file(end) for end in (".deb", ".rpm", ".cdx.json"))
        cls.root = folder / "root"
        said("dpkg-deb", "-x", cls.deb, cls.root)
        cls.version = re.search(r"project\(slurmscope VERSION (\S+)", (SOURCE / "CMakeLists.txt").read_text())[1]
        cls.maxDiff = None

    def test_same_bytes(self):
        for end in ".deb", ".rpm", ".cdx.json":
            one, other = self.one.file(end), self.other.file(end)
            self.assertNotEqual(one, other)
            with self.subTest(end):
                self.assertTrue(one.read_bytes() == other.read_bytes(), f"diffoscope {one} {other}")

    def test_files(self):
        shared = shared_files()
        self.assertGreater(len(shared), 60)
        expected = {f"{'-rwxr-xr-x' if name in PROGRAMS else '-rw-r--r--'} root/root {name}"
                    for name in FILES.keys() | shared.keys()}
        listed = [line.split() for line in said("dpkg-deb", "-c", self.deb).splitlines()]
        self.assertEqual(expected, {f"{mode} {owner} {path[2:]}" for mode, owner, *_, path in listed if mode[0] != "d"})
        self.assertEqual({("drwxr-xr-x", "root/root")}, {(mode, owner) for mode, owner, *_ in listed if mode[0] == "d"})
        for name, origin in (FILES | shared).items():
            if origin:
                self.assertEqual((SOURCE / origin).read_bytes(), (self.root / name).read_bytes(), name)

    def test_pages(self):
        """Each page is the project's, and each of its links leads to something that is installed."""
        self.assertGreater(len(PAGES), 18)
        pages = self.root / "usr/share/doc/slurmscope"
        self.assertIn(" 0 faults", said(SOURCE / "tests/links", pages))
        for page in PAGES:
            words = [re.sub(r"\[([^]]*)\]\([^()\s]*\)", r"\1", (folder / page).read_text()) for folder in (SOURCE, pages)]
            self.assertEqual(*words, page)

    def test_program(self):
        program = self.root / "usr/bin/slurmscope"
        self.assertIn(f"slurmscope {self.version}", said(program, "--version"))
        self.assertNotIn(str(self.folder).encode(), program.read_bytes())
        self.assertNotRegex(said("readelf", "-dS", program), r"RPATH|RUNPATH|\.debug_info|\.symtab")

    def test_control(self):
        control = dict(re.findall(r"^(\S+): (.*)$", said("dpkg-deb", "-f", self.deb), re.M))
        self.assertEqual(("slurmscope", self.version), (control["Package"], control["Version"]))
        needed = {component["name"] for component in self.needed_packages()}
        depends = {re.match(r"\S+", one)[0] for one in control["Depends"].split(", ")}
        self.assertEqual(needed | {"passwd"}, depends)
        self.assertEqual("/etc/slurmscope/slurmscope.yml\n", said("dpkg-deb", "-I", self.deb, "conffiles"))
        with gzip.open(self.root / "usr/share/doc/slurmscope/changelog.gz", "rt") as changelog:
            self.assertTrue(changelog.read().startswith(f"slurmscope ({self.version}) "))

    def test_lintian(self):
        done = subprocess.run(["lintian", "--allow-root", "--tag-display-limit", "0", self.deb], capture_output=True,
                              text=True, check=False)
        self.assertEqual([], [line for line in done.stdout.splitlines() if line.split()[2] not in REMARKS], done.stderr)

    def test_units(self):
        root = shutil.copytree(self.root, self.folder / "units")
        for program in "bin/kill", "usr/bin/env", "usr/bin/rsync":
            (root / program).parent.mkdir(exist_ok=True)
            shutil.copy("/bin/true", root / program)
        done = subprocess.run(["systemd-analyze", "verify", f"--root={root}", "--man=no", "--recursive-errors=no", *UNITS],
                              capture_output=True, text=True, check=False)
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        unit = (root / "usr/lib/systemd/system/slurmscope-token.service").read_text()
        self.assertIn("\nExecStart=/usr/libexec/slurmscope-token\n", unit)

    def test_install_elsewhere(self):
        """Without a package, by default below /usr/local: what units name is there."""
        build, root = self.folder / "made", self.folder / "elsewhere"
        said("cmake", build, "-DCMAKE_INSTALL_PREFIX=/usr/local")
        said("cmake", "--build", build, "--parallel")
        said("cmake", "--install", build, env=os.environ | {"DESTDIR": str(root)})
        lines = "".join(unit.read_text() for unit in (root / "usr/local/lib/systemd/system").iterdir())
        named = set(re.findall(r"[/=]((?:usr|etc)/\S*slurmscope[^\s/]*(?:/[^\s/]+)?)", lines.replace("=/", "=")))
        named = {name for name in named if not name.startswith(("usr/sbin", "etc/default", "etc/systemd"))}
        self.assertLessEqual({"usr/local/bin/slurmscope", "usr/local/etc/slurmscope/slurmscope.yml"}, named)
        self.assertEqual([], [name for name in sorted(named) if not (root / name).exists()])
        for kind in "sysusers", "tmpfiles":
            self.assertTrue((root / f"usr/local/lib/{kind}.d/slurmscope.conf").exists())

    def test_rpm(self):
        """As on Fedora and its like, but for what rpmbuild there does of its own."""
        listed = said("rpm", "-qp", "--qf", "[%{FILEMODES:perms} %{FILEUSERNAME}/%{FILEGROUPNAME} %{FILENAMES}\t"
                      "%{FILEFLAGS:fflags}\n]", self.rpm)
        flags = dict(re.findall(r"^-\S+ root/root /(.*)\t(\w*)$", listed, re.M))
        usual = re.compile(r"(drwxr-xr-x|-rw-r--r--|-rwxr-xr-x|lrwxrwxrwx) root/root ")
        self.assertEqual([], [line for line in listed.splitlines() if not usual.match(line)])
        moved = {"usr/share/zsh/vendor-completions/_slurmscope": "usr/share/zsh/site-functions/_slurmscope",
                 "usr/share/doc/slurmscope/copyright": "usr/share/licenses/slurmscope/LICENSE",
                 "usr/share/doc/slurmscope/changelog.gz": None}
        files = FILES | shared_files()
        self.assertEqual({moved.get(name, name) for name in files} - {None}, set(flags))
        self.assertEqual("cn", flags["etc/slurmscope/slurmscope.yml"])  # configuration, not replaced
        folders = set(re.findall(r"^d\S+ root/root /(.*)\t", listed, re.M))
        self.assertEqual([], [folder for folder in folders if "slurmscope" not in folder and ".build-id" not in folder])
        requires = set(said("rpm", "-qp", "--requires", self.rpm).splitlines())
        self.assertLessEqual({f"{name}()(64bit)" for name in self.needed_libraries()} | {"systemd"}, requires)
        root = self.folder / "rpm-root"
        here = ["rpm", "--root", root, "--dbpath", "/var/lib/rpm", "--nodeps", "--noscripts"]
        said(*here, "-i", self.rpm)
        for name, origin in files.items():
            name = moved.get(name, name)
            self.assertEqual(0o755 if name in PROGRAMS else 0o644, (root / name).stat().st_mode & 0o777, name) if name else None
            if origin and name and name not in moved.values():
                self.assertEqual((SOURCE / origin).read_bytes(), (root / name).read_bytes(), name)
        self.assertEqual((SOURCE / "LICENSE").read_bytes(), (root / "usr/share/licenses/slurmscope/LICENSE").read_bytes())
        said(*here, "-e", "slurmscope")
        left = [path for path in root.rglob("*") if path.is_file() and "var/lib/rpm" not in str(path)]
        self.assertEqual([], left)

    def script_runs(self, text):
        """What a script with these arguments has done, by programs that only say so, and where systemctl fails:
        /run/systemd/system is there."""
        folder = tempfile.mkdtemp(dir=self.folder)
        stubs = Path(folder, "stubs")
        stubs.mkdir()
        for name in "systemctl", "systemd-sysusers", "systemd-tmpfiles", "deb-systemd-helper", "deb-systemd-invoke", "rm":
            (stubs / name).write_text(f'#!/bin/sh\necho {name} "$@"\n{"! :" if name in FAILING else ""}\n')
            (stubs / name).chmod(0o755)
        text = text.replace("/run/systemd/system", folder)
        how = "-ec" if text.startswith("#!") else "-c"
        path = {"PATH": f"{stubs}:/usr/bin:/bin"}
        return lambda *arguments: said("sh", how, text, "sh", *arguments, env=path).splitlines()

    def test_deb_scripts(self):
        postinst, prerm, postrm = (self.script_runs(said("dpkg-deb", "-I", self.deb, name)) for name in ("postinst", "prerm", "postrm"))
        units = "slurmscope.service slurmscope-token.timer slurmscope-slurmrestd.service slurmscope-report.timer"
        for arguments in ("configure", ""), ("configure", "0.0.9"):
            self.assertEqual(["systemd-sysusers slurmscope.conf", "systemd-tmpfiles --create slurmscope.conf",
                              f"deb-systemd-helper update-state {units}", "systemctl daemon-reload", "deb-systemd-invoke try-restart slurmscope.service"], postinst(*arguments))
        self.assertEqual([], postinst("abort-upgrade", "0.0.9"))
        self.assertEqual(["deb-systemd-invoke stop slurmscope-report.timer slurmscope-token.timer slurmscope.service slurmscope-slurmrestd.service "
                          "slurmscope-copy-state@*.timer"], prerm("remove"))
        self.assertEqual([], prerm("upgrade", self.version))
        for verb in "remove", "upgrade":
            self.assertEqual(["systemctl daemon-reload"], postrm(verb))
        self.assertEqual(["systemctl daemon-reload", f"deb-systemd-helper purge {units}",
                          "rm -f /etc/systemd/system/timers.target.wants/slurmscope-copy-state@*.timer",
                          "rm -rf /run/slurmscope /var/lib/slurmscope"], postrm("purge"))

    def test_rpm_scripts(self):
        post, preun, postun = (self.script_runs(said("rpm", "-qp", "--qf", f"%{{{name}}}", self.rpm))
                               for name in ("POSTIN", "PREUN", "POSTUN"))
        for times in "1", "2":
            self.assertEqual(["systemd-sysusers slurmscope.conf", "systemd-tmpfiles --create slurmscope.conf", "systemctl daemon-reload",
                              "systemctl try-restart slurmscope.service"], post(times))
        self.assertEqual(["systemctl disable --now slurmscope-report.timer slurmscope-token.timer slurmscope.service slurmscope-slurmrestd.service",
                          "systemctl disable slurmscope-copy-state@.timer", "systemctl stop slurmscope-copy-state@*.timer"], preun("0"))
        self.assertEqual([], preun("1"))
        self.assertEqual(["systemctl daemon-reload"], postun("0"))

    def needed_libraries(self):
        return re.findall(r"\(NEEDED\).*\[(.*)\]", said("readelf", "-d", self.root / "usr/bin/slurmscope"))

    def needed_packages(self):
        bill = json.loads(self.bill.read_text())
        own = bill["metadata"]["component"]["bom-ref"]
        direct = next(one["dependsOn"] for one in bill["dependencies"] if one["ref"] == own)
        return [component for component in bill["components"] if component["bom-ref"] in direct]

    def test_bill(self):
        with tarfile.open(Path(__file__).with_name("cyclonedx-1.5.tar.xz")) as archive:
            schema, licences = (archive.extractfile(f"./{name}.schema.json").read().decode() for name in ("bom-1.5", "spdx"))
        schema = json.loads(schema.replace("spdx.SNAPSHOT.schema.json", "#/definitions/spdx"))
        schema["definitions"]["spdx"] = {"enum": json.loads(licences)["enum"]}
        bill = json.loads(self.bill.read_text())
        errors = jsonschema.Draft7Validator(schema).iter_errors(bill)
        self.assertEqual([], [f"{error.json_path}: {error.message}" for error in errors])
        self.assertEqual(self.bill.read_bytes(), (self.root / "usr/share/doc/slurmscope/slurmscope.cdx.json").read_bytes())

        references = {component["bom-ref"] for component in bill["components"]}
        own = bill["metadata"]["component"]
        self.assertEqual(self.version, own["version"])
        graph = {one["ref"]: one["dependsOn"] for one in bill["dependencies"]}
        self.assertEqual(references | {own["bom-ref"]}, set(graph))
        reached, to_do = set(), [own["bom-ref"]]
        while to_do:
            if (reference := to_do.pop()) not in reached:
                reached.add(reference)
                to_do += graph[reference]
        self.assertEqual(set(graph), reached)
        # the versions that dpkg has installed, of the packages that dpkg names as owners of the libraries
        for component in bill["components"]:
            installed = said("dpkg-query", "-W", "-f", "${Version}\n", component["name"]).splitlines()[0]
            self.assertEqual(component["version"], installed)
        names = {component["name"].removesuffix("t64") for component in bill["components"]}
        self.assertLessEqual({"libcurl4", "libssl3", "libc6"}, names)


if __name__ == "__main__":
    unittest.main()
