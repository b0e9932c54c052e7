"""A headless Chromium, driven over its DevTools pipe (JSON, NUL at the end, on descriptors 3 and 4)."""

import base64
import json
import os
import select
import subprocess
import tempfile
import time

PATIENCE = 60


class Chromium:
    def __init__(self):
        self.profile = tempfile.TemporaryDirectory(prefix="slurmscope-chromium-", ignore_cleanup_errors=True)
        theirs, self.to = os.pipe()
        self.back, ours = os.pipe()

        def wire():
            a, b = os.dup(theirs), os.dup(ours)  # out of the way of 3 and 4
            os.dup2(a, 3)
            os.dup2(b, 4)
        self.process = subprocess.Popen(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe",
             "--no-first-run", "--disable-extensions", "--disable-background-networking", f"--user-data-dir={self.profile.name}",
             "about:blank"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=wire, close_fds=False)
        os.close(theirs)
        os.close(ours)
        self.data, self.number, self.events = b"", 0, []
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Log", "Runtime", "Network"):
            self.call(f"{domain}.enable")
        # What people may have switched off. (Runtime.evaluate, below, is the browser's own and goes on.)
        self.call("Emulation.setScriptExecutionDisabled", value=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.session = None
            self.call("Browser.close")
            self.process.wait(PATIENCE)
        finally:
            self.process.kill()
            self.process.wait()
            os.close(self.to)
            os.close(self.back)
            self.profile.cleanup()

    def receive(self):
        end = time.monotonic() + PATIENCE
        while b"\0" not in self.data:
            if not select.select([self.back], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("Chromium says nothing")
            more = os.read(self.back, 1 << 20)
            if not more:
                raise EOFError("Chromium ended")
            self.data += more
        message, _, self.data = self.data.partition(b"\0")
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while (answer := self.receive()).get("id") != self.number:
            self.events.append(answer)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def open(self, url, width, height, scheme="light"):
        """Shows the page; returns what the browser complained about: console, policy, what could not be loaded."""
        self.events.clear()
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.turn(scheme)
        self.call("Page.navigate", url=url)
        end = time.monotonic() + PATIENCE
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            if time.monotonic() > end:
                raise TimeoutError(f"{url} does not load")
            self.events.append(self.receive())
        self.evaluate("document.fonts.ready.then(() => 0)")
        return self.complaints()

    def turn(self, scheme):
        """Light or dark, also the page that is shown; returns what the browser has complained about."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        return self.complaints()

    def complaints(self):
        return [event["params"] for event in self.events
                if event.get("method") in ("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Network.loadingFailed")]

    def requested(self):
        """What was loaded for the page that is shown."""
        return [event["params"]["request"]["url"] for event in self.events if event.get("method") == "Network.requestWillBeSent"]

    def evaluate(self, expression):
        done = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in done:
            raise RuntimeError(done["exceptionDetails"])
        return done["result"].get("value")

    def picture(self, path, top=0, height=None):
        """Of the whole page, or a part of it."""
        width, whole = self.evaluate("[innerWidth, document.documentElement.scrollHeight]")
        clip = {"x": 0, "y": top, "width": width, "height": min(height or whole, whole - top), "scale": 1}
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))
