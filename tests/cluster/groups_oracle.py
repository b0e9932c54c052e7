"""Groups of jobs that a site defines against sacct and squeue, number by number. What Slurm's commands print says in which rows
a job counts, not slurmrestd."""

import itertools
import re

import events_oracle
import oracle_jobs
from events_oracle import DURATIONS, Truth, is_time
from slurm_says import Samples

CAMPAIGN = "([a-z]+)-[0-9]+.*"
GRANT = "grant=([A-Z0-9]+).*"
ALL = "metrics: [jobs, cpus, memory, gpus, ends, waits, runtimes, use]"
CONFIG = f"""groups:
  - name: project
    by: [partition, {{label: campaign, from: name, regex: '{CAMPAIGN}'}}]
    {ALL}
  - {{name: class, by: [account, qos, feature], {ALL}}}
  - {{name: app, by: [license, user], {ALL}}}
  - {{name: grant, by: [wckey, {{label: grant, from: comment, regex: '{GRANT}'}}], metrics: [jobs, cpus, memory, gpus]}}
  - {{name: size, by: [nodes, cpus, gpus], metrics: [ends, waits, runtimes, use]}}
"""
FAMILIES = re.compile(r"slurm_group_[a-z]+_job_((submissions|starts|ends|allocated_(cpu|billing|gres|memory_byte)_seconds)_total|"
                      r"(eligible_wait|submit_wait|runtime)_seconds_(bucket|sum|count))(\{|$)")
COLUMNS = ["JobName", "Constraints", "ReqTRES"]  # of sacct
NO_LICENSES = "22.05"  # whose sacct, and whose slurmdbd by slurmrestd, does not tell them
SQUEUE = ("JobID", "Partition", "State", "Account", "UserName", "QOS", "tres-alloc", "Name", "Feature", "Licenses", "Comment",
          "WCKey", "SubmitTime", "Reason")


def captured(regex, text):
    found = re.fullmatch(regex, text)
    return found[1] if found else ""


def licenses(text):
    """matlab:2,fluent:1; a slurmctld of 26.05 that was restarted writes ; between them"""
    return [item.partition(":")[0] for item in re.split("[,;]", text) if item and text not in ("(null)", "N/A")]


def features(text):
    return [word for word in re.split("[^a-z0-9]+", text) if word and text not in ("(null)", "N/A")]


def size(asked, wanted):
    """ReqTRES: cpu=2,mem=100M,node=1,billing=2,gres/gpu=1"""
    for name, count in re.findall(r"([^,=]+)=(\d+)", asked):
        if name == wanted:
            first = 1 << int(count).bit_length() - 1
            return [str(first) if first == 1 else f"{first}-{2 * first - 1}"]
    return []


def rows(**lists):
    """Each choice of one value of each label; a label without values is empty."""
    for values in itertools.product(*(list(dict.fromkeys(values)) or [""] for values in lists.values())):
        yield {label: value for label, value in zip(lists, values) if value}


def no_null(text):
    return "" if text in ("(null)", "N/A") else text


def group_rows(job):
    """(name of X, labels) of all groups' rows in which it counts. `job`: Partition, QOS, Account, User, Name, ..."""
    for labels in rows(partition=job["Partition"].split(","), campaign=[captured(CAMPAIGN, job["Name"])]):
        yield "group_project", labels
    for labels in rows(account=[job["Account"]], qos=job["QOS"].split(","), feature=features(job["Features"])):
        yield "group_class", labels
    for labels in rows(license=licenses(job["Licenses"]), user=[job["User"]]):
        yield "group_app", labels
    if asked := job.get("ReqTRES"):
        for labels in rows(nodes=size(asked, "node"), cpus=size(asked, "cpu"), gpus=size(asked, "gres/gpu")):
            yield "group_size", labels


class GroupTruth(Truth):
    """What sacct says of the groups' events."""

    def entities(self, row):
        yield from group_rows({"Licenses": ""} | row | {"Name": row["JobName"], "Features": row["Constraints"]})

    def add_start(self, row, queue, held, elapsed):
        start, submit = int(row["Start"]), int(row["Submit"])
        eligible = int(row["Eligible"]) if is_time(row["Eligible"]) else submit
        for entity, names in self.entities(row):
            self.observe(f"{entity}_job_eligible_wait_seconds", DURATIONS, max(0, start - eligible), **names)
            self.observe(f"{entity}_job_submit_wait_seconds", DURATIONS, max(0, start - submit), **names)
            self.observe(f"{entity}_job_runtime_seconds", DURATIONS, elapsed, **names)

    def add(self, row):
        super().add(row)
        self.samples = type(self.samples)({series: value for series, value in self.samples.items() if FAMILIES.match(series)})
        for partition in events_oracle.named_partitions(row):  # as of partitions
            named = row | {"Partition": partition}
            told = self.samples if self.tells_named and not row["IsRequeued"] else self.more
            for entity, names in self.entities(named):
                if entity == "group_project":
                    told[f"slurm_{entity}_job_submissions_total{events_oracle.labels(**names)}"] += 1


def compare_events(slurm, page):
    """(equal, {series: (page, sacct)}, runs)"""
    columns = events_oracle.COLUMNS
    events_oracle.COLUMNS = [*columns, *COLUMNS, *(() if slurm.release == NO_LICENSES else ("Licenses",))]
    try:
        return events_oracle.compare(slurm, page, GroupTruth(slurm.release), FAMILIES)
    finally:
        events_oracle.COLUMNS = columns


def present(slurm):
    """{series: value} of what squeue -r says of jobs now."""
    samples = Samples()
    table = slurm.run("squeue", "-r", "-a", "-h", "-t", "all", "-O", ",".join(field + ":|" for field in SQUEUE))
    states, tasks = oracle_jobs.job_states(slurm), oracle_jobs.array_tasks(slurm)
    for line in sorted(set(table.splitlines())):
        job = dict(zip(SQUEUE, line.split("|")))
        job |= {"User": job["UserName"], "Features": no_null(job["Feature"]), "Licenses": no_null(job["Licenses"])}
        said = job["State"]
        base = (states.get(int(job["JobID"])) or [oracle_jobs.BASE_STATE_OF.get(said, said.lower())])[0]
        of_grant = rows(wckey=[no_null(job["WCKey"]).lstrip("*")], grant=[captured(GRANT, no_null(job["Comment"]))])
        for entity, labels in [*group_rows(job), *(("group_grant", labels) for labels in of_grant)]:
            oracle_jobs.add_job(samples, entity, labels, job, tasks.get(int(job["JobID"]), 1), base, [])
    return {key: value for key, value in samples.items()
            if re.fullmatch(r"slurm_group_[a-z]+_(jobs|job_cpus|job_memory_bytes|job_gres)", key[0]) and value}


def compare_present(slurm, page):
    """(equal, {series: (page, squeue)})"""
    said = {}
    for series, value in page.items():
        family, _, labels = series.partition("{")
        if re.fullmatch(r"slurm_group_[a-z]+_(jobs|job_cpus|job_memory_bytes|job_gres)", family) and value:
            said[family, tuple(sorted(re.findall(r'(\w+)="([^"]*)"', labels)))] = value
    true = present(slurm)
    wrong = {key: (said.get(key, 0), true.get(key, 0)) for key in said.keys() | true.keys()
             if abs(said.get(key, 0) - true.get(key, 0)) > 1e-9 * true.get(key, 0)}
    return len(said.keys() | true.keys()) - len(wrong), wrong
