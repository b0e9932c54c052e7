#!/usr/bin/env python3
"""What users of a tenant see of their jobs is what Slurm's commands show for its account, user or partition, and nothing else.
usage: test_tenants.py CLUSTER    (with its workload, see `with`; SLURMSCOPE is the binary)"""
import base64
import contextlib
import crypt
import json
import re
import sys
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "e2e"))
from harness import wait_until  # noqa: E402
from oracle_jobs import add_jobs  # noqa: E402
from slurm_says import Samples, Slurm, conclude  # noqa: E402
from test_events import Exporter  # noqa: E402

ROWS = [f"--jobs.{kind}=10000" for kind in ("rows", "pending-rows", "ended-rows")]
LETTERS = {"account": "-A", "user": "-u", "partition": "-p"}
HOLDING = {"RUNNING", "SUSPENDED", "COMPLETING", "CONFIGURING", "STOPPED", "RESIZING", "SIGNALING", "STAGE_OUT"}
# The families that have rows of each kind, as far as the oracle has them.
OF = {"account": r"slurm_(account|user)_(jobs|jobs_flagged|job_\w+|pending_jobs|oldest_pending_\w+)",
      "user": r"slurm_user_(jobs|jobs_flagged|job_\w+|pending_jobs|oldest_pending_\w+)",
      "partition": r"slurm_partition_(jobs|jobs_flagged|job_(cpus|nodes|memory_bytes|gres)|pending_jobs|oldest_pending_\w+)"}
LINE = re.compile(r'(\w+)\{(.*)\} (\S+)')


def ask(exporter, who, path):
    request = urllib.request.Request(f"http://127.0.0.1:{exporter.port}{path}", headers={
        "Authorization": "Basic " + base64.b64encode(f"{who}:{who}".encode()).decode()})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.read().decode()


def is_ready(exporter):
    with contextlib.suppress(urllib.error.URLError, ConnectionError):
        return ask(exporter, "operator", "/-/ready") == "ready\n"
    return False


def read(page):
    """(family, labels) -> value, as the oracle has it."""
    found = {}
    for line in page.splitlines():
        if match := LINE.fullmatch(line):
            found[match[1], tuple(sorted(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', match[2])))] = float(match[3])
    return found


def look(slurm, exporter, kind, name):
    """Numbers that differ, and how many were compared."""
    said = Samples()
    add_jobs(slurm, said)
    want = {key: value for key, value in said.items() if (kind, name) in key[1] and re.fullmatch(OF[kind], key[0])}
    cluster = json.loads(ask(exporter, name, "/api/v1/jobs"))["clusters"][0]
    page = read(ask(exporter, name, "/metrics"))
    rows = {f"{family} {labels}": (page.get((family, labels), 0), value) for (family, labels), value in want.items()}
    rows |= {f"{family} {labels}": (value, 0) for (family, labels), value in page.items()
             if value and (family, labels) not in want and family in {family for family, _ in want}}
    rows["waiting tasks in /api/v1/jobs"] = (sum(job["tasks"] for job in cluster["pending"]["jobs"]),
                                             sum(value for (family, labels), value in want.items()
                                                 if family == f"slurm_{kind}_jobs" and ("state", "pending") in labels))
    said = dict(line.split() for line in slurm.run("squeue", "-a", "-h", "-t", "all", "-o", "%A %T", LETTERS[kind], name).splitlines())
    rows["jobs with nodes in /api/v1/jobs"] = ({str(job["id"]) for job in cluster["running"]["jobs"]},
                                               {job for job, state in said.items() if state in HOLDING})
    ended = {row["JobIDRaw"]: row for row in slurm.table("sacct", "-a", "-X", "-P", "-D", "-S", "now-1day", "-o",
                                                         "JobIDRaw,Account,User,Partition")}
    for job in cluster["ended"]["jobs"]:
        has = ended.get(str(job["id"]), {}).get(kind.capitalize(), "")
        rows[f"ended {job['id']}"] = (True, name in has.split(","))
    rows["series of others"] = (0, sum((kind, name) not in labels for _, labels in page if kind in dict(labels) and
                                       not (kind == "partition" and name in dict(labels)[kind].split(","))))
    return {what: pair for what, pair in rows.items() if pair[0] != pair[1]}, len(rows)


def names_of(slurm):
    """For each kind the name that most jobs have."""
    found = {}
    for kind, letter in (("account", "%a"), ("user", "%u"), ("partition", "%P")):
        names = [name for name in slurm.run("squeue", "-a", "-r", "-h", "-o", letter).split() if "," not in name]
        found[kind] = max(set(names), key=names.count)
    return found


@contextlib.contextmanager
def whole_lists(slurm):
    """22.05's slurmrestd would cut the lists of arrays' tasks."""
    if slurm.release != "22.05":
        yield
        return
    slurm.ask("restart", "slurmrestd", SLURMRESTD_ENVIRONMENT="SLURM_BITSTR_LEN=0")
    try:
        yield
    finally:
        slurm.ask("restart", "slurmrestd")


def main(slurm):
    names = names_of(slurm)
    users = "".join(f"  {who}: {crypt.crypt(who, '$2b$04$' + 'abcdefghijklmnopqrstuu')}\n" for who in ["operator", *names.values()])
    bound = "".join(f"  {kind}: {{users: [{name}], sees: {{{kind}s: [{name}]}}}}\n" for kind, name in names.items())
    with whole_lists(slurm), tempfile.TemporaryDirectory() as folder:
        web = Path(folder, "web.yml")
        web.write_text(f"basic_auth_users:\n{users}tenants:\n  operators: {{users: [operator], sees: everything}}\n{bound}")
        with contextlib.closing(Exporter(slurm, folder, f"--web.config.file={web}", *ROWS)) as exporter:
            slurm.pause()
            exporter.start()
            wait_until(lambda: is_ready(exporter), "readiness")
            compared, different = 0, {}
            for kind, name in names.items():
                looked = []

                def is_equal(kind=kind, name=name, looked=looked):
                    looked[:] = look(slurm, exporter, kind, name)
                    return not looked[0]
                with contextlib.suppress(AssertionError):
                    wait_until(is_equal, "the same", 300)
                different |= {f"{kind} {name}: {what}": pair for what, pair in looked[0].items()}
                compared += looked[1]
        conclude(f"{slurm.release} tenants {', '.join(f'{kind} {name}' for kind, name in names.items())}: "
                 f"{compared} numbers compared with Slurm's, {len(different)} different")
        if different:
            print(dict(list(different.items())[:20]))
            sys.exit(1)


if __name__ == "__main__":
    main(Slurm(sys.argv[1]))
