"""How long the output of a lane pauses when its active instance ends, on a real Kafka under an even load.

    scripts/bench take-over [--lanes 4] [--seconds 1200] [--starts 10] [--per-second 2000] [--json FILE]

Each lane has an active instance and a standby. Again and again, the active instance of a lane that has both is killed
(SIGKILL) or stopped (SIGTERM), and a new instance is started in its place. The broker writes the time of each delta of
the changelog. A pause is the longest time between two deltas of a lane that reaches into the five seconds after the
strike. It counts for the lane that was struck, and for each other lane that was not struck within 20 seconds. Then
lane 0 is left without an instance again and again, and one is started: the time from the start of the process until its
first delta of decided records is written. At the end, `neardup verify` checks every lane. The broker, all instances and
the loader share this machine.
"""

import argparse
import json
import math
import os
import pathlib
import platform
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
from harness import LOADER, NEARDUP, Service, run  # noqa: E402

PARTITIONS = 16
TOPIC, APP = "articles", "take-over"
AFTERWARDS_MS = 5000
READY_S = 120


class Lane:
    """The instances of one lane. The first one of the list is the oldest."""

    def __init__(self, number, config, folder):
        self.number, self.config, self.folder = number, config, folder
        self.instances, self.started = [], 0
        self.start()
        self.start()

    def start(self):
        name = f"lane-{self.number}-{self.started}"
        self.started += 1
        more = ("--set", f"lanes.lane={self.number}", "--set", f"state.dir={self.folder / name}")
        self.instances.append(Service(self.config, self.folder / f"{name}.log", *more))

    def active(self):
        """The active instance; None while there is none."""
        return next((each for each in self.instances if each.get("/readyz") == (200, "active\n")), None)

    def is_whole(self):
        answers = sorted(each.get("/readyz")[1] for each in self.instances)
        return answers == ["active\n", "standby\n"]

    def check(self):
        for each in self.instances:
            if each.process.poll() is not None:
                sys.exit(f"an instance of lane {self.number} has ended:\n{each.text()[-3000:]}")


class Bench:
    def __init__(self, arguments, folder):
        self.arguments, self.folder = arguments, folder
        self.random = random.Random(arguments.seed)
        started = run(ROOT / "scripts/kafka", "start", "--dir", folder / "kafka", "--port", "0", "--fast-start")
        self.brokers = started.stdout.split()[-1]
        self.config = folder / "take-over.yaml"
        self.config.write_text(json.dumps({
            "app": APP, "kafka": {"brokers": self.brokers}, "input": {"topics": [TOPIC]},
            "record": {"fields": ["title", "body", "name", "brand", "description"]}, "match": {"mode": "near"},
            "lanes": {"count": arguments.lanes}, "transaction": {"interval_ms": f"{arguments.interval_ms}ms"},
            "lease": {"listen": not arguments.no_listen}, "threads": {"fingerprint": 1}}))
        self.load("create", "--topic", TOPIC, "--partitions", PARTITIONS)
        self.load("create", "--topic", f"{APP}-changelog", "--partitions", arguments.lanes, "--config",
                  "cleanup.policy=delete", "--config", "retention.bytes=-1", "--config",
                  "message.timestamp.type=LogAppendTime")

    def load(self, *arguments):
        return run(LOADER, "--brokers", self.brokers, *arguments).stdout

    def strike(self, lane):
        """Ends the active instance of a lane. Returns (lane, how, when)."""
        active = lane.active()
        how = self.random.choice(("kill", "stop"))
        at_ms = time.time_ns() // 1_000_000
        lane.instances.remove(active)
        if how == "kill":
            active.kill()
        else:
            code, _ = active.terminate()
            if code != 0:
                sys.exit(f"lane {lane.number}: SIGTERM ended with {code}:\n{active.text()[-3000:]}")
        return lane.number, how, at_ms

    def strikes(self, lanes):
        """Until the time is over. Leaves all lanes whole."""
        done, end = [], time.monotonic() + self.arguments.seconds
        while time.monotonic() < end:
            time.sleep(self.random.uniform(1, 4))
            whole = [lane for lane in lanes if lane.is_whole()]
            if whole:
                lane = self.random.choice(whole)
                done.append(self.strike(lane))
                time.sleep(self.random.uniform(0, 3))
                lane.start()
            for lane in lanes:
                lane.check()
        self.await_whole(lanes)
        return done

    def starts(self, lane):
        """When instances of the lane were started that had no other one beside them."""
        begun = []
        for _ in range(self.arguments.starts):
            for each in lane.instances:
                each.terminate()
            lane.instances.clear()
            time.sleep(self.random.uniform(1, 3))
            begun.append(time.time_ns() // 1_000_000)
            lane.start()
            while not lane.active():
                lane.check()
                time.sleep(0.05)
        lane.start()
        return begun

    def await_whole(self, lanes):
        deadline = time.monotonic() + READY_S
        while not all(lane.is_whole() for lane in lanes):
            if time.monotonic() > deadline:
                sys.exit(f"a lane had no active instance and standby after {READY_S} s")
            time.sleep(0.2)

    def deltas_ms(self, lane):
        """When each committed delta of a lane was written."""
        shown = run("kcat", "-C", "-b", self.brokers, "-t", f"{APP}-changelog", "-p", lane, "-e", "-q", "-f", "%T\n",
                    "-o", "beginning")
        return [int(line) for line in shown.stdout.split()]

    def measure(self):
        lanes = [Lane(number, self.config, self.folder) for number in range(self.arguments.lanes)]
        feed = None
        try:
            self.await_whole(lanes)
            feed = subprocess.Popen([str(LOADER), "--brokers", self.brokers, "fill", "--topics", TOPIC, "--records",
                                     str(max(1, self.arguments.per_second // 5)), "--seed", str(self.arguments.seed),
                                     "--per-second", str(self.arguments.per_second), "--until-stopped"])
            time.sleep(5)
            done = self.strikes(lanes)
            begun = self.starts(lanes[0])
            feed.terminate()
            if feed.wait(timeout=120) != 0:
                sys.exit("the loader failed")
            self.load("await-group", "--group", APP, "--topics", TOPIC)
        finally:
            if feed and feed.poll() is None:
                feed.kill()
            takeovers = sum(each.metric("neardup_takeovers_total") for lane in lanes for each in lane.instances)
            for lane in lanes:
                for each in lane.instances:
                    if each.process.poll() is None:
                        each.terminate()
        verified = run(NEARDUP, "verify", "--config", self.config, "--json", code=None)
        if verified.returncode != 0:
            sys.exit(f"verify found breaches:\n{verified.stdout[-6000:]}{verified.stderr[-3000:]}")
        report = json.loads(verified.stdout)
        return {"strikes": len(done), "verify": "clean", "takeovers_of_last_instances": int(takeovers),
                "records": sum(each["inputs"] for each in report.get("lanes", [report])), **self.pauses(done, begun)}

    def pauses(self, done, begun):
        """Percentiles of the pauses, in seconds."""
        deltas = [self.deltas_ms(lane) for lane in range(self.arguments.lanes)]
        found = {"kill": [], "stop": [], "others": []}
        # The first delta opens the lane; the second one holds records.
        found["start"] = [([each for each in deltas[0] if each > at_ms][1] - at_ms) / 1000 for at_ms in begun]
        for number, how, at_ms in done:
            found[how].append(longest_pause_s(deltas[number], at_ms))
            for lane in range(self.arguments.lanes):
                if not any(n == lane and abs(at - at_ms) < 4 * AFTERWARDS_MS for n, _, at in done):
                    found["others"].append(longest_pause_s(deltas[lane], at_ms))
        return {name: summary(values) for name, values in found.items()}


def longest_pause_s(deltas, at_ms):
    """The longest time between two deltas that reaches into the time after a strike."""
    pauses = [later - earlier for earlier, later in zip(deltas, deltas[1:])
              if later > at_ms and earlier < at_ms + AFTERWARDS_MS]
    return max(pauses) / 1000


def summary(values):
    if not values:
        return {}
    values = sorted(values)
    return {"count": len(values), "median_s": statistics.median(values), "p99_s": values[math.ceil(0.99 * len(values)) - 1],
            "max_s": values[-1]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lanes", type=int, default=4)
    parser.add_argument("--seconds", type=int, default=1200)
    parser.add_argument("--starts", type=int, default=10)
    parser.add_argument("--per-second", type=int, default=2000, help="records, in all lanes")
    parser.add_argument("--interval-ms", type=int, default=100, help="transaction.interval_ms")
    parser.add_argument("--no-listen", action="store_true", help="set lease.listen to false: the lease alone decides")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="neardup-take-over-"))
    try:
        bench = Bench(arguments, folder)
        found = bench.measure()
    finally:
        subprocess.run([ROOT / "scripts/kafka", "stop", "--dir", folder / "kafka"], check=False)
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{arguments.lanes} lanes with a standby each, {PARTITIONS} partitions, {arguments.per_second} records/s, "
          f"transactions of {arguments.interval_ms} ms, {arguments.seconds} s; {os.cpu_count()} cores, "
          f"{platform.machine()}")
    print(f"{found['records']} records, {found['strikes']} strikes, verify: {found['verify']}")
    for name, title in (("kill", "the lane whose active instance is killed"), ("stop", "... is stopped (SIGTERM)"),
                        ("others", "every other lane meanwhile"), ("start", "from a start to the first records")):
        row = found[name]
        if row:
            print(f"{title:45} {row['count']:5} times   median {row['median_s']:6.2f} s   p99 {row['p99_s']:6.2f} s   "
                  f"max {row['max_s']:6.2f} s")
    if arguments.json:
        found["takeover_kill_s"] = found["kill"].get("median_s")
        found["start_s"] = found["start"].get("median_s")
        arguments.json.write_text(json.dumps({**vars(arguments), **found}, indent=1, default=str))


if __name__ == "__main__":
    main()
