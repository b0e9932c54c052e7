"""Manual pages and what shells complete: made of the table of options, well-formed, and complete."""

import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from harness import SLURMSCOPE, run

BASH = """
set -eu
compopt() {{ echo "compopt $*"; }}
. {folder}/bash
COMP_LINE='slurmscope {line}'; COMP_POINT=${{#COMP_LINE}}
_slurmscope
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


def printed(page):
    done = run(f"--print-manual={page}")
    assert done.returncode == 0, done.stderr
    return done.stdout


def options(*command):
    """(name, what stands behind it): "=VALUE", " [VALUE]" or nothing"""
    return re.findall(r"^  --([\w.-]+)(.*)$", subprocess.run([SLURMSCOPE, *command, "--help"], capture_output=True, text=True,
                                                             check=True).stdout, re.M)


class Manual(unittest.TestCase):
    def shown(self, page):
        """As a terminal of 100 columns shows it; groff has nothing to complain of."""
        done = subprocess.run(["groff", "-man", "-ww", "-Tutf8", "-P-cbou", "-rLL=100n", "-rHY=0"], input=printed(page),
                              capture_output=True, text=True, check=True)
        self.assertEqual("", done.stderr)
        return done.stdout

    def test_pages(self):
        command, file = self.shown("slurmscope.1"), self.shown("slurmscope.yml.5")
        self.assertGreater(len(options()), 60)
        for name, value in options():
            self.assertRegex(command, rf"(?m)^ +--{re.escape(name)}{re.escape(value)}( |$)")
            is_of_file = name in ("labels", "ha", "ha-host", "sandbox") or "." in name and not name.startswith("config.")
            (self.assertRegex if is_of_file else self.assertNotRegex)(file, rf"(?m)^ +{re.escape(name)}: ")
        for name, value in options("report"):
            self.assertRegex(command.partition("OPTIONS OF REPORT")[2], rf"(?m)^ +--{re.escape(name)}{re.escape(value)}( |$)")
        for page in command, file:
            groups = re.findall(r"(?m)^ {3}(\w+): ", page)
            self.assertEqual(groups, [name for name in re.findall(r"(?m)^(\w+): ", run("--help").stdout) if name in groups])
            self.assertGreater(len(groups), 9)
        for title in "NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "SIGNALS", "EXIT STATUS", "SEE ALSO":
            self.assertRegex(command, rf"(?m)^{title}$")
        self.assertIn("http://host:port, https://host:port or unix:/path. Default: http://127.0.0.1:6820.", re.sub(r"\s+", " ", command))

    def complete(self, line):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "bash").write_text(printed("bash"))
            done = subprocess.run(["bash", "-c", BASH.format(folder=folder, line=line)], capture_output=True, text=True, check=True, cwd=folder)
            self.assertEqual("", done.stderr)
            return done.stdout.split("\n")[:-1]

    def test_bash(self):
        self.assertEqual(["--slurmrestd.token-file="], [w for w in self.complete("--slurmrestd.tok") if w.startswith("--")])
        self.assertIn("compopt -o nospace", self.complete("--slurmrestd.tok"))
        self.assertEqual(["--once"], self.complete("doctor --onc"))
        self.assertEqual(["logfmt"], self.complete("--once --log.format=l"))
        self.assertEqual(["debug", "info", "warn", "error"], self.complete("--log.level="))
        self.assertIn("bash", self.complete("--config.file=ba"))
        self.assertIn("bash", self.complete("report --csv-file=ba"))
        self.assertEqual(["doctor"], self.complete("doc"))
        self.assertEqual(["report"], self.complete("rep"))
        self.assertEqual(["--month="], [word for word in self.complete("report --mon") if word.startswith("--")])
        self.assertEqual(["slurmrestd", "state"], self.complete("--help s"))
        self.assertEqual(["--once"], self.complete("--help --onc"))
        offered = {word.rstrip("=") for word in self.complete("--")}
        self.assertEqual({f"--{name}" for name, _ in options() + options("report")} | {"--strict"}, offered)

    def test_zsh(self):
        text = printed("zsh")
        self.assertTrue(text.startswith("#compdef slurmscope\n"))
        subprocess.run(["zsh", "-n"], input=text, text=True, check=True)
        # its words, as _arguments gets them
        done = subprocess.run(["zsh", "-fc", "_arguments() { print -rl -- \"$@\" }\n" + text], capture_output=True, text=True, check=True)
        rows = done.stdout.splitlines()
        self.assertCountEqual([f"--{name}" for name, _ in options()] + [f"--{name}" for name, _ in options("report") if name != "help"] + ["--strict"],
                              [re.match(r"--[\w.-]+", row)[0] for row in rows[:-1]])
        self.assertRegex("\n".join(rows), r"(?m)^--help\[.*\]::\\\[GROUP\\\]:\(general slurmrestd .*\)$")
        self.assertRegex("\n".join(rows), r"(?m)^--log\.format=\[.*\]:FORMAT:\(logfmt json\)$")
        for name in "slurmrestd.token-file", "csv-file":
            self.assertRegex("\n".join(rows), rf"(?m)^--{re.escape(name)}=\[.*\]:FILE:_files$")

    def test_no_such_page(self):
        done = run("--print-manual=fish")
        self.assertEqual(1, done.returncode)
        self.assertIn("fish is not one of none, slurmscope.1, slurmscope.yml.5, bash, zsh", done.stderr)


if __name__ == "__main__":
    unittest.main()
