"""What the functions of the package return."""

from __future__ import annotations

import json
import os
import random
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from . import _native
from ._errors import Error
from ._html import pairs_html
from ._settings import yaml_text
from ._tables import Source, Table


def _batch(capsules: tuple[Any, Any]) -> pa.Table:
    class Exported:
        def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[Any, Any]:
            return capsules

    return pa.Table.from_batches([pa.record_batch(Exported())])  # type: ignore[arg-type]


_NULLABLE = [
    {"name": name, "field_name": name, "pandas_type": kind.lower(), "numpy_type": kind, "metadata": None}
    for name, kind in (("original", "Int64"), ("distance", "Int16"), ("group", "Int64"))
]
"""Tells pandas that these columns are whole numbers which may be missing. Otherwise it makes them floats."""


def verdict_table(capsules: tuple[Any, Any], first_row: int = 0) -> pa.Table:
    """The columns of the library as a table: row, verdict, original, distance, kind, reason, late."""
    table = _batch(capsules)
    columns = {"row": pa.array(range(first_row, first_row + table.num_rows), pa.int64())}
    for name in table.column_names:
        column = table.column(name)
        columns[name] = pc.cast(column, pa.string()) if pa.types.is_dictionary(column.type) else column
    metadata = {"pandas": json.dumps({"index_columns": [], "column_indexes": [], "columns": _NULLABLE})}
    return pa.table(columns, metadata=metadata)


@dataclass(frozen=True)
class Verdict:
    """What a filter says of one record.

    Attributes:
        verdict: ``unique``, ``duplicate`` or ``dead-letter`` (the record cannot be compared).
        row: the number of the record, counted from 0 over all that the filter has decided; None if it was only
            checked.
        original: the number of the record that it repeats; None unless it is a duplicate.
        distance: how many of 64 bits differ; None unless it is a duplicate.
        kind: ``exact`` or ``near``; None unless it is a duplicate.
        reason: why it cannot be compared, such as ``parse``; None unless it is a dead letter.
        error: the same for people.
    """

    verdict: str
    row: int | None = None
    original: int | None = None
    distance: int | None = None
    kind: str | None = None
    reason: str | None = None
    error: str | None = None

    def __bool__(self) -> bool:
        """True for a duplicate."""
        return self.verdict == "duplicate"


class Pairs(list[dict[str, Any]]):
    """Duplicates beside their originals: row, original, distance, kind, text, original_text.

    A notebook shows them side by side, with the differing words marked.
    """

    def __repr__(self) -> str:
        lines = [
            f"{pair['kind']}, distance {pair['distance']}\n  {pair['original']}: {pair['original_text'][:100]}\n"
            f"  {pair['row']}: {pair['text'][:100]}"
            for pair in self[:5]
        ]
        more = f"\n... and {len(self) - 5} more" if len(self) > 5 else ""
        return "\n".join(lines) + more if lines else "no pairs"

    def _repr_html_(self) -> str:
        return pairs_html(self)


class Result:
    """What `dedup` found.

    Attributes:
        verdicts: a table with one row for each record: ``row``, ``verdict``, ``original``, ``distance`` (of 64 bits),
            ``kind``, ``group`` (the row of the original; null for dead letters), ``reason``, ``late``.
        reasons: what was learned and why, one sentence each; empty if nothing was learned.
        settings: the settings in force, as sections of the configuration file.
        errors: for each dead letter, its row and what is wrong.
    """

    def __init__(
        self, run: _native.Run, source: Source, rows: _native.Rows, reasons: list[str], keep: str = "first"
    ) -> None:
        self._run = run
        self._source = source
        self._rows = rows
        self.reasons = reasons
        self._verdicts = self._with_groups(verdict_table(run.verdicts()))
        self.verdicts = Table(self._verdicts)
        self.settings: dict[str, Any] = json.loads(run.settings())
        self.errors: dict[int, str] = dict(run.errors())
        self._keep = keep
        self._kept = self._rows_kept(keep) if keep != "first" else None

    @staticmethod
    def _with_groups(verdicts: pa.Table) -> pa.Table:
        is_dead = pc.equal(verdicts.column("verdict"), "dead-letter")
        own = pc.if_else(is_dead, pa.scalar(None, pa.int64()), verdicts.column("row"))
        group = pc.coalesce(verdicts.column("original"), own)
        return verdicts.add_column(verdicts.column_names.index("kind") + 1, "group", group)

    @cached_property
    def counts(self) -> dict[str, int]:
        """How many records are ``unique``, ``duplicate`` and ``dead-letter``, and how the duplicates repeat an earlier
        record, which may be a duplicate itself: ``exact`` or ``near``. The command counts them in the same way."""
        verdicts = self._verdicts.column("verdict").to_pylist()
        counts = {name: verdicts.count(name) for name in ("unique", "duplicate", "dead-letter")}
        near = self._where("kind", "near").column("row").to_pylist()
        records = _native.Rows.of_list([self._rows.json(row) for row in near])
        prints = _batch(_native.fingerprint(records, self._run.settings(), 0)).column("exact")
        distinct = len(prints.unique())
        return {**counts, "exact": counts["duplicate"] - distinct, "near": distinct}

    def _where(self, column: str, value: str) -> pa.Table:
        return self._verdicts.filter(pc.equal(self._verdicts.column(column), value))

    def _with_records(self, verdicts: pa.Table) -> Table:
        """Verdicts, and beside them the columns of their records."""
        records = self._source.take(verdicts.column("row"))
        taken = verdicts.column_names
        for name, column in zip(records.column_names, records.columns):
            verdicts = verdicts.append_column(f"{name}_of_record" if name in taken else name, column)
        return Table(verdicts)

    @property
    def unique(self) -> Table:
        """The records that repeat no earlier one, in their order, with the columns that they came with.

        `keep` puts another record of its group in the place of such a record.
        """
        return Table(self._source.take(pa.array(self.unique_rows, pa.int64())))

    @property
    def unique_rows(self) -> list[int]:
        """The numbers of these records, from 0."""
        return self._rows_kept("first") if self._kept is None else self._kept

    @property
    def duplicates(self) -> Table:
        """The records that repeat an earlier one, with the columns ``row``, ``original``, ``distance`` and ``kind``."""
        return self._with_records(self._where("verdict", "duplicate").select(["row", "original", "distance", "kind"]))

    @property
    def dead_letters(self) -> Table:
        """The records that cannot be compared, with the columns ``row``, ``reason`` and ``error``."""
        dead = self._where("verdict", "dead-letter").select(["row", "reason"])
        errors = [self.errors.get(row, "") for row in dead.column("row").to_pylist()]
        return self._with_records(dead.append_column("error", pa.array(errors, pa.string())))

    def groups(self) -> Table:
        """The records that belong together: an original, and after it its duplicates.

        Records without a duplicate make no group. The columns are ``group`` (the row of the original), ``size``,
        ``row``, ``distance`` and ``kind``, and the columns of the records.
        """
        return self._with_records(self._members().select(["group", "size", "row", "distance", "kind"]))

    def _members(self) -> pa.Table:
        """The verdicts on all records of groups, group after group, and the size of their group."""
        groups = self._where("verdict", "duplicate").column("group").value_counts()
        place = pc.index_in(self._verdicts.column("group"), value_set=groups.field("values"))
        members = self._verdicts.append_column("size", pc.add(groups.field("counts").take(place), 1))
        return members.filter(pc.is_valid(place)).sort_by([("group", "ascending"), ("row", "ascending")])

    def keep(self, keep: str) -> Result:
        """The same result, but `unique` holds another record of each group. Nothing is decided again.

        Args:
            keep: ``first``, ``last``, ``longest`` (the most text in the compared fields), or the name of a column: the
                record with its largest value. Of equal records the first is kept.
        """
        return Result(self._run, self._source, self._rows, self.reasons, keep)

    def _rows_kept(self, keep: str) -> list[int]:
        unique = self._where("verdict", "unique").column("row").to_pylist()
        if keep == "first":
            return unique
        members = self._members()
        rows = members.column("row").to_pylist()
        if keep == "last":
            ranks: list[Any] = rows
        elif keep == "longest":
            ranks = [len(self._text(row)) for row in rows]
        else:
            records = self._source.take(members.column("row"))
            if keep not in records.column_names:
                raise Error(
                    f"keep: expected first, last, longest or a column, found {keep!r}; the columns are "
                    f"{', '.join(records.column_names)}"
                )
            ranks = [(value is not None, value) for value in records.column(keep).to_pylist()]
        best: dict[int, tuple[Any, int]] = {}
        for group, row, rank in zip(members.column("group").to_pylist(), rows, ranks):
            if group not in best or rank > best[group][0]:
                best[group] = rank, row
        return sorted(best[row][1] if row in best else row for row in unique)

    def explain(self, row: int) -> Explanation:
        """Says why a duplicate repeats its original. `row` is the number of the duplicate."""
        original = self._verdicts.column("original")[row].as_py()
        if original is None:
            raise Error(
                f"row {row}: expected a duplicate, found {self._verdicts.column('verdict')[row]}; "
                "neardup.explain(a, b, config=result.settings) compares any two records"
            )
        return explained(_native.Rows.of_list([self._rows.json(original), self._rows.json(row)]), self._run.settings())

    def pairs(
        self,
        near: Literal["limit", "equal", "first"] = "limit",
        n: int = 20,
        *,
        distance: tuple[int, int] = (0, 64),
        sample: int | None = None,
        seed: int = 0,
    ) -> Pairs:
        """Duplicates beside their originals.

        Args:
            near: ``limit`` shows the pairs with the largest distance, which are the first to doubt. ``equal`` shows
                those with the smallest distance that are not exact. ``first`` shows the first in order.
            n: how many.
            distance: the smallest and the largest distance to show.
            sample: the number of pairs to draw at random. Without it, the first `n` pairs are shown.
            seed: another one chooses other pairs.
        """
        if near not in ("limit", "equal", "first"):
            raise ValueError(f"near: expected limit, equal or first, found {near!r}")
        table = self._where("kind", "near") if near == "equal" else self._where("verdict", "duplicate")
        bits = table.column("distance")
        table = table.filter(pc.and_(pc.greater_equal(bits, distance[0]), pc.less_equal(bits, distance[1])))
        if sample is not None:
            chance = random.Random(seed).sample(range(len(table)), min(sample, len(table)))
            table, n = table.take(pa.array(sorted(chance), pa.int64())), sample
        if near != "first":
            order = "descending" if near == "limit" else "ascending"
            table = table.sort_by([("distance", order), ("row", "ascending")])
        chosen = table.slice(0, n).select(["row", "original", "distance", "kind"]).to_pylist()
        for pair in chosen:
            pair["text"] = self._text(pair["row"])
            pair["original_text"] = self._text(pair["original"])
        return Pairs(chosen)

    def _text(self, row: int) -> str:
        """The compared fields of a record, for people."""
        payload = self._rows.json(row)
        if payload is None:
            return ""
        try:
            record = json.loads(payload)
        except ValueError:
            return payload.decode("utf-8", "replace")
        fields = self.settings["record"].get("fields") or []
        named = [{"path": each} if isinstance(each, str) else each for each in fields]
        paths = [each["path"] for each in named if each["path"] and not each.get("free")] or list(record)
        values = [_at(record, path) for path in paths]
        return "\n".join(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
                         for value in values if value is not None)

    def rethreshold(self, distance_max: int) -> Result:
        """The result under another distance, from 0 (only equal records) to 12. No fingerprint is computed again."""
        note = f"match.distance_max {distance_max} instead of the above"
        reasons = [reason for reason in self.reasons if not reason.endswith("instead of the above")]
        return Result(self._run.rethreshold(distance_max), self._source, self._rows, [*reasons, note], self._keep)

    def to_yaml(self, path: str | os.PathLike[str]) -> Path:
        """Writes the settings as a configuration file for the service and the commands. Returns its path.

        The learned model goes to a file beside it.
        """
        return write_config(Path(path), self._run.settings(), None, self.reasons)

    def __len__(self) -> int:
        return self._verdicts.num_rows

    def __repr__(self) -> str:
        counts = self.counts
        head = (
            f"{len(self):,} records: {counts['unique']:,} unique, {counts['duplicate']:,} duplicates "
            f"({counts['exact']:,} exact, {counts['near']:,} near), {counts['dead-letter']:,} dead letters"
        )
        return "\n".join([head, *self.reasons])


def _at(record: Any, path: str) -> Any:
    if not path.startswith("/"):
        return record.get(path) if isinstance(record, dict) else None
    for key in path[1:].split("/"):
        name = key.replace("~1", "/").replace("~0", "~")
        if isinstance(record, list) and name.isdigit():
            record = record[int(name)] if int(name) < len(record) else None
        else:
            record = record.get(name) if isinstance(record, dict) else None
    return record


def write_config(path: Path, settings: str, model: str | None, comments: list[str]) -> Path:
    """Writes a configuration, and its model to a file beside it."""
    if model is None:
        learned = json.loads(settings)["feature"]["model"]
        is_default = not learned["hash_seed"] and not any(learned["centre"]) and not learned["common"]
        model = "" if is_default else json.dumps(learned)
    model_file = path.with_suffix(".model.json") if model else None
    if model_file is not None:
        model_file.write_text(model, encoding="utf-8")
    name = model_file.name if model_file is not None else ""
    path.write_text(yaml_text(settings, name, comments), encoding="utf-8")
    return path


@dataclass(frozen=True, repr=False)
class _Report:
    text: str
    details: dict[str, Any]
    _page: str

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f'<iframe style="width:100%;height:480px;border:1px solid #8884" srcdoc="{escape(self._page)}"></iframe>'


class Explanation(_Report):
    """Why two records are duplicates, or not.

    Attributes:
        text: all of it for people.
        details: the same for programs; docs/explain.md describes the keys.
    """


def explained(rows: _native.Rows, settings: str) -> Explanation:
    """Why the second of two rows repeats the first, or does not."""
    text, details, page = _native.explain(rows, settings)
    return Explanation(text, json.loads(details), page)


@dataclass(frozen=True, repr=False)
class Tuning(_Report):
    """What `tune` found.

    Attributes:
        settings: the proposed settings, as sections of the configuration file.
        text: all of it for people.
        details: the same for programs, with the keys of ``neardup tune --json``; ``sample.of`` is the number of all
            records.
    """

    settings: dict[str, Any]
    _model: str
    _settings_json: str

    def report(self, path: str | os.PathLike[str] | None = None) -> str:
        """The report as an HTML page; with `path`, it is also written there."""
        if path is not None:
            Path(path).write_text(self._page, encoding="utf-8")
        return self._page

    def to_yaml(self, path: str | os.PathLike[str]) -> Path:
        """Writes the proposal as a configuration file for the service and the commands. Returns its path.

        The learned model goes to a file beside it.
        """
        return write_config(Path(path), self._settings_json, self._model, self.text.split("\n\n")[0].splitlines())
