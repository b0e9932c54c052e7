"""An image as a folder, and its container started by chroot."""

import contextlib
import json
import os
import signal
import subprocess
import tempfile
from pathlib import Path

from kubernetes import ROOT

CONTAINERFILE = ROOT / "deploy/container/Containerfile"
PATIENCE = 90

# What a runtime does, as far as it matters here: $1 is the root, read-only but for what is mounted; then SOURCE TARGET MODE...,
# --, the user, and what is started. Network and host names are the machine's.
START = """
set -e
root=$1; shift
mount --make-rprivate /
mount --bind "$root" "$root"
while [ "$1" != -- ]; do
	if [ -d "$1" ]; then mkdir -p "$root$2"; else touch "$root$2"; fi
	mount --bind "$1" "$root$2"
	[ "$3" = rw ] || mount -o remount,bind,ro "$root$2"
	shift 3
done
shift; user=$1; shift
mkdir -p "$root/proc"
mount -t proc proc "$root/proc"
mount -o remount,bind,ro "$root"
exec setpriv --no-new-privs --bounding-set=-all,+setuid,+setgid,+sys_chroot chroot --userspec="$user" --groups="${user#*:}" "$root" "$@"
"""


def instructions():
    """(instruction, its words or text) of the Containerfile, comments and line ends taken out."""
    text = "\n".join(line for line in CONTAINERFILE.read_text().splitlines() if not line.startswith("#"))
    for line in text.replace("\\\n", " ").splitlines():
        if line.strip():
            name, _, rest = line.partition(" ")
            yield name, rest.strip()


class Image:
    """A root, and how it is to be started."""

    def __init__(self, root, config):
        self.root, self.config = Path(root), config

    @classmethod
    def built(cls, folder):
        """What build_image has left there."""
        return cls(Path(folder, "root"), json.loads(Path(folder, "config.json").read_text())["OCIv1"]["config"])

    @classmethod
    def of_this_machine(cls, root, program):
        """The last stage without an engine, with this machine's libraries."""
        all = list(instructions())
        last = dict(all[[name for name, _ in all].index("FROM", [name for name, _ in all].index("FROM") + 1):])
        assert (last["FROM"], last["COPY"]) == ("scratch", "--from=build /image/ /") and "RUN" not in last, last
        assert "/src/deploy/container/collect /build/bin/slurmscope /image" in dict(all)["RUN"]
        subprocess.run([ROOT / "deploy/container/collect", program, root], check=True)
        return cls(root, {"User": last["USER"], "Entrypoint": json.loads(last["ENTRYPOINT"]), "Cmd": json.loads(last["CMD"]),
                          "ExposedPorts": {f"{last['EXPOSE']}/tcp": {}}, "Volumes": {last["VOLUME"]: {}},
                          "StopSignal": last["STOPSIGNAL"]})


class Container:
    """An image that runs: `mounts` are (folder, path, ro or rw)."""

    def __init__(self, image, arguments, user, mounts, log):
        with open(log, "wb") as out:
            self.unshare = subprocess.Popen(
                ["unshare", "--mount", "--pid", "--ipc", "--fork", "sh", "-c", START, "sh", image.root,
                 *(part for mount in mounts for part in mount), "--", user,
                 *image.config["Entrypoint"], *arguments],
                env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        self.log = Path(log)

    def __enter__(self):
        return self

    @property
    def pid(self):
        """The machine's number of the container's process 1."""
        children = Path(f"/proc/{self.unshare.pid}/task/{self.unshare.pid}/children").read_text().split()
        return int(children[0]) if children else None

    def stop(self):
        if self.unshare.poll() is None and (pid := self.pid):
            os.kill(pid, signal.SIGTERM)
        return self.unshare.wait(PATIENCE)

    def __exit__(self, *_):
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.stop()
        if self.unshare.poll() is None:
            os.kill(self.pid, signal.SIGKILL)
            self.unshare.wait()


class Volume:
    """A ConfigMap or Secret as the kubelet mounts it: links into a folder that is exchanged in one step."""

    def __init__(self, folder, files, mode=0o644, group=0):
        self.folder, self.mode, self.group = Path(folder), mode, group
        self.folder.mkdir()
        self.write(files)
        for name in files:
            (self.folder / name).symlink_to(f"..data/{name}")

    def write(self, files):
        new = Path(tempfile.mkdtemp(prefix="..", dir=self.folder))
        new.chmod(0o755)
        for name, text in files.items():
            path = new / name
            path.write_text(text)
            path.chmod(self.mode)
            os.chown(path, 0, self.group)
        link = self.folder / "..data_tmp"
        link.symlink_to(new.name)
        link.rename(self.folder / "..data")
