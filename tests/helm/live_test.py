"""The chart's configuration, rights, dashboard and alerts on a real Kafka and a real Prometheus.

Two instances run with what the chart renders for examples/strimzi-values.yaml, as the KafkaUser of
examples/strimzi.yaml with exactly its rights, on its topics. Two things differ: there is no TLS, and the user logs
in with PLAIN. Prometheus scrapes both and evaluates the chart's alerts, without the times that they wait (`for`).
"""

import json
import math
import signal
import subprocess
import sys
import time
import unittest
import urllib.parse
import urllib.request

import yaml

import chart

sys.path.insert(0, str(chart.ROOT / "tests" / "e2e"))
from acls import allow  # noqa: E402 (needs the path above)
from harness import KafkaTest, free_port, free_ports, run  # noqa: E402

PORT = free_ports(3)
USER_PORT = PORT + 2  # after the one of the controller
PASSWORD = "wQ7-live-test"
EXAMPLE = list(yaml.safe_load_all((chart.CHART / "examples" / "strimzi.yaml").read_text()))

# Panels whose query may have no value here.
NO_VALUE = {"Drift"}  # before a window of 3,000 records ends


class Prometheus:
    def __init__(self, folder, targets, rules):
        self.port = free_port()
        (folder / "rules.yaml").write_text(yaml.safe_dump(rules))
        (folder / "prometheus.yaml").write_text(yaml.safe_dump({
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
            "rule_files": ["rules.yaml"],
            "scrape_configs": [{"job_name": chart.RELEASE, "static_configs": [
                {"targets": [target], "labels": {"namespace": chart.NAMESPACE, "pod": f"neardup-{i}"}}
                for i, target in enumerate(targets)]}]}))
        self.log = open(folder / "prometheus.log", "wb")
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={folder / 'prometheus.yaml'}",
             f"--storage.tsdb.path={folder / 'prometheus'}", f"--web.listen-address=127.0.0.1:{self.port}"],
            stdout=self.log, stderr=subprocess.STDOUT)

    def get(self, path, **parameters):
        query = urllib.parse.urlencode(parameters)
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}?{query}", timeout=10) as answer:
            return json.load(answer)["data"]

    def ready(self):
        try:
            return bool(self.get("/api/v1/query", query="neardup_build_info")["result"])
        except OSError:
            return False

    def values(self, query):
        return [float(series["value"][1]) for series in self.get("/api/v1/query", query=query)["result"]]

    def firing(self):
        return {alert["labels"]["alertname"]: alert for alert in self.get("/api/v1/alerts")["alerts"]
                if alert["state"] == "firing"}

    def has_fired(self, name):
        """Whether an alert fires, or fired and ended so soon that firing() may have missed it."""
        return bool(self.values(f'max_over_time(ALERTS{{alertname="{name}",alertstate="firing"}}[10m])'))

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.log.close()


class Live(KafkaTest):
    kafka_options = (
        "--port", str(PORT), "--fast-start",
        "--property", f"listeners=PLAINTEXT://127.0.0.1:{PORT},CONTROLLER://127.0.0.1:{PORT + 1},"
                      f"SASL_PLAINTEXT://127.0.0.1:{USER_PORT}",
        "--property", f"advertised.listeners=PLAINTEXT://127.0.0.1:{PORT},SASL_PLAINTEXT://127.0.0.1:{USER_PORT}",
        "--property", "listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,"
                      "SASL_PLAINTEXT:SASL_PLAINTEXT",
        "--property", "sasl.enabled.mechanisms=PLAIN",
        "--property", "listener.name.sasl_plaintext.plain.sasl.jaas.config="
                      "org.apache.kafka.common.security.plain.PlainLoginModule required "
                      f'user_neardup="{PASSWORD}";',
        "--property", "authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        # Everybody who comes in by the other listener, such as the loader.
        "--property", "super.users=User:ANONYMOUS")

    def setUp(self):
        super().setUp()
        self.folder = self.directory / self.name
        self.folder.mkdir()
        self.topics = ["articles"]
        for each in EXAMPLE:
            if each["kind"] == "KafkaTopic":
                settings = {key: value for key, value in each["spec"].get("config", {}).items()
                            if key != "min.insync.replicas"}
                self.load("create", "--topic", each["metadata"]["name"],
                          "--partitions", each["spec"]["partitions"],
                          *(part for key, value in settings.items() for part in ("--config", f"{key}={value}")))
        self.grant()

    def grant(self):
        """Gives the user the rights of the KafkaUser, and no others."""
        (user,) = (each for each in EXAMPLE if each["kind"] == "KafkaUser")
        rights = []
        for acl in user["spec"]["authorization"]["acls"]:
            self.assertEqual(acl["resource"]["patternType"], "literal")
            kind = acl["resource"]["type"].replace("transactionalId", "transactional-id")
            rights += [f"{operation}@{kind}:{acl['resource']['name']}" for operation in acl["operations"]]
        allow(self.brokers, f"User:{user['metadata']['name']}", *rights)

    def values(self, **more):
        return {
            "kafka.bootstrapServers": f"127.0.0.1:{USER_PORT}", "kafka.tls.enabled": False,
            "kafka.sasl.mechanism": "PLAIN",
            "config.record.fields": ["title", "body", "name", "brand", "description"],
            "config.match.mode": "near",
            "config.window.entries_max": 1000,
            "config.state": {"snapshot_interval_ms": "1s"},
            # A standby that sees the active process end takes over before the alert fires.
            "config.lease": {"listen": False}, **more}

    def start_instance(self, number):
        found = chart.objects([chart.EXAMPLES["strimzi"]], self.values())
        home = self.folder / str(number)
        (home / "sasl").mkdir(parents=True)
        (home / "sasl" / "password").write_text(PASSWORD + "\n")
        text = chart.service_config(found).replace("/etc/neardup", str(home)).replace(
            "/var/lib/neardup", str(home / "state"))
        config = home / "neardup.yaml"
        config.write_text(text)
        return self.start(config)

    def rules(self):
        sets = self.values(**{"metrics.prometheusRule.thresholds": {"lagSeconds": 1}})
        found = chart.objects([chart.EXAMPLES["strimzi"]], sets)
        groups = found["PrometheusRule"]["spec"]["groups"]
        for rule in groups[0]["rules"]:
            rule.pop("for", None)
            rule.pop("keep_firing_for", None)
        return {"groups": groups}

    def wait_for_alert(self, prometheus, name):
        self.wait(lambda: name in prometheus.firing(), f"the alert {name}")
        alert = prometheus.firing().get(name)
        if alert:
            self.assertNotIn("error expanding", json.dumps(alert))

    def test_panels_are_answered_and_alerts_fire(self):
        active = self.start_instance(0)
        self.wait(lambda: active.get("/readyz")[0] == 200, "an active instance", services=[active])
        standby = self.start_instance(1)
        prometheus = Prometheus(self.folder, [f"127.0.0.1:{active.port}", f"127.0.0.1:{standby.port}"],
                                self.rules())
        self.addCleanup(prometheus.stop)
        feed = self.feed(1000)
        self.wait(prometheus.ready, "Prometheus")
        self.wait(lambda: standby.get("/readyz")[0] == 200, "a standby", services=[active, standby])
        self.assert_rights_suffice(active, standby)
        self.assert_panels_answered(prometheus)
        self.finish(feed)
        self.assert_alerts_fire(prometheus, active, standby)

    def assert_rights_suffice(self, active, standby):
        self.wait(lambda: active.metric("neardup_changelog_purged_offset") > 0, "a purge of the changelog")
        for service in (active, standby):
            self.assertNotRegex(service.text(), r"(?i)authori[sz]|refused")

    def assert_panels_answered(self, prometheus):
        queries = [(panel["title"], target["expr"])
                   for panel in json.loads((chart.CHART / "dashboards" / "neardup.json").read_text())["panels"]
                   for target in panel.get("targets", [])]
        self.assertGreater(len(queries), 40)
        # A rate has a value after two scrapes with records.
        try:
            self.wait(lambda: set(self.unanswered(prometheus, queries)) <= NO_VALUE, "the values of all panels")
        except AssertionError as late:
            raise AssertionError(self.unanswered(prometheus, queries)) from late
        for label in ("namespace", "job", "instance"):
            self.assertTrue(prometheus.get(f"/api/v1/label/{label}/values", **{"match[]": "neardup_build_info"}))

    def unanswered(self, prometheus, queries):
        """The panels whose query has no value now, with that query."""
        empty = {}
        for title, query in queries:
            for name, value in (("$namespace", ".*"), ("$job", ".*"), ("$instance", ".*"),
                                ("$__rate_interval", "20s"), ("$__range", "60s")):
                query = query.replace(name, value)
            if not any(not math.isnan(value) for value in prometheus.values(query)):
                empty[title] = query
        return empty

    def slow_down_until(self, service, done, what):
        """Slows a service down while it has a backlog: it runs a tenth of the time, until something happens.

        Each pause is shorter than the time-out of the lease. A scrape is answered slowly, but it is answered.
        """
        bad = "\n".join(f"no json {i}" for i in range(300_000))
        end = time.monotonic() + 180
        while not done():
            self.assertLess(time.monotonic(), end, f"{what}: did not happen within 180 s\n{service.text()[-4000:]}")
            service.process.send_signal(signal.SIGSTOP)
            try:
                run("kcat", "-b", self.brokers, "-P", "-t", "articles", input=bad)
                time.sleep(2)
                for _ in range(20):
                    service.process.send_signal(signal.SIGCONT)
                    time.sleep(0.03)
                    service.process.send_signal(signal.SIGSTOP)
                    time.sleep(0.27)
            finally:
                service.process.send_signal(signal.SIGCONT)

    def assert_alerts_fire(self, prometheus, active, standby):
        health = {rule["name"]: rule["health"] for group in prometheus.get("/api/v1/rules")["groups"]
                  for rule in group["rules"]}
        self.assertEqual(set(health.values()), {"ok"}, health)
        self.assertEqual(len(health), 20)
        # More unique records than window.entries_max.
        self.wait_for_alert(prometheus, "NeardupWindowShortened")
        self.assertLessEqual(set(prometheus.firing()), {"NeardupWindowShortened", "NeardupLagTooHigh"})
        # A folder that is gone.
        home = self.folder / "1" / "state"
        home.rename(self.folder / "moved")
        home.write_text("no folder")
        feed = self.feed(1000)  # a snapshot is written only when there is something new
        self.wait_for_alert(prometheus, "NeardupSnapshotsFail")
        self.finish(feed)
        # Records that are no JSON wait while the active instance is slow.
        self.slow_down_until(active, lambda: prometheus.has_fired("NeardupLagTooHigh"), "the alert NeardupLagTooHigh")
        self.wait_for_alert(prometheus, "NeardupDeadLetters")
        self.wait(lambda: "NeardupNoActiveInstance" not in prometheus.firing(), "the end of the pause")
        # The standby needs the time-out of the lease before it takes over.
        active.kill()
        self.wait_for_alert(prometheus, "NeardupNoActiveInstance")
        self.wait(lambda: "NeardupNoActiveInstance" not in prometheus.firing(), "a take-over")
        self.assertIn("NeardupStandbyMissing", prometheus.firing())
        standby.kill()
        self.wait_for_alert(prometheus, "NeardupDown")


if __name__ == "__main__":
    unittest.main(verbosity=2)
