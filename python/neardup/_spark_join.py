"""The plan `join`: decides a history whose window is too large for the memory of one machine.

It works in rounds over groups of records that share a key. docs/spark.md describes the method, and
src/bindings/join_pass.h the passes over the groups.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from . import _native
from ._errors import Error
from ._results import _batch
from ._spark_jobs import DamagedPart, Steps, are_whole, described, each, reports, run_tasks
from ._spark_tasks import (
    COMMIT_RECORDS,
    FINGERPRINT_COLUMNS,
    READ_RECORDS,
    Damaged,
    binary_keys,
    counts_of,
    native_columns,
    numbers_of,
    parquet_bytes,
    read_part,
    reporting,
    task_number,
)
from ._store import Store, checksum

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    Numbers = np.ndarray[Any, np.dtype[np.int64]]

STRETCH_BITS = 16
"""A stretch of the order has 2**16 records. A text key has its own holders in each stretch (join_group.h)."""
ROWS_PER_TASK = 1_000_000
"""How many rows one task of the shuffle gets."""
WITNESSES = 10
"""In a commit of at least this number of records, fewer records alone do not move the watermark (filter/watermark.h)."""
LEFT_SHARE = 500
"""The driver decides the last records in order, when at most one of 500 records is undecided."""
LEFT_MIN = 200_000
"""It also does so when at most this many records are undecided."""

UNDECIDED, UNIQUE, DUPLICATE = 0, 1, 2
INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1
_ROW = "key long, number long, simhash long, order long, numbers long, time_ms long, rest long"
_KEYS = ", text_keys binary"
_BEST = "part int, number long, original long, kind short, distance short, sum short"
_SENTINEL = 255
"""The kind of a row that is no match. Each part has such a row, so that Spark gives each part to a task."""
_KINDS = ("exact", "near")
_VERDICTS = ("unique", "duplicate", "dead-letter")


def _stream(table: Any) -> Any:
    return table.__arrow_c_stream__()


def _int64_bytes(numbers: Sequence[int] | Numbers | None) -> bytes:
    return b"" if numbers is None else np.asarray(numbers, "<i8").tobytes()


def _read_table(store: Store, part: dict[str, Any]) -> pa.Table:
    return pq.read_table(pa.BufferReader(read_part(store, part)))


def _write_table(store: Store, name: str, table: pa.Table) -> dict[str, Any]:
    data = parquet_bytes(table)
    store.write(name, data)
    return {"name": name, "rows": table.num_rows, "checksum": checksum(data)}


def _rows_table(capsules: Any) -> pa.Table:
    """The rows of a join that the library has returned."""
    table = _batch(capsules)
    if "text_keys" in table.column_names:
        place = table.column_names.index("text_keys")
        keys = binary_keys(table.column(place).combine_chunks())
        table = table.set_column(place, "text_keys", keys)
    return table


class Settings:
    """The settings of the filter that the passes read. `text` is what the library takes."""

    def __init__(self, text: str) -> None:
        self.text = text
        parsed = json.loads(text)
        self.match: dict[str, Any] = parsed["match"]
        self.window: dict[str, Any] = parsed["window"]

    @property
    def widen(self) -> bool:
        return bool(self.match.get("widen")) and bool(self.match.get("text_keys"))

    def latest_ms(self, now_ms: int) -> int:
        return min(now_ms + int(self.window["ahead_max_ms"]), INT64_MAX)

    @property
    def jump_max_ms(self) -> int:
        return int(self.window["window_ms"]) // 4

    def refuse_unsuited(self, lanes: int) -> None:
        if lanes != 1:
            raise Error(
                f"plan: join decides in one order, found lanes={lanes}; use plan='ordered', in which each lane has a "
                "task of its own, or lanes=1"
            )
        if self.match.get("neighbours"):
            raise Error(
                "plan: join compares records of equal blocks, found match.neighbours: true, which also asks for blocks "
                "that differ in a bit; set match.neighbours to false, or use plan='ordered'"
            )


@dataclass
class OrderedParts:
    """The records in their order: the parts that step 2 wrote."""

    store: Store
    parts: list[dict[str, Any]]

    def __post_init__(self) -> None:
        rows = [part["rows"] for part in self.parts]
        self.begins: list[int] = [0, *np.cumsum(rows).tolist()][:-1]
        self.records: int = sum(rows)

    def batches(self, number: int, columns: Sequence[str]) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Reads columns of a part. Each batch comes with the number of its first record."""
        file = pq.ParquetFile(pa.BufferReader(read_part(self.store, self.parts[number])))
        begin = self.begins[number]
        for batch in file.iter_batches(READ_RECORDS, columns=list(columns)):
            yield begin, batch
            begin += batch.num_rows


def _comparable(batch: pa.RecordBatch) -> Any:
    return pc.and_(pc.is_null(batch.column("reason")), pc.invert(batch.column("passed"))).to_numpy(zero_copy_only=False)


def _times(batch: pa.RecordBatch, latest_ms: int) -> Numbers:
    return np.minimum(batch.column("time_ms").to_numpy(), latest_ms)


_TIME_COLUMNS = ("time_ms", "reason", "passed")


@dataclass
class TimesTask:
    """Finds the smallest and the largest event times of each interval: of the records between two commits."""

    ordered: OrderedParts
    latest_ms: int
    watermark_max_ms: int

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[dict[str, Any]]:
        for part in numbers_of(batches):
            yield self._report(part)

    def _report(self, part: int) -> dict[str, Any]:
        first = self.ordered.begins[part] // COMMIT_RECORDS
        intervals = (self.ordered.begins[part] + self.ordered.parts[part]["rows"] - 1) // COMMIT_RECORDS + 1 - first
        smallest = np.full(intervals, INT64_MAX)
        largest = np.full((intervals, WITNESSES), INT64_MIN)
        for begin, batch in self.ordered.batches(part, _TIME_COLUMNS):
            mask = _comparable(batch)
            place = (np.arange(begin, begin + batch.num_rows) // COMMIT_RECORDS - first)[mask]
            np.minimum.at(smallest, place, _times(batch, self.latest_ms)[mask])
            times = batch.column("time_ms").to_numpy()[mask]
            # A time that is set back moves no watermark.
            counted = np.where(times > self.latest_ms, INT64_MIN, np.minimum(times, self.watermark_max_ms))
            for interval in np.unique(place):
                largest[interval] = _largest(largest[interval], counted[place == interval])
        return {"first": first, "smallest": smallest.tolist(), "largest": largest.tolist()}


def _largest(some: Numbers, others: Numbers) -> Numbers:
    """The largest times of the two lists, in descending order."""
    return np.sort(np.concatenate((some, others)))[::-1][:WITNESSES]


def _advanced(time_ms: int, largest: list[int], jump_max_ms: int) -> int:
    """The time of the input after a commit of records with these largest times, as filter/watermark.h says."""
    if largest[-1] == INT64_MIN:
        return max(time_ms, largest[0])
    reached_ms = max(time_ms, largest[-1])
    return max(reached_ms, *(each for each in largest if each <= reached_ms + jump_max_ms))


class Horizons:
    """The horizon of each interval: what is older is out of the window when a record of the interval is decided."""

    def __init__(self, times: list[dict[str, Any]], records: int, settings: Settings) -> None:
        count = (records - 1) // COMMIT_RECORDS + 1
        smallest = np.full(count, INT64_MAX)
        largest = np.full((count, WITNESSES), INT64_MIN)
        for report in times:
            place = np.arange(report["first"], report["first"] + len(report["smallest"]))
            np.minimum.at(smallest, place, np.array(report["smallest"], np.int64))
            for interval, found in zip(place, report["largest"], strict=True):
                largest[interval] = _largest(largest[interval], np.array(found, np.int64))
        watermarks = np.full(count, INT64_MIN)
        for interval in range(1, count):
            watermarks[interval] = _advanced(
                int(watermarks[interval - 1]), largest[interval - 1].tolist(), settings.jump_max_ms
            )
        window = settings.window
        kept_ms = int(window["window_ms"]) + int(window["lateness_ms"])
        known = watermarks >= INT64_MIN + kept_ms
        self.ms: Numbers = np.where(known, watermarks, kept_ms + INT64_MIN) - kept_ms
        window_ms = int(window["window_ms"])
        reach = np.where(smallest < INT64_MIN + window_ms, INT64_MIN, smallest - window_ms)
        self.are_crossed = bool(np.any(known & (smallest != INT64_MAX) & (reach < self.ms)))
        """Whether any record arrives so late that its window begins before the horizon."""


@dataclass
class RowsTask:
    """Turns the records of the parts into rows, one for each of their keys."""

    ordered: OrderedParts
    settings: str
    now_ms: int

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for part in numbers_of(batches):
            for begin, records in self.ordered.batches(part, FINGERPRINT_COLUMNS):
                columns = _stream(native_columns(records))
                rows = _rows_table(_native.join_rows(self.settings, self.now_ms, begin, columns))
                yield from rows.combine_chunks().to_batches(max_chunksize=10_000)


@dataclass
class State:
    """What is known about all records before a pass. The bitmaps are files, because all tasks read them."""

    store: Store
    settings: str
    stretch_bits: int
    horizons: bytes
    unique: dict[str, Any] | None = None
    duplicate: dict[str, Any] | None = None
    first_unique: bytes = b""
    first_possible: bytes = b""

    def _bits(self, part: dict[str, Any] | None) -> bytes:
        return b"" if part is None else read_part(self.store, part)

    def native(self) -> _native.JoinPass:
        return _native.JoinPass(
            self.settings, COMMIT_RECORDS, self.stretch_bits, self.horizons, self._bits(self.unique),
            self._bits(self.duplicate), self.first_unique, self.first_possible,
        )

    def bitmap(self, part: dict[str, Any] | None) -> Any:
        return np.frombuffer(self._bits(part), np.uint8)


def _are_set(bitmap: Any, begin: int, rows: int) -> Any:
    """The bits of some records."""
    bits = bitmap[begin // 8 : (begin + rows + 7) // 8]
    return np.unpackbits(bits, bitorder="little")[begin % 8 : begin % 8 + rows].astype(bool)


@dataclass
class MatchTask:
    """Runs the first pass over the rows that Spark has sorted."""

    store: Store
    folder: str
    state: State

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[dict[str, Any]]:
        rows = [batch for batch in batches if batch.num_rows > 0]
        if not rows:
            return
        task = task_number()
        found, matches = self.state.native().match(_stream(pa.Table.from_batches(rows)))
        kept = _rows_table(found)
        key = kept.column("key")
        yield {
            **_write_table(self.store, f"{self.folder}/part-{task:05}.parquet", kept),
            "task": task,
            "first_key": key[0].as_py(),
            "last_key": key[kept.num_rows - 1].as_py(),
            "matches": _write_table(self.store, f"{self.folder}/part-{task:05}.matches", _batch(matches)),
        }


class Joined:
    """The parts of the first pass, in the order of their keys."""

    def __init__(self, parts: list[dict[str, Any]]) -> None:
        self.parts = parts

    def before(self, number: int) -> list[int]:
        """The earlier parts whose last group has the key of the first group of this part: the group was cut."""
        key = self.parts[number]["first_key"]
        found: list[int] = []
        while number > 0 and self.parts[number - 1]["last_key"] == key:
            number -= 1
            found.append(number)
            if self.parts[number]["first_key"] != key:
                break
        return found[::-1]

    def going_on(self) -> list[int]:
        """The parts whose last group was cut, so that the next part begins with the rest of it."""
        return [
            number
            for number, (part, after) in enumerate(zip(self.parts, self.parts[1:]))
            if part["last_key"] == after["first_key"]
        ]


@dataclass
class TailTask:
    """Writes what parts hand on to the parts that hold the rest of their last group."""

    state: State
    folder: str
    joined: Joined
    all: bool
    """False: only a few of the undecided records are handed on."""

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[dict[str, Any]]:
        native = self.state.native()
        for number in numbers_of(batches):
            rows = _read_table(self.state.store, self.joined.parts[number])
            tail, complete = native.tail(_stream(rows), self.all)
            name = f"{self.folder}/tail-{number:05}.parquet"
            written = _write_table(self.state.store, name, _rows_table(tail))
            yield {**written, "number": number, "complete": complete}


@dataclass
class Part:
    """A part, and the records of its first group that earlier parts hand on."""

    rows: pa.Table
    before: pa.Table
    complete: bool


@dataclass
class PassTask:
    """A pass over parts."""

    state: State
    joined: Joined
    tails: dict[int, dict[str, Any]]

    def _parts(self, batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[int, Part]]:
        store = self.state.store
        for number in numbers_of(batches):
            rows = _read_table(store, self.joined.parts[number])
            tails = [self.tails[before] for before in self.joined.before(number)]
            before = [_read_table(store, tail) for tail in tails]
            table = pa.concat_tables(before) if before else rows.slice(0, 0)
            yield number, Part(rows, table, all(tail["complete"] for tail in tails))


@dataclass
class FindingTask(PassTask):
    """A pass that writes a file for each part."""

    folder: str

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[dict[str, Any]]:
        native = self.state.native()
        for number, part in self._parts(batches):
            yield _write_table(self.state.store, f"{self.folder}/part-{number:05}.found", self._found(native, part))

    def _found(self, native: _native.JoinPass, part: Part) -> pa.Table:
        raise NotImplementedError


class WitnessTask(FindingTask):
    """Finds a match of each undecided record in each of its groups."""

    def _found(self, native: _native.JoinPass, part: Part) -> pa.Table:
        return _batch(native.witnesses(_stream(part.rows), _stream(part.before), part.complete))


class LeftTask(FindingTask):
    """Collects the rows with which the driver can decide all undecided records in their order."""

    def _found(self, native: _native.JoinPass, part: Part) -> pa.Table:
        return _rows_table(native.left(_stream(part.rows), _stream(part.before)))


@dataclass
class BestTask(PassTask):
    """Finds the best original of each duplicate in each of its groups."""

    begins: list[int]

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        native = self.state.native()
        for _, part in self._parts(batches):
            found = _batch(native.best(_stream(part.rows), _stream(part.before)))
            numbers = found.column("number").to_numpy()
            place = np.searchsorted(self.begins, numbers, "right") - 1
            columns = {
                "part": pa.array(place.astype(np.int32)),
                **{name: found.column(name).combine_chunks() for name in ("number", "original")},
                **{name: found.column(name).combine_chunks().cast(pa.int16()) for name in ("kind", "distance", "sum")},
            }
            yield from pa.table(columns).to_batches(max_chunksize=10_000)


@dataclass
class FirstTask:
    """Finds the first record of each interval that is, or may be, unique and is not before the horizon.

    Each part reports, for each horizon, its first such record with an event time from this horizon up to the next one.
    """

    ordered: OrderedParts
    state: State
    latest_ms: int

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[dict[str, Any]]:
        for part in numbers_of(batches):
            yield self._report(part)

    def _report(self, part: int) -> dict[str, Any]:
        horizons = np.frombuffer(self.state.horizons, "<i8")
        unique, duplicate = self.state.bitmap(self.state.unique), self.state.bitmap(self.state.duplicate)
        firsts: dict[str, dict[int, int]] = {"unique": {}, "possible": {}}
        for begin, batch in self.ordered.batches(part, _TIME_COLUMNS):
            mask = _comparable(batch)
            place = np.searchsorted(horizons, _times(batch, self.latest_ms), "right") - 1
            is_unique = _are_set(unique, begin, batch.num_rows)
            is_possible = ~_are_set(duplicate, begin, batch.num_rows)
            for name, counted in (("unique", mask & is_unique), ("possible", mask & is_possible)):
                places, rows = np.unique(place[counted], return_index=True)
                numbers = begin + np.flatnonzero(counted)[rows]
                for at, number in zip(places.tolist(), numbers.tolist()):
                    firsts[name].setdefault(at, number)
        return {name: [list(pair) for pair in found.items()] for name, found in firsts.items()}


@dataclass
class VerdictTask:
    """Writes the verdicts of the parts, from the best originals that Spark has sorted."""

    ordered: OrderedParts
    state: State
    folder: str
    inputs: list[str]
    latest_ms: int

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[dict[str, Any]]:
        part, found = -1, []
        for batch in batches:
            places = batch.column("part").to_numpy()
            cuts = [0, *(np.flatnonzero(np.diff(places)) + 1).tolist(), len(places)]
            for begin, end in zip(cuts, cuts[1:]):
                if begin == end:
                    continue
                if places[begin] != part:
                    if found:
                        yield self._write(part, found)
                    part, found = int(places[begin]), []
                found.append(batch.slice(begin, end - begin))
        if found:
            yield self._write(part, found)

    def _write(self, part: int, found: list[pa.RecordBatch]) -> dict[str, Any]:
        best = pa.Table.from_batches(found)
        best = best.filter(pc.not_equal(best.column("kind"), _SENTINEL))
        # The rows of a record stand in the order in which a filter prefers them.
        numbers = best.column("number").to_numpy()
        is_first = np.ones(len(numbers), bool)
        is_first[1:] = numbers[1:] != numbers[:-1]
        best = best.filter(pa.array(is_first))
        bitmap = self.state.bitmap(self.state.duplicate)
        verdicts = pa.concat_tables(
            self._verdicts(begin, batch, best, _are_set(bitmap, begin, batch.num_rows))
            for begin, batch in self.ordered.batches(part, [*self.inputs, *_TIME_COLUMNS])
        )
        marker = {
            **_write_table(self.state.store, f"{self.folder}/part-{part:05}.parquet", verdicts.unify_dictionaries()),
            "input": self.ordered.parts[part]["checksum"],
            "lane": 0,
            "begin": self.ordered.begins[part],
            "evicted": 0,
            "counts": counts_of(verdicts),
        }
        self.state.store.write_json(f"{self.folder}/part-{part:05}.json", marker)
        return marker

    def _verdicts(self, begin: int, batch: pa.RecordBatch, best: pa.Table, duplicate: Any) -> pa.Table:
        rows = batch.num_rows
        numbers = best.column("number").to_numpy()
        first, last = np.searchsorted(numbers, [begin, begin + rows])
        best = best.slice(first, last - first)
        place = best.column("number").to_numpy() - begin
        if not np.array_equal(np.flatnonzero(duplicate), place):
            raise Error(
                f"record {begin} and those after it: expected an original for each of {int(duplicate.sum()):,} "
                f"duplicates, found {len(place):,}; please report this"
            )

        def spread(column: str, type_: Any) -> pa.Array:
            values = np.zeros(rows, np.int64)
            values[place] = best.column(column).to_numpy()
            return pa.array(values, type_, mask=~duplicate)

        is_dead = pc.is_valid(batch.column("reason")).to_numpy(zero_copy_only=False)
        verdict = np.where(is_dead, 2, np.where(duplicate, 1, 0)).astype(np.int32)
        horizons = np.frombuffer(self.state.horizons, "<i8")
        horizon = horizons[np.arange(begin, begin + rows) // COMMIT_RECORDS]
        late = _comparable(batch) & (_times(batch, self.latest_ms) < horizon)
        names = pa.array(_VERDICTS)
        columns = {
            "lane": pa.array(np.zeros(rows, np.int32)),
            "number": pa.array(np.arange(begin, begin + rows, dtype=np.int64)),
            **{name: batch.column(name) for name in self.inputs},
            "verdict": pa.DictionaryArray.from_arrays(pa.array(verdict), names),
            "original": spread("original", pa.int64()),
            "distance": spread("distance", pa.int16()),
            "kind": pa.DictionaryArray.from_arrays(spread("kind", pa.int32()), pa.array(_KINDS)),
            "reason": batch.column("reason").cast(pa.string()).dictionary_encode(),
            "late": pa.array(late),
        }
        return pa.table(columns)


class JoinPlan:
    """Decides the records in their order. Each step leaves files and a marker."""

    def __init__(
        self, session: SparkSession, store: Store, steps: Steps, settings: str, now_ms: int, inputs: list[str]
    ) -> None:
        self._session = session
        self._store = store
        self._steps = steps
        self._settings = Settings(settings)
        self._now_ms = now_ms
        self._inputs = inputs

    def decide(self, parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
        try:
            return self._decide(OrderedParts(self._store, parts))
        except Damaged as error:  # found by the driver itself
            raise DamagedPart(str(error), error.name) from None

    def _decide(self, ordered: OrderedParts) -> list[dict[str, Any]]:
        parts = ordered.parts
        latest_ms = self._settings.latest_ms(self._now_ms)
        numbers = range(len(parts))
        watermark_max_ms = self._now_ms + self._settings.jump_max_ms
        times = run_tasks(
            self._session, "join: the window", numbers, TimesTask(ordered, latest_ms, watermark_max_ms)
        )
        horizons = Horizons(times, ordered.records, self._settings)
        state = State(self._store, self._settings.text, STRETCH_BITS, _int64_bytes(horizons.ms))
        finished = self._steps.finished("joined")
        if finished is None or not are_whole(self._session, self._store, "joined", finished):
            finished = self._match(ordered, state)
        joined = Joined(finished)
        rounds = Rounds(self._session, self._store, self._steps, ordered, joined, state, latest_ms, horizons)
        return self._verdicts(ordered, joined, rounds, rounds.decide(), latest_ms)

    def _match(self, ordered: OrderedParts, state: State) -> list[dict[str, Any]]:
        """Writes one row for each key of each record, lets Spark sort the rows by key, and runs the first pass."""
        from pyspark.sql import functions as F

        self._store.remove("joined")
        self._store.remove("rounds")
        keys = 1 if not self._settings.match["distance_max"] else 14 if self._settings.match.get("text_keys") else 6
        tasks = max(2 * self._session.sparkContext.defaultParallelism, keys * ordered.records // ROWS_PER_TASK)
        task = RowsTask(ordered, self._settings.text, self._now_ms)
        schema = _ROW + (_KEYS if self._settings.widen else "")
        rows = each(self._session, range(len(ordered.parts)), task, schema)
        stretch = F.shiftright("number", state.stretch_bits)  # no partition may cut a stretch of a key
        sorted_ = rows.repartitionByRange(tasks, "key", stretch).sortWithinPartitions("key", "number")
        with described(self._session, "neardup: join: match the records of each key"):
            match = MatchTask(self._store, "joined", state)
            parts = reports(sorted_.mapInArrow(reporting(match), "report string"))
        return self._steps.finish("joined", sorted(parts, key=lambda part: part["task"]))

    def _verdicts(
        self, ordered: OrderedParts, joined: Joined, rounds: Rounds, state: State, latest_ms: int
    ) -> list[dict[str, Any]]:
        tails = rounds.tails(state, "decided/tails", all_=True)
        task = BestTask(state, joined, tails, ordered.begins)
        best = each(self._session, range(len(joined.parts)), task, _BEST)
        sentinels = self._session.createDataFrame(
            [(part, begin, 0, _SENTINEL, 0, 0) for part, begin in enumerate(ordered.begins)], _BEST
        )
        both = best.union(sentinels).repartition(len(ordered.parts), "part")
        sorted_ = both.sortWithinPartitions("part", "number", "kind", "sum", "original")
        verdicts = VerdictTask(ordered, state, "decided/lane-0", self._inputs, latest_ms)
        with described(self._session, "neardup: join: the best originals and the verdicts"):
            parts = reports(sorted_.mapInArrow(reporting(verdicts), "report string"))
        self._store.remove("decided/tails")
        return self._steps.finish("decided", sorted(parts, key=lambda part: part["begin"]))


class Rounds:
    """Decides which records are unique. The driver holds about five bytes a record."""

    def __init__(
        self, session: SparkSession, store: Store, steps: Steps, ordered: OrderedParts, joined: Joined, state: State,
        latest_ms: int, horizons: Horizons,
    ) -> None:
        self._session = session
        self._store = store
        self._steps = steps
        self._ordered = ordered
        self._joined = joined
        self._state = state
        self._latest_ms = latest_ms
        self._horizons = horizons
        self._status = np.zeros(ordered.records, np.uint8)

    def decide(self) -> State:
        """The state in which every record is decided."""
        number, state = self._resume()
        while self._left():
            folder = f"rounds/{number:03}"
            if number == 0:
                self._settle([part["matches"] for part in self._joined.parts])
            elif self._left() > max(LEFT_MIN, self._ordered.records // LEFT_SHARE):
                task = WitnessTask(state, self._joined, self.tails(state, folder, all_=False), folder)
                self._settle(self._run(number, task))
            else:
                task = LeftTask(state, self._joined, self.tails(state, folder, all_=True), folder)
                self._finish(state, self._run(number, task))
            state = self._save(folder)
            number += 1
        return state

    def _run(self, number: int, task: PassTask) -> list[dict[str, Any]]:
        text = f"join: round {number}, {self._left():,} records are undecided"
        return run_tasks(self._session, text, range(len(self._joined.parts)), task)

    def _left(self) -> int:
        return int(np.count_nonzero(self._status == UNDECIDED))

    def _resume(self) -> tuple[int, State]:
        """The number of the next round, and the state after the last one that is finished."""
        finished: list[list[dict[str, Any]]] = []
        while (bits := self._steps.finished(f"rounds/{len(finished):03}")) is not None:
            finished.append(bits)
        if not finished:
            return 0, self._state
        for value, part in zip((UNIQUE, DUPLICATE), finished[-1]):
            packed = np.frombuffer(read_part(self._store, part), np.uint8)
            self._status[np.unpackbits(packed, bitorder="little")[: len(self._status)].astype(bool)] = value
        return len(finished), self._state_of(finished[-1])

    def _save(self, folder: str) -> State:
        bits = []
        for name, value in (("unique", UNIQUE), ("duplicate", DUPLICATE)):
            packed = np.packbits(self._status == value, bitorder="little").tobytes()
            part = {"name": f"{folder}/{name}.bits", "rows": 0, "checksum": checksum(packed)}
            self._store.write(part["name"], packed)
            bits.append(part)
        self._steps.finish(folder, bits)
        return self._state_of(bits)

    def _state_of(self, bits: list[dict[str, Any]]) -> State:
        state = replace(self._state, unique=bits[0], duplicate=bits[1])
        if not self._horizons.are_crossed:
            return state
        task = FirstTask(self._ordered, state, self._latest_ms)
        found = run_tasks(self._session, "join: the oldest entries", range(len(self._ordered.parts)), task)
        return replace(
            state,
            first_unique=_int64_bytes(self._first_of([report["unique"] for report in found])),
            first_possible=_int64_bytes(self._first_of([report["possible"] for report in found])),
        )

    def _first_of(self, found: list[list[list[int]]]) -> Numbers:
        first = np.full(len(self._horizons.ms), INT64_MAX)
        for pairs in found:
            for place, number in pairs:
                if place >= 0:
                    first[place] = min(first[place], number)
        return np.minimum.accumulate(first[::-1])[::-1]

    def tails(self, state: State, folder: str, all_: bool) -> dict[int, dict[str, Any]]:
        task = TailTask(state, folder, self._joined, all_)
        found = run_tasks(self._session, "join: groups that were cut between two parts", self._joined.going_on(), task)
        return {report["number"]: report for report in found}

    def _settle(self, matches: list[dict[str, Any]]) -> None:
        """A record without a match is unique. A record that matches a unique record is a duplicate."""
        status = self._status
        matched = np.zeros(len(status), bool)
        for part in matches:
            matched[_read_table(self._store, part).column("number").to_numpy()] = True
        status[(status == UNDECIDED) & ~matched] = UNIQUE
        for part in matches:
            table = _read_table(self._store, part)
            number, earlier = table.column("number").to_numpy(), table.column("earlier").to_numpy()
            number, earlier = number[earlier >= 0], earlier[earlier >= 0]
            status[number[(status[number] == UNDECIDED) & (status[earlier] == UNIQUE)]] = DUPLICATE

    def _finish(self, state: State, left: list[dict[str, Any]]) -> None:
        """Decides the last undecided records one after the other."""
        tables = [_read_table(self._store, part) for part in left]
        rows = pa.concat_tables(tables).sort_by([("key", "ascending"), ("number", "ascending")])
        # If a group was cut, two parts may report the same row.
        key, number = rows.column("key").to_numpy(), rows.column("number").to_numpy()
        is_first = np.ones(rows.num_rows, bool)
        is_first[1:] = (key[1:] != key[:-1]) | (number[1:] != number[:-1])
        undecided = np.flatnonzero(self._status == UNDECIDED)
        decided = state.native().finish(_stream(rows.filter(pa.array(is_first))), _int64_bytes(undecided))
        self._status[undecided] = np.where(np.frombuffer(decided, np.uint8) == 1, DUPLICATE, UNIQUE)
