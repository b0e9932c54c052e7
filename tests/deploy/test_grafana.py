"""Grafana's provisioning. Grafana itself is in neither Debian nor npm. So this compares the files with what Grafana's readers
know (their Go types, of 2026), with the dashboards and with the other examples."""

import json
import unittest
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
PROVISIONING = ROOT / "deploy/grafana/provisioning"
BOARDS = [json.loads(path.read_text()) for path in sorted((ROOT / "dashboards/grafana").glob("*.json"))]
DATASOURCE = {"name": str, "uid": str, "type": str, "access": str, "url": str, "isDefault": bool, "jsonData": dict}
JSON_DATA = {"httpMethod": str, "prometheusType": str, "timeInterval": str}
PROVIDER = {"name": str, "folder": str, "type": str, "allowUiUpdates": bool, "disableDeletion": bool, "updateIntervalSeconds": int,
            "options": dict}


class Grafana(unittest.TestCase):
    def read(self, name, key, known):
        document = yaml.safe_load((PROVISIONING / f"{name}/slurmscope.yml").read_text())
        self.assertEqual({"apiVersion", key}, set(document))
        self.assertEqual(1, document["apiVersion"])
        one, = document[key]
        self.assertEqual({member: kind for member, kind in known.items() if member in one}, {member: type(value) for member, value in one.items()})
        return one

    def test_datasource(self):
        datasource = self.read("datasources", "datasources", DATASOURCE)
        self.assertEqual({member: type(value) for member, value in datasource["jsonData"].items()}, JSON_DATA)
        prometheus = yaml.safe_load((ROOT / "deploy/prometheus/prometheus.yml").read_text())
        self.assertEqual(prometheus["global"]["scrape_interval"], datasource["jsonData"]["timeInterval"])
        self.assertEqual(("proxy", False), (datasource["access"], datasource["isDefault"]), "two defaults stop Grafana")
        for board in BOARDS:
            variables = [variable for variable in board["templating"]["list"] if variable["type"] == "datasource"]
            self.assertEqual([(datasource["type"], {})], [(variable["query"], variable["current"]) for variable in variables],
                             f"{board['uid']} takes the default one, or the only one")

    def test_dashboards(self):
        provider = self.read("dashboards", "providers", PROVIDER)
        self.assertEqual("file", provider["type"])
        share = "install(DIRECTORY ${CMAKE_SOURCE_DIR}/dashboards/grafana ${CMAKE_SOURCE_DIR}/dashboards/import"
        installs = (ROOT / "deploy/package/CMakeLists.txt").read_text()
        self.assertIn(share, installs)
        self.assertIn("set(share ${CMAKE_INSTALL_DATADIR}/slurmscope)", installs)
        self.assertEqual({"path": "/usr/share/slurmscope/dashboards/grafana"}, provider["options"])
        uids = [board["uid"] for board in BOARDS]
        self.assertEqual(len(uids), len(set(uids)))
        self.assertTrue(all(len(uid) <= 40 for uid in uids))
        self.assertEqual([], [board["uid"] for board in BOARDS if board.get("id") or "__inputs" in board], "for imports")
        links = {part.split("?")[0].split("/")[0] for board in BOARDS for part in json.dumps(board).split("/d/")[1:]}
        self.assertLessEqual(links, set(uids), "dashboards that others link to")
        self.assertTrue(links)


if __name__ == "__main__":
    unittest.main(verbosity=2)
