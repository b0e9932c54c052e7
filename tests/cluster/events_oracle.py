"""What slurmscope has counted of job events against sacct, number by number."""

import bisect
import math
import re
import time
from collections import Counter

from slurm_says import gres_labels, memory_bytes, tres

SACCT_SAYS_ALL_OF_EXIT_CODES = "25.11"  # before it, sacct took 128 from larger ones (its print.c)
COLUMNS = ("JobIDRaw JobID User Account Partition QOS Submit Eligible Start End State ElapsedRaw AllocCPUS NNodes "
           "AllocTRES ExitCode TimelimitRaw NodeList SubmitLine ConsumedEnergyRaw").split()
OWNER_DURATIONS = (60, 900, 3600, 14400, 86400, 604800)
DURATIONS = (1, 10, 60, 300, 900, 1800, 3600, 7200, 14400, 28800, 86400, 172800, 604800, 2592000)
RATIOS = (0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1, 1.1)
SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 65536)
END_STATES = ("completed failed cancelled timeout out_of_memory node_fail preempted boot_fail deadline "
              "requeued").split()
FAMILIES = re.compile(r"slurm_([a-z]+_job_(submissions|starts|ends|allocated_(cpu|billing|gres|memory_byte)_seconds|exits|failures)_total|"
                      r"[a-z]+_ended_job_energy_joules_total|"
                      r"(account|user)_job_(eligible_wait|runtime)_seconds|"
                      r"partition_job_((eligible_wait|submit_wait|runtime)_seconds|time_limit_ratio|size_\w+?))"
                      r"(_bucket|_sum|_count)?\{?")


def sacct_command(slurm, columns, *options, states=END_STATES, since="now-1day", until="now+1day"):
    """Of every run that ended in that time; without its states sacct leaves out what never became eligible."""
    array = () if slurm.release == "22.05" else ("--array",)
    return ("sacct", "-a", "-D", *options, *array, "-P", "-S", since, "-E", until, "-s", ",".join(states), "-o", ",".join(columns))


def columns_of(slurm):
    """22.05 does not tell whose failure ended a job."""
    return COLUMNS if slurm.release == "22.05" else [*COLUMNS, "FailedNode"]


def sacct(slurm, columns, *options, **selected):
    """What a job asked for may have a | in it, as `-L matlab:1|fluent:1`."""
    delimiter = "\x1f"
    return slurm.table(*sacct_command(slurm, columns, *options, f"--delimiter={delimiter}", **selected), delimiter=delimiter)


def tasks(row):
    """How many jobs a line stands for: "40_[1-5,10-40:3]" is what was cancelled of an array, where sacct has no --array."""
    listed = re.search(r"_\[([\d,:-]+)", row["JobID"])
    parts = re.findall(r"(\d+)(?:-(\d+)(?::(\d+))?)?", listed[1]) if listed else [("0", "", "")]
    return sum((int(last or first) - int(first)) // int(step or 1) + 1 for first, last, step in parts)


def held_nodes(row):
    return "node" in tres(row["AllocTRES"])


def has_start(row):
    """sacct gives a start to what was cancelled before it got nodes, too. 22.05 even gives CPUs to an array's rest that was
    cancelled as one of its tasks was about to start."""
    return held_nodes(row) and is_time(row["Start"])


def lacks_start(row):
    """It ran, but a slurmctld that was relieved told nobody since when (24.11)."""
    return held_nodes(row) and not is_time(row["Start"])


def each_once(rows):
    """slurmdbd may never hear of the start of an array's last task. Then sacct has that task once for each task that was left
    when slurmdbd last heard of them."""
    seen = set()
    for row in rows:
        key = row["JobIDRaw"], row["Submit"]
        if not lacks_start(row):
            yield row
        elif key not in seen:
            seen.add(key)
            yield row | {"JobID": row["JobIDRaw"]}


def without_lost_start(row):
    """A slurmctld that is relieved or killed may lose the start of a job, which waits again then. What would have made it smaller
    makes it ask for fewer nodes, and so it starts once more (24.11). sacct has that last start. A slurmscope that saw the first one has
    the nodes that it was submitted for."""
    asked = re.search(r"--nodes=(\d+) ", row["SubmitLine"])
    if not (asked and has_start(row) and int(asked[1]) > int(row["NNodes"])):
        return row
    return row | {"Start": "Unknown", "NNodes": asked[1], "Held": [(0, row["Held"][0][1] | {"node": asked[1]}), *row["Held"]]}


def sizes(row, resized):
    """A row for each size that the job had, the first one first. A row's submission is when the job got that size. So is its
    start, but on 22.05 that is the job's own."""
    rows = [row]
    while before := resized.pop((row["JobIDRaw"], rows[0]["Submit"]), None):
        rows[0]["ElapsedRaw"] = int(rows[0]["ElapsedRaw"]) - (int(rows[0]["Submit"]) - int(rows[0]["Start"]))
        rows.insert(0, before)
    return rows


def ended_after(since):
    return {"since": f"now-{int(time.time()) - since + 1}seconds"} if since else {}


def runs(slurm, since=0):
    rows = list(each_once(sacct(slurm, columns_of(slurm), "-X", states=(*END_STATES, "resizing"), **ended_after(since))))
    for row in rows:
        row["State"] = row["State"].split()[0]
    first = {}
    for row in rows:
        first[row["JobIDRaw"]] = min(int(row["Submit"]), first.get(row["JobIDRaw"], int(row["Submit"])))
    resized = {(row["JobIDRaw"], row["End"]): row for row in rows if row["State"] == "RESIZING"}
    for row in rows:
        if row["State"] not in ("RESIZING", "REVOKED"):
            parts = sizes(row, resized)
            row |= {"Held": [(int(part["ElapsedRaw"]), tres(part["AllocTRES"])) for part in parts],
                    "ElapsedRaw": sum(int(part["ElapsedRaw"]) for part in parts)}
            row |= {name: parts[0][name] for name in ("Submit", "Eligible", "Start", "NNodes")}
            row["IsRequeued"] = int(row["Submit"]) > first[row["JobIDRaw"]]
            if has_start(row):  # slurmctld names the partition that it ran in first
                row["Partition"] = row["Partition"].partition(",")[0]
            row = without_lost_start(row)
            for _ in range(tasks(row)):
                yield row


def resizes(slurm):
    """All that sacct has of jobs that changed their size, line by line: which of them may be why a start differs."""
    rows = sacct(slurm, columns_of(slurm), "-X", states=(*END_STATES, "resizing"))
    jobs = {row["JobIDRaw"] for row in rows if re.search("--nodes=(?!%s )" % row["NNodes"], row["SubmitLine"])}
    return ["|".join(row.values()) for row in rows if row["JobIDRaw"] in jobs]


def of_several_partitions(slurm):
    """Likewise of jobs that named several partitions, each of which they were submitted in."""
    return ["|".join(row.values()) for row in sacct(slurm, columns_of(slurm), "-X", states=(*END_STATES, "resizing"))
            if named_partitions(row) or "," in row["Partition"]]


def cpu_seconds(text):
    """[[days-]hours:]minutes:seconds.milliseconds"""
    days, _, rest = text.rpartition("-")
    parts = [float(part) for part in rest.split(":")] if rest else [0]
    return int(days or 0) * 86400 + sum(part * 60**i for i, part in enumerate(reversed(parts)))


def joules(row):
    """slurmdbd's NO_VAL64 is printed as it is."""
    energy = int(row["ConsumedEnergyRaw"] or 0)
    return energy if energy < 2**63 else 0


def is_time(text):
    return text.isdigit() and int(text) > 0


def labels(**names):
    return "{" + ",".join(f'{name}="{value}"' for name, value in names.items()) + "}" if names else ""


def entities(row):
    """(name of X, labels) of everybody that the run counts for."""
    yield "cluster", {}
    for partition in set(row["Partition"].split(",")):  # several, if it was cancelled while it waited
        yield "partition", {"partition": partition}
    yield "account", {"account": row["Account"]}
    yield "user", {"user": row["User"], "account": row["Account"]}
    yield "qos", {"qos": row["QOS"]}


def named_partitions(row):
    """Those that the job asked for, if there are several: sacct only has the one that it was in last."""
    found = re.search(r"(?:-p|--partition)[ =](\S+,\S+)", row["SubmitLine"])
    return set(found[1].split(",")) - set(row["Partition"].split(",")) if found else set()


def held_gres(held):
    """{(name, type): count}: what is listed without a type includes what has one."""
    counts = Counter()
    for name, count in held.items():
        if name.startswith("gres/"):
            gres, _, kind = name[5:].partition(":")
            counts[gres, kind] += int(count)
            if kind:
                counts[gres, ""] -= int(count)
    return +counts


class Truth:
    def __init__(self, release):
        self.release = release
        self.tells_codes = release != "22.05"  # slurmrestd 22.05 gives any exit code as 0.
        # Before 26.05 slurmctld does not report the partitions that a job named if it has ended before anybody asked.
        # That of 22.05 does not even for a job that runs.
        self.tells_named = release == "26.05"
        self.samples = Counter()
        self.more = Counter()  # how much more it may be, where slurmscope saw more than sacct has

    def entities(self, row):
        return entities(row)

    def count(self, family, amount=1, **names):
        self.samples[f"slurm_{family}_total{labels(**names)}"] += amount

    def observe(self, family, bounds, value, **names):
        first = bisect.bisect_left(bounds, value)
        for i, bound in enumerate((*bounds, float("inf"))):
            le = "+Inf" if bound == float("inf") else f"{bound:g}" if bound < 1e6 else str(bound)
            self.samples[f"slurm_{family}_bucket{labels(**names, le=le)}"] += i >= first
        self.samples[f"slurm_{family}_sum{labels(**names)}"] += value
        self.samples[f"slurm_{family}_count{labels(**names)}"] += 1

    def add(self, row):
        held = row["Held"][0][1]
        queue = {"partition": row["Partition"], "qos": row["QOS"]}
        has_started = has_start(row)
        state = row["State"].lower()
        for entity, names in self.entities(row):
            self.count(f"{entity}_job_submissions", **names)
            self.count(f"{entity}_job_starts", has_started, **names)
            for known in END_STATES:
                self.count(f"{entity}_job_ends", known == state, **names, state=known)
            self.add_time(row, entity, names, has_started)
            if entity in ("partition", "account", "user"):
                self.count(f"{entity}_ended_job_energy_joules", joules(row), **names)
        for partition in named_partitions(row):
            # slurmctld stores only the partition that a job runs in (job_mgr.c: get_part_list from job_ptr->partition). If it is
            # restarted, and the job then requeued, the job waits in that one alone.
            told = self.samples if self.tells_named and not row["IsRequeued"] else self.more
            told[f"slurm_partition_job_submissions_total{labels(partition=partition)}"] += 1
        if has_started:
            self.add_start(row, queue, held, row["ElapsedRaw"])
        elif lacks_start(row):
            self.may_have_started(row, queue, held)

    def may_have_started(self, row, queue, held):
        """At any time since it was submitted, if somebody saw it."""
        longest = int(row["End"]) - int(row["Submit"])
        started = row | {"Start": row["Submit"], "Eligible": row["Submit"], "Held": [(longest, held), *row["Held"][1:]]}
        of_start = type(self)(self.release)
        of_start.add_start(started, queue, held, 0)
        for entity, names in self.entities(row):
            of_start.count(f"{entity}_job_starts", **names)
            of_start.add_time(started, entity, names, True)
        self.more.update(of_start.more)
        for series in of_start.samples:
            self.more[series] += longest if "_seconds_sum" in series else of_start.samples[series]
            if "_ratio_sum" in series:
                self.more[series] += longest / 60 / int(row["TimelimitRaw"])

    def add_time(self, row, entity, names, has_started):
        for part, (elapsed, held) in enumerate(row["Held"]):
            for family, amount in (("cpu", int), ("billing", int), ("memory_byte", memory_bytes)):
                kind = family.partition("_")[0].replace("memory", "mem")
                held_of_it = amount(held[kind]) if has_started and kind in held else 0
                self.count(f"{entity}_job_allocated_{family}_seconds", elapsed * held_of_it, **names)
                if part:  # that it holds less is seen when its details are read in their turn, if it lives so long
                    less = max(0, amount(row["Held"][part - 1][1].get(kind, "0")) - held_of_it)
                    self.more[f"slurm_{entity}_job_allocated_{family}_seconds_total{labels(**names)}"] += elapsed * less
            for gres, held_of_it in held_gres(held).items():
                self.count(f"{entity}_job_allocated_gres_seconds", elapsed * held_of_it, **names, **gres_labels(*gres))

    def may_be_smaller(self, what, first, last, partition):
        """For slurmscope a job that was resized before it was seen to run has started with its later size."""
        self.samples[f"slurm_partition_job_size_{what}_sum{labels(**partition)}"] -= max(0, first - last)
        self.more[f"slurm_partition_job_size_{what}_sum{labels(**partition)}"] += max(0, first - last)
        for bound in SIZES:
            self.more[f"slurm_partition_job_size_{what}_bucket{labels(**partition, le=bound)}"] += last <= bound < first

    def add_start(self, row, queue, held, elapsed):
        start = int(row["Start"])
        code, signal = row["ExitCode"].split(":")
        has_code = code != "0" and (self.tells_codes or row["State"] == "FAILED")
        exit_class = "signal" if signal != "0" else "nonzero" if has_code else "zero"
        eligible = int(row["Eligible"]) if is_time(row["Eligible"]) else int(row["Submit"])
        partition = {"partition": queue["partition"]}
        self.observe("partition_job_eligible_wait_seconds", DURATIONS, max(0, start - eligible), **queue)
        self.observe("partition_job_submit_wait_seconds", DURATIONS, max(0, start - int(row["Submit"])), **queue)
        self.observe("partition_job_runtime_seconds", DURATIONS, elapsed, **queue)
        for entity, names in entities(row):
            if entity in ("account", "user"):
                self.observe(f"{entity}_job_eligible_wait_seconds", OWNER_DURATIONS, max(0, start - eligible), **names)
                self.observe(f"{entity}_job_runtime_seconds", OWNER_DURATIONS, elapsed, **names)
        self.observe("partition_job_size_cpus", SIZES, int(held["cpu"]), **partition)
        self.observe("partition_job_size_nodes", SIZES, int(row["NNodes"]), **partition)
        if len(row["Held"]) > 1:
            self.may_be_smaller("cpus", int(held["cpu"]), int(row["Held"][-1][1]["cpu"]), partition)
            self.may_be_smaller("nodes", int(held["node"]), int(row["Held"][-1][1]["node"]), partition)
        if row["TimelimitRaw"].isdigit():
            self.observe("partition_job_time_limit_ratio", RATIOS, elapsed / 60 / int(row["TimelimitRaw"]), **partition)
        state, node = row["State"].lower(), re.sub(r"\[(\d+).*", r"\1", row["NodeList"].split(",")[0])
        lost = row.get("FailedNode", "") if self.tells_codes else ""  # nor does 22.05 tell whose failure ended a job
        if state == "failed" or (state in ("node_fail", "boot_fail") and (row["NNodes"] == "1" or lost)):
            self.count("node_job_failures", node=lost or node, kind=state)
        # What sacct says of the others depends on whether slurmctld was restarted soon after they ended.
        ended_by_itself = state in ("completed", "failed", "out_of_memory")
        self.count("cluster_job_exits", ended_by_itself, **{"class": exit_class})
        self.count("partition_job_exits", ended_by_itself, **partition, **{"class": exit_class})


def compare(slurm, page, truth=None, families=FAMILIES):
    """(equal, {series: (page, the nearest that would be right)}, runs): every sample of either."""
    truth, count = truth or Truth(slurm.release), 0
    for row in runs(slurm):
        truth.add(row)
        count += 1
    mine = {series: value for series, value in page.items() if families.match(series)}
    wrong = {}
    for series in mine.keys() | truth.samples.keys():
        shown, least = mine.get(series, 0), truth.samples.get(series, 0)
        most = least + truth.more[series]
        if not least * (1 - 1e-9) <= shown <= most * (1 + 1e-9):
            wrong[series] = shown, most if shown > most else least
    return len(mine.keys() | truth.samples.keys()) - len(wrong), wrong, count


def job_names(slurm):
    """By raw ID. A name may hold a newline, which no table of sacct shows as such; the rest of it is on a line of its own."""
    said = slurm.run(*sacct_command(slurm, ("JobIDRaw", "JobName"), "-X", "-n"))
    return dict(re.findall(r"^(\d+)\|(.*)$", said, re.M))


def ended_rows(slurm, since):
    """(family, job, labels, value) of the rows of each job that ended since then, as sacct has its latest run."""
    latest, names = {}, job_names(slurm)
    for row in runs(slurm, since):
        if int(row["End"]) < since:
            continue
        known = latest.setdefault(row["JobIDRaw"], row)
        if int(row["End"]) >= int(known["End"]):
            latest[row["JobIDRaw"]] = row
    for job, row in latest.items():
        held, state = row["Held"][-1][1], row["State"].lower()
        code, by = row["ExitCode"].split(":")
        ended_by_itself = has_start(row) and state in ("completed", "failed", "out_of_memory")
        array, _, task = row["JobID"].partition("_")
        if task and array == job and not has_start(row):
            task = "the rest, which has none"
        yield "info", job, {"user": row["User"], "account": row["Account"], "partition": row["Partition"], "qos": row["QOS"],
                            "name": names[job], "state": state, "array_job_id": array if task else "",
                            "array_task_id": task if task.isdigit() else "",
                            "exit_code": code if ended_by_itself and by == "0" else "",
                            "signal": by if ended_by_itself and by != "0" else "", "failed_node": row.get("FailedNode", "")}, 1
        for family, column in (("submit", "Submit"), ("eligible", "Eligible"), ("end", "End")):
            if is_time(row[column]):
                yield f"{family}_timestamp_seconds", job, {}, int(row[column])
        if row["TimelimitRaw"].isdigit():
            yield "time_limit_seconds", job, {}, 60 * int(row["TimelimitRaw"])
        if not has_start(row):
            continue
        yield "start_timestamp_seconds", job, {}, int(row["Start"])
        yield "run_seconds", job, {}, row["ElapsedRaw"]
        yield "allocated_cpus", job, {}, int(held["cpu"])
        yield "allocated_memory_bytes", job, {}, memory_bytes(held["mem"])
        yield "allocated_nodes", job, {}, int(held["node"])
        for gres, count in held_gres(held).items():
            yield "allocated_gres", job, gres_labels(*gres), count
        if joules(row):
            yield "energy_joules", job, {}, joules(row)


def compare_ended(slurm, page, since=0):
    """(equal, {series: (page, sacct)}, jobs): rows of jobs that ended, of all of them. Labels that are not known are absent."""
    shown, said = {}, {}
    for family, job, names, value in ended_rows(slurm, since):
        names = {name: text for name, text in names.items() if text and text != "(null)"}
        said[family, frozenset([("jobid", job), *names.items()])] = value
    # Was it the array's rest, or its last task, which has the array's ID, too? sacct shows both alike if neither started.
    rests = {names["jobid"] for names in map(dict, (names for family, names in said if family == "info"))
             if names.get("array_job_id") == names["jobid"] and "array_task_id" not in names}
    for series, value in page.items():
        found = re.fullmatch(r"slurm_ended_job_(\w+)\{(.*)\}", series)
        if found and "jobid" in found[2] and found[1] not in ("used_cpu_seconds", "peak_memory_bytes"):
            names = {name: re.sub(r"\\(.)", r"\1", text)
                     for name, text in re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', found[2]) if name != "sluid"}
            if names["jobid"] in rests:
                names.pop("array_task_id", None)
            if int(names.get("exit_code", 0)) >= 128 and slurm.release < SACCT_SAYS_ALL_OF_EXIT_CODES:
                names["exit_code"] = str(int(names["exit_code"]) - 128)
            if slurm.release == "22.05":  # which tells neither codes nor whose failure it was
                names.pop("exit_code", None)
            shown[found[1], frozenset(names.items())] = value
    if slurm.release == "22.05":
        said = {(family, frozenset(pair for pair in names if pair[0] not in ("exit_code", "failed_node"))): value
                for (family, names), value in said.items()}
    wrong = {f"{family} {sorted(names)}": (shown.get((family, names)), said.get((family, names)))
             for family, names in shown.keys() | said.keys() if shown.get((family, names)) != said.get((family, names))}
    return len(shown.keys() | said.keys()) - len(wrong), wrong, sum(family == "info" for family, _ in said)


def compare_use_of_jobs(slurm, page, since):
    """(equal, {job: (page, sacct)}): CPU time that each job used, where it differs by more than sacct's rounding."""
    told = [row for row in sacct(slurm, ("JobIDRaw", "TotalCPU", "End", "Start", "AllocTRES"), **ended_after(since))
            if row["JobIDRaw"].isdigit() and is_time(row["End"]) and int(row["End"]) >= since]
    rows = {row["JobIDRaw"]: row for row in sorted(told, key=lambda row: int(row["End"])) if has_start(row)}
    for row in told:  # a later run never started
        if int(row["End"]) > int(rows.get(row["JobIDRaw"], row)["End"]):
            del rows[row["JobIDRaw"]]
    equal, wrong = 0, {}
    for job, row in rows.items():
        used, shown = cpu_seconds(row["TotalCPU"]), page.get(f'slurm_ended_job_used_cpu_seconds{{jobid="{job}"}}')
        if (shown is None and not used) or (shown is not None and abs(shown - used) <= 0.002):
            equal += 1
        else:
            wrong[f"CPU time of job {job}"] = shown, used
    return equal, wrong


def compare_use(slurm, page):
    """{account: (page, sacct)}: CPU time used, where it differs by more than sacct's rounding."""
    used, count, unsure = Counter(), Counter(), Counter()
    for row in each_once(sacct(slurm, ("JobIDRaw", "Account", "TotalCPU", "AllocTRES", "Submit", "Start"))):
        if row["JobIDRaw"].isdigit():  # the job's own line adds up its steps
            used[row["Account"]] += cpu_seconds(row["TotalCPU"])
            count[row["Account"]] += 1
            unsure[row["Account"]] += cpu_seconds(row["TotalCPU"]) * lacks_start(row)
    shown = {account: page.get(f'slurm_account_ended_job_used_cpu_seconds_total{{account="{account}"}}', 0)
             for account in used}
    return {account: (shown[account], used[account]) for account in used
            if not -unsure[account] <= shown[account] - used[account] + 0.001 * count[account] <= 0.002 * count[account]}


def gpu_use(slurm):
    """(row of sacct, GPU seconds held, GPU byte seconds) of each run with a step that tells of gres/gpumem. The step that had
    most counts. Steps follow their job."""
    columns = "JobIDRaw JobID User Account Partition QOS Submit Start ElapsedRaw AllocTRES TRESUsageInTot".split()
    job, peak = None, None
    for row in [*each_once(sacct(slurm, columns, "--noconvert")), {"JobIDRaw": "0"}]:
        if row["JobIDRaw"].isdigit():
            if job and peak is not None:
                elapsed, gpus = int(job["ElapsedRaw"]), held_gres(tres(job["AllocTRES"]))
                yield job, elapsed * sum(count for (gres, _), count in gpus.items() if gres == "gpu"), elapsed * peak
            job, peak = row, None
        elif told := re.search(r"gres/gpumem=(\d+)", row["TRESUsageInTot"]):
            peak = max(peak or 0, int(told[1]))


def compare_gpu_memory(slurm, page):
    """{series: (page, sacct)}: those that differ, of all. A run whose start slurmdbd never learned may count or not."""
    least, more = Counter(), Counter()
    for row, seconds, byte_seconds in gpu_use(slurm):
        for entity, names in entities(row):
            for family, amount in (("allocated_gpu", seconds), ("peak_gpu_memory_byte", byte_seconds)):
                if seconds and entity in ("partition", "account", "user"):
                    amounts = more if lacks_start(row) else least
                    amounts[f"slurm_{entity}_ended_job_{family}_seconds_total{labels(**names)}"] += amount
    shown = {series: page[series] for series in page if re.match(r"slurm_[a-z]+_ended_job_\w+_gpu_\w+_total\{", series)}
    return {series: (shown.get(series, 0), least[series]) for series in shown.keys() | least.keys()
            if not least[series] <= shown.get(series, 0) <= least[series] + more[series]}


def compare_p95(slurm, prometheus):
    """[(partition, PromQL's P95 of the wait, lower, upper)]: the exact one's bucket; those outside of it."""
    waits = {}  # the least and the most
    for row in runs(slurm):
        if held_nodes(row):
            eligible = int(row["Eligible"] if is_time(row["Eligible"]) else row["Submit"])
            most = max(0, int(row["Start" if has_start(row) else "End"]) - eligible)
            waits.setdefault(row["Partition"], []).append((most * has_start(row), most))
    shown = prometheus.query("histogram_quantile(0.95, sum by (le, partition) (slurm_partition_job_eligible_wait_seconds_bucket))")
    wrong = []
    for partition, both in waits.items():
        least, most = (sorted(seconds)[math.ceil(0.95 * len(both)) - 1] for seconds in zip(*both))
        at = bisect.bisect_left(DURATIONS, least)
        lower, upper = DURATIONS[at - 1] if at else 0, DURATIONS[bisect.bisect_left(DURATIONS, most)]
        value = shown.get((("partition", partition),))
        if value is None or not lower <= value <= upper:
            wrong.append((partition, value, lower, upper))
    return len(waits), wrong


def wait_for_ends(slurm, seconds=450):
    """Until no job lives any more; what would wait for ever is cancelled, or resumed, which slurmctld may not have been
    there for. One whose slurmctld was stopped as it started it lives until its time limit of five minutes. slurmdbd hears of it a
    little later."""
    end = time.monotonic() + seconds
    # slurmctld may just be starting
    while live := slurm.run("sh", "-c", "squeue -h -a -o '%i %T' || echo all of them").split("\n")[:-1]:
        assert time.monotonic() < end, f"these live on: {live[:5]}"
        if waiting := {re.sub(r"%[0-9]+", "", line.split()[0].partition("+")[0]) for line in live if line.endswith("PENDING")}:
            slurm.run("sh", "-c", f"scancel {' '.join(waiting)} || true")
        for suspended in (line.split()[0] for line in live if line.endswith("SUSPENDED")):
            slurm.run("sh", "-c", f"scontrol resume {suspended} || true")
        time.sleep(2)
