"""Throughput, CPU and latency of the service on a real Kafka, beside a bare forwarder and Kafka Streams, interleaved.

    scripts/bench end-to-end [--json FILE] [--records N] [--rounds N]
    scripts/bench scale [--json FILE] [--records N] [--rounds N]
    scripts/bench lanes [--json FILE] [--records N] [--rounds N]

The broker and the clients share this machine, and the broker's log is in memory (--dir). Each round runs every
program once on the same filled topic: `consume` only reads; `forward-0` and `forward-1` route records with librdkafka
alone, in transactions of the same length, with 0 and 1 header; `streams` finds equal values with Kafka Streams, exactly
once (tests/bench/streams); `exact` and `near` are neardup. Rates are of whole
processes: from the start to the last commit. CPU is the CPU time of the client process, and of the broker meanwhile,
which includes its work for topics that come and go. The figures are medians of the rounds, and the ratios are medians
of each round's ratio.

`scale` measures neardup alone with 1, 2, 4, 8 ... threads and as many cores, up to all cores. If the machine
has cores to spare, the broker keeps to the others (taskset). The thread that decides, publishes and commits cannot be
spread: its CPU time for a record is the ceiling of one lane. `lanes` measures one, two and four lanes in the same
rounds, each lane a process of its own on the same topic.
"""

import argparse
import json
import os
import pathlib
import platform
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
import kafka_streams  # noqa: E402
PARTITIONS = 8
INTERVAL_MS = 100
SHORT_INTERVAL_MS = 10
WARM_UP_SECONDS = 3
MODES = {"near": {}, "exact": {"match.distance_max": 0}}
STAGES = ("poll", "fingerprint", "lookup", "decide", "commit")


def run(*command):
    done = subprocess.run([str(part) for part in command], text=True, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"{command[0]}: {done.stdout}{done.stderr}")
    return done.stdout


def cpu_seconds(process):
    """CPU of a process, or of one of its threads (PID/task/TID)."""
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Service:
    """neardup, with a configuration of its own."""

    def __init__(self, bench, topic, app, mode, window_entries=1_000_000, interval_ms=INTERVAL_MS, threads=0,
                 lanes=1, lane=0):
        self.port = free_port()
        self.log = bench.folder / f"{app}-{lane}.log"
        settings = {
            "app": app, "kafka.brokers": bench.brokers, "input.topics": f"[{topic}]",
            "output.unique_topic": f"{app}-unique", "output.duplicate_topic": f"{app}-duplicate",
            "output.dead_letter_topic": f"{app}-dead", "record.fields": "[title, body]", "match.mode": "near",
            **MODES[mode],
            "window.entries_max": window_entries, "transaction.interval_ms": f"{interval_ms}ms",
            "metrics.port": self.port, "threads.fingerprint": threads,
            "lanes.count": lanes, "lanes.lane": lane}
        sets = [part for path, value in settings.items() for part in ("--set", f"{path}={value}")]
        self.begun = time.monotonic()
        pinned = ["taskset", "--cpu-list", f"0-{threads - 1}"] if threads else []
        self.process = subprocess.Popen([*pinned, str(bench.build / "neardup"), "run", *sets],
                                        stderr=open(self.log, "wb"))

    def metrics(self):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=5) as answer:
                return answer.read().decode()
        except OSError:
            return ""

    def sums(self, name):
        """Value by label text of all series of the metric."""
        found = re.findall(rf"^{name}(\{{[^}}]*\}})? (\S+)$", self.metrics(), re.M)
        return {labels: float(value) for labels, value in found}

    def decided(self):
        return sum(self.sums("neardup_records_total").values())

    def wait_for(self, records):
        """Waits until this number of records is committed. Returns the seconds since the start."""
        while True:
            if self.process.poll() is not None:
                sys.exit(f"neardup ended: {self.log.read_text()[-2000:]}")
            if self.decided() >= records:
                return time.monotonic() - self.begun
            time.sleep(0.1)  # each question costs the service half a millisecond

    def wait_active(self):
        """Waits until neardup is active. The latency of a record written earlier would include its start."""
        while self.sums("neardup_state").get('{state="active"}') != 1:
            if self.process.poll() is not None:
                sys.exit(f"neardup ended: {self.log.read_text()[-2000:]}")
            time.sleep(0.02)

    def cpu_seconds(self):
        return cpu_seconds(self.process.pid)

    def lane_cpu_seconds(self):
        """CPU of the thread that decides, publishes and commits. It is the first thread of the process."""
        return cpu_seconds(f"{self.process.pid}/task/{self.process.pid}")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=60)


class Streams:
    """StreamsDedupe. Maven fetches Kafka Streams once, and javac of the JDK compiles the program for each run."""

    def __init__(self, folder):
        self.folder = folder
        kafka_streams.compile_into(folder / "streams", ROOT / "tests/bench/streams/StreamsDedupe.java")

    def start(self, brokers, app, topic):
        log = open(self.folder / f"{app}.log", "wb")
        return kafka_streams.start(
            self.folder / "streams", "StreamsDedupe", brokers, app, topic, f"{app}-unique", f"{app}-duplicate",
            str(os.cpu_count()), str(INTERVAL_MS), log=log, options=["-Xmx1g", f"-Dstate.dir={self.folder / app}"])


class Bench:
    def __init__(self, arguments):
        self.arguments = arguments
        self.build = pathlib.Path(arguments.build)
        self.forward = self.build / "bench_forward"
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="neardup-bench-", dir=arguments.dir))
        started = run(ROOT / "scripts/kafka", "start", "--dir", self.folder / "kafka", "--port", "0", "--heap", "2048")
        self.brokers = started.strip().splitlines()[-1]
        self.broker_pid = int((self.folder / "kafka/1/pid").read_text())
        self.figures = {}
        self.number = 0
        self.streams = None if arguments.no_streams else Streams(self.folder)

    def close(self):
        run(ROOT / "scripts/kafka", "stop", "--dir", self.folder / "kafka")
        shutil.rmtree(self.folder)

    def load(self, *arguments):
        return run(self.build / "e2e_load", "--brokers", self.brokers, *arguments)

    def create(self, topic):
        self.load("create", "--topic", topic, "--partitions", PARTITIONS)

    def tool(self, records, command, *arguments):
        return json.loads(run(self.forward, "--brokers", self.brokers, "--records", records, command, *arguments))

    def add(self, name, value, unit):
        self.figures[name] = {"name": name, "value": value, "unit": unit}

    # ---- programs: each returns (records per second, microseconds of CPU for each record)

    def consume(self, topic, records):
        done = self.tool(records, "consume", "--from", topic)
        return records / done["seconds"], done["cpu_seconds"] / records * 1e6

    def forwarder(self, headers):
        def measure(topic, records):
            self.number += 1
            to = f"forward-{self.number}"
            for suffix in ("", "-second"):
                self.create(to + suffix)
            done = self.tool(records, "forward", "--from", topic, "--to", to, "--headers", headers,
                             "--transaction-ms", INTERVAL_MS)
            for suffix in ("", "-second"):
                self.load("drop", "--topic", to + suffix)
            return records / done["seconds"], done["cpu_seconds"] / records * 1e6
        return measure

    def kafka_streams(self, topic, records):
        self.number += 1
        app = f"streams-{self.number}"
        for kind in ("unique", "duplicate"):
            self.create(f"{app}-{kind}")
        begun = time.monotonic()
        process = self.streams.start(self.brokers, app, topic)
        # The offsets of the group are part of the transactions.
        self.load("await-group", "--group", app, "--topics", topic)
        seconds = time.monotonic() - begun
        cpu = cpu_seconds(process.pid)
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)
        for kind in ("unique", "duplicate", "seen-changelog"):
            self.load("drop", "--topic", f"{app}-{kind}")
        return records / seconds, cpu / records * 1e6

    def neardup(self, mode, threads=0):
        def measure(topic, records):
            self.number += 1
            app = f"app-{self.number}"
            service = Service(self, topic, app, mode, threads=threads)
            seconds = service.wait_for(records)
            cpu = service.cpu_seconds()
            self.serial_us = service.lane_cpu_seconds() / records * 1e6
            sums = service.sums("neardup_batch_duration_seconds_sum")
            self.stages = {stage: sums.get(f'{{stage="{stage}"}}', 0) / records * 1e6 for stage in STAGES}
            service.stop()
            self.drop_outputs(app)
            return records / seconds, cpu / records * 1e6
        return measure

    def drop_outputs(self, app):
        for kind in ("unique", "duplicate", "dead", "changelog"):
            self.load("drop", "--topic", f"{app}-{kind}")

    # ---- measurements

    def throughput(self, name, records, *fill):
        topic = f"in-{name}"
        self.create(topic)
        self.tool(records, "fill", "--to", topic, *fill)
        programs = {"consume": self.consume, "forward-0": self.forwarder(0), "forward-1": self.forwarder(1),
                    **({"streams": self.kafka_streams} if self.streams else {}),
                    "exact": self.neardup("exact"), "near": self.neardup("near")}
        rates = {program: [] for program in programs}
        cpu = {program: [] for program in programs}
        broker = {program: [] for program in programs}
        stages, serial = [], []
        self.consume(topic, records)  # warms the broker
        for _ in range(self.arguments.rounds):
            for program, measure in programs.items():
                before = cpu_seconds(self.broker_pid)
                rate, microseconds = measure(topic, records)
                rates[program].append(rate)
                cpu[program].append(microseconds)
                broker[program].append((cpu_seconds(self.broker_pid) - before) / records * 1e6)
                if program == "near":
                    stages.append(self.stages)
                    serial.append(self.serial_us)
        print(f"\n{name}: {records} records, {self.arguments.rounds} rounds, load of the machine now "
              f"{os.getloadavg()[0]:.1f}")
        print(f"{'':12s}{'records/s':>12s}{'range':>22s}{'client us':>12s}{'broker us':>12s}{'of forward-1':>14s}")
        for program in programs:
            ratio = statistics.median(a / b for a, b in zip(rates[program], rates["forward-1"]))
            low, high = min(rates[program]), max(rates[program])
            print(f"{program:12s}{statistics.median(rates[program]):12.0f}{low:11.0f} -{high:9.0f}"
                  f"{statistics.median(cpu[program]):12.2f}{statistics.median(broker[program]):12.2f}{ratio:14.2f}")
            self.add(f"rate_{program}_{name}", statistics.median(rates[program]), "records/s")
            self.add(f"client_us_{program}_{name}", statistics.median(cpu[program]), "us")
            self.add(f"broker_us_{program}_{name}", statistics.median(broker[program]), "us")
            if program == "near":
                self.add(f"ratio_to_forwarder_{name}", ratio, "ratio")
                if self.streams:
                    ratio = statistics.median(a / b for a, b in zip(rates[program], rates["streams"]))
                    print(f"{'':12s}near is {ratio:.2f} times as fast as streams")
                    self.add(f"ratio_to_streams_{name}", ratio, "ratio")
                self.add(f"client_us_{name}", statistics.median(cpu[program]), "us")
        medians = {stage: statistics.median(each[stage] for each in stages) for stage in STAGES}
        print("near, time by stage in us for each record, waits included; poll and fingerprint run beside the others: "
              + ", ".join(f"{stage} {value:.2f}" for stage, value in medians.items()))
        for stage, value in medians.items():
            self.add(f"stage_{stage}_us_{name}", value, "us")
        print(f"near, CPU of the lane's thread, which cannot be spread: {statistics.median(serial):.2f} us for each record")
        self.add(f"serial_us_{name}", statistics.median(serial), "us")
        self.load("drop", "--topic", topic)

    def scale(self, name, records, *fill):
        topic, cores = f"in-{name}", os.cpu_count()
        self.create(topic)
        self.tool(records, "fill", "--to", topic, *fill)
        self.consume(topic, records)  # warms the broker
        counts = [1 << power for power in range(cores.bit_length()) if 1 << power <= cores]
        rates, serial = {count: [] for count in counts}, {count: [] for count in counts}
        for _ in range(self.arguments.rounds):
            for count in counts:
                others = f"{count}-{cores - 1}" if count < cores else f"0-{cores - 1}"
                run("taskset", "--all-tasks", "--cpu-list", "--pid", others, self.broker_pid)
                rate, _ = self.neardup("near", count)(topic, records)
                rates[count].append(rate)
                serial[count].append(self.serial_us)
        print(f"\n{name}: {records} records, {self.arguments.rounds} rounds")
        print(f"{'threads':>8s}{'records/s':>12s}{'of 1 thread':>14s}{'ceiling of the lane':>22s}")
        for count in counts:
            ratio = statistics.median(a / b for a, b in zip(rates[count], rates[1]))
            ceiling = 1e6 / statistics.median(serial[count])
            shares = "" if count < cores else "  (the broker shares its cores)"
            print(f"{count:8d}{statistics.median(rates[count]):12.0f}{ratio:14.2f}{ceiling:22.0f}{shares}")
            self.add(f"rate_{count}_threads_{name}", statistics.median(rates[count]), "records/s")
        self.load("drop", "--topic", topic)

    def lanes(self, name, records, *fill):
        topic, counts = f"in-{name}", (1, 2, 4)
        self.load("create", "--topic", topic, "--partitions", 4 * PARTITIONS)
        self.tool(records, "fill", "--to", topic, *fill)
        self.consume(topic, records)  # warms the broker
        rates = {count: [] for count in counts}
        for _ in range(self.arguments.rounds):
            for count in counts:
                self.number += 1
                app = f"app-{self.number}"
                begun = time.monotonic()
                services = [Service(self, topic, app, "near", lanes=count, lane=lane) for lane in range(count)]
                self.load("await-group", "--group", app, "--topics", topic)
                rates[count].append(records / (time.monotonic() - begun))
                for service in services:
                    service.stop()
                self.drop_outputs(app)
        print(f"\n{name}: {records} records, {self.arguments.rounds} rounds, {4 * PARTITIONS} partitions")
        print(f"{'lanes':>8s}{'records/s':>12s}{'of one lane':>14s}")
        for count in counts:
            ratio = statistics.median(a / b for a, b in zip(rates[count], rates[1]))
            print(f"{count:8d}{statistics.median(rates[count]):12.0f}{ratio:14.2f}")
            self.add(f"rate_{count}_lanes_{name}", statistics.median(rates[count]), "records/s")
        self.load("drop", "--topic", topic)

    def latency(self):
        """Latency at half of the rate that was just measured, and with short transactions at a tenth of it; and the time
        to catch up after a stop."""
        rate = int(self.figures["rate_near_1k"]["value"] / 2)
        for name, interval_ms, share in (("", INTERVAL_MS, 0.5), ("_short", SHORT_INTERVAL_MS, 0.1)):
            self.latency_of(name, interval_ms, int(self.figures["rate_near_1k"]["value"] * share))
        self.catch_up(rate)

    def latency_of(self, name, interval_ms, rate):
        """From the producer's timestamp until a reader of committed records has the record."""
        seconds, app, topic = self.arguments.latency_seconds, f"app-latency{name}", f"in-latency{name}"
        self.create(topic)
        service = Service(self, topic, app, "near", interval_ms=interval_ms)
        service.wait_active()
        # The first transactions after a start wait for the broker to create topics of its own.
        self.tool(rate * WARM_UP_SECONDS, "fill", "--to", topic, "--bytes", 1000, "--per-second", rate)
        service.wait_for(rate * WARM_UP_SECONDS)
        broker = cpu_seconds(self.broker_pid)
        outputs = ",".join(f"{app}-{kind}" for kind in ("unique", "duplicate", "dead"))
        reader = subprocess.Popen([str(self.forward), "--brokers", self.brokers, "--records", str(rate * seconds),
                                   "latency", "--from", outputs], stdout=subprocess.PIPE, text=True)
        time.sleep(1)
        self.tool(rate * seconds, "fill", "--to", topic, "--bytes", 1000, "--per-second", rate)
        found = json.loads(reader.communicate()[0])
        broker = (cpu_seconds(self.broker_pid) - broker) / (rate * seconds) * 1e6
        service.stop()
        self.drop_outputs(app)
        print(f"\nlatency at {rate} records/s for {seconds} s, transactions of {interval_ms} ms: p50 {found['p50_ms']} ms, "
              f"p95 {found['p95_ms']} ms, p99 {found['p99_ms']} ms, max {found['max_ms']} ms; broker {broker:.1f} us a record")
        for percentile in ("p50_ms", "p99_ms"):
            self.add(f"latency{name}_{percentile}", found[percentile], "ms")

    def catch_up(self, rate):
        stopped, topic, app = self.arguments.stop_seconds, "in-stopped", "app-stopped"
        self.create(topic)
        service = Service(self, topic, app, "near")
        service.wait_active()
        service.stop()
        self.tool(rate * stopped, "fill", "--to", topic, "--bytes", 1000)
        service = Service(self, topic, app, "near")
        caught_up = service.wait_for(rate * stopped)
        print(f"after a stop of {stopped} s at this rate it catches up in {caught_up:.1f} s, start and restore included")
        self.add("catch_up_seconds", caught_up, "s")
        service.stop()


def machine():
    model = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return f"{model[1] if model else platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default=ROOT / "build/bench", help="folder with neardup, bench_forward and e2e_load")
    parser.add_argument("--json", help="write the figures to this file")
    parser.add_argument("--dir", default="/dev/shm", help="folder for the broker's log; best in memory")
    parser.add_argument("--records", type=int, default=1_000_000, help="of 1 KB; of 300 B it takes twice as many")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-streams", action="store_true", help="leave Kafka Streams out")
    parser.add_argument("--kinds", default="1k,300,chinese_1k", help="what to measure, separated by commas")
    parser.add_argument("--latency-seconds", type=int, default=20, help="0: no latency")
    parser.add_argument("--stop-seconds", type=int, default=120)
    parser.add_argument("--lanes", action="store_true", help="measure neardup with 1, 2 and 4 lanes instead")
    parser.add_argument("--scale", action="store_true", help="measure neardup with 1, 2, 4 ... threads instead")
    arguments = parser.parse_args()
    print(f"machine: {machine()}; {PARTITIONS} partitions, transactions of {INTERVAL_MS} ms, one broker on the same cores")
    bench = Bench(arguments)
    kinds = {"1k": (arguments.records, "--bytes", 1000), "300": (2 * arguments.records, "--bytes", 300),
             "chinese_1k": (arguments.records, "--bytes", 1000, "--chinese")}
    try:
        for name in arguments.kinds.split(","):
            measure = bench.scale if arguments.scale else bench.lanes if arguments.lanes else bench.throughput
            measure(name, *kinds[name])
        if arguments.latency_seconds and "rate_near_1k" in bench.figures:
            bench.latency()
    finally:
        bench.close()
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(list(bench.figures.values()), indent=1) + "\n")


if __name__ == "__main__":
    main()
