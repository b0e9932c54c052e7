#!/usr/bin/env python3
"""Pages for those who run slurmscope name options and metrics that exist, and what README shows of a page is of a real one.

    check_documents.py SLURMSCOPE
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "tests/golden/26.05.txt"
PATTERNS = ("README.md", "SECURITY.md", "deploy/*.md", "deploy/*/README.md", "dashboards/runbooks/*.md")
# of other programs and of the chart, and files
OTHERS = re.compile(r"(token|networkPolicy|serviceMonitor|prometheusRule|dashboards|image|waitSlo|accountingQueue|config|provider|state[.]db)[.]")
OPTION = re.compile(r"`(?:--)?([a-z_]+(?:[.][a-z_-]+)+)(?:[=:] ?[^`]*)?`")
FAMILY = re.compile(r"\b(slurm(?:scope)?_[a-z0-9_]*[a-z0-9])\b")
SUFFIX = re.compile(r"_(bucket|sum|count|created)$")


def families_of_groups(output):
    """Those of the manual's example."""
    example = re.search(r"\n((?: {4}.*\n)*? {4}groups:\n(?: {4}.*\n)+)", (ROOT / "deploy/MANUAL.md").read_text())[1]
    with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
        file.write(re.sub("^ {4}", "", example, flags=re.M))
        file.flush()
        return {line.split("\t")[0] for line in output(f"--config.file={file.name}", "--list-metrics").splitlines()}


def main(program):
    def output(*options):
        return subprocess.run([program, *options], capture_output=True, text=True, check=True).stdout
    options = set(re.findall(r"--([a-z][\w.-]*)", output("--help")))
    families = {line.split("\t")[0] for line in output("--list-metrics").splitlines()}
    families |= families_of_groups(output)
    groups = {option.partition(".")[0] for option in options if "." in option}
    wrong, names = [], 0
    for page in sorted(path for pattern in PATTERNS for path in ROOT.glob(pattern)):
        text = page.read_text()
        for option in OPTION.findall(text):
            if option.partition(".")[0] in groups and not (OTHERS.match(option) and option not in options):
                names += 1
                wrong += [f"{page.relative_to(ROOT)}: there is no option {option}"] if option not in options else []
        for family in FAMILY.findall(re.sub(r"\S*_\.\.\.|\S*/\S*|slurm_acct_db|slurm_version", "", text)):
            names += 1
            if not {family, SUFFIX.sub("", family)} & families:
                wrong.append(f"{page.relative_to(ROOT)}: there is no metric {family}")
    real = PAGE.read_text().splitlines()
    shown = re.findall(r"^    (slurm_\w+\{.*\} [\d.]+)$", (ROOT / "README.md").read_text(), re.M)
    wrong += [f"README.md: not of {PAGE.name}: {line}" for line in shown if line not in real]
    print(f"{names} names, {len(shown)} lines of a page, {len(wrong)} wrong", *wrong, sep="\n")
    return bool(wrong) or names < 200 or len(shown) < 5


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
