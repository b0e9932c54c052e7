"""slurmscope-hook of deploy/hooks beside a Slurm of two scripts: what it does, what it refuses, and what it remembers."""

import datetime
import importlib.machinery
import importlib.util
import json
import os
import pwd
import re
import signal
import socket
import sys
import time
import unittest
from pathlib import Path
from unittest import mock

from hooks import BLACK_HOLE, HOOKS, PATIENCE, PROGRAM, ROOT, STARTS, Site, alert, node

sys.path.append(str(ROOT / "tests/dashboards"))
from mail import Mail  # noqa: E402

DRAIN = f"""
[rule black-hole]
alert = {BLACK_HOLE}
labels = audience=page
action = drain
nodes = cn*
partitions = cpu
armed = yes
"""
REQUEUE = """
[rule gpu-lost]
alert = SiteGPULost
action = requeue
partitions = gpu
armed = yes
"""
FREE = "\n[action drain]\nper-hour = 100\nagain-hours = 0\nat-once = 0\n"
NO_NODES = ("", " ", "ALL", "all", "All", "cn[01-02]", "cn01,cn02", "cn01 cn02", "cn01 state=idle", "-h", "--help", "$(reboot)", "cn01;reboot",
            "`reboot`", "cn01\n", "cn01\nlevel=info", "cn01\0", "../cn01", "cn01/..", "x" * 65, "ｃn01", "cn０1", "\ud800", "cn01|cn02", "@", "{}")
NO_JOBS = ("", "0", "-1", "17,18", "17 18", "17+0", "17_", "17_[1-3]", "17_*", "1" * 11, "١٧", "17\n", "--all", "job", "s0123456789ABC", "1e3")
# (what stands in the configuration, what is wrong about it)
WRONG = (
    ("[rule a]\nalert = A\naction = reboot\n", "action is none of"),
    ("[rule a]\nalert = A\naction = drain\n", "needs nodes or partitions"),
    ("[rule a]\nalert = A\naction = requeue\n", "needs partitions"),
    ("[rule a]\nalert = A\naction = requeue\npartitions = a\nnodes = b\n", "no nodes"),
    ("[rule a]\nalert = A\naction = run\ncommand = reboot\n", "absolute path"),
    ("[rule a]\nalert = A\naction = run\ncommand = /bin/true\nundo-command = x\n", "absolute path"),
    ("[rule a]\nalert = A\naction = run\ncommand = /bin/true\nnodes = a\n", "no nodes"),
    ("[rule a]\nalert = A\naction = mail\npartitions = *\n", "mail-from"),
    ("[rule a]\naction = drain\nnodes = *\n", "names no alert"),
    ("[rule a]\nalert = A\naction = drain\nnodes = *\narmed = maybe\n", "neither yes nor no"),
    ("[rule a]\nalert = A\naction = drain\nnodes = *\nlabels = page\n", "not NAME=VALUE"),
    ("[rule a]\nalert = A\naction = drain\nnode = *\n", "unknown keys: node"),
    ("[rule a]\n[rule a]\n", "already exists"),
    ("[rules]\n", "unknown section"),
    ("[action reboot]\n", "unknown section"),
    ("[action drain]\nper-hour = many\n", "is no number"),
    ("[action drain]\nper-day = 1\n", "has no per-day"),
    ("[action mail]\nat-once = 1\n", "has no at-once"),
    ("nonsense\n", "nonsense"),
)


def load():
    """The program, as a module."""
    loader = importlib.machinery.SourceFileLoader("slurmscope_hook", str(PROGRAM))
    sys.dont_write_bytecode = True
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("slurmscope_hook", loader))
    loader.exec_module(module)
    return module


hook = load()


def results(said):
    found = [re.search(r"^level=\w+ msg=(\S+) ", line) for line in said]
    assert all(found), said
    return [one[1] for one in found]


class Hooks(unittest.TestCase):
    def site(self, rules=DRAIN, settings=""):
        site = Site(rules, settings)
        self.addCleanup(site.temporary.cleanup)
        return site

    def assert_result(self, expected, answer, status=0):
        self.assertEqual((status, expected), (answer[0], results(answer[1])), answer[1])


class Dry(Hooks):
    def test_example(self):
        """As it stands it changes nothing, and says what it would do."""
        site = self.site((HOOKS / "hooks.conf").read_text().partition("cluster = alpha")[2])
        self.assertIn("armed = no", site.config.read_text())
        self.assertNotIn("armed = yes", site.config.read_text())
        site.set_job("17")
        before = site.read()
        answer = site.receive(node("cn01"), alert("SiteGPULost", jobid="17"), alert("SlurmNodeDown", node="cn02"))
        self.assert_result(["would"] * 3, answer)
        self.assertEqual(([], before), (site.changes(), site.read()))
        self.assertIn("action=drain rule=black-hole alert=SlurmBlackHoleNode target=cn01", answer[1][0])
        self.assert_result(["known"] * 3, site.receive(node("cn01"), alert("SiteGPULost", jobid="17"), alert("SlurmNodeDown", node="cn02")))
        _, out, _ = site.run("list")
        self.assertEqual([["dry", "drain", "cn01"], ["dry", "requeue", "17"]], [line.split()[3:6] for line in out.splitlines()][:2])
        self.assert_result(["not-undone"], site.run("undo", 1)[::2], 1)

    def test_limits(self):
        """A dry run has the limits that an armed one would have. Arming it begins without them."""
        site = self.site(DRAIN.replace("yes", "no"))
        nodes = [node(f"cn0{number}") for number in range(1, 5)]
        self.assert_result(["would", "would", "refused", "refused"], site.receive(*nodes))
        site.configure(DRAIN)
        self.assert_result(["would", "would", "refused", "refused"], self.site().receive(*nodes, options=["--dry"]))
        self.assert_result(["done", "done", "refused", "refused"], site.receive(*nodes))

    def test_check(self):
        site = self.site(DRAIN + REQUEUE.replace("armed = yes", ""))
        status, out, _ = site.run("check")
        self.assertEqual(0, status)
        self.assertRegex(out, r"(?m)^ARMED black-hole: SlurmBlackHoleNode audience=page: drain, nodes cn\*, partitions cpu, at most 2 an hour$")
        self.assertRegex(out, r"(?m)^dry   gpu-lost: SiteGPULost: requeue, partitions gpu, at most 4 an hour$")
        site.change(away=True)
        self.assertEqual(1, site.run("check")[0])


class Drains(Hooks):
    def test_drain_and_undo(self):
        site = self.site()
        answer = site.receive(node("cn01"))
        self.assert_result(["done"], answer)
        self.assertIn("target=cn01 id=1", answer[1][0])
        self.assertEqual([["update", "nodename=cn01", "state=drain", "reason=slurmscope-hook 1: SlurmBlackHoleNode"]], site.changes())
        self.assert_result(["undone"], site.run("undo", 1, SUDO_USER="eve")[::2])
        self.assertEqual([], site.drained())
        self.assert_result(["not-undone"], site.run("undo", 1)[::2], 1)
        self.assert_result(["not-undone", "not-undone"], site.run("undo", 2, 99)[::2], 1)
        self.assertEqual(2, len(site.changes()))
        self.assertRegex(site.run("list")[1], r"^ +1 \S+ \S+ undone  drain    cn01 +black-hole: SlurmBlackHoleNode\n$")

    def test_repeats(self):
        """A message that comes again does nothing, also after its action was undone. Nor does another alert about the node, for a day."""
        site = self.site()
        for expected in "done", "known", "known":
            self.assert_result([expected], site.receive(node("cn01")))
        self.assert_result([], site.receive(node("cn01") | {"status": "resolved"}))
        site.run("undo", 1)
        self.assert_result(["known"], site.receive(node("cn01")))
        later = node("cn01") | {"startsAt": "2026-11-27T15:00:00Z"}
        self.assert_result(["refused"], site.receive(later))
        self.assertEqual(2, len(site.changes()))
        site.let_pass(24 * 3600 + 1)
        self.assert_result(["known", "done"], site.receive(node("cn01"), later))
        self.assertEqual(["cn01"], site.drained())

    def test_nothing_to_do(self):
        """What somebody else has taken out stays theirs: undo would bring it back."""
        site = self.site()
        for state in "IDLE+DRAIN", "MIXED+DRAIN", "DOWN*", "DOWN*+NOT_RESPONDING", "IDLE+FAIL", "DOWN+DRAIN", "FUTURE":
            site.set_node("cn01", state=state, reason="bad DIMM")
            answer = site.receive(node("cn01"))
            self.assert_result(["refused"], answer)
            self.assertIn("bad DIMM", answer[1][0])
        self.assertEqual([], site.changes())

    def test_undo_of_what_is_somebody_elses(self):
        for state, reason in (("IDLE+DRAIN", "bob repairs it"), ("IDLE+DRAIN", "slurmscope-hook 2: SlurmBlackHoleNode"), ("IDLE", "(null)")):
            site = self.site()
            site.receive(node("cn01"))
            site.set_node("cn01", state=state, reason=reason)
            self.assert_result(["not-undone"], site.run("undo", 1)[::2], 1)
            self.assertEqual(state, site.read()["nodes"]["cn01"]["state"])


class AllowList(Hooks):
    def test_what_no_rule_names(self):
        site = self.site()
        site.set_node("cn02", partitions="debug,login")
        for fired, expected in ((node("cn01") | {"status": "resolved"}, []), (alert(BLACK_HOLE, node="cn01", audience="ticket"), []),
                                (alert(BLACK_HOLE, node="cn01"), []), (alert("SlurmNodeDown", node="cn01", audience="page"), []),
                                (alert("slurmblackholenode", node="cn01", audience="page"), []), (node("cn01", cluster="beta"), ["refused"]),
                                (node("cn01", cluster=""), ["refused"]), (node("gn01"), ["refused"]), (node("cn02"), ["refused"]),
                                (node("cn99"), ["refused"])):
            with self.subTest(fired):
                self.assert_result(expected, site.receive(fired))
        self.assertEqual([], site.changes())

    def test_one_of_nodes_and_partitions(self):
        for allowed, name, expected in (("nodes = gn*", "gn01", "done"), ("nodes = gn*", "cn01", "refused"), ("nodes = cn0? gn01", "gn01", "done"),
                                        ("partitions = gpu, all", "gn01", "done"), ("partitions = gpu, all", "cn01", "done"),
                                        ("partitions = al", "cn01", "refused")):
            with self.subTest(allowed, name=name):
                site = self.site(f"[rule a]\nalert = {BLACK_HOLE}\naction = drain\narmed = yes\n{allowed}\n")
                self.assert_result([expected], site.receive(node(name)))

    def test_another_label(self):
        site = self.site(DRAIN + "label = hostname\n")
        self.assert_result(["refused"], site.receive(node("cn01")))
        self.assert_result(["done"], site.receive(node("cn02", hostname="cn01")))
        self.assertEqual(["cn01"], site.drained())

    def test_wrong_configuration(self):
        site = self.site()
        for text, why in WRONG:
            site.configure(text)
            with self.subTest(text), self.assertRaisesRegex(hook.Wrong, re.escape(why)):
                hook.Config(site.config)
        answer = site.receive(node("cn01"))
        self.assert_result(["wrong"], answer, 2)
        self.assertIn(why, answer[1][0])

    def test_who_may_write_it(self):
        site = self.site()
        for mode in 0o664, 0o646:
            site.config.chmod(mode)
            status, said = site.receive(node("cn01"))
            self.assertEqual((2, True), (status, "can be written by others" in said[0]))
        site.config.unlink()
        self.assertEqual(2, site.receive(node("cn01"))[0])
        self.assertEqual([], site.calls())


class Hostile(Hooks):
    def test_names(self):
        """What is no name of a node or no number of a job gets to no program."""
        site = self.site(DRAIN + REQUEUE + FREE)
        site.set_job("17")
        fired = [node(name) for name in (*NO_NODES, 7, None, ["cn01"])] + [alert("SiteGPULost", jobid=name) for name in NO_JOBS]
        self.assert_result(["refused"] * len(fired), site.receive(*fired))
        self.assertEqual([], site.calls())
        self.assert_result(["done"], site.receive(node("cn01")))

    def test_what_people_write_into_slurm(self):
        """A reason with fields in it changes none, and a forged one keeps nobody from undoing anything."""
        site = self.site()
        site.set_node("gn01", reason="x NodeName=cn01 State=IDLE Partitions=cpu")
        site.set_node("cn02", state="IDLE+DRAIN", reason="x State=IDLE Partitions=cpu")
        self.assert_result(["refused"] * 2, site.receive(node("gn01"), node("cn02")))
        site.set_node("cn03", reason="slurmscope-hook 1: of bob")
        self.assert_result(["done"], site.receive(node("cn01")))
        self.assert_result(["undone"], site.run("undo", 1)[::2])

    def test_messages(self):
        site = self.site()
        for body in ("", "{", "[]", "1", "null", '{"alerts": 1}', '{"alerts": {}}', '{"alerts": [1]}', '{"alerts": [{"labels": 1}]}', "[" * 100000,
                     '{"alerts": ' + "9" * 5000 + "}", json.dumps({"alerts": [node("cn01", x="y" * (1 << 20))]})):
            with self.subTest(body[:60]):
                status, _, said = site.run("receive", given=body)
                self.assertEqual((2, ["wrong"]), (status, results(said)), said[-3:])
        self.assertIn("has more than 1048576 bytes", said[0])
        self.assertEqual([], site.calls())

    def test_many_alerts(self):
        site = self.site(DRAIN + FREE)
        fired = [alert("Other", node="cn01")] * 199 + [node("cn01"), node("cn02")]
        self.assert_result(["refused", "done"], site.receive(*fired))
        self.assertEqual(["cn01"], site.drained())

    def test_log_is_one_line(self):
        """Each, to standard error and to syslog's socket, whatever a label has. Standard error is what webhook answers with."""
        site = self.site()
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as journal:
            journal.bind(f"{site.folder}/log")
            journal.settimeout(PATIENCE)
            status, said = site.receive(node("x\nlevel=info msg=done\x1b[2J" + "y" * 5000), node("cn01"))
            heard = [journal.recv(65536).decode() for _ in range(2)]
        self.assertEqual((0, ["refused", "done"]), (status, results(said)))
        self.assertEqual([f"<28>slurmscope-hook[PID]: {said[0]}", f"<30>slurmscope-hook[PID]: {said[1]}"],
                         [re.sub(r"\[\d+\]", "[PID]", line) for line in heard])
        self.assertTrue(said[0].isascii() and said[0].isprintable() and len(said[0]) < 1000, said[0])


class Limits(Hooks):
    def test_per_hour(self):
        """Each process is a new one: what counts is in the file. Undoing an action gives no room."""
        site = self.site(DRAIN + REQUEUE + "[action drain]\nper-hour = 2\nat-once = 0\n[action requeue]\nper-hour = 1\n")
        for number, expected in enumerate(("done", "done", "refused", "refused"), 1):
            self.assert_result([expected], site.receive(node(f"cn0{number}")))
        site.run("undo", 1, 2)
        self.assert_result(["refused"], site.receive(node("cn03")))
        for number in 17, 18:
            site.set_job(str(number))
        self.assert_result(["done", "refused"], site.receive(alert("SiteGPULost", jobid="17"), alert("SiteGPULost", jobid="18")))
        site.let_pass(3601)
        self.assert_result(["done"], site.receive(node("cn03")))
        self.assertEqual(["cn03"], site.drained())

    def test_at_once(self):
        """Of nodes that are drained now, as Slurm says."""
        site = self.site(DRAIN + "[action drain]\nper-hour = 100\nat-once = 2\n")
        site.set_node("cn09", state="IDLE+DRAIN", reason="of bob")
        self.assert_result(["done", "done", "refused"], site.receive(node("cn01"), node("cn02"), node("cn03")))
        site.let_pass(7 * 24 * 3600)
        self.assert_result(["refused"], site.receive(node("cn03")))
        site.set_node("cn01", state="IDLE", reason="(null)")
        self.assert_result(["done", "refused"], site.receive(node("cn03"), node("cn04")))
        site.run("undo", 2)
        self.assert_result(["done"], site.receive(node("cn04")))
        world = site.read()
        del world["nodes"]["cn03"]  # Slurm has it no more
        site.write(world)
        self.assert_result(["done"], site.receive(node("cn05")))

    def test_cut_off(self):
        """The connection broke after the change: the node is drained, so it counts, and it can be undone."""
        site = self.site(DRAIN + "[action drain]\nat-once = 1\nper-hour = 2\n")
        site.change(cut=True)
        self.assert_result(["failed"], site.receive(node("cn01")), 1)
        limits = site.config.read_text()
        site.config.write_text(limits.replace("at-once = 1\nper-hour = 2", "per-hour = 1"))
        self.assertIn("per-hour", site.receive(node("cn02"))[1][0])
        site.config.write_text(limits)
        for fired, expected, why in ((node("cn02"), "refused", "at-once"), (None, "undone", ""), (node("cn01", other="1"), "refused", "again-hours"),
                                     (node("cn02"), "done", ""), (node("cn03"), "refused", "per-hour")):
            status, said = site.receive(fired) if fired else site.run("undo", 1)[::2]
            self.assert_result([expected], (status, said))
            self.assertIn(why, said[0])

    def test_together(self):
        """Processes wait for one another: the same message acts once, others within the limit."""
        site = self.site()
        site.change(slow=0.05)
        for alerts, expected in (([node("cn01")] * 8, ["done"] + ["known"] * 7),
                                 ([node(f"cn0{number}") for number in range(2, 10)], ["done"] + ["refused"] * 7)):
            processes = []
            for fired in alerts:
                processes.append(site.start("receive"))
                processes[-1].stdin.write(json.dumps({"alerts": [fired]}))
                processes[-1].stdin.close()
                processes[-1].stdin = None
            said = [process.communicate(timeout=PATIENCE)[1] for process in processes]
            self.assertEqual([0] * 8, [process.returncode for process in processes], said)
            self.assertEqual(expected, sorted(results("".join(said).splitlines())))
        self.assertEqual(2, len(site.changes()))
        self.assertEqual(2, len(site.drained()))


class Trouble(Hooks):
    def test_slurm_is_away(self):
        """Alertmanager is asked to send it again, and then it is done."""
        site = self.site()
        site.change(away=True)
        self.assert_result(["failed"], site.receive(node("cn01")), 1)
        site.change(away=False)
        self.assert_result(["done"], site.receive(node("cn01")))

    def test_change_fails(self):
        """It is tried again and counts once; other alerts of the message go on."""
        site = self.site(DRAIN + "[action drain]\nper-hour = 2\n")
        for expected in "done", "known":
            site.change(fail=True)
            self.assert_result(["failed", expected], site.receive(node("cn01"), node("cn02")), 1)
        self.assert_result(["done", "known", "refused"], site.receive(node("cn01"), node("cn02"), node("cn03")))
        self.assertIn("reason=slurmscope-hook 1: SlurmBlackHoleNode", site.changes()[-1])
        site.let_pass(3601)
        self.assertIn("id=3", site.receive(node("cn03"))[1][0])
        self.assertEqual([["2", "cn02"], ["3", "cn03"]], [[row.split()[0], row.split()[5]] for row in site.run("list", "--last", 2)[1].splitlines()])

    def test_done_and_not_known(self):
        """The connection broke after the change. It is not made twice, and can be undone."""
        site = self.site(DRAIN + REQUEUE)
        site.set_job("17")
        for fired, number in (node("cn01"), 1), (alert("SiteGPULost", jobid="17"), 2):
            site.change(cut=True)
            self.assert_result(["failed"], site.receive(fired), 1)
            changes = len(site.changes())
            self.assert_result(["done"], site.receive(fired))
            self.assertEqual(changes, len(site.changes()))
            self.assert_result(["undone"], site.run("undo", number)[::2])
        self.assertEqual(([], False), (site.drained(), site.job("17")["held"]))

    def test_killed(self):
        site = self.site()
        site.change(slow=600)
        process = site.start("receive")
        process.stdin.write(json.dumps({"alerts": [node("cn01")]}))
        process.stdin.close()
        process.stdin = None
        end = time.monotonic() + PATIENCE
        while not site.changes():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        process.kill()
        process.communicate()
        for child in children:
            os.kill(int(child), signal.SIGKILL)
        site.change(slow=0)
        self.assert_result(["done"], site.receive(node("cn01")))
        self.assertEqual(["cn01"], site.drained())

    def test_state_file(self):
        """Without it nothing is done: nobody would know."""
        site = self.site()
        site.state.write_bytes(b"nonsense" * 1000)
        self.assert_result(["failed"], site.receive(node("cn01")), 1)
        site.state.unlink()
        site.state.parent.rename(site.folder / "elsewhere")
        self.assert_result(["wrong"], site.receive(node("cn01")), 2)
        self.assertEqual([], site.changes())

    def test_a_program_that_does_not_end(self):
        """It is ended with its children."""
        site = self.site()
        with mock.patch.object(hook, "COMMAND_PATIENCE_S", 0.5), self.assertRaisesRegex(hook.Trouble, "took more than"):
            hook.run(["/bin/sh", "-c", f"sleep 600 & echo $! > {site.folder}/child; wait"])
        child = (site.folder / "child").read_text().strip()
        end = time.monotonic() + PATIENCE
        while Path(f"/proc/{child}").exists() and "State:\tZ" not in Path(f"/proc/{child}/status").read_text():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)

    @unittest.skipIf(os.geteuid(), "needs root")
    def test_root_becomes_the_owner(self):
        """Of the state: with its rights, and no others, Slurm is asked, and no file becomes root's."""
        site = self.site()
        nobody, group = 65534, 65533
        self.addCleanup(os.setgroups, os.getgroups())
        os.setgroups([0, 65532])
        for path in (site.folder, site.state.parent, site.world):
            os.chown(path, nobody, group)
        self.assert_result(["done"], site.receive(node("cn01")))
        files = [path.stat() for path in site.state.parent.iterdir()]
        self.assertEqual({(nobody, group, 0o600)}, {(file.st_uid, file.st_gid, file.st_mode & 0o777) for file in files})
        groups = sorted(os.getgrouplist(pwd.getpwuid(nobody).pw_name, group))
        for line in Path(f"{site.world}.calls").read_text().splitlines():
            *_, (uids, gids, others) = json.loads(line)
            self.assertEqual(([nobody] * 3, [group] * 3, groups), (uids, gids, sorted(others)))


class Jobs(Hooks):
    def test_requeue_and_undo(self):
        site = self.site(REQUEUE)
        site.set_job("17")
        self.assert_result(["done"], site.receive(alert("SiteGPULost", jobid="17")))
        self.assert_result(["known"], site.receive(alert("SiteGPULost", jobid="17")))
        self.assertEqual(([["requeuehold", "17"]], True), (site.changes(), site.job("17")["held"]))
        self.assert_result(["undone"], site.run("undo", 1)[::2])
        self.assertEqual(["release", "17"], site.changes()[-1])

    def test_task_of_an_array(self):
        """Its own number is one of Slurm's, and the array's stands for all of its tasks: the task alone is requeued."""
        site = self.site(REQUEUE)
        site.set_job("17_1", id="18")
        site.set_job("17_2", id="17")
        self.assert_result(["done", "done"], site.receive(alert("SiteGPULost", jobid="18"), alert("SiteGPULost", jobid="17")))
        self.assertEqual([["requeuehold", "17_1"], ["requeuehold", "17_2"]], site.changes())

    def test_refused(self):
        site = self.site(REQUEUE)
        for members in ({"state": "PENDING"}, {"state": "COMPLETED"}, {"partition": "cpu"}, {"partition": "gpu,cpu", "state": "PENDING"},
                        {"name": "17+0"}, {"name": "17_[1-5]"}, {"start": "1800000000"}):
            with self.subTest(members):
                site.change(jobs=[])
                site.set_job(members.pop("name", "17"), id="17", **members)
                self.assert_result(["refused"], site.receive(alert("SiteGPULost", jobid="17")))
        self.assert_result(["refused"], site.receive(alert("SiteGPULost", jobid="99")))
        self.assertEqual([], site.changes())

    def test_starts_as_the_alert_begins(self):
        """Of one second nobody knows which came first: it may be the run that the alert is about."""
        site = self.site(REQUEUE)
        began = int(datetime.datetime(2026, 11, 27, 14, tzinfo=datetime.timezone.utc).timestamp())
        for job, start, result in ("17", began + 1, "refused"), ("18", began, "done"):
            with self.subTest(start=start):
                site.set_job(job, start=str(start))
                self.assert_result([result], site.receive(alert("SiteGPULost", jobid=job)))

    def test_undo_refused(self):
        site = self.site(REQUEUE)
        site.set_job("17")
        site.receive(alert("SiteGPULost", jobid="17"))
        site.set_job("17", state="RUNNING")
        self.assert_result(["not-undone"], site.run("undo", 1)[::2], 1)
        site.configure(REQUEUE + "hold = no\n")
        site.set_job("18")
        site.receive(alert("SiteGPULost", jobid="18"))
        status, _, said = site.run("undo", 2)
        self.assertEqual((1, True), (status, "the run that was cut is lost" in said[0]))
        self.assertEqual([["requeuehold", "17"], ["requeue", "18"]], site.changes())

    def test_mail(self):
        """To the owner that Slurm names, once; undo writes again."""
        with Mail() as mail:
            site = self.site("[rule owner]\nalert = SlurmGPUsIdle\naction = mail\npartitions = *\narmed = yes\n",
                             f"smtp = {mail.address}\nmail-from = slurm@example.org\nmail-domain = example.org")
            for number, user in (("17", "alice"), ("18", "root"), ("19", "eve@evil"), ("20", "-f")):
                site.set_job(number, user=user)
            fired = [alert("SlurmGPUsIdle", jobid=number, user="mallory", annotations={"summary": "Idle.\x1b\ud800", "description": "B\ncc: d"})
                     for number in ("17", "18", "19", "20")]
            self.assert_result(["done"] + ["refused"] * 3, site.receive(*fired))
            self.assert_result(["known"] + ["refused"] * 3, site.receive(*fired))
            self.assert_result(["undone"], site.run("undo", 1)[::2])
        (to, letter), (to_again, again) = mail.letters()
        self.assertEqual(["alice@example.org"], to)
        self.assertEqual(("slurm@example.org", "Your Slurm job 17: SlurmGPUsIdle"), (letter["From"], letter["Subject"]))
        self.assertIn("Idle.\nB\ncc: d\n", letter.get_content().replace("\r", ""))
        self.assertEqual((to, "Your Slurm job 17: please ignore the earlier message"), (to_again, again["Subject"]))

    def test_mail_server_is_away(self):
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            site = self.site("[rule owner]\nalert = SlurmGPUsIdle\naction = mail\npartitions = *\narmed = yes\n",
                             f"smtp = 127.0.0.1:{closed.getsockname()[1]}\nmail-from = slurm@example.org\nmail-domain = example.org")
            site.set_job("17")
            self.assert_result(["failed"], site.receive(alert("SlurmGPUsIdle", jobid="17")), 1)


class Programs(Hooks):
    def program(self, site, name, script):
        path = site.folder / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return path

    def test_ticket(self):
        """It gets JSON, no arguments, and neither the secret nor a shell's ideas. Its undo gets what it said."""
        site = self.site()
        opens = self.program(site, "open", f'cat > {site.folder}/given; env > {site.folder}/env; echo "$#" > {site.folder}/count; echo "T-4711 \033[2J"; echo more')
        closes = self.program(site, "close", f"cat > {site.folder}/given-back")
        site.configure(f"[rule ticket]\nalert = SlurmNodeDown\naction = run\ncommand = {opens}\nundo-command = {closes}\narmed = yes\n")
        fired = alert("SlurmNodeDown", node="$(reboot)\n", annotations={"summary": "'; reboot"})
        message = json.dumps({"alerts": [fired]})
        status, _, said = site.run("receive", given=message, SLURMSCOPE_HOOKS_SECRET="geheim", SLURM_CONF="/srv/slurm.conf")
        self.assertEqual((0, ["done"]), (status, results(said)))
        given = json.loads((site.folder / "given").read_text())
        self.assertEqual((fired["labels"], fired["annotations"], STARTS, 1), tuple(given[name] for name in ("labels", "annotations", "startsAt", "id")))
        self.assertEqual("0\n", (site.folder / "count").read_text())
        variables = (site.folder / "env").read_text().splitlines()
        names = {line.partition("=")[0] for line in variables}
        self.assertLessEqual(names, {"PATH", "LC_ALL", "SLURM_CONF", "SLURM_TIME_FORMAT", "PWD", "OLDPWD", "SHLVL", "_"})
        self.assertIn("SLURM_CONF=/srv/slurm.conf", variables)  # or it would ask another Slurm
        self.assertTrue(site.run("list")[1].strip().isprintable())
        self.assert_result(["undone"], site.run("undo", 1)[::2])
        self.assertEqual("T-4711 \033[2J", json.loads((site.folder / "given-back").read_text())["said"])

    def test_fails(self):
        site = self.site()
        fails = self.program(site, "fails", "echo no disk; exit 3")
        rule = f"[rule ticket]\nalert = A\naction = run\narmed = yes\ncommand = {fails}\n"
        site.configure(rule)
        status, said = site.receive(alert("A"))
        self.assertEqual((1, True), (status, "status 3: no disk" in said[0]))
        fails.unlink()
        self.assert_result(["failed"], site.receive(alert("A")), 1)
        self.program(site, "fails", "true")
        self.assert_result(["done"], site.receive(alert("A")))
        self.assert_result(["not-undone"], site.run("undo", 1)[::2], 1)

    def test_dry(self):
        """What was not run is not undone."""
        site = self.site()
        program = self.program(site, "program", f"touch {site.folder}/ran")
        site.configure(f"[rule ticket]\nalert = A\naction = run\ncommand = {program}\nundo-command = {program}\n")
        self.assert_result(["would"], site.receive(alert("A")))
        self.assert_result(["not-undone"], site.run("undo", 1)[::2], 1)
        self.assertFalse((site.folder / "ran").exists())


class Examples(unittest.TestCase):
    def test_they_fit_together(self):
        """The unit, webhook's hook, Alertmanager's receiver and the page name the same things."""
        unit, hook, page = ((HOOKS / name).read_text() for name in ("slurmscope-hooks.service", "webhook.yml", "README.md"))
        receiver = (ROOT / "deploy/prometheus/alertmanager-hooks.yml").read_text()
        port, path = re.search(r"url: http://127\.0\.0\.1:(\d+)/hooks/([\w-]+)", receiver).groups()
        self.assertIn(f"-ip 127.0.0.1 -port {port}\n", unit)
        self.assertIn(f"- id: {path}\n", hook)
        for place in re.search(r"execute-command: (\S+)", hook)[1], "/etc/slurmscope-hooks/webhook.yml", "/etc/slurmscope-hooks/secret":
            self.assertIn(place, unit + hook)
            self.assertIn(place.rpartition("/")[2], page)
        user = re.search(r"(?m)^User=(.*)", unit)[1]
        self.assertRegex((HOOKS / "slurmscope-hooks.sysusers.conf").read_text(), rf"(?m)^u {user} ")
        wanted = set(re.search(r'alertname=~"([^"]*)"', receiver)[1].split("|"))
        example = (HOOKS / "hooks.conf").read_text()
        self.assertEqual(wanted, {name for names in re.findall(r"(?m)^alert = (.*)", example) for name in names.split(", ")})
        known = set(re.findall(r'"alert": "(\w+)"', (ROOT / "deploy/prometheus/slurmscope.alerts.yml").read_text()))
        self.assertEqual({"SiteGPULost"}, wanted - known, "the site's own")


if __name__ == "__main__":
    unittest.main(verbosity=2)
