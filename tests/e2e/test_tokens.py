"""The token: where it may be found (nowhere but where it is needed), and what a refusal looks like in each release."""

import os
import re
import resource
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import fake_slurmrestd as fakes
from fake_slurmrestd import ENDPOINTS, FIXTURES, KEY, MORE_ENDPOINTS, OF_SLURMDBD, Fake, make_token
from harness import EVERY_SECOND, SLURMSCOPE, Daemon, all_at_once, is_up, let_ask, results, run, wait_until

EVERYTHING = EVERY_SECOND + [f"--interval.{endpoint}=1" for endpoint in MORE_ENDPOINTS]
# While a request is under way it holds a copy, too: mostly there is none.
RARELY = [f"--interval.{endpoint}=600" for endpoint in (*ENDPOINTS, *MORE_ENDPOINTS)] + ["--interval.diag=2"]
NOBODY = 65534
PAGES = ("/", "/metrics", "/plan", "/-/healthy", "/-/ready", "/no/such/page")


def signature(token):
    return token.rpartition(".")[2]


def copies(pid, secret):
    """How many there are in the process's memory; only root may look. None: it changed meanwhile."""
    found = 0
    with open(f"/proc/{pid}/mem", "rb", 0) as memory, open(f"/proc/{pid}/maps") as maps:
        for line in maps:
            begin, end, mode, name = re.match(r"(\w+)-(\w+) (\S+) \S+ \S+ \S+ *(.*)", line).groups()
            size = int(end, 16) - int(begin, 16)
            if not mode.startswith("rw") or name.startswith("[v") or size > 1 << 32:  # AddressSanitizer's own
                continue
            memory.seek(int(begin, 16))
            try:
                found += memory.read(size).count(secret)
            except OSError:
                return None
    return found


def refused_as_recorded(call):
    """Byte for byte as that release answers a token that it does not accept."""
    kind = "db" if call.endpoint in OF_SLURMDBD else {"ping": "ping", "jobs": "jobs"}.get(call.endpoint, "diag")
    call.send((FIXTURES / call.fake.release / "http" / f"expired_token_{kind}.raw").read_bytes())
    return call.fake.release >= "24" and call.endpoint == "ping"


class Secrets(unittest.TestCase):
    def test_memory(self):
        """One copy of the token in use, none of any other, and none of the key."""
        with Fake() as fake, Daemon(fake, *RARELY) as daemon:
            daemon.wait_well()
            first = daemon.tokens[0]
            wait_until(lambda: copies(daemon.pid, signature(first).encode()) == 1, "one copy")
            second = make_token(user="scope2")
            daemon.write_token(second)
            wait_until(lambda: fake.calls[-1].token == second, "the new token")
            wait_until(lambda: copies(daemon.pid, signature(first).encode()) == 0, "the old token is wiped")
            wait_until(lambda: copies(daemon.pid, signature(second).encode()) == 1, "one copy")
            for token in first, second:
                wait_until(lambda: copies(daemon.server(), signature(token).encode()) == 0, "none in the process that serves")

    def test_memory_of_the_key(self):
        with tempfile.TemporaryDirectory() as folder, Fake(key=KEY) as fake:
            key = Path(folder, "key")
            key.write_bytes(KEY)
            key.chmod(0o600)
            with Daemon(fake, *RARELY, credentials=[f"--slurmrestd.jwt-key-file={key}",
                                                    "--slurmrestd.user=scope"]) as daemon:
                daemon.wait_well()
                wait_until(lambda: copies(daemon.pid, signature(fake.calls[-1].token).encode()) == 1, "one copy")
                wait_until(lambda: copies(daemon.pid, KEY) == 0, "no copy of the key")
                wait_until(lambda: copies(daemon.server(), signature(fake.calls[-1].token).encode()) == 0, "none of the token")

    def test_nowhere_else(self):
        """Not on a page, in the log at its most talkative, in the environment or the arguments; a bad one neither."""
        with Fake() as fake, Daemon(fake, *EVERYTHING) as daemon:
            daemon.wait_well()
            fake.behave(fakes.bad_token, ENDPOINTS)
            daemon.wait_for(lambda page: results(page, "diag").get("unauthorized"), "refused")
            shown = b"".join(daemon.request(path)[2] for path in PAGES)
            for name in "cmdline", "environ":
                shown += Path(f"/proc/{daemon.pid}/{name}").read_bytes()
            shown += daemon.log_text().encode("utf-8", "surrogateescape")
            for part in daemon.tokens[0].split(".")[1:]:
                self.assertNotIn(part.encode(), shown)
        with tempfile.TemporaryDirectory() as folder:
            bad = Path(folder, "token")
            bad.write_text("a secret in two words\n")
            done = run(f"--slurmrestd.token-file={bad}", "--check-config")
            self.assertNotEqual(0, done.returncode)
            self.assertNotIn("secret", done.stdout + done.stderr)

    def test_who_else_could_get_it(self):
        """The log says so at the start: of a network as a warning, of this machine in passing, of a unix socket nothing."""
        with tempfile.TemporaryDirectory() as folder:
            token, key = Path(folder, "token"), Path(folder, "key")
            token.write_text(make_token())
            key.write_bytes(KEY)
            token.chmod(0o600)
            key.chmod(0o600)
            with_token, with_key = [f"--slurmrestd.token-file={token}"], [f"--slurmrestd.jwt-key-file={key}", "--slurmrestd.user=scope"]
            for url, options, said in (("http://rest.invalid:6820", with_token, "level=warn msg=\"the token goes over the network in clear"),
                                       ("http://127.0.0.1:1", with_token, "level=info msg=\"while slurmrestd does not run, any user"),
                                       (f"unix:{folder}/socket", with_token, None),
                                       (f"unix:{folder}/socket", with_key, "level=warn msg=\"slurmscope can read the key")):
                with self.subTest(url=url, options=options):
                    is_once = options != with_key  # else it ends, because that address is no machine's
                    done = run(f"--slurmrestd.url={url}", *options, "--once" if is_once else "--web.listen-address=192.0.2.1:1")
                    told = [what for what in ("the token goes over", "any user of this machine", "can read the key") if what in done.stderr]
                    self.assertEqual(1 if said else 0, len(told), done.stderr)
                    self.assertIn(said or "", done.stderr)

    def test_no_core_dump(self):
        """The kernel gives the files in /proc of a process that may not be dumped to root; `sleep` may be."""
        with tempfile.TemporaryDirectory() as folder:
            os.chown(folder, NOBODY, NOBODY)
            owners, dumped = [], []
            for command in [SLURMSCOPE, "--slurmrestd.url=http://127.0.0.1:1", "--web.listen-address=127.0.0.1:0"], \
                    ["sleep", "60"]:
                process = subprocess.Popen(command, cwd=folder, user=NOBODY, stderr=subprocess.PIPE, text=True,
                                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (-1, -1)))
                try:
                    with process.stderr as log:
                        if command[0] == SLURMSCOPE:
                            while "serving" not in log.readline():
                                self.assertIsNone(process.poll())
                            limits = Path(f"/proc/{process.pid}/limits").read_text()
                            self.assertRegex(limits, r"Max core file size +0 +0 ")
                        owners.append(os.stat(f"/proc/{process.pid}/environ").st_uid)
                        process.send_signal(signal.SIGABRT)
                        status = os.waitpid(process.pid, 0)[1]
                except BaseException:
                    process.kill()
                    raise
                process.returncode = -os.WTERMSIG(status)
                self.assertEqual(-signal.SIGABRT, process.returncode)
                dumped.append(os.WCOREDUMP(status))
            self.assertEqual([0, NOBODY], owners)
            self.assertEqual([False, True], dumped)


class Refusals(unittest.TestCase):
    def refused(self, release, seconds):
        """22.05's slurmctld says nothing of the token: what slurmdbd says of it there, and its expiry, do."""
        with Fake(release) as fake:
            fake.behave(refused_as_recorded, (*ENDPOINTS, *MORE_ENDPOINTS))
            with Daemon(fake, *EVERYTHING, token=make_token(seconds)) as daemon:
                page = daemon.wait_for(lambda page: is_up(page, "diag") == 0 and results(page, "qos"))
                tells = release >= "24" or seconds < 0
                self.assertEqual({"unauthorized" if tells else "http_error"}, set(results(page, "diag")))
                tells = release < "24" or seconds < 0
                self.assertEqual({"unauthorized" if tells else "http_error"}, set(results(page, "qos")))
                daemon.wait_for(lambda page: not any(series.startswith(("slurm_controller_up", "slurm_dbd_up"))
                                                     for series in page), "nothing is said of daemons")
                fake.behave(endpoints=(*ENDPOINTS, *MORE_ENDPOINTS))
                daemon.write_token(make_token())
                daemon.wait_well()

    def test_read_again_on_refusal(self):
        """A token that is put in place between a look at the file and the answer is taken at once."""
        with Fake() as fake, Daemon(fake, *EVERYTHING) as daemon:
            daemon.wait_well()
            second = make_token(user="scope2")

            def refuse_the_first(call):
                if call.token == second:
                    return fakes.normal(call)
                if daemon.tokens[-1] != second:
                    daemon.write_token(second)
                return fakes.bad_token(call)
            fake.behave(refuse_the_first, ["diag"])
            wait_until(lambda: any(call.token == second and call.endpoint == "diag" for call in list(fake.calls)),
                       "the new token")
            self.assertNotIn("unauthorized", results(daemon.page(), "diag"))
            self.assertEqual([], daemon.log(level="warn"))

    def test_readable_by_others(self):
        with Fake() as fake, Daemon(fake, *EVERYTHING) as daemon:
            daemon.wait_well()
            self.assertEqual([], daemon.log(level="warn"))
            daemon.token_file.chmod(0o644)
            line = wait_until(lambda: daemon.log(level="warn"), "a warning")[0]
            self.assertEqual(str(daemon.token_file), line["file"])
            let_ask(fake)
            self.assertEqual(1, len(daemon.log(level="warn")))


for of in fakes.RELEASES:
    for name, left in (("bad", 3600), ("expired", -5)):
        setattr(Refusals, f"test_{name}_{of.replace('.', '_')}", lambda self, r=of, s=left: self.refused(r, s))


def load_tests(loader, tests, pattern):
    return all_at_once(tests)


if __name__ == "__main__":
    unittest.main()
