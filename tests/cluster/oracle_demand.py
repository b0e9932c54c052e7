"""What jobs that could start ask for, and what is idle where none of them fits, as scontrol and sinfo say."""

from collections import Counter, defaultdict

from oracle_jobs import array_tasks, asked_gpus, job_gres, named_gpus, reason_class, reason_of, with_gpus
from oracle_nodes import HINDRANCES, effective, flags_of
from slurm_says import UNITS, gres_counts, memory_bytes, tres

COMES_BY_ITSELF = {"planned", "completing"}


def word(job, *names):
    """The first of these that scontrol prints. Behind it may be what is no name, such as `AllocNode:Sid`."""
    return next((job[name] for name in names if job.get(name)), "0").split()[0]


class Need:
    """What a job needs of a node at least."""

    def __init__(self, job, asked):
        one_node = word(job, "NumNodes").endswith("-1")
        self.cpus = int(asked["cpu"]) if one_node else max(1, int(word(job, "MinCPUsNode")))
        per_cpu = memory_bytes(word(job, "MinMemoryCPU"))
        self.memory = per_cpu * self.cpus or memory_bytes(word(job, "MinMemoryNode", "MinMemoryTRES"))
        gpus = named_gpus(word(job, "TresPerNode"))
        if not gpus:
            gpus = Counter({kind: count if one_node else 1 for (gres, kind), count in job_gres(asked).items() if gres == "gpu" and count > 0})
        self.gpus, self.kind = sum(gpus.values()), next(iter(gpus)) if len(gpus) == 1 else ""

    def takes(self, kind):
        return self.gpus and kind in (self.kind, "") or not self.kind and self.gpus

    def fits(self, cpus, memory, gpus):
        return self.cpus <= cpus and self.memory <= memory and self.gpus <= sum(count for kind, count in gpus.items() if self.takes(kind))


def size_class(number):
    first = 1 << number.bit_length() >> 1
    return str(number) if number < 2 else f"{first}-{2 * first - 1}"


def startable(slurm):
    """The jobs' records. A name with a line break cuts one in two: then the second part has all but the ID."""
    for job in slurm.records("job"):
        if job.get("JobState") == "PENDING" and reason_class(reason_of(job.get("Reason", ""))) == "startable":
            yield job


def add_demand(slurm, samples):
    tasks, needs = array_tasks(slurm), defaultdict(list)
    for job in startable(slurm):
        asked = with_gpus(tres(word(job, "ReqTRES", "TRES")), asked_gpus(slurm, job))
        need, nodes, times = Need(job, asked), int(asked["node"]), tasks.get(int(word(job, "JobId")), 1)
        gpus = max(need.gpus * nodes, sum(count for (gres, _), count in job_gres(asked).items() if gres == "gpu"))
        for partition in dict.fromkeys(word(job, "Partition").split(",")):
            labels = {"partition": partition, "type": need.kind, "gpus": size_class(need.gpus)}
            needs[partition].append(need)
            samples.add("partition_startable_jobs", times, **labels)
            samples.add("partition_startable_job_nodes", times * nodes, **labels)
            samples.add("partition_startable_job_cpus", times * int(asked["cpu"]), **labels)
            samples.add("partition_startable_job_memory_bytes", times * memory_bytes(asked.get("mem", "0")), **labels)
            if gpus:
                samples.add("partition_startable_job_gpus", times * gpus, **labels)
    add_stranded(slurm, samples, needs)


def add_stranded(slurm, samples, needs):
    idle = {}
    for line in slurm.run("sinfo", "-a", "-h", "-N", "-o", "%N|%R|%C").splitlines():
        node, partition, counts = line.split("|")
        idle.setdefault(node, (int(counts.split("/")[1]), set()))[1].add(partition)
    for partition in needs:
        samples.add("partition_stranded_cpus", 0, partition=partition)
    for node in slurm.records("node"):
        cpus, partitions = idle.get(node["NodeName"], (0, set()))  # sinfo does not list those of no partition
        can_have = effective(node)
        cpus = min(cpus, max(0, can_have["effective_cpus"] - int(node["CPUAlloc"])))
        used = gres_counts(node.get("GresUsed", ""))
        gpus = {kind: count - used[gres, kind] for (gres, kind), count in gres_counts(node["Gres"]).items() if gres == "gpu"}
        base, flags = flags_of(node)
        gets_jobs = base in ("idle", "mixed", "allocated") and not flags & (HINDRANCES - COMES_BY_ITSELF)
        memory = can_have["effective_memory_bytes"] - int(node["AllocMem"]) * UNITS["M"]
        for partition in partitions & needs.keys():
            fit = [need for need in needs[partition] if need.fits(cpus, memory, gpus)]
            samples.add("partition_stranded_cpus", cpus if gets_jobs and not fit else 0, partition=partition)
            for kind, count in gpus.items():
                if any(need.gpus for need in needs[partition]):
                    is_used = not gets_jobs or any(need.takes(kind) for need in fit)
                    samples.add("partition_stranded_gpus", 0 if is_used else count, partition=partition, type=kind)
