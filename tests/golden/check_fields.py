#!/usr/bin/env python3
"""Compares the rows of the field tables with what each release was recorded to say in each API version. fields.txt has a column
for each recording. It has an x where the recording has the JSON member that the row names, in a shape that the row reads. That
shows a version that renames a key: only what LOST names may be missing in the next version. At least one recording has the
member of each row.
usage: check_fields.py LIST_FIELDS FIXTURES    (UPDATE_GOLDEN=1 rewrites fields.txt)"""
import difflib
import functools
import json
import os
import pathlib
import re
import subprocess
import sys

GOLDEN = pathlib.Path(__file__).parent / "fields.txt"
# (first version without it, row) -> why that is no loss; a row is a regular expression
LOST = {
    ("v0.0.39", "partitions (state|flags)"): "not told there",
    ("v0.0.39", "nodes state_flags"): "are among the states since",
    ("v0.0.39", "diag bf_cycle_max"): "not told before v0.0.41 again",
    ("v0.0.39", r"dbd_jobs exit_code\.signal\.signal_id"): "no run was ended by one",
    ("v0.0.40", "jobs exit_code"): "is an object since, with rows of its own",
    ("v0.0.45", "ping (ping|mode)"): "others say it since v0.0.42",
}
NEVER = {"dbd_jobs user_id": "is unset", "jobs priority_by_partition[].partition": "no recorded job named several partitions"}
KINDS = {"number": (int, float), "text": (str,), "bool": (bool,)}


@functools.cache
def load(folder, endpoint):
    file = {"job_states": "jobs_state", "dbd_user": "db_users"}.get(endpoint, endpoint.replace("dbd_", "db_"))
    for path in folder / f"{file}.json", folder / f"db_{file}.json":
        text = path.read_bytes().decode("utf-8", "replace") if path.exists() else ""
        if text.startswith("{"):
            return json.loads(text)
    return None  # that version does not serve it


def find(values, path):
    """What is there, of each element of the lists on the way."""
    for name in filter(None, path.split(".")):
        key, is_list = name.removesuffix("[]"), name.endswith("[]")
        values = [value[key] for value in values if isinstance(value, dict) and key in value]
        values = [element for value in values if isinstance(value, list) for element in value] if is_list else values
    return values


def is_read(value, kind):
    if kind == "list":
        return isinstance(value, list)
    if kind == "text" and isinstance(value, list):
        return all(isinstance(word, str) for word in value)
    if kind == "number" and isinstance(value, dict):
        value = value.get("number")
    return isinstance(value, KINDS[kind]) and isinstance(value, bool) == (kind == "bool")


def tells(folder, endpoint, records, path, kind):
    suffix = "[]" if records.endswith("[]") else ""
    return any(is_read(value, kind) for name in records.removesuffix("[]").split("|")
               for value in find([load(folder, endpoint)], f"{name}{suffix}.{path}"))


def lost(columns, told, members):
    """What a version tells, and the next one, or a later release in the same version, does not."""
    order = sorted(range(len(columns)), key=lambda index: (columns[index].name, columns[index].parent.name))
    for (endpoint, _), rows in members.items():
        for before, after in zip(order, order[1:]):
            if any(told[row][before] for row in rows) and not any(told[row][after] for row in rows) and \
                    not any(columns[after].name == version and re.fullmatch(pattern, f"{endpoint} {rows[0][1]}")
                            for version, pattern in LOST):
                yield f"{' or '.join(path for _, path in rows)} of {endpoint}: {columns[before]} has it, {columns[after]} not"


def main(program, fixtures):
    listed = subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()
    rows = [row for row in (line.split("\t") for line in listed) if row[0] != "job"]  # of which jobs has all
    columns = [folder for folder in sorted(pathlib.Path(fixtures).glob("*/v0.0.*")) if folder.name != "v0.0.36"]
    told, members, tables = {}, {}, {}
    for endpoint, records, path, kind, member in rows:
        marks = told[endpoint, path] = [tells(folder, endpoint, records, path, kind) for folder in columns]
        members.setdefault((endpoint, path.rpartition("[].")[0], member), []).append((endpoint, path))
        tables.setdefault((member, path.rpartition("[].")[2]), []).append((f"{endpoint} {path}", any(marks)))
    members = {(endpoint, below + member): rows for (endpoint, below, member), rows in members.items()}
    text = "".join(f"{' ' * index}{folder.parent.name} {folder.name}\n" for index, folder in enumerate(columns))
    text += "".join(f"{''.join('.x'[mark] for mark in marks)} {' '.join(row)}\n" for row, marks in told.items() if any(marks))
    if os.environ.get("UPDATE_GOLDEN"):
        GOLDEN.write_text(text)
    wrong = list(difflib.unified_diff(GOLDEN.read_text().splitlines(), text.splitlines(), "fields.txt", "recorded",
                                      lineterm="", n=0))
    wrong += lost(columns, told, members)
    wrong += [f"{same[0][0]}: no recording has it" for same in tables.values()
              if not any(mark for _, mark in same) and same[0][0] not in NEVER]
    print(f"{len(rows)} rows, {len(columns)} recordings, {len(wrong)} wrong", *wrong, sep="\n")
    return bool(wrong) or len(columns) < 16 or len(rows) < 300


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
