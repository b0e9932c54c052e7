"""Crowds over TLS: guesses and handshakes of somebody else, and more connections than fit. The rules are those of unit.web
and unit.web_requests, here with real handshakes."""

import contextlib
import socket
import ssl
import subprocess
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from harness import PATIENCE, best, is_sanitized, wait_until
from test_web import HASH_12, KEY_PAIR, SLOWEST_SCRAPE, Site, basic, dropped

SIGNED_BEFORE_US = 200  # hellos of somebody else that are answered while a scrape waits: 46 (without turns 392).


def client_hello(context):
    """What a client sends first, in bytes."""
    context.set_ecdh_curve("prime256v1")  # the server asks for no other, but answers at once
    coming, going = ssl.MemoryBIO(), ssl.MemoryBIO()
    with contextlib.suppress(ssl.SSLWantReadError):
        context.wrap_bio(coming, going, server_hostname="localhost").do_handshake()
    return going.read()


class Crowds(unittest.TestCase):
    def test_guessing_delays_nobody(self):
        with Site(f"{KEY_PAIR}basic_auth_users:\n  alice: {HASH_12}\n") as site:
            wait_until(lambda: site.page(basic("alice")), "a page")
            statuses = set()
            self.assertLess(best(lambda: self.slowest_among_guesses(site, statuses), SLOWEST_SCRAPE), SLOWEST_SCRAPE)
            self.assertLessEqual(statuses, {401, 503})
            self.assertIn(401, statuses)

    def slowest_among_guesses(self, site, statuses):
        end, times = time.monotonic() + 4, []

        def guess(number):
            while time.monotonic() < end:
                statuses.add(site.get("/metrics", basic("alice", f"{number} {time.monotonic()}"))[0])
        with ThreadPoolExecutor(20) as pool:
            guesses = [pool.submit(guess, number) for number in range(20)]
            time.sleep(1)
            for _ in range(5):
                done = subprocess.run(
                    ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code} %{time_total}", "--cacert", "ca.pem",
                     "-u", "alice:secret", f"https://localhost:{site.daemon.port}/metrics"],
                    cwd=site.folder, capture_output=True, text=True, timeout=PATIENCE)
                status, seconds = done.stdout.split()
                self.assertEqual("200", status)
                times.append(float(seconds))
                time.sleep(0.2)
            for guessed in guesses:
                guessed.result()
        return max(times)

    def test_handshakes_of_somebody_else(self):
        """One thread signs for all, with an RSA key in 5 ms: a scrape took 14 s. All hellos of the second kind end at once."""
        def flood(hello, kept_back, end, answered):
            while time.monotonic() < end:
                with contextlib.ExitStack() as stack:
                    clients = [stack.enter_context(socket.socket()) for _ in range(400)]
                    for client in clients:
                        client.settimeout(PATIENCE)
                        client.bind(("127.0.0.2", 0))
                        client.connect(("127.0.0.1", site.daemon.port))
                        client.sendall(hello[:len(hello) - kept_back])
                    for client in clients if kept_back else ():
                        with contextlib.suppress(OSError):  # it was dropped to make room
                            client.sendall(hello[-kept_back:])
                    for client in clients:
                        with contextlib.suppress(OSError):
                            if len(client.recv(1000)) > 100:  # it has a certificate; an alert is shorter
                                answered.append(client.fileno())

        def most_before_us(kept_back):
            hello = client_hello(site.context())
            with ThreadPoolExecutor(1) as pool:
                end = time.monotonic() + 6
                answered, before_us = [], []
                flooded = pool.submit(flood, hello, kept_back, end, answered)
                while time.monotonic() < end - 1:
                    time.sleep(0.3)
                    start = len(answered)
                    self.assertEqual(200, site.get()[0])
                    before_us.append(len(answered) - start)
                flooded.result()
                self.assertGreater(len(answered), 50)
                return max(before_us)
        with Site(KEY_PAIR, key=("rsa:4096",)) as site:
            wait_until(site.page, "a page")
            for kept_back in (0, 1):
                most = best(lambda: most_before_us(kept_back), SIGNED_BEFORE_US)
                print(f"{most} of somebody else's handshakes before a scrape")
                self.assertLess(most, SIGNED_BEFORE_US, kept_back)

    def test_more_than_fit_over_tls(self):
        """Before, within and after the handshake."""
        def scrape_among(stack, is_greeted, what):
            for _ in range(600):
                slow = stack.enter_context(socket.create_connection(("127.0.0.1", site.daemon.port), PATIENCE))
                with contextlib.suppress(OSError):  # who is too slow is dropped, in the midst of the handshake, too
                    if is_greeted:
                        slow = stack.enter_context(context.wrap_socket(slow, server_hostname="localhost"))
                    slow.sendall(what)
            start = time.monotonic()
            self.assertEqual(200, site.get()[0])
            return time.monotonic() - start
        with Site(KEY_PAIR) as site, contextlib.ExitStack() as stack:
            wait_until(site.page, "a page")
            context = site.context()
            for is_greeted, what in ((False, b""), (False, b"\x16\x03\x01\x02\x00\x01\x00"), (False, b"GET / HTTP/1.1\r\n\r\n"),
                                     (True, b""), (True, b"GET /metr")):
                self.assertLess(best(lambda: scrape_among(stack, is_greeted, what), SLOWEST_SCRAPE), SLOWEST_SCRAPE, (is_greeted, what))
            page = wait_until(lambda: dropped(page := site.page()) > 1000 and page, "connections that were dropped")
            self.assertLessEqual(page["slurmscope_web_connections"], 512)
            self.assertLess(page["process_resident_memory_bytes"], 100e6 + is_sanitized() * 600e6)


if __name__ == "__main__":
    unittest.main()
