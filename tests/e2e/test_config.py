"""Configuration files: what they say holds, is read again at SIGHUP, and several clusters stand beside each other."""

import contextlib
import json
import re
import signal
import tempfile
import threading
import time
import unittest
from pathlib import Path

import fake_slurmrestd as fakes
from fake_slurmrestd import ENDPOINTS, Fake, make_token
from harness import Daemon, all_at_once, is_up, results, run, samples, wait_until

EVERY_SECOND = "interval: {ping: 1, diag: 1, partitions: 1, nodes: 1, jobs: 1}\n"
ONE = "slurmrestd: {url: \"%s\", token-file: {folder}/token}\n" + EVERY_SECOND
RELOADED = "slurmscope_config_last_reload_successful"
RELOAD_TIME = "slurmscope_config_last_reload_success_timestamp_seconds"


def of(cluster, page):
    """The cluster's part of the page, without the labels that all of it has."""
    constant = re.compile(r'\b(?:cluster|site|hall)="\w+",?')
    return {constant.sub("", series).replace("{}", ""): value for series, value in page.items()
            if f'cluster="{cluster}"' in series}


def are_up(page):
    return all(is_up(page, endpoint) for endpoint in ENDPOINTS)


def two(first, second, more="", first_more="", second_more=""):
    return (f"{EVERY_SECOND}slurmrestd: {{token-file: {{folder}}/token}}\n{more}clusters:\n"
            f"  alpha:\n    slurmrestd: {{url: \"{first}\"}}\n{first_more}"
            f"  beta:\n    slurmrestd: {{url: \"{second}\"}}\n{second_more}")


class Reload(unittest.TestCase):
    def test_file_holds(self):
        with Fake() as fake, Daemon(fake, config="labels: {site: \"a\\\"b\", hall: x}\n" + ONE % fake.url) as daemon:
            page = daemon.wait_for(
                lambda page: any("endpoint_up{" in series for series in page) and
                page.get('slurm_nodes_total{site="a\\"b",hall="x"}', 1) and
                any(series.startswith("slurm_cluster_nodes{") for series in page), "nodes")
            self.assertEqual(set(), {series for series in page
                                     if not re.search(r'\{site="a\\"b",hall="x"[,}]', series)})
            self.assertEqual(1, page[RELOADED + '{site="a\\"b",hall="x"}'])

    def test_command_line_goes_first(self):
        with Fake() as fake, Fake() as other, \
                Daemon(fake, f"--slurmrestd.url={fake.url}", config=ONE % other.url) as daemon:
            daemon.wait_for(are_up)
            self.assertEqual([], other.calls)

    def test_good_bad_and_back(self):
        before = time.time()
        with Fake() as fake, Daemon(fake, config=ONE % fake.url) as daemon:
            page = daemon.wait_for(are_up)
            began = page[RELOAD_TIME]
            self.assertEqual(1, page[RELOADED])
            self.assertTrue(before <= began <= time.time(), (before, began))
            self.assertFalse(any(series.startswith("slurm_node_load1{") for series in page))

            good = ONE % fake.url + "nodes: {per-node: full}\n"
            page = daemon.reload(good)
            self.assertEqual(1, page[RELOADED])
            self.assertGreater(page[RELOAD_TIME], began)
            page = daemon.wait_for(lambda page: any(s.startswith("slurm_node_cpus{") for s in page), "all of nodes")
            asked = results(page, "nodes")["ok"]

            for bad, text in ((good + "limt: {users: 1}\n", r"slurmscope\.yml:4:1: limt: unknown"),
                              (good + "limit: {users: -1}\n", r"slurmscope\.yml:4:16: limit\.users: -1 is not"),
                              (good + "state: {path: /nonexistent/x}\n", r"slurmscope\.yml:4:15: state\.path: folder /none"),
                              (good.replace("/token}", "/none}"), r"slurmscope\.yml:1:\d+: slurmrestd\.token-file: .*No such"),
                              (good.replace("http:", "ftp:"), r"slurmscope\.yml:1:\d+: slurmrestd\.url: ftp:"),
                              ("{", r"slurmscope\.yml:2:1: did not find")):
                with self.subTest(bad):
                    lines = len(daemon.log(level="error"))
                    page = daemon.reload(bad)
                    self.assertEqual(0, page[RELOADED])
                    self.assertGreater(page[RELOAD_TIME], began)
                    error, = daemon.log(level="error")[lines:]
                    self.assertEqual("the configuration is invalid; slurmscope goes on with the old one", error["msg"])
                    self.assertRegex(error["error"], text)
            page = daemon.wait_for(lambda page: results(page, "nodes")["ok"] > asked + 1, "nodes to be asked")
            self.assertTrue(any(series.startswith("slurm_node_cpus{") for series in page), "the old one is in force")

            said = daemon.request("/")[2].decode()
            self.assertIn("The new configuration is invalid: ", said)
            self.assertIn("slurmscope.yml:2:1: did not find", said)
            process = json.loads(daemon.request("/api/v1/status")[2])["slurmscope"]
            self.assertFalse(process["configuration"]["newest"])
            self.assertIn("slurmscope.yml:2:1: did not find", process["configuration"]["error"])

            page = daemon.reload(ONE % fake.url)
            self.assertEqual(1, page[RELOADED])
            process = json.loads(daemon.request("/api/v1/status")[2])["slurmscope"]
            self.assertAlmostEqual(page[RELOAD_TIME], process["configuration"].pop("read_timestamp_seconds"), delta=0.001)
            self.assertEqual({"newest": True, "error": None}, process["configuration"])
            self.assertNotIn("cannot be used", daemon.request("/")[2].decode())
            page = daemon.wait_for(lambda page: not any(s.startswith("slurm_node_cpus{") for s in page), "less of nodes")
            self.assertGreater(results(page, "nodes")["ok"], asked, "the counters go on")
            self.assertEqual(1, len({call.connection for call in fake.served_calls}), "the connection stays")

    def test_what_a_running_poller_takes(self):
        with Fake() as fake, Daemon(fake, config=ONE % fake.url) as daemon:
            before = daemon.wait_for(are_up)
            users = {s for s in before if s.startswith("slurm_user_jobs{")}
            self.assertGreater(len(users), 1)
            Path(daemon.folder.name, "second").write_text(make_token(user="second"))
            daemon.reload((ONE % fake.url).replace("/token}", "/second, timeout: 7}").replace("nodes: 1", "nodes: 1h") +
                          "limit: {users: 0}\nlabels: {site: s}\nlog: {level: warn}\n")
            page = daemon.wait_for(lambda page: any(s.startswith('slurm_user_jobs{site="s",') for s in page), "the label")
            self.assertEqual({"other"}, {re.search(r'user="(.*?)"', s)[1] for s in page
                                         if s.startswith("slurm_user_jobs{")})
            # longer where answers are slow
            self.assertGreaterEqual(page['slurmscope_endpoint_interval_seconds{site="s",endpoint="nodes"}'], 3600)
            calls = len(fake.calls)
            wait_until(lambda: len(fake.calls) > calls + 5, "more requests")
            self.assertEqual({"second"}, {fakes.claims_of(call.token)["sun"] for call in fake.calls[calls + 2:]})
            daemon.tokens += {call.token for call in fake.calls}

    def test_token_that_is_not_there_at_the_start(self):
        """The daemon starts and says so. Reloading is stricter, because there is something to lose."""
        with Fake() as fake, Daemon(fake, config=(ONE % fake.url).replace("/token}", "/later}")) as daemon:
            daemon.wait_for(lambda page: results(page, "ping").get("unauthorized"), "no token")
            Path(daemon.folder.name, "later").write_text(make_token())
            daemon.wait_for(are_up)

    def test_another_url(self):
        """Pages are served all the time, and what was counted goes on."""
        with Fake() as fake, Fake() as other, tempfile.TemporaryDirectory() as folder:
            for name, state in (("without a state file", ""), ("with one", f"state: {{path: {folder}/one}}\n"),
                                ("with another", None)):
                first = state if state is not None else f"state: {{path: {folder}/two}}\n"
                second = state if state is not None else f"state: {{path: {folder}/three}}\n"
                with self.subTest(name), Daemon(fake, config=ONE % fake.url + first) as daemon:
                    daemon.wait_for(lambda page: are_up(page) and page.get(
                        "slurm_cluster_job_allocated_cpu_seconds_total", 0) > 0, "something is counted")
                    pages, end = [], threading.Event()

                    def scrape():
                        while not end.wait(0.05):
                            pages.append(daemon.page())
                    scraper = threading.Thread(target=scrape)
                    scraper.start()
                    try:
                        calls = len(other.calls)
                        daemon.reload(ONE % other.url + second)
                        wait_until(lambda: len(other.calls) > calls + 20, "the other one is asked")
                        asked = len(fake.calls)
                        daemon.wait_for(are_up)
                        self.assertLessEqual(len(fake.calls), asked)
                    finally:
                        end.set()
                        scraper.join()
                    self.assertGreater(len(pages), 3)
                    for series in ("slurm_cluster_job_allocated_cpu_seconds_total",
                                   'slurmscope_requests_total{endpoint="ping",result="ok"}'):
                        values = [page.get(series, -1) for page in pages]
                        self.assertEqual(sorted(values), values, series)
                        self.assertGreater(values[0], 0, "the page was empty for a moment")
                    self.assertEqual([], daemon.log(level="error"))

    def test_reload_over_http(self):
        with Fake() as fake, Daemon(fake, "--web.enable-lifecycle", config=ONE % fake.url) as daemon:
            daemon.wait_for(are_up)
            daemon.write_config(ONE % fake.url + "nodes: {per-node: full}\n")
            self.assertEqual(405, daemon.request("/-/reload")[0])
            status, _, text = daemon.request("/-/reload", "POST")
            self.assertEqual((200, b"reloaded\n"), (status, text))
            daemon.wait_for(lambda page: any(s.startswith("slurm_node_cpus{") for s in page), "all of nodes")
            daemon.write_config("nodes: {per-node: some}\n")
            status, _, text = daemon.request("/-/reload", "POST")
            self.assertEqual(500, status)
            self.assertRegex(text.decode(), r"slurmscope\.yml:1:19: nodes\.per-node: some is not one of default, full, off\n$")
            daemon.wait_for(lambda page: page[RELOADED] == 0, "it is in the metrics, too")
        with Fake() as fake, Daemon(fake, config=ONE % fake.url) as daemon:
            self.assertEqual(403, daemon.request("/-/reload", "POST")[0])

    def test_log(self):
        """Its level and its format hold from then on."""
        with Fake() as fake, Daemon(fake, config=ONE % fake.url + "log: {level: error}\n", log=None) as daemon:
            daemon.wait_for(are_up)
            self.assertEqual("", daemon.log_text())
            daemon.write_config(ONE % fake.url + "log: {level: debug, format: json}\n")
            daemon.process.send_signal(signal.SIGHUP)
            wait_until(lambda: '"level":"debug"' in daemon.log_text(), "lines of that level, in that format")

    def test_an_url_where_nobody_is(self):
        with Fake() as fake, Daemon(fake, config=ONE % fake.url) as daemon:
            daemon.wait_for(are_up)
            daemon.reload(ONE % "http://127.0.0.1:1")
            page = daemon.wait_for(lambda page: is_up(page, "ping") == 0, "the old page stays")
            self.assertFalse(any(series.startswith("slurm_cluster_nodes{") for series in page))

    def test_what_holds_from_the_next_start_on(self):
        with Fake() as fake, Daemon(fake, config=ONE % fake.url) as daemon:
            daemon.wait_for(are_up)
            daemon.reload(ONE % fake.url + "web: {telemetry-path: /other}\n")
            wait_until(lambda: [line["option"] for line in daemon.log(level="warn")] == ["web.telemetry-path"], "a warning")
            self.assertEqual(200, daemon.request("/metrics")[0])


class Clusters(unittest.TestCase):
    @contextlib.contextmanager
    def pair(self, **more):
        with Fake() as first, Fake("24.11.5") as second, \
                Daemon(None, config=two(first.url, second.url, **more)) as daemon:
            daemon.wait_for(lambda page: are_up(of("alpha", page)) and are_up(of("beta", page)), "both")
            yield first, second, daemon
            self.assertEqual([], first.complaints + second.complaints)

    def test_both_on_one_page(self):
        with self.pair(more="labels: {site: s}\n", second_more="    labels: {hall: b}\n") as (_, _, daemon):
            text = daemon.request("/metrics")[2].decode()
            page = samples(text)
            for mark in "HELP", "TYPE":
                families = re.findall(rf"(?m)^# {mark} (\S+)", text)
                self.assertEqual(len(set(families)), len(families), f"a {mark} twice")
            names = [re.match(r"[a-z0-9_:]+", line)[0] for line in text.splitlines() if line[0] != "#"]
            runs = [name for i, name in enumerate(names) if i == 0 or names[i - 1] != name]
            histograms = {n for n in runs if re.search("_(bucket|sum|count)$", n)}
            self.assertEqual(len(set(runs) - histograms), len([n for n in runs if n not in histograms]), "samples apart")
            for series in page:
                self.assertRegex(series, r'\{cluster="alpha",site="s"[,}]|\{cluster="beta",site="s",hall="b"[,}]|'
                                         r'^(process|slurmscope_(config|scrapes|build|series|web))\w*\{site="s"[,}]')
            versions = {cluster: {s for s in of(cluster, page) if s.startswith("slurm_cluster_info{")}
                        for cluster in ("alpha", "beta")}
            self.assertIn("26.05", str(versions["alpha"]))
            self.assertIn("24.11", str(versions["beta"]))
            self.assertEqual(page.keys() & of("x", page).keys(), set())

    def test_one_of_them(self):
        with self.pair() as (_, _, daemon):
            status, _, text = daemon.request("/metrics?cluster=beta")
            self.assertEqual(200, status)
            self.assertEqual({"beta"}, set(re.findall(r'[{,]cluster="(\w+)"', text.decode())))
            self.assertEqual(400, daemon.request("/metrics?cluster=gamma")[0])
            plan = daemon.request("/plan")[2].decode()
            self.assertEqual(["alpha", "beta"], re.findall(r"(?m)^cluster (\w+)$", plan))
            plan = daemon.request("/plan?cluster=beta")[2].decode()
            self.assertEqual(["beta"], re.findall(r"(?m)^cluster (\w+)$", plan))
            self.assertEqual(404, daemon.request("/plan?cluster=gamma")[0])
            wait_until(lambda: daemon.request("/-/ready")[0] == 200, "both are ready")

    def test_one_is_down_or_slow(self):
        for name, harm in (("down", Fake.refuse), ("slow", lambda fake: fake.behave(fakes.hang))):
            with self.subTest(name), self.pair(first_more="    interval: {jobs: 2}\n") as (first, second, daemon):
                before = daemon.page()
                harm(first)
                calls = len(second.calls)
                wait_until(lambda: len(second.calls) > calls + 30, "the other is asked")  # before the first one's 120 s are over
                page = daemon.wait_for(lambda page: results(of("beta", page), "ping")["ok"] >
                                       results(of("beta", before), "ping")["ok"] + 2, "beta goes on")
                self.assertTrue(are_up(of("beta", page)))
                self.assertTrue(any(s.startswith("slurm_cluster_jobs{") for s in of("alpha", page)), "held")
                if name == "down":
                    daemon.wait_for(lambda page: is_up(of("alpha", page), "ping") == 0 and
                                    are_up(of("beta", page)), "alpha is down")
                    self.assertEqual({"alpha"}, {line.get("cluster") for line in daemon.log(level="warn")})
                    first.open()
                    daemon.wait_for(lambda page: are_up(of("alpha", page)), "alpha is back")

    def test_coming_and_going(self):
        with Fake() as first, Fake() as second, Fake() as third, \
                Daemon(None, config=two(first.url, second.url)) as daemon:
            daemon.wait_for(lambda page: are_up(of("alpha", page)) and are_up(of("beta", page)), "both")
            asked = results(of("beta", daemon.page()), "ping")["ok"]
            gamma = f"  gamma: {{slurmrestd: {{url: \"{third.url}\"}}}}\n"
            daemon.reload(re.sub(r"  alpha:\n.*\n", "", two(first.url, second.url)) + gamma)
            page = daemon.wait_for(lambda page: are_up(of("gamma", page)), "gamma")
            self.assertEqual({}, of("alpha", page))
            self.assertGreaterEqual(results(of("beta", page), "ping")["ok"], asked, "beta goes on")
            self.assertEqual(1, len({call.connection for call in second.served_calls}))
            calls = len(first.calls)
            daemon.reload(two(first.url, second.url))
            page = daemon.wait_for(lambda page: are_up(of("alpha", page)), "alpha again")
            self.assertEqual({}, of("gamma", page))
            self.assertGreater(len(first.calls), calls)
            daemon.reload(two(first.url, second.url) + "  \"c d\": {}\n")
            self.assertEqual(0, daemon.page()[RELOADED])
            self.assertTrue(are_up(of("alpha", daemon.page())))

    def test_each_has_its_state(self):
        with tempfile.TemporaryDirectory() as folder, Fake() as first, Fake() as second:
            def config(alpha, beta):
                return two(first.url, second.url, first_more=f"    state: {{path: {folder}/{alpha}}}\n",
                           second_more=f"    state: {{path: {folder}/{beta}}}\n")
            with Daemon(None, config=config("a", "b")) as daemon:
                def counted(page):
                    return [of(c, page).get("slurm_cluster_job_allocated_cpu_seconds_total", 0) for c in ("alpha", "beta")]
                page = daemon.wait_for(lambda page: all(counted(page)), "both count")
                self.assertTrue(Path(folder, "a").exists() and Path(folder, "b").exists())
                daemon.reload(config("b", "a"))  # each closes its own before it opens the other's
                self.assertTrue(all(counted(daemon.page())))
                wait_until(lambda: len(daemon.log(msg="reading slurmrestd")) == 4, "they were begun anew")
                self.assertEqual([], daemon.log(level="error"))
                self.assertEqual(0, daemon.reload(config("b", "b"))[RELOADED])

    def test_once(self):
        with Fake() as first, Fake() as second, tempfile.TemporaryDirectory() as folder:
            Path(folder, "token").write_text(make_token())
            config = Path(folder, "c.yml")
            config.write_text(two(first.url, second.url).replace("{folder}", folder))
            done = run("--once", f"--config.file={config}")
            self.assertEqual(0, done.returncode, done.stderr)
            page = samples(done.stdout)
            self.assertTrue(are_up(of("alpha", page)) and are_up(of("beta", page)))
            second.refuse()
            done = run("--once", f"--config.file={config}")
            self.assertEqual(1, done.returncode)
            self.assertTrue(are_up(of("alpha", samples(done.stdout))))
            self.assertIn("cluster=beta", done.stderr)


class Commands(unittest.TestCase):
    def test_check_and_print(self):
        with tempfile.TemporaryDirectory() as folder:
            config = Path(folder, "c.yml")
            config.write_text("limit: {users: 5}\nclusters: {a: {}, b: {interval: {nodes: 90}}}\n")
            option = f"--config.file={config}"
            done = run(option, "--check-config")
            self.assertEqual((0, "the configuration is valid\n", ""), (done.returncode, done.stdout, done.stderr))
            printed = run(option, "--print-config")
            self.assertEqual((0, ""), (printed.returncode, printed.stderr))
            self.assertIn("clusters:\n  a: {}\n  b:\n    interval:\n      nodes: 90s\n", printed.stdout)
            config.write_text(printed.stdout)
            self.assertEqual(printed.stdout, run(option, "--print-config").stdout)
            config.write_text("limit: {users: x}\n")
            for command in "--check-config", "--print-config", "--once":
                done = run(option, command)
                self.assertEqual((1, ""), (done.returncode, done.stdout))
                self.assertIn(f"{config}:1:16: limit.users: x is not a number", done.stderr)


def load_tests(_, tests, __):
    return all_at_once(tests)


if __name__ == "__main__":
    unittest.main()
