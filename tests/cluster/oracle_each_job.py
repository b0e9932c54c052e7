"""Each job by itself, as scontrol show job -d says."""

import json
import re
from collections import Counter

from oracle_jobs import BASE_STATE_OF, ENDED, job_gres
from slurm_says import ANYTHING, gres_labels, memory_bytes, seconds, tres


def job_words(slurm):
    """What squeue --json says of states and SLUIDs, by job ID; 22.05 reports neither."""
    if slurm.release == "22.05":
        return {}
    jobs = json.loads(slurm.run("squeue", "-a", "-t", "all", "--json"))["jobs"]
    return {job["job_id"]: ([state.lower() for state in job["job_state"]], job.get("step_id", {}).get("sluid", ""))
            for job in jobs}


def host_names(slurm, lists):
    """The nodes of each list of nodes, all asked for at once."""
    lists = sorted({nodes for nodes in lists if nodes and nodes != "(null)"})
    script = 'for list; do scontrol show hostnames "$list" | paste -sd" "; done'
    names = slurm.run("sh", "-c", script, "sh", *lists).splitlines() if lists else []
    return dict(zip(lists, (line.split() for line in names), strict=True))


def count_ids(ids):
    """0-1,5 -> 3"""
    return sum(int(last or first) - int(first) + 1 for first, last in re.findall(r"(\d+)(?:-(\d+))?", ids))


def raw_jobs(slurm):
    """The records of scontrol: a dict, and what they say of CPUs, node by node. A name may hold a newline."""
    for line in re.split(r"\n(?=JobId=)", slurm.run("scontrol", "-a", "-d", "-o", "show", "job").rstrip("\n")):
        fields = {name: value.strip() for name, value in re.findall(r"(\w+)=(.*?)(?=\s+[\w/:]+=|\s*$)", line, re.DOTALL)}
        if "JobId" in fields:  # else there are no jobs, which it says in words
            yield fields, re.findall(r"\bNodes=(\S+) CPU_IDs=(\S+)", line)


def add_each_job(slurm, samples):
    words = job_words(slurm)
    jobs = list(raw_jobs(slurm))
    names = host_names(slurm, [job["NodeList"] for job, _ in jobs] + [nodes for _, cpus in jobs for nodes, _ in cpus])
    sizes = {node["NodeName"]: int(node["CPUTot"]) for node in slurm.records("node")}
    for job, cpus in jobs:
        said = job["JobState"]
        (base, *flags), sluid = words.get(int(job["JobId"]), ([BASE_STATE_OF.get(said, said.lower())], ""))
        completes = said == "COMPLETING" or "completing" in flags
        if base in ENDED and not completes:
            continue
        add_times(samples, job)
        if said == "COMPLETING" and not words:  # how it has ended is not told
            for state in ENDED:
                samples.put("job_state", ANYTHING, jobid=job["JobId"], state=state)
        else:
            samples.put("job_state", 1, jobid=job["JobId"], state=base)
        if base != "pending" and job["NodeList"] in names:  # scontrol is asked a moment after squeue
            held = Counter()
            for nodes, ids in cpus:
                for node in names[nodes]:
                    held[node] += count_ids(ids)
            add_held(samples, job, names[job["NodeList"]], held, sizes, sluid)


def add_times(samples, job):
    name = {"jobid": job["JobId"]}
    samples.put("job_priority", int(job["Priority"]), **name)
    samples.put("job_restarts", int(job["Restarts"]), **name)
    for family, field in (("submit", "SubmitTime"), ("eligible", "EligibleTime")):
        if job[field].isdigit():
            samples.put(f"job_{family}_timestamp_seconds", int(job[field]), **name)
    if re.fullmatch(r"[\d:-]+", job["TimeLimit"]):
        samples.put("job_time_limit_seconds", seconds(job["TimeLimit"]), **name)


def add_held(samples, job, nodes, held, sizes, sluid):
    """Of a job that holds nodes; `held`: its CPUs by node."""
    name = {"jobid": job["JobId"]}
    resources = tres(job.get("AllocTRES") or job["TRES"])
    exclusive = int(resources["cpu"]) == sum(sizes[node] for node in nodes)
    samples.put("job_info", 1, sluid=sluid, user=job["UserId"].partition("(")[0], account=job["Account"],
                partition=job["Partition"], qos=job["QOS"], name=job["JobName"],
                array_job_id=job.get("ArrayJobId", ""), array_task_id=job.get("ArrayTaskId", ""),
                het_job_id=job.get("HetJobId", ""), exclusive="true" if exclusive else "false", **name)
    samples.put("job_start_timestamp_seconds", int(job["StartTime"]), **name)
    for node in nodes:
        samples.put("job_node_info", 1, node=node, **name)
        # a job that completes has none any more, by this account
        samples.put("job_node_cpus", held[node] or (sizes[node] if exclusive else ANYTHING), node=node, **name)
    samples.put("job_allocated_cpus", int(resources["cpu"]), **name)
    samples.put("job_allocated_memory_bytes", memory_bytes(resources["mem"]), **name)
    for (gres, kind), count in job_gres(resources).items():
        if count:
            samples.put("job_allocated_gres", count, **gres_labels(gres, kind), **name)
