"""The chart with real pods: installed on the cluster that kubectl points to, with a real Kafka on this machine.

    PODS_HOST=ADDRESS E2E_BUILD=build/release python3 tests/helm/pods_test.py

PODS_HOST: an address of this machine that pods can reach. PODS_IMAGE: the image, which the nodes must have (default:
neardup with the version of the chart). Needs kubectl, helm and kcat on the PATH.

Records are written all the time. Each event prints for how long readers of the outputs got nothing, and at the end
`neardup verify` looks at every record.
"""

import json
import os
import subprocess
import sys
import threading
import time
import unittest

import yaml

import chart

sys.path.insert(0, str(chart.ROOT / "tests" / "e2e"))
from harness import KafkaTest, free_port, run  # noqa: E402 (needs the path above)

HOST = os.environ["PODS_HOST"]
VERSION = yaml.safe_load((chart.CHART / "Chart.yaml").read_text())["appVersion"]
IMAGE = os.environ.get("PODS_IMAGE", f"neardup:{VERSION}")
NAMESPACE, RELEASE = "neardup-pods-test", "news"
PORT, PODS_PORT = free_port(), free_port()
PER_SECOND = 200
BACKLOG = int(os.environ.get("PODS_BACKLOG", "200000"))
READY_S = 180


class Reader(threading.Thread):
    """Reads committed records of the outputs, and remembers the longest time without one."""

    def __init__(self, brokers, topics):
        super().__init__(daemon=True)
        self.lock = threading.Lock()
        self.records, self.silence, self.last = 0, 0.0, time.monotonic()
        self.process = subprocess.Popen(
            ["kcat", "-q", "-u", "-b", brokers, "-G", f"pods-test-{os.getpid()}", "-X", "auto.offset.reset=earliest",
             "-X", "isolation.level=read_committed", "-X", "topic.metadata.refresh.interval.ms=500",
             "-f", "%o\n", *topics], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def run(self):
        for _ in self.process.stdout:
            now = time.monotonic()
            with self.lock:
                self.silence = max(self.silence, now - self.last)
                self.records, self.last = self.records + 1, now

    def longest(self):
        """The longest silence since the last call, one that still lasts included."""
        with self.lock:
            now = time.monotonic()
            silence = max(self.silence, now - self.last)
            self.silence, self.last = 0.0, now
            return silence

    def count(self):
        with self.lock:
            return self.records

    def stop(self):
        self.process.kill()
        self.process.wait()


class Pods(KafkaTest):
    kafka_options = (
        "--port", str(PORT), "--fast-start",
        "--property", f"listeners=PLAINTEXT://127.0.0.1:{PORT},CONTROLLER://127.0.0.1:{PORT + 1},"
                      f"PODS://{HOST}:{PODS_PORT}",
        "--property", f"advertised.listeners=PLAINTEXT://127.0.0.1:{PORT},PODS://{HOST}:{PODS_PORT}",
        "--property", "listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,PODS:PLAINTEXT")

    # ---- the cluster

    def kubectl(self, *arguments, may_fail=False):
        done = run("kubectl", "--namespace", NAMESPACE, *arguments, code=None)
        if not may_fail:
            self.assertEqual(done.returncode, 0, f"kubectl {arguments}: {done.stderr}{self.trouble()}")
        return done

    def helm(self, *arguments):
        done = run("helm", "--namespace", NAMESPACE, *arguments, code=None)
        self.assertEqual(done.returncode, 0, f"helm {arguments}: {done.stderr}{done.stdout}{self.trouble()}")
        return done.stdout

    def trouble(self):
        """What the cluster says of the pods, for a failure."""
        pods = run("kubectl", "--namespace", NAMESPACE, "get", "pods", "-o", "wide").stdout
        events = run("kubectl", "--namespace", NAMESPACE, "get", "events", "--sort-by=.lastTimestamp").stdout
        logs = run("kubectl", "--namespace", NAMESPACE, "logs", "-l", "app.kubernetes.io/name=neardup", "--tail=15").stdout
        return f"\n{pods}\n{events[-3000:]}\n{logs}"

    def pods(self):
        found = json.loads(self.kubectl("get", "pods", "-l", "app.kubernetes.io/component!=test", "-o", "json").stdout)
        return [pod for pod in found["items"] if pod["metadata"].get("ownerReferences")]

    def state(self, pod):
        """What the instance says of itself: active, standby, ..., or nothing."""
        done = self.kubectl("exec", pod, "--", "neardup", "healthcheck", "--url", "http://127.0.0.1:9404/readyz",
                            may_fail=True)
        words = done.stdout.split()
        return words[1].strip(":,;") if done.returncode == 0 and len(words) > 1 else ""

    def states(self):
        return sorted(self.state(pod["metadata"]["name"]) for pod in self.pods())

    def active(self):
        (name,) = (pod["metadata"]["name"] for pod in self.pods() if self.state(pod["metadata"]["name"]) == "active")
        return name

    def ready(self):
        """Whether the cluster, too, knows that both are ready: the budget counts only such pods."""
        conditions = [{each["type"]: each["status"] for each in pod["status"].get("conditions", [])}
                      for pod in self.pods()]
        return len(conditions) == 2 and all(each.get("Ready") == "True" for each in conditions)

    def wait_for_both(self):
        self.wait(lambda: self.ready() and self.states() == ["active", "standby"],
                  f"one active instance and one standby, both ready{self.trouble()}", READY_S)

    # ---- the test

    def values(self, **more):
        repository, _, tag = IMAGE.rpartition(":")
        return chart.values_arguments(sets={
            "kafka.bootstrapServers": f"{HOST}:{PODS_PORT}", "image.repository": repository, "image.tag": tag,
            "image.pullPolicy": "Never", "resources.requests.cpu": "100m", "persistence.size": "1Gi",
            "memory.inputPartitions": 4, "minReadySeconds": 1,
            "config": {
                "input": {"topics": self.topics},
                "record": {"fields": ["title", "body", "name", "brand", "description"], "record_bytes_max": "1MiB"},
                "match": {"mode": "near"},
                "window": {"entries_max": 500000},
                "kafka": {"prefetch_bytes_max": "64MiB"},
                "state": {"snapshot_interval_ms": "5s"}},
            **more})

    def event(self, name, cause):
        """Causes the event, waits until both instances are well again and output flows, and prints the silence."""
        self.reader.longest()
        cause()
        self.wait_for_both()
        before = self.reader.count()
        self.wait(lambda: self.reader.count() > before, "output", READY_S)
        silence = self.reader.longest()
        self.silences[name] = silence
        print(f"{name:60s} {silence:6.1f} s without output", flush=True)

    def setUp(self):
        super().setUp()
        self.silences = {}
        self.create_topics()
        run("kubectl", "delete", "namespace", NAMESPACE, "--ignore-not-found", "--wait")
        run("kubectl", "create", "namespace", NAMESPACE)
        self.addCleanup(run, "kubectl", "delete", "namespace", NAMESPACE, "--wait=false")
        run("kubectl", "label", "namespace", NAMESPACE, "pod-security.kubernetes.io/enforce=restricted")

    def test_records_flow_through_everything_that_operators_do(self):
        self.helm("install", RELEASE, chart.CHART, *self.values(), "--wait", "--timeout", "180s")
        self.wait_for_both()
        self.writer = self.feed(PER_SECOND)
        outputs = [f"{topic}.{kind}" for topic in self.topics for kind in ("unique", "duplicate", "dead-letter")]
        self.reader = Reader(self.brokers, outputs)
        self.reader.start()
        self.addCleanup(self.reader.stop)
        self.wait(lambda: self.reader.count() > 0, f"the first output{self.trouble()}", READY_S)
        print(flush=True)
        self.event("nothing (for comparison), 10 s", lambda: time.sleep(10))
        self.event("the active pod is deleted", lambda: self.kubectl("delete", "pod", self.active()))
        self.event("the active pod is deleted without a grace period", lambda: self.kubectl(
            "delete", "pod", self.active(), "--grace-period=0", "--force"))
        self.event("the node is drained under the budget", self.drain)
        self.event("an upgrade with another setting", lambda: self.upgrade(level="debug"))
        self.event("an upgrade with OnDelete, and scripts/roll-out", self.roll_out)
        self.event("a rollback", lambda: self.helm("rollback", RELEASE, "2", "--wait", "--timeout", "180s"))
        self.event("helm test", lambda: self.helm("test", RELEASE, "--timeout", "120s"))
        self.event(f"a backlog of {BACKLOG} records after a stop", self.backlog)
        self.judge()
        self.uninstall()

    def drain(self):
        """The budget lets one pod go. The other one must keep the lane, or get it."""
        (node,) = {pod["spec"]["nodeName"] for pod in self.pods()}
        try:
            done = self.kubectl("drain", node, "--ignore-daemonsets", "--delete-emptydir-data", "--timeout=20s",
                                f"--pod-selector=app.kubernetes.io/instance={RELEASE}", may_fail=True)
            self.assertNotEqual(done.returncode, 0, f"the budget lets both pods go: {done.stdout}{done.stderr}")
            self.assertIn("disruption budget", done.stderr + done.stdout)
            self.wait(lambda: self.states() == ["", "active"], "one evicted pod, the other one active", READY_S)
        finally:
            self.kubectl("uncordon", node)

    def upgrade(self, level, **more):
        before = {pod["metadata"]["uid"] for pod in self.pods()}
        self.helm("upgrade", RELEASE, chart.CHART, *self.values(**{"config.log.level": level}, **more), "--wait",
                  "--timeout", "180s")
        self.wait(lambda: not before & {pod["metadata"]["uid"] for pod in self.pods()}, "new pods", READY_S)

    def roll_out(self):
        active = self.active()
        self.helm("upgrade", RELEASE, chart.CHART,
                  *self.values(**{"config.log.level": "info", "updateStrategy.type": "OnDelete"}))
        run(chart.ROOT / "scripts" / "roll-out", "--namespace", NAMESPACE, f"{RELEASE}-neardup")
        self.wait_for_both()
        self.assertNotEqual(self.active(), active, "the lane should have moved once")

    def backlog(self):
        """Both instances stop, records pile up, and then the service takes them under its memory limit."""
        name = f"statefulset/{RELEASE}-neardup"
        self.kubectl("scale", name, "--replicas=0")
        self.wait(lambda: not self.pods(), "no pods", READY_S)
        self.load("fill", "--topics", ",".join(self.topics), "--records", BACKLOG, "--seed", 7)
        before = self.reader.count()
        self.kubectl("scale", name, "--replicas=2")
        self.wait(lambda: self.reader.count() >= before + BACKLOG, "the backlog decided", 600)
        for pod in self.pods():
            (status,) = pod["status"]["containerStatuses"]
            self.assertEqual(status["restartCount"], 0, status)
            (container,) = pod["spec"]["containers"]
            limit = int(container["resources"]["limits"]["memory"].removesuffix("Mi")) << 20
            # The chart rounds up to whole MiB.
            self.assertEqual(limit >> 20, -(-self.printed_bound() >> 20))
            resident = next(line for line in self.kubectl(
                "exec", pod["metadata"]["name"], "--", "cat", "/proc/1/status").stdout.splitlines()
                if line.startswith("VmHWM"))
            print(f"{pod['metadata']['name']}: limit {limit} bytes, {' '.join(resident.split())}", flush=True)

    def printed_bound(self):
        done = run(chart.NEARDUP, "config", "show", "--config", self.config_file(), "--partitions", 4)
        total = next(line for line in done.stdout.splitlines() if line.split()[1:2] == ["total"])
        return int(total.split()[2])

    def config_file(self):
        """The configuration of the pods, with the brokers' address for programs of this machine."""
        text = json.loads(self.kubectl("get", "configmap", f"{RELEASE}-neardup", "-o", "json").stdout)
        config = yaml.safe_load(text["data"]["neardup.yaml"])
        config["kafka"]["brokers"] = self.brokers
        path = self.directory / "pods.yaml"
        path.write_text(json.dumps(config))
        return path

    def judge(self):
        written = self.finish(self.writer)
        self.wait(lambda: self.reader.count() >= written, "all records decided", READY_S)
        self.assert_promises_kept(self.config_file(), written)
        print(f"{written} records, verify finds every one of them once", flush=True)

    def uninstall(self):
        self.helm("uninstall", RELEASE, "--wait")
        claims = json.loads(self.kubectl("get", "persistentvolumeclaims", "-o", "json").stdout)["items"]
        self.assertEqual(len(claims), 2, "the volumes must stay after helm uninstall")


if __name__ == "__main__":
    unittest.main(verbosity=2)
