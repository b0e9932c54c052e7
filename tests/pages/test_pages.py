"""The page for people in a real browser, without scripts. It fits a phone and a desk, and can be read in the light and in the
dark. It loads nothing from elsewhere, and says what is wrong.

    test_pages.py [FOLDER]      where pictures go, to be looked at; ctest takes none"""

import contextlib
import json
import sys
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "e2e"), str(HERE.parent / "sim")]
from chromium import Chromium  # noqa: E402
import fake_slurmrestd as fakes  # noqa: E402
from fake_slurmrestd import Fake, body, make_token  # noqa: E402
from harness import EVERY_SECOND, Daemon, is_up, wait_until  # noqa: E402
from simulator import Simulator  # noqa: E402

PICTURES = Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 and "/" in sys.argv[1] else None
PLACES = ("phone", 360, 780), ("desk", 1280, 900)
CLUSTERS = """interval: {ping: 1, diag: 1, partitions: 1, nodes: 1, jobs: 1}
slurmrestd: {token-file: {folder}/token}
clusters:
  a-cluster-with-a-rather-long-name:
    slurmrestd: {url: "%s"}
  beta:
    slurmrestd: {url: "%s"}
"""

# What text cannot be read: [text, ratio] of each whose contrast is below that of WCAG 2.1 AA.
CONTRAST = """(() => {
    const parse = color => color.match(/[\\d.]+/g).map(Number);
    const light = ([r, g, b]) => [r, g, b].map(c => c / 255).map(c => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4)
        .reduce((sum, c, i) => sum + c * [.2126, .7152, .0722][i], 0);
    const background = element => {
        for (; element; element = element.parentElement) {
            const color = parse(getComputedStyle(element).backgroundColor);
            if (color.length < 4 || color[3] === 1) return color;
            if (color[3] > 0) throw new Error("half a background: " + element.className);
        }
        return [255, 255, 255];
    };
    const found = [];
    let looked = 0;
    for (const element of document.body.querySelectorAll("*")) {
        const text = [...element.childNodes].filter(n => n.nodeType === 3).map(n => n.data.trim()).join("");
        if (!text || !element.getClientRects().length) continue;
        looked++;
        const style = getComputedStyle(element), size = parseFloat(style.fontSize);
        const [a, b] = [light(parse(style.color)), light(background(element))].sort((x, y) => y - x);
        const ratio = (a + .05) / (b + .05), enough = size >= 24 || (size >= 18.66 && style.fontWeight >= 700) ? 3 : 4.5;
        if (ratio < enough) found.push([text.slice(0, 60), ratio, style.color]);
        if (size < 12) found.push([text.slice(0, 60), "is small", size]);
    }
    return [looked, found];
})()"""
# What sticks out of the window, and text that is cut off.
OVERFLOW = """(() => {
    const found = [];
    if (document.documentElement.scrollWidth > innerWidth) found.push(["the page", document.documentElement.scrollWidth, innerWidth]);
    for (const element of document.body.querySelectorAll("*")) {
        const hides = ["hidden", "clip"].includes(getComputedStyle(element).overflowX);
        if (hides && element.scrollWidth > element.clientWidth + 1) found.push([element.className, element.scrollWidth, element.clientWidth]);
    }
    return found;
})()"""


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.chromium = cls.enterClassContext(Chromium())
        if PICTURES:
            PICTURES.mkdir(parents=True, exist_ok=True)

    def look(self, daemon, name, *wanted, path="/"):
        """At the page, in each view, which has to have these words."""
        origin = f"http://127.0.0.1:{daemon.port}"
        for place, width, height in PLACES:
            with self.subTest(page=name, place=place):
                self.assertEqual([], self.chromium.open(origin + path, width, height))
                self.check(f"{name}-{place}", "light", wanted)
                self.assertEqual([], self.chromium.turn("dark"))
                self.check(f"{name}-{place}", "dark", wanted)
                self.assertTrue(self.chromium.requested())
                self.assertEqual([], [url for url in self.chromium.requested() if not url.startswith(origin + "/")])

    def check(self, view, scheme, wanted):
        """What is shown."""
        self.assertEqual(scheme == "dark", self.chromium.evaluate("matchMedia('(prefers-color-scheme: dark)').matches"))
        self.assertEqual([], self.chromium.evaluate(OVERFLOW))
        looked, found = self.chromium.evaluate(CONTRAST)
        self.assertGreater(looked, 20)
        self.assertEqual([], found)
        text = self.chromium.evaluate("document.body.innerText")
        for words in wanted:
            self.assertIn(words, text)
        if PICTURES:
            self.chromium.picture(PICTURES / f"{view}-{scheme}.png")

    def test_well(self):
        """A large cluster, and its jobs."""
        with Simulator("--nodes=3000", "--jobs=5000", "--users=200", "--release=26.05", "--speed=1",
                       f"--epoch={int(time.time())}") as sim, Daemon(None, url=sim.url) as daemon:
            wait_until(lambda: daemon.request("/-/ready")[0] == 200, daemon.log_text)
            self.look(daemon, "well", "3,000", "The cluster shows no trouble", "The exporter is well", "Why jobs wait")
            self.look(daemon, "well-again", "Let it stand", path="/?refresh=3600")
            stages = json.loads(daemon.request("/api/v1/jobs")[2])["clusters"][0]
            self.look(daemon, "jobs", "jobs that hold nodes", "What helps", path="/jobs")
            for state in ("pending", "running"):
                self.look(daemon, f"jobs-{state}", "All", path=f"/jobs?state={state}&sort=cpus")
                self.look(daemon, f"job-{state}", "Submit time", path=f"/jobs?id={stages[state]['jobs'][0]['id']}")

    def test_slurmrestd_down(self):
        with Fake("24.11.5") as fake, Daemon(fake, *EVERY_SECOND) as daemon:
            daemon.wait_well()
            fake.refuse()
            daemon.wait_for(lambda page: is_up(page, "ping") == 0, "it is away")
            self.look(daemon, "slurmrestd-down", "The exporter is in trouble", f"slurmrestd at {fake.url} has not answered")

    def test_token(self):
        with Fake(key=fakes.KEY) as fake, Daemon(fake, *EVERY_SECOND, token=make_token(-600)) as daemon:
            daemon.wait_for(lambda page: is_up(page, "diag") == 0, "it is refused")
            self.look(daemon, "token", "The exporter is in trouble", "The token of scope expired")

    def test_one_fails(self):
        with Fake() as fake, Daemon(fake, *EVERY_SECOND) as daemon:
            daemon.wait_well()
            fake.behave(body(b"{}", "500 INTERNAL ERROR"), ["nodes"])
            daemon.wait_for(lambda page: is_up(page, "nodes") == 0, "nodes fail")
            self.look(daemon, "nodes-fail", "The exporter needs a look", "nodes has failed for")

    def test_configuration(self):
        with Fake() as fake, Daemon(fake, config=f'slurmrestd: {{url: "{fake.url}", token-file: {{folder}}/token}}\n') as daemon:
            daemon.wait_well()
            daemon.reload("junk: 1\n")
            self.look(daemon, "configuration", "The new configuration is invalid", "1:1: junk: unknown")

    def test_clusters(self):
        with Fake() as first, Fake("24.11.5") as second, contextlib.ExitStack() as stack:
            second.refuse()
            daemon = stack.enter_context(Daemon(first, config=CLUSTERS % (first.url, second.url)))
            wait_until(lambda: daemon.request("/?cluster=beta")[0] == 200, daemon.log_text)
            wait_until(lambda: b"has not answered" in daemon.request("/?cluster=beta")[2], daemon.log_text)
            self.look(daemon, "clusters", "a-cluster-with-a-rather-long-name", "beta")
            self.look(daemon, "clusters-beta", "has not answered", path="/?cluster=beta")


if __name__ == "__main__":
    unittest.main()
