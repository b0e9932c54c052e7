"""Somebody runs code of his own in the process that serves (hole.c): he gets neither token nor key nor state file, connects
nowhere, starts nothing. And neither process lives on alone."""

import contextlib
import errno
import os
import re
import signal
import socket
import subprocess
import tempfile
import unittest
import urllib.parse
from pathlib import Path

from fake_slurmrestd import Fake
from harness import COMMIT, EVERY_SECOND, PATIENCE, SLURMSCOPE, Daemon, all_at_once, let_ask, wait_until
from test_systemd import Systemd
from test_tokens import copies, signature

HOLE = os.environ["SLURMSCOPE_HOLE"]
assert HOLE == SLURMSCOPE, "this is for the program with the hole"
REFUSED = {errno.EPERM, errno.EACCES}
KEY = b"a-signing-key-of-32-bytes-or-more-than-that"
ICON = "/icon.svg"


def try_it(daemon, name, with_=""):
    """(what the kernel said, what was had)"""
    status, _, body = daemon.request(f"{ICON}?{urllib.parse.urlencode({'try': name, 'with': with_})}")
    assert status == 200, status
    number, _, had = body.partition(b" ")
    return int(number), had


class Hole(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory(prefix="slurmscope-hole-")
        self.folder = self.scratch.name

    def tearDown(self):
        self.scratch.cleanup()

    @contextlib.contextmanager
    def running(self, *options, **more):
        with Fake() as fake, Daemon(fake, *EVERY_SECOND, f"--state.path={self.folder}/state", *options, **more) as daemon:
            daemon.wait_for(lambda page: COMMIT in page, "the state is written")
            yield fake, daemon

    def attempts(self, daemon):
        """(name, with): all that is worth trying."""
        key = Path(self.folder, "key")
        key.write_bytes(KEY)
        for path in daemon.token_file, key, Path(self.folder, "state"), "/proc/self/maps", "/proc/self/environ", "/etc/passwd":
            for way in "read", "openat2", "from-folder":
                yield way, str(path)
        for name in "mem", "environ", "maps", "fd", f"root{daemon.token_file}", "fd/3":
            yield "parent", name
        for path in daemon.token_file, Path(self.folder, "state"), Path(self.folder, "new"):
            yield "write", str(path)
        yield "remove", str(Path(self.folder, "state"))
        yield "start", str(Path(self.folder, "started"))
        yield from ((name, "") for name in ("process", "code", "signal", "trace", "memory", "memfd"))

    def test_refused(self):
        with self.running() as (fake, daemon), socket.create_server(("127.0.0.1", 0)) as elsewhere, \
                socket.socket(socket.AF_UNIX) as at_path:
            at_path.bind(f"{self.folder}/socket")
            at_path.listen()
            elsewhere.setblocking(False)
            at_path.setblocking(False)
            tried = 0
            for name, with_ in self.attempts(daemon):
                number, had = try_it(daemon, name, with_)
                self.assertIn(number, REFUSED, (name, with_, os.strerror(number)))
                self.assertEqual(b"", had, (name, with_))
                tried += 1
            self.assertGreater(tried, 30)
            port = elsewhere.getsockname()[1]
            for name, with_ in ("connect", port), ("connect", fake.port), ("connect-path", f"{self.folder}/socket"):
                self.assertIn(try_it(daemon, name, with_)[0], REFUSED, (name, with_))
            self.assertTrue(Path(self.folder, "state").exists())
            self.assertEqual([], [name for name in ("started", "new") if Path(self.folder, name).exists()])
            with contextlib.suppress(OSError):  # the last one: it closes the door behind it
                self.assertIn(try_it(daemon, "connect-listener", port)[0], REFUSED)
            for door in elsewhere, at_path:
                with self.assertRaises(BlockingIOError):
                    door.accept()

    def test_they_would_work(self):
        """Without the sandbox: what is refused above is refused by it. (Some needs root, and a kernel that allows it.)"""
        with self.running("--sandbox=off") as (fake, daemon), socket.create_server(("127.0.0.1", 0)) as elsewhere:
            self.assertEqual((0, daemon.tokens[0].encode() + b"\n"), try_it(daemon, "read", str(daemon.token_file)))
            self.assertEqual(0, try_it(daemon, "read", f"{self.folder}/state")[0])
            self.assertEqual(0, try_it(daemon, "parent", "cmdline")[0])
            self.assertEqual(0, try_it(daemon, "start", f"{self.folder}/started")[0])
            self.assertTrue(Path(self.folder, "started").exists())
            for name, with_ in ("connect", elsewhere.getsockname()[1]), ("write", f"{self.folder}/new"), \
                    ("process", ""), ("code", ""), ("signal", ""), ("memfd", ""):
                self.assertEqual(0, try_it(daemon, name, with_)[0], name)

    def test_nothing_in_its_memory(self):
        """Nor among its descriptors."""
        with self.running() as (fake, daemon):
            server = daemon.server()
            token = signature(daemon.tokens[0]).encode()
            wait_until(lambda: copies(daemon.pid, token) == 1, "the one that polls has it")
            wait_until(lambda: copies(server, token) == 0, "and the one that serves does not")
            allowed = re.compile(rf"(socket:|anon_inode:|/memfd:slurmscope|/proc/({daemon.pid}|{server})/statm$|/proc/{server}/fd$)")
            for descriptor in Path(f"/proc/{server}/fd").iterdir():
                with contextlib.suppress(FileNotFoundError):
                    if int(descriptor.name) > 2:
                        self.assertRegex(os.readlink(descriptor), allowed)
            maps = Path(f"/proc/{server}/maps").read_text()
            pages = [line for line in maps.splitlines() if "memfd:slurmscope" in line]
            self.assertGreaterEqual(len(pages), 1, "it has a page")
            self.assertEqual({"r--p"}, {line.split()[1] for line in pages})
        with Fake(key=KEY) as fake:
            key = Path(self.folder, "key")
            key.write_bytes(KEY)
            key.chmod(0o600)
            with Daemon(fake, *EVERY_SECOND, credentials=[f"--slurmrestd.jwt-key-file={key}", "--slurmrestd.user=scope"]) as daemon:
                daemon.wait_well()
                wait_until(lambda: copies(daemon.server(), KEY) == 0, "no copy of the key")

    def test_the_one_that_polls_has_no_door(self):
        with self.running() as (fake, daemon):
            listens = {inode for table in ("tcp", "tcp6") for line in Path(f"/proc/{daemon.pid}/net/{table}").read_text().splitlines()[1:]
                       for inode in [line.split()[9]] if line.split()[3] == "0A"}
            def sockets(pid):
                return {found[1] for file in Path(f"/proc/{pid}/fd").iterdir() for found in
                        [re.match(r"socket:\[(\d+)\]", os.readlink(file))] if found}
            self.assertEqual(set(), sockets(daemon.pid) & listens)
            self.assertEqual(1, len(sockets(daemon.server()) & listens))


class Ends(unittest.TestCase):
    """Neither lives on alone."""

    def ends(self, act, said):
        """With a failure, and both."""
        with Fake() as fake:
            daemon = Daemon(fake, *EVERY_SECOND).__enter__()
            try:
                daemon.wait_well()
                server = daemon.server()
                act(daemon, server)
                self.assertEqual(1, daemon.process.wait(PATIENCE))
                self.assertRegex(daemon.log()[-1]["msg"], "the process that serves has ended, and slurmscope ends with it")
                self.assertRegex(daemon.log()[-1]["why"], said)
                wait_until(lambda: not Path(f"/proc/{server}").exists(), "the other one is gone, too")
            finally:
                daemon.process.kill()
                daemon.process.wait()
                daemon.folder.cleanup()

    def test_the_server_is_killed(self):
        self.ends(lambda daemon, server: os.kill(server, signal.SIGKILL), r"^signal 9 \(Killed\)$")

    def test_the_server_ends(self):
        def act(daemon, server):
            with contextlib.suppress(OSError):
                try_it(daemon, "die", "7")
        self.ends(act, "^status 7$")

    def test_the_server_fails(self):
        def act(daemon, server):
            with contextlib.suppress(OSError):
                try_it(daemon, "die", "1")
        self.ends(act, "^status 1$")

    def test_the_server_aborts(self):
        def act(daemon, server):
            with contextlib.suppress(OSError):
                try_it(daemon, "die", "abort")
        self.ends(act, r"^signal 6 \(Aborted\)$")

    def test_the_server_talks_nonsense(self):
        """What is no message, or one that it has no reason for (--web.enable-lifecycle): then it is not trusted any more."""
        for nonsense in "nonsense", "reload":
            def act(daemon, server):
                with contextlib.suppress(OSError):
                    try_it(daemon, nonsense)
            with self.subTest(nonsense):
                self.ends(act, "^it said what it has no reason to say$")

    def test_the_one_that_polls_is_killed(self):
        with Fake() as fake:
            daemon = Daemon(fake, *EVERY_SECOND).__enter__()
            server = daemon.server()
            daemon.process.kill()
            self.assertEqual(-signal.SIGKILL, daemon.process.wait(PATIENCE))
            wait_until(lambda: not Path(f"/proc/{server}").exists(), "the other one ends with it")
            with self.assertRaises(ConnectionRefusedError):
                daemon.connect()
            daemon.folder.cleanup()

    def test_the_next_one_waits_for_the_address(self):
        """Which the one before holds until the kernel has ended both its processes."""
        with Fake() as fake, socket.create_server(("127.0.0.1", 0)) as before:
            port = before.getsockname()[1]
            daemon = Daemon(fake, *EVERY_SECOND, address=f"127.0.0.1:{port}")
            with self.assertRaises(subprocess.TimeoutExpired):
                daemon.process.wait(1)
            before.close()
            with daemon:
                self.assertEqual(port, daemon.port)

    def test_signals_are_for_the_one_that_polls(self):
        """systemd tells all processes of a unit to end, a terminal all of its group: this is the one that obeys."""
        with Fake() as fake, Daemon(fake, *EVERY_SECOND) as daemon:
            daemon.wait_well()
            server = daemon.server()
            for number in signal.SIGTERM, signal.SIGINT, signal.SIGHUP:
                os.kill(server, number)
            let_ask(fake)
            self.assertEqual(server, daemon.server())
            self.assertEqual(200, daemon.request("/-/healthy")[0])

    def test_the_server_hangs(self):
        """The watchdog is not fed: it answers nobody, or takes no pages."""
        def by_request(daemon, server):
            with contextlib.suppress(OSError):
                with daemon.connect(1) as client:
                    client.sendall(f"GET {ICON}?try=hang HTTP/1.1\r\nHost: x\r\n\r\n".encode())
                    client.recv(1)
        for hang in by_request, lambda daemon, server: os.kill(server, signal.SIGSTOP):
            with self.subTest(hang), Systemd() as systemd, Fake() as fake:
                daemon = Daemon(fake, *EVERY_SECOND, environment={"NOTIFY_SOCKET": systemd.name, "WATCHDOG_USEC": "6000000"}).__enter__()
                daemon.wait_well()
                wait_until(lambda: len(systemd.fed()) > 3, systemd.fed)
                server = daemon.server()
                hang(daemon, server)
                wait_until(lambda: systemd.clock > systemd.fed()[-1] + 6, "systemd would end it", 4 * PATIENCE)
                daemon.process.kill()  # as systemd does it
                daemon.process.wait()
                wait_until(lambda: not Path(f"/proc/{server}").exists(), "the other one ends with it")
                daemon.folder.cleanup()

    def test_stop_does_not_wait_for_a_server_that_hangs(self):
        with Fake() as fake:
            daemon = Daemon(fake, *EVERY_SECOND).__enter__()
            daemon.wait_well()
            server = daemon.server()
            os.kill(server, signal.SIGSTOP)
            daemon.process.send_signal(signal.SIGTERM)
            self.assertEqual(0, daemon.process.wait(PATIENCE))
            wait_until(lambda: not Path(f"/proc/{server}").exists(), "it is gone")
            daemon.folder.cleanup()


def load_tests(loader, tests, pattern):
    return all_at_once(tests)


if __name__ == "__main__":
    unittest.main()
