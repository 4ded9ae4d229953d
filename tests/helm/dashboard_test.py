"""The dashboard, without a server: it is well formed, and it and the alerts name only metrics that exist."""

import itertools
import json
import re
import unittest

import yaml

import chart
from chart import CHART, ROOT

METRIC = re.compile(r"\b((?:neardup|process)_\w+)\b")
SUFFIXES = ("_bucket", "_sum", "_count")


def catalogue():
    """Name -> (type, labels) of each metric of docs/metrics.md, which a test compares with the program."""
    rows = re.findall(r"^\| `(\w+)` \| (\w+) \| ([^|]*) \|", (ROOT / "docs/metrics.md").read_text(), re.M)
    return {name: (kind, set(re.findall(r"(\w+)(?: =|,|$)", labels.split(" = ")[0].strip())))
            for name, kind, labels in rows}


def series_of(metrics):
    for name, (kind, _) in metrics.items():
        yield from ([name + suffix for suffix in SUFFIXES] if kind == "histogram" else [name])


class Dashboard(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dashboard = json.loads((CHART / "dashboards" / "neardup.json").read_text())
        cls.panels = [panel for panel in cls.dashboard["panels"] if panel["type"] != "row"]
        cls.queries = [target["expr"] for panel in cls.panels for target in panel["targets"]]
        cls.rules = [rule["expr"] for group in yaml.safe_load(
            (CHART / "rules" / "neardup.yaml").read_text())["groups"] for rule in group["rules"]]
        cls.metrics = catalogue()

    def test_every_metric_exists(self):
        known = set(series_of(self.metrics))
        self.assertGreater(len(known), 50)
        for query in self.queries + self.rules:
            for name in METRIC.findall(query):
                self.assertIn(name, known, query)

    def test_every_label_exists(self):
        added = {"namespace", "job", "instance", "pod", "le"}
        for query in self.queries + self.rules:
            labels = added.union(*(self.metrics[re.sub("_(bucket|sum|count)$", "", name)][1]
                                   for name in METRIC.findall(query)), set())
            for part in re.findall(r"\{([^}]*)\}|\b(?:by|on) \(([^)]*)\)|group_left \(([^)]*)\)", query):
                for label in re.findall(r"(\w+)(?==|!|,|$|\s*$)", re.sub(r'"[^"]*"', "", "".join(part))):
                    self.assertIn(label, labels, query)

    def test_counters_are_seen_as_rates(self):
        counters = [name for name in series_of(self.metrics) if name.endswith(("_total", "_bucket", "_sum", "_count"))]
        for query, name in itertools.product(self.queries, counters):
            for found in re.finditer(rf"\b{name}\b", query):
                self.assertRegex(query[:found.start()], r"(rate|increase)\($", query)

    def test_every_query_has_the_variables(self):
        for query in self.queries:
            for name in METRIC.findall(query):
                self.assertIn(f'{name}{{namespace=~"$namespace",job=~"$job",instance=~"$instance"', query)
            self.assertNotRegex(query, r"rate\([^)]*\[(?!\$__rate_interval\])")
        names = [variable["name"] for variable in self.dashboard["templating"]["list"]]
        self.assertEqual(names, ["datasource", "namespace", "job", "instance"])

    def test_all_of_a_variable_is_every_value_that_its_label_has(self):
        # Grafana's linter wants .+ for job and instance, which every series has. Only Kubernetes sets a namespace.
        values = {each["name"]: each.get("allValue") for each in self.dashboard["templating"]["list"]}
        self.assertEqual(values, {"datasource": None, "namespace": ".*", "job": ".+", "instance": ".+"})

    def test_every_panel_says_what_it_shows(self):
        for panel in self.panels:
            self.assertTrue(panel["title"] and panel["description"], panel["id"])
            self.assertTrue(panel["fieldConfig"]["defaults"]["unit"], panel["title"])
            for target in panel["targets"]:
                self.assertEqual(target["datasource"]["uid"], "${datasource}")
        titles = [panel["title"] for panel in self.panels]
        self.assertEqual(len(titles), len(set(titles)))

    def test_panels_do_not_overlap(self):
        ids = [panel["id"] for panel in self.dashboard["panels"]]
        self.assertEqual(len(ids), len(set(ids)))
        cells = set()
        for panel in self.dashboard["panels"]:
            place = panel["gridPos"]
            self.assertLessEqual(place["x"] + place["w"], 24)
            for cell in itertools.product(range(place["x"], place["x"] + place["w"]),
                                          range(place["y"], place["y"] + place["h"])):
                self.assertNotIn(cell, cells, panel["title"])
                cells.add(cell)

    def test_the_page_lists_the_rows(self):
        rows = [panel["title"] for panel in self.dashboard["panels"] if panel["type"] == "row"]
        page = (ROOT / "docs" / "monitoring.md").read_text()
        self.assertEqual(re.findall(r"^\| ([A-Z][^|]*?) \| [^|]*\?", page, re.M)[:len(rows) - 1], rows[:-1])
        self.assertIn(f"| {rows[-1]} |", page)

    def test_the_chart_brings_it_unchanged(self):
        found = chart.objects([chart.EXAMPLES["monitoring"]])
        maps = [each for key, each in found.items() if isinstance(key, tuple) and key[1].endswith("-dashboard")]
        (text,) = maps[0]["data"].values()
        self.assertEqual(json.loads(text), self.dashboard)
        self.assertEqual(maps[0]["metadata"]["labels"]["grafana_dashboard"], "1")


if __name__ == "__main__":
    unittest.main(verbosity=2)
