#!/usr/bin/env python3
"""With a key no name is anywhere: not on a page in any format, not in the log, not in the state file. A proxy puts a mark into
each name that a simulated slurmrestd tells, by kind. Marks of kinds that are not hashed are found: so the test sees what it
looks for. Hashes are those of Python's hmac, and the same after a restart. With another key, or none, counters begin at 0."""

import contextlib
import hmac
import http.server
import json
import re
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from simulator import RELEASES, SLURMSCOPE, WHOLE, Simulator

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "e2e"))
from harness import EVERY_SECOND, Daemon, all_at_once, wait_until  # noqa: E402

KEY, OTHER_KEY = b"k" * 31 + b"\n", b"l" * 40
KINDS = {"users": "zqusr", "accounts": "zqacc", "jobs": "zqjob", "reservations": "zqres", "reasons": "zqrsn"}
NEVER = "zqnvr"  # in what no page has, whatever is hashed
BROKEN = "licenses"  # what cannot be asked: slurmrestd says why, and names a user
OPTIONS = (*EVERY_SECOND, "--jobs.read=auto", "--nodes.per-node=full", "--limit.users=1000", "--limit.accounts=1000",
           *(f"--interval.{task}=1" for task in ("job_states", "job_details", "job_search", "job_ends", "job_steps", "reservations",
                                                 "shares", "qos", "associations", "dbd_diag", BROKEN)))
PATHS = ("/metrics", "/", "/jobs", "/plan", "/api/v1/status", "/api/v1/jobs", "/-/ready")
OPENMETRICS = "application/openmetrics-text;version=1.0.0"
PROTOBUF = "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited"


def marked(kind, name):
    return name if not name or name == "root" or not isinstance(name, str) else f"{KINDS.get(kind, kind)}{name}"


# The member of a list's record, and whose name it is. Lists of slurmdbd have the same names, but for their jobs.
JOB = {"user_name": "users", "account": "accounts", "name": "jobs", "resv_name": "reservations", "group_name": NEVER,
       "admin_comment": NEVER, "system_comment": NEVER, "command": NEVER, "current_working_directory": NEVER, "standard_error": NEVER,
       "standard_input": NEVER, "standard_output": NEVER, "mcs_label": NEVER, "state_description": NEVER, "extra": NEVER,
       # slurmdbd's
       "user": "users", "group": NEVER, "working_directory": NEVER, "script": NEVER, "container": NEVER}
LISTS = {"jobs": JOB,
         "nodes": {"reason": "reasons", "reason_set_by_user": "users", "comment": "reasons", "reservation": "reservations", "extra": NEVER, "owner": NEVER},
         "reservations": {"name": "reservations", "users": NEVER, "accounts": NEVER},
         "associations": {"account": "accounts", "parent_account": "accounts", "user": "users", "comment": NEVER},
         "rpcs_by_user": {"user": "users"}, "users": {"user": "users", "name": "users"}}


WCKEY, COMMENT = f"{KINDS['accounts']}wk1", f"{KINDS['jobs']}why"
SOURCES = ("wckey", "comment", "name", "reservation")
GROUPS = "groups:\n" + "".join(f"  - {{name: by_{source}, by: [{source}], metrics: [jobs, ends]}}\n" for source in SOURCES)


def mark_job(job):
    """slurmctld has a text for each, and a star before a default wckey. slurmdbd has them in a dictionary, without it."""
    for member, inner, told, kept in (("wckey", "wckey", f"*{WCKEY}", WCKEY), ("comment", "job", COMMENT, COMMENT)):
        if isinstance(job.get(member), dict):
            job[member][inner] = kept
        elif member in job:
            job[member] = told


def mark_share(share):
    share["name"] = marked("users" if "USER" in share["type"] else "accounts", share["name"])
    share["parent"] = marked("accounts", share["parent"])


def mark(answer, above=None):
    for key, value in answer.items():
        if isinstance(value, dict):
            mark(value, key)
        for record in value if isinstance(value, list) else ():
            if not isinstance(record, dict):
                continue
            if key == "shares" and "type" in record:
                mark_share(record)
                continue
            for member, kind in LISTS.get(key, {}).items():
                if member in record and isinstance(record[member], str):
                    record[member] = marked(kind, record[member])
            if key == "jobs":
                mark_job(record)
            if key == "nodes" and record.get("reason_set_by_user") == "root":
                record["reason_set_by_user"] = marked("users", "admin")
            if "submit_line" in record:
                record["submit_line"] += f" /home/{NEVER}/run"
            if key == "jobs" and isinstance(record.get("reservation"), dict):  # slurmdbd's
                record["reservation"]["name"] = marked("reservations", "zq_1")
            if key == "jobs" and isinstance(record.get("association"), dict):
                mark({"associations": [record["association"]]})
            if key in ("statistics", "jobs"):
                mark(record, key)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body are one packet: the client's kernel waits 40 ms before it acknowledges the first of two

    def do_GET(self):
        proxy = self.server
        headers = {name: self.headers[name] for name in ("X-SLURM-USER-NAME", "X-SLURM-USER-TOKEN") if name in self.headers}
        try:
            with urllib.request.urlopen(urllib.request.Request(proxy.to + self.path, headers=headers)) as answer:
                status, kind, body = answer.status, answer.headers["Content-Type"], answer.read()
        except urllib.error.HTTPError as error:
            with error:
                status, kind, body = error.code, error.headers["Content-Type"], error.read()
        if f"/{BROKEN}" in self.path:
            status, body = 500, json.dumps({BROKEN: [], "errors": [
                {"description": f"user {KINDS['users']} may not", "error": "Invalid user id", "error_number": 2001}],
                "warnings": [{"description": KINDS["users"]}]}).encode()
        elif status == 200 and body.startswith(b"{"):
            parsed = json.loads(body.decode("utf-8", "surrogateescape"))
            mark(parsed)
            body = json.dumps(parsed, ensure_ascii=False).encode("utf-8", "surrogateescape")
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def proxy_to(url):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads, server.to = True, url
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def hash_of(prefix, name, key=KEY):
    return f"{prefix}-" + hmac.digest(key, f"{prefix}-{name}".encode(), "sha256").hex()[:16]


# What a page has once everything was read.
SHOWN = ("slurm_user_jobs", "slurm_account_jobs", "slurm_job_info", "slurm_pending_job_info", "slurm_ended_job_info",
         "slurm_reservation_nodes", "slurm_node_reason_info", "slurm_user_rpc_requests_total", "slurm_dbd_user_rpc_requests_total",
         "slurm_association_limit", "slurm_user_job_ends_total", "slurm_account_job_ends_total", *(f"slurm_group_by_{source}_{what}" for source in SOURCES
                                                                                for what in ("jobs", "job_ends_total")))
SINCE_23_11 = {"slurm_user_shares", "slurm_account_shares"}
NOT_IN_37 = {"slurm_job_info", "slurm_pending_job_info", "slurm_user_rpc_requests_total"}


class World(contextlib.ExitStack):
    """A simulated cluster behind the proxy, with ended jobs, failed nodes and a reservation."""

    def __init__(self, release, version):
        super().__init__()
        self.version = version
        self.sim = self.enter_context(Simulator("--nodes=20", "--jobs=60", "--users=12", f"--release={release}", f"--versions=v0.0.{version}",
                                                "--node-failures=20000", "--run-seconds=60", "--speed=10",
                                                f"--epoch={int(time.time()) - 900}"))
        self.sim.control("advance?seconds=900")
        self.url = self.enter_context(proxy_to(self.sim.url))

    def daemon(self, folder, *options, kinds=None, key=KEY):
        (folder / "key").write_bytes(key)
        (folder / "key").chmod(0o600)
        if kinds is not None:
            options = (*options, f"--names.hash-key-file={folder / 'key'}", f"--names.hashed={kinds}")
        config = f"slurmrestd: {{url: '{self.url}', token-file: '{{folder}}/token'}}\n{GROUPS}"
        return Daemon(None, f"--state.path={folder / 'state'}", *OPTIONS, *options, url=self.url, config=config)


def all_texts(daemon, folder):
    """{where: bytes} of everything that slurmscope shows or writes."""
    texts = {path: daemon.request(path)[2] for path in PATHS}
    for kind in (OPENMETRICS, PROTOBUF):
        texts[kind] = daemon.request("/metrics", headers={"Accept": kind})[2]
    texts["log"] = daemon.log_path.read_bytes()
    return texts | {path.name: path.read_bytes() for path in folder.glob("state*")}


def missing(daemon, version):
    page = daemon.request("/metrics")[2].decode()
    told = set(SHOWN) - (NOT_IN_37 if version == 37 else set()) | (SINCE_23_11 if version >= 40 else set())
    return [family for family in told if f"\n{family}{{" not in page]


def ended(daemon):
    """{user: jobs that ended}"""
    found = {}
    for series, value in daemon.page().items():
        if match := re.match(r'slurm_user_job_ends_total\{user="(.*?)",', series):
            found[match[1]] = found.get(match[1], 0) + value
    return found


class Names(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="names-")))

    def look(self, world, kinds, wait=True):
        """Marks that are found somewhere, and where."""
        with world.daemon(self.folder, kinds=kinds) as daemon:
            wait_until(lambda: not missing(daemon, world.version), lambda: (missing(daemon, world.version), daemon.log_text()[-3000:]))
            wait_until(lambda: daemon.log(endpoint=BROKEN, msg="poll failed"), daemon.log_text)
            texts = all_texts(daemon, self.folder)
            page = daemon.request("/metrics")[2].decode()
        texts |= {path.name: path.read_bytes() for path in self.folder.glob("state*")}
        found = {what: sorted(where for where, text in texts.items() if mark.encode() in text)
                 for what, mark in {**KINDS, "never": NEVER}.items()}
        return {what: where for what, where in found.items() if where}, page

    def check_version(self, release, version):
        with World(release, version) as world:
            found, page = self.look(world, ",".join(KINDS))
            self.assertEqual({}, found)
            user = f"{KINDS['users']}u00001"
            self.assertIn(f'user="{hash_of("u", user)}"', page)
            self.assertEqual({hash_of("a", WCKEY)}, set(re.findall(r'^slurm_group_by_wckey_\w+\{wckey="(.+?)"', page, re.MULTILINE)))
            self.assertEqual({hash_of("j", COMMENT)}, set(re.findall(r'^slurm_group_by_comment_\w+\{comment="(.+?)"', page, re.MULTILINE)))
            self.assertRegex(page, r'slurm_group_by_name_jobs\{name="j-[0-9a-f]{16}"')
            self.assertRegex(page, r'account="a-[0-9a-f]{16}"')
            self.assertIn(f'user="{hash_of("u", KINDS["users"] + "admin")}"', page)

    def restart(self, world, kinds, key=KEY, *options):
        """What a page has of users' ended jobs by user, once it has any; the log; whether a user's mark is in the file."""
        with world.daemon(self.folder, *options, kinds=kinds, key=key) as daemon:
            first = wait_until(lambda: ended(daemon), daemon.log_text)
            log = daemon.log_text()
        return first, log, any(KINDS["users"].encode() in path.read_bytes() for path in self.folder.glob("state*"))

    def test_state(self):
        """Names of before are not in the file once the key is there. Counters go on with the same key, and begin at 0 with
        another one and with none."""
        users = [f"{KINDS['users']}u{number:05}" for number in range(1, 13)]
        hashes = {key: {hash_of("u", user, key) for user in users} for key in (KEY, OTHER_KEY)}
        with World("26.05", 45) as world:
            plain, log, is_kept = self.restart(world, None)
            self.assertTrue(plain.keys() <= set(users) and is_kept, plain)
            hashed, log, is_kept = self.restart(world, "users")
            self.assertTrue(hashed.keys() <= hashes[KEY], hashed)
            self.assertIn("the state file was removed", log)
            self.assertIn("its names are not hashed; slurmscope removed it", log)
            self.assertFalse(is_kept)
            again, log, is_kept = self.restart(world, "users")
            self.assertNotIn("removed", log)
            self.assertTrue(all(again[user] >= count for user, count in hashed.items()), (hashed, again))
            other, log, is_kept = self.restart(world, "users", OTHER_KEY)
            self.assertTrue(other.keys() <= hashes[OTHER_KEY], other)
            self.assertIn("its names are hashed with another key, or others of them", log)
            more, log, is_kept = self.restart(world, "users,accounts", OTHER_KEY)
            self.assertIn("its names are hashed with another key, or others of them", log)
            plain, log, is_kept = self.restart(world, None)
            self.assertTrue(plain.keys() <= set(users), plain)
            self.assertIn("its names are hashed; slurmscope removed it", log)

    def test_reload(self):
        """SIGHUP: with a key, with another one in the same file, with one that is too short, and without."""
        key = self.folder / "key"
        lines = [f"slurmrestd: {{url: URL, token-file: '{{folder}}/token'}}", f"state: {{path: {self.folder}/state}}", "jobs: {read: auto}",
                 "interval: {job_states: 1, job_details: 1, job_ends: 1, diag: 1}"]
        hashing = f"names: {{hash-key-file: {key}, hashed: [users, jobs]}}"
        with World("26.05", 45) as world:
            lines[0] = lines[0].replace("URL", world.url)
            with Daemon(None, config="\n".join(lines), url=world.url) as daemon:
                wait_until(lambda: ended(daemon), daemon.log_text)
                for content in (KEY, OTHER_KEY):
                    key.write_bytes(content)
                    key.chmod(0o600)
                    daemon.reload("\n".join([*lines, hashing]))
                    name = hash_of("u", f"{KINDS['users']}u00001", content)
                    wait_until(lambda: f'slurm_user_jobs{{user="{name}"' in daemon.request("/metrics")[2].decode(), daemon.log_text)
                    wait_until(lambda: ended(daemon), daemon.log_text)
                    texts = all_texts(daemon, self.folder)
                    texts["log"] = texts["log"].rpartition(b"the configuration was read again")[2]
                    found = [where for where, text in texts.items() if KINDS["users"].encode() in text or KINDS["jobs"].encode() in text]
                    self.assertEqual([], found)
                self.assertNotIn(hash_of("u", f"{KINDS['users']}u00001", KEY), daemon.request("/metrics")[2].decode())
                key.write_bytes(KEY[:31])
                daemon.reload("\n".join([*lines, hashing]))
                self.assertIn("has 31 bytes; a key has at least 32", daemon.log_text())
                self.assertIn(name, daemon.request("/metrics")[2].decode())
                daemon.reload("\n".join(lines))
                wait_until(lambda: ended(daemon).keys() & {f"{KINDS['users']}u00001"}, daemon.log_text)

    def test_filters(self):
        """Filters see what the page has: hashes."""
        name = f"{KINDS['users']}u00001"
        with World("26.05", 45) as world:
            for pattern, users in ((hash_of("u", name), {hash_of("u", name), "other"}), (name, {"other"})):
                with world.daemon(self.folder, f"--filter.users={pattern}|root", kinds="users", key=KEY) as daemon:
                    wait_until(lambda: users <= set(ended(daemon)), daemon.log_text)
                    self.assertEqual(users, set(ended(daemon)))

    def command(self, *options):
        done = subprocess.run([SLURMSCOPE, *options], capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout, done.stderr

    def test_commands(self):
        """--hash-name prints what pages have; a report of slurmdbd has hashes, too."""
        key = self.folder / "key"
        key.write_bytes(KEY)
        hashing = f"--names.hash-key-file={key}"
        self.assertEqual((0, f"users {hash_of('u', 'alice')}\nreservations {hash_of('r', 'alice')}\n", ""),
                         self.command(hashing, "--hash-name=alice"))
        self.assertEqual((0, f"accounts {hash_of('a', 'Jörg')}\n", ""), self.command(hashing, "--names.hashed=accounts", "--hash-name", "Jörg"))
        status, out, errors = self.command("--hash-name=alice")
        self.assertEqual((1, ""), (status, out))
        self.assertIn("--names.hash-key-file: is missing", errors)
        status, out, errors = self.command(hashing, "--names.hashed=users,people", "--check-config")
        self.assertEqual(1, status)
        self.assertIn("people is not one of users, accounts, jobs, reservations, reasons", errors)
        with World("26.05", 45) as world:
            token = self.folder / "token"
            token.write_text("x")
            token.chmod(0o600)
            status, out, errors = self.command("report", "--slurmdbd", f"--from=@{int(time.time()) - 7200}", "--by=user,account", "--format=json",
                                               f"--slurmrestd.url={world.url}", f"--slurmrestd.token-file={token}", "--slurmrestd.user=root", hashing,
                                               "--names.hashed=users,accounts")
            self.assertIn(hash_of("u", f"{KINDS['users']}u00001"), out, errors)
            self.assertNotRegex(out + errors, f"{KINDS['users']}|{KINDS['accounts']}")

    def check_kinds(self, kinds):
        """Marks of these kinds are nowhere, and the others' are on the page."""
        with World("26.05", 45) as world:
            found, _ = self.look(world, kinds)
            hashed = set(kinds.split(",") if kinds else ())
            self.assertEqual(set(KINDS) - hashed, set(found))
            for kind in set(KINDS) - hashed:
                self.assertIn("/metrics", found[kind])
            if kinds is None:
                self.assertIn("log", found["users"])  # slurmrestd's own words
            self.assertTrue(any(where.startswith("state") for where in found.get("accounts", ["state"])), found)


def add(name, check, *arguments):
    setattr(Names, f"test_{name}", lambda self: check(self, *arguments))


# Any two kinds are apart in one of them: so each name is hashed as its own kind is.
for kinds in None, "users,jobs,reasons", "accounts,jobs", "reservations,reasons":
    add(f"kinds_{(kinds or 'none').replace(',', '_')}", Names.check_kinds, kinds)
for release, (_, versions) in RELEASES.items():
    for version in versions if WHOLE else versions[-1:]:  # that one slurmscope chooses
        add(f"{release.replace('.', '_')}_v{version}", Names.check_version, release, version)


def load_tests(loader, tests, pattern):
    """They mostly wait."""
    return all_at_once(tests, 6)


if __name__ == "__main__":
    unittest.main(verbosity=2)
