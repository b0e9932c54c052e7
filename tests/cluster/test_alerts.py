#!/usr/bin/env python3
"""What wakes people up, on a real Slurm: its jobs fail, a node goes down, licences run out, slurmscope loses its token,
slurmctld is away. Prometheus and Alertmanager tell a webhook of each, of its end, and of nothing else.
usage: test_alerts.py CLUSTER    (with its workload, see `with`; SLURMSCOPE is the binary)"""
import contextlib
import datetime
import math
import re
import sys

from alerting import PATIENCE, Alerting, Story, check_texts
from harness import ENDPOINTS, EVERY_SECOND, MORE_ENDPOINTS, Daemon, is_up, wait_until
from slurm_says import Slurm, conclude

INTERVALS = [*EVERY_SECOND, "--jobs.read=auto", *(f"--interval.{name}=1" for name in (
    "job_states", "job_search", "job_details", "job_ends", "licenses", "reservations", "dbd_ping"))]
# What the workload leaves behind, besides nodes that are down: limits that are reached, reservations without jobs. Jobs wait
# for partitions that are not up, and two do not end.
STANDING = {"SlurmNodeDown", "SlurmQOSNearLimit", "SlurmAssociationNearLimit", "SlurmReservationIdle",
            "SlurmJobsBlockedByLimit", "SlurmFairshareDrift", "SlurmPartitionNotUp", "SlurmNodesStuckCompleting",
            "SlurmNodesStuckPowering"}  # cloud1 and cloud2 power up for ever
# The pace of a minute in which a story's own jobs ran.
OF_STORIES = {"SlurmBudgetSoonSpent"}


def is_known(page, endpoint):
    """It was asked, and answered if slurmrestd has it."""
    supported = page.get(f'slurmscope_endpoint_supported{{endpoint="{endpoint}"}}')
    return supported == 0 or supported == 1 and is_up(page, endpoint)


def all_is_known(page):
    return all(is_known(page, endpoint) for endpoint in {"job_states", *ENDPOINTS, *MORE_ENDPOINTS} - {"jobs"})


def lower_bound(failed, jobs):
    """Of the share that fails: Wilson's, at 97.5 %."""
    share, z = failed / jobs, 1.96
    return ((share + z * z / 2 / jobs - z * math.sqrt((share * (1 - share) + z * z / 4 / jobs) / jobs))
            / (1 + z * z / jobs))


class Ends:
    """How jobs ended, as sacct reports it, and what texts may say of them. Texts are up to LAG seconds behind: slurmscope
    counts an end when slurmdbd has had it for ten seconds. Scrape, rule, alert and notification come after that."""
    LAG = 30

    def __init__(self, slurm, *jobs):
        def all_ended():
            self.rows = slurm.table("sacct", "-a", "-X", "-P", "-j", ",".join(jobs), "-o", "End,State,User")
            return all(row["End"].isdigit() for row in self.rows)
        wait_until(all_ended, "slurmdbd to know all ends")

    def check(self, message, pattern, what):
        """Its text gives, where the pattern has it, what(failures, ends) when it began to fire."""
        said = re.search(pattern, message.annotations["description"])
        assert said, f"{pattern} in {message}: {message.annotations['description']}"
        began = datetime.datetime.fromisoformat(message.begun).timestamp()
        possible = []
        for moment in range(int(began) - self.LAG, int(began) + 2):
            states = [row["State"] for row in self.rows if int(row["End"]) <= moment and message.labels.get(
                "user", row["User"]) == row["User"]]
            possible += [what(states.count("FAILED"), len(states))] if states else []
        # windows of Prometheus are wider than what lies between their samples
        assert min(possible) * 0.95 <= float(said[1]) <= max(possible) * 1.05, f"{message}: {said[0]}, sacct: {possible}"


class Bench:
    """The cluster, a slurmscope on it, and who watches that."""

    def __init__(self, slurm, daemon, alerting):
        self.slurm, self.daemon, self.alerting = slurm, daemon, alerting

    def submit(self, user, script, *options):
        return self.slurm.submit(user, script, "--partition=busy", "--time=5", *options)

    def nodes_down(self):
        """As sinfo has them, without those that are down on purpose."""
        rows = (line.split() for line in self.slurm.run("sinfo", "-a", "-h", "-N", "-o", "%N %T").splitlines())
        return {node for node, state in rows if state.startswith("down")}

    def picture(self):
        """What is not to be changed by the test: nodes' states, and which jobs wait and run."""
        return (sorted(set(self.slurm.run("sinfo", "-a", "-h", "-N", "-o", "%N %T").splitlines())),
                sorted(self.slurm.run("squeue", "-a", "-h", "-r", "-t", "PD,CF,R,S,CG", "-o", "%i %T").splitlines()))


def jobs_fail(bench, story):
    """Two users of one account, on two nodes: of the one's jobs four of five fail wherever they run. That is no news of the
    partition: one user's."""
    carol = [bench.submit("carol", "exit $((SLURM_ARRAY_TASK_ID % 5 != 0))", "--array=0-39%4", "-w", node)
             for node in ("bn01", "bn02")]
    bob = bench.submit("bob", "true", "--array=0-119%8")
    of_user = story.fires("SlurmUserJobsFailing", user="carol", severity="info")
    wait_until(lambda: not bench.slurm.run("squeue", "-h", "-j", ",".join((*carol, bob))), "the end of jobs", PATIENCE)
    ends = Ends(bench.slurm, *carol, bob)
    ends.check(of_user, r"At least ([\d.]+)% ", lambda failed, jobs: 100 * lower_bound(failed, jobs))
    story.mends()
    bench.submit("carol", "true", "--array=0-59%12")
    story.resolves()


def node_goes_down(bench, story):
    bench.slurm.ask("exec", "scontrol", "update", "nodename=bn01", "state=down", "reason=smoke")
    try:
        # two are down already, and three are many of so few: the page silences the ticket
        message = story.fires("SlurmNodesOutOfService", severity="critical")
        assert "3 nodes of alpha are down" in message.annotations["description"], message
        story.silences("SlurmNodesOutOfService", *bench.standing - {"SlurmNodeDown"}, over={"SlurmNodeDown"})
    finally:
        story.mends()
        bench.slurm.ask("exec", "scontrol", "update", "nodename=bn01", "state=resume")
    story.resolves()


def licences_run_out(bench, story):
    """One job takes all that are left, another wants one."""
    matlab = next(row for row in bench.slurm.records("lic") if row["LicenseName"] == "matlab")
    jobs = [bench.submit("bob", "sleep 600", f"--licenses=matlab:{matlab['Free']}")]
    try:
        wait_until(lambda: "RUNNING" in bench.slurm.run("squeue", "-h", "-o", "%T", "-j", jobs[0]), "its run")
        jobs.append(bench.submit("alice", "sleep 600", "--licenses=matlab:1"))
        message = story.fires("SlurmLicensesExhausted", license="matlab", severity="info")
        assert f"None of the {matlab['Total']} licences matlab" in message.annotations["description"], message
    finally:
        story.mends()
        bench.slurm.ask("exec", "scancel", *jobs)
    story.resolves()


def token_is_bad(bench, story):
    """slurmrestd does not take it, though its time has not come: another key."""
    good = bench.daemon.tokens[-1]
    bench.daemon.write_token(good[:-6] + "AAAAAA")
    story.fires("SlurmscopeCutOff", severity="critical")
    story.silences("SlurmscopeCutOff", over=bench.standing)
    story.mends()
    bench.daemon.write_token(good)
    story.resolves()


def token_expires(bench, story):
    good = bench.daemon.tokens[-1]
    bench.daemon.write_token(bench.slurm.ask("token", "warden", 1))
    story.fires("SlurmscopeTokenExpiring", severity="critical")
    story.silences("SlurmscopeTokenExpiring", over={"SlurmscopeCutOff", *bench.standing})
    story.mends()
    bench.daemon.write_token(good)
    story.resolves()


def slurmctld_is_away(bench, story):
    with bench.slurm.without("slurmctld"):
        story.fires("SlurmControllerDown", severity="critical")
        story.silences("SlurmControllerDown", over=bench.standing)
        story.mends()
    story.resolves()


STORIES = {
    "four of five jobs of a user fail": jobs_fail,
    "a node goes down": node_goes_down,
    "licences run out": licences_run_out,
    "slurmscope's token is not taken": token_is_bad,
    "slurmscope's token expires": token_expires,
    "slurmctld is away": slurmctld_is_away,
}


def check_standing(bench):
    """What fires before anything happens, when all windows of a minute are full, is what the workload has left behind."""
    wait_until(lambda: bench.alerting.prometheus.query("slurmscope_build_info offset 80s"), "the first minute", PATIENCE)
    standing = wait_until(bench.alerting.firing, lambda: bench.alerting.prometheus.get("alerts"), PATIENCE)
    for message in standing:
        check_texts(message)
        print(f"stands: {message}: {message.annotations['description']}", flush=True)
    bench.standing = {message.name for message in standing}
    assert bench.standing <= STANDING, bench.standing - STANDING
    down = {message.labels["node"] for message in standing if message.name == "SlurmNodeDown"}
    assert down == bench.nodes_down(), (down, bench.nodes_down())
    return standing


def was_missed(bench, message, known):
    """With a scrape that fails all that fires ends, and begins again; a busy machine may not answer within a second."""
    began = datetime.datetime.fromisoformat(message.begun).timestamp()
    missed = bench.alerting.prometheus.query(f"min(min_over_time(up[40s] @ {began:.3f})) == 0")
    return bool(missed) and any(message.labels == other.labels for other in known)


def summarize(slurm, stories, standing, unexpected):
    fired = [message for story in stories for message in story.fired]
    told = [story.first_after for story in stories]
    resolved = [story.resolved_after for story in stories]
    line = (f"{slurm.name} alerts: {len(stories)} stories, {len(fired)} alerts fired and resolved, "
            f"first after {min(told):.0f} to {max(told):.0f} s, resolved after {min(resolved):.0f} to "
            f"{max(resolved):.0f} s; {len(standing)} stood before, {len(unexpected)} unexpected")
    conclude(line)


def main():
    slurm = Slurm(CLUSTER)
    daemon = Daemon(None, *INTERVALS, "--slurmrestd.user=warden", url=slurm.url, token=slurm.ask("token", "warden", 7200))
    with daemon, contextlib.ExitStack() as stack:
        daemon.wait_for(all_is_known, "all is known", PATIENCE)
        bench = Bench(slurm, daemon, stack.enter_context(Alerting(daemon)))
        standing, before = check_standing(bench), bench.picture()
        # before it knew anything of slurmscope Prometheus may have missed it
        before_stories = len(bench.alerting.webhook.messages())
        stories = []
        for title, tell in STORIES.items():
            stories.append(Story(bench.alerting, title))
            tell(bench, stories[-1])
        wait_until(lambda: bench.picture() == before, lambda: (before, bench.picture()), PATIENCE)
        expected = [message for story in stories for message in story.fired]
        unexpected = [message for message in bench.alerting.webhook.messages()[before_stories:]
                      if message.is_firing and message not in expected and message.name not in OF_STORIES
                      and not was_missed(bench, message, expected + standing)]
        for message in unexpected:
            story = [story for story in stories if story.begun <= message.at][-1]
            print(f"unexpected, {message.at - story.begun:.1f} s after the begin of '{story.title}': {message}: "
                  f"{message.annotations['description']}")
        summarize(slurm, stories, standing, unexpected)
        assert not unexpected


if __name__ == "__main__":
    CLUSTER = sys.argv[1]
    main()
