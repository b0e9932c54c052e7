"""Fresh systems of Debian: a chroot with nothing but what debootstrap brings, and systemd that runs in it."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(SOURCE / "tests/sim"), str(SOURCE / "tests/e2e")]
from harness import wait_until  # noqa: E402

CACHE = Path(os.environ.get("SLURMSCOPE_CACHE", "/var/cache/slurmscope"), "package")
# A process of its own for each command, whose mounts end with it.
INSIDE = """
root=$1 archives=$2; shift 2
mount --bind "$root" "$root" # rpm wants / to be a mount
mount -t proc proc "$root/proc"
mount --bind "$archives" "$root/var/cache/apt/archives"
exec chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
"""
# systemd as the first process of its own namespaces; with $3 (--net) of the network, too. Control groups need no controllers.
BOOT = """
mkdir -p "$2"
echo $$ >"$2/cgroup.procs"
exec unshare --mount --pid --fork --uts --ipc --cgroup $3 sh -euc '
[ -z "$2" ] || { ip link set lo up; ip address add 192.0.2.1/32 dev lo; } # resolvers find nothing with 127.0.0.1 alone
mount --make-rprivate /
mount --bind "$1" "$1"
cd "$1"
mount -t proc proc proc
mount --bind proc/sys proc/sys
mount -o remount,ro,bind proc/sys
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
for folder in dev run tmp var/tmp; do mount -t tmpfs tmpfs $folder; done
for device in null zero full random urandom tty; do cp -a /dev/$device dev/; done
ln -s /proc/self/fd dev/fd
ln -s pts/ptmx dev/ptmx
mkdir dev/shm dev/pts dev/mqueue
mount -t devpts devpts dev/pts
exec chroot . /usr/bin/env -i container=chroot PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd
' sh "$1" "$3"
"""


def said(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise AssertionError(f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout.strip()


def mirror():
    lines = said("apt-get", "indextargets", "--format", "$(SITE)", "Created-By: Packages", "Label: Debian").splitlines()
    return lines[:1]  # debootstrap has a default


class Chroot:
    """A system with nothing but what debootstrap brings, made once and copied."""

    def __init__(self, suite, name):
        self.root, self.archives = CACHE / f"{name}-{suite}", CACHE / f"archives-{suite}"
        base, new = CACHE / f"base-{suite}", CACHE / f"base-{suite}.new"
        (self.archives / "partial").mkdir(parents=True, exist_ok=True)
        if not base.exists():
            shutil.rmtree(new, ignore_errors=True)
            # older debootstraps have no script for the newest; all are like sid
            said("debootstrap", "--variant=minbase", suite, new, *mirror(), "/usr/share/debootstrap/scripts/sid")
            # mirrors that are snapshots outlive their validity
            (new / "etc/apt/apt.conf.d/90tests").write_text(
                'Acquire::Check-Valid-Until "false";\nAPT::Keep-Downloaded-Packages "true";\n'
                + "".join(line + "\n" for line in said("apt-config", "dump").splitlines() if re.match("Acquire::https?::Proxy", line)))
            new.rename(base)
        shutil.rmtree(self.root, ignore_errors=True)
        said("cp", "-a", base, self.root)
        shutil.copy("/etc/resolv.conf", self.root / "etc/resolv.conf")
        self.run("apt-get", "update", "-qq")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.root)

    def command(self, *words):
        return ["unshare", "--mount", "sh", "-euc", INSIDE, "sh", str(self.root), str(self.archives), *map(str, words)]

    def run(self, *words):
        return said(*self.command(*words))

    def install(self, *packages):
        return self.run("apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages)


class Booted:
    """A chroot in which systemd runs; with a network of its own it reaches nothing but itself."""

    def __init__(self, chroot, has_own_network=False):
        self.root = chroot.root
        self.log = open(CACHE / "log.boot", "wb")
        self.group = Path(said("findmnt", "-fnro", "TARGET", "-t", "cgroup2")) / f"slurmscope-{self.root.name}"
        self.process = subprocess.Popen(["sh", "-euc", BOOT, "sh", self.root, self.group, "--net" * has_own_network],
                                        stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)

    def __enter__(self):
        self.first = wait_until(self.find_first, "systemd")
        wait_until(lambda: self.tried("systemctl", "is-active", "multi-user.target").returncode == 0, self.journal)
        return self

    def find_first(self):
        with contextlib.suppress(OSError):
            for child in Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split():
                if Path(f"/proc/{child}/comm").read_text() == "systemd\n":
                    return child
        return None

    def __exit__(self, *_):
        os.kill(int(self.first), signal.SIGKILL)  # and all with it
        self.process.wait()
        self.log.close()
        wait_until(lambda: "populated 0" in (self.group / "cgroup.events").read_text(), "all to end")
        said("find", self.group, "-depth", "-type", "d", "-delete")

    def tried(self, *words):
        return subprocess.run(["nsenter", "-t", self.first, "-m", "-u", "-i", "-n", "-p", "-C", "-r", "-w", "env", "-i",
                               "PATH=/usr/sbin:/usr/bin:/sbin:/bin", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)

    def run(self, *words):
        done = self.tried(*words)
        assert done.returncode == 0, f"{words}: {done.stdout}{self.journal()}"
        return done.stdout

    def journal(self):
        return self.tried("journalctl", "-n50", "--no-pager").stdout

    def doctor(self, word):
        """What it says of that, as INSTALL.md has it run."""
        told = self.tried("runuser", "-u", "slurmscope", "--", "slurmscope", "doctor", "--config.file=/etc/slurmscope/slurmscope.yml").stdout
        return re.findall(rf"(?m)^(\S+) +{word} +(.*)$", told)

    def has(self, path, want):
        found = self.run("stat", "-c", "%U:%G %a", path).strip()
        assert found == want, f"{path}: {found}{self.journal()}"
