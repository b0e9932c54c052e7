"""This machine has no more of something that slurmscope needs, or does not let it run: it goes on when it can."""

import contextlib
import os
import signal
import socket
import time
import unittest
from pathlib import Path

from fake_slurmrestd import Fake
from harness import BACK_OFF, EVERY_SECOND, PATIENCE, Daemon, Frozen, held, is_up, let_ask, poller_of, wait_until

DESCRIPTORS = 64


class Exhausted(unittest.TestCase):
    def test_descriptors(self):
        """Those who connect and say nothing take all that are left. Polls go on meanwhile, and scrapes afterwards."""
        with Fake() as fake, Daemon(fake, *EVERY_SECOND, wrapper=["prlimit", f"--nofile={DESCRIPTORS}"]) as daemon, \
                contextlib.ExitStack() as stack:
            before = daemon.wait_well()
            for _ in range(2 * DESCRIPTORS):
                stack.enter_context(daemon.connect())
            wait_until(lambda: len(list(Path(f"/proc/{daemon.server()}/fd").iterdir())) == DESCRIPTORS, "none is left")
            let_ask(fake)
            page = daemon.page()  # idle connections are dropped, so there is room for this one in time
            self.assertEqual(held(before), held(page))
            stack.close()
            self.assertEqual(held(before), held(daemon.wait_well(BACK_OFF)))

    def test_name_that_nobody_has(self):
        configuration = "slurmrestd: {url: '%s', token-file: '{folder}/token'}\n"
        with Fake() as fake, Daemon(fake, *EVERY_SECOND, config=configuration % "http://no-such-host.invalid:6820") as daemon:
            daemon.wait_for(lambda page: is_up(page, "ping") == 0, "ping is down")
            self.assertIn("no-such-host.invalid", daemon.log(level="warn", endpoint="ping")[0]["error"])
            daemon.reload(configuration % fake.url)
            daemon.wait_well(BACK_OFF)

    def test_stopped_for_a_while(self):
        """What it showed is what it shows, and no request failed."""
        with Fake() as fake, Daemon(fake, *EVERY_SECOND) as daemon:
            before, warned = daemon.wait_well(), daemon.log(level="warn")
            both = daemon.pid, daemon.server()
            for pid in both:
                os.kill(pid, signal.SIGSTOP)
            wait_until(lambda: all(") T " in Path(f"/proc/{pid}/stat").read_text() for pid in both), "they are stopped")
            stopped = time.monotonic()
            with daemon.connect() as scrape:
                scrape.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
                wait_until(lambda: time.monotonic() > stopped + 3, "some intervals are over")
                for pid in both:
                    os.kill(pid, signal.SIGCONT)
                self.assertIn(b"200 OK", scrape.recv(4096, socket.MSG_WAITALL))
            let_ask(fake)
            self.assertEqual(held(before), held(daemon.wait_well()))
            self.assertEqual(warned, daemon.log(level="warn"))

    def test_the_process_that_polls_is_stopped(self):
        """A container has no watchdog of systemd's: its probe hears of it, and when all is well again. So it does of a poller
        that hangs alone."""
        with Fake() as fake, Daemon(fake, *EVERY_SECOND) as stopped, \
                Fake() as another, Daemon(another, *EVERY_SECOND, "--slurmrestd.timeout=1") as hanging:
            both = stopped, hanging
            for daemon in both:
                daemon.wait_well(BACK_OFF)  # an answer that takes longer than a second fails
            os.kill(stopped.pid, signal.SIGSTOP)
            try:
                with Frozen(poller_of(hanging.pid)):
                    for daemon in both:
                        self.assertEqual(200, daemon.request("/-/healthy")[0])
                    for daemon in both:
                        wait_until(lambda: daemon.request("/-/healthy")[0] == 503, "it is never said", 60 + PATIENCE)
                        self.assertRegex(daemon.request("/-/healthy")[2],
                                         rb"^the process that polls has made no progress for \d+ s$")
                        self.assertEqual(200, daemon.request("/metrics")[0])
            finally:
                os.kill(stopped.pid, signal.SIGCONT)
            for daemon in both:
                wait_until(lambda: daemon.request("/-/healthy")[0] == 200, "it is never well again")


if __name__ == "__main__":
    unittest.main()
