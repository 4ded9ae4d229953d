"""neardup.spark against `neardup.dedup` and the command `neardup filter`, through kills and damage."""

import doctest
import gzip
import json
import os
import random
import re
import shutil
import subprocess
import sys
import weakref
from pathlib import Path

import pytest

pytest.importorskip("pyspark")

import numpy as np  # noqa: E402
import pyarrow as pa  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402
from conftest import copy_of, text  # noqa: E402

import neardup as nd  # noqa: E402
import neardup.spark  # noqa: E402
from neardup import _spark_join, _spark_tasks  # noqa: E402
from neardup._store import Store  # noqa: E402

PROGRAM = os.environ.get("PROGRAM_UNDER_TEST", "")
os.environ["PYSPARK_PYTHON"] = sys.executable  # else Spark takes the first python3 of the path
ROOT = Path(__file__).resolve().parents[2]
START_MS = 1_750_000_000_000
RECORDS = 20_000
CONFIG = {
    "record": {"fields": ["text"], "time_field": "at", "time_format": "milliseconds"},
    "match": {"mode": "near", "distance_max": 8},
    # The first half comes so fast that records are pushed out, the second so slowly that they expire.
    "window": {"window_ms": 600_000, "lateness_ms": 10_000, "entries_max": 1700},
}
COLUMNS = ("verdict", "original", "distance", "kind", "late", "reason")


def made_up(count=RECORDS, seed=7):
    """Records of two topics as Kafka holds them, in the order of time, topic, partition and offset."""
    rng = random.Random(seed)
    texts, records = [], []
    family = text(rng)
    now = START_MS
    offsets = {}
    for number in range(count):
        now += rng.choice((0, 0, 0, 60)) if number < count // 2 else rng.choice((0, 0, 1500, 3000))
        place = (rng.choice(("a", "b")), rng.randrange(3))
        offsets[place] = offsets.get(place, -1) + 1
        chance = rng.random()
        body = text(rng, rng.randrange(20, 40))
        if chance < 0.05:
            body = copy_of(rng, family)
        elif chance < 0.15 and texts:
            body = copy_of(rng, texts[-1 - rng.randrange(min(len(texts), 3000))])
        elif chance < 0.2 and texts:
            body = texts[-1 - rng.randrange(min(len(texts), 3000))]
        texts.append(body)
        at = now - (rng.randrange(2_000_000) if rng.random() < 0.03 else rng.randrange(5000))
        if number % 3001 == 3000:  # a wrong clock
            at = now + 86_400_000
        value = json.dumps({"at": at, "text": body}).encode()
        if rng.random() < 0.01:
            value = rng.choice((b"{", b'{"at": 1}', None))
        records.append((now, *place, offsets[place], value))
    return sorted(records, key=lambda record: record[:4])


def table_of(records):
    columns = list(zip(*records))
    return pa.table(
        {
            "topic": pa.array(columns[1], pa.string()),
            "partition": pa.array(columns[2], pa.int32()),
            "offset": pa.array(columns[3], pa.int64()),
            "timestamp": pa.array(columns[0], pa.timestamp("ms", tz="UTC")).cast(pa.timestamp("us", tz="UTC")),
            "value": pa.array(columns[4], pa.binary()),
        }
    )


@pytest.fixture(scope="module")
def spark():
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.memory", "1g")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.adaptive.coalescePartitions.enabled", "false")
        # All records are in the sample, so that two runs cut the order at the same places.
        .config("spark.sql.execution.rangeExchange.sampleSizePerPartition", "1000000")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def records():
    return made_up()


@pytest.fixture(scope="module")
def expected(records):
    """What `dedup` says of the records in their order."""
    return nd.dedup([record[4] for record in records], config=CONFIG).verdicts.to_dicts()


@pytest.fixture(scope="module")
def lake(records, tmp_path_factory):
    """The records as Parquet, in no order."""
    folder = tmp_path_factory.mktemp("lake")
    shuffled = list(records)
    random.Random(3).shuffle(shuffled)
    for number in range(4):
        pq.write_table(table_of(shuffled[number::4]), folder / f"{number}.parquet")
    return folder


def frame(spark, lake, partitions=16):
    spark.conf.set("spark.sql.shuffle.partitions", str(partitions))
    return spark.read.parquet(str(lake)).repartition(partitions, "offset", "partition")


def verdicts_of(run, records):
    """The verdicts in the order of the records, with originals by their places."""
    places = {record[1:4]: number for number, record in enumerate(records)}
    found = [None] * len(records)
    for row in run.verdicts.collect():
        original = (row.original_topic, row.original_partition, row.original_offset)
        found[places[(row.topic, row.partition, row.offset)]] = (
            row.verdict,
            None if original == (None, None, None) else places[original],
            row.distance,
            row.kind,
            row.late,
            row.reason,
        )
    return found


def columns_of(expected):
    return [tuple(row[name] for name in COLUMNS) for row in expected]


def late_by_the_definition(records):
    """A record is late if it is older than the watermark of the previous commit minus window and lateness.

    The watermark is the largest event time that is at most a quarter of the window later than the tenth largest one of the
    commit, or than the earlier watermark.
    """
    window_ms, kept_ms = CONFIG["window"]["window_ms"], CONFIG["window"]["window_ms"] + CONFIG["window"]["lateness_ms"]
    newest, horizon, late, seen = -(2**63), -(2**63), [], []
    for number, record in enumerate(records):
        if number % 2000 == 0 and seen:
            reached = max(newest, sorted(seen)[-10])
            newest = max(reached, max((at for at in seen if at <= reached + window_ms // 4), default=reached))
            horizon, seen = newest - kept_ms, []
        try:
            at = json.loads(record[4])["at"] if b"text" in record[4] else None
        except (TypeError, ValueError):
            at = None
        late.append(at is not None and at < horizon)
        if at is not None:
            seen.append(at)
    return late


def content(folder):
    """All files of the verdicts."""
    root = Path(folder)
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.parent.name.startswith("lane-") and not path.name.startswith(".")
    }


@pytest.mark.parametrize("partitions", [1, 3, 16])
def test_the_verdicts_are_those_of_dedup_whatever_the_partitions(
    spark, lake, records, expected, tmp_path, partitions, capfd
):
    df = frame(spark, lake, partitions)
    run = nd.spark.deduplicate(df, config=CONFIG, work_dir=tmp_path / "work")
    found, wanted = verdicts_of(run, records), columns_of(expected)
    assert [i for i in range(len(records)) if found[i] != wanted[i]] == []
    assert [row[4] for row in found] == late_by_the_definition(records)
    # Nothing of what the promise names is missing in these records.
    assert run.counts["late"] > 100 and run.counts["evicted"] > 1000 and run.counts["dead-letter"] > 100
    assert {row["kind"] for row in expected} == {"exact", "near", None}
    assert run.counts["unique"] > 9 * CONFIG["window"]["entries_max"]
    told = capfd.readouterr().err
    assert "window.entries_max 1,700" in told and f"{run.counts['evicted']:,} entries were forgotten" in told
    kept = run.unique(df).select("topic", "partition", "offset").collect()
    unique = {(row.topic, row.partition, row.offset) for row in kept}
    assert unique == {records[i][1:4] for i in range(len(records)) if wanted[i][0] == "unique"}


@pytest.mark.skipif(not PROGRAM, reason="PROGRAM_UNDER_TEST names no program; the project's tests name it")
@pytest.mark.parametrize("partitions", [1, 3, 16])
def test_the_verdicts_are_those_of_the_program(spark, lake, records, tmp_path, partitions):
    records = [record for record in records if record[4]]  # a line of a file is never null
    df = frame(spark, lake, partitions).where("value is not null")
    run = nd.spark.deduplicate(df, config=CONFIG, work_dir=tmp_path / "work")
    (tmp_path / "a.jsonl").write_bytes(b"".join(record[4] + b"\n" for record in records))
    (tmp_path / "c.yaml").write_text(json.dumps(CONFIG))
    files = ["--config", tmp_path / "c.yaml", "--input", tmp_path / "a.jsonl", "--verdicts", tmp_path / "v.tsv"]
    subprocess.run([PROGRAM, "filter", *files], check=True, capture_output=True)
    wanted = []
    for line in (tmp_path / "v.tsv").read_text().splitlines()[1:]:
        verdict, original, distance, kind = (line + "\t\t\t\t").split("\t")[1:5]
        is_duplicate = verdict == "duplicate"
        match = (int(original) - 1, int(distance), kind) if is_duplicate else (None, None, None)
        wanted.append((verdict, *match))
    found = verdicts_of(run, records)
    assert [row[:4] for row in found] == wanted
    assert [row[4] for row in found] == late_by_the_definition(records)  # no output of the program has it


def test_lanes_decide_alone(spark, lake, records, tmp_path):
    run = nd.spark.deduplicate(frame(spark, lake), config=CONFIG, work_dir=tmp_path / "work", lanes=3)
    found = verdicts_of(run, records)
    for lane in range(3):
        rows = [i for i, record in enumerate(records) if record[2] % 3 == lane]
        wanted = nd.dedup([records[i][4] for i in rows], config=CONFIG).verdicts.to_dicts()
        for row in wanted:
            row["original"] = None if row["original"] is None else rows[row["original"]]
        assert [found[i] for i in rows] == columns_of(wanted)


def test_other_names_order_and_key(spark, records, tmp_path):
    table = table_of(records[:3000]).rename_columns(["topic", "partition", "offset", "when", "body"])
    table = table.append_column("number", pa.array(range(3000), pa.int64()))
    pq.write_table(table, tmp_path / "a.parquet")
    df = spark.read.parquet(str(tmp_path / "a.parquet"))
    run = nd.spark.deduplicate(
        df, config=CONFIG, work_dir=tmp_path / "work", columns={"timestamp": "when", "value": "body"},
        order_by=["number"], key=["number"],
    )
    wanted = nd.dedup([record[4] for record in records[:3000]], config=CONFIG).verdicts.to_dicts()
    found = sorted(run.verdicts.collect(), key=lambda row: row.number)
    assert [(row.verdict, row.original_number, row.late) for row in found] == [
        (row["verdict"], row["original"], row["late"]) for row in wanted
    ]
    assert run.unique(df).columns == df.columns
    assert run.unique(df).count() == run.counts["unique"]


def test_fingerprints_are_those_of_the_package(spark, lake, records):
    found = nd.spark.fingerprint(frame(spark, lake), config=CONFIG).collect()
    wanted = nd.fingerprint([record[4] for record in records], config=CONFIG).to_dicts()
    places = {record[1:4]: number for number, record in enumerate(records)}
    assert len(found) == len(wanted)
    for row in found:
        want = wanted[places[(row.topic, row.partition, row.offset)]]
        assert row.reason == want["reason"] and row.passed == want["passed"]
        if row.reason is None:
            keys = b"".join(key.to_bytes(4, "little") for key in want["text_keys"])
            hashes = (row.simhash % 2**64, row.order % 2**64, row.exact % 2**64)
            assert hashes == (want["simhash"], want["order"], want["exact"])
            assert (row.features, row.time_ms, bytes(row.text_keys)) == (want["features"], want["time_ms"], keys)


# --- The plan join ---


def joined_config(**match):
    """No entry is pushed out: this plan has no limit of entries."""
    config = json.loads(json.dumps(CONFIG))
    config["match"].update(match)
    config["window"]["entries_max"] = 1_000_000
    return config


def dedup_of(records, config):
    return columns_of(nd.dedup([record[4] for record in records], config=config).verdicts.to_dicts())


@pytest.mark.parametrize("parts, left_min", [(1, 200_000), (3, 600), (16, 200_000)])
def test_the_plan_join_gives_the_verdicts_of_dedup_without_text_keys(
    spark, lake, records, tmp_path, monkeypatch, parts, left_min
):
    monkeypatch.setattr(_spark_join, "ROWS_PER_TASK", 6 * RECORDS // parts)
    monkeypatch.setattr(_spark_join, "LEFT_MIN", left_min)
    config = joined_config(text_keys=False)
    run = nd.spark.deduplicate(frame(spark, lake, parts), config=config, work_dir=tmp_path / "work", plan="join")
    assert verdicts_of(run, records) == dedup_of(records, config)
    assert run.counts["late"] > 100 and run.counts["dead-letter"] > 100 and run.counts["duplicate"] > 1000
    rounds = len(list((tmp_path / "work/rounds").iterdir()))
    assert rounds > 2 if left_min == 600 else rounds == 2
    kept = run.unique(frame(spark, lake)).select("topic", "partition", "offset").collect()
    unique = {(row.topic, row.partition, row.offset) for row in kept}
    assert unique == {records[i][1:4] for i, row in enumerate(dedup_of(records, config)) if row[0] == "unique"}


def test_the_plan_join_finds_equal_records_only_if_told_so(spark, lake, records, tmp_path):
    config = joined_config(distance_max=0)
    run = nd.spark.deduplicate(frame(spark, lake, 2), config=config, work_dir=tmp_path / "work", plan="join")
    assert verdicts_of(run, records) == dedup_of(records, config)
    assert run.counts["duplicate"] > 500


def test_the_plan_join_follows_text_keys_whatever_the_partitions(spark, lake, records, tmp_path, monkeypatch):
    config = joined_config(widen=True)
    found = []
    for parts in (1, 6):
        monkeypatch.setattr(_spark_join, "ROWS_PER_TASK", 14 * RECORDS // parts)
        run = nd.spark.deduplicate(
            frame(spark, lake, parts), config=config, work_dir=tmp_path / str(parts), plan="join"
        )
        found.append(verdicts_of(run, records))
    assert found[0] == found[1]
    wanted = dedup_of(records, config)
    differ = sum(a[0] != b[0] for a, b in zip(found[0], wanted))
    assert 0 < differ < RECORDS // 100
    without = nd.dedup([record[4] for record in records], config=joined_config(text_keys=False)).counts["duplicate"]
    assert run.counts["duplicate"] > without + 200


def test_the_plan_join_refuses_what_it_cannot_decide(spark, lake, tmp_path):
    df = frame(spark, lake, 2)
    refused(df, tmp_path, "plan: expected ordered or join, found 'both'", plan="both")
    refused(df, tmp_path, "plan: join decides in one order, found lanes=2", plan="join", lanes=2)
    refused(df, tmp_path, "found match.neighbours: true", plan="join", config=joined_config(neighbours=True))
    assert not (tmp_path / "work").exists()
    nd.spark.deduplicate(df, config=CONFIG, work_dir=tmp_path / "work")
    refused(df, tmp_path, 'plan was "ordered", and is "join"', plan="join")


def join_few(spark, lake, work, **more):
    """A run in which each step has several parts."""
    df = frame(spark, lake, 2).where("offset < 600")
    return nd.spark.deduplicate(df, config=joined_config(), work_dir=work, plan="join", **more)


@pytest.fixture(scope="module")
def joined(spark, lake, tmp_path_factory):
    folder = tmp_path_factory.mktemp("joined") / "work"
    join_few(spark, lake, folder)
    return content(folder)


@pytest.mark.parametrize(
    "pattern", [r"joined/part-00002\.parquet$", r"rounds/001/.*\.found$", r"lane-0/part-0000.\.json$"]
)
def test_a_killed_worker_of_the_plan_join_changes_no_byte(spark, lake, joined, tmp_path, killer, pattern):
    killed = killer(pattern)
    with pytest.raises(Exception, match="crashed"):
        join_few(spark, lake, tmp_path / "work")
    assert killed.exists()
    join_few(spark, lake, tmp_path / "work")
    assert content(tmp_path / "work") == joined


def test_a_damaged_part_of_the_plan_join_is_made_again(spark, lake, joined, tmp_path, capfd):
    work = tmp_path / "work"
    join_few(spark, lake, work)
    last = max(folder.name for folder in (work / "rounds").iterdir())
    for name in (f"rounds/{last}/duplicate.bits", "joined/part-00001.matches", "joined/part-00001.parquet"):
        damage(work / name)
        shutil.rmtree(work / "decided")
        if name.endswith("matches"):
            shutil.rmtree(work / "rounds")
        join_few(spark, lake, work)
        assert content(work) == joined
        assert name in capfd.readouterr().err


# --- Crashes ---


@pytest.fixture(scope="module")
def undisturbed(spark, lake, tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed") / "work"
    nd.spark.deduplicate(frame(spark, lake), config=CONFIG, work_dir=folder)
    return content(folder)


KILLER = """
import os, re, signal, sys
def hook(event, arguments):
    if event == "os.rename" and re.search({pattern!r}, os.fsdecode(arguments[1])):
        try:
            os.close(os.open({flag!r}, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(hook)
"""


@pytest.fixture
def killer(spark, tmp_path):
    """Kills the first Python worker that finishes a file whose name matches a pattern."""
    folder = tmp_path / "killer"
    folder.mkdir()

    def plant(pattern):
        (folder / "sitecustomize.py").write_text(KILLER.format(pattern=pattern, flag=str(folder / "killed")))
        spark.sparkContext.environment["PYTHONPATH"] = str(folder)
        return folder / "killed"

    yield plant
    spark.sparkContext.environment.pop("PYTHONPATH", None)


@pytest.mark.parametrize(
    "pattern",
    [
        r"fingerprints/part-00003-000\.parquet$",
        r"ordered/part-00010-000\.parquet$",
        r"decided/lane-0/part-00007\.parquet$",
        r"decided/lane-0/part-00007\.segment$",
        r"decided/lane-0/part-00007\.json$",
        r"decided/lane-0/part-00000\.json$",
    ],
)
def test_a_killed_worker_changes_no_byte(spark, lake, undisturbed, tmp_path, killer, pattern):
    killed = killer(pattern)
    work = tmp_path / "work"
    with pytest.raises(Exception, match="crashed"):
        nd.spark.deduplicate(frame(spark, lake), config=CONFIG, work_dir=work)
    assert killed.exists()
    before = {path: path.stat().st_mtime_ns for path in (work / "decided").rglob("part-*.parquet")}
    nd.spark.deduplicate(frame(spark, lake), config=CONFIG, work_dir=work)
    assert content(work) == undisturbed
    again = [path for path, time_ns in before.items() if path.stat().st_mtime_ns != time_ns]
    assert len(again) <= 1  # parts are decided again


class _Stopped(BaseException):
    """As if the driver had ended."""


@pytest.mark.parametrize("name", ["run.json", "fingerprints/done.json", "ordered/done.json", "decided/done.json"])
@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_killed_driver_changes_no_byte(spark, lake, undisturbed, tmp_path, monkeypatch, name, moment):
    write_json = Store.write_json

    def stopping(self, written, value):
        if moment == "after" or written != name:
            write_json(self, written, value)
        if written == name:
            raise _Stopped

    monkeypatch.setattr(Store, "write_json", stopping)
    with pytest.raises(_Stopped):
        nd.spark.deduplicate(frame(spark, lake), config=CONFIG, work_dir=tmp_path / "work")
    monkeypatch.undo()
    nd.spark.deduplicate(frame(spark, lake), config=CONFIG, work_dir=tmp_path / "work")
    assert content(tmp_path / "work") == undisturbed


def test_a_finished_run_decides_nothing_again(spark, lake, tmp_path, monkeypatch):
    work = tmp_path / "work"
    run = nd.spark.deduplicate(frame(spark, lake), config=CONFIG, work_dir=work)
    before = {path: path.stat().st_mtime_ns for path in work.rglob("*")}
    again = nd.spark.deduplicate(frame(spark, lake), config=CONFIG, work_dir=work)
    assert again.counts == run.counts
    assert {path: path.stat().st_mtime_ns for path in work.rglob("*")} == before


@pytest.mark.parametrize("ending", ["parquet", "segment"])
def test_a_damaged_part_of_the_verdicts_is_decided_again(spark, lake, undisturbed, tmp_path, ending, capfd):
    work = tmp_path / "work"
    nd.spark.deduplicate(frame(spark, lake), config=CONFIG, work_dir=work)
    damage(work / "decided/lane-0" / f"part-00009.{ending}")
    if ending == "segment":  # nobody reads the segments of a finished run
        (work / "decided/done.json").unlink()
        (work / "decided/lane-0/part-00012.json").unlink()
    nd.spark.deduplicate(frame(spark, lake), config=CONFIG, work_dir=work)
    assert content(work) == undisturbed
    if ending == "parquet":
        told = r"part-00009.parquet: expected checksum \w+, found \w+; the file is damaged; it is made again"
        assert re.search(told, capfd.readouterr().err)


def test_a_damaged_part_of_an_earlier_step_is_made_again(spark, lake, undisturbed, tmp_path, capfd):
    work = tmp_path / "work"
    for name in ("fingerprints/part-00004-000.parquet", "ordered/part-00011-000.parquet"):
        nd.spark.deduplicate(frame(spark, lake), config=CONFIG, work_dir=work, resume=False)
        damage(work / name)
        shutil.rmtree(work / "decided")
        if name.startswith("fingerprints"):
            shutil.rmtree(work / "ordered")
        nd.spark.deduplicate(frame(spark, lake), config=CONFIG, work_dir=work)
        assert content(work) == undisturbed
        assert name in capfd.readouterr().err


def damage(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x41
    path.write_bytes(data)


def by_name(part):
    """The planted mistake: 10 comes before 2."""
    return part["lane"], str(part["task"]), part["piece"]


def test_parts_that_are_read_in_the_order_of_their_names_are_refused(spark, lake, tmp_path, monkeypatch):
    monkeypatch.setattr(nd.spark, "_part_order", by_name)
    with pytest.raises(nd.Error, match="not in order"):
        nd.spark.deduplicate(frame(spark, lake), config=CONFIG, work_dir=tmp_path / "work")


def test_the_comparison_of_verdicts_sees_parts_in_a_wrong_order(
    spark, lake, records, expected, tmp_path, monkeypatch
):
    monkeypatch.setattr(nd.spark, "_part_order", by_name)
    monkeypatch.setattr(nd.spark, "_refuse_disorder", lambda store, parts: None)
    run = nd.spark.deduplicate(frame(spark, lake), config=CONFIG, work_dir=tmp_path / "work")
    found, wanted = verdicts_of(run, records), columns_of(expected)
    assert sum(found[i] != wanted[i] for i in range(len(records))) > 100


# --- Errors ---


def refused(df, tmp_path, match, **changed):
    arguments = {"config": CONFIG, "work_dir": tmp_path / "work", **changed}
    with pytest.raises(nd.Error, match=match):
        nd.spark.deduplicate(df, **arguments)


def written(spark, tmp_path, table, name="a.parquet"):
    pq.write_table(table, tmp_path / name)
    return spark.read.parquet(str(tmp_path / name))


def test_two_records_with_equal_order_are_shown(spark, records, tmp_path):
    df = written(spark, tmp_path, table_of([*records[:2000], (*records[700][:4], b"{}")]))
    spark.conf.set("spark.sql.shuffle.partitions", "16")
    place = ", ".join(f"{name}={value}" for name, value in zip(("topic", "partition", "offset"), records[700][1:4]))
    refused(df, tmp_path, rf"equal in timestamp, topic, partition, offset.*{place}\) and \(.*{place}\); add a column")


def test_equal_order_across_lanes_is_no_error(spark, records, tmp_path):
    rows = [(START_MS, "a", partition, 0, records[partition][4]) for partition in range(2)]
    df = written(spark, tmp_path, table_of(rows))
    run = nd.spark.deduplicate(
        df, config=CONFIG, work_dir=tmp_path / "work", lanes=2, order_by=["timestamp"], key=["topic", "offset"]
    )
    assert run.unique(df).count() == run.counts["unique"]


@pytest.mark.parametrize("name", ["timestamp", "topic", "offset"])
def test_a_null_in_the_order_is_shown(spark, records, tmp_path, name):
    table = table_of(records[:100])
    place = table.column_names.index(name)
    values = table.column(name).to_pylist()
    values[57] = None
    column = pa.array(values, table.column(name).type)
    df = written(spark, tmp_path, table.set_column(place, name, column))
    shown = f"partition={records[57][2]}"
    refused(df, tmp_path, rf"column {name}: expected a value in every record, found a null.*{shown}.*isNotNull")


def test_a_missing_column_is_named_with_its_neighbour(spark, records, tmp_path):
    table = table_of(records[:100]).rename_columns(["topic", "partition", "offsets", "timestamp", "value"])
    df = written(spark, tmp_path, table)
    refused(df, tmp_path, "no column offset; did you mean offsets")
    refused(df, tmp_path, "columns: ofset is none of", columns={"ofset": "offsets"})


def test_columns_of_other_types_are_refused(spark, records, tmp_path):
    df = written(spark, tmp_path, table_of(records[:100]))
    number = df.withColumn("value", df["offset"])
    refused(number, tmp_path, "column value: expected the type string or binary, found bigint")
    refused(df.withColumn("offset", df["offset"] * 1.0), tmp_path, "column offset: expected.*found double; cast it")


def test_an_order_without_columns_is_refused(spark, lake, tmp_path):
    refused(frame(spark, lake), tmp_path, "order_by: expected at least one column", order_by=[])


def test_settings_that_are_to_be_learned_are_refused(spark, lake, tmp_path):
    refused(frame(spark, lake), tmp_path, "match.mode is auto.*tune", config={"match": {"mode": "auto"}})
    refused(frame(spark, lake), tmp_path, "match.mode is auto.*tune", config={})


def test_the_work_of_another_run_is_refused_and_the_first_difference_is_named(spark, lake, records, tmp_path):
    df = frame(spark, lake)
    nd.spark.deduplicate(df, config=CONFIG, work_dir=tmp_path / "work")
    other = {**CONFIG, "match": {"mode": "near", "distance_max": 7}}
    told = "settings.match.distance_max was 8, and is 7; take another work_dir, or resume=False"
    refused(df, tmp_path, told, config=other)
    refused(df, tmp_path, "order_by was .*, and is", order_by=["timestamp", "partition", "topic", "offset"])
    refused(df, tmp_path, "lanes was 1, and is 2", lanes=2)
    refused(df.where("offset > 3"), tmp_path, "input.query was")
    folder = tmp_path / "lake"
    shutil.copytree(lake, folder)
    pq.write_table(pq.read_table(lake / "3.parquet").slice(0, 10), folder / "3.parquet")
    refused(frame(spark, folder), tmp_path, "input.(query|names and sizes of files) was")
    run = nd.spark.deduplicate(frame(spark, folder), config=CONFIG, work_dir=tmp_path / "work", resume=False)
    assert sum(run.counts[name] for name in ("unique", "duplicate", "dead-letter")) == 3 * len(records) // 4 + 10


def test_another_input_without_files_is_refused(spark, records, tmp_path):
    rows = [(number, START_MS + number, "{}") for number in range(10)]
    schema = "number long, timestamp long, value string"
    more = {"order_by": ["number"], "key": ["number"]}
    nd.spark.deduplicate(spark.createDataFrame(rows, schema), config=CONFIG, work_dir=tmp_path / "work", **more)
    nd.spark.deduplicate(spark.createDataFrame(rows, schema), config=CONFIG, work_dir=tmp_path / "work", **more)
    refused(spark.createDataFrame(rows[1:], schema), tmp_path, "input.records was 10, and is 9", **more)
    changed = [(number + 1, *rest) for number, *rest in rows]
    refused(spark.createDataFrame(changed, schema), tmp_path, "input.sum of the hashes", **more)


def test_an_unknown_version_of_the_format_is_refused(spark, lake, tmp_path):
    Store(f"file:{tmp_path}/work").write_json("run.json", {"neardup_spark": 1})
    refused(frame(spark, lake), tmp_path, "run.json: expected format version 3, found 1; use the neardup that began")


def test_a_folder_with_other_files_is_refused(spark, lake, tmp_path):
    (tmp_path / "work").mkdir()
    (tmp_path / "work/thesis.txt").write_text("mine")
    refused(frame(spark, lake), tmp_path, "found thesis.txt; take another folder")
    refused(frame(spark, lake), tmp_path, "found thesis.txt; take another folder", resume=False)
    assert (tmp_path / "work/thesis.txt").exists()


def test_a_name_that_spark_reads_as_a_pattern_is_refused(spark, lake, tmp_path):
    refused(frame(spark, lake), tmp_path, r"Spark reads \[ as part of a pattern", work_dir=tmp_path / "work[1]")


def test_a_folder_may_have_any_other_name_and_the_rest_of_an_interrupted_write(spark, records, tmp_path):
    df = written(spark, tmp_path, table_of(records[:3000]))
    work = tmp_path / "my work%20#1é"
    work.mkdir()
    (work / ".run.json.0123.tmp").write_text("{")
    runs = [nd.spark.deduplicate(df, config=CONFIG, work_dir=work) for _ in range(2)]
    assert (work / "decided/done.json").exists()
    assert runs[0].unique(df).count() == runs[1].counts["unique"]


def test_speculation_is_refused(spark, lake, tmp_path):
    spark.sparkContext._conf.set("spark.speculation", "true")
    try:
        refused(frame(spark, lake), tmp_path, "spark.speculation is true.*spark.speculation=false")
    finally:
        spark.sparkContext._conf.set("spark.speculation", "false")


def test_a_window_that_does_not_fit_is_refused_before_any_work(spark, lake, tmp_path, monkeypatch):
    monkeypatch.setattr(nd.spark, "machine_memory", lambda: 3 << 30)
    large = {**CONFIG, "window": {"entries_max": 50_000_000}}
    told = r"takes at most [\d,]+ MB.*window.entries_max 50,000,000.*room for 2,147 MB"
    refused(frame(spark, lake), tmp_path, told, config=large)
    assert not (tmp_path / "work").exists()


def test_an_executor_without_the_library_is_named(spark, lake, tmp_path):
    broken = tmp_path / "broken/neardup"
    broken.mkdir(parents=True)
    (broken / "__init__.py").write_text("raise ImportError('no such library')")
    spark.sparkContext.environment["PYTHONPATH"] = str(broken.parent)
    try:
        told = r"executor .*: expected the native library.*no such library.*install neardup=="
        refused(frame(spark, lake), tmp_path, told)
    finally:
        spark.sparkContext.environment.pop("PYTHONPATH")


def test_a_table_without_records_is_refused(spark, lake, tmp_path):
    refused(frame(spark, lake).where("offset < 0"), tmp_path, "holds no records")


def test_the_memory_is_that_of_the_cgroup_or_less():
    assert 0 < nd.spark.machine_memory() <= os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    assert sys.modules["neardup.spark"].FORMAT == 3


def test_a_task_does_not_keep_the_payloads_in_memory(records, tmp_path, monkeypatch):
    monkeypatch.setattr(_spark_tasks, "task_number", lambda: 0)
    inputs = ["in_topic", "in_partition", "in_offset"]
    table = table_of(records[:1000]).rename_columns([*inputs, "timestamp", "value"])
    table = table.append_column("lane", pa.array([0] * 1000, pa.int32()))
    memory = []

    def batches():
        for _ in range(3):
            with pa.BufferOutputStream() as sink:
                with pa.ipc.new_stream(sink, table.schema) as writer:
                    writer.write_table(table)
                message = np.frombuffer(sink.getvalue(), np.uint8).copy()
            memory.append(weakref.ref(message))
            yield from pa.ipc.open_stream(pa.py_buffer(message))

    settings = neardup._native.settings(json.dumps(CONFIG))
    store = Store(str(tmp_path))
    held = []
    add = _spark_tasks.PartWriter.add

    def watched(self, batch):
        held.append(sum(reference() is not None for reference in memory))
        return add(self, batch)

    monkeypatch.setattr(_spark_tasks.PartWriter, "add", watched)
    parts = list(_spark_tasks.FingerprintTask(store, "fingerprints", settings, inputs)(batches()))
    assert [part["rows"] for part in parts] == [3000]
    assert held == [1, 1, 1]  # the batch that is read


# --- The page ---


@pytest.mark.skipif(not (ROOT / "docs/spark.md").exists(), reason="the page is not part of the package")
def test_every_block_of_the_page_holds(spark, tmp_path, monkeypatch):
    with gzip.open(ROOT / "config/examples/articles.jsonl.gz") as packed:
        (tmp_path / "articles.jsonl").write_bytes(packed.read())
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs/spark.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```pycon\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    # Spark does not know the working directory of a test, so relative names of folders are replaced.
    text = re.sub(r'"(lake|work|joined)"', lambda match: f'"{tmp_path}/{match[1]}"', "\n".join(blocks))
    session = doctest.DocTestParser().get_doctest(text, {}, "docs/spark.md", None, 0)
    failed, tried = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE).run(session)
    assert failed == 0 and tried > 10
