"""config/compose: what can be checked of it without the images of others."""

import os
import pathlib
import re
import subprocess
import unittest

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMPOSE = ROOT / "config/compose"
NEARDUP = os.environ["NEARDUP"]


def run(*command):
    return subprocess.run([str(part) for part in command], text=True, capture_output=True)


class Compose(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.compose = yaml.safe_load((COMPOSE / "compose.yaml").read_text())
        cls.services = cls.compose["services"]
        cls.ours = {name: each for name, each in cls.services.items() if each["image"].startswith("neardup:")}

    def mounts(self, service):
        return [mount.split(":") for mount in self.services[service].get("volumes", [])]

    def test_every_mounted_file_exists_and_every_volume_is_declared(self):
        for name in self.services:
            for source, *_ in self.mounts(name):
                with self.subTest(name, source=source):
                    if source.startswith("."):
                        self.assertTrue((COMPOSE / source).exists())
                    else:
                        self.assertIn(source, self.compose["volumes"])

    def test_what_a_service_depends_on_exists(self):
        for name, service in self.services.items():
            for other in service.get("depends_on", {}):
                self.assertIn(other, self.services, name)

    def test_every_image_has_a_version(self):
        version = re.search(r"project\(neardup VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
        for name, service in self.services.items():
            self.assertRegex(service["image"], r":v?\d+(\.\d+)+(-slim)?$", name)
        for service in self.ours.values():
            self.assertEqual(service["image"], f"neardup:{version}")
            self.assertTrue((COMPOSE / service["build"]["context"] / service["build"]["dockerfile"]).exists())

    def test_the_instances_mount_what_the_image_expects_and_share_no_state(self):
        self.assertEqual(set(self.ours), {"neardup", "standby"})
        states = set()
        for name in self.ours:
            mounts = {target: source for source, target, *_ in self.mounts(name)}
            self.assertEqual(set(mounts), {"/etc/neardup/neardup.yaml", "/var/lib/neardup"})
            states.add(mounts["/var/lib/neardup"])
        self.assertEqual(len(states), 2)

    def test_the_configuration_is_valid_and_the_memory_limit_is_the_printed_total(self):
        config = COMPOSE / "neardup.yaml"
        self.assertEqual(run(NEARDUP, "validate", "--config", config).stdout, "valid\n")
        topic = self.services["topic"]["command"]
        partitions = topic[topic.index("--partitions") + 1]
        self.assertEqual(topic[topic.index("--topic") + 1],
                         yaml.safe_load(config.read_text())["input"]["topics"][0])
        shown = run(NEARDUP, "config", "show", "--config", config, "--partitions", partitions).stdout
        total = re.search(r"(?m)^# +total +(\d+)", shown).group(1)
        for name, service in self.ours.items():
            self.assertEqual(service["mem_limit"], f"{total}b", name)

    def test_prometheus_scrapes_each_instance_with_the_labels_of_the_dashboard(self):
        path = COMPOSE / "prometheus.yaml"
        done = run("promtool", "check", "config", path)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        job, = yaml.safe_load(path.read_text())["scrape_configs"]
        targets, = job["static_configs"]
        self.assertEqual(set(targets["targets"]), {f"{name}:9404" for name in self.ours})
        self.assertEqual(set(targets["labels"]), {"namespace"})

    def lanes(self):
        """The services of lanes.yaml that run a lane, by name."""
        services = yaml.safe_load((COMPOSE / "lanes.yaml").read_text())["services"]
        return {name: each for name, each in services.items() if "NEARDUP_LANES__LANE" in each.get("environment", {})}

    def test_the_lanes_of_the_second_file_are_those_of_the_first_with_a_state_each(self):
        lanes = self.lanes()
        self.assertEqual(set(self.ours), {name for name in lanes if "image" not in lanes[name]})
        topic = self.services["topic"]["command"]
        partitions = int(topic[topic.index("--partitions") + 1])
        numbers = [int(each["environment"]["NEARDUP_LANES__LANE"]) for each in lanes.values()]
        self.assertEqual(set(numbers), set(range(partitions)))
        declared = yaml.safe_load((COMPOSE / "lanes.yaml").read_text())["volumes"]
        states = set()
        for name, lane in lanes.items():
            environment = lane["environment"]
            self.assertEqual(environment["NEARDUP_LANES__COUNT"], str(partitions))
            checked = subprocess.run([NEARDUP, "validate", "--config", COMPOSE / "neardup.yaml"], text=True,
                                     capture_output=True, env={**os.environ, **environment})
            self.assertEqual(checked.stdout, "valid\n", checked.stderr)
            if name in self.ours:
                continue
            same = {key for key in self.ours["neardup"] if key not in ("ports", "volumes")}
            self.assertEqual({key: lane[key] for key in same}, {key: self.ours["neardup"][key] for key in same})
            mounts = dict(reversed(mount.split(":")[:2]) for mount in lane["volumes"])
            self.assertEqual(mounts["/etc/neardup/neardup.yaml"], "./neardup.yaml")
            states.add(mounts["/var/lib/neardup"])
        self.assertEqual(states, set(declared))

    def test_prometheus_scrapes_each_lane_as_a_job(self):
        path = COMPOSE / "prometheus-lanes.yaml"
        done = run("promtool", "check", "config", path)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        expected = {}
        for name, lane in self.lanes().items():
            expected.setdefault(f'neardup-lane-{lane["environment"]["NEARDUP_LANES__LANE"]}', []).append(f"{name}:9404")
        found = {job["job_name"]: job["static_configs"][0]["targets"]
                 for job in yaml.safe_load(path.read_text())["scrape_configs"]}
        self.assertEqual(found, expected)

    def test_the_producer_of_the_lanes_gives_each_article_its_site_as_the_key(self):
        command = yaml.safe_load((COMPOSE / "lanes.yaml").read_text())["services"]["producer"]["command"][-1]
        awk = re.search(r"^(awk '.*')\s+/stream", command, re.S).group(1).replace("$$", "$").replace('system("sleep 1")', "")
        articles = subprocess.run([ROOT / "scripts/synthetic-articles", "200"], text=True, capture_output=True).stdout
        keyed = subprocess.run(["sh", "-c", awk], input=articles, text=True, capture_output=True).stdout
        self.assertEqual(len(keyed.splitlines()), 200)
        for line, article in zip(keyed.splitlines(), articles.splitlines()):
            self.assertEqual(line, f'{yaml.safe_load(article)["site"]}|{article}')

    def test_grafana_finds_prometheus_and_the_dashboard(self):
        source, = yaml.safe_load((COMPOSE / "grafana-datasource.yaml").read_text())["datasources"]
        self.assertEqual((source["url"], source["isDefault"]), ("http://prometheus:9090", True))
        provider, = yaml.safe_load((COMPOSE / "grafana-dashboards.yaml").read_text())["providers"]
        targets = [target for _, target, *_ in self.mounts("grafana")]
        self.assertIn(provider["options"]["path"] + "/neardup.json", targets)
        self.assertIn(self.services["grafana"]["environment"]["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"], targets)


if __name__ == "__main__":
    unittest.main()
