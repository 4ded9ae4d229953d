"""The Helm chart: it renders what it promises, and refuses what is wrong."""

import json
import os
import pathlib
import re
import tempfile
import unittest

import yaml

import chart
from chart import CHART, EXAMPLES, NEARDUP, RELEASE, ROOT, objects, run, template, tool

REQUIRED = {"kafka.bootstrapServers": "kafka:9092", "config.input.topics": ["articles"]}
KUBERNETES = ("1.29.0", "1.33.0", "1.37.0")
# Kinds that are not Kubernetes' own.
CUSTOM = {"PodMonitor", "ServiceMonitor", "PrometheusRule", "KafkaTopic", "KafkaUser"}


def with_required(**more):
    return {**REQUIRED, **{path.replace("__", "."): value for path, value in more.items()}}


def pod_of(found):
    return found["StatefulSet"]["spec"]["template"]


def container_of(found):
    return pod_of(found)["spec"]["containers"][0]


class Examples(unittest.TestCase):
    """The files ci/*-values.yaml and examples/*-values.yaml."""

    def test_each_passes_the_strict_lint(self):
        for name, path in EXAMPLES.items():
            with self.subTest(name):
                done = run(tool("helm"), "lint", "--strict", CHART, "-f", path)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_each_has_objects_that_kubernetes_accepts(self):
        for name, path in EXAMPLES.items():
            found = [each for each in yaml.safe_load_all(chart.text_of([path]))
                     if each and each["kind"] not in CUSTOM]
            with self.subTest(name), tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
                yaml.safe_dump_all(found, file)
                file.flush()
                self.assert_accepted(file.name)
        self.assert_accepted(CHART / "examples" / "reindex-job.yaml")

    def assert_accepted(self, path):
        versions = [part for version in KUBERNETES for part in ("-k", version)]
        done = run(tool("kubernetes-validate"), "--strict", *versions, path)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_checker_of_objects_finds_a_misspelt_field(self):
        found = objects([EXAMPLES["default"]])["StatefulSet"]
        found["spec"]["podManagmentPolicy"] = "Parallel"
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            yaml.safe_dump(found, file)
            file.flush()
            done = run(tool("kubernetes-validate"), "--strict", "-k", KUBERNETES[-1], file.name)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("podManagmentPolicy", done.stdout + done.stderr)

    def test_the_generated_files_are_up_to_date(self):
        for path, content in chart.generated():
            with self.subTest(path.name):
                self.assertTrue(path.exists(), path)
                self.assertEqual(path.read_text(), content(),
                                 "run: python3 tests/helm/chart.py --neardup build/release/neardup --write")

    def test_each_configuration_is_valid_for_the_service(self):
        for name, path in EXAMPLES.items():
            found = objects([path])
            if name == "existing-config":
                continue
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                text = chart.service_config(found).replace("/etc/neardup", folder)
                for secret in set(re.findall(re.escape(folder) + r"/((?:sasl|ca|client)/[\w.]+)", text)):
                    write_secret(pathlib.Path(folder) / secret)
                config = pathlib.Path(folder) / "neardup.yaml"
                config.write_text(text)
                done = run(NEARDUP, "validate", "--config", config,
                           env={**os.environ, "POD_NAME": "news-neardup-0"})
                if done.returncode != 0 and "sasl.oauthbearer.method" in text:
                    # The library of Debian 12 cannot get tokens. The service must say so.
                    self.assertEqual(done.returncode, 78)
                    self.assertIn("libcurl", done.stderr)
                    continue
                self.assertEqual((done.returncode, done.stdout), (0, "valid\n"), done.stderr)

    def test_the_strimzi_example_gives_the_user_and_topics_of_the_service(self):
        found = [each for each in yaml.safe_load_all((CHART / "examples/strimzi.yaml").read_text())]
        config = yaml.safe_load(chart.service_config(objects([EXAMPLES["strimzi"]])))
        app, (topic,) = config["app"], config["input"]["topics"]
        topics = {each["metadata"]["name"] for each in found if each["kind"] == "KafkaTopic"}
        expected = {topic, f"{topic}.unique", f"{topic}.duplicate", f"{topic}.dead-letter",
                    f"{app}-changelog", f"{app}-lease"}
        self.assertEqual(topics, expected)
        user = next(each for each in found if each["kind"] == "KafkaUser")
        self.assertEqual(user["metadata"]["name"], config["kafka"]["properties"]["sasl.username"])
        resources = {(acl["resource"]["type"], acl["resource"]["name"])
                     for acl in user["spec"]["authorization"]["acls"]}
        self.assertEqual(resources, {("topic", name) for name in expected} |
                         {("group", app), ("group", f"{app}-lease"), ("transactionalId", f"{app}-lane-0")})


def write_secret(path):
    path.parent.mkdir(exist_ok=True)
    if path.suffix not in (".crt", ".key"):
        path.write_text("secret")
        return
    certificate, key = path.parent / "made.crt", path.parent / "made.key"
    if not key.exists():
        run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=test",
            "-keyout", key, "-out", certificate, check=True)
    path.write_bytes((certificate if path.suffix == ".crt" else key).read_bytes())


class Values(unittest.TestCase):
    """What values the chart takes."""

    def refused(self, message, sets):
        done = template(sets=sets)
        self.assertNotEqual(done.returncode, 0, done.stdout[:500])
        self.assertIn(message, done.stderr)

    def test_brokers_are_required(self):
        self.refused("kafka.bootstrapServers: expected the brokers", {})

    def test_misspelt_values_are_refused(self):
        for path, value, message in (
                ("replicaCont", 2, "replicaCont"),
                ("kafka.bootstrapServer", "kafka:9092", "bootstrapServer"),
                ("kafka.sasl.mechanism", "SCRAM", "/kafka/sasl/mechanism"),
                ("kafka.bootstrapServers", "kafka", "/kafka/bootstrapServers"),
                ("persistence.accessModes", ["ReadWriteMany"], "/persistence/accessModes"),
                ("metrics.podMonitor.intervall", "1s", "intervall"),
                ("metrics.prometheusRule.thresholds.lag", 1, "lag"),
                ("livenessProbe.period", 1, "period"),
                ("config.windw", {}, "windw"),
                ("strimzi.inputPartition", {}, "inputPartition"),
                ("extraArgs", "--set", "/extraArgs"),
                ("cpu.recordsPerSecond", -1, "/cpu/recordsPerSecond"),
                ("config.window.windo_ms", "1h", "windo_ms"),
                ("config.window.entries_max", 10, "/config/window/entries_max"),
                ("config.record.null_value", "drop", "/config/record/null_value")):
            with self.subTest(path):
                self.refused(message, with_required(**{path: value}))

    def test_settings_of_the_chart_have_one_place(self):
        for path, value in (("config.kafka.brokers", "kafka:9092"), ("config.metrics.port", 9000),
                            ("config.metrics.host", "::"),
                            ("config.state.dir", "state")):
            with self.subTest(path):
                self.refused(f"{path}: the chart sets it", with_required(**{path: value}))

    def test_two_monitors_would_scrape_every_pod_twice(self):
        both = with_required(metrics__podMonitor__enabled=True, metrics__serviceMonitor__enabled=True)
        self.refused("scraped twice", both)

    def test_a_login_needs_its_secret(self):
        self.refused("kafka.sasl.existingSecret", with_required(kafka__sasl__enabled=True))

    def test_a_token_needs_the_url_that_gives_it(self):
        self.refused("kafka.sasl.oauth.tokenEndpointUrl", with_required(
            kafka__sasl={"enabled": True, "mechanism": "OAUTHBEARER", "existingSecret": "client"}))

    def test_strimzi_needs_the_topics_and_their_partitions(self):
        self.refused("strimzi.inputPartitions: expected the number of partitions of the input topic articles",
                     with_required(strimzi__enabled=True))
        self.refused("strimzi.enabled: expected the input topics",
                     {"kafka.bootstrapServers": "kafka:9092", "strimzi.enabled": True})
        self.refused("strimzi.enabled: expected a name in config.app",
                     with_required(strimzi__enabled=True, config__app=""))

    def test_large_numbers_are_written_out(self):
        text = chart.service_config(objects(sets=with_required(config__window__entries_max=10_000_000)))
        self.assertIn("entries_max: 10000000\n", text)

    def test_the_settings_of_the_user_win(self):
        sets = with_required(config__app="mine", config__threads__fingerprint=7)
        config = yaml.safe_load(chart.service_config(objects(sets=sets)))
        self.assertEqual((config["app"], config["threads"]["fingerprint"]), ("mine", 7))

    def test_two_releases_are_two_apps(self):
        config = yaml.safe_load(chart.service_config(objects(sets=REQUIRED)))
        self.assertEqual(config["app"], f"{RELEASE}-neardup")

    def test_the_version_is_that_of_the_program(self):
        version = yaml.safe_load((CHART / "Chart.yaml").read_text())["appVersion"]
        self.assertIn(f"project(neardup VERSION {version} ", (ROOT / "CMakeLists.txt").read_text())


class Pods(unittest.TestCase):
    """What runs."""

    def test_another_configuration_rolls_the_pods(self):
        def annotations(**more):
            return pod_of(objects(sets=with_required(**more)))["metadata"]["annotations"]
        before = annotations()
        self.assertNotEqual(before, annotations(config__window__window_ms="1h"))
        self.assertNotEqual(before, annotations(configFiles={"model.json": "{}"}))
        self.assertEqual(before, annotations(metrics__podMonitor__enabled=True, image__tag="other"))

    def test_probes_monitors_and_tests_follow_the_certificate_of_the_pages(self):
        tls = {"config__metrics__tls_certificate_path": "/tls/tls.crt", "config__metrics__tls_key_path": "/tls/tls.key"}
        for more, scheme, url in (({}, None, "http://"), (tls, "HTTPS", "https://")):
            found = objects(sets=with_required(
                metrics__podMonitor__enabled=True, metrics__podMonitor__tlsConfig={"insecureSkipVerify": True},
                metrics__podMonitor__basicAuth={"username": {"name": "scraper", "key": "user"}}, **more))
            (container,) = pod_of(found)["spec"]["containers"]
            for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
                self.assertEqual(container[probe]["httpGet"].get("scheme"), scheme, probe)
            (endpoint,) = found["PodMonitor"]["spec"]["podMetricsEndpoints"]
            self.assertEqual(endpoint.get("scheme"), scheme and scheme.lower())
            self.assertEqual(endpoint.get("tlsConfig"), scheme and {"insecureSkipVerify": True})
            self.assertEqual(endpoint["basicAuth"]["username"]["name"], "scraper")
            self.assertTrue(found["Pod"]["spec"]["containers"][0]["args"][-1].startswith(url))

    def test_no_replicas_stop_the_service(self):
        found = objects(sets=with_required(replicaCount=0, metrics__prometheusRule__enabled=True))
        self.assertEqual(found["StatefulSet"]["spec"]["replicas"], 0)
        self.assertNotIn("Pod", found)

    def test_pods_carry_no_version_that_would_roll_them(self):
        labels = pod_of(objects(sets=REQUIRED))["metadata"]["labels"]
        self.assertEqual(set(labels), {"app.kubernetes.io/name", "app.kubernetes.io/instance"})

    def test_the_pod_has_no_rights(self):
        found = objects(sets=REQUIRED)
        spec, container = pod_of(found)["spec"], container_of(found)
        self.assertIs(spec["automountServiceAccountToken"], False)
        self.assertIs(spec["enableServiceLinks"], False)
        self.assertIs(spec["securityContext"]["runAsNonRoot"], True)
        self.assertEqual(spec["securityContext"]["seccompProfile"], {"type": "RuntimeDefault"})
        self.assertEqual(container["securityContext"], {
            "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}})

    def test_a_restore_may_take_ten_minutes_and_liveness_does_not_ask_kafka(self):
        container = container_of(objects(sets=REQUIRED))
        startup = container["startupProbe"]
        self.assertGreaterEqual(startup["failureThreshold"] * startup["periodSeconds"], 600)
        self.assertEqual(container["livenessProbe"]["httpGet"]["path"], "/healthz")
        self.assertEqual(container["readinessProbe"]["httpGet"]["path"], "/readyz")

    def test_the_pods_of_helm_test_are_not_those_of_the_service(self):
        found = objects(sets=REQUIRED)
        selector = found["StatefulSet"]["spec"]["selector"]["matchLabels"]
        self.assertFalse(selector.items() <= found["Pod"]["metadata"]["labels"].items())
        self.assertEqual(len(found["Pod"]["spec"]["containers"]), found["StatefulSet"]["spec"]["replicas"])

    def test_a_monitor_finds_one_service_with_one_port(self):
        found = objects(sets=with_required(metrics__serviceMonitor__enabled=True))
        wanted = found["ServiceMonitor"]["spec"]["selector"]["matchLabels"].items()
        services = [each for key, each in found.items() if isinstance(key, tuple) and key[0] == "Service"]
        matching = [each for each in services if wanted <= each["metadata"]["labels"].items()]
        self.assertEqual(len(matching), 1)
        self.assertEqual([port["name"] for port in matching[0]["spec"]["ports"]], ["metrics"])

    def test_secrets_are_mounted_and_not_copied(self):
        found = objects([EXAMPLES["sasl-tls"]])
        properties = yaml.safe_load(chart.service_config(found))["kafka"]["properties"]
        self.assertEqual(properties, {
            "security.protocol": "sasl_ssl", "sasl.mechanism": "PLAIN",
            "sasl.username": "${file:/etc/neardup/sasl/username}",
            "sasl.password": "${file:/etc/neardup/sasl/password}",
            "ssl.ca.location": "/etc/neardup/ca/ca.crt",
            "ssl.certificate.location": "/etc/neardup/client/tls.crt",
            "ssl.key.location": "/etc/neardup/client/tls.key"})
        mounts = {mount["name"]: mount["mountPath"] for mount in container_of(found)["volumeMounts"]}
        volumes = {volume["name"]: volume for volume in pod_of(found)["spec"]["volumes"]}
        for path in re.findall(r"/etc/neardup/(sasl|ca|client)/([\w.]+)", json.dumps(properties)):
            self.assertEqual(mounts[path[0]], f"/etc/neardup/{path[0]}")
            self.assertIn(path[1], [item["path"] for item in volumes[path[0]]["secret"]["items"]])
        self.assertNotIn(("Secret"), found)

    def test_strimzi_keys_can_be_named(self):
        sets = with_required(kafka__tls={"enabled": True, "caSecret": "my-cluster-cluster-ca-cert",
                                         "clientSecret": "neardup", "certKey": "user.crt", "keyKey": "user.key"})
        found = objects(sets=sets)
        properties = yaml.safe_load(chart.service_config(found))["kafka"]["properties"]
        self.assertEqual(properties["security.protocol"], "ssl")
        self.assertEqual(properties["ssl.certificate.location"], "/etc/neardup/client/user.crt")
        self.assertEqual(properties["ssl.key.location"], "/etc/neardup/client/user.key")


    def test_every_further_part_of_a_pod_comes_from_the_values(self):
        found = objects([EXAMPLES["everything"]])
        spec, container = pod_of(found)["spec"], container_of(found)
        self.assertEqual(found["StatefulSet"]["spec"]["revisionHistoryLimit"], 3)
        self.assertEqual(spec["runtimeClassName"], "gvisor")
        self.assertEqual(spec["dnsConfig"], {"options": [{"name": "ndots", "value": "1"}]})
        self.assertEqual(spec["hostAliases"], [{"ip": "10.0.0.9", "hostnames": ["kafka-1.example"]}])
        self.assertEqual(container["lifecycle"], {"preStop": {"exec": {"command": ["sleep", "1"]}}})
        self.assertEqual(container["args"][-2:], ["--set", "state.snapshot_interval_ms=3m"])
        self.assertEqual(found["Service"]["metadata"]["annotations"], {"example.com/owner": "search"})
        spec, container = pod_of(objects(sets=REQUIRED))["spec"], container_of(objects(sets=REQUIRED))
        for absent in ("runtimeClassName", "dnsConfig", "hostAliases"):
            self.assertNotIn(absent, spec)
        self.assertNotIn("lifecycle", container)

    def test_the_pods_are_open_on_the_address_of_the_values_whatever_the_image_sets(self):
        for sets, host in ((REQUIRED, "0.0.0.0"), (with_required(metrics__host="::"), "::"),
                           ({"existingConfigMap": "mine", "resources": {"limits": {"memory": "1Gi"}}}, "0.0.0.0")):
            env = container_of(objects(sets=sets))["env"]
            self.assertIn({"name": "NEARDUP_METRICS__HOST", "value": host}, env)

    def test_a_token_login_has_the_properties_of_the_library(self):
        properties = yaml.safe_load(chart.service_config(objects([EXAMPLES["strimzi-oauth"]])))["kafka"]["properties"]
        self.assertEqual(properties, {
            "security.protocol": "sasl_ssl", "sasl.mechanism": "OAUTHBEARER", "sasl.oauthbearer.method": "oidc",
            "sasl.oauthbearer.client.id": "neardup",
            "sasl.oauthbearer.client.secret": "${file:/etc/neardup/sasl/secret}",
            "sasl.oauthbearer.token.endpoint.url": "https://login.example/token", "sasl.oauthbearer.scope": "kafka",
            "sasl.oauthbearer.extensions": "logicalCluster=lkc-1"})

    def test_the_volume_is_three_snapshots_of_a_full_window_and_10_gibibytes_at_least(self):
        page = (ROOT / "docs/performance.md").read_text()
        entry_bytes = int(re.search(r"\| bytes per entry on disk \| (\d+) \|", page).group(1))
        for entries, size in ((1_000_000, None), (79_000_000, None), (200_000_000, None),
                              (1_000_000_000, "7Gi")):
            expected = size or f"{max(10, -(-3 * entry_bytes * int(entries) // 2 ** 30))}Gi"
            sets = with_required(config__window__entries_max=entries, persistence__size=size or "")
            claim, = objects(sets=sets)["StatefulSet"]["spec"]["volumeClaimTemplates"]
            self.assertEqual(claim["spec"]["resources"]["requests"]["storage"], expected, entries)
        reference = with_required(config__window__entries_max="${ENTRIES}", resources={
            "requests": {"memory": "1Gi"}, "limits": {"memory": "1Gi"}})
        self.assertIn("set persistence.size", template(sets=reference).stderr)

    def test_the_cpu_is_that_of_the_table_of_the_page(self):
        page = (ROOT / "docs/deploy-kubernetes.md").read_text()
        head, rows = re.search(r"(?m)^\| records per second ((?:\| of [\d,]+ bytes )+)\|\n\|[-: |]+\|\n((?:\|.*\|\n)+)",
                               page).groups()
        sizes = [int(size.replace(",", "")) for size in re.findall(r"of ([\d,]+) bytes", head)]
        self.assertGreaterEqual(len(rows.splitlines()), 3)
        for row in rows.splitlines():
            rate, *cpus = [cell.strip().replace(",", "") for cell in row.strip("|").split("|")]
            for size, cpu in zip(sizes, cpus, strict=True):
                found = objects(sets=with_required(cpu={"recordsPerSecond": int(rate), "recordBytes": size}))
                asked = container_of(found)["resources"]["requests"]["cpu"]
                self.assertEqual(asked, f"{int(float(cpu) * 1000)}m", (rate, size))
                threads = yaml.safe_load(chart.service_config(found))["threads"]["fingerprint"]
                self.assertEqual(threads, -int(-float(cpu) // 1))
        self.assertEqual(container_of(objects(sets=REQUIRED))["resources"]["requests"]["cpu"], "2")
        for more in ({"requests": {"cpu": "750m"}}, {"limits": {"cpu": "3"}}):
            found = container_of(objects(sets=with_required(resources=more, cpu__recordsPerSecond=900000)))
            self.assertEqual({part: found["resources"].get(part, {}).get("cpu") for part in more},
                             {part: value["cpu"] for part, value in more.items()})


class Strimzi(unittest.TestCase):
    """strimzi.enabled: topics and user as in examples/strimzi.yaml."""

    def made(self, sets=None, values=()):
        found = objects(values, sets)
        return {key: each for key, each in found.items() if isinstance(key, tuple) and key[0].startswith("Kafka")}

    def test_the_objects_are_those_of_the_example(self):
        sets = {"strimzi": {"enabled": True, "inputPartitions": {"articles": 6}}}
        made = self.made(sets, [EXAMPLES["strimzi"]])
        example = {(each["kind"], each["metadata"]["name"]): each
                   for each in yaml.safe_load_all((CHART / "examples/strimzi.yaml").read_text())}
        example.pop(("KafkaTopic", "articles"))
        self.assertEqual(set(made), set(example))
        for key, each in made.items():
            wanted = example[key]
            self.assertEqual(each["apiVersion"], wanted["apiVersion"])
            self.assertLessEqual(wanted["metadata"]["labels"].items(), each["metadata"]["labels"].items())
            kept = each["metadata"].get("annotations", {}).get("helm.sh/resource-policy")
            self.assertEqual(kept, "keep" if key[0] == "KafkaTopic" else None, "an uninstallation must keep the topics")
            if key[0] == "KafkaTopic":
                self.assertEqual((each["spec"]["partitions"], each["spec"]["replicas"]),
                                 (wanted["spec"]["partitions"], wanted["spec"]["replicas"]), key)
                self.assertLessEqual(wanted["spec"].get("config", {}).items(), each["spec"].get("config", {}).items())
                continue
            self.assertEqual(each["spec"]["authentication"], wanted["spec"]["authentication"])
            self.assertCountEqual(map(json.dumps, each["spec"]["authorization"]["acls"]),
                                  map(json.dumps, wanted["spec"]["authorization"]["acls"]))

    def test_the_service_creates_no_topic_then(self):
        for enabled in (True, False):
            sets = with_required(strimzi={"enabled": enabled, "inputPartitions": {"articles": 6}})
            config = yaml.safe_load(chart.service_config(objects(sets=sets)))
            self.assertEqual(config.get("output", {}).get("create_topics"), False if enabled else None)

    def test_topics_may_have_names_that_kubernetes_refuses(self):
        made = self.made(values=[EXAMPLES["strimzi-oauth"]])
        topics = {each["spec"].get("topicName", name): (name, each["spec"]["partitions"])
                  for (kind, name), each in made.items() if kind == "KafkaTopic"}
        self.assertEqual(topics, {
            "articles.unique": ("articles.unique", 6), "Big_Deals.unique": ("big-deals.unique", 12),
            "articles.dead-letter": ("articles.dead-letter", 6), "Big_Deals.dead-letter": ("big-deals.dead-letter", 12),
            "copies.articles": ("copies.articles", 6), "copies.Big_Deals": ("copies.big-deals", 12),
            "neardup-changelog": ("neardup-changelog", 1), "neardup-lease": ("neardup-lease", 1)})
        self.assertEqual({each["metadata"]["namespace"] for each in made.values()}, {"kafka"})
        self.assertNotIn("authentication", made["KafkaUser", "neardup"]["spec"])


class Memory(unittest.TestCase):
    """The memory of the pods is what the program prints for their configuration."""

    def printed_bytes(self, config, partitions):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(config)
            file.flush()
            shown = run(NEARDUP, "config", "show", "--config", file.name, "--partitions", partitions, check=True)
        return int(re.search(r"^#   total +(\d+)$", shown.stdout, re.M)[1])

    def test_it_is_what_config_show_prints(self):
        for config, partitions, resources in (
                ({}, 16, {}),
                ({"window": {"entries_max": 1000}}, 1, {}),
                ({"window": {"entries_max": 10_000_000}}, 200, {"requests": {"cpu": "500m"}}),
                ({"window": {"entries_max": 29_999_999}}, 16, {"limits": {"cpu": 8}}),
                ({"window": {"entries_max": 30_000_000}}, 16, {"requests": {"cpu": "7.5"}}),
                ({"window": {"entries_max": 33_554_432}}, 16, {}),
                ({"window": {"entries_max": 1_000_000_000}}, 3000, {}),
                ({"window": {"entries_max": 50_000_000}, "match": {"neighbours": True}}, 16, {}),
                ({"window": {"entries_max": 5_000_000}, "match": {"distance_max": 0}}, 16, {}),
                ({"window": {"entries_max": 5_000_000}, "match": {"text_keys": False}}, 16, {}),
                ({"record": {"record_bytes_max": "1GiB"}, "kafka": {"inflight_bytes_max": "1GiB"}}, 16, {}),
                ({"transaction": {"bytes_max": "64MB", "batch_records_max": 10000},
                  "kafka": {"inflight_records_max": 500, "prefetch_bytes_max": 10_000_000}}, 7, {}),
                ({"transaction": {"bytes_max": 65537}, "threads": {"fingerprint": 31}}, 16, {})):
            with self.subTest(config=config, partitions=partitions):
                sets = {"kafka.bootstrapServers": "kafka:9092", "config": config, "resources": resources,
                        "memory.inputPartitions": partitions}
                found = objects(sets=sets)
                expected = self.printed_bytes(chart.service_config(found), partitions)
                memory = container_of(found)["resources"]
                self.assertEqual(memory["limits"]["memory"], f"{-(-expected // 2 ** 20)}Mi")
                self.assertEqual(memory["requests"]["memory"], memory["limits"]["memory"])

    def test_the_memory_of_the_user_wins(self):
        memory = {"requests": {"memory": "1Gi"}, "limits": {"memory": "3Gi"}}
        self.assertEqual(container_of(objects(sets=with_required(resources=memory)))["resources"]["limits"],
                         {"memory": "3Gi"})

    def test_memory_that_cannot_be_computed_must_be_set(self):
        reference = with_required(config__window__entries_max="${ENTRIES}", persistence__size="10Gi")
        self.assertIn("config.window.entries_max is ${ENTRIES}", template(sets=reference).stderr)
        memory = {"requests": {"memory": "1Gi"}, "limits": {"memory": "1Gi"}}
        self.assertEqual(template(sets={**reference, "resources": memory}).returncode, 0)


class Lanes(unittest.TestCase):
    """examples/lanes-values.yaml: four lanes of one app in one release."""

    def setUp(self):
        self.found = [each for each in yaml.safe_load_all(chart.text_of([EXAMPLES["lanes"]])) if each]

    def of_kind(self, kind):
        return [each for each in self.found if each["kind"] == kind]

    def test_each_has_its_pods_and_is_told_its_number(self):
        sets = self.of_kind("StatefulSet")
        self.assertEqual([each["metadata"]["name"] for each in sets], [f"news-neardup-lane-{lane}" for lane in range(4)])
        for lane, each in enumerate(sets):
            pod = each["spec"]["template"]
            self.assertEqual(each["spec"]["replicas"], 2)
            self.assertEqual(each["spec"]["selector"]["matchLabels"]["neardup.io/lane"], str(lane))
            self.assertLessEqual(each["spec"]["selector"]["matchLabels"].items(), pod["metadata"]["labels"].items())
            env = {row["name"]: row.get("value") for row in pod["spec"]["containers"][0]["env"]}
            self.assertEqual(env["NEARDUP_LANES__LANE"], str(lane))
            rule = pod["spec"]["affinity"]["podAntiAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"][0]
            self.assertEqual(rule["podAffinityTerm"]["labelSelector"]["matchLabels"]["neardup.io/lane"], str(lane),
                             "the standby of a lane is not on the node of its active instance")
        selectors = [json.dumps(each["spec"]["selector"]) for each in sets]
        self.assertEqual(len(set(selectors)), 4)

    def test_each_is_a_job_with_alerts_of_its_own(self):
        endpoint = self.of_kind("PodMonitor")[0]["spec"]["podMetricsEndpoints"][0]
        self.assertEqual(endpoint["relabelings"][0]["replacement"], "news-lane-$1")
        self.assertEqual(endpoint["relabelings"][0]["targetLabel"], "job")
        groups = self.of_kind("PrometheusRule")[0]["spec"]["groups"]
        names = [group["name"] for group in groups]
        self.assertEqual(len(set(names)), len(names))
        for lane in range(4):
            exprs = [rule["expr"] for group in groups if group["name"].endswith(f"-lane-{lane}") for rule in group["rules"]]
            self.assertGreater(len(exprs), 15)
            self.assertTrue(all(f'job="news-lane-{lane}"' in expr for expr in exprs))

    def test_strimzi_makes_the_topics_and_rights_of_all(self):
        topics = {each["metadata"]["name"]: each["spec"] for each in self.of_kind("KafkaTopic")}
        self.assertEqual(topics["articles-changelog"]["partitions"], 4)
        for lane in range(4):
            self.assertEqual(topics[f"articles-lease-{lane}"]["partitions"], 1)
        self.assertNotIn("articles-lease", topics)
        self.assertEqual(topics["articles-groups"]["config"]["cleanup.policy"], "compact")
        granted = {(acl["resource"]["type"], acl["resource"]["name"]) for acl in
                   self.of_kind("KafkaUser")[0]["spec"]["authorization"]["acls"]}
        for lane in range(4):
            self.assertLessEqual({("topic", f"articles-lease-{lane}"), ("group", f"articles-lease-{lane}"),
                                  ("transactionalId", f"articles-lane-{lane}")}, granted)

    def test_helm_test_asks_the_instances_of_all(self):
        containers = self.of_kind("Pod")[0]["spec"]["containers"]
        self.assertEqual(len(containers), 8)
        self.assertIn("http://news-neardup-lane-3-1.news-neardup.search.svc:", containers[-1]["args"][-1])

    def test_a_release_for_one_of_them_is_like_any_other(self):
        found = objects(sets=with_required(config__app="articles", config__lanes={"count": 4, "lane": 2}))
        self.assertEqual(found["StatefulSet"]["metadata"]["name"], "news-neardup")
        self.assertNotIn("NEARDUP_LANES__LANE", json.dumps(container_of(found)))


if __name__ == "__main__":
    unittest.main(verbosity=2)
