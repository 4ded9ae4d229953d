#!/usr/bin/env python3
"""Gives a lane on a real Kafka a history that Spark has decided, and checks that it knows it from its first record on.

    PYTHONPATH=python E2E_BUILD=build/release nice python3 tests/bench/history_import.py --records 10000000
    PYTHONPATH=python E2E_BUILD=build/release nice python3 tests/bench/history_import.py --records 1000000 --kills 50

The records come from spark_history.py. Then come 1,000 copies of unique records of the history, half of them equal
and half with another word that leaves them near enough (neardup.dedup says so for the pair), and 1,000 texts of other
words. With --kills, `neardup import` is killed that often at
a random moment, each time for an app of its own; afterwards the import must be complete, or the service must refuse to
start until it is repeated. At the end, `neardup verify` checks the outputs.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

import pyarrow as pa
import pyarrow.parquet as pq

from spark_history import CONFIG, START_MS, generate, new_session

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
from harness import LOADER, NEARDUP, Service, run  # noqa: E402

TOPIC, PARTITIONS, PLANTED = "articles", 16, 1000
CONFIG_ERROR = 78
ANSWER_S = 120


def decide(folder, count):
    """Makes the records, lets Spark decide them, and returns the positions and texts of unique ones."""
    import neardup as nd
    import neardup.spark

    lake, work = folder / "lake", folder / "history"
    lake.mkdir()
    generate(lake, count)
    for file in lake.glob("*.parquet"):  # the offsets of each partition follow each other
        table = pq.read_table(file)
        place = table.schema.get_field_index("offset")
        offsets = pa.array(table.column("offset").to_numpy() // PARTITIONS)
        pq.write_table(table.set_column(place, "offset", offsets), file, compression="zstd")
    session = new_session(folder)
    config = {**CONFIG, "window": {**CONFIG["window"], "entries_max": count}}
    df = session.read.parquet(str(lake))
    begin = time.monotonic()
    verdicts = nd.spark.deduplicate(df, config=config, work_dir=work).verdicts
    print(f"{count:,} records decided in {time.monotonic() - begin:.1f} s", flush=True)
    unique = verdicts.where("verdict = 'unique'").sample(3 * PLANTED / count, seed=1).limit(PLANTED)
    texts = [row.value.decode() for row in df.join(unique, ["topic", "partition", "offset"]).select("value").collect()]
    session.stop()
    return work, [json.loads(text)["text"] for text in texts]


class Import:
    def __init__(self, folder, work, count):
        self.folder, self.work, self.count = folder, work, count
        started = run(ROOT / "scripts/kafka", "start", "--dir", folder / "kafka", "--port", "0", "--fast-start")
        self.brokers = started.stdout.split()[-1]
        run(LOADER, "--brokers", self.brokers, "create", "--topic", TOPIC, "--partitions", PARTITIONS)
        # The lane reads none of these records: it goes on after them.
        for partition in range(PARTITIONS):
            self.put(partition, "x\n" * len(range(partition, count, PARTITIONS)))
        self.texts = random.Random(1)

    def put(self, partition, lines):
        run("kcat", "-P", "-b", self.brokers, "-t", TOPIC, "-p", partition, input=lines)

    def config(self, app):
        config = {**CONFIG, "app": app, "kafka": {"brokers": self.brokers}, "input": {"topics": [TOPIC]},
                  "window": {**CONFIG["window"], "entries_max": 2 * self.count},
                  "output": {name: f"{app}-{name}" for name in ("unique_topic", "duplicate_topic", "dead_letter_topic")}}
        path = self.folder / f"{app}.yaml"
        path.write_text(json.dumps(config))
        return path

    def command(self, config, *more):
        return [str(NEARDUP), "import", "--history", str(self.work), "--config", str(config), *more]

    def timed(self, config):
        for more in ((), ("--execute",)):
            begin = time.monotonic()
            run(*self.command(config, *more))
            print(f"neardup import {' '.join(more)}: {time.monotonic() - begin:.1f} s", flush=True)

    def plant(self, copied):
        """Writes copies of old records, and new ones. Their event times follow the event times of the history."""
        words = sorted({word for text in copied for word in text.split()})
        records = []
        for number, text in enumerate(copied):
            records.append(text if number % 2 == 0 else self.near_copy(text, words))
        for _ in range(PLANTED):
            records.append(" ".join(f"new{self.texts.randrange(10**9)}" for _ in range(16)))
        self.texts.shuffle(records)
        lines = self.folder / "planted"
        with open(lines, "w") as out:
            for number, text in enumerate(records):
                value = json.dumps({"text": text}).encode().hex()
                out.write(f"{number % PARTITIONS}\t{START_MS + self.count + number}\t-\t0x{value}\t\n")
        run(LOADER, "--brokers", self.brokers, "put", "--topic", TOPIC, "--file", lines)

    def near_copy(self, text, words):
        import neardup as nd

        while True:
            changed = text.split()
            changed[self.texts.randrange(len(changed))] = self.texts.choice(words)
            pair = [json.dumps({"text": each}) for each in (text, " ".join(changed))]
            if len(nd.dedup(pair, config=CONFIG).duplicates) == 1:
                return " ".join(changed)

    def start(self, config, name):
        return Service(config, self.folder / f"{name}.log")

    def check(self, config, app, copied):
        self.plant(copied)
        service = self.start(config, app)
        run(LOADER, "--brokers", self.brokers, "await-group", "--group", app, "--topics", TOPIC)
        if service.terminate()[0] != 0:
            sys.exit(service.text()[-3000:])
        print(service.text().splitlines()[-1], flush=True)
        found = {kind: self.values(f"{app}-{kind}_topic") for kind in ("unique", "duplicate")}
        repeats = set(copied)
        changed = [text for text in found["duplicate"] if text not in repeats]
        new_ones = sum(text.startswith("new") for text in found["unique"])
        print(f"duplicates: {len(found['duplicate']) - len(changed)} of {(len(copied) + 1) // 2} equal copies, "
              f"{len(changed)} of {len(copied) // 2} with one word changed; unique: {new_ones} of {PLANTED} new ones")
        verified = run(NEARDUP, "verify", "--config", config, code=None)
        print(f"verify: exit code {verified.returncode}")
        if verified.returncode != 0:
            sys.exit(verified.stdout[-4000:])

    def values(self, topic):
        shown = run("kcat", "-C", "-b", self.brokers, "-t", topic, "-e", "-q", "-f", "%s\n")
        return [json.loads(line)["text"] for line in shown.stdout.splitlines()]

    def kill_often(self, times, seconds_max):
        counts = {"nothing written": 0, "refused": 0, "complete": 0}
        for number in range(times):
            app = f"killed-{number}"
            config = self.config(app)
            process = subprocess.Popen(self.command(config, "--execute"), stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            time.sleep(self.texts.uniform(0, seconds_max))
            process.kill()
            process.wait()
            counts[self.state_after_kill(config, app)] += 1
        print(f"{times} kills: {counts}", flush=True)

    def state_after_kill(self, config, app):
        """What the killed import left. One that is not complete is repeated, and must be complete then."""
        service = self.start(config, app)
        deadline = time.monotonic() + ANSWER_S
        while service.process.poll() is None and service.get("/readyz") != (200, "active\n"):
            if time.monotonic() > deadline:
                sys.exit(f"no answer after a kill:\n{service.text()[-3000:]}")
            time.sleep(0.05)
        if service.process.poll() is None:
            entries = service.metric("neardup_restored_entries")
            service.terminate()
            again = run(*self.command(config), code=None)
            if "has begun already" not in again.stderr:
                sys.exit(f"expected a lane that has begun:\n{again.stdout}{again.stderr}")
            return "complete" if entries > 0 else "nothing written"
        if service.process.returncode != CONFIG_ERROR or "was interrupted" not in service.text():
            sys.exit(f"expected a refusal:\n{service.text()[-3000:]}")
        run(*self.command(config, "--execute"))
        again = self.start(config, f"{app}-again")
        while again.process.poll() is None and again.get("/readyz") != (200, "active\n"):
            time.sleep(0.05)
        if again.process.poll() is not None:
            sys.exit(f"the repeated import does not count:\n{again.text()[-3000:]}")
        again.terminate()
        return "refused"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--kill-within", type=float, default=1.5, metavar="SECONDS", help="after the start of the import")
    parser.add_argument("--folder", default=tempfile.gettempdir())
    arguments = parser.parse_args()
    os.environ["PYSPARK_PYTHON"] = sys.executable
    folder = pathlib.Path(tempfile.mkdtemp(prefix="neardup-import-", dir=arguments.folder))
    try:
        work, copied = decide(folder, arguments.records)
        bench = Import(folder, work, arguments.records)
        if arguments.kills:
            bench.kill_often(arguments.kills, arguments.kill_within)
        config = bench.config("history")
        bench.timed(config)
        bench.check(config, "history", copied)
    finally:
        subprocess.run([ROOT / "scripts/kafka", "stop", "--dir", folder / "kafka"], check=False)
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
