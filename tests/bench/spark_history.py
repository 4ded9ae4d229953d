#!/usr/bin/env python3
"""Measures neardup.spark on made-up records: wall time, bytes shuffled, CPU and memory.

    PYTHONPATH=python nice python3 tests/bench/spark_history.py --records 1000000 5000000
    PYTHONPATH=python nice python3 tests/bench/spark_history.py --records 1000000 --plans ordered join

With several plans, it counts the records of which they give different verdicts or originals. --minhash also runs
MinHashLSH of Spark's own library on the same texts, until it takes longer than ten minutes. F1 compares the duplicates
with the records that were made as copies of an earlier one.

Each record is JSON with a text of 16 words, about 110 bytes, or of --words. 5 % belong to one family of near copies, 13 %
are near and 4 % equal copies of other records. The session is local[2] with a driver of 6 GB. CPU counts this process,
its JVM and all workers.
"""

import argparse
import json
import multiprocessing
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import threading
import time
import urllib.request

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

FILE_RECORDS = 250_000
START_MS = 1_750_000_000_000
FAMILY = -1
MINHASH_S_MAX = 600
CONFIG = {"record": {"fields": ["text"]}, "match": {"mode": "near"}, "window": {"window_ms": "365d"}}


def generate(folder, count, words_each=16, seed=7):
    """Files of records whose order of time is not the order of the files."""
    rng = np.random.default_rng(seed)
    syllables = [a + b for a in "bcdfghklmnprstvz" for b in "aeiou"]
    vocabulary = pa.array([a + b + c for a in syllables for b in syllables[:25] for c in ("n", "r", "st")])
    family = rng.integers(0, len(vocabulary), words_each, dtype=np.int16)
    for first in range(0, count, FILE_RECORDS):
        rows = min(FILE_RECORDS, count - first)
        words = rng.integers(0, len(vocabulary), (rows, words_each), dtype=np.int16)
        chance = rng.random(rows)
        copies = np.flatnonzero((chance < 0.17) & (np.arange(rows) > 1000))
        sources = (rng.random(len(copies)) * copies).astype(np.int64)
        words[copies] = words[sources]
        words[chance >= 0.95] = family
        group = np.arange(first, first + rows)
        group[copies] = first + sources
        group[chance >= 0.95] = FAMILY
        near = np.flatnonzero((chance < 0.13) | (chance >= 0.95))
        words[near, rng.integers(0, words_each, len(near))] = rng.integers(0, len(vocabulary), len(near), dtype=np.int16)
        texts = pc.binary_join_element_wise(*(vocabulary.take(pa.array(words[:, i])) for i in range(words_each)), " ")
        values = pc.binary_join_element_wise('{"text":"', texts, '"}', "")
        time_ms = START_MS + (first + rng.permutation(rows)) // 3
        table = pa.table(
            {
                "topic": pa.array(["articles"]).take(pa.array(np.zeros(rows, np.int8))),
                "partition": pa.array((np.arange(rows) % 16).astype(np.int32)),
                "offset": pa.array(np.arange(first, first + rows)),
                "timestamp": pa.array(time_ms * 1000).cast(pa.timestamp("us", tz="UTC")),
                "value": values.cast(pa.binary()),
                "group": pa.array(group),
            }
        )
        pq.write_table(table, folder / f"{first // FILE_RECORDS:05}.parquet", compression="zstd")


def processes():
    """Parent, CPU seconds (with the seconds of dead children) and resident bytes of each process."""
    tick, page = os.sysconf("SC_CLK_TCK"), os.sysconf("SC_PAGE_SIZE")
    found = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            fields = pathlib.Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        found[int(name)] = (int(fields[1]), sum(map(int, fields[11:15])) / tick, int(fields[21]) * page, name)
    return found


def below(found, pid):
    children = [child for child, (parent, *_) in found.items() if parent == pid]
    return [pid, *(each for child in children for each in below(found, child))]


def cpu_s():
    found = processes()
    return sum(found[pid][1] for pid in below(found, os.getpid()) if pid in found)


class WorkerMemory(threading.Thread):
    """The largest memory of a Python worker."""

    def __init__(self):
        super().__init__(daemon=True)
        self.bytes = 0

    def run(self):
        while True:
            found = processes()
            for pid in below(found, os.getpid())[1:]:
                try:
                    is_worker = b"pyspark.daemon" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
                except OSError:
                    continue
                if is_worker and pid in found:
                    self.bytes = max(self.bytes, found[pid][2])
            time.sleep(0.2)


def shuffled_bytes(context):
    address = f"{context.uiWebUrl}/api/v1/applications/{context.applicationId}/stages?status=complete"
    address = address.replace(address.split("/")[2].split(":")[0], "127.0.0.1", 1)
    with urllib.request.urlopen(address) as answer:
        return sum(stage["shuffleWriteBytes"] for stage in json.load(answer))


def new_session(parent):
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.driver.memory", "6g")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.local.dir", str(parent / "spark"))
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    return session


def measure(count, parent, plan, text_keys):
    import neardup as nd
    import neardup.spark

    session = new_session(parent)
    context = session.sparkContext
    memory = WorkerMemory()
    memory.start()
    config = {
        **CONFIG,
        "match": {**CONFIG["match"], "text_keys": text_keys},
        "window": {**CONFIG["window"], "entries_max": count},
    }
    work = parent / plan
    cpu, begin = cpu_s(), time.monotonic()
    df = session.read.parquet(str(parent / "lake"))
    run = nd.spark.deduplicate(df, config=config, work_dir=work, plan=plan)
    begun = (work / "run.json").stat().st_mtime
    markers = sorted(work.glob("**/done.json"), key=lambda path: path.stat().st_mtime)
    steps = {str(path.parent.relative_to(work)): path.stat().st_mtime - begun for path in markers}
    wall, used = time.monotonic() - begin, cpu_s() - cpu
    time.sleep(2)  # the page of the stages lags behind
    shuffled = shuffled_bytes(context)
    unique = run.unique(df).count()
    joined = shuffled_bytes(context) - shuffled
    print(
        f"{plan}, {count:,} records: {wall:.1f} s (done after "
        + ", ".join(f"{step} {seconds:.1f} s" for step, seconds in steps.items())
        + f"), CPU {used:.1f} s, {used / count * 1e6:.1f} us a record; {shuffled / count:.1f} bytes shuffled a record, "
        f"and {joined / count:.1f} by unique(); worker at most {memory.bytes / 1e6:.0f} MB; "
        f"{run.counts}, {unique:,} unique",
        flush=True,
    )
    found = run.verdicts.where("verdict = 'duplicate'").select("offset").toPandas()["offset"].to_numpy()
    score(parent, found, plan)


def score(parent, found, name):
    """How well the numbers of records that were found match those that repeat an earlier one."""
    lake = pq.read_table(parent / "lake", columns=["timestamp", "partition", "offset", "group"])
    lake = lake.sort_by([("timestamp", "ascending"), ("partition", "ascending"), ("offset", "ascending")])
    group, offset = lake.column("group").to_numpy(), lake.column("offset").to_numpy()
    is_copy = np.ones(len(group), bool)
    is_copy[np.unique(group, return_index=True)[1]] = False
    wanted = np.zeros(len(group), bool)
    wanted[offset[is_copy]] = True
    both = np.count_nonzero(wanted[found])
    precision, recall = both / max(1, len(found)), both / max(1, np.count_nonzero(wanted))
    f1 = 2 * precision * recall / max(1e-9, precision + recall)
    print(f"{name}: precision {precision:.4f}, recall {recall:.4f}, F1 {f1:.4f}", flush=True)


def minhash(count, parent, tables):
    """MinHashLSH on the words: a record is a duplicate if an earlier one has at least 0.7 of the words of both."""
    from pyspark.ml.feature import HashingTF, MinHashLSH
    from pyspark.sql import functions as F

    session = new_session(parent)
    begin, cpu = time.monotonic(), cpu_s()
    words = session.read.parquet(str(parent / "lake")).select(
        "offset", F.struct("timestamp", "partition", "offset").alias("order"),
        F.split(F.get_json_object(F.col("value").cast("string"), "$.text"), " ").alias("words"),
    )
    vectors = HashingTF(numFeatures=1 << 18, binary=True, inputCol="words", outputCol="features").transform(words)
    model = MinHashLSH(inputCol="features", outputCol="hashes", numHashTables=tables, seed=1).fit(vectors)
    vectors = vectors.select("offset", "order", "features")
    pairs = model.approxSimilarityJoin(vectors, vectors, 0.3).where("datasetA.order < datasetB.order")
    found = pairs.select(F.col("datasetB.offset").alias("offset")).distinct().toPandas()["offset"].to_numpy()
    print(
        f"MinHashLSH, {tables} tables, {count:,} records: {time.monotonic() - begin:.1f} s, "
        f"CPU {(cpu_s() - cpu) / count * 1e6:.0f} us a record",
        flush=True,
    )
    score(parent, found, f"MinHashLSH, {tables} tables")


def verdicts(work):
    """Verdict and original of each record in the order."""
    parts = sorted(work.glob("decided/lane-0/part-*.parquet"))
    table = pa.concat_tables(pq.read_table(part, columns=["number", "verdict", "original"]) for part in parts)
    table = table.sort_by("number")
    return table.column("verdict").cast(pa.string()).to_numpy(), table.column("original").fill_null(-1).to_numpy()


def compare(parent, plans):
    (verdict_a, original_a), (verdict_b, original_b) = (verdicts(parent / plan) for plan in plans)
    differ = verdict_a != verdict_b
    unlike = ~differ & (original_a != original_b)
    print(
        f"{plans[0]} and {plans[1]}: of {len(differ):,} records {differ.sum():,} have different verdicts, and "
        f"{unlike.sum():,} different originals",
        flush=True,
    )


def in_time(seconds_max, work):
    """Runs something with a JVM of its own. False if it fails or takes too long."""
    child = multiprocessing.get_context("fork").Process(target=work)
    child.start()
    child.join(seconds_max)
    if child.is_alive():
        for pid in below(processes(), child.pid):
            os.kill(pid, signal.SIGKILL)
        child.join()
    return child.exitcode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, nargs="+", default=[1_000_000])
    parser.add_argument("--words", type=int, default=16, help="of each text; 16 make a record of about 110 bytes")
    parser.add_argument("--folder", default=tempfile.gettempdir(), help="where the records and the work are kept")
    parser.add_argument("--plans", nargs="+", default=["ordered"], choices=["ordered", "join"])
    parser.add_argument("--no-text-keys", action="store_true", help="match.text_keys: false")
    parser.add_argument("--minhash", type=int, nargs="*", default=[], help="also run MinHashLSH, with this number of hash tables")
    arguments = parser.parse_args()
    os.environ["PYSPARK_PYTHON"] = sys.executable
    for count in arguments.records:
        parent = pathlib.Path(tempfile.mkdtemp(prefix="neardup-spark-", dir=arguments.folder))
        try:
            (parent / "lake").mkdir()
            generate(parent / "lake", count, arguments.words)
            for plan in arguments.plans:
                if not in_time(None, lambda: measure(count, parent, plan, not arguments.no_text_keys)):
                    sys.exit(1)
            for tables in arguments.minhash:
                if not in_time(MINHASH_S_MAX, lambda: minhash(count, parent, tables)):
                    print(f"MinHashLSH, {tables} tables, {count:,} records: not finished in {MINHASH_S_MAX} s", flush=True)
            if len(arguments.plans) > 1:
                compare(parent, arguments.plans)
        finally:
            shutil.rmtree(parent, ignore_errors=True)


if __name__ == "__main__":
    main()
