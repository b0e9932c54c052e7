"""What we report to systemd, and what our units tell it to do with us."""

import contextlib
import os
import re
import select
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

from fake_slurmrestd import Fake
from harness import BACK_OFF, EVERY_SECOND, PATIENCE, Daemon, Frozen, all_at_once, is_up, let_ask, poller_of, wait_until

UNITS = Path(__file__).resolve().parents[2] / "deploy"
EXPOSURE_MAX = {"systemd/slurmscope.service": 1.2, "slurmrestd/slurmscope-slurmrestd.service": 1.4,
                "hooks/slurmscope-hooks.service": 1.2,
                "report/slurmscope-report.service": 1.2, "token/slurmscope-token.service": 2.1, "ha/slurmscope-copy-state@.service": 2.1}  # the last two have to be root's


def exposure(unit):
    done = subprocess.run(["systemd-analyze", "security", "--offline=true", unit], capture_output=True, text=True, check=True)
    return float(re.search(r"exposure level for \S+: ([\d.]+)", done.stdout)[1])


class Systemd:
    """Its end of NOTIFY_SOCKET."""

    def __init__(self, is_abstract=False):
        self.folder = tempfile.TemporaryDirectory(prefix="slurmscope-notify-")
        self.name = f"@{self.folder.name}" if is_abstract else f"{self.folder.name}/notify"
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.name.replace("@", "\0"))
        self.told = []  # (when, what)
        self.clock = 0
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        """With a clock that stands when the machine does: no look adds more than a second to it."""
        last = time.monotonic()
        with contextlib.suppress(OSError, ValueError):
            while True:
                is_there, _, _ = select.select([self.socket], [], [], 0.5)
                now = time.monotonic()
                self.clock, last = self.clock + min(now - last, 1), now
                if is_there:
                    self.told.append((self.clock, self.socket.recv(4096).decode()))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
        self.folder.cleanup()

    def said(self):
        return [what for _, what in self.told if what != "WATCHDOG=1"]

    def fed(self):
        return [when for when, what in self.told if what == "WATCHDOG=1"]


class Notify(unittest.TestCase):
    def test_ready_reload_and_end(self):
        for is_abstract in False, True:
            config = 'slurmrestd: {{url: "{}", token-file: {{folder}}/token}}\n'
            with self.subTest(is_abstract), Systemd(is_abstract) as systemd, Fake() as fake, \
                    Daemon(fake, config=config.format(fake.url), environment={"NOTIFY_SOCKET": systemd.name}) as daemon:
                wait_until(lambda: systemd.said() == ["READY=1"], systemd.said)
                self.assertEqual(200, daemon.request("/-/healthy")[0], "it serves when it says so")
                for text in (config.format(fake.url), "junk: 1\n"):
                    systemd.told.clear()
                    before = time.monotonic_ns() // 1000
                    daemon.reload(text)
                    wait_until(lambda: len(systemd.said()) == 2, systemd.said)
                    reloading, ready = systemd.said()
                    moment = int(re.fullmatch(r"RELOADING=1\nMONOTONIC_USEC=(\d+)", reloading)[1])
                    self.assertTrue(before <= moment <= time.monotonic_ns() // 1000)
                    self.assertEqual("READY=1", ready)
                systemd.told.clear()
                daemon.process.send_signal(signal.SIGTERM)
                self.assertEqual(0, daemon.process.wait(PATIENCE))
                wait_until(lambda: systemd.said() == ["STOPPING=1"], systemd.said)
                self.assertEqual([], systemd.fed(), "nobody asked for it")
                daemon.process.poll = lambda: None  # it was to end

    def test_not_ready_when_it_cannot_serve(self):
        with Systemd() as systemd, socket.create_server(("127.0.0.1", 0)) as taken:
            daemon = Daemon(None, url="http://127.0.0.1:1", address="127.0.0.1:%d" % taken.getsockname()[1],
                            environment={"NOTIFY_SOCKET": systemd.name})
            self.assertEqual(1, daemon.process.wait(PATIENCE))
            daemon.folder.cleanup()
            self.assertEqual([], systemd.told)

    def test_watchdog(self):
        """It is fed while the poller works, waits, or waits for an answer; not when it hangs."""
        environment = {"WATCHDOG_USEC": "6000000"}
        with Systemd() as systemd, Fake() as fake, \
                Daemon(fake, *EVERY_SECOND, "--slurmrestd.timeout=1", environment={"NOTIFY_SOCKET": systemd.name, **environment}) as daemon:
            daemon.wait_well(BACK_OFF)  # an answer that takes longer than a second fails
            wait_until(lambda: len(systemd.fed()) > 3, systemd.fed)
            fake.refuse()
            daemon.wait_for(lambda page: is_up(page, "ping") == 0, "slurmrestd is away")
            fed = len(systemd.fed())
            wait_until(lambda: len(systemd.fed()) > fed + 3, "it is fed all the same")
            fake.open()
            daemon.wait_well(BACK_OFF)
            with Frozen(poller_of(daemon.pid)):
                wait_until(lambda: systemd.clock > systemd.fed()[-1] + 6, "it is fed no more, and systemd would end it")
                self.assertEqual(200, daemon.request("/-/healthy")[0], "the server goes on")
                fed = len(systemd.fed())
            wait_until(lambda: len(systemd.fed()) > fed, "it goes on when the poller does")
            feedings = [when for when in systemd.fed() if when < systemd.fed()[fed - 1]]
            gaps = sorted(b - a for a, b in zip(feedings, feedings[1:]))
            self.assertLess(gaps[-2], 6, gaps)  # the machine may have stood still once

    def test_watchdog_of_the_server(self):
        """A web configuration that cannot be read, as on a mount that hangs: it is fed no more, though the server goes on."""
        with Systemd() as systemd, Fake() as fake, tempfile.TemporaryDirectory() as folder:
            config = Path(folder, "web.yml")
            config.write_text("rate_limit: {interval: 1ms, burst: 100}\n")
            with Daemon(fake, *EVERY_SECOND, f"--web.config.file={config}",
                        environment={"NOTIFY_SOCKET": systemd.name, "WATCHDOG_USEC": "6000000"}) as daemon:
                daemon.wait_well(BACK_OFF)
                wait_until(lambda: len(systemd.fed()) > 3, systemd.fed)
                pipe = Path(folder, "pipe")
                os.mkfifo(pipe)
                pipe.rename(config)  # a reader that opens it waits for a writer
                wait_until(lambda: systemd.clock > systemd.fed()[-1] + 6, "systemd would end it")
                self.assertEqual(200, daemon.request("/-/healthy")[0], "the server goes on")
                fed = len(systemd.fed())
                good = Path(folder, "good")
                good.write_text("rate_limit: {interval: 1ms, burst: 100}\n")
                with config.open("w") as answer:
                    good.rename(config)
                    answer.write("rate_limit: {interval: 1ms, burst: 100}\n")
                wait_until(lambda: len(systemd.fed()) > fed, "it goes on when the file is read")

    def test_another_process_is_watched(self):
        """Only whom the environment names feeds it."""
        for pid, is_watched in ("$$", True), ("1", False):
            wrapper = ["sh", "-c", f'WATCHDOG_PID={pid} exec "$0" "$@"']
            with self.subTest(pid), Systemd() as systemd, Fake() as fake, Daemon(
                    fake, *EVERY_SECOND, wrapper=wrapper, environment={"NOTIFY_SOCKET": systemd.name, "WATCHDOG_USEC": "600000"}) as daemon:
                wait_until(systemd.fed if is_watched else systemd.said, "it is ready")
                let_ask(fake)
                self.assertEqual(is_watched, bool(systemd.fed()))

    def test_nobody_listens(self):
        for name in ("/nowhere/notify", "relative", "@", "", "/" + "x" * 200):
            with self.subTest(name), Fake() as fake, Daemon(fake, environment={"NOTIFY_SOCKET": name}) as daemon:
                self.assertEqual(200, daemon.request("/-/healthy")[0])


class Units(unittest.TestCase):
    def test_exposure(self):
        self.assertEqual({str(unit.relative_to(UNITS)) for unit in UNITS.glob("*/*.service")}, set(EXPOSURE_MAX))
        for unit, most in EXPOSURE_MAX.items():
            self.assertLessEqual(exposure(UNITS / unit), most, unit)

    def test_exposure_where_user_namespaces_are_allowed(self):
        """What the unit suggests to the sites that have them."""
        text = (UNITS / "systemd/slurmscope.service").read_text()
        with tempfile.TemporaryDirectory() as folder:
            unit = Path(folder, "slurmscope.service")
            unit.write_text(re.sub("(?m)^#(PrivateUsers=yes)$", r"\1", text))
            self.assertNotEqual(text, unit.read_text())
            self.assertLessEqual(exposure(unit), 1.1)

    def test_they_may_write_what_is_documented(self):
        """Tokens and sockets below /run are in a folder that a unit makes, and with ProtectSystem=strict may write to."""
        folders = {f"/run/{folder}" for unit in UNITS.glob("*/*.service")
                   for folder in re.findall(r"(?m)^RuntimeDirectory=(.*)$", unit.read_text())}
        pages = "".join((UNITS / page).read_text() for page in
                        ("slurmscope.yml", "package/slurmscope.yml", "INSTALL.md", "MANUAL.md", "token/README.md"))
        named = {path for path in re.findall(r"(?:token-file: |TOKEN_FILE=|unix:)(/[\w/$.-]*\w)", pages) if path != "/path"}
        self.assertGreaterEqual(len(named), 5)
        self.assertEqual(set(), {path for path in named if path.rpartition("/")[0] not in folders})

    def test_they_are_valid(self):
        """But for what is not installed here."""
        expected = re.compile(r"(is not executable: No such file|Command 'man |Failed to .*unit .*not found|^$)")
        for unit in sorted([*UNITS.glob("*/*.service"), *UNITS.glob("*/*.timer")]):
            done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True)
            wrong = [line for line in done.stderr.splitlines() if unit.name in line and not expected.search(line)]
            self.assertEqual([], wrong)
        self.assertGreaterEqual(len(list(UNITS.glob("*/*.service"))), 2)


def load_tests(loader, tests, pattern):
    return all_at_once(tests)


if __name__ == "__main__":
    unittest.main()
