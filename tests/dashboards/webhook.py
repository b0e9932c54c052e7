"""The receiver of Alertmanager's messages: a webhook on loopback that keeps them, with times."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple


class Message(NamedTuple):
    at: float  # monotonic
    is_firing: bool
    labels: dict
    annotations: dict
    begun: str  # Prometheus' time of it, which with the labels is this alert and no later one

    @property
    def name(self):
        return self.labels["alertname"]

    def is_of(self, name, labels):
        return self.name == name and labels.items() <= self.labels.items()

    def __str__(self):
        rest = ", ".join(f"{name}={value}" for name, value in sorted(self.labels.items()) if name != "alertname")
        return f"{self.name}{{{rest}}}"


class Webhook:
    """Each alert that began and each that ended, once: a message tells of its whole group again."""

    def __init__(self):
        self.told = []
        self.known = set()
        self.lock = threading.Lock()
        webhook = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                webhook.note(json.loads(body)["alerts"])
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def note(self, alerts):
        with self.lock:
            for alert in alerts:
                key = alert["status"], alert["startsAt"], tuple(sorted(alert["labels"].items()))
                if key not in self.known:
                    self.known.add(key)
                    self.told.append(Message(time.monotonic(), alert["status"] == "firing", alert["labels"],
                                             alert["annotations"], alert["startsAt"]))

    def messages(self):
        with self.lock:
            return list(self.told)
