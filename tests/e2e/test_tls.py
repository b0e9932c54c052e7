"""slurmrestd behind TLS: whom slurmscope believes, and what it says of others."""

import contextlib
import select
import socket
import ssl
import tempfile
import threading
import unittest
from pathlib import Path

from certificates import make_authority, make_certificate, openssl
from fake_slurmrestd import ENDPOINTS, Fake
from harness import EVERY_SECOND, Daemon, is_up, results, run


class Front:
    """Takes TLS off and hands everything on to the fake."""

    def __init__(self, fake, folder, certificate):
        self.fake = fake
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(Path(folder, f"{certificate}.pem"), Path(folder, f"{certificate}.key"))
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with contextlib.suppress(OSError), self.context.wrap_socket(connection, server_side=True) as client, \
                socket.create_connection(("127.0.0.1", self.fake.port)) as server:
            other = {client: server, server: client}
            while True:
                ready = [client] if client.pending() else select.select([client, server], [], [])[0]
                for source in ready:
                    data = source.recv(65536)
                    if not data:
                        return
                    other[source].sendall(data)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


class Tls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="slurmscope-tls-")
        cls.addClassCleanup(cls.folder.cleanup)
        for authority in "site", "stranger":
            make_authority(cls.folder.name, authority)
        make_certificate(cls.folder.name, "here", "site", "DNS:localhost,IP:127.0.0.1")
        make_certificate(cls.folder.name, "elsewhere", "site", "DNS:elsewhere.example")

    def path(self, name):
        return str(Path(self.folder.name, name))

    @contextlib.contextmanager
    def watching(self, certificate, authority, host="127.0.0.1"):
        believed = [f"--slurmrestd.ca-file={self.path(authority)}"] if authority else []
        with Fake() as fake, Front(fake, self.folder.name, certificate) as front, \
                Daemon(fake, *EVERY_SECOND, *believed, url=f"https://{host}:{front.port}") as daemon:
            yield fake, daemon

    def test_right_authority(self):
        for host in "127.0.0.1", "localhost":
            with self.subTest(host), self.watching("here", "site.pem", host) as (fake, daemon):
                daemon.wait_well()
                page = daemon.wait_for(lambda page: all(results(page, e)["ok"] > 1 for e in ENDPOINTS))
                self.assertEqual({"ok"}, {result for e in ENDPOINTS for result in results(page, e)})
                self.assertEqual(1, sum(call.served == 0 for call in fake.calls), "the connection is kept")

    def test_not_believed(self):
        for certificate, authority, text in (
                ("here", "stranger.pem", "certificate problem: unable to get local issuer certificate"),
                ("here", None, "certificate problem: unable to get local issuer certificate"),
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

    def test_bad_options(self):
        https = "--slurmrestd.url=https://localhost:1"
        for options, text in (([https, "--slurmrestd.ca-file=/nonexistent/ca.pem"], "/nonexistent/ca.pem: No such file"),
                              ([https, "--slurmrestd.ca-file=/etc"], "/etc: Is a directory"),
                              ([https, "--slurmrestd.ca-file=/dev/null"], "/dev/null: empty"),
                              ([f"--slurmrestd.ca-file={self.path('site.pem')}"], "http://127.0.0.1:6820 is not https")):
            with self.subTest(options):
                done = run("--check-config", *options)
                self.assertEqual((1, ""), (done.returncode, done.stdout))
                self.assertIn(text, done.stderr)


if __name__ == "__main__":
    unittest.main()
