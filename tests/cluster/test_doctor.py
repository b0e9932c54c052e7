#!/usr/bin/env python3
"""`slurmscope doctor` on a real Slurm: all is well, then one thing after the other is broken. The test compares what doctor
says with the page and the log of a running slurmscope. The token comes from deploy/token all the while.
usage: test_doctor.py CLUSTER    (with its workload, see `with`; SLURMSCOPE is the binary)"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
from fake_slurmrestd import make_token  # noqa: E402
from harness import BACK_OFF, EVERY_SECOND, SLURMSCOPE, Daemon, asked_since, free_port, is_up, results, wait_until  # noqa: E402
from real_slurm import Cluster, check  # noqa: E402

CACHE = os.environ.get("SLURMSCOPE_CACHE", "/var/cache/slurmscope")
FAKETIME = f"{CACHE}/faketime/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"
DROP_IN = HERE.parent.parent / "deploy/slurmrestd/slurmscope.conf"
SCRIPT = HERE.parent.parent / "deploy/token/slurmscope-token"
CONTROLLER = 'slurm_controller_up{controller="controller",role="primary"}'
PRIVATE = "PrivateData=accounts,jobs,reservations,usage,users\n"


def settle(daemon):
    """Everything is up again, for the slurmscope that runs."""
    began, down = time.time(), []

    def is_well(page):
        down[:] = [endpoint for endpoint in ("ping", "diag", "nodes", "partitions", "job_states", "qos")
                   if not asked_since(page, began, [endpoint])]
        return not down
    return daemon.wait_for(is_well, lambda: f"{down} to be well", BACK_OFF)


def watch():
    return Daemon(None, *EVERY_SECOND, "--jobs.read=auto", "--interval.dbd_ping=1", "--interval.qos=1",
                  "--interval.job_states=1", url=SLURM.url,
                  credentials=[f"--slurmrestd.token-file={TOKEN.file}"])


class Token:
    """A token file that deploy/token's script writes, run inside the cluster as its timer would run it."""

    def __init__(self, root):
        self.inside = Path("/run/token")
        self.folder = root / "run/token"
        shutil.rmtree(self.folder, ignore_errors=True)  # of a test that was killed
        self.folder.mkdir()
        self.file = self.folder / "token"
        shutil.copy(SCRIPT, root / "var/slurmscope-token")

    def refresh(self, lifespan="7200", **environment):
        return subprocess.run(
            SLURM.command("exec", "env", "SLURMSCOPE_TOKEN_USER=scope",
                          *(f"{name}={value}" for name, value in environment.items()),
                          f"SLURMSCOPE_TOKEN_LIFESPAN={lifespan}", f"SLURMSCOPE_TOKEN_FILE={self.inside}/token",
                          "SLURMSCOPE_TOKEN_OWNER=slurm:scope", "SLURM_JWT=of.somebody.else", "/var/slurmscope-token"),
            capture_output=True, text=True)


def doctor(*options, **environment):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [SLURMSCOPE, "doctor", f"--slurmrestd.url={SLURM.url}", f"--slurmrestd.token-file={TOKEN.file}",
             f"--state.path={folder}/state", f"--web.listen-address=127.0.0.1:{free_port()}", *options],
            capture_output=True, text=True, timeout=600, env=os.environ | environment)
    check(f"doctor ended with {done.returncode}, in words", done.returncode in (0, 1) and not done.stderr, done.stderr)
    secret = TOKEN.file.read_text().rpartition(".")[2].strip()
    check("no token is shown", secret not in done.stdout)
    return done


def told(title, done, *wanted):
    """The lines that do not begin with `ok`; each of the patterns is among them."""
    wrong = [line for line in done.stdout.splitlines()[:-1] if not line.startswith("ok")]
    print("\n".join(f"     doctor: {line}" for line in wrong))
    for pattern in wanted:
        check(f"{title}: doctor says {pattern!r}", any(re.search(pattern, line) for line in wrong), done.stdout)
    check(f"{title}: doctor fails", done.returncode == 1, done.stdout)


def shown(daemon, since, page, *series):
    for name in series:
        print(f"     page: {name} {page.get(name, 'is absent')}")
    for line in daemon.log()[since:]:
        if line["level"] != "info":
            print(f"     log: {line['msg']}: {line.get('endpoint', '')} {line.get('error', '')}")


def token_file():
    """A reader sees a whole token at any time; a refresh that fails leaves the old one."""
    seen, stop = set(), threading.Event()

    def read():
        while not stop.is_set():
            if TOKEN.file.exists():
                seen.add(TOKEN.file.read_text())
    reader = threading.Thread(target=read)
    reader.start()
    first = TOKEN.refresh()
    for _ in range(3):
        second = int(time.time())
        wait_until(lambda: time.time() >= second + 1, "the next second, for a token's times are whole ones")
        check("a token is refreshed", TOKEN.refresh().returncode == 0)
    stop.set()
    reader.join()
    check("deploy/token writes a token", first.returncode == 0, first.stderr)
    check(f"its {len(seen)} tokens were whole whenever they were read", len(seen) > 1 and
          all(re.fullmatch(r"SLURM_JWT=[\w-]+\.[\w-]+\.[\w-]+\n", text) for text in seen), seen)
    status = TOKEN.file.stat()
    ids = [int(SLURM.ask("exec", "id", kind, name)) for kind, name in (("-u", "slurm"), ("-g", "scope"))]
    check("it is its group's to read", (status.st_mode & 0o7777, status.st_uid, status.st_gid) == (0o640, *ids), status)
    before = TOKEN.file.read_text()
    failed = TOKEN.refresh(SLURM_CONF="/nonexistent")
    check("when scontrol fails the old one stays",
          failed.returncode != 0 and "slurmscope-token:" in failed.stderr and TOKEN.file.read_text() == before, failed)
    check("nothing is left beside it", [path.name for path in TOKEN.folder.iterdir()] == ["token"])


def well(daemon):
    """An answer that comes late on a busy machine is a warning; one that stays is wrong."""
    done = doctor()
    for _ in range(2):
        if "0 warnings, 0 failures" not in done.stdout:
            print(re.sub(r"(?m)^", "     once more: ", done.stdout.rstrip()))
            done = doctor()
    print(re.sub(r"(?m)^", "     ", done.stdout.rstrip()))
    check("all is well", done.returncode == 0 and "0 warnings, 0 failures" in done.stdout and
          not re.search("(?m)^(warn|FAIL)", done.stdout), done.stdout)
    release = re.search(r"Slurm (\d+\.\d+)", done.stdout)
    check("the release is named", release and release[1] == SLURM.release)
    check("others' jobs are seen", "other users' jobs" in done.stdout)


def wrong_url(daemon):
    port = free_port()
    told("wrong URL", doctor(f"--slurmrestd.url=http://127.0.0.1:{port}"), r"FAIL +url .*Couldn't connect.*is slurmrestd running")
    with Daemon(None, *EVERY_SECOND, url=f"http://127.0.0.1:{port}", token=make_token()) as lost:
        page = lost.wait_for(lambda page: is_up(page, "ping") == 0 and is_up(page, "diag") == 0)
        shown(lost, 0, page, 'slurmscope_endpoint_up{endpoint="diag"}', CONTROLLER)
        check("wrong URL: nothing is said of slurmctld", CONTROLLER not in page)


def expired_token(daemon):
    lines = len(daemon.log())
    check("a token of a second", TOKEN.refresh(lifespan="1").returncode == 0)
    written = time.time()
    wait_until(lambda: time.time() > written + 2, "the token's end")
    told("expired token", doctor(), r"FAIL +token .*expired at", r"FAIL +login .*has expired.*slurmscope-token")
    page = daemon.wait_for(lambda page: results(page, "diag").get("unauthorized"), "a refusal")
    shown(daemon, lines, page, 'slurmscope_endpoint_up{endpoint="diag"}', "slurmscope_token_expiry_timestamp_seconds", CONTROLLER)
    check("expired token: slurmctld is not called down", page.get(CONTROLLER) != 0)
    check("a new token", TOKEN.refresh().returncode == 0)
    settle(daemon)
    good = TOKEN.file.read_text()
    TOKEN.file.write_text(good.rstrip()[:-6] + "AAAAAA\n")
    told("another key", doctor(), r"FAIL +login .*although it is valid by this machine's clock")
    TOKEN.file.write_text(good)
    settle(daemon)


def no_slurmdbd(daemon):
    lines = len(daemon.log())
    with SLURM.without("slurmdbd"):
        told("no slurmdbd", doctor(), r"FAIL +slurmdbd .*does not answer", r"FAIL +qos .*HTTP 50\d")
        page = daemon.wait_for(lambda page: page.get("slurm_dbd_up") == 0, "slurmdbd to be missed")
        shown(daemon, lines, page, "slurm_dbd_up", 'slurmscope_endpoint_up{endpoint="qos"}', CONTROLLER)
        check("no slurmdbd: slurmctld is not called down", page.get(CONTROLLER) == 1)
    settle(daemon)


def private_data(daemon):
    files = [SLURM.root / "etc/slurm" / name for name in ("slurm.conf", "slurmdbd.conf")]
    before = [file.read_text() for file in files]

    def become(texts):
        for file, text in zip(files, texts):
            file.write_text(text)
        # slurmctld would tell each slurmd, too, to read it again: one that waits for an epilog then spins until that has ended
        for name in "slurmdbd", "slurmctld":
            SLURM.ask("restart", name)
    try:
        become([text + PRIVATE for text in before])
        by_conf = [r"FAIL +AdminLevel .*PrivateData=accounts,jobs"] if SLURM.release == "26.05" else []
        told("PrivateData", doctor(), *by_conf, r"FAIL +sees .*jobs: .* (hidden|visible), because of PrivateData.*sacctmgr add user scope",
             r"warn +sees .*no associations of other users|FAIL +associations .*denied")
        with watch() as other:  # who has seen all jobs before asks for them again only in turn
            page = other.wait_for(lambda page: page.get("slurmscope_jobs_without_details", 0) > 0 and results(page, "job"),
                                  "details to be missing")
            shown(other, 0, page, "slurmscope_jobs_without_details", 'slurmscope_endpoint_up{endpoint="job"}')
        SLURM.ask("exec", "sacctmgr", "-i", "add", "user", "scope", "account=unused", "adminlevel=operator")
        end = time.monotonic() + 600  # slurmctld hears of it from slurmdbd, which was restarted
        while (done := doctor()).returncode and time.monotonic() < end:
            time.sleep(3)
        check("an operator sees all", "scope is Operator" in done.stdout and "other users' jobs" in done.stdout and
              done.returncode == 0, done.stdout)
    finally:
        become(before)
        SLURM.try_to("exec", "sacctmgr", "-i", "delete", "user", "scope")  # it may not have been added yet


def clock_off(daemon):
    for offset, way in (("-5m", "ahead of"), ("+5m", "behind")):
        env = {"LD_PRELOAD": FAKETIME, "FAKETIME": offset, "ASAN_OPTIONS": "verify_asan_link_order=0"}
        told("clock off", doctor(**env), rf"FAIL +clock .*slurmctld's clock is (29\d|30\d) s {way}")


def main():
    settings = re.findall(r"(?m)^Environment=(\S+)", DROP_IN.read_text())
    check("libfaketime is at hand", Path(FAKETIME).exists(), FAKETIME)
    SLURM.ask("restart", "slurmrestd", SLURMRESTD_ENVIRONMENT=" ".join(settings))
    try:
        token_file()
        with watch() as daemon:
            settle(daemon)
            for step in well, wrong_url, expired_token, no_slurmdbd, clock_off, private_data:
                print(f"== {step.__name__}")
                step(daemon)
    finally:
        SLURM.ask("restart", "slurmrestd")
    print(f"{SLURM.name}: doctor says what is wrong")


if __name__ == "__main__":
    SLURM = Cluster(sys.argv[1])
    TOKEN = Token(SLURM.root)
    main()
