"""slurmrestd behind TLS: whom slurmscope believes, and what it says of others."""

import contextlib
import select
import signal
import socket
import ssl
import tempfile
import threading
import time
import unittest
from pathlib import Path

from certificates import make_authority, make_certificate
import fake_slurmrestd as fakes
from fake_slurmrestd import ENDPOINTS, MORE_ENDPOINTS, Fake
from harness import EVERY_SECOND, Daemon, is_up, results, run


def pass_on(client, server, edit=lambda data: data):
    """All that one says to the other, until one of them ends; `edit`: what the client says."""
    other = {client: server, server: client}
    while True:
        is_pending = isinstance(client, ssl.SSLSocket) and client.pending()
        for source in [client] if is_pending else select.select([client, server], [], [])[0]:
            data = source.recv(65536)
            if not data:
                return
            other[source].sendall(edit(data) if source is client else data)


class Listener:
    """Serves each connection in a thread."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with contextlib.suppress(OSError):
            self.serve(connection)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


class Front(Listener):
    """Takes TLS off and hands everything on to the fake."""

    def __init__(self, fake, folder, certificate, clients=None):
        """`clients`: the authority of those who may ask."""
        self.fake = fake
        self.names = []  # that were asked for
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(Path(folder, f"{certificate}.pem"), Path(folder, f"{certificate}.key"))
        self.context.sni_callback = lambda _, name, __: self.names.append(name)
        if clients:
            self.context.verify_mode = ssl.CERT_REQUIRED
            self.context.load_verify_locations(Path(folder, f"{clients}.pem"))
        super().__init__()

    def serve(self, connection):
        with self.context.wrap_socket(connection, server_side=True) as client, \
                socket.create_connection(("127.0.0.1", self.fake.port)) as server:
            pass_on(client, server)


class Proxy(Listener):
    """An HTTP proxy; `heads`: of what it was asked for."""

    def __init__(self):
        self.heads = []
        super().__init__()

    def serve(self, connection):
        with connection:
            head = b""
            while b"\r\n\r\n" not in head:
                head += connection.recv(65536)
            self.heads.append(head.decode())
            method, target, _ = self.heads[-1].split(" ", 2)
            if method == "CONNECT":
                address = target
                connection.sendall(b"HTTP/1.1 200 it is there\r\n\r\n")
            else:
                address = target.split("/")[2]

            def edit(data):
                return data.replace(f" http://{address}/".encode(), b" /")
            host, _, port = address.rpartition(":")
            with socket.create_connection((host, int(port))) as server:
                if method != "CONNECT":
                    server.sendall(edit(head))
                pass_on(connection, server, edit)


class Tls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="slurmscope-tls-")
        cls.addClassCleanup(cls.folder.cleanup)
        for authority in "site", "stranger":
            make_authority(cls.folder.name, authority)
        make_certificate(cls.folder.name, "here", "site", "DNS:localhost,IP:127.0.0.1")
        make_certificate(cls.folder.name, "elsewhere", "site", "DNS:elsewhere.example")
        make_certificate(cls.folder.name, "expired", "site", "DNS:localhost,IP:127.0.0.1", days=-1)
        make_certificate(cls.folder.name, "us", "site", "DNS:us.example")
        make_certificate(cls.folder.name, "nobody", "stranger", "DNS:us.example")
        both = Path(cls.folder.name, "us.pem").read_text() + Path(cls.folder.name, "us.key").read_text()
        Path(cls.folder.name, "both.pem").write_text(both)

    def path(self, name):
        return str(Path(self.folder.name, name))

    @contextlib.contextmanager
    def watching(self, certificate, authority, host="127.0.0.1", clients=None, options=()):
        believed = [f"--slurmrestd.ca-file={self.path(authority)}"] if authority else []
        with Fake() as fake, Front(fake, self.folder.name, certificate, clients) as front, \
                Daemon(fake, *EVERY_SECOND, *believed, *options, url=f"https://{host}:{front.port}") as daemon:
            self.front = front
            yield fake, daemon

    def test_right_authority(self):
        for host in "127.0.0.1", "localhost":
            with self.subTest(host), self.watching("here", "site.pem", host) as (fake, daemon):
                daemon.wait_well()
                page = daemon.wait_for(lambda page: all(results(page, e)["ok"] > 1 for e in ENDPOINTS))
                self.assertEqual({"ok"}, {result for e in ENDPOINTS for result in results(page, e)})
                self.assertEqual(1, sum(call.served == 0 for call in fake.served_calls), "the connection is kept")

    def test_not_believed(self):
        for certificate, authority, text in (
                ("here", "stranger.pem", "certificate problem: unable to get local issuer certificate"),
                ("here", None, "certificate problem: unable to get local issuer certificate"),
                ("expired", "site.pem", "certificate has expired"),
                ("elsewhere", "site.pem", "no alternative certificate subject name matches target host name '127.0.0.1'"),
                ("here", "here.key", f"certificate verify locations: *CAfile: {self.path('here.key')}"
                                     f"|certificate file: {self.path('here.key')}")):
            with self.subTest(certificate=certificate, authority=authority), \
                    self.watching(certificate, authority) as (fake, daemon):
                page = daemon.wait_for(lambda page: all(is_up(page, e) == 0 for e in ("ping", "diag")), "down")
                self.assertEqual({"unreachable"}, {result for e in ENDPOINTS for result in results(page, e)})
                for line in daemon.log(level="warn"):
                    self.assertRegex(line["error"], text)
                self.assertEqual([], fake.calls, "something was asked, with the token")

    def test_another_authority(self):
        """The file's new content holds for the next connection, and for all from SIGHUP on."""
        believed = Path(self.folder.name, "believed.pem")

        def believe(authority):
            new = believed.with_suffix(".new")
            new.write_bytes(Path(self.path(authority)).read_bytes())
            new.rename(believed)
        for behaviour in fakes.close_after, fakes.normal:
            believe("site.pem")
            with self.subTest(behaviour.__name__), self.watching("here", "believed.pem") as (fake, daemon):
                is_kept = behaviour is fakes.normal
                fake.behave(behaviour, [*ENDPOINTS, *MORE_ENDPOINTS])
                daemon.wait_well()
                for authority, up in ("stranger.pem", 0), ("site.pem", 1):
                    believe(authority)
                    if is_kept:
                        daemon.process.send_signal(signal.SIGHUP)
                    daemon.wait_for(lambda page: all(is_up(page, e) == up for e in ("ping", "diag")), authority)
                    if not up:
                        self.check_nothing_is_asked(fake, daemon)

    def check_nothing_is_asked(self, fake, daemon):
        """While it tries to, again and again."""
        def tries(page):
            return [results(page, probe).get("unreachable", 0) for probe in ("ping", "diag")]
        asked, before = len(fake.calls), tries(daemon.page())
        daemon.wait_for(lambda page: all(now >= then + 3 for now, then in zip(tries(page), before)), "further tries")
        self.assertEqual(asked, len(fake.calls), "something was asked, with the token")

    def shown(self, certificate, key=None):
        files = {"cert-file": certificate, "key-file": key}
        return [f"--slurmrestd.{name}={self.path(file)}" for name, file in files.items() if file]

    def test_client_certificate(self):
        for options in self.shown("us.pem", "us.key"), self.shown("both.pem"):
            with self.subTest(options), \
                    self.watching("here", "site.pem", clients="site", options=options) as (_, daemon):
                daemon.wait_well()

    def test_client_certificate_is_not_believed(self):
        for options in [], self.shown("nobody.pem", "nobody.key"), self.shown("us.pem"), self.shown("us.pem", "nobody.key"):
            with self.subTest(options), \
                    self.watching("here", "site.pem", clients="site", options=options) as (fake, daemon):
                page = daemon.wait_for(lambda page: is_up(page, "ping") == 0, "down")
                self.assertEqual({"unreachable"}, set(results(page, "ping")))
                self.assertEqual([], fake.calls)

    def test_server_name(self):
        with self.watching("elsewhere", "site.pem",
                           options=["--slurmrestd.server-name=elsewhere.example"]) as (_, daemon):
            daemon.wait_well()
            self.assertEqual({"elsewhere.example"}, set(self.front.names))
        with self.watching("here", "site.pem", options=["--slurmrestd.server-name=elsewhere.example"]) as (fake, daemon):
            daemon.wait_for(lambda page: is_up(page, "ping") == 0, "down")
            self.assertEqual([], fake.calls)

    def test_proxy(self):
        with Proxy() as proxy, Fake() as fake, \
                Daemon(fake, *EVERY_SECOND, f"--slurmrestd.proxy=http://127.0.0.1:{proxy.port}") as daemon:
            daemon.wait_well()
            self.assertRegex(proxy.heads[0], rf"^GET http://127\.0\.0\.1:{fake.port}/slurm/")

    def test_proxy_and_tls(self):
        """It sees where to, and not the token."""
        with Proxy() as proxy, self.watching("here", "site.pem", options=[
                f"--slurmrestd.proxy=http://127.0.0.1:{proxy.port}"]) as (_, daemon):
            daemon.wait_well()
            for head in proxy.heads:
                self.assertRegex(head, rf"^CONNECT 127\.0\.0\.1:{self.front.port} ")
                self.assertNotIn("slurm-user", head.lower())

    def test_no_proxy_of_the_environment(self):
        with Proxy() as proxy, Fake() as fake:
            address = f"http://127.0.0.1:{proxy.port}"
            names = "http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"
            with Daemon(fake, *EVERY_SECOND, environment=dict.fromkeys(names, address)) as daemon:
                daemon.wait_well()
            self.assertEqual([], proxy.heads)
            calls = len(fake.calls)
            with Daemon(fake, *EVERY_SECOND, f"--slurmrestd.proxy={address}",
                        environment={"no_proxy": "127.0.0.1,*"}) as daemon:
                daemon.wait_well()
            connections = {call.connection for call in fake.calls[calls:]}  # what looks for the version is an error, which ends one
            self.assertEqual(len(connections), len(proxy.heads), "it went around the proxy")
            self.assertLessEqual(len(connections), 3)

    def test_bad_options(self):
        https = "--slurmrestd.url=https://localhost:1"
        for options, text in (([https, "--slurmrestd.ca-file=/nonexistent/ca.pem"], "/nonexistent/ca.pem: No such file"),
                              ([https, "--slurmrestd.ca-file=/etc"], "/etc: Is a directory"),
                              ([https, "--slurmrestd.ca-file=/dev/null"], "/dev/null: empty"),
                              ([f"--slurmrestd.ca-file={self.path('site.pem')}"], "is for https:// only, and slurmrestd.url is http://127.0.0.1:6820"),
                              (["--slurmrestd.server-name=x"], "is for https:// only, and slurmrestd.url is http://127.0.0.1:6820"),
                              ([https, *self.shown("none.pem")], "none.pem: No such file"),
                              ([https, *self.shown("us.pem", "none.key")], "none.key: No such file"),
                              ([https, "--slurmrestd.key-file=x"], "needs slurmrestd.cert-file"),
                              ([https, "--slurmrestd.server-name=a b"], "a b: Bad"),
                              (["--slurmrestd.proxy=socks5://x"], "expected http://host:port or https://host:port"),
                              (["--slurmrestd.proxy=http://u:secret@x"], "must not contain a user or password")):
            with self.subTest(options):
                done = run("--check-config", *options)
                self.assertEqual((1, ""), (done.returncode, done.stdout))
                self.assertIn(text, done.stderr)


if __name__ == "__main__":
    unittest.main()
