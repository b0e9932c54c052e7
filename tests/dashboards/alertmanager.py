"""Debian's Alertmanager on loopback, unpacked by tests/run and not installed."""

import json
import os
import re
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(os.environ.get("SLURMSCOPE_CACHE", "/var/cache/slurmscope")) / "alertmanager"
BIN = ROOT / "usr/bin"
PATIENCE = 90

# It reads its templates in /usr/share, where they are not: it is shown them there.
WITH_ITS_FILES = """
mount -t overlay overlay -o "lowerdir=$1/usr/share:/usr/share" /usr/share && shift && exec "$@"
"""


class Alertmanager:
    def __init__(self, config, *options):
        self.config = config
        self.options = options or ["--cluster.listen-address="]  # without another

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="slurmscope-alertmanager-")
        self.log = open(f"{self.folder.name}/log", "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            ["unshare", "--mount", "sh", "-c", WITH_ITS_FILES, "sh", ROOT, BIN / "prometheus-alertmanager",
             f"--config.file={self.config}", *self.options,
             f"--storage.path={self.folder.name}", "--web.listen-address=127.0.0.1:0"],
            stdout=self.log, stderr=self.log)
        end = time.monotonic() + PATIENCE
        while not (found := re.search(r"address=127\.0\.0\.1:(\d+)", self.said())):
            assert time.monotonic() < end and self.process.poll() is None, self.said()
            time.sleep(0.05)
        self.url = f"http://127.0.0.1:{found[1]}"
        return self

    def said(self):
        self.log.seek(0)
        return self.log.read()

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(PATIENCE)
        self.log.close()
        self.folder.cleanup()

    def post(self, fired, annotations={}):
        request = urllib.request.Request(
            f"{self.url}/api/v2/alerts", json.dumps([{"labels": labels, "annotations": annotations} for labels in fired]).encode(),
            {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            assert answer.status == 200

    def alerts(self):
        with urllib.request.urlopen(f"{self.url}/api/v2/alerts", timeout=PATIENCE) as answer:
            return json.load(answer)

    def hears_of_its_peer(self):
        """Whether the other one of a pair has told it anything since both were started, for example that it has sent a message."""
        with urllib.request.urlopen(f"{self.url}/metrics", timeout=PATIENCE) as answer:
            return bool(re.search(rb'^alertmanager_cluster_messages_received_total\{msg_type="update"\} [1-9]', answer.read(), re.M))
