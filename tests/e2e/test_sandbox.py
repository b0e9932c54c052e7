"""A running slurmscope is held to what it needs; where the kernel has no means it says so, or does not start if it must.

What is refused, call by call, is tests/unit/test_sandbox.c's."""

import contextlib
import ctypes
import errno
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from fake_slurmrestd import Fake, make_token
from harness import COMMIT, EVERY_SECOND, SLURMSCOPE, Daemon, all_at_once, free_port, is_up, run, wait_until

UNIT = Path(__file__).resolve().parents[2] / "deploy/systemd/slurmscope.service"
LANDLOCK_CREATE_RULESET, ASK_VERSION = 444, 1
# A filter as a container's runtime or systemd puts on what it starts: default reply, reply to those named, who they are.
FILTERED = """
import ctypes, os, sys
libseccomp = ctypes.CDLL("libseccomp.so.2")
libseccomp.seccomp_init.restype = ctypes.c_void_p
default, reply = int(sys.argv[1]), int(sys.argv[2])
names = open(sys.argv[3]).read().split()
rules = ctypes.c_void_p(libseccomp.seccomp_init(default))
for name in names:
    call = libseccomp.seccomp_syscall_resolve_name(name.encode())
    if call >= 0:
        assert libseccomp.seccomp_rule_add(rules, reply, call, 0) == 0, name
assert libseccomp.seccomp_load(rules) == 0
os.execv(sys.argv[4], sys.argv[4:])
"""
ALLOW, ERROR = 0x7fff0000, 0x00050000


def landlock_abi():
    return max(0, ctypes.CDLL(None).syscall(LANDLOCK_CREATE_RULESET, None, ctypes.c_size_t(0), ASK_VERSION))


def filtered(folder, default, reply, names):
    file = Path(folder, "filter")
    file.write_text("\n".join(names))
    return [sys.executable, "-c", FILTERED, str(default), str(reply), str(file)]


def without(folder, *names, error=errno.ENOSYS):
    return filtered(folder, ALLOW, ERROR | error, names)


def of_unit():
    """The calls that the unit's SystemCallFilter= lets through, by this machine's systemd."""
    def calls(names):
        for name in names:
            if name.startswith("@"):
                listed = subprocess.run(["systemd-analyze", "syscall-filter", name], capture_output=True, text=True, check=True)
                yield from calls(line.strip() for line in listed.stdout.splitlines()[1:] if not line.strip().startswith("#"))
            elif name:
                yield name
    allowed = set(calls(["@default"]))
    for line in re.findall(r"(?m)^SystemCallFilter=(.*)", UNIT.read_text()):
        names = set(calls(line.removeprefix("~").split()))
        allowed = allowed - names if line.startswith("~") else allowed | names
    return allowed


def threads(daemon):
    """What the kernel says of each of both processes; those that look up names come and go."""
    found = []
    for pid in daemon.pid, daemon.server():
        for task in Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                found.append(dict(re.findall(r"(?m)^(\w+):\t(.*)$", (task / "status").read_text())))
    return found


def sandbox(daemon):
    status = daemon.request("/api/v1/status")
    return json.loads(status[2])["slurmscope"]["sandbox"]


class Sandbox(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory(prefix="slurmscope-sandbox-")
        self.folder = self.scratch.name
        self.abi = landlock_abi()

    def tearDown(self):
        self.scratch.cleanup()

    def assert_said(self, daemon, seccomp, landlock, writes):
        """In the log, once, before anything is asked; and in /api/v1/status."""
        lines = daemon.log(msg="sandbox")
        self.assertEqual([("yes" if seccomp else "no", writes if landlock else "anywhere")],
                         [(line["seccomp"], line["writes"]) for line in lines], lines)
        self.assertEqual("info" if seccomp and landlock else "warn", lines[0]["level"])
        self.assertRegex(lines[0]["landlock"], f"^ABI {landlock}$" if landlock else "^no: Landlock: .")
        self.assertEqual({"seccomp": seccomp, "landlock_abi": landlock or None}, sandbox(daemon))

    def test_every_thread(self):
        with Fake() as fake, Daemon(fake, *EVERY_SECOND, f"--state.path={self.folder}/state",
                                    url=fake.url.replace("127.0.0.1", "localhost")) as daemon:
            page = daemon.wait_for(lambda page: COMMIT in page and is_up(page, "nodes"), "it works")
            self.assertEqual(0, page["slurmscope_state_errors_total"])
            self.assert_said(daemon, True, self.abi, self.folder)
            all_of_them = threads(daemon)
            self.assertGreater(len(all_of_them), 3)
            self.assertEqual({("2", "1")}, {(thread["Seccomp"], thread["NoNewPrivs"]) for thread in all_of_them})

    def test_off(self):
        with Fake() as fake, Daemon(fake, "--sandbox=off") as daemon:
            daemon.wait_well()
            self.assertEqual({("0", "0")}, {(thread["Seccomp"], thread["NoNewPrivs"]) for thread in threads(daemon)})
            self.assertEqual([("info", "off", "off")], [(line["level"], line["seccomp"], line["landlock"]) for line in daemon.log(msg="sandbox")])
            self.assertEqual({"seccomp": False, "landlock_abi": None}, sandbox(daemon))

    def test_once(self):
        token = Path(self.folder, "token")
        token.write_text(make_token())
        token.chmod(0o600)
        with Fake() as fake:
            done = run("--once", f"--slurmrestd.url={fake.url}", f"--slurmrestd.token-file={token}", f"--state.path={self.folder}/state")
        self.assertIn("\nslurm_cluster_nodes{", done.stdout)
        self.assertIn(f"writes={self.folder}" if self.abi else "writes=anywhere", done.stderr)

    def test_a_kernel_without(self):
        """Or a container that hides it: it goes on with what there is."""
        rows = [(["landlock_create_ruleset"], errno.ENOSYS, True, 0), (["landlock_create_ruleset"], errno.EPERM, True, 0),
                (["landlock_create_ruleset"], errno.EOPNOTSUPP, True, 0), (["landlock_add_rule"], errno.EPERM, True, 0),
                (["landlock_restrict_self"], errno.EPERM, True, 0), (["seccomp"], errno.ENOSYS, False, self.abi),
                (["seccomp", "landlock_create_ruleset"], errno.EPERM, False, 0)]
        for hidden, error, seccomp, landlock in rows:
            with self.subTest(hidden), tempfile.TemporaryDirectory() as folder, Fake() as fake, \
                    Daemon(fake, *EVERY_SECOND, f"--state.path={folder}/state", wrapper=without(folder, *hidden, error=error)) as daemon:
                page = daemon.wait_for(lambda page: COMMIT in page and is_up(page, "nodes"), "it works")
                self.assertEqual(0, page["slurmscope_state_errors_total"])
                self.assert_said(daemon, seccomp, landlock, folder)

    def test_on(self):
        """Then a part that is missing is an error."""
        for hidden in ["landlock_create_ruleset"], ["landlock_add_rule"], ["seccomp"]:
            with self.subTest(hidden), Fake() as fake:
                done = run("--sandbox=on", f"--slurmrestd.url={fake.url}", f"--web.listen-address=127.0.0.1:{free_port()}",
                           f"--state.path={self.folder}/state", wrapper=without(self.folder, *hidden))
                self.assertEqual((1, ""), (done.returncode, done.stdout))
                self.assertRegex(done.stderr, "level=error .*--sandbox=on: the kernel does not offer all of it: .*: ")
                self.assertEqual([], fake.calls)
        with Fake() as fake:
            if self.abi:
                with Daemon(fake, "--sandbox=on") as daemon:
                    daemon.wait_well()
                    self.assert_said(daemon, True, self.abi, "nowhere")
            else:
                self.assertEqual(1, run("--sandbox=on", f"--slurmrestd.url={fake.url}").returncode)

    def test_in_the_unit(self):
        """Whose filter lets it in, and goes on to hold."""
        allowed = of_unit()
        self.assertEqual({"nanosleep"}, allowed & {"mount", "setuid", "nanosleep", "ptrace"})
        allowed.add("ptrace")  # sanitizers look for leaks by it
        with Fake() as fake, Daemon(fake, *EVERY_SECOND, f"--state.path={self.folder}/state",
                                    wrapper=filtered(self.folder, ERROR | errno.EPERM, ALLOW, allowed)) as daemon:
            daemon.wait_for(lambda page: COMMIT in page and is_up(page, "nodes"), "it works")
            self.assert_said(daemon, True, self.abi, self.folder)
            # the unit's, that of both processes, that of each
            self.assertEqual({"3"}, {thread["Seccomp_filters"] for thread in threads(daemon)})

    def test_folder_takes_another_ones_place(self):
        """The pollers' threads are held to it: what looks like the folder is not the one that they may write to."""
        state = Path(self.folder, "here", "state")
        state.parent.mkdir()
        with Fake() as fake, Daemon(fake, *EVERY_SECOND, f"--state.path={state}") as daemon:
            daemon.wait_for(lambda page: COMMIT in page, "the state to be written")
            daemon.process.send_signal(signal.SIGSTOP)  # so that it does not see that there is no folder
            os.waitpid(daemon.pid, os.WUNTRACED)
            state.parent.rename(Path(self.folder, "gone"))
            state.parent.mkdir()
            daemon.process.send_signal(signal.SIGCONT)
            if self.abi:
                wait_until(lambda: daemon.log(level="error"), "it fails")
                self.assertIn("Permission denied", daemon.log(level="error")[0]["error"])
                daemon.process.send_signal(signal.SIGHUP)
                wait_until(lambda: len(daemon.log(level="error")) == 2, "it is not allowed to")
                self.assertIn(": restart slurmscope", daemon.log(level="error")[1]["error"])
            else:
                wait_until(state.exists, "it is made anew")

    def test_state_moves(self):
        """Where nothing may be written it needs a restart, and that is said; the old configuration stays."""
        for name in "here", "there":
            Path(self.folder, name).mkdir()
        config = ("slurmrestd: {{url: '{url}', token-file: {{folder}}/token}}\ninterval: {{nodes: 1, ping: 1, diag: 1}}\n"
                  "clusters:\n  alpha: {{state: {{path: {a}}}}}\n  beta: {{state: {{path: {b}}}}}\n")
        here, there = f"{self.folder}/here/", f"{self.folder}/there/"
        with Fake() as fake, Daemon(fake, "--web.enable-lifecycle", config=config.format(
                url=fake.url, a=here + "a", b=here + "b")) as daemon:
            reloaded = "slurmscope_config_last_reload_successful"
            daemon.wait_for(lambda page: COMMIT + '{cluster="beta"}' in page, "the state to be written")
            page = daemon.reload(config.format(url=fake.url, a=here + "a", b=there + "b"))
            said = daemon.log(level="error")
            if not self.abi:
                self.assertEqual(([], 1), (said, page[reloaded]))
                return
            self.assertEqual(0, page[reloaded])
            self.assertEqual(1, len(said), said)
            self.assertRegex(said[0]["error"], rf"slurmscope.yml:5:\d+: state.path: {there}b: .*: restart slurmscope")
            self.assertRegex(daemon.request("/-/reload", "POST")[2].decode(), "not reloaded: .*: restart slurmscope")
            wait_until(lambda: len(daemon.log(level="error")) == 2, "the same is said again")
            self.assertFalse(Path(there, "b").exists())
            page = daemon.reload(config.format(url=fake.url, a=here + "a", b=here + "c"))
            self.assertEqual(1, page[reloaded])
            daemon.wait_for(lambda page: Path(here, "c").exists(), "another file in the same folder")
            self.assertEqual(b"reloaded\n", daemon.request("/-/reload", "POST")[2])

    def test_configured(self):
        config = "slurmrestd: {{url: '{}', token-file: {{folder}}/token}}\nsandbox: {}\n"
        with Fake() as fake, Daemon(fake, config=config.format(fake.url, "off")) as daemon:
            self.assertEqual({"seccomp": False, "landlock_abi": None}, sandbox(daemon.wait_well() and daemon))
            daemon.reload(config.format(fake.url, "auto"))
            self.assertEqual(["sandbox"], [line["option"] for line in daemon.log(level="warn", msg="a change of this option takes effect at the next start")])
            self.assertEqual({"seccomp": False, "landlock_abi": None}, sandbox(daemon))
        file = Path(self.folder, "slurmscope.yml")
        file.write_text("clusters: {alpha: {sandbox: off}}\n")
        self.assertIn("sandbox: holds for the whole process and cannot be set for one cluster", run("--check-config", f"--config.file={file}").stderr)

    def test_doctor(self):
        def says(*options, hidden=()):
            with Fake() as fake:
                wrapper = without(self.folder, *hidden) if hidden else []
                done = subprocess.run([*wrapper, SLURMSCOPE, "doctor", f"--slurmrestd.url={fake.url}",
                                       f"--web.listen-address=127.0.0.1:{free_port()}", *options], capture_output=True, text=True)
            return [line for line in done.stdout.splitlines() if re.match(r"\w+ +sandbox ", line)]
        whole = rf"^ok +sandbox +the kernel supports all of it: seccomp and Landlock \(ABI {self.abi}\)$"
        for rows in ((), whole if self.abi else "^warn +sandbox +slurmscope runs with only a part of the sandbox: Landlock: "), \
                (("--sandbox=off",), "^ok +sandbox +off, as configured"):
            self.assertRegex("\n".join(says(*rows[0])), rows[1])
        for hidden, text in ("landlock_create_ruleset", "Landlock: Function not"), ("seccomp", "seccomp: the kernel has no filters"):
            self.assertRegex("\n".join(says(hidden=[hidden])), f"^warn +sandbox +slurmscope runs with only a part of the sandbox: {text}")
            self.assertRegex("\n".join(says("--sandbox=on", hidden=[hidden])), f"^FAIL +sandbox +slurmscope will not start: --sandbox=on needs what the kernel does not have: {text}")


def load_tests(loader, tests, pattern):
    return all_at_once(tests)


if __name__ == "__main__":
    unittest.main()
