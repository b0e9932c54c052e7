"""--web.config.file in the format of Prometheus' exporters: what is taken and what is refused, and that promtool takes
the same files."""

import os
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

from certificates import make_authority, make_certificate, openssl
from harness import run

CACHE = Path(os.environ.get("SLURMSCOPE_CACHE", "/var/cache/slurmscope"))
HASH = "$2y$10$abcdefghijklmnopqrstuuVyWYk.XkIcGN1jsUqzmWbTZAmJOkyIu"
KEY_PAIR = "tls_server_config:\n  cert_file: server.pem\n  key_file: server.key\n"
CLIENTS = KEY_PAIR + "  client_ca_file: ca.pem\n  client_auth_type: RequireAndVerifyClientCert\n"


def indented(text):
    return "".join(f"    {line}\n" for line in text.splitlines())


GOOD = {
    "empty": "",
    "only a comment": "# nothing\n",
    "empty sections": "tls_server_config:\nhttp_server_config:\nbasic_auth_users:\n",
    "empty maps": "tls_server_config: {}\nbasic_auth_users: {}\n",
    "TLS": KEY_PAIR,
    "versions without TLS": "tls_server_config: {min_version: TLS13}\n",
    "RSA": KEY_PAIR.replace("server.", "rsa."),
    "old versions": KEY_PAIR + "  min_version: TLS10\n  max_version: TLS12\n",
    "TLS 1.3 only": KEY_PAIR + "  min_version: TLS13\n",
    "no client certificates": KEY_PAIR + "  client_auth_type: NoClientCert\n",
    "any client certificate, if at all": KEY_PAIR + "  client_auth_type: RequestClientCert\n",
    "any client certificate": KEY_PAIR + "  client_auth_type: RequireAnyClientCert\n",
    "any client certificate, old name": KEY_PAIR + "  client_auth_type: RequireClientCert\n",
    "verified if given": KEY_PAIR + "  client_ca_file: ca.pem\n  client_auth_type: VerifyClientCertIfGiven\n",
    "verified": CLIENTS,
    "verified by what the system trusts": KEY_PAIR + "  client_auth_type: RequireAndVerifyClientCert\n",
    "some ciphers": KEY_PAIR + "  cipher_suites: [TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256]\n",
    "the usual ciphers": KEY_PAIR + "".join(
        f"  {'cipher_suites:' if first else ''}\n  - TLS_ECDHE_{kind}_WITH_{cipher}\n".replace("  \n", "")
        for first, (kind, cipher) in zip([True] + [False] * 9, [
            (kind, cipher) for kind in ("ECDSA", "RSA")
            for cipher in ("AES_128_GCM_SHA256", "AES_256_GCM_SHA384", "CHACHA20_POLY1305_SHA256")])),
    "ciphers of all versions": KEY_PAIR + "  cipher_suites: [TLS_AES_128_GCM_SHA256, TLS_AES_256_GCM_SHA384, "
                               "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA, TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, "
                               "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384]\n",
    "without HTTP/2's ciphers": KEY_PAIR + "  cipher_suites: [TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA]\n"
                                "http_server_config: {http2: false}\n",
    "clients choose": KEY_PAIR + "  prefer_server_cipher_suites: false\n",
    "all curves": KEY_PAIR + "  curve_preferences: [CurveP256, CurveP384, CurveP521, X25519]\n",
    "some curves": KEY_PAIR + "  curve_preferences: [CurveP521]\n",
    "HTTP/2": "http_server_config:\n  http2: yes\n",
    "headers": "http_server_config:\n  headers:\n    Strict-Transport-Security: max-age=31536000; includeSubDomains\n"
               "    X-Frame-Options: deny\n    X-Content-Type-Options: nosniff\n    X-XSS-Protection: 1\n"
               "    Content-Security-Policy: \"default-src 'self'\"\n",
    "no headers": "http_server_config: {headers: }\n",
    "users": f"basic_auth_users:\n  alice: {HASH}\n  bob: {HASH.replace('2y$10', '2b$12')}\n"
             f"  'carol: the third': {HASH.replace('2y$10', '2a$04')}\n",
    "users and TLS": f"{CLIENTS}basic_auth_users:\n  alice: {HASH}\n",
}
# Prometheus 2.42's promtool does not know these yet.
GOOD_SINCE = {
    "TLS inline": "tls_server_config:\n  cert: |\n{cert}  key: |\n{key}",
    "SANs": CLIENTS + "  client_allowed_sans: [prometheus.example, 10.0.0.1, 'a@b.c', 'spiffe://x/y']\n",
    "rate limit": "rate_limit:\n  interval: 500ms\n  burst: 20\n",
    "a longer interval": "rate_limit: {interval: 1m30.5s, burst: 1}\n",
    "no rate limit": "rate_limit: {interval: 0, burst: 0}\n",
    "a rate limit in nanoseconds": "rate_limit: {interval: 1000000, burst: 5}\n",
}
# Of slurmscope alone.
USERS = f"basic_auth_users:\n  alice: {HASH}\n  bob: {HASH}\n"
GOOD_HERE = {
    "tenants": USERS + "tenants:\n  ops: {users: [alice], sees: everything}\n"
               "  physics: {users: [bob], sees: {accounts: [physics], users: [carol], partitions: [gpu], clusters: [a]}, "
               "rate_limit: {interval: 1s, burst: 5}}\n",
    "tenants by certificate": CLIENTS + "tenants: {ops: {certificates: [a, 'b@c'], sees: everything}}\n",
}
BAD = {
    "tenants without a value": (USERS + "tenants:\n", "tenants: without a tenant nobody would see anything"),
    "no tenants": (USERS + "tenants: {}\n", "tenants: without a tenant nobody would see anything"),
    "a list of tenants": (USERS + "tenants: [alice]\n", ":4:10: tenants: expected names of tenants"),
    "a tenant of nobody": (USERS + "tenants: {a: {sees: everything}}\n", ":4:14: a: who is it?"),
    "a tenant without a value": (USERS + "tenants: {a: }\n", "a: `sees` needs accounts"),
    "a tenant who sees nothing": (USERS + "tenants: {a: {users: [bob]}}\n", ":4:14: a: `sees` needs accounts"),
    "a tenant who sees no names": (USERS + "tenants: {a: {users: [bob], sees: {accounts: []}}}\n", "a: `sees` needs accounts"),
    "a tenant who sees clusters only": (USERS + "tenants: {a: {users: [bob], sees: {clusters: [x]}}}\n", "`sees` needs accounts"),
    "a tenant of no cluster": (USERS + "tenants: {a: {users: [bob], sees: {users: [x], clusters: []}}}\n", "clusters: name some"),
    "a tenant of a null cluster": (USERS + "tenants: {a: {users: [bob], sees: {users: [x], clusters: }}}\n", "clusters: name some"),
    "a tenant who sees no name": (USERS + "tenants: {a: {users: [bob], sees: {accounts: ['']}}}\n", "expected a name"),
    "a tenant who sees all": (USERS + "tenants: {a: {users: [bob], sees: all}}\n", "sees: expected `everything`"),
    "a tenant who sees a list": (USERS + "tenants: {a: {users: [bob], sees: [everything]}}\n", "sees: expected keys and values"),
    "a tenant who sees something else": (USERS + "tenants: {a: {users: [bob], sees: {qos: [x]}}}\n", ":4:36: qos: unknown key"),
    "a tenant with another key": (USERS + "tenants: {a: {groups: [bob]}}\n", ":4:15: groups: unknown key"),
    "a tenant of a stranger": (USERS + "tenants: {a: {users: [eve], sees: everything}}\n", "a: eve: no such user in basic_auth_users"),
    "tenants without users": ("tenants: {a: {users: [bob], sees: everything}}\n", "a: bob: no such user in basic_auth_users"),
    "two tenants of one user": (USERS + "tenants: {a: {users: [bob], sees: everything}, b: {users: [bob], sees: {users: [x]}}}\n",
                                ":4:51: b: bob: named twice"),
    "a user twice": (USERS + "tenants: {a: {users: [bob, bob], sees: everything}}\n", "a: bob: named twice"),
    "a tenant twice": (USERS + "tenants: {a: {users: [bob], sees: everything}, a: {users: [alice], sees: everything}}\n",
                       "a: given twice"),
    "certificates beside passwords": (CLIENTS + USERS + "tenants: {a: {certificates: [x], sees: everything}}\n",
                                      "only where there are no basic_auth_users"),
    "certificates that nobody verifies": (KEY_PAIR + "  client_auth_type: RequireAnyClientCert\n"
                                          "tenants: {a: {certificates: [x], sees: everything}}\n", "a: x: certificates need"),
    "certificates without TLS": ("tenants: {a: {certificates: [x], sees: everything}}\n", "a: x: certificates need"),
    "too many names": (USERS + "tenants: {a: {users: [bob], sees: {accounts: [" + "x," * 1001 + "]}}}\n", "x: too many"),
    "junk": ("junk", ":1:1: expected keys and values"),
    "a list": ("- a\n", ":1:1: expected keys and values"),
    "an unknown key": ("tls_server: {}\n", ":1:1: tls_server: unknown key"),
    "an unknown key of TLS": (KEY_PAIR + "  certificate: x\n", ":4:3: certificate: unknown key"),
    "a key twice": (KEY_PAIR + "  key_file: x\n", ":4:3: key_file: given twice"),
    "not YAML": ("tls_server_config: [\n", ":2:1: "),
    "no certificate": ("tls_server_config:\n  key_file: server.key\n", ":2:3: tls_server_config: missing one of cert or"),
    "an empty certificate file": (KEY_PAIR.replace("server.pem", '""'), "missing one of cert or cert_file"),
    "an empty certificate": ("tls_server_config:\n  cert: ''\n  key: x\n", "missing one of cert or cert_file"),
    "no key": ("tls_server_config:\n  cert_file: server.pem\n", "missing one of key or key_file"),
    "an empty key file": (KEY_PAIR.replace("server.key", '""'), "missing one of key or key_file"),
    "an empty key": ("tls_server_config:\n  cert_file: server.pem\n  key:\n", "missing one of key or key_file"),
    "a client policy alone": ("tls_server_config: {client_auth_type: RequireAnyClientCert}\n", "missing one of cert"),
    "no such certificate": (KEY_PAIR.replace("server.pem", "no.pem"), "/no.pem: No such file"),
    "no such key": (KEY_PAIR.replace("server.key", "no.key"), "/no.key: No such file"),
    "a certificate that is a folder": (KEY_PAIR.replace("server.pem", "."), "/.: Is a directory"),
    "an empty file": (KEY_PAIR.replace("server.pem", "empty"), "/empty: empty"),
    "a key for a certificate": (KEY_PAIR.replace("server.pem", "server.key"), "certificate: "),
    "a certificate for a key": (KEY_PAIR.replace("server.key", "server.pem"), "certificate and key: "),
    "another one's key": (KEY_PAIR.replace("server.key", "rsa.key"), "certificate and key: "),
    "an encrypted key": (KEY_PAIR.replace("server.key", "locked.key"), "certificate and key: "),
    "a client CA without a policy": (KEY_PAIR + "  client_ca_file: ca.pem\n", "a client CA needs a client_auth_type"),
    "an inline client CA without a policy": (KEY_PAIR + "  client_ca: x\n", "a client CA needs a client_auth_type"),
    "no such client CA": (CLIENTS.replace("ca.pem", "no.pem"), "/no.pem: No such file"),
    "a client CA without certificates": (CLIENTS.replace("ca.pem", "rubbish"), "client CA: "),
    "an unknown policy": (KEY_PAIR + "  client_auth_type: Sometimes\n", ":4:21: client_auth_type: expected one of NoClientCert"),
    "SANs nobody is asked for": (KEY_PAIR + "  client_allowed_sans: [a]\n", "needs client_auth_type RequireAny"),
    "SANs that need not be": (CLIENTS.replace("RequireAndVerifyClientCert", "VerifyClientCertIfGiven") +
                              "  client_allowed_sans: [a]\n", "needs client_auth_type RequireAny"),
    "SANs of nobody": (CLIENTS + "  client_allowed_sans: []\n", ":6:24: client_allowed_sans: no name would let nobody in"),
    "SANs that are no list": (CLIENTS + "  client_allowed_sans: a\n", "client_allowed_sans: expected a list"),
    "an unknown version": (KEY_PAIR + "  min_version: TLS111\n", ":4:16: min_version: unknown TLS version"),
    "SSL": (KEY_PAIR + "  min_version: SSL30\n", "unknown TLS version"),
    "versions the wrong way round": (KEY_PAIR + "  min_version: TLS13\n  max_version: TLS12\n", "min_version is above"),
    "an invented cipher": (KEY_PAIR + "  cipher_suites: [TLS_ROT13]\n", ":4:19: TLS_ROT13: unknown cipher"),
    "a weak cipher": (KEY_PAIR + "  cipher_suites: [TLS_RSA_WITH_RC4_128_SHA]\n", "unknown cipher"),
    "ciphers that cannot be said": (KEY_PAIR + "  cipher_suites: [TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, "
                                    "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384]\n", "GnuTLS would also allow TLS_ECDHE_"),
    "ciphers of another version": (KEY_PAIR + "  min_version: TLS13\n"
                                   "  cipher_suites: [TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA]\n", "no suite in cipher_suites"),
    "an invented curve": (KEY_PAIR + "  curve_preferences: [CurveP257]\n", ":4:23: CurveP257: unknown curve"),
    "a truth": (KEY_PAIR + "  prefer_server_cipher_suites: perhaps\n", "expected true or false"),
    "HTTP/2": ("http_server_config: {http2: 2}\n", ":1:29: http2: expected true or false"),
    "another header": ("http_server_config: {headers: {Server: x}}\n", ":1:32: Server: unknown key"),
    "an unknown frame option": ("http_server_config: {headers: {X-Frame-Options: maybe}}\n",
                                "X-Frame-Options: invalid value: expected deny or sameorigin"),
    "an unknown content type option": ("http_server_config: {headers: {X-Content-Type-Options: sniff}}\n",
                                       "X-Content-Type-Options: invalid value: expected nosniff"),
    "a header of two lines": ('http_server_config: {headers: {X-XSS-Protection: "0\\r\\nX: y"}}\n', "control characters"),
    "a password in clear": ("basic_auth_users:\n  alice: secret\n", ":2:10: alice: not a bcrypt hash"),
    "another kind of hash": ("basic_auth_users: {a: '$6$rounds=5000$abc$def'}\n", "a: not a bcrypt hash"),
    "a short hash": (f"basic_auth_users: {{a: '{HASH[:-1]}'}}\n", "a: not a bcrypt hash"),
    "an odd hash": (f"basic_auth_users: {{a: '{HASH[:-1]}!'}}\n", "a: not a bcrypt hash"),
    "an impossible cost": (f"basic_auth_users: {{a: '{HASH.replace('$10$', '$32$')}'}}\n", "the cost of a bcrypt hash"),
    "a list of users": ("basic_auth_users: [alice]\n", "expected names and bcrypt hashes"),
    "excluded paths": ("auth_excluded_paths: [/-/ready]\n", "auth_excluded_paths: unknown key"),
    "an interval without a unit": ("rate_limit: {interval: 1.5, burst: 1}\n", "interval: expected a duration"),
    "an unknown unit": ("rate_limit: {interval: 1d, burst: 1}\n", "interval: expected a duration"),
    "a negative interval": ("rate_limit: {interval: -1s, burst: 1}\n", "interval: expected a duration"),
    "a burst that is no number": ("rate_limit: {interval: 1s, burst: many}\n", "burst: expected a number"),
}


class Files(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="slurmscope-web-")))
        make_authority(cls.folder, "ca")
        make_certificate(cls.folder, "server", "ca", "DNS:localhost")
        make_certificate(cls.folder, "rsa", "ca", "DNS:localhost", key=["rsa:2048"])
        openssl(cls.folder, "ec", "-in", "server.key", "-aes256", "-passout", "pass:x", "-out", "locked.key")
        (cls.folder / "empty").touch()
        (cls.folder / "rubbish").write_text("-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n")

    def write(self, text):
        path = self.folder / "web.yml"
        if "{cert}" in text:
            text = text.format(cert=indented((self.folder / "server.pem").read_text()),
                               key=indented((self.folder / "server.key").read_text()))
        path.write_text(text)
        return path

    def check(self, text):
        return run("--check-config", f"--web.config.file={self.write(text)}")

    def test_good(self):
        for name, text in (GOOD | GOOD_SINCE | GOOD_HERE).items():
            with self.subTest(name):
                done = self.check(text)
                self.assertEqual((0, ""), (done.returncode, done.stderr))

    def test_bad(self):
        for name, (text, error) in BAD.items():
            with self.subTest(name):
                done = self.check(text)
                self.assertEqual(1, done.returncode, name)
                self.assertIn("web.config.file: ", done.stderr)
                self.assertIn(error, done.stderr.replace('\\"', '"'))
                self.assertNotIn("secret", done.stderr)

    def test_no_file(self):
        done = run("--check-config", "--web.config.file=/no/such/file.yml")
        self.assertEqual(1, done.returncode)
        self.assertIn("/no/such/file.yml: No such file", done.stderr)

    def test_files_are_looked_up_beside(self):
        """Also if the path has no folder in it; what begins at the root is found from everywhere."""
        done = run("--check-config", "--web.config.file=web.yml", cwd=self.write(KEY_PAIR).parent)
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        done = self.check(KEY_PAIR.replace("server.", f"{self.folder}/server."))
        self.assertEqual((0, ""), (done.returncode, done.stderr))

    def test_it_is_read_once(self):
        """However many clusters there are."""
        pipe, clusters = self.folder / "pipe", self.folder / "clusters.yml"
        os.mkfifo(pipe)
        clusters.write_text("clusters: {a: {}, b: {}, c: {}}\n")
        writer = threading.Thread(target=pipe.write_text, args=("# nothing\n",), daemon=True)
        writer.start()
        done = run("--check-config", f"--config.file={clusters}", f"--web.config.file={pipe}")
        self.assertEqual((0, ""), (done.returncode, done.stderr))

    def test_promtool_takes_the_good_ones(self):
        for promtool, files in ((CACHE / "prometheus/usr/bin/promtool", GOOD),
                                (CACHE / "prometheus-forky/usr/bin/promtool", GOOD | GOOD_SINCE)):
            self.assertTrue(promtool.exists(), f"{promtool}: tests/run fetches it")
            for name, text in files.items():
                with self.subTest(name, promtool=promtool):
                    done = subprocess.run([promtool, "check", "web-config", self.write(text)],
                                          capture_output=True, text=True)
                    self.assertEqual(0, done.returncode, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
