"""The daemon as others see it: HTTP, options, log, signals, tokens."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import fake_slurmrestd as fakes
from fake_slurmrestd import ENDPOINTS, KEY, Fake, claims_of, make_token
from harness import (EVERY_SECOND, SLURMSCOPE, PATIENCE, Daemon, all_at_once, best, free_port, is_up, logfmt, results,
                     run, samples, wait_until)

METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"
AT_ONCE = 5  # seconds in which a page is there, among fifty threads of ours; who waits for another waits for 10 s and more
BAD_URLS = ["localhost:6820", "ftp://localhost", "http://", "unix:relative", "http://a b:1",
            "http://user:secret@localhost:6820", "http://:secret@localhost:6820",
            "http://localhost:99999999"]
BAD_ADDRESSES = ["9341", "localhost", "127.0.0.1", ":", ":x", ":-1", ":65536", "::1:9341",
                 "[::1]", "127.0.0.1:80:80", "a" * 300 + ":1"]
BAD_OPTIONS = [
    (["--slurmrestd.token-file=a", "--slurmrestd.jwt-key-file=b", "--slurmrestd.user=c"],
     "cannot be used together with slurmrestd.token-file"),
    (["--slurmrestd.jwt-key-file=b"], "needs slurmrestd.user"),
    (["--slurmrestd.token-file=/nonexistent/token"], "/nonexistent/token: No such file"),
    (["--slurmrestd.jwt-key-file=/nonexistent/key", "--slurmrestd.user=c"], "/nonexistent/key: No"),
    (["--slurmrestd.token-file=/etc"], "/etc: Is a directory"),
    (["--slurmrestd.token-file=/dev/null"], "/dev/null: empty"),
    (["--slurmrestd.token-file=/dev/zero"], "/dev/zero: too large"),
    (["--slurmrestd.token-file=/etc/passwd"], "does not hold a token"),
    (["--slurmrestd.token-file="], "empty"),
    (["--slurmrestd.token-file"], "needs a value"),
    (["--interval.jobs=0"], "not a time from 1 to 86400 seconds"),
    (["--interval.jobs=1.5"], "not a time from 1 to 86400 seconds"),
    (["--interval.jobs=-1"], "not a time from 1 to 86400 seconds"),
    (["--slurmrestd.timeout=99999999999999999999"], "not a time from 1 to 86400 seconds"),
    (["--log.level=loud"], "not one of debug, info, warn, error"),
    (["--log.format=xml"], "not one of logfmt, json"),
    (["--once=yes"], "takes no value"),
    (["--web.telemetry-path=metrics"], "must begin with /"),
    (["--web.telemetry-path=/-/ready"], "must begin with /"),
    (["--state.path=/no/such/folder/state.db"], "--state.path: folder /no/such/folder: No such file"),
    (["--state.path=/tmp"], "is not a regular file"),
    (["--no-such-option=secret"], "--no-such-option: unknown option"),
    (["jobs"], "jobs: not an option"),
    *[([f"--slurmrestd.url={url}"], "") for url in BAD_URLS],
    *[([f"--web.listen-address={address}"], "") for address in BAD_ADDRESSES],
]


class Options(unittest.TestCase):
    def test_bad_options(self):
        for options, text in BAD_OPTIONS:
            with self.subTest(options):
                done = run("--check-config", *options)
                self.assertEqual((1, ""), (done.returncode, done.stdout))
                lines = done.stderr.splitlines()
                self.assertEqual(1, len(lines), lines)
                line = logfmt(lines[0])
                self.assertEqual("error", line["level"])
                self.assertIn(text, line["msg"])
                self.assertNotIn("secret", line["msg"])

    def test_bad_options_in_json(self):
        done = run("--log.format=json", "--interval.jobs=0")
        self.assertEqual("error", json.loads(done.stderr)["level"])

    def test_unreadable_files(self):
        # root can read anything unless the capability is taken from it
        wrapper = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
        with tempfile.TemporaryDirectory() as folder:
            secret = Path(folder, "secret")
            secret.write_text("secret")
            secret.chmod(0)
            for options in (["--slurmrestd.token-file"],
                            ["--slurmrestd.user=u", "--slurmrestd.jwt-key-file"]):
                done = run(*options, str(secret), "--check-config",
                           wrapper=wrapper if os.geteuid() == 0 else ())
                self.assertEqual(1, done.returncode)
                self.assertIn("Permission denied", done.stderr)

    def test_good_config(self):
        with tempfile.TemporaryDirectory() as folder:
            token, key = Path(folder, "token"), Path(folder, "key")
            token.write_text(make_token())
            key.write_bytes(KEY)
            for options in ([], [f"--slurmrestd.token-file={token}"],
                            ["--slurmrestd.token-file", str(token)],
                            [f"--slurmrestd.jwt-key-file={key}", "--slurmrestd.user=u"],
                            ["--slurmrestd.url=unix:/run/slurmrestd.sock"],
                            ["--slurmrestd.url=https://host.example:6820/"],
                            [f"--state.path={folder}/state.db"], [f"--state.path={token}"],
                            ["--web.listen-address=[::1]:1"]):
                done = run(*options, "--check-config")
                self.assertEqual((0, "the configuration is valid\n", ""),
                                 (done.returncode, done.stdout, done.stderr), options)
            self.assertEqual({token, key}, set(Path(folder).iterdir()))

    def test_informative_options(self):
        for option, text in (("--version", r"\Aslurmscope \d+\.\d+\.\d+[^\n]*\n\Z"),
                             ("--help", r"(?m)^  --slurmrestd\.url=URL$"),
                             ("--list-metrics", r"(?m)^slurm_cluster_jobs\tgauge\tstate\t\w")):
            done = run(option)
            self.assertEqual((0, ""), (done.returncode, done.stderr))
            self.assertRegex(done.stdout, text)

    def test_help(self):
        """Of one group, of none that there is, of doctor; none of them runs anything."""
        done = run("--help", "slurmrestd")
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        self.assertEqual({"slurmrestd"}, set(re.findall(r"(?m)^  --(\w+)", done.stdout)))
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)
        done = run("--help", "slurm")
        self.assertEqual((1, ""), (done.returncode, done.stdout))
        self.assertIn("--help: slurm is not a group of options; the groups are general, slurmrestd, web, ", done.stderr)
        done = subprocess.run([SLURMSCOPE, "doctor", "--strict", "--help"], capture_output=True, text=True, check=True)
        self.assertEqual((run("--help").stdout, ""), (done.stdout, done.stderr))

    def test_list_metrics_is_the_page(self):
        listed = {line.split("\t")[0]: line.split("\t")[1]
                  for line in run("--list-metrics").stdout.splitlines()}
        with Fake(wants_token=False) as fake:
            page = run("--once", f"--slurmrestd.url={fake.url}").stdout
        shown = dict(re.findall(r"(?m)^# TYPE (\S+) (\S+)$", page))
        self.assertLessEqual(shown.items(), listed.items())
        self.assertGreater(len(shown), 50)

    def test_full_disk(self):
        for option in ("--version", "--help", "--list-metrics"):
            with open("/dev/full", "w") as full:
                done = run(option, stdout=full)
                self.assertEqual(1, done.returncode)
                self.assertIn("standard output: No space left on device", done.stderr)

    def test_once(self):
        with Fake(wants_token=False) as fake:
            done = run("--once", f"--slurmrestd.url={fake.url}")
            self.assertEqual(0, done.returncode, done.stderr)
            page = samples(done.stdout)
            self.assertTrue(all(is_up(page, endpoint) for endpoint in ENDPOINTS))
            self.assertEqual([], fake.complaints)
            fake.behave(fakes.body(b"{}"), ["nodes"])
            done = run("--once", f"--slurmrestd.url={fake.url}")
            self.assertEqual(1, done.returncode)
            self.assertEqual([0, 1], [is_up(samples(done.stdout), endpoint)
                                      for endpoint in ("nodes", "jobs")])
            self.assertRegex(done.stderr, "endpoint=nodes")

    def test_limits_leave_totals_right(self):
        """What has no row of its own is in the row `other`: no sum over the rows changes. A node or job of several partitions counts
        there once: of all partitions it is the cluster's number."""
        entity = re.compile(r'(slurm_(?:cluster|partition|account|user|qos)_(?:jobs|job_cpus|nodes|cpus))'
                            r'\{(?:(.*),)?(state="\w+")\}')

        def totals(*options):
            done = run("--once", f"--slurmrestd.url={fake.url}", *options)
            self.assertEqual(0, done.returncode, done.stderr)
            sums, rows = {}, set()
            for series, value in samples(done.stdout).items():
                if fits := entity.fullmatch(series):
                    sums[fits[1], fits[3]] = sums.get((fits[1], fits[3]), 0) + value
                    rows |= {fits[2]} - {None}
            return sums, rows

        with Fake(wants_token=False) as fake:
            wanted, all_rows = totals()
            self.assertGreater(len(all_rows), 4)
            sums, rows = totals("--limit.users=0", "--filter.accounts-deny=.*",
                                "--filter.partitions=none", "--limit.qos=0")
            wanted = {(family, state): wanted[family.replace("partition", "cluster"), state] for family, state in wanted}
            self.assertEqual(wanted, sums)
            self.assertEqual({'partition="other"', 'account="other"', 'qos="other"',
                              'user="other",account="other"'}, rows)
            done = run("--once", "--filter.users=(")
            self.assertEqual(1, done.returncode)
            self.assertIn("--filter.users: (: Missing ')'", done.stderr)

    def test_proxies_are_not_for_us(self):
        """A proxy in the environment would get the token."""
        with Fake(wants_token=False) as fake:
            nobody = f"http://127.0.0.1:{free_port()}"
            done = run("--once", f"--slurmrestd.url={fake.url}", http_proxy=nobody,
                       all_proxy=nobody, ALL_PROXY=nobody)
            self.assertEqual(0, done.returncode, done.stderr)


class Listening(unittest.TestCase):
    def test_addresses(self):
        with Fake() as fake:
            six = ["::1"] if Path("/proc/net/if_inet6").exists() else []
            rows = {"127.0.0.1": ["127.0.0.1"], "localhost": ["localhost"],
                    "": ["127.0.0.1", *six], **{f"[{host}]": [host] for host in six}}
            for host, clients in rows.items():
                port = free_port()
                with self.subTest(host), Daemon(fake, address=f"{host}:{port}") as daemon:
                    self.assertEqual(port, daemon.port)
                    for client in clients:
                        self.assertEqual(200, daemon.request("/-/healthy", host=client)[0])

    def test_port_in_use(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            done = run(f"--web.listen-address=127.0.0.1:{port}")
            self.assertEqual(1, done.returncode)
            self.assertRegex(done.stderr, rf"127\.0\.0\.1:{port}: Address already in use")

    def test_foreign_address(self):
        done = run("--web.listen-address=192.0.2.1:9341")
        self.assertEqual(1, done.returncode)
        self.assertRegex(done.stderr, r"192\.0\.2\.1:9341: Cannot assign")


class Http(unittest.TestCase):
    def setUp(self):
        self.stack = contextlib.ExitStack()
        self.daemon = self.stack.enter_context(Daemon(self.stack.enter_context(Fake())))
        self.daemon.wait_well()

    def tearDown(self):
        self.stack.close()

    def talk(self, *pieces, half_close=False):
        """All that comes back until the daemon closes."""
        answer = b""
        with self.daemon.connect() as connection, contextlib.suppress(ConnectionError):
            for piece in pieces:
                connection.sendall(piece)
                time.sleep(0.02)
            if half_close:
                connection.shutdown(socket.SHUT_WR)
            while data := connection.recv(65536):
                answer += data
        return answer

    def test_metrics(self):
        status, headers, body = self.daemon.request("/metrics")
        self.assertEqual((200, METRICS_TYPE), (status, headers["Content-Type"]))
        self.assertEqual(str(len(body)), headers["Content-Length"])
        self.assertEqual("nosniff", headers["X-Content-Type-Options"])
        self.assertEqual("no-store", headers["Cache-Control"])
        self.assertLess(abs(int(headers["Process-Start-Time-Unix"]) - time.time()), 3600)
        self.assertTrue(body.endswith(b"\n"))
        self.assertEqual(200, self.daemon.request("/metrics?collect[]=jobs")[0])

    def test_head(self):
        for path in ("/metrics", "/", "/-/healthy", "/-/ready"):
            status, headers, body = self.daemon.request(path, "HEAD")
            self.assertEqual((200, b""), (status, body))
            self.assertGreater(int(headers["Content-Length"]), 0)

    def test_other_pages(self):
        for path, status, kind, text in (("/", 200, "text/html", b'href="./metrics"'),
                                         ("/-/healthy", 200, "text/plain", b"healthy"),
                                         ("/-/ready", 200, "text/plain", b"ready"),
                                         ("/nothing", 404, "text/plain", b"not found"),
                                         ("/metrics/", 404, "text/plain", b"not found"),
                                         ("//metrics", 404, "text/plain", b"not found"),
                                         ("/-/", 404, "text/plain", b"not found"),
                                         ("/../etc/passwd", 404, "text/plain", b"not found")):
            got, headers, body = self.daemon.request(path)
            self.assertEqual(status, got, path)
            self.assertTrue(headers["Content-Type"].startswith(kind), path)
            self.assertIn(text, body)

    def test_other_methods(self):
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "BREW", "get"):
            for body in (None, b"x" * 100, b"x" * 1_000_000):
                with self.subTest(method=method, body=body and len(body)):
                    try:
                        status, headers, _ = self.daemon.request("/metrics", method, body)
                    except (BrokenPipeError, ConnectionResetError):
                        self.assertGreater(len(body or b""), 1000)
                        continue  # refused before we had sent it all
                    self.assertEqual((405, "GET, HEAD"), (status, headers["Allow"]))

    def test_chunked_post(self):
        answer = self.talk(b"POST /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                           b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
        self.assertTrue(answer.startswith(b"HTTP/1.1 405 "), answer[:100])

    def test_long_urls(self):
        self.assertEqual(404, self.daemon.request("/" + "x" * 8_000)[0])
        answer = self.talk(b"GET /" + b"x" * 100_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n")
        self.assertRegex(answer, rb"\AHTTP/1\.[01] 414 |\A\Z")
        self.assertEqual(200, self.daemon.request("/-/healthy")[0])

    def test_long_headers(self):
        answer = self.talk(b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"x" * 100_000 + b"\r\n\r\n")
        self.assertRegex(answer, rb"\AHTTP/1\.[01] 431 |\A\Z")
        self.assertEqual(200, self.daemon.request("/-/healthy")[0])

    def test_http_1_0(self):
        answer = self.talk(b"GET /metrics HTTP/1.0\r\n\r\n")
        head, _, body = answer.partition(b"\r\n\r\n")
        self.assertRegex(head, rb"\AHTTP/1\.[01] 200 ")
        self.assertGreater(len(samples(body.decode())), 100)

    def test_keep_alive_and_pipelining(self):
        get = b"GET /-/healthy HTTP/1.1\r\nHost: x\r\n"
        last = get + b"Connection: close\r\n\r\n"
        for pieces in ([get, b"\r\n", get, b"\r\n", last], [get + b"\r\n" + get + b"\r\n" + last]):
            self.assertEqual(3, self.talk(*pieces).count(b"\r\n\r\nhealthy\n"))

    def test_request_in_pieces(self):
        pieces = [bytes([byte]) for byte in b"GET /-/healthy HTTP/1.0\r\n\r\n"]
        self.assertTrue(any(b"healthy" in self.talk(*pieces) for _ in range(5)))  # a busy machine may take longer than the server waits

    def test_half_closed(self):
        answer = self.talk(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", half_close=True)
        head, _, body = answer.partition(b"\r\n\r\n")
        length = int(re.search(rb"Content-Length: (\d+)", head)[1])
        self.assertEqual(length, len(body))

    def test_nonsense(self):
        for nonsense in (b"\0" * 100, b"\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n",
                         b"GET /metrics HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00" * 20):
            with self.subTest(nonsense[:20]):
                answer = self.talk(nonsense, half_close=True)
                self.assertNotIn(b" 200 ", answer)
        self.assertEqual(200, self.daemon.request("/-/healthy")[0])

    def test_many_at_once(self):
        """The page changes under them, but each gets a whole one, and of one page all the same."""
        with Fake() as fake, Daemon(fake, *EVERY_SECOND) as daemon:
            daemon.wait_well()
            pages = {}

            def scrape(_):
                for _ in range(5):
                    status, headers, body = daemon.request("/metrics")
                    assert status == 200 and len(body) == int(headers["Content-Length"])
                    text = body.decode()
                    key = re.search(r"(?m)^process_cpu_seconds_total .*", text)[0] + \
                        "".join(re.findall(r"(?m)^slurmscope_(?:scrapes|requests)_total.*", text))
                    pages.setdefault(key, set()).add(text)
            with ThreadPoolExecutor(50) as pool:
                wait_until(lambda: list(pool.map(scrape, range(50))) and len(pages) > 1, "the page to change")
            for same in pages.values():
                self.assertEqual(1, len(same))
                samples(*same)

    def test_slow_readers_block_nobody(self):
        with contextlib.ExitStack() as stack:
            for _ in range(20):
                slow = stack.enter_context(socket.socket())
                slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
                slow.connect(("127.0.0.1", self.daemon.port))
                slow.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n" * 50)
                slow.recv(100)
            self.assert_at_once(self.daemon)

    def test_idle_connections_block_nobody(self):
        with contextlib.ExitStack() as stack:
            for _ in range(100):
                stack.enter_context(self.daemon.connect())
            self.assert_at_once(self.daemon)

    def assert_at_once(self, daemon):
        def scrape():
            start = time.monotonic()
            self.assertEqual(200, daemon.request("/metrics")[0])
            return time.monotonic() - start
        self.assertLess(best(scrape, AT_ONCE, 5), AT_ONCE)


class Running(unittest.TestCase):
    assert_at_once = Http.assert_at_once

    def test_ready(self):
        with Fake() as fake:
            fake.behave(fakes.hang, ["jobs"])
            with Daemon(fake, *EVERY_SECOND) as daemon:
                wait_until(lambda: daemon.request("/metrics")[0] == 200, "a page")
                self.assert_at_once(daemon)
                wait_until(lambda: fake.count("jobs"), "jobs are asked")
                self.assert_at_once(daemon)
                self.assertEqual(503, daemon.request("/-/ready")[0])
                self.assertEqual(200, daemon.request("/-/healthy")[0])
                fake.behave()
                wait_until(lambda: daemon.request("/-/ready")[0] == 200, "ready")

    def test_ready_without_slurmrestd(self):
        with Fake() as fake:
            fake.refuse()
            with Daemon(fake, *EVERY_SECOND) as daemon:
                wait_until(lambda: daemon.request("/-/ready")[0] == 200, "ready")

    def test_signals_while_a_request_hangs(self):
        for sent in (signal.SIGTERM, signal.SIGINT):
            for behaviour in (fakes.hang, fakes.drip):
                with self.subTest(sent=sent, behaviour=behaviour.__name__):
                    self.assertLess(best(lambda: self.seconds_to_end(sent, behaviour), 2), 2)

    def seconds_to_end(self, sent, behaviour):
        with Fake() as fake, Daemon(fake, *EVERY_SECOND) as daemon, contextlib.ExitStack() as stack:
            daemon.wait_well()
            half = stack.enter_context(daemon.connect())  # not before: it has 15 s for its request
            half.sendall(b"GET /metr")
            fake.behave(behaviour)
            asked = len(fake.calls)
            wait_until(lambda: len(fake.calls) > asked, "a request that hangs")
            start = time.monotonic()
            daemon.process.send_signal(sent)
            self.assertEqual(0, daemon.process.wait(PATIENCE))
            seconds = time.monotonic() - start
            self.assertEqual("stopping", daemon.log()[-1]["msg"])
            daemon.process.poll = lambda: None  # it was to end
            return seconds

    def test_log_formats(self):
        text = "two words = \"quoted\" \\ \x07"

        def complain(answer, name):
            answer["errors"] = [{"error": text, "description": text, "error_number": 1}]
        for log in ("json", "logfmt"):
            with self.subTest(log), Fake() as fake, Daemon(fake, *EVERY_SECOND, log=log) as daemon:
                daemon.wait_well()
                fake.behave(fakes.edited(complain), ["diag"])
                line = wait_until(lambda: daemon.log(level="warn"), "a warning")[0]
                self.assertIn(text, line["error"])
                for line in daemon.log():
                    self.assertRegex(line["ts"], r"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\Z")
                    self.assertIn(line["level"], ("debug", "info", "warn", "error"))
                    self.assertEqual(["ts", "level", "msg"], list(line)[:3])

    def test_log_level(self):
        with Fake() as fake, Daemon(fake, "--log.level=warn") as daemon:
            daemon.wait_well()
            self.assertEqual("", daemon.log_text())

    def test_debug_log_has_answers_and_pages(self):
        with Fake() as fake, Daemon(fake) as daemon:
            daemon.wait_well()
            answers = daemon.log(level="debug", msg="asked slurmrestd")
            self.assertLessEqual({"ping", "diag", "nodes"}, {line["endpoint"] for line in answers if line["result"] == "ok" and int(line["bytes"])})
            self.assertTrue([line for line in daemon.log(level="debug", msg="made a page") if int(line["samples"]) and float(line["seconds"])])

    def test_log_tells_the_port(self):
        """With port 0 nobody could find it otherwise."""
        with Fake() as fake, Daemon(fake) as daemon:
            line = wait_until(lambda: daemon.log(msg="serving"), "the line")[0]
            self.assertTrue(line["address"].endswith(f":{daemon.port}"), line)


class Tokens(unittest.TestCase):
    def test_unix_socket(self):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/slurmrestd.sock"
            for credentials in (None, []):
                Path(path).unlink(missing_ok=True)
                with Fake(unix=path, wants_token=credentials is None) as fake, \
                        Daemon(fake, url=f"unix:{path}", credentials=credentials) as daemon:
                    fake.refuse()  # TCP is not what it uses
                    daemon.wait_well()

    def test_forms_of_the_token_file(self):
        for wrap in ("{}", "{}\n", "SLURM_JWT={}\n", "{}\r\n", "{} \n\n"):
            with self.subTest(wrap), Fake() as fake, Daemon(fake) as daemon:
                daemon.wait_well()
                sent = make_token(user="other")
                daemon.write_token(sent, wrap)
                done = run("--once", f"--slurmrestd.url={fake.url}",
                           f"--slurmrestd.token-file={daemon.token_file}")
                self.assertEqual(0, done.returncode, done.stderr)
                self.assertEqual(sent, fake.calls[-1].token)
                self.assertEqual("other", fake.calls[-1].header("x-slurm-user-name"))

    def test_user_option(self):
        with Fake() as fake, Daemon(fake, "--slurmrestd.user=somebody") as daemon:
            daemon.wait_well()
            self.assertEqual({"somebody"}, {call.header("x-slurm-user-name")
                                            for call in fake.calls})

    def test_rotation(self):
        with Fake() as fake, Daemon(fake, *EVERY_SECOND) as daemon:
            daemon.wait_well()
            for what in ("renamed", "written in place", "deleted and made again"):
                if what == "written in place":
                    daemon.tokens.append(make_token(jti=what))
                    daemon.token_file.write_text(daemon.tokens[-1])
                else:
                    if what.startswith("deleted"):
                        daemon.token_file.unlink()
                        asked = fake.count("ping")
                        wait_until(lambda: fake.count("ping") > asked + 1, "it goes on without")
                    daemon.write_token(make_token(jti=what))
                wait_until(lambda: fake.calls[-1].token == daemon.tokens[-1], what)
            self.assertEqual([], daemon.log(level="warn"))

    def test_strangers_do_not_get_it(self):
        """Whatever answers at the URL, if it does not answer as slurmrestd does; a proxy that asks for it gets it."""
        def stranger(status, body, kind):
            return lambda call: call.reply(body, status, kind)
        for name, behaviour, result in (
                ("knows no such path", stranger("404 NOT FOUND", b"Not found", "text/plain"), "unsupported"),
                ("has a page for all", stranger("200 OK", b"<html>", "text/html"), "invalid"),
                ("sends elsewhere", stranger("302 FOUND", b"", "text/html"), "invalid"),
                ("cannot", stranger("502 BAD GATEWAY", b"<html>", "text/html"), "invalid"),
                ("ends the connection", lambda call: False, "unreachable")):
            with self.subTest(name), Fake() as fake, tempfile.TemporaryDirectory() as folder:
                fake.behave(behaviour, ["probe", *ENDPOINTS])
                token = Path(folder, "token")
                token.write_text(make_token())
                token.chmod(0o600)
                done = run("--once", f"--slurmrestd.url={fake.url}", f"--slurmrestd.token-file={token}")
                self.assertEqual({"none"}, {call.token for call in fake.calls})
                self.assertGreater(results(samples(done.stdout), "ping").get(result, 0), 0, done.stdout)
        with Fake() as fake:
            fake.wants_good_token = True
            with Daemon(fake) as daemon:
                daemon.wait_well()

    def test_rubbish_in_the_token_file(self):
        """A half-written file does not replace a token that is good."""
        with Fake() as fake, Daemon(fake, *EVERY_SECOND) as daemon:
            daemon.wait_well()
            for rubbish in ("", "two words", "a\0b", "x" * 20_000, "\xff", "line\nline"):
                daemon.token_file.write_text(rubbish)
                asked = fake.count("ping")
                wait_until(lambda: fake.count("ping") > asked + 1, "two more polls")
            self.assertEqual({daemon.tokens[0]}, {call.token for call in fake.served_calls})

    def test_token_appears_later(self):
        with Fake() as fake, Daemon(fake, *EVERY_SECOND, credentials=[
                "--slurmrestd.token-file=/nonexistent"]) as daemon:
            page = daemon.wait_for(lambda page: is_up(page, "diag") == 0)
            self.assertEqual([], fake.calls)
            self.assertEqual(1, len(daemon.log(level="warn", endpoint="diag")))
            self.assertIn("/nonexistent: No such file",
                          daemon.log(level="warn", endpoint="diag")[0]["error"])
            self.assertEqual(0, is_up(page, "ping"))

    def test_file_that_others_can_read(self):
        for mode, warnings in ((0o600, 0), (0o640, 0), (0o644, 1), (0o602, 1)):
            with self.subTest(oct(mode)), Fake() as fake, Daemon(fake, *EVERY_SECOND) as daemon:
                daemon.wait_well()
                daemon.write_token(make_token(user="another"), mode=mode)
                wait_until(lambda: fake.calls[-1].token == daemon.tokens[-1], "the new token")
                asked = fake.count("jobs")
                wait_until(lambda: fake.count("jobs") > asked + 1, "two more polls")
                found = [line for line in daemon.log(level="warn") if "by others" in line["msg"]]
                self.assertEqual(warnings, len(found), daemon.log_text())

    def test_key_file(self):
        with tempfile.TemporaryDirectory() as folder, Fake(key=KEY) as fake:
            key = Path(folder, "jwt_hs256.key")
            key.write_bytes(KEY)
            for mode, warnings in ((0o600, 0), (0o644, 1)):
                key.chmod(mode)
                before = int(time.time())
                with Daemon(fake, *EVERY_SECOND, credentials=[
                        f"--slurmrestd.jwt-key-file={key}", "--slurmrestd.user=u\"ser"]) as daemon:
                    page = daemon.wait_well()
                    claims = claims_of(fake.calls[-1].token)
                    self.assertEqual({"sun", "iat", "exp"}, set(claims))
                    self.assertEqual("u\"ser", claims["sun"])
                    self.assertEqual(600, claims["exp"] - claims["iat"])
                    self.assertTrue(before - 5 <= claims["iat"] <= time.time())
                    # the page may be of one token before
                    self.assertLess(abs(claims["exp"] - page[
                        "slurmscope_token_expiry_timestamp_seconds"]), 60)
                    self.assertEqual('u"ser', fake.calls[-1].header("x-slurm-user-name"))
                    self.assertEqual(warnings, len(daemon.log(level="warn")))
                    daemon.tokens = [call.token for call in fake.calls]
                    self.assertNotIn(KEY.decode(), daemon.log_text())

    def test_secrets_stay_inside(self):
        """In no log line at debug level, not on the page, not where ps looks."""
        with Fake() as fake, Daemon(fake, *EVERY_SECOND) as daemon:
            daemon.wait_well()
            fake.behave(fakes.body(b"nope", "401 UNAUTHORIZED", "text/plain"))
            daemon.wait_for(lambda page: not is_up(page, "jobs"))
            fake.refuse()
            wait_until(lambda: daemon.log(result="unreachable"), "a failure")
            signature = daemon.tokens[0].rpartition(".")[2].encode()
            for seen in (daemon.log_path.read_bytes(), daemon.request("/metrics")[2],
                         Path(f"/proc/{daemon.pid}/cmdline").read_bytes(),
                         Path(f"/proc/{daemon.pid}/environ").read_bytes()):
                self.assertNotIn(signature, seen)


def load_tests(loader, tests, pattern):
    return all_at_once(tests)


if __name__ == "__main__":
    unittest.main()
