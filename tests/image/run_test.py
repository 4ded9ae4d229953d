"""The container image on a real Kafka, as a production container runs: read-only root, no rights, and no more memory
than `neardup config show` prints.

    scripts/image test    builds the image and runs this
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
IMAGE = sys.argv.pop(1)
RECORDS = 20000
PARTITIONS = 4
STOP_S_MAX = 10
CONFIG = "/etc/neardup/neardup.yaml"


def run(*command, **options):
    return subprocess.run([str(part) for part in command], text=True, capture_output=True, **options)


def podman(*arguments):
    return run(ROOT / "scripts/image", "podman", *arguments)


def output_of(done):
    if done.returncode != 0:
        raise AssertionError(f"{done.args} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


class Image(unittest.TestCase):
    """What the image promises before it runs."""

    @classmethod
    def setUpClass(cls):
        cls.image, = json.loads(output_of(podman("image", "inspect", IMAGE)))

    def test_its_user_volume_and_health_check_are_those_of_the_documentation(self):
        config = self.image["Config"]
        self.assertEqual(config["User"], "10001:10001")
        self.assertEqual(config["Volumes"], {"/var/lib/neardup": {}})
        self.assertEqual(config["Entrypoint"], ["neardup"])
        self.assertEqual(self.image["Healthcheck"]["Test"],
                         ["CMD", "neardup", "healthcheck", "--url", "http://127.0.0.1:9404/healthz"])

    def test_its_labels_name_the_program_that_it_holds(self):
        labels = self.image["Labels"]
        printed = output_of(podman("run", "--rm", IMAGE, "version"))
        self.assertIn(labels["org.opencontainers.image.version"], printed)
        self.assertIn(labels["org.opencontainers.image.revision"], printed)
        self.assertEqual(labels["org.opencontainers.image.licenses"], "Apache-2.0")

    def test_it_holds_no_compiler_and_no_headers(self):
        found = output_of(podman("run", "--rm", "--entrypoint", "sh", IMAGE, "-c",
                                 "ls /usr/bin/c++ /usr/bin/cmake /usr/include/librdkafka /neardup 2>/dev/null; true"))
        self.assertEqual(found, "")

    def test_the_demo_runs_without_network_and_without_a_place_to_write(self):
        done = podman("run", "--rm", "--read-only", "--read-only-tmpfs=false", "--network", "none", "--cap-drop", "all",
                      IMAGE, "demo", "--records", "2000")
        self.assertIn("planted copies", output_of(done))


class Service(unittest.TestCase):
    """The service in a container. The tests of this class run in the order of their names."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="neardup-image-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.addClassCleanup(run, ROOT / "scripts/kafka", "stop", "--dir", cls.folder / "kafka")
        started = run(ROOT / "scripts/kafka", "start", "--dir", cls.folder / "kafka", "--port", "0", "--property",
                      "auto.create.topics.enable=true", "--property", f"num.partitions={PARTITIONS}")
        brokers = output_of(started).split()[-1]
        cls.config = cls.folder / "neardup.yaml"
        cls.config.write_text(json.dumps({
            "kafka": {"brokers": brokers}, "input": {"topics": ["articles"]},
            "record": {"fields": ["title", "text"]}, "match": {"mode": "near"},
            "state": {"snapshot_interval_ms": 1000}}))
        cls.config.chmod(0o644)
        records = cls.folder / "articles.jsonl"
        records.write_text(output_of(run(ROOT / "scripts/synthetic-articles", RECORDS)))
        output_of(run("kcat", "-b", brokers, "-P", "-t", "articles", "-l", records))
        cls.name = f"neardup-test-{cls.folder.name}"
        cls.addClassCleanup(podman, "rm", "--force", "--volumes", cls.name)
        cls.memory_bytes = cls.printed_memory_bytes()
        output_of(podman("run", "--detach", "--name", cls.name, "--network", "host", "--read-only",
                         "--read-only-tmpfs=false", "--cap-drop", "all", "--security-opt", "no-new-privileges",
                         "--memory", f"{cls.memory_bytes}b", "--memory-swap", f"{cls.memory_bytes}b",
                         "--volume", f"{cls.config}:{CONFIG}:ro", IMAGE))

    @classmethod
    def command(cls, *arguments):
        return podman("run", "--rm", "--network", "host", "--read-only", "--volume", f"{cls.config}:{CONFIG}:ro", IMAGE,
                      *arguments)

    @classmethod
    def printed_memory_bytes(cls):
        shown = output_of(cls.command("config", "show", "--config", CONFIG, "--partitions", PARTITIONS))
        return int(re.search(r"^# +total +(\d+)", shown, re.M).group(1))

    def inside(self, *command):
        return podman("exec", self.name, *command)

    def state(self):
        return json.loads(output_of(podman("inspect", self.name)))[0]["State"]

    def wait(self, condition, what, seconds=120):
        deadline = time.monotonic() + seconds
        while not condition():
            if not self.state()["Running"] or time.monotonic() > deadline:
                logs = podman("logs", "--tail", 30, self.name)
                self.fail(f"{what}: did not happen\n{logs.stdout}{logs.stderr}")
            time.sleep(0.2)

    def test_1_it_runs_without_rights_and_within_its_memory_limit(self):
        self.wait(lambda: self.inside("neardup", "healthcheck").returncode == 0, "ready")
        status = output_of(self.inside("cat", "/proc/1/status"))
        self.assertRegex(status, r"(?m)^Uid:\t10001\t10001\t10001\t10001$")
        self.assertRegex(status, r"(?m)^CapEff:\t0+$")
        self.assertRegex(status, r"(?m)^NoNewPrivs:\t1$")
        limit = output_of(self.inside("sh", "-c", "cat /sys/fs/cgroup/memory.max 2>/dev/null || "
                                      "cat /sys/fs/cgroup/memory/memory.limit_in_bytes"))
        page_bytes = 4096
        self.assertEqual(int(limit), self.memory_bytes // page_bytes * page_bytes)

    def test_2_it_can_write_only_its_volume(self):
        self.assertIn("Read-only file system", self.inside("touch", "/etc/neardup/other").stderr)
        self.assertIn("Read-only file system", self.inside("touch", "/tmp/other").stderr)
        self.wait(lambda: self.inside("neardup", "snapshot", "verify", "--state-dir", "/var/lib/neardup").returncode == 0,
                  "a whole snapshot on the volume")

    def test_3_it_routes_a_topic_and_verify_finds_every_promise_kept(self):
        def report():
            return self.command("verify", "--config", CONFIG)
        self.wait(lambda: f"input records {RECORDS}:" in report().stdout and report().returncode == 0,
                  "all records decided and verified")

    def test_4_its_health_check_answers(self):
        done = podman("healthcheck", "run", self.name)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_5_it_stops_within_its_time_and_starts_again_from_its_volume(self):
        begin = time.monotonic()
        # After this time podman kills the process, and the exit code is not 0.
        output_of(podman("stop", "--time", STOP_S_MAX, self.name))
        seconds = time.monotonic() - begin
        state = self.state()
        self.assertEqual((state["ExitCode"], state["OOMKilled"]), (0, False))
        output_of(podman("start", self.name))
        self.wait(lambda: self.inside("neardup", "healthcheck").returncode == 0, "ready again")
        logs = podman("logs", self.name)
        self.assertRegex(logs.stdout + logs.stderr, "restored")
        output_of(podman("stop", "--time", 60, self.name))
        print(f"limit {self.memory_bytes} bytes, stopped in {seconds:.1f} s", file=sys.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
