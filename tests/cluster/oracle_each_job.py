"""Each job by itself, as scontrol show job -d says."""

import json
import re
import time
from collections import Counter

from oracle_jobs import (BASE_STATE_OF, ENDED, asked_gpus, count_tasks, held_gpus, job_gres, raw_jobs, reason_class, reason_of, told,
                         with_gpus, user_of)
from oracle_nodes import effective
from slurm_says import ANYTHING, About, gres_labels, memory_bytes, seconds, tres

SOON_S = 60  # slurmctld gives the present for a forecast that has passed


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


def job_reasons(slurm):
    """Why each job waits, by raw ID."""
    table = slurm.run("squeue", "-r", "-a", "-h", "-t", "all", "-O", "JobID:|,Reason:|")
    said = dict(line.split("|")[:2] for line in table.splitlines())
    return {job: reason_of(reason) for job, reason in said.items()}


def job_priorities(slurm):
    """What sprio says of jobs that wait in one partition, by raw ID. It leaves out those that are held or cannot start yet."""
    if not slurm.has_factors:
        return {}
    rows = [line.split("|") for line in slurm.run("sprio", "-h", "-o", "%i|%Y").splitlines()]
    of_one = Counter(job for job, _ in rows)
    return {job: int(priority) for job, priority in rows if of_one[job] == 1}


def add_each_job(slurm, samples):
    words, reasons, priorities = job_words(slurm), job_reasons(slurm), job_priorities(slurm)
    jobs = list(raw_jobs(slurm))
    names = host_names(slurm, [job["NodeList"] for job, _ in jobs] + [nodes for _, cpus in jobs for nodes, _ in cpus])
    nodes = {node["NodeName"]: node for node in slurm.records("node")}
    sizes = {name: effective(node)["effective_cpus"] for name, node in nodes.items()}
    # Up to v0.0.38 slurmrestd does not tell what is set aside, so the page cannot know whether a job has all of the rest.
    unsure = {name for name, size in sizes.items() if slurm.release == "22.05" and size != int(nodes[name]["CPUTot"])}
    for job, cpus in jobs:
        said = job["JobState"]
        (base, *flags), sluid = words.get(int(job["JobId"]), ([BASE_STATE_OF.get(said, said.lower())], ""))
        completes = said == "COMPLETING" or "completing" in flags
        if base in ENDED and not completes:
            continue
        add_times(samples, job, priorities.get(job["JobId"] if base == "pending" else None, int(job["Priority"])))
        if said == "COMPLETING" and not words:  # how it has ended is not told
            for state in ENDED:
                samples.put("job_state", ANYTHING, jobid=job["JobId"], state=state)
        else:
            samples.put("job_state", 1, jobid=job["JobId"], state=base)
        if base == "pending":
            add_pending(samples, job, reasons.get(job["JobId"], "None"), asked_gpus(slurm, job), sluid)
        elif job["NodeList"] in names:  # scontrol is asked a moment after squeue
            held = Counter()
            for nodes, ids in cpus:
                for node in names[nodes]:
                    held[node] += count_ids(ids)
            if sum(held.values()) != int(tres(job.get("AllocTRES") or job["TRES"])["cpu"]):
                held.clear()  # with CR_CPU these are whole cores, of which the job has one thread
            add_held(samples, job, names[job["NodeList"]], held, held_gpus(slurm, job), sizes, unsure, sluid)


def add_times(samples, job, priority):
    name = {"jobid": job["JobId"]}
    samples.put("job_priority", priority, **name)
    samples.put("job_restarts", int(job["Restarts"]), **name)
    for family, field in (("submit", "SubmitTime"), ("eligible", "EligibleTime")):
        if job[field].isdigit():
            samples.put(f"job_{family}_timestamp_seconds", int(job[field]), **name)
    if re.fullmatch(r"[\d:-]+", job["TimeLimit"]):
        samples.put("job_time_limit_seconds", seconds(job["TimeLimit"]), **name)


def names_of(job, sluid):
    """The labels of its row. An array's rest is its first record, and has no task."""
    task = job.get("ArrayTaskId", "")
    is_rest = job["JobState"] == "PENDING" and job.get("ArrayJobId") == job["JobId"]
    return {"jobid": job["JobId"], "sluid": sluid, "user": user_of(*job["UserId"].rstrip(")").split("(")), "account": told(job["Account"]),
            "partition": ",".join(dict.fromkeys(job["Partition"].split(","))), "qos": told(job["QOS"]), "name": job["JobName"],
            "array_job_id": job.get("ArrayJobId", ""), "array_task_id": "" if is_rest else task,
            "het_job_id": job.get("HetJobId", "")}


def add_pending(samples, job, reason, gpus, sluid):
    name = {"jobid": job["JobId"]}
    resources = with_gpus(tres(job.get("ReqTRES") or job["TRES"]), gpus)
    names = names_of(job, sluid)
    tasks = 1 if names["array_task_id"] else count_tasks(job.get("ArrayTaskId", "1").partition("%")[0])
    samples.put("pending_job_info", 1, reason=reason, **{"class": reason_class(reason)}, **names)
    samples.put("pending_job_tasks", tasks, **name)
    samples.put("pending_job_requested_cpus", int(resources["cpu"]), **name)
    samples.put("pending_job_requested_memory_bytes", memory_bytes(resources.get("mem", "0")), **name)
    samples.put("pending_job_requested_nodes", int(resources["node"]), **name)
    for (gres, kind), count in job_gres(resources).items():
        if count:
            samples.put("pending_job_requested_gres", count, **gres_labels(gres, kind), **name)
    start, eligible = (int(job[field]) if job[field].isdigit() else 0 for field in ("StartTime", "EligibleTime"))
    if start > eligible:
        told = ANYTHING if start < time.time() + SOON_S else About(start, 1)
        samples.put("pending_job_expected_start_timestamp_seconds", told, **name)


def add_held(samples, job, nodes, held, gpus, sizes, unsure, sluid):
    """Of a job that holds nodes; `held`: its CPUs by node."""
    name = {"jobid": job["JobId"]}
    resources = with_gpus(tres(job.get("AllocTRES") or job["TRES"]), gpus)
    exclusive = int(resources["cpu"]) == sum(sizes[node] for node in nodes)
    is_told = not exclusive or not unsure & set(nodes)
    exclusive &= is_told
    samples.put("job_info", 1 if is_told else ANYTHING, exclusive="true" if exclusive else "false", **names_of(job, sluid))
    samples.put("job_start_timestamp_seconds", int(job["StartTime"]), **name)
    for node in nodes:
        samples.put("job_node_info", 1, node=node, **name)
        # a job that completes has none any more, by this account
        known = held[node] or (sizes[node] if exclusive else int(resources["cpu"]) if len(nodes) == 1 else ANYTHING)
        samples.put("job_node_cpus", known, node=node, **name)
    samples.put("job_allocated_cpus", int(resources["cpu"]), **name)
    samples.put("job_allocated_memory_bytes", memory_bytes(resources.get("mem", "0")), **name)  # Slurm may not give jobs any
    for (gres, kind), count in job_gres(resources).items():
        if count:
            samples.put("job_allocated_gres", count, **gres_labels(gres, kind), **name)
