"""The server as scrapers and intruders meet it: TLS, client certificates, passwords, and what changes while it runs.
Sockets are of all kinds, and some clients take their time."""

import base64
import contextlib
import gzip
import http.client
import os
import signal
import socket
import ssl
import stat
import subprocess
import tempfile
import threading
import time
import unittest
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from certificates import P256, make_authority, make_certificate
import fake_slurmrestd as fakes
from fake_slurmrestd import Fake
from harness import BACK_OFF, EVERY_SECOND, PATIENCE, Daemon, best, free_port, is_sanitized, run, samples, wait_until
from prometheus import Prometheus

CACHE = Path(os.environ.get("SLURMSCOPE_CACHE", "/var/cache/slurmscope"))
# "secret" at a cost of 10 and, in a quarter of a second, of 12
HASH = "$2b$10$GW9BU.vdxP2J11xUysh8yuLtFmHQ0PkRv8XKlNPUomEyxC8faNu9."
HASH_12 = "$2y$12$1YBbqfCI0AECYPjj5zGqPOh3BST.LYxM3DfraN16xs9Rtu26GL/vy"
KEY_PAIR = "tls_server_config:\n  cert_file: server.pem\n  key_file: server.key\n"
SLOWEST_SCRAPE = 5  # seconds, whatever others do; on a quiet machine it is not one (slow_clients)


def basic(user, password="secret"):
    return {"Authorization": "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()}


def dropped(page):
    """For whatever reason: on a busy machine their time is over before the next ones come."""
    return sum(value for series, value in page.items() if series.startswith("slurmscope_web_connections_dropped_total{"))


class Site:
    """A folder with certificates and a web.yml, and a slurmscope that has it."""

    def __init__(self, config, *options, key=P256):
        self.stack = contextlib.ExitStack()
        self.folder = Path(self.stack.enter_context(tempfile.TemporaryDirectory(prefix="slurmscope-web-")))
        make_authority(self.folder, "ca")
        make_certificate(self.folder, "server", "ca", "DNS:localhost,IP:127.0.0.1", key)
        self.config = self.folder / "web.yml"
        self.config.write_text(config)
        self.options = options

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            stack.enter_context(self.stack.pop_all())
            fake = stack.enter_context(Fake())
            self.daemon = stack.enter_context(
                Daemon(fake, f"--web.config.file={self.config}", *EVERY_SECOND, *self.options))
            self.stack = stack.pop_all()
        return self

    def __exit__(self, *why):
        return self.stack.__exit__(*why)

    def context(self, certificate=None, maximum=None):
        context = ssl.create_default_context(cafile=self.folder / "ca.pem")
        if certificate:
            context.load_cert_chain(self.folder / f"{certificate}.pem", self.folder / f"{certificate}.key")
        if maximum:
            context.set_ciphers("ALL:@SECLEVEL=0")
            with warnings.catch_warnings():  # some are deprecated, and therefore asked for
                warnings.simplefilter("ignore", DeprecationWarning)
                context.minimum_version = context.maximum_version = maximum
        return context

    def connection(self, context=None):
        return http.client.HTTPSConnection("localhost", self.daemon.port, timeout=PATIENCE,
                                           context=context or self.context())

    def get(self, path="/metrics", headers={}, context=None):
        """(status, headers, body)"""
        with contextlib.closing(self.connection(context)) as connection:
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()

    def refuses(self, context):
        try:
            self.get("/-/healthy", context=context)
        except (ssl.SSLError, ConnectionError, http.client.RemoteDisconnected):
            return True
        return False

    def serial(self):
        """Of the certificate that new connections are shown."""
        with socket.create_connection(("127.0.0.1", self.daemon.port), PATIENCE) as plain, \
                self.context().wrap_socket(plain, server_hostname="localhost") as connection:
            return connection.getpeercert()["serialNumber"]

    def page(self, headers={}):
        status, _, body = self.get(headers=headers)
        return samples(body.decode()) if status == 200 else {}

    def rewrite(self, text, path=None):
        """In one step, as a careful administrator does it."""
        path = path or self.config
        new = path.with_suffix(".new")
        new.write_text(text)
        new.rename(path)


class Tls(unittest.TestCase):
    def test_versions_and_ciphers(self):
        v10, v11, v12, v13 = (ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1, ssl.TLSVersion.TLSv1_2,
                              ssl.TLSVersion.TLSv1_3)
        for lines, good, bad in (("", (v12, v13), (v10, v11)),
                                 ("  min_version: TLS13\n", (v13,), (v11, v12)),
                                 ("  max_version: TLS12\n", (v12,), (v13,)),
                                 ("  min_version: TLS11\n", (v11, v12, v13), (v10,))):
            with self.subTest(lines), Site(KEY_PAIR + lines) as site:
                for version in good:
                    self.assertFalse(site.refuses(site.context(maximum=version)), version)
                for version in bad:
                    self.assertTrue(site.refuses(site.context(maximum=version)), version)

    def test_cipher_suites(self):
        with Site(KEY_PAIR + "  cipher_suites: [TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384]\n") as site:
            for maximum, cipher, is_good in (
                    (ssl.TLSVersion.TLSv1_2, "ECDHE-ECDSA-AES256-GCM-SHA384", True),
                    (ssl.TLSVersion.TLSv1_2, "ECDHE-ECDSA-AES128-GCM-SHA256", False),
                    (ssl.TLSVersion.TLSv1_2, "ECDHE-ECDSA-AES256-SHA", False)):
                context = site.context(maximum=maximum)
                context.set_ciphers(cipher)
                self.assertEqual(is_good, not site.refuses(context), cipher)
            self.assertFalse(site.refuses(site.context(maximum=ssl.TLSVersion.TLSv1_3)))

    def test_curves(self):
        with Site(KEY_PAIR + "  curve_preferences: [CurveP384, CurveP521]\n") as site:
            for curve, is_good in (("secp384r1", True), ("secp521r1", True), ("prime256v1", False)):
                context = site.context()
                context.set_ecdh_curve(curve)
                self.assertEqual(is_good, not site.refuses(context), curve)

    def test_no_tickets_and_no_renegotiation(self):
        with Site(KEY_PAIR) as site:
            for version in ("-tls1_2", "-tls1_3"):
                done = subprocess.run(
                    ["openssl", "s_client", "-connect", f"127.0.0.1:{site.daemon.port}", version, "-ign_eof"],
                    input=b"GET /-/healthy HTTP/1.0\r\n\r\n", capture_output=True, timeout=PATIENCE)
                self.assertIn(b"healthy", done.stdout)
                self.assertNotIn(b"session ticket", done.stdout.lower())
            self.assertIn("200 OK", self.talk(site))
            self.assertNotIn("200 OK", self.talk(site, wish="R\n", told="RENEGOTIATING"))
            self.assertEqual(200, site.get("/-/healthy")[0])

    def talk(self, site, wish="", told=""):
        """All that openssl prints; `wish`: what it is to do between the handshake and the request, `told`: what it says then."""
        log = site.folder / "client.log"
        with open(log, "wb") as printed, subprocess.Popen(
                ["openssl", "s_client", "-connect", f"127.0.0.1:{site.daemon.port}", "-tls1_2"],
                stdin=subprocess.PIPE, stdout=printed, stderr=subprocess.STDOUT, text=True) as client:
            try:
                for said, before in ((wish, "Verify return code"), ("GET /-/healthy HTTP/1.0\r\n\r\n", told)):
                    wait_until(lambda: before in log.read_text(), log.read_text)
                    with contextlib.suppress(BrokenPipeError):  # it has been turned away
                        client.stdin.write(said)
                        client.stdin.flush()
                # What it prints last depends on how the server hung up: with a close_notify, or without one.
                wait_until(lambda: client.poll() is not None, log.read_text)
            finally:
                client.kill()
                with contextlib.suppress(BrokenPipeError):
                    client.stdin.close()
        return log.read_text()

    def test_plain_http_is_not_served(self):
        with Site(KEY_PAIR) as site, site.daemon.connect() as connection:
            with contextlib.suppress(ConnectionError):
                connection.sendall(b"GET /-/healthy HTTP/1.0\r\n\r\n")
                self.assertNotIn(b"healthy", connection.recv(65536))


class ClientCertificates(unittest.TestCase):
    def curl(self, site, certificate):
        options = ["--cert", f"{certificate}.pem", "--key", f"{certificate}.key"] if certificate else []
        return subprocess.run(["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "--cacert", "ca.pem", *options,
                               f"https://localhost:{site.daemon.port}/-/healthy"], cwd=site.folder,
                              capture_output=True, text=True, timeout=PATIENCE).stdout == "200"

    def clients(self, site):
        make_authority(site.folder, "other")
        make_certificate(site.folder, "good", "ca", "DNS:prometheus.example,IP:10.1.2.3,IP:fe80::1,"
                                                   "email:a@b.example,URI:spiffe://b.example/prometheus")
        make_certificate(site.folder, "server_only", "ca", "DNS:prometheus.example", more="extendedKeyUsage=serverAuth\n")
        make_certificate(site.folder, "stranger", "other", "DNS:prometheus.example")

    def test_policies(self):
        ca = "  client_ca_file: ca.pem\n"
        with Site(KEY_PAIR) as site:
            self.clients(site)
            serial = site.serial()
            self.assertTrue(serial)
            for policy, lines, welcome in (
                    ("NoClientCert", "", {None, "good", "stranger", "server_only"}),
                    ("RequestClientCert", ca, {None, "good", "stranger", "server_only"}),
                    ("RequireAnyClientCert", ca, {"good", "stranger", "server_only"}),
                    ("VerifyClientCertIfGiven", ca, {None, "good"}),
                    ("RequireAndVerifyClientCert", ca, {"good"})):
                done = len(site.daemon.log(msg="the web configuration was read again"))
                site.rewrite(f"{KEY_PAIR}{lines}  client_auth_type: {policy}\n")
                wait_until(lambda: len(site.daemon.log(msg="the web configuration was read again")) > done, policy)
                for client in (None, "good", "stranger", "server_only"):
                    with self.subTest(policy, client=client):
                        self.assertEqual(client in welcome, self.curl(site, client))

    def test_allowed_sans(self):
        lines = "  client_ca_file: ca.pem\n  client_auth_type: RequireAndVerifyClientCert\n"
        with Site(KEY_PAIR) as site:
            self.clients(site)
            for san, is_good in (("prometheus.example", True), ("10.1.2.3", True), ("fe80::1", True),
                                 ("a@b.example", True), ("spiffe://b.example/prometheus", True), ("good", False),
                                 ("prometheus", False), ("prometheus.example.org", False), ("10.1.2.30", False)):
                done = len(site.daemon.log(msg="the web configuration was read again"))
                site.rewrite(f"{KEY_PAIR}{lines}  client_allowed_sans: [nobody, '{san}']\n")
                wait_until(lambda: len(site.daemon.log(msg="the web configuration was read again")) > done, san)
                with self.subTest(san):
                    self.assertEqual(is_good, self.curl(site, "good"))
                    self.assertFalse(self.curl(site, "stranger"))
                    self.assertFalse(self.curl(site, None))

    def test_broken_names(self):
        """A certificate of anybody's making, whose names cannot be read, is refused, and keeps nobody waiting."""
        lines = "  client_auth_type: RequireAnyClientCert\n  client_allowed_sans: [prometheus.example]\n"
        with Site(KEY_PAIR + lines) as site:
            self.clients(site)
            many = ",".join(f"DNS:{number}.example" for number in range(600))
            for name, names in (("cut", "DER:30:7f:82:01"), ("nonsense", "DER:05:00"), ("odd", "DER:30:04:87:02:01:02"),
                                ("long", f"DNS:{'a' * 60}.{'b' * 60}.example"), ("many", many),
                                ("nul", "DER:30:14:82:12:" + b"prometheus.example".hex(":")[:-2] + "00")):
                make_certificate(site.folder, name, "other", names)
                with self.subTest(name):
                    self.assertFalse(self.curl(site, name))
                    self.assertTrue(self.curl(site, "good"))
            make_certificate(site.folder, "last", "other", many + ",DNS:prometheus.example")
            self.assertTrue(self.curl(site, "last"))


class Passwords(unittest.TestCase):
    def test_who_may_ask(self):
        with Site(f"{KEY_PAIR}basic_auth_users:\n  alice: {HASH}\n  'b:b': {HASH}\n  ünï: {HASH}\n") as site:
            for headers in ({}, basic("alice", "wrong"), basic("alice", ""), basic("bob"), basic("", ""),
                            basic("b:b"), basic("alice", "secret\0"), basic("alice\0", "secret"),
                            basic("alice", "x" * 5000), {"Authorization": "Basic"}, {"Authorization": "Basic !!!"},
                            {"Authorization": "Basic " + base64.b64encode(b"alice").decode()},
                            {"Authorization": "Bearer " + basic("alice")["Authorization"][6:]}):
                for path in ("/metrics", "/", "/-/healthy", "/-/ready", "/plan", "/nothing"):
                    if path != "/metrics" and headers.get("Authorization", "").startswith("Basic ") and \
                            headers != basic("bob"):
                        continue
                    status, got, body = site.get(path, headers)
                    self.assertEqual((401, 'Basic realm="metrics"', b"unauthorized\n"),
                                     (status, got["WWW-Authenticate"], body), (headers, path))
            for path, status in (("/metrics", 200), ("/", 200), ("/-/healthy", 200), ("/nothing", 404)):
                for user in ("alice", "ünï"):
                    self.assertEqual(status, site.get(path, basic(user))[0])
            self.assertEqual(200, site.get(headers={"Authorization": basic("alice")["Authorization"].replace(
                "Basic", "bAsIc")})[0])
            page = site.page(basic("alice"))
            self.assertGreaterEqual(page['slurmscope_web_requests_refused_total{code="401"}'], 18)
            self.assertNotIn("secret", site.daemon.log_text())

    def test_each_request_of_a_connection(self):
        """A right password is of its request, not of who comes after it, through a proxy that shares connections."""
        with Site(f"{KEY_PAIR}basic_auth_users:\n  alice: {HASH}\n") as site, contextlib.closing(site.connection()) as kept:
            kept.connect()
            first = kept.sock
            for headers, status in (({}, 401), (basic("alice"), 200), ({}, 401), (basic("alice", "wrong"), 401),
                                    (basic("alice"), 200), (basic("bob"), 401), (basic("alice"), 200), ({}, 401)):
                kept.request("GET", "/-/healthy", headers=headers)
                answer = kept.getresponse()
                self.assertEqual(status, answer.status, headers)
                self.assertEqual(b"healthy\n" if status == 200 else b"unauthorized\n", answer.read())
                self.assertIs(first, kept.sock, "another connection")

    def seconds(self, site, user, number):
        start = time.monotonic()
        self.assertEqual(401, site.get("/-/healthy", basic(user, f"wrong{number}"))[0])
        return time.monotonic() - start

    def test_nobody_is_told_who_exists(self):
        with Site(f"{KEY_PAIR}basic_auth_users:\n  alice: {HASH_12}\n") as site:
            known = unknown = float("inf")  # what it takes at least
            for number in range(30):
                known = min(known, self.seconds(site, "alice", number))
                unknown = min(unknown, self.seconds(site, "mallory", number))
                if number >= 3 and abs(known - unknown) < 0.6 * max(known, unknown):
                    break
            self.assertGreater(known, 0.1)
            self.assertLess(abs(known - unknown), 0.6 * max(known, unknown))

    def test_it_ends_while_passwords_are_looked_at(self):
        self.assertLess(best(self.seconds_to_end, 3), 3)

    def seconds_to_end(self):
        with Site(f"{KEY_PAIR}basic_auth_users:\n  alice: {HASH_12}\n") as site, ThreadPoolExecutor(30) as pool:
            for number in range(30):
                pool.submit(self.ask_quietly, site, number)
            time.sleep(0.5)
            start = time.monotonic()
            self.assertEqual(0, site.daemon.stop())
            seconds = time.monotonic() - start
            site.daemon.process.poll = lambda: None  # it was to end
            return seconds

    def ask_quietly(self, site, number):
        with contextlib.suppress(OSError, http.client.HTTPException):
            site.get("/metrics", basic("alice", f"wrong {number}"))

    def test_rate_limit(self):
        with Site("rate_limit: {interval: 1h, burst: 3}\n") as site:
            got = [site.daemon.request("/-/healthy")[0] for _ in range(5)]
            self.assertEqual([200, 200, 200, 429, 429], got)
            site.rewrite("rate_limit: {interval: 1ms, burst: 3}\n")
            wait_until(lambda: site.daemon.log(msg="the web configuration was read again"), "a new limit")
            for _ in range(10):
                time.sleep(0.01)
                self.assertEqual(200, site.daemon.request("/-/healthy")[0])


class Changes(unittest.TestCase):
    def reread(self, site, count):
        wait_until(lambda: len(site.daemon.log(msg="the web configuration was read again")) >= count,
                   lambda: site.daemon.log_text()[-2000:])

    def test_headers(self):
        headers = {"Strict-Transport-Security": "max-age=1", "X-Frame-Options": "deny", "X-XSS-Protection": "0",
                   "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'self'"}
        with Site("http_server_config:\n  headers:\n" + "".join(f'    {k}: "{v}"\n' for k, v in headers.items())) as site:
            for path in ("/-/healthy", "/nothing"):
                _, got, _ = site.daemon.request(path)
                self.assertLessEqual(headers.items(), dict(got).items())
                self.assertEqual(1, len(got.get_all("X-Content-Type-Options")))
                self.assertEqual("no-store", got["Cache-Control"])
            # a page's own is stricter
            self.assertEqual(1, len(site.daemon.request("/")[1].get_all("Content-Security-Policy")))
            self.assertIn("default-src 'none'", site.daemon.request("/")[1]["Content-Security-Policy"])

    def test_certificates_rotate(self):
        """Nobody is turned away meanwhile, also not while certificate and key do not fit together."""
        with Site(KEY_PAIR) as site:
            before, ends, lost = site.serial(), threading.Event(), []

            def keep_asking():
                while not ends.is_set():
                    try:
                        assert site.get("/-/healthy")[0] == 200
                    except Exception as error:  # noqa: BLE001
                        lost.append(error)
            asking = threading.Thread(target=keep_asking)
            asking.start()
            try:
                make_certificate(site.folder, "next", "ca", "DNS:localhost")
                site.rewrite((site.folder / "next.pem").read_text(), site.folder / "server.pem")
                wait_until(lambda: site.daemon.log(msg="the web configuration is invalid; slurmscope goes on with the old one"), "a complaint")
                self.assertEqual(before, site.serial())
                site.rewrite((site.folder / "next.key").read_text(), site.folder / "server.key")
                wait_until(lambda: site.serial() != before, "the new certificate")
            finally:
                ends.set()
                asking.join()
            self.assertEqual([], lost)
            page = wait_until(site.page, "a page")
            self.assertTrue(time.time() < page["slurmscope_web_certificate_expiry_timestamp_seconds"] <
                            time.time() + 3 * 86400)

    def test_a_request_that_has_begun_is_answered(self):
        """Also the second one of a connection, whether it comes to its end after the change was seen or makes it seen."""
        for waits in True, False:
            with self.subTest(waits=waits), Site(KEY_PAIR) as site, contextlib.closing(site.connection()) as kept:
                answered, number = 0, 0
                while answered < 3:
                    number += 1
                    self.assertLess(number, 10, "it takes too long to ask")
                    answer, seconds = self.ask_over_a_change(site, kept, number, waits)
                    if answer.endswith(b"healthy\n"):
                        answered += 1
                    elif seconds < 9:  # who takes ten to ask is not answered
                        self.fail(answer)

    def ask_over_a_change(self, site, kept, number, waits):
        """(answer, how long it took to ask)"""
        kept.request("GET", "/-/healthy")
        self.assertEqual(b"healthy\n", kept.getresponse().read())
        begun, answer = time.monotonic(), b""
        with contextlib.suppress(ConnectionError):
            kept.sock.sendall(b"GET /-/healthy HTTP/1.1\r\nHost: x\r\n")
            time.sleep(0.6)
            site.rewrite(f"{KEY_PAIR}# {number}\n")
            if waits:
                self.reread(site, number)
            else:
                time.sleep(0.3)
            kept.sock.sendall(b"\r\n")
            while data := kept.sock.recv(65536):  # who was greeted with what was in force before comes again
                answer += data
        kept.close()
        return answer, time.monotonic() - begun

    def test_a_certificate_is_of_its_configuration(self):
        """A request that has begun is answered, but who was verified by what was in force before is nobody."""
        operator = (KEY_PAIR + "  client_ca_file: ca.pem\n  client_auth_type: RequireAndVerifyClientCert\n"
                    "tenants: {ops: {certificates: [prometheus.example], sees: everything}}\n")
        with Site(operator) as site:
            make_certificate(site.folder, "good", "ca", "DNS:x.example,DNS:prometheus.example,IP:10.1.2.3")
            answer, number = b"", 0
            while not answer.startswith(b"HTTP"):  # who takes ten seconds to ask is not answered
                number += 1
                self.assertLess(number, 10, "it takes too long to ask")
                with contextlib.closing(site.connection(site.context("good"))) as kept, contextlib.suppress(ConnectionError):
                    kept.request("GET", "/-/healthy")
                    kept.getresponse().read()
                    kept.sock.sendall(b"GET /plan HTTP/1.1\r\nHost: x\r\n")
                    site.rewrite(f"{operator}# {number}\n")
                    self.reread(site, number)
                    kept.sock.sendall(b"\r\n")
                    answer = kept.sock.recv(65536)
            self.assertIn(b" 403 ", answer.split(b"\r\n")[0])
            wait_until(lambda: site.get("/plan", context=site.context("good"))[0] == 200, "who comes again is known")

    def test_a_bad_file_changes_nothing(self):
        users = f"basic_auth_users:\n  alice: {HASH}\n"
        alice, began = basic("alice"), time.time()
        with Site(KEY_PAIR + users) as site:
            page = wait_until(lambda: site.page(alice), "a page")
            self.assertEqual(1, page["slurmscope_web_config_last_reload_successful"])
            read = page["slurmscope_web_config_last_reload_success_timestamp_seconds"]
            self.assertTrue(began <= read <= time.time(), (began, read))
            for number, bad in enumerate(("junk: 1\n", "basic_auth_users: {alice: secret}\n", "{", None), 1):
                if bad is None:
                    site.config.unlink()
                else:
                    site.rewrite(bad)
                wait_until(lambda: len(site.daemon.log(msg="the web configuration is invalid; slurmscope goes on with the old one")) == number, bad)
                self.assertEqual((200, 401), (site.get(headers=alice)[0], site.get()[0]))
            wait_until(lambda: site.page(alice)["slurmscope_web_config_last_reload_successful"] == 0, "it says so")
            self.assertEqual(read, site.page(alice)["slurmscope_web_config_last_reload_success_timestamp_seconds"])
            self.assertRegex(site.get("/", headers=alice)[2].decode(),
                             "The new web configuration is invalid: .*No such file")
            site.rewrite(KEY_PAIR + users.replace("alice", "bob"))
            self.reread(site, 1)
            self.assertEqual((401, 200), (site.get(headers=alice)[0], site.get(headers=basic("bob"))[0]))
            wait_until(lambda: site.page(basic("bob"))["slurmscope_web_config_last_reload_successful"] == 1, "well again")

    def test_tls_comes_and_goes(self):
        with Site("") as site:
            self.assertEqual(200, site.daemon.request("/-/healthy")[0])
            kept = http.client.HTTPConnection("127.0.0.1", site.daemon.port, timeout=PATIENCE)
            kept.request("GET", "/-/healthy")
            kept.getresponse().read()
            site.rewrite(KEY_PAIR)
            self.reread(site, 1)
            self.assertEqual(200, site.get("/-/healthy")[0])
            kept.auto_open = False  # who came without TLS is not served any more
            with self.assertRaises((OSError, http.client.HTTPException)):
                kept.request("GET", "/-/healthy")
                kept.getresponse()
            kept.close()
            site.rewrite("")
            self.reread(site, 2)
            self.assertEqual(200, site.daemon.request("/-/healthy")[0])

    def test_reload_by_request(self):
        config = "slurmrestd: {url: %s, token-file: '{folder}/token'}\n"
        with Fake() as fake, Daemon(fake, config=config % fake.url) as daemon:
            self.assertEqual(403, daemon.request("/-/reload", "POST")[0])
        with Fake() as fake, Daemon(fake, "--web.enable-lifecycle", config=config % fake.url) as daemon:
            status, headers, _ = daemon.request("/-/reload")
            self.assertEqual((405, "POST"), (status, headers["Allow"]))
            self.assertEqual([], daemon.log(msg="the configuration was read again"))
            self.assertEqual((200, b"reloaded\n"), daemon.request("/-/reload", "POST")[::2])
            wait_until(lambda: len(daemon.log(msg="the configuration was read again")) == 1, "the log says so")
            daemon.write_config(config % fake.url + "junk: 1\n")
            status, _, body = daemon.request("/-/reload", "POST")
            self.assertEqual(500, status)
            self.assertRegex(body.decode(), r"\Anot reloaded: .*slurmscope.yml:2:1: junk: unknown")
            # with signals at the same time
            daemon.write_config(config % fake.url)
            with ThreadPoolExecutor(4) as pool:
                asked = [pool.submit(daemon.request, "/-/reload", "POST") for _ in range(8)]
                for _ in range(8):
                    daemon.process.send_signal(signal.SIGHUP)
                self.assertEqual({200}, {request.result()[0] for request in asked})

    def test_a_bad_file_at_the_start(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "web.yml").write_text("junk: 1\n")
            done = run(f"--web.config.file={folder}/web.yml", f"--web.listen-address=127.0.0.1:{free_port()}")
            self.assertEqual(1, done.returncode)
            self.assertIn("web.yml:1:1: junk: unknown key", done.stderr)


class Scrapers(unittest.TestCase):
    def test_prometheus(self):
        """2.42 and 3.5 over TLS, with a client certificate and a password."""
        lines = "  client_ca_file: ca.pem\n  client_auth_type: RequireAndVerifyClientCert\n"
        for program in ("prometheus/usr/bin/prometheus", "prometheus-forky/usr/bin/prometheus"):
            with self.subTest(program), Site(f"{KEY_PAIR}{lines}basic_auth_users:\n  alice: {HASH}\n") as site:
                make_certificate(site.folder, "good", "ca", "DNS:prometheus.example")
                config = f"""
global: {{scrape_interval: 1s, scrape_timeout: 1s}}
scrape_configs:
- job_name: slurmscope
  scheme: https
  basic_auth: {{username: alice, password: secret}}
  tls_config: {{ca_file: {site.folder}/ca.pem, cert_file: {site.folder}/good.pem, key_file: {site.folder}/good.key,
                server_name: localhost}}
  static_configs: [{{targets: ["127.0.0.1:{site.daemon.port}"]}}]
"""
                program = CACHE / program
                self.assertTrue(program.exists(), f"{program}: tests/run fetches it")
                with Prometheus(program, site.daemon, config) as prometheus:
                    wait_until(lambda: prometheus.value("up") == 1, prometheus.log.read_text)
                    wait_until(lambda: prometheus.value("slurm_cluster_info") == 1, prometheus.log.read_text)


class Sockets(unittest.TestCase):
    def ask(self, family, address):
        with socket.socket(family) as connection:
            connection.settimeout(PATIENCE)
            connection.connect(address)
            connection.sendall(b"GET /-/healthy HTTP/1.0\r\n\r\n")
            answer = b""
            while data := connection.recv(65536):
                answer += data
            return answer.endswith(b"healthy\n")

    def test_several(self):
        """On each the same, with the same limits; one that cannot be is one too many."""
        with tempfile.TemporaryDirectory() as folder, Fake() as fake:
            path, port = f"{folder}/slurmscope.sock", free_port()
            options = [f"--web.listen-address=unix:{path},mode=600", f"--web.listen-address=127.0.0.1:{port}"]
            with Daemon(fake, *options, waits_for=path) as daemon:
                serving = wait_until(lambda: len(lines := daemon.log(msg="serving")) > 2 and lines, "addresses")
                first = serving[0]["address"]
                self.assertEqual([first, f"unix:{path}", f"127.0.0.1:{port}"], [line["address"] for line in serving])
                for address in (first.rpartition(":")[2], port):
                    self.assertTrue(self.ask(socket.AF_INET, ("127.0.0.1", int(address))))
                self.assertTrue(self.ask(socket.AF_UNIX, path))
                self.assertEqual(0o600, stat.S_IMODE(os.stat(path).st_mode))
                done = run("--web.listen-address=127.0.0.1:0", options[1])
                self.assertEqual(1, done.returncode)
                self.assertIn(f"127.0.0.1:{port}: Address already in use", done.stderr)

    def test_unix_socket(self):
        with tempfile.TemporaryDirectory() as folder, Fake() as fake:
            path = f"{folder}/slurmscope.sock"
            for round in range(2):  # the second time it is there already
                with Daemon(fake, address=f"unix:{path}", waits_for=path) as daemon:
                    self.assertTrue(self.ask(socket.AF_UNIX, path))
                    self.assertEqual(0o660, stat.S_IMODE(os.stat(path).st_mode))
                    self.assertEqual(1, len(daemon.log(msg="serving", address=f"unix:{path}")))
                    done = run(f"--web.listen-address=unix:{path}")
                    self.assertEqual(1, done.returncode)
                    self.assertIn("Address already in use", done.stderr)

    def test_systemd_sockets(self):
        with socket.create_server(("127.0.0.1", 0)) as first, tempfile.TemporaryDirectory() as folder, \
                socket.socket(socket.AF_UNIX) as second, Fake() as fake:
            second.bind(f"{folder}/socket")
            second.listen()
            wrapper = ["sh", "-c", f'LISTEN_PID=$$ LISTEN_FDS=2 exec "$0" "$@" 3<&{first.fileno()} 4<&{second.fileno()}']
            with Daemon(fake, "--web.systemd-socket", address="127.0.0.1:1", wrapper=wrapper,
                        pass_fds=[first.fileno(), second.fileno()]) as daemon:
                self.assertEqual(first.getsockname()[1], daemon.port)
                self.assertTrue(self.ask(socket.AF_INET, first.getsockname()))
                self.assertTrue(self.ask(socket.AF_UNIX, f"{folder}/socket"))

    def test_no_systemd_socket(self):
        done = run("--web.systemd-socket")
        self.assertEqual(1, done.returncode)
        self.assertIn("systemd passed no socket", done.stderr)


class Slowness(unittest.TestCase):
    """The short form of tests/e2e/slow_clients."""

    def test_more_than_fit(self):
        def scrape_among(stack, what):
            for _ in range(600):
                slow = stack.enter_context(socket.socket())
                slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
                slow.connect(("127.0.0.1", daemon.port))
                with contextlib.suppress(ConnectionError):
                    slow.sendall(what)
            start = time.monotonic()
            self.assertEqual(200, daemon.request("/metrics")[0])
            return time.monotonic() - start
        with Fake() as fake, Daemon(fake, *EVERY_SECOND) as daemon, contextlib.ExitStack() as stack:
            daemon.wait_well()
            for what in (b"", b"GET /metr", b"GET /metrics HTTP/1.1\r\nHost: x\r\nX-",
                         b"POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nx",
                         b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n" * 20):
                self.assertLess(best(lambda: scrape_among(stack, what), SLOWEST_SCRAPE), SLOWEST_SCRAPE, what)
            page = daemon.wait_for(lambda page: dropped(page) > 2000)
            self.assertGreater(page['slurmscope_web_connections_dropped_total{reason="crowded"}'], 0)
            self.assertLessEqual(page["slurmscope_web_connections"], 512)
            self.assertLess(page["process_resident_memory_bytes"], 200e6 + is_sanitized() * 300e6)
            self.assertLess(page["process_open_fds"], 600)

    def never_reads(self, stack, daemon, path):
        slow = stack.enter_context(socket.socket())
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        slow.settimeout(PATIENCE)
        slow.connect(("127.0.0.1", daemon.port))
        slow.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        return slow

    def test_parts_that_nobody_reads(self):
        """What is made for them is bounded, whatever they ask for, and the whole page is there."""
        def many_nodes(answer, _):
            nodes = answer["nodes"]
            answer["nodes"] = [nodes[i % len(nodes)] | {"name": f"n{i}"} for i in range(4000)]
        parts = "cluster", "jobs", "job_events", "reservations", "licenses", "shares", "scheduler", "rpcs", "accounting"
        prometheus = {"Accept": "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3",
                      "Accept-Encoding": "gzip"}
        with Fake() as fake, contextlib.ExitStack() as stack:
            fake.behave(fakes.edited(many_nodes), ["nodes"])
            daemon = stack.enter_context(Daemon(fake, *EVERY_SECOND, "--interval.nodes=3600", "--nodes.per-node=full"))
            daemon.wait_well(BACK_OFF)
            before, size = daemon.peak_bytes(), len(daemon.request("/metrics")[2])
            self.assertGreater(size, 4e6)
            slow, heads = [], []
            for number in range(400):  # each another part
                asked = "&".join(f"collect[]={part}" for i, part in enumerate(parts) if number >> i & 1)
                slow.append(self.never_reads(stack, daemon, f"/metrics/nodes?{asked}"))
                heads.append(slow[-1].recv(12))  # at once: it is dropped after a minute
                if number % 20 == 0:
                    status, _, packed = daemon.request("/metrics", headers=prometheus)
                    self.assertEqual(200, status)
                    self.assertGreater(len(gzip.decompress(packed)), 4e6)
            self.assertEqual({b"HTTP/1.1 200", b"HTTP/1.1 503"}, set(heads))
            # parts and older pages that are being read, and a newer page with its parts
            self.assertLess(daemon.peak_bytes(), before + 3 * 64 * 2**20 + 6 * size + is_sanitized() * 300e6)
            refused = slow[heads.index(b"HTTP/1.1 503")]
            self.assertRegex(refused.recv(4096), b"\r\n\r\nclients read too many parts of the page: try again later\n\\Z")

    def test_pages_for_people_that_nobody_reads(self):
        clusters = "".join(f"  c{number}: {{slurmrestd: {{url: 'http://127.0.0.1:1'}}}}\n" for number in range(64))
        with contextlib.ExitStack() as stack:
            daemon = stack.enter_context(Daemon(None, config=f"clusters:\n{clusters}"))
            size = wait_until(lambda: len(daemon.request("/api/v1/status")[2]) > 2e5 and len(
                daemon.request("/api/v1/status")[2]), "all clusters")
            heads = [self.never_reads(stack, daemon, "/api/v1/status").recv(12) for _ in range(300)]
            self.assertEqual({b"HTTP/1.1 200", b"HTTP/1.1 503"}, set(heads))
            self.assertLess(size * heads.count(b"HTTP/1.1 200"), 2 * 16 * 2**20)
            self.assertEqual(200, daemon.request("/metrics")[0])

    def test_a_byte_now_and_then(self):
        """Time runs from the connection's beginning, or the next request's, whatever comes meanwhile."""
        with Fake() as fake, Daemon(fake) as daemon, daemon.connect() as healthy:
            for _ in range(3):  # seconds that the machine takes are on our account
                ended = self.drip(daemon, healthy)
                if all(since_begin >= 9 and since_asked < 20 for since_begin, since_asked in ended.values()):
                    break
            else:
                self.fail(ended)
            healthy.sendall(b"GET /-/healthy HTTP/1.1\r\nHost: x\r\n\r\n")
            self.assertIn(b"200 OK", healthy.recv(65536), "who has asked before may rest")

    def drip(self, daemon, healthy):
        """{what comes slowly: seconds since before it connected, and since all had begun to ask, after which it was cut off}"""
        begun = time.monotonic()
        with daemon.connect() as header, daemon.connect() as body, daemon.connect() as again:
            again.sendall(b"GET /-/healthy HTTP/1.1\r\nHost: x\r\n\r\n")
            self.assertIn(b"200 OK", again.recv(65536))
            start = time.monotonic()
            again.sendall(b"GET /-/healthy HTTP/1.1\r\nHost: x\r\nX-Y: ")
            header.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\nX-Y: ")
            body.sendall(b"POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n")
            for slow in (header, body, again):
                slow.settimeout(0.2)
            healthy.sendall(b"GET /-/healthy HTTP/1.1\r\nHost: x\r\n\r\n")
            self.assertIn(b"200 OK", healthy.recv(65536))
            ended = {}
            while len(ended) < 3 and time.monotonic() - start < 30:
                for name, slow in (("header", header), ("body", body), ("again", again)):
                    if name in ended:
                        continue
                    try:
                        slow.sendall(b"x")
                        if slow.recv(1) == b"":
                            ended[name] = time.monotonic()
                    except TimeoutError:
                        pass
                    except ConnectionError:
                        ended[name] = time.monotonic()
        self.assertEqual(3, len(ended), "all are cut off")
        return {name: (at - begun, at - start) for name, at in ended.items()}

    def test_thousands_of_headers(self):
        with Fake() as fake, Daemon(fake) as daemon, daemon.connect() as connection:
            answer = b""
            with contextlib.suppress(ConnectionError):
                connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n" + b"".join(
                    b"X-%d: y\r\n" % number for number in range(20000)) + b"\r\n")
                answer = connection.recv(65536)
            self.assertRegex(answer, rb"\AHTTP/1\.[01] 431 |\A\Z")
            self.assertEqual(200, daemon.request("/-/healthy")[0])

    def test_an_answer_may_be_read_to_its_end(self):
        """Also when it is asked to stop; who only rests does not hold it up."""
        self.assertLess(best(self.seconds_to_end, 3), 3)

    def seconds_to_end(self):
        with Fake() as fake, Daemon(fake) as daemon, contextlib.ExitStack() as stack:
            daemon.wait_well()
            rests = stack.enter_context(daemon.connect())
            rests.sendall(b"GET /-/healthy HTTP/1.1\r\nHost: x\r\n\r\n")
            rests.recv(65536)
            reads = stack.enter_context(socket.socket())
            reads.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            reads.settimeout(PATIENCE)
            reads.connect(("127.0.0.1", daemon.port))
            reads.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
            answer = reads.recv(4096)
            length = int(answer.partition(b"Content-Length: ")[2].partition(b"\r\n")[0])
            start = time.monotonic()
            daemon.process.terminate()
            with contextlib.suppress(ConnectionError):
                while data := reads.recv(65536):
                    answer += data
            self.assertEqual(0, daemon.process.wait(PATIENCE))
            seconds = time.monotonic() - start
            self.assertEqual(length, len(answer.partition(b"\r\n\r\n")[2]))
            daemon.process.poll = lambda: None  # it was to end
            return seconds


if __name__ == "__main__":
    unittest.main()
