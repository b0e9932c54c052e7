#!/usr/bin/env python3
"""deploy/TROUBLESHOOTING.md has every warning and failure that doctor can print, below its word, and no other; the
options and families that it names exist.  usage: check_troubleshooting.py SLURMSCOPE"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ENDPOINT = "An endpoint's name"  # its heading; doctor prints the name
PLACE = re.compile(r"%[-+.\d]*(?:l*[sdugf]|\x00)")  # of printf; NUL stands for a PRI... macro


def calls(text):
    """The arguments of each call of report()."""
    for found in re.finditer(r"\breport\(", text):
        depth, arguments, is_text, at = 1, [""], False, found.end()
        while depth:
            char = text[at]
            is_text ^= char == '"'
            depth += 0 if is_text else (char in "([{") - (char in ")]}")
            if char == "," and depth == 1 and not is_text:
                arguments.append("")
            else:
                arguments[-1] += char
            at += 1
        yield arguments


def pattern(argument):
    """That a format's lines match."""
    text = "".join(re.findall(r'"([^"]*)"', re.sub(r"PRI\w+", '"\0"', argument)))
    return ".*".join(re.escape(piece) for piece in PLACE.split(text))


def printed():
    """(word, pattern of the line) of each finding that is not VERDICT_OK."""
    found = set()
    for file in sorted((ROOT / "lib/doctor").glob("*.c")):
        for report in calls(file.read_text()):
            if len(report) > 4 and report[1].strip() != "VERDICT_OK" and "const char" not in report[2]:
                word = re.fullmatch(r'\s*"(\w+)"', report[2])
                found.add((word[1] if word else ENDPOINT, pattern(report[4])))
    return found


def told(page):
    """(word, example of a line)"""
    for section in re.split(r"^## ", page.partition("\n# ")[0], flags=re.M)[1:]:
        for example in re.findall(r"^- `(.*?)`(?: |$)", section, re.M):
            yield section.partition("\n")[0], example


def main(program):
    def output(option):
        return subprocess.run([program, option], capture_output=True, text=True, check=True).stdout
    page = (ROOT / "deploy/TROUBLESHOOTING.md").read_text()
    lines, examples = printed(), list(told(page))
    # An example is of the line that says the most: any would match one that only has a place
    best = {(word, example): max((line for about, line in lines if about == word and re.fullmatch(line, example)), key=len, default=None)
            for word, example in examples}
    wrong = [f"doctor does not say: {word}: {example}" for (word, example), line in best.items() if line is None]
    wrong += [f"not on the page: {word}: {line}" for word, line in lines
              if (word, line) not in {(word, line) for (word, _), line in best.items()}]
    options = set(re.findall(r"^  --([\w.-]+)", output("--help"), re.M))
    families = {line.split("\t")[0] for line in output("--list-metrics").splitlines()}
    names = re.findall(r"`([a-z]+\.[a-z][a-z.-]*|slurm(?:scope)?_[a-z_]+)(?:: \w+)?`", page)
    files = {name for name in names if name.endswith((".service", ".conf", ".timer"))}
    wrong += [f"there is no {name}" for name in sorted({*names} - files - options - families)]
    print(f"{len(lines)} lines of doctor, {len(examples)} on the page, {len(names)} names, {len(wrong)} wrong", *wrong, sep="\n")
    return bool(wrong) or len(lines) < 40 or len(names) < 10


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
