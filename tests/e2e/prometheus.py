"""A real Prometheus on loopback that scrapes a slurmscope every second, or does what a given configuration says."""

import json
import os
import signal
import subprocess
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

from harness import PATIENCE, free_port

CONFIG = """
global: {{scrape_interval: 1s, scrape_timeout: 1s}}
scrape_configs:
- job_name: slurmscope
  static_configs: [{{targets: ["127.0.0.1:{port}"]}}]
"""


class Prometheus:
    """On loopback, with its data in a folder that goes away, or in the one that is given."""

    def __init__(self, program, daemon, config=None, flags=(), environment=None, data=None):
        self.program, self.daemon, self.flags, self.data = program, daemon, flags, data
        self.environment = os.environ | (environment or {})
        self.config = config or CONFIG.format(port=daemon.port)

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="slurmscope-prometheus-")
        config = Path(self.folder.name, "prometheus.yml")
        config.write_text(self.config)
        self.port = free_port()
        self.log = Path(self.folder.name, "log")
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [self.program, f"--config.file={config}",
                 f"--storage.tsdb.path={self.data or config.parent / 'data'}",
                 f"--web.listen-address=127.0.0.1:{self.port}", *self.flags],
                stdout=log, stderr=log, env=self.environment)
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.folder.cleanup()

    def get(self, path, **query):
        url = f"http://127.0.0.1:{self.port}/api/v1/{path}?{urllib.parse.urlencode(query)}"
        try:
            with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
                return json.load(answer)["data"]
        except (urllib.error.URLError, ConnectionError):
            assert self.process.poll() is None, self.log.read_text()
            return None

    def query(self, expression):
        """{labels as a sorted tuple: value}"""
        data = self.get("query", query=expression) or {"result": []}
        return {tuple(sorted(row["metric"].items())): float(row["value"][1])
                for row in data["result"]}

    def value(self, expression):
        """The value of an expression that has one; None while it has none."""
        return next(iter(self.query(expression).values()), None)
