#!/usr/bin/env python3
"""Compares pages of slurmscope with what Slurm's own commands say.

    oracle.py --cluster 24.11 --page FILE_OR_URL
    oracle.py --cluster 24.11 [--api v0.0.41,v0.0.42] [--moving SECONDS] -- slurmscope --once ...

Slurm's commands are asked right before and right after each page is taken. A sample of which they say the same both times
must be on the page as they say it. What moved is compared in a later round. A counter of a scheduler that moved must be on
the page with a value in between.

A sample fails if it differs in PERSISTENT rounds in a row, or whenever it can be compared. So does a sample that never can
be compared. A group fails if the binary lists families of it while nothing was compared. A round in which anything happened
to a job proves no difference: it may be undone by the second time.

With --moving jobs come and go for SECONDS, with pauses, and nearly all samples must have been compared. A page of a running
slurmscope may be as old as --lag allows: only what Slurm has said for longer is held against it.
"""

import argparse
import re
import subprocess
import sys
import time
import urllib.request
from collections import Counter, namedtuple

from oracle_controller import add_controller, add_licenses, add_reservations, add_scheduler, add_slurmdbd
from oracle_demand import add_demand
from oracle_each_job import add_each_job
from oracle_jobs import BASE_STATES, ENDED, LIVE_STATES, accounts_gpus, add_jobs
from oracle_limits import add_limits, add_shares, add_use
from oracle_nodes import add_nodes, add_partitions
from slurm_says import ANYTHING, LABEL_OF_OTHER, About, Samples, Slurm, conclude

ROUNDS = 25        # At most, on a cluster where nothing happens.
PERSISTENT = 3     # Rounds in a row in which a sample must differ.
MOVED = 100        # With --moving, samples that must change at least, or the test proves nothing.
STILL = 5          # Likewise, rounds in which nothing happens.
LONGER = 900       # Seconds that a slow machine may need for STILL rounds.
PAUSE = 4          # Rounds of each pause, and rounds between pauses, in which jobs come and go.
PRINTED = 10       # Differences of a group.
NEARLY_ALL = 0.95  # Of the samples of a group, to be compared while jobs come and go.
# Completing and configuring last a moment, and so do most jobs. There may be no still round in which their samples are seen.
MOMENTARY = {"job flags": 0.7, "each job": 0.7, "each waiting job": 0.7}
# The backfill scheduler runs every 5 s whatever happens. On a busy machine, where a round takes longer than that, some of its
# numbers move in every round. After RESTLESS_ROUNDS rounds these parts of them are enough.
RESTLESS = {"scheduler": 0.5, "backfill": 0.5, "controller queues": 0.5, "forecasts": 0.5}
RESTLESS_ROUNDS = 6
A_FEW = 20
GROWS = ("_total", "_timestamp_seconds")

# Who is asked for each group, and which families belong to it; X stands for the five entities, Y for account and user.
GROUPS = {
    "jobs": (add_jobs, ["X_jobs"]),
    "job flags": (add_jobs, ["X_jobs_flagged"]),
    "waiting": (add_jobs, ["X_pending_jobs", "X_oldest_pending_timestamp_seconds",
                           "partition_pending_job_max_nodes"]),
    "job resources": (add_jobs, ["X_job_(cpus|nodes|memory_bytes|gres)"]),
    "startable demand": (add_demand, ["partition_startable_jobs", "partition_startable_job_(nodes|cpus|memory_bytes|gpus)"]),
    "stranded": (add_demand, ["partition_stranded_(cpus|gpus)"]),
    "nodes": (add_nodes, ["X_nodes", "X_nodes_free", "X_nodes_flagged"]),
    "capacity": (add_nodes, ["X_(cpus|memory_bytes|gres|effective_cpus|effective_memory_bytes)"]),
    "each node": (add_nodes, ["node_(state|flag|info|reason_info|reason_timestamp_seconds)"]),
    "each node, full": (add_nodes, [
        "node_(cpus|effective_cpus|effective_memory_bytes|real_memory_bytes|free_memory_bytes|load1|gres|power_watts|partition_info|reservation_info|comment_info|feature_info)",
        "node_(boot|slurmd_start|last_busy)_timestamp_seconds"]),
    "each job": (add_each_job, [
        "job_(info|node_info|node_cpus|state|allocated_(cpus|memory_bytes|gres)|priority|restarts)",
        "job_((submit|eligible|start)_timestamp|time_limit)_seconds"]),
    "each waiting job": (add_each_job, ["pending_job_(info|tasks|requested_(cpus|memory_bytes|nodes|gres))"]),
    "forecasts": (add_each_job, ["pending_job_expected_start_timestamp_seconds"]),
    "partitions": (add_partitions, [
        "partition_(info|state|max_time_seconds|default_time_seconds|max_nodes|priority_tier|priority_job_factor)"]),
    "controller": (add_controller, ["cluster_info", "controller_up", "dbd_up"]),
    "shares": (add_shares, ["Y_(shares|shares_ratio|usage_tres_seconds|usage_ratio|usage_effective_ratio)",
                            "Y_fairshare_(factor|level)"]),
    "limits": (add_limits, ["qos_(limit|priority|usage_factor)", "association_limit"]),
    "use of limits": (add_use, ["(qos|association)_(usage|largest_usage|(entities|users)_at_limit)"]),
    "reservations": (add_reservations, ["reservation_.*"]),
    "licenses": (add_licenses, ["licenses", "licenses_configured"]),
    "scheduler": (add_scheduler, ["scheduler_.*"]),
    "backfill": (add_scheduler, ["backfill_.*"]),
    "controller queues": (add_scheduler, ["controller_(threads|agents|agent_queue)", "dbd_agent_queue"]),
    "rpcs": (add_scheduler, ["(user_)?rpc_(requests_total|seconds_total|pending)"]),
    "accounting rpcs": (add_slurmdbd, ["dbd_(user_)?rpc_.*", "dbd_rollup_.*"]),
}
ENTITIES = "cluster|partition|account|user|qos"

# What slurmrestd does not tell, from and up to which API version.
NOT_TOLD = (
    ("v0.0.37", "v0.0.37", "licenses.*|(user_)?rpc_.*|backfill_last_table_size|partition_default_time_seconds"),
    ("v0.0.37", "v0.0.38", "(cluster|partition|node)_(effective_cpus|effective_memory_bytes)"),
    ("v0.0.37", "v0.0.38", "(account|user)_(shares|usage|fairshare).*|backfill_(last_depth.*|depth_tried_total)|"
                           "backfill_(queue_length|table_size)_total"),
    ("v0.0.37", "v0.0.40", "dbd_rollup_.*"),
    ("v0.0.37", "v0.0.41", r'qos_limit\{.*resource="(submitted_jobs|[a-z]+(?<!wall)_seconds)",scope="group"\}'),
    ("v0.0.40", "v0.0.40", "backfill_max_cycle_seconds|backfill_table_size_total"),
)

# What no command tells: slurmrestd's own, and the queueing of RPCs, which none of these releases uses.
NO_ORACLE = re.compile(r"slurm_(controller_(ping_seconds|(max_)?job_records|max_threads|start_timestamp_seconds)|"
                       r"rpc_(queued|dropped_total)|node_energy_joules_total|(\w+_)?node_transitions_total)")

# Here a sample that is missing is 0; of all others it means that there is none.
ABSENT_IS_ZERO = re.compile(rf"slurm_(({ENTITIES})_(jobs|jobs_flagged|pending_.*|job_.*|nodes|nodes_free|nodes_flagged|(effective_)?cpus|gres|"
                            r"(effective_)?memory_bytes)|partition_(pending_job_max_nodes|startable_job.*)|node_(cpus|gres|real_memory_bytes)|"
                            r".*_exits_total|licenses|rpc_pending|reservation_active|"
                            r"(qos|association)_(usage|largest_usage|(entities|users)_at_limit))")

# The readings themselves move these all the time.
OWN_TRAFFIC = re.compile(r"slurm_(user_|dbd_|dbd_user_)?rpc_.*|slurm_controller_(threads|agents)")


def left_out(slurm):
    """The groups of which no command tells in this world."""
    return {*(() if slurm.has_slurmdbd else ("shares", "limits", "use of limits", "accounting rpcs")),
            *(() if slurm.has_factors else ("shares",))}


Reading = namedtuple("Reading", "samples first last")  # and the pictures of all jobs around it


def ask_slurm(slurm, groups):
    """What Slurm's commands say of these groups."""
    samples, first = Samples(), slurm.job_picture()
    for add in dict.fromkeys([add_partitions] + [GROUPS[group][0] for group in groups]):
        add(slurm, samples)
    return Reading(dict(samples), first, slurm.job_picture())


def parse_page(text):
    samples = {}
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        family, inner, value = re.fullmatch(r"(\w+)(?:\{(.*)\})? (\S+)", line).groups()
        labels = {name: re.sub(r"\\(.)", lambda match: "\n" if match[1] == "n" else match[1], content.replace(LABEL_OF_OTHER, "other"))
                  for name, content in re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', inner or "")}
        samples[family, tuple(sorted(pair for pair in labels.items() if pair[1]))] = float(value)
    return samples


def without_label(samples, family, name):
    return {(key[0], tuple(pair for pair in key[1] if key[0] != family or pair[0] != name)): value
            for key, value in samples.items()}


def group_of(family):
    for group, (_, patterns) in GROUPS.items():
        for pattern in patterns:
            pattern = re.sub("^X", f"({ENTITIES})", re.sub("^Y", "(account|user)", pattern))
            if re.fullmatch("slurm_" + pattern, family):
                return group
    return None


def hidden_ends(*readings):
    """Up to v0.0.38 slurmrestd, like squeue, says COMPLETING and not how the job has ended."""
    return {(family[:-len("_flagged")], tuple(pair for pair in labels if pair[0] != "flag"))
            for reading in readings for family, labels in reading
            if ("flag", "completing") in labels and family.endswith("_jobs_flagged")}


def fold_hidden(samples, hidden):
    """Where there is such a job only the sum of the ended states is known."""
    folded = {}
    for (family, labels), value in samples.items():
        state = dict(labels).get("state")
        entity = family, tuple(pair for pair in labels if pair[0] != "state")
        if entity in hidden and state in (*ENDED, "completing"):
            labels = tuple(sorted({**dict(labels), "state": "ended"}.items()))
            value += folded.get((family, labels), 0)
        folded[family, labels] = value
    return folded


def version_of(page):
    return next((dict(labels)["api_version"] for family, labels in page if family == "slurm_cluster_info"), "")


def not_told(what, version):
    """Of a family, or of a sample as text."""
    return any(first <= version <= last and re.fullmatch(f"slurm_({pattern})", what)
               for first, last, pattern in NOT_TOLD)


def of_parts(samples):
    """The CPUs on each node of jobs that hold parts of several nodes."""
    counts = Counter(dict(labels)["jobid"] for family, labels in samples if family == "slurm_job_node_info")
    whole = {dict(labels)["jobid"] for family, labels in samples
             if family == "slurm_job_info" and ("exclusive", "true") in labels}
    return {(family, labels) for family, labels in samples if family == "slurm_job_node_cpus"
            and counts[dict(labels)["jobid"]] > 1 and dict(labels)["jobid"] not in whole}


def without_types_of_gpus(samples):
    """Where no TRES names GPUs, and the job asked for any, its type is in answers with DETAIL, which lists are not. There
    slurmctld charges nobody for GPUs; the page says what jobs hold all the same."""
    summed = Counter()
    for (family, labels), value in samples.items():
        if family.endswith("_usage") and dict(labels).get("resource", "").startswith("gres/gpu"):
            continue
        if re.fullmatch(r"slurm_(job_allocated|\w+_job)_gres", family) and ("gres", "gpu") in labels:
            summed[family, tuple(pair for pair in labels if pair[0] != "type")] += value
        else:
            summed[family, labels] = value
    return dict(summed)


def gpus_of_suspended(page):
    """select/linear takes them away. Where no TRES names GPUs only gres_detail tells that, which lists of v0.0.40 leave empty."""
    jobs = {dict(labels)["jobid"] for family, labels in page if family == "slurm_job_state" and ("state", "suspended") in labels}
    return {key: ANYTHING for key in page
            if key[0] == "slurm_job_allocated_gres" and ("gres", "gpu") in key[1] and dict(key[1])["jobid"] in jobs}


def as_told(page, before, after, has_gpu_types):
    """The three without what only slurmrestd can say, and what its API version does not say."""
    version = version_of(page)
    if not has_gpu_types:
        page, before, after = (without_types_of_gpus(samples) for samples in (page, before, after))
        untold = gpus_of_suspended(page) if version == "v0.0.40" else {}
        before, after = before | untold, after | untold
    page = without_label(page, "slurm_cluster_info", "api_version")
    before, after = ({key: value for key, value in reading.items()
                      if not (not_told(key[0], version) or not_told(text_of(key), version))}
                     for reading in (before, after))
    if version <= "v0.0.40":
        parts = of_parts(before) | of_parts(after)
        before, after = ({key: value for key, value in reading.items() if key not in parts} for reading in (before, after))
    if version <= "v0.0.43":
        for family in "slurm_job_info", "slurm_pending_job_info":
            page, before, after = (without_label(samples, family, "sluid") for samples in (page, before, after))
    if version <= "v0.0.38":
        hidden = hidden_ends(before, after)
        return tuple(fold_hidden(samples, hidden) for samples in (page, before, after))
    if version <= "v0.0.44":
        return tuple(without_label(samples, "slurm_partition_info", "default") for samples in (page, before, after))
    return page, before, after


def text_of(key):
    family, labels = key
    return family + "{" + ",".join(f'{name}="{value}"' for name, value in labels) + "}"


def must_exist(key, has_slurmdbd):
    """The closed sets of which even zeros are on the page. Without slurmdbd nobody knows accounts and QOS of which all jobs have
    ended, once slurmscope has been started again."""
    family, labels = key
    if not has_slurmdbd and re.fullmatch(r"slurm_(account|qos)_jobs", family):
        return False
    closed = BASE_STATES if family == "slurm_cluster_jobs" else LIVE_STATES
    return re.fullmatch(r"slurm_(cluster|partition|account|qos)_jobs", family) and dict(labels).get("state") in closed


def agrees(said, true):
    if isinstance(true, About):
        return said is not None and abs(said - true.value) <= true.slack
    return said == true or (said is not None and true is not None and abs(said - true) <= 1e-9 * abs(true))


def is_outside(said, before, after):
    """Of a counter that was not reset meanwhile, as slurmctld does it at midnight."""
    numbers = all(isinstance(value, (int, float)) for value in (said, before, after))
    return numbers and before < after and not before * (1 - 1e-9) <= said <= after * (1 + 1e-9)


class Comparison:
    """The samples of one source of pages: when each was compared, and what came of it."""

    def __init__(self, name, lag, is_odd, slurm):
        self.name, self.lag, self.is_odd = name, lag, is_odd
        self.has_gpu_types, self.has_slurmdbd = accounts_gpus(slurm), slurm.has_slurmdbd
        self.untold = set()  # samples of which no command tells a number
        self.since, self.young = {}, set()  # when Slurm began to say what it says; what differs and is not so old yet
        self.agreed, self.seen, self.comparisons, self.still = set(), set(), 0, 0
        self.differed, self.streak, self.persistent = Counter(), Counter(), set()
        self.last, self.version = {}, ""
        self.outside = {}  # counters that were not between what Slurm said before and after
        self.values, self.moved = {}, set()

    def compare(self, page, before, after, groups, left):
        self.version = version_of(page)
        is_still = before.first == after.last
        self.still += is_still
        page, before, after = as_told(page, before.samples, after.samples, self.has_gpu_types)
        self.untold |= {key for key in page.keys() | before.keys() if key[0] in left or before.get(key) == ANYTHING}
        self.seen |= {key for key in page.keys() | before.keys() | after.keys()
                      if groups.get(key[0]) and before.get(key) != ANYTHING}
        for key in self.seen:
            if before.get(key) != after.get(key) or before.get(key) == ANYTHING:
                self.streak[key] = 0  # it may have been something else in between, before, too
                if groups[key[0]] in RESTLESS and key[0].endswith(GROWS) and is_outside(page.get(key), before.get(key), after.get(key)):
                    self.outside[key] = f"page {page.get(key)}, Slurm {before.get(key)} and then {after.get(key)}"
                continue
            absent = 0 if ABSENT_IS_ZERO.fullmatch(key[0]) else None
            said, true = page.get(key, None if must_exist(key, self.has_slurmdbd) else absent), before.get(key, absent)
            if self.values.setdefault(key, true) != true:
                self.moved.add(key)
            self.comparisons += 1
            now = time.monotonic()
            if key not in self.since or self.since[key][0] != true:
                self.since[key] = true, now
            self.young.discard(key)
            if agrees(said, true):
                self.agreed.add(key)
                self.streak[key] = 0
            elif now - self.since[key][1] < self.lag:
                self.young.add(key)
            elif is_still:
                self.streak[key] += 1
                self.differed[key] += 1
                if self.streak[key] >= PERSISTENT:
                    self.persistent.add(key)
                self.last[key] = f"page {said}, Slurm {true}"

    def different(self):
        return {key for key, count in self.differed.items()
                if count >= PERSISTENT and (key not in self.agreed or key in self.persistent)}

    def undecided(self, groups, rounds):
        left = {key for key in self.seen - self.different()
                if (key not in self.agreed or self.streak[key] or key in self.young) and not OWN_TRAFFIC.fullmatch(key[0])}
        if rounds < RESTLESS_ROUNDS:
            return left
        seen, open_ = (Counter(groups[key[0]] for key in keys) for keys in (self.seen, left))
        return {key for key in left if open_[groups[key[0]]] > (1 - RESTLESS.get(groups[key[0]], 1)) * seen[groups[key[0]]]}

    def verdict(self, groups, moving):
        """Prints what came of it; returns (agreed, differed, all is well)."""
        good, equal, differed, seen = not self.outside, Counter(), Counter(), Counter()
        for key, said in sorted(self.outside.items()):
            print(f"FAILED {self.name}: {text_of(key)} is outside: {said}")
        for key in sorted(self.seen):
            group = groups[key[0]]
            seen[group] += not OWN_TRAFFIC.fullmatch(key[0])
            if key in self.different():
                differed[group] += 1
                what = "differs" if differed[group] <= PRINTED else ""
            elif key in self.agreed:
                equal[group] += 1
                what = ""
            else:
                what = "" if moving or OWN_TRAFFIC.fullmatch(key[0]) else "moves all the time"
            if what:
                print(f"{self.name} {what}: {text_of(key)}: {self.last.get(key)}")
        for group in GROUPS:
            if all(not_told(family, self.version) for family in groups if groups[family] == group):
                continue
            if self.is_odd and not seen[group]:
                continue
            print(f"{self.name} {group}: {equal[group]} equal, {differed[group]} different")
            nearly_all = MOMENTARY.get(group, NEARLY_ALL) if moving else 1
            least = max(1, RESTLESS.get(group, nearly_all) * seen[group])
            if self.is_odd and moving:  # worlds are small: all of a few samples may move in each round
                least = seen[group] // 2 if seen[group] >= A_FEW else 0
            if differed[group] or equal[group] < least:
                print(f"FAILED {self.name} {group}: {equal[group]} of {seen[group]} samples were equal")
                good = False
        return sum(equal.values()), sum(differed.values()), good


def run(*command):
    result = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    if result.returncode:
        sys.exit(f"no page: {' '.join(command)} exited with {result.returncode}")
    return result.stdout.decode()


def read_page(where):
    if "://" in where:
        with urllib.request.urlopen(where) as answer:
            return answer.read().decode()
    with open(where, encoding="utf-8") as file:
        return file.read()


def listed_families(arguments):
    if arguments.command:
        return [line.split("\t")[0] for line in run(arguments.command[0], "--list-metrics").splitlines()]
    return re.findall(r"^# TYPE (\w+)", read_page(arguments.page), re.MULTILINE)


def goes_on(comparisons, end):
    """With --moving: on a busy machine it takes longer to see enough."""
    now = time.monotonic()
    return now < end or now < end + LONGER and min(comparison.still for comparison, _ in comparisons) < STILL


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cluster", required=True, help="as `cluster` calls it")
    parser.add_argument("--api", default="", help="the API versions to compare, separated by commas")
    parser.add_argument("--moving", type=int, default=0, metavar="SECONDS", help="how long, while jobs come and go")
    parser.add_argument("--lag", type=int, default=0, metavar="SECONDS", help="how old what a page shows may be")
    parser.add_argument("--odd", action="store_true", help="the cluster may lack whole groups, and then so must the page")
    parser.add_argument("--groups", default="", help="only these groups, separated by commas")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--page", help="file or URL")
    source.add_argument("command", nargs="*", default=[], help="prints the page")
    arguments = parser.parse_args()

    chosen = arguments.groups.split(",") if arguments.groups else list(GROUPS)
    groups = {family: group_of(family) for family in listed_families(arguments)}
    for family, group in groups.items():
        if family.startswith("slurm_") and not group and not NO_ORACLE.fullmatch(family):
            print(f"no oracle for {family}")
    slurm = Slurm(arguments.cluster)
    left = {family for family, group in groups.items() if group in left_out(slurm)}
    groups = {family: group for family, group in groups.items() if group in chosen and family not in left}
    for group in chosen:
        if group not in groups.values() and not arguments.odd:
            print(f"{group}: not on the page yet, not compared")

    comparisons = []
    for version in arguments.api.split(","):
        option = [f"--slurmrestd.api-version={version}"] if version else []
        comparisons.append((Comparison(f"{arguments.cluster} {version}".strip(), arguments.lag, arguments.odd, slurm), option))

    asked = set(groups.values())
    after = ask_slurm(slurm, asked)
    rounds, end = 0, time.monotonic() + arguments.moving
    while goes_on(comparisons, end) if arguments.moving else rounds < ROUNDS:
        if arguments.moving and rounds % PAUSE == 0:
            slurm.pause() if rounds // PAUSE % 2 else slurm.go_on()
            after = ask_slurm(slurm, asked)
        for comparison, option in comparisons:
            if rounds and not arguments.moving and not comparison.undecided(groups, rounds):
                continue
            before = after
            page = parse_page(run(*arguments.command, *option) if arguments.command else read_page(arguments.page))
            after = ask_slurm(slurm, asked)
            comparison.compare(page, before, after, groups, left)
        rounds += 1
        if not arguments.moving and not any(comparison.undecided(groups, rounds) for comparison, _ in comparisons):
            break

    verdicts = [comparison.verdict(groups, arguments.moving) for comparison, _ in comparisons]
    equal, different = sum(verdict[0] for verdict in verdicts), sum(verdict[1] for verdict in verdicts)
    untold = sum(len(comparison.untold - comparison.seen) for comparison, _ in comparisons)
    total = sum(comparison.comparisons for comparison, _ in comparisons)
    moved = max(len(comparison.moved) for comparison, _ in comparisons)
    still = min(comparison.still for comparison, _ in comparisons)
    moving = f" while jobs come and go ({moved} numbers change)" if arguments.moving else \
        " by a slurmscope that ran all the time" if arguments.page else ""
    line = (f"{arguments.cluster}{moving}: {equal} numbers equal, "
            f"{different} different, {untold} left out, in {total} comparisons of {rounds} rounds, {still} of them still")
    conclude(line)
    if arguments.moving and moved < MOVED:
        sys.exit(f"too little has happened: {moved} numbers have changed")
    if arguments.moving and still < STILL:
        sys.exit(f"too much has happened: {still} of {rounds} rounds were still")
    sys.exit(0 if all(verdict[2] for verdict in verdicts) else 1)


if __name__ == "__main__":
    main()
