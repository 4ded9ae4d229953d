"""Finds near-duplicates in a history on Apache Spark, with the verdicts of ``neardup filter``.

>>> run = neardup.spark.deduplicate(df, config="articles.yaml", work_dir="/lake/dedup/1")
>>> run.unique(df)

Spark computes fingerprints in parallel and sorts them. One task for each lane then decides in this order.
docs/spark.md describes the steps, the files and the promise.
"""

from __future__ import annotations

import difflib
import hashlib
import json as _json
import os
import re
import socket
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _native
from ._errors import Error
from ._settings import settings_json
from ._spark_join import JoinPlan
from ._spark_join import Settings as JoinSettings
from ._spark_jobs import FORMAT, DamagedPart, Steps, are_whole, described, reports, run_tasks, say
from ._spark_tasks import (
    COMMIT_RECORDS,
    FINGERPRINT,
    FINGERPRINT_COLUMNS,
    IN,
    DecideTask,
    FingerprintTask,
    OrderTask,
    fingerprint_arrays,
    reporting,
)
from ._store import Store

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Config = str | os.PathLike[str] | Mapping[str, Any]

ORDER = ("timestamp", "topic", "partition", "offset")
KEY = ("topic", "partition", "offset")
_TASK_BYTES = 300_000_000
"""What a deciding task holds besides the filter: Python, Arrow, and one part with its verdicts."""
_OVERHEAD_FACTOR = 0.1
_OVERHEAD_MIN = 384 << 20
"""Spark's defaults of spark.executor.memoryOverheadFactor and of the least overhead."""
_PATTERN = "*?[]{}\\"
_TIME_TYPES = ("timestamp", "timestamp_ntz", "bigint", "date")
_ORDER_TYPES = (
    "timestamp", "timestamp_ntz", "date", "tinyint", "smallint", "int", "bigint", "string", "binary", "boolean",
)
_VERDICT_COLUMNS = ("verdict", "distance", "kind", "late", "reason")
_STEPS = ("fingerprints", "ordered", "joined", "rounds", "decided")
_PLANS = ("ordered", "join")


def deduplicate(
    df: DataFrame,
    *,
    config: Config,
    work_dir: str | os.PathLike[str],
    order_by: Sequence[str] = ORDER,
    lanes: int = 1,
    columns: Mapping[str, str] | None = None,
    key: Sequence[str] = KEY,
    plan: str = "ordered",
    resume: bool = True,
) -> Run:
    """Decides all records of a data frame in one order.

    Args:
        df: records with the columns of Spark's Kafka source: ``topic``, ``partition``, ``offset``, ``timestamp`` (a
            time, or milliseconds since 1970) and ``value`` (JSON).
        config: a configuration file that `tune` has written, or its sections as a dict.
        work_dir: a folder that all executors can write to, for the results of each step.
        order_by: the columns that say which of two records is earlier. No two records may be equal in all of them.
        lanes: how many lanes decide at the same time. Records are compared only within their lane, which is the
            partition modulo this number.
        columns: names that columns have in `df`: ``{"value": "body"}``.
        key: the columns that name a record in the verdicts.
        plan: "ordered": one task for each lane decides in order, with an index. "join": records that share a key are
            brought together and decided in rounds, for a window that is too large for the memory of one machine.
        resume: True goes on with what a run of the same config, order and input has left in `work_dir`. False removes
            that first.

    Raises:
        Error: something is wrong with the settings, the session, the input or `work_dir`. The text says what, and
            what to do.
    """
    session = _session(df)
    _refuse_speculation(session)
    settings = _settings(config)
    if plan not in _PLANS:
        raise Error(f"plan: expected {' or '.join(_PLANS)}, found {plan!r}")
    if not order_by:
        raise Error("order_by: expected at least one column that says which of two records is earlier, found none")
    names = _Names(df, order_by, key, columns or {}, lanes)
    if plan == "join":
        JoinSettings(settings).refuse_unsuited(lanes)
    memory = _Memory(session, settings, lanes) if plan == "ordered" else None
    if memory:
        memory.refuse_if_too_large()
    store = Store(_qualified(session, os.fspath(work_dir)))
    work = _Work(session, store, settings, names, df, plan)
    work.open(resume)
    if memory:
        memory.tell()
    _check_executors(session)
    return Run(session, store, names, work.decided())


def fingerprint(
    df: DataFrame,
    *,
    config: Config,
    columns: Mapping[str, str] | None = None,
    key: Sequence[str] = KEY,
) -> DataFrame:
    """Computes the fingerprint of each record, on the executors.

    The result has the columns of `key`, and ``simhash``, ``order``, ``exact`` and ``numbers`` (64 bits each),
    ``features``, ``time_ms``, ``text_keys`` (eight 32-bit numbers, little-endian), ``reason`` (null unless the record
    cannot be compared) and ``passed``; `neardup.fingerprint` describes them.

    Args:
        df, config, columns, key: as for `deduplicate`.
    """
    settings = _settings(config)
    names = _Names(df, (), key, columns or {}, 1)
    for name in names.key:
        if name in FINGERPRINT_COLUMNS:
            raise Error(f"key: the column {name} has the name of a column of fingerprints; rename it in df")
    inputs = names.inputs
    types = {field.name: field.dataType.simpleString() for field in names.frame.schema.fields}
    schema = ", ".join(f"`{name.removeprefix(IN)}` {types[name]}" for name in inputs) + ", " + FINGERPRINT

    def run(batches: Iterable[Any]) -> Iterator[Any]:
        import pyarrow

        fingerprinter = _native.Fingerprinter(settings, 1)
        for batch in batches:
            arrays = [batch.column(name) for name in inputs]
            arrays += fingerprint_arrays(fingerprinter, batch, "value", "timestamp")
            out = [*(name.removeprefix(IN) for name in inputs), *FINGERPRINT_COLUMNS]
            yield pyarrow.RecordBatch.from_arrays(arrays, out)

    return names.frame.mapInArrow(run, schema)


class Run:
    """What `deduplicate` has found.

    Attributes:
        counts: how many records are ``unique``, ``duplicate`` and ``dead-letter``, how many are ``late``, and how many
            entries were ``evicted``: forgotten for lack of room (``window.entries_max``) while they were in the window.
    """

    def __init__(self, session: SparkSession, store: Store, names: _Names, parts: list[dict[str, Any]]) -> None:
        self._session = session
        self._store = store
        self._names = names
        self._parts = parts
        self.counts: dict[str, int] = {
            name: sum(part["counts"][name] for part in parts) for name in ("unique", "duplicate", "dead-letter", "late")
        }
        self.counts["evicted"] = sum(part["evicted"] for part in _last_of_lanes(parts))

    def _decided(self) -> DataFrame:
        return self._session.read.parquet(*(self._store.place(part["name"]) for part in self._parts))

    @property
    def verdicts(self) -> DataFrame:
        """One row for each record.

        The result has the columns of the key, ``verdict`` (``unique``, ``duplicate`` or ``dead-letter``), the columns
        of the key of the original with ``original_`` before their names, ``distance``, ``kind``, ``late`` and
        ``reason``.
        """
        from pyspark.sql import functions as F

        decided = self._decided()
        key = self._names.key
        originals = decided.where("verdict = 'unique'").select(
            F.col("lane").alias("_lane"),
            F.col("number").alias("_number"),
            *(F.col(_quoted(IN + name)).alias(f"original_{name}") for name in key),
        )
        joined = decided.join(
            originals, (F.col("lane") == F.col("_lane")) & (F.col("original") == F.col("_number")), "left"
        )
        return joined.select(
            *(F.col(_quoted(IN + name)).alias(name) for name in key),
            "verdict",
            *(F.col(_quoted(f"original_{name}")) for name in key),
            *_VERDICT_COLUMNS[1:],
        )

    def unique(self, df: DataFrame) -> DataFrame:
        """The records of `df` that are unique, with all their columns."""
        from pyspark.sql import functions as F

        names = self._names
        left_out = self._decided().where("verdict != 'unique'").select(
            *(F.col(_quoted(name)).alias(f"_neardup_{name}") for name in names.inputs)
        )
        condition = F.lit(True)
        for name in names.inputs:
            condition = condition & (
                df[_quoted(names.in_df(name.removeprefix(IN)))] == left_out[_quoted(f"_neardup_{name}")]
            )
        return df.join(left_out, condition, "left_anti")

    def __repr__(self) -> str:
        shown = ", ".join(f"{count:,} {name}" for name, count in self.counts.items())
        return f"neardup.spark.Run of {sum(part['rows'] for part in self._parts):,} records: {shown}"


def _last_of_lanes(parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return list({part["lane"]: part for part in parts}.values())


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


class _Names:
    """Which columns of the data frame mean what."""

    def __init__(
        self, df: DataFrame, order_by: Sequence[str], key: Sequence[str], columns: Mapping[str, str], lanes: int
    ) -> None:
        from pyspark.sql import functions as F

        if isinstance(order_by, str) or isinstance(key, str):
            raise Error("order_by and key: expected lists of column names, found a text; write [name]")
        if not 1 <= lanes <= 64:
            raise Error(f"lanes: expected a number from 1 to 64, found {lanes}")
        self.order_by = list(order_by)
        self.key = list(key)
        self.columns = dict(columns)
        self.lanes = lanes
        if not self.key:
            raise Error("key: expected at least one column that names a record, found none")
        needed = list(dict.fromkeys([*self.order_by, *self.key]))
        if lanes > 1 and "partition" not in needed:
            needed.append("partition")
        self._check(df, [*needed, "timestamp", "value"])
        for name in self.key:
            if name in _VERDICT_COLUMNS or name.startswith("original_"):
                raise Error(f"key: the column {name} has the name of a column of verdicts; rename it in df")
        self.inputs = [IN + name for name in needed]
        """The columns that go on to the verdicts."""
        lane = F.pmod(self._column(df, "partition"), F.lit(lanes)) if lanes > 1 else F.lit(0)
        self.frame = df.select(
            *(self._column(df, name).alias(IN + name) for name in needed),
            lane.cast("int").alias("lane"),
            self._column(df, "timestamp").alias("timestamp"),
            self._column(df, "value").alias("value"),
        )

    def in_df(self, name: str) -> str:
        return self.columns.get(name, name)

    def _column(self, df: DataFrame, name: str) -> Any:
        return df[_quoted(self.in_df(name))]

    def _check(self, df: DataFrame, needed: list[str]) -> None:
        types = dict(df.dtypes)
        for name in self.columns:
            if name not in needed:
                raise Error(
                    f"columns: {name} is none of the columns that are read; expected one of {', '.join(needed)}"
                )
        for name in needed:
            found = self.in_df(name)
            if found in types:
                continue
            near = difflib.get_close_matches(found, types, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise Error(
                f"df has no column {found}{hint}; it has {', '.join(types)}. Name it with "
                f"columns={{{name!r}: ...}}, or name others with order_by and key"
            )
        self._check_type(types, "value", ("string", "binary"))
        self._check_type(types, "timestamp", _TIME_TYPES)
        for name in [*self.order_by, *self.key]:
            self._check_type(types, name, _ORDER_TYPES)
        if self.lanes > 1:
            self._check_type(types, "partition", ("tinyint", "smallint", "int", "bigint"))

    def _check_type(self, types: Mapping[str, str], name: str, expected: Sequence[str]) -> None:
        found = types[self.in_df(name)]
        if found not in expected:
            raise Error(
                f"column {self.in_df(name)}: expected the type {' or '.join(expected)}, found {found}; cast it in df"
            )


def _settings(config: Config) -> str:
    return str(_native.settings(settings_json(config)))


def _session(df: DataFrame) -> SparkSession:
    session = df.sparkSession
    if not hasattr(session, "_jsparkSession"):
        raise Error(
            "this session uses Spark Connect; expected a session with its own driver: "
            "SparkSession.builder.master(...).getOrCreate()"
        )
    return session


def _refuse_speculation(session: SparkSession) -> None:
    if session.sparkContext.getConf().get("spark.speculation", "false").lower() == "true":
        raise Error(
            "spark.speculation is true, so Spark may start a second task that decides the same lane; start the session "
            "with spark.speculation=false"
        )


def _jvm(session: SparkSession) -> Any:
    """The Java classes, which have no types in Python."""
    return session.sparkContext._jvm


def _file_system(session: SparkSession, place: Any) -> Any:
    context: Any = session.sparkContext
    return place.getFileSystem(context._jsc.hadoopConfiguration())


def _qualified(session: SparkSession, path: str) -> str:
    """The address with its scheme, as Spark understands it."""
    for character in _PATTERN:
        if character in path:
            raise Error(
                f"work_dir {path}: Spark reads {character} as part of a pattern; take a folder without {_PATTERN} in "
                "its name"
            )
    place = _jvm(session).org.apache.hadoop.fs.Path(path)
    return _file_system(session, place).makeQualified(place).toString()


class _Memory:
    """How much memory deciding takes at most, and how much there is."""

    def __init__(self, session: SparkSession, settings: str, lanes: int) -> None:
        self._session = session
        self._conf: Any = session.sparkContext.getConf()
        self._entries_max: int = _json.loads(settings)["window"]["entries_max"]
        self._filter: int = _native.filter_bytes_max(settings, COMMIT_RECORDS)  # type: ignore[assignment]
        self._is_local = self._conf.get("spark.master").startswith("local")
        cores = int(self._conf.get("spark.executor.cores", "1"))
        if self._is_local:
            cores = session.sparkContext.defaultParallelism
        self._at_once = max(1, min(lanes, cores // int(self._conf.get("spark.task.cpus", "1"))))
        self.needed = self._at_once * (self._filter + _TASK_BYTES)
        self.available, self._from = self._found()

    def _size(self, name: str, default: str) -> int:
        """A size as Spark reads it; without a unit it counts MiB."""
        utils = _jvm(self._session).org.apache.spark.network.util.JavaUtils
        return utils.byteStringAsMb(self._conf.get(name, default)) << 20

    def _found(self) -> tuple[int, str]:
        if self._is_local:
            return machine_memory() - self._size("spark.driver.memory", "1g"), "the memory of this machine less spark.driver.memory"
        if self._conf.contains("spark.executor.pyspark.memory"):
            return self._size("spark.executor.pyspark.memory", "0"), "spark.executor.pyspark.memory"
        factor = float(self._conf.get("spark.executor.memoryOverheadFactor", str(_OVERHEAD_FACTOR)))
        by_factor = max(_OVERHEAD_MIN, int(self._size("spark.executor.memory", "1g") * factor))
        return self._size("spark.executor.memoryOverhead", f"{by_factor >> 20}m"), "spark.executor.memoryOverhead"

    def _text(self) -> str:
        return (
            f"deciding takes at most {_mb(self.needed)} in an executor: {_mb(self._filter)} for what a lane remembers "
            f"(window.entries_max {self._entries_max:,}) and {_mb(_TASK_BYTES)} besides, for {self._at_once} "
            f"{'lane' if self._at_once == 1 else 'lanes'} at once; there is room for {_mb(self.available)} "
            f"({self._from})"
        )

    def tell(self) -> None:
        say(self._text())

    def refuse_if_too_large(self) -> None:
        if self.needed <= self.available:
            return
        if self._is_local:
            remedy = "use a machine with more memory, or set window.entries_max lower"
        else:
            remedy = f"set {self._from} to at least {(self.needed >> 20) + 1}m, or window.entries_max lower"
        raise Error(f"{self._text()}; {remedy}")


def machine_memory() -> int:
    """The memory that this process may use: of its cgroup, or of the machine."""
    sizes = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            with open(path, encoding="ascii") as file:
                sizes.append(int(file.read()))
        except (OSError, ValueError):  # no such cgroup, or no limit ("max")
            pass
    return min(sizes)


def _mb(size: int) -> str:
    return f"{size / 1e6:,.0f} MB"


def _check_executors(session: SparkSession) -> None:
    """The native library must be the same wherever a task may run."""
    expected = _native.version

    def found(_: Any) -> Iterator[tuple[str, str]]:
        try:
            from neardup import _native as there

            yield socket.gethostname(), there.version
        except Exception as error:  # whatever keeps it from being loaded
            yield socket.gethostname(), f"none ({error})"

    context = session.sparkContext
    tasks = max(1, context.defaultParallelism)
    with described(session, "neardup: look for the native library on the executors"):
        hosts = context.parallelize(range(tasks), tasks).mapPartitions(found).collect()
    for host, version in hosts:
        if version != expected:
            raise Error(
                f"executor {host}: expected the native library of neardup {expected}, found {version}; install "
                f"neardup=={expected} there"
            )


def _part_order(part: dict[str, Any]) -> tuple[int, int, int]:
    """Where a part of the order stands: numbers, since 10 comes after 2."""
    return part["lane"], part["task"], part["piece"]


def _refuse_disorder(store: Store, parts: list[dict[str, Any]]) -> None:
    for before, after in zip(parts, parts[1:]):
        if (before["lane"], before["last"]) >= (after["lane"], after["first"]):
            raise Error(
                f"{store.place(after['name'])} begins with {after['first']}, which does not come after the end "
                f"{before['last']} of {before['name']}; the parts are not in order, please report this"
            )


def _input_identity(df: DataFrame, names: _Names) -> dict[str, Any]:
    """What tells this input from another one, without reading the payloads."""
    types = dict(df.dtypes)
    read = [name.removeprefix(IN) for name in names.inputs] + ["timestamp", "value"]
    query: Any = df._jdf
    plan = query.queryExecution().analyzed().toString()
    identity: dict[str, Any] = {
        "columns": {name: types[names.in_df(name)] for name in read},
        "query": hashlib.sha256(re.sub(r"#\d+L?|@[0-9a-f]+|\[id=\d+\]|rdd\[\d+\]", "", plan).encode()).hexdigest()[:16],
    }
    files = sorted(df.inputFiles())
    if files:
        listed = hashlib.sha256(_json.dumps(_with_sizes(df, files)).encode()).hexdigest()[:16]
        return {**identity, "files": len(files), "names and sizes of files": listed}
    from pyspark.sql import functions as F

    key = [F.col(_quoted(name)) for name in names.inputs]
    # A sum of hashes does not depend on the order, and a decimal does not overflow.
    hashes = names.frame.select(F.xxhash64(*key).cast("decimal(20,0)").alias("hash"))
    row = hashes.agg(F.count("*"), F.sum("hash")).first()
    return {**identity, "records": row[0], "sum of the hashes of key and order": str(row[1])}  # type: ignore[index]


def _with_sizes(df: DataFrame, files: list[str]) -> list[tuple[str, int]]:
    session = df.sparkSession
    uri = _jvm(session).java.net.URI
    sizes: dict[str, int] = {}
    for folder in sorted({file.rpartition("/")[0] for file in files}):
        place = _jvm(session).org.apache.hadoop.fs.Path(uri(folder))
        for status in _file_system(session, place).listStatus(place):
            sizes[status.getPath().toUri().getPath()] = status.getLen()
    return [(file, sizes.get(uri(file).getPath(), -1)) for file in files]


def _first_difference(expected: Any, found: Any, path: str = "") -> tuple[str, Any, Any] | None:
    """The first place where two JSON values differ, and what stands there."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for name in dict.fromkeys([*expected, *found]):
            place = f"{path}.{name}" if path else name
            difference = _first_difference(expected.get(name), found.get(name), place)
            if difference:
                return difference
        return None
    return None if expected == found else (path, expected, found)


class _Work:
    """The steps of a run, each of which leaves files and a marker below work_dir."""

    def __init__(
        self, session: SparkSession, store: Store, settings: str, names: _Names, df: DataFrame, plan: str
    ) -> None:
        self._session = session
        self._store = store
        self._settings = settings
        self._names = names
        self._df = df
        self._plan = plan
        self._run: dict[str, Any] = {}
        self._steps = Steps(store, self._run)

    def open(self, resume: bool) -> None:
        """Finds the run that work_dir belongs to, or begins one."""
        with described(self._session, "neardup: what the input is"):
            identity = {
                "plan": self._plan,
                "settings": _json.loads(self._settings),
                "order_by": self._names.order_by,
                "key": self._names.key,
                "columns": self._names.columns,
                "lanes": self._names.lanes,
                "commit_records": COMMIT_RECORDS,
                "input": _input_identity(self._df, self._names),
            }
        found = self._store.read_json("run.json")
        if found is None and self._store.names():
            raise Error(
                f"work_dir {self._store}: expected an empty folder or one of an earlier run, found "
                f"{self._store.names()[0]}; take another folder"
            )
        if found is not None and not resume:
            for name in (*_STEPS, "run.json"):
                self._store.remove(name)
            found = None
        if found is None:
            # The clock of the run: event times far ahead of it are set back, the same way in each attempt.
            found = {"neardup_spark": FORMAT, "now_ms": time.time_ns() // 1_000_000, **identity}
            self._store.write_json("run.json", found)
        self._check(found, identity)
        self._run = found
        self._steps = Steps(self._store, found)

    def _check(self, found: dict[str, Any], identity: dict[str, Any]) -> None:
        version = found.get("neardup_spark")
        if version != FORMAT:
            raise Error(
                f"{self._store.place('run.json')}: expected format version {FORMAT}, found {version}; use the neardup "
                "that began this run, or another work_dir"
            )
        recorded = {name: found.get(name) for name in identity}
        difference = _first_difference(recorded, identity)
        if difference:
            path, before, now = difference
            raise Error(
                f"work_dir {self._store} belongs to another run: {path} was {_json.dumps(before)}, and is "
                f"{_json.dumps(now)}; take another work_dir, or resume=False to begin again"
            )

    def decided(self) -> list[dict[str, Any]]:
        """The parts with verdicts, after whatever is still to be done."""
        finished = self._steps.finished("decided")
        if finished is not None and are_whole(self._session, self._store, "decided", finished):
            return finished
        for attempt in range(2):
            ordered = self._ordered()
            try:
                return self._join(ordered) if self._plan == "join" else self._decide(ordered)
            except DamagedPart as error:
                step = error.part.partition("/")[0]
                if attempt == 1 or step == "decided":
                    raise
                say(f"{error}; the step is done again")
                self._store.remove(step)
        raise AssertionError("unreachable")

    def _ordered(self) -> list[dict[str, Any]]:
        finished = self._steps.finished("ordered")
        if finished is not None:
            return finished  # each part is checked when it is decided
        fingerprints = self._steps.finished("fingerprints")
        if fingerprints is None or not are_whole(
            self._session, self._store, "fingerprints", fingerprints
        ):
            fingerprints = self._fingerprint()
        return self._order(fingerprints)

    def _fingerprint(self) -> list[dict[str, Any]]:
        self._store.remove("fingerprints")
        task = FingerprintTask(self._store, "fingerprints", self._settings, self._names.inputs)
        with described(self._session, "neardup: fingerprint"):
            parts = reports(self._names.frame.mapInArrow(reporting(task), "report string"))
        if not parts:
            raise Error("df holds no records; there is nothing to decide")
        return self._steps.finish("fingerprints", sorted(parts, key=lambda part: part["name"]))

    def _order(self, fingerprints: list[dict[str, Any]]) -> list[dict[str, Any]]:
        self._store.remove("ordered")
        order = [IN + name for name in self._names.order_by]
        task = OrderTask(self._store, "ordered", order, self._names.inputs)
        frame = self._session.read.parquet(*(self._store.place(part["name"]) for part in fingerprints))
        with described(self._session, "neardup: order"):
            ordered = frame.orderBy("lane", *(_quoted(name) for name in order))
            parts = reports(ordered.mapInArrow(reporting(task), "report string"))
        parts.sort(key=_part_order)
        _refuse_disorder(self._store, parts)
        expected = sum(part["rows"] for part in fingerprints)
        found = sum(part["rows"] for part in parts)
        if found != expected:
            raise Error(f"order: expected the {expected:,} records of the fingerprints, found {found:,}; run it again")
        return self._steps.finish("ordered", parts)

    def _join(self, ordered: list[dict[str, Any]]) -> list[dict[str, Any]]:
        plan = JoinPlan(
            self._session, self._store, self._steps, self._settings, self._run["now_ms"], self._names.inputs
        )
        return plan.decide(ordered)

    def _decide(self, ordered: list[dict[str, Any]]) -> list[dict[str, Any]]:
        lanes: dict[int, list[dict[str, Any]]] = {}
        for part in ordered:
            lanes.setdefault(part["lane"], []).append(part)
        threads = int(self._session.sparkContext.getConf().get("spark.task.cpus", "1"))
        task = DecideTask(
            self._store, "decided", self._settings, threads, self._run["now_ms"], lanes, self._names.inputs
        )
        numbers = sorted(lanes)
        shown = f"lane {numbers[0]}" if len(numbers) == 1 else f"lanes {', '.join(map(str, numbers))}"
        parts = run_tasks(self._session, f"decide {shown}", numbers, task)
        parts.sort(key=lambda part: (part["lane"], part["begin"]))
        evicted = sum(part["evicted"] for part in _last_of_lanes(parts))
        if evicted:
            say(
                f"{evicted:,} entries were forgotten for lack of room while they were in the window; copies of them "
                "count as unique. Set window.entries_max higher to find them"
            )
        return self._steps.finish("decided", parts)
