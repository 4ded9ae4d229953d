"""The alerts: each fires on its fault, alone, and clears when the fault is over; a healthy service fires none.

The series of a test are the series of a healthy service, with some replaced. Their values are in promtool's notation:
`4x10 7` is eleven times 4 and then 7, `1+2x3` is 1 3 5 7, `_` is nothing. One value stands for a minute.
"""

import copy
import json
import pathlib
import re
import tempfile
import unittest

import yaml

import chart
from chart import ROOT, run

HOURS = 30
LENGTH = HOURS * 60
DAY = 24 * 60
ACTIVE, STANDBY = 'instance="a:9404",pod="a"', 'instance="b:9404",pod="b"'
RELEASE = f'namespace="{chart.NAMESPACE}",job="{chart.RELEASE}"'
STATES = ("starting", "standby", "restoring", "active", "draining", "failed")


def series(name, instance, labels=""):
    return f'{name}{{{RELEASE},{instance}{"," + labels if labels else ""}}}'


def healthy():
    """A service that decides 100 records a second, a fifth of them duplicates."""
    made = {}
    for instance, state in ((ACTIVE, "active"), (STANDBY, "standby")):
        made[series("up", instance)] = f"1x{LENGTH}"
        for each in STATES:
            made[series("neardup_state", instance, f'state="{each}"')] = f"{int(each == state)}x{LENGTH}"
        made[series("process_start_time_seconds", instance)] = f"0x{LENGTH}"
        made[series("process_resident_memory_bytes", instance)] = f"500000000x{LENGTH}"
        made[series("neardup_memory_bound_bytes", instance)] = f"1000000000x{LENGTH}"
        made[series("neardup_snapshot_timestamp_seconds", instance)] = f"0+60x{LENGTH}"
        for name in ("neardup_dead_letters_excessive", "neardup_snapshot_failures_total",
                     "neardup_inputs_unreachable", "neardup_changelog_losses_total"):
            made[series(name, instance)] = f"0x{LENGTH}"
        for kind in ("unread_start", "deleted", "replaced"):
            made[series("neardup_input_losses_total", instance, f'kind="{kind}"')] = f"0x{LENGTH}"
        made[series("neardup_lane_losses_total", instance, 'code="unavailable"')] = f"0x{LENGTH}"
        for reason in ("time", "capacity"):
            made[series("neardup_index_evictions_total", instance, f'reason="{reason}"')] = f"0x{LENGTH}"
        made[series("neardup_undecided_records", instance, 'topic="t"')] = f"40x{LENGTH}"
    made[RECORDS % "unique"] = f"0+4800x{LENGTH}"
    made[RECORDS % "near_duplicate"] = f"0+1200x{LENGTH}"
    made[series("neardup_last_poll_timestamp_seconds", ACTIVE)] = f"0+60x{LENGTH}"
    made[series("neardup_consumer_lag_seconds", ACTIVE, 'topic="t"')] = f"1x{LENGTH}"
    made[series("neardup_consumer_lag_records", ACTIVE, 'topic="t",partition="0"')] = f"100x{LENGTH}"
    return made


RECORDS = series("neardup_records_total", ACTIVE, 'verdict="%s"')
UP = series("up", "%s")
STATE = series("neardup_state", "%s", 'state="%s"')
LAG_RECORDS = series("neardup_consumer_lag_records", ACTIVE, 'topic="t",partition="0"')
REST = f"x{LENGTH}"

# Name -> (series, minutes at which it fires, minutes at which nothing fires).
FAULTS = {
    # The series of the process end with it.
    "NeardupDown": ({UP % ACTIVE: f"1x9 0x10 1{REST}", UP % STANDBY: f"1x9 0x10 1{REST}"}, (13, 20), (9, 11, 23)),
    "NeardupNoActiveInstance": (
        {STATE % (ACTIVE, "active"): f"1x9 0x10 1{REST}"}, (13, 20), (9, 11, 23)),
    # An instance is active, and holds the lane for other topics or cannot commit.
    "NeardupNothingDecided": (
        {RECORDS % "unique": f"0+4800x9 43200x30 48000+4800{REST}",
         RECORDS % "near_duplicate": f"0+1200x9 10800x30 12000+1200{REST}"}, (27, 38), (9, 22, 45)),
    "NeardupStandbyMissing": (
        {STATE % (STANDBY, "standby"): f"1x9 0x20 1{REST}"}, (26, 30), (9, 24, 33)),
    "NeardupEntriesMissing": (
        {series("neardup_entries_missing", STANDBY): f"0x9 300x10 0{REST}"}, (17, 19), (9, 13, 23)),
    "NeardupRestartLoop": (
        {series("process_start_time_seconds", STANDBY): f"0x9 600x2 780x2 960x2 1140{REST}"}, (17, 45), (12, 70)),
    "NeardupNotPolling": (
        {series("neardup_last_poll_timestamp_seconds", ACTIVE): f"0+60x10 600x10 1260+60{REST}"},
        (15, 20), (10, 12, 24)),
    "NeardupLagTooHigh": (
        {series("neardup_consumer_lag_seconds", ACTIVE, 'topic="t"'): f"1x9 60+60x20 1{REST}"}, (22, 33), (15, 37)),
    "NeardupLagGrowing": (
        {LAG_RECORDS: f"100x9 1000+1000x40 100{REST}"}, (36, 48), (20, 53)),
    "NeardupDeadLetters": (
        {series("neardup_dead_letters_excessive", ACTIVE): f"0x9 1x10 0{REST}"}, (12, 22), (10, 27)),
    "NeardupDuplicateShareJumps": (
        {RECORDS % "near_duplicate": f"0+1200x{DAY + 60} 1800000+30000x120 5400000+1200{REST}"},
        (DAY + 150, DAY + 175), (DAY + 50, DAY + 300)),
    "NeardupStreamDrifted": (
        {series("neardup_drift_detected", ACTIVE): f"0x9 1x30 0{REST}"}, (27, 39), (23, 42)),
    "NeardupClocksDiffer": (
        {series("neardup_clamped_records_total", ACTIVE): f"0x9 5+5x20 105{REST}"}, (17, 40), (10, 55)),
    "NeardupDataLost": (
        {series("neardup_input_losses_total", ACTIVE, 'kind="deleted"'): f"0x9 1{REST}"}, (12, 60), (9, 95)),
    "NeardupInputUnavailable": (
        {series("neardup_input_missing", ACTIVE, 'topic="t"'): f"_x10 1x10 0{REST}"}, (17, 20), (14, 23)),
    "NeardupLaneUnstable": (
        {series("neardup_lane_losses_total", ACTIVE, 'code="unavailable"'): f"0x9 1+1x10 11{REST}"},
        (16, 40), (10, 55)),
    "NeardupWindowShortened": (
        {series("neardup_index_evictions_total", ACTIVE, 'reason="capacity"'): f"0x9 100+100x30 3100{REST}"},
        (22, 45), (15, 55)),
    "NeardupSnapshotsFail": (
        {series("neardup_snapshot_failures_total", STANDBY): f"0x9 1+1x20 21{REST}"}, (17, 40), (10, 50)),
    "NeardupSecretsRefused": (
        {series("neardup_secrets_refused", STANDBY): f"0x9 1x20 0{REST}"}, (17, 29), (13, 32)),
    "NeardupMemoryNearBound": (
        {series("process_resident_memory_bytes", ACTIVE): f"500000000x9 960000000x20 500000000{REST}"},
        (22, 30), (12, 33)),
}

# Further series under which an alert fires, or under which nothing does.
FURTHER = {
    "an old snapshot": ("NeardupSnapshotsFail", {
        series("neardup_snapshot_timestamp_seconds", ACTIVE): f"0+60x30 1800{REST}"}, (60,), (45,)),
    "an old snapshot of an idle service": (None, {
        series("neardup_snapshot_timestamp_seconds", ACTIVE): f"0+60x30 1800{REST}",
        RECORDS % "unique": f"0+4800x30 144000{REST}", RECORDS % "near_duplicate": f"0+1200x30 36000{REST}",
        **{series("neardup_undecided_records", instance, 'topic="t"'): f"40x29 0{REST}"
           for instance in (ACTIVE, STANDBY)}}, (), (60, 600)),
    "nothing arrives, so nothing is decided": (None, {
        RECORDS % "unique": f"0+4800x9 43200{REST}", RECORDS % "near_duplicate": f"0+1200x9 10800{REST}",
        **{series("neardup_undecided_records", instance, 'topic="t"'): f"40x9 0{REST}"
           for instance in (ACTIVE, STANDBY)}}, (), (30, 60)),
    "records wait, and only a standby knows": ("NeardupNothingDecided", {
        RECORDS % "unique": f"0+4800x9 _{REST}", RECORDS % "near_duplicate": f"0+1200x9 _{REST}",
        series("neardup_undecided_records", ACTIVE, 'topic="t"'): f"0{REST}",
        series("neardup_undecided_records", STANDBY, 'topic="t"'): f"40+6000{REST}"}, (30, 60), (9, 20)),
    "no snapshots": (None, {
        series("neardup_snapshot_timestamp_seconds", instance): f"_{REST}" for instance in (ACTIVE, STANDBY)},
        (), (60, 600)),
    "a loss before the first scrape": ("NeardupDataLost", {
        series("neardup_changelog_losses_total", STANDBY): f"_x20 1{REST}"}, (25,), (19, 110)),
    "a first start after retention": (None, {
        series("neardup_input_losses_total", ACTIVE, 'kind="unread_start"'): f"0x9 1{REST}"}, (), (12, 60)),
    "a partition without a leader": ("NeardupInputUnavailable", {
        series("neardup_inputs_unreachable", ACTIVE): f"0x9 1x10 0{REST}"}, (17, 20), (14, 23)),
    "what a standby remembers of its time as the active instance": (None, {
        series("neardup_dead_letters_excessive", STANDBY): f"1{REST}",
        series("neardup_drift_detected", STANDBY): f"1{REST}",
        series("neardup_inputs_unreachable", STANDBY): f"1{REST}",
        series("neardup_last_poll_timestamp_seconds", STANDBY): f"0{REST}"}, (), (30, 600)),
    "a take-over": (None, {
        STATE % (ACTIVE, "active"): f"1x9 0x1 1{REST}",
        series("neardup_lane_losses_total", ACTIVE, 'code="unavailable"'): f"0x9 1{REST}",
        series("process_start_time_seconds", ACTIVE): f"0x9 600{REST}"}, (), (10, 11, 30)),
}


def promtool(command, folder, name, content):
    path = pathlib.Path(folder) / name
    path.write_text(yaml.safe_dump(content, width=1000))
    return run("promtool", command, "rules", path)


def rules():
    found = chart.objects(sets={"kafka.bootstrapServers": "kafka:9092", "metrics.prometheusRule.enabled": True})
    return {"groups": found["PrometheusRule"]["spec"]["groups"]}


def firing(expected, minute):
    """A check of the whole set of alerts that fire at a minute."""
    return {"expr": 'group by (alertname) (ALERTS{alertstate="firing"})', "eval_time": f"{minute}m",
            "exp_samples": [{"labels": f'{{alertname="{expected}"}}', "value": 1}] if expected else []}


def test_of(name, alert, changed, fires, clear):
    values = {**healthy(), **changed}
    return {"name": name, "interval": "1m",
            "input_series": [{"series": key, "values": value} for key, value in values.items()],
            "promql_expr_test": [firing(alert, minute) for minute in fires] +
                                [firing(None, minute) for minute in clear]}


class Alerts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rules = rules()
        cls.alerts = {rule["alert"]: rule for group in cls.rules["groups"] for rule in group["rules"]}

    def assert_holds(self, *tests):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "rules.yaml").write_text(yaml.safe_dump(self.rules))
            done = promtool("test", folder, "test.yaml", {
                "rule_files": ["rules.yaml"], "evaluation_interval": "1m", "tests": list(tests)})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_promtool_accepts_the_rules(self):
        with tempfile.TemporaryDirectory() as folder:
            done = promtool("check", folder, "rules.yaml", self.rules)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("20 rules found", done.stdout)

    def test_the_program_prints_the_same_rules(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "rules.yaml"
            path.write_text(run(chart.NEARDUP, "monitoring", "rules", "--selector", RELEASE).stdout)
            done = run("promtool", "check", "rules", path)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            printed = yaml.safe_load(path.read_text())
        of_chart = copy.deepcopy(self.rules)
        for group in of_chart["groups"]:
            for rule in group["rules"]:
                del rule["annotations"]["runbook_url"]
        self.assertEqual(printed, of_chart)
        self.assertEqual(json.loads(run(chart.NEARDUP, "monitoring", "dashboard").stdout),
                         json.loads((chart.CHART / "dashboards/neardup.json").read_text()))

    def test_a_healthy_service_fires_none(self):
        self.assert_holds(test_of("healthy", None, {}, (), (0, 1, 5, 30, 60, DAY, DAY + 90, LENGTH - 1)))

    def test_each_fires_on_its_fault_alone_and_clears(self):
        self.assertEqual(set(FAULTS), set(self.alerts))
        for alert, (changed, fires, clear) in FAULTS.items():
            with self.subTest(alert):
                self.assert_holds(test_of(alert, alert, changed, fires, clear))

    def test_further_cases(self):
        for name, (alert, changed, fires, clear) in FURTHER.items():
            with self.subTest(name):
                self.assert_holds(test_of(name, alert, changed, fires, clear))

    def test_no_series_at_all_means_down(self):
        self.assert_holds({"name": "nothing", "interval": "1m", "input_series": [],
                           "promql_expr_test": [firing("NeardupDown", 5)]})

    def test_other_releases_do_not_matter(self):
        other = {key.replace(chart.NAMESPACE, "elsewhere"): value.replace("1x", "0x")
                 for key, value in healthy().items()}
        self.assert_holds(test_of("other", None, other, (), (5, 60)))

    def test_each_says_what_to_do(self):
        page = (ROOT / "docs" / "monitoring.md").read_text()
        headings = re.findall(r"^### (\w+)$", page, re.M)
        self.assertEqual(headings, list(self.alerts))
        for name, rule in self.alerts.items():
            with self.subTest(name):
                self.assertIn(rule["labels"]["severity"], ("warning", "critical"))
                self.assertTrue(rule["annotations"]["summary"] and rule["annotations"]["description"])
                self.assertTrue(rule["annotations"]["runbook_url"].endswith(
                    f"docs/monitoring.md#{name.lower()}"))

    def test_thresholds_are_values(self):
        found = chart.objects(sets={
            "kafka.bootstrapServers": "kafka:9092", "replicaCount": 4, "metrics.prometheusRule": {
                "enabled": True, "disabledAlerts": ["NeardupDown"], "thresholds": {
                    "lagSeconds": 11, "lagRecords": 22_000_000, "snapshotAgeSeconds": 33,
                    "duplicateShareChange": 0.44, "memoryShare": 0.55}}})
        text = yaml.safe_dump(found["PrometheusRule"], width=1000)
        for part in ("> 11", "> 22000000", "> 33", "> 0.44", "> 0.55 *", "< 3"):
            self.assertIn(part, text)
        self.assertNotIn("NeardupDown\n", text)
        self.assertNotRegex(text, r"<[A-Z_]+>")


if __name__ == "__main__":
    unittest.main(verbosity=2)
