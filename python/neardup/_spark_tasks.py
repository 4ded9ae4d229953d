"""What `neardup.spark` does on the executors: one class for each step.

A task reads Arrow batches, writes files of its own through the store, and yields one JSON text for each part that it
wrote. What goes wrong comes back as such a text as well, so that the driver can raise it without a trace.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from . import _native
from ._errors import Error
from ._results import _batch
from ._store import Store, checksum
from ._tables import with_times

COMMIT_RECORDS = 2000
"""As filter.commit_records. Another number gives other verdicts once something is forgotten."""
PART_RECORDS = 500_000
"""A file is closed when it has so many records, which bounds what a task holds and what a crash costs."""
IN = "in_"
"""Before the names of the columns of the input, which may be equal to ours."""
FINGERPRINT = (
    "simhash long, order long, exact long, numbers long, features int, time_ms long, text_keys binary, reason string, "
    "passed boolean"
)
FINGERPRINT_COLUMNS = [column.split()[0] for column in FINGERPRINT.split(", ")]
_POSITION = ("topic", "partition", "offset")
"""The columns that say where a record is in Kafka."""
_KEYS_BYTES = 32
READ_RECORDS = 65_536


class Damaged(Error):
    """A part that is not what its marker says."""

    def __init__(self, store: Store, name: str, expected: str, found: str) -> None:
        super().__init__(f"{store.place(name)}: expected checksum {expected}, found {found}; the file is damaged")
        self.name = name


def read_part(store: Store, part: dict[str, Any]) -> bytes:
    """The bytes of a part, once they are checked."""
    data = store.read(part["name"])
    found = "no file" if data is None else checksum(data)
    if data is None or found != part["checksum"]:
        raise Damaged(store, part["name"], part["checksum"], found)
    return data


def reporting(task: Callable[[Iterator[pa.RecordBatch]], Iterable[dict[str, Any]]]) -> Callable[..., Any]:
    """A function for mapInArrow that yields what the task reports."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        def one(report: dict[str, Any]) -> pa.RecordBatch:
            return pa.RecordBatch.from_pydict({"report": [json.dumps(report)]})

        try:
            for report in task(batches):
                yield one(report)
        except Error as error:
            for _ in batches:  # the other side is still writing
                pass
            yield one({"error": str(error), "code": error.code, "damaged": getattr(error, "name", None)})

    return run


def numbers_of(batches: Iterable[pa.RecordBatch]) -> Iterator[int]:
    """The numbers in the first column: what the tasks of `_spark_jobs.each` are told to work on."""
    for batch in batches:
        yield from batch.column(0).to_pylist()


def task_number() -> int:
    from pyspark import TaskContext

    return TaskContext.get().partitionId()  # type: ignore[union-attr]


def parquet_bytes(table: pa.Table) -> bytes:
    """The same table gives the same bytes."""
    texts: Any = [f.name for f in table.schema if pa.types.is_string(f.type) or pa.types.is_dictionary(f.type)]
    sink = pa.BufferOutputStream()
    pq.write_table(
        table, sink, compression="zstd", use_dictionary=texts, write_statistics=False, store_schema=False,
        row_group_size=131_072,
    )
    return sink.getvalue().to_pybytes()


class PartWriter:
    """Writes the batches of one task as Parquet files of at most about PART_RECORDS records of one lane."""

    def __init__(self, store: Store, folder: str, task: int, order: list[str]) -> None:
        self._store = store
        self._folder = folder
        self._task = task
        self._order = order
        self._piece = 0
        self._batches: list[pa.RecordBatch] = []
        self._rows = 0

    def add(self, batch: pa.RecordBatch) -> Iterator[dict[str, Any]]:
        """Takes a batch of the same lane as those before it. Yields the part that this completed, if any."""
        self._batches.append(batch)
        self._rows += batch.num_rows
        if self._rows >= PART_RECORDS:
            yield from self.close()

    def close(self) -> Iterator[dict[str, Any]]:
        """Writes what was added since the last part. Yields this part, if there is anything in it."""
        if self._rows == 0:
            return
        table = pa.Table.from_batches(self._batches)
        name = f"{self._folder}/part-{self._task:05}-{self._piece:03}.parquet"
        data = parquet_bytes(table)
        self._store.write(name, data)
        part = {
            "name": name,
            "task": self._task,
            "piece": self._piece,
            "rows": self._rows,
            "checksum": checksum(data),
            "lane": table.column("lane")[0].as_py(),
            "first": values_at(table, self._order, 0),
            "last": values_at(table, self._order, self._rows - 1),
        }
        self._piece += 1
        self._batches, self._rows = [], 0
        yield part


def values_at(table: Any, columns: list[str], row: int) -> list[Any]:
    """The values of a record in a form that JSON has and that sorts as Spark sorts."""
    values = []
    for name in columns:
        value = table.column(name)[row]
        if pa.types.is_temporal(value.type):
            value = value.cast(pa.int32() if pa.types.is_date32(value.type) else pa.int64())
        plain = value.as_py()
        values.append(plain.hex() if isinstance(plain, bytes) else plain)
    return values


def shown(table: Any, columns: list[str], row: int) -> str:
    """A record for an error: its columns and their values."""
    pairs = []
    for name in columns:
        value = table.column(name)[row].as_py()
        pairs.append(f"{name.removeprefix(IN)}={value}")
    return ", ".join(pairs)


def binary_keys(lists: Any) -> pa.Array:
    """Lists of text keys as bytes, which is a type that Spark has."""
    rows = len(lists)
    offsets = pa.array(np.arange(rows + 1, dtype=np.int32) * _KEYS_BYTES)
    return pa.Array.from_buffers(pa.binary(), rows, [None, offsets.buffers()[1], lists.flatten().buffers()[1]])


def native_columns(batch: pa.RecordBatch) -> pa.Table:
    """The FINGERPRINT columns of a batch in the types of the library."""
    reasons = pa.array(_native.reasons(), pa.string())
    columns = {name: batch.column(name) for name in FINGERPRINT_COLUMNS}
    reason = pc.index_in(columns["reason"], value_set=reasons)
    columns["reason"] = pc.fill_null(reason, 0).cast(pa.int8())
    columns["passed"] = columns["passed"].cast(pa.int8())
    return pa.table(columns)


def fingerprint_arrays(
    fingerprinter: _native.Fingerprinter, batch: pa.RecordBatch, json_column: str, time_column: str
) -> list[pa.Array]:
    """The FINGERPRINT columns of a batch, in the types that Spark has."""
    stream = with_times(pa.Table.from_batches([batch]), time_column).__arrow_c_stream__()
    table = _batch(fingerprinter.compute(_native.Rows.of_stream(stream, [], json_column, time_column)))

    def column(name: str) -> pa.Array:
        return table.column(name).chunk(0)

    return [
        column("simhash").view(pa.int64()),
        column("order").view(pa.int64()),
        column("exact").view(pa.int64()),
        column("numbers").view(pa.int64()),
        column("features").view(pa.int32()),
        column("time_ms"),
        binary_keys(column("text_keys")),
        column("reason").cast(pa.string()),
        column("passed"),
    ]


@dataclass
class FingerprintTask:
    """Step 1: fingerprints of whole batches. The payload goes no further."""

    store: Store
    folder: str
    settings: str
    inputs: list[str]
    """The columns that go on, with their prefix."""

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[dict[str, Any]]:
        fingerprinter = _native.Fingerprinter(self.settings, 1)
        writer = PartWriter(self.store, self.folder, task_number(), [])
        for batch in batches:
            if batch.num_rows == 0:
                continue
            self._refuse_nulls(batch)
            kept = [*self.inputs, "lane"]
            # Copies, because a column of a batch keeps the whole batch in memory, with its payloads.
            arrays = [pa.concat_arrays([batch.column(name)]) for name in kept]
            arrays += fingerprint_arrays(fingerprinter, batch, "value", "timestamp")
            yield from writer.add(pa.RecordBatch.from_arrays(arrays, [*kept, *FINGERPRINT_COLUMNS]))
        yield from writer.close()

    def _refuse_nulls(self, batch: pa.RecordBatch) -> None:
        for name in [*self.inputs, "timestamp"]:
            column = batch.column(name)
            if column.null_count == 0:
                continue
            row = pc.index(pc.is_null(column), True).as_py()
            raise Error(
                f"column {name.removeprefix(IN)}: expected a value in every record, found a null in the record "
                f"{shown(batch, self.inputs, row)}; leave such records out: df.where(...isNotNull())"
            )


@dataclass
class OrderTask:
    """Step 2: the records of a range of the order, as Spark has sorted them."""

    store: Store
    folder: str
    order: list[str]
    inputs: list[str]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[dict[str, Any]]:
        writer = PartWriter(self.store, self.folder, task_number(), self.order)
        before: pa.RecordBatch | None = None  # the last record
        for batch in batches:
            if batch.num_rows == 0:
                continue
            self._refuse_equal(before, batch)
            for slice_ in _lanes_of(batch):
                if before is not None and before.column("lane")[0] != slice_.column("lane")[0]:
                    yield from writer.close()
                before = slice_.slice(slice_.num_rows - 1)
                yield from writer.add(slice_)
        yield from writer.close()

    def _refuse_equal(self, before: pa.RecordBatch | None, batch: pa.RecordBatch) -> None:
        columns = ["lane", *self.order]
        if before is not None and all(before.column(name)[0] == batch.column(name)[0] for name in columns):
            self._raise_equal(before, 0, batch, 0)
        equal = None
        for name in reversed(columns):
            column = batch.column(name)
            same = pc.equal(column.slice(1), column.slice(0, len(column) - 1))
            equal = same if equal is None else pc.and_(equal, same)
            if not pc.any(equal).as_py():
                return
        row = pc.index(equal, True).as_py()
        self._raise_equal(batch, row, batch, row + 1)

    def _raise_equal(self, a: pa.RecordBatch, row_a: int, b: pa.RecordBatch, row_b: int) -> None:
        names = [name.removeprefix(IN) for name in self.order]
        raise Error(
            f"order_by: two records are equal in {', '.join(names)}, so their order is open: "
            f"({shown(a, self.inputs, row_a)}) and ({shown(b, self.inputs, row_b)}); add a column to order_by in "
            "which they differ, or remove one of them"
        )


def _lanes_of(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """The batch, cut where the lane changes."""
    lane = batch.column("lane")
    begin = 0
    while begin < batch.num_rows:
        of_lane = pc.equal(lane.slice(begin), lane[begin])
        end = pc.index(of_lane, False).as_py()
        rows = batch.num_rows - begin if end < 0 else end
        yield batch.slice(begin, rows)
        begin += rows


@dataclass
class DecideTask:
    """Step 3: a lane decides its parts in order.

    For each part it writes the verdicts, the segment of the filter, and last a marker. Another attempt restores the
    segments of the parts that have a marker, and goes on. Two attempts write the same bytes.
    """

    store: Store
    folder: str
    settings: str
    threads: int
    now_ms: int
    parts: dict[int, list[dict[str, Any]]]
    """The parts of each lane in their order."""
    inputs: list[str] = field(default_factory=list)

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[dict[str, Any]]:
        for lane in numbers_of(batches):
            yield from self._decide(lane)

    def _name(self, lane: int, number: int, ending: str) -> str:
        return f"{self.folder}/lane-{lane}/part-{number:05}.{ending}"

    def _finished(self, lane: int) -> list[dict[str, Any]]:
        """The markers of the parts at the beginning that are decided."""
        finished: list[dict[str, Any]] = []
        begin = 0
        for number, part in enumerate(self.parts[lane]):
            marker = self.store.read_json(self._name(lane, number, "json"))
            if marker is None or marker["input"] != part["checksum"] or marker["begin"] != begin:
                break
            try:
                read_part(self.store, marker)
                read_part(self.store, marker["segment"])
                if "positions" in marker:
                    read_part(self.store, marker["positions"])
            except Damaged:
                break
            finished.append(marker)
            begin += part["rows"]
        return finished

    def _decide(self, lane: int) -> Iterator[dict[str, Any]]:
        finished = self._finished(lane)
        yield from finished
        if len(finished) == len(self.parts[lane]):
            return
        native = _native.Lane(self.settings, self.threads, COMMIT_RECORDS, self.now_ms)
        for marker in finished[_first_live(finished) :]:
            native.restore(read_part(self.store, marker["segment"]))
        evicted = (finished[-1]["evicted"] if finished else 0) - native.evicted()
        begin = 0
        for number, part in enumerate(self.parts[lane]):
            end = begin + part["rows"]
            if end > native.decided():
                tables = list(self._verdicts(lane, native, part, begin))
                if number >= len(finished):
                    yield self._write(lane, number, part, begin, pa.concat_tables(tables), native, evicted)
            begin = end

    def _verdicts(
        self, lane: int, native: _native.Lane, part: dict[str, Any], begin: int
    ) -> Iterator[pa.Table]:
        """Decides the records of a part that are not decided yet."""
        file = pq.ParquetFile(pa.BufferReader(read_part(self.store, part)))
        number = begin
        for batch in file.iter_batches(READ_RECORDS, columns=[*self.inputs, *FINGERPRINT_COLUMNS]):
            first = max(number, native.decided())
            skipped = first - number
            number += batch.num_rows
            if number <= first:
                continue
            batch = batch.slice(skipped)
            verdicts = _batch(native.decide(native_columns(batch).__arrow_c_stream__()))
            columns = {
                "lane": pa.array(np.full(batch.num_rows, lane, np.int32)),
                "number": pa.array(np.arange(first, number, dtype=np.int64)),
            }
            columns.update({name: batch.column(name) for name in self.inputs})
            columns.update({name: verdicts.column(name) for name in verdicts.column_names})
            yield pa.table(columns)

    def _write(
        self, lane: int, number: int, part: dict[str, Any], begin: int, verdicts: pa.Table, native: _native.Lane,
        evicted: int,
    ) -> dict[str, Any]:
        data = parquet_bytes(verdicts.unify_dictionaries())
        end = begin + part["rows"]
        is_last = number + 1 == len(self.parts[lane])
        if is_last:
            native.commit()  # no record follows whose verdict it could change
        entries = native.segment_entries()
        segment = native.take_segment()
        marker = {
            "name": self._name(lane, number, "parquet"),
            "checksum": checksum(data),
            "segment": {"name": self._name(lane, number, "segment"), "checksum": checksum(segment)},
            "input": part["checksum"],
            "lane": lane,
            "begin": begin,
            "rows": part["rows"],
            "committed": end if is_last else end - end % COMMIT_RECORDS,
            "entries": entries,
            "live": native.entries(),
            "evicted": evicted + native.evicted(),
            "counts": counts_of(verdicts),
        }
        if set(_POSITION) <= {name.removeprefix(IN) for name in self.inputs}:
            positions = _positions(verdicts)
            name = self._name(lane, number, "positions")
            marker["positions"] = {"name": name, "checksum": checksum(positions), "held": _held(verdicts)}
            self.store.write(name, positions)
        self.store.write(marker["name"], data)
        self.store.write(marker["segment"]["name"], segment)
        self.store.write_json(self._name(lane, number, "json"), marker)
        return marker


def _positions(verdicts: pa.Table) -> bytes:
    """Where the unique records are in Kafka, for `neardup import`, which finds there what the entries belong to.

    Little-endian: "NDPS"; u16 version, 1; u32 number of topics; for each u32 bytes, and the name; u64 number of
    records; then four columns: their numbers in the lane (i64), topics (u32), partitions (i32) and offsets (i64).
    """
    unique = verdicts.filter(pc.equal(verdicts.column("verdict").cast(pa.string()), "unique"))
    topics = unique.column(IN + "topic").cast(pa.string()).combine_chunks().dictionary_encode()
    if isinstance(topics, pa.ChunkedArray):
        topics = topics.combine_chunks()
    names = [name.encode() for name in topics.dictionary.to_pylist()]
    head = b"NDPS" + (1).to_bytes(2, "little") + len(names).to_bytes(4, "little")
    head += b"".join(len(name).to_bytes(4, "little") + name for name in names)
    columns = [
        unique.column("number").to_numpy().astype("<i8"),
        topics.indices.to_numpy(zero_copy_only=False).astype("<u4"),
        unique.column(IN + "partition").to_numpy().astype("<i4"),
        unique.column(IN + "offset").to_numpy().astype("<i8"),
    ]
    return head + unique.num_rows.to_bytes(8, "little") + b"".join(column.tobytes() for column in columns)


def _held(verdicts: pa.Table) -> list[list[Any]]:
    """For each input partition: topic, partition, and the offsets of its records as [begin, end) ranges in order."""
    keys = [IN + "topic", IN + "partition"]
    rows = verdicts.select([*keys, IN + "offset"]).group_by(keys).aggregate([(IN + "offset", "list")]).to_pylist()
    held = []
    for row in rows:
        offsets = np.unique(np.asarray(row[f"{IN}offset_list"], np.int64))
        breaks = np.flatnonzero(np.diff(offsets) > 1)
        begins = offsets[np.append(0, breaks + 1)]
        ends = offsets[np.append(breaks, -1)] + 1
        held.append([row[keys[0]], row[keys[1]], np.column_stack([begins, ends]).tolist()])
    return sorted(held)


def _first_live(finished: list[dict[str, Any]]) -> int:
    """The first segment that is needed: all entries before it are forgotten."""
    if not finished:
        return 0
    wanted = finished[-1]
    held = 0
    first = len(finished)
    while first > 0:
        before = finished[first - 1]["committed"] if first < len(finished) else None
        has_newest_commit = before is not None and before < wanted["committed"]
        if held >= wanted["live"] and (has_newest_commit or wanted["committed"] == 0):
            break
        first -= 1
        held += finished[first]["entries"]
    return first


def counts_of(verdicts: pa.Table) -> dict[str, int]:
    counts = {name: 0 for name in ("unique", "duplicate", "dead-letter", "late")}
    for each in pc.value_counts(verdicts.column("verdict").combine_chunks().cast(pa.string())).to_pylist():
        counts[each["values"]] = each["counts"]
    counts["late"] = pc.sum(verdicts.column("late")).as_py() or 0
    return counts
